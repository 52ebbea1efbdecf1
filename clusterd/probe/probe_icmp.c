// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * icmp: an echo request; the reply that carries its cookie passes, an ICMP
 * error that quotes it fails at once.
 *
 * Checks share raw sockets: one a (family, VRF, interface, source), made by
 * the first check that needs it.  Each socket has an identifier of its own and
 * counts the sequence numbers; (socket, sequence) finds the check, its cookie
 * and target prove that the answer is for it.
 *
 * A socket outlives what it is bound to, and keeps a deleted network namespace
 * alive.  So none is used when its VRF is gone, one that is bound to anything
 * is replaced when it is older than ICMP_SOCKET_MAX_AGE_US, any one is replaced
 * after a failure to send, and unused ones are closed.
 */
#include "cluster_compat.h"

#include <sys/epoll.h>
#include <sys/random.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>

#include "jhash.h"
#include "network.h"
#include "typesafe.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "probe/probe_icmp_packet.h"
#include "probe/probe_io.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_ICMP, "ICMP check");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_ICMP_SOCKET, "ICMP socket");

#define ICMP_SOCKET_MAX_AGE_US (10 * INT64_C(1000000))
/* Unused that long: closed, by the sweep after. */
#define ICMP_SOCKET_IDLE_US (60 * INT64_C(1000000))
#define ICMP_SWEEP_S	    15
/* Packets of a socket that are read in one wake-up. */
#define ICMP_READ_BURST 64
/* The replies to thousands of checks while the daemon is busy for a second. */
#define ICMP_RCVBUF (1024 * 1024)

PREDECL_HASH(icmp_checks);
PREDECL_DLIST(icmp_sockets);

struct icmp_socket {
	struct icmp_sockets_item item;
	struct probe_fd pfd;
	/* The key. */
	int family;
	vrf_id_t vrf_id;
	char ifname[PROBE_IFNAME_LEN];
	struct ipaddr source;

	uint16_t ident; /* no other socket has it */
	uint16_t seq;	/* of the last request */
	unsigned int in_flight;
	int64_t opened_us;
	int64_t used_us;
	bool stale; /* no new checks: freed with the last one in flight */
};

struct probe_icmp {
	struct icmp_checks_item item;
	struct probe_check *check;
	struct icmp_socket *sock;
	struct probe_icmp_echo echo;
	struct ipaddr target;
	int64_t sent_us;      /* monotonic */
	int64_t sent_real_us; /* the clock of the kernel's time stamps */
};

static int icmp_check_cmp(const struct probe_icmp *a, const struct probe_icmp *b)
{
	if (a->echo.ident != b->echo.ident)
		return numcmp(a->echo.ident, b->echo.ident);
	return numcmp(a->echo.seq, b->echo.seq);
}

static uint32_t icmp_check_hash(const struct probe_icmp *a)
{
	return jhash_2words(a->echo.ident, a->echo.seq, 0x1c3b);
}

DECLARE_HASH(icmp_checks, struct probe_icmp, item, icmp_check_cmp,
	     icmp_check_hash);
DECLARE_DLIST(icmp_sockets, struct icmp_socket, item);

static struct icmp_checks_head checks = INIT_HASH(checks);
static struct icmp_sockets_head sockets = INIT_DLIST(sockets);
static struct event *t_sweep;

static int64_t icmp_real_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

/* ------------------------------------------------------------------------ */
/* Sockets                                                                  */

static void icmp_socket_free(struct icmp_socket *sock)
{
	icmp_sockets_del(&sockets, sock);
	probe_io_del(&sock->pfd);
	close(sock->pfd.fd);
	XFREE(MTYPE_PROBE_ICMP_SOCKET, sock);
}

static void icmp_socket_put(struct icmp_socket *sock)
{
	sock->in_flight--;
	if (sock->stale && sock->in_flight == 0)
		icmp_socket_free(sock);
}

/* Takes no new checks from now on. */
static void icmp_socket_retire(struct icmp_socket *sock)
{
	sock->stale = true;
	if (sock->in_flight == 0)
		icmp_socket_free(sock);
}

static bool icmp_socket_is_bound(const struct icmp_socket *sock)
{
	return sock->ifname[0] || !IS_IPADDR_NONE(&sock->source) ||
	       sock->vrf_id != VRF_DEFAULT;
}

/* May take no new checks any more. */
static bool icmp_socket_is_old(const struct icmp_socket *sock, int64_t now_us)
{
	return icmp_socket_is_bound(sock) &&
	       now_us - sock->opened_us > ICMP_SOCKET_MAX_AGE_US;
}

static void icmp_sweep(struct event *event)
{
	int64_t now_us = cluster_now_us();
	struct icmp_socket *sock;

	frr_each_safe (icmp_sockets, &sockets, sock)
		if (icmp_socket_is_old(sock, now_us) ||
		    now_us - sock->used_us > ICMP_SOCKET_IDLE_US)
			icmp_socket_retire(sock);
	if (icmp_sockets_count(&sockets))
		event_add_timer(cluster_master, icmp_sweep, NULL, ICMP_SWEEP_S,
				&t_sweep);
}

/* Replies and errors only, not the requests that others send us. */
static int icmp_socket_filter(int fd, int family)
{
	struct icmp6_filter filter6;
	struct icmp_filter filter4 = {
		.data = ~((1U << ICMP_ECHOREPLY) | (1U << ICMP_DEST_UNREACH) |
			  (1U << ICMP_TIME_EXCEEDED) |
			  (1U << ICMP_PARAMETERPROB)),
	};

	if (family == AF_INET)
		return setsockopt(fd, SOL_RAW, ICMP_FILTER, &filter4,
				  sizeof(filter4));

	ICMP6_FILTER_SETBLOCKALL(&filter6);
	ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter6);
	ICMP6_FILTER_SETPASS(ICMP6_DST_UNREACH, &filter6);
	ICMP6_FILTER_SETPASS(ICMP6_PACKET_TOO_BIG, &filter6);
	ICMP6_FILTER_SETPASS(ICMP6_TIME_EXCEEDED, &filter6);
	ICMP6_FILTER_SETPASS(ICMP6_PARAM_PROB, &filter6);
	return setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter6,
			  sizeof(filter6));
}

static uint16_t icmp_socket_new_ident(void)
{
	const struct icmp_socket *other;
	uint16_t ident;
	bool taken;

	do {
		ident = frr_weak_random();
		taken = false;
		frr_each (icmp_sockets_const, &sockets, other)
			taken |= other->ident == ident;
	} while (taken);
	return ident;
}

static void icmp_socket_ready(struct probe_fd *pfd, uint32_t events);

static struct icmp_socket *icmp_socket_open(int family, const char *vrf,
					    const char *ifname,
					    const struct ipaddr *source,
					    char *why, size_t why_len)
{
	struct icmp_socket *sock;
	int size = ICMP_RCVBUF;
	int on = 1;
	int fd;

	fd = probe_io_socket(family, SOCK_RAW,
			     family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6,
			     vrf, ifname, source, why, why_len);
	if (fd < 0)
		return NULL;

	sock = XCALLOC(MTYPE_PROBE_ICMP_SOCKET, sizeof(*sock));
	if (icmp_socket_filter(fd, family) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) < 0 ||
	    probe_io_add(&sock->pfd, fd, EPOLLIN, icmp_socket_ready) < 0) {
		snprintf(why, why_len, "socket: %s", safe_strerror(errno));
		close(fd);
		XFREE(MTYPE_PROBE_ICMP_SOCKET, sock);
		return NULL;
	}
	/* Only useful when the daemon is busy: no matter if it is refused. */
	frr_with_privs (&cluster_privs) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	}

	sock->family = family;
	sock->vrf_id = probe_io_vrf_id(vrf, why, why_len);
	strlcpy(sock->ifname, ifname, sizeof(sock->ifname));
	sock->source = *source;
	sock->ident = icmp_socket_new_ident();
	sock->opened_us = cluster_now_us();
	icmp_sockets_add_tail(&sockets, sock);
	event_add_timer(cluster_master, icmp_sweep, NULL, ICMP_SWEEP_S,
			&t_sweep);
	return sock;
}

/* The socket for a check, with one more check in flight; NULL: `why`. */
static struct icmp_socket *icmp_socket_get(int family, const char *vrf,
					   const char *ifname,
					   const struct ipaddr *source,
					   char *why, size_t why_len)
{
	int64_t now_us = cluster_now_us();
	struct icmp_socket *found = NULL;
	struct icmp_socket *sock;
	vrf_id_t vrf_id = probe_io_vrf_id(vrf, why, why_len);

	if (vrf_id == VRF_UNKNOWN)
		return NULL;
	frr_each_safe (icmp_sockets, &sockets, sock) {
		if (sock->stale || sock->family != family ||
		    sock->vrf_id != vrf_id || !strmatch(sock->ifname, ifname) ||
		    ipaddr_cmp(&sock->source, source) != 0)
			continue;
		if (icmp_socket_is_old(sock, now_us))
			icmp_socket_retire(sock);
		else
			found = sock;
	}
	if (!found)
		found = icmp_socket_open(family, vrf, ifname, source, why,
					 why_len);
	if (found) {
		found->in_flight++;
		found->used_us = now_us;
	}
	return found;
}

/* ------------------------------------------------------------------------ */
/* Checks                                                                   */

static void probe_icmp_cancel(struct probe_check *check)
{
	struct probe_icmp *icmp = check->state;

	check->state = NULL;
	icmp_checks_del(&checks, icmp);
	icmp_socket_put(icmp->sock);
	XFREE(MTYPE_PROBE_ICMP, icmp);
}

static void probe_icmp_start(struct probe_check *check,
			     const struct probe_config *config, const char *vrf,
			     const struct ipaddr *target)
{
	uint8_t packet[PROBE_ICMP_LEN];
	char why[PROBE_DETAIL_LEN];
	struct icmp_socket *sock;
	struct probe_icmp *icmp;
	union sockunion su;
	socklen_t len;
	size_t packet_len;
	int err;

	sock = icmp_socket_get(ipaddr_family(target), vrf, config->ifname,
			       &config->source, why, sizeof(why));
	if (!sock) {
		probe_check_unsent(check, errno, why);
		return;
	}

	icmp = XCALLOC(MTYPE_PROBE_ICMP, sizeof(*icmp));
	icmp->check = check;
	icmp->sock = sock;
	icmp->target = *target;
	icmp->echo.ident = sock->ident;
	icmp->echo.seq = ++sock->seq;
	if (getrandom(&icmp->echo.cookie, sizeof(icmp->echo.cookie),
		      GRND_NONBLOCK) != sizeof(icmp->echo.cookie))
		icmp->echo.cookie = (uint64_t)frr_weak_random() << 32 |
				    (uint32_t)frr_weak_random();
	/* After 65,536 requests a slow one may still have the number. */
	while (icmp_checks_add(&checks, icmp))
		icmp->echo.seq = ++sock->seq;
	check->state = icmp;

	len = probe_io_sockaddr(&su, target, 0);
	packet_len = probe_icmp_build(IS_IPADDR_V6(target), &icmp->echo, packet,
				      sizeof(packet));
	icmp->sent_us = cluster_now_us();
	icmp->sent_real_us = icmp_real_us();
	if (sendto(sock->pfd.fd, packet, packet_len, 0, &su.sa, len) >= 0)
		return;

	err = errno;
	/*
	 * A full queue passes; whatever else is wrong (the interface that the
	 * socket is bound to is gone), the next check tries with a new one.
	 */
	if (err != ENOBUFS && err != EAGAIN)
		sock->stale = true;
	probe_icmp_cancel(check);
	probe_check_done(check, PROBE_LOCAL, -1, safe_strerror(err));
}

/*
 * The round-trip time, by the kernel's time stamp of the reply: ours would
 * include the time until the event loop came round.  The stamp is of a clock
 * that may be set, so it is only believed when it is the shorter one.
 */
static int64_t probe_icmp_rtt(const struct probe_icmp *icmp,
			      int64_t received_real_us)
{
	int64_t rtt_us = cluster_now_us() - icmp->sent_us;
	int64_t stamped_us = received_real_us - icmp->sent_real_us;

	if (received_real_us > 0 && stamped_us >= 0 && stamped_us < rtt_us)
		rtt_us = stamped_us;
	return rtt_us;
}

static void icmp_message(const struct icmp_socket *sock,
			 const struct probe_icmp_message *msg,
			 int64_t received_real_us)
{
	char detail[PROBE_DETAIL_LEN];
	struct probe_check *check;
	struct probe_icmp *icmp;
	struct probe_icmp key;
	int64_t rtt_us;

	/* Most are of other programs: all raw sockets get everything. */
	if (msg->kind == PROBE_ICMP_OTHER || msg->echo.ident != sock->ident)
		return;
	key.echo = msg->echo;
	icmp = icmp_checks_find(&checks, &key);
	if (!icmp || !probe_icmp_match(msg, &icmp->target, &icmp->echo))
		return;

	rtt_us = probe_icmp_rtt(icmp, received_real_us);
	check = icmp->check;
	probe_icmp_describe(msg, detail, sizeof(detail));
	probe_icmp_cancel(check);
	if (msg->kind == PROBE_ICMP_REPLY)
		probe_check_done(check, PROBE_PASS, rtt_us, "");
	else
		probe_check_done(check, PROBE_UNREACHABLE, rtt_us, detail);
}

static int64_t icmp_timestamp(struct msghdr *mh)
{
	struct timespec ts;

	for (struct cmsghdr *cm = CMSG_FIRSTHDR(mh); cm;
	     cm = CMSG_NXTHDR(mh, cm)) {
		if (cm->cmsg_level != SOL_SOCKET ||
		    cm->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(cm), sizeof(ts));
		return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
	}
	return 0;
}

/* false: nothing more to read. */
static bool icmp_socket_read(struct icmp_socket *sock)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(struct timespec))];
	} control;
	uint8_t buf[PROBE_ICMP_RECV_LEN];
	union sockunion from;
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct msghdr mh = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct probe_icmp_message msg;
	ssize_t n = recvmsg(sock->pfd.fd, &mh, 0);

	if (n < 0)
		return errno == EINTR;
	if (sock->family == AF_INET)
		probe_icmp_parse4(buf, n, &msg);
	else
		probe_icmp_parse6(buf, n, &from.sin6.sin6_addr, &msg);
	icmp_message(sock, &msg, icmp_timestamp(&mh));
	return true;
}

static void icmp_socket_ready(struct probe_fd *pfd, uint32_t events)
{
	struct icmp_socket *sock = container_of(pfd, struct icmp_socket, pfd);

	int i;

	/* The last check of a stale socket must not free it under our hands. */
	sock->in_flight++;
	for (i = 0; i < ICMP_READ_BURST; i++)
		if (!icmp_socket_read(sock))
			break;
	if (i == ICMP_READ_BURST)
		probe_io_more();
	icmp_socket_put(sock);
}

static void probe_icmp_fini(void)
{
	struct icmp_socket *sock;

	cluster_event_off(t_sweep);
	frr_each_safe (icmp_sockets, &sockets, sock)
		icmp_socket_free(sock);
	icmp_checks_fini(&checks);
}

const struct probe_type probe_type_icmp = {
	.start = probe_icmp_start,
	.cancel = probe_icmp_cancel,
	.fini = probe_icmp_fini,
};
