/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a hub cluster's parties are as they are: reasons as data (they go over
 * the wire), and as text (pure).
 */
#ifndef HC_REASON_H
#define HC_REASON_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are on the wire: never renumbered, only added to. */
enum hc_why {
	HC_OK = 0,

	/* why this hub: an answer to an edge */
	HC_WHY_KEPT = 1,	    /* the edge's hub: score below the limit */
	HC_WHY_KEPT_UNKNOWN = 2,    /* the edge's hub: no report of it yet */
	HC_WHY_ASSIGNED = 3,	    /* the edge had none */
	HC_WHY_UNREACHABLE = 4,	    /* the edge can't reach others */
	HC_WHY_ONLY_ONE = 5,	    /* the edge can't reach any */
	HC_WHY_REPLACED_LOADED = 6, /* the edge's hub: score not below */
	HC_WHY_REPLACED_GONE = 7,   /* the edge's hub isn't eligible */
	HC_WHY_LAST = 8,    /* no gateway is there: the last one again */
	HC_WHY_STANDBY = 9, /* the edge lost its own: named before for that */

	/* why moved: without having been asked */
	HC_WHY_HUB_DEAD = 16,	 /* not heard for the dead interval */
	HC_WHY_HUB_STOPPED = 17, /* it said goodbye */
	HC_WHY_DRAINED = 18,
	HC_WHY_FAIR = 19, /* fair redistribution */
	HC_WHY_AUTO = 20, /* auto-rebalance */
	HC_WHY_ROUTE_LOSS = 21,
	HC_WHY_OPERATOR = 22, /* `cluster move` */

	/* why no hub */
	HC_WHY_NO_CLUSTER = 32,	 /* the gateway doesn't know the cluster */
	HC_WHY_NO_HUB = 33,	 /* no hub of it is alive */
	HC_WHY_NO_ELIGIBLE = 34, /* hubs are, but all are draining */

	/* why a hub isn't eligible, or not as a target of a move */
	HC_WHY_DRAINING = 48,
	HC_WHY_ROUTES_LOST = 49,
	HC_WHY_NO_REPORT = 50,
	HC_WHY_NO_CAPACITY = 51,
	HC_WHY_TUNNELS_UNKNOWN = 52,
	HC_WHY_TUNNELS_HIGH = 53,
	HC_WHY_SCORE_HIGH = 54,
	HC_WHY_ROUTES_FEWER = 55,   /* than its own report before */
	HC_WHY_ROUTES_PARTIAL = 56, /* less than 95 % of the best */
	HC_WHY_ROUTES_UNKNOWN = 57,
	HC_WHY_ROUTES_STALE = 58,  /* no report since the loss */
	HC_WHY_UNKNOWN_HUB = 59,   /* no such live hub */
	HC_WHY_MOVED_FROM = 60,	   /* the edge was moved away a while ago */
	HC_WHY_LOAD_UNKNOWN = 61,  /* processor or memory */
	HC_WHY_UNKNOWN_EDGE = 62,  /* no such connected edge */
	HC_WHY_NOT_PREFERRED = 63, /* the edge follows another gateway */
};

/* A text that goes on after its subject, "" for HC_OK; never NULL. */
extern const char *hc_why_text(enum hc_why why);
/* camelCase, for JSON and logs; "unknown" for a number that has no name. */
extern const char *hc_why_name(enum hc_why why);

#endif /* HC_REASON_H */
