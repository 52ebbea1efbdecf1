// SPDX-License-Identifier: GPL-2.0-or-later
/* Statuses, headers, bytes from text, bounded regular expressions. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"

#include "probe/probe_match.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void test_status(void **state)
{
	static const struct {
		const char *ranges;
		bool valid;
	} cases[] = {
		{ "200", true },
		{ "200-299", true },
		{ "200-299,404", true },
		{ "100,599,200-200", true },
		{ "", false },
		{ "20", false },
		{ "2000", false },
		{ "99", false },
		{ "099", false },
		{ "600", false },
		{ "200-", false },
		{ "-200", false },
		{ "299-200", false },
		{ "200,", false },
		{ ",200", false },
		{ "200 ", false },
		{ "200-300-400", false },
		{ "2xx", false },
		{ "200;404", false },
	};
	char why[128];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		why[0] = '\0';
		if (probe_status_valid(cases[i].ranges, why, sizeof(why)) !=
		    cases[i].valid)
			fail_msg("%s", cases[i].ranges);
		assert_int_equal(why[0] == '\0', cases[i].valid);
	}
	for (long status = 0; status < 1000; status++) {
		assert_int_equal(probe_status_match("200-399", status),
				 status >= 200 && status <= 399);
		assert_int_equal(probe_status_match("204,300-302,404", status),
				 status == 204 || status == 404 ||
					 (status >= 300 && status <= 302));
	}
}

static void test_bytes(void **state)
{
	static const struct {
		const char *text;
		int len;
		const char *bytes;
	} cases[] = {
		{ "", 0, "" },
		{ "PING", 4, "PING" },
		{ "PING\\r\\n", 6, "PING\r\n" },
		{ "\\t\\\\n", 3, "\t\\n" },
		{ "\\x00\\xfF\\x0a", 3, "\0\xff\n" },
		{ "\\", -1, NULL },
		{ "a\\", -1, NULL },
		{ "\\q", -1, NULL },
		{ "\\x", -1, NULL },
		{ "\\x1", -1, NULL },
		{ "\\xg0", -1, NULL },
		{ "\\x0g", -1, NULL },
	};
	uint8_t buf[16];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		assert_int_equal(probe_text_bytes(cases[i].text, buf),
				 cases[i].len);
		if (cases[i].len > 0)
			assert_memory_equal(buf, cases[i].bytes, cases[i].len);
	}
}

static enum probe_regex_result search(const char *pattern, const char *data,
				      size_t len)
{
	struct probe_regex *regex = probe_regex_new(pattern, NULL, 0);
	enum probe_regex_result result;

	assert_non_null(regex);
	result = probe_regex_search(regex, data, len);
	probe_regex_free(&regex);
	assert_null(regex);
	return result;
}

static void test_regex(void **state)
{
	struct probe_regex *none = NULL;

	(void)state;
	assert_int_equal(search("ok", "it is ok now", 12), PROBE_REGEX_FOUND);
	assert_int_equal(search("^ok$", "it is ok", 8), PROBE_REGEX_NOT_FOUND);
	assert_int_equal(search("(?i)\"status\":\\s*\"up\"",
				"{\"STATUS\": \"UP\"}", 16),
			 PROBE_REGEX_FOUND);
	/* Any bytes, NUL and broken UTF-8 among them. */
	assert_int_equal(search("b", "a\0b", 3), PROBE_REGEX_FOUND);
	assert_int_equal(search("\\xff", "\xc3\xff", 2), PROBE_REGEX_FOUND);
	assert_int_equal(search(".", "", 0), PROBE_REGEX_NOT_FOUND);
	probe_regex_free(&none);
}

static void test_bad_regex(void **state)
{
	static const char *const bad[] = {
		"(",
		"[a",
		"a{2,1}",
		"*",
		"\\",
		"(?<n>a",
		"(*UTF)a",
		"\\C",
		/* would be of 16 million states */
		"((a{255}){255}){255}",
	};
	char why[128];

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		why[0] = '\0';
		if (probe_regex_new(bad[i], why, sizeof(why)))
			fail_msg("%s", bad[i]);
		assert_non_null(strstr(why, "bad expression: "));
	}
}

/* Those that take exponential time elsewhere give up here, and soon. */
static void test_hard_regex(void **state)
{
	static const char *const hard[] = {
		"(a+)+$",
		"^(a|aa)+$",
		"(.*)*=\\1x",
		"(x+x+)+y|(a*)*b",
		"^(([a-z])+.)+[A-Z]([a-z])+$",
	};
	size_t len = 65536;
	char *data = malloc(len);
	clock_t begin = clock();

	(void)state;
	memset(data, 'a', len);
	data[len - 1] = '!';
	for (size_t i = 0; i < array_size(hard); i++)
		if (search(hard[i], data, len) == PROBE_REGEX_FOUND)
			fail_msg("%s", hard[i]);
	assert_int_equal(search(hard[1], data, len), PROBE_REGEX_GAVE_UP);
	/* Without bounds: longer than the universe is old. */
	assert_true((clock() - begin) / CLOCKS_PER_SEC < 30);
	free(data);
}

/* Lines as they come, without and with the one that ends the headers. */
static void test_headers(void **state)
{
	static const struct {
		const char *lines[8];
		bool to_the_end;
	} cases[] = {
		{ { "HTTP/1.1 200 OK\r\n", "Server: x\r\n", "\r\n" }, true },
		{ { "HTTP/1.0 200 OK\n", "\n" }, true },
		{ { "HTTP/1.1 200 OK\r\n" }, false },
		{ { "HTTP/2 200\r\n", "\r\n" }, false },
		{ { "HTTP/1", "\r\n" }, false },
		{ { "\r\n" }, false },
		{ { "HTTP/1.1 200\r\n", "CONTENT-length: 5\r\n", "\r\n" },
		  false },
		{ { "HTTP/1.1 200\r\n", "Transfer-Encoding:chunked\r\n", "\r\n" },
		  false },
		/* Neither is such a header. */
		{ { "HTTP/1.1 200\r\n", "Content-Lengt", "X-Content-Length: 1",
		    "\r\n" },
		  true },
		/* A redirect, and what it leads to. */
		{ { "HTTP/1.1 302 x\r\n", "Content-Length: 0\r\n", "\r\n",
		    "HTTP/1.1 200 OK\r\n", "\r\n" },
		  true },
		{ { "HTTP/1.1 302 x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n" },
		  false },
		{ { "HTTP/1.1 302 x\r\n", "\r\n", "HTTP/2 200\r\n", "\r\n" },
		  false },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct probe_http_headers headers = {};

		for (const char *const *line = cases[i].lines; *line; line++)
			probe_http_header_line(&headers, *line, strlen(*line));
		/* Nothing is no empty line. */
		probe_http_header_line(&headers, "\n", 0);
		if (headers.to_the_end != cases[i].to_the_end)
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_regex),
		cmocka_unit_test(test_bad_regex),
		cmocka_unit_test(test_hard_regex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
