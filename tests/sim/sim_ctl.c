// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control protocol for 24 hours over a network that loses, doubles and
 * reorders a tenth of everything: nobody is taken for dead, and every item
 * arrives once and in order; then partitions, restarts, clock steps, replay
 * and forgery on top.
 *
 * The same seeds give the same run; SIM_SEED adds to them.
 */
#include <zebra.h>

#include "memory.h"

#include "../unit/unit.h"
#include "sim_ctl_node.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define HOUR (3600 * SIM_S)
#define DAY  (24 * HOUR)

static struct sim_ctl_world *world;

static uint64_t seed(uint64_t base)
{
	const char *more = getenv("SIM_SEED");

	return base + (more ? strtoull(more, NULL, 10) * 1000 : 0);
}

static void bad_network(void)
{
	*sim_net_default(world->net) = (struct sim_path){
		.loss_ppm = 100000,
		.double_ppm = 100000,
		.delay_us = 20 * SIM_MS,
		.jitter_us = 200 * SIM_MS,
	};
}

static uint64_t rnd(uint64_t below)
{
	return sim_random_below(&world->random, below);
}

static struct sim_ctl_node *node(uint32_t i)
{
	return &world->nodes[i];
}

/* A star: node 0 is dialled by the others. */
static void start_star(uint32_t nodes, unsigned int links)
{
	for (uint32_t i = 0; i < nodes; i++)
		sim_ctl_start(world, i);
	for (uint32_t i = 1; i < nodes; i++)
		for (unsigned int link = 0; link < links; link++)
			sim_ctl_dial(node(i), 0, link);
}

/* State messages both ways: numbers for the log, changes of the table. */
static void chat(uint32_t nodes)
{
	uint32_t i = 1 + (uint32_t)rnd(nodes - 1);

	sim_ctl_log(node(0), i);
	sim_ctl_log(node(i), 0);
	if (!rnd(3))
		sim_ctl_change(node(rnd(2) ? 0 : i),
			       (unsigned int)rnd(SIM_CTL_ROWS));
}

static void settle(uint32_t nodes, int64_t at_most_s)
{
	for (uint32_t i = 1; i < nodes; i++) {
		int64_t s = 0;

		while (!sim_ctl_settled(world, 0, i)) {
			assert_in_range(s, 0, at_most_s);
			sim_ctl_run(world, SIM_S);
			s++;
		}
	}
}

static void report(const char *what, uint32_t nodes)
{
	const struct sim_net_counters *net = sim_net_counters(world->net);
	uint64_t items = 0, downs = 0;

	for (uint32_t i = 1; i < nodes; i++) {
		items += node(i)->others[0].log_got + node(0)->others[i].log_got;
		downs += node(i)->others[0].downs + node(0)->others[i].downs;
	}
	print_message("%s: %" PRIu64 " s, %" PRIu64 " datagrams, %" PRIu64
		      " lost, %" PRIu64 " doubled, %" PRIu64
		      " numbers in the logs, %" PRIu64 " downs\n",
		      what, (uint64_t)(sim_ctl_now(world) / SIM_S),
		      (uint64_t)net->sent, (uint64_t)net->lost,
		      (uint64_t)net->doubled, items, downs);
}

/* Default timers: keepalive 1 s, dead 7 s. */
static void test_a_day_of_a_bad_network(void **state)
{
	const uint32_t nodes = 4;

	world = sim_ctl_world_new(seed(1));
	bad_network();
	start_star(nodes, 1);
	settle(nodes, 30);
	while (sim_ctl_now(world) < DAY) {
		chat(nodes);
		sim_ctl_run(world, (int64_t)rnd(20 * SIM_S));
	}
	settle(nodes, 30);
	report("a day at a tenth lost", nodes);
	for (uint32_t i = 1; i < nodes; i++) {
		assert_int_equal(node(0)->others[i].ups, 1);
		assert_int_equal(node(i)->others[0].ups, 1);
		assert_int_equal(node(0)->others[i].downs, 0);
		assert_int_equal(node(i)->others[0].downs, 0);
	}
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
}

/* A link of the two is cut half of the time, never both. */
static void test_a_link_is_always_left(void **state)
{
	const uint32_t nodes = 3;
	int64_t end;

	world = sim_ctl_world_new(seed(2));
	bad_network();
	start_star(nodes, 2);
	settle(nodes, 30);
	end = sim_ctl_now(world) + 4 * HOUR;
	while (sim_ctl_now(world) < end) {
		for (uint32_t i = 1; i < nodes; i++) {
			unsigned int link = (unsigned int)rnd(3);

			sim_ctl_cut(world, 0, i, 0, link == 0);
			sim_ctl_cut(world, 0, i, 1, link == 1);
		}
		/* A link that was cut needs its time to be heard again. */
		for (int i = 0; i < 20; i++) {
			chat(nodes);
			sim_ctl_run(world, SIM_S);
		}
		for (uint32_t i = 1; i < nodes; i++)
			for (unsigned int link = 0; link < 2; link++)
				sim_ctl_cut(world, 0, i, link, false);
		sim_ctl_run(world, 8 * SIM_S);
	}
	settle(nodes, 30);
	report("one of two links at a time", nodes);
	for (uint32_t i = 1; i < nodes; i++) {
		assert_int_equal(node(0)->others[i].downs, 0);
		assert_int_equal(node(i)->others[0].downs, 0);
	}
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
}

static void restart(uint32_t i, uint32_t nodes, bool in_order)
{
	if (in_order)
		sim_ctl_stop(node(i));
	else
		sim_ctl_kill(node(i));
	sim_ctl_run(world, (int64_t)rnd(12 * SIM_S));
	/* It has other state than before. */
	node(i)->rows[rnd(SIM_CTL_ROWS)] += 5;
	sim_ctl_start(world, i);
	for (unsigned int link = 0; i && link < 2; link++)
		sim_ctl_dial(node(i), 0, link);
}

static void partition(uint32_t i, bool cut)
{
	for (unsigned int link = 0; link < 2; link++)
		sim_ctl_cut(world, 0, i, link, cut);
}

/* One way only: the nastier partition. */
static void half_partition(uint32_t i, bool cut)
{
	for (unsigned int link = 0; link < 2; link++)
		sim_net_path(world->net, i * SIM_CTL_LINKS + link, link)->cut =
			cut;
}

/* Restarts and partitions without end: it always comes together again. */
static void test_everything_happens(void **state)
{
	const uint32_t nodes = 4;
	unsigned int happened = 0;

	world = sim_ctl_world_new(seed(3));
	bad_network();
	start_star(nodes, 2);
	settle(nodes, 30);
	while (sim_ctl_now(world) < 6 * HOUR) {
		uint32_t i = (uint32_t)rnd(nodes);

		for (int n = 0; n < 30; n++) {
			chat(nodes);
			sim_ctl_run(world, (int64_t)rnd(SIM_S));
		}
		switch (rnd(6)) {
		case 0:
			restart(i, nodes, false);
			break;
		case 1:
			restart(i, nodes, true);
			break;
		case 2:
			partition(1 + i % 3, true);
			sim_ctl_run(world, (int64_t)rnd(30 * SIM_S));
			partition(1 + i % 3, false);
			break;
		case 3:
			half_partition(1 + i % 3, true);
			sim_ctl_run(world, (int64_t)rnd(30 * SIM_S));
			half_partition(1 + i % 3, false);
			break;
		case 4:
			sim_clock_stall(world->clock, (int64_t)rnd(15 * SIM_S));
			break;
		default:
			/* A wall-clock step is nothing without lifetimes. */
			world->wall_us += (int64_t)rnd(DAY) - DAY / 2;
			break;
		}
		happened++;
		settle(nodes, 30);
	}
	report("restarts, partitions, stalls, clock steps", nodes);
	assert_true(happened > 100);
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
}

/*
 * A new key every hour, the wall clocks' steps of up to 10 minutes are within
 * the overlap of the lifetimes: nobody is lost.
 */
static void test_keys_roll_over(void **state)
{
	const uint32_t nodes = 3;
	char secret[16];
	int64_t from;
	int len;

	world = sim_ctl_world_new(seed(4));
	bad_network();
	memset(world->keys, 0, sizeof(world->keys));
	for (uint32_t hour = 0; hour < 12; hour++) {
		struct sim_ctl_key *key = &world->keys[hour % SIM_CTL_KEYS];

		len = snprintf(secret, sizeof(secret), "secret %u", hour);
		ctl_key_init(&key->key, 1 + hour, secret, len);
		from = hour * INT64_C(3600);
		key->send_from = from;
		key->send_to = from + 3600;
		key->accept_from = from - 1200;
		key->accept_to = from + 3600 + 1200;
		if (!hour) {
			start_star(nodes, 1);
			settle(nodes, 30);
		}
		while (sim_ctl_now(world) < (hour + 1) * HOUR - 700 * SIM_S) {
			chat(nodes);
			if (!rnd(200))
				world->wall_us = (int64_t)rnd(1200 * SIM_S) -
						 600 * SIM_S;
			if (world->wall_us + sim_ctl_now(world) < 0)
				world->wall_us = 0;
			sim_ctl_run(world, (int64_t)rnd(10 * SIM_S));
		}
	}
	settle(nodes, 30);
	report("keys roll over", nodes);
	for (uint32_t i = 1; i < nodes; i++) {
		assert_int_equal(node(0)->others[i].downs, 0);
		assert_int_equal(node(i)->others[0].downs, 0);
	}
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
}

/* -- an attacker on the way: has everything, and no key -- */

#define HOARD 2000
static struct {
	uint32_t from, to;
	size_t len;
	uint8_t buf[CTL_DATAGRAM_MAX];
} hoard[HOARD];
static size_t n_hoard;

static void collect(struct sim_ctl_world *w, uint32_t from, uint32_t to,
		    const uint8_t *buf, size_t len)
{
	/* The first ones are kept; later ones replace each other. */
	size_t slot = n_hoard < HOARD ? n_hoard++ : HOARD / 2 + rnd(HOARD / 2);

	hoard[slot].from = from;
	hoard[slot].to = to;
	hoard[slot].len = len;
	memcpy(hoard[slot].buf, buf, len);
}

/* Replays, and flips bits of, what is in the hoard. */
static void attack(void)
{
	size_t i = rnd(n_hoard);
	size_t len = hoard[i].len;
	uint8_t buf[CTL_DATAGRAM_MAX];
	uint32_t from = hoard[i].from, to = hoard[i].to;

	memcpy(buf, hoard[i].buf, len);
	switch (rnd(5)) {
	case 0: /* as it was */
		break;
	case 1: /* back to whom it came from */
		to = from;
		from = hoard[i].to;
		break;
	case 2: /* from somewhere else, to somebody else */
		from = (uint32_t)rnd(SIM_CTL_NODES);
		to = (uint32_t)rnd(4);
		break;
	case 3: /* up to three bits */
		for (uint64_t n = rnd(3) + 1; n; n--)
			buf[rnd(len)] ^= 1 << rnd(8);
		break;
	default: /* the head of one, the tail of another */
		memcpy(buf, hoard[rnd(n_hoard)].buf, rnd(len));
		break;
	}
	sim_ctl_inject(world, from, to, (unsigned int)rnd(2), buf, len);
}

static void test_an_attacker_changes_nothing(void **state)
{
	const uint32_t nodes = 4;
	uint64_t attacks = 0;

	world = sim_ctl_world_new(seed(5));
	bad_network();
	n_hoard = 0;
	world->tap = collect;
	start_star(nodes, 2);
	settle(nodes, 30);
	/* The hoard holds sessions that began and ended in all ways. */
	for (uint32_t i = 0; i < nodes; i++) {
		restart(i, nodes, i & 1);
		settle(nodes, 60);
	}
	for (uint32_t i = 1; i < nodes; i++) {
		node(i)->others[0].ups = node(i)->others[0].downs = 0;
		node(0)->others[i].ups = node(0)->others[i].downs = 0;
	}
	for (int64_t end = sim_ctl_now(world) + 2 * HOUR;
	     sim_ctl_now(world) < end;) {
		chat(nodes);
		for (int i = 0; i < 20; i++) {
			attack();
			attacks++;
			sim_ctl_run(world, (int64_t)rnd(SIM_S / 10));
		}
	}
	settle(nodes, 30);
	report("under attack", nodes);
	assert_true(attacks > 100000);
	for (uint32_t i = 1; i < nodes; i++) {
		assert_int_equal(node(0)->others[i].ups, 0);
		assert_int_equal(node(0)->others[i].downs, 0);
		assert_int_equal(node(i)->others[0].ups, 0);
		assert_int_equal(node(i)->others[0].downs, 0);
		assert_int_equal(node(i)->duplicates, 0);
	}
	assert_int_equal(node(0)->duplicates, 0);
	/* And restarts under attack come together as ever. */
	for (uint32_t round = 0; round < 40; round++) {
		restart((uint32_t)rnd(nodes), nodes, rnd(2));
		for (int i = 0; i < 300; i++) {
			attack();
			sim_ctl_run(world, (int64_t)rnd(SIM_S / 10));
		}
		settle(nodes, 30);
	}
	assert_int_equal(world->broken, 0);
	world->tap = NULL;
	sim_ctl_world_free(&world);
}

/* The network itself flips bits, in a tenth of all datagrams. */
static void test_a_corrupting_network(void **state)
{
	const uint32_t nodes = 3;

	world = sim_ctl_world_new(seed(6));
	bad_network();
	sim_net_default(world->net)->corrupt_ppm = 100000;
	start_star(nodes, 2);
	settle(nodes, 60);
	while (sim_ctl_now(world) < 2 * HOUR) {
		chat(nodes);
		sim_ctl_run(world, (int64_t)rnd(2 * SIM_S));
	}
	settle(nodes, 30);
	report("a tenth corrupted", nodes);
	assert_true(sim_net_counters(world->net)->corrupted > 1000);
	assert_int_equal(node(0)->others[1].downs, 0);
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_day_of_a_bad_network),
		cmocka_unit_test(test_a_link_is_always_left),
		cmocka_unit_test(test_everything_happens),
		cmocka_unit_test(test_keys_roll_over),
		cmocka_unit_test(test_an_attacker_changes_nothing),
		cmocka_unit_test(test_a_corrupting_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
