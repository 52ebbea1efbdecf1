// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracking of next hops and of routes: from the table to zebra, and back. */
#include "cluster_compat.h"

#include "prefix.h"

#include "cluster_debug.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"
#include "core/nexthop_table.h"

/* A zebra that was started has its interfaces' routes in the RIB by then. */
#define SETTLE_US (3 * 1000000LL)

static struct nexthop_table *nexthops;
/* When zebra's "unresolved" is believed; 0: it is. */
static int64_t settle_us;

/*
 * A default route itself is followed by redistribution: 10.3's next-hop
 * tracking doesn't notice that one of the kernel has gone.  Others never
 * resolve by it.
 */
static void send_watch(const struct cluster_route_key *key, bool on)
{
	struct zclient *zclient = zebra_client();
	struct vrf *vrf = zebra_vrf_told(key->vrf);
	struct prefix p;

	if (!zclient || !vrf)
		return;
	zebra_key_prefix(key, &p);
	if (p.prefixlen == 0)
		zebra_redistribute_default_send(on ? ZEBRA_REDISTRIBUTE_DEFAULT_ADD
						   : ZEBRA_REDISTRIBUTE_DEFAULT_DELETE,
						zclient, family2afi(p.family),
						vrf->vrf_id);
	else
		zclient_send_rnh(zclient,
				 on ? ZEBRA_NEXTHOP_REGISTER
				    : ZEBRA_NEXTHOP_UNREGISTER,
				 &p, SAFI_UNICAST, false, false, vrf->vrf_id);
}

static void nexthop_watch(const struct cluster_route_key *key)
{
	send_watch(key, true);
}

static void nexthop_unwatch(const struct cluster_route_key *key)
{
	send_watch(key, false);
}

static const struct nexthop_table_ops nexthop_ops = {
	.watch = nexthop_watch,
	.unwatch = nexthop_unwatch,
};

bool zebra_nexthop_note(const struct cluster_route_key *key, int matched)
{
	return nexthop_table_update(nexthops, key, matched);
}

void zebra_nexthop_lost(void)
{
	nexthop_table_disconnected(nexthops);
	settle_us = 0;
}

void zebra_nexthop_connected(int64_t now_us)
{
	settle_us = now_us + SETTLE_US;
}

void zebra_nexthop_poll(int64_t now_us)
{
	if (!settle_us || now_us < settle_us)
		return;
	settle_us = 0;
	if (nexthop_table_settled(nexthops))
		cluster_sched_decide();
}

void zebra_nexthop_vrf_gone(const struct vrf *vrf)
{
	nexthop_table_vrf_gone(nexthops, vrf->name);
}

void zebra_nexthop_resend(const char *vrf)
{
	nexthop_table_resend(nexthops, vrf);
}

void zebra_nexthop_updated(struct vrf *vrf, struct prefix *match,
			   struct zapi_route *nhr)
{
	struct cluster_route_key key;
	int matched = nhr->nexthop_num ? nhr->prefix.prefixlen
				       : NEXTHOP_UNRESOLVED;

	if (!vrf || zebra_alive_heard(vrf, match) ||
	    !zebra_prefix_key(match, vrf->vrf_id, &key))
		return;
	ZEBRA_DEBUG("next hop %pIA in %s: %sresolved", &key.addr, key.vrf,
		    nhr->nexthop_num ? "" : "un");
	/*
	 * zebra doesn't take up an unreachable next hop again by itself: not
	 * even the one that we took to be resolved all the time.
	 */
	if (nhr->nexthop_num && is_host_route(match))
		zebra_routes_resend(key.vrf, &key.addr);
	if (zebra_nexthop_note(&key, matched))
		cluster_sched_decide();
}

static void watched_key(const char *vrf, const struct prefix *p,
			struct cluster_route_key *key)
{
	struct ipaddr addr;

	cluster_prefix_addr(p, &addr);
	cluster_route_prefix(key, vrf, &addr, p->prefixlen);
}

void cluster_zebra_prefix_get(const char *vrf, const struct prefix *p)
{
	struct cluster_route_key key;

	watched_key(vrf, p, &key);
	nexthop_table_get(nexthops, &key);
}

void cluster_zebra_prefix_put(const char *vrf, const struct prefix *p)
{
	struct cluster_route_key key;

	watched_key(vrf, p, &key);
	nexthop_table_put(nexthops, &key);
}

bool cluster_zebra_prefix_present(const char *vrf, const struct prefix *p)
{
	struct cluster_route_key key;

	watched_key(vrf, p, &key);
	/* A probe has seen zebra go: of its verdict nothing is left to keep. */
	return zebra_client() &&
	       nexthop_table_heard(nexthops, &key) == p->prefixlen;
}

bool cluster_zebra_prefix_answered(const char *vrf, const struct prefix *p)
{
	struct cluster_route_key key;

	watched_key(vrf, p, &key);
	return nexthop_table_answered(nexthops, &key);
}

static void nexthop_key(const char *vrf, const struct ipaddr *addr,
			struct cluster_route_key *key)
{
	memset(key, 0, sizeof(*key));
	strlcpy(key->vrf, vrf, sizeof(key->vrf));
	key->addr = *addr;
}

void cluster_zebra_nexthop_get(const char *vrf, const struct ipaddr *addr)
{
	struct cluster_route_key key;

	nexthop_key(vrf, addr, &key);
	nexthop_table_get(nexthops, &key);
}

void cluster_zebra_nexthop_put(const char *vrf, const struct ipaddr *addr)
{
	struct cluster_route_key key;

	nexthop_key(vrf, addr, &key);
	nexthop_table_put(nexthops, &key);
}

int cluster_zebra_nexthop_matched(const char *vrf, const struct ipaddr *addr)
{
	struct cluster_route_key key;

	nexthop_key(vrf, addr, &key);
	return zebra_client() ? nexthop_table_matched(nexthops, &key)
			      : NEXTHOP_UNRESOLVED;
}

bool cluster_zebra_nexthop_resolved(const char *vrf, const struct ipaddr *addr)
{
	return cluster_zebra_nexthop_matched(vrf, addr) != NEXTHOP_UNRESOLVED;
}

void zebra_nexthop_init(void)
{
	nexthops = nexthop_table_new(&nexthop_ops);
}

void zebra_nexthop_fini(void)
{
	nexthop_table_free(&nexthops);
}
