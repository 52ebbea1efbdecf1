// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Local VIPs: every rule of the decision, and the order of local route and
 * announcement.
 */
#include "vip_world.h"

#include "vip_env.h"

/* -- the decision -- */

static bool one_local(struct world *world)
{
	if (!world->plan->n_locals)
		return false;
	assert_int_equal(world->plan->n_locals, 1);
	return true;
}

/* Every combination of what an address of a local VIP can depend on. */
static void test_local_table(void **state)
{
	static const enum local_status statuses[] = { LOCAL_NONE, LOCAL_WAITING,
						      LOCAL_SET,  LOCAL_FAILED,
						      LOCAL_HELD, LOCAL_GOING };
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.local = true;
	add_address(vip, addr("192.0.2.1"));
	for (unsigned int bits = 0; bits < 64 * 4 * 6; bits++) {
		struct vip_local_in *local = &vip->locals[0];
		bool vrf = bits & 1, shutdown = bits & 2;
		bool known = vrf || bits & 8;
		bool fail_open = bits & 16, allowed = bits & 32;
		bool needs, probe_ok, set, fails_open;
		enum vip_why why;

		local->probed_itself = bits & 4;
		local->probe = bits / 64 % 4;
		local->status = statuses[bits / 256];
		local->error = local->status == LOCAL_FAILED ? ENETDOWN : 0;
		vip->in.vrf_ready = vrf;
		vip->in.vrf_known = known;
		vip->in.fail_open = fail_open;
		vip->in.drain = shutdown ? VIP_DRAIN_SHUTDOWN : VIP_DRAIN_NONE;
		memset(&vip->life, 0, sizeof(vip->life));
		memset(&local->damping, 0, sizeof(local->damping));
		local->damping.allowed = allowed;
		probe_ok = local->probe == VIP_PROBE_NONE ||
			   local->probe == VIP_PROBE_UP;
		set = local->status == LOCAL_SET || local->status == LOCAL_HELD;
		/* Announced, and only its probe is down. */
		fails_open = local->probe == VIP_PROBE_DOWN && fail_open &&
			     allowed && vrf && !shutdown;
		why = shutdown ? VIP_WHY_SHUTDOWN
		      : !vrf   ? VIP_WHY_VRF
		      : local->probe == VIP_PROBE_UNKNOWN
			      ? VIP_WHY_PROBE_UNKNOWN
		      : local->probe == VIP_PROBE_DOWN && !fails_open
			      ? VIP_WHY_PROBE_DOWN
		      : set && fails_open ? VIP_WHY_FAIL_OPEN
		      : set		  ? VIP_WHY_OK
		      : local->error	  ? VIP_WHY_SERVED_FAILED
					  : VIP_WHY_SERVED_WAITING;
		/* zebra away: one that may have failed open stays. */
		needs = known && !shutdown &&
			(probe_ok || local->probed_itself || fails_open ||
			 (local->probe == VIP_PROBE_DOWN && fail_open && !vrf &&
			  allowed));
		decide(world);
		if (out(world, 0)->addresses[0].reason.why != why)
			print_error("combination %#x\n", bits);
		assert_int_equal(out(world, 0)->addresses[0].reason.why, why);
		assert_int_equal(out(world, 0)->addresses[0].wanted,
				 why == VIP_WHY_OK || why == VIP_WHY_FAIL_OPEN);
		assert_int_equal(world->plan->n_routes,
				 why == VIP_WHY_OK || why == VIP_WHY_FAIL_OPEN);
		assert_int_equal(one_local(world), needs);
	}
}

static void assert_address(struct world *world, size_t i, enum vip_why why,
			   bool wanted)
{
	const struct vip_address_out *address = &out(world, 0)->addresses[i];

	assert_int_equal(address->reason.why, why);
	assert_int_equal(address->wanted, wanted);
	assert_int_equal(address->local_wanted, wanted);
}

#define S INT64_C(1000000)

/*
 * One address of two flaps every 2 s for 5 minutes (case 23): it is damped, and
 * the other one knows nothing of it.
 */
static void test_local_one_flaps(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");
	const struct vip_address_out *addresses;
	unsigned int ups = 0, downs = 0;
	bool before = false;

	vip->in.local = true;
	add_address(vip, addr("192.0.2.1"));
	add_address(vip, addr("192.0.2.2"));
	vip->locals[1].probe = VIP_PROBE_UP;
	for (int second = 0; second < 300; second++) {
		world->now_us = (1000 + second) * S;
		vip->locals[0].probe = second / 2 % 2 ? VIP_PROBE_DOWN
						      : VIP_PROBE_UP;
		live(world);
		addresses = out(world, 0)->addresses;
		ups += addresses[0].wanted && !before;
		downs += !addresses[0].wanted && before;
		before = addresses[0].wanted;
		/* Never delayed on the way down. */
		if (vip->locals[0].probe == VIP_PROBE_DOWN)
			assert_address(world, 0, VIP_WHY_PROBE_DOWN, false);
		assert_address(world, 1, VIP_WHY_OK, true);
		assert_int_equal(world->plan->n_routes, 1 + before);
	}
	print_message("announced %u times, withdrawn %u times\n", ups, downs);
	assert_in_range(ups, 1, 3);
	assert_true(downs <= ups);

	/* Held: it says why, and until when; the node takes the packets. */
	vip->locals[0].probe = VIP_PROBE_UP;
	live(world);
	addresses = out(world, 0)->addresses;
	assert_int_equal(addresses[0].reason.why, VIP_WHY_FLAPPING);
	assert_true(addresses[0].reason.total > 3000);
	assert_true(addresses[0].local_wanted && !addresses[0].wanted);
	assert_true(world->plan->next_us == addresses[0].reason.until_us);
	world->now_us = world->plan->next_us;
	live(world);
	assert_address(world, 0, VIP_WHY_OK, true);
}

/* Slow start, of the address that came back only. */
static void test_local_one_ramps(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.local = true;
	vip->damping.flip_us = 0;
	vip->damping.slow_start_us = 9 * S;
	add_address(vip, addr("192.0.2.1"));
	add_address(vip, addr("192.0.2.2"));
	live(world);
	vip->locals[0].probe = VIP_PROBE_DOWN;
	live(world);
	vip->locals[0].probe = VIP_PROBE_UP;
	live(world);
	assert_address(world, 0, VIP_WHY_SLOW_START, true);
	assert_address(world, 1, VIP_WHY_OK, true);
	assert_int_equal(world->plan->routes[0].metric, 1);
	assert_int_equal(world->plan->routes[1].metric, 0);
	assert_int_equal(out(world, 0)->addresses[0].ramp, 1);
	assert_int_equal(out(world, 0)->addresses[1].ramp, 10);
	/* Somebody deletes its local route, and it is set again. */
	world->now_us = 3 * S;
	vip->locals[0].status = LOCAL_WAITING;
	live(world);
	assert_false(out(world, 0)->addresses[0].wanted);
	assert_true(out(world, 0)->addresses[0].local_wanted);
	vip->locals[0].status = LOCAL_SET;
	live(world);
	assert_address(world, 0, VIP_WHY_SLOW_START, true);
	assert_int_equal(out(world, 0)->addresses[0].ramp, 4);
}

/* What fails while its local route is set again is held like any other. */
static void test_local_fails_while_waiting(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.local = true;
	add_address(vip, addr("192.0.2.1"));
	vip->locals[0].probe = VIP_PROBE_UP;
	live(world);
	vip->locals[0].status = LOCAL_WAITING;
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].reason.why,
			 VIP_WHY_SERVED_WAITING);
	vip->locals[0].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 0, VIP_WHY_PROBE_DOWN, false);
	vip->locals[0].probe = VIP_PROBE_UP;
	vip->locals[0].status = LOCAL_SET;
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].reason.why, VIP_WHY_FLIP);
}

/* While the VIP drains: an address that fails doesn't come back. */
static void test_local_fails_while_draining(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.local = true;
	add_address(vip, addr("192.0.2.1"));
	add_address(vip, addr("192.0.2.2"));
	live(world);
	vip->in.drain = VIP_DRAIN_COMMAND;
	live(world);
	assert_address(world, 0, VIP_WHY_DRAINING, true);
	vip->locals[0].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 0, VIP_WHY_PROBE_DOWN, false);
	vip->locals[0].probe = VIP_PROBE_UP;
	world->now_us += 10 * S;
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].reason.why,
			 VIP_WHY_DRAINED);
	assert_false(out(world, 0)->addresses[0].wanted);
	assert_address(world, 1, VIP_WHY_DRAINING, true);
	/* The last one: drained before its time, and no local route is left. */
	vip->locals[1].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 1, VIP_WHY_DRAINED, false);
	live(world);
	assert_int_equal(world->plan->n_locals, 0);
	vip->in.drain = VIP_DRAIN_NONE;
	live(world);
	assert_address(world, 0, VIP_WHY_OK, true);
}

/* fail-open: only when no address of the family is left. */
static void test_local_fail_open(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.local = vip->in.fail_open = true;
	add_address(vip, addr("192.0.2.1"));
	add_address(vip, addr("192.0.2.2"));
	add_address(vip, addr("2001:db8::1"));
	for (size_t i = 0; i < 3; i++)
		vip->locals[i].probe = VIP_PROBE_UP;
	live(world);
	/* One of two; and the other family's only one. */
	vip->locals[1].probe = vip->locals[2].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 0, VIP_WHY_OK, true);
	assert_address(world, 1, VIP_WHY_PROBE_DOWN, false);
	assert_address(world, 2, VIP_WHY_FAIL_OPEN, true);
	/* The first, too: it stays; what was withdrawn isn't announced by it. */
	vip->locals[0].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 0, VIP_WHY_FAIL_OPEN, true);
	assert_address(world, 1, VIP_WHY_PROBE_DOWN, false);
	/* Somebody deletes its local route. */
	vip->locals[0].status = LOCAL_NONE;
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].reason.why,
			 VIP_WHY_SERVED_WAITING);
	assert_true(out(world, 0)->addresses[0].local_wanted);
	vip->locals[0].status = LOCAL_SET;
	live(world);
	assert_address(world, 0, VIP_WHY_FAIL_OPEN, true);
	/* One passes, but is held, or the kernel doesn't take its route. */
	vip->locals[1].probe = VIP_PROBE_UP;
	live(world);
	assert_address(world, 0, VIP_WHY_FAIL_OPEN, true);
	assert_int_equal(out(world, 0)->addresses[1].reason.why, VIP_WHY_FLIP);
	vip->locals[1].status = LOCAL_FAILED;
	vip->locals[1].error = ENETDOWN;
	world->now_us = world->plan->next_us;
	live(world);
	assert_address(world, 0, VIP_WHY_FAIL_OPEN, true);
	assert_int_equal(out(world, 0)->addresses[1].reason.why,
			 VIP_WHY_SERVED_FAILED);
	/* It is announced: then the check is right about the other. */
	vip->locals[1].status = LOCAL_SET;
	live(world);
	assert_address(world, 0, VIP_WHY_PROBE_DOWN, false);
	assert_address(world, 1, VIP_WHY_OK, true);
	assert_address(world, 2, VIP_WHY_FAIL_OPEN, true);
	/* The same when the other one comes first. */
	vip->locals[0].probe = VIP_PROBE_UP;
	vip->locals[1].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 1, VIP_WHY_FAIL_OPEN, true);
	world->now_us = world->plan->next_us;
	live(world);
	assert_address(world, 0, VIP_WHY_OK, true);
	assert_address(world, 1, VIP_WHY_PROBE_DOWN, false);
}

/* With members, local, and with members again: fail-open begins anew. */
static void test_local_in_between(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.fail_open = true;
	add_address(vip, addr("192.0.2.1"));
	add_member(vip, addr("198.51.100.1"))->probe = VIP_PROBE_UP;
	live(world);
	vip->members[0].probe = VIP_PROBE_DOWN;
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].reason.why,
			 VIP_WHY_FAIL_OPEN);
	vip->in.n_members = 0;
	vip->in.local = true;
	vip->locals[0].probe = VIP_PROBE_DOWN;
	live(world);
	assert_address(world, 0, VIP_WHY_PROBE_DOWN, false);
	vip->in.n_members = 1;
	vip->in.local = false;
	live(world);
	assert_address(world, 0, VIP_WHY_TOO_FEW, false);
	/* Nor was what is before the first pass a failure. */
	vip->members[0].probe = VIP_PROBE_UP;
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].reason.why, VIP_WHY_OK);
}

/* The uplink's condition: not announced, and this node's clients are served. */
static void test_local_uplink(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	vip->in.local = true;
	vip->damping.flip_us = 0;
	add_address(vip, addr("192.0.2.1"));
	vip->locals[0].probe = VIP_PROBE_UP;
	vip->locals[0].status = LOCAL_SET;
	for (int i = 0; i < 2; i++) {
		vip->in.uplink = VIP_UPLINK_OK;
		live(world);
		assert_address(world, 0, VIP_WHY_OK, true);
		assert_true(world->plan->n_routes == 1 && one_local(world));
		vip->in.uplink = VIP_UPLINK_ROUTES;
		live(world);
		assert_int_equal(out(world, 0)->addresses[0].reason.why,
				 VIP_WHY_UPLINK_ROUTES);
		assert_true(!world->plan->n_routes && one_local(world));
	}
	vip->locals[0].probe = VIP_PROBE_DOWN;
	live(world);
	assert_true(!world->plan->n_routes && !one_local(world));
}

static void test_local_routes(void **state)
{
	struct world *world = *state;
	struct test_vip *a = add_vip(world, "a"), *b = add_vip(world, "b");
	const struct cluster_route *route;

	/* Two of one address, and of both families. */
	a->in.local = b->in.local = true;
	a->in.local_hold_ms = 100;
	b->in.local_hold_ms = 300;
	add_address(a, addr("192.0.2.1"));
	add_address(a, addr("2001:db8::1"));
	add_address(b, addr("2001:db8::1"));
	add_address(b, addr("192.0.2.2"));
	decide(world);
	assert_int_equal(world->plan->n_routes, 3);
	assert_int_equal(world->plan->n_locals, 3);
	for (size_t i = 0; i < 3; i++) {
		route = &world->plan->routes[i];
		assert_int_equal(route->n_nexthops, 1);
		assert_int_equal(route->nexthops[0].gate.ipa_type, IPADDR_NONE);
		assert_string_equal(route->nexthops[0].ifname, "lo");
		assert_int_equal(cluster_route_key_cmp(&route->key,
						       &world->plan->locals[i]
								.key),
				 0);
	}
	assert_int_equal(world->plan->locals[0].hold_ms, 100);
	assert_int_equal(world->plan->locals[1].hold_ms, 300);
	assert_int_equal(world->plan->locals[2].hold_ms, 300);
}

static void test_local_with_members(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");
	struct vip_address_facts facts = { .zebra_connected = true };
	struct vip_reason reason;

	vip->in.local = true;
	add_address(vip, addr("192.0.2.1"));
	add_member(vip, addr("198.51.100.1"));
	decide(world);
	assert_int_equal(out(world, 0)->reason.why, VIP_WHY_SERVED_MEMBERS);
	assert_int_equal(world->plan->n_routes + world->plan->n_locals, 0);
	assert_int_equal(vip_address_state(&out(world, 0)->addresses[0], &facts,
					   &reason),
			 VIP_INVALID);
}

/* -- states -- */

static struct vip *local_vip(const char *probe)
{
	struct vip *vip = vip_add("web");

	vip->local = true;
	strlcpy(vip->probe, probe, sizeof(vip->probe));
	env_address(vip, "192.0.2.1");
	return vip;
}

static void test_local_before_announcement(void **state)
{
	struct vip *vip = local_vip("q");

	env_decide();
	assert_state(vip, VIP_DOWN, "probe p is not configured");
	env_verdict("q", "192.0.2.1", PROBE_DOWN);
	env_decide();
	assert_state(vip, VIP_DOWN, "probe q down: 3 x connection refused");
	assert_string_equal(env.locals_text, "");

	env_verdict("q", "192.0.2.1", PROBE_UP);
	env.local_status = LOCAL_WAITING;
	env_decide();
	assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
	assert_state(vip, VIP_WAITING,
		     "the kernel has not confirmed the local route yet");
	assert_false(env_wants("192.0.2.1"));

	env.local_status = LOCAL_FAILED;
	env.local_error = ENETDOWN;
	env_decide();
	assert_state(vip, VIP_REJECTED,
		     "the local route can't be set: Network is down; tried again every 5 s");
	env.local_error = EOPNOTSUPP;
	env_decide();
	assert_state(vip, VIP_INVALID,
		     "VRF default is not a network namespace: a local VIP works only in those and in the default VRF");

	env.local_status = LOCAL_SET;
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_string_equal(env.routes_text,
			    "default 192.0.2.1 tag 84 metric 0 distance 15 %lo*1\n");

	/* An address that is announced all the same, by another prefix. */
	env.owned = addr("192.0.2.1");
	env_decide();
	assert_state(vip, VIP_ANNOUNCED,
		     "192.0.2.1 is an address of interface lo, so that this node keeps it when the service is down: remove it there");
	memset(&env.owned, 0, sizeof(env.owned));

	/* Down: both go, in the order that local_table.h says. */
	env_verdict("q", "192.0.2.1", PROBE_DOWN);
	env_decide();
	assert_string_equal(env.locals_text, "");
	assert_false(env_wants("192.0.2.1"));
	vip->local_hold_ms = 0;
	vip->local = false;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_DOWN, "no IPv4 member is configured");
	/* The check has gone with it. */
	assert_true(env_no_holds());
}

/* A file is being read: the local route of a dead service goes as well. */
static void test_local_half(void **state)
{
	struct vip *vip = local_vip("q");

	env.local_status = LOCAL_SET;
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
	env_verdict("q", "192.0.2.1", PROBE_DOWN);
	env_decide_half();
	assert_string_equal(env.locals_text, "");
	assert_false(env_wants("192.0.2.1"));
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide_half();
	assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
	assert_state(vip, VIP_HELD,
		     "healthy, but went down a moment ago: held back for another 5 s");
	env.now_us += 5000001;
	env_decide_half();
	assert_true(env_wants("192.0.2.1"));

	/* The file has changed it: it stays as it is. */
	vip_changed(vip);
	env_verdict("q", "192.0.2.1", PROBE_DOWN);
	env_decide_half();
	assert_true(env_wants("192.0.2.1"));
	assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
	env_decide();
	assert_string_equal(env.locals_text, "");
}

/* One address of two comes back: held by itself, until the command. */
static void test_local_held(void **state)
{
	struct vip *vip = local_vip("p");
	struct vip_address *first, *second;
	struct vip_address_life life;
	char why[VIP_WHY_LEN];

	env_address(vip, "192.0.2.2");
	env.local_status = LOCAL_SET;
	for (enum probe_verdict verdict = PROBE_UP; verdict != PROBE_UNKNOWN;
	     verdict--) {
		env_verdict("p", "192.0.2.1", verdict);
		env_verdict("p", "192.0.2.2", PROBE_UP);
		env_decide();
	}
	env_notify("192.0.2.2", ROUTE_NOTE_INSTALLED);
	env_verdict("p", "192.0.2.1", PROBE_UP);
	env_decide();
	first = vip_addresses_first(&vip->addresses);
	second = vip_addresses_next(&vip->addresses, first);
	assert_int_equal(first->state, VIP_HELD);
	assert_string_equal(
		vip_address_why_text(first, why, sizeof(why)),
		"healthy, but went down a moment ago: held back for another 5 s");
	vip_address_life(first, &life);
	assert_int_equal(life.penalty, 1000);
	assert_true(life.left_us == 5000000);
	assert_int_equal(second->state, VIP_ANNOUNCED);
	vip_address_life(second, &life);
	assert_int_equal(life.penalty, 0);
	assert_state(vip, VIP_PARTIAL,
		     "192.0.2.1: healthy, but went down a moment ago: held back for another 5 s");
	vip_damping_forget(vip);
	env_decide();
	assert_true(env_wants("192.0.2.1"));

	/* No longer local, and local again: nothing is remembered. */
	env_verdict("p", "192.0.2.1", PROBE_DOWN);
	env_decide();
	vip->local = false;
	vip_changed(vip);
	env_decide();
	vip->local = true;
	vip_changed(vip);
	env_verdict("p", "192.0.2.1", PROBE_UP);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
}

/* zebra is gone, bgpd isn't: what neighbours send is still taken. */
static void test_zebra_away(void **state)
{
	struct vip *vip = local_vip("q");

	env.local_status = LOCAL_SET;
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	env.zebra = CLUSTER_ZEBRA_DOWN;
	env_decide();
	assert_state(vip, VIP_WAITING, "zebra is not there: start it");
	assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
	env_verdict("q", "192.0.2.1", PROBE_DOWN);
	env_decide();
	assert_string_equal(env.locals_text, "");
	env_verdict("q", "192.0.2.1", PROBE_UP);
	strlcpy(env.vrf_missing, "default", sizeof(env.vrf_missing));
	env_decide();
	assert_string_equal(env.locals_text, "");
}

/* ...and what fails open then, or before, is announced again. */
static void test_zebra_away_fail_open(void **state)
{
	struct vip *vip = local_vip("q");

	vip->life_config.fail_open = true;
	env.local_status = LOCAL_SET;
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	for (int i = 0; i < 2; i++) {
		env.zebra = CLUSTER_ZEBRA_DOWN;
		route_table_disconnected(env.routes, NULL, env.now_us);
		env_decide();
		env_verdict("q", "192.0.2.1", PROBE_DOWN);
		env_decide();
		assert_state(vip, VIP_WAITING, "zebra is not there: start it");
		assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
		env.zebra = CLUSTER_ZEBRA_CONNECTED;
		env_decide();
		assert_true(env_wants("192.0.2.1"));
		env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
		env_decide();
		assert_state(vip, VIP_ANNOUNCED,
			     "fail-open: the check of its service fails, announced all the same");
	}
}

/* Draining and holding are to be over before FRR's scripts kill us. */
static void test_exit(void **state)
{
	struct vip *vip = local_vip("q");

	vip->local_hold_ms = 60000;
	vip->life_config.drain_on_exit = true;
	vip->life_config.drain_us = 3600 * INT64_C(1000000);
	env.local_status = LOCAL_SET;
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide();
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env.exiting = true;
	env_decide();
	assert_state(vip, VIP_DRAINING,
		     "drained, clusterd is about to end: withdrawn in 40 s");
}

/* A check of the address itself needs the local route. */
static void test_probed_itself(void **state)
{
	struct vip *vip = local_vip("p");

	env.local_status = LOCAL_SET;
	env_verdict("p", "192.0.2.1", PROBE_DOWN);
	env_decide();
	assert_state(vip, VIP_DOWN, "probe p down: 3 x connection refused");
	assert_string_equal(env.locals_text, "default 192.0.2.1 1000\n");
	vip->shutdown = true;
	vip_changed(vip);
	env_decide();
	assert_string_equal(env.locals_text, "");
}

/* Another check of a healthy service: up until that one says otherwise. */
static void test_other_probe(void **state)
{
	struct vip *vip = local_vip("q");

	env.local_status = LOCAL_SET;
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	env_verdict("r", "192.0.2.1", PROBE_DOWN);
	env.unsettled = true;
	strlcpy(vip->probe, "r", sizeof(vip->probe));
	vip_changed(vip);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	env.unsettled = false;
	env_decide();
	assert_false(env_wants("192.0.2.1"));
}

/* ...or until it isn't configured: it doesn't come up by what was long ago. */
static void test_other_probe_gone(void **state)
{
	struct vip *vip = local_vip("q");

	env.local_status = LOCAL_SET;
	env_verdict("q", "192.0.2.1", PROBE_UP);
	env_decide();
	env_verdict("r", "192.0.2.1", PROBE_DOWN);
	env.unsettled = true;
	strlcpy(vip->probe, "r", sizeof(vip->probe));
	vip_changed(vip);
	env_decide();
	assert_true(env_wants("192.0.2.1"));
	env_verdict("r", "192.0.2.1", PROBE_UNKNOWN);
	env_decide();
	assert_false(env_wants("192.0.2.1"));
	env_verdict("r", "192.0.2.1", PROBE_DOWN);
	env_decide();
	assert_false(env_wants("192.0.2.1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_local_table),
		WORLD_TEST(test_local_one_flaps),
		WORLD_TEST(test_local_one_ramps),
		WORLD_TEST(test_local_fails_while_waiting),
		WORLD_TEST(test_local_fails_while_draining),
		WORLD_TEST(test_local_fail_open),
		WORLD_TEST(test_local_in_between),
		WORLD_TEST(test_local_uplink),
		WORLD_TEST(test_local_routes),
		WORLD_TEST(test_local_with_members),
		ENV_TEST(test_local_before_announcement),
		ENV_TEST(test_local_half),
		ENV_TEST(test_local_held),
		ENV_TEST(test_zebra_away),
		ENV_TEST(test_zebra_away_fail_open),
		ENV_TEST(test_exit),
		ENV_TEST(test_probed_itself),
		ENV_TEST(test_other_probe),
		ENV_TEST(test_other_probe_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
