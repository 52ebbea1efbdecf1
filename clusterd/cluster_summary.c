// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster summary` */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"
#include "lib/version.h"
#include "vty.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/config_reading.h"
#include "core/ctl_daemon.h"
#include "core/metrics.h"
#include "core/route_table.h"
#include "core/watchdog.h"
#include "hubcluster/hc_daemon.h"
#include "probe/probe.h"
#include "probe/probe_command.h"
#include "responder/responder.h"
#include "track/track.h"
#include "vip/vip.h"

#ifndef VTYSH_EXTRACT_PL
#include "cluster_summary_clippy.c"
#endif

static json_object *vips_json(void)
{
	json_object *json = json_object_new_object();
	struct vip_counts counts;

	vip_counts(&counts);
	json_object_int_add(json, "total", counts.total);
	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++)
		json_object_int_add(json, vip_state_name(i), counts.by_state[i]);
	json_object_int_add(json, "members", counts.members);
	json_object_int_add(json, "membersUp", counts.members_up);
	json_object_int_add(json, "addresses", counts.addresses);
	json_object_int_add(json, "addressesAnnounced",
			    counts.addresses_announced);
	json_object_int_add(json, "addressesNotInBgp",
			    counts.addresses_not_in_bgp);
	return json;
}

static json_object *probes_json(void)
{
	json_object *json = json_object_new_object();
	struct probe_command_counts commands;
	struct probe_counts counts;

	probe_counts(&counts);
	json_object_int_add(json, "total", counts.probes);
	json_object_int_add(json, "instances", counts.instances);
	json_object_int_add(json, "up", counts.up);
	json_object_int_add(json, "down", counts.down);
	json_object_int_add(json, "unknown", counts.unknown);
	probe_command_counts(&commands);
	json_object_int_add(json, "commandsMax", PROBE_COMMANDS_MAX);
	json_object_int_add(json, "commandsRunning", commands.running);
	json_object_int_add(json, "commandsWaiting", commands.waiting);
	json_object_int_add(json, "commandsStarved", commands.starved);
	json_object_int_add(json, "socketsMax", counts.sockets_max);
	json_object_int_add(json, "socketsOpen", counts.sockets);
	json_object_int_add(json, "socketsWaiting", counts.sockets_waiting);
	return json;
}

static json_object *tracks_json(void)
{
	json_object *json = json_object_new_object();
	struct track_counts counts;

	track_counts(&counts);
	json_object_int_add(json, "total", counts.tracks);
	json_object_int_add(json, "routes", counts.routes);
	for (enum track_state i = 0; i < TRACK_STATES; i++)
		json_object_int_add(json,
				    i == TRACK_LAST_RESORT ? "lastResort"
							   : track_state_name(i),
				    counts.by_state[i]);
	return json;
}

static void tracks_show(struct vty *vty)
{
	struct track_counts counts;

	track_counts(&counts);
	if (!counts.tracks)
		return;
	vty_out(vty, "Tracks: %zu; routes: %zu", counts.tracks, counts.routes);
	for (enum track_state i = 0; i < TRACK_STATES; i++)
		if (counts.by_state[i])
			vty_out(vty, ", %zu %s", counts.by_state[i],
				track_state_name(i));
	vty_out(vty, "\n");
}

static json_object *responders_json(void)
{
	json_object *json = json_object_new_object();
	struct responder_counts counts;

	responder_counts(&counts);
	json_object_int_add(json, "total", counts.responders);
	json_object_int_add(json, "addresses", counts.addresses);
	for (enum responder_state i = 0; i < RESPONDER_STATES; i++)
		json_object_int_add(json, responder_state_name(i),
				    counts.by_state[i]);
	return json;
}

static void responders_show(struct vty *vty)
{
	struct responder_counts counts;

	responder_counts(&counts);
	if (!counts.responders)
		return;
	vty_out(vty, "Responders: %zu; addresses: %zu", counts.responders,
		counts.addresses);
	for (enum responder_state i = 0; i < RESPONDER_STATES; i++)
		if (counts.by_state[i])
			vty_out(vty, ", %zu %s", counts.by_state[i],
				responder_state_name(i));
	vty_out(vty, "\n");
}

static json_object *hub_clustering_json(void)
{
	json_object *json = json_object_new_object();
	struct hcd_counts counts;

	hcd_counts(&counts);
	json_object_int_add(json, "clusters", counts.clusters);
	json_object_int_add(json, "clustersRunning", counts.clusters_running);
	json_object_int_add(json, "hubs", counts.hubs);
	json_object_int_add(json, "edges", counts.edges);
	json_object_int_add(json, "moves", counts.moves);
	json_object_int_add(json, "bulkMoves", counts.bulks);
	json_object_boolean_add(json, "hubRunning", counts.hub_running);
	json_object_int_add(json, "attachedEdges", counts.attached);
	json_object_boolean_add(json, "edgeRunning", counts.edge_running);
	if (counts.edge_running)
		json_object_string_add(json, "edgeState",
				       hc_edge_state_str(counts.edge_state));
	return json;
}

static void hub_clustering_show(struct vty *vty)
{
	struct hcd_counts counts;

	hcd_counts(&counts);
	if (counts.clusters)
		vty_out(vty,
			"Hub clusters: %zu, %zu run; hubs alive: %zu; edges: %zu; moves: %" PRIu64
			"\n",
			counts.clusters, counts.clusters_running, counts.hubs,
			counts.edges, counts.moves);
	if (counts.hub && counts.hub_running)
		vty_out(vty, "Hub: runs; edges: %zu\n", counts.attached);
	else if (counts.hub)
		vty_out(vty, "Hub: doesn't run: %s\n", hcd_hub()->why);
	if (counts.edge && counts.edge_running)
		vty_out(vty, "Edge: %s\n", hc_edge_state_str(counts.edge_state));
	else if (counts.edge)
		vty_out(vty, "Edge: doesn't run: %s\n", hcd_edge()->why);
}

static json_object *control_json(void)
{
	json_object *json = json_object_new_object();
	struct control_counts counts;

	control_counts(&counts);
	json_object_boolean_add(json, "running", control_ctl() != NULL);
	if (counts.problem)
		json_object_string_add(json, "problem", counts.problem);
	json_object_int_add(json, "configuredPeers", counts.configured);
	json_object_int_add(json, "nodes", counts.peers.known);
	json_object_int_add(json, "sessionsUp", counts.peers.up);
	json_object_int_add(json, "duplicateIds", counts.duplicates);
	return json;
}

static void control_show(struct vty *vty)
{
	struct control_counts counts;

	control_counts(&counts);
	vty_out(vty, "Control: %zu of %zu sessions up, %zu configured peers",
		counts.peers.up, counts.peers.known, counts.configured);
	if (counts.duplicates)
		vty_out(vty, ", %zu DUPLICATES of IDs", counts.duplicates);
	vty_out(vty, "%s%s\n", counts.problem ? "; " : "",
		counts.problem ? counts.problem : "");
}

static void vips_show(struct vty *vty)
{
	struct vip_counts counts;

	vip_counts(&counts);
	vty_out(vty, "VIPs: %zu", counts.total);
	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++)
		if (counts.by_state[i])
			vty_out(vty, ", %zu %s", counts.by_state[i],
				vip_state_name(i));
	vty_out(vty, "\n  %zu of %zu members up, %zu of %zu addresses announced",
		counts.members_up, counts.members, counts.addresses_announced,
		counts.addresses);
	if (counts.addresses_not_in_bgp)
		vty_out(vty, ", %zu of them NOT in bgpd",
			counts.addresses_not_in_bgp);
	vty_out(vty, "\n");
}

static void probes_show(struct vty *vty)
{
	struct probe_command_counts commands;
	struct probe_counts counts;

	probe_counts(&counts);
	vty_out(vty, "Probes: %zu, %zu running: %zu up, %zu down",
		counts.probes, counts.instances, counts.up, counts.down);
	if (counts.unknown)
		vty_out(vty, ", %zu unknown", counts.unknown);
	vty_out(vty, "\n");
	if (counts.sockets_waiting)
		vty_out(vty,
			"  Checks with a socket: %zu of at most %zu, %zu wait: clusterd may open too few descriptors\n",
			counts.sockets, counts.sockets_max,
			counts.sockets_waiting);
	probe_command_counts(&commands);
	if (commands.running || commands.waiting || commands.starved)
		vty_out(vty,
			"  Commands: %zu of at most %d running, %zu waiting, %" PRIu64
			" timed out waiting\n",
			commands.running, PROBE_COMMANDS_MAX, commands.waiting,
			commands.starved);
}

static json_object *metrics_json(void)
{
	json_object *json = json_object_new_object();
	struct metrics_state state;

	metrics_state_get(&state);
	if (!state.path[0])
		return json;
	json_object_string_add(json, "file", state.path);
	if (state.problem[0])
		json_object_string_add(json, "problem", state.problem);
	if (state.written_us)
		json_object_int_add(json, "writtenMsec",
				    (cluster_now_us() - state.written_us) /
					    1000);
	json_object_int_add(json, "octets", state.octets);
	return json;
}

static void metrics_show(struct vty *vty)
{
	struct metrics_state state;
	char since[32];

	metrics_state_get(&state);
	if (!state.path[0])
		return;
	vty_out(vty, "Metrics: %s, ", state.path);
	if (state.written_us)
		vty_out(vty, "written %s ago",
			cluster_uptime(state.written_us, cluster_now_us(),
				       since, sizeof(since)));
	else
		vty_out(vty, "not written yet");
	vty_out(vty, "%s%s\n", state.problem[0] ? "; " : "", state.problem);
}

static void summary_json(struct vty *vty, enum cluster_zebra_state state,
			 const char *why, const char *advice,
			 const struct route_table_counts *routes)
{
	json_object *json = json_object_new_object();
	json_object *zebra = json_object_new_object();
	json_object *route = json_object_new_object();
	json_object *watchdog = json_object_new_object();

	json_object_string_add(json, "version", CLUSTERD_VERSION);
	json_object_string_add(json, "frrVersion", FRR_VERSION);
	json_object_string_add(json, "routeType", cluster_zebra_route_type());
	json_object_boolean_add(json, "configurationLoading",
				config_reading_now());
	json_object_string_add(zebra, "state", cluster_zebra_state_name(state));
	if (why[0])
		json_object_string_add(zebra, "why", why);
	if (advice[0])
		json_object_string_add(zebra, "advice", advice);
	json_object_object_add(json, "zebra", zebra);
	json_object_int_add(route, "wanted", routes->wanted);
	json_object_int_add(route, "installed",
			    routes->by_status[CLUSTER_ROUTE_INSTALLED]);
	json_object_int_add(route, "waiting", routes->owed);
	json_object_int_add(route, "addsSent", routes->adds);
	json_object_int_add(route, "deletesSent", routes->deletes);
	json_object_object_add(json, "routes", route);
	json_object_int_add(watchdog, "timeoutMsec", watchdog_timeout_ms());
	json_object_boolean_add(watchdog, "running", watchdog_running());
	json_object_object_add(json, "watchdog", watchdog);
	json_object_object_add(json, "vips", vips_json());
	json_object_object_add(json, "probes", probes_json());
	json_object_object_add(json, "tracks", tracks_json());
	json_object_object_add(json, "responders", responders_json());
	json_object_object_add(json, "hubClustering", hub_clustering_json());
	json_object_object_add(json, "control", control_json());
	json_object_object_add(json, "metrics", metrics_json());
	vty_json(vty, json);
}

static void watchdog_show(struct vty *vty)
{
	if (!watchdog_timeout_ms()) {
		vty_out(vty, "Watchdog: off\n");
		return;
	}
	vty_out(vty, "Watchdog: %u ms", watchdog_timeout_ms());
	if (!watchdog_running())
		vty_out(vty, ", NO guard process: a hang would not be noticed");
	for (unsigned int i = 0; i < WATCHDOG_GUARDS; i++)
		if (watchdog_pid(i))
			vty_out(vty, ", guard process %d", watchdog_pid(i));
	vty_out(vty, "\n");
}

DEFPY (show_cluster_summary,
       show_cluster_summary_cmd,
       "show cluster summary [json$json]",
       SHOW_STR
       CLUSTER_STR
       "State of the daemon, of its connection to zebra and of all objects\n"
       JSON_STR)
{
	struct route_table_counts routes;
	enum cluster_zebra_state state;
	char why[256], advice[256];

	state = cluster_zebra_state(why, sizeof(why));
	cluster_zebra_advice(advice, sizeof(advice));
	cluster_zebra_route_counts(&routes);
	if (json) {
		summary_json(vty, state, why, advice, &routes);
		return CMD_SUCCESS;
	}
	vty_out(vty, "clusterd %s on FRR %s\n", CLUSTERD_VERSION, FRR_VERSION);
	vty_out(vty, "zebra: %s%s%s\n", cluster_zebra_state_name(state),
		why[0] ? ": " : "", why);
	if (advice[0])
		vty_out(vty, "  %s\n", advice);
	vty_out(vty, "Routes: type %s, %zu wanted, %zu installed",
		cluster_zebra_route_type(), routes.wanted,
		routes.by_status[CLUSTER_ROUTE_INSTALLED]);
	if (routes.owed)
		vty_out(vty, ", %zu changes wait for zebra", routes.owed);
	vty_out(vty, "\n");
	watchdog_show(vty);
	if (config_reading_now())
		vty_out(vty, "Configuration is being loaded%s\n",
			cluster_sched_held() ? ": decisions are held" : "");
	vips_show(vty);
	probes_show(vty);
	tracks_show(vty);
	responders_show(vty);
	hub_clustering_show(vty);
	control_show(vty);
	metrics_show(vty);
	return CMD_SUCCESS;
}

void cluster_summary_init(void)
{
	install_element(VIEW_NODE, &show_cluster_summary_cmd);
}
