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
#include "core/config_reading.h"
#include "vip/bgp_peers_state.h"
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
	bool connected = cluster_zebra_connected();
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

/* -- VIPs and guests: what is announced -- */

/* One of them, whichever it is. */
struct subject {
	const char *vrf;
	uint32_t tag;
	struct vip_attributes *attributes; /* NULL: none */
	struct bgp_announced *announced;
};

DECLARE_DLIST(bgp_guests, struct bgp_guest, item);
static struct bgp_guests_head guests = INIT_DLIST(guests);

static struct subject subject_vip(struct vip *vip)
{
	return (struct subject){ vip->vrf, vip->tag, vip->attributes,
				 &vip->announced };
}

static struct subject subject_guest(struct bgp_guest *guest)
{
	return (struct subject){ guest->vrf, guest->tag, &guest->attributes,
				 &guest->announced };
}

/* All of them; to be freed. */
static struct subject *subjects_collect(size_t *n)
{
	struct subject *subjects;
	struct bgp_guest *guest;
	struct vip *vip;

	subjects = XCALLOC(MTYPE_BGP_USES,
			   (vips_count(&vips) + bgp_guests_count(&guests) + 1) *
				   sizeof(*subjects));
	*n = 0;
	frr_each (vips, &vips, vip)
		subjects[(*n)++] = subject_vip(vip);
	frr_each (bgp_guests, &guests, guest)
		subjects[(*n)++] = subject_guest(guest);
	return subjects;
}

static bool announced_same(const struct subject *subject)
{
	const struct vip_attributes *a = subject->attributes;
	const struct vip_attributes *b = subject->announced->attributes;

	if (!subject->announced->valid ||
	    subject->announced->tag != subject->tag ||
	    (a ? a->drain_tag : 0) != (b ? b->drain_tag : 0) ||
	    vip_attributes_empty(a) != vip_attributes_empty(b))
		return false;
	return vip_attributes_empty(a) || !vip_attributes_cmp(a, b);
}

static void announced_clear(struct bgp_announced *announced)
{
	XFREE(MTYPE_VIP_ANNOUNCED, announced->attributes);
	announced->valid = false;
	stale = true;
}

void bgp_policy_forget(struct vip *vip)
{
	announced_clear(&vip->announced);
}

/* From now on it is announced as it is configured. */
static void announced_set(const struct subject *subject)
{
	struct bgp_announced *announced = subject->announced;

	announced_clear(announced);
	if (subject->attributes) {
		announced->attributes = XMALLOC(MTYPE_VIP_ANNOUNCED,
						sizeof(*announced->attributes));
		*announced->attributes = *subject->attributes;
	}
	announced->tag = subject->tag;
	announced->valid = true;
}

/* Whether the tags of its configuration can be used. */
static bool can_announce(const struct subject *subject)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(subject->vrf);

	return !subject->announced->valid || !kept(vrf) ||
	       (!pending && bgp_keeper_has_all(keeper, vrf->route_map));
}

/* Brings up to date what may be; true if there was anything. */
static bool subjects_announce(void)
{
	struct subject *subjects;
	bool any = false;
	size_t n;

	waiting = false;
	subjects = subjects_collect(&n);
	for (size_t i = 0; i < n; i++) {
		if (announced_same(&subjects[i]))
			continue;
		if (can_announce(&subjects[i])) {
			announced_set(&subjects[i]);
			any = true;
		} else
			waiting = true;
	}
	XFREE(MTYPE_BGP_USES, subjects);
	return any;
}

/* Tells sets of attributes with one hash apart. */
static void tags_resolve(void)
{
	struct vip_attributes **sets;
	struct subject *subjects;
	size_t n_subjects, n = 0;

	subjects = subjects_collect(&n_subjects);
	sets = XCALLOC(MTYPE_BGP_USES, (2 * n_subjects + 1) * sizeof(*sets));
	for (size_t i = 0; i < n_subjects; i++) {
		struct subject *subject = &subjects[i];

		if (!vip_attributes_empty(subject->attributes))
			sets[n++] = subject->attributes;
		if (!vip_attributes_empty(subject->announced->attributes))
			sets[n++] = subject->announced->attributes;
	}
	vip_policy_resolve(sets, n);
	XFREE(MTYPE_BGP_USES, sets);
	XFREE(MTYPE_BGP_USES, subjects);
}

/* The entries of a VRF's map; returns a tag that means two things, or 0. */
static uint32_t wanted_build(const char *name, struct bgp_texts *texts,
			     const struct bgp_nexthops *nexthops)
{
	struct subject *subjects;
	size_t n_subjects, n = 0;
	uint32_t conflict;
	struct bgp_use *uses;

	subjects = subjects_collect(&n_subjects);
	uses = XCALLOC(MTYPE_BGP_USES, (2 * n_subjects + 1) * sizeof(*uses));
	for (size_t i = 0; i < n_subjects; i++) {
		const struct subject *subject = &subjects[i];

		if (strcmp(subject->vrf, name) != 0)
			continue;
		uses[n].tag = subject->tag;
		uses[n++].attributes = subject->attributes;
		if (!subject->announced->valid || announced_same(subject))
			continue;
		uses[n].tag = subject->announced->tag;
		uses[n++].attributes = subject->announced->attributes;
	}
	conflict = bgp_wanted_build(texts, uses, n, nexthops);
	XFREE(MTYPE_BGP_USES, uses);
	XFREE(MTYPE_BGP_USES, subjects);
	return conflict;
}

void bgp_guest_set(struct bgp_guest *guest, const char *vrf, uint32_t tag,
		   const struct vip_attributes *attributes)
{
	bool moves = strcmp(guest->vrf, vrf) != 0;

	if (guest->present && !moves && guest->tag == tag &&
	    !vip_attributes_cmp(&guest->attributes, attributes))
		return;
	if (!guest->present)
		bgp_guests_add_tail(&guests, guest);
	/* In another VRF all its routes are new. */
	if (moves)
		announced_clear(&guest->announced);
	guest->present = true;
	strlcpy(guest->vrf, vrf, sizeof(guest->vrf));
	guest->tag = tag;
	guest->attributes = *attributes;
	bgp_policy_changed();
}

void bgp_guest_drop(struct bgp_guest *guest)
{
	if (!guest->present)
		return;
	announced_clear(&guest->announced);
	bgp_guests_del(&guests, guest);
	guest->present = false;
	bgp_policy_changed();
}

bool bgp_guest_tag(const struct bgp_guest *guest, uint32_t *tag)
{
	static const struct vip_phase normal = VIP_PHASE_NORMAL;

	if (!guest->present || !guest->announced.valid)
		return false;
	*tag = vip_policy_tag(guest->announced.attributes, guest->announced.tag,
			      &normal);
	return true;
}

bool bgp_policy_kept(const char *vrf)
{
	return kept(bgp_vrf_find(vrf));
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
	bgp_keeper_hold(keeper, config_reading_now());
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
	if (subjects_announce()) {
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

const char *bgp_policy_vrf_next(const char *last)
{
	const char *next = NULL;
	struct bgp_vrf *vrf;
	struct vip *vip;

	frr_each (bgp_vrfs, &bgp_vrfs, vrf)
		if (strcmp(vrf->name, last) > 0 &&
		    (!next || strcmp(vrf->name, next) < 0))
			next = vrf->name;
	frr_each (vips, &vips, vip)
		if (strcmp(vip->vrf, last) > 0 &&
		    (!next || strcmp(vip->vrf, next) < 0))
			next = vip->vrf;
	return next;
}

void bgp_policy_nexthops(const char *name, struct bgp_nexthops *nexthops)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(name);

	if (vrf) {
		nexthops_of(vrf, nexthops);
		return;
	}
	memset(nexthops, 0, sizeof(*nexthops));
	for (int family = 0; family < 2; family++) {
		struct ipaddr addr = nexthop_wanted(name, family);

		if (addr.ipa_type != IPADDR_NONE &&
		    cluster_zebra_address_owner(name, &addr))
			nexthop_take(nexthops, &addr);
	}
}

void bgp_policy_wanted(const char *name, struct bgp_texts *texts)
{
	struct bgp_nexthops nexthops;

	bgp_policy_nexthops(name, &nexthops);
	wanted_build(name, texts, &nexthops);
}

size_t bgp_policy_vips(const char *vrf, size_t *n_waiting)
{
	struct vip *vip;
	size_t n = 0;

	*n_waiting = 0;
	frr_each (vips, &vips, vip) {
		struct subject subject = subject_vip(vip);

		if (strcmp(vip->vrf, vrf) != 0)
			continue;
		n++;
		*n_waiting += !announced_same(&subject);
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
	bgp_look_init();
}

void bgp_policy_fini(void)
{
	struct bgp_vrf *vrf;

	bgp_look_fini();
	bgp_peers_fini();
	bgp_peers_state_fini();
	bgp_nb_fini();
	bgp_vty_stop();
	keeper = NULL;
	while ((vrf = bgp_vrfs_pop(&bgp_vrfs)))
		XFREE(MTYPE_BGP_VRF, vrf);
}
