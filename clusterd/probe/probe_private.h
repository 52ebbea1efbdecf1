/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the probe engine: shared by probe_engine.c (definitions, references,
 * configuration, the timer) and probe_instance.c (one instance: verdict,
 * schedule, results).  Nobody else includes this.
 *
 * Who owns what: the engine owns definitions (by name), a definition owns its
 * instances (by VRF and target) and knows the references to it.  A definition
 * lives as long as it is configured, referred to, or has instances.
 *
 * One writer of a field: probe_inst_phase(), probe_inst_timer(), the window's
 * own functions, probe_inst_report() for what users have been told.
 */
#ifndef CLUSTER_PROBE_PRIVATE_H
#define CLUSTER_PROBE_PRIVATE_H

#include "typesafe.h"

#include "probe/probe_engine.h"

PREDECL_RBTREE_UNIQ(probe_defs);
PREDECL_DLIST(probe_edits);
PREDECL_RBTREE_UNIQ(probe_instances);
PREDECL_HEAP(probe_timers);
PREDECL_RBTREE_NONUNIQ(probe_queue);
PREDECL_DLIST(probe_refs);
PREDECL_DLIST(probe_refusals);

/* Where the text that goes with a verdict comes from. */
enum probe_reason {
	REASON_START,	       /* `start`, results haven't settled it */
	REASON_RESULTS,	       /* results */
	REASON_NOT_CONFIGURED, /* unknown: no definition */
	REASON_INVALID,	       /* unknown: the configuration makes no sense */
	REASON_INVALID_KEPT,   /* so it is, but what we knew is kept a while */
};

struct probe_engine {
	const struct probe_engine_ops *ops;
	void *arg;

	struct probe_defs_head defs;
	struct probe_edits_head edits;	     /* definitions not applied yet */
	struct probe_timers_head timers;     /* instances by at_us */
	struct probe_refusals_head refusals; /* references without instance */
	size_t instances;
	uint64_t last_id; /* of an attempt */

	/* Runs that have a socket of their own. */
	struct probe_queue_head queue; /* due, and would be too many */
	size_t open, open_max;	       /* in flight; 0: no limit */
	int64_t short_until_us; /* none begins before: no descriptors; 0 */
	int64_t short_since_us; /* none of them has come to an end since; 0 */
	int64_t short_last_us;	/* the last time one had none */

	bool busy;  /* the timer is set when the work is done */
	bool armed; /* for armed_us */
	int64_t armed_us;
};

struct probe_def {
	struct probe_defs_item item;
	struct probe_edits_item edits_item;
	struct probe_engine *engine;
	char name[PROBE_NAME_LEN];

	bool configured;
	struct probe_config config; /* in effect */

	bool dirty;		   /* in engine->edits */
	bool wanted;		   /* configured after the next apply */
	struct probe_config *edit; /* NULL unless dirty and wanted */

	struct probe_instances_head instances;
	struct probe_refs_head refs;
	struct probe_ref *standing; /* ours, if there is a target and no user */
};

struct probe_instance {
	/* Side by side: the heap looks at these of many instances. */
	struct probe_timers_item timer;
	int64_t at_us; /* due, deadline, or when to forget */

	struct probe_instances_item item;
	struct probe_def *def;
	char vrf[PROBE_VRF_LEN];
	struct ipaddr target;
	uint32_t refs;
	void *io;

	enum probe_phase phase;
	const char *invalid; /* static text, NULL: valid */
	bool timed;	     /* in engine->timers */
	bool planned;	     /* grid_us is meaningful */
	int64_t grid_us;     /* the last turn, from which the next follow */
	bool off_grid;	     /* runs repeat one that was out of turn */
	bool prompt;	     /* a run is wanted now, ... */
	bool prompt_next;    /* ... and at_us is for that */
	bool open;	     /* the run in flight is one of engine->open */
	bool queued;	     /* in engine->queue, due at queued_us */
	bool postponed;	     /* had no descriptor, and no result since */
	int64_t queued_us;
	struct probe_queue_item queue;
	int64_t prompted_us;	      /* last run out of turn; 0: none yet */
	struct probe_attempt attempt; /* the last one begun */

	struct probe_window window;
	bool have_result;
	uint32_t same; /* how many of the streak are of the last kind */

	/* What settled the verdict `down`. */
	enum probe_result cause;
	uint32_t cause_streak, cause_same;
	char cause_detail[PROBE_DETAIL_LEN];

	/* What users have been told. */
	enum probe_verdict told_verdict, told_before;
	enum probe_reason told_reason;
	const char *told_invalid;
	int64_t since_us;

	enum probe_result last_result;
	char last_detail[PROBE_DETAIL_LEN];
	int64_t last_result_us;
	int64_t last_rtt_us;
	int64_t late_max_us;
	struct probe_counters counters;
};

struct probe_ref {
	struct probe_refs_item item;
	struct probe_refusals_item refusal;
	struct probe_def *def;
	struct probe_instance *instance; /* NULL: refused */
	char vrf[PROBE_VRF_LEN];
	struct ipaddr addr;
};

static int def_cmp(const struct probe_def *a, const struct probe_def *b)
{
	return strcmp(a->name, b->name);
}
DECLARE_RBTREE_UNIQ(probe_defs, struct probe_def, item, def_cmp);
DECLARE_DLIST(probe_edits, struct probe_def, edits_item);

static int instance_cmp(const struct probe_instance *a,
			const struct probe_instance *b)
{
	int cmp = strcmp(a->vrf, b->vrf);

	return cmp ? cmp : ipaddr_cmp(&a->target, &b->target);
}
DECLARE_RBTREE_UNIQ(probe_instances, struct probe_instance, item, instance_cmp);

static int timer_cmp(const struct probe_instance *a,
		     const struct probe_instance *b)
{
	return a->at_us < b->at_us ? -1 : a->at_us > b->at_us;
}
DECLARE_HEAP(probe_timers, struct probe_instance, timer, timer_cmp);
static inline int queue_cmp(const struct probe_instance *a,
			    const struct probe_instance *b)
{
	return numcmp(a->queued_us, b->queued_us);
}
DECLARE_RBTREE_NONUNIQ(probe_queue, struct probe_instance, queue, queue_cmp);
DECLARE_DLIST(probe_refs, struct probe_ref, item);
DECLARE_DLIST(probe_refusals, struct probe_ref, refusal);

/* One more run with a socket may begin. */
extern bool probe_engine_room(const struct probe_engine *engine);
/* A run that is due and can't begin now: it does in its turn. */
extern void probe_inst_queue(struct probe_instance *inst);
/* If there is room: what has waited for the longest is due, as it was. */
extern void probe_inst_queue_next(struct probe_engine *engine);

static inline int64_t engine_now(const struct probe_engine *engine)
{
	return engine->ops->now(engine->arg);
}

/* The verdict, and where its text comes from. */
extern enum probe_verdict probe_inst_verdict(const struct probe_instance *inst,
					     enum probe_reason *reason);
/* Tells users if they would read something else now. */
extern void probe_inst_report(struct probe_instance *inst);

/* at_us 0: no timer. */
extern void probe_inst_timer(struct probe_instance *inst, int64_t at_us);
extern void probe_inst_phase(struct probe_instance *inst,
			     enum probe_phase phase, int64_t at_us);

/* Until the next run: fast or not. */
extern int64_t probe_inst_interval_us(const struct probe_instance *inst);
extern int64_t probe_inst_timeout_us(const struct probe_instance *inst);
/* When a waiting instance is to run if that isn't known yet. */
extern int64_t probe_inst_next_due(const struct probe_instance *inst,
				   int64_t now);

/* Waits for its turn at due_us, or for a run out of turn if that is sooner. */
extern void probe_inst_wait(struct probe_instance *inst, int64_t due_us);

/* A run is wanted out of turn; false: it is stopped. */
extern bool probe_inst_prompt(struct probe_instance *inst);

/* A waiting instance begins a run. */
extern void probe_inst_begin(struct probe_instance *inst, int64_t now);
/* The run in flight, if there is one, ends uncounted; waiting without timer. */
extern void probe_inst_cancel(struct probe_instance *inst);
/* The run in flight has ended by itself, or by its time-out. */
extern void probe_inst_end(struct probe_instance *inst, enum probe_result result,
			   int64_t rtt_us, const char *detail);
extern void probe_inst_timed_out(struct probe_instance *inst, int64_t now);

/* The run in flight hasn't begun: no descriptor.  False: for too long. */
extern bool probe_inst_postpone(struct probe_instance *inst);

/* The type gives back what it keeps for it. */
extern void probe_inst_release(struct probe_instance *inst);
/* Can't run any more; keeps what it knows for a while. */
extern void probe_inst_stop(struct probe_instance *inst);
/* The while is over. */
extern void probe_inst_forget(struct probe_instance *inst);

#endif /* CLUSTER_PROBE_PRIVATE_H */
