// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An address that is called until it is a link of a session, as a state
 * machine: step() is the one writer of the state.
 *
 *	hello -> challenge -> open (with the cookie) -> open-ack
 *
 * Whatever isn't answered is sent again, at growing intervals; it never gives
 * up.  Who is there, the challenge says.
 */
#include "config.h"

#include <string.h>

#include "core/ctl_private.h"

#include "memory.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, CTL_DIAL, "Control dial");

#define RETRY_FIRST_US (S_US / 4)
#define RETRY_MAX_US   (5 * S_US)
/* Somebody is there who may have to see first that we aren't two. */
#define OPEN_MAX_US S_US
/* After a refusal that only a human can change. */
#define REFUSED_US (10 * S_US)
/* Opens without answer, before it is asked again who is there. */
#define OPEN_LIFE_US (10 * S_US)
/* A challenge is answered once in this time. */
#define CHALLENGE_PACE_US (S_US / 10)

enum event {
	TIMER,
	STALE,	    /* opens were not answered for too long */
	CHALLENGED, /* with the number that we last sent */
	ACKED,	    /* the open that we sent */
	REJECTED,   /* the hello or open that we sent */
	CROWDED,    /* the session has no room for the link */
	LOST,	    /* the link is gone or silent */
	HEARD,	    /* the link is heard */
	EVENTS,
};

struct context {
	const struct ctl_msg *msg;
	enum ctl_reason reason;
	int64_t now_us;
};

static void dial_schedule(struct ctl_dial *dial, int64_t at_us)
{
	struct ctl *ctl = dial->ctl;

	ctl_dial_dues_del(&ctl->dial_dues, dial);
	dial->due_us = at_us;
	ctl_dial_dues_add(&ctl->dial_dues, dial);
	ctl_wake(ctl, at_us);
}

/* Sets the time of the next attempt, and doubles the interval. */
static void dial_later(struct ctl_dial *dial, int64_t now_us)
{
	int64_t wait_us = dial->resend_us;

	dial->resend_us *= 2;
	if (dial->resend_us > RETRY_MAX_US)
		dial->resend_us = RETRY_MAX_US;
	dial_schedule(dial,
		      now_us + wait_us - ctl_jitter(dial->ctl, wait_us, 4));
}

/* The number that an answer must repeat. */
static uint64_t dial_number(struct ctl_dial *dial)
{
	if (dial->state == CTL_DIAL_OPEN && dial->peer)
		return ctl_peer_number(dial->peer);
	return dial->nonce;
}

/* -- actions -- */

static void ignore(struct ctl_dial *dial, const struct context *context)
{
	ctl_refused(dial->ctl, CTL_RX_UNEXPECTED, &context->msg->sender,
		    &dial->config.path, ctl_type_str(context->msg->type));
}

static void none(struct ctl_dial *dial, const struct context *context)
{
}

static void send_hello(struct ctl_dial *dial, int64_t now_us)
{
	struct ctl_msg msg = { .type = CTL_HELLO, .src = dial->nonce };

	ctl_transmit(dial->ctl, &dial->config.path, &msg);
	dial_later(dial, now_us);
}

static void hello(struct ctl_dial *dial, const struct context *context)
{
	dial->nonce = ctl_random64(dial->ctl);
	send_hello(dial, context->now_us);
}

static void hello_again(struct ctl_dial *dial, const struct context *context)
{
	send_hello(dial, context->now_us);
}

static void send_open(struct ctl_dial *dial, int64_t now_us)
{
	struct ctl_timers timers = dial->ctl->config.timers;
	struct ctl_msg msg = { .type = CTL_OPEN, .src = dial->nonce };

	/* Without a peer it is ourselves that we talk to, see challenged(). */
	if (dial->peer) {
		timers = ctl_peer_timers(dial->peer);
		msg.src = ctl_peer_number(dial->peer);
		msg.dst = dial->peer->remote;
	}
	msg.keepalive_ms = timers.keepalive_ms;
	msg.dead_ms = timers.dead_ms;
	memcpy(msg.cookie, dial->cookie, CTL_COOKIE_LEN);
	ctl_transmit(dial->ctl, &dial->config.path, &msg);
	dial_later(dial, now_us);
	if (dial->resend_us > OPEN_MAX_US)
		dial->resend_us = OPEN_MAX_US;
}

static void open_first(struct ctl_dial *dial, const struct context *context)
{
	memcpy(dial->cookie, context->msg->cookie, CTL_COOKIE_LEN);
	dial->opened_us = dial->challenged_us = context->now_us;
	dial->resend_us = RETRY_FIRST_US;
	send_open(dial, context->now_us);
}

/* The cookie had become too old, or this is an old challenge. */
static void open_again(struct ctl_dial *dial, const struct context *context)
{
	if (context->now_us - dial->challenged_us < CHALLENGE_PACE_US)
		return;
	dial->challenged_us = context->now_us;
	memcpy(dial->cookie, context->msg->cookie, CTL_COOKIE_LEN);
	send_open(dial, context->now_us);
}

static void open_timer(struct ctl_dial *dial, const struct context *context)
{
	send_open(dial, context->now_us);
}

static void joined(struct ctl_dial *dial, const struct context *context)
{
	dial->refused = CTL_REASON_NONE;
	dial_schedule(dial, INT64_MAX);
}

static void wait_short(struct ctl_dial *dial, const struct context *context)
{
	dial->resend_us = RETRY_FIRST_US;
	dial_later(dial, context->now_us);
}

static void wait_long(struct ctl_dial *dial, const struct context *context)
{
	struct ctl_peer *peer = dial->peer;

	dial->refused = context->reason;
	/* This refusal is of this number: the next attempt has another. */
	if (peer && !peer->remote && !peer->next_remote)
		peer->next_local = 0;
	dial->resend_us = RETRY_FIRST_US;
	dial_schedule(dial, context->now_us + REFUSED_US -
				    ctl_jitter(dial->ctl, REFUSED_US, 4));
}

/* -- the table -- */

struct transition {
	enum ctl_dial_state next;
	void (*action)(struct ctl_dial *dial, const struct context *context);
};

#define WAIT   CTL_DIAL_WAIT
#define HELLO  CTL_DIAL_HELLO
#define OPEN   CTL_DIAL_OPEN
#define JOINED CTL_DIAL_JOINED

/* clang-format off */
static const struct transition transitions[CTL_DIAL_STATES][EVENTS] = {
	[WAIT] = {
		[TIMER]	     = { HELLO,  hello },
		[STALE]	     = { WAIT,   none },
		[CHALLENGED] = { WAIT,   ignore },
		[ACKED]	     = { WAIT,   ignore },
		[REJECTED]   = { WAIT,   ignore },
		[CROWDED]    = { WAIT,   none },
		[LOST]	     = { WAIT,   none },
		[HEARD]	     = { JOINED, joined },
	},
	[HELLO] = {
		[TIMER]	     = { HELLO,  hello_again },
		[STALE]	     = { HELLO,  none },
		[CHALLENGED] = { OPEN,   open_first },
		[ACKED]	     = { HELLO,  ignore },
		[REJECTED]   = { WAIT,   wait_long },
		[CROWDED]    = { HELLO,  none },
		[LOST]	     = { HELLO,  none },
		[HEARD]	     = { JOINED, joined },
	},
	[OPEN] = {
		[TIMER]	     = { OPEN,   open_timer },
		[STALE]	     = { HELLO,  hello },
		[CHALLENGED] = { OPEN,   open_again },
		[ACKED]	     = { JOINED, joined },
		[REJECTED]   = { WAIT,   wait_long },
		[CROWDED]    = { OPEN,   none },
		[LOST]	     = { OPEN,   none },
		[HEARD]	     = { JOINED, joined },
	},
	[JOINED] = {
		[TIMER]	     = { JOINED, joined },
		[STALE]	     = { JOINED, none },
		[CHALLENGED] = { JOINED, ignore },
		[ACKED]	     = { JOINED, ignore },
		[REJECTED]   = { JOINED, ignore },
		[CROWDED]    = { WAIT,   wait_long },
		[LOST]	     = { WAIT,   wait_short },
		[HEARD]	     = { JOINED, none },
	},
};
/* clang-format on */

static void step(struct ctl_dial *dial, enum event event,
		 const struct context *context)
{
	const struct transition *transition = &transitions[dial->state][event];

	if (dial->state != transition->next)
		ctl_trace(dial->ctl, dial->peer ? &dial->peer->id : NULL,
			  &dial->config.path, "dial",
			  ctl_dial_state_str(transition->next));
	dial->state = transition->next;
	transition->action(dial, context);
}

const char *ctl_dial_state_str(enum ctl_dial_state state)
{
	static const char *const names[CTL_DIAL_STATES] = {
		[WAIT] = "waiting",
		[HELLO] = "calling",
		[OPEN] = "opening",
		[JOINED] = "joined",
	};

	return names[state];
}

/* -- what happens becomes an event -- */

void ctl_dial_run(struct ctl_dial *dial, int64_t now_us)
{
	struct context context = { .now_us = now_us };

	bool stale = dial->state == OPEN &&
		     now_us - dial->opened_us > OPEN_LIFE_US;

	step(dial, stale ? STALE : TIMER, &context);
}

void ctl_dial_lost(struct ctl_dial *dial, int64_t now_us)
{
	struct context context = { .now_us = now_us };

	step(dial, LOST, &context);
}

void ctl_dial_crowded(struct ctl_dial *dial, int64_t now_us)
{
	struct context context = { .reason = CTL_REASON_CROWDED,
				   .now_us = now_us };

	step(dial, CROWDED, &context);
}

void ctl_dial_heard(struct ctl_dial *dial, int64_t now_us)
{
	struct context context = { .now_us = now_us };

	step(dial, HEARD, &context);
}

/* Paths that differ only in the local address are neighbours. */
static struct ctl_dial *dial_find(struct ctl *ctl, const struct ctl_path *path)
{
	struct ctl_dial ref, *dial;

	ref.config.path = *path;
	memset(&ref.config.path.local, 0, sizeof(ref.config.path.local));
	dial = ctl_dials_find_gteq(&ctl->dials, &ref);
	while (dial && ctl_path_same_remote(&dial->config.path, path)) {
		if (ctl_path_same(&dial->config.path, path))
			return dial;
		dial = ctl_dials_next(&ctl->dials, dial);
	}
	return NULL;
}

bool ctl_dialled(struct ctl *ctl, const struct ctl_path *path)
{
	return dial_find(ctl, path) != NULL;
}

static void dial_peer_set(struct ctl_dial *dial, struct ctl_peer *peer,
			  int64_t now_us)
{
	struct ctl_peer *old = dial->peer;

	if (old == peer)
		return;
	dial->peer = peer;
	if (peer) {
		peer->n_dials++;
		if (dial->config.timers.keepalive_ms)
			peer->own = dial->config.timers;
	}
	if (old)
		ctl_peer_undial(old, dial, now_us);
}

/* Who answers has our own ID. It knows as little as we do: let it see ours. */
static void challenged_by_twin(struct ctl_dial *dial,
			       const struct ctl_path *path,
			       const struct ctl_msg *msg, int64_t now_us)
{
	if (now_us - dial->challenged_us < CHALLENGE_PACE_US)
		return;
	dial->challenged_us = now_us;
	dial->refused = CTL_REASON_DUPLICATE;
	ctl_duplicate_seen(dial->ctl, &msg->sender, path, now_us);
	dial_peer_set(dial, NULL, now_us);
	memcpy(dial->cookie, msg->cookie, CTL_COOKIE_LEN);
	send_open(dial, now_us);
	dial_schedule(dial, now_us + REFUSED_US);
}

void ctl_dial_challenge(struct ctl *ctl, const struct ctl_path *path,
			const struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_dial *dial = dial_find(ctl, path);
	struct context context = { .msg = msg, .now_us = now_us };
	struct ctl_peer *peer;

	if (!dial || !msg->dst || msg->dst != dial_number(dial) ||
	    (dial->state != HELLO && dial->state != OPEN)) {
		ctl_refused(ctl, CTL_RX_UNEXPECTED, &msg->sender, path,
			    ctl_type_str(msg->type));
		return;
	}
	if (!ctl_id_cmp(&msg->sender, &ctl->config.id)) {
		challenged_by_twin(dial, path, msg, now_us);
		return;
	}
	dial->wrong_id = !ctl_id_is_null(&dial->config.id) &&
			 ctl_id_cmp(&dial->config.id, &msg->sender);
	if (dial->wrong_id) {
		ctl_refused(ctl, CTL_RX_NOT_PERMITTED, &msg->sender, path,
			    "another node should be there");
		return;
	}
	peer = ctl_peer_get(ctl, &msg->sender, now_us);
	if (!peer) {
		ctl_refused(ctl, CTL_RX_FULL, &msg->sender, path, NULL);
		dial->refused = CTL_REASON_FULL;
		return;
	}
	dial_peer_set(dial, peer, now_us);
	step(dial, CHALLENGED, &context);
}

void ctl_dial_open_ack(struct ctl *ctl, const struct ctl_path *path,
		       const struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_dial *dial = dial_find(ctl, path);
	struct context context = { .msg = msg, .now_us = now_us };

	if (!dial || dial->state != OPEN || !dial->peer ||
	    ctl_id_cmp(&dial->peer->id, &msg->sender) ||
	    !ctl_peer_open_ack_fits(dial->peer, msg)) {
		ctl_refused(ctl, CTL_RX_UNEXPECTED, &msg->sender, path,
			    ctl_type_str(msg->type));
		return;
	}
	step(dial, ACKED, &context);
	/* Last: its callbacks may free the dial. */
	ctl_peer_open_ack(dial->peer, dial, path, msg, now_us);
}

void ctl_dial_rejected(struct ctl *ctl, const struct ctl_path *path,
		       const struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_dial *dial = dial_find(ctl, path);
	struct context context = { .msg = msg,
				   .reason = msg->reason,
				   .now_us = now_us };

	if (!dial || !msg->dst || msg->dst != dial_number(dial) ||
	    (dial->peer && dial->state == OPEN &&
	     ctl_id_cmp(&dial->peer->id, &msg->sender))) {
		ctl_refused(ctl, CTL_RX_UNEXPECTED, &msg->sender, path,
			    ctl_type_str(msg->type));
		return;
	}
	step(dial, REJECTED, &context);
}

bool ctl_dial_ours(struct ctl *ctl, uint64_t number)
{
	struct ctl_dial *dial;

	frr_each (ctl_dials, &ctl->dials, dial) {
		if (dial->nonce == number)
			return true;
		if (dial->peer && (dial->peer->local == number ||
				   dial->peer->next_local == number))
			return true;
	}
	return false;
}

/* -- life -- */

struct ctl_dial *ctl_dial_new(struct ctl *ctl,
			      const struct ctl_dial_config *config,
			      int64_t now_us)
{
	struct ctl_dial *dial = XCALLOC(MTYPE_CTL_DIAL, sizeof(*dial));

	dial->ctl = ctl;
	dial->config = *config;
	dial->state = WAIT;
	dial->resend_us = RETRY_FIRST_US;
	dial->due_us = now_us;
	dial->challenged_us = now_us - CHALLENGE_PACE_US;
	if (ctl_dials_add(&ctl->dials, dial)) {
		XFREE(MTYPE_CTL_DIAL, dial);
		return NULL;
	}
	ctl_dial_dues_add(&ctl->dial_dues, dial);
	ctl_wake(ctl, now_us);
	return dial;
}

void ctl_dial_destroy(struct ctl_dial *dial)
{
	ctl_dials_del(&dial->ctl->dials, dial);
	ctl_dial_dues_del(&dial->ctl->dial_dues, dial);
	XFREE(MTYPE_CTL_DIAL, dial);
}

void ctl_dial_free(struct ctl_dial **dialp, int64_t now_us)
{
	struct ctl_dial *dial = *dialp;

	if (!dial)
		return;
	*dialp = NULL;
	dial_peer_set(dial, NULL, now_us);
	ctl_dial_destroy(dial);
}

struct ctl_peer *ctl_dial_peer(const struct ctl_dial *dial)
{
	return dial->peer;
}

void ctl_dial_view(const struct ctl_dial *dial, struct ctl_dial_view *view)
{
	*view = (struct ctl_dial_view){
		.state = ctl_dial_state_str(dial->state),
		.path = dial->config.path,
		.refused = dial->refused,
		.wrong_id = dial->wrong_id,
		.next_us = dial->due_us,
	};
	if (dial->peer)
		view->answered = dial->peer->id;
}
