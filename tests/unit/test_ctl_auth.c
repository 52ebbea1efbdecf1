// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Authentication, cookies, replay window and rate limits of the control
 * protocol.
 */
#include <zebra.h>

#include "memory.h"

#include "core/ctl_auth.h"
#include "core/ctl_rate.h"
#include "core/ctl_replay.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define SECOND INT64_C(1000000)

/* RFC 4231: ours is the primitive that everybody else's is. */
static void test_rfc4231(void **state)
{
	static const uint8_t long_key[131] = { [0 ... 130] = 0xaa };
	static const struct {
		const void *key;
		size_t key_len;
		const char *data;
		const char *mac;
	} cases[] = {
		{ "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
		  20, "Hi There",
		  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
		{ "Jefe", 4, "what do ya want for nothing?",
		  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
		{ long_key, sizeof(long_key),
		  "Test Using Larger Than Block-Size Key - Hash Key First",
		  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
	};

	for (size_t i = 0; i < array_size(cases); i++) {
		size_t len = strlen(cases[i].data);
		uint8_t buf[128] = {};
		char text[2 * CTL_MAC_LEN + 1];
		struct ctl_key key;

		ctl_key_init(&key, 1, cases[i].key, cases[i].key_len);
		memcpy(buf, cases[i].data, len);
		ctl_auth_sign(&key, buf, len + CTL_MAC_LEN);
		for (int j = 0; j < CTL_MAC_LEN; j++)
			snprintf(text + 2 * j, 3, "%02x", buf[len + j]);
		assert_string_equal(text, cases[i].mac);
		assert_true(ctl_auth_check(&key, buf, len + CTL_MAC_LEN));
		/* A key is used many times. */
		assert_true(ctl_auth_check(&key, buf, len + CTL_MAC_LEN));
		ctl_key_wipe(&key);
		assert_false(ctl_auth_check(&key, buf, len + CTL_MAC_LEN));
	}
}

static void test_every_bit_counts(void **state)
{
	uint8_t buf[CTL_LEN_KEEPALIVE] = { 1, 2, 3 };
	struct ctl_key key, other;

	ctl_key_init(&key, 1, "secret", 6);
	ctl_key_init(&other, 1, "Secret", 6);
	ctl_auth_sign(&key, buf, sizeof(buf));
	assert_false(ctl_auth_check(&other, buf, sizeof(buf)));
	for (size_t i = 0; i < 8 * sizeof(buf); i++) {
		buf[i / 8] ^= 1 << i % 8;
		assert_false(ctl_auth_check(&key, buf, sizeof(buf)));
		buf[i / 8] ^= 1 << i % 8;
	}
	assert_true(ctl_auth_check(&key, buf, sizeof(buf)));
}

static struct ctl_path path(const char *local, const char *remote)
{
	return (struct ctl_path){
		.socket = 3,
		.port = 4000,
		.local = local ? addr(local) : (struct ipaddr){},
		.remote = addr(remote),
	};
}

static void test_cookie(void **state)
{
	struct ctl_path from = path("192.0.2.1", "198.51.100.1"), other;
	struct ctl_id id = { { 1 } }, other_id = { { 2 } };
	uint8_t cookie[CTL_COOKIE_LEN];
	struct ctl_key secret, other_secret;
	const int64_t now = 100 * SECOND;

	ctl_key_init(&secret, 0, "boot", 4);
	ctl_key_init(&other_secret, 0, "boot again", 10);
	ctl_cookie_make(&secret, &from, &id, 7, now, cookie);
	assert_true(ctl_cookie_check(&secret, &from, &id, 7, now, cookie));
	assert_true(ctl_cookie_check(&secret, &from, &id, 7,
				     now + CTL_COOKIE_LIFE_US, cookie));
	assert_false(ctl_cookie_check(&secret, &from, &id, 7,
				      now + CTL_COOKIE_LIFE_US + 1, cookie));
	/* From the future: not ours. */
	assert_false(ctl_cookie_check(&secret, &from, &id, 7, now - 1, cookie));
	assert_false(
		ctl_cookie_check(&other_secret, &from, &id, 7, now, cookie));
	assert_false(
		ctl_cookie_check(&secret, &from, &other_id, 7, now, cookie));
	assert_false(ctl_cookie_check(&secret, &from, &id, 8, now, cookie));

	other = path("192.0.2.1", "198.51.100.2");
	assert_false(ctl_cookie_check(&secret, &other, &id, 7, now, cookie));
	other = from;
	other.port++;
	assert_false(ctl_cookie_check(&secret, &other, &id, 7, now, cookie));
	other = from;
	other.socket++;
	assert_false(ctl_cookie_check(&secret, &other, &id, 7, now, cookie));
	other = from;
	other.ifindex++;
	assert_false(ctl_cookie_check(&secret, &other, &id, 7, now, cookie));
	for (size_t i = 0; i < 8 * CTL_COOKIE_LEN; i++) {
		cookie[i / 8] ^= 1 << i % 8;
		assert_false(
			ctl_cookie_check(&secret, &from, &id, 7, now, cookie));
		cookie[i / 8] ^= 1 << i % 8;
	}

	/* IPv6 to its last bit; it doesn't overlap with IPv4. */
	from = path(NULL, "2001:db8::1");
	other = path(NULL, "2001:db8::2");
	ctl_cookie_make(&secret, &from, &id, 7, now, cookie);
	assert_true(ctl_cookie_check(&secret, &from, &id, 7, now, cookie));
	assert_false(ctl_cookie_check(&secret, &other, &id, 7, now, cookie));
}

static void test_paths(void **state)
{
	struct ctl_path a = path("192.0.2.1", "198.51.100.1"), b = a;
	uint8_t none[CTL_PATH_BYTES], some[CTL_PATH_BYTES];

	assert_true(ctl_path_same(&a, &b));
	b.local = addr("192.0.2.2");
	assert_false(ctl_path_same(&a, &b));
	assert_true(ctl_path_same_remote(&a, &b));
	b.local = (struct ipaddr){};
	assert_true(ctl_path_same(&a, &b));
	assert_true(ctl_path_same(&b, &a));
	b.port++;
	assert_false(ctl_path_same(&a, &b));
	b.port--;
	b.socket++;
	assert_false(ctl_path_same_remote(&a, &b));
	b.socket--;
	b.ifindex++;
	assert_false(ctl_path_same_remote(&a, &b));
	b.ifindex--;
	b.remote = addr("2001:db8::1");
	assert_false(ctl_path_same_remote(&a, &b));
	b.remote = (struct ipaddr){};
	assert_memory_not_equal(ctl_path_bytes(&a, some),
				ctl_path_bytes(&b, none), CTL_PATH_BYTES);
}

static void test_replay_window(void **state)
{
	struct ctl_replay replay = {};

	assert_false(ctl_replay_accept(&replay, 0));
	assert_true(ctl_replay_accept(&replay, 1));
	assert_false(ctl_replay_accept(&replay, 1));
	assert_true(ctl_replay_accept(&replay, 5));
	for (uint64_t seq = 2; seq < 5; seq++) {
		assert_true(ctl_replay_accept(&replay, seq));
		assert_false(ctl_replay_accept(&replay, seq));
	}
	assert_false(ctl_replay_accept(&replay, 5));

	/* The window's lower edge. */
	assert_true(ctl_replay_accept(&replay, 1000));
	assert_false(ctl_replay_accept(&replay, 1000 - CTL_REPLAY_WINDOW));
	assert_true(ctl_replay_accept(&replay, 1001 - CTL_REPLAY_WINDOW));
	assert_false(ctl_replay_accept(&replay, 1001 - CTL_REPLAY_WINDOW));

	/* Jumps of just less than, of and of more than a window. */
	for (uint64_t jump = CTL_REPLAY_WINDOW - 1;
	     jump <= CTL_REPLAY_WINDOW + 1; jump++) {
		uint64_t top = replay.top + jump;

		assert_true(ctl_replay_accept(&replay, top));
		for (uint64_t seq = top - 1; seq > top - CTL_REPLAY_WINDOW;
		     seq--)
			assert_int_equal(ctl_replay_accept(&replay, seq),
					 seq != top - jump);
	}
	assert_true(ctl_replay_accept(&replay, UINT64_MAX));
	assert_false(ctl_replay_accept(&replay, UINT64_MAX));
	assert_true(ctl_replay_accept(&replay, UINT64_MAX - 1));
}

/* Against a set without bounds, over random numbers near the top. */
static void test_replay_model(void **state)
{
	struct ctl_replay replay = {};
	static bool seen[30000];
	uint32_t seed = 1;
	uint64_t top = 0;

	for (int i = 0; i < 100000; i++) {
		uint64_t seq;
		bool expected;

		seed = seed * 1664525 + 1013904223;
		seq = top + (seed >> 8) % 300;
		seq = seq > 280 ? seq - 280 : 1;
		if (seq >= array_size(seen))
			break;
		expected = !seen[seq] &&
			   (seq > top || top - seq < CTL_REPLAY_WINDOW);
		assert_int_equal(ctl_replay_accept(&replay, seq), expected);
		seen[seq] |= expected;
		top = MAX(top, seq);
	}
	assert_true(top > 1000);
}

static void test_rate_of_a_source(void **state)
{
	struct ctl_rate_limit source = { .per_second = 10, .burst = 5 };
	struct ctl_rate_limit total = { .per_second = 1000000,
					.burst = 1000000 };
	struct ctl_rate *rate = ctl_rate_new(source, total, 42);
	struct ipaddr a = addr("192.0.2.1"), b = addr("192.0.2.2");
	int64_t now = 0;
	unsigned int taken = 0;

	assert_false(ctl_rate_spent(rate, &a, now));
	for (int i = 0; i < 5; i++)
		assert_true(ctl_rate_take(rate, &a, now));
	assert_true(ctl_rate_spent(rate, &a, now));
	assert_false(ctl_rate_take(rate, &a, now));
	assert_false(ctl_rate_spent(rate, &b, now));
	assert_true(ctl_rate_take(rate, &b, now));
	/* One comes back each 100 ms. */
	assert_false(ctl_rate_take(rate, &a, now + 99999));
	assert_true(ctl_rate_take(rate, &a, now + 100000));
	assert_false(ctl_rate_take(rate, &a, now + 100000));
	/* A long rest gives the burst, not more. */
	now = 3600 * SECOND;
	while (ctl_rate_take(rate, &a, now))
		taken++;
	assert_int_equal(taken, 5);
	/* In the long run the rate, however often it is tried. */
	taken = 0;
	for (; now < 3610 * SECOND; now += 1000)
		taken += ctl_rate_take(rate, &a, now);
	assert_in_range(taken, 99, 101);
	ctl_rate_free(&rate);
	assert_null(rate);
}

static void test_rate_of_ipv6_is_by_64(void **state)
{
	struct ctl_rate_limit source = { .per_second = 1, .burst = 2 };
	struct ctl_rate_limit total = { .per_second = 1000, .burst = 1000 };
	struct ctl_rate *rate = ctl_rate_new(source, total, 1);
	struct ipaddr a = addr("2001:db8::1"), b = addr("2001:db8::2:2"),
		      c = addr("2001:db8:0:1::1"), zero = addr("::1");

	assert_true(ctl_rate_take(rate, &a, 0));
	assert_true(ctl_rate_take(rate, &b, 0));
	assert_false(ctl_rate_take(rate, &a, 0));
	assert_true(ctl_rate_take(rate, &c, 0));
	assert_true(ctl_rate_take(rate, &zero, 0));
	assert_true(ctl_rate_take(rate, &zero, 0));
	assert_true(ctl_rate_spent(rate, &zero, 0));
	ctl_rate_free(&rate);
}

/* Sources without end: bounded by the limit over all. */
static void test_rate_of_all(void **state)
{
	struct ctl_rate_limit source = { .per_second = 10, .burst = 5 };
	struct ctl_rate_limit total = { .per_second = 100, .burst = 200 };
	struct ctl_rate *rate = ctl_rate_new(source, total, 7);
	struct ipaddr a = addr("10.0.0.0"), known = addr("192.0.2.1");
	unsigned int taken = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		a.ipaddr_v4.s_addr = htonl(0x0a000000 + i);
		taken += ctl_rate_take(rate, &a, i * 10);
	}
	assert_in_range(taken, 298, 302);
	/* Refused by the total: that costs the source nothing. */
	assert_false(ctl_rate_take(rate, &known, SECOND - 5));
	assert_false(ctl_rate_spent(rate, &known, SECOND - 5));
	ctl_rate_free(&rate);
}

/* A spent source keeps its place against sources that come once. */
static void test_rate_table_is_bounded(void **state)
{
	struct ctl_rate_limit source = { .per_second = 1, .burst = 50 };
	struct ctl_rate_limit total = { .per_second = 1000000,
					.burst = 1000000 };
	struct ctl_rate *rate = ctl_rate_new(source, total, 7);
	struct ipaddr known = addr("192.0.2.1"), a = addr("10.0.0.0");

	while (ctl_rate_take(rate, &known, 0))
		;
	for (uint32_t i = 0; i < 10 * CTL_RATE_SOURCES; i++) {
		a.ipaddr_v4.s_addr = htonl(0x0a000000 + i);
		assert_true(ctl_rate_take(rate, &a, 0));
	}
	assert_true(ctl_rate_spent(rate, &known, 0));
	ctl_rate_free(&rate);
}

/* Whom datagrams can't be sent to, or not without more than an address. */
static void test_remote_flaw(void **state)
{
	static const char *const good[] = {
		"1.0.0.1",     "127.0.0.1",   "192.0.2.1", "223.255.255.255",
		"169.254.0.1", "2001:db8::1", "::1",	   "fec0::1",
	};
	static const char *const none[] = {
		"0.0.0.0", "0.1.2.3", "224.0.0.1",	  "255.255.255.255",
		"::",	   "ff02::1", "::ffff:192.0.2.1",
	};
	static const char *const link_local[] = { "fe80::1", "febf::1" };
	struct ipaddr a;

	for (size_t i = 0; i < array_size(good); i++) {
		a = addr(good[i]);
		assert_null(ctl_remote_flaw(&a));
	}
	for (size_t i = 0; i < array_size(none); i++) {
		a = addr(none[i]);
		assert_string_equal(ctl_remote_flaw(&a),
				    "is not the address of a node");
		/* All addresses of the node may be listened on. */
		assert_int_equal(!ctl_listen_flaw(&a), ipaddr_is_zero(&a));
	}
	for (size_t i = 0; i < array_size(link_local); i++) {
		a = addr(link_local[i]);
		assert_non_null(strstr(ctl_remote_flaw(&a), "link-local"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc4231),
		cmocka_unit_test(test_every_bit_counts),
		cmocka_unit_test(test_cookie),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_remote_flaw),
		cmocka_unit_test(test_replay_window),
		cmocka_unit_test(test_replay_model),
		cmocka_unit_test(test_rate_of_a_source),
		cmocka_unit_test(test_rate_of_ipv6_is_by_64),
		cmocka_unit_test(test_rate_of_all),
		cmocka_unit_test(test_rate_table_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
