/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings: a probe that depends on the route that it controls (pure).
 *
 * With the route gone such a probe is lost, or takes another way, where its
 * answers say nothing about the next hop: the route comes back, the probe fails
 * again, and so on for ever.  So a next hop in a ring may be up, and says what it
 * is in, but once its probe has taken it down it stays down until there is no ring.
 */
#ifndef CLUSTER_TRACK_RING_H
#define CLUSTER_TRACK_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "prefix.h"

#include "core/nexthop_table.h"

struct track_ring_facts {
	/*
	 * The host that the probe sends to, or with `watched` the route that it
	 * watches; AF_UNSPEC: neither, or in another VRF.
	 */
	struct prefix to;
	bool watched;
	/* Length of the longest route to that host, or NEXTHOP_UNRESOLVED. */
	int matched;
};

/*
 * A prefix of the track, `route`, is what the probe could depend on: it covers
 * the host, or is the route that is watched.
 */
extern bool track_ring_candidate(const struct track_ring_facts *facts,
				 const struct prefix *route);
/*
 * A ring by the longest one of these (AF_UNSPEC: there is none): the host has no
 * longer route than that, which would win whatever the track does.
 */
extern bool track_ring_closed(const struct track_ring_facts *facts,
			      const struct prefix *longest);

/* What is kept of a next hop in a ring. */
struct track_ring_state {
	bool closed;
	bool held; /* it has gone down: it stays so */
};

/*
 * Its probe is up or not, and the next hop was up so far.  True: the probe's
 * word counts; false: held down.
 */
extern bool track_ring_update(struct track_ring_state *ring, bool closed,
			      bool probe_up, bool was_up);

#endif /* CLUSTER_TRACK_RING_H */
