/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rise/fall over consecutive results (pure): turns the results of a check into
 * a verdict.  spec: vip.md, "Probes".
 *
 * Down at exactly `fall` consecutive failures, up at exactly `rise` consecutive
 * passes; one result of the other kind resets the count.
 */
#ifndef CLUSTER_PROBE_WINDOW_H
#define CLUSTER_PROBE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Verdict, and whether the last result agrees with it. */
enum probe_window_state {
	PROBE_WINDOW_DOWN,    /* down, last result (if any) failed */
	PROBE_WINDOW_RISING,  /* down, last result passed */
	PROBE_WINDOW_UP,      /* up, last result (if any) passed */
	PROBE_WINDOW_FALLING, /* up, last result failed */
	PROBE_WINDOW_STATES,
};

struct probe_window {
	enum probe_window_state state; /* written by probe_window_result() */
	bool settled;	  /* the verdict comes from results, not from `start` */
	bool last_passed; /* meaningful if streak > 0 */
	uint32_t streak;  /* consecutive equal results; stops at UINT32_MAX */
};

/* What a result did. */
enum probe_window_action {
	PROBE_WINDOW_NONE,	/* nothing that anybody must know */
	PROBE_WINDOW_CONFIRMED, /* start verdict is now one from results */
	PROBE_WINDOW_WENT_UP,
	PROBE_WINDOW_WENT_DOWN,
};

/* Forgets everything; the verdict is `up` until results say otherwise. */
extern void probe_window_start(struct probe_window *window, bool up);

/*
 * The check has changed: what it found until now doesn't count towards the
 * next change of the verdict, which stays.
 */
extern void probe_window_restart(struct probe_window *window);

/* Counts one result.  `rise` and `fall` (>= 1) may differ from call to call. */
extern enum probe_window_action probe_window_result(struct probe_window *window,
						    bool passed, uint8_t rise,
						    uint8_t fall);

extern bool probe_window_up(const struct probe_window *window);

/*
 * The last result disagrees with the verdict: the next run is due after the
 * fast interval.
 */
extern bool probe_window_fast(const struct probe_window *window);

extern const char *probe_window_state_str(enum probe_window_state state);

#endif /* CLUSTER_PROBE_WINDOW_H */
