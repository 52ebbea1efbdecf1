// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "hubcluster/hc_gateway_private.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_GATEWAY, "Hub cluster gateway");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_CLUSTER, "Hub cluster");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_HUB, "Hub of a cluster");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_EDGE, "Edge of a cluster");

void hc_cluster_config_default(struct hc_cluster_config *config)
{
	memset(config, 0, sizeof(*config));
	config->rules.limit = HC_LIMIT_DEFAULT;
	config->settle_ms = 10000;
	config->bulk_hold_ms = 120000;
	config->auto_interval_ms = 60000;
	config->auto_hold_ms = 120000;
	config->loss_delay_ms = 30000;
	config->loss_hold_ms = 1000;
}

struct hc_gateway *hc_gateway_new(const struct hc_gateway_ops *ops, void *arg)
{
	struct hc_gateway *gw = XCALLOC(MTYPE_HC_GATEWAY, sizeof(*gw));

	gw->ops = ops;
	gw->arg = arg;
	gw_clusters_init(&gw->clusters);
	return gw;
}

struct gw_cluster *gw_cluster_find(struct hc_gateway *gw,
				   const struct ctl_id *id)
{
	struct gw_cluster ref = {};

	ref.config.id = *id;
	return gw_clusters_find(&gw->clusters, &ref);
}

static struct gw_edge *edge_find(struct gw_cluster *cluster,
				 const struct ctl_id *id)
{
	struct gw_edge ref = {};

	ref.id = *id;
	return gw_edges_find(&cluster->edges, &ref);
}

static void asking_stop(struct gw_cluster *cluster, struct gw_edge *edge)
{
	if (edge->asking)
		gw_asking_del(edge->waits ? &cluster->waiting : &cluster->fresh,
			      edge);
	edge->asking = false;
}

static void asking_start(struct gw_cluster *cluster, struct gw_edge *edge,
			 bool waits)
{
	asking_stop(cluster, edge);
	edge->asking = true;
	edge->waits = waits;
	gw_asking_add_tail(waits ? &cluster->waiting : &cluster->fresh, edge);
}

static void edge_free(struct gw_cluster *cluster, struct gw_edge *edge)
{
	asking_stop(cluster, edge);
	gw_edges_del(&cluster->edges, edge);
	cluster->gw->n_edges--;
	XFREE(MTYPE_HC_EDGE, edge);
}

static void cluster_free(struct gw_cluster *cluster)
{
	struct gw_edge *edge;

	while ((edge = gw_edges_first(&cluster->edges)))
		edge_free(cluster, edge);
	gw_edges_fini(&cluster->edges);
	gw_asking_fini(&cluster->fresh);
	gw_asking_fini(&cluster->waiting);
	for (size_t i = 0; i < cluster->n_hubs; i++)
		XFREE(MTYPE_HC_HUB, cluster->hubs[i]);
	gw_clusters_del(&cluster->gw->clusters, cluster);
	XFREE(MTYPE_HC_CLUSTER, cluster);
}

void hc_gateway_free(struct hc_gateway **gw)
{
	struct gw_cluster *cluster;

	if (!*gw)
		return;
	while ((cluster = gw_clusters_first(&(*gw)->clusters)))
		cluster_free(cluster);
	gw_clusters_fini(&(*gw)->clusters);
	XFREE(MTYPE_HC_GATEWAY, *gw);
}

void gw_event(struct gw_cluster *cluster, struct hc_event event)
{
	event.cluster = cluster->config.id;
	cluster->gw->ops->event(cluster->gw->arg, &event);
}

/* -- hubs -- */

/* Own assignments since the report change what it said. */
static uint32_t tunnels_now(const struct gw_hub *hub)
{
	int64_t tunnels = (int64_t)hub->report.tunnels + hub->moved;

	if (tunnels < 0)
		return 0;
	return tunnels > UINT32_MAX ? UINT32_MAX : (uint32_t)tunnels;
}

static struct hc_load hub_load(const struct gw_hub *hub, uint32_t tunnels)
{
	return (struct hc_load){
		.cpu = hub->report.cpu,
		.memory = hub->report.memory,
		.capacity = hub->msg.capacity,
		.tunnels = tunnels,
		.tunnels_known = hub->report.flags & HC_REPORT_TUNNELS,
	};
}

void gw_snapshot(const struct gw_cluster *cluster, struct hc_hub_in *hubs)
{
	for (size_t i = 0; i < cluster->n_hubs; i++) {
		const struct gw_hub *hub = cluster->hubs[i];
		struct hc_load load = hub_load(hub, hub->report.tunnels);

		hubs[i] = (struct hc_hub_in){
			.id = hub->id,
			.reported = hub->reported,
			.draining = hub->report.flags & HC_REPORT_DRAINING,
			.lost = hub->lost,
			.score = hub->reported ? hc_score(&load) : 0,
			.load = hub_load(hub, tunnels_now(hub)),
			.routes_known = hub->report.flags & HC_REPORT_ROUTES,
			.routes = hub->routes,
			.routes_before = hub->routes_before,
		};
	}
}

int gw_hub_find(const struct gw_cluster *cluster, const struct ctl_id *id)
{
	for (size_t i = 0; i < cluster->n_hubs; i++)
		if (!ctl_id_cmp(&cluster->hubs[i]->id, id))
			return (int)i;
	return HC_NONE;
}

static struct gw_hub *hub_of(const struct gw_cluster *cluster,
			     const struct ctl_id *id)
{
	int i = gw_hub_find(cluster, id);

	return i == HC_NONE ? NULL : cluster->hubs[i];
}

/* Edges that are there count for it, also those that came before it. */
static size_t edges_at(struct gw_cluster *cluster, const struct ctl_id *hub)
{
	struct gw_edge *edge;
	size_t n = 0;

	frr_each (gw_edges, &cluster->edges, edge)
		n += edge->connected && !ctl_id_cmp(&edge->hub, hub);
	return n;
}

static struct gw_hub *hub_join(struct gw_cluster *cluster,
			       const struct ctl_id *id, int64_t now_us)
{
	struct gw_hub *hub;
	size_t at = 0;

	if (!gw_member(&cluster->config, id) || cluster->n_hubs == HC_HUBS_MAX) {
		gw_refuse(cluster->gw, &cluster->config.id, id, now_us);
		return NULL;
	}
	hub = XCALLOC(MTYPE_HC_HUB, sizeof(*hub));
	hub->id = *id;
	hub->joined_us = now_us;
	hub->edges = edges_at(cluster, id);
	while (at < cluster->n_hubs &&
	       ctl_id_cmp(&cluster->hubs[at]->id, id) < 0)
		at++;
	memmove(&cluster->hubs[at + 1], &cluster->hubs[at],
		(cluster->n_hubs - at) * sizeof(cluster->hubs[0]));
	cluster->hubs[at] = hub;
	cluster->n_hubs++;
	return hub;
}

static void receive_hub(struct gw_cluster *cluster, const struct ctl_id *from,
			const struct hc_msg_hub *msg, int64_t now_us)
{
	struct gw_hub *hub = hub_of(cluster, from);
	bool joins = !hub, elsewhere;

	if (joins)
		hub = hub_join(cluster, from, now_us);
	if (!hub)
		return;
	elsewhere = joins || hub->msg.port != msg->port ||
		    !hc_addresses_same(&hub->msg.addresses, &msg->addresses);
	hub->msg = *msg;
	if (joins)
		gw_event(cluster, (struct hc_event){ .type = HC_EVENT_JOINED,
						     .hub = *from });
	gw_oddities(cluster, hub);
	if (elsewhere)
		gw_places_changed(cluster, hub);
	cluster->hubs_changed = cluster->standbys_due = true;
}

static void receive_report(struct gw_cluster *cluster, const struct ctl_id *from,
			   const struct hc_msg_report *msg, int64_t now_us)
{
	struct gw_hub *hub = hub_of(cluster, from);

	if (!hub)
		return;
	if (msg->flags & HC_REPORT_ROUTES) {
		hub->routes_before = hub->routes;
		hub->routes = msg->routes;
	}
	hub->report = *msg;
	hub->reported = true;
	hub->report_us = now_us;
	hub->moved = 0;
	gw_losses(cluster, hub, now_us);
}

/* Where an edge is to go that was at a hub that is gone, or on the way there. */
static void hub_left(struct gw_cluster *cluster, struct gw_edge *edge,
		     const struct hc_hub_in *hubs, const struct hc_list *list,
		     enum hc_why why, int64_t now_us)
{
	int to = gw_hub_find(cluster, &edge->hub);

	/* It hasn't left its own yet. */
	if (to != HC_NONE &&
	    hc_eligible(hubs, cluster->n_hubs, (size_t)to) == HC_OK) {
		gw_assign(cluster, edge, to, HC_WHY_KEPT, now_us);
		return;
	}
	to = gw_standby(cluster, hubs, edge);
	if (to == HC_NONE)
		to = hc_assign(&cluster->config.rules, hubs, list, &edge->id);
	if (to == HC_NONE)
		why = cluster->n_hubs ? HC_WHY_NO_ELIGIBLE : HC_WHY_NO_HUB;
	gw_assign(cluster, edge, to, why, now_us);
}

/* The hub is gone; it is told to who is there, or was told to be. */
static void hub_leave(struct gw_cluster *cluster, int index, enum hc_why why,
		      int64_t now_us)
{
	struct gw_hub *hub = cluster->hubs[index];
	struct hc_hub_in hubs[HC_HUBS_MAX];
	struct hc_list list;
	struct gw_edge *edge;

	cluster->n_hubs--;
	memmove(&cluster->hubs[index], &cluster->hubs[index + 1],
		(cluster->n_hubs - (size_t)index) * sizeof(cluster->hubs[0]));
	gw_event(cluster, (struct hc_event){ .type = HC_EVENT_LEFT,
					     .hub = hub->id,
					     .why = why });
	gw_snapshot(cluster, hubs);
	hc_list_eligible(&list, hubs, cluster->n_hubs, 0);
	frr_each (gw_edges, &cluster->edges, edge) {
		/* Should it come back, it does so without those that it lost. */
		if (!ctl_id_cmp(&edge->counted, &hub->id) &&
		    ctl_id_cmp(&edge->hub, &hub->id))
			memset(&edge->counted, 0, sizeof(edge->counted));
		if (!edge->connected || edge->asking ||
		    (ctl_id_cmp(&edge->told, &hub->id) &&
		     !(edge->preferred && !ctl_id_cmp(&edge->hub, &hub->id))))
			continue;
		hub_left(cluster, edge, hubs, &list, why, now_us);
	}
	gw_places_gone(cluster, &hub->id);
	XFREE(MTYPE_HC_HUB, hub);
	cluster->hubs_changed = cluster->standbys_due = true;
}

/* -- edges -- */

static void send_assign(struct gw_cluster *cluster, const struct gw_edge *edge)
{
	const struct gw_hub *hub = hub_of(cluster, &edge->told);
	struct hc_msg msg = {
		.type = HC_ITEM_ASSIGN,
		.assign = { .cluster = cluster->config.id,
			    .token = edge->token,
			    .sequence = edge->sequence,
			    .why = (uint16_t)edge->why,
			    .hub = edge->told },
	};

	if (hub) {
		msg.assign.port = hub->msg.port;
		msg.assign.addresses = hub->msg.addresses;
	}
	cluster->gw->ops->send(cluster->gw->arg, &edge->id, &msg);
}

static void count_at(struct gw_cluster *cluster, struct gw_edge *edge,
		     const struct ctl_id *hub)
{
	struct gw_hub *old = hub_of(cluster, &edge->counted);
	struct gw_hub *new = hub_of(cluster, hub);

	if (!ctl_id_cmp(&edge->counted, hub))
		return;
	if (old)
		old->moved--;
	if (new)
		new->moved++;
	edge->counted = *hub;
}

/* It was moved away from there: not back for a while. */
static void avoid_note(struct gw_cluster *cluster, struct gw_edge *edge,
		       const struct ctl_id *hub, int64_t now_us)
{
	int slot = 0;

	for (int i = 0; i < GW_AVOID_MAX; i++) {
		if (!ctl_id_cmp(&edge->avoid[i].hub, hub)) {
			slot = i;
			break;
		}
		if (edge->avoid[i].until_us < edge->avoid[slot].until_us)
			slot = i;
	}
	edge->avoid[slot].hub = *hub;
	edge->avoid[slot].until_us = now_us +
				     cluster->config.auto_hold_ms * MS_US;
}

void gw_assign(struct gw_cluster *cluster, struct gw_edge *edge, int hub,
	       enum hc_why why, int64_t now_us)
{
	static const struct ctl_id none;
	const struct ctl_id *to = hub == HC_NONE ? &none
						 : &cluster->hubs[hub]->id;
	struct ctl_id from = edge->hub;
	bool moves = hub != HC_NONE && !ctl_id_is_null(&from) &&
		     ctl_id_cmp(&from, to);

	asking_stop(cluster, edge);
	edge->told = *to;
	edge->why = why;
	edge->told_us = now_us;
	edge->sequence++;
	count_at(cluster, edge, to);
	if (moves) {
		avoid_note(cluster, edge, &from, now_us);
		edge->moves++;
		cluster->moves++;
		gw_event(cluster, (struct hc_event){ .type = HC_EVENT_MOVED,
						     .edge = edge->id,
						     .from = from,
						     .hub = *to,
						     .why = why });
	}
	send_assign(cluster, edge);
}

static void hub_edges_change(struct gw_cluster *cluster,
			     const struct ctl_id *hub, bool comes)
{
	struct gw_hub *entry = hub_of(cluster, hub);

	if (entry)
		entry->edges += comes ? 1 : (size_t)-1;
}

static void edge_at(struct gw_cluster *cluster, struct gw_edge *edge,
		    bool connected, const struct ctl_id *hub)
{
	if (edge->connected) {
		hub_edges_change(cluster, &edge->hub, false);
		cluster->connected--;
	}
	edge->connected = connected;
	edge->hub = *hub;
	if (edge->connected) {
		hub_edges_change(cluster, &edge->hub, true);
		cluster->connected++;
	}
}

/* To who has no place here. */
static void send_none(struct hc_gateway *gw, const struct ctl_id *to,
		      const struct hc_msg_edge *msg, enum hc_why why)
{
	struct hc_msg answer = {
		.type = HC_ITEM_ASSIGN,
		.assign = { .cluster = msg->cluster,
			    .token = msg->token,
			    .why = (uint16_t)why },
	};

	if (msg->flags & HC_EDGE_ASK)
		gw->ops->send(gw->arg, to, &answer);
}

/* It has gone: its hub's next report is without it. */
static void uncount(struct gw_cluster *cluster, struct gw_edge *edge)
{
	static const struct ctl_id none;

	edge->uncounted = edge->counted;
	count_at(cluster, edge, &none);
}

/* It had only gone from us: if the hub hasn't reported since, it counts again. */
static void uncounted_back(struct gw_cluster *cluster, struct gw_edge *edge,
			   const struct ctl_id *at)
{
	struct gw_hub *hub = hub_of(cluster, at);

	if (hub && hub->reported && hub->report_us <= edge->gone_us &&
	    !ctl_id_cmp(&edge->uncounted, at))
		hub->moved++;
}

static void receive_edge(struct gw_cluster *cluster, const struct ctl_id *from,
			 const struct hc_msg_edge *msg)
{
	struct gw_edge *edge = edge_find(cluster, from);
	bool returns = edge && !edge->connected;

	if (!edge) {
		if (cluster->gw->n_edges == HC_EDGES_MAX) {
			send_none(cluster->gw, from, msg, HC_WHY_NO_CLUSTER);
			return;
		}
		edge = XCALLOC(MTYPE_HC_EDGE, sizeof(*edge));
		edge->id = *from;
		gw_edges_add(&cluster->edges, edge);
		cluster->gw->n_edges++;
	}
	edge_at(cluster, edge, true, &msg->hub);
	edge->stale = false;
	edge->token = msg->token;
	edge->preferred = msg->flags & HC_EDGE_PREFERRED;
	edge->n_unreachable = msg->n_unreachable;
	memcpy(edge->unreachable, msg->unreachable, sizeof(edge->unreachable));
	if (returns)
		uncounted_back(cluster, edge, &msg->hub);
	/* Somebody else's moves are in the hubs' reports, not in our count. */
	if (!ctl_id_is_null(&msg->hub))
		edge->counted = msg->hub;
	if (msg->flags & HC_EDGE_ASK)
		asking_start(cluster, edge, false);
	gw_places_edge(cluster, edge, msg->flags & HC_EDGE_PLACES);
}

static void edge_gone(struct gw_cluster *cluster, struct gw_edge *edge,
		      int64_t now_us)
{
	static const struct ctl_id none;

	edge_at(cluster, edge, false, &none);
	uncount(cluster, edge);
	asking_stop(cluster, edge);
	gw_places_forget(edge);
	/* A new session counts from the beginning. */
	edge->sequence = 0;
	edge->gone_us = now_us;
	cluster->forget_us = 0;
}

static void answer(struct gw_cluster *cluster, const struct hc_hub_in *hubs,
		   struct gw_edge *edge, int64_t now_us)
{
	struct hc_ask ask = {
		.edge = edge->id,
		.current = edge->hub,
		.unreachable = edge->unreachable,
		.n_unreachable = edge->n_unreachable,
	};
	struct hc_answer got = hc_answer(&cluster->config.rules, hubs,
					 cluster->n_hubs, &ask);

	if (cluster->settled || got.why == HC_WHY_KEPT ||
	    got.why == HC_WHY_KEPT_UNKNOWN)
		gw_assign(cluster, edge, got.hub, got.why, now_us);
	else
		asking_start(cluster, edge, true);
}

/* In the order in which they asked, which is any order. */
static void answer_all(struct gw_cluster *cluster, int64_t now_us)
{
	struct hc_hub_in hubs[HC_HUBS_MAX];
	struct gw_edge *edge;

	if (cluster->settled || cluster->hubs_changed)
		while ((edge = gw_asking_first(&cluster->waiting)))
			asking_start(cluster, edge, false);
	cluster->hubs_changed = false;
	if (!gw_asking_first(&cluster->fresh))
		return;
	gw_snapshot(cluster, hubs);
	while ((edge = gw_asking_first(&cluster->fresh)))
		answer(cluster, hubs, edge, now_us);
}

/* -- the whole -- */

static void settle(struct gw_cluster *cluster, int64_t now_us)
{
	bool all = cluster->config.n_members > 0;

	for (int i = 0; i < cluster->config.n_members; i++)
		if (!hub_of(cluster, &cluster->config.members[i]))
			all = false;
	if (all || now_us >= cluster->settle_us)
		cluster->settled = cluster->standbys_due = true;
}

bool hc_gateway_cluster_set(struct hc_gateway *gw,
			    const struct hc_cluster_config *config,
			    int64_t now_us)
{
	struct gw_cluster *cluster = gw_cluster_find(gw, &config->id);

	if (!cluster) {
		if (gw_clusters_count(&gw->clusters) == HC_CLUSTERS_MAX)
			return false;
		cluster = XCALLOC(MTYPE_HC_CLUSTER, sizeof(*cluster));
		cluster->gw = gw;
		cluster->config = *config;
		cluster->settle_us = now_us + config->settle_ms * MS_US;
		gw_edges_init(&cluster->edges);
		gw_asking_init(&cluster->fresh);
		gw_asking_init(&cluster->waiting);
		cluster->forget_us = INT64_MAX;
		gw_clusters_add(&gw->clusters, cluster);
	}
	cluster->config = *config;
	/* Perhaps another kind of assignment. */
	cluster->standbys_due = true;
	for (size_t i = cluster->n_hubs; i-- > 0;)
		if (!gw_member(config, &cluster->hubs[i]->id))
			hub_leave(cluster, (int)i, HC_WHY_HUB_STOPPED, now_us);
	return true;
}

void hc_gateway_cluster_del(struct hc_gateway *gw, const struct ctl_id *id)
{
	struct gw_cluster *cluster = gw_cluster_find(gw, id);

	struct gw_edge *edge;

	if (!cluster)
		return;
	/* They ask again now and then, and keep what they have. */
	frr_each (gw_edges, &cluster->edges, edge)
		if (edge->connected)
			gw_assign(cluster, edge, HC_NONE, HC_WHY_NO_CLUSTER, 0);
	cluster_free(cluster);
}

/* A hub is of one cluster: it has left another one. */
static void hub_moved(struct hc_gateway *gw, const struct gw_cluster *to,
		      const struct ctl_id *hub, int64_t now_us)
{
	struct gw_cluster *cluster;

	frr_each (gw_clusters, &gw->clusters, cluster) {
		int i = gw_hub_find(cluster, hub);

		if (cluster != to && i != HC_NONE)
			hub_leave(cluster, i, HC_WHY_HUB_STOPPED, now_us);
	}
}

void hc_gateway_receive(struct hc_gateway *gw, const struct ctl_id *from,
			const struct hc_msg *msg, int64_t now_us)
{
	struct gw_cluster *cluster;

	switch (msg->type) {
	case HC_ITEM_HUB:
		cluster = gw_cluster_find(gw, &msg->hub.cluster);
		hub_moved(gw, cluster, from, now_us);
		if (cluster)
			receive_hub(cluster, from, &msg->hub, now_us);
		else
			gw_refuse(gw, &msg->hub.cluster, from, now_us);
		break;
	case HC_ITEM_REPORT:
		cluster = gw_cluster_find(gw, &msg->report.cluster);
		if (cluster)
			receive_report(cluster, from, &msg->report, now_us);
		break;
	case HC_ITEM_EDGE:
		cluster = gw_cluster_find(gw, &msg->edge.cluster);
		if (cluster)
			receive_edge(cluster, from, &msg->edge);
		else
			send_none(gw, from, &msg->edge, HC_WHY_NO_CLUSTER);
		break;
	default:
		break;
	}
}

void hc_gateway_down(struct hc_gateway *gw, const struct ctl_id *peer,
		     uint8_t roles, bool clean, int64_t now_us)
{
	struct gw_cluster *cluster;

	frr_each (gw_clusters, &gw->clusters, cluster) {
		int hub = gw_hub_find(cluster, peer);
		struct gw_edge *edge = edge_find(cluster, peer);

		if (hub != HC_NONE && roles & HC_ROLE_HUB)
			hub_leave(cluster, hub,
				  clean ? HC_WHY_HUB_STOPPED : HC_WHY_HUB_DEAD,
				  now_us);
		if (edge && edge->connected && roles & HC_ROLE_EDGE)
			edge_gone(cluster, edge, now_us);
	}
}

void hc_gateway_sync(struct hc_gateway *gw, const struct ctl_id *peer,
		     bool begin, int64_t now_us)
{
	struct gw_cluster *cluster;

	frr_each (gw_clusters, &gw->clusters, cluster) {
		struct gw_edge *edge = edge_find(cluster, peer);

		if (!edge || !edge->connected)
			continue;
		if (begin)
			edge->stale = true;
		else if (edge->stale)
			edge_gone(cluster, edge, now_us);
	}
}

void hc_gateway_full_state(struct hc_gateway *gw, const struct ctl_id *peer)
{
	struct gw_cluster *cluster;

	frr_each (gw_clusters, &gw->clusters, cluster) {
		struct gw_edge *edge = edge_find(cluster, peer);

		/* What was decided before its question isn't the answer. */
		if (edge && edge->connected && edge->sequence && !edge->asking)
			send_assign(cluster, edge);
		if (edge && edge->connected)
			gw_places_again(cluster, edge);
	}
}

/* Edges that are gone are remembered while they must not come back. */
static void forget(struct gw_cluster *cluster, int64_t now_us)
{
	int64_t hold_us = cluster->config.auto_hold_ms * MS_US;
	struct gw_edge *edge;

	if (now_us < cluster->forget_us)
		return;
	cluster->forget_us = INT64_MAX;
	frr_each_safe (gw_edges, &cluster->edges, edge) {
		if (edge->connected)
			continue;
		if (edge->gone_us + hold_us <= now_us)
			edge_free(cluster, edge);
		else if (edge->gone_us + hold_us < cluster->forget_us)
			cluster->forget_us = edge->gone_us + hold_us;
	}
}

static int64_t cluster_run(struct gw_cluster *cluster, int64_t now_us)
{
	int64_t at_us;

	if (!cluster->settled)
		settle(cluster, now_us);
	answer_all(cluster, now_us);
	gw_places_run(cluster);
	forget(cluster, now_us);
	at_us = cluster->settled ? gw_rebalance(cluster, now_us)
				 : cluster->settle_us;
	return cluster_sooner(at_us, cluster->forget_us);
}

int64_t hc_gateway_run(struct hc_gateway *gw, int64_t now_us)
{
	int64_t next_us = INT64_MAX;
	struct gw_cluster *cluster;

	frr_each (gw_clusters, &gw->clusters, cluster)
		next_us = cluster_sooner(next_us, cluster_run(cluster, now_us));
	return next_us;
}

enum hc_why hc_gateway_move(struct hc_gateway *gw, const struct ctl_id *id,
			    const struct ctl_id *edge_id,
			    const struct ctl_id *hub_id, int64_t now_us)
{
	struct gw_cluster *cluster = gw_cluster_find(gw, id);
	struct hc_hub_in hubs[HC_HUBS_MAX];
	struct gw_edge *edge;
	enum hc_why why;
	int hub;

	if (!cluster)
		return HC_WHY_NO_CLUSTER;
	edge = edge_find(cluster, edge_id);
	hub = gw_hub_find(cluster, hub_id);
	if (!edge || !edge->connected)
		return HC_WHY_UNKNOWN_EDGE;
	if (!edge->preferred)
		return HC_WHY_NOT_PREFERRED;
	if (hub == HC_NONE)
		return HC_WHY_UNKNOWN_HUB;
	gw_snapshot(cluster, hubs);
	why = hc_eligible(hubs, cluster->n_hubs, (size_t)hub);
	if (why == HC_OK)
		gw_assign(cluster, edge, hub, HC_WHY_OPERATOR, now_us);
	return why;
}
