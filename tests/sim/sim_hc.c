// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hub clustering at its size: 2 gateways, 10 hubs and 1,000 edges; 8 hubs and
 * 2,000 edges for hours, with everything that can happen to them.  CLUSTER_SEED chooses another run,
 * CLUSTER_HOURS a longer one.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/unit.h"

#include "hubcluster/hc_assign.h"

#include "sim_hc_world.h"

#define MINUTE (60 * SIM_S)
#define HOUR   (60 * MINUTE)
#define HUBS   8
#define EDGES  2000

static struct hcw *world;

static uint64_t seed(uint64_t number)
{
	const char *text = getenv("CLUSTER_SEED");

	return number + (text ? strtoull(text, NULL, 0) * 1000 : 0);
}

static int64_t hours(void)
{
	const char *text = getenv("CLUSTER_HOURS");

	return text ? atoll(text) : 6;
}

static struct hcw_node *node(uint32_t index)
{
	return &world->nodes[index];
}

static uint32_t rnd(uint32_t limit)
{
	return (uint32_t)sim_random_below(&world->random, limit);
}

static void begin(uint64_t number, uint32_t hubs, uint32_t edges)
{
	world = hcw_new(seed(number), hubs, edges);
	/* Each could carry a third of them. */
	for (uint32_t i = 0; i < hubs; i++)
		node(hcw_hub(i))->load.capacity = edges / 3;
}

static void start(void)
{
	hcw_start_all(world);
	hcw_run(world, 15 * SIM_S);
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < world->n_hubs; i++)
		hcw_routes(world, hcw_hub(i), 1000);
	hcw_run(world, 2 * MINUTE);
}

static void end(const char *what)
{
	printf("[          ] %s: %.1f h, %llu messages, %u moves, %llu bulk, %llu by load\n",
	       what, (double)hcw_now(world) / HOUR,
	       (unsigned long long)world->messages, hcw_moves(world),
	       (unsigned long long)world->bulks,
	       (unsigned long long)world->autos);
	assert_int_equal(world->broken, 0);
	hcw_free(&world);
}

/* Within five standard deviations of the binomial distribution. */
static void test_spread(void **state)
{
	uint32_t counts[HCW_HUBS];
	double mean = EDGES / (double)HUBS;
	double deviation = sqrt(mean * (1 - 1.0 / HUBS));

	for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
		begin(10 + (uint64_t)rendezvous, HUBS, EDGES);
		world->cluster.rules.assignment = rendezvous ? HC_RENDEZVOUS
							     : HC_MODULO;
		start();
		hcw_count(world, counts);
		for (uint32_t i = 0; i < HUBS; i++)
			assert_true(fabs(counts[i] - mean) < 5 * deviation);
		hcw_run(world, 4 * HOUR);
		assert_int_equal(hcw_moves(world), 0);
		end(rendezvous ? "rendezvous" : "modulo");
	}
}

static void gateway_dies(uint32_t gateway, uint32_t expected)
{
	uint32_t before = hcw_moves(world);

	hcw_kill(world, gateway);
	hcw_run(world, MINUTE);
	assert_int_equal(hcw_moves(world) - before, expected);
	hcw_start(world, gateway);
	hcw_run(world, 2 * MINUTE);
	assert_int_equal(hcw_moves(world) - before, expected);
}

/* 1,000 edges: nobody moves, or exactly those about whom they disagree. */
static void test_gateways(void **state)
{
	uint32_t differ = 0;

	begin(20, 10, 1000);
	start();
	gateway_dies(0, 0);
	gateway_dies(1, 0);
	gateway_dies(0, 0);
	assert_int_equal(hcw_moves(world), 0);
	end("gateways that agree");

	begin(21, 10, 1000);
	hcw_start(world, 0);
	world->cluster.rules.assignment = HC_RENDEZVOUS;
	hcw_start(world, 1);
	for (uint32_t i = HCW_GATEWAYS; i < world->n_nodes; i++)
		hcw_start(world, i);
	hcw_run(world, 2 * MINUTE);
	for (uint32_t i = HCW_INFRA; i < world->n_nodes; i++) {
		struct hc_edge_self_view view;

		hc_edge_self_view(node(i)->edge, &view);
		for (size_t g = 0; g < view.n_gateways; g++)
			differ += ctl_id_cmp(&view.gateways[g].told,
					     &view.current.hub) != 0;
	}
	assert_true(differ > 500);
	gateway_dies(0, differ);
	gateway_dies(0, 0);
	gateway_dies(1, 0);
	end("gateways that disagree");
}

/* -- an upgrade -- */

static void restart(uint32_t index)
{
	hcw_stop(world, index);
	hcw_run(world, 2 * SIM_S);
	hcw_start(world, index);
	node(index)->newer = true;
}

static void gateways_upgraded(void)
{
	for (uint32_t i = 0; i < HCW_GATEWAYS; i++) {
		restart(i);
		hcw_run(world, 15 * SIM_S);
	}
	assert_int_equal(hcw_moves(world), 0);
}

static void hub_upgraded(uint32_t hub)
{
	hcw_drain(world, hub, true);
	hcw_run(world, 10 * SIM_S);
	assert_int_equal(hc_hub_edges(node(hub)->hub), 0);
	restart(hub);
	hcw_routes(world, hub, 1000);
	hcw_run(world, MINUTE);
}

static void edges_upgraded(uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
		hcw_stop(world, hcw_edge(world, i));
	hcw_run(world, 2 * SIM_S);
	for (uint32_t i = first; i < first + n; i++) {
		hcw_start(world, hcw_edge(world, i));
		node(hcw_edge(world, i))->newer = true;
	}
	hcw_run(world, 10 * SIM_S);
}

/* As the manual says: gateways, hubs, edges. */
static void test_upgrade(void **state)
{
	const uint32_t hubs = 10, edges = 1000;

	begin(25, hubs, edges);
	start();
	for (uint32_t i = 0; i < edges; i++)
		node(hcw_edge(world, i))->worst_us = 0;
	gateways_upgraded();
	for (uint32_t i = 0; i < hubs; i++)
		hub_upgraded(hcw_hub(i));
	/* The last one has nobody, and nobody was without a hub. */
	assert_int_equal(node(hcw_hub(hubs - 1))->carried, 0);
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < edges; i++)
		assert_int_equal(node(hcw_edge(world, i))->worst_us, 0);
	for (uint32_t i = 0; i < edges; i += 100)
		edges_upgraded(i, 100);
	/* All have their share. */
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < edges; i++) {
		const struct hcw_node *edge = node(hcw_edge(world, i));

		assert_true(edge->worst_us < 5 * SIM_S);
		assert_int_equal(edge->hub_now,
				 hcw_hub(hc_modulo(&edge->id, hubs)));
	}
	assert_int_equal(world->bulks, 0);
	end("an upgrade");
}

/* One hub after the other dies: its edges alone move, in time. */
static void test_each_hub(void **state)
{
	const uint32_t hubs = 10, edges = 1000;

	begin(26, hubs, edges);
	start();
	for (uint32_t hub = 0; hub < hubs; hub++) {
		uint32_t *was = calloc(edges, sizeof(*was));
		int64_t killed_us = hcw_now(world);

		for (uint32_t i = 0; i < edges; i++)
			was[i] = node(hcw_edge(world, i))->hub_now;
		hcw_kill(world, hcw_hub(hub));
		while (!hcw_all_served(world))
			hcw_run(world, 50 * SIM_MS);
		assert_between(hcw_now(world) - killed_us, 7 * SIM_S,
			       10 * SIM_S);
		hcw_run(world, MINUTE);
		for (uint32_t i = 0; i < edges; i++)
			if (was[i] != hcw_hub(hub))
				assert_int_equal(node(hcw_edge(world, i))->hub_now,
						 was[i]);
		free(was);
		hcw_start(world, hcw_hub(hub));
		hcw_routes(world, hcw_hub(hub), 1000);
		hcw_run(world, MINUTE);
	}
	end("each hub dies");
}

/* -- everything -- */

static bool draining[HUBS], routeless[HUBS];

static uint32_t hubs_alive(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < HUBS; i++)
		n += node(hcw_hub(i))->node && !draining[i] && !routeless[i];
	return n;
}

static bool fit(uint32_t hub)
{
	return node(hcw_hub(hub))->node && !draining[hub] && !routeless[hub];
}

/* Every edge is where it can stay. */
static bool all_fit(void)
{
	for (uint32_t i = HCW_INFRA; i < world->n_nodes; i++)
		if (node(i)->node &&
		    (!node(i)->hub_now || !fit(node(i)->hub_now - hcw_hub(0))))
			return false;
	return true;
}

static int64_t settle(int64_t most_us)
{
	int64_t start_us = hcw_now(world);

	hcw_run(world, SIM_MS);
	while (!all_fit() && hcw_now(world) - start_us < most_us)
		hcw_run(world, 100 * SIM_MS);
	if (!all_fit())
		fail_msg("%.1f s: still not all served after %.1f s",
			 hcw_now(world) / 1e6, most_us / 1e6);
	return hcw_now(world) - start_us;
}

static void hub_back(uint32_t i)
{
	hcw_start(world, hcw_hub(i));
	hcw_routes(world, hcw_hub(i), 1000);
}

/* A hub ends in one way or the other; then it comes back. */
static void hub_fault(uint32_t i, bool clean)
{
	if (!fit(i) || hubs_alive() < 4)
		return;
	if (clean)
		hcw_stop(world, hcw_hub(i));
	else
		hcw_kill(world, hcw_hub(i));
	settle(clean ? SIM_S : 10 * SIM_S);
	hcw_run(world, rnd(5) * MINUTE);
	hub_back(i);
}

static void gateway_fault(uint32_t i)
{
	hcw_kill(world, i);
	hcw_run(world, 20 * SIM_S + rnd(60) * SIM_S);
	settle(0);
	hcw_start(world, i);
	hcw_run(world, 20 * SIM_S);
	settle(0);
}

static void route_fault(uint32_t i)
{
	if (!fit(i) || hubs_alive() < 4)
		return;
	routeless[i] = true;
	hcw_routes(world, hcw_hub(i), 0);
	/* In the worst case another bulk move was just before. */
	settle(122 * SIM_S + 62 * SIM_S);
	hcw_routes(world, hcw_hub(i), 1000);
	hcw_run(world, 90 * SIM_S);
	routeless[i] = false;
}

static void drain_fault(uint32_t i)
{
	if (!fit(i) || hubs_alive() < 4)
		return;
	draining[i] = true;
	hcw_drain(world, hcw_hub(i), true);
	settle(35 * SIM_S);
	hcw_run(world, rnd(3) * MINUTE);
	draining[i] = false;
	hcw_drain(world, hcw_hub(i), false);
}

/* Some edges can't reach their hub, although it lives. */
static void reach_fault(void)
{
	uint32_t hubs[50], edges[50];

	for (int i = 0; i < 50; i++) {
		edges[i] = hcw_edge(world, rnd(EDGES));
		hubs[i] = node(edges[i])->hub_now;
		if (hubs[i])
			hcw_cut(world, hubs[i], edges[i], true);
	}
	hcw_run(world, 9 * SIM_S);
	settle(25 * SIM_S);
	for (int i = 0; i < 50; i++)
		if (hubs[i])
			hcw_cut(world, hubs[i], edges[i], false);
}

static void edges_fault(void)
{
	uint32_t first = rnd(EDGES - 100);

	for (uint32_t i = first; i < first + 100; i++)
		hcw_kill(world, hcw_edge(world, i));
	hcw_run(world, rnd(20) * SIM_S);
	for (uint32_t i = first; i < first + 100; i++)
		hcw_start(world, hcw_edge(world, i));
	hcw_run(world, SIM_S);
	settle(12 * SIM_S);
}

static void load_fault(uint32_t i)
{
	node(hcw_hub(i))->load.cpu = (uint16_t)rnd(10000);
	node(hcw_hub(i))->load.memory = (uint16_t)rnd(10000);
	hcw_run(world, 5 * MINUTE);
	settle(0);
	node(hcw_hub(i))->load.cpu = node(hcw_hub(i))->load.memory = 2000;
}

/* When nothing happens, nobody moves. */
static void quiet(void)
{
	uint32_t before;

	hcw_run(world, 4 * MINUTE);
	before = hcw_moves(world);
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(hcw_moves(world), before);
}

static void test_hours_of_faults(void **state)
{
	unsigned int faults = 0;

	begin(30, HUBS, EDGES);
	world->cluster.auto_rebalance = true;
	start();
	while (hcw_now(world) < hours() * HOUR) {
		uint32_t i = rnd(HUBS);

		switch (rnd(9)) {
		case 0:
		case 1:
			hub_fault(i, false);
			break;
		case 2:
			hub_fault(i, true);
			break;
		case 3:
			gateway_fault(rnd(HCW_GATEWAYS));
			break;
		case 4:
			route_fault(i);
			break;
		case 5:
			drain_fault(i);
			break;
		case 6:
			reach_fault();
			break;
		case 7:
			edges_fault();
			break;
		default:
			load_fault(i);
			break;
		}
		faults++;
		hcw_run(world, rnd(120) * SIM_S);
		if (faults % 8 == 0)
			quiet();
	}
	settle(0);
	assert_true(faults > hours() * 6);
	end("hours of faults");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_gateways),
		cmocka_unit_test(test_upgrade),
		cmocka_unit_test(test_each_hub),
		cmocka_unit_test(test_hours_of_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
