// SPDX-License-Identifier: GPL-2.0-or-later
/* What there is to show of an edge, and its defaults. */
#include "config.h"

#include <string.h>

#include "hubcluster/hc_edge_private.h"

void hc_edge_config_default(struct hc_edge_config *config)
{
	memset(config, 0, sizeof(*config));
	config->retry_ms = 5000;
	config->connect_ms = 10000;
	config->unreachable_ms = 30000;
}

const char *hc_edge_state_str(enum hc_edge_state state)
{
	static const char *const names[HC_EDGE_STATES] = {
		[HC_EDGE_IDLE] = "idle",
		[HC_EDGE_CONNECTING] = "connecting",
		[HC_EDGE_ATTACHED] = "attached",
		[HC_EDGE_MOVING] = "moving",
	};

	return names[state];
}

uint8_t hc_edge_preference(const struct hc_edge *edge, const struct ctl_id *id)
{
	for (int i = 0; i < edge->config.n_gateways; i++)
		if (!ctl_id_cmp(&edge->config.gateways[i].id, id))
			return edge->config.gateways[i].preference;
	return HC_PREFERENCE_DEFAULT;
}

void hc_edge_self_view(const struct hc_edge *edge,
		       struct hc_edge_self_view *view)
{
	*view = (struct hc_edge_self_view){
		.state = edge->state,
		.current = edge->current,
		.target = edge->target,
		.standby = edge->standby,
		.guarded = !ctl_id_is_null(&edge->guard),
		.n_unreachable = edge->unreachable.n,
		.no_hub = edge->no_hub,
		.accepted = edge->accepted,
		.via = edge->via,
		.moves = edge->moves,
		.losses = edge->losses,
		.failures = edge->failures,
		.ignored = edge->ignored,
		.stale = edge->stale,
		.n_gateways = edge->n_gateways,
	};
	memcpy(view->unreachable, edge->unreachable.hubs,
	       sizeof(view->unreachable));
	for (size_t i = 0; i < edge->n_gateways; i++) {
		const struct edge_gateway *gateway = &edge->gateways[i];

		view->gateways[i] = (struct hc_edge_gateway_view){
			.id = gateway->id,
			.preference = hc_edge_preference(edge, &gateway->id),
			.preferred = gateway->preferred,
			.answered = gateway->answered,
		};
		if (!gateway->answered)
			continue;
		view->gateways[i].told = gateway->told.hub;
		view->gateways[i].why = (enum hc_why)gateway->told.why;
	}
}
