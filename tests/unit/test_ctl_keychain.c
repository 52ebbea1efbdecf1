// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys out of FRR's key chains: lifetimes, exact numbers, edits in place. */
#include <zebra.h>

#include "keychain.h"
#include "linklist.h"
#include "memory.h"

#include "core/ctl_keychain.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

static struct key keys_of_chain[12];
static struct keychain chain;
static struct ctl_keychain *keys;

/* A key that is valid for ever. */
static struct key *key(uint32_t index, const char *string)
{
	struct key *k = &keys_of_chain[listcount(chain.key)];

	memset(k, 0, sizeof(*k));
	k->index = index;
	k->string = (char *)string;
	listnode_add(chain.key, k);
	return k;
}

static int setup(void **state)
{
	chain.name = (char *)"ring";
	chain.key = list_new();
	keys = ctl_keychain_new("ring");
	return 0;
}

static int teardown(void **state)
{
	list_delete(&chain.key);
	ctl_keychain_free(&keys);
	assert_null(keys);
	ctl_keychain_free(&keys);
	return 0;
}

/* What the key signs: one key is another only if it signs the same. */
static void assert_key(const struct ctl_key *got, uint32_t id,
		       const char *string)
{
	uint8_t buf[CTL_DATAGRAM_MIN] = { 1, 2, 3 };
	struct ctl_key expected;

	assert_non_null(got);
	assert_int_equal(got->id, id);
	ctl_key_init(&expected, id, string, strlen(string));
	ctl_auth_sign(got, buf, sizeof(buf));
	assert_true(ctl_auth_check(&expected, buf, sizeof(buf)));
}

static void test_roll_over(void **state)
{
	struct key *old = key(1, "old"), *new = key(2, "new");

	old->send = (struct key_range){ .start = 100, .end = 200 };
	old->accept = (struct key_range){ .start = 90, .end = 210 };
	new->send = (struct key_range){ .start = 200, .end = -1 };
	new->accept = (struct key_range){ .start = 190, .end = -1 };
	for (time_t now = 80; now < 300; now++) {
		const struct ctl_key *sent = ctl_keychain_send_of(keys, &chain,
								  now);

		if (now < 100) {
			assert_null(sent);
			assert_non_null(ctl_keychain_problem_of(&chain, now));
			continue;
		}
		assert_null(ctl_keychain_problem_of(&chain, now));
		assert_key(sent, now <= 200 ? 1 : 2, now <= 200 ? "old" : "new");
		/* Taken by whoever's clock differs by up to 10 s. */
		for (time_t other = now - 10; other <= now + 10; other++)
			assert_non_null(
				ctl_keychain_accept_of(keys, &chain,
						       now <= 200 ? 1 : 2,
						       other));
	}
	assert_null(ctl_keychain_accept_of(keys, &chain, 1, 89));
	assert_null(ctl_keychain_accept_of(keys, &chain, 1, 211));
	assert_null(ctl_keychain_accept_of(keys, &chain, 2, 189));
	assert_key(ctl_keychain_accept_of(keys, &chain, 2, 1 << 30), 2, "new");
}

static void test_exact_number(void **state)
{
	key(5, "five");
	assert_null(ctl_keychain_accept_of(keys, &chain, 4, 0));
	assert_null(ctl_keychain_accept_of(keys, &chain, 6, 0));
	assert_key(ctl_keychain_accept_of(keys, &chain, 5, 0), 5, "five");
}

static void test_unusable_keys(void **state)
{
	assert_null(ctl_keychain_send_of(keys, &chain, 0));
	assert_non_null(ctl_keychain_problem_of(&chain, 0));
	key(1, NULL);
	key(2, "");
	key(3, "md5")->hash_algo = KEYCHAIN_ALGO_MD5;
	key(4, "sha-512")->hash_algo = KEYCHAIN_ALGO_HMAC_SHA512;
	assert_null(ctl_keychain_send_of(keys, &chain, 0));
	for (uint32_t id = 1; id <= 4; id++)
		assert_null(ctl_keychain_accept_of(keys, &chain, id, 0));
	assert_non_null(
		strstr(ctl_keychain_problem_of(&chain, 0), "hmac-sha-256"));
	key(5, "sha-256")->hash_algo = KEYCHAIN_ALGO_HMAC_SHA256;
	assert_key(ctl_keychain_send_of(keys, &chain, 0), 5, "sha-256");
	assert_null(ctl_keychain_problem_of(&chain, 0));
}

static void test_edit_in_place(void **state)
{
	struct key *k = key(1, "before");

	assert_key(ctl_keychain_send_of(keys, &chain, 0), 1, "before");
	k->string = (char *)"after";
	assert_key(ctl_keychain_send_of(keys, &chain, 0), 1, "after");
	assert_key(ctl_keychain_accept_of(keys, &chain, 1, 0), 1, "after");
}

/* More than are kept ready: slower, not wrong. */
static void test_many_keys(void **state)
{
	static char strings[12][8];

	for (uint32_t i = 0; i < 12; i++) {
		snprintf(strings[i], sizeof(strings[i]), "key%u", i);
		key(i, strings[i]);
	}
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 12; i++)
			assert_key(ctl_keychain_accept_of(keys, &chain, i, 0),
				   i, strings[i]);
}

/* By name, through libfrr. */
static void test_missing_chain(void **state)
{
	assert_string_equal(ctl_keychain_name(keys), "ring");
	assert_null(ctl_keychain_send(keys));
	assert_null(ctl_keychain_accept(keys, 1));
	assert_string_equal(ctl_keychain_problem(keys), "no such key chain");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_roll_over),	  TEST(test_exact_number),
		TEST(test_unusable_keys), TEST(test_edit_in_place),
		TEST(test_many_keys),	  TEST(test_missing_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
