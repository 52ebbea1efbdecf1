/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operational callbacks of hub clustering, for the table in hc_nb.c. */
#ifndef HC_NB_STATE_H
#define HC_NB_STATE_H

#include "northbound.h"

#define HCD_STATE_LIST(name)                                                   \
	extern const void *hcd_##name##_get_next(                              \
		struct nb_cb_get_next_args *args);                             \
	extern int hcd_##name##_get_keys(struct nb_cb_get_keys_args *args);    \
	extern const void *hcd_##name##_lookup(                                \
		struct nb_cb_lookup_entry_args *args);                         \
	extern struct yang_data *hcd_##name##_get(                             \
		struct nb_cb_get_elem_args *args)
#define HCD_STATE_LEAF_LIST(name)                                              \
	extern const void *hcd_##name##_get_next(                              \
		struct nb_cb_get_next_args *args)

HCD_STATE_LIST(cluster);
HCD_STATE_LIST(cluster_hub);
HCD_STATE_LIST(cluster_edge);
HCD_STATE_LIST(refused);
HCD_STATE_LIST(hub_edge);
HCD_STATE_LIST(hub_prefix);
HCD_STATE_LIST(edge_gateway);
HCD_STATE_LIST(edge_route);
HCD_STATE_LEAF_LIST(cluster_hub_address);
HCD_STATE_LEAF_LIST(hub_edge_address);
HCD_STATE_LEAF_LIST(edge_via);
HCD_STATE_LEAF_LIST(edge_unreachable);

extern struct yang_data *hcd_hub_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *hcd_edge_get(struct nb_cb_get_elem_args *args);
/* Entries of leaf-lists. */
extern struct yang_data *hcd_address_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *hcd_id_get(struct nb_cb_get_elem_args *args);

#endif /* HC_NB_STATE_H */
