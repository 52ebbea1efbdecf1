/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of routes: wanted, told to zebra, and what zebra says (pure; the
 * messages leave through ops).
 *
 * Level-triggered: the set that is wanted comes whole, and the table sends
 * the difference.  What could not be sent (no connection, VRF or interface
 * not there) stays UNSENT until route_table_resend(); zebra then has no
 * earlier version of it either.  What zebra has no room for
 * is owed, a bit for each prefix, until route_table_flush(): however often a
 * route changes meanwhile, only the last change is sent.
 */
#ifndef CLUSTER_ROUTE_TABLE_H
#define CLUSTER_ROUTE_TABLE_H

#include "core/cluster_route.h"

struct route_table;

enum route_table_sent {
	ROUTE_NOT_SENT, /* can't be: something isn't there */
	ROUTE_SENT,
	ROUTE_LATER, /* no room now: route_table_flush() when there is */
};

struct route_table_ops {
	enum route_table_sent (*add)(const struct cluster_route *route);
	enum route_table_sent (*del)(const struct cluster_route_key *key);
};

enum route_table_note {
	ROUTE_NOTE_INSTALLED,
	ROUTE_NOTE_BETTER_WON,
	ROUTE_NOTE_FAILED,
	ROUTE_NOTE_REMOVED,
};

extern struct route_table *route_table_new(const struct route_table_ops *ops);
extern void route_table_free(struct route_table **table);

/*
 * The whole set that `owner` wants: in cluster_route_key_cmp() order, without
 * duplicates; copied.  Of a prefix that two owners want, the first in the order
 * of enum cluster_route_owner gets it; it takes it over from the other, in
 * place.  Returns true if one was given up that another owner wanted in vain:
 * that one has to call again.
 */
extern bool route_table_set(struct route_table *table,
			    enum cluster_route_owner owner,
			    const struct cluster_route *routes, size_t n_routes,
			    int64_t now_us);

/*
 * One route more, or another one, of `owner`; one less.  For who has many and
 * few that change; the return is route_table_set()'s.
 */
extern void route_table_want(struct route_table *table,
			     enum cluster_route_owner owner,
			     const struct cluster_route *route, int64_t now_us);
extern bool route_table_unwant(struct route_table *table,
			       enum cluster_route_owner owner,
			       const struct cluster_route_key *key);

/*
 * The connection is gone, and with it everything that zebra was told; or that
 * VRF is (NULL: all of them), and what zebra was told about it.
 */
extern void route_table_disconnected(struct route_table *table, const char *vrf,
				     int64_t now_us);

/* Which routes to send again; NULL: no condition. */
struct route_table_filter {
	const char *vrf;
	const char *ifname;	   /* with a next hop on it */
	const struct ipaddr *gate; /* with that next hop */
	bool not_installed;	   /* whatever zebra said but INSTALLED */
	bool removed;		   /* zebra said REMOVED */
};
/* Sends wanted routes again; returns how many were sent. */
extern size_t route_table_resend(struct route_table *table,
				 const struct route_table_filter *filter,
				 int64_t now_us);

/* There is room again: sends what is owed. */
extern void route_table_flush(struct route_table *table, int64_t now_us);

/*
 * zebra's word about a route.  Returns true if the status changed.  A REMOVED
 * for a route that is wanted is to be answered by a resend, not at once: it
 * may be the echo of our own earlier delete.
 */
extern bool route_table_notify(struct route_table *table,
			       const struct cluster_route_key *key,
			       enum route_table_note note, int64_t now_us);

extern bool route_table_wants(const struct route_table *table,
			      const struct cluster_route_key *key);
/* It was given up, and zebra isn't told yet: no room. */
extern bool route_table_owes(const struct route_table *table,
			     const struct cluster_route_key *key);
/* Who has a route that is wanted. */
extern enum cluster_route_owner
route_table_owner(const struct route_table *table,
		  const struct cluster_route_key *key);
/*
 * `since_us` may be NULL.  UNWANTED also if another owner has the prefix.
 */
extern enum cluster_route_status
route_table_status(const struct route_table *table,
		   enum cluster_route_owner owner,
		   const struct cluster_route_key *key, int64_t *since_us);

struct route_table_counts {
	size_t wanted;
	size_t by_status[CLUSTER_ROUTE_REMOVED + 1];
	size_t owed;		/* changes that wait for room */
	uint64_t adds, deletes; /* messages sent so far */
};
extern void route_table_count(const struct route_table *table,
			      struct route_table_counts *counts);

#endif /* CLUSTER_ROUTE_TABLE_H */
