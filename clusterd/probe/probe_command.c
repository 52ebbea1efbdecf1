// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command: a program whose exit status 0 passes.
 *
 *     start --> queue --(a slot, in the loop's next turn)--> running
 *     running --exits--> result
 *     running --cancel--> killed --exits--> forgotten
 *
 * No shell.  The child is made by clone() as posix_spawn() does it, sharing
 * our memory until it executes the launcher (command_launcher.c), because a
 * fork() of a daemon with thousands of objects copies page tables for
 * milliseconds.  The end is told by a pidfd, so neither SIGCHLD nor anybody
 * else's children are touched, and by nothing else: a grandchild that holds
 * the pipe delays nothing.
 *
 * The command has its own process group, which is killed at the time-out and
 * also when the command ends: nothing piles up.  One that was killed and won't
 * die (a file system that hangs) keeps its slot, and its probe fails with that
 * reason instead of getting another.
 *
 * cases: 17, 29.
 */
#include "cluster_compat.h"

#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "typesafe.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "probe/command_launcher.h"
#include "probe/probe_command.h"
#include "probe/probe_io.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_COMMAND, "Command check");

/* Children made in one turn of the loop: each costs a fraction of a ms. */
#define SPAWN_BURST 4
/* Output that is read and dropped in one wake-up, behind what is kept. */
#define DRAIN_MAX   16384
#define CHILD_STACK (64 * 1024)

PREDECL_DLIST(commands);

struct command {
	struct commands_item item;
	struct probe_check *check; /* NULL: it is gone */
	bool killed;		   /* nobody waits for its end */
	pid_t pid;		   /* 0: queued */
	int64_t started_us;
	int64_t deadline_us;
	char vrf[PROBE_VRF_LEN];
	char user[PROBE_USER_LEN]; /* "": our own */
	uid_t uid;
	gid_t gid;
	struct probe_fd exited; /* pidfd */
	struct probe_fd output;
	char text[PROBE_DETAIL_LEN]; /* how it begins */
	size_t n_text;
	struct probe_command_args *args; /* until it is started */
};

DECLARE_DLIST(commands, struct command, item);

static struct commands_head queue = INIT_DLIST(queue);
static struct commands_head running = INIT_DLIST(running);
static struct event *t_spawn;
static uint64_t starved;
static const char *launcher;

static void spawn_soon(void);

/* A check, or a program that clusterd runs for itself (command_run.h). */
static void finish(struct probe_check *check, enum probe_result result,
		   int64_t rtt_us, const char *detail)
{
	if (check->done)
		check->done(check, result, detail);
	else
		probe_check_done(check, result, rtt_us, detail);
}

/* ------------------------------------------------------------------------ */
/* Children                                                                 */

/* What the child is told, and tells: it shares our memory. */
struct birth {
	const struct command *command;
	int null, output;
	int error; /* errno of what failed, 0: it has executed the launcher */
	const char *failed;
};

/*
 * Only system calls, and not glibc's functions for user and group: they would
 * change all threads of what is our process still.
 */
static int child_become(const struct command *command)
{
	if (!command->user[0])
		return 0;
	if (syscall(SYS_setgroups, 0, NULL) < 0 ||
	    syscall(SYS_setresgid, command->gid, command->gid, command->gid) <
		    0 ||
	    syscall(SYS_setresuid, command->uid, command->uid, command->uid) < 0)
		return -1;
	return 0;
}

static int child_main(void *arg)
{
	struct birth *birth = arg;
	const struct probe_command_args *args = birth->command->args;

	birth->failed = "process group";
	if (setpgid(0, 0) < 0)
		goto failed;
	birth->failed = "user";
	if (child_become(birth->command) < 0)
		goto failed;
	birth->failed = "descriptors";
	if (dup2(birth->null, STDIN_FILENO) < 0 ||
	    dup2(birth->output, STDOUT_FILENO) < 0 ||
	    dup2(birth->output, STDERR_FILENO) < 0)
		goto failed;
	birth->failed = launcher;
	execve(launcher, args->argv, args->envp);
failed:
	birth->error = errno;
	return LAUNCH_FAILED_STATUS;
}

static int killer_main(void *arg)
{
	const struct command *command = arg;

	if (child_become(command) == 0)
		kill(-command->pid, SIGKILL);
	return 0;
}

/*
 * A child that runs `fn` in our memory; we go on when it has executed another
 * program or ended. Handlers of ours must not run in it: no signals.
 *
 * `fn` returns its exit status: before a call of _exit(), AddressSanitizer
 * looks at what it takes for our stack, and reports the child's.
 */
static pid_t child_make(int (*fn)(void *arg), void *arg, int *pidfd)
{
	static char stack[CHILD_STACK] __attribute__((aligned(16)));
	int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
	sigset_t all, old;
	pid_t pid;
	int err;

	if (pidfd)
		flags |= CLONE_PIDFD;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = clone(fn, stack + sizeof(stack), flags, arg, pidfd, NULL, NULL);
	err = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = err;
	return pid;
}

/* The leader is not reaped yet, so the group's number is nobody else's. */
static void group_kill(struct command *command)
{
	pid_t pid;

	if (kill(-command->pid, SIGKILL) == 0 || errno != EPERM)
		return;
	/* Another user's, and we have no CAP_KILL: as that user. */
	frr_with_privs (&cluster_privs) {
		pid = child_make(killer_main, command, NULL);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0); /* it has ended already */
}

static void output_close(struct command *command)
{
	if (command->output.fd < 0)
		return;
	probe_io_del(&command->output);
	close(command->output.fd);
	command->output.fd = -1;
}

static void command_free(struct command *command)
{
	output_close(command);
	if (command->exited.fd >= 0) {
		probe_io_del(&command->exited);
		close(command->exited.fd);
	}
	if (command->check && command->check->keep == command)
		command->check->keep = NULL;
	XFREE(MTYPE_PROBE_COMMAND, command->args);
	XFREE(MTYPE_PROBE_COMMAND, command);
}

/* Returns false at the end of the output. */
static bool output_read(struct command *command)
{
	char buf[4096];
	size_t total = 0;

	while (total < DRAIN_MAX) {
		ssize_t n = read(command->output.fd, buf, sizeof(buf));
		size_t keep = sizeof(command->text) - command->n_text;

		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		if (keep > (size_t)n)
			keep = n;
		memcpy(command->text + command->n_text, buf, keep);
		command->n_text += keep;
		total += n;
	}
	return true;
}

static void output_ready(struct probe_fd *pfd, uint32_t events)
{
	struct command *command = container_of(pfd, struct command, output);

	if (!output_read(command))
		output_close(command);
}

static void exited_ready(struct probe_fd *pfd, uint32_t events)
{
	struct command *command = container_of(pfd, struct command, exited);
	struct probe_check *check = command->check;
	bool killed = command->killed;
	int64_t rtt_us = cluster_now_us() - command->started_us;
	char detail[PROBE_DETAIL_LEN] = "";
	enum probe_result result;
	int status = 0;

	if (command->output.fd >= 0)
		output_read(command);
	group_kill(command);
	if (waitpid(command->pid, &status, WNOHANG) != command->pid)
		return;
	result = probe_command_result(WIFEXITED(status) ? WEXITSTATUS(status)
							: 0,
				      WIFSIGNALED(status) ? WTERMSIG(status) : 0,
				      command->text, command->n_text, detail,
				      sizeof(detail));
	commands_del(&running, command);
	if (check && !killed)
		check->state = NULL;
	command_free(command);
	spawn_soon();
	if (check && !killed)
		finish(check, result, rtt_us, detail);
}

/* ------------------------------------------------------------------------ */
/* Beginning                                                                */

/*
 * /etc/passwd and not getpwnam(), which may ask the network. -1: `why` gets a
 * text, and errno is set.
 */
static int user_find(struct command *command, char *why, size_t why_len)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry;
	int found = -1;

	snprintf(why, why_len, "user %s is not in /etc/passwd", command->user);
	if (!file)
		return -1;
	while (found < 0 && (entry = fgetpwent(file))) {
		if (!strmatch(entry->pw_name, command->user))
			continue;
		command->uid = entry->pw_uid;
		command->gid = entry->pw_gid;
		found = 0;
	}
	fclose(file);
	errno = found ? ENOENT : EPERM;
	if (found == 0 && (command->uid == 0 || command->gid == 0)) {
		snprintf(why, why_len, "user %s is root, or of root's group",
			 command->user);
		return -1;
	}
	return found;
}

/* In the VRF's network namespace, if it has one; privileges are raised. */
static pid_t clone_in_vrf(struct birth *birth, vrf_id_t vrf_id, int *pidfd)
{
	pid_t pid;
	int err;

	if (vrf_id == VRF_DEFAULT)
		return child_make(child_main, birth, pidfd);
	if (vrf_switch_to_netns(vrf_id) < 0) {
		birth->failed = "namespace of the VRF";
		return -1;
	}
	pid = child_make(child_main, birth, pidfd);
	err = errno;
	if (vrf_switchback_to_initial() < 0)
		flog_err(EC_CLUSTER_SYSTEM,
			 "can't return from the namespace of VRF %s: %m",
			 birth->command->vrf);
	errno = err;
	return pid;
}

/* Takes over `output`, the end of the pipe that we read.  0, or -1: `why`. */
static int command_clone(struct command *command, struct birth *birth,
			 int output, char *why, size_t why_len)
{
	vrf_id_t vrf_id = probe_io_vrf_id(command->vrf, why, why_len);
	bool privileged = vrf_id != VRF_DEFAULT || command->user[0];
	int pidfd = -1;
	pid_t pid = -1;
	int err = 0;

	command->output.fd = output;
	if (vrf_id == VRF_UNKNOWN)
		return -1;
	birth->failed = "clone";
	frr_with_privs (privileged ? &cluster_privs : NULL) {
		pid = clone_in_vrf(birth, vrf_id, &pidfd);
		err = errno;
	}
	if (pid > 0 && birth->error) {
		err = birth->error;
		waitpid(pid, NULL, 0); /* it has ended already */
		close(pidfd);
		pid = -1;
	}
	if (pid < 0) {
		snprintf(why, why_len, "%s: %s", birth->failed,
			 safe_strerror(err));
		errno = err;
		return -1;
	}
	command->pid = pid;
	command->exited.fd = pidfd;
	return 0;
}

static int command_begin(struct command *command, char *why, size_t why_len)
{
	struct birth birth = { .command = command };
	int pipe_fd[2];
	int ret;

	if (command->user[0] && user_find(command, why, why_len) < 0)
		return -1;
	birth.null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (birth.null < 0 || pipe2(pipe_fd, O_CLOEXEC) < 0) {
		snprintf(why, why_len, "descriptors: %s", safe_strerror(errno));
		if (birth.null >= 0)
			close(birth.null);
		return -1;
	}
	/* Only our end: a command need not know of EAGAIN. */
	fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK);
	birth.output = pipe_fd[1];
	ret = command_clone(command, &birth, pipe_fd[0], why, why_len);
	close(birth.null);
	close(pipe_fd[1]);
	return ret;
}

static void command_spawn(struct command *command)
{
	struct probe_check *check = command->check;
	char why[PROBE_DETAIL_LEN];
	int err;

	command->started_us = cluster_now_us();
	if (command_begin(command, why, sizeof(why)) < 0) {
		err = errno;
		check->state = NULL;
		command_free(command);
		if (check->done)
			finish(check, PROBE_LOCAL, -1, why);
		else
			probe_check_unsent(check, err, why);
		return;
	}
	XFREE(MTYPE_PROBE_COMMAND, command->args);
	commands_add_tail(&running, command);
	/* Can't fail but for memory; then the time-out ends it. */
	(void)probe_io_add(&command->exited, command->exited.fd, EPOLLIN,
			   exited_ready);
	(void)probe_io_add(&command->output, command->output.fd, EPOLLIN,
			   output_ready);
}

static void spawn(struct event *event)
{
	struct command *command;

	for (int i = 0; i < SPAWN_BURST; i++) {
		if (commands_count(&running) >= PROBE_COMMANDS_MAX)
			return;
		command = commands_pop(&queue);
		if (!command)
			return;
		command_spawn(command);
	}
	spawn_soon();
}

static void spawn_soon(void)
{
	if (commands_count(&queue) &&
	    commands_count(&running) < PROBE_COMMANDS_MAX)
		event_add_event(cluster_master, spawn, NULL, 0, &t_spawn);
}

/* ------------------------------------------------------------------------ */
/* The type                                                                 */

static const char *launcher_beside_us(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return COMMAND_LAUNCHER;
	strlcpy(slash + 1, COMMAND_LAUNCHER, path + sizeof(path) - (slash + 1));
	return path;
}

static void probe_command_start(struct probe_check *check,
				const struct probe_config *config,
				const char *vrf, const struct ipaddr *target)
{
	const struct command *last = check->keep;
	struct command *command;
	char why[PROBE_DETAIL_LEN];

	if (last) {
		snprintf(why, sizeof(why),
			 "the last run was killed and hasn't ended yet: process %d",
			 (int)last->pid);
		finish(check, PROBE_LOCAL, -1, why);
		return;
	}
	if (!launcher)
		launcher = launcher_beside_us();
	command = XCALLOC(MTYPE_PROBE_COMMAND, sizeof(*command));
	command->check = check;
	command->exited.fd = command->output.fd = -1;
	strlcpy(command->vrf, vrf, sizeof(command->vrf));
	strlcpy(command->user, config->user, sizeof(command->user));
	command->args = XCALLOC(MTYPE_PROBE_COMMAND, sizeof(*command->args));
	probe_command_args(command->args, check->name, config, vrf, target,
			   getpid());
	command->deadline_us = cluster_now_us() +
			       INT64_C(1000) * probe_config_timeout_ms(config);
	check->state = command;
	commands_add_tail(&queue, command);
	spawn_soon();
}

/* It was cancelled before it was begun. */
static void unqueue(struct command *command)
{
	bool timed_out = cluster_now_us() >= command->deadline_us;

	commands_del(&queue, command);
	command_free(command);
	if (timed_out && starved++ == 0)
		flog_warn(EC_CLUSTER_COMMANDS,
			  "a command timed out before it could be started: %d are running; see `show cluster summary`",
			  PROBE_COMMANDS_MAX);
}

static void probe_command_cancel(struct probe_check *check)
{
	struct command *command = check->state;

	check->state = NULL;
	if (!command->pid) {
		unqueue(command);
		return;
	}
	command->killed = true;
	check->keep = command;
	output_close(command);
	group_kill(command);
}

static void probe_command_release(struct probe_check *check)
{
	struct command *command = check->keep;

	if (!command)
		return;
	command->check = NULL;
	check->keep = NULL;
}

static void probe_command_fini(void)
{
	struct command *command;

	cluster_event_off(t_spawn);
	while ((command = commands_pop(&running))) {
		/* It was killed; if it isn't dead yet, init reaps it. */
		waitpid(command->pid, NULL, WNOHANG);
		command_free(command);
	}
}

void probe_command_counts(struct probe_command_counts *counts)
{
	counts->running = commands_count(&running);
	counts->waiting = commands_count(&queue);
	counts->starved = starved;
}

void probe_command_launcher(const char *path)
{
	launcher = path;
}

const struct probe_type probe_type_command = {
	.start = probe_command_start,
	.cancel = probe_command_cancel,
	.release = probe_command_release,
	.fini = probe_command_fini,
};
