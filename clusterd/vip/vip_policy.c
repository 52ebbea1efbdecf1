// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "vip/vip_policy.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_POLICY, "VIP policy");

/* The last 4 bits of a derived tag: 0 normal, 1..9 the ramp. */
#define TAG_PHASE_BITS	   4
#define TAG_PHASE_DRAINING 15

#define FNV64_OFFSET 0xcbf29ce484222325ULL
#define FNV64_PRIME  0x100000001b3ULL

static const struct {
	const char *name;
	uint32_t community;
} well_known[] = {
	{ "graceful-shutdown", VIP_COMMUNITY_GSHUT },
	{ "accept-own", 0xFFFF0001 },
	{ "llgr-stale", 0xFFFF0006 },
	{ "no-llgr", 0xFFFF0007 },
	{ "blackhole", 0xFFFF029A },
	{ "no-export", 0xFFFFFF01 },
	{ "no-advertise", 0xFFFFFF02 },
	{ "local-AS", 0xFFFFFF03 },
	{ "no-peer", 0xFFFFFF04 },
};

static int u32_cmp(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int large_cmp(const struct vip_large_community *a,
		     const struct vip_large_community *b)
{
	int ret = u32_cmp(a->global, b->global);

	if (!ret)
		ret = u32_cmp(a->local1, b->local1);
	return ret ? ret : u32_cmp(a->local2, b->local2);
}

bool vip_attributes_empty(const struct vip_attributes *attributes)
{
	return !attributes || (!attributes->n_communities &&
			       !attributes->n_large_communities &&
			       !attributes->has_local_preference &&
			       !attributes->link_bandwidth);
}

int vip_attributes_cmp(const struct vip_attributes *a,
		       const struct vip_attributes *b)
{
	int ret = u32_cmp(a->link_bandwidth, b->link_bandwidth);

	if (!ret)
		ret = u32_cmp(a->has_local_preference, b->has_local_preference);
	if (!ret && a->has_local_preference)
		ret = u32_cmp(a->local_preference, b->local_preference);
	if (!ret)
		ret = u32_cmp(a->n_communities, b->n_communities);
	for (size_t i = 0; !ret && i < a->n_communities; i++)
		ret = u32_cmp(a->communities[i], b->communities[i]);
	if (!ret)
		ret = u32_cmp(a->n_large_communities, b->n_large_communities);
	for (size_t i = 0; !ret && i < a->n_large_communities; i++)
		ret = large_cmp(&a->large_communities[i],
				&b->large_communities[i]);
	return ret;
}

/* FNV-1a over the octets in network order: the same on each machine. */
static uint64_t hash_u32(uint64_t hash, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8) {
		hash ^= (value >> shift) & 0xff;
		hash *= FNV64_PRIME;
	}
	return hash;
}

/*
 * The tag of the normal phase.  What is hashed is part of what nodes of
 * different versions agree on: it must never change.
 */
static uint32_t tag_hash(const struct vip_attributes *attributes)
{
	uint64_t hash = hash_u32(FNV64_OFFSET, attributes->variant);

	hash = hash_u32(hash, attributes->link_bandwidth);
	hash = hash_u32(hash, attributes->has_local_preference);
	if (attributes->has_local_preference)
		hash = hash_u32(hash, attributes->local_preference);
	hash = hash_u32(hash, attributes->n_communities);
	for (size_t i = 0; i < attributes->n_communities; i++)
		hash = hash_u32(hash, attributes->communities[i]);
	hash = hash_u32(hash, attributes->n_large_communities);
	for (size_t i = 0; i < attributes->n_large_communities; i++) {
		const struct vip_large_community *large =
			&attributes->large_communities[i];

		hash = hash_u32(hash, large->global);
		hash = hash_u32(hash, large->local1);
		hash = hash_u32(hash, large->local2);
	}
	/* Fold: FNV's upper bits depend on all the octets, its lowest less. */
	hash ^= hash >> 32;
	return VIP_TAG_DERIVED | (uint32_t)hash << TAG_PHASE_BITS;
}

static uint32_t tag_base(const struct vip_attributes *attributes)
{
	return attributes->base ? attributes->base : tag_hash(attributes);
}

static uint8_t ramp_of(const struct vip_phase *phase)
{
	if (phase->ramp < 1)
		return 1;
	return phase->ramp < VIP_RAMP_FULL ? phase->ramp : VIP_RAMP_FULL;
}

uint32_t vip_policy_tag(const struct vip_attributes *attributes,
			uint32_t configured_tag, const struct vip_phase *phase)
{
	uint8_t ramp = ramp_of(phase);

	if (vip_attributes_empty(attributes)) {
		if (!phase->draining)
			return configured_tag;
		return attributes && attributes->drain_tag
			       ? attributes->drain_tag
			       : VIP_DEFAULT_DRAIN_TAG;
	}
	if (phase->draining)
		return tag_base(attributes) | TAG_PHASE_DRAINING;
	if (ramp == VIP_RAMP_FULL || !attributes->link_bandwidth)
		return tag_base(attributes);
	return tag_base(attributes) | ramp;
}

uint32_t vip_policy_metric(const struct vip_attributes *attributes,
			   uint32_t configured_metric,
			   const struct vip_phase *phase)
{
	if (phase->draining)
		return VIP_METRIC_WORST;
	if (ramp_of(phase) == VIP_RAMP_FULL ||
	    (attributes && attributes->link_bandwidth) ||
	    configured_metric == VIP_METRIC_WORST)
		return configured_metric;
	return configured_metric + 1;
}

uint16_t vip_policy_bandwidth(const struct vip_attributes *attributes,
			      const struct vip_phase *phase)
{
	uint32_t bandwidth;

	if (!attributes || !attributes->link_bandwidth)
		return 0;
	if (phase->draining)
		return attributes->link_bandwidth;
	bandwidth = (uint32_t)attributes->link_bandwidth * ramp_of(phase) /
		    VIP_RAMP_FULL;
	return bandwidth ? bandwidth : 1;
}

size_t vip_policy_phases(const struct vip_attributes *attributes,
			 struct vip_phase phases[VIP_PHASES_MAX])
{
	size_t n = 0;

	phases[n++] = VIP_PHASE_NORMAL;
	phases[n++] = (struct vip_phase){ .draining = true,
					  .ramp = VIP_RAMP_FULL };
	if (attributes && attributes->link_bandwidth)
		for (uint8_t ramp = 1; ramp < VIP_RAMP_FULL; ramp++)
			phases[n++] = (struct vip_phase){ .ramp = ramp };
	return n;
}

static int void_set_cmp(const void *a, const void *b)
{
	return vip_attributes_cmp(*(struct vip_attributes *const *)a,
				  *(struct vip_attributes *const *)b);
}

/* Whether `tag` was new in the table, of `mask` + 1 places; 0: a free one. */
static bool tag_take(uint32_t *taken, uint32_t mask, uint32_t tag)
{
	uint32_t place = (tag >> TAG_PHASE_BITS) & mask;

	while (taken[place] && taken[place] != tag)
		place = (place + 1) & mask;
	if (taken[place])
		return false;
	taken[place] = tag;
	return true;
}

void vip_policy_resolve(struct vip_attributes **sets, size_t n)
{
	uint32_t *taken, mask = 1;

	if (!n)
		return;
	qsort(sets, n, sizeof(*sets), void_set_cmp);
	while (mask < 2 * n)
		mask = mask * 2 + 1;
	taken = XCALLOC(MTYPE_VIP_POLICY, (mask + 1) * sizeof(*taken));
	for (size_t i = 0; i < n; i++) {
		sets[i]->variant = 0;
		if (i && !vip_attributes_cmp(sets[i - 1], sets[i])) {
			sets[i]->variant = sets[i - 1]->variant;
			sets[i]->base = sets[i - 1]->base;
			continue;
		}
		/* 255 collisions in a row do not happen. */
		while (!tag_take(taken, mask, tag_hash(sets[i])) &&
		       sets[i]->variant < UINT8_MAX)
			sets[i]->variant++;
		sets[i]->base = tag_hash(sets[i]);
	}
	XFREE(MTYPE_VIP_POLICY, taken);
}

/* Decimal digits up to `end_char`; NULL, or behind them. */
static const char *number_parse(const char *text, char end_char, uint32_t max,
				uint32_t *number)
{
	uint64_t value = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (uint64_t)(*p - '0');
		if (value > max)
			return NULL;
	}
	if (p == text || *p != end_char)
		return NULL;
	*number = (uint32_t)value;
	return *p ? p + 1 : p;
}

bool vip_community_parse(const char *text, uint32_t *community)
{
	uint32_t high, low;

	for (size_t i = 0; i < sizeof(well_known) / sizeof(well_known[0]); i++)
		if (!strcmp(text, well_known[i].name)) {
			*community = well_known[i].community;
			return true;
		}
	text = number_parse(text, ':', UINT16_MAX, &high);
	if (!text || !number_parse(text, '\0', UINT16_MAX, &low))
		return false;
	*community = high << 16 | low;
	return *community != 0;
}

bool vip_large_community_parse(const char *text,
			       struct vip_large_community *community)
{
	text = number_parse(text, ':', UINT32_MAX, &community->global);
	if (text)
		text = number_parse(text, ':', UINT32_MAX, &community->local1);
	return text && number_parse(text, '\0', UINT32_MAX, &community->local2);
}

const char *vip_community_text(uint32_t community, char *buf, size_t len)
{
	for (size_t i = 0; i < sizeof(well_known) / sizeof(well_known[0]); i++)
		if (community == well_known[i].community) {
			snprintf(buf, len, "%s", well_known[i].name);
			return buf;
		}
	snprintf(buf, len, "%u:%u", community >> 16, community & UINT16_MAX);
	return buf;
}

const char *vip_large_community_text(const struct vip_large_community *community,
				     char *buf, size_t len)
{
	snprintf(buf, len, "%u:%u:%u", community->global, community->local1,
		 community->local2);
	return buf;
}

bool vip_community_add(struct vip_attributes *attributes, uint32_t community)
{
	uint32_t *list = attributes->communities;
	size_t n = attributes->n_communities, at = 0;

	attributes->base = 0;
	while (at < n && list[at] < community)
		at++;
	if (at < n && list[at] == community)
		return true;
	if (n == VIP_COMMUNITIES_MAX)
		return false;
	memmove(&list[at + 1], &list[at], (n - at) * sizeof(*list));
	list[at] = community;
	attributes->n_communities++;
	return true;
}

void vip_community_del(struct vip_attributes *attributes, uint32_t community)
{
	uint32_t *list = attributes->communities;
	size_t kept = 0;

	attributes->base = 0;
	for (size_t i = 0; i < attributes->n_communities; i++)
		if (list[i] != community)
			list[kept++] = list[i];
	attributes->n_communities = (uint8_t)kept;
}

bool vip_large_community_add(struct vip_attributes *attributes,
			     const struct vip_large_community *community)
{
	struct vip_large_community *list = attributes->large_communities;
	size_t n = attributes->n_large_communities, at = 0;

	attributes->base = 0;
	while (at < n && large_cmp(&list[at], community) < 0)
		at++;
	if (at < n && !large_cmp(&list[at], community))
		return true;
	if (n == VIP_COMMUNITIES_MAX)
		return false;
	memmove(&list[at + 1], &list[at], (n - at) * sizeof(*list));
	list[at] = *community;
	attributes->n_large_communities++;
	return true;
}

void vip_large_community_del(struct vip_attributes *attributes,
			     const struct vip_large_community *community)
{
	struct vip_large_community *list = attributes->large_communities;
	size_t kept = 0;

	attributes->base = 0;
	for (size_t i = 0; i < attributes->n_large_communities; i++)
		if (large_cmp(&list[i], community))
			list[kept++] = list[i];
	attributes->n_large_communities = (uint8_t)kept;
}
