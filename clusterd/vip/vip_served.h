/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision's part about addresses that are served on this node (pure):
 * rules L1 to L4 of vip_decide.h.
 */
#ifndef CLUSTER_VIP_SERVED_H
#define CLUSTER_VIP_SERVED_H

#include "vip/vip_verdict.h"

/*
 * What keeps address number `address` of a local VIP from being wanted, by
 * itself: VIP_WHY_OK if nothing does.  `fail_open`: L2 doesn't count.
 */
extern void vip_served_why(const struct vip_in *vip, size_t address,
			   bool fail_open, struct vip_reason *reason);

/*
 * Whether L2 applies to an address of a VIP, if that is local.  Those are
 * decided last: whether they fail open depends on the others.
 */
extern bool vip_served_failed(const struct vip_in *vip, size_t address);

/* Of the others: an address that is wanted sets `served` in `verdicts`. */
extern void vip_served_count(const struct vip_in *vip,
			     struct vip_verdicts *verdicts, size_t address);

/* ...after which this tells whether an address goes on although it failed. */
extern bool vip_served_fails_open(const struct vip_in *vip,
				  const struct vip_verdicts *verdicts,
				  size_t address);

/* Whether the local route of an address of a VIP that isn't drained is wanted. */
extern bool vip_served_route(const struct vip_in *vip, size_t address,
			     bool fail_open);

#endif /* CLUSTER_VIP_SERVED_H */
