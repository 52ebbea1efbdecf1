// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the clusters that this node is a gateway of; `cluster move`. */
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "hubcluster/hc_mgmt.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/hubcluster/hc_cluster_cli_clippy.c"
#endif

#define HUB_CLUSTER_STR	 "Clusters of hubs whose gateway this node is\n"
#define HUB_CLUSTER_NAME "Name of the cluster\n"
#define AUTO_STR                                                               \
	"Move edges away from hubs whose score is above the limit, one at a time\n"
#define AUTO_INTERVAL_STR                                                      \
	"Time between moves\n"                                                 \
	"Seconds, 60 by default\n"
#define AUTO_HOLD_STR                                                            \
	"How long an edge doesn't return to a hub that it was moved away from\n" \
	"Seconds, 120 by default\n"
#define LOSS_STR "Hubs that have lost their learned routes\n"
#define LOSS_HOLD_STR                                                          \
	"Time from the report to the move\nMilliseconds, 1000 by default\n"
#define MOVE_HUB_STR "Logical ID of the hub\n"

#define PRESET_INTERVAL 60
#define PRESET_HOLD	120
#define PRESET_DELAY	30
#define PRESET_LOSS_MS	1000
#define PRESET_BULK	120
#define PRESET_SETTLE	10

DEFPY_YANG_NOSH (cluster_hub_cluster,
		 cluster_hub_cluster_cmd,
		 "cluster hub-cluster NAME$name",
		 CLUSTER_STR
		 HUB_CLUSTER_STR
		 HUB_CLUSTER_NAME)
{
	return cluster_vty_enter(vty, CLUSTER_HUB_CLUSTER_NODE,
				 HCD_CLUSTER_XPATH, name);
}

DEFPY_YANG (no_cluster_hub_cluster,
	    no_cluster_hub_cluster_cmd,
	    "no cluster hub-cluster NAME$name",
	    NO_STR
	    CLUSTER_STR
	    HUB_CLUSTER_STR
	    HUB_CLUSTER_NAME)
{
	return cluster_vty_delete(vty, HCD_CLUSTER_XPATH, name);
}

void hcd_cluster_cli_write(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults)
{
	vty_out(vty, "!\ncluster hub-cluster %s\n",
		yang_dnode_get_string(dnode, "./name"));
}

DEFPY_YANG (hub_cluster_id,
	    hub_cluster_id_cmd,
	    "[no] id ![UUID$id]",
	    NO_STR
	    "Logical ID of the cluster, which its hubs and edges name\n"
	    "UUID, the same on all gateways\n")
{
	return hcd_cli_id_leaf(vty, "./id", "cluster", no ? NULL : id);
}

DEFPY_YANG (hub_cluster_assignment,
	    hub_cluster_assignment_cmd,
	    "[no] assignment ![<modulo|rendezvous>$how]",
	    NO_STR
	    "How an edge's hub is found, the same on all gateways\n"
	    "The edge's ID modulo the number of hubs (default)\n"
	    "By capacity, and with the least movement when hubs come or go\n")
{
	return cluster_vty_leaf(vty, "./assignment",
				no || strmatch(how, "modulo") ? NULL : how);
}

DEFPY_YANG (hub_cluster_auto,
	    hub_cluster_auto_cmd,
	    "auto-rebalance [{interval (1-3600)$interval|hold (1-86400)$hold}]",
	    AUTO_STR
	    AUTO_INTERVAL_STR
	    AUTO_HOLD_STR)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, "./auto-rebalance/enabled", NB_OP_CREATE,
			      NULL);
	hcd_cli_enqueue(vty, "auto-rebalance/interval",
			interval == PRESET_INTERVAL ? NULL : interval_str);
	hcd_cli_enqueue(vty, "auto-rebalance/hold",
			hold == PRESET_HOLD ? NULL : hold_str);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (no_hub_cluster_auto,
	    no_hub_cluster_auto_cmd,
	    "no auto-rebalance [{interval (1-3600)|hold (1-86400)}]",
	    NO_STR
	    AUTO_STR
	    AUTO_INTERVAL_STR
	    AUTO_HOLD_STR)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	hcd_cli_enqueue(vty, "auto-rebalance/enabled", NULL);
	hcd_cli_enqueue(vty, "auto-rebalance/interval", NULL);
	hcd_cli_enqueue(vty, "auto-rebalance/hold", NULL);
	return nb_cli_apply_changes(vty, NULL);
}

/* " KEYWORD VALUE" if there is such a leaf beside `dnode`. */
static void option_write(struct vty *vty, const struct lyd_node *dnode,
			 const char *leaf)
{
	const struct lyd_node *parent = lyd_parent(dnode);

	if (yang_dnode_exists(parent, leaf))
		vty_out(vty, " %s %s", leaf,
			yang_dnode_get_string(parent, "%s", leaf));
}

void hcd_auto_rebalance_cli_write(struct vty *vty, const struct lyd_node *dnode,
				  bool show_defaults)
{
	vty_out(vty, " auto-rebalance");
	option_write(vty, dnode, "interval");
	option_write(vty, dnode, "hold");
	vty_out(vty, "\n");
}

DEFPY_YANG (hub_cluster_limit,
	    hub_cluster_limit_cmd,
	    "[no] load-limit ![(1-99)$limit]",
	    NO_STR
	    "Score, and percent of the tunnel capacity, above which a hub is loaded\n"
	    "Score and percent, 70 by default\n")
{
	return hcd_cli_number(vty, "./load-limit", no ? NULL : limit_str,
			      HC_LIMIT_DEFAULT);
}

DEFPY_YANG (hub_cluster_loss_percent,
	    hub_cluster_loss_percent_cmd,
	    "[no] route-loss percent ![(1-100)$percent]",
	    NO_STR
	    LOSS_STR
	    "Fewer routes than this part of the best hub's count as lost, too\n"
	    "Percent; without it only a hub with no route at all has lost them\n")
{
	return cluster_vty_leaf(vty, "./route-loss/percent",
				no ? NULL : percent_str);
}

DEFPY_YANG (hub_cluster_loss_delay,
	    hub_cluster_loss_delay_cmd,
	    "[no] route-loss delay ![(1-600)$delay]",
	    NO_STR
	    LOSS_STR
	    "Time from the first report of the loss to the move of the edges\n"
	    "Seconds, 30 by default: the hubs' interval of reports\n")
{
	return hcd_cli_number(vty, "./route-loss/delay", no ? NULL : delay_str,
			      PRESET_DELAY);
}

DEFPY_YANG (hub_cluster_reaction,
	    hub_cluster_reaction_cmd,
	    "[no] route-loss reaction immediate [hold (0-60000)$hold]",
	    NO_STR
	    LOSS_STR
	    "When the edges are moved\n"
	    "Soon after the report, instead of after the delay\n"
	    LOSS_HOLD_STR)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	if (no) {
		hcd_cli_enqueue(vty, "route-loss/reaction-immediate", NULL);
		hcd_cli_enqueue(vty, "route-loss/hold", NULL);
		return nb_cli_apply_changes(vty, NULL);
	}
	nb_cli_enqueue_change(vty, "./route-loss/reaction-immediate",
			      NB_OP_CREATE, NULL);
	hcd_cli_enqueue(vty, "route-loss/hold",
			hold == PRESET_LOSS_MS ? NULL : hold_str);
	return nb_cli_apply_changes(vty, NULL);
}

void hcd_reaction_cli_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, " route-loss reaction immediate");
	option_write(vty, dnode, "hold");
	vty_out(vty, "\n");
}

DEFPY_YANG (hub_cluster_bulk_hold,
	    hub_cluster_bulk_hold_cmd,
	    "[no] bulk-hold ![(0-3600)$hold]",
	    NO_STR
	    "Time between moves of many edges\n"
	    "Seconds, 120 by default\n")
{
	return hcd_cli_number(vty, "./bulk-hold", no ? NULL : hold_str,
			      PRESET_BULK);
}

DEFPY_YANG (hub_cluster_settle,
	    hub_cluster_settle_cmd,
	    "[no] settle-time ![(0-600)$settle]",
	    NO_STR
	    "How long a gateway that has started waits for the hubs before it assigns edges\n"
	    "Seconds, 10 by default\n")
{
	return hcd_cli_number(vty, "./settle-time", no ? NULL : settle_str,
			      PRESET_SETTLE);
}

DEFPY_YANG (hub_cluster_member,
	    hub_cluster_member_cmd,
	    "[no] member UUID$id",
	    NO_STR
	    "Node that may be a hub of the cluster; without any, all that say so\n"
	    "Logical ID of the node: `show cluster control` there has it\n")
{
	char canonical[CTL_ID_TEXT_LEN];

	if (!hcd_cli_id(vty, "node", id, canonical))
		return CMD_WARNING_CONFIG_FAILED;
	return hcd_cli_entry(vty, no, "member", canonical, HC_HUBS_MAX);
}

DEFPY_YANG (hub_cluster_shutdown,
	    hub_cluster_shutdown_cmd,
	    "[no] shutdown",
	    NO_STR
	    "This node is no gateway of the cluster\n")
{
	return cluster_vty_flag(vty, "./shutdown", !no);
}

DEFPY (cluster_move,
       cluster_move_cmd,
       "cluster move NAME$name edge UUID$edge hub UUID$hub",
       CLUSTER_STR
       "Move an edge to another hub\n"
       HUB_CLUSTER_NAME
       "Edge that is moved\n"
       "Logical ID of the edge\n"
       "Hub that it is moved to\n"
       MOVE_HUB_STR)
{
	const struct hcd_cluster *cluster = hcd_cluster_find(name);
	char hub_text[CTL_ID_TEXT_LEN], edge_text[CTL_ID_TEXT_LEN];
	struct ctl_id edge_id, hub_id;
	enum hc_why why;

	if (!hcd_cli_id(vty, "node", edge, edge_text) ||
	    !hcd_cli_id(vty, "node", hub, hub_text))
		return CMD_WARNING;
	if (!cluster) {
		vty_out(vty, "%% hub-cluster %s is not configured\n", name);
		return CMD_WARNING;
	}
	if (cluster->shutdown || cluster->why[0]) {
		vty_out(vty, "%% this node is no gateway of %s: %s\n", name,
			cluster->shutdown ? "shut down by configuration"
					  : cluster->why);
		return CMD_WARNING;
	}
	(void)ctl_id_parse(edge_text, &edge_id);
	(void)ctl_id_parse(hub_text, &hub_id);
	why = hcd_move(cluster, &edge_id, &hub_id);
	if (why == HC_OK)
		return CMD_SUCCESS;
	/* The others are about the hub. */
	vty_out(vty, "%% not moved: %s%s\n",
		why == HC_WHY_UNKNOWN_EDGE || why == HC_WHY_NOT_PREFERRED ||
				why == HC_WHY_NO_CLUSTER
			? ""
			: "the hub ",
		hc_why_text(why));
	return CMD_WARNING;
}

#ifndef VTYSH_EXTRACT_PL
/* Of all three kinds of sections: they are in one container. */
static int hub_clustering_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, HCD_XPATH);
}

static struct cmd_node hub_cluster_node = {
	.name = "cluster hub-cluster",
	.node = (enum node_type)CLUSTER_HUB_CLUSTER_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-hub-cluster)# ",
	.config_write = hub_clustering_config_write,
};
#endif

void hcd_cluster_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&hub_cluster_node);
#endif
	install_element(CONFIG_NODE, &cluster_hub_cluster_cmd);
	install_element(CONFIG_NODE, &no_cluster_hub_cluster_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_id_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_assignment_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_auto_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &no_hub_cluster_auto_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_limit_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_loss_percent_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_loss_delay_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_reaction_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_bulk_hold_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_settle_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_member_cmd);
	install_element(CLUSTER_HUB_CLUSTER_NODE, &hub_cluster_shutdown_cmd);
	install_element(ENABLE_NODE, &cluster_move_cmd);
}
