// SPDX-License-Identifier: GPL-2.0-or-later
/* A round of questions to bgpd: what is asked, what is kept, how it is read. */
#include <zebra.h>

#include "unit.h"

#include "memory.h"

#include "vip/bgp_answers.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void address_add(struct bgp_answers *answers, const char *vip,
			const char *vrf, const char *text)
{
	struct ipaddr address = addr(text);

	bgp_answers_address(answers, vip, vrf, &address, VIP_ANNOUNCED);
}

static void assert_command(const struct bgp_answers *answers, const char *want)
{
	char buf[BGP_QUESTION_LEN];
	const char *command = bgp_answers_command(answers, buf);

	assert_non_null(command);
	assert_string_equal(command, want);
}

static void take(struct bgp_answers *answers, const char *text)
{
	assert_true(bgp_answers_take(answers, text));
}

/* Address by address, then each VRF once. */
static void test_commands(void **state)
{
	struct bgp_answers answers = {};
	char buf[BGP_QUESTION_LEN];

	address_add(&answers, "a", "default", "192.0.2.1");
	address_add(&answers, "a", "default", "2001:db8::1");
	address_add(&answers, "b", "blue", "192.0.2.1");
	address_add(&answers, "c", "default", "192.0.2.3");
	address_add(&answers, "d", "blue", "192.0.2.4");
	bgp_answers_vrfs(&answers, "default");
	assert_int_equal(answers.n_addresses, 5);
	assert_int_equal(answers.n, 7);
	assert_command(&answers, "show bgp ipv4 unicast 192.0.2.1/32 json");
	take(&answers, "{}");
	assert_command(&answers, "show bgp ipv6 unicast 2001:db8::1/128 json");
	/* What is no answer is none to this question. */
	assert_false(bgp_answers_take(&answers, "% Unknown command"));
	assert_command(&answers, "show bgp ipv6 unicast 2001:db8::1/128 json");
	take(&answers, "{}");
	assert_command(&answers,
		       "show bgp vrf blue ipv4 unicast 192.0.2.1/32 json");
	take(&answers, "{}");
	take(&answers, "{}");
	take(&answers, "{}");
	assert_command(&answers, "show bgp summary json");
	take(&answers, "{}");
	assert_command(&answers, "show bgp vrf blue summary json");
	take(&answers, "{}");
	assert_null(bgp_answers_command(&answers, buf));
	bgp_answers_clear(&answers);
	assert_int_equal(answers.n, 0);
	assert_null(answers.answers);
}

/* The longest names have room. */
static void test_long_command(void **state)
{
	struct bgp_answers answers = {};
	char vrf[CLUSTER_VRF_LEN], want[256];
	const char *v6 = "2001:db8:1111:2222:3333:4444:5555:6666";

	memset(vrf, 'v', sizeof(vrf) - 1);
	vrf[sizeof(vrf) - 1] = '\0';
	address_add(&answers, "a", vrf, v6);
	bgp_answers_vrfs(&answers, "default");
	snprintf(want, sizeof(want), "show bgp vrf %s ipv6 unicast %s/128 json",
		 vrf, v6);
	assert_command(&answers, want);
	take(&answers, "{}");
	snprintf(want, sizeof(want), "show bgp vrf %s summary json", vrf);
	assert_command(&answers, want);
	bgp_answers_clear(&answers);
}

static void test_no_address(void **state)
{
	struct bgp_answers answers = {};

	bgp_answers_vrfs(&answers, "red");
	assert_command(&answers, "show bgp vrf red summary json");
	assert_null(bgp_answers_vip_next(&answers, NULL));
	assert_string_equal(bgp_answers_vrf_next(&answers, NULL)->vrf, "red");
	bgp_answers_clear(&answers);
}

/* As operational data and the command go through them. */
static void test_walk(void **state)
{
	const struct bgp_answer *vip, *address, *vrf;
	struct bgp_answers answers = {};

	address_add(&answers, "a", "default", "192.0.2.1");
	address_add(&answers, "a", "default", "192.0.2.2");
	address_add(&answers, "b", "blue", "192.0.2.1");
	bgp_answers_vrfs(&answers, "default");
	take(&answers, "{\"paths\":[{\"peer\":{\"peerId\":\"x\"}},"
		       "{\"peer\":{\"peerId\":\"y\"}}]}");
	take(&answers, "{\"paths\":[{\"sourced\":true}]}");
	take(&answers, "{}");
	take(&answers, "{\"ipv4Unicast\":{\"peers\":{\"p\":"
		       "{\"state\":\"Established\",\"pfxRcd\":7}}}}");
	take(&answers, "{}");

	vip = bgp_answers_vip_next(&answers, NULL);
	assert_string_equal(vip->vip, "a");
	address = bgp_answers_address_next(&answers, vip, NULL);
	assert_ptr_equal(address, vip);
	assert_false(address->paths.ours);
	assert_int_equal(address->state, VIP_ANNOUNCED);
	assert_int_equal(address->paths.n, 2);
	assert_string_equal(address->paths.paths[1].from, "y");
	assert_int_equal(address->paths.paths[0].number, 1);
	assert_int_equal(address->paths.paths[1].number, 2);
	address = bgp_answers_address_next(&answers, vip, address);
	assert_true(address->paths.ours);
	assert_int_equal(address->paths.n, 0);
	assert_null(bgp_answers_address_next(&answers, vip, address));

	vip = bgp_answers_vip_next(&answers, vip);
	assert_string_equal(vip->vip, "b");
	address = bgp_answers_address_next(&answers, vip, NULL);
	assert_ptr_equal(address, vip);
	/* VRFs are behind it, and no addresses. */
	assert_null(bgp_answers_address_next(&answers, vip, address));
	assert_null(bgp_answers_vip_next(&answers, vip));

	vrf = bgp_answers_vrf_next(&answers, NULL);
	assert_string_equal(vrf->vrf, "default");
	assert_int_equal(vrf->peers.n, 1);
	assert_string_equal(vrf->peers.peers[0].state, "Established");
	assert_int_equal(vrf->peers.peers[0].received[BGP_PEER_IPV4], 7);
	vrf = bgp_answers_vrf_next(&answers, vrf);
	assert_string_equal(vrf->vrf, "blue");
	assert_int_equal(vrf->peers.n, 0);
	assert_null(bgp_answers_vrf_next(&answers, vrf));
	bgp_answers_clear(&answers);
}

/* Addresses that there is no room for are counted; their VRF isn't asked. */
static void test_many_addresses(void **state)
{
	const struct bgp_answer *vip = NULL;
	struct bgp_answers answers = {};
	size_t n = 0;
	char name[16];

	for (int i = 0; i < BGP_ANSWERS_ADDRESSES + 7; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		address_add(&answers, name,
			    i < BGP_ANSWERS_ADDRESSES ? "default" : "blue",
			    "192.0.2.1");
	}
	bgp_answers_vrfs(&answers, "default");
	assert_int_equal(answers.n_unasked, 7);
	assert_int_equal(answers.n_addresses, BGP_ANSWERS_ADDRESSES);
	assert_int_equal(answers.n, BGP_ANSWERS_ADDRESSES + 1);
	while ((vip = bgp_answers_vip_next(&answers, vip)))
		n++;
	assert_int_equal(n, BGP_ANSWERS_ADDRESSES);
	bgp_answers_clear(&answers);
}

/* What others announce is bounded; what isn't kept is counted. */
static void test_many_paths(void **state)
{
	enum { EACH = 200, N = BGP_ANSWERS_PATHS / EACH + 2 };
	struct bgp_answers answers = {};
	char *text = calloc(EACH, 4);
	size_t kept = 0, counted = 0;
	struct ipaddr address;

	strlcpy(text, "{\"paths\":[{}", EACH * 4);
	for (int i = 1; i < EACH; i++)
		strlcat(text, ",{}", EACH * 4);
	strlcat(text, "]}", EACH * 4);
	for (int i = 0; i < N; i++) {
		address.ipa_type = IPADDR_V4;
		address.ipaddr_v4.s_addr = htonl(i);
		bgp_answers_address(&answers, "v", "default", &address,
				    VIP_DOWN);
	}
	for (int i = 0; i < N; i++)
		take(&answers, text);
	for (int i = 0; i < N; i++) {
		kept += answers.answers[i].paths.n;
		counted += answers.answers[i].paths.n_more;
	}
	assert_int_equal(kept, BGP_ANSWERS_PATHS);
	assert_int_equal(answers.n_paths, BGP_ANSWERS_PATHS);
	assert_int_equal(kept + counted, N * EACH);
	bgp_answers_clear(&answers);
	free(text);
}

static void test_many_peers(void **state)
{
	enum { EACH = 1000, N = BGP_ANSWERS_PEERS / EACH + 2 };
	struct bgp_answers answers = {};
	size_t size = EACH * 16, at, kept = 0, counted = 0;
	char *text = calloc(size, 1), name[16];

	at = snprintf(text, size, "{\"ipv4Unicast\":{\"peers\":{\"x\":{}");
	for (int i = 1; i < EACH; i++)
		at += snprintf(text + at, size - at, ",\"%d\":{}", i);
	snprintf(text + at, size - at, "}}}");
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		address_add(&answers, name, name, "192.0.2.1");
	}
	bgp_answers_vrfs(&answers, "default");
	for (int i = 0; i < N; i++)
		take(&answers, "{}");
	for (int i = 0; i < N; i++)
		take(&answers, text);
	for (size_t i = N; i < answers.n; i++) {
		kept += answers.answers[i].peers.n;
		counted += answers.answers[i].peers.n_more;
	}
	assert_int_equal(kept, BGP_ANSWERS_PEERS);
	assert_int_equal(kept + counted, N * EACH);
	bgp_answers_clear(&answers);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_long_command),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_many_addresses),
		cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_many_peers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
