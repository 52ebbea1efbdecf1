/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Products of 128 bits: compilers for 32-bit machines have no type for them,
 * and bids (hc_assign.h) have to be the same on all machines.
 */
#ifndef HC_PRODUCT_H
#define HC_PRODUCT_H

#include <stdint.h>

struct hc_product {
	uint64_t high, low;
};

/* By halves of 32 bits. */
static inline struct hc_product hc_multiply_halves(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32;
	uint64_t b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t carry = a0 * b1 + (uint32_t)middle;

	return (struct hc_product){
		.high = a1 * b1 + (middle >> 32) + (carry >> 32),
		.low = carry << 32 | (uint32_t)(a0 * b0),
	};
}

#ifdef __SIZEOF_INT128__
/* Three times as fast: a gateway makes millions of them for one rebalancing. */
static inline struct hc_product hc_multiply(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (struct hc_product){ (uint64_t)(product >> 64),
				    (uint64_t)product };
}
#else
#define hc_multiply hc_multiply_halves
#endif

#endif /* HC_PRODUCT_H */
