/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub clustering over the control protocol itself, on a network that loses,
 * doubles and reorders: 2 gateways, 3 hubs, 11 edges, each with two links.
 * Included by one file of a program.
 */
#ifndef TESTS_SIM_HC_CTL_H
#define TESTS_SIM_HC_CTL_H

#include <string.h>

#include "../unit/unit.h"

#include "memory.h"

#include "hubcluster/hc_ctl.h"

#include "sim_ctl_node.h"

#define MINUTE	 (60 * SIM_S)
#define GATEWAYS 2
#define HUBS	 3
#define EDGES	 11
#define NODES	 (GATEWAYS + HUBS + EDGES)
#define HUB(n)	 (GATEWAYS + (n))
#define EDGE(n)	 (GATEWAYS + HUBS + (n))
_Static_assert(NODES <= SIM_CTL_NODES, "all of them have a place");

static struct sim_ctl_world *world;
static bool preestablish; /* edges keep sessions with all hubs */
static uint32_t capacity = 100;

/* A node's part in hub clustering. */
static struct party {
	struct sim_ctl_node *node;
	struct hc_ctl *hc;
	struct hc_gateway *gateway;
	struct hc_hub *hub;
	struct hc_edge *edge;
	struct sim_event *wake;
	uint32_t via; /* the hub that the routes use; 0: none */
	uint32_t moves;
	uint32_t lost, lost_guarded; /* hubs; while another one knew it */
	uint64_t left;		     /* hubs, as a gateway saw it */
	bool unnamed[NODES];	     /* hubs, since all are being named */
} parties[NODES];

static inline uint32_t index_of(const struct ctl_id *id)
{
	return id->bytes[CTL_ID_LEN - 1] - 1u;
}

/* As sim_ctl_node.c numbers its nodes. */
static inline struct ctl_id id_of(uint32_t index)
{
	struct ctl_id id = { { 0xaa } };

	id.bytes[CTL_ID_LEN - 1] = (uint8_t)(index + 1);
	return id;
}

static inline struct ctl_id cluster(void)
{
	return id_of(200);
}

/* -- ops -- */

static inline struct ctl *op_ctl(void *arg)
{
	struct party *party = arg;

	return party->node ? party->node->ctl : NULL;
}

static inline int64_t op_now(void *arg)
{
	return sim_ctl_now(world);
}

static inline void op_changed(void *arg);

static inline void wake(void *arg)
{
	struct party *party = arg;
	int64_t next_us;

	sim_clock_cancel(world->clock, &party->wake);
	next_us = hc_node_run(hc_ctl_node(party->hc), sim_ctl_now(world));
	if (next_us != INT64_MAX)
		sim_clock_at(world->clock, next_us, wake, party, &party->wake);
}

static inline void op_changed(void *arg)
{
	struct party *party = arg;

	sim_clock_cancel(world->clock, &party->wake);
	sim_clock_at(world->clock, sim_ctl_now(world), wake, party,
		     &party->wake);
}

static const struct hc_ctl_ops ctl_ops = {
	.ctl = op_ctl,
	.now = op_now,
	.changed = op_changed,
};

static inline bool role_send(void *arg, const struct ctl_id *to,
			     const struct hc_msg *msg)
{
	struct party *party = arg;

	return hc_node_send(hc_ctl_node(party->hc), to, msg);
}

static inline void gateway_event(void *arg, const struct hc_event *event)
{
	struct party *party = arg;

	party->left += event->type == HC_EVENT_LEFT;
}

static const struct hc_gateway_ops gateway_ops = {
	.send = role_send,
	.event = gateway_event,
};

static inline bool hub_accept(void *arg, const struct hc_prefix *prefix)
{
	return true;
}

static inline void hub_sites(void *arg)
{
}

static inline void hub_load(void *arg, struct hc_load *load)
{
	struct party *party = arg;

	*load = (struct hc_load){ .cpu = 1000,
				  .memory = 1000,
				  .tunnels_known = true };
	load->tunnels = (uint32_t)hc_hub_tunnels(party->hub);
}

static inline void hub_renew(void *arg, const struct ctl_id *gateway)
{
	struct party *party = arg;

	hc_ctl_renew(party->hc, gateway);
}

static const struct hc_hub_ops hub_ops = {
	.send = role_send,
	.accept = hub_accept,
	.sites = hub_sites,
	.load = hub_load,
	.renew = hub_renew,
};

static inline void edge_connect(void *arg, const struct hc_where *where)
{
	struct party *party = arg;
	uint32_t hub = index_of(&where->hub);

	for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
		if (!party->node->dials[hub][link])
			sim_ctl_dial(party->node, hub, link);
	hc_node_want(hc_ctl_node(party->hc), &where->hub);
}

static inline void edge_disconnect(void *arg, const struct ctl_id *hub)
{
	struct party *party = arg;

	for (unsigned int link = 0;
	     party->node && !preestablish && link < SIM_CTL_LINKS; link++)
		ctl_dial_free(&party->node->dials[index_of(hub)][link],
			      sim_ctl_now(world));
}

static inline void edge_place(void *arg, const struct hc_where *where)
{
	struct party *party = arg;
	uint32_t hub = index_of(&where->hub);

	party->unnamed[hub] = false;
	for (unsigned int link = 0; preestablish && link < SIM_CTL_LINKS; link++)
		if (where->addresses.n && !party->node->dials[hub][link])
			sim_ctl_dial(party->node, hub, link);
}

static inline void edge_places(void *arg, bool begin)
{
	struct party *party = arg;

	for (uint32_t hub = HUB(0); hub < HUB(HUBS); hub++) {
		if (!begin && party->unnamed[hub] && hub != party->via)
			for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
				ctl_dial_free(&party->node->dials[hub][link],
					      sim_ctl_now(world));
		party->unnamed[hub] = begin;
	}
}

static inline void edge_routes(void *arg, const struct hc_addresses *via)
{
	struct party *party = arg;
	struct hc_edge_self_view view;

	if (!via && party->edge) {
		hc_edge_self_view(party->edge, &view);
		party->lost++;
		/* The gateway may have been quicker, and has told it. */
		party->lost_guarded += view.guarded ||
				       !ctl_id_is_null(&view.target.hub);
	}
	party->via = via ? ntohl(via->list[0].ipaddr_v4.s_addr) & 0xff : 0;
}

static inline void edge_event(void *arg, const struct hc_edge_event *event)
{
	struct party *party = arg;

	party->moves += event->type == HC_EDGE_MOVED &&
			!ctl_id_is_null(&event->from);
}

static inline int64_t edge_quiet_at(void *arg, const struct ctl_id *hub)
{
	struct party *party = arg;

	return hc_ctl_quiet_at(party->hc, hub);
}

static const struct hc_edge_ops edge_ops = {
	.send = role_send,
	.connect = edge_connect,
	.disconnect = edge_disconnect,
	.place = edge_place,
	.places = edge_places,
	.quiet_at = edge_quiet_at,
	.routes = edge_routes,
	.event = edge_event,
};

/* -- nodes -- */

static inline void make_roles(struct party *party, uint32_t index)
{
	struct hc_cluster_config gateway;
	struct hc_hub_config hub;
	struct hc_edge_config edge;
	int64_t now_us = sim_ctl_now(world);

	if (index < GATEWAYS) {
		hc_cluster_config_default(&gateway);
		gateway.id = cluster();
		party->gateway = hc_gateway_new(&gateway_ops, party);
		hc_gateway_cluster_set(party->gateway, &gateway, now_us);
	} else if (index < EDGE(0)) {
		hc_hub_config_default(&hub);
		hub.cluster = cluster();
		hub.capacity = capacity;
		hub.addresses.n = 1;
		hub.addresses.list[0] = addr("192.0.2.1");
		hub.tunnel.n = 1;
		hub.tunnel.list[0] = addr("10.9.0.0");
		hub.tunnel.list[0].ipaddr_v4.s_addr |= htonl(index);
		party->hub = hc_hub_new(&hub_ops, party, &hub, now_us);
	} else {
		hc_edge_config_default(&edge);
		edge.cluster = cluster();
		edge.preestablish = preestablish;
		party->edge = hc_edge_new(&edge_ops, party, &edge, now_us);
	}
	hc_node_roles(hc_ctl_node(party->hc), party->gateway, party->hub,
		      party->edge, now_us);
}

/* The protocol's node has been made: before its first session. */
static inline void started(struct sim_ctl_node *node)
{
	struct party *party = &parties[node->index];

	memset(party, 0, sizeof(*party));
	party->node = node;
	party->hc = hc_ctl_new(&ctl_ops, party, "node");
	assert_true(ctl_register(node->ctl, hc_ctl_capability(party->hc)));
	make_roles(party, node->index);
}

static inline void start(uint32_t index)
{
	sim_ctl_start(world, index);
	for (uint32_t gateway = 0; index >= GATEWAYS && gateway < GATEWAYS;
	     gateway++)
		for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
			sim_ctl_dial(&world->nodes[index], gateway, link);
	op_changed(&parties[index]);
}

static inline void roles_free(uint32_t index)
{
	struct party *party = &parties[index];

	sim_clock_cancel(world->clock, &party->wake);
	/* Its last words go nowhere: the protocol is off already. */
	party->node = NULL;
	hc_edge_free(&party->edge);
	hc_gateway_free(&party->gateway);
	hc_hub_free(&party->hub);
	hc_ctl_free(&party->hc);
}

static inline void end_node(uint32_t index, bool clean)
{
	struct sim_ctl_node *node = &world->nodes[index];

	if (!node->ctl)
		return;
	if (clean)
		ctl_stop(node->ctl, sim_ctl_now(world));
	sim_ctl_kill(node);
	roles_free(index);
}

static inline void begin(uint64_t seed, bool bad)
{
	world = sim_ctl_world_new(seed);
	world->started = started;
	*sim_net_default(world->net) = (struct sim_path){
		.loss_ppm = bad ? 100000 : 0,
		.double_ppm = bad ? 100000 : 0,
		.delay_us = 5 * SIM_MS,
		.jitter_us = bad ? 50 * SIM_MS : SIM_MS,
	};
}

static inline bool served(void)
{
	for (uint32_t i = EDGE(0); i < NODES; i++)
		if (parties[i].hc &&
		    (!parties[i].via || !world->nodes[parties[i].via].ctl))
			return false;
	return true;
}

static inline void start_all(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		start(i);
	sim_ctl_run(world, 30 * SIM_S);
	assert_true(served());
}

static inline uint32_t moves(void)
{
	uint32_t n = 0;

	for (uint32_t i = EDGE(0); i < NODES; i++)
		n += parties[i].moves;
	return n;
}

static inline void end(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		end_node(i, false);
	sim_ctl_world_free(&world);
}

static inline int64_t until_served(int64_t most_us)
{
	int64_t start_us = sim_ctl_now(world);

	while (!served() && sim_ctl_now(world) - start_us < most_us)
		sim_ctl_run(world, 5 * SIM_MS);
	assert_true(served());
	return sim_ctl_now(world) - start_us;
}

/* A hub that carries somebody. */
static inline uint32_t some_hub(void)
{
	return parties[EDGE(0)].via;
}

#endif /* TESTS_SIM_HC_CTL_H */
