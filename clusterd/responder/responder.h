/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stateful ping responders: what the rest of clusterd sees of them.
 * Spec: gateway-failover.md.
 */
#ifndef CLUSTER_RESPONDER_H
#define CLUSTER_RESPONDER_H

#include <stddef.h>

#include "responder/responder_decide.h"

/*
 * Start-up: registers CLI, northbound and the scheduler capability.
 * `pathspace` (static storage; NULL: none) is part of names in the kernel.
 */
extern void responder_init(const char *pathspace);
/* Closes every socket and frees everything; before vip_fini(). */
extern void responder_fini(void);

struct responder_counts {
	size_t responders;
	size_t addresses;
	size_t by_state[RESPONDER_STATES]; /* of addresses */
};
extern void responder_counts(struct responder_counts *counts);

#endif /* CLUSTER_RESPONDER_H */
