// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the capabilities send and get: changes as they happen, full state at
 * the beginning of each session and whenever a change was lost to a full
 * queue.  Full state is pulled as there is room, so the queue stays bounded
 * however much there is.
 */
#include "config.h"

#include <string.h>

#include "core/ctl_private.h"

/* The two items of the protocol's own carry the first type of a capability. */
#define SYNC_LEN 2

static const struct ctl_capability *cap_of(const struct ctl_peer *peer,
					   unsigned int i)
{
	return peer->ctl->caps[i];
}

void ctl_sync_start(struct ctl_peer *peer)
{
	for (unsigned int i = 0; i < peer->ctl->n_caps; i++)
		peer->sync[i] = (struct ctl_sync){
			.step = cap_of(peer, i)->full_state ? CTL_SYNC_BEGIN
							    : CTL_SYNC_IDLE,
		};
}

bool ctl_sync_due(const struct ctl_peer *peer)
{
	if (!ctl_stream_roomy(&peer->stream))
		return false;
	for (unsigned int i = 0; i < peer->ctl->n_caps; i++)
		if (peer->sync[i].step != CTL_SYNC_IDLE)
			return true;
	return false;
}

static bool put_mark(struct ctl_peer *peer, uint16_t type,
		     const struct ctl_capability *cap)
{
	uint8_t first[SYNC_LEN] = { cap->type_first >> 8,
				    cap->type_first & 0xff };

	return ctl_stream_put(&peer->stream, type, first, sizeof(first));
}

/* One step; false if there was no room. */
static bool sync_step(struct ctl_peer *peer, unsigned int i)
{
	const struct ctl_capability *cap = cap_of(peer, i);
	struct ctl_sync *sync = &peer->sync[i];
	size_t from = sync->from;

	if (sync->step == CTL_SYNC_BEGIN) {
		if (!put_mark(peer, CTL_ITEM_SYNC_BEGIN, cap))
			return false;
		*sync = (struct ctl_sync){ .step = CTL_SYNC_WALK };
		return true;
	}
	if (from != CTL_SYNC_DONE) {
		peer->walking = (uint8_t)(i + 1);
		sync->from = cap->full_state(cap->arg, peer, from);
		peer->walking = 0;
		/* There was room, and it didn't move: it never will. */
		if (sync->from == from)
			sync->from = CTL_SYNC_DONE;
		return peer->remote != 0;
	}
	if (!put_mark(peer, CTL_ITEM_SYNC_END, cap))
		return false;
	sync->step = sync->again ? CTL_SYNC_BEGIN : CTL_SYNC_IDLE;
	sync->again = false;
	sync->from = 0;
	return true;
}

void ctl_sync_pump(struct ctl_peer *peer)
{
	for (unsigned int i = 0; i < peer->ctl->n_caps; i++)
		while (peer->remote && peer->sync[i].step != CTL_SYNC_IDLE &&
		       ctl_stream_roomy(&peer->stream))
			if (!sync_step(peer, i))
				return;
}

static void sync_again(struct ctl_sync *sync)
{
	if (sync->step == CTL_SYNC_WALK)
		sync->again = true;
	else
		*sync = (struct ctl_sync){ .step = CTL_SYNC_BEGIN };
}

bool ctl_send(struct ctl_peer *peer, uint16_t type, const void *data,
	      size_t len, int64_t now_us)
{
	const struct ctl_capability *cap;
	unsigned int i;

	cap = ctl_capability_of(peer->ctl, type, &i);
	if (!peer->remote || !cap || len > CTL_PAYLOAD_MAX)
		return false;
	/* The full state that is to come will have it. */
	if (peer->sync[i].step == CTL_SYNC_BEGIN)
		return true;
	if (!ctl_stream_put(&peer->stream, type, data, len)) {
		if (peer->walking != i + 1 && cap->full_state)
			sync_again(&peer->sync[i]);
		return false;
	}
	ctl_peer_schedule(peer, now_us);
	return true;
}

void ctl_resync(struct ctl_peer *peer, const struct ctl_capability *cap,
		int64_t now_us)
{
	unsigned int i;

	if (!peer->remote || !cap->full_state ||
	    ctl_capability_of(peer->ctl, cap->type_first, &i) != cap)
		return;
	sync_again(&peer->sync[i]);
	ctl_peer_schedule(peer, now_us);
}

static void deliver_mark(struct ctl_peer *peer, const struct ctl_item *item)
{
	const struct ctl_capability *cap = NULL;
	unsigned int i;

	if (item->len >= SYNC_LEN && item->type <= CTL_ITEM_SYNC_END)
		cap = ctl_capability_of(peer->ctl,
					item->data[0] << 8 | item->data[1], &i);
	if (!cap)
		peer->ctl->counters[CTL_RX_UNKNOWN_ITEM]++;
	else if (cap->sync)
		cap->sync(cap->arg, peer, item->type == CTL_ITEM_SYNC_BEGIN);
}

static void deliver(struct ctl_peer *peer, const struct ctl_item *item)
{
	const struct ctl_capability *cap;
	unsigned int i;

	peer->items_rx++;
	if (item->type < CTL_ITEM_USER) {
		deliver_mark(peer, item);
		return;
	}
	cap = ctl_capability_of(peer->ctl, item->type, &i);
	if (!cap)
		peer->ctl->counters[CTL_RX_UNKNOWN_ITEM]++;
	else if (cap->item)
		cap->item(cap->arg, peer, item->type, item->data, item->len);
}

void ctl_item_unknown(struct ctl_peer *peer)
{
	peer->ctl->counters[CTL_RX_UNKNOWN_ITEM]++;
}

void ctl_sync_deliver(struct ctl_peer *peer, const struct ctl_msg *msg)
{
	uint64_t session = peer->remote;

	/* A callback may end the session: then the rest never came. */
	for (size_t i = 0; i < msg->n_items && peer->remote == session; i++)
		if (ctl_stream_got(&peer->stream, msg->items[i].number))
			deliver(peer, &msg->items[i]);
}
