// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damping and slow start: every rule, and what holds for any history.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "vip/vip_damping.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define S     INT64_C(1000000)
#define START (1000 * S)

static const struct vip_damping_config defaults = VIP_DAMPING_DEFAULTS;

/* Steps, twice: the second time nothing may change. */
static bool step(struct vip_damping *damping,
		 const struct vip_damping_config *config,
		 enum vip_health health, int64_t now_us)
{
	struct vip_damping once;
	bool allowed = vip_damping_step(damping, config, health, now_us);

	once = *damping;
	assert_int_equal(vip_damping_step(damping, config, health, now_us),
			 allowed);
	assert_memory_equal(&once, damping, sizeof(once));
	assert_int_equal(damping->allowed && health != VIP_HEALTH_WAITS &&
				 health != VIP_HEALTH_AWAY,
			 allowed);
	return allowed;
}

static void assert_held(const struct vip_damping *damping,
			const struct vip_damping_config *config, int64_t now_us,
			enum vip_held held, int64_t until_us)
{
	int64_t until = 42;

	assert_int_equal(vip_damping_held(damping, config, now_us, &until),
			 held);
	assert_true(until == until_us);
}

/* The first time nothing holds it, and going down is never delayed. */
static void test_first(void **state)
{
	struct vip_damping damping = {};

	assert_false(step(&damping, &defaults, VIP_HEALTH_DOWN, START));
	assert_true(step(&damping, &defaults, VIP_HEALTH_UP, START));
	assert_held(&damping, &defaults, START, VIP_HELD_NOT, 0);
	assert_false(step(&damping, &defaults, VIP_HEALTH_DOWN, START));
	assert_int_equal(vip_damping_penalty(&damping, &defaults, START), 1000);
	assert_held(&damping, &defaults, START, VIP_HELD_NOT, 0);
}

static void test_flip(void **state)
{
	struct vip_damping damping = {};

	step(&damping, &defaults, VIP_HEALTH_UP, START);
	step(&damping, &defaults, VIP_HEALTH_DOWN, START + S);
	assert_false(step(&damping, &defaults, VIP_HEALTH_UP, START + 2 * S));
	assert_held(&damping, &defaults, START + 2 * S, VIP_HELD_FLIP,
		    START + 6 * S);
	assert_false(
		step(&damping, &defaults, VIP_HEALTH_UP, START + 6 * S - 1));
	assert_true(step(&damping, &defaults, VIP_HEALTH_UP, START + 6 * S));
}

static void test_hold_down(void **state)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {};

	config.hold_down_us = 10 * S;
	assert_false(step(&damping, &config, VIP_HEALTH_UP, START));
	assert_held(&damping, &config, START, VIP_HELD_HOLD_DOWN,
		    START + 10 * S);
	/* A failure in between: from the beginning. */
	step(&damping, &config, VIP_HEALTH_DOWN, START + 9 * S);
	step(&damping, &config, VIP_HEALTH_UP, START + 10 * S);
	/* What is longer gives the time, what comes first the reason. */
	assert_held(&damping, &config, START + 10 * S, VIP_HELD_FLIP,
		    START + 20 * S);
	assert_held(&damping, &config, START + 15 * S, VIP_HELD_HOLD_DOWN,
		    START + 20 * S);
	assert_false(step(&damping, &config, VIP_HEALTH_UP, START + 20 * S - 1));
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START + 20 * S));
}

/* Three quick flaps are too many; the time that the formula says. */
static void test_suppressed(void **state)
{
	struct vip_damping damping = {};
	int64_t now_us = START, until_us;

	for (int i = 0; i < 3; i++) {
		step(&damping, &defaults, VIP_HEALTH_UP, now_us);
		step(&damping, &defaults, VIP_HEALTH_DOWN, now_us);
	}
	assert_int_equal(vip_damping_penalty(&damping, &defaults, now_us), 3000);
	step(&damping, &defaults, VIP_HEALTH_UP, now_us);
	/* 3000 -> 750: two half-lives. */
	until_us = START + 120 * S + 1;
	assert_held(&damping, &defaults, now_us, VIP_HELD_FLAPPING, until_us);
	assert_int_equal(vip_damping_penalty(&damping, &defaults,
					     START + 60 * S),
			 1500);
	assert_false(step(&damping, &defaults, VIP_HEALTH_UP, until_us - 1));
	assert_true(step(&damping, &defaults, VIP_HEALTH_UP, until_us));
	/* Once more is not too much at once. */
	step(&damping, &defaults, VIP_HEALTH_DOWN, until_us);
	step(&damping, &defaults, VIP_HEALTH_UP, until_us);
	assert_held(&damping, &defaults, until_us, VIP_HELD_FLIP,
		    until_us + 5 * S);
}

/* What never stops is held for at most max_us when it does. */
static void test_ceiling(void **state)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {};
	int64_t now_us = START, until_us;

	for (int i = 0; i < 1000; i++) {
		step(&damping, &defaults, VIP_HEALTH_UP, now_us);
		step(&damping, &defaults, VIP_HEALTH_DOWN, now_us);
		now_us += S / 10;
	}
	step(&damping, &defaults, VIP_HEALTH_UP, now_us);
	vip_damping_held(&damping, &defaults, now_us, &until_us);
	assert_true(until_us - damping.down_us <= 300 * S + 2);
	assert_true(until_us - damping.down_us >= 299 * S);
	/* Also if that is shorter than it was. */
	config.max_us = 60 * S;
	vip_damping_held(&damping, &config, now_us, &until_us);
	assert_true(until_us - damping.down_us <= 60 * S + 2);
	assert_int_equal(vip_damping_penalty(&damping, &config, damping.down_us),
			 2 * config.reuse);
}

/* Configuration and zebra don't make flaps, and don't wait. */
static void test_off(void **state)
{
	struct vip_damping damping = {};

	for (int i = 0; i < 10; i++) {
		assert_true(step(&damping, &defaults, VIP_HEALTH_UP, START));
		assert_false(step(&damping, &defaults, VIP_HEALTH_OFF, START));
		/* As after zebra's return: members aren't resolved yet. */
		assert_false(step(&damping, &defaults, VIP_HEALTH_DOWN, START));
	}
	assert_true(step(&damping, &defaults, VIP_HEALTH_UP, START));
	assert_int_equal(vip_damping_penalty(&damping, &defaults, START), 0);
}

/* Nothing is known for a while: not announced, and as if nothing had been. */
static void nothing_known(enum vip_health health, bool down_is_flap)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {};
	int64_t next_us;

	config.slow_start_us = 9 * S;
	config.hold_down_us = 2 * S;
	/* Not allowed before, and not by it. */
	assert_false(step(&damping, &config, health, START));
	assert_false(step(&damping, &config, VIP_HEALTH_UP, START));
	assert_held(&damping, &config, START, VIP_HELD_HOLD_DOWN, START + 2 * S);
	/* The time for which it is healthy goes on. */
	assert_false(step(&damping, &config, health, START + S));
	assert_held(&damping, &config, START + S, VIP_HELD_NOT, 0);
	assert_false(step(&damping, &config, VIP_HEALTH_UP, START + 2 * S - 1));
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START + 2 * S));
	assert_false(step(&damping, &config, health, START + 3 * S));
	assert_held(&damping, &config, START + 3 * S, VIP_HELD_NOT, 0);
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START + 60 * S));
	assert_int_equal(vip_damping_ramp(&damping, &config, START + 60 * S,
					  &next_us),
			 10);

	/* The growing weight goes on. */
	step(&damping, &config, VIP_HEALTH_DOWN, START + 60 * S);
	step(&damping, &config, VIP_HEALTH_UP, START + 61 * S);
	step(&damping, &config, VIP_HEALTH_UP, START + 65 * S);
	step(&damping, &config, health, START + 66 * S);
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START + 70 * S));
	assert_int_equal(vip_damping_ramp(&damping, &config, START + 70 * S,
					  &next_us),
			 6);

	step(&damping, &config, health, START + 80 * S);
	assert_false(step(&damping, &config, VIP_HEALTH_DOWN, START + 80 * S));
	assert_true(damping.down_us == START + (down_is_flap ? 80 : 60) * S);
	/* Nothing new was known in between: that is no second one. */
	step(&damping, &config, health, START + 81 * S);
	step(&damping, &config, VIP_HEALTH_DOWN, START + 82 * S);
	assert_true(damping.down_us == START + (down_is_flap ? 80 : 60) * S);
	/* Before it was allowed: healthy from the beginning after a failure. */
	step(&damping, &config, health, START + 83 * S);
	assert_false(step(&damping, &config, VIP_HEALTH_UP, START + 100 * S));
	assert_held(&damping, &config, START + 100 * S, VIP_HELD_HOLD_DOWN,
		    START + 102 * S);
}

/* For the kernel: what fails meanwhile has failed. */
static void test_waits(void **state)
{
	nothing_known(VIP_HEALTH_WAITS, true);
}

/* After zebra's return what isn't resolved is no flap. */
static void test_away(void **state)
{
	nothing_known(VIP_HEALTH_AWAY, false);
}

/* Switched off, cleared, or made milder while it is held back. */
static void test_let_go(void **state)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {}, copy;

	for (int i = 0; i < 5; i++) {
		step(&damping, &config, VIP_HEALTH_UP, START);
		step(&damping, &config, VIP_HEALTH_DOWN, START);
	}
	step(&damping, &config, VIP_HEALTH_UP, START);
	copy = damping;

	config.off = true;
	config.flip_us = 0;
	assert_int_equal(vip_damping_penalty(&damping, &config, START), 0);
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START));

	config = defaults;
	damping = copy;
	vip_damping_clear(&damping);
	assert_held(&damping, &config, START, VIP_HELD_NOT, 0);
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START));

	damping = copy;
	config.reuse = 6000; /* more than suppress counts as that */
	assert_held(&damping, &config, START, VIP_HELD_FLAPPING,
		    START + (int64_t)ceil(log2(5000. / 3000) * 60 * S) + 1);
}

/* No penalties: flaps aren't counted while they are off. */
static void test_penalties_off(void **state)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {};

	config.off = true;
	for (int i = 0; i < 20; i++) {
		step(&damping, &config, VIP_HEALTH_UP, START);
		step(&damping, &config, VIP_HEALTH_DOWN, START);
	}
	step(&damping, &config, VIP_HEALTH_UP, START);
	assert_held(&damping, &config, START, VIP_HELD_FLIP, START + 5 * S);
	assert_true(step(&damping, &config, VIP_HEALTH_UP, START + 5 * S));
}

static void test_slow_start(void **state)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {};
	int64_t now_us = START, next_us;

	config.slow_start_us = 9 * S;
	/* Not the first time: a start of clusterd is no recovery. */
	step(&damping, &config, VIP_HEALTH_UP, now_us);
	assert_int_equal(vip_damping_ramp(&damping, &config, now_us, &next_us),
			 10);
	assert_true(next_us == 0);

	step(&damping, &config, VIP_HEALTH_DOWN, now_us);
	assert_int_equal(vip_damping_ramp(&damping, &config, now_us, &next_us),
			 10);
	now_us += 5 * S;
	step(&damping, &config, VIP_HEALTH_UP, now_us);
	for (unsigned int i = 1; i < 10; i++) {
		assert_int_equal(vip_damping_ramp(&damping, &config, now_us,
						  &next_us),
				 i);
		assert_true(next_us == now_us + S);
		assert_int_equal(vip_damping_ramp(&damping, &config,
						  next_us - 1, &next_us),
				 i);
		now_us = next_us;
	}
	assert_int_equal(vip_damping_ramp(&damping, &config, now_us, &next_us),
			 10);
	assert_true(next_us == 0);
	/* Switched off in between. */
	config.slow_start_us = 0;
	assert_int_equal(vip_damping_ramp(&damping, &config, now_us - S,
					  &next_us),
			 10);
}

/* Up and down every 2 s for 5 minutes (case 23). */
static void test_large_flap(void **state)
{
	struct vip_damping damping = {};
	unsigned int ups = 0;
	int64_t now_us = START, until_us;
	bool before = false;

	for (int second = 0; second < 300; second++, now_us += S) {
		bool allowed = step(&damping, &defaults,
				    second / 2 % 2 ? VIP_HEALTH_DOWN
						   : VIP_HEALTH_UP,
				    now_us);

		ups += allowed && !before;
		before = allowed;
	}
	print_message("300 s of a flap every 4 s: announced %u times\n", ups);
	assert_true(ups >= 1 && ups <= 3);
	/* It recovers, and comes back by itself. */
	step(&damping, &defaults, VIP_HEALTH_UP, now_us);
	assert_int_equal(vip_damping_held(&damping, &defaults, now_us,
					  &until_us),
			 VIP_HELD_FLAPPING);
	assert_true(until_us <= now_us + 300 * S);
	assert_true(step(&damping, &defaults, VIP_HEALTH_UP, until_us));
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

/* A second way to know the penalty: all flaps, each on its own. */
struct flaps {
	int64_t at_us[4096];
	size_t n;
};

static double naive_penalty(const struct flaps *flaps, int64_t now_us)
{
	double penalty = 0;

	for (size_t i = 0; i < flaps->n; i++)
		penalty += 1000 *
			   exp2(-(double)(now_us - flaps->at_us[i]) / (60 * S));
	return penalty;
}

/* What doesn't fit into the number shown: the largest flaps, for hours. */
static void test_penalty_shown(void **state)
{
	struct vip_damping_config config = defaults;
	struct vip_damping damping = {};
	int64_t now_us = START;

	config.penalty = 1000000;
	config.half_life_us = 3600 * S;
	config.reuse = config.suppress = 1000000;
	config.max_us = 36000 * S;
	for (int i = 0; i < 5000; i++) {
		vip_damping_step(&damping, &config, VIP_HEALTH_UP, ++now_us);
		vip_damping_step(&damping, &config, VIP_HEALTH_DOWN, ++now_us);
	}
	assert_int_equal(vip_damping_penalty(&damping, &config, now_us),
			 1024000000);
	config.max_us = INT64_C(360000) * S;
	for (int i = 0; i < 5000; i++) {
		vip_damping_step(&damping, &config, VIP_HEALTH_UP, ++now_us);
		vip_damping_step(&damping, &config, VIP_HEALTH_DOWN, ++now_us);
	}
	assert_int_equal(vip_damping_penalty(&damping, &config, now_us),
			 UINT32_MAX);
}

/*
 * Any history: never up when it isn't healthy; up within a bounded time when
 * it is; two ups are as far apart as the flip interval says; nothing but the
 * rules keeps it down.
 */
static void test_random(void **state)
{
	unsigned int n_held = 0, n_suppressed = 0;

	for (uint32_t round = 1; round <= 300; round++) {
		static struct flaps flaps;
		struct vip_damping damping = {};
		enum vip_health health = VIP_HEALTH_OFF, before;
		int64_t now_us = START, down_us = 0, until_us;
		bool was_allowed = false;

		seed = round * 2654435761u;
		flaps.n = 0;
		for (int i = 0; i < 200; i++) {
			enum vip_held held;
			bool allowed;

			now_us += random_below(12) * S;
			before = health;
			health = random_below(8) ? 1 + random_below(2)
						 : VIP_HEALTH_OFF;
			if (before == VIP_HEALTH_UP &&
			    health == VIP_HEALTH_DOWN) {
				flaps.at_us[flaps.n++] = now_us;
				down_us = now_us;
			}
			allowed = step(&damping, &defaults, health, now_us);
			held = vip_damping_held(&damping, &defaults, now_us,
						&until_us);
			assert_true(!allowed || health == VIP_HEALTH_UP);
			assert_int_equal(held != VIP_HELD_NOT,
					 health == VIP_HEALTH_UP && !allowed);
			if (held != VIP_HELD_NOT) {
				assert_true(until_us > now_us);
				assert_true(until_us <= down_us + 301 * S);
				n_held++;
				n_suppressed += held == VIP_HELD_FLAPPING;
			}
			if (allowed && !was_allowed && down_us)
				assert_true(now_us >= down_us + 5 * S);
			if (naive_penalty(&flaps, now_us) < 20000) {
				double off = naive_penalty(&flaps, now_us) -
					     vip_damping_penalty(&damping,
								 &defaults,
								 now_us);

				/* Rounded down, and the ceiling of before. */
				assert_true(off >= -0.01);
			}
			was_allowed = allowed;
		}
		/* At rest: healthy from now on. */
		step(&damping, &defaults, VIP_HEALTH_UP, now_us);
		if (vip_damping_held(&damping, &defaults, now_us, &until_us))
			now_us = until_us;
		assert_true(step(&damping, &defaults, VIP_HEALTH_UP, now_us));
	}
	assert_true(n_held > 1000);
	assert_true(n_suppressed > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_flip),
		cmocka_unit_test(test_hold_down),
		cmocka_unit_test(test_suppressed),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_away),
		cmocka_unit_test(test_let_go),
		cmocka_unit_test(test_penalties_off),
		cmocka_unit_test(test_slow_start),
		cmocka_unit_test(test_large_flap),
		cmocka_unit_test(test_penalty_shown),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
