// SPDX-License-Identifier: GPL-2.0-or-later
/* A held connection: every event in every state, and random lives. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "probe/probe_hold.h"
#include "unit.h"

#define MS	INT64_C(1000)
#define S	INT64_C(1000000)
#define T0	(1000 * S)
#define TIMEOUT (300 * MS)

#define CONNECT PROBE_HOLD_DO_CONNECT
#define CLOSE	PROBE_HOLD_DO_CLOSE
#define CHECK	PROBE_HOLD_DO_CHECK

static const struct {
	const char *name;
	enum probe_hold_event event;
} events[] = {
	{ "passed", PROBE_HOLD_PASSED },       { "down", PROBE_HOLD_DOWN },
	{ "connected", PROBE_HOLD_CONNECTED }, { "lost", PROBE_HOLD_LOST },
	{ "local", PROBE_HOLD_LOCAL },	       { "timer", PROBE_HOLD_TIMER },
	{ "stop", PROBE_HOLD_STOP },
};

static unsigned int at(struct probe_hold *hold, enum probe_hold_event event,
		       int64_t now)
{
	return probe_hold_event(hold, event, now, TIMEOUT);
}

/* Into that state at T0, by the shortest way. */
static void bring(struct probe_hold *hold, enum probe_hold_state state)
{
	memset(hold, 0, sizeof(*hold));
	if (state == PROBE_HOLD_IDLE)
		return;
	assert_int_equal(at(hold, PROBE_HOLD_PASSED, T0), CONNECT);
	if (state == PROBE_HOLD_CONNECTING)
		return;
	assert_int_equal(at(hold, PROBE_HOLD_CONNECTED, T0), 0);
	if (state == PROBE_HOLD_HELD)
		return;
	assert_int_equal(at(hold, PROBE_HOLD_LOST, T0), CLOSE);
}

/* The whole table: [state][event] -> state and what is to be done. */
static void test_table(void **state)
{
	enum { I = PROBE_HOLD_IDLE, C = PROBE_HOLD_CONNECTING };
	enum { H = PROBE_HOLD_HELD, X = PROBE_HOLD_SUSPECT };
	/* clang-format off */
	static const struct {
		enum probe_hold_state state;
		unsigned int todo;
	} table[PROBE_HOLD_STATES][PROBE_HOLD_EVENTS] = {
		/*	PASSED	      DOWN	  CONNECTED  LOST	 LOCAL	     TIMER	 STOP */
		[I] = { { C, CONNECT }, { I, 0 },     { I, 0 },  { I, 0 },	 { I, 0 },     { I, 0 },	 { I, 0 } },
		[C] = { { C, 0 },       { I, CLOSE }, { H, 0 },  { X, CLOSE }, { I, CLOSE }, { X, CLOSE }, { I, CLOSE } },
		[H] = { { H, 0 },       { I, CLOSE }, { H, 0 },  { X, CLOSE }, { H, 0 },     { H, 0 },	 { I, CLOSE } },
		[X] = { { X, 0 },       { X, 0 },     { X, 0 },  { X, 0 },	 { X, 0 },     { I, CHECK }, { I, 0 } },
	};
	/* clang-format on */
	struct probe_hold hold;

	(void)state;
	for (int s = 0; s < PROBE_HOLD_STATES; s++) {
		for (size_t e = 0; e < PROBE_HOLD_EVENTS; e++) {
			unsigned int todo;

			assert_int_equal(events[e].event, e);
			bring(&hold, s);
			assert_int_equal(hold.state, s);
			todo = at(&hold, events[e].event, T0 + S);
			if (todo != table[s][e].todo ||
			    hold.state != table[s][e].state)
				fail_msg("%s in state %d: todo %u, state %d",
					 events[e].name, s, todo, hold.state);
		}
	}
	assert_int_equal(array_size(events), PROBE_HOLD_EVENTS);
	hold.state = PROBE_HOLD_STATES;
	assert_int_equal(at(&hold, PROBE_HOLD_PASSED, T0), 0);
}

/* A timer that comes too early does nothing. */
static void test_early_timer(void **state)
{
	struct probe_hold hold;

	(void)state;
	bring(&hold, PROBE_HOLD_CONNECTING);
	assert_int_equal(hold.at_us, T0 + TIMEOUT);
	assert_int_equal(at(&hold, PROBE_HOLD_TIMER, T0 + TIMEOUT - 1), 0);
	assert_int_equal(hold.state, PROBE_HOLD_CONNECTING);
	assert_int_equal(at(&hold, PROBE_HOLD_TIMER, T0 + TIMEOUT), CLOSE);
	assert_int_equal(hold.failed, 1);
	assert_int_equal(hold.at_us, T0 + TIMEOUT + PROBE_HOLD_GRACE_US);
	assert_int_equal(at(&hold, PROBE_HOLD_TIMER, T0 + TIMEOUT), 0);
	assert_int_equal(hold.state, PROBE_HOLD_SUSPECT);
}

/* One that lasted is opened again by the check that its end asked for. */
static void test_polite_close(void **state)
{
	struct probe_hold hold;
	int64_t now = T0;

	(void)state;
	bring(&hold, PROBE_HOLD_HELD);
	for (int i = 1; i <= 100; i++) {
		now += PROBE_HOLD_STEADY_US;
		assert_int_equal(at(&hold, PROBE_HOLD_LOST, now), CLOSE);
		assert_int_equal(hold.lost, i);
		assert_int_equal(hold.backoff_us, 0);
		/* This check was under way when the connection ended. */
		assert_int_equal(at(&hold, PROBE_HOLD_PASSED, now + 1), 0);
		now += PROBE_HOLD_GRACE_US;
		assert_int_equal(at(&hold, PROBE_HOLD_TIMER, now), CHECK);
		assert_int_equal(hold.at_us, 0);
		assert_int_equal(at(&hold, PROBE_HOLD_PASSED, now), CONNECT);
		assert_int_equal(at(&hold, PROBE_HOLD_CONNECTED, now), 0);
	}
	assert_int_equal(hold.connections, 101);
	assert_int_equal(hold.failed, 0);
}

/* One that ends at once is opened ever less often. */
static void test_back_off(void **state)
{
	static const int64_t expected[] = { 1, 2, 4, 8, 16, 32, 60, 60, 60 };
	struct probe_hold hold;
	int64_t now = T0;

	(void)state;
	bring(&hold, PROBE_HOLD_HELD);
	for (size_t i = 0; i < array_size(expected); i++) {
		at(&hold, PROBE_HOLD_LOST, now);
		now += PROBE_HOLD_GRACE_US;
		assert_int_equal(at(&hold, PROBE_HOLD_TIMER, now), CHECK);
		assert_int_equal(hold.backoff_us, expected[i] * S);
		assert_int_equal(hold.at_us, now + expected[i] * S);
		assert_int_equal(probe_hold_backoff_us(&hold, now),
				 expected[i] * S);
		assert_int_equal(at(&hold, PROBE_HOLD_PASSED, now), 0);
		assert_int_equal(at(&hold, PROBE_HOLD_TIMER, now + S / 2), 0);
		now += expected[i] * S;
		assert_int_equal(probe_hold_backoff_us(&hold, now), 0);
		assert_int_equal(at(&hold, PROBE_HOLD_TIMER, now), CONNECT);
		assert_int_equal(at(&hold, PROBE_HOLD_CONNECTED, now), 0);
	}
	assert_int_equal(probe_hold_backoff_us(&hold, now), 0);
	/* It lasts again. */
	at(&hold, PROBE_HOLD_LOST, now + PROBE_HOLD_STEADY_US);
	assert_int_equal(hold.backoff_us, 0);
}

/* It has died: no back-off, but only a passed check opens another. */
static void test_back_off_of_a_dead_service(void **state)
{
	struct probe_hold hold;

	(void)state;
	bring(&hold, PROBE_HOLD_SUSPECT);
	assert_int_equal(at(&hold, PROBE_HOLD_TIMER, T0 + S), CHECK);
	assert_int_equal(hold.at_us, T0 + S + PROBE_HOLD_BACKOFF_MIN_US);
	at(&hold, PROBE_HOLD_PASSED, T0 + S);
	assert_int_equal(at(&hold, PROBE_HOLD_DOWN, T0 + S), 0);
	assert_int_equal(hold.at_us, 0);
	assert_int_equal(at(&hold, PROBE_HOLD_TIMER, T0 + 3 * S), 0);
	assert_int_equal(at(&hold, PROBE_HOLD_PASSED, T0 + 3 * S), CONNECT);
	/* Down before the check that the end has asked for. */
	bring(&hold, PROBE_HOLD_SUSPECT);
	assert_int_equal(at(&hold, PROBE_HOLD_DOWN, T0), 0);
	assert_int_equal(at(&hold, PROBE_HOLD_TIMER, T0 + S), CHECK);
	assert_int_equal(hold.at_us, 0);
}

/* Descriptors may be used up: no check is asked for. */
static void test_local(void **state)
{
	struct probe_hold hold;

	(void)state;
	bring(&hold, PROBE_HOLD_CONNECTING);
	assert_int_equal(at(&hold, PROBE_HOLD_LOCAL, T0), CLOSE);
	assert_int_equal(hold.failed, 1);
	assert_int_equal(hold.at_us, T0 + PROBE_HOLD_BACKOFF_MIN_US);
	assert_int_equal(at(&hold, PROBE_HOLD_STOP, T0), 0);
	assert_int_equal(hold.backoff_us, 0);
	assert_int_equal(hold.at_us, 0);
}

/*
 * Whatever comes: connections alternate with their ends, a check is asked for
 * once an end, and in any time there are few.
 */
static void test_random(void **state)
{
	struct probe_hold hold = {};
	bool open = false;
	uint64_t checks = 0, connects = 0, ends = 0;
	int64_t now = T0;

	(void)state;
	srandom(7);
	for (int i = 0; i < 1000000; i++) {
		enum probe_hold_event event = random() % PROBE_HOLD_STOP;
		unsigned int todo = at(&hold, event, now);

		now += random() % (10 * MS);
		if (todo & CLOSE) {
			assert_true(open);
			open = false;
			ends++;
		}
		if (todo & CONNECT) {
			assert_false(open);
			open = true;
			connects++;
		}
		checks += !!(todo & CHECK);
		assert_int_equal(open, hold.state == PROBE_HOLD_CONNECTING ||
					       hold.state == PROBE_HOLD_HELD);
		assert_true(checks <= ends);
		assert_between(hold.backoff_us, 0, PROBE_HOLD_BACKOFF_MAX_US);
	}
	assert_true(connects > 1000);
	assert_between(checks, 1000, connects);
	assert_true(hold.lost && hold.failed && hold.connections);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(probe_hold_state_str(PROBE_HOLD_IDLE), "idle");
	assert_string_equal(probe_hold_state_str(PROBE_HOLD_SUSPECT), "idle");
	assert_string_equal(probe_hold_state_str(PROBE_HOLD_CONNECTING),
			    "connecting");
	assert_string_equal(probe_hold_state_str(PROBE_HOLD_HELD), "held");
	assert_string_equal(probe_hold_state_str(PROBE_HOLD_STATES), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_early_timer),
		cmocka_unit_test(test_polite_close),
		cmocka_unit_test(test_back_off),
		cmocka_unit_test(test_back_off_of_a_dead_service),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
