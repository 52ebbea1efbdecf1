/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine with a hand-driven clock, and checks that end when a test says.
 * One test program, one inclusion.
 */
#ifndef TESTS_UNIT_PROBE_FAKE_H
#define TESTS_UNIT_PROBE_FAKE_H

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "probe/probe_engine.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define MS INT64_C(1000)
#define S  INT64_C(1000000)
#define T0 (1000 * S)

/* What a type keeps: attached at the first start, freed by gone(). */
struct check {
	struct probe_attempt run; /* id 0: none in flight */
	uint64_t last_id;
};

/* Every check ends at once in this way; PROBE_RESULT_MAX: not by itself. */
static enum probe_result at_once;
/* Likewise, of targets by the last byte of their IPv4 address. */
static enum probe_result fate[256];

static struct probe_engine *engine;
static int64_t now;
static uint32_t random_value;
static bool armed;
static int64_t armed_at;
static unsigned int arms, disarms, starts, cancels, changes, gone, in_flight;
static unsigned int releases;
static int64_t start_cost; /* how long a start takes */
static bool no_descriptor; /* whatever starts is postponed, if it may be */
static unsigned int shortages;
static const struct probe_instance *changed_last;

static inline int64_t op_now(void *arg)
{
	assert_ptr_equal(arg, &now);
	return now;
}

static uint32_t op_random(void *arg)
{
	assert_ptr_equal(arg, &now);
	return random_value;
}

static inline void op_start(void *arg, struct probe_instance *inst,
			    const struct probe_attempt *run)
{
	const struct ipaddr *target = probe_instance_target(inst);
	struct check *check = probe_instance_io(inst);
	enum probe_result result = at_once;
	const char *detail = result == PROBE_RESULT_MAX ? NULL : "at once";

	assert_ptr_equal(arg, &now);
	if (!check) {
		check = calloc(1, sizeof(*check));
		probe_instance_set_io(inst, check);
	}
	assert_int_equal(check->run.id, 0); /* never two */
	assert_true(run->id > check->last_id);
	assert_int_equal(run->started_us, now);
	assert_true(run->due_us <= now);
	assert_true(run->deadline_us > now);
	starts++;
	in_flight++;
	now += start_cost;
	check->run = *run;
	check->last_id = run->id;
	if (no_descriptor) {
		shortages++;
		check->run.id = 0;
		in_flight--;
		if (!probe_instance_postpone(inst, run->id))
			assert_true(
				probe_instance_result(inst, run->id,
						      PROBE_LOCAL, -1,
						      "too many open files"));
		return;
	}
	if (result == PROBE_RESULT_MAX)
		result = fate[ntohl(target->ipaddr_v4.s_addr) & 0xff];
	if (result == PROBE_RESULT_MAX)
		return;
	check->run.id = 0;
	in_flight--;
	assert_true(probe_instance_result(inst, run->id, result, -1, detail));
}

static inline void op_cancel(void *arg, struct probe_instance *inst)
{
	struct check *check = probe_instance_io(inst);

	assert_ptr_equal(arg, &now);
	assert_non_null(check);
	assert_int_not_equal(check->run.id, 0);
	check->run.id = 0;
	in_flight--;
	cancels++;
}

static inline void op_release(void *arg, struct probe_instance *inst)
{
	struct check *check = probe_instance_io(inst);

	assert_ptr_equal(arg, &now);
	if (check)
		assert_int_equal(check->run.id, 0);
	releases++;
}

static inline void op_gone(void *arg, struct probe_instance *inst)
{
	struct check *check = probe_instance_io(inst);

	assert_ptr_equal(arg, &now);
	if (check)
		assert_int_equal(check->run.id, 0);
	free(check);
	if (changed_last == inst)
		changed_last = NULL;
	gone++;
}

static inline void op_arm(void *arg, int64_t at_us)
{
	assert_ptr_equal(arg, &now);
	assert_false(armed && armed_at == at_us);
	armed = true;
	armed_at = at_us;
	arms++;
}

static inline void op_disarm(void *arg)
{
	assert_ptr_equal(arg, &now);
	assert_true(armed);
	armed = false;
	disarms++;
}

static inline void op_changed(void *arg, const struct probe_instance *inst)
{
	assert_ptr_equal(arg, &now);
	changed_last = inst;
	changes++;
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

static inline int setup(void **state)
{
	(void)state;
	now = T0;
	random_value = 0;
	at_once = PROBE_RESULT_MAX;
	for (size_t i = 0; i < array_size(fate); i++)
		fate[i] = PROBE_RESULT_MAX;
	armed = false;
	start_cost = 0;
	no_descriptor = false;
	shortages = 0;
	releases = 0;
	arms = disarms = starts = cancels = changes = gone = in_flight = 0;
	changed_last = NULL;
	engine = probe_engine_new(&ops, &now);
	probe_engine_set_main(engine);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	probe_engine_free(&engine);
	assert_null(engine);
	assert_int_equal(in_flight, 0);
	assert_false(armed);
	return 0;
}

/* The timer fires at its time, never early. */
static inline void run_until(int64_t until)
{
	assert_true(until >= now);
	while (armed && armed_at <= until) {
		if (now < armed_at)
			now = armed_at;
		armed = false;
		probe_engine_run(engine);
	}
	if (now < until)
		now = until;
}

static inline struct probe_instance *find(const char *name, const char *vrf,
					  const char *target)
{
	const struct probe_def *def = probe_def_find(engine, name);
	struct ipaddr ip = addr(target);

	return def ? probe_instance_find(def, vrf, &ip) : NULL;
}

static inline struct probe_ref *get(const char *name, const char *target)
{
	struct ipaddr ip = addr(target);

	return probe_ref_get(name, "default", &ip);
}

static inline struct probe_instance_view
view_of(const struct probe_instance *inst)
{
	struct probe_instance_view view;

	assert_non_null(inst);
	probe_instance_view(inst, &view);
	return view;
}

static inline struct probe_instance_view view(const struct probe_ref *ref)
{
	return view_of(probe_ref_instance(ref));
}

/* Waits for the next run of the instance and ends it. */
static inline void answer(const struct probe_ref *ref, enum probe_result result,
			  const char *detail)
{
	const struct probe_instance *inst = probe_ref_instance(ref);
	struct probe_instance_view before = view_of(inst);
	struct check *check;

	if (before.phase == PROBE_WAITING)
		run_until(before.next_us);
	assert_int_equal(view_of(inst).phase, PROBE_IN_FLIGHT);
	check = probe_instance_io(inst);
	check->run.id = 0;
	in_flight--;
	assert_true(probe_instance_result((struct probe_instance *)inst,
					  check->last_id, result, -1, detail));
}

static inline void answers(const struct probe_ref *ref,
			   enum probe_result result, int times)
{
	while (times--)
		answer(ref, result, NULL);
}

static inline void configure(const char *name, uint32_t interval_ms)
{
	struct probe_config *config = probe_engine_edit(engine, name);

	assert_non_null(config);
	config->interval_ms = interval_ms;
	probe_engine_apply(engine);
}

static inline void deconfigure(const char *name)
{
	probe_engine_remove(engine, name);
	probe_engine_apply(engine);
}

static inline void is_verdict(const struct probe_ref *ref,
			      enum probe_verdict verdict, const char *text)
{
	char why[PROBE_WHY_LEN] = "?";

	assert_int_equal(probe_ref_verdict(ref, why, sizeof(why)), verdict);
	assert_string_equal(why, text);
	assert_int_equal(probe_ref_verdict(ref, NULL, 0), verdict);
}

static inline void set_target(const char *name, const char *target)
{
	struct probe_config *config = probe_engine_edit(engine, name);

	if (target)
		config->target = addr(target);
	else
		memset(&config->target, 0, sizeof(config->target));
	probe_engine_apply(engine);
}

#define FAKE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif /* TESTS_UNIT_PROBE_FAKE_H */
