// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "probe/probe.h"
#include "vip/vip_uplink.h"

/* zebra has told all routes by then; mostly within milliseconds. */
#define ROUTES_TOLD_US (3 * 1000000LL)

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
	if (uplink->ref && !(old && probe_ref_same(old, uplink->ref)))
		uplink->kept_up = !old || uplink->kept_up ||
				  probe_ref_verdict(old, NULL, 0) == PROBE_UP;
	if (old)
		probe_ref_put(&old);

	strlcpy(old_vrf, uplink->vrf, sizeof(old_vrf));
	strlcpy(uplink->vrf, uplink->routes ? vrf : "", sizeof(uplink->vrf));
	if (strcmp(old_vrf, uplink->vrf) != 0)
		uplink->asked_us = cluster_now_us();
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

static bool routes_enough(struct vip_uplink_condition *uplink, bool announced)
{
	int64_t told_us = uplink->asked_us + ROUTES_TOLD_US;

	if (cluster_zebra_learned_count(uplink->vrf) >= uplink->routes) {
		uplink->asked_us = 0;
		return true;
	}
	if (!announced || !uplink->asked_us || cluster_now_us() >= told_us)
		return false;
	cluster_sched_decide_at(told_us);
	return true;
}

static bool probe_passes(struct vip_uplink_condition *uplink, bool announced)
{
	enum probe_verdict verdict = probe_ref_verdict(uplink->ref, NULL, 0);

	if (verdict == PROBE_UNKNOWN || probe_ref_settled(uplink->ref))
		uplink->kept_up = false;
	return verdict == PROBE_UP || (uplink->kept_up && announced);
}

enum vip_uplink vip_uplink_state(struct vip_uplink_condition *uplink,
				 bool announced)
{
	if (!uplink)
		return VIP_UPLINK_OK;
	if (uplink->vrf[0] && !routes_enough(uplink, announced))
		return VIP_UPLINK_ROUTES;
	if (uplink->ref && !probe_passes(uplink, announced))
		return VIP_UPLINK_PROBE;
	return VIP_UPLINK_OK;
}
