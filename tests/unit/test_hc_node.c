// SPDX-License-Identifier: GPL-2.0-or-later
/* A node's roles: who is told of whom, when roles come and go. */
#include "config.h"

#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_node.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define S INT64_C(1000000)

static struct hc_node *node;
static struct hc_gateway *gateway;
static struct hc_hub *hub;
static struct hc_edge *edge;
static int64_t now;
static unsigned int n_sent[HC_ITEM_LAST + 1];
static uint8_t roles_told;
static bool room;

static struct ctl_id id(uint8_t number)
{
	struct ctl_id made = {};

	made.bytes[15] = number;
	return made;
}

static bool op_send(void *arg, const struct ctl_id *to, uint16_t type,
		    const void *data, size_t len)
{
	if (!room)
		return false;
	n_sent[type]++;
	if (type == HC_ITEM_NODE)
		roles_told = *(const uint8_t *)data;
	return true;
}

static const struct hc_node_ops node_ops = { .send = op_send };

static bool role_send(void *arg, const struct ctl_id *to,
		      const struct hc_msg *msg)
{
	return hc_node_send(node, to, msg);
}

static void gateway_event(void *arg, const struct hc_event *event)
{
}

static const struct hc_gateway_ops gateway_ops = {
	.send = role_send,
	.event = gateway_event,
};

static bool hub_accept(void *arg, const struct hc_prefix *prefix)
{
	return true;
}

static void hub_sites(void *arg)
{
}

static void hub_load(void *arg, struct hc_load *load)
{
}

static void hub_renew(void *arg, const struct ctl_id *peer)
{
}

static const struct hc_hub_ops hub_ops = {
	.send = role_send,
	.accept = hub_accept,
	.sites = hub_sites,
	.load = hub_load,
	.renew = hub_renew,
};

static void edge_connect(void *arg, const struct hc_where *where)
{
	hc_node_want(node, &where->hub);
}

static void edge_disconnect(void *arg, const struct ctl_id *peer)
{
}

static void edge_place(void *arg, const struct hc_where *where)
{
}

static void edge_places(void *arg, bool begin)
{
}

static void edge_routes(void *arg, const struct hc_addresses *via)
{
}

static void edge_event(void *arg, const struct hc_edge_event *event)
{
}

static int64_t edge_quiet_at(void *arg, const struct ctl_id *hub)
{
	return INT64_MAX;
}

static const struct hc_edge_ops edge_ops = {
	.send = role_send,
	.connect = edge_connect,
	.disconnect = edge_disconnect,
	.place = edge_place,
	.places = edge_places,
	.quiet_at = edge_quiet_at,
	.routes = edge_routes,
	.event = edge_event,
};

static int setup(void **state)
{
	struct hc_cluster_config cluster;
	struct hc_hub_config hub_config;
	struct hc_edge_config edge_config;

	now = 100 * S;
	room = true;
	memset(n_sent, 0, sizeof(n_sent));
	hc_cluster_config_default(&cluster);
	cluster.id = id(100);
	cluster.settle_ms = 0;
	gateway = hc_gateway_new(&gateway_ops, NULL);
	hc_gateway_cluster_set(gateway, &cluster, now);
	hc_hub_config_default(&hub_config);
	hub_config.cluster = id(100);
	hub = hc_hub_new(&hub_ops, NULL, &hub_config, now);
	hc_edge_config_default(&edge_config);
	edge_config.cluster = id(100);
	edge = hc_edge_new(&edge_ops, NULL, &edge_config, now);
	node = hc_node_new(&node_ops, NULL, "me");
	return 0;
}

static int teardown(void **state)
{
	hc_edge_free(&edge);
	hc_hub_free(&hub);
	hc_gateway_free(&gateway);
	hc_node_free(&node);
	hc_node_free(&node);
	return 0;
}

static bool item(uint8_t from, const struct hc_msg *msg)
{
	uint8_t buf[CTL_PAYLOAD_MAX];
	size_t len = hc_encode(msg, buf);
	struct ctl_id peer = id(from);
	bool ok = hc_node_item(node, &peer, (uint16_t)msg->type, buf, len, now);

	hc_node_run(node, now);
	return ok;
}

static void up(uint8_t number)
{
	struct ctl_id peer = id(number);

	hc_node_up(node, &peer);
}

static void down(uint8_t number)
{
	struct ctl_id peer = id(number);

	hc_node_down(node, &peer, true, now);
}

static void says(uint8_t from, uint8_t roles)
{
	struct hc_msg msg = { .type = HC_ITEM_NODE };

	msg.node.roles = roles;
	strlcpy(msg.node.name, "peer", sizeof(msg.node.name));
	assert_true(item(from, &msg));
}

static size_t edge_gateways(void)
{
	struct hc_edge_self_view view;

	hc_edge_self_view(edge, &view);
	return view.n_gateways;
}

static size_t hub_gateways(void)
{
	struct hc_hub_self_view view;

	hc_hub_self_view(hub, &view);
	return view.gateways;
}

static void test_roles_are_told(void **state)
{
	struct ctl_id peer = id(1), other = id(2);

	up(1);
	assert_int_equal(roles_told, 0);
	assert_int_equal(n_sent[HC_ITEM_NODE], 1);
	up(1);
	hc_node_roles(node, gateway, NULL, NULL, now);
	assert_int_equal(roles_told, HC_ROLE_GATEWAY);
	hc_node_roles(node, gateway, hub, edge, now);
	assert_int_equal(roles_told,
			 HC_ROLE_GATEWAY | HC_ROLE_HUB | HC_ROLE_EDGE);
	/* Nothing new isn't told. */
	n_sent[HC_ITEM_NODE] = 0;
	hc_node_roles(node, gateway, hub, edge, now);
	assert_int_equal(n_sent[HC_ITEM_NODE], 0);
	hc_node_full_state(node, &peer);
	assert_int_equal(n_sent[HC_ITEM_NODE], 1);
	hc_node_announce(node);
	assert_int_equal(n_sent[HC_ITEM_NODE], 2);
	/* What the others are. */
	assert_string_equal(hc_node_peer_name(node, &peer), "");
	says(1, HC_ROLE_HUB);
	assert_string_equal(hc_node_peer_name(node, &peer), "peer");
	assert_int_equal(hc_node_peer_roles(node, &peer), HC_ROLE_HUB);
	assert_string_equal(hc_node_peer_name(node, &other), "");
	assert_int_equal(hc_node_peer_roles(node, &other), 0);
}

static void test_gateways_come_and_go(void **state)
{
	hc_node_roles(node, NULL, hub, edge, now);
	up(1);
	assert_int_equal(n_sent[HC_ITEM_EDGE], 0);
	says(1, HC_ROLE_GATEWAY);
	assert_int_equal(n_sent[HC_ITEM_HUB], 1);
	assert_int_equal(n_sent[HC_ITEM_EDGE], 1);
	/* The same again: it wants to hear it again. */
	says(1, HC_ROLE_GATEWAY);
	assert_int_equal(n_sent[HC_ITEM_HUB], 2);
	assert_int_equal(n_sent[HC_ITEM_EDGE], 2);
	assert_int_equal(edge_gateways(), 1);
	/* It plays another role as well, then no longer that one. */
	says(1, HC_ROLE_GATEWAY | HC_ROLE_HUB);
	assert_int_equal(edge_gateways(), 1);
	says(1, HC_ROLE_HUB);
	assert_int_equal(edge_gateways(), 0);
	assert_int_equal(hub_gateways(), 0);
	/* It plays all but one: that one is there again at once. */
	says(1, HC_ROLE_GATEWAY | HC_ROLE_EDGE);
	says(1, HC_ROLE_GATEWAY);
	assert_int_equal(edge_gateways(), 1);
	assert_int_equal(hub_gateways(), 1);
	down(1);
	assert_int_equal(edge_gateways(), 0);
	assert_int_equal(hub_gateways(), 0);
	down(1);
}

/* A role that comes later meets who is there. */
static void test_later_roles(void **state)
{
	up(1);
	says(1, HC_ROLE_GATEWAY);
	hc_node_roles(node, NULL, hub, NULL, now);
	assert_int_equal(hub_gateways(), 1);
	assert_int_equal(edge_gateways(), 0);
	hc_node_roles(node, NULL, hub, edge, now);
	assert_int_equal(edge_gateways(), 1);
	assert_int_equal(n_sent[HC_ITEM_HUB], 1);
}

/* A hub that is there already is attached to by the next run. */
static void test_wanted_hub(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_ASSIGN };

	hc_node_roles(node, NULL, NULL, edge, now);
	up(1);
	says(1, HC_ROLE_GATEWAY);
	up(2);
	says(2, HC_ROLE_HUB);
	msg.assign.cluster = id(100);
	msg.assign.token = 1;
	msg.assign.sequence = 1;
	msg.assign.hub = id(2);
	assert_true(item(1, &msg));
	assert_int_equal(n_sent[HC_ITEM_ATTACH], 1);
	/* One that isn't, or doesn't say that it is a hub: when it does. */
	up(3);
	msg.assign.sequence = 2;
	msg.assign.hub = id(3);
	assert_true(item(1, &msg));
	assert_int_equal(n_sent[HC_ITEM_ATTACH], 1);
	says(3, HC_ROLE_HUB);
	assert_int_equal(n_sent[HC_ITEM_ATTACH], 2);
	/* By itself: wanted in one run, attached to in the next, at once. */
	msg = (struct hc_msg){ .type = HC_ITEM_ATTACHED };
	msg.attached.cluster = id(100);
	assert_true(item(3, &msg));
	down(1);
	down(3);
	up(3);
	says(3, HC_ROLE_HUB);
	n_sent[HC_ITEM_ATTACH] = 0;
	assert_int_equal(hc_node_run(node, now), now + 5 * S);
	now += 5 * S;
	assert_int_equal(hc_node_run(node, now), now);
	assert_int_equal(n_sent[HC_ITEM_ATTACH], 0);
	hc_node_run(node, now);
	assert_int_equal(n_sent[HC_ITEM_ATTACH], 1);
}

static enum hc_edge_state edge_state(void)
{
	struct hc_edge_self_view view;

	hc_edge_self_view(edge, &view);
	return view.state;
}

/* One that was a gateway and is a hub, or an edge: that it stays. */
static void test_one_role_of_two_goes(void **state)
{
	struct hc_msg told = { .type = HC_ITEM_ASSIGN };
	struct hc_msg accepted = { .type = HC_ITEM_ATTACHED };
	struct hc_msg is_hub = { .type = HC_ITEM_HUB };
	struct hc_msg is_edge = { .type = HC_ITEM_EDGE };
	struct hc_msg attach = { .type = HC_ITEM_ATTACH };
	struct hc_cluster_view view;

	told.assign.cluster = accepted.attached.cluster = id(100);
	is_hub.hub.cluster = is_edge.edge.cluster = id(100);
	attach.attach.cluster = id(100);
	told.assign.token = told.assign.sequence = 1;
	told.assign.hub = id(1);
	hc_node_roles(node, gateway, hub, edge, now);
	up(1);
	says(1, HC_ROLE_GATEWAY | HC_ROLE_HUB);
	up(2);
	says(2, HC_ROLE_GATEWAY | HC_ROLE_EDGE);
	assert_true(item(1, &is_hub));
	assert_true(item(2, &is_edge));
	assert_true(item(2, &attach));
	assert_true(item(1, &told));
	assert_true(item(1, &accepted));
	says(1, HC_ROLE_HUB);
	says(2, HC_ROLE_EDGE);
	assert_int_equal(edge_state(), HC_EDGE_ATTACHED);
	assert_int_equal(edge_gateways(), 0);
	assert_int_equal(hub_gateways(), 0);
	assert_int_equal(hc_hub_edges(hub), 1);
	assert_true(hc_gateway_cluster_next(gateway, NULL, &view));
	assert_int_equal(view.hubs, 1);
	assert_int_equal(view.edges, 1);
	/* The other way round. */
	says(1, HC_ROLE_GATEWAY | HC_ROLE_HUB);
	says(1, HC_ROLE_GATEWAY);
	says(2, HC_ROLE_GATEWAY | HC_ROLE_EDGE);
	says(2, HC_ROLE_GATEWAY);
	assert_int_equal(edge_gateways(), 2);
	assert_int_equal(hub_gateways(), 2);
	assert_int_not_equal(edge_state(), HC_EDGE_ATTACHED);
	assert_int_equal(hc_hub_edges(hub), 0);
	assert_true(hc_gateway_cluster_next(gateway, NULL, &view));
	assert_int_equal(view.hubs, 0);
	assert_int_equal(view.edges, 0);
	/* A gateway that becomes a hub, too, is asked nothing and told nothing. */
	n_sent[HC_ITEM_EDGE] = n_sent[HC_ITEM_HUB] = 0;
	says(2, HC_ROLE_GATEWAY | HC_ROLE_HUB);
	assert_int_equal(n_sent[HC_ITEM_EDGE], 0);
	assert_int_equal(n_sent[HC_ITEM_HUB], 0);
}

static void test_refused(void **state)
{
	struct hc_msg msg = { .type = HC_ITEM_DETACH };
	struct ctl_id peer = id(1);

	hc_node_roles(node, gateway, hub, edge, now);
	/* Nobody's; of who didn't tell its roles; not an item of ours. */
	assert_false(item(1, &msg));
	up(1);
	assert_false(item(1, &msg));
	says(1, HC_ROLE_EDGE);
	assert_true(item(1, &msg));
	assert_false(hc_node_item(node, &peer, HC_ITEM_LAST, NULL, 0, now));
	assert_false(hc_node_item(node, &peer, HC_ITEM_EDGE, (uint8_t *)"x", 1,
				  now));
	assert_int_equal(hc_node_malformed(node), 4);
	/* No room: full state follows, nothing else happens. */
	room = false;
	up(2);
	says(2, HC_ROLE_GATEWAY);
	room = true;
	hc_node_full_state(node, &peer);
	peer = id(2);
	hc_node_full_state(node, &peer);
	assert_int_equal(n_sent[HC_ITEM_EDGE], 1);
	assert_int_equal(n_sent[HC_ITEM_HUB], 1);
}

/* All that was said before and isn't said again: by who has which role. */
static void test_said_again(void **state)
{
	struct hc_msg is_edge = { .type = HC_ITEM_EDGE };
	struct hc_msg attach = { .type = HC_ITEM_ATTACH };
	struct hc_msg told = { .type = HC_ITEM_ASSIGN };
	struct ctl_id peer = id(1);
	struct hc_cluster_view view;

	is_edge.edge.cluster = attach.attach.cluster = id(100);
	told.assign.cluster = id(100);
	told.assign.token = told.assign.sequence = 1;
	/* Without roles of ours, or a session, it means nothing. */
	hc_node_sync(node, &peer, true, now);
	hc_node_sync(node, &peer, false, now);
	hc_node_roles(node, gateway, hub, edge, now);
	up(1);
	says(1, HC_ROLE_GATEWAY | HC_ROLE_EDGE);
	assert_true(item(1, &is_edge));
	assert_true(item(1, &attach));
	assert_true(item(1, &told));
	n_sent[HC_ITEM_EDGE] = 0;
	hc_node_sync(node, &peer, true, now);
	hc_node_sync(node, &peer, false, now);
	assert_int_equal(hc_hub_edges(hub), 0);
	assert_true(hc_gateway_cluster_next(gateway, NULL, &view));
	assert_int_equal(view.edges, 0);
	/* Our edge asks it again. */
	assert_int_equal(n_sent[HC_ITEM_EDGE], 1);
}

#define NODE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NODE_TEST(test_roles_are_told),
		NODE_TEST(test_gateways_come_and_go),
		NODE_TEST(test_later_roles),
		NODE_TEST(test_wanted_hub),
		NODE_TEST(test_one_role_of_two_goes),
		NODE_TEST(test_refused),
		NODE_TEST(test_said_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
