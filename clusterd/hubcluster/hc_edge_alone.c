// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An edge without a hub, by itself: the standby, or the last hub again.
 *
 * It goes to the standby at once, whatever gateways are going to say.  Later it
 * tries by itself as long as no gateway can name a hub: there is none, or those
 * that there are hear no hub themselves.  That all are being drained is an
 * answer, too: nobody is to go there.
 */
#include "config.h"

#include <string.h>

#include "core/cluster_time.h"
#include "hubcluster/hc_edge_private.h"

bool hc_edge_standby_usable(const struct hc_edge *edge)
{
	return !ctl_id_is_null(&edge->standby.hub) &&
	       !hc_unreachable_has(&edge->unreachable, &edge->standby.hub);
}

void hc_edge_standby_go(struct hc_edge *edge, int64_t now_us)
{
	if (hc_edge_standby_usable(edge))
		hc_edge_go(edge, &edge->standby, now_us);
}

/* It has said that it knows of no hub. */
static bool knows_none(const struct edge_gateway *gateway)
{
	return gateway->answered && ctl_id_is_null(&gateway->told.hub) &&
	       gateway->told.why != HC_WHY_NO_ELIGIBLE;
}

static bool is_alone(const struct hc_edge *edge)
{
	for (size_t i = 0; i < edge->n_gateways; i++)
		if (!knows_none(&edge->gateways[i]))
			return false;
	return true;
}

int64_t hc_edge_alone_run(struct hc_edge *edge, int64_t now_us)
{
	if (edge->state != HC_EDGE_IDLE || ctl_id_is_null(&edge->last.hub) ||
	    !is_alone(edge))
		return INT64_MAX;
	if (edge->idle_us > now_us)
		return edge->idle_us;
	edge->idle_us = now_us + edge->config.retry_ms * MS_US;
	memset(&edge->last.gateway, 0, sizeof(edge->last.gateway));
	edge->last.why = HC_WHY_LAST;
	hc_edge_go(edge,
		   hc_edge_standby_usable(edge) ? &edge->standby : &edge->last,
		   now_us);
	return INT64_MAX;
}
