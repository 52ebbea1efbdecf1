// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts that can be values of the configuration. */
#include "config.h"

#include "unit.h"

#include "cluster_text.h"

static void test_valid(void **state)
{
	static const char *const texts[] = {
		"",	  "a b",    "/~!",	"\u00a0",      "\u00e4",
		"\u07ff", "\u0800", "\ud7ff",	"\ue000",      "\ufdcf",
		"\ufdf0", "\ufffd", "a\u20acb", "\U00010000z", "\U0010fffd",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!cluster_text_valid(texts[i]))
			fail_msg("refused: %s", texts[i]);
}

static void test_controls(void **state)
{
	char text[] = "a?b";

	for (int c = 1; c < 0x20; c++) {
		text[1] = (char)c;
		if (cluster_text_valid(text))
			fail_msg("taken: %#x", c);
	}
	assert_false(cluster_text_valid("\x7f"));
	assert_false(cluster_text_valid("\xc2\x80"));
	assert_false(cluster_text_valid("\xc2\x9f"));
}

static void test_not_utf8(void **state)
{
	static const char *const texts[] = {
		"\xff",
		"\x80",		    /* not a beginning */
		"\xc3",		    /* cut off */
		"\xc3(",	    /* likewise, something follows */
		"\xe2\x82",	    /* in the middle */
		"\xf0\x90\x80z",    /* likewise */
		"\xc0\xaf",	    /* '/', in two octets */
		"\xc1\xbf",	    /* likewise */
		"\xe0\x80\xaf",	    /* in three */
		"\xf0\x80\x80\xaf", /* in four */
		"\xed\xa0\x80",	    /* a half of UTF-16 */
		"\xed\xbf\xbf",	    /* the last of them */
		"\xf4\x90\x80\x80", /* behind Unicode's end */
		"\xf5\x80\x80\x80", /* likewise */
		"\xef\xb7\x90",	    /* no character: U+FDD0 */
		"\xef\xb7\xaf",	    /* U+FDEF */
		"\xef\xbf\xbe",	    /* U+FFFE */
		"\xef\xbf\xbf",	    /* U+FFFF */
		"\xf0\x9f\xbf\xbf", /* U+1FFFF */
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (cluster_text_valid(texts[i]))
			fail_msg("taken: number %zu", i);
}

static void test_filters(void **state)
{
	assert_true(cluster_text_filters("/bin/x a| b"));
	assert_true(cluster_text_filters("| b"));
	assert_true(cluster_text_filters("a | b"));
	assert_false(cluster_text_filters("a|b c"));
	assert_false(cluster_text_filters("a|"));
	assert_false(cluster_text_filters(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_not_utf8),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
