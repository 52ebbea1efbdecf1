/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last changes of states, with their reasons (pure; the clock is the
 * caller's): what `show cluster events` shows.
 *
 * Each kind of object has a ring of its own, so that a flood of one kind, say
 * of probes, doesn't push out what caused it.
 */
#ifndef CLUSTER_EVENTS_H
#define CLUSTER_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"

enum event_kind {
	EVENT_VIP,
	EVENT_ADDRESS,
	EVENT_MEMBER,
	EVENT_PROBE,
	EVENT_RESPONDER,
	EVENT_TRACK,
	EVENT_CONTROL,
	EVENT_BGP_MAP,
	EVENT_ZEBRA,
	EVENT_HUB,  /* hubs of clusters that this node is a gateway of */
	EVENT_EDGE, /* edges of them, or the one that this node is */
	EVENT_KIND_MAX,
};

/* Kept of each kind. */
#define EVENTS_MAX     250
#define EVENT_NAME_LEN 128
#define EVENT_VRF_LEN  36
#define EVENT_WHY_LEN  256 /* a longer reason is cut off */

struct event_record {
	uint64_t number; /* from 1, in order over all kinds */
	int64_t us;	 /* monotonic */
	int64_t wall;	 /* seconds since 1970 */
	enum event_kind kind;
	char name[EVENT_NAME_LEN];
	char vrf[EVENT_VRF_LEN]; /* "": the kind has none */
	struct ipaddr addr;	 /* IPADDR_NONE: the kind has none */
	const char *before;	 /* names of states: static storage */
	const char *after;
	char why[EVENT_WHY_LEN]; /* "": there is nothing to say */
};

/* NULL of `vrf`, `addr` and `why`: there is none. */
struct event_change {
	enum event_kind kind;
	const char *name;
	const char *vrf;
	const struct ipaddr *addr;
	const char *before;
	const char *after;
	const char *why;
};

struct events;

extern struct events *events_new(void);
extern void events_free(struct events **events);

/* Returns what is kept of it: valid until the next events_add(). */
extern const struct event_record *events_add(struct events *events,
					     const struct event_change *change,
					     int64_t now_us, int64_t wall);
/* One more of a kind, which isn't kept. */
extern void events_count(struct events *events, enum event_kind kind);
/* How many there have been, kept or not. */
extern uint64_t events_total(const struct events *events, enum event_kind kind);
/*
 * The oldest that is kept and newer than number `after`; NULL: none.  Valid until
 * the next events_add().
 */
extern const struct event_record *events_next(const struct events *events,
					      uint64_t after);

/* "vip", "address", ... */
extern const char *event_kind_name(enum event_kind kind);

#endif /* CLUSTER_EVENTS_H */
