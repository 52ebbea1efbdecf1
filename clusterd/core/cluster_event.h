/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's record of changes of states, which whoever changes one feeds. */
#ifndef CLUSTER_EVENT_H
#define CLUSTER_EVENT_H

#include "core/events.h"

/*
 * For `after` and `why` of what the configuration takes away while it is in use: it
 * must have left a trace.
 */
#define CLUSTER_EVENT_REMOVED	  "removed"
#define CLUSTER_EVENT_REMOVED_WHY "taken out of the configuration"

/* A state has just changed. */
extern void cluster_event(const struct event_change *change);
/* The same, but too many do: it is only counted. */
extern void cluster_event_count(enum event_kind kind);
/* Changes of a kind since the start. */
extern uint64_t cluster_event_total(enum event_kind kind);
/* As events_next(). */
extern const struct event_record *cluster_event_next(uint64_t after);

/* cluster_event_nb.c: tells who listens. */
extern void cluster_event_notify(const struct event_record *record);

extern void cluster_event_init(void);
extern void cluster_event_fini(void);

#endif /* CLUSTER_EVENT_H */
