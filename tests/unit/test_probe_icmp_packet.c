// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "probe/probe_icmp_packet.h"
#include "unit.h"

static const struct probe_icmp_echo echo = {
	.ident = 0x1234,
	.seq = 0xfffe,
	.cookie = 0x0123456789abcdefULL,
};

/* Independent of the code under test: the sum of a right message is 0xffff. */
static uint16_t ones_sum(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += (uint64_t)p[i] << (i & 1 ? 0 : 8);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void fix_checksum(uint8_t *icmp, size_t len)
{
	uint16_t sum;

	icmp[2] = icmp[3] = 0;
	sum = ~ones_sum(icmp, len);
	icmp[2] = sum >> 8;
	icmp[3] = sum & 0xff;
}

struct packet {
	uint8_t buf[PROBE_ICMP_RECV_LEN];
	size_t len;
	size_t icmp; /* where it begins */
};

static void packet_add(struct packet *packet, const void *data, size_t len)
{
	memcpy(packet->buf + packet->len, data, len);
	packet->len += len;
}

/* IPv4 header with `options` bytes of options (a multiple of 4). */
static void packet_ip4(struct packet *packet, const char *from, const char *to,
		       size_t options, size_t payload)
{
	uint8_t header[60] = { 0 };
	size_t len = 20 + options;
	struct ipaddr a = addr(from), b = addr(to);

	header[0] = 0x40 | len / 4;
	header[2] = (len + payload) >> 8;
	header[3] = (len + payload) & 0xff;
	header[6] = 0x40; /* DF */
	header[8] = 64;
	header[9] = 1;
	memcpy(header + 12, &a.ipaddr_v4, 4);
	memcpy(header + 16, &b.ipaddr_v4, 4);
	packet_add(packet, header, len);
	packet->icmp = packet->len;
}

static void packet_ip6(struct packet *packet, const char *from, const char *to,
		       size_t payload)
{
	uint8_t header[40] = { 0x60 };
	struct ipaddr a = addr(from), b = addr(to);

	header[5] = payload;
	header[6] = 58;
	header[7] = 64;
	memcpy(header + 8, &a.ipaddr_v6, 16);
	memcpy(header + 24, &b.ipaddr_v6, 16);
	packet_add(packet, header, sizeof(header));
}

/* What a host makes of our request. */
static struct packet reply4(const char *from, size_t options)
{
	struct packet packet = { .len = 0 };
	uint8_t request[PROBE_ICMP_LEN];

	probe_icmp_build(false, &echo, request, sizeof(request));
	packet_ip4(&packet, from, "198.51.100.9", options, sizeof(request));
	packet_add(&packet, request, sizeof(request));
	packet.buf[packet.icmp] = 0;
	fix_checksum(packet.buf + packet.icmp, sizeof(request));
	return packet;
}

static struct packet reply6(void)
{
	struct packet packet = { .len = 0 };
	uint8_t request[PROBE_ICMP_LEN];

	probe_icmp_build(true, &echo, request, sizeof(request));
	packet_add(&packet, request, sizeof(request));
	packet.buf[0] = 129;
	return packet;
}

/* A router's word about our request, quoting its first `quoted` ICMP bytes. */
static struct packet error4(uint8_t type, uint8_t code, size_t options,
			    size_t quoted)
{
	struct packet packet = { .len = 0 };
	uint8_t request[PROBE_ICMP_LEN], header[8] = { type, code };
	size_t outer;

	probe_icmp_build(false, &echo, request, sizeof(request));
	packet_ip4(&packet, "203.0.113.1", "198.51.100.9", 0,
		   8 + 20 + options + quoted);
	outer = packet.icmp;
	packet_add(&packet, header, sizeof(header));
	packet_ip4(&packet, "198.51.100.9", "192.0.2.7", options,
		   sizeof(request));
	packet_add(&packet, request, quoted);
	packet.icmp = outer;
	fix_checksum(packet.buf + outer, packet.len - outer);
	return packet;
}

static struct packet error6(uint8_t type, uint8_t code, size_t quoted)
{
	struct packet packet = { .len = 0 };
	uint8_t request[PROBE_ICMP_LEN], header[8] = { type, code };

	probe_icmp_build(true, &echo, request, sizeof(request));
	packet_add(&packet, header, sizeof(header));
	packet_ip6(&packet, "2001:db8::9", "2001:db8::7", sizeof(request));
	packet_add(&packet, request, quoted);
	return packet;
}

/*
 * Parses a copy of exactly that size: a sanitizer sees every byte read behind
 * it.
 */
static enum probe_icmp_kind parse4(const struct packet *packet, size_t len,
				   struct probe_icmp_message *msg)
{
	uint8_t *copy = malloc(len ? len : 1);
	enum probe_icmp_kind kind;

	memcpy(copy, packet->buf, len);
	kind = probe_icmp_parse4(copy, len, msg);
	free(copy);
	assert_int_equal(kind, msg->kind);
	return kind;
}

static enum probe_icmp_kind parse6(const struct packet *packet, size_t len,
				   const char *from,
				   struct probe_icmp_message *msg)
{
	struct ipaddr sender = addr(from);
	uint8_t *copy = malloc(len ? len : 1);
	enum probe_icmp_kind kind;

	memcpy(copy, packet->buf, len);
	kind = probe_icmp_parse6(copy, len, &sender.ipaddr_v6, msg);
	free(copy);
	assert_int_equal(kind, msg->kind);
	return kind;
}

static void test_build(void **state)
{
	static const uint8_t expected4[] = {
		8,    0,    0x24, 0x0a, 0x12, 0x34, 0xff, 0xfe,
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	};
	uint8_t buf[PROBE_ICMP_LEN + 1];

	(void)state;
	memset(buf, 0xaa, sizeof(buf));
	assert_int_equal(probe_icmp_build(false, &echo, buf, sizeof(buf)),
			 PROBE_ICMP_LEN);
	assert_int_equal(ones_sum(buf, PROBE_ICMP_LEN), 0xffff);
	buf[2] = expected4[2];
	buf[3] = expected4[3];
	assert_memory_equal(buf, expected4, sizeof(expected4));
	assert_int_equal(buf[PROBE_ICMP_LEN], 0xaa);

	/* ICMPv6: another type; the kernel does the checksum. */
	assert_int_equal(probe_icmp_build(true, &echo, buf, PROBE_ICMP_LEN),
			 PROBE_ICMP_LEN);
	assert_int_equal(buf[0], 128);
	assert_int_equal(buf[2] << 8 | buf[3], 0);
	assert_memory_equal(buf + 4, expected4 + 4, PROBE_ICMP_LEN - 4);

	assert_int_equal(probe_icmp_build(false, &echo, buf, PROBE_ICMP_LEN - 1),
			 0);
}

static void test_reply4(void **state)
{
	struct ipaddr target = addr("192.0.2.7");
	struct probe_icmp_message msg;
	struct packet packet;

	(void)state;
	for (size_t options = 0; options <= 40; options += 4) {
		packet = reply4("192.0.2.7", options);
		assert_int_equal(parse4(&packet, packet.len, &msg),
				 PROBE_ICMP_REPLY);
		assert_true(msg.have_cookie);
		assert_int_equal(ipaddr_cmp(&msg.from, &target), 0);
		assert_true(probe_icmp_match(&msg, &target, &echo));
	}

	/* Padding behind the packet isn't part of it. */
	packet.len += 10;
	assert_int_equal(parse4(&packet, packet.len, &msg), PROBE_ICMP_REPLY);
}

static void test_reply6(void **state)
{
	struct ipaddr target = addr("2001:db8::7");
	struct probe_icmp_message msg;
	struct packet packet = reply6();

	(void)state;
	assert_int_equal(parse6(&packet, packet.len, "2001:db8::7", &msg),
			 PROBE_ICMP_REPLY);
	assert_true(probe_icmp_match(&msg, &target, &echo));

	/* Same bytes, another sender. */
	parse6(&packet, packet.len, "2001:db8::8", &msg);
	assert_false(probe_icmp_match(&msg, &target, &echo));
}

/* Everything that identifies a request counts. */
static void test_match_all(void **state)
{
	struct ipaddr target = addr("192.0.2.7"), other = addr("192.0.2.8");
	struct packet packet = reply4("192.0.2.7", 0);
	struct probe_icmp_message msg;
	struct probe_icmp_echo wrong;

	(void)state;
	parse4(&packet, packet.len, &msg);
	assert_true(probe_icmp_match(&msg, &target, &echo));
	assert_false(probe_icmp_match(&msg, &other, &echo));
	for (int bit = 0; bit < 64; bit++) {
		wrong = echo;
		wrong.cookie ^= 1ULL << bit;
		assert_false(probe_icmp_match(&msg, &target, &wrong));
		wrong = echo;
		wrong.ident ^= 1 << bit % 16;
		assert_false(probe_icmp_match(&msg, &target, &wrong));
		wrong = echo;
		wrong.seq ^= 1 << bit % 16;
		assert_false(probe_icmp_match(&msg, &target, &wrong));
	}
	msg.kind = PROBE_ICMP_OTHER;
	assert_false(probe_icmp_match(&msg, &target, &echo));
}

static void test_errors4(void **state)
{
	static const struct {
		uint8_t type, code;
		const char *text; /* NULL: none of ours */
	} cases[] = {
		{ 3, 0, "network unreachable from 203.0.113.1" },
		{ 3, 1, "host unreachable from 203.0.113.1" },
		{ 3, 3, "port unreachable from 203.0.113.1" },
		{ 3, 4, NULL }, /* too big: not ours */
		{ 3, 13, "administratively prohibited from 203.0.113.1" },
		{ 3, 14, "unreachable from 203.0.113.1" },
		{ 3, 255, "unreachable from 203.0.113.1" },
		{ 11, 0, "time exceeded from 203.0.113.1" },
		{ 12, 0, "parameter problem from 203.0.113.1" },
		{ 4, 0, NULL },	 /* source quench */
		{ 5, 1, NULL },	 /* redirect */
		{ 8, 0, NULL },	 /* somebody's request */
		{ 13, 0, NULL }, /* timestamp */
	};
	struct ipaddr target = addr("192.0.2.7"), router = addr("203.0.113.1");
	struct probe_icmp_message msg;
	char text[128];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		for (size_t options = 0; options <= 40; options += 20) {
			struct packet packet = error4(cases[i].type,
						      cases[i].code, options,
						      PROBE_ICMP_LEN);

			assert_int_equal(parse4(&packet, packet.len, &msg),
					 cases[i].text ? PROBE_ICMP_ERROR
						       : PROBE_ICMP_OTHER);
			probe_icmp_describe(&msg, text, sizeof(text));
			assert_string_equal(text, cases[i].text ?: "");
			if (!cases[i].text)
				continue;
			assert_int_equal(ipaddr_cmp(&msg.from, &router), 0);
			assert_true(msg.have_cookie);
			assert_true(probe_icmp_match(&msg, &target, &echo));
			assert_false(probe_icmp_match(&msg, &router, &echo));
		}
	}
}

static void test_errors6(void **state)
{
	static const struct {
		uint8_t type, code;
		const char *text;
	} cases[] = {
		{ 1, 0, "no route from 2001:db8::1" },
		{ 1, 3, "address unreachable from 2001:db8::1" },
		{ 1, 6, "route rejected from 2001:db8::1" },
		{ 1, 7, "unreachable from 2001:db8::1" },
		{ 3, 0, "time exceeded from 2001:db8::1" },
		{ 4, 1, "parameter problem from 2001:db8::1" },
		{ 2, 0, NULL }, /* too big: not ours */
		{ 128, 0, NULL },
		{ 135, 0, NULL },
	};
	struct ipaddr target = addr("2001:db8::7");
	struct probe_icmp_message msg;
	char text[128];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct packet packet = error6(cases[i].type, cases[i].code,
					      PROBE_ICMP_LEN);

		assert_int_equal(parse6(&packet, packet.len, "2001:db8::1",
					&msg),
				 cases[i].text ? PROBE_ICMP_ERROR
					       : PROBE_ICMP_OTHER);
		probe_icmp_describe(&msg, text, sizeof(text));
		assert_string_equal(text, cases[i].text ?: "");
		assert_int_equal(probe_icmp_match(&msg, &target, &echo),
				 cases[i].text != NULL);
	}
}

/* RFC 792 routers quote 8 bytes: ident and sequence, but no cookie. */
static void test_short_quote(void **state)
{
	struct ipaddr target = addr("192.0.2.7");
	struct probe_icmp_echo wrong = echo;
	struct probe_icmp_message msg;
	struct packet packet = error4(3, 1, 0, 8);

	(void)state;
	assert_int_equal(parse4(&packet, packet.len, &msg), PROBE_ICMP_ERROR);
	assert_false(msg.have_cookie);
	assert_true(probe_icmp_match(&msg, &target, &echo));
	wrong.seq++;
	assert_false(probe_icmp_match(&msg, &target, &wrong));

	packet = error6(1, 0, 15);
	target = addr("2001:db8::7");
	assert_int_equal(parse6(&packet, packet.len, "2001:db8::1", &msg),
			 PROBE_ICMP_ERROR);
	assert_false(msg.have_cookie);
	assert_true(probe_icmp_match(&msg, &target, &echo));
}

/* Whatever is cut off anywhere is not read over, and not taken for whole. */
static void test_truncated(void **state)
{
	struct probe_icmp_message msg;
	struct packet packets4[] = {
		reply4("192.0.2.7", 0),
		reply4("192.0.2.7", 40),
		error4(3, 1, 0, PROBE_ICMP_LEN),
		error4(3, 1, 40, PROBE_ICMP_LEN),
	};
	struct packet packet;

	(void)state;
	for (size_t i = 0; i < array_size(packets4); i++)
		for (size_t len = 0; len < packets4[i].len; len++)
			assert_int_equal(parse4(&packets4[i], len, &msg),
					 PROBE_ICMP_OTHER);
	packet = reply6();
	for (size_t len = 0; len < packet.len; len++)
		assert_int_equal(parse6(&packet, len, "2001:db8::7", &msg),
				 PROBE_ICMP_OTHER);
	packet = error6(1, 0, PROBE_ICMP_LEN);
	for (size_t len = 0; len < packet.len; len++)
		assert_int_equal(parse6(&packet, len, "2001:db8::7", &msg),
				 len < 8 + 40 + 8 ? PROBE_ICMP_OTHER
						  : PROBE_ICMP_ERROR);
	/* The same with total lengths that fit: quotes cut short. */
	for (size_t cut = 0; cut < 28 + PROBE_ICMP_LEN; cut++) {
		packet = error4(3, 1, 0, PROBE_ICMP_LEN);
		packet.len = packet.icmp + 8 + cut;
		packet.buf[3] = packet.len;
		fix_checksum(packet.buf + packet.icmp, packet.len - packet.icmp);
		assert_int_equal(parse4(&packet, packet.len, &msg),
				 cut < 28 ? PROBE_ICMP_OTHER : PROBE_ICMP_ERROR);
		packet = reply4("192.0.2.7", 0);
		if (cut >= PROBE_ICMP_LEN)
			continue;
		packet.len = packet.icmp + cut;
		packet.buf[3] = packet.len;
		if (cut >= 4)
			fix_checksum(packet.buf + packet.icmp, cut);
		assert_int_equal(parse4(&packet, packet.len, &msg),
				 PROBE_ICMP_OTHER);
	}
}

/* Any single bit of an IPv4 reply's ICMP part flipped: dropped. */
static void test_corrupt4(void **state)
{
	struct probe_icmp_message msg;

	(void)state;
	for (size_t bit = 0; bit < PROBE_ICMP_LEN * 8; bit++) {
		struct packet packet = reply4("192.0.2.7", 0);

		packet.buf[packet.icmp + bit / 8] ^= 1 << bit % 8;
		assert_int_equal(parse4(&packet, packet.len, &msg),
				 PROBE_ICMP_OTHER);
	}
}

static void refused4(struct packet packet)
{
	struct probe_icmp_message msg;

	assert_int_equal(parse4(&packet, packet.len, &msg), PROBE_ICMP_OTHER);
}

static void test_not_ours4(void **state)
{
	struct packet packet;

	(void)state;
#define CHANGED(make, offset, value)                                           \
	do {                                                                   \
		packet = make;                                                 \
		packet.buf[offset] = value;                                    \
		fix_checksum(packet.buf + packet.icmp,                         \
			     packet.len - packet.icmp);                        \
		refused4(packet);                                              \
	} while (0)
	CHANGED(reply4("192.0.2.7", 0), 0, 0x65);   /* version */
	CHANGED(reply4("192.0.2.7", 0), 0, 0x44);   /* header too short */
	CHANGED(reply4("192.0.2.7", 0), 9, 17);	    /* UDP */
	CHANGED(reply4("192.0.2.7", 0), 6, 0x20);   /* first fragment */
	CHANGED(reply4("192.0.2.7", 0), 7, 1);	    /* later fragment */
	CHANGED(reply4("192.0.2.7", 0), 2, 1);	    /* longer than received */
	CHANGED(reply4("192.0.2.7", 0), 20 + 1, 1); /* code */

	/* In the quote (behind 20 + 8 bytes). */
	CHANGED(error4(3, 1, 0, 16), 28, 0x65);
	CHANGED(error4(3, 1, 0, 16), 28, 0x44);
	CHANGED(error4(3, 1, 0, 16), 28, 0x4f);
	CHANGED(error4(3, 1, 0, 16), 28 + 9, 6);
	CHANGED(error4(3, 1, 0, 16), 28 + 7, 1);
	CHANGED(error4(3, 1, 0, 16), 28 + 20, 0); /* a reply of ours */
	CHANGED(error4(3, 1, 0, 16), 28 + 21, 1);
#undef CHANGED
}

static void test_not_ours6(void **state)
{
	static const struct {
		size_t offset;
		uint8_t value;
	} cases[] = {
		{ 8, 0x40 },   { 8 + 6, 0 },	{ 8 + 6, 44 },
		{ 8 + 6, 17 }, { 8 + 40, 129 }, { 8 + 41, 1 },
	};
	struct probe_icmp_message msg;
	struct packet packet;

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		packet = error6(1, 0, PROBE_ICMP_LEN);
		packet.buf[cases[i].offset] = cases[i].value;
		assert_int_equal(parse6(&packet, packet.len, "2001:db8::1",
					&msg),
				 PROBE_ICMP_OTHER);
	}
	packet = reply6();
	packet.buf[1] = 1;
	assert_int_equal(parse6(&packet, packet.len, "2001:db8::1", &msg),
			 PROBE_ICMP_OTHER);
}

/* An odd length is padded with zero in the sum. */
static void test_odd_length(void **state)
{
	struct probe_icmp_message msg;
	struct packet packet = reply4("192.0.2.7", 0);

	(void)state;
	packet.buf[packet.len++] = 0x77;
	packet.buf[3]++;
	fix_checksum(packet.buf + packet.icmp, packet.len - packet.icmp);
	assert_int_equal(parse4(&packet, packet.len, &msg), PROBE_ICMP_REPLY);
	packet.buf[packet.len - 1] = 0x78;
	assert_int_equal(parse4(&packet, packet.len, &msg), PROBE_ICMP_OTHER);
}

static void test_describe_bounds(void **state)
{
	struct packet packet = error4(3, 1, 0, PROBE_ICMP_LEN);
	struct probe_icmp_message msg;
	char text[5] = "xxxx";

	(void)state;
	parse4(&packet, packet.len, &msg);
	probe_icmp_describe(&msg, text, sizeof(text));
	assert_string_equal(text, "host");
	msg.kind = PROBE_ICMP_REPLY;
	probe_icmp_describe(&msg, text, 0);
	assert_string_equal(text, "host");
	probe_icmp_describe(&msg, text, sizeof(text));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_reply4),
		cmocka_unit_test(test_reply6),
		cmocka_unit_test(test_match_all),
		cmocka_unit_test(test_errors4),
		cmocka_unit_test(test_errors6),
		cmocka_unit_test(test_short_quote),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_corrupt4),
		cmocka_unit_test(test_not_ours4),
		cmocka_unit_test(test_not_ours6),
		cmocka_unit_test(test_odd_length),
		cmocka_unit_test(test_describe_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
