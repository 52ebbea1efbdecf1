// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules of tracked routes: each alone with its text, and over all
 * combinations of the facts for two next hops against what must hold.
 */
#include "config.h"

#include <string.h>

#include "memory.h"

#include "track/track_decide.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define HOPS 3

static struct track_hop_facts hop(bool reachable, enum track_probe probe,
				  uint16_t preference)
{
	return (struct track_hop_facts){
		.family = IPADDR_V4,
		.reachable = reachable,
		.probe = probe,
		.preference = preference,
	};
}

static struct track_facts facts_of(const struct track_hop_facts *hops, size_t n)
{
	return (struct track_facts){
		.zebra = true,
		.vrf_ready = true,
		.metric = 5,
		.distance = 7,
		.hops = hops,
		.n_hops = n,
	};
}

static struct track_plan plan_of(const struct track_facts *facts,
				 enum ipaddr_type_t family)
{
	struct track_plan plan;

	memset(&plan, 0xff, sizeof(plan));
	track_decide(facts, family, &plan);
	return plan;
}

static void check(const struct track_facts *facts, enum track_state state,
		  const char *why, unsigned int used)
{
	struct track_plan plan = plan_of(facts, IPADDR_V4);
	unsigned int seen = 0;

	assert_int_equal(plan.state, state);
	assert_string_equal(plan.why, why);
	for (size_t i = 0; i < TRACK_HOPS_MAX; i++)
		if (plan.use[i])
			seen |= 1U << i;
	assert_int_equal(seen, used);
}

static void test_up(void **state)
{
	struct track_hop_facts hops[HOPS] = {
		hop(true, TRACK_PROBE_UP, 100),
		hop(true, TRACK_PROBE_NONE, 100),
		hop(true, TRACK_PROBE_DOWN, 200),
	};
	struct track_facts facts = facts_of(hops, HOPS);
	struct track_plan plan = plan_of(&facts, IPADDR_V4);

	/* All that are up, although the best isn't. */
	check(&facts, TRACK_UP, "", 3);
	assert_int_equal(plan.metric, 5);
	assert_int_equal(plan.distance, 7);
	hops[2].probe = TRACK_PROBE_UP;
	check(&facts, TRACK_UP, "", 4);
	hops[2].reachable = false;
	check(&facts, TRACK_UP, "", 3);
	hops[0].preference = 101;
	check(&facts, TRACK_UP, "", 1);
	hops[0].probe = TRACK_PROBE_UNKNOWN;
	check(&facts, TRACK_UP, "", 2);
}

/* Case 33: with the last one the prefix goes; case 34: and it comes again. */
static void test_all_down(void **state)
{
	struct track_hop_facts hops[2] = {
		hop(true, TRACK_PROBE_DOWN, 100),
		hop(true, TRACK_PROBE_DOWN, 200),
	};
	struct track_facts facts = facts_of(hops, 2);
	struct track_plan plan;

	check(&facts, TRACK_DOWN, "all next hops are down", 0);
	hops[0].probe = TRACK_PROBE_UP;
	check(&facts, TRACK_UP, "", 1);
	hops[0].probe = TRACK_PROBE_DOWN;

	facts.last_resort = true;
	check(&facts, TRACK_LAST_RESORT,
	      "all next hops are down: kept as the last resort", 2);
	plan = plan_of(&facts, IPADDR_V4);
	assert_int_equal(plan.metric, 5);
	assert_int_equal(plan.distance, 7);
	/* What can't be reached is no path. */
	hops[1].reachable = false;
	check(&facts, TRACK_LAST_RESORT,
	      "all next hops are down: kept as the last resort", 1);

	facts.down_metric = 1000;
	check(&facts, TRACK_DEGRADED,
	      "all next hops are down: worse metric or distance", 1);
	plan = plan_of(&facts, IPADDR_V4);
	assert_int_equal(plan.metric, 1000);
	assert_int_equal(plan.distance, 7);
	facts.down_distance = 250;
	facts.down_metric = 0;
	plan = plan_of(&facts, IPADDR_V4);
	assert_int_equal(plan.state, TRACK_DEGRADED);
	assert_int_equal(plan.metric, 5);
	assert_int_equal(plan.distance, 250);

	hops[0].reachable = false;
	check(&facts, TRACK_DOWN, "no next hop is reachable", 0);
}

/* A gateway's word: up, kept although worse, down; with a probe both count. */
static void test_gateways(void **state)
{
	struct track_hop_facts hops[2] = {
		hop(true, TRACK_PROBE_NONE, 200),
		hop(true, TRACK_PROBE_UP, 100),
	};
	struct track_facts facts = facts_of(hops, 2);

	hops[0].gateway = hops[1].gateway = TRACK_GATEWAY_UP;
	check(&facts, TRACK_UP, "", 1);
	hops[0].gateway = TRACK_GATEWAY_DOWN;
	check(&facts, TRACK_UP, "", 2);
	hops[0].gateway = TRACK_GATEWAY_WORSE;
	check(&facts, TRACK_UP, "", 2);
	/* Now the better one is that which keeps its routes. */
	hops[1].gateway = TRACK_GATEWAY_DOWN;
	check(&facts, TRACK_LAST_RESORT,
	      "all next hops are down: a gateway keeps its routes", 1);
	hops[0].preference = 1;
	facts.last_resort = true;
	check(&facts, TRACK_LAST_RESORT,
	      "all next hops are down: a gateway keeps its routes", 1);
	facts.down_metric = 1000;
	check(&facts, TRACK_DEGRADED,
	      "all next hops are down: worse metric or distance", 1);
	facts.down_metric = 0;
	hops[0].gateway = TRACK_GATEWAY_DOWN;
	check(&facts, TRACK_LAST_RESORT,
	      "all next hops are down: kept as the last resort", 2);
	facts.last_resort = false;
	check(&facts, TRACK_DOWN, "all next hops are down", 0);
	/* Its word is no substitute for the probe. */
	hops[1].gateway = TRACK_GATEWAY_UP;
	hops[1].probe = TRACK_PROBE_DOWN;
	check(&facts, TRACK_DOWN, "all next hops are down", 0);
	hops[1].gateway = TRACK_GATEWAY_WORSE;
	check(&facts, TRACK_DOWN, "all next hops are down", 0);
	hops[1].probe = TRACK_PROBE_UP;
	check(&facts, TRACK_LAST_RESORT,
	      "all next hops are down: a gateway keeps its routes", 2);
	hops[1].reachable = false;
	check(&facts, TRACK_DOWN, "all next hops are down", 0);
}

static void test_not_possible(void **state)
{
	struct track_hop_facts hops[TRACK_HOPS_MAX + 1] = {};
	struct track_facts facts = facts_of(hops, TRACK_HOPS_MAX);
	struct track_plan plan;

	for (size_t i = 0; i <= TRACK_HOPS_MAX; i++)
		hops[i] = hop(true, TRACK_PROBE_UP, 1);
	plan = plan_of(&facts, IPADDR_V4);
	assert_int_equal(plan.state, TRACK_UP);
	for (size_t i = 0; i < TRACK_HOPS_MAX; i++)
		assert_true(plan.use[i]);
	plan = plan_of(&facts, IPADDR_V6);
	assert_int_equal(plan.state, TRACK_INCOMPLETE);
	assert_string_equal(plan.why, "no IPv6 next hop configured");
	facts.vrf_ready = false;
	check(&facts, TRACK_WAITING, "VRF is not there", 0);
	facts.zebra = false;
	check(&facts, TRACK_WAITING, "not connected to zebra", 0);
	facts.n_hops++;
	check(&facts, TRACK_INCOMPLETE,
	      "65 next hops configured, at most 64 are possible", 0);
	facts.shutdown = true;
	check(&facts, TRACK_SHUTDOWN, "shut down", 0);
	facts = facts_of(hops, 0);
	check(&facts, TRACK_INCOMPLETE, "no IPv4 next hop configured", 0);
}

/* ---- all combinations ---- */

enum least { LEAST_REACHABLE, LEAST_KEPT, LEAST_UP };

static bool good(const struct track_hop_facts *one, enum least least)
{
	bool probe_good = one->probe == TRACK_PROBE_NONE ||
			  one->probe == TRACK_PROBE_UP;
	bool up = one->gateway == TRACK_GATEWAY_NONE ||
		  one->gateway == TRACK_GATEWAY_UP;

	if (!one->reachable)
		return false;
	if (least == LEAST_UP)
		return probe_good && up;
	return least == LEAST_REACHABLE ||
	       (probe_good && (up || one->gateway == TRACK_GATEWAY_WORSE));
}

/* The best preference of one family's that are at least so good; -1: none. */
static int best_of(const struct track_facts *facts, enum ipaddr_type_t family,
		   enum least least)
{
	int best = -1;

	for (size_t i = 0; i < facts->n_hops; i++) {
		const struct track_hop_facts *one = &facts->hops[i];

		if (one->family == family && good(one, least) &&
		    one->preference > best)
			best = one->preference;
	}
	return best;
}

static void check_plan(const struct track_facts *facts,
		       enum ipaddr_type_t family)
{
	struct track_plan plan = plan_of(facts, family);
	int best_up = best_of(facts, family, LEAST_UP);
	int best_kept = best_of(facts, family, LEAST_KEPT);
	enum least least = best_up >= 0	    ? LEAST_UP
			   : best_kept >= 0 ? LEAST_KEPT
					    : LEAST_REACHABLE;
	int best = best_of(facts, family, least);
	bool kept = facts->last_resort || facts->down_metric ||
		    facts->down_distance || best_kept >= 0;
	bool installs = !facts->shutdown && facts->vrf_ready && best >= 0 &&
			(best_up >= 0 || kept);
	bool worse = installs && best_up < 0;

	assert_int_equal(track_installs(plan.state), installs);
	assert_int_equal(plan.state == TRACK_UP, installs && best_up >= 0);
	assert_int_equal(plan.why[0] == '\0', plan.state == TRACK_UP);
	assert_int_equal(plan.metric,
			 worse && facts->down_metric ? facts->down_metric : 5);
	assert_int_equal(plan.distance, worse && facts->down_distance
						? facts->down_distance
						: 7);
	for (size_t i = 0; i < facts->n_hops; i++) {
		const struct track_hop_facts *one = &facts->hops[i];
		bool use = installs && one->family == family &&
			   one->preference == best && good(one, least);

		assert_int_equal(plan.use[i], use);
		assert_int_equal(track_hop_up(one), good(one, LEAST_UP));
	}
}

static struct track_hop_facts hop_of(unsigned int bits)
{
	return (struct track_hop_facts){
		.family = bits & 1 ? IPADDR_V6 : IPADDR_V4,
		.reachable = bits & 2,
		.preference = bits & 4 ? 2 : 1,
		.probe = (enum track_probe)(bits >> 3 & 3),
		.gateway = (enum track_gateway)(bits >> 5 & 3),
	};
}

static void test_all_combinations(void **state)
{
	struct track_hop_facts hops[2] = {};
	struct track_facts facts = facts_of(hops, 2);

	for (unsigned int bits = 0; bits < 1 << 19; bits++) {
		for (unsigned int i = 0; i < 2; i++)
			hops[i] = hop_of(bits >> 7 * i & 127);
		facts.shutdown = bits >> 14 & 1;
		facts.vrf_ready = bits >> 15 & 1;
		facts.last_resort = bits >> 16 & 1;
		facts.down_metric = bits >> 17 & 1 ? 9 : 0;
		facts.down_distance = bits >> 18 & 1 ? 9 : 0;
		check_plan(&facts, IPADDR_V4);
		check_plan(&facts, IPADDR_V6);
	}
}

static void test_names(void **state)
{
	for (int i = 0; i < TRACK_STATES; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(track_state_name(i),
						track_state_name(j));
}

static void test_flaws(void **state)
{
	static const char *const good[] = { "192.0.2.1", "169.254.1.1",
					    "2001:db8::1", "fe80::1" };
	static const char *const bad[] = { "0.0.0.0",	"127.0.0.1",
					   "224.0.0.5", "255.255.255.255",
					   "::",	"::1",
					   "ff02::1",	"::ffff:192.0.2.1" };
	static const char *const good_prefixes[] = {
		"0.0.0.0/0", "10.0.0.0/8", "192.0.2.1/32",
		"::/0",	     "2000::/3",   "2001:db8::1/128"
	};
	static const char *const bad_prefixes[] = {
		"127.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4",
		"ff00::/8",    "::1/128",     "fe80::/10"
	};
	struct ipaddr gate;
	struct prefix p;

	for (size_t i = 0; i < array_size(good); i++) {
		assert_int_equal(str2ipaddr(good[i], &gate), 0);
		assert_null(track_gate_flaw(&gate));
	}
	for (size_t i = 0; i < array_size(bad); i++) {
		assert_int_equal(str2ipaddr(bad[i], &gate), 0);
		assert_non_null(track_gate_flaw(&gate));
	}
	for (size_t i = 0; i < array_size(good_prefixes); i++) {
		assert_true(str2prefix(good_prefixes[i], &p));
		assert_null(track_prefix_flaw(&p));
	}
	for (size_t i = 0; i < array_size(bad_prefixes); i++) {
		assert_true(str2prefix(bad_prefixes[i], &p));
		assert_non_null(track_prefix_flaw(&p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up),
		cmocka_unit_test(test_all_down),
		cmocka_unit_test(test_gateways),
		cmocka_unit_test(test_not_possible),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_flaws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
