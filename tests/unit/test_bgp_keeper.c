// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When the keeper reads and writes bgpd's route-maps, under a virtual clock and
 * with a bgpd that answers, refuses, is silent, or isn't there.
 */
#include <zebra.h>

#include "unit.h"

#include "memory.h"

#include "vip/bgp_keeper.h"

#include "bgp_fake.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define S 1000000LL

static struct {
	int64_t now_us, timer_us;
	struct bgp_keeper *keeper;
	struct fake_map map;

	/* bgpd */
	bool away, silent;
	bool full;   /* its map has all numbers */
	bool ignore; /* says yes to lines and does nothing */
	int64_t since_us;
	const char *refuse;  /* commands that begin so */
	const char *garbled; /* the answer to such commands */
	bool config;	     /* the session is in configuration mode */

	/* the session */
	bool open;
	char due[BGP_MAP_COMMAND_LEN]; /* a command that waits for an answer */
	unsigned int connects, lines, enters;
	int64_t last_line_us;
} env;

static bool op_connect(int64_t *since_us)
{
	env.connects++;
	assert_false(env.open);
	if (env.away)
		return false;
	env.open = true;
	env.config = false;
	*since_us = env.since_us;
	return true;
}

static void op_send(const char *command)
{
	assert_true(env.open);
	/* One at a time. */
	assert_string_equal(env.due, "");
	strlcpy(env.due, command, sizeof(env.due));
}

static void op_close(void)
{
	env.open = false;
	env.due[0] = '\0';
}

static void op_timer(int64_t at_us)
{
	env.timer_us = at_us;
}

static void op_changed(void)
{
}

static const struct bgp_keeper_ops ops = {
	.connect = op_connect,
	.send = op_send,
	.close = op_close,
	.timer = op_timer,
	.changed = op_changed,
};

static bool begins(const char *command, const char *with)
{
	return with && !strncmp(command, with, strlen(with));
}

/* bgpd carries out one command. */
static void answer(void)
{
	char command[sizeof(env.due)];
	char *json = NULL;
	const char *text = "";
	uint8_t status = 0;

	strlcpy(command, env.due, sizeof(command));
	env.due[0] = '\0';
	if (begins(command, env.refuse)) {
		status = 13;
		text = "% No\nReally not\n";
	} else if (begins(command, env.garbled))
		text = "Garbage";
	else if (begins(command, "show route-map")) {
		assert_false(env.config);
		text = json = env.full ? fake_full_json()
				       : fake_json(&env.map, FAKE_FRR_8);
	} else if (begins(command, "configure terminal")) {
		env.config = true;
		env.enters++;
	} else if (begins(command, "end"))
		env.config = false;
	else if (!begins(command, "enable")) {
		assert_true(env.config);
		assert_true(env.ignore || fake_command(&env.map, command));
		env.lines++;
		env.last_line_us = env.now_us;
	}
	bgp_keeper_answer(env.keeper, text, status, env.now_us);
	free(json);
}

/* Until `until_us`: answers take no time, timers fire. */
static void run_until(int64_t until_us)
{
	while (true) {
		if (env.open && env.due[0] && !env.silent) {
			answer();
			continue;
		}
		if (!env.timer_us || env.timer_us > until_us)
			break;
		env.now_us = env.timer_us;
		env.timer_us = 0;
		bgp_keeper_timer(env.keeper, env.now_us);
	}
	env.now_us = until_us;
}

static void run(int64_t us)
{
	run_until(env.now_us + us);
}

/* Tags from..to are wanted; 0: no map at all. */
static void want(uint32_t from, uint32_t to)
{
	static const struct bgp_nexthops none;
	struct bgp_keep keep = { .name = FAKE_NAME };
	char text[BGP_MAP_TEXT_LEN];

	for (uint32_t tag = from; from && tag <= to; tag++)
		bgp_texts_add(&keep.wanted,
			      bgp_entry_text(tag, NULL, false, 0, &none, text));
	bgp_texts_finish(&keep.wanted);
	bgp_keeper_set(env.keeper, &keep, from ? 1 : 0, env.now_us);
}

static enum bgp_map_why why(void)
{
	struct bgp_map_view view;

	assert_true(
		bgp_keeper_map_view(env.keeper, FAKE_NAME, env.now_us, &view));
	return view.why;
}

static struct bgp_keeper_view view(void)
{
	struct bgp_keeper_view view;

	bgp_keeper_view(env.keeper, &view);
	return view;
}

static int setup(void **state)
{
	memset(&env, 0, sizeof(env));
	env.now_us = 1000 * S;
	env.since_us = 1 * S;
	env.keeper = bgp_keeper_new(&ops);
	return 0;
}

static int teardown(void **state)
{
	bgp_keeper_free(&env.keeper);
	fake_free(&env.map);
	return 0;
}

static void test_nothing_to_keep(void **state)
{
	run(100 * S);
	want(0, 0);
	run(100 * S);
	assert_int_equal(env.connects, 0);
	assert_int_equal(view().state, BGP_KEEPER_OFF);
	assert_false(bgp_keeper_has_all(env.keeper, FAKE_NAME));
}

/* Two equal readings, then the lines, then out of configuration. */
static void test_writes_and_leaves(void **state)
{
	want(1, 3);
	run(S / 2);
	assert_int_equal(env.enters, 0);
	assert_int_equal(why(), BGP_MAP_MOVING);
	run(S);
	assert_int_equal(env.enters, 1);
	assert_false(env.config);
	assert_int_equal(env.map.n, 3);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_true(bgp_keeper_has_all(env.keeper, FAKE_NAME));
	assert_int_equal(view().writes, 1);

	/* In step: it reads once a second, and does nothing else. */
	env.lines = 0;
	run(100 * S);
	assert_int_equal(env.enters, 1);
	assert_between(view().reads, 100, 105);
	assert_int_equal(env.connects, 1);
}

/* A change is written at once: the last two readings are equal. */
static void test_change_at_once(void **state)
{
	want(1, 3);
	run(10 * S);
	env.map.must_first = 2;
	env.map.must_last = 3;
	want(2, 5);
	run(1);
	assert_true(bgp_keeper_has_all(env.keeper, FAKE_NAME));
	/* What isn't wanted any more stays for a while. */
	assert_int_equal(env.map.n, 5);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	run(9 * S);
	assert_int_equal(env.map.n, 5);
	run(3 * S);
	assert_int_equal(env.map.n, 4);
	assert_false(fake_permits(&env.map, 1));

	/* Nothing changes: nothing happens. */
	env.enters = 0;
	want(2, 5);
	run(S / 2);
	assert_int_equal(env.enters, 0);
}

/* Wanted again before it was gone. */
static void test_back_and_forth(void **state)
{
	want(1, 3);
	run(10 * S);
	env.map.must_first = 1;
	env.map.must_last = 3;
	for (int i = 0; i < 20; i++) {
		want(1, 2);
		run(2 * S);
		want(1, 3);
		run(2 * S);
	}
	run(30 * S);
	assert_int_equal(env.map.n, 3);
	assert_int_equal(view().errors, 0);
}

static void test_not_within_3_s_of_the_socket(void **state)
{
	env.since_us = env.now_us - S / 2;
	want(1, 3);
	run(2 * S);
	assert_int_equal(env.enters, 0);
	assert_int_equal(why(), BGP_MAP_SETTLING);
	run(3 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_true(env.last_line_us >= env.since_us + 3 * S);
}

static void test_not_while_loading(void **state)
{
	bgp_keeper_hold(env.keeper, true);
	want(1, 3);
	run(20 * S);
	assert_int_equal(env.enters, 0);
	assert_int_equal(why(), BGP_MAP_LOADING);
	bgp_keeper_hold(env.keeper, false);
	run(2 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
}

static void test_not_while_somebody_edits(void **state)
{
	char line[64];

	want(1, 3);
	run(10 * S);
	env.enters = 0;
	env.map.unchecked = true;
	for (int i = 0; i < 20; i++) {
		snprintf(line, sizeof(line), "route-map " FAKE_NAME " deny %d",
			 1000 + i);
		fake_command(&env.map, line);
		run(S);
		assert_int_equal(env.enters, 0);
	}
	assert_int_equal(why(), BGP_MAP_MOVING);
	run(2 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_int_equal(env.map.n, 3);
}

static void test_repairs(void **state)
{
	struct bgp_map_view map;

	want(1, 3);
	run(10 * S);
	fake_command(&env.map, "no route-map " FAKE_NAME " permit 10");
	run(1 * S);
	assert_int_equal(env.map.n, 2);
	run(1 * S);
	assert_int_equal(env.map.n, 3);
	assert_true(
		bgp_keeper_map_view(env.keeper, FAKE_NAME, env.now_us, &map));
	assert_int_equal(map.repairs, 1);
	assert_int_equal(map.wanted, 3);
	assert_int_equal(map.have, 3);
}

static void test_bgpd_away(void **state)
{
	env.away = true;
	want(1, 3);
	assert_int_equal(why(), BGP_MAP_AWAY);
	assert_int_equal(view().state, BGP_KEEPER_AWAY);
	run(10 * S);
	assert_int_equal(env.connects, 11);
	env.away = false;
	run(3 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);

	/* It dies, its map with it, and comes back. */
	env.open = false;
	env.due[0] = '\0';
	env.away = true;
	fake_free(&env.map);
	bgp_keeper_closed(env.keeper, env.now_us);
	assert_int_equal(why(), BGP_MAP_AWAY);
	assert_false(bgp_keeper_has_all(env.keeper, FAKE_NAME));
	run(5 * S);
	env.away = false;
	env.since_us = env.now_us;
	run(2 * S);
	assert_int_equal(env.map.n, 0);
	run(3 * S);
	assert_int_equal(env.map.n, 3);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
}

static void test_refused_line(void **state)
{
	int64_t before = env.now_us;

	env.refuse = "match";
	want(1, 3);
	run(S + S / 2);
	assert_false(env.config);
	assert_false(env.open);
	assert_int_equal(why(), BGP_MAP_BACKOFF);
	assert_int_equal(view().state, BGP_KEEPER_BACKOFF);
	assert_string_equal(view().last_error,
			    "bgpd refused `match tag 1`: % No");
	/* 1, 2, 4, ... 60 s apart: not often. */
	run(1000 * S);
	assert_between(view().errors, 18, 24);
	assert_true(view().retry_us - view().last_error_us == 60 * S);
	assert_true(before < env.now_us);

	env.refuse = NULL;
	run(62 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_int_equal(env.map.n, 3);
	/* The next error begins with a second again. */
	run(10 * S);
	env.refuse = "show";
	run(S);
	assert_int_equal(view().retry_us - view().last_error_us, 1 * S);
}

/* Every kind of command that bgpd may refuse. */
static void test_refused_any(void **state)
{
	static const char *const commands[] = {
		"enable",
		"show",
		"configure",
		"end",
		"route-map " FAKE_NAME " deny",
		"match",
		"route-map " FAKE_NAME " permit",
	};

	for (size_t i = 0; i < array_size(commands); i++) {
		teardown(state);
		setup(state);
		env.refuse = commands[i];
		want(1, 2);
		run(30 * S);
		assert_true(view().errors > 0);
		assert_false(env.config && env.open);
		env.refuse = NULL;
		run(62 * S);
		assert_int_equal(why(), BGP_MAP_IN_STEP);
		assert_int_equal(env.map.n, 2);
	}
}

static void test_silence(void **state)
{
	env.silent = true;
	want(1, 2);
	run(31 * S);
	assert_string_equal(view().last_error, "bgpd does not answer");
	env.silent = false;
	run(10 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
}

static void test_garbage(void **state)
{
	env.garbled = "show";
	want(1, 2);
	run(3 * S);
	assert_string_equal(view().last_error, "not understood: Garbage");
	/* Nobody asked for this. */
	env.garbled = NULL;
	run(10 * S);
	assert_int_equal(view().state, BGP_KEEPER_WATCH);
	bgp_keeper_answer(env.keeper, "Hello", 0, env.now_us);
	assert_string_equal(view().last_error,
			    "an answer that nobody asked for: Hello");
	run(3 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
}

/* bgpd says yes to every line and has none of them: no endless writing. */
static void test_lines_without_effect(void **state)
{
	env.ignore = true;
	want(1, 2);
	run(600 * S);
	assert_between(env.enters, 5, 20);
	assert_int_equal(why(), BGP_MAP_BACKOFF);
	assert_string_equal(view().last_error,
			    "bgpd took all lines but has another map: CLUSTERD-x");
	env.ignore = false;
	run(62 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
}

/* bgpd is slow: the time of an old entry is over while new ones are written. */
static void test_entry_expires_while_writing(void **state)
{
	want(1, 3);
	run(10 * S);
	want(2, 5);
	run(10 * S - S / 4);
	assert_int_equal(env.map.n, 5);
	want(2, 6);
	while (env.due[0]) {
		env.now_us += S / 10;
		answer();
	}
	assert_int_equal(env.map.n, 6);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_int_equal(view().errors, 0);
	run(3 * S);
	assert_int_equal(env.map.n, 5);
	assert_false(fake_permits(&env.map, 1));
	assert_int_equal(view().errors, 0);
}

/* The wanted entries change at any moment of a session. */
static void test_change_at_any_moment(void **state)
{
	for (unsigned int steps = 0; steps < 40; steps++) {
		teardown(state);
		setup(state);
		want(1, 3);
		run(5 * S);
		env.map.must_first = env.map.must_last = 3;
		want(3, 6);
		for (unsigned int i = 0; i < steps && env.due[0]; i++)
			answer();
		want(2, 4);
		run(30 * S);
		assert_int_equal(why(), BGP_MAP_IN_STEP);
		assert_int_equal(env.map.n, 3);
		assert_int_equal(view().errors, 0);
	}
}

/* Nothing to keep any more, or bgpd's end, at any moment of a session. */
static void test_end_at_any_moment(void **state)
{
	for (unsigned int steps = 0; steps < 40; steps++)
		for (int lost = 0; lost < 2; lost++) {
			teardown(state);
			setup(state);
			want(1, 3);
			run(5 * S);
			want(3, 6);
			for (unsigned int i = 0; i < steps && env.due[0]; i++)
				answer();
			if (lost) {
				op_close();
				bgp_keeper_closed(env.keeper, env.now_us);
				assert_int_equal(why(), BGP_MAP_AWAY);
			} else {
				want(0, 0);
				assert_false(env.open);
				assert_int_equal(view().state, BGP_KEEPER_OFF);
			}
			run(60 * S);
			want(2, 4);
			run(60 * S);
			assert_int_equal(why(), BGP_MAP_IN_STEP);
			assert_int_equal(env.map.n, 3);
		}
}

/* A change that is more than one visit to the configuration may take. */
static void test_many_entries(void **state)
{
	want(1, 1500);
	run(10 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_int_equal(env.map.n, 1500);
	assert_true(env.enters >= 3);
	want(1000, 1001);
	run(30 * S);
	assert_int_equal(env.map.n, 2);
	assert_int_equal(view().errors, 0);
}

static void assert_states(enum bgp_keeper_state keeper, enum bgp_map_why map)
{
	assert_int_equal(view().state, keeper);
	assert_int_equal(why(), map);
}

/* One answer after the other: what is shown meanwhile. */
static void test_states_on_the_way(void **state)
{
	env.silent = true;
	want(1, 3);
	assert_states(BGP_KEEPER_HELLO, BGP_MAP_UNREAD);
	answer();
	assert_states(BGP_KEEPER_READ, BGP_MAP_UNREAD);
	answer();
	assert_states(BGP_KEEPER_WATCH, BGP_MAP_MOVING);
	run(S);
	assert_states(BGP_KEEPER_READ, BGP_MAP_MOVING);
	answer();
	assert_states(BGP_KEEPER_ENTER, BGP_MAP_WRITING);
	answer();
	while (!begins(env.due, "end")) {
		assert_states(BGP_KEEPER_WRITE, BGP_MAP_WRITING);
		answer();
	}
	assert_states(BGP_KEEPER_LEAVE, BGP_MAP_WRITING);
	answer();
	assert_states(BGP_KEEPER_READ, BGP_MAP_WRITING);
	answer();
	assert_states(BGP_KEEPER_WATCH, BGP_MAP_IN_STEP);
}

/* There is no room for our entries: nothing is written, and nothing is an error. */
static void test_full(void **state)
{
	env.full = true;
	want(1, 3);
	run(3 * S);
	assert_states(BGP_KEEPER_WATCH, BGP_MAP_FULL);
	assert_int_equal(env.enters, 0);
	assert_int_equal(view().errors, 0);
	env.full = false;
	run(3 * S);
	assert_int_equal(why(), BGP_MAP_IN_STEP);
	assert_int_equal(env.map.n, 3);
}

static void test_names(void **state)
{
	for (int i = 0; i < BGP_KEEPER_STATES; i++)
		assert_non_null(bgp_keeper_state_name(i));
	for (int i = 0; i < BGP_MAP_WHYS; i++)
		assert_non_null(bgp_map_why_name(i));
}

#define KEEPER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEEPER_TEST(test_nothing_to_keep),
		KEEPER_TEST(test_writes_and_leaves),
		KEEPER_TEST(test_change_at_once),
		KEEPER_TEST(test_back_and_forth),
		KEEPER_TEST(test_not_within_3_s_of_the_socket),
		KEEPER_TEST(test_not_while_loading),
		KEEPER_TEST(test_not_while_somebody_edits),
		KEEPER_TEST(test_repairs),
		KEEPER_TEST(test_bgpd_away),
		KEEPER_TEST(test_refused_line),
		KEEPER_TEST(test_refused_any),
		KEEPER_TEST(test_silence),
		KEEPER_TEST(test_garbage),
		KEEPER_TEST(test_lines_without_effect),
		KEEPER_TEST(test_entry_expires_while_writing),
		KEEPER_TEST(test_change_at_any_moment),
		KEEPER_TEST(test_end_at_any_moment),
		KEEPER_TEST(test_many_entries),
		KEEPER_TEST(test_states_on_the_way),
		KEEPER_TEST(test_full),
		KEEPER_TEST(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
