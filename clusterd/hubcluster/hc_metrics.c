// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of hub clustering, for the file of metrics. */
#include "cluster_compat.h"

#include "core/metrics.h"
#include "hubcluster/hc_daemon_private.h"

enum {
	CLUSTER_HUBS,
	CLUSTER_EDGES,
	CLUSTER_EDGES_NO_HUB,
	CLUSTER_MOVES,
	CLUSTER_BULKS,
	HUB_RUNNING,
	HUB_EDGES,
	HUB_TUNNELS,
	HUB_ROUTES,
	HUB_REPORTS,
	EDGE_ATTACHED,
	EDGE_MOVES,
	EDGE_LOSSES,
	EDGE_FAILURES,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[CLUSTER_HUBS] = { "clusterd_hub_cluster_hubs",
			   "Hubs of the cluster that are alive.", false },
	[CLUSTER_EDGES] = { "clusterd_hub_cluster_edges",
			    "Edges of the cluster with a session.", false },
	[CLUSTER_EDGES_NO_HUB] = { "clusterd_hub_cluster_edges_without_hub",
				   "Of these, those that are at no hub.",
				   false },
	[CLUSTER_MOVES] = { "clusterd_hub_cluster_moves_total",
			    "Edges that this gateway has moved.", true },
	[CLUSTER_BULKS] = { "clusterd_hub_cluster_bulk_moves_total",
			    "Moves of many edges at a time.", true },
	[HUB_RUNNING] = { "clusterd_hub_running", "1 while the hub runs.",
			  false },
	[HUB_EDGES] = { "clusterd_hub_edges", "Edges at this hub.", false },
	[HUB_TUNNELS] = { "clusterd_hub_tunnels",
			  "Tunnels, while the number is known.", false },
	[HUB_ROUTES] = { "clusterd_hub_learned_routes",
			 "Routes learned by BGP, while the number is known.",
			 false },
	[HUB_REPORTS] = { "clusterd_hub_reports_total",
			  "Reports to the gateways.", true },
	[EDGE_ATTACHED] = { "clusterd_edge_attached",
			    "1 while the edge has a hub.", false },
	[EDGE_MOVES] = { "clusterd_edge_moves_total",
			 "Moves from a hub to another one.", true },
	[EDGE_LOSSES] = { "clusterd_edge_losses_total", "Hubs that were lost.",
			  true },
	[EDGE_FAILURES] = { "clusterd_edge_failures_total",
			    "Hubs that didn't accept the edge.", true },
};

static void add(struct metrics_text *texts, size_t family, const char *cluster,
		uint64_t value)
{
	const struct metrics_label label = { "cluster", cluster };

	metrics_text_sample(&texts[family], &families[family], &label,
			    cluster ? 1 : 0, value);
}

static void add_cluster(struct metrics_text *texts,
			const struct hc_cluster_view *view)
{
	const char *name = view->config.name;

	add(texts, CLUSTER_HUBS, name, view->hubs);
	add(texts, CLUSTER_EDGES, name, view->edges);
	add(texts, CLUSTER_EDGES_NO_HUB, name, view->edges_no_hub);
	add(texts, CLUSTER_MOVES, name, view->moves);
	add(texts, CLUSTER_BULKS, name, view->bulks);
}

static void add_hub(struct metrics_text *texts)
{
	struct hc_hub_self_view view;
	struct hcd_measured measured;

	add(texts, HUB_RUNNING, NULL, hcd_hub_running() != NULL);
	if (!hcd_hub_running())
		return;
	hc_hub_self_view(hcd_hub_running(), &view);
	hcd_measured(&measured);
	add(texts, HUB_EDGES, NULL, hc_hub_edges(hcd_hub_running()));
	if (measured.tunnels.known)
		add(texts, HUB_TUNNELS, NULL, measured.tunnels.value);
	if (measured.routes_known)
		add(texts, HUB_ROUTES, NULL,
		    (uint64_t)measured.routes[0] + measured.routes[1]);
	add(texts, HUB_REPORTS, NULL, view.reports);
}

static void add_edge(struct metrics_text *texts)
{
	struct hc_edge_self_view view;

	hc_edge_self_view(hcd_edge_running(), &view);
	add(texts, EDGE_ATTACHED, NULL, !ctl_id_is_null(&view.current.hub));
	add(texts, EDGE_MOVES, NULL, view.moves);
	add(texts, EDGE_LOSSES, NULL, view.losses);
	add(texts, EDGE_FAILURES, NULL, view.failures);
}

/* 64 clusters at most: at once. */
static bool collect(struct metrics_text *texts, size_t max)
{
	struct hc_cluster_view view;
	bool more = hcd_gateway() &&
		    hc_gateway_cluster_next(hcd_gateway(), NULL, &view);

	while (more) {
		add_cluster(texts, &view);
		more = hc_gateway_cluster_next(hcd_gateway(), &view.config.id,
					       &view);
	}
	if (hcd_hub())
		add_hub(texts);
	if (hcd_edge_running())
		add_edge(texts);
	return false;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.collect = collect,
};

void hcd_metrics_init(void)
{
	metrics_register(&source);
}
