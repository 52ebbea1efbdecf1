/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug categories: `debug cluster <control|hub|local|probe|sched|vip|zebra>`. */
#ifndef CLUSTER_DEBUG_H
#define CLUSTER_DEBUG_H

#include "debug.h"

extern struct debug cluster_dbg_control;
extern struct debug cluster_dbg_hub;
extern struct debug cluster_dbg_local;
extern struct debug cluster_dbg_probe;
extern struct debug cluster_dbg_sched;
extern struct debug cluster_dbg_vip;
extern struct debug cluster_dbg_zebra;

#define CONTROL_DEBUG(...) DEBUGD(&cluster_dbg_control, ##__VA_ARGS__)
#define HUB_DEBUG(...)	   DEBUGD(&cluster_dbg_hub, ##__VA_ARGS__)
#define LOCAL_DEBUG(...)   DEBUGD(&cluster_dbg_local, ##__VA_ARGS__)
#define PROBE_DEBUG(...)   DEBUGD(&cluster_dbg_probe, ##__VA_ARGS__)
#define SCHED_DEBUG(...)   DEBUGD(&cluster_dbg_sched, ##__VA_ARGS__)
#define VIP_DEBUG(...)	   DEBUGD(&cluster_dbg_vip, ##__VA_ARGS__)
#define ZEBRA_DEBUG(...)   DEBUGD(&cluster_dbg_zebra, ##__VA_ARGS__)

/* Registers the categories and their commands. */
extern void cluster_debug_init(void);

#endif /* CLUSTER_DEBUG_H */
