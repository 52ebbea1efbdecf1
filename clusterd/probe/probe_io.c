// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include <linux/errqueue.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "clusterd.h"
#include "cluster_errors.h"
#include "core/cluster_sched.h"
#include "core/cluster_vrf.h"
#include "probe/probe_io.h"

/*
 * Bounds the work of one wake-up, so that zebra's messages and the CLI get
 * their turn: the set stays readable when more is waiting.
 */
#define PROBE_IO_BATCH 64

/* How often patient timers may be put off in favour of sockets. */
#define PROBE_IO_DEFER 32

static struct {
	struct event_loop *loop;
	struct event *t_read;
	int epfd;
	/* What is being dispatched: deleted ones are struck out. */
	struct epoll_event batch[PROBE_IO_BATCH];
	int n_batch;
	bool dispatching;
	bool more;
	unsigned int deferred;
	struct probe_timer *unsettled;
} pio = { .epfd = -1 };

int probe_io_add(struct probe_fd *pfd, int fd, uint32_t events,
		 void (*ready)(struct probe_fd *pfd, uint32_t events))
{
	struct epoll_event ev = { .events = events, .data.ptr = pfd };

	if (epoll_ctl(pio.epfd, EPOLL_CTL_ADD, fd, &ev) < 0)
		return -1;
	pfd->fd = fd;
	pfd->events = events;
	pfd->ready = ready;
	pfd->spent = false;
	pfd->watched = true;
	return 0;
}

int probe_io_modify(struct probe_fd *pfd, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = pfd };

	if (pfd->events == events && !pfd->spent)
		return 0;
	if (epoll_ctl(pio.epfd, EPOLL_CTL_MOD, pfd->fd, &ev) < 0)
		return -1;
	pfd->events = events;
	pfd->spent = false;
	return 0;
}

void probe_io_del(struct probe_fd *pfd)
{
	if (!pfd->watched)
		return;
	/*
	 * Not left to close(): a forked child that shares the socket would
	 * keep it in the set, with a pointer to what is freed by now.  One that
	 * is spent is silent for good, and a call cheaper.
	 */
	if (!pfd->spent)
		epoll_ctl(pio.epfd, EPOLL_CTL_DEL, pfd->fd, NULL);
	pfd->watched = false;
	for (int i = 0; i < pio.n_batch; i++)
		if (pio.batch[i].data.ptr == pfd)
			pio.batch[i].data.ptr = NULL;
}

void probe_io_more(void)
{
	pio.more = true;
}

/* Returns whether there was something to dispatch. */
static bool probe_io_dispatch(bool patient)
{
	bool any = false;

	for (int i = 0; i < pio.n_batch; i++) {
		struct probe_fd *pfd = pio.batch[i].data.ptr;

		if (pfd && pfd->patient == patient) {
			any = true;
			pfd->spent = pfd->events & EPOLLONESHOT;
			pfd->ready(pfd, pio.batch[i].events);
		}
	}
	return any;
}

/* Tells the kernel what a timer is set to. */
static void probe_io_timer_settle(struct probe_timer *timer)
{
	struct itimerspec its = {};
	int64_t at_us = timer->at_us;

	if (timer->armed_us == at_us)
		return;
	timer->armed_us = at_us;
	if (at_us != INT64_MAX) {
		/* All zero would disarm. */
		if (at_us < 1)
			at_us = 1;
		its.it_value.tv_sec = at_us / 1000000;
		its.it_value.tv_nsec = at_us % 1000000 * 1000;
	}
	timerfd_settime(timer->pfd.fd, TFD_TIMER_ABSTIME, &its, NULL);
}

static void probe_io_timers_settle(void)
{
	struct probe_timer *timer;

	while ((timer = pio.unsettled)) {
		pio.unsettled = timer->unsettled;
		timer->is_unsettled = false;
		probe_io_timer_settle(timer);
	}
}

/* Deals with what is ready.  Returns whether patient timers were due. */
static bool probe_io_batch(void)
{
	bool patient = false;

	pio.n_batch = epoll_wait(pio.epfd, pio.batch, PROBE_IO_BATCH, 0);
	pio.more = pio.n_batch == PROBE_IO_BATCH;
	probe_io_dispatch(false);
	if (!pio.more || ++pio.deferred > PROBE_IO_DEFER) {
		pio.deferred = 0;
		patient = probe_io_dispatch(true);
	}
	pio.n_batch = 0;
	return patient;
}

static void probe_io_read(struct event *event)
{
	event_add_read(pio.loop, probe_io_read, NULL, pio.epfd, &pio.t_read);
	cluster_loop_stay_asleep(pio.loop);

	pio.dispatching = true;
	/*
	 * Looks once more after a timer: what it started may have an answer
	 * already, and that costs less here than by another wake-up.
	 */
	if (probe_io_batch()) {
		/* It would be seen again: nobody has read it. */
		probe_io_timers_settle();
		probe_io_batch();
	}
	pio.dispatching = false;
	probe_io_timers_settle();
}

/*
 * The expiration isn't read: setting the timer anew, which follows in the same
 * wake-up, clears it.
 */
static void probe_io_timer_ready(struct probe_fd *pfd, uint32_t events)
{
	struct probe_timer *timer = container_of(pfd, struct probe_timer, pfd);
	int64_t at_us = timer->at_us;
	bool due = at_us <= cluster_now_us();

	timer->armed_us = INT64_MIN;
	/* Not due: put off in this wake-up, which the kernel didn't know yet. */
	probe_io_timer_set(timer, due ? INT64_MAX : at_us);
	if (due)
		timer->due(timer);
}

int probe_io_timer_add(struct probe_timer *timer, bool patient,
		       void (*due)(struct probe_timer *timer))
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (probe_io_add(&timer->pfd, fd, EPOLLIN, probe_io_timer_ready) < 0) {
		close(fd);
		return -1;
	}
	timer->pfd.patient = patient;
	timer->at_us = INT64_MAX;
	timer->armed_us = INT64_MAX;
	timer->is_unsettled = false;
	timer->due = due;
	return 0;
}

void probe_io_timer_set(struct probe_timer *timer, int64_t at_us)
{
	timer->at_us = at_us;
	if (timer->is_unsettled || !timer->pfd.watched)
		return;
	if (!pio.dispatching) {
		probe_io_timer_settle(timer);
		return;
	}
	timer->is_unsettled = true;
	timer->unsettled = pio.unsettled;
	pio.unsettled = timer;
}

void probe_io_timer_del(struct probe_timer *timer)
{
	if (!timer->pfd.watched)
		return;
	probe_io_del(&timer->pfd);
	close(timer->pfd.fd);
}

socklen_t probe_io_sockaddr(union sockunion *su, const struct ipaddr *addr,
			    uint16_t port)
{
	memset(su, 0, sizeof(*su));
	if (IS_IPADDR_V4(addr)) {
		su->sin.sin_family = AF_INET;
		su->sin.sin_addr = addr->ipaddr_v4;
		su->sin.sin_port = htons(port);
		return sizeof(su->sin);
	}
	su->sin6.sin6_family = AF_INET6;
	su->sin6.sin6_addr = addr->ipaddr_v6;
	su->sin6.sin6_port = htons(port);
	return sizeof(su->sin6);
}

static int probe_io_bind_device(int fd, const char *ifname, char *why,
				size_t why_len)
{
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, ifname,
		       strlen(ifname) + 1) == 0)
		return 0;
	snprintf(why, why_len, "interface %s: %s", ifname, safe_strerror(errno));
	return -1;
}

static int probe_io_bind_source(int fd, int type, const struct ipaddr *source,
				char *why, size_t why_len)
{
	union sockunion su;
	socklen_t len = probe_io_sockaddr(&su, source, 0);
	int on = 1;

	/*
	 * The port is chosen by connect(), which knows the target: otherwise
	 * all targets of a source would share one range of ports.
	 */
	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on,
			   sizeof(on));
	if (bind(fd, &su.sa, len) == 0)
		return 0;
	snprintfrr(why, why_len, "source %pIA: %s", source,
		   safe_strerror(errno));
	return -1;
}

/* For probe_io_icmp_error(). */
static void probe_io_queue_errors(int fd, int family)
{
	int on = 1;

	if (family == AF_INET)
		setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
	else
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on));
}

/* NULL: there is none now; `why` gets a text. */
static const struct vrf *vrf_of_name(const char *name, char *why, size_t why_len)
{
	const struct vrf *vrf;

	if (strmatch(name, "default"))
		vrf = vrf_lookup_by_id(VRF_DEFAULT);
	else
		vrf = vrf_lookup_by_name(name);
	if (vrf && vrf->vrf_id != VRF_UNKNOWN)
		return vrf;
	snprintf(why, why_len, "no such VRF: %s", name);
	errno = ENODEV;
	return NULL;
}

vrf_id_t probe_io_vrf_id(const char *name, char *why, size_t why_len)
{
	const struct vrf *vrf = vrf_of_name(name, why, why_len);

	return vrf ? vrf->vrf_id : VRF_UNKNOWN;
}

int probe_io_socket(int family, int type, int protocol, const char *vrf_name,
		    const char *ifname, const struct ipaddr *source, char *why,
		    size_t why_len)
{
	bool privileged;
	const struct vrf *vrf;
	const char *device = ifname[0] ? ifname : NULL;
	int fd = -1, err = 0;

	vrf = vrf_of_name(vrf_name, why, why_len);
	if (!vrf)
		return -1;
	if (vrf->vrf_id != VRF_DEFAULT && !vrf_is_backend_netns() && !device)
		device = vrf->name;

	/* Raising is a handful of system calls: a plain probe needs none. */
	privileged = type == SOCK_RAW || device || vrf->vrf_id != VRF_DEFAULT;

	frr_with_privs (privileged ? &cluster_privs : NULL) {
		fd = cluster_vrf_socket(vrf->vrf_id, family,
					type | SOCK_NONBLOCK | SOCK_CLOEXEC,
					protocol);
		if (fd < 0) {
			err = errno;
			snprintf(why, why_len, "socket in VRF %s: %s",
				 vrf->name, safe_strerror(err));
			break;
		}
		if (device &&
		    probe_io_bind_device(fd, device, why, why_len) < 0) {
			err = errno;
			close(fd);
			fd = -1;
		}
	}
	if (fd >= 0 && type == SOCK_STREAM)
		probe_io_queue_errors(fd, family);
	if (fd >= 0 && !IS_IPADDR_NONE(source) &&
	    probe_io_bind_source(fd, type, source, why, why_len) < 0) {
		err = errno;
		close(fd);
		fd = -1;
	}
	errno = err;
	return fd;
}

static void icmp_error_text(const struct sock_extended_err *ee, char *detail,
			    size_t len)
{
	const struct sockaddr *from = SO_EE_OFFENDER(ee);
	const union sockunion *su = (const union sockunion *)from;

	if (from->sa_family == AF_INET || from->sa_family == AF_INET6)
		snprintfrr(detail, len, "%s from %pSU",
			   safe_strerror(ee->ee_errno), su);
	else
		strlcpy(detail, safe_strerror(ee->ee_errno), len);
}

int probe_io_icmp_error(int fd, char *detail, size_t len)
{
	union {
		struct cmsghdr align;
		char buf[512];
	} control;
	char data[64];
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr mh = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct sock_extended_err *ee;

	if (recvmsg(fd, &mh, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return 0;
	for (struct cmsghdr *cm = CMSG_FIRSTHDR(&mh); cm;
	     cm = CMSG_NXTHDR(&mh, cm)) {
		if (!(cm->cmsg_level == IPPROTO_IP &&
		      cm->cmsg_type == IP_RECVERR) &&
		    !(cm->cmsg_level == IPPROTO_IPV6 &&
		      cm->cmsg_type == IPV6_RECVERR))
			continue;
		ee = (struct sock_extended_err *)CMSG_DATA(cm);
		/* Path MTU: TCP deals with it. */
		if (ee->ee_errno == 0 || ee->ee_errno == EMSGSIZE)
			return 0;
		icmp_error_text(ee, detail, len);
		return ee->ee_errno;
	}
	return 0;
}

enum probe_result probe_io_result(int err)
{
	switch (err) {
	case 0:
		return PROBE_PASS;
	case ECONNREFUSED:
	case ECONNRESET:
	case EPIPE: /* the same, seen by a write */
		return PROBE_REFUSED;
	case ETIMEDOUT:
		return PROBE_TIMEOUT;
	/* What Linux makes of ICMP errors, and of an unanswered ARP. */
	case EHOSTUNREACH:
	case ENETUNREACH:
	case EHOSTDOWN:
	case ENONET:
	case EACCES:
	case EPROTO:
	case ENOPROTOOPT:
	case EOPNOTSUPP:
		return PROBE_UNREACHABLE;
	default:
		return PROBE_LOCAL;
	}
}

void probe_io_tcp_close(int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

int probe_io_init(struct event_loop *loop)
{
	pio.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (pio.epfd < 0)
		return -1;
	pio.loop = loop;
	event_add_read(loop, probe_io_read, NULL, pio.epfd, &pio.t_read);
	return 0;
}

void probe_io_fini(void)
{
	cluster_event_off(pio.t_read);
	if (pio.epfd >= 0)
		close(pio.epfd);
	pio.epfd = -1;
}
