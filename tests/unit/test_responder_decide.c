// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The responder's rules: each alone, and over all combinations of the facts;
 * the rate of echo replies.
 */
#include "config.h"

#include <string.h>

#include "memory.h"

#include "responder/responder_decide.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define NOW 100000000

static struct responder_facts good(void)
{
	return (struct responder_facts){
		.zebra = true,
		.vrf_known = true,
		.n_addresses = 1,
		.n_interfaces = 2,
		.n_interfaces_up = 1,
		.condition = true,
		.condition_why = "1 of 2 tunnels up",
		.condition_since_us = 1,
		.now_us = NOW,
	};
}

static struct responder_plan decide(const struct responder_facts *facts,
				    const char *interface, const char *responder)
{
	struct responder_address_facts address = { interface, responder };
	struct responder_plan plan;

	memset(&plan, 0xff, sizeof(plan));
	responder_decide(facts, &address, &plan);
	return plan;
}

static void check(const struct responder_plan *plan, enum responder_state state,
		  const char *why)
{
	assert_int_equal(plan->state, state);
	assert_string_equal(plan->why, why);
}

static void test_rules(void **state)
{
	struct responder_facts facts = good();
	struct responder_plan plan = decide(&facts, NULL, NULL);

	check(&plan, RESPONDER_ANSWERING, "");
	assert_int_equal(plan.look_again_us, 0);

	facts.condition = false;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_HELD, "1 of 2 tunnels up");
	facts.deaf = "can't listen";
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_FAILED, "can't listen");
	facts.n_interfaces_up = 0;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_WAITING, "no interface is up");
	facts.vrf_known = false;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_WAITING, "VRF is not there");
	facts.zebra = false;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_WAITING,
	      "VRF is not there (not connected to zebra)");
	facts.vrf_known = true;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_WAITING,
	      "no interface is up (not connected to zebra)");
	plan = decide(&facts, NULL, "B");
	check(&plan, RESPONDER_IN_CONFLICT, "responder B has this address");
	plan = decide(&facts, "eth0", "B");
	check(&plan, RESPONDER_IN_CONFLICT, "interface eth0 has this address");
	facts.n_addresses = RESPONDER_ADDRESSES_MAX + 1;
	plan = decide(&facts, "eth0", "B");
	check(&plan, RESPONDER_INCOMPLETE,
	      "9 addresses configured, at most 8 are possible");
	facts.n_interfaces = RESPONDER_INTERFACES_MAX + 1;
	plan = decide(&facts, "eth0", "B");
	check(&plan, RESPONDER_INCOMPLETE,
	      "33 interfaces configured, at most 32 are possible");
	facts.n_interfaces = 0;
	plan = decide(&facts, "eth0", "B");
	check(&plan, RESPONDER_INCOMPLETE, "no interface configured");
	facts.shutdown = true;
	plan = decide(&facts, "eth0", "B");
	check(&plan, RESPONDER_SHUTDOWN, "shut down");
}

static void test_limits_are_allowed(void **state)
{
	struct responder_facts facts = good();
	struct responder_plan plan;

	facts.n_interfaces = RESPONDER_INTERFACES_MAX;
	facts.n_addresses = RESPONDER_ADDRESSES_MAX;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_ANSWERING, "");
}

static void test_hold_down(void **state)
{
	struct responder_facts facts = good();
	struct responder_plan plan;

	facts.hold_down_ms = 3000;
	facts.condition_since_us = NOW - 2999500;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_HELD, "hold-down: 1 ms more");
	assert_int_equal(plan.look_again_us, NOW + 500);
	facts.condition_since_us = NOW;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_HELD, "hold-down: 3000 ms more");
	facts.condition_since_us = NOW - 3000000;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_ANSWERING, "");
	assert_int_equal(plan.look_again_us, 0);
	/* A condition that doesn't hold is nothing to wait for. */
	facts.condition_since_us = NOW;
	facts.condition = false;
	plan = decide(&facts, NULL, NULL);
	assert_int_equal(plan.state, RESPONDER_HELD);
	assert_int_equal(plan.look_again_us, 0);
}

/* What is known is enough: zebra may be away. */
static void test_without_zebra(void **state)
{
	struct responder_facts facts = good();
	struct responder_plan plan;

	facts.zebra = false;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_ANSWERING, "");
	facts.condition = false;
	plan = decide(&facts, NULL, NULL);
	check(&plan, RESPONDER_HELD, "1 of 2 tunnels up");
}

/* Echo is answered exactly when nothing at all is in the way. */
static void test_all_combinations(void **state)
{
	for (unsigned int bits = 0; bits < 1 << 8; bits++) {
		struct responder_facts facts = good();
		struct responder_plan plan;
		bool quiet;

		facts.shutdown = bits & 1;
		facts.n_interfaces = bits & 2 ? 0 : 2;
		facts.vrf_known = !(bits & 4);
		facts.n_interfaces_up = bits & 8 ? 0 : 1;
		facts.condition = !(bits & 16);
		facts.hold_down_ms = bits & 32 ? 200000 : 0;
		plan = decide(&facts, bits & 64 ? "eth0" : NULL,
			      bits & 128 ? "B" : NULL);
		assert_int_equal(responder_answers(plan.state), bits == 0);
		assert_int_equal(plan.why[0] == '\0', bits == 0);
		quiet = bits & (1 | 2 | 4 | 8 | 64 | 128);
		assert_int_equal(responder_tells(plan.state), !quiet);
		assert_int_equal(responder_hides(plan.state),
				 !(bits & (1 | 2 | 64 | 128)));
	}
	for (int i = 0; i < RESPONDER_STATES; i++)
		assert_true(responder_state_name(i)[0] != '\0');
}

static void test_bucket(void **state)
{
	static const uint32_t rates[] = { 1, 7, 100, 1000, 100000 };

	for (size_t r = 0; r < array_size(rates); r++) {
		struct responder_bucket bucket = {};
		uint32_t burst = rates[r] / 10 < 10 ? 10 : rates[r] / 10;
		int64_t now_us = NOW;
		uint32_t n = 0;

		while (responder_bucket_take(&bucket, rates[r], now_us))
			n++;
		assert_int_equal(n, burst);
		/* For ten seconds twice as many as may be. */
		n = 0;
		for (uint32_t i = 0; i < rates[r] * 20; i++) {
			now_us += 500000 / rates[r];
			n += responder_bucket_take(&bucket, rates[r], now_us);
		}
		assert_between(n, rates[r] * 10 - 2, rates[r] * 10 + 1);
		/* After any pause: the burst, not more. */
		now_us += INT64_C(3600000000);
		n = 0;
		while (responder_bucket_take(&bucket, rates[r], now_us))
			n++;
		assert_int_equal(n, burst);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_limits_are_allowed),
		cmocka_unit_test(test_hold_down),
		cmocka_unit_test(test_without_zebra),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
