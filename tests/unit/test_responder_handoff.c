// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of the NAT hand-off's state, and the names of its tables. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "memory.h"

#include "responder/responder_handoff.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

static struct handoff_facts good(void)
{
	return (struct handoff_facts){
		.configured = true,
		.n_interfaces = 2,
		.vrf_ready = true,
		.installed = true,
	};
}

static void check(const struct handoff_facts *facts, enum handoff_state state,
		  bool rules, const char *why)
{
	struct handoff_plan plan;

	memset(&plan, 0xff, sizeof(plan));
	handoff_decide(facts, &plan);
	assert_int_equal(plan.state, state);
	assert_int_equal(plan.rules, rules);
	assert_string_equal(plan.why, why);
}

/* From the last rule to the first: each one hides those behind it. */
static void test_rules(void **state)
{
	struct handoff_facts facts = good();
	struct ipaddr source = addr("192.0.2.1");

	check(&facts, HANDOFF_ACTIVE, true, "");
	facts.bare = "eth1";
	check(&facts, HANDOFF_WAITING, true,
	      "interface eth1 has no IPv4 address to translate to");
	facts.missing = &source;
	check(&facts, HANDOFF_WAITING, true,
	      "no interface has the source 192.0.2.1");
	facts.installed = false;
	check(&facts, HANDOFF_WAITING, true, "rules are on their way");
	facts.error = EINVAL;
	check(&facts, HANDOFF_FAILED, true, "Invalid argument");
	facts.vrf_ready = false;
	check(&facts, HANDOFF_WAITING, true, "VRF is not there");
	facts.other = "A";
	facts.shared = "eth0";
	check(&facts, HANDOFF_CONFLICT, false,
	      "responder A hands over by interface eth0");
	facts.n_interfaces = RESPONDER_INTERFACES_MAX + 1;
	check(&facts, HANDOFF_INCOMPLETE, false,
	      "33 interfaces configured, at most 32 are possible");
	facts.n_interfaces = 0;
	check(&facts, HANDOFF_INCOMPLETE, false, "no interface configured");
	facts.configured = false;
	check(&facts, HANDOFF_OFF, false, "");
}

static void test_limit_is_allowed(void **state)
{
	struct handoff_facts facts = good();

	facts.n_interfaces = RESPONDER_INTERFACES_MAX;
	check(&facts, HANDOFF_ACTIVE, true, "");
}

/* What the kernel refuses says what is missing. */
static void test_errors(void **state)
{
	static const struct {
		int error;
		const char *part;
	} errors[] = {
		{ EPERM, "NET_ADMIN" },	       { EACCES, "NET_ADMIN" },
		{ ENOENT, "nft_masq" },	       { EOPNOTSUPP, "nf_tables" },
		{ EAFNOSUPPORT, "nf_tables" }, { EPROTONOSUPPORT, "nf_tables" },
		{ ENOMEM, "memory" },
	};

	for (size_t i = 0; i < array_size(errors); i++) {
		struct handoff_facts facts = good();
		struct handoff_plan plan;

		facts.error = errors[i].error;
		handoff_decide(&facts, &plan);
		assert_int_equal(plan.state, HANDOFF_FAILED);
		assert_non_null(strstr(plan.why, errors[i].part));
	}
}

/* It works exactly when nothing is in the way; else there is a reason. */
static void test_all_combinations(void **state)
{
	struct ipaddr source = addr("2001:db8::1");

	for (unsigned int bits = 0; bits < 1 << 7; bits++) {
		struct handoff_facts facts = good();
		struct handoff_plan plan;

		facts.n_interfaces = bits & 1 ? 0 : 1;
		facts.other = bits & 2 ? "A" : NULL;
		facts.shared = bits & 2 ? "eth0" : NULL;
		facts.vrf_ready = !(bits & 4);
		facts.error = bits & 8 ? EINVAL : 0;
		facts.installed = !(bits & 16);
		facts.missing = bits & 32 ? &source : NULL;
		facts.bare = bits & 64 ? "eth0" : NULL;
		handoff_decide(&facts, &plan);
		assert_int_equal(plan.state == HANDOFF_ACTIVE, bits == 0);
		assert_int_equal(plan.why[0] == '\0', bits == 0);
		assert_int_equal(plan.rules, !(bits & 3));
	}
	for (int i = 0; i < HANDOFF_STATES; i++) {
		assert_true(handoff_state_name(i)[0] != '\0');
		assert_true(handoff_event_name(i)[0] != '\0');
	}
}

static void check_name(const char *pathspace, const char *responder,
		       const char *wanted)
{
	char name[HANDOFF_TABLE_LEN];

	handoff_table_name(pathspace, responder, name, sizeof(name));
	assert_string_equal(name, wanted);
	assert_true(handoff_table_ours(pathspace, name));
	/* Of every other pathspace it's somebody else's. */
	assert_false(handoff_table_ours("other", name));
	if (pathspace)
		assert_false(handoff_table_ours(NULL, name));
}

static void test_tables(void **state)
{
	check_name(NULL, "PE", "clusterd/PE");
	check_name("blue", "PE", "clusterd-blue/PE");
	check_name("blue-1", "PE", "clusterd-blue-1/PE");
	/* Unlike a.b, a-b and a_b, with which it may not share a table. */
	check_name(NULL, "a:b", "clusterd/a/b");
	check_name(NULL, "a.b-c_d", "clusterd/a.b-c_d");
	assert_false(handoff_table_ours(NULL, "clusterd"));
	assert_false(handoff_table_ours(NULL, "clusterd-PE"));
	assert_false(handoff_table_ours("blue", "clusterd-blue-1/PE"));
	assert_false(handoff_table_ours(NULL, "handoff"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_limit_is_allowed),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
