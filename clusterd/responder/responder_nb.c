// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the ping responders: callbacks copy the value and say that
 * something has changed.  State: responder_nb_state.c.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "responder/responder_nb_state.h"
#include "responder/responder_private.h"

static struct responder *dnode_responder(const struct lyd_node *dnode)
{
	struct responder *responder;

	while (dnode->schema->nodetype != LYS_LIST ||
	       strcmp(dnode->schema->name, "responder"))
		dnode = lyd_parent(dnode);
	responder = responder_find(lyd_get_value(lyd_child(dnode)));
	assert(responder);
	return responder;
}

/* XPath: /frr-clusterd-responder:cluster-responders/responder */
static int responder_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		responder_add(lyd_get_value(lyd_child(args->dnode)));
	return NB_OK;
}

static int responder_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		responder_del(dnode_responder(args->dnode));
	return NB_OK;
}

/* XPath: .../responder/vrf: another one needs other sockets and routes. */
static void vrf_set(struct responder *responder, const char *vrf)
{
	struct responder_interface *interface;

	frr_each (responder_interfaces, &responder->interfaces, interface)
		responder_io_close(interface);
	responder_nat_end(responder);
	strlcpy(responder->vrf, vrf, sizeof(responder->vrf));
	/* A probe is referred to in a VRF; what held in the old one is void. */
	responder_probe_changed(responder);
	responder->kept_up = false;
}

static int vrf_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		vrf_set(dnode_responder(args->dnode),
			yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

static int vrf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		vrf_set(dnode_responder(args->dnode), RESPONDER_DEFAULT_VRF);
	return NB_OK;
}

/* XPath: .../responder/interface (leaf-list) */
static int interface_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		responder_interface_add(dnode_responder(args->dnode),
					yang_dnode_get_string(args->dnode,
							      NULL));
	return NB_OK;
}

static int interface_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		responder_interface_del(dnode_responder(args->dnode),
					yang_dnode_get_string(args->dnode,
							      NULL));
	return NB_OK;
}

/* The address that a leaf has; refused when it is validated and none of a host. */
static int address_take(const struct lyd_node *dnode, enum nb_event event,
			struct ipaddr *addr, char *errmsg, size_t errmsg_len)
{
	const char *flaw;

	(void)str2ipaddr(yang_dnode_get_string(dnode, NULL), addr);
	flaw = event == NB_EV_VALIDATE ? responder_address_flaw(addr) : NULL;
	if (!flaw)
		return NB_OK;
	snprintfrr(errmsg, errmsg_len, "%pIA %s", addr, flaw);
	return NB_ERR_VALIDATION;
}

/* XPath: .../responder/address (leaf-list) */
static int address_create(struct nb_cb_create_args *args)
{
	struct ipaddr addr;
	int ret = address_take(args->dnode, args->event, &addr, args->errmsg,
			       args->errmsg_len);

	if (args->event == NB_EV_APPLY)
		responder_address_add(dnode_responder(args->dnode), &addr);
	return ret;
}

static int address_destroy(struct nb_cb_destroy_args *args)
{
	struct ipaddr addr;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	(void)str2ipaddr(yang_dnode_get_string(args->dnode, NULL), &addr);
	responder_address_del(dnode_responder(args->dnode), &addr);
	return NB_OK;
}

/* XPath: .../responder/condition/tunnels */
static int tunnels_modify(struct nb_cb_modify_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->min_tunnels = yang_dnode_get_uint16(args->dnode, NULL);
	responder_changed(responder);
	return NB_OK;
}

static int tunnels_destroy(struct nb_cb_destroy_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->min_tunnels = 0;
	responder_changed(responder);
	return NB_OK;
}

/* XPath: .../responder/condition/{interfaces,probe,vip} */
static void name_set(const struct lyd_node *dnode, const char *value)
{
	struct responder *responder = dnode_responder(dnode);
	const char *leaf = dnode->schema->name;

	if (!strcmp(leaf, "interfaces"))
		strlcpy(responder->tunnels, value, sizeof(responder->tunnels));
	else if (!strcmp(leaf, "vip"))
		strlcpy(responder->vip_name, value, sizeof(responder->vip_name));
	else
		strlcpy(responder->probe_name, value,
			sizeof(responder->probe_name));
	if (!strcmp(leaf, "probe"))
		responder_probe_changed(responder);
	else
		responder_changed(responder);
}

static int name_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		name_set(args->dnode, yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

static int name_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		name_set(args->dnode, "");
	return NB_OK;
}

/* XPath: .../responder/hold-down */
static int hold_down_modify(struct nb_cb_modify_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->hold_down_ms = yang_dnode_get_uint32(args->dnode, NULL);
	responder_changed(responder);
	return NB_OK;
}

static int hold_down_destroy(struct nb_cb_destroy_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->hold_down_ms = 0;
	responder_changed(responder);
	return NB_OK;
}

/* XPath: .../responder/accept-prefix-list */
static int accept_modify(struct nb_cb_modify_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	strlcpy(responder->accept, yang_dnode_get_string(args->dnode, NULL),
		sizeof(responder->accept));
	return NB_OK;
}

static int accept_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		dnode_responder(args->dnode)->accept[0] = '\0';
	return NB_OK;
}

/* XPath: .../responder/rate-limit */
static int rate_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		dnode_responder(args->dnode)->rate =
			yang_dnode_get_uint32(args->dnode, NULL);
	return NB_OK;
}

static int rate_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		dnode_responder(args->dnode)->rate = RESPONDER_RATE;
	return NB_OK;
}

/* XPath: .../responder/handoff/nat */
static int handoff_create(struct nb_cb_create_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->nat.on = true;
	responder_changed(responder);
	return NB_OK;
}

static int handoff_destroy(struct nb_cb_destroy_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->nat.on = false;
	/* What is below it goes without a word. */
	memset(&responder->nat.source_v4, 0, sizeof(struct ipaddr));
	memset(&responder->nat.source_v6, 0, sizeof(struct ipaddr));
	responder_changed(responder);
	return NB_OK;
}

/* XPath: .../responder/handoff/nat/source-{ipv4,ipv6} */
static int source_set(const struct lyd_node *dnode, const struct ipaddr *addr)
{
	struct responder *responder = dnode_responder(dnode);

	if (!strcmp(dnode->schema->name, "source-ipv4"))
		responder->nat.source_v4 = *addr;
	else
		responder->nat.source_v6 = *addr;
	responder_changed(responder);
	return NB_OK;
}

static int source_modify(struct nb_cb_modify_args *args)
{
	struct ipaddr addr;
	int ret = address_take(args->dnode, args->event, &addr, args->errmsg,
			       args->errmsg_len);

	return args->event == NB_EV_APPLY ? source_set(args->dnode, &addr) : ret;
}

static int source_destroy(struct nb_cb_destroy_args *args)
{
	const struct ipaddr none = {};

	return args->event == NB_EV_APPLY ? source_set(args->dnode, &none)
					  : NB_OK;
}

/* XPath: .../responder/shutdown */
static int shutdown_create(struct nb_cb_create_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->shutdown = true;
	responder_changed(responder);
	return NB_OK;
}

static int shutdown_destroy(struct nb_cb_destroy_args *args)
{
	struct responder *responder;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	responder = dnode_responder(args->dnode);
	responder->shutdown = false;
	responder_changed(responder);
	return NB_OK;
}

/* clang-format off */
#define NODE(path, ...)                                                        \
	{ .xpath = RESPONDER_LIST_XPATH path, .cbs = { __VA_ARGS__ } }
#define STATE(path, get) NODE("/state" path, .get_elem = (get))
#define COUNTER(path)	 STATE("/counters/" path, responder_counter_get)
#define LAST(path)	 STATE("/last-requester/" path, responder_last_get)

const struct frr_yang_module_info frr_clusterd_responder_info = {
	.name = "frr-clusterd-responder",
	.nodes = {
		NODE("",
		     .create = responder_create,
		     .destroy = responder_destroy,
		     .get_next = responder_get_next,
		     .get_keys = responder_get_keys,
		     .lookup_entry = responder_lookup,
		     .cli_cmp = cluster_vty_name_cmp,
		     .cli_show = responder_entry_cli_write,
		     .cli_show_end = responder_entry_cli_write_end),
		NODE("/vrf",
		     .modify = vrf_modify,
		     .destroy = vrf_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/interface",
		     .create = interface_create,
		     .destroy = interface_destroy,
		     .cli_show = cluster_vty_leaf_write,
		     .cli_cmp = cluster_vty_value_cmp),
		NODE("/condition/tunnels",
		     .modify = tunnels_modify,
		     .destroy = tunnels_destroy,
		     .cli_show = responder_tunnels_cli_write),
		NODE("/condition/interfaces",
		     .modify = name_modify,
		     .destroy = name_destroy),
		NODE("/condition/probe",
		     .modify = name_modify,
		     .destroy = name_destroy,
		     .cli_show = responder_condition_cli_write),
		NODE("/condition/vip",
		     .modify = name_modify,
		     .destroy = name_destroy,
		     .cli_show = responder_condition_cli_write),
		NODE("/hold-down",
		     .modify = hold_down_modify,
		     .destroy = hold_down_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/accept-prefix-list",
		     .modify = accept_modify,
		     .destroy = accept_destroy,
		     .cli_show = responder_accept_cli_write),
		NODE("/rate-limit",
		     .modify = rate_modify,
		     .destroy = rate_destroy,
		     .cli_show = cluster_vty_leaf_write),
		NODE("/handoff/nat",
		     .create = handoff_create,
		     .destroy = handoff_destroy,
		     .cli_show = responder_handoff_cli_write),
		NODE("/handoff/nat/source-ipv4",
		     .modify = source_modify,
		     .destroy = source_destroy,
		     .cli_show = responder_source_cli_write),
		NODE("/handoff/nat/source-ipv6",
		     .modify = source_modify,
		     .destroy = source_destroy,
		     .cli_show = responder_source_cli_write),
		NODE("/shutdown",
		     .create = shutdown_create,
		     .destroy = shutdown_destroy,
		     .cli_show = cluster_vty_flag_write),
		NODE("/address",
		     .create = address_create,
		     .destroy = address_destroy,
		     .cli_show = cluster_vty_leaf_write,
		     .cli_cmp = cluster_vty_address_cmp),
		STATE("/condition", responder_state_get),
		STATE("/condition-why", responder_state_get),
		NODE("/state/address",
		     .get_next = responder_address_get_next,
		     .get_keys = responder_address_get_keys,
		     .lookup_entry = responder_address_lookup),
		STATE("/address/address", responder_address_get),
		STATE("/address/status", responder_address_get),
		STATE("/address/why", responder_address_get),
		STATE("/address/since", responder_address_get),
		NODE("/state/interface",
		     .get_next = responder_interface_get_next,
		     .get_keys = responder_interface_get_keys,
		     .lookup_entry = responder_interface_lookup),
		STATE("/interface/interface", responder_interface_get),
		STATE("/interface/listening", responder_interface_get),
		STATE("/interface/why", responder_interface_get),
		STATE("/handoff/status", responder_handoff_get),
		STATE("/handoff/why", responder_handoff_get),
		STATE("/handoff/since", responder_handoff_get),
		STATE("/handoff/table", responder_handoff_get),
		STATE("/handoff/refused", responder_handoff_get),
		STATE("/handoff/pings", responder_handoff_get),
		STATE("/handoff/flows", responder_handoff_get),
		COUNTER("echo-received"),
		COUNTER("echo-sent"),
		COUNTER("arp-received"),
		COUNTER("arp-sent"),
		COUNTER("neighbor-received"),
		COUNTER("neighbor-sent"),
		COUNTER("held"),
		COUNTER("filtered"),
		COUNTER("limited"),
		COUNTER("malformed"),
		COUNTER("fragments"),
		COUNTER("bad-source"),
		COUNTER("reverse-flow"),
		COUNTER("conflicts"),
		COUNTER("other"),
		COUNTER("tx-errors"),
		LAST("kind"),
		LAST("source"),
		LAST("address"),
		LAST("mac"),
		LAST("interface"),
		LAST("vlan"),
		LAST("time"),
		{ .xpath = NULL },
	},
};
/* clang-format on */
