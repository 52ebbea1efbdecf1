/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gateway's decisions about one cluster (pure): everything that counts is
 * handed in, what follows comes out.
 *
 * Hubs are those that are alive, in ascending order of their IDs: gateways
 * that hear the same hubs decide alike without talking.  A result is an index
 * into that array, or HC_NONE.
 *
 * Score		(cpu % + memory % + tunnels / capacity %) / 3: summed in
 *			0.01 %, floored, 1..100.  Above the limit (70) is over
 *			capacity; exactly the limit is neither: it starts nothing,
 *			isn't kept and is no target.
 *
 * Eligible, for whatever isn't a move to relieve another hub:
 *   E1  not draining
 *   E2  hasn't lost its routes; if all hubs have, it counts for none of them
 *
 * Assignment: of the eligible hubs
 *   A1  modulo: the edge's ID modulo their number
 *   A2  rendezvous: the best bid, weighted by capacity; hubs without capacity
 *       only if none has any, then all weigh the same; ties: the lowest ID
 *
 * Answer to an edge that asks, the first rule that applies:
 *   Q1  no hub is alive, or none is eligible			no hub
 *   Q2  it names its hub, which is eligible and has not yet reported, or has a
 *       score below the limit					keep it
 *   Q3  it names hubs that it can't reach	assignment over the others; if
 *						there are none, over all
 *   Q4  else					assignment
 *
 * Standby of an edge that has a hub
 *   S1  as Q3, if it couldn't reach that one either; none if there is no other
 *
 * Target of a move that relieves a hub, the first one that doesn't hold:
 *   T1  eligible
 *   T2  has a known load: a report, processor, memory, capacity, tunnels
 *   T3  tunnels below the limit
 *   T4  score below the limit
 *
 * Fair redistribution, when
 *   F1  a hub's tunnels are above the limit, and those of another one are below
 *       it, both of them eligible: every edge goes to its assignment
 *
 * Auto-rebalance, one edge at a time:
 *   B1  begins when a score is above the limit, ends when all are below it
 *   B2  from the hub with the highest score of those not below the limit that
 *       has an edge for which the next rules find a target; ties: lowest ID
 *   B3  to the target (T1..T4) with the lowest score; ties: lowest ID; not to
 *       one that the edge was moved away from within the hold
 *   B4  first an edge that isn't at its assignment, then the lowest ID
 *
 * Route loss
 *   L1  lost: no route while another hub has some; or, if configured, less
 *       than a percentage of the best
 *   L2  target: eligible, not fewer routes than in its report before, at least
 *       95 % of the best's, and reported since the loss if that is asked for
 *   L3  edges of a hub that lost go to their assignment over the targets
 *
 * Spec: hub-cluster.md.
 */
#ifndef HC_DECIDE_H
#define HC_DECIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/ctl_id.h"
#include "hubcluster/hc_reason.h"

#define HC_HUBS_MAX	    64 /* of a cluster */
#define HC_NONE		    (-1)
#define HC_PERCENT	    100 /* in units of 0.01 %: of processor and memory */
#define HC_LOAD_UNKNOWN	    UINT16_MAX
#define HC_LIMIT_DEFAULT    70
#define HC_COMPLETE_PERCENT 95

/* What a hub reports. */
struct hc_load {
	uint16_t cpu, memory; /* 0.01 %, 0..10000; HC_LOAD_UNKNOWN */
	uint32_t capacity;    /* 0: none is configured */
	uint32_t tunnels;
	bool tunnels_known;
};

/* HC_OK, or why there is no score. */
extern enum hc_why hc_load_flaw(const struct hc_load *load);
/* 1..100; 0 if there is none. */
extern uint8_t hc_score(const struct hc_load *load);

enum hc_assignment {
	HC_MODULO,
	HC_RENDEZVOUS,
};

struct hc_rules {
	enum hc_assignment assignment;
	uint8_t limit;	      /* 1..99: score, and percent of the capacity */
	uint8_t loss_percent; /* 0: only a total loss is one */
};

struct hc_hub_in {
	struct ctl_id id;
	bool reported;
	bool draining;
	bool lost;	     /* its routes, and not yet seen to be good again */
	bool stale;	     /* hasn't reported since the loss in question */
	uint8_t score;	     /* of its last report; 0: unknown */
	struct hc_load load; /* of its last report; tunnels: and moves since */
	bool routes_known;
	uint32_t routes, routes_before;
};

/* HC_OK: eligible. */
extern enum hc_why hc_eligible(const struct hc_hub_in *hubs, size_t n, size_t i);
/* HC_OK: eligible, and a target. */
extern enum hc_why hc_target(const struct hc_rules *rules,
			     const struct hc_hub_in *hubs, size_t n, size_t i);
/* HC_OK: a target for edges of hubs that lost their routes. */
extern enum hc_why hc_route_target(const struct hc_hub_in *hubs, size_t n,
				   size_t i);

/*
 * The hubs that an assignment chooses from, as indexes in ascending order; made
 * once for many edges.
 */
struct hc_list {
	uint8_t index[HC_HUBS_MAX];
	size_t n;
};
/* The eligible ones; but not hub i if bit i of `except` is set. */
extern void hc_list_eligible(struct hc_list *list, const struct hc_hub_in *hubs,
			     size_t n, uint64_t except);
extern void hc_list_route_targets(struct hc_list *list,
				  const struct hc_hub_in *hubs, size_t n);
/* HC_NONE if the list is empty. */
extern int hc_assign(const struct hc_rules *rules, const struct hc_hub_in *hubs,
		     const struct hc_list *list, const struct ctl_id *edge);

struct hc_ask {
	struct ctl_id edge;
	struct ctl_id current; /* null: it has none */
	const struct ctl_id *unreachable;
	size_t n_unreachable;
};
struct hc_answer {
	int hub;
	enum hc_why why;
};
extern struct hc_answer hc_answer(const struct hc_rules *rules,
				  const struct hc_hub_in *hubs, size_t n,
				  const struct hc_ask *ask);

/* S1; `ask->current` is the edge's hub.  HC_NONE: there is none. */
extern int hc_standby(const struct hc_rules *rules, const struct hc_hub_in *hubs,
		      size_t n, const struct hc_ask *ask);

/* F1; *over and *under become the hubs that show it. */
extern bool hc_unfair(const struct hc_rules *rules, const struct hc_hub_in *hubs,
		      size_t n, int *over, int *under);

/* B1: is auto-rebalance at work, now that it was or wasn't before? */
extern bool hc_auto_active(const struct hc_rules *rules,
			   const struct hc_hub_in *hubs, size_t n, bool before);

struct hc_edge_in {
	struct ctl_id id;
	int hub;	/* where it is */
	uint64_t avoid; /* bit i: not back to hub i */
};
struct hc_move {
	size_t edge;
	int to;
};
/* Edges that may be moved, ascending by ID.  False: no move is possible. */
extern bool hc_auto_pick(const struct hc_rules *rules,
			 const struct hc_hub_in *hubs, size_t n,
			 const struct hc_edge_in *edges, size_t n_edges,
			 struct hc_move *move);

/* L1, of hub i. */
extern bool hc_routes_lost(const struct hc_rules *rules,
			   const struct hc_hub_in *hubs, size_t n, size_t i);

/*
 * Preference among gateways: the lowest number, then the lowest ID, of those
 * that there is a session with.
 */
struct hc_gateway_in {
	struct ctl_id id;
	uint8_t preference; /* 1..255; a smaller one is better */
	bool up;
};
/* < 0: `a` is preferred. */
extern int hc_gateway_cmp(const struct hc_gateway_in *a,
			  const struct hc_gateway_in *b);
/* The index of the preferred one, HC_NONE if none is up. */
extern int hc_preferred(const struct hc_gateway_in *gateways, size_t n);

#endif /* HC_DECIDE_H */
