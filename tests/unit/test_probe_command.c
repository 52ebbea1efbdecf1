// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands: real processes. */
#include "probe_check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "probe/command_run.h"
#include "probe/probe_command.h"

#define TYPE   (&probe_type_command)
#define TARGET "192.0.2.1"

static char folder[] = "/tmp/test_probe_command.XXXXXX";
static unsigned int n_scripts;
static char command_line[128]; /* the command of the test's configuration */
static bool never;

static void config_init(struct probe_config *config, const char *command)
{
	probe_config_init(config);
	config->type = PROBE_TYPE_COMMAND;
	config->timeout_ms = 5000;
	strlcpy(command_line, command, sizeof(command_line));
	config->command = command_line;
}

/* A command that is that shell script. */
static void script(struct probe_config *config, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u", folder, n_scripts++);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	config_init(config, path);
}

/* How often `text` is a process's argument. */
static unsigned int processes(const char *text)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int n = 0;
	char path[300];
	char line[512];
	size_t len;
	FILE *file;

	while ((entry = readdir(proc))) {
		if (!isdigit((uint8_t)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		len = fread(line, 1, sizeof(line) - 1, file);
		fclose(file);
		line[len] = '\0';
		for (size_t i = 0; i < len; i += strlen(line + i) + 1)
			if (strmatch(line + i, text))
				n++;
	}
	closedir(proc);
	return n;
}

/* There come to be so many; who is killed takes a moment to die. */
static void expect_processes(const char *text, unsigned int n)
{
	int64_t end = cluster_now_us() + WAIT_S * INT64_C(1000000);

	while (processes(text) != n) {
		assert_false(loop_until(&never, 0));
		assert_true(cluster_now_us() < end);
	}
}

static size_t descriptors(void)
{
	DIR *fds = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(fds))
		n++;
	closedir(fds);
	return n;
}

/* Runs the loop until all children are reaped. */
static void drain(void)
{
	struct probe_command_counts counts;
	int64_t end = cluster_now_us() + WAIT_S * INT64_C(1000000);

	do {
		struct event *t = NULL;
		struct event event;

		event_add_timer_msec(cluster_master, loop_stop, NULL, 10, &t);
		if (event_fetch(cluster_master, &event))
			event_call(&event);
		cluster_event_off(t);
		probe_command_counts(&counts);
		assert_true(cluster_now_us() < end);
	} while (counts.running || counts.waiting);
}

static void test_exit_status(void **state)
{
	struct probe_config config;
	struct checked c = {};

	config_init(&config, "/bin/true");
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_PASS);
	assert_string_equal(c.detail, "");
	assert_true(c.rtt_us > 0);

	script(&config, "echo first; echo second >&2; exit 3");
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_RESPONSE);
	assert_string_equal(c.detail, "exit status 3: first");

	script(&config, "kill -TERM $$");
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_RESPONSE);
	assert_string_equal(c.detail, "killed by signal 15");
}

static void test_not_startable(void **state)
{
	struct probe_config config;
	struct checked c = {};

	config_init(&config, "/nonexistent/command");
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_LOCAL);
	assert_string_equal(c.detail,
			    "/nonexistent/command: No such file or directory");
	config_init(&config, "/etc/passwd");
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_LOCAL);
	assert_string_equal(c.detail, "/etc/passwd: Permission denied");
	config_init(&config, "/bin/true");
	config.user = "nosuchuser";
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_LOCAL);
	assert_string_equal(c.detail, "user nosuchuser is not in /etc/passwd");
	config.user = "root";
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_LOCAL);
	assert_string_equal(c.detail, "user root is root, or of root's group");
}

/* No shell: what would be one's is an argument. */
static void test_arguments_and_environment(void **state)
{
	struct probe_config config;
	struct checked c = {};

	script(&config,
	       "echo \"$# $2 $CLUSTER_PROBE $CLUSTER_TARGET $CLUSTER_VRF $CLUSTER_TIMEOUT $SECRET\"");
	strlcat(command_line, " a $(reboot);b", sizeof(command_line));
	setenv("SECRET", "ours", 1);
	check_run(&c, TYPE, &config, TARGET);
	assert_string_equal(c.detail,
			    "2 $(reboot);b test 192.0.2.1 default 5000");
	assert_int_equal(c.result, PROBE_PASS);
}

/* Nothing of ours is left in it. */
static void test_confined(void **state)
{
	struct probe_config config;
	struct checked c = {};
	int fd = dup(STDOUT_FILENO); /* not close-on-exec */

	signal(SIGPIPE, SIG_IGN);
	script(&config,
	       "cd /proc/$$; for k in CapInh CapPrm CapEff CapAmb NoNewPrivs SigBlk SigIgn; do\n"
	       "sed -n \"s/^$k:[[:space:]]*0*//p\" status; done | tr '\\n' ,\n"
	       "ls -m fd; exit $(ulimit -c)1");
	check_run(&c, TYPE, &config, TARGET);
	close(fd);
	/* The shell has its script open, as 10. */
	assert_string_equal(c.detail, "exit status 1: ,,,,1,,,0, 1, 10, 2");
	script(&config, "readlink /proc/self/cwd");
	check_run(&c, TYPE, &config, TARGET);
	assert_string_equal(c.detail, "/");
}

static void test_other_user(void **state)
{
	struct probe_config config;
	struct checked c = {};

	if (geteuid() != 0)
		skip();
	script(&config, "id -u -n; id -G -n >&2");
	config.user = "nobody";
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_PASS);
	assert_string_equal(c.detail, "nobody");
	assert_int_equal(geteuid(), 0);
}

/* Case 17: the whole group goes, also what ignores signals. */
static void test_killed_at_timeout(void **state)
{
	struct probe_config config;
	struct checked c = {};

	script(&config,
	       "trap '' TERM INT HUP; sleep 4711.1 & sleep 4711.1 & sleep 4711.1");
	check_start(&c, TYPE, &config, TARGET);
	expect_processes("4711.1", 3);
	TYPE->cancel(&c.check);
	assert_null(c.check.state);
	drain();
	assert_null(c.check.keep);
	expect_processes("4711.1", 0);
	assert_false(c.done);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* reaped */
}

/* Of another user, whom we can't signal as we are. */
static void test_killed_other_user(void **state)
{
	struct probe_config config;
	struct checked c = {};

	if (geteuid() != 0)
		skip();
	script(&config, "sleep 4711.2 & sleep 4711.2");
	config.user = "nobody";
	check_start(&c, TYPE, &config, TARGET);
	expect_processes("4711.2", 2);
	TYPE->cancel(&c.check);
	drain();
	expect_processes("4711.2", 0);
}

/* Its end is the leader's: a grandchild that holds the pipe delays nothing. */
static void test_grandchild_holds_the_pipe(void **state)
{
	struct probe_config config;
	struct checked c = {};
	size_t before = descriptors();

	script(&config, "sleep 4711.3 & echo started");
	check_run(&c, TYPE, &config, TARGET);
	assert_int_equal(c.result, PROBE_PASS);
	assert_string_equal(c.detail, "started");
	expect_processes("4711.3", 0);
	assert_int_equal(descriptors(), before);
}

/* More than a pipe holds is read and dropped; the first line is kept. */
static void test_much_output(void **state)
{
	struct probe_config config;
	struct checked c = {};

	script(&config, "echo head; head -c 3000000 /dev/zero; exit 1");
	check_run(&c, TYPE, &config, TARGET);
	assert_string_equal(c.detail, "exit status 1: head");
}

/* Many at a time: so many run, the others wait for their turn. */
static void test_bound(void **state)
{
	static struct checked c[1000];
	struct probe_command_counts counts;
	struct probe_config config;
	size_t most = 0;

	script(&config, "echo done");
	for (size_t i = 0; i < array_size(c); i++)
		check_start(&c[i], TYPE, &config, TARGET);
	for (size_t i = 0; i < array_size(c); i++) {
		assert_true(loop_until(&c[i].done, WAIT_S * 3));
		assert_int_equal(c[i].result, PROBE_PASS);
		probe_command_counts(&counts);
		if (counts.running > most)
			most = counts.running;
	}
	assert_in_range(most, 2, PROBE_COMMANDS_MAX);
	drain();
}

/* One that waits is given up without ever having run. */
static void test_cancel_in_the_queue(void **state)
{
	static struct checked c[PROBE_COMMANDS_MAX + 1];
	struct checked *last = &c[PROBE_COMMANDS_MAX];
	struct probe_command_counts counts;
	struct probe_config config;

	config_init(&config, "/bin/sleep 4711.4");
	for (size_t i = 0; i < array_size(c); i++)
		check_start(&c[i], TYPE, &config, TARGET);
	expect_processes("4711.4", PROBE_COMMANDS_MAX);
	probe_command_counts(&counts);
	assert_int_equal(counts.running, PROBE_COMMANDS_MAX);
	assert_int_equal(counts.waiting, 1);
	TYPE->cancel(&last->check);
	assert_null(last->check.keep);
	for (size_t i = 0; i < PROBE_COMMANDS_MAX; i++)
		TYPE->cancel(&c[i].check);
	/* Killed, but not seen to have ended: its next run has to wait. */
	check_start(&c[0], TYPE, &config, TARGET);
	assert_true(c[0].done);
	assert_int_equal(c[0].result, PROBE_LOCAL);
	assert_non_null(strstr(c[0].detail, "hasn't ended"));
	TYPE->release(&c[1].check);
	assert_null(c[1].check.keep);
	memset(&c[1], 0xff, sizeof(c[1])); /* gone */
	drain();
	assert_null(c[0].check.keep);
	expect_processes("4711.4", 0);
}

/* -- programs of clusterd's own -- */

static struct {
	struct command_run run;
	unsigned int n;
	bool done, ok;
	char text[PROBE_DETAIL_LEN];
} own;

static void own_done(struct command_run *run, bool ok, const char *text)
{
	assert_ptr_equal(run, &own.run);
	assert_false(command_run_busy(run));
	own.n++;
	own.done = true;
	own.ok = ok;
	strlcpy(own.text, text, sizeof(own.text));
}

static void own_start(const char *command, uint32_t timeout_ms)
{
	own.done = false;
	command_run_start(&own.run, "default", command, timeout_ms, own_done);
}

static void test_own_program(void **state)
{
	struct probe_config config;

	script(&config, "echo \"$1 $CLUSTER_VRF $CLUSTER_TIMEOUT"
			" $CLUSTER_PROBE.$CLUSTER_TARGET.\"");
	strlcat(command_line, " word", sizeof(command_line));
	own_start(config.command, 9000);
	assert_true(command_run_busy(&own.run));
	/* It is running: not once more. */
	own_start(config.command, 9000);
	assert_true(loop_until(&own.done, WAIT_S));
	assert_true(own.ok);
	assert_string_equal(own.text, "word default 9000 ..");
	drain();
	assert_int_equal(own.n, 1);

	own_start("/nonexistent/command", 5000);
	assert_true(loop_until(&own.done, WAIT_S));
	assert_false(own.ok);
	assert_string_not_equal(own.text, "");
}

static void test_own_program_hangs(void **state)
{
	own_start("/bin/sleep 7654321", 200);
	assert_true(loop_until(&own.done, WAIT_S));
	assert_false(own.ok);
	assert_string_equal(own.text, "killed after 200 ms");
	expect_processes("7654321", 0);
	drain();

	/* Nobody is interested any more. */
	own_start("/bin/sleep 7654322", 60000);
	expect_processes("7654322", 1);
	command_run_stop(&own.run);
	assert_false(command_run_busy(&own.run));
	expect_processes("7654322", 0);
	assert_false(own.done);
	drain();
	command_run_stop(&own.run);
}

static int setup(void **state)
{
	zprivs_preinit(&cluster_privs);
	zprivs_init(&cluster_privs);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	probe_command_launcher("clusterd/clusterd-launch");
	return loop_setup(state);
}

static int teardown(void **state)
{
	char path[64];

	TYPE->fini();
	for (unsigned int i = 0; i < n_scripts; i++) {
		snprintf(path, sizeof(path), "%s/%u", folder, i);
		unlink(path);
	}
	rmdir(folder);
	return loop_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_not_startable),
		cmocka_unit_test(test_arguments_and_environment),
		cmocka_unit_test(test_confined),
		cmocka_unit_test(test_other_user),
		cmocka_unit_test(test_killed_at_timeout),
		cmocka_unit_test(test_killed_other_user),
		cmocka_unit_test(test_grandchild_holds_the_pipe),
		cmocka_unit_test(test_much_output),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_cancel_in_the_queue),
		cmocka_unit_test(test_own_program),
		cmocka_unit_test(test_own_program_hangs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
