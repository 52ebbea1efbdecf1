// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guard processes and a shared counter.
 *
 * The loop's heartbeat raises the counter; a guard reads it and, when it has
 * stood still for the timeout, sends SIGABRT (libfrr logs a backtrace) and a
 * moment later SIGKILL.  A process and not a timer signal in the daemon:
 * only that also ends a daemon which was stopped (SIGSTOP, a forgotten
 * debugger).  A guard holds no descriptor of ours, so zebra sees our death
 * at once, has no capabilities, and dies with us.
 *
 * A guard that ended is followed by another at the next heartbeat; it counts its
 * rounds, so that one which was stopped is noticed, too.  There is no next heartbeat
 * while the loop hangs: so there are two guards, which know nothing of each other;
 * the second one has patience until the first would have done its work.  If both
 * end while the loop hangs already, it is for watchfrr, which asks every daemon.
 */
#include "cluster_compat.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/config_reading.h"
#include "core/watchdog.h"

/*
 * While a configuration is loaded: libfrr takes long for one commit of all of
 * it, prefix lists of thousands of lines above all, and doesn't come back
 * meanwhile.  Who ended it would have it begin again, at every boot.
 */
#define LENIENT_MS 600000

/* Between SIGABRT, for the backtrace, and SIGKILL. */
#define ABORT_GRACE_MS 250

/* Heartbeats without a round of the guard, 8 in a timeout: it was stopped. */
#define GUARD_PATIENCE 16

struct watchdog_page {
	_Atomic uint64_t beats; /* of the loop */
	_Atomic uint64_t rounds[WATCHDOG_GUARDS];
	_Atomic bool lenient;
};

struct guard {
	pid_t pid; /* 0: there is none */
	uint64_t rounds;
	unsigned int still; /* beats without a round */
	bool failed;	    /* to start, and that was logged */
};

static struct watchdog_page *page;
static uint32_t timeout;
static struct guard guards[WATCHDOG_GUARDS];
static struct event *t_beat;

static uint32_t period_ms(void)
{
	return timeout / 8;
}

static void guard_sleep(uint32_t ms)
{
	struct timespec ts = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000L,
	};

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

static void guard_close_descriptors(void)
{
	/* Kernels before 5.9 don't have it. */
	if (close_range(3, ~0U, 0) == 0)
		return;
	for (long fd = 3; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}

static void guard_setup(pid_t parent)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGUSR1, SIGUSR2,
				       SIGPIPE };
	static const int defaults[] = { SIGTERM, SIGABRT, SIGSEGV, SIGBUS,
					SIGFPE,	 SIGILL,  SIGALRM };
	sigset_t none;

	/* Descriptors first: zebra must not wait for us to see a death. */
	guard_close_descriptors();
	for (size_t i = 0; i < array_size(ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (size_t i = 0; i < array_size(defaults); i++)
		signal(defaults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	prctl(PR_SET_NAME, "clusterd-guard", 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* The parent may have died before that. */
	if (getppid() != parent)
		_exit(0);
}

static int64_t guard_patience_us(unsigned int number)
{
	int64_t ms = page->lenient ? MAX(timeout, LENIENT_MS) : timeout;

	/* A round of each, for they look at different times. */
	ms += (2 * period_ms() + ABORT_GRACE_MS) * number;
	return ms * 1000;
}

static void __attribute__((noreturn))
guard_run(pid_t parent, unsigned int number)
{
	uint64_t seen = page->beats;
	uint32_t period = period_ms();
	int64_t stood_us = 0, last_us;

	guard_setup(parent);
	last_us = cluster_now_us();
	/*
	 * After a long commit the loop beats, and then ends the patience: it
	 * may have done both since we looked.
	 */
	while (stood_us < guard_patience_us(number) || page->beats != seen) {
		uint64_t beats;
		int64_t now_us;

		guard_sleep(period);
		page->rounds[number]++;
		now_us = cluster_now_us();
		beats = page->beats;
		/* Slept far too long: the machine or both of us were stopped. */
		if (beats != seen || now_us - last_us > 4000LL * period)
			stood_us = 0;
		else
			stood_us += now_us - last_us;
		seen = beats;
		last_us = now_us;
		if (getppid() != parent)
			_exit(0);
	}
	kill(parent, SIGABRT);
	guard_sleep(ABORT_GRACE_MS);
	kill(parent, SIGKILL);
	_exit(1);
}

static void guard_start(struct guard *guard)
{
	pid_t parent = getpid();

	guard->still = 0;
	guard->pid = fork();
	if (guard->pid == 0)
		guard_run(parent, guard - guards);
	if (guard->pid > 0) {
		if (guard->failed)
			zlog_notice("watchdog: the guard process runs");
		guard->failed = false;
		return;
	}
	guard->pid = 0;
	/* It is tried at every heartbeat. */
	if (!guard->failed)
		flog_err_sys(EC_CLUSTER_WATCHDOG,
			     "watchdog: fork: %s; a hang would not be noticed%s",
			     safe_strerror(errno),
			     watchdog_running() ? " if the other one ends, too"
						: "");
	guard->failed = true;
}

/* The next heartbeat finds it gone. */
static void guard_check_rounds(struct guard *guard)
{
	uint64_t rounds = page->rounds[guard - guards];

	if (rounds != guard->rounds) {
		guard->rounds = rounds;
		guard->still = 0;
		return;
	}
	if (++guard->still != GUARD_PATIENCE)
		return;
	flog_warn(EC_CLUSTER_WATCHDOG,
		  "watchdog: the guard process %d doesn't run; ending it",
		  (int)guard->pid);
	kill(guard->pid, SIGKILL);
}

static void guard_check(struct guard *guard)
{
	if (guard->pid && waitpid(guard->pid, NULL, WNOHANG) == guard->pid) {
		flog_warn(EC_CLUSTER_WATCHDOG,
			  "watchdog: the guard process %d ended; starting another",
			  (int)guard->pid);
		guard->pid = 0;
	}
	if (guard->pid)
		guard_check_rounds(guard);
	else
		guard_start(guard);
}

static void beat(struct event *event)
{
	watchdog_feed();
	/* The loop runs again: the long commit is over. */
	page->lenient = config_reading_now();
	for (size_t i = 0; i < array_size(guards); i++)
		guard_check(&guards[i]);
	event_add_timer_msec(cluster_master, beat, NULL, period_ms(), &t_beat);
}

void watchdog_start(uint32_t timeout_ms)
{
	timeout = timeout_ms;
	if (!timeout)
		return;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED) {
		page = NULL;
		timeout = 0;
		flog_err_sys(EC_CLUSTER_WATCHDOG,
			     "watchdog: mmap: %s; a hang would not be noticed",
			     safe_strerror(errno));
		return;
	}
	for (size_t i = 0; i < array_size(guards); i++)
		guard_start(&guards[i]);
	event_add_timer_msec(cluster_master, beat, NULL, period_ms(), &t_beat);
}

void watchdog_feed(void)
{
	if (page)
		page->beats++;
}

void watchdog_lenient(void)
{
	if (page)
		page->lenient = true;
}

int watchdog_pid(unsigned int number)
{
	return guards[number].pid;
}

bool watchdog_running(void)
{
	for (size_t i = 0; i < array_size(guards); i++)
		if (guards[i].pid)
			return true;
	return false;
}

uint32_t watchdog_timeout_ms(void)
{
	return timeout;
}

void watchdog_stop(void)
{
	cluster_event_off(t_beat);
	for (size_t i = 0; i < array_size(guards); i++) {
		if (!guards[i].pid)
			continue;
		kill(guards[i].pid, SIGKILL);
		waitpid(guards[i].pid, NULL, 0);
		guards[i].pid = 0;
	}
	if (page)
		munmap(page, sizeof(*page));
	page = NULL;
	timeout = 0;
}
