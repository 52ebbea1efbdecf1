// SPDX-License-Identifier: GPL-2.0-or-later
/* What a gateway shows: copies. */
#include "config.h"

#include "hubcluster/hc_gateway_private.h"

static bool cluster_view(const struct gw_cluster *cluster,
			 struct hc_cluster_view *view)
{
	if (!cluster)
		return false;
	*view = (struct hc_cluster_view){
		.config = cluster->config,
		.settled = cluster->settled,
		.auto_active = cluster->auto_active,
		.settle_us = cluster->settle_us,
		.bulk_us = cluster->bulk_us,
		.hubs = cluster->n_hubs,
		.edges = cluster->connected,
		.edges_no_hub = cluster->connected,
		.moves = cluster->moves,
		.bulks = cluster->bulks,
	};
	for (size_t i = 0; i < cluster->n_hubs; i++)
		view->edges_no_hub -= cluster->hubs[i]->edges;
	return true;
}

bool hc_gateway_cluster_get(struct hc_gateway *gw, const struct ctl_id *id,
			    struct hc_cluster_view *view)
{
	return cluster_view(gw_cluster_find(gw, id), view);
}

bool hc_gateway_cluster_next(struct hc_gateway *gw, const struct ctl_id *after,
			     struct hc_cluster_view *view)
{
	struct gw_cluster ref = {}, *cluster;

	if (after) {
		ref.config.id = *after;
		cluster = gw_clusters_find_gteq(&gw->clusters, &ref);
		if (cluster && !ctl_id_cmp(&cluster->config.id, after))
			cluster = gw_clusters_next(&gw->clusters, cluster);
	} else {
		cluster = gw_clusters_first(&gw->clusters);
	}
	return cluster_view(cluster, view);
}

bool hc_gateway_hub_view(struct hc_gateway *gw, const struct ctl_id *id,
			 size_t index, struct hc_hub_view *view)
{
	struct gw_cluster *cluster = gw_cluster_find(gw, id);
	struct hc_hub_in hubs[HC_HUBS_MAX];
	const struct gw_hub *hub;

	if (!cluster || index >= cluster->n_hubs)
		return false;
	hub = cluster->hubs[index];
	gw_snapshot(cluster, hubs);
	*view = (struct hc_hub_view){
		.in = hubs[index],
		.hub = hub->msg,
		.eligible = hc_eligible(hubs, cluster->n_hubs, index),
		.target = hc_target(&cluster->config.rules, hubs,
				    cluster->n_hubs, index),
		.differs = gw_differs(cluster, hub),
		.joined_us = hub->joined_us,
		.report_us = hub->report_us,
		.lost_us = hub->lost ? hub->lost_us : 0,
		.edges = hub->edges,
	};
	return true;
}

size_t hc_gateway_refused(const struct hc_gateway *gw,
			  struct hc_refused list[HC_REFUSED_MAX])
{
	size_t n = 0;

	for (int i = 0; i < HC_REFUSED_MAX; i++)
		if (gw->refused[i].count)
			list[n++] = gw->refused[i];
	return n;
}

bool hc_gateway_edge_next(struct hc_gateway *gw, const struct ctl_id *id,
			  const struct ctl_id *after, struct hc_edge_view *view)
{
	struct gw_cluster *cluster = gw_cluster_find(gw, id);
	struct gw_edge ref = {}, *edge;

	if (!cluster)
		return false;
	if (after) {
		ref.id = *after;
		edge = gw_edges_find_gteq(&cluster->edges, &ref);
		if (edge && !ctl_id_cmp(&edge->id, after))
			edge = gw_edges_next(&cluster->edges, edge);
	} else {
		edge = gw_edges_first(&cluster->edges);
	}
	if (!edge)
		return false;
	*view = (struct hc_edge_view){
		.id = edge->id,
		.connected = edge->connected,
		.asking = edge->asking,
		.preferred = edge->preferred,
		.hub = edge->hub,
		.told = edge->told,
		.why = edge->why,
		.told_us = edge->told_us,
		.moves = edge->moves,
	};
	return true;
}
