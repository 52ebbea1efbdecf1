/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time: a queue of events in order of time (and of scheduling, at the
 * same time), and numbers that look random but follow from a seed. The same
 * seed gives the same run, event by event.
 */
#ifndef TESTS_SIM_CLOCK_H
#define TESTS_SIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct sim_clock;
struct sim_event;

#define SIM_MS INT64_C(1000)
#define SIM_S  INT64_C(1000000)

/* Begins at `start_us` (> 0). */
extern struct sim_clock *sim_clock_new(int64_t start_us);
/* Frees it and every event that is left, uncalled. */
extern void sim_clock_free(struct sim_clock **clock);

/* Monotonic microseconds; never goes back. */
extern int64_t sim_clock_now(const struct sim_clock *clock);

/*
 * Calls fn(arg) at `at_us` (the past: next).  If `event` isn't NULL, *event is
 * the handle for sim_clock_cancel() and becomes NULL when fn is called; it
 * must live until then.
 */
extern void sim_clock_at(struct sim_clock *clock, int64_t at_us,
			 void (*fn)(void *arg), void *arg,
			 struct sim_event **event);
/* *event may be NULL, and becomes NULL. */
extern void sim_clock_cancel(struct sim_clock *clock, struct sim_event **event);

/* Runs every event up to and at `until_us`; then that is the time. */
extern void sim_clock_run(struct sim_clock *clock, int64_t until_us);
/* Runs the next event, whenever it is; false: there is none. */
extern bool sim_clock_step(struct sim_clock *clock);

/*
 * Lets time pass without running anything, as if the process had been
 * stopped: what was due meanwhile comes late.
 */
extern void sim_clock_stall(struct sim_clock *clock, int64_t for_us);

/* Events called so far. */
extern uint64_t sim_clock_events(const struct sim_clock *clock);

struct sim_random {
	uint64_t state; /* the seed, at first: any number */
};

extern uint64_t sim_random_u64(struct sim_random *random);
/* 0 .. limit - 1; 0 if the limit is 0. */
extern uint64_t sim_random_below(struct sim_random *random, uint64_t limit);
/* True in `ppm` of a million cases. */
extern bool sim_random_chance(struct sim_random *random, uint32_t ppm);

#endif /* TESTS_SIM_CLOCK_H */
