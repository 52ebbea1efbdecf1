// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the tracks' configuration. */
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "track/track_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/track/track_cli_clippy.c"
#endif

#define TRACK_STR      "Routes whose next hops follow probes\n"
#define TRACK_NAME_STR "Name of the track\n"
#define PROBE_NAME_STR "Name of the probe\n"
#define DOWN_STR       "The routes stay when all next hops are down, but are worse\n"
#define LAST_RESORT_STR                                                        \
	"What becomes of the routes when all next hops are down\n"
#define HOP_STR	       "Next hop of the routes\n"
#define HOP_V4_STR     "IPv4 address: of the IPv4 prefixes\n"
#define HOP_V6_STR     "IPv6 address: of the IPv6 prefixes\n"
#define HOP_IFNAME_STR "The next hop is on the link of an interface\n"
#define HOP_PREFER_STR                                                         \
	"Of the next hops that are up, those with the highest are used\n"
#define HOP_PROBE_STR "Probe of this next hop, instead of the track's\n"
#define HOP_GATEWAY_STR                                                        \
	"The next hop is up while a gateway says that it reaches the routes\n" \
	"Logical ID of the gateway\n"                                          \
	"Track of the gateway, if its name isn't that of this track\n" TRACK_NAME_STR

DEFPY_YANG_NOSH (cluster_track,
		 cluster_track_cmd,
		 "cluster track NAME$name",
		 CLUSTER_STR
		 TRACK_STR
		 TRACK_NAME_STR)
{
	return cluster_vty_enter(vty, CLUSTER_TRACK_NODE, TRACK_LIST_XPATH,
				 name);
}

DEFPY_YANG (no_cluster_track,
	    no_cluster_track_cmd,
	    "no cluster track NAME$name",
	    NO_STR
	    CLUSTER_STR
	    TRACK_STR
	    TRACK_NAME_STR)
{
	return cluster_vty_delete(vty, TRACK_LIST_XPATH, name);
}

void track_entry_cli_write(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults)
{
	vty_out(vty, "!\ncluster track %s\n",
		yang_dnode_get_string(dnode, "./name"));
}

void track_entry_cli_write_end(struct vty *vty, const struct lyd_node *dnode)
{
	vty_out(vty, "exit\n");
}

DEFPY_YANG (track_vrf,
	    track_vrf_cmd,
	    "[no] vrf ![NAME$name]",
	    NO_STR
	    "VRF of routes, next hops and probes\n"
	    "Name of the VRF\n")
{
	if (!no && !cluster_vty_vrf_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./vrf",
				no || !strcmp(name, TRACK_DEFAULT_VRF) ? NULL
								       : name);
}

DEFPY_YANG (track_probe,
	    track_probe_cmd,
	    "[no] probe ![NAME$name]",
	    NO_STR
	    "Probe of the next hops that have none of their own\n"
	    PROBE_NAME_STR)
{
	if (!no && !probe_cli_name_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./probe", no ? NULL : name);
}

DEFPY_YANG (track_tag,
	    track_tag_cmd,
	    "[no] tag ![(1-4294967295)$tag]",
	    NO_STR
	    "Tag of the routes, for route-maps to match\n"
	    "Tag, 87 by default\n")
{
	return cluster_vty_leaf(vty, "./tag",
				no || tag == TRACK_DEFAULT_TAG ? NULL : tag_str);
}

DEFPY_YANG (track_metric,
	    track_metric_cmd,
	    "[no] metric ![(0-4294967295)$metric]",
	    NO_STR
	    "Metric of the routes\n"
	    "Metric, 0 by default\n")
{
	return cluster_vty_leaf(vty, "./metric",
				no || metric == 0 ? NULL : metric_str);
}

DEFPY_YANG (track_distance,
	    track_distance_cmd,
	    "[no] distance ![(1-254)$distance]",
	    NO_STR
	    "Administrative distance of the routes\n"
	    "Distance, 1 by default\n")
{
	return cluster_vty_leaf(vty, "./distance",
				no || distance == TRACK_DEFAULT_DISTANCE
					? NULL
					: distance_str);
}

DEFPY_YANG (track_down_metric,
	    track_down_metric_cmd,
	    "[no] down metric ![(1-4294967295)$metric]",
	    NO_STR
	    DOWN_STR
	    "By their metric\n"
	    "Metric when down\n")
{
	return cluster_vty_leaf(vty, "./down/metric", no ? NULL : metric_str);
}

DEFPY_YANG (track_down_distance,
	    track_down_distance_cmd,
	    "[no] down distance ![(1-254)$distance]",
	    NO_STR
	    DOWN_STR
	    "By their administrative distance\n"
	    "Distance when down\n")
{
	return cluster_vty_leaf(vty, "./down/distance",
				no ? NULL : distance_str);
}

void track_down_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	vty_out(vty, " down %s %s\n", dnode->schema->name,
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (track_last_resort,
	    track_last_resort_cmd,
	    "[no] last-resort keep",
	    NO_STR
	    LAST_RESORT_STR
	    "They stay as they are\n")
{
	return cluster_vty_flag(vty, "./last-resort-keep", !no);
}

void track_last_resort_cli_write(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults)
{
	vty_out(vty, " last-resort keep\n");
}

DEFPY_YANG (track_announce,
	    track_announce_cmd,
	    "[no] announce edges",
	    NO_STR
	    "Other nodes are told whether the routes can be used\n"
	    "All nodes that have a session of the control protocol\n")
{
	return cluster_vty_flag(vty, "./announce-edges", !no);
}

void track_announce_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	vty_out(vty, " announce edges\n");
}

DEFPY_YANG (track_shutdown,
	    track_shutdown_cmd,
	    "[no] shutdown",
	    NO_STR
	    "No routes, and no probes for them\n")
{
	return cluster_vty_flag(vty, "./shutdown", !no);
}

/* ---- next hops ---- */

/* The relative xpath of an entry; false: refused, and said why. */
static bool hop_xpath(struct vty *vty, const char *address, const char *ifname,
		      char *xpath, size_t len)
{
	char canonical[INET6_ADDRSTRLEN];
	const char *flaw = "is not an address";
	struct ipaddr gate;

	if (!cluster_vty_section_ok(vty))
		return false;
	if (!str2ipaddr(address, &gate))
		flaw = track_gate_flaw(&gate);
	if (flaw) {
		vty_out(vty, "%% %s %s: use the unicast address of a router\n",
			address, flaw);
		return false;
	}
	if (IS_IPADDR_V6(&gate) && IN6_IS_ADDR_LINKLOCAL(&gate.ipaddr_v6) &&
	    !ifname) {
		vty_out(vty,
			"%% %s is a link-local address: add `interface IFNAME`\n",
			address);
		return false;
	}
	if (ifname && !cluster_vty_ifname_ok(vty, ifname))
		return false;
	ipaddr2str(&gate, canonical, sizeof(canonical));
	snprintf(xpath, len, "./next-hop[address='%s'][interface='%s']",
		 canonical, ifname ? ifname : "");
	return true;
}

static void hop_attribute(struct vty *vty, const char *entry, const char *name,
			  const char *value)
{
	char xpath[XPATH_MAXLEN];

	snprintf(xpath, sizeof(xpath), "%s/%s", entry, name);
	if (value) {
		nb_cli_enqueue_change(vty, xpath, NB_OP_MODIFY, value);
		return;
	}
	/* 8.4 logs the removal of what isn't there. */
	snprintf(xpath, sizeof(xpath), "%s%s/%s", VTY_CURR_XPATH, entry + 1,
		 name);
	if (yang_dnode_exists(vty->candidate_config->dnode, xpath)) {
		snprintf(xpath, sizeof(xpath), "%s/%s", entry, name);
		nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
	}
}

/* `id` becomes the gateway's in the form that is stored, if there is one. */
static bool gateway_ok(struct vty *vty, const char *gateway, const char *track,
		       char id[CTL_ID_TEXT_LEN])
{
	struct ctl_id parsed;

	if (gateway && !ctl_id_parse(gateway, &parsed)) {
		vty_out(vty,
			"%% %s is not a logical ID: take it from `show cluster control` at the gateway\n",
			gateway);
		return false;
	}
	if (gateway)
		ctl_id_format(&parsed, id);
	if (track && !gateway) {
		vty_out(vty,
			"%% gateway-track needs a gateway: add `gateway UUID`\n");
		return false;
	}
	return !track || cluster_vty_name_ok(vty, "track", track);
}

DEFPY_YANG (track_next_hop,
	    track_next_hop_cmd,
	    "next-hop <A.B.C.D|X:X::X:X>$address [{interface IFNAME$ifname|preference (1-65535)$preference|probe NAME$probe|gateway UUID$gateway|gateway-track NAME$gateway_track}]",
	    HOP_STR
	    HOP_V4_STR
	    HOP_V6_STR
	    HOP_IFNAME_STR
	    "Name of the interface\n"
	    HOP_PREFER_STR
	    "Preference, 100 by default\n"
	    HOP_PROBE_STR
	    PROBE_NAME_STR
	    HOP_GATEWAY_STR)
{
	char xpath[XPATH_MAXLEN / 2], id[CTL_ID_TEXT_LEN];

	if (!hop_xpath(vty, address_str, ifname, xpath, sizeof(xpath)) ||
	    (probe && !probe_cli_name_ok(vty, probe)) ||
	    !gateway_ok(vty, gateway, gateway_track, id))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath, NB_OP_CREATE, NULL);
	hop_attribute(vty, xpath, "preference",
		      preference == TRACK_PREFERENCE ? NULL : preference_str);
	hop_attribute(vty, xpath, "probe", probe);
	hop_attribute(vty, xpath, "gateway", gateway ? id : NULL);
	hop_attribute(vty, xpath, "gateway-track", gateway_track);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (no_track_next_hop,
	    no_track_next_hop_cmd,
	    "no next-hop <A.B.C.D|X:X::X:X>$address [{interface IFNAME$ifname|preference (1-65535)$preference|probe NAME$probe|gateway UUID$gateway|gateway-track NAME$gateway_track}]",
	    NO_STR
	    HOP_STR
	    HOP_V4_STR
	    HOP_V6_STR
	    HOP_IFNAME_STR
	    "Name of the interface\n"
	    HOP_PREFER_STR
	    "Preference\n"
	    HOP_PROBE_STR
	    PROBE_NAME_STR
	    HOP_GATEWAY_STR)
{
	char xpath[XPATH_MAXLEN / 2];

	if (!hop_xpath(vty, address_str, ifname, xpath, sizeof(xpath)))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void track_hop_cli_write(struct vty *vty, const struct lyd_node *dnode,
			 bool show_defaults)
{
	const char *ifname = yang_dnode_get_string(dnode, "./interface");

	vty_out(vty, " next-hop %s", yang_dnode_get_string(dnode, "./address"));
	if (ifname[0])
		vty_out(vty, " interface %s", ifname);
	if (yang_dnode_exists(dnode, "./preference"))
		vty_out(vty, " preference %s",
			yang_dnode_get_string(dnode, "./preference"));
	if (yang_dnode_exists(dnode, "./probe"))
		vty_out(vty, " probe %s",
			yang_dnode_get_string(dnode, "./probe"));
	if (yang_dnode_exists(dnode, "./gateway"))
		vty_out(vty, " gateway %s",
			yang_dnode_get_string(dnode, "./gateway"));
	if (yang_dnode_exists(dnode, "./gateway-track"))
		vty_out(vty, " gateway-track %s",
			yang_dnode_get_string(dnode, "./gateway-track"));
	vty_out(vty, "\n");
}

/* ---- prefixes ---- */

DEFPY_YANG (track_route,
	    track_route_cmd,
	    "[no] route <A.B.C.D/M|X:X::X:X/M>$prefix",
	    NO_STR
	    "Route that follows the probes\n"
	    "IPv4 prefix\n"
	    "IPv6 prefix\n")
{
	const char *flaw = "is not a prefix";
	char canonical[PREFIX_STRLEN];
	struct prefix p;

	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (str2prefix(prefix_str, &p)) {
		apply_mask(&p);
		flaw = track_prefix_flaw(&p);
	}
	if (flaw) {
		vty_out(vty, "%% %s %s: it can't be routed\n", prefix_str, flaw);
		return CMD_WARNING_CONFIG_FAILED;
	}
	prefix2str(&p, canonical, sizeof(canonical));
	return cluster_vty_leaflist(vty, "./route", no, canonical);
}

void track_route_cli_write(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults)
{
	vty_out(vty, " route %s\n", yang_dnode_get_string(dnode, NULL));
}

#ifndef VTYSH_EXTRACT_PL
static int track_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, TRACK_XPATH);
}

static struct cmd_node track_node = {
	.name = "cluster track",
	.node = (enum node_type)CLUSTER_TRACK_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-track)# ",
	.config_write = track_config_write,
};
#endif

void track_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&track_node);
#endif
	install_element(CONFIG_NODE, &cluster_track_cmd);
	install_element(CONFIG_NODE, &no_cluster_track_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_vrf_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_probe_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_tag_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_metric_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_distance_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_down_metric_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_down_distance_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_last_resort_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_announce_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_shutdown_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_next_hop_cmd);
	install_element(CLUSTER_TRACK_NODE, &no_track_next_hop_cmd);
	install_element(CLUSTER_TRACK_NODE, &track_route_cmd);
}
