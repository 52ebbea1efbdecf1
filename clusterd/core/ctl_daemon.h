/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's node of the control protocol: configuration to sockets, keys
 * and dials; where capabilities register.
 */
#ifndef CTL_DAEMON_H
#define CTL_DAEMON_H

#include "core/ctl_core.h"

/* `id_dir`: of the file that keeps the logical ID; read when first needed. */
extern void control_init(const char *id_dir);
/* Says goodbye to all peers. */
extern void control_fini(void);

/* Static storage; from a capability's init function. */
extern void control_register(const struct ctl_capability *cap);
/* NULL while the protocol isn't configured: capabilities wait for up(). */
extern struct ctl *control_ctl(void);

/*
 * An address that a capability wants to be called, besides the configured
 * peers and as they are; only node `id` may answer.
 */
struct control_dial;
extern struct control_dial *control_dial_new(const char *vrf,
					     const struct ipaddr *addr,
					     uint16_t port,
					     const struct ctl_id *id);
/* With its last link a session ends, by a goodbye. */
extern void control_dial_free(struct control_dial **dial);

/* There is a socket in the VRF, or it is going to be. */
extern bool control_listens(const char *vrf);

/* Why it is off or can't send, or what it leaves out; NULL: all is well. */
extern const char *control_problem(void);
/* Of the file; read now if it wasn't yet. */
extern const struct ctl_id *control_id(void);
/* False: the file is bad or couldn't be written, the next start has another. */
extern bool control_id_kept(void);

/* For the summary. */
struct control_counts {
	const char *problem; /* control_problem() */
	size_t configured;   /* peers */
	struct ctl_peer_counts peers;
	size_t duplicates; /* of logical IDs, seen lately */
};
extern void control_counts(struct control_counts *counts);

#endif /* CTL_DAEMON_H */
