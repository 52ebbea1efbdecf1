// SPDX-License-Identifier: GPL-2.0-or-later
/* The record of changes of states. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "core/events.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static int setup(void **state)
{
	*state = events_new();
	return 0;
}

static int teardown(void **state)
{
	events_free((struct events **)state);
	assert_null(*state);
	events_free((struct events **)state);
	return 0;
}

static void add(struct events *events, enum event_kind kind, unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", i);
	events_add(events,
		   &(struct event_change){ .kind = kind,
					   .name = name,
					   .before = "down",
					   .after = "up" },
		   1000 + i, 2000 + i);
}

static void test_fields(void **state)
{
	struct ipaddr ip = addr("2001:db8::1");
	struct event_change change = { EVENT_MEMBER, "www",  "red",    &ip,
				       "up",	     "down", "refused" };
	const struct event_record *record;

	assert_null(events_next(*state, 0));
	events_add(*state, &change, 5, 7);
	change = (struct event_change){ .kind = EVENT_ZEBRA,
					.name = "zebra",
					.before = "connected",
					.after = "down" };
	events_add(*state, &change, 6, 8);

	record = events_next(*state, 0);
	assert_int_equal(record->number, 1);
	assert_int_equal(record->us, 5);
	assert_int_equal(record->wall, 7);
	assert_int_equal(record->kind, EVENT_MEMBER);
	assert_string_equal(record->name, "www");
	assert_string_equal(record->vrf, "red");
	assert_true(ipaddr_cmp(&record->addr, &ip) == 0);
	assert_string_equal(record->before, "up");
	assert_string_equal(record->after, "down");
	assert_string_equal(record->why, "refused");

	record = events_next(*state, 1);
	assert_int_equal(record->number, 2);
	assert_string_equal(record->name, "zebra");
	assert_string_equal(record->vrf, "");
	assert_true(IS_IPADDR_NONE(&record->addr));
	assert_string_equal(record->why, "");
	assert_null(events_next(*state, 2));
}

/* A record that takes an old one's place has nothing of it. */
static void test_long_texts(void **state)
{
	char name[EVENT_NAME_LEN + 9], vrf[EVENT_VRF_LEN + 9],
		why[EVENT_WHY_LEN + 9];
	struct event_change change = { .kind = EVENT_VIP,
				       .name = name,
				       .vrf = vrf,
				       .before = "",
				       .after = "",
				       .why = why };
	const struct event_record *record;

	memset(name, 'n', sizeof(name));
	memset(vrf, 'v', sizeof(vrf));
	memset(why, 'w', sizeof(why));
	name[sizeof(name) - 1] = vrf[sizeof(vrf) - 1] = why[sizeof(why) - 1] =
		'\0';
	events_add(*state, &change, 1, 1);
	record = events_next(*state, 0);
	assert_int_equal(strlen(record->name), EVENT_NAME_LEN - 1);
	assert_int_equal(strlen(record->vrf), EVENT_VRF_LEN - 1);
	assert_int_equal(strlen(record->why), EVENT_WHY_LEN - 1);
	for (unsigned int i = 0; i < EVENTS_MAX; i++)
		add(*state, EVENT_VIP, i);
	for (record = events_next(*state, 0); record;
	     record = events_next(*state, record->number))
		assert_string_equal(record->why, "");
}

/* Only the last of each kind are kept; in order, whatever is asked for. */
static void test_ring(void **state)
{
	const struct event_record *record;
	unsigned int n = 3 * EVENTS_MAX + 7, seen = 0;

	add(*state, EVENT_ZEBRA, 0);
	for (unsigned int i = 1; i <= n; i++) {
		add(*state, EVENT_PROBE, i);
		assert_int_equal(events_total(*state, EVENT_PROBE), i);
		/* The cause outlives the flood. */
		record = events_next(*state, 0);
		assert_int_equal(record->kind, EVENT_ZEBRA);
		record = events_next(*state, 1);
		assert_int_equal(record->number,
				 i <= EVENTS_MAX ? 2 : i + 2 - EVENTS_MAX);
	}
	for (record = events_next(*state, 1); record;
	     record = events_next(*state, record->number), seen++) {
		assert_int_equal(record->number, n + 2 - EVENTS_MAX + seen);
		assert_int_equal(atoi(record->name), record->number - 1);
	}
	assert_int_equal(seen, EVENTS_MAX);
}

/* Kinds that take turns come back in the order of their numbers. */
static void test_merge(void **state)
{
	const struct event_record *record;
	uint64_t last = 0;
	unsigned int seen = 0;

	for (unsigned int i = 0; i < EVENTS_MAX * EVENT_KIND_MAX; i++)
		add(*state, i * 7 % EVENT_KIND_MAX, i);
	for (record = events_next(*state, 0); record;
	     record = events_next(*state, last), seen++) {
		assert_int_equal(record->number, last + 1);
		last = record->number;
	}
	assert_int_equal(seen, EVENTS_MAX * EVENT_KIND_MAX);
}

static void test_count(void **state)
{
	events_count(*state, EVENT_ADDRESS);
	add(*state, EVENT_ADDRESS, 1);
	events_count(*state, EVENT_ADDRESS);
	assert_int_equal(events_total(*state, EVENT_ADDRESS), 3);
	assert_int_equal(events_total(*state, EVENT_VIP), 0);
	assert_int_equal(events_next(*state, 0)->number, 1);
	assert_null(events_next(*state, 1));
}

static void test_names(void **state)
{
	for (enum event_kind i = 0; i < EVENT_KIND_MAX; i++) {
		assert_non_null(event_kind_name(i));
		for (enum event_kind j = 0; j < i; j++)
			assert_string_not_equal(event_kind_name(i),
						event_kind_name(j));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_texts, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_count, setup, teardown),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
