// SPDX-License-Identifier: GPL-2.0-or-later
/* Which daemon is older: lines of /proc/PID/stat, pid files. */
#include <zebra.h>

#include "core/daemon_start.h"
#include "unit.h"

#define REST " S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 99 100\n"

static void test_parse(void **state)
{
	assert_int_equal(daemon_start_parse("7 (bgpd)" REST, "bgpd"), 4711);
	/* Names that would lead a split by blanks or parentheses astray. */
	assert_int_equal(daemon_start_parse("7 (a) (b c)" REST, "a) (b c"),
			 4711);
	assert_int_equal(daemon_start_parse("7 (bgpd)" REST, "bgp"), 0);
	assert_int_equal(daemon_start_parse("7 (bgpd)" REST, "bgpdx"), 0);
	assert_int_equal(daemon_start_parse("7 (zebra)" REST, "bgpd"), 0);
}

static void test_parse_bad(void **state)
{
	static const char *const bad[] = {
		"",
		"7",
		"7 (",
		"7 )bgpd(",
		"7 (bgpd",
		"7 (bgpd)",
		"7 (bgpd) S 1 7",
		"7 (bgpd) S 1 7 7 0 -1 1 1 2 3 4 5 6 7 8 20 0 1 0",
		"7 (bgpd) S 1 7 7 0 -1 1 1 2 3 4 5 6 7 8 20 0 1 0 x",
	};

	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(daemon_start_parse(bad[i], "bgpd"), 0);
}

static void pid_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.pid", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void test_of_a_process(void **state)
{
	char folder[] = "/tmp/test_daemon_start.XXXXXX";
	char name[64] = "", path[PATH_MAX], text[32];
	FILE *comm = fopen("/proc/self/comm", "r");
	uint64_t start;

	assert_non_null(comm);
	assert_int_equal(fscanf(comm, "%63[^\n]", name), 1);
	fclose(comm);
	assert_non_null(mkdtemp(folder));

	assert_int_equal(daemon_start(folder, name), 0);
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	pid_file(folder, name, text);
	start = daemon_start(folder, name);
	assert_int_not_equal(start, 0);
	/* Another name in the file of our process: its number was reused. */
	pid_file(folder, "other", text);
	assert_int_equal(daemon_start(folder, "other"), 0);
	pid_file(folder, name, "not a number\n");
	assert_int_equal(daemon_start(folder, name), 0);
	pid_file(folder, name, "");
	assert_int_equal(daemon_start(folder, name), 0);

	snprintf(path, sizeof(path), "%s/%s.pid", folder, name);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/other.pid", folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_bad),
		cmocka_unit_test(test_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
