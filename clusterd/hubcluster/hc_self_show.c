// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster hub`, `show cluster edge`: what this node is itself. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "hubcluster/hc_mgmt.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/hubcluster/hc_self_show_clippy.c"
#endif

/* ---- hub ---- */

static const char *source_name(enum hcd_source_type source)
{
	static const char *const names[] = {
		[HCD_SESSIONS] = "sessions",
		[HCD_INTERFACES] = "interface",
		[HCD_COMMAND] = "command",
		[HCD_FIXED] = "fixed",
	};

	return names[source];
}

static void measured_json(json_object *json)
{
	struct hc_hub_self_view view;
	struct hcd_measured measured;
	uint8_t score;

	hc_hub_self_view(hcd_hub_running(), &view);
	hcd_measured(&measured);
	hcd_json_why(json, "scoreReason", "scoreWhy",
		     hcd_self_score(&view, &score));
	if (score)
		json_object_int_add(json, "score", score);
	hcd_json_percent(json, "cpuPercent", measured.cpu);
	hcd_json_percent(json, "memoryPercent", measured.memory);
	if (measured.tunnels.known)
		json_object_int_add(json, "tunnels", measured.tunnels.value);
	if (measured.source_why[0])
		json_object_string_add(json, "sourceWhy", measured.source_why);
	if (measured.routes_known) {
		json_object_int_add(json, "routesIpv4", measured.routes[0]);
		json_object_int_add(json, "routesIpv6", measured.routes[1]);
	}
	json_object_int_add(json, "gateways", (int64_t)view.gateways);
	json_object_int_add(json, "edges",
			    (int64_t)hc_hub_edges(hcd_hub_running()));
	json_object_int_add(json, "reports", (int64_t)view.reports);
	json_object_int_add(json, "reportsTriggered", (int64_t)view.triggered);
	json_object_int_add(json, "edgesRefused", (int64_t)view.refused);
}

static json_object *hub_json(const struct hcd_hub *hub)
{
	json_object *json = json_object_new_object();

	if (!hub)
		return json;
	json_object_string_add(json, "state",
			       hcd_status_name(hub->shutdown, hub->why));
	if (hub->why[0])
		json_object_string_add(json, "why", hub->why);
	hcd_json_id(json, "cluster", &hub->config.cluster);
	json_object_boolean_add(json, "draining", hub->config.drain);
	json_object_int_add(json, "capacity", hub->config.capacity);
	json_object_string_add(json, "tunnelSource", source_name(hub->source));
	if (hcd_hub_running())
		measured_json(json);
	if (hcd_hub_advice()[0])
		json_object_string_add(json, "advice", hcd_hub_advice());
	return json;
}

static void measured_show(struct vty *vty, const struct hcd_hub *hub)
{
	char cpu[16] = "", memory[16] = "";
	struct hc_hub_self_view view;
	struct hcd_measured measured;
	enum hc_why scoreless;
	uint8_t score;

	hc_hub_self_view(hcd_hub_running(), &view);
	hcd_measured(&measured);
	scoreless = hcd_self_score(&view, &score);
	if (scoreless == HC_OK)
		vty_out(vty, "  Score %u in the last report\n", score);
	else
		vty_out(vty, "  No score: this hub %s\n",
			hc_why_text(scoreless));
	vty_out(vty, "  Processor %s %%, memory %s %%\n",
		hcd_percent_text(measured.cpu, cpu, sizeof(cpu))[0] ? cpu : "?",
		hcd_percent_text(measured.memory, memory, sizeof(memory))[0]
			? memory
			: "?");
	vty_out(vty, "  Tunnels: ");
	if (measured.tunnels.known)
		vty_out(vty, "%u", measured.tunnels.value);
	else
		vty_out(vty, "unknown");
	vty_out(vty, " of %u, source %s%s%s\n", hub->config.capacity,
		source_name(hub->source), measured.source_why[0] ? ": " : "",
		measured.source_why);
	if (measured.routes_known)
		vty_out(vty, "  Learned routes: %u IPv4, %u IPv6\n",
			measured.routes[0], measured.routes[1]);
	else
		vty_out(vty, "  Learned routes: not known yet\n");
	vty_out(vty,
		"  %zu gateways, %zu edges; %llu reports sent, %llu of them at once; %llu edges refused\n",
		view.gateways, hc_hub_edges(hcd_hub_running()),
		(unsigned long long)view.reports,
		(unsigned long long)view.triggered,
		(unsigned long long)view.refused);
}

static void hub_show(struct vty *vty, const struct hcd_hub *hub)
{
	char id[CTL_ID_TEXT_LEN];

	vty_out(vty, "Hub of cluster %s: %s%s%s%s\n",
		ctl_id_is_null(&hub->config.cluster)
			? "(no hub-cluster)"
			: ctl_id_format(&hub->config.cluster, id),
		hcd_status_name(hub->shutdown, hub->why),
		hub->config.drain ? ", DRAINING" : "", hub->why[0] ? ": " : "",
		hub->why);
	if (hcd_hub_running())
		measured_show(vty, hub);
	if (hcd_hub_advice()[0])
		vty_out(vty, "  %s\n", hcd_hub_advice());
}

static json_object *carried_json(const struct hc_hub_edge_view *view,
				 int64_t now_us)
{
	json_object *json = json_object_new_object();
	json_object *prefixes = json_object_new_object();

	hcd_json_name(json, "name", &view->id);
	json_object_object_add(json, "tunnelAddresses",
			       hcd_json_addresses(&view->tunnel));
	json_object_int_add(json, "sinceMsec", (now_us - view->since_us) / 1000);
	for (unsigned int i = 0; i < view->n_prefixes; i++) {
		json_object *entry = json_object_new_object();
		enum hc_site site = view->sites[i];
		char text[PREFIX_STRLEN];
		int64_t since_us;

		json_object_boolean_add(entry, "accepted",
					site == HC_SITE_ACCEPTED);
		if (site == HC_SITE_ACCEPTED)
			json_object_string_add(
				entry, "route",
				hcd_route_status_name(
					hcd_site_status(&view->prefixes[i],
							&since_us)));
		else
			json_object_string_add(entry, "why", hc_site_text(site));
		json_object_object_add(prefixes,
				       hcd_prefix_text(&view->prefixes[i], text,
						       sizeof(text)),
				       entry);
	}
	json_object_object_add(json, "prefixes", prefixes);
	return json;
}

static void carried_show(struct vty *vty, const struct hc_hub_edge_view *view,
			 int64_t now_us)
{
	char node[HCD_NODE_TEXT_LEN], since[32], text[PREFIX_STRLEN];

	vty_out(vty, "Edge %s, for %s, tunnel", hcd_show_node(&view->id, node),
		cluster_uptime(view->since_us, now_us, since, sizeof(since)));
	for (unsigned int i = 0; i < view->tunnel.n; i++)
		vty_out(vty, " %pIA", &view->tunnel.list[i]);
	vty_out(vty, "%s\n", view->tunnel.n ? "" : " without an address");
	for (unsigned int i = 0; i < view->n_prefixes; i++) {
		enum hc_site site = view->sites[i];
		int64_t since_us;

		vty_out(vty, "  %s: %s\n",
			hcd_prefix_text(&view->prefixes[i], text, sizeof(text)),
			site == HC_SITE_ACCEPTED
				? hcd_route_status_name(
					  hcd_site_status(&view->prefixes[i],
							  &since_us))
				: hc_site_text(site));
	}
}

static int carried_all(struct vty *vty, bool as_json, int64_t now_us)
{
	json_object *json = as_json ? json_object_new_object() : NULL;
	struct hc_hub_edge_view view;
	char id[CTL_ID_TEXT_LEN];
	bool more = hcd_hub_running() &&
		    hc_hub_edge_next(hcd_hub_running(), NULL, &view);

	if (!more && !json)
		vty_out(vty, "No edges.\n");
	for (; more;
	     more = hc_hub_edge_next(hcd_hub_running(), &view.id, &view)) {
		if (json)
			json_object_object_add(json, ctl_id_format(&view.id, id),
					       carried_json(&view, now_us));
		else
			carried_show(vty, &view, now_us);
	}
	return json ? vty_json(vty, json) : CMD_SUCCESS;
}

DEFPY (show_cluster_hub,
       show_cluster_hub_cmd,
       "show cluster hub [edges$edges] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "This node as a hub: its load, and what it has told the gateways\n"
       "Edges that it carries, and their prefixes\n"
       JSON_STR)
{
	const struct hcd_hub *hub = hcd_hub();

	if (edges)
		return carried_all(vty, json, cluster_now_us());
	if (json)
		return vty_json(vty, hub_json(hub));
	if (hub)
		hub_show(vty, hub);
	else
		vty_out(vty, "This node is no hub.\n");
	return CMD_SUCCESS;
}

/* ---- edge ---- */

/* Why it has the hub that it has, or none. */
static enum hc_why hub_why(const struct hc_edge_self_view *view)
{
	return ctl_id_is_null(&view->current.hub) ? view->no_hub
						  : view->current.why;
}

static void self_json(json_object *json, int64_t now_us)
{
	json_object *unreachable = json_object_new_array();
	json_object *gateways = json_object_new_object();
	static struct hc_edge_self_view view; /* large */
	const struct hc_where *at = &view.current;
	char id[CTL_ID_TEXT_LEN];

	hc_edge_self_view(hcd_edge_running(), &view);
	json_object_string_add(json, "phase", hc_edge_state_str(view.state));
	hcd_json_id(json, "hub", &at->hub);
	hcd_json_name(json, "hubName", &at->hub);
	hcd_json_id(json, "hubGateway", &at->gateway);
	hcd_json_why(json, "hubReason", "hubWhy", hub_why(&view));
	if (!ctl_id_is_null(&at->hub))
		json_object_int_add(json, "hubSinceMsec",
				    (now_us - at->since_us) / 1000);
	hcd_json_id(json, "target", &view.target.hub);
	if (!ctl_id_is_null(&view.target.hub)) {
		hcd_json_name(json, "targetName", &view.target.hub);
		hcd_json_why(json, "targetReason", "targetWhy", view.target.why);
	}
	hcd_json_id(json, "standby", &view.standby.hub);
	if (!ctl_id_is_null(&view.standby.hub)) {
		hcd_json_name(json, "standbyName", &view.standby.hub);
		json_object_boolean_add(json, "standbyConnected",
					hcd_hub_connected(&view.standby.hub));
		json_object_boolean_add(json, "standbyAttached", view.guarded);
	}
	json_object_object_add(json, "via", hcd_json_addresses(&view.via));
	json_object_int_add(json, "accepted", view.accepted);
	if (hcd_tunnel_why()[0])
		json_object_string_add(json, "tunnelWhy", hcd_tunnel_why());
	json_object_int_add(json, "moves", (int64_t)view.moves);
	json_object_int_add(json, "losses", (int64_t)view.losses);
	json_object_int_add(json, "failures", (int64_t)view.failures);
	json_object_int_add(json, "ignored", (int64_t)view.ignored);
	json_object_int_add(json, "stale", (int64_t)view.stale);
	for (size_t i = 0; i < view.n_unreachable; i++)
		json_object_array_add(unreachable,
				      json_object_new_string(
					      ctl_id_format(&view.unreachable[i],
							    id)));
	json_object_object_add(json, "unreachable", unreachable);
	for (size_t i = 0; i < view.n_gateways; i++) {
		const struct hc_edge_gateway_view *gateway = &view.gateways[i];
		json_object *entry = json_object_new_object();

		hcd_json_name(entry, "name", &gateway->id);
		json_object_int_add(entry, "preference", gateway->preference);
		json_object_boolean_add(entry, "preferred", gateway->preferred);
		json_object_boolean_add(entry, "answered", gateway->answered);
		hcd_json_id(entry, "hub", &gateway->told);
		if (gateway->answered)
			hcd_json_why(entry, "reason", "why", gateway->why);
		json_object_object_add(gateways,
				       ctl_id_format(&gateway->id, id), entry);
	}
	json_object_object_add(json, "gateways", gateways);
}

static json_object *edge_json(const struct hcd_edge *edge, int64_t now_us)
{
	json_object *json = json_object_new_object();
	json_object *routes;

	if (!edge)
		return json;
	json_object_string_add(json, "state",
			       hcd_status_name(edge->shutdown, edge->why));
	if (edge->why[0])
		json_object_string_add(json, "why", edge->why);
	hcd_json_id(json, "cluster", &edge->config.cluster);
	if (hcd_edge_running())
		self_json(json, now_us);
	routes = json_object_new_object();
	for (size_t i = 0; i < edge->n_routes; i++) {
		json_object *entry = json_object_new_object();
		char text[PREFIX_STRLEN];
		int64_t since_us = 0;

		json_object_string_add(entry, "status",
				       hcd_route_status_name(
					       hcd_edge_route_status(&edge->routes[i],
								     &since_us)));
		if (since_us)
			json_object_int_add(entry, "sinceMsec",
					    (now_us - since_us) / 1000);
		json_object_object_add(routes,
				       hcd_prefix_text(&edge->routes[i], text,
						       sizeof(text)),
				       entry);
	}
	json_object_object_add(json, "routes", routes);
	return json;
}

static void self_show(struct vty *vty, int64_t now_us)
{
	static struct hc_edge_self_view view; /* large */
	const struct hc_where *at = &view.current;
	char node[HCD_NODE_TEXT_LEN], since[32];

	hc_edge_self_view(hcd_edge_running(), &view);
	if (ctl_id_is_null(&at->hub))
		vty_out(vty, "  No hub, %s%s%s\n", hc_edge_state_str(view.state),
			view.no_hub ? ": " : "", hc_why_text(view.no_hub));
	else
		vty_out(vty, "  Hub %s for %s: %s\n",
			hcd_show_node(&at->hub, node),
			cluster_uptime(at->since_us, now_us, since,
				       sizeof(since)),
			hc_why_text(at->why));
	for (unsigned int i = 0; i < view.via.n; i++)
		vty_out(vty, "    via %pIA\n", &view.via.list[i]);
	if (!ctl_id_is_null(&at->gateway))
		vty_out(vty, "    told by gateway %s\n",
			hcd_show_node(&at->gateway, node));
	if (!ctl_id_is_null(&view.target.hub))
		vty_out(vty, "  On its way to hub %s: %s\n",
			hcd_show_node(&view.target.hub, node),
			hc_why_text(view.target.why));
	if (!ctl_id_is_null(&view.standby.hub))
		vty_out(vty, "  If it is lost: hub %s%s\n",
			hcd_show_node(&view.standby.hub, node),
			hcd_hub_connected(&view.standby.hub)
				? ", there is a session with it"
				: "");
	if (view.guarded)
		vty_out(vty,
			"  Little was heard of the hub lately: a standby carries the sites as well\n");
	for (size_t i = 0; i < view.n_unreachable; i++)
		vty_out(vty, "  Failed lately: hub %s\n",
			hcd_show_node(&view.unreachable[i], node));
	if (hcd_tunnel_why()[0])
		vty_out(vty, "  Tunnels: %s\n", hcd_tunnel_why());
	vty_out(vty,
		"  %llu moves, %llu hubs lost, %llu failed; %llu moves ignored, %llu old answers\n",
		(unsigned long long)view.moves, (unsigned long long)view.losses,
		(unsigned long long)view.failures,
		(unsigned long long)view.ignored,
		(unsigned long long)view.stale);
	if (!view.n_gateways)
		vty_out(vty,
			"  No session with a gateway: see `show cluster control`\n");
	for (size_t i = 0; i < view.n_gateways; i++) {
		const struct hc_edge_gateway_view *gateway = &view.gateways[i];
		char hub[HCD_NODE_TEXT_LEN];

		vty_out(vty, "  Gateway %s, preference %u%s: ",
			hcd_show_node(&gateway->id, node), gateway->preference,
			gateway->preferred ? ", followed" : "");
		if (!gateway->answered)
			vty_out(vty, "no answer yet\n");
		else if (ctl_id_is_null(&gateway->told))
			vty_out(vty, "no hub: %s\n", hc_why_text(gateway->why));
		else
			vty_out(vty, "hub %s: %s\n",
				hcd_show_node(&gateway->told, hub),
				hc_why_text(gateway->why));
	}
}

static void edge_show(struct vty *vty, const struct hcd_edge *edge,
		      int64_t now_us)
{
	char id[CTL_ID_TEXT_LEN], text[PREFIX_STRLEN];

	vty_out(vty, "Edge of cluster %s: %s%s%s\n",
		ctl_id_is_null(&edge->config.cluster)
			? "(no hub-cluster)"
			: ctl_id_format(&edge->config.cluster, id),
		hcd_status_name(edge->shutdown, edge->why),
		edge->why[0] ? ": " : "", edge->why);
	if (hcd_edge_running())
		self_show(vty, now_us);
	for (size_t i = 0; i < edge->n_routes; i++) {
		int64_t since_us;

		vty_out(vty, "  Route %s: %s\n",
			hcd_prefix_text(&edge->routes[i], text, sizeof(text)),
			hcd_route_status_name(
				hcd_edge_route_status(&edge->routes[i],
						      &since_us)));
	}
}

DEFPY (show_cluster_edge,
       show_cluster_edge_cmd,
       "show cluster edge [json$json]",
       SHOW_STR
       CLUSTER_STR
       "This node as an edge: its hub and why, its gateways, its routes\n"
       JSON_STR)
{
	const struct hcd_edge *edge = hcd_edge();
	int64_t now_us = cluster_now_us();

	if (json)
		return vty_json(vty, edge_json(edge, now_us));
	if (edge)
		edge_show(vty, edge, now_us);
	else
		vty_out(vty, "This node is no edge.\n");
	return CMD_SUCCESS;
}

void hcd_self_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_hub_cmd);
	install_element(VIEW_NODE, &show_cluster_edge_cmd);
}
