// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "core/cluster_time.h"
#include "hubcluster/hc_hub_private.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_SELF, "Hub");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_ATTACHED, "Attached edge");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_LEAVING, "Leaving site");
DEFINE_MTYPE(CLUSTERD, HC_CHANGE, "Changed site");

/* A smaller loss than this part isn't told before its time. */
#define TRIGGER_PERCENT 95

/* More aren't kept: they go at once. */
#define LEAVING_MAX 65536

struct hc_hub *hc_hub_new(const struct hc_hub_ops *ops, void *arg,
			  const struct hc_hub_config *config, int64_t now_us)
{
	struct hc_hub *hub = XCALLOC(MTYPE_HC_SELF, sizeof(*hub));

	hub->ops = ops;
	hub->arg = arg;
	hub->config = *config;
	hub->report_us = now_us + config->report_ms * MS_US;
	hub->triggered_us = now_us - config->trigger_hold_ms * MS_US;
	hub_edges_init(&hub->edges);
	hub_sites_init(&hub->sites);
	hub_leavings_init(&hub->leavings);
	hub_ends_init(&hub->ends);
	hub_changes_init(&hub->changes);
	hub->leaving_us = INT64_MAX;
	return hub;
}

/* -- sites -- */

static void changes_free(struct hc_hub *hub)
{
	struct hub_change *change;

	while ((change = hub_changes_pop(&hub->changes)))
		XFREE(MTYPE_HC_CHANGE, change);
}

/* Edges may say other prefixes again and again before the owner looks. */
static void changed(struct hc_hub *hub, const struct hc_prefix *prefix)
{
	struct hub_change ref = { .prefix = *prefix }, *change;

	if (hub->all_changed || hub_changes_find(&hub->changes, &ref))
		return;
	if (hub_changes_count(&hub->changes) == HC_HUB_CHANGES_MAX) {
		changes_free(hub);
		hub->all_changed = true;
		return;
	}
	change = XCALLOC(MTYPE_HC_CHANGE, sizeof(*change));
	change->prefix = *prefix;
	hub_changes_add(&hub->changes, change);
}

static void leaving_free(struct hc_hub *hub, struct hub_leaving *leaving)
{
	changed(hub, &leaving->route.prefix);
	hub_leavings_del(&hub->leavings, leaving);
	XFREE(MTYPE_HC_LEAVING, leaving);
}

/* Somebody has the prefix now. */
static void leaving_end(struct hc_hub *hub, const struct hc_prefix *prefix)
{
	struct hub_leaving ref = { .route = { .prefix = *prefix } };
	struct hub_leaving *leaving = hub_leavings_find(&hub->leavings, &ref);

	if (leaving)
		leaving_free(hub, leaving);
}

/* The end of a tunnel is another edge's now. */
static void leaving_yield(struct hc_hub *hub, const struct hc_addresses *tunnel)
{
	struct hub_leaving *leaving;

	frr_each_safe (hub_leavings, &hub->leavings, leaving)
		for (int i = 0; i < tunnel->n; i++)
			if (!ipaddr_cmp(&tunnel->list[i],
					&leaving->route.nexthop)) {
				leaving_free(hub, leaving);
				break;
			}
}

/* What it has stays a moment. */
static void leaving_begin(struct hc_hub *hub, const struct hub_edge *edge,
			  int64_t now_us)
{
	for (int i = 0; i < edge->msg.n_prefixes; i++) {
		struct hub_leaving *leaving;

		if (!edge->sites[i].edge ||
		    hub_leavings_count(&hub->leavings) >= LEAVING_MAX)
			continue;
		leaving_end(hub, &edge->sites[i].prefix);
		leaving = XCALLOC(MTYPE_HC_LEAVING, sizeof(*leaving));
		leaving->route = hub_site_route(&edge->sites[i]);
		leaving->until_us = now_us + HC_STAYING_US;
		hub_leavings_add(&hub->leavings, leaving);
		if (leaving->until_us < hub->leaving_us)
			hub->leaving_us = leaving->until_us;
	}
}

/* False: it is over. */
static bool leaving_goes_on(struct hc_hub *hub, struct hub_leaving *leaving,
			    int64_t now_us)
{
	if (now_us < leaving->until_us)
		return true;
	if (leaving->route.leaving)
		return false;
	leaving->route.leaving = true;
	changed(hub, &leaving->route.prefix);
	leaving->until_us = now_us + HC_LEAVING_US;
	return true;
}

static void leaving_run(struct hc_hub *hub, int64_t now_us)
{
	struct hub_leaving *leaving;

	if (now_us < hub->leaving_us)
		return;
	hub->leaving_us = INT64_MAX;
	frr_each_safe (hub_leavings, &hub->leavings, leaving) {
		if (!leaving_goes_on(hub, leaving, now_us))
			leaving_free(hub, leaving);
		else if (leaving->until_us < hub->leaving_us)
			hub->leaving_us = leaving->until_us;
	}
	hub->ops->sites(hub->arg);
}

static void site_del(struct hc_hub *hub, struct hub_site *site)
{
	hub_sites_del(&hub->sites, site);
	site->edge = NULL;
	hub->freed = true;
	changed(hub, &site->prefix);
}

static void sites_leave(struct hc_hub *hub, struct hub_edge *edge)
{
	for (int i = 0; i < edge->msg.n_prefixes; i++) {
		if (edge->sites[i].edge)
			site_del(hub, &edge->sites[i]);
	}
	for (int i = 0; i < edge->msg.n_prefixes; i++) {
		hub->n_taken -= edge->verdicts[i] == HC_SITE_TAKEN;
		edge->verdicts[i] = HC_SITE_DENIED;
	}
}

static enum hc_site site_verdict(struct hc_hub *hub, struct hub_edge *edge,
				 int i)
{
	const struct hc_prefix *prefix = &edge->msg.prefixes[i];

	if (!hub->ops->accept(hub->arg, prefix))
		return HC_SITE_DENIED;
	if (!hc_address_like(&edge->msg.tunnel, &prefix->addr))
		return HC_SITE_NO_HOP;
	edge->sites[i].prefix = *prefix;
	edge->sites[i].edge = edge;
	if (!hub_sites_add(&hub->sites, &edge->sites[i])) {
		leaving_end(hub, prefix);
		changed(hub, prefix);
		return HC_SITE_ACCEPTED;
	}
	edge->sites[i].edge = NULL;
	return HC_SITE_TAKEN;
}

static void sites_enter(struct hc_hub *hub, struct hub_edge *edge)
{
	for (int i = 0; i < edge->msg.n_prefixes; i++) {
		if (edge->sites[i].edge)
			continue;
		hub->n_taken -= edge->verdicts[i] == HC_SITE_TAKEN;
		edge->verdicts[i] = site_verdict(hub, edge, i);
		hub->n_taken += edge->verdicts[i] == HC_SITE_TAKEN;
	}
}

static void ends_leave(struct hc_hub *hub, struct hub_edge *edge)
{
	for (int i = 0; i < HC_ADDRESSES_MAX; i++) {
		if (edge->ends[i].edge)
			hub_ends_del(&hub->ends, &edge->ends[i]);
		edge->ends[i].edge = NULL;
	}
}

/* Those of its message; one that it names twice is one. */
static void ends_enter(struct hc_hub *hub, struct hub_edge *edge)
{
	for (int i = 0; i < edge->msg.tunnel.n; i++) {
		edge->ends[i].addr = edge->msg.tunnel.list[i];
		if (!hub_ends_add(&hub->ends, &edge->ends[i]))
			edge->ends[i].edge = edge;
	}
}

static bool is_guarded(const struct hub_edge *edge)
{
	return edge->msg.flags & HC_ATTACH_GUARD;
}

static void edge_free(struct hc_hub *hub, struct hub_edge *edge)
{
	hub->n_guarded -= is_guarded(edge);
	sites_leave(hub, edge);
	ends_leave(hub, edge);
	hub_edges_del(&hub->edges, edge);
	XFREE(MTYPE_HC_ATTACHED, edge);
}

static void leavings_free(struct hc_hub *hub)
{
	struct hub_leaving *leaving;

	while ((leaving = hub_leavings_first(&hub->leavings)))
		leaving_free(hub, leaving);
	hub->leaving_us = INT64_MAX;
}

void hc_hub_free(struct hc_hub **hub)
{
	struct hub_edge *edge;

	if (!*hub)
		return;
	while ((edge = hub_edges_first(&(*hub)->edges)))
		edge_free(*hub, edge);
	leavings_free(*hub);
	changes_free(*hub);
	hub_changes_fini(&(*hub)->changes);
	hub_leavings_fini(&(*hub)->leavings);
	hub_ends_fini(&(*hub)->ends);
	hub_edges_fini(&(*hub)->edges);
	hub_sites_fini(&(*hub)->sites);
	XFREE(MTYPE_HC_SELF, *hub);
}

static struct hub_edge *edge_find(struct hc_hub *hub, const struct ctl_id *id)
{
	struct hub_edge ref = {};

	ref.id = *id;
	return hub_edges_find(&hub->edges, &ref);
}

/* -- to the gateways -- */

static void send_hub(struct hc_hub *hub, const struct ctl_id *to)
{
	struct hc_msg msg = {
		.type = HC_ITEM_HUB,
		.hub = { .cluster = hub->config.cluster,
			 .capacity = hub->config.capacity,
			 .asn = hub->config.asn,
			 .port = hub->config.port,
			 .addresses = hub->config.addresses },
	};

	strlcpy(msg.hub.model, hub->config.model, sizeof(msg.hub.model));
	hub->ops->send(hub->arg, to, &msg);
}

static void send_report(struct hc_hub *hub, const struct ctl_id *to)
{
	struct hc_msg msg = {
		.type = HC_ITEM_REPORT,
		.report = { .cluster = hub->config.cluster,
			    .cpu = hub->load.cpu,
			    .memory = hub->load.memory,
			    .tunnels = hub->load.tunnels,
			    .routes = hub->routes_known ? hub->routes : 0 },
	};

	if (hub->load.tunnels_known)
		msg.report.flags |= HC_REPORT_TUNNELS;
	if (hub->routes_known)
		msg.report.flags |= HC_REPORT_ROUTES;
	if (hub->config.drain)
		msg.report.flags |= HC_REPORT_DRAINING;
	hub->ops->send(hub->arg, to, &msg);
}

static void measure(struct hc_hub *hub)
{
	hub->load = (struct hc_load){ .cpu = HC_LOAD_UNKNOWN,
				      .memory = HC_LOAD_UNKNOWN };
	hub->ops->load(hub->arg, &hub->load);
	hub->load.capacity = hub->config.capacity;
}

/* To one that comes or hears it again: as good as any other report. */
static void report_to(struct hc_hub *hub, const struct ctl_id *to)
{
	measure(hub);
	send_report(hub, to);
	/* One of them knows of as many: a fall from there concerns it. */
	if (hub->told_known && hub->routes_known)
		hub->told_routes = MAX(hub->told_routes, hub->routes);
}

static void report(struct hc_hub *hub)
{
	measure(hub);
	for (size_t i = 0; i < hub->n_gateways; i++)
		send_report(hub, &hub->gateways[i]);
	hub->told_known = hub->routes_known;
	hub->told_routes = hub->routes;
	if (hub->n_gateways)
		hub->reports++;
}

/* Soon, but not sooner than the hold allows. */
static void trigger(struct hc_hub *hub, int64_t now_us)
{
	int64_t at_us = now_us + hub->config.trigger_ms * MS_US;
	int64_t hold_us = hub->triggered_us +
			  hub->config.trigger_hold_ms * MS_US;

	/* Who comes is told anyway. */
	if (!hub->n_gateways)
		return;
	if (at_us < hold_us)
		at_us = hold_us;
	if (!hub->trigger_us || at_us < hub->trigger_us)
		hub->trigger_us = at_us;
}

static size_t gateway_find(const struct hc_hub *hub, const struct ctl_id *id)
{
	size_t i = 0;

	while (i < hub->n_gateways && ctl_id_cmp(&hub->gateways[i], id))
		i++;
	return i;
}

void hc_hub_gateway_up(struct hc_hub *hub, const struct ctl_id *gateway,
		       int64_t now_us)
{
	size_t i = gateway_find(hub, gateway);

	if (i == HC_HUB_GATEWAYS_MAX)
		return;
	if (i == hub->n_gateways)
		hub->gateways[hub->n_gateways++] = *gateway;
	/* While it is the only one, all know it. */
	if (hub->n_gateways == 1) {
		hub->told_known = hub->routes_known;
		hub->told_routes = hub->routes;
	}
	send_hub(hub, gateway);
	report_to(hub, gateway);
}

void hc_hub_routes(struct hc_hub *hub, bool known, uint32_t routes,
		   int64_t now_us)
{
	hub->routes_known = known;
	hub->routes = routes;
	if (known != hub->told_known)
		trigger(hub, now_us);
	if (!known || !hub->told_known)
		return;
	if (!routes != !hub->told_routes ||
	    (uint64_t)routes * 100 <
		    (uint64_t)hub->told_routes * TRIGGER_PERCENT)
		trigger(hub, now_us);
}

void hc_hub_load_changed(struct hc_hub *hub, int64_t now_us)
{
	trigger(hub, now_us);
}

static uint8_t accepted(const struct hub_edge *edge)
{
	uint8_t n = 0;

	for (int i = 0; i < edge->msg.n_prefixes; i++)
		n += edge->verdicts[i] == HC_SITE_ACCEPTED;
	return n;
}

static void send_attached(struct hc_hub *hub, const struct ctl_id *to,
			  const struct ctl_id *cluster, enum hc_verdict verdict)
{
	struct hub_edge *edge = edge_find(hub, to);
	struct hc_msg msg = {
		.type = HC_ITEM_ATTACHED,
		.attached = { .cluster = *cluster,
			      .verdict = (uint16_t)verdict,
			      .tunnel = hub->config.tunnel },
	};

	if (edge)
		msg.attached.accepted = edge->told = accepted(edge);
	hub->ops->send(hub->arg, to, &msg);
}

/* What was taken, or denied, may not be any more. */
static void sites_again(struct hc_hub *hub, bool denied)
{
	struct hub_edge *edge;

	if ((hub->n_taken && hub->freed) || denied)
		frr_each (hub_edges, &hub->edges, edge) {
			sites_enter(hub, edge);
			if (accepted(edge) != edge->told)
				send_attached(hub, &edge->id,
					      &hub->config.cluster,
					      HC_VERDICT_OK);
		}
	hub->freed = false;
	hub->ops->sites(hub->arg);
}

void hc_hub_config_set(struct hc_hub *hub, const struct hc_hub_config *config,
		       int64_t now_us)
{
	struct hc_hub_config old = hub->config;
	bool other = ctl_id_cmp(&old.cluster, &config->cluster) != 0;
	struct ctl_id gateways[HC_HUB_GATEWAYS_MAX];
	size_t n_gateways = hub->n_gateways;
	struct hub_edge *edge;

	hub->config = *config;
	if (config->report_ms != old.report_ms)
		hub->report_us = now_us + config->report_ms * MS_US;
	if (other) {
		/* Our edges are of the other cluster. */
		while ((edge = hub_edges_first(&hub->edges))) {
			struct ctl_id id = edge->id;

			edge_free(hub, edge);
			send_attached(hub, &id, &old.cluster,
				      HC_VERDICT_CLUSTER);
		}
		leavings_free(hub);
		hub->ops->sites(hub->arg);
	}
	/* The next hop of the edges' routes. */
	if (!hc_addresses_same(&config->tunnel, &old.tunnel))
		frr_each (hub_edges, &hub->edges, edge)
			send_attached(hub, &edge->id, &config->cluster,
				      HC_VERDICT_OK);
	/* A session that ends leaves the list. */
	memcpy(gateways, hub->gateways, sizeof(gateways));
	for (size_t i = 0; i < n_gateways; i++) {
		if (other)
			hub->ops->renew(hub->arg, &gateways[i]);
		else
			send_hub(hub, &gateways[i]);
	}
	if (!other &&
	    (config->drain != old.drain || config->capacity != old.capacity))
		trigger(hub, now_us);
}

static int64_t next_us(const struct hc_hub *hub)
{
	int64_t next_us = hub->report_us;

	if (hub->trigger_us)
		next_us = cluster_sooner(next_us, hub->trigger_us);
	return cluster_sooner(next_us, hub->leaving_us);
}

int64_t hc_hub_run(struct hc_hub *hub, int64_t now_us)
{
	int64_t interval_us = hub->config.report_ms * MS_US;
	bool due = false;

	if (hub->trigger_us && hub->trigger_us <= now_us) {
		hub->trigger_us = 0;
		hub->triggered_us = now_us;
		hub->triggered++;
		due = true;
	}
	if (hub->report_us <= now_us) {
		/* In step, but not several at once after a standstill. */
		hub->report_us += interval_us;
		if (hub->report_us <= now_us)
			hub->report_us = now_us + interval_us;
		due = true;
	}
	if (due)
		report(hub);
	leaving_run(hub, now_us);
	return next_us(hub);
}

/* -- edges -- */

/* Somebody else's end of a tunnel: traffic of that edge would go astray. */
static bool tunnel_taken(struct hc_hub *hub, const struct ctl_id *from,
			 const struct hc_addresses *tunnel)
{
	for (int i = 0; i < tunnel->n; i++) {
		struct hub_end ref = { .addr = tunnel->list[i] }, *end;

		end = hub_ends_find(&hub->ends, &ref);
		if (end && ctl_id_cmp(&end->edge->id, from))
			return true;
	}
	return false;
}

static enum hc_verdict attach_verdict(struct hc_hub *hub,
				      const struct ctl_id *from,
				      const struct hc_msg_attach *msg)
{
	if (ctl_id_cmp(&msg->cluster, &hub->config.cluster))
		return HC_VERDICT_CLUSTER;
	if (tunnel_taken(hub, from, &msg->tunnel))
		return HC_VERDICT_ADDRESS;
	if (!edge_find(hub, from) &&
	    hub_edges_count(&hub->edges) == HC_HUB_EDGES_MAX)
		return HC_VERDICT_FULL;
	return HC_VERDICT_OK;
}

static void detach(struct hc_hub *hub, struct hub_edge *edge)
{
	edge_free(hub, edge);
	sites_again(hub, false);
}

static void attach(struct hc_hub *hub, const struct ctl_id *from,
		   const struct hc_msg_attach *msg, int64_t now_us)
{
	enum hc_verdict verdict = attach_verdict(hub, from, msg);
	struct hub_edge *edge = edge_find(hub, from);

	if (verdict != HC_VERDICT_OK) {
		hub->refused++;
		send_attached(hub, from, &msg->cluster, verdict);
		/* To the edge that is the end of it. */
		if (edge)
			detach(hub, edge);
		return;
	}
	if (!edge) {
		edge = XCALLOC(MTYPE_HC_ATTACHED, sizeof(*edge));
		edge->id = *from;
		edge->since_us = now_us;
		hub_edges_add(&hub->edges, edge);
	}
	sites_leave(hub, edge);
	ends_leave(hub, edge);
	hub->n_guarded -= is_guarded(edge);
	edge->msg = *msg;
	hub->n_guarded += is_guarded(edge);
	edge->stale = false;
	ends_enter(hub, edge);
	leaving_yield(hub, &msg->tunnel);
	/* Its own first: what it keeps isn't given to who waited for it. */
	sites_enter(hub, edge);
	send_attached(hub, from, &msg->cluster, HC_VERDICT_OK);
	sites_again(hub, false);
}

/* It has another hub, and its tunnel to us for a moment. */
static void leaves(struct hc_hub *hub, struct hub_edge *edge, int64_t now_us)
{
	leaving_begin(hub, edge, now_us);
	detach(hub, edge);
}

void hc_hub_receive(struct hc_hub *hub, const struct ctl_id *from,
		    const struct hc_msg *msg, int64_t now_us)
{
	struct hub_edge *edge = edge_find(hub, from);

	if (msg->type == HC_ITEM_ATTACH)
		attach(hub, from, &msg->attach, now_us);
	if (msg->type != HC_ITEM_DETACH || !edge ||
	    ctl_id_cmp(&msg->detach, &hub->config.cluster))
		return;
	leaves(hub, edge, now_us);
}

void hc_hub_sync(struct hc_hub *hub, const struct ctl_id *peer, bool begin,
		 int64_t now_us)
{
	struct hub_edge *edge = edge_find(hub, peer);

	if (!edge)
		return;
	if (begin)
		edge->stale = true;
	else if (edge->stale)
		leaves(hub, edge, now_us);
}

void hc_hub_accept_changed(struct hc_hub *hub)
{
	struct hub_edge *edge;

	frr_each (hub_edges, &hub->edges, edge)
		for (int i = 0; i < edge->msg.n_prefixes; i++) {
			struct hub_site *site = &edge->sites[i];

			if (!site->edge ||
			    hub->ops->accept(hub->arg, &site->prefix))
				continue;
			site_del(hub, site);
			edge->verdicts[i] = HC_SITE_DENIED;
		}
	sites_again(hub, true);
}

void hc_hub_down(struct hc_hub *hub, const struct ctl_id *peer, uint8_t roles)
{
	struct hub_edge *edge = edge_find(hub, peer);
	size_t i = gateway_find(hub, peer);

	if (i < hub->n_gateways && roles & HC_ROLE_GATEWAY)
		hub->gateways[i] = hub->gateways[--hub->n_gateways];
	if (edge && roles & HC_ROLE_EDGE)
		detach(hub, edge);
}

void hc_hub_full_state(struct hc_hub *hub, const struct ctl_id *peer)
{
	if (gateway_find(hub, peer) < hub->n_gateways) {
		send_hub(hub, peer);
		report_to(hub, peer);
	}
	if (edge_find(hub, peer))
		send_attached(hub, peer, &hub->config.cluster, HC_VERDICT_OK);
}
