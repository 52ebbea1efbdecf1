// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the commands of hub clustering share.
 *
 * A line that is wrong by itself is refused here, where it is typed: a list
 * that is full as well, since the model would refuse all that is committed
 * with it.
 */
#include "cluster_compat.h"

#include "command.h"

#include "hubcluster/hc_mgmt.h"
#include "track/track_decide.h"
#include "vip/vip_policy.h"
#include "vip/vip_reason.h"

const char *hcd_address_flaw(const char *text)
{
	struct ipaddr addr;

	return str2ipaddr(text, &addr) ? "is not an address"
				       : vip_address_flaw(&addr);
}

const char *hcd_prefix_flaw(const char *text)
{
	struct prefix p;

	if (!str2prefix(text, &p))
		return "is not a prefix";
	apply_mask(&p);
	return track_prefix_flaw(&p);
}

uint32_t hcd_community(const char *text)
{
	uint32_t community;
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	/* As the YANG module has it: more has needless zeros. */
	if (strlen(text) > HCD_COMMUNITY_LEN)
		return 0;
	if (isdigit((uint8_t)text[0]) && *end == '\0')
		return number <= UINT32_MAX ? number : 0;
	/* Names of well-known communities are none of a cluster's. */
	if (!strchr(text, ':') || !vip_community_parse(text, &community))
		return 0;
	return community;
}

bool hcd_cli_id(struct vty *vty, const char *what, const char *text,
		char canonical[CTL_ID_TEXT_LEN])
{
	struct ctl_id id;

	if (!ctl_id_parse(text, &id) || ctl_id_is_null(&id)) {
		cluster_vty_refuse(vty,
				   "%s is not the ID of a %s: `uuidgen` makes IDs, `show cluster control` shows those of nodes",
				   text, what);
		return false;
	}
	ctl_id_format(&id, canonical);
	return true;
}

int hcd_cli_id_leaf(struct vty *vty, const char *xpath, const char *what,
		    const char *text)
{
	char id[CTL_ID_TEXT_LEN];

	if (text && !hcd_cli_id(vty, what, text, id))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, xpath, text ? id : NULL);
}

int hcd_cli_number(struct vty *vty, const char *xpath, const char *value,
		   uint32_t preset)
{
	if (value && strtoul(value, NULL, 10) == preset)
		value = NULL;
	return cluster_vty_leaf(vty, xpath, value);
}

void hcd_cli_enqueue(struct vty *vty, const char *leaf, const char *value)
{
	char xpath[XPATH_MAXLEN];

	snprintf(xpath, sizeof(xpath), "%s/%s", VTY_CURR_XPATH, leaf);
	if (value || yang_dnode_exists(vty->candidate_config->dnode, xpath))
		nb_cli_enqueue_change(vty, xpath,
				      value ? NB_OP_MODIFY : NB_OP_DESTROY,
				      value);
}

bool hcd_cli_room(struct vty *vty, const char *list, const char *entry,
		  size_t max)
{
	const struct lyd_node *section, *child;
	size_t n = 0;

	section = yang_dnode_get(vty->candidate_config->dnode, VTY_CURR_XPATH);
	if (!section)
		return true; /* another session has removed it */
	LY_LIST_FOR (lyd_child(section), child) {
		if (strcmp(child->schema->name, list))
			continue;
		/* Of a list: its key. */
		if (!strcmp(lyd_get_value(lyd_child(child) ? lyd_child(child)
							   : child),
			    entry))
			return true;
		n++;
	}
	if (n < max)
		return true;
	cluster_vty_refuse(vty,
			   "there are %zu of `%s` already, more are not possible: remove one first",
			   n, list);
	return false;
}

int hcd_cli_entry(struct vty *vty, bool no, const char *list, const char *value,
		  size_t max)
{
	char xpath[64];

	if (!cluster_vty_section_ok(vty) ||
	    (!no && !hcd_cli_room(vty, list, value, max)))
		return CMD_WARNING_CONFIG_FAILED;
	snprintf(xpath, sizeof(xpath), "./%s", list);
	return cluster_vty_leaflist(vty, xpath, no, value);
}

int hcd_cli_address(struct vty *vty, bool no, const char *list,
		    const char *text, size_t max)
{
	const char *flaw = hcd_address_flaw(text);
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;

	if (flaw || str2ipaddr(text, &addr))
		return cluster_vty_refuse(
			vty,
			"%s %s: use the unicast address of a host that others can reach",
			text, flaw);
	return hcd_cli_entry(vty, no, list,
			     ipaddr2str(&addr, canonical, sizeof(canonical)),
			     max);
}

int hcd_cli_prefix(struct vty *vty, bool no, const char *list, const char *text,
		   size_t max)
{
	const char *flaw = hcd_prefix_flaw(text);
	char canonical[PREFIX_STRLEN];
	struct prefix p, masked;

	if (flaw || !str2prefix(text, &p))
		return cluster_vty_refuse(vty, "%s %s: it can't be routed",
					  text, flaw);
	masked = p;
	apply_mask(&masked);
	prefix2str(&masked, canonical, sizeof(canonical));
	if (!prefix_same(&p, &masked))
		return cluster_vty_refuse(vty,
					  "%s has bits behind its length: %s is the prefix",
					  text, canonical);
	return hcd_cli_entry(vty, no, list, canonical, max);
}

int hcd_cli_vrf(struct vty *vty, const char *xpath, const char *name)
{
	if (name && !cluster_vty_vrf_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, xpath,
				name && strcmp(name, HCD_DEFAULT_VRF) ? name
								      : NULL);
}

bool hcd_cli_word_ok(struct vty *vty, const char *what, const char *text,
		     size_t len)
{
	if (strlen(text) >= len) {
		cluster_vty_refuse(vty, "%s has at most %zu characters", what,
				   len - 1);
		return false;
	}
	for (const char *c = text; *c; c++)
		if (!isgraph((uint8_t)*c)) {
			cluster_vty_refuse(vty,
					   "%s has printable ASCII characters only",
					   what);
			return false;
		}
	return true;
}

bool hcd_cli_path_ok(struct vty *vty, const char *path)
{
	if (path[0] != '/') {
		cluster_vty_refuse(vty,
				   "a command is run without a shell: name it by its whole path, from '/' on");
		return false;
	}
	return hcd_cli_word_ok(vty, "the path of a command", path,
			       HCD_COMMAND_LEN);
}

void hcd_nested_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	vty_out(vty, " %s %s %s\n", dnode->schema->parent->name,
		dnode->schema->name, yang_dnode_get_string(dnode, NULL));
}

void hcd_cli_write_end(struct vty *vty, const struct lyd_node *dnode)
{
	vty_out(vty, "exit\n");
}

void hcd_cli_init(void)
{
	hcd_cluster_cli_init();
	hcd_hub_cli_init();
	hcd_edge_cli_init();
}
