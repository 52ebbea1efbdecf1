// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hub clustering over the control protocol: words that a full queue took.  What
 * is lost most easily is that something is no more: nothing that follows says
 * it, unless who hears a full state forgets what isn't in it.
 */
#include "config.h"

#include "sim_hc_ctl.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void stuff(uint32_t from, uint32_t to)
{
	while (sim_ctl_log(&world->nodes[from], to))
		;
}

static void cut(uint32_t a, uint32_t b, bool off)
{
	for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
		sim_ctl_cut(world, a, b, link, off);
}

/* Nothing passes between them, and nothing more fits into from's queue. */
static void stuck(uint32_t from, uint32_t to)
{
	cut(from, to, true);
	stuff(from, to);
}

static void free_again(uint32_t from, uint32_t to)
{
	cut(from, to, false);
}

static bool hub_has(uint32_t hub, uint32_t edge)
{
	struct hc_hub_edge_view view;
	const struct ctl_id *after = NULL;

	while (parties[hub].hub &&
	       hc_hub_edge_next(parties[hub].hub, after, &view)) {
		if (index_of(&view.id) == edge)
			return true;
		after = &view.id;
	}
	return false;
}

/* Where a gateway believes that an edge is; NODES: it doesn't know it. */
static uint32_t gateway_has(uint32_t gateway, uint32_t edge)
{
	struct hc_edge_view view;
	struct ctl_id cluster_id = cluster();
	const struct ctl_id *after = NULL;

	while (hc_gateway_edge_next(parties[gateway].gateway, &cluster_id,
				    after, &view)) {
		if (index_of(&view.id) == edge)
			return view.connected ? index_of(&view.hub) : NODES;
		after = &view.id;
	}
	return NODES;
}

/* After a quiet while everybody says the same of who is attached where. */
static void assert_agree(void)
{
	struct hc_edge_self_view view;

	for (uint32_t e = EDGE(0); e < NODES; e++) {
		hc_edge_self_view(parties[e].edge, &view);
		assert_int_equal(index_of(&view.current.hub), parties[e].via);
		for (uint32_t hub = HUB(0); hub < HUB(HUBS); hub++)
			assert_int_equal(hub_has(hub, e), hub == parties[e].via);
		for (uint32_t gateway = 0; gateway < GATEWAYS; gateway++)
			assert_int_equal(gateway_has(gateway, e),
					 parties[e].via);
	}
}

static uint32_t hub_but(uint32_t not )
{
	return not == HUB(0) ? HUB(1) : HUB(0);
}

/* An operator's; true if it is possible. */
static bool move(uint32_t e, uint32_t to)
{
	struct ctl_id cluster_id = cluster(), edge_id = id_of(e);
	struct ctl_id hub_id = id_of(to);

	return hc_gateway_move(parties[0].gateway, &cluster_id, &edge_id,
			       &hub_id, sim_ctl_now(world)) == HC_OK;
}

/* That an edge has left it. */
static void test_lost_detach(void **state)
{
	uint32_t e = EDGE(0), from, to;

	preestablish = true;
	begin(10, false);
	start_all();
	from = parties[e].via;
	to = hub_but(from);
	stuck(e, from);
	assert_true(move(e, to));
	sim_ctl_run(world, SIM_S);
	assert_int_equal(parties[e].via, to);
	assert_true(hub_has(from, e));
	free_again(e, from);
	sim_ctl_run(world, 2 * SIM_S);
	assert_false(hub_has(from, e));
	sim_ctl_run(world, MINUTE);
	assert_agree();
	assert_int_equal(parties[e].lost, 0);
	end();
	preestablish = false;
}

/* That hubs are gone, and with them the standby. */
static void test_lost_places(void **state)
{
	uint32_t e = EDGE(0), hub;
	struct hc_edge_self_view view;

	preestablish = true;
	begin(11, false);
	start_all();
	hub = parties[e].via;
	hc_edge_self_view(parties[e].edge, &view);
	assert_false(ctl_id_is_null(&view.standby.hub));
	stuck(0, e);
	for (uint32_t other = HUB(0); other < HUB(HUBS); other++)
		if (other != hub)
			end_node(other, true);
	sim_ctl_run(world, SIM_S);
	hc_edge_self_view(parties[e].edge, &view);
	assert_false(ctl_id_is_null(&view.standby.hub));
	free_again(0, e);
	sim_ctl_run(world, 2 * SIM_S);
	hc_edge_self_view(parties[e].edge, &view);
	assert_true(ctl_id_is_null(&view.standby.hub));
	for (uint32_t other = HUB(0); other < HUB(HUBS); other++)
		assert_int_equal(world->nodes[e].dials[other][0] != NULL,
				 other == hub);
	assert_int_equal(parties[e].via, hub);
	end();
	preestablish = false;
}

/* That a hub is of another cluster now. */
static void test_lost_refusal(void **state)
{
	uint32_t e = EDGE(0), hub;
	struct hc_hub_self_view view;

	preestablish = true;
	begin(12, false);
	start_all();
	hub = parties[e].via;
	stuck(hub, e);
	hc_hub_self_view(parties[hub].hub, &view);
	view.config.cluster = id_of(201);
	hc_hub_config_set(parties[hub].hub, &view.config, sim_ctl_now(world));
	op_changed(&parties[hub]);
	free_again(hub, e);
	/* Nor has it a gateway now that would say so. */
	for (uint32_t gateway = 0; gateway < GATEWAYS; gateway++)
		stuck(e, gateway);
	sim_ctl_run(world, 2 * SIM_S);
	assert_int_not_equal(parties[e].via, hub);
	for (uint32_t gateway = 0; gateway < GATEWAYS; gateway++)
		free_again(e, gateway);
	sim_ctl_run(world, MINUTE);
	assert_true(served());
	assert_agree();
	end();
	preestablish = false;
}

/* That an edge is of another cluster now: by no session's end, by no word. */
static void test_lost_edge(void **state)
{
	struct party *party = NULL;
	struct hc_edge_config config;
	uint32_t e = EDGE(0), hub;

	preestablish = true;
	begin(13, false);
	start_all();
	party = &parties[e];
	hub = party->via;
	for (uint32_t other = 0; other < HUB(HUBS); other++)
		stuff(e, other);
	hc_edge_free(&party->edge);
	hc_node_roles(hc_ctl_node(party->hc), NULL, NULL, NULL,
		      sim_ctl_now(world));
	hc_edge_config_default(&config);
	config.cluster = id_of(201);
	party->edge = hc_edge_new(&edge_ops, party, &config, sim_ctl_now(world));
	hc_node_roles(hc_ctl_node(party->hc), NULL, NULL, party->edge,
		      sim_ctl_now(world));
	assert_true(hub_has(hub, e));
	sim_ctl_run(world, 5 * SIM_S);
	assert_false(hub_has(hub, e));
	for (uint32_t gateway = 0; gateway < GATEWAYS; gateway++)
		assert_int_equal(gateway_has(gateway, e), NODES);
	end();
	preestablish = false;
}

/* Its end of the tunnel is another one: its hub has to hear of it. */
static void readdress(uint32_t e, uint32_t number)
{
	struct hc_edge_config config;

	hc_edge_config_default(&config);
	config.cluster = cluster();
	config.preestablish = true;
	config.tunnel.n = 1;
	config.tunnel.list[0] = addr("10.20.0.0");
	config.tunnel.list[0].ipaddr_v4.s_addr |= htonl(e << 8 | number);
	hc_edge_config_set(parties[e].edge, &config, sim_ctl_now(world));
	op_changed(&parties[e]);
}

static struct hc_edge_view gateway_view(uint32_t gateway, uint32_t edge)
{
	struct ctl_id cluster_id = cluster(), before = id_of(edge);
	struct hc_edge_view view = {};

	before.bytes[CTL_ID_LEN - 1]--;
	hc_gateway_edge_next(parties[gateway].gateway, &cluster_id, &before,
			     &view);
	assert_int_equal(index_of(&view.id), edge);
	return view;
}

/*
 * A full state while a question waits for its answer: what was decided on an
 * older one isn't the answer.  The edge would go back to the hub that it has
 * just lost, until its connect-timeout.
 */
static void test_no_old_answer(void **state)
{
	struct hc_edge_view view;
	uint32_t e = EDGE(0), hub;

	begin(14, false);
	world->config.timers = (struct ctl_timers){ 300, 900 };
	start_all();
	hub = parties[e].via;
	/* The only gateway has just started: it says "keep it", and waits. */
	end_node(1, false);
	end_node(0, false);
	sim_ctl_run(world, 2 * SIM_S);
	start(0);
	sim_ctl_run(world, 6 * SIM_S);
	view = gateway_view(0, e);
	assert_int_equal(index_of(&view.told), hub);
	cut(e, hub, true);
	while (parties[e].via)
		sim_ctl_run(world, 5 * SIM_MS);
	sim_ctl_run(world, 20 * SIM_MS);
	assert_true(gateway_view(0, e).asking);
	ctl_resync(sim_ctl_peer(&world->nodes[0], e),
		   hc_ctl_capability(parties[0].hc), sim_ctl_now(world));
	until_served(SIM_S);
	assert_int_not_equal(parties[e].via, hub);
	end();
}

static uint32_t any(uint32_t limit)
{
	return (uint32_t)sim_random_below(&world->random, limit);
}

/* A queue of an edge, or to it, is full while this and that happens. */
static bool trouble(uint32_t number)
{
	uint32_t e = EDGE(any(EDGES)), other = any(EDGE(0));
	bool to = any(2), moved;

	stuck(to ? other : e, to ? e : other);
	readdress(e, number);
	sim_ctl_run(world, any(2000) * SIM_MS);
	moved = move(EDGE(any(EDGES)), HUB(any(HUBS)));
	/* Or nowhere, if there is no such hub. */
	moved |= move(e, HUB(any(HUBS) + any(HUBS)));
	sim_ctl_run(world, any(3000) * SIM_MS);
	free_again(e, other);
	return moved;
}

/* Moves, while queues fill and links are cut: in the end all agree. */
static void test_agreement(void **state)
{
	uint32_t done = 0;

	preestablish = true;
	for (uint64_t seed = 20; seed < 24; seed++) {
		begin(seed, true);
		start_all();
		for (int i = 0; i < 60; i++)
			done += trouble((uint32_t)i);
		sim_ctl_run(world, 3 * MINUTE);
		assert_true(served());
		assert_agree();
		end();
	}
	assert_true(done > 100);
	preestablish = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_detach),
		cmocka_unit_test(test_lost_places),
		cmocka_unit_test(test_lost_refusal),
		cmocka_unit_test(test_lost_edge),
		cmocka_unit_test(test_no_old_answer),
		cmocka_unit_test(test_agreement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
