// SPDX-License-Identifier: GPL-2.0-or-later
/* A gateway by itself: where it says that hubs are, and the standby of edges. */
#include "config.h"

#include "hc_gateway_test.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define ALL HC_EDGE_PLACES

#define assert_places(expected)                                                \
	do {                                                                   \
		assert_string_equal(places, expected);                         \
		places[0] = '\0';                                              \
	} while (0)

/* Every edge's standby is what it would be answered without its hub. */
static void test_standby(void **state)
{
	struct ctl_id peer = id(1);
	struct hc_msg msg = { .type = HC_ITEM_REPORT };

	hub(10);
	edge(1, 0, ASK | OUR);
	edge(1, 10, OUR);
	/* There is no other. */
	assert_places("");
	hub(11);
	assert_places("1:s11@4711");
	/* 1 mod 2, of 11 and 12, without its own hub. */
	hub(12);
	assert_places("1:s12@4711");
	/* Once; and not to who has no hub, or follows somebody else. */
	edge(1, 10, OUR);
	edge(2, 0, ASK | OUR);
	edge(3, 0, ASK);
	edge(3, 10, 0);
	assert_places("");
	/* It can't be the one where it is. */
	edge(1, 12, OUR);
	assert_places("1:s11@4711");
	/* Not one that is drained; then it is again. */
	msg.report.cluster = id(CLUSTER);
	msg.report.flags = HC_REPORT_DRAINING;
	receive(11, &msg);
	assert_places("1:s10@4711");
	report(11, 10, 100);
	assert_places("1:s11@4711");
	/* It says that it can't reach that one. */
	msg = (struct hc_msg){ .type = HC_ITEM_EDGE };
	msg.edge.cluster = id(CLUSTER);
	msg.edge.flags = OUR;
	msg.edge.hub = id(12);
	msg.edge.n_unreachable = 1;
	msg.edge.unreachable[0] = id(11);
	receive(1, &msg);
	assert_places("1:s10@4711");
	/* It is elsewhere now. */
	hub_at(10, CLUSTER, 4712);
	assert_places("1:10@4712 1:s10@4712");
	/* Said again with all the rest; not to who has no session. */
	hc_gateway_full_state(gw, &peer);
	assert_places("1:10@4712 1:12@4711 1:s10@4712");
	down(10, false);
	assert_places("1:s0@0");
	/* That there is none, too: the word may have been lost. */
	hc_gateway_full_state(gw, &peer);
	assert_places("1:12@4711 1:s0@0");
	down(1, false);
	hc_gateway_full_state(gw, &peer);
	assert_places("");
	/* Another gateway was followed meanwhile: it knows nothing. */
	edge(1, 12, OUR);
	edge(1, 12, 0);
	places[0] = '\0';
	hc_gateway_full_state(gw, &peer);
	assert_places("");
	edge(1, 12, OUR);
	assert_places("1:s11@4711");
}

/* Another kind of assignment: those that would be answered something else. */
static void test_standby_rules(void **state)
{
	hub(10);
	hub(11);
	hub(12);
	for (unsigned int e = 1; e <= 4; e++)
		edge(e, 12, OUR);
	assert_places("1:s11@4711 2:s10@4711 3:s11@4711 4:s10@4711");
	config.rules.assignment = HC_RENDEZVOUS;
	configure();
	run();
	assert_places("1:s10@4711 2:s11@4711 3:s10@4711");
	/* Once. */
	configure();
	run();
	assert_places("");
}

/* Whatever the gateway decides by itself: not to where the edge can't go. */
static void test_unreachable(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_EDGE },
		      drained = { .type = HC_ITEM_REPORT };

	hub(10);
	hub(11);
	hub(12);
	msg.edge.cluster = id(CLUSTER);
	msg.edge.flags = OUR;
	msg.edge.hub = id(12);
	msg.edge.n_unreachable = 1;
	msg.edge.unreachable[0] = id(10);
	receive(2, &msg);
	receive(4, &msg);
	msg.edge.hub = id(11);
	receive(5, &msg);
	/* 2 and 4 mod 2 is the first of the others. */
	drained.report.cluster = id(CLUSTER);
	drained.report.flags = HC_REPORT_DRAINING;
	receive(12, &drained);
	assert_int_equal(TOLD(2), 11);
	assert_int_equal(told[2].why, HC_WHY_DRAINED);
	msg.edge.hub = id(11);
	receive(2, &msg);
	receive(4, &msg);
	/* Loss of routes: there is only one that has them. */
	report(12, 10, 100);
	report(12, 10, 100);
	config.reaction = HC_IMMEDIATE;
	config.bulk_hold_ms = 1000;
	configure();
	report(11, 10, 0);
	pass(2 * S);
	assert_int_equal(TOLD(2), 12);
	assert_int_equal(told[2].why, HC_WHY_ROUTE_LOSS);
	report(11, 10, 100);
	report(11, 10, 100);
	/* Its hub is gone. */
	msg.edge.hub = id(12);
	receive(2, &msg);
	down(12, false);
	assert_int_equal(TOLD(2), 11);
	assert_int_equal(told[2].why, HC_WHY_HUB_DEAD);
	/* The other one is, too: better that than none. */
	msg.edge.hub = id(11);
	receive(2, &msg);
	down(11, false);
	assert_int_equal(TOLD(2), 10);
}

/* Fair redistribution, and auto-rebalance. */
static void test_unreachable_load(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_EDGE };

	config.auto_rebalance = true;
	configure();
	hub(10);
	hub(11);
	msg.edge.cluster = id(CLUSTER);
	msg.edge.flags = OUR;
	msg.edge.hub = id(11);
	msg.edge.n_unreachable = 1;
	msg.edge.unreachable[0] = id(10);
	for (unsigned int e = 1; e <= 4; e++)
		receive(e, &msg);
	report(11, 90, 100);
	pass(130 * S);
	assert_int_equal(n_events[HC_EVENT_BULK], 0);
	assert_int_equal(n_events[HC_EVENT_MOVED], 0);
	assert_int_equal(n_events[HC_EVENT_NOTHING], 0);
	/* One that can: it is the one that is moved. */
	msg.edge.n_unreachable = 0;
	receive(4, &msg);
	pass(60 * S);
	assert_int_equal(n_events[HC_EVENT_BULK], 1);
	assert_int_equal(n_events[HC_EVENT_MOVED], 1);
	assert_int_equal(TOLD(4), 10);
}

/* A gateway that has just started names none: its hubs come one by one. */
static void test_standby_settles(void **state)
{
	struct ctl_id peer = id(1);

	config.id = id(CLUSTER + 1);
	config.settle_ms = 10000;
	configure();
	hub_of(10, CLUSTER + 1);
	hub_of(11, CLUSTER + 1);
	struct hc_msg msg = { .type = HC_ITEM_EDGE };

	msg.edge.cluster = id(CLUSTER + 1);
	msg.edge.flags = OUR;
	msg.edge.hub = id(10);
	receive(1, &msg);
	assert_places("");
	/* One that it knows of another gateway it keeps. */
	hc_gateway_full_state(gw, &peer);
	assert_places("1:10@4711");
	pass(11 * S);
	assert_places("1:s11@4711");
}

/* Where hubs are: all of them to who wants to know, else its own alone. */
static void test_places(void **state)
{
	struct ctl_id peer = id(1);

	hub(10);
	hub(11);
	edge(1, 10, OUR | ALL);
	assert_places("1:10@4711 1:11@4711 1:s11@4711");
	edge(1, 10, OUR | ALL);
	edge(2, 10, OUR);
	assert_places("2:s11@4711");
	/* Elsewhere. */
	hub_at(10, CLUSTER, 4712);
	assert_places("1:10@4712 2:10@4712");
	hub_at(10, CLUSTER, 4712);
	assert_places("");
	/* Told to be there is as good as being there. */
	edge(3, 0, ASK | OUR);
	assert_int_equal(TOLD(3), 11);
	hub_at(11, CLUSTER, 4713);
	assert_places("1:11@4713 1:s11@4713 2:s11@4713 3:11@4713");
	/* All of it, again. */
	hc_gateway_full_state(gw, &peer);
	assert_places("1:10@4712 1:11@4713 1:s11@4713");
	/* A third one comes, and goes. */
	hub(12);
	assert_places("1:12@4711 1:s12@4711");
	edge(2, 10, 0);
	down(12, true);
	assert_places("1:12@0 1:s11@4713");
	/* It doesn't want to know any more; nor does who isn't there. */
	edge(1, 10, OUR);
	hub_at(11, CLUSTER, 4711);
	assert_places("1:s11@4711 3:11@4711");
	down(3, true);
	hub_at(11, CLUSTER, 4714);
	assert_places("1:s11@4714");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GW_TEST(test_standby),	       GW_TEST(test_standby_rules),
		GW_TEST(test_unreachable),     GW_TEST(test_unreachable_load),
		GW_TEST(test_standby_settles), GW_TEST(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
