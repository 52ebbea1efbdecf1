// SPDX-License-Identifier: GPL-2.0-or-later
/* A gateway by itself: what it says when hubs and edges say something. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_gateway.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define MS INT64_C(1000)
#define S  INT64_C(1000000)

static struct hc_gateway *gw;
static struct hc_cluster_config config;
static int64_t now;
static struct hc_msg_assign told[256]; /* the last one, by edge */
static unsigned int n_told[256], n_events[16];
static char places[512]; /* that were told, in order */
static struct hc_event last_event;

static struct ctl_id id(unsigned int number)
{
	struct ctl_id made = {};

	made.bytes[14] = (uint8_t)(number >> 8);
	made.bytes[15] = (uint8_t)number;
	return made;
}

static bool op_send(void *arg, const struct ctl_id *to, const struct hc_msg *msg)
{
	size_t len = strlen(places);

	if (msg->type == HC_ITEM_PLACE) {
		snprintf(places + len, sizeof(places) - len, "%s%u:%s%u@%u",
			 len ? " " : "", to->bytes[15],
			 msg->place.flags & HC_PLACE_STANDBY ? "s" : "",
			 msg->place.hub.bytes[15], msg->place.port);
		return true;
	}
	assert_int_equal(msg->type, HC_ITEM_ASSIGN);
	told[to->bytes[15]] = msg->assign;
	n_told[to->bytes[15]]++;
	return true;
}

static void op_event(void *arg, const struct hc_event *event)
{
	n_events[event->type]++;
	last_event = *event;
}

static const struct hc_gateway_ops ops = {
	.send = op_send,
	.event = op_event,
};

#define CLUSTER	   200
#define TOLD(edge) told[edge].hub.bytes[15]

static int setup(void **state)
{
	hc_cluster_config_default(&config);
	config.id = id(CLUSTER);
	config.settle_ms = 0;
	memset(told, 0, sizeof(told));
	memset(n_told, 0, sizeof(n_told));
	memset(n_events, 0, sizeof(n_events));
	places[0] = '\0';
	now = 1000 * S;
	gw = hc_gateway_new(&ops, NULL);
	assert_true(hc_gateway_cluster_set(gw, &config, now));
	return 0;
}

static int teardown(void **state)
{
	hc_gateway_free(&gw);
	hc_gateway_free(&gw);
	return 0;
}

static void configure(void)
{
	assert_true(hc_gateway_cluster_set(gw, &config, now));
}

static void run(void)
{
	hc_gateway_run(gw, now);
}

static void pass(int64_t us)
{
	for (int64_t until = now + us; now < until; now += S)
		run();
	run();
}

static void receive(unsigned int from, const struct hc_msg *msg)
{
	struct ctl_id peer = id(from);

	hc_gateway_receive(gw, &peer, msg, now);
	run();
	/* Not more often does it look at all edges. */
	now += 100 * MS;
	run();
}

static void down(unsigned int number, bool clean)
{
	struct ctl_id peer = id(number);

	hc_gateway_down(gw, &peer, HC_ROLES, clean, now);
	run();
}

static void hub_at(unsigned int number, unsigned int cluster, uint16_t port)
{
	struct hc_msg msg = { .type = HC_ITEM_HUB };

	msg.hub.cluster = id(cluster);
	msg.hub.capacity = 100;
	msg.hub.port = port;
	receive(number, &msg);
}

static void hub_of(unsigned int number, unsigned int cluster)
{
	hub_at(number, cluster, 4711);
}

/* Score: `load` percent in all its parts. */
static void report(unsigned int number, unsigned int load, uint32_t routes)
{
	struct hc_msg msg = { .type = HC_ITEM_REPORT };

	msg.report.cluster = id(CLUSTER);
	msg.report.flags = HC_REPORT_TUNNELS | HC_REPORT_ROUTES;
	msg.report.cpu = msg.report.memory = (uint16_t)(load * 100);
	msg.report.tunnels = load;
	msg.report.routes = routes;
	receive(number, &msg);
}

static void hub(unsigned int number)
{
	hub_of(number, CLUSTER);
	report(number, 10, 100);
}

static void edge(unsigned int number, unsigned int at, uint8_t flags)
{
	static uint32_t token;
	struct hc_msg msg = { .type = HC_ITEM_EDGE };

	msg.edge.cluster = id(CLUSTER);
	msg.edge.flags = flags;
	if (flags & HC_EDGE_ASK)
		token++;
	msg.edge.token = token;
	msg.edge.hub = id(at);
	receive(number, &msg);
}

#define ASK HC_EDGE_ASK
#define OUR HC_EDGE_PREFERRED

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
	assert_places("1:s10@4712");
	down(10, false);
	assert_places("1:s0@0");
	hc_gateway_full_state(gw, &peer);
	assert_places("");
	down(1, false);
	hc_gateway_full_state(gw, &peer);
	assert_places("");
	/* Another gateway was followed meanwhile: it knows nothing. */
	edge(1, 12, OUR);
	edge(1, 12, 0);
	places[0] = '\0';
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

#define GW_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GW_TEST(test_answers),
		GW_TEST(test_hub_dies),
		GW_TEST(test_hub_changes_cluster),
		GW_TEST(test_refused),
		GW_TEST(test_too_many_edges),
		GW_TEST(test_loss_and_return),
		GW_TEST(test_loss_waits_for_reports),
		GW_TEST(test_loss_begins_anew),
		GW_TEST(test_first_report),
		GW_TEST(test_fair_counts_own_moves),
		GW_TEST(test_report_has_own_moves),
		GW_TEST(test_auto_does_not_return),
		GW_TEST(test_in_motion),
		GW_TEST(test_standby),
		GW_TEST(test_standby_rules),
		GW_TEST(test_standby_settles),
		GW_TEST(test_unreachable),
		GW_TEST(test_unreachable_load),
		GW_TEST(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
