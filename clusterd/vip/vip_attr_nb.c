// SPDX-License-Identifier: GPL-2.0-or-later
/* Northbound of the attributes that a VIP is announced with. */
#include "cluster_compat.h"

#include "clusterd.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

/* The attributes that a callback for one of a VIP's leaves writes to. */
static struct vip_attributes *attributes_edit(const struct lyd_node *dnode)
{
	/* The first child is the key. */
	struct vip *vip = vip_find(lyd_get_value(lyd_child(lyd_parent(dnode))));

	assert(vip);
	return vip_attributes_edit(vip);
}

/* One more than there can be: what the command refuses. */
static bool too_many(const struct lyd_node *dnode)
{
	const struct lyd_node *sibling;
	size_t n = 0;

	LY_LIST_FOR (lyd_child(lyd_parent(dnode)), sibling)
		n += sibling->schema == dnode->schema;
	return n > VIP_COMMUNITIES_MAX;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/drain-tag */
int vip_drain_tag_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		attributes_edit(args->dnode)->drain_tag =
			yang_dnode_get_uint32(args->dnode, NULL);
	return NB_OK;
}

int vip_drain_tag_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		attributes_edit(args->dnode)->drain_tag = 0;
	return NB_OK;
}

static int community_refuse(const struct lyd_node *dnode, bool valid,
			    char *errmsg, size_t errmsg_len)
{
	if (!valid) {
		snprintf(errmsg, errmsg_len, "%s is not a %s",
			 yang_dnode_get_string(dnode, NULL),
			 dnode->schema->name);
		return NB_ERR_VALIDATION;
	}
	if (too_many(dnode)) {
		snprintf(errmsg, errmsg_len, "more than %d of %s",
			 VIP_COMMUNITIES_MAX, dnode->schema->name);
		return NB_ERR_VALIDATION;
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/community */
int vip_community_create(struct nb_cb_create_args *args)
{
	uint32_t community;
	bool valid =
		vip_community_parse(yang_dnode_get_string(args->dnode, NULL),
				    &community);

	if (args->event == NB_EV_VALIDATE)
		return community_refuse(args->dnode, valid, args->errmsg,
					args->errmsg_len);
	if (args->event == NB_EV_APPLY)
		vip_community_add(attributes_edit(args->dnode), community);
	return NB_OK;
}

int vip_community_destroy(struct nb_cb_destroy_args *args)
{
	uint32_t community;

	if (args->event == NB_EV_APPLY &&
	    vip_community_parse(yang_dnode_get_string(args->dnode, NULL),
				&community))
		vip_community_del(attributes_edit(args->dnode), community);
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/large-community */
int vip_large_community_create(struct nb_cb_create_args *args)
{
	struct vip_large_community community;
	bool valid = vip_large_community_parse(yang_dnode_get_string(args->dnode,
								     NULL),
					       &community);

	if (args->event == NB_EV_VALIDATE)
		return community_refuse(args->dnode, valid, args->errmsg,
					args->errmsg_len);
	if (args->event == NB_EV_APPLY)
		vip_large_community_add(attributes_edit(args->dnode),
					&community);
	return NB_OK;
}

int vip_large_community_destroy(struct nb_cb_destroy_args *args)
{
	struct vip_large_community community;

	if (args->event == NB_EV_APPLY &&
	    vip_large_community_parse(yang_dnode_get_string(args->dnode, NULL),
				      &community))
		vip_large_community_del(attributes_edit(args->dnode),
					&community);
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/local-preference */
int vip_local_preference_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_attributes *attributes = attributes_edit(args->dnode);

		attributes->has_local_preference = true;
		attributes->local_preference =
			yang_dnode_get_uint32(args->dnode, NULL);
	}
	return NB_OK;
}

int vip_local_preference_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		attributes_edit(args->dnode)->has_local_preference = false;
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/link-bandwidth */
int vip_link_bandwidth_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		attributes_edit(args->dnode)->link_bandwidth =
			yang_dnode_get_uint16(args->dnode, NULL);
	return NB_OK;
}

int vip_link_bandwidth_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		attributes_edit(args->dnode)->link_bandwidth = 0;
	return NB_OK;
}
