// SPDX-License-Identifier: GPL-2.0-or-later
/* The states that people see (pure): the decision, and what zebra made of it. */
#include "config.h"

#include <string.h>

#include "vip/vip_decide.h"

/* The state of an address that is wanted and that zebra has not confirmed. */
static enum vip_state pending_state(const struct vip_address_facts *facts,
				    enum vip_why *why)
{
	if (facts->before == VIP_REJECTED) {
		*why = VIP_WHY_FAILED;
		return VIP_REJECTED;
	}
	if (facts->before == VIP_HIDDEN || facts->overdue) {
		*why = VIP_WHY_UNCONFIRMED;
		return VIP_HIDDEN;
	}
	*why = VIP_WHY_PENDING;
	return VIP_PENDING;
}

static void reason_owner(struct vip_reason *reason, enum vip_why why,
			 const char *owner)
{
	reason->why = why;
	strlcpy(reason->name, owner, sizeof(reason->name));
}

static enum vip_state wanted_state(const struct vip_address_out *out,
				   const struct vip_address_facts *facts,
				   struct vip_reason *reason)
{
	switch (facts->status) {
	case CLUSTER_ROUTE_INSTALLED:
		/* The decision's reason is a remark; this one weighs more. */
		if (facts->owner)
			reason_owner(reason,
				     facts->local ? VIP_WHY_SERVED_OWNED
						  : VIP_WHY_LOCAL,
				     facts->owner);
		return out->draining ? VIP_DRAINING : VIP_ANNOUNCED;
	case CLUSTER_ROUTE_UNSENT:
		reason->why = VIP_WHY_UNSENT;
		return VIP_WAITING;
	default:
		break;
	}
	if (facts->owner) {
		reason_owner(reason, VIP_WHY_OWNED, facts->owner);
		return VIP_HIDDEN;
	}
	switch (facts->status) {
	case CLUSTER_ROUTE_BETTER_WON:
		reason->why = VIP_WHY_BETTER_WON;
		return VIP_HIDDEN;
	case CLUSTER_ROUTE_FAILED:
		reason->why = VIP_WHY_FAILED;
		return VIP_REJECTED;
	case CLUSTER_ROUTE_REMOVED:
		reason->why = VIP_WHY_REMOVED;
		return VIP_PENDING;
	default:
		return pending_state(facts, &reason->why);
	}
}

enum vip_state vip_address_state(const struct vip_address_out *out,
				 const struct vip_address_facts *facts,
				 struct vip_reason *reason)
{
	*reason = out->reason;
	switch (reason->why) {
	case VIP_WHY_SHUTDOWN:
		return VIP_SHUTDOWN;
	case VIP_WHY_DRAINED:
		return VIP_DRAINED;
	case VIP_WHY_VIPS_MAX:
	case VIP_WHY_MEMBERS_MAX:
	case VIP_WHY_ADDRESSES_MAX:
	case VIP_WHY_SERVED_MEMBERS:
		return VIP_INVALID;
	default:
		break;
	}
	/* Without zebra nothing is known about next hops either. */
	if (!facts->zebra_connected) {
		reason->why = VIP_WHY_ZEBRA;
		return VIP_WAITING;
	}
	if (out->wanted)
		return wanted_state(out, facts, reason);
	switch (reason->why) {
	case VIP_WHY_VRF:
	case VIP_WHY_SERVED_WAITING:
		return VIP_WAITING;
	case VIP_WHY_SERVED_FAILED:
		return VIP_REJECTED;
	case VIP_WHY_SERVED_VRF:
		return VIP_INVALID;
	case VIP_WHY_FLAPPING:
	case VIP_WHY_FLIP:
	case VIP_WHY_HOLD_DOWN:
		return VIP_HELD;
	default:
		return VIP_DOWN;
	}
}

enum vip_state vip_state_of(const struct vip_reason *vip,
			    const enum vip_state *addresses, size_t n_addresses,
			    int *culprit)
{
	/* What the operator should hear of first. */
	static const uint8_t urgency[VIP_STATE_MAX] = {
		[VIP_DRAINING] = 9, [VIP_INVALID] = 8, [VIP_REJECTED] = 7,
		[VIP_HIDDEN] = 6,   [VIP_DOWN] = 5,    [VIP_HELD] = 4,
		[VIP_WAITING] = 3,  [VIP_PENDING] = 2, [VIP_SHUTDOWN] = 1,
		[VIP_DRAINED] = 1,  [VIP_PARTIAL] = 0, [VIP_ANNOUNCED] = 0,
	};
	size_t n_announced = 0, worst = 0;

	*culprit = -1;
	if (!n_addresses)
		return vip->why == VIP_WHY_SHUTDOWN  ? VIP_SHUTDOWN
		       : vip->why == VIP_WHY_DRAINED ? VIP_DRAINED
		       : vip->why == VIP_WHY_NO_ADDRESS || vip->why == VIP_WHY_OK
			       ? VIP_DOWN
			       : VIP_INVALID;
	for (size_t i = 0; i < n_addresses; i++) {
		if (addresses[i] == VIP_ANNOUNCED)
			n_announced++;
		if (urgency[addresses[i]] > urgency[addresses[worst]])
			worst = i;
	}
	if (vip->why == VIP_WHY_OK)
		*culprit = worst;
	if (n_announced == n_addresses)
		return VIP_ANNOUNCED;
	return n_announced && addresses[worst] != VIP_DRAINING
		       ? VIP_PARTIAL
		       : addresses[worst];
}
