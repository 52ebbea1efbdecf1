/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Root of clusterd: the event loop, privileges and memory group. */
#ifndef CLUSTERD_H
#define CLUSTERD_H

#include "memory.h"
#include "privs.h"

DECLARE_MGROUP(CLUSTERD);

struct event_loop;

extern struct event_loop *cluster_master;
extern struct zebra_privs_t cluster_privs;

extern const struct frr_yang_module_info frr_clusterd_bgp_info;
extern const struct frr_yang_module_info frr_clusterd_control_info;
extern const struct frr_yang_module_info frr_clusterd_hub_info;
extern const struct frr_yang_module_info frr_clusterd_info;
extern const struct frr_yang_module_info frr_clusterd_metrics_info;
extern const struct frr_yang_module_info frr_clusterd_probe_info;
extern const struct frr_yang_module_info frr_clusterd_responder_info;
extern const struct frr_yang_module_info frr_clusterd_track_info;
extern const struct frr_yang_module_info frr_clusterd_vip_info;

#endif /* CLUSTERD_H */
