// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "typesafe.h"

#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "vip/vip_nexthop.h"

DEFINE_MTYPE_STATIC(CLUSTERD, VIP_NEXTHOP, "VIP next hop");

PREDECL_RBTREE_UNIQ(vip_nexthops);

struct vip_nexthop {
	struct vip_nexthops_item item;
	struct cluster_route_key key;
	unsigned int users;
	bool resolved;
};

static int vip_nexthop_cmp(const struct vip_nexthop *a,
			   const struct vip_nexthop *b)
{
	return cluster_route_key_cmp(&a->key, &b->key);
}
DECLARE_RBTREE_UNIQ(vip_nexthops, struct vip_nexthop, item, vip_nexthop_cmp);

static struct vip_nexthops_head nexthops = INIT_RBTREE_UNIQ(nexthops);

struct vip_nexthop *vip_nexthop_get(const char *vrf, const struct ipaddr *addr)
{
	struct vip_nexthop ref = { .key.addr = *addr }, *nexthop;

	strlcpy(ref.key.vrf, vrf, sizeof(ref.key.vrf));
	nexthop = vip_nexthops_find(&nexthops, &ref);
	if (!nexthop) {
		nexthop = XCALLOC(MTYPE_VIP_NEXTHOP, sizeof(*nexthop));
		nexthop->key = ref.key;
		vip_nexthops_add(&nexthops, nexthop);
		cluster_zebra_nexthop_get(vrf, addr);
	}
	nexthop->users++;
	return nexthop;
}

void vip_nexthop_put(struct vip_nexthop **nexthop)
{
	struct vip_nexthop *gone = *nexthop;

	*nexthop = NULL;
	if (!gone || --gone->users)
		return;
	vip_nexthops_del(&nexthops, gone);
	cluster_zebra_nexthop_put(gone->key.vrf, &gone->key.addr);
	XFREE(MTYPE_VIP_NEXTHOP, gone);
}

void vip_nexthops_refresh(void)
{
	struct vip_nexthop *nexthop;

	frr_each (vip_nexthops, &nexthops, nexthop)
		nexthop->resolved =
			cluster_zebra_nexthop_resolved(nexthop->key.vrf,
						       &nexthop->key.addr);
}

bool vip_nexthop_resolved(const struct vip_nexthop *nexthop)
{
	return nexthop && nexthop->resolved;
}
