/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision's part about addresses that are served on this node (pure):
 * rules L1 to L4 of vip_decide.h.
 */
#ifndef CLUSTER_VIP_SERVED_H
#define CLUSTER_VIP_SERVED_H

#include "vip/vip_decide.h"

/*
 * What keeps address number `address` of a local VIP from being wanted, by
 * itself: VIP_WHY_OK if nothing does.  `fail_open`: L2 doesn't count.
 */
extern void vip_served_why(const struct vip_in *vip, size_t address,
			   bool fail_open, struct vip_reason *reason);

/*
 * The health of the addresses of a family: up while any of them could be
 * wanted.  `may_fail_open`: they are announced, and fail-open is configured;
 * `fail_open` gets whether it is what keeps them up.
 */
extern enum vip_health vip_served_health(const struct vip_in *vip,
					 enum ipaddr_type_t family,
					 bool may_fail_open, bool *fail_open);

/* Whether the local route of an address of a VIP that isn't drained is wanted. */
extern bool vip_served_route(const struct vip_in *vip, size_t address,
			     bool fail_open);

#endif /* CLUSTER_VIP_SERVED_H */
