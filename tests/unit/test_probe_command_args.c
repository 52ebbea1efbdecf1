// SPDX-License-Identifier: GPL-2.0-or-later
/* What a command is started with, and what its end means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zebra.h>

#include "memory.h"

#include "probe/command_launcher.h"
#include "probe/probe_command.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static struct probe_command_args args;
static struct probe_config config;

static void make(const char *command)
{
	struct ipaddr target = addr("2001:db8::1");

	memset(&args, 0xff, sizeof(args));
	config.command = command;
	probe_command_args(&args, "web", &config, "red", &target, 42);
}

static const char *env(const char *name)
{
	size_t len = strlen(name);

	for (char **e = args.envp; *e; e++)
		if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
			return *e + len + 1;
	return NULL;
}

static int setup(void **state)
{
	probe_config_init(&config);
	config.type = PROBE_TYPE_COMMAND;
	return 0;
}

static void test_words(void **state)
{
	char *const *argv = args.argv + LAUNCH_ARG_COMMAND;

	make("/bin/check");
	assert_string_equal(args.argv[LAUNCH_ARG_NAME], COMMAND_LAUNCHER);
	assert_string_equal(args.argv[LAUNCH_ARG_PARENT], "42");
	assert_string_equal(argv[0], "/bin/check");
	assert_null(argv[1]);

	/* Nothing is special to us. */
	make("/bin/check -w 5 'a $(b) *;|>");
	assert_string_equal(argv[0], "/bin/check");
	assert_string_equal(argv[1], "-w");
	assert_string_equal(argv[2], "5");
	assert_string_equal(argv[3], "'a");
	assert_string_equal(argv[4], "$(b)");
	assert_string_equal(argv[5], "*;|>");
	assert_null(argv[6]);
}

/* The longest command, of the most words, with the longest of everything. */
static void test_longest(void **state)
{
	char command[PROBE_COMMAND_LEN];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(command) - 1; i++)
		command[i] = i % 2 ? ' ' : 'x';
	command[0] = '/';
	command[sizeof(command) - 1] = '\0';
	config.source = addr("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff");
	config.port = 65535;
	config.timeout_ms = 3600000;
	strlcpy(config.ifname, "abcdefghijklmno", sizeof(config.ifname));
	make(command);
	while (args.argv[LAUNCH_ARG_COMMAND + n])
		n++;
	assert_int_equal(n, PROBE_COMMAND_LEN / 2);
	assert_string_equal(args.argv[LAUNCH_ARG_CPU], "3602");
	assert_string_equal(env("CLUSTER_INTERFACE"), "abcdefghijklmno");

	/* As long as the CLI lets it be, and one word. */
	memset(command, 'x', sizeof(command) - 1);
	make(command);
	assert_int_equal(strlen(args.argv[LAUNCH_ARG_COMMAND]),
			 PROBE_COMMAND_LEN - 1);
	assert_null(args.argv[LAUNCH_ARG_COMMAND + 1]);
}

static void test_environment(void **state)
{
	make("/bin/check");
	assert_string_equal(env("CLUSTER_PROBE"), "web");
	assert_string_equal(env("CLUSTER_VRF"), "red");
	assert_string_equal(env("CLUSTER_TARGET"), "2001:db8::1");
	assert_string_equal(env("CLUSTER_TIMEOUT"), "1000");
	assert_string_equal(env("PATH"), "/usr/sbin:/usr/bin:/sbin:/bin");
	assert_null(env("CLUSTER_PORT"));
	assert_null(env("CLUSTER_SOURCE"));
	assert_null(env("CLUSTER_INTERFACE"));

	config.port = 8080;
	config.source = addr("2001:db8::2");
	strlcpy(config.ifname, "eth0", sizeof(config.ifname));
	make("/bin/check");
	assert_string_equal(env("CLUSTER_PORT"), "8080");
	assert_string_equal(env("CLUSTER_SOURCE"), "2001:db8::2");
	assert_string_equal(env("CLUSTER_INTERFACE"), "eth0");
}

static void test_line(void **state)
{
	static const struct {
		const char *output, *line;
	} cases[] = {
		{ "", "" },
		{ "OK", "OK" },
		{ "OK\nmore\n", "OK" },
		{ "OK \r\nmore", "OK" },
		{ "\nsecond", "" },
		{ "\033[31mred\t", "?[31mred?" },
		{ "gr\303\274n  \n", "gr??n" },
		{ "123456789", "1234567" },
	};
	char line[8];

	for (size_t i = 0; i < array_size(cases); i++) {
		char wide[64];
		bool cut = strlen(cases[i].line) == sizeof(line) - 1;

		probe_command_line(wide, sizeof(wide), cases[i].output,
				   strlen(cases[i].output));
		if (!cut)
			assert_string_equal(wide, cases[i].line);
		probe_command_line(line, sizeof(line), cases[i].output,
				   strlen(cases[i].output));
		assert_true(strlen(line) < sizeof(line));
		if (cut)
			assert_string_equal(line, cases[i].line);
	}
}

static void expect(int status, int signal, const char *output, size_t n,
		   enum probe_result result, const char *text)
{
	char detail[PROBE_DETAIL_LEN];

	assert_int_equal(probe_command_result(status, signal, output, n, detail,
					      sizeof(detail)),
			 result);
	assert_string_equal(detail, text);
}

static void test_result(void **state)
{
	expect(0, 0, "", 0, PROBE_PASS, "");
	expect(0, 0, "fine\n", 5, PROBE_PASS, "fine");
	expect(2, 0, "", 0, PROBE_RESPONSE, "exit status 2");
	expect(2, 0, "bad\n", 4, PROBE_RESPONSE, "exit status 2: bad");
	expect(0, 9, "", 0, PROBE_RESPONSE, "killed by signal 9");
	expect(0, 11, "x", 1, PROBE_RESPONSE, "killed by signal 11: x");
	/* The launcher's, and a command that ends alike. */
	expect(127, 0, "\0/x: No such file\n", 18, PROBE_LOCAL,
	       "/x: No such file");
	expect(127, 0, "not found", 9, PROBE_RESPONSE,
	       "exit status 127: not found");
	expect(1, 0, "\0x", 2, PROBE_RESPONSE, "exit status 1: ?x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_words, setup),
		cmocka_unit_test_setup(test_longest, setup),
		cmocka_unit_test_setup(test_environment, setup),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
