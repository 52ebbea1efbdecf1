// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster probe`, `clear cluster probe`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"
#include "termtable.h"
#include "vty.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "probe/probe_daemon.h"

#ifndef VTYSH_EXTRACT_PL
#include "probe/probe_show_clippy.c"
#endif

#define PROBE_STR      "Health probes\n"
#define PROBE_NAME_STR "Name of a probe\n"

/* The definitions that a command is about: one, or all. */
static const struct probe_def *def_first(const char *name)
{
	return name ? probe_def_find(probe_engine, name)
		    : probe_def_next(probe_engine, NULL);
}

static const struct probe_def *def_next(const char *name,
					const struct probe_def *def)
{
	return name ? NULL : probe_def_next(probe_engine, def);
}

static bool is_http(const struct probe_config *config)
{
	return probe_config_type(config) == PROBE_TYPE_HTTP ||
	       probe_config_type(config) == PROBE_TYPE_HTTPS;
}

static int64_t msec_ago(int64_t then_us)
{
	return (cluster_now_us() - then_us) / 1000;
}

/* ------------------------------------------------------------------------ */
/* JSON                                                                     */

static json_object *hold_json(const struct probe_instance *instance)
{
	json_object *json = json_object_new_object();
	struct probe_held_view view;
	const struct probe_hold *hold = &view.hold;
	int64_t backoff_us;

	probe_hold_view(instance, &view);
	backoff_us = probe_hold_backoff_us(hold, cluster_now_us());
	json_object_string_add(json, "state", probe_hold_state_str(hold->state));
	if (hold->since_us)
		json_object_int_add(json, "sinceMsec", msec_ago(hold->since_us));
	json_object_int_add(json, "connections", hold->connections);
	json_object_int_add(json, "lost", hold->lost);
	json_object_int_add(json, "failed", hold->failed);
	json_object_int_add(json, "backOffMsec", backoff_us / 1000);
	json_object_string_add(json, "lastEnd", view.last);
	return json;
}

static void heartbeat_json(json_object *json,
			   const struct probe_heartbeat_view *view)
{
	json_object *rejected = json_object_new_object();
	static const char *const keys[PROBE_HEARTBEAT_REJECT_MAX] = {
		[PROBE_HEARTBEAT_MALFORMED] = "malformed",
		[PROBE_HEARTBEAT_OTHER_VERSION] = "version",
		[PROBE_HEARTBEAT_UNKNOWN] = "unknown",
		[PROBE_HEARTBEAT_NO_KEY] = "noKey",
		[PROBE_HEARTBEAT_BAD_MAC] = "badMac",
		[PROBE_HEARTBEAT_CLOCK] = "clock",
		[PROBE_HEARTBEAT_REPLAY] = "replay",
	};

	json_object_string_add(json, "state",
			       probe_heartbeat_look_str(view->look));
	if (view->heard_us)
		json_object_int_add(json, "lastMsec", msec_ago(view->heard_us));
	json_object_int_add(json, "received", view->received);
	for (size_t i = PROBE_HEARTBEAT_MALFORMED; i < array_size(keys); i++)
		json_object_int_add(rejected, keys[i], view->rejects[i]);
	json_object_object_add(json, "rejected", rejected);
}

static json_object *instance_json(struct probe_instance *instance)
{
	json_object *json = json_object_new_object();
	struct probe_instance_view view;
	struct probe_heartbeat_view beat;
	const uint64_t *results = view.counters.results;

	probe_view(instance, &view);
	json_object_string_add(json, "vrf", view.vrf);
	json_object_string_addf(json, "target", "%pIA", &view.target);
	json_object_string_add(json, "verdict", probe_verdict_str(view.verdict));
	json_object_string_add(json, "why", view.why);
	json_object_int_add(json, "sinceMsec", msec_ago(view.since_us));
	json_object_int_add(json, "references", view.references);
	if (view.have_result) {
		json_object_string_add(json, "lastResult",
				       probe_result_token(view.last_result));
		json_object_string_add(json, "lastDetail", view.last_detail);
		json_object_int_add(json, "lastResultMsec",
				    msec_ago(view.last_result_us));
		json_object_int_add(json, "consecutive", view.streak);
	}
	if (view.last_started_us)
		json_object_int_add(json, "lastRunMsec",
				    msec_ago(view.last_started_us));
	if (view.last_rtt_us >= 0)
		json_object_int_add(json, "rttUsec", view.last_rtt_us);
	json_object_int_add(json, "transitions", view.counters.transitions);
	json_object_int_add(json, "runs", view.counters.runs);
	json_object_int_add(json, "prompted", view.counters.prompted);
	json_object_int_add(json, "passes", results[PROBE_PASS]);
	json_object_int_add(json, "fails", probe_counters_fails(&view.counters));
	json_object_int_add(json, "timeouts", results[PROBE_TIMEOUT]);
	json_object_int_add(json, "refused", results[PROBE_REFUSED]);
	json_object_int_add(json, "unreachable", results[PROBE_UNREACHABLE]);
	json_object_int_add(json, "response", results[PROBE_RESPONSE]);
	json_object_int_add(json, "notUp", results[PROBE_NOT_UP]);
	json_object_int_add(json, "local", results[PROBE_LOCAL]);
	json_object_int_add(json, "cancelled", view.counters.cancelled);
	json_object_int_add(json, "late", view.counters.late);
	json_object_int_add(json, "lateMaxUsec", view.late_max_us);
	if (probe_held_wanted(instance))
		json_object_object_add(json, "hold", hold_json(instance));
	if (probe_beat_view(instance, &beat)) {
		json_object *heartbeat = json_object_new_object();

		heartbeat_json(heartbeat, &beat);
		json_object_object_add(json, "heartbeat", heartbeat);
	}
	return json;
}

static void http_json(json_object *json, const struct probe_config *config)
{
	json_object_string_add(json, "method", probe_method_str(config->method));
	json_object_string_add(json, "expectStatus",
			       probe_config_expect_status(config));
	json_object_int_add(json, "follow", config->follow);
	json_object_boolean_add(json, "http2", config->http2);
	json_object_boolean_add(json, "tlsVerify", config->tls_verify);
	if (config->tls_ca_file[0])
		json_object_string_add(json, "tlsCaFile", config->tls_ca_file);
}

/* What only some types have. */
static void type_json(json_object *json, const struct probe_config *config)
{
	switch (probe_config_type(config)) {
	case PROBE_TYPE_COMMAND:
		json_object_string_add(json, "command", config->command);
		if (config->user[0])
			json_object_string_add(json, "user", config->user);
		break;
	case PROBE_TYPE_ROUTE:
		if (config->prefix.family)
			json_object_string_addf(json, "prefix", "%pFX",
						&config->prefix);
		break;
	case PROBE_TYPE_BFD:
		if (config->profile[0])
			json_object_string_add(json, "profile", config->profile);
		json_object_int_add(json, "hops", probe_config_hops(config));
		break;
	case PROBE_TYPE_DNS:
		json_object_string_add(json, "dnsName", config->dns_name);
		json_object_string_add(json, "dnsType",
				       probe_dns_type_str(config->dns_type));
		if (config->dns_answer[0])
			json_object_string_add(json, "dnsAnswer",
					       config->dns_answer);
		break;
	case PROBE_TYPE_HEARTBEAT:
		json_object_string_add(json, "keyChain", config->key_chain);
		if (config->socket_path[0])
			json_object_string_add(json, "socket",
					       config->socket_path);
		break;
	default:
		break;
	}
}

static void config_json(json_object *json, const struct probe_config *config)
{
	json_object_string_add(json, "type",
			       probe_type_str(probe_config_type(config)));
	if (!IS_IPADDR_NONE(&config->target))
		json_object_string_addf(json, "target", "%pIA", &config->target);
	if (probe_config_port(config))
		json_object_int_add(json, "port", probe_config_port(config));
	if (is_http(config))
		json_object_string_add(json, "path", probe_config_path(config));
	if (is_http(config) && config->host[0])
		json_object_string_add(json, "host", config->host);
	type_json(json, config);
	json_object_int_add(json, "interval", probe_config_interval_ms(config));
	json_object_int_add(json, "timeout", probe_config_timeout_ms(config));
	json_object_int_add(json, "rise", probe_config_rise(config));
	json_object_int_add(json, "fall", probe_config_fall(config));
	json_object_int_add(json, "fastInterval",
			    probe_config_fast_interval_ms(config));
	if (!IS_IPADDR_NONE(&config->source))
		json_object_string_addf(json, "source", "%pIA", &config->source);
	if (config->ifname[0])
		json_object_string_add(json, "interface", config->ifname);
	if (config->vrf[0])
		json_object_string_add(json, "vrf", config->vrf);
	json_object_string_add(json, "start",
			       probe_config_start_up(config) ? "up" : "down");
	json_object_int_add(json, "jitter", probe_config_jitter(config));
	if (config->hold)
		json_object_boolean_true_add(json, "hold");
	if (config->expect_regex[0])
		json_object_string_add(json, "expectRegex",
				       config->expect_regex);
	if (config->send[0])
		json_object_string_add(json, "send", config->send);
	if (is_http(config))
		http_json(json, config);
}

static json_object *def_json(const struct probe_def *def)
{
	json_object *json = json_object_new_object();
	json_object *instances = json_object_new_array();
	struct probe_instance *instance = NULL;

	json_object_boolean_add(json, "configured", probe_def_configured(def));
	if (probe_def_configured(def))
		config_json(json, probe_def_config(def));
	while ((instance = probe_instance_next(def, instance)))
		json_object_array_add(instances, instance_json(instance));
	json_object_object_add(json, "instances", instances);
	return json;
}

static void show_json(struct vty *vty, const char *name)
{
	json_object *json = json_object_new_object();
	const struct probe_def *def;

	for (def = def_first(name); def; def = def_next(name, def))
		json_object_object_add(json, probe_def_name(def), def_json(def));
	vty_json(vty, json);
}

/* ------------------------------------------------------------------------ */
/* Text                                                                     */

/* "-" for none. */
static const char *rtt_str(int64_t rtt_us, char *buf, size_t len)
{
	if (rtt_us < 0)
		strlcpy(buf, "-", len);
	else
		snprintf(buf, len, "%" PRId64 ".%03" PRId64 " ms",
			 rtt_us / 1000, rtt_us % 1000);
	return buf;
}

static const char *def_type_str(const struct probe_def *def)
{
	return probe_def_configured(def)
		       ? probe_type_str(probe_config_type(probe_def_config(def)))
		       : "-";
}

/* Types without a target have 0.0.0.0, a user without an address none. */
static const char *target_str(const struct ipaddr *target, char *buf, size_t len)
{
	if (IS_IPADDR_NONE(target) || ipaddr_is_zero(target))
		return "-";
	return ipaddr2str(target, buf, len);
}

static void table_add_instance(struct ttable *table, const struct probe_def *def,
			       struct probe_instance *instance)
{
	struct probe_instance_view view;
	char target[INET6_ADDRSTRLEN];
	char since[32];
	char rtt[32];

	probe_view(instance, &view);
	ttable_add_row(table, "%s|%s|%s|%s|%s|%s|%s|%s", probe_def_name(def),
		       def_type_str(def), view.vrf,
		       target_str(&view.target, target, sizeof(target)),
		       probe_verdict_str(view.verdict),
		       cluster_uptime(view.since_us, cluster_now_us(), since,
				      sizeof(since)),
		       view.have_result ? probe_result_token(view.last_result)
					: "-",
		       rtt_str(view.last_rtt_us, rtt, sizeof(rtt)));
}

static void show_table(struct vty *vty)
{
	struct ttable *table = ttable_new(&ttable_styles[TTSTYLE_BLANK]);
	const struct probe_def *def = NULL;
	struct probe_instance *instance;
	char *text;

	ttable_add_row(table,
		       "Probe|Type|VRF|Target|Verdict|Since|Last result|RTT");
	while ((def = probe_def_next(probe_engine, def))) {
		instance = NULL;
		while ((instance = probe_instance_next(def, instance)))
			table_add_instance(table, def, instance);
		if (probe_def_instances(def) == 0)
			ttable_add_row(table, "%s|%s|-|-|unused|-|-|-",
				       probe_def_name(def), def_type_str(def));
	}
	text = ttable_dump(table, "\n");
	vty_out(vty, "%s", text);
	XFREE(MTYPE_TMP_TTABLE, text);
	ttable_del(table);
}

static void show_http(struct vty *vty, const struct probe_config *config)
{
	vty_out(vty, "  Method %s, expects status %s, follows %u redirects%s\n",
		probe_method_str(config->method),
		probe_config_expect_status(config), config->follow,
		config->http2 ? ", HTTP/2" : "");
	if (config->tls_verify)
		vty_out(vty, "  Verifies certificates by %s\n",
			config->tls_ca_file[0] ? config->tls_ca_file
					       : "the system's CAs");
}

/* What only some types have. */
static void show_type(struct vty *vty, const struct probe_config *config)
{
	switch (probe_config_type(config)) {
	case PROBE_TYPE_COMMAND:
		vty_out(vty, "\n  Command %s", config->command);
		if (config->user[0])
			vty_out(vty, "\n  User %s", config->user);
		break;
	case PROBE_TYPE_ROUTE:
		if (config->prefix.family)
			vty_out(vty, ", prefix %pFX", &config->prefix);
		break;
	case PROBE_TYPE_BFD:
		vty_out(vty, ", %u hops", probe_config_hops(config));
		if (config->profile[0])
			vty_out(vty, ", profile %s", config->profile);
		break;
	case PROBE_TYPE_DNS:
		vty_out(vty, "\n  Asks for %s %s", config->dns_name,
			probe_dns_type_str(config->dns_type));
		if (config->dns_answer[0])
			vty_out(vty, ", expects %s", config->dns_answer);
		break;
	case PROBE_TYPE_HEARTBEAT:
		if (config->key_chain[0])
			vty_out(vty, ", key-chain %s", config->key_chain);
		if (config->socket_path[0])
			vty_out(vty, "\n  Listens at %s", config->socket_path);
		break;
	default:
		break;
	}
}

static void show_def(struct vty *vty, const struct probe_def *def)
{
	const struct probe_config *config = probe_def_config(def);

	vty_out(vty, "Probe %s\n", probe_def_name(def));
	if (!probe_def_configured(def)) {
		vty_out(vty, "  Not configured, but used\n");
		return;
	}
	vty_out(vty, "  Type %s", probe_type_str(probe_config_type(config)));
	if (probe_config_targetless(config))
		; /* nothing to say */
	else if (IS_IPADDR_NONE(&config->target))
		vty_out(vty, ", target of each user");
	else
		vty_out(vty, ", target %pIA", &config->target);
	if (probe_config_port(config))
		vty_out(vty, ", port %u", probe_config_port(config));
	if (is_http(config))
		vty_out(vty, ", path %s", probe_config_path(config));
	if (is_http(config) && config->host[0])
		vty_out(vty, ", host %s", config->host);
	show_type(vty, config);
	vty_out(vty,
		"\n  Interval %u ms, fast interval %u ms, timeout %u ms, jitter %u %%\n",
		probe_config_interval_ms(config),
		probe_config_fast_interval_ms(config),
		probe_config_timeout_ms(config), probe_config_jitter(config));
	vty_out(vty, "  Rise %u, fall %u, starts %s\n",
		probe_config_rise(config), probe_config_fall(config),
		probe_config_start_up(config) ? "up" : "down");
	if (!IS_IPADDR_NONE(&config->source))
		vty_out(vty, "  Source %pIA\n", &config->source);
	if (config->ifname[0])
		vty_out(vty, "  Interface %s\n", config->ifname);
	if (config->vrf[0])
		vty_out(vty, "  VRF %s\n", config->vrf);
	if (config->hold)
		vty_out(vty, "  Holds a connection\n");
	if (config->send[0])
		vty_out(vty, "  Sends %s\n", config->send);
	if (config->expect_regex[0])
		vty_out(vty, "  Expects %s\n", config->expect_regex);
	if (is_http(config))
		show_http(vty, config);
}

static void show_counters(struct vty *vty,
			  const struct probe_instance_view *view)
{
	const struct probe_counters *counters = &view->counters;

	vty_out(vty, "    %" PRIu64 " runs: %" PRIu64 " pass", counters->runs,
		counters->results[PROBE_PASS]);
	for (int i = 0; i < PROBE_RESULT_MAX; i++)
		if (i != PROBE_PASS && counters->results[i])
			vty_out(vty, ", %" PRIu64 " %s", counters->results[i],
				probe_result_token(i));
	if (counters->prompted)
		vty_out(vty, ", %" PRIu64 " out of turn", counters->prompted);
	if (counters->cancelled)
		vty_out(vty, ", %" PRIu64 " cancelled", counters->cancelled);
	vty_out(vty, "; %" PRIu64 " transitions\n", counters->transitions);
	if (counters->late)
		vty_out(vty,
			"    %" PRIu64 " runs began late, at most by %" PRId64
			" us\n",
			counters->late, view->late_max_us);
}

static void show_hold(struct vty *vty, const struct probe_instance *instance)
{
	struct probe_held_view view;
	const struct probe_hold *hold = &view.hold;
	int64_t now_us = cluster_now_us();
	int64_t backoff_us;
	char buf[32];

	probe_hold_view(instance, &view);
	backoff_us = probe_hold_backoff_us(hold, now_us);
	vty_out(vty, "    Connection %s", probe_hold_state_str(hold->state));
	if (hold->state == PROBE_HOLD_HELD)
		vty_out(vty, " for %s",
			cluster_uptime(hold->since_us, now_us, buf,
				       sizeof(buf)));
	if (backoff_us)
		vty_out(vty, ", next in %" PRId64 " ms", backoff_us / 1000);
	vty_out(vty,
		"; %" PRIu64 " established, %" PRIu64 " lost, %" PRIu64
		" failed%s%s\n",
		hold->connections, hold->lost, hold->failed,
		view.last[0] ? "; last end: " : "", view.last);
}

static void show_heartbeat(struct vty *vty,
			   const struct probe_heartbeat_view *view)
{
	char buf[32];

	vty_out(vty, "    Heartbeats: %s, %" PRIu64 " received",
		probe_heartbeat_look_str(view->look), view->received);
	if (view->heard_us)
		vty_out(vty, ", the last %s ago",
			cluster_uptime(view->heard_us, cluster_now_us(), buf,
				       sizeof(buf)));
	for (int i = PROBE_HEARTBEAT_MALFORMED; i < PROBE_HEARTBEAT_REJECT_MAX;
	     i++)
		if (view->rejects[i])
			vty_out(vty, "; %" PRIu64 " rejected (%s)",
				view->rejects[i], probe_heartbeat_reject_str(i));
	vty_out(vty, "\n");
}

static void show_instance(struct vty *vty, struct probe_instance *instance)
{
	struct probe_instance_view view;
	struct probe_heartbeat_view beat;
	int64_t now_us = cluster_now_us();
	char target[INET6_ADDRSTRLEN];
	char buf[32];

	probe_view(instance, &view);
	vty_out(vty, "  Target %s in VRF %s: %s since %s, %u references\n",
		target_str(&view.target, target, sizeof(target)), view.vrf,
		probe_verdict_str(view.verdict),
		cluster_uptime(view.since_us, now_us, buf, sizeof(buf)),
		view.references);
	vty_out(vty, "    %s\n", view.why);
	if (view.have_result) {
		vty_out(vty, "    Last result %s%s%s, %s ago, %u in a row",
			probe_result_token(view.last_result),
			view.last_detail[0] ? ": " : "", view.last_detail,
			cluster_uptime(view.last_result_us, now_us, buf,
				       sizeof(buf)),
			view.streak);
		vty_out(vty, "; RTT %s\n",
			rtt_str(view.last_rtt_us, buf, sizeof(buf)));
	}
	show_counters(vty, &view);
	if (probe_held_wanted(instance))
		show_hold(vty, instance);
	if (probe_beat_view(instance, &beat))
		show_heartbeat(vty, &beat);
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                 */

static int no_such_probe(struct vty *vty, const char *name)
{
	vty_out(vty, "%% no such probe: %s\n", name);
	return CMD_WARNING;
}

DEFPY (show_cluster_probe,
       show_cluster_probe_cmd,
       "show cluster probe [NAME$name] [json$json]",
       SHOW_STR
       CLUSTER_STR
       PROBE_STR
       PROBE_NAME_STR
       JSON_STR)
{
	const struct probe_def *def = def_first(name);
	struct probe_instance *instance = NULL;

	if (json) {
		show_json(vty, name);
		return name && !def ? CMD_WARNING : CMD_SUCCESS;
	}
	if (!name) {
		if (def)
			show_table(vty);
		return CMD_SUCCESS;
	}
	if (!def)
		return no_such_probe(vty, name);
	show_def(vty, def);
	while ((instance = probe_instance_next(def, instance)))
		show_instance(vty, instance);
	return CMD_SUCCESS;
}

DEFPY (clear_cluster_probe_counters,
       clear_cluster_probe_counters_cmd,
       "clear cluster probe [NAME$name] counters",
       CLEAR_STR
       CLUSTER_STR
       PROBE_STR
       PROBE_NAME_STR
       "Numbers of runs and results; verdicts stay\n")
{
	const struct probe_def *def = def_first(name);
	struct probe_instance *instance;

	if (name && !def)
		return no_such_probe(vty, name);
	for (; def; def = def_next(name, def)) {
		instance = NULL;
		while ((instance = probe_instance_next(def, instance)))
			probe_counters_clear(instance);
	}
	return CMD_SUCCESS;
}

DEFPY (cluster_probe_now,
       cluster_probe_now_cmd,
       "cluster probe NAME$name now",
       CLUSTER_STR
       PROBE_STR
       PROBE_NAME_STR
       "Check all its targets now; at most once a fast-interval\n")
{
	const struct probe_def *def = def_first(name);
	struct probe_instance *instance = NULL;
	bool any = false;

	if (!def)
		return no_such_probe(vty, name);
	while ((instance = probe_instance_next(def, instance)))
		any |= probe_instance_now(instance);
	if (any)
		return CMD_SUCCESS;
	vty_out(vty, "%% probe %s checks nothing; see `show cluster probe %s`\n",
		name, name);
	return CMD_WARNING;
}

void probe_show_init(void)
{
	install_element(ENABLE_NODE, &cluster_probe_now_cmd);
	install_element(VIEW_NODE, &show_cluster_probe_cmd);
	install_element(ENABLE_NODE, &clear_cluster_probe_counters_cmd);
}
