// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hold: the sockets and timers of held connections; what they mean is in
 * probe_hold.c.
 *
 * It is a plain TCP connection, for http and https as well, over which nothing
 * is sent, and from which nothing is read: EPOLLRDHUP tells of a FIN behind
 * whatever a talkative service says, and costs nothing until then.  Keep-alive
 * probes find out what says nothing any more.
 */
#include "cluster_compat.h"

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "clusterd.h"
#include "cluster_debug.h"
#include "cluster_errors.h"
#include "core/cluster_sched.h"
#include "probe/probe_hold_io.h"
#include "probe/probe_io.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_HELD, "Held connection");

/* Of the descriptors that the daemon may open: checks need theirs. */
#define HELD_SHARE 2

PREDECL_HEAP(helds_timed);
PREDECL_DLIST(helds);

struct probe_held {
	struct helds_item item;
	struct helds_timed_item timer;
	bool timed;
	int64_t at_us;

	struct probe_instance *instance;
	struct probe_hold hold;
	struct probe_fd pfd;
	int fd;			     /* -1: no socket */
	char last[PROBE_DETAIL_LEN]; /* how the last one ended */

	/* What it is connected to. */
	uint16_t port;
	struct ipaddr source;
	char ifname[PROBE_IFNAME_LEN];
};

static int held_cmp(const struct probe_held *a, const struct probe_held *b)
{
	return a->at_us < b->at_us ? -1 : a->at_us > b->at_us;
}
DECLARE_HEAP(helds_timed, struct probe_held, timer, held_cmp);
DECLARE_DLIST(helds, struct probe_held, item);

static struct {
	bool ready;
	struct helds_head all;
	struct helds_timed_head timed;
	struct probe_timer timer;
	size_t sockets, limit;
} pool;

static void held_event(struct probe_held *held, enum probe_hold_event event);

/* ------------------------------------------------------------------------ */
/* Sockets                                                                  */

static void held_close(struct probe_held *held)
{
	if (held->fd < 0)
		return;
	probe_io_del(&held->pfd);
	probe_io_tcp_close(held->fd);
	held->fd = -1;
	pool.sockets--;
}

/* Why a socket is ready; false: for nothing that ends it. */
static bool held_ended(struct probe_held *held, uint32_t events)
{
	socklen_t len = sizeof(int);
	int err = 0;

	held->last[0] = '\0';
	if (events & (EPOLLERR | EPOLLHUP)) {
		err = probe_io_icmp_error(held->fd, held->last,
					  sizeof(held->last));
		if (err)
			return true;
		if (getsockopt(held->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
			err = errno;
		if (err) {
			strlcpy(held->last, safe_strerror(err),
				sizeof(held->last));
			return true;
		}
	}
	if (!(events & (EPOLLRDHUP | EPOLLHUP)))
		return false;
	strlcpy(held->last, "closed by the service", sizeof(held->last));
	return true;
}

static void held_ready(struct probe_fd *pfd, uint32_t events)
{
	struct probe_held *held = container_of(pfd, struct probe_held, pfd);

	if (held_ended(held, events)) {
		held_event(held, PROBE_HOLD_LOST);
	} else if (events & EPOLLOUT) {
		probe_io_modify(pfd, EPOLLRDHUP);
		held_event(held, PROBE_HOLD_CONNECTED);
	}
}

/* In 30 s to a minute; see the head of this file. */
static void held_keepalive(int fd)
{
	static const int on = 1, idle_s = 30, interval_s = 10, count = 3;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s,
		   sizeof(interval_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

/* The errno of an attempt that has ended at once, or 0. */
static int held_dial(struct probe_held *held)
{
	const struct ipaddr *target = probe_instance_target(held->instance);
	union sockunion su;
	socklen_t len = probe_io_sockaddr(&su, target, held->port);

	if (connect(held->fd, &su.sa, len) < 0 && errno != EINPROGRESS)
		return errno;
	return probe_io_add(&held->pfd, held->fd, EPOLLOUT | EPOLLRDHUP,
			    held_ready) < 0
		       ? errno
		       : 0;
}

static void held_connect(struct probe_held *held)
{
	const struct probe_config *config =
		probe_instance_config(held->instance);
	int err;

	held->port = probe_config_port(config);
	held->source = config->source;
	strlcpy(held->ifname, config->ifname, sizeof(held->ifname));

	if (pool.sockets >= pool.limit) {
		snprintf(held->last, sizeof(held->last),
			 "limit of %zu connections reached, of all open files",
			 pool.limit);
		held_event(held, PROBE_HOLD_LOCAL);
		return;
	}
	held->fd = probe_io_socket(ipaddr_family(probe_instance_target(
					   held->instance)),
				   SOCK_STREAM, IPPROTO_TCP,
				   probe_instance_vrf(held->instance),
				   held->ifname, &held->source, held->last,
				   sizeof(held->last));
	if (held->fd < 0) {
		held_event(held, PROBE_HOLD_LOCAL);
		return;
	}
	pool.sockets++;
	held_keepalive(held->fd);
	err = held_dial(held);
	if (!err)
		return;
	strlcpy(held->last, safe_strerror(err), sizeof(held->last));
	held_event(held,
		   err == ECONNREFUSED ? PROBE_HOLD_LOST : PROBE_HOLD_LOCAL);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                   */

static void held_arm(void)
{
	const struct probe_held *first = helds_timed_first(&pool.timed);

	probe_io_timer_set(&pool.timer, first ? first->at_us : INT64_MAX);
}

static void held_timer(struct probe_held *held, int64_t at_us)
{
	if (held->timed && held->at_us == at_us)
		return;
	if (held->timed)
		helds_timed_del(&pool.timed, held);
	held->timed = at_us != 0;
	held->at_us = at_us;
	if (held->timed)
		helds_timed_add(&pool.timed, held);
	held_arm();
}

static void held_event(struct probe_held *held, enum probe_hold_event event)
{
	struct probe_instance *instance = held->instance;
	const struct probe_config *config = probe_instance_config(instance);
	enum probe_hold_state was = held->hold.state;
	unsigned int todo;

	todo = probe_hold_event(&held->hold, event, cluster_now_us(),
				INT64_C(1000) * probe_config_timeout_ms(config));
	if (event == PROBE_HOLD_TIMER && was == PROBE_HOLD_CONNECTING &&
	    (todo & PROBE_HOLD_DO_CLOSE))
		strlcpy(held->last, "timeout", sizeof(held->last));
	if (held->hold.state != was)
		PROBE_DEBUG("probe %s of %pIA in VRF %s: connection %s%s%s",
			    probe_def_name(probe_instance_def(instance)),
			    probe_instance_target(instance),
			    probe_instance_vrf(instance),
			    probe_hold_state_str(held->hold.state),
			    todo & PROBE_HOLD_DO_CLOSE ? ": " : "",
			    todo & PROBE_HOLD_DO_CLOSE ? held->last : "");
	held_timer(held, held->hold.at_us);
	if (todo & PROBE_HOLD_DO_CLOSE)
		held_close(held);
	if (todo & PROBE_HOLD_DO_CONNECT)
		held_connect(held);
	if (todo & PROBE_HOLD_DO_CHECK)
		probe_instance_now(instance);
}

static void held_due(struct probe_timer *timer)
{
	struct probe_held *held;

	while ((held = helds_timed_first(&pool.timed)) &&
	       held->at_us <= cluster_now_us())
		held_event(held, PROBE_HOLD_TIMER);
	held_arm();
}

/* ------------------------------------------------------------------------ */

static bool held_init(void)
{
	struct rlimit files = { .rlim_cur = 1024 };

	if (pool.ready)
		return true;
	if (probe_io_timer_add(&pool.timer, false, held_due) < 0) {
		flog_err(EC_CLUSTER_SYSTEM, "timerfd: %m");
		return false;
	}
	getrlimit(RLIMIT_NOFILE, &files);
	pool.limit = files.rlim_cur / HELD_SHARE;
	helds_init(&pool.all);
	helds_timed_init(&pool.timed);
	pool.ready = true;
	return true;
}

bool probe_held_wanted(const struct probe_instance *instance)
{
	const struct probe_config *config = probe_instance_config(instance);

	switch (probe_config_type(config)) {
	case PROBE_TYPE_TCP:
	case PROBE_TYPE_HTTP:
	case PROBE_TYPE_HTTPS:
		return config->hold;
	default:
		return false;
	}
}

void probe_held_passed(struct probe_held **heldp,
		       struct probe_instance *instance)
{
	struct probe_held *held = *heldp;

	if (!held) {
		if (!held_init())
			return;
		held = XCALLOC(MTYPE_PROBE_HELD, sizeof(*held));
		held->instance = instance;
		held->fd = -1;
		helds_add_tail(&pool.all, held);
		*heldp = held;
	}
	held_event(held, PROBE_HOLD_PASSED);
}

void probe_held_down(struct probe_held *held)
{
	if (held)
		held_event(held, PROBE_HOLD_DOWN);
}

void probe_held_free(struct probe_held **heldp)
{
	struct probe_held *held = *heldp;

	if (!held)
		return;
	held_close(held);
	held_timer(held, 0);
	helds_del(&pool.all, held);
	XFREE(MTYPE_PROBE_HELD, *heldp);
}

static bool held_stale(const struct probe_held *held)
{
	const struct probe_config *config =
		probe_instance_config(held->instance);

	return !probe_held_wanted(held->instance) ||
	       probe_instance_phase(held->instance) == PROBE_STOPPED ||
	       held->port != probe_config_port(config) ||
	       ipaddr_cmp(&held->source, &config->source) != 0 ||
	       !strmatch(held->ifname, config->ifname);
}

void probe_held_review(void)
{
	struct probe_held *held;

	if (!pool.ready)
		return;
	frr_each (helds, &pool.all, held) {
		if (!held_stale(held))
			continue;
		held->last[0] = '\0';
		held_event(held, PROBE_HOLD_STOP);
	}
}

void probe_held_view(const struct probe_held *held, struct probe_held_view *view)
{
	memset(view, 0, sizeof(*view));
	if (!held)
		return;
	view->hold = held->hold;
	strlcpy(view->last, held->last, sizeof(view->last));
}

void probe_held_fini(void)
{
	if (!pool.ready)
		return;
	probe_io_timer_del(&pool.timer);
	helds_timed_fini(&pool.timed);
	helds_fini(&pool.all);
	memset(&pool, 0, sizeof(pool));
}
