// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of what few VIPs have, and what is allocated for those: uplink
 * conditions, further probes, a drain file.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

static struct vip *leaf_vip(const struct lyd_node *dnode)
{
	struct vip *vip = vip_find(lyd_get_value(lyd_child(lyd_parent(dnode))));

	assert(vip);
	return vip;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/uplink-bgp-routes */
int vip_uplink_routes_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);

		vip_uplink_edit(&vip->uplink)->routes =
			yang_dnode_get_uint16(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

int vip_uplink_routes_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);

		vip_uplink_edit(&vip->uplink)->routes = 0;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/uplink-probe */
int vip_uplink_probe_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);
		struct vip_uplink_condition *uplink =
			vip_uplink_edit(&vip->uplink);

		strlcpy(uplink->probe, yang_dnode_get_string(args->dnode, NULL),
			sizeof(uplink->probe));
		vip_changed(vip);
	}
	return NB_OK;
}

int vip_uplink_probe_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);

		vip_uplink_edit(&vip->uplink)->probe[0] = '\0';
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/also-probe */
int vip_also_probe_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_also_add(leaf_vip(args->dnode),
			     yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

int vip_also_probe_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_also_del(leaf_vip(args->dnode),
			     yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/drain-file */
int vip_drain_file_modify(struct nb_cb_modify_args *args)
{
	struct vip_drain_file *old;
	struct vip *vip;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	vip = leaf_vip(args->dnode);
	old = vip->drain_file;
	vip->drain_file =
		vip_drain_file_get(yang_dnode_get_string(args->dnode, NULL));
	vip_drain_file_put(&old);
	vip_changed(vip);
	return NB_OK;
}

int vip_drain_file_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);

		vip_drain_file_put(&vip->drain_file);
		vip_changed(vip);
	}
	return NB_OK;
}
