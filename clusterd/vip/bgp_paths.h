/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bgpd is asked about a prefix and its sessions, and what it says (pure):
 * who else announces a VIP.  The answers of FRR 8.4 to 10.x.
 */
#ifndef CLUSTER_BGP_PATHS_H
#define CLUSTER_BGP_PATHS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cluster_route.h"

#define BGP_PATHS_MAX	   256 /* of one prefix; the others are only counted */
#define BGP_PEERS_MAX	   1024
#define BGP_HOST_LEN	   64
#define BGP_AS_PATH_LEN	   128		    /* a longer one is cut off */
#define BGP_NEIGHBOR_LEN   INET6_ADDRSTRLEN /* or the name of an interface */
#define BGP_PEER_STATE_LEN 16

/* The commands, for a VRF ("default" or a name); they return `buf`. */
#define BGP_QUESTION_LEN 128
extern const char *bgp_paths_command(const char *vrf, const struct ipaddr *addr,
				     char buf[BGP_QUESTION_LEN]);
extern const char *bgp_peers_command(const char *vrf,
				     char buf[BGP_QUESTION_LEN]);

/* What comes from other machines has printable characters only, others are ?. */
struct bgp_path {
	uint32_t number;		  /* 1, 2, ... */
	char from[BGP_NEIGHBOR_LEN];	  /* the neighbour that told it */
	char host[BGP_HOST_LEN];	  /* its name; "": unknown */
	char nexthop[INET6_ADDRSTRLEN];	  /* the global one; "": none */
	char as_path[BGP_AS_PATH_LEN];	  /* "": of our own AS */
	char originator[INET_ADDRSTRLEN]; /* behind a route reflector; "" */
	bool best;			  /* bgpd prefers it to ours */
	bool draining;			  /* graceful shutdown (65535:0) */
	int64_t since;			  /* seconds since 1970; 0: unknown */
};

/* {} is empty. */
struct bgp_paths {
	bool no_instance; /* the VRF has no BGP */
	bool ours;	  /* this node announces it, too */
	size_t n, n_more;
	struct bgp_path *paths; /* those of others, in bgpd's order */
};

/*
 * Reads the answer to bgp_paths_command().  A prefix that isn't there has no
 * paths.  No more than `max`, and BGP_PATHS_MAX, are kept.  False for what is no
 * such answer: nothing is kept then.
 */
extern bool bgp_paths_parse(struct bgp_paths *paths, const char *json,
			    size_t max);
extern void bgp_paths_clear(struct bgp_paths *paths);

enum { BGP_PEER_IPV4, BGP_PEER_IPV6, BGP_PEER_FAMILIES };

struct bgp_peer {
	char neighbor[BGP_NEIGHBOR_LEN];
	char host[BGP_HOST_LEN];	/* "": unknown */
	char state[BGP_PEER_STATE_LEN]; /* "Established", ... */
	uint32_t as;
	int64_t uptime_ms; /* of an established one; else since it went */
	bool family[BGP_PEER_FAMILIES];
	uint32_t received[BGP_PEER_FAMILIES]; /* prefixes */
};

/* {} is empty. */
struct bgp_peers {
	size_t n, n_more;
	struct bgp_peer *peers; /* in bgpd's order, each once */
};

/* Reads the answer to bgp_peers_command(), like bgp_paths_parse(). */
extern bool bgp_peers_parse(struct bgp_peers *peers, const char *json,
			    size_t max);
extern void bgp_peers_clear(struct bgp_peers *peers);

#endif /* CLUSTER_BGP_PATHS_H */
