/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of track/ share. */
#ifndef CLUSTER_TRACK_PRIVATE_H
#define CLUSTER_TRACK_PRIVATE_H

#include "memory.h"
#include "typesafe.h"

#include "cluster_vty.h"
#include "core/cluster_route.h"
#include "probe/probe.h"
#include "track/track.h"
#include "track/track_ctl.h"
#include "track/track_ring.h"

#define TRACK_XPATH	  "/frr-clusterd-track:cluster-tracks"
#define TRACK_LIST_XPATH  TRACK_XPATH "/track"
#define TRACK_DEFAULT_VRF "default"

PREDECL_RBTREE_UNIQ(tracks);
PREDECL_RBTREE_UNIQ(track_hops);
PREDECL_RBTREE_UNIQ(track_routes);

struct track;

struct track_hop {
	struct track_hops_item item;
	struct track *track;
	struct ipaddr gate;
	char ifname[CLUSTER_IFNAME_LEN]; /* "": zebra resolves it */
	/* Configuration */
	uint16_t preference;
	char probe[CLUSTER_NAME_LEN]; /* "": the track's */
	struct ctl_id gateway; /* whose word it follows; null: nobody's */
	char gateway_track[CLUSTER_NAME_LEN]; /* "": of the track's own name */
	/* State; `held`: what follows is of the present configuration. */
	bool held;
	struct probe_ref *ref; /* NULL: not probed */
	bool watched;	       /* zebra is asked to resolve it */
	bool kept_up; /* was up, and has a new probe without a result */
	struct track_ring_state ring;
	/* Whose way zebra tells: a host that one of our routes covers. */
	struct ipaddr ring_host;
	bool up;
	bool used; /* some route goes by it */
	char why[TRACK_WHY_LEN];
	int64_t since_us; /* 0: not looked at yet */
};

struct track_route {
	struct track_routes_item item;
	struct track *track;
	struct prefix prefix;
	/* State */
	enum track_state state;
	enum cluster_route_status status;
	uint32_t metric;
	uint8_t distance;
	char why[TRACK_WHY_LEN];
	int64_t since_us; /* 0: not looked at yet */
};

struct track {
	struct tracks_item item;
	char name[CLUSTER_NAME_LEN];
	/* Configuration */
	char vrf[CLUSTER_VRF_LEN];
	char probe[CLUSTER_NAME_LEN]; /* of next hops without one; "": none */
	struct track_hops_head hops;
	struct track_routes_head routes;
	uint32_t tag;
	uint32_t metric;
	uint8_t distance;
	uint32_t down_metric;  /* 0: none */
	uint8_t down_distance; /* 0: none */
	bool last_resort;
	bool announce; /* other nodes are told how the routes are */
	bool shutdown;
	/* State: by family, IPv4 first */
	struct track_plan plans[2];
	size_t n_nexthops[2];
	struct cluster_nexthop nexthops[2][TRACK_HOPS_MAX];
};

extern int track_cmp(const struct track *a, const struct track *b);
extern int track_hop_cmp(const struct track_hop *a, const struct track_hop *b);
extern int track_route_cmp(const struct track_route *a,
			   const struct track_route *b);
DECLARE_RBTREE_UNIQ(tracks, struct track, item, track_cmp);
DECLARE_RBTREE_UNIQ(track_hops, struct track_hop, item, track_hop_cmp);
DECLARE_RBTREE_UNIQ(track_routes, struct track_route, item, track_route_cmp);

extern struct tracks_head tracks;

extern struct track *track_find(const char *name);
extern void track_add(const char *name);
extern void track_del(struct track *track);
/* NULL: there is none. */
extern struct track_hop *track_hop_find(const struct track *track,
					const struct ipaddr *gate,
					const char *ifname);
extern void track_hop_add(struct track *track, const struct ipaddr *gate,
			  const char *ifname);
extern void track_hop_del(struct track_hop *hop);
extern struct track_route *track_route_find(const struct track *track,
					    const struct prefix *prefix);
extern void track_route_add(struct track *track, const struct prefix *prefix);
extern void track_route_del(struct track_route *route);

/*
 * Lets go of the probe: there is another one.  The decision takes hold of it.
 * The others of a track, and other tracks, are not touched.
 */
extern void track_hop_unprobe(struct track_hop *hop);
/*
 * Lets go of zebra's next-hop tracking as well: another VRF, or no use any more.
 * Not for less: until zebra has answered again it would be unreachable.
 */
extern void track_hop_release(struct track_hop *hop);
extern void track_hops_release(struct track *track);
/* The probe that checks it, "" for none. */
extern const char *track_hop_probe(const struct track_hop *hop);
/* The gateway's track that it follows. */
extern const char *track_hop_gateway_track(const struct track_hop *hop);

/* track_nb.c: tells subscribers that a route's state has changed, and why. */
extern void track_notify(const struct track_route *route, const char *why);
/* The same of a next hop. */
extern void track_notify_hop(const struct track_hop *hop);

extern void track_cli_init(void);
extern void track_show_init(void);
extern void track_metrics_init(void);

struct vty;
struct lyd_node;
#define TRACK_CLI_WRITE(name)                                                  \
	extern void track_##name##_cli_write(struct vty *vty,                  \
					     const struct lyd_node *dnode,     \
					     bool show_defaults)
TRACK_CLI_WRITE(entry);
TRACK_CLI_WRITE(down);
TRACK_CLI_WRITE(last_resort);
TRACK_CLI_WRITE(announce);
TRACK_CLI_WRITE(hop);
TRACK_CLI_WRITE(route);
extern void track_entry_cli_write_end(struct vty *vty,
				      const struct lyd_node *dnode);

#endif /* CLUSTER_TRACK_PRIVATE_H */
