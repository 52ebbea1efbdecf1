/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which entries the route-map of a VRF should have, and with which next hops
 * (pure).
 */
#ifndef CLUSTER_BGP_WANTED_H
#define CLUSTER_BGP_WANTED_H

#include "ipaddr.h"

#include "vip/bgp_map.h"

/* How one or more VIPs are announced. */
struct bgp_use {
	uint32_t tag;				 /* as configured */
	const struct vip_attributes *attributes; /* or NULL */
};

/* How something is announced now, as configured or so far: bgp_policy.c. */
struct bgp_announced {
	bool valid;
	uint32_t tag;			   /* as configured */
	struct vip_attributes *attributes; /* NULL: none */
};

/*
 * The entries for all phases of `uses`, which it reorders, and always those of
 * a VIP without attributes: a map is never empty.  `texts` is empty before
 * and finished afterwards.
 *
 * Two uses may want one tag for different things, if tags are configured that
 * way (one's tag is another's drain-tag): the text that sorts first has it.
 * Returns that tag, or 0.
 */
extern uint32_t bgp_wanted_build(struct bgp_texts *texts, struct bgp_use *uses,
				 size_t n, const struct bgp_nexthops *nexthops);

/* How long an address may be missing before it counts as gone. */
#define BGP_OWN_GRACE_US (5 * 1000000LL)

enum bgp_own_state {
	BGP_OWN_NONE,	 /* no address is wanted */
	BGP_OWN_USED,	 /* it is one of this node, or was a moment ago */
	BGP_OWN_PENDING, /* not seen yet: interfaces may still be read */
	BGP_OWN_FOREIGN, /* it is none of this node: not used */
};

/* An own address that is to be a next hop; {} in the beginning. */
struct bgp_own {
	enum bgp_own_state state;
	struct ipaddr wanted;
	int64_t missing_us; /* since when; 0: it is there */
};

/*
 * What is wanted (IPADDR_NONE: nothing) and whether an interface has it now.
 * Returns when time alone changes the state, or 0.
 */
extern int64_t bgp_own_update(struct bgp_own *own, const struct ipaddr *wanted,
			      bool local, int64_t now_us);

#endif /* CLUSTER_BGP_WANTED_H */
