/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub clustering as a capability of the control protocol (pure): sessions and
 * items of the one are what the other's node is told, and what it says goes
 * out as items.
 */
#ifndef HC_CTL_H
#define HC_CTL_H

#include "core/ctl_core.h"
#include "hubcluster/hc_node.h"

struct hc_ctl;

struct hc_ctl_ops {
	struct ctl *(*ctl)(void *arg); /* NULL: the protocol is off */
	int64_t (*now)(void *arg);     /* monotonic, µs */
	/* Something has come: hc_node_run() soon. */
	void (*changed)(void *arg);
};

extern struct hc_ctl *hc_ctl_new(const struct hc_ctl_ops *ops, void *arg,
				 const char *name);
extern void hc_ctl_free(struct hc_ctl **hc);
/* To be registered; lives as long as `hc`. */
extern const struct ctl_capability *hc_ctl_capability(const struct hc_ctl *hc);
extern struct hc_node *hc_ctl_node(struct hc_ctl *hc);
/* Ends the session with a peer; who dialled it dials again. */
extern void hc_ctl_renew(struct hc_ctl *hc, const struct ctl_id *peer);

/*
 * When the silence of a node will be so long that it may be dead: two thirds of
 * the dead interval, and two lost keepalives.  INT64_MAX: there is no session
 * with it.
 */
extern int64_t hc_ctl_quiet_at(struct hc_ctl *hc, const struct ctl_id *peer);

#endif /* HC_CTL_H */
