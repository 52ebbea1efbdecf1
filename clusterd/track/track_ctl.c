// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracked routes as a capability of the control protocol.
 *
 *	track.c		what is to be told; asks what was said
 *	track_told.c	(pure) what others know: the difference is sent
 *	track_heard.c	(pure) what each of them has said in this session
 *	track_codec.c	(pure) items; track_wire.h describes them
 *
 * Every node with a session is told, and whatever comes is kept, bounded: which
 * of it matters, the configuration of next hops says.
 */
#include "cluster_compat.h"

#include "core/cluster_sched.h"
#include "core/ctl_daemon.h"
#include "track/track_ctl.h"

static struct track_told *told;
static struct track_heard *heard;

static bool word_send(void *arg, const struct track_word *word)
{
	uint8_t buf[TRACK_ITEM_LEN_MAX];

	return ctl_send(arg, TRACK_ITEM_TRACK, buf, track_encode(word, buf),
			cluster_now_us());
}

static void node_tell(void *arg, const struct ctl_id *node)
{
	struct ctl *ctl = control_ctl();
	struct ctl_peer *peer = ctl ? ctl_peer_find(ctl, node) : NULL;

	/* If it doesn't fit, the full state follows by itself. */
	if (peer)
		word_send(peer, arg);
}

static void all_tell(const struct track_word *word)
{
	struct track_word copy = *word;

	track_heard_nodes(heard, node_tell, &copy);
}

void track_ctl_tell(const struct track_word *words, size_t n)
{
	track_told_set(told, words, n, all_tell);
}

static void cap_up(void *arg, struct ctl_peer *peer)
{
	track_heard_up(heard, ctl_peer_id(peer));
	cluster_sched_decide();
}

static void cap_down(void *arg, struct ctl_peer *peer, enum ctl_reason why)
{
	track_heard_down(heard, ctl_peer_id(peer));
	cluster_sched_decide();
}

static void cap_item(void *arg, struct ctl_peer *peer, uint16_t type,
		     const uint8_t *data, size_t len)
{
	if (track_heard_item(heard, ctl_peer_id(peer), type, data, len,
			     cluster_now_us()))
		cluster_sched_decide();
}

static void cap_sync(void *arg, struct ctl_peer *peer, bool begin)
{
	track_heard_sync(heard, ctl_peer_id(peer), begin);
	cluster_sched_decide();
}

static size_t cap_full_state(void *arg, struct ctl_peer *peer, size_t from)
{
	size_t next = track_told_all(told, from, word_send, peer);

	return next == SIZE_MAX ? CTL_SYNC_DONE : next;
}

enum track_gateway track_ctl_gateway(const struct ctl_id *gateway,
				     const char *track, unsigned int family,
				     char *why, size_t len)
{
	const char *name = family ? "IPv6" : "IPv4";
	enum track_level level = TRACK_LEVEL_NONE;
	char id[CTL_ID_TEXT_LEN];

	ctl_id_format(gateway, id);
	switch (track_heard_find(heard, gateway, track, family, &level)) {
	case TRACK_HEARD_NO_SESSION:
		snprintf(why, len, "no session with gateway %s", id);
		return TRACK_GATEWAY_DOWN;
	case TRACK_HEARD_NOT_YET:
		snprintf(why, len, "gateway %s has not told its tracks yet", id);
		return TRACK_GATEWAY_DOWN;
	case TRACK_HEARD_NOTHING:
		snprintf(why, len, "gateway %s announces no track %s", id,
			 track);
		return TRACK_GATEWAY_DOWN;
	case TRACK_HEARD_LEVEL:
		break;
	}
	switch (level) {
	case TRACK_LEVEL_NONE:
		snprintf(why, len, "gateway %s has no %s routes in track %s",
			 id, name, track);
		break;
	case TRACK_LEVEL_UNREACHABLE:
		snprintf(why, len, "gateway %s doesn't reach track %s", id,
			 track);
		break;
	case TRACK_LEVEL_WORSE:
		snprintf(why, len,
			 "gateway %s keeps track %s although it is down", id,
			 track);
		return TRACK_GATEWAY_WORSE;
	case TRACK_LEVEL_REACHABLE:
		return TRACK_GATEWAY_UP;
	}
	return TRACK_GATEWAY_DOWN;
}

const struct track_told *track_ctl_told(void)
{
	return told;
}

const struct track_heard *track_ctl_heard(void)
{
	return heard;
}

static const struct ctl_capability capability = {
	.name = "tracked routes",
	.type_first = TRACK_ITEM_FIRST,
	.type_last = TRACK_ITEM_LAST,
	.up = cap_up,
	.down = cap_down,
	.item = cap_item,
	.sync = cap_sync,
	.full_state = cap_full_state,
};

void track_ctl_init(void)
{
	told = track_told_new();
	heard = track_heard_new();
	control_register(&capability);
}

void track_ctl_fini(void)
{
	track_told_free(&told);
	track_heard_free(&heard);
}
