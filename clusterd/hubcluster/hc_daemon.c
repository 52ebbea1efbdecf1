// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hub clustering in the daemon: from configuration to what runs.
 *
 *   configuration (hc_config) --> roles: hc_gateway, hc_hub, hc_edge
 *   control protocol --hc_ctl--> hc_node --> roles --> events, routes, dials
 *
 * decide() makes the roles follow the whole configuration after any change;
 * hc_node_run() follows each message, and a timer that it asks for.
 *
 * Spec: hub-cluster.md.
 */
#include "cluster_compat.h"

#include <sys/utsname.h>

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/accept_list.h"
#include "core/cluster_sched.h"
#include "core/cluster_time.h"
#include "core/cluster_zebra.h"
#include "core/ctl_daemon.h"
#include "hubcluster/hc_ctl.h"
#include "hubcluster/hc_mgmt.h"

DEFINE_MTYPE_STATIC(CLUSTERD, HCD_ROUTES, "Hub clustering routes");

static struct hc_ctl *hc;
static struct event *t_soon, *t_due;
static bool changed; /* the configuration */
static bool control_was_on;

struct hc_node *hcd_node(void)
{
	return hc_ctl_node(hc);
}

bool hcd_send(void *arg, const struct ctl_id *to, const struct hc_msg *msg)
{
	return hc_node_send(hcd_node(), to, msg);
}

const char *hcd_node_text(const struct ctl_id *id, char text[HCD_NODE_TEXT_LEN])
{
	char id_text[CTL_ID_TEXT_LEN];
	const char *name = hc_node_peer_name(hcd_node(), id);

	ctl_id_format(id, id_text);
	snprintf(text, HCD_NODE_TEXT_LEN, "%s%s%s%s", name, name[0] ? " (" : "",
		 id_text, name[0] ? ")" : "");
	return text;
}

void hcd_log_part(const char *what, const char *name, const char *before,
		  const char *why)
{
	if (!strcmp(before, why))
		return;
	if (why[0])
		zlog_notice("%s%s%s: doesn't run: %s", what, name[0] ? " " : "",
			    name, why);
	else
		zlog_notice("%s%s%s: runs", what, name[0] ? " " : "", name);
}

/* -- when the node decides -- */

static void run(struct event *event)
{
	int64_t now_us = cluster_now_us(), at_us, wait_us;
	struct timeval tv = {};

	cluster_event_off(t_due);
	at_us = hcd_measure_routes(now_us);
	at_us = cluster_sooner(at_us, hcd_tunnel_run(now_us));
	at_us = cluster_sooner(at_us, hc_node_run(hcd_node(), now_us));
	if (at_us == INT64_MAX)
		return;
	wait_us = at_us - now_us;
	if (wait_us > 0) {
		tv.tv_sec = wait_us / 1000000;
		tv.tv_usec = wait_us % 1000000;
	}
	event_add_timer_tv(cluster_master, run, NULL, &tv, &t_due);
}

void hcd_run_soon(void)
{
	event_add_event(cluster_master, run, NULL, 0, &t_soon);
}

static struct ctl *op_ctl(void *arg)
{
	return control_ctl();
}

static int64_t op_now(void *arg)
{
	return cluster_now_us();
}

static void op_changed(void *arg)
{
	hcd_run_soon();
}

static const struct hc_ctl_ops ctl_ops = {
	.ctl = op_ctl,
	.now = op_now,
	.changed = op_changed,
};

void hcd_renew(const struct ctl_id *peer)
{
	hc_ctl_renew(hc, peer);
}

int64_t hcd_quiet_at(const struct ctl_id *peer)
{
	return hc_ctl_quiet_at(hc, peer);
}

void hcd_roles_tell(void)
{
	hc_node_roles(hcd_node(), hcd_gateway(), hcd_hub_running(),
		      hcd_edge_running(), cluster_now_us());
	hcd_run_soon();
}

/* -- routes -- */

void hcd_routes_begin(struct hcd_routes *routes, size_t n_max)
{
	if (n_max > routes->n_max) {
		routes->routes = XREALLOC(MTYPE_HCD_ROUTES, routes->routes,
					  n_max * sizeof(*routes->routes));
		routes->nexthops = XREALLOC(MTYPE_HCD_ROUTES, routes->nexthops,
					    n_max * sizeof(*routes->nexthops));
		routes->n_max = n_max;
	}
	routes->n = 0;
}

void hcd_routes_put(struct hcd_routes *routes, const char *vrf,
		    const struct hc_prefix *prefix,
		    const struct ipaddr *nexthop, const struct hcd_route *with)
{
	struct cluster_route *route = &routes->routes[routes->n];
	struct cluster_nexthop *hop = &routes->nexthops[routes->n];

	assert(routes->n < routes->n_max);
	*hop = (struct cluster_nexthop){ .gate = *nexthop, .weight = 1 };
	*route = (struct cluster_route){ .tag = with->tag,
					 .metric = with->metric,
					 .distance = with->distance,
					 .n_nexthops = 1,
					 .nexthops = hop };
	cluster_route_prefix(&route->key, vrf, &prefix->addr, prefix->len);
	routes->n++;
}

static int route_order(const void *a, const void *b)
{
	const struct cluster_route *x = a, *y = b;

	return cluster_route_key_cmp(&x->key, &y->key);
}

static int addr_order(const void *a, const void *b)
{
	return ipaddr_cmp(a, b);
}

static void unwatch(struct hcd_routes *routes)
{
	for (size_t i = 0; i < routes->n_watched; i++)
		cluster_zebra_nexthop_put(routes->vrf, &routes->watched[i]);
	XFREE(MTYPE_HCD_ROUTES, routes->watched);
	routes->n_watched = 0;
}

/* The new ones first: what stays isn't let go of. */
static void watch(struct hcd_routes *routes, const char *vrf)
{
	struct hcd_routes old = *routes;
	struct ipaddr *list;
	size_t n = 0;

	list = XCALLOC(MTYPE_HCD_ROUTES, (routes->n + 1) * sizeof(*list));
	for (size_t i = 0; i < routes->n; i++)
		list[i] = routes->nexthops[i].gate;
	qsort(list, routes->n, sizeof(*list), addr_order);
	for (size_t i = 0; i < routes->n; i++) {
		if (n && !ipaddr_cmp(&list[n - 1], &list[i]))
			continue;
		list[n++] = list[i];
		cluster_zebra_nexthop_get(vrf, &list[n - 1]);
	}
	unwatch(&old);
	strlcpy(routes->vrf, vrf, sizeof(routes->vrf));
	routes->watched = list;
	routes->n_watched = n;
}

void hcd_routes_end(struct hcd_routes *routes, const char *vrf)
{
	watch(routes, vrf);
	if (routes->n)
		qsort(routes->routes, routes->n, sizeof(*routes->routes),
		      route_order);
}

void hcd_routes_apply(const struct hcd_routes *routes)
{
	cluster_zebra_routes_set(routes->owner, routes->routes, routes->n);
}

void hcd_routes_free(struct hcd_routes *routes)
{
	routes->n = 0;
	hcd_routes_apply(routes);
	unwatch(routes);
	XFREE(MTYPE_HCD_ROUTES, routes->routes);
	XFREE(MTYPE_HCD_ROUTES, routes->nexthops);
	routes->n_max = 0;
}

enum cluster_route_status hcd_routes_status(const struct hcd_routes *routes,
					    const char *vrf,
					    const struct hc_prefix *prefix,
					    int64_t *since_us)
{
	struct cluster_route_key key;

	cluster_route_prefix(&key, vrf, &prefix->addr, prefix->len);
	return cluster_zebra_route_status(routes->owner, &key, since_us);
}

/* -- decisions -- */

void hcd_changed(void)
{
	changed = true;
	cluster_sched_decide();
}

static void decide(int64_t now_us)
{
	bool control = control_ctl() != NULL;

	if (changed || control != control_was_on || hcd_edge_stale()) {
		changed = false;
		control_was_on = control;
		hcd_gateway_follow(control, now_us);
		hcd_hub_follow(control, now_us);
		hcd_edge_follow(control, now_us);
		hcd_run_soon();
	}
	hcd_hub_decide(now_us);
	hcd_edge_decide(now_us);
}

static const struct cluster_capability capability = {
	.name = "hub clustering",
	.decide = decide,
};

void hcd_counts(struct hcd_counts *counts)
{
	struct hc_edge_self_view edge;
	struct hc_cluster_view view;
	bool more;

	memset(counts, 0, sizeof(*counts));
	counts->clusters = hcd_clusters_count(&hcd_clusters);
	for (more = hcd_gateway() &&
		    hc_gateway_cluster_next(hcd_gateway(), NULL, &view);
	     more; more = hc_gateway_cluster_next(hcd_gateway(),
						  &view.config.id, &view)) {
		counts->clusters_running++;
		counts->hubs += view.hubs;
		counts->edges += view.edges;
		counts->moves += view.moves;
		counts->bulks += view.bulks;
	}
	counts->hub = hcd_hub() != NULL;
	counts->hub_running = hcd_hub_running() != NULL;
	if (hcd_hub_running())
		counts->attached = hc_hub_edges(hcd_hub_running());
	counts->edge = hcd_edge() != NULL;
	counts->edge_running = hcd_edge_running() != NULL;
	if (!hcd_edge_running())
		return;
	hc_edge_self_view(hcd_edge_running(), &edge);
	counts->edge_state = edge.state;
}

void hcd_init(void)
{
	struct utsname uts = {};

	uname(&uts);
	hc = hc_ctl_new(&ctl_ops, NULL, uts.nodename);
	control_register(hc_ctl_capability(hc));
	accept_list_watch(hcd_hub_accept_changed);
	cluster_sched_register(&capability);
	hcd_metrics_init();
	hcd_cli_init();
	hcd_show_init();
	hcd_notify_init();
}

void hcd_stop(void)
{
	hcd_edge_stop();
	hcd_tunnel_stop();
	hcd_hub_stop();
	hcd_gateway_stop();
}

void hcd_fini(void)
{
	cluster_event_off(t_soon);
	cluster_event_off(t_due);
	hc_ctl_free(&hc);
	hcd_config_fini();
}
