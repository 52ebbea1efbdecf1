/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of an edge by itself share: its gateways and hubs say something,
 * and what it does is noted.  Included by one file of a program.
 */
#ifndef TESTS_UNIT_HC_EDGE_TEST_H
#define TESTS_UNIT_HC_EDGE_TEST_H

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_edge.h"

#define S INT64_C(1000000)
#define A 1 /* gateways, in order of preference */
#define B 2
#define C 3

static struct hc_edge *edge;
static struct hc_edge_config config;
static struct hc_msg_edge asked[256]; /* the last one, by gateway */
static unsigned int n_asked[256];
static uint32_t sequence;
static char did[512]; /* what it did, in order */
static int64_t now;
static unsigned int n_events[8]; /* by type */
static int64_t quiet_us;	 /* when its hub's silence is long */
static unsigned int no_session;	 /* with this hub */

static inline struct ctl_id id(unsigned int number)
{
	struct ctl_id made = {};

	made.bytes[15] = (uint8_t)number;
	return made;
}

static inline void note(const char *what, unsigned int number)
{
	size_t len = strlen(did);

	snprintf(did + len, sizeof(did) - len, "%s%s %u", len ? ", " : "", what,
		 number);
}

static inline bool op_send(void *arg, const struct ctl_id *to,
			   const struct hc_msg *msg)
{
	unsigned int number = to->bytes[15];

	if (msg->type == HC_ITEM_EDGE) {
		asked[number] = msg->edge;
		if (msg->edge.flags & HC_EDGE_ASK)
			n_asked[number]++;
	} else if (number == no_session) {
		return false;
	} else if (msg->type == HC_ITEM_DETACH) {
		note("detach", number);
	} else {
		note(msg->attach.flags & HC_ATTACH_GUARD ? "guard" : "attach",
		     number);
	}
	return true;
}

static inline void op_connect(void *arg, const struct hc_where *hub)
{
	note("connect", hub->hub.bytes[15]);
}

static inline void op_disconnect(void *arg, const struct ctl_id *hub)
{
	note("disconnect", hub->bytes[15]);
}

static inline void op_place(void *arg, const struct hc_where *hub)
{
	note(hub->addresses.n ? "place" : "gone", hub->hub.bytes[15]);
}

static inline void op_places(void *arg, bool begin)
{
	note(begin ? "naming" : "named", 0);
}

static inline int64_t op_quiet_at(void *arg, const struct ctl_id *hub)
{
	return quiet_us;
}

static inline void op_routes(void *arg, const struct hc_addresses *via)
{
	note("routes", via ? ntohl(via->list[0].ipaddr_v4.s_addr) & 0xff : 0);
}

static inline void op_event(void *arg, const struct hc_edge_event *event)
{
	n_events[event->type]++;
}

static const struct hc_edge_ops ops = {
	.send = op_send,
	.connect = op_connect,
	.disconnect = op_disconnect,
	.place = op_place,
	.places = op_places,
	.quiet_at = op_quiet_at,
	.routes = op_routes,
	.event = op_event,
};

static inline int setup(void **state)
{
	hc_edge_config_default(&config);
	config.cluster = id(100);
	config.n_gateways = 2;
	config.gateways[0].id = id(B);
	config.gateways[0].preference = 20;
	config.gateways[1].id = id(A);
	config.gateways[1].preference = 10;
	memset(n_asked, 0, sizeof(n_asked));
	memset(n_events, 0, sizeof(n_events));
	did[0] = '\0';
	now = S;
	quiet_us = INT64_MAX;
	no_session = 255;
	sequence = 0;
	edge = hc_edge_new(&ops, NULL, &config, now);
	return 0;
}

static inline int teardown(void **state)
{
	hc_edge_free(&edge);
	hc_edge_free(&edge);
	return 0;
}

#define assert_did(expected)                                                   \
	do {                                                                   \
		assert_string_equal(did, expected);                            \
		did[0] = '\0';                                                 \
	} while (0)

static inline enum hc_edge_state state_now(void)
{
	struct hc_edge_self_view view;

	hc_edge_self_view(edge, &view);
	return view.state;
}

static inline void up(unsigned int gateway)
{
	struct ctl_id peer = id(gateway);

	hc_edge_gateway_up(edge, &peer, now);
}

static inline void down(unsigned int number)
{
	struct ctl_id peer = id(number);

	hc_edge_down(edge, &peer, HC_ROLES, now);
}

/* A gateway's word; `token` and `seq` as they are to be. */
static inline void say(unsigned int gateway, unsigned int hub, enum hc_why why,
		       uint32_t token, uint32_t seq)
{
	struct ctl_id from = id(gateway);
	struct hc_msg msg;

	memset(&msg, 0, sizeof(msg));
	msg.type = HC_ITEM_ASSIGN;
	msg.assign.cluster = id(100);
	msg.assign.token = token;
	msg.assign.sequence = seq;
	msg.assign.hub = id(hub);
	msg.assign.why = (uint16_t)why;
	hc_edge_receive(edge, &from, &msg, now);
}

static inline void tell(unsigned int gateway, unsigned int hub, enum hc_why why)
{
	say(gateway, hub, why, asked[gateway].token, ++sequence);
}

/* Where a hub is; without a port: it is gone. */
static inline void place(unsigned int gateway, unsigned int hub, uint16_t port,
			 uint8_t flags)
{
	struct ctl_id from = id(gateway);
	struct hc_msg msg;

	memset(&msg, 0, sizeof(msg));
	msg.type = HC_ITEM_PLACE;
	msg.place.cluster = id(100);
	msg.place.flags = flags;
	msg.place.hub = id(hub);
	msg.place.port = port;
	if (port) {
		msg.place.addresses.n = 1;
		msg.place.addresses.list[0] = addr("192.0.2.1");
	}
	hc_edge_receive(edge, &from, &msg, now);
}

static inline void attached(unsigned int hub, enum hc_verdict verdict)
{
	struct ctl_id from = id(hub);
	struct hc_msg msg;

	memset(&msg, 0, sizeof(msg));
	msg.type = HC_ITEM_ATTACHED;
	msg.attached.cluster = id(100);
	msg.attached.verdict = (uint16_t)verdict;
	msg.attached.tunnel.n = 1;
	SET_IPADDR_V4(&msg.attached.tunnel.list[0]);
	msg.attached.tunnel.list[0].ipaddr_v4.s_addr = htonl(0x0a000000 + hub);
	hc_edge_receive(edge, &from, &msg, now);
}

static inline void hub_up(unsigned int hub)
{
	struct ctl_id peer = id(hub);

	hc_edge_hub_up(edge, &peer, now);
}

static inline void attach(unsigned int hub)
{
	hub_up(hub);
	attached(hub, HC_VERDICT_OK);
}

#define EDGE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif /* TESTS_UNIT_HC_EDGE_TEST_H */
