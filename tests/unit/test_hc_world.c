// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gateways, hubs and edges together, small clusters: every adverse case of the
 * specification that needs no kernel.  Assignment, hubs that come and go,
 * routes, load; the others are in test_hc_world_nodes.c.
 */
#include "config.h"

#include "hc_world_test.h"

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

/* All within the hold, and one of them has said it twice by then. */
static void test_route_loss_of_all_immediate(void **state)
{
	struct hc_hub_self_view view;

	world = hcw_new(7, 2, EDGES);
	world->cluster.reaction = HC_IMMEDIATE;
	begin(2);
	/* Its next report in turn is 0.8 s after the first one's loss. */
	hc_hub_self_view(node(hcw_hub(1))->hub, &view);
	view.config.report_ms = 10000;
	hc_hub_config_set(node(hcw_hub(1))->hub, &view.config, hcw_now(world));
	hcw_routes(world, hcw_hub(1), 100);
	hcw_run(world, 9200 * SIM_MS);
	hcw_routes(world, hcw_hub(0), 0);
	hcw_run(world, 100 * SIM_MS);
	hcw_routes(world, hcw_hub(1), 0);
	hcw_run(world, 20 * SIM_S);
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

/*
 * Case 27: 69 and 72 in turn after every report; or after every two, so that
 * each minute another hub is the loaded one.
 */
static void oscillate(bool automatic, int reports)
{
	world = hcw_new(7, 3, 100);
	world->cluster.auto_rebalance = automatic;
	for (uint32_t i = 0; i < 3; i++)
		node(hcw_hub(i))->load.capacity = 1000;
	begin(3);
	for (int half_minute = 0; half_minute < 40; half_minute++) {
		for (uint32_t i = 0; i < 3; i++) {
			struct hcw_node *n = node(hcw_hub(i));
			bool low = (half_minute / reports + (int)i) % 2;

			load(i, low ? 69 : 72);
			/* The tunnels stay low: only the score is high. */
			n->load.tunnels = n->load.capacity / 2;
			n->load.cpu = n->load.memory = low ? 7850 : 8350;
		}
		hcw_run(world, 30 * SIM_S);
	}
}

static void test_scores_oscillate(void **state)
{
	for (int reports = 1; reports <= 2; reports++) {
		oscillate(true, reports);
		assert_between(world->autos, 10, 2 * 21);
		assert_int_equal(world->bulks, 0);
		assert_between(hcw_moves(world), 5, 21);
		end();
		oscillate(false, reports);
		assert_int_equal(hcw_moves(world), 0);
		assert_int_equal(world->autos, 0);
		end();
	}
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
	/* Its next report says so. */
	hcw_run(world, 31 * SIM_S);
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

/*
 * A hub that has more tunnels than it should loses its routes: its edges go when
 * that is due, and nobody else does.
 */
static void test_loaded_hub_loses_routes(void **state)
{
	struct hc_hub_self_view view;
	uint32_t before[EDGES];

	begin(3);
	hc_hub_self_view(node(hcw_hub(0))->hub, &view);
	view.config.capacity = carried(0) * 100 / 80;
	hc_hub_config_set(node(hcw_hub(0))->hub, &view.config, hcw_now(world));
	hcw_run(world, MINUTE);
	/* All are where they belong. */
	assert_int_equal(world->nothing, 1);
	snapshot(before);
	hcw_routes(world, hcw_hub(0), 0);
	hcw_run(world, 29 * SIM_S);
	assert_int_equal(hcw_moves(world), 0);
	hcw_run(world, 31 * SIM_S);
	assert_int_equal(carried(0), 0);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(world->bulks, 1);
	for (uint32_t i = 0; i < EDGES; i++)
		if (before[i] != hcw_hub(0))
			assert_int_equal(edge(i)->hub_now, before[i]);
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
		cmocka_unit_test(test_route_loss_of_all_immediate),
		cmocka_unit_test(test_route_loss_partial),
		cmocka_unit_test(test_scores_oscillate),
		cmocka_unit_test(test_auto_rebalance),
		cmocka_unit_test(test_unknown_tunnels),
		cmocka_unit_test(test_fair_redistribution),
		cmocka_unit_test(test_loaded_hub_loses_routes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
