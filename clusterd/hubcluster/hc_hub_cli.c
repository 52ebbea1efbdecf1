// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of this node as a hub. */
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "hubcluster/hc_mgmt.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/hubcluster/hc_hub_cli_clippy.c"
#endif

#define HUB_STR	   "This node as a hub of a cluster\n"
#define TUNNEL_STR "Tunnels of edges\n"
#define SOURCE_STR "What tells the number of tunnels\n"
#define COMMAND_STR                                                            \
	"A command, which prints the number\n"                                 \
	"Whole path of the command\n"                                          \
	"When it is killed\n"                                                  \
	"Milliseconds, 5000 by default\n"
#define PATTERN_STR                                                            \
	"Interfaces that are up\n"                                             \
	"Pattern of their names, of * ? and []: wg*, tun[0-9]*\n"
#define SITES_STR "Prefixes that edges may announce; without a list, none\n"
#define SITES_LIST_STR                                                         \
	"Those that a prefix list permits\nName of the prefix list\n"
#define SITE_ROUTE_STR "Routes of the edges' prefixes\n"
#define REPORT_STR     "Reports to the gateways\n"

#define PRESET_REPORT	  30
#define PRESET_TRIGGER_MS 50
#define PRESET_HOLD_MS	  500

DEFPY_YANG_NOSH (cluster_hub,
		 cluster_hub_cmd,
		 "cluster hub",
		 CLUSTER_STR
		 HUB_STR)
{
	return cluster_vty_enter_one(vty, CLUSTER_HUB_NODE, HCD_HUB_XPATH);
}

DEFPY_YANG (no_cluster_hub,
	    no_cluster_hub_cmd,
	    "no cluster hub",
	    NO_STR
	    CLUSTER_STR
	    HUB_STR)
{
	nb_cli_enqueue_change(vty, HCD_HUB_XPATH, NB_OP_DESTROY, NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void hcd_hub_cli_write(struct vty *vty, const struct lyd_node *dnode,
		       bool show_defaults)
{
	vty_out(vty, "!\ncluster hub\n");
}

DEFPY_YANG (hub_cluster,
	    hub_cluster_cmd,
	    "[no] hub-cluster ![UUID$id]",
	    NO_STR
	    "Cluster that this node is a hub of\n"
	    "Logical ID of the cluster\n")
{
	return hcd_cli_id_leaf(vty, "./hub-cluster", "cluster", no ? NULL : id);
}

DEFPY_YANG (hub_address,
	    hub_address_cmd,
	    "[no] address <A.B.C.D|X:X::X:X>$address",
	    NO_STR
	    "Address where edges reach this node\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	return hcd_cli_address(vty, no, "address", address_str,
			       HC_ADDRESSES_MAX);
}

DEFPY_YANG (hub_port,
	    hub_port_cmd,
	    "[no] port ![(1-65535)$port]",
	    NO_STR
	    "UDP port that edges open their sessions to\n"
	    "Port, by default the control protocol's own\n")
{
	return hcd_cli_number(vty, "./port", no ? NULL : port_str, CTL_PORT);
}

DEFPY_YANG (hub_tunnel_address,
	    hub_tunnel_address_cmd,
	    "[no] tunnel-address <A.B.C.D|X:X::X:X>$address",
	    NO_STR
	    "This node's end of the tunnels, which edges route to\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	return hcd_cli_address(vty, no, "tunnel-address", address_str,
			       HC_ADDRESSES_MAX);
}

DEFPY_YANG (hub_capacity,
	    hub_capacity_cmd,
	    "[no] tunnel capacity ![(1-1000000)$capacity]",
	    NO_STR
	    TUNNEL_STR
	    "How many this node is rated for\n"
	    "Number of tunnels\n")
{
	return cluster_vty_leaf(vty, "./tunnel/capacity",
				no ? NULL : capacity_str);
}

/* What the kinds of sources have; one has the line to itself. */
static int source_change(struct vty *vty, const char *type, const char *pattern,
			 const char *command, const char *timeout,
			 const char *fixed)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	hcd_cli_enqueue(vty, "tunnel/source", type);
	hcd_cli_enqueue(vty, "tunnel/interface", pattern);
	hcd_cli_enqueue(vty, "tunnel/command", command);
	hcd_cli_enqueue(vty, "tunnel/timeout", timeout);
	hcd_cli_enqueue(vty, "tunnel/fixed", fixed);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (hub_source,
	    hub_source_cmd,
	    "tunnel source <sessions|interface PATTERN$pattern|command PATH$path [timeout (100-60000)$timeout]|fixed (0-1000000)$fixed>",
	    TUNNEL_STR
	    SOURCE_STR
	    "The sessions with edges (default)\n"
	    PATTERN_STR
	    COMMAND_STR
	    "A number\n"
	    "Number of tunnels\n")
{
	if (pattern) {
		if (!hcd_cli_word_ok(vty, "a pattern", pattern, HCD_PATTERN_LEN))
			return CMD_WARNING_CONFIG_FAILED;
		return source_change(vty, "interface", pattern, NULL, NULL,
				     NULL);
	}
	if (path) {
		if (!hcd_cli_path_ok(vty, path))
			return CMD_WARNING_CONFIG_FAILED;
		return source_change(vty, "command", NULL, path,
				     timeout == HCD_COMMAND_MS ? NULL
							       : timeout_str,
				     NULL);
	}
	return source_change(vty, fixed_str ? "fixed" : NULL, NULL, NULL, NULL,
			     fixed_str);
}

DEFPY_YANG (no_hub_source,
	    no_hub_source_cmd,
	    "no tunnel source [<sessions|interface PATTERN|command PATH [timeout (100-60000)]|fixed (0-1000000)>]",
	    NO_STR
	    TUNNEL_STR
	    SOURCE_STR
	    "The sessions with edges (default)\n"
	    PATTERN_STR
	    COMMAND_STR
	    "A number\n"
	    "Number of tunnels\n")
{
	return source_change(vty, NULL, NULL, NULL, NULL, NULL);
}

void hcd_source_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	const char *type = yang_dnode_get_string(dnode, NULL);
	const struct lyd_node *tunnel = lyd_parent(dnode);

	/* Another client may have set the one without the other. */
	if (!yang_dnode_exists(tunnel, type))
		return;
	vty_out(vty, " tunnel source %s %s", type,
		yang_dnode_get_string(tunnel, "%s", type));
	if (strmatch(type, "command") && yang_dnode_exists(tunnel, "timeout"))
		vty_out(vty, " timeout %s",
			yang_dnode_get_string(tunnel, "timeout"));
	vty_out(vty, "\n");
}

DEFPY_YANG (hub_model,
	    hub_model_cmd,
	    "[no] model ![WORD$model]",
	    NO_STR
	    "Model of this node: hubs of a cluster should have one and the same\n"
	    "Any word\n")
{
	if (!no && !hcd_cli_word_ok(vty, "a model", model, HC_TEXT_LEN))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./model", no ? NULL : model);
}

DEFPY_YANG (hub_asn,
	    hub_asn_cmd,
	    "[no] asn ![(1-4294967295)$asn]",
	    NO_STR
	    "AS number of this node towards the LAN: no two hubs of a cluster have the same\n"
	    "AS number\n")
{
	return cluster_vty_leaf(vty, "./asn", no ? NULL : asn_str);
}

DEFPY_YANG (hub_vrf,
	    hub_vrf_cmd,
	    "[no] vrf ![NAME$name]",
	    NO_STR
	    "VRF whose BGP routes count, and that the edges' routes go to\n"
	    "Name of the VRF\n")
{
	return hcd_cli_vrf(vty, "./vrf", no ? NULL : name);
}

DEFPY_YANG (hub_community,
	    hub_community_cmd,
	    "[no] uplink-community ![COMMUNITY$community]",
	    NO_STR
	    "Community of the edges' routes in BGP, by which sibling hubs know them\n"
	    "AA:NN, or a number from 1 to 4294967295\n")
{
	if (!no && !hcd_community(community))
		return cluster_vty_refuse(
			vty,
			"%s is not a community: use AA:NN, each 0 to 65535 and not both 0, or a number from 1 to 4294967295",
			community);
	return cluster_vty_leaf(vty, "./uplink-community",
				no ? NULL : community);
}

DEFPY_YANG (hub_exclude,
	    hub_exclude_cmd,
	    "[no] learned-routes exclude tag ![(1-4294967295)$tag]",
	    NO_STR
	    "BGP routes whose number tells whether the LAN is there\n"
	    "Routes that don't count: those of sibling hubs' edges\n"
	    "By the tag that a route-map of bgpd gives them\n"
	    "Tag\n")
{
	return cluster_vty_leaf(vty, "./learned-routes-exclude-tag",
				no ? NULL : tag_str);
}

void hcd_exclude_cli_write(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults)
{
	vty_out(vty, " learned-routes exclude tag %s\n",
		yang_dnode_get_string(dnode, NULL));
}

static int site_list_change(struct vty *vty, const char *xpath, const char *name)
{
	if (name && !hcd_cli_word_ok(vty, "a prefix list's name", name,
				     ACCEPT_LIST_NAME_LEN))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, xpath, name);
}

DEFPY_YANG (hub_sites,
	    hub_sites_cmd,
	    "[no] site-prefixes prefix-list ![WORD$name]",
	    NO_STR
	    SITES_STR
	    SITES_LIST_STR)
{
	return site_list_change(vty, "./site-prefix-list", no ? NULL : name);
}

DEFPY_YANG (hub_sites_ipv6,
	    hub_sites_ipv6_cmd,
	    "[no] site-prefixes ipv6 prefix-list ![WORD$name]",
	    NO_STR
	    SITES_STR
	    "IPv6 prefixes\n"
	    SITES_LIST_STR)
{
	return site_list_change(vty, "./site-prefix-list-ipv6",
				no ? NULL : name);
}

void hcd_site_list_cli_write(struct vty *vty, const struct lyd_node *dnode,
			     bool show_defaults)
{
	bool ipv6 = strmatch(dnode->schema->name, "site-prefix-list-ipv6");

	vty_out(vty, " site-prefixes %sprefix-list %s\n", ipv6 ? "ipv6 " : "",
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (hub_site_distance,
	    hub_site_distance_cmd,
	    "[no] site-route distance ![(1-254)$distance]",
	    NO_STR
	    SITE_ROUTE_STR
	    "Administrative distance\n"
	    "Distance, 1 by default\n")
{
	return hcd_cli_number(vty, "./site-route/distance",
			      no ? NULL : distance_str, HCD_DEFAULT_DISTANCE);
}

DEFPY_YANG (hub_site_metric,
	    hub_site_metric_cmd,
	    "[no] site-route metric ![(0-4294967295)$metric]",
	    NO_STR
	    SITE_ROUTE_STR
	    "Metric\n"
	    "Metric, 0 by default\n")
{
	return hcd_cli_number(vty, "./site-route/metric",
			      no ? NULL : metric_str, 0);
}

DEFPY_YANG (hub_site_tag,
	    hub_site_tag_cmd,
	    "[no] site-route tag ![(1-4294967295)$tag]",
	    NO_STR
	    SITE_ROUTE_STR
	    "Tag, for route-maps to match; with an uplink community it is made from that\n"
	    "Tag, 86 by default\n")
{
	return hcd_cli_number(vty, "./site-route/tag", no ? NULL : tag_str,
			      HCD_DEFAULT_TAG);
}

DEFPY_YANG (hub_report_interval,
	    hub_report_interval_cmd,
	    "[no] report interval ![(1-300)$interval]",
	    NO_STR
	    REPORT_STR
	    "Time between reports\n"
	    "Seconds, 30 by default\n")
{
	return hcd_cli_number(vty, "./report/interval",
			      no ? NULL : interval_str, PRESET_REPORT);
}

DEFPY_YANG (hub_trigger_delay,
	    hub_trigger_delay_cmd,
	    "[no] report trigger-delay ![(0-60000)$delay]",
	    NO_STR
	    REPORT_STR
	    "Delay of a report that doesn't wait for the interval: of a loss, a drain\n"
	    "Milliseconds, 50 by default\n")
{
	return hcd_cli_number(vty, "./report/trigger-delay",
			      no ? NULL : delay_str, PRESET_TRIGGER_MS);
}

DEFPY_YANG (hub_trigger_hold,
	    hub_trigger_hold_cmd,
	    "[no] report trigger-hold ![(0-60000)$hold]",
	    NO_STR
	    REPORT_STR
	    "Time between reports that don't wait for the interval\n"
	    "Milliseconds, 500 by default\n")
{
	return hcd_cli_number(vty, "./report/trigger-hold",
			      no ? NULL : hold_str, PRESET_HOLD_MS);
}

DEFPY_YANG (hub_drain,
	    hub_drain_cmd,
	    "[no] drain",
	    NO_STR
	    "Send all edges to other hubs, and take no more\n")
{
	return cluster_vty_flag(vty, "./drain", !no);
}

DEFPY_YANG (hub_shutdown,
	    hub_shutdown_cmd,
	    "[no] shutdown",
	    NO_STR
	    "This node is no hub\n")
{
	return cluster_vty_flag(vty, "./shutdown", !no);
}

#ifndef VTYSH_EXTRACT_PL
static struct cmd_node hub_node = {
	.name = "cluster hub",
	.node = (enum node_type)CLUSTER_HUB_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-hub)# ",
};
#endif

void hcd_hub_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&hub_node);
#endif
	install_element(CONFIG_NODE, &cluster_hub_cmd);
	install_element(CONFIG_NODE, &no_cluster_hub_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_cluster_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_address_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_port_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_tunnel_address_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_capacity_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_source_cmd);
	install_element(CLUSTER_HUB_NODE, &no_hub_source_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_model_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_asn_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_vrf_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_community_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_exclude_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_sites_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_sites_ipv6_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_site_distance_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_site_metric_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_site_tag_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_report_interval_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_trigger_delay_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_trigger_hold_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_drain_cmd);
	install_element(CLUSTER_HUB_NODE, &hub_shutdown_cmd);
}
