// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operational data and notifications of the responders: what `show cluster
 * responder` knows.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "clusterd.h"
#include "responder/responder_nb_state.h"
#include "responder/responder_private.h"

#define NOTIFY_XPATH "/frr-clusterd-responder:"

/* 0: never. */
static const char *wall_text(time_t at, char buf[CLUSTER_OPER_TIME_LEN])
{
	return at ? cluster_oper_wall(at, buf) : "";
}

/* XPath: /frr-clusterd-responder:cluster-responders/responder */
const void *responder_get_next(struct nb_cb_get_next_args *args)
{
	/* The entries are ours, the northbound calls them const. */
	struct responder *responder = (struct responder *)args->list_entry;

	return responder ? responders_next(&responders, responder)
			 : responders_first(&responders);
}

int responder_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct responder *responder = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], responder->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *responder_lookup(struct nb_cb_lookup_entry_args *args)
{
	return responder_find(args->keys->key[0]);
}

/* XPath: .../responder/state/condition... */
struct yang_data *responder_state_get(struct nb_cb_get_elem_args *args)
{
	const struct responder *responder = args->list_entry;

	/* 8.4 asks with a path below the entry without one. */
	if (!responder)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_BOOL("condition", responder->condition_met),
		OPER_TEXT("condition-why", responder->condition_why),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../responder/state/address */
const void *responder_address_get_next(struct nb_cb_get_next_args *args)
{
	struct responder *responder =
		(struct responder *)args->parent_list_entry;
	struct responder_address *address =
		(struct responder_address *)args->list_entry;

	if (!responder)
		return NULL;
	return address ? responder_addresses_next(&responder->addresses, address)
		       : responder_addresses_first(&responder->addresses);
}

int responder_address_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct responder_address *address = args->list_entry;

	args->keys->num = 1;
	ipaddr2str(&address->addr, args->keys->key[0],
		   sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *responder_address_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct responder *responder = args->parent_list_entry;
	struct responder_address ref = {};

	if (!responder || str2ipaddr(args->keys->key[0], &ref.addr))
		return NULL;
	return responder_addresses_const_find(&responder->addresses, &ref);
}

struct yang_data *responder_address_get(struct nb_cb_get_elem_args *args)
{
	const struct responder_address *address = args->list_entry;
	char text[INET6_ADDRSTRLEN], since[CLUSTER_OPER_TIME_LEN];

	if (!address)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("address",
			  ipaddr2str(&address->addr, text, sizeof(text))),
		OPER_TEXT("status", responder_state_name(address->state)),
		OPER_TEXT("why", address->why),
		OPER_TEXT("since", wall_text(address->since_wall, since)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../responder/state/interface */
const void *responder_interface_get_next(struct nb_cb_get_next_args *args)
{
	struct responder *responder =
		(struct responder *)args->parent_list_entry;
	struct responder_interface *interface =
		(struct responder_interface *)args->list_entry;

	if (!responder)
		return NULL;
	return interface ? responder_interfaces_next(&responder->interfaces,
						     interface)
			 : responder_interfaces_first(&responder->interfaces);
}

int responder_interface_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct responder_interface *interface = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], interface->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *responder_interface_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct responder *responder = args->parent_list_entry;
	struct responder_interface ref = {};

	if (!responder)
		return NULL;
	strlcpy(ref.name, args->keys->key[0], sizeof(ref.name));
	return responder_interfaces_const_find(&responder->interfaces, &ref);
}

struct yang_data *responder_interface_get(struct nb_cb_get_elem_args *args)
{
	const struct responder_interface *interface = args->list_entry;

	if (!interface)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("interface", interface->name),
		OPER_BOOL("listening", interface->fd >= 0),
		OPER_TEXT("why", interface->fd >= 0 ? "" : interface->why),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../responder/state/handoff: of a responder that has one */
struct yang_data *responder_handoff_get(struct nb_cb_get_elem_args *args)
{
	const struct responder *responder = args->list_entry;
	const struct responder_nat *nat;
	char since[CLUSTER_OPER_TIME_LEN];

	if (!responder || !responder->nat.on)
		return NULL;
	nat = &responder->nat;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("status", handoff_state_name(nat->state)),
		OPER_TEXT("why", nat->why),
		OPER_TEXT("since", wall_text(nat->since_wall, since)),
		OPER_TEXT("table", nat->wanted.table),
		OPER_NUMBER("refused", nat->seen.packets[NFT_REFUSED]),
		OPER_NUMBER("pings", nat->seen.packets[NFT_PINGS]),
		OPER_NUMBER("flows", nat->seen.packets[NFT_FLOWS]),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../responder/state/counters */
struct yang_data *responder_counter_get(struct nb_cb_get_elem_args *args)
{
	const struct responder *responder = args->list_entry;
	const struct responder_counters *counters;
	const uint64_t *received;

	if (!responder)
		return NULL;
	counters = &responder->counters;
	received = counters->received;
	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("echo-received", received[RESPONDER_ECHO]),
		OPER_NUMBER("echo-sent", counters->echo_sent),
		OPER_NUMBER("arp-received", received[RESPONDER_ARP]),
		OPER_NUMBER("arp-sent", counters->arp_sent),
		OPER_NUMBER("neighbor-received", received[RESPONDER_NEIGHBOR]),
		OPER_NUMBER("neighbor-sent", counters->neighbor_sent),
		OPER_NUMBER("held", counters->held),
		OPER_NUMBER("filtered", counters->filtered),
		OPER_NUMBER("limited", counters->limited),
		OPER_NUMBER("malformed", received[RESPONDER_MALFORMED]),
		OPER_NUMBER("fragments", received[RESPONDER_FRAGMENT]),
		OPER_NUMBER("bad-source", received[RESPONDER_BAD_SOURCE]),
		OPER_NUMBER("reverse-flow", received[RESPONDER_REVERSE_FLOW]),
		OPER_NUMBER("conflicts", received[RESPONDER_CONFLICT]),
		OPER_NUMBER("other", received[RESPONDER_OTHER]),
		OPER_NUMBER("tx-errors", counters->tx_errors),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../responder/state/last-requester: once somebody has asked */
struct yang_data *responder_last_get(struct nb_cb_get_elem_args *args)
{
	const struct responder *responder = args->list_entry;
	char source[INET6_ADDRSTRLEN] = "", address[INET6_ADDRSTRLEN];
	char mac[ETHER_ADDR_STRLEN], vlan[8] = "";
	const struct responder_requester *last;
	char at[CLUSTER_OPER_TIME_LEN];

	if (!responder || !responder->last.wall)
		return NULL;
	last = &responder->last;
	if (!IS_IPADDR_NONE(&last->source))
		ipaddr2str(&last->source, source, sizeof(source));
	if (last->vlan.present)
		snprintf(vlan, sizeof(vlan), "%d", last->vlan.tci & 0xfff);
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("kind", responder_kind_name(last->kind)),
		OPER_TEXT("source", source),
		OPER_TEXT("address",
			  ipaddr2str(&last->address, address, sizeof(address))),
		OPER_TEXT("mac", responder_mac_text(last->mac, mac)),
		OPER_TEXT("interface", last->ifname),
		OPER_TEXT("vlan", vlan),
		OPER_TEXT("time", cluster_oper_wall(last->wall, at)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* ---- notifications ---- */

/* XPath: /frr-clusterd-responder:responder-status-change */
void responder_notify(const struct responder *responder,
		      const struct responder_address *address)
{
	char text[INET6_ADDRSTRLEN], since[CLUSTER_OPER_TIME_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("responder", responder->name),
		OPER_TEXT("address",
			  ipaddr2str(&address->addr, text, sizeof(text))),
		OPER_TEXT("status", responder_state_name(address->state)),
		OPER_TEXT("why", address->why),
		OPER_TEXT("since", wall_text(address->since_wall, since)),
	};

	cluster_oper_notify(NOTIFY_XPATH "responder-status-change", leaves,
			    array_size(leaves));
}

/* XPath: /frr-clusterd-responder:responder-handoff-change */
void responder_notify_handoff(const struct responder *responder)
{
	const struct responder_nat *nat = &responder->nat;
	char since[CLUSTER_OPER_TIME_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("responder", responder->name),
		OPER_TEXT("status", handoff_state_name(nat->state)),
		OPER_TEXT("why", nat->why),
		OPER_TEXT("since", wall_text(nat->since_wall, since)),
	};

	cluster_oper_notify(NOTIFY_XPATH "responder-handoff-change", leaves,
			    array_size(leaves));
}
