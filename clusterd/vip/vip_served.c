// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>

#include "vip/vip_served.h"

/* L1, L2 */
static enum vip_why probe_why(enum vip_probe_state probe, bool fail_open)
{
	switch (probe) {
	case VIP_PROBE_UNKNOWN:
		return VIP_WHY_PROBE_UNKNOWN;
	case VIP_PROBE_DOWN:
		return fail_open ? VIP_WHY_OK : VIP_WHY_PROBE_DOWN;
	case VIP_PROBE_NONE:
	case VIP_PROBE_UP:
		break;
	}
	return VIP_WHY_OK;
}

void vip_served_why(const struct vip_in *vip, size_t address, bool fail_open,
		    struct vip_reason *reason)
{
	const struct vip_local_in *local = &vip->locals[address];

	memset(reason, 0, sizeof(*reason));
	reason->why = probe_why(local->probe, fail_open);
	if (reason->why != VIP_WHY_OK)
		return;
	/* Held: still there, and it stays when it is wanted again. */
	if (local->status == LOCAL_SET || local->status == LOCAL_HELD)
		return;
	if (local->status != LOCAL_FAILED)
		reason->why = VIP_WHY_SERVED_WAITING;
	else if (local->error == EOPNOTSUPP) {
		reason->why = VIP_WHY_SERVED_VRF;
		strlcpy(reason->name, vip->vrf, sizeof(reason->name));
	} else {
		reason->why = VIP_WHY_SERVED_FAILED;
		reason->num = local->error;
	}
}

bool vip_served_failed(const struct vip_in *vip, size_t address)
{
	return vip->local && vip->locals[address].probe == VIP_PROBE_DOWN;
}

void vip_served_count(const struct vip_in *vip, struct vip_verdicts *verdicts,
		      size_t address)
{
	verdicts->served[vip_family_index(&vip->addresses[address])] = true;
}

bool vip_served_fails_open(const struct vip_in *vip,
			   const struct vip_verdicts *verdicts, size_t address)
{
	const struct vip_local_in *local = &vip->locals[address];

	return vip->fail_open && local->damping.allowed &&
	       local->probe == VIP_PROBE_DOWN &&
	       !verdicts->served[vip_family_index(&vip->addresses[address])];
}

bool vip_served_route(const struct vip_in *vip, size_t address, bool fail_open)
{
	const struct vip_local_in *local = &vip->locals[address];

	return local->probed_itself ||
	       probe_why(local->probe, fail_open) == VIP_WHY_OK;
}
