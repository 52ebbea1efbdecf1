// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the probes: operational data, and the notification.
 *
 * FRR 8.4 calls with no list entry for a path that names one by its key: there
 * is nothing to tell then.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "probe/probe_daemon.h"
#include "probe/probe_nb.h"

/* XPath: /frr-clusterd-probe:cluster-probes/probe */
const void *probe_nb_get_next(struct nb_cb_get_next_args *args)
{
	cluster_oper_asked();
	return probe_def_next(probe_engine, args->list_entry);
}

int probe_nb_get_keys(struct nb_cb_get_keys_args *args)
{
	args->keys->num = 1;
	strlcpy(args->keys->key[0], probe_def_name(args->list_entry),
		sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *probe_nb_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	return probe_def_find(probe_engine, args->keys->key[0]);
}

/* XPath: /frr-clusterd-probe:cluster-probes/probe/state/configured */
struct yang_data *probe_nb_configured_get(struct nb_cb_get_elem_args *args)
{
	if (!args->list_entry)
		return NULL;
	return yang_data_new_bool(args->xpath,
				  probe_def_configured(args->list_entry));
}

/* XPath: /frr-clusterd-probe:cluster-probes/probe/state/instance */
const void *probe_nb_instance_get_next(struct nb_cb_get_next_args *args)
{
	if (!args->parent_list_entry)
		return NULL;
	return probe_instance_next(args->parent_list_entry, args->list_entry);
}

int probe_nb_instance_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct probe_instance *instance = args->list_entry;

	args->keys->num = 2;
	strlcpy(args->keys->key[0], probe_instance_vrf(instance),
		sizeof(args->keys->key[0]));
	snprintfrr(args->keys->key[1], sizeof(args->keys->key[1]), "%pIA",
		   probe_instance_target(instance));
	return NB_OK;
}

const void *probe_nb_instance_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	struct ipaddr target;

	if (!args->parent_list_entry ||
	    str2ipaddr(args->keys->key[1], &target) != 0)
		return NULL;
	return probe_instance_find(args->parent_list_entry, args->keys->key[0],
				   &target);
}

/* A moment of the monotonic clock as date-and-time; false: it hasn't been. */
static bool time_value(int64_t at_us, char *buf, size_t len)
{
	char text[CLUSTER_OPER_TIME_LEN];

	strlcpy(buf, cluster_oper_time(cluster_now_us() - at_us, text), len);
	return at_us != 0;
}

/* The value of leaf `name` as text; false: it has none now. */
static bool hold_value(const struct probe_instance *instance, const char *name,
		       char *buf, size_t len)
{
	struct probe_held_view view;
	const struct probe_hold *hold = &view.hold;
	int64_t backoff_us;

	if (!probe_held_wanted(instance))
		return false;
	probe_hold_view(instance, &view);
	if (strmatch(name, "hold-state")) {
		strlcpy(buf, probe_hold_state_str(hold->state), len);
		return true;
	}
	if (strmatch(name, "hold-since"))
		return time_value(hold->since_us, buf, len);
	if (strmatch(name, "hold-back-off")) {
		backoff_us = probe_hold_backoff_us(hold, cluster_now_us());
		snprintf(buf, len, "%" PRId64, backoff_us / 1000);
		return true;
	}
	if (strmatch(name, "hold-last-end")) {
		strlcpy(buf, view.last, len);
		return view.last[0];
	}
	if (strmatch(name, "hold-connections"))
		snprintf(buf, len, "%" PRIu64, hold->connections);
	else if (strmatch(name, "hold-lost"))
		snprintf(buf, len, "%" PRIu64, hold->lost);
	else
		snprintf(buf, len, "%" PRIu64, hold->failed);
	return true;
}

/* The same of heartbeats: their number by what became of them. */
static bool heartbeat_value(const struct probe_instance *instance,
			    const char *name, char *buf, size_t len)
{
	const char *what = name + strlen("heartbeats-");
	struct probe_heartbeat_view view;
	uint64_t number;

	if (!probe_beat_view(instance, &view))
		return false;
	if (strmatch(name, "heartbeat-state")) {
		strlcpy(buf, probe_heartbeat_look_str(view.look), len);
		return true;
	}
	if (strmatch(name, "heartbeat-last"))
		return time_value(view.heard_us, buf, len);
	number = view.received;
	for (int i = PROBE_HEARTBEAT_MALFORMED; i < PROBE_HEARTBEAT_REJECT_MAX;
	     i++)
		if (strmatch(what, probe_heartbeat_reject_token(i)))
			number = view.rejects[i];
	snprintf(buf, len, "%" PRIu64, number);
	return true;
}

/* The same of the instance's own leaves. */
static bool instance_value(const struct probe_instance_view *view,
			   const char *name, char *buf, size_t len)
{
	const struct probe_counters *counters = &view->counters;
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "references", view->references },
		{ "transitions", counters->transitions },
		{ "runs", counters->runs },
		{ "prompted", counters->prompted },
		{ "passes", counters->results[PROBE_PASS] },
		{ "fails", probe_counters_fails(counters) },
		{ "timeouts", counters->results[PROBE_TIMEOUT] },
		{ "refused", counters->results[PROBE_REFUSED] },
		{ "unreachable", counters->results[PROBE_UNREACHABLE] },
		{ "response", counters->results[PROBE_RESPONSE] },
		{ "not-up", counters->results[PROBE_NOT_UP] },
		{ "local", counters->results[PROBE_LOCAL] },
		{ "cancelled", counters->cancelled },
		{ "late", counters->late },
		{ "late-max", (uint64_t)view->late_max_us },
	};

	for (size_t i = 0; i < array_size(numbers); i++) {
		if (!strmatch(numbers[i].name, name))
			continue;
		snprintf(buf, len, "%" PRIu64, numbers[i].value);
		return true;
	}

	if (strmatch(name, "vrf")) {
		strlcpy(buf, view->vrf, len);
		return true;
	}
	if (strmatch(name, "target")) {
		snprintfrr(buf, len, "%pIA", &view->target);
		return true;
	}
	if (strmatch(name, "verdict")) {
		strlcpy(buf, probe_verdict_str(view->verdict), len);
		return true;
	}
	if (strmatch(name, "why")) {
		strlcpy(buf, view->why, len);
		return true;
	}
	if (strmatch(name, "last-change"))
		return time_value(view->since_us, buf, len);
	if (strmatch(name, "last-run"))
		return time_value(view->last_started_us, buf, len);
	if (strmatch(name, "rtt")) {
		snprintf(buf, len, "%" PRId64, view->last_rtt_us);
		return view->last_rtt_us >= 0;
	}

	if (!view->have_result)
		return false;
	if (strmatch(name, "last-result")) {
		strlcpy(buf, probe_result_token(view->last_result), len);
		return true;
	}
	if (strmatch(name, "last-detail")) {
		strlcpy(buf, view->last_detail, len);
		return view->last_detail[0];
	}
	if (strmatch(name, "last-result-time"))
		return time_value(view->last_result_us, buf, len);
	if (strmatch(name, "consecutive")) {
		snprintf(buf, len, "%u", view->streak);
		return true;
	}
	return false;
}

/* XPath: /frr-clusterd-probe:cluster-probes/probe/state/instance/... */
struct yang_data *probe_nb_instance_get(struct nb_cb_get_elem_args *args)
{
	const char *slash = strrchr(args->xpath, '/');
	struct probe_instance_view view;
	char buf[PROBE_WHY_LEN];

	if (!args->list_entry)
		return NULL;
	if (slash && strncmp(slash, "/hold-", 6) == 0)
		return hold_value(args->list_entry, slash + 1, buf, sizeof(buf))
			       ? yang_data_new(args->xpath, buf)
			       : NULL;
	if (slash && strncmp(slash, "/heartbeat", strlen("/heartbeat")) == 0)
		return heartbeat_value(args->list_entry, slash + 1, buf,
				       sizeof(buf))
			       ? yang_data_new(args->xpath, buf)
			       : NULL;
	/* Read only: the engine's accessors take what it doesn't change. */
	probe_view((struct probe_instance *)args->list_entry, &view);
	if (!slash || !instance_value(&view, slash + 1, buf, sizeof(buf)))
		return NULL;
	return yang_data_new(args->xpath, buf);
}

/* XPath: /frr-clusterd-probe:probe-verdict-change */
void probe_nb_notify(const struct probe_instance *instance)
{
	struct probe_instance_view view;
	char target[INET6_ADDRSTRLEN];

	/* Nobody listens: a thousand probes may change at once. */
	if (!cluster_oper_heard())
		return;
	probe_instance_view(instance, &view);

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("name", view.name),
		OPER_TEXT("vrf", view.vrf),
		OPER_TEXT("target",
			  ipaddr2str(&view.target, target, sizeof(target))),
		OPER_TEXT("verdict", probe_verdict_str(view.verdict)),
		OPER_TEXT("why", view.why),
	};

	cluster_oper_notify("/frr-clusterd-probe:probe-verdict-change", leaves,
			    array_size(leaves));
}
