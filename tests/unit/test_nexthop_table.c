// SPDX-License-Identifier: GPL-2.0-or-later
/* Next-hop tracking: counting, and what survives a lost connection. */
#include <zebra.h>

#include "memory.h"

#include "core/nexthop_table.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

static unsigned int watches, unwatches;

static void watch(const struct cluster_route_key *nexthop)
{
	watches++;
}

static void unwatch(const struct cluster_route_key *nexthop)
{
	unwatches++;
}

static const struct nexthop_table_ops ops = {
	.watch = watch,
	.unwatch = unwatch,
};

static int setup(void **state)
{
	watches = unwatches = 0;
	*state = nexthop_table_new(&ops);
	return 0;
}

static int teardown(void **state)
{
	struct nexthop_table *table = *state;

	nexthop_table_free(&table);
	assert_null(table);
	nexthop_table_free(&table);
	return 0;
}

static struct cluster_route_key key(const char *vrf, const char *text)
{
	struct cluster_route_key k = { .addr = addr(text) };

	snprintf(k.vrf, sizeof(k.vrf), "%s", vrf);
	return k;
}

static void test_counted(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key a = key("default", "10.0.0.1");

	/* Case 32's kind: one user's end is not the other's. */
	nexthop_table_get(table, &a);
	nexthop_table_get(table, &a);
	assert_int_equal(watches, 1);
	nexthop_table_put(table, &a);
	assert_int_equal(unwatches, 0);
	assert_int_equal(nexthop_table_count(table), 1);
	nexthop_table_put(table, &a);
	assert_int_equal(unwatches, 1);
	assert_int_equal(nexthop_table_count(table), 0);
}

static void test_resolution(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key a = key("default", "10.0.0.1");
	struct cluster_route_key red = key("red", "10.0.0.1");

	assert_false(nexthop_table_update(table, &a, 24));
	nexthop_table_get(table, &a);
	nexthop_table_get(table, &red);
	assert_int_equal(nexthop_table_matched(table, &a), NEXTHOP_UNRESOLVED);
	assert_true(nexthop_table_update(table, &a, 24));
	assert_false(nexthop_table_update(table, &a, 24));
	assert_int_equal(nexthop_table_matched(table, &a), 24);
	assert_int_equal(nexthop_table_matched(table, &red), NEXTHOP_UNRESOLVED);
	assert_true(nexthop_table_update(table, &a, NEXTHOP_UNRESOLVED));
	assert_int_equal(nexthop_table_matched(table, &a), NEXTHOP_UNRESOLVED);
	nexthop_table_put(table, &a);
	assert_int_equal(nexthop_table_matched(table, &a), NEXTHOP_UNRESOLVED);
}

/* Whether zebra has said anything yet, be it no. */
static void test_answered(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key a = key("default", "10.0.0.1");
	struct cluster_route_key red = key("red", "10.0.0.1");

	assert_false(nexthop_table_answered(table, &a));
	nexthop_table_get(table, &a);
	nexthop_table_get(table, &red);
	assert_false(nexthop_table_answered(table, &a));
	/* The first word is news, although it changes nothing. */
	assert_true(nexthop_table_update(table, &a, NEXTHOP_UNRESOLVED));
	assert_true(nexthop_table_answered(table, &a));
	assert_false(nexthop_table_update(table, &a, NEXTHOP_UNRESOLVED));
	assert_false(nexthop_table_answered(table, &red));
	assert_true(nexthop_table_update(table, &red, 24));
	nexthop_table_vrf_gone(table, "red");
	assert_false(nexthop_table_answered(table, &red));
	assert_true(nexthop_table_answered(table, &a));
	nexthop_table_disconnected(table);
	assert_false(nexthop_table_answered(table, &a));
	assert_true(nexthop_table_update(table, &a, NEXTHOP_UNRESOLVED));
	nexthop_table_put(table, &a);
	nexthop_table_put(table, &red);
}

/* A prefix is another thing than the address that it begins with. */
static void test_prefixes(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key host = key("default", "10.0.0.0");
	struct cluster_route_key net = host;

	net.wildcard = 24;
	nexthop_table_get(table, &host);
	nexthop_table_get(table, &net);
	assert_int_equal(watches, 2);
	assert_true(nexthop_table_update(table, &net, 8));
	/* By another route: a change as well. */
	assert_true(nexthop_table_update(table, &net, 0));
	assert_int_equal(nexthop_table_matched(table, &net), 0);
	assert_int_equal(nexthop_table_matched(table, &host),
			 NEXTHOP_UNRESOLVED);
	nexthop_table_put(table, &host);
	assert_int_equal(nexthop_table_matched(table, &net), 0);
	nexthop_table_put(table, &net);
}

static void test_reconnect(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key a = key("default", "10.0.0.1");
	struct cluster_route_key red = key("red", "2001:db8::1");

	nexthop_table_get(table, &a);
	nexthop_table_get(table, &red);
	nexthop_table_update(table, &a, 24);
	nexthop_table_disconnected(table);
	watches = 0;
	nexthop_table_resend(table, "red");
	assert_int_equal(watches, 1);
	nexthop_table_resend(table, NULL);
	assert_int_equal(watches, 3);
}

/* zebra says nothing of what was watched in a VRF that goes. */
static void test_vrf_gone(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key a = key("default", "10.0.0.1");
	struct cluster_route_key red = key("red", "10.0.0.1");
	struct cluster_route_key kept = key("red", "10.0.0.2");

	nexthop_table_get(table, &a);
	nexthop_table_get(table, &red);
	nexthop_table_get(table, &kept);
	nexthop_table_update(table, &kept, 24);
	/* What a lost zebra had resolved isn't believed either. */
	nexthop_table_disconnected(table);
	nexthop_table_update(table, &a, 24);
	nexthop_table_update(table, &red, 24);
	nexthop_table_vrf_gone(table, "red");
	assert_int_equal(nexthop_table_matched(table, &a), 24);
	assert_int_equal(nexthop_table_matched(table, &red), NEXTHOP_UNRESOLVED);
	assert_int_equal(nexthop_table_matched(table, &kept),
			 NEXTHOP_UNRESOLVED);
	watches = 0;
	nexthop_table_resend(table, "red");
	assert_int_equal(watches, 2);
	assert_true(nexthop_table_update(table, &red, 24));
}

/* zebra's first answers after its restart come too early to be believed. */
static void test_restarted_zebra(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key back = key("default", "10.0.0.1");
	struct cluster_route_key gone = key("default", "10.0.0.2");
	struct cluster_route_key never = key("default", "10.0.0.3");
	struct cluster_route_key new = key("default", "10.0.0.4");
	struct cluster_route_key unwatched = key("default", "10.0.0.5");

	nexthop_table_get(table, &back);
	nexthop_table_get(table, &gone);
	nexthop_table_get(table, &never);
	nexthop_table_update(table, &back, 24);
	nexthop_table_update(table, &gone, 24);
	nexthop_table_disconnected(table);
	/* Restarted again, before it could settle. */
	nexthop_table_disconnected(table);
	nexthop_table_get(table, &new);

	/* Heard of for the first time, and nothing more. */
	assert_true(nexthop_table_update(table, &back, NEXTHOP_UNRESOLVED));
	assert_true(nexthop_table_update(table, &gone, NEXTHOP_UNRESOLVED));
	assert_false(nexthop_table_update(table, &gone, NEXTHOP_UNRESOLVED));
	assert_int_equal(nexthop_table_matched(table, &back), 24);
	assert_int_equal(nexthop_table_matched(table, &gone), 24);
	assert_int_equal(nexthop_table_heard(table, &back), NEXTHOP_UNRESOLVED);
	assert_int_equal(nexthop_table_matched(table, &never),
			 NEXTHOP_UNRESOLVED);
	assert_int_equal(nexthop_table_matched(table, &new), NEXTHOP_UNRESOLVED);

	/* Resolved anew is zebra's own word: what follows is believed. */
	assert_true(nexthop_table_update(table, &back, 24));
	assert_int_equal(nexthop_table_heard(table, &back), 24);
	assert_int_equal(nexthop_table_heard(table, &unwatched),
			 NEXTHOP_UNRESOLVED);
	assert_true(nexthop_table_update(table, &back, NEXTHOP_UNRESOLVED));
	assert_true(nexthop_table_update(table, &back, 16));

	assert_true(nexthop_table_settled(table));
	assert_int_equal(nexthop_table_matched(table, &back), 16);
	assert_int_equal(nexthop_table_matched(table, &gone),
			 NEXTHOP_UNRESOLVED);
	assert_false(nexthop_table_settled(table));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_counted),  TEST(test_resolution),
		TEST(test_prefixes), TEST(test_reconnect),
		TEST(test_vrf_gone), TEST(test_restarted_zebra),
		TEST(test_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
