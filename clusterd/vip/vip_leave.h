/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else asks VIPs to drain: files that exist, and clusterd's own end.
 */
#ifndef CLUSTER_VIP_LEAVE_H
#define CLUSTER_VIP_LEAVE_H

#include <stdbool.h>
#include <stddef.h>

/* -- files -- */

/*
 * A file that is looked for twice a second, from the first get of its path to
 * the last put; one for all VIPs that name it.
 */
struct vip_drain_file;

extern struct vip_drain_file *vip_drain_file_get(const char *path);
/* Does nothing for NULL; sets *file to NULL. */
extern void vip_drain_file_put(struct vip_drain_file **file);
/*
 * Whether it is there; false for NULL.  What can't be found out (a folder that
 * clusterd may not enter) doesn't change it, and is logged once.
 */
extern bool vip_drain_file_exists(const struct vip_drain_file *file);

/* Not NULL; and why it can't be looked at, an errno, or 0. */
extern const char *vip_drain_file_path(const struct vip_drain_file *file);
extern int vip_drain_file_error(const struct vip_drain_file *file);

/* -- the end -- */

/* FRR's scripts and systemd kill after 120 s what they have told to end. */
#define VIP_EXIT_MAX_US (100 * INT64_C(1000000))

/* Whether it has begun: all VIPs drain now. */
extern bool vip_exit_begun(void);
/* Whether draining is over, or there is nobody to drain for: bgpd has ended. */
extern bool vip_exit_holds(void);

/*
 * To be told after every decision: how many VIPs still drain.  When it is none,
 * and the last local route has been held and is gone, vip_exit()'s `done` is
 * called, from the event loop; that is looked for from then on.
 */
extern void vip_exit_check(size_t n_draining);

/* Ends the waiting, frees everything. */
extern void vip_leave_fini(void);

#endif /* CLUSTER_VIP_LEAVE_H */
