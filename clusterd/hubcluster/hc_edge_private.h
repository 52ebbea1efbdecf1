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
};

struct hc_edge {
	const struct hc_edge_ops *ops;
	void *arg;
	struct hc_edge_config config;
	enum hc_edge_state state;
	struct hc_where current, target, last;
	bool target_up;		 /* there is a session with it */
	struct hc_where standby; /* as the preferred gateway named it last */
	struct hc_unreachable unreachable;
	int64_t idle_us; /* tries again by itself */
	enum hc_why no_hub;
	uint8_t accepted;
	struct hc_addresses via;
	uint64_t moves, losses, failures, ignored, stale;
	size_t n_gateways;
	struct edge_gateway gateways[HC_EDGE_GATEWAYS_MAX];
};

/* hc_edge.c: that is configured for the gateway, or the default. */
extern uint8_t hc_edge_preference(const struct hc_edge *edge,
				  const struct ctl_id *id);

#endif /* HC_EDGE_PRIVATE_H */
