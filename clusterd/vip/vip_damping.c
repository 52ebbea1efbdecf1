// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stddef.h>

#include "vip/vip_damping.h"

static double reuse_limit(const struct vip_damping_config *config)
{
	return config->reuse < config->suppress ? config->reuse
						: config->suppress;
}

/*
 * What never stops is held for at most max_us when it does; also if max_us was
 * longer when the penalty arose.
 */
static double ceiling(const struct vip_damping_config *config)
{
	return reuse_limit(config) *
	       exp2((double)config->max_us / config->half_life_us);
}

static double penalty_at(const struct vip_damping *damping,
			 const struct vip_damping_config *config, int64_t now_us)
{
	double half_lives = (double)(now_us - damping->penalty_us) /
			    config->half_life_us;

	if (config->off)
		return 0;
	return fmin(damping->penalty, ceiling(config)) *
	       exp2(-fmax(half_lives, 0));
}

/* When the penalty has fallen below `reuse`; in the past if it has already. */
static int64_t reuse_at(const struct vip_damping *damping,
			const struct vip_damping_config *config)
{
	double half_lives = log2(fmin(damping->penalty, ceiling(config)) /
				 reuse_limit(config));

	/* One microsecond more, so that it is below and not at the limit. */
	return damping->penalty_us +
	       (int64_t)ceil(half_lives * config->half_life_us) + 1;
}

static void flap(struct vip_damping *damping,
		 const struct vip_damping_config *config, int64_t now_us)
{
	damping->flapped = true;
	damping->down_us = now_us;
	damping->penalty =
		fmin(penalty_at(damping, config, now_us) + config->penalty,
		     ceiling(config));
	damping->penalty_us = now_us;
	if (!config->off && damping->penalty >= config->suppress)
		damping->suppressed = true;
}

enum vip_held vip_damping_held(const struct vip_damping *damping,
			       const struct vip_damping_config *config,
			       int64_t now_us, int64_t *until_us)
{
	int64_t healthy_us = damping->healthy_us + config->hold_down_us;
	int64_t flip_us = damping->down_us + config->flip_us;
	int64_t latest_us = healthy_us;
	enum vip_held held = VIP_HELD_NOT;

	if (until_us)
		*until_us = 0;
	if (damping->allowed || damping->health != VIP_HEALTH_UP)
		return VIP_HELD_NOT;
	if (healthy_us > now_us)
		held = VIP_HELD_HOLD_DOWN;
	if (damping->flapped && flip_us > now_us) {
		held = VIP_HELD_FLIP;
		latest_us = flip_us > latest_us ? flip_us : latest_us;
	}
	if (damping->suppressed && !config->off) {
		int64_t reuse_us = reuse_at(damping, config);

		if (reuse_us > now_us) {
			held = VIP_HELD_FLAPPING;
			latest_us = reuse_us > latest_us ? reuse_us : latest_us;
		}
	}
	if (until_us && held != VIP_HELD_NOT)
		*until_us = latest_us;
	return held;
}

bool vip_damping_step(struct vip_damping *damping,
		      const struct vip_damping_config *config,
		      enum vip_health health, int64_t now_us)
{
	enum vip_health before = damping->known;
	bool was_away = damping->health == VIP_HEALTH_AWAY;

	damping->health = health;
	switch (health) {
	case VIP_HEALTH_WAITS:
	case VIP_HEALTH_AWAY:
		return false;
	case VIP_HEALTH_OFF:
		damping->allowed = false;
		break;
	case VIP_HEALTH_DOWN:
		if (before == VIP_HEALTH_UP && !was_away)
			flap(damping, config, now_us);
		damping->allowed = false;
		break;
	case VIP_HEALTH_UP:
		if (before != VIP_HEALTH_UP)
			damping->healthy_us = now_us;
		if (damping->allowed ||
		    vip_damping_held(damping, config, now_us, NULL))
			break;
		damping->suppressed = false;
		damping->ramping = damping->was_allowed;
		damping->was_allowed = true;
		damping->allowed = true;
		damping->allowed_us = now_us;
		break;
	}
	damping->known = health;
	return damping->allowed;
}

uint32_t vip_damping_penalty(const struct vip_damping *damping,
			     const struct vip_damping_config *config,
			     int64_t now_us)
{
	double penalty = penalty_at(damping, config, now_us);

	return penalty < UINT32_MAX ? (uint32_t)penalty : UINT32_MAX;
}

uint8_t vip_damping_ramp(const struct vip_damping *damping,
			 const struct vip_damping_config *config,
			 int64_t now_us, int64_t *next_us)
{
	int64_t part_us = config->slow_start_us / (VIP_RAMP_FULL - 1);
	int64_t passed_us = now_us - damping->allowed_us;

	*next_us = 0;
	if (!damping->allowed || !damping->ramping || part_us <= 0 ||
	    passed_us >= part_us * (VIP_RAMP_FULL - 1))
		return VIP_RAMP_FULL;
	*next_us = damping->allowed_us + (passed_us / part_us + 1) * part_us;
	return 1 + passed_us / part_us;
}

void vip_damping_clear(struct vip_damping *damping)
{
	damping->flapped = false;
	damping->suppressed = false;
	damping->penalty = 0;
}
