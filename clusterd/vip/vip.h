/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VIPs: what the rest of clusterd sees of them.
 *
 * A VIP is a set of addresses announced as host routes whose next hops are
 * its healthy members.  vip_decide.h says when; vip.c holds the state.
 */
#ifndef CLUSTER_VIP_H
#define CLUSTER_VIP_H

#include <stddef.h>

#include "vip/vip_decide.h"

struct vip_counts {
	size_t total;
	size_t by_state[VIP_STATE_MAX]; /* index: enum vip_state */
	size_t members, members_up;
	size_t addresses, addresses_announced;
	size_t addresses_not_in_bgp; /* that are to be */
};

/* Counts every VIP by its state, for `show cluster summary`. */
extern void vip_counts(struct vip_counts *counts);

/* The state of a VIP; false: it isn't configured. */
extern bool vip_state_get(const char *name, enum vip_state *state);

/*
 * clusterd is to end: begins to drain the VIPs that are configured so, and to
 * withdraw the others; when all are and local routes have been held, it calls
 * `done`, from the event loop.  False: there is nothing to wait for, or it is
 * the second call.
 */
extern bool vip_exit(void (*done)(void));

/* Start-up: registers CLI, northbound and the scheduler capability. */
extern void vip_init(void);
/*
 * Lets go of every probe and next hop, frees everything; before probe_fini()
 * and cluster_zebra_fini(), which withdraws the routes.
 */
extern void vip_fini(void);

#endif /* CLUSTER_VIP_H */
