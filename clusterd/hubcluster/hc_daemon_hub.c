// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hub that this node is: edges' site prefixes become routes, with the
 * uplink community, if one is configured, by the tag that bgpd's route-map
 * knows (vip/bgp_policy.h).
 *
 * What an edge that has moved to another hub had here goes in three steps, so
 * that no packet is lost: announced until the other hub's announcement is there,
 * then there without being announced, since neighbours send here until they have
 * heard of it.
 */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/accept_list.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "hubcluster/hc_daemon_private.h"
#include "track/track_decide.h"
#include "vip/bgp_policy.h"

DEFINE_MTYPE_STATIC(CLUSTERD, HCD_SITE, "Hub's route to a site");

PREDECL_RBTREE_UNIQ(told_sites);

static struct hc_hub *hub;
static struct bgp_guest guest;
static bool sites_changed, accept_changed; /* all of them */
static uint64_t contests_over;		   /* as of the last look at all */
static struct hcd_route with;		   /* what the routes have now */

struct hc_hub *hcd_hub_running(void)
{
	return hub;
}

/* -- ops -- */

static bool op_accept(void *arg, const struct hc_prefix *prefix)
{
	const struct hcd_hub *config = hcd_hub();
	struct prefix p;
	const char *list;

	if (!config)
		return false;
	list = config->accept[!IS_IPADDR_V4(&prefix->addr)];
	cluster_prefix(&p, &prefix->addr, prefix->len);
	return list[0] && !track_prefix_flaw(&p) &&
	       accept_list_permits_prefix(list, &prefix->addr, prefix->len);
}

static void op_sites(void *arg)
{
	cluster_sched_decide();
}

static void op_load(void *arg, struct hc_load *load)
{
	hcd_measure_load(load, cluster_now_us());
}

static void op_renew(void *arg, const struct ctl_id *gateway)
{
	hcd_renew(gateway);
}

static const struct hc_hub_ops hub_ops = {
	.send = hcd_send,
	.accept = op_accept,
	.sites = op_sites,
	.load = op_load,
	.renew = op_renew,
};

/* -- routes of sites -- */

/*
 * No entry of a route-map that clusterd keeps matches it, nor does any tag that
 * it derives have such an end: bgpd withdraws the route, zebra keeps it.
 */
#define LEAVING_TAG (VIP_TAG_DERIVED | 0xa)

/* A route that zebra was told of, and whose next hop is watched. */
struct told_site {
	struct told_sites_item item;
	struct hc_prefix prefix;
	struct ipaddr nexthop;
};

static int told_cmp(const struct told_site *a, const struct told_site *b)
{
	return hc_prefix_cmp(&a->prefix, &b->prefix);
}
DECLARE_RBTREE_UNIQ(told_sites, struct told_site, item, told_cmp);

static struct told_sites_head told = INIT_RBTREE_UNIQ(told);
static char told_vrf[CLUSTER_VRF_LEN];

static struct told_site *told_find(const struct hc_prefix *prefix)
{
	struct told_site ref = { .prefix = *prefix };

	return told_sites_find(&told, &ref);
}

/* The new next hop first: what stays isn't let go of. */
static void told_set(const struct hc_site_route *site)
{
	struct told_site *old = told_find(&site->prefix);

	if (old && !ipaddr_cmp(&old->nexthop, &site->nexthop))
		return;
	cluster_zebra_nexthop_get(told_vrf, &site->nexthop);
	if (old) {
		cluster_zebra_nexthop_put(told_vrf, &old->nexthop);
	} else {
		old = XCALLOC(MTYPE_HCD_SITE, sizeof(*old));
		old->prefix = site->prefix;
		told_sites_add(&told, old);
	}
	old->nexthop = site->nexthop;
}

static void site_drop(struct told_site *site)
{
	struct cluster_route_key key;

	cluster_route_prefix(&key, told_vrf, &site->prefix.addr,
			     site->prefix.len);
	cluster_zebra_route_unwant(CLUSTER_OWNER_HUB, &key);
	cluster_zebra_nexthop_put(told_vrf, &site->nexthop);
	told_sites_del(&told, site);
	XFREE(MTYPE_HCD_SITE, site);
}

static void sites_drop(void)
{
	struct told_site *site;

	while ((site = told_sites_first(&told)))
		site_drop(site);
	cluster_zebra_routes_flush();
}

static void site_put(void *arg, const struct hc_site_route *site)
{
	struct cluster_nexthop hop = { .gate = site->nexthop, .weight = 1 };
	struct cluster_route route = {
		.tag = site->leaving ? LEAVING_TAG : with.tag,
		.metric = with.metric,
		.distance = with.distance,
		.n_nexthops = 1,
		.nexthops = &hop,
	};

	told_set(site);
	cluster_route_prefix(&route.key, told_vrf, &site->prefix.addr,
			     site->prefix.len);
	cluster_zebra_route_want(CLUSTER_OWNER_HUB, &route);
}

/* The route of a prefix is as the hub says now. */
static void site_follow(const struct hc_prefix *prefix)
{
	struct told_site *old = told_find(prefix);
	struct hc_site_route site;

	if (hc_hub_site(hub, prefix, &site))
		site_put(NULL, &site);
	else if (old)
		site_drop(old);
}

/* All of which the hub has no more; what stays isn't touched. */
static void sites_gone(void)
{
	struct hc_site_route route;
	struct told_site *site;

	frr_each_safe (told_sites, &told, site)
		if (!hc_hub_site(hub, &site->prefix, &route))
			site_drop(site);
}

/* What has changed since. */
static void sites_follow(void)
{
	struct hc_prefix prefix;

	while (hc_hub_site_changed(hub, &prefix))
		site_follow(&prefix);
	cluster_zebra_routes_flush();
}

/* All: they have another tag, or another one has given up a prefix. */
static void sites_put(void)
{
	if (strcmp(told_vrf, hcd_hub()->vrf))
		sites_drop();
	strlcpy(told_vrf, hcd_hub()->vrf, sizeof(told_vrf));
	hc_hub_sites(hub, site_put, NULL);
}

/* What the routes are to have; false: bgpd's side is not decided yet. */
static bool with_update(const struct hcd_hub *config)
{
	struct hcd_route now = config->sites;

	if (!bgp_guest_tag(&guest, &now.tag))
		return false;
	if (now.tag != with.tag || now.metric != with.metric ||
	    now.distance != with.distance)
		sites_changed = true;
	with = now;
	return true;
}

void hcd_hub_decide(int64_t now_us)
{
	const struct hcd_hub *config = hcd_hub();

	if (!hub || !config)
		return;
	if (accept_changed) {
		accept_changed = false;
		hc_hub_accept_changed(hub);
		hcd_run_soon();
	}
	if (!with_update(config))
		return;
	if (hc_hub_sites_all_changed(hub)) {
		sites_gone();
		sites_changed = true;
	}
	if (sites_changed || contests_over != cluster_zebra_contests_over()) {
		sites_changed = false;
		contests_over = cluster_zebra_contests_over();
		sites_put();
	}
	sites_follow();
}

void hcd_hub_accept_changed(void)
{
	if (!hub)
		return;
	accept_changed = true;
	cluster_sched_decide();
}

enum cluster_route_status hcd_site_status(const struct hc_prefix *prefix,
					  int64_t *since_us)
{
	struct cluster_route_key key;

	if (!hcd_hub())
		return CLUSTER_ROUTE_UNWANTED;
	cluster_route_prefix(&key, hcd_hub()->vrf, &prefix->addr, prefix->len);
	return cluster_zebra_route_status(CLUSTER_OWNER_HUB, &key, since_us);
}

const char *hcd_hub_advice(void)
{
	const struct hcd_hub *config = hcd_hub();

	if (!config || !hub)
		return "";
	if (hcd_cluster_runs(&config->config.cluster))
		return "this node is a gateway of the cluster, too, and has no session with itself: as a gateway it gives its edges other hubs only";
	if (config->community && !bgp_policy_kept(config->vrf))
		return "no `cluster bgp` route-map is kept for the VRF: routes of sites have the uplink community's tag, but nothing sets the community";
	if (config->community && !config->exclude_tag)
		return "no `learned-routes exclude tag`: sites of other hubs count as learned routes and may hide that they are lost";
	if (!config->accept[0][0] && !config->accept[1][0])
		return "no `site-prefixes` prefix-list: no prefix of a site is accepted";
	return "";
}

/* -- what runs -- */

static void guest_follow(const struct hcd_hub *config)
{
	struct vip_attributes attributes = {};

	/* Without one the kept map lets the routes pass by their tag. */
	if (config->community)
		vip_community_add(&attributes, config->community);
	bgp_guest_set(&guest, config->vrf, config->sites.tag, &attributes);
}

void hcd_hub_follow(bool control, int64_t now_us)
{
	struct hcd_hub *config = hcd_hub();
	char before[HCD_WHY_LEN];

	if (config) {
		strlcpy(before, config->why, sizeof(before));
		hcd_hub_judge(config, control);
		hcd_log_part("hub", "", before, config->why);
	}
	if (!config || config->why[0]) {
		hcd_hub_stop();
		return;
	}
	guest_follow(config);
	hcd_measure_follow(config);
	sites_changed = accept_changed = true;
	if (hub) {
		hc_hub_config_set(hub, &config->config, now_us);
		return;
	}
	hub = hc_hub_new(&hub_ops, NULL, &config->config, now_us);
	hcd_roles_tell();
}

void hcd_hub_stop(void)
{
	struct hc_hub *old = hub;

	if (!old)
		return;
	hub = NULL;
	hcd_roles_tell();
	hc_hub_free(&old);
	hcd_measure_follow(NULL);
	sites_drop();
	bgp_guest_drop(&guest);
}
