// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "vip/vip_decide.h"
#include "vip/vip_served.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_PLAN, "VIP plan");

/* A run of next hops in the pool. */
struct run {
	uint32_t start, n;
};

/* What a VIP's routes are made of, per family: [0] IPv4, [1] IPv6. */
struct vip_families {
	struct run nexthops[2];
	uint8_t ramp[2]; /* tenths of the weight */
	bool draining;
};

/* What a VIP's families are like while it is being decided about. */
struct vip_verdicts {
	uint32_t total[2], up[2];
	uint32_t drained[2]; /* their operator took them out */
	uint32_t failed[2];  /* would count if their probe were up */
	bool has_address[2], wanted[2], fail_open[2], draining;
	bool apart[2]; /* local: each address may have its own reason */
	struct vip_reason reason[2];
};

/* One VIP's address. */
struct claim {
	struct cluster_route_key key;
	const struct vip_in *vip;
	const struct vip_families *families;
	struct vip_address_out *out;
	bool goes_on; /* wants the same route as the one before */
};

struct buffer {
	void *data;
	size_t size;
};

struct workspace {
	struct vip_plan plan; /* first: what the caller sees */
	struct buffer outs, members, addresses, families;
	struct buffer claims, nexthops, merged, routes, names, sorted, locals;
	/*
	 * The order of the claims, by index, as it was last.  Only speed
	 * depends on it: it is checked, and mostly still right.
	 */
	struct buffer order;
	size_t n_order;
	size_t n_claims, n_nexthops, n_merged;
};

static void *buffer_reserve(struct buffer *buffer, size_t n, size_t item_size)
{
	size_t size = n * item_size;

	if (size > buffer->size) {
		/* Half as much again: growing one by one stays linear. */
		buffer->size = size + size / 2;
		XFREE(MTYPE_VIP_PLAN, buffer->data);
		buffer->data = XMALLOC(MTYPE_VIP_PLAN, buffer->size);
	}
	return buffer->data;
}

struct vip_plan *vip_plan_new(void)
{
	struct workspace *work = XCALLOC(MTYPE_VIP_PLAN, sizeof(*work));

	return &work->plan;
}

void vip_plan_free(struct vip_plan **plan)
{
	struct workspace *work = (struct workspace *)*plan;

	if (!work)
		return;
	XFREE(MTYPE_VIP_PLAN, work->outs.data);
	XFREE(MTYPE_VIP_PLAN, work->members.data);
	XFREE(MTYPE_VIP_PLAN, work->addresses.data);
	XFREE(MTYPE_VIP_PLAN, work->families.data);
	XFREE(MTYPE_VIP_PLAN, work->claims.data);
	XFREE(MTYPE_VIP_PLAN, work->nexthops.data);
	XFREE(MTYPE_VIP_PLAN, work->merged.data);
	XFREE(MTYPE_VIP_PLAN, work->routes.data);
	XFREE(MTYPE_VIP_PLAN, work->names.data);
	XFREE(MTYPE_VIP_PLAN, work->sorted.data);
	XFREE(MTYPE_VIP_PLAN, work->locals.data);
	XFREE(MTYPE_VIP_PLAN, work->order.data);
	XFREE(MTYPE_VIP_PLAN, work);
	*plan = NULL;
}

static int family_index(const struct ipaddr *addr)
{
	return IS_IPADDR_V6(addr) ? 1 : 0;
}

static int claim_cmp(const struct claim *a, const struct claim *b)
{
	int ret = cluster_route_key_cmp(&a->key, &b->key);

	if (ret)
		return ret;
	/* R1: those that drain come last. */
	if (a->families->draining != b->families->draining)
		return a->families->draining ? 1 : -1;
	/* Equal: one VIP's address given twice, either stands for both. */
	return strcmp(a->vip->name, b->vip->name);
}

static int void_order_cmp(const void *a, const void *b, void *claims)
{
	const struct claim *base = claims;

	return claim_cmp(&base[*(const uint32_t *)a],
			 &base[*(const uint32_t *)b]);
}

static int void_nexthop_cmp(const void *a, const void *b)
{
	return cluster_nexthop_cmp(a, b);
}

static int void_name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Mostly the items are in order already. */
static void sort(void *items, size_t n, size_t size,
		 int (*cmp)(const void *, const void *))
{
	const char *item = items;

	for (size_t i = 1; i < n; i++, item += size)
		if (cmp(item, item + size) > 0) {
			qsort(items, n, size, cmp);
			return;
		}
}

/* Sorts, R3: equal gateway and interface become one; returns how many remain. */
static size_t nexthops_unite(struct cluster_nexthop *nexthops, size_t n)
{
	size_t kept = 0;

	sort(nexthops, n, sizeof(*nexthops), void_nexthop_cmp);
	for (size_t i = 0; i < n; i++) {
		/* The weight sorts last: the later one is the larger. */
		if (kept &&
		    !ipaddr_cmp(&nexthops[kept - 1].gate, &nexthops[i].gate) &&
		    !strcmp(nexthops[kept - 1].ifname, nexthops[i].ifname))
			kept--;
		nexthops[kept++] = nexthops[i];
	}
	return kept;
}

/* V1: the name of the last VIP that is served; NULL: all are. */
static const char *last_name(struct workspace *work,
			     const struct vip_in *const *vips, size_t n_vips)
{
	const char **names;

	if (n_vips <= VIP_MAX)
		return NULL;
	names = buffer_reserve(&work->names, n_vips, sizeof(*names));
	for (size_t i = 0; i < n_vips; i++)
		names[i] = vips[i]->name;
	sort(names, n_vips, sizeof(*names), void_name_cmp);
	return names[VIP_MAX - 1];
}

static struct vip_reason vip_verdict(const struct vip_in *vip, size_t n_vips,
				     const char *last)
{
	struct vip_reason reason = { .why = VIP_WHY_OK };

	if (last && strcmp(vip->name, last) > 0) {
		reason.why = VIP_WHY_VIPS_MAX;
		reason.num = n_vips;
	} else if (vip->n_members > VIP_MEMBERS_MAX) {
		reason.why = VIP_WHY_MEMBERS_MAX;
		reason.num = vip->n_members;
	} else if (vip->n_addresses > VIP_ADDRESSES_MAX) {
		reason.why = VIP_WHY_ADDRESSES_MAX;
		reason.num = vip->n_addresses;
	} else if (!vip->n_addresses)
		reason.why = VIP_WHY_NO_ADDRESS;
	else if (vip->local && vip->n_members) {
		reason.why = VIP_WHY_SERVED_MEMBERS;
		reason.num = vip->n_members;
	}
	return reason;
}

static bool vip_has_address(const struct vip_in *vip, const struct ipaddr *addr)
{
	/* A VIP past a limit isn't served, and must not cost n x m either. */
	if (vip->n_members > VIP_MEMBERS_MAX ||
	    vip->n_addresses > VIP_ADDRESSES_MAX)
		return false;
	for (size_t i = 0; i < vip->n_addresses; i++)
		if (!ipaddr_cmp(&vip->addresses[i], addr))
			return true;
	return false;
}

/* Whether the member would count if it didn't drain: M1..M3, M5..M7. */
static enum vip_why member_fitness(const struct vip_in *vip,
				   const struct vip_member_in *member)
{
	if (vip_has_address(vip, &member->addr))
		return VIP_WHY_IS_VIP;
	if (vip_is_link_local(&member->addr) && !member->ifname[0])
		return VIP_WHY_LINK_LOCAL;
	if (!vip->vrf_ready)
		return VIP_WHY_VRF;
	if (member->probe == VIP_PROBE_UNKNOWN)
		return VIP_WHY_PROBE_UNKNOWN;
	if (member->probe == VIP_PROBE_DOWN)
		return VIP_WHY_PROBE_DOWN;
	if (!member->reachable)
		return member->ifname[0] ? VIP_WHY_INTERFACE
					 : VIP_WHY_UNRESOLVED;
	return VIP_WHY_OK;
}

static enum vip_why member_verdict(const struct vip_in *vip,
				   const struct vip_member_in *member,
				   struct vip_verdicts *verdicts)
{
	int family = family_index(&member->addr);
	enum vip_why why = member_fitness(vip, member);

	verdicts->total[family]++;
	/* M1..M3: there is nothing that could be drained. */
	if (!member->drain || why == VIP_WHY_IS_VIP ||
	    why == VIP_WHY_LINK_LOCAL || why == VIP_WHY_VRF) {
		verdicts->up[family] += why == VIP_WHY_OK;
		verdicts->failed[family] += why == VIP_WHY_PROBE_DOWN &&
					    member->reachable;
		return why;
	}
	verdicts->drained[family]++;
	return VIP_WHY_MEMBER_DRAIN;
}

static bool uplink_verdict(const struct vip_in *vip, struct vip_reason *reason)
{
	switch (vip->uplink) {
	case VIP_UPLINK_ROUTES:
		reason->why = VIP_WHY_UPLINK_ROUTES;
		strlcpy(reason->name, vip->vrf, sizeof(reason->name));
		return false;
	case VIP_UPLINK_PROBE:
		reason->why = VIP_WHY_UPLINK_PROBE;
		strlcpy(reason->name, vip->uplink_probe, sizeof(reason->name));
		return false;
	case VIP_UPLINK_OK:
		break;
	}
	return true;
}

/* The health of a family's addresses of a local VIP: A5, L1..L4. */
static enum vip_health served_verdict(const struct vip_in *vip,
				      struct vip_verdicts *verdicts, int family)
{
	struct vip_reason *reason = &verdicts->reason[family];
	bool may_fail_open = vip->fail_open &&
			     vip->life->damping[family].allowed;
	enum vip_health health;

	if (!uplink_verdict(vip, reason))
		return VIP_HEALTH_DOWN;
	/* From here on each address has a reason of its own. */
	verdicts->apart[family] = true;
	health = vip_served_health(vip, family ? IPADDR_V6 : IPADDR_V4,
				   may_fail_open, &verdicts->fail_open[family]);
	if (verdicts->fail_open[family])
		reason->why = VIP_WHY_FAIL_OPEN;
	return health;
}

/* The health of a family's addresses: A3..A6, of VIPs with members. */
static enum vip_health family_verdict(const struct vip_in *vip,
				      struct vip_verdicts *verdicts, int family)
{
	struct vip_reason *reason = &verdicts->reason[family];

	reason->family = family ? IPADDR_V6 : IPADDR_V4;
	reason->num = verdicts->up[family];
	reason->total = verdicts->total[family];
	/* A route without next hops would not be one. */
	reason->min_up = vip->min_up ? vip->min_up : 1;

	if (!reason->total) {
		reason->why = VIP_WHY_NO_MEMBER;
		return VIP_HEALTH_OFF;
	}
	if (reason->min_up > reason->total) {
		reason->why = VIP_WHY_MIN_UP_NEVER;
		return VIP_HEALTH_OFF;
	}
	if (!uplink_verdict(vip, reason))
		return VIP_HEALTH_DOWN;
	if (reason->num >= reason->min_up)
		return VIP_HEALTH_UP;
	if (vip->fail_open && !reason->num && verdicts->failed[family] &&
	    vip->life->damping[family].allowed) {
		verdicts->fail_open[family] = true;
		reason->why = VIP_WHY_FAIL_OPEN;
		return VIP_HEALTH_UP;
	}
	reason->why = VIP_WHY_TOO_FEW;
	/* Nothing has failed: all that is missing is what was drained. */
	return reason->num + verdicts->drained[family] == reason->total
		       ? VIP_HEALTH_OFF
		       : VIP_HEALTH_DOWN;
}

/* The health of a family's addresses: A1..A6. */
static enum vip_health family_health(const struct vip_in *vip,
				     const struct vip_out *out,
				     struct vip_verdicts *verdicts, int family)
{
	struct vip_reason *reason = &verdicts->reason[family];
	enum vip_health health;

	if (out->reason.why != VIP_WHY_OK) {
		*reason = out->reason;
		return VIP_HEALTH_OFF;
	}
	if (!vip->vrf_ready) {
		reason->why = VIP_WHY_VRF;
		strlcpy(reason->name, vip->vrf, sizeof(reason->name));
		return VIP_HEALTH_OFF;
	}
	if (!verdicts->has_address[family])
		return VIP_HEALTH_OFF;
	health = vip->local ? served_verdict(vip, verdicts, family)
			    : family_verdict(vip, verdicts, family);
	/* What fails while the VIP drains doesn't come back. */
	if (health == VIP_HEALTH_UP &&
	    out->life.drain.phase == VIP_DRAIN_DRAINING &&
	    !out->life.damping[family].allowed) {
		reason->why = VIP_WHY_DRAINED;
		reason->total = vip->drain;
		return VIP_HEALTH_OFF;
	}
	return health;
}

static void next_at(int64_t *next_us, int64_t at_us)
{
	if (at_us && (!*next_us || at_us < *next_us))
		*next_us = at_us;
}

/* A7: what holds a healthy family back, or with how much it starts. */
static void family_damping(const struct vip_in *vip, struct vip_out *out,
			   struct vip_verdicts *verdicts, int family,
			   enum vip_health health, int64_t now_us,
			   int64_t *next_us)
{
	static const enum vip_why whys[] = {
		[VIP_HELD_FLAPPING] = VIP_WHY_FLAPPING,
		[VIP_HELD_FLIP] = VIP_WHY_FLIP,
		[VIP_HELD_HOLD_DOWN] = VIP_WHY_HOLD_DOWN,
	};
	struct vip_damping *damping = &out->life.damping[family];
	struct vip_reason *reason = &verdicts->reason[family];
	enum vip_held held;
	int64_t at_us;

	verdicts->wanted[family] = vip_damping_step(damping, vip->damping,
						    health, now_us);
	held = vip_damping_held(damping, vip->damping, now_us, &at_us);
	next_at(next_us, at_us);
	if (held != VIP_HELD_NOT) {
		reason->why = whys[held];
		reason->until_us = at_us;
		reason->total = vip_damping_penalty(damping, vip->damping,
						    now_us);
	}

	out->ramp[family] = vip_damping_ramp(damping, vip->damping, now_us,
					     &at_us);
	next_at(next_us, at_us);
	if (at_us && reason->why == VIP_WHY_OK) {
		reason->why = VIP_WHY_SLOW_START;
		reason->num = out->ramp[family];
	}
}

/* V3. */
static void vip_drained(const struct vip_in *vip, struct vip_out *out)
{
	if (out->life.drain.phase != VIP_DRAIN_DRAINED ||
	    (out->reason.why != VIP_WHY_OK &&
	     out->reason.why != VIP_WHY_NO_ADDRESS))
		return;
	out->reason.why = vip->drain == VIP_DRAIN_SHUTDOWN ? VIP_WHY_SHUTDOWN
							   : VIP_WHY_DRAINED;
	out->reason.total = vip->drain;
}

/* From health to what is wanted: draining and damping. */
static void vip_live(const struct vip_in *vip, struct vip_out *out,
		     struct vip_verdicts *verdicts, int64_t now_us,
		     int64_t *next_us)
{
	struct vip_drain *drain = &out->life.drain;

	vip_drain_step(drain, vip->drain, out->life.announced, vip->drain_us,
		       now_us);
	vip_drained(vip, out);
	for (int family = 0; family < 2; family++)
		family_damping(vip, out, verdicts, family,
			       family_health(vip, out, verdicts, family),
			       now_us, next_us);
	out->life.announced = verdicts->wanted[0] || verdicts->wanted[1];
	if (drain->phase != VIP_DRAIN_DRAINING)
		return;
	if (!out->life.announced) {
		vip_drain_step(drain, vip->drain, false, vip->drain_us, now_us);
		vip_drained(vip, out);
		verdicts->reason[0] = verdicts->reason[1] = out->reason;
		return;
	}
	verdicts->draining = true;
	next_at(next_us, vip_drain_until(drain, vip->drain_us));
	for (int family = 0; family < 2; family++) {
		struct vip_reason *reason = &verdicts->reason[family];

		if (!verdicts->wanted[family])
			continue;
		reason->why = VIP_WHY_DRAINING;
		reason->total = vip->drain;
		reason->until_us = vip_drain_until(drain, vip->drain_us);
	}
}

/* Whether a member is one of its family's next hops. */
static bool member_serves(const struct vip_verdicts *verdicts,
			  const struct vip_member_in *member, enum vip_why why,
			  int family)
{
	if (family_index(&member->addr) != family)
		return false;
	if (verdicts->fail_open[family])
		return why == VIP_WHY_PROBE_DOWN && member->reachable;
	return why == VIP_WHY_OK;
}

/* The members of a family that count, as next hops at the pool's end. */
static struct run nexthops_collect(struct workspace *work,
				   const struct vip_in *vip,
				   const struct vip_verdicts *verdicts,
				   const uint8_t *members, int family)
{
	struct cluster_nexthop *pool = work->nexthops.data;
	struct run run = { .start = work->n_nexthops };

	for (size_t i = 0; i < vip->n_members; i++) {
		const struct vip_member_in *member = &vip->members[i];
		struct cluster_nexthop *nexthop;

		if (!member_serves(verdicts, member, members[i], family))
			continue;
		nexthop = &pool[run.start + run.n++];
		memset(nexthop, 0, sizeof(*nexthop));
		nexthop->gate = member->addr;
		strlcpy(nexthop->ifname, member->ifname,
			sizeof(nexthop->ifname));
		nexthop->weight = member->weight;
	}
	run.n = nexthops_unite(&pool[run.start], run.n);
	work->n_nexthops += run.n;
	return run;
}

/* L4: interface lo, as next hop at the pool's end. */
static struct run nexthop_loopback(struct workspace *work)
{
	struct cluster_nexthop *pool = work->nexthops.data;
	struct run run = { .start = work->n_nexthops, .n = 1 };
	struct cluster_nexthop *nexthop = &pool[work->n_nexthops++];

	memset(nexthop, 0, sizeof(*nexthop));
	strlcpy(nexthop->ifname, "lo", sizeof(nexthop->ifname));
	nexthop->weight = 1;
	return run;
}

/* What was decided about address number `i`. */
static void address_report(const struct vip_in *vip, const struct vip_out *out,
			   const struct vip_verdicts *verdicts, size_t i,
			   struct vip_address_out *address)
{
	int family = family_index(&vip->addresses[i]);
	bool fail_open = verdicts->fail_open[family];
	struct vip_reason own;

	memset(address, 0, sizeof(*address));
	address->wanted = verdicts->wanted[family];
	address->reason = verdicts->reason[family];
	if (vip->local) {
		address->local_wanted = out->reason.why == VIP_WHY_OK &&
					vip->vrf_ready &&
					vip_served_route(vip, i, fail_open);
		vip_served_why(vip, i, fail_open, &own);
		if (verdicts->apart[family] && own.why != VIP_WHY_OK) {
			address->wanted = false;
			address->reason = own;
		}
	}
	address->draining = address->wanted && verdicts->draining;
}

static void vip_evaluate(struct workspace *work, const struct vip_in *vip,
			 struct vip_out *out, uint8_t *members,
			 struct vip_address_out *addresses,
			 struct vip_families *families, int64_t now_us)
{
	struct vip_verdicts verdicts = {};
	struct claim *claims = work->claims.data;

	memset(families, 0, sizeof(*families));
	out->life = *vip->life;
	out->n_up = 0;
	for (size_t i = 0; i < vip->n_members; i++) {
		members[i] = member_verdict(vip, &vip->members[i], &verdicts);
		out->n_up += members[i] == VIP_WHY_OK;
	}
	for (size_t i = 0; i < vip->n_addresses; i++)
		verdicts.has_address[family_index(&vip->addresses[i])] = true;
	vip_live(vip, out, &verdicts, now_us, &work->plan.next_us);
	families->draining = verdicts.draining;
	memcpy(families->ramp, out->ramp, sizeof(families->ramp));
	for (int family = 0; family < 2; family++)
		if (verdicts.wanted[family])
			families->nexthops[family] =
				vip->local
					? nexthop_loopback(work)
					: nexthops_collect(work, vip, &verdicts,
							   members, family);

	for (size_t i = 0; i < vip->n_addresses; i++) {
		const struct ipaddr *addr = &vip->addresses[i];
		struct claim *claim;

		address_report(vip, out, &verdicts, i, &addresses[i]);

		claim = &claims[work->n_claims++];
		memset(&claim->key, 0, sizeof(claim->key));
		strlcpy(claim->key.vrf, vip->vrf, sizeof(claim->key.vrf));
		claim->key.addr = *addr;
		claim->vip = vip;
		claim->families = families;
		claim->out = &addresses[i];
	}
}

/* The local routes; the claims come in order. */
static void local_collect(struct workspace *work, const struct claim *claim)
{
	struct local_want *locals = work->locals.data;
	size_t n = work->plan.n_locals;

	if (!claim->out->local_wanted)
		return;
	if (n && !cluster_route_key_cmp(&locals[n - 1].key, &claim->key)) {
		if (claim->vip->local_hold_ms > locals[n - 1].hold_ms)
			locals[n - 1].hold_ms = claim->vip->local_hold_ms;
		return;
	}
	locals[n].key = claim->key;
	locals[n].hold_ms = claim->vip->local_hold_ms;
	work->plan.n_locals++;
}

/*
 * Brings the wanted claims in order, and collects the local routes; returns how
 * many claims there are.
 */
static size_t claims_sort(struct workspace *work)
{
	struct claim *claims = work->claims.data;
	size_t n = work->n_claims, n_wanted = 0;
	const struct claim **sorted = buffer_reserve(&work->sorted, n,
						     sizeof(*sorted));
	uint32_t *order = buffer_reserve(&work->order, n, sizeof(*order));

	work->plan.locals = buffer_reserve(&work->locals, n,
					   sizeof(*work->plan.locals));
	work->plan.n_locals = 0;
	if (work->n_order != n)
		for (size_t i = 0; i < n; i++)
			order[i] = i;
	work->n_order = n;
	for (size_t i = 1; i < n; i++)
		if (claim_cmp(&claims[order[i - 1]], &claims[order[i]]) > 0) {
			qsort_r(order, n, sizeof(*order), void_order_cmp,
				claims);
			break;
		}
	for (size_t i = 0; i < n; i++) {
		struct claim *claim = &claims[order[i]];

		local_collect(work, claim);
		if (!claim->out->wanted)
			continue;
		claim->goes_on =
			n_wanted &&
			!cluster_route_key_cmp(&sorted[n_wanted - 1]->key,
					       &claim->key);
		sorted[n_wanted++] = claim;
	}
	return n_wanted;
}

static const struct run *claim_nexthops(const struct claim *claim)
{
	return &claim->families->nexthops[family_index(&claim->key.addr)];
}

/* How many claims from the first on are for the same route. */
static size_t group_size(const struct claim *const *claims, size_t n_claims)
{
	size_t n = 1;

	while (n < n_claims && claims[n]->goes_on)
		n++;
	return n;
}

/* R1: how many of a group's claims make its route. */
static size_t group_active(const struct claim *const *claims, size_t n_claims)
{
	size_t n = 0;

	while (n < n_claims && !claims[n]->families->draining)
		n++;
	return n ? n : n_claims;
}

/* Marks a route with what its VIP is announced with now. */
static void route_mark(struct cluster_route *route, const struct claim *claim)
{
	const struct vip_in *vip = claim->vip;
	struct vip_phase phase = {
		.draining = claim->families->draining,
		.ramp = claim->families->ramp[family_index(&route->key.addr)],
	};

	route->tag = vip_policy_tag(vip->attributes, vip->tag, &phase);
	route->metric = vip_policy_metric(vip->attributes, vip->metric, &phase);
	route->distance = vip->distance;
}

/* R3: the union of what the claims bring, in the pool of united next hops. */
static size_t group_unite(struct workspace *work,
			  const struct claim *const *claims, size_t n_claims,
			  struct cluster_nexthop **nexthops)
{
	const struct cluster_nexthop *pool = work->nexthops.data;
	struct cluster_nexthop *merged = work->merged.data;
	size_t n = 0;

	*nexthops = &merged[work->n_merged];
	for (size_t i = 0; i < n_claims; i++) {
		const struct run *run = claim_nexthops(claims[i]);

		memcpy(&(*nexthops)[n], &pool[run->start],
		       run->n * sizeof(*pool));
		n += run->n;
	}
	n = nexthops_unite(*nexthops, n);
	work->n_merged += n;
	return n;
}

/* Tells the addresses of a group what became of them. */
static void group_report(const struct claim *const *claims, size_t n_claims,
			 const struct cluster_route *route, size_t n_all)
{
	for (size_t i = 0; i < n_claims; i++) {
		struct vip_address_out *out = claims[i]->out;

		out->n_nexthops = route->n_nexthops;
		if (n_all > CLUSTER_NEXTHOPS_MAX) {
			out->reason.why = VIP_WHY_NEXTHOPS_MAX;
			out->reason.total = n_all;
		} else if (claims[i]->vip != claims[0]->vip) {
			out->reason.why = VIP_WHY_SHARED;
			strlcpy(out->reason.name, claims[0]->vip->name,
				sizeof(out->reason.name));
		}
	}
}

static void routes_build(struct workspace *work)
{
	size_t n_claims = claims_sort(work);
	const struct claim *const *claims = work->sorted.data;
	struct cluster_nexthop *pool = work->nexthops.data;
	struct cluster_route *routes;
	size_t n_merged = 0;
	size_t n_routes = 0;

	/* Reserved at once: routes point into the buffer. */
	for (size_t i = 0, n; i < n_claims; i += n) {
		n = group_size(&claims[i], n_claims - i);
		for (size_t k = 0; n > 1 && k < n; k++)
			n_merged += claim_nexthops(claims[i + k])->n;
	}
	buffer_reserve(&work->merged, n_merged, sizeof(*pool));
	routes = buffer_reserve(&work->routes, n_claims, sizeof(*routes));

	for (size_t i = 0, n; i < n_claims; i += n) {
		const struct claim *first = claims[i];
		const struct run *run = claim_nexthops(first);
		struct cluster_route *route = &routes[n_routes++];
		size_t n_all = run->n;

		n = group_size(&claims[i], n_claims - i);
		memset(route, 0, sizeof(*route));
		route->key = first->key;
		route_mark(route, first);
		route->nexthops = &pool[run->start];
		if (n > 1)
			n_all = group_unite(work, &claims[i],
					    group_active(&claims[i], n),
					    &route->nexthops);
		route->n_nexthops = n_all < CLUSTER_NEXTHOPS_MAX
					    ? n_all
					    : CLUSTER_NEXTHOPS_MAX;
		group_report(&claims[i], n, route, n_all);
	}
	work->plan.routes = routes;
	work->plan.n_routes = n_routes;
}

void vip_decide(struct vip_plan *plan, const struct vip_in *const *vips,
		size_t n_vips, int64_t now_us)
{
	struct workspace *work = (struct workspace *)plan;
	const char *last = last_name(work, vips, n_vips);
	struct vip_address_out *addresses;
	struct vip_families *families;
	struct vip_out *outs;
	uint8_t *members;
	size_t n_members = 0, n_addresses = 0, n_loopbacks = 0;

	for (size_t i = 0; i < n_vips; i++) {
		n_members += vips[i]->n_members;
		n_addresses += vips[i]->n_addresses;
		/* One for each family. */
		n_loopbacks += vips[i]->local ? 2 : 0;
	}
	outs = buffer_reserve(&work->outs, n_vips, sizeof(*outs));
	members = buffer_reserve(&work->members, n_members, sizeof(*members));
	addresses = buffer_reserve(&work->addresses, n_addresses,
				   sizeof(*addresses));
	families = buffer_reserve(&work->families, n_vips, sizeof(*families));
	buffer_reserve(&work->claims, n_addresses, sizeof(struct claim));
	buffer_reserve(&work->nexthops, n_members + n_loopbacks,
		       sizeof(struct cluster_nexthop));
	work->n_claims = work->n_nexthops = work->n_merged = 0;
	plan->next_us = 0;

	for (size_t i = 0; i < n_vips; i++) {
		outs[i].reason = vip_verdict(vips[i], n_vips, last);
		outs[i].members = members;
		outs[i].addresses = addresses;
		vip_evaluate(work, vips[i], &outs[i], members, addresses,
			     &families[i], now_us);
		members += vips[i]->n_members;
		addresses += vips[i]->n_addresses;
	}
	plan->vips = outs;
	plan->n_vips = n_vips;
	routes_build(work);
}

const struct vip_in *vip_plan_claimant(const struct vip_plan *plan,
				       const struct cluster_route_key *key,
				       size_t nth)
{
	const struct workspace *work = (const struct workspace *)plan;
	const struct claim *claims = work->claims.data;
	const uint32_t *order = work->order.data;
	size_t low = 0, high = work->n_claims;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cluster_route_key_cmp(&claims[order[middle]].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (nth >= work->n_claims - low ||
	    cluster_route_key_cmp(&claims[order[low + nth]].key, key) != 0)
		return NULL;
	return claims[order[low + nth]].vip;
}
