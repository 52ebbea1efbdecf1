/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CLI nodes of clusterd, shared by the daemon and vtysh.
 *
 * libfrr's node vector grows, so numbers past NODE_TYPE_MAX are free; they
 * only have to be equal in both programs.  An enum and not macros: vtysh's
 * extract.pl matches the node's name after the preprocessor.
 */
#ifndef CLUSTER_NODES_H
#define CLUSTER_NODES_H

enum cluster_node {
	CLUSTER_PROBE_NODE = NODE_TYPE_MAX + 1,
	CLUSTER_VIP_NODE,
	CLUSTER_CONTROL_NODE,
	CLUSTER_RESPONDER_NODE,
	CLUSTER_BGP_NODE,
	CLUSTER_TRACK_NODE,
	CLUSTER_METRICS_NODE,
	CLUSTER_HUB_CLUSTER_NODE,
	CLUSTER_HUB_NODE,
	CLUSTER_EDGE_NODE,
};

#endif /* CLUSTER_NODES_H */
