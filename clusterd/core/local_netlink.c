// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Local routes in the kernel.
 *
 *   vip --(set of addresses)--> local_table --requests--> netlink socket
 *   netlink: acknowledgements, what is there --> local_table --> cluster_sched
 *
 * One socket for each VRF, opened inside its network namespace.  A namespace
 * is read when its socket is opened, whenever the kernel says that it has lost
 * messages for us (ENOBUFS), and every 5 s: routes that somebody else has
 * removed come back, leftovers of a clusterd that was killed go.  Reading is
 * cheap: the kernel filters by table and protocol (strict checking).
 *
 * Both socket() and send() need the privileges: the kernel asks for those of
 * who opened the socket and of who sends.
 *
 * Spec: vip.md ("Local service").
 */
#include "cluster_compat.h"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "memory.h"
#include "network.h"
#include "privs.h"
#include "typesafe.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_vrf.h"
#include "core/cluster_zebra.h"
#include "core/config_reading.h"
#include "core/local_netlink.h"

/* How often a namespace is read, and a socket that failed is tried again. */
#define READ_PERIOD_US (5 * 1000000LL)
/* A reading or request without an answer: the socket is opened anew. */
#define ANSWER_MAX_US (5 * 1000000LL)
#define TICK_MS	      1000
/* Leftovers stay that long for a configuration that names them. */
#define SWEEP_GRACE_US (5 * 1000000LL)

/* Requests under way: their answers fit into any receive buffer. */
#define BATCH_MAX    32
#define REQUEST_SIZE 128
#define READ_SIZE    32768
/* Messages and batches in one event: others have their turn in between. */
#define READS_MAX   8
#define BATCHES_MAX 16
/*
 * While there are more requests, decisions about what they have changed wait so
 * long: thousands are done together, and each decision looks at everything.
 */
#define CHANGED_US (100 * 1000LL)

DEFINE_MTYPE_STATIC(CLUSTERD, LOCAL_NETLINK, "Local route socket");

PREDECL_DLIST(sockets);

struct netlink_request {
	uint32_t seq;
	struct cluster_route_key key;
};

struct netlink_socket {
	struct sockets_item item;
	char vrf[CLUSTER_VRF_LEN];
	vrf_id_t vrf_id;
	int fd;	   /* -1: failed */
	int error; /* why */
	int64_t tried_us;

	struct event *t_read, *t_send;
	uint32_t seq;
	struct netlink_request batch[BATCH_MAX];
	size_t n_batch;
	uint32_t read_seq; /* of the reading under way; 0: none */
	uint8_t read_family;
	/* The kernel ended the reading early: its lists changed meanwhile. */
	bool interrupted;
	bool read_again; /* as soon as nothing is under way */
	int64_t read_us, asked_us;
};

DECLARE_DLIST(sockets, struct netlink_socket, item);

static struct sockets_head sockets = INIT_DLIST(sockets);
static struct local_table *table;
static struct event *t_tick, *t_run;
static bool stopping;
static int64_t started_us, run_at_us;
static int64_t changed_us; /* since when a decision waits; 0: none does */
static bool requesting;

static void reading_start(struct netlink_socket *sock);
static void requests_due(struct event *event);
static void op_changed(void);

static struct netlink_socket *socket_find(const char *vrf)
{
	struct netlink_socket *sock;

	frr_each (sockets, &sockets, sock)
		if (strcmp(sock->vrf, vrf) == 0)
			return sock;
	return NULL;
}

/* -- messages -- */

static struct nlmsghdr *message_new(void *buffer, uint16_t type, uint16_t flags,
				    uint32_t seq, uint8_t family)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct rtmsg *rtm;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = seq;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = family;
	rtm->rtm_table = RT_TABLE_LOCAL;
	rtm->rtm_protocol = LOCAL_PROTOCOL;
	return nlh;
}

/* `local ADDRESS dev lo table local proto 84 metric 84` */
static size_t request_build(void *buffer, uint32_t seq,
			    const struct local_request *request, int lo)
{
	bool add = request->op == LOCAL_OP_ADD;
	const struct ipaddr *addr = &request->key.addr;
	bool v6 = IS_IPADDR_V6(addr);
	struct nlmsghdr *nlh =
		message_new(buffer, add ? RTM_NEWROUTE : RTM_DELROUTE,
			    NLM_F_ACK | (add ? NLM_F_CREATE | NLM_F_EXCL : 0),
			    seq, v6 ? AF_INET6 : AF_INET);
	struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);

	rtm->rtm_type = RTN_LOCAL;
	rtm->rtm_scope = v6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_HOST;
	if (v6) {
		rtm->rtm_dst_len = IPV6_MAX_BITLEN;
		mnl_attr_put(nlh, RTA_DST, sizeof(addr->ipaddr_v6),
			     &addr->ipaddr_v6);
	} else {
		rtm->rtm_dst_len = IPV4_MAX_BITLEN;
		mnl_attr_put(nlh, RTA_DST, sizeof(addr->ipaddr_v4),
			     &addr->ipaddr_v4);
	}
	mnl_attr_put_u32(nlh, RTA_OIF, lo);
	mnl_attr_put_u32(nlh, RTA_PRIORITY, LOCAL_METRIC);
	return nlh->nlmsg_len;
}

static bool message_send(struct netlink_socket *sock, const void *data,
			 size_t len)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent = -1;
	int err = 0;

	frr_with_privs (&cluster_privs) {
		sent = sendto(sock->fd, data, len, 0,
			      (struct sockaddr *)&kernel, sizeof(kernel));
		err = errno;
	}
	errno = err;
	return sent == (ssize_t)len;
}

/* -- sockets -- */

static void netlink_readable(struct event *event);

static void socket_close(struct netlink_socket *sock, int error, bool gone)
{
	cluster_event_off(sock->t_read);
	cluster_event_off(sock->t_send);
	if (sock->fd >= 0)
		close(sock->fd);
	sock->fd = -1;
	sock->error = error;
	sock->n_batch = 0;
	sock->read_seq = 0;
	local_table_lost(table, sock->vrf, gone);
	cluster_sched_decide();
}

/* Something doesn't work: said once, tried again after READ_PERIOD_US. */
static void socket_failed(struct netlink_socket *sock, const char *what,
			  int error)
{
	if (error != sock->error)
		flog_err(EC_CLUSTER_LOCAL_ROUTES,
			 "local routes in VRF %s: %s: %s", sock->vrf, what,
			 safe_strerror(error));
	socket_close(sock, error, false);
}

/* socket() inside the VRF's namespace; -errno on failure. */
static int netlink_socket_new(vrf_id_t vrf_id)
{
	int fd = -1, err = 0;

	frr_with_privs (&cluster_privs) {
		fd = cluster_vrf_socket(vrf_id, AF_NETLINK,
					SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					NETLINK_ROUTE);
		err = errno;
	}
	return fd < 0 ? -err : fd;
}

static void socket_open(struct netlink_socket *sock, int64_t now_us)
{
	int on = 1;
	int fd;

	sock->tried_us = now_us;
	if (sock->vrf_id != VRF_DEFAULT && !vrf_is_backend_netns()) {
		sock->error = EOPNOTSUPP;
		return;
	}
	fd = netlink_socket_new(sock->vrf_id);
	if (fd < 0) {
		socket_failed(sock, "no netlink socket", -fd);
		return;
	}
	sock->fd = fd;
	/* Answers without the request; an old kernel may lack it. */
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	/* Without it the kernel sends all routes: they are filtered here. */
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	event_add_read(cluster_master, netlink_readable, sock, fd,
		       &sock->t_read);
	reading_start(sock);
}

static struct netlink_socket *socket_add(const char *vrf)
{
	struct netlink_socket *sock = XCALLOC(MTYPE_LOCAL_NETLINK,
					      sizeof(*sock));

	strlcpy(sock->vrf, vrf, sizeof(sock->vrf));
	sock->fd = -1;
	sock->seq = 1;
	sockets_add_tail(&sockets, sock);
	return sock;
}

static void socket_del(struct netlink_socket *sock)
{
	socket_close(sock, 0, true);
	sockets_del(&sockets, sock);
	XFREE(MTYPE_LOCAL_NETLINK, sock);
}

/* A socket for every VRF that is there, none for one that isn't. */
static void sockets_update(int64_t now_us)
{
	struct netlink_socket *sock;
	struct vrf *vrf;

	frr_each_safe (sockets, &sockets, sock) {
		vrf = vrf_lookup_by_name(sock->vrf);
		if (!vrf || !vrf_is_enabled(vrf) || vrf->vrf_id != sock->vrf_id)
			socket_del(sock);
	}
	RB_FOREACH (vrf, vrf_name_head, &vrfs_by_name) {
		if (vrf->vrf_id == VRF_UNKNOWN || !vrf_is_enabled(vrf))
			continue;
		sock = socket_find(vrf->name);
		if (!sock) {
			sock = socket_add(vrf->name);
			sock->vrf_id = vrf->vrf_id;
			socket_open(sock, now_us);
		}
	}
}

/* -- requests -- */

static void requests_soon(struct netlink_socket *sock)
{
	event_add_event(cluster_master, requests_due, sock, 0, &sock->t_send);
}

static int loopback_index(const struct netlink_socket *sock)
{
	const struct interface *ifp = if_lookup_by_name("lo", sock->vrf_id);

	/* 1 in every namespace; zebra may not have told yet. */
	return ifp && ifp->ifindex > 0 ? (int)ifp->ifindex : 1;
}

static void requests_send(struct netlink_socket *sock)
{
	uint8_t buffer[BATCH_MAX * REQUEST_SIZE] = {};
	struct local_request request;
	int lo = loopback_index(sock);
	size_t len = 0;

	if (sock->n_batch || sock->fd < 0)
		return;
	while (sock->n_batch < BATCH_MAX &&
	       local_table_next(table, sock->vrf, &request)) {
		uint32_t seq = ++sock->seq;

		sock->batch[sock->n_batch].seq = seq;
		sock->batch[sock->n_batch++].key = request.key;
		len += NLMSG_ALIGN(
			request_build(&buffer[len], seq, &request, lo));
		LOCAL_DEBUG("%s %pIA in %s",
			    request.op == LOCAL_OP_ADD ? "add" : "delete",
			    &request.key.addr, sock->vrf);
	}
	if (!len)
		return;
	sock->asked_us = cluster_now_us();
	if (!message_send(sock, buffer, len))
		socket_failed(sock, "can't be written", errno);
}

static struct netlink_request *request_find(struct netlink_socket *sock,
					    uint32_t seq)
{
	for (size_t i = 0; i < sock->n_batch; i++)
		if (sock->batch[i].seq == seq)
			return &sock->batch[i];
	return NULL;
}

static void request_done(struct netlink_socket *sock,
			 struct netlink_request *request, int error)
{
	struct cluster_route_key key = request->key;

	*request = sock->batch[--sock->n_batch];
	LOCAL_DEBUG("%pIA in %s: %s", &key.addr, sock->vrf,
		    error ? safe_strerror(error) : "done");
	if (local_table_done(table, &key, error))
		flog_warn(EC_CLUSTER_LOCAL_ROUTES,
			  "the kernel refused a change of the local route to %pIA in VRF %s: %s",
			  &key.addr, sock->vrf, safe_strerror(error));
}

/* -- reading what is there -- */

/* IPv4, then IPv6. */
static void reading_ask(struct netlink_socket *sock, uint8_t family)
{
	uint8_t buffer[REQUEST_SIZE] = {};
	struct nlmsghdr *nlh;
	struct rtmsg *rtm;

	sock->read_seq = ++sock->seq;
	sock->read_family = family;
	sock->asked_us = cluster_now_us();
	sock->interrupted = false;
	nlh = message_new(buffer, RTM_GETROUTE, NLM_F_DUMP, sock->read_seq,
			  family);
	rtm = mnl_nlmsg_get_payload(nlh);
	rtm->rtm_type = RTN_LOCAL;
	if (!message_send(sock, buffer, nlh->nlmsg_len))
		socket_failed(sock, "can't be written", errno);
}

static void reading_start(struct netlink_socket *sock)
{
	if (sock->fd < 0)
		return;
	/* One at a time. */
	if (sock->read_seq || !local_table_read_begin(table, sock->vrf)) {
		sock->read_again = true;
		return;
	}
	sock->read_again = false;
	sock->read_us = cluster_now_us();
	reading_ask(sock, AF_INET);
}

static void reading_done(struct netlink_socket *sock)
{
	sock->read_seq = 0;
	/* Incomplete: nothing may be concluded from what wasn't seen. */
	if (sock->interrupted) {
		reading_ask(sock, sock->read_family);
		return;
	}
	if (sock->read_family == AF_INET) {
		reading_ask(sock, AF_INET6);
		return;
	}
	sock->error = 0;
	local_table_read_end(table, sock->vrf);
	LOCAL_DEBUG("local routes of VRF %s read", sock->vrf);
}

static int route_attr(const struct nlattr *attr, void *data)
{
	const struct nlattr **dst = data;

	if (mnl_attr_get_type(attr) == RTA_DST)
		*dst = attr;
	return MNL_CB_OK;
}

/* A route of a reading: ours only, whatever the kernel sends. */
static void route_read(const struct netlink_socket *sock,
		       const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	struct cluster_route_key key = {};
	const struct nlattr *dst = NULL;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*rtm)) ||
	    rtm->rtm_protocol != LOCAL_PROTOCOL || rtm->rtm_type != RTN_LOCAL ||
	    rtm->rtm_table != RT_TABLE_LOCAL)
		return;
	mnl_attr_parse(nlh, sizeof(*rtm), route_attr, &dst);
	if (!dst)
		return;
	strlcpy(key.vrf, sock->vrf, sizeof(key.vrf));
	if (rtm->rtm_family == AF_INET && rtm->rtm_dst_len == IPV4_MAX_BITLEN &&
	    mnl_attr_get_payload_len(dst) == sizeof(key.addr.ipaddr_v4)) {
		SET_IPADDR_V4(&key.addr);
		memcpy(&key.addr.ipaddr_v4, mnl_attr_get_payload(dst),
		       sizeof(key.addr.ipaddr_v4));
	} else if (rtm->rtm_family == AF_INET6 &&
		   rtm->rtm_dst_len == IPV6_MAX_BITLEN &&
		   mnl_attr_get_payload_len(dst) == sizeof(key.addr.ipaddr_v6)) {
		SET_IPADDR_V6(&key.addr);
		memcpy(&key.addr.ipaddr_v6, mnl_attr_get_payload(dst),
		       sizeof(key.addr.ipaddr_v6));
	} else
		return;
	local_table_read(table, &key);
}

static void error_read(struct netlink_socket *sock, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	struct netlink_request *request;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*err)))
		return;
	request = request_find(sock, nlh->nlmsg_seq);
	if (request)
		request_done(sock, request, -err->error);
	else if (sock->read_seq && nlh->nlmsg_seq == sock->read_seq)
		socket_failed(sock, "can't be read", -err->error);
}

static void message_read(struct netlink_socket *sock, const struct nlmsghdr *nlh)
{
	bool ours = sock->read_seq && nlh->nlmsg_seq == sock->read_seq;

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR && ours)
		sock->interrupted = true;
	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		error_read(sock, nlh);
		break;
	case NLMSG_DONE:
		if (ours)
			reading_done(sock);
		break;
	case RTM_NEWROUTE:
		if (ours)
			route_read(sock, nlh);
		break;
	default:
		break;
	}
}

/* Messages were lost: whatever was under way, what is there tells. */
static void overrun(struct netlink_socket *sock)
{
	LOCAL_DEBUG("VRF %s: the kernel has lost messages for us", sock->vrf);
	socket_close(sock, 0, false);
	socket_open(sock, cluster_now_us());
}

/* False: there is nothing more, or the socket has failed. */
static bool receive(struct netlink_socket *sock)
{
	static uint8_t buffer[READ_SIZE] __attribute__((aligned(8)));
	struct sockaddr_nl from = {};
	socklen_t from_len = sizeof(from);
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buffer;
	ssize_t got = recvfrom(sock->fd, buffer, sizeof(buffer), 0,
			       (struct sockaddr *)&from, &from_len);
	int len = (int)got;

	if (got < 0) {
		if (errno == ENOBUFS)
			overrun(sock);
		else if (errno != EAGAIN && errno != EINTR)
			socket_failed(sock, "can't be read", errno);
		return false;
	}
	/* Other processes may send to us, too. */
	if (from.nl_pid != 0)
		return true;
	while (sock->fd >= 0 && mnl_nlmsg_ok(nlh, len)) {
		message_read(sock, nlh);
		nlh = mnl_nlmsg_next(nlh, &len);
	}
	return sock->fd >= 0;
}

/*
 * The kernel has answered before send() returns: no need to wait for that.
 * False: there is nothing more to ask for now.
 */
static bool requests_run(struct netlink_socket *sock)
{
	int batches = 0;

	while (!sock->read_again && batches++ < BATCHES_MAX) {
		requests_send(sock);
		if (!sock->n_batch)
			return false;
		while (sock->n_batch && receive(sock))
			;
		/* Not all answers yet: netlink_readable() goes on. */
		if (sock->fd < 0 || sock->n_batch)
			return false;
	}
	if (sock->read_again)
		reading_start(sock);
	else
		requests_soon(sock);
	return !sock->read_seq;
}

static void requests_due(struct event *event)
{
	bool more;

	requesting = true;
	more = requests_run(EVENT_ARG(event));
	requesting = false;
	if (changed_us && (!more || cluster_now_us() - changed_us > CHANGED_US))
		op_changed();
}

static void netlink_readable(struct event *event)
{
	struct netlink_socket *sock = EVENT_ARG(event);
	int reads = 0;

	event_add_read(cluster_master, netlink_readable, sock, sock->fd,
		       &sock->t_read);
	while (reads++ < READS_MAX && receive(sock))
		;
	if (sock->fd >= 0 && !sock->n_batch)
		requests_soon(sock);
}

/* -- the table's operations -- */

static bool op_announced(const struct cluster_route_key *key)
{
	/* At the end zebra's client is gone before us. */
	return !stopping &&
	       cluster_zebra_route_status(CLUSTER_OWNER_VIP, key, NULL) ==
		       CLUSTER_ROUTE_INSTALLED;
}

static bool op_withdrawal_waits(const struct cluster_route_key *key)
{
	return !stopping && cluster_zebra_withdrawal_waits(key);
}

static void op_requests(const char *vrf)
{
	struct netlink_socket *sock = socket_find(vrf);

	if (sock && sock->fd >= 0)
		requests_soon(sock);
}

static void op_changed(void)
{
	if (requesting) {
		if (!changed_us)
			changed_us = cluster_now_us();
		return;
	}
	changed_us = 0;
	cluster_sched_decide();
}

static const struct local_table_ops table_ops = {
	.announced = op_announced,
	.withdrawal_waits = op_withdrawal_waits,
	.requests = op_requests,
	.changed = op_changed,
};

/* -- time -- */

static void run_due(struct event *event);

static void run(void)
{
	int64_t now_us = cluster_now_us();
	int64_t next_us = local_table_run(table, now_us);

	/* Thousands of routes go at once: a timer that comes early will do. */
	if (t_run && next_us >= run_at_us)
		return;
	cluster_event_off(t_run);
	run_at_us = next_us;
	if (next_us)
		event_add_timer_msec(cluster_master, run_due, NULL,
				     (next_us - now_us + 999) / 1000, &t_run);
}

static void run_due(struct event *event)
{
	run();
}

static void tick(struct event *event)
{
	int64_t now_us = cluster_now_us();
	struct netlink_socket *sock;

	event_add_timer_msec(cluster_master, tick, NULL, TICK_MS, &t_tick);
	sockets_update(now_us);
	if (!config_reading_now() && now_us - started_us >= SWEEP_GRACE_US)
		local_table_sweep(table);
	frr_each (sockets, &sockets, sock) {
		bool waits = sock->n_batch || sock->read_seq;

		if (sock->fd < 0) {
			if (now_us - sock->tried_us >= READ_PERIOD_US)
				socket_open(sock, now_us);
		} else if (waits && now_us - sock->asked_us > ANSWER_MAX_US)
			overrun(sock);
		else if (!waits && now_us - sock->read_us >= READ_PERIOD_US)
			reading_start(sock);
	}
}

/* -- interface -- */

void local_routes_set(const struct local_want *wants, size_t n_wants)
{
	int64_t now_us = cluster_now_us();

	sockets_update(now_us);
	local_table_set(table, wants, n_wants, now_us);
	run();
}

enum local_status local_route_status(const struct cluster_route_key *key,
				     int *error)
{
	enum local_status status = local_table_status(table, key, error);
	const struct netlink_socket *sock;

	if (status != LOCAL_WAITING && status != LOCAL_NONE)
		return status;
	sock = socket_find(key->vrf);
	if (!sock || !sock->error)
		return status;
	if (error)
		*error = sock->error;
	return LOCAL_FAILED;
}

void local_route_counts(struct local_table_counts *counts)
{
	local_table_count(table, counts);
}

int64_t local_routes_left(void)
{
	return local_table_left(table, cluster_now_us());
}

void local_routes_withdrawn(void)
{
	local_table_all_withdrawn(table, cluster_now_us());
	run();
}

/* zebra's client: a route is gone, or (NULL) zebra is. */
static void withdrawn(const struct cluster_route_key *key)
{
	int64_t now_us = cluster_now_us();

	if (key)
		local_table_withdrawn(table, key, now_us);
	else
		local_table_zebra_lost(table);
	run();
}

void local_netlink_init(void)
{
	cluster_zebra_on_gone(withdrawn);
	started_us = cluster_now_us();
	table = local_table_new(&table_ops);
	event_add_event(cluster_master, tick, NULL, 0, &t_tick);
}

/* What fini() does without the loop: all requests of a socket, blocking. */
static void requests_finish(struct netlink_socket *sock)
{
	struct pollfd pollfd = { .fd = sock->fd, .events = POLLIN };

	for (;;) {
		requests_send(sock);
		if (!sock->n_batch)
			return;
		/* The kernel has answered before send() returned. */
		if (poll(&pollfd, 1, 100) <= 0)
			return;
		receive(sock);
	}
}

void local_netlink_fini(void)
{
	struct netlink_socket *sock;
	int64_t now_us = cluster_now_us(), left_us;

	stopping = true;
	cluster_event_off(t_tick);
	local_table_set(table, NULL, 0, now_us);
	local_table_all_withdrawn(table, now_us);
	/* Who had the time has waited before: local_routes_left(). */
	left_us = local_table_left(table, now_us);
	local_table_run(table, now_us + left_us);
	frr_each_safe (sockets, &sockets, sock) {
		if (sock->fd >= 0)
			requests_finish(sock);
		socket_del(sock);
	}
	cluster_event_off(t_run);
	local_table_free(&table);
}
