/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the northbound needs of the CLI: commands of the configuration. */
#ifndef CLUSTER_VIP_NB_H
#define CLUSTER_VIP_NB_H

#include "northbound.h"

struct vty;

extern void vip_cli_write(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults);
extern void vip_cli_write_end(struct vty *vty, const struct lyd_node *dnode);
extern void vip_uplink_routes_cli_write(struct vty *vty,
					const struct lyd_node *dnode,
					bool show_defaults);
extern void vip_uplink_probe_cli_write(struct vty *vty,
				       const struct lyd_node *dnode,
				       bool show_defaults);
extern void vip_also_probe_cli_write(struct vty *vty,
				     const struct lyd_node *dnode,
				     bool show_defaults);
extern void vip_probe_need_cli_write(struct vty *vty,
				     const struct lyd_node *dnode,
				     bool show_defaults);
extern void vip_drain_file_cli_write(struct vty *vty,
				     const struct lyd_node *dnode,
				     bool show_defaults);
extern void vip_drain_on_exit_cli_write(struct vty *vty,
					const struct lyd_node *dnode,
					bool show_defaults);
/* One line for all leaves of damping. */
extern void vip_damping_cli_write(struct vty *vty, const struct lyd_node *dnode,
				  bool show_defaults);
extern void vip_member_cli_write(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults);

/* In the order of addresses. */
extern int vip_member_cli_cmp(const struct lyd_node *a,
			      const struct lyd_node *b);
extern int vip_community_cli_cmp(const struct lyd_node *a,
				 const struct lyd_node *b);
extern int vip_large_community_cli_cmp(const struct lyd_node *a,
				       const struct lyd_node *b);

/* vip_attr_nb.c: leaves of struct vip_attributes. */
extern int vip_drain_tag_modify(struct nb_cb_modify_args *args);
extern int vip_drain_tag_destroy(struct nb_cb_destroy_args *args);
extern int vip_community_create(struct nb_cb_create_args *args);
extern int vip_community_destroy(struct nb_cb_destroy_args *args);
extern int vip_large_community_create(struct nb_cb_create_args *args);
extern int vip_large_community_destroy(struct nb_cb_destroy_args *args);
extern int vip_local_preference_modify(struct nb_cb_modify_args *args);
extern int vip_local_preference_destroy(struct nb_cb_destroy_args *args);
extern int vip_link_bandwidth_modify(struct nb_cb_modify_args *args);
extern int vip_link_bandwidth_destroy(struct nb_cb_destroy_args *args);
/* vip_extra_nb.c: what few VIPs have. */
extern int vip_uplink_routes_modify(struct nb_cb_modify_args *args);
extern int vip_uplink_routes_destroy(struct nb_cb_destroy_args *args);
extern int vip_uplink_probe_modify(struct nb_cb_modify_args *args);
extern int vip_uplink_probe_destroy(struct nb_cb_destroy_args *args);
extern int vip_also_probe_create(struct nb_cb_create_args *args);
extern int vip_also_probe_destroy(struct nb_cb_destroy_args *args);
extern int vip_drain_file_modify(struct nb_cb_modify_args *args);
extern int vip_drain_file_destroy(struct nb_cb_destroy_args *args);
/* vip_nb_state.c: operational data. */
extern const void *vip_get_next(struct nb_cb_get_next_args *args);
extern int vip_get_keys(struct nb_cb_get_keys_args *args);
extern const void *vip_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern const void *vip_member_get_next(struct nb_cb_get_next_args *args);
extern int vip_member_get_keys(struct nb_cb_get_keys_args *args);
extern const void *vip_member_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *
vip_member_state_status(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_member_state_why(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_member_state_last_change(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_member_state_probes(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_state_status(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_state_why(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_state_last_change(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_state_fail_open(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_state_route_tag(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_state_drain_file_exists(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_state_drain_file_error(struct nb_cb_get_elem_args *args);
extern const void *vip_address_get_next(struct nb_cb_get_next_args *args);
extern int vip_address_get_keys(struct nb_cb_get_keys_args *args);
extern const void *vip_address_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *
vip_address_state_address(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_status(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_address_state_why(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_last_change(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_nexthops(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_local_route(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_penalty(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_in_bgp(struct nb_cb_get_elem_args *args);
extern struct yang_data *
vip_address_state_weight(struct nb_cb_get_elem_args *args);
extern struct yang_data *vip_address_state_left(struct nb_cb_get_elem_args *args);

#endif /* CLUSTER_VIP_NB_H */
