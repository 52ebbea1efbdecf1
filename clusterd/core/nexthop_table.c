// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "typesafe.h"

#include "core/nexthop_table.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, NEXTHOP_TABLE, "Next-hop table");
DEFINE_MTYPE_STATIC(CLUSTERD, NEXTHOP_ENTRY, "Tracked next hop");

PREDECL_RBTREE_UNIQ(nexthop_entries);

struct nexthop_entry {
	struct nexthop_entries_item item;
	struct cluster_route_key key;
	unsigned int users;
	int matched;
	int before;    /* the zebra before this one, while that counts */
	bool answered; /* by the zebra that is there now */
};

static int nexthop_entry_cmp(const struct nexthop_entry *a,
			     const struct nexthop_entry *b)
{
	return cluster_route_key_cmp(&a->key, &b->key);
}
DECLARE_RBTREE_UNIQ(nexthop_entries, struct nexthop_entry, item,
		    nexthop_entry_cmp);

struct nexthop_table {
	const struct nexthop_table_ops *ops;
	struct nexthop_entries_head entries;
};

static struct nexthop_entry *entry_find(const struct nexthop_table *table,
					const struct cluster_route_key *nexthop)
{
	struct nexthop_entry ref;

	ref.key = *nexthop;
	/* Callers that got a mutable table may change the entry. */
	return (struct nexthop_entry *)
		nexthop_entries_const_find(&table->entries, &ref);
}

struct nexthop_table *nexthop_table_new(const struct nexthop_table_ops *ops)
{
	struct nexthop_table *table = XCALLOC(MTYPE_NEXTHOP_TABLE,
					      sizeof(*table));

	table->ops = ops;
	nexthop_entries_init(&table->entries);
	return table;
}

void nexthop_table_free(struct nexthop_table **table)
{
	struct nexthop_entry *entry;

	if (!*table)
		return;
	while ((entry = nexthop_entries_pop(&(*table)->entries)))
		XFREE(MTYPE_NEXTHOP_ENTRY, entry);
	nexthop_entries_fini(&(*table)->entries);
	XFREE(MTYPE_NEXTHOP_TABLE, *table);
}

void nexthop_table_get(struct nexthop_table *table,
		       const struct cluster_route_key *nexthop)
{
	struct nexthop_entry *entry = entry_find(table, nexthop);

	if (!entry) {
		entry = XCALLOC(MTYPE_NEXTHOP_ENTRY, sizeof(*entry));
		entry->key = *nexthop;
		entry->matched = entry->before = NEXTHOP_UNRESOLVED;
		nexthop_entries_add(&table->entries, entry);
		table->ops->watch(nexthop);
	}
	entry->users++;
}

void nexthop_table_put(struct nexthop_table *table,
		       const struct cluster_route_key *nexthop)
{
	struct nexthop_entry *entry = entry_find(table, nexthop);

	assert(entry && entry->users);
	if (--entry->users)
		return;
	nexthop_entries_del(&table->entries, entry);
	table->ops->unwatch(nexthop);
	XFREE(MTYPE_NEXTHOP_ENTRY, entry);
}

static int entry_matched(const struct nexthop_entry *entry)
{
	return entry->matched != NEXTHOP_UNRESOLVED ? entry->matched
						    : entry->before;
}

bool nexthop_table_update(struct nexthop_table *table,
			  const struct cluster_route_key *nexthop, int matched)
{
	struct nexthop_entry *entry = entry_find(table, nexthop);
	int seen, heard;
	bool first;

	if (!entry)
		return false;
	seen = entry_matched(entry);
	heard = entry->matched;
	first = !entry->answered;
	entry->answered = true;
	entry->matched = matched;
	if (matched != NEXTHOP_UNRESOLVED)
		entry->before = NEXTHOP_UNRESOLVED;
	return first || entry_matched(entry) != seen || matched != heard;
}

int nexthop_table_matched(const struct nexthop_table *table,
			  const struct cluster_route_key *nexthop)
{
	const struct nexthop_entry *entry = entry_find(table, nexthop);

	return entry ? entry_matched(entry) : NEXTHOP_UNRESOLVED;
}

int nexthop_table_heard(const struct nexthop_table *table,
			const struct cluster_route_key *nexthop)
{
	const struct nexthop_entry *entry = entry_find(table, nexthop);

	return entry ? entry->matched : NEXTHOP_UNRESOLVED;
}

bool nexthop_table_answered(const struct nexthop_table *table,
			    const struct cluster_route_key *nexthop)
{
	const struct nexthop_entry *entry = entry_find(table, nexthop);

	return entry && entry->answered;
}

void nexthop_table_disconnected(struct nexthop_table *table)
{
	struct nexthop_entry *entry;

	frr_each (nexthop_entries, &table->entries, entry) {
		entry->before = entry_matched(entry);
		entry->matched = NEXTHOP_UNRESOLVED;
		entry->answered = false;
	}
}

bool nexthop_table_settled(struct nexthop_table *table)
{
	struct nexthop_entry *entry;
	bool changed = false;

	frr_each (nexthop_entries, &table->entries, entry) {
		changed |= entry->before != NEXTHOP_UNRESOLVED;
		entry->before = NEXTHOP_UNRESOLVED;
	}
	return changed;
}

void nexthop_table_vrf_gone(struct nexthop_table *table, const char *vrf)
{
	struct nexthop_entry *entry;

	frr_each (nexthop_entries, &table->entries, entry) {
		if (strcmp(vrf, entry->key.vrf) != 0)
			continue;
		entry->matched = entry->before = NEXTHOP_UNRESOLVED;
		entry->answered = false;
	}
}

void nexthop_table_resend(struct nexthop_table *table, const char *vrf)
{
	struct nexthop_entry *entry;

	frr_each (nexthop_entries, &table->entries, entry)
		if (!vrf || !strcmp(vrf, entry->key.vrf))
			table->ops->watch(&entry->key);
}

size_t nexthop_table_count(const struct nexthop_table *table)
{
	return nexthop_entries_count(&table->entries);
}
