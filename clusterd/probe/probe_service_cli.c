// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of tcp, http and https probes only. */
#include "cluster_compat.h"

#include "command.h"
#include "vty.h"

#include "cluster_vty.h"
#include "probe/probe_daemon.h"

#ifndef VTYSH_EXTRACT_PL
#include "probe/probe_service_cli_clippy.c"
#endif

DEFPY_YANG (probe_hold,
	    probe_hold_cmd,
	    "[no] hold",
	    NO_STR
	    "Keep a connection open to the service, whose end starts a check (tcp, http, https)\n")
{
	return probe_cli_leaf(vty, "./hold", no ? NULL : "true", true);
}

void probe_cli_show_flag(struct vty *vty, const struct lyd_node *dnode,
			 bool show_defaults)
{
	if (yang_dnode_get_bool(dnode, NULL))
		vty_out(vty, " %s\n", dnode->schema->name);
	else if (show_defaults)
		vty_out(vty, " no %s\n", dnode->schema->name);
}

void probe_service_cli_init(void)
{
	install_element(CLUSTER_PROBE_NODE, &probe_hold_cmd);
}
