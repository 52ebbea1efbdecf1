/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who reads a configuration file into clusterd now: from vtysh's mark for its
 * beginning to the one for its end, or until that connection is closed.
 *
 * While somebody does, libfrr may commit for minutes (the watchdog is patient)
 * and leftovers of another clusterd may be named yet (nothing is swept).  A
 * file of which a part has been committed is another matter, but no ground for a
 * decision (config_reading_half()); one without changes for clusterd holds
 * nothing, nor does one that nothing more comes of.
 */
#ifndef CLUSTER_CONFIG_READING_H
#define CLUSTER_CONFIG_READING_H

#include <stdbool.h>

/*
 * The beginning of a file, by the connection with descriptor `fd` (-1: not
 * known; then only its end is noticed), and its end.
 */
extern void config_reading_begin(int fd);
extern void config_reading_end(int fd);

/*
 * A sign of life, e.g. a section of ours.  Without one for 30 s what there is
 * may be decided about; for ten minutes: nobody reads any more.  Time in which
 * the loop stands still doesn't count.
 */
extern void config_reading_alive(void);

/* Somebody reads a file. */
extern bool config_reading_now(void);

/* ...and some changes have been committed already, perhaps not all. */
extern bool config_reading_half(void);

/* The rest of the files doesn't matter. */
extern void config_reading_stop(void);

/*
 * Whether our running configuration may replace the lines that frr.conf has of
 * ours.  Not before a file was read to its end: until watchfrr's `vtysh -b` has
 * done that, a clusterd that was restarted has none of them, or some.  Nor while
 * one is read.
 */
extern bool config_reading_may_write(void);

/* frr.conf has nothing that we don't have: it has no lines of ours, or isn't used. */
extern void config_reading_has_all(void);

#endif /* CLUSTER_CONFIG_READING_H */
