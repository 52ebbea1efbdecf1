/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clusterd's part of vtysh.  FRR's vtysh.h, as patched by patch_vtysh.py,
 * includes this: so every file of vtysh, the generated commands too, knows
 * our nodes by their names.
 */
#ifndef VTYSH_CLUSTER_H
#define VTYSH_CLUSTER_H

#include "command.h"

#include "cluster_nodes.h"

/*
 * Installs our nodes.  Before FRR's vtysh_init_cmd(), which fills the nodes
 * with the daemons' commands.
 */
extern void vtysh_cluster_init_nodes(void);

/*
 * Installs what enters and leaves our nodes.  After vtysh_init_cmd(): on
 * FRR 10 that replaces a node's command graph.  `end` is vtysh's own.
 */
extern void vtysh_cluster_init_commands(const struct cmd_element *end);

/*
 * The node of the section that a line of a running configuration opens, or 0
 * if it opens none of ours.
 */
extern int vtysh_cluster_section(const char *line);

/*
 * What clusterd is told or asked before the file at `path` is replaced, which has
 * lines of it or not.  The status of its answer is for vtysh_cluster_write_loses().
 */
extern const char *vtysh_cluster_before_write(const char *path);

/*
 * Whether lines of clusterd in the file at `path` would be lost if it were replaced
 * now: then it says so on `vty`.  Not connected: clusterd isn't there, or ended
 * while it was asked for its configuration.
 */
extern bool vtysh_cluster_write_loses(struct vty *vty, const char *path,
				      bool connected, int answer);

/*
 * Whether not all of the configuration got into `file`, the new one at `path`: then
 * it says so, and the former one is there again.
 */
extern bool vtysh_cluster_write_failed(FILE *file, const char *path);

/* The new file at `path` can't be opened: the former one is there again. */
extern void vtysh_cluster_not_opened(struct vty *vty, const char *path);

/* Forgets what was collected of running configurations, for nobody writes it. */
extern void vtysh_cluster_forget_config(struct vty *vty);

#endif /* VTYSH_CLUSTER_H */
