// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <endian.h>
#include <string.h>

#include "core/ctl_rate.h"

#include "jhash.h"
#include "memory.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, CTL_RATE, "Control rate limits");

#define WAYS 4

/* As a leaky bucket's only number: when it will have run out again. */
struct bucket {
	int64_t empty_us;
};

struct source {
	uint64_t key; /* 0: free */
	struct bucket bucket;
};

struct ctl_rate {
	struct ctl_rate_limit source_limit, total_limit;
	uint32_t seed;
	struct bucket total;
	struct source sources[CTL_RATE_SOURCES / WAYS][WAYS];
};

static bool bucket_full(const struct bucket *bucket,
			const struct ctl_rate_limit *limit, int64_t now_us)
{
	int64_t drop_us = 1000000 / limit->per_second;

	return bucket->empty_us - now_us > drop_us * (limit->burst - 1);
}

static void bucket_fill(struct bucket *bucket,
			const struct ctl_rate_limit *limit, int64_t now_us)
{
	if (bucket->empty_us < now_us)
		bucket->empty_us = now_us;
	bucket->empty_us += 1000000 / limit->per_second;
}

/* IPv4 as a prefix that no IPv6 source has (multicast); never 0. */
static uint64_t source_key(const struct ipaddr *ip)
{
	uint64_t key = 0;

	if (IS_IPADDR_V4(ip))
		return UINT64_C(0xffffffff00000000) | ip->ipaddr_v4.s_addr;
	memcpy(&key, &ip->ipaddr_v6, sizeof(key));
	key = be64toh(key);
	return key ? key : 1;
}

struct ctl_rate *ctl_rate_new(struct ctl_rate_limit source,
			      struct ctl_rate_limit total, uint32_t seed)
{
	struct ctl_rate *rate = XCALLOC(MTYPE_CTL_RATE, sizeof(*rate));

	rate->source_limit = source;
	rate->total_limit = total;
	rate->seed = seed;
	return rate;
}

void ctl_rate_free(struct ctl_rate **rate)
{
	XFREE(MTYPE_CTL_RATE, *rate);
}

/* The source's entry or, if it has none, the one that it may have. */
static const struct source *source_find(const struct ctl_rate *rate,
					uint64_t key)
{
	uint32_t hash = jhash_2words((uint32_t)(key >> 32), (uint32_t)key,
				     rate->seed);
	const struct source *set =
		rate->sources[hash % (CTL_RATE_SOURCES / WAYS)];
	const struct source *best = set;

	for (int i = 0; i < WAYS; i++) {
		if (set[i].key == key)
			return &set[i];
		/* The one that has rested longest loses least. */
		if (set[i].bucket.empty_us < best->bucket.empty_us)
			best = &set[i];
	}
	return best;
}

bool ctl_rate_spent(const struct ctl_rate *rate, const struct ipaddr *ip,
		    int64_t now_us)
{
	uint64_t key = source_key(ip);
	const struct source *source = source_find(rate, key);

	return source->key == key &&
	       bucket_full(&source->bucket, &rate->source_limit, now_us);
}

bool ctl_rate_take(struct ctl_rate *rate, const struct ipaddr *ip,
		   int64_t now_us)
{
	uint64_t key = source_key(ip);
	struct source *source = (struct source *)source_find(rate, key);

	if (source->key == key &&
	    bucket_full(&source->bucket, &rate->source_limit, now_us))
		return false;
	if (bucket_full(&rate->total, &rate->total_limit, now_us))
		return false;
	if (source->key != key)
		*source = (struct source){ .key = key };
	bucket_fill(&source->bucket, &rate->source_limit, now_us);
	bucket_fill(&rate->total, &rate->total_limit, now_us);
	return true;
}
