// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "track/track_told.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, TRACK_TOLD, "Track announcements");

/*
 * Where track_told_all() has stopped: the place in the table, and which table
 * that was.  After a change of names it begins again.
 */
#define INDEX_BITS 16
#define INDEX_MASK ((1u << INDEX_BITS) - 1)
_Static_assert(TRACK_TOLD_MAX <= INDEX_MASK, "a place fits into its bits");

struct track_told {
	size_t n;
	uint16_t generation;
	struct track_word words[TRACK_TOLD_MAX];
};

enum track_level track_level(const struct track_level_facts *facts)
{
	bool usable = facts->before == TRACK_LEVEL_REACHABLE ||
		      facts->before == TRACK_LEVEL_WORSE;

	if (!facts->prefixes)
		return TRACK_LEVEL_NONE;
	if (!track_installs(facts->state) || !facts->ours || facts->failed ||
	    (facts->pending && !usable))
		return TRACK_LEVEL_UNREACHABLE;
	return facts->state == TRACK_UP ? TRACK_LEVEL_REACHABLE
					: TRACK_LEVEL_WORSE;
}

struct track_told *track_told_new(void)
{
	return XCALLOC(MTYPE_TRACK_TOLD, sizeof(struct track_told));
}

void track_told_free(struct track_told **told)
{
	XFREE(MTYPE_TRACK_TOLD, *told);
}

size_t track_told_count(const struct track_told *told)
{
	return told->n;
}

static bool same_levels(const struct track_word *a, const struct track_word *b)
{
	return a->levels[0] == b->levels[0] && a->levels[1] == b->levels[1];
}

/*
 * One walk through both sides, which are sorted: tells what isn't told any more,
 * or all the rest.  Returns whether there is any such name.
 */
static bool tell_changes(const struct track_told *told,
			 const struct track_word *words, size_t n, bool gone,
			 void (*tell)(const struct track_word *word))
{
	bool names_changed = false;
	size_t i = 0, j = 0;

	while (i < told->n || j < n) {
		int order = i == told->n ? 1
			    : j == n
				    ? -1
				    : strcmp(told->words[i].name, words[j].name);
		struct track_word word;

		if (order < 0) {
			word = told->words[i++];
			word.levels[0] = word.levels[1] = TRACK_LEVEL_NONE;
		} else {
			word = words[j++];
			if (!order && same_levels(&told->words[i++], &word))
				continue;
		}
		if ((order < 0) != gone)
			continue;
		names_changed |= order != 0;
		tell(&word);
	}
	return names_changed;
}

void track_told_set(struct track_told *told, const struct track_word *words,
		    size_t n, void (*tell)(const struct track_word *word))
{
	bool names_changed;

	if (n > TRACK_TOLD_MAX)
		n = TRACK_TOLD_MAX;
	/* Who hears it has room for so many: first what makes room. */
	names_changed = tell_changes(told, words, n, true, tell);
	names_changed |= tell_changes(told, words, n, false, tell);
	if (n)
		memcpy(told->words, words, n * sizeof(*words));
	told->n = n;
	told->generation += names_changed;
}

size_t track_told_all(const struct track_told *told, size_t from,
		      bool (*tell)(void *arg, const struct track_word *word),
		      void *arg)
{
	size_t i = from >> INDEX_BITS == told->generation ? from & INDEX_MASK
							  : 0;

	for (; i < told->n; i++)
		if (!tell(arg, &told->words[i]))
			return (size_t)told->generation << INDEX_BITS | i;
	return SIZE_MAX;
}

static int word_cmp(const void *name, const void *word)
{
	return strcmp(name, ((const struct track_word *)word)->name);
}

void track_told_find(const struct track_told *told, const char *name,
		     enum track_level levels[2])
{
	const struct track_word *word = bsearch(name, told->words, told->n,
						sizeof(*word), word_cmp);

	levels[0] = word ? word->levels[0] : TRACK_LEVEL_NONE;
	levels[1] = word ? word->levels[1] : TRACK_LEVEL_NONE;
}
