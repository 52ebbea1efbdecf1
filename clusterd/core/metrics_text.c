// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

#include "core/metrics_text.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, METRICS_TEXT, "Metrics");

#define SIZE_FIRST 512

static void append(struct metrics_text *text, const char *data, size_t len)
{
	if (text->len + len > text->size) {
		text->size = text->size ? text->size * 2 : SIZE_FIRST;
		if (text->size < text->len + len)
			text->size = text->len + len;
		text->data = XREALLOC(MTYPE_METRICS_TEXT, text->data,
				      text->size);
	}
	memcpy(text->data + text->len, data, len);
	text->len += len;
}

static void append_str(struct metrics_text *text, const char *str)
{
	append(text, str, strlen(str));
}

/* A backslash, a line's end and, in a label's value, a quote. */
static void append_escaped(struct metrics_text *text, const char *str,
			   bool quoted)
{
	for (; *str; str++) {
		if (*str == '\\')
			append_str(text, "\\\\");
		else if (*str == '\n')
			append_str(text, "\\n");
		else if (*str == '"' && quoted)
			append_str(text, "\\\"");
		else
			append(text, str, 1);
	}
}

void metrics_text_family(struct metrics_text *text,
			 const struct metrics_family *family)
{
	append_str(text, "# HELP ");
	append_str(text, family->name);
	append_str(text, " ");
	append_escaped(text, family->help, false);
	append_str(text, "\n# TYPE ");
	append_str(text, family->name);
	append_str(text, family->counter ? " counter\n" : " gauge\n");
}

static void append_name(struct metrics_text *text,
			const struct metrics_family *family,
			const struct metrics_label *labels, size_t n_labels)
{
	append_str(text, family->name);
	for (size_t i = 0; i < n_labels; i++) {
		append_str(text, i ? "," : "{");
		append_str(text, labels[i].name);
		append_str(text, "=\"");
		append_escaped(text, labels[i].value, true);
		append_str(text, "\"");
	}
	append_str(text, n_labels ? "} " : " ");
}

void metrics_text_sample(struct metrics_text *text,
			 const struct metrics_family *family,
			 const struct metrics_label *labels, size_t n_labels,
			 uint64_t value)
{
	char number[32];

	append_name(text, family, labels, n_labels);
	snprintf(number, sizeof(number), "%" PRIu64 "\n", value);
	append_str(text, number);
}

void metrics_text_time(struct metrics_text *text,
		       const struct metrics_family *family,
		       const struct metrics_label *labels, size_t n_labels,
		       int64_t us)
{
	char number[48];

	append_name(text, family, labels, n_labels);
	snprintf(number, sizeof(number), "%" PRId64 ".%06" PRId64 "\n",
		 us / 1000000, us % 1000000);
	append_str(text, number);
}

void metrics_text_free(struct metrics_text *text)
{
	XFREE(MTYPE_METRICS_TEXT, text->data);
	text->len = text->size = 0;
}
