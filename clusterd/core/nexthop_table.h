/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counted next-hop tracking (pure; the requests leave through ops): which
 * addresses and prefixes are watched, and what zebra resolves them by.
 */
#ifndef CLUSTER_NEXTHOP_TABLE_H
#define CLUSTER_NEXTHOP_TABLE_H

#include "core/cluster_route.h"

struct nexthop_table;

/* Not resolved by any route. */
#define NEXTHOP_UNRESOLVED (-1)

struct nexthop_table_ops {
	/* Both are best effort: nexthop_table_resend() repeats the watches. */
	void (*watch)(const struct cluster_route_key *nexthop);
	void (*unwatch)(const struct cluster_route_key *nexthop);
};

extern struct nexthop_table *
nexthop_table_new(const struct nexthop_table_ops *ops);
extern void nexthop_table_free(struct nexthop_table **table);

/* Every get needs its put; watched from the first to the last. */
extern void nexthop_table_get(struct nexthop_table *table,
			      const struct cluster_route_key *nexthop);
extern void nexthop_table_put(struct nexthop_table *table,
			      const struct cluster_route_key *nexthop);

/*
 * zebra's word: the longest usable route that covers it is of length `matched`,
 * or NEXTHOP_UNRESOLVED.  Returns true if it changed something, or is the first
 * that was heard.
 */
extern bool nexthop_table_update(struct nexthop_table *table,
				 const struct cluster_route_key *nexthop,
				 int matched);
/*
 * What zebra said last, or before it was lost if it is to be believed still;
 * NEXTHOP_UNRESOLVED for what isn't watched.
 */
extern int nexthop_table_matched(const struct nexthop_table *table,
				 const struct cluster_route_key *nexthop);

/* The same, but only what the zebra that is there now said. */
extern int nexthop_table_heard(const struct nexthop_table *table,
			       const struct cluster_route_key *nexthop);
/* Whether that zebra has said anything about it. */
extern bool nexthop_table_answered(const struct nexthop_table *table,
				   const struct cluster_route_key *nexthop);

/*
 * The connection is gone.  A zebra that was restarted answers before it has its
 * own interfaces' routes in the RIB: what was resolved stays so until zebra
 * resolves it anew, or nexthop_table_settled().
 */
extern void nexthop_table_disconnected(struct nexthop_table *table);
/*
 * zebra has had its time: what it didn't resolve by now is unresolved.  Returns
 * true if that changed something.
 */
extern bool nexthop_table_settled(struct nexthop_table *table);
/*
 * The VRF is gone, and zebra says nothing more about what is watched in it
 * before it is back.
 */
extern void nexthop_table_vrf_gone(struct nexthop_table *table, const char *vrf);
/* Watches again everything in `vrf` (NULL: in all). */
extern void nexthop_table_resend(struct nexthop_table *table, const char *vrf);

extern size_t nexthop_table_count(const struct nexthop_table *table);

#endif /* CLUSTER_NEXTHOP_TABLE_H */
