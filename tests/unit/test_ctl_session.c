// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions of the control protocol: how they come up, live and end. */
#include "ctl_pair.h"

#include "core/ctl_private.h"

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

/* A path more than a session can have waits until one of them has gone. */
static void test_no_room_for_a_link(void **state)
{
	connect_ab();
	for (uint32_t i = 1; i < CTL_LINKS_MAX; i++) {
		struct ctl_path path = sim_ctl_path(0, 1 + i, 0);

		ctl_link_add(sim_ctl_peer(a, 1), &path, false,
			     sim_ctl_now(world))
			->up = true;
	}
	sim_ctl_dial(a, 1, 1);
	run_ms(2000);
	assert_int_equal(view(a, 1).n_links, CTL_LINKS_MAX);
	assert_string_equal(dial_view(a, 1, 1).state, "waiting");
	assert_int_equal(dial_view(a, 1, 1).refused, CTL_REASON_CROWDED);
	/* The others were never heard. */
	run_ms(30000);
	assert_string_equal(dial_view(a, 1, 1).state, "joined");
	assert_int_equal(dial_view(a, 1, 1).refused, CTL_REASON_NONE);
	assert_true(ab_settled());
	assert_int_equal(a->others[1].ups, 1);
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

/* Who is awake for something else needn't be woken up for keepalives. */
static void test_keepalives_go_along(void **state)
{
	uint64_t woken, tx;

	connect_ab();
	tx = view(a, 1).links[0].tx;
	woken = a->woken;
	run_ms(60000);
	assert_true(a->woken - woken > 50);
	tx = view(a, 1).links[0].tx - tx;
	assert_in_range(tx, 60, 75);

	tx = view(a, 1).links[0].tx;
	woken = a->woken;
	for (int i = 0; i < 12000; i++) {
		run_ms(5);
		ctl_run(a->ctl, sim_ctl_now(world));
	}
	assert_int_equal(a->woken, woken);
	/* and no more of them */
	tx = view(a, 1).links[0].tx - tx;
	assert_in_range(tx, 60, 75);
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
	const struct CMUnitTest tests[] = {
		TEST(test_comes_up),
		TEST(test_dials_until_somebody_is_there),
		TEST(test_both_dial_is_one_session),
		TEST(test_dead_after_7_to_7_2_s),
		TEST(test_goodbye),
		TEST(test_restart_of_the_dialled),
		TEST(test_restart_of_the_dialler),
		TEST(test_links),
		TEST(test_no_room_for_a_link),
		TEST(test_one_way),
		TEST(test_one_way_of_one_link),
		TEST(test_timers),
		TEST(test_keepalives_go_along),
		TEST(test_timer_limits),
		TEST(test_their_timers_are_bounded),
		TEST(test_close),
		TEST(test_undial),
		TEST(test_stall),
		TEST(test_walk_over_peers),
		TEST(test_stopped),
		TEST(test_a_bad_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
