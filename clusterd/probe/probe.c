// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Health probes: the engine bound to FRR's loop and to the types of checks.
 *
 *     probe_nb.c, probe_cli.c --> probe_engine (pure) --> VIPs, by probe.h
 *                                   |  ^
 *                       start/cancel|  |result           this file
 *                                   v  |
 *          probe_icmp.c probe_tcp.c probe_http.c         by probe_type.h
 *                                   |
 *                               probe_io.c               sockets and timers
 *
 * Configuration takes effect in the probes' turn of the decision event, so
 * that one transaction, or one file, is one change.
 *
 * spec: vip.md, "Probes".
 */
#include "cluster_compat.h"

#include <sys/resource.h>

#include "jhash.h"
#include "network.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "probe/probe_hold_io.h"
#include "probe/probe_io.h"
#include "probe/probe_daemon.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_UNIT, "Probe instance I/O");

/* Complaints about local failures: so many in so many seconds. */
#define PROBE_LOG_BURST	   10
#define PROBE_LOG_PERIOD_S 10
#define INSTANCE_TEXT_LEN  (64 + INET6_ADDRSTRLEN + VRF_NAMSIZ + 16)

/*
 * The engine is woken at multiples of this time, so that what is due at nearly
 * the same time costs one wake-up: a third of the CPU time of a thousand
 * checks a second is wake-ups.  Every interval is a multiple of it as well, so
 * the checks of a target are exactly as far apart as they should be.
 */
#define PROBE_RASTER_US 1000

/* What an instance of the engine has here. */
struct probe_unit {
	struct probe_check check;
	struct probe_instance *instance;
	struct probe_held *held;	/* the connection of `hold`, or NULL */
	uint64_t run_id;		/* of the check in flight */
	uint32_t complaint;		/* hash of the last logged reason; 0 */
	struct probe_counters *cleared; /* as they were when cleared, or NULL */
};

struct probe_engine *probe_engine;
static struct probe_timer engine_timer;
static void (*on_change)(void);

static struct {
	int64_t since_us;
	unsigned int logged;
	unsigned int suppressed;
} complaints;

const struct probe_type *const probe_types[PROBE_TYPE_MAX] = {
	[PROBE_TYPE_ICMP] = &probe_type_icmp,
	[PROBE_TYPE_TCP] = &probe_type_tcp,
	[PROBE_TYPE_HTTP] = &probe_type_http,
	[PROBE_TYPE_HTTPS] = &probe_type_http,
	[PROBE_TYPE_COMMAND] = &probe_type_command,
	[PROBE_TYPE_INTERFACE] = &probe_type_interface,
	[PROBE_TYPE_ROUTE] = &probe_type_route,
	[PROBE_TYPE_BFD] = &probe_type_bfd,
	[PROBE_TYPE_DNS] = &probe_type_dns,
	[PROBE_TYPE_HEARTBEAT] = &probe_type_heartbeat,
};

/* ------------------------------------------------------------------------ */
/* Results                                                                  */

static const char *instance_name(const struct probe_instance *instance)
{
	return probe_def_name(probe_instance_def(instance));
}

static bool complaint_allowed(void)
{
	int64_t now_us = cluster_now_us();

	if (now_us - complaints.since_us > PROBE_LOG_PERIOD_S * 1000000LL) {
		if (complaints.suppressed)
			flog_warn(EC_CLUSTER_PROBE_LOCAL,
				  "%u more probes could not be sent; see `show cluster probe`",
				  complaints.suppressed);
		complaints.since_us = now_us;
		complaints.logged = 0;
		complaints.suppressed = 0;
	}
	if (complaints.logged < PROBE_LOG_BURST) {
		complaints.logged++;
		return true;
	}
	complaints.suppressed++;
	return false;
}

/* Of a type without target the target is 0.0.0.0, which would tell nobody. */
static const char *instance_text(const struct probe_instance *instance,
				 char *buf, size_t len)
{
	const struct ipaddr *target = probe_instance_target(instance);

	if (ipaddr_is_zero(target))
		snprintfrr(buf, len, "%s in VRF %s", instance_name(instance),
			   probe_instance_vrf(instance));
	else
		snprintfrr(buf, len, "%s of %pIA in VRF %s",
			   instance_name(instance), target,
			   probe_instance_vrf(instance));
	return buf;
}

/* A failure that is our own is for the operator of this node: once a reason. */
static void complain(struct probe_unit *unit, enum probe_result result,
		     const char *detail)
{
	char text[INSTANCE_TEXT_LEN];
	uint32_t hash;

	if (result != PROBE_LOCAL) {
		unit->complaint = 0;
		return;
	}
	hash = jhash(detail, strlen(detail), 0) | 1;
	if (hash == unit->complaint)
		return;
	unit->complaint = hash;
	if (complaint_allowed())
		flog_warn(EC_CLUSTER_PROBE_LOCAL,
			  "probe %s could not be sent: %s",
			  instance_text(unit->instance, text, sizeof(text)),
			  detail);
}

void probe_check_done(struct probe_check *check, enum probe_result result,
		      int64_t rtt_us, const char *detail)
{
	struct probe_unit *unit = container_of(check, struct probe_unit, check);
	char text[INSTANCE_TEXT_LEN];

	PROBE_DEBUG("probe %s: %s%s%s",
		    instance_text(unit->instance, text, sizeof(text)),
		    probe_result_str(result), detail[0] ? ": " : "", detail);
	complain(unit, result, detail);
	probe_instance_result(unit->instance, unit->run_id, result, rtt_us,
			      detail);
	if (result == PROBE_PASS && probe_held_wanted(unit->instance))
		probe_held_passed(&unit->held, unit->instance);
}

void probe_check_unsent(struct probe_check *check, int err, const char *detail)
{
	struct probe_unit *unit = container_of(check, struct probe_unit, check);

	if ((err == EMFILE || err == ENFILE) &&
	    probe_instance_postpone(unit->instance, unit->run_id))
		return;
	probe_check_done(check, PROBE_LOCAL, -1, detail);
}

void probe_check_event(struct probe_check *check)
{
	struct probe_unit *unit = container_of(check, struct probe_unit, check);

	probe_instance_event(unit->instance);
}

/* ------------------------------------------------------------------------ */
/* The engine's operations                                                  */

static int64_t op_now(void *arg)
{
	return cluster_now_us();
}

static uint32_t op_random(void *arg)
{
	/* Only spreads checks; 31 bits. */
	return (uint32_t)frr_weak_random() << 1;
}

static void op_start(void *arg, struct probe_instance *instance,
		     const struct probe_attempt *attempt)
{
	const struct probe_config *config = probe_instance_config(instance);
	struct probe_unit *unit = probe_instance_io(instance);

	if (!unit) {
		unit = XCALLOC(MTYPE_PROBE_UNIT, sizeof(*unit));
		unit->instance = instance;
		probe_instance_set_io(instance, unit);
	}
	unit->run_id = attempt->id;
	unit->check.type = probe_types[probe_config_type(config)];
	unit->check.name = instance_name(instance);
	unit->check.type->start(&unit->check, config,
				probe_instance_vrf(instance),
				probe_instance_target(instance));
}

static void op_cancel(void *arg, struct probe_instance *instance)
{
	struct probe_unit *unit = probe_instance_io(instance);

	unit->check.type->cancel(&unit->check);
}

static void op_release(void *arg, struct probe_instance *instance)
{
	struct probe_unit *unit = probe_instance_io(instance);

	if (unit && unit->check.type && unit->check.type->release)
		unit->check.type->release(&unit->check);
}

static void op_gone(void *arg, struct probe_instance *instance)
{
	struct probe_unit *unit = probe_instance_io(instance);

	if (!unit)
		return;
	op_release(arg, instance);
	probe_held_free(&unit->held);
	XFREE(MTYPE_PROBE_UNIT, unit->cleared);
	XFREE(MTYPE_PROBE_UNIT, unit);
}

static void op_arm(void *arg, int64_t at_us)
{
	int64_t slots = (at_us + PROBE_RASTER_US - 1) / PROBE_RASTER_US;

	probe_io_timer_set(&engine_timer, slots * PROBE_RASTER_US);
}

static void op_disarm(void *arg)
{
	probe_io_timer_set(&engine_timer, INT64_MAX);
}

static void op_changed(void *arg, const struct probe_instance *instance)
{
	enum probe_verdict before, after;
	char why[PROBE_WHY_LEN], text[INSTANCE_TEXT_LEN];
	const struct ipaddr *target;
	struct probe_unit *unit;

	if (instance) {
		target = probe_instance_target(instance);
		unit = probe_instance_io(instance);
		before = probe_instance_told_before(instance);
		after = probe_instance_verdict(instance, why, sizeof(why));
		if (after != PROBE_UP && unit)
			probe_held_down(unit->held);
		/* The reason may have changed alone. */
		if (after != before)
			cluster_event(&(struct event_change){
				.kind = EVENT_PROBE,
				.name = instance_name(instance),
				.vrf = probe_instance_vrf(instance),
				.addr = ipaddr_is_zero(target) ? NULL : target,
				.before = probe_verdict_str(before),
				.after = probe_verdict_str(after),
				.why = why,
			});
		zlog_info("probe %s: %s",
			  instance_text(instance, text, sizeof(text)), why);
		probe_nb_notify(instance);
	}
	if (on_change)
		on_change();
}

static const struct probe_engine_ops engine_ops = {
	.now = op_now,
	.random = op_random,
	.start = op_start,
	.cancel = op_cancel,
	.release = op_release,
	.gone = op_gone,
	.arm = op_arm,
	.disarm = op_disarm,
	.changed = op_changed,
};

static void engine_timer_due(struct probe_timer *timer)
{
	probe_engine_run(probe_engine);
}

/* ------------------------------------------------------------------------ */
/* Counters                                                                 */

/* Not below 0: a run that is put off is taken back, after it was cleared. */
static void less(uint64_t *counter, uint64_t base)
{
	*counter -= MIN(*counter, base);
}

static void counters_subtract(struct probe_counters *counters,
			      const struct probe_counters *base)
{
	less(&counters->runs, base->runs);
	less(&counters->prompted, base->prompted);
	for (size_t i = 0; i < PROBE_RESULT_MAX; i++)
		less(&counters->results[i], base->results[i]);
	less(&counters->cancelled, base->cancelled);
	less(&counters->transitions, base->transitions);
	less(&counters->late, base->late);
	less(&counters->stale, base->stale);
}

void probe_view(struct probe_instance *instance,
		struct probe_instance_view *view)
{
	const struct probe_unit *unit = probe_instance_io(instance);

	probe_instance_view(instance, view);
	if (unit && unit->cleared)
		counters_subtract(&view->counters, unit->cleared);
}

void probe_hold_view(const struct probe_instance *instance,
		     struct probe_held_view *view)
{
	const struct probe_unit *unit = probe_instance_io(instance);

	probe_held_view(unit ? unit->held : NULL, view);
}

bool probe_beat_view(const struct probe_instance *instance,
		     struct probe_heartbeat_view *view)
{
	const struct probe_unit *unit = probe_instance_io(instance);

	return unit && probe_heartbeat_view(&unit->check, view);
}

void probe_counters_clear(struct probe_instance *instance)
{
	struct probe_unit *unit = probe_instance_io(instance);
	struct probe_instance_view view;

	if (!unit) /* never ran: nothing counted */
		return;
	probe_instance_view(instance, &view);
	if (!unit->cleared)
		unit->cleared = XCALLOC(MTYPE_PROBE_UNIT,
					sizeof(*unit->cleared));
	*unit->cleared = view.counters;
}

const char *probe_result_token(enum probe_result result)
{
	static const char *const tokens[PROBE_RESULT_MAX] = {
		[PROBE_PASS] = "pass",
		[PROBE_TIMEOUT] = "timeout",
		[PROBE_REFUSED] = "refused",
		[PROBE_UNREACHABLE] = "unreachable",
		[PROBE_RESPONSE] = "response",
		[PROBE_NOT_UP] = "not-up",
		[PROBE_LOCAL] = "local",
	};

	return tokens[result];
}

uint64_t probe_counters_fails(const struct probe_counters *counters)
{
	uint64_t fails = 0;

	for (size_t i = 0; i < PROBE_RESULT_MAX; i++)
		if (i != PROBE_PASS)
			fails += counters->results[i];
	return fails;
}

void probe_counts(struct probe_counts *counts)
{
	const struct probe_def *def = NULL;
	const struct probe_instance *instance;
	struct probe_engine_load load;

	memset(counts, 0, sizeof(*counts));
	probe_engine_load(probe_engine, &load);
	counts->sockets = load.open;
	counts->sockets_max = load.open_max;
	counts->sockets_waiting = load.queued;
	while ((def = probe_def_next(probe_engine, def))) {
		counts->probes += probe_def_configured(def);
		instance = NULL;
		while ((instance = probe_instance_next(def, instance))) {
			counts->instances++;
			switch (probe_instance_verdict(instance, NULL, 0)) {
			case PROBE_UP:
				counts->up++;
				break;
			case PROBE_DOWN:
				counts->down++;
				break;
			case PROBE_UNKNOWN:
				counts->unknown++;
				break;
			}
		}
	}
}

/* ------------------------------------------------------------------------ */
/* Start and stop                                                           */

void probe_on_change(void (*changed)(void))
{
	on_change = changed;
}

static void probe_decide(int64_t now_us)
{
	if (probe_engine_dirty(probe_engine)) {
		probe_engine_apply(probe_engine);
		probe_held_review();
	}
	for (size_t i = 0; i < array_size(probe_types); i++)
		if (probe_types[i] && probe_types[i]->decide)
			probe_types[i]->decide();
}

static const struct cluster_capability capability = {
	.name = "probe",
	.decide = probe_decide,
};

void probe_init(void)
{
	struct rlimit files;

	if (probe_io_init(cluster_master) < 0 ||
	    probe_io_timer_add(&engine_timer, true, engine_timer_due) < 0) {
		flog_err(EC_CLUSTER_SYSTEM,
			 "the probes' epoll set can't be made: %m");
		exit(1);
	}
	probe_engine = probe_engine_new(&engine_ops, NULL);
	/* Held connections have at most half, and there is the rest of clusterd. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		probe_engine_limit(probe_engine, files.rlim_cur / 8 * 3);
	probe_engine_set_main(probe_engine);
	cluster_sched_register(&capability);
	probe_cli_init();
	probe_show_init();
	probe_metrics_init();
}

void probe_fini(void)
{
	on_change = NULL;
	probe_engine_set_main(NULL);
	probe_engine_free(&probe_engine);
	for (size_t i = 0; i < array_size(probe_types); i++)
		if (probe_types[i] && probe_types[i]->fini)
			probe_types[i]->fini();
	probe_held_fini();
	probe_io_timer_del(&engine_timer);
	probe_io_fini();
}
