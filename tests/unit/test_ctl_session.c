// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions of the control protocol, node against node in virtual time: how
 * they come up and end, and what must not touch them.
 */
#include <zebra.h>

#include "memory.h"

#include "core/ctl_stream.h"

#include "../sim/sim_ctl_node.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

static struct sim_ctl_world *world;
static struct sim_ctl_node *a, *b, *c;

/* Every datagram that was sent: what an attacker on the way has. */
static struct {
	uint32_t from, to;
	size_t len;
	uint8_t buf[CTL_DATAGRAM_MAX];
} captured[4096];
static size_t n_captured;
static size_t longest; /* since it was last set to 0 */

static void capture(struct sim_ctl_world *w, uint32_t from, uint32_t to,
		    const uint8_t *buf, size_t len)
{
	longest = MAX(longest, len);
	if (n_captured == array_size(captured))
		return;
	captured[n_captured].from = from;
	captured[n_captured].to = to;
	captured[n_captured].len = len;
	memcpy(captured[n_captured++].buf, buf, len);
}

static int setup(void **state)
{
	world = sim_ctl_world_new(1);
	sim_net_default(world->net)->delay_us = 10 * SIM_MS;
	a = sim_ctl_start(world, 0);
	b = sim_ctl_start(world, 1);
	n_captured = 0;
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
	return 0;
}

static void run_ms(int64_t ms)
{
	sim_ctl_run(world, ms * SIM_MS);
}

static struct ctl_peer_view view(struct sim_ctl_node *node, uint32_t other)
{
	struct ctl_peer_view v = {};

	if (sim_ctl_peer(node, other))
		ctl_peer_view(sim_ctl_peer(node, other), &v);
	return v;
}

static struct ctl_dial_view dial_view(struct sim_ctl_node *node, uint32_t other,
				      unsigned int link)
{
	struct ctl_dial_view v;

	ctl_dial_view(node->dials[other][link], &v);
	return v;
}

static uint64_t counter(struct sim_ctl_node *node, enum ctl_counter which)
{
	return ctl_counter(node->ctl, which);
}

/* a dials b over one link, and all is well. */
static void connect_ab(void)
{
	sim_ctl_dial(a, 1, 0);
	run_ms(1000);
	assert_true(sim_ctl_settled(world, 0, 1));
}

/* Milliseconds until it is so. */
static int64_t until(bool (*cond)(void), int64_t at_most_ms)
{
	int64_t ms = 0;

	while (!cond()) {
		assert_in_range(ms, 0, at_most_ms);
		run_ms(1);
		ms++;
	}
	return ms;
}

static bool a_is_down(void)
{
	return !a->others[1].up;
}

static bool b_is_down(void)
{
	return !b->others[0].up;
}

static bool b_is_up(void)
{
	return b->others[0].up;
}

static bool ab_settled(void)
{
	return sim_ctl_settled(world, 0, 1);
}

static void test_comes_up(void **state)
{
	struct ctl_peer_view v;

	sim_ctl_change(a, 3);
	sim_ctl_dial(a, 1, 0);
	assert_null(ctl_dial_peer(a->dials[1][0]));
	assert_string_equal(dial_view(a, 1, 0).state, "waiting");
	/* hello, challenge, open, ack, data: five ways of 10 ms. */
	assert_in_range(until(ab_settled, 500), 50, 70);
	assert_ptr_equal(ctl_dial_peer(a->dials[1][0]), sim_ctl_peer(a, 1));
	v = view(a, 1);
	assert_true(v.up);
	assert_string_equal(v.state, "up");
	assert_int_equal(v.ups, 1);
	assert_int_equal(v.n_links, 1);
	assert_true(v.links[0].dialled);
	assert_int_equal(v.theirs.dead_ms, 7000);
	assert_string_equal(dial_view(a, 1, 0).state, "joined");
	run_ms(60000);
	v = view(b, 0);
	assert_true(v.links[0].up && v.links[0].hears_us);
	assert_false(v.links[0].dialled);
	/* A keepalive a second and a little more often. */
	assert_in_range(v.links[0].rx, 60, 75);
	assert_in_range(v.links[0].tx, 60, 75);
	assert_int_equal(v.items_rx, SIM_CTL_ROWS + 2);
	assert_in_range(counter(b, CTL_RX), v.links[0].rx, v.links[0].rx + 2);
	assert_in_range(counter(b, CTL_TX), v.links[0].tx, v.links[0].tx + 2);
	assert_int_equal(v.queued, 0);
	assert_int_equal(counter(a, CTL_RX_UNEXPECTED), 0);
	assert_int_equal(counter(b, CTL_RX_UNEXPECTED), 0);
}

static void test_dials_until_somebody_is_there(void **state)
{
	struct ctl_dial_view v;

	sim_ctl_kill(b);
	sim_ctl_dial(a, 1, 0);
	run_ms(3600 * 1000);
	/* At intervals that grow to 5 s. */
	assert_in_range(counter(a, CTL_TX), 3600 / 5, 3600 / 5 * 4 / 3 + 20);
	v = dial_view(a, 1, 0);
	assert_string_equal(v.state, "calling");
	assert_true(ctl_id_is_null(&v.answered));
	b = sim_ctl_start(world, 1);
	assert_in_range(until(ab_settled, 6000), 0, 5200);
}

static void test_both_dial_is_one_session(void **state)
{
	for (int64_t lead = 0; lead <= 60; lead += 5) {
		sim_ctl_dial(a, 1, 0);
		run_ms(lead);
		sim_ctl_dial(b, 0, 0);
		run_ms(3000);
		assert_true(ab_settled());
		assert_int_equal(a->others[1].ups, 1);
		assert_int_equal(b->others[0].ups, 1);
		assert_int_equal(view(a, 1).n_links, 1);
		assert_true(view(a, 1).links[0].dialled);
		assert_true(view(b, 0).links[0].dialled);
		sim_ctl_kill(a);
		sim_ctl_kill(b);
		a = sim_ctl_start(world, 0);
		b = sim_ctl_start(world, 1);
	}
}

static void test_dead_after_7_to_7_2_s(void **state)
{
	for (int i = 0; i < 20; i++) {
		int64_t heard_us, ms;

		connect_ab();
		run_ms(5000 + 137 * i);
		sim_ctl_kill(b);
		run_ms(11); /* what was under way */
		heard_us = view(a, 1).links[0].heard_us;
		until(a_is_down, 8000);
		ms = (sim_ctl_now(world) - heard_us) / SIM_MS;
		assert_in_range(ms, 7000, 7002);
		assert_int_equal(a->others[1].why, CTL_REASON_DEAD);
		assert_string_equal(dial_view(a, 1, 0).state, "waiting");
		b = sim_ctl_start(world, 1);
		until(ab_settled, 6000);
		sim_ctl_kill(a);
		run_ms(1);
		a = sim_ctl_start(world, 0);
	}
}

static void test_goodbye(void **state)
{
	connect_ab();
	sim_ctl_stop(b);
	assert_in_range(until(a_is_down, 1000), 10, 11);
	assert_int_equal(a->others[1].why, CTL_REASON_STOPPED);
	assert_int_equal(view(a, 1).last_reason, CTL_REASON_STOPPED);
	b = sim_ctl_start(world, 1);
	assert_in_range(until(ab_settled, 6000), 0, 1000);
	sim_ctl_stop(a);
	assert_in_range(until(b_is_down, 1000), 10, 11);
	a = sim_ctl_start(world, 0);
}

/* The side that doesn't dial forgets: the next keepalive tells. */
static void test_restart_of_the_dialled(void **state)
{
	connect_ab();
	for (int i = 0; i < 10; i++) {
		run_ms(100 * i);
		sim_ctl_kill(b);
		b = sim_ctl_start(world, 1);
		b->rows[5] += 10; /* its state is another one */
		assert_in_range(until(a_is_down, 2000), 0, 1100);
		assert_int_equal(a->others[1].why, CTL_REASON_RESTARTED);
		assert_in_range(until(ab_settled, 2000), 0, 500);
	}
}

static void test_restart_of_the_dialler(void **state)
{
	connect_ab();
	for (int i = 0; i < 10; i++) {
		uint64_t ups = b->others[0].ups;

		run_ms(100 * i);
		sim_ctl_kill(a);
		a = sim_ctl_start(world, 0);
		a->rows[5] += 10;
		sim_ctl_dial(a, 1, 0);
		assert_in_range(until(ab_settled, 2000), 0, 200);
		assert_int_equal(b->others[0].why, CTL_REASON_RESTARTED);
		assert_int_equal(b->others[0].ups, ups + 1);
	}
}

static void test_links(void **state)
{
	sim_ctl_dial(a, 1, 0);
	sim_ctl_dial(a, 1, 1);
	run_ms(2000);
	assert_true(ab_settled());
	assert_int_equal(a->others[1].ups, 1);
	assert_int_equal(view(a, 1).n_links, 2);

	/* One of two is no harm. */
	sim_ctl_cut(world, 0, 1, 0, true);
	run_ms(30000);
	assert_int_equal(a->others[1].downs, 0);
	assert_false(view(a, 1).links[0].up);
	assert_true(view(a, 1).links[1].up);
	for (int i = 0; i < 100; i++)
		assert_true(sim_ctl_log(a, 1) && sim_ctl_log(b, 0));
	assert_in_range(until(ab_settled, 1000), 20, 60);

	/* It heals, and is used again. */
	sim_ctl_cut(world, 0, 1, 0, false);
	run_ms(2000);
	assert_true(view(a, 1).links[0].up && view(b, 0).links[0].up);
	assert_string_equal(dial_view(a, 1, 0).state, "joined");

	/* Only all of them are the peer's end. */
	sim_ctl_cut(world, 0, 1, 1, true);
	run_ms(20000);
	assert_int_equal(a->others[1].downs, 0);
	sim_ctl_cut(world, 0, 1, 0, true);
	assert_in_range(until(a_is_down, 8000), 5900, 7100);
	run_ms(60000);
	sim_ctl_cut(world, 0, 1, 1, false);
	assert_in_range(until(ab_settled, 8000), 0, 5200);
	assert_int_equal(view(a, 1).n_links, 1);
	sim_ctl_cut(world, 0, 1, 0, false);
	run_ms(6000);
	assert_int_equal(view(a, 1).n_links, 2);
	assert_true(view(a, 1).links[0].up && view(a, 1).links[1].up);
}

/* a hears b, but b doesn't hear a: b decides, and tells. */
static void test_one_way(void **state)
{
	connect_ab();
	sim_net_path(world->net, 0, SIM_CTL_LINKS)->cut = true;
	until(b_is_down, 8000);
	assert_in_range(until(a_is_down, 1000), 10, 11);
	assert_int_equal(b->others[0].why, CTL_REASON_DEAD);
	assert_int_equal(a->others[1].why, CTL_REASON_DEAD);
	run_ms(30000);
	assert_int_equal(a->others[1].ups, 1);
	sim_net_path(world->net, 0, SIM_CTL_LINKS)->cut = false;
	assert_in_range(until(ab_settled, 8000), 0, 5200);
}

/* One way of one of two links: items go where they arrive. */
static void test_one_way_of_one_link(void **state)
{
	sim_ctl_dial(a, 1, 0);
	sim_ctl_dial(a, 1, 1);
	run_ms(2000);
	sim_net_path(world->net, 0, SIM_CTL_LINKS)->cut = true;
	for (int i = 0; i < 50; i++) {
		assert_true(sim_ctl_log(a, 1));
		run_ms(1000);
	}
	run_ms(1000);
	assert_true(ab_settled());
	assert_false(view(b, 0).links[0].up && view(b, 0).links[1].up);
	assert_true(view(a, 1).links[0].up);
	assert_false(view(a, 1).links[0].hears_us);
}

static void test_timers(void **state)
{
	struct ctl_dial_config config = {
		.path = sim_ctl_path(0, 1, 0),
		.timers = { 50, 150 },
	};

	a->dials[1][0] = ctl_dial_new(a->ctl, &config, sim_ctl_now(world));
	run_ms(1000);
	assert_true(ab_settled());
	assert_int_equal(view(a, 1).timers.keepalive_ms, 50);
	assert_int_equal(view(b, 0).theirs.keepalive_ms, 50);
	sim_ctl_kill(b);
	assert_in_range(until(a_is_down, 8000), 100, 161);
	b = sim_ctl_start(world, 1);
	until(ab_settled, 1000);
	sim_ctl_kill(a);
	a = sim_ctl_start(world, 0);
	assert_in_range(until(b_is_down, 1000), 0, 1000); /* a says so */

	/* In minutes; and changed in a running session. */
	ctl_timers_set(a->ctl, (struct ctl_timers){ 60000, 200000 },
		       sim_ctl_now(world));
	ctl_timers_set(b->ctl, (struct ctl_timers){ 60000, 200000 },
		       sim_ctl_now(world));
	connect_ab();
	run_ms(3600 * 1000);
	assert_int_equal(a->others[1].ups, 1);
	assert_in_range(view(a, 1).links[0].rx, 59, 90);
	ctl_timers_set(b->ctl, (struct ctl_timers){ 100, 500 },
		       sim_ctl_now(world));
	run_ms(2000);
	assert_int_equal(view(a, 1).theirs.keepalive_ms, 100);
	sim_ctl_kill(a);
	assert_in_range(until(b_is_down, 1000), 390, 511);
	assert_int_equal(b->others[0].downs, 2);
	a = sim_ctl_start(world, 0);
}

static void test_timer_limits(void **state)
{
	static const struct {
		struct ctl_timers timers;
		bool valid;
	} cases[] = {
		{ { 1000, 7000 }, true },      { { 50, 100 }, true },
		{ { 49, 100 }, false },	       { { 50, 99 }, false },
		{ { 600000, 1200000 }, true }, { { 600001, 1300000 }, false },
		{ { 1000, 1999 }, false },     { { 1000, 3600000 }, true },
		{ { 1000, 3600001 }, false },
	};

	for (size_t i = 0; i < array_size(cases); i++)
		assert_int_equal(ctl_timers_valid(&cases[i].timers),
				 cases[i].valid);
}

/* A peer that names absurd timers is bounded. */
static void test_their_timers_are_bounded(void **state)
{
	ctl_timers_set(b->ctl, (struct ctl_timers){ 1, 7000 },
		       sim_ctl_now(world));
	sim_ctl_dial(a, 1, 0);
	run_ms(1000);
	assert_int_equal(view(a, 1).theirs.keepalive_ms, CTL_KEEPALIVE_MIN_MS);
	ctl_timers_set(b->ctl, (struct ctl_timers){ UINT32_MAX, 7000 },
		       sim_ctl_now(world));
	run_ms(1000);
	assert_int_equal(view(a, 1).theirs.keepalive_ms, CTL_KEEPALIVE_MAX_MS);
}

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

static void test_close(void **state)
{
	connect_ab();
	ctl_close(sim_ctl_peer(b, 0), sim_ctl_now(world));
	assert_int_equal(b->others[0].why, CTL_REASON_CLOSED);
	assert_in_range(until(a_is_down, 100), 10, 11);
	assert_int_equal(a->others[1].why, CTL_REASON_CLOSED);
	assert_in_range(until(ab_settled, 1000), 100, 500);
	/* Without a session: nothing. */
	sim_ctl_kill(b);
	until(a_is_down, 8000);
	ctl_close(sim_ctl_peer(a, 1), sim_ctl_now(world));
	assert_int_equal(a->others[1].downs, 2);
	b = sim_ctl_start(world, 1);
}

static void test_undial(void **state)
{
	struct ctl_dial *twice;
	struct ctl_dial_config config = { .path = sim_ctl_path(0, 1, 0) };

	sim_ctl_dial(a, 1, 0);
	sim_ctl_dial(a, 1, 1);
	twice = ctl_dial_new(a->ctl, &config, sim_ctl_now(world));
	assert_null(twice);
	ctl_dial_free(&twice, sim_ctl_now(world));
	run_ms(2000);
	assert_int_equal(view(a, 1).n_links, 2);
	ctl_dial_free(&a->dials[1][0], sim_ctl_now(world));
	assert_null(a->dials[1][0]);
	assert_int_equal(view(a, 1).n_links, 1);
	run_ms(60000);
	assert_true(a->others[1].up && b->others[0].up);
	assert_int_equal(a->others[1].ups, 1);
	/* The silent link goes from the other side too. */
	run_ms(60000);
	assert_int_equal(view(b, 0).n_links, 1);
	ctl_dial_free(&a->dials[1][1], sim_ctl_now(world));
	assert_false(a->others[1].up);
	assert_in_range(until(b_is_down, 100), 10, 11);
	assert_int_equal(b->others[0].why, CTL_REASON_CLOSED);
	/* Before anybody has answered. */
	sim_ctl_kill(b);
	sim_ctl_dial(a, 1, 0);
	run_ms(100);
	ctl_dial_free(&a->dials[1][0], sim_ctl_now(world));
	b = sim_ctl_start(world, 1);
	/* Forgotten after an hour. */
	assert_string_equal(view(a, 1).state, "down");
	run_ms(3601 * 1000);
	assert_null(sim_ctl_peer(a, 1));
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

static void test_peers_are_bounded(void **state)
{
	struct ctl_dial_view v;

	sim_ctl_kill(b);
	world->config.peers_max = 1;
	b = sim_ctl_start(world, 1);
	connect_ab();
	c = sim_ctl_start(world, 2);
	sim_ctl_dial(c, 1, 0);
	run_ms(1000);
	assert_int_equal(counter(b, CTL_RX_FULL), 1);
	v = dial_view(c, 1, 0);
	assert_int_equal(v.refused, CTL_REASON_FULL);
	assert_string_equal(v.state, "waiting");
	assert_true(ab_settled());
	/* The one that is gone makes room. */
	sim_ctl_stop(a);
	run_ms(11000);
	assert_true(sim_ctl_settled(world, 1, 2));
	assert_int_equal(dial_view(c, 1, 0).refused, CTL_REASON_NONE);
	/* Neither does a full node dial more. */
	a = sim_ctl_start(world, 0);
	sim_ctl_dial(b, 0, 0);
	run_ms(1000);
	assert_int_equal(dial_view(b, 0, 0).refused, CTL_REASON_FULL);
	assert_true(counter(b, CTL_RX_FULL) > 1);
}

static void test_not_permitted(void **state)
{
	b->forbids = true;
	sim_ctl_dial(a, 1, 0);
	run_ms(60000);
	assert_int_equal(dial_view(a, 1, 0).refused, CTL_REASON_NOT_PERMITTED);
	assert_in_range(counter(b, CTL_RX_NOT_PERMITTED), 5, 9);
	assert_null(sim_ctl_peer(b, 0));
	b->forbids = false;
	run_ms(11000);
	assert_true(ab_settled());
}

static void test_wrong_node_answers(void **state)
{
	struct ctl_dial_config config = {
		.path = sim_ctl_path(0, 1, 0),
		.id = { { 9 } },
	};

	a->dials[1][0] = ctl_dial_new(a->ctl, &config, sim_ctl_now(world));
	run_ms(5000);
	assert_true(dial_view(a, 1, 0).wrong_id);
	assert_null(sim_ctl_peer(a, 1));
	assert_true(counter(a, CTL_RX_NOT_PERMITTED) > 1);
	ctl_dial_free(&a->dials[1][0], sim_ctl_now(world));
	config.id = b->id;
	a->dials[1][0] = ctl_dial_new(a->ctl, &config, sim_ctl_now(world));
	run_ms(1000);
	assert_true(ab_settled());
	assert_false(dial_view(a, 1, 0).wrong_id);
}

/* Another node at the address: it is another peer. */
static void test_address_changes_hands(void **state)
{
	connect_ab();
	sim_ctl_kill(b);
	b->id.bytes[CTL_ID_LEN - 1] = 8; /* as node 7 */
	b = sim_ctl_start(world, 1);
	run_ms(10000);
	assert_int_equal(a->others[1].why, CTL_REASON_DEAD);
	assert_true(a->others[7].up);
	assert_true(b->others[0].up);
	assert_int_equal(ctl_peer_id(ctl_dial_peer(a->dials[1][0]))
				 ->bytes[CTL_ID_LEN - 1],
			 8);
	b->id.bytes[CTL_ID_LEN - 1] = 2;
}

/* -- two nodes with one ID -- */

static void test_own_id_elsewhere(void **state)
{
	struct ctl_duplicate list[CTL_DUPLICATES_MAX];
	char text[CTL_ID_TEXT_LEN];

	sim_ctl_kill(b);
	b->id = a->id;
	b = sim_ctl_start(world, 1);
	sim_ctl_dial(a, 1, 0);
	run_ms(60000);
	/* Both know, nobody has a session, and it isn't shouted about. */
	assert_in_range(a->duplicates, 1, 10);
	assert_in_range(b->duplicates, 1, 10);
	assert_int_equal(ctl_duplicates(a->ctl, list), 1);
	assert_true(list[0].count >= 1);
	assert_int_equal(ctl_id_cmp(&list[0].id, &a->id), 0);
	assert_int_equal(ctl_duplicates(b->ctl, list), 1);
	assert_int_equal(dial_view(a, 1, 0).refused, CTL_REASON_DUPLICATE);
	assert_false(a->others[1].up || a->others[0].up || b->others[0].up);
	assert_string_equal(ctl_id_format(ctl_own_id(a->ctl), text),
			    "aa000000-0000-0000-0000-000000000001");
	sim_ctl_kill(b);
	memset(&b->id, 0, sizeof(b->id));
	b = sim_ctl_start(world, 1);
	run_ms(12000);
	assert_true(ab_settled());
}

static void test_two_peers_with_one_id(void **state)
{
	connect_ab();
	c = sim_ctl_start(world, 2);
	sim_ctl_kill(c);
	c->id = a->id;
	c = sim_ctl_start(world, 2);
	sim_ctl_dial(c, 1, 0);
	run_ms(60000);
	/* The first one keeps its session; the other is refused and shown. */
	assert_true(ab_settled());
	assert_int_equal(b->others[0].ups, 1);
	assert_int_equal(dial_view(c, 1, 0).refused, CTL_REASON_DUPLICATE);
	assert_in_range(b->duplicates, 2, 8);
	assert_in_range(counter(b, CTL_RX_DUPLICATE_ID), 2, 8);
	/* When the first one is gone, it is the one. */
	sim_ctl_kill(a);
	run_ms(25000);
	assert_int_equal(b->others[0].ups, 2);
	a = sim_ctl_start(world, 0);
}

/* It comes back at another address: that is no duplicate. */
static void test_restart_at_another_address(void **state)
{
	connect_ab();
	run_ms(3000);
	sim_ctl_kill(a);
	sim_ctl_cut(world, 0, 1, 0, true);
	run_ms(50);
	a = sim_ctl_start(world, 0);
	sim_ctl_dial(a, 1, 1);
	run_ms(500);
	assert_string_equal(view(b, 0).state, "contested");
	/* Three and a half keepalives, and an open after that. */
	assert_in_range(until(ab_settled, 9000), 2900, 4700);
	assert_int_equal(b->duplicates, 0);
	assert_int_equal(b->others[0].ups, 2);
	assert_int_equal(b->others[0].why, CTL_REASON_RESTARTED);
}

/* The claim is given up again: nothing stays. */
static void test_rival_goes_away(void **state)
{
	connect_ab();
	c = sim_ctl_start(world, 2);
	sim_ctl_kill(c);
	c->id = a->id;
	c = sim_ctl_start(world, 2);
	sim_ctl_dial(c, 1, 0);
	run_ms(300);
	assert_string_equal(view(b, 0).state, "contested");
	sim_ctl_kill(c);
	run_ms(29000);
	assert_string_equal(view(b, 0).state, "contested");
	run_ms(2000);
	assert_string_equal(view(b, 0).state, "up");
	assert_int_equal(b->others[0].ups, 1);
	/* Contested, and then the session ends: the claim ends with it. */
	c = sim_ctl_start(world, 2);
	sim_ctl_dial(c, 1, 0);
	run_ms(300);
	assert_string_equal(view(b, 0).state, "contested");
	sim_ctl_kill(c);
	sim_ctl_stop(a);
	run_ms(100);
	assert_string_equal(view(b, 0).state, "down");
	a = sim_ctl_start(world, 0);
	run_ms(60000);
}

/* Dials its own address. */
static void test_dials_itself(void **state)
{
	sim_ctl_dial(a, 0, 0);
	run_ms(10000);
	assert_int_equal(a->duplicates, 0);
	assert_true(counter(a, CTL_RX_REFLECTED) > 2);
	assert_null(sim_ctl_peer(a, 0));
}

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
	assert_in_range(counter(b, CTL_RX_AUTH), 200, 500);
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

/* Right key, wrong everything else. */
static size_t forge(struct ctl_msg *msg, uint8_t *buf)
{
	char err[80];
	size_t len;

	msg->key_id = 1;
	len = ctl_encode(msg, buf, CTL_DATAGRAM_MAX, err, sizeof(err));
	assert_true(len > 0);
	ctl_auth_sign(&world->keys[0].key, buf, len);
	return len;
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

/* The process was stopped for longer than the dead interval. */
static void test_stall(void **state)
{
	connect_ab();
	sim_clock_stall(world->clock, 5 * SIM_S);
	run_ms(3000);
	assert_int_equal(a->others[1].downs + b->others[0].downs, 0);
	sim_clock_stall(world->clock, 60 * SIM_S);
	run_ms(12000);
	assert_true(ab_settled());
}

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

static void test_walk_over_peers(void **state)
{
	struct ctl_peer_view v;
	unsigned int n = 0;

	for (uint32_t i = 2; i < 8; i++) {
		struct sim_ctl_node *node = sim_ctl_start(world, i);

		sim_ctl_dial(node, 0, 0);
	}
	run_ms(1000);
	for (bool more = ctl_peer_next(a->ctl, NULL, &v); more;
	     more = ctl_peer_next(a->ctl, &v.id, &v)) {
		assert_int_equal(v.id.bytes[CTL_ID_LEN - 1], 3 + n);
		n++;
	}
	assert_int_equal(n, 6);
	memset(&v.id, 0xff, sizeof(v.id));
	assert_false(ctl_peer_next(a->ctl, &v.id, &v));
	v.id.bytes[0] = 0;
	assert_true(ctl_peer_next(a->ctl, &v.id, &v));
	for (int i = 0; i < CTL_COUNTERS; i++)
		assert_non_null(ctl_counter_str(i));
}

/* Stopped: it says nothing any more, whatever comes. */
static void test_stopped(void **state)
{
	uint64_t tx;

	connect_ab();
	ctl_stop(b->ctl, sim_ctl_now(world));
	tx = counter(b, CTL_TX);
	run_ms(20000);
	assert_int_equal(counter(b, CTL_TX), tx);
	assert_true(counter(b, CTL_RX) > 3);
	sim_ctl_dial(b, 0, 0);
	run_ms(1000);
	assert_int_equal(counter(b, CTL_TX), tx);
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

/* The oldest one is forgotten first. */
static void test_who_is_forgotten(void **state)
{
	sim_ctl_kill(b);
	world->config.peers_max = 2;
	b = sim_ctl_start(world, 1);
	for (uint32_t i = 2; i < 4; i++) {
		struct sim_ctl_node *node = sim_ctl_start(world, i);

		sim_ctl_dial(node, 1, 0);
		run_ms(1000);
		sim_ctl_stop(node);
		run_ms(1000);
	}
	connect_ab();
	assert_null(sim_ctl_peer(b, 2));
	assert_non_null(sim_ctl_peer(b, 3));
	assert_true(ctl_peer_up(sim_ctl_peer(b, 0)));
	assert_false(ctl_peer_up(sim_ctl_peer(b, 3)));
}

static void test_twin_answers_twice(void **state)
{
	size_t i;

	world->tap = capture;
	sim_ctl_kill(b);
	b->id = a->id;
	b = sim_ctl_start(world, 1);
	sim_ctl_dial(a, 1, 0);
	run_ms(21);
	for (i = 0; captured[i].buf[3] != CTL_CHALLENGE; i++)
		;
	for (int n = 0; n < 5; n++)
		sim_ctl_inject(world, 1, 0, 0, captured[i].buf, captured[i].len);
	assert_int_equal(a->duplicates, 1);
	b->id.bytes[CTL_ID_LEN - 1] = 2;
}

/* More of them than are remembered: the latest stay. */
static void test_many_duplicates(void **state)
{
	struct ctl_duplicate list[CTL_DUPLICATES_MAX];

	sim_ctl_dial(a, 1, 0);
	run_ms(1000);
	for (uint32_t i = 2; i < 14; i++) {
		world->nodes[i].id = a->id;
		sim_ctl_start(world, i);
		sim_ctl_dial(&world->nodes[i], 1, 0);
		run_ms(20000);
	}
	assert_int_equal(ctl_duplicates(b->ctl, list), CTL_DUPLICATES_MAX);
	assert_int_equal(b->others[0].downs, 0);
	for (int i = 0; i < CTL_DUPLICATES_MAX; i++)
		assert_true(list[i].last_us > sim_ctl_now(world) - 180 * SIM_S);
}

static void test_a_bad_network(void **state)
{
	struct sim_path *path = sim_net_default(world->net);

	path->loss_ppm = path->double_ppm = 200000;
	path->jitter_us = 30 * SIM_MS;
	sim_ctl_dial(a, 1, 0);
	sim_ctl_dial(a, 1, 1);
	sim_ctl_dial(b, 0, 0);
	until(ab_settled, 30000);
	for (int i = 0; i < 1000; i++) {
		assert_true(sim_ctl_log(a, 1));
		assert_true(sim_ctl_log(b, 0));
		sim_ctl_change(a, i % SIM_CTL_ROWS);
		run_ms(100);
	}
	assert_in_range(until(ab_settled, 10000), 0, 5000);
	assert_int_equal(a->others[1].downs, 0);
	assert_true(view(a, 1).items_resent > 10);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_comes_up),
		TEST(test_dials_until_somebody_is_there),
		TEST(test_both_dial_is_one_session),
		TEST(test_dead_after_7_to_7_2_s),
		TEST(test_goodbye),
		TEST(test_restart_of_the_dialled),
		TEST(test_restart_of_the_dialler),
		TEST(test_links),
		TEST(test_one_way),
		TEST(test_one_way_of_one_link),
		TEST(test_timers),
		TEST(test_timer_limits),
		TEST(test_their_timers_are_bounded),
		TEST(test_queue_overflow_becomes_full_state),
		TEST(test_overflow_during_full_state),
		TEST(test_resync_and_wrong_sends),
		TEST(test_register),
		TEST(test_close),
		TEST(test_undial),
		TEST(test_callbacks_may_do_anything),
		TEST(test_shut_while_renewing),
		TEST(test_peers_are_bounded),
		TEST(test_not_permitted),
		TEST(test_wrong_node_answers),
		TEST(test_address_changes_hands),
		TEST(test_own_id_elsewhere),
		TEST(test_two_peers_with_one_id),
		TEST(test_restart_at_another_address),
		TEST(test_rival_goes_away),
		TEST(test_dials_itself),
		TEST(test_wrong_key),
		TEST(test_key_roll_over),
		TEST(test_replay_changes_nothing),
		TEST(test_bit_flips_change_nothing),
		TEST(test_strangers_are_limited),
		TEST(test_members_that_are_wrong),
		TEST(test_marks_are_checked),
		TEST(test_links_are_bounded),
		TEST(test_stall),
		TEST(test_slow_network),
		TEST(test_walk_over_peers),
		TEST(test_stopped),
		TEST(test_who_asked_says_nothing_more),
		TEST(test_goodbye_before_it_was_up),
		TEST(test_lost_confirmation),
		TEST(test_join_before_it_was_up),
		TEST(test_confirmation_on_another_path),
		TEST(test_join_of_a_forgotten_session),
		TEST(test_open_ack_of_nothing),
		TEST(test_dials_of_two_own_addresses),
		TEST(test_who_is_forgotten),
		TEST(test_twin_answers_twice),
		TEST(test_many_duplicates),
		TEST(test_a_bad_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
