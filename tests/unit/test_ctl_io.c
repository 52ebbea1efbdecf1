// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sockets of the control protocol over the loopback: two nodes with real
 * datagrams, addresses that aren't there, bursts; and the file of the ID.
 */
#include "cluster_compat.h"

#include <sys/stat.h>

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_vrf.h"
#include "core/ctl_core.h"
#include "core/ctl_idfile.h"
#include "core/ctl_io.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

struct event_loop *cluster_master;
struct zebra_privs_t cluster_privs;


static bool stopped;

static void stop_loop(struct event *event)
{
	stopped = true;
}

/* Runs the loop until it is so, at most `ms`; whether it is. */
static bool run_until(bool (*cond)(void), long ms)
{
	struct event *t_stop = NULL;
	struct event event;

	stopped = false;
	event_add_timer_msec(cluster_master, stop_loop, NULL, ms, &t_stop);
	while (!(cond && cond()) && !stopped &&
	       event_fetch(cluster_master, &event))
		event_call(&event);
	cluster_event_off(t_stop);
	return cond && cond();
}

/* -- raw datagrams -- */

static struct {
	unsigned int received, batches;
	struct ctl_path path;
	size_t len;
	uint8_t first;
} got;

static void on_receive(void *arg, const struct ctl_path *path,
		       const uint8_t *buf, size_t len)
{
	got.received++;
	got.path = *path;
	got.len = len;
	got.first = buf[0];
}

static void on_received(void *arg)
{
	got.batches++;
}

static const struct ctl_io_ops io_ops = {
	.receive = on_receive,
	.received = on_received,
};

static struct ctl_io *io;

static int setup(void **state)
{
	cluster_master = event_master_create("test");
	vrf_configure_backend(VRF_BACKEND_VRF_LITE);
	vrf_init(NULL, NULL, NULL, NULL);
	io = ctl_io_new(cluster_master, &io_ops, NULL);
	memset(&got, 0, sizeof(got));
	return 0;
}

static int teardown(void **state)
{
	ctl_io_free(&io);
	assert_null(io);
	ctl_io_free(&io);
	vrf_terminate();
	event_master_free(cluster_master);
	return 0;
}

static struct ctl_listen at(const char *address, uint16_t port)
{
	struct ctl_listen listen = { .addr = addr(address), .port = port };

	snprintf(listen.vrf, sizeof(listen.vrf), "%s", VRF_DEFAULT_NAME);
	return listen;
}

static unsigned int wanted;

static bool all_there(void)
{
	return got.received == wanted;
}

static void exchange(const char *from, const char *to, uint16_t port)
{
	struct ctl_listen list[] = { at(from, port), at(to, port) };
	struct ctl_path path = { .port = port,
				 .local = addr(from),
				 .remote = addr(to) };
	uint8_t buf[CTL_DATAGRAM_MAX] = { 42 };
	struct ctl_io_view view;
	struct ipaddr a = addr(from), b = addr(to);

	memset(&got, 0, sizeof(got));
	assert_int_equal(ctl_io_listen(io, list, 2), 2);
	assert_true(ctl_io_view(io, 0, &view));
	assert_string_equal(view.why, "");
	assert_true(ctl_io_socket(io, VRF_DEFAULT_NAME, &a, &b, &path.socket));
	ctl_io_send(io, &path, buf, sizeof(buf));
	wanted = 1;
	assert_true(run_until(all_there, 2000));
	assert_int_equal(got.len, sizeof(buf));
	assert_int_equal(got.first, 42);
	assert_int_equal(got.path.port, port);
	assert_int_equal(ipaddr_cmp(&got.path.remote, &a), 0);
	assert_int_equal(ipaddr_cmp(&got.path.local, &b), 0);
	assert_int_equal(got.path.socket == path.socket, !strcmp(from, to));
	/* Back on the path that it came by. */
	ctl_io_send(io, &got.path, buf, 10);
	wanted = 2;
	assert_true(run_until(all_there, 2000));
	assert_int_equal(got.len, 10);
	assert_int_equal(ipaddr_cmp(&got.path.remote, &b), 0);
}

static void test_ipv4(void **state)
{
	exchange("127.0.0.1", "127.0.0.2", 48484);
}

static void test_ipv6(void **state)
{
	exchange("::1", "::1", 48485);
}

static void test_burst(void **state)
{
	struct ctl_listen list[] = { at("127.0.0.1", 48484),
				     at("127.0.0.2", 48484) };
	struct ctl_path path = { .port = 48484,
				 .local = addr("127.0.0.1"),
				 .remote = addr("127.0.0.2") };
	uint8_t buf[CTL_DATAGRAM_MAX + 1] = {};
	struct ctl_io_view view;

	ctl_io_listen(io, list, 2);
	for (int i = 0; i < 500; i++)
		ctl_io_send(io, &path, buf, 116);
	/* Not possible: too long, of no socket. */
	ctl_io_send(io, &path, buf, sizeof(buf));
	path.socket = 5;
	ctl_io_send(io, &path, buf, 10);
	path.socket = CTL_IO_SOCKETS_MAX;
	ctl_io_send(io, &path, buf, 10);
	wanted = 500;
	assert_true(run_until(all_there, 5000));
	/* In batches of 32 each turn takes several. */
	assert_in_range(got.batches, 1, 100);
	assert_true(ctl_io_view(io, 0, &view));
	assert_int_equal(view.tx, 500);
	/* One that can't be sent doesn't keep the others. */
	path.socket = 0;
	path.local = addr("192.0.2.77");
	ctl_io_send(io, &path, buf, 10);
	path.local = addr("127.0.0.1");
	ctl_io_send(io, &path, buf, 10);
	wanted = 501;
	assert_true(run_until(all_there, 2000));
	assert_true(ctl_io_view(io, 0, &view));
	assert_int_equal(view.tx_errors, 1);
}

static void test_longer_than_any(void **state)
{
	struct ctl_listen list[] = { at("127.0.0.1", 48484) };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(48484) };
	uint8_t buf[4000] = {};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ctl_io_listen(io, list, 1);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(sendto(fd, buf, sizeof(buf), 0, (void *)&to,
				sizeof(to)),
			 sizeof(buf));
	wanted = 1;
	assert_true(run_until(all_there, 2000));
	/* Seen to be too long, not taken for one of the longest. */
	assert_int_equal(got.len, CTL_DATAGRAM_MAX + 1);
	close(fd);
}

static void test_addresses_that_are_not_there(void **state)
{
	struct ctl_listen list[] = { at("192.0.2.1", 48484),
				     at("127.0.0.1", 48484) };
	struct ctl_io_view view;
	struct ctl_path path = { .port = 48484, .remote = addr("127.0.0.1") };

	snprintf(list[1].vrf, sizeof(list[1].vrf), "nowhere");
	assert_int_equal(ctl_io_listen(io, list, 2), 2);
	assert_true(ctl_io_view(io, 0, &view));
	assert_non_null(strstr(view.why, "bind"));
	assert_true(ctl_io_view(io, 1, &view));
	assert_non_null(strstr(view.why, "VRF"));
	assert_false(ctl_io_view(io, 2, &view));
	ctl_io_send(io, &path, (const uint8_t *)"x", 1);
	ctl_io_flush(io);
	/* It is tried again. */
	run_until(NULL, CTL_IO_RETRY_S * 1000 + 300);
	assert_true(ctl_io_view(io, 0, &view));
	assert_non_null(strstr(view.why, "bind"));
}

static const char *why_of(size_t i)
{
	static struct ctl_io_view view;

	assert_true(ctl_io_view(io, i, &view));
	return view.why;
}

static bool red_is_open(void)
{
	return !why_of(1)[0];
}

static void red_comes(vrf_id_t id)
{
	vrf_enable(vrf_get(id, "red"));
}

/* A socket outlives its VRF, in which nobody is any more. */
static void test_a_vrf_comes_and_goes(void **state)
{
	struct ctl_listen list[] = { at("127.0.0.1", 48484),
				     at("127.0.0.2", 48484) };
	struct ctl_path path = { .port = 48484,
				 .local = addr("127.0.0.1"),
				 .remote = addr("127.0.0.2") };
	uint8_t buf[20] = {};
	struct vrf *red;

	snprintf(list[1].vrf, sizeof(list[1].vrf), "red");
	vrf_configure_backend(VRF_BACKEND_NETNS);
	red_comes(7);
	assert_int_equal(ctl_io_listen(io, list, 2), 2);
	assert_string_equal(why_of(1), "");
	/* Nothing has changed: what waits in the socket is still there. */
	ctl_io_send(io, &path, buf, 10);
	ctl_io_flush(io);
	ctl_io_vrfs_changed(io);
	wanted = 1;
	assert_true(run_until(all_there, 2000));

	/* Another one of the same name: what waits in the old one isn't its. */
	ctl_io_send(io, &path, buf, 10);
	ctl_io_flush(io);
	vrf_delete(vrf_lookup_by_name("red"));
	red_comes(8);
	ctl_io_vrfs_changed(io);
	assert_string_equal(why_of(1), "");
	ctl_io_send(io, &path, buf, 20);
	wanted = 2;
	assert_true(run_until(all_there, 2000));
	assert_int_equal(got.len, 20);

	vrf_delete(vrf_lookup_by_name("red"));
	ctl_io_vrfs_changed(io);
	assert_non_null(strstr(why_of(1), "VRF"));
	assert_string_equal(why_of(0), "");
	/* Known by name only: not taken for the default VRF. */
	vrf_get(VRF_UNKNOWN, "red");
	ctl_io_listen(io, list, 1);
	ctl_io_listen(io, list, 2);
	assert_non_null(strstr(why_of(1), "VRF"));
	red_comes(9);
	assert_true(run_until(red_is_open, CTL_IO_RETRY_S * 1000 + 2000));

	/* A namespace that can't be entered: not in ours instead. */
	red = vrf_lookup_by_name("red");
	snprintf(red->data.l.netns_name, sizeof(red->data.l.netns_name),
		 "nowhere");
	ctl_io_listen(io, list, 1);
	ctl_io_listen(io, list, 2);
	assert_non_null(strstr(why_of(1), "socket"));
}

/* libfrr would make it in the namespace that we are in. */
static void test_no_such_vrf(void **state)
{
	int fd;

	vrf_configure_backend(VRF_BACKEND_NETNS);
	red_comes(7);
	fd = cluster_vrf_socket(7, AF_INET, SOCK_DGRAM, 0);
	assert_true(fd >= 0);
	close(fd);
	vrf_delete(vrf_lookup_by_name("red"));
	errno = 0;
	assert_int_equal(cluster_vrf_socket(7, AF_INET, SOCK_DGRAM, 0), -1);
	assert_int_equal(errno, ENODEV);
}

static void test_the_set_follows(void **state)
{
	struct ctl_listen list[CTL_IO_SOCKETS_MAX + 2];
	struct ipaddr none = {}, local = addr("127.0.0.7"),
		      remote = addr("127.0.0.99"), v6 = addr("::1");
	uint32_t number = 99, again = 98;
	struct ctl_io_view view;

	for (int i = 0; i < CTL_IO_SOCKETS_MAX + 2; i++)
		list[i] = at("127.0.0.1", 48500 + i);
	assert_int_equal(ctl_io_listen(io, list, CTL_IO_SOCKETS_MAX + 2),
			 CTL_IO_SOCKETS_MAX);
	list[0] = at("127.0.0.7", 48484);
	list[1] = at("0.0.0.0", 48485);
	assert_int_equal(ctl_io_listen(io, list, 4), 4);
	assert_true(ctl_io_view(io, 3, &view));
	assert_false(ctl_io_view(io, 4, &view));
	/* The very address; all of them; any. */
	assert_true(
		ctl_io_socket(io, VRF_DEFAULT_NAME, &local, &remote, &number));
	assert_true(ctl_io_socket(io, VRF_DEFAULT_NAME, &none, &remote, &again));
	assert_int_not_equal(number, again);
	local = addr("127.0.0.8");
	assert_true(
		ctl_io_socket(io, VRF_DEFAULT_NAME, &local, &remote, &number));
	assert_int_equal(number, again);
	assert_false(ctl_io_socket(io, VRF_DEFAULT_NAME, &none, &v6, &number));
	assert_false(ctl_io_socket(io, "red", &none, &remote, &number));
	/* What stays keeps its number. */
	assert_int_equal(ctl_io_listen(io, list + 1, 1), 1);
	assert_true(
		ctl_io_socket(io, VRF_DEFAULT_NAME, &none, &remote, &number));
	assert_int_equal(number, again);
	list[0] = at("::", 48485);
	assert_int_equal(ctl_io_listen(io, list, 2), 2);
	assert_true(ctl_io_socket(io, VRF_DEFAULT_NAME, &v6, &v6, &number));
}

/* -- the file of the ID -- */

static char dir[] = "/tmp/test_ctl_idXXXXXX";

static void put(const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, CTL_ID_FILE);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_id_is_kept(void **state)
{
	struct ctl_id id, again, other;
	char path[64], sub[64];

	assert_non_null(mkdtemp(dir));
	assert_true(ctl_idfile_load(dir, &id));
	assert_false(ctl_id_is_null(&id));
	/* Version 4: random. */
	assert_int_equal(id.bytes[6] >> 4, 4);
	assert_true(ctl_idfile_load(dir, &again));
	assert_int_equal(ctl_id_cmp(&id, &again), 0);
	put("00000000-0000-4000-8000-000000000001\n");
	assert_true(ctl_idfile_load(dir, &again));
	assert_int_equal(again.bytes[15], 1);
	/* Damaged: another one each time, and the file stays as it is. */
	put("rubbish\n");
	assert_false(ctl_idfile_load(dir, &again));
	assert_false(ctl_idfile_load(dir, &other));
	assert_int_not_equal(ctl_id_cmp(&again, &other), 0);
	put("");
	assert_false(ctl_idfile_load(dir, &other));
	put("00000000-0000-0000-0000-000000000000\n");
	assert_false(ctl_idfile_load(dir, &other));
	assert_false(ctl_id_is_null(&other));

	/* No such folder, then one. */
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	assert_false(ctl_idfile_load(sub, &id));
	ctl_idfile_prepare(sub, NULL);
	assert_true(ctl_idfile_load(sub, &id));
	ctl_idfile_prepare(sub, "nobody");
	assert_true(ctl_idfile_load(sub, &again));
	assert_int_equal(ctl_id_cmp(&id, &again), 0);

	snprintf(path, sizeof(path), "%s/sub/%s", dir, CTL_ID_FILE);
	unlink(path);
	rmdir(sub);
	snprintf(path, sizeof(path), "%s/%s", dir, CTL_ID_FILE);
	unlink(path);
	assert_int_equal(rmdir(dir), 0); /* nothing else was left there */
}

int main(void)
{
	/* None: whoever runs the tests has what they need. */
	zprivs_preinit(&cluster_privs);
	zprivs_init(&cluster_privs);
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_ipv4),
		TEST(test_ipv6),
		TEST(test_burst),
		TEST(test_longer_than_any),
		TEST(test_addresses_that_are_not_there),
		TEST(test_a_vrf_comes_and_goes),
		TEST(test_no_such_vrf),
		TEST(test_the_set_follows),
		cmocka_unit_test(test_id_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
