// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/ctl_private.h"

#include "memory.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, CTL, "Control node");

bool ctl_timers_valid(const struct ctl_timers *timers)
{
	return timers->keepalive_ms >= CTL_KEEPALIVE_MIN_MS &&
	       timers->keepalive_ms <= CTL_KEEPALIVE_MAX_MS &&
	       timers->dead_ms >= CTL_DEAD_MIN_MS &&
	       timers->dead_ms <= CTL_DEAD_MAX_MS &&
	       timers->dead_ms >= 2 * timers->keepalive_ms;
}

void ctl_config_default(struct ctl_config *config)
{
	struct ctl_id id = config->id;

	*config = (struct ctl_config){
		.id = id,
		.timers = { CTL_KEEPALIVE_DEFAULT_MS, CTL_DEAD_DEFAULT_MS },
		.peers_max = CTL_PEERS_MAX,
		/* Many nodes may sit behind one address. */
		.replies_source = { .per_second = 200, .burst = 1000 },
		.replies_total = { .per_second = 5000, .burst = 20000 },
		/*
		 * A failure costs a microsecond; who has used them up isn't
		 * heard, so it must not be easy to do that in another's name.
		 */
		.failures_source = { .per_second = 1000, .burst = 2000 },
		.failures_total = { .per_second = 10000, .burst = 10000 },
	};
}

struct ctl *ctl_new(const struct ctl_config *config, const struct ctl_ops *ops,
		    void *arg, int64_t now_us)
{
	struct ctl *ctl = XCALLOC(MTYPE_CTL, sizeof(*ctl));
	uint8_t secret[CTL_MAC_LEN];
	uint32_t seed;

	ctl->config = *config;
	ctl->ops = ops;
	ctl->arg = arg;
	ctl->wake_us = INT64_MAX;
	ops->random(arg, secret, sizeof(secret));
	ctl_key_init(&ctl->secret, 0, secret, sizeof(secret));
	explicit_bzero(secret, sizeof(secret));
	ops->random(arg, &seed, sizeof(seed));
	ctl->replies = ctl_rate_new(config->replies_source,
				    config->replies_total, seed);
	ctl->failures = ctl_rate_new(config->failures_source,
				     config->failures_total, seed);
	ctl_peers_init(&ctl->peers);
	ctl_peer_dues_init(&ctl->peer_dues);
	ctl_dials_init(&ctl->dials);
	ctl_dial_dues_init(&ctl->dial_dues);
	return ctl;
}

void ctl_free(struct ctl **ctlp)
{
	struct ctl *ctl = *ctlp;
	struct ctl_dial *dial;
	struct ctl_peer *peer;

	if (!ctl)
		return;
	while ((dial = ctl_dials_first(&ctl->dials)))
		ctl_dial_destroy(dial);
	while ((peer = ctl_peers_first(&ctl->peers)))
		ctl_peer_free(peer);
	ctl_peers_fini(&ctl->peers);
	ctl_peer_dues_fini(&ctl->peer_dues);
	ctl_dials_fini(&ctl->dials);
	ctl_dial_dues_fini(&ctl->dial_dues);
	ctl_rate_free(&ctl->replies);
	ctl_rate_free(&ctl->failures);
	ctl_key_wipe(&ctl->secret);
	XFREE(MTYPE_CTL, *ctlp);
}

void ctl_stop(struct ctl *ctl, int64_t now_us)
{
	struct ctl_peer *peer;

	ctl->stopped = true;
	frr_each (ctl_peers, &ctl->peers, peer)
		ctl_peer_shut(peer, CTL_REASON_STOPPED, now_us);
}

const struct ctl_id *ctl_own_id(const struct ctl *ctl)
{
	return &ctl->config.id;
}

void ctl_permit_changed(struct ctl *ctl, int64_t now_us)
{
	struct ctl_peer *peer;

	frr_each (ctl_peers, &ctl->peers, peer)
		ctl_peer_permit(peer, now_us);
}

void ctl_timers_set(struct ctl *ctl, struct ctl_timers timers, int64_t now_us)
{
	struct ctl_peer *peer;

	/* Nobody's silence begins anew for nothing. */
	if (timers.keepalive_ms == ctl->config.timers.keepalive_ms &&
	    timers.dead_ms == ctl->config.timers.dead_ms)
		return;
	ctl->config.timers = timers;
	frr_each (ctl_peers, &ctl->peers, peer)
		if (peer->remote)
			ctl_links_retime(peer, true, now_us);
}

void ctl_trace(struct ctl *ctl, const struct ctl_id *id,
	       const struct ctl_path *path, const char *what, const char *detail)
{
	if (ctl->ops->trace)
		ctl->ops->trace(ctl->arg, id, path, what, detail);
}

void ctl_refused(struct ctl *ctl, enum ctl_counter why, const struct ctl_id *id,
		 const struct ctl_path *path, const char *detail)
{
	ctl->counters[why]++;
	ctl_trace(ctl, id, path, ctl_counter_str(why), detail);
}

uint64_t ctl_random64(struct ctl *ctl)
{
	uint64_t number;

	do
		ctl->ops->random(ctl->arg, &number, sizeof(number));
	while (!number);
	return number;
}

int64_t ctl_jitter(struct ctl *ctl, int64_t us, int part)
{
	return (int64_t)(ctl_random64(ctl) % (uint64_t)(us / part + 1));
}

void ctl_wake(struct ctl *ctl, int64_t at_us)
{
	if (at_us >= ctl->wake_us)
		return;
	ctl->wake_us = at_us;
	ctl->ops->wake(ctl->arg, at_us);
}

void ctl_run(struct ctl *ctl, int64_t now_us)
{
	struct ctl_peer *peer;
	struct ctl_dial *dial;
	int64_t next_us = INT64_MAX;

	/* Nobody is woken for what happens in here: the end looks. */
	ctl->wake_us = INT64_MIN;
	while (!ctl->stopped && (dial = ctl_dial_dues_first(&ctl->dial_dues)) &&
	       dial->due_us <= now_us)
		ctl_dial_run(dial, now_us);
	while ((peer = ctl_peer_dues_first(&ctl->peer_dues)) &&
	       (peer->due_us <= now_us || ctl_links_soon(peer, now_us)))
		ctl_peer_run(peer, now_us);

	dial = ctl_dial_dues_first(&ctl->dial_dues);
	if (dial && !ctl->stopped)
		next_us = dial->due_us;
	peer = ctl_peer_dues_first(&ctl->peer_dues);
	if (peer && peer->due_us < next_us)
		next_us = peer->due_us;
	ctl->wake_us = INT64_MAX;
	ctl_wake(ctl, next_us);
}

void ctl_transmit(struct ctl *ctl, const struct ctl_path *path,
		  struct ctl_msg *msg)
{
	const struct ctl_key *key = ctl->ops->key_send(ctl->arg);
	uint8_t buf[CTL_DATAGRAM_MAX];
	char err[80];
	size_t len;

	if (!key) {
		ctl->counters[CTL_TX_NO_KEY]++;
		return;
	}
	msg->sender = ctl->config.id;
	msg->key_id = key->id;
	len = ctl_encode(msg, buf, sizeof(buf), err, sizeof(err));
	assert(len);
	ctl_auth_sign(key, buf, len);
	ctl->counters[CTL_TX]++;
	ctl->ops->send(ctl->arg, path, buf, len);
}

bool ctl_may_reply(struct ctl *ctl, const struct ctl_path *path, int64_t now_us)
{
	if (ctl_rate_take(ctl->replies, &path->remote, now_us))
		return true;
	ctl_refused(ctl, CTL_REPLY_LIMITED, NULL, path, NULL);
	return false;
}

void ctl_reject(struct ctl *ctl, const struct ctl_path *path,
		const struct ctl_msg *msg, enum ctl_reason reason,
		int64_t now_us)
{
	struct ctl_msg reply = {
		.type = CTL_REJECT,
		/* As the other side sees it: it knows them, or ignores us. */
		.src = msg->dst,
		.dst = msg->src,
		.reason = (uint16_t)reason,
		.reason_seq = msg->seq,
	};

	if (ctl_may_reply(ctl, path, now_us))
		ctl_transmit(ctl, path, &reply);
}

/* What a cookie is bound to besides the stranger: old ones end with it. */
static uint64_t cookie_epoch(const struct ctl_peer *peer)
{
	return peer ? peer->ups : 0;
}

void ctl_challenge(struct ctl *ctl, const struct ctl_path *path,
		   const struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_msg reply = { .type = CTL_CHALLENGE, .dst = msg->src };

	if (!ctl_may_reply(ctl, path, now_us))
		return;
	ctl_cookie_make(&ctl->secret, path, &msg->sender,
			cookie_epoch(ctl_peer_find(ctl, &msg->sender)), now_us,
			reply.cookie);
	ctl_transmit(ctl, path, &reply);
}

void ctl_duplicate_seen(struct ctl *ctl, const struct ctl_id *id,
			const struct ctl_path *path, int64_t now_us)
{
	struct ctl_duplicate *slot = &ctl->duplicates[0];

	ctl_refused(ctl, CTL_RX_DUPLICATE_ID, id, path, NULL);
	for (int i = 0; i < CTL_DUPLICATES_MAX; i++) {
		struct ctl_duplicate *seen = &ctl->duplicates[i];

		if (seen->count && !ctl_id_cmp(&seen->id, id) &&
		    ctl_path_same_remote(&seen->path, path)) {
			slot = seen;
			break;
		}
		if (seen->last_us < slot->last_us || !seen->count)
			slot = seen;
	}
	if (ctl_id_cmp(&slot->id, id) ||
	    !ctl_path_same_remote(&slot->path, path))
		*slot = (struct ctl_duplicate){ .id = *id, .path = *path };
	slot->count++;
	slot->last_us = now_us;
	if (ctl->ops->duplicate)
		ctl->ops->duplicate(ctl->arg, id, path);
}

size_t ctl_duplicates(const struct ctl *ctl, int64_t now_us,
		      struct ctl_duplicate list[CTL_DUPLICATES_MAX])
{
	size_t n = 0;

	for (int i = 0; i < CTL_DUPLICATES_MAX; i++) {
		const struct ctl_duplicate *seen = &ctl->duplicates[i];

		if (seen->count &&
		    now_us - seen->last_us < CTL_DUPLICATE_LIFE_US)
			list[n++] = *seen;
	}
	return n;
}

struct ctl_peer *ctl_peer_find(struct ctl *ctl, const struct ctl_id *id)
{
	struct ctl_peer ref;

	ref.id = *id;
	return ctl_peers_find(&ctl->peers, &ref);
}

/* A sender with our own ID: a mirror, or a node that must not be. */
static void receive_own(struct ctl *ctl, const struct ctl_path *path,
			const struct ctl_msg *msg, int64_t now_us)
{
	/* We don't answer our own: an answer to it is another node's. */
	if (msg->type == CTL_CHALLENGE) {
		ctl_dial_challenge(ctl, path, msg, now_us);
		return;
	}
	if (msg->type == CTL_REJECT) {
		ctl_dial_rejected(ctl, path, msg, now_us);
		return;
	}
	if ((msg->type != CTL_HELLO && msg->type != CTL_OPEN) ||
	    ctl_dial_ours(ctl, msg->src)) {
		ctl_refused(ctl, CTL_RX_REFLECTED, &msg->sender, path,
			    ctl_type_str(msg->type));
		return;
	}
	if (msg->type == CTL_HELLO) {
		ctl_challenge(ctl, path, msg, now_us);
		return;
	}
	if (!ctl_cookie_check(&ctl->secret, path, &msg->sender, 0, now_us,
			      msg->cookie)) {
		ctl_refused(ctl, CTL_RX_COOKIE, &msg->sender, path, NULL);
		return;
	}
	ctl_duplicate_seen(ctl, &msg->sender, path, now_us);
	ctl_reject(ctl, path, msg, CTL_REASON_DUPLICATE, now_us);
}

static void receive_open(struct ctl *ctl, const struct ctl_path *path,
			 const struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_peer *peer = ctl_peer_find(ctl, &msg->sender);

	if (!ctl_cookie_check(&ctl->secret, path, &msg->sender,
			      cookie_epoch(peer), now_us, msg->cookie)) {
		ctl_refused(ctl, CTL_RX_COOKIE, &msg->sender, path, NULL);
		ctl_challenge(ctl, path, msg, now_us);
		return;
	}
	if (ctl->ops->permit && !ctl->ops->permit(ctl->arg, &msg->sender, path)) {
		ctl_refused(ctl, CTL_RX_NOT_PERMITTED, &msg->sender, path, NULL);
		ctl_reject(ctl, path, msg, CTL_REASON_NOT_PERMITTED, now_us);
		return;
	}
	peer = ctl_peer_get(ctl, &msg->sender, now_us);
	if (!peer) {
		ctl_refused(ctl, CTL_RX_FULL, &msg->sender, path, NULL);
		ctl_reject(ctl, path, msg, CTL_REASON_FULL, now_us);
		return;
	}
	ctl_peer_open(peer, path, msg, now_us);
}

/* Authentic, and not from ourselves. */
static void receive_checked(struct ctl *ctl, const struct ctl_path *path,
			    const struct ctl_msg *msg, int64_t now_us)
{
	struct ctl_peer *peer;

	switch (msg->type) {
	case CTL_HELLO:
		ctl_challenge(ctl, path, msg, now_us);
		break;
	case CTL_CHALLENGE:
		ctl_dial_challenge(ctl, path, msg, now_us);
		break;
	case CTL_OPEN:
		receive_open(ctl, path, msg, now_us);
		break;
	case CTL_OPEN_ACK:
		ctl_dial_open_ack(ctl, path, msg, now_us);
		break;
	case CTL_KEEPALIVE:
	case CTL_DATA:
	case CTL_GOODBYE:
		peer = ctl_peer_find(ctl, &msg->sender);
		if (peer) {
			ctl_peer_message(peer, path, msg, now_us);
			break;
		}
		ctl_refused(ctl, CTL_RX_SESSION, &msg->sender, path,
			    ctl_type_str(msg->type));
		if (msg->type != CTL_GOODBYE)
			ctl_reject(ctl, path, msg, CTL_REASON_UNKNOWN, now_us);
		break;
	case CTL_REJECT:
		peer = ctl_peer_find(ctl, &msg->sender);
		if (msg->reason == CTL_REASON_UNKNOWN && peer)
			ctl_peer_unknown(peer, path, msg, now_us);
		else
			ctl_dial_rejected(ctl, path, msg, now_us);
		break;
	}
}

/* May a datagram from there be looked at for its MAC? */
static bool source_known(struct ctl *ctl, const struct ctl_path *path,
			 const struct ctl_id *sender)
{
	struct ctl_peer *peer = ctl_peer_find(ctl, sender);

	/* Nobody who borrows a peer's address may keep it from us. */
	if (ctl_dialled(ctl, path))
		return true;
	return peer && (ctl_peer_link(peer, path, false) ||
			ctl_peer_link(peer, path, true));
}

static void receive_failed(struct ctl *ctl, const struct ctl_path *path,
			   const struct ctl_msg *msg, enum ctl_counter counter,
			   int64_t now_us)
{
	char key[24];

	snprintf(key, sizeof(key), "key %u", msg->key_id);
	ctl_refused(ctl, counter, &msg->sender, path, key);
	ctl_rate_take(ctl->failures, &path->remote, now_us);
}

void ctl_receive(struct ctl *ctl, const struct ctl_path *path,
		 const uint8_t *buf, size_t len, int64_t now_us)
{
	static const enum ctl_counter counters[] = {
		[CTL_BAD_LENGTH] = CTL_RX_LENGTH,
		[CTL_BAD_MAGIC] = CTL_RX_MAGIC,
		[CTL_BAD_VERSION] = CTL_RX_VERSION,
		[CTL_BAD_TYPE] = CTL_RX_TYPE,
		[CTL_BAD_TLV] = CTL_RX_TLV,
	};
	const struct ctl_key *key;
	enum ctl_verdict verdict;
	struct ctl_msg msg;
	char err[80];

	ctl->counters[CTL_RX]++;
	if (ctl->stopped)
		return;
	verdict = ctl_decode_header(buf, len, &msg, err, sizeof(err));
	if (verdict != CTL_OK) {
		ctl_refused(ctl, counters[verdict], NULL, path, err);
		return;
	}
	if (ctl_rate_spent(ctl->failures, &path->remote, now_us) &&
	    !source_known(ctl, path, &msg.sender)) {
		ctl_refused(ctl, CTL_RX_LIMITED, &msg.sender, path, NULL);
		return;
	}
	key = ctl->ops->key_accept(ctl->arg, msg.key_id);
	if (!key) {
		receive_failed(ctl, path, &msg, CTL_RX_KEY, now_us);
		return;
	}
	if (!ctl_auth_check(key, buf, len)) {
		receive_failed(ctl, path, &msg, CTL_RX_AUTH, now_us);
		return;
	}
	verdict = ctl_decode_body(buf, len, &msg, err, sizeof(err));
	if (verdict != CTL_OK) {
		ctl_refused(ctl, counters[verdict], &msg.sender, path, err);
		return;
	}
	ctl->counters[CTL_RX_SKIPPED_TLV] += msg.skipped;
	if (ctl_id_is_null(&msg.sender)) {
		ctl_refused(ctl, CTL_RX_NOT_PERMITTED, NULL, path,
			    "no logical ID");
		return;
	}
	if (ctl_id_cmp(&msg.sender, &ctl->config.id))
		receive_checked(ctl, path, &msg, now_us);
	else
		receive_own(ctl, path, &msg, now_us);
}

bool ctl_register(struct ctl *ctl, const struct ctl_capability *cap)
{
	if (ctl->n_caps == CTL_CAPABILITIES_MAX ||
	    cap->type_first < CTL_ITEM_USER || cap->type_last < cap->type_first)
		return false;
	for (unsigned int i = 0; i < ctl->n_caps; i++)
		if (cap->type_first <= ctl->caps[i]->type_last &&
		    ctl->caps[i]->type_first <= cap->type_last)
			return false;
	ctl->caps[ctl->n_caps++] = cap;
	return true;
}

const struct ctl_capability *
ctl_capability_of(const struct ctl *ctl, uint16_t type, unsigned int *index)
{
	for (unsigned int i = 0; i < ctl->n_caps; i++) {
		if (type < ctl->caps[i]->type_first ||
		    type > ctl->caps[i]->type_last)
			continue;
		*index = i;
		return ctl->caps[i];
	}
	return NULL;
}

bool ctl_peer_next(struct ctl *ctl, const struct ctl_id *after,
		   struct ctl_peer_view *view)
{
	struct ctl_peer ref, *peer;

	if (after) {
		ref.id = *after;
		peer = ctl_peers_find_gteq(&ctl->peers, &ref);
		if (peer && !ctl_id_cmp(&peer->id, after))
			peer = ctl_peers_next(&ctl->peers, peer);
	} else {
		peer = ctl_peers_first(&ctl->peers);
	}
	if (peer)
		ctl_peer_view(peer, view);
	return peer != NULL;
}

struct ctl_peer_counts ctl_peer_counts(const struct ctl *ctl)
{
	struct ctl_peer_counts counts = {};
	const struct ctl_peer *peer;

	frr_each (ctl_peers_const, &ctl->peers, peer) {
		counts.known++;
		counts.up += peer->remote != 0;
	}
	return counts;
}

uint64_t ctl_counter(const struct ctl *ctl, enum ctl_counter counter)
{
	return ctl->counters[counter];
}

const char *ctl_counter_str(enum ctl_counter counter)
{
	static const char *const names[CTL_COUNTERS] = {
		[CTL_RX] = "rx",
		[CTL_TX] = "tx",
		[CTL_TX_NO_KEY] = "txNoKey",
		[CTL_RX_LENGTH] = "rxBadLength",
		[CTL_RX_MAGIC] = "rxForeign",
		[CTL_RX_VERSION] = "rxUnknownVersion",
		[CTL_RX_TYPE] = "rxUnknownType",
		[CTL_RX_TLV] = "rxMalformed",
		[CTL_RX_KEY] = "rxUnknownKey",
		[CTL_RX_AUTH] = "rxWrongMac",
		[CTL_RX_LIMITED] = "rxLimited",
		[CTL_RX_REFLECTED] = "rxReflected",
		[CTL_RX_COOKIE] = "rxBadCookie",
		[CTL_RX_REPLAYED] = "rxReplayed",
		[CTL_RX_SESSION] = "rxUnknownSession",
		[CTL_RX_LINK] = "rxUnknownLink",
		[CTL_RX_UNEXPECTED] = "rxUnexpected",
		[CTL_RX_NOT_PERMITTED] = "rxNotPermitted",
		[CTL_RX_FULL] = "rxTooManyPeers",
		[CTL_RX_DUPLICATE_ID] = "rxDuplicateId",
		[CTL_RX_SKIPPED_TLV] = "rxSkippedTlvs",
		[CTL_RX_UNKNOWN_ITEM] = "rxUnknownItems",
		[CTL_REPLY_LIMITED] = "repliesLimited",
	};

	return names[counter];
}
