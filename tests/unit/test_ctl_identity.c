// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is a peer: bounds, permission, and two nodes with one logical ID. */
#include "ctl_pair.h"

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

/* The one over which b is not to be dialled any more goes, and then the other. */
static void test_permitted_no_more(void **state)
{
	sim_ctl_dial(a, 1, 0);
	sim_ctl_dial(a, 1, 1);
	run_ms(1000);
	assert_true(ab_settled());
	ctl_permit_changed(b->ctl, sim_ctl_now(world));
	assert_int_equal(view(b, 0).n_links, 2);

	b->forbidden_link = 2;
	ctl_permit_changed(b->ctl, sim_ctl_now(world));
	assert_int_equal(view(b, 0).n_links, 1);
	run_ms(30000);
	assert_int_equal(view(b, 0).n_links, 1);
	assert_int_equal(dial_view(a, 1, 1).refused, CTL_REASON_NOT_PERMITTED);
	assert_int_equal(b->others[0].downs, 0);

	b->forbids = true;
	ctl_permit_changed(b->ctl, sim_ctl_now(world));
	assert_false(b->others[0].up);
	assert_int_equal(b->others[0].why, CTL_REASON_NOT_PERMITTED);
	run_ms(20);
	assert_false(a->others[1].up);
	assert_int_equal(a->others[1].why, CTL_REASON_NOT_PERMITTED);
	b->forbids = false;
	b->forbidden_link = 0;
	run_ms(11000);
	assert_true(ab_settled());

	/* Whom we dial ourselves may be there. */
	sim_ctl_dial(b, 0, 0);
	run_ms(1000);
	b->forbids = true;
	ctl_permit_changed(b->ctl, sim_ctl_now(world));
	run_ms(30000);
	assert_int_equal(b->others[0].downs, 1);
	assert_int_equal(view(b, 0).n_links, 1);
}

/* It asked, was answered, and then isn't permitted any more. */
static void test_candidate_not_permitted(void **state)
{
	sim_ctl_dial(a, 1, 0);
	run_ms(35);
	assert_string_equal(view(b, 0).state, "opening");
	b->forbids = true;
	ctl_permit_changed(b->ctl, sim_ctl_now(world));
	assert_string_equal(view(b, 0).state, "down");
	run_ms(30000);
	assert_int_equal(b->others[0].ups, 0);
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
	assert_int_equal(ctl_duplicates(a->ctl, sim_ctl_now(world), list), 1);
	assert_true(list[0].count >= 1);
	assert_int_equal(ctl_id_cmp(&list[0].id, &a->id), 0);
	assert_int_equal(ctl_duplicates(b->ctl, sim_ctl_now(world), list), 1);
	assert_int_equal(dial_view(a, 1, 0).refused, CTL_REASON_DUPLICATE);
	assert_false(a->others[1].up || a->others[0].up || b->others[0].up);
	assert_string_equal(ctl_id_format(ctl_own_id(a->ctl), text),
			    "aa000000-0000-0000-0000-000000000001");
	sim_ctl_kill(b);
	memset(&b->id, 0, sizeof(b->id));
	b = sim_ctl_start(world, 1);
	run_ms(12000);
	assert_true(ab_settled());
	/* Who looks is told for a while, and not for ever. */
	assert_int_equal(ctl_duplicates(a->ctl, sim_ctl_now(world), list), 1);
	run_ms(600000);
	assert_int_equal(ctl_duplicates(a->ctl, sim_ctl_now(world), list), 0);
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
	assert_int_equal(ctl_duplicates(b->ctl, sim_ctl_now(world), list),
			 CTL_DUPLICATES_MAX);
	assert_int_equal(b->others[0].downs, 0);
	for (int i = 0; i < CTL_DUPLICATES_MAX; i++)
		assert_true(list[i].last_us > sim_ctl_now(world) - 180 * SIM_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_peers_are_bounded),
		TEST(test_not_permitted),
		TEST(test_permitted_no_more),
		TEST(test_candidate_not_permitted),
		TEST(test_wrong_node_answers),
		TEST(test_address_changes_hands),
		TEST(test_own_id_elsewhere),
		TEST(test_two_peers_with_one_id),
		TEST(test_restart_at_another_address),
		TEST(test_rival_goes_away),
		TEST(test_dials_itself),
		TEST(test_who_is_forgotten),
		TEST(test_twin_answers_twice),
		TEST(test_many_duplicates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
