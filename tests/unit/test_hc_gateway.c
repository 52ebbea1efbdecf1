// SPDX-License-Identifier: GPL-2.0-or-later
/* A gateway by itself: what it says when hubs and edges say something. */
#include "config.h"

#include "hc_gateway_test.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void test_answers(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_EDGE };

	edge(1, 0, ASK | OUR);
	assert_int_equal(told[1].why, HC_WHY_NO_HUB);
	assert_true(ctl_id_is_null(&told[1].hub));
	hub(10);
	hub(11);
	edge(1, 0, ASK | OUR);
	assert_int_equal(TOLD(1), 11);
	assert_int_equal(told[1].port, 4711);
	assert_int_equal(told[1].why, HC_WHY_ASSIGNED);
	assert_int_equal(told[1].sequence, 2);
	/* What isn't a question isn't answered. */
	edge(1, 11, OUR);
	assert_int_equal(n_told[1], 2);
	/* A new session counts anew. */
	down(1, false);
	edge(1, 11, ASK | OUR);
	assert_int_equal(told[1].sequence, 1);
	assert_int_equal(told[1].why, HC_WHY_KEPT);
	/* A cluster that isn't ours. */
	msg.edge.cluster = id(7);
	msg.edge.flags = ASK;
	msg.edge.token = 77;
	receive(2, &msg);
	assert_int_equal(told[2].why, HC_WHY_NO_CLUSTER);
	assert_int_equal(told[2].token, 77);
	msg.edge.flags = 0;
	receive(2, &msg);
	assert_int_equal(n_told[2], 1);
}

/* An edge that doesn't name its cluster again is in another one, or none. */
static void test_not_said_again(void **state)
{
	struct ctl_id peer = id(1), cluster = id(CLUSTER);
	struct hc_cluster_view view;

	hub(10);
	edge(1, 0, ASK | OUR);
	edge(1, 10, OUR);
	edge(2, 0, ASK | OUR);
	/* The end without a beginning is nothing; then it says it. */
	hc_gateway_sync(gw, &peer, false, now);
	hc_gateway_sync(gw, &peer, true, now);
	edge(1, 10, OUR);
	hc_gateway_sync(gw, &peer, false, now);
	assert_true(hc_gateway_cluster_get(gw, &cluster, &view));
	assert_int_equal(view.edges, 2);
	hc_gateway_sync(gw, &peer, true, now);
	hc_gateway_sync(gw, &peer, false, now);
	assert_true(hc_gateway_cluster_get(gw, &cluster, &view));
	assert_int_equal(view.edges, 1);
	/* It isn't there: nothing is begun with it, and nothing ended. */
	hc_gateway_sync(gw, &peer, true, now);
	hc_gateway_sync(gw, &peer, false, now);
	/* Its hub's death isn't told to it; back, it counts anew. */
	n_told[1] = 0;
	down(10, false);
	assert_int_equal(n_told[1], 0);
	edge(1, 0, ASK | OUR);
	assert_int_equal(told[1].sequence, 1);
}

static void test_hub_dies(void **state)
{
	struct ctl_id peer = id(1);

	hub(10);
	hub(11);
	edge(1, 0, ASK | OUR);
	edge(1, 11, OUR);
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	edge(3, 0, ASK); /* not ours: it is told as well */
	edge(3, 11, 0);
	assert_int_equal(TOLD(3), 11);
	down(11, false);
	assert_int_equal(told[1].why, HC_WHY_HUB_DEAD);
	assert_int_equal(TOLD(1), 10);
	assert_int_equal(n_told[2], 1);
	assert_int_equal(told[3].why, HC_WHY_HUB_DEAD);
	down(10, true);
	assert_int_equal(told[2].why, HC_WHY_NO_HUB);
	assert_true(ctl_id_is_null(&told[2].hub));
	/* Full state: the last word, once more. */
	n_told[1] = 0;
	hc_gateway_full_state(gw, &peer);
	assert_int_equal(n_told[1], 1);
	down(1, false);
	hc_gateway_full_state(gw, &peer);
	assert_int_equal(n_told[1], 1);
	/* Stopped in good order. */
	hub(12);
	hub(13);
	edge(5, 0, ASK | OUR);
	edge(5, 13, OUR);
	down(13, true);
	assert_int_equal(told[5].why, HC_WHY_HUB_STOPPED);
}

static void test_hub_changes_cluster(void **state)
{
	struct hc_cluster_view view;
	struct hc_hub_view hubs;
	struct ctl_id first = id(CLUSTER), second = id(201);

	config.id = id(201);
	configure();
	hub(10);
	hub(11);
	edge(1, 0, ASK | OUR);
	edge(1, 11, OUR);
	hub_of(11, 201);
	assert_int_equal(TOLD(1), 10);
	assert_false(hc_gateway_cluster_get(gw, &(struct ctl_id){}, &view));
	assert_true(hc_gateway_cluster_next(gw, NULL, &view));
	first = view.config.id;
	memset(&view, 0, sizeof(view));
	assert_true(hc_gateway_cluster_get(gw, &first, &view));
	assert_int_equal(ctl_id_cmp(&view.config.id, &first), 0);
	assert_int_equal(view.hubs, 1);
	assert_true(hc_gateway_cluster_next(gw, &first, &view));
	assert_int_equal(view.hubs, 1);
	/* A report of the cluster that it has left isn't one. */
	report(11, 10, 5);
	assert_true(hc_gateway_hub_view(gw, &second, 0, &hubs));
	assert_false(hubs.in.reported);
	/* To one that isn't ours: refused, and gone from here. */
	hub_of(11, 99);
	assert_true(hc_gateway_cluster_next(gw, &first, &view));
	assert_int_equal(view.hubs, 0);
	assert_int_equal(n_events[HC_EVENT_REFUSED], 1);
	hc_gateway_cluster_del(gw, &second);
	assert_false(hc_gateway_cluster_next(gw, &first, &view));
	hc_gateway_cluster_del(gw, &second);
}

/* Whoever comes last, an odd one is told. */
static void test_differs(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_HUB };

	hub(11);
	hub(12);
	assert_int_equal(n_events[HC_EVENT_DIFFERS], 0);
	msg.hub.cluster = id(CLUSTER);
	msg.hub.capacity = 50;
	receive(10, &msg);
	assert_int_equal(n_events[HC_EVENT_DIFFERS], 1);
	assert_int_equal(last_event.hub.bytes[15], 10);
	/* It is as they are. */
	msg.hub.capacity = 100;
	receive(10, &msg);
	assert_int_equal(n_events[HC_EVENT_DIFFERS], 1);
	/* Another model, of one in the middle. */
	strlcpy(msg.hub.model, "other", sizeof(msg.hub.model));
	receive(11, &msg);
	assert_int_equal(n_events[HC_EVENT_DIFFERS], 2);
	assert_int_equal(last_event.hub.bytes[15], 11);
	/* With nobody else there is nothing to compare with. */
	down(10, true);
	down(12, true);
	receive(11, &msg);
	assert_int_equal(n_events[HC_EVENT_DIFFERS], 2);
}

static void test_refused(void **state)
{
	struct hc_refused list[HC_REFUSED_MAX];

	for (unsigned int i = 0; i < HC_REFUSED_MAX + 3; i++) {
		now += S;
		hub_of(30 + i, 99);
		hub_of(30 + i, 98);
	}
	assert_int_equal(hc_gateway_refused(gw, list), HC_REFUSED_MAX);
	for (int i = 0; i < HC_REFUSED_MAX; i++) {
		assert_true(list[i].hub.bytes[15] >= 33);
		assert_int_equal(list[i].cluster.bytes[15], 98);
		assert_int_equal(list[i].count, 2);
	}
	/* More hubs than a cluster can have. */
	for (unsigned int i = 0; i < HC_HUBS_MAX; i++)
		hub(100 + i);
	n_events[HC_EVENT_REFUSED] = 0;
	hub(10);
	assert_int_equal(n_events[HC_EVENT_REFUSED], 1);
	/* More clusters than a gateway can have. */
	for (unsigned int i = 1; i < HC_CLUSTERS_MAX; i++) {
		config.id = id(i);
		assert_true(hc_gateway_cluster_set(gw, &config, now));
	}
	config.id = id(150);
	assert_false(hc_gateway_cluster_set(gw, &config, now));
}

static void test_too_many_edges(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_EDGE };
	struct ctl_id peer;

	config.id = id(CLUSTER);
	msg.edge.cluster = id(CLUSTER);
	for (unsigned int i = 0; i < HC_EDGES_MAX; i++) {
		peer = id(i);
		hc_gateway_receive(gw, &peer, &msg, now);
	}
	msg.edge.flags = ASK;
	peer = id(HC_EDGES_MAX + 3);
	n_told[3] = 0;
	hc_gateway_receive(gw, &peer, &msg, now);
	assert_int_equal(n_told[3], 1);
	assert_int_equal(told[3].why, HC_WHY_NO_CLUSTER);
	/* Those that are gone make room, after a while. */
	for (unsigned int i = 0; i < 10; i++) {
		peer = id(i);
		hc_gateway_down(gw, &peer, HC_ROLES, false, now);
	}
	assert_int_equal(hc_gateway_run(gw, now), now + 120 * S);
	now += 120 * S;
	run();
	peer = id(HC_EDGES_MAX + 3);
	hc_gateway_receive(gw, &peer, &msg, now);
	run();
	assert_int_equal(told[3].why, HC_WHY_NO_HUB);
}

/* -- loss of routes -- */

static bool lost(unsigned int index)
{
	struct hc_hub_view view;

	assert_true(hc_gateway_hub_view(gw, &config.id, index, &view));
	return view.in.lost;
}

static void test_loss_and_return(void **state)
{
	hub(10);
	hub(11);
	report(10, 10, 0);
	assert_true(lost(0));
	assert_int_equal(last_event.type, HC_EVENT_LOST);
	/* Two good ones of its own; others' don't count. */
	report(11, 10, 100);
	report(11, 10, 100);
	report(10, 10, 100);
	assert_true(lost(0));
	report(10, 10, 0);
	report(10, 10, 100);
	assert_true(lost(0));
	report(11, 10, 100);
	assert_true(lost(0));
	report(10, 10, 100);
	assert_false(lost(0));
	assert_int_equal(n_events[HC_EVENT_BACK], 1);
	assert_int_equal(n_events[HC_EVENT_LOST], 1);
}

static void test_loss_waits_for_reports(void **state)
{
	hub(10);
	hub(11);
	edge(2, 0, ASK | OUR);
	assert_int_equal(TOLD(2), 10);
	edge(2, 10, OUR);
	now += 10 * S;
	report(10, 10, 0);
	pass(29 * S);
	assert_int_equal(TOLD(2), 10);
	/* The other one hasn't reported since: it isn't trusted. */
	pass(30 * S);
	assert_int_equal(TOLD(2), 10);
	/* Fewer than before: neither. */
	report(11, 10, 99);
	pass(2 * S);
	assert_int_equal(TOLD(2), 10);
	report(11, 10, 99);
	assert_int_equal(TOLD(2), 11);
	assert_int_equal(told[2].why, HC_WHY_ROUTE_LOSS);
	assert_int_equal(n_events[HC_EVENT_BULK], 1);
	assert_int_equal(last_event.count, 1);
}

/* The 30 s count from a loss that lasts. */
static void test_loss_begins_anew(void **state)
{
	hub(10);
	hub(11);
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	report(10, 10, 0);
	pass(25 * S);
	report(10, 10, 100);
	report(11, 10, 100);
	pass(10 * S);
	assert_int_equal(TOLD(2), 10);
	report(10, 10, 0);
	now += S;
	report(11, 10, 100);
	pass(28 * S);
	assert_int_equal(TOLD(2), 10);
	pass(2 * S);
	assert_int_equal(TOLD(2), 11);
}

/* By the time of the decision nobody has routes any more: nobody is better. */
static void test_loss_of_all_by_then(void **state)
{
	config.reaction = HC_IMMEDIATE;
	configure();
	hub(10);
	hub(11);
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	report(10, 10, 0);
	/* Twice: it has no fewer than before. */
	report(11, 10, 0);
	report(11, 10, 0);
	pass(5 * S);
	assert_int_equal(TOLD(2), 10);
	assert_int_equal(n_events[HC_EVENT_BULK], 0);
	/* It is worse once the other one has some again. */
	report(11, 10, 100);
	pass(5 * S);
	assert_int_equal(TOLD(2), 11);
}

/* One whose first report comes late isn't one that has lost something. */
static void test_first_report(void **state)
{
	hub(10);
	hub_of(11, CLUSTER);
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	report(10, 10, 0);
	now += 10 * S;
	report(11, 10, 50);
	assert_true(lost(0));
	pass(31 * S);
	assert_int_equal(TOLD(2), 11);
}

/* -- load -- */

static void test_fair_counts_own_moves(void **state)
{
	struct hc_hub_view view;

	hub(10);
	hub(11);
	/* 70 of 100, with nobody moved, is at the limit; one more isn't. */
	report(10, 70, 100);
	edge(3, 0, ASK | OUR);
	assert_int_equal(TOLD(3), 11);
	edge(3, 10, OUR); /* it is at the other one all the same */
	pass(31 * S);
	assert_int_equal(n_events[HC_EVENT_BULK], 0);
	edge(2, 0, ASK | OUR);
	assert_int_equal(TOLD(2), 10);
	edge(2, 10, OUR);
	pass(2 * S);
	assert_int_equal(n_events[HC_EVENT_BULK], 1);
	assert_int_equal(TOLD(3), 11);
	assert_int_equal(told[3].why, HC_WHY_FAIR);
	assert_int_equal(TOLD(2), 10);
	assert_true(hc_gateway_hub_view(gw, &config.id, 0, &view));
	assert_int_equal(view.in.load.tunnels, 70);
	report(10, 72, 100);
	assert_true(hc_gateway_hub_view(gw, &config.id, 0, &view));
	assert_int_equal(view.in.load.tunnels, 72);
}

/* What was told to a hub is in its next report, and isn't counted twice. */
static void test_report_has_own_moves(void **state)
{
	hub(10);
	hub(11);
	report(10, 69, 100);
	edge(3, 0, ASK | OUR);
	assert_int_equal(TOLD(3), 11);
	edge(3, 10, OUR);
	edge(2, 0, ASK | OUR);
	assert_int_equal(TOLD(2), 10);
	edge(2, 10, OUR);
	report(10, 70, 100);
	pass(31 * S);
	assert_int_equal(n_events[HC_EVENT_BULK], 0);
}

static uint32_t tunnels_at(size_t index)
{
	struct hc_hub_view view;

	assert_true(hc_gateway_hub_view(gw, &config.id, index, &view));
	return view.in.load.tunnels;
}

/* An edge goes and returns, with and without a report in between. */
static void test_gone_edge_counts(void **state)
{
	hub(10);
	hub(11);
	report(10, 20, 100);
	edge(2, 0, ASK | OUR);
	assert_int_equal(TOLD(2), 10);
	edge(2, 10, OUR);
	assert_int_equal(tunnels_at(0), 21);
	down(2, true);
	assert_int_equal(tunnels_at(0), 20);
	/* It is the one that the report doesn't have any more. */
	now += S;
	report(10, 20, 100);
	edge(2, 0, ASK | OUR);
	assert_int_equal(tunnels_at(0), 21);
	edge(2, 10, OUR);
	assert_int_equal(tunnels_at(0), 21);
	/* Only its session with us had ended: it was there all the time. */
	down(2, false);
	assert_int_equal(tunnels_at(0), 20);
	now += S;
	edge(2, 10, OUR);
	assert_int_equal(tunnels_at(0), 21);
	edge(2, 10, OUR);
	assert_int_equal(tunnels_at(0), 21);
	/* The same, and the hub has said so. */
	down(2, false);
	now += S;
	report(10, 21, 100);
	edge(2, 10, OUR);
	assert_int_equal(tunnels_at(0), 21);
	/* It comes back at another hub: that one's report has it. */
	down(2, false);
	edge(2, 11, OUR);
	assert_int_equal(tunnels_at(0), 20);
	assert_int_equal(tunnels_at(1), 10);
}

/* A hub that returns has none of the edges that it had. */
static void test_gone_hub_counts(void **state)
{
	hub(10);
	hub(11);
	edge(2, 0, ASK | OUR);
	assert_int_equal(TOLD(2), 10);
	edge(2, 10, OUR);
	down(2, true);
	down(10, true);
	hub(10);
	assert_int_equal(tunnels_at(0), 10);
	edge(2, 0, ASK | OUR);
	assert_int_equal(TOLD(2), 10);
	assert_int_equal(tunnels_at(0), 11);
	/* It hasn't reported yet, and there is nothing to add to. */
	edge(2, 10, OUR);
	down(2, true);
	down(10, true);
	hub_of(10, CLUSTER);
	edge(2, 10, OUR);
	assert_int_equal(tunnels_at(0), 0);
	down(2, true);
	/* Only from us: what an edge says that it is at is in the report. */
	edge(3, 0, ASK);
	assert_int_equal(TOLD(3), 11);
	edge(3, 10, 0);
	down(10, false);
	hub_of(10, CLUSTER);
	report(10, 20, 100);
	down(11, true);
	assert_int_equal(TOLD(3), 10);
	assert_int_equal(tunnels_at(0), 20);
}

/* An edge waits for its answer while the hub that it lost goes and returns. */
static void test_gone_hub_of_asking(void **state)
{
	hc_gateway_cluster_del(gw, &config.id);
	config.settle_ms = 60000;
	configure();
	hub(10);
	hub(11);
	edge(2, 10, OUR);
	edge(2, 0, ASK | OUR);
	assert_int_equal(n_told[2], 0);
	down(10, true);
	hub(10);
	pass(60 * S);
	assert_int_equal(TOLD(2), 10);
	assert_int_equal(tunnels_at(0), 11);
}

static void test_auto_does_not_return(void **state)
{
	config.auto_rebalance = true;
	configure();
	hub(10);
	hub(11);
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	/* The tunnels stay below the limit. */
	struct hc_msg msg = { .type = HC_ITEM_REPORT };

	msg.report.cluster = id(CLUSTER);
	msg.report.flags = HC_REPORT_TUNNELS | HC_REPORT_ROUTES;
	msg.report.routes = 100;
	msg.report.tunnels = 60;
	msg.report.cpu = msg.report.memory = 8500;
	receive(10, &msg);
	assert_int_equal(TOLD(2), 11);
	assert_int_equal(told[2].why, HC_WHY_AUTO);
	edge(2, 11, OUR);
	/* Now the other one is loaded: not back for two minutes. */
	receive(11, &msg);
	report(10, 10, 100);
	pass(119 * S);
	assert_int_equal(TOLD(2), 11);
	pass(2 * S);
	assert_int_equal(TOLD(2), 10);
	/* Also if it was away meanwhile. */
	edge(2, 10, OUR);
	receive(10, &msg);
	report(11, 10, 100);
	down(2, false);
	edge(2, 10, ASK | OUR);
	assert_int_equal(told[2].why, HC_WHY_REPLACED_LOADED);
}

/* Nothing can be moved: that is looked for again, but not all the time. */
static void test_auto_in_vain(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_REPORT };

	config.auto_rebalance = true;
	configure();
	hub(10);
	hub(11);
	edge(3, 0, ASK | OUR);
	edge(3, 11, OUR);
	msg.report.cluster = id(CLUSTER);
	msg.report.flags = HC_REPORT_TUNNELS;
	msg.report.tunnels = 60;
	msg.report.cpu = msg.report.memory = 8500;
	receive(10, &msg);
	now += 10 * S;
	assert_int_equal(hc_gateway_run(gw, now), now + S);
	/* An edge comes there. */
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	pass(S);
	assert_int_equal(TOLD(2), 11);
	assert_int_equal(told[2].why, HC_WHY_AUTO);
}

/* One that doesn't do what it is told is left alone for a while. */
static void test_in_motion(void **state)
{
	hub(10);
	hub(11);
	edge(2, 0, ASK | OUR);
	edge(2, 10, OUR);
	struct hc_msg msg = { .type = HC_ITEM_REPORT };

	msg.report.cluster = id(CLUSTER);
	msg.report.flags = HC_REPORT_DRAINING;
	receive(10, &msg);
	assert_int_equal(told[2].why, HC_WHY_DRAINED);
	assert_int_equal(n_told[2], 2);
	pass(29 * S);
	assert_int_equal(n_told[2], 2);
	pass(3 * S);
	assert_int_equal(n_told[2], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GW_TEST(test_answers),
		GW_TEST(test_not_said_again),
		GW_TEST(test_hub_dies),
		GW_TEST(test_hub_changes_cluster),
		GW_TEST(test_refused),
		GW_TEST(test_too_many_edges),
		GW_TEST(test_loss_and_return),
		GW_TEST(test_loss_waits_for_reports),
		GW_TEST(test_loss_begins_anew),
		GW_TEST(test_loss_of_all_by_then),
		GW_TEST(test_first_report),
		GW_TEST(test_fair_counts_own_moves),
		GW_TEST(test_report_has_own_moves),
		GW_TEST(test_gone_edge_counts),
		GW_TEST(test_gone_hub_counts),
		GW_TEST(test_gone_hub_of_asking),
		GW_TEST(test_auto_does_not_return),
		GW_TEST(test_auto_in_vain),
		GW_TEST(test_differs),
		GW_TEST(test_in_motion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
