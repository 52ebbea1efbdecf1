// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "vip/vip_decide.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_PLAN, "VIP plan");

/* A run of next hops in the pool. */
struct run {
	uint32_t start, n;
};

/* What a VIP's routes are made of, per family: [0] IPv4, [1] IPv6. */
struct vip_families {
	uint32_t total[2], up[2];
	struct run nexthops[2];
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
	struct buffer claims, nexthops, merged, routes, names, sorted;
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

	/* Equal: one VIP's address given twice, either stands for both. */
	return ret ? ret : strcmp(a->vip->name, b->vip->name);
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
	} else if (vip->shutdown)
		reason.why = VIP_WHY_SHUTDOWN;
	else if (!vip->n_addresses)
		reason.why = VIP_WHY_NO_ADDRESS;
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

static enum vip_why member_verdict(const struct vip_in *vip,
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

/*
 * Whether the addresses of a family are wanted: by A3..A6 for VIPs with
 * members.  (Another kind of VIP, one served on this node itself, would get
 * its own function here.)
 */
static bool family_verdict(const struct vip_in *vip,
			   const struct vip_families *families, int family,
			   struct vip_reason *reason)
{
	reason->family = family ? IPADDR_V6 : IPADDR_V4;
	reason->num = families->up[family];
	reason->total = families->total[family];
	/* A route without next hops would not be one. */
	reason->min_up = vip->min_up ? vip->min_up : 1;

	if (!reason->total)
		reason->why = VIP_WHY_NO_MEMBER;
	else if (reason->min_up > reason->total)
		reason->why = VIP_WHY_MIN_UP_NEVER;
	else if (reason->num < reason->min_up)
		reason->why = VIP_WHY_TOO_FEW;
	else
		reason->why = VIP_WHY_OK;
	return reason->why == VIP_WHY_OK;
}

static bool address_verdict(const struct vip_in *vip,
			    const struct vip_reason *verdict,
			    const struct vip_families *families, int family,
			    struct vip_reason *reason)
{
	memset(reason, 0, sizeof(*reason));
	if (verdict->why != VIP_WHY_OK) {
		*reason = *verdict;
		return false;
	}
	if (!vip->vrf_ready) {
		reason->why = VIP_WHY_VRF;
		strlcpy(reason->name, vip->vrf, sizeof(reason->name));
		return false;
	}
	return family_verdict(vip, families, family, reason);
}

/* The members of a family that count, as next hops at the pool's end. */
static struct run nexthops_collect(struct workspace *work,
				   const struct vip_in *vip,
				   const uint8_t *verdicts, int family)
{
	struct cluster_nexthop *pool = work->nexthops.data;
	struct run run = { .start = work->n_nexthops };

	for (size_t i = 0; i < vip->n_members; i++) {
		const struct vip_member_in *member = &vip->members[i];
		struct cluster_nexthop *nexthop;

		if (verdicts[i] != VIP_WHY_OK ||
		    family_index(&member->addr) != family)
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

static void vip_evaluate(struct workspace *work, const struct vip_in *vip,
			 struct vip_out *out, uint8_t *members,
			 struct vip_address_out *addresses,
			 struct vip_families *families)
{
	struct claim *claims = work->claims.data;
	bool collected[2] = {};

	memset(families, 0, sizeof(*families));
	out->n_up = 0;
	for (size_t i = 0; i < vip->n_members; i++) {
		int family = family_index(&vip->members[i].addr);

		members[i] = member_verdict(vip, &vip->members[i]);
		families->total[family]++;
		if (members[i] == VIP_WHY_OK) {
			families->up[family]++;
			out->n_up++;
		}
	}

	for (size_t i = 0; i < vip->n_addresses; i++) {
		const struct ipaddr *addr = &vip->addresses[i];
		int family = family_index(addr);
		struct claim *claim;

		addresses[i].n_nexthops = 0;
		addresses[i].wanted = address_verdict(vip, &out->reason,
						      families, family,
						      &addresses[i].reason);
		if (addresses[i].wanted && !collected[family]) {
			families->nexthops[family] =
				nexthops_collect(work, vip, members, family);
			collected[family] = true;
		}

		claim = &claims[work->n_claims++];
		memset(&claim->key, 0, sizeof(claim->key));
		strlcpy(claim->key.vrf, vip->vrf, sizeof(claim->key.vrf));
		claim->key.addr = *addr;
		claim->vip = vip;
		claim->families = families;
		claim->out = &addresses[i];
	}
}

/* Brings the wanted claims in order; returns how many there are. */
static size_t claims_sort(struct workspace *work)
{
	struct claim *claims = work->claims.data;
	size_t n = work->n_claims, n_wanted = 0;
	const struct claim **sorted = buffer_reserve(&work->sorted, n,
						     sizeof(*sorted));
	uint32_t *order = buffer_reserve(&work->order, n, sizeof(*order));

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
		route->tag = first->vip->tag;
		route->metric = first->vip->metric;
		route->distance = first->vip->distance;
		route->nexthops = &pool[run->start];
		if (n > 1)
			n_all = group_unite(work, &claims[i], n,
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
		size_t n_vips)
{
	struct workspace *work = (struct workspace *)plan;
	const char *last = last_name(work, vips, n_vips);
	struct vip_address_out *addresses;
	struct vip_families *families;
	struct vip_out *outs;
	uint8_t *members;
	size_t n_members = 0, n_addresses = 0;

	for (size_t i = 0; i < n_vips; i++) {
		n_members += vips[i]->n_members;
		n_addresses += vips[i]->n_addresses;
	}
	outs = buffer_reserve(&work->outs, n_vips, sizeof(*outs));
	members = buffer_reserve(&work->members, n_members, sizeof(*members));
	addresses = buffer_reserve(&work->addresses, n_addresses,
				   sizeof(*addresses));
	families = buffer_reserve(&work->families, n_vips, sizeof(*families));
	buffer_reserve(&work->claims, n_addresses, sizeof(struct claim));
	buffer_reserve(&work->nexthops, n_members,
		       sizeof(struct cluster_nexthop));
	work->n_claims = work->n_nexthops = work->n_merged = 0;

	for (size_t i = 0; i < n_vips; i++) {
		outs[i].reason = vip_verdict(vips[i], n_vips, last);
		outs[i].members = members;
		outs[i].addresses = addresses;
		vip_evaluate(work, vips[i], &outs[i], members, addresses,
			     &families[i]);
		members += vips[i]->n_members;
		addresses += vips[i]->n_addresses;
	}
	plan->vips = outs;
	plan->n_vips = n_vips;
	routes_build(work);
}

/* The state of an address that is wanted and that zebra has not confirmed. */
static enum vip_state pending_state(const struct vip_address_facts *facts,
				    enum vip_why *why)
{
	if (facts->before == VIP_REJECTED) {
		*why = VIP_WHY_FAILED;
		return VIP_REJECTED;
	}
	if (facts->before == VIP_HIDDEN || facts->overdue) {
		*why = VIP_WHY_UNCONFIRMED;
		return VIP_HIDDEN;
	}
	*why = VIP_WHY_PENDING;
	return VIP_PENDING;
}

static void reason_owner(struct vip_reason *reason, enum vip_why why,
			 const char *owner)
{
	reason->why = why;
	strlcpy(reason->name, owner, sizeof(reason->name));
}

static enum vip_state wanted_state(const struct vip_address_facts *facts,
				   struct vip_reason *reason)
{
	switch (facts->status) {
	case CLUSTER_ROUTE_INSTALLED:
		/* The decision's reason is a remark; this one weighs more. */
		if (facts->owner)
			reason_owner(reason, VIP_WHY_LOCAL, facts->owner);
		return VIP_ANNOUNCED;
	case CLUSTER_ROUTE_UNSENT:
		reason->why = VIP_WHY_UNSENT;
		return VIP_WAITING;
	default:
		break;
	}
	if (facts->owner) {
		reason_owner(reason, VIP_WHY_OWNED, facts->owner);
		return VIP_HIDDEN;
	}
	switch (facts->status) {
	case CLUSTER_ROUTE_BETTER_WON:
		reason->why = VIP_WHY_BETTER_WON;
		return VIP_HIDDEN;
	case CLUSTER_ROUTE_FAILED:
		reason->why = VIP_WHY_FAILED;
		return VIP_REJECTED;
	case CLUSTER_ROUTE_REMOVED:
		reason->why = VIP_WHY_REMOVED;
		return VIP_PENDING;
	default:
		return pending_state(facts, &reason->why);
	}
}

enum vip_state vip_address_state(const struct vip_address_out *out,
				 const struct vip_address_facts *facts,
				 struct vip_reason *reason)
{
	*reason = out->reason;
	switch (reason->why) {
	case VIP_WHY_SHUTDOWN:
		return VIP_SHUTDOWN;
	case VIP_WHY_VIPS_MAX:
	case VIP_WHY_MEMBERS_MAX:
	case VIP_WHY_ADDRESSES_MAX:
		return VIP_INVALID;
	default:
		break;
	}
	/* Without zebra nothing is known about next hops either. */
	if (!facts->zebra_connected) {
		reason->why = VIP_WHY_ZEBRA;
		return VIP_WAITING;
	}
	if (!out->wanted)
		return reason->why == VIP_WHY_VRF ? VIP_WAITING : VIP_DOWN;
	return wanted_state(facts, reason);
}

enum vip_state vip_state_of(const struct vip_reason *vip,
			    const enum vip_state *addresses, size_t n_addresses,
			    int *culprit)
{
	/* What the operator should hear of first. */
	static const uint8_t urgency[VIP_STATE_MAX] = {
		[VIP_INVALID] = 7,  [VIP_REJECTED] = 6, [VIP_HIDDEN] = 5,
		[VIP_DOWN] = 4,	    [VIP_WAITING] = 3,	[VIP_PENDING] = 2,
		[VIP_SHUTDOWN] = 1, [VIP_PARTIAL] = 0,	[VIP_ANNOUNCED] = 0,
	};
	size_t n_announced = 0, worst = 0;

	*culprit = -1;
	if (!n_addresses)
		return vip->why == VIP_WHY_SHUTDOWN ? VIP_SHUTDOWN
		       : vip->why == VIP_WHY_NO_ADDRESS || vip->why == VIP_WHY_OK
			       ? VIP_DOWN
			       : VIP_INVALID;
	for (size_t i = 0; i < n_addresses; i++) {
		if (addresses[i] == VIP_ANNOUNCED)
			n_announced++;
		if (urgency[addresses[i]] > urgency[addresses[worst]])
			worst = i;
	}
	if (vip->why == VIP_WHY_OK)
		*culprit = worst;
	if (n_announced == n_addresses)
		return VIP_ANNOUNCED;
	return n_announced ? VIP_PARTIAL : addresses[worst];
}
