// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics: a file in Prometheus's text format, for node_exporter's textfile
 * collector.  clusterd opens no port and speaks no HTTP for it.
 *
 *	timer -> collect: OBJECTS_A_TURN objects a turn of the loop
 *	      -> write PATH.tmp: OCTETS_A_TURN octets a turn -> rename -> timer
 *
 * The loop is never held up, however many objects there are, so the numbers of
 * one file are of moments that lie some turns apart.  Readers see a whole
 * file, the old or the new one.  Nothing is synced to disk: after a crash of
 * the machine the numbers mean nothing.
 */
#include "cluster_compat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster_errors.h"
#include "cluster_text.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/metrics.h"
#include "core/metrics_nb.h"

DEFINE_MTYPE_STATIC(CLUSTERD, METRICS_SOURCE, "Metrics source");

#define OBJECTS_A_TURN 250
#define OCTETS_A_TURN  262144
#define SOURCES_MAX    8

struct source {
	const struct metrics_source *source;
	struct metrics_text *texts; /* parallel to its families */
	size_t *header_len;	    /* of each */
};

static struct source sources[SOURCES_MAX];
static size_t n_sources;

static struct {
	char path[METRICS_PATH_LEN]; /* "": no file */
	uint32_t interval_ms;
	bool dirty;
} config = { .interval_ms = METRICS_INTERVAL_DEFAULT_MS };

/* What runs. */
static struct {
	char path[METRICS_PATH_LEN];
	char temporary[METRICS_PATH_LEN + 8];
	char problem[METRICS_PATH_LEN + 128];
	bool there; /* the file is ours */
	int64_t begun_us, written_us;
	size_t octets, octets_last;
	/* collecting: the source; writing: of which family, and from where */
	size_t at_source, at_family, at_octet;
	int fd; /* -1: collecting */
	struct event *t_next;
} run = { .fd = -1 };

static void collect(struct event *event);
static void write_some(struct event *event);

void metrics_register(const struct metrics_source *source)
{
	struct source *new = &sources[n_sources++];

	assert(n_sources <= SOURCES_MAX);
	new->source = source;
	new->texts = XCALLOC(MTYPE_METRICS_SOURCE,
			     source->n_families * sizeof(*new->texts));
	new->header_len = XCALLOC(MTYPE_METRICS_SOURCE,
				  source->n_families * sizeof(*new->header_len));
}

/* ---- a file ---- */

static void texts_free(void)
{
	for (size_t i = 0; i < n_sources; i++)
		for (size_t j = 0; j < sources[i].source->n_families; j++)
			metrics_text_free(&sources[i].texts[j]);
}

static void source_begin(struct source *source)
{
	for (size_t i = 0; i < source->source->n_families; i++) {
		metrics_text_family(&source->texts[i],
				    &source->source->families[i]);
		source->header_len[i] = source->texts[i].len;
	}
	if (source->source->begin)
		source->source->begin();
}

static void begin(struct event *event)
{
	run.begun_us = cluster_now_us();
	run.at_source = 0;
	source_begin(&sources[0]);
	event_add_event(cluster_master, collect, NULL, 0, &run.t_next);
}

static void finished(void)
{
	int64_t next_us = run.begun_us + config.interval_ms * INT64_C(1000);
	int64_t left_us = next_us - cluster_now_us();

	texts_free();
	event_add_timer_msec(cluster_master, begin, NULL,
			     left_us > 0 ? left_us / 1000 : 0, &run.t_next);
}

static void temporary_close(void)
{
	if (run.fd < 0)
		return;
	close(run.fd);
	run.fd = -1;
	unlink(run.temporary);
}

/* It is tried again; the log has it once. */
static void failed(const char *what, int error)
{
	char problem[sizeof(run.problem)];

	snprintf(problem, sizeof(problem), "%s: %s", what, safe_strerror(error));
	if (strcmp(problem, run.problem) != 0)
		flog_warn(EC_CLUSTER_METRICS, "metrics file %s: %s", run.path,
			  problem);
	strlcpy(run.problem, problem, sizeof(run.problem));
	temporary_close();
	finished();
}

static void completed(void)
{
	close(run.fd);
	run.fd = -1;
	if (rename(run.temporary, run.path) < 0) {
		int error = errno;

		unlink(run.temporary);
		failed("rename", error);
		return;
	}
	if (run.problem[0])
		zlog_notice("metrics file %s: written again", run.path);
	run.problem[0] = '\0';
	run.there = true;
	run.written_us = cluster_now_us();
	run.octets_last = run.octets;
	finished();
}

/* Families without samples are left out. */
static bool family_next(const struct metrics_text **text)
{
	while (run.at_source < n_sources) {
		const struct source *source = &sources[run.at_source];

		if (run.at_family >= source->source->n_families) {
			run.at_source++;
			run.at_family = 0;
			continue;
		}
		*text = &source->texts[run.at_family];
		if (run.at_octet < (*text)->len &&
		    (*text)->len > source->header_len[run.at_family])
			return true;
		run.at_family++;
		run.at_octet = 0;
	}
	return false;
}

static void write_some(struct event *event)
{
	const struct metrics_text *text;
	size_t left = OCTETS_A_TURN;

	while (left && family_next(&text)) {
		size_t len = MIN(left, text->len - run.at_octet);
		ssize_t n = write(run.fd, text->data + run.at_octet, len);

		if (n < 0) {
			failed("write", errno);
			return;
		}
		run.at_octet += n;
		run.octets += n;
		left -= n;
	}
	if (left)
		completed();
	else
		event_add_event(cluster_master, write_some, NULL, 0,
				&run.t_next);
}

static void write_begin(void)
{
	/* Whatever has its name: a link might lead anywhere. */
	unlink(run.temporary);
	run.fd = open(run.temporary,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0644);
	if (run.fd < 0) {
		failed("open", errno);
		return;
	}
	/* node_exporter is another user, FRR's umask keeps others out. */
	if (fchmod(run.fd, 0644) < 0) {
		failed("chmod", errno);
		return;
	}
	run.at_source = run.at_family = run.at_octet = run.octets = 0;
	event_add_event(cluster_master, write_some, NULL, 0, &run.t_next);
}

static void collect(struct event *event)
{
	struct source *source = &sources[run.at_source];

	if (!source->source->collect(source->texts, OBJECTS_A_TURN)) {
		if (++run.at_source == n_sources) {
			write_begin();
			return;
		}
		source_begin(&sources[run.at_source]);
	}
	event_add_event(cluster_master, collect, NULL, 0, &run.t_next);
}

/* ---- configuration ---- */

static void stop(void)
{
	cluster_event_off(run.t_next);
	temporary_close();
	texts_free();
}

static void file_remove(void)
{
	if (run.there)
		unlink(run.path);
	run.there = false;
}

void metrics_path_set(const char *path)
{
	strlcpy(config.path, path ? path : "", sizeof(config.path));
	config.dirty = true;
	cluster_sched_decide();
}

void metrics_interval_set(uint32_t ms)
{
	config.interval_ms = ms ? ms : METRICS_INTERVAL_DEFAULT_MS;
	config.dirty = true;
	cluster_sched_decide();
}

const char *metrics_path_flaw(const char *path)
{
	size_t len = strlen(path), suffix = strlen(METRICS_SUFFIX);

	if (path[0] != '/')
		return "give the whole path, from /";
	if (len >= METRICS_PATH_LEN)
		return "the path is too long (255 characters)";
	if (!cluster_text_valid(path))
		return "control characters, or not UTF-8: type it anew without them";
	if (len <= suffix + 1 ||
	    strcmp(path + len - suffix, METRICS_SUFFIX) != 0)
		return "the name has to end with " METRICS_SUFFIX
		       ": node_exporter reads no other";
	return NULL;
}

static void decide(int64_t now_us)
{
	if (!config.dirty)
		return;
	config.dirty = false;
	stop();
	if (strcmp(config.path, run.path) != 0) {
		file_remove();
		strlcpy(run.path, config.path, sizeof(run.path));
		snprintf(run.temporary, sizeof(run.temporary), "%s.tmp",
			 run.path);
		run.problem[0] = '\0';
		run.written_us = 0;
		run.octets_last = 0;
	}
	if (run.path[0])
		begin(NULL);
}

void metrics_state_get(struct metrics_state *state)
{
	state->path = run.path;
	state->problem = run.problem;
	state->written_us = run.written_us;
	state->octets = run.octets_last;
}

static const struct cluster_capability capability = {
	.name = "metrics",
	.decide = decide,
};

void metrics_init(void)
{
	cluster_sched_register(&capability);
	metrics_cli_init();
}

void metrics_fini(void)
{
	stop();
	file_remove();
	for (size_t i = 0; i < n_sources; i++) {
		XFREE(MTYPE_METRICS_SOURCE, sources[i].texts);
		XFREE(MTYPE_METRICS_SOURCE, sources[i].header_len);
	}
	n_sources = 0;
}
