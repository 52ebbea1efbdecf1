/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decision event for all capabilities.
 *
 * Configuration callbacks, probe verdicts, zebra's messages only change state
 * and call cluster_sched_decide(); the decisions run once, later, when the
 * event loop has taken in everything that is there.  While a part of a
 * configuration file has been committed and the rest is being read
 * (config_reading.h) they are held: half a configuration is no ground for a
 * decision.  VIPs that go down by the configuration before aren't
 * (decide_half); tracks, responders and hub clustering wait for the end.
 */
#ifndef CLUSTER_SCHED_H
#define CLUSTER_SCHED_H

#include <stdbool.h>
#include <stdint.h>

struct cluster_capability {
	const char *name;
	/* Decides over the capability's whole state and applies the plan. */
	void (*decide)(int64_t now_us);
	/*
	 * The same while decisions are held: what has gone down by the
	 * configuration of the last one is taken back.  NULL: all waits.
	 */
	void (*decide_half)(int64_t now_us);
	/*
	 * After cluster_sched_report(), unless decisions are held: the next one
	 * does the same.  NULL: it never asks for that.
	 */
	void (*report)(int64_t now_us);
};

/* Registers a capability (static storage); decided in order of registration. */
extern void cluster_sched_register(const struct cluster_capability *cap);

/* Something changed: decide soon.  Cheap, may be called any number of times. */
extern void cluster_sched_decide(void);

/*
 * Nothing changed that a decision depends on, but something that states show:
 * `report` is called soon, of all capabilities, in order of registration: who
 * depends on the states of others follows them there.  What comes in thousands
 * of small groups, as zebra's words about routes, is taken in by some of them,
 * and costs no decisions.
 */
extern void cluster_sched_report(void);

/*
 * Decide at `at_us` (monotonic) at the latest; the earliest wish counts. For
 * decisions that depend on time.
 */
extern void cluster_sched_decide_at(int64_t at_us);

/* Monotonic clock, µs: FRR's monotime(). */
extern int64_t cluster_now_us(void);

/* Decisions wait for the rest of a configuration file. */
extern bool cluster_sched_held(void);

extern void cluster_sched_fini(void);

#endif /* CLUSTER_SCHED_H */
