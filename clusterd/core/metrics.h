/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of numbers for Prometheus's node_exporter, written again and again. */
#ifndef CLUSTER_METRICS_H
#define CLUSTER_METRICS_H

#include "core/metrics_text.h"

#define METRICS_PATH_LEN 256 /* with the NUL */
#define METRICS_SUFFIX	 ".prom"

#define METRICS_INTERVAL_MIN_MS	    1000
#define METRICS_INTERVAL_MAX_MS	    3600000
#define METRICS_INTERVAL_DEFAULT_MS 15000

/* Who has numbers of many objects; static storage. */
struct metrics_source {
	const struct metrics_family *families;
	size_t n_families;
	/* A new file begins; may be NULL. */
	void (*begin)(void);
	/*
	 * Adds samples of the next objects, about `max`, texts[i] is of
	 * families[i].  True: there are more.  Between two calls anything may
	 * have changed; no object may come twice.
	 */
	bool (*collect)(struct metrics_text *texts, size_t max);
};
extern void metrics_register(const struct metrics_source *source);

/* Configuration; NULL or 0: none, and the default.  Takes effect soon. */
extern void metrics_path_set(const char *path);
extern void metrics_interval_set(uint32_t ms);
/* Why `path` can't be the file, as a text; NULL: it can. */
extern const char *metrics_path_flaw(const char *path);

struct metrics_state {
	const char *path;    /* "": no file */
	const char *problem; /* "": none so far */
	int64_t written_us;  /* monotonic; 0: not yet */
	size_t octets;	     /* of the last file */
};
extern void metrics_state_get(struct metrics_state *state);

/* Start-up: registers the scheduler capability and CLI. */
extern void metrics_init(void);
/* Removes the file: old numbers would look like new ones. */
extern void metrics_fini(void);

/* cluster_metrics.c: numbers of the daemon as a whole. */
extern void cluster_metrics_init(void);

#endif /* CLUSTER_METRICS_H */
