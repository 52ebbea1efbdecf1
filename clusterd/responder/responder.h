/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stateful ping responders: what the rest of clusterd sees of them.
 * Spec: gateway-failover.md.
 */
#ifndef CLUSTER_RESPONDER_H
#define CLUSTER_RESPONDER_H

/*
 * Start-up: registers CLI, northbound and the scheduler capability.
 * `pathspace` (static storage; NULL: none) is part of names in the kernel.
 */
extern void responder_init(const char *pathspace);
/* Closes every socket and frees everything; before vip_fini(). */
extern void responder_fini(void);

#endif /* CLUSTER_RESPONDER_H */
