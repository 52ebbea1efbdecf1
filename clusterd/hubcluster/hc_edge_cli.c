// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of this node as an edge. */
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "hubcluster/hc_mgmt.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/hubcluster/hc_edge_cli_clippy.c"
#endif

#define EDGE_STR       "This node as an edge of a cluster\n"
#define EDGE_ROUTE_STR "Routes via the hub's end of the tunnel\n"
#define GATEWAY_STR    "Gateway, in the order of this edge\n"
#define GATEWAY_ID_STR                                                         \
	"Logical ID of the gateway: `show cluster control` there has it\n"
#define TUNNEL_STR "Tunnels to hubs\n"
#define ACTION_STR "What is done when a tunnel to a hub is wanted\n"

#define PRESET_RETRY	   5
#define PRESET_CONNECT	   10
#define PRESET_UNREACHABLE 30

DEFPY_YANG_NOSH (cluster_edge,
		 cluster_edge_cmd,
		 "cluster edge",
		 CLUSTER_STR
		 EDGE_STR)
{
	return cluster_vty_enter_one(vty, CLUSTER_EDGE_NODE, HCD_EDGE_XPATH);
}

DEFPY_YANG (no_cluster_edge,
	    no_cluster_edge_cmd,
	    "no cluster edge",
	    NO_STR
	    CLUSTER_STR
	    EDGE_STR)
{
	nb_cli_enqueue_change(vty, HCD_EDGE_XPATH, NB_OP_DESTROY, NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void hcd_edge_cli_write(struct vty *vty, const struct lyd_node *dnode,
			bool show_defaults)
{
	vty_out(vty, "!\ncluster edge\n");
}

DEFPY_YANG (edge_cluster,
	    edge_cluster_cmd,
	    "[no] hub-cluster ![UUID$id]",
	    NO_STR
	    "Cluster whose hubs this edge uses\n"
	    "Logical ID of the cluster\n")
{
	return hcd_cli_id_leaf(vty, "./hub-cluster", "cluster", no ? NULL : id);
}

DEFPY_YANG (edge_tunnel_address,
	    edge_tunnel_address_cmd,
	    "[no] tunnel-address <A.B.C.D|X:X::X:X>$address",
	    NO_STR
	    "This node's end of the tunnels, which the hub routes to\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	return hcd_cli_address(vty, no, "tunnel-address", address_str,
			       HC_ADDRESSES_MAX);
}

DEFPY_YANG (edge_site_prefix,
	    edge_site_prefix_cmd,
	    "[no] site-prefix <A.B.C.D/M|X:X::X:X/M>$prefix",
	    NO_STR
	    "Prefix of this site, which the hub routes here\n"
	    "IPv4 prefix\n"
	    "IPv6 prefix\n")
{
	return hcd_cli_prefix(vty, no, "site-prefix", prefix_str,
			      HC_PREFIXES_MAX);
}

DEFPY_YANG (edge_route,
	    edge_route_cmd,
	    "[no] route <A.B.C.D/M|X:X::X:X/M>$prefix",
	    NO_STR
	    EDGE_ROUTE_STR
	    "IPv4 prefix\n"
	    "IPv6 prefix\n")
{
	return hcd_cli_prefix(vty, no, "route", prefix_str, HCD_EDGE_ROUTES_MAX);
}

DEFPY_YANG (edge_distance,
	    edge_distance_cmd,
	    "[no] route distance ![(1-254)$distance]",
	    NO_STR
	    EDGE_ROUTE_STR
	    "Administrative distance of all of them\n"
	    "Distance, 1 by default\n")
{
	return hcd_cli_number(vty, "./route-attributes/distance",
			      no ? NULL : distance_str, HCD_DEFAULT_DISTANCE);
}

DEFPY_YANG (edge_metric,
	    edge_metric_cmd,
	    "[no] route metric ![(0-4294967295)$metric]",
	    NO_STR
	    EDGE_ROUTE_STR
	    "Metric of all of them\n"
	    "Metric, 0 by default\n")
{
	return hcd_cli_number(vty, "./route-attributes/metric",
			      no ? NULL : metric_str, 0);
}

DEFPY_YANG (edge_tag,
	    edge_tag_cmd,
	    "[no] route tag ![(1-4294967295)$tag]",
	    NO_STR
	    EDGE_ROUTE_STR
	    "Tag of all of them, for route-maps to match\n"
	    "Tag, 86 by default\n")
{
	return hcd_cli_number(vty, "./route-attributes/tag",
			      no ? NULL : tag_str, HCD_DEFAULT_TAG);
}

void hcd_route_attribute_cli_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults)
{
	vty_out(vty, " route %s %s\n", dnode->schema->name,
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (edge_vrf,
	    edge_vrf_cmd,
	    "[no] vrf ![NAME$name]",
	    NO_STR
	    "VRF that the routes go to\n"
	    "Name of the VRF\n")
{
	return hcd_cli_vrf(vty, "./vrf", no ? NULL : name);
}

DEFPY_YANG (edge_gateway,
	    edge_gateway_cmd,
	    "gateway UUID$id preference (1-255)$preference",
	    GATEWAY_STR
	    GATEWAY_ID_STR
	    "The lowest is followed, of the gateways that there is a session with\n"
	    "Preference; 255 is that of gateways that aren't listed\n")
{
	char canonical[CTL_ID_TEXT_LEN], xpath[128];

	if (!cluster_vty_section_ok(vty) ||
	    !hcd_cli_id(vty, "node", id, canonical) ||
	    !hcd_cli_room(vty, "gateway", canonical, HC_EDGE_GATEWAYS_MAX))
		return CMD_WARNING_CONFIG_FAILED;
	snprintf(xpath, sizeof(xpath), "./gateway[id='%s']", canonical);
	nb_cli_enqueue_change(vty, xpath, NB_OP_CREATE, NULL);
	snprintf(xpath, sizeof(xpath), "./gateway[id='%s']/preference",
		 canonical);
	nb_cli_enqueue_change(vty, xpath, NB_OP_MODIFY, preference_str);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (no_edge_gateway,
	    no_edge_gateway_cmd,
	    "no gateway UUID$id [preference (1-255)]",
	    NO_STR
	    GATEWAY_STR
	    GATEWAY_ID_STR
	    "The lowest is followed, of the gateways that there is a session with\n"
	    "Preference\n")
{
	char canonical[CTL_ID_TEXT_LEN], xpath[128];

	if (!cluster_vty_section_ok(vty) ||
	    !hcd_cli_id(vty, "node", id, canonical))
		return CMD_WARNING_CONFIG_FAILED;
	snprintf(xpath, sizeof(xpath), "./gateway[id='%s']", canonical);
	nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void hcd_gateway_cli_write(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults)
{
	unsigned int preference = HC_PREFERENCE_DEFAULT;

	if (yang_dnode_exists(dnode, "./preference"))
		preference = yang_dnode_get_uint8(dnode, "./preference");
	vty_out(vty, " gateway %s preference %u\n",
		yang_dnode_get_string(dnode, "./id"), preference);
}

DEFPY_YANG (edge_sticky,
	    edge_sticky_cmd,
	    "[no] gateway-failover sticky",
	    NO_STR
	    "What happens when the preferred gateway is gone\n"
	    "The next one is asked, and told which hub this edge has, instead of followed\n")
{
	return cluster_vty_flag(vty, "./gateway-failover-sticky", !no);
}

void hcd_sticky_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	vty_out(vty, " gateway-failover sticky\n");
}

DEFPY_YANG (edge_retry,
	    edge_retry_cmd,
	    "[no] retry-interval ![(1-3600)$interval]",
	    NO_STR
	    "Time between questions while there is no hub\n"
	    "Seconds, 5 by default\n")
{
	return hcd_cli_number(vty, "./retry-interval", no ? NULL : interval_str,
			      PRESET_RETRY);
}

DEFPY_YANG (edge_connect,
	    edge_connect_cmd,
	    "[no] connect-timeout ![(1-300)$timeout]",
	    NO_STR
	    "When a hub that hasn't taken this edge is given up\n"
	    "Seconds, 10 by default\n")
{
	return hcd_cli_number(vty, "./connect-timeout", no ? NULL : timeout_str,
			      PRESET_CONNECT);
}

DEFPY_YANG (edge_unreachable,
	    edge_unreachable_cmd,
	    "[no] unreachable-time ![(1-3600)$time]",
	    NO_STR
	    "How long a hub that failed is named to the gateways\n"
	    "Seconds, 30 by default\n")
{
	return hcd_cli_number(vty, "./unreachable-time", no ? NULL : time_str,
			      PRESET_UNREACHABLE);
}

DEFPY_YANG (edge_action,
	    edge_action_cmd,
	    "[no] tunnel action ![<route|command PATH$path>]",
	    NO_STR
	    TUNNEL_STR
	    ACTION_STR
	    "Nothing but the routes: tunnels to all hubs are there (default)\n"
	    "A command brings it up, and down when it is no longer wanted\n"
	    "Whole path of the command\n")
{
	if (!no && path && !hcd_cli_path_ok(vty, path))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./tunnel/command", no ? NULL : path);
}

void hcd_action_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	vty_out(vty, " tunnel action command %s\n",
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (edge_preestablish,
	    edge_preestablish_cmd,
	    "[no] tunnel preestablish",
	    NO_STR
	    TUNNEL_STR
	    "Keep sessions and tunnels to all hubs that are known\n")
{
	return cluster_vty_flag(vty, "./tunnel/preestablish", !no);
}

void hcd_preestablish_cli_write(struct vty *vty, const struct lyd_node *dnode,
				bool show_defaults)
{
	vty_out(vty, " tunnel preestablish\n");
}

DEFPY_YANG (edge_tunnel_vrf,
	    edge_tunnel_vrf_cmd,
	    "[no] tunnel vrf ![NAME$name]",
	    NO_STR
	    TUNNEL_STR
	    "VRF in which hubs are reached\n"
	    "Name of the VRF\n")
{
	return hcd_cli_vrf(vty, "./tunnel/vrf", no ? NULL : name);
}

void hcd_tunnel_vrf_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	vty_out(vty, " tunnel vrf %s\n", yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (edge_shutdown,
	    edge_shutdown_cmd,
	    "[no] shutdown",
	    NO_STR
	    "This node is no edge\n")
{
	return cluster_vty_flag(vty, "./shutdown", !no);
}

#ifndef VTYSH_EXTRACT_PL
static struct cmd_node edge_node = {
	.name = "cluster edge",
	.node = (enum node_type)CLUSTER_EDGE_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-edge)# ",
};
#endif

void hcd_edge_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&edge_node);
#endif
	install_element(CONFIG_NODE, &cluster_edge_cmd);
	install_element(CONFIG_NODE, &no_cluster_edge_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_cluster_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_tunnel_address_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_site_prefix_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_route_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_distance_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_metric_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_tag_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_vrf_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_gateway_cmd);
	install_element(CLUSTER_EDGE_NODE, &no_edge_gateway_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_sticky_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_retry_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_connect_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_unreachable_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_action_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_preestablish_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_tunnel_vrf_cmd);
	install_element(CLUSTER_EDGE_NODE, &edge_shutdown_cmd);
}
