// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Properties of the decision about VIPs over random configurations, checked
 * against a second, naive way to make the same plan; and its cost.
 */
#include "vip_world.h"

#include <time.h>

#include "memory.h"
#include "printfrr.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

/* -- a plan as a text: the same for equal plans -- */

static int text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Prints lines sorted, frees them. */
static void print_sorted(FILE *f, char **lines, size_t n)
{
	qsort(lines, n, sizeof(*lines), text_cmp);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s\n", lines[i]);
		free(lines[i]);
	}
}

static void print_route(FILE *f, const struct cluster_route *route)
{
	char text[256];

	snprintfrr(text, sizeof(text), "%s %pIA tag %u metric %u distance %u",
		   route->key.vrf, &route->key.addr, route->tag, route->metric,
		   route->distance);
	fprintf(f, "%s", text);
	for (uint16_t i = 0; i < route->n_nexthops; i++) {
		snprintfrr(text, sizeof(text), " %pIA%%%s*%u",
			   &route->nexthops[i].gate, route->nexthops[i].ifname,
			   route->nexthops[i].weight);
		fprintf(f, "%s", text);
	}
	fprintf(f, "\n");
}

static char *routes_text(const struct cluster_route *routes, size_t n_routes)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < n_routes; i++)
		print_route(f, &routes[i]);
	fclose(f);
	return text;
}

static char *plan_text(struct world *world)
{
	char *lines[64 * 32], *text = NULL, *routes, line[512];
	size_t n = 0, len;
	FILE *f = open_memstream(&text, &len);

	routes = routes_text(world->plan->routes, world->plan->n_routes);
	fprintf(f, "%s", routes);
	free(routes);
	for (size_t v = 0; v < world->n_vips; v++) {
		const struct vip_out *o = out(world, v);
		const struct vip_in *in = world->snapshot[v];

		assert_true(n + in->n_members + in->n_addresses <
			    array_size(lines));
		snprintfrr(line, sizeof(line), "%s: %d, %u up", in->name,
			   o->reason.why, o->n_up);
		lines[n++] = strdup(line);
		for (size_t i = 0; i < in->n_members; i++) {
			snprintfrr(line, sizeof(line),
				   "%s: member %pIA%%%s*%u: %d", in->name,
				   &in->members[i].addr, in->members[i].ifname,
				   in->members[i].weight, o->members[i]);
			lines[n++] = strdup(line);
		}
		for (size_t i = 0; i < in->n_addresses; i++) {
			const struct vip_reason *r = &o->addresses[i].reason;

			snprintfrr(line, sizeof(line),
				   "%s: %pIA: %d %u hops, %d %d %u/%u/%u %s",
				   in->name, &in->addresses[i],
				   o->addresses[i].wanted,
				   o->addresses[i].n_nexthops, r->why, r->family,
				   r->num, r->total, r->min_up, r->name);
			lines[n++] = strdup(line);
		}
	}
	print_sorted(f, lines, n);
	fclose(f);
	return text;
}

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	/* xorshift32 */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static void shuffle(void *items, size_t n, size_t size)
{
	uint8_t swap[256];
	uint8_t *bytes = items;

	assert_true(size <= sizeof(swap));
	for (size_t i = n; i > 1; i--) {
		size_t k = random_below(i);

		memcpy(swap, &bytes[(i - 1) * size], size);
		memmove(&bytes[(i - 1) * size], &bytes[k * size], size);
		memcpy(&bytes[k * size], swap, size);
	}
}

static const char *const some_addresses[] = {
	"192.0.2.1",   "192.0.2.2",   "192.0.2.3",   "198.51.100.1",
	"2001:db8::1", "2001:db8::2", "2001:db8::3",
};
static const char *const some_members[] = {
	"198.51.100.1", "198.51.100.2", "198.51.100.3", "198.51.100.4",
	"2001:db8::1",	"2001:db8::10", "2001:db8::11", "fe80::1",
};
static const char *const some_interfaces[] = { "", "", "eth0", "eth1" };

static void random_member(struct test_vip *vip, const char *text)
{
	struct vip_member_in *member = add_member(vip, addr(text));

	strlcpy(member->ifname,
		some_interfaces[random_below(array_size(some_interfaces))],
		sizeof(member->ifname));
	member->weight = 1 + random_below(3);
	/* Mostly well: more is decided then. */
	if (random_below(4) == 0)
		member->probe = random_below(VIP_PROBE_UP + 1);
	member->reachable = random_below(8) > 0;
	member->drain = random_below(8) == 0;
}

static void random_vip(struct world *world)
{
	char name[VIP_NAME_LEN];
	struct test_vip *vip;

	snprintf(name, sizeof(name), "%c%zu", 'a' + (char)random_below(26),
		 world->n_vips);
	vip = add_vip(world, name);
	if (random_below(3) == 0) {
		vip->in.vrf = "red";
		vip->in.vrf_ready = random_below(4) > 0;
	}
	vip->in.tag = 1 + random_below(3);
	vip->in.metric = random_below(3);
	vip->in.distance = 1 + random_below(3);
	vip->in.min_up = random_below(3);
	/* Never announced before: drained at once. */
	vip->in.drain = random_below(8) == 0 ? 1 + random_below(VIP_DRAIN_EXIT)
					     : VIP_DRAIN_NONE;
	vip->in.uplink = random_below(8) == 0 ? VIP_UPLINK_ROUTES
					      : VIP_UPLINK_OK;
	for (size_t i = 0; i < array_size(some_addresses); i++)
		if (random_below(3) == 0)
			add_address(vip, addr(some_addresses[i]));
	for (size_t i = 0; i < array_size(some_members); i++)
		if (random_below(2) == 0)
			random_member(vip, some_members[i]);
	shuffle(vip->members, vip->in.n_members, sizeof(*vip->members));
	shuffle(vip->addresses, vip->in.n_addresses, sizeof(*vip->addresses));
}

static void random_world(struct world *world)
{
	size_t n = random_below(8);

	world_clear(world);
	for (size_t i = 0; i < n; i++)
		random_vip(world);
}

static void shuffle_world(struct world *world)
{
	shuffle(world->vips, world->n_vips, sizeof(world->vips[0]));
	for (size_t i = 0; i < world->n_vips; i++) {
		struct test_vip *vip = world->vips[i];

		world->snapshot[i] = &vip->in;
		shuffle(vip->members, vip->in.n_members, sizeof(*vip->members));
		shuffle(vip->addresses, vip->in.n_addresses,
			sizeof(*vip->addresses));
	}
}

/* The second way: for every possible route, ask every VIP in order of name. */

static bool naive_counts(const struct vip_in *vip, size_t i)
{
	const struct vip_member_in *member = &vip->members[i];
	bool is_vip = false;

	for (size_t k = 0; k < vip->n_addresses; k++)
		is_vip |= !ipaddr_cmp(&member->addr, &vip->addresses[k]);
	return member_expected(is_vip,
			       IS_IPADDR_V6(&member->addr) &&
				       member->addr.ipaddr_v6.s6_addr[0] == 0xfe,
			       member->ifname[0], vip->vrf_ready, member->drain,
			       member->probe, member->reachable) == VIP_WHY_OK;
}

static bool naive_wants(const struct vip_in *vip, const char *vrf,
			const struct ipaddr *addr)
{
	uint32_t up = 0;
	bool has = false;

	for (size_t i = 0; i < vip->n_addresses; i++)
		has |= !ipaddr_cmp(&vip->addresses[i], addr);
	for (size_t i = 0; i < vip->n_members; i++)
		up += vip->members[i].addr.ipa_type == addr->ipa_type &&
		      naive_counts(vip, i);
	return has && !vip->drain && !vip->uplink && !strcmp(vip->vrf, vrf) &&
	       up > 0 && up >= vip->min_up;
}

static void naive_add(struct cluster_route *route, const struct vip_in *vip)
{
	for (size_t i = 0; i < vip->n_members; i++) {
		struct cluster_nexthop nexthop = {
			.gate = vip->members[i].addr,
			.weight = vip->members[i].weight,
		};
		uint16_t k;

		if (!naive_counts(vip, i) ||
		    nexthop.gate.ipa_type != route->key.addr.ipa_type)
			continue;
		strlcpy(nexthop.ifname, vip->members[i].ifname,
			sizeof(nexthop.ifname));
		for (k = 0; k < route->n_nexthops; k++)
			if (!ipaddr_cmp(&route->nexthops[k].gate,
					&nexthop.gate) &&
			    !strcmp(route->nexthops[k].ifname, nexthop.ifname))
				break;
		if (k == route->n_nexthops)
			route->nexthops[route->n_nexthops++] = nexthop;
		else if (route->nexthops[k].weight < nexthop.weight)
			route->nexthops[k].weight = nexthop.weight;
	}
}

static int naive_nexthop_cmp(const void *a, const void *b)
{
	return cluster_nexthop_cmp(a, b);
}

static int naive_vip_cmp(const void *a, const void *b)
{
	return strcmp((*(const struct vip_in *const *)a)->name,
		      (*(const struct vip_in *const *)b)->name);
}

static void naive_route(FILE *f, const struct vip_in *const *vips, size_t n,
			const char *vrf, const char *text)
{
	struct cluster_nexthop nexthops[64];
	struct cluster_route route = {
		.nexthops = nexthops,
		.key.addr = addr(text),
	};

	strlcpy(route.key.vrf, vrf, sizeof(route.key.vrf));
	for (size_t i = 0; i < n; i++) {
		if (!naive_wants(vips[i], vrf, &route.key.addr))
			continue;
		if (!route.n_nexthops) {
			route.tag = vips[i]->tag;
			route.metric = vips[i]->metric;
			route.distance = vips[i]->distance;
		}
		naive_add(&route, vips[i]);
	}
	qsort(nexthops, route.n_nexthops, sizeof(nexthops[0]),
	      naive_nexthop_cmp);
	if (route.n_nexthops)
		print_route(f, &route);
}

/* `some_addresses` and the VRFs are in the order of the routes' keys. */
static char *naive_text(struct world *world)
{
	const struct vip_in *vips[64];
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	memcpy(vips, world->snapshot, world->n_vips * sizeof(vips[0]));
	qsort(vips, world->n_vips, sizeof(vips[0]), naive_vip_cmp);
	for (size_t i = 0; i < array_size(some_addresses); i++)
		naive_route(f, vips, world->n_vips, "default",
			    some_addresses[i]);
	for (size_t i = 0; i < array_size(some_addresses); i++)
		naive_route(f, vips, world->n_vips, "red", some_addresses[i]);
	fclose(f);
	return text;
}

static void assert_well_formed(const struct vip_plan *plan)
{
	for (size_t i = 0; i < plan->n_routes; i++) {
		const struct cluster_route *route = &plan->routes[i];

		assert_in_range(route->n_nexthops, 1, CLUSTER_NEXTHOPS_MAX);
		if (i)
			assert_true(cluster_route_key_cmp(&route[-1].key,
							  &route->key) < 0);
		for (uint16_t k = 0; k < route->n_nexthops; k++) {
			const struct cluster_nexthop *hop = &route->nexthops[k];

			assert_in_range(hop->weight, 1, 255);
			assert_int_equal(hop->gate.ipa_type,
					 route->key.addr.ipa_type);
			if (k)
				assert_true(cluster_nexthop_cmp(hop - 1, hop) <
					    0);
		}
	}
}

/* vip_plan_claimant() finds who has an address, and nobody else. */
static void check_claimants(const struct world *world)
{
	static const char *const vrfs[] = { "default", "red", "blue" };

	for (size_t i = 0; i < array_size(some_addresses) * 3; i++) {
		struct cluster_route_key key = {
			.addr = addr(some_addresses[i / 3])
		};
		size_t n = 0, expected = 0;
		const struct vip_in *in;

		strlcpy(key.vrf, vrfs[i % 3], sizeof(key.vrf));
		for (size_t v = 0; v < world->n_vips; v++)
			for (size_t k = 0; k < world->snapshot[v]->n_addresses;
			     k++)
				expected += !strcmp(world->snapshot[v]->vrf,
						    key.vrf) &&
					    !ipaddr_cmp(&world->snapshot[v]
								 ->addresses[k],
							&key.addr);
		while ((in = vip_plan_claimant(world->plan, &key, n))) {
			bool has = false;

			assert_string_equal(in->vrf, key.vrf);
			for (size_t k = 0; k < in->n_addresses; k++)
				has |= !ipaddr_cmp(&in->addresses[k], &key.addr);
			assert_true(has);
			n++;
		}
		assert_int_equal(n, expected);
	}
}

static void test_random(void **state)
{
	struct world *world = *state;
	size_t n_routes = 0, n_shared = 0;

	for (uint32_t round = 1; round <= 600; round++) {
		char *plan, *naive, *routes, *again;
		struct vip_plan *reused = world->plan;

		seed = round * 2654435761u;
		random_world(world);
		decide(world);
		assert_well_formed(world->plan);
		plan = plan_text(world);
		n_routes += world->plan->n_routes;
		n_shared += strstr(plan, ": 1 ") != NULL;

		/* The second way to the same routes. */
		routes = routes_text(world->plan->routes, world->plan->n_routes);
		naive = naive_text(world);
		if (strcmp(routes, naive))
			print_error("round %u\n%s\nnaively\n%s\n", round,
				    routes, naive);
		assert_string_equal(routes, naive);
		free(routes);
		free(naive);

		/* Deciding again, or with a plan that has no past. */
		decide(world);
		again = plan_text(world);
		assert_string_equal(plan, again);
		free(again);
		world->plan = vip_plan_new();
		decide(world);
		again = plan_text(world);
		assert_string_equal(plan, again);
		free(again);
		vip_plan_free(&world->plan);
		world->plan = reused;

		/* Any order of VIPs, members and addresses. */
		for (int i = 0; i < 6; i++) {
			shuffle_world(world);
			decide(world);
			check_claimants(world);
			again = plan_text(world);
			if (strcmp(plan, again))
				print_error("round %u, order %d\n%s\nnot\n%s\n",
					    round, i, again, plan);
			assert_string_equal(plan, again);
			free(again);
		}
		free(plan);
	}
	/* The configurations were worth looking at. */
	assert_true(n_routes > 1000);
	assert_true(n_shared > 100);
}

/* One more VIP changes no route that it doesn't share (case 11). */
static void test_unrelated(void **state)
{
	struct world *world = *state;

	for (uint32_t round = 1; round <= 200; round++) {
		char *before, *after;
		struct test_vip *vip;

		seed = round * 40503u;
		random_world(world);
		decide(world);
		before = routes_text(world->plan->routes, world->plan->n_routes);
		vip = add_vip(world, "0unrelated");
		/* The last of the keys. */
		vip->in.vrf = "zzz";
		add_address(vip, addr("203.0.113.1"));
		add_member(vip, addr("198.51.100.1"));
		decide(world);
		after = routes_text(world->plan->routes,
				    world->plan->n_routes - 1);
		assert_string_equal(before, after);
		free(before);
		free(after);
	}
}

/* -- cost -- */

static void test_many(void **state)
{
	struct world *world = *state;
	struct timespec start, end;
	double ms;

	for (uint32_t i = 0; i < 10000; i++) {
		char name[VIP_NAME_LEN];
		struct test_vip *vip;

		snprintf(name, sizeof(name), "vip%05u", i);
		vip = add_vip(world, name);
		add_address(vip, v4(NET_ADDRESSES + i * 7919 % 10007));
		add_member(vip, v4(NET_MEMBERS + i % 200));
		add_member(vip, v4(NET_MEMBERS + 1 + i % 200));
	}
	decide(world);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	for (int i = 0; i < 10; i++)
		decide(world);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	ms = (end.tv_sec - start.tv_sec) * 1e3 +
	     (end.tv_nsec - start.tv_nsec) / 1e6;
	print_message("10,000 VIPs, 20,000 members: %.2f ms a decision\n",
		      ms / 10);
	assert_true(world->plan->n_routes == 10000);
	/* Anything quadratic would take seconds, even with a sanitizer. */
	assert_true(ms / 10 < 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_random),
		WORLD_TEST(test_unrelated),
		WORLD_TEST(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
