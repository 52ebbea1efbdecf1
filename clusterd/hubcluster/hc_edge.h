/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An edge of a hub cluster: asks the gateways for its hub, attaches to it, and
 * moves its routes (pure: messages, tunnels and routes go out through ops).
 *
 * It asks every gateway that it has a session with.  Without a hub it takes
 * anybody's answer; with one it follows only the gateway that it prefers among
 * those.  What the others say is remembered: when the preferred one dies, the
 * next one's word counts.  So that this isn't an old word, a gateway is asked
 * again, with the hub that the edge has, after the preferred one has moved it.
 *
 * Make before break: the old hub is left when the new one has accepted the
 * edge and the routes point to it.
 *
 * When it loses its hub it goes at once to the standby, which the preferred
 * gateway has named for that, and asks meanwhile; so neither the way to the
 * gateway and back nor the gateway's own noticing adds to the outage.  It is
 * attached to it even before, when the hub's silence gets long
 * (hc_edge_guard.c).  Without any gateway, or with such only as know of no hub, it
 * keeps its hub, and if it loses that it tries the standby and then the last one
 * again (hc_edge_alone.c).
 *
 * The states, and what an event does:
 *	idle	   no hub; asks
 *	connecting no hub; on its way to one
 *	attached   has a hub
 *	moving	   has a hub; on its way to another one
 *
 * Spec: hub-cluster.md.
 */
#ifndef HC_EDGE_H
#define HC_EDGE_H

#include "hubcluster/hc_codec.h"
#include "hubcluster/hc_decide.h"
#include "hubcluster/hc_unreachable.h"

struct hc_edge;

#define HC_EDGE_GATEWAYS_MAX  16
#define HC_PREFERENCE_DEFAULT 255 /* of a gateway that isn't listed */
/*
 * It stays attached to its standby so long after its hub was silent: where
 * packets get lost again and again, routes must not come and go with them.
 */
#define HC_EDGE_GUARD_US INT64_C(60000000)

enum hc_edge_state {
	HC_EDGE_IDLE,
	HC_EDGE_CONNECTING,
	HC_EDGE_ATTACHED,
	HC_EDGE_MOVING,
	HC_EDGE_STATES,
};
extern const char *hc_edge_state_str(enum hc_edge_state state);

struct hc_edge_config {
	struct ctl_id cluster;
	bool preestablish;   /* tunnels to all hubs: it wants to know them */
	bool sticky;	     /* the preferred gateway dies: ask the next one */
	uint32_t retry_ms;   /* between questions while there is no hub */
	uint32_t connect_ms; /* a hub that hasn't accepted is given up */
	uint32_t unreachable_ms; /* a hub that failed is named so long */
	struct hc_addresses tunnel;
	uint8_t n_prefixes;
	struct hc_prefix prefixes[HC_PREFIXES_MAX];
	uint8_t n_gateways;
	struct {
		struct ctl_id id;
		uint8_t preference; /* 1..255; a smaller one is better */
	} gateways[HC_EDGE_GATEWAYS_MAX];
};
extern void hc_edge_config_default(struct hc_edge_config *config);

/* A hub, as a gateway told it. */
struct hc_where {
	struct ctl_id hub; /* null: none */
	uint16_t port;
	struct hc_addresses addresses;
	struct ctl_id gateway; /* who said so; null: nobody */
	enum hc_why why;
	int64_t since_us;
};

enum hc_edge_event_type {
	HC_EDGE_MOVED,	 /* hub (from: null: it had none), why */
	HC_EDGE_LOST,	 /* hub */
	HC_EDGE_FAILED,	 /* hub: didn't accept us in time, or refused */
	HC_EDGE_NO_HUB,	 /* why */
	HC_EDGE_IGNORED, /* hub: a move by a gateway that isn't preferred */
};

struct hc_edge_event {
	enum hc_edge_event_type type;
	struct ctl_id hub, from, gateway;
	enum hc_why why;
};

struct hc_edge_ops {
	bool (*send)(void *arg, const struct ctl_id *to,
		     const struct hc_msg *msg);
	/*
	 * A tunnel and a session are wanted; hc_edge_hub_up() when they are
	 * there, also if they already were.  Again for the same hub: its
	 * addresses may have changed.
	 */
	void (*connect)(void *arg, const struct hc_where *hub);
	void (*disconnect)(void *arg, const struct ctl_id *hub);
	/*
	 * Where a hub is now, be it ours, on our way, or one that a tunnel may
	 * be kept to; no address: it is gone.
	 */
	void (*place)(void *arg, const struct hc_where *hub);
	/* All hubs are named now; they were: one that wasn't is gone. */
	void (*places)(void *arg, bool begin);
	/*
	 * When a hub's silence will be so long that it may be dead, as far as it
	 * was heard up to now; INT64_MAX: there is no session with it.
	 */
	int64_t (*quiet_at)(void *arg, const struct ctl_id *hub);
	/* Routes via the hub's ends of the tunnel; NULL: none. */
	void (*routes)(void *arg, const struct hc_addresses *via);
	void (*event)(void *arg, const struct hc_edge_event *event);
};

extern struct hc_edge *hc_edge_new(const struct hc_edge_ops *ops, void *arg,
				   const struct hc_edge_config *config,
				   int64_t now_us);
/* Leaves its hub in good order. */
extern void hc_edge_free(struct hc_edge **edge);
/* Not the cluster: that is another edge. */
extern void hc_edge_config_set(struct hc_edge *edge,
			       const struct hc_edge_config *config,
			       int64_t now_us);

extern void hc_edge_gateway_up(struct hc_edge *edge,
			       const struct ctl_id *gateway, int64_t now_us);
/* There is a session with the hub that was connected to. */
extern void hc_edge_hub_up(struct hc_edge *edge, const struct ctl_id *hub,
			   int64_t now_us);
/* A gateway's or a hub's message; others are ignored. */
extern void hc_edge_receive(struct hc_edge *edge, const struct ctl_id *from,
			    const struct hc_msg *msg, int64_t now_us);
/* A node doesn't play these roles any more, HC_ROLES: its session has ended. */
extern void hc_edge_down(struct hc_edge *edge, const struct ctl_id *peer,
			 uint8_t roles, int64_t now_us);
extern void hc_edge_full_state(struct hc_edge *edge, const struct ctl_id *peer);
/*
 * Its full state begins, or has ended: what a gateway doesn't say again isn't
 * so any more.  A hub that has us no more refuses what ours says to its.
 */
extern void hc_edge_sync(struct hc_edge *edge, const struct ctl_id *peer,
			 bool begin, int64_t now_us);
/* Does what is due; returns when to be called again. */
extern int64_t hc_edge_run(struct hc_edge *edge, int64_t now_us);

struct hc_edge_gateway_view {
	struct ctl_id id;
	uint8_t preference;
	bool preferred, answered;
	struct ctl_id told; /* its last word; null: no hub */
	enum hc_why why;
};

struct hc_edge_self_view {
	enum hc_edge_state state;
	struct hc_where current, target;
	struct hc_where standby; /* for when it loses its hub */
	bool guarded;		 /* a standby carries its sites already */
	struct ctl_id unreachable[HC_UNREACHABLE_MAX]; /* as named to gateways */
	size_t n_unreachable;
	enum hc_why no_hub;	 /* the last word of who had none */
	uint8_t accepted;	 /* prefixes, by the current hub */
	struct hc_addresses via; /* the current hub's ends of the tunnel */
	uint64_t moves, losses, failures, ignored, stale;
	size_t n_gateways;
	struct hc_edge_gateway_view gateways[HC_EDGE_GATEWAYS_MAX];
};
extern void hc_edge_self_view(const struct hc_edge *edge,
			      struct hc_edge_self_view *view);

#endif /* HC_EDGE_H */
