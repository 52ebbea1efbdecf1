// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hub clustering in the daemon: from configuration to what runs.
 *
 *   configuration (hc_config) --> roles: hc_gateway, hc_hub, hc_edge
 *   control protocol --hc_ctl--> hc_node --> roles --> events, routes, dials
 *
 * decide() makes the roles anew from the whole configuration after any change;
 * hc_node_run() follows each message, and a timer it asks for.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "hubcluster/hc_daemon.h"

void hcd_changed(void)
{
	cluster_sched_decide();
}
