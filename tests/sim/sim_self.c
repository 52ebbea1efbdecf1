// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulation itself: order, determinism, and the network's qualities. */
#include "config.h"

#include <string.h>

#include "sim_clock.h"
#include "sim_net.h"
#include "tests/unit/unit.h"

static struct sim_clock *sim;
static int called[16], n_called;

static void note(void *arg)
{
	called[n_called++ % 16] = *(int *)arg;
}

static void note_and_again(void *arg)
{
	note(arg);
	/* The past: now, but behind what is there already. */
	sim_clock_at(sim, 1, note, arg, NULL);
}

static void test_clock(void **state)
{
	int n[] = { 0, 1, 2, 3, 4 };
	struct sim_event *event = NULL, *other = NULL;

	(void)state;
	n_called = 0;
	sim = sim_clock_new(100);
	assert_int_equal(sim_clock_now(sim), 100);
	sim_clock_at(sim, 300, note, &n[3], NULL);
	sim_clock_at(sim, 200, note_and_again, &n[1], NULL);
	sim_clock_at(sim, 200, note, &n[2], &event);
	sim_clock_at(sim, 250, note, &n[4], &other);
	sim_clock_cancel(sim, &other);
	sim_clock_cancel(sim, &other);
	assert_null(other);
	sim_clock_run(sim, 199);
	assert_int_equal(sim_clock_now(sim), 199);
	assert_int_equal(n_called, 0);
	sim_clock_run(sim, 200);
	assert_int_equal(n_called, 3);
	assert_int_equal(called[0], 1);
	assert_int_equal(called[1], 2);
	assert_int_equal(called[2], 1);
	assert_null(event);

	/* Stopped for a while: what was due comes late. */
	sim_clock_stall(sim, 500);
	assert_int_equal(n_called, 3);
	assert_true(sim_clock_step(sim));
	assert_int_equal(sim_clock_now(sim), 700);
	assert_int_equal(called[3], 3);
	assert_false(sim_clock_step(sim));
	assert_int_equal(sim_clock_events(sim), 4);
	sim_clock_run(sim, 600);
	assert_int_equal(sim_clock_now(sim), 700);

	sim_clock_at(sim, 800, note, &n[0], &event);
	sim_clock_free(&sim);
	assert_null(event);
	assert_null(sim);
	sim_clock_free(&sim);
	assert_int_equal(n_called, 4);
}

static void test_random(void **state)
{
	struct sim_random a = { 7 }, b = { 7 }, c = { 8 };
	unsigned int same = 0, hits = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t x = sim_random_u64(&a);

		assert_true(x == sim_random_u64(&b));
		same += x == sim_random_u64(&c);
	}
	assert_int_equal(same, 0);
	for (int i = 0; i < 100000; i++) {
		assert_true(sim_random_below(&a, 10) < 10);
		hits += sim_random_chance(&a, 250000);
	}
	assert_between(hits, 24000, 26000);
	assert_int_equal(sim_random_below(&a, 0), 0);
	assert_int_equal(sim_random_below(&a, 1), 0);
	assert_true(sim_random_chance(&a, 1000000));
	assert_false(sim_random_chance(&a, 0));
}

static uint32_t received, last, reordered, wrong;
static int64_t least, most;

static void receive(void *arg, uint32_t from, const void *data, size_t len)
{
	uint32_t n[2];
	int64_t took;

	(void)arg;
	assert_int_equal(from, 0);
	assert_int_equal(len, sizeof(n));
	memcpy(n, data, sizeof(n));
	received++;
	wrong += n[0] != ~n[1];
	reordered += n[0] < last;
	last = n[0];
	took = sim_clock_now(sim) - 1 - (int64_t)n[0] * 10;
	if (took < least)
		least = took;
	if (took > most)
		most = took;
}

static struct sim_net_counters run_net(uint64_t seed, struct sim_path path)
{
	struct sim_random random = { seed };
	struct sim_net_counters counters;
	struct sim_net *net;

	received = last = reordered = wrong = 0;
	least = INT64_MAX;
	most = 0;
	sim = sim_clock_new(1);
	net = sim_net_new(sim, &random, 3);
	*sim_net_default(net) = path;
	sim_net_listen(net, 1, receive, NULL);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t n[] = { i, ~i };

		sim_net_send(net, 0, 1, n, sizeof(n));
		sim_clock_run(sim, 1 + (i + 1) * 10);
	}
	sim_clock_run(sim, sim_clock_now(sim) + SIM_S);
	counters = *sim_net_counters(net);
	assert_int_equal(counters.sent, 100000);
	assert_int_equal(counters.delivered, received);
	assert_int_equal(counters.sent + counters.doubled,
			 counters.lost + counters.delivered);
	sim_net_free(&net);
	assert_null(net);
	sim_net_free(&net);
	sim_clock_free(&sim);
	return counters;
}

static void test_net_qualities(void **state)
{
	struct sim_path perfect = { .delay_us = 0 };
	struct sim_path late = { .delay_us = 1000, .jitter_us = 500 };
	struct sim_path lossy = { .loss_ppm = 100000, .double_ppm = 50000 };
	struct sim_path corrupt = { .corrupt_ppm = 20000 };
	struct sim_path cut = { .cut = true };
	struct sim_net_counters counters, again;

	(void)state;
	run_net(1, perfect);
	assert_int_equal(received, 100000);
	assert_int_equal(reordered, 0);
	assert_int_equal(most, 0);

	run_net(1, late);
	assert_int_equal(received, 100000);
	assert_int_equal(least, 1000);
	assert_int_equal(most, 1500);
	assert_true(reordered > 1000);

	counters = run_net(1, lossy);
	assert_between(counters.lost, 9500, 11500);
	assert_between(counters.doubled, 4700, 5300);
	again = run_net(1, lossy);
	assert_memory_equal(&counters, &again, sizeof(again));
	again = run_net(2, lossy);
	assert_memory_not_equal(&counters, &again, sizeof(again));

	counters = run_net(1, corrupt);
	assert_between(counters.corrupted, 1800, 2200);
	assert_int_equal(wrong, counters.corrupted);

	run_net(1, cut);
	assert_int_equal(received, 0);
}

static void count(void *arg, uint32_t from, const void *data, size_t len)
{
	(void)from;
	(void)data;
	assert_int_equal(len, 0);
	++*(int *)arg;
}

static void test_net_paths(void **state)
{
	struct sim_random random = { 1 };
	struct sim_net *net;
	int got[3] = { 0 };

	(void)state;
	sim = sim_clock_new(1);
	net = sim_net_new(sim, &random, 3);
	for (uint32_t i = 0; i < 3; i++)
		sim_net_listen(net, i, count, &got[i]);
	sim_net_path(net, 0, 1)->cut = true;
	/* One way, one path; and made from the default once. */
	sim_net_default(net)->delay_us = 10;
	assert_true(sim_net_path(net, 0, 1)->cut);
	assert_int_equal(sim_net_path(net, 0, 1)->delay_us, 0);
	for (uint32_t from = 0; from < 3; from++)
		for (uint32_t to = 0; to < 3; to++)
			sim_net_send(net, from, to, NULL, 0);
	sim_clock_run(sim, 100);
	assert_int_equal(got[0], 3);
	assert_int_equal(got[1], 2);
	assert_int_equal(got[2], 3);

	/* Under way when the receiver stops, or the network ends. */
	sim_net_send(net, 0, 2, NULL, 0);
	sim_net_listen(net, 2, NULL, NULL);
	sim_clock_run(sim, 200);
	assert_int_equal(got[2], 3);
	sim_net_send(net, 1, 0, NULL, 0);
	sim_net_free(&net);
	assert_false(sim_clock_step(sim));
	assert_int_equal(got[0], 3);
	sim_clock_free(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_net_qualities),
		cmocka_unit_test(test_net_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
