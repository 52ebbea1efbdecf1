// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "typesafe.h"

#include "core/local_table.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, LOCAL_TABLE, "Local table");
DEFINE_MTYPE_STATIC(CLUSTERD, LOCAL_ENTRY, "Local table entry");
DEFINE_MTYPE_STATIC(CLUSTERD, LOCAL_SPACE, "Local table namespace");

PREDECL_RBTREE_UNIQ(local_entries);
PREDECL_RBTREE_UNIQ(local_spaces);
PREDECL_DLIST(local_todo);
PREDECL_RBTREE_NONUNIQ(local_leaving);

enum local_phase {
	PHASE_WANTED,
	PHASE_WITHDRAWING, /* zebra has yet to confirm; until `until_us` */
	PHASE_HOLDING,	   /* until `until_us` */
	PHASE_UNWANTED,
};

/* One VRF's namespace. */
struct local_space {
	struct local_spaces_item item;
	char vrf[CLUSTER_VRF_LEN];
	bool ready;   /* has been read */
	bool reading; /* no requests until the end */
	size_t in_flight, leftovers;
	struct local_todo_head todo;
};

struct local_entry {
	struct local_entries_item item;
	struct cluster_route_key key;
	struct local_space *space;
	enum local_phase phase;
	uint32_t hold_ms;
	int64_t until_us;
	int64_t give_up_us; /* WITHDRAWING: HOLDING then, whatever zebra does */
	bool kept;	    /* was announced when zebra was lost */

	bool present;  /* the kernel has it, as far as we know */
	bool vouched;  /* ...and if not: it is being set again */
	bool seen;     /* in the reading that is under way */
	bool leftover; /* found, and not wanted since we started */
	bool blocked;  /* refused: not told again before the next reading */
	int error;     /* of the last request */
	enum local_op in_flight;

	struct local_todo_item todo_item;
	bool in_todo;
	struct local_leaving_item leaving_item;
};

static int entry_cmp(const struct local_entry *a, const struct local_entry *b)
{
	return cluster_route_key_cmp(&a->key, &b->key);
}
DECLARE_RBTREE_UNIQ(local_entries, struct local_entry, item, entry_cmp);

static int space_cmp(const struct local_space *a, const struct local_space *b)
{
	return strcmp(a->vrf, b->vrf);
}
DECLARE_RBTREE_UNIQ(local_spaces, struct local_space, item, space_cmp);
DECLARE_DLIST(local_todo, struct local_entry, todo_item);

static int leaving_cmp(const struct local_entry *a, const struct local_entry *b)
{
	return numcmp(a->until_us, b->until_us);
}
DECLARE_RBTREE_NONUNIQ(local_leaving, struct local_entry, leaving_item,
		       leaving_cmp);

struct local_table {
	const struct local_table_ops *ops;
	struct local_entries_head entries;
	struct local_spaces_head spaces;
	/* PHASE_WITHDRAWING and HOLDING, the first to change its phase first */
	struct local_leaving_head leaving;
	bool sweep;
	uint64_t adds, deletes, lost, leftovers;
};

const char *local_status_name(enum local_status status)
{
	static const char *const names[] = {
		[LOCAL_NONE] = "none", [LOCAL_WAITING] = "waiting",
		[LOCAL_SET] = "set",   [LOCAL_FAILED] = "failed",
		[LOCAL_HELD] = "held", [LOCAL_GOING] = "going",
	};

	return names[status];
}

static struct local_space *space_find(const struct local_table *table,
				      const char *vrf)
{
	struct local_space ref;

	strlcpy(ref.vrf, vrf, sizeof(ref.vrf));
	/* Callers that got a mutable table may change it. */
	return (struct local_space *)local_spaces_const_find(&table->spaces,
							     &ref);
}

static struct local_space *space_get(struct local_table *table, const char *vrf)
{
	struct local_space *space = space_find(table, vrf);

	if (space)
		return space;
	space = XCALLOC(MTYPE_LOCAL_SPACE, sizeof(*space));
	strlcpy(space->vrf, vrf, sizeof(space->vrf));
	local_todo_init(&space->todo);
	local_spaces_add(&table->spaces, space);
	return space;
}

static struct local_entry *entry_find(const struct local_table *table,
				      const struct cluster_route_key *key)
{
	struct local_entry ref;

	ref.key = *key;
	return (struct local_entry *)local_entries_const_find(&table->entries,
							      &ref);
}

static struct local_entry *entry_new(struct local_table *table,
				     const struct cluster_route_key *key,
				     enum local_phase phase)
{
	struct local_entry *entry = XCALLOC(MTYPE_LOCAL_ENTRY, sizeof(*entry));

	entry->key = *key;
	entry->phase = phase;
	entry->space = space_get(table, key->vrf);
	local_entries_add(&table->entries, entry);
	return entry;
}

static bool phase_leaving(enum local_phase phase)
{
	return phase == PHASE_WITHDRAWING || phase == PHASE_HOLDING;
}

static enum local_status entry_status(const struct local_entry *entry)
{
	bool there = entry->present || entry->vouched;

	switch (entry->phase) {
	case PHASE_WANTED:
		if (there)
			return LOCAL_SET;
		return entry->error ? LOCAL_FAILED : LOCAL_WAITING;
	case PHASE_WITHDRAWING:
	case PHASE_HOLDING:
		return there ? LOCAL_HELD : LOCAL_NONE;
	case PHASE_UNWANTED:
	default:
		return there ? LOCAL_GOING : LOCAL_NONE;
	}
}

/* What the kernel should be told about an entry now. */
static enum local_op entry_op(const struct local_table *table,
			      const struct local_entry *entry)
{
	if (entry->in_flight || entry->blocked)
		return LOCAL_OP_NONE;
	if (entry->phase != PHASE_UNWANTED)
		return entry->present ? LOCAL_OP_NONE : LOCAL_OP_ADD;
	if (!entry->present || (entry->leftover && !table->sweep))
		return LOCAL_OP_NONE;
	return LOCAL_OP_DEL;
}

static void todo_remove(struct local_entry *entry)
{
	if (!entry->in_todo)
		return;
	entry->in_todo = false;
	local_todo_del(&entry->space->todo, entry);
}

/*
 * The one writer of an entry's phase; the entry may be gone afterwards: look
 * at it through entry_settle().
 */
static void entry_phase(struct local_table *table, struct local_entry *entry,
			enum local_phase phase, int64_t until_us)
{
	if (phase_leaving(entry->phase))
		local_leaving_del(&table->leaving, entry);
	entry->phase = phase;
	entry->until_us = until_us;
	if (phase_leaving(phase))
		local_leaving_add(&table->leaving, entry);
}

/* Queues what is to be done, or frees what nobody needs any more. */
static void entry_settle(struct local_table *table, struct local_entry *entry)
{
	struct local_space *space = entry->space;

	if (entry->phase == PHASE_UNWANTED && !entry->present &&
	    !entry->in_flight) {
		todo_remove(entry);
		if (entry->leftover)
			space->leftovers--;
		local_entries_del(&table->entries, entry);
		XFREE(MTYPE_LOCAL_ENTRY, entry);
		return;
	}
	if (entry->in_todo || !space->ready ||
	    entry_op(table, entry) == LOCAL_OP_NONE)
		return;
	entry->in_todo = true;
	local_todo_add_tail(&space->todo, entry);
	if (local_todo_count(&space->todo) == 1)
		table->ops->requests(space->vrf);
}

struct local_table *local_table_new(const struct local_table_ops *ops)
{
	struct local_table *table = XCALLOC(MTYPE_LOCAL_TABLE, sizeof(*table));

	table->ops = ops;
	local_entries_init(&table->entries);
	local_spaces_init(&table->spaces);
	local_leaving_init(&table->leaving);
	return table;
}

void local_table_free(struct local_table **table)
{
	struct local_entry *entry;
	struct local_space *space;

	if (!*table)
		return;
	while ((entry = local_entries_pop(&(*table)->entries))) {
		todo_remove(entry);
		entry_phase(*table, entry, PHASE_UNWANTED, 0);
		XFREE(MTYPE_LOCAL_ENTRY, entry);
	}
	local_entries_fini(&(*table)->entries);
	local_leaving_fini(&(*table)->leaving);
	while ((space = local_spaces_pop(&(*table)->spaces))) {
		local_todo_fini(&space->todo);
		XFREE(MTYPE_LOCAL_SPACE, space);
	}
	local_spaces_fini(&(*table)->spaces);
	XFREE(MTYPE_LOCAL_TABLE, *table);
}

static int64_t hold_until(const struct local_entry *entry, int64_t now_us)
{
	return now_us + entry->hold_ms * 1000LL;
}

/* The withdrawal has gone out, or isn't waited for any longer. */
static void entry_hold(struct local_table *table, struct local_entry *entry,
		       int64_t now_us)
{
	entry->kept = false;
	entry_phase(table, entry, PHASE_HOLDING, hold_until(entry, now_us));
}

static void entry_want(struct local_table *table, struct local_entry *entry,
		       const struct local_want *want)
{
	entry->hold_ms = want->hold_ms;
	if (entry->leftover) {
		entry->leftover = false;
		entry->space->leftovers--;
	}
	if (entry->phase == PHASE_WANTED)
		return;
	entry_phase(table, entry, PHASE_WANTED, 0);
	/* There already: who asks again hears that it is set. */
	if (entry->present)
		table->ops->changed();
	entry_settle(table, entry);
}

static void entry_unwant(struct local_table *table, struct local_entry *entry,
			 int64_t now_us)
{
	if (entry->phase != PHASE_WANTED)
		return;
	entry->blocked = false;
	entry->error = 0;
	if (!entry->present && !entry->vouched)
		entry_phase(table, entry, PHASE_UNWANTED, 0);
	else if (entry->kept || table->ops->announced(&entry->key))
		entry_phase(table, entry, PHASE_WITHDRAWING,
			    now_us + LOCAL_WITHDRAWAL_US);
	else
		entry_hold(table, entry, now_us);
	entry->give_up_us = now_us + LOCAL_WITHDRAWAL_MAX_US;
	entry_settle(table, entry);
}

void local_table_set(struct local_table *table, const struct local_want *wants,
		     size_t n_wants, int64_t now_us)
{
	struct local_entry *entry = local_entries_first(&table->entries);
	size_t i = 0;

	/* Both sides are sorted: one walk. */
	while (entry || i < n_wants) {
		int order = !entry ? 1
			    : i == n_wants
				    ? -1
				    : cluster_route_key_cmp(&entry->key,
							    &wants[i].key);
		struct local_entry *next =
			entry ? local_entries_next(&table->entries, entry)
			      : NULL;

		if (order < 0) {
			entry_unwant(table, entry, now_us);
			entry = next;
			continue;
		}
		if (order > 0) {
			struct local_entry *new =
				entry_new(table, &wants[i].key, PHASE_WANTED);

			new->hold_ms = wants[i++].hold_ms;
			entry_settle(table, new);
			continue;
		}
		entry_want(table, entry, &wants[i++]);
		entry = next;
	}
}

void local_table_withdrawn(struct local_table *table,
			   const struct cluster_route_key *key, int64_t now_us)
{
	struct local_entry *entry = entry_find(table, key);

	if (!entry)
		return;
	entry->kept = false;
	if (entry->phase == PHASE_WITHDRAWING)
		entry_hold(table, entry, now_us);
}

void local_table_all_withdrawn(struct local_table *table, int64_t now_us)
{
	struct local_entry *entry;

	/* Not those that leave: their order changes. */
	frr_each (local_entries, &table->entries, entry) {
		entry->kept = false;
		if (entry->phase == PHASE_WITHDRAWING)
			entry_hold(table, entry, now_us);
	}
}

void local_table_zebra_lost(struct local_table *table)
{
	struct local_entry *entry;

	frr_each (local_entries, &table->entries, entry)
		if (entry->phase == PHASE_WANTED &&
		    table->ops->announced(&entry->key))
			entry->kept = true;
}

int64_t local_table_run(struct local_table *table, int64_t now_us)
{
	struct local_entry *entry;

	while ((entry = local_leaving_first(&table->leaving))) {
		if (now_us < entry->until_us)
			return entry->until_us;
		if (entry->phase == PHASE_WITHDRAWING) {
			if (now_us < entry->give_up_us &&
			    table->ops->withdrawal_waits(&entry->key))
				entry_phase(table, entry, PHASE_WITHDRAWING,
					    now_us + LOCAL_WITHDRAWAL_LOOK_US);
			else
				entry_hold(table, entry, now_us);
			continue;
		}
		entry_phase(table, entry, PHASE_UNWANTED, 0);
		entry_settle(table, entry);
	}
	return 0;
}

static int64_t entry_left(const struct local_entry *entry, int64_t now_us)
{
	switch (entry->phase) {
	case PHASE_WANTED:
		return LOCAL_WITHDRAWAL_US + entry->hold_ms * 1000LL;
	case PHASE_WITHDRAWING:
		return entry->until_us - now_us + entry->hold_ms * 1000LL;
	case PHASE_HOLDING:
		return entry->until_us - now_us;
	case PHASE_UNWANTED:
	default:
		return 0;
	}
}

int64_t local_table_left(const struct local_table *table, int64_t now_us)
{
	const struct local_entry *entry;
	int64_t left_us = 0;

	frr_each (local_entries_const, &table->entries, entry) {
		if ((entry->leftover && !table->sweep) ||
		    entry_status(entry) == LOCAL_NONE)
			continue;
		/* One whose time is over is there until the kernel has said. */
		left_us = MAX(left_us, MAX(entry_left(entry, now_us), 1));
	}
	return left_us;
}

void local_table_sweep(struct local_table *table)
{
	struct local_entry *entry;

	if (table->sweep)
		return;
	table->sweep = true;
	frr_each_safe (local_entries, &table->entries, entry)
		if (entry->leftover)
			entry_settle(table, entry);
}

bool local_table_next(struct local_table *table, const char *vrf,
		      struct local_request *request)
{
	struct local_space *space = space_find(table, vrf);
	struct local_entry *entry;

	if (!space || !space->ready || space->reading)
		return false;
	while ((entry = local_todo_pop(&space->todo))) {
		entry->in_todo = false;
		request->op = entry_op(table, entry);
		/* Meanwhile it was decided otherwise. */
		if (request->op == LOCAL_OP_NONE)
			continue;
		entry->in_flight = request->op;
		space->in_flight++;
		request->key = entry->key;
		return true;
	}
	return false;
}

/* The one writer of what the kernel has of an entry. */
static void entry_present(struct local_table *table, struct local_entry *entry,
			  bool present, int error)
{
	enum local_status before = entry_status(entry);

	entry->present = entry->vouched = present;
	entry->error = error;
	entry->blocked = error != 0;
	/* A decision doesn't depend on what it doesn't want. */
	if (entry->phase == PHASE_WANTED && entry_status(entry) != before)
		table->ops->changed();
}

bool local_table_done(struct local_table *table,
		      const struct cluster_route_key *key, int error)
{
	struct local_entry *entry = entry_find(table, key);
	enum local_op op = entry ? entry->in_flight : LOCAL_OP_NONE;
	int before;
	bool news;

	if (op == LOCAL_OP_NONE)
		return false;
	before = entry->error;
	entry->in_flight = LOCAL_OP_NONE;
	entry->space->in_flight--;
	if (op == LOCAL_OP_ADD) {
		/* There already: by us, the metric is ours. */
		if (error == EEXIST)
			error = 0;
		if (!error)
			table->adds++;
		entry_present(table, entry, !error, error);
	} else {
		if (error == ESRCH)
			error = 0;
		if (!error) {
			table->deletes++;
			table->leftovers += entry->leftover;
		}
		entry_present(table, entry, error != 0, error);
	}
	/* Decided otherwise meanwhile: nothing has failed. */
	if ((op == LOCAL_OP_ADD) != (entry->phase != PHASE_UNWANTED)) {
		entry->blocked = false;
		entry->error = 0;
	}
	news = entry->error && entry->error != before;
	entry_settle(table, entry);
	return news;
}

/* The first entry of a namespace at or behind `ref`, and the one behind. */
static struct local_entry *space_first(struct local_table *table,
				       const char *vrf)
{
	struct local_entry ref = {};

	strlcpy(ref.key.vrf, vrf, sizeof(ref.key.vrf));
	return local_entries_find_gteq(&table->entries, &ref);
}

static struct local_entry *space_next(struct local_table *table,
				      struct local_entry *entry)
{
	struct local_space *space = entry->space;

	entry = local_entries_next(&table->entries, entry);
	return entry && entry->space == space ? entry : NULL;
}

#define FOR_ENTRIES_OF(table, space, entry, next)                              \
	for ((entry) = space_first(table, (space)->vrf),                       \
	    (entry) = (entry) && (entry)->space == (space) ? (entry) : NULL;   \
	     (entry) && ((next) = space_next(table, entry), true);             \
	     (entry) = (next))

bool local_table_read_begin(struct local_table *table, const char *vrf)
{
	struct local_space *space = space_get(table, vrf);
	struct local_entry *entry, *next;

	if (space->in_flight)
		return false;
	space->reading = true;
	FOR_ENTRIES_OF(table, space, entry, next)
	entry->seen = false;
	return true;
}

void local_table_read(struct local_table *table,
		      const struct cluster_route_key *key)
{
	struct local_space *space = space_get(table, key->vrf);
	struct local_entry *entry = entry_find(table, key);

	if (!entry) {
		if (space->leftovers >= LOCAL_LEFTOVERS_MAX)
			return;
		entry = entry_new(table, key, PHASE_UNWANTED);
		entry->leftover = true;
		space->leftovers++;
	}
	entry->seen = true;
	if (!entry->present)
		entry_present(table, entry, true, 0);
}

void local_table_read_end(struct local_table *table, const char *vrf)
{
	struct local_space *space = space_get(table, vrf);
	struct local_entry *entry, *next;

	space->ready = true;
	space->reading = false;
	FOR_ENTRIES_OF(table, space, entry, next)
	{
		/* Not told yet that it isn't: it is set again at once. */
		if (entry->present && !entry->seen) {
			entry->present = false;
			table->lost += entry->phase != PHASE_UNWANTED;
		}
		entry->blocked = false;
		entry_settle(table, entry);
	}
	if (local_todo_count(&space->todo))
		table->ops->requests(space->vrf);
}

void local_table_lost(struct local_table *table, const char *vrf, bool gone)
{
	struct local_space *space = space_find(table, vrf);
	struct local_entry *entry, *next;

	if (!space)
		return;
	space->ready = space->reading = false;
	space->in_flight = 0;
	FOR_ENTRIES_OF(table, space, entry, next)
	{
		entry->in_flight = LOCAL_OP_NONE;
		todo_remove(entry);
		if (!gone)
			continue;
		entry_present(table, entry, false, 0);
		if (phase_leaving(entry->phase))
			entry_phase(table, entry, PHASE_UNWANTED, 0);
		entry_settle(table, entry);
	}
}

enum local_status local_table_status(const struct local_table *table,
				     const struct cluster_route_key *key,
				     int *error)
{
	const struct local_entry *entry = entry_find(table, key);

	if (error)
		*error = entry ? entry->error : 0;
	return entry ? entry_status(entry) : LOCAL_NONE;
}

void local_table_count(const struct local_table *table,
		       struct local_table_counts *counts)
{
	const struct local_entry *entry;

	memset(counts, 0, sizeof(*counts));
	frr_each (local_entries_const, &table->entries, entry) {
		enum local_status status = entry_status(entry);

		counts->wanted += entry->phase == PHASE_WANTED;
		counts->set += status == LOCAL_SET;
		counts->held += status == LOCAL_HELD;
		counts->failed += status == LOCAL_FAILED;
	}
	counts->adds = table->adds;
	counts->deletes = table->deletes;
	counts->lost = table->lost;
	counts->leftovers = table->leftovers;
}
