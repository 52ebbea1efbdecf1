// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "typesafe.h"

#include "core/route_table.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, ROUTE_TABLE, "Route table");
DEFINE_MTYPE_STATIC(CLUSTERD, ROUTE_ENTRY, "Route table entry");
DEFINE_MTYPE_STATIC(CLUSTERD, ROUTE_NEXTHOPS, "Route next hops");

DEFINE_MTYPE_STATIC(CLUSTERD, ROUTE_OWED, "Route deletion that waits");

PREDECL_RBTREE_UNIQ(route_entries);
PREDECL_RBTREE_UNIQ(owed_deletes);

struct route_entry {
	struct route_entries_item item;
	struct cluster_route route;
	enum cluster_route_status status;
	enum cluster_route_owner owner;
	bool contested; /* another owner wanted it, too */
	bool told;	/* zebra has it, or an earlier one of this key */
	bool owed;	/* the last change isn't sent yet */
	int64_t since_us;
};

static int route_entry_cmp(const struct route_entry *a,
			   const struct route_entry *b)
{
	return cluster_route_key_cmp(&a->route.key, &b->route.key);
}
DECLARE_RBTREE_UNIQ(route_entries, struct route_entry, item, route_entry_cmp);

/* zebra has a route that nobody wants any more, and doesn't know that yet. */
struct owed_delete {
	struct owed_deletes_item item;
	struct cluster_route_key key;
};

static int owed_delete_cmp(const struct owed_delete *a,
			   const struct owed_delete *b)
{
	return cluster_route_key_cmp(&a->key, &b->key);
}
DECLARE_RBTREE_UNIQ(owed_deletes, struct owed_delete, item, owed_delete_cmp);

struct route_table {
	const struct route_table_ops *ops;
	struct route_entries_head entries;
	struct owed_deletes_head deletes_owed;
	size_t n_owed;		     /* entries */
	size_t n_of[CLUSTER_OWNERS]; /* entries of each owner */
	uint64_t adds, deletes;
};

/* The one writer of an entry's status. */
static void entry_status(struct route_entry *entry,
			 enum cluster_route_status status, int64_t now_us)
{
	if (entry->status == status)
		return;
	entry->status = status;
	entry->since_us = now_us;
}

static void entry_route_set(struct route_entry *entry,
			    const struct cluster_route *route)
{
	size_t size = route->n_nexthops * sizeof(*route->nexthops);

	XFREE(MTYPE_ROUTE_NEXTHOPS, entry->route.nexthops);
	entry->route = *route;
	entry->route.nexthops = NULL;
	if (size) {
		entry->route.nexthops = XMALLOC(MTYPE_ROUTE_NEXTHOPS, size);
		memcpy(entry->route.nexthops, route->nexthops, size);
	}
}

static void entry_free(struct route_entry *entry)
{
	XFREE(MTYPE_ROUTE_NEXTHOPS, entry->route.nexthops);
	XFREE(MTYPE_ROUTE_ENTRY, entry);
}

static void entry_owed(struct route_table *table, struct route_entry *entry,
		       bool owed)
{
	table->n_owed += owed - entry->owed;
	entry->owed = owed;
}

static enum route_table_sent send_delete(struct route_table *table,
					 const struct cluster_route_key *key)
{
	enum route_table_sent sent = table->ops->del(key);

	if (sent == ROUTE_SENT)
		table->deletes++;
	return sent;
}

/* What zebra has of it is no longer what is wanted, and nothing else can be. */
static void entry_unsent(struct route_table *table, struct route_entry *entry,
			 int64_t now_us)
{
	bool owed = entry->told &&
		    send_delete(table, &entry->route.key) == ROUTE_LATER;

	entry->told = owed;
	entry_owed(table, entry, owed);
	entry_status(entry, CLUSTER_ROUTE_UNSENT, now_us);
}

/*
 * An installed route whose change is under way stays INSTALLED: zebra
 * replaces it in place, and it forwards all the time.
 */
static enum route_table_sent
entry_send(struct route_table *table, struct route_entry *entry, int64_t now_us)
{
	enum route_table_sent sent = table->ops->add(&entry->route);

	if (sent == ROUTE_NOT_SENT) {
		entry_unsent(table, entry, now_us);
		return sent;
	}
	if (sent == ROUTE_SENT) {
		entry->told = true;
		table->adds++;
	}
	entry_owed(table, entry, sent == ROUTE_LATER);
	if (entry->status != CLUSTER_ROUTE_INSTALLED)
		entry_status(entry, CLUSTER_ROUTE_PENDING, now_us);
	return sent;
}

static void delete_owe(struct route_table *table,
		       const struct cluster_route_key *key)
{
	struct owed_delete *owed = XCALLOC(MTYPE_ROUTE_OWED, sizeof(*owed));

	owed->key = *key;
	owed_deletes_add(&table->deletes_owed, owed);
}

static void delete_forget(struct route_table *table, struct owed_delete *owed)
{
	owed_deletes_del(&table->deletes_owed, owed);
	XFREE(MTYPE_ROUTE_OWED, owed);
}

static void entry_drop(struct route_table *table, struct route_entry *entry)
{
	route_entries_del(&table->entries, entry);
	table->n_of[entry->owner]--;
	entry_owed(table, entry, false);
	if (entry->told && send_delete(table, &entry->route.key) == ROUTE_LATER)
		delete_owe(table, &entry->route.key);
	entry_free(entry);
}

static struct route_entry *entry_find(const struct route_table *table,
				      const struct cluster_route_key *key)
{
	struct route_entry ref;

	ref.route.key = *key;
	/* Callers that got a mutable table may change the entry. */
	return (struct route_entry *)route_entries_const_find(&table->entries,
							      &ref);
}

struct route_table *route_table_new(const struct route_table_ops *ops)
{
	struct route_table *table = XCALLOC(MTYPE_ROUTE_TABLE, sizeof(*table));

	table->ops = ops;
	route_entries_init(&table->entries);
	owed_deletes_init(&table->deletes_owed);
	return table;
}

void route_table_free(struct route_table **table)
{
	struct route_entry *entry;
	struct owed_delete *owed;

	if (!*table)
		return;
	while ((owed = owed_deletes_first(&(*table)->deletes_owed)))
		delete_forget(*table, owed);
	owed_deletes_fini(&(*table)->deletes_owed);
	while ((entry = route_entries_pop(&(*table)->entries)))
		entry_free(entry);
	route_entries_fini(&(*table)->entries);
	XFREE(MTYPE_ROUTE_TABLE, *table);
}

static void route_table_new_entry(struct route_table *table,
				  enum cluster_route_owner owner,
				  const struct cluster_route *route,
				  int64_t now_us)
{
	struct route_entry *entry = XCALLOC(MTYPE_ROUTE_ENTRY, sizeof(*entry));
	struct owed_delete ref = { .key = route->key };
	struct owed_delete *owed = owed_deletes_find(&table->deletes_owed, &ref);

	entry_route_set(entry, route);
	/* Replaced in place instead of being deleted. */
	entry->told = owed != NULL;
	if (owed)
		delete_forget(table, owed);
	entry->owner = owner;
	entry->status = CLUSTER_ROUTE_UNSENT;
	entry->since_us = now_us;
	route_entries_add(&table->entries, entry);
	table->n_of[owner]++;
	entry_send(table, entry, now_us);
}

/* `owner` wants a prefix that is in the table. */
static void entry_want(struct route_table *table, struct route_entry *entry,
		       enum cluster_route_owner owner,
		       const struct cluster_route *route, int64_t now_us)
{
	if (entry->owner != owner)
		entry->contested = true;
	if (entry->owner < owner)
		return;
	table->n_of[entry->owner]--;
	table->n_of[owner]++;
	entry->owner = owner;
	if (cluster_route_same(&entry->route, route))
		return;
	entry_route_set(entry, route);
	entry_send(table, entry, now_us);
}

bool route_table_set(struct route_table *table, enum cluster_route_owner owner,
		     const struct cluster_route *routes, size_t n_routes,
		     int64_t now_us)
{
	struct route_entry *entry = route_entries_first(&table->entries);
	bool contested = false;
	size_t i = 0;

	/* Mostly so; the walk would be over what others have. */
	if (!n_routes && !table->n_of[owner])
		return false;
	/* Both sides are sorted: one walk, the cost of a comparison each. */
	while (entry || i < n_routes) {
		int order = !entry ? 1
			    : i == n_routes
				    ? -1
				    : cluster_route_key_cmp(&entry->route.key,
							    &routes[i].key);
		struct route_entry *next =
			entry ? route_entries_next(&table->entries, entry)
			      : NULL;

		if (order > 0) {
			route_table_new_entry(table, owner, &routes[i++],
					      now_us);
			continue;
		}
		if (order == 0) {
			entry_want(table, entry, owner, &routes[i++], now_us);
		} else if (entry->owner == owner) {
			contested |= entry->contested;
			entry_drop(table, entry);
		}
		entry = next;
	}
	return contested;
}

void route_table_want(struct route_table *table, enum cluster_route_owner owner,
		      const struct cluster_route *route, int64_t now_us)
{
	struct route_entry *entry = entry_find(table, &route->key);

	if (entry)
		entry_want(table, entry, owner, route, now_us);
	else
		route_table_new_entry(table, owner, route, now_us);
}

bool route_table_unwant(struct route_table *table,
			enum cluster_route_owner owner,
			const struct cluster_route_key *key)
{
	struct route_entry *entry = entry_find(table, key);
	bool contested;

	if (!entry || entry->owner != owner)
		return false;
	contested = entry->contested;
	entry_drop(table, entry);
	return contested;
}

void route_table_disconnected(struct route_table *table, const char *vrf,
			      int64_t now_us)
{
	struct route_entry *entry;
	struct owed_delete *owed;

	frr_each (route_entries, &table->entries, entry) {
		if (vrf && strcmp(vrf, entry->route.key.vrf))
			continue;
		entry->told = false;
		entry_owed(table, entry, false);
		entry_status(entry, CLUSTER_ROUTE_UNSENT, now_us);
	}
	frr_each_safe (owed_deletes, &table->deletes_owed, owed)
		if (!vrf || !strcmp(vrf, owed->key.vrf))
			delete_forget(table, owed);
}

void route_table_flush(struct route_table *table, int64_t now_us)
{
	struct route_entry *entry;
	struct owed_delete *owed;

	while ((owed = owed_deletes_first(&table->deletes_owed))) {
		if (send_delete(table, &owed->key) == ROUTE_LATER)
			return;
		delete_forget(table, owed);
	}
	if (!table->n_owed)
		return;
	frr_each (route_entries, &table->entries, entry)
		if (entry->owed &&
		    entry_send(table, entry, now_us) == ROUTE_LATER)
			return;
}

static bool filter_nexthop(const struct route_table_filter *filter,
			   const struct cluster_route *route)
{
	if (!filter->ifname && !filter->gate)
		return true;
	for (uint16_t i = 0; i < route->n_nexthops; i++) {
		const struct cluster_nexthop *nexthop = &route->nexthops[i];

		if (filter->ifname && strcmp(filter->ifname, nexthop->ifname))
			continue;
		if (filter->gate && ipaddr_cmp(filter->gate, &nexthop->gate))
			continue;
		return true;
	}
	return false;
}

size_t route_table_resend(struct route_table *table,
			  const struct route_table_filter *filter,
			  int64_t now_us)
{
	struct route_entry *entry;
	size_t sent = 0;

	frr_each (route_entries, &table->entries, entry) {
		if (filter->vrf && strcmp(filter->vrf, entry->route.key.vrf))
			continue;
		if (filter->not_installed &&
		    entry->status == CLUSTER_ROUTE_INSTALLED)
			continue;
		if (filter->removed && entry->status != CLUSTER_ROUTE_REMOVED)
			continue;
		if (!filter_nexthop(filter, &entry->route))
			continue;
		if (entry_send(table, entry, now_us) == ROUTE_SENT)
			sent++;
	}
	return sent;
}

bool route_table_notify(struct route_table *table,
			const struct cluster_route_key *key,
			enum route_table_note note, int64_t now_us)
{
	static const enum cluster_route_status status_of[] = {
		[ROUTE_NOTE_INSTALLED] = CLUSTER_ROUTE_INSTALLED,
		[ROUTE_NOTE_BETTER_WON] = CLUSTER_ROUTE_BETTER_WON,
		[ROUTE_NOTE_FAILED] = CLUSTER_ROUTE_FAILED,
		[ROUTE_NOTE_REMOVED] = CLUSTER_ROUTE_REMOVED,
	};
	struct route_entry *entry = entry_find(table, key);

	/* An echo of what was before; nothing of ours is there. */
	if (!entry || !entry->told || entry->status == CLUSTER_ROUTE_UNSENT ||
	    entry->status == status_of[note])
		return false;
	/* A better route that came first, then our removal from the kernel. */
	if (note == ROUTE_NOTE_REMOVED &&
	    entry->status == CLUSTER_ROUTE_BETTER_WON)
		return false;
	entry_status(entry, status_of[note], now_us);
	return true;
}

bool route_table_wants(const struct route_table *table,
		       const struct cluster_route_key *key)
{
	return entry_find(table, key) != NULL;
}

bool route_table_owes(const struct route_table *table,
		      const struct cluster_route_key *key)
{
	struct owed_delete ref = { .key = *key };

	return owed_deletes_const_find(&table->deletes_owed, &ref) != NULL;
}

enum cluster_route_owner route_table_owner(const struct route_table *table,
					   const struct cluster_route_key *key)
{
	return entry_find(table, key)->owner;
}

enum cluster_route_status route_table_status(const struct route_table *table,
					     enum cluster_route_owner owner,
					     const struct cluster_route_key *key,
					     int64_t *since_us)
{
	const struct route_entry *entry = entry_find(table, key);

	if (entry && entry->owner != owner)
		entry = NULL;
	if (since_us)
		*since_us = entry ? entry->since_us : 0;
	return entry ? entry->status : CLUSTER_ROUTE_UNWANTED;
}

void route_table_count(const struct route_table *table,
		       struct route_table_counts *counts)
{
	const struct route_entry *entry;

	memset(counts, 0, sizeof(*counts));
	frr_each (route_entries_const, &table->entries, entry) {
		counts->wanted++;
		counts->by_status[entry->status]++;
	}
	counts->owed = table->n_owed + owed_deletes_count(&table->deletes_owed);
	counts->adds = table->adds;
	counts->deletes = table->deletes;
}
