// SPDX-License-Identifier: GPL-2.0-or-later
/* Operational data of the record of changes, and its notification. */
#include "cluster_compat.h"

#include "cluster_nb.h"
#include "cluster_oper.h"
#include "clusterd.h"
#include "core/cluster_event.h"

/* An entry of the list of kinds is a place of this array. */
static const char kinds[EVENT_KIND_MAX];

/* XPath: /frr-clusterd:cluster-events/changes */
const void *cluster_changes_get_next(struct nb_cb_get_next_args *args)
{
	const char *kind = args->list_entry;

	kind = kind ? kind + 1 : kinds;
	return kind < kinds + EVENT_KIND_MAX ? kind : NULL;
}

static enum event_kind entry_kind(const void *entry)
{
	return (enum event_kind)((const char *)entry - kinds);
}

int cluster_changes_get_keys(struct nb_cb_get_keys_args *args)
{
	args->keys->num = 1;
	strlcpy(args->keys->key[0],
		event_kind_name(entry_kind(args->list_entry)),
		sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *cluster_changes_lookup(struct nb_cb_lookup_entry_args *args)
{
	for (enum event_kind i = 0; i < EVENT_KIND_MAX; i++)
		if (strmatch(event_kind_name(i), args->keys->key[0]))
			return &kinds[i];
	return NULL;
}

/* XPath: /frr-clusterd:cluster-events/changes/... */
struct yang_data *cluster_changes_get(struct nb_cb_get_elem_args *args)
{
	/* FRR 8.4 has no entry for a path that goes on below one. */
	if (!args->list_entry)
		return NULL;

	const enum event_kind kind = entry_kind(args->list_entry);
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("kind", event_kind_name(kind)),
		OPER_NUMBER("total", cluster_event_total(kind)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd:cluster-events/event */
const void *cluster_event_get_next(struct nb_cb_get_next_args *args)
{
	const struct event_record *record = args->list_entry;

	return cluster_event_next(record ? record->number : 0);
}

int cluster_event_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct event_record *record = args->list_entry;

	args->keys->num = 1;
	snprintf(args->keys->key[0], sizeof(args->keys->key[0]), "%" PRIu64,
		 record->number);
	return NB_OK;
}

const void *cluster_event_lookup(struct nb_cb_lookup_entry_args *args)
{
	uint64_t number = strtoull(args->keys->key[0], NULL, 10);
	const struct event_record *record;

	record = number ? cluster_event_next(number - 1) : NULL;
	return record && record->number == number ? record : NULL;
}

struct record_leaves {
	char time[CLUSTER_OPER_TIME_LEN];
	char addr[INET6_ADDRSTRLEN];
	struct cluster_oper_leaf leaves[9];
};

static void record_leaves(const struct event_record *record,
			  struct record_leaves *out)
{
	out->addr[0] = '\0';
	if (!IS_IPADDR_NONE(&record->addr))
		ipaddr2str(&record->addr, out->addr, sizeof(out->addr));

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("number", record->number),
		OPER_TEXT("time", cluster_oper_wall(record->wall, out->time)),
		OPER_TEXT("kind", event_kind_name(record->kind)),
		OPER_TEXT("name", record->name),
		OPER_TEXT("vrf", record->vrf),
		OPER_TEXT("address", out->addr),
		OPER_TEXT("before", record->before),
		OPER_TEXT("after", record->after),
		OPER_TEXT("why", record->why),
	};

	static_assert(sizeof(leaves) == sizeof(out->leaves), "all of them");
	memcpy(out->leaves, leaves, sizeof(leaves));
}

/* XPath: /frr-clusterd:cluster-events/event/... */
struct yang_data *cluster_event_get(struct nb_cb_get_elem_args *args)
{
	struct record_leaves out;

	if (!args->list_entry)
		return NULL;
	record_leaves(args->list_entry, &out);
	return cluster_oper_data(args->xpath, out.leaves,
				 array_size(out.leaves));
}

/* XPath: /frr-clusterd:state-change */
void cluster_event_notify(const struct event_record *record)
{
	struct record_leaves out;

	if (!cluster_oper_heard())
		return;
	record_leaves(record, &out);
	cluster_oper_notify("/frr-clusterd:state-change", out.leaves,
			    array_size(out.leaves));
}
