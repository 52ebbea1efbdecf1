// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracked routes: static routes that follow probes.
 *
 *	configuration, probes, next hops, interfaces   state here (this file)
 *	track_decide.c  (pure)			which next hops, and why
 *	track_ring.c  (pure)			probes that depend on the routes
 *	core/cluster_zebra			the set of routes
 *	track_ctl.c				what gateways say of their
 *						routes, and others are told of ours
 *
 * Every decision makes the whole set anew.  Of several tracks with one prefix
 * in one VRF the first by name has it; a VIP, a responder or a hub that wants
 * it goes before all tracks, which core/route_table sees to.
 *
 * A next hop holds its probe and its next-hop tracking itself, so that a change
 * of one touches no other.
 * Spec: gateway-failover.md.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "track/track_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, TRACK, "Track");
DEFINE_MTYPE_STATIC(CLUSTERD, TRACK_HOP, "Track next hop");
DEFINE_MTYPE_STATIC(CLUSTERD, TRACK_ROUTE, "Tracked route");
DEFINE_MTYPE_STATIC(CLUSTERD, TRACK_WISHES, "Tracked routes of a decision");

struct tracks_head tracks = INIT_RBTREE_UNIQ(tracks);

int track_cmp(const struct track *a, const struct track *b)
{
	return strcmp(a->name, b->name);
}

int track_hop_cmp(const struct track_hop *a, const struct track_hop *b)
{
	int ret = ipaddr_cmp(&a->gate, &b->gate);

	return ret ? ret : strcmp(a->ifname, b->ifname);
}

int track_route_cmp(const struct track_route *a, const struct track_route *b)
{
	return prefix_cmp(&a->prefix, &b->prefix);
}

/* ---- configuration ---- */

struct track *track_find(const char *name)
{
	struct track ref;

	strlcpy(ref.name, name, sizeof(ref.name));
	return tracks_find(&tracks, &ref);
}

void track_add(const char *name)
{
	struct track *track = XCALLOC(MTYPE_TRACK, sizeof(*track));

	strlcpy(track->name, name, sizeof(track->name));
	strlcpy(track->vrf, TRACK_DEFAULT_VRF, sizeof(track->vrf));
	track->tag = TRACK_DEFAULT_TAG;
	track->distance = TRACK_DEFAULT_DISTANCE;
	track_hops_init(&track->hops);
	track_routes_init(&track->routes);
	tracks_add(&tracks, track);
	cluster_sched_decide();
}

static void route_told(const struct track_route *route, const char *before,
		       const char *after, const char *why)
{
	char name[EVENT_NAME_LEN];

	snprintfrr(name, sizeof(name), "%s %pFX", route->track->name,
		   &route->prefix);
	cluster_event(&(struct event_change){
		.kind = EVENT_TRACK,
		.name = name,
		.vrf = route->track->vrf,
		.before = before,
		.after = after,
		.why = why,
	});
	zlog_notice("track %s: %pFX %s%s%s", route->track->name, &route->prefix,
		    after, why[0] ? ": " : "", why);
}

static void route_removed(const struct track_route *route)
{
	if (track_installs(route->state))
		route_told(route, track_state_name(route->state),
			   CLUSTER_EVENT_REMOVED, CLUSTER_EVENT_REMOVED_WHY);
}

static void route_free(struct track_route *route)
{
	track_routes_del(&route->track->routes, route);
	XFREE(MTYPE_TRACK_ROUTE, route);
}

static void track_free(struct track *track)
{
	struct track_hop *hop;
	struct track_route *route;

	while ((hop = track_hops_first(&track->hops)))
		track_hop_del(hop);
	while ((route = track_routes_first(&track->routes)))
		route_free(route);
	track_hops_fini(&track->hops);
	track_routes_fini(&track->routes);
	tracks_del(&tracks, track);
	XFREE(MTYPE_TRACK, track);
	cluster_sched_decide();
}

void track_del(struct track *track)
{
	const struct track_route *route;

	frr_each (track_routes_const, &track->routes, route)
		route_removed(route);
	track_free(track);
}

struct track_hop *track_hop_find(const struct track *track,
				 const struct ipaddr *gate, const char *ifname)
{
	struct track_hop ref = { .gate = *gate };

	strlcpy(ref.ifname, ifname, sizeof(ref.ifname));
	return (struct track_hop *)track_hops_const_find(&track->hops, &ref);
}

void track_hop_add(struct track *track, const struct ipaddr *gate,
		   const char *ifname)
{
	struct track_hop *hop = XCALLOC(MTYPE_TRACK_HOP, sizeof(*hop));

	hop->track = track;
	hop->gate = *gate;
	strlcpy(hop->ifname, ifname, sizeof(hop->ifname));
	hop->preference = TRACK_PREFERENCE;
	track_hops_add(&track->hops, hop);
	cluster_sched_decide();
}

void track_hop_del(struct track_hop *hop)
{
	track_hop_release(hop);
	track_hops_del(&hop->track->hops, hop);
	XFREE(MTYPE_TRACK_HOP, hop);
}

struct track_route *track_route_find(const struct track *track,
				     const struct prefix *prefix)
{
	struct track_route ref = { .prefix = *prefix };

	return (struct track_route *)track_routes_const_find(&track->routes,
							     &ref);
}

void track_route_add(struct track *track, const struct prefix *prefix)
{
	struct track_route *route = XCALLOC(MTYPE_TRACK_ROUTE, sizeof(*route));

	route->track = track;
	route->prefix = *prefix;
	route->state = TRACK_WAITING;
	track_routes_add(&track->routes, route);
	cluster_sched_decide();
}

void track_route_del(struct track_route *route)
{
	route_removed(route);
	route_free(route);
	cluster_sched_decide();
}

/* ---- what a next hop holds ---- */

const char *track_hop_probe(const struct track_hop *hop)
{
	return hop->probe[0] ? hop->probe : hop->track->probe;
}

const char *track_hop_gateway_track(const struct track_hop *hop)
{
	return hop->gateway_track[0] ? hop->gateway_track : hop->track->name;
}

static void ring_watch(struct track_hop *hop, const struct ipaddr *host)
{
	const char *vrf = hop->track->vrf;

	if (!ipaddr_cmp(&hop->ring_host, host))
		return;
	if (!IS_IPADDR_NONE(&hop->ring_host))
		cluster_zebra_nexthop_put(vrf, &hop->ring_host);
	if (!IS_IPADDR_NONE(host))
		cluster_zebra_nexthop_get(vrf, host);
	hop->ring_host = *host;
}

void track_hop_unprobe(struct track_hop *hop)
{
	const struct ipaddr none = {};

	hop->held = false;
	hop->kept_up = hop->up;
	ring_watch(hop, &none);
	memset(&hop->ring, 0, sizeof(hop->ring));
	if (hop->ref)
		probe_ref_put(&hop->ref);
	cluster_sched_decide();
}

void track_hop_release(struct track_hop *hop)
{
	track_hop_unprobe(hop);
	if (hop->watched)
		cluster_zebra_nexthop_put(hop->track->vrf, &hop->gate);
	hop->watched = false;
}

void track_hops_release(struct track *track)
{
	struct track_hop *hop;

	frr_each (track_hops, &track->hops, hop)
		track_hop_release(hop);
}

static void hop_hold(struct track_hop *hop)
{
	const char *probe = track_hop_probe(hop);

	if (hop->held)
		return;
	hop->held = true;
	if (probe[0])
		hop->ref = probe_ref_get(probe, hop->track->vrf, &hop->gate);
	if (!hop->ifname[0] && !hop->watched) {
		cluster_zebra_nexthop_get(hop->track->vrf, &hop->gate);
		hop->watched = true;
	}
}

/* ---- facts ---- */

/* A probe that is new for the next hop changes nothing before it has results. */
static enum track_probe hop_probe(struct track_hop *hop, char *why, size_t len)
{
	enum probe_verdict verdict;

	if (!hop->ref)
		return TRACK_PROBE_NONE;
	verdict = probe_ref_verdict(hop->ref, why, len);
	if (probe_ref_settled(hop->ref) || verdict == PROBE_UNKNOWN)
		hop->kept_up = false;
	switch (verdict) {
	case PROBE_UP:
		return TRACK_PROBE_UP;
	case PROBE_DOWN:
		return hop->kept_up ? TRACK_PROBE_UP : TRACK_PROBE_DOWN;
	case PROBE_UNKNOWN:
		break;
	}
	return TRACK_PROBE_UNKNOWN;
}

/* The route of the track that the probe depends on; AF_UNSPEC: on none. */
static void ring_find(struct track_hop *hop, struct prefix *longest)
{
	struct track_ring_facts facts = {};
	struct track_route *route;
	struct ipaddr host = {};
	const char *vrf;

	memset(longest, 0, sizeof(*longest));
	if (!hop->ref ||
	    !probe_ref_way(hop->ref, &vrf, &facts.to, &facts.watched) ||
	    strcmp(vrf, hop->track->vrf))
		memset(&facts.to, 0, sizeof(facts.to));
	frr_each (track_routes, &hop->track->routes, route)
		if (track_ring_candidate(&facts, &route->prefix) &&
		    (longest->family == AF_UNSPEC ||
		     route->prefix.prefixlen > longest->prefixlen))
			*longest = route->prefix;
	if (longest->family != AF_UNSPEC && !facts.watched)
		cluster_prefix_addr(&facts.to, &host);
	ring_watch(hop, &host);
	if (!IS_IPADDR_NONE(&host))
		facts.matched = cluster_zebra_nexthop_matched(vrf, &host);
	if (!track_ring_closed(&facts, longest))
		longest->family = AF_UNSPEC;
}

/* What its probe says, unless the next hop is held down in a ring. */
static void hop_ring(struct track_hop *hop, enum track_probe *probe, char *why,
		     size_t len)
{
	bool up = *probe == TRACK_PROBE_UP;
	struct prefix longest;

	ring_find(hop, &longest);
	if (!track_ring_update(&hop->ring, longest.family != AF_UNSPEC, up,
			       hop->up) &&
	    up)
		*probe = TRACK_PROBE_UNKNOWN;
	if (!hop->ring.closed)
		return;
	if (up || hop->ring.held)
		why[0] = '\0';
	csnprintfrr(why, len, "%sdepends on this track's route %pFX",
		    hop->ring.held ? "held down: it "
		    : up	   ? ""
				   : "; it ",
		    &longest);
}

static bool hop_reachable(const struct track_hop *hop)
{
	const char *vrf = hop->track->vrf;

	if (!hop->held)
		return false;
	return hop->ifname[0] ? cluster_zebra_interface_up(vrf, hop->ifname)
			      : cluster_zebra_nexthop_resolved(vrf, &hop->gate);
}

static enum track_gateway hop_gateway(const struct track_hop *hop, char *why,
				      size_t len)
{
	if (ctl_id_is_null(&hop->gateway))
		return TRACK_GATEWAY_NONE;
	return track_ctl_gateway(&hop->gateway, track_hop_gateway_track(hop),
				 IS_IPADDR_V6(&hop->gate), why, len);
}

static void hop_change(struct track_hop *hop, bool up, int64_t now_us)
{
	const char *vrf = hop->track->vrf;
	char name[EVENT_NAME_LEN];

	snprintfrr(name, sizeof(name), "%s next-hop %pIA%s%s", hop->track->name,
		   &hop->gate, hop->ifname[0] ? " interface " : "", hop->ifname);
	cluster_event(&(struct event_change){
		.kind = EVENT_TRACK,
		.name = name,
		.vrf = vrf,
		.before = !hop->since_us ? "undecided"
			  : hop->up	 ? "up"
					 : "down",
		.after = up ? "up" : "down",
		.why = hop->why,
	});
	if (hop->since_us || up)
		zlog_notice("track %s: next hop %pIA%s%s %s%s%s",
			    hop->track->name, &hop->gate,
			    hop->ifname[0] ? " on " : "", hop->ifname,
			    up ? "up" : "down", hop->why[0] ? ": " : "",
			    hop->why);
	hop->up = up;
	hop->since_us = now_us;
	track_notify_hop(hop);
}

/* The one writer of a next hop's state. */
static void hop_update(struct track_hop *hop, struct track_hop_facts *facts,
		       int64_t now_us)
{
	char probe[TRACK_WHY_LEN - CLUSTER_NAME_LEN - 8] = "";
	char gateway[TRACK_WHY_LEN] = "";
	bool up;

	*facts = (struct track_hop_facts){
		.family = hop->gate.ipa_type,
		.preference = hop->preference,
		.reachable = hop_reachable(hop),
		.probe = hop_probe(hop, probe, sizeof(probe)),
		.gateway = hop_gateway(hop, gateway, sizeof(gateway)),
	};
	hop_ring(hop, &facts->probe, probe, sizeof(probe));
	up = track_hop_up(facts);
	if (!hop->held)
		strlcpy(hop->why, "shut down", sizeof(hop->why));
	else if (!facts->reachable && !cluster_zebra_connected())
		strlcpy(hop->why, "not connected to zebra", sizeof(hop->why));
	else if (!facts->reachable && hop->ifname[0])
		snprintf(hop->why, sizeof(hop->why), "interface %s is not up",
			 hop->ifname);
	else if (!facts->reachable)
		strlcpy(hop->why, "zebra has no route to it", sizeof(hop->why));
	else if (facts->probe != TRACK_PROBE_NONE &&
		 (facts->probe != TRACK_PROBE_UP ||
		  (hop->ring.closed && !gateway[0])))
		probe_reason_text(track_hop_probe(hop), probe, hop->why,
				  sizeof(hop->why));
	else
		strlcpy(hop->why, gateway, sizeof(hop->why));
	if (!hop->since_us || hop->up != up)
		hop_change(hop, up, now_us);
}

/* ---- decision ---- */

static int nexthop_order(const void *a, const void *b)
{
	return cluster_nexthop_cmp(a, b);
}

/* The next hops of the plan of a family (0: IPv4), in the order for zebra. */
static void nexthops_collect(struct track *track, unsigned int family)
{
	const struct track_plan *plan = &track->plans[family];
	struct cluster_nexthop *nexthop;
	struct track_hop *hop;
	size_t i = 0, n = 0;

	if (track_installs(plan->state)) {
		frr_each (track_hops, &track->hops, hop) {
			if (!plan->use[i++])
				continue;
			nexthop = &track->nexthops[family][n++];
			nexthop->gate = hop->gate;
			strlcpy(nexthop->ifname, hop->ifname,
				sizeof(nexthop->ifname));
			nexthop->weight = 1;
			hop->used = true;
		}
		qsort(track->nexthops[family], n, sizeof(*nexthop),
		      nexthop_order);
	}
	track->n_nexthops[family] = n;
}

static void track_plan_make(struct track *track, int64_t now_us)
{
	struct track_hop_facts *hops;
	struct track_facts facts = {
		.shutdown = track->shutdown,
		.zebra = cluster_zebra_connected(),
		.vrf_ready = cluster_zebra_vrf_ready(track->vrf),
		.last_resort = track->last_resort,
		.metric = track->metric,
		.distance = track->distance,
		.down_metric = track->down_metric,
		.down_distance = track->down_distance,
		.n_hops = track_hops_count(&track->hops),
	};
	struct track_hop *hop;
	size_t i = 0;

	hops = XCALLOC(MTYPE_TRACK_WISHES, (facts.n_hops + 1) * sizeof(*hops));
	frr_each (track_hops, &track->hops, hop) {
		if (!track->shutdown)
			hop_hold(hop);
		hop->used = false;
		hop_update(hop, &hops[i++], now_us);
	}
	facts.hops = hops;
	track_decide(&facts, IPADDR_V4, &track->plans[0]);
	track_decide(&facts, IPADDR_V6, &track->plans[1]);
	nexthops_collect(track, 0);
	nexthops_collect(track, 1);
	XFREE(MTYPE_TRACK_WISHES, hops);
}

/* A route that a track is configured to have. */
struct wish {
	struct cluster_route_key key;
	struct track_route *route;
	const struct track_plan *plan;
	const struct track *taken_by; /* NULL: it has the prefix */
};

static int wish_order(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;
	int ret = cluster_route_key_cmp(&x->key, &y->key);

	return ret ? ret : track_cmp(x->route->track, y->route->track);
}

static void wish_make(struct wish *wish, struct track_route *route)
{
	const struct prefix *p = &route->prefix;
	struct ipaddr addr;

	cluster_prefix_addr(p, &addr);
	cluster_route_prefix(&wish->key, route->track->vrf, &addr, p->prefixlen);
	wish->route = route;
	wish->plan = &route->track->plans[p->family == AF_INET6];
}

/* The first by name that isn't shut down has it. */
static void wishes_contend(struct wish *wishes, size_t n)
{
	const struct wish *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (wishes[i].route->track->shutdown)
			continue;
		if (first && !cluster_route_key_cmp(&first->key, &wishes[i].key))
			wishes[i].taken_by = first->route->track;
		else
			first = &wishes[i];
	}
}

static void wishes_apply(const struct wish *wishes, size_t n)
{
	struct cluster_route *routes = XCALLOC(MTYPE_TRACK_WISHES,
					       (n + 1) * sizeof(*routes));
	size_t n_routes = 0;

	for (size_t i = 0; i < n; i++) {
		const struct track_plan *plan = wishes[i].plan;
		struct track *track = wishes[i].route->track;
		unsigned int family = plan - track->plans;
		struct cluster_route *route;

		if (wishes[i].taken_by || !track_installs(plan->state))
			continue;
		route = &routes[n_routes++];
		route->key = wishes[i].key;
		route->tag = track->tag;
		route->metric = plan->metric;
		route->distance = plan->distance;
		route->n_nexthops = track->n_nexthops[family];
		route->nexthops = track->nexthops[family];
	}
	cluster_zebra_routes_set(CLUSTER_OWNER_TRACK, routes, n_routes);
	XFREE(MTYPE_TRACK_WISHES, routes);
}

static const char *status_why(enum cluster_route_status status)
{
	switch (status) {
	case CLUSTER_ROUTE_UNSENT:
		return "not sent to zebra yet";
	case CLUSTER_ROUTE_PENDING:
		return "zebra has not selected it";
	case CLUSTER_ROUTE_BETTER_WON:
		return "another protocol's route is better";
	case CLUSTER_ROUTE_FAILED:
		return "the kernel refused it";
	case CLUSTER_ROUTE_REMOVED:
		return "somebody else removed it: it is sent again";
	case CLUSTER_ROUTE_UNWANTED:
	case CLUSTER_ROUTE_INSTALLED:
		break;
	}
	return NULL;
}

/* The one writer of a route's state. */
static void route_update(const struct wish *wish, int64_t now_us)
{
	struct track_route *route = wish->route;
	enum track_state state = wish->plan->state;
	const char *why = wish->plan->why;
	char taken[TRACK_WHY_LEN];

	route->metric = wish->plan->metric;
	route->distance = wish->plan->distance;
	route->status = cluster_zebra_route_status(CLUSTER_OWNER_TRACK,
						   &wish->key, NULL);
	if (wish->taken_by) {
		state = TRACK_CONFLICT;
		snprintf(taken, sizeof(taken), "track %s has this prefix",
			 wish->taken_by->name);
		why = taken;
		/* What zebra has is that of the other one. */
		route->status = CLUSTER_ROUTE_UNWANTED;
	} else if (!track_installs(state)) {
		/* An echo: nothing of ours is wanted. */
		route->status = CLUSTER_ROUTE_UNWANTED;
	} else if (route->status == CLUSTER_ROUTE_UNWANTED) {
		state = TRACK_CONFLICT;
		why = "a VIP, a responder or a hub has this prefix";
	}
	/* A change is told with its cause: zebra's word comes later. */
	strlcpy(route->why, why, sizeof(route->why));
	if (track_installs(state) && status_why(route->status))
		strlcpy(route->why, status_why(route->status),
			sizeof(route->why));
	if (route->since_us && route->state == state)
		return;
	route_told(route,
		   route->since_us ? track_state_name(route->state)
				   : "undecided",
		   track_state_name(state), why);
	route->state = state;
	route->since_us = now_us;
	track_notify(route, why);
}

/* ---- what others are told ---- */

static enum track_level level_of(const struct track *track, bool v6,
				 enum track_level before)
{
	struct track_level_facts facts = {
		.state = track->plans[v6].state,
		.before = before,
	};
	const struct track_route *route;

	frr_each (track_routes_const, &track->routes, route) {
		if ((route->prefix.family == AF_INET6) != v6)
			continue;
		facts.prefixes++;
		if (route->state == TRACK_CONFLICT)
			continue;
		facts.ours++;
		facts.pending += route->status == CLUSTER_ROUTE_PENDING ||
				 route->status == CLUSTER_ROUTE_REMOVED;
		facts.failed += route->status == CLUSTER_ROUTE_UNSENT ||
				route->status == CLUSTER_ROUTE_FAILED;
	}
	return track_level(&facts);
}

static void tell(void)
{
	struct track_word *words = XCALLOC(MTYPE_TRACK_WISHES,
					   TRACK_TOLD_MAX * sizeof(*words));
	enum track_level before[2];
	static bool left_out;
	const struct track *track;
	bool full = false;
	size_t n = 0;

	frr_each (tracks_const, &tracks, track) {
		if (!track->announce)
			continue;
		full = n == TRACK_TOLD_MAX;
		if (full && !left_out)
			zlog_warn("track %s and those behind it are not announced: %d tracks are at the most",
				  track->name, TRACK_TOLD_MAX);
		if (full)
			break;
		track_told_find(track_ctl_told(), track->name, before);
		strlcpy(words[n].name, track->name, sizeof(words[n].name));
		for (unsigned int v6 = 0; v6 < 2; v6++)
			words[n].levels[v6] = level_of(track, v6, before[v6]);
		if (words[n].levels[0] || words[n].levels[1])
			n++;
	}
	left_out = full;
	track_ctl_tell(words, n);
	XFREE(MTYPE_TRACK_WISHES, words);
}

static void decide(int64_t now_us)
{
	struct track_route *route;
	struct track *track;
	struct wish *wishes;
	size_t n = 0, i = 0;

	frr_each (tracks, &tracks, track) {
		track_plan_make(track, now_us);
		n += track_routes_count(&track->routes);
	}
	wishes = XCALLOC(MTYPE_TRACK_WISHES, (n + 1) * sizeof(*wishes));
	frr_each (tracks, &tracks, track)
		frr_each (track_routes, &track->routes, route)
			wish_make(&wishes[i++], route);
	qsort(wishes, n, sizeof(*wishes), wish_order);
	wishes_contend(wishes, n);
	wishes_apply(wishes, n);
	for (i = 0; i < n; i++)
		route_update(&wishes[i], now_us);
	XFREE(MTYPE_TRACK_WISHES, wishes);
	tell();
}

void track_counts(struct track_counts *counts)
{
	const struct track_route *route;
	const struct track *track;

	memset(counts, 0, sizeof(*counts));
	frr_each (tracks_const, &tracks, track) {
		counts->tracks++;
		frr_each (track_routes_const, &track->routes, route) {
			counts->routes++;
			counts->by_state[route->state]++;
		}
	}
}

static const struct cluster_capability capability = {
	.name = "track",
	.decide = decide,
};

void track_init(void)
{
	cluster_sched_register(&capability);
	track_ctl_init();
	track_cli_init();
	track_show_init();
	track_metrics_init();
}

void track_fini(void)
{
	struct track *track;

	while ((track = tracks_first(&tracks)))
		track_free(track);
	tracks_fini(&tracks);
}

void track_fini_sessions(void)
{
	track_ctl_fini();
}
