/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLUSTER_VRF_H
#define CLUSTER_VRF_H

#include "vrf.h"

/*
 * socket() inside the VRF's network namespace, if it has one; -1 and errno.
 * Never in another namespace, as libfrr's vrf_socket() when it can't enter it or
 * the VRF is gone (here: ENODEV).
 * Not bound to the VRF's device, if it has one.  Privileges are raised before.
 */
extern int cluster_vrf_socket(vrf_id_t vrf_id, int family, int type,
			      int protocol);

#endif /* CLUSTER_VRF_H */
