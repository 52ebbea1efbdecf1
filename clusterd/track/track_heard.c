// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "track/track_heard.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, TRACK_HEARD, "Track announcements heard");

PREDECL_RBTREE_UNIQ(track_nodes);

struct track_node {
	struct track_nodes_item item;
	struct ctl_id id;
	bool complete; /* a full state has come */
	struct track_entries_head entries;
};

struct track_heard {
	struct track_nodes_head nodes;
	size_t n_entries;
	uint64_t refused;
};

static int node_cmp(const struct track_node *a, const struct track_node *b)
{
	return ctl_id_cmp(&a->id, &b->id);
}

static int entry_cmp(const struct track_entry *a, const struct track_entry *b)
{
	return strcmp(a->word.name, b->word.name);
}

DECLARE_RBTREE_UNIQ(track_nodes, struct track_node, item, node_cmp);
DECLARE_RBTREE_UNIQ(track_entries, struct track_entry, item, entry_cmp);

struct track_heard *track_heard_new(void)
{
	struct track_heard *heard = XCALLOC(MTYPE_TRACK_HEARD, sizeof(*heard));

	track_nodes_init(&heard->nodes);
	return heard;
}

static void entry_del(struct track_heard *heard, struct track_node *node,
		      struct track_entry *entry)
{
	track_entries_del(&node->entries, entry);
	XFREE(MTYPE_TRACK_HEARD, entry);
	heard->n_entries--;
}

static void node_del(struct track_heard *heard, struct track_node *node)
{
	struct track_entry *entry;

	while ((entry = track_entries_first(&node->entries)))
		entry_del(heard, node, entry);
	track_entries_fini(&node->entries);
	track_nodes_del(&heard->nodes, node);
	XFREE(MTYPE_TRACK_HEARD, node);
}

void track_heard_free(struct track_heard **heard)
{
	struct track_node *node;

	if (!*heard)
		return;
	while ((node = track_nodes_first(&(*heard)->nodes)))
		node_del(*heard, node);
	track_nodes_fini(&(*heard)->nodes);
	XFREE(MTYPE_TRACK_HEARD, *heard);
}

static struct track_node *node_find(const struct track_heard *heard,
				    const struct ctl_id *id)
{
	struct track_node ref = { .id = *id };

	/* Callers that got a mutable table may change the node. */
	return (struct track_node *)track_nodes_const_find(&heard->nodes, &ref);
}

static struct track_entry *entry_find(const struct track_node *node,
				      const char *name)
{
	struct track_entry ref = {};

	memcpy(ref.word.name, name, strnlen(name, TRACK_NAME_LEN - 1));
	return (struct track_entry *)track_entries_const_find(&node->entries,
							      &ref);
}

void track_heard_up(struct track_heard *heard, const struct ctl_id *id)
{
	struct track_node *node;

	/* Whatever was said in another session is worthless. */
	track_heard_down(heard, id);
	node = XCALLOC(MTYPE_TRACK_HEARD, sizeof(*node));
	node->id = *id;
	track_entries_init(&node->entries);
	track_nodes_add(&heard->nodes, node);
}

void track_heard_down(struct track_heard *heard, const struct ctl_id *id)
{
	struct track_node *node = node_find(heard, id);

	if (node)
		node_del(heard, node);
}

void track_heard_sync(struct track_heard *heard, const struct ctl_id *id,
		      bool begin)
{
	struct track_node *node = node_find(heard, id);
	struct track_entry *entry;

	if (!node)
		return;
	frr_each_safe (track_entries, &node->entries, entry) {
		if (begin)
			entry->stale = true;
		else if (entry->stale)
			entry_del(heard, node, entry);
	}
	if (!begin)
		node->complete = true;
}

static bool word_set(struct track_heard *heard, struct track_node *node,
		     const struct track_word *word, int64_t now_us)
{
	struct track_entry *entry = entry_find(node, word->name);
	bool gone = word->levels[0] == TRACK_LEVEL_NONE &&
		    word->levels[1] == TRACK_LEVEL_NONE;

	if (gone) {
		if (entry)
			entry_del(heard, node, entry);
		return true;
	}
	if (!entry) {
		if (track_entries_count(&node->entries) >= TRACK_HEARD_MAX ||
		    heard->n_entries >= TRACK_HEARD_TOTAL_MAX)
			return false;
		entry = XCALLOC(MTYPE_TRACK_HEARD, sizeof(*entry));
		entry->node = &node->id;
		entry->word = *word;
		entry->since_us = now_us;
		track_entries_add(&node->entries, entry);
		heard->n_entries++;
		return true;
	}
	entry->stale = false;
	if (entry->word.levels[0] != word->levels[0] ||
	    entry->word.levels[1] != word->levels[1])
		entry->since_us = now_us;
	entry->word = *word;
	return true;
}

bool track_heard_item(struct track_heard *heard, const struct ctl_id *id,
		      uint16_t type, const uint8_t *data, size_t len,
		      int64_t now_us)
{
	struct track_node *node = node_find(heard, id);
	struct track_word word;

	if (node && track_decode(type, data, len, &word) &&
	    word_set(heard, node, &word, now_us))
		return true;
	heard->refused++;
	return false;
}

enum track_hearsay track_heard_find(const struct track_heard *heard,
				    const struct ctl_id *id, const char *track,
				    unsigned int family, enum track_level *level)
{
	const struct track_node *node = node_find(heard, id);
	const struct track_entry *entry = node ? entry_find(node, track) : NULL;

	if (!node)
		return TRACK_HEARD_NO_SESSION;
	if (!entry)
		return node->complete ? TRACK_HEARD_NOTHING
				      : TRACK_HEARD_NOT_YET;
	*level = entry->word.levels[family];
	return TRACK_HEARD_LEVEL;
}

const struct track_entry *track_heard_next(const struct track_heard *heard,
					   const struct track_entry *after)
{
	const struct track_entry *entry = NULL;
	const struct track_node *node;

	node = after ? node_find(heard, after->node)
		     : track_nodes_const_first(&heard->nodes);
	if (after)
		entry = track_entries_const_next(&node->entries, after);
	else if (node)
		entry = track_entries_const_first(&node->entries);
	while (!entry && node) {
		node = track_nodes_const_next(&heard->nodes, node);
		if (node)
			entry = track_entries_const_first(&node->entries);
	}
	return entry;
}

const struct track_entry *track_heard_entry(const struct track_heard *heard,
					    const struct ctl_id *id,
					    const char *track)
{
	const struct track_node *node = node_find(heard, id);

	return node ? entry_find(node, track) : NULL;
}

void track_heard_nodes(const struct track_heard *heard,
		       void (*each)(void *arg, const struct ctl_id *node),
		       void *arg)
{
	const struct track_node *node;

	frr_each (track_nodes_const, &heard->nodes, node)
		each(arg, &node->id);
}

size_t track_heard_n_nodes(const struct track_heard *heard)
{
	return track_nodes_count(&heard->nodes);
}

uint64_t track_heard_refused(const struct track_heard *heard)
{
	return heard->refused;
}
