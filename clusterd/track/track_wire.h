/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a gateway tells its edges about its tracked routes, as items of the
 * control protocol (pure; constants only).
 *
 *	track	 everybody to everybody: how my routes of that name are
 *		  1 level of IPv4, 1 level of IPv6, 1 length of the name, name
 *
 * A name has 1 to 63 letters, digits and ._:- , a letter or digit first.
 * Prefixes and next hops are never told: what an edge installs is in its own
 * configuration.
 *
 * An item says what is, not what changed, so it may come twice.  A track that
 * isn't told any more is told with both levels `none`.  Octets behind the
 * fields are a newer version's, and skipped; an unknown level is taken as
 * unreachable.
 *
 * History
 *	1	the first version
 */
#ifndef TRACK_WIRE_H
#define TRACK_WIRE_H

enum track_item {
	TRACK_ITEM_TRACK = 576,
};
#define TRACK_ITEM_FIRST TRACK_ITEM_TRACK
#define TRACK_ITEM_LAST	 591 /* the rest of the range is for what comes */

/* Of a track's routes of one family. */
enum track_level {
	TRACK_LEVEL_NONE = 0, /* there are none, or nobody is told of them */
	TRACK_LEVEL_UNREACHABLE = 1,
	TRACK_LEVEL_WORSE = 2, /* all next hops are down, the routes stay */
	TRACK_LEVEL_REACHABLE = 3,
};
#define TRACK_LEVELS 4

#define TRACK_NAME_LEN 64 /* with the NUL */

#endif /* TRACK_WIRE_H */
