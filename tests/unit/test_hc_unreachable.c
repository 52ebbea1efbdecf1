// SPDX-License-Identifier: GPL-2.0-or-later
/* The hubs that an edge couldn't reach lately. */
#include "config.h"

#include "unit.h"

#include "hubcluster/hc_unreachable.h"

static struct hc_unreachable list;

static struct ctl_id id(unsigned int number)
{
	struct ctl_id made = {};

	made.bytes[15] = (uint8_t)number;
	return made;
}

static void add(unsigned int number, int64_t now_us, int64_t until_us)
{
	struct ctl_id hub = id(number);

	hc_unreachable_add(&list, &hub, now_us, until_us);
}

static bool has(unsigned int number)
{
	struct ctl_id hub = id(number);

	return hc_unreachable_has(&list, &hub);
}

static int setup(void **state)
{
	memset(&list, 0, sizeof(list));
	return 0;
}

static void test_named_once(void **state)
{
	struct ctl_id hub = id(1);

	assert_int_equal(hc_unreachable_due(&list), INT64_MAX);
	add(1, 0, 10);
	add(2, 0, 20);
	/* Again: until then instead, be it sooner or later. */
	add(1, 5, 30);
	assert_int_equal(list.n, 2);
	assert_int_equal(hc_unreachable_due(&list), 20);
	assert_false(hc_unreachable_expire(&list, 19));
	assert_true(hc_unreachable_expire(&list, 20));
	assert_true(has(1) && !has(2));
	hc_unreachable_del(&list, &hub);
	hc_unreachable_del(&list, &hub);
	assert_int_equal(list.n, 0);
}

/* No room: who is over goes first, then who would be over first. */
static void test_full(void **state)
{
	for (unsigned int i = 1; i <= HC_UNREACHABLE_MAX; i++)
		add(i, 0, i == 2 ? 50 : 100 + i);
	add(100, 49, 200);
	assert_int_equal(list.n, HC_UNREACHABLE_MAX);
	assert_true(has(1) && !has(2) && has(100));
	add(3, 60, 90);
	/* It is over by now, and needn't push anybody out. */
	add(101, 90, 200);
	assert_int_equal(list.n, HC_UNREACHABLE_MAX);
	assert_true(has(1) && !has(3) && has(100) && has(101));
	/* Named already: no room is needed. */
	add(1, 91, 300);
	assert_int_equal(list.n, HC_UNREACHABLE_MAX);
	assert_true(has(1) && has(100) && has(101));
	/* Many are over at once. */
	add(102, 250, 400);
	assert_int_equal(list.n, 2);
	assert_true(has(1) && has(102));
}

#define LIST_TEST(test) cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIST_TEST(test_named_once),
		LIST_TEST(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
