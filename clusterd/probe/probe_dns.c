// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dns: the target answers a query for a name, by c-ares.
 *
 * A channel a check: nothing is remembered from one to the next, neither a
 * server that was slow nor an answer.  c-ares' sockets are ours, for VRF, source
 * and interface, and in the probes' epoll set; its timers are not used, the
 * engine watches the time.
 */
#include "cluster_compat.h"

/* The parsers are called by their old names up to Debian 13. */
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <arpa/nameser.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "clusterd.h"
#include "probe/probe_dns_answer.h"
#include "probe/probe_io.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_DNS, "DNS check");

/* UDP, and TCP if the answer is too long for it; c-ares may ask again. */
#define DNS_SOCKETS 4

struct dns;

struct dns_socket {
	struct probe_fd pfd;
	struct dns *dns;
};

struct dns {
	struct probe_check *check;
	ares_channel channel;
	struct dns_socket sockets[DNS_SOCKETS];

	/* Of the configuration, for the sockets and the answer. */
	char vrf[PROBE_VRF_LEN];
	char ifname[PROBE_IFNAME_LEN];
	struct ipaddr source;
	enum probe_dns_type type;
	char answer[PROBE_DNS_ANSWER_LEN];

	int err;		    /* errno of a socket; 0 */
	char why[PROBE_DETAIL_LEN]; /* a socket couldn't be had */
	int unsent;		    /* likewise: its errno; 0 */

	bool ended;
	enum probe_result result;
	char detail[PROBE_DETAIL_LEN];
};

/* ------------------------------------------------------------------------ */
/* Sockets                                                                  */

static void socket_ready(struct probe_fd *pfd, uint32_t events);

static ares_socket_t dns_socket(int family, int type, int protocol, void *arg)
{
	struct dns *dns = arg;
	int fd = probe_io_socket(family, type, protocol, dns->vrf, dns->ifname,
				 &dns->source, dns->why, sizeof(dns->why));

	dns->unsent = fd < 0 ? errno : 0;
	return fd < 0 ? ARES_SOCKET_BAD : fd;
}

static int dns_close(ares_socket_t fd, void *arg)
{
	return close(fd);
}

static int dns_connect(ares_socket_t fd, const struct sockaddr *addr,
		       ares_socklen_t len, void *arg)
{
	struct dns *dns = arg;
	int ret = connect(fd, addr, len);

	if (ret < 0 && errno != EINPROGRESS) {
		dns->err = errno;
		/* By our own kernel: no route, for example. */
		snprintf(dns->why, sizeof(dns->why), "%s",
			 safe_strerror(dns->err));
		errno = dns->err;
	}
	return ret;
}

static ares_ssize_t dns_recvfrom(ares_socket_t fd, void *buf, size_t len,
				 int flags, struct sockaddr *from,
				 ares_socklen_t *from_len, void *arg)
{
	struct dns *dns = arg;
	ssize_t n = recvfrom(fd, buf, len, flags, from, from_len);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		dns->err = errno;
	return n;
}

static ares_ssize_t dns_sendv(ares_socket_t fd, const struct iovec *iov, int n,
			      void *arg)
{
	struct dns *dns = arg;
	ssize_t sent = writev(fd, iov, n);

	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		dns->err = errno;
	return sent;
}

static const struct ares_socket_functions dns_functions = {
	.asocket = dns_socket,
	.aclose = dns_close,
	.aconnect = dns_connect,
	.arecvfrom = dns_recvfrom,
	.asendv = dns_sendv,
};

static struct dns_socket *socket_find(struct dns *dns, int fd, bool watched)
{
	for (size_t i = 0; i < array_size(dns->sockets); i++)
		if (dns->sockets[i].pfd.watched == watched &&
		    (!watched || dns->sockets[i].pfd.fd == fd))
			return &dns->sockets[i];
	return NULL;
}

/* c-ares says what it waits for. */
static void dns_watch(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct dns *dns = arg;
	struct dns_socket *sock = socket_find(dns, fd, true);
	uint32_t events = (readable ? EPOLLIN : 0) | (writable ? EPOLLOUT : 0);

	if (sock && !events) {
		probe_io_del(&sock->pfd);
	} else if (sock) {
		probe_io_modify(&sock->pfd, events);
	} else if (events) {
		/* One too many isn't watched: the time-out ends it. */
		sock = socket_find(dns, fd, false);
		if (!sock)
			return;
		sock->dns = dns;
		(void)probe_io_add(&sock->pfd, fd, events, socket_ready);
	}
}

/* ------------------------------------------------------------------------ */
/* Answers                                                                  */

static void end(struct dns *dns, enum probe_result result, const char *detail)
{
	dns->ended = true;
	dns->result = result;
	strlcpy(dns->detail, detail, sizeof(dns->detail));
}

/* The query came to nothing that could be read. */
static void end_by_status(struct dns *dns, int status)
{
	switch (status) {
	case ARES_ENOTFOUND:
		end(dns, PROBE_RESPONSE, "NXDOMAIN");
		return;
	case ARES_ENODATA:
		end(dns, PROBE_RESPONSE, "no such record");
		return;
	case ARES_ESERVFAIL:
		end(dns, PROBE_RESPONSE, "SERVFAIL");
		return;
	case ARES_EREFUSED:
		end(dns, PROBE_RESPONSE, "REFUSED");
		return;
	case ARES_EFORMERR:
		end(dns, PROBE_RESPONSE, "FORMERR");
		return;
	case ARES_ENOTIMP:
		end(dns, PROBE_RESPONSE, "NOTIMP");
		return;
	case ARES_ETIMEOUT:
		end(dns, PROBE_TIMEOUT, "");
		return;
	default:
		break;
	}
	if (dns->why[0])
		end(dns, PROBE_LOCAL, dns->why);
	else if (dns->err)
		end(dns, probe_io_result(dns->err), safe_strerror(dns->err));
	else
		end(dns, PROBE_RESPONSE, ares_strerror(status));
}

static void dns_answered(void *arg, int status, int timeouts,
			 unsigned char *msg, int len)
{
	struct dns *dns = arg;
	enum probe_result result;
	char detail[PROBE_DETAIL_LEN];

	/* We gave it up ourselves. */
	if (status == ARES_EDESTRUCTION || status == ARES_ECANCELLED)
		return;
	if (status == ARES_SUCCESS)
		status = probe_dns_answer(dns->type, dns->answer, msg, len,
					  &result, detail);
	if (status == ARES_SUCCESS)
		end(dns, result, detail);
	else
		end_by_status(dns, status);
}

/* ------------------------------------------------------------------------ */
/* The check                                                                */

static void dns_free(struct dns *dns)
{
	dns->check->state = NULL;
	if (dns->channel)
		ares_destroy(dns->channel);
	XFREE(MTYPE_PROBE_DNS, dns);
}

/* Not from within a callback of c-ares. */
static void dns_settle(struct dns *dns)
{
	struct probe_check *check = dns->check;
	enum probe_result result = dns->result;
	char detail[PROBE_DETAIL_LEN];
	int unsent = dns->unsent;

	if (!dns->ended)
		return;
	strlcpy(detail, dns->detail, sizeof(detail));
	dns_free(dns);
	if (result == PROBE_LOCAL && unsent)
		probe_check_unsent(check, unsent, detail);
	else
		probe_check_done(check, result, -1, detail);
}

static void socket_ready(struct probe_fd *pfd, uint32_t events)
{
	struct dns_socket *sock = container_of(pfd, struct dns_socket, pfd);
	struct dns *dns = sock->dns;
	bool error = events & (EPOLLERR | EPOLLHUP);

	ares_process_fd(dns->channel,
			error || (events & EPOLLIN) ? pfd->fd : ARES_SOCKET_BAD,
			events & EPOLLOUT ? pfd->fd : ARES_SOCKET_BAD);
	dns_settle(dns);
}

static int dns_channel(struct dns *dns, const struct probe_config *config,
		       const struct ipaddr *target)
{
	struct ares_options options = {
		/* An answer is an answer, whatever its code. */
		.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH |
			 ARES_FLAG_NOALIASES,
		/* The engine's comes first. */
		.timeout = probe_config_timeout_ms(config) + 1000,
		.tries = 1,
		.sock_state_cb = dns_watch,
		.sock_state_cb_data = dns,
	};
	struct ares_addr_port_node server = {
		.family = ipaddr_family(target),
		.udp_port = probe_config_port(config),
		.tcp_port = probe_config_port(config),
	};
	int status;

	if (IS_IPADDR_V4(target))
		server.addr.addr4 = target->ipaddr_v4;
	else
		memcpy(&server.addr.addr6, &target->ipaddr_v6,
		       sizeof(server.addr.addr6));
	status = ares_init_options(&dns->channel, &options,
				   ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS |
					   ARES_OPT_TRIES |
					   ARES_OPT_SOCK_STATE_CB);
	if (status != ARES_SUCCESS) {
		dns->channel = NULL;
		return status;
	}
	ares_set_socket_functions(dns->channel, &dns_functions, dns);
	return ares_set_servers_ports(dns->channel, &server);
}

static void probe_dns_start(struct probe_check *check,
			    const struct probe_config *config, const char *vrf,
			    const struct ipaddr *target)
{
	static const int types[PROBE_DNS_MAX] = {
		[PROBE_DNS_A] = ns_t_a,	    [PROBE_DNS_AAAA] = ns_t_aaaa,
		[PROBE_DNS_NS] = ns_t_ns,   [PROBE_DNS_SOA] = ns_t_soa,
		[PROBE_DNS_TXT] = ns_t_txt,
	};
	struct dns *dns = XCALLOC(MTYPE_PROBE_DNS, sizeof(*dns));
	int status;

	dns->check = check;
	check->state = dns;
	strlcpy(dns->vrf, vrf, sizeof(dns->vrf));
	strlcpy(dns->ifname, config->ifname, sizeof(dns->ifname));
	dns->source = config->source;
	dns->type = probe_config_dns_type(config);
	strlcpy(dns->answer, config->dns_answer, sizeof(dns->answer));
	errno = 0;
	status = dns_channel(dns, config, target);
	if (status == ARES_SUCCESS) {
		ares_query(dns->channel, config->dns_name, ns_c_in,
			   types[dns->type], dns_answered, dns);
	} else {
		/* It reads files of the system, too. */
		dns->unsent = errno;
		end(dns, PROBE_LOCAL, ares_strerror(status));
	}
	dns_settle(dns);
}

static void probe_dns_cancel(struct probe_check *check)
{
	dns_free(check->state);
}

const struct probe_type probe_type_dns = {
	.start = probe_dns_start,
	.cancel = probe_dns_cancel,
};
