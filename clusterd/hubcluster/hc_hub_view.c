// SPDX-License-Identifier: GPL-2.0-or-later
/* What there is to see of a hub: its routes, its edges; its defaults. */
#include "config.h"

#include <string.h>

#include "hubcluster/hc_hub_private.h"

const char *hc_site_text(enum hc_site site)
{
	static const char *const texts[] = {
		[HC_SITE_ACCEPTED] = "",
		[HC_SITE_DENIED] = "not permitted by the accept list",
		[HC_SITE_TAKEN] = "another edge has it",
		[HC_SITE_NO_HOP] =
			"the edge has no tunnel address of its family",
	};

	return texts[site];
}

void hc_hub_config_default(struct hc_hub_config *config)
{
	memset(config, 0, sizeof(*config));
	config->port = CTL_PORT;
	config->report_ms = 30000;
	config->trigger_ms = 50;
	config->trigger_hold_ms = 500;
}

struct hc_site_route hub_site_route(const struct hub_site *site)
{
	return (struct hc_site_route){
		.prefix = site->prefix,
		.nexthop = *hc_address_like(&site->edge->msg.tunnel,
					    &site->prefix.addr),
		.edge = site->edge->id,
	};
}

size_t hc_hub_edges(const struct hc_hub *hub)
{
	return hub_edges_count(&hub->edges);
}

size_t hc_hub_tunnels(const struct hc_hub *hub)
{
	return hc_hub_edges(hub) - hub->n_guarded;
}

bool hc_hub_sites_all_changed(struct hc_hub *hub)
{
	bool all = hub->all_changed;

	hub->all_changed = false;
	return all;
}

bool hc_hub_site_changed(struct hc_hub *hub, struct hc_prefix *prefix)
{
	struct hub_change *change = hub_changes_pop(&hub->changes);

	if (!change)
		return false;
	*prefix = change->prefix;
	XFREE(MTYPE_HC_CHANGE, change);
	return true;
}

bool hc_hub_site(const struct hc_hub *hub, const struct hc_prefix *prefix,
		 struct hc_site_route *route)
{
	struct hub_site ref = { .prefix = *prefix };
	struct hub_leaving gone = { .route = { .prefix = *prefix } };
	const struct hub_site *site = hub_sites_const_find(&hub->sites, &ref);
	const struct hub_leaving *leaving;

	if (site) {
		*route = hub_site_route(site);
		return true;
	}
	leaving = hub_leavings_const_find(&hub->leavings, &gone);
	if (leaving)
		*route = leaving->route;
	return leaving != NULL;
}

void hc_hub_sites(struct hc_hub *hub,
		  void (*fn)(void *arg, const struct hc_site_route *route),
		  void *arg)
{
	struct hub_leaving *leaving;
	struct hub_site *site;

	frr_each (hub_sites, &hub->sites, site) {
		struct hc_site_route route = hub_site_route(site);

		fn(arg, &route);
	}
	frr_each (hub_leavings, &hub->leavings, leaving)
		fn(arg, &leaving->route);
}

bool hc_hub_edge_next(struct hc_hub *hub, const struct ctl_id *after,
		      struct hc_hub_edge_view *view)
{
	struct hub_edge ref = {}, *edge;

	if (after) {
		ref.id = *after;
		edge = hub_edges_find_gteq(&hub->edges, &ref);
		if (edge && !ctl_id_cmp(&edge->id, after))
			edge = hub_edges_next(&hub->edges, edge);
	} else {
		edge = hub_edges_first(&hub->edges);
	}
	if (!edge)
		return false;
	*view = (struct hc_hub_edge_view){
		.id = edge->id,
		.tunnel = edge->msg.tunnel,
		.since_us = edge->since_us,
		.n_prefixes = edge->msg.n_prefixes,
	};
	memcpy(view->prefixes, edge->msg.prefixes, sizeof(view->prefixes));
	memcpy(view->sites, edge->verdicts, sizeof(view->sites));
	return true;
}

void hc_hub_self_view(const struct hc_hub *hub, struct hc_hub_self_view *view)
{
	*view = (struct hc_hub_self_view){
		.config = hub->config,
		.load = hub->load,
		.routes_known = hub->routes_known,
		.routes = hub->routes,
		.gateways = hub->n_gateways,
		.reports = hub->reports,
		.triggered = hub->triggered,
		.refused = hub->refused,
	};
}
