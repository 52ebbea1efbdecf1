// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operational data of the daemon as a whole: `show cluster summary`; that of
 * `show cluster events` is in core/cluster_event_nb.c.
 */
#include "cluster_compat.h"

#include "lib/version.h"

#include "cluster_nb.h"
#include "cluster_oper.h"
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

/* XPath: /frr-clusterd:cluster-summary/... */
static struct yang_data *daemon_get(struct nb_cb_get_elem_args *args)
{
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("version", CLUSTERD_VERSION),
		OPER_TEXT("frr-version", FRR_VERSION),
		OPER_TEXT("route-type", cluster_zebra_route_type()),
		OPER_BOOL("configuration-loading", config_reading_now()),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/zebra/... */
static struct yang_data *zebra_get(struct nb_cb_get_elem_args *args)
{
	char why[256], advice[256];
	enum cluster_zebra_state state = cluster_zebra_state(why, sizeof(why));

	cluster_zebra_advice(advice, sizeof(advice));

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("status", cluster_zebra_state_name(state)),
		OPER_TEXT("why", why),
		OPER_TEXT("advice", advice),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/routes/... */
static struct yang_data *routes_get(struct nb_cb_get_elem_args *args)
{
	struct route_table_counts counts;

	cluster_zebra_route_counts(&counts);

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("wanted", counts.wanted),
		OPER_NUMBER("installed",
			    counts.by_status[CLUSTER_ROUTE_INSTALLED]),
		OPER_NUMBER("waiting", counts.owed),
		OPER_NUMBER("adds-sent", counts.adds),
		OPER_NUMBER("deletes-sent", counts.deletes),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/watchdog/... */
static struct yang_data *watchdog_get(struct nb_cb_get_elem_args *args)
{
	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("timeout", watchdog_timeout_ms()),
		OPER_BOOL("running", watchdog_running()),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/vips/... */
static struct yang_data *vips_get(struct nb_cb_get_elem_args *args)
{
	struct cluster_oper_leaf states[VIP_STATE_MAX];
	struct vip_counts counts;
	struct yang_data *data;

	vip_counts(&counts);

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("total", counts.total),
		OPER_NUMBER("members", counts.members),
		OPER_NUMBER("members-up", counts.members_up),
		OPER_NUMBER("addresses", counts.addresses),
		OPER_NUMBER("addresses-announced", counts.addresses_announced),
		OPER_NUMBER("addresses-not-in-bgp", counts.addresses_not_in_bgp),
	};

	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++)
		states[i] = (struct cluster_oper_leaf)
			OPER_NUMBER(vip_state_name(i), counts.by_state[i]);
	data = cluster_oper_data(args->xpath, leaves, array_size(leaves));
	return data ? data
		    : cluster_oper_data(args->xpath, states, array_size(states));
}

/* XPath: /frr-clusterd:cluster-summary/probes/... */
static struct yang_data *probes_get(struct nb_cb_get_elem_args *args)
{
	struct probe_command_counts commands;
	struct probe_counts counts;

	probe_counts(&counts);
	probe_command_counts(&commands);

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("total", counts.probes),
		OPER_NUMBER("instances", counts.instances),
		OPER_NUMBER("up", counts.up),
		OPER_NUMBER("down", counts.down),
		OPER_NUMBER("unknown", counts.unknown),
		OPER_NUMBER("commands-max", PROBE_COMMANDS_MAX),
		OPER_NUMBER("commands-running", commands.running),
		OPER_NUMBER("commands-waiting", commands.waiting),
		OPER_NUMBER("commands-starved", commands.starved),
		OPER_NUMBER("sockets-max", counts.sockets_max),
		OPER_NUMBER("sockets-open", counts.sockets),
		OPER_NUMBER("sockets-waiting", counts.sockets_waiting),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/tracks/... */
static struct yang_data *tracks_get(struct nb_cb_get_elem_args *args)
{
	struct cluster_oper_leaf leaves[2 + TRACK_STATES];
	struct track_counts counts;

	track_counts(&counts);
	leaves[0] = (struct cluster_oper_leaf)OPER_NUMBER("total",
							  counts.tracks);
	leaves[1] = (struct cluster_oper_leaf)OPER_NUMBER("routes",
							  counts.routes);
	for (enum track_state i = 0; i < TRACK_STATES; i++)
		leaves[2 + i] = (struct cluster_oper_leaf)
			OPER_NUMBER(track_state_name(i), counts.by_state[i]);
	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/responders/... */
static struct yang_data *responders_get(struct nb_cb_get_elem_args *args)
{
	struct cluster_oper_leaf leaves[2 + RESPONDER_STATES];
	struct responder_counts counts;

	responder_counts(&counts);
	leaves[0] = (struct cluster_oper_leaf)OPER_NUMBER("total",
							  counts.responders);
	leaves[1] = (struct cluster_oper_leaf)OPER_NUMBER("addresses",
							  counts.addresses);
	for (enum responder_state i = 0; i < RESPONDER_STATES; i++)
		leaves[2 + i] = (struct cluster_oper_leaf)
			OPER_NUMBER(responder_state_name(i), counts.by_state[i]);
	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/hub-clustering/... */
static struct yang_data *hub_clustering_get(struct nb_cb_get_elem_args *args)
{
	struct hcd_counts counts;

	hcd_counts(&counts);

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("clusters", counts.clusters),
		OPER_NUMBER("clusters-running", counts.clusters_running),
		OPER_NUMBER("hubs", counts.hubs),
		OPER_NUMBER("edges", counts.edges),
		OPER_NUMBER("moves", counts.moves),
		OPER_NUMBER("bulk-moves", counts.bulks),
		OPER_BOOL("hub-running", counts.hub_running),
		OPER_NUMBER("attached-edges", counts.attached),
		OPER_BOOL("edge-running", counts.edge_running),
		OPER_TEXT("edge-state",
			  counts.edge_running
				  ? hc_edge_state_str(counts.edge_state)
				  : ""),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/control/... */
static struct yang_data *control_get(struct nb_cb_get_elem_args *args)
{
	struct control_counts counts;

	control_counts(&counts);

	const struct cluster_oper_leaf leaves[] = {
		OPER_BOOL("running", control_ctl() != NULL),
		OPER_TEXT("problem", counts.problem ? counts.problem : ""),
		OPER_NUMBER("configured-peers", counts.configured),
		OPER_NUMBER("nodes", counts.peers.known),
		OPER_NUMBER("sessions-up", counts.peers.up),
		OPER_NUMBER("duplicate-ids", counts.duplicates),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-summary/metrics/... */
static struct yang_data *metrics_get(struct nb_cb_get_elem_args *args)
{
	char written[CLUSTER_OPER_TIME_LEN] = "";
	struct metrics_state state;

	metrics_state_get(&state);
	if (!state.path[0])
		return NULL;
	if (state.written_us)
		cluster_oper_time(cluster_now_us() - state.written_us, written);

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("file", state.path),
		OPER_TEXT("problem", state.problem),
		OPER_TEXT("last-written", written),
		OPER_NUMBER("octets", state.octets),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:zebra-change */
static void zebra_changed(void)
{
	char why[256];
	enum cluster_zebra_state state = cluster_zebra_state(why, sizeof(why));
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("status", cluster_zebra_state_name(state)),
		OPER_TEXT("why", why),
	};

	cluster_oper_notify("/frr-clusterd:zebra-change", leaves,
			    array_size(leaves));
}

void cluster_nb_init(void)
{
	cluster_zebra_on_state(zebra_changed);
}

/* clang-format off */
#define STATE(path, get)                                                       \
	{                                                                      \
		.xpath = "/frr-clusterd:cluster-summary/" path,                \
		.cbs = { .get_elem = (get) },                                  \
	}
#define EVENTS(path, ...)                                                      \
	{                                                                      \
		.xpath = "/frr-clusterd:cluster-events/" path,                 \
		.cbs = { __VA_ARGS__ },                                        \
	}
#define CHANGES(leaf) EVENTS("changes/" leaf, .get_elem = cluster_changes_get)
#define EVENT(leaf) EVENTS("event/" leaf, .get_elem = cluster_event_get)

const struct frr_yang_module_info frr_clusterd_info = {
	.name = "frr-clusterd",
	.nodes = {
		STATE("version", daemon_get),
		STATE("frr-version", daemon_get),
		STATE("route-type", daemon_get),
		STATE("configuration-loading", daemon_get),
		STATE("zebra/status", zebra_get),
		STATE("zebra/why", zebra_get),
		STATE("zebra/advice", zebra_get),
		STATE("routes/wanted", routes_get),
		STATE("routes/installed", routes_get),
		STATE("routes/waiting", routes_get),
		STATE("routes/adds-sent", routes_get),
		STATE("routes/deletes-sent", routes_get),
		STATE("watchdog/timeout", watchdog_get),
		STATE("watchdog/running", watchdog_get),
		STATE("vips/total", vips_get),
		STATE("vips/announced", vips_get),
		STATE("vips/partial", vips_get),
		STATE("vips/pending", vips_get),
		STATE("vips/hidden", vips_get),
		STATE("vips/rejected", vips_get),
		STATE("vips/waiting", vips_get),
		STATE("vips/down", vips_get),
		STATE("vips/invalid", vips_get),
		STATE("vips/shutdown", vips_get),
		STATE("vips/held", vips_get),
		STATE("vips/drained", vips_get),
		STATE("vips/draining", vips_get),
		STATE("vips/members", vips_get),
		STATE("vips/members-up", vips_get),
		STATE("vips/addresses", vips_get),
		STATE("vips/addresses-announced", vips_get),
		STATE("vips/addresses-not-in-bgp", vips_get),
		STATE("probes/total", probes_get),
		STATE("probes/instances", probes_get),
		STATE("probes/up", probes_get),
		STATE("probes/down", probes_get),
		STATE("probes/unknown", probes_get),
		STATE("probes/commands-max", probes_get),
		STATE("probes/commands-running", probes_get),
		STATE("probes/commands-waiting", probes_get),
		STATE("probes/commands-starved", probes_get),
		STATE("probes/sockets-max", probes_get),
		STATE("probes/sockets-open", probes_get),
		STATE("probes/sockets-waiting", probes_get),
		STATE("tracks/total", tracks_get),
		STATE("tracks/routes", tracks_get),
		STATE("tracks/shutdown", tracks_get),
		STATE("tracks/incomplete", tracks_get),
		STATE("tracks/waiting", tracks_get),
		STATE("tracks/conflict", tracks_get),
		STATE("tracks/down", tracks_get),
		STATE("tracks/degraded", tracks_get),
		STATE("tracks/last-resort", tracks_get),
		STATE("tracks/up", tracks_get),
		STATE("responders/total", responders_get),
		STATE("responders/addresses", responders_get),
		STATE("responders/shutdown", responders_get),
		STATE("responders/incomplete", responders_get),
		STATE("responders/conflict", responders_get),
		STATE("responders/waiting", responders_get),
		STATE("responders/failed", responders_get),
		STATE("responders/held", responders_get),
		STATE("responders/answering", responders_get),
		STATE("hub-clustering/clusters", hub_clustering_get),
		STATE("hub-clustering/clusters-running", hub_clustering_get),
		STATE("hub-clustering/hubs", hub_clustering_get),
		STATE("hub-clustering/edges", hub_clustering_get),
		STATE("hub-clustering/moves", hub_clustering_get),
		STATE("hub-clustering/bulk-moves", hub_clustering_get),
		STATE("hub-clustering/hub-running", hub_clustering_get),
		STATE("hub-clustering/attached-edges", hub_clustering_get),
		STATE("hub-clustering/edge-running", hub_clustering_get),
		STATE("hub-clustering/edge-state", hub_clustering_get),
		STATE("control/running", control_get),
		STATE("control/problem", control_get),
		STATE("control/configured-peers", control_get),
		STATE("control/nodes", control_get),
		STATE("control/sessions-up", control_get),
		STATE("control/duplicate-ids", control_get),
		STATE("metrics/file", metrics_get),
		STATE("metrics/problem", metrics_get),
		STATE("metrics/last-written", metrics_get),
		STATE("metrics/octets", metrics_get),
		EVENTS("changes",
		       .get_next = cluster_changes_get_next,
		       .get_keys = cluster_changes_get_keys,
		       .lookup_entry = cluster_changes_lookup),
		CHANGES("kind"),
		CHANGES("total"),
		EVENTS("event",
		       .get_next = cluster_event_get_next,
		       .get_keys = cluster_event_get_keys,
		       .lookup_entry = cluster_event_lookup),
		EVENT("number"),
		EVENT("time"),
		EVENT("kind"),
		EVENT("name"),
		EVENT("vrf"),
		EVENT("address"),
		EVENT("before"),
		EVENT("after"),
		EVENT("why"),
		{ .xpath = NULL },
	},
};
