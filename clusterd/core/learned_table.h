/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many routes BGP has brought into a VRF (pure): zebra tells of each one
 * that is selected, but not how many there are, and the same one again for
 * every change of it.  So the keys are kept, and not a number.
 *
 * Who asks wants to know whether there are at least a few: LEARNED_MAX keys a
 * VRF are kept, whatever a full table brings.  When so many of them have gone
 * that the rest isn't enough to answer, zebra is asked for all again.
 */
#ifndef CLUSTER_LEARNED_TABLE_H
#define CLUSTER_LEARNED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cluster_route.h"

#define LEARNED_ENOUGH 1000 /* learned_table_count() is right up to that */
#define LEARNED_MAX    4096

struct learned_key {
	struct ipaddr addr;
	uint8_t length;
};

struct learned_table_ops {
	/* Ask zebra to tell of the VRF's routes, all there are first. */
	void (*subscribe)(const char *vrf);
	void (*unsubscribe)(const char *vrf);
};

struct learned_table;

extern struct learned_table *
learned_table_new(const struct learned_table_ops *ops);
extern void learned_table_free(struct learned_table **table);

/* The VRF is watched from the first get to the last put (counted). */
extern void learned_table_get(struct learned_table *table, const char *vrf);
extern void learned_table_put(struct learned_table *table, const char *vrf);

extern bool learned_table_watched(const struct learned_table *table,
				  const char *vrf);

/* zebra is there, or the VRF has come: subscribe if it is watched. */
extern void learned_table_ready(struct learned_table *table, const char *vrf);
/* Everything that zebra said is void. */
extern void learned_table_disconnected(struct learned_table *table);
/*
 * The VRF is gone, and all its routes: zebra doesn't say so of each.  It is
 * still watched, for when it comes back.
 */
extern void learned_table_vrf_gone(struct learned_table *table, const char *vrf);

/*
 * zebra's word about a route.  Returns whether the answer to somebody's
 * question may be another one now.
 */
extern bool learned_table_note(struct learned_table *table, const char *vrf,
			       const struct learned_key *key, bool present);

/* 0 for a VRF that isn't watched. */
extern size_t learned_table_count(const struct learned_table *table,
				  const char *vrf);

#endif /* CLUSTER_LEARNED_TABLE_H */
