// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A responder's packet sockets: one an interface, with a filter in the kernel
 * that lets in what has to do with the virtual addresses.
 *
 * Sent frames bypass neighbour tables and routing: an answer leaves by the
 * interface of its question, to the hardware address that asked, with the
 * VLAN tag that it had.
 */
#include "cluster_compat.h"

#include <net/ethernet.h>
#include <netpacket/packet.h>
#include <sys/resource.h>

#include "network.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_vrf.h"
#include "responder/responder_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, RESPONDER_CLOSING, "Sockets to be closed");

/* Frames that are looked at before others in the loop have their turn. */
#define FRAMES_A_TURN	64
#define CONFLICT_LOG_US INT64_C(60000000)

/*
 * packet(7). FRR's sources have an old linux/if_packet.h, which stands before
 * the system's and hasn't got these.
 */
#define IGNORE_OUTGOING 23
#define VLAN_VALID	(1 << 4)
#define VLAN_TPID_VALID (1 << 6)
struct packet_auxdata {
	uint32_t status, len, snaplen;
	uint16_t mac, net, vlan_tci, vlan_tpid;
};

/* ---- answering ---- */

static void conflict_log(struct responder_interface *interface,
			 const struct responder_request *request)
{
	struct responder *responder = interface->responder;
	int64_t now_us = cluster_now_us();

	if (responder->conflict_logged_us &&
	    now_us - responder->conflict_logged_us < CONFLICT_LOG_US)
		return;
	responder->conflict_logged_us = now_us;
	flog_warn(EC_CLUSTER_RESPONDER_CONFLICT,
		  "responder %s: %02x:%02x:%02x:%02x:%02x:%02x on %s says that %pIA is its own",
		  responder->name, request->mac[0], request->mac[1],
		  request->mac[2], request->mac[3], request->mac[4],
		  request->mac[5], interface->name, &request->address);
}

static bool is_broadcast(struct interface *ifp, const struct ipaddr *addr)
{
	struct connected *connected;

	if (!IS_IPADDR_V4(addr))
		return false;
	CLUSTER_FOR_EACH_CONNECTED (ifp, connected) {
		const struct prefix *p = connected->address;

		if (p->family == AF_INET && p->prefixlen < IPV4_MAX_BITLEN - 1 &&
		    ipv4_broadcast_addr(p->u.prefix4.s_addr, p->prefixlen) ==
			    addr->ipaddr_v4.s_addr)
			return true;
	}
	return false;
}

/* Whether an echo request is answered now; counts why not. */
static bool echo_allowed(struct responder_interface *interface,
			 const struct responder_request *request)
{
	struct responder *responder = interface->responder;
	struct responder_counters *counters = &responder->counters;
	bool answers = false;

	for (size_t i = 0; i < responder->n_told; i++)
		if (!ipaddr_cmp(&responder->told[i], &request->address))
			answers = responder->answers[i];
	if (!answers) {
		counters->held++;
		return false;
	}
	if (responder->accept[0] &&
	    !accept_list_permits(responder->accept, &request->source)) {
		counters->filtered++;
		return false;
	}
	if (!responder_bucket_take(&responder->bucket, responder->rate,
				   cluster_now_us())) {
		counters->limited++;
		return false;
	}
	return true;
}

static void requester_note(struct responder_interface *interface,
			   const struct responder_request *request,
			   const struct responder_vlan *vlan)
{
	struct responder_requester *last = &interface->responder->last;

	last->kind = request->kind;
	last->source = request->source;
	last->address = request->address;
	memcpy(last->mac, request->mac, sizeof(last->mac));
	last->vlan = *vlan;
	strlcpy(last->ifname, interface->name, sizeof(last->ifname));
	last->wall = time(NULL);
}

static void answer_send(struct responder_interface *interface,
			const uint8_t *frame, size_t len,
			const struct responder_request *request,
			const struct responder_vlan *vlan)
{
	static uint8_t out[RESPONDER_FRAME_MAX + RESPONDER_VLAN_LEN + 32];
	struct responder_counters *counters = &interface->responder->counters;

	len = responder_answer(frame, len, interface->mac, request, vlan, out,
			       sizeof(out));
	if (send(interface->fd, out, len, MSG_DONTWAIT) != (ssize_t)len) {
		counters->tx_errors++;
		return;
	}
	if (request->kind == RESPONDER_ARP)
		counters->arp_sent++;
	else if (request->kind == RESPONDER_NEIGHBOR)
		counters->neighbor_sent++;
	else
		counters->echo_sent++;
}

static void frame_take(struct responder_interface *interface,
		       const uint8_t *frame, size_t len,
		       const struct responder_vlan *vlan)
{
	struct responder *responder = interface->responder;
	struct vrf *vrf = vrf_lookup_by_name(responder->vrf);
	struct interface *ifp = vrf ? if_lookup_by_index(interface->ifindex,
							 vrf->vrf_id)
				    : NULL;
	struct responder_request request;

	responder_parse(frame, len, interface->mac, responder->told,
			responder->n_told, &request);
	if (request.kind <= RESPONDER_ECHO && ifp &&
	    is_broadcast(ifp, &request.source))
		request.kind = RESPONDER_BAD_SOURCE;
	responder->counters.received[request.kind]++;
	if (request.kind == RESPONDER_CONFLICT)
		conflict_log(interface, &request);
	if (request.kind > RESPONDER_ECHO)
		return;
	requester_note(interface, &request, vlan);
	if (request.kind != RESPONDER_ECHO || echo_allowed(interface, &request))
		answer_send(interface, frame, len, &request, vlan);
}

/* The tag that the kernel has taken off. */
static void vlan_of(struct msghdr *hdr, struct responder_vlan *vlan)
{
	struct cmsghdr *cmsg;

	memset(vlan, 0, sizeof(*vlan));
	for (cmsg = CMSG_FIRSTHDR(hdr); cmsg; cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		struct packet_auxdata aux;

		if (cmsg->cmsg_level != SOL_PACKET ||
		    cmsg->cmsg_type != PACKET_AUXDATA ||
		    cmsg->cmsg_len < CMSG_LEN(sizeof(aux)))
			continue;
		memcpy(&aux, CMSG_DATA(cmsg), sizeof(aux));
		if (!(aux.status & VLAN_VALID))
			return;
		vlan->present = true;
		vlan->tci = aux.vlan_tci;
		vlan->tpid = aux.status & VLAN_TPID_VALID ? aux.vlan_tpid
							  : ETHERTYPE_VLAN;
	}
}

static void frames_read(struct event *event)
{
	static uint8_t frame[RESPONDER_FRAME_MAX + 1]; /* one more: too long */
	struct responder_interface *interface = EVENT_ARG(event);
	uint8_t control[CMSG_SPACE(sizeof(struct packet_auxdata))]
		__attribute__((aligned(8)));
	struct responder_vlan vlan;

	event_add_read(cluster_master, frames_read, interface, interface->fd,
		       &interface->t_read);
	for (int i = 0; i < FRAMES_A_TURN; i++) {
		struct iovec iov = { frame, sizeof(frame) };
		struct msghdr hdr = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t len = recvmsg(interface->fd, &hdr, MSG_DONTWAIT);

		if (len < 0) {
			/* The interface is down or gone: zebra says so, too. */
			if (!ERRNO_IO_RETRY(errno))
				cluster_sched_decide();
			return;
		}
		vlan_of(&hdr, &vlan);
		frame_take(interface, frame, (size_t)len, &vlan);
	}
}

/* ---- sockets ---- */

static bool filter_attach(int fd, const struct responder *responder)
{
	struct sock_filter program[RESPONDER_FILTER_MAX];
	struct sock_fprog fprog = { .filter = program };

	fprog.len = (unsigned short)responder_filter(responder->told,
						     responder->n_told, program);
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &fprog,
			  sizeof(fprog)) == 0;
}

/*
 * Solicitations for IPv6 addresses come to a multicast group. `change`:
 * PACKET_ADD_MEMBERSHIP, PACKET_DROP_MEMBERSHIP; the kernel counts.
 */
static void groups_change(const struct responder_interface *interface, int fd,
			  int change, const struct ipaddr *addrs, size_t n)
{
	struct packet_mreq mreq = {
		.mr_ifindex = interface->ifindex,
		.mr_type = PACKET_MR_MULTICAST,
		.mr_alen = RESPONDER_MAC_LEN,
	};

	for (size_t i = 0; i < n; i++) {
		if (!IS_IPADDR_V6(&addrs[i]))
			continue;
		responder_solicited_mac(&addrs[i].ipaddr_v6, mreq.mr_address);
		/* A bridge or a switch that floods needs no membership. */
		(void)setsockopt(fd, SOL_PACKET, change, &mreq, sizeof(mreq));
	}
}

static void let_in_note(struct responder_interface *interface)
{
	const struct responder *responder = interface->responder;

	interface->n_let_in = responder->n_told;
	memcpy(interface->let_in, responder->told, sizeof(interface->let_in));
}

/*
 * Other addresses: the kernel takes the new filter in the old one's place, and the
 * socket stays.  Another socket would need a descriptor before the old one has
 * given back its own, and hear nothing meanwhile.
 */
static bool socket_adjust(struct responder_interface *interface)
{
	const struct responder *responder = interface->responder;

	if (!filter_attach(interface->fd, responder))
		return false;
	groups_change(interface, interface->fd, PACKET_ADD_MEMBERSHIP,
		      responder->told, responder->n_told);
	groups_change(interface, interface->fd, PACKET_DROP_MEMBERSHIP,
		      interface->let_in, interface->n_let_in);
	let_in_note(interface);
	return true;
}

/* ---- opening and closing ---- */

/*
 * The kernel ends a packet socket only when all CPUs have left the code that
 * receives (synchronize_net()), which takes some milliseconds, and a link that
 * goes down ends those of all its responders. So the loop goes on between two.
 */
static int *closing;
static size_t n_closing, max_closing;
static struct event *t_close;

/*
 * A socket that there is no descriptor for takes as long, because it is made
 * before. So when one was refused the others aren't tried for a while, or until
 * those that were in use are closed.
 */
#define REFUSED_MS 10000

static int refused; /* an errno; 0: try */
static struct event *t_refused;
static bool used_closing; /* not only what was refused */

static void try_again(struct event *event)
{
	refused = 0;
	cluster_sched_decide();
}

static void close_one(struct event *event)
{
	close(closing[--n_closing]);
	if (n_closing) {
		event_add_event(cluster_master, close_one, NULL, 0, &t_close);
		return;
	}
	XFREE(MTYPE_RESPONDER_CLOSING, closing);
	max_closing = 0;
	if (used_closing && refused) {
		cluster_event_off(t_refused);
		try_again(NULL);
	}
	used_closing = false;
}

static void close_soon(int fd)
{
	if (n_closing == max_closing) {
		max_closing = max_closing ? 2 * max_closing : 16;
		closing = XREALLOC(MTYPE_RESPONDER_CLOSING, closing,
				   max_closing * sizeof(*closing));
	}
	closing[n_closing++] = fd;
	event_add_event(cluster_master, close_one, NULL, 0, &t_close);
}

/* A quarter of all descriptors is left to probes, zebra and vtysh. */
static bool enough_left(int fd)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) < 0 ||
	       (rlim_t)fd < files.rlim_cur - files.rlim_cur / 4;
}

static void refused_note(int error)
{
	if (error != EMFILE && error != ENFILE && error != ENOMEM &&
	    error != ENOBUFS)
		return;
	refused = error;
	event_add_timer_msec(cluster_master, try_again, NULL, REFUSED_MS,
			     &t_refused);
}

/* Closes it again when something fails; errno tells what. */
static int set_up(const struct responder_interface *interface, int fd)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = interface->ifindex,
	};
	int on = 1;
	int err = EMFILE;

	if (!enough_left(fd))
		goto failed;
	if (setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) == 0 &&
	    filter_attach(fd, interface->responder) &&
	    bind(fd, (struct sockaddr *)&ll, sizeof(ll)) == 0) {
		/* What we send ourselves is of no interest; kernels before 4.20
		 * can't, and the parser finds nothing in it.
		 */
		(void)setsockopt(fd, SOL_PACKET, IGNORE_OUTGOING, &on,
				 sizeof(on));
		groups_change(interface, fd, PACKET_ADD_MEMBERSHIP,
			      interface->responder->told,
			      interface->responder->n_told);
		return fd;
	}
	err = errno;
failed:
	close_soon(fd);
	errno = err;
	return -1;
}

/* Every decision tries again: the log has it once. */
static void socket_refused(struct responder_interface *interface, int err)
{
	char why[sizeof(interface->why)];

	snprintf(why, sizeof(why), "can't listen: %s", safe_strerror(err));
	if (!strcmp(why, interface->why))
		return;
	flog_err(EC_CLUSTER_SYSTEM, "responder %s: packet socket on %s: %s",
		 interface->responder->name, interface->name,
		 safe_strerror(err));
	strlcpy(interface->why, why, sizeof(interface->why));
}

/* Without a protocol until it is bound: nothing passes before the filter. */
static void socket_open(struct responder_interface *interface,
			const struct interface *ifp)
{
	int fd = -1, err = 0;

	interface->refused = true;
	if (refused) {
		snprintf(interface->why, sizeof(interface->why),
			 "can't listen: %s", safe_strerror(refused));
		return;
	}
	frr_with_privs (&cluster_privs) {
		fd = cluster_vrf_socket(ifp->vrf->vrf_id, AF_PACKET,
					SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					0);
		if (fd >= 0)
			fd = set_up(interface, fd);
		err = errno;
	}
	interface->fd = fd;
	if (fd < 0) {
		refused_note(err);
		socket_refused(interface, err);
		return;
	}
	interface->refused = false;
	interface->why[0] = '\0';
	event_add_read(cluster_master, frames_read, interface, fd,
		       &interface->t_read);
}

void responder_io_close(struct responder_interface *interface)
{
	cluster_event_off(interface->t_read);
	if (interface->fd >= 0) {
		used_closing = true;
		close_soon(interface->fd);
	}
	interface->fd = -1;
	interface->refused = false;
}

void responder_io_fini(void)
{
	/* The rest ends with the process. */
	cluster_event_off(t_close);
	cluster_event_off(t_refused);
	XFREE(MTYPE_RESPONDER_CLOSING, closing);
	n_closing = max_closing = 0;
}

static struct interface *usable(struct responder_interface *interface)
{
	struct vrf *vrf = vrf_lookup_by_name(interface->responder->vrf);
	struct interface *ifp =
		vrf ? if_lookup_by_name(interface->name, vrf->vrf_id) : NULL;
	const char *why = NULL;

	if (!ifp)
		why = "doesn't exist";
	else if (!interface->up)
		why = "down";
	else if (ifp->hw_addr_len != RESPONDER_MAC_LEN)
		why = "not Ethernet";
	if (!why)
		return ifp;
	strlcpy(interface->why, why, sizeof(interface->why));
	return NULL;
}

static bool same_let_in(const struct responder_interface *interface)
{
	const struct responder *responder = interface->responder;

	if (interface->n_let_in != responder->n_told)
		return false;
	for (size_t i = 0; i < responder->n_told; i++)
		if (ipaddr_cmp(&interface->let_in[i], &responder->told[i]))
			return false;
	return true;
}

void responder_io_follow(struct responder_interface *interface)
{
	struct responder *responder = interface->responder;
	struct interface *ifp = usable(interface);

	if (!ifp || responder->n_told == 0) {
		if (ifp)
			strlcpy(interface->why, "no address to answer for",
				sizeof(interface->why));
		responder_io_close(interface);
		return;
	}
	memcpy(interface->mac, ifp->hw_addr, sizeof(interface->mac));
	if (interface->fd >= 0 && interface->ifindex == ifp->ifindex &&
	    (same_let_in(interface) || socket_adjust(interface)))
		return;
	responder_io_close(interface);
	interface->ifindex = ifp->ifindex;
	let_in_note(interface);
	socket_open(interface, ifp);
}
