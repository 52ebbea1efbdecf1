// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the ping responders: callbacks copy the value and say that
 * something has changed; operational callbacks read the state.
 */
#include "cluster_compat.h"

#include "clusterd.h"
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

static const void *responder_get_next(struct nb_cb_get_next_args *args)
{
	/* The entries are ours, the northbound calls them const. */
	struct responder *responder = (struct responder *)args->list_entry;

	return responder ? responders_next(&responders, responder)
			 : responders_first(&responders);
}

static int responder_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct responder *responder = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], responder->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

static const void *responder_lookup(struct nb_cb_lookup_entry_args *args)
{
	return responder_find(args->keys->key[0]);
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

/* ---- operational state ---- */

/* XPath: .../responder/state/address */
static const void *address_get_next(struct nb_cb_get_next_args *args)
{
	struct responder *responder =
		(struct responder *)args->parent_list_entry;
	struct responder_address *address =
		(struct responder_address *)args->list_entry;

	/* 8.4 asks with a path below the entry without one. */
	if (!responder)
		return NULL;
	return address ? responder_addresses_next(&responder->addresses, address)
		       : responder_addresses_first(&responder->addresses);
}

static int address_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct responder_address *address = args->list_entry;

	args->keys->num = 1;
	ipaddr2str(&address->addr, args->keys->key[0],
		   sizeof(args->keys->key[0]));
	return NB_OK;
}

static const void *address_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct responder *responder = args->parent_list_entry;
	struct responder_address ref = {};

	if (!responder || str2ipaddr(args->keys->key[0], &ref.addr))
		return NULL;
	return responder_addresses_const_find(&responder->addresses, &ref);
}

static struct yang_data *address_address_get(struct nb_cb_get_elem_args *args)
{
	const struct responder_address *address = args->list_entry;
	char text[INET6_ADDRSTRLEN];

	return address ? yang_data_new_string(args->xpath,
					      ipaddr2str(&address->addr, text,
							 sizeof(text)))
		       : NULL;
}

static struct yang_data *address_status_get(struct nb_cb_get_elem_args *args)
{
	const struct responder_address *address = args->list_entry;

	return address ? yang_data_new_string(args->xpath,
					      responder_state_name(
						      address->state))
		       : NULL;
}

static struct yang_data *address_why_get(struct nb_cb_get_elem_args *args)
{
	const struct responder_address *address = args->list_entry;

	return address ? yang_data_new_string(args->xpath, address->why) : NULL;
}

/* XPath: .../responder/state/handoff: of a responder that has one */
static struct yang_data *handoff_status_get(struct nb_cb_get_elem_args *args)
{
	const struct responder *responder = args->list_entry;

	return responder && responder->nat.on
		       ? yang_data_new_string(args->xpath,
					      handoff_state_name(
						      responder->nat.state))
		       : NULL;
}

static struct yang_data *handoff_why_get(struct nb_cb_get_elem_args *args)
{
	const struct responder *responder = args->list_entry;

	return responder && responder->nat.on
		       ? yang_data_new_string(args->xpath, responder->nat.why)
		       : NULL;
}

static struct yang_data *handoff_count(struct nb_cb_get_elem_args *args,
				       enum nft_counter counter)
{
	const struct responder *responder = args->list_entry;

	return responder && responder->nat.on
		       ? yang_data_new_uint64(args->xpath,
					      responder->nat.seen.packets[counter])
		       : NULL;
}

static struct yang_data *handoff_refused_get(struct nb_cb_get_elem_args *args)
{
	return handoff_count(args, NFT_REFUSED);
}

static struct yang_data *handoff_pings_get(struct nb_cb_get_elem_args *args)
{
	return handoff_count(args, NFT_PINGS);
}

static struct yang_data *handoff_flows_get(struct nb_cb_get_elem_args *args)
{
	return handoff_count(args, NFT_FLOWS);
}

#define COUNTER_GET(name, field)                                                 \
	static struct yang_data *name##_get(struct nb_cb_get_elem_args *args)    \
	{                                                                        \
		const struct responder *responder = args->list_entry;            \
                                                                                 \
		return responder                                                 \
			       ? yang_data_new_uint64(args->xpath,               \
						      responder->counters.field) \
			       : NULL;                                           \
	}
COUNTER_GET(echo_received, received[RESPONDER_ECHO])
COUNTER_GET(echo_sent, echo_sent)
COUNTER_GET(arp_sent, arp_sent)
COUNTER_GET(neighbor_sent, neighbor_sent)
COUNTER_GET(held, held)
COUNTER_GET(filtered, filtered)
COUNTER_GET(limited, limited)
COUNTER_GET(malformed, received[RESPONDER_MALFORMED])
COUNTER_GET(fragments, received[RESPONDER_FRAGMENT])
COUNTER_GET(bad_source, received[RESPONDER_BAD_SOURCE])
COUNTER_GET(reverse_flow, received[RESPONDER_REVERSE_FLOW])
COUNTER_GET(conflicts, received[RESPONDER_CONFLICT])
COUNTER_GET(tx_errors, tx_errors)

/* clang-format off */
#define NODE(path, ...)                                                        \
	{ .xpath = RESPONDER_LIST_XPATH path, .cbs = { __VA_ARGS__ } }
#define COUNTER(path, get)                                                     \
	{ .xpath = RESPONDER_LIST_XPATH "/state/counters/" path,               \
	  .cbs = { .get_elem = get } }

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
		NODE("/state/address",
		     .get_next = address_get_next,
		     .get_keys = address_get_keys,
		     .lookup_entry = address_lookup),
		NODE("/state/address/address",
		     .get_elem = address_address_get),
		NODE("/state/address/status", .get_elem = address_status_get),
		NODE("/state/address/why", .get_elem = address_why_get),
		NODE("/state/handoff/status", .get_elem = handoff_status_get),
		NODE("/state/handoff/why", .get_elem = handoff_why_get),
		NODE("/state/handoff/refused",
		     .get_elem = handoff_refused_get),
		NODE("/state/handoff/pings", .get_elem = handoff_pings_get),
		NODE("/state/handoff/flows", .get_elem = handoff_flows_get),
		COUNTER("echo-received", echo_received_get),
		COUNTER("echo-sent", echo_sent_get),
		COUNTER("arp-sent", arp_sent_get),
		COUNTER("neighbor-sent", neighbor_sent_get),
		COUNTER("held", held_get),
		COUNTER("filtered", filtered_get),
		COUNTER("limited", limited_get),
		COUNTER("malformed", malformed_get),
		COUNTER("fragments", fragments_get),
		COUNTER("bad-source", bad_source_get),
		COUNTER("reverse-flow", reverse_flow_get),
		COUNTER("conflicts", conflicts_get),
		COUNTER("tx-errors", tx_errors_get),
		{ .xpath = NULL },
	},
};
/* clang-format on */
