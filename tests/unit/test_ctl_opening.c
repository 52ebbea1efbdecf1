// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions on the way up, with what can come in between. */
#include "ctl_pair.h"

/* An answer to the first open that comes after the second. */
static void test_slow_network(void **state)
{
	sim_net_default(world->net)->delay_us = 1500 * SIM_MS;
	sim_ctl_dial(a, 1, 0);
	run_ms(30000);
	assert_true(ab_settled());
	assert_int_equal(a->others[1].ups, 1);
	sim_ctl_kill(a);
	a = sim_ctl_start(world, 0);
	sim_ctl_dial(a, 1, 0);
	run_ms(30000);
	assert_true(ab_settled());
	assert_int_equal(a->others[1].ups, 1);
	assert_int_equal(b->others[0].ups, 2);
}

/* One way of a link. */
static void cut_from(uint32_t from, uint32_t to, unsigned int link, bool cut)
{
	sim_net_path(world->net, from * SIM_CTL_LINKS + link,
		     to * SIM_CTL_LINKS + link)
		->cut = cut;
}

/*
 * Up to where a is up and b isn't: hello 0-10 ms, challenge -20, open -30,
 * open-ack -40, and then what would confirm it is lost.
 */
static void connect_half(void)
{
	sim_ctl_dial(a, 1, 0);
	run_ms(35);
	cut_from(0, 1, 0, true);
	run_ms(10);
	assert_true(a->others[1].up);
	assert_false(b->others[0].up);
	assert_string_equal(view(b, 0).state, "opening");
}

static void test_who_asked_says_nothing_more(void **state)
{
	connect_half();
	sim_ctl_kill(a);
	run_ms(9900);
	assert_string_equal(view(b, 0).state, "opening");
	run_ms(200);
	assert_string_equal(view(b, 0).state, "down");
	assert_int_equal(b->others[0].ups, 0);
	cut_from(0, 1, 0, false);
	a = sim_ctl_start(world, 0);
	connect_ab();
}

static void test_goodbye_before_it_was_up(void **state)
{
	connect_half();
	cut_from(0, 1, 0, false);
	ctl_stop(a->ctl, sim_ctl_now(world));
	run_ms(11);
	assert_string_equal(view(b, 0).state, "down");
	assert_int_equal(b->others[0].ups, 0);
}

/* The confirmation is lost: the next one comes before the next keepalive. */
static void test_lost_confirmation(void **state)
{
	connect_half();
	cut_from(0, 1, 0, false);
	/* The first keepalives follow in a tenth of a second. */
	assert_in_range(until(b_is_up, 1000), 10, 130);
	assert_in_range(until(ab_settled, 1000), 10, 350);
	assert_int_equal(a->others[1].ups, 1);
}

/* A second link is asked for with b's number, which b isn't up with yet. */
static void test_join_before_it_was_up(void **state)
{
	sim_ctl_dial(a, 1, 0);
	run_ms(25);
	sim_ctl_dial(a, 1, 1);
	run_ms(10);
	cut_from(0, 1, 0, true);
	assert_in_range(until(ab_settled, 1000), 30, 400);
	run_ms(6000);
	assert_int_equal(a->others[1].ups, 1);
	assert_int_equal(b->others[0].ups, 1);
	assert_true(view(b, 0).links[0].up || view(b, 0).links[1].up);
	cut_from(0, 1, 0, false);
	run_ms(2000);
	assert_true(view(b, 0).links[0].up && view(b, 0).links[1].up);
}

/* What would confirm it comes on a link that was never opened. */
static void test_confirmation_on_another_path(void **state)
{
	size_t i;

	world->tap = capture;
	connect_half();
	for (i = n_captured - 1; captured[i].from != 0; i--)
		;
	sim_ctl_inject(world, 0, 1, 1, captured[i].buf, captured[i].len);
	assert_int_equal(counter(b, CTL_RX_LINK), 1);
	assert_string_equal(view(b, 0).state, "opening");
	run_ms(50);
	assert_true(a->others[1].up); /* and isn't told that it is unknown */
	cut_from(0, 1, 0, false);
	until(ab_settled, 1000);
	assert_int_equal(a->others[1].ups, 1);
}

/* Another link to a node that has restarted: that tells it. */
static void test_join_of_a_forgotten_session(void **state)
{
	connect_ab();
	sim_ctl_cut(world, 0, 1, 0, true);
	sim_ctl_kill(b);
	b = sim_ctl_start(world, 1);
	sim_ctl_dial(a, 1, 1);
	assert_in_range(until(a_is_down, 1000), 30, 60);
	assert_int_equal(a->others[1].why, CTL_REASON_RESTARTED);
	assert_in_range(until(ab_settled, 2000), 50, 600);
}

/* An answer that names no session of its sender. */
static void test_open_ack_of_nothing(void **state)
{
	struct ctl_msg msg;
	uint8_t buf[CTL_DATAGRAM_MAX];
	char err[80];
	size_t len;

	world->tap = capture;
	sim_ctl_dial(a, 1, 0);
	run_ms(25);
	assert_int_equal(ctl_decode_header(captured[n_captured - 1].buf,
					   captured[n_captured - 1].len, &msg,
					   err, sizeof(err)),
			 CTL_OK);
	assert_int_equal(msg.type, CTL_OPEN);
	msg = (struct ctl_msg){ .type = CTL_OPEN_ACK,
				.sender = b->id,
				.dst = msg.src,
				.keepalive_ms = 1000,
				.dead_ms = 7000 };
	len = forge(&msg, buf);
	sim_ctl_inject(world, 1, 0, 0, buf, len);
	/* Nor that of somebody else. */
	msg.src = 5;
	msg.sender.bytes[3] = 1;
	len = forge(&msg, buf);
	sim_ctl_inject(world, 1, 0, 0, buf, len);
	assert_int_equal(counter(a, CTL_RX_UNEXPECTED), 2);
	/* A refusal by somebody else neither. */
	msg.type = CTL_REJECT;
	msg.reason = CTL_REASON_FULL;
	msg.src = 0;
	len = forge(&msg, buf);
	sim_ctl_inject(world, 1, 0, 0, buf, len);
	assert_int_equal(counter(a, CTL_RX_UNEXPECTED), 3);
	assert_false(a->others[1].up);
	run_ms(500);
	assert_true(ab_settled());
}

/* Dials that differ only in our address are two. */
static void test_dials_of_two_own_addresses(void **state)
{
	struct ctl_dial_config config = { .path = sim_ctl_path(0, 1, 0) };
	struct ctl_dial *other;

	config.path.local.ipaddr_v4.s_addr = htonl(0x09000000);
	other = ctl_dial_new(a->ctl, &config, sim_ctl_now(world));
	assert_non_null(other);
	connect_ab();
	assert_string_equal(dial_view(a, 1, 0).state, "joined");
	assert_int_equal(view(a, 1).n_links, 1);
	ctl_dial_free(&other, sim_ctl_now(world));
	/* One that leaves the address to the kernel gets the answers too. */
	ctl_dial_free(&a->dials[1][0], sim_ctl_now(world));
	memset(&config.path.local, 0, sizeof(config.path.local));
	a->dials[1][0] = ctl_dial_new(a->ctl, &config, sim_ctl_now(world));
	run_ms(1000);
	assert_true(ab_settled());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_slow_network),
		TEST(test_who_asked_says_nothing_more),
		TEST(test_goodbye_before_it_was_up),
		TEST(test_lost_confirmation),
		TEST(test_join_before_it_was_up),
		TEST(test_confirmation_on_another_path),
		TEST(test_join_of_a_forgotten_session),
		TEST(test_open_ack_of_nothing),
		TEST(test_dials_of_two_own_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
