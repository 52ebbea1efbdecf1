// SPDX-License-Identifier: GPL-2.0-or-later
/* What bgpd says of a prefix and of its sessions, as FRR 8.4 and 10.3 say it. */
#include <zebra.h>

#include "unit.h"

#include "memory.h"

#include "vip/bgp_paths.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define OURS                                                                   \
	"{\"aspath\":{\"string\":\"Local\",\"length\":0},\"sourced\":true,"    \
	"\"weight\":32768,\"bestpath\":{\"overall\":true},"                    \
	"\"nexthops\":[{\"ip\":\"203.0.113.11\"}],"                            \
	"\"peer\":{\"peerId\":\"0.0.0.0\",\"routerId\":\"198.51.100.1\"}}"

static void test_others(void **state)
{
	struct bgp_paths paths;

	assert_true(bgp_paths_parse(
		&paths,
		"{\"prefix\":\"192.0.2.1/32\",\"paths\":["
		"{\"aspath\":{\"string\":\"65003 65001\",\"length\":2},"
		"\"community\":{\"string\":\"65001:1 graceful-shutdown\","
		"\"list\":[\"65001:1\",\"gracefulShutdown\"]},"
		"\"lastUpdate\":{\"epoch\":1796017806,\"string\":\"x\"},"
		"\"nexthops\":[{\"ip\":\"2001:db8::2\",\"scope\":\"global\"},"
		"{\"ip\":\"fe80::2\",\"scope\":\"link-local\"}],"
		"\"peer\":{\"peerId\":\"198.51.100.3\",\"hostname\":\"r3\"}}," OURS
		",{\"aspath\":{\"string\":\"Local\"},"
		"\"originatorId\":\"198.51.100.2\","
		"\"bestpath\":{\"overall\":false},"
		"\"peer\":{\"peerId\":\"198.51.100.9\"}}]}",
		BGP_PATHS_MAX));
	assert_true(paths.ours);
	assert_false(paths.no_instance);
	assert_int_equal(paths.n, 2);
	assert_int_equal(paths.n_more, 0);
	assert_string_equal(paths.paths[0].from, "198.51.100.3");
	assert_string_equal(paths.paths[0].host, "r3");
	assert_string_equal(paths.paths[0].nexthop, "2001:db8::2");
	assert_string_equal(paths.paths[0].as_path, "65003 65001");
	assert_string_equal(paths.paths[0].originator, "");
	assert_true(paths.paths[0].draining);
	assert_false(paths.paths[0].best);
	assert_int_equal(paths.paths[0].since, 1796017806);
	assert_string_equal(paths.paths[1].from, "198.51.100.9");
	assert_string_equal(paths.paths[1].host, "");
	assert_string_equal(paths.paths[1].nexthop, "");
	assert_string_equal(paths.paths[1].as_path, "");
	assert_string_equal(paths.paths[1].originator, "198.51.100.2");
	assert_false(paths.paths[1].draining);
	assert_int_equal(paths.paths[1].since, 0);
	bgp_paths_clear(&paths);
	assert_int_equal(paths.n, 0);
	assert_null(paths.paths);
}

static void test_nobody(void **state)
{
	struct bgp_paths paths;

	assert_true(bgp_paths_parse(&paths, "{\n}\n", BGP_PATHS_MAX));
	assert_false(paths.ours || paths.no_instance);
	assert_int_equal(paths.n, 0);
	bgp_paths_clear(&paths);
	assert_true(bgp_paths_parse(&paths, "{\"paths\":[" OURS "]}",
				    BGP_PATHS_MAX));
	assert_true(paths.ours);
	assert_int_equal(paths.n, 0);
	bgp_paths_clear(&paths);
	assert_true(
		bgp_paths_parse(&paths,
				"{\"paths\":[{\"local\":true,\"aggregated\":true}]}",
				BGP_PATHS_MAX));
	assert_true(paths.ours);
	bgp_paths_clear(&paths);
	/* Another node's, and the best: ours isn't there. */
	assert_true(bgp_paths_parse(&paths,
				    "{\"paths\":[{\"bestpath\":"
				    "{\"overall\":true}}]}",
				    BGP_PATHS_MAX));
	assert_false(paths.ours);
	assert_true(paths.paths[0].best);
	bgp_paths_clear(&paths);
	assert_true(bgp_paths_parse(&paths,
				    "{\"warning\":\"View/Vrf is unknown\"}",
				    BGP_PATHS_MAX));
	assert_true(paths.no_instance);
	bgp_paths_clear(&paths);
}

/* What isn't as expected is left out; what is no answer is none. */
static void test_nonsense(void **state)
{
	static const char *const none[] = { "", "% Unknown command", "[]", "7",
					    "{\"paths\":[" };
	static const char *const odd[] = {
		"{\"paths\":7}",
		"{\"paths\":{\"a\":1}}",
		"{\"paths\":[7,null,[],\"x\"]}",
	};
	struct bgp_paths paths;
	struct bgp_peers peers;

	for (size_t i = 0; i < array_size(none); i++) {
		assert_false(bgp_paths_parse(&paths, none[i], BGP_PATHS_MAX));
		assert_null(paths.paths);
		assert_false(bgp_peers_parse(&peers, none[i], BGP_PEERS_MAX));
		assert_null(peers.peers);
	}
	for (size_t i = 0; i < array_size(odd); i++) {
		assert_true(bgp_paths_parse(&paths, odd[i], BGP_PATHS_MAX));
		assert_int_equal(paths.n, 0);
		bgp_paths_clear(&paths);
	}
	assert_true(
		bgp_paths_parse(&paths,
				"{\"paths\":[{\"nexthops\":[7],\"peer\":[],\"aspath\":"
				"{\"string\":7},\"bestpath\":true,\"community\":\"x\","
				"\"lastUpdate\":7},{\"nexthops\":[],\"sourced\":false}]}",
				BGP_PATHS_MAX));
	assert_int_equal(paths.n, 2);
	assert_string_equal(paths.paths[0].from, "");
	assert_false(paths.paths[0].best);
	bgp_paths_clear(&paths);
}

/* Names come from other machines: nothing for a terminal in them. */
static void test_foreign_text(void **state)
{
	struct bgp_paths paths;

	assert_true(
		bgp_paths_parse(&paths,
				"{\"paths\":[{\"peer\":{\"peerId\":\"198.51.100.3\","
				"\"hostname\":\"a\\u001b[2J\\nb\xc3\xa4\"}}]}",
				BGP_PATHS_MAX));
	assert_string_equal(paths.paths[0].host, "a?[2J?b??");
	bgp_paths_clear(&paths);
}

static void test_many_paths(void **state)
{
	struct bgp_paths paths;
	size_t size = (BGP_PATHS_MAX + 10) * 4;
	char *text = calloc(size, 1);

	strlcpy(text, "{\"paths\":[{}", size);
	for (int i = 1; i < BGP_PATHS_MAX + 7; i++)
		strlcat(text, ",{}", size);
	strlcat(text, "]}", size);
	assert_true(bgp_paths_parse(&paths, text, BGP_PATHS_MAX));
	assert_int_equal(paths.n, BGP_PATHS_MAX);
	assert_int_equal(paths.n_more, 7);
	bgp_paths_clear(&paths);
	free(text);
}

static void test_peers(void **state)
{
	struct bgp_peers peers;

	assert_true(bgp_peers_parse(
		&peers,
		"{\"ipv4Unicast\":{\"as\":65001,\"peers\":{"
		"\"198.51.100.3\":{\"hostname\":\"r3\",\"remoteAs\":4200000000,"
		"\"peerUptimeMsec\":7000,\"pfxRcd\":5,"
		"\"state\":\"Established\"},"
		"\"r1-eth0\":{\"state\":\"Idle\",\"peerUptimeMsec\":0}}},"
		"\"ipv6Unicast\":{\"peers\":{"
		"\"198.51.100.3\":{\"remoteAs\":4200000000,\"pfxRcd\":9,"
		"\"peerUptimeMsec\":7000,\"state\":\"Established\"},"
		"\"2001:db8::3\":{\"state\":\"Active\"},\"x\":7}}}",
		BGP_PEERS_MAX));
	assert_int_equal(peers.n, 4);
	assert_string_equal(peers.peers[0].neighbor, "198.51.100.3");
	assert_string_equal(peers.peers[0].state, "Established");
	assert_true(peers.peers[0].as == 4200000000);
	assert_int_equal(peers.peers[0].uptime_ms, 7000);
	assert_true(peers.peers[0].family[BGP_PEER_IPV4]);
	assert_true(peers.peers[0].family[BGP_PEER_IPV6]);
	assert_int_equal(peers.peers[0].received[BGP_PEER_IPV4], 5);
	assert_int_equal(peers.peers[0].received[BGP_PEER_IPV6], 9);
	assert_string_equal(peers.peers[1].neighbor, "r1-eth0");
	assert_string_equal(peers.peers[1].state, "Idle");
	assert_false(peers.peers[1].family[BGP_PEER_IPV6]);
	assert_string_equal(peers.peers[2].neighbor, "2001:db8::3");
	assert_false(peers.peers[2].family[BGP_PEER_IPV4]);
	bgp_peers_clear(&peers);
	assert_null(peers.peers);
	/* Names are keys between quotes. */
	assert_true(
		bgp_peers_parse(&peers,
				"{\"ipv4Unicast\":{\"peers\":{\"a'b'\":{}}}}",
				BGP_PEERS_MAX));
	assert_string_equal(peers.peers[0].neighbor, "a?b?");
	bgp_peers_clear(&peers);
	/* No BGP there. */
	assert_true(bgp_peers_parse(&peers, "{}", BGP_PEERS_MAX));
	assert_int_equal(peers.n, 0);
	bgp_peers_clear(&peers);
}

static void test_many_peers(void **state)
{
	struct bgp_peers peers;
	size_t size = (BGP_PEERS_MAX + 10) * 16;
	char *text = calloc(size, 1);
	size_t at = snprintf(text, size,
			     "{\"ipv6Unicast\":{\"peers\":{\"x\":{}");

	for (int i = 1; i < BGP_PEERS_MAX + 3; i++)
		at += snprintf(text + at, size - at, ",\"%d\":{}", i);
	snprintf(text + at, size - at, "}}}");
	assert_true(bgp_peers_parse(&peers, text, BGP_PEERS_MAX));
	assert_int_equal(peers.n, BGP_PEERS_MAX);
	assert_int_equal(peers.n_more, 3);
	bgp_peers_clear(&peers);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_foreign_text),
		cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_peers),
		cmocka_unit_test(test_many_peers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
