// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster responder`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "responder/responder_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/responder/responder_show_clippy.c"
#endif

const char *responder_mac_text(const uint8_t mac[RESPONDER_MAC_LEN],
			       char buf[ETHER_ADDR_STRLEN])
{
	snprintf(buf, ETHER_ADDR_STRLEN, "%02x:%02x:%02x:%02x:%02x:%02x",
		 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return buf;
}

static void json_address(json_object *json, const char *key,
			 const struct ipaddr *addr)
{
	char text[INET6_ADDRSTRLEN];

	json_object_string_add(json, key, ipaddr2str(addr, text, sizeof(text)));
}

static json_object *addresses_json(struct responder *responder, int64_t now_us)
{
	json_object *list = json_object_new_array();
	struct responder_address *address;

	frr_each (responder_addresses, &responder->addresses, address) {
		json_object *json = json_object_new_object();

		json_address(json, "address", &address->addr);
		json_object_string_add(json, "state",
				       responder_state_name(address->state));
		json_object_string_add(json, "why", address->why);
		json_object_int_add(json, "since", address->since_wall);
		json_object_int_add(json, "sinceMsec",
				    (now_us - address->since_us) / 1000);
		json_object_array_add(list, json);
	}
	return list;
}

static json_object *interfaces_json(struct responder *responder)
{
	json_object *list = json_object_new_array();
	struct responder_interface *interface;

	frr_each (responder_interfaces, &responder->interfaces, interface) {
		json_object *json = json_object_new_object();

		json_object_string_add(json, "interface", interface->name);
		json_object_boolean_add(json, "listening", interface->fd >= 0);
		if (interface->fd < 0)
			json_object_string_add(json, "why", interface->why);
		json_object_array_add(list, json);
	}
	return list;
}

static json_object *counters_json(const struct responder_counters *counters)
{
	json_object *json = json_object_new_object();
	json_object *received = json_object_new_object();

	for (int kind = 0; kind < RESPONDER_KINDS; kind++)
		json_object_int_add(received, responder_kind_name(kind),
				    (int64_t)counters->received[kind]);
	json_object_object_add(json, "received", received);
	json_object_int_add(json, "arpSent", (int64_t)counters->arp_sent);
	json_object_int_add(json, "neighborSent",
			    (int64_t)counters->neighbor_sent);
	json_object_int_add(json, "echoSent", (int64_t)counters->echo_sent);
	json_object_int_add(json, "held", (int64_t)counters->held);
	json_object_int_add(json, "filtered", (int64_t)counters->filtered);
	json_object_int_add(json, "limited", (int64_t)counters->limited);
	json_object_int_add(json, "txErrors", (int64_t)counters->tx_errors);
	return json;
}

static json_object *last_json(const struct responder_requester *last)
{
	json_object *json = json_object_new_object();
	char text[ETHER_ADDR_STRLEN];

	json_object_string_add(json, "kind", responder_kind_name(last->kind));
	if (!IS_IPADDR_NONE(&last->source))
		json_address(json, "source", &last->source);
	json_address(json, "address", &last->address);
	json_object_string_add(json, "mac", responder_mac_text(last->mac, text));
	json_object_string_add(json, "interface", last->ifname);
	if (last->vlan.present)
		json_object_int_add(json, "vlan", last->vlan.tci & 0xfff);
	json_object_int_add(json, "time", last->wall);
	return json;
}

static json_object *handoff_json(const struct responder_nat *nat, int64_t now_us)
{
	json_object *json = json_object_new_object();

	json_object_string_add(json, "mode", "nat");
	json_object_string_add(json, "state", handoff_state_name(nat->state));
	json_object_string_add(json, "why", nat->why);
	json_object_int_add(json, "since", nat->since_wall);
	json_object_int_add(json, "sinceMsec", (now_us - nat->since_us) / 1000);
	json_object_string_add(json, "table", nat->wanted.table);
	json_object_int_add(json, "refused",
			    (int64_t)nat->seen.packets[NFT_REFUSED]);
	json_object_int_add(json, "pings",
			    (int64_t)nat->seen.packets[NFT_PINGS]);
	json_object_int_add(json, "flows",
			    (int64_t)nat->seen.packets[NFT_FLOWS]);
	return json;
}

static json_object *responder_json(struct responder *responder, int64_t now_us)
{
	json_object *json = json_object_new_object();

	json_object_string_add(json, "vrf", responder->vrf);
	json_object_boolean_add(json, "condition", responder->condition_met);
	if (!responder->condition_met)
		json_object_string_add(json, "conditionWhy",
				       responder->condition_why);
	json_object_object_add(json, "addresses",
			       addresses_json(responder, now_us));
	json_object_object_add(json, "interfaces", interfaces_json(responder));
	if (responder->nat.on)
		json_object_object_add(json, "handoff",
				       handoff_json(&responder->nat, now_us));
	json_object_object_add(json, "counters",
			       counters_json(&responder->counters));
	if (responder->last.wall)
		json_object_object_add(json, "lastRequester",
				       last_json(&responder->last));
	return json;
}

static void show_addresses(struct vty *vty, struct responder *responder,
			   int64_t now_us)
{
	struct responder_address *address;
	char since[32], text[INET6_ADDRSTRLEN];

	if (!responder_addresses_count(&responder->addresses))
		vty_out(vty, "  no address configured\n");
	frr_each (responder_addresses, &responder->addresses, address)
		vty_out(vty, "  %-15s  %-10s  %9s  %s\n",
			ipaddr2str(&address->addr, text, sizeof(text)),
			responder_state_name(address->state),
			cluster_uptime(address->since_us, now_us, since,
				       sizeof(since)),
			address->why[0] ? address->why : "-");
}

static void show_handoff(struct vty *vty, const struct responder_nat *nat,
			 int64_t now_us)
{
	char since[32];

	vty_out(vty, "  %-15s  %-10s  %9s  %s\n", "NAT hand-off",
		handoff_state_name(nat->state),
		cluster_uptime(nat->since_us, now_us, since, sizeof(since)),
		nat->why[0] ? nat->why : "-");
}

static void show_handoff_details(struct vty *vty,
				 const struct responder_nat *nat)
{
	vty_out(vty,
		"  hand-off: %" PRIu64 " flows translated; %" PRIu64
		" packets to sites and %" PRIu64
		" pings of own addresses refused; table %s\n",
		nat->seen.packets[NFT_FLOWS], nat->seen.packets[NFT_REFUSED],
		nat->seen.packets[NFT_PINGS], nat->wanted.table);
}

static void show_details(struct vty *vty, struct responder *responder)
{
	const struct responder_counters *counters = &responder->counters;
	const struct responder_requester *last = &responder->last;
	struct responder_interface *interface;
	char mac[ETHER_ADDR_STRLEN], source[INET6_ADDRSTRLEN];

	frr_each (responder_interfaces, &responder->interfaces, interface)
		vty_out(vty, "  interface %s: %s\n", interface->name,
			interface->fd >= 0 ? "listening" : interface->why);
	if (responder->nat.on)
		show_handoff_details(vty, &responder->nat);
	vty_out(vty,
		"  sent: %" PRIu64 " echo replies, %" PRIu64 " ARP, %" PRIu64
		" neighbour discovery; %" PRIu64 " failed\n",
		counters->echo_sent, counters->arp_sent,
		counters->neighbor_sent, counters->tx_errors);
	vty_out(vty,
		"  echo requests not answered: %" PRIu64
		" by condition, %" PRIu64 " by source, %" PRIu64 " by rate\n",
		counters->held, counters->filtered, counters->limited);
	vty_out(vty,
		"  dropped: %" PRIu64 " malformed, %" PRIu64
		" fragments, %" PRIu64 " of bad sources, %" PRIu64
		" other traffic; %" PRIu64 " claims of the address\n",
		counters->received[RESPONDER_MALFORMED],
		counters->received[RESPONDER_FRAGMENT],
		counters->received[RESPONDER_BAD_SOURCE],
		counters->received[RESPONDER_REVERSE_FLOW],
		counters->received[RESPONDER_CONFLICT]);
	if (!last->wall)
		return;
	vty_out(vty, "  last request: %s from %s (%s) on %s",
		responder_kind_name(last->kind),
		IS_IPADDR_NONE(&last->source)
			? "no address"
			: ipaddr2str(&last->source, source, sizeof(source)),
		responder_mac_text(last->mac, mac), last->ifname);
	if (last->vlan.present)
		vty_out(vty, " VLAN %d", last->vlan.tci & 0xfff);
	vty_out(vty, "\n");
}

DEFPY (show_cluster_responder,
       show_cluster_responder_cmd,
       "show cluster responder [NAME$name] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "Virtual addresses that answer a ping\n"
       "Name of one responder\n"
       JSON_STR)
{
	int64_t now_us = cluster_now_us();
	json_object *all = json ? json_object_new_object() : NULL;
	struct responder *responder;

	frr_each (responders, &responders, responder) {
		if (name && strcmp(name, responder->name))
			continue;
		if (all) {
			json_object_object_add(all, responder->name,
					       responder_json(responder,
							      now_us));
			continue;
		}
		vty_out(vty, "%s", responder->name);
		if (strcmp(responder->vrf, RESPONDER_DEFAULT_VRF))
			vty_out(vty, " (VRF %s)", responder->vrf);
		vty_out(vty, "\n");
		show_addresses(vty, responder, now_us);
		if (responder->nat.on)
			show_handoff(vty, &responder->nat, now_us);
		if (name)
			show_details(vty, responder);
	}
	if (all)
		return vty_json(vty, all);
	if (name && !responder_find(name)) {
		vty_out(vty, "%% no responder %s\n", name);
		return CMD_WARNING;
	}
	return CMD_SUCCESS;
}

void responder_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_responder_cmd);
}
