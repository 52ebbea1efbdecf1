// SPDX-License-Identifier: GPL-2.0-or-later
/* The engine under changes: of values, targets, references, definitions. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "probe_fake.h"

/* ------------------------------------------------------------------------ */
/* Changes of the configuration                                             */

static void test_edit_keeps_verdicts(void **state)
{
	struct probe_ref *up, *down, *other;
	struct probe_config *config;

	(void)state;
	configure("web", 1000);
	configure("other", 1000);
	up = get("web", "192.0.2.1");
	down = get("web", "192.0.2.2");
	other = get("other", "192.0.2.1");
	fate[1] = PROBE_PASS;
	fate[2] = PROBE_REFUSED;
	run_until(T0 + 4 * S + 500 * MS);
	changes = cancels = 0;

	for (int i = 0; i < 12; i++) {
		struct probe_instance_view before = view(other);
		struct probe_instance_view after;

		config = probe_engine_edit(engine, "web");
		switch (i) {
		case 0:
			config->interval_ms = 500;
			break;
		case 1:
			config->timeout_ms = 100;
			break;
		case 2:
			config->rise = 1;
			break;
		case 3:
			config->fall = 1;
			break;
		case 4:
			config->fast_interval_ms = 50;
			break;
		case 5:
			config->type = PROBE_TYPE_HTTP;
			break;
		case 6:
			config->port = 8080;
			break;
		case 7:
			probe_config_text_set(&config->path, "/x");
			break;
		case 8:
			probe_config_text_set(&config->host, "h");
			break;
		case 9:
			config->source = addr("192.0.2.99");
			break;
		case 10:
			strlcpy(config->ifname, "eth0", sizeof(config->ifname));
			break;
		case 11:
			config->start = PROBE_START_UP;
			config->jitter = 50;
			break;
		}
		assert_true(probe_engine_dirty(engine));
		is_verdict(up, PROBE_UP, "up");
		probe_engine_apply(engine);
		assert_false(probe_engine_dirty(engine));
		is_verdict(up, PROBE_UP, "up");
		is_verdict(down, PROBE_DOWN, "down: 3 x connection refused");
		after = view(other);
		assert_memory_equal(&before, &after, sizeof(before));
	}
	assert_int_equal(changes, 0);

	/* Stays up until the new check fails: here at the first. */
	fate[1] = PROBE_RESULT_MAX;
	answer(up, PROBE_RESPONSE, "status 404");
	is_verdict(up, PROBE_DOWN, "down: 1 x unexpected response (status 404)");
}

/* What the old check found doesn't count against the new one. */
static void test_edit_restarts_count(void **state)
{
	struct probe_config *config;
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	answers(ref, PROBE_REFUSED, 2);
	config = probe_engine_edit(engine, "web");
	config->interval_ms = 900; /* times only: goes on counting */
	probe_engine_apply(engine);
	assert_int_equal(view(ref).streak, 2);
	config = probe_engine_edit(engine, "web");
	config->type = PROBE_TYPE_HTTP;
	probe_engine_apply(engine);
	assert_int_equal(view(ref).streak, 0);
	assert_int_equal(view(ref).window, PROBE_WINDOW_UP);
	answers(ref, PROBE_REFUSED, 2);
	is_verdict(ref, PROBE_UP, "up");
	answer(ref, PROBE_REFUSED, NULL);
	is_verdict(ref, PROBE_DOWN, "down: 3 x connection refused");
}

/* An edit in flight: another check is begun anew, new times don't matter. */
static void test_edit_in_flight(void **state)
{
	struct probe_config *config;
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	run_until(view(ref).next_us);
	assert_int_equal(view(ref).phase, PROBE_IN_FLIGHT);

	configure("web", 2000);
	assert_int_equal(view(ref).phase, PROBE_IN_FLIGHT);
	assert_int_equal(cancels, 0);

	now += 10 * MS;
	config = probe_engine_edit(engine, "web");
	config->type = PROBE_TYPE_HTTP;
	probe_engine_apply(engine);
	assert_int_equal(cancels, 1);
	assert_int_equal(view(ref).phase, PROBE_WAITING);
	assert_int_equal(view(ref).counters.cancelled, 1);
	assert_int_equal(view(ref).counters.results[PROBE_TIMEOUT], 0);
	assert_int_equal(view(ref).next_us, T0 + 4 * S);
	answer(ref, PROBE_PASS, NULL);
	assert_int_equal(view(ref).counters.results[PROBE_PASS], 3);
}

/* The time-out of a run in flight follows the configuration. */
static void test_edit_timeout_in_flight(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref;

	(void)state;
	config->interval_ms = config->timeout_ms = 3600000;
	config->jitter = 0;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	run_until(T0 + 10 * S);
	assert_int_equal(view(ref).phase, PROBE_IN_FLIGHT);

	config = probe_engine_edit(engine, "web");
	config->timeout_ms = 20000;
	probe_engine_apply(engine);
	assert_int_equal(view(ref).next_us, T0 + 20 * S);
	config = probe_engine_edit(engine, "web");
	config->timeout_ms = 1000;
	probe_engine_apply(engine);
	assert_int_equal(view(ref).phase, PROBE_IN_FLIGHT);
	run_until(now);
	assert_int_equal(view(ref).last_result, PROBE_TIMEOUT);
	assert_int_equal(view(ref).counters.results[PROBE_TIMEOUT], 1);
}

/* A shorter interval takes effect at once, and is no storm. */
static void test_shorter_interval(void **state)
{
	struct probe_ref *refs[600];
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct ipaddr ip = addr("10.0.0.0");
	unsigned int before;

	(void)state;
	at_once = PROBE_PASS;
	config->interval_ms = 60000;
	config->jitter = 100;
	probe_engine_apply(engine);
	for (int i = 0; i < 600; i++) {
		ip.ipaddr_v4.s_addr = htonl(0x0a000000 + i + 1);
		random_value = UINT32_MAX / 600 * i;
		refs[i] = probe_ref_get("web", "default", &ip);
	}
	run_until(T0 + 90 * S);
	/* Every 100 ms one, a minute long; from now on a second long. */
	config = probe_engine_edit(engine, "web");
	config->interval_ms = 1000;
	probe_engine_apply(engine);
	before = starts;
	for (int i = 0; i < 600; i++) {
		assert_true(view(refs[i]).next_us >= now);
		assert_true(view(refs[i]).next_us <= now + S);
	}
	run_until(now + S);
	assert_between(starts - before, 600, 660);

	/* Thousand edits: not one more run, and none starved. */
	before = starts;
	for (int i = 0; i < 1000; i++) {
		config = probe_engine_edit(engine, "web");
		config->timeout_ms = 100 + i % 7;
		config->type = i % 2 ? PROBE_TYPE_HTTP : PROBE_TYPE_ICMP;
		probe_engine_apply(engine);
		run_until(now + 10 * MS);
	}
	assert_between(starts - before, 600 * 10 - 60, 600 * 10 + 60);
	for (int i = 0; i < 600; i++)
		is_verdict(refs[i], PROBE_UP, "up");
}

static void test_longer_interval(void **state)
{
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answer(ref, PROBE_PASS, NULL);
	now += 300 * MS;
	configure("web", 5000);
	assert_int_equal(view(ref).next_us, T0 + 5 * S);
	configure("web", 100); /* 300 is on the grid of 100 */
	assert_int_equal(view(ref).next_us, T0 + 300 * MS);
	configure("web", 200);
	assert_int_equal(view(ref).next_us, T0 + 400 * MS);
}

/* Before the first run there is no grid: only a wait too long is changed. */
static void test_edit_before_first_run(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref;

	(void)state;
	config->interval_ms = 3600000;
	config->jitter = 100;
	probe_engine_apply(engine);
	random_value = 1U << 31;
	ref = get("web", "192.0.2.1");
	assert_int_equal(view(ref).next_us, T0 + 1800 * S);
	configure("web", 1000);
	assert_int_equal(view(ref).next_us, T0 + 500 * MS);
	configure("web", 800);
	assert_int_equal(view(ref).next_us, T0 + 500 * MS);
}

static void test_edit_nothing(void **state)
{
	struct probe_instance_view before, after;
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	run_until(view(ref).next_us);
	changes = arms = 0;
	before = view(ref);
	now += MS;
	/* Taken out and put back in one transaction. */
	probe_engine_remove(engine, "web");
	probe_engine_edit(engine, "web")->interval_ms = 1000;
	probe_engine_apply(engine);
	after = view(ref);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(changes, 0);
	assert_int_equal(arms, 0);
	assert_int_equal(cancels, 0);
	probe_engine_apply(engine);
	assert_int_equal(changes, 0);
}

static void test_edit_and_remove(void **state)
{
	char name[PROBE_NAME_LEN + 1];
	const struct probe_def *def;

	(void)state;
	/* Made and removed before anybody looked. */
	probe_engine_edit(engine, "web")->rise = 7;
	probe_engine_remove(engine, "web");
	probe_engine_apply(engine);
	assert_null(probe_def_find(engine, "web"));

	/* Removed and made anew: nothing of the old one. */
	probe_engine_edit(engine, "web")->rise = 7;
	probe_engine_apply(engine);
	probe_engine_remove(engine, "web");
	probe_engine_edit(engine, "web")->fall = 9;
	assert_int_equal(probe_engine_edit(engine, "web")->rise, 0);
	assert_int_equal(probe_engine_edit(engine, "web")->fall, 9);
	probe_engine_apply(engine);
	def = probe_def_find(engine, "web");
	assert_int_equal(probe_def_config(def)->rise, 0);
	assert_int_equal(probe_def_config(def)->fall, 9);

	/* An edit begins with what is in effect. */
	assert_int_equal(probe_engine_edit(engine, "web")->fall, 9);
	probe_engine_remove(engine, "web");
	probe_engine_remove(engine, "web");
	assert_true(probe_def_configured(def));
	probe_engine_apply(engine);
	assert_null(probe_def_find(engine, "web"));
	probe_engine_remove(engine, "web");
	assert_false(probe_engine_dirty(engine));

	memset(name, 'n', PROBE_NAME_LEN);
	name[PROBE_NAME_LEN] = '\0';
	assert_null(probe_engine_edit(engine, name));
	assert_null(probe_def_find(engine, name));
	name[PROBE_NAME_LEN - 1] = '\0';
	assert_non_null(probe_engine_edit(engine, name));
}

/* ------------------------------------------------------------------------ */
/* Targets                                                                  */

/* One instance, whoever refers to it and for what address. */
static void test_target(void **state)
{
	struct probe_ref *a, *b, *v6, *red;
	struct ipaddr ip = addr("192.0.2.1");

	(void)state;
	set_target("gw", "203.0.113.1");
	assert_int_equal(probe_engine_instances(engine), 1);
	assert_int_equal(view_of(find("gw", "default", "203.0.113.1")).references,
			 1);
	a = get("gw", "192.0.2.1");
	b = get("gw", "192.0.2.2");
	v6 = get("gw", "2001:db8::1");
	assert_int_equal(probe_engine_instances(engine), 1);
	assert_ptr_equal(probe_ref_instance(a), probe_ref_instance(b));
	assert_ptr_equal(probe_ref_instance(a), probe_ref_instance(v6));
	/* Another VRF is another network. */
	red = probe_ref_get("gw", "red", &ip);
	assert_int_equal(probe_engine_instances(engine), 2);
	assert_ptr_equal(probe_ref_instance(red),
			 find("gw", "red", "203.0.113.1"));

	answers(a, PROBE_PASS, 2);
	is_verdict(b, PROBE_UP, "up");
	is_verdict(red, PROBE_DOWN,
		   "starts down: 1 of 3 failures, last timeout");
	probe_ref_put(&red);
	probe_ref_put(&a);
	probe_ref_put(&b);
	probe_ref_put(&v6);
	run_until(now + 2 * PROBE_LINGER_US);
	/* It runs by itself. */
	assert_int_equal(probe_engine_instances(engine), 1);
	assert_int_equal(view_of(find("gw", "default", "203.0.113.1")).phase,
			 PROBE_IN_FLIGHT);
	deconfigure("gw");
	run_until(now + PROBE_LINGER_US);
	assert_int_equal(probe_engine_instances(engine), 0);
	assert_null(probe_def_find(engine, "gw"));
}

static void test_target_comes_and_goes(void **state)
{
	struct probe_ref *a, *b;

	(void)state;
	configure("web", 1000);
	a = get("web", "192.0.2.1");
	b = get("web", "192.0.2.2");
	fate[1] = PROBE_PASS;
	fate[2] = PROBE_REFUSED;
	run_until(T0 + 3 * S + 500 * MS);
	fate[1] = PROBE_RESULT_MAX;

	/* The template becomes a's target: b reads it, a doesn't notice. */
	run_until(view(a).next_us);
	assert_int_equal(view(a).phase, PROBE_IN_FLIGHT);
	changes = cancels = 0;
	set_target("web", "192.0.2.1");
	assert_int_equal(changes, 1);
	assert_null(changed_last);
	is_verdict(a, PROBE_UP, "up");
	is_verdict(b, PROBE_UP, "up");
	assert_int_equal(view(a).references, 2);
	assert_int_equal(view(a).phase, PROBE_IN_FLIGHT);
	assert_int_equal(probe_engine_instances(engine), 2);
	assert_int_equal(view_of(find("web", "default", "192.0.2.2")).phase,
			 PROBE_STOPPED);

	/* And back, within the linger: as before. */
	run_until(now + PROBE_LINGER_US / 2);
	is_verdict(a, PROBE_DOWN, "down: 3 x timeout");
	set_target("web", NULL);
	is_verdict(a, PROBE_DOWN, "down: 3 x timeout");
	is_verdict(b, PROBE_DOWN, "down: 3 x connection refused");
	assert_int_equal(view(a).references, 1);
	assert_int_equal(view(b).references, 1);

	/* Another target: new for both. */
	set_target("web", "192.0.2.1");
	set_target("web", "192.0.2.3");
	is_verdict(a, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(view(a).references, 2);
	run_until(now + PROBE_LINGER_US);
	assert_int_equal(probe_engine_instances(engine), 1);
}

/* ------------------------------------------------------------------------ */
/* Linger                                                                   */

static void test_linger(void **state)
{
	struct probe_ref *ref;
	unsigned int before;
	int64_t since;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	since = view(ref).since_us;
	run_until(view(ref).next_us);
	changes = 0;

	/* A reload takes the line out... */
	probe_ref_put(&ref);
	assert_int_equal(in_flight, 0);
	assert_int_equal(cancels, 1);
	before = starts;
	run_until(now + PROBE_LINGER_US - 1);
	assert_int_equal(starts, before); /* no packets for what is gone */
	/* ... and puts it back. */
	ref = get("web", "192.0.2.1");
	is_verdict(ref, PROBE_UP, "up");
	assert_int_equal(view(ref).since_us, since);
	assert_int_equal(changes, 0);
	assert_between(view(ref).next_us, now, now + S);
	answer(ref, PROBE_PASS, NULL);

	/* Too late: a new one. */
	probe_ref_put(&ref);
	run_until(now + PROBE_LINGER_US);
	assert_int_equal(gone, 1);
	ref = get("web", "192.0.2.1");
	is_verdict(ref, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(view(ref).counters.runs, 0);
}

/* Without a result there is no verdict worth keeping. */
static void test_nothing_to_linger_for(void **state)
{
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	run_until(T0 + MS);
	assert_int_equal(in_flight, 1);
	probe_ref_put(&ref);
	assert_int_equal(in_flight, 0);
	assert_int_equal(gone, 1);
	assert_int_equal(probe_engine_instances(engine), 0);
	assert_false(armed);
	assert_int_equal(disarms, 1);

	ref = get("unknown", "192.0.2.1");
	assert_non_null(probe_def_find(engine, "unknown"));
	probe_ref_put(&ref);
	assert_null(probe_def_find(engine, "unknown"));
	assert_non_null(probe_def_find(engine, "web"));
}

static void test_definition_comes_back(void **state)
{
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	run_until(view(ref).next_us);
	changes = 0;
	deconfigure("web");
	is_verdict(ref, PROBE_UNKNOWN, "probe web is not configured");
	assert_int_equal(changes, 1);
	assert_int_equal(in_flight, 0);
	assert_false(probe_def_configured(probe_def_find(engine, "web")));
	run_until(now + PROBE_LINGER_US - 1);
	assert_int_equal(starts, 3);
	configure("web", 1000);
	is_verdict(ref, PROBE_UP, "up");
	assert_int_equal(changes, 2);
	answer(ref, PROBE_PASS, NULL);

	/* For too long: forgotten, though referenced. */
	deconfigure("web");
	run_until(now + PROBE_LINGER_US);
	assert_int_equal(changes, 3);
	assert_false(armed);
	random_value = 1U << 31;
	configure("web", 1000);
	is_verdict(ref, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(gone, 0);
	/* First run: jitter again. */
	assert_int_equal(view(ref).next_us, now + 50 * MS);
}

/* Gone from both sides: the earlier one's time counts. */
static void test_definition_and_reference_gone(void **state)
{
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	deconfigure("web");
	run_until(now + 20 * S);
	probe_ref_put(&ref);
	assert_int_equal(gone, 0);
	run_until(now + 10 * S);
	assert_int_equal(gone, 1);
	assert_null(probe_def_find(engine, "web"));

	/* Forgotten first, then released: freed at once. */
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	deconfigure("web");
	run_until(now + PROBE_LINGER_US);
	assert_int_equal(gone, 1);
	probe_ref_put(&ref);
	assert_int_equal(gone, 2);
}

/* It comes back as something else: the count begins anew, the verdict not. */
static void test_definition_comes_back_changed(void **state)
{
	static const enum probe_type_id types[] = { PROBE_TYPE_ICMP,
						    PROBE_TYPE_HTTPS,
						    PROBE_TYPE_ICMP };
	struct probe_ref *ref;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	for (size_t i = 0; i < array_size(types); i++) {
		deconfigure("web");
		probe_engine_edit(engine, "web")->type = types[i];
		probe_engine_apply(engine);
		assert_int_equal(view(ref).streak, 0);
		if (i > 0)
			is_verdict(ref, PROBE_UP, "up");
		answers(ref, PROBE_PASS, 2);
		answers(ref, PROBE_REFUSED, 2);
		is_verdict(ref, PROBE_UP, "up");
	}
}

/* ------------------------------------------------------------------------ */
/* Configurations that make no sense                                        */

static void test_invalid(void **state)
{
	struct probe_config *config = probe_engine_edit(engine, "web");
	struct probe_ref *ref, *other;

	(void)state;
	config->type = PROBE_TYPE_TCP;
	probe_engine_apply(engine);
	ref = get("web", "192.0.2.1");
	other = get("web", "ff02::1");
	is_verdict(ref, PROBE_UNKNOWN, "probe web invalid: tcp needs a port");
	is_verdict(other, PROBE_UNKNOWN,
		   "probe web invalid: the target is not a host's address");
	run_until(now + 10 * S);
	assert_int_equal(starts, 0);
	assert_false(armed);

	config = probe_engine_edit(engine, "web");
	config->port = 80;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_DOWN, "starts down: no result yet");
	assert_int_equal(changes, 1);
	is_verdict(other, PROBE_UNKNOWN,
		   "probe web invalid: the target is not a host's address");
}

/*
 * `type tcp` is typed before `port`: the healthy member must not flip in
 * between; left like that, nobody knows.
 */
static void test_invalid_for_a_while(void **state)
{
	struct probe_config *config;
	struct probe_ref *ref;
	int64_t since;

	(void)state;
	configure("web", 1000);
	ref = get("web", "192.0.2.1");
	answers(ref, PROBE_PASS, 2);
	since = view(ref).since_us;
	run_until(view(ref).next_us);
	changes = 0;
	config = probe_engine_edit(engine, "web");
	config->type = PROBE_TYPE_TCP;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_UP,
		   "probe web invalid: tcp needs a port (up for now)");
	assert_int_equal(changes, 1);
	assert_int_equal(view(ref).phase, PROBE_STOPPED);
	assert_int_equal(view(ref).next_us, now + PROBE_LINGER_US);
	assert_int_equal(in_flight, 0);

	/* Wrong in another way: a new text, no longer time. */
	now += S;
	config = probe_engine_edit(engine, "web");
	config->source = addr("2001:db8::1");
	config->port = 80;
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_UP,
		   "probe web invalid: source and target are of different address families (up for now)");
	assert_int_equal(changes, 2);
	assert_int_equal(view(ref).next_us, now - S + PROBE_LINGER_US);

	config = probe_engine_edit(engine, "web");
	memset(&config->source, 0, sizeof(config->source));
	probe_engine_apply(engine);
	is_verdict(ref, PROBE_UP, "up");
	assert_int_equal(view(ref).since_us, since);
	answer(ref, PROBE_PASS, NULL);

	config = probe_engine_edit(engine, "web");
	config->port = 0;
	probe_engine_apply(engine);
	run_until(now + PROBE_LINGER_US);
	is_verdict(ref, PROBE_UNKNOWN, "probe web invalid: tcp needs a port");
	assert_int_equal(view(ref).since_us, now);
	assert_ptr_equal(changed_last, probe_ref_instance(ref));
}

/* With a VRF of its own a probe is one, whoever uses it from wherever. */
static void test_vrf(void **state)
{
	struct probe_config *config;
	struct probe_ref *red, *blue;
	struct ipaddr ip = addr("192.0.2.1");

	(void)state;
	configure("web", 1000);
	config = probe_engine_edit(engine, "web");
	config->target = addr("192.0.2.1");
	probe_engine_apply(engine);
	red = probe_ref_get("web", "red", &ip);
	blue = probe_ref_get("web", "blue", &ip);
	assert_null(find("web", "default", "192.0.2.1"));
	assert_non_null(find("web", "red", "192.0.2.1"));
	assert_non_null(find("web", "blue", "192.0.2.1"));

	config = probe_engine_edit(engine, "web");
	strlcpy(config->vrf, "red", sizeof(config->vrf));
	probe_engine_apply(engine);
	assert_null(find("web", "default", "192.0.2.1"));
	assert_null(find("web", "blue", "192.0.2.1"));
	fate[1] = PROBE_PASS;
	run_until(T0 + 5 * S);
	is_verdict(red, PROBE_UP, "up");
	is_verdict(blue, PROBE_UP, "up");
	assert_ptr_equal(probe_ref_instance(red), probe_ref_instance(blue));

	/* Who is in that VRF doesn't notice when the others go back. */
	config = probe_engine_edit(engine, "web");
	config->vrf[0] = '\0';
	probe_engine_apply(engine);
	is_verdict(red, PROBE_UP, "up");
	is_verdict(blue, PROBE_DOWN, "starts down: no result yet");
	assert_null(find("web", "default", "192.0.2.1"));
	probe_ref_put(&red);
	probe_ref_put(&blue);
}

/*
 * Without users it runs in the default VRF, where it may find nothing; with
 * some, only where they are.
 */
static void test_by_itself(void **state)
{
	struct probe_config *config;
	const struct probe_instance *inst;
	struct probe_ref *red, *user;
	struct ipaddr ip = addr("192.0.2.1");
	uint64_t runs;

	(void)state;
	config = probe_engine_edit(engine, "link");
	config->type = PROBE_TYPE_INTERFACE;
	strlcpy(config->ifname, "eth0", sizeof(config->ifname));
	probe_engine_apply(engine);
	assert_int_equal(probe_engine_instances(engine), 1);
	inst = find("link", "default", "0.0.0.0");
	assert_int_equal(view_of(inst).phase, PROBE_WAITING);
	fate[0] = PROBE_PASS;
	run_until(T0 + 5 * S);
	assert_int_equal(view_of(inst).verdict, PROBE_UP);

	/* It goes on for a user there, with the same verdict. */
	runs = view_of(inst).counters.runs;
	user = probe_ref_get("link", "default", &ip);
	assert_ptr_equal(probe_ref_instance(user), inst);
	assert_int_equal(view_of(inst).references, 1);
	is_verdict(user, PROBE_UP, "up");
	probe_ref_put(&user);
	assert_int_equal(view_of(inst).references, 1);
	assert_int_equal(view_of(inst).counters.cancelled, 0);
	run_until(T0 + 10 * S);
	assert_true(view_of(inst).counters.runs > runs);

	/* With a user elsewhere it ends, and is forgotten. */
	red = probe_ref_get("link", "red", &ip);
	assert_int_equal(view_of(inst).phase, PROBE_STOPPED);
	run_until(now + 2 * PROBE_LINGER_US);
	assert_null(find("link", "default", "0.0.0.0"));
	assert_int_equal(probe_engine_instances(engine), 1);

	/* A change doesn't bring it back; the end of the last user does. */
	config = probe_engine_edit(engine, "link");
	config->type = PROBE_TYPE_TCP;
	config->port = 80;
	config->target = addr("192.0.2.9");
	probe_engine_apply(engine);
	assert_null(find("link", "default", "192.0.2.9"));
	assert_non_null(find("link", "red", "192.0.2.9"));
	probe_ref_put(&red);
	assert_null(find("link", "red", "192.0.2.9"));
	assert_non_null(find("link", "default", "192.0.2.9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(test_edit_keeps_verdicts),
		FAKE_TEST(test_vrf),
		FAKE_TEST(test_by_itself),
		FAKE_TEST(test_edit_restarts_count),
		FAKE_TEST(test_edit_in_flight),
		FAKE_TEST(test_edit_timeout_in_flight),
		FAKE_TEST(test_shorter_interval),
		FAKE_TEST(test_longer_interval),
		FAKE_TEST(test_edit_before_first_run),
		FAKE_TEST(test_edit_nothing),
		FAKE_TEST(test_edit_and_remove),
		FAKE_TEST(test_target),
		FAKE_TEST(test_target_comes_and_goes),
		FAKE_TEST(test_linger),
		FAKE_TEST(test_nothing_to_linger_for),
		FAKE_TEST(test_definition_comes_back),
		FAKE_TEST(test_definition_and_reference_gone),
		FAKE_TEST(test_definition_comes_back_changed),
		FAKE_TEST(test_invalid),
		FAKE_TEST(test_invalid_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
