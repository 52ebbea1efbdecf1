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

	assert_false(nexthop_table_update(table, &a, true));
	nexthop_table_get(table, &a);
	nexthop_table_get(table, &red);
	assert_false(nexthop_table_resolved(table, &a));
	assert_true(nexthop_table_update(table, &a, true));
	assert_false(nexthop_table_update(table, &a, true));
	assert_true(nexthop_table_resolved(table, &a));
	assert_false(nexthop_table_resolved(table, &red));
	assert_true(nexthop_table_update(table, &a, false));
	assert_false(nexthop_table_resolved(table, &a));
	nexthop_table_put(table, &a);
	assert_false(nexthop_table_resolved(table, &a));
}

static void test_reconnect(void **state)
{
	struct nexthop_table *table = *state;
	struct cluster_route_key a = key("default", "10.0.0.1");
	struct cluster_route_key red = key("red", "2001:db8::1");

	nexthop_table_get(table, &a);
	nexthop_table_get(table, &red);
	nexthop_table_update(table, &a, true);
	nexthop_table_disconnected(table);
	assert_false(nexthop_table_resolved(table, &a));
	watches = 0;
	nexthop_table_resend(table, "red");
	assert_int_equal(watches, 1);
	nexthop_table_resend(table, NULL);
	assert_int_equal(watches, 3);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_counted),
		TEST(test_resolution),
		TEST(test_reconnect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
