// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "memory.h"

#include "probe/probe_match.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_REGEX, "Probe regular expression");

/* ------------------------------------------------------------------------ */
/* Statuses                                                                 */

/* Three digits at *text, which moves on; -1: there aren't. */
static int status_at(const char **text)
{
	int status = 0;

	for (int i = 0; i < 3; i++, (*text)++) {
		if (!isdigit((unsigned char)**text))
			return -1;
		status = status * 10 + **text - '0';
	}
	return status >= 100 && status <= 599 ? status : -1;
}

/* A status or a range at *text, which moves on. */
static bool range_at(const char **text, int *first, int *last)
{
	*first = *last = status_at(text);
	if (*first >= 0 && **text == '-') {
		(*text)++;
		*last = status_at(text);
	}
	return *first >= 0 && *last >= *first;
}

bool probe_status_valid(const char *ranges, char *why, size_t why_len)
{
	const char *text = ranges;
	int first, last;

	while (range_at(&text, &first, &last)) {
		if (!*text)
			return true;
		if (*text++ != ',')
			break;
	}
	snprintf(why, why_len,
		 "use statuses from 100 to 599 and ranges of them, such as 200-299,404");
	return false;
}

bool probe_status_match(const char *ranges, long status)
{
	const char *text = ranges;
	int first, last;

	while (range_at(&text, &first, &last)) {
		if (status >= first && status <= last)
			return true;
		if (*text++ != ',')
			break;
	}
	return false;
}

/* ------------------------------------------------------------------------ */
/* Headers of HTTP                                                          */

static bool starts_with(const char *line, size_t len, const char *start)
{
	size_t n = strlen(start);

	return len >= n && strncasecmp(line, start, n) == 0;
}

void probe_http_header_line(struct probe_http_headers *headers,
			    const char *line, size_t len)
{
	if (starts_with(line, len, "HTTP/")) {
		/* The first, or that of another answer, of a redirect. */
		headers->http1 = starts_with(line, len, "HTTP/1.");
		headers->framed = false;
		headers->to_the_end = false;
	} else if (starts_with(line, len, "Content-Length:") ||
		   starts_with(line, len, "Transfer-Encoding:")) {
		headers->framed = true;
	} else if (starts_with(line, len, "\r") ||
		   starts_with(line, len, "\n")) {
		headers->to_the_end = headers->http1 && !headers->framed;
	}
}

/* ------------------------------------------------------------------------ */
/* Bytes                                                                    */

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *found = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* The byte that \*text stands for; *text moves on; -1: none. */
static int escape_at(const char **text)
{
	int high, low;

	switch (*(*text)++) {
	case 'r':
		return '\r';
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '\\':
		return '\\';
	case 'x':
		high = hex_digit(**text);
		if (high < 0)
			return -1;
		low = hex_digit(*++(*text));
		if (low < 0)
			return -1;
		(*text)++;
		return high * 16 + low;
	default:
		return -1;
	}
}

int probe_text_bytes(const char *text, uint8_t *buf)
{
	int n = 0, byte;

	while (*text) {
		byte = (unsigned char)*text++;
		if (byte == '\\')
			byte = escape_at(&text);
		if (byte < 0)
			return -1;
		buf[n++] = byte;
	}
	return n;
}

/* ------------------------------------------------------------------------ */
/* Regular expressions                                                      */

struct probe_regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
};

struct probe_regex *probe_regex_new(const char *pattern, char *why,
				    size_t why_len)
{
	struct probe_regex *regex;
	PCRE2_SIZE offset;
	pcre2_code *code;
	char text[96];
	int error;

	/* Patterns that would take much memory are an error of PCRE2's own. */
	code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			     PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C, &error,
			     &offset, NULL);
	if (!code) {
		pcre2_get_error_message(error, (PCRE2_UCHAR *)text,
					sizeof(text));
		snprintf(why, why_len, "bad expression: %s, at character %zu",
			 text, offset);
		return NULL;
	}
	regex = XCALLOC(MTYPE_PROBE_REGEX, sizeof(*regex));
	regex->code = code;
	regex->match = pcre2_match_data_create(1, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (!regex->match || !regex->context) {
		probe_regex_free(&regex);
		snprintf(why, why_len, "out of memory");
		return NULL;
	}
	pcre2_set_match_limit(regex->context, PROBE_REGEX_STEPS);
	pcre2_set_heap_limit(regex->context, PROBE_REGEX_HEAP_KB);
	return regex;
}

void probe_regex_free(struct probe_regex **regexp)
{
	struct probe_regex *regex = *regexp;

	if (!regex)
		return;
	pcre2_match_context_free(regex->context);
	pcre2_match_data_free(regex->match);
	pcre2_code_free(regex->code);
	XFREE(MTYPE_PROBE_REGEX, *regexp);
}

enum probe_regex_result probe_regex_search(const struct probe_regex *regex,
					   const void *data, size_t len)
{
	int found = pcre2_match(regex->code, data, len, 0, 0, regex->match,
				regex->context);

	if (found >= 0)
		return PROBE_REGEX_FOUND;
	return found == PCRE2_ERROR_NOMATCH ? PROBE_REGEX_NOT_FOUND
					    : PROBE_REGEX_GAVE_UP;
}
