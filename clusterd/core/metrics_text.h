/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in Prometheus's text format, version 0.0.4 (pure): the only one that
 * node_exporter's textfile collector reads.
 */
#ifndef METRICS_TEXT_H
#define METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text that grows; begins as zeroes. */
struct metrics_text {
	char *data;
	size_t len, size;
};

/* All samples of a family stand together in a file. */
struct metrics_family {
	const char *name; /* [a-z_]+; a counter's ends with _total */
	const char *help;
	bool counter; /* only grows while clusterd runs */
};

struct metrics_label {
	const char *name;
	const char *value; /* any text: it is escaped */
};

/* The two lines before the samples. */
extern void metrics_text_family(struct metrics_text *text,
				const struct metrics_family *family);
extern void metrics_text_sample(struct metrics_text *text,
				const struct metrics_family *family,
				const struct metrics_label *labels,
				size_t n_labels, uint64_t value);
/* The same of a time, >= 0, which becomes seconds. */
extern void metrics_text_time(struct metrics_text *text,
			      const struct metrics_family *family,
			      const struct metrics_label *labels,
			      size_t n_labels, int64_t us);
extern void metrics_text_free(struct metrics_text *text);

#endif /* METRICS_TEXT_H */
