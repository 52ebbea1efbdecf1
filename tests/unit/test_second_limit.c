// SPDX-License-Identifier: GPL-2.0-or-later
/* So many a second. */
#include "config.h"

#include "unit.h"

#include "core/second_limit.h"

#define S INT64_C(1000000)

static struct second_limit limit;
static unsigned int missed;

static bool over(int64_t now_us)
{
	return second_limit_over(&limit, 3, now_us, &missed);
}

static void test_limit(void **state)
{
	for (int i = 0; i < 3; i++) {
		assert_false(over(7 * S + i));
		assert_int_equal(missed, 0);
	}
	for (int i = 0; i < 5; i++) {
		assert_true(over(8 * S - 1));
		assert_int_equal(missed, 0);
	}
	/* Another second: as many again, and what was missed is told once. */
	assert_false(over(8 * S));
	assert_int_equal(missed, 5);
	assert_false(over(8 * S));
	assert_int_equal(missed, 0);
	assert_false(over(9 * S - 1));
	assert_true(over(9 * S - 1));
	/* Long after, it is still told. */
	assert_false(over(100 * S));
	assert_int_equal(missed, 1);
	/* Exactly as many as may be are none too many. */
	assert_false(over(100 * S));
	assert_false(over(100 * S));
	assert_false(over(101 * S));
	assert_int_equal(missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
