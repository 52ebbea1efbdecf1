// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "cluster_errors.h"
#include "core/cluster_vrf.h"

int cluster_vrf_socket(vrf_id_t vrf_id, int family, int type, int protocol)
{
	int fd, err;

	/* libfrr takes one that it doesn't know for the default VRF. */
	if (vrf_id != VRF_DEFAULT && !vrf_lookup_by_id(vrf_id)) {
		errno = ENODEV;
		return -1;
	}
	errno = 0;
	if (vrf_switch_to_netns(vrf_id) < 0) {
		if (!errno)
			errno = EINVAL;
		return -1;
	}
	fd = socket(family, type, protocol);
	err = errno;
	if (vrf_switchback_to_initial() < 0)
		flog_err(EC_CLUSTER_SYSTEM,
			 "can't return from the namespace of VRF %u: %m",
			 vrf_id);
	errno = err;
	return fd;
}
