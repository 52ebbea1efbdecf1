/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the attributes of VIPs get into bgpd: the objects behind `cluster bgp`,
 * shared by the bgp_*.c files of this folder.
 *
 * bgp_nb.c writes the configuration and calls bgp_policy_changed(); everything
 * else has its one writer in bgp_policy.c.
 */
#ifndef CLUSTER_BGP_POLICY_H
#define CLUSTER_BGP_POLICY_H

#include "typesafe.h"

#include "core/cluster_route.h"
#include "vip/bgp_keeper.h"
#include "vip/bgp_wanted.h"

struct vip;

#define BGP_XPATH "/frr-clusterd-bgp:cluster-bgp"

/* Long enough for every reason. */
#define BGP_WHY_LEN 512

PREDECL_RBTREE_UNIQ(bgp_vrfs);

/* A VRF, which is a BGP instance. */
struct bgp_vrf {
	struct bgp_vrfs_item item;
	char name[CLUSTER_VRF_LEN];

	/* configuration */
	char route_map[BGP_MAP_NAME_LEN]; /* "": none is kept */
	struct ipaddr nexthop[2];	  /* IPv4, IPv6; IPADDR_NONE: default */
	bool unchanged;			  /* the next hop is bgpd's choice */

	/* state */
	struct bgp_own own[2];
	bool duplicate;	   /* another VRF's map has this name */
	uint32_t conflict; /* a tag that means two things, or 0 */
	enum bgp_map_why why;
	int64_t since_us;
	time_t since_wall;
};

extern int bgp_vrf_cmp(const struct bgp_vrf *a, const struct bgp_vrf *b);
DECLARE_RBTREE_UNIQ(bgp_vrfs, struct bgp_vrf, item, bgp_vrf_cmp);

/* By name. */
extern struct bgp_vrfs_head bgp_vrfs;

/* NULL if nothing is configured for it. */
extern struct bgp_vrf *bgp_vrf_find(const char *name);
extern struct bgp_vrf *bgp_vrf_add(const char *name);
extern void bgp_vrf_del(struct bgp_vrf *vrf);

/* The configuration has changed: decide soon. */
extern void bgp_policy_changed(void);

/*
 * Routes of others than VIPs that are announced with attributes.  Part of its
 * owner's structure, zero at first.
 */
PREDECL_DLIST(bgp_guests);
struct bgp_guest {
	struct bgp_guests_item item;
	bool present;
	char vrf[CLUSTER_VRF_LEN];
	uint32_t tag; /* as configured */
	struct vip_attributes attributes;
	struct bgp_announced announced;
};
/* Adds or changes it. */
extern void bgp_guest_set(struct bgp_guest *guest, const char *vrf,
			  uint32_t tag, const struct vip_attributes *attributes);
extern void bgp_guest_drop(struct bgp_guest *guest);
/*
 * The tag that its routes are to have now; another one later, when bgpd knows
 * that: then a decision follows.  False: not decided yet.
 */
extern bool bgp_guest_tag(const struct bgp_guest *guest, uint32_t *tag);
/* The VRF's map is one that is kept. */
extern bool bgp_policy_kept(const char *vrf);

/*
 * From vip.c.  stale: a VIP came, went, or its configuration has changed.
 * update: before each decision; says how every VIP is announced from now on,
 * in `vip->announced`.  forget: the VIP goes.
 */
extern void bgp_policy_stale(void);
extern void bgp_policy_update(int64_t now_us);
extern void bgp_policy_forget(struct vip *vip);

/* "in-step", ..., "invalid". */
extern const char *bgp_vrf_status(const struct bgp_vrf *vrf);
/* Why the map is not in step, or what else there is to say; "": nothing. */
extern const char *bgp_vrf_why(const struct bgp_vrf *vrf, char *buf, size_t len);

/* The keeper's side. */
extern void bgp_policy_keeper(struct bgp_keeper_view *view);
extern bool bgp_policy_map(const struct bgp_vrf *vrf, struct bgp_map_view *view);

/*
 * The VRFs that have VIPs or are configured, in the order of names: the first
 * behind `last`; NULL: none.  Valid until the next change of the configuration.
 */
extern const char *bgp_policy_vrf_next(const char *last);
/* The next hops in a VRF's map, also in one where none is kept. */
extern void bgp_policy_nexthops(const char *vrf, struct bgp_nexthops *nexthops);
/* What such a map should be: `texts` is empty before. */
extern void bgp_policy_wanted(const char *vrf, struct bgp_texts *texts);
/* VIPs of a VRF, and those that wait for bgpd with their new attributes. */
extern size_t bgp_policy_vips(const char *vrf, size_t *waiting);

/* bgp_nb.c: sends the YANG notification; frees what the last walk has left. */
extern void bgp_notify(const struct bgp_vrf *vrf);
extern void bgp_nb_fini(void);

extern void bgp_cli_init(void);
extern void bgp_show_init(void);
/* bgp_look.c: starts to look whether bgpd has what is announced. */
extern void bgp_look_init(void);
extern void bgp_look_fini(void);

extern void bgp_peers_init(void);
extern void bgp_peers_fini(void);
extern void bgp_policy_init(void);
extern void bgp_policy_fini(void);

#endif /* CLUSTER_BGP_POLICY_H */
