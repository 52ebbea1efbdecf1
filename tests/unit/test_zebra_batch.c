// SPDX-License-Identifier: GPL-2.0-or-later
/* Many messages at a time, over libfrr's own client and a socket pair. */
#include "cluster_compat.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "stream.h"

#include "core/cluster_zebra_private.h"
#include "unit.h"

#define ROUTES 3000 /* several batches */
/* header, type, instance, flags, message, SAFI, family, length */
#define ADDRESS_AT (ZEBRA_HEADER_SIZE + 1 + 2 + 4 + 4 + 1 + 1 + 1)

/* zclient asks for nothing of them over a Unix socket. */
static struct zebra_privs_t privs;

static struct event_loop *loop;
static struct zclient *zclient;
static int zebra; /* the other end */

/* -- what the handlers saw -- */

static char seen[64];
static unsigned int n_seen;
static char hang_up_at;

static int note(ZAPI_CALLBACK_ARGS)
{
	char c = (char)stream_getc(zclient->ibuf);

	assert_int_equal(length, 2);
	assert_int_equal(stream_getc(zclient->ibuf), cmd & 0xff);
	assert_int_equal(vrf_id, 7);
	if (n_seen < sizeof(seen) - 1)
		seen[n_seen] = c;
	n_seen++;
	if (c == hang_up_at)
		zclient_stop(zclient);
	return 0;
}

static zclient_handler *const mass[] = {
	[ZEBRA_REDISTRIBUTE_ROUTE_ADD] = note,
	[ZEBRA_ROUTE_NOTIFY_OWNER] = note,
};

static int first(ZAPI_CALLBACK_ARGS)
{
	note(cmd, zclient, length, vrf_id);
	zebra_batch_take(zclient, mass, array_size(mass));
	return 0;
}

static zclient_handler *const handlers[] = {
	[ZEBRA_REDISTRIBUTE_ROUTE_ADD] = first,
	[ZEBRA_REDISTRIBUTE_ROUTE_DEL] = note,
	[ZEBRA_ROUTE_NOTIFY_OWNER] = first,
};

/* -- the other end -- */

static void zebra_bytes(const void *data, size_t len)
{
	assert_int_equal(send(zebra, data, len, 0), len);
}

static size_t zebra_encode(uint8_t *buf, uint16_t command, char c)
{
	struct stream *s = stream_new(64);
	size_t len;

	zclient_create_header(s, command, 7);
	stream_putc(s, (uint8_t)c);
	stream_putc(s, command & 0xff);
	len = stream_get_endp(s);
	stream_putw_at(s, 0, (uint16_t)len);
	memcpy(buf, STREAM_DATA(s), len);
	stream_free(s);
	return len;
}

static void zebra_says(uint16_t command, const char *chars)
{
	uint8_t buf[64];

	for (; *chars; chars++)
		zebra_bytes(buf, zebra_encode(buf, command, *chars));
}

/* Turns of the loop until nothing more comes; how many there were. */
static unsigned int turns(void)
{
	struct pollfd pollfd = { .fd = zclient->sock, .events = POLLIN };
	struct event event;
	unsigned int n = 0;

	while (zclient->sock >= 0 && poll(&pollfd, 1, 0) == 1 &&
	       event_fetch(loop, &event)) {
		event_call(&event);
		n++;
	}
	return n;
}

/* What zclient and the batches have sent so far. */
static size_t zebra_hears(uint8_t *buf, size_t size)
{
	size_t len = 0;
	ssize_t got;

	while ((got = recv(zebra, &buf[len], size - len, MSG_DONTWAIT)) > 0)
		len += (size_t)got;
	return len;
}

static int setup(void **state)
{
	struct sockaddr_un *sun = (struct sockaddr_un *)&zclient_addr;
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static uint8_t hello[4096];

	/* An abstract name of the kernel's choice. */
	sun->sun_family = AF_UNIX;
	assert_int_equal(bind(listener, (struct sockaddr *)sun,
			      sizeof(sun->sun_family)),
			 0);
	zclient_addr_len = sizeof(zclient_addr);
	assert_int_equal(getsockname(listener, (struct sockaddr *)sun,
				     &zclient_addr_len),
			 0);
	assert_int_equal(listen(listener, 1), 0);

	loop = event_master_create("test");
	zclient = cluster_zclient_new(loop, handlers, array_size(handlers));
	zclient_init(zclient, ZEBRA_ROUTE_OPENFABRIC, 0, &privs);
	cluster_event_off(zclient->t_connect);
	zebra_batch_init();
	assert_int_equal(zclient_start(zclient), 0);
	zebra = accept(listener, NULL, NULL);
	assert_true(zebra >= 0);
	close(listener);
	assert_true(zebra_hears(hello, sizeof(hello)) > 0);

	memset(seen, 0, sizeof(seen));
	n_seen = 0;
	hang_up_at = 0;
	return 0;
}

static int teardown(void **state)
{
	close(zebra);
	zclient_stop(zclient);
	zclient_free(zclient);
	zebra_batch_fini();
	event_master_free(loop);
	return 0;
}

/* -- from zebra -- */

static void test_all_in_one_turn(void **state)
{
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "abc");
	zebra_says(ZEBRA_REDISTRIBUTE_ROUTE_ADD, "de");
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "f");
	assert_int_equal(turns(), 1);
	assert_string_equal(seen, "abcdef");
}

static void test_one_alone(void **state)
{
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "a");
	assert_int_equal(turns(), 1);
	assert_string_equal(seen, "a");
	assert_int_equal(turns(), 0);
}

/* Commands of others go zclient's own way, and nothing changes places. */
static void test_order_is_kept(void **state)
{
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "ab");
	zebra_says(ZEBRA_REDISTRIBUTE_ROUTE_DEL, "c");
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "de");
	/* ab, c, de */
	assert_int_equal(turns(), 3);
	assert_string_equal(seen, "abcde");
}

/* The rest of a message comes later, cut at every place. */
static void test_cut_messages(void **state)
{
	uint8_t buf[64];
	size_t len = zebra_encode(buf, ZEBRA_ROUTE_NOTIFY_OWNER, 'c');

	for (size_t cut = 0; cut < len; cut++) {
		memset(seen, 0, sizeof(seen));
		n_seen = 0;
		zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "ab");
		zebra_bytes(buf, cut);
		turns();
		assert_string_equal(seen, "ab");
		zebra_bytes(&buf[cut], len - cut);
		zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "d");
		turns();
		assert_string_equal(seen, "abcd");
	}
}

/* More than one look takes: all arrive, in few turns. */
static void test_thousands(void **state)
{
	unsigned int n = 0, wakes = 0;

	while (n < ROUTES) {
		for (int i = 0; i < 100; i++, n++)
			zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "x");
		wakes += turns();
	}
	assert_int_equal(n_seen, ROUTES);
	assert_between(wakes, 1, ROUTES / 50);
}

/* A header that is none ends the connection, as ever; what was before counts. */
static void test_broken_header(void **state)
{
	uint8_t buf[64];
	size_t len = zebra_encode(buf, ZEBRA_ROUTE_NOTIFY_OWNER, 'c');

	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "ab");
	buf[2] = 0; /* the marker */
	zebra_bytes(buf, len);
	turns();
	assert_string_equal(seen, "ab");
	assert_int_equal(zclient->sock, -1);
}

static void test_too_short(void **state)
{
	uint8_t buf[64];
	size_t len = zebra_encode(buf, ZEBRA_ROUTE_NOTIFY_OWNER, 'c');

	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "ab");
	buf[0] = 0;
	buf[1] = 9; /* shorter than a header */
	zebra_bytes(buf, len);
	turns();
	assert_string_equal(seen, "ab");
	assert_int_equal(zclient->sock, -1);
}

static void test_handler_ends_the_connection(void **state)
{
	hang_up_at = 'b';
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "abc");
	turns();
	assert_string_equal(seen, "ab");
}

static void test_zebra_ends(void **state)
{
	zebra_says(ZEBRA_ROUTE_NOTIFY_OWNER, "abc");
	shutdown(zebra, SHUT_RDWR);
	turns();
	assert_string_equal(seen, "abc");
	assert_int_equal(zclient->sock, -1);
}

/* -- to zebra -- */

static struct zapi_route *route(uint32_t i)
{
	static struct zapi_route api; /* 89 kB */

	zapi_route_init(&api);
	api.type = ZEBRA_ROUTE_OPENFABRIC;
	api.safi = SAFI_UNICAST;
	api.prefix.family = AF_INET;
	api.prefix.prefixlen = IPV4_MAX_BITLEN;
	api.prefix.u.prefix4.s_addr = htonl(i);
	return &api;
}

static void test_sent_together(void **state)
{
	static uint8_t single[512], batch[2048];
	size_t len;

	assert_true(zclient_route_send(ZEBRA_ROUTE_DELETE, zclient, route(1)) !=
		    ZCLIENT_SEND_FAILURE);
	len = zebra_hears(single, sizeof(single));

	assert_true(zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, route(1)));
	assert_true(zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, route(1)));
	assert_int_equal(zebra_hears(batch, sizeof(batch)), 0);
	zebra_batch_send(zclient);
	assert_int_equal(zebra_hears(batch, sizeof(batch)), 2 * len);
	assert_memory_equal(batch, single, len);
	assert_memory_equal(&batch[len], single, len);

	/* Once. */
	zebra_batch_send(zclient);
	assert_int_equal(zebra_hears(batch, sizeof(batch)), 0);
}

/* More than fits into a batch, in order, none lost. */
static void test_thousands_are_sent(void **state)
{
	static uint8_t buf[ROUTES * 128];
	size_t len = 0, at = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < ROUTES; i++) {
		assert_true(
			zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, route(i)));
		len += zebra_hears(&buf[len], sizeof(buf) - len);
	}
	zebra_batch_send(zclient);
	len += zebra_hears(&buf[len], sizeof(buf) - len);
	for (; at + ZEBRA_HEADER_SIZE <= len; n++) {
		size_t size = ((size_t)buf[at] << 8) | buf[at + 1];
		uint32_t last;

		assert_true(size >= ZEBRA_HEADER_SIZE && at + size <= len);
		memcpy(&last, &buf[at + ADDRESS_AT], sizeof(last));
		assert_int_equal(ntohl(last), n);
		at += size;
	}
	assert_int_equal(n, ROUTES);
	assert_int_equal(at, len);
}

static void test_without_a_connection(void **state)
{
	assert_true(zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, route(1)));
	zclient_stop(zclient);
	zebra_batch_send(zclient);
	assert_false(zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, route(1)));
	/* What wasn't sent isn't kept for another connection. */
	assert_int_equal(zclient_start(zclient), -1);
	cluster_event_off(zclient->t_connect);
}

/* What can't be encoded isn't sent. */
static void test_refused(void **state)
{
	struct zapi_route *api = route(1);
	static uint8_t buf[512];

	api->type = ZEBRA_ROUTE_MAX;
	assert_false(zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, api));
	zebra_batch_send(zclient);
	assert_int_equal(zebra_hears(buf, sizeof(buf)), 0);
}

#define BATCH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BATCH_TEST(test_all_in_one_turn),
		BATCH_TEST(test_one_alone),
		BATCH_TEST(test_order_is_kept),
		BATCH_TEST(test_cut_messages),
		BATCH_TEST(test_thousands),
		BATCH_TEST(test_broken_header),
		BATCH_TEST(test_too_short),
		BATCH_TEST(test_handler_ends_the_connection),
		BATCH_TEST(test_zebra_ends),
		BATCH_TEST(test_sent_together),
		BATCH_TEST(test_thousands_are_sent),
		BATCH_TEST(test_without_a_connection),
		BATCH_TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
