/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control protocol: authenticated sessions between clusterd nodes, over
 * which capabilities exchange state (pure: sockets, clock, keys and random
 * numbers come through ops).
 *
 * Parts, and who calls whom:
 *	ctl_core	the node: what comes in, timers, capabilities
 *	ctl_dial	an address that we keep calling until there is a session
 *	ctl_peer	another node, by its logical ID: the session, its links
 *	ctl_sync	full state at the beginning of each session
 *	ctl_stream	items in order and once; ctl_replay, ctl_rate, ctl_auth
 *	ctl_codec	datagrams; ctl_wire.h describes them
 * I/O (ctl_io) calls ctl_receive() and ctl_run(); capabilities call ctl_send()
 * and are called through struct ctl_capability.
 *
 * A session comes up when each side has seen the other answer to a random
 * number that it made for this session; nothing older can say that.  It ends
 * by a goodbye, by silence on all its links for the dead interval, or when the
 * other side doesn't know it any more.  A link is a path over which the
 * session runs; any of them keeps it alive.
 *
 * Every function that may send or call back takes `now_us` (monotonic).
 * Callbacks come last, from within these functions; in a callback everything
 * may be called but ctl_free().  What is to be sent is sent by the next
 * ctl_run(), which ops->wake asks for.
 */
#ifndef CTL_CORE_H
#define CTL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ctl_auth.h"
#include "core/ctl_codec.h"
#include "core/ctl_id.h"
#include "core/ctl_path.h"
#include "core/ctl_rate.h"

struct ctl;
struct ctl_peer;
struct ctl_dial;

#define CTL_LINKS_MAX	     8 /* of a peer */
#define CTL_CAPABILITIES_MAX 8
#define CTL_PEERS_MAX	     16384 /* the most that may be configured */
/* A peer's memory: this, and CTL_STREAM_OCTETS at most while items wait. */
#define CTL_PEER_SIZE_MAX 2048

#define CTL_KEEPALIVE_MIN_MS	 50
#define CTL_KEEPALIVE_MAX_MS	 600000
#define CTL_KEEPALIVE_DEFAULT_MS 1000
#define CTL_DEAD_MIN_MS		 100 /* and twice the keepalive */
#define CTL_DEAD_MAX_MS		 3600000
#define CTL_DEAD_DEFAULT_MS	 7000

struct ctl_timers {
	uint32_t keepalive_ms;
	uint32_t dead_ms;
};
/* Within the limits above. */
extern bool ctl_timers_valid(const struct ctl_timers *timers);

struct ctl_ops {
	/* Random octets that nobody can guess. */
	void (*random)(void *arg, void *buf, size_t len);
	/* Best effort. */
	void (*send)(void *arg, const struct ctl_path *path, const uint8_t *buf,
		     size_t len);
	/* The keys that are valid now; NULL: none. */
	const struct ctl_key *(*key_send)(void *arg);
	const struct ctl_key *(*key_accept)(void *arg, uint32_t id);
	/* Call ctl_run() at `at_us` or soon after, no matter what came before. */
	void (*wake)(void *arg, int64_t at_us);
	/* May be NULL: everybody who has the key may be a peer. */
	bool (*permit)(void *arg, const struct ctl_id *id,
		       const struct ctl_path *path);
	/* May be NULL.  Somebody else uses an ID, ours or a peer's. */
	void (*duplicate)(void *arg, const struct ctl_id *id,
			  const struct ctl_path *path);
	/*
	 * May be NULL.  For people who look for a fault: a datagram was refused
	 * (`what` is its counter's name), or something has another state.  `id`
	 * is what the other side says it is, NULL: nothing.  Never secrets.
	 */
	void (*trace)(void *arg, const struct ctl_id *id,
		      const struct ctl_path *path, const char *what,
		      const char *detail);
};

struct ctl_config {
	struct ctl_id id; /* ours */
	struct ctl_timers timers;
	uint32_t peers_max; /* 1..CTL_PEERS_MAX */
	/* Answers to whoever has no session; wrong keys of such. */
	struct ctl_rate_limit replies_source, replies_total;
	struct ctl_rate_limit failures_source, failures_total;
};
/* All but the ID. */
extern void ctl_config_default(struct ctl_config *config);

/* `config` is copied; `ops` isn't. */
extern struct ctl *ctl_new(const struct ctl_config *config,
			   const struct ctl_ops *ops, void *arg, int64_t now_us);
/* Without goodbye and without callbacks: ctl_stop() comes before it. */
extern void ctl_free(struct ctl **ctl);
/* Says goodbye to all peers, and dials no more. */
extern void ctl_stop(struct ctl *ctl, int64_t now_us);
extern const struct ctl_id *ctl_own_id(const struct ctl *ctl);
/* For peers that have no timers of their own; running sessions follow. */
extern void ctl_timers_set(struct ctl *ctl, struct ctl_timers timers,
			   int64_t now_us);

/*
 * ops->permit says something else now: links that the other side dialled from
 * where it may not any more end, and with its last link the session.
 */
extern void ctl_permit_changed(struct ctl *ctl, int64_t now_us);

/* A datagram has come in. */
extern void ctl_receive(struct ctl *ctl, const struct ctl_path *path,
			const uint8_t *buf, size_t len, int64_t now_us);
/* Does what is due. */
extern void ctl_run(struct ctl *ctl, int64_t now_us);

/*
 * Capabilities.
 *
 * `full_state` sends, by ctl_send(), all that the peer has to know, beginning
 * with whatever `from` stands for (0: the beginning), until it is done
 * (CTL_SYNC_DONE) or ctl_send() returns false; then it returns from where to
 * go on, and is called again when there is room.  The other side's `sync` is
 * told the beginning and the end, so that it can mark and sweep; who keeps
 * anything of a peer needs it, since a lost change may have been that something
 * is no more.
 *
 * A change is sent by ctl_send() when it happens.  If that returns false, the
 * queue was full, and the full state follows by itself; so a change may come
 * before or after a full state that has it already: items must be idempotent.
 */
#define CTL_SYNC_DONE SIZE_MAX

struct ctl_capability {
	const char *name;
	uint16_t type_first, type_last; /* CTL_ITEM_USER.. */
	void *arg;
	/* Each may be NULL. */
	void (*up)(void *arg, struct ctl_peer *peer);
	void (*down)(void *arg, struct ctl_peer *peer, enum ctl_reason why);
	void (*item)(void *arg, struct ctl_peer *peer, uint16_t type,
		     const uint8_t *data, size_t len);
	void (*sync)(void *arg, struct ctl_peer *peer, bool begin);
	size_t (*full_state)(void *arg, struct ctl_peer *peer, size_t from);
};
/*
 * Static storage, before the first session.  False if there are too many or a
 * type is taken.
 */
extern bool ctl_register(struct ctl *ctl, const struct ctl_capability *cap);

/* The peer's session is up, and the item will arrive if it stays so. */
extern bool ctl_send(struct ctl_peer *peer, uint16_t type, const void *data,
		     size_t len, int64_t now_us);
/* The full state of the capability to this peer, again. */
extern void ctl_resync(struct ctl_peer *peer, const struct ctl_capability *cap,
		       int64_t now_us);
/* An item that its `item` got is none that it understands: counted. */
extern void ctl_item_unknown(struct ctl_peer *peer);
/* Ends a session; a dialled peer is dialled again. */
extern void ctl_close(struct ctl_peer *peer, int64_t now_us);

/*
 * Dials.  Each keeps a link to whoever answers at the address; several may
 * lead to one peer.
 */
struct ctl_dial_config {
	struct ctl_path path;
	struct ctl_id id;	  /* who must answer; null: anybody */
	struct ctl_timers timers; /* of the peer; zeroes: the node's */
};
extern struct ctl_dial *ctl_dial_new(struct ctl *ctl,
				     const struct ctl_dial_config *config,
				     int64_t now_us);
/* Removes its link; with the last one the session ends. */
extern void ctl_dial_free(struct ctl_dial **dial, int64_t now_us);
/* NULL until somebody has answered. */
extern struct ctl_peer *ctl_dial_peer(const struct ctl_dial *dial);

/*
 * Peers.  A pointer is valid from up() to the return of down(), and of a
 * dialled peer as long as its dial.
 */
extern struct ctl_peer *ctl_peer_find(struct ctl *ctl, const struct ctl_id *id);
extern const struct ctl_id *ctl_peer_id(const struct ctl_peer *peer);
extern bool ctl_peer_up(const struct ctl_peer *peer);
/* When it was heard last, on any link; before a session: nothing. */
extern int64_t ctl_peer_heard(const struct ctl_peer *peer);
/* Its own, or the node's. */
extern struct ctl_timers ctl_peer_timers(const struct ctl_peer *peer);

/* Views, for show: copies. */
struct ctl_link_view {
	struct ctl_path path;
	bool up, dialled;
	bool hears_us; /* says the other side */
	int64_t since_us, heard_us;
	uint64_t rx, tx;
};

struct ctl_peer_view {
	struct ctl_id id;
	const char *state;
	bool up;
	int64_t since_us;
	enum ctl_reason last_reason; /* of the last end of a session */
	struct ctl_timers timers;    /* ours */
	struct ctl_timers theirs;
	uint64_t ups, items_rx, items_tx, items_resent;
	size_t queued;
	unsigned int n_links;
	struct ctl_link_view links[CTL_LINKS_MAX];
};
/* By ID; NULL: the first.  False at the end. */
extern bool ctl_peer_next(struct ctl *ctl, const struct ctl_id *after,
			  struct ctl_peer_view *view);
extern void ctl_peer_view(const struct ctl_peer *peer,
			  struct ctl_peer_view *view);

struct ctl_peer_counts {
	size_t known; /* with a session, or who had one not long ago */
	size_t up;
};
extern struct ctl_peer_counts ctl_peer_counts(const struct ctl *ctl);

struct ctl_dial_view {
	const char *state;
	struct ctl_path path;
	enum ctl_reason refused; /* CTL_REASON_NONE: it wasn't */
	bool wrong_id;		 /* somebody else answers than should */
	struct ctl_id answered;	 /* who; null: nobody yet */
	int64_t next_us;	 /* next attempt, while there is no session */
};
extern void ctl_dial_view(const struct ctl_dial *dial,
			  struct ctl_dial_view *view);

struct ctl_duplicate {
	struct ctl_id id;
	struct ctl_path path;
	int64_t last_us;
	uint64_t count;
};
#define CTL_DUPLICATES_MAX 8
/* A twin calls every 10 s: this long after the last call it has gone. */
#define CTL_DUPLICATE_LIFE_US INT64_C(600000000)
/* The latest ones of those that are still there; returns how many. */
extern size_t ctl_duplicates(const struct ctl *ctl, int64_t now_us,
			     struct ctl_duplicate list[CTL_DUPLICATES_MAX]);

enum ctl_counter {
	CTL_RX,		   /* datagrams that came in */
	CTL_TX,		   /* went out */
	CTL_TX_NO_KEY,	   /* not sent: no key is valid now */
	CTL_RX_LENGTH,	   /* refused: ... */
	CTL_RX_MAGIC,	   /* ... not this protocol */
	CTL_RX_VERSION,	   /* ... another version */
	CTL_RX_TYPE,	   /* ... unknown type */
	CTL_RX_TLV,	   /* ... malformed, although authentic */
	CTL_RX_KEY,	   /* ... unknown or expired key */
	CTL_RX_AUTH,	   /* ... wrong MAC */
	CTL_RX_LIMITED,	   /* ... unread, after too many of these */
	CTL_RX_REFLECTED,  /* ... it was ours */
	CTL_RX_COOKIE,	   /* ... cookie too old or not ours */
	CTL_RX_REPLAYED,   /* ... sequence seen, or too old to tell */
	CTL_RX_SESSION,	   /* ... of no session of ours */
	CTL_RX_LINK,	   /* ... not on a link of its session */
	CTL_RX_UNEXPECTED, /* ... an answer that nobody waits for */
	CTL_RX_NOT_PERMITTED,
	CTL_RX_FULL,	     /* ... no room for another peer */
	CTL_RX_DUPLICATE_ID, /* ... another node with that ID */
	CTL_RX_SKIPPED_TLV,  /* TLVs that a newer version sent */
	CTL_RX_UNKNOWN_ITEM, /* items that no capability of ours understands */
	CTL_REPLY_LIMITED,   /* not answered: too often */
	CTL_COUNTERS,
};
extern uint64_t ctl_counter(const struct ctl *ctl, enum ctl_counter counter);
/* camelCase, for JSON */
extern const char *ctl_counter_str(enum ctl_counter counter);

#endif /* CTL_CORE_H */
