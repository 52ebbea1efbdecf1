// SPDX-License-Identifier: GPL-2.0-or-later
/* The engine: checks out of turn, and checks that can't begin in their turn. */
#include "config.h"

#include <string.h>

#include "probe_fake.h"

#define FAST (200 * MS)

static struct probe_ref *up(void)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref;

	config->fast_interval_ms = FAST / MS;
	config->rise = 1;
	config->fall = 1;
	config->jitter = 0;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	answer(ref, PROBE_PASS, NULL);
	is_verdict(ref, PROBE_UP, "up");
	return ref;
}

static bool prompt(const struct probe_ref *ref)
{
	return probe_instance_now(
		(struct probe_instance *)probe_ref_instance(ref));
}

static uint64_t prompted(const struct probe_ref *ref)
{
	return view(ref).counters.prompted;
}

/* At once, and the turns stay where they were. */
static void test_at_once(void **state)
{
	struct probe_ref *ref = up();

	(void)state;
	run_until(T0 + 300 * MS);
	assert_true(prompt(ref));
	assert_int_equal(armed_at, now);
	run_until(now);
	assert_int_equal(starts, 2);
	assert_int_equal(view(ref).phase, PROBE_IN_FLIGHT);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(view(ref).next_us, T0 + S);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(view(ref).next_us, T0 + 2 * S);
	assert_int_equal(prompted(ref), 1);
	assert_int_equal(view(ref).counters.runs, 3);
	assert_int_equal(view(ref).counters.late, 0);
}

/* With fall 1 a failure out of turn is the verdict; turns stay. */
static void test_failure(void **state)
{
	struct probe_ref *ref = up();

	(void)state;
	run_until(T0 + 300 * MS);
	prompt(ref);
	answer(ref, PROBE_REFUSED, NULL);
	assert_int_equal(now, T0 + 300 * MS);
	is_verdict(ref, PROBE_DOWN, "down: 1 x connection refused");
	assert_int_equal(view(ref).next_us, T0 + S);
}

/* Repeated at the fast interval until it is settled; then back to the turns. */
static void test_failures_repeat(void **state)
{
	struct probe_ref *ref = up();

	(void)state;
	probe_engine_edit(engine, "web")->fall = 3;
	probe_engine_apply(engine);
	run_until(T0 + 750 * MS);
	prompt(ref);
	answer(ref, PROBE_REFUSED, NULL);
	assert_int_equal(view(ref).next_us, T0 + 950 * MS);
	answer(ref, PROBE_REFUSED, NULL);
	assert_int_equal(view(ref).next_us, T0 + 1150 * MS);
	answer(ref, PROBE_REFUSED, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 3 x connection refused");
	assert_int_equal(view(ref).next_us, T0 + 2 * S);
	answer(ref, PROBE_REFUSED, NULL);
	assert_int_equal(view(ref).next_us, T0 + 3 * S);
	assert_int_equal(prompted(ref), 1);
}

/* Whatever the number of wishes: one a fast interval. */
static void test_flood(void **state)
{
	struct probe_ref *ref = up();
	unsigned int before;
	int64_t last = 0;

	(void)state;
	run_until(T0 + MS);
	before = starts;
	for (int i = 0; i < 100000; i++) {
		uint64_t was = prompted(ref);

		assert_true(prompt(ref));
		run_until(now + 100);
		if (view(ref).phase == PROBE_IN_FLIGHT)
			answer(ref, PROBE_PASS, NULL);
		if (prompted(ref) == was)
			continue;
		if (last)
			assert_true(view(ref).last_started_us - last >= FAST);
		last = view(ref).last_started_us;
	}
	/* 10 s: one each 200 ms, and one each second in turn */
	assert_between(prompted(ref), 40, 51);
	assert_between(starts - before - prompted(ref), 9, 11);
}

/* A wish that waits is served by the turn, if that comes first. */
static void test_turn_serves(void **state)
{
	struct probe_ref *ref = up();

	(void)state;
	run_until(T0 + 900 * MS);
	prompt(ref);
	answer(ref, PROBE_PASS, NULL);
	prompt(ref);
	assert_int_equal(view(ref).next_us, T0 + S);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(prompted(ref), 1);
	assert_int_equal(view(ref).next_us, T0 + 2 * S);
}

/* The run in flight has begun before what happened: another follows it. */
static void test_in_flight(void **state)
{
	struct probe_ref *ref = up();

	(void)state;
	run_until(T0 + S);
	assert_int_equal(in_flight, 1);
	prompt(ref);
	run_until(T0 + S + 50 * MS);
	assert_int_equal(in_flight, 1);
	assert_int_equal(starts, 2);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(view(ref).next_us, T0 + S + 50 * MS);
	answer(ref, PROBE_REFUSED, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 1 x connection refused");
	assert_int_equal(prompted(ref), 1);
	assert_int_equal(view(ref).next_us, T0 + 2 * S);
}

/* The first run of all; its turn stays where jitter has put it. */
static void test_before_the_first(void **state)
{
	struct probe_ref *ref;

	(void)state;
	random_value = 1U << 31;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	assert_int_equal(view(ref).next_us, T0 + 50 * MS);
	prompt(ref);
	assert_int_equal(view(ref).next_us, T0);
	at_once = PROBE_REFUSED;
	run_until(T0);
	assert_int_equal(view(ref).next_us, T0 + 50 * MS);
	assert_int_equal(starts, 1);
}

/* New times and a new check keep the wish; a stop forgets it. */
static void test_reconfigured(void **state)
{
	struct probe_ref *ref = up();

	(void)state;
	run_until(T0 + 300 * MS);
	prompt(ref);
	answer(ref, PROBE_PASS, NULL);
	prompt(ref);
	assert_int_equal(view(ref).next_us, T0 + 500 * MS);
	probe_engine_edit(engine, "web")->interval_ms = 5000;
	probe_engine_apply(engine);
	assert_int_equal(view(ref).next_us, T0 + 500 * MS);
	strlcpy(probe_engine_edit(engine, "web")->ifname, "eth0",
		PROBE_IFNAME_LEN);
	probe_engine_apply(engine);
	assert_int_equal(view(ref).next_us, T0 + 500 * MS);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(prompted(ref), 2);

	prompt(ref);
	deconfigure("web");
	assert_false(prompt(ref));
	assert_int_equal(view(ref).phase, PROBE_STOPPED);
	configure("web", 5000);
	assert_int_equal(view(ref).next_us, T0 + 5 * S);
}

/* A thousand that all fail at one moment are spread out again afterwards. */
static void test_spread(void **state)
{
	struct probe_ref *refs[200];
	int64_t due[200];

	(void)state;
	probe_engine_edit(engine, "web")->jitter = 100;
	probe_engine_apply(engine);
	at_once = PROBE_PASS;
	for (size_t i = 0; i < array_size(refs); i++) {
		char target[24];

		random_value = (uint32_t)i * (UINT32_MAX / 200);
		snprintf(target, sizeof(target), "192.0.2.%zu", i + 1);
		refs[i] = get("web", target);
		due[i] = view(refs[i]).next_us;
	}
	run_until(T0 + 10 * S + 1);
	at_once = PROBE_REFUSED;
	for (size_t i = 0; i < array_size(refs); i++)
		assert_true(prompt(refs[i]));
	run_until(T0 + 20 * S + 1);
	for (size_t i = 0; i < array_size(refs); i++) {
		is_verdict(refs[i], PROBE_DOWN,
			   "down: 3 x connection refused (at once)");
		assert_int_equal(prompted(refs[i]), 1);
		assert_int_equal((view(refs[i]).next_us - due[i]) % S, 0);
		probe_ref_put(&refs[i]);
	}
}

static struct probe_ref *tcp(const char *name, const char *target)
{
	struct probe_config *config = probe_engine_edit(engine, name);

	config->type = PROBE_TYPE_TCP;
	config->port = 80;
	config->jitter = 0;
	probe_engine_apply(engine);
	return get(name, target);
}

static void is_load(size_t open, size_t queued)
{
	struct probe_engine_load load;

	probe_engine_load(engine, &load);
	assert_int_equal(load.open, open);
	assert_int_equal(load.queued, queued);
}

/* What waits for a descriptor keeps its place, and runs. */
static void test_queued(void **state)
{
	struct probe_ref *a, *b, *c;

	(void)state;
	probe_engine_limit(engine, 1);
	a = tcp("a", "192.0.2.1");
	run_until(now += MS);
	b = tcp("b", "192.0.2.2");
	run_until(now += MS);
	c = tcp("c", "192.0.2.3");
	run_until(now);
	is_load(1, 2);

	/* Before its first turn; wishes don't overtake. */
	assert_true(prompt(c));
	assert_true(prompt(b));
	assert_true(prompt(b));
	is_load(1, 2);
	assert_int_equal(view(b).next_us, T0 + MS);
	answer(a, PROBE_REFUSED, NULL);
	run_until(now);
	assert_int_equal(view(b).phase, PROBE_IN_FLIGHT);
	is_load(1, 1);
	answer(b, PROBE_PASS, NULL);
	assert_int_equal(view(b).next_us, T0 + MS + S);
	run_until(now);
	assert_int_equal(view(c).phase, PROBE_IN_FLIGHT);
	answer(c, PROBE_PASS, NULL);
	assert_int_equal(prompted(b), 0);

	/* After it; the wish has been served, the next is one of its own. */
	answer(a, PROBE_PASS, NULL);
	answer(b, PROBE_PASS, NULL);
	answer(c, PROBE_PASS, NULL);
	run_until(T0 + 2 * S);
	assert_int_equal(view(a).phase, PROBE_IN_FLIGHT);
	run_until(T0 + 2 * S + MS);
	is_load(1, 1);
	assert_true(prompt(b));
	is_load(1, 1);
	answer(a, PROBE_REFUSED, NULL);
	run_until(now);
	assert_int_equal(view(b).phase, PROBE_IN_FLIGHT);
	answer(b, PROBE_PASS, NULL);
	assert_int_equal(view(b).next_us, T0 + MS + 3 * S);
	assert_true(prompt(b));
	assert_int_equal(view(b).next_us, now);

	/* The run out of turn itself waits. */
	run_until(T0 + 2 * S + 2 * MS);
	answer(b, PROBE_PASS, NULL);
	run_until(now);
	assert_int_equal(view(c).phase, PROBE_IN_FLIGHT);
	run_until(now + 100 * MS);
	assert_true(prompt(a));
	run_until(now);
	is_load(1, 1);
	assert_true(prompt(a));
	answer(c, PROBE_PASS, NULL);
	run_until(now);
	assert_int_equal(view(a).phase, PROBE_IN_FLIGHT);
	assert_int_equal(prompted(a), 1);
	is_load(1, 0);
}

/* Others have all descriptors: a service that lives doesn't fail for it. */
static void test_shortage(void **state)
{
	struct probe_ref *a, *b, *ping;
	unsigned int before;

	(void)state;
	probe_engine_limit(engine, 10);
	a = tcp("a", "192.0.2.1");
	b = tcp("b", "192.0.2.2");
	ping = get("ping", "192.0.2.3");
	configure("ping", 1000);
	at_once = PROBE_PASS;
	run_until(T0 + 2 * S + 500 * MS);
	is_verdict(a, PROBE_UP, "up");

	no_descriptor = true;
	before = starts;
	run_until(T0 + 3 * S + 50 * MS);
	/* One with a socket has tried it for all; of the others each does. */
	assert_between(starts - before, 1, 2);
	is_load(0, 3);
	no_descriptor = false;
	run_until(T0 + 3 * S + 200 * MS);
	is_load(0, 0);
	assert_int_equal(view(a).counters.results[PROBE_LOCAL], 0);
	assert_int_equal(view(b).counters.results[PROBE_LOCAL], 0);
	assert_int_equal(view(a).counters.runs,
			 view(a).counters.results[PROBE_PASS]);
	assert_int_equal(view(b).counters.late, 1);
	/* Turns stay. */
	assert_int_equal(view(a).next_us, T0 + 4 * S);
	assert_int_equal(view(b).next_us, T0 + 4 * S);
	assert_int_equal(view(ping).counters.results[PROBE_LOCAL], 0);

	/* For long: a try each tenth of a second, and no timer that spins. */
	deconfigure("ping");
	probe_ref_put(&ping);
	no_descriptor = true;
	before = shortages;
	run_until(T0 + 30 * S);
	assert_between(shortages - before, 255, 265);
	assert_int_equal(view(a).counters.results[PROBE_LOCAL], 0);
	is_verdict(a, PROBE_UP, "up");
	is_verdict(b, PROBE_UP, "up");
	/* For too long: nobody knows whether it lives. */
	run_until(T0 + 40 * S);
	is_verdict(a, PROBE_DOWN,
		   "down: 3 x local failure (too many open files)");
	is_verdict(b, PROBE_DOWN,
		   "down: 3 x local failure (too many open files)");
	before = shortages;
	run_until(T0 + 50 * S);
	assert_between(shortages - before, 18, 22);

	/* It has an end, and the next shortage is another one. */
	no_descriptor = false;
	run_until(T0 + 55 * S);
	is_verdict(a, PROBE_UP, "up");
	no_descriptor = true;
	run_until(T0 + 80 * S);
	is_verdict(a, PROBE_UP, "up");
	is_verdict(b, PROBE_UP, "up");
}

/* A run that ends leaves a descriptor: no need to wait. */
static void test_shortage_ends(void **state)
{
	struct probe_ref *a, *b, *c;

	(void)state;
	a = tcp("a", "192.0.2.1");
	run_until(now);
	assert_int_equal(in_flight, 1);
	no_descriptor = true;
	b = tcp("b", "192.0.2.2");
	c = tcp("c", "192.0.2.3");
	run_until(now);
	is_load(1, 2);
	no_descriptor = false;
	answer(a, PROBE_PASS, NULL);
	run_until(now);
	is_load(2, 0);
	assert_int_equal(now, T0);
	answer(b, PROBE_PASS, NULL);
	answer(c, PROBE_PASS, NULL);

	/* One that is wanted, and one that is stopped, while they wait. */
	no_descriptor = true;
	run_until(T0 + S);
	is_load(0, 3);
	assert_true(prompt(b));
	probe_ref_put(&a);
	deconfigure("c");
	is_load(0, 1);
	no_descriptor = false;
	run_until(T0 + S + 100 * MS);
	assert_int_equal(view(b).phase, PROBE_IN_FLIGHT);
	answer(b, PROBE_PASS, NULL);
	assert_int_equal(prompted(b), 0);
	assert_int_equal(view(c).phase, PROBE_STOPPED);

	/* A run out of turn that has no descriptor counts once. */
	run_until(T0 + S + 300 * MS);
	no_descriptor = true;
	assert_true(prompt(b));
	run_until(T0 + S + 600 * MS);
	no_descriptor = false;
	run_until(T0 + S + 700 * MS);
	answer(b, PROBE_PASS, NULL);
	assert_int_equal(prompted(b), 1);
	assert_int_equal(view(b).counters.runs, 3);
	assert_int_equal(view(b).next_us, T0 + 2 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(test_at_once),	  FAKE_TEST(test_failure),
		FAKE_TEST(test_failures_repeat),  FAKE_TEST(test_flood),
		FAKE_TEST(test_turn_serves),	  FAKE_TEST(test_in_flight),
		FAKE_TEST(test_before_the_first), FAKE_TEST(test_reconfigured),
		FAKE_TEST(test_spread),		  FAKE_TEST(test_queued),
		FAKE_TEST(test_shortage),	  FAKE_TEST(test_shortage_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
