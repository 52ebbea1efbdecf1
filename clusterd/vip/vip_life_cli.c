// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands for when a VIP comes and goes: drain, damping, slow start. */
#include "cluster_compat.h"

#include "command.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "vip/vip_cli.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/vip_life_cli_clippy.c"
#endif

#define DRAIN_STR                                                              \
	"Tell the neighbours to prefer others, then withdraw the VIP\n"
#define MSEC_STR "Milliseconds\n"

#define DRAIN_FILE_LEN 256 /* with the NUL */

/* A time in milliseconds; the default isn't kept. */
static int time_change(struct vty *vty, const char *xpath, const char *value,
		       int64_t default_us)
{
	if (value && strtoll(value, NULL, 10) * 1000 == default_us)
		value = NULL;
	return cluster_vty_leaf(vty, xpath, value);
}

DEFPY_YANG (vip_drain,
	    vip_drain_cmd,
	    "[no] drain",
	    NO_STR
	    DRAIN_STR)
{
	return cluster_vty_leaf(vty, "./drain", no ? NULL : "true");
}

/* The same from outside of the section: one line for a hurry, or a script. */
DEFPY_YANG (cluster_vip_drain,
	    cluster_vip_drain_cmd,
	    "[no] cluster vip NAME$name drain",
	    NO_STR
	    CLUSTER_STR
	    VIP_STR
	    VIP_NAME_STR
	    DRAIN_STR)
{
	char xpath[XPATH_MAXLEN];

	/* Only what is there: the path would make it otherwise. */
	if (!cluster_name_valid(name) ||
	    !cluster_vty_candidate_has(vty, VIP_LIST_XPATH, name)) {
		vty_out(vty, "%% VIP %s is not configured\n", name);
		return CMD_WARNING_CONFIG_FAILED;
	}
	snprintf(xpath, sizeof(xpath), VIP_LIST_XPATH "[name='%s']/drain", name);
	nb_cli_enqueue_change(vty, xpath, no ? NB_OP_DESTROY : NB_OP_MODIFY,
			      "true");
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (vip_drain_time,
	    vip_drain_time_cmd,
	    "[no] drain-time ![(0-3600000)$ms]",
	    NO_STR
	    "Time from telling the neighbours to the withdrawal\n"
	    MSEC_STR)
{
	return time_change(vty, "./drain-time", no ? NULL : ms_str,
			   vip_life_defaults.drain_us);
}

DEFPY_YANG (vip_drain_file,
	    vip_drain_file_cmd,
	    "[no] drain file ![PATH$path]",
	    NO_STR
	    DRAIN_STR
	    "While a file exists\n"
	    "Its absolute path, on a local file system\n")
{
	if (!no && (path[0] != '/' || strlen(path) >= DRAIN_FILE_LEN)) {
		vty_out(vty,
			"%% %s is not a path: begin with /, use at most %d characters\n",
			path, DRAIN_FILE_LEN - 1);
		return CMD_WARNING_CONFIG_FAILED;
	}
	return cluster_vty_leaf(vty, "./drain-file", no ? NULL : path);
}

void vip_drain_file_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	vty_out(vty, " drain file %s\n", yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (vip_drain_on_exit,
	    vip_drain_on_exit_cmd,
	    "[no] drain on-exit",
	    NO_STR
	    DRAIN_STR
	    "Before clusterd ends\n")
{
	return cluster_vty_leaf(vty, "./drain-on-exit", no ? NULL : "true");
}

void vip_drain_on_exit_cli_write(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults)
{
	vty_out(vty, " %sdrain on-exit\n",
		yang_dnode_get_bool(dnode, NULL) ? "" : "no ");
}

DEFPY_YANG (vip_fail_open,
	    vip_fail_open_cmd,
	    "[no] fail-open",
	    NO_STR
	    "Go on announcing when the probes of all members fail\n")
{
	return cluster_vty_leaf(vty, "./fail-open", no ? NULL : "true");
}

DEFPY_YANG (vip_hold_down,
	    vip_hold_down_cmd,
	    "[no] hold-down ![(0-3600000)$ms]",
	    NO_STR
	    "Time for which the VIP must be healthy before it is announced\n"
	    MSEC_STR)
{
	return time_change(vty, "./hold-down", no ? NULL : ms_str,
			   vip_life_defaults.damping.hold_down_us);
}

DEFPY_YANG (vip_flip_interval,
	    vip_flip_interval_cmd,
	    "[no] flip-interval ![(0-3600000)$ms]",
	    NO_STR
	    "Least time from a withdrawal to the next announcement\n"
	    MSEC_STR)
{
	return time_change(vty, "./flip-interval", no ? NULL : ms_str,
			   vip_life_defaults.damping.flip_us);
}

DEFPY_YANG (vip_slow_start,
	    vip_slow_start_cmd,
	    "[no] slow-start ![(0-86400000)$ms]",
	    NO_STR
	    "Time in which the weight grows to its full value after a recovery\n"
	    MSEC_STR)
{
	return time_change(vty, "./slow-start", no ? NULL : ms_str,
			   vip_life_defaults.damping.slow_start_us);
}

DEFPY_YANG (vip_also_probe,
	    vip_also_probe_cmd,
	    "[no] probe NAME$name also",
	    NO_STR
	    "Probe of every member that names none of its own\n"
	    "Name of the probe\n"
	    "In addition to others\n")
{
	if (!no && !probe_cli_name_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaflist(vty, "./also-probe", no, name);
}

void vip_also_probe_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	vty_out(vty, " probe %s also\n", yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (vip_probe_need,
	    vip_probe_need_cmd,
	    "[no] probe-need ![<all|any$any|(1-255)$number>]",
	    NO_STR
	    "Which of a member's probes have to pass\n"
	    "All of them\n"
	    "Any one of them\n"
	    "So many of them\n")
{
	const char *value = any ? "1" : number_str;

	return cluster_vty_leaf(vty, "./probe-need", no ? NULL : value);
}

void vip_probe_need_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	const char *need = yang_dnode_get_string(dnode, NULL);

	vty_out(vty, " probe-need %s\n", strcmp(need, "1") ? need : "any");
}

#define UPLINK_STR "Condition for announcing that isn't about the members\n"

DEFPY_YANG (vip_uplink_routes,
	    vip_uplink_routes_cmd,
	    "[no] uplink bgp-routes ![(1-1000)$number]",
	    NO_STR
	    UPLINK_STR
	    "BGP has brought routes into the VIP's VRF\n"
	    "Least number of routes\n")
{
	return cluster_vty_leaf(vty, "./uplink-bgp-routes",
				no ? NULL : number_str);
}

void vip_uplink_routes_cli_write(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults)
{
	vty_out(vty, " uplink bgp-routes %s\n",
		yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (vip_uplink_probe,
	    vip_uplink_probe_cmd,
	    "[no] uplink probe ![NAME$name]",
	    NO_STR
	    UPLINK_STR
	    "A probe with a target of its own is up\n"
	    "Name of the probe\n")
{
	if (!no && !probe_cli_name_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return cluster_vty_leaf(vty, "./uplink-probe", no ? NULL : name);
}

void vip_uplink_probe_cli_write(struct vty *vty, const struct lyd_node *dnode,
				bool show_defaults)
{
	vty_out(vty, " uplink probe %s\n", yang_dnode_get_string(dnode, NULL));
}

static const char *const damping_leaves[] = {
	"penalty", "half-life", "suppress", "reuse", "max-time",
};

/* One leaf of damping: set if given and not the default, else gone. */
static void damping_leaf(struct vty *vty, size_t i, const char *value,
			 int64_t preset)
{
	char xpath[32];

	snprintf(xpath, sizeof(xpath), "./damping-%s", damping_leaves[i]);
	if (value && strtoll(value, NULL, 10) == preset)
		value = NULL;
	nb_cli_enqueue_change(vty, xpath, value ? NB_OP_MODIFY : NB_OP_DESTROY,
			      value);
}

DEFPY_YANG (vip_damping,
	    vip_damping_cmd,
	    "damping <off$off|{penalty (1-1000000)$penalty|half-life (1000-3600000)$half_life|suppress (1-1000000)$suppress|reuse (1-1000000)$reuse|max-time (1000-86400000)$max_time}>",
	    "Hold back what goes up and down all the time\n"
	    "No penalties\n"
	    "Penalty of going down once\n"
	    "Penalty\n"
	    "Time in which the penalty falls to its half\n"
	    MSEC_STR
	    "Penalty from which on the VIP is held back\n"
	    "Penalty\n"
	    "Penalty below which the VIP is announced again\n"
	    "Penalty\n"
	    "Longest time to be held back after the last failure\n"
	    MSEC_STR)
{
	const struct vip_damping_config *preset = &vip_life_defaults.damping;
	long over = suppress ? suppress : preset->suppress;
	long under = reuse ? reuse : preset->reuse;

	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (under >= over) {
		vty_out(vty, "%% reuse (%ld) must be less than suppress (%ld)\n",
			under, over);
		return CMD_WARNING_CONFIG_FAILED;
	}
	nb_cli_enqueue_change(vty, "./damping-off",
			      off ? NB_OP_MODIFY : NB_OP_DESTROY, "true");
	damping_leaf(vty, 0, penalty_str, preset->penalty);
	damping_leaf(vty, 1, half_life_str, preset->half_life_us / 1000);
	damping_leaf(vty, 2, suppress_str, preset->suppress);
	damping_leaf(vty, 3, reuse_str, preset->reuse);
	damping_leaf(vty, 4, max_time_str, preset->max_us / 1000);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (no_vip_damping,
	    no_vip_damping_cmd,
	    "no damping [<off|{penalty (1-1000000)|half-life (1000-3600000)|suppress (1-1000000)|reuse (1-1000000)|max-time (1000-86400000)}>]",
	    NO_STR
	    "Hold back what goes up and down all the time\n"
	    "No penalties\n"
	    "Penalty of going down once\n"
	    "Penalty\n"
	    "Time in which the penalty falls to its half\n"
	    MSEC_STR
	    "Penalty from which on the VIP is held back\n"
	    "Penalty\n"
	    "Penalty below which the VIP is announced again\n"
	    "Penalty\n"
	    "Longest time to be held back after the last failure\n"
	    MSEC_STR)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, "./damping-off", NB_OP_DESTROY, NULL);
	for (size_t i = 0; i < array_size(damping_leaves); i++)
		damping_leaf(vty, i, NULL, 0);
	if (argc == 2 && cluster_vty_typed(vty))
		vty_out(vty,
			"Note: damping is as it is by default again; `damping off` ends it\n");
	return nb_cli_apply_changes(vty, NULL);
}

/* One line for several leaves, from the first of them that is there. */
void vip_damping_cli_write(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults)
{
	const struct lyd_node *vip = lyd_parent(dnode);
	const char *first = NULL;
	char leaf[32], line[160] = "";

	if (yang_dnode_exists(vip, "./damping-off") &&
	    yang_dnode_get_bool(vip, "./damping-off")) {
		if (strcmp(dnode->schema->name, "damping-off") == 0)
			vty_out(vty, " damping off\n");
		return;
	}
	for (size_t i = 0; i < array_size(damping_leaves); i++) {
		snprintf(leaf, sizeof(leaf), "damping-%s", damping_leaves[i]);
		if (!yang_dnode_exists(vip, leaf))
			continue;
		if (!first) {
			first = damping_leaves[i];
			if (strcmp(dnode->schema->name, leaf))
				return;
		}
		csnprintfrr(line, sizeof(line), " %s %s", damping_leaves[i],
			    yang_dnode_get_string(vip, "%s", leaf));
	}
	if (first)
		vty_out(vty, " damping%s\n", line);
}

DEFPY (clear_cluster_vip_damping,
       clear_cluster_vip_damping_cmd,
       "clear cluster vip [NAME$name] damping",
       CLEAR_STR
       CLUSTER_STR
       VIP_STR
       VIP_NAME_STR
       "Forget how often it went down, and when: what is healthy is announced\n")
{
	struct vip *vip = name ? vip_find(name) : NULL;

	if (name && !vip) {
		vty_out(vty, "%% VIP %s is not configured\n", name);
		return CMD_WARNING;
	}
	if (vip) {
		vip_damping_forget(vip);
		return CMD_SUCCESS;
	}
	frr_each (vips, &vips, vip)
		vip_damping_forget(vip);
	return CMD_SUCCESS;
}

void vip_life_cli_init(void)
{
	install_element(CONFIG_NODE, &cluster_vip_drain_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_drain_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_drain_time_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_drain_file_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_drain_on_exit_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_fail_open_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_hold_down_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_flip_interval_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_slow_start_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_also_probe_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_probe_need_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_uplink_routes_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_uplink_probe_cmd);
	install_element(CLUSTER_VIP_NODE, &vip_damping_cmd);
	install_element(CLUSTER_VIP_NODE, &no_vip_damping_cmd);
	install_element(ENABLE_NODE, &clear_cluster_vip_damping_cmd);
}
