// SPDX-License-Identifier: GPL-2.0-or-later
/* An edge by itself: whose word it takes, and what it does in which order. */
#include "config.h"

#include "hc_edge_test.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void test_make_before_break(void **state)
{
	up(A);
	assert_int_equal(n_asked[A], 1);
	assert_int_equal(asked[A].flags, HC_EDGE_ASK | HC_EDGE_PREFERRED);
	tell(A, 11, HC_WHY_ASSIGNED);
	assert_did("connect 11");
	assert_int_equal(state_now(), HC_EDGE_CONNECTING);
	hub_up(11);
	hub_up(11);
	assert_did("attach 11");
	attached(11, HC_VERDICT_OK);
	assert_did("routes 11");
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	assert_int_equal(asked[A].hub.bytes[15], 11);
	assert_int_equal(asked[A].flags, HC_EDGE_PREFERRED);
	/* The old one is left when the new one carries the routes. */
	tell(A, 12, HC_WHY_AUTO);
	assert_did("connect 12");
	assert_int_equal(state_now(), HC_EDGE_MOVING);
	attach(12);
	assert_did("attach 12, routes 12, detach 11, disconnect 11");
	/* Another one before it was there; then back to the old one. */
	tell(A, 13, HC_WHY_AUTO);
	tell(A, 14, HC_WHY_AUTO);
	assert_did("connect 13, detach 13, disconnect 13, connect 14");
	tell(A, 12, HC_WHY_AUTO);
	assert_did("detach 14, disconnect 14");
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	/* What comes too late is nothing. */
	attach(14);
	attached(13, HC_VERDICT_OK);
	assert_did("");
	/* The end of it is in good order. */
	tell(A, 15, HC_WHY_AUTO);
	did[0] = '\0';
	hc_edge_free(&edge);
	assert_did(
		"routes 0, detach 15, disconnect 15, detach 12, disconnect 12");
}

static void test_whose_word(void **state)
{
	struct hc_edge_self_view view;

	/* Without a hub: anybody's. */
	up(C);
	up(B);
	assert_int_equal(asked[C].flags & HC_EDGE_PREFERRED, 0);
	tell(C, 11, HC_WHY_ASSIGNED);
	assert_did("connect 11");
	/* On the way: of who is preferred to who said so. */
	tell(B, 12, HC_WHY_ASSIGNED);
	assert_did("detach 11, disconnect 11, connect 12");
	tell(C, 13, HC_WHY_ASSIGNED);
	assert_did("");
	attach(12);
	did[0] = '\0';
	/* With a hub: only the preferred one's. */
	tell(C, 13, HC_WHY_AUTO);
	assert_did("");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.ignored, 2);
	up(A);
	assert_int_equal(asked[A].hub.bytes[15], 12);
	assert_int_equal(asked[B].flags & HC_EDGE_PREFERRED, 0);
	tell(B, 11, HC_WHY_HUB_DEAD);
	assert_did("");
	tell(A, 12, HC_WHY_KEPT);
	assert_did("");
	/* The preferred one dies: the next one's last word. */
	down(A);
	assert_did("connect 11");
	assert_true(asked[B].flags & HC_EDGE_PREFERRED);
	attach(11);
	did[0] = '\0';
	/* It, too: C's is 13. */
	down(B);
	assert_did("connect 13");
	attach(13);
	did[0] = '\0';
	/* Nobody is left: nothing happens. */
	down(C);
	assert_did("");
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
}

static void test_sticky(void **state)
{
	config.sticky = true;
	hc_edge_config_set(edge, &config, now);
	up(A);
	up(B);
	tell(B, 12, HC_WHY_ASSIGNED);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	did[0] = '\0';
	n_asked[B] = 0;
	down(A);
	assert_did("");
	assert_int_equal(n_asked[B], 1);
	assert_int_equal(asked[B].hub.bytes[15], 11);
	tell(B, 11, HC_WHY_KEPT);
	assert_did("");
}

/* After a move by the preferred one the others adopt it. */
static void test_others_are_asked(void **state)
{
	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	tell(B, 12, HC_WHY_ASSIGNED);
	attach(11);
	/* An answer doesn't change what the other one said. */
	assert_int_equal(n_asked[B], 1);
	tell(A, 13, HC_WHY_DRAINED);
	attach(13);
	assert_int_equal(n_asked[A], 1);
	assert_int_equal(n_asked[B], 2);
	assert_int_equal(asked[B].hub.bytes[15], 13);
	tell(B, 13, HC_WHY_KEPT);
	did[0] = '\0';
	down(A);
	assert_did("");
}

static void test_stale_words(void **state)
{
	struct hc_edge_self_view view;

	up(A);
	say(A, 11, HC_WHY_ASSIGNED, asked[A].token, 5);
	attach(11);
	did[0] = '\0';
	/* Twice the same; an older one; one to an older question. */
	say(A, 11, HC_WHY_ASSIGNED, asked[A].token, 5);
	say(A, 12, HC_WHY_AUTO, asked[A].token, 4);
	say(A, 12, HC_WHY_AUTO, asked[A].token - 1, 6);
	assert_did("");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.stale, 2);
	/* From who isn't a gateway of ours. */
	say(B, 12, HC_WHY_AUTO, 0, 7);
	assert_did("");
	/* A new session counts from the beginning. */
	down(A);
	up(A);
	say(A, 12, HC_WHY_AUTO, asked[A].token, 1);
	assert_did("connect 12");
}

static void test_failures(void **state)
{
	struct hc_edge_self_view view;

	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	assert_did("connect 11");
	/* Too slow. */
	assert_int_equal(hc_edge_run(edge, now), now + 10 * S);
	now += 10 * S;
	hc_edge_run(edge, now);
	assert_did("detach 11, disconnect 11");
	assert_int_equal(state_now(), HC_EDGE_IDLE);
	assert_int_equal(n_asked[A], 2);
	assert_int_equal(asked[A].n_unreachable, 1);
	assert_int_equal(asked[A].unreachable[0].bytes[15], 11);
	/* Refused. */
	tell(A, 12, HC_WHY_UNREACHABLE);
	hub_up(12);
	attached(12, HC_VERDICT_FULL);
	assert_did("connect 12, attach 12, detach 12, disconnect 12");
	assert_int_equal(asked[A].n_unreachable, 2);
	/* Gone before it accepted us. */
	tell(A, 13, HC_WHY_UNREACHABLE);
	hub_up(13);
	down(13);
	assert_did("connect 13, attach 13, detach 13, disconnect 13");
	assert_int_equal(asked[A].n_unreachable, 3);
	/* One that works is no longer named; the others for a while. */
	tell(A, 11, HC_WHY_ONLY_ONE);
	attach(11);
	assert_int_equal(asked[A].n_unreachable, 2);
	did[0] = '\0';
	/* A move that fails: it stays, and says so. */
	tell(A, 14, HC_WHY_AUTO);
	hub_up(14);
	down(14);
	assert_did("connect 14, attach 14, detach 14, disconnect 14");
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	assert_int_equal(asked[A].hub.bytes[15], 11);
	assert_int_equal(asked[A].n_unreachable, 3);
	/* When they are named no more, the gateways hear of it. */
	assert_int_equal(hc_edge_run(edge, now), now + 30 * S);
	now += 30 * S;
	assert_int_equal(hc_edge_run(edge, now), INT64_MAX);
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.n_unreachable, 0);
	assert_int_equal(asked[A].n_unreachable, 0);
	assert_int_equal(view.failures, 4);
	/* More than can be named: the oldest goes. */
	for (unsigned int i = 0; i < HC_UNREACHABLE_MAX + 2; i++) {
		now += 1000;
		tell(A, 20 + i, HC_WHY_AUTO);
		hub_up(20 + i);
		down(20 + i);
	}
	assert_int_equal(asked[A].n_unreachable, HC_UNREACHABLE_MAX);
	for (unsigned int i = 0; i < HC_UNREACHABLE_MAX; i++)
		assert_true(asked[A].unreachable[i].bytes[15] >= 22);
}

static void test_hub_lost(void **state)
{
	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	did[0] = '\0';
	down(11);
	assert_did("routes 0, disconnect 11");
	assert_int_equal(state_now(), HC_EDGE_IDLE);
	assert_true(ctl_id_is_null(&asked[A].hub));
	assert_int_equal(asked[A].unreachable[0].bytes[15], 11);
	/* It waits for the answer, not for the old one. */
	now += 6 * S;
	hc_edge_run(edge, now);
	assert_did("");
	tell(A, 12, HC_WHY_UNREACHABLE);
	attach(12);
	did[0] = '\0';
	/* On the way to another one: on with it. */
	tell(A, 13, HC_WHY_HUB_DEAD);
	n_asked[A] = 0;
	down(12);
	assert_did("connect 13, routes 0, disconnect 12");
	assert_int_equal(state_now(), HC_EDGE_CONNECTING);
	assert_int_equal(n_asked[A], 0);
	attach(13);
	assert_did("attach 13, routes 13");
	/* It doesn't want us any more. */
	attached(13, HC_VERDICT_CLUSTER);
	assert_did("routes 0, disconnect 13");
	assert_int_equal(state_now(), HC_EDGE_IDLE);
}

/* It loses its hub: to the standby at once; the gateways may say otherwise. */
static void test_standby(void **state)
{
	struct hc_edge_self_view view;
	struct hc_msg other;
	struct ctl_id from = id(A);

	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	did[0] = '\0';
	/* Who isn't preferred, or isn't a gateway, names none. */
	place(B, 13, 1, HC_PLACE_STANDBY);
	place(C, 13, 1, HC_PLACE_STANDBY);
	assert_did("");
	/* Of another cluster. */
	memset(&other, 0, sizeof(other));
	other.type = HC_ITEM_PLACE;
	other.place.flags = HC_PLACE_STANDBY;
	other.place.hub = id(13);
	hc_edge_receive(edge, &from, &other, now);
	assert_did("");
	place(A, 12, 1, HC_PLACE_STANDBY);
	assert_did("place 12");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.standby.hub.bytes[15], 12);
	n_asked[A] = 0;
	down(11);
	assert_did("routes 0, disconnect 11, connect 12");
	assert_int_equal(state_now(), HC_EDGE_CONNECTING);
	/* It has asked, too; the answer is no news. */
	assert_int_equal(n_asked[A], 1);
	assert_int_equal(asked[A].unreachable[0].bytes[15], 11);
	tell(A, 12, HC_WHY_UNREACHABLE);
	assert_did("");
	attach(12);
	assert_did("attach 12, routes 12");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.current.why, HC_WHY_STANDBY);
	/* The standby is where it is: no help, if that is lost, too. */
	down(12);
	assert_did("routes 0, disconnect 12");
	assert_int_equal(state_now(), HC_EDGE_IDLE);
	tell(A, 13, HC_WHY_UNREACHABLE);
	attach(13);
	did[0] = '\0';
	/* The gateway says that there is none any more. */
	place(A, 0, 0, HC_PLACE_STANDBY);
	down(13);
	assert_did("routes 0, disconnect 13");
	tell(A, 14, HC_WHY_UNREACHABLE);
	attach(14);
	did[0] = '\0';
	/* One that doesn't answer, and isn't the gateway's word any more. */
	place(A, 15, 1, HC_PLACE_STANDBY);
	down(14);
	tell(A, 16, HC_WHY_UNREACHABLE);
	assert_did(
		"place 15, routes 0, disconnect 14, connect 15, detach 15, disconnect 15, connect 16");
	attach(16);
}

/* Without gateways the standby first, then the last one. */
static void test_standby_by_itself(void **state)
{
	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	place(A, 12, 1, HC_PLACE_STANDBY);
	down(A);
	did[0] = '\0';
	down(11);
	assert_did("routes 0, disconnect 11, connect 12");
	now += 10 * S;
	hc_edge_run(edge, now);
	assert_did("detach 12, disconnect 12");
	now += 5 * S;
	hc_edge_run(edge, now);
	assert_did("connect 11");
	now += 10 * S;
	hc_edge_run(edge, now);
	assert_did("detach 11, disconnect 11");
	/* It was named as unreachable for 30 s. */
	now += 20 * S;
	hc_edge_run(edge, now);
	assert_did("connect 12");
	attach(12);
}

/* A session with a hub that failed is back: it may be named again. */
static void test_reachable_again(void **state)
{
	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	place(A, 12, 1, HC_PLACE_STANDBY);
	down(11);
	tell(A, 12, HC_WHY_UNREACHABLE);
	attach(12);
	assert_int_equal(asked[A].n_unreachable, 1);
	n_asked[A] = 0;
	did[0] = '\0';
	hub_up(13);
	assert_int_equal(asked[A].n_unreachable, 1);
	hub_up(11);
	assert_int_equal(asked[A].n_unreachable, 0);
	assert_int_equal(n_asked[A], 0);
	assert_did("");
}

/* Where hubs are now: ours, the one on the way, others. */
static void test_places(void **state)
{
	struct hc_edge_self_view view;

	up(A);
	assert_int_equal(asked[A].flags & HC_EDGE_PLACES, 0);
	config.preestablish = true;
	hc_edge_config_set(edge, &config, now);
	assert_int_equal(asked[A].flags & HC_EDGE_PLACES, HC_EDGE_PLACES);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	place(A, 13, 1, HC_PLACE_STANDBY);
	tell(A, 12, HC_WHY_AUTO);
	did[0] = '\0';
	place(A, 11, 2, 0);
	place(A, 12, 3, 0);
	place(A, 13, 4, 0);
	place(A, 14, 5, 0);
	assert_did("place 11, place 12, place 13, place 14");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.current.port, 2);
	assert_int_equal(view.current.addresses.n, 1);
	assert_int_equal(view.target.port, 3);
	assert_int_equal(view.standby.port, 4);
	/* Gone, says the gateway; the edge has a session with it. */
	place(A, 11, 0, 0);
	place(A, 14, 0, 0);
	assert_did("gone 11, gone 14");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.current.port, 2);
	assert_int_equal(view.state, HC_EDGE_MOVING);
	/* Of another gateway's hubs it hears nothing. */
	up(B);
	place(B, 15, 1, 0);
	assert_did("");
}

static void test_no_hub(void **state)
{
	struct hc_edge_self_view view;

	up(A);
	tell(A, 0, HC_WHY_NO_HUB);
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.no_hub, HC_WHY_NO_HUB);
	assert_int_equal(view.state, HC_EDGE_IDLE);
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 1);
	/* Every 5 s. */
	for (unsigned int i = 1; i < 10; i++) {
		assert_int_equal(n_asked[A], i);
		assert_int_equal(hc_edge_run(edge, now), now + 5 * S);
		now += 5 * S;
		hc_edge_run(edge, now);
		tell(A, 0, HC_WHY_NO_HUB);
	}
	/* Said once, until there is another reason. */
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 1);
	tell(A, 0, HC_WHY_NO_ELIGIBLE);
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 2);
	/* Also with a hub, from another gateway; which it keeps. */
	up(B);
	tell(B, 11, HC_WHY_ASSIGNED);
	attach(11);
	did[0] = '\0';
	n_asked[A] = 0;
	now += 5 * S;
	hc_edge_run(edge, now);
	assert_int_equal(n_asked[A], 1);
	tell(A, 0, HC_WHY_NO_HUB);
	assert_did("");
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 2);
}

/* It is told whatever the edge tries by itself, and of each time without a hub. */
static void test_no_hub_on_the_way(void **state)
{
	struct hc_edge_self_view view;

	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	down(A);
	down(11);
	now += 5 * S;
	hc_edge_run(edge, now);
	assert_int_equal(state_now(), HC_EDGE_CONNECTING);
	up(A);
	tell(A, 0, HC_WHY_NO_HUB);
	assert_int_equal(state_now(), HC_EDGE_CONNECTING);
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 1);
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.no_hub, HC_WHY_NO_HUB);
	attach(11);
	now += 5 * S;
	hc_edge_run(edge, now);
	tell(A, 0, HC_WHY_NO_HUB);
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 1);
	down(11);
	tell(A, 0, HC_WHY_NO_HUB);
	assert_int_equal(n_events[HC_EDGE_NO_HUB], 2);
}

/* The preferred one says nothing: of the others the better one, and its last word. */
static void test_silent_gateway(void **state)
{
	/* On its way to the last hub, which nobody has told it. */
	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	down(A);
	down(11);
	now += 5 * S;
	hc_edge_run(edge, now);
	up(A);
	up(C);
	up(B);
	did[0] = '\0';
	tell(C, 12, HC_WHY_ASSIGNED);
	assert_did("detach 11, disconnect 11, connect 12");
	tell(C, 13, HC_WHY_HUB_DEAD);
	assert_did("detach 12, disconnect 12, connect 13");
	tell(B, 14, HC_WHY_ASSIGNED);
	assert_did("detach 13, disconnect 13, connect 14");
	tell(C, 12, HC_WHY_ASSIGNED);
	assert_did("");
	tell(A, 15, HC_WHY_ASSIGNED);
	assert_did("detach 14, disconnect 14, connect 15");
}

static void test_by_itself(void **state)
{
	struct hc_edge_self_view view;

	/* It never had one: there is nothing to try. */
	assert_int_equal(hc_edge_run(edge, now), INT64_MAX);
	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	down(A);
	down(11);
	did[0] = '\0';
	assert_int_equal(hc_edge_run(edge, now), now + 5 * S);
	now += 5 * S;
	hc_edge_run(edge, now);
	assert_did("connect 11");
	attach(11);
	assert_did("attach 11, routes 11");
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.current.why, HC_WHY_LAST);
	assert_true(ctl_id_is_null(&view.current.gateway));
	/* Any gateway may say something else. */
	up(C);
	tell(C, 12, HC_WHY_REPLACED_GONE);
	assert_did("connect 12");
}

/* Gateways that know of no hub: the last one may be there all the same. */
static void test_blind_gateways(void **state)
{
	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	tell(B, 11, HC_WHY_ASSIGNED);
	attach(11);
	tell(A, 0, HC_WHY_NO_HUB);
	down(11);
	did[0] = '\0';
	/* One of them may still name one. */
	now += 5 * S;
	tell(A, 0, HC_WHY_NO_HUB);
	hc_edge_run(edge, now);
	assert_did("");
	/* They say so because all are drained: it isn't wanted there. */
	tell(B, 0, HC_WHY_NO_ELIGIBLE);
	hc_edge_run(edge, now);
	assert_did("");
	tell(A, 0, HC_WHY_NO_CLUSTER);
	tell(B, 0, HC_WHY_NO_HUB);
	hc_edge_run(edge, now);
	assert_did("connect 11");
	/* Any gateway may say something else. */
	tell(B, 12, HC_WHY_ASSIGNED);
	assert_did("detach 11, disconnect 11, connect 12");
}

/* A word about the hub that it has: where that is now, what it accepts now. */
static void test_current_changes(void **state)
{
	struct ctl_id hub = id(11), gateway = id(A);
	struct hc_msg msg = { .type = HC_ITEM_ATTACHED };
	struct hc_edge_self_view view;

	up(A);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	assert_did("connect 11, attach 11, routes 11");
	msg.attached.cluster = id(100);
	msg.attached.accepted = 3;
	msg.attached.tunnel.n = 1;
	SET_IPADDR_V4(&msg.attached.tunnel.list[0]);
	msg.attached.tunnel.list[0].ipaddr_v4.s_addr = htonl(0x0a00000b);
	hc_edge_receive(edge, &hub, &msg, now);
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.accepted, 3);
	assert_did("");
	msg = (struct hc_msg){ .type = HC_ITEM_ASSIGN };
	msg.assign.cluster = id(100);
	msg.assign.token = asked[A].token;
	msg.assign.sequence = ++sequence;
	msg.assign.hub = hub;
	msg.assign.port = 4711;
	msg.assign.addresses.n = 1;
	msg.assign.addresses.list[0] = addr("192.0.2.7");
	hc_edge_receive(edge, &gateway, &msg, now);
	hc_edge_self_view(edge, &view);
	assert_int_equal(view.current.port, 4711);
	assert_true(hc_addresses_same(&view.current.addresses,
				      &msg.assign.addresses));
	assert_int_equal(view.moves, 0);
	assert_did("");
}

static void test_configuration(void **state)
{
	struct ipaddr site = addr("10.1.0.0");
	struct ctl_id peer;

	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	tell(B, 12, HC_WHY_ASSIGNED);
	attach(11);
	tell(A, 13, HC_WHY_AUTO);
	hub_up(13);
	did[0] = '\0';
	/* New prefixes are told to both hubs. */
	config.n_prefixes = 1;
	hc_prefix_make(&site, 24, &config.prefixes[0]);
	hc_edge_config_set(edge, &config, now);
	assert_did("attach 11, attach 13");
	hc_edge_config_set(edge, &config, now);
	assert_did("");
	/* Other ends of the hub's tunnel: the routes follow. */
	attached(11, HC_VERDICT_OK);
	assert_did("");
	/* Another order of preference is as good as a death. */
	config.gateways[0].preference = 5;
	hc_edge_config_set(edge, &config, now);
	assert_did("detach 13, disconnect 13, connect 12");
	assert_true(asked[B].flags & HC_EDGE_PREFERRED);
	assert_false(asked[A].flags & HC_EDGE_PREFERRED);
	/* Full state: where it is, to whom that means something. */
	hub_up(12);
	did[0] = '\0';
	for (unsigned int i = 1; i < 20; i++) {
		peer = id(i);
		hc_edge_full_state(edge, &peer);
	}
	assert_did("attach 11, attach 12");
	assert_string_equal(hc_edge_state_str(HC_EDGE_MOVING), "moving");
	/* No more gateways than there is room for. */
	for (unsigned int i = 0; i < HC_EDGE_GATEWAYS_MAX + 3; i++) {
		up(30 + i);
		assert_int_equal(n_asked[30 + i], i < HC_EDGE_GATEWAYS_MAX - 2);
	}
}

static void sync_of(unsigned int number, bool begin)
{
	struct ctl_id peer = id(number);

	hc_edge_sync(edge, &peer, begin, now);
}

/* A gateway that doesn't say again what it had told is asked. */
static void test_not_told_again(void **state)
{
	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	attach(11);
	n_asked[A] = n_asked[B] = 0;
	/* It says it; it never did; nobody's; an end without a beginning. */
	sync_of(A, true);
	say(A, 11, HC_WHY_ASSIGNED, asked[A].token, sequence);
	sync_of(A, false);
	sync_of(B, true);
	sync_of(B, false);
	sync_of(C, true);
	sync_of(C, false);
	sync_of(A, false);
	assert_int_equal(n_asked[A], 0);
	assert_int_equal(n_asked[B], 0);
	/* It doesn't. */
	sync_of(A, true);
	sync_of(A, false);
	assert_int_equal(n_asked[A], 1);
	tell(A, 11, HC_WHY_KEPT);
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	/* Asked meanwhile, it isn't asked once more. */
	sync_of(A, true);
	down(11);
	n_asked[A] = 0;
	sync_of(A, false);
	assert_int_equal(n_asked[A], 0);
}

/* Only who knows that it is followed names all hubs: and the standby, last. */
static void test_all_places(void **state)
{
	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	tell(B, 11, HC_WHY_ASSIGNED);
	attach(11);
	did[0] = '\0';
	sync_of(A, true);
	place(A, 11, 1, 0);
	place(A, 0, 0, HC_PLACE_STANDBY);
	sync_of(A, false);
	assert_did("naming 0, place 11, named 0");
	/* It doesn't know it, or hasn't settled. */
	sync_of(A, true);
	place(A, 11, 1, 0);
	sync_of(A, false);
	assert_did("naming 0, place 11");
	/* It isn't followed; it is since it began. */
	sync_of(B, true);
	place(B, 0, 0, HC_PLACE_STANDBY);
	sync_of(B, false);
	assert_did("");
	sync_of(B, true);
	down(A);
	place(B, 0, 0, HC_PLACE_STANDBY);
	sync_of(B, false);
	assert_did("");
	/* It isn't any more. */
	sync_of(B, true);
	place(B, 0, 0, HC_PLACE_STANDBY);
	up(A);
	sync_of(B, false);
	assert_did("naming 0");
	/* It is again: what it named meanwhile wasn't taken. */
	sync_of(A, true);
	config.gateways[0].preference = 5;
	hc_edge_config_set(edge, &config, now);
	place(A, 12, 1, 0);
	config.gateways[0].preference = 20;
	hc_edge_config_set(edge, &config, now);
	place(A, 0, 0, HC_PLACE_STANDBY);
	sync_of(A, false);
	assert_did("naming 0");
	/* The same, because one comes and goes that it prefers. */
	down(A);
	sync_of(B, true);
	up(A);
	place(B, 12, 1, 0);
	down(A);
	place(B, 0, 0, HC_PLACE_STANDBY);
	sync_of(B, false);
	assert_did("naming 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EDGE_TEST(test_make_before_break),
		EDGE_TEST(test_whose_word),
		EDGE_TEST(test_sticky),
		EDGE_TEST(test_others_are_asked),
		EDGE_TEST(test_stale_words),
		EDGE_TEST(test_failures),
		EDGE_TEST(test_hub_lost),
		EDGE_TEST(test_standby),
		EDGE_TEST(test_standby_by_itself),
		EDGE_TEST(test_reachable_again),
		EDGE_TEST(test_places),
		EDGE_TEST(test_no_hub),
		EDGE_TEST(test_no_hub_on_the_way),
		EDGE_TEST(test_silent_gateway),
		EDGE_TEST(test_by_itself),
		EDGE_TEST(test_blind_gateways),
		EDGE_TEST(test_current_changes),
		EDGE_TEST(test_configuration),
		EDGE_TEST(test_not_told_again),
		EDGE_TEST(test_all_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
