/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operational callbacks of the responders, for the table in responder_nb.c. */
#ifndef CLUSTER_RESPONDER_NB_STATE_H
#define CLUSTER_RESPONDER_NB_STATE_H

#include "northbound.h"

#define RESPONDER_STATE_LIST(name)                                             \
	extern const void *responder_##name##get_next(                         \
		struct nb_cb_get_next_args *args);                             \
	extern int responder_##name##get_keys(                                 \
		struct nb_cb_get_keys_args *args);                             \
	extern const void *responder_##name##lookup(                           \
		struct nb_cb_lookup_entry_args *args)
#define RESPONDER_STATE(name)                                                  \
	extern struct yang_data *responder_##name##_get(                       \
		struct nb_cb_get_elem_args *args)

/* The responders themselves. */
RESPONDER_STATE_LIST();
RESPONDER_STATE_LIST(address_);
RESPONDER_STATE_LIST(interface_);
RESPONDER_STATE(state);
RESPONDER_STATE(address);
RESPONDER_STATE(interface);
RESPONDER_STATE(handoff);
RESPONDER_STATE(counter);
RESPONDER_STATE(last);

#endif /* CLUSTER_RESPONDER_NB_STATE_H */
