// SPDX-License-Identifier: GPL-2.0-or-later
/* The engine: verdicts and their texts, schedule, limits, reading. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "probe_fake.h"

/* ------------------------------------------------------------------------ */
/* Verdicts and their texts                                                 */

static void test_life(void **state)
{
	struct probe_ref *ref = get("web", "192.0.2.1");

	(void)state;
	is_verdict(ref, PROBE_UNKNOWN, "probe web is not configured");
	assert_false(armed);
	now += S;
	configure("web", 1000);
	is_verdict(ref, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(changes, 1);
	assert_ptr_equal(changed_last, probe_ref_instance(ref));
	assert_int_equal(view(ref).since_us, T0 + S);

	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_DOWN, "starts down: 1 of 2 passes");
	assert_int_equal(changes, 1);
	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_UP, "up");
	assert_int_equal(changes, 2);
	assert_int_equal(view(ref).since_us, now);

	/* Nobody is told what doesn't change. */
	answers(ref, PROBE_PASS, 10);
	answers(ref, PROBE_TIMEOUT, 2);
	is_verdict(ref, PROBE_UP, "up");
	assert_int_equal(view(ref).window, PROBE_WINDOW_FALLING);
	assert_int_equal(changes, 2);
	answer(ref, PROBE_TIMEOUT, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 3 x timeout");
	assert_int_equal(changes, 3);
	/* The reason says what is wrong now, too; that is no news for users. */
	answers(ref, PROBE_REFUSED, 10);
	is_verdict(ref, PROBE_DOWN, "down: 3 x timeout; now connection refused");
	answer(ref, PROBE_RESPONSE, "status 503");
	is_verdict(ref, PROBE_DOWN,
		   "down: 3 x timeout; now unexpected response (status 503)");
	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 3 x timeout; now 1 of 2 passes");
	answer(ref, PROBE_TIMEOUT, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 3 x timeout");
	assert_int_equal(changes, 3);
	assert_int_equal(view(ref).counters.transitions, 2);
	probe_ref_put(&ref);
	assert_null(ref);
	probe_ref_put(&ref);
}

/* What a probe says of itself may begin with its name: once is enough. */
static void test_reason_text(void **state)
{
	struct probe_ref *ref;
	char why[PROBE_WHY_LEN], text[PROBE_WHY_LEN];

	(void)state;
	ref = get("web", "192.0.2.1");
	probe_ref_verdict(ref, why, sizeof(why));
	probe_reason_text("web", why, text, sizeof(text));
	assert_string_equal(text, "probe web is not configured");
	configure("web", 1000);
	probe_ref_verdict(ref, why, sizeof(why));
	probe_reason_text("web", why, text, sizeof(text));
	assert_string_equal(text, "probe web: starts down: no result yet");
	probe_ref_put(&ref);
}

static void test_start_down_confirmed(void **state)
{
	struct probe_ref *ref, *same, *other;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	is_verdict(ref, PROBE_DOWN, "starts down: no result yet");
	assert_false(probe_ref_settled(ref));
	answers(ref, PROBE_UNREACHABLE, 2);
	assert_false(probe_ref_settled(ref));
	is_verdict(ref, PROBE_DOWN,
		   "starts down: 2 of 3 failures, last unreachable");
	changes = 0;
	answer(ref, PROBE_UNREACHABLE, "host unreachable from 192.0.2.9");
	is_verdict(ref, PROBE_DOWN,
		   "down: 3 x unreachable (host unreachable from 192.0.2.9)");
	/* The text is another; the verdict's age isn't. */
	assert_int_equal(changes, 1);
	assert_int_equal(view(ref).since_us, T0);
	assert_int_equal(view(ref).counters.transitions, 0);
	assert_true(probe_ref_settled(ref));

	same = get("web", "192.0.2.1");
	other = get("web", "192.0.2.2");
	assert_true(probe_ref_same(ref, same));
	assert_false(probe_ref_same(ref, other));
}

static void test_start_up(void **state)
{
	struct probe_ref *ref, *other;
	struct probe_config *config;

	(void)state;
	config = probe_engine_edit(engine, "web");
	config->start = PROBE_START_UP;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	is_verdict(ref, PROBE_UP, "starts up: no result yet");
	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_UP, "starts up: 1 of 2 passes");
	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_UP, "up");

	/* `start` matters to instances without a verdict from results only. */
	other = get("web", "192.0.2.2");
	changes = 0;
	config = probe_engine_edit(engine, "web");
	config->start = PROBE_START_DOWN;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_UP, "up");
	is_verdict(other, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(changes, 1);
}

/* As it is typed: the checks have begun when the line comes. */
static void test_start_comes_late(void **state)
{
	struct probe_config *config;
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_DOWN, "starts down: 1 of 2 passes");
	config = probe_engine_edit(engine, "web");
	config->start = PROBE_START_UP;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_UP, "starts up: no result yet");

	/* Other lines change nothing of it, nor does the same one again. */
	answers(ref, PROBE_REFUSED, 2);
	config = probe_engine_edit(engine, "web");
	config->fall = 4;
	config->start = PROBE_START_UP;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_UP,
		   "starts up: 2 of 4 failures, last connection refused");
	answers(ref, PROBE_REFUSED, 2);
	is_verdict(ref, PROBE_DOWN, "down: 4 x connection refused");

	/* Too late. */
	config = probe_engine_edit(engine, "web");
	config->start = PROBE_START_DOWN;
	probe_engine_apply(engine);
	config = probe_engine_edit(engine, "web");
	config->start = PROBE_START_UP;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_DOWN, "down: 4 x connection refused");
}

static void test_start_up_falls(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref;

	(void)state;
	config->start = PROBE_START_UP;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_REFUSED, 2);
	is_verdict(ref, PROBE_UP,
		   "starts up: 2 of 3 failures, last connection refused");
	answer(ref, PROBE_REFUSED, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 3 x connection refused");
	assert_int_equal(view(ref).counters.transitions, 1);
}

static void test_cause_of_several_kinds(void **state)
{
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	answer(ref, PROBE_TIMEOUT, NULL);
	answer(ref, PROBE_RESPONSE, "status 500");
	answer(ref, PROBE_RESPONSE, "status 503");
	is_verdict(ref, PROBE_DOWN,
		   "down: 3 failures, last unexpected response (status 503)");
	answers(ref, PROBE_PASS, 2);
	answers(ref, PROBE_REFUSED, 2);
	/* The system's text says the same. */
	answer(ref, PROBE_REFUSED, "Connection refused");
	is_verdict(ref, PROBE_DOWN, "down: 3 x connection refused");
	answers(ref, PROBE_PASS, 2);
	answers(ref, PROBE_LOCAL, 2);
	answer(ref, PROBE_LOCAL, "bind: Cannot assign requested address");
	is_verdict(ref, PROBE_DOWN,
		   "down: 3 x local failure (bind: Cannot assign requested address)");
}

/* A local failure counts, also when it is known before start returns. */
static void test_failure_at_once(void **state)
{
	struct probe_ref *ref;

	(void)state;
	at_once = PROBE_LOCAL;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	run_until(T0 + 10 * S + 500 * MS);
	is_verdict(ref, PROBE_DOWN, "down: 3 x local failure (at once)");
	/* No faster than any other. */
	assert_int_equal(starts, 11);
	assert_int_equal(view(ref).counters.results[PROBE_LOCAL], 11);
	assert_int_equal(cancels, 0);
}

/* ------------------------------------------------------------------------ */
/* Schedule                                                                 */

static void test_no_drift(void **state)
{
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	for (int i = 0; i < 100; i++) {
		run_until(T0 + i * S);
		assert_int_equal(starts, i + 1);
		now += 7 * MS * (i % 20); /* an answer takes time */
		answer(ref, PROBE_PASS, NULL);
		assert_int_equal(view(ref).last_rtt_us, 7 * MS * (i % 20));
		assert_int_equal(view(ref).next_us, T0 + (i + 1) * S);
	}
	assert_int_equal(view(ref).counters.late, 0);
}

/* First run: jitter of the interval; the second keeps the distance. */
static void test_jitter(void **state)
{
	struct probe_config *config;
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	random_value = UINT32_MAX;
	ref = get("web", "192.0.2.1");
	assert_int_equal(view(ref).next_us, T0 + 100 * MS - 1);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(view(ref).next_us, T0 + 1100 * MS - 1);

	config = probe_engine_edit(engine, "slow");
	config->interval_ms = 3600000;
	config->jitter = 100;
	probe_engine_apply(engine);
	random_value = 1U << 31;
	ref = get("slow", "192.0.2.1");
	assert_int_equal(view(ref).next_us, now + 1800 * S);

	config = probe_engine_edit(engine, "sharp");
	config->jitter = 0;
	probe_engine_apply(engine);
	ref = get("sharp", "192.0.2.1");
	assert_int_equal(view(ref).next_us, now);
}

static void test_timeout(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_instance *inst;
	struct probe_ref *ref;
	uint64_t id;

	(void)state;
	config->timeout_ms = 300;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	inst = (struct probe_instance *)probe_ref_instance(ref);
	run_until(T0);
	id = ((struct check *)probe_instance_io(inst))->run.id;
	assert_int_equal(view(ref).next_us, T0 + 300 * MS);
	assert_int_equal(view(ref).last_started_us, T0);
	run_until(T0 + 300 * MS - 1);
	assert_int_equal(cancels, 0);
	run_until(T0 + 300 * MS);
	assert_int_equal(cancels, 1);
	assert_int_equal(view(ref).last_result, PROBE_TIMEOUT);
	assert_int_equal(view(ref).next_us, T0 + S);
	assert_int_equal(view(ref).counters.cancelled, 0);

	/* A late reply is a miss; and stays one when the next run is on. */
	assert_false(probe_instance_result(inst, id, PROBE_PASS, -1, NULL));
	run_until(T0 + S);
	assert_false(probe_instance_result(inst, id, PROBE_PASS, -1, NULL));
	assert_int_equal(view(ref).counters.stale, 2);
	assert_int_equal(view(ref).counters.results[PROBE_PASS], 0);
	assert_int_equal(view(ref).phase, PROBE_IN_FLIGHT);

	/* The answer of this one counts once. */
	id = ((struct check *)probe_instance_io(inst))->run.id;
	answer(ref, PROBE_PASS, NULL);
	assert_false(probe_instance_result(inst, id, PROBE_PASS, -1, NULL));
	assert_int_equal(view(ref).counters.results[PROBE_PASS], 1);
	assert_int_equal(view(ref).counters.stale, 3);
	assert_int_equal(view(ref).streak, 1);
}

/* Time-out longer than the interval: the next begins when this one ends. */
static void test_never_overlapping(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref;

	(void)state;
	config->interval_ms = 100;
	config->timeout_ms = 250;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	run_until(T0 + 1000 * MS - 1);
	assert_int_equal(starts, 4); /* 0, 250, 500, 750 */
	assert_int_equal(view(ref).counters.results[PROBE_TIMEOUT], 3);
	assert_int_equal(view(ref).counters.late, 0);
}

/* What the type measured decides, when it did. */
static void test_measured_rtt(void **state)
{
	struct probe_instance *inst;
	struct probe_ref *ref;
	struct check *check;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	inst = (struct probe_instance *)probe_ref_instance(ref);
	for (int i = 0; i < 2; i++) {
		run_until(T0 + i * S);
		check = probe_instance_io(inst);
		check->run.id = 0;
		in_flight--;
		now += 5 * MS;
		assert_true(probe_instance_result(inst, check->last_id,
						  PROBE_PASS, S + i,
						  "status 200"));
	}
	assert_int_equal(view(ref).counters.results[PROBE_PASS], 1);
	assert_int_equal(view(ref).counters.results[PROBE_TIMEOUT], 1);
	assert_int_equal(view(ref).last_result, PROBE_TIMEOUT);
	assert_string_equal(view(ref).last_detail, "answer after 1000 ms");
	assert_int_equal(view(ref).last_rtt_us, S);
	assert_int_equal(view(ref).last_result_us, now);
}

static void test_fast_interval(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref;
	int64_t due;

	(void)state;
	config->interval_ms = 10000;
	config->fast_interval_ms = 200;
	config->jitter = 0;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	answer(ref, PROBE_PASS, NULL); /* rising */
	assert_int_equal(view(ref).next_us, T0 + 200 * MS);
	answer(ref, PROBE_PASS, NULL); /* up */
	due = T0 + 10200 * MS;
	assert_int_equal(view(ref).next_us, due);
	answer(ref, PROBE_REFUSED, NULL); /* falling */
	assert_int_equal(view(ref).next_us, due + 200 * MS);
	answer(ref, PROBE_REFUSED, NULL);
	assert_int_equal(view(ref).next_us, due + 400 * MS);
	answer(ref, PROBE_REFUSED, NULL); /* down */
	assert_int_equal(view(ref).next_us, due + 10400 * MS);
	answer(ref, PROBE_REFUSED, NULL);
	assert_int_equal(view(ref).next_us, due + 20400 * MS);
}

static void configure_tcp(const char *name)
{
	struct probe_config *config = probe_engine_edit(engine, name);

	config->type = PROBE_TYPE_TCP;
	config->port = 80;
	config->jitter = 0;
	probe_engine_apply(engine);
}

static void is_load(size_t open, size_t queued)
{
	struct probe_engine_load load;

	probe_engine_load(engine, &load);
	assert_int_equal(load.open, open);
	assert_int_equal(load.queued, queued);
}

/* Silent targets have all descriptors: a good one waits, and doesn't fail. */
static void test_sockets(void **state)
{
	struct probe_ref *dead[4], *good, *ping;

	(void)state;
	probe_engine_limit(engine, 2);
	configure_tcp("tcp");
	configure("ping", 1000);
	dead[0] = get("tcp", "192.0.2.1");
	dead[1] = get("tcp", "192.0.2.2");
	run_until(T0);
	fate[4] = PROBE_PASS;
	now = T0 + MS;
	dead[2] = get("tcp", "192.0.2.3");
	now = T0 + 2 * MS;
	good = get("tcp", "192.0.2.4");
	now = T0 + 3 * MS;
	dead[3] = get("tcp", "192.0.2.5");
	ping = get("ping", "192.0.2.6");
	run_until(now);
	is_load(2, 3);
	assert_int_equal(view(ping).phase, PROBE_IN_FLIGHT);
	assert_int_equal(starts, 3);

	/* In the order in which they came due; each where it was due. */
	answer(dead[0], PROBE_REFUSED, NULL);
	run_until(now);
	is_load(2, 2);
	assert_int_equal(view(dead[2]).phase, PROBE_IN_FLIGHT);
	assert_int_equal(view(good).phase, PROBE_WAITING);
	assert_int_equal(view(good).next_us, T0 + 2 * MS);
	run_until(T0 + S);
	/* Two time-outs; the good one makes room at once. */
	assert_int_equal(view(good).counters.results[PROBE_PASS], 1);
	assert_int_equal(view(good).next_us, T0 + 2 * MS + S);
	assert_int_equal(view(dead[3]).phase, PROBE_IN_FLIGHT);
	assert_int_equal(view(good).counters.late, 1);
	assert_true(view(good).late_max_us <= S);

	run_until(T0 + 60 * S);
	assert_true(view(good).counters.results[PROBE_PASS] >= 20);
	assert_int_equal(view(good).counters.transitions, 1);
	is_verdict(good, PROBE_UP, "up");
}

/* What waits is stopped, changed, freed; nobody behind it waits for ever. */
static void test_sockets_given_up(void **state)
{
	struct probe_ref *first, *second, *third;

	(void)state;
	probe_engine_limit(engine, 1);
	configure_tcp("a");
	configure_tcp("b");
	configure_tcp("c");
	first = get("a", "192.0.2.1");
	run_until(now);
	now += MS;
	second = get("b", "192.0.2.2");
	run_until(now);
	now += MS;
	third = get("c", "192.0.2.3");
	run_until(now);
	is_load(1, 2);
	/* The next one is due, and goes before it has begun. */
	answer(first, PROBE_REFUSED, NULL);
	probe_ref_put(&second);
	run_until(now);
	assert_int_equal(view(third).phase, PROBE_IN_FLIGHT);
	is_load(1, 0);

	/* One that isn't of this kind any more doesn't wait. */
	second = get("b", "192.0.2.2");
	run_until(now);
	is_load(1, 1);
	configure("b", 500);
	probe_engine_edit(engine, "b")->type = PROBE_TYPE_ICMP;
	probe_engine_apply(engine);
	run_until(now + S / 2);
	assert_int_equal(view(second).phase, PROBE_IN_FLIGHT);
	is_load(1, 0);
	deconfigure("c");
	is_load(0, 0);
	run_until(now + 5 * S);
	assert_true(view(first).counters.runs >= 4);
}

/* A stalled loop: one run makes up for all that were missed. */
static void test_stall(void **state)
{
	struct probe_ref *ref;

	(void)state;
	at_once = PROBE_PASS;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	run_until(T0);
	assert_int_equal(starts, 1);
	now = T0 + 60 * S + 300 * MS;
	run_until(now);
	/* The one that was due at T0 + 1 s, and the next after it. */
	assert_int_equal(starts, 3);
	assert_int_equal(view(ref).counters.late, 1);
	assert_int_equal(view(ref).late_max_us, 59300 * MS);
	assert_int_equal(view(ref).next_us, now + S);
	run_until(now + 10 * S);
	assert_int_equal(starts, 13);
}

/* Late is later than the loop's usual grain. */
static void test_late(void **state)
{
	struct probe_ref *ref;

	(void)state;
	at_once = PROBE_PASS;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	now = T0 + PROBE_LATE_US;
	run_until(now);
	assert_int_equal(view(ref).counters.late, 0);
	assert_int_equal(view(ref).late_max_us, PROBE_LATE_US);
	now = T0 + S + PROBE_LATE_US + 1;
	run_until(now);
	assert_int_equal(view(ref).counters.late, 1);
	assert_int_equal(view(ref).late_max_us, PROBE_LATE_US + 1);
	/* Lateness doesn't move the schedule. */
	assert_int_equal(view(ref).next_us, T0 + 2 * S);
}

/* A thousand at once: in bursts, and each exactly once. */
static void test_bursts(void **state)
{
	struct probe_ref *refs[1000];
	struct ipaddr ip = addr("10.0.0.0");
	unsigned int before;

	(void)state;
	at_once = PROBE_PASS;
	configure("web", 1000);
	for (int i = 0; i < 1000; i++) {
		ip.ipaddr_v4.s_addr = htonl(0x0a000000 + i + 1);
		refs[i] = probe_ref_get("web", "default", &ip);
	}
	for (int i = 0; i < 1000; i += PROBE_RUN_BURST) {
		before = starts;
		assert_true(armed);
		assert_int_equal(armed_at, T0);
		armed = false;
		probe_engine_run(engine);
		assert_true(starts - before <= PROBE_RUN_BURST);
	}
	assert_int_equal(starts, 1000);
	assert_int_equal(armed_at, T0 + S);
	for (int i = 0; i < 1000; i++)
		probe_ref_put(&refs[i]);
	assert_int_equal(probe_engine_instances(engine), 1000);
	run_until(now + PROBE_LINGER_US);
	assert_int_equal(probe_engine_instances(engine), 0);
	assert_int_equal(gone, 1000);
	assert_false(armed);
}

/* A start that takes long delays nobody's deadline. */
static void test_slow_start(void **state)
{
	struct probe_ref *a, *b;

	(void)state;
	start_cost = 20 * MS;
	configure("web", 1000);
	a = get("web", "192.0.2.1");
	b = get("web", "192.0.2.2");
	run_until(T0 + 50 * MS);
	assert_int_equal(starts, 2);
	assert_int_equal(view(a).next_us, T0 + S);
	assert_int_equal(view(b).next_us, T0 + 20 * MS + S);
	assert_int_equal(view(b).counters.late + view(a).counters.late, 1);
}

/* ------------------------------------------------------------------------ */
/* Limits, order, reading                                                   */

static void test_limit(void **state)
{
	struct probe_ref **refs, *refused, *same, *target;
	struct ipaddr ip = addr("10.0.0.0");

	(void)state;
	refs = calloc(PROBE_INSTANCES_MAX, sizeof(*refs));
	configure("web", 60000);
	for (int i = 0; i < PROBE_INSTANCES_MAX; i++) {
		ip.ipaddr_v4.s_addr = htonl(0x0a000000 + i + 1);
		refs[i] = probe_ref_get("web", "default", &ip);
	}
	assert_int_equal(probe_engine_instances(engine), PROBE_INSTANCES_MAX);
	assert_int_equal(probe_engine_refused(engine), 0);

	refused = get("web", "192.0.2.1");
	assert_null(probe_ref_instance(refused));
	is_verdict(refused, PROBE_UNKNOWN,
		   "probe web: limit of 65536 instances reached");
	set_target("gw", "192.0.2.2");
	assert_int_equal(probe_engine_refused(engine), 2);
	/* What exists can be referred to. */
	same = get("web", "10.0.0.1");
	assert_non_null(probe_ref_instance(same));
	/* A change of the target while refused. */
	set_target("gw", "192.0.2.3");
	assert_int_equal(probe_engine_refused(engine), 2);

	/* Room for one. */
	changes = 0;
	probe_ref_put(&refs[1]);
	assert_int_equal(changes, 1);
	assert_null(changed_last);
	is_verdict(refused, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(probe_engine_instances(engine), PROBE_INSTANCES_MAX);
	assert_int_equal(probe_engine_refused(engine), 1);

	/* A refused one goes without trace. */
	target = get("web", "192.0.2.77");
	assert_int_equal(probe_engine_refused(engine), 2);
	probe_ref_put(&target);
	assert_int_equal(probe_engine_refused(engine), 1);
	probe_ref_put(&refused);
	assert_int_equal(probe_engine_refused(engine), 0);
	assert_non_null(find("gw", "default", "192.0.2.3"));
	free(refs);
}

static void test_order(void **state)
{
	static const char *const names[] = { "b", "a", "B", "b.1", "c" };
	static const char *const sorted[] = { "B", "a", "b", "b.1", "c" };
	const struct probe_def *def = NULL;
	struct probe_instance *inst;
	struct ipaddr ip;
	char text[256] = "", buf[64];

	(void)state;
	for (size_t i = 0; i < array_size(names); i++)
		configure(names[i], 1000);
	for (size_t i = 0; i < array_size(sorted); i++) {
		def = probe_def_next(engine, def);
		assert_string_equal(probe_def_name(def), sorted[i]);
	}
	assert_null(probe_def_next(engine, def));
	assert_string_equal(probe_def_name(probe_def_after(engine, "")), "B");
	assert_string_equal(probe_def_name(probe_def_after(engine, "b")), "b.1");
	assert_string_equal(probe_def_name(probe_def_after(engine, "b.0")),
			    "b.1");
	assert_null(probe_def_after(engine, "c"));

	for (int i = 2; i >= 0; i--) {
		static const char *const vrfs[] = { "blue", "default", "red" };
		static const char *const targets[] = {
			"2001:db8::1", "192.0.2.2", "192.0.2.10", "10.0.0.9"
		};

		for (size_t k = 0; k < array_size(targets); k++) {
			ip = addr(targets[k]);
			probe_ref_get("a", vrfs[i], &ip);
		}
	}
	def = probe_def_find(engine, "a");
	assert_int_equal(probe_def_instances(def), 12);
	for (inst = probe_instance_next(def, NULL); inst;
	     inst = probe_instance_next(def, inst)) {
		assert_ptr_equal(probe_instance_def(inst), def);
		assert_ptr_equal(probe_instance_config(inst),
				 probe_def_config(def));
		ipaddr2str(probe_instance_target(inst), buf, sizeof(buf));
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%c%s ", probe_instance_vrf(inst)[0], buf);
	}
	assert_string_equal(text,
			    "b10.0.0.9 b192.0.2.2 b192.0.2.10 b2001:db8::1 "
			    "d10.0.0.9 d192.0.2.2 d192.0.2.10 d2001:db8::1 "
			    "r10.0.0.9 r192.0.2.2 r192.0.2.10 r2001:db8::1 ");
	assert_null(find("a", "green", "10.0.0.9"));
	assert_null(find("a", "red", "10.0.0.10"));
}

static void test_view(void **state)
{
	struct probe_instance_view seen;
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	seen = view(ref);
	assert_string_equal(seen.name, "web");
	assert_string_equal(seen.vrf, "default");
	assert_int_equal(seen.phase, PROBE_WAITING);
	assert_int_equal(seen.references, 1);
	assert_false(seen.have_result);
	assert_int_equal(seen.last_started_us, 0);
	assert_int_equal(seen.last_rtt_us, -1);

	answer(ref, PROBE_PASS, "status 200");
	answer(ref, PROBE_RESPONSE, "status 404");
	answer(ref, PROBE_PASS, NULL);
	seen = view(ref);
	assert_true(seen.have_result);
	assert_int_equal(seen.last_result, PROBE_PASS);
	assert_string_equal(seen.last_detail, "");
	assert_int_equal(seen.last_started_us, T0 + 2 * S);
	assert_int_equal(seen.next_us, T0 + 3 * S);
	assert_int_equal(seen.counters.runs, 3);
	assert_int_equal(seen.counters.results[PROBE_PASS], 2);
	assert_int_equal(seen.counters.results[PROBE_RESPONSE], 1);
	assert_int_equal(seen.streak, 1);
	assert_int_equal(seen.window, PROBE_WINDOW_RISING);
	assert_string_equal(seen.why, "starts down: 1 of 2 passes");
	assert_int_equal(probe_instance_verdict(probe_ref_instance(ref), NULL,
						0),
			 PROBE_DOWN);
}

/* Everything at once, at the end: nothing leaks, nothing is left in flight. */
static void test_engine_free(void **state)
{
	struct probe_engine *none = NULL;
	struct ipaddr ip = addr("10.0.0.0");

	(void)state;
	set_target("gw", "192.0.2.1");
	for (int i = 1; i <= 100; i++) {
		ip.ipaddr_v4.s_addr = htonl(0x0a000000 + i);
		probe_ref_get(i % 2 ? "web" : "gw", i % 3 ? "red" : "default",
			      &ip);
	}
	configure("web", 1000);
	run_until(T0 + 500 * MS);
	assert_int_equal(in_flight, 52);
	probe_engine_edit(engine, "new");
	probe_engine_edit(engine, "web");
	probe_engine_remove(engine, "gw");
	probe_engine_free(&engine);
	assert_int_equal(in_flight, 0);
	/* And "gw", which ran by itself before it had a user. */
	assert_int_equal(gone, 53);
	assert_int_equal(disarms, 1);
	probe_engine_free(&none);
}

/*
 * Case 31: 100 probes, 50 of them of black holes, each start taking 0.1 ms: every
 * decision within 50 ms of when it is due, and the others never miss.
 */
static void test_black_holes(void **state)
{
	int64_t deadline[100] = {}, worst = 0;
	struct probe_ref *refs[100];
	struct probe_config *config;
	unsigned int down = 0;
	char text[32];

	(void)state;
	config = probe_engine_edit(engine, "p");
	config->interval_ms = 500;
	config->timeout_ms = 300;
	config->threshold = 3;
	config->start = PROBE_START_UP;
	probe_engine_apply(engine);
	start_cost = 100;
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "192.0.2.%d", i);
		fate[i] = i % 2 ? PROBE_RESULT_MAX : PROBE_PASS;
		refs[i] = get("p", text);
	}
	for (int64_t at = T0; at < T0 + 5 * S; at += 100) {
		run_until(at > now ? at : now);
		for (int i = 0; i < 100; i++) {
			const struct check *check =
				probe_instance_io(probe_ref_instance(refs[i]));

			if (!deadline[i] && view(refs[i]).streak == 2 &&
			    check && check->run.id)
				deadline[i] = check->run.deadline_us;
			if (deadline[i] > 0 &&
			    probe_ref_verdict(refs[i], NULL, 0) == PROBE_DOWN) {
				assert_true(now >= deadline[i]);
				if (now - deadline[i] > worst)
					worst = now - deadline[i];
				deadline[i] = -1;
				down++;
			}
		}
	}
	assert_int_equal(down, 50);
	assert_true(worst < 50 * MS);
	for (int i = 0; i < 100; i += 2)
		is_verdict(refs[i], PROBE_UP, "up");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(test_life),
		FAKE_TEST(test_reason_text),
		FAKE_TEST(test_start_down_confirmed),
		FAKE_TEST(test_start_up),
		FAKE_TEST(test_start_comes_late),
		FAKE_TEST(test_start_up_falls),
		FAKE_TEST(test_cause_of_several_kinds),
		FAKE_TEST(test_failure_at_once),
		FAKE_TEST(test_no_drift),
		FAKE_TEST(test_jitter),
		FAKE_TEST(test_timeout),
		FAKE_TEST(test_black_holes),
		FAKE_TEST(test_never_overlapping),
		FAKE_TEST(test_measured_rtt),
		FAKE_TEST(test_fast_interval),
		FAKE_TEST(test_sockets),
		FAKE_TEST(test_sockets_given_up),
		FAKE_TEST(test_stall),
		FAKE_TEST(test_late),
		FAKE_TEST(test_bursts),
		FAKE_TEST(test_slow_start),
		FAKE_TEST(test_limit),
		FAKE_TEST(test_order),
		FAKE_TEST(test_view),
		FAKE_TEST(test_engine_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
