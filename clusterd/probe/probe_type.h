/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of probes: one table entry and one file a type.
 *
 * A type knows how to run a check once.  Whether it makes sense, when to run
 * it, when to give up and what its result means is the engine's business
 * (probe_engine.h).
 */
#ifndef CLUSTER_PROBE_TYPE_H
#define CLUSTER_PROBE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/probe_engine.h"

struct probe_type;

/*
 * Who is checked, again and again.  Part of its owner's structure, which sets
 * type and name before every start; zero before the first.
 */
struct probe_check {
	const struct probe_type *type;
	const char *name; /* the probe's */
	/* The type's own; NULL when no check is in flight. */
	void *state;
	/* The type's own from check to check, see release(); NULL at first. */
	void *keep;
	/* Of commands: who is told its end; NULL: probe_check_done(). */
	void (*done)(struct probe_check *check, enum probe_result result,
		     const char *detail);
};

struct probe_type {
	/*
	 * Starts a check of `target` in VRF `vrf` by `config`, of which
	 * probe_config_invalid() has nothing to say. Ends, at once or later,
	 * in exactly one call of probe_check_done(), unless it is cancelled
	 * before. The arguments are only valid until start() returns.
	 */
	void (*start)(struct probe_check *check,
		      const struct probe_config *config, const char *vrf,
		      const struct ipaddr *target);
	/* Gives up: the time is over, or nobody is interested any more. */
	void (*cancel)(struct probe_check *check);

	/*
	 * All of these may be NULL.
	 *
	 * release(): nothing is in flight, and what comes next (if anything)
	 * is another check: `keep` must be NULL afterwards. A type that
	 * watches something (a session, a route) begins to in the first
	 * start() after that, answers every start() at once by what it knows,
	 * and calls probe_check_event() when that changes.
	 */
	void (*release)(struct probe_check *check);
	/* zebra said something: the moment for probe_check_event(). */
	void (*decide)(void);
	/* At the daemon's stop, when nothing is in flight. */
	void (*fini)(void);
};

/* By enum probe_type_id; PROBE_TYPE_UNSET is empty. */
extern const struct probe_type *const probe_types[PROBE_TYPE_MAX];

extern const struct probe_type probe_type_icmp;
extern const struct probe_type probe_type_tcp;
extern const struct probe_type probe_type_http; /* and https */
extern const struct probe_type probe_type_command;
extern const struct probe_type probe_type_interface;
extern const struct probe_type probe_type_route;
extern const struct probe_type probe_type_bfd;
extern const struct probe_type probe_type_dns;
extern const struct probe_type probe_type_heartbeat;

/*
 * The end of a check, which has no state any more and may be started again.
 * Provided by whoever owns the checks. `rtt_us`: measured, or -1 for the time
 * from start to now; `detail`: a text for people, "" for none.
 */
extern void probe_check_done(struct probe_check *check, enum probe_result result,
			     int64_t rtt_us, const char *detail);

/*
 * Likewise the end of one that couldn't be sent because of errno `err`: a local
 * failure, but for a lack of descriptors, which the target isn't blamed for: it
 * is started again when there may be some.
 */
extern void probe_check_unsent(struct probe_check *check, int err,
			       const char *detail);

/*
 * Something has changed: a check now would end otherwise than the last one.
 * Leads to start(), but not from within this call.
 */
extern void probe_check_event(struct probe_check *check);

#endif /* CLUSTER_PROBE_TYPE_H */
