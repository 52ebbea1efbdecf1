// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as what a checked service sends: an answer of DNS, a command's
 * output, headers of HTTP. No read past its end, only printable ASCII gets into
 * a detail, and verdicts that have to agree do.
 *
 * First octet: which of them (2 bits), and a number for it.
 */
#include <zebra.h>

#include <assert.h>

#define CARES_NO_DEPRECATED
#include <ares.h>

#include "memory.h"

#include "probe/probe_command.h"
#include "probe/probe_dns_answer.h"
#include "probe/probe_match.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define LAUNCHER_STATUS 127

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void printable(const char *text)
{
	for (; *text; text++)
		assert(*text >= ' ' && *text <= '~');
}

/* ------------------------------------------------------------------------ */
/* DNS                                                                      */

struct dns_verdict {
	int status;
	enum probe_result result;
	char detail[PROBE_DETAIL_LEN];
};

static struct dns_verdict dns_judge(enum probe_dns_type type, const char *wanted,
				    const uint8_t *msg, size_t len)
{
	struct dns_verdict v = { .result = PROBE_LOCAL };

	/* A byte at least behind the end, and in the heap. */
	v.status = probe_dns_answer(type, wanted, msg, len, &v.result, v.detail);
	assert((v.status == ARES_SUCCESS) == (v.result != PROBE_LOCAL));
	assert(strnlen(v.detail, sizeof(v.detail)) < sizeof(v.detail));
	return v;
}

/* What is wanted, after its length; then the message. */
static void dns_check(enum probe_dns_type type, const uint8_t *data, size_t len)
{
	char wanted[PROBE_DNS_ANSWER_LEN] = "";
	struct dns_verdict any, one, again;
	size_t n;

	if (len < 1 || len - 1 < data[0])
		return;
	n = data[0];
	memcpy(wanted, data + 1, n);
	/* An allocation of exactly that size shows every read behind it. */
	len -= 1 + n;
	uint8_t *msg = malloc(len ? len : 1);

	memcpy(msg, data + 1 + n, len);
	any = dns_judge(type, "", msg, len);
	one = dns_judge(type, wanted, msg, len);
	assert(any.status == one.status);
	if (any.status == ARES_SUCCESS) {
		assert(any.result == PROBE_PASS);
		printable(any.detail);
		/* One that was found is found again by its own text. */
		again = dns_judge(type, any.detail, msg, len);
		if (!strchr(any.detail, '?') &&
		    strlen(any.detail) < sizeof(any.detail) - 1)
			assert(again.result == PROBE_PASS &&
			       !strcasecmp(again.detail, any.detail));
		if (one.result == PROBE_RESPONSE)
			assert(!strncmp(one.detail, "answer ", 7));
		else if (wanted[0])
			for (size_t i = 0; one.detail[i]; i++)
				assert(one.detail[i] == '?' ||
				       tolower(one.detail[i]) ==
					       tolower(wanted[i]));
	}
	free(msg);
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                 */

/* `kind`: how it ended; output: all of the rest. */
static void command_check(unsigned int kind, const uint8_t *data, size_t len)
{
	static const int ends[] = { 0, 1, LAUNCHER_STATUS, 255 };
	int status = ends[kind % 4], signal = kind & 4 ? 9 : 0;
	char detail[PROBE_DETAIL_LEN], line[PROBE_DETAIL_LEN];
	char again[PROBE_DETAIL_LEN], narrow[8];
	char *output = malloc(len ? len : 1);
	enum probe_result result;

	memcpy(output, data, len);
	result = probe_command_result(status, signal, output, len, detail,
				      sizeof(detail));
	assert((result == PROBE_PASS) == (!status && !signal));
	assert(result != PROBE_LOCAL ||
	       (status == LAUNCHER_STATUS && !signal && len && !output[0]));
	assert(result != PROBE_RESPONSE || detail[0]);
	printable(detail);

	probe_command_line(line, sizeof(line), output, len);
	printable(line);
	assert(!line[0] || line[strlen(line) - 1] != ' ');
	if (result == PROBE_PASS)
		assert(!strcmp(detail, line));
	if (result == PROBE_RESPONSE && line[0])
		assert(strstr(detail, ": "));
	/* What is a line stays as it is. */
	probe_command_line(again, sizeof(again), line, strlen(line));
	assert(!strcmp(again, line));
	/* Cut, it is the begin. */
	probe_command_line(narrow, sizeof(narrow), output, len);
	assert(!strncmp(narrow, line, strlen(narrow)));
	free(output);
}

/* ------------------------------------------------------------------------ */
/* HTTP                                                                     */

/* Feeds line by line, each in an allocation of its own. */
static struct probe_http_headers feed(struct probe_http_headers headers,
				      const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) + 1 : len;
		char *line = malloc(n);

		memcpy(line, text, n);
		probe_http_header_line(&headers, line, n);
		free(line);
		text += n;
		len -= n;
	}
	return headers;
}

static void http_check(const uint8_t *data, size_t len)
{
	static const struct probe_http_headers none;
	static const char status_line[] = "HTTP/1.1 200 OK\r\n";
	static const char framing[] = "Content-Length: 1\r\n";
	static const char end[] = "\r\n";
	struct probe_http_headers all, before, fresh;
	char *text = malloc(len ? len : 1);

	memcpy(text, data, len);
	all = feed(none, text, len);
	assert(!all.to_the_end || all.http1);

	/* What capitals there are doesn't matter. */
	for (size_t i = 0; i < len; i++)
		text[i] = toupper((unsigned char)text[i]);
	before = feed(none, text, len);
	assert(before.http1 == all.http1 && before.framed == all.framed &&
	       before.to_the_end == all.to_the_end);

	/* An answer after it is judged by its own headers. */
	fresh = feed(all, status_line, sizeof(status_line) - 1);
	assert(!fresh.to_the_end);
	assert(feed(fresh, end, sizeof(end) - 1).to_the_end);
	fresh = feed(fresh, framing, sizeof(framing) - 1);
	assert(!feed(fresh, end, sizeof(end) - 1).to_the_end);

	/* No line, no change. */
	fresh = all;
	probe_http_header_line(&fresh, text, 0);
	assert(fresh.http1 == all.http1 && fresh.framed == all.framed &&
	       fresh.to_the_end == all.to_the_end);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (!len)
		return 0;
	switch (data[0] & 3) {
	case 0:
		dns_check((data[0] >> 2) % PROBE_DNS_MAX, data + 1, len - 1);
		break;
	case 1:
		command_check(data[0] >> 2, data + 1, len - 1);
		break;
	case 2:
		http_check(data + 1, len - 1);
		break;
	default:
		return -1;
	}
	return 0;
}
