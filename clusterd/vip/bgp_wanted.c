// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "vip/bgp_wanted.h"

DECLARE_MGROUP(CLUSTERD);

static uint32_t drain_tag(const struct bgp_use *use)
{
	return use->attributes ? use->attributes->drain_tag : 0;
}

/* Uses that want the same entries are equal. */
static int use_cmp(const struct bgp_use *a, const struct bgp_use *b)
{
	bool a_empty = vip_attributes_empty(a->attributes);
	bool b_empty = vip_attributes_empty(b->attributes);

	if (a_empty != b_empty)
		return a_empty ? -1 : 1;
	if (!a_empty)
		return vip_attributes_cmp(a->attributes, b->attributes);
	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	return (drain_tag(a) > drain_tag(b)) - (drain_tag(a) < drain_tag(b));
}

static int void_use_cmp(const void *a, const void *b)
{
	return use_cmp(a, b);
}

static void use_entries(struct bgp_texts *texts, const struct bgp_use *use,
			const struct bgp_nexthops *nexthops)
{
	struct vip_phase phases[VIP_PHASES_MAX];
	size_t n = vip_policy_phases(use->attributes, phases);
	char text[BGP_MAP_TEXT_LEN];

	for (size_t i = 0; i < n; i++)
		bgp_texts_add(texts,
			      bgp_entry_text(vip_policy_tag(use->attributes,
							    use->tag,
							    &phases[i]),
					     use->attributes, phases[i].draining,
					     vip_policy_bandwidth(use->attributes,
								  &phases[i]),
					     nexthops, text));
}

/* Of the texts that match one tag the first one stays. */
static uint32_t conflicts_drop(struct bgp_texts *texts)
{
	struct bgp_texts kept = {};
	uint32_t conflict = 0;

	for (size_t i = 0; i < texts->n; i++) {
		const char *text = texts->texts[i];
		const char *before = kept.n ? kept.texts[kept.n - 1] : "";
		size_t line = strcspn(text, "\n");

		if (line == strcspn(before, "\n") &&
		    !strncmp(text, before, line))
			conflict = (uint32_t)strtoul(text + strlen("match tag "),
						     NULL, 10);
		else
			bgp_texts_add(&kept, text);
	}
	bgp_texts_clear(texts);
	*texts = kept;
	return conflict;
}

uint32_t bgp_wanted_build(struct bgp_texts *texts, struct bgp_use *uses,
			  size_t n, const struct bgp_nexthops *nexthops)
{
	const struct bgp_use plain = { .tag = VIP_DEFAULT_TAG };

	use_entries(texts, &plain, nexthops);
	if (n)
		qsort(uses, n, sizeof(*uses), void_use_cmp);
	for (size_t i = 0; i < n; i++)
		if (!i || use_cmp(&uses[i - 1], &uses[i]))
			use_entries(texts, &uses[i], nexthops);
	bgp_texts_finish(texts);
	return conflicts_drop(texts);
}

int64_t bgp_own_update(struct bgp_own *own, const struct ipaddr *wanted,
		       bool local, int64_t now_us)
{
	if (ipaddr_cmp(&own->wanted, wanted)) {
		memset(own, 0, sizeof(*own));
		own->wanted = *wanted;
	}
	if (wanted->ipa_type == IPADDR_NONE) {
		own->state = BGP_OWN_NONE;
		own->missing_us = 0;
		return 0;
	}
	if (local) {
		own->state = BGP_OWN_USED;
		own->missing_us = 0;
		return 0;
	}
	if (own->state == BGP_OWN_NONE)
		own->state = BGP_OWN_PENDING;
	if (!own->missing_us)
		own->missing_us = now_us;
	if (now_us >= own->missing_us + BGP_OWN_GRACE_US)
		own->state = BGP_OWN_FOREIGN;
	return own->state == BGP_OWN_FOREIGN
		       ? 0
		       : own->missing_us + BGP_OWN_GRACE_US;
}
