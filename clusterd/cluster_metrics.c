// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of the daemon as a whole, for the file of metrics. */
#include "cluster_compat.h"

#include "lib/version.h"

#include "core/cluster_event.h"
#include "core/cluster_zebra.h"
#include "core/ctl_daemon.h"
#include "core/metrics.h"
#include "core/route_table.h"
#include "core/watchdog.h"
#include "probe/probe.h"
#include "vip/vip.h"

enum {
	INFO,
	START_TIME,
	ZEBRA_CONNECTED,
	ZEBRA_SILENT,
	WATCHDOG_RUNNING,
	ROUTES_WANTED,
	ROUTES_INSTALLED,
	ROUTE_MESSAGES,
	VIPS,
	PROBES,
	PROBE_TARGETS,
	CONTROL_NODES,
	CONTROL_SESSIONS_UP,
	STATE_CHANGES,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[INFO] = { "clusterd_info", "Versions of clusterd and of FRR.", false },
	[START_TIME] = { "clusterd_start_time_seconds",
			 "When clusterd was started, since 1970.", false },
	[ZEBRA_CONNECTED] = { "clusterd_zebra_connected",
			      "1 while clusterd is connected to zebra.", false },
	[ZEBRA_SILENT] = { "clusterd_zebra_silent_seconds",
			   "For how long zebra hasn't answered; 0: it does.",
			   false },
	[WATCHDOG_RUNNING] = { "clusterd_watchdog_running",
			       "1 while the watchdog runs.", false },
	[ROUTES_WANTED] = { "clusterd_routes_wanted",
			    "Routes that should be there.", false },
	[ROUTES_INSTALLED] = { "clusterd_routes_installed",
			       "Routes that zebra says are installed.", false },
	[ROUTE_MESSAGES] = { "clusterd_route_messages_total",
			     "Messages to zebra that add or delete a route.",
			     true },
	[VIPS] = { "clusterd_vips", "VIPs by their states.", false },
	[PROBES] = { "clusterd_probes", "Probes that are configured.", false },
	[PROBE_TARGETS] = { "clusterd_probe_targets",
			    "Targets that are checked, by their verdicts.",
			    false },
	[CONTROL_NODES] = { "clusterd_control_nodes",
			    "Nodes with a session, or with one not long ago.",
			    false },
	[CONTROL_SESSIONS_UP] = { "clusterd_control_sessions_up",
				  "Sessions with other nodes that are up.",
				  false },
	[STATE_CHANGES] = { "clusterd_state_changes_total",
			    "Changes of states, by the kind of object.", true },
};

static time_t start_time;

static void add(struct metrics_text *texts, size_t family, const char *label,
		const char *label_value, uint64_t value)
{
	const struct metrics_label one = { label, label_value };

	metrics_text_sample(&texts[family], &families[family], &one,
			    label ? 1 : 0, value);
}

static void add_info(struct metrics_text *texts)
{
	const struct metrics_label labels[] = {
		{ "version", CLUSTERD_VERSION },
		{ "frr_version", FRR_VERSION },
		{ "route_type", cluster_zebra_route_type() },
	};

	metrics_text_sample(&texts[INFO], &families[INFO], labels,
			    array_size(labels), 1);
	add(texts, START_TIME, NULL, NULL, start_time);
}

static void add_zebra(struct metrics_text *texts)
{
	struct route_table_counts routes;

	cluster_zebra_route_counts(&routes);
	add(texts, ZEBRA_CONNECTED, NULL, NULL, cluster_zebra_connected());
	add(texts, ZEBRA_SILENT, NULL, NULL,
	    cluster_zebra_silent_us() / 1000000);
	add(texts, ROUTES_WANTED, NULL, NULL, routes.wanted);
	add(texts, ROUTES_INSTALLED, NULL, NULL,
	    routes.by_status[CLUSTER_ROUTE_INSTALLED]);
	add(texts, ROUTE_MESSAGES, "type", "add", routes.adds);
	add(texts, ROUTE_MESSAGES, "type", "delete", routes.deletes);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	struct control_counts control;
	struct probe_counts probes;
	struct vip_counts vips;

	add_info(texts);
	add_zebra(texts);
	add(texts, WATCHDOG_RUNNING, NULL, NULL, watchdog_running());
	vip_counts(&vips);
	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++)
		add(texts, VIPS, "state", vip_state_name(i), vips.by_state[i]);
	probe_counts(&probes);
	add(texts, PROBES, NULL, NULL, probes.probes);
	add(texts, PROBE_TARGETS, "verdict", "up", probes.up);
	add(texts, PROBE_TARGETS, "verdict", "down", probes.down);
	add(texts, PROBE_TARGETS, "verdict", "unknown", probes.unknown);
	control_counts(&control);
	add(texts, CONTROL_NODES, NULL, NULL, control.peers.known);
	add(texts, CONTROL_SESSIONS_UP, NULL, NULL, control.peers.up);
	for (enum event_kind i = 0; i < EVENT_KIND_MAX; i++)
		add(texts, STATE_CHANGES, "kind", event_kind_name(i),
		    cluster_event_total(i));
	return false;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.collect = collect,
};

void cluster_metrics_init(void)
{
	start_time = time(NULL);
	metrics_register(&source);
}
