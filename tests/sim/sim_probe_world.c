// SPDX-License-Identifier: GPL-2.0-or-later
/* See sim_probe_world.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "sim_probe_world.h"
#include "tests/unit/unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

struct world world;

struct sim_message {
	uint32_t target;
	uint64_t run_id;
	enum probe_result result;
};

int64_t world_now(void)
{
	return sim_clock_now(world.clock);
}

const char *world_def_name(uint32_t def)
{
	static char name[] = "def-a";

	name[4] = 'a' + def;
	return name;
}

static uint32_t def_of(const struct target *target)
{
	return target->index / PER_DEF;
}

const struct probe_config *world_config(const struct target *target)
{
	return probe_def_config(
		probe_def_find(world.engine, world_def_name(def_of(target))));
}

static struct target *target_of(const struct probe_instance *inst)
{
	const struct ipaddr *addr = probe_instance_target(inst);
	uint32_t n = ntohl(addr->ipaddr_v4.s_addr) - 0x0a000001;

	assert_true(n < TARGETS);
	return &world.targets[n];
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
	const struct probe_config *config = world_config(target);
	int64_t interval = SIM_MS * probe_config_interval_ms(config);
	int64_t fast = SIM_MS * probe_config_fast_interval_ms(config);
	int64_t timeout = SIM_MS * probe_config_timeout_ms(config);
	int64_t gap = fast, end = 0, steps, took, rtt = 4 * CLEAN_DELAY;

	if (!target->measured)
		return;
	target->measured = false;
	took = world_now() - target->fault_us;
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
		world.measured_up++;
	else
		world.measured_down++;
}

void world_check_verdict(const struct target *target)
{
	enum probe_verdict verdict = target->up ? PROBE_UP : PROBE_DOWN;

	if (!target->ref)
		return;
	if (world.without && def_of(target) == world.without_def)
		verdict = PROBE_UNKNOWN;
	assert_int_equal(probe_ref_verdict(target->ref, NULL, 0), verdict);
}

/* The engine has taken that result of the run in flight. */
static void model_result(struct target *target, bool passed)
{
	const struct probe_config *config = world_config(target);
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
	world.flips++;
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
	assert_true(world_now() >= world.last_now);
	world.last_now = world_now();
	return world_now();
}

static uint32_t op_random(void *arg)
{
	(void)arg;
	return sim_random_u64(&world.random) >> 32;
}

static void op_start(void *arg, struct probe_instance *inst,
		     const struct probe_attempt *attempt)
{
	struct target *target = target_of(inst);
	struct sim_message message = { target->index, attempt->id, PROBE_PASS };

	(void)arg;
	assert_int_equal(target->run_id, 0); /* never two in flight */
	assert_true(attempt->due_us <= world_now());
	if (target->runs++)
		assert_true(attempt->due_us > target->started_us);
	else
		world.first_start[target->index] = world_now();
	target->inst = inst;
	target->run_id = attempt->id;
	target->started_us = attempt->started_us;
	if (world.on_start)
		world.on_start(target);
	sim_net_send(world.net, PROBER, target->index + 1, &message,
		     sizeof(message));
}

static void op_cancel(void *arg, struct probe_instance *inst)
{
	struct target *target = target_of(inst);

	(void)arg;
	assert_int_not_equal(target->run_id, 0);
	target->run_id = 0;
	if (world.by_config)
		return;
	assert_true(world_now() >=
		    target->started_us + SIM_MS * probe_config_timeout_ms(
							  world_config(target)));
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
	probe_engine_run(world.engine);
}

static void op_disarm(void *arg)
{
	(void)arg;
	sim_clock_cancel(world.clock, &world.timer);
}

static void op_arm(void *arg, int64_t at_us)
{
	op_disarm(arg);
	sim_clock_at(world.clock, at_us, timer_due, NULL, &world.timer);
}

/* A verdict changes with a result, never otherwise. */
static void op_changed(void *arg, const struct probe_instance *inst)
{
	const struct target *target;

	(void)arg;
	if (!inst || world.by_config)
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
	sim_net_send(world.net, target->index + 1, PROBER, &message,
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
	target = &world.targets[message.target];
	assert_int_equal(from, target->index + 1);
	if (!target->inst)
		return; /* the type has forgotten it: gone() */

	/* Late and duplicate answers: ignored, whatever they say. */
	expected = target->run_id == message.run_id;
	if (expected)
		model_result(target, message.result == PROBE_PASS);
	else
		world.stale++;
	assert_int_equal(probe_instance_result(target->inst, message.run_id,
					       message.result, -1, NULL),
			 expected);
	world_check_verdict(target);
}

/* ------------------------------------------------------------------------ */

void world_start(uint64_t seed)
{
	struct sim_path *path;

	memset(&world, 0, sizeof(world));
	world.random.state = seed;
	world.clock = sim_clock_new(1000 * SIM_S);
	world.net = sim_net_new(world.clock, &world.random, TARGETS + 1);
	world.engine = probe_engine_new(&ops, NULL);
	probe_engine_set_main(world.engine);
	sim_net_listen(world.net, PROBER, prober_recv, NULL);
	path = sim_net_default(world.net);
	path->delay_us = CLEAN_DELAY;
	path->jitter_us = CLEAN_DELAY;
	for (uint32_t i = 0; i < TARGETS; i++) {
		struct target *target = &world.targets[i];

		target->index = i;
		target->clean = true;
		SET_IPADDR_V4(&target->addr);
		target->addr.ipaddr_v4.s_addr = htonl(0x0a000001 + i);
		sim_net_listen(world.net, i + 1, target_recv, target);
	}
}

void world_end(void)
{
	world.by_config = true;
	probe_engine_free(&world.engine);
	sim_net_free(&world.net);
	sim_clock_free(&world.clock);
}

/* Reference or definition of a target have gone or come. */
void world_stopped(struct target *target)
{
	bool stopped = !target->ref ||
		       (world.without && def_of(target) == world.without_def);

	target->measured = false;
	if (!stopped)
		target->stopped_us = 0;
	else if (!target->stopped_us)
		target->stopped_us = world_now();
}

/* What has forgotten by itself may have: it was stopped for long enough. */
void world_check_forgotten(struct target *target)
{
	struct probe_instance_view view;

	probe_instance_view(target->inst, &view);
	if (view.have_result == target->known)
		return;
	assert_false(view.have_result);
	assert_true(world_now() >= target->stopped_us + PROBE_LINGER_US);
	model_forget(target);
}

void world_refer(struct target *target)
{
	target->ref = probe_ref_get(world_def_name(def_of(target)), "default",
				    &target->addr);
	target->inst = (struct probe_instance *)probe_ref_instance(target->ref);
	world_check_forgotten(target);
	world_stopped(target);
}

void world_unrefer(struct target *target)
{
	world_check_forgotten(target);
	world.by_config = true;
	probe_ref_put(&target->ref);
	world.by_config = false;
	world_stopped(target);
}

void world_refer_all(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		world_refer(&world.targets[i]);
}

void world_apply(void)
{
	world.by_config = true;
	probe_engine_apply(world.engine);
	world.by_config = false;
}

/* Compares every model with its instance. */
void world_check_all(void)
{
	struct probe_instance_view view;

	for (uint32_t i = 0; i < TARGETS; i++) {
		struct target *target = &world.targets[i];

		if (!target->ref)
			continue;
		world_check_forgotten(target);
		world_check_verdict(target);
		probe_instance_view(target->inst, &view);
		assert_int_equal(view.streak, target->streak);
		assert_int_equal(view.phase == PROBE_IN_FLIGHT,
				 target->run_id != 0);
		assert_int_equal(view.counters.runs, target->runs);
		assert_int_equal(view.counters.late, 0);
	}
}
