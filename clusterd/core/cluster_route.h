/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capability wants in the RIB, and what became of it: plain data,
 * shared by the pure decisions and the zebra client.
 */
#ifndef CLUSTER_ROUTE_H
#define CLUSTER_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipaddr.h"

struct prefix;

#define CLUSTER_VRF_LEN	     36	 /* VRF_NAMSIZ */
#define CLUSTER_IFNAME_LEN   16	 /* IFNAMSIZ */
#define CLUSTER_NEXTHOPS_MAX 256 /* FRR's multipath limit in Debian */

struct cluster_nexthop {
	struct ipaddr gate;		 /* IPADDR_NONE: the interface alone */
	char ifname[CLUSTER_IFNAME_LEN]; /* "": resolved by zebra */
	uint8_t weight;			 /* 1..255 */
};

/*
 * Whose route it is: each capability has a set of its own.  Where two want the
 * same prefix, the one that stands first here gets it.
 */
enum cluster_route_owner {
	CLUSTER_OWNER_VIP,
	CLUSTER_OWNER_RESPONDER,
	CLUSTER_OWNER_HUB, /* prefixes of sites */
	CLUSTER_OWNER_EDGE,
	CLUSTER_OWNER_TRACK,
};
#define CLUSTER_OWNERS (CLUSTER_OWNER_TRACK + 1)

/* The bits of `addr` behind the prefix are 0 (cluster_route_prefix()). */
struct cluster_route_key {
	char vrf[CLUSTER_VRF_LEN]; /* "default" or the VRF's name */
	struct ipaddr addr;
	uint8_t wildcard; /* bits behind the prefix; 0: a host route */
};

struct cluster_route {
	struct cluster_route_key key;
	uint32_t tag;
	uint32_t metric;
	uint8_t distance; /* 1..255 */
	bool blackhole;	  /* drops silently; without next hops */
	uint16_t n_nexthops;
	struct cluster_nexthop *nexthops; /* in cluster_nexthop_cmp() order */
};

/* What zebra has made of a route that we want. */
enum cluster_route_status {
	CLUSTER_ROUTE_UNWANTED,	  /* we don't want it (any more) */
	CLUSTER_ROUTE_UNSENT,	  /* wanted; zebra or the VRF isn't there */
	CLUSTER_ROUTE_PENDING,	  /* sent, no word from zebra yet */
	CLUSTER_ROUTE_INSTALLED,  /* selected and in the kernel */
	CLUSTER_ROUTE_BETTER_WON, /* another protocol's route is selected */
	CLUSTER_ROUTE_FAILED,	  /* the kernel refused it */
	CLUSTER_ROUTE_REMOVED,	  /* somebody else removed it: sent again */
};

/* A prefix length of that family is 0..32 or 0..128. */
extern uint8_t cluster_route_plen_max(const struct ipaddr *addr);

/*
 * Makes the key of a prefix: clears the bits of `addr` behind `plen`, which
 * must not be over cluster_route_plen_max(), nor `addr` IPADDR_NONE.
 */
extern void cluster_route_prefix(struct cluster_route_key *key, const char *vrf,
				 const struct ipaddr *addr, uint8_t plen);

/* FRR's prefix; `addr` must not be IPADDR_NONE. */
extern void cluster_prefix(struct prefix *prefix, const struct ipaddr *addr,
			   uint8_t plen);
/* And back; IPADDR_NONE if it is of another family. */
extern void cluster_prefix_addr(const struct prefix *prefix,
				struct ipaddr *addr);

/*
 * Total orders: VRF, family, address, the longer prefix first; gate, interface,
 * weight.
 */
extern int cluster_route_key_cmp(const struct cluster_route_key *a,
				 const struct cluster_route_key *b);
extern int cluster_nexthop_cmp(const struct cluster_nexthop *a,
			       const struct cluster_nexthop *b);

/* Same attributes and the same next hops in the same order. */
extern bool cluster_route_same(const struct cluster_route *a,
			       const struct cluster_route *b);

#endif /* CLUSTER_ROUTE_H */
