/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's part in hub clustering: which roles it plays, which its peers play,
 * and which message is whose (pure: sessions are the owner's).
 *
 * The owner makes the roles, tells them here, and calls in for all that
 * happens to sessions.  Peers tell their roles first; only then a hub or an
 * edge speaks to a gateway, and an edge to a hub.
 */
#ifndef HC_NODE_H
#define HC_NODE_H

#include "hubcluster/hc_edge.h"
#include "hubcluster/hc_gateway.h"
#include "hubcluster/hc_hub.h"

struct hc_node;

struct hc_node_ops {
	/* False if there is no session or no room (full state follows). */
	bool (*send)(void *arg, const struct ctl_id *to, uint16_t type,
		     const void *data, size_t len);
};

extern struct hc_node *hc_node_new(const struct hc_node_ops *ops, void *arg,
				   const char *name);
/* Doesn't free the roles. */
extern void hc_node_free(struct hc_node **node);

/*
 * What it is now; each may be NULL.  Peers are told, and the new role is told
 * of the peers; who was told of an old one must free it.
 */
extern void hc_node_roles(struct hc_node *node, struct hc_gateway *gateway,
			  struct hc_hub *hub, struct hc_edge *edge,
			  int64_t now_us);

/* Tells everybody again, so that they say again what we must know. */
extern void hc_node_announce(struct hc_node *node);

/* What the roles' ops call. */
extern bool hc_node_send(struct hc_node *node, const struct ctl_id *to,
			 const struct hc_msg *msg);
/* The edge wants this hub: told by the next hc_node_run() if it is there. */
extern void hc_node_want(struct hc_node *node, const struct ctl_id *hub);

/* Sessions; the peer's pointer of the control protocol isn't needed. */
extern void hc_node_up(struct hc_node *node, const struct ctl_id *peer);
extern void hc_node_down(struct hc_node *node, const struct ctl_id *peer,
			 bool clean, int64_t now_us);
/* False: malformed, or from who didn't tell its roles. */
extern bool hc_node_item(struct hc_node *node, const struct ctl_id *peer,
			 uint16_t type, const uint8_t *data, size_t len,
			 int64_t now_us);
extern void hc_node_full_state(struct hc_node *node, const struct ctl_id *peer);
/*
 * The peer's full state begins, or has ended: what it had said before and hasn't
 * said again isn't so any more.
 */
extern void hc_node_sync(struct hc_node *node, const struct ctl_id *peer,
			 bool begin, int64_t now_us);
/* Decides; returns when to be called again. */
extern int64_t hc_node_run(struct hc_node *node, int64_t now_us);

/* What a peer said of itself; "" and 0 until it did. */
extern const char *hc_node_peer_name(const struct hc_node *node,
				     const struct ctl_id *peer);
extern uint8_t hc_node_peer_roles(const struct hc_node *node,
				  const struct ctl_id *peer);
extern uint64_t hc_node_malformed(const struct hc_node *node);

#endif /* HC_NODE_H */
