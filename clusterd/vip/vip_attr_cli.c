// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the attributes that a VIP is announced with. */
#include "cluster_compat.h"

#include "command.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "vip/vip_cli.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/vip_attr_cli_clippy.c"
#endif

/* Whether a leaf-list of the VIP that is being edited takes `value`. */
static bool list_full(struct vty *vty, const char *list, const char *value)
{
	const struct lyd_node *vip, *child;
	size_t n = 0;

	vip = yang_dnode_get(vty->candidate_config->dnode, VTY_CURR_XPATH);
	/* NULL: another session has removed the VIP. */
	if (!vip)
		return false;
	LY_LIST_FOR (lyd_child(vip), child) {
		if (strcmp(child->schema->name, list) != 0)
			continue;
		if (strcmp(lyd_get_value(child), value) == 0)
			return false;
		n++;
	}
	if (n < VIP_COMMUNITIES_MAX)
		return false;
	vty_out(vty, "%% the VIP has %zu entries of `%s` already: remove some\n",
		n, list);
	return true;
}

static int list_change(struct vty *vty, const char *list, bool remove,
		       const char *value)
{
	char xpath[32];

	if (!remove && list_full(vty, list, value))
		return CMD_WARNING_CONFIG_FAILED;
	snprintf(xpath, sizeof(xpath), "./%s", list);
	return cluster_vty_leaflist(vty, xpath, remove, value);
}

DEFPY_YANG (vip_community,
	    vip_community_cmd,
	    "[no] community COMMUNITY$value",
	    NO_STR
	    "BGP community of the announcements\n"
	    "AA:NN or a well-known name: no-export, no-advertise, local-AS, no-peer, blackhole, graceful-shutdown, accept-own, llgr-stale, no-llgr\n")
{
	char text[VIP_COMMUNITY_LEN];
	uint32_t community;

	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (!vip_community_parse(value, &community)) {
		vty_out(vty,
			"%% %s is not a community: use AA:NN, each 0 to 65535 and not both 0, or a well-known name such as no-export\n",
			value);
		return CMD_WARNING_CONFIG_FAILED;
	}
	return list_change(vty, "community", no,
			   vip_community_text(community, text, sizeof(text)));
}

int vip_community_cli_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	uint32_t community_a = 0, community_b = 0;

	(void)vip_community_parse(lyd_get_value(a), &community_a);
	(void)vip_community_parse(lyd_get_value(b), &community_b);
	return numcmp(community_a, community_b);
}

DEFPY_YANG (vip_large_community,
	    vip_large_community_cmd,
	    "[no] large-community COMMUNITY$value",
	    NO_STR
	    "BGP large community of the announcements\n"
	    "A:B:C, each 0 to 4294967295\n")
{
	char text[VIP_LARGE_COMMUNITY_LEN];
	struct vip_large_community community;

	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (!vip_large_community_parse(value, &community)) {
		vty_out(vty,
			"%% %s is not a large community: use A:B:C, each 0 to 4294967295\n",
			value);
		return CMD_WARNING_CONFIG_FAILED;
	}
	vip_large_community_text(&community, text, sizeof(text));
	return list_change(vty, "large-community", no, text);
}

int vip_large_community_cli_cmp(const struct lyd_node *a,
				const struct lyd_node *b)
{
	struct vip_large_community x = {}, y = {};

	(void)vip_large_community_parse(lyd_get_value(a), &x);
	(void)vip_large_community_parse(lyd_get_value(b), &y);
	if (x.global != y.global)
		return numcmp(x.global, y.global);
	if (x.local1 != y.local1)
		return numcmp(x.local1, y.local1);
	return numcmp(x.local2, y.local2);
}

DEFPY_YANG (vip_local_preference,
	    vip_local_preference_cmd,
	    "[no] local-preference ![(0-4294967295)$preference]",
	    NO_STR
	    "BGP local preference of the announcements, seen by iBGP neighbours\n"
	    "Local preference\n")
{
	return cluster_vty_leaf(vty, "./local-preference",
				no ? NULL : preference_str);
}

DEFPY_YANG (vip_link_bandwidth,
	    vip_link_bandwidth_cmd,
	    "[no] link-bandwidth ![(1-25600)$bandwidth]",
	    NO_STR
	    "BGP link bandwidth extended community of the announcements\n"
	    "Mbit/s\n")
{
	return cluster_vty_leaf(vty, "./link-bandwidth",
				no ? NULL : bandwidth_str);
}

DEFPY_YANG (vip_drain_tag,
	    vip_drain_tag_cmd,
	    "[no] drain-tag ![(1-4294967295)$tag]",
	    NO_STR
	    "Tag of the routes while the VIP drains, for route-maps to match\n"
	    "Tag\n")
{
	return cluster_vty_leaf(vty, "./drain-tag",
				no || tag == VIP_DEFAULT_DRAIN_TAG ? NULL
								   : tag_str);
}

void vip_attr_cli_init(void)
{
	install_element(CLUSTER_VIP_NODE, &vip_community_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_large_community_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_local_preference_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_link_bandwidth_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_drain_tag_cmd);
}
