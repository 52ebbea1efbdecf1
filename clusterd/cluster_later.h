/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands whose answer has to be waited for.  Their function returns
 * CMD_SUSPEND, as watchfrr's `write integrated` does: vtysh waits, the event
 * loop goes on.  The answer goes to a duplicate of vtysh's socket, so that
 * nothing points to a vty that may be gone meanwhile.
 */
#ifndef CLUSTER_LATER_H
#define CLUSTER_LATER_H

#include <stdint.h>

struct vty;
struct cluster_later;

/* So many at a time. */
#define CLUSTER_LATER_MAX 4

/* NULL: it can't be, and `why` is a text of static storage. */
extern struct cluster_later *cluster_later_new(struct vty *vty,
					       const char **why);
/*
 * The answer, and the command's result (CMD_SUCCESS, CMD_WARNING).  Frees
 * `later` and sets it to NULL.  Not from within the command's function.
 */
extern void cluster_later_answer(struct cluster_later **later, const char *text,
				 uint8_t result);

/* Ends those that are still being sent. */
extern void cluster_later_fini(void);

#endif /* CLUSTER_LATER_H */
