// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VIPs: from the configuration to routes and states.
 *
 *   vip_nb.c --config--> objects --vip_changed()--> dirty list
 *   probes, zebra --"something changed"--> cluster_sched: decide
 *   decide: dirty objects take their holds (probes, next hops) and rebuild
 *           their part of the snapshot; the inputs of all are read again;
 *           vip_decide() makes the plan; core/cluster_zebra gets the routes;
 *           states follow from the plan and what zebra says of the routes
 *           (vip_report.c)
 *   zebra --a route's status--> report: a decision doesn't depend on it, so
 *           that only the states of the VIPs concerned follow, from the last
 *           plan.  10,000 routes are confirmed one by one.
 *
 * While decisions wait for the rest of a file (core/config_reading.h), what is
 * down by the configuration of the last one goes all the same, and comes back if
 * it wasn't for long.  VIPs that the file has changed so far stay as they are,
 * and what was not announced in the beginning waits for the end.
 *
 * Nothing is remembered from one decision to the next but the states shown,
 * and of each VIP how it flapped and drains: a decision gives that back in
 * its plan (see doc: rules at the head of vip_decide.h).
 */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/local_netlink.h"
#include "vip/bgp_policy.h"
#include "vip/vip_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, VIP, "VIP");
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_MEMBER, "VIP member");
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_ADDRESS, "VIP address");
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_ATTRIBUTES, "VIP attributes");
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_SNAPSHOT, "VIP snapshot");

DECLARE_DLIST(vip_dirty, struct vip, dirty_item);
DECLARE_DLIST(vip_unreported, struct vip, unreported_item);

/* A decision shorter than this may follow the last one at once. */
#define COST_FREE_US 500

struct vips_head vips = INIT_RBTREE_UNIQ(vips);
static struct vip_dirty_head dirty_vips = INIT_DLIST(dirty_vips);
static struct vip_unreported_head unreported_vips = INIT_DLIST(unreported_vips);

const struct vip_life_config vip_life_defaults = {
	.damping = VIP_DAMPING_DEFAULTS,
	.drain_us = VIP_DRAIN_DEFAULT_US,
};

static struct vip_plan *plan;
static struct vip_plan *half_plan;     /* of VIPs that aren't dirty */
static const struct vip_in **snapshot; /* of all VIPs, by name */
static struct vip **vip_of;	       /* parallel to it */
static size_t n_snapshot;
static bool snapshot_stale; /* a VIP came or went */
static int64_t quiet_until_us;

int vip_member_cmp(const struct vip_member *a, const struct vip_member *b)
{
	return ipaddr_cmp(&a->addr, &b->addr);
}

int vip_address_cmp(const struct vip_address *a, const struct vip_address *b)
{
	return ipaddr_cmp(&a->addr, &b->addr);
}

int vip_cmp(const struct vip *a, const struct vip *b)
{
	return strcmp(a->name, b->name);
}

struct vip *vip_find(const char *name)
{
	struct vip ref;

	strlcpy(ref.name, name, sizeof(ref.name));
	return vips_find(&vips, &ref);
}

struct vip_member *vip_member_find(struct vip *vip, const struct ipaddr *addr)
{
	struct vip_member ref;

	ref.addr = *addr;
	return vip_members_find(&vip->members, &ref);
}

struct vip_address *vip_address_find(struct vip *vip, const struct ipaddr *addr)
{
	struct vip_address ref;

	ref.addr = *addr;
	return vip_addresses_find(&vip->addresses, &ref);
}

void vip_changed(struct vip *vip)
{
	if (!vip->dirty) {
		vip->dirty = true;
		vip_dirty_add_tail(&dirty_vips, vip);
	}
	cluster_sched_decide();
}

struct vip_attributes *vip_attributes_edit(struct vip *vip)
{
	if (!vip->attributes)
		vip->attributes = XCALLOC(MTYPE_VIP_ATTRIBUTES,
					  sizeof(*vip->attributes));
	vip->attributes->base = 0;
	vip_changed(vip);
	return vip->attributes;
}

void vip_damping_forget(struct vip *vip)
{
	struct vip_address *address;

	for (size_t i = 0; i < array_size(vip->life.damping); i++)
		vip_damping_clear(&vip->life.damping[i]);
	frr_each (vip_addresses, &vip->addresses, address)
		vip_damping_clear(&address->damping);
	cluster_sched_decide();
}

void vip_config_default(struct vip *vip)
{
	strlcpy(vip->vrf, VIP_DEFAULT_VRF, sizeof(vip->vrf));
	vip->tag = VIP_DEFAULT_TAG;
	vip->metric = VIP_DEFAULT_METRIC;
	vip->distance = VIP_DEFAULT_DISTANCE;
	vip->min_up = VIP_DEFAULT_MIN_UP;
	vip->life_config = vip_life_defaults;
	vip->local_hold_ms = VIP_DEFAULT_HOLD_MS;
}

struct vip *vip_add(const char *name)
{
	struct vip *vip = XCALLOC(MTYPE_VIP, sizeof(*vip));

	strlcpy(vip->name, name, sizeof(vip->name));
	vip_config_default(vip);
	vip_members_init(&vip->members);
	vip_addresses_init(&vip->addresses);
	vip->state = VIP_WAITING;
	vip->reason.why = VIP_WHY_UNDECIDED;
	vip_since_now(&vip->since, cluster_now_us());
	vips_add(&vips, vip);
	snapshot_stale = true;
	vip_changed(vip);
	return vip;
}

struct vip_member *vip_member_add(struct vip *vip, const struct ipaddr *addr)
{
	struct vip_member *member = XCALLOC(MTYPE_VIP_MEMBER, sizeof(*member));

	member->vip = vip;
	member->addr = *addr;
	member->weight = VIP_DEFAULT_WEIGHT;
	member->why = VIP_WHY_UNDECIDED;
	vip_since_now(&member->since, cluster_now_us());
	vip_members_add(&vip->members, member);
	vip_changed(vip);
	return member;
}

void vip_address_add(struct vip *vip, const struct ipaddr *addr)
{
	struct vip_address *address = XCALLOC(MTYPE_VIP_ADDRESS,
					      sizeof(*address));

	address->vip = vip;
	address->addr = *addr;
	address->state = VIP_WAITING;
	address->reason.why = VIP_WHY_UNDECIDED;
	vip_since_now(&address->since, cluster_now_us());
	vip_addresses_add(&vip->addresses, address);
	vip_changed(vip);
}

static void member_free(struct vip_member *member)
{
	vip_member_release(member);
	XFREE(MTYPE_VIP_MEMBER, member);
}

void vip_member_del(struct vip_member *member)
{
	struct vip *vip = member->vip;

	vip_members_del(&vip->members, member);
	member_free(member);
	vip_changed(vip);
}

void vip_address_del(struct vip_address *address)
{
	struct vip *vip = address->vip;

	vip_report_address_removed(address);
	vip_addresses_del(&vip->addresses, address);
	vip_local_drop(address);
	XFREE(MTYPE_VIP_ADDRESS, address);
	vip_changed(vip);
}

static void snapshot_free(struct vip *vip)
{
	XFREE(MTYPE_VIP_SNAPSHOT, vip->in_members);
	XFREE(MTYPE_VIP_SNAPSHOT, vip->in_addresses);
	XFREE(MTYPE_VIP_SNAPSHOT, vip->member_of);
	XFREE(MTYPE_VIP_SNAPSHOT, vip->address_of);
	XFREE(MTYPE_VIP_SNAPSHOT, vip->in_locals);
}

static void vip_free(struct vip *vip)
{
	struct vip_member *member;
	struct vip_address *address;

	while ((member = vip_members_pop(&vip->members)))
		member_free(member);
	vip_members_fini(&vip->members);
	while ((address = vip_addresses_pop(&vip->addresses))) {
		vip_local_drop(address);
		XFREE(MTYPE_VIP_ADDRESS, address);
	}
	vip_addresses_fini(&vip->addresses);
	if (vip->dirty)
		vip_dirty_del(&dirty_vips, vip);
	if (vip->unreported)
		vip_unreported_del(&unreported_vips, vip);
	vip_drain_file_put(&vip->drain_file);
	vip_uplink_free(&vip->uplink);
	vip_also_clear(vip);
	vips_del(&vips, vip);
	snapshot_free(vip);
	bgp_policy_forget(vip);
	XFREE(MTYPE_VIP_ATTRIBUTES, vip->attributes);
	XFREE(MTYPE_VIP, vip);
	snapshot_stale = true;
	cluster_sched_decide();
}

void vip_del(struct vip *vip)
{
	vip_report_removed(vip);
	vip_free(vip);
}

/* NULL for no items. */
static void *array_new(size_t n, size_t item_size)
{
	return n ? XCALLOC(MTYPE_VIP_SNAPSHOT, n * item_size) : NULL;
}

/* A VIP's part of the snapshot: what only the configuration changes. */
static void vip_sync(struct vip *vip)
{
	struct vip_in *in = &vip->in;
	struct vip_member *member;
	struct vip_address *address;
	size_t i;

	frr_each (vip_members, &vip->members, member)
		vip_member_hold(member, member->why == VIP_WHY_OK);
	if (vip->uplink)
		vip_uplink_hold(vip->uplink, vip->vrf);
	frr_each (vip_addresses, &vip->addresses, address)
		vip_local_take(address);

	in->name = vip->name;
	in->vrf = vip->vrf;
	in->metric = vip->metric;
	in->distance = vip->distance;
	in->min_up = vip->min_up;
	in->fail_open = vip->life_config.fail_open;
	in->damping = &vip->life_config.damping;
	in->life = &vip->life;
	in->local = vip->local;
	in->local_hold_ms = vip->local_hold_ms;

	in->n_members = vip_members_count(&vip->members);
	in->n_addresses = vip_addresses_count(&vip->addresses);
	snapshot_free(vip);
	vip->in_members = array_new(in->n_members, sizeof(*vip->in_members));
	vip->member_of = array_new(in->n_members, sizeof(*vip->member_of));
	vip->in_addresses = array_new(in->n_addresses,
				      sizeof(*vip->in_addresses));
	vip->address_of = array_new(in->n_addresses, sizeof(*vip->address_of));
	in->members = vip->in_members;
	in->addresses = vip->in_addresses;
	vip->in_locals = array_new(vip->local ? in->n_addresses : 0,
				   sizeof(*vip->in_locals));
	in->locals = vip->in_locals;

	i = 0;
	frr_each (vip_members, &vip->members, member) {
		struct vip_member_in *member_in = &vip->in_members[i];

		vip->member_of[i++] = member;
		member_in->addr = member->addr;
		member_in->weight = member->weight;
		member_in->drain = member->drain;
		strlcpy(member_in->ifname, member->ifname,
			sizeof(member_in->ifname));
	}
	i = 0;
	frr_each (vip_addresses, &vip->addresses, address) {
		vip->in_addresses[i] = address->addr;
		vip->address_of[i++] = address;
	}
}

static enum vip_drain_cause drain_cause(const struct vip *vip)
{
	if (vip->shutdown)
		return VIP_DRAIN_SHUTDOWN;
	if (vip->life_config.drain)
		return VIP_DRAIN_COMMAND;
	if (vip_drain_file_exists(vip->drain_file))
		return VIP_DRAIN_FILE;
	return vip_exit_begun() ? VIP_DRAIN_EXIT : VIP_DRAIN_NONE;
}

static int64_t drain_us(const struct vip *vip)
{
	int64_t time_us = vip->life_config.drain_us;
	int64_t most_us = VIP_EXIT_MAX_US;

	if (!vip_exit_begun())
		return time_us;
	if (!vip->life_config.drain_on_exit || vip_exit_holds())
		return 0;
	/* The local route stays so long after the withdrawal. */
	if (vip->local)
		most_us -= vip->local_hold_ms * INT64_C(1000);
	return time_us < most_us ? time_us : most_us;
}

size_t vip_exit_drains(void)
{
	struct vip *vip;
	size_t n = 0;

	frr_each (vips, &vips, vip)
		n += vip->n_announced && vip->life_config.drain_on_exit &&
		     vip->life_config.drain_us;
	return n;
}

/* A VIP's part of the snapshot: what probes and zebra change. */
static void vip_refresh(struct vip *vip)
{
	vip->in.drain = drain_cause(vip);
	vip->in.drain_us = drain_us(vip);
	vip->in.uplink = vip_uplink_state(vip->uplink, vip->life.announced);
	vip->in.uplink_probe = vip->uplink ? vip->uplink->probe : "";
	vip->in.tag = vip->announced.tag;
	vip->in.attributes = vip->announced.attributes;
	for (size_t i = 0; i < vip->in.n_members; i++) {
		struct vip_member *member = vip->member_of[i];

		vip_member_review(member);
		vip->in_members[i].probe = vip_member_probe_state(member);
		vip->in_members[i].reachable = vip_member_reachable(member);
	}
	vip_local_refresh(vip);
}

static void snapshot_refresh(void)
{
	const char *vrf = NULL;
	bool vrf_ready = false, vrf_known = false;

	vip_nexthops_refresh();
	for (size_t i = 0; i < n_snapshot; i++) {
		struct vip *vip = vip_of[i];

		/* Mostly the VRF of the one before. */
		if (!vrf || strcmp(vrf, vip->vrf) != 0) {
			vrf = vip->vrf;
			vrf_ready = cluster_zebra_vrf_ready(vrf);
			vrf_known = cluster_zebra_vrf_known(vrf);
		}
		vip->in.vrf_ready = vrf_ready;
		vip->in.vrf_known = vrf_known;
		vip_refresh(vip);
	}
}

/* Of those that aren't dirty. */
static void snapshot_build(void)
{
	struct vip *vip;
	size_t n = vips_count(&vips);

	XFREE(MTYPE_VIP_SNAPSHOT, snapshot);
	XFREE(MTYPE_VIP_SNAPSHOT, vip_of);
	snapshot = array_new(n, sizeof(*snapshot));
	vip_of = array_new(n, sizeof(*vip_of));
	n_snapshot = 0;
	frr_each (vips, &vips, vip) {
		if (vip->dirty)
			continue;
		vip->index = n_snapshot;
		snapshot[n_snapshot] = &vip->in;
		vip_of[n_snapshot++] = vip;
	}
	snapshot_stale = false;
}

/* Of a member, or of the service of a local VIP, which has the probes of one. */
static const char *why_text(const struct vip_member *member, enum vip_why why,
			    char *buf, size_t len)
{
	char probe_why[VIP_WHY_LEN / 2] = "";
	struct vip_member_facts facts = {
		.why = why,
		.vrf = member->vip->vrf,
		.ifname = member->ifname,
		.probe = "",
		.probe_why = probe_why,
	};

	if (why == VIP_WHY_ZEBRA && !cluster_zebra_connected()) {
		cluster_zebra_state(buf, len);
		return buf;
	}
	vip_member_probe_facts(member, &facts, probe_why, sizeof(probe_why));
	return vip_member_text(&facts, buf, len);
}

const char *vip_address_why_text(const struct vip_address *address, char *buf,
				 size_t len)
{
	struct vip_reason reason = address->reason;

	if (address->reason.why == VIP_WHY_ZEBRA && !cluster_zebra_connected()) {
		cluster_zebra_state(buf, len);
		return buf;
	}
	if (address->service && (reason.why == VIP_WHY_PROBE_UNKNOWN ||
				 reason.why == VIP_WHY_PROBE_DOWN))
		return why_text(address->service, reason.why, buf, len);
	if (reason.until_us)
		vip_reason_left(&reason, cluster_now_us());
	vip_reason_text(&reason, &address->addr, buf, len);
	if (!buf[0] && bgp_look(address) == BGP_SEEN_NOT)
		bgp_look_text(address, buf, len);
	return buf;
}

/* The address that explains the VIP's state; NULL: none. */
static const struct vip_address *culprit(struct vip *vip)
{
	struct vip_address *address = vip_address_find(vip, &vip->culprit);

	if (address ? address->reason.why != VIP_WHY_OK
		    : vip->reason.why != VIP_WHY_OK)
		return address;
	/* Or that deserves a remark. */
	frr_each (vip_addresses, &vip->addresses, address)
		if (bgp_look(address) == BGP_SEEN_NOT)
			return address;
	return vip_address_find(vip, &vip->culprit);
}

void vip_address_life(const struct vip_address *address,
		      struct vip_address_life *life)
{
	const struct vip *vip = address->vip;
	int family = IS_IPADDR_V6(&address->addr) ? 1 : 0;
	int64_t now_us = cluster_now_us(), until_us = address->reason.until_us;
	const struct vip_damping *damping =
		vip->local ? &address->damping : &vip->life.damping[family];

	life->penalty = vip_damping_penalty(damping, &vip->life_config.damping,
					    now_us);
	life->weight = address->ramp ? address->ramp : VIP_RAMP_FULL;
	life->left_us = until_us > now_us ? until_us - now_us : 0;
}

const char *vip_member_why_text(const struct vip_member *member, char *buf,
				size_t len)
{
	return why_text(member, member->why, buf, len);
}

/* The first member that is missing explains more than a number does. */
static const struct vip_member *member_missing(struct vip *vip,
					       const struct vip_reason *reason)
{
	const struct vip_member *member;

	if (reason->why != VIP_WHY_TOO_FEW)
		return NULL;
	frr_each (vip_members_const, &vip->members, member)
		if (member->why != VIP_WHY_OK &&
		    member->addr.ipa_type == reason->family)
			return member;
	return NULL;
}

const char *vip_why_text(struct vip *vip, char *buf, size_t len)
{
	const struct vip_address *address = culprit(vip);
	const struct vip_member *member;
	char why[VIP_WHY_LEN], member_why[VIP_WHY_LEN] = "";

	if (!address)
		return vip_reason_text(&vip->reason, NULL, buf, len);
	vip_address_why_text(address, why, sizeof(why));
	member = member_missing(vip, &address->reason);
	if (member)
		vip_member_why_text(member, member_why, sizeof(member_why));

	/* Which address is meant matters only if there are several. */
	buf[0] = '\0';
	if (!why[0])
		return buf;
	if (vip_addresses_count(&vip->addresses) == 1 ||
	    address->reason.why == VIP_WHY_OWNED ||
	    address->reason.why == VIP_WHY_LOCAL ||
	    address->reason.why == VIP_WHY_SERVED_OWNED ||
	    address->reason.why == VIP_WHY_ZEBRA)
		strlcpy(buf, why, len);
	else
		snprintfrr(buf, len, "%pIA: %s", &address->addr, why);
	if (member_why[0])
		csnprintfrr(buf, len, "; %pIA: %s", &member->addr, member_why);
	return buf;
}

/*
 * A decision about many VIPs takes milliseconds: at most half of the time goes
 * into them, so that what comes in small groups (verdicts, next hops, local
 * routes) is taken in by larger ones.
 */
static bool decided_lately(int64_t now_us)
{
	if (now_us >= quiet_until_us)
		return false;
	cluster_sched_decide_at(quiet_until_us);
	return true;
}

static void decision_cost(int64_t cost_us, int64_t now_us)
{
	quiet_until_us = cost_us > COST_FREE_US ? now_us + 2 * cost_us : 0;
}

/*
 * Before the end of a file.  Flaps and drains are remembered all the same: that
 * a VIP was wanted which wasn't announced only spares it a wait at the end.
 */
static void decide_half(int64_t now_us)
{
	struct cluster_route *routes;
	struct local_want *locals;
	int64_t look_again_us;
	size_t n;

	if (decided_lately(now_us))
		return;
	snapshot_build();
	snapshot_stale = true; /* it isn't that of the plan */
	snapshot_refresh();
	vip_decide(half_plan, snapshot, n_snapshot, now_us);

	/* In decide()'s order. */
	locals = array_new(plan->n_locals, sizeof(*locals));
	n = vip_plan_locals_left(plan, half_plan, locals);
	local_routes_set(locals, n);
	XFREE(MTYPE_VIP_SNAPSHOT, locals);
	routes = array_new(plan->n_routes, sizeof(*routes));
	n = vip_plan_left(plan, half_plan, routes);
	cluster_zebra_routes_set(CLUSTER_OWNER_VIP, routes, n);
	XFREE(MTYPE_VIP_SNAPSHOT, routes);

	vip_report_begin(now_us);
	for (size_t i = 0; i < n_snapshot; i++) {
		vip_of[i]->life = half_plan->vips[i].life;
		vip_local_remember(vip_of[i], &half_plan->vips[i]);
		vip_report_members(vip_of[i], &half_plan->vips[i]);
		vip_report_addresses(vip_of[i], &half_plan->vips[i]);
	}
	look_again_us = vip_report_end();
	if (half_plan->next_us &&
	    (!look_again_us || half_plan->next_us < look_again_us))
		look_again_us = half_plan->next_us;
	if (look_again_us)
		cluster_sched_decide_at(look_again_us);
	decision_cost(cluster_now_us() - now_us, now_us);
}

static void decide(int64_t now_us)
{
	int64_t look_again_us, cost_us;
	size_t n_draining = 0;
	struct vip *vip;

	if (decided_lately(now_us))
		return;

	while ((vip = vip_dirty_pop(&dirty_vips))) {
		vip->dirty = false;
		vip_sync(vip);
		bgp_policy_stale();
	}
	bgp_policy_update(now_us);
	if (snapshot_stale)
		snapshot_build();
	snapshot_refresh();

	vip_decide(plan, snapshot, n_snapshot, now_us);
	/* First: what goes is held until zebra has taken it away. */
	local_routes_set(plan->locals, plan->n_locals);
	cluster_zebra_routes_set(CLUSTER_OWNER_VIP, plan->routes,
				 plan->n_routes);

	/* All are told about: nothing is left for report(). */
	while ((vip = vip_unreported_pop(&unreported_vips)))
		vip->unreported = false;
	vip_report_begin(now_us);
	for (size_t i = 0; i < n_snapshot; i++) {
		vip_of[i]->life = plan->vips[i].life;
		vip_local_remember(vip_of[i], &plan->vips[i]);
		vip_report_members(vip_of[i], &plan->vips[i]);
		vip_report_addresses(vip_of[i], &plan->vips[i]);
		/* Without zebra nobody is told, so that nobody is waited for. */
		n_draining += vip_of[i]->in.vrf_ready &&
			      vip_of[i]->life.drain.phase == VIP_DRAIN_DRAINING;
	}
	look_again_us = vip_report_end();
	vip_exit_check(n_draining);
	if (plan->next_us && (!look_again_us || plan->next_us < look_again_us))
		look_again_us = plan->next_us;
	if (look_again_us)
		cluster_sched_decide_at(look_again_us);

	cost_us = cluster_now_us() - now_us;
	VIP_DEBUG("%zu VIPs decided in %lld us: %zu routes wanted",
		  plan->n_vips, (long long)cost_us, plan->n_routes);
	decision_cost(cost_us, now_us);
}

/* The states that follow from what zebra has said since the last decision. */
static void report(int64_t now_us)
{
	int64_t look_again_us;
	struct vip *vip;

	vip_report_begin(now_us);
	while ((vip = vip_unreported_pop(&unreported_vips))) {
		vip->unreported = false;
		/* Else the plan is about another VIP: a decision is due. */
		if (!snapshot_stale && !vip->dirty)
			vip_report_addresses(vip, &plan->vips[vip->index]);
	}
	look_again_us = vip_report_end();
	if (look_again_us)
		cluster_sched_decide_at(look_again_us);
}

/* zebra has said something about a route of ours. */
static void route_changed(const struct cluster_route_key *key)
{
	const struct vip_in *in;

	/* The plan's VIPs may be gone: a decision about all is due. */
	if (snapshot_stale)
		return;
	for (size_t i = 0; (in = vip_plan_claimant(plan, key, i)); i++) {
		struct vip *vip =
			vip_of[container_of(in, struct vip, in)->index];

		if (vip->unreported)
			continue;
		vip->unreported = true;
		vip_unreported_add_tail(&unreported_vips, vip);
	}
	cluster_sched_report();
}

bool vip_state_get(const char *name, enum vip_state *state)
{
	const struct vip *vip = vip_find(name);

	if (vip)
		*state = vip->state;
	return vip != NULL;
}

void vip_counts(struct vip_counts *counts)
{
	struct vip *vip;

	memset(counts, 0, sizeof(*counts));
	counts->total = vips_count(&vips);
	frr_each (vips, &vips, vip) {
		counts->by_state[vip->state]++;
		counts->members += vip_members_count(&vip->members);
		counts->members_up += vip->n_up;
		counts->addresses += vip_addresses_count(&vip->addresses);
		counts->addresses_announced += vip->n_announced;
	}
	counts->addresses_not_in_bgp = bgp_look_missing();
}

static const struct cluster_capability vip_capability = {
	.name = "vip",
	.decide = decide,
	.decide_half = decide_half,
	.report = report,
};

void vip_init(void)
{
	plan = vip_plan_new();
	half_plan = vip_plan_new();
	cluster_sched_register(&vip_capability);
	probe_on_change(cluster_sched_decide);
	cluster_zebra_on_route(CLUSTER_OWNER_VIP, route_changed);
	bgp_policy_init();
	vip_cli_init();
	vip_life_cli_init();
	vip_show_init();
	vip_metrics_init();
}

void vip_fini(void)
{
	struct vip *vip;

	while ((vip = vips_first(&vips)))
		vip_free(vip);
	vip_leave_fini();
	bgp_policy_fini();
	vip_plan_free(&plan);
	vip_plan_free(&half_plan);
	XFREE(MTYPE_VIP_SNAPSHOT, snapshot);
	XFREE(MTYPE_VIP_SNAPSHOT, vip_of);
	n_snapshot = 0;
	vip_report_fini();
}
