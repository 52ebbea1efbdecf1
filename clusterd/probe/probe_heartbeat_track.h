/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the heartbeats that were believed mean (pure).
 *
 * `rise` of them in a row make a service up; it is down when none has come for
 * `window_us` (fall x interval, and the time-out for what delays them), and at
 * once when it says goodbye.  Before anything is known, which takes a window at
 * most, there is no answer.
 *
 * Times are monotonic, in µs.
 */
#ifndef CLUSTER_PROBE_HEARTBEAT_TRACK_H
#define CLUSTER_PROBE_HEARTBEAT_TRACK_H

#include <stdbool.h>
#include <stdint.h>

/* An answer; the words are for `show`. */
enum probe_heartbeat_look {
	PROBE_HEARTBEAT_WAITING, /* nothing known yet */
	PROBE_HEARTBEAT_UP,
	PROBE_HEARTBEAT_RISING, /* too few so far */
	PROBE_HEARTBEAT_MISSING,
	PROBE_HEARTBEAT_GOODBYE,
	PROBE_HEARTBEAT_LOOKS,
};

struct probe_heartbeat_track {
	/* May be changed at any time. */
	uint8_t rise;
	int64_t window_us;

	int64_t began_us;
	int64_t heard_us; /* the last one; 0: none yet */
	uint8_t beats;	  /* in a row, `rise` of them at most are counted */
	bool goodbye;	  /* the last one was that */
	bool up;	  /* the last answer, since when none was overdue */
	bool decided;	  /* there was an answer */
};

extern void probe_heartbeat_track_init(struct probe_heartbeat_track *track,
				       uint8_t rise, int64_t window_us,
				       int64_t now_us);
extern void probe_heartbeat_heard(struct probe_heartbeat_track *track, bool up,
				  int64_t now_us);
extern enum probe_heartbeat_look
probe_heartbeat_look(struct probe_heartbeat_track *track, int64_t now_us);
/* When the answer changes if nothing is heard; INT64_MAX: never. */
extern int64_t probe_heartbeat_due_us(const struct probe_heartbeat_track *track);

extern const char *probe_heartbeat_look_str(enum probe_heartbeat_look look);

#endif /* CLUSTER_PROBE_HEARTBEAT_TRACK_H */
