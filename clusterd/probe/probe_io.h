/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets and timers of the probes: one epoll set in FRR's loop.
 *
 * FRR's loop is poll(): every descriptor in it costs at every wake-up of the
 * daemon.  So all probe sockets live in one epoll set, and only the set's own
 * descriptor is in FRR's loop.  The timers are timerfds in the same set,
 * because FRR's loop rounds its sleep down to milliseconds and then spins
 * until a timer is due: 1,000 probes a second would keep a core busy.
 */
#ifndef CLUSTER_PROBE_IO_H
#define CLUSTER_PROBE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"
#include "sockunion.h"
#include "vrf.h"

#include "probe/probe.h"

struct event_loop;

/*
 * A watched descriptor.  Part of its owner's structure, zero before
 * probe_io_add(); the owner keeps the descriptor.
 */
struct probe_fd {
	int fd;
	uint32_t events; /* EPOLLIN, EPOLLOUT, EPOLLONESHOT */
	bool watched;
	bool spent; /* EPOLLONESHOT: called, and not modified since */
	bool patient;
	/* May call anything of this header, also for `pfd` itself. */
	void (*ready)(struct probe_fd *pfd, uint32_t events);
};

/* 0, or -1 with errno. */
extern int probe_io_add(struct probe_fd *pfd, int fd, uint32_t events,
			void (*ready)(struct probe_fd *pfd, uint32_t events));
/* With EPOLLONESHOT also to be called once more. */
extern int probe_io_modify(struct probe_fd *pfd, uint32_t events);
/* From `ready`: there is more to read, which waits for the next wake-up. */
extern void probe_io_more(void);
/* Right before the descriptor is closed.  `ready` is not called afterwards. */
extern void probe_io_del(struct probe_fd *pfd);

/*
 * A timer; set up by probe_io_timer_add().
 *
 * One that is `patient` waits, within bounds, until the sockets that are ready
 * have been read: after a pause of the daemon, an answer that came in time
 * must not be beaten by its own time-out.
 */
struct probe_timer {
	struct probe_fd pfd;
	int64_t at_us;	  /* wanted; INT64_MAX: never */
	int64_t armed_us; /* what the timerfd knows; INT64_MIN: expired */
	struct probe_timer *unsettled; /* list of those that differ */
	bool is_unsettled;
	void (*due)(struct probe_timer *timer);
};

/* 0, or -1 with errno. */
extern int probe_io_timer_add(struct probe_timer *timer, bool patient,
			      void (*due)(struct probe_timer *timer));
/*
 * (Re)arms for `at_us` (monotonic, µs; the past: at once; INT64_MAX: never).
 * Cheap: however often it is set in one wake-up, the kernel hears of it once
 * or twice.
 */
extern void probe_io_timer_set(struct probe_timer *timer, int64_t at_us);
/* Not from `ready` or `due`. */
extern void probe_io_timer_del(struct probe_timer *timer);

/*
 * Opens a non-blocking, close-on-exec socket in VRF `vrf` ("default" or a
 * name), bound to `ifname` ("": any) and to `source` (IPADDR_NONE: any).
 * Raises privileges if it needs them (SOCK_RAW, VRF, interface).
 *
 * -1: could not; `why` gets a text for people, errno is set.
 */
extern int probe_io_socket(int family, int type, int protocol, const char *vrf,
			   const char *ifname, const struct ipaddr *source,
			   char *why, size_t why_len);

/*
 * The id of VRF `vrf`, by which a new one of the same name is told from the
 * old; VRF_UNKNOWN: there is none now, `why` gets a text.
 */
extern vrf_id_t probe_io_vrf_id(const char *vrf, char *why, size_t why_len);

/*
 * Closes a TCP socket by RST: a check leaves no TIME_WAIT behind, which would
 * use up the local ports in front of a busy target (60 s each).  What of the
 * target is still on its way meets no socket then: the kernel's RST for that
 * goes by the routing table, whatever the socket was bound to.
 */
extern void probe_io_tcp_close(int fd);

/*
 * The ICMP error that came for a connection attempt on TCP socket `fd`: its
 * errno, `detail` gets a text; 0: none. To be asked at EPOLLERR when SO_ERROR
 * says nothing: the kernel keeps an error that comes while connect() is still
 * at work (from a near router, always) to itself, but in the error queue.
 */
extern int probe_io_icmp_error(int fd, char *detail, size_t len);

/* What the errno that a connection ended with (0: established) means. */
extern enum probe_result probe_io_result(int err);

/*
 * `addr` and `port` (0 for raw sockets) as a socket address; its length. No
 * scope: link-local addresses go by the interface that the socket is bound to.
 */
extern socklen_t probe_io_sockaddr(union sockunion *su,
				   const struct ipaddr *addr, uint16_t port);

/* Once, before any other; 0, or -1 with errno. */
extern int probe_io_init(struct event_loop *loop);
/* Everything that was added must have been deleted. */
extern void probe_io_fini(void);

#endif /* CLUSTER_PROBE_IO_H */
