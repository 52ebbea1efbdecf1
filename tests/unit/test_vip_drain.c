// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draining, fail-open, damping and slow start as the decision applies them:
 * what a VIP's life looks like in its routes.
 */
#include "vip_world.h"

#include "memory.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define S     INT64_C(1000000)
#define START (1000 * S)
#define V4_IP "192.0.2.1"
#define V6_IP "2001:db8:1::1"

/* -- the machine by itself -- */

/* Every phase, cause and whether it is announced. */
static void test_phases(void **state)
{
	for (unsigned int bits = 0; bits < 3 * 5 * 2 * 3; bits++) {
		enum vip_drain_phase before = bits % 3;
		enum vip_drain_cause cause = bits / 3 % 5;
		bool announced = bits / 15 % 2;
		/* Before, at and after the end of the time. */
		int64_t now_us = START + 30 * S + (int64_t)(bits / 30) - 1;
		bool over = now_us >= START + 30 * S;
		struct vip_drain drain = { before, START };
		enum vip_drain_phase after;

		if (cause == VIP_DRAIN_NONE)
			after = VIP_DRAIN_SERVING;
		else if (before == VIP_DRAIN_DRAINED || !announced)
			after = VIP_DRAIN_DRAINED;
		else if (before == VIP_DRAIN_SERVING)
			after = VIP_DRAIN_DRAINING;
		else
			after = over ? VIP_DRAIN_DRAINED : VIP_DRAIN_DRAINING;
		vip_drain_step(&drain, cause, announced, 30 * S, now_us);
		if (drain.phase != after)
			print_error("phase %d, cause %d, announced %d\n",
				    before, cause, announced);
		assert_int_equal(drain.phase, after);
		assert_true(drain.since_us ==
			    (after == before ? START : now_us));
		assert_true(vip_drain_until(&drain, 30 * S) ==
			    (after == VIP_DRAIN_DRAINING ? drain.since_us + 30 * S
							 : 0));
		/* Without time there is nothing to wait for. */
		drain = (struct vip_drain){ VIP_DRAIN_SERVING, START };
		vip_drain_step(&drain, VIP_DRAIN_COMMAND, announced, 0, now_us);
		assert_int_equal(drain.phase, VIP_DRAIN_DRAINED);
	}
}

/* -- worlds -- */

/* An announced VIP with a probe, two members and one address. */
static struct test_vip *served_vip(struct world *world)
{
	struct test_vip *vip = add_vip(world, "web");

	add_address(vip, addr(V4_IP));
	add_member(vip, addr("198.51.100.1"))->probe = VIP_PROBE_UP;
	add_member(vip, addr("198.51.100.2"))->probe = VIP_PROBE_UP;
	world->now_us = START;
	live(world);
	assert_int_equal(world->plan->n_routes, 1);
	return vip;
}

static void assert_why(struct world *world, enum vip_why why, bool wanted)
{
	const struct vip_address_out *o = &out(world, 0)->addresses[0];

	if (o->reason.why != why)
		print_error("why %d, not %d\n", o->reason.why, why);
	assert_int_equal(o->reason.why, why);
	assert_int_equal(o->wanted, wanted);
	assert_int_equal(world->plan->n_routes, wanted);
}

static void probes(struct test_vip *vip, enum vip_probe_state state)
{
	for (size_t i = 0; i < vip->in.n_members; i++)
		vip->members[i].probe = state;
}

/* Attributes first, then the route goes; undone at any point (case 15). */
static void test_drain(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);
	const struct cluster_route *route;

	for (enum vip_drain_cause cause = VIP_DRAIN_SHUTDOWN;
	     cause <= VIP_DRAIN_EXIT; cause++) {
		int64_t end_us;

		vip->in.drain = cause;
		live(world);
		end_us = world->now_us + VIP_DRAIN_DEFAULT_US;
		assert_why(world, VIP_WHY_DRAINING, true);
		assert_int_equal(out(world, 0)->addresses[0].reason.total,
				 cause);
		assert_true(out(world, 0)->addresses[0].reason.until_us ==
			    end_us);
		assert_true(world->plan->next_us == end_us);
		route = world->plan->routes;
		assert_int_equal(route->tag, VIP_DEFAULT_DRAIN_TAG);
		assert_int_equal(route->metric, VIP_METRIC_WORST);
		assert_int_equal(route->n_nexthops, 2);

		/* Undone, and again: from the beginning. */
		world->now_us = end_us - 1;
		vip->in.drain = VIP_DRAIN_NONE;
		live(world);
		assert_why(world, VIP_WHY_OK, true);
		assert_int_equal(world->plan->routes[0].tag, VIP_DEFAULT_TAG);
		assert_int_equal(world->plan->routes[0].metric, 0);
		vip->in.drain = cause;
		live(world);
		end_us = world->now_us + VIP_DRAIN_DEFAULT_US;
		assert_true(world->plan->next_us == end_us);

		world->now_us = end_us - 1;
		live(world);
		assert_why(world, VIP_WHY_DRAINING, true);
		world->now_us = end_us;
		live(world);
		assert_why(world,
			   cause == VIP_DRAIN_SHUTDOWN ? VIP_WHY_SHUTDOWN
						       : VIP_WHY_DRAINED,
			   false);
		assert_true(world->plan->next_us == 0);

		/* Back at once: that was no flap. */
		vip->in.drain = VIP_DRAIN_NONE;
		live(world);
		assert_why(world, VIP_WHY_OK, true);
		world->now_us += S;
	}
}

/* Draining from the start: never announced. */
static void test_drain_at_start(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	add_address(vip, addr(V4_IP));
	add_member(vip, addr("198.51.100.1"));
	vip->in.drain = VIP_DRAIN_COMMAND;
	live(world);
	assert_why(world, VIP_WHY_DRAINED, false);
	/* Nor when it comes up later. */
	world->now_us += S;
	live(world);
	assert_why(world, VIP_WHY_DRAINED, false);
}

/* What fails while it drains goes at once, and stays away. */
static void test_fails_while_draining(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);

	add_address(vip, addr(V6_IP));
	add_member(vip, addr("2001:db8::1"))->probe = VIP_PROBE_UP;
	live(world);
	assert_int_equal(world->plan->n_routes, 2);
	vip->in.drain = VIP_DRAIN_COMMAND;
	live(world);
	vip->members[2].probe = VIP_PROBE_DOWN;
	world->now_us += S;
	live(world);
	assert_int_equal(world->plan->n_routes, 1);
	assert_int_equal(out(world, 0)->addresses[1].reason.why,
			 VIP_WHY_TOO_FEW);
	vip->members[2].probe = VIP_PROBE_UP;
	world->now_us += 10 * S;
	live(world);
	assert_int_equal(world->plan->n_routes, 1);
	assert_int_equal(out(world, 0)->addresses[1].reason.why,
			 VIP_WHY_DRAINED);

	/* The last one: drained before its time. */
	vip->members[0].probe = vip->members[1].probe = VIP_PROBE_DOWN;
	world->now_us += S;
	live(world);
	assert_why(world, VIP_WHY_DRAINED, false);
	probes(vip, VIP_PROBE_UP);
	world->now_us += 10 * S;
	live(world);
	assert_why(world, VIP_WHY_DRAINED, false);
	vip->in.drain = VIP_DRAIN_NONE;
	live(world);
	assert_int_equal(world->plan->n_routes, 2);
}

/* Two VIPs with one address: those that don't drain make the route. */
static void test_drain_shared(void **state)
{
	struct world *world = *state;
	struct test_vip *a = served_vip(world), *b = add_vip(world, "zzz");

	add_address(b, addr(V4_IP));
	add_member(b, addr("198.51.100.2"));
	add_member(b, addr("198.51.100.3"));
	b->in.tag = 7;
	live(world);
	assert_int_equal(world->plan->routes[0].n_nexthops, 3);
	assert_int_equal(world->plan->routes[0].tag, VIP_DEFAULT_TAG);

	a->in.drain = VIP_DRAIN_COMMAND;
	live(world);
	assert_int_equal(world->plan->n_routes, 1);
	assert_int_equal(world->plan->routes[0].n_nexthops, 2);
	assert_int_equal(world->plan->routes[0].tag, 7);
	assert_true(out(world, 0)->addresses[0].draining);
	assert_false(out(world, 1)->addresses[0].draining);
	assert_int_equal(out(world, 0)->addresses[0].reason.why, VIP_WHY_SHARED);
	assert_string_equal(out(world, 0)->addresses[0].reason.name, "zzz");

	/* All of them drain: it is still served. */
	b->in.drain = VIP_DRAIN_COMMAND;
	live(world);
	assert_int_equal(world->plan->routes[0].n_nexthops, 3);
	assert_int_equal(world->plan->routes[0].tag, VIP_DEFAULT_DRAIN_TAG);
}

/* Only draining members left: they don't hold the VIP up (case 9). */
static void test_draining_members(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);

	vip->members[0].drain = true;
	live(world);
	assert_why(world, VIP_WHY_OK, true);
	assert_int_equal(world->plan->routes[0].n_nexthops, 1);
	assert_int_equal(out(world, 0)->n_up, 1);
	vip->members[1].drain = true;
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);
	assert_int_equal(out(world, 0)->n_up, 0);
	/* Somebody wanted it: no flap, so that it is back at once. */
	vip->members[1].drain = false;
	live(world);
	assert_why(world, VIP_WHY_OK, true);

	/* The other one fails: that is one. */
	vip->members[1].probe = VIP_PROBE_DOWN;
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);
	vip->members[1].probe = VIP_PROBE_UP;
	live(world);
	assert_why(world, VIP_WHY_FLIP, false);
}

/* All members fail: withdrawn, or fail-open if configured (case 8). */
static void test_fail_open(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);

	probes(vip, VIP_PROBE_DOWN);
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);

	/* It keeps what is announced, it announces nothing. */
	vip->in.fail_open = true;
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);

	probes(vip, VIP_PROBE_UP);
	world->now_us += 10 * S;
	live(world);
	assert_why(world, VIP_WHY_OK, true);
	probes(vip, VIP_PROBE_DOWN);
	live(world);
	assert_why(world, VIP_WHY_FAIL_OPEN, true);
	assert_int_equal(out(world, 0)->addresses[0].reason.total, 2);
	assert_int_equal(world->plan->routes[0].n_nexthops, 2);
	assert_int_equal(out(world, 0)->n_up, 0);

	/* Not to where nothing can be sent, nor to what drains. */
	vip->members[0].reachable = false;
	live(world);
	assert_int_equal(world->plan->routes[0].n_nexthops, 1);
	vip->members[1].drain = true;
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);

	/* One is back: only that one. */
	vip->members[0].reachable = true;
	vip->members[0].probe = VIP_PROBE_UP;
	world->now_us += 10 * S;
	live(world);
	assert_why(world, VIP_WHY_OK, true);
	assert_int_equal(world->plan->routes[0].n_nexthops, 1);
}

/* The uplink's condition: before the members', and a failure. */
static void test_uplink(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);

	vip->in.fail_open = true;
	vip->in.uplink = VIP_UPLINK_ROUTES;
	live(world);
	assert_why(world, VIP_WHY_UPLINK_ROUTES, false);
	assert_string_equal(out(world, 0)->addresses[0].reason.name, "default");
	vip->in.uplink = VIP_UPLINK_PROBE;
	vip->in.uplink_probe = "up";
	probes(vip, VIP_PROBE_DOWN);
	live(world);
	assert_why(world, VIP_WHY_UPLINK_PROBE, false);
	assert_string_equal(out(world, 0)->addresses[0].reason.name, "up");
	vip->in.uplink = VIP_UPLINK_OK;
	probes(vip, VIP_PROBE_UP);
	live(world);
	assert_why(world, VIP_WHY_FLIP, false);
	assert_true(world->plan->next_us == START + 5 * S);
	world->now_us = world->plan->next_us;
	live(world);
	assert_why(world, VIP_WHY_OK, true);
}

/* Held back, for each reason, with the time when it ends. */
static void test_held(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);
	const struct vip_reason *reason;

	vip->damping.hold_down_us = 8 * S;
	for (int i = 0; i < 3; i++) {
		probes(vip, VIP_PROBE_DOWN);
		live(world);
		probes(vip, VIP_PROBE_UP);
		live(world);
	}
	assert_why(world, VIP_WHY_FLAPPING, false);
	reason = &out(world, 0)->addresses[0].reason;
	assert_int_equal(reason->total, 3000);
	assert_true(reason->until_us == START + 120 * S + 1);
	assert_true(world->plan->next_us == reason->until_us);
	vip_damping_clear(&vip->life.damping[0]);
	live(world);
	assert_why(world, VIP_WHY_HOLD_DOWN, false);
	assert_true(world->plan->next_us == START + 8 * S);
	world->now_us = world->plan->next_us;
	live(world);
	assert_why(world, VIP_WHY_OK, true);
	/* Members that fail and leave enough are no flap. */
	vip->members[0].probe = VIP_PROBE_DOWN;
	live(world);
	vip->members[0].probe = VIP_PROBE_UP;
	live(world);
	assert_why(world, VIP_WHY_OK, true);
	assert_int_equal(vip->life.damping[0].penalty, 0);
}

/* zebra alone goes and comes back, `seconds` later. */
static void zebra_restarts(struct world *world, struct test_vip *vip,
			   int seconds)
{
	vip->in.vrf_ready = false;
	live(world);
	assert_why(world, VIP_WHY_VRF, false);
	world->now_us += seconds * S;
	live(world);
	vip->in.vrf_ready = true;
	live(world);
}

/* Nothing is forgotten while only zebra is away. */
static void test_zebra_restarts(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);

	/* Of full weight, and while that grows: it goes on. */
	vip->damping.slow_start_us = 9 * S;
	vip->damping.flip_us = 0;
	zebra_restarts(world, vip, 2);
	assert_why(world, VIP_WHY_OK, true);
	probes(vip, VIP_PROBE_DOWN);
	live(world);
	probes(vip, VIP_PROBE_UP);
	live(world);
	assert_int_equal(out(world, 0)->addresses[0].ramp, 1);
	zebra_restarts(world, vip, 3);
	assert_why(world, VIP_WHY_SLOW_START, true);
	assert_int_equal(out(world, 0)->addresses[0].ramp, 4);
	zebra_restarts(world, vip, 6);
	assert_why(world, VIP_WHY_OK, true);

	/* What failed open before, and what all failed for meanwhile. */
	vip->in.fail_open = true;
	probes(vip, VIP_PROBE_DOWN);
	live(world);
	zebra_restarts(world, vip, 2);
	assert_why(world, VIP_WHY_FAIL_OPEN, true);
	probes(vip, VIP_PROBE_UP);
	live(world);
	vip->in.vrf_ready = false;
	live(world);
	probes(vip, VIP_PROBE_DOWN);
	zebra_restarts(world, vip, 2);
	assert_why(world, VIP_WHY_FAIL_OPEN, true);

	/* It drains on, for the same time. */
	vip->in.drain = VIP_DRAIN_COMMAND;
	live(world);
	zebra_restarts(world, vip, 29);
	assert_why(world, VIP_WHY_DRAINING, true);
	assert_true(world->plan->next_us == world->now_us + S);
	vip->in.vrf_ready = false;
	world->now_us += S;
	live(world);
	vip->in.vrf_ready = true;
	live(world);
	assert_why(world, VIP_WHY_DRAINED, false);
	vip->in.drain = VIP_DRAIN_NONE;
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);

	/* A VRF that is gone is another matter. */
	probes(vip, VIP_PROBE_UP);
	live(world);
	assert_why(world, VIP_WHY_SLOW_START, true);
	vip->in.vrf_ready = vip->in.vrf_known = false;
	live(world);
	probes(vip, VIP_PROBE_DOWN);
	vip->in.vrf_ready = vip->in.vrf_known = true;
	live(world);
	assert_why(world, VIP_WHY_TOO_FEW, false);
}

/* What an operator or zebra does is no flap. */
static void test_no_flap(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);

	for (int i = 0; i < 5; i++) {
		vip->in.vrf_ready = false;
		live(world);
		assert_why(world, VIP_WHY_VRF, false);
		/* zebra is back, but knows no next hop yet. */
		vip->in.vrf_ready = true;
		vip->members[0].reachable = vip->members[1].reachable = false;
		live(world);
		vip->members[0].reachable = vip->members[1].reachable = true;
		live(world);
		assert_why(world, VIP_WHY_OK, true);

		vip->in.min_up = 3;
		live(world);
		assert_why(world, VIP_WHY_MIN_UP_NEVER, false);
		vip->in.min_up = 1;
		live(world);
		assert_why(world, VIP_WHY_OK, true);
	}
}

/* The weight grows by steps, in the tag or in the metric. */
static void test_slow_start(void **state)
{
	static const struct vip_attributes bandwidth = {
		.link_bandwidth = 1000,
	};
	struct world *world = *state;
	struct test_vip *vip = served_vip(world);
	uint32_t tags[11] = {}, changes = 0;

	vip->damping.slow_start_us = 9 * S;
	vip->damping.flip_us = 0;
	vip->in.metric = 20;
	for (int i = 0; i < 2; i++) {
		vip->in.attributes = i ? &bandwidth : NULL;
		probes(vip, VIP_PROBE_DOWN);
		live(world);
		probes(vip, VIP_PROBE_UP);
		changes = 0;
		for (uint8_t ramp = 1; ramp < 10; ramp++) {
			const struct cluster_route *route;

			live(world);
			assert_why(world, VIP_WHY_SLOW_START, true);
			assert_int_equal(out(world, 0)->addresses[0].reason.num,
					 ramp);
			assert_int_equal(out(world, 0)->addresses[0].ramp, ramp);
			route = world->plan->routes;
			assert_int_equal(route->metric, i ? 20 : 21);
			tags[ramp] = route->tag;
			changes += ramp > 1 && tags[ramp] != tags[ramp - 1];
			assert_true(world->plan->next_us == world->now_us + S);
			world->now_us = world->plan->next_us;
		}
		live(world);
		assert_why(world, VIP_WHY_OK, true);
		assert_int_equal(world->plan->routes[0].metric, 20);
		assert_true(world->plan->next_us == 0);
		assert_int_equal(changes, i ? 8 : 0);
	}
}

/* -- any history -- */

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	/* xorshift32 */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static void random_change(struct test_vip *vip)
{
	switch (random_below(8)) {
	case 0:
		vip->in.drain = random_below(5) ? VIP_DRAIN_NONE
						: 1 + random_below(4);
		break;
	case 1:
		vip->in.uplink = random_below(6) ? VIP_UPLINK_OK
						 : VIP_UPLINK_ROUTES;
		break;
	case 2:
		vip->in.vrf_ready = random_below(6) > 0;
		break;
	case 3:
		vip->members[random_below(3)].drain = random_below(4) == 0;
		break;
	default:
		vip->members[random_below(3)].probe = random_below(2)
							      ? VIP_PROBE_UP
							      : VIP_PROBE_DOWN;
		break;
	}
}

/* What must hold after any decision. */
static void assert_sane(struct world *world, const struct test_vip *vip,
			bool was_announced)
{
	const struct vip_out *o = out(world, 0);
	bool wanted = o->addresses[0].wanted;
	size_t n_up = 0, n_failed = 0;

	for (size_t i = 0; i < vip->in.n_members; i++) {
		n_up += !vip->members[i].drain &&
			vip->members[i].probe == VIP_PROBE_UP;
		n_failed += !vip->members[i].drain &&
			    vip->members[i].probe == VIP_PROBE_DOWN;
	}
	/* Never without somebody who serves; fail-open only keeps. */
	if (wanted && !n_up) {
		assert_true(vip->in.fail_open);
		assert_true(n_failed && was_announced);
	}
	if (wanted) {
		assert_true(vip->in.vrf_ready && !vip->in.uplink);
		assert_int_equal(world->plan->routes[0].n_nexthops,
				 n_up ? n_up : n_failed);
	}
	/* Nothing is delayed on its way down, nothing comes up to drain. */
	if (!n_up && !vip->in.fail_open)
		assert_false(wanted);
	if (vip->in.drain && !was_announced)
		assert_false(wanted);
	if (wanted)
		assert_int_equal(world->plan->routes[0].tag,
				 vip->in.drain ? VIP_DEFAULT_DRAIN_TAG
					       : VIP_DEFAULT_TAG);
	if (wanted)
		assert_int_equal(o->addresses[0].draining, vip->in.drain != 0);
	/* What it waits for lies ahead. */
	assert_true(!world->plan->next_us ||
		    world->plan->next_us > world->now_us);
	if (!wanted)
		assert_int_not_equal(o->addresses[0].reason.why, VIP_WHY_OK);
}

static void test_random(void **state)
{
	struct world *world = *state;
	unsigned int n_drained = 0, n_draining = 0, n_held = 0, n_open = 0;

	for (uint32_t round = 1; round <= 300; round++) {
		struct test_vip *vip;

		world_clear(world);
		vip = served_vip(world);
		add_member(vip, addr("198.51.100.3"))->probe = VIP_PROBE_UP;
		seed = round * 2654435761u;
		vip->in.fail_open = random_below(2);
		for (int i = 0; i < 100; i++) {
			struct vip_life before = vip->life;
			uint32_t tag;
			size_t n_routes;

			/* Now and then exactly when it wants to be asked. */
			if (world->plan->next_us && random_below(2))
				world->now_us = world->plan->next_us;
			else
				world->now_us += random_below(10) * S;
			random_change(vip);
			live(world);
			assert_sane(world, vip, before.announced);
			switch (out(world, 0)->addresses[0].reason.why) {
			case VIP_WHY_DRAINED:
				n_drained++;
				break;
			case VIP_WHY_DRAINING:
				n_draining++;
				break;
			case VIP_WHY_FLIP:
			case VIP_WHY_FLAPPING:
				n_held++;
				break;
			case VIP_WHY_FAIL_OPEN:
				n_open++;
				break;
			default:
				break;
			}
			/* Asked again: the same. */
			n_routes = world->plan->n_routes;
			tag = n_routes ? world->plan->routes[0].tag : 0;
			live(world);
			assert_int_equal(world->plan->n_routes, n_routes);
			if (n_routes)
				assert_int_equal(world->plan->routes[0].tag,
						 tag);
		}
		/* At rest it is announced, at most as late as damping says. */
		vip->in.drain = VIP_DRAIN_NONE;
		vip->in.uplink = VIP_UPLINK_OK;
		vip->in.vrf_ready = true;
		for (size_t i = 0; i < 3; i++)
			vip->members[i].drain = false;
		probes(vip, VIP_PROBE_UP);
		live(world);
		world->now_us += 301 * S;
		live(world);
		assert_why(world, VIP_WHY_OK, true);
		assert_int_equal(world->plan->routes[0].n_nexthops, 3);
	}
	print_message("drained %u, draining %u, held %u, fail-open %u\n",
		      n_drained, n_draining, n_held, n_open);
	assert_true(n_drained > 500);
	assert_true(n_draining > 500);
	assert_true(n_held > 50);
	assert_true(n_open > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases),
		WORLD_TEST(test_drain),
		WORLD_TEST(test_drain_at_start),
		WORLD_TEST(test_fails_while_draining),
		WORLD_TEST(test_drain_shared),
		WORLD_TEST(test_draining_members),
		WORLD_TEST(test_fail_open),
		WORLD_TEST(test_uplink),
		WORLD_TEST(test_held),
		WORLD_TEST(test_zebra_restarts),
		WORLD_TEST(test_no_flap),
		WORLD_TEST(test_slow_start),
		WORLD_TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
