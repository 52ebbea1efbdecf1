// SPDX-License-Identifier: GPL-2.0-or-later
/* Hub clustering over the control protocol: what ends, what is silent. */
#include "config.h"

#include <stdio.h>

#include "sim_hc_ctl.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

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

/* The first edge of a hub. */
static uint32_t edge_of(uint32_t hub)
{
	uint32_t e = EDGE(0);

	while (parties[e].via != hub)
		e++;
	assert_true(e < NODES);
	return e;
}

static void move(uint32_t e, uint32_t to)
{
	struct ctl_id cluster_id = cluster(), edge_id = id_of(e);
	struct ctl_id hub_id = id_of(to);

	assert_int_equal(hc_gateway_move(parties[0].gateway, &cluster_id,
					 &edge_id, &hub_id, sim_ctl_now(world)),
			 HC_OK);
}

/*
 * Edges that are at a hub just in case are no load of it: else each time that
 * another hub is silent for some seconds, all would be redistributed.
 */
static void test_guard_is_no_load(void **state)
{
	uint32_t e0, e1;

	preestablish = true;
	/* 4 of 8 are below the limit, 6 aren't. */
	capacity = 8;
	begin(10, false);
	start_all();
	/* These two would be moved back by that. */
	e0 = edge_of(HUB(0));
	e1 = edge_of(HUB(1));
	move(e0, HUB(1));
	move(e1, HUB(0));
	sim_ctl_run(world, MINUTE);
	assert_int_equal(moves(), 2);
	cut_all(HUB(2), true);
	sim_ctl_run(world, 5500 * SIM_MS);
	cut_all(HUB(2), false);
	sim_ctl_run(world, 10 * SIM_S);
	assert_true(attached_all() >= EDGES + 3);
	sim_ctl_run(world, 3 * MINUTE);
	assert_int_equal(attached_all(), EDGES);
	assert_int_equal(moves(), 2);
	assert_int_equal(parties[0].left, 0);
	/* When the hub dies they are. */
	end_node(HUB(2), false);
	sim_ctl_run(world, MINUTE);
	assert_int_equal(routed_by(HUB(0)) + routed_by(HUB(1)), EDGES);
	for (uint32_t hub = HUB(0); hub < HUB(2); hub++)
		assert_int_equal(hc_hub_tunnels(parties[hub].hub),
				 routed_by(hub));
	end();
	preestablish = false;
	capacity = 100;
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

/* What only a newer version understands is left out, and counted. */
static void test_newer_items(void **state)
{
	uint32_t hub;

	begin(11, false);
	start_all();
	hub = some_hub();
	for (uint16_t type = HC_ITEM_PLACE + 1; type <= HC_ITEM_LAST; type++)
		assert_true(ctl_send(sim_ctl_peer(&world->nodes[hub], 0), type,
				     "news", 4, sim_ctl_now(world)));
	sim_ctl_run(world, MINUTE);
	assert_int_equal(ctl_counter(world->nodes[0].ctl, CTL_RX_UNKNOWN_ITEM),
			 HC_ITEM_LAST - HC_ITEM_PLACE);
	assert_int_equal(parties[0].left, 0);
	assert_int_equal(moves(), 0);
	end();
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
		cmocka_unit_test(test_guard_is_no_load),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_newer_items),
		cmocka_unit_test(test_hub_links),
		cmocka_unit_test(test_duplicate_id),
		cmocka_unit_test(test_session_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
