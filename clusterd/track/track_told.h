/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this node tells others about its tracked routes (pure; the messages
 * leave through `tell`).
 *
 * Level-triggered: what is to be told comes whole, and the difference is told.
 */
#ifndef TRACK_TOLD_H
#define TRACK_TOLD_H

#include "track/track_codec.h"
#include "track/track_decide.h"

#define TRACK_TOLD_MAX 256 /* tracks; of more, the first by name are told */

/*
 * How the routes of a family are.  Rules, the first that applies:
 *   1  no prefix of the family is configured	      -> none
 *   2  they aren't to be installed		      -> unreachable
 *   3  somebody else has all of the prefixes	      -> unreachable
 *   4  one couldn't be installed		      -> unreachable
 *   5  one isn't installed yet, and others weren't
 *      told that the routes can be used	      -> unreachable
 *   6  the next hops are up			      -> reachable
 *   7  otherwise				      -> worse
 * So a gateway says `reachable` when it forwards, and doesn't take it back for
 * the moment in which a route is replaced.
 */
struct track_level_facts {
	enum track_state state; /* of the family's plan */
	size_t prefixes;	/* configured */
	size_t ours;		/* of these, not somebody else's */
	size_t pending;		/* of ours: zebra has not selected it */
	size_t failed;		/* of ours: zebra or the kernel refuses it */
	enum track_level before;
};
extern enum track_level track_level(const struct track_level_facts *facts);

struct track_told;

extern struct track_told *track_told_new(void);
extern void track_told_free(struct track_told **told);

/*
 * The whole set, ordered by name without duplicates; copied.  `tell` is called
 * with each word that is another than before, and one of levels `none` for
 * what isn't told any more; these first.
 */
extern void track_told_set(struct track_told *told,
			   const struct track_word *words, size_t n,
			   void (*tell)(const struct track_word *word));

/*
 * All words, for whoever knows none, beginning with `from` (0, or what this
 * has returned).  Returns SIZE_MAX when all have been taken; `tell` returns
 * false when it takes no more for now.
 */
extern size_t track_told_all(const struct track_told *told, size_t from,
			     bool (*tell)(void *arg,
					  const struct track_word *word),
			     void *arg);

/* How many are told, at most TRACK_TOLD_MAX. */
extern size_t track_told_count(const struct track_told *told);

/* What others know of that name; both levels `none` if nothing. */
extern void track_told_find(const struct track_told *told, const char *name,
			    enum track_level levels[2]);

#endif /* TRACK_TOLD_H */
