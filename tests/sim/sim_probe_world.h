/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in virtual time: the engine, its targets behind a network that loses,
 * doubles, delays and reorders, and next to the engine a model of every instance
 * that knows nothing but what was sent, answered and configured.  The world
 * compares the two all the time.
 */
#ifndef TESTS_SIM_PROBE_WORLD_H
#define TESTS_SIM_PROBE_WORLD_H

#include "probe/probe_engine.h"
#include "sim_clock.h"
#include "sim_net.h"

#define DEFS	    20
#define PER_DEF	    50
#define TARGETS	    (DEFS * PER_DEF)
#define PROBER	    0 /* node; targets are 1 .. TARGETS */
#define HOUR	    (3600 * SIM_S)
#define STEADY	    (300 * SIM_S) /* longer than interval and time-out */
#define CLEAN_DELAY (20 * SIM_MS) /* one way, with jitter the double */

enum mode {
	ALIVE,
	DEAD,	  /* says nothing */
	REFUSING, /* answers at once that it won't */
};

struct target {
	uint32_t index;
	struct ipaddr addr;
	bool clean; /* its path loses nothing: decisions are on time */
	enum mode mode;
	int64_t mode_us; /* since */
	struct probe_ref *ref;
	struct probe_instance *inst;

	/* The model. */
	uint64_t run_id; /* in flight; 0: none */
	int64_t started_us;
	uint64_t runs;
	bool up, passed;
	bool known; /* any result since it was made */
	uint32_t streak;

	int64_t stopped_us; /* reference or definition missing since; or 0 */

	/* A fault at fault_us that must show in time. */
	bool measured;
	int64_t fault_us;
};

struct world {
	struct sim_clock *clock;
	struct sim_random random;
	struct sim_net *net;
	struct probe_engine *engine;
	struct sim_event *timer;
	int64_t last_now;
	bool by_config; /* cancels now are not time-outs */
	bool without;	/* a definition is missing: */
	uint32_t without_def;
	struct probe_config without_config; /* what it will be again */
	struct target targets[TARGETS];

	/* What has happened: a simulation of nothing proves nothing. */
	uint64_t flips, measured_down, measured_up, edits, stale, kept;
	int64_t first_start[TARGETS];
	void (*on_start)(struct target *target);
};

extern struct world world;

extern int64_t world_now(void);
extern const char *world_def_name(uint32_t def);
extern const struct probe_config *world_config(const struct target *target);

/* Everything anew: targets that live behind clean paths, nothing configured. */
extern void world_start(uint64_t seed);
extern void world_end(void);

/* Takes over what was edited. */
extern void world_apply(void);
extern void world_refer(struct target *target);
extern void world_unrefer(struct target *target);
extern void world_refer_all(uint32_t n); /* the first n */
/* Its reference or definition has gone or come. */
extern void world_stopped(struct target *target);

/* The verdict is the model's. */
extern void world_check_verdict(const struct target *target);
/* What has forgotten by itself may have: it was stopped for long enough. */
extern void world_check_forgotten(struct target *target);
/* Compares every model with its instance. */
extern void world_check_all(void);

#endif /* TESTS_SIM_PROBE_WORLD_H */
