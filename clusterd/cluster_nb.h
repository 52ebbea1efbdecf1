/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLUSTER_NB_H
#define CLUSTER_NB_H

#include "northbound.h"

/* Notifications of the daemon as a whole. */
extern void cluster_nb_init(void);

/* core/cluster_event_nb.c: the record of changes. */
extern const void *cluster_changes_get_next(struct nb_cb_get_next_args *args);
extern int cluster_changes_get_keys(struct nb_cb_get_keys_args *args);
extern const void *cluster_changes_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *cluster_changes_get(struct nb_cb_get_elem_args *args);
extern const void *cluster_event_get_next(struct nb_cb_get_next_args *args);
extern int cluster_event_get_keys(struct nb_cb_get_keys_args *args);
extern const void *cluster_event_lookup(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *cluster_event_get(struct nb_cb_get_elem_args *args);

#endif /* CLUSTER_NB_H */
