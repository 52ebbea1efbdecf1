// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Leftovers: routes of our type that zebra has from a clusterd that was killed.
 * They go on forwarding until a configuration has had the time to name them;
 * what it doesn't name is deleted then.
 */
#include "cluster_compat.h"

#include "memory.h"
#include "typesafe.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"
#include "core/config_reading.h"

/* They stay that long for a configuration that names them. */
#define SWEEP_GRACE_US (5 * 1000000LL)
/* They are looked for so long; zebra's queues are empty by then. */
#define SWEEP_US (20 * 1000000LL)

DEFINE_MTYPE_STATIC(CLUSTERD, ZEBRA_STALE, "Leftover route");

/* Routes of our type in zebra that nobody wanted when they were seen. */
PREDECL_RBTREE_UNIQ(stale_routes);
struct stale_route {
	struct stale_routes_item item;
	struct cluster_route_key key;
};
static int stale_cmp(const struct stale_route *a, const struct stale_route *b)
{
	return cluster_route_key_cmp(&a->key, &b->key);
}
DECLARE_RBTREE_UNIQ(stale_routes, struct stale_route, item, stale_cmp);
static struct stale_routes_head stale;
#define STALE_MAX 65536

static int64_t started_us;
static int64_t sweep_until_us; /* 0: no longer subscribed */

static void stale_free(struct stale_route *entry)
{
	XFREE(MTYPE_ZEBRA_STALE, entry);
}

void zebra_stale_note(const struct cluster_route_key *key, bool present)
{
	struct stale_route ref = { .key = *key };
	struct stale_route *entry = stale_routes_find(&stale, &ref);

	if (!present) {
		if (entry) {
			stale_routes_del(&stale, entry);
			stale_free(entry);
		}
		return;
	}
	if (entry || zebra_route_wanted(key) ||
	    stale_routes_count(&stale) >= STALE_MAX)
		return;
	entry = XCALLOC(MTYPE_ZEBRA_STALE, sizeof(*entry));
	entry->key = *key;
	stale_routes_add(&stale, entry);
}

void zebra_stale_ready(const struct vrf *vrf)
{
	/* zclient_redistribute() delivers no routes of one's own type. */
	sweep_until_us = cluster_now_us() + SWEEP_US;
	zebra_redistribution_send(vrf, ZEBRA_REDISTRIBUTE_ADD,
				  zebra_route_type());
}

void zebra_stale_poll(int64_t now_us)
{
	struct stale_route *entry;
	struct vrf *vrf;

	if (!sweep_until_us || config_reading_now() ||
	    now_us - started_us < SWEEP_GRACE_US)
		return;
	while (!zebra_batch_full(zebra_client()) &&
	       (entry = stale_routes_pop(&stale))) {
		zebra_route_sweep(&entry->key);
		stale_free(entry);
	}
	zebra_batch_send(zebra_client());
	if (now_us < sweep_until_us || stale_routes_count(&stale))
		return;
	sweep_until_us = 0;
	RB_FOREACH (vrf, vrf_id_head, &vrfs_by_id)
		if (zebra_vrf_told(vrf->name))
			zebra_redistribution_send(vrf, ZEBRA_REDISTRIBUTE_DELETE,
						  zebra_route_type());
}

void zebra_stale_lost(void)
{
	struct stale_route *entry;

	while ((entry = stale_routes_pop(&stale)))
		stale_free(entry);
}

void zebra_stale_init(void)
{
	started_us = cluster_now_us();
	stale_routes_init(&stale);
}

void zebra_stale_fini(void)
{
	zebra_stale_lost();
	stale_routes_fini(&stale);
}
