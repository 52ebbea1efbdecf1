// SPDX-License-Identifier: GPL-2.0-or-later
/* Prometheus's text format, letter by letter. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "core/metrics_text.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static const struct metrics_family gauge = { "g", "A \\ of \"two\"\nlines.",
					     false };
static const struct metrics_family counter = { "c_total", "Count.", true };

static void assert_text(struct metrics_text *text, const char *expected)
{
	assert_int_equal(text->len, strlen(expected));
	assert_memory_equal(text->data, expected, text->len);
	metrics_text_free(text);
	assert_null(text->data);
	assert_int_equal(text->len, 0);
}

static void test_family(void **state)
{
	struct metrics_text text = {};

	metrics_text_family(&text, &gauge);
	metrics_text_family(&text, &counter);
	assert_text(&text, "# HELP g A \\\\ of \"two\"\\nlines.\n"
			   "# TYPE g gauge\n"
			   "# HELP c_total Count.\n"
			   "# TYPE c_total counter\n");
}

static void test_sample(void **state)
{
	const struct metrics_label labels[] = { { "vip", "www" },
						{ "state", "" } };
	struct metrics_text text = {};

	metrics_text_sample(&text, &gauge, NULL, 0, 0);
	metrics_text_sample(&text, &gauge, labels, 1, 7);
	metrics_text_sample(&text, &counter, labels, 2, UINT64_MAX);
	assert_text(&text, "g 0\n"
			   "g{vip=\"www\"} 7\n"
			   "c_total{vip=\"www\",state=\"\"} "
			   "18446744073709551615\n");
}

static void test_escapes(void **state)
{
	const struct metrics_label label = { "n", "\\a\"b\nc\\\\\"\"\n{}=, \t" };
	struct metrics_text text = {};

	metrics_text_sample(&text, &gauge, &label, 1, 1);
	assert_text(&text,
		    "g{n=\"\\\\a\\\"b\\nc\\\\\\\\\\\"\\\"\\n{}=, \t\"} 1\n");
}

static void test_time(void **state)
{
	struct metrics_text text = {};

	metrics_text_time(&text, &gauge, NULL, 0, 0);
	metrics_text_time(&text, &gauge, NULL, 0, 1);
	metrics_text_time(&text, &gauge, NULL, 0, 12000340);
	assert_text(&text, "g 0.000000\ng 0.000001\ng 12.000340\n");
}

/* Whatever the size, nothing is lost where the text grows. */
static void test_growth(void **state)
{
	struct metrics_text text = {};
	char line[32];
	size_t at = 0;

	for (unsigned int i = 0; i < 20000; i++)
		metrics_text_sample(&text, &gauge, NULL, 0, i);
	for (unsigned int i = 0; i < 20000; i++) {
		int len = snprintf(line, sizeof(line), "g %u\n", i);

		assert_true(at + len <= text.len);
		assert_memory_equal(text.data + at, line, len);
		at += len;
	}
	assert_int_equal(at, text.len);
	metrics_text_free(&text);
}

/* One that is longer than twice what there was. */
static void test_long_value(void **state)
{
	static char value[5000];
	const struct metrics_label label = { "n", value };
	const struct metrics_family long_help = { "h", value, false };
	struct metrics_text text = {};

	memset(value, '"', sizeof(value) - 1);
	metrics_text_sample(&text, &gauge, &label, 1, 1);
	assert_int_equal(text.len, 2 * 4999 + strlen("g{n=\"\"} 1\n"));
	metrics_text_family(&text, &long_help);
	metrics_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_family),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_long_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
