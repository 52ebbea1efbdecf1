/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub clustering in the daemon: what the rest of clusterd sees of it, and what
 * there is to show.
 */
#ifndef HC_DAEMON_H
#define HC_DAEMON_H

#include "hubcluster/hc_config.h"

/* Registers capabilities; after control_init() and vip_init(). */
extern void hcd_init(void);
/* Leaves hubs and edges in order; before vip_fini() and probe_fini(). */
extern void hcd_stop(void);
/* Frees everything; after control_fini(), which has said goodbye. */
extern void hcd_fini(void);

/* Never NULL between init and fini. */
extern struct hc_node *hcd_node(void);
/* What runs; NULL: it doesn't. */
extern struct hc_gateway *hcd_gateway(void);
extern struct hc_hub *hcd_hub_running(void);
extern struct hc_edge *hcd_edge_running(void);

/*
 * `cluster move`: HC_OK, or why not.  HC_WHY_NO_CLUSTER also for a cluster that
 * isn't running.
 */
extern enum hc_why hcd_move(const struct hcd_cluster *cluster,
			    const struct ctl_id *edge, const struct ctl_id *hub);

/* The cluster of that ID that runs, or NULL. */
extern struct hcd_cluster *hcd_cluster_by_id(const struct ctl_id *id);

/* Once, at start: who sends notifications of events. */
extern void hcd_on_gateway_event(void (*fn)(const struct hc_event *event));
extern void hcd_on_edge_event(void (*fn)(const struct hc_edge_event *event));

/* What a hub measures; what isn't known says so. */
struct hcd_measured {
	uint16_t cpu, memory; /* of the last report interval; HC_LOAD_UNKNOWN */
	struct hc_source tunnels;
	char source_why[HCD_WHY_LEN]; /* why the source failed last; "" */
	bool routes_known;
	uint32_t routes[2]; /* IPv4, IPv6; 0 until known */
};
/* Of a hub that runs. */
extern void hcd_measured(struct hcd_measured *measured);

/* What the operator should do although the hub runs; "": nothing. */
extern const char *hcd_hub_advice(void);

/* What became of a route of an edge or a hub. */
extern enum cluster_route_status hcd_site_status(const struct hc_prefix *prefix,
						 int64_t *since_us);
extern enum cluster_route_status
hcd_edge_route_status(const struct hc_prefix *prefix, int64_t *since_us);

/* There is a session with the node, and it is a hub. */
extern bool hcd_hub_connected(const struct ctl_id *hub);

/* The edge's tunnel command's last word, "" if all is well or there is none. */
extern const char *hcd_tunnel_why(void);

/* Numbers for `show cluster summary`. */
struct hcd_counts {
	size_t clusters, clusters_running; /* of which this is a gateway */
	size_t hubs, edges;		   /* alive hubs, connected edges */
	uint64_t moves, bulks;
	bool hub, hub_running; /* is configured; runs */
	size_t attached;       /* edges at this hub */
	bool edge, edge_running;
	enum hc_edge_state edge_state;
};
extern void hcd_counts(struct hcd_counts *counts);

#endif /* HC_DAEMON_H */
