/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two nodes of the control protocol in virtual time, for tests: a and b, 10 ms
 * apart, and what an attacker between them has.  Included by one file of a
 * program, whose tests are TEST().
 */
#ifndef TESTS_UNIT_CTL_PAIR_H
#define TESTS_UNIT_CTL_PAIR_H

#include <zebra.h>

#include "memory.h"

#include "core/ctl_stream.h"

#include "../sim/sim_ctl_node.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

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

static inline void capture(struct sim_ctl_world *w, uint32_t from, uint32_t to,
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

static inline int setup(void **state)
{
	world = sim_ctl_world_new(1);
	sim_net_default(world->net)->delay_us = 10 * SIM_MS;
	a = sim_ctl_start(world, 0);
	b = sim_ctl_start(world, 1);
	c = NULL; /* for who wants a third */
	n_captured = 0;
	return 0;
}

static inline int teardown(void **state)
{
	for (int i = 0; i < SIM_CTL_NODES; i++)
		if (world->nodes[i].ctl)
			sim_ctl_kill(&world->nodes[i]);
	assert_int_equal(world->broken, 0);
	sim_ctl_world_free(&world);
	return 0;
}

static inline void run_ms(int64_t ms)
{
	sim_ctl_run(world, ms * SIM_MS);
}

static inline struct ctl_peer_view view(struct sim_ctl_node *node,
					uint32_t other)
{
	struct ctl_peer_view v = {};

	if (sim_ctl_peer(node, other))
		ctl_peer_view(sim_ctl_peer(node, other), &v);
	return v;
}

static inline struct ctl_dial_view dial_view(struct sim_ctl_node *node,
					     uint32_t other, unsigned int link)
{
	struct ctl_dial_view v;

	ctl_dial_view(node->dials[other][link], &v);
	return v;
}

static inline uint64_t counter(struct sim_ctl_node *node, enum ctl_counter which)
{
	return ctl_counter(node->ctl, which);
}

/* a dials b over one link, and all is well. */
static inline void connect_ab(void)
{
	sim_ctl_dial(a, 1, 0);
	run_ms(1000);
	assert_true(sim_ctl_settled(world, 0, 1));
}

/* Milliseconds until it is so. */
static inline int64_t until(bool (*cond)(void), int64_t at_most_ms)
{
	int64_t ms = 0;

	while (!cond()) {
		assert_in_range(ms, 0, at_most_ms);
		run_ms(1);
		ms++;
	}
	return ms;
}

static inline bool a_is_down(void)
{
	return !a->others[1].up;
}

static inline bool b_is_down(void)
{
	return !b->others[0].up;
}

static inline bool b_is_up(void)
{
	return b->others[0].up;
}

static inline bool ab_settled(void)
{
	return sim_ctl_settled(world, 0, 1);
}

/* Right key, wrong everything else. */
static inline size_t forge(struct ctl_msg *msg, uint8_t *buf)
{
	char err[80];
	size_t len;

	msg->key_id = 1;
	len = ctl_encode(msg, buf, CTL_DATAGRAM_MAX, err, sizeof(err));
	assert_true(len > 0);
	ctl_auth_sign(&world->keys[0].key, buf, len);
	return len;
}

#endif /* TESTS_UNIT_CTL_PAIR_H */
