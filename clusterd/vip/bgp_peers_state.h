/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What operational data has of `show cluster bgp peers`.
 *
 * Its readers can't wait for bgpd.  So the first one starts rounds of questions,
 * one every 10 s, until nobody has read for 10 minutes: a system that polls
 * finds answers that aren't older, and a router that nobody polls asks nothing
 * and keeps nothing.
 */
#ifndef CLUSTER_BGP_PEERS_STATE_H
#define CLUSTER_BGP_PEERS_STATE_H

#include <stdint.h>
#include <time.h>

#include "vip/bgp_answers.h"

#define BGP_PEERS_ROUND_MS 10000
#define BGP_PEERS_READ_US  INT64_C(600000000)

enum bgp_peers_status {
	BGP_PEERS_ASKING, /* no answers yet */
	BGP_PEERS_ANSWERED,
	BGP_PEERS_FAILED, /* the last round brought none */
};

struct bgp_peers_state {
	enum bgp_peers_status status;
	const char *why; /* static storage; "": nothing to say */

	/* While BGP_PEERS_ANSWERED; otherwise there are none. */
	struct bgp_answers answers;
	int64_t answered_us;
	time_t answered_wall;
};

/* For a reader: asks bgpd again and again from now on.  Changes by events only. */
extern const struct bgp_peers_state *bgp_peers_read(void);
/* Ends a round, and forgets. */
extern void bgp_peers_state_fini(void);

#endif /* CLUSTER_BGP_PEERS_STATE_H */
