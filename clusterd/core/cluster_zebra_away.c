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

#include "memory.h"
#include "ns.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, ZEBRA_KERNEL, "Interfaces in the kernel");

#define FOLLOWED (IFF_UP | IFF_RUNNING)

/* What the kernel has in one network namespace, by interface. */
struct kernel {
	struct ifaddrs *all;
	const struct ifaddrs **sorted;
	size_t n;
};

/* An address may have a label, "eth0:1": no interface has a colon in its name. */
static int name_cmp(const char *a, const char *b)
{
	size_t len_a = strcspn(a, ":"), len_b = strcspn(b, ":");
	int order = memcmp(a, b, MIN(len_a, len_b));

	return order ? order : numcmp(len_a, len_b);
}

static int entry_cmp(const void *a, const void *b)
{
	const struct ifaddrs *const *x = a, *const *y = b;

	return name_cmp((*x)->ifa_name, (*y)->ifa_name);
}

static bool kernel_read(struct kernel *kernel, vrf_id_t vrf_id)
{
	int failed;

	memset(kernel, 0, sizeof(*kernel));
	frr_with_privs (&cluster_privs) {
		failed = vrf_switch_to_netns(vrf_id);
		if (failed >= 0) {
			failed = getifaddrs(&kernel->all);
			if (vrf_switchback_to_initial() < 0)
				flog_err(EC_CLUSTER_SYSTEM,
					 "can't return from the namespace of VRF %u: %m",
					 vrf_id);
		}
	}
	if (failed < 0)
		return false;
	for (struct ifaddrs *entry = kernel->all; entry; entry = entry->ifa_next)
		kernel->n++;
	kernel->sorted = XCALLOC(MTYPE_ZEBRA_KERNEL,
				 (kernel->n + 1) * sizeof(*kernel->sorted));
	kernel->n = 0;
	for (struct ifaddrs *entry = kernel->all; entry; entry = entry->ifa_next)
		kernel->sorted[kernel->n++] = entry;
	qsort(kernel->sorted, kernel->n, sizeof(*kernel->sorted), entry_cmp);
	return true;
}

static void kernel_free(struct kernel *kernel)
{
	if (kernel->all)
		freeifaddrs(kernel->all);
	kernel->all = NULL;
	XFREE(MTYPE_ZEBRA_KERNEL, kernel->sorted);
}

/* The first entry of an interface, and how many there are. */
static size_t entries_of(const struct kernel *kernel, const char *name,
			 const struct ifaddrs *const **first)
{
	size_t low = 0, high = kernel->n, n = 0;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (name_cmp(kernel->sorted[mid]->ifa_name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*first = &kernel->sorted[low];
	while (low + n < kernel->n &&
	       !name_cmp(kernel->sorted[low + n]->ifa_name, name))
		n++;
	return n;
}

/* A tunnel without hardware addresses has none here either, and no index. */
static bool is_link(const struct ifaddrs *entry, ifindex_t ifindex)
{
	const struct sockaddr_ll *ll = (const void *)entry->ifa_addr;

	return !ll ||
	       (ll->sll_family == AF_PACKET && ll->sll_ifindex == ifindex);
}

static bool is_address(const struct ifaddrs *entry, const struct prefix *p)
{
	const struct sockaddr_in6 *sin6 = (const void *)entry->ifa_addr;
	const struct sockaddr_in *sin = (const void *)entry->ifa_addr;

	if (!entry->ifa_addr || entry->ifa_addr->sa_family != p->family)
		return false;
	return p->family == AF_INET
		       ? IPV4_ADDR_SAME(&sin->sin_addr, &p->u.prefix4)
		       : IPV6_ADDR_SAME(&sin6->sin6_addr, &p->u.prefix6);
}

/* An address of it that the kernel hasn't got, or NULL. */
static struct connected *address_gone(struct interface *ifp,
				      const struct ifaddrs *const *entries,
				      size_t n)
{
	struct connected *connected;

	CLUSTER_FOR_EACH_CONNECTED (ifp, connected) {
		bool there = false;

		for (size_t i = 0; i < n && !there; i++)
			there = is_address(entries[i], connected->address);
		if (!there)
			return connected;
	}
	return NULL;
}

static bool follow_interface(struct interface *ifp, const struct kernel *kernel)
{
	const struct ifaddrs *const *entries;
	const struct ifaddrs *link = NULL;
	size_t n = entries_of(kernel, ifp->name, &entries);
	struct connected *connected;
	bool changed = false;

	for (size_t i = 0; i < n && !link; i++)
		if (is_link(entries[i], ifp->ifindex))
			link = entries[i];
	if (!link) {
		/* As if zebra had told; another one by its name it will tell. */
		UNSET_FLAG(ifp->flags, FOLLOWED);
		if_destroy_via_zapi(ifp);
		return true;
	}
	if ((ifp->flags ^ link->ifa_flags) & FOLLOWED) {
		UNSET_FLAG(ifp->flags, FOLLOWED);
		SET_FLAG(ifp->flags, link->ifa_flags & FOLLOWED);
		changed = true;
	}
	while ((connected = address_gone(ifp, entries, n)) &&
	       (connected = connected_delete_by_prefix(ifp,
						       connected->address))) {
		connected_free(&connected);
		changed = true;
	}
	return changed;
}

static bool follow_vrf(struct vrf *vrf, const struct kernel *kernel)
{
	struct interface *ifp, *next;
	bool changed = false;

	RB_FOREACH_SAFE (ifp, if_name_head, &vrf->ifaces_by_name, next)
		if (ifp->ifindex != IFINDEX_INTERNAL)
			changed |= follow_interface(ifp, kernel);
	return changed;
}

void zebra_if_follow_kernel(void)
{
	struct kernel kernel = {};
	bool changed = false;
	struct vrf *vrf;

	RB_FOREACH (vrf, vrf_id_head, &vrfs_by_id) {
		if (RB_EMPTY(if_name_head, &vrf->ifaces_by_name))
			continue;
		/* Either each VRF is a namespace, or all are in one. */
		if (vrf_is_backend_netns())
			kernel_free(&kernel);
		/* A namespace that is gone: zebra will tell, when it is back. */
		if (!kernel.all && !kernel_read(&kernel, vrf->vrf_id))
			continue;
		changed |= follow_vrf(vrf, &kernel);
	}
	kernel_free(&kernel);
	if (!changed)
		return;
	zebra_addresses_stale();
	cluster_sched_decide();
}
