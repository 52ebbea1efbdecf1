// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether somebody answers: when it is asked, and what silence is. */
#include <zebra.h>

#include "core/silence.h"
#include "unit.h"

#define S_US	INT64_C(1000000)
#define POLL_US (S_US / 4)
#define BEGIN	(100 * S_US)

/* Polls until `until_us`, as the daemon does; how often it asked. */
static unsigned int run_until(struct silence *silence, int64_t *now_us,
			      int64_t until_us)
{
	unsigned int asked = 0;

	for (; *now_us < until_us; *now_us += POLL_US)
		asked += silence_poll(silence, *now_us);
	return asked;
}

/* Every 2 s, each time it has answered. */
static void test_answers(void **state)
{
	struct silence silence = {};
	unsigned int asked = 0;

	for (int64_t now_us = BEGIN; now_us < BEGIN + 60 * S_US;
	     now_us += POLL_US) {
		if (silence_poll(&silence, now_us)) {
			asked++;
			assert_true(silence_asked(&silence));
			assert_true(silence_heard(&silence));
		}
		assert_false(silence_asked(&silence));
		assert_int_equal(silence_us(&silence, now_us), 0);
	}
	assert_int_equal(asked, 30);
	/* Nobody waits for another. */
	assert_false(silence_heard(&silence));
}

/* Not asked again; silent after 10 s, until it answers. */
static void test_silent(void **state)
{
	struct silence silence = {};
	int64_t now_us = BEGIN;

	assert_int_equal(run_until(&silence, &now_us, BEGIN + 10 * S_US), 1);
	assert_int_equal(silence_us(&silence, BEGIN + 10 * S_US - 1), 0);
	assert_int_equal(silence_us(&silence, BEGIN + 10 * S_US), 10 * S_US);
	assert_int_equal(run_until(&silence, &now_us, BEGIN + 60 * S_US), 0);
	assert_int_equal(silence_us(&silence, now_us), 60 * S_US);
	assert_true(silence_heard(&silence));
	assert_int_equal(silence_us(&silence, now_us), 0);
	/* And asked at once: it has been long. */
	assert_true(silence_poll(&silence, now_us));
}

/* We didn't run: that it said nothing meanwhile isn't known. */
static void test_absent(void **state)
{
	struct silence silence = {};
	int64_t now_us = BEGIN;

	assert_int_equal(run_until(&silence, &now_us, BEGIN + S_US), 1);
	now_us += 60 * S_US;
	assert_false(silence_poll(&silence, now_us));
	assert_int_equal(silence_us(&silence, now_us), 0);
	assert_true(silence_asked(&silence));
	/* From now on it counts. */
	assert_int_equal(run_until(&silence, &now_us, now_us + 10 * S_US), 0);
	assert_int_equal(silence_us(&silence, now_us), 10 * S_US);
	/* What was silence before goes on. */
	silence_poll(&silence, now_us);
	now_us += 60 * S_US;
	assert_false(silence_poll(&silence, now_us));
	assert_int_equal(silence_us(&silence, now_us), 70 * S_US);
}

static void test_lost(void **state)
{
	struct silence silence = {};
	int64_t now_us = BEGIN;

	run_until(&silence, &now_us, BEGIN + 20 * S_US);
	assert_true(silence_us(&silence, now_us) > 0);
	silence_lost(&silence);
	assert_int_equal(silence_us(&silence, now_us), 0);
	assert_false(silence_asked(&silence));
	/* The next one is asked at once. */
	assert_true(silence_poll(&silence, now_us));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
