// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "memory.h"

#include "hubcluster/hc_ctl.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_CTL, "Hub clustering capability");

struct hc_ctl {
	const struct hc_ctl_ops *ops;
	void *arg;
	struct hc_node *node;
	struct ctl_capability capability;
};

static void cap_up(void *arg, struct ctl_peer *peer)
{
	struct hc_ctl *hc = arg;

	hc_node_up(hc->node, ctl_peer_id(peer));
	hc->ops->changed(hc->arg);
}

static void cap_down(void *arg, struct ctl_peer *peer, enum ctl_reason why)
{
	struct hc_ctl *hc = arg;
	bool clean = why == CTL_REASON_STOPPED || why == CTL_REASON_CLOSED;

	hc_node_down(hc->node, ctl_peer_id(peer), clean, hc->ops->now(hc->arg));
	hc->ops->changed(hc->arg);
}

static void cap_item(void *arg, struct ctl_peer *peer, uint16_t type,
		     const uint8_t *data, size_t len)
{
	struct hc_ctl *hc = arg;

	if (!hc_node_item(hc->node, ctl_peer_id(peer), type, data, len,
			  hc->ops->now(hc->arg)))
		ctl_item_unknown(peer);
	hc->ops->changed(hc->arg);
}

static void cap_sync(void *arg, struct ctl_peer *peer, bool begin)
{
	struct hc_ctl *hc = arg;

	hc_node_sync(hc->node, ctl_peer_id(peer), begin, hc->ops->now(hc->arg));
	hc->ops->changed(hc->arg);
}

/*
 * Where all hubs of a cluster are, at most, and some more: that fits into any
 * queue that has room.
 */
static size_t cap_full_state(void *arg, struct ctl_peer *peer, size_t from)
{
	struct hc_ctl *hc = arg;

	hc_node_full_state(hc->node, ctl_peer_id(peer));
	return CTL_SYNC_DONE;
}

static bool node_send(void *arg, const struct ctl_id *to, uint16_t type,
		      const void *data, size_t len)
{
	struct hc_ctl *hc = arg;
	struct ctl *ctl = hc->ops->ctl(hc->arg);
	struct ctl_peer *peer = ctl ? ctl_peer_find(ctl, to) : NULL;

	return peer && ctl_send(peer, type, data, len, hc->ops->now(hc->arg));
}

static const struct hc_node_ops node_ops = { .send = node_send };

struct hc_ctl *hc_ctl_new(const struct hc_ctl_ops *ops, void *arg,
			  const char *name)
{
	struct hc_ctl *hc = XCALLOC(MTYPE_HC_CTL, sizeof(*hc));

	hc->ops = ops;
	hc->arg = arg;
	hc->node = hc_node_new(&node_ops, hc, name);
	hc->capability = (struct ctl_capability){
		.name = "hub clustering",
		.type_first = HC_ITEM_FIRST,
		.type_last = HC_ITEM_LAST,
		.arg = hc,
		.up = cap_up,
		.down = cap_down,
		.item = cap_item,
		.sync = cap_sync,
		.full_state = cap_full_state,
	};
	return hc;
}

void hc_ctl_free(struct hc_ctl **hc)
{
	if (!*hc)
		return;
	hc_node_free(&(*hc)->node);
	XFREE(MTYPE_HC_CTL, *hc);
}

const struct ctl_capability *hc_ctl_capability(const struct hc_ctl *hc)
{
	return &hc->capability;
}

struct hc_node *hc_ctl_node(struct hc_ctl *hc)
{
	return hc->node;
}

void hc_ctl_renew(struct hc_ctl *hc, const struct ctl_id *id)
{
	struct ctl *ctl = hc->ops->ctl(hc->arg);
	struct ctl_peer *peer = ctl ? ctl_peer_find(ctl, id) : NULL;

	if (peer)
		ctl_close(peer, hc->ops->now(hc->arg));
}

int64_t hc_ctl_quiet_at(struct hc_ctl *hc, const struct ctl_id *id)
{
	struct ctl *ctl = hc->ops->ctl(hc->arg);
	struct ctl_peer *peer = ctl ? ctl_peer_find(ctl, id) : NULL;
	struct ctl_timers timers;
	uint32_t quiet_ms;

	if (!peer || !ctl_peer_up(peer))
		return INT64_MAX;
	timers = ctl_peer_timers(peer);
	quiet_ms = timers.dead_ms / 3 * 2;
	/* Two that are lost; the next one is late for another reason. */
	if (quiet_ms < timers.keepalive_ms * 5 / 2)
		quiet_ms = timers.keepalive_ms * 5 / 2;
	return ctl_peer_heard(peer) + quiet_ms * INT64_C(1000);
}
