// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp: a connection that is established passes; nothing is sent over it.
 *
 * It is closed by RST at once (probe_io_tcp_close()): the target sees a
 * connection that opens and resets, as from most load balancers.
 */
#include "cluster_compat.h"

#include <netinet/tcp.h>
#include <sys/epoll.h>

#include "clusterd.h"
#include "probe/probe_io.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_TCP, "TCP check");

struct probe_tcp {
	struct probe_fd pfd;
	struct probe_check *check;
};

static void probe_tcp_cancel(struct probe_check *check)
{
	struct probe_tcp *tcp = check->state;

	check->state = NULL;
	probe_io_del(&tcp->pfd);
	probe_io_tcp_close(tcp->pfd.fd);
	XFREE(MTYPE_PROBE_TCP, tcp);
}

/*
 * The kernel's round-trip time of the handshake, or -1.  Ours would include
 * the time until the event loop came round, and a loop that is busy for long
 * (a commit of thousands of objects) must not fail a target that answered.
 */
static int64_t probe_tcp_rtt(int fd)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return -1;
	/* A repeated SYN: the time of the last one only. */
	if (info.tcpi_total_retrans > 0 || info.tcpi_rtt == 0)
		return -1;
	return info.tcpi_rtt;
}

static void probe_tcp_ready(struct probe_fd *pfd, uint32_t events)
{
	struct probe_tcp *tcp = container_of(pfd, struct probe_tcp, pfd);
	struct probe_check *check = tcp->check;
	char detail[PROBE_DETAIL_LEN] = "";
	int64_t rtt_us = -1;
	int err = 0;
	socklen_t len = sizeof(err);

	if (events & (EPOLLERR | EPOLLHUP)) {
		/* First, because it tells who sent the error. */
		err = probe_io_icmp_error(pfd->fd, detail, sizeof(detail));
		if (!err) {
			if (getsockopt(pfd->fd, SOL_SOCKET, SO_ERROR, &err,
				       &len) < 0)
				err = errno;
			if (err)
				strlcpy(detail, safe_strerror(err),
					sizeof(detail));
		}
		/* Nothing that ends it: it goes on. */
		if (!err && !(events & EPOLLOUT)) {
			if (probe_io_modify(pfd, pfd->events) == 0)
				return;
			err = errno;
			strlcpy(detail, safe_strerror(err), sizeof(detail));
		}
	} else {
		rtt_us = probe_tcp_rtt(pfd->fd);
	}
	probe_tcp_cancel(check);
	probe_check_done(check, probe_io_result(err), rtt_us, detail);
}

static void probe_tcp_start(struct probe_check *check,
			    const struct probe_config *config, const char *vrf,
			    const struct ipaddr *target)
{
	char why[PROBE_DETAIL_LEN];
	struct probe_tcp *tcp;
	union sockunion su;
	socklen_t len;
	int err;
	int fd;

	fd = probe_io_socket(ipaddr_family(target), SOCK_STREAM, IPPROTO_TCP,
			     vrf, config->ifname, &config->source, why,
			     sizeof(why));
	if (fd < 0) {
		probe_check_done(check, PROBE_LOCAL, -1, why);
		return;
	}

	len = probe_io_sockaddr(&su, target, probe_config_port(config));
	err = connect(fd, &su.sa, len) < 0 ? errno : 0;
	if (err == EINPROGRESS) {
		tcp = XCALLOC(MTYPE_PROBE_TCP, sizeof(*tcp));
		tcp->check = check;
		check->state = tcp;
		if (probe_io_add(&tcp->pfd, fd, EPOLLOUT | EPOLLONESHOT,
				 probe_tcp_ready) == 0)
			return;
		err = errno;
		check->state = NULL;
		XFREE(MTYPE_PROBE_TCP, tcp);
	}

	probe_io_tcp_close(fd);
	/*
	 * At once means by our own kernel, which has no route for example.
	 * Only a target on this node accepts or refuses that fast.
	 */
	if (err && err != ECONNREFUSED)
		probe_check_done(check, PROBE_LOCAL, -1, safe_strerror(err));
	else
		probe_check_done(check, probe_io_result(err), -1,
				 err ? safe_strerror(err) : "");
}

const struct probe_type probe_type_tcp = {
	.start = probe_tcp_start,
	.cancel = probe_tcp_cancel,
};
