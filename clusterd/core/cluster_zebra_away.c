// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interfaces while zebra is away.
 *
 * libfrr keeps what a zebra has told when the connection is lost, and the next
 * one tells only what there is: what went meanwhile would stay for ever.  And
 * there are those who need no zebra to do their work, as long as they know
 * interfaces: the responders.  So the kernel is asked, again and again while
 * zebra is away: which of the interfaces and addresses that we know are gone,
 * and which interfaces are up.  What is new only zebra tells.
 */
#include "cluster_compat.h"

#include <ifaddrs.h>
#include <netpacket/packet.h>

#include "ns.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"
#include "core/kernel_table.h"

#define FOLLOWED (IFF_UP | IFF_RUNNING)

static void kernel_take(struct kernel_table *table, const struct ifaddrs *entry)
{
	const struct sockaddr_in6 *sin6 = (const void *)entry->ifa_addr;
	const struct sockaddr_in *sin = (const void *)entry->ifa_addr;
	const struct sockaddr_ll *ll = (const void *)entry->ifa_addr;
	struct ipaddr addr = {};

	/* A tunnel without hardware addresses has none here either. */
	if (!entry->ifa_addr) {
		kernel_table_add_link(table, entry->ifa_name, 0,
				      entry->ifa_flags);
		return;
	}
	switch (entry->ifa_addr->sa_family) {
	case AF_PACKET:
		kernel_table_add_link(table, entry->ifa_name, ll->sll_ifindex,
				      entry->ifa_flags);
		break;
	case AF_INET:
		SET_IPADDR_V4(&addr);
		addr.ipaddr_v4 = sin->sin_addr;
		kernel_table_add_address(table, entry->ifa_name, &addr);
		break;
	case AF_INET6:
		SET_IPADDR_V6(&addr);
		addr.ipaddr_v6 = sin6->sin6_addr;
		kernel_table_add_address(table, entry->ifa_name, &addr);
		break;
	default:
		break;
	}
}

/* All that getifaddrs() tells at a time; NULL: nothing, an error. */
static struct kernel_table *kernel_read(vrf_id_t vrf_id)
{
	struct kernel_table *table;
	struct ifaddrs *all = NULL;
	int failed;

	frr_with_privs (&cluster_privs) {
		failed = vrf_switch_to_netns(vrf_id);
		if (failed >= 0) {
			failed = getifaddrs(&all);
			if (vrf_switchback_to_initial() < 0)
				flog_err(EC_CLUSTER_SYSTEM,
					 "can't return from the namespace of VRF %u: %m",
					 vrf_id);
		}
	}
	if (failed < 0)
		return NULL;
	table = kernel_table_new();
	for (struct ifaddrs *entry = all; entry; entry = entry->ifa_next)
		kernel_take(table, entry);
	freeifaddrs(all);
	return table;
}

static bool address_gone(const struct connected *connected, const void *arg)
{
	const struct kernel_table *table = arg;
	struct ipaddr addr;

	cluster_prefix_addr(connected->address, &addr);
	return !kernel_table_has_address(table, connected->ifp->name, &addr);
}

static bool follow_interface(struct interface *ifp,
			     const struct kernel_table *table)
{
	unsigned int flags;
	bool changed = false;

	if (!kernel_table_link(table, ifp->name, ifp->ifindex, &flags)) {
		/* As if zebra had told; another one by its name it will tell. */
		UNSET_FLAG(ifp->flags, FOLLOWED);
		if_destroy_via_zapi(ifp);
		return true;
	}
	if ((ifp->flags ^ flags) & FOLLOWED) {
		UNSET_FLAG(ifp->flags, FOLLOWED);
		SET_FLAG(ifp->flags, flags & FOLLOWED);
		changed = true;
	}
	return cluster_connected_prune(ifp, address_gone, table) || changed;
}

static bool follow_vrf(struct vrf *vrf, const struct kernel_table *table)
{
	struct interface *ifp, *next;
	bool changed = false;

	RB_FOREACH_SAFE (ifp, if_name_head, &vrf->ifaces_by_name, next)
		if (ifp->ifindex != IFINDEX_INTERNAL)
			changed |= follow_interface(ifp, table);
	return changed;
}

void zebra_if_follow_kernel(void)
{
	struct kernel_table *table = NULL;
	bool changed = false;
	struct vrf *vrf;

	RB_FOREACH (vrf, vrf_id_head, &vrfs_by_id) {
		if (RB_EMPTY(if_name_head, &vrf->ifaces_by_name))
			continue;
		/* Either each VRF is a namespace, or all are in one. */
		if (vrf_is_backend_netns())
			kernel_table_free(&table);
		/* A namespace that is gone: zebra will tell, when it is back. */
		if (!table)
			table = kernel_read(vrf->vrf_id);
		if (table)
			changed |= follow_vrf(vrf, table);
	}
	kernel_table_free(&table);
	if (!changed)
		return;
	zebra_addresses_stale();
	cluster_sched_decide();
}
