/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operational data of the probes, probe_nb_state.c. */
#ifndef CLUSTER_PROBE_NB_H
#define CLUSTER_PROBE_NB_H

#include "northbound.h"

/* Definitions: those that are configured, and those that are only used. */
extern const void *probe_nb_get_next(struct nb_cb_get_next_args *args);
extern int probe_nb_get_keys(struct nb_cb_get_keys_args *args);
extern const void *probe_nb_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *
probe_nb_configured_get(struct nb_cb_get_elem_args *args);

/* Instances; one callback serves all leaves. */
extern const void *probe_nb_instance_get_next(struct nb_cb_get_next_args *args);
extern int probe_nb_instance_get_keys(struct nb_cb_get_keys_args *args);
extern const void *
probe_nb_instance_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *probe_nb_instance_get(struct nb_cb_get_elem_args *args);

#endif /* CLUSTER_PROBE_NB_H */
