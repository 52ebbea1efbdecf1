// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decision about VIPs: every rule, and their order.
 */
#include "vip_world.h"

#include "memory.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void assert_why(struct world *world, size_t vip, size_t address,
		       enum vip_why why)
{
	const struct vip_address_out *o = &out(world, vip)->addresses[address];
	bool remark = why == VIP_WHY_OK || why == VIP_WHY_SHARED ||
		      why == VIP_WHY_NEXTHOPS_MAX;

	if (o->reason.why != why)
		print_error("VIP %zu, address %zu: why %d, not %d\n", vip,
			    address, o->reason.why, why);
	assert_int_equal(o->reason.why, why);
	assert_int_equal(o->wanted, remark);
	assert_int_equal(o->n_nexthops > 0, remark);
}

/* -- rules -- */

static void test_one_vip(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");
	const struct cluster_route *route;

	vip->in.tag = 7;
	vip->in.metric = 8;
	vip->in.distance = 9;
	vip->in.vrf = "red";
	add_address(vip, addr("192.0.2.1"));
	add_member(vip, addr("198.51.100.2"))->weight = 20;
	add_member(vip, addr("198.51.100.1"))->weight = 10;
	strlcpy(vip->members[1].ifname, "eth0", sizeof(vip->members[1].ifname));
	decide(world);

	assert_int_equal(world->plan->n_routes, 1);
	route = world->plan->routes;
	assert_string_equal(route->key.vrf, "red");
	assert_int_equal(ipaddr_cmp(&route->key.addr, &vip->addresses[0]), 0);
	assert_int_equal(route->tag, 7);
	assert_int_equal(route->metric, 8);
	assert_int_equal(route->distance, 9);
	assert_int_equal(route->n_nexthops, 2);
	assert_int_equal(ipaddr_cmp(&route->nexthops[0].gate,
				    &vip->members[1].addr),
			 0);
	assert_string_equal(route->nexthops[0].ifname, "eth0");
	assert_int_equal(route->nexthops[0].weight, 10);
	assert_string_equal(route->nexthops[1].ifname, "");
	assert_int_equal(route->nexthops[1].weight, 20);
	assert_why(world, 0, 0, VIP_WHY_OK);
	assert_int_equal(out(world, 0)->n_up, 2);
	assert_int_equal(out(world, 0)->addresses[0].n_nexthops, 2);
}

static void test_nothing(void **state)
{
	struct world *world = *state;

	decide(world);
	assert_int_equal(world->plan->n_routes, 0);
	add_vip(world, "empty");
	decide(world);
	assert_int_equal(world->plan->n_routes, 0);
	assert_int_equal(out(world, 0)->reason.why, VIP_WHY_NO_ADDRESS);
}

/* Every combination of what a member's verdict can depend on. */
static void test_member_table(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");
	struct vip_member_in *member;

	add_address(vip, addr("2001:db8::1"));
	add_address(vip, addr("fe80::1"));
	member = add_member(vip, addr("2001:db8::2"));
	for (unsigned int bits = 0; bits < 256; bits++) {
		bool is_vip = bits & 1, link_local = bits & 2;
		bool ifname = bits & 4, vrf = bits & 8, reachable = bits & 16;
		bool drain = bits & 32;
		enum vip_probe_state probe = bits >> 6;
		enum vip_why why = member_expected(is_vip, link_local, ifname,
						   vrf, drain, probe, reachable);

		member->addr = addr(is_vip	 ? link_local ? "fe80::1"
							      : "2001:db8::1"
				    : link_local ? "fe80::2"
						 : "2001:db8::2");
		strlcpy(member->ifname, ifname ? "eth0" : "",
			sizeof(member->ifname));
		vip->in.vrf_ready = vrf;
		member->probe = probe;
		member->reachable = reachable;
		member->drain = drain;
		decide(world);
		if (out(world, 0)->members[0] != why)
			print_error("combination %#x\n", bits);
		assert_int_equal(out(world, 0)->members[0], why);
		assert_int_equal(out(world, 0)->n_up, why == VIP_WHY_OK);
		assert_int_equal(out(world, 0)->addresses[0].wanted,
				 why == VIP_WHY_OK);
	}
}

struct address_case {
	bool shutdown, vrf, v6;
	uint32_t total, up, other;
	uint16_t min_up;
};

/* `n` members of a family, the first `n_up` of them reachable. */
static void add_family(struct test_vip *vip, bool v6, uint32_t n, uint32_t n_up)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ipaddr member = addr(v6 ? "2001:db8::" : "198.51.100.0");

		/* The last byte. */
		((uint8_t *)&member.ip.addr)[v6 ? 15 : 3] = 10 + i;
		add_member(vip, member)->reachable = i < n_up;
	}
}

static void assert_address_case(struct world *world,
				const struct address_case *c)
{
	uint32_t least = c->min_up ? c->min_up : 1;
	enum vip_why why = c->shutdown	      ? VIP_WHY_SHUTDOWN
			   : !c->vrf	      ? VIP_WHY_VRF
			   : !c->total	      ? VIP_WHY_NO_MEMBER
			   : least > c->total ? VIP_WHY_MIN_UP_NEVER
			   : c->up < least    ? VIP_WHY_TOO_FEW
					      : VIP_WHY_OK;
	struct test_vip *vip = add_vip(world, "web");
	const struct vip_address_out *o;

	vip->in.drain = c->shutdown ? VIP_DRAIN_SHUTDOWN : VIP_DRAIN_NONE;
	vip->in.vrf_ready = c->vrf;
	vip->in.vrf = c->vrf ? "default" : "red";
	vip->in.min_up = c->min_up;
	add_address(vip, addr(c->v6 ? "2001:db8:1::1" : "192.0.2.1"));
	add_family(vip, c->v6, c->total, c->up);
	/* The other family's members don't matter. */
	add_family(vip, !c->v6, c->other, c->other);
	decide(world);

	assert_why(world, 0, 0, why);
	o = &out(world, 0)->addresses[0];
	if (why == VIP_WHY_VRF)
		assert_string_equal(o->reason.name, "red");
	if (!c->shutdown && c->vrf) {
		assert_int_equal(o->reason.family,
				 c->v6 ? IPADDR_V6 : IPADDR_V4);
		assert_int_equal(o->reason.num, c->up);
		assert_int_equal(o->reason.total, c->total);
		assert_int_equal(o->reason.min_up, least);
	}
	assert_int_equal(world->plan->n_routes, why == VIP_WHY_OK);
	if (why == VIP_WHY_OK)
		assert_int_equal(world->plan->routes[0].n_nexthops, c->up);
	assert_int_equal(out(world, 0)->n_up, c->vrf ? c->up + c->other : 0);
	world_clear(world);
}

/* Every combination of what an address's verdict can depend on. */
static void test_address_table(void **state)
{
	unsigned int cases = 0;

	for (unsigned int i = 0; i < 2 * 2 * 2 * 5 * 5 * 3 * 6; i++) {
		struct address_case c = {
			.shutdown = i % 2,
			.vrf = i / 2 % 2,
			.v6 = i / 4 % 2,
			.total = i / 8 % 5,
			.up = i / 40 % 5,
			.other = i / 200 % 3,
			.min_up = i / 600,
		};

		if (c.up > c.total)
			continue;
		assert_address_case(*state, &c);
		cases++;
	}
	assert_int_equal(cases, 2 * 2 * 2 * 15 * 3 * 6);
}

static void test_families_apart(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "web");

	add_address(vip, addr("2001:db8::1"));
	add_address(vip, addr("192.0.2.1"));
	add_member(vip, addr("198.51.100.1"));
	add_member(vip, addr("2001:db8:1::1"))->probe = VIP_PROBE_DOWN;
	decide(world);
	assert_why(world, 0, 0, VIP_WHY_TOO_FEW);
	assert_why(world, 0, 1, VIP_WHY_OK);
	assert_int_equal(world->plan->n_routes, 1);
	assert_true(IS_IPADDR_V4(&world->plan->routes[0].nexthops[0].gate));

	vip->members[1].probe = VIP_PROBE_UP;
	decide(world);
	assert_int_equal(world->plan->n_routes, 2);
	assert_true(IS_IPADDR_V4(&world->plan->routes[0].key.addr));
	assert_int_equal(world->plan->routes[1].n_nexthops, 1);
	assert_true(IS_IPADDR_V6(&world->plan->routes[1].nexthops[0].gate));
}

/* -- shared addresses -- */

static void test_shared(void **state)
{
	struct world *world = *state;
	struct test_vip *b = add_vip(world, "b"), *a = add_vip(world, "a");
	const struct cluster_route *route;

	a->in.tag = 1;
	b->in.tag = 2;
	b->in.metric = 5;
	add_address(a, addr("192.0.2.1"));
	add_address(b, addr("192.0.2.1"));
	add_address(b, addr("192.0.2.2"));
	add_member(a, addr("198.51.100.1"))->weight = 3;
	add_member(a, addr("198.51.100.3"))->weight = 1;
	add_member(b, addr("198.51.100.2"));
	add_member(b, addr("198.51.100.3"))->weight = 9;
	add_member(b, addr("198.51.100.1"))->weight = 2;
	decide(world);

	assert_int_equal(world->plan->n_routes, 2);
	route = &world->plan->routes[0];
	assert_int_equal(route->tag, 1);
	assert_int_equal(route->metric, 0);
	assert_int_equal(route->n_nexthops, 3);
	assert_int_equal(route->nexthops[0].weight, 3);
	assert_int_equal(route->nexthops[1].weight, 1);
	assert_int_equal(route->nexthops[2].weight, 9);
	assert_why(world, 1, 0, VIP_WHY_OK);
	assert_why(world, 0, 0, VIP_WHY_SHARED);
	assert_string_equal(out(world, 0)->addresses[0].reason.name, "a");
	assert_int_equal(out(world, 0)->addresses[0].n_nexthops, 3);
	assert_int_equal(out(world, 1)->addresses[0].n_nexthops, 3);
	/* The address of b alone has b's own next hops and attributes. */
	assert_why(world, 0, 1, VIP_WHY_OK);
	assert_int_equal(world->plan->routes[1].tag, 2);
	assert_int_equal(world->plan->routes[1].n_nexthops, 3);
	assert_int_equal(world->plan->routes[1].nexthops[0].weight, 2);

	/* Who doesn't want the address adds nothing, not even attributes. */
	a->in.drain = VIP_DRAIN_SHUTDOWN;
	decide(world);
	assert_int_equal(world->plan->n_routes, 2);
	assert_int_equal(world->plan->routes[0].tag, 2);
	assert_int_equal(world->plan->routes[0].n_nexthops, 3);
	assert_int_equal(world->plan->routes[0].nexthops[0].weight, 2);
	assert_why(world, 0, 0, VIP_WHY_OK);
	assert_why(world, 1, 0, VIP_WHY_SHUTDOWN);

	/* Gone with the last. */
	b->in.drain = VIP_DRAIN_SHUTDOWN;
	decide(world);
	assert_int_equal(world->plan->n_routes, 0);
}

static void test_not_shared(void **state)
{
	struct world *world = *state;
	struct test_vip *a = add_vip(world, "a"), *b = add_vip(world, "b");
	struct vip_member_in *member;

	/* The same address in two VRFs is two routes. */
	a->in.vrf = "red";
	add_address(a, addr("192.0.2.1"));
	add_address(b, addr("192.0.2.1"));
	add_member(a, addr("198.51.100.1"));
	add_member(b, addr("198.51.100.1"));
	decide(world);
	assert_int_equal(world->plan->n_routes, 2);
	assert_string_equal(world->plan->routes[0].key.vrf, "default");
	assert_string_equal(world->plan->routes[1].key.vrf, "red");
	assert_why(world, 0, 0, VIP_WHY_OK);
	assert_why(world, 1, 0, VIP_WHY_OK);

	/* Next hops are one only with the same interface. */
	a->in.vrf = "default";
	member = &a->members[0];
	strlcpy(member->ifname, "eth0", sizeof(member->ifname));
	decide(world);
	assert_int_equal(world->plan->n_routes, 1);
	assert_int_equal(world->plan->routes[0].n_nexthops, 2);
	strlcpy(b->members[0].ifname, "eth0", sizeof(member->ifname));
	decide(world);
	assert_int_equal(world->plan->routes[0].n_nexthops, 1);
}

static void test_duplicates(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "a");

	add_address(vip, addr("192.0.2.1"));
	add_address(vip, addr("192.0.2.1"));
	add_member(vip, addr("198.51.100.1"))->weight = 4;
	add_member(vip, addr("198.51.100.1"))->weight = 7;
	add_member(vip, addr("198.51.100.1"))->weight = 5;
	decide(world);
	assert_int_equal(world->plan->n_routes, 1);
	assert_int_equal(world->plan->routes[0].n_nexthops, 1);
	assert_int_equal(world->plan->routes[0].nexthops[0].weight, 7);
	assert_why(world, 0, 0, VIP_WHY_OK);
	assert_why(world, 0, 1, VIP_WHY_OK);
}

/* -- bounds -- */

static void test_members_max(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "a");

	add_address(vip, addr("192.0.2.1"));
	for (uint32_t i = 0; i < VIP_MEMBERS_MAX; i++)
		add_member(vip, v4(NET_MEMBERS + i));
	decide(world);
	assert_why(world, 0, 0, VIP_WHY_OK);
	assert_int_equal(world->plan->routes[0].n_nexthops, VIP_MEMBERS_MAX);

	/* One too many; one that is an address of the VIP at that. */
	add_member(vip, addr("192.0.2.1"));
	decide(world);
	assert_why(world, 0, 0, VIP_WHY_MEMBERS_MAX);
	assert_int_equal(out(world, 0)->addresses[0].reason.num,
			 VIP_MEMBERS_MAX + 1);
	assert_int_equal(world->plan->n_routes, 0);
}

static void test_addresses_max(void **state)
{
	struct world *world = *state;
	struct test_vip *vip = add_vip(world, "a");

	add_member(vip, v4(NET_MEMBERS));
	for (uint32_t i = 0; i < VIP_ADDRESSES_MAX; i++)
		add_address(vip, v4(NET_ADDRESSES + i));
	decide(world);
	assert_int_equal(world->plan->n_routes, VIP_ADDRESSES_MAX);

	add_address(vip, v4(NET_MEMBERS));
	decide(world);
	assert_why(world, 0, 0, VIP_WHY_ADDRESSES_MAX);
	assert_int_equal(out(world, 0)->reason.num, VIP_ADDRESSES_MAX + 1);
	assert_int_equal(world->plan->n_routes, 0);
	/* A limit says more than a shutdown: it is a mistake. */
	vip->in.drain = VIP_DRAIN_SHUTDOWN;
	decide(world);
	assert_why(world, 0, 0, VIP_WHY_ADDRESSES_MAX);
}

static void test_nexthops_max(void **state)
{
	struct world *world = *state;
	const struct cluster_route *route;

	for (uint32_t v = 0; v < 3; v++) {
		char name[] = { 'c' - v, '\0' };
		struct test_vip *vip = add_vip(world, name);

		add_address(vip, addr("192.0.2.1"));
		for (uint32_t i = 0; i < 100; i++)
			add_member(vip, v4(NET_MEMBERS + 3 * i + v));
	}
	decide(world);
	route = world->plan->routes;
	assert_int_equal(world->plan->n_routes, 1);
	assert_int_equal(route->n_nexthops, CLUSTER_NEXTHOPS_MAX);
	for (uint32_t i = 0; i < CLUSTER_NEXTHOPS_MAX; i++) {
		struct ipaddr addr = v4(NET_MEMBERS + i);

		assert_int_equal(ipaddr_cmp(&route->nexthops[i].gate, &addr), 0);
	}
	for (size_t v = 0; v < 3; v++) {
		assert_why(world, v, 0, VIP_WHY_NEXTHOPS_MAX);
		assert_int_equal(out(world, v)->addresses[0].reason.total, 300);
		assert_int_equal(out(world, v)->addresses[0].n_nexthops,
				 CLUSTER_NEXTHOPS_MAX);
	}
}

/* Which VIPs are past the limit is a matter of names, not of order. */
static void test_vips_max(void **state)
{
	struct world *world = *state;
	char name[VIP_NAME_LEN];

	for (uint32_t i = 0; i < VIP_MAX + 2; i++) {
		struct test_vip *vip;

		/* 7 has no factor in common with the number of names. */
		snprintf(name, sizeof(name), "vip%05u", i * 7 % (VIP_MAX + 2));
		vip = add_vip(world, name);
		add_address(vip, v4(NET_ADDRESSES + i));
		add_member(vip, v4(NET_MEMBERS));
	}
	decide(world);
	assert_int_equal(world->plan->n_routes, VIP_MAX);
	for (uint32_t i = 0; i < world->n_vips; i++) {
		bool served = strcmp(world->vips[i]->name, "vip16384") < 0;

		assert_why(world, i, 0, served ? VIP_WHY_OK : VIP_WHY_VIPS_MAX);
		if (!served)
			assert_int_equal(out(world, i)->reason.num, VIP_MAX + 2);
	}

	world->n_vips -= 2;
	decide(world);
	assert_int_equal(world->plan->n_routes, VIP_MAX);
	world->n_vips += 2;
}

/* -- states -- */

static struct vip_address_out address_out(enum vip_why why)
{
	return (struct vip_address_out){
		.wanted = why == VIP_WHY_OK || why == VIP_WHY_SHARED ||
			  why == VIP_WHY_NEXTHOPS_MAX ||
			  why == VIP_WHY_DRAINING || why == VIP_WHY_FAIL_OPEN ||
			  why == VIP_WHY_SLOW_START,
		.draining = why == VIP_WHY_DRAINING,
		.reason.why = why,
	};
}

struct state_row {
	enum vip_why decided;
	struct vip_address_facts facts;
	enum vip_state state;
	enum vip_why why;
};

#define ZEBRA	  .zebra_connected = true
#define STATUS(s) ZEBRA, .status = CLUSTER_ROUTE_##s

static const struct state_row state_rows[] = {
	/* Nobody asks zebra about these. */
	{ VIP_WHY_SHUTDOWN, { ZEBRA }, VIP_SHUTDOWN, VIP_WHY_SHUTDOWN },
	{ VIP_WHY_SHUTDOWN, { .owner = "lo" }, VIP_SHUTDOWN, VIP_WHY_SHUTDOWN },
	{ VIP_WHY_DRAINED, {}, VIP_DRAINED, VIP_WHY_DRAINED },
	{ VIP_WHY_DRAINED, { ZEBRA }, VIP_DRAINED, VIP_WHY_DRAINED },
	{ VIP_WHY_VIPS_MAX, {}, VIP_INVALID, VIP_WHY_VIPS_MAX },
	{ VIP_WHY_MEMBERS_MAX, { ZEBRA }, VIP_INVALID, VIP_WHY_MEMBERS_MAX },
	{ VIP_WHY_ADDRESSES_MAX, { ZEBRA }, VIP_INVALID, VIP_WHY_ADDRESSES_MAX },
	/* Without zebra nothing else is known. */
	{ VIP_WHY_OK,
	  { .status = CLUSTER_ROUTE_UNSENT },
	  VIP_WAITING,
	  VIP_WHY_ZEBRA },
	{ VIP_WHY_TOO_FEW, {}, VIP_WAITING, VIP_WHY_ZEBRA },
	{ VIP_WHY_VRF, { .owner = "lo" }, VIP_WAITING, VIP_WHY_ZEBRA },
	{ VIP_WHY_OK, { .before = VIP_HIDDEN }, VIP_WAITING, VIP_WHY_ZEBRA },
	/* Not wanted. */
	{ VIP_WHY_VRF, { ZEBRA }, VIP_WAITING, VIP_WHY_VRF },
	{ VIP_WHY_NO_MEMBER,
	  { ZEBRA, .owner = "lo" },
	  VIP_DOWN,
	  VIP_WHY_NO_MEMBER },
	{ VIP_WHY_MIN_UP_NEVER, { ZEBRA }, VIP_DOWN, VIP_WHY_MIN_UP_NEVER },
	{ VIP_WHY_TOO_FEW, { ZEBRA }, VIP_DOWN, VIP_WHY_TOO_FEW },
	{ VIP_WHY_TOO_FEW,
	  { ZEBRA, .before = VIP_HIDDEN },
	  VIP_DOWN,
	  VIP_WHY_TOO_FEW },
	{ VIP_WHY_NO_ADDRESS, { ZEBRA }, VIP_DOWN, VIP_WHY_NO_ADDRESS },
	{ VIP_WHY_UPLINK_ROUTES, { ZEBRA }, VIP_DOWN, VIP_WHY_UPLINK_ROUTES },
	{ VIP_WHY_FLAPPING, { ZEBRA }, VIP_HELD, VIP_WHY_FLAPPING },
	{ VIP_WHY_FLIP, { ZEBRA }, VIP_HELD, VIP_WHY_FLIP },
	{ VIP_WHY_HOLD_DOWN, { ZEBRA }, VIP_HELD, VIP_WHY_HOLD_DOWN },
	{ VIP_WHY_HOLD_DOWN, {}, VIP_WAITING, VIP_WHY_ZEBRA },
	/* Wanted: announced only when it is installed (case 10). */
	{ VIP_WHY_OK, { STATUS(UNWANTED) }, VIP_PENDING, VIP_WHY_PENDING },
	{ VIP_WHY_OK, { STATUS(UNSENT) }, VIP_WAITING, VIP_WHY_UNSENT },
	{ VIP_WHY_OK, { STATUS(PENDING) }, VIP_PENDING, VIP_WHY_PENDING },
	{ VIP_WHY_OK, { STATUS(INSTALLED) }, VIP_ANNOUNCED, VIP_WHY_OK },
	{ VIP_WHY_SHARED, { STATUS(INSTALLED) }, VIP_ANNOUNCED, VIP_WHY_SHARED },
	{ VIP_WHY_DRAINING,
	  { STATUS(INSTALLED) },
	  VIP_DRAINING,
	  VIP_WHY_DRAINING },
	{ VIP_WHY_DRAINING, { STATUS(PENDING) }, VIP_PENDING, VIP_WHY_PENDING },
	{ VIP_WHY_FAIL_OPEN,
	  { STATUS(INSTALLED) },
	  VIP_ANNOUNCED,
	  VIP_WHY_FAIL_OPEN },
	{ VIP_WHY_SLOW_START,
	  { STATUS(INSTALLED) },
	  VIP_ANNOUNCED,
	  VIP_WHY_SLOW_START },
	{ VIP_WHY_NEXTHOPS_MAX,
	  { STATUS(INSTALLED) },
	  VIP_ANNOUNCED,
	  VIP_WHY_NEXTHOPS_MAX },
	{ VIP_WHY_SHARED, { STATUS(BETTER_WON) }, VIP_HIDDEN, VIP_WHY_BETTER_WON },
	{ VIP_WHY_OK, { STATUS(FAILED) }, VIP_REJECTED, VIP_WHY_FAILED },
	{ VIP_WHY_OK, { STATUS(REMOVED) }, VIP_PENDING, VIP_WHY_REMOVED },
	/* zebra says nothing of a route that never was the best. */
	{ VIP_WHY_OK,
	  { STATUS(PENDING), .overdue = true },
	  VIP_HIDDEN,
	  VIP_WHY_UNCONFIRMED },
	/* Sent again: as before until zebra says something else. */
	{ VIP_WHY_OK,
	  { STATUS(PENDING), .before = VIP_HIDDEN },
	  VIP_HIDDEN,
	  VIP_WHY_UNCONFIRMED },
	{ VIP_WHY_OK,
	  { STATUS(PENDING), .before = VIP_REJECTED },
	  VIP_REJECTED,
	  VIP_WHY_FAILED },
	{ VIP_WHY_OK,
	  { STATUS(PENDING), .before = VIP_ANNOUNCED },
	  VIP_PENDING,
	  VIP_WHY_PENDING },
	{ VIP_WHY_OK,
	  { STATUS(INSTALLED), .before = VIP_REJECTED },
	  VIP_ANNOUNCED,
	  VIP_WHY_OK },
	{ VIP_WHY_OK,
	  { STATUS(INSTALLED), .before = VIP_HIDDEN },
	  VIP_ANNOUNCED,
	  VIP_WHY_OK },
	/* An interface owns the address (case 12). */
	{ VIP_WHY_OK,
	  { STATUS(BETTER_WON), .owner = "lo" },
	  VIP_HIDDEN,
	  VIP_WHY_OWNED },
	{ VIP_WHY_OK,
	  { STATUS(PENDING), .owner = "lo" },
	  VIP_HIDDEN,
	  VIP_WHY_OWNED },
	{ VIP_WHY_OK,
	  { STATUS(FAILED), .owner = "lo" },
	  VIP_HIDDEN,
	  VIP_WHY_OWNED },
	{ VIP_WHY_OK,
	  { STATUS(UNSENT), .owner = "lo" },
	  VIP_WAITING,
	  VIP_WHY_UNSENT },
	{ VIP_WHY_OK,
	  { STATUS(INSTALLED), .owner = "lo" },
	  VIP_ANNOUNCED,
	  VIP_WHY_LOCAL },
};

static void test_address_state(void **state)
{
	for (size_t i = 0; i < array_size(state_rows); i++) {
		const struct state_row *row = &state_rows[i];
		struct vip_address_out o = address_out(row->decided);
		struct vip_reason reason;
		enum vip_state got = vip_address_state(&o, &row->facts, &reason);

		if (got != row->state || reason.why != row->why)
			print_error("row %zu: %s\n", i, vip_state_name(got));
		assert_int_equal(got, row->state);
		assert_int_equal(reason.why, row->why);
		if (reason.why == VIP_WHY_OWNED || reason.why == VIP_WHY_LOCAL)
			assert_string_equal(reason.name, "lo");
	}
}

static void test_vip_state(void **state)
{
	static const struct {
		enum vip_why why;
		const char *addresses; /* one letter each */
		enum vip_state state;
		int culprit;
	} rows[] = {
		{ VIP_WHY_NO_ADDRESS, "", VIP_DOWN, -1 },
		{ VIP_WHY_SHUTDOWN, "", VIP_SHUTDOWN, -1 },
		{ VIP_WHY_DRAINED, "", VIP_DRAINED, -1 },
		{ VIP_WHY_MEMBERS_MAX, "", VIP_INVALID, -1 },
		{ VIP_WHY_SHUTDOWN, "ss", VIP_SHUTDOWN, -1 },
		{ VIP_WHY_MEMBERS_MAX, "ii", VIP_INVALID, -1 },
		{ VIP_WHY_OK, "a", VIP_ANNOUNCED, 0 },
		{ VIP_WHY_OK, "aaa", VIP_ANNOUNCED, 0 },
		{ VIP_WHY_OK, "ad", VIP_PARTIAL, 1 },
		{ VIP_WHY_OK, "dap", VIP_PARTIAL, 0 },
		{ VIP_WHY_OK, "aprh", VIP_PARTIAL, 2 },
		{ VIP_WHY_OK, "d", VIP_DOWN, 0 },
		{ VIP_WHY_OK, "dd", VIP_DOWN, 0 },
		{ VIP_WHY_OK, "pd", VIP_DOWN, 1 },
		{ VIP_WHY_OK, "pw", VIP_WAITING, 1 },
		{ VIP_WHY_OK, "wd", VIP_DOWN, 1 },
		{ VIP_WHY_OK, "dh", VIP_HIDDEN, 1 },
		{ VIP_WHY_OK, "hrd", VIP_REJECTED, 1 },
		{ VIP_WHY_OK, "p", VIP_PENDING, 0 },
		{ VIP_WHY_DRAINED, "xx", VIP_DRAINED, -1 },
		{ VIP_WHY_OK, "gg", VIP_DRAINING, 0 },
		{ VIP_WHY_OK, "dg", VIP_DRAINING, 1 },
		{ VIP_WHY_OK, "gp", VIP_DRAINING, 0 },
		{ VIP_WHY_OK, "e", VIP_HELD, 0 },
		{ VIP_WHY_OK, "ae", VIP_PARTIAL, 1 },
		{ VIP_WHY_OK, "ed", VIP_DOWN, 1 },
	};
	static const enum vip_state letters[] = {
		['a'] = VIP_ANNOUNCED, ['d'] = VIP_DOWN,
		['h'] = VIP_HIDDEN,    ['i'] = VIP_INVALID,
		['p'] = VIP_PENDING,   ['r'] = VIP_REJECTED,
		['s'] = VIP_SHUTDOWN,  ['w'] = VIP_WAITING,
		['g'] = VIP_DRAINING,  ['x'] = VIP_DRAINED,
		['e'] = VIP_HELD,
	};

	for (size_t i = 0; i < array_size(rows); i++) {
		struct vip_reason reason = { .why = rows[i].why };
		size_t n = strlen(rows[i].addresses);
		enum vip_state states[8], got;
		int culprit = 99;

		for (size_t k = 0; k < n; k++)
			states[k] = letters[(uint8_t)rows[i].addresses[k]];
		got = vip_state_of(&reason, states, n, &culprit);
		if (got != rows[i].state || culprit != rows[i].culprit)
			print_error("row %zu: %s, %d\n", i, vip_state_name(got),
				    culprit);
		assert_int_equal(got, rows[i].state);
		assert_int_equal(culprit, rows[i].culprit);
	}
}

/* While half a file is applied: what is left of the last plan. */
static void test_left(void **state)
{
	static const char *const addresses[] = { "192.0.2.1", "192.0.2.2",
						 "192.0.2.3", "192.0.2.4",
						 "192.0.2.5" };
	enum { HEALTHY, FAILS, EDITED, SHARES, COMES };
	struct vip_plan *now = vip_plan_new();
	const struct vip_in *whole[WORLD_MAX];
	struct world *world = *state;
	struct cluster_route routes[array_size(addresses)];
	struct test_vip *vip;
	size_t n = 0;

	for (size_t i = 0; i < array_size(addresses); i++) {
		vip = add_vip(world, addresses[i]);
		add_address(vip, addr(addresses[i]));
		add_member(vip, addr("198.51.100.1"));
		add_member(vip, addr("198.51.100.2"));
	}
	/* what is edited has an address of another one as well */
	add_address(world->vips[EDITED], addr(addresses[SHARES]));
	world->vips[COMES]->in.min_up = 3;
	decide(world);
	assert_int_equal(world->plan->n_routes, COMES);

	/* nothing has happened: nothing changes */
	assert_int_equal(vip_plan_left(world->plan, world->plan, routes), COMES);
	for (size_t i = 0; i < COMES; i++)
		assert_true(cluster_route_same(&routes[i],
					       &world->plan->routes[i]));

	/* a member less, none, the same of one that shares, one comes up */
	world->vips[HEALTHY]->members[1].reachable = false;
	for (size_t i = 0; i < 2; i++) {
		world->vips[FAILS]->members[i].reachable = false;
		world->vips[SHARES]->members[i].reachable = false;
	}
	world->vips[COMES]->in.min_up = 1;
	for (size_t i = 0; i < world->n_vips; i++)
		if (i != EDITED)
			whole[n++] = world->snapshot[i];
	vip_decide(now, whole, n, world->now_us);
	assert_int_equal(vip_plan_left(world->plan, now, routes), 3);
	assert_int_equal(ipaddr_cmp(&routes[0].key.addr,
				    &world->vips[HEALTHY]->addresses[0]),
			 0);
	assert_int_equal(routes[0].n_nexthops, 1);
	assert_true(cluster_route_same(&routes[1], &world->plan->routes[2]));
	assert_true(cluster_route_same(&routes[2], &world->plan->routes[3]));

	/* all have been deleted or edited */
	vip_decide(now, whole, 0, world->now_us);
	assert_int_equal(vip_plan_left(world->plan, now, routes), COMES);
	assert_int_equal(routes[1].n_nexthops, 2);
	vip_plan_free(&now);
}

static void test_locals_left(void **state)
{
	static const char *const addresses[] = { "192.0.2.1", "192.0.2.2",
						 "192.0.2.3", "192.0.2.4",
						 "192.0.2.5" };
	enum { HEALTHY, FAILS, EDITED, SHARES, COMES };
	struct vip_plan *now = vip_plan_new();
	const struct vip_in *whole[WORLD_MAX];
	struct world *world = *state;
	struct local_want locals[array_size(addresses)];
	struct test_vip *vip;
	size_t n = 0;

	for (size_t i = 0; i < array_size(addresses); i++) {
		vip = add_vip(world, addresses[i]);
		vip->in.local = true;
		vip->in.local_hold_ms = 1000;
		add_address(vip, addr(addresses[i]));
	}
	add_address(world->vips[EDITED], addr(addresses[SHARES]));
	world->vips[COMES]->locals[0].probe = VIP_PROBE_DOWN;
	decide(world);
	assert_int_equal(world->plan->n_locals, COMES);

	/* nothing has happened: nothing changes */
	assert_int_equal(vip_plan_locals_left(world->plan, world->plan, locals),
			 COMES);
	assert_int_equal(cluster_route_key_cmp(&locals[3].key,
					       &world->plan->locals[3].key),
			 0);

	/* another time to hold, a dead one, one that shares, one comes up */
	world->vips[HEALTHY]->in.local_hold_ms = 5;
	world->vips[FAILS]->locals[0].probe = VIP_PROBE_DOWN;
	world->vips[SHARES]->locals[0].probe = VIP_PROBE_DOWN;
	world->vips[COMES]->locals[0].probe = VIP_PROBE_UP;
	for (size_t i = 0; i < world->n_vips; i++)
		if (i != EDITED)
			whole[n++] = world->snapshot[i];
	vip_decide(now, whole, n, world->now_us);
	assert_int_equal(vip_plan_locals_left(world->plan, now, locals), 3);
	assert_int_equal(locals[0].hold_ms, 5);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(ipaddr_cmp(&locals[i].key.addr,
					    &world->vips[EDITED]
						     ->addresses[i - 1]),
				 0);
		assert_int_equal(locals[i].hold_ms, 1000);
	}

	/* all have been deleted or edited */
	vip_decide(now, whole, 0, world->now_us);
	assert_int_equal(vip_plan_locals_left(world->plan, now, locals), COMES);
	vip_plan_free(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_one_vip),
		WORLD_TEST(test_nothing),
		WORLD_TEST(test_member_table),
		WORLD_TEST(test_address_table),
		WORLD_TEST(test_families_apart),
		WORLD_TEST(test_shared),
		WORLD_TEST(test_not_shared),
		WORLD_TEST(test_duplicates),
		WORLD_TEST(test_members_max),
		WORLD_TEST(test_addresses_max),
		WORLD_TEST(test_nexthops_max),
		WORLD_TEST(test_vips_max),
		WORLD_TEST(test_left),
		WORLD_TEST(test_locals_left),
		cmocka_unit_test(test_address_state),
		cmocka_unit_test(test_vip_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
