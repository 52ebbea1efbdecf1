// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rise/fall against a naive model that looks back over all results, for every
 * rise and fall of 1..5 and every sequence of results.
 */
#include "config.h"

#include <string.h>

#include "probe/probe_window.h"
#include "unit.h"

#define LENGTH 12

struct model {
	bool up, settled;
	bool history[LENGTH];
	int n;
};

/* The last `count` results are all `passed`. */
static bool model_last(const struct model *model, int count, bool passed)
{
	if (model->n < count)
		return false;
	for (int i = model->n - count; i < model->n; i++)
		if (model->history[i] != passed)
			return false;
	return true;
}

static enum probe_window_action model_result(struct model *model, bool passed,
					     int rise, int fall)
{
	bool was_up = model->up, was_settled = model->settled;

	model->history[model->n++] = passed;
	if (model_last(model, rise, true))
		model->up = model->settled = true;
	if (model_last(model, fall, false)) {
		model->up = false;
		model->settled = true;
	}
	if (model->up != was_up)
		return model->up ? PROBE_WINDOW_WENT_UP : PROBE_WINDOW_WENT_DOWN;
	return model->settled && !was_settled ? PROBE_WINDOW_CONFIRMED
					      : PROBE_WINDOW_NONE;
}

static uint32_t model_streak(const struct model *model)
{
	uint32_t streak = 0;

	for (int i = model->n - 1; i >= 0; i--, streak++)
		if (model->history[i] != model->history[model->n - 1])
			break;
	return streak;
}

static bool seen[PROBE_WINDOW_STATES][2];

static void compare(const struct probe_window *window, const struct model *model)
{
	bool fast = model->n && model->history[model->n - 1] != model->up;

	assert_int_equal(probe_window_up(window), model->up);
	assert_int_equal(window->settled, model->settled);
	assert_int_equal(window->streak, model_streak(model));
	assert_int_equal(probe_window_fast(window), fast);
	if (model->n)
		assert_int_equal(window->last_passed,
				 model->history[model->n - 1]);
}

/* `restart_at`: the check changes before that result; < 0: never. */
static void sequence(unsigned int bits, int length, int rise, int fall,
		     bool start_up, int restart_at)
{
	struct probe_window window;
	struct model model = { .up = start_up };
	enum probe_window_action action, expected;

	probe_window_start(&window, start_up);
	compare(&window, &model);
	for (int i = 0; i < length; i++) {
		bool passed = bits >> i & 1;

		if (i == restart_at) {
			probe_window_restart(&window);
			model.n = 0;
			compare(&window, &model);
		}
		seen[window.state][passed] = true;
		expected = model_result(&model, passed, rise, fall);
		action = probe_window_result(&window, passed, rise, fall);
		assert_int_equal(action, expected);
		compare(&window, &model);
	}
}

static void test_every_sequence(void **state)
{
	(void)state;
	for (int rise = 1; rise <= 5; rise++)
		for (int fall = 1; fall <= 5; fall++)
			for (unsigned int bits = 0; bits < 1U << LENGTH; bits++)
				for (int up = 0; up <= 1; up++)
					sequence(bits, LENGTH, rise, fall, up,
						 -1);
	for (int i = 0; i < PROBE_WINDOW_STATES; i++) {
		assert_true(seen[i][0]);
		assert_true(seen[i][1]);
	}
}

static void test_restart_anywhere(void **state)
{
	(void)state;
	for (int rise = 1; rise <= 3; rise++)
		for (int fall = 1; fall <= 3; fall++)
			for (unsigned int bits = 0; bits < 1U << 8; bits++)
				for (int at = 0; at < 8; at++) {
					sequence(bits, 8, rise, fall, true, at);
					sequence(bits, 8, rise, fall, false, at);
				}
}

/* Thresholds come with the result: a change alone moves nothing. */
static void test_thresholds_change(void **state)
{
	struct probe_window window;

	(void)state;
	probe_window_start(&window, true);
	for (int i = 0; i < 4; i++)
		assert_int_equal(probe_window_result(&window, false, 2, 5),
				 PROBE_WINDOW_NONE);
	assert_true(probe_window_up(&window));
	assert_int_equal(window.state, PROBE_WINDOW_FALLING);
	assert_int_equal(probe_window_result(&window, false, 2, 2),
			 PROBE_WINDOW_WENT_DOWN);
	assert_int_equal(probe_window_result(&window, true, 2, 2),
			 PROBE_WINDOW_NONE);
	assert_int_equal(window.state, PROBE_WINDOW_RISING);
	assert_int_equal(probe_window_result(&window, true, 1, 2),
			 PROBE_WINDOW_WENT_UP);
}

static void test_largest_thresholds(void **state)
{
	struct probe_window window;

	(void)state;
	probe_window_start(&window, false);
	for (int i = 1; i < 255; i++)
		assert_int_equal(probe_window_result(&window, true, 255, 255),
				 PROBE_WINDOW_NONE);
	assert_int_equal(probe_window_result(&window, true, 255, 255),
			 PROBE_WINDOW_WENT_UP);
	for (int i = 1; i < 255; i++)
		assert_int_equal(probe_window_result(&window, false, 255, 255),
				 PROBE_WINDOW_NONE);
	assert_int_equal(probe_window_result(&window, false, 255, 255),
			 PROBE_WINDOW_WENT_DOWN);
}

static void test_streak_saturates(void **state)
{
	struct probe_window window;

	(void)state;
	probe_window_start(&window, false);
	probe_window_result(&window, true, 1, 1);
	window.streak = UINT32_MAX;
	assert_int_equal(probe_window_result(&window, true, 2, 2),
			 PROBE_WINDOW_NONE);
	assert_int_equal(window.streak, UINT32_MAX);
	assert_true(probe_window_up(&window));
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(probe_window_state_str(PROBE_WINDOW_DOWN), "down");
	assert_string_equal(probe_window_state_str(PROBE_WINDOW_RISING),
			    "rising");
	assert_string_equal(probe_window_state_str(PROBE_WINDOW_UP), "up");
	assert_string_equal(probe_window_state_str(PROBE_WINDOW_FALLING),
			    "falling");
	assert_string_equal(probe_window_state_str(PROBE_WINDOW_STATES), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_sequence),
		cmocka_unit_test(test_restart_anywhere),
		cmocka_unit_test(test_thresholds_change),
		cmocka_unit_test(test_largest_thresholds),
		cmocka_unit_test(test_streak_saturates),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
