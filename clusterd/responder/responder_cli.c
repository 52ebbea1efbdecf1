// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the ping responders' configuration. */
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "responder/responder_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/responder/responder_cli_clippy.c"
#endif

#define RESPONDER_STR                                                          \
	"Virtual addresses that answer a ping while this node can be used\n"
#define RESPONDER_NAME_STR "Name of the responder\n"
#define CONDITION_STR                                                          \
	"When echo requests are answered; of several conditions all must hold\n"

DEFPY_YANG_NOSH (cluster_responder,
		 cluster_responder_cmd,
		 "cluster responder NAME$name",
		 CLUSTER_STR
		 RESPONDER_STR
		 RESPONDER_NAME_STR)
{
	return cluster_vty_enter(vty, CLUSTER_RESPONDER_NODE,
				 RESPONDER_LIST_XPATH, name);
}

DEFPY_YANG (no_cluster_responder,
	    no_cluster_responder_cmd,
	    "no cluster responder NAME$name",
	    NO_STR
	    CLUSTER_STR
	    RESPONDER_STR
	    RESPONDER_NAME_STR)
{
	return cluster_vty_delete(vty, RESPONDER_LIST_XPATH, name);
}

void responder_entry_cli_write(struct vty *vty, const struct lyd_node *dnode,
			       bool show_defaults)
{
	vty_out(vty, "!\ncluster responder %s\n",
		yang_dnode_get_string(dnode, "./name"));
}

void responder_entry_cli_write_end(struct vty *vty, const struct lyd_node *dnode)
{
	vty_out(vty, "exit\n");
}

DEFPY_YANG (responder_vrf,
	    responder_vrf_cmd,
	    "[no] vrf ![NAME$name]",
	    NO_STR
	    "VRF of the addresses and interfaces\n"
	    "Name of the VRF\n")
{
	if (!no && !cluster_vty_vrf_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./vrf",
				no || !strcmp(name, RESPONDER_DEFAULT_VRF)
					? NULL
					: name);
}

DEFPY_YANG (responder_interface,
	    responder_interface_cmd,
	    "[no] interface IFNAME$name",
	    NO_STR
	    "Interface to answer on\n"
	    "Name of an Ethernet interface\n")
{
	if (!cluster_vty_ifname_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaflist(vty, "./interface", no, name);
}

DEFPY_YANG (responder_tunnels,
	    responder_tunnels_cmd,
	    "condition tunnels (1-65535)$n interface PATTERN$pattern",
	    CONDITION_STR
	    "While VPN tunnels are up\n"
	    "At least so many\n"
	    "Interfaces of the tunnels\n"
	    "Pattern of their names, of * ? and []: wg*, tun[0-9]*\n")
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (strlen(pattern) >= CLUSTER_NAME_LEN)
		return cluster_vty_refuse(vty,
					  "a pattern has at most %d characters",
					  CLUSTER_NAME_LEN - 1);
	if (!cluster_vty_text_ok(vty, pattern))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, "./condition/tunnels", NB_OP_MODIFY, n_str);
	nb_cli_enqueue_change(vty, "./condition/interfaces", NB_OP_MODIFY,
			      pattern);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (no_responder_tunnels,
	    no_responder_tunnels_cmd,
	    "no condition tunnels [(1-65535) interface PATTERN]",
	    NO_STR
	    CONDITION_STR
	    "While VPN tunnels are up\n"
	    "At least so many\n"
	    "Interfaces of the tunnels\n"
	    "Pattern of their names\n")
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, "./condition/tunnels", NB_OP_DESTROY, NULL);
	nb_cli_enqueue_change(vty, "./condition/interfaces", NB_OP_DESTROY,
			      NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void responder_tunnels_cli_write(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults)
{
	const struct lyd_node *condition = lyd_parent(dnode);

	if (yang_dnode_exists(condition, "./interfaces"))
		vty_out(vty, " condition tunnels %s interface %s\n",
			yang_dnode_get_string(dnode, NULL),
			yang_dnode_get_string(condition, "./interfaces"));
}

DEFPY_YANG (responder_probe,
	    responder_probe_cmd,
	    "[no] condition probe ![NAME$name]",
	    NO_STR
	    CONDITION_STR
	    "While a probe is up\n"
	    "Name of a probe that has a target\n")
{
	if (!no && !probe_cli_name_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./condition/probe", no ? NULL : name);
}

DEFPY_YANG (responder_vip,
	    responder_vip_cmd,
	    "[no] condition vip ![NAME$name]",
	    NO_STR
	    CONDITION_STR
	    "While a VIP is announced\n"
	    "Name of the VIP\n")
{
	if (!no && !cluster_vty_name_ok(vty, "VIP", name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./condition/vip", no ? NULL : name);
}

void responder_condition_cli_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults)
{
	vty_out(vty, " condition %s %s\n", dnode->schema->name,
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (responder_hold_down,
	    responder_hold_down_cmd,
	    "[no] hold-down ![(1-3600000)$ms]",
	    NO_STR
	    "How long the condition must have held before a ping is answered\n"
	    "Milliseconds\n")
{
	return cluster_vty_leaf(vty, "./hold-down", no ? NULL : ms_str);
}

DEFPY_YANG (responder_accept,
	    responder_accept_cmd,
	    "[no] accept prefix-list ![WORD$name]",
	    NO_STR
	    "Sources whose pings are answered; without it, all\n"
	    "The IPv4 and IPv6 prefix lists of that name\n"
	    "Name of the prefix lists\n")
{
	if (!no && strlen(name) >= ACCEPT_LIST_NAME_LEN)
		return cluster_vty_refuse(vty,
					  "a prefix list's name has at most %d characters",
					  ACCEPT_LIST_NAME_LEN - 1);
	return cluster_vty_leaf(vty, "./accept-prefix-list", no ? NULL : name);
}

void responder_accept_cli_write(struct vty *vty, const struct lyd_node *dnode,
				bool show_defaults)
{
	vty_out(vty, " accept prefix-list %s\n",
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (responder_rate,
	    responder_rate_cmd,
	    "[no] rate-limit ![(1-100000)$rate]",
	    NO_STR
	    "Most echo replies a second, for all addresses together\n"
	    "Replies, 1000 by default\n")
{
	return cluster_vty_leaf(vty, "./rate-limit",
				no || rate == RESPONDER_RATE ? NULL : rate_str);
}

#define HANDOFF_STR                                                            \
	"How sites' traffic is handed over to who pings\n"                     \
	"With an address of this node: flows back to sites are refused\n"

DEFPY_YANG (responder_handoff,
	    responder_handoff_cmd,
	    "[no] handoff nat",
	    NO_STR
	    HANDOFF_STR)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, "./handoff/nat",
			      no ? NB_OP_DESTROY : NB_OP_CREATE, NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void responder_handoff_cli_write(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults)
{
	vty_out(vty, " handoff nat\n");
}

DEFPY_YANG (responder_source,
	    responder_source_cmd,
	    "[no] handoff nat source <A.B.C.D|X:X::X:X>$source",
	    NO_STR
	    HANDOFF_STR
	    "Address that it gets; without it, that of the interface\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;
	const char *xpath;

	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (str2ipaddr(source_str, &addr) || responder_address_flaw(&addr))
		return cluster_vty_refuse(vty, "%s is not the address of a host",
					  source_str);
	xpath = IS_IPADDR_V6(&addr) ? "./handoff/nat/source-ipv6"
				    : "./handoff/nat/source-ipv4";
	if (!no)
		nb_cli_enqueue_change(vty, "./handoff/nat", NB_OP_CREATE, NULL);
	return cluster_vty_leaf(vty, xpath,
				no ? NULL
				   : ipaddr2str(&addr, canonical,
						sizeof(canonical)));
}

void responder_source_cli_write(struct vty *vty, const struct lyd_node *dnode,
				bool show_defaults)
{
	vty_out(vty, " handoff nat source %s\n",
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (responder_shutdown,
	    responder_shutdown_cmd,
	    "[no] shutdown",
	    NO_STR
	    "Answer nothing, ARP neither\n")
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_flag(vty, "./shutdown", !no);
}

/* What who types should know; a file's line becomes a state. */
static void address_note(struct vty *vty, const struct ipaddr *addr)
{
	const struct lyd_node *dnode =
		yang_dnode_get(vty->candidate_config->dnode, VTY_CURR_XPATH);
	const char *vrf = dnode && yang_dnode_exists(dnode, "./vrf")
				  ? yang_dnode_get_string(dnode, "./vrf")
				  : RESPONDER_DEFAULT_VRF;
	const char *owner = cluster_zebra_address_owner(vrf, addr);

	if (owner)
		vty_out(vty,
			"Note: interface %s has this address, so the kernel answers for it: use one that no interface has\n",
			owner);
}

DEFPY_YANG (responder_address,
	    responder_address_cmd,
	    "[no] address <A.B.C.D|X:X::X:X>$address",
	    NO_STR
	    "Virtual address, which no interface may have\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;

	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (str2ipaddr(address_str, &addr) || responder_address_flaw(&addr)) {
		vty_out(vty, "%% %s is not the address of a host\n",
			address_str);
		return CMD_WARNING_CONFIG_FAILED;
	}
	if (!no && !vty->pending_allowed)
		address_note(vty, &addr);
	return cluster_vty_leaflist(vty, "./address", no,
				    ipaddr2str(&addr, canonical,
					       sizeof(canonical)));
}

#ifndef VTYSH_EXTRACT_PL
static int responder_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, RESPONDER_XPATH);
}

static struct cmd_node responder_node = {
	.name = "cluster responder",
	.node = (enum node_type)CLUSTER_RESPONDER_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-responder)# ",
	.config_write = responder_config_write,
};
#endif

void responder_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&responder_node);
#endif
	install_element(CONFIG_NODE, &cluster_responder_cmd);
	install_element(CONFIG_NODE, &no_cluster_responder_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_vrf_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_interface_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_tunnels_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &no_responder_tunnels_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_probe_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_vip_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_hold_down_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_accept_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_rate_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_handoff_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_source_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_shutdown_cmd);
	install_element(CLUSTER_RESPONDER_NODE, &responder_address_cmd);
}
