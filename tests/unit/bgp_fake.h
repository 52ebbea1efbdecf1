/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As much of bgpd as has to do with one route-map: it carries out commands of
 * configuration mode, tells the map as JSON, and says which tags it permits.
 * After each command it is checked what a route would meet.
 */
#ifndef TESTS_UNIT_BGP_FAKE_H
#define TESTS_UNIT_BGP_FAKE_H

#include "vip/bgp_map.h"

#define FAKE_NAME "CLUSTERD-x"

struct fake_entry {
	unsigned int seq;
	bool permit;
	char lines[8][1200]; /* as typed */
	size_t n_lines;
};

struct fake_map {
	struct fake_entry *entries; /* by sequence number */
	size_t n;
	unsigned int current; /* sequence number of the one that is edited */
	/* Tags that must be permitted all the time; 0: none. */
	uint32_t must_first, must_last;
	bool unchecked;
};

enum fake_version { FAKE_FRR_8, FAKE_FRR_10 };

static inline struct fake_entry *fake_entry(struct fake_map *map,
					    unsigned int seq)
{
	for (size_t i = 0; i < map->n; i++)
		if (map->entries[i].seq == seq)
			return &map->entries[i];
	return NULL;
}

static inline struct fake_entry *fake_insert(struct fake_map *map,
					     unsigned int seq)
{
	size_t at = 0;

	while (at < map->n && map->entries[at].seq < seq)
		at++;
	map->entries = realloc(map->entries,
			       (map->n + 1) * sizeof(*map->entries));
	memmove(&map->entries[at + 1], &map->entries[at],
		(map->n - at) * sizeof(*map->entries));
	memset(&map->entries[at], 0, sizeof(*map->entries));
	map->entries[at].seq = seq;
	map->n++;
	return &map->entries[at];
}

static inline bool fake_matches(const struct fake_entry *entry, uint32_t tag)
{
	char line[64];

	snprintf(line, sizeof(line), "match tag %u", tag);
	for (size_t i = 0; i < entry->n_lines; i++)
		if (!strncmp(entry->lines[i], "match ", 6) &&
		    strcmp(entry->lines[i], line) != 0)
			return false;
	return true;
}

static inline bool fake_permits(const struct fake_map *map, uint32_t tag)
{
	for (size_t i = 0; i < map->n; i++)
		if (fake_matches(&map->entries[i], tag))
			return map->entries[i].permit;
	return false;
}

/* What must be so after each single command. */
static inline void fake_check(const struct fake_map *map)
{
	if (map->unchecked)
		return;
	/* A tag that nobody has: only an entry without a match permits it. */
	assert_false(fake_permits(map, 999999));
	for (uint32_t tag = map->must_first; tag && tag <= map->must_last; tag++)
		if (!fake_permits(map, tag))
			fail_msg("tag %u is denied for a moment", tag);
}

/* A command of configuration mode; false: refused. */
static inline bool fake_command(struct fake_map *map, const char *command)
{
	struct fake_entry *entry;
	char action[8];
	unsigned int seq;

	if (sscanf(command, "route-map " FAKE_NAME " %7s %u", action, &seq) ==
	    2) {
		entry = fake_entry(map, seq);
		if (!entry)
			entry = fake_insert(map, seq);
		entry->permit = !strcmp(action, "permit");
		map->current = seq;
	} else if (sscanf(command, "no route-map " FAKE_NAME " %7s %u", action,
			  &seq) == 2) {
		entry = fake_entry(map, seq);
		if (!entry)
			return false;
		map->n--;
		memmove(entry, entry + 1,
			(map->n - (size_t)(entry - map->entries)) *
				sizeof(*entry));
		map->current = 0;
	} else {
		entry = fake_entry(map, map->current);
		if (!entry || entry->n_lines == array_size(entry->lines))
			return false;
		strlcpy(entry->lines[entry->n_lines++], command,
			sizeof(entry->lines[0]));
	}
	fake_check(map);
	return true;
}

/* One kind of an entry's lines, as items of a JSON array. */
static inline void fake_clauses(const struct fake_entry *entry,
				const char *verb, FILE *out)
{
	size_t len = strlen(verb);
	bool any = false;

	for (size_t i = 0; i < entry->n_lines; i++) {
		if (strncmp(entry->lines[i], verb, len) != 0)
			continue;
		fprintf(out, "%s\"%s\"", any ? "," : "",
			entry->lines[i] + len + 1);
		any = true;
	}
}

/* The answer to `show route-map CLUSTERD-x json`; freed by the caller. */
static inline char *fake_json(const struct fake_map *map,
			      enum fake_version version)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	fprintf(out, version == FAKE_FRR_8 ? "{\"BGP\":{" : "{");
	if (map->n)
		fprintf(out, "\"" FAKE_NAME "\":{\"invoked\":0,\"rules\":[");
	for (size_t i = 0; i < map->n; i++) {
		const struct fake_entry *entry = &map->entries[i];

		fprintf(out,
			"%s{\"sequenceNumber\":%u,\"type\":\"%s\",\"matchClauses\":[",
			i ? "," : "", entry->seq,
			entry->permit ? "permit" : "deny");
		fake_clauses(entry, "match", out);
		fprintf(out, "],\"setClauses\":[");
		fake_clauses(entry, "set", out);
		fprintf(out, "],\"action\":\"Exit routemap\"}");
	}
	if (map->n)
		fprintf(out, "]}");
	fprintf(out, version == FAKE_FRR_8 ? "}}\n" : "}\n");
	fclose(out);
	return text;
}

static inline void fake_read(const struct fake_map *map,
			     enum fake_version version, struct bgp_map *have)
{
	char *json = fake_json(map, version);

	assert_true(bgp_map_parse(have, json, FAKE_NAME));
	free(json);
}

/* Plans and carries out: how many commands; -1: there is no room. */
static inline int fake_step(struct fake_map *map, const struct bgp_texts *wanted,
			    const struct bgp_texts *kept, size_t max)
{
	struct bgp_script script = {};
	struct bgp_map have;
	int n;

	fake_read(map, FAKE_FRR_10, &have);
	n = bgp_map_plan(&script, FAKE_NAME, wanted, kept, &have, max) ? 0 : -1;
	for (size_t i = 0; n >= 0 && i < script.n; i++, n++)
		assert_true(fake_command(map, script.lines[i]));
	assert_true(max > 100 || script.n < max + 10);
	bgp_script_clear(&script);
	bgp_map_clear(&have);
	return n;
}

/* Until it is in step. */
static inline void fake_steps(struct fake_map *map,
			      const struct bgp_texts *wanted,
			      const struct bgp_texts *kept, size_t max)
{
	struct bgp_map have;
	int rounds = 0;

	while (fake_step(map, wanted, kept, max))
		assert_true(rounds++ < 1000);
	fake_read(map, FAKE_FRR_8, &have);
	assert_true(bgp_map_has_all(&have, wanted));
	assert_true(bgp_map_has_only(&have, wanted, kept));
	bgp_map_clear(&have);
}

/* The JSON of a map with an entry of somebody at every number; to be freed. */
static inline char *fake_full_json(void)
{
	char *json = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&json, &len);

	fprintf(out, "{\"" FAKE_NAME "\":{\"rules\":[");
	for (unsigned int seq = 1; seq <= BGP_MAP_SEQ_MAX; seq++)
		fprintf(out, "%s{\"sequenceNumber\":%u,\"type\":\"deny\"}",
			seq > 1 ? "," : "", seq);
	fprintf(out, "]}}");
	fclose(out);
	return json;
}

static inline void fake_free(struct fake_map *map)
{
	free(map->entries);
	memset(map, 0, sizeof(*map));
}

#endif /* TESTS_UNIT_BGP_FAKE_H */
