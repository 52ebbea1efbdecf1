/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a hub share (pure). */
#ifndef HC_HUB_PRIVATE_H
#define HC_HUB_PRIVATE_H

#include "memory.h"
#include "typesafe.h"

#include "hubcluster/hc_hub.h"

DECLARE_MTYPE(HC_CHANGE);

PREDECL_RBTREE_UNIQ(hub_edges);
PREDECL_RBTREE_UNIQ(hub_sites);
PREDECL_RBTREE_UNIQ(hub_leavings);
PREDECL_RBTREE_UNIQ(hub_ends);
PREDECL_RBTREE_UNIQ(hub_changes);

struct hub_edge;

/* A prefix that was accepted: first come, first served. */
struct hub_site {
	struct hub_sites_item item;
	struct hc_prefix prefix;
	struct hub_edge *edge; /* NULL: none, it isn't in the tree */
};

/* An edge's end of its tunnel: nobody else's. */
struct hub_end {
	struct hub_ends_item item;
	struct ipaddr addr;
	struct hub_edge *edge; /* NULL: it isn't in the tree */
};

struct hub_edge {
	struct hub_edges_item item;
	struct ctl_id id;
	struct hc_msg_attach msg;
	int64_t since_us;
	enum hc_site verdicts[HC_PREFIXES_MAX];
	uint8_t told; /* how many are accepted */
	bool stale;   /* not said again since its full state began */
	struct hub_site sites[HC_PREFIXES_MAX];
	struct hub_end ends[HC_ADDRESSES_MAX];
};

static int edge_cmp(const struct hub_edge *a, const struct hub_edge *b)
{
	return ctl_id_cmp(&a->id, &b->id);
}
DECLARE_RBTREE_UNIQ(hub_edges, struct hub_edge, item, edge_cmp);

static int site_cmp(const struct hub_site *a, const struct hub_site *b)
{
	return hc_prefix_cmp(&a->prefix, &b->prefix);
}
DECLARE_RBTREE_UNIQ(hub_sites, struct hub_site, item, site_cmp);

/* Of an edge that has left for another hub; nobody's site meanwhile. */
struct hub_leaving {
	struct hub_leavings_item item;
	struct hc_site_route route;
	int64_t until_us; /* it stays, or is leaving */
};

static int leaving_cmp(const struct hub_leaving *a, const struct hub_leaving *b)
{
	return hc_prefix_cmp(&a->route.prefix, &b->route.prefix);
}
DECLARE_RBTREE_UNIQ(hub_leavings, struct hub_leaving, item, leaving_cmp);

static int end_cmp(const struct hub_end *a, const struct hub_end *b)
{
	return ipaddr_cmp(&a->addr, &b->addr);
}
DECLARE_RBTREE_UNIQ(hub_ends, struct hub_end, item, end_cmp);

/* A prefix whose route isn't as the owner last took it. */
struct hub_change {
	struct hub_changes_item item;
	struct hc_prefix prefix;
};

static int change_cmp(const struct hub_change *a, const struct hub_change *b)
{
	return hc_prefix_cmp(&a->prefix, &b->prefix);
}
DECLARE_RBTREE_UNIQ(hub_changes, struct hub_change, item, change_cmp);

struct hc_hub {
	const struct hc_hub_ops *ops;
	void *arg;
	struct hc_hub_config config;
	struct ctl_id gateways[HC_HUB_GATEWAYS_MAX];
	size_t n_gateways;
	struct hub_edges_head edges;
	size_t n_guarded; /* of them, that have another hub */
	struct hub_sites_head sites;
	size_t n_taken; /* prefixes that wait for another edge's */
	bool freed;	/* some edge's, since these last had their chance */
	struct hub_ends_head ends;
	struct hub_changes_head changes;
	bool all_changed; /* and none is noted */
	struct hub_leavings_head leavings;
	int64_t leaving_us; /* the first of them has to go; INT64_MAX: none */
	bool routes_known;
	uint32_t routes;
	struct hc_load load; /* as reported last */
	/* as all gateways have been told */
	bool told_known;
	uint32_t told_routes;
	int64_t report_us;  /* the next one in its turn */
	int64_t trigger_us; /* one out of turn; 0: none */
	int64_t triggered_us;
	uint64_t reports, triggered, refused;
};

/* hc_hub_view.c: of a site that an edge has. */
extern struct hc_site_route hub_site_route(const struct hub_site *site);

#endif /* HC_HUB_PRIVATE_H */
