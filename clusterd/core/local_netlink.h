/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local routes in the kernel: keeps every network namespace that zebra knows
 * as a VRF in step with what is wanted (core/local_table.h).
 */
#ifndef CLUSTER_LOCAL_NETLINK_H
#define CLUSTER_LOCAL_NETLINK_H

#include "core/local_table.h"

/*
 * Our routes' protocol and metric.  Neither the kernel nor FRR (42, 186-198)
 * use the protocol; a metric of our own leaves other programs' routes for the
 * same address alone.
 */
#define LOCAL_PROTOCOL 84
#define LOCAL_METRIC   84

/*
 * The complete set that is wanted, sorted and without duplicates; before
 * cluster_zebra_routes_set() of the same decision.
 */
extern void local_routes_set(const struct local_want *wants, size_t n_wants);

/*
 * What became of an address's route.  `error` (may be NULL): an errno for
 * LOCAL_FAILED; EOPNOTSUPP: the VRF is no network namespace.
 */
extern enum local_status local_route_status(const struct cluster_route_key *key,
					    int *error);
extern void local_route_counts(struct local_table_counts *counts);

/*
 * How long routes of ours may be there yet when nothing is wanted any more, us;
 * 0: none is there.
 */
extern int64_t local_routes_left(void);
/* Nobody is left who announces them, or who could say: only holds are awaited. */
extern void local_routes_withdrawn(void);

/* Behind cluster_zebra_init(). */
extern void local_netlink_init(void);
/* Behind cluster_zebra_fini(): deletes our routes, and frees everything. */
extern void local_netlink_fini(void);

#endif /* CLUSTER_LOCAL_NETLINK_H */
