// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of hub clustering: callbacks copy the value and say that something
 * has changed.  State: hc_nb_state.c.
 *
 * Most leaves are a field of a section's structure: a table says which.  A leaf
 * that goes gives its field the default back.
 */
#include "cluster_compat.h"

#include "cluster_field.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "hubcluster/hc_mgmt.h"
#include "hubcluster/hc_nb_state.h"

static void id_set(const struct cluster_field *field, void *member,
		   const char *value)
{
	/* The model has checked that it is one. */
	(void)ctl_id_parse(value, member);
}

static void assignment_set(const struct cluster_field *field, void *member,
			   const char *value)
{
	*(enum hc_assignment *)member = strmatch(value, "rendezvous")
						? HC_RENDEZVOUS
						: HC_MODULO;
}

/* Of type empty */
static void immediate_set(const struct cluster_field *field, void *member,
			  const char *value)
{
	*(enum hc_reaction *)member = HC_IMMEDIATE;
}

static void source_set(const struct cluster_field *field, void *member,
		       const char *value)
{
	enum hcd_source_type *source = member;

	if (strmatch(value, "interface"))
		*source = HCD_INTERFACES;
	else
		*source = strmatch(value, "command") ? HCD_COMMAND : HCD_FIXED;
}

static void community_set(const struct cluster_field *field, void *member,
			  const char *value)
{
	*(uint32_t *)member = hcd_community(value);
}

/* clang-format off */
#define NUMBER(parent, leaf, scale, struct_, member)                           \
	CLUSTER_FIELD(parent, leaf, cluster_field_number, scale, struct_, member)
#define FIELD(parent, leaf, set, struct_, member)                              \
	CLUSTER_FIELD(parent, leaf, set, 0, struct_, member)
#define FLAG_FIELD(parent, leaf, struct_, member)                              \
	FIELD(parent, leaf, cluster_field_flag, struct_, member)
#define TEXT(parent, leaf, struct_, member)                                    \
	FIELD(parent, leaf, cluster_field_text, struct_, member)

static const struct cluster_field cluster_fields[] = {
	FIELD(NULL, "id", id_set, hcd_cluster, config.id),
	FIELD(NULL, "assignment", assignment_set, hcd_cluster,
	      config.rules.assignment),
	FLAG_FIELD("auto-rebalance", "enabled", hcd_cluster,
		   config.auto_rebalance),
	NUMBER("auto-rebalance", "interval", 1000, hcd_cluster,
	       config.auto_interval_ms),
	NUMBER("auto-rebalance", "hold", 1000, hcd_cluster,
	       config.auto_hold_ms),
	NUMBER(NULL, "load-limit", 1, hcd_cluster, config.rules.limit),
	NUMBER("route-loss", "percent", 1, hcd_cluster,
	       config.rules.loss_percent),
	NUMBER("route-loss", "delay", 1000, hcd_cluster, config.loss_delay_ms),
	FIELD("route-loss", "reaction-immediate", immediate_set, hcd_cluster,
	      config.reaction),
	NUMBER("route-loss", "hold", 1, hcd_cluster, config.loss_hold_ms),
	NUMBER(NULL, "bulk-hold", 1000, hcd_cluster, config.bulk_hold_ms),
	NUMBER(NULL, "settle-time", 1000, hcd_cluster, config.settle_ms),
	FLAG_FIELD(NULL, "shutdown", hcd_cluster, shutdown),
	{},
};

static const struct cluster_field hub_fields[] = {
	FIELD(NULL, "hub-cluster", id_set, hcd_hub, config.cluster),
	NUMBER(NULL, "port", 1, hcd_hub, config.port),
	NUMBER("tunnel", "capacity", 1, hcd_hub, config.capacity),
	FIELD("tunnel", "source", source_set, hcd_hub, source),
	TEXT("tunnel", "interface", hcd_hub, pattern),
	TEXT("tunnel", "command", hcd_hub, command),
	NUMBER("tunnel", "timeout", 1, hcd_hub, command_ms),
	NUMBER("tunnel", "fixed", 1, hcd_hub, fixed),
	TEXT(NULL, "model", hcd_hub, config.model),
	NUMBER(NULL, "asn", 1, hcd_hub, config.asn),
	TEXT(NULL, "vrf", hcd_hub, vrf),
	FIELD(NULL, "uplink-community", community_set, hcd_hub, community),
	NUMBER(NULL, "learned-routes-exclude-tag", 1, hcd_hub, exclude_tag),
	TEXT(NULL, "site-prefix-list", hcd_hub, accept[0]),
	TEXT(NULL, "site-prefix-list-ipv6", hcd_hub, accept[1]),
	NUMBER("site-route", "distance", 1, hcd_hub, sites.distance),
	NUMBER("site-route", "metric", 1, hcd_hub, sites.metric),
	NUMBER("site-route", "tag", 1, hcd_hub, sites.tag),
	NUMBER("report", "interval", 1000, hcd_hub, config.report_ms),
	NUMBER("report", "trigger-delay", 1, hcd_hub, config.trigger_ms),
	NUMBER("report", "trigger-hold", 1, hcd_hub, config.trigger_hold_ms),
	FLAG_FIELD(NULL, "drain", hcd_hub, config.drain),
	FLAG_FIELD(NULL, "shutdown", hcd_hub, shutdown),
	{},
};

static const struct cluster_field edge_fields[] = {
	FIELD(NULL, "hub-cluster", id_set, hcd_edge, config.cluster),
	NUMBER("route-attributes", "distance", 1, hcd_edge, route.distance),
	NUMBER("route-attributes", "metric", 1, hcd_edge, route.metric),
	NUMBER("route-attributes", "tag", 1, hcd_edge, route.tag),
	TEXT(NULL, "vrf", hcd_edge, vrf),
	FLAG_FIELD(NULL, "gateway-failover-sticky", hcd_edge, config.sticky),
	NUMBER(NULL, "retry-interval", 1000, hcd_edge, config.retry_ms),
	NUMBER(NULL, "connect-timeout", 1000, hcd_edge, config.connect_ms),
	NUMBER(NULL, "unreachable-time", 1000, hcd_edge,
	       config.unreachable_ms),
	TEXT("tunnel", "command", hcd_edge, command),
	FLAG_FIELD("tunnel", "preestablish", hcd_edge, config.preestablish),
	TEXT("tunnel", "vrf", hcd_edge, tunnel_vrf),
	FLAG_FIELD(NULL, "shutdown", hcd_edge, shutdown),
	{},
};
/* clang-format on */

/* ---- where a node belongs ---- */

/* A leaf of the section itself, not of a container in it. */
static bool is_section(const char *name)
{
	return strmatch(name, "cluster") || strmatch(name, "hub") ||
	       strmatch(name, "edge");
}

/* A section: what of it is configured, and which fields it has. */
struct section {
	void *object;
	const void *preset; /* one with all defaults */
	const struct cluster_field *fields;
};

static struct hcd_cluster *cluster_of(const struct lyd_node *dnode)
{
	struct hcd_cluster *cluster;

	while (strcmp(dnode->schema->name, "cluster") ||
	       dnode->schema->nodetype != LYS_LIST)
		dnode = lyd_parent(dnode);
	cluster = hcd_cluster_find(lyd_get_value(lyd_child(dnode)));
	assert(cluster);
	return cluster;
}

static struct section section_of(const struct lyd_node *dnode)
{
	static struct hcd_cluster cluster_preset;
	static struct hcd_hub hub_preset;
	static struct hcd_edge edge_preset;
	const struct lyd_node *section = dnode;

	/* The child of the root. */
	while (lyd_parent(lyd_parent(section)))
		section = lyd_parent(section);
	if (strmatch(section->schema->name, "hub")) {
		hcd_hub_default(&hub_preset);
		return (struct section){ hcd_hub(), &hub_preset, hub_fields };
	}
	if (strmatch(section->schema->name, "edge")) {
		hcd_edge_default(&edge_preset);
		return (struct section){ hcd_edge(), &edge_preset, edge_fields };
	}
	hcd_cluster_default(&cluster_preset);
	return (struct section){ cluster_of(dnode), &cluster_preset,
				 cluster_fields };
}

/* ---- leaves ---- */

/* `value` NULL: the leaf is gone. */
static void leaf_set(const struct lyd_node *dnode, const char *value)
{
	struct section section = section_of(dnode);
	const char *parent = dnode->schema->parent->name;

	assert(section.object);
	cluster_field_set(cluster_field_find(section.fields,
					     is_section(parent) ? NULL : parent,
					     dnode->schema->name),
			  section.object, section.preset, value);
	hcd_changed();
}

static int leaf_modify(struct nb_cb_modify_args *args)
{
	const char *value = yang_dnode_get_string(args->dnode, NULL);

	if (args->event == NB_EV_VALIDATE &&
	    strmatch(args->dnode->schema->name, "uplink-community") &&
	    !hcd_community(value)) {
		snprintf(args->errmsg, args->errmsg_len,
			 "%s is not a community: use AA:NN or a number", value);
		return NB_ERR_VALIDATION;
	}
	if (args->event == NB_EV_APPLY)
		leaf_set(args->dnode, value);
	return NB_OK;
}

static int leaf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		leaf_set(args->dnode, NULL);
	return NB_OK;
}

/* Of type empty */
static int flag_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		leaf_set(args->dnode, "");
	return NB_OK;
}

/* ---- leaf-lists and lists ---- */

/*
 * In a transaction an entry may come before another one goes, and then there
 * may be no room for it: so when one comes, the list is taken as it will be.
 */
static void each_entry(const struct lyd_node *dnode,
		       void (*add)(const struct lyd_node *entry))
{
	const struct lyd_node *entry;

	LY_LIST_FOR (lyd_child(lyd_parent(dnode)), entry)
		if (entry->schema == dnode->schema)
			add(entry);
	hcd_changed();
}

static struct hc_addresses *addresses_of(const struct lyd_node *dnode)
{
	bool tunnel = strmatch(dnode->schema->name, "tunnel-address");

	if (strmatch(dnode->schema->parent->name, "edge"))
		return &hcd_edge()->config.tunnel;
	return tunnel ? &hcd_hub()->config.tunnel : &hcd_hub()->config.addresses;
}

static void address_add(const struct lyd_node *entry)
{
	struct ipaddr addr = {};

	if (!str2ipaddr(lyd_get_value(entry), &addr))
		hcd_addresses_add(addresses_of(entry), &addr);
}

/* XPath: .../{hub,edge}/{address,tunnel-address} */
static int address_create(struct nb_cb_create_args *args)
{
	const char *value = lyd_get_value(args->dnode);
	const char *flaw = hcd_address_flaw(value);

	if (args->event == NB_EV_VALIDATE && flaw) {
		snprintf(args->errmsg, args->errmsg_len, "%s %s", value, flaw);
		return NB_ERR_VALIDATION;
	}
	if (args->event == NB_EV_APPLY) {
		addresses_of(args->dnode)->n = 0;
		each_entry(args->dnode, address_add);
	}
	return NB_OK;
}

static int address_destroy(struct nb_cb_destroy_args *args)
{
	struct ipaddr addr = {};

	if (args->event != NB_EV_APPLY ||
	    str2ipaddr(lyd_get_value(args->dnode), &addr))
		return NB_OK;
	hcd_addresses_del(addresses_of(args->dnode), &addr);
	hcd_changed();
	return NB_OK;
}

static void member_add(const struct lyd_node *entry)
{
	struct ctl_id id = {};

	if (ctl_id_parse(lyd_get_value(entry), &id))
		hcd_members_add(&cluster_of(entry)->config, &id);
}

/* XPath: .../cluster/member */
static int member_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY) {
		cluster_of(args->dnode)->config.n_members = 0;
		each_entry(args->dnode, member_add);
	}
	return NB_OK;
}

static int member_destroy(struct nb_cb_destroy_args *args)
{
	struct ctl_id id = {};

	if (args->event != NB_EV_APPLY ||
	    !ctl_id_parse(lyd_get_value(args->dnode), &id))
		return NB_OK;
	hcd_members_del(&cluster_of(args->dnode)->config, &id);
	hcd_changed();
	return NB_OK;
}

static bool prefix_of(const struct lyd_node *dnode, struct hc_prefix *prefix)
{
	struct ipaddr addr;
	struct prefix p;

	if (!str2prefix(lyd_get_value(dnode), &p))
		return false;
	cluster_prefix_addr(&p, &addr);
	return hc_prefix_make(&addr, p.prefixlen, prefix);
}

static bool is_site(const struct lyd_node *dnode)
{
	return strmatch(dnode->schema->name, "site-prefix");
}

static void prefix_add(const struct lyd_node *entry)
{
	struct hc_prefix prefix;

	if (!prefix_of(entry, &prefix))
		return;
	if (is_site(entry))
		hcd_sites_add(&hcd_edge()->config, &prefix);
	else
		hcd_routes_add(hcd_edge(), &prefix);
}

/* XPath: .../edge/{site-prefix,route} */
static int prefix_create(struct nb_cb_create_args *args)
{
	const char *value = lyd_get_value(args->dnode);
	const char *flaw = hcd_prefix_flaw(value);

	if (args->event == NB_EV_VALIDATE && flaw) {
		snprintf(args->errmsg, args->errmsg_len, "%s %s", value, flaw);
		return NB_ERR_VALIDATION;
	}
	if (args->event == NB_EV_APPLY) {
		if (is_site(args->dnode))
			hcd_edge()->config.n_prefixes = 0;
		else
			hcd_edge()->n_routes = 0;
		each_entry(args->dnode, prefix_add);
	}
	return NB_OK;
}

static int prefix_destroy(struct nb_cb_destroy_args *args)
{
	struct hc_prefix prefix;

	if (args->event != NB_EV_APPLY || !prefix_of(args->dnode, &prefix))
		return NB_OK;
	if (is_site(args->dnode))
		hcd_sites_del(&hcd_edge()->config, &prefix);
	else
		hcd_routes_del(hcd_edge(), &prefix);
	hcd_changed();
	return NB_OK;
}

static void gateway_add(const struct lyd_node *entry)
{
	uint8_t preference = HC_PREFERENCE_DEFAULT;
	struct ctl_id id = {};

	if (!ctl_id_parse(lyd_get_value(lyd_child(entry)), &id))
		return;
	if (yang_dnode_exists(entry, "./preference"))
		preference = yang_dnode_get_uint8(entry, "./preference");
	hcd_preference_set(&hcd_edge()->config, &id, preference);
}

/* XPath: .../edge/gateway */
static int gateway_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY) {
		hcd_edge()->config.n_gateways = 0;
		each_entry(args->dnode, gateway_add);
	}
	return NB_OK;
}

static int gateway_destroy(struct nb_cb_destroy_args *args)
{
	struct ctl_id id = {};

	if (args->event != NB_EV_APPLY ||
	    !ctl_id_parse(lyd_get_value(lyd_child(args->dnode)), &id))
		return NB_OK;
	hcd_preference_del(&hcd_edge()->config, &id);
	hcd_changed();
	return NB_OK;
}

/* XPath: .../edge/gateway/preference */
static int preference_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		gateway_add(lyd_parent(args->dnode));
		hcd_changed();
	}
	return NB_OK;
}

static int preference_destroy(struct nb_cb_destroy_args *args)
{
	struct ctl_id id = {};

	if (args->event != NB_EV_APPLY ||
	    !ctl_id_parse(lyd_get_value(lyd_child(lyd_parent(args->dnode))),
			  &id))
		return NB_OK;
	hcd_preference_set(&hcd_edge()->config, &id, HC_PREFERENCE_DEFAULT);
	hcd_changed();
	return NB_OK;
}

/* ---- sections ---- */

/* XPath: .../cluster */
static int cluster_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		hcd_cluster_add(lyd_get_value(lyd_child(args->dnode)));
	return NB_OK;
}

static int cluster_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		hcd_cluster_del(cluster_of(args->dnode));
	return NB_OK;
}

/* XPath: .../hub */
static int hub_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		hcd_hub_add();
	return NB_OK;
}

static int hub_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		hcd_hub_del();
	return NB_OK;
}

/* XPath: .../edge */
static int edge_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		hcd_edge_add();
	return NB_OK;
}

static int edge_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		hcd_edge_del();
	return NB_OK;
}

/* The running configuration shows prefixes in the order of `show`. */
static int prefix_cli_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	struct hc_prefix p, q;

	if (!prefix_of(a, &p) || !prefix_of(b, &q))
		return cluster_vty_value_cmp(a, b);
	return hc_prefix_cmp(&p, &q);
}

/* clang-format off */
#define NODE(path, ...) { .xpath = HCD_XPATH path, .cbs = { __VA_ARGS__ } }
#define LEAF(path, write)                                                      \
	NODE(path, .modify = leaf_modify, .destroy = leaf_destroy,             \
	     .cli_show = (write))
/* Written with another one. */
#define PART(path)                                                             \
	NODE(path, .modify = leaf_modify, .destroy = leaf_destroy)
#define FLAG(path, write)                                                      \
	NODE(path, .create = flag_create, .destroy = leaf_destroy,             \
	     .cli_show = (write))
#define LEAF_LIST(path, kind, cmp)                                             \
	NODE(path, .create = kind##_create, .destroy = kind##_destroy,         \
	     .cli_show = cluster_vty_leaf_write, .cli_cmp = (cmp))
#define STATE(path, get) NODE(path, .get_elem = (get))
#define STATE_LIST(path, name)                                                 \
	NODE(path, .get_next = hcd_##name##_get_next,                          \
	     .get_keys = hcd_##name##_get_keys,                                \
	     .lookup_entry = hcd_##name##_lookup)

const struct frr_yang_module_info frr_clusterd_hub_info = {
	.name = "frr-clusterd-hub",
	.nodes = {
		NODE("/cluster",
		     .create = cluster_create,
		     .destroy = cluster_destroy,
		     .get_next = hcd_cluster_get_next,
		     .get_keys = hcd_cluster_get_keys,
		     .lookup_entry = hcd_cluster_lookup,
		     .cli_cmp = cluster_vty_name_cmp,
		     .cli_show = hcd_cluster_cli_write,
		     .cli_show_end = hcd_cli_write_end),
		LEAF("/cluster/id", cluster_vty_leaf_write),
		LEAF("/cluster/assignment", cluster_vty_leaf_write),
		FLAG("/cluster/auto-rebalance/enabled",
		     hcd_auto_rebalance_cli_write),
		PART("/cluster/auto-rebalance/interval"),
		PART("/cluster/auto-rebalance/hold"),
		LEAF("/cluster/load-limit", cluster_vty_leaf_write),
		LEAF("/cluster/route-loss/percent", hcd_nested_cli_write),
		LEAF("/cluster/route-loss/delay", hcd_nested_cli_write),
		FLAG("/cluster/route-loss/reaction-immediate",
		     hcd_reaction_cli_write),
		PART("/cluster/route-loss/hold"),
		LEAF("/cluster/bulk-hold", cluster_vty_leaf_write),
		LEAF("/cluster/settle-time", cluster_vty_leaf_write),
		LEAF_LIST("/cluster/member", member, cluster_vty_value_cmp),
		FLAG("/cluster/shutdown", cluster_vty_flag_write),

		NODE("/hub",
		     .create = hub_create,
		     .destroy = hub_destroy,
		     .cli_show = hcd_hub_cli_write,
		     .cli_show_end = hcd_cli_write_end),
		LEAF("/hub/hub-cluster", cluster_vty_leaf_write),
		LEAF_LIST("/hub/address", address, cluster_vty_address_cmp),
		LEAF("/hub/port", cluster_vty_leaf_write),
		LEAF_LIST("/hub/tunnel-address", address,
			  cluster_vty_address_cmp),
		LEAF("/hub/tunnel/capacity", hcd_nested_cli_write),
		LEAF("/hub/tunnel/source", hcd_source_cli_write),
		PART("/hub/tunnel/interface"),
		PART("/hub/tunnel/command"),
		PART("/hub/tunnel/timeout"),
		PART("/hub/tunnel/fixed"),
		LEAF("/hub/model", cluster_vty_leaf_write),
		LEAF("/hub/asn", cluster_vty_leaf_write),
		LEAF("/hub/vrf", cluster_vty_leaf_write),
		LEAF("/hub/uplink-community", cluster_vty_leaf_write),
		LEAF("/hub/learned-routes-exclude-tag", hcd_exclude_cli_write),
		LEAF("/hub/site-prefix-list", hcd_site_list_cli_write),
		LEAF("/hub/site-prefix-list-ipv6", hcd_site_list_cli_write),
		LEAF("/hub/site-route/distance", hcd_nested_cli_write),
		LEAF("/hub/site-route/metric", hcd_nested_cli_write),
		LEAF("/hub/site-route/tag", hcd_nested_cli_write),
		LEAF("/hub/report/interval", hcd_nested_cli_write),
		LEAF("/hub/report/trigger-delay", hcd_nested_cli_write),
		LEAF("/hub/report/trigger-hold", hcd_nested_cli_write),
		FLAG("/hub/drain", cluster_vty_flag_write),
		FLAG("/hub/shutdown", cluster_vty_flag_write),

		NODE("/edge",
		     .create = edge_create,
		     .destroy = edge_destroy,
		     .cli_show = hcd_edge_cli_write,
		     .cli_show_end = hcd_cli_write_end),
		LEAF("/edge/hub-cluster", cluster_vty_leaf_write),
		LEAF_LIST("/edge/tunnel-address", address,
			  cluster_vty_address_cmp),
		LEAF_LIST("/edge/site-prefix", prefix, prefix_cli_cmp),
		LEAF_LIST("/edge/route", prefix, prefix_cli_cmp),
		LEAF("/edge/route-attributes/distance",
		     hcd_route_attribute_cli_write),
		LEAF("/edge/route-attributes/metric",
		     hcd_route_attribute_cli_write),
		LEAF("/edge/route-attributes/tag",
		     hcd_route_attribute_cli_write),
		LEAF("/edge/vrf", cluster_vty_leaf_write),
		NODE("/edge/gateway",
		     .create = gateway_create,
		     .destroy = gateway_destroy,
		     .cli_cmp = cluster_vty_name_cmp,
		     .cli_show = hcd_gateway_cli_write),
		NODE("/edge/gateway/preference",
		     .modify = preference_modify,
		     .destroy = preference_destroy),
		FLAG("/edge/gateway-failover-sticky", hcd_sticky_cli_write),
		LEAF("/edge/retry-interval", cluster_vty_leaf_write),
		LEAF("/edge/connect-timeout", cluster_vty_leaf_write),
		LEAF("/edge/unreachable-time", cluster_vty_leaf_write),
		LEAF("/edge/tunnel/command", hcd_action_cli_write),
		FLAG("/edge/tunnel/preestablish", hcd_preestablish_cli_write),
		LEAF("/edge/tunnel/vrf", hcd_tunnel_vrf_cli_write),
		FLAG("/edge/shutdown", cluster_vty_flag_write),

		STATE("/cluster/state/status", hcd_cluster_get),
		STATE("/cluster/state/why", hcd_cluster_get),
		STATE("/cluster/state/settled", hcd_cluster_get),
		STATE("/cluster/state/settle-left", hcd_cluster_get),
		STATE("/cluster/state/bulk-hold-left", hcd_cluster_get),
		STATE("/cluster/state/auto-rebalancing", hcd_cluster_get),
		STATE("/cluster/state/hubs", hcd_cluster_get),
		STATE("/cluster/state/edges", hcd_cluster_get),
		STATE("/cluster/state/edges-without-hub", hcd_cluster_get),
		STATE("/cluster/state/moves", hcd_cluster_get),
		STATE("/cluster/state/bulk-moves", hcd_cluster_get),
		STATE_LIST("/cluster/state/hub", cluster_hub),
		STATE("/cluster/state/hub/id", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/name", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/model", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/as-number", hcd_cluster_hub_get),
		NODE("/cluster/state/hub/address", .get_next = hcd_cluster_hub_address_get_next,
		     .get_elem = hcd_address_get),
		STATE("/cluster/state/hub/port", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/score", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/cpu", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/memory", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/tunnels", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/capacity", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/routes", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/routes-before", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/edges", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/draining", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/routes-lost", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/differs", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/eligible", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/eligible-reason", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/eligible-why", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/target", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/target-reason", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/target-why", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/joined", hcd_cluster_hub_get),
		STATE("/cluster/state/hub/last-report", hcd_cluster_hub_get),
		STATE_LIST("/cluster/state/edge", cluster_edge),
		STATE("/cluster/state/edge/id", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/name", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/connected", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/asking", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/preferred", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/hub", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/told", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/reason", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/why", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/told-time", hcd_cluster_edge_get),
		STATE("/cluster/state/edge/moves", hcd_cluster_edge_get),
		STATE_LIST("/refused", refused),
		STATE("/refused/hub", hcd_refused_get),
		STATE("/refused/name", hcd_refused_get),
		STATE("/refused/cluster", hcd_refused_get),
		STATE("/refused/count", hcd_refused_get),
		STATE("/refused/last", hcd_refused_get),
		STATE("/hub/state/status", hcd_hub_get),
		STATE("/hub/state/why", hcd_hub_get),
		STATE("/hub/state/advice", hcd_hub_get),
		STATE("/hub/state/score", hcd_hub_get),
		STATE("/hub/state/score-reason", hcd_hub_get),
		STATE("/hub/state/score-why", hcd_hub_get),
		STATE("/hub/state/cpu", hcd_hub_get),
		STATE("/hub/state/memory", hcd_hub_get),
		STATE("/hub/state/tunnels", hcd_hub_get),
		STATE("/hub/state/source-why", hcd_hub_get),
		STATE("/hub/state/routes-ipv4", hcd_hub_get),
		STATE("/hub/state/routes-ipv6", hcd_hub_get),
		STATE("/hub/state/gateways", hcd_hub_get),
		STATE("/hub/state/edges", hcd_hub_get),
		STATE("/hub/state/reports", hcd_hub_get),
		STATE("/hub/state/reports-triggered", hcd_hub_get),
		STATE("/hub/state/edges-refused", hcd_hub_get),
		STATE_LIST("/hub/state/edge", hub_edge),
		STATE("/hub/state/edge/id", hcd_hub_edge_get),
		STATE("/hub/state/edge/name", hcd_hub_edge_get),
		NODE("/hub/state/edge/tunnel-address", .get_next = hcd_hub_edge_address_get_next,
		     .get_elem = hcd_address_get),
		STATE("/hub/state/edge/since", hcd_hub_edge_get),
		STATE_LIST("/hub/state/edge/prefix", hub_prefix),
		STATE("/hub/state/edge/prefix/prefix", hcd_hub_prefix_get),
		STATE("/hub/state/edge/prefix/accepted", hcd_hub_prefix_get),
		STATE("/hub/state/edge/prefix/why", hcd_hub_prefix_get),
		STATE("/hub/state/edge/prefix/route", hcd_hub_prefix_get),
		STATE("/edge/state/status", hcd_edge_get),
		STATE("/edge/state/why", hcd_edge_get),
		STATE("/edge/state/phase", hcd_edge_get),
		STATE("/edge/state/hub", hcd_edge_get),
		STATE("/edge/state/hub-name", hcd_edge_get),
		STATE("/edge/state/hub-gateway", hcd_edge_get),
		STATE("/edge/state/hub-reason", hcd_edge_get),
		STATE("/edge/state/hub-why", hcd_edge_get),
		STATE("/edge/state/hub-since", hcd_edge_get),
		STATE("/edge/state/target", hcd_edge_get),
		STATE("/edge/state/target-name", hcd_edge_get),
		STATE("/edge/state/target-reason", hcd_edge_get),
		STATE("/edge/state/target-why", hcd_edge_get),
		STATE("/edge/state/standby", hcd_edge_get),
		STATE("/edge/state/standby-name", hcd_edge_get),
		STATE("/edge/state/standby-connected", hcd_edge_get),
		STATE("/edge/state/standby-attached", hcd_edge_get),
		NODE("/edge/state/via", .get_next = hcd_edge_via_get_next,
		     .get_elem = hcd_address_get),
		STATE("/edge/state/accepted", hcd_edge_get),
		STATE("/edge/state/tunnel-why", hcd_edge_get),
		STATE("/edge/state/moves", hcd_edge_get),
		STATE("/edge/state/losses", hcd_edge_get),
		STATE("/edge/state/failures", hcd_edge_get),
		STATE("/edge/state/ignored", hcd_edge_get),
		STATE("/edge/state/stale", hcd_edge_get),
		NODE("/edge/state/unreachable", .get_next = hcd_edge_unreachable_get_next,
		     .get_elem = hcd_id_get),
		STATE_LIST("/edge/state/gateway", edge_gateway),
		STATE("/edge/state/gateway/id", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/name", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/preference", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/preferred", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/answered", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/hub", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/reason", hcd_edge_gateway_get),
		STATE("/edge/state/gateway/why", hcd_edge_gateway_get),
		STATE_LIST("/edge/state/route", edge_route),
		STATE("/edge/state/route/prefix", hcd_edge_route_get),
		STATE("/edge/state/route/status", hcd_edge_route_get),
		STATE("/edge/state/route/since", hcd_edge_route_get),
		{ .xpath = NULL },
	},
};
/* clang-format on */
