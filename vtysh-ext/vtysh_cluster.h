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
 * Whether the file at `path` has lines of clusterd, which isn't connected, so
 * that they would be lost if it were written now: then it says so on `vty`.
 */
extern bool vtysh_cluster_write_loses(struct vty *vty, const char *path);

#endif /* VTYSH_CLUSTER_H */
