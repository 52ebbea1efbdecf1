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

/* bgp_peers_nb.c: /cluster-bgp-peers. */
extern struct yang_data *bgp_peers_status_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *bgp_peers_why_get(struct nb_cb_get_elem_args *args);
extern const void *bgp_peers_vip_next(struct nb_cb_get_next_args *args);
extern int bgp_peers_vip_keys(struct nb_cb_get_keys_args *args);
extern const void *bgp_peers_vip_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *bgp_peers_vip_get(struct nb_cb_get_elem_args *args);
extern const void *bgp_peers_address_next(struct nb_cb_get_next_args *args);
extern int bgp_peers_address_keys(struct nb_cb_get_keys_args *args);
extern const void *bgp_peers_address_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *bgp_peers_address_get(struct nb_cb_get_elem_args *args);
extern const void *bgp_peers_other_next(struct nb_cb_get_next_args *args);
extern int bgp_peers_other_keys(struct nb_cb_get_keys_args *args);
extern const void *bgp_peers_other_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *bgp_peers_other_get(struct nb_cb_get_elem_args *args);
extern const void *bgp_peers_vrf_next(struct nb_cb_get_next_args *args);
extern int bgp_peers_vrf_keys(struct nb_cb_get_keys_args *args);
extern const void *bgp_peers_vrf_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *bgp_peers_vrf_get(struct nb_cb_get_elem_args *args);
extern const void *bgp_peers_session_next(struct nb_cb_get_next_args *args);
extern int bgp_peers_session_keys(struct nb_cb_get_keys_args *args);
extern const void *bgp_peers_session_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *bgp_peers_session_get(struct nb_cb_get_elem_args *args);

#endif /* CLUSTER_BGP_NB_H */
