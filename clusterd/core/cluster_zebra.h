/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only user of zclient.  Capabilities say which routes they want, each
 * as a whole set; this keeps zebra in step with the set through reconnects,
 * interface and VRF events (level-triggered: everything is derived again).
 */
#ifndef CLUSTER_ZEBRA_H
#define CLUSTER_ZEBRA_H

#include "core/cluster_route.h"

struct prefix;
struct route_table_counts;

enum cluster_zebra_state {
	CLUSTER_ZEBRA_DOWN,    /* zebra's socket is not there */
	CLUSTER_ZEBRA_REFUSED, /* another daemon owns our route type */
	CLUSTER_ZEBRA_CONNECTED,
	CLUSTER_ZEBRA_SILENT, /* the same, but it doesn't answer */
};

/*
 * Gives the complete set of routes that an owner wants, in
 * cluster_route_key_cmp() order without duplicates; the set is copied.  Sends
 * zebra the difference to what it was told before: nothing when nothing changed.
 * To be called in every decision, changed or not: that is how a prefix is had
 * back that another owner was given before.
 */
extern void cluster_zebra_routes_set(enum cluster_route_owner owner,
				     const struct cluster_route *routes,
				     size_t n_routes);

/*
 * The same for an owner that has many routes of which few change: one more, or
 * another one; one less; then, before the loop goes on, what was said is sent.
 * When cluster_zebra_contests_over() has changed it has to want all again.
 */
extern void cluster_zebra_route_want(enum cluster_route_owner owner,
				     const struct cluster_route *route);
extern void cluster_zebra_route_unwant(enum cluster_route_owner owner,
				       const struct cluster_route_key *key);
extern void cluster_zebra_routes_flush(void);
extern uint64_t cluster_zebra_contests_over(void);

/*
 * What became of a route; `since_us` (may be NULL): monotonic, of its status.
 * UNWANTED for one that is in the owner's set: another owner has the prefix.
 */
extern enum cluster_route_status
cluster_zebra_route_status(enum cluster_route_owner owner,
			   const struct cluster_route_key *key,
			   int64_t *since_us);

/*
 * Once, at start: `changed` is called when zebra's word has changed the status of
 * one route of the owner, instead of a decision over everything: for owners
 * whose decisions don't depend on it.  What changes the status of many (a
 * connection, a VRF, an interface) asks for a decision all the same.
 */
extern void
cluster_zebra_on_route(enum cluster_route_owner owner,
		       void (*changed)(const struct cluster_route_key *key));

/*
 * Once, at start: `gone` is called when zebra has taken a route of ours away;
 * with NULL when the connection is lost, before the routes' status says so.
 */
extern void
cluster_zebra_on_gone(void (*gone)(const struct cluster_route_key *key));

/*
 * Of a route that was given up: zebra can't have taken it away yet, because it
 * isn't there or hasn't read that.
 */
extern bool cluster_zebra_withdrawal_waits(const struct cluster_route_key *key);

/* Numbers for `show cluster summary`. */
extern void cluster_zebra_route_counts(struct route_table_counts *counts);

/*
 * Next-hop tracking: `addr` in `vrf` is watched from the first get to the last
 * put (counted).  Unresolved until zebra says otherwise and while it is away;
 * for some seconds after its return what was resolved before is so still.
 */
extern void cluster_zebra_nexthop_get(const char *vrf,
				      const struct ipaddr *addr);
extern void cluster_zebra_nexthop_put(const char *vrf,
				      const struct ipaddr *addr);
extern bool cluster_zebra_nexthop_resolved(const char *vrf,
					   const struct ipaddr *addr);

/* Length of the longest usable route to it, or NEXTHOP_UNRESOLVED. */
extern int cluster_zebra_nexthop_matched(const char *vrf,
					 const struct ipaddr *addr);

/*
 * How many routes BGP has brought into the VRF's RIB, both families together:
 * right up to LEARNED_ENOUGH (core/learned_table.h).  Watched from the first
 * get to the last put (counted); 0 while zebra is away.
 */
extern void cluster_zebra_learned_get(const char *vrf);
extern void cluster_zebra_learned_put(const char *vrf);
extern size_t cluster_zebra_learned_count(const char *vrf);

/*
 * The same routes one by one, for one listener that needs them exactly; static
 * storage.
 */
struct cluster_zebra_learned_ops {
	/* All that there are will be told: what was told before is void. */
	void (*begin)(void);
	/* zebra is away, or the VRF is: nothing is known. */
	void (*end)(void);
	/* Bits behind the length are zeroes; again for each change. */
	void (*route)(const struct ipaddr *addr, uint8_t length, uint32_t tag,
		      bool present);
};
/* `ops` NULL: nobody listens any more. */
extern void
cluster_zebra_learned_listen(const char *vrf,
			     const struct cluster_zebra_learned_ops *ops);

/*
 * Tracking of a route, counted as that of next hops: `p` (host bits 0) is
 * present when exactly it is in zebra and has a usable next hop.  After zebra's
 * return only when it has said so anew.
 */
extern void cluster_zebra_prefix_get(const char *vrf, const struct prefix *p);
extern void cluster_zebra_prefix_put(const char *vrf, const struct prefix *p);
extern bool cluster_zebra_prefix_present(const char *vrf,
					 const struct prefix *p);
/*
 * zebra has said whether it is. It says nothing of a default route that there
 * isn't.
 */
extern bool cluster_zebra_prefix_answered(const char *vrf,
					  const struct prefix *p);

/*
 * Interfaces.  While zebra is away what it told is followed by asking the
 * kernel: which ones and which addresses are gone, and what is up.  Only _up()
 * is false then: for those who can do nothing without zebra.
 */
/* It exists; may be down. */
extern bool cluster_zebra_interface_known(const char *vrf, const char *ifname);
/* Interface `ifname` exists in `vrf` and is operative. */
extern bool cluster_zebra_interface_operative(const char *vrf,
					      const char *ifname);
extern bool cluster_zebra_interface_up(const char *vrf, const char *ifname);
/* How many interfaces of `vrf` are operative and match (fnmatch(3)). */
extern unsigned int cluster_zebra_interfaces_up(const char *vrf,
						const char *pattern);
/* The interface of `vrf` that owns `addr`, or NULL. */
extern const char *cluster_zebra_address_owner(const char *vrf,
					       const struct ipaddr *addr);
/* zebra and bfdd run.  A system call: not for every decision. */
extern bool cluster_zebra_bfdd_running(void);
/* The router ID that zebra has for `vrf`; false: none, or not told yet. */
extern bool cluster_zebra_router_id(const char *vrf, struct in_addr *id);
/* VRF `vrf` is known to zebra; _known(): or was when it went away. */
extern bool cluster_zebra_vrf_ready(const char *vrf);
extern bool cluster_zebra_vrf_known(const char *vrf);

/* A silent zebra is connected, and may take up its work at any moment. */
extern bool cluster_zebra_connected(void);
/* `why`: a text with advice, "" when all is well. */
extern enum cluster_zebra_state cluster_zebra_state(char *why, size_t why_len);
/* For how long zebra hasn't answered, if that is too long; 0: it does. */
extern int64_t cluster_zebra_silent_us(void);
/* Called when the state has changed; one user. */
extern void cluster_zebra_on_state(void (*changed)(void));
/*
 * Although connected, something needs the operator: `buf` gets what and what to
 * do, and the result is true; false and "" otherwise.  Looked up anew at every
 * call, so it ends when its cause does.
 */
extern bool cluster_zebra_advice(char *buf, size_t len);
/* The route type's name, e.g. "openfabric": what bgpd redistributes. */
extern const char *cluster_zebra_route_type(void);

/*
 * `route_type`: a name that is one of openfabric, babel, nhrp; returns false
 * for another.  Before cluster_zebra_init().
 */
extern bool cluster_zebra_route_type_set(const char *route_type);
/* Before frr_config_fork(); connects when the loop runs. */
extern void cluster_zebra_init(void);
/* Withdraws every route, waits for nothing, frees everything. */
extern void cluster_zebra_fini(void);

#endif /* CLUSTER_ZEBRA_H */
