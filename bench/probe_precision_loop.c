// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the decisions of clusterd's ICMP probes are measured against: the least
 * that a program can do for the same.
 *
 *	probe_precision_loop PREFIX N INTERVAL TIMEOUT COUNT
 *
 * pings PREFIX.0.1, PREFIX.0.2, ... (N of them), each every INTERVAL ms.  A
 * target is up or down after COUNT replies, or misses, in a row; a reply is
 * missed after TIMEOUT ms.  Prints each change: the time (µs since 1970), the
 * target, `up` or `down`.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

struct target {
	struct sockaddr_in addr;
	int64_t due_us;
	uint16_t seq;
	bool waits; /* for the reply to `seq` */
	int64_t sent_us;
	bool up;
	unsigned int streak; /* results in a row that speak against `up` */
};

static struct target *targets;
static int n, fd, count;
static int64_t interval_us, timeout_us;
static uint16_t ident;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void result(struct target *target, bool pass)
{
	char text[INET_ADDRSTRLEN];

	target->waits = false;
	if (pass == target->up) {
		target->streak = 0;
		return;
	}
	if (++target->streak < (unsigned int)count)
		return;
	target->up = pass;
	target->streak = 0;
	inet_ntop(AF_INET, &target->addr.sin_addr, text, sizeof(text));
	printf("%lld %s %s\n", (long long)now_us(CLOCK_REALTIME), text,
	       pass ? "up" : "down");
}

static uint16_t checksum(const void *data, size_t len)
{
	const uint16_t *words = data;
	uint32_t sum = 0;

	for (size_t i = 0; i < len / 2; i++)
		sum += words[i];
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t) ~(sum + (sum >> 16));
}

static void ping(struct target *target, int64_t now)
{
	struct {
		struct icmphdr head;
		uint32_t index;
		uint8_t rest[52];
	} packet = { .head = { .type = ICMP_ECHO } };

	packet.head.un.echo.id = ident;
	packet.head.un.echo.sequence = htons(++target->seq);
	packet.index = (uint32_t)(target - targets);
	packet.head.checksum = checksum(&packet, sizeof(packet));
	target->waits = true;
	target->sent_us = now;
	if (sendto(fd, &packet, sizeof(packet), 0,
		   (struct sockaddr *)&target->addr, sizeof(target->addr)) < 0)
		result(target, false);
}

static void replies(void)
{
	uint8_t buf[256];
	struct icmphdr head;
	uint32_t index;
	ssize_t len;
	size_t ip;

	while ((len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		ip = (buf[0] & 15u) * 4u;
		if ((size_t)len < ip + sizeof(head) + sizeof(index))
			continue;
		memcpy(&head, buf + ip, sizeof(head));
		memcpy(&index, buf + ip + sizeof(head), sizeof(index));
		if (head.type == ICMP_ECHOREPLY && head.un.echo.id == ident &&
		    index < (uint32_t)n && targets[index].waits &&
		    head.un.echo.sequence == htons(targets[index].seq) &&
		    !memcmp(buf + 12, &targets[index].addr.sin_addr, 4))
			result(&targets[index], true);
	}
}

static int by_due(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return (x->due_us > y->due_us) - (x->due_us < y->due_us);
}

/* All intervals and time-outs are the same: the order never changes. */
static void run(void)
{
	int epfd = epoll_create1(EPOLL_CLOEXEC), next = 0, oldest = 0;
	struct epoll_event event = { .events = EPOLLIN };

	if (epfd < 0 || epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) < 0)
		die("epoll");
	for (;;) {
		int64_t now = now_us(CLOCK_MONOTONIC);
		int64_t at = targets[next].due_us;
		struct timespec wait;

		for (int i = 0; i < n && !targets[oldest].waits; i++)
			oldest = (oldest + 1) % n;
		if (targets[oldest].waits &&
		    targets[oldest].sent_us + timeout_us < at)
			at = targets[oldest].sent_us + timeout_us;
		at = at > now ? at - now : 0;
		wait = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
		if (epoll_pwait2(epfd, &event, 1, &wait, NULL) < 0 &&
		    errno != EINTR)
			die("epoll_pwait2");
		replies();
		now = now_us(CLOCK_MONOTONIC);
		while (targets[oldest].waits &&
		       targets[oldest].sent_us + timeout_us <= now) {
			result(&targets[oldest], false);
			oldest = (oldest + 1) % n;
		}
		for (; targets[next].due_us <= now; next = (next + 1) % n) {
			targets[next].due_us += interval_us;
			ping(&targets[next], now);
		}
	}
}

int main(int argc, char **argv)
{
	int size = 1 << 20;

	if (argc != 6) {
		fprintf(stderr,
			"usage: probe_precision_loop PREFIX N INTERVAL TIMEOUT COUNT\n");
		return 1;
	}
	setlinebuf(stdout);
	n = atoi(argv[2]);
	interval_us = atoi(argv[3]) * INT64_C(1000);
	timeout_us = atoi(argv[4]) * INT64_C(1000);
	count = atoi(argv[5]);
	ident = (uint16_t)now_us(CLOCK_MONOTONIC);
	fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	targets = calloc((size_t)n, sizeof(*targets));
	if (fd < 0 || !targets)
		die("start");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	for (int i = 0; i < n; i++) {
		char text[INET_ADDRSTRLEN];

		snprintf(text, sizeof(text), "%s.%d.%d", argv[1], i / 250,
			 i % 250 + 1);
		targets[i].addr.sin_family = AF_INET;
		if (inet_pton(AF_INET, text, &targets[i].addr.sin_addr) != 1) {
			fprintf(stderr, "%s: not an address\n", text);
			return 1;
		}
		targets[i].due_us = now_us(CLOCK_MONOTONIC) +
				    (int64_t)(drand48() * (double)interval_us);
	}
	qsort(targets, (size_t)n, sizeof(*targets), by_due);
	run();
}
