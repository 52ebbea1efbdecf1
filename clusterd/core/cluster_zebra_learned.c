// SPDX-License-Identifier: GPL-2.0-or-later
/* Routes that BGP has brought into a VRF's RIB, by zebra's redistribution. */
#include "cluster_compat.h"

#include "prefix.h"

#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"
#include "core/learned_table.h"

static struct learned_table *learned;

static void learned_send(const char *name, int command)
{
	struct vrf *vrf = zebra_vrf_ready(name);

	if (zebra_client() && vrf)
		zebra_redistribution_send(vrf, command, ZEBRA_ROUTE_BGP);
}

static void learned_subscribe(const char *vrf)
{
	learned_send(vrf, ZEBRA_REDISTRIBUTE_ADD);
}

static void learned_unsubscribe(const char *vrf)
{
	learned_send(vrf, ZEBRA_REDISTRIBUTE_DELETE);
}

static const struct learned_table_ops learned_ops = {
	.subscribe = learned_subscribe,
	.unsubscribe = learned_unsubscribe,
};

void zebra_learned_note(const struct prefix *p, const struct vrf *vrf,
			bool present)
{
	struct learned_key key = { .length = p->prefixlen };

	if (p->family == AF_INET) {
		SET_IPADDR_V4(&key.addr);
		key.addr.ipaddr_v4 = p->u.prefix4;
	} else {
		SET_IPADDR_V6(&key.addr);
		key.addr.ipaddr_v6 = p->u.prefix6;
	}
	if (learned_table_note(learned, vrf->name, &key, present))
		cluster_sched_decide();
}

void zebra_learned_ready(const struct vrf *vrf)
{
	learned_table_ready(learned, vrf->name);
}

void zebra_learned_lost(void)
{
	learned_table_disconnected(learned);
}

void cluster_zebra_learned_get(const char *vrf)
{
	learned_table_get(learned, vrf);
}

void cluster_zebra_learned_put(const char *vrf)
{
	learned_table_put(learned, vrf);
}

size_t cluster_zebra_learned_count(const char *vrf)
{
	return learned_table_count(learned, vrf);
}

void zebra_learned_init(void)
{
	learned = learned_table_new(&learned_ops);
}

void zebra_learned_fini(void)
{
	learned_table_free(&learned);
}
