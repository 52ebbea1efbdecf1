/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What other nodes have said about their tracked routes (pure).
 *
 * Of each node with a session what it has said in this session: with the
 * session all of it goes.  Bounded for each node and over all; what is over a
 * bound isn't kept and is counted.
 */
#ifndef TRACK_HEARD_H
#define TRACK_HEARD_H

#include "typesafe.h"

#include "core/ctl_id.h"
#include "track/track_codec.h"

#define TRACK_HEARD_MAX	      256 /* tracks of a node */
#define TRACK_HEARD_TOTAL_MAX 65536

struct track_heard;
struct track_node;

PREDECL_RBTREE_UNIQ(track_entries);

/* A track of another node; to be read. */
struct track_entry {
	struct track_entries_item item;
	const struct ctl_id *node;
	struct track_word word;
	int64_t since_us; /* of these levels */
	bool stale;	  /* not said again since a full state began */
};

/* About a track of a node. */
enum track_hearsay {
	TRACK_HEARD_NO_SESSION,
	TRACK_HEARD_NOT_YET, /* there is a session, but no full state yet */
	TRACK_HEARD_NOTHING, /* the node doesn't announce it */
	TRACK_HEARD_LEVEL,
};

extern struct track_heard *track_heard_new(void);
extern void track_heard_free(struct track_heard **heard);

/* The session came up, or ended. */
extern void track_heard_up(struct track_heard *heard, const struct ctl_id *node);
extern void track_heard_down(struct track_heard *heard,
			     const struct ctl_id *node);
/* A full state begins, or was that. */
extern void track_heard_sync(struct track_heard *heard,
			     const struct ctl_id *node, bool begin);
/* False if it is malformed, or too much. */
extern bool track_heard_item(struct track_heard *heard,
			     const struct ctl_id *node, uint16_t type,
			     const uint8_t *data, size_t len, int64_t now_us);

/* `level` (0: IPv4) is set if the result is TRACK_HEARD_LEVEL. */
extern enum track_hearsay track_heard_find(const struct track_heard *heard,
					   const struct ctl_id *node,
					   const char *track,
					   unsigned int family,
					   enum track_level *level);

/* In the order of nodes and names; NULL: the first, or no more. */
extern const struct track_entry *
track_heard_next(const struct track_heard *heard,
		 const struct track_entry *after);
extern const struct track_entry *
track_heard_entry(const struct track_heard *heard, const struct ctl_id *node,
		  const char *track);
/* Calls `each` for every node that has a session. */
extern void track_heard_nodes(const struct track_heard *heard,
			      void (*each)(void *arg, const struct ctl_id *node),
			      void *arg);
extern size_t track_heard_n_nodes(const struct track_heard *heard);
/* Items that were malformed or over a bound. */
extern uint64_t track_heard_refused(const struct track_heard *heard);

#endif /* TRACK_HEARD_H */
