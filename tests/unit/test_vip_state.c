// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vip.c: from configuration, verdicts and zebra's word to routes, states,
 * holds and log lines.
 */
#include "vip_env.h"

static void test_comes_up(void **state)
{
	struct vip *vip = env_vip("web", "192.0.2.1", true);
	int64_t since_us;

	assert_true(env.decide_wishes > 0);
	assert_state(vip, VIP_WAITING,
		     "nothing is decided yet: the configuration is still being read");
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "0 of 2 IPv4 members up; 198.51.100.1: probe p is not configured");
	/* The first decision withdraws nothing (case 20). */
	assert_int_equal(env.adds + env.deletes, 0);

	env.now_us += 1000000;
	env_verdict("p", "198.51.100.2", PROBE_UP);
	env_decide();
	/* Sent, but not forwarding yet (case 10). */
	assert_state(vip, VIP_PENDING,
		     "sent to zebra, which has not confirmed it");
	assert_int_equal(env.adds, 1);
	assert_int_equal(vip->n_up, 1);
	assert_int_equal(vip->n_announced, 0);
	assert_int_equal(env.notices, 0);

	env.now_us += 1000000;
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	since_us = env.now_us;
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_int_equal(vip->n_announced, 1);
	assert_int_equal(env.notices, 1);
	assert_logged("VIP web: announced, was pending\n");
	assert_true(vip->since.us == since_us);

	/* One more next hop is a change of the route, not of the state. */
	env.now_us += 1000000;
	env_verdict("p", "198.51.100.1", PROBE_UP);
	env_decide();
	assert_int_equal(env.adds, 2);
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_true(vip->since.us == since_us);
	assert_int_equal(vip_addresses_first(&vip->addresses)->n_nexthops, 2);
}

/* Every check sends an UPDATE (case 21). */
/* A remark of an announced address is the VIP's, if it has nothing worse. */
static void test_not_in_bgp(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_counts counts;

	assert_state(vip, VIP_ANNOUNCED, "");
	env.not_in_bgp = vip_addresses_first(&vip->addresses)->addr;
	assert_state(vip, VIP_ANNOUNCED, "not in bgpd");
	vip_counts(&counts);
	assert_int_equal(counts.addresses_not_in_bgp, 1);
	env_address(vip, "192.0.2.2");
	env_decide();
	env_notify("192.0.2.2", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "192.0.2.1: not in bgpd");
	env.not_in_bgp = addr("192.0.2.2");
	assert_state(vip, VIP_ANNOUNCED, "192.0.2.2: not in bgpd");
	vip->shutdown = true;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_DRAINING,
		     "192.0.2.1: shut down by configuration: withdrawn in 30 s");
}

static void test_nothing_changed(void **state)
{
	const struct vip_address *address;
	unsigned int adds;
	int64_t since_us;

	since_us = vip_addresses_first(&announced_vip()->addresses)->since.us;
	adds = env.adds;
	for (int i = 0; i < 10; i++) {
		env.now_us += 1000000;
		env_decide();
	}
	assert_int_equal(env.adds, adds);
	assert_int_equal(env.deletes, 0);
	assert_int_equal(env.notices + env.infos + env.notifications, 0);
	address = vip_addresses_first(&vip_find("web")->addresses);
	assert_true(address->since.us == since_us);
}

/* All members fail (case 8). */
static void test_all_fail(void **state)
{
	struct vip *vip = announced_vip();

	env.now_us += 1000000;
	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_decide();
	assert_int_equal(env.deletes, 1);
	assert_state(vip, VIP_DOWN,
		     "0 of 2 IPv4 members up; 198.51.100.1: probe p down: 3 x connection refused");
	assert_true(vip->since.us == env.now_us);
	assert_logged(
		"VIP web: member 198.51.100.1 down: probe p down: 3 x connection refused\n");
	assert_logged(
		"VIP web: down, was announced: 0 of 2 IPv4 members up; 198.51.100.1: probe p down: 3 x connection refused\n");
	assert_int_equal(env.notices, 1);
	assert_int_equal(env.infos, 2);
	assert_int_equal(env.notifications, 1);
	assert_int_equal(env.events[EVENT_MEMBER], 2);
	assert_int_equal(env.events[EVENT_ADDRESS], 1);
	assert_int_equal(env.events[EVENT_VIP], 1);
}

/* Two services share one VIP; remove both (case 7). */
static void test_shared(void **state)
{
	struct vip *a = announced_vip(), *b;

	b = env_vip("zzz", "192.0.2.1", false);
	b->tag = 7;
	env_decide();
	assert_state(a, VIP_ANNOUNCED, "");
	assert_state(b, VIP_ANNOUNCED,
		     "shared with VIP web, whose tag, metric and distance are used");
	/* Its next hops are those of the other: nothing to be told. */
	assert_int_equal(env.adds, 1);

	vip_del(a);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	assert_int_equal(env.deletes, 0);
	assert_state(b, VIP_ANNOUNCED, "");
	vip_del(b);
	env_decide();
	assert_int_equal(env.deletes, 1);
	assert_false(env_wants("192.0.2.1"));
}

static void test_shutdown(void **state)
{
	struct vip *vip = announced_vip();

	vip->shutdown = true;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_DRAINING,
		     "shut down by configuration: withdrawn in 30 s");
	assert_int_equal(vip->n_announced, 1);
	assert_int_equal(env.deletes, 0);
	assert_true(env.decide_at_us == env.now_us + VIP_DRAIN_DEFAULT_US);
	env.now_us += VIP_DRAIN_DEFAULT_US;
	env_decide();
	assert_state(vip, VIP_SHUTDOWN, "shut down by configuration");
	assert_int_equal(env.deletes, 1);
	/* It is still probed, and comes back at once. */
	assert_int_equal(vip->n_up, 2);
	vip->shutdown = false;
	vip_changed(vip);
	env_decide();
	assert_int_equal(env.adds, 3);
}

/* Who else may ask for it. */
static void test_drain_requests(void **state)
{
	struct vip *vip = announced_vip();

	vip->drain_file = env_drain_file();
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env.drain_file_there = true;
	env_decide();
	assert_state(vip, VIP_DRAINING,
		     "drained, the file that asks for it exists: withdrawn in 30 s");
	assert_int_equal(env.n_draining, 1);
	env.now_us += 100000;
	env.drain_file_there = false;
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_int_equal(env.n_draining, 0);
	assert_int_equal(env.deletes, 0);

	/* The end: with all the time there is, or none. */
	vip->life_config.drain_us = 3600 * INT64_C(1000000);
	assert_int_equal(vip_exit_drains(), 0);
	vip->life_config.drain_on_exit = true;
	assert_int_equal(vip_exit_drains(), 1);
	env.exiting = true;
	env_decide();
	assert_state(vip, VIP_DRAINING,
		     "drained, clusterd is about to end: withdrawn in 100 s");
	env.now_us += VIP_EXIT_MAX_US - 1000000;
	env_decide();
	assert_state(vip, VIP_DRAINING,
		     "drained, clusterd is about to end: withdrawn in 1 s");
	/* Nobody is left to drain for: now. */
	env.exit_holds = true;
	env_decide();
	assert_state(vip, VIP_DRAINED, "drained, clusterd is about to end");
	assert_int_equal(env.n_draining, 0);
	assert_int_equal(env.deletes, 1);
	assert_int_equal(vip_exit_drains(), 0);
}

/* Not configured for it: gone at once. */
static void test_exit_without_drain(void **state)
{
	struct vip *vip = announced_vip();

	env.exiting = true;
	env_decide();
	assert_state(vip, VIP_DRAINED, "drained, clusterd is about to end");
	assert_int_equal(env.n_draining, 0);
	assert_int_equal(env.deletes, 1);
}

/* Up and down: held back, and let go by the command (case 23). */
static void test_damping(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_address_life life;

	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_decide();
	assert_int_equal(env.deletes, 1);
	env_verdict("p", "198.51.100.1", PROBE_UP);
	env_decide();
	assert_state(vip, VIP_HELD,
		     "healthy, but went down a moment ago: held back for another 5 s");
	assert_true(env.decide_at_us == env.now_us + 5000000);
	vip_address_life(vip_addresses_first(&vip->addresses), &life);
	assert_int_equal(life.penalty, 1000);
	assert_int_equal(life.weight, 10);
	assert_true(life.left_us == 5000000);
	env.now_us += 4000001;
	env_decide();
	assert_state(vip, VIP_HELD,
		     "healthy, but went down a moment ago: held back for another 1 s");
	vip_damping_forget(vip);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	vip_address_life(vip_addresses_first(&vip->addresses), &life);
	assert_int_equal(life.penalty, 0);
	assert_true(life.left_us == 0);
}

/* A file is being read: flaps and drains are remembered all the same. */
static void test_half(void **state)
{
	struct vip *vip = announced_vip();
	struct vip *edited = vip_add("edited");
	struct vip_address_life life;

	vip->drain_file = env_drain_file();
	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_decide_half();
	assert_int_equal(env.deletes, 1);
	env_verdict("p", "198.51.100.1", PROBE_UP);
	env_decide_half();
	assert_state(vip, VIP_HELD,
		     "healthy, but went down a moment ago: held back for another 5 s");
	assert_true(env.decide_at_us == env.now_us + 5000000);
	vip_address_life(vip_addresses_first(&vip->addresses), &life);
	assert_int_equal(life.penalty, 1000);
	assert_false(env_wants("192.0.2.1"));
	env.now_us += 5000001;
	env_decide_half();
	assert_true(env_wants("192.0.2.1"));
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide_half();
	assert_state(vip, VIP_ANNOUNCED, "");

	env.drain_file_there = true;
	env_decide_half();
	assert_state(vip, VIP_DRAINING,
		     "drained, the file that asks for it exists: withdrawn in 30 s");
	env.now_us += 20000001;
	env_decide_half();
	assert_state(vip, VIP_DRAINING,
		     "drained, the file that asks for it exists: withdrawn in 10 s");
	env.now_us += 10000001;
	env_decide_half();
	assert_false(env_wants("192.0.2.1"));
	assert_state(vip, VIP_DRAINED,
		     "drained, the file that asks for it exists");

	/* The end of the file: nothing begins anew. */
	assert_int_equal(edited->reason.why, VIP_WHY_UNDECIDED);
	env_decide();
	assert_int_equal(edited->reason.why, VIP_WHY_NO_ADDRESS);
	assert_state(vip, VIP_DRAINED,
		     "drained, the file that asks for it exists");
	assert_int_equal(env.deletes, 2);
}

/* Announced all the same, and it says so (case 8). */
static void test_fail_open(void **state)
{
	struct vip *vip = announced_vip();

	vip->life_config.fail_open = true;
	vip_changed(vip);
	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_log_clear();
	env_decide();
	assert_state(vip, VIP_ANNOUNCED,
		     "fail-open: none of 2 IPv4 members is up, announced all the same");
	assert_int_equal(env.deletes, 0);
	assert_int_equal(env.notices, 1);
	assert_logged(
		"VIP web: 192.0.2.1 fail-open: none of 2 IPv4 members is up, announced all the same\n");
	env_decide();
	assert_int_equal(env.notices, 1);
	env_verdict("p", "198.51.100.1", PROBE_UP);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_logged("VIP web: 192.0.2.1 no longer fail-open\n");
}

static void test_zebra_lost(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_member *member = vip_members_first(&vip->members);
	char text[VIP_WHY_LEN];

	env.zebra = CLUSTER_ZEBRA_DOWN;
	route_table_disconnected(env.routes, NULL, env.now_us);
	env_decide();
	assert_state(vip, VIP_WAITING, "zebra is not there: start it");
	assert_string_equal(vip_member_why_text(member, text, sizeof(text)),
			    "zebra is not there: start it");
	/* One line for the VIP, none for what follows from it. */
	assert_int_equal(env.notices, 1);
	assert_int_equal(env.infos, 0);
	assert_int_equal(env.deletes, 0);

	env.zebra = CLUSTER_ZEBRA_CONNECTED;
	env_decide();
	assert_int_equal(env.adds, 2);
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");

	/* It drains; at the end of clusterd nobody is waited for without zebra. */
	vip->life_config.drain = true;
	vip_changed(vip);
	env_decide();
	assert_int_equal(env.n_draining, 1);
	env.zebra = CLUSTER_ZEBRA_DOWN;
	env_decide();
	assert_int_equal(env.n_draining, 0);
	env.zebra = CLUSTER_ZEBRA_CONNECTED;
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	assert_int_equal(env.n_draining, 1);
}

/* It may go on at any moment: routes are wanted, and what it said still holds. */
static void test_zebra_silent(void **state)
{
	struct vip *vip = announced_vip();

	env.zebra = CLUSTER_ZEBRA_SILENT;
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_int_equal(env.deletes, 0);
	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_decide();
	assert_int_equal(vip->state, VIP_DOWN);
	assert_int_equal(env.deletes, 1);
}

/* What is plainly wrong or switched off is so without zebra as well. */
static void test_zebra_never_there(void **state)
{
	struct vip *a = env_vip("a", "192.0.2.1", true);
	struct vip *b = env_vip("b", "192.0.2.2", false);

	env.zebra = CLUSTER_ZEBRA_REFUSED;
	b->shutdown = true;
	env_decide();
	assert_state(a, VIP_WAITING, "zebra is not there: start it");
	assert_state(b, VIP_SHUTDOWN, "shut down by configuration");
}

static void test_hidden(void **state)
{
	struct vip *vip = env_vip("web", "192.0.2.1", false);

	env.owned = addr("192.0.2.1");
	env_decide();
	assert_state(vip, VIP_HIDDEN,
		     "192.0.2.1 is an address of interface lo, whose connected route hides the VIP: remove it there");
	/* Not a host route there: ours is installed, and of no use. */
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED,
		     "192.0.2.1 is an address of interface lo, so that this node takes the packets and not the members: remove it there");
	/* The address is taken off. */
	env.owned = addr("192.0.2.99");
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env_notify("192.0.2.1", ROUTE_NOTE_BETTER_WON);
	env_decide();
	assert_state(vip, VIP_HIDDEN,
		     "another route is preferred: see `show ip route 192.0.2.1`");
	assert_logged("VIP web: hidden, was announced: another route");
}

/* zebra says nothing of a route that never was the best. */
static void test_overdue(void **state)
{
	struct vip *vip = env_vip("web", "192.0.2.1", false);
	int64_t sent_us = env.now_us;
	struct route_table_filter filter = { .not_installed = true };

	env_decide();
	assert_int_equal(vip->state, VIP_PENDING);
	assert_true(env.decide_at_us == sent_us + 5000000);
	env.now_us = sent_us + 4999999;
	env_decide();
	assert_int_equal(vip->state, VIP_PENDING);
	assert_true(env.decide_at_us == sent_us + 5000000);
	env.now_us = env.decide_at_us;
	env_decide();
	assert_state(vip, VIP_HIDDEN,
		     "zebra has not installed the route, probably another one is preferred: see `show ip route 192.0.2.1`");
	assert_true(env.decide_at_us == 0);

	/* Sent again: no news. */
	env_notify("192.0.2.1", ROUTE_NOTE_BETTER_WON);
	env_decide();
	route_table_resend(env.routes, &filter, env.now_us);
	env_log_clear();
	env_decide();
	assert_int_equal(vip->state, VIP_HIDDEN);
	assert_int_equal(env.notices + env.infos, 0);
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_int_equal(vip->state, VIP_ANNOUNCED);
}

static void test_rejected(void **state)
{
	struct vip *vip = announced_vip();

	env_notify("192.0.2.1", ROUTE_NOTE_FAILED);
	env_decide();
	assert_state(vip, VIP_REJECTED,
		     "the kernel refused the route: see zebra's log");
	env_notify("192.0.2.1", ROUTE_NOTE_REMOVED);
	env_decide();
	assert_state(vip, VIP_PENDING,
		     "another program removed the route, it is sent again");
}

static void test_several_addresses(void **state)
{
	struct vip *vip = announced_vip();

	env_address(vip, "192.0.2.2");
	env_address(vip, "2001:db8::1");
	env_decide();
	env_notify("192.0.2.2", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_PARTIAL,
		     "2001:db8::1: no IPv6 member is configured");
	assert_int_equal(vip->n_announced, 2);
	assert_logged("VIP web: 192.0.2.2 announced, was pending\n");

	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "192.0.2.1: 0 of 2 IPv4 members up; 198.51.100.1: probe p down: 3 x connection refused");
}

static void test_members(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_member *first = vip_members_first(&vip->members);
	struct vip_member *second = vip_members_next(&vip->members, first);
	char text[VIP_WHY_LEN];

	/* Unresolved next hop. */
	env.unresolved[env.n_unresolved++] = addr("198.51.100.1");
	env.now_us += 1000000;
	env_decide();
	assert_string_equal(vip_member_why_text(first, text, sizeof(text)),
			    "zebra has no route to it");
	assert_true(first->since.us == env.now_us);
	/* Another reason of being down is no change of state. */
	env.now_us += 1000000;
	env_verdict("p", "198.51.100.1", PROBE_DOWN);
	env_log_clear();
	env_decide();
	assert_string_equal(vip_member_why_text(first, text, sizeof(text)),
			    "probe p down: 3 x connection refused");
	assert_true(first->since.us == env.now_us - 1000000);
	assert_int_equal(env.infos, 0);

	/* With an interface zebra's resolution doesn't matter. */
	env_verdict("p", "198.51.100.1", PROBE_UP);
	strlcpy(first->ifname, "eth0", sizeof(first->ifname));
	vip_changed(vip);
	env_decide();
	assert_int_equal(first->why, VIP_WHY_OK);
	strlcpy(env.interface_down, "eth0", sizeof(env.interface_down));
	env_decide();
	assert_string_equal(vip_member_why_text(first, text, sizeof(text)),
			    "interface eth0 is down or not there");
	assert_state(vip, VIP_ANNOUNCED, "");

	/* The last one leaves, too few remain. */
	vip->min_up = 2;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "1 of 2 IPv4 members up, min-up is 2; 198.51.100.1: interface eth0 is down or not there");
	vip_member_del(second);
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "it can never come up: min-up is 2, but only 1 IPv4 member is configured");

	strlcpy(env.vrf_missing, "red", sizeof(env.vrf_missing));
	strlcpy(vip->vrf, "red", sizeof(vip->vrf));
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_WAITING, "VRF red is not there");
}

/* VIPs of different VRFs, one of which isn't there. */
static void test_vrfs(void **state)
{
	struct vip *a = env_vip("a", "192.0.2.1", false);
	struct vip *b = env_vip("b", "192.0.2.1", false);
	struct vip *c = env_vip("c", "192.0.2.1", false);

	strlcpy(b->vrf, "red", sizeof(b->vrf));
	strlcpy(env.vrf_missing, "red", sizeof(env.vrf_missing));
	env_decide();
	assert_int_equal(a->state, VIP_PENDING);
	assert_state(b, VIP_WAITING, "VRF red is not there");
	assert_int_equal(c->state, VIP_PENDING);
	env.vrf_missing[0] = '\0';
	env_decide();
	assert_int_equal(b->state, VIP_PENDING);
	assert_int_equal(env.adds, 2);
}

static void test_undecided(void **state)
{
	struct vip *vip = env_vip("web", "192.0.2.1", true);
	struct ipaddr a = addr("192.0.2.1");

	vip_del(vip);
	env_decide();
	vip = env_vip("web", "192.0.2.1", true);
	vip_del(vip);
	vip = env_vip("web", "192.0.2.1", true);
	vip_address_del(vip_address_find(vip, &a));
	vip_member_del(vip_members_first(&vip->members));
	env_decide();
	assert_state(vip, VIP_DOWN, "no address is configured");
	assert_null(vip_find("other"));
}

static void forget(void)
{
	env_log_clear();
	memset(env.events, 0, sizeof(env.events));
}

/* What the configuration takes away while it is announced is told, too. */
static void test_removed(void **state)
{
	struct vip *vip = announced_vip();
	struct ipaddr a = addr("192.0.2.2");

	env_address(vip, "192.0.2.2");
	env_decide();
	env_notify("192.0.2.2", ROUTE_NOTE_INSTALLED);
	env_decide();
	forget();
	vip_address_del(vip_address_find(vip, &a));
	assert_logged(
		"VIP web: 192.0.2.2 removed, was announced: taken out of the configuration\n");
	assert_int_equal(env.events[EVENT_ADDRESS], 1);
	assert_int_equal(env.events[EVENT_VIP], 0);
	env_decide();

	/* An only address is told about as the VIP. */
	a = addr("192.0.2.1");
	forget();
	vip_address_del(vip_address_find(vip, &a));
	assert_int_equal(env.events[EVENT_ADDRESS], 0);
	env_decide();
	assert_int_equal(env.events[EVENT_VIP], 1);
	env_address(vip, "192.0.2.1");
	env_decide();
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();

	forget();
	vip_del(vip);
	assert_logged(
		"VIP web: removed, was announced: taken out of the configuration\n");
	assert_int_equal(env.notices, 1);
	assert_int_equal(env.events[EVENT_VIP], 1);

	/* Nobody misses one that was not announced. */
	vip = env_vip("new", "192.0.2.9", false);
	env_decide();
	assert_int_equal(vip->state, VIP_PENDING);
	forget();
	vip_del(vip);
	assert_int_equal(env.notices + env.infos, 0);
	assert_int_equal(env.events[EVENT_VIP], 0);
}

static void test_too_many_members(void **state)
{
	struct vip *vip = vip_add("web");
	struct vip_counts counts;

	for (uint32_t i = 0; i <= VIP_MEMBERS_MAX; i++) {
		struct ipaddr a = { .ipa_type = IPADDR_V6 };

		/* Link-local: nothing to hold. */
		a.ipaddr_v6.s6_addr[0] = 0xfe;
		a.ipaddr_v6.s6_addr[1] = 0x80;
		a.ipaddr_v6.s6_addr[14] = i >> 8;
		a.ipaddr_v6.s6_addr[15] = i;
		strlcpy(vip_member_add(vip, &a)->ifname, "eth0",
			CLUSTER_IFNAME_LEN);
	}
	env_address(vip, "2001:db8::1");
	env_decide();
	assert_state(vip, VIP_INVALID,
		     "257 members are configured, at most 256 are possible: remove some");
	vip_member_del(vip_members_first(&vip->members));
	env_decide();
	assert_int_equal(vip->state, VIP_PENDING);

	vip_counts(&counts);
	assert_int_equal(counts.total, 1);
	assert_int_equal(counts.by_state[VIP_PENDING], 1);
	assert_int_equal(counts.members, 256);
	assert_int_equal(counts.members_up, 256);
	assert_int_equal(counts.addresses, 1);
	assert_int_equal(counts.addresses_announced, 0);
}

/* A decision about many VIPs logs a bounded number of lines. */
static void test_log_bound(void **state)
{
	struct vip_counts counts;
	char name[VIP_NAME_LEN];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "vip%d", i);
		env_vip(name, "192.0.2.1", false);
	}
	env_decide();
	assert_int_equal(env.infos, 100);
	assert_int_equal(env.notices, 1);
	/* 300 VIPs with two members each. */
	assert_logged(
		"800 more changes of VIPs, members and addresses are not logged one by one: see `show cluster vip`\n");
	assert_int_equal(env.notifications, 300);
	assert_int_equal(env.events[EVENT_MEMBER], 600);
	assert_int_equal(env.events[EVENT_VIP], 300);
	env_log_clear();
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_int_equal(env.notices, 101);
	vip_counts(&counts);
	assert_int_equal(counts.by_state[VIP_ANNOUNCED], 300);
}

/* Long decisions take at most half of the time. */
static void test_rate(void **state)
{
	env_vip("web", "192.0.2.1", false);
	/* vip.c looks at the clock once, at the end of a decision. */
	env.clock_step_us = 3000;
	env_decide();
	assert_int_equal(env.routes_sets, 1);
	env.clock_step_us = 0;
	env.now_us += 2999;
	env_decide();
	assert_int_equal(env.routes_sets, 1);
	assert_true(env.decide_at_us == env.now_us + 1);
	env.now_us = env.decide_at_us;
	env_decide();
	assert_int_equal(env.routes_sets, 2);
	/* That one was short: the next may follow at once. */
	env_decide();
	assert_int_equal(env.routes_sets, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENV_TEST(test_comes_up),
		ENV_TEST(test_not_in_bgp),
		ENV_TEST(test_nothing_changed),
		ENV_TEST(test_all_fail),
		ENV_TEST(test_shared),
		ENV_TEST(test_shutdown),
		ENV_TEST(test_drain_requests),
		ENV_TEST(test_exit_without_drain),
		ENV_TEST(test_damping),
		ENV_TEST(test_half),
		ENV_TEST(test_fail_open),
		ENV_TEST(test_zebra_lost),
		ENV_TEST(test_zebra_silent),
		ENV_TEST(test_zebra_never_there),
		ENV_TEST(test_hidden),
		ENV_TEST(test_overdue),
		ENV_TEST(test_rejected),
		ENV_TEST(test_several_addresses),
		ENV_TEST(test_members),
		ENV_TEST(test_vrfs),
		ENV_TEST(test_undecided),
		ENV_TEST(test_removed),
		ENV_TEST(test_too_many_members),
		ENV_TEST(test_log_bound),
		ENV_TEST(test_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
