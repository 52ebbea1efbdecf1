/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the control protocol share (pure).  Only ctl_peer.c
 * writes a peer's state, only ctl_dial.c a dial's.
 */
#ifndef CTL_PRIVATE_H
#define CTL_PRIVATE_H

#include "core/cluster_time.h"
#include "core/ctl_core.h"
#include "core/ctl_replay.h"
#include "core/ctl_stream.h"

PREDECL_RBTREE_UNIQ(ctl_peers);
PREDECL_HEAP(ctl_peer_dues);
PREDECL_RBTREE_UNIQ(ctl_dials);
PREDECL_HEAP(ctl_dial_dues);

enum ctl_peer_state {
	CTL_PEER_DOWN,	  /* no session */
	CTL_PEER_OPENING, /* they asked for one; not yet seen to be fresh */
	CTL_PEER_UP,
	CTL_PEER_RENEWING,  /* up, and they ask for a new one */
	CTL_PEER_CONTESTED, /* up, and another address claims the ID */
	CTL_PEER_STATES,
};

enum ctl_dial_state {
	CTL_DIAL_WAIT,	 /* until the next attempt */
	CTL_DIAL_HELLO,	 /* hello sent */
	CTL_DIAL_OPEN,	 /* open sent */
	CTL_DIAL_JOINED, /* is a link of its peer's session */
	CTL_DIAL_STATES,
};

struct ctl_dial {
	struct ctl_dials_item item;
	struct ctl_dial_dues_item due_item;
	struct ctl *ctl;
	struct ctl_dial_config config;
	enum ctl_dial_state state;
	struct ctl_peer *peer; /* who answered; keeps it from being freed */
	uint64_t nonce;	       /* our number while there is no peer */
	uint8_t cookie[CTL_COOKIE_LEN];
	int64_t due_us;	       /* what it is in the heap with */
	int64_t resend_us;     /* current interval between hellos or opens */
	int64_t opened_us;     /* first open of this attempt */
	int64_t challenged_us; /* last challenge that was answered */
	enum ctl_reason refused;
	bool wrong_id;
};

/* A dialler's first keepalives follow faster: they open the other side. */
#define CTL_EAGER 4

struct ctl_link {
	struct ctl_path path;
	struct ctl_dial *dial; /* NULL: the other side dialled */
	bool used;
	bool next; /* of the session that is being made, not of the current */
	bool up;
	bool hears_us;
	bool answer;   /* a keepalive at once */
	uint8_t eager; /* quick keepalives left, until it is heard */
	int64_t since_us;
	int64_t heard_us; /* at first when it joined */
	int64_t send_us;  /* next keepalive */
	uint64_t rx, tx;
};

enum ctl_sync_step {
	CTL_SYNC_IDLE,
	CTL_SYNC_BEGIN, /* to be begun: changes needn't be sent */
	CTL_SYNC_WALK,
};

struct ctl_sync {
	enum ctl_sync_step step;
	bool again; /* a change was lost: once more when this one is done */
	size_t from;
};

struct ctl_peer {
	struct ctl_peers_item item;
	struct ctl_peer_dues_item due_item;
	struct ctl *ctl;
	struct ctl_id id;
	enum ctl_peer_state state;
	enum ctl_reason reason;
	unsigned int n_dials;
	int64_t since_us;
	int64_t due_us;
	struct ctl_timers own; /* zeroes: the node's */

	/* the current session: 0 if there is none */
	uint64_t local, remote;
	uint64_t seq;
	struct ctl_replay replay;
	struct ctl_timers theirs;
	int64_t counted_us; /* silence counts from here: timers changed */
	uint8_t data_link;  /* where to look first for one to send items on */
	uint8_t walking;    /* capability + 1 whose full state is being read */

	/* the next one: ours is made when first needed, theirs comes */
	uint64_t next_local, next_remote;
	struct ctl_timers next_theirs;
	int64_t next_us; /* last asked for */

	/* another address claims to be this peer */
	uint64_t rival;
	int64_t rival_us;

	uint64_t ups, items_rx, items_tx;
	struct ctl_stream stream;
	struct ctl_link links[CTL_LINKS_MAX];
	struct ctl_sync sync[CTL_CAPABILITIES_MAX];
};
_Static_assert(sizeof(struct ctl_peer) <= CTL_PEER_SIZE_MAX, "stated memory");

struct ctl {
	struct ctl_config config;
	const struct ctl_ops *ops;
	void *arg;
	bool stopped;
	struct ctl_key secret; /* of this run, for cookies */
	struct ctl_peers_head peers;
	struct ctl_peer_dues_head peer_dues;
	struct ctl_dials_head dials;
	struct ctl_dial_dues_head dial_dues;
	int64_t wake_us; /* what the I/O was last asked for */
	struct ctl_rate *replies, *failures;
	const struct ctl_capability *caps[CTL_CAPABILITIES_MAX];
	unsigned int n_caps;
	struct ctl_duplicate duplicates[CTL_DUPLICATES_MAX];
	uint64_t counters[CTL_COUNTERS];
};

static inline int ctl_peer_due_cmp(const struct ctl_peer *a,
				   const struct ctl_peer *b)
{
	return a->due_us < b->due_us ? -1 : a->due_us > b->due_us;
}
DECLARE_HEAP(ctl_peer_dues, struct ctl_peer, due_item, ctl_peer_due_cmp);

static inline int ctl_dial_due_cmp(const struct ctl_dial *a,
				   const struct ctl_dial *b)
{
	return a->due_us < b->due_us ? -1 : a->due_us > b->due_us;
}
DECLARE_HEAP(ctl_dial_dues, struct ctl_dial, due_item, ctl_dial_due_cmp);

static inline int ctl_peer_cmp(const struct ctl_peer *a,
			       const struct ctl_peer *b)
{
	return ctl_id_cmp(&a->id, &b->id);
}
DECLARE_RBTREE_UNIQ(ctl_peers, struct ctl_peer, item, ctl_peer_cmp);

static inline int ctl_dial_cmp(const struct ctl_dial *a,
			       const struct ctl_dial *b)
{
	return ctl_path_cmp(&a->config.path, &b->config.path);
}
DECLARE_RBTREE_UNIQ(ctl_dials, struct ctl_dial, item, ctl_dial_cmp);

/* ctl_core.c */
extern uint64_t ctl_random64(struct ctl *ctl); /* never 0 */
/* Random below 1/`part` of `us`. */
extern int64_t ctl_jitter(struct ctl *ctl, int64_t us, int part);
/* Fills in sender and key, signs, sends. */
extern void ctl_transmit(struct ctl *ctl, const struct ctl_path *path,
			 struct ctl_msg *msg);
/* One more answer to a source that has no session? */
extern bool ctl_may_reply(struct ctl *ctl, const struct ctl_path *path,
			  int64_t now_us);
extern void ctl_reject(struct ctl *ctl, const struct ctl_path *path,
		       const struct ctl_msg *msg, enum ctl_reason reason,
		       int64_t now_us);
extern void ctl_challenge(struct ctl *ctl, const struct ctl_path *path,
			  const struct ctl_msg *msg, int64_t now_us);
extern void ctl_duplicate_seen(struct ctl *ctl, const struct ctl_id *id,
			       const struct ctl_path *path, int64_t now_us);
/*
 * The datagram is refused: counts it, and tells who looks for a fault.  `id`
 * and `path` may be NULL.
 */
extern void ctl_refused(struct ctl *ctl, enum ctl_counter why,
			const struct ctl_id *id, const struct ctl_path *path,
			const char *detail);
extern void ctl_trace(struct ctl *ctl, const struct ctl_id *id,
		      const struct ctl_path *path, const char *what,
		      const char *detail);
extern void ctl_wake(struct ctl *ctl, int64_t at_us);
extern const struct ctl_capability *
ctl_capability_of(const struct ctl *ctl, uint16_t type, unsigned int *index);

/* ctl_peer.c */
/* NULL: no room. */
extern struct ctl_peer *ctl_peer_get(struct ctl *ctl, const struct ctl_id *id,
				     int64_t now_us);
extern void ctl_peer_free(struct ctl_peer *peer);
/* Our number in what we say to it: the session's, or the next one's. */
extern uint64_t ctl_peer_number(struct ctl_peer *peer);
extern void ctl_peer_run(struct ctl_peer *peer, int64_t now_us);
extern void ctl_peer_open(struct ctl_peer *peer, const struct ctl_path *path,
			  const struct ctl_msg *msg, int64_t now_us);
/* Does it answer to what we are asking for? */
extern bool ctl_peer_open_ack_fits(const struct ctl_peer *peer,
				   const struct ctl_msg *msg);
extern void ctl_peer_open_ack(struct ctl_peer *peer, struct ctl_dial *dial,
			      const struct ctl_path *path,
			      const struct ctl_msg *msg, int64_t now_us);
extern void ctl_peer_message(struct ctl_peer *peer, const struct ctl_path *path,
			     const struct ctl_msg *msg, int64_t now_us);
extern void ctl_peer_unknown(struct ctl_peer *peer, const struct ctl_path *path,
			     const struct ctl_msg *msg, int64_t now_us);
extern void ctl_peer_shut(struct ctl_peer *peer, enum ctl_reason reason,
			  int64_t now_us);
/* Ends what comes from where it isn't permitted. */
extern void ctl_peer_permit(struct ctl_peer *peer, int64_t now_us);
extern const char *ctl_peer_state_str(enum ctl_peer_state state);

/* ctl_link.c */
extern struct ctl_link *ctl_peer_link(struct ctl_peer *peer,
				      const struct ctl_path *path, bool next);
/* Finds or adds it; NULL: no room. */
extern struct ctl_link *ctl_link_add(struct ctl_peer *peer,
				     const struct ctl_path *path, bool next,
				     int64_t now_us);
extern void ctl_link_remove(struct ctl_link *link);
/* Removes the links of the current or of the next session. */
extern void ctl_links_clear(struct ctl_peer *peer, bool next, int64_t now_us);
/*
 * Is any link of the current or of the next session permitted?  One that we
 * dial is.
 */
extern bool ctl_links_permitted(struct ctl_peer *peer, bool next);
/* Removes those of the current session that aren't. */
extern void ctl_links_forbid(struct ctl_peer *peer);
/* Our timers, or theirs, are others now. */
extern void ctl_links_retime(struct ctl_peer *peer, bool ours, int64_t now_us);
/* When the peer was last heard on any link, or its silence begins to count. */
extern int64_t ctl_links_heard(const struct ctl_peer *peer);
/* Something of the session has come on the link. */
extern void ctl_link_heard(struct ctl_peer *peer, struct ctl_link *link,
			   const struct ctl_msg *msg, int64_t now_us);
/* Links that fell silent; keepalives and items that are due. */
extern void ctl_links_run(struct ctl_peer *peer, int64_t now_us);
/* Would ctl_links_run() send a keepalive, although none is due yet? */
extern bool ctl_links_soon(const struct ctl_peer *peer, int64_t now_us);
/* When ctl_links_run() has something to do next. */
extern int64_t ctl_links_due(const struct ctl_peer *peer);
extern void ctl_links_goodbye(struct ctl_peer *peer, enum ctl_reason reason);
/* The dial goes: its link too. */
extern void ctl_peer_undial(struct ctl_peer *peer, struct ctl_dial *dial,
			    int64_t now_us);
extern void ctl_peer_schedule(struct ctl_peer *peer, int64_t at_us);

/* ctl_dial.c */
extern void ctl_dial_run(struct ctl_dial *dial, int64_t now_us);
extern void ctl_dial_challenge(struct ctl *ctl, const struct ctl_path *path,
			       const struct ctl_msg *msg, int64_t now_us);
extern void ctl_dial_open_ack(struct ctl *ctl, const struct ctl_path *path,
			      const struct ctl_msg *msg, int64_t now_us);
extern void ctl_dial_rejected(struct ctl *ctl, const struct ctl_path *path,
			      const struct ctl_msg *msg, int64_t now_us);
/* Its link is gone or silent: dial again. */
extern void ctl_dial_lost(struct ctl_dial *dial, int64_t now_us);
/* Its session has as many links as it can have: dial again much later. */
extern void ctl_dial_crowded(struct ctl_dial *dial, int64_t now_us);
/* Its link is heard. */
extern void ctl_dial_heard(struct ctl_dial *dial, int64_t now_us);
/* Do we dial that address? */
extern bool ctl_dialled(struct ctl *ctl, const struct ctl_path *path);
/* Is this number one of ours?  Of all dials and their peers. */
extern bool ctl_dial_ours(struct ctl *ctl, uint64_t number);
extern const char *ctl_dial_state_str(enum ctl_dial_state state);
extern void ctl_dial_destroy(struct ctl_dial *dial);

/* ctl_sync.c */
extern void ctl_sync_start(struct ctl_peer *peer);
/* Goes on with full state as far as there is room. */
extern void ctl_sync_pump(struct ctl_peer *peer);
/* Is there full state to be sent, and room? */
extern bool ctl_sync_due(const struct ctl_peer *peer);
/* Items that have come, in order. */
extern void ctl_sync_deliver(struct ctl_peer *peer, const struct ctl_msg *msg);

#endif /* CTL_PRIVATE_H */
