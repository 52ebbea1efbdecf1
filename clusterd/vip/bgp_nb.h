/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the northbound of `cluster bgp` needs of the CLI. */
#ifndef CLUSTER_BGP_NB_H
#define CLUSTER_BGP_NB_H

#include "northbound.h"

struct vty;

extern void bgp_route_map_cli_write(struct vty *vty,
				    const struct lyd_node *dnode,
				    bool show_defaults);
extern void bgp_next_hop_cli_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);
extern void bgp_unchanged_cli_write(struct vty *vty,
				    const struct lyd_node *dnode,
				    bool show_defaults);

#endif /* CLUSTER_BGP_NB_H */
