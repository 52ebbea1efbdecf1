// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gateways, hubs and edges together, small clusters: every adverse case of the
 * specification that needs no kernel.  Several gateways, an edge and its
 * hub, mistakes; the others are in test_hc_world.c.
 */
#include "config.h"

#include "hc_world_test.h"

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

/*
 * Edges that a gateway has moved when it returned, because their hub is loaded,
 * stay when it dies again: the other one knows where they are.
 */
static void test_gateway_moves_at_return(void **state)
{
	uint32_t before, moved;

	begin(3);
	/* Nobody is where it would be assigned to. */
	hcw_drain(world, hcw_hub(0), true);
	hcw_run(world, MINUTE);
	hcw_drain(world, hcw_hub(0), false);
	for (uint32_t i = 1; i < 3; i++)
		node(hcw_hub(i))->load.cpu = node(hcw_hub(i))->load.memory =
			9900;
	hcw_run(world, MINUTE);
	before = hcw_moves(world);
	hcw_kill(world, 0);
	hcw_run(world, MINUTE);
	assert_int_equal(hcw_moves(world), before);
	/* The hubs come first, so that their load is known. */
	for (uint32_t i = 0; i < EDGES; i++)
		hcw_cut(world, 0, hcw_edge(world, i), true);
	hcw_start(world, 0);
	hcw_run(world, 8 * SIM_S);
	for (uint32_t i = 0; i < EDGES; i++)
		hcw_cut(world, 0, hcw_edge(world, i), false);
	hcw_run(world, MINUTE);
	moved = hcw_moves(world) - before;
	assert_true(moved > 0);
	hcw_kill(world, 0);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(hcw_moves(world) - before, moved);
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

/* Nobody to ask: what works goes on, and the standby takes over from a hub. */
static void test_no_gateways(void **state)
{
	struct hc_edge_self_view view;
	uint32_t before[EDGES], n_last = 0;

	begin(3);
	snapshot(before);
	hcw_kill(world, 0);
	hcw_kill(world, 1);
	hcw_run(world, 30 * MINUTE);
	assert_true(hcw_all_served(world));
	assert_int_equal(hcw_moves(world), 0);
	hcw_kill(world, hcw_hub(1));
	until_served(7 * SIM_S, 8 * SIM_S);
	for (uint32_t i = 0; i < EDGES; i++) {
		hc_edge_self_view(edge(i)->edge, &view);
		if (before[i] != hcw_hub(1))
			assert_int_equal(edge(i)->hub_now, before[i]);
		else
			assert_int_equal(view.current.why, HC_WHY_STANDBY);
	}
	/* The rest of them dies as well: the standby and the last one in turn. */
	hcw_kill(world, hcw_hub(0));
	hcw_kill(world, hcw_hub(2));
	hcw_run(world, MINUTE);
	hcw_start(world, hcw_hub(0));
	hcw_start(world, hcw_hub(2));
	hcw_run(world, MINUTE);
	assert_true(hcw_all_served(world));
	for (uint32_t i = 0; i < EDGES; i++) {
		hc_edge_self_view(edge(i)->edge, &view);
		n_last += view.current.why == HC_WHY_LAST;
	}
	assert_true(n_last > 0);
	hcw_start(world, hcw_hub(1));
	/* The gateways come back, and keep it so. */
	hcw_start(world, 0);
	hcw_start(world, 1);
	hcw_run(world, 5 * MINUTE);
	assert_int_equal(hcw_moves(world), 0);
	end();
}

/* Gateways that hear no hub: edges keep what they have, and find it again. */
static void test_blind_gateways(void **state)
{
	uint32_t before[EDGES];

	begin(3);
	for (uint32_t g = 0; g < HCW_GATEWAYS; g++)
		for (uint32_t i = 0; i < 3; i++)
			hcw_cut(world, g, hcw_hub(i), true);
	hcw_run(world, MINUTE);
	assert_true(hcw_all_served(world));
	snapshot(before);
	/* All hubs restart. */
	for (uint32_t i = 0; i < 3; i++) {
		hcw_kill(world, hcw_hub(i));
		hcw_run(world, SIM_S);
		hcw_start(world, hcw_hub(i));
	}
	hcw_run(world, 20 * SIM_S);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_int_equal(edge(i)->hub_now, before[i]);
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

/* It is to go to a hub that dies before it is there: it stays where it is. */
static void test_hub_dies_before_the_move(void **state)
{
	struct hc_edge_self_view view;
	uint32_t at, to;

	begin(3);
	at = edge(0)->hub_now;
	to = at == hcw_hub(0) ? hcw_hub(1) : hcw_hub(0);
	hcw_cut(world, edge(0)->index, to, true);
	assert_int_equal(hc_gateway_move(node(0)->gateway, &world->cluster.id,
					 &edge(0)->id, &node(to)->id,
					 hcw_now(world)),
			 HC_OK);
	hcw_run(world, SIM_S);
	hc_edge_self_view(edge(0)->edge, &view);
	assert_int_equal(view.state, HC_EDGE_MOVING);
	hcw_stop(world, to);
	hcw_run(world, MINUTE);
	hc_edge_self_view(edge(0)->edge, &view);
	assert_int_equal(view.state, HC_EDGE_ATTACHED);
	assert_int_equal(edge(0)->hub_now, at);
	assert_int_equal(edge(0)->moves, 0);
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
	struct hc_cluster_view cluster;
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
	assert_true(hc_gateway_cluster_get(node(0)->gateway, &world->cluster.id,
					   &cluster));
	assert_int_equal(cluster.moves, 1);
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
	assert_int_equal(hc_gateway_move(node(0)->gateway, &world->cluster.id,
					 &node(to)->id, &node(to)->id,
					 hcw_now(world)),
			 HC_WHY_UNKNOWN_EDGE);
	hcw_drain(world, hcw_hub(2), true);
	hcw_run(world, 2 * SIM_S);
	assert_int_equal(hc_gateway_move(node(0)->gateway, &world->cluster.id,
					 &edge(0)->id, &node(hcw_hub(2))->id,
					 hcw_now(world)),
			 HC_WHY_DRAINING);
	/* The gateway that isn't preferred would say it in vain. */
	to = edge(1)->hub_now == hcw_hub(0) ? hcw_hub(1) : hcw_hub(0);
	assert_int_equal(hc_gateway_move(node(1)->gateway, &world->cluster.id,
					 &edge(1)->id, &node(to)->id,
					 hcw_now(world)),
			 HC_WHY_NOT_PREFERRED);
	hcw_run(world, SIM_S);
	assert_int_not_equal(edge(1)->hub_now, to);
	assert_int_equal(world->ignored, 0);
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
		cmocka_unit_test(test_gateways_agree),
		cmocka_unit_test(test_gateways_disagree),
		cmocka_unit_test(test_gateway_moves_at_return),
		cmocka_unit_test(test_a_gateway_that_misses_a_hub),
		cmocka_unit_test(test_no_gateways),
		cmocka_unit_test(test_blind_gateways),
		cmocka_unit_test(test_unreachable_hub),
		cmocka_unit_test(test_hub_dies_before_the_move),
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
