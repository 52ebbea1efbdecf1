// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Local VIPs: the service runs on this node.
 *
 * The node delivers the address to itself by AnyIP, a route in the kernel's
 * local table (core/local_netlink.c), and not by an address of an interface:
 * no connected route that hides the VIP's, no duplicate address detection, and
 * nothing that `redistribute connected` could announce.
 *
 * Each address has its own check, by the VIP's probes: of a probe's target, or by
 * a probe without one, of the address itself.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/local_netlink.h"
#include "vip/vip_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, VIP_SERVICE, "VIP local service");

void vip_local_take(struct vip_address *address)
{
	struct vip_member *service = address->service;

	if (!address->vip->local) {
		vip_local_drop(address);
		return;
	}
	if (!service) {
		service = XCALLOC(MTYPE_VIP_SERVICE, sizeof(*service));
		service->vip = address->vip;
		service->addr = address->addr;
		/* So there is no next hop that would have to be resolved. */
		strlcpy(service->ifname, "lo", sizeof(service->ifname));
		address->service = service;
		memset(&address->damping, 0, sizeof(address->damping));
	}
	vip_member_hold(service, address->state == VIP_ANNOUNCED);
}

void vip_local_drop(struct vip_address *address)
{
	if (!address->service)
		return;
	vip_member_release(address->service);
	XFREE(MTYPE_VIP_SERVICE, address->service);
}

enum local_status vip_local_status(const struct vip_address *address, int *error)
{
	struct cluster_route_key key = { .addr = address->addr };

	strlcpy(key.vrf, address->vip->vrf, sizeof(key.vrf));
	return local_route_status(&key, error);
}

bool vip_local_for_check(const struct vip_address *address)
{
	enum vip_probe_state probe;

	/* Not before the first decision about it. */
	if (!address->service)
		return false;
	probe = vip_member_probe_state(address->service);
	return (probe == VIP_PROBE_DOWN || probe == VIP_PROBE_UNKNOWN) &&
	       vip_member_probed_itself(address->service) &&
	       vip_local_status(address, NULL) == LOCAL_SET;
}

void vip_local_refresh(struct vip *vip)
{
	for (size_t i = 0; vip->local && i < vip->in.n_addresses; i++) {
		const struct vip_address *address = vip->address_of[i];
		struct vip_local_in *in = &vip->in_locals[i];

		vip_member_review(address->service);
		in->probe = vip_member_probe_state(address->service);
		in->probed_itself = vip_member_probed_itself(address->service);
		in->status = vip_local_status(address, &in->error);
		in->damping = address->damping;
	}
}

void vip_local_remember(struct vip *vip, const struct vip_out *out)
{
	for (size_t i = 0; out->dampings && i < vip->in.n_addresses; i++)
		vip->address_of[i]->damping = out->dampings[i];
}
