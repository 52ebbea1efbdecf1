// SPDX-License-Identifier: GPL-2.0-or-later
/* An edge's tunnels: what is called, what the command is told, and when. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_tunnel.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define MS INT64_C(1000)
#define S  INT64_C(1000000)

/* A call that the owner makes. */
struct call {
	unsigned int hub, addr;
};

static struct hc_tunnels *tunnels;
static struct hc_tunnels_config config;
static int64_t now;
static size_t n_calls;
static char did[512]; /* in order */

static struct ctl_id id(unsigned int number)
{
	struct ctl_id made = { { 0xaa } };

	made.bytes[15] = (uint8_t)number;
	return made;
}

static void note(const char *what, unsigned int hub, unsigned int addr)
{
	size_t len = strlen(did);

	snprintf(did + len, sizeof(did) - len, "%s%s %u", len ? ", " : "", what,
		 hub);
	len = strlen(did);
	if (addr)
		snprintf(did + len, sizeof(did) - len, ".%u", addr);
}

static void *op_call(void *arg, const struct ctl_id *hub,
		     const struct ipaddr *addr, uint16_t port)
{
	struct call *call = calloc(1, sizeof(*call));

	assert_non_null(call);
	call->hub = hub->bytes[15];
	call->addr = ntohl(addr->ipaddr_v4.s_addr) & 0xff;
	note("call", call->hub, call->addr);
	n_calls++;
	return call;
}

static void op_uncall(void *arg, void *call)
{
	struct call *ended = call;

	note("uncall", ended->hub, ended->addr);
	free(ended);
	n_calls--;
}

static void op_command(void *arg, const struct hc_where *hub, bool up)
{
	note(up ? "up!" : "down!", hub->hub.bytes[15], 0);
}

static void op_up(void *arg, const struct ctl_id *hub)
{
	note("there", hub->bytes[15], 0);
}

static const struct hc_tunnels_ops ops = {
	.call = op_call,
	.uncall = op_uncall,
	.command = op_command,
	.up = op_up,
};

static void configure(void)
{
	hc_tunnels_config_set(tunnels, &config);
}

static int setup(void **state)
{
	tunnels = hc_tunnels_new(&ops, NULL);
	config = (struct hc_tunnels_config){ .retry_ms = 5000 };
	now = 100 * S;
	did[0] = '\0';
	configure();
	return 0;
}

static int teardown(void **state)
{
	hc_tunnels_free(&tunnels);
	hc_tunnels_free(&tunnels);
	assert_int_equal(n_calls, 0);
	return 0;
}

#define assert_did(expected)                                                   \
	do {                                                                   \
		assert_string_equal(did, expected);                            \
		did[0] = '\0';                                                 \
	} while (0)

/* A hub with one address, or two. */
static struct hc_where where(unsigned int hub, unsigned int a, unsigned int b)
{
	struct hc_where made = { .hub = id(hub), .port = 1 };

	for (unsigned int i = 0; i < 2 && (i ? b : a); i++) {
		struct ipaddr *addr = &made.addresses.list[made.addresses.n++];

		SET_IPADDR_V4(addr);
		addr->ipaddr_v4.s_addr = htonl(0x0a000000 + (i ? b : a));
	}
	return made;
}

static int64_t run(void)
{
	return hc_tunnels_run(tunnels, now);
}

static void want(unsigned int hub, unsigned int a, unsigned int b)
{
	struct hc_where to = where(hub, a, b);

	hc_tunnels_connect(tunnels, &to);
}

static void leave(unsigned int hub)
{
	struct ctl_id peer = id(hub);

	hc_tunnels_disconnect(tunnels, &peer, now);
}

static void place(unsigned int hub, unsigned int a, unsigned int b)
{
	struct hc_where to = where(hub, a, b);

	hc_tunnels_place(tunnels, &to);
}

static void done(bool ok)
{
	hc_tunnels_done(tunnels, ok, now);
	run();
}

/* Without a command: called at once, left after a moment. */
static void test_routes_only(void **state)
{
	want(1, 11, 12);
	assert_int_equal(run(), INT64_MAX);
	assert_did("call 1.11, call 1.12, there 1");
	/* Again: its session may be there. */
	want(1, 11, 12);
	run();
	assert_did("there 1");
	leave(1);
	assert_int_equal(run(), now + HC_TUNNEL_LINGER_US);
	assert_did("");
	/* Wanted again before it fell. */
	now += HC_TUNNEL_LINGER_US - 1;
	run();
	want(1, 11, 12);
	now += 10;
	run();
	assert_did("there 1");
	leave(1);
	now += HC_TUNNEL_LINGER_US;
	assert_int_equal(run(), INT64_MAX);
	assert_did("uncall 1.11, uncall 1.12");
	/* Who isn't known is nothing; nor is a hub that isn't wanted. */
	leave(7);
	place(7, 11, 0);
	hc_tunnels_done(tunnels, true, now);
	assert_int_equal(run(), INT64_MAX);
	assert_did("");
}

/* One after the other; up before down. */
static void test_command(void **state)
{
	config.command = true;
	configure();
	want(1, 11, 0);
	want(2, 21, 0);
	run();
	run();
	assert_did("up! 1");
	done(true);
	assert_did("call 1.11, there 1, up! 2");
	/* No longer wanted while it rises. */
	leave(2);
	want(3, 31, 0);
	done(true);
	assert_did("call 2.21, up! 3");
	now += HC_TUNNEL_LINGER_US;
	run();
	/* Not called any more, but the command has to wait. */
	assert_did("uncall 2.21");
	want(4, 41, 0);
	done(true);
	assert_did("call 3.31, there 3, up! 4");
	done(true);
	assert_did("call 4.41, there 4, down! 2");
	done(true);
	assert_did("");
}

static void test_command_fails(void **state)
{
	config.command = true;
	configure();
	want(1, 11, 0);
	run();
	hc_tunnels_done(tunnels, false, now);
	assert_did("up! 1");
	assert_int_equal(run(), now + 5 * S);
	now += 5 * S - 1;
	run();
	assert_did("");
	now += 1;
	run();
	assert_did("up! 1");
	hc_tunnels_done(tunnels, false, now);
	/* The edge wants it anew: at once. */
	want(1, 11, 0);
	run();
	assert_did("up! 1");
	done(true);
	assert_did("call 1.11, there 1");
	/* Down fails: as far as we know it isn't there. */
	leave(1);
	now += HC_TUNNEL_LINGER_US;
	run();
	assert_did("uncall 1.11, down! 1");
	done(false);
	want(1, 11, 0);
	run();
	assert_did("up! 1");
	/* Wanted no more while it rises: nothing is left of it. */
	leave(1);
	done(false);
	assert_did("");
	assert_int_equal(run(), INT64_MAX);
}

/* Other addresses: new ones are called, the others stay for a moment. */
static void test_elsewhere(void **state)
{
	want(1, 11, 12);
	run();
	assert_did("call 1.11, call 1.12, there 1");
	place(1, 12, 13);
	assert_int_equal(run(), now + HC_TUNNEL_RETIRE_US);
	assert_did("call 1.13, there 1");
	now += HC_TUNNEL_RETIRE_US - 1;
	assert_int_equal(run(), now + 1);
	assert_did("");
	now += 1;
	assert_int_equal(run(), INT64_MAX);
	assert_did("uncall 1.11");
	/* Twice in a row: what the first left goes with the second. */
	place(1, 14, 0);
	run();
	place(1, 15, 0);
	run();
	assert_did(
		"call 1.14, there 1, call 1.15, uncall 1.12, uncall 1.13, there 1");
	/* That it is gone is no reason while it is wanted. */
	place(1, 0, 0);
	run();
	now += HC_TUNNEL_RETIRE_US;
	run();
	assert_did("uncall 1.14");
	/* With a command: up once more, with the new ones. */
	config.command = true;
	configure();
	place(1, 16, 0);
	run();
	assert_did("up! 1");
	done(true);
	assert_did("call 1.16, there 1");
	/* But it is run for one at a time. */
	want(2, 21, 0);
	run();
	place(1, 17, 0);
	run();
	place(1, 16, 0);
	done(true);
	assert_did("up! 2, call 2.21, there 2");
	leave(2);
	now += HC_TUNNEL_LINGER_US;
	run();
	place(1, 17, 0);
	done(true);
	place(1, 16, 0);
	done(true);
	done(true);
	did[0] = '\0';
	/* Another port: nothing stays. */
	struct hc_where port = where(1, 16, 0);

	port.port = 2;
	hc_tunnels_connect(tunnels, &port);
	run();
	done(true);
	assert_did("there 1, up! 1, call 1.16, uncall 1.17, there 1");
}

/* The way to new addresses can't be brought up: the session has the old ones. */
static void test_elsewhere_fails(void **state)
{
	config.command = true;
	configure();
	want(1, 11, 0);
	run();
	done(true);
	place(1, 12, 0);
	run();
	assert_did("up! 1, call 1.11, there 1, up! 1");
	done(false);
	assert_did("");
	assert_int_equal(n_calls, 1);
	/* It is tried again. */
	assert_int_equal(run(), now + 5 * S);
	now += 5 * S - 1;
	run();
	assert_did("");
	now += 1;
	run();
	assert_did("up! 1");
	done(true);
	assert_did("call 1.12, there 1");
	now += HC_TUNNEL_RETIRE_US;
	run();
	assert_did("uncall 1.11");
	/* Or until the hub is where it was. */
	place(1, 13, 0);
	run();
	done(false);
	place(1, 12, 0);
	assert_int_equal(run(), INT64_MAX);
	assert_did("up! 1");
	/* Wanted anew meanwhile: what was there before still is. */
	place(1, 14, 0);
	now += 5 * S;
	run();
	leave(1);
	want(1, 14, 0);
	assert_did("up! 1, there 1");
	/* Left meanwhile: it was up, and is taken down. */
	leave(1);
	done(false);
	assert_did("");
	now += HC_TUNNEL_LINGER_US;
	run();
	done(true);
	assert_did("uncall 1.12, down! 1");
	assert_int_equal(run(), INT64_MAX);
}

/* Tunnels to hubs that aren't wanted, while they are there. */
static void test_preestablish(void **state)
{
	config.preestablish = true;
	configure();
	place(1, 11, 0);
	place(2, 21, 0);
	run();
	assert_did("call 1.11, call 2.21");
	/* Nobody is called for it. */
	want(1, 11, 0);
	run();
	assert_did("there 1");
	leave(1);
	now += 10 * S;
	assert_int_equal(run(), INT64_MAX);
	assert_did("");
	place(1, 0, 0);
	run();
	assert_did("uncall 1.11");
	/* Gone and back before it fell; gone while it is wanted. */
	want(2, 21, 0);
	place(2, 0, 0);
	run();
	assert_did("there 2");
	leave(2);
	run();
	place(2, 21, 0);
	now += 10 * S;
	run();
	assert_did("");
	/* The edge is sent to one that was said to be gone. */
	place(2, 0, 0);
	want(2, 21, 0);
	leave(2);
	now += 10 * S;
	run();
	assert_did("there 2");
	/* Not any more. */
	config.preestablish = false;
	configure();
	run();
	assert_did("uncall 2.21");
	place(3, 31, 0);
	run();
	/* What was said meanwhile the gateway says again. */
	config.preestablish = true;
	configure();
	run();
	assert_did("");
}

/* More hubs than there is room for: that which was left first goes. */
static void test_full(void **state)
{
	config.preestablish = true;
	configure();
	for (unsigned int i = 1; i <= HC_TUNNELS_MAX; i++) {
		want(i, 1, 0);
		run();
		leave(i);
		now += S;
	}
	/* The first one was given up for the next. */
	assert_int_equal(n_calls, HC_TUNNELS_MAX - 1);
	did[0] = '\0';
	place(100, 1, 0);
	place(101, 1, 0);
	run();
	assert_did("call 100.1");
	/* One that is there needs no room, and while it is wanted it stays. */
	want(2, 1, 0);
	run();
	assert_did("there 2");
	/* No room at once, but soon: the one that never was wanted goes first. */
	want(102, 1, 0);
	run();
	assert_did("uncall 100.1");
	want(102, 1, 0);
	run();
	assert_did("call 102.1, there 102, uncall 3.1");
	assert_int_equal(n_calls, HC_TUNNELS_MAX - 1);
}

/* A hub that is gone and never was known takes no room. */
static void test_gone(void **state)
{
	config.preestablish = true;
	configure();
	place(99, 0, 0);
	for (unsigned int i = 1; i <= HC_TUNNELS_MAX; i++)
		place(i, 1, 0);
	run();
	assert_int_equal(n_calls, HC_TUNNELS_MAX);
}

/* All are named again: those that aren't are gone, if they aren't wanted. */
static void test_all_named(void **state)
{
	config.preestablish = true;
	configure();
	for (unsigned int i = 1; i <= 3; i++)
		place(i, i, 0);
	want(3, 3, 0);
	run();
	did[0] = '\0';
	hc_tunnels_places(tunnels, true);
	place(2, 2, 0);
	want(4, 4, 0);
	run();
	assert_did("call 4.4, there 4");
	hc_tunnels_places(tunnels, false);
	run();
	assert_did("uncall 1.1");
	/* Once; then it is gone, and it has only just come. */
	hc_tunnels_places(tunnels, false);
	leave(3);
	leave(4);
	now += HC_TUNNEL_LINGER_US;
	run();
	assert_did("uncall 3.3");
}

/* One that isn't up yet, for later, makes room for one that is wanted. */
static void test_full_of_waiting(void **state)
{
	config.preestablish = config.command = true;
	configure();
	for (unsigned int i = 1; i <= HC_TUNNELS_MAX; i++)
		place(i, 1, 0);
	run();
	assert_did("up! 1");
	want(100, 1, 0);
	run();
	done(true);
	assert_did("call 1.1, up! 100");
	done(true);
	assert_did("call 100.1, there 100, up! 3");
	/* The last of them has a slot. */
	for (unsigned int i = 3; i <= HC_TUNNELS_MAX; i++)
		done(true);
	assert_int_equal(n_calls, HC_TUNNELS_MAX);
}

/* A slot that is taken while its hub is still called: after another command. */
static void test_full_forgets_no_call(void **state)
{
	config.preestablish = true;
	configure();
	for (unsigned int i = 1; i <= HC_TUNNELS_MAX; i++)
		place(i, 1, 0);
	run();
	assert_int_equal(n_calls, HC_TUNNELS_MAX);
	config.command = true;
	configure();
	hc_tunnels_renew(tunnels, false);
	did[0] = '\0';
	want(100, 1, 0);
	assert_did("uncall 1.1");
	assert_int_equal(n_calls, HC_TUNNELS_MAX - 1);
	run();
	done(true);
	assert_did("up! 100, call 100.1, there 100, up! 2");
	for (unsigned int i = 2; i <= HC_TUNNELS_MAX; i++)
		done(true);
	assert_int_equal(n_calls, HC_TUNNELS_MAX);
}

/* Another command, or another VRF: sessions stay until it has ended. */
static void test_renew(void **state)
{
	want(1, 11, 0);
	want(2, 21, 0);
	run();
	leave(2);
	did[0] = '\0';
	config.command = true;
	configure();
	hc_tunnels_renew(tunnels, false);
	assert_did("uncall 2.21");
	run();
	assert_did("up! 1");
	/* Once more, while it runs: its end is nobody's business. */
	hc_tunnels_renew(tunnels, false);
	hc_tunnels_done(tunnels, true, now);
	run();
	assert_did("up! 1");
	done(true);
	assert_did("there 1");
	/* Elsewhere: called anew, there. */
	hc_tunnels_renew(tunnels, true);
	run();
	done(true);
	assert_did("up! 1, call 1.11, there 1");
	assert_int_equal(n_calls, 2);
	now += HC_TUNNEL_RETIRE_US;
	run();
	assert_did("uncall 1.11");
	/* It can't be brought up: then it isn't called. */
	hc_tunnels_renew(tunnels, false);
	run();
	done(false);
	assert_did("up! 1, uncall 1.11");
	config.command = false;
	configure();
	hc_tunnels_renew(tunnels, false);
	run();
	assert_did("call 1.11, there 1");
}

#define TUNNEL_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TUNNEL_TEST(test_routes_only),
		TUNNEL_TEST(test_command),
		TUNNEL_TEST(test_command_fails),
		TUNNEL_TEST(test_elsewhere),
		TUNNEL_TEST(test_elsewhere_fails),
		TUNNEL_TEST(test_full_forgets_no_call),
		TUNNEL_TEST(test_preestablish),
		TUNNEL_TEST(test_full),
		TUNNEL_TEST(test_full_of_waiting),
		TUNNEL_TEST(test_gone),
		TUNNEL_TEST(test_all_named),
		TUNNEL_TEST(test_renew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
