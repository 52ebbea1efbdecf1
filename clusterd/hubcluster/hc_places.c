// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where hubs are, as edges are told that follow this gateway.
 *
 * An edge that keeps tunnels to all hubs is told of each that comes, is
 * elsewhere or goes; every other one of its own hub alone, so that it calls new
 * addresses without a move.
 *
 * The standby is where an edge goes by itself when it loses its hub: what it
 * would be answered if it asked then, said before it has to.  Edges hear of
 * another one whenever the hubs that they could be assigned to change.
 */
#include "config.h"

#include <string.h>

#include "hubcluster/hc_gateway_private.h"

static void send_place(struct gw_cluster *cluster, const struct gw_edge *edge,
		       const struct ctl_id *id, const struct gw_hub *hub,
		       uint8_t flags)
{
	struct hc_msg msg = {
		.type = HC_ITEM_PLACE,
		.place = { .cluster = cluster->config.id,
			   .flags = flags,
			   .hub = *id },
	};

	if (hub) {
		msg.place.port = hub->msg.port;
		msg.place.addresses = hub->msg.addresses;
	}
	cluster->gw->ops->send(cluster->gw->arg, &edge->id, &msg);
}

static const struct gw_hub *hub_of(const struct gw_cluster *cluster,
				   const struct ctl_id *id)
{
	int i = gw_hub_find(cluster, id);

	return i == HC_NONE ? NULL : cluster->hubs[i];
}

/* Is it to know where the hub is? */
static bool concerns(const struct gw_edge *edge, const struct gw_hub *hub)
{
	return edge->places || !ctl_id_cmp(&edge->hub, &hub->id) ||
	       !ctl_id_cmp(&edge->told, &hub->id);
}

static void send_all(struct gw_cluster *cluster, const struct gw_edge *edge)
{
	for (size_t i = 0; i < cluster->n_hubs; i++)
		if (concerns(edge, cluster->hubs[i]))
			send_place(cluster, edge, &cluster->hubs[i]->id,
				   cluster->hubs[i], 0);
}

static void send_standby(struct gw_cluster *cluster, const struct gw_edge *edge)
{
	send_place(cluster, edge, &edge->standby,
		   hub_of(cluster, &edge->standby), HC_PLACE_STANDBY);
}

int gw_standby(const struct gw_cluster *cluster, const struct hc_hub_in *hubs,
	       const struct gw_edge *edge)
{
	struct hc_ask ask = {
		.edge = edge->id,
		.current = edge->hub,
		.unreachable = edge->unreachable,
		.n_unreachable = edge->n_unreachable,
	};

	return hc_standby(&cluster->config.rules, hubs, cluster->n_hubs, &ask);
}

static void standby(struct gw_cluster *cluster, const struct hc_hub_in *hubs,
		    struct gw_edge *edge)
{
	static const struct ctl_id none;
	const struct ctl_id *to;
	int i;

	/* While it has none, its question is answered. */
	if (!edge->connected || !edge->preferred || ctl_id_is_null(&edge->hub))
		return;
	i = gw_standby(cluster, hubs, edge);
	to = i == HC_NONE ? &none : &cluster->hubs[i]->id;
	if (!ctl_id_cmp(&edge->standby, to))
		return;
	edge->standby = *to;
	send_standby(cluster, edge);
}

void gw_places_forget(struct gw_edge *edge)
{
	edge->places = false;
	memset(&edge->standby, 0, sizeof(edge->standby));
}

void gw_places_edge(struct gw_cluster *cluster, struct gw_edge *edge,
		    bool places)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];

	/* It takes no such word from us; when it does, it knows nothing. */
	if (!edge->preferred) {
		gw_places_forget(edge);
		return;
	}
	if (places && !edge->places) {
		edge->places = true;
		send_all(cluster, edge);
	}
	edge->places = places;
	if (!cluster->settled)
		return;
	gw_snapshot(cluster, hubs);
	standby(cluster, hubs, edge);
}

/* The standby last, also that there is none: then it has heard of all hubs. */
void gw_places_again(struct gw_cluster *cluster, struct gw_edge *edge)
{
	if (!edge->preferred)
		return;
	send_all(cluster, edge);
	if (cluster->settled)
		send_standby(cluster, edge);
}

void gw_places_changed(struct gw_cluster *cluster, const struct gw_hub *hub)
{
	struct gw_edge *edge;

	frr_each (gw_edges, &cluster->edges, edge) {
		if (!edge->connected || !edge->preferred)
			continue;
		if (concerns(edge, hub))
			send_place(cluster, edge, &hub->id, hub, 0);
		if (!ctl_id_cmp(&edge->standby, &hub->id))
			send_standby(cluster, edge);
	}
}

void gw_places_gone(struct gw_cluster *cluster, const struct ctl_id *hub)
{
	struct gw_edge *edge;

	frr_each (gw_edges, &cluster->edges, edge)
		if (edge->places)
			send_place(cluster, edge, hub, NULL, 0);
}

static uint64_t eligible(const struct hc_hub_in *hubs, size_t n)
{
	struct hc_list list;
	uint64_t bits = 0;

	hc_list_eligible(&list, hubs, n, 0);
	for (size_t i = 0; i < list.n; i++)
		bits |= UINT64_C(1) << list.index[i];
	return bits;
}

void gw_places_run(struct gw_cluster *cluster)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];
	struct gw_edge *edge;
	uint64_t now;

	if (!cluster->settled)
		return;
	gw_snapshot(cluster, hubs);
	now = eligible(hubs, cluster->n_hubs);
	if (!cluster->standbys_due && now == cluster->eligible)
		return;
	cluster->standbys_due = false;
	cluster->eligible = now;
	frr_each (gw_edges, &cluster->edges, edge)
		standby(cluster, hubs, edge);
}
