/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow look whether bgpd has what is announced (pure): which addresses a
 * round asks for, when a round is given up, and what the answers say.
 * bgp_look.c asks.
 */
#ifndef CLUSTER_BGP_SIGHT_H
#define CLUSTER_BGP_SIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cluster_route.h"
#include "vip/vip_reason.h"

#define BGP_ROUND_MAX	   200		    /* addresses */
#define BGP_SIGHT_MISSING  2		    /* answers in a row that say so */
#define BGP_SIGHT_GRACE_US INT64_C(5000000) /* bgpd has to hear of it first */

/* -- of one address -- */

enum bgp_seen {
	BGP_SEEN_UNKNOWN,
	BGP_SEEN_YES,
	BGP_SEEN_NOT,
};

/* {}: bgpd was never asked. */
struct bgp_sight {
	int64_t looked_us;
	uint8_t missing; /* answers in a row; no more than BGP_SIGHT_MISSING */
};

/*
 * `since_us`: it is announced since then; `lost_us`: what bgpd said before isn't
 * known any more.  Answers from before either say nothing.
 */
extern enum bgp_seen bgp_sight_seen(const struct bgp_sight *sight,
				    int64_t since_us, int64_t lost_us);
/* An answer: bgpd has it, or hasn't. */
extern void bgp_sight_take(struct bgp_sight *sight, bool has, int64_t since_us,
			   int64_t lost_us, int64_t now_us);

/* -- a round -- */

struct bgp_round_question {
	char vip[VIP_NAME_LEN];
	struct ipaddr addr;
};

/* {}: the first one begins with the first address. */
struct bgp_round {
	struct bgp_round_question questions[BGP_ROUND_MAX];
	size_t n, at;			 /* `at`: the one that is asked now */
	size_t at_checked;		 /* `at`, as it was at the last check */
	struct bgp_round_question after; /* what the last round ended with */
};

/*
 * A new round, in two passes over all addresses in the order of names and
 * addresses: first those `behind` the end of the last round, then from the
 * beginning, so that each has its turn.  offer: false when the round is full.
 * ready: false when there is nothing to ask.
 */
extern void bgp_round_begin(struct bgp_round *round);
extern bool bgp_round_offer(struct bgp_round *round, bool behind,
			    const char *vip, const struct ipaddr *addr);
extern bool bgp_round_ready(struct bgp_round *round);

/* The one to ask now; NULL: the round is over. */
extern const struct bgp_round_question *
bgp_round_question(const struct bgp_round *round);
extern void bgp_round_answered(struct bgp_round *round);
/* From time to time: false when no answer has come since the last check. */
extern bool bgp_round_moves(struct bgp_round *round);

#endif /* CLUSTER_BGP_SIGHT_H */
