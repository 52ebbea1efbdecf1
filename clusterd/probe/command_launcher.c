// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clusterd-launch: becomes the command of a check, with nothing of the daemon
 * left: no descriptors, no capabilities and no way to get any, no signals
 * blocked or ignored, bounded resources, and dead when the daemon dies.
 * Not for people; see command_launcher.h.
 */
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/command_launcher.h"

static void __attribute__((noreturn)) fail(const char *what)
{
	char text[256];
	int n;

	n = snprintf(text, sizeof(text), "%c%s: %s\n", LAUNCH_FAILED_MARK, what,
		     strerror(errno));
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	if (write(STDOUT_FILENO, text, n) < 0)
		_exit(LAUNCH_FAILED_STATUS); /* nobody listens */
	_exit(LAUNCH_FAILED_STATUS);
}

static void limit(int resource, rlim_t most)
{
	struct rlimit rlimit;

	if (getrlimit(resource, &rlimit) < 0)
		fail("getrlimit");
	/* Raising the hard limit would be refused. */
	if (rlimit.rlim_max > most)
		rlimit.rlim_max = most;
	rlimit.rlim_cur = rlimit.rlim_max;
	if (setrlimit(resource, &rlimit) < 0)
		fail("setrlimit");
}

static void reset_signals(void)
{
	/* The kernel's structure, of which 0 is SIG_DFL; no system's is longer. */
	static const uint64_t kernel_default[8];
	sigset_t none;

	/*
	 * Not by signal(): glibc keeps two for itself and refuses to touch them,
	 * but whoever started us may have ignored them.  SIGKILL and SIGSTOP
	 * can't be set: no matter.
	 */
	for (int i = 1; i < NSIG; i++)
		syscall(SYS_rt_sigaction, i, kernel_default, NULL, NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		fail("ambient capabilities");
	if (syscall(SYS_capset, &header, none) < 0)
		fail("capabilities");
	/* Also: root, if we are root, gets none back by execve(). */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail("no_new_privs");
}

static void close_descriptors(void)
{
	/* Kernels before 5.9 don't have it. */
	if (close_range(STDERR_FILENO + 1, ~0U, 0) == 0)
		return;
	for (long fd = STDERR_FILENO + 1; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}

int main(int argc, char **argv)
{
	char what[128];

	if (argc <= LAUNCH_ARG_COMMAND) {
		fprintf(stderr, "%s is started by clusterd only\n",
			COMMAND_LAUNCHER);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* The parent may have died before that. */
	if (getppid() != atoi(argv[LAUNCH_ARG_PARENT]))
		_exit(LAUNCH_FAILED_STATUS);

	close_descriptors();
	reset_signals();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, strtoul(argv[LAUNCH_ARG_CPU], NULL, 10));
	limit(RLIMIT_NOFILE, LAUNCH_FILES_MAX);
	limit(RLIMIT_FSIZE, LAUNCH_FILE_SIZE_MAX);
	/* FRR's daemons run at a higher priority than others. */
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	umask(S_IWGRP | S_IWOTH);
	if (chdir("/") < 0)
		fail("chdir");
	drop_capabilities();

	execv(argv[LAUNCH_ARG_COMMAND], argv + LAUNCH_ARG_COMMAND);
	snprintf(what, sizeof(what), "%s", argv[LAUNCH_ARG_COMMAND]);
	fail(what);
}
