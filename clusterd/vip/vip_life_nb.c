// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of when a VIP comes and goes: the leaves of struct
 * vip_life_config, all by one table.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

enum leaf_type {
	LEAF_BOOL,   /* bool */
	LEAF_NUMBER, /* uint32_t */
	LEAF_TIME,   /* milliseconds in an uint32; int64_t of microseconds */
};

#define AT(member) offsetof(struct vip_life_config, member)

static const struct life_leaf {
	const char *name;
	enum leaf_type type;
	size_t offset;
} life_leaves[] = {
	{ "drain", LEAF_BOOL, AT(drain) },
	{ "drain-time", LEAF_TIME, AT(drain_us) },
	{ "drain-on-exit", LEAF_BOOL, AT(drain_on_exit) },
	{ "fail-open", LEAF_BOOL, AT(fail_open) },
	{ "hold-down", LEAF_TIME, AT(damping.hold_down_us) },
	{ "flip-interval", LEAF_TIME, AT(damping.flip_us) },
	{ "slow-start", LEAF_TIME, AT(damping.slow_start_us) },
	{ "damping-off", LEAF_BOOL, AT(damping.off) },
	{ "damping-penalty", LEAF_NUMBER, AT(damping.penalty) },
	{ "damping-half-life", LEAF_TIME, AT(damping.half_life_us) },
	{ "damping-suppress", LEAF_NUMBER, AT(damping.suppress) },
	{ "damping-reuse", LEAF_NUMBER, AT(damping.reuse) },
	{ "damping-max-time", LEAF_TIME, AT(damping.max_us) },
};

static const size_t leaf_sizes[] = {
	[LEAF_BOOL] = sizeof(bool),
	[LEAF_NUMBER] = sizeof(uint32_t),
	[LEAF_TIME] = sizeof(int64_t),
};

static const struct life_leaf *leaf_of(const struct lyd_node *dnode)
{
	for (size_t i = 0; i < array_size(life_leaves); i++)
		if (strcmp(life_leaves[i].name, dnode->schema->name) == 0)
			return &life_leaves[i];
	assert(!"a leaf that the table has");
	return NULL;
}

static struct vip *leaf_vip(const struct lyd_node *dnode)
{
	struct vip *vip = vip_find(lyd_get_value(lyd_child(lyd_parent(dnode))));

	assert(vip);
	return vip;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/LEAF */
int vip_life_modify(struct nb_cb_modify_args *args)
{
	const struct life_leaf *leaf;
	struct vip *vip;
	char *value;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	leaf = leaf_of(args->dnode);
	vip = leaf_vip(args->dnode);
	value = (char *)&vip->life_config + leaf->offset;
	switch (leaf->type) {
	case LEAF_BOOL:
		*(bool *)value = yang_dnode_get_bool(args->dnode, NULL);
		break;
	case LEAF_NUMBER:
		*(uint32_t *)value = yang_dnode_get_uint32(args->dnode, NULL);
		break;
	case LEAF_TIME:
		*(int64_t *)value = yang_dnode_get_uint32(args->dnode, NULL) *
				    INT64_C(1000);
		break;
	}
	vip_changed(vip);
	return NB_OK;
}

int vip_life_destroy(struct nb_cb_destroy_args *args)
{
	const struct life_leaf *leaf;
	struct vip *vip;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	leaf = leaf_of(args->dnode);
	vip = leaf_vip(args->dnode);
	memcpy((char *)&vip->life_config + leaf->offset,
	       (const char *)&vip_life_defaults + leaf->offset,
	       leaf_sizes[leaf->type]);
	vip_changed(vip);
	return NB_OK;
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

/* XPath: /frr-clusterd-vip:cluster-vips/vip/probe-need */
int vip_probe_need_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);

		vip->probe_need = yang_dnode_get_uint8(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

int vip_probe_need_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = leaf_vip(args->dnode);

		vip->probe_need = 0;
		vip_changed(vip);
	}
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
