// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"
#include "typesafe.h"

#include "core/cluster_time.h"
#include "hubcluster/hc_node.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_NODE, "Hub clustering node");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_PEER, "Hub clustering peer");

PREDECL_RBTREE_UNIQ(node_peers);

struct node_peer {
	struct node_peers_item item;
	struct ctl_id id;
	uint8_t roles; /* that it told */
	char name[HC_TEXT_LEN];
};

static int peer_cmp(const struct node_peer *a, const struct node_peer *b)
{
	return ctl_id_cmp(&a->id, &b->id);
}
DECLARE_RBTREE_UNIQ(node_peers, struct node_peer, item, peer_cmp);

struct hc_node {
	const struct hc_node_ops *ops;
	void *arg;
	char name[HC_TEXT_LEN];
	struct hc_gateway *gateway;
	struct hc_hub *hub;
	struct hc_edge *edge;
	struct ctl_id wanted; /* null: none */
	struct node_peers_head peers;
	uint64_t malformed;
};

struct hc_node *hc_node_new(const struct hc_node_ops *ops, void *arg,
			    const char *name)
{
	struct hc_node *node = XCALLOC(MTYPE_HC_NODE, sizeof(*node));

	node->ops = ops;
	node->arg = arg;
	strlcpy(node->name, name, sizeof(node->name));
	node_peers_init(&node->peers);
	return node;
}

void hc_node_free(struct hc_node **node)
{
	struct node_peer *peer;

	if (!*node)
		return;
	while ((peer = node_peers_pop(&(*node)->peers)))
		XFREE(MTYPE_HC_PEER, peer);
	node_peers_fini(&(*node)->peers);
	XFREE(MTYPE_HC_NODE, *node);
}

static struct node_peer *peer_find(const struct hc_node *node,
				   const struct ctl_id *id)
{
	struct node_peer ref = {};

	ref.id = *id;
	/* The caller's node is as mutable as the caller has it. */
	return (struct node_peer *)node_peers_const_find(&node->peers, &ref);
}

bool hc_node_send(struct hc_node *node, const struct ctl_id *to,
		  const struct hc_msg *msg)
{
	uint8_t buf[CTL_PAYLOAD_MAX];
	size_t len = hc_encode(msg, buf);

	return node->ops->send(node->arg, to, (uint16_t)msg->type, buf, len);
}

static void send_node(struct hc_node *node, const struct ctl_id *to)
{
	struct hc_msg msg = { .type = HC_ITEM_NODE };

	if (node->gateway)
		msg.node.roles |= HC_ROLE_GATEWAY;
	if (node->hub)
		msg.node.roles |= HC_ROLE_HUB;
	if (node->edge)
		msg.node.roles |= HC_ROLE_EDGE;
	strlcpy(msg.node.name, node->name, sizeof(msg.node.name));
	hc_node_send(node, to, &msg);
}

/* The peer plays roles, newly to ours, that ours speaks to. */
static void hub_meets(struct hc_node *node, const struct node_peer *peer,
		      uint8_t roles, int64_t now_us)
{
	if (node->hub && roles & HC_ROLE_GATEWAY)
		hc_hub_gateway_up(node->hub, &peer->id, now_us);
}

static void edge_meets(struct hc_node *node, const struct node_peer *peer,
		       uint8_t roles, int64_t now_us)
{
	if (node->edge && roles & HC_ROLE_GATEWAY)
		hc_edge_gateway_up(node->edge, &peer->id, now_us);
	if (node->edge && roles & HC_ROLE_HUB)
		hc_edge_hub_up(node->edge, &peer->id, now_us);
}

void hc_node_roles(struct hc_node *node, struct hc_gateway *gateway,
		   struct hc_hub *hub, struct hc_edge *edge, int64_t now_us)
{
	bool new_hub = hub && hub != node->hub;
	bool new_edge = edge && edge != node->edge;
	bool same = !gateway == !node->gateway && !hub == !node->hub &&
		    !edge == !node->edge;
	struct node_peer *peer;

	node->gateway = gateway;
	node->hub = hub;
	node->edge = edge;
	frr_each (node_peers, &node->peers, peer) {
		if (!same)
			send_node(node, &peer->id);
		if (new_hub)
			hub_meets(node, peer, peer->roles, now_us);
		if (new_edge)
			edge_meets(node, peer, peer->roles, now_us);
	}
}

void hc_node_announce(struct hc_node *node)
{
	struct node_peer *peer;

	frr_each (node_peers, &node->peers, peer)
		send_node(node, &peer->id);
}

void hc_node_want(struct hc_node *node, const struct ctl_id *hub)
{
	node->wanted = *hub;
}

void hc_node_up(struct hc_node *node, const struct ctl_id *id)
{
	struct node_peer *peer = peer_find(node, id);

	if (!peer) {
		peer = XCALLOC(MTYPE_HC_PEER, sizeof(*peer));
		peer->id = *id;
		node_peers_add(&node->peers, peer);
	}
	send_node(node, id);
}

/* It doesn't play these roles any more. */
static void peer_lost(struct hc_node *node, const struct ctl_id *id,
		      uint8_t roles, bool clean, int64_t now_us)
{
	if (node->gateway)
		hc_gateway_down(node->gateway, id, roles, clean, now_us);
	if (node->hub)
		hc_hub_down(node->hub, id, roles);
	if (node->edge)
		hc_edge_down(node->edge, id, roles, now_us);
}

static void roles_told(struct hc_node *node, struct node_peer *peer,
		       const struct hc_msg_node *msg, int64_t now_us)
{
	uint8_t lost = peer->roles & (uint8_t)~msg->roles;
	uint8_t before = peer->roles;

	strlcpy(peer->name, msg->name, sizeof(peer->name));
	/* What it still is stays: an edge's hub may have been a gateway, too. */
	if (lost)
		peer_lost(node, &peer->id, lost, true, now_us);
	peer->roles = msg->roles;
	/* It asks to be told again. */
	if (peer->roles == before) {
		if (node->hub)
			hc_hub_full_state(node->hub, &peer->id);
		if (node->edge)
			hc_edge_full_state(node->edge, &peer->id);
		return;
	}
	/* A gateway that is a hub now, too, was asked before. */
	hub_meets(node, peer, msg->roles & (uint8_t)~before, now_us);
	edge_meets(node, peer, msg->roles & (uint8_t)~before, now_us);
}

bool hc_node_item(struct hc_node *node, const struct ctl_id *id, uint16_t type,
		  const uint8_t *data, size_t len, int64_t now_us)
{
	struct node_peer *peer = peer_find(node, id);
	struct hc_msg msg;

	if (!peer || !hc_decode(type, data, len, &msg) ||
	    (msg.type != HC_ITEM_NODE && !peer->roles)) {
		node->malformed++;
		return false;
	}
	if (msg.type == HC_ITEM_NODE) {
		roles_told(node, peer, &msg.node, now_us);
		return true;
	}
	if (node->gateway)
		hc_gateway_receive(node->gateway, id, &msg, now_us);
	if (node->hub)
		hc_hub_receive(node->hub, id, &msg, now_us);
	if (node->edge)
		hc_edge_receive(node->edge, id, &msg, now_us);
	return true;
}

void hc_node_down(struct hc_node *node, const struct ctl_id *id, bool clean,
		  int64_t now_us)
{
	struct node_peer *peer = peer_find(node, id);

	if (!peer)
		return;
	node_peers_del(&node->peers, peer);
	XFREE(MTYPE_HC_PEER, peer);
	peer_lost(node, id, HC_ROLES, clean, now_us);
}

void hc_node_full_state(struct hc_node *node, const struct ctl_id *peer)
{
	send_node(node, peer);
	if (node->gateway)
		hc_gateway_full_state(node->gateway, peer);
	if (node->hub)
		hc_hub_full_state(node->hub, peer);
	if (node->edge)
		hc_edge_full_state(node->edge, peer);
}

void hc_node_sync(struct hc_node *node, const struct ctl_id *peer, bool begin,
		  int64_t now_us)
{
	if (node->gateway)
		hc_gateway_sync(node->gateway, peer, begin, now_us);
	if (node->hub)
		hc_hub_sync(node->hub, peer, begin, now_us);
	if (node->edge)
		hc_edge_sync(node->edge, peer, begin, now_us);
}

int64_t hc_node_run(struct hc_node *node, int64_t now_us)
{
	int64_t next_us = INT64_MAX;
	struct node_peer *peer;

	if (!ctl_id_is_null(&node->wanted)) {
		peer = peer_find(node, &node->wanted);
		memset(&node->wanted, 0, sizeof(node->wanted));
		if (peer && node->edge && peer->roles & HC_ROLE_HUB)
			hc_edge_hub_up(node->edge, &peer->id, now_us);
	}
	if (node->gateway)
		next_us = cluster_sooner(next_us,
					 hc_gateway_run(node->gateway, now_us));
	if (node->hub)
		next_us = cluster_sooner(next_us, hc_hub_run(node->hub, now_us));
	if (node->edge)
		next_us = cluster_sooner(next_us,
					 hc_edge_run(node->edge, now_us));
	/* Deciding may have asked for a hub that is here already. */
	if (!ctl_id_is_null(&node->wanted))
		next_us = now_us;
	return next_us;
}

const char *hc_node_peer_name(const struct hc_node *node,
			      const struct ctl_id *id)
{
	const struct node_peer *peer = peer_find(node, id);

	return peer ? peer->name : "";
}

uint8_t hc_node_peer_roles(const struct hc_node *node, const struct ctl_id *id)
{
	const struct node_peer *peer = peer_find(node, id);

	return peer ? peer->roles : 0;
}

uint64_t hc_node_malformed(const struct hc_node *node)
{
	return node->malformed;
}
