// SPDX-License-Identifier: GPL-2.0-or-later
/* The edge that this node is: its routes via the hub, what is said of moves. */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/ctl_daemon.h"
#include "hubcluster/hc_daemon_private.h"

static struct hc_edge *edge;
static struct ctl_id edge_cluster; /* that it is an edge of */
static struct hcd_routes routes = { .owner = CLUSTER_OWNER_EDGE };
static struct hc_addresses via; /* none: no routes */
static bool routes_changed;
static bool judged_listens; /* the control protocol, in `tunnel vrf` */
static void (*on_event)(const struct hc_edge_event *event);

struct hc_edge *hcd_edge_running(void)
{
	return edge;
}

bool hcd_edge_stale(void)
{
	const struct hcd_edge *config = hcd_edge();

	return config && judged_listens != control_listens(config->tunnel_vrf);
}

bool hcd_hub_connected(const struct ctl_id *hub)
{
	return hc_node_peer_roles(hcd_node(), hub) & HC_ROLE_HUB;
}

void hcd_on_edge_event(void (*fn)(const struct hc_edge_event *event))
{
	on_event = fn;
}

/* -- routes -- */

static void routes_build(const struct hcd_edge *config)
{
	routes_changed = false;
	hcd_routes_begin(&routes, config->n_routes);
	for (size_t i = 0; i < config->n_routes; i++) {
		const struct hc_prefix *prefix = &config->routes[i];
		const struct ipaddr *hop = hc_address_like(&via, &prefix->addr);

		if (hop)
			hcd_routes_put(&routes, config->vrf, prefix, hop,
				       &config->route);
	}
	hcd_routes_end(&routes, config->vrf);
}

void hcd_edge_decide(int64_t now_us)
{
	const struct hcd_edge *config = hcd_edge();

	if (!edge || !config)
		return;
	if (routes_changed)
		routes_build(config);
	hcd_routes_apply(&routes);
}

enum cluster_route_status hcd_edge_route_status(const struct hc_prefix *prefix,
						int64_t *since_us)
{
	if (!hcd_edge())
		return CLUSTER_ROUTE_UNWANTED;
	return hcd_routes_status(&routes, hcd_edge()->vrf, prefix, since_us);
}

/* -- ops -- */

/* At once: what comes next lets the old tunnel go. */
static void op_routes(void *arg, const struct hc_addresses *hops)
{
	memset(&via, 0, sizeof(via));
	if (hops)
		via = *hops;
	routes_changed = true;
	if (cluster_sched_held())
		cluster_sched_decide();
	else
		hcd_edge_decide(cluster_now_us());
}

static void op_connect(void *arg, const struct hc_where *hub)
{
	hcd_tunnel_connect(hub);
}

static void op_place(void *arg, const struct hc_where *hub)
{
	hcd_tunnel_place(hub);
}

static void op_places(void *arg, bool begin)
{
	hcd_tunnel_places(begin);
}

static void op_disconnect(void *arg, const struct ctl_id *hub)
{
	hcd_tunnel_disconnect(hub);
}

static int64_t op_quiet_at(void *arg, const struct ctl_id *hub)
{
	return hcd_quiet_at(hub);
}

static const struct {
	const char *before, *after;
} changes[] = {
	[HC_EDGE_MOVED] = { "at a hub", "at another hub" },
	[HC_EDGE_LOST] = { "attached", "hub lost" },
	[HC_EDGE_FAILED] = { "connecting", "hub failed" },
	[HC_EDGE_NO_HUB] = { "idle", "no hub" },
	[HC_EDGE_IGNORED] = { "attached", "move ignored" },
};

static void event_text(const struct hc_edge_event *event, char *buf, size_t len)
{
	char gateway[HCD_NODE_TEXT_LEN], hub[HCD_NODE_TEXT_LEN];
	char from[HCD_NODE_TEXT_LEN];

	hcd_node_text(&event->gateway, gateway);
	hcd_node_text(&event->hub, hub);
	hcd_node_text(&event->from, from);
	switch (event->type) {
	case HC_EDGE_MOVED:
		snprintf(buf, len, "%s%s%s, %s%s: %s", hub,
			 ctl_id_is_null(&event->from) ? "" : ", from ",
			 ctl_id_is_null(&event->from) ? "" : from,
			 ctl_id_is_null(&event->gateway) ? "by itself"
							 : "told by ",
			 ctl_id_is_null(&event->gateway) ? "" : gateway,
			 hc_why_text(event->why));
		break;
	case HC_EDGE_LOST:
		snprintf(buf, len,
			 "%s: its session has ended, or it doesn't take us any more",
			 hub);
		break;
	case HC_EDGE_FAILED:
		snprintf(buf, len,
			 "%s: it didn't accept us in time, or refused%s%s", hub,
			 hcd_tunnel_why()[0] ? ": " : "", hcd_tunnel_why());
		break;
	case HC_EDGE_NO_HUB:
		snprintf(buf, len, "says %s: %s", gateway,
			 hc_why_text(event->why));
		break;
	case HC_EDGE_IGNORED:
		snprintf(buf, len, "to %s, by %s, which isn't preferred: %s",
			 hub, gateway, hc_why_text(event->why));
		break;
	}
}

static void op_event(void *arg, const struct hc_edge_event *event)
{
	bool first = event->type == HC_EDGE_MOVED &&
		     ctl_id_is_null(&event->from);
	const char *after = first ? "attached" : changes[event->type].after;
	char why[HCD_EVENT_LEN];

	event_text(event, why, sizeof(why));
	if (event->type == HC_EDGE_IGNORED)
		zlog_info("edge: %s: %s", after, why);
	else
		zlog_notice("edge: %s: %s", after, why);
	cluster_event(&(struct event_change){
		.kind = EVENT_EDGE,
		.name = "edge",
		.before = first ? "without a hub" : changes[event->type].before,
		.after = after,
		.why = why,
	});
	if (on_event)
		on_event(event);
}

static const struct hc_edge_ops edge_ops = {
	.send = hcd_send,
	.connect = op_connect,
	.disconnect = op_disconnect,
	.place = op_place,
	.places = op_places,
	.quiet_at = op_quiet_at,
	.routes = op_routes,
	.event = op_event,
};

/* -- what runs -- */

void hcd_edge_follow(bool control, int64_t now_us)
{
	struct hcd_edge *config = hcd_edge();
	char before[HCD_WHY_LEN];

	if (config) {
		strlcpy(before, config->why, sizeof(before));
		judged_listens = control_listens(config->tunnel_vrf);
		hcd_edge_judge(config, control, judged_listens);
		hcd_log_part("edge", "", before, config->why);
	}
	/* Of another cluster it is another edge. */
	if (!config || config->why[0] ||
	    (edge && ctl_id_cmp(&edge_cluster, &config->config.cluster)))
		hcd_edge_stop();
	if (!config || config->why[0])
		return;
	hcd_tunnel_follow(config);
	routes_changed = true;
	if (edge) {
		hc_edge_config_set(edge, &config->config, now_us);
		return;
	}
	edge_cluster = config->config.cluster;
	edge = hc_edge_new(&edge_ops, NULL, &config->config, now_us);
	hcd_roles_tell();
}

void hcd_edge_stop(void)
{
	struct hc_edge *old = edge;

	if (!old)
		return;
	edge = NULL;
	/* Before the node forgets it: its hub is told. */
	hc_edge_free(&old);
	hcd_roles_tell();
	hcd_tunnel_follow(NULL);
	hcd_routes_free(&routes);
}
