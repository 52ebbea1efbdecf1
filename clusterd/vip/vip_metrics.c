// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of every VIP, for the file of metrics. */
#include "cluster_compat.h"

#include "core/metrics.h"
#include "vip/vip_private.h"

enum {
	STATE,
	MEMBERS,
	MEMBERS_UP,
	ADDRESSES,
	ADDRESSES_ANNOUNCED,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[STATE] = { "clusterd_vip_state", "1 for the state that the VIP is in.",
		    false },
	[MEMBERS] = { "clusterd_vip_members", "Members of the VIP.", false },
	[MEMBERS_UP] = { "clusterd_vip_members_up", "Members that are up.",
			 false },
	[ADDRESSES] = { "clusterd_vip_addresses", "Addresses of the VIP.",
			false },
	[ADDRESSES_ANNOUNCED] = { "clusterd_vip_addresses_announced",
				  "Addresses that are announced.", false },
};

static char last[VIP_NAME_LEN]; /* the last VIP; "": none yet */

static void begin(void)
{
	last[0] = '\0';
}

/* The first VIP behind `last`, which may be gone. */
static struct vip *next_vip(void)
{
	struct vip ref, *vip;

	strlcpy(ref.name, last, sizeof(ref.name));
	vip = vips_find_gteq(&vips, &ref);
	return vip && strcmp(vip->name, last) == 0 ? vips_next(&vips, vip) : vip;
}

static void add(struct metrics_text *texts, const struct vip *vip)
{
	const struct metrics_label labels[] = {
		{ "vip", vip->name },
		{ "state", vip_state_name(vip->state) },
	};
	const uint64_t values[N_FAMILIES] = {
		[STATE] = 1,
		[MEMBERS] = vip_members_count(&vip->members),
		[MEMBERS_UP] = vip->n_up,
		[ADDRESSES] = vip_addresses_count(&vip->addresses),
		[ADDRESSES_ANNOUNCED] = vip->n_announced,
	};

	for (size_t i = 0; i < N_FAMILIES; i++)
		metrics_text_sample(&texts[i], &families[i], labels,
				    i == STATE ? 2 : 1, values[i]);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	struct vip *vip;

	for (vip = next_vip(); vip && max; vip = vips_next(&vips, vip), max--) {
		add(texts, vip);
		strlcpy(last, vip->name, sizeof(last));
	}
	return vip != NULL;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.begin = begin,
	.collect = collect,
};

void vip_metrics_init(void)
{
	metrics_register(&source);
}
