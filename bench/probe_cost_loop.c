// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What clusterd's TCP probes are measured against: the least that a program
 * can do for the same checks.
 *
 *	probe_cost_loop probe PREFIX N INTERVAL	checks of PREFIX.0.1, PREFIX.0.2,
 *						... (N of them), port 80, every
 *						INTERVAL ms
 *	probe_cost_loop serve			accepts on port 80, and closes
 *						what the other end has closed
 *
 * A check is a connection that is established and reset at once.  A target's
 * checks are INTERVAL apart, without drift, and begin at a random phase; a
 * check that hasn't ended when the next is due fails.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define PORT  80

struct target {
	struct sockaddr_in addr;
	int64_t due_us;
	int fd;
	int64_t rtt_us;
	unsigned long passes, fails;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void reset(int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

static void check_end(struct target *target, bool pass)
{
	if (pass)
		target->passes++;
	else
		target->fails++;
	reset(target->fd);
	target->fd = -1;
}

static void check_begin(int epfd, struct target *target)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.ptr = target };

	if (target->fd >= 0)
		check_end(target, false);
	target->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			    IPPROTO_TCP);
	if (target->fd < 0)
		die("socket");
	if (connect(target->fd, (struct sockaddr *)&target->addr,
		    sizeof(target->addr)) < 0 &&
	    errno != EINPROGRESS) {
		check_end(target, false);
		return;
	}
	if (epoll_ctl(epfd, EPOLL_CTL_ADD, target->fd, &event) < 0)
		die("epoll_ctl");
}

static void check_ready(struct target *target, uint32_t events)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	bool pass = !(events & (EPOLLERR | EPOLLHUP)) &&
		    getsockopt(target->fd, IPPROTO_TCP, TCP_INFO, &info,
			       &len) == 0;

	if (pass)
		target->rtt_us = info.tcpi_rtt;
	check_end(target, pass);
}

static int by_due(const void *a, const void *b)
{
	const struct target *ta = a, *tb = b;

	return (ta->due_us > tb->due_us) - (ta->due_us < tb->due_us);
}

/* All intervals are the same: the targets' order never changes. */
static void probe(const char *prefix, int n, int interval_ms)
{
	struct target *targets = calloc(n, sizeof(*targets));
	struct epoll_event events[BATCH];
	int epfd = epoll_create1(EPOLL_CLOEXEC);
	int64_t start = now_us();
	int next = 0;

	if (!targets || epfd < 0)
		die("start");
	for (int i = 0; i < n; i++) {
		char text[INET_ADDRSTRLEN];

		snprintf(text, sizeof(text), "%s.%d.%d", prefix, i / 250,
			 i % 250 + 1);
		targets[i].addr.sin_family = AF_INET;
		targets[i].addr.sin_port = htons(PORT);
		if (inet_pton(AF_INET, text, &targets[i].addr.sin_addr) != 1) {
			fprintf(stderr, "%s: not an address\n", text);
			exit(1);
		}
		targets[i].fd = -1;
		targets[i].due_us = start +
				    (int64_t)(drand48() * interval_ms * 1000);
	}
	qsort(targets, n, sizeof(*targets), by_due);

	for (;;) {
		int64_t left = targets[next].due_us - now_us();
		struct timespec wait = { .tv_sec = left / 1000000,
					 .tv_nsec = left % 1000000 * 1000 };
		struct timespec none = {};
		int ready = epoll_pwait2(epfd, events, BATCH,
					 left > 0 ? &wait : &none, NULL);

		if (ready < 0 && errno != EINTR)
			die("epoll_pwait2");
		for (int i = 0; i < ready; i++)
			check_ready(events[i].data.ptr, events[i].events);
		for (int64_t now = now_us(); targets[next].due_us <= now;) {
			targets[next].due_us += (int64_t)interval_ms * 1000;
			check_begin(epfd, &targets[next]);
			next = (next + 1) % n;
		}
	}
}

static void serve(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons(PORT) };
	struct epoll_event events[BATCH];
	struct epoll_event event = { .events = EPOLLIN, .data.fd = -1 };
	int epfd = epoll_create1(EPOLL_CLOEXEC);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(listener, 4096) < 0 ||
	    epoll_ctl(epfd, EPOLL_CTL_ADD, listener, &event) < 0)
		die("listen");
	for (;;) {
		int ready = epoll_wait(epfd, events, BATCH, -1);

		for (int i = 0; i < ready; i++) {
			int fd = events[i].data.fd;

			if (fd >= 0) {
				close(fd);
				continue;
			}
			while ((fd = accept4(listener, NULL, NULL,
					     SOCK_NONBLOCK)) >= 0) {
				event.data.fd = fd;
				epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
			}
		}
	}
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "probe") == 0)
		probe(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (argc == 2 && strcmp(argv[1], "serve") == 0)
		serve();
	fprintf(stderr,
		"usage: probe_cost_loop probe PREFIX N INTERVAL | serve\n");
	return 1;
}
