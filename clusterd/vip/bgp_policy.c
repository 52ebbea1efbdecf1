// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the VIPs' attributes to bgpd's route-maps, and back.
 *
 *   VIPs' attributes --bgp_wanted--> entries --bgp_keeper--> bgpd
 *        |                                         |
 *        +----- announced with them <--------------+ has all entries
 *
 * A route's tag may change only to one that bgpd's map knows: else the route
 * would be withdrawn until bgpd looks at the changed map, 5 s later.  So a VIP
 * goes on with the attributes that it is announced with until the map has the
 * entries of the new ones, and the map keeps the old entries until then.  A
 * VIP that was not announced yet has nothing to lose, and doesn't wait.
 *
 * The next hops are addresses of this node.  One that disappears is kept for
 * a while: interfaces are read anew when zebra comes back.
 *
 * Spec: vip.md, "The one route-map".
 */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "vip/bgp_policy.h"
#include "vip/bgp_vty.h"
#include "vip/vip_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, BGP_VRF, "BGP policy of a VRF");
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_USES, "BGP policy in use");
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_ANNOUNCED, "VIP attributes in use");

struct bgp_vrfs_head bgp_vrfs = INIT_RBTREE_UNIQ(bgp_vrfs);
static struct bgp_keeper *keeper;
static bool stale;   /* the wanted entries have to be looked at */
static bool waiting; /* some VIP waits for bgpd */
static bool ready;   /* as the keeper last said: all maps have all entries */
static bool pending; /* next hops aren't known yet: the maps are left alone */
static int64_t zebra_since_us; /* first connected; 0: not yet */

/* zebra tells router IDs and addresses within so long. */
#define ZEBRA_TELLS_US (2 * 1000000LL)

int bgp_vrf_cmp(const struct bgp_vrf *a, const struct bgp_vrf *b)
{
	return strcmp(a->name, b->name);
}

struct bgp_vrf *bgp_vrf_find(const char *name)
{
	struct bgp_vrf ref;

	strlcpy(ref.name, name, sizeof(ref.name));
	return bgp_vrfs_find(&bgp_vrfs, &ref);
}

static void status_set(struct bgp_vrf *vrf, enum bgp_map_why why)
{
	vrf->why = why;
	vrf->since_us = cluster_now_us();
	vrf->since_wall = time(NULL);
}

struct bgp_vrf *bgp_vrf_add(const char *name)
{
	struct bgp_vrf *vrf = XCALLOC(MTYPE_BGP_VRF, sizeof(*vrf));

	strlcpy(vrf->name, name, sizeof(vrf->name));
	bgp_vrfs_add(&bgp_vrfs, vrf);
	status_set(vrf, BGP_MAP_UNREAD);
	bgp_policy_changed();
	return vrf;
}

void bgp_vrf_del(struct bgp_vrf *vrf)
{
	bgp_vrfs_del(&bgp_vrfs, vrf);
	XFREE(MTYPE_BGP_VRF, vrf);
	bgp_policy_changed();
}

void bgp_policy_stale(void)
{
	stale = true;
}

void bgp_policy_changed(void)
{
	stale = true;
	cluster_sched_decide();
}

/* The VRF's map is one that is kept. */
static bool kept(const struct bgp_vrf *vrf)
{
	return vrf && vrf->route_map[0] && !vrf->duplicate;
}

const char *bgp_vrf_status(const struct bgp_vrf *vrf)
{
	return vrf->duplicate ? "invalid" : bgp_map_why_name(vrf->why);
}

/* -- next hops -- */

/* The address that is to be the next hop; IPADDR_NONE: none. */
static struct ipaddr nexthop_wanted(const char *name, int family)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(name);
	struct ipaddr addr = { .ipa_type = IPADDR_NONE };

	if (vrf && vrf->unchanged)
		return addr;
	if (vrf && vrf->nexthop[family].ipa_type != IPADDR_NONE)
		return vrf->nexthop[family];
	if (family == 0 && cluster_zebra_router_id(name, &addr.ipaddr_v4))
		addr.ipa_type = IPADDR_V4;
	return addr;
}

static void nexthop_take(struct bgp_nexthops *nexthops,
			 const struct ipaddr *addr)
{
	if (IS_IPADDR_V4(addr))
		nexthops->v4 = addr->ipaddr_v4;
	else if (IS_IPADDR_V6(addr))
		nexthops->v6 = addr->ipaddr_v6;
}

static void nexthops_of(const struct bgp_vrf *vrf, struct bgp_nexthops *nexthops)
{
	memset(nexthops, 0, sizeof(*nexthops));
	for (int family = 0; family < 2; family++)
		if (vrf->own[family].state == BGP_OWN_USED)
			nexthop_take(nexthops, &vrf->own[family].wanted);
}

static void own_update(struct bgp_vrf *vrf, bool connected, int64_t now_us)
{
	for (int family = 0; family < 2; family++) {
		struct ipaddr addr = nexthop_wanted(vrf->name, family);
		enum bgp_own_state before = vrf->own[family].state;
		struct ipaddr addr_before = vrf->own[family].wanted;
		/* Without zebra nothing is known, and nothing changes. */
		bool local = connected ? cluster_zebra_address_owner(vrf->name,
								     &addr) !=
						 NULL
				       : before == BGP_OWN_USED;
		int64_t at_us = bgp_own_update(&vrf->own[family], &addr, local,
					       now_us);

		if (at_us)
			cluster_sched_decide_at(at_us);
		stale |= before != vrf->own[family].state ||
			 ipaddr_cmp(&addr_before, &addr) != 0;
	}
}

/* Router ID and interfaces may still be read: maps are not touched before. */
static bool own_pending(const struct bgp_vrf *vrf, int64_t now_us)
{
	if (vrf->own[0].state == BGP_OWN_PENDING ||
	    vrf->own[1].state == BGP_OWN_PENDING)
		return true;
	return !vrf->unchanged && vrf->own[0].state == BGP_OWN_NONE &&
	       now_us < zebra_since_us + ZEBRA_TELLS_US;
}

static void nexthops_update(int64_t now_us)
{
	bool connected = cluster_zebra_state(NULL, 0) == CLUSTER_ZEBRA_CONNECTED;
	struct bgp_vrf *vrf;

	if (connected && !zebra_since_us) {
		zebra_since_us = now_us;
		cluster_sched_decide_at(now_us + ZEBRA_TELLS_US);
	}
	pending = !zebra_since_us;
	frr_each (bgp_vrfs, &bgp_vrfs, vrf) {
		own_update(vrf, connected, now_us);
		pending |= kept(vrf) && own_pending(vrf, now_us);
	}
}

/* -- VIPs -- */

static bool announced_same(const struct vip *vip)
{
	const struct vip_attributes *a = vip->attributes;
	const struct vip_attributes *b = vip->announced.attributes;

	if (!vip->announced.valid || vip->announced.tag != vip->tag ||
	    (a ? a->drain_tag : 0) != (b ? b->drain_tag : 0) ||
	    vip_attributes_empty(a) != vip_attributes_empty(b))
		return false;
	return vip_attributes_empty(a) || !vip_attributes_cmp(a, b);
}

void bgp_policy_forget(struct vip *vip)
{
	XFREE(MTYPE_VIP_ANNOUNCED, vip->announced.attributes);
	vip->announced.valid = false;
	stale = true;
}

/* From now on the VIP is announced as it is configured. */
static void announced_set(struct vip *vip)
{
	bgp_policy_forget(vip);
	if (vip->attributes) {
		vip->announced.attributes = XMALLOC(MTYPE_VIP_ANNOUNCED,
						    sizeof(*vip->attributes));
		*vip->announced.attributes = *vip->attributes;
	}
	vip->announced.tag = vip->tag;
	vip->announced.valid = true;
}

/* Whether the tags of the VIP's configuration can be used. */
static bool can_announce(const struct vip *vip)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(vip->vrf);

	return !vip->announced.valid || !kept(vrf) ||
	       (!pending && bgp_keeper_has_all(keeper, vrf->route_map));
}

/* Brings VIPs up to date that may be; true if there were any. */
static bool vips_announce(void)
{
	bool any = false;
	struct vip *vip;

	waiting = false;
	frr_each (vips, &vips, vip) {
		if (announced_same(vip))
			continue;
		if (can_announce(vip)) {
			announced_set(vip);
			any = true;
		} else
			waiting = true;
	}
	return any;
}

/* Tells sets of attributes with one hash apart. */
static void tags_resolve(void)
{
	struct vip_attributes **sets;
	struct vip *vip;
	size_t n = 0;

	sets = XCALLOC(MTYPE_BGP_USES,
		       (2 * vips_count(&vips) + 1) * sizeof(*sets));
	frr_each (vips, &vips, vip) {
		if (!vip_attributes_empty(vip->attributes))
			sets[n++] = vip->attributes;
		if (!vip_attributes_empty(vip->announced.attributes))
			sets[n++] = vip->announced.attributes;
	}
	vip_policy_resolve(sets, n);
	XFREE(MTYPE_BGP_USES, sets);
}

/* The entries of a VRF's map; returns a tag that means two things, or 0. */
static uint32_t wanted_build(const char *name, struct bgp_texts *texts,
			     const struct bgp_nexthops *nexthops)
{
	uint32_t conflict;
	struct bgp_use *uses;
	struct vip *vip;
	size_t n = 0;

	uses = XCALLOC(MTYPE_BGP_USES,
		       (2 * vips_count(&vips) + 1) * sizeof(*uses));
	frr_each (vips, &vips, vip) {
		if (strcmp(vip->vrf, name) != 0)
			continue;
		uses[n].tag = vip->tag;
		uses[n++].attributes = vip->attributes;
		if (!vip->announced.valid || announced_same(vip))
			continue;
		uses[n].tag = vip->announced.tag;
		uses[n++].attributes = vip->announced.attributes;
	}
	conflict = bgp_wanted_build(texts, uses, n, nexthops);
	XFREE(MTYPE_BGP_USES, uses);
	return conflict;
}

/* Tells the keeper what to keep. */
static void keeper_set(int64_t now_us)
{
	size_t n = 0, n_max = bgp_vrfs_count(&bgp_vrfs);
	struct bgp_keep *keeps;
	struct bgp_vrf *vrf;

	keeps = XCALLOC(MTYPE_BGP_USES, (n_max + 1) * sizeof(*keeps));
	frr_each (bgp_vrfs, &bgp_vrfs, vrf) {
		struct bgp_nexthops nexthops;

		if (!kept(vrf))
			continue;
		strlcpy(keeps[n].name, vrf->route_map, sizeof(keeps[n].name));
		nexthops_of(vrf, &nexthops);
		vrf->conflict = wanted_build(vrf->name, &keeps[n++].wanted,
					     &nexthops);
	}
	bgp_keeper_hold(keeper, cluster_sched_held());
	bgp_keeper_set(keeper, keeps, n, now_us);
	XFREE(MTYPE_BGP_USES, keeps);
}

/* Of two maps with one name, that of the first VRF counts. */
static void duplicates_mark(void)
{
	struct bgp_vrf *vrf, *other;

	frr_each (bgp_vrfs, &bgp_vrfs, vrf) {
		vrf->duplicate = false;
		frr_each (bgp_vrfs, &bgp_vrfs, other) {
			if (other == vrf)
				break;
			if (vrf->route_map[0] &&
			    !strcmp(other->route_map, vrf->route_map))
				vrf->duplicate = true;
		}
	}
}

static bool all_ready(void)
{
	struct bgp_vrf *vrf;

	frr_each (bgp_vrfs, &bgp_vrfs, vrf)
		if (kept(vrf) && !bgp_keeper_has_all(keeper, vrf->route_map))
			return false;
	return true;
}

void bgp_policy_update(int64_t now_us)
{
	nexthops_update(now_us);
	if (!stale && !(waiting && ready))
		return;
	stale = false;
	tags_resolve();
	duplicates_mark();
	if (!pending)
		keeper_set(now_us);
	/* What is not used any more goes out of the wanted entries. */
	if (vips_announce()) {
		tags_resolve();
		if (!pending)
			keeper_set(now_us);
	}
	stale = pending;
	ready = all_ready();
}

/* -- the keeper -- */

static bool worth_a_word(enum bgp_map_why why)
{
	return why == BGP_MAP_IN_STEP || why == BGP_MAP_AWAY ||
	       why == BGP_MAP_BACKOFF || why == BGP_MAP_FULL;
}

static void status_log(const struct bgp_vrf *vrf)
{
	char why[BGP_WHY_LEN];

	bgp_vrf_why(vrf, why, sizeof(why));
	if (vrf->why == BGP_MAP_BACKOFF || vrf->why == BGP_MAP_FULL)
		flog_warn(EC_CLUSTER_BGP_MAP, "route-map %s: %s",
			  vrf->route_map, why);
	else if (worth_a_word(vrf->why))
		zlog_info("route-map %s: %s%s%s", vrf->route_map,
			  bgp_vrf_status(vrf), why[0] ? ": " : "", why);
	else
		VIP_DEBUG("route-map %s: %s%s%s", vrf->route_map,
			  bgp_vrf_status(vrf), why[0] ? ": " : "", why);
}

static void status_event(const struct bgp_vrf *vrf, const char *before)
{
	char why[BGP_WHY_LEN];

	bgp_vrf_why(vrf, why, sizeof(why));
	cluster_event(&(struct event_change){
		.kind = EVENT_BGP_MAP,
		.name = vrf->route_map,
		.vrf = vrf->name,
		.before = before,
		.after = bgp_vrf_status(vrf),
		.why = why,
	});
}

static void keeper_changed(void)
{
	struct bgp_map_view view;
	const char *before;
	struct bgp_vrf *vrf;

	frr_each (bgp_vrfs, &bgp_vrfs, vrf) {
		if (!kept(vrf) || !bgp_policy_map(vrf, &view) ||
		    view.why == vrf->why)
			continue;
		before = bgp_vrf_status(vrf);
		status_set(vrf, view.why);
		status_event(vrf, before);
		status_log(vrf);
		bgp_notify(vrf);
	}
	if (ready == all_ready())
		return;
	ready = !ready;
	if (waiting)
		cluster_sched_decide();
}

void bgp_policy_keeper(struct bgp_keeper_view *view)
{
	bgp_keeper_view(keeper, view);
}

bool bgp_policy_map(const struct bgp_vrf *vrf, struct bgp_map_view *view)
{
	return bgp_keeper_map_view(keeper, vrf->route_map, cluster_now_us(),
				   view);
}

void bgp_policy_wanted(const char *name, struct bgp_texts *texts,
		       struct bgp_nexthops *nexthops)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(name);
	struct bgp_nexthops own = {};

	if (vrf)
		nexthops_of(vrf, &own);
	else
		for (int family = 0; family < 2; family++) {
			struct ipaddr addr = nexthop_wanted(name, family);

			if (addr.ipa_type != IPADDR_NONE &&
			    cluster_zebra_address_owner(name, &addr))
				nexthop_take(&own, &addr);
		}
	wanted_build(name, texts, &own);
	if (nexthops)
		*nexthops = own;
}

size_t bgp_policy_vips(const char *vrf, size_t *n_waiting)
{
	struct vip *vip;
	size_t n = 0;

	*n_waiting = 0;
	frr_each (vips, &vips, vip) {
		if (strcmp(vip->vrf, vrf) != 0)
			continue;
		n++;
		*n_waiting += !announced_same(vip);
	}
	return n;
}

/* -- reasons -- */

static const char *map_text(const struct bgp_vrf *vrf, char *buf, size_t len)
{
	struct bgp_keeper_view view;

	bgp_policy_keeper(&view);
	switch (vrf->why) {
	case BGP_MAP_AWAY:
		return "bgpd does not listen on its vty socket: it does not run, or clusterd must not open it";
	case BGP_MAP_UNREAD:
		return "not read from bgpd yet";
	case BGP_MAP_SETTLING:
		return "bgpd has just started and may be loading its configuration";
	case BGP_MAP_LOADING:
		return "a configuration is being loaded";
	case BGP_MAP_MOVING:
		return "somebody edits the map: waiting for two equal readings";
	case BGP_MAP_WRITING:
		return "being written";
	case BGP_MAP_FULL:
		return "more entries are needed than a route-map can have, 65535: use fewer different sets of attributes";
	case BGP_MAP_BACKOFF:
		snprintf(buf, len, "%s; tried again in %lld s", view.last_error,
			 (long long)(view.retry_us - cluster_now_us() + 999999) /
				 1000000);
		return buf;
	case BGP_MAP_IN_STEP:
	case BGP_MAP_WHYS:
		break;
	}
	return "";
}

const char *bgp_vrf_why(const struct bgp_vrf *vrf, char *buf, size_t len)
{
	char scratch[BGP_WHY_LEN];
	size_t n;

	buf[0] = '\0';
	if (vrf->duplicate)
		strlcpy(buf,
			"the map of another VRF has the same name: each VRF has its own next hops, use another name",
			len);
	else if (vrf->route_map[0])
		strlcpy(buf, map_text(vrf, scratch, sizeof(scratch)), len);
	for (int family = 0; family < 2; family++) {
		const struct bgp_own *own = &vrf->own[family];

		if (own->state != BGP_OWN_FOREIGN)
			continue;
		n = strlen(buf);
		snprintfrr(buf + n, len - n,
			   "%snext hop %pIA is not an address of this node and not set: configure it on an interface, or use `cluster bgp next-hop`",
			   n ? "; " : "", &own->wanted);
	}
	if (vrf->conflict) {
		n = strlen(buf);
		snprintf(buf + n, len - n,
			 "%stag %u is wanted for different things: change `tag` or `drain-tag`",
			 n ? "; " : "", vrf->conflict);
	}
	return buf;
}

void bgp_policy_init(void)
{
	keeper = bgp_vty_start(keeper_changed);
	bgp_cli_init();
	bgp_show_init();
	bgp_peers_init();
}

void bgp_policy_fini(void)
{
	bgp_peers_fini();
	struct bgp_vrf *vrf;

	bgp_vty_stop();
	keeper = NULL;
	while ((vrf = bgp_vrfs_pop(&bgp_vrfs)))
		XFREE(MTYPE_BGP_VRF, vrf);
}
