/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which next hops the routes of a track go by, and why (pure).
 * Spec: gateway-failover.md, "Tracked routes".
 *
 * A next hop is up if it is reachable (its interface is up, or zebra resolves
 * it), its probe, if it has one, is up, and its gateway, if it follows one, says
 * that it reaches the routes.  It is kept if it would be up but for a gateway
 * that says that all next hops there are down and the routes stay.
 *
 * Rules for the routes of one family, the first that applies:
 *   1  shut down				     -> shutdown
 *   2  no next hop of the family, or too many	     -> incomplete
 *   3  the VRF isn't there			     -> waiting
 *   4  next hops are up			     -> up, by those of them that
 *						        have the highest preference
 *   5  none is reachable			     -> down
 *   6  there is a metric or distance for `down`     -> degraded
 *   7  last-resort keep, or some are kept	     -> last resort
 *   8  otherwise				     -> down
 * In 6 and 7 the routes go by those that have the highest preference of the ones
 * that are kept, or if there are none, of the reachable ones.  Nothing is
 * remembered: whatever was down before, the same facts give the same plan.
 */
#ifndef CLUSTER_TRACK_DECIDE_H
#define CLUSTER_TRACK_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefix.h"

#include "core/cluster_route.h"

#define TRACK_WHY_LEN	       192
#define TRACK_HOPS_MAX	       64
#define TRACK_PREFERENCE       100
#define TRACK_DEFAULT_TAG      87
#define TRACK_DEFAULT_DISTANCE 1

/* Of a route. */
enum track_state {
	TRACK_SHUTDOWN,
	TRACK_INCOMPLETE,
	TRACK_WAITING,
	TRACK_CONFLICT, /* somebody else has the prefix; not decided here */
	TRACK_DOWN,
	TRACK_DEGRADED,
	TRACK_LAST_RESORT,
	TRACK_UP,
	TRACK_STATES,
};

enum track_probe {
	TRACK_PROBE_NONE, /* not probed */
	TRACK_PROBE_UP,
	TRACK_PROBE_DOWN,
	TRACK_PROBE_UNKNOWN, /* not configured, or it makes no sense */
};

/* What the gateway that a next hop follows says about its routes. */
enum track_gateway {
	TRACK_GATEWAY_NONE, /* the next hop follows none */
	TRACK_GATEWAY_UP,
	TRACK_GATEWAY_WORSE, /* all next hops there are down, the routes stay */
	TRACK_GATEWAY_DOWN,  /* or it says nothing */
};

struct track_hop_facts {
	enum ipaddr_type_t family;
	bool reachable;
	enum track_probe probe;
	enum track_gateway gateway;
	uint16_t preference; /* more is better */
};

struct track_facts {
	bool shutdown;
	bool zebra; /* connected */
	bool vrf_ready;
	bool last_resort;
	uint32_t metric;
	uint8_t distance;
	uint32_t down_metric;  /* 0: none */
	uint8_t down_distance; /* 0: none */
	const struct track_hop_facts *hops;
	size_t n_hops; /* of both families */
};

struct track_plan {
	enum track_state state;
	char why[TRACK_WHY_LEN];
	/* If track_installs(): */
	bool use[TRACK_HOPS_MAX]; /* by index of the facts' hops */
	uint32_t metric;
	uint8_t distance;
};

/* What becomes of the track's routes of one family. */
extern void track_decide(const struct track_facts *facts,
			 enum ipaddr_type_t family, struct track_plan *plan);

/* The rule for a next hop at the file's head. */
extern bool track_hop_up(const struct track_hop_facts *hop);
/* Routes in that state are given to zebra. */
extern bool track_installs(enum track_state state);
/* "up", "last-resort", ... */
extern const char *track_state_name(enum track_state state);

/* What is wrong with it as a text ("is a multicast address"); NULL: nothing. */
extern const char *track_gate_flaw(const struct ipaddr *gate);
extern const char *track_prefix_flaw(const struct prefix *prefix);

#endif /* CLUSTER_TRACK_DECIDE_H */
