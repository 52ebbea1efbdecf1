/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe engine (pure): which checks exist, when each runs, what its
 * results mean.  spec: vip.md, "Probes"; gateway-failover.md.
 *
 *     northbound --> probe_engine_edit/remove ... probe_engine_apply
 *     vip        --> probe_ref_get/put/verdict (probe.h)
 *     timer      --> probe_engine_run          engine --> ops->arm/disarm
 *     types      --> probe_instance_result     engine --> ops->start/cancel
 *                                              engine --> ops->changed
 *
 * Definitions are owned by the engine; so are instances, keyed by (definition,
 * VRF, target address).  A definition with a target has an instance in the
 * default VRF even if nobody refers to it, and one more in every other VRF
 * that somebody refers from.
 *
 * An instance is in one of these phases:
 *
 *     waiting   its next run is due at due_us
 *     in flight a run has begun; ends by a result or at its deadline
 *     stopped   it can't run: nobody refers to it, its definition is not
 *               configured, or the configuration makes no sense
 *
 * A stopped instance keeps what it knows for PROBE_LINGER_US, so that a reload
 * that takes a line out and puts it back changes nothing; after that it is
 * freed (no reference) or forgets (referenced: as if it had just been made).
 * An instance that never had a result has nothing to keep.
 *
 * Times are monotonic microseconds.  The engine has one timer: its earliest
 * due time.  Nothing here blocks; every call is O(log instances), apart from
 * probe_engine_apply(), which is O(references and instances of what changed).
 *
 * Reentrancy: ops->start may call probe_instance_result() for the instance it
 * is given.  No other call into the engine is allowed from within an op,
 * except for accessors (const arguments, and probe_instance_io()).
 */
#ifndef CLUSTER_PROBE_ENGINE_H
#define CLUSTER_PROBE_ENGINE_H

#include "probe/probe.h"
#include "probe/probe_config.h"
#include "probe/probe_window.h"

#define PROBE_DETAIL_LEN 96
#define PROBE_WHY_LEN	 320 /* enough for every text of the engine */

/* References past this are refused: unknown, with a reason that says so. */
#define PROBE_INSTANCES_MAX 65536

/* How long a stopped instance keeps its verdict. */
#define PROBE_LINGER_US (30 * INT64_C(1000000))

/* A run that begins later than this after it was due counts as late. */
#define PROBE_LATE_US INT64_C(10000)

/*
 * A lack of descriptors, which others have: when a check that had none is tried
 * again, and for how long a lack without any success isn't a failure.
 */
#define PROBE_SHORT_RETRY_US (100 * INT64_C(1000))
#define PROBE_SHORT_MAX_US   (30 * INT64_C(1000000))

/* Due instances handled by one probe_engine_run(); the rest by the next. */
#define PROBE_RUN_BURST 64

/* ------------------------------------------------------------------------ */
/* The engine                                                               */

struct probe_engine;
struct probe_def;
struct probe_instance;

/* One run of a check. */
struct probe_attempt {
	uint64_t id;	    /* never used twice in an engine's life; not 0 */
	int64_t due_us;	    /* when it should have begun */
	int64_t started_us; /* when it did */
	int64_t deadline_us;
};

/* All mandatory.  `arg` is what probe_engine_new() was given. */
struct probe_engine_ops {
	int64_t (*now)(void *arg);
	uint32_t (*random)(void *arg);

	/*
	 * Begins a check of `instance`: probe_instance_config(), _vrf() and
	 * _target() say of what.  It ends by one probe_instance_result() with
	 * attempt->id, at once (from within start) or later, or by cancel.  The
	 * engine watches the time-out itself: after cancel.  `attempt` is valid
	 * until start returns.
	 */
	void (*start)(void *arg, struct probe_instance *instance,
		      const struct probe_attempt *attempt);
	/*
	 * Ends the run in flight: timed out, or not wanted any more.  Called
	 * at most once a run, never after its result.
	 */
	void (*cancel)(void *arg, struct probe_instance *instance);
	/*
	 * What a type keeps from run to run is of no use any more: the
	 * instance was stopped, or is to check something else from now on.
	 * Nothing is in flight; also called when there is nothing to release.
	 */
	void (*release)(void *arg, struct probe_instance *instance);
	/*
	 * The instance is about to be freed: forget every pointer to it and
	 * free what probe_instance_set_io() attached.  Nothing is in flight.
	 */
	void (*gone)(void *arg, struct probe_instance *instance);

	/*
	 * Call probe_engine_run() at `at_us` (which may have passed: as soon
	 * as possible).  Replaces the wish before.
	 */
	void (*arm)(void *arg, int64_t at_us);
	void (*disarm)(void *arg);

	/*
	 * The verdict of `instance`, or the reason for having none, changed;
	 * probe_instance_view() says to what.  NULL: references may read
	 * differently for another reason (bound to another instance).
	 */
	void (*changed)(void *arg, const struct probe_instance *instance);
};

/* `ops` and `arg` stay the caller's, and must live as long as the engine. */
extern struct probe_engine *probe_engine_new(const struct probe_engine_ops *ops,
					     void *arg);
/*
 * Cancels what is in flight and frees everything, references included: their
 * holders must not put them afterwards.  *engine becomes NULL.
 */
extern void probe_engine_free(struct probe_engine **engine);

/*
 * At most so many runs with a socket of their own (probe_config_opens()) are in
 * flight; what is due beyond waits for the end of others, in the order in which
 * it came due: the service isn't blamed for what this machine lacks.  0: any
 * number.  To be called before there is configuration.
 */
extern void probe_engine_limit(struct probe_engine *engine, size_t open_max);

struct probe_engine_load {
	size_t open, open_max; /* in flight; 0: no limit */
	size_t queued;	       /* wait: for the limit, or for a descriptor */
};
extern void probe_engine_load(const struct probe_engine *engine,
			      struct probe_engine_load *load);

/* The engine that probe_ref_get() uses; NULL: none. */
extern void probe_engine_set_main(struct probe_engine *engine);

/*
 * The configuration of definition `name`, to be written to; the definition is
 * made if there is none.  Nothing happens before probe_engine_apply(), so
 * that any number of edits (a removal undone, too) is one change.  Valid until
 * then; don't keep it.  `name` longer than PROBE_NAME_LEN - 1: NULL.
 */
extern struct probe_config *probe_engine_edit(struct probe_engine *engine,
					      const char *name);
/* The definition isn't configured any more.  Takes effect by apply, too. */
extern void probe_engine_remove(struct probe_engine *engine, const char *name);

/*
 * Makes every edit since the last call effective:
 * - verdicts stay (but see PROBE_LINGER_US: what can't run any more has none);
 * - what a check does changed (type, port, path, host, source, interface): the
 *   run in flight is cancelled uncounted, and what the old check found doesn't
 *   count towards a change of the verdict;
 * - times changed: the next run is the first point of the grid (last due time
 *   + k x interval) that hasn't passed, so at most one new interval away, and
 *   instances stay as spread out as they were.
 * Definitions whose values didn't change are not touched.
 */
extern void probe_engine_apply(struct probe_engine *engine);
/* There are edits that apply has not seen. */
extern bool probe_engine_dirty(const struct probe_engine *engine);

/*
 * Has `instance` checked out of turn, as soon as the engine's timer fires: an
 * event makes its verdict doubtful, or somebody wants to know.
 * - Never two at a time: the run in flight has begun before whatever happened,
 *   so another follows it.
 * - At most one run out of turn begins a fast interval; further wishes become
 *   one, which waits.  A run in turn that comes first serves it as well.
 * - The turns stay: a failure is repeated at the fast interval from here, but
 *   the next run after that is where it would have been anyhow.  So a thousand
 *   instances of one host that died stay as spread out as they were.
 * - One that waits for others to end (probe_engine_limit()) keeps its place:
 *   wishes don't overtake what is due for longer.  That run serves the wish.
 * False: it is stopped, and nothing happens.
 */
extern bool probe_instance_now(struct probe_instance *instance);

/* The timer: begins what is due, ends what has timed out. */
extern void probe_engine_run(struct probe_engine *engine);

/* Instances, running or not. */
extern size_t probe_engine_instances(const struct probe_engine *engine);
/* References refused because of PROBE_INSTANCES_MAX. */
extern size_t probe_engine_refused(const struct probe_engine *engine);

/* ------------------------------------------------------------------------ */
/* Results                                                                  */

/*
 * How run `run_id` of `instance` ended.  `rtt_us`: what the type measured, or
 * -1: from start to now.  `detail` (may be NULL): text for people, without the
 * kind ("status 503", "bind: Cannot assign requested address").
 *
 * An answer that took longer than the time-out (by its rtt_us) is a time-out.
 * Returns false, and changes nothing but a counter, if that run isn't in
 * flight: a duplicate or too late.
 */
extern bool probe_instance_result(struct probe_instance *instance,
				  uint64_t run_id, enum probe_result result,
				  int64_t rtt_us, const char *detail);

/*
 * Run `run_id` couldn't begin because descriptors lack, although the limit isn't
 * reached: it hasn't run, and waits in the queue of probe_engine_limit(), from
 * which one is tried whenever a run with a socket ends, and each
 * PROBE_SHORT_RETRY_US.  False: that run isn't in flight, or the lack lasts for
 * PROBE_SHORT_MAX_US; then the caller ends it as a local failure, because nobody
 * knows any more whether the service lives.
 */
extern bool probe_instance_postpone(struct probe_instance *instance,
				    uint64_t run_id);

/*
 * Something happened that the next run should see: as probe_instance_now(),
 * but without a limit, for types that know the result already.  Nothing for
 * one that is in flight or stopped.
 */
extern void probe_instance_event(struct probe_instance *instance);

/* ------------------------------------------------------------------------ */
/* References by engine; probe.h's calls do the same on the main engine.    */

extern struct probe_ref *probe_engine_ref_get(struct probe_engine *engine,
					      const char *name, const char *vrf,
					      const struct ipaddr *addr);
/* NULL: refused by PROBE_INSTANCES_MAX. */
extern const struct probe_instance *
probe_ref_instance(const struct probe_ref *ref);

/* ------------------------------------------------------------------------ */
/* Reading: show, operational state, types                                  */

/*
 * Definitions in name order: those that are configured, and those that are
 * only referred to.  probe_def_next(engine, NULL) is the first; NULL at the
 * end.  No call that changes the engine is allowed in between; whoever must
 * resume later does so by name (probe_def_after: the first behind `name`,
 * which needn't exist).
 */
extern const struct probe_def *probe_def_next(const struct probe_engine *engine,
					      const struct probe_def *def);
extern const struct probe_def *probe_def_after(const struct probe_engine *engine,
					       const char *name);
extern const struct probe_def *probe_def_find(const struct probe_engine *engine,
					      const char *name);

extern const char *probe_def_name(const struct probe_def *def);
/* False: only referred to. */
extern bool probe_def_configured(const struct probe_def *def);
/* What is in effect (not edits before apply). */
extern const struct probe_config *probe_def_config(const struct probe_def *def);
extern size_t probe_def_instances(const struct probe_def *def);

/* Instances of a definition in (VRF, family, address) order; same rules. */
extern struct probe_instance *
probe_instance_next(const struct probe_def *def,
		    const struct probe_instance *instance);
/* In ops->changed(): the verdict before this change. */
extern enum probe_verdict
probe_instance_told_before(const struct probe_instance *instance);
extern struct probe_instance *probe_instance_find(const struct probe_def *def,
						  const char *vrf,
						  const struct ipaddr *target);

extern const struct probe_def *
probe_instance_def(const struct probe_instance *instance);
extern const struct probe_config *
probe_instance_config(const struct probe_instance *instance);
extern const char *probe_instance_vrf(const struct probe_instance *instance);
extern const struct ipaddr *
probe_instance_target(const struct probe_instance *instance);

/* What a type keeps with an instance, from run to run.  NULL at first. */
extern void *probe_instance_io(const struct probe_instance *instance);
extern void probe_instance_set_io(struct probe_instance *instance, void *io);

enum probe_phase {
	PROBE_WAITING,
	PROBE_IN_FLIGHT,
	PROBE_STOPPED,
};

extern enum probe_phase
probe_instance_phase(const struct probe_instance *instance);

/* Since the instance was made. */
struct probe_counters {
	uint64_t runs;			    /* begun */
	uint64_t prompted;		    /* of these, out of turn */
	uint64_t results[PROBE_RESULT_MAX]; /* of runs, by kind */
	uint64_t cancelled;   /* runs ended by us, uncounted (config, stop) */
	uint64_t transitions; /* of the verdict, by results */
	uint64_t late;	      /* runs begun > PROBE_LATE_US after due */
	uint64_t stale;	      /* results ignored: duplicate or too late */
};

/* A copy of everything that there is to show of an instance. */
struct probe_instance_view {
	char name[PROBE_NAME_LEN];
	char vrf[PROBE_VRF_LEN];
	struct ipaddr target;

	enum probe_verdict verdict;
	char why[PROBE_WHY_LEN]; /* as probe_ref_verdict() */
	int64_t since_us;	 /* of the verdict */

	enum probe_phase phase;
	enum probe_window_state window; /* meaningless if unknown */
	uint32_t streak;		/* consecutive equal results */
	uint32_t references;		/* 0: lingering */

	bool have_result; /* the last_* are meaningful */
	enum probe_result last_result;
	char last_detail[PROBE_DETAIL_LEN]; /* "" if there is none */
	int64_t last_result_us;		    /* when it ended */
	int64_t last_rtt_us;		    /* of the last pass; -1: none yet */
	int64_t last_started_us;	    /* last run; 0: none yet */
	int64_t next_us; /* waiting: due; in flight: deadline; stopped: when it
			    forgets; 0: never */
	int64_t late_max_us; /* worst start after due */

	struct probe_counters counters;
};

extern void probe_instance_view(const struct probe_instance *instance,
				struct probe_instance_view *view);

/* Verdict and why (may be NULL), as probe_ref_verdict(). */
extern enum probe_verdict
probe_instance_verdict(const struct probe_instance *instance, char *why,
		       size_t why_len);

#endif /* CLUSTER_PROBE_ENGINE_H */
