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

#include "memory.h"

#include "probe/probe_engine.h"
#include "sim_clock.h"
#include "sim_net.h"
#include "tests/unit/unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define DEFS	    20
#define PER_DEF	    50
#define TARGETS	    (DEFS * PER_DEF)
#define PROBER	    0 /* node; targets are 1 .. TARGETS */
#define HOUR	    (3600 * SIM_S)
#define STEADY	    (300 * SIM_S) /* longer than interval and time-out */
#define CLEAN_DELAY (20 * SIM_MS) /* one way, with jitter the double */

enum mode {
	ALIVE,
	DEAD,	  /* says nothing */
	REFUSING, /* answers at once that it won't */
};

struct sim_message {
	uint32_t target;
	uint64_t run_id;
	enum probe_result result;
};

struct target {
	uint32_t index;
	struct ipaddr addr;
	bool clean; /* its path loses nothing: decisions are on time */
	enum mode mode;
	int64_t mode_us; /* since */
	struct probe_ref *ref;
	struct probe_instance *inst;

	/* The model. */
	uint64_t run_id; /* in flight; 0: none */
	int64_t started_us;
	uint64_t runs;
	bool up, passed;
	bool known; /* any result since it was made */
	uint32_t streak;

	int64_t stopped_us; /* reference or definition missing since; or 0 */

	/* A fault at fault_us that must show in time. */
	bool measured;
	int64_t fault_us;
};

static struct {
	struct sim_clock *clock;
	struct sim_random random;
	struct sim_net *net;
	struct probe_engine *engine;
	struct sim_event *timer;
	int64_t last_now;
	bool by_config; /* cancels now are not time-outs */
	bool without;	/* a definition is missing: */
	uint32_t without_def;
	struct probe_config without_config; /* what it will be again */
	struct target targets[TARGETS];

	/* What has happened: a simulation of nothing proves nothing. */
	uint64_t flips, measured_down, measured_up, edits, stale, kept;
	int64_t first_start[TARGETS];
	void (*on_start)(struct target *target);
} sim;

static int64_t now(void)
{
	return sim_clock_now(sim.clock);
}

static const char *def_name(uint32_t def)
{
	static char name[] = "def-a";

	name[4] = 'a' + def;
	return name;
}

static uint32_t def_of(const struct target *target)
{
	return target->index / PER_DEF;
}

static const struct probe_config *config_of(const struct target *target)
{
	return probe_def_config(
		probe_def_find(sim.engine, def_name(def_of(target))));
}

static struct target *target_of(const struct probe_instance *inst)
{
	const struct ipaddr *addr = probe_instance_target(inst);
	uint32_t n = ntohl(addr->ipaddr_v4.s_addr) - 0x0a000001;

	assert_true(n < TARGETS);
	return &sim.targets[n];
}

/* ------------------------------------------------------------------------ */
/* The model                                                                */

/*
 * From the fault to the decision.  The first run that notices begins at most
 * an interval after the fault, and not before it (less what is under way);
 * the rest follow at the fast interval, or when the one before has timed out.
 */
static void check_decision(struct target *target)
{
	const struct probe_config *config = config_of(target);
	int64_t interval = SIM_MS * probe_config_interval_ms(config);
	int64_t fast = SIM_MS * probe_config_fast_interval_ms(config);
	int64_t timeout = SIM_MS * probe_config_timeout_ms(config);
	int64_t gap = fast, end = 0, steps, took, rtt = 4 * CLEAN_DELAY;

	if (!target->measured)
		return;
	target->measured = false;
	took = now() - target->fault_us;
	steps = (target->up ? probe_config_rise(config)
			    : probe_config_fall(config)) -
		1;
	if (target->mode == DEAD) {
		end = timeout;
		gap = timeout > fast ? timeout : fast;
		rtt = 0;
	}
	assert_true(took >= steps * gap + end - 2 * CLEAN_DELAY);
	assert_true(took <= interval + steps * gap + end + rtt);
	if (target->up)
		sim.measured_up++;
	else
		sim.measured_down++;
}

static void check_verdict(const struct target *target)
{
	enum probe_verdict verdict = target->up ? PROBE_UP : PROBE_DOWN;

	if (!target->ref)
		return;
	if (sim.without && def_of(target) == sim.without_def)
		verdict = PROBE_UNKNOWN;
	assert_int_equal(probe_ref_verdict(target->ref, NULL, 0), verdict);
}

/* The engine has taken that result of the run in flight. */
static void model_result(struct target *target, bool passed)
{
	const struct probe_config *config = config_of(target);
	bool was = target->up;

	target->run_id = 0;
	target->known = true;
	if (target->passed != passed)
		target->streak = 0;
	target->passed = passed;
	target->streak++;
	if (passed && target->streak >= probe_config_rise(config))
		target->up = true;
	if (!passed && target->streak >= probe_config_fall(config))
		target->up = false;
	if (target->up == was)
		return;
	sim.flips++;
	if (target->up != (target->mode == ALIVE))
		target->measured = false;
	check_decision(target);
}

static void model_forget(struct target *target)
{
	target->known = false;
	target->up = false;
	target->streak = 0;
	target->measured = false;
}

/* ------------------------------------------------------------------------ */
/* The engine's ops                                                         */

static int64_t op_now(void *arg)
{
	(void)arg;
	assert_true(now() >= sim.last_now);
	sim.last_now = now();
	return now();
}

static uint32_t op_random(void *arg)
{
	(void)arg;
	return sim_random_u64(&sim.random) >> 32;
}

static void op_start(void *arg, struct probe_instance *inst,
		     const struct probe_attempt *attempt)
{
	struct target *target = target_of(inst);
	struct sim_message message = { target->index, attempt->id, PROBE_PASS };

	(void)arg;
	assert_int_equal(target->run_id, 0); /* never two in flight */
	assert_true(attempt->due_us <= now());
	if (target->runs++)
		assert_true(attempt->due_us > target->started_us);
	else
		sim.first_start[target->index] = now();
	target->inst = inst;
	target->run_id = attempt->id;
	target->started_us = attempt->started_us;
	if (sim.on_start)
		sim.on_start(target);
	sim_net_send(sim.net, PROBER, target->index + 1, &message,
		     sizeof(message));
}

static void op_cancel(void *arg, struct probe_instance *inst)
{
	struct target *target = target_of(inst);

	(void)arg;
	assert_int_not_equal(target->run_id, 0);
	target->run_id = 0;
	if (sim.by_config)
		return;
	assert_true(now() >=
		    target->started_us + SIM_MS * probe_config_timeout_ms(
							  config_of(target)));
	model_result(target, false);
}

static void op_release(void *arg, struct probe_instance *inst)
{
	(void)arg;
	assert_int_equal(target_of(inst)->run_id, 0);
}

static void op_gone(void *arg, struct probe_instance *inst)
{
	struct target *target = target_of(inst);

	(void)arg;
	assert_int_equal(target->run_id, 0);
	target->inst = NULL;
	target->runs = 0;
	model_forget(target);
}

static void timer_due(void *arg)
{
	(void)arg;
	probe_engine_run(sim.engine);
}

static void op_disarm(void *arg)
{
	(void)arg;
	sim_clock_cancel(sim.clock, &sim.timer);
}

static void op_arm(void *arg, int64_t at_us)
{
	op_disarm(arg);
	sim_clock_at(sim.clock, at_us, timer_due, NULL, &sim.timer);
}

/* A verdict changes with a result, never otherwise. */
static void op_changed(void *arg, const struct probe_instance *inst)
{
	const struct target *target;

	(void)arg;
	if (!inst || sim.by_config)
		return;
	target = target_of(inst);
	assert_int_equal(target->run_id, 0);
	assert_int_equal(probe_instance_verdict(inst, NULL, 0),
			 target->up ? PROBE_UP : PROBE_DOWN);
}

static const struct probe_engine_ops ops = {
	.now = op_now,
	.random = op_random,
	.start = op_start,
	.cancel = op_cancel,
	.release = op_release,
	.gone = op_gone,
	.arm = op_arm,
	.disarm = op_disarm,
	.changed = op_changed,
};

/* ------------------------------------------------------------------------ */
/* The network                                                              */

static void target_recv(void *arg, uint32_t from, const void *data, size_t len)
{
	struct target *target = arg;
	struct sim_message message;

	assert_int_equal(from, PROBER);
	assert_int_equal(len, sizeof(message));
	memcpy(&message, data, sizeof(message));
	assert_int_equal(message.target, target->index);
	if (target->mode == DEAD)
		return;
	message.result = target->mode == ALIVE ? PROBE_PASS : PROBE_REFUSED;
	sim_net_send(sim.net, target->index + 1, PROBER, &message,
		     sizeof(message));
}

static void prober_recv(void *arg, uint32_t from, const void *data, size_t len)
{
	struct sim_message message;
	struct target *target;
	bool expected;

	(void)arg;
	assert_int_equal(len, sizeof(message));
	memcpy(&message, data, sizeof(message));
	target = &sim.targets[message.target];
	assert_int_equal(from, target->index + 1);
	if (!target->inst)
		return; /* the type has forgotten it: gone() */

	/* Late and duplicate answers: ignored, whatever they say. */
	expected = target->run_id == message.run_id;
	if (expected)
		model_result(target, message.result == PROBE_PASS);
	else
		sim.stale++;
	assert_int_equal(probe_instance_result(target->inst, message.run_id,
					       message.result, -1, NULL),
			 expected);
	check_verdict(target);
}

/* ------------------------------------------------------------------------ */

static void sim_start(uint64_t seed)
{
	struct sim_path *path;

	memset(&sim, 0, sizeof(sim));
	sim.random.state = seed;
	sim.clock = sim_clock_new(1000 * SIM_S);
	sim.net = sim_net_new(sim.clock, &sim.random, TARGETS + 1);
	sim.engine = probe_engine_new(&ops, NULL);
	probe_engine_set_main(sim.engine);
	sim_net_listen(sim.net, PROBER, prober_recv, NULL);
	path = sim_net_default(sim.net);
	path->delay_us = CLEAN_DELAY;
	path->jitter_us = CLEAN_DELAY;
	for (uint32_t i = 0; i < TARGETS; i++) {
		struct target *target = &sim.targets[i];

		target->index = i;
		target->clean = true;
		SET_IPADDR_V4(&target->addr);
		target->addr.ipaddr_v4.s_addr = htonl(0x0a000001 + i);
		sim_net_listen(sim.net, i + 1, target_recv, target);
	}
}

static void sim_end(void)
{
	sim.by_config = true;
	probe_engine_free(&sim.engine);
	sim_net_free(&sim.net);
	sim_clock_free(&sim.clock);
}

/* Reference or definition of a target have gone or come. */
static void stopped(struct target *target)
{
	bool stopped = !target->ref ||
		       (sim.without && def_of(target) == sim.without_def);

	target->measured = false;
	if (!stopped)
		target->stopped_us = 0;
	else if (!target->stopped_us)
		target->stopped_us = now();
}

/* What has forgotten by itself may have: it was stopped for long enough. */
static void check_forgotten(struct target *target)
{
	struct probe_instance_view view;

	probe_instance_view(target->inst, &view);
	if (view.have_result == target->known)
		return;
	assert_false(view.have_result);
	assert_true(now() >= target->stopped_us + PROBE_LINGER_US);
	model_forget(target);
}

static void refer(struct target *target)
{
	target->ref = probe_ref_get(def_name(def_of(target)), "default",
				    &target->addr);
	target->inst = (struct probe_instance *)probe_ref_instance(target->ref);
	check_forgotten(target);
	stopped(target);
}

static void unrefer(struct target *target)
{
	check_forgotten(target);
	sim.by_config = true;
	probe_ref_put(&target->ref);
	sim.by_config = false;
	stopped(target);
}

static void refer_all(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		refer(&sim.targets[i]);
}

static void apply(void)
{
	sim.by_config = true;
	probe_engine_apply(sim.engine);
	sim.by_config = false;
}

/* Compares every model with its instance. */
static void check_all(void)
{
	struct probe_instance_view view;

	for (uint32_t i = 0; i < TARGETS; i++) {
		struct target *target = &sim.targets[i];

		if (!target->ref)
			continue;
		check_forgotten(target);
		check_verdict(target);
		probe_instance_view(target->inst, &view);
		assert_int_equal(view.streak, target->streak);
		assert_int_equal(view.phase == PROBE_IN_FLIGHT,
				 target->run_id != 0);
		assert_int_equal(view.counters.runs, target->runs);
		assert_int_equal(view.counters.late, 0);
	}
}

/* ------------------------------------------------------------------------ */
/* 24 hours                                                                 */

static uint64_t below(uint64_t limit)
{
	return sim_random_below(&sim.random, limit);
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
	return &sim.targets[below(TARGETS)];
}

static void again(int64_t least, int64_t most, void (*fn)(void *arg))
{
	sim_clock_at(sim.clock, now() + between(least, most), fn, NULL, NULL);
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
	steady = now() - target->mode_us > STEADY;
	target->mode_us = now();
	target->mode = before == ALIVE ? (below(2) ? DEAD : REFUSING) : ALIVE;
	target->measured = false;
	if (steady && target->clean && target->ref) {
		probe_instance_view(target->inst, &view);
		if (view.verdict == (before == ALIVE ? PROBE_UP : PROBE_DOWN) &&
		    (view.window == PROBE_WINDOW_UP ||
		     view.window == PROBE_WINDOW_DOWN) &&
		    view.phase != PROBE_STOPPED) {
			target->measured = true;
			target->fault_us = now();
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
	if (sim.without && def == sim.without_def)
		return;
	config = probe_engine_edit(sim.engine, def_name(def));
	sim.edits++;
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
	apply();
	for (uint32_t i = def * PER_DEF; i < (def + 1) * PER_DEF; i++) {
		struct target *target = &sim.targets[i];

		target->measured = false;
		if (kind == 2)
			target->streak = 0;
		check_verdict(target); /* case 6 */
	}
}

/* A reload takes a member out and puts it back, in time or too late. */
static void reference_back(void *arg)
{
	struct target *target = arg;
	char why[PROBE_WHY_LEN];

	refer(target);
	check_verdict(target);
	if (target->known)
		sim.kept++;
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
		unrefer(target);
		sim_clock_at(sim.clock, now() + between(0, 60 * SIM_S),
			     reference_back, target, NULL);
	}
	again(SIM_S, 300 * SIM_S, reference_out);
}

/* The same with a definition. */
static void definition_changed(void)
{
	apply();
	for (uint32_t i = 0; i < PER_DEF; i++) {
		struct target *target =
			&sim.targets[sim.without_def * PER_DEF + i];

		if (target->ref)
			check_forgotten(target);
		/* What comes back may be another check. */
		if (!sim.without)
			target->streak = 0;
		stopped(target);
		check_verdict(target);
	}
}

static void definition_out(void *arg);

static void definition_back(void *arg)
{
	(void)arg;
	sim.without = false;
	*probe_engine_edit(sim.engine,
			   def_name(sim.without_def)) = sim.without_config;
	definition_changed();
	again(SIM_S, 1800 * SIM_S, definition_out);
}

static void definition_out(void *arg)
{
	(void)arg;
	sim.without = true;
	sim.without_def = below(DEFS);
	sim.without_config = *config_of(&sim.targets[sim.without_def * PER_DEF]);
	probe_engine_remove(sim.engine, def_name(sim.without_def));
	definition_changed();
	again(0, 60 * SIM_S, definition_back);
}

static void bad_paths(void)
{
	for (uint32_t i = 0; i < TARGETS; i++) {
		struct sim_path *there, *back;

		if (i % 3 == 0)
			continue; /* clean */
		sim.targets[i].clean = false;
		there = sim_net_path(sim.net, PROBER, i + 1);
		back = sim_net_path(sim.net, i + 1, PROBER);
		there->loss_ppm = back->loss_ppm = below(400000);
		there->double_ppm = back->double_ppm = below(300000);
		back->jitter_us = between(0, 30 * SIM_S);
	}
}

static void simulate_day(uint64_t seed)
{
	struct probe_config *config;
	uint64_t runs = 0;

	sim_start(seed);
	bad_paths();
	for (int i = 0; i < DEFS; i++) {
		config = probe_engine_edit(sim.engine, def_name(i));
		config->type = PROBE_TYPE_HTTP;
		random_times(config);
		random_thresholds(config);
	}
	apply();
	refer_all(TARGETS);
	fault(NULL);
	edit(NULL);
	reference_out(NULL);
	again(SIM_S, 1800 * SIM_S, definition_out);
	for (int hour = 0; hour < 24; hour++) {
		sim_clock_run(sim.clock, now() + HOUR);
		check_all();
	}
	for (int i = 0; i < TARGETS; i++)
		runs += sim.targets[i].runs;
	print_message("24 h: %" PRIu64 " events, %" PRIu64 "+ runs, %" PRIu64
		      " flips, decisions measured %" PRIu64 " down %" PRIu64
		      " up, %" PRIu64 " edits, %" PRIu64 " stale, %" PRIu64
		      " verdicts kept\n",
		      sim_clock_events(sim.clock), runs, sim.flips,
		      sim.measured_down, sim.measured_up, sim.edits, sim.stale,
		      sim.kept);
	assert_true(runs > 500000);
	assert_true(sim.flips > 10000);
	assert_true(sim.measured_down > 500);
	assert_true(sim.measured_up > 500);
	assert_true(sim.edits > 100);
	assert_true(sim.stale > 10000);
	assert_true(sim.kept > 100);
	sim_end();
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
	sim_start(22);
	for (int i = 0; i < DEFS; i++)
		probe_engine_edit(sim.engine, def_name(i));
	apply();
	made = now();
	refer_all(TARGETS);
	sim_clock_run(sim.clock, made + SIM_S);
	for (int i = 0; i < TARGETS; i++) {
		assert_int_equal(sim.targets[i].runs, 1);
		after = sim.first_start[i] - made;
		assert_between(after, 0, 100 * SIM_MS - 1);
		per_ms[after / SIM_MS]++;
	}
	/* 10 a millisecond on the average. */
	for (int i = 0; i < 100; i++)
		assert_between(per_ms[i], 1, 30);
	/* And so it stays: absolute times, no drift. */
	sim_clock_run(sim.clock, made + 1000 * SIM_S);
	for (int i = 0; i < TARGETS; i++)
		assert_int_equal(sim.targets[i].started_us,
				 sim.first_start[i] + 999 * SIM_S);
	sim_end();
}

/* ------------------------------------------------------------------------ */
/* Case 31: half of the targets are black holes; nobody decides late.       */

static void test_black_holes(void **state)
{
	int64_t due[100], died, decided, theory;
	struct probe_instance_view view;

	(void)state;
	sim_start(31);
	for (int i = 0; i < DEFS; i++)
		probe_engine_edit(sim.engine, def_name(i));
	apply();
	refer_all(100);
	sim_clock_run(sim.clock, now() + 10 * SIM_S + 500 * SIM_MS);
	died = now();
	for (int i = 0; i < 100; i++) {
		probe_instance_view(sim.targets[i].inst, &view);
		assert_int_equal(view.verdict, PROBE_UP);
		assert_int_equal(view.phase, PROBE_WAITING);
		due[i] = view.next_us;
		if (i % 2)
			sim.targets[i].mode = DEAD;
	}
	sim_clock_run(sim.clock, died + 10 * SIM_S);
	for (int i = 0; i < 100; i++) {
		probe_instance_view(sim.targets[i].inst, &view);
		assert_int_equal(view.counters.late, 0);
		assert_int_equal(view.verdict, i % 2 ? PROBE_DOWN : PROBE_UP);
		if (i % 2 == 0)
			continue;
		decided = view.since_us;
		theory = due[i] + 2 * SIM_S + SIM_S;
		assert_between(decided, theory, theory + 50 * SIM_MS);
	}
	sim_end();
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
	sim_start(10);
	for (int i = 0; i < DEFS; i++)
		probe_engine_edit(sim.engine, def_name(i));
	apply();
	refer_all(TARGETS);
	sim_clock_run(sim.clock, now() + 10 * SIM_S + 30 * SIM_MS);
	sim.on_start = count_start;
	starts = 0;
	sim_clock_stall(sim.clock, 10 * SIM_S);
	sim_clock_run(sim.clock, now() + 999 * SIM_MS);
	/* One that is late, or one that was in flight and the next. */
	assert_between(starts, TARGETS, 2 * TARGETS);
	sim_clock_run(sim.clock, now() + 10 * SIM_S);
	assert_between(starts, 11 * TARGETS, 12 * TARGETS);
	for (int i = 0; i < TARGETS; i++) {
		probe_instance_view(sim.targets[i].inst, &view);
		assert_int_equal(view.verdict, PROBE_UP);
		assert_int_equal(view.counters.transitions, 1);
	}
	sim_end();
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
