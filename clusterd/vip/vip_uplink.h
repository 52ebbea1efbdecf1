/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The uplink's condition: a node that clients can't be answered from doesn't
 * announce.  spec: vip.md, "Announce only what forwards".
 */
#ifndef CLUSTER_VIP_UPLINK_H
#define CLUSTER_VIP_UPLINK_H

#include "vip/vip_decide.h"

struct probe_ref;

/* Most VIPs have none, and no memory for it. */
struct vip_uplink_condition {
	/* configuration */
	uint16_t routes;	  /* that BGP must have brought; 0: no matter */
	char probe[VIP_NAME_LEN]; /* "": none */

	/* holds */
	char vrf[CLUSTER_VRF_LEN]; /* whose routes are watched; "": none */
	struct probe_ref *ref;

	/* A new condition says nothing yet: */
	int64_t asked_us; /* for the VRF's routes; 0: there were enough */
	bool kept_up;	  /* met before, and the new probe has no result */
};

/* Takes the holds that the configuration asks for, in `vrf`. */
extern void vip_uplink_hold(struct vip_uplink_condition *uplink,
			    const char *vrf);
/* Lets go of everything and frees it; does nothing for NULL. */
extern void vip_uplink_free(struct vip_uplink_condition **uplink);

/* The VIP's condition, made if there is none. */
extern struct vip_uplink_condition *
vip_uplink_edit(struct vip_uplink_condition **uplink);

/*
 * VIP_UPLINK_OK for NULL.  What is `announced` stays so until a condition that
 * is new has an answer.
 */
extern enum vip_uplink vip_uplink_state(struct vip_uplink_condition *uplink,
					bool announced);

#endif /* CLUSTER_VIP_UPLINK_H */
