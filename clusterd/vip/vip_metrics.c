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
	N_VIP_FAMILIES, /* one sample of each VIP; of each address: */
	ADDRESS_STATE = N_VIP_FAMILIES,
	ADDRESS_NEXTHOPS,
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
	[ADDRESS_STATE] = { "clusterd_vip_address_state",
			    "1 for the state that the address is in.", false },
	[ADDRESS_NEXTHOPS] = { "clusterd_vip_address_nexthops",
			       "Next hops of the address's route.", false },
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

static void add_address(struct metrics_text *texts,
			const struct vip_address *address)
{
	char addr[INET6_ADDRSTRLEN];
	const struct metrics_label labels[] = {
		{ "vip", address->vip->name },
		{ "address", ipaddr2str(&address->addr, addr, sizeof(addr)) },
		{ "state", vip_state_name(address->state) },
	};

	metrics_text_sample(&texts[ADDRESS_STATE], &families[ADDRESS_STATE],
			    labels, 3, 1);
	metrics_text_sample(&texts[ADDRESS_NEXTHOPS],
			    &families[ADDRESS_NEXTHOPS], labels, 2,
			    address->n_nexthops);
}

static void add(struct metrics_text *texts, struct vip *vip)
{
	const struct metrics_label labels[] = {
		{ "vip", vip->name },
		{ "state", vip_state_name(vip->state) },
	};
	const uint64_t values[N_VIP_FAMILIES] = {
		[STATE] = 1,
		[MEMBERS] = vip_members_count(&vip->members),
		[MEMBERS_UP] = vip->n_up,
		[ADDRESSES] = vip_addresses_count(&vip->addresses),
		[ADDRESSES_ANNOUNCED] = vip->n_announced,
	};
	struct vip_address *address;

	for (size_t i = 0; i < N_VIP_FAMILIES; i++)
		metrics_text_sample(&texts[i], &families[i], labels,
				    i == STATE ? 2 : 1, values[i]);
	frr_each (vip_addresses, &vip->addresses, address)
		add_address(texts, address);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	struct vip *vip;
	size_t n = 0;

	for (vip = next_vip(); vip && n < max; vip = vips_next(&vips, vip)) {
		add(texts, vip);
		n += vip_addresses_count(&vip->addresses) + 1;
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
