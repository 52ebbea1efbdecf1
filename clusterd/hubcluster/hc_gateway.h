/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gateway of hub clusters: watches the hubs, answers the edges' question
 * which hub is theirs, and moves edges (pure: messages leave through ops).
 *
 * Parts:
 *	hc_gateway	clusters; what comes from hubs and edges
 *	hc_places	where hubs are, and the standby of each edge
 *	hc_rebalance	what a gateway does by itself: drain, route loss, fair
 *			redistribution, auto-rebalance
 *	hc_decide	where edges go, and why: functions
 *
 * Which hubs are alive is the control protocol's business: a hub is in the
 * list from its message to the end of its session, by silence or by a goodbye.
 * Then its edges are assigned to others at once, whatever else is held.
 *
 * Several gateways don't know each other.  Each has told every edge a hub; an
 * edge follows the one that it prefers, and tells all of them where it is and
 * whom it prefers.  A gateway that an edge doesn't prefer moves it only when
 * the hub that it was told is no longer there: what it was told is what the
 * edge falls back on.
 *
 * After its start a gateway waits for the hubs to come: until then (all that
 * are configured are there, or the settle time is over) an edge is told only
 * to keep its hub; otherwise the first hub to come would get everybody.
 *
 * Spec: hub-cluster.md.
 */
#ifndef HC_GATEWAY_H
#define HC_GATEWAY_H

#include "hubcluster/hc_codec.h"
#include "hubcluster/hc_decide.h"

struct hc_gateway;

#define HC_CLUSTERS_MAX 64
#define HC_EDGES_MAX	16384 /* of a gateway */

enum hc_reaction {
	HC_PERIODIC,  /* to a loss of routes: when all have reported again */
	HC_IMMEDIATE, /* after a short hold */
};

struct hc_cluster_config {
	struct ctl_id id;
	char name[HC_TEXT_LEN];
	struct hc_rules rules;
	bool auto_rebalance;
	enum hc_reaction reaction;
	/* milliseconds */
	uint32_t settle_ms;
	uint32_t bulk_hold_ms;	   /* between bulk moves */
	uint32_t auto_interval_ms; /* between moves of auto-rebalance */
	uint32_t auto_hold_ms;	   /* until an edge may return */
	uint32_t loss_delay_ms;	   /* HC_PERIODIC */
	uint32_t loss_hold_ms;	   /* HC_IMMEDIATE */
	/* Who may be a hub of it; none: everybody who says so. */
	uint8_t n_members;
	struct ctl_id members[HC_HUBS_MAX];
};
/* All but ID, name and members. */
extern void hc_cluster_config_default(struct hc_cluster_config *config);

/* For logs and notifications. */
enum hc_event_type {
	HC_EVENT_JOINED,   /* hub */
	HC_EVENT_LEFT,	   /* hub, why */
	HC_EVENT_REFUSED,  /* hub: not of this cluster, or too many */
	HC_EVENT_DIFFERS,  /* hub: capacity or model unlike the others' */
	HC_EVENT_SAME_ASN, /* hub, from: both have one AS number */
	HC_EVENT_LOST,	   /* hub: its routes */
	HC_EVENT_BACK,	   /* hub: it has them again */
	HC_EVENT_MOVED,	   /* edge, from (or null), hub, why */
	HC_EVENT_BULK,	   /* why, count of edges */
	HC_EVENT_NOTHING,  /* unfair, but all edges are where they belong */
};

struct hc_event {
	enum hc_event_type type;
	struct ctl_id cluster, hub, edge, from;
	enum hc_why why;
	size_t count;
};

struct hc_gateway_ops {
	/* False if there is no session, or no room (full state follows). */
	bool (*send)(void *arg, const struct ctl_id *to,
		     const struct hc_msg *msg);
	void (*event)(void *arg, const struct hc_event *event);
};

extern struct hc_gateway *hc_gateway_new(const struct hc_gateway_ops *ops,
					 void *arg);
extern void hc_gateway_free(struct hc_gateway **gw);

/*
 * Adds or changes a cluster.  False: too many.  After adding one the owner
 * calls hc_node_announce(), so that its hubs and edges speak.
 */
extern bool hc_gateway_cluster_set(struct hc_gateway *gw,
				   const struct hc_cluster_config *config,
				   int64_t now_us);
extern void hc_gateway_cluster_del(struct hc_gateway *gw,
				   const struct ctl_id *id);

/* A hub's, a report's or an edge's message; others are ignored. */
extern void hc_gateway_receive(struct hc_gateway *gw, const struct ctl_id *from,
			       const struct hc_msg *msg, int64_t now_us);
/*
 * A node doesn't play these roles any more, HC_ROLES: the session with it has
 * ended; `clean`: by its word.
 */
extern void hc_gateway_down(struct hc_gateway *gw, const struct ctl_id *peer,
			    uint8_t roles, bool clean, int64_t now_us);
/* Says everything again that the node must know. */
extern void hc_gateway_full_state(struct hc_gateway *gw,
				  const struct ctl_id *peer);
/* Its full state begins, or has ended: it is an edge of what it has named. */
extern void hc_gateway_sync(struct hc_gateway *gw, const struct ctl_id *peer,
			    bool begin, int64_t now_us);
/* Decides; returns when to be called again, INT64_MAX: when something comes. */
extern int64_t hc_gateway_run(struct hc_gateway *gw, int64_t now_us);

/* `cluster move`: HC_OK, or why not. */
extern enum hc_why hc_gateway_move(struct hc_gateway *gw,
				   const struct ctl_id *cluster,
				   const struct ctl_id *edge,
				   const struct ctl_id *hub, int64_t now_us);

/* Views, for show: copies. */
struct hc_cluster_view {
	struct hc_cluster_config config;
	bool settled, auto_active;
	int64_t settle_us;   /* when it will be, if it isn't */
	int64_t bulk_us;     /* no bulk moves until then */
	size_t hubs, edges;  /* alive; connected */
	size_t edges_no_hub; /* connected, and at no hub */
	uint64_t moves, bulks;
};
/* By ID; `after` NULL: the first.  False at the end. */
extern bool hc_gateway_cluster_next(struct hc_gateway *gw,
				    const struct ctl_id *after,
				    struct hc_cluster_view *view);

/* That one; false: there is none. */
extern bool hc_gateway_cluster_get(struct hc_gateway *gw,
				   const struct ctl_id *id,
				   struct hc_cluster_view *view);

struct hc_hub_view {
	struct hc_hub_in in;
	struct hc_msg_hub hub;
	enum hc_why eligible, target; /* HC_OK, or why not */
	bool differs;		      /* capacity or model, from the first */
	int64_t joined_us, report_us, lost_us;
	size_t edges; /* that say that they are there */
};
/* By ID, `index` from 0.  False at the end. */
extern bool hc_gateway_hub_view(struct hc_gateway *gw,
				const struct ctl_id *cluster, size_t index,
				struct hc_hub_view *view);

/* Hubs that were refused: not a member, too many, or of no cluster of ours. */
struct hc_refused {
	struct ctl_id hub, cluster;
	int64_t last_us;
	uint64_t count;
};
#define HC_REFUSED_MAX 8
/* The latest ones; returns how many. */
extern size_t hc_gateway_refused(const struct hc_gateway *gw,
				 struct hc_refused list[HC_REFUSED_MAX]);

struct hc_edge_view {
	struct ctl_id id;
	bool connected, asking, preferred;
	struct ctl_id hub;  /* where it says that it is */
	struct ctl_id told; /* where we told it to be */
	enum hc_why why;    /* it was told that */
	int64_t told_us;
	uint64_t moves;
};
extern bool hc_gateway_edge_next(struct hc_gateway *gw,
				 const struct ctl_id *cluster,
				 const struct ctl_id *after,
				 struct hc_edge_view *view);

#endif /* HC_GATEWAY_H */
