/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the daemons of our FRR were started: which of two is older.  Process
 * start times don't depend on the clock, which may be stepped at boot.
 */
#ifndef CLUSTER_DAEMON_START_H
#define CLUSTER_DAEMON_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a line of /proc/PID/stat (proc(5)): the start time in clock ticks since
 * boot, if the process's name is `name`; 0 for another one's or a bad line.
 */
extern uint64_t daemon_start_parse(const char *stat, const char *name);

/*
 * Start of the daemon `name` whose pid file is in `folder`, in clock ticks since
 * boot; 0: it doesn't run, or can't be seen.
 */
extern uint64_t daemon_start(const char *folder, const char *name);

#endif /* CLUSTER_DAEMON_START_H */
