// SPDX-License-Identifier: GPL-2.0-or-later
/* A hub by itself: reports, edges, their prefixes. */
#include "config.h"

#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_hub.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define MS INT64_C(1000)
#define S  INT64_C(1000000)

static struct hc_hub *hub;
static struct hc_hub_config config;
static struct hc_load load;
static struct hc_msg sent[64];
static struct ctl_id sent_to[64];
static size_t n_sent;
static unsigned int plans, renewed;
static struct hc_site_route routes[128];
static size_t n_routes;
/* As the owner has it who takes only what has changed. */
static struct hc_site_route kept[128];
static size_t n_kept, n_changes;
static bool many;	/* more than there is room for: only numbers count */
static bool idle;	/* the owner takes nothing */
static uint8_t longest; /* that is accepted */

static struct ctl_id id(uint8_t number)
{
	struct ctl_id made = { { 0xaa } };

	made.bytes[15] = number;
	return made;
}

static bool op_send(void *arg, const struct ctl_id *to, const struct hc_msg *msg)
{
	if (many)
		n_sent = 0;
	assert_true(n_sent < 64);
	sent[n_sent] = *msg;
	sent_to[n_sent++] = *to;
	return true;
}

static bool op_accept(void *arg, const struct hc_prefix *prefix)
{
	return prefix->len && prefix->len <= longest;
}

static void op_site(void *arg, const struct hc_site_route *route)
{
	if (!many)
		routes[n_routes] = *route;
	n_routes++;
}

static void keep(const struct hc_prefix *prefix)
{
	struct hc_site_route route;
	bool there = hc_hub_site(hub, prefix, &route);
	size_t i = 0;

	while (i < n_kept && hc_prefix_cmp(&kept[i].prefix, prefix))
		i++;
	if (there)
		kept[i] = route;
	if (there && i == n_kept)
		n_kept++;
	else if (!there && i < n_kept)
		kept[i] = kept[--n_kept];
}

/* Who takes what has changed has the same as who takes all. */
static void assert_kept(void)
{
	assert_int_equal(n_kept, n_routes);
	for (size_t i = 0; i < n_routes; i++) {
		size_t k = 0;

		while (k < n_kept &&
		       hc_prefix_cmp(&kept[k].prefix, &routes[i].prefix))
			k++;
		assert_true(k < n_kept);
		assert_int_equal(ipaddr_cmp(&kept[k].nexthop,
					    &routes[i].nexthop),
				 0);
		assert_int_equal(kept[k].leaving, routes[i].leaving);
		assert_int_equal(ctl_id_cmp(&kept[k].edge, &routes[i].edge), 0);
	}
}

static void op_sites(void *arg)
{
	struct hc_prefix prefix;

	plans++;
	if (idle)
		return;
	while (hc_hub_site_changed(hub, &prefix)) {
		n_changes++;
		if (!many)
			keep(&prefix);
	}
	if (many)
		return;
	n_routes = 0;
	hc_hub_sites(hub, op_site, NULL);
	assert_kept();
}

static void op_load(void *arg, struct hc_load *now)
{
	*now = load;
}

static void op_renew(void *arg, const struct ctl_id *gateway)
{
	renewed++;
}

static const struct hc_hub_ops ops = {
	.send = op_send,
	.accept = op_accept,
	.sites = op_sites,
	.load = op_load,
	.renew = op_renew,
};

static int setup(void **state)
{
	hc_hub_config_default(&config);
	config.cluster = id(100);
	config.capacity = 1000;
	config.addresses.n = 1;
	config.addresses.list[0] = addr("192.0.2.1");
	config.tunnel.n = 1;
	config.tunnel.list[0] = addr("10.0.0.1");
	strlcpy(config.model, "box", sizeof(config.model));
	load = (struct hc_load){ 1234, 2345, 0, 17, true };
	longest = 24;
	n_sent = n_routes = n_kept = n_changes = 0;
	many = idle = false;
	plans = renewed = 0;
	hub = hc_hub_new(&ops, NULL, &config, S);
	return 0;
}

static int teardown(void **state)
{
	hc_hub_free(&hub);
	hc_hub_free(&hub);
	return 0;
}

static const struct hc_msg_report *last_report(void)
{
	assert_true(n_sent > 0);
	assert_int_equal(sent[n_sent - 1].type, HC_ITEM_REPORT);
	return &sent[n_sent - 1].report;
}

static void up(uint8_t gateway, int64_t now_us)
{
	struct ctl_id peer = id(gateway);

	hc_hub_gateway_up(hub, &peer, now_us);
}

static void test_reports(void **state)
{
	int64_t due;

	/* At once to who comes, whom it belongs to first. */
	hc_hub_routes(hub, true, 50, S);
	up(1, 5 * S);
	assert_int_equal(n_sent, 2);
	assert_int_equal(sent[0].type, HC_ITEM_HUB);
	assert_int_equal(sent[0].hub.capacity, 1000);
	assert_string_equal(sent[0].hub.model, "box");
	assert_int_equal(last_report()->cpu, 1234);
	assert_int_equal(last_report()->memory, 2345);
	assert_int_equal(last_report()->tunnels, 17);
	assert_int_equal(last_report()->routes, 50);
	assert_int_equal(last_report()->flags,
			 HC_REPORT_TUNNELS | HC_REPORT_ROUTES);
	up(2, 6 * S);
	assert_int_equal(n_sent, 4);
	/* Every 30 s to both. */
	n_sent = 0;
	due = hc_hub_run(hub, 6 * S);
	assert_int_equal(due, 31 * S);
	assert_int_equal(hc_hub_run(hub, due - 1), due);
	assert_int_equal(n_sent, 0);
	due = hc_hub_run(hub, due);
	assert_int_equal(n_sent, 2);
	assert_int_equal(due, 61 * S);
	/* One, not many, after a standstill. */
	due = hc_hub_run(hub, 400 * S);
	assert_int_equal(n_sent, 4);
	assert_int_equal(due, 430 * S);
	/* One has gone; what isn't known says so. */
	n_sent = 0;
	hc_hub_down(hub, &sent_to[0], HC_ROLES);
	load = (struct hc_load){ HC_LOAD_UNKNOWN, HC_LOAD_UNKNOWN, 0, 0, false };
	hc_hub_routes(hub, false, 0, 400 * S);
	due = hc_hub_run(hub, 430 * S);
	assert_int_equal(n_sent, 1);
	assert_int_equal(last_report()->flags, 0);
	assert_int_equal(last_report()->cpu, HC_LOAD_UNKNOWN);
}

static void test_triggered(void **state)
{
	static const struct {
		uint32_t before, after;
		bool at_once;
	} rows[] = {
		{ 100, 0, true },    { 0, 1, true },  { 100, 94, true },
		{ 100, 95, false },  { 0, 0, false }, { 100, 100, false },
		{ 100, 200, false }, { 1, 0, true },  { 20, 19, false },
		{ 20, 18, true },
	};

	up(1, S);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t now = (int64_t)(i + 1) * 1000 * S;

		hc_hub_routes(hub, true, rows[i].before, now);
		hc_hub_run(hub, now + 40 * S);
		hc_hub_run(hub, now + 80 * S);
		n_sent = 0;
		hc_hub_routes(hub, true, rows[i].after, now + 81 * S);
		assert_int_equal(hc_hub_run(hub, now + 81 * S),
				 rows[i].at_once ? now + 81 * S + 50 * MS
						 : now + 100 * S);
		assert_int_equal(n_sent, 0);
		hc_hub_run(hub, now + 81 * S + 50 * MS);
		assert_int_equal(n_sent, rows[i].at_once);
		if (rows[i].at_once)
			assert_int_equal(last_report()->routes, rows[i].after);
	}
}

/* Up and down without end is no flood. */
static void test_triggered_hold(void **state)
{
	struct hc_hub_self_view view;
	int64_t now = 2 * S;

	up(1, S);
	hc_hub_routes(hub, true, 100, now);
	for (int i = 0; i < 20000; i++) {
		now += MS;
		hc_hub_routes(hub, true, i & 1 ? 100 : 0, now);
		hc_hub_run(hub, now);
		n_sent = 0;
	}
	hc_hub_self_view(hub, &view);
	assert_between(view.triggered, 30, 41);
	assert_int_equal(view.gateways, 1);
}

/* A report that is said again says what is now: it counts as a new one. */
static void test_said_again_is_fresh(void **state)
{
	struct ctl_id peer = id(1);

	hc_hub_routes(hub, true, 100, S);
	up(1, S);
	load.tunnels = 18;
	hc_hub_routes(hub, true, 99, 2 * S);
	hc_hub_full_state(hub, &peer);
	assert_int_equal(last_report()->tunnels, 18);
	assert_int_equal(last_report()->routes, 99);
	hc_hub_routes(hub, false, 0, 2 * S);
	hc_hub_full_state(hub, &peer);
	assert_int_equal(last_report()->flags, HC_REPORT_TUNNELS);
}

/* A loss by and by: what one that came meanwhile heard, others didn't. */
static void test_triggered_for_all(void **state)
{
	hc_hub_routes(hub, true, 100, S);
	up(1, S);
	hc_hub_routes(hub, true, 96, 2 * S);
	up(2, 2 * S);
	assert_int_equal(last_report()->routes, 96);
	n_sent = 0;
	hc_hub_routes(hub, true, 92, 3 * S);
	hc_hub_run(hub, 3 * S + 50 * MS);
	assert_int_equal(n_sent, 2);
	assert_int_equal(last_report()->routes, 92);
}

static void test_load_changed(void **state)
{
	/* Nobody is there to be told. */
	hc_hub_load_changed(hub, S);
	assert_int_equal(hc_hub_run(hub, S), 31 * S);
	up(1, S);
	n_sent = 0;
	hc_hub_load_changed(hub, 2 * S);
	assert_int_equal(hc_hub_run(hub, 2 * S), 2 * S + 50 * MS);
	assert_int_equal(n_sent, 0);
	hc_hub_run(hub, 2 * S + 50 * MS);
	assert_int_equal(n_sent, 1);
	assert_non_null(last_report());
}

static void test_configuration(void **state)
{
	up(1, S);
	/* A drain is told at once, and its end. */
	n_sent = 0;
	config.drain = true;
	hc_hub_config_set(hub, &config, 2 * S);
	assert_int_equal(hc_hub_run(hub, 2 * S), 2 * S + 50 * MS);
	hc_hub_run(hub, 2 * S + 50 * MS);
	assert_true(last_report()->flags & HC_REPORT_DRAINING);
	config.drain = false;
	hc_hub_config_set(hub, &config, 4 * S);
	hc_hub_run(hub, 5 * S);
	assert_false(last_report()->flags & HC_REPORT_DRAINING);
	/* The interval. */
	config.report_ms = 1000;
	hc_hub_config_set(hub, &config, 6 * S);
	assert_int_equal(hc_hub_run(hub, 6 * S), 7 * S);
	/* Another cluster: the sessions are made anew. */
	assert_int_equal(renewed, 0);
	config.cluster = id(101);
	hc_hub_config_set(hub, &config, 6 * S);
	assert_int_equal(renewed, 1);
}

/* -- edges -- */

static struct hc_msg attach_msg(const char *tunnel)
{
	struct hc_msg msg;

	memset(&msg, 0, sizeof(msg));
	msg.type = HC_ITEM_ATTACH;
	msg.attach.cluster = id(100);
	msg.attach.tunnel.n = 1;
	msg.attach.tunnel.list[0] = addr(tunnel);
	return msg;
}

static void add_prefix(struct hc_msg *msg, const char *text, unsigned int len)
{
	struct ipaddr ip = addr(text);

	assert_true(
		hc_prefix_make(&ip, len,
			       &msg->attach.prefixes[msg->attach.n_prefixes++]));
}

static void receive(uint8_t from, const struct hc_msg *msg)
{
	struct ctl_id peer = id(from);

	n_sent = 0;
	hc_hub_receive(hub, &peer, msg, 10 * S);
}

static void assert_verdict(enum hc_verdict verdict, uint8_t accepted)
{
	assert_int_equal(n_sent, 1);
	assert_int_equal(sent[0].type, HC_ITEM_ATTACHED);
	assert_int_equal(sent[0].attached.verdict, verdict);
	assert_int_equal(sent[0].attached.accepted, accepted);
}

static enum hc_site site_of(uint8_t edge, int i)
{
	struct hc_hub_edge_view view;
	struct ctl_id after = id(edge - 1);

	assert_true(hc_hub_edge_next(hub, &after, &view));
	assert_int_equal(view.id.bytes[15], edge);
	return view.sites[i];
}

static void test_attach(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11"), detach;

	add_prefix(&msg, "10.1.0.0", 24);
	add_prefix(&msg, "0.0.0.0", 0);
	add_prefix(&msg, "10.2.0.0", 16);
	add_prefix(&msg, "2001:db8::", 20);
	receive(11, &msg);
	assert_verdict(HC_VERDICT_OK, 2);
	assert_int_equal(hc_address_like(&sent[0].attached.tunnel,
					 &msg.attach.tunnel.list[0])
				 ->ipaddr_v4.s_addr,
			 htonl(0x0a000001));
	assert_int_equal(n_routes, 2);
	assert_int_equal(routes[0].prefix.len, 24);
	assert_int_equal(ipaddr_cmp(&routes[0].nexthop,
				    &msg.attach.tunnel.list[0]),
			 0);
	assert_int_equal(site_of(11, 0), HC_SITE_ACCEPTED);
	assert_int_equal(site_of(11, 1), HC_SITE_DENIED);
	assert_int_equal(site_of(11, 3), HC_SITE_NO_HOP);
	/* The same again; then fewer. */
	receive(11, &msg);
	assert_verdict(HC_VERDICT_OK, 2);
	assert_int_equal(n_routes, 2);
	msg.attach.n_prefixes = 1;
	receive(11, &msg);
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(n_routes, 1);
	/* A detach from another cluster isn't ours. */
	detach = (struct hc_msg){ .type = HC_ITEM_DETACH };
	detach.detach = id(101);
	receive(11, &detach);
	assert_int_equal(hc_hub_edges(hub), 1);
	detach.detach = id(100);
	receive(11, &detach);
	assert_int_equal(hc_hub_edges(hub), 0);
	/* Its route stays a moment, and then isn't to be announced. */
	assert_int_equal(n_routes, 1);
	assert_false(routes[0].leaving);
	assert_int_equal(hc_hub_run(hub, 10 * S), 10 * S + HC_STAYING_US);
	hc_hub_run(hub, 10 * S + HC_STAYING_US - 1);
	assert_false(routes[0].leaving);
	assert_int_equal(hc_hub_run(hub, 11 * S), 11 * S + HC_LEAVING_US);
	assert_int_equal(n_routes, 1);
	assert_true(routes[0].leaving);
	hc_hub_run(hub, 11 * S + HC_LEAVING_US - 1);
	assert_int_equal(n_routes, 1);
	hc_hub_run(hub, 11 * S + HC_LEAVING_US);
	assert_int_equal(n_routes, 0);
	/* Once more is nothing. */
	plans = 0;
	receive(11, &detach);
	assert_int_equal(plans, 0);
}

/* What is leaving yields to who wants it, prefix or tunnel. */
static void test_leaving_yields(void **state)
{
	struct hc_msg first = attach_msg("10.0.0.11");
	struct hc_msg second = attach_msg("10.0.0.12");
	struct hc_msg third = attach_msg("10.0.0.11");
	struct hc_msg detach = { .type = HC_ITEM_DETACH };
	struct ctl_id peer = id(12);

	detach.detach = id(100);
	add_prefix(&first, "10.1.0.0", 24);
	add_prefix(&first, "10.2.0.0", 24);
	add_prefix(&second, "10.1.0.0", 24);
	receive(11, &first);
	receive(11, &detach);
	hc_hub_run(hub, 10 * S + HC_STAYING_US);
	assert_int_equal(n_routes, 2);
	assert_true(routes[0].leaving && routes[1].leaving);
	receive(12, &second);
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(n_routes, 2);
	assert_false(routes[0].leaving);
	assert_int_equal(routes[0].edge.bytes[15], 12);
	assert_true(routes[1].leaving);
	receive(13, &third);
	assert_verdict(HC_VERDICT_OK, 0);
	assert_int_equal(n_routes, 1);
	/* Back again: as if it had never left. */
	receive(12, &detach);
	hc_hub_run(hub, 11 * S);
	assert_true(routes[0].leaving);
	receive(12, &second);
	assert_int_equal(n_routes, 1);
	assert_false(routes[0].leaving);
	/* Who is lost leaves nothing, and so does a change of cluster. */
	hc_hub_down(hub, &peer, HC_ROLES);
	assert_int_equal(n_routes, 0);
	receive(12, &second);
	receive(12, &detach);
	assert_int_equal(n_routes, 1);
	config.cluster = id(101);
	hc_hub_config_set(hub, &config, 11 * S);
	assert_int_equal(n_routes, 0);
}

static void test_somebody_elses(void **state)
{
	struct hc_msg first = attach_msg("10.0.0.11");
	struct hc_msg second = attach_msg("10.0.0.12");
	struct hc_msg thief = attach_msg("10.0.0.11");
	struct ctl_id peer = id(11);

	add_prefix(&first, "10.1.0.0", 24);
	add_prefix(&second, "10.1.0.0", 24);
	add_prefix(&second, "10.2.0.0", 24);
	receive(11, &first);
	receive(12, &second);
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(site_of(12, 0), HC_SITE_TAKEN);
	assert_int_equal(n_routes, 2);
	assert_int_equal(routes[0].edge.bytes[15], 11);
	/* The first one says it again: it stays with it. */
	receive(11, &first);
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(routes[0].edge.bytes[15], 11);
	/* Somebody else's end of a tunnel. */
	receive(13, &thief);
	assert_verdict(HC_VERDICT_ADDRESS, 0);
	assert_int_equal(hc_hub_edges(hub), 2);
	/* The first one goes: the second one gets it. */
	hc_hub_down(hub, &peer, HC_ROLES);
	assert_int_equal(n_routes, 2);
	assert_int_equal(routes[0].edge.bytes[15], 12);
	assert_int_equal(site_of(12, 0), HC_SITE_ACCEPTED);
	receive(11, &first);
	assert_int_equal(site_of(11, 0), HC_SITE_TAKEN);
	/* Until it doesn't want it any more. */
	second.attach.n_prefixes = 0;
	receive(12, &second);
	assert_int_equal(n_routes, 1);
	assert_int_equal(routes[0].edge.bytes[15], 11);
}

/* An edge has another end of the tunnel now: the old one is free. */
static void test_end_is_free(void **state)
{
	struct hc_msg first = attach_msg("10.0.0.11");
	struct hc_msg moved = attach_msg("10.0.0.12");
	struct hc_msg second = attach_msg("10.0.0.21");

	first.attach.tunnel.n = 2;
	first.attach.tunnel.list[1] = second.attach.tunnel.list[0];
	receive(11, &first);
	receive(12, &second);
	assert_verdict(HC_VERDICT_ADDRESS, 0);
	receive(11, &moved);
	assert_verdict(HC_VERDICT_OK, 0);
	receive(12, &second);
	assert_verdict(HC_VERDICT_OK, 0);
	receive(13, &moved);
	assert_verdict(HC_VERDICT_ADDRESS, 0);
	receive(11, &first);
	assert_verdict(HC_VERDICT_ADDRESS, 0);
	/* Who is refused isn't attached any more. */
	assert_int_equal(hc_hub_edges(hub), 1);
	/* One that it names twice is one. */
	moved.attach.tunnel.n = 2;
	moved.attach.tunnel.list[1] = moved.attach.tunnel.list[0];
	receive(11, &moved);
	assert_verdict(HC_VERDICT_OK, 0);
	/* What it had twice, or has no more, isn't freed for others. */
	receive(13, &second);
	assert_verdict(HC_VERDICT_ADDRESS, 0);
	receive(13, &moved);
	assert_verdict(HC_VERDICT_ADDRESS, 0);
}

/* Edge `number` of many attaches, with so many prefixes that nobody else has. */
/* An edge that has another hub is carried, and is no load. */
static void test_guarded(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11"), detach;

	add_prefix(&msg, "10.1.0.0", 24);
	msg.attach.flags = HC_ATTACH_GUARD;
	receive(11, &msg);
	receive(11, &msg);
	assert_int_equal(n_routes, 1);
	assert_int_equal(hc_hub_edges(hub), 1);
	assert_int_equal(hc_hub_tunnels(hub), 0);
	/* It has come to stay; a flag that nobody knows means nothing. */
	msg.attach.flags = (uint8_t)~HC_ATTACH_GUARD;
	receive(11, &msg);
	assert_int_equal(hc_hub_tunnels(hub), 1);
	/* And then again; it leaves. */
	msg.attach.flags = HC_ATTACH_GUARD;
	receive(11, &msg);
	detach = (struct hc_msg){ .type = HC_ITEM_DETACH, .detach = id(100) };
	receive(11, &detach);
	assert_int_equal(hc_hub_edges(hub), 0);
	assert_int_equal(hc_hub_tunnels(hub), 0);
}

static void crowd(unsigned int number, unsigned int n_prefixes, bool attach)
{
	struct hc_msg msg = attach_msg("10.128.0.0");
	struct ipaddr site = addr("64.0.0.0");
	struct ctl_id peer = id(0);

	peer.bytes[12] = 1;
	peer.bytes[13] = (uint8_t)(number >> 8);
	peer.bytes[14] = (uint8_t)number;
	msg.attach.tunnel.list[0].ipaddr_v4.s_addr |= htonl(number);
	for (unsigned int i = 0; i < n_prefixes; i++) {
		site.ipaddr_v4.s_addr =
			htonl(0x40000000 + ((number * n_prefixes + i) << 8));
		hc_prefix_make(&site, 24, &msg.attach.prefixes[i]);
	}
	msg.attach.n_prefixes = (uint8_t)n_prefixes;
	if (!attach) {
		msg.type = HC_ITEM_DETACH;
		msg.detach = id(100);
	}
	n_sent = 0;
	hc_hub_receive(hub, &peer, &msg, 10 * S);
}

/*
 * As many edges as a hub takes, and one more.  Each costs what it brings: one
 * route has changed, however many there are.
 */
static void test_full(void **state)
{
	struct hc_hub_self_view view;

	many = true;
	for (unsigned int i = 0; i < HC_HUB_EDGES_MAX; i++) {
		n_changes = 0;
		crowd(i, 1, true);
		assert_int_equal(sent[0].attached.verdict, HC_VERDICT_OK);
		assert_int_equal(n_changes, 1);
	}
	assert_int_equal(hc_hub_edges(hub), HC_HUB_EDGES_MAX);
	crowd(HC_HUB_EDGES_MAX, 1, true);
	assert_int_equal(sent[0].attached.verdict, HC_VERDICT_FULL);
	assert_int_equal(hc_hub_edges(hub), HC_HUB_EDGES_MAX);
	hc_hub_self_view(hub, &view);
	assert_int_equal(view.refused, 1);
	/* Who is there may say something else; the same says nothing new. */
	crowd(7, 2, true);
	assert_int_equal(sent[0].attached.verdict, HC_VERDICT_OK);
	/* One goes: there is room. */
	crowd(9, 1, false);
	crowd(HC_HUB_EDGES_MAX, 1, true);
	assert_int_equal(sent[0].attached.verdict, HC_VERDICT_OK);
}

/* More prefixes that are leaving than are kept: the rest goes at once. */
static void test_many_leave(void **state)
{
	unsigned int n = 65536 / HC_PREFIXES_MAX + 2;

	many = true;
	for (unsigned int i = 0; i < n; i++)
		crowd(i, HC_PREFIXES_MAX, true);
	for (unsigned int i = 0; i < n; i++)
		crowd(i, HC_PREFIXES_MAX, false);
	n_routes = 0;
	hc_hub_sites(hub, op_site, NULL);
	assert_int_equal(n_routes, 65536);
	n_changes = 0;
	hc_hub_run(hub, 10 * S + HC_STAYING_US);
	assert_int_equal(n_changes, 65536);
	hc_hub_run(hub, 10 * S + HC_STAYING_US + HC_LEAVING_US);
	n_routes = 0;
	hc_hub_sites(hub, op_site, NULL);
	assert_int_equal(n_routes, 0);
}

/* More changes than are noted while nobody takes them: all has changed, once. */
static void test_many_changes(void **state)
{
	struct hc_prefix prefix;
	unsigned int n = HC_HUB_CHANGES_MAX / HC_PREFIXES_MAX;

	many = idle = true;
	for (unsigned int i = 0; i < n; i++)
		crowd(i, HC_PREFIXES_MAX, true);
	assert_false(hc_hub_sites_all_changed(hub));
	crowd(n, HC_PREFIXES_MAX, true);
	assert_false(hc_hub_site_changed(hub, &prefix));
	assert_true(hc_hub_sites_all_changed(hub));
	assert_false(hc_hub_sites_all_changed(hub));
	/* From then on they are noted again. */
	crowd(n + 1, HC_PREFIXES_MAX, true);
	for (int i = 0; i < HC_PREFIXES_MAX; i++)
		assert_true(hc_hub_site_changed(hub, &prefix));
	assert_false(hc_hub_site_changed(hub, &prefix));
}

/* More gateways than it knows: those that came first. */
static void test_many_gateways(void **state)
{
	struct hc_hub_self_view view;
	struct ctl_id last = id(HC_HUB_GATEWAYS_MAX);

	for (uint8_t i = 0; i <= HC_HUB_GATEWAYS_MAX; i++) {
		n_sent = 0;
		up(i, S);
		assert_int_equal(n_sent, i < HC_HUB_GATEWAYS_MAX ? 2 : 0);
	}
	hc_hub_self_view(hub, &view);
	assert_int_equal(view.gateways, HC_HUB_GATEWAYS_MAX);
	n_sent = 0;
	hc_hub_run(hub, 40 * S);
	assert_int_equal(n_sent, HC_HUB_GATEWAYS_MAX);
	for (size_t i = 0; i < n_sent; i++)
		assert_int_not_equal(ctl_id_cmp(&sent_to[i], &last), 0);
}

static void test_wrong_cluster(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11");
	struct hc_hub_self_view view;

	msg.attach.cluster = id(1);
	receive(11, &msg);
	assert_verdict(HC_VERDICT_CLUSTER, 0);
	assert_int_equal(hc_hub_edges(hub), 0);
	hc_hub_self_view(hub, &view);
	assert_int_equal(view.refused, 1);
	/* Ours changes: who is there is told. */
	msg.attach.cluster = id(100);
	receive(11, &msg);
	n_sent = 0;
	config.cluster = id(1);
	hc_hub_config_set(hub, &config, 11 * S);
	assert_verdict(HC_VERDICT_CLUSTER, 0);
	assert_memory_equal(sent[0].attached.cluster.bytes, id(100).bytes,
			    CTL_ID_LEN);
	assert_int_equal(hc_hub_edges(hub), 0);
}

static void test_accept_list_changes(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11");

	add_prefix(&msg, "10.1.0.0", 24);
	add_prefix(&msg, "10.2.0.0", 16);
	receive(11, &msg);
	assert_int_equal(n_routes, 2);
	longest = 20;
	n_sent = 0;
	hc_hub_accept_changed(hub);
	assert_int_equal(n_routes, 1);
	/* The edge is told. */
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(site_of(11, 0), HC_SITE_DENIED);
	/* Stricter again: what was denied stays so. */
	longest = 18;
	n_sent = 0;
	hc_hub_accept_changed(hub);
	assert_int_equal(n_routes, 1);
	assert_int_equal(n_sent, 0);
	longest = 10;
	hc_hub_accept_changed(hub);
	assert_int_equal(n_routes, 0);
	longest = 24;
	hc_hub_accept_changed(hub);
	assert_int_equal(n_routes, 2);
	assert_int_equal(site_of(11, 0), HC_SITE_ACCEPTED);
}

/* The hub's end of the tunnel is another one: edges' routes go there. */
static void test_tunnel_changes(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11");

	add_prefix(&msg, "10.1.0.0", 24);
	receive(11, &msg);
	n_sent = 0;
	config.port++;
	hc_hub_config_set(hub, &config, 11 * S);
	assert_int_equal(n_sent, 0);
	config.tunnel.list[0] = addr("10.0.0.2");
	hc_hub_config_set(hub, &config, 11 * S);
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(sent_to[0].bytes[15], 11);
	assert_true(hc_addresses_same(&sent[0].attached.tunnel, &config.tunnel));
}

static void test_full_state(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11");
	struct ctl_id gateway = id(1), edge = id(11), other = id(12);

	up(1, S);
	receive(11, &msg);
	n_sent = 0;
	hc_hub_full_state(hub, &gateway);
	assert_int_equal(n_sent, 2);
	hc_hub_full_state(hub, &edge);
	assert_int_equal(n_sent, 3);
	hc_hub_full_state(hub, &other);
	assert_int_equal(n_sent, 3);
	/* No more gateways than there is room for. */
	for (uint8_t i = 0; i < HC_HUB_GATEWAYS_MAX + 3; i++) {
		n_sent = 0;
		up(20 + i, S);
		assert_int_equal(n_sent, i < HC_HUB_GATEWAYS_MAX - 1 ? 2 : 0);
	}
	assert_string_equal(hc_site_text(HC_SITE_ACCEPTED), "");
	assert_string_equal(hc_site_text(HC_SITE_TAKEN), "another edge has it");
}

/* An edge that doesn't say again that it is attached has left. */
static void test_not_said_again(void **state)
{
	struct hc_msg msg = attach_msg("10.0.0.11");
	struct ctl_id edge = id(11), other = id(12);
	struct hc_prefix site;
	struct hc_site_route route;

	hc_hub_sync(hub, &edge, true, 10 * S);
	hc_hub_sync(hub, &edge, false, 10 * S);
	add_prefix(&msg, "10.1.0.0", 24);
	site = msg.attach.prefixes[0];
	receive(11, &msg);
	msg = attach_msg("10.0.0.12");
	add_prefix(&msg, "10.1.0.0", 24);
	receive(12, &msg);
	assert_int_equal(site_of(12, 0), HC_SITE_TAKEN);
	/* It says it; the end without a beginning is nothing. */
	hc_hub_sync(hub, &other, true, 11 * S);
	receive(12, &msg);
	hc_hub_sync(hub, &other, false, 11 * S);
	hc_hub_sync(hub, &edge, false, 11 * S);
	assert_int_equal(hc_hub_edges(hub), 2);
	/* It doesn't: who waits for its prefix has it, and is told. */
	n_sent = 0;
	hc_hub_sync(hub, &edge, true, 12 * S);
	hc_hub_sync(hub, &edge, false, 12 * S);
	assert_int_equal(hc_hub_edges(hub), 1);
	assert_int_equal(site_of(12, 0), HC_SITE_ACCEPTED);
	assert_verdict(HC_VERDICT_OK, 1);
	assert_int_equal(sent_to[0].bytes[15], 12);
	/* What nobody else has stays a moment, as after a farewell. */
	hc_hub_sync(hub, &other, true, 13 * S);
	hc_hub_sync(hub, &other, false, 13 * S);
	assert_int_equal(hc_hub_edges(hub), 0);
	assert_true(hc_hub_site(hub, &site, &route));
	assert_false(route.leaving);
	hc_hub_run(hub, 13 * S + HC_STAYING_US);
	hc_hub_run(hub, 13 * S + HC_STAYING_US + HC_LEAVING_US);
	assert_false(hc_hub_site(hub, &site, &route));
}

#define HUB_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HUB_TEST(test_reports),
		HUB_TEST(test_triggered),
		HUB_TEST(test_triggered_hold),
		HUB_TEST(test_said_again_is_fresh),
		HUB_TEST(test_triggered_for_all),
		HUB_TEST(test_load_changed),
		HUB_TEST(test_configuration),
		HUB_TEST(test_attach),
		HUB_TEST(test_guarded),
		HUB_TEST(test_leaving_yields),
		HUB_TEST(test_somebody_elses),
		HUB_TEST(test_wrong_cluster),
		HUB_TEST(test_end_is_free),
		HUB_TEST(test_full),
		HUB_TEST(test_many_leave),
		HUB_TEST(test_many_changes),
		HUB_TEST(test_many_gateways),
		HUB_TEST(test_accept_list_changes),
		HUB_TEST(test_tunnel_changes),
		HUB_TEST(test_full_state),
		HUB_TEST(test_not_said_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
