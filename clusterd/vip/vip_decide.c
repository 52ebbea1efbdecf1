// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "vip/vip_decide.h"
#include "vip/vip_served.h"
#include "vip/vip_verdict.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, VIP_PLAN, "VIP plan");

/* A run of next hops in the pool. */
struct run {
	uint32_t start, n;
};

/* What a VIP's routes are made of, per family: [0] IPv4, [1] IPv6. */
struct vip_families {
	struct run nexthops[2];
	bool draining;
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
	struct buffer outs, members, addresses, dampings, families;
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
	XFREE(MTYPE_VIP_PLAN, work->dampings.data);
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

/* Whether a member is one of its family's next hops. */
static bool member_serves(const struct vip_verdicts *verdicts,
			  const struct vip_member_in *member, enum vip_why why,
			  int family)
{
	if (vip_family_index(&member->addr) != family)
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

/* Whether the local route of address number `i` is wanted. */
static bool local_wanted(const struct vip_in *vip, const struct vip_out *out,
			 size_t i)
{
	/* What failed open, or may have done so while zebra is away. */
	bool kept = vip->fail_open && out->dampings[i].allowed;

	return out->reason.why == VIP_WHY_OK && vip->vrf_known &&
	       vip_served_route(vip, i, kept);
}

/* What is decided as one: the addresses, or the families. */
static struct vip_parts vip_parts(const struct vip_in *vip, struct vip_out *out,
				  struct vip_verdicts *verdicts,
				  struct vip_address_out *addresses,
				  struct vip_damping *dampings)
{
	if (!vip->local)
		return (struct vip_parts){ 2, verdicts->family,
					   out->life.damping };
	/* What it was with members doesn't count when it has some again. */
	memset(out->life.damping, 0, sizeof(out->life.damping));
	for (size_t i = 0; i < vip->n_addresses; i++) {
		memset(&addresses[i], 0, sizeof(addresses[i]));
		dampings[i] = vip->locals[i].damping;
	}
	return (struct vip_parts){ vip->n_addresses, addresses, dampings };
}

static void vip_evaluate(struct workspace *work, const struct vip_in *vip,
			 struct vip_out *out, uint8_t *members,
			 struct vip_address_out *addresses,
			 struct vip_damping *dampings,
			 struct vip_families *families, int64_t now_us)
{
	struct vip_verdicts verdicts = {};
	struct claim *claims = work->claims.data;
	bool wanted[2] = {};
	struct vip_parts parts;

	memset(families, 0, sizeof(*families));
	out->life = *vip->life;
	out->n_up = 0;
	for (size_t i = 0; i < vip->n_members; i++) {
		members[i] = vip_member_verdict(vip, &vip->members[i],
						&verdicts);
		out->n_up += members[i] == VIP_WHY_OK;
	}
	for (size_t i = 0; i < vip->n_addresses; i++)
		verdicts.has_address[vip_family_index(&vip->addresses[i])] =
			true;
	parts = vip_parts(vip, out, &verdicts, addresses, dampings);
	vip_verdicts_live(vip, out, &verdicts, &parts, now_us,
			  &work->plan.next_us);
	families->draining = verdicts.draining;

	for (size_t i = 0; i < vip->n_addresses; i++) {
		struct vip_address_out *address = &addresses[i];
		int family = vip_family_index(&vip->addresses[i]);
		struct claim *claim;

		if (vip->local)
			address->local_wanted = local_wanted(vip, out, i);
		else
			*address = verdicts.family[family];
		address->draining = address->wanted && verdicts.draining;
		wanted[family] |= address->wanted;

		claim = &claims[work->n_claims++];
		memset(&claim->key, 0, sizeof(claim->key));
		strlcpy(claim->key.vrf, vip->vrf, sizeof(claim->key.vrf));
		claim->key.addr = vip->addresses[i];
		claim->vip = vip;
		claim->families = families;
		claim->out = address;
	}
	for (int family = 0; family < 2; family++)
		if (wanted[family])
			families->nexthops[family] =
				vip->local
					? nexthop_loopback(work)
					: nexthops_collect(work, vip, &verdicts,
							   members, family);
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
	return &claim->families->nexthops[vip_family_index(&claim->key.addr)];
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
		.ramp = claim->out->ramp,
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
	struct vip_damping *dampings;
	struct vip_families *families;
	struct vip_out *outs;
	uint8_t *members;
	size_t n_members = 0, n_addresses = 0, n_locals = 0, n_loopbacks = 0;

	for (size_t i = 0; i < n_vips; i++) {
		n_members += vips[i]->n_members;
		n_addresses += vips[i]->n_addresses;
		n_locals += vips[i]->local ? vips[i]->n_addresses : 0;
		/* One for each family. */
		n_loopbacks += vips[i]->local ? 2 : 0;
	}
	outs = buffer_reserve(&work->outs, n_vips, sizeof(*outs));
	members = buffer_reserve(&work->members, n_members, sizeof(*members));
	addresses = buffer_reserve(&work->addresses, n_addresses,
				   sizeof(*addresses));
	dampings = buffer_reserve(&work->dampings, n_locals, sizeof(*dampings));
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
		outs[i].dampings = vips[i]->local ? dampings : NULL;
		vip_evaluate(work, vips[i], &outs[i], members, addresses,
			     dampings, &families[i], now_us);
		members += vips[i]->n_members;
		addresses += vips[i]->n_addresses;
		dampings += vips[i]->local ? vips[i]->n_addresses : 0;
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

static size_t claimants(const struct vip_plan *plan,
			const struct cluster_route_key *key)
{
	size_t n = 0;

	while (vip_plan_claimant(plan, key, n))
		n++;
	return n;
}

/* Who isn't in `now` has the address, and may have the other half of it. */
static bool half_known(const struct vip_plan *before, const struct vip_plan *now,
		       const struct cluster_route_key *key)
{
	return claimants(before, key) != claimants(now, key);
}

size_t vip_plan_left(const struct vip_plan *before, const struct vip_plan *now,
		     struct cluster_route *routes)
{
	size_t n_left = 0, at = 0;

	for (size_t i = 0; i < before->n_routes; i++) {
		const struct cluster_route *route = &before->routes[i];

		/* Both are sorted. */
		while (at < now->n_routes &&
		       cluster_route_key_cmp(&now->routes[at].key,
					     &route->key) < 0)
			at++;
		if (half_known(before, now, &route->key))
			routes[n_left++] = *route;
		else if (at < now->n_routes &&
			 cluster_route_key_cmp(&now->routes[at].key,
					       &route->key) == 0)
			routes[n_left++] = now->routes[at];
	}
	return n_left;
}

size_t vip_plan_locals_left(const struct vip_plan *before,
			    const struct vip_plan *now,
			    struct local_want *locals)
{
	size_t n_left = 0, at = 0;

	for (size_t i = 0; i < before->n_locals; i++) {
		const struct local_want *local = &before->locals[i];

		/* Both are sorted. */
		while (at < now->n_locals &&
		       cluster_route_key_cmp(&now->locals[at].key,
					     &local->key) < 0)
			at++;
		if (half_known(before, now, &local->key))
			locals[n_left++] = *local;
		else if (at < now->n_locals &&
			 cluster_route_key_cmp(&now->locals[at].key,
					       &local->key) == 0)
			locals[n_left++] = now->locals[at];
	}
	return n_left;
}
