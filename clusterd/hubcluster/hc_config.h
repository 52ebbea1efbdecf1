/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configured parts in hub clustering: the clusters that this node is a
 * gateway of, the hub and the edge that it is (pure).
 *
 * The northbound writes the configuration fields and calls hcd_changed(); the
 * runtime (hc_daemon.c) makes what runs follow, once for a transaction, and is
 * the one writer of the state fields.
 */
#ifndef HC_CONFIG_H
#define HC_CONFIG_H

#include "typesafe.h"

#include "core/accept_list.h"
#include "core/cluster_route.h"
#include "hubcluster/hc_measure.h"
#include "hubcluster/hc_node.h"

#define HCD_NAME_LEN	     64 /* CLUSTER_NAME_LEN */
#define HCD_PATTERN_LEN	     64
#define HCD_COMMAND_LEN	     256
#define HCD_COMMUNITY_LEN    11 /* "65535:65535" */
#define HCD_WHY_LEN	     192
#define HCD_EDGE_ROUTES_MAX  256
#define HCD_DEFAULT_VRF	     "default"
#define HCD_DEFAULT_TAG	     86
#define HCD_DEFAULT_DISTANCE 1
#define HCD_COMMAND_MS	     5000 /* of commands, if none is configured */

/* What a route is given to zebra with. */
struct hcd_route {
	uint32_t tag, metric;
	uint8_t distance;
};

PREDECL_RBTREE_UNIQ(hcd_clusters);

/* `cluster hub-cluster NAME` */
struct hcd_cluster {
	struct hcd_clusters_item item;
	char name[HCD_NAME_LEN];
	/* Configuration; of `config` not `name`, which is the runtime's. */
	struct hc_cluster_config config; /* `id` null: none is configured */
	bool shutdown;
	/* State: why hc_gateway doesn't have it, by its ID; "": it does */
	char why[HCD_WHY_LEN];
};

enum hcd_source_type {
	HCD_SESSIONS, /* edges that are attached */
	HCD_INTERFACES,
	HCD_COMMAND,
	HCD_FIXED,
};

/* `cluster hub` */
struct hcd_hub {
	/* Configuration; `config.cluster` null: none is configured. */
	struct hc_hub_config config;
	bool shutdown;
	enum hcd_source_type source;
	char pattern[HCD_PATTERN_LEN]; /* HCD_INTERFACES: of their names */
	char command[HCD_COMMAND_LEN]; /* HCD_COMMAND: path and arguments */
	uint32_t command_ms;
	uint32_t fixed; /* HCD_FIXED */
	char vrf[CLUSTER_VRF_LEN];
	uint32_t community;		      /* uplink; 0: none */
	uint32_t exclude_tag;		      /* of learned routes; 0: none */
	char accept[2][ACCEPT_LIST_NAME_LEN]; /* IPv4, IPv6; "": none */
	struct hcd_route sites;		      /* `tag`: without community */
	/* State: why it doesn't run; "": it does */
	char why[HCD_WHY_LEN];
};

/* `cluster edge` */
struct hcd_edge {
	/* Configuration; `config.cluster` null: none is configured. */
	struct hc_edge_config config;
	bool shutdown;
	char vrf[CLUSTER_VRF_LEN];
	size_t n_routes;
	struct hc_prefix routes[HCD_EDGE_ROUTES_MAX];
	struct hcd_route route;
	char command[HCD_COMMAND_LEN]; /* `tunnel action`; "": route */
	char tunnel_vrf[CLUSTER_VRF_LEN];
	/* State: why it doesn't run; "": it does */
	char why[HCD_WHY_LEN];
};

extern int hcd_cluster_cmp(const struct hcd_cluster *a,
			   const struct hcd_cluster *b);
DECLARE_RBTREE_UNIQ(hcd_clusters, struct hcd_cluster, item, hcd_cluster_cmp);

/* By name. */
extern struct hcd_clusters_head hcd_clusters;

/* As they are before anything is configured. */
extern void hcd_cluster_default(struct hcd_cluster *cluster);
extern void hcd_hub_default(struct hcd_hub *hub);
extern void hcd_edge_default(struct hcd_edge *edge);

/* NULL: there is none. */
extern struct hcd_cluster *hcd_cluster_find(const char *name);
extern struct hcd_cluster *hcd_cluster_add(const char *name);
extern void hcd_cluster_del(struct hcd_cluster *cluster);

/* The one that is configured, or NULL; with defaults when added. */
extern struct hcd_hub *hcd_hub(void);
extern struct hcd_hub *hcd_hub_add(void);
extern void hcd_hub_del(void);
extern struct hcd_edge *hcd_edge(void);
extern struct hcd_edge *hcd_edge_add(void);
extern void hcd_edge_del(void);

/* The configuration has changed: what runs follows soon (hc_daemon.c). */
extern void hcd_changed(void);
/*
 * Whether it can run: sets `why`.  `control`: the control protocol is on.  Of
 * two clusters with one ID the first by name runs.
 */
extern void hcd_cluster_judge(struct hcd_cluster *cluster, bool control);
/* This node is a gateway of the cluster; those configured have been judged. */
extern bool hcd_cluster_runs(const struct ctl_id *id);
extern void hcd_hub_judge(struct hcd_hub *hub, bool control);
/* `listens`: the control protocol has a socket in `tunnel_vrf`. */
extern void hcd_edge_judge(struct hcd_edge *edge, bool control, bool listens);

/* Frees all that is configured. */
extern void hcd_config_fini(void);

/*
 * Members of leaf-lists, kept in order.  Adding does nothing when it is there,
 * nor when there is no room, which the model sees to.
 */
extern void hcd_addresses_add(struct hc_addresses *list,
			      const struct ipaddr *addr);
extern void hcd_addresses_del(struct hc_addresses *list,
			      const struct ipaddr *addr);
extern void hcd_members_add(struct hc_cluster_config *config,
			    const struct ctl_id *hub);
extern void hcd_members_del(struct hc_cluster_config *config,
			    const struct ctl_id *hub);
extern void hcd_sites_add(struct hc_edge_config *config,
			  const struct hc_prefix *prefix);
extern void hcd_sites_del(struct hc_edge_config *config,
			  const struct hc_prefix *prefix);
extern void hcd_routes_add(struct hcd_edge *edge,
			   const struct hc_prefix *prefix);
extern void hcd_routes_del(struct hcd_edge *edge,
			   const struct hc_prefix *prefix);
/* Adds or changes. */
extern void hcd_preference_set(struct hc_edge_config *config,
			       const struct ctl_id *gateway, uint8_t preference);
extern void hcd_preference_del(struct hc_edge_config *config,
			       const struct ctl_id *gateway);

#endif /* HC_CONFIG_H */
