// SPDX-License-Identifier: GPL-2.0-or-later
/* Types that watch: events, what is kept and given back, no target. */
#include "probe_fake.h"

#define NO_TARGET "0.0.0.0"

static struct probe_config *edit(const char *name)
{
	struct probe_config *config = probe_engine_edit(engine, name);

	config->type = PROBE_TYPE_INTERFACE;
	strlcpy(config->ifname, "eth0", sizeof(config->ifname));
	return config;
}

static void watch(const char *name)
{
	edit(name);
	probe_engine_apply(engine);
}

/* Whoever uses it, whatever for: one instance in a VRF. */
static void test_no_target(void **state)
{
	struct probe_ref *a, *b;

	at_once = PROBE_PASS;
	a = get("link", "192.0.2.1");
	watch("link");
	b = get("link", "2001:db8::1");
	assert_true(probe_ref_same(a, b));
	assert_non_null(find("link", "default", NO_TARGET));
	run_until(now + S);
	is_verdict(a, PROBE_UP, "up");
	probe_ref_put(&a);
	probe_ref_put(&b);
	/* Also when nobody uses it. */
	assert_int_equal(view_of(find("link", "default", NO_TARGET)).references,
			 1);

	/* Another type: each its own again. */
	a = get("link", "192.0.2.1");
	b = get("link", "192.0.2.2");
	probe_engine_edit(engine, "link")->type = PROBE_TYPE_ICMP;
	probe_engine_apply(engine);
	assert_false(probe_ref_same(a, b));
	probe_ref_put(&a);
	probe_ref_put(&b);
}

/* It couldn't run for a while: when it can it is known at once, too. */
static void test_valid_again(void **state)
{
	struct probe_instance *inst;

	watch("link");
	probe_engine_edit(engine, "link")->interval_ms = 3600000;
	probe_engine_apply(engine);
	inst = find("link", "default", NO_TARGET);
	at_once = PROBE_NOT_UP;
	run_until(now);
	assert_int_equal(view_of(inst).counters.runs, 1);
	probe_engine_edit(engine, "link")->ifname[0] = '\0';
	probe_engine_apply(engine);
	run_until(now + S);
	assert_int_equal(view_of(inst).counters.runs, 1);
	watch("link");
	at_once = PROBE_PASS;
	run_until(now);
	assert_int_equal(view_of(inst).counters.runs, 2);
	assert_int_equal(view_of(inst).verdict, PROBE_UP);
}

static void check_way(const struct probe_ref *ref, const char *text,
		      bool is_watched)
{
	struct prefix to, wanted = {};
	const char *vrf = NULL;
	bool watched;

	if (!text) {
		assert_false(probe_ref_way(ref, &vrf, &to, &watched));
		return;
	}
	assert_int_equal(str2prefix(text, &wanted), 1);
	assert_true(probe_ref_way(ref, &vrf, &to, &watched));
	assert_int_equal(watched, is_watched);
	assert_true(prefix_same(&to, &wanted));
	assert_string_equal(vrf, "default");
}

/* What a check depends on in the RIB: only if it can be known. */
static void test_way(void **state)
{
	static const struct {
		enum probe_type_id type;
		bool known;
	} types[] = {
		{ PROBE_TYPE_ICMP, true },     { PROBE_TYPE_TCP, true },
		{ PROBE_TYPE_HTTP, true },     { PROBE_TYPE_HTTPS, true },
		{ PROBE_TYPE_DNS, true },      { PROBE_TYPE_BFD, true },
		{ PROBE_TYPE_COMMAND, false }, { PROBE_TYPE_HEARTBEAT, false },
	};
	struct probe_ref *v4, *v6;

	at_once = PROBE_PASS;
	for (size_t i = 0; i < array_size(types); i++) {
		probe_engine_edit(engine, "way")->type = types[i].type;
		probe_engine_apply(engine);
		v4 = get("way", "192.0.2.1");
		v6 = get("way", "2001:db8::1");
		check_way(v4, types[i].known ? "192.0.2.1/32" : NULL, false);
		check_way(v6, types[i].known ? "2001:db8::1/128" : NULL, false);
		probe_ref_put(&v4);
		probe_ref_put(&v6);
	}
	watch("way");
	v4 = get("way", "192.0.2.1");
	check_way(v4, NULL, false);
	probe_engine_edit(engine, "way")->type = PROBE_TYPE_ROUTE;
	probe_engine_apply(engine);
	check_way(v4, NULL, false);
	str2prefix("10.0.0.0/8", &probe_engine_edit(engine, "way")->prefix);
	probe_engine_apply(engine);
	check_way(v4, "10.0.0.0/8", true);
	probe_ref_put(&v4);
}

/* One result is enough, and none waits for the interval. */
static void test_event(void **state)
{
	struct probe_instance *inst;
	unsigned int before;

	edit("link")->interval_ms = 3600000;
	probe_engine_edit(engine, "link")->jitter = 0;
	probe_engine_apply(engine);
	inst = find("link", "default", NO_TARGET);
	at_once = PROBE_NOT_UP;
	run_until(now);
	assert_int_equal(view_of(inst).verdict, PROBE_DOWN);
	assert_string_equal(view_of(inst).why, "down: 1 x not up (at once)");
	for (int i = 0; i < 20; i++) {
		at_once = i % 2 ? PROBE_NOT_UP : PROBE_PASS;
		before = starts;
		probe_instance_event(inst);
		probe_instance_event(inst); /* both are served by one look */
		run_until(now);
		assert_int_equal(starts, before + 1);
		assert_int_equal(view_of(inst).verdict,
				 i % 2 ? PROBE_DOWN : PROBE_UP);
	}
	/* Events behind an announced look that may not come yet. */
	probe_instance_now(inst);
	run_until(now);
	at_once = PROBE_PASS;
	probe_instance_now(inst);
	run_until(now);
	assert_int_equal(view_of(inst).verdict, PROBE_DOWN);
	probe_instance_event(inst);
	run_until(now);
	assert_int_equal(view_of(inst).verdict, PROBE_UP);
}

/* The types' looks are never in flight; another's is not disturbed. */
static void test_event_in_flight_and_stopped(void **state)
{
	struct probe_ref *ref = get("ping", "192.0.2.1");
	struct probe_instance *inst;

	configure("ping", 1000);
	inst = find("ping", "default", "192.0.2.1");
	run_until(now + 500 * MS);
	assert_int_equal(view_of(inst).phase, PROBE_IN_FLIGHT);
	probe_instance_event(inst);
	run_until(now);
	assert_int_equal(starts, 1);
	answer(ref, PROBE_PASS, NULL);
	deconfigure("ping");
	probe_instance_event(inst);
	run_until(now);
	assert_int_equal(starts, 1);
	probe_ref_put(&ref);
}

/* A type that counts for itself hears of new numbers at once, once. */
static void test_new_times(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "beat");
	struct probe_instance *inst;
	unsigned int before;

	config->type = PROBE_TYPE_HEARTBEAT;
	config->target = addr("192.0.2.1");
	config->port = 7400;
	config->interval_ms = 3600000;
	probe_config_text_set(&config->key_chain, "x");
	probe_engine_apply(engine);
	inst = find("beat", "default", "192.0.2.1");
	run_until(now + S);
	/* Nothing known yet. */
	assert_int_equal(view_of(inst).phase, PROBE_IN_FLIGHT);
	for (int i = 0; i < 3; i++) {
		config = probe_engine_edit(engine, "beat");
		if (i == 0)
			config->fall = 2;
		else if (i == 1)
			config->rise = 5;
		else
			config->timeout_ms = 77;
		before = starts;
		at_once = PROBE_PASS; /* answered from the first on */
		probe_engine_apply(engine);
		run_until(now + S);
		assert_int_equal(starts, before + 1);
		assert_int_equal(view_of(inst).verdict, PROBE_UP);
		assert_int_equal(releases, 0);
	}
	/* One that isn't kept: its result is final whatever rise and fall say. */
	at_once = PROBE_TIMEOUT;
	probe_instance_event(inst);
	run_until(now);
	assert_int_equal(view_of(inst).verdict, PROBE_DOWN);
}

static void test_release(void **state)
{
	unsigned int before;

	at_once = PROBE_PASS;
	watch("link");
	run_until(now + S);
	releases = 0;

	/* Times are not another check. */
	probe_engine_edit(engine, "link")->interval_ms = 500;
	probe_engine_apply(engine);
	run_until(now + S);
	assert_int_equal(releases, 0);

	strlcpy(probe_engine_edit(engine, "link")->ifname, "eth1", 5);
	probe_engine_apply(engine);
	assert_int_equal(releases, 1);
	before = starts;
	run_until(now);
	assert_int_equal(starts, before + 1);

	/* Invalid, and gone: at once, not when it is forgotten. */
	probe_engine_edit(engine, "link")->ifname[0] = '\0';
	probe_engine_apply(engine);
	assert_true(releases >= 2);
	releases = 0;
	watch("link");
	run_until(now + S);
	deconfigure("link");
	assert_true(releases >= 1);
	assert_int_equal(gone, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(test_no_target),
		FAKE_TEST(test_valid_again),
		FAKE_TEST(test_way),
		FAKE_TEST(test_event),
		FAKE_TEST(test_event_in_flight_and_stopped),
		FAKE_TEST(test_new_times),
		FAKE_TEST(test_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
