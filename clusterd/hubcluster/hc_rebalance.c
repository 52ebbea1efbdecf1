// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a gateway does without being asked; the rules are hc_decide.h's.
 *
 * Bulk moves (route loss, fair redistribution) are `bulk_hold` apart, so that
 * all hubs have reported what the last one did; meanwhile auto-rebalance waits
 * as well.  A drain isn't held: the operator waits for it.
 *
 * No edge is moved to a hub that it names as unreachable: when a hub dies its
 * edges may be elsewhere before the gateway takes it for dead, and they must
 * not be sent back for the load that they bring there.
 */
#include "config.h"

#include "memory.h"

#include "hubcluster/hc_gateway_private.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_EDGES, "Edges that may be moved");

/* It is on its way to where it was told to go. */
static bool in_motion(const struct gw_edge *edge, int64_t now_us)
{
	return ctl_id_cmp(&edge->told, &edge->hub) &&
	       !ctl_id_is_null(&edge->told) &&
	       now_us - edge->told_us < GW_MOTION_US;
}

/* Ours to move, and at or on the way to this live hub; else HC_NONE. */
static int position(const struct gw_cluster *cluster,
		    const struct gw_edge *edge, int64_t now_us)
{
	if (!edge->connected || !edge->preferred || edge->asking)
		return HC_NONE;
	return gw_hub_find(cluster,
			   in_motion(edge, now_us) ? &edge->told : &edge->hub);
}

static bool reaches(const struct gw_edge *edge, const struct ctl_id *hub)
{
	for (int i = 0; i < edge->n_unreachable; i++)
		if (!ctl_id_cmp(&edge->unreachable[i], hub))
			return false;
	return true;
}

/* Its assignment over those of the list that it reaches. */
static int assign(const struct gw_cluster *cluster, const struct hc_hub_in *hubs,
		  const struct hc_list *list, const struct gw_edge *edge)
{
	struct hc_list reached = {};

	for (size_t i = 0; i < list->n; i++)
		if (reaches(edge, &hubs[list->index[i]].id))
			reached.index[reached.n++] = list->index[i];
	return hc_assign(&cluster->config.rules, hubs, &reached, &edge->id);
}

/* -- loss of routes -- */

static void loss_begins(struct gw_cluster *cluster, struct gw_hub *hub,
			int64_t now_us)
{
	hub->lost = true;
	hub->lost_us = now_us;
	gw_event(cluster,
		 (struct hc_event){ .type = HC_EVENT_LOST, .hub = hub->id });
}

void gw_losses(struct gw_cluster *cluster, struct gw_hub *reporter,
	       int64_t now_us)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];

	gw_snapshot(cluster, hubs);
	for (size_t i = 0; i < cluster->n_hubs; i++) {
		struct gw_hub *hub = cluster->hubs[i];

		/* What one reports can make another one's loss visible. */
		if (hc_routes_lost(&cluster->config.rules, hubs,
				   cluster->n_hubs, i)) {
			/* One good report between two bad ones: anew. */
			if (hub->good)
				hub->lost_us = now_us;
			hub->good = 0;
			if (!hub->lost)
				loss_begins(cluster, hub, now_us);
			continue;
		}
		if (!hub->lost || hub != reporter || !hubs[i].routes_known ||
		    ++hub->good < GW_GOOD_REPORTS)
			continue;
		hub->lost = false;
		gw_event(cluster, (struct hc_event){ .type = HC_EVENT_BACK,
						     .hub = hub->id });
	}
}

static int64_t loss_due(const struct gw_cluster *cluster,
			const struct gw_hub *hub)
{
	return hub->lost_us + (cluster->config.reaction == HC_IMMEDIATE
				       ? cluster->config.loss_hold_ms
				       : cluster->config.loss_delay_ms) *
				      MS_US;
}

/* L2, L3 for the edges of one hub; returns how many were moved. */
static size_t loss_moves(struct gw_cluster *cluster, int from,
			 struct hc_hub_in *hubs, int64_t now_us)
{
	struct hc_list list;
	struct gw_edge *edge;
	size_t moved = 0;

	/* By now everybody has reported again: who hasn't, isn't a target. */
	for (size_t i = 0; i < cluster->n_hubs; i++)
		hubs[i].stale = cluster->config.reaction == HC_PERIODIC &&
				cluster->hubs[i]->report_us <
					cluster->hubs[from]->lost_us;
	hc_list_route_targets(&list, hubs, cluster->n_hubs);
	if (!list.n)
		return 0;
	frr_each (gw_edges, &cluster->edges, edge) {
		int to = HC_NONE;

		if (position(cluster, edge, now_us) == from)
			to = assign(cluster, hubs, &list, edge);
		if (to == HC_NONE)
			continue;
		gw_assign(cluster, edge, to, HC_WHY_ROUTE_LOSS, now_us);
		moved++;
	}
	return moved;
}

static size_t route_loss(struct gw_cluster *cluster, int64_t now_us,
			 int64_t *next_us)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];
	size_t moved = 0;

	gw_snapshot(cluster, hubs);
	for (size_t i = 0; i < cluster->n_hubs; i++) {
		const struct gw_hub *hub = cluster->hubs[i];

		/* A good report: it isn't left, nor given new edges yet. */
		if (!hub->lost || hub->good || !hub->edges ||
		    hc_eligible(hubs, cluster->n_hubs, i) != HC_WHY_ROUTES_LOST)
			continue;
		/* Since then the others may have lost theirs, or have gone. */
		if (!hc_routes_lost(&cluster->config.rules, hubs,
				    cluster->n_hubs, i))
			continue;
		if (loss_due(cluster, hub) > now_us)
			*next_us = cluster_sooner(*next_us,
						  loss_due(cluster, hub));
		else
			moved += loss_moves(cluster, (int)i, hubs, now_us);
	}
	return moved;
}

/* -- others -- */

static void drain(struct gw_cluster *cluster, int64_t now_us)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];
	struct hc_list list;
	struct gw_edge *edge;
	bool draining = false;

	gw_snapshot(cluster, hubs);
	for (size_t i = 0; i < cluster->n_hubs; i++)
		draining |= hubs[i].draining && cluster->hubs[i]->edges;
	hc_list_eligible(&list, hubs, cluster->n_hubs, 0);
	if (!draining || !list.n)
		return;
	frr_each (gw_edges, &cluster->edges, edge) {
		int from = position(cluster, edge, now_us), to = HC_NONE;

		if (from != HC_NONE && hubs[from].draining)
			to = assign(cluster, hubs, &list, edge);
		if (to != HC_NONE)
			gw_assign(cluster, edge, to, HC_WHY_DRAINED, now_us);
	}
}

static size_t fair(struct gw_cluster *cluster, int64_t now_us)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];
	struct hc_list list;
	struct gw_edge *edge;
	size_t moved = 0, ours = 0, stranded = 0;
	int over, under;

	gw_snapshot(cluster, hubs);
	if (!hc_unfair(&cluster->config.rules, hubs, cluster->n_hubs, &over,
		       &under)) {
		cluster->nothing_said = false;
		return 0;
	}
	hc_list_eligible(&list, hubs, cluster->n_hubs, 0);
	frr_each (gw_edges, &cluster->edges, edge) {
		int from = position(cluster, edge, now_us);
		int to = hc_assign(&cluster->config.rules, hubs, &list,
				   &edge->id);

		ours += from != HC_NONE;
		if (from == HC_NONE || from == to)
			continue;
		if (!reaches(edge, &hubs[to].id)) {
			stranded++;
			continue;
		}
		gw_assign(cluster, edge, to, HC_WHY_FAIR, now_us);
		moved++;
	}
	if (ours && !moved && !stranded && !cluster->nothing_said) {
		cluster->nothing_said = true;
		gw_event(cluster, (struct hc_event){ .type = HC_EVENT_NOTHING,
						     .hub = hubs[over].id });
	}
	return moved;
}

/* Hubs that it doesn't reach, or was moved away from a while ago. */
static uint64_t avoided(const struct gw_cluster *cluster,
			const struct gw_edge *edge, int64_t now_us)
{
	uint64_t bits = 0;

	for (int i = 0; i < GW_AVOID_MAX; i++) {
		int hub = HC_NONE;

		if (edge->avoid[i].until_us > now_us)
			hub = gw_hub_find(cluster, &edge->avoid[i].hub);
		if (hub != HC_NONE)
			bits |= UINT64_C(1) << (unsigned int)hub;
	}
	for (size_t i = 0; i < cluster->n_hubs; i++)
		if (!reaches(edge, &cluster->hubs[i]->id))
			bits |= UINT64_C(1) << i;
	return bits;
}

/* One move, if any is possible. */
static bool auto_move(struct gw_cluster *cluster, const struct hc_hub_in *hubs,
		      int64_t now_us)
{
	size_t max = gw_edges_count(&cluster->edges), n = 0;
	struct hc_edge_in *in;
	struct gw_edge *edge, **edges;
	struct hc_move move;
	bool possible;

	if (!max)
		return false;
	in = XCALLOC(MTYPE_HC_EDGES, max * sizeof(*in));
	edges = XCALLOC(MTYPE_HC_EDGES, max * sizeof(struct gw_edge *));
	frr_each (gw_edges, &cluster->edges, edge) {
		int hub = position(cluster, edge, now_us);

		if (hub == HC_NONE || in_motion(edge, now_us))
			continue;
		edges[n] = edge;
		in[n++] = (struct hc_edge_in){
			.id = edge->id,
			.hub = hub,
			.avoid = avoided(cluster, edge, now_us),
		};
	}
	possible = hc_auto_pick(&cluster->config.rules, hubs, cluster->n_hubs,
				in, n, &move);
	if (possible)
		gw_assign(cluster, edges[move.edge], move.to, HC_WHY_AUTO,
			  now_us);
	XFREE(MTYPE_HC_EDGES, in);
	XFREE(MTYPE_HC_EDGES, edges);
	return possible;
}

static void auto_rebalance(struct gw_cluster *cluster, int64_t now_us,
			   int64_t *next_us)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];

	gw_snapshot(cluster, hubs);
	cluster->auto_active = cluster->config.auto_rebalance &&
			       hc_auto_active(&cluster->config.rules, hubs,
					      cluster->n_hubs,
					      cluster->auto_active);
	if (!cluster->auto_active)
		return;
	if (now_us >= cluster->auto_us)
		cluster->auto_us =
			now_us +
			(auto_move(cluster, hubs, now_us)
				 ? cluster->config.auto_interval_ms * MS_US
				 : GW_RETRY_US);
	*next_us = cluster_sooner(*next_us, cluster->auto_us);
}

static void bulk_done(struct gw_cluster *cluster, enum hc_why why, size_t moved,
		      int64_t now_us)
{
	cluster->bulks++;
	cluster->bulk_us = now_us + cluster->config.bulk_hold_ms * MS_US;
	gw_event(cluster, (struct hc_event){ .type = HC_EVENT_BULK,
					     .why = why,
					     .count = moved });
}

int64_t gw_rebalance(struct gw_cluster *cluster, int64_t now_us)
{
	int64_t next_us = INT64_MAX;
	size_t moved;

	if (now_us < cluster->scan_us)
		return cluster->scan_us;
	cluster->scan_us = now_us + GW_SCAN_US;
	drain(cluster, now_us);
	if (now_us < cluster->bulk_us)
		return cluster->bulk_us;
	moved = route_loss(cluster, now_us, &next_us);
	if (moved) {
		bulk_done(cluster, HC_WHY_ROUTE_LOSS, moved, now_us);
		return cluster->bulk_us;
	}
	moved = fair(cluster, now_us);
	if (moved) {
		bulk_done(cluster, HC_WHY_FAIR, moved, now_us);
		return cluster->bulk_us;
	}
	auto_rebalance(cluster, now_us, &next_us);
	return next_us;
}
