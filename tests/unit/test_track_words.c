// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What nodes tell each other about their tracked routes: the octets, what is
 * told, what is kept of what is heard, and both ends together.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "track/track_heard.h"
#include "track/track_told.h"

DEFINE_MGROUP(CLUSTERD, "test");

static struct ctl_id id(uint8_t fill)
{
	struct ctl_id made;

	memset(made.bytes, fill, sizeof(made.bytes));
	return made;
}

static struct track_word word(const char *name, enum track_level v4,
			      enum track_level v6)
{
	struct track_word made = { .levels = { v4, v6 } };

	snprintf(made.name, sizeof(made.name), "%s", name);
	return made;
}

/* ---- codec ---- */

static void test_octets(void **state)
{
	static const uint8_t octets[] = { 3, 1, 4, 'a', '.', '_', '9' };
	struct track_word one = word("a._9", TRACK_LEVEL_REACHABLE,
				     TRACK_LEVEL_UNREACHABLE);
	uint8_t buf[TRACK_ITEM_LEN_MAX + 1];
	struct track_word back;
	size_t len;

	assert_int_equal(track_encode(&one, buf), sizeof(octets));
	assert_memory_equal(buf, octets, sizeof(octets));
	memset(one.name, 'z', TRACK_NAME_LEN - 1);
	for (int v4 = 0; v4 < TRACK_LEVELS; v4++) {
		one.levels[0] = v4;
		one.levels[1] = TRACK_LEVELS - 1 - v4;
		len = track_encode(&one, buf);
		assert_int_equal(len, TRACK_ITEM_LEN_MAX);
		assert_true(track_decode(TRACK_ITEM_TRACK, buf, len, &back));
		assert_memory_equal(&back, &one, sizeof(one));
	}
	/* A newer version's fields behind it, and cut short anywhere. */
	buf[len] = 0xee;
	assert_true(track_decode(TRACK_ITEM_TRACK, buf, len + 1, &back));
	assert_memory_equal(&back, &one, sizeof(one));
	for (size_t cut = 0; cut < len; cut++)
		assert_false(track_decode(TRACK_ITEM_TRACK, buf, cut, &back));
	/* A newer level is nothing to rely on. */
	buf[0] = TRACK_LEVELS;
	assert_true(track_decode(TRACK_ITEM_TRACK, buf, len, &back));
	assert_int_equal(back.levels[0], TRACK_LEVEL_UNREACHABLE);
}

static void test_refused(void **state)
{
	static const char *const bad[] = { "",	  "-a",	 ".a",	    "a b",
					   "a/b", "a\n", "\xc3\xa4" };
	uint8_t buf[3 + TRACK_NAME_LEN] = { 3, 3 };
	struct track_word back;

	for (size_t i = 0; i < array_size(bad); i++) {
		buf[2] = strlen(bad[i]);
		memcpy(buf + 3, bad[i], buf[2]);
		assert_false(track_decode(TRACK_ITEM_TRACK, buf, sizeof(buf),
					  &back));
	}
	/* An end in the middle. */
	buf[2] = 2;
	buf[3] = 'a';
	buf[4] = '\0';
	assert_false(track_decode(TRACK_ITEM_TRACK, buf, sizeof(buf), &back));
	buf[2] = TRACK_NAME_LEN;
	memset(buf + 3, 'a', TRACK_NAME_LEN);
	assert_false(track_decode(TRACK_ITEM_TRACK, buf, sizeof(buf), &back));
	buf[2]--;
	assert_true(track_decode(TRACK_ITEM_TRACK, buf, sizeof(buf), &back));
	assert_false(
		track_decode(TRACK_ITEM_TRACK + 1, buf, sizeof(buf), &back));
	assert_false(
		track_decode(TRACK_ITEM_TRACK - 1, buf, sizeof(buf), &back));
}

static void test_names(void **state)
{
	for (int i = 0; i < TRACK_LEVELS; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(track_level_name(i),
						track_level_name(j));
}

/* ---- the level ---- */

static void test_level(void **state)
{
	struct track_level_facts facts = { .state = TRACK_UP };

	assert_int_equal(track_level(&facts), TRACK_LEVEL_NONE);
	facts.prefixes = 2;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_UNREACHABLE);
	facts.ours = 1;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_REACHABLE);
	facts.state = TRACK_LAST_RESORT;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_WORSE);
	facts.state = TRACK_DEGRADED;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_WORSE);
	for (int i = 0; i < TRACK_STATES; i++) {
		facts.state = i;
		assert_int_equal(track_level(&facts) == TRACK_LEVEL_UNREACHABLE,
				 !track_installs(i));
	}
	/* Usable when it is installed, and while it is replaced. */
	facts.state = TRACK_UP;
	facts.pending = 1;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_UNREACHABLE);
	facts.before = TRACK_LEVEL_UNREACHABLE;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_UNREACHABLE);
	facts.before = TRACK_LEVEL_WORSE;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_REACHABLE);
	facts.before = TRACK_LEVEL_REACHABLE;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_REACHABLE);
	facts.failed = 1;
	assert_int_equal(track_level(&facts), TRACK_LEVEL_UNREACHABLE);
}

/* ---- telling ---- */

static char log_text[4096];
static size_t log_len;

static void log_word(const struct track_word *one)
{
	log_len += snprintf(log_text + log_len, sizeof(log_text) - log_len,
			    "%s%d%d ", one->name, one->levels[0],
			    one->levels[1]);
}

static void told_is(struct track_told *told, const struct track_word *words,
		    size_t n, const char *expected)
{
	log_len = 0;
	log_text[0] = '\0';
	track_told_set(told, words, n, log_word);
	assert_string_equal(log_text, expected);
}

static size_t room;

static bool take(void *arg, const struct track_word *one)
{
	if (!room)
		return false;
	room--;
	log_word(one);
	return true;
}

static size_t all(const struct track_told *told, size_t from, size_t take_most,
		  const char *expected)
{
	size_t next;

	log_len = 0;
	log_text[0] = '\0';
	room = take_most;
	next = track_told_all(told, from, take, NULL);
	assert_string_equal(log_text, expected);
	return next;
}

static void test_told(void **state)
{
	struct track_told *told = track_told_new();
	struct track_word words[] = { word("a", 3, 0), word("b", 1, 2),
				      word("c", 3, 3) };
	enum track_level levels[2];
	size_t next;

	assert_int_equal(all(told, 0, 9, ""), SIZE_MAX);
	told_is(told, words, 3, "a30 b12 c33 ");
	told_is(told, words, 3, "");
	words[1].levels[0] = TRACK_LEVEL_REACHABLE;
	told_is(told, words, 3, "b32 ");
	track_told_find(told, "b", levels);
	assert_int_equal(levels[0], 3);
	assert_int_equal(levels[1], 2);
	track_told_find(told, "bb", levels);
	assert_int_equal(levels[0] + levels[1], 0);

	/* In parts; a change of levels in between is told by itself. */
	next = all(told, 0, 1, "a30 ");
	words[2].levels[0] = TRACK_LEVEL_UNREACHABLE;
	told_is(told, words, 3, "c13 ");
	next = all(told, next, 1, "b32 ");
	assert_int_equal(all(told, next, 0, ""), next);
	/* Other names: places have moved, and all comes again. */
	told_is(told, words + 1, 2, "a00 ");
	assert_int_equal(all(told, next, 9, "b32 c13 "), SIZE_MAX);
	told_is(told, words, 1, "b00 c00 a30 ");
	told_is(told, NULL, 0, "a00 ");
	track_told_free(&told);
	assert_null(told);
}

static size_t counted;

static void count_word(const struct track_word *one)
{
	counted++;
}

static void test_told_bound(void **state)
{
	static struct track_word many[TRACK_TOLD_MAX + 5];
	struct track_told *told = track_told_new();

	for (size_t i = 0; i < array_size(many); i++) {
		many[i] = word("", 3, 3);
		snprintf(many[i].name, sizeof(many[i].name), "n%04zu", i);
	}
	counted = 0;
	track_told_set(told, many, array_size(many), count_word);
	assert_int_equal(counted, TRACK_TOLD_MAX);
	assert_int_equal(track_told_count(told), TRACK_TOLD_MAX);
	track_told_free(&told);
}

/* ---- hearing ---- */

/* Who speaks has no more than there is room for, also while names change. */
static struct track_heard *listener;

static void hear_word(const struct track_word *one)
{
	uint8_t buf[TRACK_ITEM_LEN_MAX];
	struct ctl_id from = id(1);

	assert_true(track_heard_item(listener, &from, TRACK_ITEM_TRACK, buf,
				     track_encode(one, buf), 1));
}

static void test_told_and_heard_bound(void **state)
{
	static struct track_word many[2 * TRACK_HEARD_MAX];
	struct track_told *told = track_told_new();
	struct ctl_id from = id(1);

	for (size_t i = 0; i < array_size(many); i++) {
		many[i] = word("", 3, 3);
		snprintf(many[i].name, sizeof(many[i].name), "n%04zu", i);
	}
	listener = track_heard_new();
	track_heard_up(listener, &from);
	/* One more in front, all of them others, and back. */
	track_told_set(told, many + 1, TRACK_TOLD_MAX, hear_word);
	track_told_set(told, many, TRACK_TOLD_MAX, hear_word);
	track_told_set(told, many + TRACK_HEARD_MAX, TRACK_TOLD_MAX, hear_word);
	track_told_set(told, many, TRACK_TOLD_MAX, hear_word);
	assert_int_equal(track_heard_refused(listener), 0);
	track_heard_free(&listener);
	track_told_free(&told);
}

static bool hear(struct track_heard *heard, uint8_t node,
		 const struct track_word *one, int64_t now_us)
{
	uint8_t buf[TRACK_ITEM_LEN_MAX];
	struct ctl_id from = id(node);

	return track_heard_item(heard, &from, TRACK_ITEM_TRACK, buf,
				track_encode(one, buf), now_us);
}

static void said(const struct track_heard *heard, uint8_t node,
		 const char *track, unsigned int family,
		 enum track_hearsay expected, enum track_level level)
{
	enum track_level seen = TRACK_LEVEL_NONE;
	struct ctl_id from = id(node);

	assert_int_equal(track_heard_find(heard, &from, track, family, &seen),
			 expected);
	assert_int_equal(seen, level);
}

static void test_heard(void **state)
{
	struct track_heard *heard = track_heard_new();
	struct ctl_id one = id(1), two = id(2);
	struct track_word x = word("x", 3, 1), y = word("y", 2, 0);
	const struct track_entry *entry;

	/* Nobody is listened to without a session. */
	assert_false(hear(heard, 1, &x, 10));
	assert_int_equal(track_heard_refused(heard), 1);
	track_heard_sync(heard, &one, true);
	track_heard_down(heard, &one);
	said(heard, 1, "x", 0, TRACK_HEARD_NO_SESSION, 0);
	assert_null(track_heard_next(heard, NULL));

	track_heard_up(heard, &one);
	said(heard, 1, "x", 0, TRACK_HEARD_NOT_YET, 0);
	track_heard_sync(heard, &one, true);
	assert_true(hear(heard, 1, &x, 10));
	said(heard, 1, "x", 0, TRACK_HEARD_LEVEL, TRACK_LEVEL_REACHABLE);
	said(heard, 1, "x", 1, TRACK_HEARD_LEVEL, TRACK_LEVEL_UNREACHABLE);
	said(heard, 1, "y", 0, TRACK_HEARD_NOT_YET, 0);
	assert_true(hear(heard, 1, &y, 20));
	track_heard_sync(heard, &one, false);
	said(heard, 1, "z", 0, TRACK_HEARD_NOTHING, 0);
	said(heard, 2, "x", 0, TRACK_HEARD_NO_SESSION, 0);

	/* Of another node a track of the same name is another one. */
	track_heard_up(heard, &two);
	x.levels[0] = TRACK_LEVEL_UNREACHABLE;
	assert_true(hear(heard, 2, &x, 30));
	said(heard, 1, "x", 0, TRACK_HEARD_LEVEL, TRACK_LEVEL_REACHABLE);
	said(heard, 2, "x", 0, TRACK_HEARD_LEVEL, TRACK_LEVEL_UNREACHABLE);
	assert_int_equal(track_heard_n_nodes(heard), 2);

	/* In order; since when. */
	entry = track_heard_next(heard, NULL);
	assert_string_equal(entry->word.name, "x");
	assert_true(entry->since_us == 10);
	entry = track_heard_next(heard, entry);
	assert_string_equal(entry->word.name, "y");
	entry = track_heard_next(heard, entry);
	assert_int_equal(ctl_id_cmp(entry->node, &two), 0);
	assert_ptr_equal(track_heard_entry(heard, &two, "x"), entry);
	assert_null(track_heard_next(heard, entry));
	assert_true(hear(heard, 2, &x, 40));
	assert_true(entry->since_us == 30);
	x.levels[1] = TRACK_LEVEL_NONE;
	assert_true(hear(heard, 2, &x, 50));
	assert_true(entry->since_us == 50);

	/* A full state sweeps what isn't in it any more. */
	track_heard_sync(heard, &one, true);
	said(heard, 1, "y", 0, TRACK_HEARD_LEVEL, TRACK_LEVEL_WORSE);
	assert_true(hear(heard, 1, &y, 60));
	track_heard_sync(heard, &one, false);
	said(heard, 1, "y", 0, TRACK_HEARD_LEVEL, TRACK_LEVEL_WORSE);
	said(heard, 1, "x", 0, TRACK_HEARD_NOTHING, 0);
	y.levels[0] = TRACK_LEVEL_NONE;
	assert_true(hear(heard, 1, &y, 70));
	said(heard, 1, "y", 0, TRACK_HEARD_NOTHING, 0);
	assert_true(hear(heard, 1, &y, 70));

	/* Another session begins with nothing; the end of one takes all. */
	track_heard_up(heard, &two);
	said(heard, 2, "x", 0, TRACK_HEARD_NOT_YET, 0);
	assert_true(hear(heard, 2, &x, 80));
	track_heard_down(heard, &two);
	said(heard, 2, "x", 0, TRACK_HEARD_NO_SESSION, 0);
	assert_null(track_heard_entry(heard, &two, "x"));
	assert_true(hear(heard, 1, &x, 90));
	track_heard_free(&heard);
	assert_null(heard);
	track_heard_free(&heard);
}

/* So many tracks of a node; `kept` of them are. */
static void flood(struct track_heard *heard, uint8_t node, size_t kept)
{
	struct track_word one = word("", 3, 3);
	struct ctl_id from = id(node);

	track_heard_up(heard, &from);
	for (size_t i = 0; i < TRACK_HEARD_MAX + 2; i++) {
		snprintf(one.name, sizeof(one.name), "n%04zu", i);
		assert_int_equal(hear(heard, node, &one, 1), i < kept);
	}
}

static void test_heard_bounds(void **state)
{
	struct track_heard *heard = track_heard_new();
	struct track_word one = word("n0000", 1, 1);
	struct ctl_id first = id(0);
	int nodes = TRACK_HEARD_TOTAL_MAX / TRACK_HEARD_MAX;

	assert_int_equal(nodes, 256);
	for (int i = 0; i < nodes - 1; i++)
		flood(heard, i, TRACK_HEARD_MAX);
	assert_int_equal(track_heard_refused(heard), 2 * (nodes - 1));
	/* The last one leaves room for one of another node. */
	flood(heard, nodes - 1, TRACK_HEARD_MAX);
	track_heard_down(heard, &first);
	flood(heard, 0, TRACK_HEARD_MAX);
	/* What is kept still changes. */
	assert_true(hear(heard, 0, &one, 2));
	said(heard, 0, "n0000", 0, TRACK_HEARD_LEVEL, TRACK_LEVEL_UNREACHABLE);
	track_heard_free(&heard);
}

static void test_total_bound(void **state)
{
	struct track_heard *heard = track_heard_new();
	struct track_word one = word("", 3, 3);
	struct ctl_id node = id(9);
	size_t kept = 0;

	/* More nodes than one octet can name, with a few tracks each. */
	for (uint32_t n = 0; n < TRACK_HEARD_TOTAL_MAX / 200 + 2; n++) {
		uint8_t buf[TRACK_ITEM_LEN_MAX];

		memcpy(node.bytes, &n, sizeof(n));
		track_heard_up(heard, &node);
		for (int i = 0; i < 200; i++) {
			snprintf(one.name, sizeof(one.name), "n%d", i);
			kept += track_heard_item(heard, &node, TRACK_ITEM_TRACK,
						 buf, track_encode(&one, buf),
						 1);
		}
	}
	assert_int_equal(kept, TRACK_HEARD_TOTAL_MAX);
	track_heard_free(&heard);
}

static size_t visited;

static void visit(void *arg, const struct ctl_id *node)
{
	struct ctl_id expected = id((uint8_t)(1 + visited++));

	assert_ptr_equal(arg, &visited);
	assert_int_equal(ctl_id_cmp(node, &expected), 0);
}

static void test_nodes(void **state)
{
	struct track_heard *heard = track_heard_new();

	for (uint8_t i = 3; i; i--) {
		struct ctl_id node = id(i);

		track_heard_up(heard, &node);
	}
	track_heard_nodes(heard, visit, &visited);
	assert_int_equal(visited, 3);
	track_heard_free(&heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_octets),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_told_bound),
		cmocka_unit_test(test_told_and_heard_bound),
		cmocka_unit_test(test_heard),
		cmocka_unit_test(test_heard_bounds),
		cmocka_unit_test(test_total_bound),
		cmocka_unit_test(test_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
