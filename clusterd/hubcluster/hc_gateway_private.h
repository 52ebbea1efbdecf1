/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a gateway share (pure). */
#ifndef HC_GATEWAY_PRIVATE_H
#define HC_GATEWAY_PRIVATE_H

#include "typesafe.h"

#include "core/cluster_time.h"
#include "hubcluster/hc_gateway.h"

PREDECL_RBTREE_UNIQ(gw_clusters);
PREDECL_RBTREE_UNIQ(gw_edges);
PREDECL_DLIST(gw_asking);

/* An edge that was told to move has so long to do it. */
#define GW_MOTION_US (30000 * MS_US)
/* Looking at all edges isn't done for every message. */
#define GW_SCAN_US (100 * MS_US)
/* No move by load was possible: look again. */
#define GW_RETRY_US (1000 * MS_US)
/* Reports that show the routes again, before they count as being back. */
#define GW_GOOD_REPORTS 2
#define GW_AVOID_MAX	4

struct gw_hub {
	struct ctl_id id;
	struct hc_msg_hub msg;
	struct hc_msg_report report;
	bool reported;
	int32_t moved;			/* own assignments since the report */
	uint32_t routes, routes_before; /* last known; of the report before */
	bool lost;
	uint8_t good; /* reports in a row since */
	int64_t joined_us, report_us, lost_us;
	size_t edges; /* whose `hub` it is */
};

struct gw_edge {
	struct gw_edges_item item;
	struct gw_asking_item asking_item; /* if it is asking */
	struct ctl_id id;
	bool connected, preferred;
	bool stale;	    /* not said again since its full state began */
	bool asking, waits; /* in which of the lists */
	uint32_t token, sequence;
	struct ctl_id hub; /* where it is; null: nowhere */
	struct ctl_id unreachable[HC_UNREACHABLE_MAX]; /* it says */
	uint8_t n_unreachable;
	struct ctl_id told;	 /* where it was told to be */
	struct ctl_id counted;	 /* where it is in a hub's `moved` */
	struct ctl_id uncounted; /* where it was until it had gone */
	enum hc_why why;
	int64_t told_us;
	int64_t gone_us;
	uint64_t moves;
	bool places;	       /* it is told of all hubs */
	struct ctl_id standby; /* that it was told; null: none */
	struct {
		struct ctl_id hub;
		int64_t until_us;
	} avoid[GW_AVOID_MAX];
};

struct gw_cluster {
	struct gw_clusters_item item;
	struct hc_gateway *gw;
	struct hc_cluster_config config;
	struct gw_hub *hubs[HC_HUBS_MAX]; /* ascending IDs */
	size_t n_hubs;
	struct gw_edges_head edges;
	size_t connected;
	struct gw_asking_head fresh;   /* came since the last decision */
	struct gw_asking_head waiting; /* until there are more hubs */
	bool hubs_changed;
	bool standbys_due; /* of all edges */
	uint64_t eligible; /* hubs, as the standbys were decided on; a bit each */
	bool settled;	   /* never taken back */
	bool auto_active, nothing_said;
	int64_t settle_us, bulk_us, auto_us, scan_us;
	int64_t forget_us; /* the next edge that is gone */
	uint64_t moves, bulks;
};

struct hc_gateway {
	const struct hc_gateway_ops *ops;
	void *arg;
	struct gw_clusters_head clusters;
	size_t n_edges;
	struct hc_refused refused[HC_REFUSED_MAX];
};

static inline int gw_cluster_cmp(const struct gw_cluster *a,
				 const struct gw_cluster *b)
{
	return ctl_id_cmp(&a->config.id, &b->config.id);
}
DECLARE_RBTREE_UNIQ(gw_clusters, struct gw_cluster, item, gw_cluster_cmp);

static inline int gw_edge_cmp(const struct gw_edge *a, const struct gw_edge *b)
{
	return ctl_id_cmp(&a->id, &b->id);
}
DECLARE_RBTREE_UNIQ(gw_edges, struct gw_edge, item, gw_edge_cmp);
DECLARE_DLIST(gw_asking, struct gw_edge, asking_item);

/* hc_gateway.c */
extern struct gw_cluster *gw_cluster_find(struct hc_gateway *gw,
					  const struct ctl_id *id);
/* What the decisions see; `hubs` has room for HC_HUBS_MAX. */
extern void gw_snapshot(const struct gw_cluster *cluster,
			struct hc_hub_in *hubs);
/* The index of a live hub, or HC_NONE. */
extern int gw_hub_find(const struct gw_cluster *cluster,
		       const struct ctl_id *id);
/* Tells the edge; `hub` HC_NONE: none. */
extern void gw_assign(struct gw_cluster *cluster, struct gw_edge *edge, int hub,
		      enum hc_why why, int64_t now_us);
extern void gw_event(struct gw_cluster *cluster, struct hc_event event);

/* hc_members.c */
extern bool gw_member(const struct hc_cluster_config *config,
		      const struct ctl_id *hub);
/* A node that isn't taken as a hub: it is told, and kept for show. */
extern void gw_refuse(struct hc_gateway *gw, const struct ctl_id *cluster,
		      const struct ctl_id *hub, int64_t now_us);
/* Its capacity or model isn't the first hub's. */
extern bool gw_differs(const struct gw_cluster *cluster,
		       const struct gw_hub *hub);
/* Tells what isn't forbidden, but mostly a mistake. */
extern void gw_oddities(struct gw_cluster *cluster, const struct gw_hub *hub);

/* hc_places.c */
/* An edge has said where it is, and whether it is to be told of all hubs. */
extern void gw_places_edge(struct gw_cluster *cluster, struct gw_edge *edge,
			   bool places);
/* Where it would be without the hub that it has; HC_NONE: nowhere else. */
extern int gw_standby(const struct gw_cluster *cluster,
		      const struct hc_hub_in *hubs, const struct gw_edge *edge);
/* It has no session any more. */
extern void gw_places_forget(struct gw_edge *edge);
/* All that it was told, again. */
extern void gw_places_again(struct gw_cluster *cluster, struct gw_edge *edge);
/* A hub has come, or is elsewhere; it has gone. */
extern void gw_places_changed(struct gw_cluster *cluster,
			      const struct gw_hub *hub);
extern void gw_places_gone(struct gw_cluster *cluster, const struct ctl_id *hub);
/* Edges whose standby is another one now are told. */
extern void gw_places_run(struct gw_cluster *cluster);

/* hc_rebalance.c */
/* After a report of `hub`. */
extern void gw_losses(struct gw_cluster *cluster, struct gw_hub *hub,
		      int64_t now_us);
/* What is to be done; returns when to look again. */
extern int64_t gw_rebalance(struct gw_cluster *cluster, int64_t now_us);

#endif /* HC_GATEWAY_PRIVATE_H */
