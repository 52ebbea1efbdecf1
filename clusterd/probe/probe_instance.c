// SPDX-License-Identifier: GPL-2.0-or-later
/* One instance: verdict, schedule, results.  See probe_private.h. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "printfrr.h"

#include "probe/probe_private.h"

/* A kind of failure and its detail. */
#define FAILURE_LEN (PROBE_DETAIL_LEN + 32)

/* ------------------------------------------------------------------------ */
/* Verdict of an instance, in its own words                                 */

static enum probe_verdict window_verdict(const struct probe_instance *inst)
{
	return probe_window_up(&inst->window) ? PROBE_UP : PROBE_DOWN;
}

enum probe_verdict probe_inst_verdict(const struct probe_instance *inst,
				      enum probe_reason *reason)
{
	if (!inst->def->configured) {
		*reason = REASON_NOT_CONFIGURED;
		return PROBE_UNKNOWN;
	}
	if (inst->invalid && !inst->have_result) {
		*reason = REASON_INVALID;
		return PROBE_UNKNOWN;
	}
	if (inst->invalid)
		*reason = REASON_INVALID_KEPT;
	else if (inst->window.settled)
		*reason = REASON_RESULTS;
	else
		*reason = REASON_START;
	return window_verdict(inst);
}

/* "timeout (detail)" */
static void failure_str(char *buf, size_t len, enum probe_result result,
			const char *detail)
{
	const char *kind = probe_result_str(result);
	/* "Connection refused" is the system's word for it, too. */
	bool more = detail[0] && strcasecmp(detail, kind) != 0;

	snprintfrr(buf, len, "%s%s%s%s", kind, more ? " (" : "",
		   more ? detail : "", more ? ")" : "");
}

/*
 * "down: 3 x timeout (detail)", or of several kinds "down: 3 failures, last
 * timeout": what took it down.  What keeps it down may be something else by
 * now, "; now connection refused", and whoever mends it has to see that.
 */
static void why_down(const struct probe_instance *inst, char *why, size_t len)
{
	char cause[FAILURE_LEN], last[FAILURE_LEN];
	int used;

	failure_str(cause, sizeof(cause), inst->cause, inst->cause_detail);
	if (inst->cause_same >= inst->cause_streak)
		used = snprintfrr(why, len, "down: %u x %s", inst->cause_streak,
				  cause);
	else
		used = snprintfrr(why, len, "down: %u failures, last %s",
				  inst->cause_streak, cause);
	/* Nothing is known of now when another configuration has just come. */
	if (used < 0 || (size_t)used >= len || !inst->window.streak)
		return;
	if (inst->last_result == PROBE_PASS) {
		snprintfrr(why + used, len - used, "; now %u of %u passes",
			   inst->window.streak,
			   probe_config_runs_up(&inst->def->config));
		return;
	}
	failure_str(last, sizeof(last), inst->last_result, inst->last_detail);
	if (strcmp(last, cause) != 0)
		snprintfrr(why + used, len - used, "; now %s", last);
}

static void why_start(const struct probe_instance *inst, const char *verdict,
		      char *why, size_t len)
{
	const struct probe_window *window = &inst->window;
	const struct probe_config *config = &inst->def->config;

	if (!window->streak)
		snprintfrr(why, len, "starts %s: no result yet", verdict);
	else if (window->last_passed)
		snprintfrr(why, len, "starts %s: %u of %u passes", verdict,
			   window->streak, probe_config_runs_up(config));
	else
		snprintfrr(why, len, "starts %s: %u of %u failures, last %s",
			   verdict, window->streak,
			   probe_config_runs_down(config),
			   probe_result_str(inst->last_result));
}

static void instance_why(const struct probe_instance *inst,
			 enum probe_verdict verdict, enum probe_reason reason,
			 char *why, size_t len)
{
	const char *name = inst->def->name;
	const char *word = probe_verdict_str(verdict);

	switch (reason) {
	case REASON_START:
		why_start(inst, word, why, len);
		break;
	case REASON_RESULTS:
		if (verdict == PROBE_UP)
			snprintfrr(why, len, "up");
		else
			why_down(inst, why, len);
		break;
	case REASON_NOT_CONFIGURED:
		snprintfrr(why, len, "probe %s is not configured", name);
		break;
	case REASON_INVALID:
		snprintfrr(why, len, "probe %s invalid: %s", name,
			   inst->invalid);
		break;
	case REASON_INVALID_KEPT:
		snprintfrr(why, len, "probe %s invalid: %s (%s for now)", name,
			   inst->invalid, word);
		break;
	}
}

void probe_reason_text(const char *name, const char *why, char *buf, size_t len)
{
	bool named = strncmp(why, "probe ", strlen("probe ")) == 0;

	snprintfrr(buf, len, "%s%s%s%s", named ? "" : "probe ",
		   named ? "" : name, named ? "" : ": ", why);
}

/* Tells users if they would read something else now. */
void probe_inst_report(struct probe_instance *inst)
{
	struct probe_engine *engine = inst->def->engine;
	enum probe_reason reason;
	enum probe_verdict verdict = probe_inst_verdict(inst, &reason);

	if (verdict == inst->told_verdict && reason == inst->told_reason &&
	    inst->invalid == inst->told_invalid)
		return;
	if (verdict != inst->told_verdict)
		inst->since_us = engine_now(engine);
	inst->told_before = inst->told_verdict;
	inst->told_verdict = verdict;
	inst->told_reason = reason;
	inst->told_invalid = inst->invalid;
	engine->ops->changed(engine->arg, inst);
}

enum probe_verdict probe_instance_told_before(const struct probe_instance *inst)
{
	return inst->told_before;
}

/* ------------------------------------------------------------------------ */
/* Schedule                                                                 */

/* at_us 0: no timer. */
void probe_inst_timer(struct probe_instance *inst, int64_t at_us)
{
	struct probe_engine *engine = inst->def->engine;

	if (inst->queued)
		probe_queue_del(&engine->queue, inst);
	inst->queued = false;
	if (inst->timed)
		probe_timers_del(&engine->timers, inst);
	inst->at_us = at_us;
	inst->timed = at_us != 0;
	if (inst->timed)
		probe_timers_add(&engine->timers, inst);
}

bool probe_engine_room(const struct probe_engine *engine)
{
	return !engine->short_until_us &&
	       (!engine->open_max || engine->open < engine->open_max);
}

void probe_inst_queue_next(struct probe_engine *engine)
{
	struct probe_instance *inst = probe_queue_first(&engine->queue);

	if (inst && probe_engine_room(engine))
		probe_inst_timer(inst, inst->queued_us);
}

void probe_inst_phase(struct probe_instance *inst, enum probe_phase phase,
		      int64_t at_us)
{
	struct probe_engine *engine = inst->def->engine;
	bool ended = inst->open && phase != PROBE_IN_FLIGHT;

	if (ended) {
		inst->open = false;
		engine->open--;
	}
	inst->phase = phase;
	probe_inst_timer(inst, at_us);
	if (ended)
		probe_inst_queue_next(engine);
}

void probe_inst_queue(struct probe_instance *inst)
{
	struct probe_engine *engine = inst->def->engine;
	int64_t due_us = inst->at_us;

	probe_inst_timer(inst, 0);
	inst->queued = true;
	inst->queued_us = due_us;
	probe_queue_add(&engine->queue, inst);
}

int64_t probe_inst_interval_us(const struct probe_instance *inst)
{
	const struct probe_config *config = &inst->def->config;

	return INT64_C(1000) * (probe_window_fast(&inst->window)
					? probe_config_fast_interval_ms(config)
					: probe_config_interval_ms(config));
}

int64_t probe_inst_timeout_us(const struct probe_instance *inst)
{
	return probe_config_deadline_us(&inst->def->config);
}

/* The first run: spread out, so that what is made together doesn't run so. */
static int64_t first_due(const struct probe_instance *inst, int64_t now)
{
	const struct probe_engine *engine = inst->def->engine;
	uint64_t span = probe_inst_interval_us(inst) *
			probe_config_jitter(&inst->def->config) / 100;

	return now + (int64_t)((engine->ops->random(engine->arg) * span) >> 32);
}

/*
 * The first point of the grid that began with the last turn, not before now and
 * not that turn again.  Whatever the number of changes, no run is added, and
 * instances that were spread out stay so.
 */
int64_t probe_inst_next_due(const struct probe_instance *inst, int64_t now)
{
	int64_t interval = probe_inst_interval_us(inst);
	int64_t steps = 1;

	if (!inst->planned)
		return first_due(inst, now);
	if (now > inst->grid_us + interval)
		steps = (now - inst->grid_us + interval - 1) / interval;
	return inst->grid_us + steps * interval;
}

/* The earliest that a run out of turn may begin. */
static int64_t prompt_at(const struct probe_instance *inst, int64_t now)
{
	const struct probe_config *config = &inst->def->config;
	int64_t at;

	if (!inst->prompted_us)
		return now;
	at = inst->prompted_us +
	     INT64_C(1000) * probe_config_fast_interval_ms(config);
	return at > now ? at : now;
}

void probe_inst_wait(struct probe_instance *inst, int64_t due_us)
{
	int64_t at = due_us;

	if (inst->prompt)
		at = prompt_at(inst, engine_now(inst->def->engine));
	inst->prompt_next = at < due_us;
	probe_inst_phase(inst, PROBE_WAITING, at < due_us ? at : due_us);
}

bool probe_inst_prompt(struct probe_instance *inst)
{
	if (inst->phase == PROBE_STOPPED)
		return false;
	if (inst->prompt)
		return true;
	inst->prompt = true;
	/* Queued, it is due already, and keeps its place: no timer to bring on. */
	if (inst->phase != PROBE_WAITING || inst->queued)
		return true;
	if (!inst->planned) {
		/* Its first turn stays where jitter has put it. */
		inst->planned = true;
		inst->grid_us = inst->at_us - probe_inst_interval_us(inst);
	}
	probe_inst_wait(inst, inst->at_us);
	return true;
}

/* Takes the run in flight from its type; what it means is for the caller. */
static void instance_abort(struct probe_instance *inst)
{
	struct probe_engine *engine = inst->def->engine;

	probe_inst_phase(inst, PROBE_WAITING, 0);
	engine->ops->cancel(engine->arg, inst);
}

void probe_inst_cancel(struct probe_instance *inst)
{
	if (inst->phase != PROBE_IN_FLIGHT)
		return;
	inst->counters.cancelled++;
	instance_abort(inst);
}

void probe_inst_release(struct probe_instance *inst)
{
	struct probe_engine *engine = inst->def->engine;

	engine->ops->release(engine->arg, inst);
}

void probe_inst_stop(struct probe_instance *inst)
{
	int64_t until = 0;

	probe_inst_cancel(inst);
	probe_inst_release(inst);
	if (inst->have_result)
		until = engine_now(inst->def->engine) + PROBE_LINGER_US;
	inst->prompt = inst->prompt_next = inst->off_grid = false;
	inst->postponed = false;
	probe_inst_phase(inst, PROBE_STOPPED, until);
}

void probe_inst_begin(struct probe_instance *inst, int64_t now)
{
	struct probe_engine *engine = inst->def->engine;
	struct probe_attempt *attempt = &inst->attempt;
	int64_t late;

	attempt->id = ++engine->last_id;
	attempt->due_us = inst->at_us;
	attempt->started_us = now;
	attempt->deadline_us = now + probe_inst_timeout_us(inst);

	inst->counters.runs++;
	if (inst->prompt_next) {
		inst->counters.prompted++;
		inst->prompted_us = now;
		inst->off_grid = true;
	}
	if (!inst->off_grid) {
		inst->planned = true;
		inst->grid_us = attempt->due_us;
	}
	inst->prompt = inst->prompt_next = false;
	late = now - attempt->due_us;
	if (late > PROBE_LATE_US)
		inst->counters.late++;
	if (late > inst->late_max_us)
		inst->late_max_us = late;

	inst->open = probe_config_opens(&inst->def->config);
	engine->open += inst->open;
	probe_inst_phase(inst, PROBE_IN_FLIGHT, attempt->deadline_us);
	engine->ops->start(engine->arg, inst, attempt);
}

bool probe_inst_postpone(struct probe_instance *inst)
{
	struct probe_engine *engine = inst->def->engine;
	const struct probe_attempt *attempt = &inst->attempt;
	int64_t now = engine_now(engine);

	/* A lack that nobody has seen the end of was another one. */
	if (!engine->short_since_us ||
	    now - engine->short_last_us >= PROBE_SHORT_MAX_US)
		engine->short_since_us = now;
	engine->short_last_us = now;
	if (now - engine->short_since_us >= PROBE_SHORT_MAX_US)
		return false;
	engine->short_until_us = now + PROBE_SHORT_RETRY_US;
	inst->postponed = true;
	inst->counters.runs--;
	if (attempt->started_us - attempt->due_us > PROBE_LATE_US)
		inst->counters.late--;
	probe_inst_phase(inst, PROBE_WAITING, attempt->due_us);
	probe_inst_queue(inst);
	return true;
}

/* A run is over: what it had is free, and it tells whether there was enough. */
static void instance_shortage(struct probe_instance *inst,
			      enum probe_result result)
{
	struct probe_engine *engine = inst->def->engine;

	if (!probe_config_opens(&inst->def->config) && !inst->postponed)
		return;
	inst->postponed = false;
	engine->short_until_us = 0;
	if (result != PROBE_LOCAL)
		engine->short_since_us = 0;
}

/* ------------------------------------------------------------------------ */
/* Results                                                                  */

static void instance_note(struct probe_instance *inst, enum probe_result result,
			  int64_t rtt_us, const char *detail, int64_t now)
{
	inst->counters.results[result]++;
	if (inst->have_result && result == inst->last_result &&
	    inst->window.streak)
		inst->same++;
	else
		inst->same = 1;
	inst->have_result = true;
	inst->last_result = result;
	inst->last_result_us = now;
	strlcpy(inst->last_detail, detail ? detail : "",
		sizeof(inst->last_detail));
	if (result == PROBE_PASS)
		inst->last_rtt_us = rtt_us;
}

static void instance_cause(struct probe_instance *inst)
{
	inst->cause = inst->last_result;
	inst->cause_streak = inst->window.streak;
	inst->cause_same = inst->same;
	strlcpy(inst->cause_detail, inst->last_detail,
		sizeof(inst->cause_detail));
}

/* The run in flight has ended by itself. */
void probe_inst_end(struct probe_instance *inst, enum probe_result result,
		    int64_t rtt_us, const char *detail)
{
	const struct probe_config *config = &inst->def->config;
	int64_t now = engine_now(inst->def->engine);
	int64_t due;

	instance_shortage(inst, result);
	instance_note(inst, result, rtt_us, detail, now);
	switch (probe_window_result(&inst->window, result == PROBE_PASS,
				    probe_config_runs_up(config),
				    probe_config_runs_down(config))) {
	case PROBE_WINDOW_WENT_UP:
		inst->counters.transitions++;
		break;
	case PROBE_WINDOW_WENT_DOWN:
		inst->counters.transitions++;
		instance_cause(inst);
		break;
	case PROBE_WINDOW_CONFIRMED:
		instance_cause(inst);
		break;
	case PROBE_WINDOW_NONE:
		break;
	}

	/* Never overlapping, and never drifting. */
	due = inst->attempt.due_us + probe_inst_interval_us(inst);
	if (inst->off_grid && !probe_window_fast(&inst->window)) {
		inst->off_grid = false;
		due = probe_inst_next_due(inst, now);
	}
	probe_inst_wait(inst, due > now ? due : now);
	probe_inst_report(inst);
}

void probe_inst_timed_out(struct probe_instance *inst, int64_t now)
{
	instance_abort(inst);
	probe_inst_end(inst, PROBE_TIMEOUT, now - inst->attempt.started_us,
		       NULL);
}

void probe_inst_forget(struct probe_instance *inst)
{
	inst->have_result = false;
	inst->planned = false;
	inst->same = 0;
	probe_window_start(&inst->window,
			   probe_config_start_up(&inst->def->config));
	probe_inst_timer(inst, 0);
	probe_inst_report(inst);
}

const struct probe_def *probe_instance_def(const struct probe_instance *inst)
{
	return inst->def;
}

const struct probe_config *
probe_instance_config(const struct probe_instance *inst)
{
	return &inst->def->config;
}

const char *probe_instance_vrf(const struct probe_instance *inst)
{
	return inst->vrf;
}

const struct ipaddr *probe_instance_target(const struct probe_instance *inst)
{
	return &inst->target;
}

enum probe_phase probe_instance_phase(const struct probe_instance *inst)
{
	return inst->phase;
}

void *probe_instance_io(const struct probe_instance *inst)
{
	return inst->io;
}

void probe_instance_set_io(struct probe_instance *inst, void *io)
{
	inst->io = io;
}

enum probe_verdict probe_instance_verdict(const struct probe_instance *inst,
					  char *why, size_t why_len)
{
	enum probe_reason reason;
	enum probe_verdict verdict = probe_inst_verdict(inst, &reason);

	if (why)
		instance_why(inst, verdict, reason, why, why_len);
	return verdict;
}

void probe_instance_view(const struct probe_instance *inst,
			 struct probe_instance_view *view)
{
	memset(view, 0, sizeof(*view));
	strlcpy(view->name, inst->def->name, sizeof(view->name));
	strlcpy(view->vrf, inst->vrf, sizeof(view->vrf));
	view->target = inst->target;
	view->verdict = probe_instance_verdict(inst, view->why,
					       sizeof(view->why));
	view->since_us = inst->since_us;
	view->phase = inst->phase;
	view->window = inst->window.state;
	view->streak = inst->window.streak;
	view->references = inst->refs;
	view->have_result = inst->have_result;
	view->last_result = inst->last_result;
	strlcpy(view->last_detail, inst->last_detail, sizeof(view->last_detail));
	view->last_result_us = inst->last_result_us;
	view->last_rtt_us = inst->last_rtt_us;
	view->last_started_us = inst->attempt.started_us;
	view->next_us = inst->queued ? inst->queued_us : inst->at_us;
	view->late_max_us = inst->late_max_us;
	view->counters = inst->counters;
}
