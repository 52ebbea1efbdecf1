/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision's part about one VIP (pure): whether its members count and its
 * addresses are wanted, by rules V1 to V5, M1 to M7 and A1 to A7 of
 * vip_decide.h.  What routes come of it is vip_decide.c.
 */
#ifndef CLUSTER_VIP_VERDICT_H
#define CLUSTER_VIP_VERDICT_H

#include "vip/vip_decide.h"

/* What a VIP's families are like; all zero in the beginning. */
struct vip_verdicts {
	uint32_t total[2], up[2];
	uint32_t drained[2]; /* their operator took them out */
	uint32_t failed[2];  /* would count if their probe were up */
	bool has_address[2], fail_open[2], draining;
	bool served[2]; /* local: some address is wanted, and by its probe */
	/* With members: the same for all addresses of a family. */
	struct vip_address_out family[2];
};

/* What is decided as one: a family with members, or a local VIP's address. */
struct vip_parts {
	size_t n;
	struct vip_address_out *outs;
	struct vip_damping *dampings;
};

/* Index of the arrays of two: 0 IPv4, 1 IPv6. */
static inline int vip_family_index(const struct ipaddr *addr)
{
	return IS_IPADDR_V6(addr) ? 1 : 0;
}

/*
 * V1, V2, V4, V5.  `last`: the name of the last VIP that is served of `n_vips`;
 * NULL: all are.
 */
extern struct vip_reason vip_verdict(const struct vip_in *vip, size_t n_vips,
				     const char *last);

/* Why a member doesn't count; counts it in `verdicts`. */
extern enum vip_why vip_member_verdict(const struct vip_in *vip,
				       const struct vip_member_in *member,
				       struct vip_verdicts *verdicts);

/*
 * When all members are counted and has_address is set: from health to what is
 * wanted, by draining and damping, for each of the parts, whose outs are all
 * zero before.  `next_us` (0: never) becomes earlier if time changes something
 * before it.
 */
extern void vip_verdicts_live(const struct vip_in *vip, struct vip_out *out,
			      struct vip_verdicts *verdicts,
			      const struct vip_parts *parts, int64_t now_us,
			      int64_t *next_us);

#endif /* CLUSTER_VIP_VERDICT_H */
