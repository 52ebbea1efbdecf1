/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections that are held open to checked services: `hold`. */
#ifndef CLUSTER_PROBE_HOLD_IO_H
#define CLUSTER_PROBE_HOLD_IO_H

#include "probe/probe_engine.h"
#include "probe/probe_hold.h"

/* An instance's; NULL: it has none (yet). */
struct probe_held;

/* The instance's configuration wants one. */
extern bool probe_held_wanted(const struct probe_instance *instance);
/* A check has passed: makes *held if it is NULL, and connects. */
extern void probe_held_passed(struct probe_held **held,
			      struct probe_instance *instance);
/* The verdict is down. */
extern void probe_held_down(struct probe_held *held);
/* Closes and frees. */
extern void probe_held_free(struct probe_held **held);

/* After changes of the configuration: ends those that it doesn't want so. */
extern void probe_held_review(void);

struct probe_held_view {
	struct probe_hold hold;
	char last[PROBE_DETAIL_LEN]; /* how the last one ended; "" */
};

extern void probe_held_view(const struct probe_held *held,
			    struct probe_held_view *view);

/* At the daemon's stop, when all are freed. */
extern void probe_held_fini(void);

#endif /* CLUSTER_PROBE_HOLD_IO_H */
