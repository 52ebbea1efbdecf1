/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damping and slow start (pure): when what is healthy may be announced, and
 * with how much of its weight.  spec: vip.md, "Damping", "Slow start".
 *
 *     health   allowed before   after
 *     off      any              no; no flap: configuration or zebra did it
 *     waits    any              no, but it stays allowed, or healthy for a time,
 *                               if it was: for the kernel, which sets a route
 *     away     any              the same: zebra is; when it is back, down is no
 *                               flap: not everything is known again at once
 *     down     yes              no, at once; a flap
 *     down     no               no; a flap if it was healthy in between
 *     up       yes              yes
 *     up       no               yes, when all of this is so:
 *       D1  healthy for `hold_down_us`
 *       D2  `flip_us` have passed since it last went down
 *       D3  the penalty isn't over the limits
 *
 * Each flap adds `penalty`, also while nothing is announced: what goes on
 * flapping stays out.  The penalty halves every `half_life_us`; it suppresses
 * from `suppress` on until it has fallen below `reuse`.  It never grows past
 * what falls to `reuse` within `max_us`, which bounds the wait after the last
 * flap.
 *
 * Coming up again, but not the first time, begins with a tenth of the weight
 * and ends with ten after `slow_start_us`.
 *
 * Every function gives the same again when it is asked again at the same time.
 */
#ifndef CLUSTER_VIP_DAMPING_H
#define CLUSTER_VIP_DAMPING_H

#include <stdbool.h>
#include <stdint.h>

#include "vip/vip_policy.h"

struct vip_damping_config {
	int64_t hold_down_us;  /* 0: none */
	int64_t flip_us;       /* 0: none */
	int64_t slow_start_us; /* 0: none */
	/* Penalties: */
	bool off;
	uint32_t penalty;     /* of a flap, 1..1000000 */
	uint32_t suppress;    /* 1..1000000 */
	uint32_t reuse;	      /* 1..suppress; larger counts as suppress */
	int64_t half_life_us; /* > 0 */
	int64_t max_us;	      /* > 0 */
};

/* The spec's. */
#define VIP_DAMPING_DEFAULTS                                                   \
	{                                                                      \
		.flip_us = 5 * INT64_C(1000000), .penalty = 1000,              \
		.suppress = 3000, .reuse = 750,                                \
		.half_life_us = 60 * INT64_C(1000000),                         \
		.max_us = 300 * INT64_C(1000000),                              \
	}

enum vip_health {
	VIP_HEALTH_OFF, /* not to be announced, whatever its members say */
	VIP_HEALTH_DOWN,
	VIP_HEALTH_UP,
	VIP_HEALTH_WAITS,
	VIP_HEALTH_AWAY,
};

/* What is remembered; all zero in the beginning. */
struct vip_damping {
	enum vip_health health; /* as it was last told */
	enum vip_health known;	/* ...off, down or up */
	bool allowed;
	bool was_allowed; /* ever */
	bool flapped;	  /* went down ever: down_us counts */
	bool suppressed;
	int64_t healthy_us; /* since when it is healthy */
	int64_t allowed_us; /* since when it is allowed */
	int64_t down_us;    /* when it last went down */
	int64_t penalty_us; /* when `penalty` was right */
	double penalty;
	bool ramping; /* the last coming up was one again */
};

/* What holds back something healthy, the first that applies. */
enum vip_held {
	VIP_HELD_NOT,
	VIP_HELD_FLAPPING,  /* D3 */
	VIP_HELD_FLIP,	    /* D2 */
	VIP_HELD_HOLD_DOWN, /* D1 */
};

/*
 * Takes in the health at `now_us`, which never goes back; returns whether to
 * announce: damping->allowed, unless it waits or zebra is away.
 */
extern bool vip_damping_step(struct vip_damping *damping,
			     const struct vip_damping_config *config,
			     enum vip_health health, int64_t now_us);

/*
 * What holds it back now, and (`until_us`, may be NULL) until when if nothing
 * happens.  VIP_HELD_NOT, and 0, when it is allowed or not healthy.
 */
extern enum vip_held vip_damping_held(const struct vip_damping *damping,
				      const struct vip_damping_config *config,
				      int64_t now_us, int64_t *until_us);

/*
 * The penalty, as far as it has decayed, UINT32_MAX if it is more; 0 if
 * penalties are off.
 */
extern uint32_t vip_damping_penalty(const struct vip_damping *damping,
				    const struct vip_damping_config *config,
				    int64_t now_us);

/* The weight in tenths: 1..VIP_RAMP_FULL; `next_us`: when it grows, 0: never. */
extern uint8_t vip_damping_ramp(const struct vip_damping *damping,
				const struct vip_damping_config *config,
				int64_t now_us, int64_t *next_us);

/* Forgets all flaps and the time of the last one: nothing holds but D1. */
extern void vip_damping_clear(struct vip_damping *damping);

#endif /* CLUSTER_VIP_DAMPING_H */
