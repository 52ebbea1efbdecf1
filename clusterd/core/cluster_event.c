// SPDX-License-Identifier: GPL-2.0-or-later
/* The record of changes of states: the clock, and `show cluster events`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "cluster_oper.h"
#include "cluster_vty.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/core/cluster_event_clippy.c"
#endif

static struct events *events;

void cluster_event(const struct event_change *change)
{
	cluster_event_notify(
		events_add(events, change, cluster_now_us(), time(NULL)));
}

void cluster_event_count(enum event_kind kind)
{
	events_count(events, kind);
}

uint64_t cluster_event_total(enum event_kind kind)
{
	return events_total(events, kind);
}

const struct event_record *cluster_event_next(uint64_t after)
{
	return events_next(events, after);
}

/* "www 192.0.2.1 (VRF red)" */
static void object_text(const struct event_record *record, char *buf, size_t len)
{
	strlcpy(buf, record->name, len);
	if (!IS_IPADDR_NONE(&record->addr))
		csnprintfrr(buf, len, "%s%pIA", buf[0] ? " " : "",
			    &record->addr);
	if (record->vrf[0] && strcmp(record->vrf, "default") != 0)
		csnprintfrr(buf, len, " (VRF %s)", record->vrf);
}

static json_object *record_json(const struct event_record *record,
				int64_t now_us)
{
	json_object *json = json_object_new_object();
	char when[CLUSTER_OPER_TIME_LEN];

	json_object_int_add(json, "number", record->number);
	json_object_string_add(json, "time",
			       cluster_oper_wall(record->wall, when));
	json_object_int_add(json, "ageMsec", (now_us - record->us) / 1000);
	json_object_string_add(json, "kind", event_kind_name(record->kind));
	json_object_string_add(json, "name", record->name);
	if (record->vrf[0])
		json_object_string_add(json, "vrf", record->vrf);
	if (!IS_IPADDR_NONE(&record->addr))
		json_object_string_addf(json, "address", "%pIA", &record->addr);
	json_object_string_add(json, "before", record->before);
	json_object_string_add(json, "after", record->after);
	json_object_string_add(json, "why", record->why);
	return json;
}

static void show_json(struct vty *vty)
{
	json_object *json = json_object_new_object();
	const struct event_record *record = events_next(events, 0);
	json_object *changes, *list;

	if (!record) {
		vty_json(vty, json);
		return;
	}
	changes = json_object_new_object();
	for (enum event_kind i = 0; i < EVENT_KIND_MAX; i++)
		json_object_int_add(changes, event_kind_name(i),
				    events_total(events, i));
	list = json_object_new_array();
	for (; record; record = events_next(events, record->number))
		json_object_array_add(list,
				      record_json(record, cluster_now_us()));
	json_object_object_add(json, "changes", changes);
	json_object_object_add(json, "events", list);
	vty_json(vty, json);
}

DEFPY (show_cluster_events,
       show_cluster_events_cmd,
       "show cluster events [json$json]",
       SHOW_STR
       CLUSTER_STR
       "The last changes of states, with their reasons\n"
       JSON_STR)
{
	const struct event_record *record = NULL;
	char object[EVENT_NAME_LEN + EVENT_VRF_LEN + 64];
	char when[32], age[32];
	struct tm tm;
	time_t wall;

	if (json) {
		show_json(vty);
		return CMD_SUCCESS;
	}
	while ((record = events_next(events, record ? record->number : 0))) {
		wall = record->wall;
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S",
			 localtime_r(&wall, &tm));
		object_text(record, object, sizeof(object));
		vty_out(vty, "%s (%s ago) %s %s: %s, was %s%s%s\n", when,
			cluster_uptime(record->us, cluster_now_us(), age,
				       sizeof(age)),
			event_kind_name(record->kind), object, record->after,
			record->before, record->why[0] ? ": " : "", record->why);
	}
	return CMD_SUCCESS;
}

void cluster_event_init(void)
{
	events = events_new();
	install_element(VIEW_NODE, &show_cluster_events_cmd);
}

void cluster_event_fini(void)
{
	events_free(&events);
}
