// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Definitions, instances, references, the timer.  See probe_engine.h for what
 * it does, probe_private.h for how it is laid out.
 *
 * Public calls that change something end in engine_settle(): it binds
 * references that had been refused, and sets the timer.
 */
#include "config.h"

#include <string.h>

#include "memory.h"
#include "printfrr.h"

#include "probe/probe_private.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_ENGINE, "Probe engine");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_DEF, "Probe definition");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_EDIT, "Probe edited configuration");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_INSTANCE, "Probe instance");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_REF, "Probe reference");

#define DEFAULT_VRF "default"

static struct probe_engine *main_engine;

/* ------------------------------------------------------------------------ */
/* Definitions, instances and references                                    */

static struct probe_def *def_find(const struct probe_engine *engine,
				  const char *name)
{
	struct probe_def ref;

	if (strlcpy(ref.name, name, sizeof(ref.name)) >= sizeof(ref.name))
		return NULL;
	return (struct probe_def *)probe_defs_const_find(&engine->defs, &ref);
}

static struct probe_def *def_get(struct probe_engine *engine, const char *name)
{
	struct probe_def *def = def_find(engine, name);

	if (def)
		return def;
	def = XCALLOC(MTYPE_PROBE_DEF, sizeof(*def));
	def->engine = engine;
	strlcpy(def->name, name, sizeof(def->name));
	probe_config_init(&def->config);
	probe_instances_init(&def->instances);
	probe_refs_init(&def->refs);
	probe_defs_add(&engine->defs, def);
	return def;
}

/* Frees the definition if nothing holds it any more. */
static void def_release(struct probe_def *def)
{
	if (def->configured || def->dirty || probe_refs_count(&def->refs) ||
	    probe_instances_count(&def->instances))
		return;
	probe_defs_del(&def->engine->defs, def);
	probe_refs_fini(&def->refs);
	probe_instances_fini(&def->instances);
	probe_config_fini(&def->config);
	XFREE(MTYPE_PROBE_DEF, def);
}

static struct probe_instance *instance_find(const struct probe_def *def,
					    const char *vrf,
					    const struct ipaddr *target)
{
	struct probe_instance ref;

	strlcpy(ref.vrf, vrf, sizeof(ref.vrf));
	ref.target = *target;
	return (struct probe_instance *)
		probe_instances_const_find(&def->instances, &ref);
}

static struct probe_instance *instance_new(struct probe_def *def,
					   const char *vrf,
					   const struct ipaddr *target)
{
	struct probe_instance *inst;

	inst = XCALLOC(MTYPE_PROBE_INSTANCE, sizeof(*inst));
	inst->def = def;
	strlcpy(inst->vrf, vrf, sizeof(inst->vrf));
	inst->target = *target;
	inst->last_rtt_us = -1;
	inst->since_us = engine_now(def->engine);
	probe_window_start(&inst->window, probe_config_start_up(&def->config));
	probe_instances_add(&def->instances, inst);
	def->engine->instances++;

	probe_inst_phase(inst, PROBE_STOPPED, 0);
	if (def->configured)
		inst->invalid = probe_config_invalid(&def->config, target);
	inst->told_verdict = probe_inst_verdict(inst, &inst->told_reason);
	inst->told_invalid = inst->invalid;
	return inst;
}

static void instance_free(struct probe_instance *inst)
{
	struct probe_def *def = inst->def;
	struct probe_engine *engine = def->engine;

	probe_inst_cancel(inst);
	probe_inst_timer(inst, 0);
	engine->ops->gone(engine->arg, inst);
	probe_instances_del(&def->instances, inst);
	engine->instances--;
	XFREE(MTYPE_PROBE_INSTANCE, inst);
}

static bool instance_can_run(const struct probe_instance *inst)
{
	return inst->refs && inst->def->configured && !inst->invalid;
}

/* Nobody would miss it. */
static bool instance_unneeded(const struct probe_instance *inst)
{
	return inst->refs == 0 && !inst->have_result;
}

/* As if none had been out of turn before: no limit. */
static void instance_look(struct probe_instance *inst)
{
	inst->prompt = false;
	inst->prompted_us = 0;
	probe_inst_prompt(inst);
}

/* Something that it depends on has changed.  May free it. */
static void instance_update(struct probe_instance *inst)
{
	struct probe_engine *engine = inst->def->engine;

	if (!instance_can_run(inst)) {
		if (inst->phase != PROBE_STOPPED)
			probe_inst_stop(inst);
		if (instance_unneeded(inst)) {
			instance_free(inst);
			return;
		}
	} else if (inst->phase == PROBE_STOPPED) {
		probe_inst_wait(inst,
				probe_inst_next_due(inst, engine_now(engine)));
		/* What is watched again is known at once. */
		if (inst->planned && probe_config_watches(&inst->def->config))
			instance_look(inst);
	}
	probe_inst_report(inst);
}

/* Binds a reference that isn't bound to what it should be bound to now. */
static void ref_bind(struct probe_ref *ref)
{
	struct probe_def *def = ref->def;
	struct probe_engine *engine = def->engine;
	const struct ipaddr *target = probe_config_target(&def->config);
	const char *vrf = def->config.vrf[0] ? def->config.vrf : ref->vrf;
	struct probe_instance *inst;

	if (IS_IPADDR_NONE(target))
		target = &ref->addr;
	inst = instance_find(def, vrf, target);
	if (!inst && engine->instances >= PROBE_INSTANCES_MAX) {
		probe_refusals_add_tail(&engine->refusals, ref);
		return;
	}
	if (!inst)
		inst = instance_new(def, vrf, target);
	ref->instance = inst;
	inst->refs++;
	instance_update(inst);
}

/* The instance that it was bound to is still to be updated. */
static struct probe_instance *ref_unbind(struct probe_ref *ref)
{
	struct probe_instance *inst = ref->instance;

	if (inst)
		inst->refs--;
	else
		probe_refusals_del(&ref->def->engine->refusals, ref);
	ref->instance = NULL;
	return inst;
}

/* Not bound yet. */
static struct probe_ref *ref_new(struct probe_def *def, const char *vrf,
				 const struct ipaddr *addr)
{
	struct probe_ref *ref = XCALLOC(MTYPE_PROBE_REF, sizeof(*ref));

	ref->def = def;
	strlcpy(ref->vrf, vrf, sizeof(ref->vrf));
	ref->addr = *addr;
	probe_refs_add_tail(&def->refs, ref);
	return ref;
}

/* Not bound any more. */
static void ref_del(struct probe_ref *ref)
{
	probe_refs_del(&ref->def->refs, ref);
	XFREE(MTYPE_PROBE_REF, ref);
}

/* With a target it runs by itself, but only while nobody says in which VRF. */
static bool standing_wanted(const struct probe_def *def)
{
	size_t users = probe_refs_count(&def->refs) - (def->standing ? 1 : 0);

	return !users && !IS_IPADDR_NONE(probe_config_target(&def->config));
}

static void standing_add(struct probe_def *def)
{
	def->standing = ref_new(def, DEFAULT_VRF,
				probe_config_target(&def->config));
}

/* A user has come, and is bound. */
static void standing_end(struct probe_def *def)
{
	struct probe_instance *inst;

	if (!def->standing)
		return;
	inst = ref_unbind(def->standing);
	ref_del(def->standing);
	def->standing = NULL;
	if (inst)
		instance_update(inst);
}

/* A user is gone, but for the update of its instance. */
static void standing_begin(struct probe_def *def)
{
	if (def->standing || !standing_wanted(def))
		return;
	standing_add(def);
	ref_bind(def->standing);
}

/* The definition's target or VRF has changed. */
static void def_rebind(struct probe_def *def)
{
	struct probe_engine *engine = def->engine;
	struct probe_instance *inst;
	struct probe_ref *ref;

	/*
	 * First all of them off, then on again, and only then what is left
	 * without is stopped: what keeps a reference doesn't notice.
	 */
	frr_each (probe_refs, &def->refs, ref)
		ref_unbind(ref);
	if (def->standing)
		ref_del(def->standing);
	def->standing = NULL;
	if (standing_wanted(def))
		standing_add(def);
	frr_each (probe_refs, &def->refs, ref)
		ref_bind(ref);
	frr_each_safe (probe_instances, &def->instances, inst)
		instance_update(inst);
	engine->ops->changed(engine->arg, NULL);
}

/* ------------------------------------------------------------------------ */
/* Configuration                                                            */

/* A valid, running instance takes over changed values. */
static void instance_replan(struct probe_instance *inst, bool new_check)
{
	bool watches = probe_config_watches(&inst->def->config);
	int64_t now = engine_now(inst->def->engine);
	int64_t deadline;

	if (new_check || watches)
		probe_inst_cancel(inst);
	if (new_check)
		probe_inst_release(inst);

	if (inst->phase == PROBE_IN_FLIGHT) {
		deadline = inst->attempt.started_us +
			   probe_inst_timeout_us(inst);
		inst->attempt.deadline_us = deadline;
		probe_inst_timer(inst, deadline);
	} else if (inst->planned || inst->queued ||
		   inst->at_us > now + probe_inst_interval_us(inst)) {
		probe_inst_wait(inst, probe_inst_next_due(inst, now));
	}
	/* What is watched from now on is known at once; so are new times. */
	if (watches)
		instance_look(inst);
}

static void instance_configure(struct probe_instance *inst, bool new_check,
			       bool new_times, bool new_start)
{
	const struct probe_def *def = inst->def;

	inst->invalid = def->configured ? probe_config_invalid(&def->config,
							       &inst->target)
					: NULL;
	/*
	 * Typed, `start` often comes when the first checks have ended. What
	 * they found decides only when it is enough.
	 */
	if (!inst->have_result || (new_start && !inst->window.settled))
		probe_window_start(&inst->window,
				   probe_config_start_up(&def->config));
	else if (new_check)
		probe_window_restart(&inst->window);
	if (instance_can_run(inst) && inst->phase != PROBE_STOPPED &&
	    (new_check || new_times))
		instance_replan(inst, new_check);
	instance_update(inst);
}

static void def_apply(struct probe_def *def)
{
	struct probe_config old = def->config; /* moved */
	bool was = def->configured;
	bool new_check, new_times, new_start;
	struct probe_instance *inst;

	def->configured = def->wanted;
	if (def->wanted)
		def->config = *def->edit; /* moved as well */
	else
		probe_config_init(&def->config);
	XFREE(MTYPE_PROBE_EDIT, def->edit);

	/* One that comes back may check something else than before. */
	new_check = def->configured &&
		    (!was || !probe_config_same_check(&old, &def->config));
	new_times = !probe_config_same_times(&old, &def->config);
	new_start = def->configured && was &&
		    probe_config_start_up(&old) !=
			    probe_config_start_up(&def->config);
	frr_each_safe (probe_instances, &def->instances, inst)
		instance_configure(inst, new_check, new_times, new_start);

	if (ipaddr_cmp(probe_config_target(&old),
		       probe_config_target(&def->config)) != 0 ||
	    strcmp(old.vrf, def->config.vrf) != 0)
		def_rebind(def);
	probe_config_fini(&old);
}

static void edit_free(struct probe_def *def)
{
	if (def->edit)
		probe_config_fini(def->edit);
	XFREE(MTYPE_PROBE_EDIT, def->edit);
}

struct probe_config *probe_engine_edit(struct probe_engine *engine,
				       const char *name)
{
	struct probe_def *def;

	if (strlen(name) >= PROBE_NAME_LEN)
		return NULL;
	def = def_get(engine, name);
	if (!def->dirty) {
		def->dirty = true;
		probe_edits_add_tail(&engine->edits, def);
		if (def->wanted) {
			def->edit = XMALLOC(MTYPE_PROBE_EDIT,
					    sizeof(*def->edit));
			probe_config_copy(def->edit, &def->config);
		}
	}
	if (!def->wanted) {
		def->wanted = true;
		def->edit = XMALLOC(MTYPE_PROBE_EDIT, sizeof(*def->edit));
		probe_config_init(def->edit);
	}
	return def->edit;
}

void probe_engine_remove(struct probe_engine *engine, const char *name)
{
	struct probe_def *def = def_find(engine, name);

	if (!def || (!def->configured && !def->dirty))
		return;
	if (!def->dirty) {
		def->dirty = true;
		probe_edits_add_tail(&engine->edits, def);
	}
	def->wanted = false;
	edit_free(def);
}

bool probe_engine_dirty(const struct probe_engine *engine)
{
	return probe_edits_count(&engine->edits) > 0;
}

/* ------------------------------------------------------------------------ */
/* The engine                                                               */

static void engine_timer(struct probe_engine *engine)
{
	const struct probe_instance *first = probe_timers_first(&engine->timers);
	int64_t at_us = first ? first->at_us : INT64_MAX;

	/* Beyond the limit it is the end of a run that goes on with the queue. */
	if (engine->short_until_us && engine->short_until_us < at_us &&
	    probe_queue_count(&engine->queue))
		at_us = engine->short_until_us;
	if (at_us == INT64_MAX) {
		if (engine->armed)
			engine->ops->disarm(engine->arg);
		engine->armed = false;
		return;
	}
	if (engine->armed && engine->armed_us == at_us)
		return;
	engine->armed = true;
	engine->armed_us = at_us;
	engine->ops->arm(engine->arg, at_us);
}

static void engine_settle(struct probe_engine *engine)
{
	struct probe_ref *ref;
	bool bound = false;

	if (engine->busy)
		return;
	while (engine->instances < PROBE_INSTANCES_MAX &&
	       (ref = probe_refusals_pop(&engine->refusals))) {
		ref_bind(ref);
		bound = true;
	}
	if (bound)
		engine->ops->changed(engine->arg, NULL);
	if (engine->short_until_us &&
	    engine_now(engine) >= engine->short_until_us)
		engine->short_until_us = 0;
	/* Also when the one that was next has been stopped. */
	probe_inst_queue_next(engine);
	engine_timer(engine);
}

void probe_engine_apply(struct probe_engine *engine)
{
	struct probe_def *def;

	while ((def = probe_edits_pop(&engine->edits))) {
		def_apply(def);
		def->dirty = false;
		def_release(def);
	}
	engine_settle(engine);
}

/* The time of an instance has come: what for, says its phase. */
static void instance_due(struct probe_instance *inst, int64_t now)
{
	struct probe_def *def = inst->def;

	switch (inst->phase) {
	case PROBE_WAITING:
		if (!probe_engine_room(def->engine) &&
		    probe_config_opens(&def->config))
			probe_inst_queue(inst);
		else
			probe_inst_begin(inst, now);
		break;
	case PROBE_IN_FLIGHT:
		probe_inst_timed_out(inst, now);
		break;
	case PROBE_STOPPED:
		if (inst->refs) {
			probe_inst_forget(inst);
			break;
		}
		instance_free(inst);
		def_release(def);
		break;
	}
}

void probe_engine_run(struct probe_engine *engine)
{
	struct probe_instance *inst;
	int64_t now;

	engine->armed = false;
	engine->busy = true;
	for (int i = 0; i < PROBE_RUN_BURST; i++) {
		inst = probe_timers_first(&engine->timers);
		now = engine_now(engine);
		if (!inst || inst->at_us > now)
			break;
		instance_due(inst, now);
	}
	engine->busy = false;
	engine_settle(engine);
}

void probe_engine_limit(struct probe_engine *engine, size_t open_max)
{
	engine->open_max = open_max;
}

void probe_engine_load(const struct probe_engine *engine,
		       struct probe_engine_load *load)
{
	load->open = engine->open;
	load->open_max = engine->open_max;
	load->queued = probe_queue_count(&engine->queue);
}

size_t probe_engine_instances(const struct probe_engine *engine)
{
	return engine->instances;
}

size_t probe_engine_refused(const struct probe_engine *engine)
{
	return probe_refusals_count(&engine->refusals);
}

struct probe_engine *probe_engine_new(const struct probe_engine_ops *ops,
				      void *arg)
{
	struct probe_engine *engine = XCALLOC(MTYPE_PROBE_ENGINE,
					      sizeof(*engine));

	engine->ops = ops;
	engine->arg = arg;
	probe_defs_init(&engine->defs);
	probe_edits_init(&engine->edits);
	probe_timers_init(&engine->timers);
	probe_queue_init(&engine->queue);
	probe_refusals_init(&engine->refusals);
	return engine;
}

static void def_free(struct probe_def *def)
{
	struct probe_instance *inst;
	struct probe_ref *ref;

	while ((ref = probe_refs_first(&def->refs))) {
		ref_unbind(ref);
		ref_del(ref);
	}
	frr_each_safe (probe_instances, &def->instances, inst)
		instance_free(inst);
	edit_free(def);
	def->configured = def->dirty = false;
	def_release(def);
}

void probe_engine_free(struct probe_engine **enginep)
{
	struct probe_engine *engine = *enginep;
	struct probe_def *def;

	if (!engine)
		return;
	if (main_engine == engine)
		main_engine = NULL;
	while (probe_edits_pop(&engine->edits))
		;
	frr_each_safe (probe_defs, &engine->defs, def)
		def_free(def);
	engine_timer(engine);
	probe_refusals_fini(&engine->refusals);
	probe_timers_fini(&engine->timers);
	probe_queue_fini(&engine->queue);
	probe_edits_fini(&engine->edits);
	probe_defs_fini(&engine->defs);
	XFREE(MTYPE_PROBE_ENGINE, engine);
	*enginep = NULL;
}

void probe_engine_set_main(struct probe_engine *engine)
{
	main_engine = engine;
}

bool probe_instance_now(struct probe_instance *inst)
{
	bool can = probe_inst_prompt(inst);

	engine_settle(inst->def->engine);
	return can;
}

bool probe_instance_result(struct probe_instance *inst, uint64_t run_id,
			   enum probe_result result, int64_t rtt_us,
			   const char *detail)
{
	struct probe_engine *engine = inst->def->engine;
	char slow[PROBE_DETAIL_LEN];

	if (inst->phase != PROBE_IN_FLIGHT || inst->attempt.id != run_id) {
		inst->counters.stale++;
		return false;
	}
	if (rtt_us < 0) {
		rtt_us = engine_now(engine) - inst->attempt.started_us;
	} else if (rtt_us > probe_inst_timeout_us(inst)) {
		snprintfrr(slow, sizeof(slow), "answer after %lld ms",
			   (long long)(rtt_us / 1000));
		result = PROBE_TIMEOUT;
		detail = slow;
	}
	probe_inst_end(inst, result, rtt_us, detail);
	engine_settle(engine);
	return true;
}

bool probe_instance_postpone(struct probe_instance *inst, uint64_t run_id)
{
	struct probe_engine *engine = inst->def->engine;

	if (inst->phase != PROBE_IN_FLIGHT || inst->attempt.id != run_id ||
	    !probe_inst_postpone(inst))
		return false;
	engine_settle(engine);
	return true;
}

void probe_instance_event(struct probe_instance *inst)
{
	if (inst->phase != PROBE_WAITING)
		return;
	instance_look(inst);
	engine_settle(inst->def->engine);
}

/* ------------------------------------------------------------------------ */
/* References                                                               */

struct probe_ref *probe_engine_ref_get(struct probe_engine *engine,
				       const char *name, const char *vrf,
				       const struct ipaddr *addr)
{
	char cut[PROBE_NAME_LEN];
	struct probe_ref *ref;

	strlcpy(cut, name, sizeof(cut));
	ref = ref_new(def_get(engine, cut), vrf, addr);
	ref_bind(ref);
	standing_end(ref->def);
	engine_settle(engine);
	return ref;
}

struct probe_ref *probe_ref_get(const char *name, const char *vrf,
				const struct ipaddr *addr)
{
	assert(main_engine);
	return probe_engine_ref_get(main_engine, name, vrf, addr);
}

void probe_ref_put(struct probe_ref **refp)
{
	struct probe_ref *ref = *refp;
	struct probe_def *def;
	struct probe_engine *engine;
	struct probe_instance *inst;

	if (!ref)
		return;
	*refp = NULL;
	def = ref->def;
	engine = def->engine;
	inst = ref_unbind(ref);
	ref_del(ref);
	standing_begin(def);
	if (inst)
		instance_update(inst);
	def_release(def);
	engine_settle(engine);
}

const struct probe_instance *probe_ref_instance(const struct probe_ref *ref)
{
	return ref->instance;
}

bool probe_ref_same(const struct probe_ref *a, const struct probe_ref *b)
{
	return a->instance && a->instance == b->instance;
}

bool probe_ref_is_target(const struct probe_ref *ref, const struct ipaddr *addr)
{
	return ref->instance &&
	       ipaddr_cmp(probe_instance_target(ref->instance), addr) == 0;
}

bool probe_ref_way(const struct probe_ref *ref, const char **vrf,
		   struct prefix *to, bool *watched)
{
	const struct probe_config *config = &ref->def->config;
	const struct ipaddr *target;

	if (!ref->instance)
		return false;
	*vrf = probe_instance_vrf(ref->instance);
	*watched = probe_config_type(config) == PROBE_TYPE_ROUTE;
	if (*watched) {
		*to = config->prefix;
		return to->family != AF_UNSPEC;
	}
	switch (probe_config_type(config)) {
	case PROBE_TYPE_ICMP:
	case PROBE_TYPE_TCP:
	case PROBE_TYPE_HTTP:
	case PROBE_TYPE_HTTPS:
	case PROBE_TYPE_DNS:
	case PROBE_TYPE_BFD:
		break;
	default:
		return false;
	}
	target = probe_instance_target(ref->instance);
	memset(to, 0, sizeof(*to));
	to->family = IS_IPADDR_V6(target) ? AF_INET6 : AF_INET;
	to->prefixlen = IS_IPADDR_V6(target) ? IPV6_MAX_BITLEN : IPV4_MAX_BITLEN;
	if (IS_IPADDR_V6(target))
		to->u.prefix6 = target->ipaddr_v6;
	else
		to->u.prefix4 = target->ipaddr_v4;
	return !IS_IPADDR_NONE(target);
}

bool probe_ref_settled(const struct probe_ref *ref)
{
	return ref->instance && ref->instance->window.settled;
}

enum probe_verdict probe_ref_verdict(const struct probe_ref *ref, char *why,
				     size_t why_len)
{
	if (ref->instance)
		return probe_instance_verdict(ref->instance, why, why_len);
	if (why)
		snprintfrr(why, why_len,
			   "probe %s: limit of %u instances reached",
			   ref->def->name, PROBE_INSTANCES_MAX);
	return PROBE_UNKNOWN;
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                  */

const struct probe_def *probe_def_next(const struct probe_engine *engine,
				       const struct probe_def *def)
{
	return def ? probe_defs_const_next(&engine->defs, def)
		   : probe_defs_const_first(&engine->defs);
}

const struct probe_def *probe_def_after(const struct probe_engine *engine,
					const char *name)
{
	const struct probe_def *def;
	struct probe_def ref;

	strlcpy(ref.name, name, sizeof(ref.name));
	def = probe_defs_const_find_gteq(&engine->defs, &ref);
	if (def && strcmp(def->name, name) == 0)
		def = probe_defs_const_next(&engine->defs, def);
	return def;
}

const struct probe_def *probe_def_find(const struct probe_engine *engine,
				       const char *name)
{
	return def_find(engine, name);
}

const char *probe_def_name(const struct probe_def *def)
{
	return def->name;
}

bool probe_def_configured(const struct probe_def *def)
{
	return def->configured;
}

const struct probe_config *probe_def_config(const struct probe_def *def)
{
	return &def->config;
}

size_t probe_def_instances(const struct probe_def *def)
{
	return probe_instances_count(&def->instances);
}

struct probe_instance *probe_instance_next(const struct probe_def *def,
					   const struct probe_instance *inst)
{
	return (struct probe_instance
			*)(inst ? probe_instances_const_next(&def->instances,
							     inst)
				: probe_instances_const_first(&def->instances));
}

struct probe_instance *probe_instance_find(const struct probe_def *def,
					   const char *vrf,
					   const struct ipaddr *target)
{
	return instance_find(def, vrf, target);
}
