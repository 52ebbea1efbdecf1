// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the VIPs: configuration.  Callbacks copy the value and mark the
 * VIP as changed.  The state is in vip_nb_state.c, more of the configuration in
 * vip_attr_nb.c and vip_life_nb.c.
 *
 * Validation refuses an address that cannot be one, as the commands do, and
 * nothing else: a refusal costs the whole transaction.
 *
 * Objects are found by their keys and not by nb_running_set_entry(), which
 * takes a kilobyte for every entry.
 */
#include "cluster_compat.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

/* A list entry's first key. */
static const char *dnode_key(const struct lyd_node *dnode)
{
	return lyd_get_value(lyd_child(dnode));
}

static const struct lyd_node *dnode_list(const struct lyd_node *dnode,
					 const char *name)
{
	while (dnode && (dnode->schema->nodetype != LYS_LIST ||
			 strcmp(dnode->schema->name, name)))
		dnode = lyd_parent(dnode);
	return dnode;
}

static struct vip *dnode_vip(const struct lyd_node *dnode)
{
	struct vip *vip = vip_find(dnode_key(dnode_list(dnode, "vip")));

	assert(vip);
	return vip;
}

static struct ipaddr dnode_ipaddr(const char *value)
{
	struct ipaddr addr;

	/* Validation has checked it. */
	(void)str2ipaddr(value, &addr);
	return addr;
}

/*
 * Refuses what is no address in its canonical form (another form of a list's
 * key would be another entry), or one with a flaw; the commands do, too.
 */
static int address_check(const char *value,
			 const char *(*flaw_of)(const struct ipaddr *addr),
			 char *errmsg, size_t errmsg_len)
{
	const char *flaw = "is no address in its canonical form";
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;

	if (str2ipaddr(value, &addr) == 0 &&
	    strcmp(ipaddr2str(&addr, canonical, sizeof(canonical)), value) == 0)
		flaw = flaw_of(&addr);
	if (!flaw)
		return NB_OK;
	snprintf(errmsg, errmsg_len, "%s %s", value, flaw);
	return NB_ERR_VALIDATION;
}

static struct vip_member *dnode_member(const struct lyd_node *dnode)
{
	struct ipaddr addr =
		dnode_ipaddr(dnode_key(dnode_list(dnode, "member")));
	struct vip_member *member = vip_member_find(dnode_vip(dnode), &addr);

	assert(member);
	return member;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip */
static int vip_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_add(dnode_key(args->dnode));
	return NB_OK;
}

static int vip_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_del(dnode_vip(args->dnode));
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/vrf */
static int vip_vrf_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		strlcpy(vip->vrf, yang_dnode_get_string(args->dnode, NULL),
			sizeof(vip->vrf));
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_vrf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		strlcpy(vip->vrf, VIP_DEFAULT_VRF, sizeof(vip->vrf));
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/tag */
static int vip_tag_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->tag = yang_dnode_get_uint32(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_tag_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->tag = VIP_DEFAULT_TAG;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/metric */
static int vip_metric_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->metric = yang_dnode_get_uint32(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_metric_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->metric = VIP_DEFAULT_METRIC;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/distance */
static int vip_distance_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->distance = yang_dnode_get_uint8(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_distance_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->distance = VIP_DEFAULT_DISTANCE;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/min-up */
static int vip_min_up_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->min_up = yang_dnode_get_uint16(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_min_up_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->min_up = VIP_DEFAULT_MIN_UP;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/shutdown */
static int vip_shutdown_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->shutdown = yang_dnode_get_bool(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_shutdown_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->shutdown = false;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/local */
static int vip_local_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->local = yang_dnode_get_bool(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_local_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->local = false;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/local-hold */
static int vip_local_hold_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->local_hold_ms = yang_dnode_get_uint32(args->dnode, NULL);
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_local_hold_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->local_hold_ms = VIP_DEFAULT_HOLD_MS;
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/probe */
static int vip_probe_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		strlcpy(vip->probe, yang_dnode_get_string(args->dnode, NULL),
			sizeof(vip->probe));
		vip_changed(vip);
	}
	return NB_OK;
}

static int vip_probe_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip *vip = dnode_vip(args->dnode);

		vip->probe[0] = '\0';
		vip_changed(vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member */
static int member_create(struct nb_cb_create_args *args)
{
	const char *value = dnode_key(args->dnode);
	struct ipaddr addr;

	if (args->event == NB_EV_VALIDATE)
		return address_check(value, vip_member_flaw, args->errmsg,
				     args->errmsg_len);
	if (args->event == NB_EV_APPLY) {
		addr = dnode_ipaddr(value);
		vip_member_add(dnode_vip(args->dnode), &addr);
	}
	return NB_OK;
}

static int member_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_member_del(dnode_member(args->dnode));
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/interface */
static int member_interface_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		strlcpy(member->ifname, yang_dnode_get_string(args->dnode, NULL),
			sizeof(member->ifname));
		vip_changed(member->vip);
	}
	return NB_OK;
}

static int member_interface_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		member->ifname[0] = '\0';
		vip_changed(member->vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/weight */
static int member_weight_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		member->weight = yang_dnode_get_uint8(args->dnode, NULL);
		vip_changed(member->vip);
	}
	return NB_OK;
}

static int member_weight_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		member->weight = VIP_DEFAULT_WEIGHT;
		vip_changed(member->vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/drain */
static int member_drain_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		member->drain = yang_dnode_get_bool(args->dnode, NULL);
		vip_changed(member->vip);
	}
	return NB_OK;
}

static int member_drain_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		member->drain = false;
		vip_changed(member->vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/probe */
static int member_probe_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		strlcpy(member->probe, yang_dnode_get_string(args->dnode, NULL),
			sizeof(member->probe));
		vip_changed(member->vip);
	}
	return NB_OK;
}

static int member_probe_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct vip_member *member = dnode_member(args->dnode);

		member->probe[0] = '\0';
		vip_changed(member->vip);
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/address */
static int address_create(struct nb_cb_create_args *args)
{
	const char *value = yang_dnode_get_string(args->dnode, NULL);
	struct ipaddr addr;

	if (args->event == NB_EV_VALIDATE)
		return address_check(value, vip_address_flaw, args->errmsg,
				     args->errmsg_len);
	if (args->event == NB_EV_APPLY) {
		addr = dnode_ipaddr(value);
		vip_address_add(dnode_vip(args->dnode), &addr);
	}
	return NB_OK;
}

static int address_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct ipaddr addr =
			dnode_ipaddr(yang_dnode_get_string(args->dnode, NULL));
		struct vip_address *address =
			vip_address_find(dnode_vip(args->dnode), &addr);

		assert(address);
		vip_address_del(address);
	}
	return NB_OK;
}

#define NODE(path, ...)                                                        \
	{                                                                      \
		.xpath = VIP_XPATH path, .cbs = { __VA_ARGS__ },               \
	}

#define LIFE_NODE(leaf, cli)                                                   \
	NODE("/vip/" leaf, .modify = vip_life_modify,                          \
	     .destroy = vip_life_destroy, .cli_show = cli)

/* clang-format off */
const struct frr_yang_module_info frr_clusterd_vip_info = {
	.name = "frr-clusterd-vip",
	.nodes = {
		NODE("/vip",
		     .create = vip_create,
		     .destroy = vip_destroy,
		     .get_next = vip_get_next,
		     .get_keys = vip_get_keys,
		     .lookup_entry = vip_lookup_entry,
		     .cli_show = vip_cli_write,
		     .cli_show_end = vip_cli_write_end,
		     .cli_cmp = cluster_vty_name_cmp),
		NODE("/vip/vrf",
		     .modify = vip_vrf_modify,
		     .destroy = vip_vrf_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/tag",
		     .modify = vip_tag_modify,
		     .destroy = vip_tag_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/metric",
		     .modify = vip_metric_modify,
		     .destroy = vip_metric_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/drain-tag",
		     .modify = vip_drain_tag_modify,
		     .destroy = vip_drain_tag_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/community",
		     .create = vip_community_create,
		     .destroy = vip_community_destroy,
		     .cli_show = cluster_vty_leaf_write,
		     .cli_cmp = vip_community_cli_cmp),
		NODE("/vip/large-community",
		     .create = vip_large_community_create,
		     .destroy = vip_large_community_destroy,
		     .cli_show = cluster_vty_leaf_write,
		     .cli_cmp = vip_large_community_cli_cmp),
		NODE("/vip/local-preference",
		     .modify = vip_local_preference_modify,
		     .destroy = vip_local_preference_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/link-bandwidth",
		     .modify = vip_link_bandwidth_modify,
		     .destroy = vip_link_bandwidth_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/distance",
		     .modify = vip_distance_modify,
		     .destroy = vip_distance_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/min-up",
		     .modify = vip_min_up_modify,
		     .destroy = vip_min_up_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/shutdown",
		     .modify = vip_shutdown_modify,
		     .destroy = vip_shutdown_destroy,
		     .cli_show = vip_flag_cli_write),
		LIFE_NODE("drain", vip_flag_cli_write),
		LIFE_NODE("drain-time", cluster_vty_leaf_write),
		NODE("/vip/drain-file",
		     .modify = vip_drain_file_modify,
		     .destroy = vip_drain_file_destroy,
		     .cli_show = vip_drain_file_cli_write),
		LIFE_NODE("drain-on-exit", vip_drain_on_exit_cli_write),
		LIFE_NODE("fail-open", vip_flag_cli_write),
		LIFE_NODE("hold-down", cluster_vty_leaf_write),
		LIFE_NODE("flip-interval", cluster_vty_leaf_write),
		LIFE_NODE("slow-start", cluster_vty_leaf_write),
		LIFE_NODE("damping-off", vip_damping_cli_write),
		LIFE_NODE("damping-penalty", vip_damping_cli_write),
		LIFE_NODE("damping-half-life", vip_damping_cli_write),
		LIFE_NODE("damping-suppress", vip_damping_cli_write),
		LIFE_NODE("damping-reuse", vip_damping_cli_write),
		LIFE_NODE("damping-max-time", vip_damping_cli_write),
		NODE("/vip/local",
		     .modify = vip_local_modify,
		     .destroy = vip_local_destroy,
		     .cli_show = vip_flag_cli_write),
		NODE("/vip/local-hold",
		     .modify = vip_local_hold_modify,
		     .destroy = vip_local_hold_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/probe",
		     .modify = vip_probe_modify,
		     .destroy = vip_probe_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/vip/also-probe",
		     .create = vip_also_probe_create,
		     .destroy = vip_also_probe_destroy,
		     .cli_show = vip_also_probe_cli_write,
		     .cli_cmp = cluster_vty_value_cmp),
		NODE("/vip/probe-need",
		     .modify = vip_probe_need_modify,
		     .destroy = vip_probe_need_destroy,
		     .cli_show = vip_probe_need_cli_write),
		NODE("/vip/uplink-bgp-routes",
		     .modify = vip_uplink_routes_modify,
		     .destroy = vip_uplink_routes_destroy,
		     .cli_show = vip_uplink_routes_cli_write),
		NODE("/vip/uplink-probe",
		     .modify = vip_uplink_probe_modify,
		     .destroy = vip_uplink_probe_destroy,
		     .cli_show = vip_uplink_probe_cli_write),
		NODE("/vip/member",
		     .create = member_create,
		     .destroy = member_destroy,
		     .get_next = vip_member_get_next,
		     .get_keys = vip_member_get_keys,
		     .lookup_entry = vip_member_lookup_entry,
		     .cli_show = vip_member_cli_write,
		     .cli_cmp = vip_member_cli_cmp),
		NODE("/vip/member/interface",
		     .modify = member_interface_modify,
		     .destroy = member_interface_destroy),
		NODE("/vip/member/weight",
		     .modify = member_weight_modify,
		     .destroy = member_weight_destroy),
		NODE("/vip/member/probe",
		     .modify = member_probe_modify,
		     .destroy = member_probe_destroy),
		NODE("/vip/member/drain",
		     .modify = member_drain_modify,
		     .destroy = member_drain_destroy),
		NODE("/vip/member/state/status",
		     .get_elem = vip_member_state_status),
		NODE("/vip/member/state/why",
		     .get_elem = vip_member_state_why),
		NODE("/vip/member/state/last-change",
		     .get_elem = vip_member_state_last_change),
		NODE("/vip/address",
		     .create = address_create,
		     .destroy = address_destroy,
		     .cli_show = cluster_vty_leaf_write,
		     .cli_cmp = cluster_vty_address_cmp),
		NODE("/vip/state/status",
		     .get_elem = vip_state_status),
		NODE("/vip/state/why",
		     .get_elem = vip_state_why),
		NODE("/vip/state/last-change",
		     .get_elem = vip_state_last_change),
		NODE("/vip/state/address",
		     .get_next = vip_address_get_next,
		     .get_keys = vip_address_get_keys,
		     .lookup_entry = vip_address_lookup_entry),
		NODE("/vip/state/address/address",
		     .get_elem = vip_address_state_address),
		NODE("/vip/state/address/status",
		     .get_elem = vip_address_state_status),
		NODE("/vip/state/address/why",
		     .get_elem = vip_address_state_why),
		NODE("/vip/state/address/last-change",
		     .get_elem = vip_address_state_last_change),
		NODE("/vip/state/address/nexthops",
		     .get_elem = vip_address_state_nexthops),
		NODE("/vip/state/address/penalty",
		     .get_elem = vip_address_state_penalty),
		NODE("/vip/state/address/weight-tenths",
		     .get_elem = vip_address_state_weight),
		NODE("/vip/state/address/left",
		     .get_elem = vip_address_state_left),
		NODE("/vip/state/address/local-route",
		     .get_elem = vip_address_state_local_route),
		{ .xpath = NULL },
	},
};
