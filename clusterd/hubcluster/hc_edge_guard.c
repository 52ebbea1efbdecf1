// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guard: a standby that carries the edge's sites before the edge needs it.
 *
 * When a hub dies, what takes longest after its dead interval is the way of the
 * sites' routes from the new hub to the routers behind it: bgpd alone holds a
 * changed route for 0.05 s, twice.  But a hub that has been silent for two
 * thirds of that interval is mostly dead.  So the edge attaches to its standby
 * then, if there is a session with it, and the routes are under way before its
 * hub is given up.  It isn't a move: the edge keeps its hub and its own routes
 * until the end of the interval, and leaves the standby a while after the hub
 * was heard again.  What comes back by way of the standby meanwhile comes
 * through its tunnel.  To the standby it is no load, and it doesn't report it:
 * else other edges would be moved because a hub was silent for some seconds.
 */
#include "config.h"

#include <string.h>

#include "hubcluster/hc_edge_private.h"

static bool same(const struct ctl_id *a, const struct ctl_id *b)
{
	return !ctl_id_cmp(a, b);
}

void hc_guard_forget(struct hc_edge *edge, const struct ctl_id *hub)
{
	if (same(&edge->guard, hub))
		memset(&edge->guard, 0, sizeof(edge->guard));
}

void hc_guard_refused(struct hc_edge *edge, const struct ctl_id *hub)
{
	if (!same(&edge->guard, hub))
		return;
	hc_guard_forget(edge, hub);
	edge->guard_refused = *hub;
}

void hc_guard_leave(struct hc_edge *edge)
{
	struct ctl_id hub = edge->guard;

	if (ctl_id_is_null(&hub))
		return;
	hc_guard_forget(edge, &hub);
	hc_edge_send_detach(edge, &hub);
}

/* It is nobody's hub yet, and reachable as far as we know. */
static void guard_begin(struct hc_edge *edge)
{
	const struct ctl_id *standby = &edge->standby.hub;

	if (!ctl_id_is_null(&edge->guard) || !hc_edge_standby_usable(edge) ||
	    same(standby, &edge->current.hub) ||
	    same(standby, &edge->target.hub) ||
	    same(standby, &edge->guard_refused))
		return;
	edge->guard = *standby;
	if (!hc_edge_send_attach(edge, standby))
		hc_guard_forget(edge, standby);
}

int64_t hc_guard_run(struct hc_edge *edge, int64_t now_us)
{
	int64_t quiet_us;

	/* Without a hub it stays until there is one. */
	if (ctl_id_is_null(&edge->current.hub))
		return INT64_MAX;
	quiet_us = edge->ops->quiet_at(edge->arg, &edge->current.hub);
	if (quiet_us <= now_us) {
		guard_begin(edge);
		edge->guard_us = now_us + HC_EDGE_GUARD_US;
		return edge->guard_us;
	}
	if (edge->guard_us <= now_us) {
		hc_guard_leave(edge);
		memset(&edge->guard_refused, 0, sizeof(edge->guard_refused));
	}
	if (ctl_id_is_null(&edge->guard) || quiet_us < edge->guard_us)
		return quiet_us;
	return edge->guard_us;
}
