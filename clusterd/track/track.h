/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracked routes: what the rest of clusterd sees of them. */
#ifndef CLUSTER_TRACK_H
#define CLUSTER_TRACK_H

#include <stddef.h>

#include "track/track_decide.h"

/* Numbers for `show cluster summary`. */
struct track_counts {
	size_t tracks;
	size_t routes;
	size_t by_state[TRACK_STATES]; /* of routes */
};
extern void track_counts(struct track_counts *counts);

/* Registers CLI, northbound and the scheduler's capability; after probe_init() */
extern void track_init(void);
/* Frees everything; before probe_fini(). */
extern void track_fini(void);
/* What is left for the sessions with other nodes; after control_fini(). */
extern void track_fini_sessions(void);

#endif /* CLUSTER_TRACK_H */
