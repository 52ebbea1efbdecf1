// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gateways, hubs and edges together: they start and restart in every order, and
 * are cut off from each other in every way.
 */
#include "config.h"

#include "hc_world_test.h"

#define HUBS 3

enum part {
	GATEWAYS,
	THE_HUBS,
	THE_EDGES,
	GROUPS,
};

static const enum part orders[][GROUPS] = {
	{ GATEWAYS, THE_HUBS, THE_EDGES }, { GATEWAYS, THE_EDGES, THE_HUBS },
	{ THE_HUBS, GATEWAYS, THE_EDGES }, { THE_HUBS, THE_EDGES, GATEWAYS },
	{ THE_EDGES, GATEWAYS, THE_HUBS }, { THE_EDGES, THE_HUBS, GATEWAYS },
};
#define ORDERS (sizeof(orders) / sizeof(orders[0]))

static void each(enum part part, void (*fn)(struct hcw *w, uint32_t index))
{
	uint32_t first = part == GATEWAYS   ? 0
			 : part == THE_HUBS ? hcw_hub(0)
					    : hcw_edge(world, 0);
	uint32_t n = part == GATEWAYS	? HCW_GATEWAYS
		     : part == THE_HUBS ? HUBS
					: EDGES;

	for (uint32_t i = 0; i < n; i++)
		fn(world, first + i);
}

static bool hub_has(uint32_t hub, const struct ctl_id *id)
{
	struct hc_hub_edge_view view;
	struct ctl_id after;
	bool more;

	for (more = hc_hub_edge_next(node(hub)->hub, NULL, &view); more;
	     more = hc_hub_edge_next(node(hub)->hub, &after, &view)) {
		after = view.id;
		if (!ctl_id_cmp(&view.id, id))
			return true;
	}
	return false;
}

/* All are served, and all say the same of who is where. */
static void assert_agree(void)
{
	struct hc_edge_self_view self;
	struct hc_edge_view view;
	const struct ctl_id *after;

	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < EDGES; i++) {
		hc_edge_self_view(edge(i)->edge, &self);
		assert_int_equal(self.state, HC_EDGE_ATTACHED);
		assert_int_equal(self.n_gateways, HCW_GATEWAYS);
		assert_memory_equal(&self.current.hub,
				    &node(edge(i)->hub_now)->id, CTL_ID_LEN);
		for (uint32_t h = 0; h < HUBS; h++)
			assert_int_equal(hub_has(hcw_hub(h), &edge(i)->id),
					 hcw_hub(h) == edge(i)->hub_now);
	}
	for (uint32_t g = 0; g < HCW_GATEWAYS; g++) {
		after = NULL;
		for (uint32_t i = 0; i < EDGES; i++) {
			assert_true(hc_gateway_edge_next(node(g)->gateway,
							 &world->cluster.id,
							 after, &view));
			after = &edge(i)->id;
			assert_memory_equal(&view.id, after, CTL_ID_LEN);
			assert_true(view.connected && !view.asking);
			assert_int_equal(view.preferred, g == 0);
			assert_memory_equal(&view.hub,
					    &node(edge(i)->hub_now)->id,
					    CTL_ID_LEN);
		}
	}
}

/* Nobody moves any more. */
static void assert_quiet(void)
{
	uint32_t before[EDGES], moves = hcw_moves(world);

	snapshot(before);
	hcw_run(world, 10 * MINUTE);
	assert_int_equal(hcw_moves(world), moves);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now, before[i]);
}

/* A cluster whose hubs could carry everybody each: no move is for load. */
static void make(uint64_t seed)
{
	world = hcw_new(seed, HUBS, EDGES);
	for (uint32_t i = 0; i < HUBS; i++)
		node(hcw_hub(i))->load.capacity = 10 * EDGES;
}

static const int64_t gaps[] = { 100 * SIM_MS, 3 * SIM_S, 12 * SIM_S,
				90 * SIM_S };
#define GAPS (sizeof(gaps) / sizeof(gaps[0]))

static void test_start(void **state)
{
	for (size_t order = 0; order < ORDERS; order++)
		for (size_t gap = 0; gap < GAPS; gap++) {
			make(40 + order);
			for (int i = 0; i < GROUPS; i++) {
				each(orders[order][i], hcw_start);
				hcw_run(world, gaps[gap]);
			}
			hcw_run(world, MINUTE);
			assert_agree();
			assert_quiet();
			end();
		}
}

/* One gateway, one hub, some edges; in every order, one way or the other. */
static void restart(enum part part, bool clean, int64_t gap_us)
{
	uint32_t index[GROUPS] = { 0, hcw_hub(1), hcw_edge(world, 5) };
	uint32_t n = part == THE_EDGES ? 10 : 1;

	for (uint32_t i = 0; i < n; i++)
		(clean ? hcw_stop : hcw_kill)(world, index[part] + i);
	hcw_run(world, gap_us);
	for (uint32_t i = 0; i < n; i++)
		hcw_start(world, index[part] + i);
	if (part == THE_HUBS)
		hcw_routes(world, index[part], 100);
}

static bool is_restarted(uint32_t edge)
{
	return edge >= 5 && edge < 15;
}

static void test_restart(void **state)
{
	uint32_t before[EDGES];

	for (size_t i = 0; i < 2 * ORDERS * GAPS; i++) {
		const enum part *order = orders[i / 2 % ORDERS];
		int64_t gap_us = gaps[i / 2 / ORDERS];

		make(7);
		begin(HUBS);
		snapshot(before);
		for (uint32_t e = 0; e < EDGES; e++)
			edge(e)->worst_us = 0;
		for (int g = 0; g < GROUPS; g++) {
			restart(order[g], i % 2, gap_us);
			hcw_run(world, gap_us / 2);
		}
		hcw_run(world, 2 * MINUTE);
		assert_agree();
		/* Who wasn't concerned isn't elsewhere, and never was. */
		for (uint32_t e = 0; e < EDGES; e++) {
			if (is_restarted(e) || before[e] == hcw_hub(1))
				continue;
			assert_int_equal(edge(e)->hub_now, before[e]);
			assert_int_equal(edge(e)->moves, 0);
			assert_int_equal(edge(e)->worst_us, 0);
		}
		assert_quiet();
		end();
	}
}

/* -- versions -- */

static void say_more(struct hcw *w, uint32_t index)
{
	w->nodes[index].newer = true;
}

/* Whoever says more than the others know: everything is as it was. */
static void test_newer(void **state)
{
	uint32_t before[EDGES];

	for (unsigned int newer = 0; newer < 1 << GROUPS; newer++) {
		make(7);
		for (int part = 0; part < GROUPS; part++)
			if (newer & 1U << part)
				each((enum part)part, say_more);
		begin(HUBS);
		hcw_drain(world, hcw_hub(0), true);
		hcw_run(world, 2 * SIM_S);
		assert_int_equal(carried(0), 0);
		hcw_drain(world, hcw_hub(0), false);
		hcw_run(world, MINUTE);
		hcw_kill(world, hcw_hub(2));
		until_served(7 * SIM_S, 10 * SIM_S);
		hcw_start(world, hcw_hub(2));
		hcw_routes(world, hcw_hub(2), 100);
		hcw_run(world, MINUTE);
		hcw_routes(world, hcw_hub(1), 0);
		hcw_run(world, MINUTE);
		assert_int_equal(carried(1), 0);
		hcw_routes(world, hcw_hub(1), 100);
		hcw_run(world, 2 * MINUTE);
		assert_agree();
		/* The gateway that edges follow dies, and returns. */
		snapshot(before);
		hcw_kill(world, 0);
		hcw_run(world, MINUTE);
		hcw_start(world, 0);
		hcw_run(world, MINUTE);
		for (uint32_t i = 0; i < EDGES; i++)
			assert_int_equal(edge(i)->hub_now, before[i]);
		assert_agree();
		assert_quiet();
		end();
	}
}

/* -- cut off -- */

/* What may be cut: who from whom. */
enum wire {
	FIRST_FROM_HUBS,
	FIRST_FROM_A_HUB,
	FIRST_FROM_EDGES,
	SECOND_FROM_HUBS,
	SECOND_FROM_EDGES,
	EDGES_FROM_A_HUB,
	WIRES,
};

static void cut_edges(uint32_t from, bool off)
{
	for (uint32_t i = 0; i < EDGES; i++)
		hcw_cut(world, from, hcw_edge(world, i), off);
}

static void cut_hubs(uint32_t from, bool off)
{
	for (uint32_t i = 0; i < HUBS; i++)
		hcw_cut(world, from, hcw_hub(i), off);
}

static void cut(enum wire wire, bool off)
{
	switch (wire) {
	case FIRST_FROM_HUBS:
		cut_hubs(0, off);
		break;
	case FIRST_FROM_A_HUB:
		hcw_cut(world, 0, hcw_hub(2), off);
		break;
	case FIRST_FROM_EDGES:
		cut_edges(0, off);
		break;
	case SECOND_FROM_HUBS:
		cut_hubs(1, off);
		break;
	case SECOND_FROM_EDGES:
		cut_edges(1, off);
		break;
	case EDGES_FROM_A_HUB:
		cut_edges(hcw_hub(1), off);
		break;
	case WIRES:
		break;
	}
}

/* Who reaches its hub has one all the time. */
static void watch(bool hub_cut, int64_t for_us)
{
	int64_t until_us = hcw_now(world) + for_us;

	while (hcw_now(world) < until_us) {
		hcw_run(world, 100 * SIM_MS);
		for (uint32_t i = 0; !hub_cut && i < EDGES; i++)
			assert_int_not_equal(edge(i)->hub_now, 0);
	}
}

/* Does the gateway that edges follow hear fewer hubs than there are? */
static bool misses_hubs(unsigned int cuts)
{
	if (!(cuts & 1 << FIRST_FROM_EDGES))
		return cuts & (1 << FIRST_FROM_HUBS | 1 << FIRST_FROM_A_HUB);
	return !(cuts & 1 << SECOND_FROM_EDGES) && cuts & 1 << SECOND_FROM_HUBS;
}

/* Do gateways hear the edges, but no hub?  They know of no other one. */
static bool is_blind(unsigned int cuts)
{
	bool first = !(cuts & 1 << FIRST_FROM_EDGES);
	bool second = !(cuts & 1 << SECOND_FROM_EDGES);

	return (first || second) && (!first || cuts & 1 << FIRST_FROM_HUBS) &&
	       (!second || cuts & 1 << SECOND_FROM_HUBS);
}

static void test_cuts(void **state)
{
	uint32_t before[EDGES];

	for (unsigned int cuts = 1; cuts < 1 << WIRES; cuts++) {
		bool hub_cut = cuts & 1 << EDGES_FROM_A_HUB;
		bool harmless = !hub_cut && !misses_hubs(cuts);

		make(7);
		begin(HUBS);
		snapshot(before);
		for (int wire = 0; wire < WIRES; wire++)
			if (cuts & 1U << wire)
				cut(wire, true);
		watch(hub_cut, 40 * SIM_S);
		/* Two hubs are left to everybody. */
		if (!(hub_cut && is_blind(cuts)) && !hcw_all_served(world))
			fail_msg("somebody has no hub, cuts 0x%x", cuts);
		for (uint32_t i = 0; harmless && i < EDGES; i++)
			assert_int_equal(edge(i)->hub_now, before[i]);
		for (int wire = 0; wire < WIRES; wire++)
			if (cuts & 1U << wire)
				cut(wire, false);
		watch(hub_cut, 2 * MINUTE);
		assert_agree();
		assert_quiet();
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_newer),
		cmocka_unit_test(test_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
