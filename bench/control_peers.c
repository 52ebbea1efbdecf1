// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The other side of many sessions, for bench/control-sessions: as little as a
 * program can do to keep them up, by one socket for all of them.
 *
 *	control_peers control N INTERVAL NODE	N nodes, 198.18.0.1 and on, that
 *						call NODE (control protocol)
 *	control_peers bfd N INTERVAL NODE	N BFD systems, 198.19.0.1 and on
 *	control_peers hmac			what a keepalive's HMAC costs
 *
 * Each session sends every INTERVAL ms, evenly spread.  A hundred times a
 * second one of them asks for an answer at once (the flag `ask`; BFD's poll).
 * After SIGUSR1 it prints, as JSON, how many sessions are up, how late the
 * node's periodic messages were (behind INTERVAL, which is the most that may
 * be between them) and how long the answers took, in ms since the last time.
 */
#include <zebra.h>

#include <poll.h>

#include "core/ctl_auth.h"
#include "core/ctl_codec.h"

#define BATCH	64
#define SAMPLES (1 << 20)
#define ASK_US	10000

#define BFD_PORT   3784
#define BFD_SOURCE 49152
#define BFD_LEN	   24
enum { BFD_DOWN = 1, BFD_INIT = 2, BFD_UP = 3 };
#define BFD_POLL  0x20
#define BFD_FINAL 0x10

struct session {
	uint64_t local, remote; /* numbers, discriminators; 0: none */
	uint64_t seq, expected;
	int64_t heard_us; /* last periodic message; 0: none yet */
	int64_t asked_us; /* 0: it hasn't asked */
	uint8_t cookie[CTL_COOKIE_LEN];
	uint8_t state; /* BFD's */
	bool up;
};

struct samples {
	size_t n;
	uint32_t us[SAMPLES];
};

static struct session *sessions;
static uint32_t n_sessions, first_address;
static int64_t interval_us;
static struct sockaddr_in node;
static struct ctl_key key;
static int fd_in, fd_out;
static struct samples late, answers;
static volatile sig_atomic_t report_wanted;

static void (*take_turn)(uint32_t i, bool ask);
static void (*take)(uint32_t i, const uint8_t *buf, size_t len, int64_t now_us);

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* -- datagrams: from session i's address, and to it -- */

static struct {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	struct sockaddr_in from[BATCH];
	uint8_t buf[BATCH][CTL_DATAGRAM_MAX];
	uint8_t cmsg[BATCH][CMSG_SPACE(sizeof(struct in_pktinfo))]
		__attribute__((aligned(8)));
} in, out;
static unsigned int n_out;

static void flush(void)
{
	for (unsigned int sent = 0; sent < n_out;) {
		int n = sendmmsg(fd_out, out.msgs + sent, n_out - sent, 0);

		if (n < 0)
			die("sendmmsg");
		sent += (unsigned int)n;
	}
	n_out = 0;
}

/* The buffer of the next datagram; send_done() when it is filled. */
static uint8_t *send_buffer(void)
{
	if (n_out == BATCH)
		flush();
	return out.buf[n_out];
}

static void send_done(uint32_t i, size_t len)
{
	struct in_pktinfo info = { .ipi_spec_dst.s_addr =
					   htonl(first_address + i) };
	struct cmsghdr *cmsg = (struct cmsghdr *)out.cmsg[n_out];

	cmsg->cmsg_level = IPPROTO_IP;
	cmsg->cmsg_type = IP_PKTINFO;
	cmsg->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(cmsg), &info, sizeof(info));
	out.iov[n_out] = (struct iovec){ out.buf[n_out], len };
	out.msgs[n_out].msg_hdr = (struct msghdr){
		.msg_name = &node,
		.msg_namelen = sizeof(node),
		.msg_iov = &out.iov[n_out],
		.msg_iovlen = 1,
		.msg_control = out.cmsg[n_out],
		.msg_controllen = sizeof(out.cmsg[n_out]),
	};
	n_out++;
}

/* One batch; false: there is no more. */
static bool receive(void)
{
	int64_t now;
	int n;

	for (int i = 0; i < BATCH; i++) {
		in.iov[i] = (struct iovec){ in.buf[i], sizeof(in.buf[i]) };
		in.msgs[i].msg_hdr = (struct msghdr){
			.msg_name = &in.from[i],
			.msg_namelen = sizeof(in.from[i]),
			.msg_iov = &in.iov[i],
			.msg_iovlen = 1,
			.msg_control = in.cmsg[i],
			.msg_controllen = sizeof(in.cmsg[i]),
		};
	}
	n = recvmmsg(fd_in, in.msgs, BATCH, MSG_DONTWAIT, NULL);
	now = now_us();
	for (int i = 0; i < n; i++) {
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&in.msgs[i].msg_hdr);
		struct in_pktinfo info;
		uint32_t which;

		if (!cmsg || cmsg->cmsg_type != IP_PKTINFO)
			continue;
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		which = ntohl(info.ipi_addr.s_addr) - first_address;
		if (which < n_sessions)
			take(which, in.buf[i], in.msgs[i].msg_len, now);
	}
	return n == BATCH;
}

/* -- what is measured -- */

static void sample(struct samples *samples, int64_t us)
{
	if (samples->n < SAMPLES)
		samples->us[samples->n++] = us > 0 ? (uint32_t)us : 0;
}

/* A message of the node's has come: an answer, or periodic. */
static void heard(struct session *session, bool answer, int64_t now)
{
	if (session->asked_us && answer) {
		sample(&answers, now - session->asked_us);
		session->asked_us = 0;
	} else if (session->heard_us) {
		sample(&late, now - session->heard_us - interval_us);
	}
	session->heard_us = now;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void print_samples(const char *name, struct samples *samples)
{
	size_t n = samples->n;

	qsort(samples->us, n, sizeof(samples->us[0]), compare);
	printf(",\"%s\":{\"n\":%zu,\"median\":%.3f,\"p99\":%.3f,\"max\":%.3f}",
	       name, n, n ? samples->us[n / 2] / 1e3 : 0,
	       n ? samples->us[n - 1 - n / 100] / 1e3 : 0,
	       n ? samples->us[n - 1] / 1e3 : 0);
	samples->n = 0;
}

static void report(void)
{
	uint32_t up = 0;

	report_wanted = 0;
	for (uint32_t i = 0; i < n_sessions; i++)
		up += sessions[i].up;
	printf("{\"up\":%u", up);
	print_samples("late", &late);
	print_samples("answers", &answers);
	printf("}\n");
	fflush(stdout);
}

static void want_report(int signum)
{
	report_wanted = 1;
}

/* -- the control protocol -- */

static struct ctl_id control_id(uint32_t i)
{
	struct ctl_id id = { { 0xbe } };

	memcpy(id.bytes + CTL_ID_LEN - sizeof(i), &i, sizeof(i));
	return id;
}

static void control_send(uint32_t i, enum ctl_type type, uint32_t flags)
{
	struct session *session = &sessions[i];
	struct ctl_msg msg = {
		.type = type,
		.sender = control_id(i),
		.src = session->local,
		.dst = session->remote,
		.seq = ++session->seq,
		.key_id = key.id,
		.keepalive_ms = (uint32_t)(interval_us / 1000),
		.dead_ms = (uint32_t)(interval_us / 1000 * 7),
		.ack = session->expected,
		.link_flags = flags | CTL_LINK_HEARD,
	};
	uint8_t *buf = send_buffer();
	char err[80];
	size_t len;

	memcpy(msg.cookie, session->cookie, sizeof(msg.cookie));
	len = ctl_encode(&msg, buf, CTL_DATAGRAM_MAX, err, sizeof(err));
	ctl_auth_sign(&key, buf, len);
	send_done(i, len);
}

static void control_turn(uint32_t i, bool ask)
{
	struct session *session = &sessions[i];

	if (session->up) {
		control_send(i, CTL_KEEPALIVE, ask ? CTL_LINK_ASK : 0);
		return;
	}
	session->local = (uint64_t)random() << 32 | (uint64_t)random() | 1;
	session->remote = 0;
	session->expected = 1;
	control_send(i, CTL_HELLO, 0);
}

static void control_take(uint32_t i, const uint8_t *buf, size_t len, int64_t now)
{
	struct session *session = &sessions[i];
	struct ctl_msg msg;
	char err[80];

	if (ctl_decode_header(buf, len, &msg, err, sizeof(err)) != CTL_OK ||
	    !ctl_auth_check(&key, buf, len) ||
	    ctl_decode_body(buf, len, &msg, err, sizeof(err)) != CTL_OK ||
	    msg.dst != session->local)
		return;
	switch (msg.type) {
	case CTL_CHALLENGE:
		memcpy(session->cookie, msg.cookie, sizeof(msg.cookie));
		control_send(i, CTL_OPEN, 0);
		break;
	case CTL_OPEN_ACK:
		session->remote = msg.src;
		session->up = true;
		session->heard_us = 0;
		control_send(i, CTL_KEEPALIVE, 0);
		break;
	case CTL_DATA:
		for (size_t n = 0; n < msg.n_items; n++)
			session->expected += msg.items[n].number ==
					     session->expected;
		/* fallthrough */
	case CTL_KEEPALIVE:
		heard(session, true, now);
		if (msg.link_flags & CTL_LINK_ASK)
			control_send(i, CTL_KEEPALIVE, 0);
		break;
	case CTL_GOODBYE:
	case CTL_REJECT:
		session->up = false;
		break;
	default:
		break;
	}
}

/* -- BFD (RFC 5880): as much of it as keeps a session up -- */

static void bfd_send(uint32_t i, uint8_t flags)
{
	const struct session *session = &sessions[i];
	uint32_t fields[5] = {
		htonl((uint32_t)session->local),
		htonl((uint32_t)session->remote),
		htonl((uint32_t)interval_us),
		htonl((uint32_t)interval_us),
	};
	uint8_t *buf = send_buffer();

	buf[0] = 1 << 5;
	buf[1] = (uint8_t)(session->state << 6 | flags);
	buf[2] = 7;
	buf[3] = BFD_LEN;
	memcpy(buf + 4, fields, sizeof(fields));
	send_done(i, BFD_LEN);
}

static void bfd_turn(uint32_t i, bool ask)
{
	struct session *session = &sessions[i];

	session->local = i + 1;
	if (!session->state)
		session->state = BFD_DOWN;
	bfd_send(i, ask && session->up ? BFD_POLL : 0);
}

static void bfd_take(uint32_t i, const uint8_t *buf, size_t len, int64_t now)
{
	struct session *session = &sessions[i];
	uint8_t theirs = buf[1] >> 6;
	uint32_t remote;

	if (len < BFD_LEN || !session->state)
		return;
	memcpy(&remote, buf + 4, sizeof(remote));
	session->remote = ntohl(remote);
	if (session->state == BFD_UP)
		session->state = theirs == BFD_DOWN ? BFD_DOWN : BFD_UP;
	else if (theirs == BFD_DOWN)
		session->state = BFD_INIT;
	else
		session->state = BFD_UP;
	if (session->up)
		heard(session, buf[1] & BFD_FINAL, now);
	session->up = session->state == BFD_UP;
	if (!session->up)
		session->heard_us = 0;
	if (buf[1] & BFD_POLL)
		bfd_send(i, BFD_FINAL);
}

/* -- all of it -- */

static int open_socket(uint16_t port, int ttl)
{
	struct sockaddr_in any = { .sin_family = AF_INET,
				   .sin_port = htons(port) };
	int on = 1, size = 8 << 20, fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(fd, (struct sockaddr *)&any, sizeof(any)))
		die("socket");
	return fd;
}

static void loop(void)
{
	int64_t begin_us = now_us(), ask_us = begin_us, turns = 0;
	struct pollfd ready = { .fd = fd_in, .events = POLLIN };

	for (;;) {
		int64_t now = now_us();

		while (begin_us + turns * interval_us / n_sessions <= now) {
			uint32_t i = (uint32_t)(turns++ % n_sessions);
			bool ask = now - ask_us >= ASK_US && sessions[i].up &&
				   !sessions[i].asked_us;

			take_turn(i, ask);
			if (!ask)
				continue;
			ask_us = now;
			sessions[i].asked_us = now;
		}
		flush();
		if (report_wanted)
			report();
		poll(&ready, 1, 1);
		while (receive())
			;
		flush();
	}
}

static void measure_hmac(void)
{
	enum { TIMES = 1000000 };
	uint8_t buf[CTL_LEN_KEEPALIVE] = { 0 };
	int64_t begin_us = now_us(), signed_us;
	unsigned int good = 0;

	for (int i = 0; i < TIMES; i++) {
		buf[0] = (uint8_t)i;
		ctl_auth_sign(&key, buf, sizeof(buf));
	}
	signed_us = now_us();
	for (int i = 0; i < TIMES; i++)
		good += ctl_auth_check(&key, buf, sizeof(buf));
	printf("{\"sign_us\":%.3f,\"check_us\":%.3f,\"good\":%u}\n",
	       (double)(signed_us - begin_us) / TIMES,
	       (double)(now_us() - signed_us) / TIMES, good);
}

int main(int argc, char **argv)
{
	bool bfd = argc == 5 && !strcmp(argv[1], "bfd");

	ctl_key_init(&key, 1, "sesame", strlen("sesame"));
	if (argc == 2 && !strcmp(argv[1], "hmac")) {
		measure_hmac();
		return 0;
	}
	if (argc != 5 || (!bfd && strcmp(argv[1], "control"))) {
		fprintf(stderr,
			"usage: control_peers control|bfd N INTERVAL NODE | hmac\n");
		return 1;
	}
	n_sessions = (uint32_t)atoi(argv[2]);
	interval_us = atoi(argv[3]) * INT64_C(1000);
	node.sin_family = AF_INET;
	node.sin_port = htons(bfd ? BFD_PORT : CTL_PORT);
	if (!n_sessions || interval_us <= 0 ||
	    !inet_aton(argv[4], &node.sin_addr))
		die("arguments");
	first_address = bfd ? 0xc6130001 : 0xc6120001;
	take = bfd ? bfd_take : control_take;
	take_turn = bfd ? bfd_turn : control_turn;
	sessions = calloc(n_sessions, sizeof(*sessions));
	fd_in = open_socket(bfd ? BFD_PORT : CTL_PORT, 255);
	fd_out = bfd ? open_socket(BFD_SOURCE, 255) : fd_in;
	/* A number that comes again is a session that goes on. */
	srandom((unsigned int)now_us());
	signal(SIGUSR1, want_report);
	report(); /* ready */
	loop();
}
