// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of `cluster bgp`: the route-maps that are kept, and next hops. */
#include "cluster_compat.h"

#include "command.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "vip/bgp_nb.h"
#include "vip/bgp_policy.h"
#include "vip/vip_cli.h"
#include "vip/vip_reason.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/bgp_cli_clippy.c"
#endif

#define BGP_CLI_STR "How the routes of VIPs get their attributes in bgpd\n"
#define MAP_STR                                                                \
	"Keep a route-map of bgpd, for `redistribute`\n"                       \
	"Name of the route-map: CLUSTERD- and something\n"
#define NEXT_HOP_STR "BGP next hop of the routes\n"
#define VRF_CLI_STR  "VRF of the BGP instance\nName of the VRF\n"

#define DEFAULT_VRF "default"

/* Changes a leaf of a VRF; NULL: it goes. */
static int leaf_change(struct vty *vty, const char *vrf, const char *leaf,
		       const char *value)
{
	char xpath[XPATH_MAXLEN];

	snprintf(xpath, sizeof(xpath), BGP_XPATH "/vrf[name='%s']/%s",
		 vrf ? vrf : DEFAULT_VRF, leaf);
	nb_cli_enqueue_change(vty, xpath, value ? NB_OP_MODIFY : NB_OP_DESTROY,
			      value);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (cluster_bgp_route_map,
	    cluster_bgp_route_map_cmd,
	    "cluster bgp route-map NAME$name [vrf NAME$vrf]",
	    CLUSTER_STR
	    BGP_CLI_STR
	    MAP_STR
	    VRF_CLI_STR)
{
	if (vrf && !cluster_vty_vrf_ok(vty, vrf))
		return CMD_WARNING_CONFIG_FAILED;
	if (!bgp_map_name_valid(name)) {
		vty_out(vty,
			"%% %s: the name has to begin with " BGP_MAP_PREFIX
			" and go on with letters, digits and . _ - (%d characters in all): maps of that name are clusterd's\n",
			name, BGP_MAP_NAME_LEN - 1);
		return CMD_WARNING_CONFIG_FAILED;
	}
	return leaf_change(vty, vrf, "route-map", name);
}

DEFPY_YANG (no_cluster_bgp_route_map,
	    no_cluster_bgp_route_map_cmd,
	    "no cluster bgp route-map [NAME$name] [vrf NAME$vrf]",
	    NO_STR
	    CLUSTER_STR
	    BGP_CLI_STR
	    MAP_STR
	    VRF_CLI_STR)
{
	if (vrf && !cluster_vty_vrf_ok(vty, vrf))
		return CMD_WARNING_CONFIG_FAILED;
	return leaf_change(vty, vrf, "route-map", NULL);
}

/* Somebody types the address of another machine: traffic would go there. */
static bool local_ok(struct vty *vty, const char *vrf,
		     const struct ipaddr *addr, const char *text)
{
	if (!cluster_vty_typed(vty) || !cluster_zebra_connected() ||
	    cluster_zebra_address_owner(vrf ? vrf : DEFAULT_VRF, addr))
		return true;
	vty_out(vty,
		"%% %s is not an address of this node%s%s: the neighbours would send the traffic elsewhere\n",
		text, vrf ? " in VRF " : "", vrf ? vrf : "");
	return false;
}

DEFPY_YANG (cluster_bgp_next_hop,
	    cluster_bgp_next_hop_cmd,
	    "cluster bgp next-hop <A.B.C.D|X:X::X:X>$address [vrf NAME$vrf]",
	    CLUSTER_STR
	    BGP_CLI_STR
	    NEXT_HOP_STR
	    "Address of this node, for IPv4 routes\n"
	    "Address of this node, for IPv6 routes\n"
	    VRF_CLI_STR)
{
	const char *flaw = "is not an address";
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;

	if (vrf && !cluster_vty_vrf_ok(vty, vrf))
		return CMD_WARNING_CONFIG_FAILED;
	if (str2ipaddr(address_str, &addr) == 0)
		flaw = vip_address_flaw(&addr);
	if (flaw) {
		vty_out(vty, "%% %s %s: use an address of this node\n",
			address_str, flaw);
		return CMD_WARNING_CONFIG_FAILED;
	}
	if (!local_ok(vty, vrf, &addr, address_str))
		return CMD_WARNING_CONFIG_FAILED;
	ipaddr2str(&addr, canonical, sizeof(canonical));
	return leaf_change(vty, vrf,
			   IS_IPADDR_V4(&addr) ? "next-hop-ipv4"
					       : "next-hop-ipv6",
			   canonical);
}

DEFPY_YANG (no_cluster_bgp_next_hop,
	    no_cluster_bgp_next_hop_cmd,
	    "no cluster bgp next-hop <A.B.C.D|X:X::X:X>$address [vrf NAME$vrf]",
	    NO_STR
	    CLUSTER_STR
	    BGP_CLI_STR
	    NEXT_HOP_STR
	    "Address of this node, for IPv4 routes\n"
	    "Address of this node, for IPv6 routes\n"
	    VRF_CLI_STR)
{
	if (vrf && !cluster_vty_vrf_ok(vty, vrf))
		return CMD_WARNING_CONFIG_FAILED;
	return leaf_change(vty, vrf,
			   strchr(address_str, ':') ? "next-hop-ipv6"
						    : "next-hop-ipv4",
			   NULL);
}

DEFPY_YANG (cluster_bgp_next_hop_unchanged,
	    cluster_bgp_next_hop_unchanged_cmd,
	    "[no] cluster bgp next-hop unchanged [vrf NAME$vrf]",
	    NO_STR
	    CLUSTER_STR
	    BGP_CLI_STR
	    NEXT_HOP_STR
	    "Leave it to bgpd, which takes the first member of a VIP\n"
	    VRF_CLI_STR)
{
	if (vrf && !cluster_vty_vrf_ok(vty, vrf))
		return CMD_WARNING_CONFIG_FAILED;
	return leaf_change(vty, vrf, "next-hop-unchanged", no ? NULL : "true");
}

static void vrf_cli_write(struct vty *vty, const struct lyd_node *dnode)
{
	const char *vrf = yang_dnode_get_string(dnode, "../name");

	if (strcmp(vrf, DEFAULT_VRF) != 0)
		vty_out(vty, " vrf %s", vrf);
	vty_out(vty, "\n");
}

void bgp_route_map_cli_write(struct vty *vty, const struct lyd_node *dnode,
			     bool show_defaults)
{
	vty_out(vty, "cluster bgp route-map %s",
		yang_dnode_get_string(dnode, NULL));
	vrf_cli_write(vty, dnode);
}

void bgp_next_hop_cli_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, "cluster bgp next-hop %s",
		yang_dnode_get_string(dnode, NULL));
	vrf_cli_write(vty, dnode);
}

void bgp_unchanged_cli_write(struct vty *vty, const struct lyd_node *dnode,
			     bool show_defaults)
{
	vty_out(vty, "%scluster bgp next-hop unchanged",
		yang_dnode_get_bool(dnode, NULL) ? "" : "no ");
	vrf_cli_write(vty, dnode);
}

#ifndef VTYSH_EXTRACT_PL
static int bgp_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, BGP_XPATH);
}

/* Nobody enters it: it writes the lines above. */
static struct cmd_node bgp_node = {
	.name = "cluster bgp",
	.node = (enum node_type)CLUSTER_BGP_NODE,
	.prompt = "",
	.config_write = bgp_config_write,
};
#endif

void bgp_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	install_node(&bgp_node);
#endif
	install_element(CONFIG_NODE, &cluster_bgp_route_map_cmd);
	install_element(CONFIG_NODE, &no_cluster_bgp_route_map_cmd);
	install_element(CONFIG_NODE, &cluster_bgp_next_hop_cmd);
	install_element(CONFIG_NODE, &no_cluster_bgp_next_hop_cmd);
	install_element(CONFIG_NODE, &cluster_bgp_next_hop_unchanged_cmd);
}
