/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of a gateway by itself share: its nodes say something, and what
 * it says is kept.  Included by one file of a program.
 */
#ifndef TESTS_UNIT_HC_GATEWAY_TEST_H
#define TESTS_UNIT_HC_GATEWAY_TEST_H

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_gateway.h"

#define MS INT64_C(1000)
#define S  INT64_C(1000000)

static struct hc_gateway *gw;
static struct hc_cluster_config config;
static int64_t now;
static struct hc_msg_assign told[256]; /* the last one, by edge */
static unsigned int n_told[256], n_events[16];
static char places[512]; /* that were told, in order */
static struct hc_event last_event;

static inline struct ctl_id id(unsigned int number)
{
	struct ctl_id made = {};

	made.bytes[14] = (uint8_t)(number >> 8);
	made.bytes[15] = (uint8_t)number;
	return made;
}

static inline bool op_send(void *arg, const struct ctl_id *to,
			   const struct hc_msg *msg)
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

static inline void op_event(void *arg, const struct hc_event *event)
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

static inline int setup(void **state)
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

static inline int teardown(void **state)
{
	hc_gateway_free(&gw);
	hc_gateway_free(&gw);
	return 0;
}

static inline void configure(void)
{
	assert_true(hc_gateway_cluster_set(gw, &config, now));
}

static inline void run(void)
{
	hc_gateway_run(gw, now);
}

static inline void pass(int64_t us)
{
	for (int64_t until = now + us; now < until; now += S)
		run();
	run();
}

static inline void receive(unsigned int from, const struct hc_msg *msg)
{
	struct ctl_id peer = id(from);

	hc_gateway_receive(gw, &peer, msg, now);
	run();
	/* Not more often does it look at all edges. */
	now += 100 * MS;
	run();
}

static inline void down(unsigned int number, bool clean)
{
	struct ctl_id peer = id(number);

	hc_gateway_down(gw, &peer, HC_ROLES, clean, now);
	run();
}

static inline void hub_at(unsigned int number, unsigned int cluster,
			  uint16_t port)
{
	struct hc_msg msg = { .type = HC_ITEM_HUB };

	msg.hub.cluster = id(cluster);
	msg.hub.capacity = 100;
	msg.hub.port = port;
	receive(number, &msg);
}

static inline void hub_of(unsigned int number, unsigned int cluster)
{
	hub_at(number, cluster, 4711);
}

/* Score: `load` percent in all its parts. */
static inline void report(unsigned int number, unsigned int load,
			  uint32_t routes)
{
	struct hc_msg msg = { .type = HC_ITEM_REPORT };

	msg.report.cluster = id(CLUSTER);
	msg.report.flags = HC_REPORT_TUNNELS | HC_REPORT_ROUTES;
	msg.report.cpu = msg.report.memory = (uint16_t)(load * 100);
	msg.report.tunnels = load;
	msg.report.routes = routes;
	receive(number, &msg);
}

static inline void hub(unsigned int number)
{
	hub_of(number, CLUSTER);
	report(number, 10, 100);
}

static inline void edge(unsigned int number, unsigned int at, uint8_t flags)
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

#define GW_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif /* TESTS_UNIT_HC_GATEWAY_TEST_H */
