// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The links of a peer's session: keepalives, silence, and which one carries
 * the items.
 *
 * Keepalives go over every link, those that fell silent too: so a link that
 * works again is used again.  The interval is the smaller of both sides', less
 * up to a tenth at random.  Who misses one asks, and is answered at once:
 * with one in ten datagrams lost each way, seven keepalives in a row are lost
 * every few days of many sessions, but not eight questions on top.
 */
#include "config.h"

#include <string.h>

#include "core/ctl_private.h"

#define EAGER_US INT64_C(100000)
#define EARLY_US INT64_C(10000)
#define GOODBYES 3 /* copies: nobody acknowledges it */
/* How long a silent link that the other side dialled is kept. */
#define SILENT_LINK_US (60 * S_US)

struct ctl_timers ctl_peer_timers(const struct ctl_peer *peer)
{
	return peer->own.keepalive_ms ? peer->own : peer->ctl->config.timers;
}

static int64_t keepalive_us(const struct ctl_peer *peer)
{
	uint32_t ours = ctl_peer_timers(peer).keepalive_ms;
	uint32_t theirs = peer->theirs.keepalive_ms;

	return (ours < theirs ? ours : theirs) * MS_US;
}

static int64_t dead_us(const struct ctl_peer *peer)
{
	return ctl_peer_timers(peer).dead_ms * MS_US;
}

void ctl_peer_schedule(struct ctl_peer *peer, int64_t at_us)
{
	struct ctl *ctl = peer->ctl;

	if (at_us >= peer->due_us)
		return;
	ctl_peer_dues_del(&ctl->peer_dues, peer);
	peer->due_us = at_us;
	ctl_peer_dues_add(&ctl->peer_dues, peer);
	ctl_wake(ctl, at_us);
}

struct ctl_link *ctl_peer_link(struct ctl_peer *peer,
			       const struct ctl_path *path, bool next)
{
	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];

		if (link->used && link->next == next &&
		    ctl_path_same(&link->path, path))
			return link;
	}
	return NULL;
}

/* A free one, or else a silent one that nobody here dials. */
static struct ctl_link *link_slot(struct ctl_peer *peer)
{
	struct ctl_link *spare = NULL;

	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];

		if (!link->used)
			return link;
		if (!link->dial && !link->up && !link->next)
			spare = link;
	}
	return spare;
}

struct ctl_link *ctl_link_add(struct ctl_peer *peer, const struct ctl_path *path,
			      bool next, int64_t now_us)
{
	struct ctl_link *link = ctl_peer_link(peer, path, next);

	if (link)
		return link;
	link = link_slot(peer);
	if (!link)
		return NULL;
	*link = (struct ctl_link){
		.path = *path,
		.used = true,
		.next = next,
		.since_us = now_us,
		.heard_us = now_us,
		.send_us = now_us,
	};
	return link;
}

void ctl_link_remove(struct ctl_link *link)
{
	memset(link, 0, sizeof(*link));
}

void ctl_links_clear(struct ctl_peer *peer, bool next, int64_t now_us)
{
	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];
		struct ctl_dial *dial = link->dial;

		if (!link->used || link->next != next)
			continue;
		ctl_link_remove(link);
		if (dial)
			ctl_dial_lost(dial, now_us);
	}
}

static bool link_permitted(struct ctl_peer *peer, const struct ctl_link *link)
{
	const struct ctl_ops *ops = peer->ctl->ops;

	return link->dial || !ops->permit ||
	       ops->permit(peer->ctl->arg, &peer->id, &link->path);
}

bool ctl_links_permitted(struct ctl_peer *peer, bool next)
{
	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];

		if (link->used && link->next == next &&
		    link_permitted(peer, link))
			return true;
	}
	return false;
}

void ctl_links_forbid(struct ctl_peer *peer)
{
	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];

		if (link->used && !link->next && !link_permitted(peer, link))
			ctl_link_remove(link);
	}
}

void ctl_links_retime(struct ctl_peer *peer, bool ours, int64_t now_us)
{
	/* They couldn't know yet that they have to speak more often. */
	if (ours)
		peer->counted_us = now_us;
	/* Ours are in the next keepalive; theirs may want it sooner. */
	for (int i = 0; i < CTL_LINKS_MAX; i++)
		peer->links[i].send_us = now_us;
	ctl_peer_schedule(peer, now_us);
}

/* What of a link's silence counts. */
static int64_t silent_us(const struct ctl_peer *peer,
			 const struct ctl_link *link, int64_t now_us)
{
	return now_us - (link->heard_us > peer->counted_us ? link->heard_us
							   : peer->counted_us);
}

int64_t ctl_links_heard(const struct ctl_peer *peer)
{
	int64_t heard_us = peer->counted_us;

	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		const struct ctl_link *link = &peer->links[i];

		if (link->used && link->up && link->heard_us > heard_us)
			heard_us = link->heard_us;
	}
	return heard_us;
}

int64_t ctl_peer_heard(const struct ctl_peer *peer)
{
	return ctl_links_heard(peer);
}

/* The one writer of `up`. */
static void link_up(struct ctl_peer *peer, struct ctl_link *link, bool up,
		    int64_t now_us)
{
	struct ctl_dial *dial = link->dial;

	if (link->up == up)
		return;
	ctl_trace(peer->ctl, &peer->id, &link->path, "link", up ? "up" : "down");
	link->up = up;
	link->since_us = now_us;
	if (up)
		link->eager = 0;
	if (dial && up)
		ctl_dial_heard(dial, now_us);
}

void ctl_link_heard(struct ctl_peer *peer, struct ctl_link *link,
		    const struct ctl_msg *msg, int64_t now_us)
{
	link->rx++;
	link->heard_us = now_us;
	link->hears_us = msg->link_flags & CTL_LINK_HEARD;
	link_up(peer, link, true, now_us);
	if (msg->link_flags & CTL_LINK_ASK || msg->type == CTL_DATA) {
		link->answer = true;
		ctl_peer_schedule(peer, now_us);
	}
}

/* Longer than a keepalive and its jitter take. */
static bool link_silent(const struct ctl_peer *peer,
			const struct ctl_link *link, int64_t now_us)
{
	return now_us - link->heard_us > keepalive_us(peer) * 3 / 2;
}

static void link_send(struct ctl_peer *peer, struct ctl_link *link,
		      struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_timers own = ctl_peer_timers(peer);
	int64_t interval_us = keepalive_us(peer);

	msg->src = peer->local;
	msg->dst = peer->remote;
	msg->seq = ++peer->seq;
	msg->keepalive_ms = own.keepalive_ms;
	msg->dead_ms = own.dead_ms;
	msg->ack = peer->stream.expected;
	msg->link_flags = link->up ? CTL_LINK_HEARD : 0;
	if (peer->stream.gap)
		msg->link_flags |= CTL_LINK_GAP;
	if (link_silent(peer, link, now_us)) {
		msg->link_flags |= CTL_LINK_ASK;
		interval_us /= 2;
	}
	if (link->eager) {
		int64_t eager_us = EAGER_US << (CTL_EAGER - link->eager);

		link->eager--;
		if (eager_us < interval_us)
			interval_us = eager_us;
	}
	link->answer = false;
	link->tx++;
	link->send_us = now_us + interval_us -
			ctl_jitter(peer->ctl, interval_us, 10);
	ctl_transmit(peer->ctl, &link->path, msg);
}

/* Both hear each other, else we hear them, else any. */
static struct ctl_link *link_for_items(struct ctl_peer *peer)
{
	struct ctl_link *best = NULL;
	int best_rank = -1;

	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		int slot = (peer->data_link + i) % CTL_LINKS_MAX;
		struct ctl_link *link = &peer->links[slot];
		int rank = link->up * 2 + link->hears_us;

		if (!link->used || link->next || rank <= best_rank)
			continue;
		best = link;
		best_rank = rank;
	}
	return best;
}

static void send_items(struct ctl_peer *peer, int64_t now_us)
{
	struct ctl_link *link = link_for_items(peer);
	uint64_t resent = peer->stream.resent;
	struct ctl_msg msg;

	ctl_stream_run(&peer->stream, now_us);
	while (link) {
		msg.type = CTL_DATA;
		if (!ctl_stream_take(&peer->stream, &msg,
				     CTL_DATAGRAM_MAX - CTL_LEN_KEEPALIVE,
				     now_us))
			break;
		peer->items_tx += msg.n_items;
		link_send(peer, link, &msg, now_us);
	}
	/* What got lost goes another way the next time, if there is one. */
	if (link && peer->stream.resent != resent)
		peer->data_link =
			(uint8_t)((link - peer->links + 1) % CTL_LINKS_MAX);
}

/*
 * A keepalive goes a little early when we are awake for something else: with
 * many sessions waking up is what costs most.
 */
static bool link_soon(const struct ctl_peer *peer, const struct ctl_link *link,
		      int64_t now_us)
{
	int64_t early_us = keepalive_us(peer) / 20;

	return link->send_us - (early_us < EARLY_US ? early_us : EARLY_US) <=
	       now_us;
}

bool ctl_links_soon(const struct ctl_peer *peer, int64_t now_us)
{
	for (int i = 0; peer->remote && i < CTL_LINKS_MAX; i++) {
		const struct ctl_link *link = &peer->links[i];

		if (link->used && !link->next && link_soon(peer, link, now_us))
			return true;
	}
	return false;
}

void ctl_links_run(struct ctl_peer *peer, int64_t now_us)
{
	int64_t dead = dead_us(peer);

	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];

		if (!link->used || link->next ||
		    silent_us(peer, link, now_us) <= dead)
			continue;
		link_up(peer, link, false, now_us);
		if (link->dial)
			ctl_dial_lost(link->dial, now_us);
		else if (silent_us(peer, link, now_us) > dead + SILENT_LINK_US)
			ctl_link_remove(link);
	}
	send_items(peer, now_us);
	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];
		struct ctl_msg msg;

		if (!link->used || link->next ||
		    (!link->answer && !link_soon(peer, link, now_us)))
			continue;
		msg.type = CTL_KEEPALIVE;
		link_send(peer, link, &msg, now_us);
	}
}

static int64_t dead_at_us(const struct ctl_peer *peer,
			  const struct ctl_link *link)
{
	return dead_us(peer) + 1 - silent_us(peer, link, 0);
}

int64_t ctl_links_due(const struct ctl_peer *peer)
{
	int64_t due_us = INT64_MAX, items_us = ctl_stream_due(&peer->stream);

	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		const struct ctl_link *link = &peer->links[i];

		if (!link->used || link->next)
			continue;
		if (items_us < due_us)
			due_us = items_us;
		if (link->send_us < due_us)
			due_us = link->send_us;
		if (link->answer)
			return 0;
		/* Silence is noticed at the next keepalive, or exactly. */
		if (link->up && dead_at_us(peer, link) < due_us)
			due_us = dead_at_us(peer, link);
	}
	return due_us;
}

void ctl_links_goodbye(struct ctl_peer *peer, enum ctl_reason reason)
{
	for (int copy = 0; copy < GOODBYES; copy++) {
		for (int i = 0; i < CTL_LINKS_MAX; i++) {
			struct ctl_msg msg = {
				.type = CTL_GOODBYE,
				.src = peer->local,
				.dst = peer->remote,
				.seq = ++peer->seq,
				.reason = (uint16_t)reason,
			};

			if (peer->links[i].used && !peer->links[i].next)
				ctl_transmit(peer->ctl, &peer->links[i].path,
					     &msg);
		}
	}
}

void ctl_peer_undial(struct ctl_peer *peer, struct ctl_dial *dial,
		     int64_t now_us)
{
	bool left = !peer->remote;

	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		struct ctl_link *link = &peer->links[i];

		if (link->used && !link->next && link->dial != dial)
			left = true;
	}
	if (!left)
		ctl_peer_shut(peer, CTL_REASON_CLOSED, now_us);
	for (int i = 0; i < CTL_LINKS_MAX; i++)
		if (peer->links[i].used && peer->links[i].dial == dial)
			ctl_link_remove(&peer->links[i]);
	peer->n_dials--;
	ctl_peer_schedule(peer, now_us);
}
