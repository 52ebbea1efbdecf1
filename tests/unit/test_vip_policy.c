// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of VIPs and their tags: what nodes agree on without talking.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "vip/vip_policy.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define DRAINING ((struct vip_phase){ .draining = true, .ramp = 10 })
#define RAMP(n)	 ((struct vip_phase){ .ramp = (n) })

static uint32_t community(const char *text)
{
	uint32_t value = 0;

	if (!vip_community_parse(text, &value))
		fail_msg("%s is a community", text);
	return value;
}

static uint32_t tag(const struct vip_attributes *attributes,
		    struct vip_phase phase)
{
	return vip_policy_tag(attributes, VIP_DEFAULT_TAG, &phase);
}

static void test_without_attributes(void **state)
{
	struct vip_attributes attributes = {};
	struct vip_phase draining = DRAINING, normal = VIP_PHASE_NORMAL;

	assert_int_equal(tag(NULL, VIP_PHASE_NORMAL), 84);
	assert_int_equal(tag(NULL, DRAINING), 85);
	assert_int_equal(tag(&attributes, VIP_PHASE_NORMAL), 84);
	assert_int_equal(tag(&attributes, DRAINING), 85);
	/* Without a link-bandwidth the ramp is in the metric alone. */
	assert_int_equal(tag(NULL, RAMP(3)), 84);

	attributes.drain_tag = 1085;
	assert_true(vip_attributes_empty(&attributes));
	assert_int_equal(vip_policy_tag(&attributes, 1084, &normal), 1084);
	assert_int_equal(vip_policy_tag(&attributes, 1084, &draining), 1085);
}

/* Numbers that must never change: nodes of two versions have to agree. */
static void test_known_tags(void **state)
{
	struct vip_attributes attributes = {};
	struct vip_large_community large = { 65001, 1, 2 };

	vip_community_add(&attributes, community("65001:100"));
	assert_int_equal(tag(&attributes, VIP_PHASE_NORMAL), 2349077616U);
	vip_community_add(&attributes, community("no-export"));
	vip_large_community_add(&attributes, &large);
	attributes.has_local_preference = true;
	attributes.local_preference = 200;
	attributes.link_bandwidth = 1000;
	assert_int_equal(tag(&attributes, VIP_PHASE_NORMAL), 2226537104U);
	assert_int_equal(tag(&attributes, RAMP(7)), 2226537104U + 7);
	assert_int_equal(tag(&attributes, DRAINING), 2226537104U + 15);
}

/* Only what is announced makes the tag, in whatever order it was typed. */
static void test_tag_is_content(void **state)
{
	struct vip_attributes a = {}, b = {};
	struct vip_phase normal = VIP_PHASE_NORMAL;

	vip_community_add(&a, community("65001:1"));
	vip_community_add(&a, community("65001:2"));
	vip_community_add(&a, community("65001:1"));
	vip_community_add(&b, community("65001:2"));
	vip_community_add(&b, community("65001:1"));
	b.drain_tag = 99;
	assert_int_equal(a.n_communities, 2);
	assert_int_equal(vip_attributes_cmp(&a, &b), 0);
	assert_int_equal(vip_policy_tag(&a, 84, &normal),
			 vip_policy_tag(&b, 1084, &normal));
	assert_int_equal(tag(&a, DRAINING), tag(&b, DRAINING));
	assert_true(tag(&a, normal) >= VIP_TAG_DERIVED);

	vip_community_del(&b, community("65001:3"));
	assert_int_equal(b.n_communities, 2);
	vip_community_del(&b, community("65001:2"));
	assert_int_equal(b.n_communities, 1);
	assert_int_not_equal(tag(&a, normal), tag(&b, normal));
}

/* Any one attribute that differs makes another set: order and tag say so. */
static void test_each_attribute_counts(void **state)
{
	struct vip_attributes sets[10] = {};
	struct vip_large_community large = { 1, 2, 3 };
	size_t n = 0;

	vip_community_add(&sets[n++], 1);
	vip_community_add(&sets[n++], 2);
	sets[n] = sets[n - 1];
	vip_community_add(&sets[n++], 3);
	vip_large_community_add(&sets[n++], &large);
	large.global = 2;
	vip_large_community_add(&sets[n++], &large);
	large.local1 = 3;
	vip_large_community_add(&sets[n++], &large);
	large.local2 = 4;
	vip_large_community_add(&sets[n++], &large);
	sets[n++].has_local_preference = true;
	sets[n].has_local_preference = true;
	sets[n++].local_preference = 1;
	sets[n++].link_bandwidth = 1;
	assert_int_equal(n, 10);

	for (size_t i = 0; i < n; i++) {
		assert_false(vip_attributes_empty(&sets[i]));
		for (size_t j = 0; j < n; j++) {
			int cmp = vip_attributes_cmp(&sets[i], &sets[j]);

			assert_int_equal(cmp == 0, i == j);
			assert_int_equal(
				cmp<0, vip_attributes_cmp(&sets[j], &sets[i])> 0);
			assert_int_equal(tag(&sets[i], VIP_PHASE_NORMAL) ==
						 tag(&sets[j], VIP_PHASE_NORMAL),
					 i == j);
		}
	}
}

static void test_phases(void **state)
{
	struct vip_attributes attributes = { .has_local_preference = true };
	struct vip_phase phases[VIP_PHASES_MAX];
	size_t n;

	assert_int_equal(vip_policy_phases(NULL, phases), 2);
	assert_int_equal(vip_policy_phases(&attributes, phases), 2);
	assert_int_equal(tag(&attributes, RAMP(3)),
			 tag(&attributes, VIP_PHASE_NORMAL));

	attributes.link_bandwidth = 1000;
	n = vip_policy_phases(&attributes, phases);
	assert_int_equal(n, VIP_PHASES_MAX);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(tag(&attributes, phases[i]),
					     tag(&attributes, phases[j]));
	/* Every ramp has one of these tags; a draining VIP has no ramp. */
	for (unsigned int ramp = 0; ramp <= UINT8_MAX; ramp++) {
		struct vip_phase draining = { .draining = true, .ramp = ramp };
		bool found = false;

		for (size_t i = 0; i < n; i++)
			found |= tag(&attributes, RAMP(ramp)) ==
				 tag(&attributes, phases[i]);
		assert_true(found);
		assert_int_equal(tag(&attributes, draining),
				 tag(&attributes, DRAINING));
	}
}

static void test_metric_and_bandwidth(void **state)
{
	struct vip_attributes attributes = { .link_bandwidth = 25600 };
	struct vip_phase draining = DRAINING, normal = VIP_PHASE_NORMAL;

	assert_int_equal(vip_policy_metric(NULL, 7, &normal), 7);
	assert_int_equal(vip_policy_metric(NULL, 7, &draining), UINT32_MAX);
	assert_int_equal(vip_policy_metric(&attributes, 7, &draining),
			 UINT32_MAX);
	assert_int_equal(vip_policy_bandwidth(NULL, &normal), 0);
	assert_int_equal(vip_policy_bandwidth(&attributes, &draining), 25600);
	for (uint8_t ramp = 1; ramp < 10; ramp++) {
		assert_int_equal(vip_policy_metric(NULL, 7, &RAMP(ramp)), 8);
		assert_int_equal(vip_policy_metric(NULL, UINT32_MAX,
						   &RAMP(ramp)),
				 UINT32_MAX);
		assert_int_equal(vip_policy_metric(&attributes, 7, &RAMP(ramp)),
				 7);
		assert_int_equal(vip_policy_bandwidth(&attributes, &RAMP(ramp)),
				 2560 * ramp);
	}
	attributes.link_bandwidth = 3;
	assert_int_equal(vip_policy_bandwidth(&attributes, &RAMP(1)), 1);
	assert_int_equal(vip_policy_bandwidth(&attributes, &RAMP(10)), 3);
}

/* One community each; enough for several of the 2^27 hashes to be equal. */
#define SETS 60000

static int void_tag_cmp(const void *a, const void *b)
{
	const struct vip_attributes *const *x = a, *const *y = b;
	uint32_t p = tag(*x, VIP_PHASE_NORMAL), q = tag(*y, VIP_PHASE_NORMAL);

	return (p > q) - (p < q);
}

static void test_collisions(void **state)
{
	struct vip_attributes *sets = calloc(SETS, sizeof(*sets));
	struct vip_attributes **order = calloc(SETS, sizeof(*order));
	uint32_t *first = calloc(SETS, sizeof(*first));
	size_t n_moved = 0, n_equal = 0;

	for (size_t i = 0; i < SETS; i++) {
		vip_community_add(&sets[i], 0x10000 + i);
		first[i] = tag(&sets[i], VIP_PHASE_NORMAL);
		order[i] = &sets[i];
	}
	qsort(order, SETS, sizeof(*order), void_tag_cmp);
	for (size_t i = 1; i < SETS; i++)
		n_equal += void_tag_cmp(&order[i - 1], &order[i]) == 0;
	assert_true(n_equal > 0);

	/* Afterwards none are equal, and only those that were have moved. */
	vip_policy_resolve(order, SETS);
	for (size_t i = 0; i < SETS; i++)
		n_moved += tag(&sets[i], VIP_PHASE_NORMAL) != first[i];
	assert_int_equal(n_moved, n_equal);
	for (size_t i = 0; i < SETS; i++)
		first[i] = tag(&sets[i], VIP_PHASE_NORMAL);
	qsort(order, SETS, sizeof(*order), void_tag_cmp);
	for (size_t i = 1; i < SETS; i++)
		assert_int_not_equal(void_tag_cmp(&order[i - 1], &order[i]), 0);

	/* In whatever order they come, and whatever was before. */
	for (size_t i = 0; i < SETS; i++)
		order[i]->variant = i;
	vip_policy_resolve(order, SETS);
	for (size_t i = 0; i < SETS; i++)
		assert_int_equal(tag(&sets[i], VIP_PHASE_NORMAL), first[i]);
	free(sets);
	free(order);
	free(first);
}

static void test_resolve_equal(void **state)
{
	struct vip_attributes a = { .link_bandwidth = 1 }, b = a, c = {};
	struct vip_attributes *sets[] = { &a, &c, &b };

	c.link_bandwidth = 2;
	vip_policy_resolve(sets, 0);
	vip_policy_resolve(sets, 3);
	assert_int_equal(tag(&a, VIP_PHASE_NORMAL), tag(&b, VIP_PHASE_NORMAL));
	assert_int_not_equal(tag(&a, VIP_PHASE_NORMAL),
			     tag(&c, VIP_PHASE_NORMAL));
}

static void test_community_texts(void **state)
{
	static const char *const good[] = {
		"65001:100",  "0:1",	      "1:0",	  "65535:65535",
		"no-export",  "no-advertise", "local-AS", "graceful-shutdown",
		"accept-own", "llgr-stale",   "no-llgr",  "blackhole",
		"no-peer",
	};
	static const char *const bad[] = {
		"",
		":",
		"1:",
		"1",
		"0:0",
		"65536:1",
		"1:65536",
		":1",
		"1:2:3",
		"1:2 ",
		" 1:2",
		"-1:2",
		"internet",
		"no-ex",
		"no-peers",
		"1:+2",
		"0x1:2",
		"1::2",
		"99999999999999999999:1",
	};
	char text[VIP_COMMUNITY_LEN];
	uint32_t value;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_string_equal(vip_community_text(community(good[i]), text,
						       sizeof(text)),
				    good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (vip_community_parse(bad[i], &value))
			fail_msg("'%s' is no community", bad[i]);
	assert_int_equal(community("65535:0"), community("graceful-shutdown"));
}

static void test_large_community_texts(void **state)
{
	static const char *const good[] = {
		"65001:1:2",
		"0:0:0",
		"4294967295:4294967295:4294967295",
	};
	static const char *const bad[] = {
		"",
		"1:2",
		"1:2:",
		"1:2:3:4",
		"4294967296:1:1",
		"1:4294967296:1",
		"1:1:4294967296",
		"1:2:3 ",
		"no-export",
	};
	struct vip_large_community large;
	char text[VIP_COMMUNITY_LEN + 8];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(vip_large_community_parse(good[i], &large));
		assert_string_equal(vip_large_community_text(&large, text,
							     sizeof(text)),
				    good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (vip_large_community_parse(bad[i], &large))
			fail_msg("'%s' is no large community", bad[i]);
}

static void test_sets_are_bounded(void **state)
{
	struct vip_attributes attributes = {};
	struct vip_large_community large = {};

	/* From the largest on: each has to be put in front. */
	for (uint32_t i = VIP_COMMUNITIES_MAX; i > 0; i--) {
		large.local2 = i;
		assert_true(vip_community_add(&attributes, i));
		assert_true(vip_large_community_add(&attributes, &large));
	}
	for (uint32_t i = 0; i < VIP_COMMUNITIES_MAX; i++) {
		assert_int_equal(attributes.communities[i], i + 1);
		assert_int_equal(attributes.large_communities[i].local2, i + 1);
	}
	large.local2 = 99;
	assert_false(vip_community_add(&attributes, 99));
	assert_false(vip_large_community_add(&attributes, &large));
	large.local2 = 3;
	assert_true(vip_community_add(&attributes, 3));
	assert_true(vip_large_community_add(&attributes, &large));
	vip_large_community_del(&attributes, &large);
	vip_large_community_del(&attributes, &large);
	assert_int_equal(attributes.n_large_communities,
			 VIP_COMMUNITIES_MAX - 1);
	assert_int_equal(attributes.large_communities[2].local2, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_attributes),
		cmocka_unit_test(test_known_tags),
		cmocka_unit_test(test_tag_is_content),
		cmocka_unit_test(test_each_attribute_counts),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_metric_and_bandwidth),
		cmocka_unit_test(test_collisions),
		cmocka_unit_test(test_resolve_equal),
		cmocka_unit_test(test_community_texts),
		cmocka_unit_test(test_large_community_texts),
		cmocka_unit_test(test_sets_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
