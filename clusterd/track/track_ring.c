// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of probes and tracked routes (pure); see the header. */
#include "config.h"

#include "track/track_ring.h"

bool track_ring_candidate(const struct track_ring_facts *facts,
			  const struct prefix *route)
{
	if (facts->to.family != route->family)
		return false;
	return facts->watched ? prefix_same(&facts->to, route)
			      : prefix_match(route, &facts->to);
}

bool track_ring_closed(const struct track_ring_facts *facts,
		       const struct prefix *longest)
{
	if (longest->family == AF_UNSPEC)
		return false;
	return facts->watched || facts->matched <= (int)longest->prefixlen;
}

bool track_ring_update(struct track_ring_state *ring, bool closed,
		       bool probe_up, bool was_up)
{
	ring->closed = closed;
	if (!closed)
		ring->held = false;
	else if (was_up && !probe_up)
		ring->held = true;
	return !ring->held;
}
