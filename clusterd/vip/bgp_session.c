// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include <sys/stat.h>
#include <sys/un.h>

#include "network.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "vip/bgp_session.h"

/* What one event reads at most: others have their turn, too. */
#define READ_MAX (256 * 1024)

void bgp_session_close(struct bgp_session *session)
{
	cluster_event_off(session->t_read);
	cluster_event_off(session->t_write);
	cluster_event_off(session->t_closed);
	bgp_reply_clear(&session->reply);
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
}

static void session_lost(struct bgp_session *session)
{
	bgp_session_close(session);
	session->lost(session);
}

/* Later: not from within what its user is doing. */
static void closed(struct event *event)
{
	session_lost(EVENT_ARG(event));
}

static void readable(struct event *event);

static void read_again(struct bgp_session *session)
{
	event_add_read(cluster_master, readable, session, session->fd,
		       &session->t_read);
}

static void readable(struct event *event)
{
	static char buf[READ_MAX];
	struct bgp_session *session = EVENT_ARG(event);
	ssize_t n = read(session->fd, buf, sizeof(buf));
	enum bgp_reply_result result;
	struct bgp_reply done;

	if (n < 0 && ERRNO_IO_RETRY(errno)) {
		read_again(session);
		return;
	}
	if (n <= 0) {
		session_lost(session);
		return;
	}
	result = bgp_reply_feed(&session->reply, buf, (size_t)n);
	if (result == BGP_REPLY_BAD) {
		VIP_DEBUG("bgpd: not an answer to one command");
		session_lost(session);
		return;
	}
	read_again(session);
	if (result == BGP_REPLY_MORE)
		return;
	/* Its user sends the next command, or closes, or is gone afterwards. */
	done = session->reply;
	memset(&session->reply, 0, sizeof(session->reply));
	session->answer(session, done.data, done.status);
	bgp_reply_clear(&done);
}

static void writable(struct event *event);

static void session_write(struct bgp_session *session)
{
	ssize_t n = send(session->fd, session->command + session->command_sent,
			 session->command_len - session->command_sent,
			 MSG_NOSIGNAL);

	if (n < 0 && !ERRNO_IO_RETRY(errno)) {
		event_add_event(cluster_master, closed, session, 0,
				&session->t_closed);
		return;
	}
	if (n > 0)
		session->command_sent += (size_t)n;
	if (session->command_sent < session->command_len)
		event_add_write(cluster_master, writable, session, session->fd,
				&session->t_write);
}

static void writable(struct event *event)
{
	session_write(EVENT_ARG(event));
}

void bgp_session_send(struct bgp_session *session, const char *command)
{
	VIP_DEBUG("bgpd: %s", command);
	session->command_len =
		strlcpy(session->command, command, sizeof(session->command)) + 1;
	if (session->command_len > sizeof(session->command))
		session->command_len = sizeof(session->command);
	session->command_sent = 0;
	session_write(session);
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

bool bgp_session_open(struct bgp_session *session, int64_t *since_us)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	/* Longer than a socket's path: bgpd couldn't have bound it either. */
	if (snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/bgpd.vty",
		     frr_runstatedir) >= (int)sizeof(sun.sun_path))
		return false;
	session->fd = socket(AF_UNIX,
			     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (session->fd < 0)
		return false;
	if (connect(session->fd, (struct sockaddr *)&sun, sizeof(sun)) != 0) {
		bgp_session_close(session);
		return false;
	}
	if (since_us)
		*since_us = file_since_us(sun.sun_path, cluster_now_us());
	read_again(session);
	return true;
}
