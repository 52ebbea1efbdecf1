// SPDX-License-Identifier: GPL-2.0-or-later
/* A gateway's decisions: every rule by a table, then random clusters. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "hubcluster/hc_assign.h"
#include "hubcluster/hc_decide.h"

static const struct hc_rules rules = { .limit = HC_LIMIT_DEFAULT };

static struct ctl_id id_of(uint32_t number)
{
	struct ctl_id id = { { 0, 0, 0, 0, 0, 0, 0x40, 0, 0x80 } };

	for (int i = 0; i < 4; i++)
		id.bytes[12 + i] = (uint8_t)(number >> (24 - 8 * i));
	return id;
}

/* A hub that is fine in every respect; its score is `score`. */
static struct hc_hub_in hub(uint32_t number, uint8_t score)
{
	return (struct hc_hub_in){
		.id = id_of(number),
		.reported = true,
		.score = score,
		.load = { .cpu = score * 100,
			  .memory = score * 100,
			  .capacity = 1000,
			  .tunnels = score * 10,
			  .tunnels_known = true },
		.routes_known = true,
		.routes = 100,
		.routes_before = 100,
	};
}

/* -- score -- */

static void test_score(void **state)
{
	static const struct {
		uint16_t cpu, memory;
		uint32_t tunnels, capacity;
		uint8_t score;
	} rows[] = {
		{ 2000, 3000, 600, 6000, 20 },
		{ 7000, 7000, 72, 100, 70 },
		{ 7100, 7100, 71, 100, 71 },
		{ 0, 0, 0, 1, 1 },
		{ 10000, 10000, 100, 100, 100 },
		/* Above the capacity is the capacity. */
		{ 0, 0, 1000, 100, 33 },
		{ 10000, 10000, UINT32_MAX, 1, 100 },
		/* Summed in 0.01 %, so the parts' fractions count. */
		{ 7033, 7033, 7034, 10000, 70 },
		{ 7099, 7099, 7102, 10000, 71 },
		{ 7099, 7099, 7101, 10000, 70 },
		{ 0, 0, UINT32_MAX, UINT32_MAX, 33 },
		{ 99, 99, 99, 10000, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hc_load load = { rows[i].cpu, rows[i].memory,
					rows[i].capacity, rows[i].tunnels,
					true };

		assert_int_equal(hc_load_flaw(&load), HC_OK);
		assert_int_equal(hc_score(&load), rows[i].score);
	}
}

/* All whole percentages: the definition, in floating point. */
static void test_score_exhaustive(void **state)
{
	for (int cpu = 0; cpu <= 100; cpu++)
		for (int memory = 0; memory <= 100; memory++)
			for (int tunnels = 0; tunnels <= 110; tunnels++) {
				struct hc_load load = { (uint16_t)(cpu * 100),
							(uint16_t)(memory * 100),
							100, (uint32_t)tunnels,
							true };
				int part = tunnels > 100 ? 100 : tunnels;
				int score = (cpu + memory + part) / 3;

				if (hc_score(&load) != (score ? score : 1))
					fail_msg("%d, %d, %d", cpu, memory,
						 tunnels);
			}
}

static void test_load_flaws(void **state)
{
	struct hc_load fine = { 1, 1, 10, 1, true }, load;

	load = fine;
	load.capacity = 0;
	assert_int_equal(hc_load_flaw(&load), HC_WHY_NO_CAPACITY);
	assert_int_equal(hc_score(&load), 0);
	load = fine;
	load.tunnels_known = false;
	assert_int_equal(hc_load_flaw(&load), HC_WHY_TUNNELS_UNKNOWN);
	assert_int_equal(hc_score(&load), 0);
	load = fine;
	load.cpu = HC_LOAD_UNKNOWN;
	assert_int_equal(hc_load_flaw(&load), HC_WHY_LOAD_UNKNOWN);
	load = fine;
	load.memory = HC_LOAD_UNKNOWN;
	assert_int_equal(hc_load_flaw(&load), HC_WHY_LOAD_UNKNOWN);
	assert_int_equal(hc_score(&load), 0);
}

/* -- eligibility -- */

static void test_eligible(void **state)
{
	struct hc_hub_in hubs[3] = { hub(1, 10), hub(2, 10), hub(3, 10) };

	/* All combinations of draining and lost of three hubs. */
	for (int bits = 0; bits < 64; bits++) {
		bool all = true;

		for (int i = 0; i < 3; i++) {
			hubs[i].draining = bits >> (2 * i) & 1;
			hubs[i].lost = bits >> (2 * i) & 2;
			if (!hubs[i].draining && !hubs[i].lost)
				all = false;
		}
		for (size_t i = 0; i < 3; i++) {
			enum hc_why expected = HC_OK;

			if (hubs[i].draining)
				expected = HC_WHY_DRAINING;
			else if (hubs[i].lost && !all)
				expected = HC_WHY_ROUTES_LOST;
			assert_int_equal(hc_eligible(hubs, 3, i), expected);
		}
	}
}

static void test_target(void **state)
{
	struct hc_hub_in hubs[2];
	const struct hc_hub_in fine = hub(1, 69);

	hubs[1] = hub(2, 10);
#define EXPECT(change, why)                                                    \
	do {                                                                   \
		hubs[0] = fine;                                                \
		change;                                                        \
		assert_int_equal(hc_target(&rules, hubs, 2, 0), why);          \
	} while (0)
	EXPECT((void)0, HC_OK);
	EXPECT(hubs[0].draining = true, HC_WHY_DRAINING);
	EXPECT(hubs[0].lost = true, HC_WHY_ROUTES_LOST);
	EXPECT(hubs[0].reported = false, HC_WHY_NO_REPORT);
	EXPECT(hubs[0].load.capacity = 0, HC_WHY_NO_CAPACITY);
	EXPECT(hubs[0].load.tunnels_known = false, HC_WHY_TUNNELS_UNKNOWN);
	EXPECT(hubs[0].load.cpu = HC_LOAD_UNKNOWN, HC_WHY_LOAD_UNKNOWN);
	EXPECT(hubs[0].load.tunnels = 699, HC_OK);
	EXPECT(hubs[0].load.tunnels = 700, HC_WHY_TUNNELS_HIGH);
	EXPECT(hubs[0].load.tunnels = 701, HC_WHY_TUNNELS_HIGH);
	EXPECT(hubs[0].score = 70, HC_WHY_SCORE_HIGH);
	EXPECT(hubs[0].score = 71, HC_WHY_SCORE_HIGH);
#undef EXPECT
}

static void test_route_target(void **state)
{
	struct hc_hub_in hubs[2];

	hubs[1] = hub(2, 10);
	hubs[1].routes = 1000;
#define EXPECT(count, before, change, why)                                     \
	do {                                                                   \
		hubs[0] = hub(1, 99);                                          \
		hubs[0].routes = count;                                        \
		hubs[0].routes_before = before;                                \
		change;                                                        \
		assert_int_equal(hc_route_target(hubs, 2, 0), why);            \
	} while (0)
	EXPECT(1000, 1000, (void)0, HC_OK);
	EXPECT(950, 950, (void)0, HC_OK);
	EXPECT(949, 949, (void)0, HC_WHY_ROUTES_PARTIAL);
	EXPECT(1001, 1002, (void)0, HC_WHY_ROUTES_FEWER);
	EXPECT(1002, 1001, (void)0, HC_OK);
	EXPECT(1000, 1000, hubs[0].draining = true, HC_WHY_DRAINING);
	EXPECT(1000, 1000, hubs[0].lost = true, HC_WHY_ROUTES_LOST);
	EXPECT(1000, 1000, hubs[0].routes_known = false, HC_WHY_ROUTES_UNKNOWN);
	EXPECT(1000, 1000, hubs[0].stale = true, HC_WHY_ROUTES_STALE);
#undef EXPECT
}

static void test_routes_lost(void **state)
{
	struct hc_rules some = rules;
	struct hc_hub_in hubs[3] = { hub(1, 1), hub(2, 1), hub(3, 1) };

	/* Nobody has any, or doesn't know: no loss. */
	for (int i = 0; i < 3; i++)
		hubs[i].routes = 0;
	for (size_t i = 0; i < 3; i++)
		assert_false(hc_routes_lost(&rules, hubs, 3, i));
	hubs[2].routes = 100;
	hubs[2].routes_known = false;
	assert_false(hc_routes_lost(&rules, hubs, 3, 0));
	/* Some, but not all. */
	hubs[2].routes_known = true;
	assert_true(hc_routes_lost(&rules, hubs, 3, 0));
	assert_true(hc_routes_lost(&rules, hubs, 3, 1));
	assert_false(hc_routes_lost(&rules, hubs, 3, 2));
	hubs[0].routes_known = false;
	assert_false(hc_routes_lost(&rules, hubs, 3, 0));
	/* A part counts only when asked for. */
	hubs[1].routes = 1;
	assert_false(hc_routes_lost(&rules, hubs, 3, 1));
	some.loss_percent = 50;
	assert_true(hc_routes_lost(&some, hubs, 3, 1));
	hubs[1].routes = 49;
	assert_true(hc_routes_lost(&some, hubs, 3, 1));
	hubs[1].routes = 50;
	assert_false(hc_routes_lost(&some, hubs, 3, 1));
}

/* -- answers -- */

static struct hc_answer answer(const struct hc_hub_in *hubs, size_t n,
			       uint32_t edge, uint32_t current,
			       uint32_t unreachable)
{
	const struct ctl_id named[2] = { id_of(unreachable), id_of(999) };
	struct hc_ask ask = { .edge = id_of(edge) };

	if (current)
		ask.current = id_of(current);
	if (unreachable) {
		ask.unreachable = named;
		ask.n_unreachable = 2;
	}
	return hc_answer(&rules, hubs, n, &ask);
}

static void assert_answer(struct hc_answer got, int expected, enum hc_why why)
{
	assert_int_equal(got.hub, expected);
	assert_int_equal(got.why, why);
}

static void test_answer(void **state)
{
	struct hc_hub_in hubs[3] = { hub(10, 69), hub(20, 70), hub(30, 0) };

	hubs[2].reported = false;
	assert_answer(answer(hubs, 0, 1, 0, 0), HC_NONE, HC_WHY_NO_HUB);
	/* The specification's example: IDs 1, 2, 3, 4 and two hubs. */
	for (uint32_t edge = 1; edge <= 4; edge++)
		assert_answer(answer(hubs, 2, edge, 0, 0), edge & 1,
			      HC_WHY_ASSIGNED);
	/* 69 is kept, 70 isn't, unknown is. */
	assert_answer(answer(hubs, 2, 1, 10, 0), 0, HC_WHY_KEPT);
	assert_answer(answer(hubs, 2, 2, 20, 0), 0, HC_WHY_REPLACED_LOADED);
	assert_answer(answer(hubs, 2, 1, 20, 0), 1, HC_WHY_REPLACED_LOADED);
	assert_answer(answer(hubs, 3, 1, 30, 0), 2, HC_WHY_KEPT_UNKNOWN);
	/* One that isn't in the list. */
	assert_answer(answer(hubs, 2, 2, 99, 0), 0, HC_WHY_REPLACED_GONE);
	/* Not eligible. */
	hubs[0].draining = true;
	assert_answer(answer(hubs, 2, 2, 10, 0), 1, HC_WHY_REPLACED_GONE);
	assert_answer(answer(hubs, 2, 2, 0, 0), 1, HC_WHY_ASSIGNED);
	hubs[1].draining = true;
	assert_answer(answer(hubs, 2, 2, 0, 0), HC_NONE, HC_WHY_NO_ELIGIBLE);
	hubs[0].draining = hubs[1].draining = false;
	/* Unreachable: the others; the only one is better than none. */
	assert_answer(answer(hubs, 2, 1, 0, 20), 0, HC_WHY_UNREACHABLE);
	assert_answer(answer(hubs, 2, 2, 0, 10), 1, HC_WHY_UNREACHABLE);
	assert_answer(answer(hubs, 1, 1, 0, 10), 0, HC_WHY_ONLY_ONE);
	/* One that isn't there any more needs no exception. */
	assert_answer(answer(hubs, 2, 1, 0, 99), 1, HC_WHY_ASSIGNED);
	/* Keeping a hub goes before what else is unreachable. */
	assert_answer(answer(hubs, 2, 1, 10, 20), 0, HC_WHY_KEPT);
}

/* What the answer would be without its hub, and never that one. */
static void test_standby(void **state)
{
	struct hc_hub_in hubs[5];
	struct ctl_id named[2];

	for (uint32_t i = 0; i < 5; i++)
		hubs[i] = hub(10 + i, 10);
	hubs[3].draining = true;
	for (uint32_t e = 0; e < 60; e++) {
		int at = (int)(e % 5);
		struct hc_ask ask = { .edge = id_of(e), .current = hubs[at].id },
			      lost = { .edge = id_of(e),
				       .unreachable = named,
				       .n_unreachable = 2 };

		named[0] = hubs[at].id;
		named[1] = hubs[e % 7 % 5].id;
		ask.unreachable = &named[1];
		ask.n_unreachable = 1;
		for (int r = HC_MODULO; r <= HC_RENDEZVOUS; r++) {
			struct hc_rules by = rules;
			int to;

			by.assignment = (enum hc_assignment)r;
			to = hc_standby(&by, hubs, 5, &ask);
			assert_int_equal(to, hc_answer(&by, hubs, 5, &lost).hub);
			assert_int_not_equal(to, at);
			assert_int_not_equal(to, 3);
		}
	}
	/* It has the only one; there is none. */
	struct hc_ask ask = { .edge = id_of(1), .current = hubs[0].id };

	assert_int_equal(hc_standby(&rules, hubs, 1, &ask), HC_NONE);
	assert_int_equal(hc_standby(&rules, hubs, 0, &ask), HC_NONE);
}

static void test_rendezvous(void **state)
{
	struct hc_rules r = rules;
	struct hc_hub_in hubs[4] = { hub(1, 1), hub(2, 1), hub(3, 1),
				     hub(4, 1) };
	int count[4] = {}, equal[4] = {};
	struct hc_list list;

	r.assignment = HC_RENDEZVOUS;
	hubs[0].load.capacity = 0;
	hubs[2].load.capacity = 3000;
	hc_list_eligible(&list, hubs, 4, 0);
	assert_int_equal(list.n, 4);
	for (uint32_t e = 0; e < 5000; e++) {
		struct ctl_id edge = id_of(e * 77);

		count[hc_assign(&r, hubs, &list, &edge)]++;
	}
	/* 1 : 3 : 1 of those that have a capacity. */
	assert_int_equal(count[0], 0);
	assert_between(count[1], 850, 1150);
	assert_between(count[2], 2800, 3200);
	assert_between(count[3], 850, 1150);
	for (int i = 0; i < 4; i++)
		hubs[i].load.capacity = 0;
	for (uint32_t e = 0; e < 5000; e++) {
		struct ctl_id edge = id_of(e * 77);

		equal[hc_assign(&r, hubs, &list, &edge)]++;
	}
	for (int i = 0; i < 4; i++)
		assert_between(equal[i], 1100, 1400);
	list.n = 0;
	assert_int_equal(hc_assign(&r, hubs, &list, &hubs[0].id), HC_NONE);
}

/* -- fair redistribution -- */

static void test_unfair(void **state)
{
	struct hc_hub_in hubs[2];
	int over, under;

	/* All pairs around the limit: only above and below together count. */
	for (uint32_t a = 690; a <= 710; a++)
		for (uint32_t b = 690; b <= 710; b++) {
			bool expected = (a > 700 && b < 700) ||
					(b > 700 && a < 700);

			hubs[0] = hub(1, 10);
			hubs[1] = hub(2, 99);
			hubs[0].load.tunnels = a;
			hubs[1].load.tunnels = b;
			assert_int_equal(hc_unfair(&rules, hubs, 2, &over,
						   &under),
					 expected);
			if (!expected)
				continue;
			assert_int_equal(over, a > b ? 0 : 1);
			assert_int_equal(under, a > b ? 1 : 0);
			/* Where it is to go must be eligible. */
			hubs[under].draining = true;
			assert_false(hc_unfair(&rules, hubs, 2, &over, &under));
			hubs[a > b].draining = false;
			/* Where it is from is left for another reason. */
			hubs[a < b].draining = true;
			assert_false(hc_unfair(&rules, hubs, 2, &over, &under));
			hubs[a < b].draining = false;
			hubs[a < b].lost = true;
			assert_false(hc_unfair(&rules, hubs, 2, &over, &under));
			hubs[a < b].lost = false;
			/* What isn't known tells nothing. */
			hubs[0].load.tunnels_known = false;
			assert_false(hc_unfair(&rules, hubs, 2, &over, &under));
			hubs[0].load.tunnels_known = true;
			hubs[1].load.capacity = 0;
			assert_false(hc_unfair(&rules, hubs, 2, &over, &under));
			hubs[1].load.capacity = 1000;
			hubs[1].reported = false;
			assert_false(hc_unfair(&rules, hubs, 2, &over, &under));
		}
}

/* -- auto-rebalance -- */

static void test_auto_active(void **state)
{
	struct hc_hub_in hubs[2];

	for (int a = 60; a <= 80; a++)
		for (int b = 60; b <= 80; b++) {
			hubs[0] = hub(1, (uint8_t)a);
			hubs[1] = hub(2, (uint8_t)b);
			assert_int_equal(hc_auto_active(&rules, hubs, 2, false),
					 a > 70 || b > 70);
			assert_int_equal(hc_auto_active(&rules, hubs, 2, true),
					 a >= 70 || b >= 70);
		}
	assert_false(hc_auto_active(&rules, hubs, 0, true));
}

#define AUTO(n_hubs, n_edges)                                                  \
	hc_auto_pick(&rules, hubs, n_hubs, edges, n_edges, &move)

static void test_auto_pick(void **state)
{
	struct hc_hub_in hubs[4] = { hub(1, 80), hub(2, 90), hub(3, 30),
				     hub(4, 20) };
	/* modulo 4: 3 -> 3, 4 -> 0, 5 -> 1, 6 -> 2; version bits: + 0 */
	struct hc_edge_in edges[4] = {
		{ id_of(4), 0, 0 },
		{ id_of(5), 1, 0 },
		{ id_of(6), 1, 0 },
		{ id_of(9), 1, 0 },
	};
	struct hc_move move;

	/* B2, B3, B4: from 1 to 3, the edge that isn't at its assignment. */
	assert_true(AUTO(4, 4));
	assert_int_equal(move.edge, 2);
	assert_int_equal(move.to, 3);
	/* Without it: the lowest ID. */
	edges[2].hub = 2;
	assert_true(AUTO(4, 4));
	assert_int_equal(move.edge, 1);
	/* One that came from there stays away; another one goes. */
	edges[1].avoid = 1 << 3;
	assert_true(AUTO(4, 4));
	assert_int_equal(move.edge, 3);
	assert_int_equal(move.to, 3);
	/* All avoid it: the next best target. */
	edges[3].avoid = 1 << 3;
	assert_true(AUTO(4, 4));
	assert_int_equal(move.edge, 1);
	assert_int_equal(move.to, 2);
	/* No target for them: the next source. */
	edges[1].avoid = edges[3].avoid = 1 << 3 | 1 << 2;
	assert_true(AUTO(4, 4));
	assert_int_equal(move.edge, 0);
	assert_int_equal(move.to, 3);
	/* No edges there. */
	assert_false(AUTO(4, 0));
	edges[0].hub = 3;
	assert_false(AUTO(4, 4));
	/* No target is below the limit. */
	edges[0].hub = 0;
	hubs[2].score = hubs[3].score = 70;
	assert_false(AUTO(4, 4));
	/* Ties: the lowest ID, of sources and of targets. */
	hubs[0].score = hubs[1].score = 75;
	hubs[2].score = hubs[3].score = 5;
	assert_true(AUTO(4, 4));
	assert_int_equal(move.edge, 0);
	assert_int_equal(move.to, 2);
}

/* -- random clusters -- */

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

static size_t random_hubs(struct hc_hub_in *hubs)
{
	size_t n = 1 + below(6);

	for (size_t i = 0; i < n; i++) {
		hubs[i] = hub((uint32_t)(i + 1) * 3, 1);
		hubs[i].load.cpu = (uint16_t)(6000 + below(4000));
		hubs[i].load.memory = (uint16_t)(6000 + below(4000));
		hubs[i].load.tunnels = 600 + below(200);
		hubs[i].load.tunnels_known = below(8) != 0;
		if (!below(8))
			hubs[i].load.capacity = 0;
		hubs[i].reported = below(8) != 0;
		hubs[i].score = hubs[i].reported ? hc_score(&hubs[i].load) : 0;
		hubs[i].draining = !below(6);
		hubs[i].lost = !below(6);
		hubs[i].stale = !below(6);
		hubs[i].routes_known = below(8) != 0;
		hubs[i].routes = below(4) ? 90 + below(20) : 0;
		hubs[i].routes_before = 90 + below(20);
	}
	return n;
}

/* Rules of an answer, from the other end: what must be true of any. */
static void check_answer(const struct hc_rules *r, const struct hc_hub_in *hubs,
			 size_t n, const struct hc_ask *ask)
{
	struct hc_answer got = hc_answer(r, hubs, n, ask);
	size_t eligible = 0;
	size_t reachable = 0;
	int current = HC_NONE;
	uint64_t named = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < ask->n_unreachable; k++)
			if (!ctl_id_cmp(&hubs[i].id, &ask->unreachable[k]))
				named |= 1 << i;
		eligible += hc_eligible(hubs, n, i) == HC_OK;
		reachable += hc_eligible(hubs, n, i) == HC_OK &&
			     !(named >> i & 1);
		if (!ctl_id_cmp(&hubs[i].id, &ask->current))
			current = (int)i;
	}
	/* There is a hub exactly if one is eligible. */
	assert_int_equal(got.hub != HC_NONE, eligible > 0);
	if (got.hub == HC_NONE)
		return;
	assert_int_equal(hc_eligible(hubs, n, (size_t)got.hub), HC_OK);
	if (got.why == HC_WHY_KEPT || got.why == HC_WHY_KEPT_UNKNOWN)
		assert_int_equal(got.hub, current);
	else if (reachable)
		assert_false(named >> got.hub & 1);
	else
		assert_int_equal(got.why, HC_WHY_ONLY_ONE);
	/* An eligible hub of a known low score is never left. */
	if (current != HC_NONE && hubs[current].score < r->limit &&
	    hc_eligible(hubs, n, (size_t)current) == HC_OK)
		assert_int_equal(got.hub, current);
}

static void check_auto(const struct hc_rules *r, const struct hc_hub_in *hubs,
		       size_t n, const struct hc_edge_in *edges, size_t m)
{
	struct hc_move move;
	bool possible = false;

	/* Naive: all pairs of an edge and a hub. */
	for (size_t e = 0; e < m; e++)
		for (size_t t = 0; t < n; t++)
			if (hubs[edges[e].hub].score >= r->limit &&
			    hc_target(r, hubs, n, t) == HC_OK &&
			    !(edges[e].avoid >> t & 1))
				possible = true;
	assert_int_equal(hc_auto_pick(r, hubs, n, edges, m, &move), possible);
	if (!possible)
		return;
	assert_int_equal(hc_target(r, hubs, n, (size_t)move.to), HC_OK);
	assert_false(edges[move.edge].avoid >> move.to & 1);
	assert_true(hubs[edges[move.edge].hub].score >= r->limit);
	assert_int_not_equal(edges[move.edge].hub, move.to);
	/* Nobody of the same hub could have gone to a better target. */
	for (size_t e = 0; e < m; e++) {
		if (edges[e].hub != edges[move.edge].hub)
			continue;
		for (size_t t = 0; t < n; t++)
			if (hc_target(r, hubs, n, t) == HC_OK &&
			    hubs[t].score < hubs[move.to].score)
				assert_true(edges[e].avoid >> t & 1);
	}
}

static void test_random_clusters(void **state)
{
	struct hc_hub_in hubs[8];
	struct hc_edge_in edges[12];
	struct ctl_id named[4];
	int over, under;

	for (int round = 0; round < 60000; round++) {
		struct hc_rules r = { .limit = (uint8_t)(50 + below(40)),
				      .assignment = below(2) ? HC_MODULO
							     : HC_RENDEZVOUS,
				      .loss_percent = (uint8_t)below(100) };
		size_t n = random_hubs(hubs), m = below(12);
		struct hc_ask ask = { .edge = id_of(below(1000)) };
		struct hc_list list;
		bool lost_all = true;

		if (below(2))
			ask.current = id_of(below(7) * 3 + 3);
		ask.unreachable = named;
		ask.n_unreachable = below(4);
		for (size_t i = 0; i < ask.n_unreachable; i++)
			named[i] = id_of(below(7) * 3 + 3);
		check_answer(&r, hubs, n, &ask);
		for (size_t e = 0; e < m; e++)
			edges[e] = (struct hc_edge_in){
				.id = id_of((uint32_t)e * 5 + 1),
				.hub = (int)below((uint32_t)n),
				.avoid = below(64) & below(64),
			};
		check_auto(&r, hubs, n, edges, m);
		if (hc_unfair(&r, hubs, n, &over, &under))
			assert_int_not_equal(over, under);
		for (size_t i = 0; i < n; i++)
			if (!hc_routes_lost(&r, hubs, n, i))
				lost_all = false;
		assert_false(lost_all);
		hc_list_route_targets(&list, hubs, n);
		for (size_t i = 0; i < list.n; i++)
			assert_int_equal(hc_route_target(hubs, n, list.index[i]),
					 HC_OK);
	}
}

/* -- gateways -- */

static void test_preferred(void **state)
{
	struct hc_gateway_in gateways[3] = {
		{ id_of(3), 10, true },
		{ id_of(2), 10, true },
		{ id_of(1), 20, true },
	};

	assert_int_equal(hc_preferred(gateways, 3), 1);
	gateways[1].up = false;
	assert_int_equal(hc_preferred(gateways, 3), 0);
	gateways[0].up = false;
	assert_int_equal(hc_preferred(gateways, 3), 2);
	gateways[2].up = false;
	assert_int_equal(hc_preferred(gateways, 3), HC_NONE);
	assert_int_equal(hc_preferred(gateways, 0), HC_NONE);
	/* A total order. */
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			assert_int_equal(hc_gateway_cmp(&gateways[i],
							&gateways[j]) == 0,
					 i == j);
}

/* -- reasons -- */

static void test_reasons(void **state)
{
	int named = 0;

	for (int why = 0; why < 256; why++) {
		const char *name = hc_why_name((enum hc_why)why);

		assert_non_null(hc_why_text((enum hc_why)why));
		if (!strcmp(name, "unknown"))
			continue;
		named++;
		for (int other = 0; other < why; other++)
			assert_string_not_equal(name,
						hc_why_name((enum hc_why)other));
	}
	assert_int_equal(named, 36);
	assert_string_equal(hc_why_text(HC_OK), "");
	assert_string_equal(hc_why_text(HC_WHY_FAIR), "fair redistribution");
	assert_string_equal(hc_why_text((enum hc_why)10),
			    "for a reason that only a newer version knows");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_score),
		cmocka_unit_test(test_score_exhaustive),
		cmocka_unit_test(test_load_flaws),
		cmocka_unit_test(test_eligible),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_route_target),
		cmocka_unit_test(test_routes_lost),
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_standby),
		cmocka_unit_test(test_rendezvous),
		cmocka_unit_test(test_unfair),
		cmocka_unit_test(test_auto_active),
		cmocka_unit_test(test_auto_pick),
		cmocka_unit_test(test_random_clusters),
		cmocka_unit_test(test_preferred),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
