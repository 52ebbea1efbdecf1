// SPDX-License-Identifier: GPL-2.0-or-later
/* What zebra tells of interfaces and addresses. */
#include "cluster_compat.h"

#include <fnmatch.h>

#include "memory.h"
#include "typesafe.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, ZEBRA_ADDRESS, "Interface address");

/* Interface addresses by (VRF, address); rebuilt when one has changed. */
PREDECL_RBTREE_UNIQ(owned_addresses);
struct owned_address {
	struct owned_addresses_item item;
	struct cluster_route_key key;
	char ifname[CLUSTER_IFNAME_LEN];
};
static int owned_cmp(const struct owned_address *a,
		     const struct owned_address *b)
{
	return cluster_route_key_cmp(&a->key, &b->key);
}
DECLARE_RBTREE_UNIQ(owned_addresses, struct owned_address, item, owned_cmp);
static struct owned_addresses_head owned;
static bool owned_valid;

void zebra_addresses_stale(void)
{
	owned_valid = false;
}

int zebra_address_changed(ZAPI_CALLBACK_ARGS)
{
	struct connected *connected =
		zebra_interface_address_read(cmd, zclient->ibuf, vrf_id);

	if (connected && cmd == ZEBRA_INTERFACE_ADDRESS_DELETE)
		connected_free(&connected);
	zebra_addresses_stale();
	cluster_sched_decide();
	return 0;
}

static void owned_clear(void)
{
	struct owned_address *entry;

	while ((entry = owned_addresses_pop(&owned)))
		XFREE(MTYPE_ZEBRA_ADDRESS, entry);
}

static void owned_add(const struct vrf *vrf, const struct interface *ifp,
		      const struct prefix *address)
{
	struct owned_address *entry = XCALLOC(MTYPE_ZEBRA_ADDRESS,
					      sizeof(*entry));

	strlcpy(entry->key.vrf, vrf->name, sizeof(entry->key.vrf));
	strlcpy(entry->ifname, ifp->name, sizeof(entry->ifname));
	cluster_prefix_addr(address, &entry->key.addr);
	/* The same address twice: any of the interfaces will do. */
	if (owned_addresses_add(&owned, entry))
		XFREE(MTYPE_ZEBRA_ADDRESS, entry);
}

static void owned_build(void)
{
	struct connected *connected;
	struct interface *ifp;
	struct vrf *vrf;

	owned_clear();
	RB_FOREACH (vrf, vrf_name_head, &vrfs_by_name)
		FOR_ALL_INTERFACES (vrf, ifp)
			CLUSTER_FOR_EACH_CONNECTED (ifp, connected)
				owned_add(vrf, ifp, connected->address);
	owned_valid = true;
}

const char *cluster_zebra_address_owner(const char *vrf,
					const struct ipaddr *addr)
{
	struct owned_address ref = {}, *entry;

	if (!owned_valid)
		owned_build();
	strlcpy(ref.key.vrf, vrf, sizeof(ref.key.vrf));
	ref.key.addr = *addr;
	entry = owned_addresses_find(&owned, &ref);
	return entry ? entry->ifname : NULL;
}

bool cluster_zebra_interface_operative(const char *vrf_name, const char *ifname)
{
	struct vrf *vrf = zebra_vrf_ready(vrf_name);
	struct interface *ifp = vrf ? if_lookup_by_name(ifname, vrf->vrf_id)
				    : NULL;

	return ifp && if_is_operative(ifp);
}

bool cluster_zebra_interface_up(const char *vrf, const char *ifname)
{
	return zebra_client() && cluster_zebra_interface_operative(vrf, ifname);
}

bool cluster_zebra_interface_known(const char *vrf_name, const char *ifname)
{
	struct vrf *vrf = zebra_vrf_ready(vrf_name);

	return vrf && if_lookup_by_name(ifname, vrf->vrf_id);
}

unsigned int cluster_zebra_interfaces_up(const char *vrf_name,
					 const char *pattern)
{
	struct vrf *vrf = zebra_vrf_ready(vrf_name);
	struct interface *ifp;
	unsigned int n = 0;

	if (!vrf)
		return 0;
	FOR_ALL_INTERFACES (vrf, ifp)
		if (if_is_operative(ifp) && !fnmatch(pattern, ifp->name, 0))
			n++;
	return n;
}

void zebra_if_init(void)
{
	owned_addresses_init(&owned);
}

void zebra_if_fini(void)
{
	owned_clear();
	owned_addresses_fini(&owned);
}
