// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands of the VIPs' configuration.
 *
 * What a line gets wrong by itself is refused here, where it is typed: at the
 * commit of a file it would cost all the lines committed with it.  For the
 * same reason the limits on the numbers of VIPs and members are refused when
 * somebody types, but become a state when a file is read.
 */
#include "cluster_compat.h"

#include "command.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "vip/vip_cli.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/vip_cli_clippy.c"
#endif

DEFPY_YANG_NOSH (cluster_vip,
		 cluster_vip_cmd,
		 "cluster vip NAME$name",
		 CLUSTER_STR
		 VIP_STR
		 VIP_NAME_STR)
{
	if (cluster_vty_typed(vty) && vips_count(&vips) >= VIP_MAX &&
	    cluster_name_valid(name) &&
	    !cluster_vty_candidate_has(vty, VIP_LIST_XPATH, name)) {
		vty_out(vty,
			"%% there are %zu VIPs already, more are not possible: give one more addresses, or remove one\n",
			vips_count(&vips));
		return CMD_WARNING_CONFIG_FAILED;
	}
	return cluster_vty_enter(vty, CLUSTER_VIP_NODE, VIP_LIST_XPATH, name);
}

DEFPY_YANG (no_cluster_vip,
	    no_cluster_vip_cmd,
	    "no cluster vip NAME$name",
	    NO_STR
	    CLUSTER_STR
	    VIP_STR
	    VIP_NAME_STR)
{
	return cluster_vty_delete(vty, VIP_LIST_XPATH, name);
}

void vip_cli_write(struct vty *vty, const struct lyd_node *dnode,
		   bool show_defaults)
{
	vty_out(vty, "!\ncluster vip %s\n",
		yang_dnode_get_string(dnode, "./name"));
}

void vip_cli_write_end(struct vty *vty, const struct lyd_node *dnode)
{
	vty_out(vty, "exit\n");
}

DEFPY_YANG (vip_vrf,
	    vip_vrf_cmd,
	    "[no] vrf ![NAME$name]",
	    NO_STR
	    "VRF of the addresses and the members\n"
	    "Name of the VRF\n")
{
	if (!no && !cluster_vty_vrf_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./vrf",
				no || strcmp(name, VIP_DEFAULT_VRF) == 0 ? NULL
									 : name);
}

DEFPY_YANG (vip_tag,
	    vip_tag_cmd,
	    "[no] tag ![(1-4294967295)]",
	    NO_STR
	    "Tag of the routes, for route-maps to match\n"
	    "Tag\n")
{
	return cluster_vty_leaf(vty, "./tag",
				no || tag == VIP_DEFAULT_TAG ? NULL : tag_str);
}

DEFPY_YANG (vip_metric,
	    vip_metric_cmd,
	    "[no] metric ![(0-4294967295)]",
	    NO_STR
	    "Metric of the routes\n"
	    "Metric\n")
{
	return cluster_vty_leaf(vty, "./metric",
				no || metric == VIP_DEFAULT_METRIC ? NULL
								   : metric_str);
}

DEFPY_YANG (vip_distance,
	    vip_distance_cmd,
	    "[no] distance ![(1-255)]",
	    NO_STR
	    "Administrative distance of the routes\n"
	    "Distance; 255 is never used\n")
{
	return cluster_vty_leaf(vty, "./distance",
				no || distance == VIP_DEFAULT_DISTANCE
					? NULL
					: distance_str);
}

DEFPY_YANG (vip_min_up,
	    vip_min_up_cmd,
	    "[no] min-up ![(1-256)]",
	    NO_STR
	    "Members of an address's family that have to be up for it to be announced\n"
	    "Number of members\n")
{
	return cluster_vty_leaf(vty, "./min-up",
				no || min_up == VIP_DEFAULT_MIN_UP ? NULL
								   : min_up_str);
}

DEFPY_YANG (vip_shutdown,
	    vip_shutdown_cmd,
	    "[no] shutdown",
	    NO_STR
	    "Drain the VIP, then don't announce it\n")
{
	return cluster_vty_leaf(vty, "./shutdown", no ? NULL : "true");
}

DEFPY_YANG (vip_local,
	    vip_local_cmd,
	    "[no] local",
	    NO_STR
	    "The service runs on this node, which delivers the addresses to itself; no members\n")
{
	return cluster_vty_leaf(vty, "./local", no ? NULL : "true");
}

DEFPY_YANG (vip_local_hold,
	    vip_local_hold_cmd,
	    "[no] local-hold ![(0-60000)]",
	    NO_STR
	    "How long this node still takes packets behind the withdrawal\n"
	    "Milliseconds\n")
{
	return cluster_vty_leaf(vty, "./local-hold",
				no || local_hold == VIP_DEFAULT_HOLD_MS
					? NULL
					: local_hold_str);
}

DEFPY_YANG (vip_probe,
	    vip_probe_cmd,
	    "[no] probe ![NAME$name]",
	    NO_STR
	    "Probe of every member that names none of its own, or of a local service\n"
	    "Name of the probe\n")
{
	if (!no && !probe_cli_name_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./probe", no ? NULL : name);
}

/*
 * The address as the configuration has it: in its canonical form, which also
 * keeps the XPath's quotes safe.
 */
static bool address_parse(struct vty *vty, const char *text,
			  const char *(*flaw_of)(const struct ipaddr *addr),
			  struct ipaddr *addr, char *canonical, size_t len)
{
	const char *flaw = "is not an address";

	if (str2ipaddr(text, addr) == 0)
		flaw = flaw_of(addr);
	if (flaw) {
		vty_out(vty,
			"%% %s %s: use the unicast address of a host that others can reach\n",
			text, flaw);
		return false;
	}
	ipaddr2str(addr, canonical, len);
	return true;
}

/* `entry` of the VIP that is being edited, in the candidate; or NULL. */
static const struct lyd_node *candidate_entry(const struct vty *vty,
					      const char *entry)
{
	char xpath[XPATH_MAXLEN + 128];

	snprintf(xpath, sizeof(xpath), "%s%s", VTY_CURR_XPATH, entry);
	return yang_dnode_get(vty->candidate_config->dnode, xpath);
}

static const struct lyd_node *candidate_member(const struct vty *vty,
					       const char *address)
{
	char entry[INET6_ADDRSTRLEN + 32];

	snprintf(entry, sizeof(entry), "/member[address='%s']", address);
	return candidate_entry(vty, entry);
}

/* Somebody types one more than a VIP can have. */
static bool too_many(struct vty *vty, const char *list, size_t max)
{
	const struct lyd_node *vip, *child;
	size_t n = 0;

	if (!cluster_vty_typed(vty))
		return false;
	/* NULL: another session has removed the VIP. */
	vip = candidate_entry(vty, "");
	if (vip)
		LY_LIST_FOR (lyd_child(vip), child)
			n += strcmp(child->schema->name, list) == 0;
	if (n < max)
		return false;
	vty_out(vty,
		"%% the VIP has %zu entries of `%s` already, more are not possible: use another VIP, or remove some\n",
		n, list);
	return true;
}

/* One attribute of a member: set if given, else gone. */
static void member_attribute(struct vty *vty, const struct lyd_node *member,
			     const char *name, const char *value)
{
	char xpath[32];
	bool there = member && yang_dnode_exists(member, name);

	snprintf(xpath, sizeof(xpath), "./%s", name);
	if (value)
		nb_cli_enqueue_change(vty, xpath, NB_OP_MODIFY, value);
	else if (there) {
		nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
		if (cluster_vty_typed(vty))
			vty_out(vty,
				"Note: the line replaces all attributes of the member: `%s %s` is gone\n",
				name, yang_dnode_get_string(member, "%s", name));
	}
}

static bool member_ok(struct vty *vty, const struct ipaddr *addr,
		      const char *address, const char *ifname)
{
	if (vip_is_link_local(addr) && !ifname) {
		vty_out(vty,
			"%% %s is a link-local address: add `interface IFNAME`\n",
			address);
		return false;
	}
	return !ifname || cluster_vty_ifname_ok(vty, ifname);
}

DEFPY_YANG (vip_member,
	    vip_member_cmd,
	    "member <A.B.C.D|X:X::X:X>$address [{interface IFNAME$ifname|weight (1-255)$weight|probe NAME$probe|drain$drain}]",
	    "Next hop of the routes\n"
	    "IPv4 address: serves the VIP's IPv4 addresses\n"
	    "IPv6 address: serves the VIP's IPv6 addresses\n"
	    "The next hop is on the link of an interface\n"
	    "Name of the interface\n"
	    "Share of the traffic in relation to the other members\n"
	    "Weight\n"
	    "Probe that checks the member\n"
	    "Name of the probe\n"
	    "No new traffic: as if it were down\n")
{
	char canonical[INET6_ADDRSTRLEN];
	const struct lyd_node *member;
	struct ipaddr addr;

	if (!cluster_vty_section_ok(vty) ||
	    !address_parse(vty, address_str, vip_member_flaw, &addr, canonical,
			   sizeof(canonical)) ||
	    !member_ok(vty, &addr, canonical, ifname) ||
	    (probe && !probe_cli_name_ok(vty, probe)))
		return CMD_WARNING_CONFIG_FAILED;

	member = candidate_member(vty, canonical);
	if (!member && too_many(vty, "member", VIP_MEMBERS_MAX))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, ".", NB_OP_CREATE, NULL);
	member_attribute(vty, member, "interface", ifname);
	member_attribute(vty, member, "weight",
			 weight == VIP_DEFAULT_WEIGHT ? NULL : weight_str);
	member_attribute(vty, member, "probe", probe);
	member_attribute(vty, member, "drain", drain ? "true" : NULL);
	return nb_cli_apply_changes(vty, "./member[address='%s']", canonical);
}

DEFPY_YANG (no_vip_member,
	    no_vip_member_cmd,
	    "no member <A.B.C.D|X:X::X:X>$address [{interface IFNAME$ifname|weight (1-255)$weight|probe NAME$probe|drain$drain}]",
	    NO_STR
	    "Next hop of the routes\n"
	    "IPv4 address\n"
	    "IPv6 address\n"
	    "The next hop is on the link of an interface\n"
	    "Name of the interface\n"
	    "Share of the traffic in relation to the other members\n"
	    "Weight\n"
	    "Probe that checks the member\n"
	    "Name of the probe\n"
	    "No new traffic: as if it were down\n")
{
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;

	if (!cluster_vty_section_ok(vty) ||
	    !address_parse(vty, address_str, vip_member_flaw, &addr, canonical,
			   sizeof(canonical)))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, ".", NB_OP_DESTROY, NULL);
	return nb_cli_apply_changes(vty, "./member[address='%s']", canonical);
}

void vip_member_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	vty_out(vty, " member %s", yang_dnode_get_string(dnode, "./address"));
	if (yang_dnode_exists(dnode, "./interface"))
		vty_out(vty, " interface %s",
			yang_dnode_get_string(dnode, "./interface"));
	if (yang_dnode_exists(dnode, "./weight"))
		vty_out(vty, " weight %s",
			yang_dnode_get_string(dnode, "./weight"));
	if (yang_dnode_exists(dnode, "./probe"))
		vty_out(vty, " probe %s",
			yang_dnode_get_string(dnode, "./probe"));
	if (yang_dnode_exists(dnode, "./drain") &&
	    yang_dnode_get_bool(dnode, "./drain"))
		vty_out(vty, " drain");
	vty_out(vty, "\n");
}

int vip_member_cli_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	return cluster_vty_address_cmp(lyd_child(a), lyd_child(b));
}

DEFPY_YANG (vip_address,
	    vip_address_cmd,
	    "[no] address <A.B.C.D|X:X::X:X>$address",
	    NO_STR
	    "Address to announce\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	char canonical[INET6_ADDRSTRLEN], entry[INET6_ADDRSTRLEN + 32];
	struct ipaddr addr;

	if (!cluster_vty_section_ok(vty) ||
	    !address_parse(vty, address_str, vip_address_flaw, &addr, canonical,
			   sizeof(canonical)))
		return CMD_WARNING_CONFIG_FAILED;
	snprintf(entry, sizeof(entry), "/address[.='%s']", canonical);
	if (!no && !candidate_entry(vty, entry) &&
	    too_many(vty, "address", VIP_ADDRESSES_MAX))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaflist(vty, "./address", no, canonical);
}

#ifndef VTYSH_EXTRACT_PL
static int vip_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, VIP_XPATH);
}

static struct cmd_node vip_node = {
	.name = "cluster vip",
	.node = (enum node_type)CLUSTER_VIP_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-vip)# ",
	.config_write = vip_config_write,
};
#endif

void vip_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&vip_node);
#endif
	install_element(CONFIG_NODE, &cluster_vip_cmd);
	install_element(CONFIG_NODE, &no_cluster_vip_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_vrf_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_tag_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_metric_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_distance_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_min_up_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_shutdown_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_local_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_local_hold_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_probe_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_member_cmd);
	install_element(CLUSTER_VIP_NODE, &no_vip_member_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_address_cmd);
	vip_attr_cli_init();
}
