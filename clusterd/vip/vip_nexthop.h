/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Next hops that members have zebra resolve: one object for all members with
 * one address in one VRF, so that a decision about 10,000 VIPs asks about
 * each of a few hundred next hops once.
 */
#ifndef CLUSTER_VIP_NEXTHOP_H
#define CLUSTER_VIP_NEXTHOP_H

#include <stdbool.h>

#include "ipaddr.h"

struct vip_nexthop;

/* Counted: watched by core/cluster_zebra from the first get to the last put. */
extern struct vip_nexthop *vip_nexthop_get(const char *vrf,
					   const struct ipaddr *addr);
/* Does nothing for NULL; sets *nexthop to NULL. */
extern void vip_nexthop_put(struct vip_nexthop **nexthop);

/* Reads anew what zebra says of all of them. */
extern void vip_nexthops_refresh(void);
/* As of the last refresh; false for NULL. */
extern bool vip_nexthop_resolved(const struct vip_nexthop *nexthop);

#endif /* CLUSTER_VIP_NEXTHOP_H */
