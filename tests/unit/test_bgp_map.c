// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Route-maps as texts: what is wanted, what bgpd says, and the commands from
 * one to the other.  A small bgpd carries the commands out.
 */
#include <zebra.h>

#include "unit.h"

#include "memory.h"

#include "vip/bgp_map.h"
#include "vip/bgp_reply.h"
#include "vip/bgp_wanted.h"

#include "bgp_fake.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static const struct bgp_nexthops no_nexthops;

static void test_names(void **state)
{
	char longest[BGP_MAP_NAME_LEN + 1] = "CLUSTERD-";

	assert_true(bgp_map_name_valid("CLUSTERD-x"));
	assert_true(bgp_map_name_valid("CLUSTERD-a.B_c-9"));
	assert_false(bgp_map_name_valid("CLUSTERD-"));
	assert_false(bgp_map_name_valid("clusterd-x"));
	assert_false(bgp_map_name_valid("VIPS"));
	assert_false(bgp_map_name_valid("CLUSTERD-a b"));
	assert_false(bgp_map_name_valid("CLUSTERD-a'b"));
	memset(longest + 9, 'x', BGP_MAP_NAME_LEN - 9);
	assert_false(bgp_map_name_valid(longest));
	longest[BGP_MAP_NAME_LEN - 1] = '\0';
	assert_true(bgp_map_name_valid(longest));
}

static void test_entry_texts(void **state)
{
	struct vip_attributes attributes = {
		.has_local_preference = true,
		.local_preference = 0,
		.link_bandwidth = 1000,
	};
	struct bgp_nexthops nexthops = {
		.v4 = addr("198.51.100.1").ipaddr_v4,
		.v6 = addr("2001:db8::1").ipaddr_v6,
	};
	struct vip_large_community large = { 65001, 2, 3 };
	char text[BGP_MAP_TEXT_LEN];

	assert_string_equal(bgp_entry_text(84, NULL, false, 0, &no_nexthops,
					   text),
			    "match tag 84\n");
	assert_string_equal(bgp_entry_text(85, NULL, true, 0, &no_nexthops,
					   text),
			    "match tag 85\n"
			    "set community graceful-shutdown\n");
	vip_community_add(&attributes, 65001U << 16 | 100);
	vip_community_add(&attributes, VIP_COMMUNITY_GSHUT);
	vip_community_add(&attributes, 1);
	vip_large_community_add(&attributes, &large);
	assert_string_equal(bgp_entry_text(7, &attributes, true, 100, &nexthops,
					   text),
			    "match tag 7\n"
			    "set community 0:1 65001:100 graceful-shutdown\n"
			    "set extcommunity bandwidth 100\n"
			    "set ip next-hop 198.51.100.1\n"
			    "set ipv6 next-hop global 2001:db8::1\n"
			    "set large-community 65001:2:3\n"
			    "set local-preference 0\n");
}

/* The largest set that there can be survives the way to bgpd and back. */
static void test_largest_entry(void **state)
{
	struct vip_attributes attributes = {};
	struct vip_large_community large = { UINT32_MAX, UINT32_MAX, 0 };
	struct fake_map fake = {};
	struct bgp_texts wanted = {};
	struct bgp_map have;
	char text[BGP_MAP_TEXT_LEN];

	for (uint32_t i = 0; i < VIP_COMMUNITIES_MAX; i++) {
		large.local2 = UINT32_MAX - i;
		vip_community_add(&attributes, UINT32_MAX / 2 - i);
		vip_large_community_add(&attributes, &large);
	}
	bgp_texts_add(&wanted, bgp_entry_text(UINT32_MAX, &attributes, true,
					      25600, &no_nexthops, text));
	bgp_texts_finish(&wanted);
	fake_step(&fake, &wanted, NULL, 1000);
	fake_read(&fake, FAKE_FRR_8, &have);
	assert_true(bgp_map_has_all(&have, &wanted));
	assert_true(bgp_map_has_only(&have, &wanted, NULL));
	bgp_map_clear(&have);
	bgp_texts_clear(&wanted);
	fake_free(&fake);
}

static void assert_text(const char *json, const char *text, bool permit)
{
	struct bgp_map map;

	assert_true(bgp_map_parse(&map, json, "CLUSTERD-x"));
	assert_int_equal(map.n, 1);
	assert_string_equal(map.entries[0].text, text);
	assert_int_equal(map.entries[0].permit, permit);
	bgp_map_clear(&map);
}

#define RULE(kind, matches, sets, more)                                        \
	"{\"BGP\":{\"CLUSTERD-x\":{\"invoked\":0,\"rules\":[{"                 \
	"\"sequenceNumber\":10,\"type\":\"" kind                               \
	"\",\"matchClauses\":[" matches "],\"setClauses\":[" sets "]" more     \
	"}]}}}"

static void test_what_bgpd_says(void **state)
{
	struct bgp_map map;

	/* Sorted; FRR 8's "Exit routemap" is what an entry does anyway. */
	assert_text(RULE("permit", "\"tag 84\"",
			 "\"large-community 2:2:2 1:1:1\",\"local-preference 5\","
			 "\"community no-export 65535:0 65001:1\","
			 "\"extcommunity bandwidth 100\"",
			 ",\"action\":\"Exit routemap\""),
		    "match tag 84\n"
		    "set community 65001:1 graceful-shutdown no-export\n"
		    "set extcommunity bandwidth 100\n"
		    "set large-community 1:1:1 2:2:2\n"
		    "set local-preference 5\n",
		    true);
	/* What we don't know stays as it is. */
	assert_text(RULE("deny", "\"tag 84\",\"metric 5\"",
			 "\"community 65001:1 additive\","
			 "\"large-community none\",\"as-path prepend 1\"",
			 ",\"callClause\":\"OTHER\",\"description\":\"d\","
			 "\"action\":\"Goto 20\""),
		    "action Goto 20\n"
		    "callClause OTHER\n"
		    "description d\n"
		    "match metric 5\n"
		    "match tag 84\n"
		    "set as-path prepend 1\n"
		    "set community 65001:1 additive\n"
		    "set large-community none\n",
		    false);
	assert_text("{\"CLUSTERD-x\":{\"rules\":[{\"sequenceNumber\":65535,"
		    "\"type\":\"permit\",\"matchClauses\":[],\"setClauses\":[]}]}}",
		    "", true);

	/* No such map, by all versions; an empty one. */
	assert_true(bgp_map_parse(&map, "{\"BGP\":{}}", "CLUSTERD-x"));
	assert_int_equal(map.n, 0);
	assert_true(bgp_map_parse(&map, "{}\n", "CLUSTERD-x"));
	assert_int_equal(map.n, 0);
	assert_true(bgp_map_parse(&map, "{\"CLUSTERD-x\":{\"rules\":[]}}",
				  "CLUSTERD-x"));
	assert_int_equal(map.n, 0);
}

static void test_what_bgpd_does_not_say(void **state)
{
	static const char *const bad[] = {
		"",
		"% Unknown command",
		"[]",
		"5",
		"{\"BGP\":[]}",
		"{\"BGP\":{\"OTHER\":{\"rules\":[]}}}",
		"{\"CLUSTERD-x\":{}}",
		"{\"CLUSTERD-x\":{\"rules\":5}}",
		"{\"CLUSTERD-x\":{\"rules\":[{}]}}",
		"{\"CLUSTERD-x\":{\"rules\":[{\"type\":\"permit\"}]}}",
		"{\"CLUSTERD-x\":{\"rules\":[{\"type\":\"permit\",\"sequenceNumber\":0}]}}",
		"{\"CLUSTERD-x\":{\"rules\":[{\"type\":\"permit\",\"sequenceNumber\":65536}]}}",
		"{\"CLUSTERD-x\":{\"rules\":[{\"sequenceNumber\":10}]}}",
	};
	struct bgp_map map;

	for (size_t i = 0; i < array_size(bad); i++) {
		if (bgp_map_parse(&map, bad[i], "CLUSTERD-x"))
			fail_msg("'%s' is no route-map", bad[i]);
		assert_int_equal(map.n, 0);
	}
	/* Odd clauses are clauses that we don't know. */
	assert_text(RULE("permit", "null,5", "{}", ""),
		    "match 5\nmatch ?\nset { }\n", true);
}

/* The texts of tags `from` to `to`. */
static void tags(struct bgp_texts *texts, uint32_t from, uint32_t to)
{
	char text[BGP_MAP_TEXT_LEN];

	for (uint32_t tag = from; tag <= to; tag++)
		bgp_texts_add(texts, bgp_entry_text(tag, NULL, tag % 2, 0,
						    &no_nexthops, text));
	bgp_texts_finish(texts);
}

/*
 * From any map to any other: while the commands are carried out line after
 * line, every tag that both have is always permitted, and no route meets an
 * entry that isn't complete.
 */
static void test_steps_are_never_seen(void **state)
{
	static const uint32_t ranges[][2] = {
		{ 1, 1 }, { 1, 9 }, { 5, 14 }, { 20, 30 }, { 1, 30 },
	};

	for (size_t i = 0; i < array_size(ranges); i++)
		for (size_t j = 0; j < array_size(ranges); j++)
			for (size_t max = 1; max < 200; max += 7) {
				struct bgp_texts from = {}, to = {};
				struct fake_map fake = {};

				tags(&from, ranges[i][0], ranges[i][1]);
				tags(&to, ranges[j][0], ranges[j][1]);
				fake_steps(&fake, &from, NULL, 1000);
				fake.must_first = MAX(ranges[i][0],
						      ranges[j][0]);
				fake.must_last = MIN(ranges[i][1], ranges[j][1]);
				fake_steps(&fake, &to, NULL, max);
				assert_int_equal(fake.n, to.n);
				fake_free(&fake);
				bgp_texts_clear(&from);
				bgp_texts_clear(&to);
			}
}

static void test_in_step_needs_nothing(void **state)
{
	struct bgp_texts wanted = {};
	struct fake_map fake = {};

	tags(&wanted, 1, 5);
	assert_int_equal(fake_step(&fake, &wanted, NULL, 1000), 5 * 3 + 2 + 1);
	assert_int_equal(fake_step(&fake, &wanted, NULL, 1000), 0);
	fake_free(&fake);
	bgp_texts_clear(&wanted);
}

static void test_kept_entries_stay(void **state)
{
	struct bgp_texts before = {}, after = {}, kept = {};
	struct fake_map fake = {};

	tags(&before, 1, 4);
	tags(&after, 3, 6);
	tags(&kept, 1, 1);
	fake_steps(&fake, &before, NULL, 1000);
	fake_steps(&fake, &after, &kept, 1000);
	assert_int_equal(fake.n, 5);
	assert_true(fake_permits(&fake, 1));
	assert_false(fake_permits(&fake, 2));
	fake_steps(&fake, &after, NULL, 1000);
	assert_int_equal(fake.n, 4);
	fake_free(&fake);
	bgp_texts_clear(&before);
	bgp_texts_clear(&after);
	bgp_texts_clear(&kept);
}

/* Twice the same, denied, half of it: all but one go. */
static void test_others_entries_go(void **state)
{
	static const char *const edits[] = {
		"route-map CLUSTERD-x permit 500",
		"match tag 2",
		"route-map CLUSTERD-x deny 501",
		"match tag 2",
		"route-map CLUSTERD-x permit 502",
		"match tag 2",
		"set metric 5",
		"route-map CLUSTERD-x deny 1",
	};
	struct bgp_texts wanted = {};
	struct fake_map fake = {};

	tags(&wanted, 1, 3);
	fake_steps(&fake, &wanted, NULL, 1000);
	fake.unchecked = true;
	for (size_t i = 0; i < array_size(edits); i++)
		assert_true(fake_command(&fake, edits[i]));
	assert_int_equal(fake.n, 7);
	fake_steps(&fake, &wanted, NULL, 1000);
	assert_int_equal(fake.n, 3);
	fake_free(&fake);
	bgp_texts_clear(&wanted);
}

/* At the end of the numbers the gaps are used, the last one first. */
static void test_sequence_numbers(void **state)
{
	struct bgp_texts wanted = {};
	struct fake_map fake = {};

	fake_command(&fake, "route-map CLUSTERD-x deny 65535");
	tags(&wanted, 2, 3);
	fake_steps(&fake, &wanted, NULL, 1000);
	assert_int_equal(fake.n, 2);
	assert_int_equal(fake.entries[0].seq, 65533);
	assert_int_equal(fake.entries[1].seq, 65534);

	fake_free(&fake);
	bgp_texts_clear(&wanted);
}

/* Nothing of the old map is wanted: it goes last, and the map is never empty. */
static void test_added_before_removed(void **state)
{
	struct bgp_script script = {};
	struct bgp_texts wanted = {};
	struct bgp_map have;

	assert_true(bgp_map_parse(&have, RULE("permit", "\"tag 1\"", "", ""),
				  "CLUSTERD-x"));
	tags(&wanted, 2, 3);
	assert_true(bgp_map_plan(&script, "CLUSTERD-x", &wanted, NULL, &have,
				 1000));
	assert_true(script.n > 1);
	for (size_t i = 0; i < script.n; i++)
		assert_int_equal(!strncmp(script.lines[i], "no ", 3),
				 i == script.n - 1);
	bgp_script_clear(&script);

	/* Not all of it fits: nothing goes. */
	assert_true(
		bgp_map_plan(&script, "CLUSTERD-x", &wanted, NULL, &have, 1));
	assert_true(script.n > 1);
	for (size_t i = 0; i < script.n; i++)
		assert_int_not_equal(strncmp(script.lines[i], "no ", 3), 0);
	bgp_script_clear(&script);
	bgp_map_clear(&have);
	bgp_texts_clear(&wanted);
}

static void test_no_room(void **state)
{
	struct bgp_script script = {};
	struct bgp_texts wanted = {};
	struct bgp_map have;
	char *json = fake_full_json();

	assert_true(bgp_map_parse(&have, json, "CLUSTERD-x"));
	tags(&wanted, 1, 1);
	assert_false(bgp_map_plan(&script, "CLUSTERD-x", &wanted, NULL, &have,
				  1000));
	assert_int_equal(script.n, 0);
	free(json);
	bgp_map_clear(&have);
	bgp_script_clear(&script);
	bgp_texts_clear(&wanted);
}

static void test_same(void **state)
{
	struct bgp_map a, b;

	assert_true(bgp_map_parse(&a, RULE("permit", "\"tag 1\"", "", ""),
				  "CLUSTERD-x"));
	assert_true(bgp_map_parse(&b, RULE("permit", "\"tag 1\"", "", ""),
				  "CLUSTERD-x"));
	assert_true(bgp_map_same(&a, &b));
	b.entries[0].seq++;
	assert_false(bgp_map_same(&a, &b));
	b.entries[0].seq--;
	b.entries[0].permit = false;
	assert_false(bgp_map_same(&a, &b));
	bgp_map_clear(&b);
	assert_false(bgp_map_same(&a, &b));
	assert_true(bgp_map_parse(&b, RULE("permit", "\"tag 2\"", "", ""),
				  "CLUSTERD-x"));
	assert_false(bgp_map_same(&a, &b));
	bgp_map_clear(&a);
	bgp_map_clear(&b);
}

/* -- what is wanted -- */

static void test_wanted(void **state)
{
	struct vip_attributes rich = { .link_bandwidth = 100 };
	struct vip_attributes same = rich;
	struct vip_attributes drain = { .drain_tag = 1085 };
	struct bgp_use uses[] = {
		{ 84, &rich },	 { 84, NULL },	   { 1084, &drain },
		{ 1084, &same }, { 1084, &drain }, { 1086, NULL },
	};
	struct bgp_texts texts = {}, none = {};
	char text[BGP_MAP_TEXT_LEN];

	/* Nothing at all is a VIP without attributes. */
	assert_int_equal(bgp_wanted_build(&none, NULL, 0, &no_nexthops), 0);
	assert_int_equal(none.n, 2);

	/* 84, 85; 11 phases; 1084, 1085; 1086 */
	assert_int_equal(bgp_wanted_build(&texts, uses, array_size(uses),
					  &no_nexthops),
			 0);
	assert_int_equal(texts.n, 2 + 11 + 2 + 1);
	for (size_t i = 0; i < none.n; i++)
		assert_true(bgp_texts_has(&texts, none.texts[i]));
	assert_true(bgp_texts_has(&texts, bgp_entry_text(1085, NULL, true, 0,
							 &no_nexthops, text)));
	assert_false(bgp_texts_same(&texts, &none));
	bgp_texts_clear(&texts);
	bgp_texts_clear(&none);
}

/* The tag of one is the drain-tag of the other. */
static void test_wanted_conflict(void **state)
{
	struct bgp_use uses[] = { { 85, NULL } };
	struct bgp_texts texts = {};

	assert_int_equal(bgp_wanted_build(&texts, uses, 1, &no_nexthops), 85);
	assert_int_equal(texts.n, 2);
	assert_string_equal(texts.texts[1], "match tag 85\n");
	bgp_texts_clear(&texts);
}

static void test_own_addresses(void **state)
{
	const struct ipaddr none = { .ipa_type = IPADDR_NONE };
	const struct ipaddr a = addr("198.51.100.1"), b = addr("198.51.100.2");
	const int64_t s = 1000000;
	struct bgp_own own = {};

	assert_int_equal(bgp_own_update(&own, &none, false, 1 * s), 0);
	assert_int_equal(own.state, BGP_OWN_NONE);

	/* Not there yet: a while of patience. */
	assert_int_equal(bgp_own_update(&own, &a, false, 2 * s), 7 * s);
	assert_int_equal(own.state, BGP_OWN_PENDING);
	assert_int_equal(bgp_own_update(&own, &a, false, 3 * s), 7 * s);
	assert_int_equal(bgp_own_update(&own, &a, true, 4 * s), 0);
	assert_int_equal(own.state, BGP_OWN_USED);

	/* Gone for a moment, and for longer. */
	assert_int_equal(bgp_own_update(&own, &a, false, 5 * s), 10 * s);
	assert_int_equal(own.state, BGP_OWN_USED);
	assert_int_equal(bgp_own_update(&own, &a, true, 6 * s), 0);
	assert_int_equal(bgp_own_update(&own, &a, false, 7 * s), 12 * s);
	assert_int_equal(bgp_own_update(&own, &a, false, 12 * s), 0);
	assert_int_equal(own.state, BGP_OWN_FOREIGN);
	assert_int_equal(bgp_own_update(&own, &a, true, 13 * s), 0);
	assert_int_equal(own.state, BGP_OWN_USED);

	/* Another one begins anew. */
	assert_int_equal(bgp_own_update(&own, &b, false, 14 * s), 19 * s);
	assert_int_equal(own.state, BGP_OWN_PENDING);
	assert_int_equal(bgp_own_update(&own, &none, false, 15 * s), 0);
	assert_int_equal(own.state, BGP_OWN_NONE);
}

/* -- answers -- */

/* However the bytes are cut into pieces, it is the same answer. */
static void test_answer_in_pieces(void **state)
{
	static const char bytes[] = "two\nlines\n\0\0\0\2";
	const size_t n = sizeof(bytes) - 1;

	for (size_t cut = 0; cut <= n; cut++)
		for (size_t again = cut; again <= n; again++) {
			struct bgp_reply reply = {};
			size_t ends[] = { cut, again, n };
			size_t at = 0;

			for (size_t i = 0; i < array_size(ends); i++) {
				enum bgp_reply_result result =
					bgp_reply_feed(&reply, bytes + at,
						       ends[i] - at);

				assert_int_equal(result,
						 ends[i] == n ? BGP_REPLY_DONE
							      : BGP_REPLY_MORE);
				at = ends[i];
				if (at == n)
					break;
			}
			assert_string_equal(reply.data, "two\nlines\n");
			assert_int_equal(reply.status, 2);
			bgp_reply_clear(&reply);
		}
}

static void test_answer_is_none(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} bad[] = {
		{ "x\0\0\1\0", 5 }, /* no trailer */
		{ "x\0\1\0\0", 5 }, /* no trailer */
		{ "\0\0\0\0x", 5 }, /* more than one answer */
		{ "\0\0\0\0\0\0\0\0", 8 },
	};

	for (size_t i = 0; i < array_size(bad); i++) {
		struct bgp_reply reply = {};

		assert_int_equal(bgp_reply_feed(&reply, bad[i].bytes, bad[i].n),
				 BGP_REPLY_BAD);
		bgp_reply_clear(&reply);
	}
}

static void test_answer_without_end(void **state)
{
	struct bgp_reply reply = {};
	char *much = malloc(1 << 20);
	enum bgp_reply_result result = BGP_REPLY_MORE;
	size_t fed = 0;

	memset(much, 'x', 1 << 20);
	while (result == BGP_REPLY_MORE && fed <= BGP_REPLY_MAX) {
		result = bgp_reply_feed(&reply, much, 1 << 20);
		fed += 1 << 20;
	}
	assert_int_equal(result, BGP_REPLY_BAD);
	bgp_reply_clear(&reply);
	free(much);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_entry_texts),
		cmocka_unit_test(test_largest_entry),
		cmocka_unit_test(test_what_bgpd_says),
		cmocka_unit_test(test_what_bgpd_does_not_say),
		cmocka_unit_test(test_steps_are_never_seen),
		cmocka_unit_test(test_in_step_needs_nothing),
		cmocka_unit_test(test_kept_entries_stay),
		cmocka_unit_test(test_others_entries_go),
		cmocka_unit_test(test_sequence_numbers),
		cmocka_unit_test(test_added_before_removed),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_wanted_conflict),
		cmocka_unit_test(test_own_addresses),
		cmocka_unit_test(test_answer_in_pieces),
		cmocka_unit_test(test_answer_is_none),
		cmocka_unit_test(test_answer_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
