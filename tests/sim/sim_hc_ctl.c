// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hub clustering over the control protocol itself, on a network that loses,
 * doubles and reorders: 2 gateways, 3 hubs, 11 edges, each with two links.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"

#include "memory.h"

#include "hubcluster/hc_ctl.h"

#include "sim_ctl_node.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

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
} parties[NODES];

static uint32_t index_of(const struct ctl_id *id)
{
	return id->bytes[CTL_ID_LEN - 1] - 1u;
}

/* As sim_ctl_node.c numbers its nodes. */
static struct ctl_id id_of(uint32_t index)
{
	struct ctl_id id = { { 0xaa } };

	id.bytes[CTL_ID_LEN - 1] = (uint8_t)(index + 1);
	return id;
}

static struct ctl_id cluster(void)
{
	return id_of(200);
}

/* -- ops -- */

static struct ctl *op_ctl(void *arg)
{
	struct party *party = arg;

	return party->node ? party->node->ctl : NULL;
}

static int64_t op_now(void *arg)
{
	return sim_ctl_now(world);
}

static void op_changed(void *arg);

static void wake(void *arg)
{
	struct party *party = arg;
	int64_t next_us;

	sim_clock_cancel(world->clock, &party->wake);
	next_us = hc_node_run(hc_ctl_node(party->hc), sim_ctl_now(world));
	if (next_us != INT64_MAX)
		sim_clock_at(world->clock, next_us, wake, party, &party->wake);
}

static void op_changed(void *arg)
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

static bool role_send(void *arg, const struct ctl_id *to,
		      const struct hc_msg *msg)
{
	struct party *party = arg;

	return hc_node_send(hc_ctl_node(party->hc), to, msg);
}

static void gateway_event(void *arg, const struct hc_event *event)
{
	struct party *party = arg;

	party->left += event->type == HC_EVENT_LEFT;
}

static const struct hc_gateway_ops gateway_ops = {
	.send = role_send,
	.event = gateway_event,
};

static bool hub_accept(void *arg, const struct hc_prefix *prefix)
{
	return true;
}

static void hub_sites(void *arg)
{
}

static void hub_load(void *arg, struct hc_load *load)
{
	struct party *party = arg;

	*load = (struct hc_load){ .cpu = 1000,
				  .memory = 1000,
				  .tunnels_known = true };
	load->tunnels = (uint32_t)hc_hub_edges(party->hub);
}

static void hub_renew(void *arg, const struct ctl_id *gateway)
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

static void edge_connect(void *arg, const struct hc_where *where)
{
	struct party *party = arg;
	uint32_t hub = index_of(&where->hub);

	for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
		if (!party->node->dials[hub][link])
			sim_ctl_dial(party->node, hub, link);
	hc_node_want(hc_ctl_node(party->hc), &where->hub);
}

static void edge_disconnect(void *arg, const struct ctl_id *hub)
{
	struct party *party = arg;

	for (unsigned int link = 0;
	     party->node && !preestablish && link < SIM_CTL_LINKS; link++)
		ctl_dial_free(&party->node->dials[index_of(hub)][link],
			      sim_ctl_now(world));
}

static void edge_place(void *arg, const struct hc_where *where)
{
	struct party *party = arg;
	uint32_t hub = index_of(&where->hub);

	for (unsigned int link = 0; preestablish && link < SIM_CTL_LINKS; link++)
		if (where->addresses.n && !party->node->dials[hub][link])
			sim_ctl_dial(party->node, hub, link);
}

static void edge_routes(void *arg, const struct hc_addresses *via)
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

static void edge_event(void *arg, const struct hc_edge_event *event)
{
	struct party *party = arg;

	party->moves += event->type == HC_EDGE_MOVED &&
			!ctl_id_is_null(&event->from);
}

static int64_t edge_quiet_at(void *arg, const struct ctl_id *hub)
{
	struct party *party = arg;

	return hc_ctl_quiet_at(party->hc, hub);
}

static const struct hc_edge_ops edge_ops = {
	.send = role_send,
	.connect = edge_connect,
	.disconnect = edge_disconnect,
	.place = edge_place,
	.quiet_at = edge_quiet_at,
	.routes = edge_routes,
	.event = edge_event,
};

/* -- nodes -- */

static void make_roles(struct party *party, uint32_t index)
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
		hub.capacity = 100;
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
static void started(struct sim_ctl_node *node)
{
	struct party *party = &parties[node->index];

	memset(party, 0, sizeof(*party));
	party->node = node;
	party->hc = hc_ctl_new(&ctl_ops, party, "node");
	assert_true(ctl_register(node->ctl, hc_ctl_capability(party->hc)));
	make_roles(party, node->index);
}

static void start(uint32_t index)
{
	sim_ctl_start(world, index);
	for (uint32_t gateway = 0; index >= GATEWAYS && gateway < GATEWAYS;
	     gateway++)
		for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
			sim_ctl_dial(&world->nodes[index], gateway, link);
	op_changed(&parties[index]);
}

static void roles_free(uint32_t index)
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

static void end_node(uint32_t index, bool clean)
{
	struct sim_ctl_node *node = &world->nodes[index];

	if (!node->ctl)
		return;
	if (clean)
		ctl_stop(node->ctl, sim_ctl_now(world));
	sim_ctl_kill(node);
	roles_free(index);
}

static void begin(uint64_t seed, bool bad)
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

static bool served(void)
{
	for (uint32_t i = EDGE(0); i < NODES; i++)
		if (parties[i].hc &&
		    (!parties[i].via || !world->nodes[parties[i].via].ctl))
			return false;
	return true;
}

static void start_all(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		start(i);
	sim_ctl_run(world, 30 * SIM_S);
	assert_true(served());
}

static uint32_t moves(void)
{
	uint32_t n = 0;

	for (uint32_t i = EDGE(0); i < NODES; i++)
		n += parties[i].moves;
	return n;
}

static void end(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		end_node(i, false);
	sim_ctl_world_free(&world);
}

static int64_t until_served(int64_t most_us)
{
	int64_t start_us = sim_ctl_now(world);

	while (!served() && sim_ctl_now(world) - start_us < most_us)
		sim_ctl_run(world, 5 * SIM_MS);
	assert_true(served());
	return sim_ctl_now(world) - start_us;
}

/* A hub that carries somebody. */
static uint32_t some_hub(void)
{
	return parties[EDGE(0)].via;
}

/* -- tests -- */

/* Nobody is taken for dead, nobody moves; a wall clock's step is nothing. */
static void test_a_bad_network(void **state)
{
	begin(1, true);
	start_all();
	for (int i = 0; i < 6; i++) {
		sim_ctl_run(world, 10 * MINUTE);
		world->wall_us += (i & 1 ? -1 : 1) * i * INT64_C(3600) * SIM_S;
	}
	assert_int_equal(moves(), 0);
	for (uint32_t i = 0; i < GATEWAYS; i++)
		assert_int_equal(parties[i].left, 0);
	assert_true(served());
	for (uint32_t i = 0; i < NODES; i++)
		assert_int_equal(hc_node_malformed(hc_ctl_node(parties[i].hc)),
				 0);
	end();
}

static void test_hub_ends(void **state)
{
	int64_t killed_us, stopped_us;
	uint32_t hub;

	begin(2, true);
	start_all();
	hub = some_hub();
	end_node(hub, false);
	killed_us = until_served(12 * SIM_S);
	assert_between(killed_us, 6 * SIM_S, 10 * SIM_S);
	/* It is back, and takes over again. */
	start(hub);
	sim_ctl_run(world, MINUTE);
	end_node(some_hub(), true);
	stopped_us = until_served(3 * SIM_S);
	assert_true(stopped_us < SIM_S);
	printf("[          ] killed: %lld ms, stopped: %lld ms\n",
	       (long long)killed_us / 1000, (long long)stopped_us / 1000);
	end();
}

/* Timers of 300 and 900 ms, on a good network: less than a second. */
static void test_fast_timers(void **state)
{
	int64_t took_us;

	begin(3, false);
	world->config.timers = (struct ctl_timers){ 300, 900 };
	start_all();
	for (int i = 0; i < 5; i++) {
		uint32_t hub = some_hub();

		end_node(hub, false);
		took_us = until_served(3 * SIM_S);
		printf("[          ] %lld ms\n", (long long)took_us / 1000);
		assert_true(took_us < SIM_S);
		start(hub);
		sim_ctl_run(world, MINUTE);
	}
	end();
}

/* How long 5 deaths of hubs took at most, with the gateways far away. */
static int64_t worst_far_away(void)
{
	int64_t took_us, worst_us = 0;

	begin(7, false);
	world->config.timers = (struct ctl_timers){ 300, 900 };
	sim_net_default(world->net)->delay_us = 25 * SIM_MS;
	start_all();
	for (int i = 0; i < 5; i++) {
		uint32_t hub = some_hub();

		end_node(hub, false);
		took_us = until_served(3 * SIM_S);
		if (took_us > worst_us)
			worst_us = took_us;
		start(hub);
		sim_ctl_run(world, MINUTE);
	}
	end();
	return worst_us;
}

/*
 * On paths of 25 ms: nobody is asked, and with preestablish nobody is called.
 * What is left is the silence of 900 ms, and the attach and its answer.
 */
static void test_preestablish(void **state)
{
	int64_t called_us = worst_far_away(), kept_us;

	preestablish = true;
	kept_us = worst_far_away();
	preestablish = false;
	printf("[          ] called: %lld ms, preestablished: %lld ms\n",
	       (long long)called_us / 1000, (long long)kept_us / 1000);
	assert_true(kept_us < SIM_S);
	assert_true(called_us > kept_us + 90 * SIM_MS);
	assert_true(called_us < 1150 * SIM_MS);
}

static void cut_hub(uint32_t hub, unsigned int link, bool cut)
{
	for (uint32_t i = 0; i < NODES; i++)
		if (i != hub)
			sim_ctl_cut(world, i, hub, link, cut);
}

static void cut_all(uint32_t hub, bool cut)
{
	for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
		cut_hub(hub, link, cut);
}

/* Edges that hubs carry; one that two carry counts twice. */
static size_t attached_all(void)
{
	size_t n = 0;

	for (uint32_t hub = HUB(0); hub < HUB(HUBS); hub++)
		if (parties[hub].hub)
			n += hc_hub_edges(parties[hub].hub);
	return n;
}

/* Edges whose routes use a hub. */
static size_t routed_by(uint32_t hub)
{
	size_t n = 0;

	for (uint32_t i = EDGE(0); i < NODES; i++)
		n += parties[i].via == hub;
	return n;
}

/*
 * A hub falls silent: before the end of the dead interval its edges are at their
 * standby as well, and not long before.  They leave it a while after the hub was
 * heard again; when they lose the hub they are there already.
 */
static void test_guard(void **state)
{
	size_t edges, lost = 0;
	uint32_t hub;

	preestablish = true;
	begin(8, false);
	world->config.timers = (struct ctl_timers){ 300, 900 };
	start_all();
	assert_int_equal(attached_all(), EDGES);
	hub = some_hub();
	edges = routed_by(hub);
	assert_true(edges > 0);
	/* What was heard last is up to 300 ms old. */
	cut_all(hub, true);
	sim_ctl_run(world, 440 * SIM_MS);
	assert_int_equal(attached_all(), EDGES);
	sim_ctl_run(world, 150 * SIM_MS);
	assert_int_equal(routed_by(hub), edges);
	assert_true(attached_all() > EDGES);
	cut_all(hub, false);
	sim_ctl_run(world, MINUTE - SIM_S);
	assert_true(attached_all() > EDGES);
	sim_ctl_run(world, 2 * SIM_S);
	assert_int_equal(attached_all(), EDGES);
	assert_int_equal(moves(), 0);
	/* It dies. */
	end_node(hub, false);
	sim_ctl_run(world, 590 * SIM_MS);
	assert_int_equal(routed_by(hub), edges);
	until_served(SIM_S);
	for (uint32_t i = EDGE(0); i < NODES; i++) {
		lost += parties[i].lost;
		assert_int_equal(parties[i].lost, parties[i].lost_guarded);
	}
	/* Or the gateway was quicker, and has moved it. */
	assert_between(lost, 1, edges);
	sim_ctl_run(world, MINUTE);
	assert_int_equal(attached_all(), EDGES);
	end();
	preestablish = false;
}

/* The longest that an edge would wait for a word of its hub, in 5 s. */
static int64_t quiet_most(struct ctl_timers timers)
{
	struct party *party = &parties[EDGE(0)];
	struct ctl_id nobody = id_of(9999), hub;
	int64_t most_us = 0, quiet_us;

	begin(9, false);
	world->config.timers = timers;
	start_all();
	hub = id_of(party->via);
	for (int i = 0; i < 1000; i++) {
		quiet_us = hc_ctl_quiet_at(party->hc, &hub) - sim_ctl_now(world);
		if (quiet_us > most_us)
			most_us = quiet_us;
		sim_ctl_run(world, 5 * SIM_MS);
	}
	/* Without a session there is nothing to wait for. */
	assert_int_equal(hc_ctl_quiet_at(party->hc, &nobody), INT64_MAX);
	end_node(index_of(&hub), false);
	sim_ctl_run(world, 5 * SIM_S);
	assert_int_equal(hc_ctl_quiet_at(party->hc, &hub), INT64_MAX);
	end();
	return most_us;
}

/* Two thirds of the dead interval, and two and a half keepalives. */
static void test_quiet(void **state)
{
	assert_between(quiet_most((struct ctl_timers){ 300, 3000 }),
		       1990 * SIM_MS, 2000 * SIM_MS);
	assert_between(quiet_most((struct ctl_timers){ 500, 1300 }),
		       1240 * SIM_MS, 1250 * SIM_MS);
}

/* One of a hub's links is no loss; both are. */
static void test_hub_links(void **state)
{
	uint32_t hub;

	begin(4, true);
	start_all();
	hub = some_hub();
	cut_hub(hub, 0, true);
	sim_ctl_run(world, 10 * MINUTE);
	assert_int_equal(moves(), 0);
	assert_int_equal(parties[0].left, 0);
	cut_hub(hub, 1, true);
	sim_ctl_run(world, 15 * SIM_S);
	assert_true(served());
	assert_int_not_equal(some_hub(), hub);
	for (uint32_t i = EDGE(0); i < NODES; i++)
		assert_int_not_equal(parties[i].via, hub);
	cut_hub(hub, 0, false);
	sim_ctl_run(world, MINUTE);
	assert_true(served());
	end();
}

/* Somebody else says that it is a hub that there is. */
static void test_duplicate_id(void **state)
{
	uint32_t rogue = EDGE(EDGES - 1), hub;

	begin(5, false);
	for (uint32_t i = 0; i < rogue; i++)
		start(i);
	sim_ctl_run(world, 30 * SIM_S);
	hub = some_hub();
	world->nodes[rogue].id = id_of(hub);
	start(rogue);
	sim_ctl_run(world, 5 * MINUTE);
	assert_true(world->nodes[0].duplicates > 0);
	assert_int_equal(moves(), 0);
	assert_int_equal(parties[0].left, 0);
	assert_int_equal(parties[rogue].via, 0);
	assert_int_equal(some_hub(), hub);
	end();
}

/* A hub that has joined a cluster builds its sessions anew, and is back. */
static void test_session_anew(void **state)
{
	struct ctl_id nobody = id_of(9999);
	struct hc_ctl *none = NULL;
	uint32_t hub;

	begin(6, false);
	for (uint32_t i = 0; i < EDGE(EDGES); i++)
		start(i);
	sim_ctl_run(world, 30 * SIM_S);
	hub = some_hub();
	hc_ctl_renew(parties[hub].hc, &nobody);
	sim_ctl_run(world, 10 * SIM_S);
	assert_int_equal(parties[0].left, 0);
	hc_ctl_renew(parties[hub].hc, &world->nodes[0].id);
	sim_ctl_run(world, MINUTE);
	assert_true(parties[0].left > 0);
	assert_non_null(
		ctl_peer_find(world->nodes[0].ctl, &world->nodes[hub].id));
	end();
	hc_ctl_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_bad_network),
		cmocka_unit_test(test_hub_ends),
		cmocka_unit_test(test_fast_timers),
		cmocka_unit_test(test_preestablish),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_hub_links),
		cmocka_unit_test(test_duplicate_id),
		cmocka_unit_test(test_session_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
