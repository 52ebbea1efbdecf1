/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gateways, hubs and edges of one cluster in virtual time.
 *
 * Nodes are numbers: gateways first, then hubs, then edges.  Sessions are
 * what the control protocol promises, without its datagrams (tests/sim/sim_ctl.c
 * is about those): messages come late, in order and once; who is silent is
 * noticed after 7.0 to 7.2 s, a goodbye at once, a session that is wanted comes
 * up after a while.
 *
 * The world checks all the time what must always hold; what doesn't is counted
 * in `broken`, with a text.
 */
#ifndef TESTS_SIM_HC_WORLD_H
#define TESTS_SIM_HC_WORLD_H

#include "hubcluster/hc_node.h"

#include "sim_clock.h"

#define HCW_GATEWAYS 2
#define HCW_HUBS     10
#define HCW_INFRA    (HCW_GATEWAYS + HCW_HUBS)

struct hcw;

/* A session of an infrastructure node and another node. */
struct hcw_session {
	struct hcw *world;
	uint32_t a, b; /* a < b, a < HCW_INFRA */
	bool wanted;   /* somebody dials */
	bool up;
	bool cut; /* nothing passes */
	uint32_t generation;
	int64_t last_us[2]; /* of the last delivery to a, to b: order */
	struct sim_event *dial, *dead;
	struct hcw_message *held[2]; /* while it is cut */
};

struct hcw_node {
	struct hcw *world;
	uint32_t index;
	struct ctl_id id;
	struct hc_node *node; /* NULL: it is down */
	struct hc_gateway *gateway;
	struct hc_hub *hub;
	struct hc_edge *edge;
	struct sim_event *wake;
	bool dying;
	bool newer; /* it says more than this version knows */
	/* hubs: what they report; the sites that they carry */
	struct hc_load load;
	bool load_follows; /* tunnels are the edges that are attached */
	size_t sites;
	uint32_t plans;
	/* edges */
	uint32_t hub_now; /* whose tunnel the routes use; 0: none */
	int64_t since_us; /* that; or of being without */
	int64_t worst_us; /* the longest time without, when one was to be had */
	uint32_t moves, moves_by[64];
	uint32_t places;	 /* that it was told */
	struct ctl_id auto_from; /* auto-rebalance moved it away from there */
	int64_t auto_from_us;
	/* hubs: edges that route via them */
	uint32_t carried;
};

struct hcw {
	struct sim_clock *clock;
	struct sim_random random;
	uint32_t n_hubs, n_edges, n_nodes;
	struct hc_cluster_config cluster;
	struct hc_hub_config hub;
	struct hc_edge_config edge;
	int64_t delay_us, jitter_us;
	struct hcw_node *nodes;
	struct hcw_session **sessions[HCW_INFRA];
	int64_t bulk_us[HCW_GATEWAYS], auto_us[HCW_GATEWAYS];
	uint64_t bulks, autos, moved, messages, ignored, nothing;
	uint64_t joined, left, refused, differs, same_asn, lost, back;
	bool deny_all; /* the hubs' accept list */
	unsigned int broken;
};

/* Nodes are made but not started. */
extern struct hcw *hcw_new(uint64_t seed, uint32_t n_hubs, uint32_t n_edges);
extern void hcw_free(struct hcw **world);
extern int64_t hcw_now(const struct hcw *world);
extern void hcw_run(struct hcw *world, int64_t for_us);

extern uint32_t hcw_hub(uint32_t number); /* from 0 */
extern uint32_t hcw_edge(const struct hcw *world, uint32_t number);

extern void hcw_start(struct hcw *world, uint32_t index);
extern void hcw_start_all(struct hcw *world);
extern void hcw_kill(struct hcw *world, uint32_t index); /* without a word */
extern void hcw_stop(struct hcw *world, uint32_t index); /* in good order */
extern void hcw_cut(struct hcw *world, uint32_t a, uint32_t b, bool cut);
/* A hub's routes; a cluster's configuration on one gateway; a drain. */
extern void hcw_routes(struct hcw *world, uint32_t hub, uint32_t routes);
extern void hcw_configure(struct hcw *world, uint32_t gateway);
extern void hcw_drain(struct hcw *world, uint32_t hub, bool drain);

/* All edges have a hub that is alive. */
extern bool hcw_all_served(const struct hcw *world);
extern uint32_t hcw_moves(const struct hcw *world); /* of all edges, so far */
extern void hcw_count(const struct hcw *world, uint32_t counts[HCW_HUBS]);

#endif /* TESTS_SIM_HC_WORLD_H */
