// SPDX-License-Identifier: GPL-2.0-or-later
/* Which hub is an edge's: the specification's vectors, and properties. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#include "hubcluster/hc_assign.h"
#include "hubcluster/hc_product.h"

static struct ctl_id id(const char *text)
{
	struct ctl_id parsed;

	assert_true(ctl_id_parse(text, &parsed));
	return parsed;
}

/* Version 4 UUIDs that look random. */
static struct ctl_id random_id(uint64_t *state)
{
	struct ctl_id made;

	for (int i = 0; i < CTL_ID_LEN; i++) {
		*state = *state * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
		made.bytes[i] = (uint8_t)(*state >> 56);
	}
	made.bytes[6] = 0x40 | (made.bytes[6] & 0x0f);
	made.bytes[8] = 0x80 | (made.bytes[8] & 0x3f);
	return made;
}

static void test_modulo_vectors(void **state)
{
	static const uint32_t sizes[] = { 2, 3, 4, 5, 7, 10 };
	static const struct {
		const char *edge;
		uint32_t index[6];
	} rows[] = {
		{ "00000000-0000-4000-8000-000000000001", { 1, 1, 1, 3, 3, 3 } },
		{ "00000000-0000-4000-8000-000000000002", { 0, 2, 2, 4, 4, 4 } },
		{ "00000000-0000-4000-8000-000000000003", { 1, 0, 3, 0, 5, 5 } },
		{ "00000000-0000-4000-8000-000000000004", { 0, 1, 0, 1, 6, 6 } },
		{ "f47ac10b-58cc-4372-a567-0e02b2c3d479", { 1, 2, 1, 3, 1, 3 } },
		{ "ffffffff-ffff-4fff-bfff-ffffffffffff", { 1, 0, 3, 0, 5, 5 } },
		{ "6ba7b810-9dad-41d1-80b4-00c04fd430c8", { 0, 2, 0, 2, 4, 2 } },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct ctl_id edge = id(rows[r].edge);

		for (int s = 0; s < 6; s++)
			assert_int_equal(hc_modulo(&edge, sizes[s]),
					 rows[r].index[s]);
	}
}

/* The same number as two words: another way. */
static void test_modulo_is_arithmetic(void **state)
{
	uint64_t seed = 1;

	for (int i = 0; i < 2000; i++) {
		struct ctl_id edge = random_id(&seed);
		uint64_t high = 0, low = 0;

		for (int b = 0; b < 8; b++) {
			high = high << 8 | edge.bytes[b];
			low = low << 8 | edge.bytes[8 + b];
		}
		for (uint32_t n = 1; n <= 64; n++) {
			uint64_t word = (UINT64_MAX % n + 1) % n; /* 2^64 */

			assert_int_equal(hc_modulo(&edge, n),
					 (high % n * word + low % n) % n);
		}
	}
}

static void assert_product(uint64_t a, uint64_t b, uint64_t high, uint64_t low)
{
	struct hc_product halves = hc_multiply_halves(a, b);
	struct hc_product product = hc_multiply(a, b);

	assert_true(halves.high == high && halves.low == low);
	assert_true(product.high == high && product.low == low);
}

/* Bids are the same with and without a type of 128 bits. */
static void test_products(void **state)
{
	const uint64_t max = UINT64_MAX, low = UINT32_MAX, bit = low + 1;
	uint64_t seed = 1;

	assert_product(0, max, 0, 0);
	assert_product(1, max, 0, max);
	assert_product(max, max, max - 1, 1);
	assert_product(low, low, 0, low * low);
	assert_product(bit, bit, 1, 0);
	assert_product(low, max, low - 1, max - low + 1);
	for (int i = 0; i < 10000; i++) {
		struct ctl_id id = random_id(&seed);
		struct hc_product halves, product;
		uint64_t a, b;

		memcpy(&a, id.bytes, sizeof(a));
		memcpy(&b, id.bytes + sizeof(a), sizeof(b));
		halves = hc_multiply_halves(a, b);
		product = hc_multiply(a, b);
		assert_true(halves.high == product.high &&
			    halves.low == product.low);
	}
}

static int winner(const struct ctl_id *edge, const struct ctl_id *hubs,
		  const uint32_t *weights, int n, int without)
{
	struct hc_bid best = {};
	int won = -1;

	for (int i = 0; i < n; i++) {
		struct hc_bid bid;

		if (i == without)
			continue;
		bid = hc_bid(edge, &hubs[i], weights[i]);
		if (won < 0 || hc_bid_cmp(&bid, &best) < 0) {
			best = bid;
			won = i;
		}
	}
	return won;
}

/* Other machines must find the same: these values are for ever. */
static void test_bid_vectors(void **state)
{
	static const struct {
		const char *edge, *hub;
		uint64_t cost;
	} rows[] = {
		{ "00000000-0000-4000-8000-000000000001",
		  "00000000-0000-4000-8000-00000000000a",
		  UINT64_C(12070140086) },
		{ "f47ac10b-58cc-4372-a567-0e02b2c3d479",
		  "6ba7b810-9dad-41d1-80b4-00c04fd430c8", UINT64_C(6063233048) },
		{ "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
		  "f47ac10b-58cc-4372-a567-0e02b2c3d479", UINT64_C(1828636971) },
		{ "ffffffff-ffff-4fff-bfff-ffffffffffff",
		  "00000000-0000-4000-8000-000000000000", UINT64_C(3720904017) },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct ctl_id edge = id(rows[r].edge), hub = id(rows[r].hub);
		struct hc_bid bid = hc_bid(&edge, &hub, 7);

		if (bid.cost != rows[r].cost)
			print_error("row %zu: UINT64_C(%llu)\n", r,
				    (unsigned long long)bid.cost);
		assert_true(bid.cost == rows[r].cost);
		assert_int_equal(bid.weight, 7);
	}
}

/* The fixed-point logarithm is one: bids are distributed as -log2 of 0..1. */
static void test_bids_are_exponential(void **state)
{
	uint64_t seed = 2;
	struct ctl_id hub = random_id(&seed);
	double sum = 0;
	const int n = 100000;
	int below = 0;

	for (int i = 0; i < n; i++) {
		struct ctl_id edge = random_id(&seed);
		double cost = ldexp((double)hc_bid(&edge, &hub, 1).cost, -32);

		assert_true(cost > 0 && cost <= 64);
		sum += cost;
		below += cost < 1;
	}
	/* Mean 1/ln 2, half of them below 1; five standard deviations. */
	assert_true(fabs(sum / n - 1 / log(2)) < 5 / log(2) / sqrt((double)n));
	assert_true(abs(below - n / 2) < 5 * sqrt(n / 4.0));
}

static void test_bid_order(void **state)
{
	struct hc_bid a = { 10, 1 }, b = { 20, 2 }, c = { 20, 3 };
	struct hc_bid huge = { UINT64_C(64) << 32, UINT32_MAX };

	assert_int_equal(hc_bid_cmp(&a, &b), 0);
	assert_true(hc_bid_cmp(&c, &a) < 0);
	assert_true(hc_bid_cmp(&a, &c) > 0);
	assert_int_equal(hc_bid_cmp(&huge, &huge), 0);
}

#define HUBS  7
#define EDGES 20000

/* By weight, within five standard deviations of the binomial. */
static void test_rendezvous_is_fair(void **state)
{
	static const uint32_t weights[HUBS] = { 1, 1, 2, 3, 5, 8, 20 };
	struct ctl_id hubs[HUBS];
	int count[HUBS] = {};
	uint64_t seed = 3;

	for (int i = 0; i < HUBS; i++)
		hubs[i] = random_id(&seed);
	for (int e = 0; e < EDGES; e++) {
		struct ctl_id edge = random_id(&seed);

		count[winner(&edge, hubs, weights, HUBS, -1)]++;
	}
	for (int i = 0; i < HUBS; i++) {
		double p = weights[i] / 40.0;

		assert_true(fabs(count[i] - EDGES * p) <
			    5 * sqrt(EDGES * p * (1 - p)));
	}
}

/* Who isn't at the hub that goes (or comes) doesn't move. */
static void test_rendezvous_moves_least(void **state)
{
	static const uint32_t weights[HUBS] = { 6, 6, 6, 6, 6, 1, 100 };
	struct ctl_id hubs[HUBS];
	uint64_t seed = 4;
	int moved = 0;

	for (int i = 0; i < HUBS; i++)
		hubs[i] = random_id(&seed);
	for (int e = 0; e < EDGES / 10; e++) {
		struct ctl_id edge = random_id(&seed);
		int before = winner(&edge, hubs, weights, HUBS, -1);

		for (int without = 0; without < HUBS; without++) {
			int after = winner(&edge, hubs, weights, HUBS, without);

			assert_int_not_equal(after, without);
			if (before != without)
				assert_int_equal(after, before);
			moved += after != before;
		}
	}
	/* Each edge moves for exactly one of the seven. */
	assert_int_equal(moved, EDGES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modulo_vectors),
		cmocka_unit_test(test_modulo_is_arithmetic),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_bid_vectors),
		cmocka_unit_test(test_bids_are_exponential),
		cmocka_unit_test(test_bid_order),
		cmocka_unit_test(test_rendezvous_is_fair),
		cmocka_unit_test(test_rendezvous_moves_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
