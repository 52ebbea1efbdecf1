/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of N hubs is an edge's (pure).
 *
 * Both functions are part of the protocol: gateways that have the same list
 * must find the same hub without talking to each other, on any machine.  So
 * there is no floating point in them, and they are never changed.
 *
 * Spec: hub-cluster.md, "Assignment".
 */
#ifndef HC_ASSIGN_H
#define HC_ASSIGN_H

#include "core/ctl_id.h"

/*
 * The ID's 16 octets as one big-endian number, modulo `n` (> 0): an index into
 * the hubs in ascending order of their IDs.
 */
extern uint32_t hc_modulo(const struct ctl_id *edge, uint32_t n);

/*
 * Weighted rendezvous hashing: each hub bids for the edge, and the lowest bid
 * wins.  A bid is -log2(h) / weight, where h is a hash of both IDs in (0, 1);
 * so a hub gets edges in proportion to its weight, and an edge moves only when
 * its own hub goes, or to a hub that comes.
 */
struct hc_bid {
	uint64_t cost; /* -log2(h), 32 fractional bits; never 0 */
	uint32_t weight;
};
/* `weight` > 0 */
extern struct hc_bid hc_bid(const struct ctl_id *edge, const struct ctl_id *hub,
			    uint32_t weight);
/* < 0: `a` is the better one. */
extern int hc_bid_cmp(const struct hc_bid *a, const struct hc_bid *b);

#endif /* HC_ASSIGN_H */
