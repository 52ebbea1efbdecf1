// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gateways, hubs and edges together, small clusters: every adverse case of the
 * specification that needs no kernel.
 */
#include "config.h"

#include <string.h>

#include "unit.h"

#include "hubcluster/hc_assign.h"

#include "../sim/sim_hc_world.h"

#define MINUTE (60 * SIM_S)
#define EDGES  60

static struct hcw *world;

static struct hcw_node *node(uint32_t index)
{
	return &world->nodes[index];
}

static struct hcw_node *edge(uint32_t number)
{
	return node(hcw_edge(world, number));
}

/* A cluster that is up: everybody has started, everybody is served. */
static void begin(uint32_t hubs)
{
	if (!world)
		world = hcw_new(7, hubs, EDGES);
	hcw_start_all(world);
	hcw_run(world, 15 * SIM_S);
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < hubs; i++)
		hcw_routes(world, hcw_hub(i), 100);
	hcw_run(world, MINUTE);
	assert_int_equal(hcw_moves(world), 0);
}

static void end(void)
{
	assert_int_equal(world->broken, 0);
	hcw_free(&world);
}

/* Runs until all are served; asserts that it took that long. */
static int64_t until_served(int64_t least_us, int64_t most_us)
{
	int64_t start_us = hcw_now(world), took_us;

	hcw_run(world, SIM_MS);
	while (!hcw_all_served(world) &&
	       hcw_now(world) - start_us < most_us + SIM_S)
		hcw_run(world, 5 * SIM_MS);
	took_us = hcw_now(world) - start_us;
	if (took_us < least_us || took_us > most_us)
		print_error("took %lld ms\n", (long long)took_us / 1000);
	assert_between(took_us, least_us, most_us);
	return took_us;
}

static uint32_t carried(uint32_t hub)
{
	return node(hcw_hub(hub))->carried;
}

/* Where everybody is. */
static void snapshot(uint32_t where[EDGES])
{
	for (uint32_t i = 0; i < EDGES; i++)
		where[i] = edge(i)->hub_now;
}

/* -- assignment -- */

static void test_start(void **state)
{
	struct hc_edge_self_view view;
	struct hc_hub_view hub;

	begin(3);
	for (uint32_t i = 0; i < EDGES; i++) {
		assert_int_equal(edge(i)->hub_now,
				 hcw_hub(hc_modulo(&edge(i)->id, 3)));
		hc_edge_self_view(edge(i)->edge, &view);
		assert_int_equal(view.state, HC_EDGE_ATTACHED);
		assert_int_equal(view.current.why, HC_WHY_ASSIGNED);
		assert_int_equal(view.accepted, 1);
		assert_int_equal(view.n_gateways, HCW_GATEWAYS);
		assert_true(view.gateways[0].preferred !=
			    view.gateways[1].preferred);
	}
	/* The hubs carry their sites, and everybody knows. */
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(node(hcw_hub(i))->sites, carried(i));
		assert_int_equal(hc_hub_edges(node(hcw_hub(i))->hub),
				 carried(i));
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++) {
			assert_true(hc_gateway_hub_view(node(g)->gateway,
							&world->cluster.id, i,
							&hub));
			assert_int_equal(hub.edges, carried(i));
			assert_int_equal(hub.in.load.tunnels, carried(i));
			assert_int_equal(hub.eligible, HC_OK);
			assert_int_equal(hub.target, HC_OK);
			assert_false(hub.differs);
		}
	}
	/* And nothing ever happens. */
	hcw_run(world, 120 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	assert_int_equal(world->moved, 0);
	assert_int_equal(world->ignored, 0);
	end();
}

static void test_settle(void **state)
{
	world = hcw_new(8, 3, EDGES);
	/* All that are configured are there: no waiting. */
	world->cluster.n_members = 3;
	for (uint32_t i = 0; i < 3; i++)
		world->cluster.members[i] = node(hcw_hub(i))->id;
	hcw_start_all(world);
	until_served(0, 3 * SIM_S);
	/* One that isn't configured. */
	hcw_stop(world, hcw_hub(2));
	world->cluster.n_members = 2;
	hcw_configure(world, 0);
	hcw_configure(world, 1);
	hcw_start(world, hcw_hub(2));
	hcw_run(world, MINUTE);
	assert_int_equal(carried(2), 0);
	assert_int_equal(world->refused, HCW_GATEWAYS);
	assert_int_equal(carried(0) + carried(1), EDGES);
	/* One that is configured no longer. */
	world->cluster.n_members = 1;
	hcw_configure(world, 0);
	hcw_configure(world, 1);
	hcw_run(world, 5 * SIM_S);
	assert_int_equal(carried(0), EDGES);
	end();
}

/* The first hub to come doesn't get everybody. */
static void test_settle_waits(void **state)
{
	uint32_t counts[HCW_HUBS];

	world = hcw_new(9, 3, EDGES);
	for (uint32_t g = 0; g < HCW_GATEWAYS; g++)
		hcw_start(world, g);
	for (uint32_t i = 0; i < EDGES; i++)
		hcw_start(world, hcw_edge(world, i));
	for (uint32_t i = 0; i < 3; i++) {
		hcw_run(world, 2 * SIM_S);
		hcw_start(world, hcw_hub(i));
	}
	hcw_run(world, 10 * SIM_S);
	assert_true(hcw_all_served(world));
	hcw_count(world, counts);
	for (uint32_t i = 0; i < 3; i++)
		assert_between(counts[i], 10, 30);
	end();
}

/* -- hubs come and go -- */

static void test_hub_killed(void **state)
{
	uint32_t before[EDGES], victims;

	begin(3);
	snapshot(before);
	victims = carried(1);
	hcw_kill(world, hcw_hub(1));
	until_served(7 * SIM_S, 10 * SIM_S);
	hcw_run(world, 10 * MINUTE);
	for (uint32_t i = 0; i < EDGES; i++) {
		if (before[i] != hcw_hub(1))
			assert_int_equal(edge(i)->hub_now, before[i]);
		else
			/* The modulo over those that are left. */
			assert_int_equal(edge(i)->hub_now,
					 hcw_hub(2 *
						 hc_modulo(&edge(i)->id, 2)));
	}
	assert_true(victims > 0);
	/* It comes back: nobody moves. */
	snapshot(before);
	hcw_start(world, hcw_hub(1));
	hcw_run(world, 10 * MINUTE);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now, before[i]);
	/* But it takes over: case 25. */
	hcw_kill(world, hcw_hub(0));
	until_served(7 * SIM_S, 10 * SIM_S);
	assert_true(carried(1) > 0);
	end();
}

/* Case 26. */
static void test_hub_stopped(void **state)
{
	begin(3);
	hcw_stop(world, hcw_hub(2));
	until_served(0, SIM_S);
	assert_int_equal(carried(2), 0);
	assert_int_equal(node(hcw_hub(0))->sites + node(hcw_hub(1))->sites,
			 EDGES);
	end();
}

static void test_all_hubs_down(void **state)
{
	begin(3);
	for (uint32_t i = 0; i < 3; i++)
		hcw_kill(world, hcw_hub(i));
	hcw_run(world, MINUTE);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now, 0);
	hcw_start(world, hcw_hub(1));
	until_served(0, 12 * SIM_S);
	assert_int_equal(carried(1), EDGES);
	end();
}

/* A restart that is faster than anybody's patience. */
static void test_hub_restarted(void **state)
{
	begin(3);
	hcw_kill(world, hcw_hub(0));
	hcw_run(world, 500 * SIM_MS);
	hcw_start(world, hcw_hub(0));
	until_served(0, 2 * SIM_S);
	hcw_run(world, MINUTE);
	assert_true(hcw_all_served(world));
	end();
}

static void test_drain(void **state)
{
	struct hc_hub_view view;
	uint32_t before[EDGES];

	begin(3);
	for (uint32_t i = 0; i < EDGES; i++)
		edge(i)->worst_us = 0;
	hcw_drain(world, hcw_hub(0), true);
	hcw_run(world, 2 * SIM_S);
	assert_int_equal(carried(0), 0);
	assert_int_equal(carried(1) + carried(2), EDGES);
	assert_true(hc_gateway_hub_view(node(0)->gateway, &world->cluster.id, 0,
					&view));
	assert_int_equal(view.eligible, HC_WHY_DRAINING);
	assert_int_equal(view.edges, 0);
	/* Make before break. */
	for (uint32_t i = 0; i < EDGES; i++) {
		assert_int_equal(edge(i)->worst_us, 0);
		assert_int_equal(edge(i)->moves,
				 edge(i)->moves_by[HC_WHY_DRAINED]);
	}
	/* Who comes now doesn't go there; the end of it moves nobody. */
	hcw_kill(world, hcw_edge(world, 0));
	hcw_run(world, 20 * SIM_S);
	hcw_start(world, hcw_edge(world, 0));
	hcw_run(world, 20 * SIM_S);
	assert_int_not_equal(edge(0)->hub_now, hcw_hub(0));
	snapshot(before);
	hcw_drain(world, hcw_hub(0), false);
	hcw_run(world, 10 * MINUTE);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now, before[i]);
	/* All of them: they stay where they are; who comes gets none. */
	for (uint32_t i = 0; i < 3; i++)
		hcw_drain(world, hcw_hub(i), true);
	hcw_run(world, MINUTE);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now != 0, true);
	end();
}

/* -- loss of routes -- */

/* Case 24. */
static void test_route_loss_periodic(void **state)
{
	uint32_t moves;
	int64_t lost_us;

	begin(3);
	hcw_routes(world, hcw_hub(0), 0);
	lost_us = hcw_now(world);
	while (carried(0) && hcw_now(world) - lost_us < 2 * MINUTE)
		hcw_run(world, 100 * SIM_MS);
	assert_between(hcw_now(world) - lost_us, 30 * SIM_S, 60 * SIM_S);
	assert_int_equal(carried(1) + carried(2), EDGES);
	moves = hcw_moves(world);
	assert_int_equal(world->bulks, 1);
	/* Not back by itself. */
	hcw_routes(world, hcw_hub(0), 100);
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(hcw_moves(world), moves);
	assert_int_equal(world->back, HCW_GATEWAYS);
	/* It is a target again. */
	hcw_routes(world, hcw_hub(1), 0);
	hcw_run(world, 2 * MINUTE);
	assert_true(carried(0) > 0);
	assert_int_equal(carried(1), 0);
	end();
}

static void test_route_loss_immediate(void **state)
{
	int64_t lost_us;

	world = hcw_new(7, 3, EDGES);
	world->cluster.reaction = HC_IMMEDIATE;
	begin(3);
	hcw_routes(world, hcw_hub(0), 0);
	lost_us = hcw_now(world);
	while (carried(0) && hcw_now(world) - lost_us < MINUTE)
		hcw_run(world, 10 * SIM_MS);
	assert_between(hcw_now(world) - lost_us, 1000 * SIM_MS, 1600 * SIM_MS);
	end();
}

/* A second failure waits for the hold: 120 s. */
static void test_route_loss_twice(void **state)
{
	int64_t first_us;

	begin(3);
	hcw_routes(world, hcw_hub(0), 0);
	while (carried(0))
		hcw_run(world, 100 * SIM_MS);
	first_us = hcw_now(world);
	hcw_routes(world, hcw_hub(1), 0);
	hcw_run(world, 110 * SIM_S);
	assert_true(carried(1) > 0);
	while (carried(1) && hcw_now(world) - first_us < 200 * SIM_S)
		hcw_run(world, 100 * SIM_MS);
	assert_between(hcw_now(world) - first_us, 119 * SIM_S, 122 * SIM_S);
	assert_int_equal(carried(2), EDGES);
	end();
}

/* All at once, or nearly: nobody moves. */
static void test_route_loss_of_all(void **state)
{
	begin(3);
	for (uint32_t i = 0; i < 3; i++) {
		hcw_routes(world, hcw_hub(i), 0);
		hcw_run(world, 300 * SIM_MS);
	}
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	/* And all back. */
	for (uint32_t i = 0; i < 3; i++)
		hcw_routes(world, hcw_hub(i), 100);
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	assert_int_equal(world->bulks, 0);
	end();
}

/* A part of them, when that is asked for; not to one that lost some, too. */
static void test_route_loss_partial(void **state)
{
	world = hcw_new(7, 3, EDGES);
	world->cluster.rules.loss_percent = 80;
	begin(3);
	hcw_routes(world, hcw_hub(0), 70);
	hcw_routes(world, hcw_hub(1), 94);
	hcw_run(world, 3 * MINUTE);
	assert_int_equal(carried(0), 0);
	assert_int_equal(hcw_moves(world),
			 world->nodes[hcw_hub(2)].carried -
				 (EDGES - carried(1) - hcw_moves(world)));
	assert_int_equal(carried(1) + carried(2), EDGES);
	end();
}

/* -- load -- */

static void load(uint32_t hub, uint16_t percent)
{
	struct hcw_node *n = node(hcw_hub(hub));

	n->load.cpu = n->load.memory = percent * 100;
	n->load.tunnels = n->load.capacity * percent / 100;
	n->load_follows = false;
}

/* Case 27: 69 and 72 in turn at every report. */
static void oscillate(bool automatic)
{
	world = hcw_new(7, 3, EDGES);
	world->cluster.auto_rebalance = automatic;
	for (uint32_t i = 0; i < 3; i++)
		node(hcw_hub(i))->load.capacity = 10 * EDGES;
	begin(3);
	for (int half_minute = 0; half_minute < 40; half_minute++) {
		for (uint32_t i = 0; i < 3; i++) {
			struct hcw_node *n = node(hcw_hub(i));

			load(i, (half_minute + (int)i) % 2 ? 69 : 72);
			/* The tunnels stay low: only the score is high. */
			n->load.tunnels = n->load.capacity / 2;
			n->load.cpu = n->load.memory =
				(half_minute + (int)i) % 2 ? 7850 : 8350;
		}
		hcw_run(world, 30 * SIM_S);
	}
}

static void test_scores_oscillate(void **state)
{
	oscillate(true);
	assert_between(world->autos, 10, 2 * 21);
	assert_int_equal(world->bulks, 0);
	assert_between(hcw_moves(world), 5, 21);
	end();
	oscillate(false);
	assert_int_equal(hcw_moves(world), 0);
	assert_int_equal(world->autos, 0);
	end();
}

/* From the loaded hub, until it isn't. */
static void test_auto_rebalance(void **state)
{
	uint32_t before;

	world = hcw_new(7, 3, EDGES);
	world->cluster.auto_rebalance = true;
	for (uint32_t i = 0; i < 3; i++)
		node(hcw_hub(i))->load.capacity = 10 * EDGES;
	begin(3);
	before = carried(0);
	load(0, 50);
	node(hcw_hub(0))->load.cpu = node(hcw_hub(0))->load.memory = 9000;
	load(1, 40);
	load(2, 30);
	hcw_run(world, 5 * MINUTE);
	/* One a minute, to the one with the lowest score. */
	assert_between(before - carried(0), 4, 6);
	assert_int_equal(hcw_moves(world), before - carried(0));
	load(0, 50);
	hcw_run(world, MINUTE);
	before = carried(0);
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(carried(0), before);
	end();
}

/* What is known of an unknown tunnel count: never a target, never a cause. */
static void test_unknown_tunnels(void **state)
{
	struct hc_hub_view view;

	world = hcw_new(7, 2, EDGES);
	world->cluster.auto_rebalance = true;
	for (uint32_t i = 0; i < 2; i++)
		node(hcw_hub(i))->load.capacity = 10 * EDGES;
	begin(2);
	node(hcw_hub(1))->load.tunnels_known = false;
	node(hcw_hub(1))->load_follows = false;
	node(hcw_hub(0))->load.cpu = node(hcw_hub(0))->load.memory = 10000;
	load(0, 69);
	node(hcw_hub(0))->load.cpu = node(hcw_hub(0))->load.memory = 10000;
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	assert_true(hc_gateway_hub_view(node(0)->gateway, &world->cluster.id, 1,
					&view));
	assert_int_equal(view.target, HC_WHY_TUNNELS_UNKNOWN);
	assert_int_equal(view.eligible, HC_OK);
	end();
}

/* After an outage all are at one hub, which is too many for it. */
static void test_fair_redistribution(void **state)
{
	world = hcw_new(7, 2, EDGES);
	for (uint32_t i = 0; i < 2; i++)
		node(hcw_hub(i))->load.capacity = EDGES;
	begin(2);
	hcw_kill(world, hcw_hub(0));
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(carried(1), EDGES);
	assert_int_equal(world->bulks, 0);
	hcw_start(world, hcw_hub(0));
	hcw_run(world, MINUTE);
	assert_int_equal(world->bulks, 1);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now,
				 hcw_hub(hc_modulo(&edge(i)->id, 2)));
	hcw_run(world, 20 * MINUTE);
	assert_int_equal(world->bulks, 1);
	/* Too many, but all where they belong: said once, and no more. */
	node(hcw_hub(0))->load.tunnels = EDGES;
	node(hcw_hub(0))->load_follows = false;
	hcw_run(world, 20 * MINUTE);
	assert_int_equal(world->bulks, 1);
	assert_int_equal(world->nothing, 1);
	end();
}

/* -- several gateways -- */

static void gateways_die(uint32_t gateway, uint32_t at_death)
{
	uint32_t before = hcw_moves(world);

	hcw_kill(world, gateway);
	hcw_run(world, 2 * MINUTE);
	assert_int_equal(hcw_moves(world) - before, at_death);
	hcw_start(world, gateway);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(hcw_moves(world) - before, at_death);
	assert_true(hcw_all_served(world));
}

static void test_gateways_agree(void **state)
{
	uint32_t moves;

	begin(3);
	gateways_die(0, 0);
	gateways_die(1, 0);
	/* Also when edges aren't where they were first assigned to. */
	hcw_drain(world, hcw_hub(0), true);
	hcw_run(world, MINUTE);
	hcw_drain(world, hcw_hub(0), false);
	hcw_run(world, MINUTE);
	gateways_die(0, 0);
	gateways_die(1, 0);
	assert_int_equal(world->ignored, 0);
	/* And after an outage. */
	hcw_kill(world, hcw_hub(1));
	hcw_run(world, MINUTE);
	hcw_start(world, hcw_hub(1));
	hcw_run(world, MINUTE);
	gateways_die(0, 0);
	gateways_die(1, 0);
	/* Both. */
	moves = hcw_moves(world);
	hcw_kill(world, 0);
	hcw_kill(world, 1);
	hcw_run(world, 10 * MINUTE);
	assert_true(hcw_all_served(world));
	hcw_start(world, 1);
	hcw_start(world, 0);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(hcw_moves(world), moves);
	end();
}

/* The second gateway assigns in another way. */
static uint32_t disagree(bool sticky)
{
	uint32_t differ = 0;
	struct hc_edge_self_view view;

	world = hcw_new(7, 3, EDGES);
	world->edge.sticky = sticky;
	hcw_start(world, 0);
	world->cluster.rules.assignment = HC_RENDEZVOUS;
	hcw_start(world, 1);
	world->cluster.rules.assignment = HC_MODULO;
	for (uint32_t i = HCW_GATEWAYS; i < world->n_nodes; i++)
		if (i < hcw_hub(3) || i >= HCW_INFRA)
			hcw_start(world, i);
	hcw_run(world, MINUTE);
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < EDGES; i++) {
		assert_int_equal(edge(i)->hub_now,
				 hcw_hub(hc_modulo(&edge(i)->id, 3)));
		hc_edge_self_view(edge(i)->edge, &view);
		for (size_t g = 0; g < view.n_gateways; g++)
			if (!view.gateways[g].preferred)
				differ += ctl_id_cmp(&view.gateways[g].told,
						     &view.current.hub) != 0;
	}
	assert_between(differ, 20, 55);
	/* The edges that changed their mind at the start don't count. */
	return differ;
}

static void test_gateways_disagree(void **state)
{
	uint32_t differ = disagree(false);

	gateways_die(0, differ);
	/* The one that is preferred has taken that over. */
	gateways_die(1, 0);
	gateways_die(0, 0);
	end();
	disagree(true);
	gateways_die(0, 0);
	gateways_die(1, 0);
	end();
}

/* The preferred one doesn't hear a hub; the other does. */
static void test_a_gateway_that_misses_a_hub(void **state)
{
	begin(3);
	hcw_cut(world, 0, hcw_hub(1), true);
	hcw_run(world, MINUTE);
	/* Its word counts. */
	assert_int_equal(carried(1), 0);
	assert_true(hcw_all_served(world));
	hcw_cut(world, 0, hcw_hub(1), false);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(carried(1), 0);
	end();
	/* The other one's doesn't. */
	begin(3);
	hcw_cut(world, 1, hcw_hub(1), true);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	end();
}

/* Nobody to ask: what works goes on, and a hub that was lost is tried again. */
static void test_no_gateways(void **state)
{
	struct hc_edge_self_view view;
	uint32_t before[EDGES];

	begin(3);
	snapshot(before);
	hcw_kill(world, 0);
	hcw_kill(world, 1);
	hcw_run(world, 30 * MINUTE);
	assert_true(hcw_all_served(world));
	assert_int_equal(hcw_moves(world), 0);
	hcw_kill(world, hcw_hub(1));
	hcw_run(world, MINUTE);
	hcw_start(world, hcw_hub(1));
	hcw_run(world, 20 * SIM_S);
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < EDGES; i++) {
		assert_int_equal(edge(i)->hub_now, before[i]);
		hc_edge_self_view(edge(i)->edge, &view);
		if (before[i] == hcw_hub(1))
			assert_int_equal(view.current.why, HC_WHY_LAST);
	}
	/* The gateways come back, and keep it so. */
	hcw_start(world, 0);
	hcw_start(world, 1);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	end();
}

/* -- an edge and its hub -- */

static void test_unreachable_hub(void **state)
{
	uint32_t hub, other;

	begin(3);
	hub = edge(0)->hub_now;
	hcw_cut(world, edge(0)->index, hub, true);
	until_served(0, SIM_S);
	hcw_run(world, 9 * SIM_S);
	other = edge(0)->hub_now;
	assert_true(other && other != hub);
	/* Nobody else moved. */
	assert_int_equal(hcw_moves(world), edge(0)->moves);
	assert_int_equal(hcw_moves(world), 0);
	/* The other one as well: the third. */
	hcw_cut(world, edge(0)->index, other, true);
	hcw_run(world, 40 * SIM_S);
	assert_true(edge(0)->hub_now && edge(0)->hub_now != hub &&
		    edge(0)->hub_now != other);
	/* All: none; one of them heals. */
	hcw_cut(world, edge(0)->index, edge(0)->hub_now, true);
	hcw_run(world, 2 * MINUTE);
	assert_int_equal(edge(0)->hub_now, 0);
	hcw_cut(world, edge(0)->index, other, false);
	hcw_run(world, 2 * MINUTE);
	assert_int_equal(edge(0)->hub_now, other);
	end();
}

/* A path that is only slow or lossy for a while is no loss. */
static void test_short_cuts(void **state)
{
	begin(3);
	for (int i = 0; i < 20; i++) {
		for (uint32_t e = 0; e < EDGES; e++)
			for (uint32_t n = 0; n < hcw_hub(3); n++)
				hcw_cut(world, n, hcw_edge(world, e), true);
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++)
			for (uint32_t h = 0; h < 3; h++)
				hcw_cut(world, g, hcw_hub(h), true);
		hcw_run(world, 6500 * SIM_MS);
		for (uint32_t e = 0; e < EDGES; e++)
			for (uint32_t n = 0; n < hcw_hub(3); n++)
				hcw_cut(world, n, hcw_edge(world, e), false);
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++)
			for (uint32_t h = 0; h < 3; h++)
				hcw_cut(world, g, hcw_hub(h), false);
		hcw_run(world, 20 * SIM_S);
	}
	assert_int_equal(hcw_moves(world), 0);
	assert_int_equal(world->left, 0);
	end();
}

static void test_operator(void **state)
{
	struct hc_edge_view view;
	uint32_t to;

	begin(3);
	to = edge(0)->hub_now == hcw_hub(0) ? hcw_hub(1) : hcw_hub(0);
	assert_int_equal(hc_gateway_move(node(0)->gateway, &world->cluster.id,
					 &edge(0)->id, &node(to)->id,
					 hcw_now(world)),
			 HC_OK);
	hcw_run(world, SIM_S);
	assert_int_equal(edge(0)->hub_now, to);
	assert_int_equal(edge(0)->moves_by[HC_WHY_OPERATOR], 1);
	assert_true(hc_gateway_edge_next(node(0)->gateway, &world->cluster.id,
					 NULL, &view));
	assert_int_equal(view.why, HC_WHY_OPERATOR);
	assert_int_equal(view.moves, 1);
	/* It stays there, also when the gateway dies. */
	gateways_die(0, 0);
	/* What is refused. */
	assert_int_equal(hc_gateway_move(node(0)->gateway, &edge(0)->id,
					 &edge(0)->id, &node(to)->id,
					 hcw_now(world)),
			 HC_WHY_NO_CLUSTER);
	assert_int_equal(hc_gateway_move(node(0)->gateway, &world->cluster.id,
					 &edge(0)->id, &edge(1)->id,
					 hcw_now(world)),
			 HC_WHY_UNKNOWN_HUB);
	hcw_drain(world, hcw_hub(2), true);
	hcw_run(world, 2 * SIM_S);
	assert_int_equal(hc_gateway_move(node(0)->gateway, &world->cluster.id,
					 &edge(0)->id, &node(hcw_hub(2))->id,
					 hcw_now(world)),
			 HC_WHY_DRAINING);
	/* The gateway that isn't preferred says it in vain. */
	to = edge(1)->hub_now == hcw_hub(0) ? hcw_hub(1) : hcw_hub(0);
	assert_int_equal(hc_gateway_move(node(1)->gateway, &world->cluster.id,
					 &edge(1)->id, &node(to)->id,
					 hcw_now(world)),
			 HC_OK);
	hcw_run(world, SIM_S);
	assert_int_not_equal(edge(1)->hub_now, to);
	assert_int_equal(world->ignored, 1);
	end();
}

/* -- mistakes -- */

static void test_wrong_cluster(void **state)
{
	struct hc_refused refused[HC_REFUSED_MAX];
	struct hc_hub_config config;
	struct hc_hub_self_view view;

	begin(3);
	hc_hub_self_view(node(hcw_hub(2))->hub, &view);
	config = view.config;
	config.cluster = edge(0)->id;
	hc_hub_config_set(node(hcw_hub(2))->hub, &config, hcw_now(world));
	until_served(0, 2 * SIM_S);
	hcw_run(world, MINUTE);
	assert_int_equal(carried(2), 0);
	assert_int_equal(hc_gateway_refused(node(0)->gateway, refused), 1);
	assert_memory_equal(&refused[0].hub, &node(hcw_hub(2))->id, CTL_ID_LEN);
	assert_memory_equal(&refused[0].cluster, &edge(0)->id, CTL_ID_LEN);
	/* It comes back. */
	hc_hub_config_set(node(hcw_hub(2))->hub, &view.config, hcw_now(world));
	hcw_run(world, MINUTE);
	hcw_stop(world, hcw_hub(0));
	hcw_run(world, SIM_S);
	assert_true(carried(2) > 0);
	end();
}

/* Not forbidden, but told. */
static void test_oddities(void **state)
{
	struct hc_hub_view view;
	struct hc_hub_config config;
	struct hc_hub_self_view self;

	world = hcw_new(7, 3, EDGES);
	node(hcw_hub(1))->load.capacity = 2 * EDGES;
	begin(3);
	assert_true(world->differs >= HCW_GATEWAYS);
	assert_true(hc_gateway_hub_view(node(0)->gateway, &world->cluster.id, 1,
					&view));
	assert_true(view.differs);
	assert_int_equal(world->same_asn, 0);
	hc_hub_self_view(node(hcw_hub(1))->hub, &self);
	config = self.config;
	config.asn = hcw_hub(0);
	hc_hub_config_set(node(hcw_hub(1))->hub, &config, hcw_now(world));
	hcw_run(world, SIM_S);
	assert_int_equal(world->same_asn, HCW_GATEWAYS);
	end();
}

static void test_unknown_cluster(void **state)
{
	struct hc_edge_self_view view;

	begin(2);
	hc_gateway_cluster_del(node(0)->gateway, &world->cluster.id);
	hc_gateway_cluster_del(node(1)->gateway, &world->cluster.id);
	hcw_kill(world, hcw_edge(world, 0));
	hcw_start(world, hcw_edge(world, 0));
	hcw_run(world, 20 * SIM_S);
	hc_edge_self_view(edge(0)->edge, &view);
	assert_int_equal(view.state, HC_EDGE_IDLE);
	assert_int_equal(view.no_hub, HC_WHY_NO_CLUSTER);
	/* The others keep what they have. */
	for (uint32_t i = 1; i < EDGES; i++)
		assert_int_not_equal(edge(i)->hub_now, 0);
	end();
}

/* A cluster that the gateways are told of later, or again. */
static void test_cluster_comes_later(void **state)
{
	struct hc_edge_self_view self;
	struct hc_cluster_view view;

	world = hcw_new(7, 3, EDGES);
	for (uint32_t g = 0; g < HCW_GATEWAYS; g++) {
		hcw_start(world, g);
		hc_gateway_cluster_del(node(g)->gateway, &world->cluster.id);
	}
	for (uint32_t i = HCW_GATEWAYS; i < world->n_nodes; i++)
		if (i < hcw_hub(3) || i >= HCW_INFRA)
			hcw_start(world, i);
	hcw_run(world, 5 * MINUTE);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++) {
			hcw_configure(world, g);
			hc_node_announce(node(g)->node);
		}
		/* Once they are announced, and not only when they ask. */
		hcw_run(world, SIM_S);
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++) {
			assert_true(hc_gateway_cluster_next(node(g)->gateway,
							    NULL, &view));
			assert_int_equal(view.edges, EDGES);
		}
		hcw_run(world, 30 * SIM_S);
		assert_true(hcw_all_served(world));
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++) {
			assert_true(hc_gateway_cluster_next(node(g)->gateway,
							    NULL, &view));
			assert_int_equal(view.hubs, 3);
			assert_int_equal(view.edges, EDGES);
			assert_int_equal(view.edges_no_hub, 0);
		}
		/* Its words count at once. */
		assert_true(carried(round) > 0);
		hcw_drain(world, hcw_hub(round), true);
		hcw_run(world, 2 * SIM_S);
		assert_int_equal(carried(round), 0);
		hcw_drain(world, hcw_hub(round), false);
		hcw_run(world, SIM_S);
		for (uint32_t g = 0; g < HCW_GATEWAYS; g++)
			hc_gateway_cluster_del(node(g)->gateway,
					       &world->cluster.id);
		hcw_run(world, MINUTE);
		assert_true(hcw_all_served(world));
		/* What was said of it doesn't count any more. */
		hc_edge_self_view(edge(round)->edge, &self);
		for (size_t g = 0; g < self.n_gateways; g++) {
			assert_true(ctl_id_is_null(&self.gateways[g].told));
			assert_int_equal(self.gateways[g].why,
					 HC_WHY_NO_CLUSTER);
		}
	}
	end();
}

static void test_views_end(void **state)
{
	struct hc_cluster_view cluster;
	struct hc_edge_view edges;
	struct hc_hub_view hub;
	struct hc_hub_edge_view attached;
	struct ctl_id after;
	uint32_t n = 0;

	begin(3);
	assert_true(hc_gateway_cluster_next(node(0)->gateway, NULL, &cluster));
	assert_int_equal(cluster.hubs, 3);
	assert_int_equal(cluster.edges, EDGES);
	assert_int_equal(cluster.edges_no_hub, 0);
	assert_true(cluster.settled);
	assert_false(hc_gateway_cluster_next(node(0)->gateway,
					     &world->cluster.id, &cluster));
	assert_false(hc_gateway_hub_view(node(0)->gateway, &world->cluster.id,
					 3, &hub));
	assert_false(
		hc_gateway_hub_view(node(0)->gateway, &edge(0)->id, 0, &hub));
	assert_false(hc_gateway_edge_next(node(0)->gateway, &edge(0)->id, NULL,
					  &edges));
	for (bool more = hc_gateway_edge_next(node(0)->gateway,
					      &world->cluster.id, NULL, &edges);
	     more;
	     more = hc_gateway_edge_next(node(0)->gateway, &world->cluster.id,
					 &after, &edges)) {
		after = edges.id;
		n++;
		assert_true(edges.connected && edges.preferred);
		assert_memory_equal(&edges.hub, &edges.told, CTL_ID_LEN);
	}
	assert_int_equal(n, EDGES);
	n = 0;
	for (bool more =
		     hc_hub_edge_next(node(hcw_hub(0))->hub, NULL, &attached);
	     more;
	     more = hc_hub_edge_next(node(hcw_hub(0))->hub, &after, &attached)) {
		after = attached.id;
		n++;
		assert_int_equal(attached.sites[0], HC_SITE_ACCEPTED);
	}
	assert_int_equal(n, carried(0));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_settle),
		cmocka_unit_test(test_settle_waits),
		cmocka_unit_test(test_hub_killed),
		cmocka_unit_test(test_hub_stopped),
		cmocka_unit_test(test_all_hubs_down),
		cmocka_unit_test(test_hub_restarted),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_route_loss_periodic),
		cmocka_unit_test(test_route_loss_immediate),
		cmocka_unit_test(test_route_loss_twice),
		cmocka_unit_test(test_route_loss_of_all),
		cmocka_unit_test(test_route_loss_partial),
		cmocka_unit_test(test_scores_oscillate),
		cmocka_unit_test(test_auto_rebalance),
		cmocka_unit_test(test_unknown_tunnels),
		cmocka_unit_test(test_fair_redistribution),
		cmocka_unit_test(test_gateways_agree),
		cmocka_unit_test(test_gateways_disagree),
		cmocka_unit_test(test_a_gateway_that_misses_a_hub),
		cmocka_unit_test(test_no_gateways),
		cmocka_unit_test(test_unreachable_hub),
		cmocka_unit_test(test_short_cuts),
		cmocka_unit_test(test_operator),
		cmocka_unit_test(test_wrong_cluster),
		cmocka_unit_test(test_oddities),
		cmocka_unit_test(test_unknown_cluster),
		cmocka_unit_test(test_cluster_comes_later),
		cmocka_unit_test(test_views_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
