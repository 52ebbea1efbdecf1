/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps route-maps of bgpd in step (pure): when to connect to bgpd's vty, what
 * to ask and to write, and when to leave it alone.
 *
 * A session reads every map once a second.  It enters configuration only to
 * write, and leaves at once: bgpd's sessions share one candidate.  It doesn't
 * write
 *   - within 3 s of bgpd's socket appearing: `vtysh -b` may be loading;
 *   - while a configuration is being loaded here;
 *   - to a map whose last two readings differ: somebody edits it.
 * Anything but success ends the session: it waits 1, 2, 4, ... 60 s and begins
 * anew.  One command is on its way at a time.
 *
 * The states and events are a table, bgp_keeper.c; the socket, the clock and
 * the timer are handed in (vip/bgp_vty.c; a fake bgpd in the unit test).
 * Spec: vip.md, "The one route-map".
 */
#ifndef CLUSTER_BGP_KEEPER_H
#define CLUSTER_BGP_KEEPER_H

#include "vip/bgp_map.h"

#define BGP_KEEPER_READ_US	  (1 * 1000000LL)
#define BGP_KEEPER_SETTLE_US	  (3 * 1000000LL)
#define BGP_KEEPER_ANSWER_US	  (30 * 1000000LL)
#define BGP_KEEPER_RETRY_US	  (1 * 1000000LL) /* bgpd isn't there */
#define BGP_KEEPER_BACKOFF_US	  (1 * 1000000LL) /* doubled each time up to... */
#define BGP_KEEPER_BACKOFF_MAX_US (60 * 1000000LL)
/* How long an entry stays that is not wanted any more: routes still use it. */
#define BGP_KEEPER_RETIRE_US (10 * 1000000LL)
/* About so many lines are written in one visit to the configuration. */
#define BGP_KEEPER_LINES     2000
#define BGP_KEEPER_ERROR_LEN 256

enum bgp_keeper_state {
	BGP_KEEPER_OFF,	    /* nothing to keep */
	BGP_KEEPER_AWAY,    /* bgpd doesn't listen */
	BGP_KEEPER_HELLO,   /* connected, `enable` sent */
	BGP_KEEPER_WATCH,   /* until the next reading */
	BGP_KEEPER_READ,    /* `show route-map` sent */
	BGP_KEEPER_ENTER,   /* `configure terminal` sent */
	BGP_KEEPER_WRITE,   /* a line sent */
	BGP_KEEPER_LEAVE,   /* `end` sent */
	BGP_KEEPER_BACKOFF, /* after an error */
	BGP_KEEPER_STATES,
};

enum bgp_keeper_event {
	BGP_KEEPER_EV_WANT, /* there are maps to keep, or others than before */
	BGP_KEEPER_EV_UNWANT, /* there are none */
	BGP_KEEPER_EV_OK,     /* an answer with status 0 */
	BGP_KEEPER_EV_FAIL,   /* an answer with another status */
	BGP_KEEPER_EV_CLOSED, /* the session is gone */
	BGP_KEEPER_EV_TIMER,
	BGP_KEEPER_EVENTS,
};

/* Why a map is not in step. */
enum bgp_map_why {
	BGP_MAP_IN_STEP,
	BGP_MAP_AWAY,	  /* bgpd doesn't listen */
	BGP_MAP_UNREAD,	  /* not read yet */
	BGP_MAP_SETTLING, /* bgpd has just started */
	BGP_MAP_LOADING,  /* a configuration is being loaded */
	BGP_MAP_MOVING,	  /* two readings differ */
	BGP_MAP_WRITING,  /* about to be written */
	BGP_MAP_BACKOFF,  /* after an error */
	BGP_MAP_FULL,	  /* more entries than a route-map has */
	BGP_MAP_WHYS,
};

struct bgp_keeper_ops {
	/*
	 * Connects to bgpd's vty: false if nobody listens.  `since_us` gets
	 * when the socket appeared, monotonic.
	 */
	bool (*connect)(int64_t *since_us);
	/* Sends one command; its answer is told by bgp_keeper_answer(). */
	void (*send)(const char *command);
	void (*close)(void);
	/* Call bgp_keeper_timer() at `at_us`, instead of whatever was before. */
	void (*timer)(int64_t at_us);
	/* What the views show may have changed; must not call the keeper. */
	void (*changed)(void);
};

struct bgp_keeper;

extern struct bgp_keeper *bgp_keeper_new(const struct bgp_keeper_ops *ops);
extern void bgp_keeper_free(struct bgp_keeper **keeper);

/*
 * What to keep: all maps with all their entries, of which there is at least
 * one.  Called with each change; names differ.
 */
struct bgp_keep {
	char name[BGP_MAP_NAME_LEN];
	struct bgp_texts wanted; /* finished */
};
/* Takes the texts over: each `wanted` is empty afterwards. */
extern void bgp_keeper_set(struct bgp_keeper *keeper, struct bgp_keep *keeps,
			   size_t n, int64_t now_us);
/* A configuration is being loaded: don't write. */
extern void bgp_keeper_hold(struct bgp_keeper *keeper, bool hold);

/* What happened. */
extern void bgp_keeper_answer(struct bgp_keeper *keeper, const char *text,
			      uint8_t status, int64_t now_us);
extern void bgp_keeper_closed(struct bgp_keeper *keeper, int64_t now_us);
extern void bgp_keeper_timer(struct bgp_keeper *keeper, int64_t now_us);

/* What there is to show. */
struct bgp_keeper_view {
	enum bgp_keeper_state state;
	int64_t retry_us; /* AWAY, BACKOFF: when it tries again */
	uint64_t reads, writes, errors;
	const char *last_error; /* "": none so far */
	int64_t last_error_us;
};
extern void bgp_keeper_view(const struct bgp_keeper *keeper,
			    struct bgp_keeper_view *view);

struct bgp_map_view {
	enum bgp_map_why why;
	size_t wanted, have;
	uint64_t repairs; /* readings that found others' edits */
};
/* False: no such map is kept. */
extern bool bgp_keeper_map_view(const struct bgp_keeper *keeper,
				const char *name, int64_t now_us,
				struct bgp_map_view *view);
/*
 * The map has every entry that is wanted, as last read; surplus ones don't
 * count.
 */
extern bool bgp_keeper_has_all(const struct bgp_keeper *keeper,
			       const char *name);

/* "in-step", "away", ... */
extern const char *bgp_map_why_name(enum bgp_map_why why);
extern const char *bgp_keeper_state_name(enum bgp_keeper_state state);

#endif /* CLUSTER_BGP_KEEPER_H */
