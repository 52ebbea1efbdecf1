/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of hub clustering's runtime share.
 *
 *	hc_daemon.c		the node, when it decides, logs of who is who
 *	hc_daemon_gateway.c	clusters, their events
 *	hc_daemon_hub.c		the hub, routes of its sites
 *	hc_daemon_measure.c	what a hub knows of itself
 *	hc_daemon_edge.c	the edge, its routes
 *	hc_daemon_tunnel.c	its tunnels and sessions to hubs
 */
#ifndef HC_DAEMON_PRIVATE_H
#define HC_DAEMON_PRIVATE_H

#include "hubcluster/hc_daemon.h"

struct cluster_route;

/* -- hc_daemon.c -- */

/* hc_node_run(), when the event loop has taken in what is there. */
extern void hcd_run_soon(void);
/* The node is told which parts there are now. */
extern void hcd_roles_tell(void);
/* The session with a peer is made anew. */
extern void hcd_renew(const struct ctl_id *peer);
/* When its silence will be long, hc_ctl_quiet_at(). */
extern int64_t hcd_quiet_at(const struct ctl_id *peer);
/* What roles' ops->send are. */
extern bool hcd_send(void *arg, const struct ctl_id *to,
		     const struct hc_msg *msg);
/* "name (ID)", or the ID alone. */
#define HCD_NODE_TEXT_LEN (HC_TEXT_LEN + CTL_ID_TEXT_LEN + 4)
/* The text of an event with some of them; the record cuts it. */
#define HCD_EVENT_LEN 640
extern const char *hcd_node_text(const struct ctl_id *id,
				 char text[HCD_NODE_TEXT_LEN]);
/* Logs that a part runs, or why it doesn't, if that has changed. */
extern void hcd_log_part(const char *what, const char *name, const char *before,
			 const char *why);

/*
 * Routes that an owner wants, by one next hop each: kept, and given to zebra in
 * each decision.
 */
struct hcd_routes {
	enum cluster_route_owner owner;
	size_t n, n_max;
	struct cluster_route *routes;
	struct cluster_nexthop *nexthops;
	/* Next hops that are watched, in order. */
	char vrf[CLUSTER_VRF_LEN];
	size_t n_watched;
	struct ipaddr *watched;
};
/* Room for `n_max`; none yet. */
extern void hcd_routes_begin(struct hcd_routes *routes, size_t n_max);
extern void hcd_routes_put(struct hcd_routes *routes, const char *vrf,
			   const struct hc_prefix *prefix,
			   const struct ipaddr *nexthop,
			   const struct hcd_route *with);
extern void hcd_routes_end(struct hcd_routes *routes, const char *vrf);
extern void hcd_routes_apply(const struct hcd_routes *routes);
/* Withdraws them, too. */
extern void hcd_routes_free(struct hcd_routes *routes);
extern enum cluster_route_status
hcd_routes_status(const struct hcd_routes *routes, const char *vrf,
		  const struct hc_prefix *prefix, int64_t *since_us);

/* -- parts: follow the configuration; decide: each time; stop: at the end -- */

extern void hcd_gateway_follow(bool control, int64_t now_us);
extern void hcd_gateway_stop(void);

extern void hcd_hub_follow(bool control, int64_t now_us);
extern void hcd_hub_decide(int64_t now_us);
extern void hcd_hub_stop(void);
extern void hcd_hub_accept_changed(void);

/* Of the hub that runs; hcd_measure_follow(NULL): none does any more. */
extern void hcd_measure_follow(const struct hcd_hub *hub);
extern void hcd_measure_load(struct hc_load *load, int64_t now_us);
/* Tells the hub the number of routes; when to be called again. */
extern int64_t hcd_measure_routes(int64_t now_us);

extern void hcd_edge_follow(bool control, int64_t now_us);
/* The control protocol listens elsewhere than when that was looked at. */
extern bool hcd_edge_stale(void);
extern void hcd_edge_decide(int64_t now_us);
extern void hcd_edge_stop(void);

/* A hub is wanted, or no more.  Again for the same: it may be elsewhere. */
extern void hcd_tunnel_connect(const struct hc_where *hub);
extern void hcd_tunnel_disconnect(const struct ctl_id *hub);
/* Where a hub is that may be wanted later; no address: it is gone. */
extern void hcd_tunnel_place(const struct hc_where *hub);
extern void hcd_tunnel_places(bool begin);
/* The configuration has changed; NULL: there is no edge any more. */
extern void hcd_tunnel_follow(const struct hcd_edge *edge);
extern int64_t hcd_tunnel_run(int64_t now_us);
extern void hcd_tunnel_stop(void);

extern void hcd_metrics_init(void);

#endif /* HC_DAEMON_PRIVATE_H */
