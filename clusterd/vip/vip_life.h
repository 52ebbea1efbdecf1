/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a VIP comes and goes: the configuration of draining, damping, slow
 * start and fail-open.
 */
#ifndef CLUSTER_VIP_LIFE_H
#define CLUSTER_VIP_LIFE_H

#include "vip/vip_damping.h"
#include "vip/vip_drain.h"

struct vip_life_config {
	struct vip_damping_config damping;
	int64_t drain_us;
	bool drain;
	bool drain_on_exit;
	bool fail_open;
};

extern const struct vip_life_config vip_life_defaults;

#endif /* CLUSTER_VIP_LIFE_H */
