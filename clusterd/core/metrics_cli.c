// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of `cluster metrics`. */
#include "cluster_compat.h"

#include "command.h"

#include "cluster_vty.h"
#include "core/metrics.h"
#include "core/metrics_nb.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/core/metrics_cli_clippy.c"
#endif

#define METRICS_STR	 "Numbers for Prometheus\n"
#define METRICS_FILE_STR "A file for the textfile collector of node_exporter\n"
#define METRICS_PATH_STR "Path of the file, which ends with .prom\n"
#define METRICS_INTERVAL_STR                                                   \
	"How often it is written\n"                                            \
	"Milliseconds (default 15000)\n"

static int metrics_change(struct vty *vty, const char *path,
			  const char *interval)
{
	nb_cli_enqueue_change(vty, METRICS_XPATH "/file",
			      path ? NB_OP_MODIFY : NB_OP_DESTROY, path);
	nb_cli_enqueue_change(vty, METRICS_XPATH "/interval",
			      interval ? NB_OP_MODIFY : NB_OP_DESTROY, interval);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (cluster_metrics_file,
	    cluster_metrics_file_cmd,
	    "cluster metrics file PATH$path [interval (1000-3600000)$interval]",
	    CLUSTER_STR
	    METRICS_STR
	    METRICS_FILE_STR
	    METRICS_PATH_STR
	    METRICS_INTERVAL_STR)
{
	const char *flaw = metrics_path_flaw(path);

	if (flaw) {
		vty_out(vty, "%% %s: %s\n", path, flaw);
		return CMD_WARNING_CONFIG_FAILED;
	}
	if (interval == METRICS_INTERVAL_DEFAULT_MS)
		interval_str = NULL;
	return metrics_change(vty, path, interval_str);
}

DEFPY_YANG (no_cluster_metrics_file,
	    no_cluster_metrics_file_cmd,
	    "no cluster metrics file [PATH$path] [interval (1000-3600000)$interval]",
	    NO_STR
	    CLUSTER_STR
	    METRICS_STR
	    METRICS_FILE_STR
	    METRICS_PATH_STR
	    METRICS_INTERVAL_STR)
{
	return metrics_change(vty, NULL, NULL);
}

void metrics_file_cli_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, "cluster metrics file %s",
		yang_dnode_get_string(dnode, NULL));
	if (yang_dnode_exists(dnode, "../interval"))
		vty_out(vty, " interval %s",
			yang_dnode_get_string(dnode, "../interval"));
	vty_out(vty, "\n");
}

#ifndef VTYSH_EXTRACT_PL
static int metrics_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, METRICS_XPATH);
}

/* Nobody enters it: it writes the line above. */
static struct cmd_node metrics_node = {
	.name = "cluster metrics",
	.node = (enum node_type)CLUSTER_METRICS_NODE,
	.prompt = "",
	.config_write = metrics_config_write,
};
#endif

void metrics_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	install_node(&metrics_node);
#endif
	install_element(CONFIG_NODE, &cluster_metrics_file_cmd);
	install_element(CONFIG_NODE, &no_cluster_metrics_file_cmd);
}
