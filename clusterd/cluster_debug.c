// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "command.h"
#include "vty.h"

#include "cluster_debug.h"
#include "cluster_vty.h"

#ifndef VTYSH_EXTRACT_PL
#include "cluster_debug_clippy.c"
#endif

#define DEBUG_CLUSTER_STR DEBUG_STR "Health-driven announcement of routes\n"

struct debug cluster_dbg_control = { .desc = "sessions with other nodes" };
struct debug cluster_dbg_hub = { .desc = "hub clustering" };
struct debug cluster_dbg_local = { .desc = "local routes in the kernel" };
struct debug cluster_dbg_probe = { .desc = "probes and their results" };
struct debug cluster_dbg_sched = { .desc = "decisions" };
struct debug cluster_dbg_vip = { .desc = "VIPs and their members" };
struct debug cluster_dbg_zebra = { .desc = "messages to and from zebra" };

static const struct {
	const char *name;
	struct debug *debug;
} categories[] = {
	{ "control", &cluster_dbg_control }, { "hub", &cluster_dbg_hub },
	{ "local", &cluster_dbg_local },     { "probe", &cluster_dbg_probe },
	{ "sched", &cluster_dbg_sched },     { "vip", &cluster_dbg_vip },
	{ "zebra", &cluster_dbg_zebra },
};

DEFPY (debug_cluster,
       debug_cluster_cmd,
       "[no] debug cluster <control|hub|local|probe|sched|vip|zebra>$category",
       NO_STR
       DEBUG_CLUSTER_STR
       "Sessions with other nodes, and refused datagrams\n"
       "Hub clustering: hubs, edges, tunnels\n"
       "Local routes in the kernel\n"
       "Probes and their results\n"
       "Decisions and how long they took\n"
       "VIPs and their members\n"
       "Messages to and from zebra\n")
{
	uint32_t mode = DEBUG_NODE2MODE(vty->node);

	for (size_t i = 0; i < array_size(categories); i++)
		if (strcmp(categories[i].name, category) == 0)
			DEBUG_MODE_SET(categories[i].debug, mode, !no);
	return CMD_SUCCESS;
}

DEFPY (no_debug_cluster_all,
       no_debug_cluster_all_cmd,
       "no debug cluster",
       NO_STR
       DEBUG_CLUSTER_STR)
{
	uint32_t mode = DEBUG_NODE2MODE(vty->node);

	for (size_t i = 0; i < array_size(categories); i++)
		DEBUG_MODE_SET(categories[i].debug, mode, false);
	return CMD_SUCCESS;
}

/* Not extracted: vtysh's own command asks all daemons. */
DEFUN_NOSH (show_debugging_cluster,
	    show_debugging_cluster_cmd,
	    "show debugging [cluster]",
	    SHOW_STR
	    DEBUG_STR
	    "Health-driven announcement of routes\n")
{
	vty_out(vty, "Cluster debugging status:\n");
	for (size_t i = 0; i < array_size(categories); i++)
		if (DEBUG_MODE_CHECK(categories[i].debug, DEBUG_MODE_ALL))
			vty_out(vty, "  Cluster %s debugging is on (%s)\n",
				categories[i].name, categories[i].debug->desc);
	return CMD_SUCCESS;
}

static int config_write(struct vty *vty)
{
	int written = 0;

	for (size_t i = 0; i < array_size(categories); i++) {
		if (!DEBUG_MODE_CHECK(categories[i].debug, DEBUG_MODE_CONF))
			continue;
		vty_out(vty, "debug cluster %s\n", categories[i].name);
		written++;
	}
	return written;
}

static struct cmd_node debug_node = {
	.name = "debug",
	.node = DEBUG_NODE,
	.prompt = "",
	.config_write = config_write,
};

void cluster_debug_init(void)
{
	install_node(&debug_node);
	install_element(ENABLE_NODE, &debug_cluster_cmd);
	install_element(CONFIG_NODE, &debug_cluster_cmd);
	install_element(ENABLE_NODE, &no_debug_cluster_all_cmd);
	install_element(CONFIG_NODE, &no_debug_cluster_all_cmd);
	install_element(ENABLE_NODE, &show_debugging_cluster_cmd);
}
