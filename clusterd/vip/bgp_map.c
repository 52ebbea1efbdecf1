// SPDX-License-Identifier: GPL-2.0-or-later
#include <zebra.h>

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "memory.h"

#include "vip/bgp_map.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_TEXT, "BGP route-map text");
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_MAP, "BGP route-map");

/* A VIP's, and 65535:0. */
#define CLAUSE_COMMUNITIES_MAX (VIP_COMMUNITIES_MAX + 1)
#define CLAUSES_MAX	       64

/* Sequence numbers are spread, as people do it. */
#define SEQ_STEP 10

bool bgp_map_name_valid(const char *name)
{
	size_t len = strlen(name), prefix = strlen(BGP_MAP_PREFIX);

	if (len <= prefix || len >= BGP_MAP_NAME_LEN ||
	    strncmp(name, BGP_MAP_PREFIX, prefix) != 0)
		return false;
	for (const char *c = name + prefix; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return true;
}

static void append(char *buf, const char *text)
{
	strlcat(buf, text, BGP_MAP_TEXT_LEN);
}

static int u32_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* "set community A B C\n", sorted, nothing twice; sorts `communities`. */
static void append_communities(char *buf, uint32_t *communities, size_t n)
{
	char text[VIP_COMMUNITY_LEN];

	if (!n)
		return;
	qsort(communities, n, sizeof(*communities), u32_cmp);
	append(buf, "set community");
	for (size_t i = 0; i < n; i++) {
		if (i && communities[i] == communities[i - 1])
			continue;
		append(buf, " ");
		append(buf,
		       vip_community_text(communities[i], text, sizeof(text)));
	}
	append(buf, "\n");
}

static void append_large(char *buf, const struct vip_attributes *attributes)
{
	char text[VIP_LARGE_COMMUNITY_LEN];

	if (!attributes->n_large_communities)
		return;
	append(buf, "set large-community");
	for (size_t i = 0; i < attributes->n_large_communities; i++) {
		append(buf, " ");
		append(buf,
		       vip_large_community_text(&attributes->large_communities[i],
						text, sizeof(text)));
	}
	append(buf, "\n");
}

static void append_number(char *buf, const char *clause, uint32_t number)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %u\n", clause, number);
	append(buf, text);
}

static void append_nexthops(char *buf, const struct bgp_nexthops *nexthops)
{
	char addr[INET6_ADDRSTRLEN];

	if (nexthops->v4.s_addr != INADDR_ANY) {
		inet_ntop(AF_INET, &nexthops->v4, addr, sizeof(addr));
		append(buf, "set ip next-hop ");
		append(buf, addr);
		append(buf, "\n");
	}
	if (!IN6_IS_ADDR_UNSPECIFIED(&nexthops->v6)) {
		inet_ntop(AF_INET6, &nexthops->v6, addr, sizeof(addr));
		append(buf, "set ipv6 next-hop global ");
		append(buf, addr);
		append(buf, "\n");
	}
}

const char *bgp_entry_text(uint32_t tag, const struct vip_attributes *attributes,
			   bool draining, uint16_t bandwidth,
			   const struct bgp_nexthops *nexthops, char *buf)
{
	static const struct vip_attributes none;
	uint32_t communities[CLAUSE_COMMUNITIES_MAX];
	size_t n;

	if (!attributes)
		attributes = &none;
	n = attributes->n_communities;
	memcpy(communities, attributes->communities, n * sizeof(*communities));
	if (draining)
		communities[n++] = VIP_COMMUNITY_GSHUT;

	/* In strcmp() order. */
	buf[0] = '\0';
	append_number(buf, "match tag", tag);
	append_communities(buf, communities, n);
	if (bandwidth)
		append_number(buf, "set extcommunity bandwidth", bandwidth);
	append_nexthops(buf, nexthops);
	append_large(buf, attributes);
	if (attributes->has_local_preference)
		append_number(buf, "set local-preference",
			      attributes->local_preference);
	return buf;
}

/* -- sets of texts -- */

void bgp_texts_add(struct bgp_texts *texts, const char *text)
{
	if (texts->n == texts->size) {
		texts->size = texts->size ? 2 * texts->size : 16;
		texts->texts = XREALLOC(MTYPE_BGP_TEXT, texts->texts,
					texts->size * sizeof(*texts->texts));
	}
	texts->texts[texts->n++] = XSTRDUP(MTYPE_BGP_TEXT, text);
}

static int void_text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void bgp_texts_finish(struct bgp_texts *texts)
{
	size_t kept = 0;

	if (texts->n)
		qsort(texts->texts, texts->n, sizeof(*texts->texts),
		      void_text_cmp);
	for (size_t i = 0; i < texts->n; i++) {
		char *text = texts->texts[i];

		if (kept && !strcmp(texts->texts[kept - 1], text))
			XFREE(MTYPE_BGP_TEXT, text);
		else
			texts->texts[kept++] = text;
	}
	texts->n = kept;
}

/* Where a text is in the set, or its size. */
static size_t texts_index(const struct bgp_texts *texts, const char *text)
{
	char **found = texts->n ? bsearch(&text, texts->texts, texts->n,
					  sizeof(*texts->texts), void_text_cmp)
				: NULL;

	return found ? (size_t)(found - texts->texts) : texts->n;
}

bool bgp_texts_has(const struct bgp_texts *texts, const char *text)
{
	return texts_index(texts, text) < texts->n;
}

bool bgp_texts_same(const struct bgp_texts *a, const struct bgp_texts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->texts[i], b->texts[i]) != 0)
			return false;
	return true;
}

void bgp_texts_clear(struct bgp_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		XFREE(MTYPE_BGP_TEXT, texts->texts[i]);
	XFREE(MTYPE_BGP_TEXT, texts->texts);
	memset(texts, 0, sizeof(*texts));
}

/* -- what bgpd says -- */

/* "set community ..." as bgpd has it, sorted; false: not all of it is known. */
static bool communities_parse(const char *list, char *buf)
{
	uint32_t communities[CLAUSE_COMMUNITIES_MAX];
	char copy[BGP_MAP_TEXT_LEN], *rest = NULL;
	size_t n = 0;

	strlcpy(copy, list, sizeof(copy));
	for (char *word = strtok_r(copy, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		if (n == CLAUSE_COMMUNITIES_MAX ||
		    !vip_community_parse(word, &communities[n++]))
			return false;
	append_communities(buf, communities, n);
	return true;
}

static bool large_parse(const char *list, char *buf)
{
	struct vip_attributes attributes = {};
	struct vip_large_community large;
	char copy[BGP_MAP_TEXT_LEN], *rest = NULL;

	strlcpy(copy, list, sizeof(copy));
	for (char *word = strtok_r(copy, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		if (!vip_large_community_parse(word, &large) ||
		    !vip_large_community_add(&attributes, &large))
			return false;
	append_large(buf, &attributes);
	return true;
}

/* What follows a clause's keyword, or NULL. */
static const char *clause_value(const char *clause, const char *keyword)
{
	size_t len = strlen(keyword);

	if (strncmp(clause, keyword, len) != 0 || clause[len] != ' ')
		return NULL;
	return clause + len + 1;
}

/* One clause as a line of a text. */
static char *clause_line(const char *verb, const char *clause)
{
	char line[BGP_MAP_TEXT_LEN] = "";
	const char *value = NULL;

	if (!strcmp(verb, "set")) {
		value = clause_value(clause, "community");
		if (value && communities_parse(value, line))
			return XSTRDUP(MTYPE_BGP_TEXT, line);
		value = clause_value(clause, "large-community");
		if (value && large_parse(value, line))
			return XSTRDUP(MTYPE_BGP_TEXT, line);
	}
	snprintf(line, sizeof(line), "%s %s\n", verb, clause);
	return XSTRDUP(MTYPE_BGP_TEXT, line);
}

static void clauses_read(struct bgp_texts *lines, const char *verb,
			 struct json_object *clauses)
{
	size_t n = clauses && json_object_is_type(clauses, json_type_array)
			   ? json_object_array_length(clauses)
			   : 0;

	for (size_t i = 0; i < n && i < CLAUSES_MAX; i++) {
		const char *clause = json_object_get_string(
			json_object_array_get_idx(clauses, i));
		char *line = clause_line(verb, clause ? clause : "?");

		bgp_texts_add(lines, line);
		XFREE(MTYPE_BGP_TEXT, line);
	}
}

static struct json_object *member(struct json_object *json, const char *key)
{
	struct json_object *found = NULL;

	json_object_object_get_ex(json, key, &found);
	return found;
}

static const char *member_string(struct json_object *json, const char *key)
{
	struct json_object *found = member(json, key);

	return found ? json_object_get_string(found) : NULL;
}

/* What our entries never have: it makes the text another one. */
static void other_read(struct bgp_texts *lines, struct json_object *rule)
{
	static const char *const keys[] = { "callClause", "description",
					    "action" };
	char line[BGP_MAP_TEXT_LEN];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = member_string(rule, keys[i]);

		if (!value || !strcmp(value, "Exit routemap"))
			continue;
		snprintf(line, sizeof(line), "%s %s\n", keys[i], value);
		bgp_texts_add(lines, line);
	}
}

static bool rule_parse(struct bgp_map_entry *entry, struct json_object *rule)
{
	struct bgp_texts lines = {};
	char text[BGP_MAP_TEXT_LEN] = "";
	const char *type = member_string(rule, "type");
	int seq = json_object_get_int(member(rule, "sequenceNumber"));

	if (!type || seq < 1 || seq > BGP_MAP_SEQ_MAX)
		return false;
	clauses_read(&lines, "match", member(rule, "matchClauses"));
	clauses_read(&lines, "set", member(rule, "setClauses"));
	other_read(&lines, rule);
	bgp_texts_finish(&lines);
	for (size_t i = 0; i < lines.n; i++)
		append(text, lines.texts[i]);
	bgp_texts_clear(&lines);

	entry->seq = (uint16_t)seq;
	entry->permit = !strcmp(type, "permit");
	entry->text = XSTRDUP(MTYPE_BGP_TEXT, text);
	return true;
}

static int void_entry_cmp(const void *a, const void *b)
{
	const struct bgp_map_entry *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static bool rules_parse(struct bgp_map *map, struct json_object *rules)
{
	size_t n;

	if (!rules || !json_object_is_type(rules, json_type_array))
		return false;
	n = json_object_array_length(rules);
	if (n > BGP_MAP_SEQ_MAX)
		return false;
	if (!n)
		return true;
	map->entries = XCALLOC(MTYPE_BGP_MAP, n * sizeof(*map->entries));
	for (size_t i = 0; i < n; i++) {
		if (!rule_parse(&map->entries[i],
				json_object_array_get_idx(rules, i))) {
			bgp_map_clear(map);
			return false;
		}
		map->n++;
	}
	qsort(map->entries, map->n, sizeof(*map->entries), void_entry_cmp);
	return true;
}

bool bgp_map_parse(struct bgp_map *map, const char *text, const char *name)
{
	struct json_object *json = json_tokener_parse(text);
	struct json_object *inner = json;
	bool ok;

	memset(map, 0, sizeof(*map));
	if (!json || !json_object_is_type(json, json_type_object)) {
		json_object_put(json);
		return false;
	}
	/* FRR 8 has the daemon's name around it. */
	if (member(json, "BGP"))
		inner = member(json, "BGP");
	if (!json_object_is_type(inner, json_type_object))
		ok = false;
	else if (!member(inner, name))
		ok = json_object_object_length(inner) == 0;
	else
		ok = rules_parse(map, member(member(inner, name), "rules"));
	json_object_put(json);
	return ok;
}

void bgp_map_clear(struct bgp_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		XFREE(MTYPE_BGP_TEXT, map->entries[i].text);
	XFREE(MTYPE_BGP_MAP, map->entries);
	map->n = 0;
}

bool bgp_map_same(const struct bgp_map *a, const struct bgp_map *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->entries[i].seq != b->entries[i].seq ||
		    a->entries[i].permit != b->entries[i].permit ||
		    strcmp(a->entries[i].text, b->entries[i].text) != 0)
			return false;
	return true;
}

/*
 * Which entry serves each of the texts that are wanted: the index + 1 of the
 * first one, or 0.  Freed by the caller.
 */
static size_t *serving(const struct bgp_map *map, const struct bgp_texts *wanted)
{
	size_t *by = XCALLOC(MTYPE_BGP_MAP, (wanted->n + 1) * sizeof(*by));

	for (size_t i = 0; i < map->n; i++) {
		size_t at = texts_index(wanted, map->entries[i].text);

		if (map->entries[i].permit && at < wanted->n && !by[at])
			by[at] = i + 1;
	}
	return by;
}

bool bgp_map_has_all(const struct bgp_map *map, const struct bgp_texts *wanted)
{
	size_t *by = serving(map, wanted);
	bool all = true;

	for (size_t i = 0; i < wanted->n; i++)
		all = all && by[i];
	XFREE(MTYPE_BGP_MAP, by);
	return all;
}

/* Whether entry `i` has to go. */
static bool surplus(const struct bgp_map *map, size_t i,
		    const struct bgp_texts *wanted,
		    const struct bgp_texts *kept, const size_t *by)
{
	const struct bgp_map_entry *entry = &map->entries[i];
	size_t at = texts_index(wanted, entry->text);

	if (entry->permit && at < wanted->n)
		return by[at] != i + 1;
	return !(entry->permit && kept && bgp_texts_has(kept, entry->text));
}

bool bgp_map_has_only(const struct bgp_map *map, const struct bgp_texts *wanted,
		      const struct bgp_texts *kept)
{
	size_t *by = serving(map, wanted);
	bool only = true;

	for (size_t i = 0; i < map->n; i++)
		only = only && !surplus(map, i, wanted, kept, by);
	XFREE(MTYPE_BGP_MAP, by);
	return only;
}

/* -- commands -- */

static void script_add(struct bgp_script *script, const char *line)
{
	if (script->n == script->size) {
		script->size = script->size ? 2 * script->size : 64;
		script->lines = XREALLOC(MTYPE_BGP_TEXT, script->lines,
					 script->size * sizeof(*script->lines));
	}
	script->lines[script->n++] = XSTRDUP(MTYPE_BGP_TEXT, line);
}

static void script_entry(struct bgp_script *script, const char *name,
			 const char *text, unsigned int seq)
{
	char line[BGP_MAP_COMMAND_LEN];
	const char *end;

	snprintf(line, sizeof(line), "route-map %s deny %u", name, seq);
	script_add(script, line);
	for (; (end = strchr(text, '\n')); text = end + 1) {
		strlcpy(line, text, sizeof(line));
		line[end - text] = '\0';
		script_add(script, line);
	}
	snprintf(line, sizeof(line), "route-map %s permit %u", name, seq);
	script_add(script, line);
}

/*
 * The next free sequence number: at the end, or when that is used up anywhere,
 * the last gap first (an entry that denies for a moment there hides those
 * behind it, from a route that comes in that very moment).  0: none.
 */
static unsigned int next_seq(bool *used, unsigned int *last)
{
	unsigned int seq = (*last / SEQ_STEP + 1) * SEQ_STEP;

	if (seq > BGP_MAP_SEQ_MAX)
		for (seq = BGP_MAP_SEQ_MAX; seq && used[seq]; seq--)
			;
	used[seq] = true;
	if (seq > *last)
		*last = seq;
	return seq;
}

bool bgp_map_plan(struct bgp_script *script, const char *name,
		  const struct bgp_texts *wanted, const struct bgp_texts *kept,
		  const struct bgp_map *have, size_t max)
{
	bool *used = XCALLOC(MTYPE_BGP_MAP, BGP_MAP_SEQ_MAX + 1);
	size_t *by = serving(have, wanted);
	unsigned int last = 0, seq = 1;
	bool complete = true;
	char line[BGP_MAP_COMMAND_LEN];

	for (size_t i = 0; i < have->n; i++)
		used[have->entries[i].seq] = true;
	if (have->n)
		last = have->entries[have->n - 1].seq;
	for (size_t i = 0; i < wanted->n && seq; i++) {
		if (by[i])
			continue;
		complete = script->n < max;
		if (!complete)
			break;
		seq = next_seq(used, &last);
		if (seq)
			script_entry(script, name, wanted->texts[i], seq);
	}
	for (size_t i = 0; complete && seq && i < have->n; i++) {
		if (script->n >= max)
			break;
		if (!surplus(have, i, wanted, kept, by))
			continue;
		snprintf(line, sizeof(line), "no route-map %s %s %u", name,
			 have->entries[i].permit ? "permit" : "deny",
			 have->entries[i].seq);
		script_add(script, line);
	}
	XFREE(MTYPE_BGP_MAP, by);
	XFREE(MTYPE_BGP_MAP, used);
	return seq != 0;
}

void bgp_script_clear(struct bgp_script *script)
{
	for (size_t i = 0; i < script->n; i++)
		XFREE(MTYPE_BGP_TEXT, script->lines[i]);
	XFREE(MTYPE_BGP_TEXT, script->lines);
	memset(script, 0, sizeof(*script));
}
