// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "probe/probe.h"
#include "vip/vip_uplink.h"

DEFINE_MTYPE_STATIC(CLUSTERD, VIP_UPLINK, "VIP uplink condition");

struct vip_uplink_condition *vip_uplink_edit(struct vip_uplink_condition **uplink)
{
	if (!*uplink)
		*uplink = XCALLOC(MTYPE_VIP_UPLINK, sizeof(**uplink));
	return *uplink;
}

/* The new holds before the old ones go: nothing is without a user meanwhile. */
void vip_uplink_hold(struct vip_uplink_condition *uplink, const char *vrf)
{
	/* The probe's own target counts, if it has one; there is no other. */
	const struct ipaddr nobody = { .ipa_type = IPADDR_NONE };
	struct probe_ref *old = uplink->ref;
	char old_vrf[CLUSTER_VRF_LEN];

	uplink->ref = uplink->probe[0]
			      ? probe_ref_get(uplink->probe, vrf, &nobody)
			      : NULL;
	if (old)
		probe_ref_put(&old);

	strlcpy(old_vrf, uplink->vrf, sizeof(old_vrf));
	strlcpy(uplink->vrf, uplink->routes ? vrf : "", sizeof(uplink->vrf));
	if (uplink->vrf[0])
		cluster_zebra_learned_get(uplink->vrf);
	if (old_vrf[0])
		cluster_zebra_learned_put(old_vrf);
}

void vip_uplink_free(struct vip_uplink_condition **uplink)
{
	if (!*uplink)
		return;
	if ((*uplink)->ref)
		probe_ref_put(&(*uplink)->ref);
	if ((*uplink)->vrf[0])
		cluster_zebra_learned_put((*uplink)->vrf);
	XFREE(MTYPE_VIP_UPLINK, *uplink);
}

enum vip_uplink vip_uplink_state(const struct vip_uplink_condition *uplink)
{
	if (!uplink)
		return VIP_UPLINK_OK;
	if (uplink->vrf[0] &&
	    cluster_zebra_learned_count(uplink->vrf) < uplink->routes)
		return VIP_UPLINK_ROUTES;
	if (uplink->ref && probe_ref_verdict(uplink->ref, NULL, 0) != PROBE_UP)
		return VIP_UPLINK_PROBE;
	return VIP_UPLINK_OK;
}
