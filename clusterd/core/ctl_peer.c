// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A peer's session as a state machine: what happened becomes an event, the
 * table says what it means in each state.  step() is the one writer of the
 * state: it sets, then acts; callbacks are the last thing an action does.
 *
 * Two numbers make a session, one of each side.  Ours for the next session
 * (next_local) is made anew whenever a session ended or another one is asked
 * for, so whoever repeats it has heard us since.
 */
#include "config.h"

#include <string.h>

#include "core/ctl_private.h"

#include "memory.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, CTL_PEER, "Control peer");

/* Who asked for a session and then says nothing more is forgotten. */
#define CANDIDATE_LIFE_US (10 * S_US)
#define RIVAL_LIFE_US	  (30 * S_US)
/* What was still under way when a rival came says nothing. */
#define RIVAL_GRACE_US (S_US / 2)
/* A peer without session and dial is remembered, for show and its counters. */
#define LINGER_US (3600 * S_US)

enum event {
	OPEN,		/* a new session is asked for, from where it may be */
	OPEN_AGAIN,	/* the one that is being made */
	OPEN_JOIN,	/* another link of the current one */
	OPEN_RIVAL,	/* a new one, from another address, while one is up */
	OPEN_DUPLICATE, /* the rival again, but the session lives */
	OPEN_HEIR,	/* the rival again, and the session is silent */
	ACK_NEXT,	/* the session that we asked for */
	ACK_CURRENT,	/* another link of the current one */
	CONFIRM,	/* they have our number for the next one */
	MESSAGE,	/* of the current one */
	GOODBYE,	/* of the current one */
	UNKNOWN,	/* they don't know the current one (any more) */
	DEAD,		/* silence */
	EXPIRED,	/* whoever asked for the next one */
	SHUT,		/* by us */
	EVENTS,
};

struct context {
	const struct ctl_path *path;
	const struct ctl_msg *msg;
	struct ctl_dial *dial;
	enum ctl_reason reason;
	int64_t now_us;
};

/* -- the next session -- */

static void candidate_drop(struct ctl_peer *peer, int64_t now_us)
{
	peer->next_remote = 0;
	peer->rival = 0;
	ctl_links_clear(peer, true, now_us);
}

static struct ctl_timers timers_of(const struct ctl_msg *msg)
{
	struct ctl_timers timers = { msg->keepalive_ms, msg->dead_ms };

	/* Nobody may make us send faster than the fastest. */
	if (timers.keepalive_ms < CTL_KEEPALIVE_MIN_MS)
		timers.keepalive_ms = CTL_KEEPALIVE_MIN_MS;
	if (timers.keepalive_ms > CTL_KEEPALIVE_MAX_MS)
		timers.keepalive_ms = CTL_KEEPALIVE_MAX_MS;
	return timers;
}

static void send_open_ack(struct ctl_peer *peer, uint64_t local,
			  const struct context *context)
{
	struct ctl_timers own = ctl_peer_timers(peer);
	struct ctl_msg msg = {
		.type = CTL_OPEN_ACK,
		.src = local,
		.dst = context->msg->src,
		.keepalive_ms = own.keepalive_ms,
		.dead_ms = own.dead_ms,
	};

	if (ctl_may_reply(peer->ctl, context->path, context->now_us))
		ctl_transmit(peer->ctl, context->path, &msg);
}

uint64_t ctl_peer_number(struct ctl_peer *peer)
{
	if (peer->local)
		return peer->local;
	if (!peer->next_local)
		peer->next_local = ctl_random64(peer->ctl);
	return peer->next_local;
}

/* -- begin and end -- */

static void session_begin(struct ctl_peer *peer, uint64_t remote,
			  struct ctl_timers theirs, int64_t now_us)
{
	peer->local = peer->next_local;
	peer->remote = remote;
	peer->theirs = theirs;
	peer->next_local = 0;
	peer->next_remote = 0;
	peer->rival = 0;
	peer->seq = 0;
	memset(&peer->replay, 0, sizeof(peer->replay));
	peer->since_us = peer->counted_us = now_us;
	peer->ups++;
	for (int i = 0; i < CTL_LINKS_MAX; i++)
		peer->links[i].next = false;
	ctl_stream_reset(&peer->stream);
	ctl_sync_start(peer);
	ctl_peer_schedule(peer, now_us);
}

static void notify_up(struct ctl_peer *peer)
{
	for (unsigned int i = 0; i < peer->ctl->n_caps; i++) {
		const struct ctl_capability *cap = peer->ctl->caps[i];

		if (cap->up && peer->remote)
			cap->up(cap->arg, peer);
	}
}

static void session_end(struct ctl_peer *peer, enum ctl_reason reason,
			int64_t now_us)
{
	if (!peer->remote)
		return;
	peer->local = peer->remote = 0;
	peer->rival = 0;
	peer->reason = reason;
	peer->since_us = now_us;
	ctl_links_clear(peer, false, now_us);
	ctl_stream_reset(&peer->stream);
	memset(peer->sync, 0, sizeof(peer->sync));
	ctl_peer_schedule(peer, now_us);
	for (unsigned int i = 0; i < peer->ctl->n_caps; i++) {
		const struct ctl_capability *cap = peer->ctl->caps[i];

		if (cap->down)
			cap->down(cap->arg, peer, reason);
	}
}

/* -- actions -- */

static void ignore(struct ctl_peer *peer, const struct context *context)
{
	ctl_refused(peer->ctl, CTL_RX_UNEXPECTED, &peer->id, context->path,
		    ctl_type_str(context->msg->type));
}

static void none(struct ctl_peer *peer, const struct context *context)
{
}

static void candidate(struct ctl_peer *peer, const struct context *context)
{
	/* Our number was for somebody else: nothing that repeats it counts. */
	if (peer->next_remote || peer->rival || !peer->next_local) {
		candidate_drop(peer, context->now_us);
		peer->next_local = ctl_random64(peer->ctl);
	}
	peer->next_remote = context->msg->src;
	peer->next_theirs = timers_of(context->msg);
	peer->next_us = context->now_us;
	ctl_link_add(peer, context->path, true, context->now_us);
	ctl_peer_schedule(peer, context->now_us + CANDIDATE_LIFE_US + 1);
	send_open_ack(peer, peer->next_local, context);
}

static void again(struct ctl_peer *peer, const struct context *context)
{
	peer->next_us = context->now_us;
	ctl_link_add(peer, context->path, true, context->now_us);
	send_open_ack(peer, peer->next_local, context);
}

/* A link of the current session, new or again: it has its time to be heard. */
static struct ctl_link *link_joined(struct ctl_peer *peer,
				    const struct context *context)
{
	struct ctl_link *link = ctl_link_add(peer, context->path, false,
					     context->now_us);

	if (!link)
		return NULL;
	if (!link->up)
		link->heard_us = context->now_us;
	link->send_us = context->now_us;
	ctl_peer_schedule(peer, context->now_us);
	return link;
}

static void join(struct ctl_peer *peer, const struct context *context)
{
	/* A repeated open gets its answer, and no keepalive on top. */
	if (!ctl_peer_link(peer, context->path, false))
		link_joined(peer, context);
	send_open_ack(peer, peer->local, context);
}

/* Three keepalives of the session that should have come. */
static int64_t rival_wait_us(const struct ctl_peer *peer)
{
	uint32_t ours = ctl_peer_timers(peer).keepalive_ms;
	uint32_t theirs = peer->theirs.keepalive_ms;
	int64_t wait_us = (ours < theirs ? ours : theirs) * MS_US * 7 / 2;
	int64_t dead_us = ctl_peer_timers(peer).dead_ms * MS_US;

	if (wait_us > dead_us)
		wait_us = dead_us;
	return wait_us < S_US ? S_US : wait_us;
}

static void rival(struct ctl_peer *peer, const struct context *context)
{
	/* One after the other, or several would hinder each other for ever. */
	if (peer->rival &&
	    (peer->rival == context->msg->src ||
	     context->now_us - peer->rival_us < rival_wait_us(peer)))
		return;
	peer->rival = context->msg->src;
	peer->rival_us = context->now_us;
	ctl_peer_schedule(peer, context->now_us + RIVAL_LIFE_US);
}

static void duplicate(struct ctl_peer *peer, const struct context *context)
{
	candidate_drop(peer, context->now_us);
	ctl_duplicate_seen(peer->ctl, &peer->id, context->path, context->now_us);
	ctl_reject(peer->ctl, context->path, context->msg, CTL_REASON_DUPLICATE,
		   context->now_us);
}

static void link_dialled(struct ctl_peer *peer, const struct context *context)
{
	struct ctl_link *link = link_joined(peer, context);

	if (!link) {
		ctl_dial_crowded(context->dial, context->now_us);
		return;
	}
	link->dial = context->dial;
	if (!link->up)
		link->eager = CTL_EAGER;
}

static void opened(struct ctl_peer *peer, const struct context *context)
{
	if (peer->next_remote != context->msg->src)
		ctl_links_clear(peer, true, context->now_us);
	session_begin(peer, context->msg->src, timers_of(context->msg),
		      context->now_us);
	link_dialled(peer, context);
	notify_up(peer);
}

static void message(struct ctl_peer *peer, const struct context *context)
{
	struct ctl *ctl = peer->ctl;
	const struct ctl_msg *msg = context->msg;
	struct ctl_link *link = ctl_peer_link(peer, context->path, false);
	struct ctl_timers theirs;

	if (!link) {
		ctl_refused(ctl, CTL_RX_LINK, &peer->id, context->path, NULL);
		return;
	}
	if (!ctl_replay_accept(&peer->replay, msg->seq)) {
		ctl_refused(ctl, CTL_RX_REPLAYED, &peer->id, context->path,
			    NULL);
		return;
	}
	theirs = timers_of(msg);
	if (theirs.keepalive_ms != peer->theirs.keepalive_ms) {
		peer->theirs = theirs;
		ctl_links_retime(peer, false, context->now_us);
	}
	peer->theirs = theirs;
	ctl_link_heard(peer, link, msg, context->now_us);
	if (!ctl_stream_acked(&peer->stream, msg->ack,
			      msg->link_flags & CTL_LINK_GAP, context->now_us))
		ctl_refused(ctl, CTL_RX_UNEXPECTED, &peer->id, context->path,
			    "acknowledges what was never sent");
	if (ctl_stream_due(&peer->stream) <= context->now_us ||
	    ctl_sync_due(peer))
		ctl_peer_schedule(peer, context->now_us);
	if (msg->type == CTL_DATA)
		ctl_sync_deliver(peer, msg);
}

static void confirmed(struct ctl_peer *peer, const struct context *context)
{
	uint64_t remote = peer->next_remote;

	session_begin(peer, remote, peer->next_theirs, context->now_us);
	notify_up(peer);
	if (peer->remote == remote)
		message(peer, context);
}

static void renewed(struct ctl_peer *peer, const struct context *context)
{
	session_end(peer, CTL_REASON_RESTARTED, context->now_us);
	/* The callbacks may have shut it. */
	if (peer->state == CTL_PEER_UP && peer->next_remote)
		confirmed(peer, context);
}

static void ended(struct ctl_peer *peer, const struct context *context)
{
	session_end(peer, context->reason, context->now_us);
}

static void dead(struct ctl_peer *peer, const struct context *context)
{
	/* They may still hear us: then they needn't wait. */
	ctl_links_goodbye(peer, context->reason);
	session_end(peer, context->reason, context->now_us);
}

static void shut(struct ctl_peer *peer, const struct context *context)
{
	candidate_drop(peer, context->now_us);
	peer->next_local = 0;
	ctl_links_goodbye(peer, context->reason);
	session_end(peer, context->reason, context->now_us);
}

static void expired(struct ctl_peer *peer, const struct context *context)
{
	candidate_drop(peer, context->now_us);
	/* What they once said to it must not count for who asks next. */
	peer->next_local = 0;
}

/* -- the table -- */

struct transition {
	enum ctl_peer_state next;
	void (*action)(struct ctl_peer *peer, const struct context *context);
};

#define DOWN	  CTL_PEER_DOWN
#define OPENING	  CTL_PEER_OPENING
#define UP	  CTL_PEER_UP
#define RENEWING  CTL_PEER_RENEWING
#define CONTESTED CTL_PEER_CONTESTED

/* clang-format off */
static const struct transition transitions[CTL_PEER_STATES][EVENTS] = {
	[DOWN] = {
		[OPEN]		 = { OPENING,	candidate },
		[OPEN_AGAIN]	 = { DOWN,	ignore },
		[OPEN_JOIN]	 = { DOWN,	ignore },
		[OPEN_RIVAL]	 = { DOWN,	ignore },
		[OPEN_DUPLICATE] = { DOWN,	ignore },
		[OPEN_HEIR]	 = { DOWN,	ignore },
		[ACK_NEXT]	 = { UP,	opened },
		[ACK_CURRENT]	 = { DOWN,	ignore },
		[CONFIRM]	 = { DOWN,	ignore },
		[MESSAGE]	 = { DOWN,	ignore },
		[GOODBYE]	 = { DOWN,	ignore },
		[UNKNOWN]	 = { DOWN,	ignore },
		[DEAD]		 = { DOWN,	none },
		[EXPIRED]	 = { DOWN,	none },
		[SHUT]		 = { DOWN,	shut },
	},
	[OPENING] = {
		[OPEN]		 = { OPENING,	candidate },
		[OPEN_AGAIN]	 = { OPENING,	again },
		[OPEN_JOIN]	 = { OPENING,	ignore },
		[OPEN_RIVAL]	 = { OPENING,	ignore },
		[OPEN_DUPLICATE] = { OPENING,	ignore },
		[OPEN_HEIR]	 = { OPENING,	ignore },
		[ACK_NEXT]	 = { UP,	opened },
		[ACK_CURRENT]	 = { OPENING,	ignore },
		[CONFIRM]	 = { UP,	confirmed },
		[MESSAGE]	 = { OPENING,	ignore },
		[GOODBYE]	 = { OPENING,	ignore },
		[UNKNOWN]	 = { OPENING,	ignore },
		[DEAD]		 = { OPENING,	none },
		[EXPIRED]	 = { DOWN,	expired },
		[SHUT]		 = { DOWN,	shut },
	},
	[UP] = {
		[OPEN]		 = { RENEWING,	candidate },
		[OPEN_AGAIN]	 = { UP,	ignore },
		[OPEN_JOIN]	 = { UP,	join },
		[OPEN_RIVAL]	 = { CONTESTED,	rival },
		[OPEN_DUPLICATE] = { UP,	ignore },
		[OPEN_HEIR]	 = { UP,	ignore },
		[ACK_NEXT]	 = { UP,	ignore },
		[ACK_CURRENT]	 = { UP,	link_dialled },
		[CONFIRM]	 = { UP,	ignore },
		[MESSAGE]	 = { UP,	message },
		[GOODBYE]	 = { DOWN,	ended },
		[UNKNOWN]	 = { DOWN,	ended },
		[DEAD]		 = { DOWN,	dead },
		[EXPIRED]	 = { UP,	none },
		[SHUT]		 = { DOWN,	shut },
	},
	[RENEWING] = {
		[OPEN]		 = { RENEWING,	candidate },
		[OPEN_AGAIN]	 = { RENEWING,	again },
		[OPEN_JOIN]	 = { RENEWING,	join },
		[OPEN_RIVAL]	 = { RENEWING,	ignore },
		[OPEN_DUPLICATE] = { RENEWING,	ignore },
		[OPEN_HEIR]	 = { RENEWING,	ignore },
		[ACK_NEXT]	 = { RENEWING,	ignore },
		[ACK_CURRENT]	 = { RENEWING,	link_dialled },
		[CONFIRM]	 = { UP,	renewed },
		[MESSAGE]	 = { RENEWING,	message },
		[GOODBYE]	 = { OPENING,	ended },
		[UNKNOWN]	 = { OPENING,	ended },
		[DEAD]		 = { OPENING,	dead },
		[EXPIRED]	 = { UP,	expired },
		[SHUT]		 = { DOWN,	shut },
	},
	[CONTESTED] = {
		[OPEN]		 = { RENEWING,	candidate },
		[OPEN_AGAIN]	 = { CONTESTED,	ignore },
		[OPEN_JOIN]	 = { CONTESTED,	join },
		[OPEN_RIVAL]	 = { CONTESTED,	rival },
		[OPEN_DUPLICATE] = { UP,	duplicate },
		[OPEN_HEIR]	 = { RENEWING,	candidate },
		[ACK_NEXT]	 = { CONTESTED,	ignore },
		[ACK_CURRENT]	 = { CONTESTED,	link_dialled },
		[CONFIRM]	 = { CONTESTED,	ignore },
		[MESSAGE]	 = { CONTESTED,	message },
		[GOODBYE]	 = { DOWN,	ended },
		[UNKNOWN]	 = { DOWN,	ended },
		[DEAD]		 = { DOWN,	dead },
		[EXPIRED]	 = { UP,	expired },
		[SHUT]		 = { DOWN,	shut },
	},
};
/* clang-format on */

static void step(struct ctl_peer *peer, enum event event,
		 const struct context *context)
{
	const struct transition *transition = &transitions[peer->state][event];

	if (peer->state != transition->next)
		ctl_trace(peer->ctl, &peer->id, context->path, "session",
			  ctl_peer_state_str(transition->next));
	peer->state = transition->next;
	transition->action(peer, context);
}

const char *ctl_peer_state_str(enum ctl_peer_state state)
{
	static const char *const names[CTL_PEER_STATES] = {
		[DOWN] = "down",	 [OPENING] = "opening",	    [UP] = "up",
		[RENEWING] = "renewing", [CONTESTED] = "contested",
	};

	return names[state];
}

/* -- what happens becomes an event -- */

static bool on_a_link(const struct ctl_peer *peer, const struct ctl_path *path)
{
	for (int i = 0; i < CTL_LINKS_MAX; i++)
		if (peer->links[i].used && !peer->links[i].next &&
		    ctl_path_same_remote(&peer->links[i].path, path))
			return true;
	return false;
}

static enum event open_event(const struct ctl_peer *peer,
			     const struct context *context)
{
	uint64_t src = context->msg->src;

	if (peer->remote && src == peer->remote)
		return OPEN_JOIN;
	if (peer->next_remote && src == peer->next_remote)
		return OPEN_AGAIN;
	if (!peer->remote || on_a_link(peer, context->path))
		return OPEN;
	if (peer->state != CONTESTED || src != peer->rival)
		return OPEN_RIVAL;
	if (ctl_links_heard(peer) > peer->rival_us + RIVAL_GRACE_US)
		return OPEN_DUPLICATE;
	if (context->now_us - peer->rival_us < rival_wait_us(peer))
		return OPEN_RIVAL;
	return OPEN_HEIR;
}

void ctl_peer_open(struct ctl_peer *peer, const struct ctl_path *path,
		   const struct ctl_msg *msg, int64_t now_us)
{
	struct context context = { .path = path, .msg = msg, .now_us = now_us };

	bool unknown = msg->dst && msg->dst != peer->local;

	/* Another link of what is up for them, and for us not yet. */
	if (msg->dst && msg->dst == peer->next_local &&
	    msg->src == peer->next_remote)
		unknown = false;
	if (!msg->src || unknown) {
		ctl_refused(peer->ctl, CTL_RX_SESSION, &peer->id, path, "open");
		ctl_reject(peer->ctl, path, msg, CTL_REASON_UNKNOWN, now_us);
		return;
	}
	step(peer, open_event(peer, &context), &context);
}

bool ctl_peer_open_ack_fits(const struct ctl_peer *peer,
			    const struct ctl_msg *msg)
{
	if (!msg->src || !msg->dst)
		return false;
	return peer->remote
		       ? msg->src == peer->remote && msg->dst == peer->local
		       : msg->dst == peer->next_local;
}

void ctl_peer_open_ack(struct ctl_peer *peer, struct ctl_dial *dial,
		       const struct ctl_path *path, const struct ctl_msg *msg,
		       int64_t now_us)
{
	struct context context = {
		.path = path, .msg = msg, .dial = dial, .now_us = now_us
	};

	step(peer, peer->remote ? ACK_CURRENT : ACK_NEXT, &context);
}

void ctl_peer_message(struct ctl_peer *peer, const struct ctl_path *path,
		      const struct ctl_msg *msg, int64_t now_us)
{
	struct context context = { .path = path, .msg = msg, .now_us = now_us };

	if (peer->remote && msg->src == peer->remote && msg->dst == peer->local) {
		context.reason = msg->reason;
		step(peer, msg->type == CTL_GOODBYE ? GOODBYE : MESSAGE,
		     &context);
		return;
	}
	if (peer->next_remote && msg->src == peer->next_remote &&
	    msg->dst == peer->next_local) {
		if (msg->type == CTL_GOODBYE)
			step(peer, EXPIRED, &context);
		else if (ctl_peer_link(peer, path, true))
			step(peer, CONFIRM, &context);
		else
			ctl_refused(peer->ctl, CTL_RX_LINK, &peer->id, path,
				    NULL);
		return;
	}
	ctl_refused(peer->ctl, CTL_RX_SESSION, &peer->id, path,
		    ctl_type_str(msg->type));
	if (msg->type != CTL_GOODBYE)
		ctl_reject(peer->ctl, path, msg, CTL_REASON_UNKNOWN, now_us);
}

void ctl_peer_unknown(struct ctl_peer *peer, const struct ctl_path *path,
		      const struct ctl_msg *msg, int64_t now_us)
{
	struct context context = { .path = path,
				   .msg = msg,
				   .reason = CTL_REASON_RESTARTED,
				   .now_us = now_us };

	if (peer->remote && msg->src == peer->remote && msg->dst == peer->local)
		step(peer, UNKNOWN, &context);
	else
		ctl_refused(peer->ctl, CTL_RX_UNEXPECTED, &peer->id, path,
			    "reject");
}

void ctl_peer_shut(struct ctl_peer *peer, enum ctl_reason reason, int64_t now_us)
{
	struct context context = { .reason = reason, .now_us = now_us };

	step(peer, SHUT, &context);
}

void ctl_peer_permit(struct ctl_peer *peer, int64_t now_us)
{
	struct context context = { .now_us = now_us };

	if (peer->next_remote && !ctl_links_permitted(peer, true))
		step(peer, EXPIRED, &context);
	/* Its goodbye goes over the links. */
	if (peer->remote && !ctl_links_permitted(peer, false))
		ctl_peer_shut(peer, CTL_REASON_NOT_PERMITTED, now_us);
	ctl_links_forbid(peer);
}

void ctl_close(struct ctl_peer *peer, int64_t now_us)
{
	ctl_peer_shut(peer, CTL_REASON_CLOSED, now_us);
}

/* -- time -- */

static int64_t peer_due(const struct ctl_peer *peer, int64_t now_us)
{
	int64_t due_us = INT64_MAX;

	if (peer->remote) {
		int64_t dead_us = ctl_links_heard(peer) + 1 +
				  ctl_peer_timers(peer).dead_ms * MS_US;

		due_us = ctl_links_due(peer);
		if (dead_us < due_us)
			due_us = dead_us;
		if (ctl_sync_due(peer))
			due_us = now_us;
	} else if (!peer->n_dials) {
		due_us = peer->since_us + LINGER_US;
	}
	if (peer->next_remote && peer->next_us + CANDIDATE_LIFE_US + 1 < due_us)
		due_us = peer->next_us + CANDIDATE_LIFE_US + 1;
	if (peer->rival && peer->rival_us + RIVAL_LIFE_US + 1 < due_us)
		due_us = peer->rival_us + RIVAL_LIFE_US + 1;
	/* Whatever it is, time must go on. */
	return due_us > now_us ? due_us : now_us + 1;
}

void ctl_peer_run(struct ctl_peer *peer, int64_t now_us)
{
	struct context context = { .reason = CTL_REASON_DEAD, .now_us = now_us };
	int64_t due_us;

	if (peer->state == DOWN && !peer->n_dials &&
	    now_us - peer->since_us >= LINGER_US) {
		ctl_peer_free(peer);
		return;
	}
	if ((peer->next_remote && now_us - peer->next_us > CANDIDATE_LIFE_US) ||
	    (peer->rival && now_us - peer->rival_us > RIVAL_LIFE_US))
		step(peer, EXPIRED, &context);
	if (peer->remote && now_us - ctl_links_heard(peer) >
				    ctl_peer_timers(peer).dead_ms * MS_US)
		step(peer, DEAD, &context);
	if (peer->remote)
		ctl_sync_pump(peer);
	if (peer->remote)
		ctl_links_run(peer, now_us);
	due_us = peer_due(peer, now_us);
	ctl_peer_dues_del(&peer->ctl->peer_dues, peer);
	peer->due_us = due_us;
	ctl_peer_dues_add(&peer->ctl->peer_dues, peer);
}

/* -- life -- */

/* The one without session and dial that has been so for the longest. */
static struct ctl_peer *peer_to_forget(struct ctl *ctl)
{
	struct ctl_peer *peer, *oldest = NULL;

	frr_each (ctl_peers, &ctl->peers, peer)
		if (peer->state == DOWN && !peer->n_dials &&
		    (!oldest || peer->since_us < oldest->since_us))
			oldest = peer;
	return oldest;
}

struct ctl_peer *ctl_peer_get(struct ctl *ctl, const struct ctl_id *id,
			      int64_t now_us)
{
	struct ctl_peer *peer = ctl_peer_find(ctl, id);

	if (peer)
		return peer;
	if (ctl_peers_count(&ctl->peers) >= ctl->config.peers_max) {
		peer = peer_to_forget(ctl);
		if (!peer)
			return NULL;
		ctl_peer_free(peer);
	}
	peer = XCALLOC(MTYPE_CTL_PEER, sizeof(*peer));
	peer->ctl = ctl;
	peer->id = *id;
	peer->state = DOWN;
	peer->since_us = now_us;
	peer->due_us = now_us + LINGER_US;
	ctl_stream_init(&peer->stream);
	ctl_peers_add(&ctl->peers, peer);
	ctl_peer_dues_add(&ctl->peer_dues, peer);
	return peer;
}

void ctl_peer_free(struct ctl_peer *peer)
{
	ctl_peers_del(&peer->ctl->peers, peer);
	ctl_peer_dues_del(&peer->ctl->peer_dues, peer);
	ctl_stream_reset(&peer->stream);
	XFREE(MTYPE_CTL_PEER, peer);
}

const struct ctl_id *ctl_peer_id(const struct ctl_peer *peer)
{
	return &peer->id;
}

bool ctl_peer_up(const struct ctl_peer *peer)
{
	return peer->remote != 0;
}

void ctl_peer_view(const struct ctl_peer *peer, struct ctl_peer_view *view)
{
	*view = (struct ctl_peer_view){
		.id = peer->id,
		.state = ctl_peer_state_str(peer->state),
		.up = peer->remote != 0,
		.since_us = peer->since_us,
		.last_reason = peer->reason,
		.timers = ctl_peer_timers(peer),
		.theirs = peer->theirs,
		.ups = peer->ups,
		.items_rx = peer->items_rx,
		.items_tx = peer->items_tx,
		.items_resent = peer->stream.resent,
		.queued = ctl_stream_queued(&peer->stream),
	};
	for (int i = 0; i < CTL_LINKS_MAX; i++) {
		const struct ctl_link *link = &peer->links[i];

		if (!link->used || link->next)
			continue;
		view->links[view->n_links++] = (struct ctl_link_view){
			.path = link->path,
			.up = link->up,
			.dialled = link->dial != NULL,
			.hears_us = link->hears_us,
			.since_us = link->since_us,
			.heard_us = link->heard_us,
			.rx = link->rx,
			.tx = link->tx,
		};
	}
}
