/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an answer must look like (pure): HTTP statuses, headers that say where
 * the body ends, a regular expression; and bytes to send, from text.
 *
 * Expressions are PCRE2's, with bounds on everything: an operator's pattern and
 * a service's answer, which may be hostile, must not keep the daemon busy.
 */
#ifndef CLUSTER_PROBE_MATCH_H
#define CLUSTER_PROBE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------ */
/* "200-299,404": statuses and ranges of them, 100 to 599                   */

/* Otherwise `why` gets a text. */
extern bool probe_status_valid(const char *ranges, char *why, size_t why_len);
/* `ranges` is valid. */
extern bool probe_status_match(const char *ranges, long status);

/* ------------------------------------------------------------------------ */
/* Headers of HTTP: whether the body ends with the connection               */

struct probe_http_headers {
	bool http1;	 /* the headers that are coming; */
	bool framed;	 /* they say where the body ends */
	bool to_the_end; /* complete ones don't: with TCP */
};

/*
 * The next line of an answer, or of several ones (of redirects): `len` bytes
 * with the end of the line; an empty one ends the headers. Zero it before the
 * first.
 */
extern void probe_http_header_line(struct probe_http_headers *headers,
				   const char *line, size_t len);

/* ------------------------------------------------------------------------ */

/*
 * Text with \r, \n, \t, \\ and \xHH to bytes; `buf` has room for strlen(text).
 * How many, or -1: something else follows a backslash, or nothing.
 */
extern int probe_text_bytes(const char *text, uint8_t *buf);

/* ------------------------------------------------------------------------ */

/* Steps of a search, some milliseconds at worst; and its memory. */
#define PROBE_REGEX_STEPS   100000
#define PROBE_REGEX_HEAP_KB 1024

struct probe_regex;

/* NULL: `why` gets a text that says where it is wrong. */
extern struct probe_regex *probe_regex_new(const char *pattern, char *why,
					   size_t why_len);
extern void probe_regex_free(struct probe_regex **regex);

enum probe_regex_result {
	PROBE_REGEX_FOUND,
	PROBE_REGEX_NOT_FOUND,
	PROBE_REGEX_GAVE_UP, /* the bounds were reached */
};

/* Searches `len` bytes, whatever they are. */
extern enum probe_regex_result probe_regex_search(const struct probe_regex *regex,
						  const void *data, size_t len);

#endif /* CLUSTER_PROBE_MATCH_H */
