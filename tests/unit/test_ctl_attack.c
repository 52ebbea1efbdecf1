// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must not touch a session: wrong keys, replay, forgery, floods, and
 * members that are wrong.
 */
#include "ctl_pair.h"

/* -- keys -- */

static void test_wrong_key(void **state)
{
	struct ctl_key right = world->keys[0].key;

	connect_ab();
	ctl_key_init(&world->keys[0].key, 1, "another", 7);
	run_ms(8000);
	/* Both sides changed alike: that is no wrong key. */
	assert_true(ab_settled());
	world->keys[0].key = right;
	run_ms(1000);
	b->deaf_to_keys = true;
	run_ms(9000);
	assert_false(a->others[1].up || b->others[0].up);
	assert_true(counter(b, CTL_RX_KEY) > 5);
	assert_true(counter(b, CTL_TX_NO_KEY) > 5);
	b->deaf_to_keys = false;
	run_ms(6000);
	assert_true(ab_settled());
}

static void test_key_roll_over(void **state)
{
	/* The wall clock is now at 1 s. */
	world->keys[0].send_to = 50;
	world->keys[0].accept_to = 60;
	ctl_key_init(&world->keys[1].key, 2, "second secret", 13);
	world->keys[1] = (struct sim_ctl_key){ .key = world->keys[1].key,
					       .send_from = 50,
					       .accept_from = 40 };
	connect_ab();
	for (int i = 0; i < 1000; i++) {
		run_ms(100);
		assert_true(sim_ctl_log(a, 1));
	}
	run_ms(1000);
	assert_true(ab_settled());
	assert_int_equal(a->others[1].downs, 0);
	assert_int_equal(counter(a, CTL_RX_KEY) + counter(b, CTL_RX_KEY), 0);
	/* The wall clock goes back to the first key, and far ahead. */
	world->wall_us = -70 * SIM_S;
	run_ms(10000);
	world->wall_us = 1000 * SIM_S;
	run_ms(10000);
	assert_int_equal(a->others[1].downs, 0);
	/* All keys have expired: dead after the dead interval, and no sooner. */
	world->keys[1].accept_to = world->keys[1].send_to = 1;
	assert_in_range(until(a_is_down, 8000), 6000, 7100);
}

/* -- what an attacker has -- */

static struct {
	uint64_t ups_a, ups_b, downs_a, downs_b;
	uint32_t log_a, log_b;
} before;

static void remember(void)
{
	before.ups_a = a->others[1].ups;
	before.ups_b = b->others[0].ups;
	before.downs_a = a->others[1].downs;
	before.downs_b = b->others[0].downs;
	before.log_a = a->others[1].log_got;
	before.log_b = b->others[0].log_got;
}

static void assert_untouched(void)
{
	assert_int_equal(a->others[1].ups, before.ups_a);
	assert_int_equal(b->others[0].ups, before.ups_b);
	assert_int_equal(a->others[1].downs, before.downs_a);
	assert_int_equal(b->others[0].downs, before.downs_b);
	assert_int_equal(a->others[1].log_got, before.log_a);
	assert_int_equal(b->others[0].log_got, before.log_b);
	assert_int_equal(world->broken, 0);
}

/* Everything that was ever sent, again, to both, over both links. */
static void replay_all(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (unsigned int link = 0; link < SIM_CTL_LINKS; link++) {
			uint64_t tx = counter(a, CTL_TX) + counter(b, CTL_TX);

			/* A reply is never longer than what provoked it. */
			longest = 0;
			sim_ctl_inject(world, 1, 0, link, captured[i].buf,
				       captured[i].len);
			assert_in_range(longest, 0, captured[i].len);
			longest = 0;
			sim_ctl_inject(world, 0, 1, link, captured[i].buf,
				       captured[i].len);
			assert_in_range(longest, 0, captured[i].len);
			/* Nor more than one. */
			assert_in_range(counter(a, CTL_TX) +
						counter(b, CTL_TX) - tx,
					0, 2);
		}
		if (i % 16 == 0)
			run_ms(20);
	}
}

static void test_replay_changes_nothing(void **state)
{
	size_t n;

	world->tap = capture;
	/* Sessions of all kinds: begun, ended, renewed, refused. */
	connect_ab();
	for (int i = 0; i < 20; i++) {
		sim_ctl_log(a, 1);
		sim_ctl_log(b, 0);
		run_ms(200);
	}
	ctl_close(sim_ctl_peer(b, 0), sim_ctl_now(world));
	run_ms(3000);
	sim_ctl_kill(b);
	b = sim_ctl_start(world, 1);
	run_ms(3000);
	sim_ctl_kill(a);
	a = sim_ctl_start(world, 0);
	sim_ctl_dial(a, 1, 0);
	run_ms(3000);
	n = n_captured;
	assert_true(ab_settled());
	assert_in_range(n, 100, array_size(captured) - 1);

	/* At once, while cookies are young. */
	remember();
	replay_all(n);
	run_ms(20000);
	assert_untouched();
	assert_string_equal(view(b, 0).state, "up");
	assert_string_equal(view(a, 1).state, "up");
	assert_true(counter(b, CTL_RX_REPLAYED) > 3);
	assert_true(counter(b, CTL_RX_SESSION) > 10);

	/* Later, and in the other order. */
	for (size_t i = 0; i < n / 2; i++) {
		size_t j = n - 1 - i;

		uint8_t swap[sizeof(captured[0])];

		memcpy(swap, &captured[i], sizeof(swap));
		memcpy(&captured[i], &captured[j], sizeof(swap));
		memcpy(&captured[j], swap, sizeof(swap));
	}
	replay_all(n);
	run_ms(20000);
	assert_untouched();

	/* While there is no session: none comes up. */
	world->tap = NULL;
	ctl_dial_free(&a->dials[1][0], sim_ctl_now(world));
	run_ms(1000);
	remember();
	world->tap = capture;
	replay_all(n);
	run_ms(20000);
	assert_untouched();

	/* After a restart of both sides: nobody remembers, nobody falls. */
	sim_ctl_kill(a);
	sim_ctl_kill(b);
	a = sim_ctl_start(world, 0);
	b = sim_ctl_start(world, 1);
	remember();
	replay_all(n);
	run_ms(20000);
	assert_untouched();
	sim_ctl_dial(a, 1, 0);
	replay_all(n);
	run_ms(6000);
	assert_true(ab_settled());
	assert_int_equal(a->others[1].ups, 1);
	assert_int_equal(b->others[0].ups, 1);
}

static void test_bit_flips_change_nothing(void **state)
{
	size_t n;

	world->tap = capture;
	connect_ab();
	sim_ctl_log(a, 1);
	run_ms(3000);
	n = n_captured;
	remember();
	/* Each bit of each datagram, to whom it was for. */
	for (size_t i = 0; i < n; i++) {
		for (size_t bit = 0; bit < 8 * captured[i].len; bit++) {
			struct sim_ctl_node *to = &world->nodes[captured[i].to];
			uint64_t tx = counter(to, CTL_TX);

			captured[i].buf[bit / 8] ^= 1 << bit % 8;
			sim_ctl_inject(world, captured[i].from, captured[i].to,
				       0, captured[i].buf, captured[i].len);
			captured[i].buf[bit / 8] ^= 1 << bit % 8;
			/* Nobody is answered who hasn't the key. */
			assert_int_equal(counter(to, CTL_TX), tx);
		}
		/* And cut short. */
		for (size_t len = 0; len < captured[i].len; len += 7)
			sim_ctl_inject(world, captured[i].from, captured[i].to,
				       0, captured[i].buf, len);
	}
	run_ms(10000);
	assert_untouched();
	assert_true(ab_settled());
	assert_true(counter(b, CTL_RX_AUTH) > 1000);
	assert_true(counter(b, CTL_RX_LENGTH) > 100);
	assert_true(counter(b, CTL_RX_VERSION) > 0);
	assert_true(counter(b, CTL_RX_TYPE) > 0);
	assert_true(counter(b, CTL_RX_MAGIC) > 0);
	assert_true(counter(b, CTL_RX_KEY) > 0);
}

/* A stranger's rubbish costs no more than a hash now and then. */
static void test_strangers_are_limited(void **state)
{
	size_t hello, n;

	world->tap = capture;
	connect_ab();
	for (hello = 0; captured[hello].buf[3] != CTL_HELLO; hello++)
		;
	for (int i = 0; i < 100000; i++) {
		captured[hello].buf[100] ^= 1;
		sim_ctl_inject(world, 9, 1, 0, captured[hello].buf,
			       captured[hello].len);
		captured[hello].buf[100] ^= 1;
		if (i & 1) /* the right one now and then: not read either */
			sim_ctl_inject(world, 9, 1, 0, captured[hello].buf,
				       captured[hello].len);
		if (i % 100 == 0)
			run_ms(10);
	}
	assert_in_range(counter(b, CTL_RX_AUTH), 2000, 13000);
	assert_true(counter(b, CTL_RX_LIMITED) > 90000);
	/* It ends, and another stranger is nobody's prisoner. */
	run_ms(60000);
	world->tap = NULL;
	n = counter(b, CTL_TX);
	sim_ctl_inject(world, 9, 1, 0, captured[hello].buf, captured[hello].len);
	assert_int_equal(counter(b, CTL_TX), n + 1);

	/* Right ones, over and over: answered up to the limit. */
	n = counter(b, CTL_TX);
	for (int i = 0; i < 100000; i++) {
		sim_ctl_inject(world, 8, 1, 0, captured[hello].buf,
			       captured[hello].len);
		if (i % 100 == 0)
			run_ms(10);
	}
	assert_in_range(counter(b, CTL_TX) - n, 2000, 3500);
	assert_true(counter(b, CTL_REPLY_LIMITED) > 90000);
	assert_int_equal(b->others[0].downs, 0);
	assert_int_equal(a->others[1].downs, 0);
	run_ms(1000);
	assert_true(ab_settled());
}

/* Rubbish in the name of the address that a calls doesn't keep b from it. */
static void test_borrowed_address(void **state)
{
	world->tap = capture;
	sim_ctl_dial(a, 1, 0);
	run_ms(1);
	assert_int_equal(captured[0].buf[3], CTL_HELLO);
	captured[0].buf[100] ^= 1;
	for (int i = 0; i < 100000; i++)
		sim_ctl_inject(world, 1, 0, 0, captured[0].buf, captured[0].len);
	assert_int_equal(counter(a, CTL_RX_LIMITED), 0);
	assert_int_equal(counter(a, CTL_RX_AUTH), 100000);
	assert_in_range(until(ab_settled, 1000), 30, 100);
}

/*
 * All of a's datagrams are withheld when b has answered its open.  When b has
 * given up, they are sent: a's number and b's are the right ones, but of then.
 */
static void test_replay_after_the_candidate_expired(void **state)
{
	size_t n;

	world->tap = capture;
	sim_ctl_dial(a, 1, 0);
	run_ms(35);
	sim_ctl_cut(world, 0, 1, 0, true);
	run_ms(6000);
	assert_true(a->others[1].up);
	assert_string_equal(view(b, 0).state, "opening");
	run_ms(4100);
	assert_string_equal(view(b, 0).state, "down");
	n = n_captured;
	for (size_t i = 0; i < n; i++)
		if (captured[i].from == 0)
			sim_ctl_inject(world, 0, 1, 0, captured[i].buf,
				       captured[i].len);
	assert_int_equal(b->others[0].ups, 0);
	sim_ctl_cut(world, 0, 1, 0, false);
	run_ms(20000);
	assert_true(ab_settled());
}

/* Whoever repeats the open of a second link gets one answer each time. */
static void test_repeated_join(void **state)
{
	size_t join = 0;
	uint64_t tx;

	connect_ab();
	world->tap = capture;
	sim_ctl_dial(a, 1, 1);
	run_ms(1000);
	assert_int_equal(view(b, 0).n_links, 2);
	while (captured[join].buf[3] != CTL_OPEN)
		join++;
	tx = counter(b, CTL_TX);
	for (int i = 0; i < 20; i++) {
		sim_ctl_inject(world, 0, 1, 1, captured[join].buf,
			       captured[join].len);
		run_ms(10);
	}
	/* and what goes out by itself on two links */
	assert_in_range(counter(b, CTL_TX) - tx, 20, 22);
	assert_int_equal(view(b, 0).n_links, 2);
}

static void test_members_that_are_wrong(void **state)
{
	uint8_t buf[CTL_DATAGRAM_MAX + 100];
	struct ctl_msg msg = { .sender = a->id };
	size_t len;

	connect_ab();
	remember();
	/* Every type, of sessions that don't exist and of none. */
	for (unsigned int type = 1; type <= CTL_TYPE_MAX; type++) {
		for (int who = 0; who < 4; who++) {
			msg = (struct ctl_msg){ .type = type,
						.seq = 1,
						.keepalive_ms = 1000,
						.dead_ms = 7000,
						.reason = type };
			msg.n_items = 1;
			msg.items[0].number = 1;
			msg.items[0].type = 300;
			msg.sender = who == 1	? a->id
				     : who == 2 ? b->id
						: (struct ctl_id){ { who } };
			for (uint64_t numbers = 0; numbers < 4; numbers++) {
				msg.src = numbers & 1 ? 77 : 0;
				msg.dst = numbers & 2 ? 78 : 0;
				len = forge(&msg, buf);
				longest = 0;
				world->tap = capture;
				sim_ctl_inject(world, 0, 1, 0, buf, len);
				world->tap = NULL;
				assert_in_range(longest, 0, len);
			}
		}
	}
	run_ms(30000);
	assert_untouched();
	/* Authentic and malformed. */
	msg = (struct ctl_msg){ .type = CTL_REJECT, .sender = a->id };
	len = forge(&msg, buf);
	buf[CTL_HEADER_LEN + 1] = 99;
	ctl_auth_sign(&world->keys[0].key, buf, len);
	sim_ctl_inject(world, 0, 1, 0, buf, len);
	assert_int_equal(counter(b, CTL_RX_TLV), 1);
	assert_untouched();
}

/* More addresses than a peer may have links. */
static void test_links_are_bounded(void **state)
{
	struct ctl_path path;
	struct ctl_msg msg = { .type = CTL_HELLO, .src = 5 };
	uint8_t buf[CTL_DATAGRAM_MAX];
	char err[80];

	world->tap = capture;
	connect_ab();
	/* Their number of the session, out of what a says. */
	ctl_decode_header(captured[n_captured - 1].buf,
			  captured[n_captured - 1].len, &msg, err, sizeof(err));
	for (int i = 0; i < 20; i++) {
		struct ctl_msg hello = { .type = CTL_HELLO,
					 .sender = a->id,
					 .src = 5 },
			       open;
		size_t len = forge(&hello, buf);

		path = sim_ctl_path(1, 0, 0);
		path.port = 5000 + i;
		ctl_receive(b->ctl, &path, buf, len, sim_ctl_now(world));
		ctl_decode_header(captured[n_captured - 1].buf,
				  captured[n_captured - 1].len, &open, err,
				  sizeof(err));
		assert_int_equal(ctl_decode_body(captured[n_captured - 1].buf,
						 captured[n_captured - 1].len,
						 &open, err, sizeof(err)),
				 CTL_OK);
		open.type = CTL_OPEN;
		open.sender = a->id;
		open.src = msg.sender.bytes[15] == 1 ? msg.src : msg.dst;
		open.dst = 0;
		open.keepalive_ms = 1000;
		open.dead_ms = 7000;
		len = forge(&open, buf);
		ctl_receive(b->ctl, &path, buf, len, sim_ctl_now(world));
		assert_in_range(view(b, 0).n_links, 1, CTL_LINKS_MAX);
		n_captured = 0;
	}
	assert_int_equal(view(b, 0).n_links, CTL_LINKS_MAX);
	assert_true(b->others[0].up);
	run_ms(80000);
	assert_int_equal(view(b, 0).n_links, 1);
	assert_int_equal(b->others[0].downs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_wrong_key),
		TEST(test_key_roll_over),
		TEST(test_replay_changes_nothing),
		TEST(test_bit_flips_change_nothing),
		TEST(test_strangers_are_limited),
		TEST(test_borrowed_address),
		TEST(test_replay_after_the_candidate_expired),
		TEST(test_repeated_join),
		TEST(test_members_that_are_wrong),
		TEST(test_links_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
