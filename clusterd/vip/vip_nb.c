// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the VIPs: configuration.  Callbacks copy the value and mark the
 * VIP as changed; most leaves are a member of a structure, two tables say which.
 * The state is in vip_nb_state.c, more of the configuration in vip_attr_nb.c and
 * vip_extra_nb.c.
 *
 * Validation refuses an address that cannot be one, as the commands do, and
 * nothing else: a refusal costs the whole transaction.
 *
 * Objects are found by their keys and not by nb_running_set_entry(), which
 * takes a kilobyte for every entry.
 */
#include "cluster_compat.h"

#include "cluster_field.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

/* clang-format off */
#define FIELD(leaf, set, scale, member)                                        \
	CLUSTER_FIELD(NULL, leaf, set, scale, vip, member)
#define NUMBER(leaf, member) FIELD(leaf, cluster_field_number, 1, member)
/* Milliseconds in the model, microseconds in the structure. */
#define TIME(leaf, member) FIELD(leaf, cluster_field_number, 1000, member)
#define FLAG(leaf, member) FIELD(leaf, cluster_field_flag, 0, member)
#define TEXT(leaf, member) FIELD(leaf, cluster_field_text, 0, member)

static const struct cluster_field vip_fields[] = {
	TEXT("vrf", vrf),
	NUMBER("tag", tag),
	NUMBER("metric", metric),
	NUMBER("distance", distance),
	NUMBER("min-up", min_up),
	FLAG("shutdown", shutdown),
	FLAG("local", local),
	NUMBER("local-hold", local_hold_ms),
	TEXT("probe", probe),
	NUMBER("probe-need", probe_need),
	FLAG("drain", life_config.drain),
	TIME("drain-time", life_config.drain_us),
	FLAG("drain-on-exit", life_config.drain_on_exit),
	FLAG("fail-open", life_config.fail_open),
	TIME("hold-down", life_config.damping.hold_down_us),
	TIME("flip-interval", life_config.damping.flip_us),
	TIME("slow-start", life_config.damping.slow_start_us),
	FLAG("damping-off", life_config.damping.off),
	NUMBER("damping-penalty", life_config.damping.penalty),
	TIME("damping-half-life", life_config.damping.half_life_us),
	NUMBER("damping-suppress", life_config.damping.suppress),
	NUMBER("damping-reuse", life_config.damping.reuse),
	TIME("damping-max-time", life_config.damping.max_us),
	{},
};

#define MEMBER(leaf, set, member)                                              \
	CLUSTER_FIELD(NULL, leaf, set, 1, vip_member, member)

static const struct cluster_field member_fields[] = {
	MEMBER("interface", cluster_field_text, ifname),
	MEMBER("weight", cluster_field_number, weight),
	MEMBER("probe", cluster_field_text, probe),
	MEMBER("drain", cluster_field_flag, drain),
	{},
};
/* clang-format on */

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

/* XPath: /frr-clusterd-vip:cluster-vips/vip/LEAF */
static void vip_leaf_set(const struct lyd_node *dnode, const char *value)
{
	struct vip *vip = dnode_vip(dnode);
	struct vip preset = {};

	vip_config_default(&preset);
	cluster_field_set(cluster_field_find(vip_fields, NULL,
					     dnode->schema->name),
			  vip, &preset, value);
	vip_changed(vip);
}

static int vip_leaf_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_leaf_set(args->dnode,
			     yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

static int vip_leaf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		vip_leaf_set(args->dnode, NULL);
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

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/LEAF */
static void member_leaf_set(const struct lyd_node *dnode, const char *value)
{
	static const struct vip_member preset = { .weight = VIP_DEFAULT_WEIGHT };
	struct vip_member *member = dnode_member(dnode);

	cluster_field_set(cluster_field_find(member_fields, NULL,
					     dnode->schema->name),
			  member, &preset, value);
	vip_changed(member->vip);
}

static int member_leaf_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		member_leaf_set(args->dnode,
				yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

static int member_leaf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		member_leaf_set(args->dnode, NULL);
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

#define LEAF(leaf, cli)                                                        \
	NODE("/vip/" leaf, .modify = vip_leaf_modify,                          \
	     .destroy = vip_leaf_destroy, .cli_show = cli)
/* The line of a member has its leaves. */
#define MEMBER_LEAF(leaf)                                                      \
	NODE("/vip/member/" leaf, .modify = member_leaf_modify,                \
	     .destroy = member_leaf_destroy)

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
		LEAF("vrf", cluster_vty_leaf_write),
		LEAF("tag", cluster_vty_leaf_write),
		LEAF("metric", cluster_vty_leaf_write),
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
		LEAF("distance", cluster_vty_leaf_write),
		LEAF("min-up", cluster_vty_leaf_write),
		LEAF("shutdown", cluster_vty_bool_write),
		LEAF("drain", cluster_vty_bool_write),
		LEAF("drain-time", cluster_vty_leaf_write),
		NODE("/vip/drain-file",
		     .modify = vip_drain_file_modify,
		     .destroy = vip_drain_file_destroy,
		     .cli_show = vip_drain_file_cli_write),
		LEAF("drain-on-exit", vip_drain_on_exit_cli_write),
		LEAF("fail-open", cluster_vty_bool_write),
		LEAF("hold-down", cluster_vty_leaf_write),
		LEAF("flip-interval", cluster_vty_leaf_write),
		LEAF("slow-start", cluster_vty_leaf_write),
		LEAF("damping-off", vip_damping_cli_write),
		LEAF("damping-penalty", vip_damping_cli_write),
		LEAF("damping-half-life", vip_damping_cli_write),
		LEAF("damping-suppress", vip_damping_cli_write),
		LEAF("damping-reuse", vip_damping_cli_write),
		LEAF("damping-max-time", vip_damping_cli_write),
		LEAF("local", cluster_vty_bool_write),
		LEAF("local-hold", cluster_vty_leaf_write),
		LEAF("probe", cluster_vty_leaf_write),
		NODE("/vip/also-probe",
		     .create = vip_also_probe_create,
		     .destroy = vip_also_probe_destroy,
		     .cli_show = vip_also_probe_cli_write,
		     .cli_cmp = cluster_vty_value_cmp),
		LEAF("probe-need", vip_probe_need_cli_write),
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
		MEMBER_LEAF("interface"),
		MEMBER_LEAF("weight"),
		MEMBER_LEAF("probe"),
		MEMBER_LEAF("drain"),
		NODE("/vip/member/state/status",
		     .get_elem = vip_member_state_status),
		NODE("/vip/member/state/why",
		     .get_elem = vip_member_state_why),
		NODE("/vip/member/state/last-change",
		     .get_elem = vip_member_state_last_change),
		NODE("/vip/member/state/probes",
		     .get_elem = vip_member_state_probes),
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
		NODE("/vip/state/fail-open",
		     .get_elem = vip_state_fail_open),
		NODE("/vip/state/route-tag",
		     .get_elem = vip_state_route_tag),
		NODE("/vip/state/drain-file-exists",
		     .get_elem = vip_state_drain_file_exists),
		NODE("/vip/state/drain-file-error",
		     .get_elem = vip_state_drain_file_error),
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
		NODE("/vip/state/address/in-bgp",
		     .get_elem = vip_address_state_in_bgp),
		NODE("/vip/state/address/left",
		     .get_elem = vip_address_state_left),
		NODE("/vip/state/address/local-route",
		     .get_elem = vip_address_state_local_route),
		{ .xpath = NULL },
	},
};
