// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The keeper's session at bgpd's vty: a Unix socket in FRR's vty folder, as
 * vtysh uses it.  A command ends with a NUL; bgp_reply.h tells of the answer.
 * One command is on its way at a time, so that nothing has to be queued.
 */
#include "cluster_compat.h"

#include <sys/stat.h>
#include <sys/un.h>

#include "memory.h"
#include "network.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "vip/bgp_reply.h"
#include "vip/bgp_vty.h"

/* What one event reads at most: others have their turn, too. */
#define READ_MAX (256 * 1024)

static struct bgp_keeper *keeper;
static struct bgp_keeper_ops ops;
static struct event *t_read, *t_write, *t_timer, *t_closed;
static int fd = -1;
static struct bgp_reply reply;
static char command[BGP_MAP_COMMAND_LEN];
static size_t command_len, command_sent;

static void session_close(void)
{
	cluster_event_off(t_read);
	cluster_event_off(t_write);
	cluster_event_off(t_closed);
	bgp_reply_clear(&reply);
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static void session_lost(void)
{
	session_close();
	bgp_keeper_closed(keeper, cluster_now_us());
}

/* Later: not from within what the keeper is doing. */
static void closed(struct event *event)
{
	session_lost();
}

static void readable(struct event *event);

static void session_read(void)
{
	static char buf[READ_MAX];
	enum bgp_reply_result result;
	ssize_t n = read(fd, buf, sizeof(buf));
	struct bgp_reply done;

	if (n < 0 && ERRNO_IO_RETRY(errno)) {
		event_add_read(cluster_master, readable, NULL, fd, &t_read);
		return;
	}
	if (n <= 0) {
		session_lost();
		return;
	}
	result = bgp_reply_feed(&reply, buf, (size_t)n);
	if (result == BGP_REPLY_BAD) {
		VIP_DEBUG("bgpd: not an answer to one command");
		session_lost();
		return;
	}
	event_add_read(cluster_master, readable, NULL, fd, &t_read);
	if (result == BGP_REPLY_MORE)
		return;
	/* The keeper sends the next command, or closes. */
	done = reply;
	memset(&reply, 0, sizeof(reply));
	bgp_keeper_hold(keeper, cluster_sched_held());
	bgp_keeper_answer(keeper, done.data, done.status, cluster_now_us());
	bgp_reply_clear(&done);
}

static void readable(struct event *event)
{
	session_read();
}

static void writable(struct event *event);

static void session_write(void)
{
	ssize_t n = send(fd, command + command_sent, command_len - command_sent,
			 MSG_NOSIGNAL);

	if (n < 0 && !ERRNO_IO_RETRY(errno)) {
		event_add_event(cluster_master, closed, NULL, 0, &t_closed);
		return;
	}
	if (n > 0)
		command_sent += (size_t)n;
	if (command_sent < command_len)
		event_add_write(cluster_master, writable, NULL, fd, &t_write);
}

static void writable(struct event *event)
{
	session_write();
}

static void op_send(const char *line)
{
	VIP_DEBUG("bgpd: %s", line);
	command_len = strlcpy(command, line, sizeof(command)) + 1;
	if (command_len > sizeof(command))
		command_len = sizeof(command);
	command_sent = 0;
	session_write();
}

/* When a file was made, on the monotonic clock. */
static int64_t file_since_us(const char *path, int64_t now_us)
{
	struct stat st;
	struct timespec now;
	int64_t age_us;

	if (stat(path, &st) != 0)
		return now_us;
	clock_gettime(CLOCK_REALTIME, &now);
	age_us = (now.tv_sec - st.st_ctim.tv_sec) * 1000000LL +
		 (now.tv_nsec - st.st_ctim.tv_nsec) / 1000;
	return age_us > 0 ? now_us - age_us : now_us;
}

static bool op_connect(int64_t *since_us)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	/* Longer than a socket's path: bgpd couldn't have bound it either. */
	if (snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/bgpd.vty",
		     frr_runstatedir) >= (int)sizeof(sun.sun_path))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) != 0) {
		session_close();
		return false;
	}
	*since_us = file_since_us(sun.sun_path, cluster_now_us());
	event_add_read(cluster_master, readable, NULL, fd, &t_read);
	return true;
}

static void timer_due(struct event *event)
{
	bgp_keeper_hold(keeper, cluster_sched_held());
	bgp_keeper_timer(keeper, cluster_now_us());
}

static void op_timer(int64_t at_us)
{
	int64_t wait_us = at_us - cluster_now_us();

	cluster_event_off(t_timer);
	event_add_timer_msec(cluster_master, timer_due, NULL,
			     wait_us > 0 ? (wait_us + 999) / 1000 : 0, &t_timer);
}

struct bgp_keeper *bgp_vty_start(void (*changed)(void))
{
	ops.connect = op_connect;
	ops.send = op_send;
	ops.close = session_close;
	ops.timer = op_timer;
	ops.changed = changed;
	keeper = bgp_keeper_new(&ops);
	return keeper;
}

void bgp_vty_stop(void)
{
	cluster_event_off(t_timer);
	session_close();
	bgp_keeper_free(&keeper);
}
