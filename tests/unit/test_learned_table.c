// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of routes that BGP has brought. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "core/learned_table.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static unsigned int subscribed, unsubscribed;
static char last_vrf[CLUSTER_VRF_LEN];

static void subscribe(const char *vrf)
{
	subscribed++;
	strlcpy(last_vrf, vrf, sizeof(last_vrf));
}

static void unsubscribe(const char *vrf)
{
	unsubscribed++;
	strlcpy(last_vrf, vrf, sizeof(last_vrf));
}

static const struct learned_table_ops ops = { subscribe, unsubscribe };

static int setup(void **state)
{
	subscribed = unsubscribed = 0;
	*state = learned_table_new(&ops);
	return 0;
}

static int teardown(void **state)
{
	struct learned_table *table = *state;

	learned_table_free(&table);
	assert_null(table);
	learned_table_free(&table);
	return 0;
}

static struct learned_key key(uint32_t i)
{
	struct learned_key k = { .length = 24 };

	SET_IPADDR_V4(&k.addr);
	k.addr.ipaddr_v4.s_addr = htonl(i << 8);
	return k;
}

static bool note(struct learned_table *table, uint32_t i, bool present)
{
	struct learned_key k = key(i);

	return learned_table_note(table, "default", &k, present);
}

static void test_count(void **state)
{
	struct learned_table *table = *state;
	struct learned_key longer = key(1), v6 = { .length = 24 };

	/* Nobody watches. */
	assert_false(note(table, 1, true));
	assert_int_equal(learned_table_count(table, "default"), 0);
	learned_table_put(table, "default");

	learned_table_get(table, "default");
	assert_int_equal(subscribed, 1);
	assert_true(note(table, 1, true));
	/* ADD also comes for updates and replays. */
	assert_false(note(table, 1, true));
	assert_true(note(table, 2, true));
	assert_int_equal(learned_table_count(table, "default"), 2);
	/* Other prefixes, another VRF. */
	longer.length = 25;
	assert_true(learned_table_note(table, "default", &longer, true));
	SET_IPADDR_V6(&v6.addr);
	assert_true(learned_table_note(table, "default", &v6, true));
	assert_false(learned_table_note(table, "red", &v6, true));
	assert_int_equal(learned_table_count(table, "default"), 4);
	assert_int_equal(learned_table_count(table, "red"), 0);

	assert_true(note(table, 1, false));
	assert_false(note(table, 1, false));
	assert_int_equal(learned_table_count(table, "default"), 3);
}

static void test_users(void **state)
{
	struct learned_table *table = *state;

	learned_table_get(table, "red");
	learned_table_get(table, "red");
	learned_table_get(table, "blue");
	assert_int_equal(subscribed, 2);
	assert_true(learned_table_watched(table, "red"));
	assert_false(learned_table_watched(table, "green"));
	learned_table_put(table, "red");
	assert_true(learned_table_watched(table, "red"));
	assert_int_equal(unsubscribed, 0);
	learned_table_put(table, "red");
	assert_int_equal(unsubscribed, 1);
	assert_false(learned_table_watched(table, "red"));
	assert_string_equal(last_vrf, "red");
	/* Only what is watched is asked for when it comes. */
	learned_table_ready(table, "red");
	assert_int_equal(subscribed, 2);
	learned_table_ready(table, "blue");
	assert_int_equal(subscribed, 3);
	assert_string_equal(last_vrf, "blue");
}

static void test_disconnected(void **state)
{
	struct learned_table *table = *state;

	learned_table_get(table, "default");
	note(table, 1, true);
	learned_table_disconnected(table);
	assert_int_equal(learned_table_count(table, "default"), 0);
	learned_table_ready(table, "default");
	assert_true(note(table, 1, true));
	assert_int_equal(learned_table_count(table, "default"), 1);
}

/* zebra takes no route back when a VRF goes: the set must not survive it. */
static void test_vrf_gone(void **state)
{
	struct learned_table *table = *state;
	struct learned_key key = { .addr = addr("192.0.2.0"), .length = 24 };

	learned_table_get(table, "default");
	learned_table_get(table, "red");
	note(table, 1, true);
	assert_true(learned_table_note(table, "red", &key, true));
	learned_table_vrf_gone(table, "green");
	learned_table_vrf_gone(table, "red");
	assert_int_equal(learned_table_count(table, "red"), 0);
	assert_int_equal(learned_table_count(table, "default"), 1);
	/* Back: watched as before, and counted anew. */
	subscribed = 0;
	learned_table_ready(table, "red");
	assert_int_equal(subscribed, 1);
	assert_true(learned_table_note(table, "red", &key, true));
	assert_int_equal(learned_table_count(table, "red"), 1);
}

/* A full table: bounded, and asked for again before the answer is wrong. */
static void test_full_table(void **state)
{
	const uint32_t n = 100000;
	struct learned_table *table = *state;
	unsigned int wishes = 0;
	size_t left = n;

	learned_table_get(table, "default");
	for (uint32_t i = 0; i < n; i++)
		wishes += note(table, i, true);
	assert_int_equal(wishes, LEARNED_ENOUGH);
	assert_int_equal(learned_table_count(table, "default"), LEARNED_MAX);

	/* All go, the kept ones first; zebra tells again when it is asked. */
	for (uint32_t i = 0; i < n; i++) {
		unsigned int before = subscribed;

		left--;
		note(table, i, false);
		if (subscribed != before) {
			assert_int_equal(subscribed, unsubscribed + 1);
			for (uint32_t k = i + 1; k < n; k++)
				note(table, k, true);
		}
		if (left >= LEARNED_ENOUGH)
			assert_true(learned_table_count(table, "default") >=
				    LEARNED_ENOUGH);
		else
			assert_int_equal(learned_table_count(table, "default"),
					 left);
	}
	/* A replay for some thousand routes, not for each. */
	assert_true(subscribed > 1);
	assert_true(subscribed < 1 + n / (LEARNED_MAX - LEARNED_ENOUGH) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_count, setup, teardown),
		cmocka_unit_test_setup_teardown(test_users, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disconnected, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_vrf_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_table, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
