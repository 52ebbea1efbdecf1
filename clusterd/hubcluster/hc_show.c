// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster hub-cluster`: what a gateway knows, and why it decides so. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "hubcluster/hc_mgmt.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/hubcluster/hc_show_clippy.c"
#endif

int64_t hcd_ms_left(int64_t at_us, int64_t now_us)
{
	return at_us > now_us ? (at_us - now_us) / 1000 : 0;
}

void hcd_json_id(json_object *json, const char *key, const struct ctl_id *id)
{
	char text[CTL_ID_TEXT_LEN];

	if (!ctl_id_is_null(id))
		json_object_string_add(json, key, ctl_id_format(id, text));
}

void hcd_json_name(json_object *json, const char *key, const struct ctl_id *id)
{
	const char *name = hc_node_peer_name(hcd_node(), id);

	if (name[0])
		json_object_string_add(json, key, name);
}

json_object *hcd_json_addresses(const struct hc_addresses *list)
{
	json_object *json = json_object_new_array();
	char text[INET6_ADDRSTRLEN];

	for (unsigned int i = 0; i < list->n; i++)
		json_object_array_add(json,
				      json_object_new_string(
					      ipaddr2str(&list->list[i], text,
							 sizeof(text))));
	return json;
}

void hcd_json_percent(json_object *json, const char *key, uint16_t load)
{
	if (load != HC_LOAD_UNKNOWN)
		json_object_double_add(json, key, load / (double)HC_PERCENT);
}

void hcd_json_why(json_object *json, const char *reason, const char *text,
		  enum hc_why why)
{
	if (why == HC_OK)
		return;
	json_object_string_add(json, reason, hc_why_name(why));
	json_object_string_add(json, text, hc_why_text(why));
}

const char *hcd_show_node(const struct ctl_id *id, char text[HCD_NODE_TEXT_LEN])
{
	return ctl_id_is_null(id) ? "-" : hcd_node_text(id, text);
}

/* ---- hubs of a cluster ---- */

static json_object *hub_json(const struct hc_hub_view *view, int64_t now_us)
{
	json_object *json = json_object_new_object();
	const struct hc_hub_in *in = &view->in;

	hcd_json_name(json, "name", &in->id);
	if (view->hub.model[0])
		json_object_string_add(json, "model", view->hub.model);
	if (view->hub.asn)
		json_object_int_add(json, "asn", view->hub.asn);
	json_object_object_add(json, "addresses",
			       hcd_json_addresses(&view->hub.addresses));
	json_object_int_add(json, "port", view->hub.port);
	json_object_int_add(json, "capacity", view->hub.capacity);
	if (in->score)
		json_object_int_add(json, "score", in->score);
	if (in->reported) {
		hcd_json_percent(json, "cpuPercent", in->load.cpu);
		hcd_json_percent(json, "memoryPercent", in->load.memory);
		json_object_int_add(json, "reportMsec",
				    (now_us - view->report_us) / 1000);
	}
	if (in->load.tunnels_known)
		json_object_int_add(json, "tunnels", in->load.tunnels);
	if (in->routes_known) {
		json_object_int_add(json, "routes", in->routes);
		json_object_int_add(json, "routesBefore", in->routes_before);
	}
	json_object_int_add(json, "edges", (int64_t)view->edges);
	json_object_boolean_add(json, "draining", in->draining);
	json_object_boolean_add(json, "routesLost", in->lost);
	json_object_boolean_add(json, "differs", view->differs);
	json_object_boolean_add(json, "eligible", view->eligible == HC_OK);
	hcd_json_why(json, "eligibleReason", "eligibleWhy", view->eligible);
	json_object_boolean_add(json, "target", view->target == HC_OK);
	hcd_json_why(json, "targetReason", "targetWhy", view->target);
	json_object_int_add(json, "joinedMsec",
			    (now_us - view->joined_us) / 1000);
	return json;
}

static void hub_show(struct vty *vty, const struct hc_hub_view *view,
		     int64_t now_us)
{
	const struct hc_hub_in *in = &view->in;
	char node[HCD_NODE_TEXT_LEN], cpu[16], memory[16], since[32];

	vty_out(vty, "  Hub %s, for %s, %zu edges\n",
		hcd_show_node(&in->id, node),
		cluster_uptime(view->joined_us, now_us, since, sizeof(since)),
		view->edges);
	if (!in->reported) {
		vty_out(vty, "    no report yet, tunnel capacity %u\n",
			view->hub.capacity);
	} else {
		vty_out(vty, "    score ");
		if (in->score)
			vty_out(vty, "%u", in->score);
		else
			vty_out(vty, "unknown");
		hcd_percent_text(in->load.cpu, cpu, sizeof(cpu));
		hcd_percent_text(in->load.memory, memory, sizeof(memory));
		vty_out(vty, ": processor %s %%, memory %s %%, tunnels ",
			in->load.cpu == HC_LOAD_UNKNOWN ? "?" : cpu,
			in->load.memory == HC_LOAD_UNKNOWN ? "?" : memory);
		if (in->load.tunnels_known)
			vty_out(vty, "%u", in->load.tunnels);
		else
			vty_out(vty, "?");
		vty_out(vty, " of %u; routes ", view->hub.capacity);
		if (in->routes_known)
			vty_out(vty, "%u", in->routes);
		else
			vty_out(vty, "?");
		vty_out(vty, "; reported %s ago\n",
			cluster_uptime(view->report_us, now_us, since,
				       sizeof(since)));
	}
	if (view->eligible != HC_OK)
		vty_out(vty, "    not eligible: %s\n",
			hc_why_text(view->eligible));
	else if (view->target != HC_OK)
		vty_out(vty, "    no target of moves: %s\n",
			hc_why_text(view->target));
	if (view->differs)
		vty_out(vty,
			"    DIFFERS: its model or tunnel capacity is unlike the first hub's\n");
}

/* ---- clusters ---- */

static json_object *cluster_json(const struct hcd_cluster *cluster,
				 int64_t now_us)
{
	json_object *json = json_object_new_object();
	json_object *hubs = json_object_new_object();
	const struct hc_rules *rules = &cluster->config.rules;
	struct hc_cluster_view view;
	char id[CTL_ID_TEXT_LEN];
	struct hc_hub_view hub;

	hcd_json_id(json, "id", &cluster->config.id);
	json_object_string_add(json, "state",
			       hcd_status_name(cluster->shutdown, cluster->why));
	if (cluster->why[0])
		json_object_string_add(json, "why", cluster->why);
	json_object_string_add(json, "assignment",
			       rules->assignment == HC_MODULO ? "modulo"
							      : "rendezvous");
	json_object_boolean_add(json, "autoRebalance",
				cluster->config.auto_rebalance);
	json_object_int_add(json, "loadLimit", rules->limit);
	json_object_object_add(json, "hubs", hubs);
	if (!hcd_cluster_view(cluster, &view))
		return json;
	json_object_boolean_add(json, "settled", view.settled);
	json_object_int_add(json, "settleLeftMsec",
			    view.settled ? 0
					 : hcd_ms_left(view.settle_us, now_us));
	json_object_int_add(json, "bulkHoldLeftMsec",
			    hcd_ms_left(view.bulk_us, now_us));
	json_object_boolean_add(json, "autoRebalancing", view.auto_active);
	json_object_int_add(json, "edges", (int64_t)view.edges);
	json_object_int_add(json, "edgesWithoutHub", (int64_t)view.edges_no_hub);
	json_object_int_add(json, "moves", (int64_t)view.moves);
	json_object_int_add(json, "bulkMoves", (int64_t)view.bulks);
	for (size_t i = 0;
	     hc_gateway_hub_view(hcd_gateway(), &cluster->config.id, i, &hub);
	     i++)
		json_object_object_add(hubs, ctl_id_format(&hub.in.id, id),
				       hub_json(&hub, now_us));
	return json;
}

static void cluster_show(struct vty *vty, const struct hcd_cluster *cluster,
			 int64_t now_us)
{
	struct hc_cluster_view view;
	char id[CTL_ID_TEXT_LEN];
	struct hc_hub_view hub;
	int64_t held;

	vty_out(vty, "Cluster %s (%s): %s%s%s\n", cluster->name,
		ctl_id_is_null(&cluster->config.id)
			? "no ID"
			: ctl_id_format(&cluster->config.id, id),
		hcd_status_name(cluster->shutdown, cluster->why),
		cluster->why[0] ? ": " : "", cluster->why);
	if (!hcd_cluster_view(cluster, &view))
		return;
	held = hcd_ms_left(view.bulk_us, now_us);
	vty_out(vty,
		"  %zu hubs; %zu edges, of which %zu have no hub; %llu moves, %llu of them of many\n",
		view.hubs, view.edges, view.edges_no_hub,
		(unsigned long long)view.moves, (unsigned long long)view.bulks);
	if (!view.settled)
		vty_out(vty,
			"  waits for the hubs for %lld ms more: edges keep what they have\n",
			(long long)hcd_ms_left(view.settle_us, now_us));
	if (held)
		vty_out(vty, "  no moves of many edges for %lld s more\n",
			(long long)(held + 999) / 1000);
	if (view.auto_active)
		vty_out(vty, "  auto-rebalance is at work\n");
	for (size_t i = 0;
	     hc_gateway_hub_view(hcd_gateway(), &cluster->config.id, i, &hub);
	     i++)
		hub_show(vty, &hub, now_us);
}

static json_object *refused_json(int64_t now_us)
{
	json_object *json = json_object_new_array();
	struct hc_refused list[HC_REFUSED_MAX];
	size_t n = hcd_gateway() ? hc_gateway_refused(hcd_gateway(), list) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *entry = json_object_new_object();

		hcd_json_id(entry, "hub", &list[i].hub);
		hcd_json_name(entry, "name", &list[i].hub);
		hcd_json_id(entry, "cluster", &list[i].cluster);
		json_object_int_add(entry, "count", (int64_t)list[i].count);
		json_object_int_add(entry, "lastMsec",
				    (now_us - list[i].last_us) / 1000);
		json_object_array_add(json, entry);
	}
	return json;
}

static void refused_show(struct vty *vty, int64_t now_us)
{
	struct hc_refused list[HC_REFUSED_MAX];
	size_t n = hcd_gateway() ? hc_gateway_refused(hcd_gateway(), list) : 0;
	char node[HCD_NODE_TEXT_LEN], cluster[CTL_ID_TEXT_LEN], ago[32];

	for (size_t i = 0; i < n; i++)
		vty_out(vty,
			"REFUSED as a hub: %s, which says that its cluster is %s, %s ago\n",
			hcd_show_node(&list[i].hub, node),
			ctl_id_format(&list[i].cluster, cluster),
			cluster_uptime(list[i].last_us, now_us, ago,
				       sizeof(ago)));
}

/* ---- edges of a cluster ---- */

static json_object *edge_json(const struct hc_edge_view *view, int64_t now_us)
{
	json_object *json = json_object_new_object();

	hcd_json_name(json, "name", &view->id);
	json_object_boolean_add(json, "connected", view->connected);
	json_object_boolean_add(json, "asking", view->asking);
	json_object_boolean_add(json, "preferred", view->preferred);
	hcd_json_id(json, "hub", &view->hub);
	hcd_json_id(json, "told", &view->told);
	if (view->told_us) {
		hcd_json_why(json, "reason", "why", view->why);
		json_object_int_add(json, "toldMsec",
				    (now_us - view->told_us) / 1000);
	}
	json_object_int_add(json, "moves", (int64_t)view->moves);
	return json;
}

static void edge_show(struct vty *vty, const struct hc_edge_view *view,
		      int64_t now_us)
{
	char node[HCD_NODE_TEXT_LEN], hub[HCD_NODE_TEXT_LEN], since[32];

	vty_out(vty, "  Edge %s: %s%s\n", hcd_show_node(&view->id, node),
		view->connected ? "connected" : "not connected",
		view->preferred ? ", prefers this gateway" : "");
	vty_out(vty, "    at hub %s\n", hcd_show_node(&view->hub, hub));
	if (view->told_us)
		vty_out(vty, "    told %s, %s ago: %s\n",
			ctl_id_is_null(&view->told)
				? "that there is no hub"
				: hcd_show_node(&view->told, hub),
			cluster_uptime(view->told_us, now_us, since,
				       sizeof(since)),
			hc_why_text(view->why));
	else if (view->asking)
		vty_out(vty, "    asks, and wasn't answered yet\n");
}

static json_object *edges_json(const struct hcd_cluster *cluster, int64_t now_us)
{
	json_object *json = json_object_new_object();
	struct hc_cluster_view cluster_view;
	struct hc_edge_view view;
	char id[CTL_ID_TEXT_LEN];
	bool more = hcd_cluster_view(cluster, &cluster_view) &&
		    hc_gateway_edge_next(hcd_gateway(), &cluster->config.id,
					 NULL, &view);

	for (; more;
	     more = hc_gateway_edge_next(hcd_gateway(), &cluster->config.id,
					 &view.id, &view))
		json_object_object_add(json, ctl_id_format(&view.id, id),
				       edge_json(&view, now_us));
	return json;
}

static void edges_show(struct vty *vty, const struct hcd_cluster *cluster,
		       int64_t now_us)
{
	struct hc_cluster_view cluster_view;
	struct hc_edge_view view;
	bool more = hcd_cluster_view(cluster, &cluster_view) &&
		    hc_gateway_edge_next(hcd_gateway(), &cluster->config.id,
					 NULL, &view);

	vty_out(vty, "Cluster %s:%s\n", cluster->name, more ? "" : " no edges");
	for (; more;
	     more = hc_gateway_edge_next(hcd_gateway(), &cluster->config.id,
					 &view.id, &view))
		edge_show(vty, &view, now_us);
}

static int show_json(struct vty *vty, const char *name, bool edges,
		     int64_t now_us)
{
	json_object *all = json_object_new_object();
	json_object *clusters = edges ? all : json_object_new_object();
	const struct hcd_cluster *cluster;

	frr_each (hcd_clusters_const, &hcd_clusters, cluster)
		if (!name || !strcmp(name, cluster->name))
			json_object_object_add(clusters, cluster->name,
					       edges ? edges_json(cluster,
								  now_us)
						     : cluster_json(cluster,
								    now_us));
	if (!edges) {
		json_object_object_add(all, "clusters", clusters);
		json_object_object_add(all, "refused", refused_json(now_us));
	}
	return vty_json(vty, all);
}

DEFPY (show_cluster_hub_cluster,
       show_cluster_hub_cluster_cmd,
       "show cluster hub-cluster [NAME$name] [edges$edges] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "Clusters of hubs whose gateway this node is, and their hubs\n"
       "Name of one cluster\n"
       "Their edges instead of the hubs\n"
       JSON_STR)
{
	const struct hcd_cluster *cluster;
	int64_t now_us = cluster_now_us();

	if (json)
		return show_json(vty, name, edges, now_us);
	if (name && !hcd_cluster_find(name)) {
		vty_out(vty, "%% hub-cluster %s is not configured\n", name);
		return CMD_WARNING;
	}
	frr_each (hcd_clusters_const, &hcd_clusters, cluster) {
		if (name && strcmp(name, cluster->name))
			continue;
		if (edges)
			edges_show(vty, cluster, now_us);
		else
			cluster_show(vty, cluster, now_us);
	}
	if (!edges)
		refused_show(vty, now_us);
	return CMD_SUCCESS;
}

void hcd_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_hub_cluster_cmd);
	hcd_self_show_init();
}
