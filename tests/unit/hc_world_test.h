/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of gateways, hubs and edges together share: a small cluster,
 * and what is asked of it.  Included by one file of a program.
 */
#ifndef TESTS_UNIT_HC_WORLD_TEST_H
#define TESTS_UNIT_HC_WORLD_TEST_H

#include <string.h>

#include "unit.h"

#include "hubcluster/hc_assign.h"

#include "../sim/sim_hc_world.h"

#define MINUTE (60 * SIM_S)
#define EDGES  60

static struct hcw *world;

static inline struct hcw_node *node(uint32_t index)
{
	return &world->nodes[index];
}

static inline struct hcw_node *edge(uint32_t number)
{
	return node(hcw_edge(world, number));
}

/* A cluster that is up: everybody has started, everybody is served. */
static inline void begin(uint32_t hubs)
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

static inline void end(void)
{
	assert_int_equal(world->broken, 0);
	hcw_free(&world);
}

/* Runs until all are served; asserts that it took that long. */
static inline int64_t until_served(int64_t least_us, int64_t most_us)
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

static inline uint32_t carried(uint32_t hub)
{
	return node(hcw_hub(hub))->carried;
}

/* Where everybody is. */
static inline void snapshot(uint32_t where[EDGES])
{
	for (uint32_t i = 0; i < EDGES; i++)
		where[i] = edge(i)->hub_now;
}

#endif /* TESTS_UNIT_HC_WORLD_TEST_H */
