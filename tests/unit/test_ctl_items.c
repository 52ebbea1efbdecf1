// SPDX-License-Identifier: GPL-2.0-or-later
/* What capabilities send each other: full state, changes, callbacks. */
#include "ctl_pair.h"

static void test_queue_overflow_becomes_full_state(void **state)
{
	unsigned int refused = 0;

	connect_ab();
	sim_ctl_cut(world, 0, 1, 0, true);
	for (int i = 0; i < 2000; i++) {
		struct ctl_peer *peer = sim_ctl_peer(a, 1);

		a->rows[i % SIM_CTL_ROWS]++;
		refused += !ctl_send(peer, (uint16_t)(400 + i % SIM_CTL_ROWS),
				     &a->rows[i % SIM_CTL_ROWS],
				     sizeof(a->rows[0]), sim_ctl_now(world));
	}
	/* Refused once; from then on it is known that all will come. */
	assert_int_equal(refused, 1);
	assert_int_equal(view(a, 1).queued, CTL_STREAM_ITEMS);
	assert_int_equal(b->others[0].syncs, 1);
	sim_ctl_cut(world, 0, 1, 0, false);
	assert_in_range(until(ab_settled, 3000), 100, 3000);
	run_ms(1000);
	assert_int_equal(b->others[0].syncs, 2);
	assert_int_equal(view(a, 1).queued, 0);

	/* A capability without full state is told, and decides. */
	sim_ctl_cut(world, 0, 1, 0, true);
	while (sim_ctl_log(a, 1))
		;
	assert_int_equal(view(a, 1).queued, CTL_STREAM_ITEMS);
	/* While it is full, a wanted full state waits; lost changes too. */
	ctl_resync(sim_ctl_peer(a, 1), &a->table, sim_ctl_now(world));
	sim_ctl_change(a, 7);
	sim_ctl_cut(world, 0, 1, 0, false);
	until(ab_settled, 3000);
	run_ms(1000);
	assert_int_equal(b->others[0].syncs, 3);
}

/* A change is lost while the full state is on its way: it comes once more. */
static void test_overflow_during_full_state(void **state)
{
	connect_ab();
	sim_ctl_cut(world, 0, 1, 0, true);
	while (view(a, 1).queued < CTL_STREAM_ITEMS / 2 - 20)
		assert_true(sim_ctl_log(a, 1));
	ctl_resync(sim_ctl_peer(a, 1), &a->table, sim_ctl_now(world));
	run_ms(1); /* begun, and stuck for want of room */
	while (sim_ctl_log(a, 1))
		;
	sim_ctl_change(a, 0);
	sim_ctl_cut(world, 0, 1, 0, false);
	until(ab_settled, 3000);
	run_ms(1000);
	assert_int_equal(b->others[0].syncs, 3);
}

static void test_resync_and_wrong_sends(void **state)
{
	struct ctl_capability foreign = { .type_first = 700,
					  .type_last = 700,
					  .full_state = a->table.full_state };
	uint8_t big[CTL_PAYLOAD_MAX + 1] = {};
	struct ctl_peer *peer;

	connect_ab();
	peer = sim_ctl_peer(a, 1);
	ctl_resync(peer, &a->table, sim_ctl_now(world));
	run_ms(500);
	assert_int_equal(b->others[0].syncs, 2);
	ctl_resync(peer, &a->log, sim_ctl_now(world));
	ctl_resync(peer, &foreign, sim_ctl_now(world));
	run_ms(500);
	assert_int_equal(b->others[0].syncs, 2);
	assert_false(ctl_send(peer, 255, big, 1, sim_ctl_now(world)));
	assert_false(ctl_send(peer, 999, big, 1, sim_ctl_now(world)));
	assert_false(ctl_send(peer, 300, big, sizeof(big), sim_ctl_now(world)));
	sim_ctl_kill(b);
	until(a_is_down, 8000);
	assert_false(ctl_send(peer, 300, big, 1, sim_ctl_now(world)));
	ctl_resync(peer, &a->table, sim_ctl_now(world));
	b = sim_ctl_start(world, 1);
}

static void test_register(void **state)
{
	static struct ctl_capability caps[] = {
		{ .type_first = 255, .type_last = 300 },
		{ .type_first = 500, .type_last = 499 },
		{ .type_first = 299, .type_last = 300 },
		{ .type_first = 420, .type_last = 500 },
	};
	static struct ctl_capability more[CTL_CAPABILITIES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < array_size(caps); i++)
		assert_false(ctl_register(a->ctl, &caps[i]));
	for (size_t i = 0; i < CTL_CAPABILITIES_MAX; i++) {
		more[i].type_first = more[i].type_last = 1000 + i;
		n += ctl_register(a->ctl, &more[i]);
	}
	assert_int_equal(n, CTL_CAPABILITIES_MAX - 2);
	/* Items that the other side has no capability for are counted. */
	connect_ab();
	assert_true(
		ctl_send(sim_ctl_peer(a, 1), 1000, "x", 1, sim_ctl_now(world)));
	/* One that has no handler at all is fine. */
	assert_true(ctl_register(b->ctl, &more[1]));
	assert_true(
		ctl_send(sim_ctl_peer(a, 1), 1001, "x", 1, sim_ctl_now(world)));
	run_ms(500);
	assert_int_equal(counter(b, CTL_RX_UNKNOWN_ITEM), 1);
}

/* Session callbacks that do what they like. */
static struct ctl_peer *close_at_up;
static unsigned int closed;

static void up_closes(void *arg, struct ctl_peer *peer)
{
	struct sim_ctl_node *node = arg;

	closed++;
	ctl_close(peer, sim_ctl_now(node->world));
}

static void down_undials(void *arg, struct ctl_peer *peer, enum ctl_reason why)
{
	struct sim_ctl_node *node = arg;

	ctl_close(peer, sim_ctl_now(node->world));
	for (int i = 0; i < SIM_CTL_LINKS; i++)
		ctl_dial_free(&node->dials[1][i], sim_ctl_now(node->world));
}

static void item_closes(void *arg, struct ctl_peer *peer, uint16_t type,
			const uint8_t *data, size_t len)
{
	up_closes(arg, peer);
}

static size_t sync_closes(void *arg, struct ctl_peer *peer, size_t from)
{
	up_closes(arg, peer);
	return from + 1;
}

static size_t sync_stands_still(void *arg, struct ctl_peer *peer, size_t from)
{
	closed++;
	return from;
}

static void test_callbacks_may_do_anything(void **state)
{
	struct ctl_capability rude = { .type_first = 600, .type_last = 600 };

	close_at_up = NULL;
	closed = 0;
	rude.arg = a;
	rude.up = up_closes;
	assert_true(ctl_register(a->ctl, &rude));
	sim_ctl_dial(a, 1, 0);
	run_ms(10000);
	assert_in_range(closed, 2, 60); /* dials again, but not madly */
	assert_int_equal(a->others[1].ups, a->others[1].downs);

	rude.up = NULL;
	rude.full_state = sync_closes;
	closed = 0;
	run_ms(10000);
	assert_in_range(closed, 2, 60);

	rude.full_state = sync_stands_still;
	closed = 0;
	run_ms(10000);
	assert_int_equal(closed, 1);
	assert_true(ab_settled());

	rude.full_state = NULL;
	rude.item = item_closes;
	rude.arg = b;
	assert_true(ctl_register(b->ctl, &rude));
	closed = 0;
	assert_true(
		ctl_send(sim_ctl_peer(a, 1), 600, "", 0, sim_ctl_now(world)));
	assert_true(
		ctl_send(sim_ctl_peer(a, 1), 600, "", 0, sim_ctl_now(world)));
	run_ms(1000);
	/* In one datagram: the second was of the session that had ended. */
	assert_int_equal(closed, 1);

	rude = (struct ctl_capability){ .type_first = 600,
					.type_last = 600,
					.arg = a,
					.down = down_undials };
	run_ms(2000);
	assert_true(ab_settled());
	ctl_close(sim_ctl_peer(b, 0), sim_ctl_now(world));
	run_ms(10000);
	assert_false(a->others[1].up || b->others[0].up);
	assert_null(a->dials[1][0]);
}

/* In the middle of a renewal the capability shuts the peer. */
static void test_shut_while_renewing(void **state)
{
	struct ctl_capability rude = { .type_first = 600,
				       .type_last = 600,
				       .arg = b,
				       .down = down_undials };

	assert_true(ctl_register(b->ctl, &rude));
	connect_ab();
	sim_ctl_kill(a);
	a = sim_ctl_start(world, 0);
	sim_ctl_dial(a, 1, 0);
	run_ms(5000);
	assert_true(ab_settled());
	rude.down = NULL;
}

/* What the two ends of a session could say to each other, and must not. */
static void test_marks_are_checked(void **state)
{
	struct ctl_msg msg;
	uint8_t buf[CTL_DATAGRAM_MAX];
	static uint8_t first[2] = { 1, 144 }, nobody[2] = { 9, 9 };
	size_t i, len;
	char err[80];

	world->tap = capture;
	connect_ab();
	run_ms(1000);
	for (i = n_captured - 1; captured[i].from != 0; i--)
		;
	assert_int_equal(ctl_decode_header(captured[i].buf, captured[i].len,
					   &msg, err, sizeof(err)),
			 CTL_OK);
	assert_int_equal(ctl_decode_body(captured[i].buf, captured[i].len, &msg,
					 err, sizeof(err)),
			 CTL_OK);
	msg.type = CTL_DATA;
	msg.seq += 100;
	msg.ack = 1000; /* never sent */
	msg.n_items = 4;
	msg.items[0] = (struct ctl_item){ SIM_CTL_ROWS + 3, 1, 1, first };
	msg.items[1] = (struct ctl_item){ SIM_CTL_ROWS + 4, 77, 2, first };
	msg.items[2] = (struct ctl_item){ SIM_CTL_ROWS + 5, 2, 2, nobody };
	msg.items[3] = (struct ctl_item){ SIM_CTL_ROWS + 6, 1, 2, first };
	len = forge(&msg, buf);
	sim_ctl_inject(world, 0, 1, 0, buf, len);
	assert_int_equal(counter(b, CTL_RX_UNKNOWN_ITEM), 3);
	assert_int_equal(counter(b, CTL_RX_UNEXPECTED), 1);
	assert_true(b->others[0].syncing);
	/* On a path that is no link of it. */
	msg.seq++;
	len = forge(&msg, buf);
	sim_ctl_inject(world, 0, 1, 1, buf, len);
	assert_int_equal(counter(b, CTL_RX_LINK), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_queue_overflow_becomes_full_state),
		TEST(test_overflow_during_full_state),
		TEST(test_resync_and_wrong_sends),
		TEST(test_register),
		TEST(test_callbacks_may_do_anything),
		TEST(test_shut_while_renewing),
		TEST(test_marks_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
