// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The texts that people read about VIPs, and what addresses can't be used.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "vip/vip_drain.h"
#include "vip/vip_reason.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define V4 .family = IPADDR_V4
#define V6 .family = IPADDR_V6

static const struct {
	struct vip_reason reason;
	const char *addr;
	const char *text;
} reasons[] = {
	{ { .why = VIP_WHY_OK }, NULL, "" },
	{ { .why = VIP_WHY_UNDECIDED },
	  NULL,
	  "nothing is decided yet: the configuration is still being read" },
	{ { .why = VIP_WHY_SHUTDOWN }, NULL, "shut down by configuration" },
	{ { .why = VIP_WHY_DRAINED, .total = VIP_DRAIN_COMMAND },
	  NULL,
	  "drained by configuration" },
	{ { .why = VIP_WHY_DRAINED, .total = VIP_DRAIN_FILE },
	  NULL,
	  "drained, the file that asks for it exists" },
	{ { .why = VIP_WHY_DRAINED, .total = VIP_DRAIN_EXIT },
	  NULL,
	  "drained, clusterd is about to end" },
	{ { .why = VIP_WHY_DRAINING, .total = VIP_DRAIN_SHUTDOWN, .num = 7 },
	  "192.0.2.1",
	  "shut down by configuration: withdrawn in 7 s" },
	{ { .why = VIP_WHY_UPLINK_ROUTES, .name = "red" },
	  "192.0.2.1",
	  "uplink: too few routes learned by BGP in VRF red" },
	{ { .why = VIP_WHY_UPLINK_PROBE, .name = "up" },
	  "192.0.2.1",
	  "uplink: probe up is not up" },
	{ { .why = VIP_WHY_FLAPPING, .num = 90, .total = 4000 },
	  "192.0.2.1",
	  "healthy, but flapped too often: held back for another 90 s (penalty 4000)" },
	{ { .why = VIP_WHY_FLIP, .num = 3 },
	  "192.0.2.1",
	  "healthy, but went down a moment ago: held back for another 3 s" },
	{ { .why = VIP_WHY_HOLD_DOWN, .num = 4 },
	  "192.0.2.1",
	  "healthy, but not for long enough: held back for another 4 s" },
	{ { .why = VIP_WHY_FAIL_OPEN, V4, .total = 3 },
	  "192.0.2.1",
	  "fail-open: none of 3 IPv4 members is up, announced all the same" },
	{ { .why = VIP_WHY_FAIL_OPEN, V6, .total = 1 },
	  "2001:db8::1",
	  "fail-open: none of 1 IPv6 member is up, announced all the same" },
	{ { .why = VIP_WHY_FAIL_OPEN },
	  "192.0.2.1",
	  "fail-open: the check of its service fails, announced all the same" },
	{ { .why = VIP_WHY_SLOW_START, .num = 3 },
	  "192.0.2.1",
	  "slow start: 3 tenths of its weight" },
	{ { .why = VIP_WHY_VIPS_MAX, .num = 16390 },
	  NULL,
	  "16390 VIPs are configured, only the first 16384 in the order of their names are served: remove some" },
	{ { .why = VIP_WHY_MEMBERS_MAX, .num = 257 },
	  NULL,
	  "257 members are configured, at most 256 are possible: remove some" },
	{ { .why = VIP_WHY_ADDRESSES_MAX, .num = 300 },
	  NULL,
	  "300 addresses are configured, at most 256 are possible: use another VIP for the rest" },
	{ { .why = VIP_WHY_NO_ADDRESS }, NULL, "no address is configured" },
	{ { .why = VIP_WHY_VRF, .name = "red" },
	  "192.0.2.1",
	  "VRF red is not there" },
	{ { .why = VIP_WHY_NO_MEMBER, V4 },
	  "192.0.2.1",
	  "no IPv4 member is configured" },
	{ { .why = VIP_WHY_NO_MEMBER, V6 },
	  "2001:db8::1",
	  "no IPv6 member is configured" },
	{ { .why = VIP_WHY_MIN_UP_NEVER, V4, .total = 1, .min_up = 3 },
	  "192.0.2.1",
	  "it can never come up: min-up is 3, but only 1 IPv4 member is configured" },
	{ { .why = VIP_WHY_MIN_UP_NEVER, V6, .total = 2, .min_up = 3 },
	  "2001:db8::1",
	  "it can never come up: min-up is 3, but only 2 IPv6 members are configured" },
	{ { .why = VIP_WHY_TOO_FEW, V4, .num = 1, .total = 3, .min_up = 2 },
	  "192.0.2.1",
	  "1 of 3 IPv4 members up, min-up is 2" },
	{ { .why = VIP_WHY_TOO_FEW, V6, .total = 1, .min_up = 1 },
	  "2001:db8::1",
	  "0 of 1 IPv6 member up" },
	{ { .why = VIP_WHY_SHARED, .name = "web" },
	  "192.0.2.1",
	  "shared with VIP web, whose tag, metric and distance are used" },
	{ { .why = VIP_WHY_NEXTHOPS_MAX, .total = 300 },
	  "192.0.2.1",
	  "300 next hops in all, only the first 256 are used" },
	{ { .why = VIP_WHY_OWNED, .name = "lo" },
	  "192.0.2.1",
	  "192.0.2.1 is an address of interface lo, whose connected route hides the VIP: remove it there" },
	{ { .why = VIP_WHY_LOCAL, .name = "eth0" },
	  "192.0.2.1",
	  "192.0.2.1 is an address of interface eth0, so that this node takes the packets and not the members: remove it there" },
	{ { .why = VIP_WHY_ZEBRA }, "192.0.2.1", "not connected to zebra" },
	{ { .why = VIP_WHY_UNSENT },
	  "192.0.2.1",
	  "not sent to zebra yet: it doesn't know an interface of the next hops" },
	{ { .why = VIP_WHY_PENDING },
	  "192.0.2.1",
	  "sent to zebra, which has not confirmed it" },
	{ { .why = VIP_WHY_BETTER_WON },
	  "192.0.2.1",
	  "another route is preferred: see `show ip route 192.0.2.1`" },
	{ { .why = VIP_WHY_BETTER_WON },
	  "2001:db8::1",
	  "another route is preferred: see `show ipv6 route 2001:db8::1`" },
	{ { .why = VIP_WHY_UNCONFIRMED },
	  "192.0.2.1",
	  "zebra has not installed the route, probably another one is preferred: see `show ip route 192.0.2.1`" },
	{ { .why = VIP_WHY_FAILED },
	  "192.0.2.1",
	  "the kernel refused the route: see zebra's log" },
	{ { .why = VIP_WHY_SERVED_MEMBERS, .num = 1 },
	  NULL,
	  "it is local and has 1 member: remove one or the other" },
	{ { .why = VIP_WHY_SERVED_VRF, .name = "red" },
	  "192.0.2.1",
	  "VRF red is not a network namespace: a local VIP works only in those and in the default VRF" },
	{ { .why = VIP_WHY_SERVED_WAITING },
	  "192.0.2.1",
	  "the kernel has not confirmed the local route yet" },
	{ { .why = VIP_WHY_SERVED_FAILED, .num = EPERM },
	  "192.0.2.1",
	  "the local route can't be set: Operation not permitted; tried again every 5 s" },
	{ { .why = VIP_WHY_SERVED_OWNED, .name = "lo" },
	  "192.0.2.1",
	  "192.0.2.1 is an address of interface lo, so that this node keeps it when the service is down: remove it there" },
	{ { .why = VIP_WHY_REMOVED },
	  "192.0.2.1",
	  "another program removed the route, it is sent again" },
};

static void test_reasons(void **state)
{
	char buf[256];

	for (size_t i = 0; i < array_size(reasons); i++) {
		struct ipaddr ip = addr(reasons[i].addr ?: "192.0.2.9");
		const char *text;

		memset(buf, 'x', sizeof(buf));
		text = vip_reason_text(&reasons[i].reason,
				       reasons[i].addr ? &ip : NULL, buf,
				       sizeof(buf));
		assert_ptr_equal(text, buf);
		assert_string_equal(buf, reasons[i].text);
	}
}

static const struct {
	struct vip_member_facts facts;
	const char *text;
} members[] = {
	{ { .why = VIP_WHY_OK }, "" },
	{ { .why = VIP_WHY_UNDECIDED },
	  "nothing is decided yet: the configuration is still being read" },
	{ { .why = VIP_WHY_IS_VIP },
	  "it is an address of this VIP: a member needs one of its own" },
	{ { .why = VIP_WHY_LINK_LOCAL },
	  "a link-local address needs an interface" },
	{ { .why = VIP_WHY_VRF, .vrf = "red" }, "VRF red is not there" },
	{ { .why = VIP_WHY_MEMBER_DRAIN }, "drained by configuration" },
	{ { .why = VIP_WHY_PROBE_UNKNOWN, .probe = "http" },
	  "probe http is not configured" },
	{ { .why = VIP_WHY_PROBE_UNKNOWN,
	    .probe = "http",
	    .probe_why = "probe http is not configured" },
	  "probe http is not configured" },
	{ { .why = VIP_WHY_PROBE_DOWN, .probe = "http" }, "probe http down" },
	{ { .why = VIP_WHY_PROBE_DOWN,
	    .probe = "http",
	    .probe_why = "probe http invalid: tcp needs a port" },
	  "probe http invalid: tcp needs a port" },
	{ { .why = VIP_WHY_PROBE_DOWN,
	    .probe = "http",
	    .probe_why = "down: 3 x connection refused" },
	  "probe http down: 3 x connection refused" },
	{ { .why = VIP_WHY_UNRESOLVED }, "zebra has no route to it" },
	{ { .why = VIP_WHY_INTERFACE, .ifname = "eth0" },
	  "interface eth0 is down or not there" },
	{ { .why = VIP_WHY_ZEBRA }, "not connected to zebra" },
};

static void test_members(void **state)
{
	char buf[256];

	for (size_t i = 0; i < array_size(members); i++) {
		struct vip_member_facts facts = members[i].facts;

		facts.vrf = facts.vrf ?: "default";
		facts.ifname = facts.ifname ?: "";
		facts.probe = facts.probe ?: "";
		facts.probe_why = facts.probe_why ?: "";
		memset(buf, 'x', sizeof(buf));
		assert_ptr_equal(vip_member_text(&facts, buf, sizeof(buf)), buf);
		assert_string_equal(buf, members[i].text);
	}
}

/* Every reason has a text, and none overruns a small buffer. */
static void test_every_reason(void **state)
{
	struct ipaddr ip = addr("2001:db8:1111:2222:3333:4444:5555:6666");

	for (enum vip_why why = VIP_WHY_UNDECIDED; why < VIP_WHY_MAX; why++) {
		struct vip_reason reason = { .why = why, .name = "name" };
		struct vip_member_facts facts = { why, "red", "eth0", "p", "" };
		char text[256], member[256], small[8];

		vip_reason_text(&reason, &ip, text, sizeof(text));
		vip_member_text(&facts, member, sizeof(member));
		if (!text[0] && !member[0])
			print_error("reason %d has no text\n", why);
		assert_true(text[0] || member[0]);

		memset(small, 'x', sizeof(small));
		vip_reason_text(&reason, &ip, small, sizeof(small) - 1);
		assert_true(strlen(small) < sizeof(small) - 1);
		assert_int_equal(small[sizeof(small) - 1], 'x');
		vip_member_text(&facts, small, sizeof(small) - 1);
		assert_true(strlen(small) < sizeof(small) - 1);
		assert_int_equal(small[sizeof(small) - 1], 'x');
		vip_reason_text(&reason, &ip, small, 0);
		vip_member_text(&facts, small, 0);
	}
}

static void test_left(void **state)
{
	static const struct {
		int64_t until_us, now_us;
		uint32_t num;
	} rows[] = {
		/* Without an end the number is something else. */
		{ 0, 5000000, 42 },	   { 10000000, 1000000, 9 },
		{ 10000000, 9000001, 1 },  { 10000000, 9999999, 1 },
		{ 10000000, 10000000, 0 }, { 10000000, 11000000, 0 },
	};

	for (size_t i = 0; i < array_size(rows); i++) {
		struct vip_reason reason = {
			.num = 42,
			.until_us = rows[i].until_us,
		};

		vip_reason_left(&reason, rows[i].now_us);
		assert_int_equal(reason.num, rows[i].num);
	}
}

static void test_state_names(void **state)
{
	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++) {
		assert_non_null(vip_state_name(i));
		for (enum vip_state k = 0; k < i; k++)
			assert_string_not_equal(vip_state_name(i),
						vip_state_name(k));
	}
	assert_string_equal(vip_state_name(VIP_ANNOUNCED), "announced");
}

static const struct {
	const char *addr, *vip, *member;
} flaws[] = {
	{ "192.0.2.1", NULL, NULL },
	{ "10.0.0.0", NULL, NULL },
	{ "1.0.0.0", NULL, NULL },
	{ "126.255.255.255", NULL, NULL },
	{ "128.0.0.0", NULL, NULL },
	{ "223.255.255.255", NULL, NULL },
	{ "0.0.0.0", "not the address of a host", "not the address of a host" },
	{ "0.1.2.3", "not the address of a host", "not the address of a host" },
	{ "127.0.0.1", "loopback", "loopback" },
	{ "127.255.255.255", "loopback", "loopback" },
	{ "224.0.0.0", "multicast", "multicast" },
	{ "239.255.255.255", "multicast", "multicast" },
	{ "240.0.0.1", "reserved", "reserved" },
	{ "255.255.255.255", "broadcast", "broadcast" },
	{ "169.254.0.1", "link-local", NULL },
	{ "169.253.255.255", NULL, NULL },
	{ "2001:db8::1", NULL, NULL },
	{ "fd00::1", NULL, NULL },
	{ "::", "not the address of a host", "not the address of a host" },
	{ "::1", "loopback", "loopback" },
	{ "::2", NULL, NULL },
	{ "ff02::1", "multicast", "multicast" },
	{ "::ffff:192.0.2.1", "IPv4-mapped", "IPv4-mapped" },
	{ "fe80::1", "link-local", NULL },
	{ "febf::1", "link-local", NULL },
	{ "fec0::1", NULL, NULL },
};

static void assert_flaw(const char *text, const char *flaw, const char *part)
{
	if (!flaw != !part)
		print_error("%s: %s, not %s\n", text, flaw ?: "-", part ?: "-");
	assert_int_equal(!flaw, !part);
	if (flaw)
		assert_non_null(strstr(flaw, part));
}

static void test_flaws(void **state)
{
	struct ipaddr none = { .ipa_type = IPADDR_NONE };

	for (size_t i = 0; i < array_size(flaws); i++) {
		struct ipaddr ip = addr(flaws[i].addr);

		assert_flaw(flaws[i].addr, vip_address_flaw(&ip), flaws[i].vip);
		assert_flaw(flaws[i].addr, vip_member_flaw(&ip),
			    flaws[i].member);
	}
	assert_non_null(vip_address_flaw(&none));
	assert_non_null(vip_member_flaw(&none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_every_reason),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_state_names),
		cmocka_unit_test(test_flaws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
