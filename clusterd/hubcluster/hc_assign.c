// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "hubcluster/hc_assign.h"
#include "hubcluster/hc_product.h"

uint32_t hc_modulo(const struct ctl_id *edge, uint32_t n)
{
	uint64_t r = 0;

	for (int i = 0; i < CTL_ID_LEN; i++)
		r = (r * 256 + edge->bytes[i]) % n;
	return (uint32_t)r;
}

/* 64 bits in, 64 well mixed bits out, one to one (MurmurHash3's finaliser). */
static uint64_t mix(uint64_t h)
{
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	h ^= h >> 33;
	return h;
}

static uint64_t mix_id(uint64_t h, const struct ctl_id *id)
{
	for (int half = 0; half < 2; half++) {
		uint64_t word = 0;

		for (int i = 0; i < 8; i++)
			word = word << 8 | id->bytes[half * 8 + i];
		h = mix(h ^ word) + UINT64_C(0x9e3779b97f4a7c15);
	}
	return h;
}

/* 64 - log2(x) with 32 fractional bits, x > 0: digit by digit, by squaring. */
static uint64_t minus_log2(uint64_t x)
{
	int exponent = 63 - __builtin_clzll(x);
	uint64_t mantissa = x << (63 - exponent); /* [1, 2), 63 bits */
	uint64_t log = (uint64_t)exponent;

	for (int i = 0; i < 32; i++) {
		struct hc_product square = hc_multiply(mantissa, mantissa);

		log <<= 1;
		mantissa = square.high << 1 | square.low >> 63;
		if (square.high >> 63) {
			mantissa = square.high;
			log |= 1;
		}
	}
	return (UINT64_C(64) << 32) - log;
}

struct hc_bid hc_bid(const struct ctl_id *edge, const struct ctl_id *hub,
		     uint32_t weight)
{
	uint64_t h = mix_id(mix_id(0, edge), hub);

	return (struct hc_bid){ .cost = minus_log2(h | 1), .weight = weight };
}

int hc_bid_cmp(const struct hc_bid *a, const struct hc_bid *b)
{
	struct hc_product x = hc_multiply(a->cost, b->weight);
	struct hc_product y = hc_multiply(b->cost, a->weight);

	if (x.high != y.high)
		return x.high < y.high ? -1 : 1;
	return x.low < y.low ? -1 : x.low > y.low;
}
