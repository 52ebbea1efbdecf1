// SPDX-License-Identifier: GPL-2.0-or-later
/* The epoll set and its timers in FRR's loop. */
#include "probe_loop.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#define MS	INT64_C(1000)
#define SOCKETS 200 /* more than are handled in one wake-up */

/* What was called, in order. */
static char calls[1024];
static bool done;

static void call(char c)
{
	size_t len = strlen(calls);

	assert_true(len < sizeof(calls) - 1);
	calls[len] = c;
	calls[len + 1] = '\0';
}

static void reset(void)
{
	calls[0] = '\0';
	done = false;
}

/* ------------------------------------------------------------------------ */
/* Timers                                                                   */

struct timer {
	struct probe_timer timer;
	char name;
	int64_t fired_us;
	/* Set this one from `due`; the last one ends the test. */
	struct timer *next;
	int64_t next_us;
};

static void timer_due(struct probe_timer *timer)
{
	struct timer *t = container_of(timer, struct timer, timer);

	t->fired_us = cluster_now_us();
	call(t->name);
	if (t->next)
		probe_io_timer_set(&t->next->timer, t->next_us);
	else
		done = true;
}

static void timer_setup(struct timer *t, char name, bool patient)
{
	memset(t, 0, sizeof(*t));
	t->name = name;
	assert_int_equal(probe_io_timer_add(&t->timer, patient, timer_due), 0);
}

/* Runs the loop for a while in which a ready descriptor would be called. */
static void loop_for_a_while(void)
{
	struct timer end;

	done = false;
	timer_setup(&end, 'e', true);
	probe_io_timer_set(&end.timer, cluster_now_us() + 5 * MS);
	assert_true(loop_until(&done, 5));
	probe_io_timer_del(&end.timer);
}

static void test_timer_fires_when_due(void **state)
{
	int64_t at_us = cluster_now_us() + 20 * MS + 300;
	struct timer t;

	reset();
	timer_setup(&t, 'a', false);
	probe_io_timer_set(&t.timer, at_us);
	assert_true(loop_until(&done, 5));
	assert_true(t.fired_us >= at_us);
	probe_io_timer_del(&t.timer);
}

static void test_timer_of_the_past_fires_at_once(void **state)
{
	struct timer t;

	timer_setup(&t, 'a', false);
	for (int64_t at_us = -1; at_us <= 1; at_us++) {
		reset();
		probe_io_timer_set(&t.timer, at_us);
		assert_true(loop_until(&done, 5));
	}
	probe_io_timer_del(&t.timer);
}

static void test_timer_moves(void **state)
{
	int64_t now_us = cluster_now_us();
	struct timer a, end;

	reset();
	timer_setup(&a, 'a', false);
	timer_setup(&end, 'e', false);
	/* Never, by the last word. */
	probe_io_timer_set(&a.timer, now_us + 1 * MS);
	probe_io_timer_set(&a.timer, now_us + 10 * MS);
	probe_io_timer_set(&a.timer, INT64_MAX);
	probe_io_timer_set(&end.timer, now_us + 30 * MS);
	assert_true(loop_until(&done, 5));
	assert_string_equal(calls, "e");

	/* Later than it was. */
	reset();
	now_us = cluster_now_us();
	a.next = &end;
	a.next_us = 0;
	probe_io_timer_set(&a.timer, now_us + 1 * MS);
	probe_io_timer_set(&a.timer, now_us + 20 * MS);
	assert_true(loop_until(&done, 5));
	assert_string_equal(calls, "ae");
	assert_true(a.fired_us >= now_us + 20 * MS);

	probe_io_timer_del(&a.timer);
	probe_io_timer_del(&end.timer);
}

/* Both are ready in one wake-up; the first puts the second off. */
static void test_timer_put_off_by_another(void **state)
{
	int64_t now_us = cluster_now_us();
	struct timer a, b;

	reset();
	timer_setup(&a, 'a', false);
	timer_setup(&b, 'b', true); /* after the others */
	a.next = &b;
	a.next_us = now_us + 40 * MS;
	probe_io_timer_set(&a.timer, 0);
	probe_io_timer_set(&b.timer, 0);
	assert_true(loop_until(&done, 5));
	assert_string_equal(calls, "ab");
	assert_true(b.fired_us >= now_us + 40 * MS);
	probe_io_timer_del(&a.timer);
	probe_io_timer_del(&b.timer);
}

/* What has fired doesn't wake the loop again. */
static void test_timer_that_fired_is_silent(void **state)
{
	struct timer t;
	unsigned int before;

	reset();
	timer_setup(&t, 'a', false);
	probe_io_timer_set(&t.timer, 0);
	assert_true(loop_until(&done, 5));
	before = loop_events;
	loop_for_a_while();
	assert_string_equal(calls, "ae");
	assert_in_range(loop_events - before, 1, 10);
	probe_io_timer_del(&t.timer);
}

/* ------------------------------------------------------------------------ */
/* Descriptors                                                              */

struct sock {
	struct probe_fd pfd;
	struct sock *kill; /* deleted by `ready` */
	bool stays_ready;
	unsigned int n;
};

static void sock_ready(struct probe_fd *pfd, uint32_t events)
{
	struct sock *sock = container_of(pfd, struct sock, pfd);
	uint64_t value;

	sock->n++;
	call('s');
	if (!sock->stays_ready)
		assert_int_equal(read(pfd->fd, &value, sizeof(value)),
				 sizeof(value));
	if (sock->kill)
		probe_io_del(&sock->kill->pfd);
}

static void sock_setup(struct sock *sock)
{
	int fd = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);

	memset(sock, 0, sizeof(*sock));
	assert_true(fd >= 0);
	assert_int_equal(probe_io_add(&sock->pfd, fd, EPOLLIN, sock_ready), 0);
}

static void sock_end(struct sock *sock)
{
	probe_io_del(&sock->pfd);
	close(sock->pfd.fd);
}

/* Two are ready, each deletes the other: one is called, whichever it is. */
static void test_deleted_in_its_wakeup_is_not_called(void **state)
{
	struct timer end;
	struct sock a, b;

	reset();
	sock_setup(&a);
	sock_setup(&b);
	a.kill = &b;
	b.kill = &a;
	timer_setup(&end, 'e', true);
	probe_io_timer_set(&end.timer, 0);
	assert_true(loop_until(&done, 5));
	/* After the timer it may be asked once more. */
	assert_int_equal(strncmp(calls, "se", 2), 0);
	assert_int_equal(a.n + b.n, 1);
	sock_end(&a);
	sock_end(&b);
	probe_io_timer_del(&end.timer);
}

/* After a pause: every answer is read before the time-outs are looked at. */
static void test_patient_timer_waits_for_all_sockets(void **state)
{
	struct sock socks[SOCKETS];
	struct timer end;

	reset();
	timer_setup(&end, 'e', true);
	probe_io_timer_set(&end.timer, 0);
	for (int i = 0; i < SOCKETS; i++)
		sock_setup(&socks[i]);
	assert_true(loop_until(&done, 5));
	assert_int_equal(strlen(calls), SOCKETS + 1);
	assert_int_equal(calls[SOCKETS], 'e');
	for (int i = 0; i < SOCKETS; i++) {
		assert_int_equal(socks[i].n, 1);
		sock_end(&socks[i]);
	}
	probe_io_timer_del(&end.timer);
}

static void busy_ready(struct probe_fd *pfd, uint32_t events)
{
	struct sock *sock = container_of(pfd, struct sock, pfd);

	sock->n++;
	probe_io_more();
}

/* But a socket that never ends can't stop the timers. */
static void test_patience_is_bounded(void **state)
{
	struct timer end;
	struct sock busy;

	reset();
	sock_setup(&busy);
	busy.pfd.ready = busy_ready;
	timer_setup(&end, 'e', true);
	probe_io_timer_set(&end.timer, 0);
	assert_true(loop_until(&done, 5));
	assert_true(busy.n > 1);
	assert_true(busy.n < 100);
	sock_end(&busy);
	probe_io_timer_del(&end.timer);
}

static void test_modify_changes_what_is_watched(void **state)
{
	struct timer end;
	struct sock sock;

	reset();
	sock_setup(&sock);
	sock.stays_ready = true;
	assert_int_equal(probe_io_modify(&sock.pfd, 0), 0);
	timer_setup(&end, 'e', true);
	probe_io_timer_set(&end.timer, cluster_now_us() + 5 * MS);
	assert_true(loop_until(&done, 5));
	assert_string_equal(calls, "e");

	reset();
	assert_int_equal(probe_io_modify(&sock.pfd, EPOLLOUT), 0);
	probe_io_timer_set(&end.timer, 0);
	assert_true(loop_until(&done, 5));
	/* After the timer it may be asked once more. */
	assert_int_equal(strncmp(calls, "se", 2), 0);
	sock_end(&sock);
	probe_io_timer_del(&end.timer);
}

/* ------------------------------------------------------------------------ */
/* Sockets                                                                  */

static void test_result_of_errno(void **state)
{
	assert_int_equal(probe_io_result(0), PROBE_PASS);
	assert_int_equal(probe_io_result(ECONNREFUSED), PROBE_REFUSED);
	assert_int_equal(probe_io_result(ECONNRESET), PROBE_REFUSED);
	assert_int_equal(probe_io_result(ETIMEDOUT), PROBE_TIMEOUT);
	assert_int_equal(probe_io_result(EHOSTUNREACH), PROBE_UNREACHABLE);
	assert_int_equal(probe_io_result(ENETUNREACH), PROBE_UNREACHABLE);
	assert_int_equal(probe_io_result(EMFILE), PROBE_LOCAL);
	assert_int_equal(probe_io_result(EADDRNOTAVAIL), PROBE_LOCAL);
}

static void test_socket_that_cannot_be(void **state)
{
	struct ipaddr none = {};
	struct ipaddr foreign = addr("192.0.2.77");
	char why[96] = "";

	assert_int_equal(probe_io_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP,
					 "default", "", &foreign, why,
					 sizeof(why)),
			 -1);
	assert_string_equal(why,
			    "source 192.0.2.77: Cannot assign requested address");
	assert_int_equal(probe_io_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP,
					 "red", "", &none, why, sizeof(why)),
			 -1);
	assert_string_equal(why, "no such VRF: red");
}

static void test_socket_is_bound(void **state)
{
	static const char *const sources[] = { "127.0.0.5", "::1" };
	struct sockaddr_storage ss;
	char why[96] = "";
	socklen_t len;
	int fd;

	for (size_t i = 0; i < array_size(sources); i++) {
		struct ipaddr source = addr(sources[i]);
		union sockunion su;

		fd = probe_io_socket(ipaddr_family(&source), SOCK_STREAM,
				     IPPROTO_TCP, "default", "", &source, why,
				     sizeof(why));
		if (fd < 0 && IS_IPADDR_V6(&source))
			continue; /* no IPv6 here */
		assert_true(fd >= 0);
		len = sizeof(ss);
		assert_int_equal(getsockname(fd, (struct sockaddr *)&ss, &len),
				 0);
		assert_int_equal(len, probe_io_sockaddr(&su, &source, 0));
		assert_memory_equal(&ss, &su, len);
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
		close(fd);
	}
}

/* Always ready, called once; a change, also to the same, wants it again. */
static void test_one_shot_is_called_once(void **state)
{
	const uint32_t events = EPOLLIN | EPOLLONESHOT;
	struct sock sock;
	int twin;

	reset();
	sock_setup(&sock);
	sock.stays_ready = true;
	assert_int_equal(probe_io_modify(&sock.pfd, events), 0);
	loop_for_a_while();
	assert_string_equal(calls, "se");
	assert_int_equal(probe_io_modify(&sock.pfd, events), 0);
	loop_for_a_while();
	assert_string_equal(calls, "sese");

	/* As a forked child has it: still open when ours is closed. */
	twin = dup(sock.pfd.fd);
	sock_end(&sock);
	loop_for_a_while();
	assert_string_equal(calls, "sesee");
	close(twin);
}

/* One that wasn't called yet must leave the set: the twin is ready, too. */
static void test_deleted_before_its_shot(void **state)
{
	struct sock sock;
	int twin;

	reset();
	sock_setup(&sock);
	assert_int_equal(probe_io_modify(&sock.pfd, EPOLLIN | EPOLLONESHOT), 0);
	twin = dup(sock.pfd.fd);
	sock_end(&sock);
	loop_for_a_while();
	assert_string_equal(calls, "e");
	close(twin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timer_fires_when_due),
		cmocka_unit_test(test_timer_of_the_past_fires_at_once),
		cmocka_unit_test(test_timer_moves),
		cmocka_unit_test(test_timer_put_off_by_another),
		cmocka_unit_test(test_timer_that_fired_is_silent),
		cmocka_unit_test(test_deleted_in_its_wakeup_is_not_called),
		cmocka_unit_test(test_patient_timer_waits_for_all_sockets),
		cmocka_unit_test(test_patience_is_bounded),
		cmocka_unit_test(test_modify_changes_what_is_watched),
		cmocka_unit_test(test_one_shot_is_called_once),
		cmocka_unit_test(test_deleted_before_its_shot),
		cmocka_unit_test(test_result_of_errno),
		cmocka_unit_test(test_socket_that_cannot_be),
		cmocka_unit_test(test_socket_is_bound),
	};

	return cmocka_run_group_tests(tests, loop_setup, loop_teardown);
}
