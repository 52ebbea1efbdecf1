// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VRFs, as zebra tells of them.
 *
 * The ID of a VRF is zebra's word, and the next zebra may have another one for the
 * same VRF, or the same one for another VRF: it numbers namespaces as it finds
 * them, and a device that was made anew has another index.  libfrr keeps a VRF
 * with its ID when the connection is lost, and refuses another ID of a name that
 * it knows.  So nothing is sent about a VRF until the zebra that is connected has
 * told its ID; and if that is another one, the VRF is made anew.
 */
#include "cluster_compat.h"

#include "memory.h"
#include "stream.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, ZEBRA_VRF, "VRF of zebra");

/* The `info` of a VRF. */
struct zebra_vrf {
	bool told; /* by the zebra that is connected */
	bool has_router_id;
	struct in_addr router_id;
};

static struct zebra_vrf *info_get(struct vrf *vrf)
{
	if (!vrf->info)
		vrf->info = XCALLOC(MTYPE_ZEBRA_VRF, sizeof(struct zebra_vrf));
	return vrf->info;
}

/* -- what others ask -- */

struct vrf *zebra_vrf_ready(const char *name)
{
	struct vrf *vrf = vrf_lookup_by_name(name);

	return vrf && vrf->vrf_id != VRF_UNKNOWN && vrf_is_enabled(vrf) ? vrf
									: NULL;
}

struct vrf *zebra_vrf_told(const char *name)
{
	struct vrf *vrf = zebra_vrf_ready(name);

	if (!zebra_client() || !vrf)
		return NULL;
	return vrf->vrf_id == VRF_DEFAULT || info_get(vrf)->told ? vrf : NULL;
}

bool cluster_zebra_vrf_known(const char *vrf)
{
	return zebra_vrf_ready(vrf) != NULL;
}

bool cluster_zebra_vrf_ready(const char *vrf)
{
	return zebra_vrf_told(vrf) != NULL;
}

bool cluster_zebra_router_id(const char *name, struct in_addr *id)
{
	struct vrf *vrf = vrf_lookup_by_name(name);

	if (!vrf || !info_get(vrf)->has_router_id)
		return false;
	*id = info_get(vrf)->router_id;
	return id->s_addr != INADDR_ANY;
}

/* -- what zebra tells -- */

/* zclient_send_reg_requests() has asked for it. */
int zebra_router_id_updated(ZAPI_CALLBACK_ARGS)
{
	struct vrf *vrf = vrf_lookup_by_id(vrf_id);
	struct zebra_vrf *info;
	struct prefix id;

	zebra_router_id_update_read(zclient->ibuf, &id);
	if (!vrf || id.family != AF_INET)
		return 0;
	info = info_get(vrf);
	if (info->has_router_id &&
	    IPV4_ADDR_SAME(&info->router_id, &id.u.prefix4))
		return 0;
	info->has_router_id = true;
	info->router_id = id.u.prefix4;
	cluster_sched_decide();
	return 0;
}

void zebra_vrf_subscribe(struct vrf *vrf)
{
	zebra_stale_ready(vrf);
	zebra_learned_ready(vrf);
	zebra_nexthop_resend(vrf->name);
}

static void told(struct vrf *vrf)
{
	info_get(vrf)->told = true;
	zclient_send_reg_requests(zebra_client(), vrf->vrf_id);
	zebra_vrf_subscribe(vrf);
	zebra_routes_resend(vrf->name, NULL);
	cluster_sched_decide();
}

/* As if zebra had told that it is gone, with its interfaces. */
static void forget(struct vrf *vrf)
{
	struct interface *ifp, *next;

	RB_FOREACH_SAFE (ifp, if_name_head, &vrf->ifaces_by_name, next) {
		if (ifp->ifindex == IFINDEX_INTERNAL)
			continue;
		UNSET_FLAG(ifp->flags, IFF_UP | IFF_RUNNING);
		if_destroy_via_zapi(ifp);
	}
	vrf_delete(vrf);
}

static struct vrf *renumbered(struct vrf *vrf, vrf_id_t vrf_id,
			      const char *name, const struct vrf_data *data)
{
	zlog_notice("VRF %s has ID %u at zebra now, it was %u", name, vrf_id,
		    vrf->vrf_id);
	forget(vrf);
	/* vrf_get() would rename the one that had it. */
	vrf = vrf_lookup_by_id(vrf_id);
	if (vrf && vrf_id != VRF_DEFAULT)
		forget(vrf);
	vrf = vrf_get(vrf_id, name);
	vrf->data = *data;
	vrf_enable(vrf);
	return vrf;
}

/* Behind libfrr's own handler, which has made the VRF if there was none. */
int zebra_vrf_added(ZAPI_CALLBACK_ARGS)
{
	char name[VRF_NAMSIZ + 1] = {};
	struct vrf_data data;
	struct vrf *vrf;

	stream_set_getp(zclient->ibuf, ZEBRA_HEADER_SIZE);
	STREAM_GET(&data, zclient->ibuf, sizeof(data));
	STREAM_GET(name, zclient->ibuf, VRF_NAMSIZ);
	vrf = vrf_lookup_by_name(name);
	if (!vrf || vrf_id == VRF_DEFAULT)
		return 0;
	if (vrf->vrf_id != vrf_id)
		vrf = renumbered(vrf, vrf_id, name, &data);
	if (!info_get(vrf)->told)
		told(vrf);
	return 0;
stream_failure:
	return -1;
}

/* libfrr enables one when zebra tells of it. */
static int vrf_enabled(struct vrf *vrf)
{
	/* The default VRF exists before the tables and the connection do. */
	if (zebra_client() && vrf->vrf_id != VRF_DEFAULT)
		told(vrf);
	return 0;
}

static int vrf_changed(struct vrf *vrf)
{
	zebra_addresses_stale();
	cluster_sched_decide();
	return 0;
}

static int vrf_disabled(struct vrf *vrf)
{
	info_get(vrf)->told = false;
	zebra_routes_vrf_gone(vrf->name);
	zebra_learned_vrf_gone(vrf);
	zebra_nexthop_vrf_gone(vrf);
	return vrf_changed(vrf);
}

static int vrf_deleted(struct vrf *vrf)
{
	XFREE(MTYPE_ZEBRA_VRF, vrf->info);
	return vrf_changed(vrf);
}

void zebra_vrf_lost(void)
{
	struct vrf *vrf;

	RB_FOREACH (vrf, vrf_name_head, &vrfs_by_name)
		info_get(vrf)->told = false;
}

void zebra_vrf_init(void)
{
	vrf_init(vrf_changed, vrf_enabled, vrf_disabled, vrf_deleted);
}
