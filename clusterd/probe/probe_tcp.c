// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp: a connection that is established passes.  With `send` something is sent
 * over it, with `expect regex` what comes is searched; otherwise neither.
 *
 * It is closed by RST at once (probe_io_tcp_close()): the target sees a
 * connection that opens and resets, as from most load balancers.
 */
#include "cluster_compat.h"

#include <netinet/tcp.h>
#include <sys/epoll.h>

#include "clusterd.h"
#include "probe/probe_io.h"
#include "probe/probe_match.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_TCP, "TCP check");

/* What is expected must be in as many bytes. */
#define TCP_ANSWER_MAX 4096

/* Of `send` and `expect regex`. */
struct tcp_dialog {
	uint8_t out[PROBE_SEND_LEN];
	int n_out, sent;
	struct probe_regex *regex; /* or NULL */
	char in[TCP_ANSWER_MAX];
	size_t n_in;
};

struct probe_tcp {
	struct probe_fd pfd;
	struct probe_check *check;
	bool connected;
	struct tcp_dialog *dialog; /* or NULL */
};

static void probe_tcp_cancel(struct probe_check *check)
{
	struct probe_tcp *tcp = check->state;

	check->state = NULL;
	probe_io_del(&tcp->pfd);
	probe_io_tcp_close(tcp->pfd.fd);
	if (tcp->dialog)
		probe_regex_free(&tcp->dialog->regex);
	XFREE(MTYPE_PROBE_TCP, tcp->dialog);
	XFREE(MTYPE_PROBE_TCP, tcp);
}

static void probe_tcp_done(struct probe_tcp *tcp, enum probe_result result,
			   int64_t rtt_us, const char *detail)
{
	struct probe_check *check = tcp->check;

	probe_tcp_cancel(check);
	probe_check_done(check, result, rtt_us, detail);
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

/* Says on; then listens, if something is expected. */
static void tcp_send(struct probe_tcp *tcp)
{
	struct tcp_dialog *dialog = tcp->dialog;
	uint32_t events = EPOLLIN;
	ssize_t n = 0;

	if (dialog->sent < dialog->n_out)
		n = send(tcp->pfd.fd, dialog->out + dialog->sent,
			 dialog->n_out - dialog->sent, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN) {
		probe_tcp_done(tcp, probe_io_result(errno), -1,
			       safe_strerror(errno));
		return;
	}
	dialog->sent += n > 0 ? n : 0;
	if (dialog->sent < dialog->n_out)
		events = EPOLLOUT;
	else if (!dialog->regex) {
		probe_tcp_done(tcp, PROBE_PASS, -1, "");
		return;
	}
	if (probe_io_modify(&tcp->pfd, events) < 0)
		probe_tcp_done(tcp, PROBE_LOCAL, -1, safe_strerror(errno));
}

static void tcp_receive(struct probe_tcp *tcp)
{
	struct tcp_dialog *dialog = tcp->dialog;
	char detail[PROBE_DETAIL_LEN];
	ssize_t n;

	n = recv(tcp->pfd.fd, dialog->in + dialog->n_in,
		 sizeof(dialog->in) - dialog->n_in, 0);
	if (n < 0) {
		if (errno != EAGAIN)
			probe_tcp_done(tcp, probe_io_result(errno), -1,
				       safe_strerror(errno));
		return;
	}
	dialog->n_in += n;
	switch (probe_regex_search(dialog->regex, dialog->in, dialog->n_in)) {
	case PROBE_REGEX_FOUND:
		probe_tcp_done(tcp, PROBE_PASS, -1, "");
		return;
	case PROBE_REGEX_NOT_FOUND:
		if (n > 0 && dialog->n_in < sizeof(dialog->in))
			return;
		snprintf(detail, sizeof(detail), "no match in %zu bytes%s",
			 dialog->n_in, n ? "" : ", then closed");
		break;
	case PROBE_REGEX_GAVE_UP:
		strlcpy(detail, "expect regex takes too long on this answer",
			sizeof(detail));
		break;
	}
	probe_tcp_done(tcp, PROBE_RESPONSE, -1, detail);
}

/* How connect() has ended: an errno, 0, or -1: not yet. */
static int tcp_connect_error(int fd, uint32_t events, char *detail, size_t len)
{
	int err;
	socklen_t size = sizeof(err);

	if (!(events & (EPOLLERR | EPOLLHUP)))
		return 0;
	/* First, because it tells who sent the error. */
	err = probe_io_icmp_error(fd, detail, len);
	if (err)
		return err;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) < 0)
		err = errno;
	if (err)
		strlcpy(detail, safe_strerror(err), len);
	/* Nothing that ends it: it goes on. */
	return !err && !(events & EPOLLOUT) ? -1 : err;
}

static void probe_tcp_ready(struct probe_fd *pfd, uint32_t events)
{
	struct probe_tcp *tcp = container_of(pfd, struct probe_tcp, pfd);
	char detail[PROBE_DETAIL_LEN] = "";
	int64_t rtt_us = -1;
	int err;

	if (tcp->connected) {
		if (tcp->dialog->sent < tcp->dialog->n_out)
			tcp_send(tcp);
		else
			tcp_receive(tcp);
		return;
	}
	err = tcp_connect_error(pfd->fd, events, detail, sizeof(detail));
	if (err < 0) {
		if (probe_io_modify(pfd, pfd->events) == 0)
			return;
		err = errno;
		strlcpy(detail, safe_strerror(err), sizeof(detail));
	}
	if (!err && tcp->dialog) {
		tcp->connected = true;
		tcp_send(tcp);
		return;
	}
	if (!err && !(events & (EPOLLERR | EPOLLHUP)))
		rtt_us = probe_tcp_rtt(pfd->fd);
	probe_tcp_done(tcp, probe_io_result(err), rtt_us, detail);
}

/* The commands have refused what would be wrong here. */
static struct tcp_dialog *tcp_dialog(const struct probe_config *config)
{
	struct tcp_dialog *dialog;
	char why[PROBE_DETAIL_LEN];

	if (!config->send[0] && !config->expect_regex[0])
		return NULL;
	dialog = XCALLOC(MTYPE_PROBE_TCP, sizeof(*dialog));
	dialog->n_out = probe_text_bytes(config->send, dialog->out);
	if (config->expect_regex[0])
		dialog->regex = probe_regex_new(config->expect_regex, why,
						sizeof(why));
	return dialog;
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
		probe_check_unsent(check, errno, why);
		return;
	}

	len = probe_io_sockaddr(&su, target, probe_config_port(config));
	err = connect(fd, &su.sa, len) < 0 ? errno : 0;
	/* Linux's never ends at once with success; if it did, it's ready. */
	if (err == EINPROGRESS || !err) {
		tcp = XCALLOC(MTYPE_PROBE_TCP, sizeof(*tcp));
		tcp->check = check;
		tcp->dialog = tcp_dialog(config);
		check->state = tcp;
		if (probe_io_add(&tcp->pfd, fd, EPOLLOUT | EPOLLONESHOT,
				 probe_tcp_ready) == 0)
			return;
		err = errno;
		tcp->pfd.fd = fd;
		probe_tcp_cancel(check);
	} else {
		probe_io_tcp_close(fd);
	}

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
