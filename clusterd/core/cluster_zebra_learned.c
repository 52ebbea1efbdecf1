// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Routes that BGP has brought into a VRF's RIB, by zebra's redistribution.
 *
 * Two want them: the table, which tells whether there are a few, and a listener
 * that needs them exactly.  zebra tells all that there are only to who has not
 * asked for them yet, so whoever comes later makes it begin anew.
 */
#include "cluster_compat.h"

#include "prefix.h"

#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"
#include "core/learned_table.h"

static struct learned_table *learned;
static const struct cluster_zebra_learned_ops *listener; /* NULL: none */
static char listen_vrf[CLUSTER_VRF_LEN];

static void learned_send(const char *name, int command)
{
	struct vrf *vrf = zebra_vrf_told(name);

	if (vrf)
		zebra_redistribution_send(vrf, command, ZEBRA_ROUTE_BGP);
}

static bool listened(const char *vrf)
{
	return listener && !strcmp(listen_vrf, vrf);
}

/* All that there are, and what comes. */
static void tell_all(const char *vrf)
{
	learned_send(vrf, ZEBRA_REDISTRIBUTE_DELETE);
	learned_send(vrf, ZEBRA_REDISTRIBUTE_ADD);
	if (listened(vrf) && zebra_vrf_told(vrf))
		listener->begin();
}

static void learned_unsubscribe(const char *vrf)
{
	if (!listened(vrf))
		learned_send(vrf, ZEBRA_REDISTRIBUTE_DELETE);
}

static const struct learned_table_ops learned_ops = {
	.subscribe = tell_all,
	.unsubscribe = learned_unsubscribe,
};

void cluster_zebra_learned_listen(const char *vrf,
				  const struct cluster_zebra_learned_ops *ops)
{
	char before[CLUSTER_VRF_LEN];
	bool listening = listener != NULL;

	strlcpy(before, listen_vrf, sizeof(before));
	listener = ops;
	strlcpy(listen_vrf, ops ? vrf : "", sizeof(listen_vrf));
	if (listening && !learned_table_watched(learned, before))
		learned_send(before, ZEBRA_REDISTRIBUTE_DELETE);
	if (ops)
		tell_all(vrf);
}

void zebra_learned_note(const struct prefix *p, const struct vrf *vrf,
			uint32_t tag, bool present)
{
	struct learned_key key = { .length = p->prefixlen };

	cluster_prefix_addr(p, &key.addr);
	if (learned_table_note(learned, vrf->name, &key, present))
		cluster_sched_decide();
	if (listened(vrf->name))
		listener->route(&key.addr, key.length, tag, present);
}

void zebra_learned_ready(const struct vrf *vrf)
{
	if (learned_table_watched(learned, vrf->name))
		learned_table_ready(learned, vrf->name);
	else if (listened(vrf->name))
		tell_all(vrf->name);
}

void zebra_learned_vrf_gone(const struct vrf *vrf)
{
	learned_table_vrf_gone(learned, vrf->name);
	if (listened(vrf->name))
		listener->end();
}

void zebra_learned_lost(void)
{
	learned_table_disconnected(learned);
	if (listener)
		listener->end();
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
