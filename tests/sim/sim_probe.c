// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thousand probes for 24 hours of virtual time, over a network that loses,
 * doubles, delays and reorders, with faults of targets, edits of definitions,
 * and reloads that take references and definitions out and put them back.
 *
 * Next to the engine runs a model of every instance that knows nothing but
 * what was sent, answered and configured.  spec: vip.md and
 * gateway-failover.md, "Probes"; cases 6, 22, 30, 31.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim_probe_world.h"
#include "tests/unit/unit.h"

/* ------------------------------------------------------------------------ */
/* 24 hours                                                                 */

static uint64_t below(uint64_t limit)
{
	return sim_random_below(&world.random, limit);
}

static int64_t between(int64_t least, int64_t most)
{
	return least + (int64_t)below(most - least + 1);
}

static void random_times(struct probe_config *config)
{
	static const uint32_t intervals[] = { 20000, 60000, 120000 };

	config->interval_ms = intervals[below(array_size(intervals))];
	config->timeout_ms = between(200, config->interval_ms);
	config->fast_interval_ms = below(2)
					   ? 0
					   : between(1000, config->interval_ms);
}

static void random_thresholds(struct probe_config *config)
{
	config->rise = between(1, 4);
	config->fall = between(1, 5);
}

static struct target *random_target(void)
{
	return &world.targets[below(TARGETS)];
}

static void again(int64_t least, int64_t most, void (*fn)(void *arg))
{
	sim_clock_at(world.clock, world_now() + between(least, most), fn, NULL,
		     NULL);
}

/* A target dies, refuses, or recovers. */
static void fault(void *arg)
{
	struct target *target = random_target();
	struct probe_instance_view view;
	enum mode before = target->mode;
	bool steady;

	(void)arg;
	/* No run is under way that an earlier fault has spoilt. */
	steady = world_now() - target->mode_us > STEADY;
	target->mode_us = world_now();
	target->mode = before == ALIVE ? (below(2) ? DEAD : REFUSING) : ALIVE;
	target->measured = false;
	if (steady && target->clean && target->ref) {
		probe_instance_view(target->inst, &view);
		if (view.verdict == (before == ALIVE ? PROBE_UP : PROBE_DOWN) &&
		    (view.window == PROBE_WINDOW_UP ||
		     view.window == PROBE_WINDOW_DOWN) &&
		    view.phase != PROBE_STOPPED) {
			target->measured = true;
			target->fault_us = world_now();
		}
	}
	again(0, 6 * SIM_S, fault);
}

static void edit(void *arg)
{
	uint32_t def = below(DEFS);
	struct probe_config *config;
	uint64_t kind = below(3);

	(void)arg;
	again(SIM_S, 300 * SIM_S, edit);
	if (world.without && def == world.without_def)
		return;
	config = probe_engine_edit(world.engine, world_def_name(def));
	world.edits++;
	switch (kind) {
	case 0:
		random_times(config);
		break;
	case 1:
		random_thresholds(config);
		break;
	case 2: /* another check: what the old one found doesn't count */
		config->type = config->type == PROBE_TYPE_HTTP
				       ? PROBE_TYPE_HTTPS
				       : PROBE_TYPE_HTTP;
		break;
	}
	world_apply();
	for (uint32_t i = def * PER_DEF; i < (def + 1) * PER_DEF; i++) {
		struct target *target = &world.targets[i];

		target->measured = false;
		if (kind == 2)
			target->streak = 0;
		world_check_verdict(target); /* case 6 */
	}
}

/* A reload takes a member out and puts it back, in time or too late. */
static void reference_back(void *arg)
{
	struct target *target = arg;
	char why[PROBE_WHY_LEN];

	world_refer(target);
	world_check_verdict(target);
	if (target->known)
		world.kept++;
	if (target->known || target->stopped_us)
		return;
	probe_ref_verdict(target->ref, why, sizeof(why));
	assert_string_equal(why, "starts down: no result yet");
}

static void reference_out(void *arg)
{
	struct target *target = random_target();

	(void)arg;
	if (target->ref) {
		world_unrefer(target);
		sim_clock_at(world.clock, world_now() + between(0, 60 * SIM_S),
			     reference_back, target, NULL);
	}
	again(SIM_S, 300 * SIM_S, reference_out);
}

/* The same with a definition. */
static void definition_changed(void)
{
	world_apply();
	for (uint32_t i = 0; i < PER_DEF; i++) {
		struct target *target =
			&world.targets[world.without_def * PER_DEF + i];

		if (target->ref)
			world_check_forgotten(target);
		/* What comes back may be another check. */
		if (!world.without)
			target->streak = 0;
		world_stopped(target);
		world_check_verdict(target);
	}
}

static void definition_out(void *arg);

static void definition_back(void *arg)
{
	(void)arg;
	world.without = false;
	*probe_engine_edit(world.engine, world_def_name(world.without_def)) =
		world.without_config;
	definition_changed();
	again(SIM_S, 1800 * SIM_S, definition_out);
}

static void definition_out(void *arg)
{
	(void)arg;
	world.without = true;
	world.without_def = below(DEFS);
	world.without_config =
		*world_config(&world.targets[world.without_def * PER_DEF]);
	probe_engine_remove(world.engine, world_def_name(world.without_def));
	definition_changed();
	again(0, 60 * SIM_S, definition_back);
}

static void bad_paths(void)
{
	for (uint32_t i = 0; i < TARGETS; i++) {
		struct sim_path *there, *back;

		if (i % 3 == 0)
			continue; /* clean */
		world.targets[i].clean = false;
		there = sim_net_path(world.net, PROBER, i + 1);
		back = sim_net_path(world.net, i + 1, PROBER);
		there->loss_ppm = back->loss_ppm = below(400000);
		there->double_ppm = back->double_ppm = below(300000);
		back->jitter_us = between(0, 30 * SIM_S);
	}
}

static void simulate_day(uint64_t seed)
{
	struct probe_config *config;
	uint64_t runs = 0;

	world_start(seed);
	bad_paths();
	for (int i = 0; i < DEFS; i++) {
		config = probe_engine_edit(world.engine, world_def_name(i));
		config->type = PROBE_TYPE_HTTP;
		random_times(config);
		random_thresholds(config);
	}
	world_apply();
	world_refer_all(TARGETS);
	fault(NULL);
	edit(NULL);
	reference_out(NULL);
	again(SIM_S, 1800 * SIM_S, definition_out);
	for (int hour = 0; hour < 24; hour++) {
		sim_clock_run(world.clock, world_now() + HOUR);
		world_check_all();
	}
	for (int i = 0; i < TARGETS; i++)
		runs += world.targets[i].runs;
	print_message("24 h: %" PRIu64 " events, %" PRIu64 "+ runs, %" PRIu64
		      " flips, decisions measured %" PRIu64 " down %" PRIu64
		      " up, %" PRIu64 " edits, %" PRIu64 " stale, %" PRIu64
		      " verdicts kept\n",
		      sim_clock_events(world.clock), runs, world.flips,
		      world.measured_down, world.measured_up, world.edits,
		      world.stale, world.kept);
	assert_true(runs > 500000);
	assert_true(world.flips > 10000);
	assert_true(world.measured_down > 500);
	assert_true(world.measured_up > 500);
	assert_true(world.edits > 100);
	assert_true(world.stale > 10000);
	assert_true(world.kept > 100);
	world_end();
}

static void test_day(void **state)
{
	const char *seed = getenv("SIM_SEED");

	(void)state;
	simulate_day(seed ? strtoull(seed, NULL, 0) : 1);
}

/* ------------------------------------------------------------------------ */
/* Case 22: a thousand made together don't run together.                    */

static void test_first_runs_spread(void **state)
{
	unsigned int per_ms[100] = { 0 };
	int64_t made, after;

	(void)state;
	world_start(22);
	for (int i = 0; i < DEFS; i++)
		probe_engine_edit(world.engine, world_def_name(i));
	world_apply();
	made = world_now();
	world_refer_all(TARGETS);
	sim_clock_run(world.clock, made + SIM_S);
	for (int i = 0; i < TARGETS; i++) {
		assert_int_equal(world.targets[i].runs, 1);
		after = world.first_start[i] - made;
		assert_between(after, 0, 100 * SIM_MS - 1);
		per_ms[after / SIM_MS]++;
	}
	/* 10 a millisecond on the average. */
	for (int i = 0; i < 100; i++)
		assert_between(per_ms[i], 1, 30);
	/* And so it stays: absolute times, no drift. */
	sim_clock_run(world.clock, made + 1000 * SIM_S);
	for (int i = 0; i < TARGETS; i++)
		assert_int_equal(world.targets[i].started_us,
				 world.first_start[i] + 999 * SIM_S);
	world_end();
}

/* ------------------------------------------------------------------------ */
/* Case 31: half of the targets are black holes; nobody decides late.       */

static void test_black_holes(void **state)
{
	int64_t due[100], died, decided, theory;
	struct probe_instance_view view;

	(void)state;
	world_start(31);
	for (int i = 0; i < DEFS; i++)
		probe_engine_edit(world.engine, world_def_name(i));
	world_apply();
	world_refer_all(100);
	sim_clock_run(world.clock, world_now() + 10 * SIM_S + 500 * SIM_MS);
	died = world_now();
	for (int i = 0; i < 100; i++) {
		probe_instance_view(world.targets[i].inst, &view);
		assert_int_equal(view.verdict, PROBE_UP);
		assert_int_equal(view.phase, PROBE_WAITING);
		due[i] = view.next_us;
		if (i % 2)
			world.targets[i].mode = DEAD;
	}
	sim_clock_run(world.clock, died + 10 * SIM_S);
	for (int i = 0; i < 100; i++) {
		probe_instance_view(world.targets[i].inst, &view);
		assert_int_equal(view.counters.late, 0);
		assert_int_equal(view.verdict, i % 2 ? PROBE_DOWN : PROBE_UP);
		if (i % 2 == 0)
			continue;
		decided = view.since_us;
		theory = due[i] + 2 * SIM_S + SIM_S;
		assert_between(decided, theory, theory + 50 * SIM_MS);
	}
	world_end();
}

/* ------------------------------------------------------------------------ */
/* The daemon is stopped for 10 s: no verdict flips, no storm afterwards.    */

static uint64_t starts;

static void count_start(struct target *target)
{
	(void)target;
	starts++;
}

static void test_stall(void **state)
{
	struct probe_instance_view view;

	(void)state;
	world_start(10);
	for (int i = 0; i < DEFS; i++)
		probe_engine_edit(world.engine, world_def_name(i));
	world_apply();
	world_refer_all(TARGETS);
	sim_clock_run(world.clock, world_now() + 10 * SIM_S + 30 * SIM_MS);
	world.on_start = count_start;
	starts = 0;
	sim_clock_stall(world.clock, 10 * SIM_S);
	sim_clock_run(world.clock, world_now() + 999 * SIM_MS);
	/* One that is late, or one that was in flight and the next. */
	assert_between(starts, TARGETS, 2 * TARGETS);
	sim_clock_run(world.clock, world_now() + 10 * SIM_S);
	assert_between(starts, 11 * TARGETS, 12 * TARGETS);
	for (int i = 0; i < TARGETS; i++) {
		probe_instance_view(world.targets[i].inst, &view);
		assert_int_equal(view.verdict, PROBE_UP);
		assert_int_equal(view.counters.transitions, 1);
	}
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_runs_spread),
		cmocka_unit_test(test_black_holes),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
