// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "vip/vip_drain.h"

/* The one writer of the phase. */
static void phase_set(struct vip_drain *drain, enum vip_drain_phase phase,
		      int64_t now_us)
{
	if (drain->phase == phase)
		return;
	drain->phase = phase;
	drain->since_us = now_us;
}

void vip_drain_step(struct vip_drain *drain, enum vip_drain_cause cause,
		    bool announced, int64_t drain_us, int64_t now_us)
{
	if (cause == VIP_DRAIN_NONE) {
		phase_set(drain, VIP_DRAIN_SERVING, now_us);
		return;
	}
	if (drain->phase == VIP_DRAIN_SERVING)
		phase_set(drain,
			  announced ? VIP_DRAIN_DRAINING : VIP_DRAIN_DRAINED,
			  now_us);
	if (drain->phase == VIP_DRAIN_DRAINING &&
	    (!announced || now_us >= drain->since_us + drain_us))
		phase_set(drain, VIP_DRAIN_DRAINED, now_us);
}

int64_t vip_drain_until(const struct vip_drain *drain, int64_t drain_us)
{
	return drain->phase == VIP_DRAIN_DRAINING ? drain->since_us + drain_us
						  : 0;
}
