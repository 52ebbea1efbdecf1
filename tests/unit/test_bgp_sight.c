// SPDX-License-Identifier: GPL-2.0-or-later
/* The slow look: what answers say of an address, and whose turn it is. */
#include <zebra.h>

#include "unit.h"

#include "vip/bgp_sight.h"

#define ANNOUNCED_US 1000
#define LOST_US	     2000

static enum bgp_seen seen(const struct bgp_sight *sight)
{
	return bgp_sight_seen(sight, ANNOUNCED_US, LOST_US);
}

static void take(struct bgp_sight *sight, bool has, int64_t now_us)
{
	bgp_sight_take(sight, has, ANNOUNCED_US, LOST_US, now_us);
}

/* One answer says that it is there; two that it isn't. */
static void test_two_answers(void **state)
{
	struct bgp_sight sight = {};

	assert_int_equal(seen(&sight), BGP_SEEN_UNKNOWN);
	take(&sight, false, 3000);
	assert_int_equal(seen(&sight), BGP_SEEN_UNKNOWN);
	take(&sight, false, 4000);
	assert_int_equal(seen(&sight), BGP_SEEN_NOT);
	for (int i = 0; i < 1000; i++)
		take(&sight, false, 5000 + i);
	assert_int_equal(seen(&sight), BGP_SEEN_NOT);
	assert_int_equal(sight.missing, BGP_SIGHT_MISSING);
	take(&sight, true, 7000);
	assert_int_equal(seen(&sight), BGP_SEEN_YES);
	/* In a row: what was before doesn't count. */
	take(&sight, false, 8000);
	assert_int_equal(seen(&sight), BGP_SEEN_UNKNOWN);
	take(&sight, true, 9000);
	assert_int_equal(seen(&sight), BGP_SEEN_YES);
}

/* Announced anew, or bgpd was away: answers from before say nothing. */
static void test_old_answers(void **state)
{
	struct bgp_sight sight = {};

	take(&sight, true, 3000);
	assert_int_equal(bgp_sight_seen(&sight, 2999, 2999), BGP_SEEN_YES);
	assert_int_equal(bgp_sight_seen(&sight, 3000, 0), BGP_SEEN_UNKNOWN);
	assert_int_equal(bgp_sight_seen(&sight, 0, 3000), BGP_SEEN_UNKNOWN);

	take(&sight, false, 4000);
	take(&sight, false, 5000);
	assert_int_equal(seen(&sight), BGP_SEEN_NOT);
	assert_int_equal(bgp_sight_seen(&sight, 6000, 0), BGP_SEEN_UNKNOWN);
	/* The first answer of the new time, which is one only. */
	bgp_sight_take(&sight, false, 6000, 0, 7000);
	assert_int_equal(bgp_sight_seen(&sight, 6000, 0), BGP_SEEN_UNKNOWN);
	bgp_sight_take(&sight, false, 6000, 0, 8000);
	assert_int_equal(bgp_sight_seen(&sight, 6000, 0), BGP_SEEN_NOT);
	bgp_sight_take(&sight, false, 6000, 9000, 10000);
	assert_int_equal(bgp_sight_seen(&sight, 6000, 9000), BGP_SEEN_UNKNOWN);
}

/* Both passes over `n` VIPs with two addresses each. */
static void offer_all(struct bgp_round *asked, int n)
{
	static const char *const addrs[] = { "192.0.2.1", "2001:db8::1" };
	struct ipaddr address;
	bool room = true;
	char name[16];

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < 2 && room; j++) {
				snprintf(name, sizeof(name), "v%04d", i);
				address = addr(addrs[j]);
				room = bgp_round_offer(asked, pass == 0, name,
						       &address);
			}
}

/* The answers of a round: how often which VIP was asked for. */
static size_t round_run(struct bgp_round *asked, int n, int *counts)
{
	const struct bgp_round_question *question;
	size_t answers = 0;

	bgp_round_begin(asked);
	offer_all(asked, n);
	if (!bgp_round_ready(asked))
		return 0;
	while ((question = bgp_round_question(asked))) {
		counts[atoi(question->vip + 1)]++;
		bgp_round_answered(asked);
		answers++;
	}
	return answers;
}

static void test_nothing_to_ask(void **state)
{
	struct bgp_round asked = {};

	assert_int_equal(round_run(&asked, 0, NULL), 0);
	assert_null(bgp_round_question(&asked));
}

/* Fewer than a round has room for: all of them, each once, every time. */
static void test_few(void **state)
{
	static struct bgp_round asked;
	int counts[3] = {};

	for (int i = 1; i <= 3; i++) {
		assert_int_equal(round_run(&asked, 3, counts), 6);
		for (int j = 0; j < 3; j++)
			assert_int_equal(counts[j], 2 * i);
	}
	/* Those that the last round ended with have gone. */
	assert_int_equal(round_run(&asked, 1, counts), 2);
	assert_int_equal(counts[0], 8);
}

/* More: each has its turn, none is left out, an address never comes twice. */
static void test_turns(void **state)
{
	static struct bgp_round asked;
	enum { VIPS = 250 }; /* 500 addresses, 2.5 rounds */
	int counts[VIPS] = {};

	for (int i = 1; i <= 5; i++) {
		assert_int_equal(round_run(&asked, VIPS, counts), BGP_ROUND_MAX);
		if (i == 2)
			assert_true(counts[199] == 2 && counts[200] == 0);
	}
	for (int i = 0; i < VIPS; i++)
		assert_int_equal(counts[i], 4);
}

/* Within one VIP a round can end between two addresses. */
static void test_half_a_vip(void **state)
{
	static struct bgp_round asked;
	const struct bgp_round_question *question;
	struct ipaddr one = addr("192.0.2.1"), two = addr("192.0.2.2");

	strlcpy(asked.after.vip, "www", sizeof(asked.after.vip));
	asked.after.addr = one;
	bgp_round_begin(&asked);
	assert_true(bgp_round_offer(&asked, true, "www", &one));
	assert_true(bgp_round_offer(&asked, true, "www", &two));
	assert_true(bgp_round_offer(&asked, false, "www", &one));
	assert_true(bgp_round_offer(&asked, false, "www", &two));
	assert_true(bgp_round_ready(&asked));
	assert_int_equal(asked.n, 2);
	question = bgp_round_question(&asked);
	assert_int_equal(ipaddr_cmp(&question->addr, &two), 0);
}

/* A slow bgpd goes on; one that says nothing is given up. */
static void test_moves(void **state)
{
	static struct bgp_round asked;

	bgp_round_begin(&asked);
	offer_all(&asked, 2);
	assert_true(bgp_round_ready(&asked));
	bgp_round_answered(&asked);
	assert_true(bgp_round_moves(&asked));
	assert_false(bgp_round_moves(&asked));
	bgp_round_answered(&asked);
	bgp_round_answered(&asked);
	assert_true(bgp_round_moves(&asked));
	/* A new round begins as one that nothing has been answered of. */
	bgp_round_begin(&asked);
	offer_all(&asked, 2);
	assert_false(bgp_round_moves(&asked));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_answers),
		cmocka_unit_test(test_old_answers),
		cmocka_unit_test(test_nothing_to_ask),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_half_a_vip),
		cmocka_unit_test(test_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
