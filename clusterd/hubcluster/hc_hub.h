/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hub of a cluster: reports to the gateways, and carries edges (pure:
 * messages leave through ops).
 *
 * Reports go out at once when a gateway comes, then every interval, and at
 * once (but for a short delay in which more may come) when routes are lost or
 * back, or a drain begins or ends.
 *
 * An edge is carried from its attach to its detach or the end of its session.
 * Its prefixes count if the accept list permits them and no other edge has the
 * same; they stay with the edge that had them first.  With them come the
 * routes, via the edge's end of the tunnel.  The owner takes what has changed, a
 * prefix at a time: when thousands of edges come at once, each costs what it
 * brings, and not what all have.
 *
 * Spec: hub-cluster.md.
 */
#ifndef HC_HUB_H
#define HC_HUB_H

#include "hubcluster/hc_codec.h"
#include "hubcluster/hc_decide.h"

struct hc_hub;

#define HC_HUB_EDGES_MAX    16384
#define HC_HUB_GATEWAYS_MAX 16

struct hc_hub_config {
	struct ctl_id cluster;
	uint32_t capacity, asn;
	uint16_t port;
	struct hc_addresses addresses; /* where edges reach us */
	struct hc_addresses tunnel;    /* our ends of the tunnels */
	char model[HC_TEXT_LEN];
	uint32_t report_ms;	  /* interval */
	uint32_t trigger_ms;	  /* delay of a report that doesn't wait */
	uint32_t trigger_hold_ms; /* between such */
	bool drain;
};
extern void hc_hub_config_default(struct hc_hub_config *config);

/* What became of a site's prefix. */
enum hc_site {
	HC_SITE_ACCEPTED,
	HC_SITE_DENIED, /* by the accept list, or there is none */
	HC_SITE_TAKEN,	/* another edge has it */
	HC_SITE_NO_HOP, /* the edge named no tunnel address of its family */
};
extern const char *hc_site_text(enum hc_site site);

struct hc_hub_ops {
	bool (*send)(void *arg, const struct ctl_id *to,
		     const struct hc_msg *msg);
	/* Does the accept list permit it? */
	bool (*accept)(void *arg, const struct hc_prefix *prefix);
	/* Routes have changed: hc_hub_site_changed(). */
	void (*sites)(void *arg);
	/* The load now, for a report; what is unknown says so. */
	void (*load)(void *arg, struct hc_load *load);
	/* The session with a gateway is to be made anew. */
	void (*renew)(void *arg, const struct ctl_id *gateway);
};

extern struct hc_hub *hc_hub_new(const struct hc_hub_ops *ops, void *arg,
				 const struct hc_hub_config *config,
				 int64_t now_us);
extern void hc_hub_free(struct hc_hub **hub);
/* Gateways are told; another cluster: their sessions are made anew. */
extern void hc_hub_config_set(struct hc_hub *hub,
			      const struct hc_hub_config *config,
			      int64_t now_us);
/* The accept list has changed. */
extern void hc_hub_accept_changed(struct hc_hub *hub);

/* The number of learned routes, whenever it changes. */
extern void hc_hub_routes(struct hc_hub *hub, bool known, uint32_t routes,
			  int64_t now_us);

/* The load isn't what the last report said: one out of turn. */
extern void hc_hub_load_changed(struct hc_hub *hub, int64_t now_us);

/* There is a session with a gateway. */
extern void hc_hub_gateway_up(struct hc_hub *hub, const struct ctl_id *gateway,
			      int64_t now_us);
/* An edge's message; others are ignored. */
extern void hc_hub_receive(struct hc_hub *hub, const struct ctl_id *from,
			   const struct hc_msg *msg, int64_t now_us);
/* A node doesn't play these roles any more, HC_ROLES: its session has ended. */
extern void hc_hub_down(struct hc_hub *hub, const struct ctl_id *peer,
			uint8_t roles);
extern void hc_hub_full_state(struct hc_hub *hub, const struct ctl_id *peer);
/* Its full state begins, or has ended: without an attach it has left. */
extern void hc_hub_sync(struct hc_hub *hub, const struct ctl_id *peer,
			bool begin, int64_t now_us);
/* Sends what is due; returns when to be called again. */
extern int64_t hc_hub_run(struct hc_hub *hub, int64_t now_us);

extern size_t hc_hub_edges(const struct hc_hub *hub); /* that are attached */
/* Without those that are attached just in case, and have another hub. */
extern size_t hc_hub_tunnels(const struct hc_hub *hub);

/*
 * The plan: a route each, to be copied.  Those of an edge that has gone to
 * another hub stay as they are until that hub's announcement has come around;
 * then they are leaving: no longer to be announced, but there for what
 * neighbours still send.
 */
#define HC_STAYING_US INT64_C(300000)
#define HC_LEAVING_US INT64_C(1000000)

struct hc_site_route {
	struct hc_prefix prefix;
	struct ipaddr nexthop;
	struct ctl_id edge;
	bool leaving;
};
/*
 * True, once: more has changed than is noted a prefix at a time, and all routes
 * have to be looked at.
 */
#define HC_HUB_CHANGES_MAX 131072
extern bool hc_hub_sites_all_changed(struct hc_hub *hub);
/* A prefix whose route has changed since it was last asked for; false: none. */
extern bool hc_hub_site_changed(struct hc_hub *hub, struct hc_prefix *prefix);
/* The route of a prefix; false: there is none. */
extern bool hc_hub_site(const struct hc_hub *hub, const struct hc_prefix *prefix,
			struct hc_site_route *route);
/* Calls `fn` for each, once a prefix. */
extern void hc_hub_sites(struct hc_hub *hub,
			 void (*fn)(void *arg,
				    const struct hc_site_route *route),
			 void *arg);

struct hc_hub_edge_view {
	struct ctl_id id;
	struct hc_addresses tunnel;
	int64_t since_us;
	uint8_t n_prefixes;
	struct hc_prefix prefixes[HC_PREFIXES_MAX];
	enum hc_site sites[HC_PREFIXES_MAX];
};
extern bool hc_hub_edge_next(struct hc_hub *hub, const struct ctl_id *after,
			     struct hc_hub_edge_view *view);

struct hc_hub_self_view {
	struct hc_hub_config config;
	struct hc_load load; /* of the last report */
	bool routes_known;
	uint32_t routes;
	size_t gateways;
	uint64_t reports, triggered, refused;
};
extern void hc_hub_self_view(const struct hc_hub *hub,
			     struct hc_hub_self_view *view);

#endif /* HC_HUB_H */
