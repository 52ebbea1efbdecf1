/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of an edge share (pure). */
#ifndef HC_EDGE_PRIVATE_H
#define HC_EDGE_PRIVATE_H

#include "hubcluster/hc_edge.h"

struct edge_gateway {
	struct ctl_id id;
	bool preferred; /* as it was told last */
	bool answered;	/* our last question */
	uint32_t token, sequence;
	int64_t asked_us;
	struct hc_msg_assign told; /* if answered */
	/* Since its full state began: */
	bool unsaid; /* what it told */
	bool names;  /* it was preferred then, and all the time */
	bool named;  /* the standby: it knows that it is preferred */
};

struct hc_edge {
	const struct hc_edge_ops *ops;
	void *arg;
	struct hc_edge_config config;
	enum hc_edge_state state;
	struct hc_where current, target, last;
	bool target_up;		 /* there is a session with it */
	bool target_held;	 /* was the guard, and has our sites */
	struct hc_where standby; /* as the preferred gateway named it last */
	struct ctl_id guard;	 /* attached to, just in case; null: none */
	int64_t guard_us;	 /* until then, if its own hub is heard */
	struct ctl_id guard_refused; /* it didn't take it; until then as well */
	struct hc_unreachable unreachable;
	int64_t idle_us; /* tries again by itself */
	enum hc_why no_hub;
	uint8_t accepted;
	struct hc_addresses via;
	uint64_t moves, losses, failures, ignored, stale;
	size_t n_gateways;
	struct edge_gateway gateways[HC_EDGE_GATEWAYS_MAX];
};

/* hc_edge_view.c: that is configured for the gateway, or the default. */
extern uint8_t hc_edge_preference(const struct hc_edge *edge,
				  const struct ctl_id *id);

/* hc_edge.c: false if there is no session with the hub. */
extern bool hc_edge_send_attach(struct hc_edge *edge, const struct ctl_id *hub);
extern void hc_edge_send_detach(struct hc_edge *edge, const struct ctl_id *hub);
/* hc_edge.c: to a hub that is neither ours nor our target. */
extern void hc_edge_go(struct hc_edge *edge, const struct hc_where *where,
		       int64_t now_us);

/* hc_edge_alone.c: a gateway named a hub for the loss of ours. */
extern bool hc_edge_standby_usable(const struct hc_edge *edge);
/* To that one, if there is one. */
extern void hc_edge_standby_go(struct hc_edge *edge, int64_t now_us);
/* Tries by itself what is left; returns when to look again. */
extern int64_t hc_edge_alone_run(struct hc_edge *edge, int64_t now_us);

/* hc_edge_guard.c: looks whether one is needed; returns when to look again. */
extern int64_t hc_guard_run(struct hc_edge *edge, int64_t now_us);
/* It isn't needed any more. */
extern void hc_guard_leave(struct hc_edge *edge);
/* If it is this one: it has become more than that, or is gone. */
extern void hc_guard_forget(struct hc_edge *edge, const struct ctl_id *hub);
/* If it is this one: it doesn't take the edge, and isn't asked for a while. */
extern void hc_guard_refused(struct hc_edge *edge, const struct ctl_id *hub);

#endif /* HC_EDGE_PRIVATE_H */
