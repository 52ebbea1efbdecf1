// SPDX-License-Identifier: GPL-2.0-or-later
#include <zebra.h>

#include <stdio.h>
#include <string.h>

#include "memory.h"

#include "vip/bgp_keeper.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_KEEPER, "BGP route-map keeper");

/* An entry that was wanted until lately. */
struct retired {
	char *text;
	int64_t until_us;
};

struct kept_map {
	char name[BGP_MAP_NAME_LEN];
	struct bgp_texts wanted;
	struct retired *retired;
	size_t n_retired;
	struct bgp_texts kept; /* the texts of `retired` */

	struct bgp_map have;
	uint64_t answer; /* hash of what `have` was made from */
	bool read;	 /* `have` is what the session has seen */
	bool moving;  /* the last two readings differ, or there is one only */
	bool has_all; /* of `have`, and whether there is nothing else */
	bool has_only;
	bool touched; /* we have written since the last reading... */
	bool settled; /* ...all that was to be, and it should be in step */
	bool full;
	uint64_t repairs;
};

struct bgp_keeper {
	const struct bgp_keeper_ops *ops;
	enum bgp_keeper_state state;
	int64_t now_us; /* of the event that is being handled */
	int64_t timer_us;
	struct kept_map *maps;
	size_t n_maps;
	bool held;

	/* of the session */
	int64_t socket_since_us;
	size_t reading; /* index of the map that is being read */
	bool stale;	/* the answer that is due is about other maps */
	struct bgp_script script;
	size_t written; /* lines of the script that are done or on their way */
	bool failed;	/* leaving because of an error */

	int64_t backoff_us;
	uint64_t reads, writes, errors;
	char last_error[BGP_KEEPER_ERROR_LEN];
	int64_t last_error_us;
};

static const char *const state_names[] = {
	[BGP_KEEPER_OFF] = "off",	   [BGP_KEEPER_AWAY] = "away",
	[BGP_KEEPER_HELLO] = "connected",  [BGP_KEEPER_WATCH] = "watching",
	[BGP_KEEPER_READ] = "watching",	   [BGP_KEEPER_ENTER] = "writing",
	[BGP_KEEPER_WRITE] = "writing",	   [BGP_KEEPER_LEAVE] = "writing",
	[BGP_KEEPER_BACKOFF] = "back-off",
};

static const char *const why_names[] = {
	[BGP_MAP_IN_STEP] = "in-step", [BGP_MAP_AWAY] = "away",
	[BGP_MAP_UNREAD] = "unread",   [BGP_MAP_SETTLING] = "settling",
	[BGP_MAP_LOADING] = "loading", [BGP_MAP_MOVING] = "moving",
	[BGP_MAP_WRITING] = "writing", [BGP_MAP_BACKOFF] = "back-off",
	[BGP_MAP_FULL] = "full",
};

const char *bgp_keeper_state_name(enum bgp_keeper_state state)
{
	return state_names[state];
}

const char *bgp_map_why_name(enum bgp_map_why why)
{
	return why_names[why];
}

static void timer_at(struct bgp_keeper *keeper, int64_t at_us)
{
	keeper->timer_us = at_us;
	keeper->ops->timer(at_us);
}

/* Sends a command; its answer is due. */
static void say(struct bgp_keeper *keeper, const char *command)
{
	timer_at(keeper, keeper->now_us + BGP_KEEPER_ANSWER_US);
	keeper->ops->send(command);
}

static void map_forget(struct kept_map *map)
{
	bgp_map_clear(&map->have);
	map->read = map->has_all = map->has_only = map->touched = false;
	map->moving = true;
}

static void map_free(struct kept_map *map)
{
	bgp_map_clear(&map->have);
	bgp_texts_clear(&map->wanted);
	bgp_texts_clear(&map->kept);
	for (size_t i = 0; i < map->n_retired; i++)
		XFREE(MTYPE_BGP_KEEPER, map->retired[i].text);
	XFREE(MTYPE_BGP_KEEPER, map->retired);
}

/* Puts down which of the entries that were wanted are not any more. */
static void map_retire(struct kept_map *map, const struct bgp_texts *wanted,
		       int64_t now_us)
{
	map->retired = XREALLOC(MTYPE_BGP_KEEPER, map->retired,
				(map->n_retired + map->wanted.n + 1) *
					sizeof(*map->retired));
	for (size_t i = 0; i < map->wanted.n; i++) {
		struct retired *retired = &map->retired[map->n_retired];

		if (bgp_texts_has(wanted, map->wanted.texts[i]))
			continue;
		retired->text = XSTRDUP(MTYPE_BGP_KEEPER, map->wanted.texts[i]);
		retired->until_us = now_us + BGP_KEEPER_RETIRE_US;
		map->n_retired++;
	}
}

/* What is to be said of a map whose `have` or `wanted` has changed, or now. */
static void map_compare(struct kept_map *map, int64_t now_us)
{
	size_t n = 0;

	bgp_texts_clear(&map->kept);
	for (size_t i = 0; i < map->n_retired; i++) {
		if (map->retired[i].until_us <= now_us) {
			XFREE(MTYPE_BGP_KEEPER, map->retired[i].text);
			continue;
		}
		bgp_texts_add(&map->kept, map->retired[i].text);
		map->retired[n++] = map->retired[i];
	}
	map->n_retired = n;
	bgp_texts_finish(&map->kept);
	map->has_all = map->read && bgp_map_has_all(&map->have, &map->wanted);
	map->has_only = map->read &&
			bgp_map_has_only(&map->have, &map->wanted, &map->kept);
}

static bool map_in_step(const struct kept_map *map)
{
	return map->has_all && map->has_only;
}

/* The session is over, whoever ended it. */
static void session_end(struct bgp_keeper *keeper)
{
	for (size_t i = 0; i < keeper->n_maps; i++)
		map_forget(&keeper->maps[i]);
	bgp_script_clear(&keeper->script);
}

/* `text`: bgpd's words, of which the first line says it. */
static void error_note(struct bgp_keeper *keeper, const char *what,
		       const char *text)
{
	char *buf = keeper->last_error;

	keeper->errors++;
	keeper->last_error_us = keeper->now_us;
	strlcpy(buf, what, sizeof(keeper->last_error));
	if (text[0]) {
		strlcat(buf, ": ", sizeof(keeper->last_error));
		strlcat(buf, text, sizeof(keeper->last_error));
	}
	buf[strcspn(buf, "\n")] = '\0';
}

/* -- what the table's cells do; each returns the next state -- */

static enum bgp_keeper_state do_nothing(struct bgp_keeper *keeper,
					const char *text)
{
	return keeper->state;
}

static enum bgp_keeper_state do_off(struct bgp_keeper *keeper, const char *text)
{
	session_end(keeper);
	if (keeper->state != BGP_KEEPER_AWAY &&
	    keeper->state != BGP_KEEPER_BACKOFF)
		keeper->ops->close();
	keeper->backoff_us = 0;
	return BGP_KEEPER_OFF;
}

static enum bgp_keeper_state do_away(struct bgp_keeper *keeper, const char *text)
{
	session_end(keeper);
	timer_at(keeper, keeper->now_us + BGP_KEEPER_RETRY_US);
	return BGP_KEEPER_AWAY;
}

static enum bgp_keeper_state do_connect(struct bgp_keeper *keeper,
					const char *text)
{
	keeper->stale = false;
	if (!keeper->ops->connect(&keeper->socket_since_us))
		return do_away(keeper, text);
	say(keeper, "enable");
	return BGP_KEEPER_HELLO;
}

static enum bgp_keeper_state backoff(struct bgp_keeper *keeper)
{
	session_end(keeper);
	keeper->ops->close();
	keeper->backoff_us = keeper->backoff_us ? 2 * keeper->backoff_us
						: BGP_KEEPER_BACKOFF_US;
	if (keeper->backoff_us > BGP_KEEPER_BACKOFF_MAX_US)
		keeper->backoff_us = BGP_KEEPER_BACKOFF_MAX_US;
	timer_at(keeper, keeper->now_us + keeper->backoff_us);
	return BGP_KEEPER_BACKOFF;
}

static enum bgp_keeper_state do_refused(struct bgp_keeper *keeper,
					const char *text)
{
	/* What went wrong before says more. */
	if (keeper->state != BGP_KEEPER_LEAVE || !keeper->failed)
		error_note(keeper, "bgpd refused", text);
	return backoff(keeper);
}

static enum bgp_keeper_state do_timeout(struct bgp_keeper *keeper,
					const char *text)
{
	error_note(keeper, "bgpd does not answer", "");
	return backoff(keeper);
}

static enum bgp_keeper_state do_confused(struct bgp_keeper *keeper,
					 const char *text)
{
	error_note(keeper, "an answer that nobody asked for", text);
	return backoff(keeper);
}

static enum bgp_keeper_state do_read(struct bgp_keeper *keeper, const char *text)
{
	char command[BGP_MAP_NAME_LEN + 32];

	if (keeper->state != BGP_KEEPER_READ)
		keeper->reading = 0;
	snprintf(command, sizeof(command), "show route-map %s json",
		 keeper->maps[keeper->reading].name);
	say(keeper, command);
	return BGP_KEEPER_READ;
}

/* Time that has to pass before the first line is written. */
static bool settling(const struct bgp_keeper *keeper, int64_t now_us)
{
	return now_us < keeper->socket_since_us + BGP_KEEPER_SETTLE_US;
}

/* All maps are read: writes what has to be, and may be. */
static enum bgp_keeper_state act(struct bgp_keeper *keeper)
{
	bool in_step = true;

	bgp_script_clear(&keeper->script);
	for (size_t i = 0; i < keeper->n_maps; i++) {
		struct kept_map *map = &keeper->maps[i];
		size_t before = keeper->script.n;

		if (map_in_step(map))
			continue;
		in_step = false;
		if (map->moving || keeper->held ||
		    settling(keeper, keeper->now_us))
			continue;
		map->full = !bgp_map_plan(&keeper->script, map->name,
					  &map->wanted, &map->kept, &map->have,
					  BGP_KEEPER_LINES);
		map->touched = keeper->script.n > before;
		map->settled = keeper->script.n < BGP_KEEPER_LINES && !map->full;
	}
	if (in_step)
		keeper->backoff_us = 0;
	if (!keeper->script.n) {
		timer_at(keeper, keeper->now_us + BGP_KEEPER_READ_US);
		return BGP_KEEPER_WATCH;
	}
	keeper->failed = false;
	keeper->written = 0;
	say(keeper, "configure terminal");
	return BGP_KEEPER_ENTER;
}

/* FNV-1a: to know an answer that is the one before. */
static uint64_t answer_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ULL;
	return hash;
}

/* Reads one map's answer; false: it is none. */
static bool map_take(struct kept_map *map, const char *text, int64_t now_us)
{
	uint64_t answer = answer_hash(text);
	bool was_in_step = map_in_step(map);
	struct bgp_map have;

	if (map->read && answer == map->answer)
		map->moving = false;
	else if (bgp_map_parse(&have, text, map->name)) {
		/* Our own writing is no reason to wait. */
		map->moving = !map->read || (!map->touched &&
					     !bgp_map_same(&have, &map->have));
		bgp_map_clear(&map->have);
		map->have = have;
		map->read = true;
		map->answer = answer;
	} else
		return false;
	/* What was to stay when we wrote is no surplus right after it. */
	map_compare(map, map->touched ? 0 : now_us);
	if (was_in_step && map->moving && !map_in_step(map))
		map->repairs++;
	return true;
}

static enum bgp_keeper_state do_take(struct bgp_keeper *keeper, const char *text)
{
	struct kept_map *map = &keeper->maps[keeper->reading];
	bool settled;

	keeper->reads++;
	if (keeper->stale) {
		keeper->stale = false;
		keeper->reading = 0;
		return do_read(keeper, text);
	}
	if (!map_take(map, text, keeper->now_us)) {
		error_note(keeper, "not understood", text);
		return backoff(keeper);
	}
	settled = map->touched && map->settled;
	map->touched = false;
	/* Else it would be written again and again. */
	if (settled && !map_in_step(map)) {
		error_note(keeper, "bgpd took all lines but has another map",
			   map->name);
		return backoff(keeper);
	}
	if (++keeper->reading < keeper->n_maps)
		return do_read(keeper, text);
	return act(keeper);
}

static enum bgp_keeper_state leave(struct bgp_keeper *keeper)
{
	bgp_script_clear(&keeper->script);
	say(keeper, "end");
	return BGP_KEEPER_LEAVE;
}

static enum bgp_keeper_state do_write(struct bgp_keeper *keeper,
				      const char *text)
{
	if (keeper->written == keeper->script.n)
		return leave(keeper);
	say(keeper, keeper->script.lines[keeper->written++]);
	return BGP_KEEPER_WRITE;
}

static enum bgp_keeper_state do_write_failed(struct bgp_keeper *keeper,
					     const char *text)
{
	char what[BGP_KEEPER_ERROR_LEN / 2];

	snprintf(what, sizeof(what), "bgpd refused `%.100s`",
		 keeper->script.lines[keeper->written - 1]);
	error_note(keeper, what, text);
	keeper->failed = true;
	return leave(keeper);
}

static enum bgp_keeper_state do_left(struct bgp_keeper *keeper, const char *text)
{
	if (keeper->failed)
		return backoff(keeper);
	keeper->writes++;
	return do_read(keeper, text);
}

#define NOTHING	 do_nothing
#define OFF	 do_off
#define AWAY	 do_away
#define CONNECT	 do_connect
#define REFUSED	 do_refused
#define TIMEOUT	 do_timeout
#define CONFUSED do_confused
#define READ	 do_read
#define TAKE	 do_take
#define WRITE	 do_write
#define FAILED	 do_write_failed
#define LEFT	 do_left

/* A session that ends in configuration mode leaves it by that. */
/* clang-format off */
static enum bgp_keeper_state (*const table[BGP_KEEPER_STATES][BGP_KEEPER_EVENTS])(
	struct bgp_keeper *keeper, const char *text) = {
	/*		        WANT	 UNWANT   OK	    FAIL      CLOSED   TIMER */
	[BGP_KEEPER_OFF]     = { CONNECT, NOTHING, NOTHING,  NOTHING,  NOTHING, NOTHING },
	[BGP_KEEPER_AWAY]    = { NOTHING, OFF,	   NOTHING,  NOTHING,  NOTHING, CONNECT },
	[BGP_KEEPER_HELLO]   = { NOTHING, OFF,	   READ,     REFUSED,  AWAY,    TIMEOUT },
	[BGP_KEEPER_WATCH]   = { READ,	  OFF,	   CONFUSED, CONFUSED, AWAY,    READ	},
	[BGP_KEEPER_READ]    = { NOTHING, OFF,	   TAKE,     REFUSED,  AWAY,    TIMEOUT },
	[BGP_KEEPER_ENTER]   = { NOTHING, OFF,	   WRITE,    REFUSED,  AWAY,    TIMEOUT },
	[BGP_KEEPER_WRITE]   = { NOTHING, OFF,	   WRITE,    FAILED,   AWAY,    TIMEOUT },
	[BGP_KEEPER_LEAVE]   = { NOTHING, OFF,	   LEFT,     REFUSED,  AWAY,    TIMEOUT },
	[BGP_KEEPER_BACKOFF] = { NOTHING, OFF,	   NOTHING,  NOTHING,  NOTHING, CONNECT },
};
/* clang-format on */

static void event(struct bgp_keeper *keeper, enum bgp_keeper_event ev,
		  const char *text, int64_t now_us)
{
	keeper->now_us = now_us;
	keeper->state = table[keeper->state][ev](keeper, text);
	keeper->ops->changed();
}

struct bgp_keeper *bgp_keeper_new(const struct bgp_keeper_ops *ops)
{
	struct bgp_keeper *keeper = XCALLOC(MTYPE_BGP_KEEPER, sizeof(*keeper));

	keeper->ops = ops;
	return keeper;
}

void bgp_keeper_free(struct bgp_keeper **keeper)
{
	struct bgp_keeper *old = *keeper;

	if (!old)
		return;
	for (size_t i = 0; i < old->n_maps; i++)
		map_free(&old->maps[i]);
	XFREE(MTYPE_BGP_KEEPER, old->maps);
	bgp_script_clear(&old->script);
	XFREE(MTYPE_BGP_KEEPER, *keeper);
}

static struct kept_map *map_find(const struct bgp_keeper *keeper,
				 const char *name)
{
	for (size_t i = 0; i < keeper->n_maps; i++)
		if (!strcmp(keeper->maps[i].name, name))
			return &keeper->maps[i];
	return NULL;
}

/* Takes a map over from the set before, or makes it. */
static void map_set(struct kept_map *map, struct kept_map *before,
		    struct bgp_keep *keep, int64_t now_us)
{
	if (before) {
		*map = *before;
		memset(before, 0, sizeof(*before));
		map_retire(map, &keep->wanted, now_us);
		bgp_texts_clear(&map->wanted);
	} else {
		strlcpy(map->name, keep->name, sizeof(map->name));
		map->moving = true;
	}
	map->wanted = keep->wanted;
	memset(&keep->wanted, 0, sizeof(keep->wanted));
	map->settled = false;
	map->full = false;
	map_compare(map, now_us);
}

void bgp_keeper_set(struct bgp_keeper *keeper, struct bgp_keep *keeps, size_t n,
		    int64_t now_us)
{
	struct kept_map *maps = NULL;
	bool same = n == keeper->n_maps;

	for (size_t i = 0; same && i < n; i++)
		same = !strcmp(keeps[i].name, keeper->maps[i].name) &&
		       bgp_texts_same(&keeps[i].wanted, &keeper->maps[i].wanted);
	if (same) {
		for (size_t i = 0; i < n; i++)
			bgp_texts_clear(&keeps[i].wanted);
		return;
	}

	if (n)
		maps = XCALLOC(MTYPE_BGP_KEEPER, n * sizeof(*maps));
	for (size_t i = 0; i < n; i++)
		map_set(&maps[i], map_find(keeper, keeps[i].name), &keeps[i],
			now_us);
	for (size_t i = 0; i < keeper->n_maps; i++)
		map_free(&keeper->maps[i]);
	XFREE(MTYPE_BGP_KEEPER, keeper->maps);
	keeper->maps = maps;
	keeper->n_maps = n;
	keeper->stale = keeper->state == BGP_KEEPER_READ;
	event(keeper, n ? BGP_KEEPER_EV_WANT : BGP_KEEPER_EV_UNWANT, "", now_us);
}

void bgp_keeper_hold(struct bgp_keeper *keeper, bool hold)
{
	keeper->held = hold;
}

void bgp_keeper_answer(struct bgp_keeper *keeper, const char *text,
		       uint8_t status, int64_t now_us)
{
	event(keeper, status ? BGP_KEEPER_EV_FAIL : BGP_KEEPER_EV_OK, text,
	      now_us);
}

void bgp_keeper_closed(struct bgp_keeper *keeper, int64_t now_us)
{
	event(keeper, BGP_KEEPER_EV_CLOSED, "", now_us);
}

void bgp_keeper_timer(struct bgp_keeper *keeper, int64_t now_us)
{
	if (now_us < keeper->timer_us)
		keeper->ops->timer(keeper->timer_us);
	else
		event(keeper, BGP_KEEPER_EV_TIMER, "", now_us);
}

void bgp_keeper_view(const struct bgp_keeper *keeper,
		     struct bgp_keeper_view *view)
{
	memset(view, 0, sizeof(*view));
	view->state = keeper->state;
	view->retry_us = keeper->timer_us;
	view->reads = keeper->reads;
	view->writes = keeper->writes;
	view->errors = keeper->errors;
	view->last_error = keeper->last_error;
	view->last_error_us = keeper->last_error_us;
}

static enum bgp_map_why map_why(const struct bgp_keeper *keeper,
				const struct kept_map *map, int64_t now_us)
{
	if (keeper->state == BGP_KEEPER_AWAY)
		return BGP_MAP_AWAY;
	if (keeper->state == BGP_KEEPER_BACKOFF)
		return BGP_MAP_BACKOFF;
	if (!map->read)
		return BGP_MAP_UNREAD;
	if (map_in_step(map))
		return BGP_MAP_IN_STEP;
	if (map->full)
		return BGP_MAP_FULL;
	if (keeper->held)
		return BGP_MAP_LOADING;
	if (settling(keeper, now_us))
		return BGP_MAP_SETTLING;
	return map->moving ? BGP_MAP_MOVING : BGP_MAP_WRITING;
}

bool bgp_keeper_map_view(const struct bgp_keeper *keeper, const char *name,
			 int64_t now_us, struct bgp_map_view *view)
{
	const struct kept_map *map = map_find(keeper, name);

	if (!map)
		return false;
	view->why = map_why(keeper, map, now_us);
	view->wanted = map->wanted.n;
	view->have = map->have.n;
	view->repairs = map->repairs;
	return true;
}

bool bgp_keeper_has_all(const struct bgp_keeper *keeper, const char *name)
{
	const struct kept_map *map = map_find(keeper, name);

	return map && map->has_all;
}
