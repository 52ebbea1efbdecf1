/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A route-map of bgpd that clusterd keeps: what it should be, what it is, and
 * the commands that make one the other (pure).
 *
 * An entry is told by its text: the lines of its body as they are typed, in
 * strcmp() order, with communities sorted.  The entries that are wanted and
 * those that were read from bgpd (`show route-map NAME json`, FRR 8.4 to 10.x)
 * get their texts by the same functions, so that equal texts are equal
 * entries.  A clause that we don't know stays in the text as it was read: the
 * entry is then none that is wanted.
 *
 * Each entry matches one tag, so that their order means nothing: a sequence
 * number is where an entry happens to be.  An entry that differs is never
 * edited, but replaced.
 */
#ifndef CLUSTER_BGP_MAP_H
#define CLUSTER_BGP_MAP_H

#include <netinet/in.h>

#include "vip/vip_policy.h"

#define BGP_MAP_PREFIX	    "CLUSTERD-"
#define BGP_MAP_NAME_LEN    64 /* with the NUL */
#define BGP_MAP_SEQ_MAX	    65535
#define BGP_MAP_TEXT_LEN    4096
#define BGP_MAP_COMMAND_LEN 4096 /* bgpd takes no longer line */

/* CLUSTERD- and at least one letter, digit or one of ._-, 63 at most. */
extern bool bgp_map_name_valid(const char *name);

/* Own addresses as BGP next hop; all zero: bgpd's own choice. */
struct bgp_nexthops {
	struct in_addr v4;
	struct in6_addr v6;
};

/*
 * The text of the entry for one tag.  `draining` adds the community 65535:0,
 * `bandwidth` is that of the phase (vip_policy_bandwidth()).  `attributes` may
 * be NULL.  Returns `buf`, of BGP_MAP_TEXT_LEN.
 */
extern const char *bgp_entry_text(uint32_t tag,
				  const struct vip_attributes *attributes,
				  bool draining, uint16_t bandwidth,
				  const struct bgp_nexthops *nexthops,
				  char *buf);

/* A sorted set of texts; {} is empty. */
struct bgp_texts {
	char **texts;
	size_t n, size;
};

/* Copies `text`. */
extern void bgp_texts_add(struct bgp_texts *texts, const char *text);
/* Sorts and removes duplicates: before the functions below, after adding. */
extern void bgp_texts_finish(struct bgp_texts *texts);
extern bool bgp_texts_has(const struct bgp_texts *texts, const char *text);
extern bool bgp_texts_same(const struct bgp_texts *a, const struct bgp_texts *b);
extern void bgp_texts_clear(struct bgp_texts *texts);

struct bgp_map_entry {
	uint16_t seq;
	bool permit;
	char *text;
};

/* What bgpd has; {} is empty.  In order of sequence numbers. */
struct bgp_map {
	struct bgp_map_entry *entries;
	size_t n;
};

/*
 * Reads the answer to `show route-map NAME json`.  A map that isn't there is an
 * empty one.  False for what is not such an answer, and the map is empty.
 */
extern bool bgp_map_parse(struct bgp_map *map, const char *json,
			  const char *name);
extern bool bgp_map_same(const struct bgp_map *a, const struct bgp_map *b);
/* Every text is that of a permitting entry. */
extern bool bgp_map_has_all(const struct bgp_map *map,
			    const struct bgp_texts *wanted);
/* Each entry is one that is wanted, or in `kept` (may be NULL), and once. */
extern bool bgp_map_has_only(const struct bgp_map *map,
			     const struct bgp_texts *wanted,
			     const struct bgp_texts *kept);
extern void bgp_map_clear(struct bgp_map *map);

/* Commands in configuration mode; {} is empty. */
struct bgp_script {
	char **lines;
	size_t n, size;
};

/*
 * The commands that bring `have` in step with `wanted`, which is not empty,
 * at most about `max` lines.  What is in `kept` may stay.
 *
 *   - First what is missing is added, at the end of the map: as an entry that
 *     denies, which is there what the end of a map is, and permits when it is
 *     complete: no route ever meets half an entry.
 *   - Then what is too much goes; not before all that is missing has been
 *     added: a map that is empty or not there denies everything.
 *
 * False: there is no room for the missing entries (65,535 are possible).
 */
extern bool bgp_map_plan(struct bgp_script *script, const char *name,
			 const struct bgp_texts *wanted,
			 const struct bgp_texts *kept,
			 const struct bgp_map *have, size_t max);
extern void bgp_script_clear(struct bgp_script *script);

#endif /* CLUSTER_BGP_MAP_H */
