// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules of tracked routes (pure); see the header. */
#include "config.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "track/track_decide.h"

/* How good a next hop is; a better one is also all that a lesser one is. */
enum hop_grade {
	HOP_USELESS,
	HOP_REACHABLE,
	HOP_KEPT, /* up, but for a gateway that is worse */
	HOP_UP,
};

static enum hop_grade hop_grade(const struct track_hop_facts *hop)
{
	bool probed = hop->probe == TRACK_PROBE_NONE ||
		      hop->probe == TRACK_PROBE_UP;

	if (!hop->reachable)
		return HOP_USELESS;
	if (!probed || hop->gateway == TRACK_GATEWAY_DOWN)
		return HOP_REACHABLE;
	return hop->gateway == TRACK_GATEWAY_WORSE ? HOP_KEPT : HOP_UP;
}

bool track_hop_up(const struct track_hop_facts *hop)
{
	return hop_grade(hop) == HOP_UP;
}

bool track_installs(enum track_state state)
{
	return state == TRACK_UP || state == TRACK_DEGRADED ||
	       state == TRACK_LAST_RESORT;
}

const char *track_state_name(enum track_state state)
{
	static const char *const names[TRACK_STATES] = {
		[TRACK_SHUTDOWN] = "shutdown",
		[TRACK_INCOMPLETE] = "incomplete",
		[TRACK_WAITING] = "waiting",
		[TRACK_CONFLICT] = "conflict",
		[TRACK_DOWN] = "down",
		[TRACK_DEGRADED] = "degraded",
		[TRACK_LAST_RESORT] = "last-resort",
		[TRACK_UP] = "up",
	};

	return names[state];
}

/* Uses those of the family with the highest preference, of a grade at least. */
static bool use_best(const struct track_facts *facts, enum ipaddr_type_t family,
		     enum hop_grade least, struct track_plan *plan)
{
	int best = -1;

	for (size_t i = 0; i < facts->n_hops; i++) {
		const struct track_hop_facts *hop = &facts->hops[i];

		if (hop->family != family || hop_grade(hop) < least ||
		    hop->preference < best)
			continue;
		if (hop->preference > best)
			memset(plan->use, 0, sizeof(plan->use));
		best = hop->preference;
		plan->use[i] = true;
	}
	return best >= 0;
}

/* Rules 5 to 8. */
static void all_down(const struct track_facts *facts, enum ipaddr_type_t family,
		     struct track_plan *plan)
{
	bool kept = use_best(facts, family, HOP_KEPT, plan);

	if (!kept && !use_best(facts, family, HOP_REACHABLE, plan)) {
		plan->state = TRACK_DOWN;
		snprintf(plan->why, sizeof(plan->why),
			 "no next hop is reachable");
	} else if (facts->down_metric || facts->down_distance) {
		plan->state = TRACK_DEGRADED;
		snprintf(plan->why, sizeof(plan->why),
			 "all next hops are down: worse metric or distance");
		if (facts->down_metric)
			plan->metric = facts->down_metric;
		if (facts->down_distance)
			plan->distance = facts->down_distance;
	} else if (kept) {
		plan->state = TRACK_LAST_RESORT;
		snprintf(plan->why, sizeof(plan->why),
			 "all next hops are down: a gateway keeps its routes");
	} else if (facts->last_resort) {
		plan->state = TRACK_LAST_RESORT;
		snprintf(plan->why, sizeof(plan->why),
			 "all next hops are down: kept as the last resort");
	} else {
		plan->state = TRACK_DOWN;
		snprintf(plan->why, sizeof(plan->why), "all next hops are down");
	}
}

static void decide(const struct track_facts *facts, enum ipaddr_type_t family,
		   struct track_plan *plan)
{
	const char *name = family == IPADDR_V4 ? "IPv4" : "IPv6";
	size_t n = 0;

	for (size_t i = 0; i < facts->n_hops; i++)
		n += facts->hops[i].family == family;

	if (facts->shutdown) {
		plan->state = TRACK_SHUTDOWN;
		snprintf(plan->why, sizeof(plan->why), "shut down");
	} else if (facts->n_hops > TRACK_HOPS_MAX) {
		plan->state = TRACK_INCOMPLETE;
		snprintf(plan->why, sizeof(plan->why),
			 "%zu next hops configured, at most %d are possible",
			 facts->n_hops, TRACK_HOPS_MAX);
	} else if (!n) {
		plan->state = TRACK_INCOMPLETE;
		snprintf(plan->why, sizeof(plan->why),
			 "no %s next hop configured", name);
	} else if (!facts->zebra) {
		plan->state = TRACK_WAITING;
		snprintf(plan->why, sizeof(plan->why), "not connected to zebra");
	} else if (!facts->vrf_ready) {
		plan->state = TRACK_WAITING;
		snprintf(plan->why, sizeof(plan->why), "VRF is not there");
	} else if (use_best(facts, family, HOP_UP, plan)) {
		plan->state = TRACK_UP;
	} else {
		all_down(facts, family, plan);
	}
}

void track_decide(const struct track_facts *facts, enum ipaddr_type_t family,
		  struct track_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->metric = facts->metric;
	plan->distance = facts->distance;
	decide(facts, family, plan);
	if (!track_installs(plan->state))
		memset(plan->use, 0, sizeof(plan->use));
}

/* ---- what can be configured ---- */

static const char *v4_flaw(uint32_t addr)
{
	if (addr >> 24 == 127)
		return "is a loopback address";
	if (addr >> 28 == 0xe)
		return "is a multicast address";
	if (addr >> 28 == 0xf)
		return "is no address of a host";
	return NULL;
}

static const char *v6_flaw(const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_LOOPBACK(addr))
		return "is a loopback address";
	if (IN6_IS_ADDR_MULTICAST(addr))
		return "is a multicast address";
	return NULL;
}

const char *track_gate_flaw(const struct ipaddr *gate)
{
	if (IS_IPADDR_V4(gate)) {
		uint32_t addr = ntohl(gate->ipaddr_v4.s_addr);

		return addr >> 24 == 0 ? "is no address of a host"
				       : v4_flaw(addr);
	}
	if (IN6_IS_ADDR_UNSPECIFIED(&gate->ipaddr_v6) ||
	    IN6_IS_ADDR_V4MAPPED(&gate->ipaddr_v6))
		return "is no address of a host";
	return v6_flaw(&gate->ipaddr_v6);
}

const char *track_prefix_flaw(const struct prefix *prefix)
{
	if (prefix->family == AF_INET)
		return v4_flaw(ntohl(prefix->u.prefix4.s_addr));
	if (IN6_IS_ADDR_LINKLOCAL(&prefix->u.prefix6) && prefix->prefixlen >= 10)
		return "is link-local";
	return v6_flaw(&prefix->u.prefix6);
}
