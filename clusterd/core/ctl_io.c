// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "network.h"
#include "sockopt.h"

#include "clusterd.h"
#include "core/cluster_vrf.h"
#include "core/ctl_io.h"
#include "core/ctl_wire.h"

DEFINE_MTYPE_STATIC(CLUSTERD, CTL_IO, "Control sockets");

#define BATCH 32
/* What fits in while the daemon does something long, or in a flood. */
#define RCVBUF (4 * 1024 * 1024)
/* Batches read before others in the loop have their turn. */
#define BATCHES_A_TURN 8
#define CMSG_SIZE      CMSG_SPACE(sizeof(struct in6_pktinfo))
_Static_assert(sizeof(struct in6_pktinfo) >= sizeof(struct in_pktinfo),
	       "room for either");

union address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct sock {
	struct ctl_io *io;
	bool used;
	struct ctl_listen listen;
	vrf_id_t vrf_id; /* in which it was opened */
	int fd;		 /* -1: not open, see why */
	char why[64];
	struct event *t_read;
	uint64_t rx, tx, tx_errors;
};

/* A datagram that waits to be sent, with all that sendmmsg() wants. */
struct outgoing {
	uint32_t sock;
	size_t len;
	union address to;
	uint8_t buf[CTL_DATAGRAM_MAX];
	uint8_t cmsg[CMSG_SIZE] __attribute__((aligned(8)));
	size_t cmsg_len;
};

struct ctl_io {
	struct event_loop *loop;
	const struct ctl_io_ops *ops;
	void *arg;
	struct event *t_retry;
	struct event *t_flush;
	struct sock socks[CTL_IO_SOCKETS_MAX]; /* slot: the socket's number */
	size_t n_out;
	struct outgoing out[BATCH];
	uint8_t in[BATCH][CTL_DATAGRAM_MAX + 1]; /* one more: too long */
};

static void retry_later(struct ctl_io *io);

static socklen_t address_set(union address *address, const struct ipaddr *ip,
			     uint16_t port, uint32_t ifindex)
{
	memset(address, 0, sizeof(*address));
	if (IS_IPADDR_V4(ip)) {
		address->in.sin_family = AF_INET;
		address->in.sin_port = htons(port);
		address->in.sin_addr = ip->ipaddr_v4;
		return sizeof(address->in);
	}
	address->in6.sin6_family = AF_INET6;
	address->in6.sin6_port = htons(port);
	address->in6.sin6_addr = ip->ipaddr_v6;
	if (IN6_IS_ADDR_LINKLOCAL(&ip->ipaddr_v6))
		address->in6.sin6_scope_id = ifindex;
	return sizeof(address->in6);
}

/* -- in -- */

/* From the source address and the packet information; false: no use. */
static bool path_of(struct sock *sock, struct msghdr *hdr, struct ctl_path *path)
{
	const union address *from = hdr->msg_name;
	struct cmsghdr *cmsg;

	memset(path, 0, sizeof(*path));
	path->socket = (uint32_t)(sock - sock->io->socks);
	if (from->sa.sa_family == AF_INET) {
		SET_IPADDR_V4(&path->remote);
		path->remote.ipaddr_v4 = from->in.sin_addr;
		path->port = ntohs(from->in.sin_port);
	} else {
		SET_IPADDR_V6(&path->remote);
		path->remote.ipaddr_v6 = from->in6.sin6_addr;
		path->port = ntohs(from->in6.sin6_port);
		if (IN6_IS_ADDR_LINKLOCAL(&from->in6.sin6_addr))
			path->ifindex = from->in6.sin6_scope_id;
	}
	for (cmsg = CMSG_FIRSTHDR(hdr); cmsg; cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		if (cmsg->cmsg_level == IPPROTO_IP &&
		    cmsg->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
			SET_IPADDR_V4(&path->local);
			path->local.ipaddr_v4 = info.ipi_addr;
		} else if (cmsg->cmsg_level == IPPROTO_IPV6 &&
			   cmsg->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
			SET_IPADDR_V6(&path->local);
			path->local.ipaddr_v6 = info.ipi6_addr;
		}
	}
	return path->port && !IS_IPADDR_NONE(&path->local);
}

/* One batch; returns how many came. */
static int receive_batch(struct sock *sock)
{
	struct ctl_io *io = sock->io;
	union address from[BATCH];
	uint8_t cmsg[BATCH][CMSG_SIZE] __attribute__((aligned(8)));
	struct mmsghdr msgs[BATCH] = {};
	struct iovec iov[BATCH];
	struct ctl_path path;
	int n;

	for (int i = 0; i < BATCH; i++) {
		iov[i].iov_base = io->in[i];
		iov[i].iov_len = sizeof(io->in[i]);
		msgs[i].msg_hdr = (struct msghdr){
			.msg_name = &from[i],
			.msg_namelen = sizeof(from[i]),
			.msg_iov = &iov[i],
			.msg_iovlen = 1,
			.msg_control = cmsg[i],
			.msg_controllen = sizeof(cmsg[i]),
		};
	}
	n = recvmmsg(sock->fd, msgs, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		sock->rx++;
		if (path_of(sock, &msgs[i].msg_hdr, &path))
			io->ops->receive(io->arg, &path, io->in[i],
					 msgs[i].msg_len);
	}
	return n;
}

static void sock_readable(struct event *event)
{
	struct sock *sock = EVENT_ARG(event);
	struct ctl_io *io = sock->io;

	/* Again before the callbacks: they may close it. */
	event_add_read(io->loop, sock_readable, sock, sock->fd, &sock->t_read);
	for (int i = 0; i < BATCHES_A_TURN && sock->fd >= 0; i++)
		if (receive_batch(sock) < BATCH)
			break;
	io->ops->received(io->arg);
	ctl_io_flush(io);
}

/* -- out -- */

static void source_set(struct outgoing *out, const struct ctl_path *path)
{
	struct cmsghdr *cmsg = (struct cmsghdr *)out->cmsg;

	out->cmsg_len = 0;
	memset(out->cmsg, 0, sizeof(out->cmsg));
	if (IS_IPADDR_V4(&path->local)) {
		struct in_pktinfo info = { .ipi_spec_dst =
						   path->local.ipaddr_v4 };

		cmsg->cmsg_level = IPPROTO_IP;
		cmsg->cmsg_type = IP_PKTINFO;
		cmsg->cmsg_len = CMSG_LEN(sizeof(info));
		memcpy(CMSG_DATA(cmsg), &info, sizeof(info));
		out->cmsg_len = CMSG_SPACE(sizeof(info));
	} else if (IS_IPADDR_V6(&path->local)) {
		struct in6_pktinfo info = { .ipi6_addr = path->local.ipaddr_v6,
					    .ipi6_ifindex = path->ifindex };

		cmsg->cmsg_level = IPPROTO_IPV6;
		cmsg->cmsg_type = IPV6_PKTINFO;
		cmsg->cmsg_len = CMSG_LEN(sizeof(info));
		memcpy(CMSG_DATA(cmsg), &info, sizeof(info));
		out->cmsg_len = CMSG_SPACE(sizeof(info));
	}
}

/* The run of datagrams from `first` on that leave by one socket. */
static size_t flush_run(struct ctl_io *io, size_t first)
{
	struct sock *sock = &io->socks[io->out[first].sock];
	struct mmsghdr msgs[BATCH] = {};
	struct iovec iov[BATCH];
	size_t n = 0, sent = 0;

	for (; first + n < io->n_out &&
	       io->out[first + n].sock == io->out[first].sock;
	     n++) {
		struct outgoing *out = &io->out[first + n];

		iov[n] = (struct iovec){ out->buf, out->len };
		msgs[n].msg_hdr = (struct msghdr){
			.msg_name = &out->to,
			.msg_namelen = out->to.sa.sa_family == AF_INET
					       ? sizeof(out->to.in)
					       : sizeof(out->to.in6),
			.msg_iov = &iov[n],
			.msg_iovlen = 1,
			.msg_control = out->cmsg_len ? out->cmsg : NULL,
			.msg_controllen = out->cmsg_len,
		};
	}
	while (sent < n) {
		int ret = sendmmsg(sock->fd, msgs + sent,
				   (unsigned int)(n - sent), MSG_DONTWAIT);

		/* It ends at the first that can't be sent: that one is lost. */
		if (ret > 0) {
			sock->tx += (uint64_t)ret;
			sent += (size_t)ret;
		} else {
			sock->tx_errors++;
			sent++;
		}
	}
	return n;
}

void ctl_io_flush(struct ctl_io *io)
{
	size_t done = 0;

	cluster_event_off(io->t_flush);
	while (done < io->n_out)
		done += flush_run(io, done);
	io->n_out = 0;
}

static void flush_event(struct event *event)
{
	ctl_io_flush(EVENT_ARG(event));
}

void ctl_io_send(struct ctl_io *io, const struct ctl_path *path,
		 const uint8_t *buf, size_t len)
{
	struct outgoing *out;

	if (path->socket >= CTL_IO_SOCKETS_MAX ||
	    io->socks[path->socket].fd < 0 || len > CTL_DATAGRAM_MAX)
		return;
	if (io->n_out == BATCH)
		ctl_io_flush(io);
	out = &io->out[io->n_out++];
	out->sock = path->socket;
	out->len = len;
	memcpy(out->buf, buf, len);
	address_set(&out->to, &path->remote, path->port, path->ifindex);
	source_set(out, path);
	event_add_event(io->loop, flush_event, io, 0, &io->t_flush);
}

/* -- sockets -- */

static void sock_close(struct sock *sock)
{
	ctl_io_flush(sock->io);
	cluster_event_off(sock->t_read);
	if (sock->fd >= 0)
		close(sock->fd);
	sock->fd = -1;
}

static bool failed(struct sock *sock, const char *what)
{
	snprintf(sock->why, sizeof(sock->why), "%s: %s", what, strerror(errno));
	return false;
}

/* VRF_UNKNOWN: it isn't there. */
static vrf_id_t vrf_id_of(const struct ctl_listen *listen)
{
	const struct vrf *vrf;

	if (!strcmp(listen->vrf, VRF_DEFAULT_NAME))
		return VRF_DEFAULT;
	vrf = vrf_lookup_by_name(listen->vrf);
	return vrf ? vrf->vrf_id : VRF_UNKNOWN;
}

static int socket_in_vrf(struct sock *sock)
{
	const struct ctl_listen *listen = &sock->listen;
	int fd = -1, err = 0;

	sock->vrf_id = vrf_id_of(listen);
	if (sock->vrf_id == VRF_UNKNOWN) {
		errno = ENODEV;
		return -1;
	}
	frr_with_privs (&cluster_privs) {
		fd = cluster_vrf_socket(sock->vrf_id,
					ipaddr_family(&listen->addr),
					SOCK_DGRAM | SOCK_CLOEXEC, 0);
		err = errno;
		if (fd >= 0 && sock->vrf_id != VRF_DEFAULT &&
		    !vrf_is_backend_netns() &&
		    vrf_bind(sock->vrf_id, fd, listen->vrf) < 0) {
			err = errno;
			close(fd);
			fd = -1;
		}
	}
	errno = err;
	return fd;
}

/* The kernel caps it for who hasn't the right to ask for more. */
static void receive_buffer(int fd)
{
	int size = RCVBUF, ret = -1;

	frr_with_privs (&cluster_privs) {
		ret = setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
				 sizeof(size));
	}
	if (ret)
		setsockopt_so_recvbuf(fd, size);
}

static bool sock_setup(struct sock *sock)
{
	const struct ctl_listen *listen = &sock->listen;
	union address address;
	socklen_t len = address_set(&address, &listen->addr, listen->port, 0);
	int on = 1, ret;

	if (IS_IPADDR_V4(&listen->addr)) {
		ret = setsockopt(sock->fd, IPPROTO_IP, IP_PKTINFO, &on,
				 sizeof(on));
	} else {
		ret = setsockopt(sock->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on,
				 sizeof(on));
		if (!ret)
			ret = setsockopt(sock->fd, IPPROTO_IPV6,
					 IPV6_RECVPKTINFO, &on, sizeof(on));
	}
	if (ret || set_nonblocking(sock->fd) < 0)
		return failed(sock, "socket option");
	receive_buffer(sock->fd);
	if (bind(sock->fd, &address.sa, len))
		return failed(sock, "bind");
	return true;
}

static void sock_open(struct sock *sock)
{
	struct ctl_io *io = sock->io;

	sock->fd = socket_in_vrf(sock);
	if (sock->fd < 0) {
		failed(sock, errno == ENODEV ? "VRF" : "socket");
	} else if (sock_setup(sock)) {
		sock->why[0] = '\0';
		event_add_read(io->loop, sock_readable, sock, sock->fd,
			       &sock->t_read);
		return;
	} else {
		close(sock->fd);
		sock->fd = -1;
	}
	retry_later(io);
}

static void retry(struct event *event)
{
	struct ctl_io *io = EVENT_ARG(event);

	for (int i = 0; i < CTL_IO_SOCKETS_MAX; i++)
		if (io->socks[i].used && io->socks[i].fd < 0)
			sock_open(&io->socks[i]);
}

static void retry_later(struct ctl_io *io)
{
	event_add_timer(io->loop, retry, io, CTL_IO_RETRY_S, &io->t_retry);
}

static bool listen_same(const struct ctl_listen *a, const struct ctl_listen *b)
{
	return a->port == b->port && !strcmp(a->vrf, b->vrf) &&
	       !ipaddr_cmp(&a->addr, &b->addr);
}

static bool listed(const struct ctl_listen *listen,
		   const struct ctl_listen *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (listen_same(listen, &list[i]))
			return true;
	return false;
}

/* The socket of a listen, or else a free slot; NULL: none is left. */
static struct sock *sock_slot(struct ctl_io *io, const struct ctl_listen *listen)
{
	struct sock *slot = NULL;

	for (int i = 0; i < CTL_IO_SOCKETS_MAX; i++) {
		struct sock *sock = &io->socks[i];

		if (sock->used && listen_same(&sock->listen, listen))
			return sock;
		if (!sock->used && !slot)
			slot = sock;
	}
	return slot;
}

size_t ctl_io_listen(struct ctl_io *io, const struct ctl_listen *list, size_t n)
{
	size_t taken = 0;

	/* First those that go: a new one may want the same port. */
	for (int i = 0; i < CTL_IO_SOCKETS_MAX; i++) {
		struct sock *sock = &io->socks[i];

		if (!sock->used || listed(&sock->listen, list, n))
			continue;
		sock_close(sock);
		sock->used = false;
	}
	for (size_t i = 0; i < n; i++) {
		struct sock *sock = sock_slot(io, &list[i]);

		if (!sock)
			continue;
		taken++;
		if (sock->used)
			continue;
		*sock = (struct sock){
			.io = io, .used = true, .listen = list[i], .fd = -1
		};
		sock_open(sock);
	}
	return taken;
}

void ctl_io_vrfs_changed(struct ctl_io *io)
{
	for (int i = 0; i < CTL_IO_SOCKETS_MAX; i++) {
		struct sock *sock = &io->socks[i];

		if (!sock->used || sock->fd < 0 ||
		    sock->vrf_id == vrf_id_of(&sock->listen))
			continue;
		sock_close(sock);
		sock_open(sock);
	}
}

static bool is_any(const struct ipaddr *addr)
{
	return IS_IPADDR_V4(addr) ? addr->ipaddr_v4.s_addr == INADDR_ANY
				  : IN6_IS_ADDR_UNSPECIFIED(&addr->ipaddr_v6);
}

bool ctl_io_socket(const struct ctl_io *io, const char *vrf,
		   const struct ipaddr *local, const struct ipaddr *remote,
		   uint32_t *number)
{
	int best = 0;

	for (uint32_t i = 0; i < CTL_IO_SOCKETS_MAX; i++) {
		const struct ctl_listen *listen = &io->socks[i].listen;
		int fit;

		if (!io->socks[i].used || strcmp(listen->vrf, vrf) ||
		    listen->addr.ipa_type != remote->ipa_type)
			continue;
		/* The very address, or else all addresses; or, any will do. */
		if (!IS_IPADDR_NONE(local))
			fit = !ipaddr_cmp(local, &listen->addr) ? 2
			      : is_any(&listen->addr)		? 1
								: 0;
		else
			fit = is_any(&listen->addr) ? 2 : 1;
		if (fit <= best)
			continue;
		best = fit;
		*number = i;
	}
	return best > 0;
}

const char *ctl_io_vrf(const struct ctl_io *io, uint32_t number)
{
	if (number >= CTL_IO_SOCKETS_MAX || !io->socks[number].used)
		return "";
	return io->socks[number].listen.vrf;
}

bool ctl_io_view(const struct ctl_io *io, size_t i, struct ctl_io_view *view)
{
	for (int slot = 0; slot < CTL_IO_SOCKETS_MAX; slot++) {
		const struct sock *sock = &io->socks[slot];

		if (!sock->used || i--)
			continue;
		*view = (struct ctl_io_view){
			.listen = sock->listen,
			.rx = sock->rx,
			.tx = sock->tx,
			.tx_errors = sock->tx_errors,
		};
		memcpy(view->why, sock->why, sizeof(view->why));
		return true;
	}
	return false;
}

struct ctl_io *ctl_io_new(struct event_loop *loop, const struct ctl_io_ops *ops,
			  void *arg)
{
	struct ctl_io *io = XCALLOC(MTYPE_CTL_IO, sizeof(*io));

	io->loop = loop;
	io->ops = ops;
	io->arg = arg;
	for (int i = 0; i < CTL_IO_SOCKETS_MAX; i++)
		io->socks[i].fd = -1;
	return io;
}

void ctl_io_free(struct ctl_io **io)
{
	if (!*io)
		return;
	ctl_io_listen(*io, NULL, 0);
	cluster_event_off((*io)->t_retry);
	cluster_event_off((*io)->t_flush);
	XFREE(MTYPE_CTL_IO, *io);
}
