// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of the ping responder: what is answered and how, what isn't and why,
 * and that the kernel runs the filter.
 */
#include "config.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memory.h"

#include "responder/responder_packet.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define ETH 14

static const uint8_t ours[6] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t theirs[6] = { 2, 0, 0, 0, 0, 9 };
static const struct responder_vlan untagged;
static struct ipaddr addresses[4];
#define N_ADDRESSES 4

static uint8_t frame[RESPONDER_FRAME_MAX + 1], out[RESPONDER_FRAME_MAX + 64];
static size_t frame_len, out_len;
static struct responder_request request;

static int setup(void **state)
{
	addresses[0] = addr("192.168.10.10");
	addresses[1] = addr("192.168.10.11");
	addresses[2] = addr("2001:db8::10");
	addresses[3] = addr("fe80::abcd:1234");
	memset(frame, 0, sizeof(frame));
	return 0;
}

static uint16_t rfc1071(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static void store16(uint8_t *p, unsigned int value)
{
	p[0] = value >> 8;
	p[1] = value & 0xff;
}

static void ethernet(const uint8_t *to, uint16_t type)
{
	memset(frame, 0, sizeof(frame));
	memcpy(frame, to, 6);
	memcpy(frame + 6, theirs, 6);
	store16(frame + 12, type);
}

/* An ARP message from 192.168.10.1. */
static void make_arp(unsigned int operation, const char *sender,
		     const char *target)
{
	static const uint8_t all[6] = { 255, 255, 255, 255, 255, 255 };
	uint8_t *p = frame + ETH;

	ethernet(all, 0x0806);
	memcpy(p, (uint8_t[]){ 0, 1, 8, 0, 6, 4 }, 6);
	store16(p + 6, operation);
	memcpy(p + 8, theirs, 6);
	inet_pton(AF_INET, sender, p + 14);
	inet_pton(AF_INET, target, p + 24);
	frame_len = 60; /* as padded on the wire */
}

static void sum4(void)
{
	uint8_t *p = frame + ETH;
	size_t header = (size_t)(p[0] & 0xf) * 4;
	size_t total = (size_t)p[2] << 8 | p[3];

	store16(p + 10, 0);
	store16(p + 10, rfc1071(0, p, header));
	store16(p + header + 2, 0);
	store16(p + header + 2, rfc1071(0, p + header, total - header));
}

static void make_echo4(const char *source, const char *target, size_t payload)
{
	uint8_t *p = frame + ETH;

	ethernet(ours, 0x0800);
	p[0] = 0x45;
	p[1] = 0xb8;
	store16(p + 2, (unsigned int)(28 + payload));
	p[8] = 3;
	p[9] = 1;
	inet_pton(AF_INET, source, p + 12);
	inet_pton(AF_INET, target, p + 16);
	p[20] = 8;
	store16(p + 24, 0x1234);
	store16(p + 26, 7);
	for (size_t i = 0; i < payload; i++)
		p[28 + i] = (uint8_t)i;
	frame_len = ETH + 28 + payload;
	sum4();
}

static void sum6(void)
{
	uint8_t *p = frame + ETH, *icmp = p + 40;
	size_t len = (size_t)p[4] << 8 | p[5];
	uint32_t sum = (uint32_t)len + 58;

	for (size_t i = 8; i < 40; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	store16(icmp + 2, 0);
	store16(icmp + 2, rfc1071(sum, icmp, len));
}

static void make_icmp6(const char *source, const char *target, uint8_t type,
		       size_t len)
{
	uint8_t *p = frame + ETH;

	ethernet(ours, 0x86dd);
	p[0] = 0x60;
	store16(p + 4, (unsigned int)len);
	p[6] = 58;
	p[7] = 255;
	inet_pton(AF_INET6, source, p + 8);
	inet_pton(AF_INET6, target, p + 24);
	p[40] = type;
	frame_len = ETH + 40 + len;
	sum6();
}

/* A solicitation for `target`, with the option that a host sends. */
static void make_solicit(const char *source, const char *target)
{
	uint8_t *icmp = frame + ETH + 40;

	make_icmp6(source, "ff02::1:ff00:10", 135, 32);
	memcpy(frame, (uint8_t[]){ 0x33, 0x33, 0xff, 0, 0, 0x10 }, 6);
	inet_pton(AF_INET6, target, icmp + 8);
	icmp[24] = 1;
	icmp[25] = 1;
	memcpy(icmp + 26, theirs, 6);
	sum6();
}

static enum responder_kind parse(void)
{
	/* Of exactly that size: a read behind it is seen. */
	uint8_t *exact = malloc(frame_len ? frame_len : 1);
	enum responder_kind kind;

	memcpy(exact, frame, frame_len);
	kind = responder_parse(exact, frame_len, ours, addresses, N_ADDRESSES,
			       &request);
	assert_int_equal(kind, request.kind);
	out_len = kind > RESPONDER_ECHO
			  ? 0
			  : responder_answer(exact, frame_len, ours, &request,
					     &untagged, out, sizeof(out));
	free(exact);
	return kind;
}

static void assert_addr(const struct ipaddr *seen, const char *text)
{
	struct ipaddr expected = addr(text);

	assert_int_equal(ipaddr_cmp(seen, &expected), 0);
}

static void assert_answer_header(const uint8_t *to, unsigned int type)
{
	assert_memory_equal(out, to, 6);
	assert_memory_equal(out + 6, ours, 6);
	assert_int_equal(out[12] << 8 | out[13], type);
}

static void test_arp(void **state)
{
	make_arp(1, "192.168.10.1", "192.168.10.11");
	assert_int_equal(parse(), RESPONDER_ARP);
	assert_addr(&request.address, "192.168.10.11");
	assert_addr(&request.source, "192.168.10.1");
	assert_int_equal(out_len, ETH + 28);
	assert_answer_header(theirs, 0x0806);
	assert_memory_equal(out + ETH + 6, "\0\2", 2);
	assert_memory_equal(out + ETH + 8, ours, 6);
	assert_memory_equal(out + ETH + 14, &addresses[1].ipaddr_v4, 4);
	assert_memory_equal(out + ETH + 18, theirs, 6);
	assert_memory_equal(out + ETH + 24, frame + ETH + 14, 4);

	/* RFC 5227: whether the address is taken. */
	make_arp(1, "0.0.0.0", "192.168.10.10");
	assert_int_equal(parse(), RESPONDER_ARP);
	assert_true(IS_IPADDR_NONE(&request.source));
}

static void test_arp_unanswered(void **state)
{
	make_arp(1, "192.168.10.1", "192.168.10.12");
	assert_int_equal(parse(), RESPONDER_OTHER);
	make_arp(2, "192.168.10.1", "192.168.10.10");
	assert_int_equal(parse(), RESPONDER_OTHER);
	make_arp(1, "192.168.10.10", "192.168.10.10"); /* announces itself */
	assert_int_equal(parse(), RESPONDER_CONFLICT);
	assert_addr(&request.address, "192.168.10.10");
	make_arp(2, "192.168.10.11", "192.168.10.1");
	assert_int_equal(parse(), RESPONDER_CONFLICT);
	memcpy(frame + ETH + 8, ours, 6); /* our own, back from a switch */
	assert_int_equal(parse(), RESPONDER_OTHER);
	for (unsigned int i = 0; i < 6; i++) {
		make_arp(1, "192.168.10.1", "192.168.10.10");
		frame[ETH + i] ^= 1;
		assert_int_equal(parse(), RESPONDER_OTHER);
	}
	make_arp(1, "255.255.255.255", "192.168.10.10");
	assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	make_arp(1, "192.168.10.1", "192.168.10.10");
	frame[ETH + 8] |= 1; /* a group as the asker's hardware address */
	assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	make_arp(1, "192.168.10.1", "192.168.10.10");
	memset(frame + ETH + 8, 0, 6);
	assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	make_arp(1, "192.168.10.1", "192.168.10.10");
	frame_len = ETH + 27;
	assert_int_equal(parse(), RESPONDER_OTHER);
}

static void test_echo4(void **state)
{
	for (size_t payload = 0; payload < 100; payload++) {
		make_echo4("192.168.10.1", "192.168.10.10", payload);
		assert_int_equal(parse(), RESPONDER_ECHO);
		assert_int_equal(out_len, frame_len);
		assert_answer_header(theirs, 0x0800);
		assert_int_equal(out[ETH], 0x45);
		assert_int_equal(out[ETH + 1], 0xb8);
		assert_int_equal(rfc1071(0, out + ETH, 20), 0);
		assert_int_equal(rfc1071(0, out + ETH + 20, 8 + payload), 0);
		assert_int_equal(out[ETH + 8], 64);
		assert_memory_equal(out + ETH + 12, frame + ETH + 16, 4);
		assert_memory_equal(out + ETH + 16, frame + ETH + 12, 4);
		assert_int_equal(out[ETH + 20], 0);
		assert_memory_equal(out + ETH + 24, frame + ETH + 24,
				    4 + payload);
	}
	/* Padded on the wire: the padding isn't part of the message. */
	make_echo4("192.168.10.1", "192.168.10.10", 1);
	frame_len = 60;
	assert_int_equal(parse(), RESPONDER_ECHO);
	assert_int_equal(out_len, ETH + 29);
}

/* Options of the request aren't in the answer. */
static void test_echo4_options(void **state)
{
	uint8_t *p = frame + ETH;

	make_echo4("192.168.10.1", "192.168.10.10", 4);
	memmove(p + 24, p + 20, 12);
	memset(p + 20, 1, 4); /* no operation */
	p[0] = 0x46;
	store16(p + 2, 36);
	frame_len += 4;
	sum4();
	assert_int_equal(parse(), RESPONDER_ECHO);
	assert_int_equal(out_len, ETH + 32);
	assert_memory_equal(out + ETH + 28, p + 32, 4);
}

static void test_echo4_unanswered(void **state)
{
	static const char *const bad[] = { "0.1.2.3", "127.0.0.1", "224.0.0.1",
					   "239.1.1.1", "255.255.255.255" };
	uint8_t *p = frame + ETH;

	make_echo4("192.168.10.1", "192.168.10.12", 8);
	assert_int_equal(parse(), RESPONDER_OTHER);
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	frame[5] ^= 4; /* sent to somebody else, or to a group */
	assert_int_equal(parse(), RESPONDER_OTHER);
	for (size_t i = 0; i < array_size(bad); i++) {
		make_echo4(bad[i], "192.168.10.10", 8);
		assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	}
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	frame[6] |= 1;
	assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	p[6] = 0x20; /* more fragments */
	sum4();
	assert_int_equal(parse(), RESPONDER_FRAGMENT);
	p[6] = 0;
	p[7] = 1; /* offset */
	sum4();
	assert_int_equal(parse(), RESPONDER_FRAGMENT);
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	p[6] = 0x40; /* don't fragment */
	sum4();
	assert_int_equal(parse(), RESPONDER_ECHO);
	p[9] = 17; /* UDP */
	sum4();
	assert_int_equal(parse(), RESPONDER_REVERSE_FLOW);
	assert_addr(&request.address, "192.168.10.10");
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	p[20] = 0; /* an answer */
	sum4();
	assert_int_equal(parse(), RESPONDER_REVERSE_FLOW);
	p[20] = 8;
	p[21] = 1; /* a code that there isn't */
	sum4();
	assert_int_equal(parse(), RESPONDER_REVERSE_FLOW);
}

/* One wrong byte anywhere is malformed, or another frame altogether. */
static void test_damaged4(void **state)
{
	for (size_t at = ETH; at < ETH + 36; at++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			enum responder_kind kind;

			make_echo4("192.168.10.1", "192.168.10.10", 8);
			frame[at] ^= 1 << bit;
			kind = parse();
			assert_true(kind == RESPONDER_MALFORMED ||
				    kind == RESPONDER_OTHER);
		}
	}
	for (size_t len = 0; len < ETH + 36; len++) {
		make_echo4("192.168.10.1", "192.168.10.10", 8);
		frame_len = len;
		assert_int_equal(parse(), RESPONDER_MALFORMED);
	}
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	frame_len = RESPONDER_FRAME_MAX + 1;
	assert_int_equal(parse(), RESPONDER_MALFORMED);
}

static void test_echo6(void **state)
{
	for (size_t len = 8; len < 70; len++) {
		make_icmp6("2001:db8::1", "2001:db8::10", 128, len);
		frame[ETH + 40 + len - 1] ^= len > 8 ? 0x55 : 0;
		sum6();
		assert_int_equal(parse(), RESPONDER_ECHO);
		assert_int_equal(out_len, frame_len);
		assert_answer_header(theirs, 0x86dd);
		assert_int_equal(out[ETH + 7], 64);
		assert_memory_equal(out + ETH + 8, frame + ETH + 24, 16);
		assert_memory_equal(out + ETH + 24, frame + ETH + 8, 16);
		assert_int_equal(out[ETH + 40], 129);
		assert_memory_equal(out + ETH + 44, frame + ETH + 44, len - 4);
		/* The same sum over the answer's own fields. */
		memcpy(frame, out, out_len);
		sum6();
		assert_memory_equal(frame, out, out_len);
		memset(frame, 0, sizeof(frame));
	}
}

static void test_echo6_unanswered(void **state)
{
	static const char *const bad[] = { "::", "::1", "ff02::1" };
	uint8_t *p = frame + ETH;

	for (size_t i = 0; i < array_size(bad); i++) {
		make_icmp6(bad[i], "2001:db8::10", 128, 16);
		assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	}
	make_icmp6("2001:db8::1", "2001:db8::11", 128, 16);
	assert_int_equal(parse(), RESPONDER_OTHER);
	make_icmp6("2001:db8::1", "2001:db8::10", 128, 16);
	frame[4] ^= 1;
	assert_int_equal(parse(), RESPONDER_OTHER);
	make_icmp6("2001:db8::1", "2001:db8::10", 129, 16);
	assert_int_equal(parse(), RESPONDER_REVERSE_FLOW);
	make_icmp6("2001:db8::1", "2001:db8::10", 128, 16);
	p[6] = 6;
	assert_int_equal(parse(), RESPONDER_REVERSE_FLOW);
	p[6] = 44;
	assert_int_equal(parse(), RESPONDER_FRAGMENT);
	make_icmp6("2001:db8::1", "2001:db8::10", 128, 16);
	p[44] ^= 1;
	assert_int_equal(parse(), RESPONDER_MALFORMED);
	make_icmp6("2001:db8::1", "2001:db8::10", 128, 7);
	assert_int_equal(parse(), RESPONDER_MALFORMED);
	for (size_t len = ETH; len < ETH + 56; len++) {
		make_icmp6("2001:db8::1", "2001:db8::10", 128, 16);
		frame_len = len;
		assert_int_equal(parse(), RESPONDER_MALFORMED);
	}
}

static void test_neighbor(void **state)
{
	const uint8_t *icmp = out + ETH + 40;

	make_solicit("fe80::1", "2001:db8::10");
	assert_int_equal(parse(), RESPONDER_NEIGHBOR);
	assert_addr(&request.address, "2001:db8::10");
	assert_int_equal(out_len, ETH + 40 + 32);
	assert_answer_header(theirs, 0x86dd);
	assert_int_equal(out[ETH + 7], 255);
	assert_memory_equal(out + ETH + 8, &addresses[2].ipaddr_v6, 16);
	assert_memory_equal(out + ETH + 24, frame + ETH + 8, 16);
	assert_int_equal(icmp[0], 136);
	assert_int_equal(icmp[4], 0x60);
	assert_memory_equal(icmp + 8, &addresses[2].ipaddr_v6, 16);
	assert_memory_equal(icmp + 24, "\2\1", 2);
	assert_memory_equal(icmp + 26, ours, 6);

	/* RFC 4862: who asks has no address yet; the answer goes to all. */
	make_solicit("::", "2001:db8::10");
	assert_int_equal(parse(), RESPONDER_NEIGHBOR);
	assert_memory_equal(out, "\x33\x33\0\0\0\1", 6);
	assert_memory_equal(out + ETH + 24,
			    "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	assert_int_equal(icmp[4], 0x20);
}

static void test_neighbor_unanswered(void **state)
{
	uint8_t *icmp = frame + ETH + 40;

	make_solicit("fe80::1", "2001:db8::11");
	assert_int_equal(parse(), RESPONDER_OTHER);
	make_solicit("fe80::1", "2001:db8::10");
	frame[ETH + 7] = 254; /* came over a router */
	assert_int_equal(parse(), RESPONDER_MALFORMED);
	make_solicit("fe80::1", "2001:db8::10");
	icmp[25] = 0; /* an option without a length */
	sum6();
	assert_int_equal(parse(), RESPONDER_MALFORMED);
	icmp[25] = 2; /* one past the end */
	sum6();
	assert_int_equal(parse(), RESPONDER_MALFORMED);
	make_solicit("ff02::9", "2001:db8::10");
	assert_int_equal(parse(), RESPONDER_BAD_SOURCE);
	make_solicit("fe80::1", "ff02::1");
	assert_int_equal(parse(), RESPONDER_MALFORMED);
	make_solicit("fe80::1", "2001:db8::10");
	icmp[0] = 136; /* an advertisement */
	sum6();
	assert_int_equal(parse(), RESPONDER_CONFLICT);
	make_icmp6("fe80::1", "ff02::1", 136, 20);
	assert_int_equal(parse(), RESPONDER_MALFORMED);
}

static void test_vlan(void **state)
{
	struct responder_vlan vlan = { true, 0x8100, 0x2064 };
	uint8_t plain[128];

	make_echo4("192.168.10.1", "192.168.10.10", 8);
	assert_int_equal(parse(), RESPONDER_ECHO);
	memcpy(plain, out, out_len);
	assert_int_equal(responder_answer(frame, frame_len, ours, &request,
					  &vlan, out, sizeof(out)),
			 frame_len + 4);
	assert_memory_equal(out, plain, 12);
	assert_memory_equal(out + 12, "\x81\x00\x20\x64", 4);
	assert_memory_equal(out + 16, plain + 12, frame_len - 12);
	assert_int_equal(responder_answer(frame, frame_len, ours, &request,
					  &vlan, out, frame_len + 35),
			 0);
}

static void test_other_frames(void **state)
{
	make_echo4("192.168.10.1", "192.168.10.10", 8);
	store16(frame + 12, 0x88cc);
	assert_int_equal(parse(), RESPONDER_OTHER);
	assert_int_equal(responder_answer(frame, frame_len, ours, &request,
					  &untagged, out, sizeof(out)),
			 0);
	for (int kind = 0; kind < RESPONDER_KINDS; kind++)
		assert_true(responder_kind_name(kind)[0] != '\0');
}

/* The kernel's verdict on `frame`, by a socket of another family. */
static bool kernel_takes(size_t n_addresses)
{
	struct sock_filter program[RESPONDER_FILTER_MAX];
	struct sock_fprog fprog = { .filter = program };
	uint8_t buf[16];
	bool taken;
	int fd[2];

	fprog.len = (unsigned short)responder_filter(addresses, n_addresses,
						     program);
	assert_between(fprog.len, 1, RESPONDER_FILTER_MAX);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), 0);
	assert_int_equal(setsockopt(fd[1], SOL_SOCKET, SO_ATTACH_FILTER, &fprog,
				    sizeof(fprog)),
			 0);
	send(fd[0], frame, frame_len, 0);
	taken = recv(fd[1], buf, sizeof(buf), MSG_DONTWAIT) > 0;
	close(fd[0]);
	close(fd[1]);
	return taken;
}

static void test_filter(void **state)
{
	make_arp(1, "192.168.10.1", "192.168.10.10");
	assert_true(kernel_takes(4));
	make_arp(1, "192.168.10.1", "192.168.10.11");
	assert_true(kernel_takes(4));
	assert_false(kernel_takes(1));
	make_arp(2, "192.168.10.11", "192.168.10.1");
	assert_true(kernel_takes(4));
	make_arp(1, "192.168.10.1", "192.168.10.12");
	assert_false(kernel_takes(4));

	make_echo4("192.168.10.1", "192.168.10.11", 0);
	assert_true(kernel_takes(4));
	assert_false(kernel_takes(1));
	make_echo4("192.168.10.10", "192.168.10.1", 0);
	assert_false(kernel_takes(4));

	/* The second of two; too short for what the first is also looked for. */
	make_icmp6("fe80::1", "fe80::abcd:1234", 128, 8);
	assert_true(kernel_takes(4));
	assert_false(kernel_takes(3));
	make_icmp6("fe80::1", "fe80::abcd:1235", 128, 8);
	assert_false(kernel_takes(4));
	make_solicit("fe80::1", "fe80::abcd:1234");
	assert_true(kernel_takes(4));
	assert_false(kernel_takes(3));
	make_solicit("fe80::1", "fe80::abcd:1235");
	assert_false(kernel_takes(4));

	make_echo4("192.168.10.1", "192.168.10.10", 0);
	store16(frame + 12, 0x88cc);
	assert_false(kernel_takes(4));
	assert_false(kernel_takes(0));
}

static void test_solicited_mac(void **state)
{
	uint8_t mac[6];

	responder_solicited_mac(&addresses[3].ipaddr_v6, mac);
	assert_memory_equal(mac, "\x33\x33\xff\xcd\x12\x34", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_arp, setup),
		cmocka_unit_test_setup(test_arp_unanswered, setup),
		cmocka_unit_test_setup(test_echo4, setup),
		cmocka_unit_test_setup(test_echo4_options, setup),
		cmocka_unit_test_setup(test_echo4_unanswered, setup),
		cmocka_unit_test_setup(test_damaged4, setup),
		cmocka_unit_test_setup(test_echo6, setup),
		cmocka_unit_test_setup(test_echo6_unanswered, setup),
		cmocka_unit_test_setup(test_neighbor, setup),
		cmocka_unit_test_setup(test_neighbor_unanswered, setup),
		cmocka_unit_test_setup(test_vlan, setup),
		cmocka_unit_test_setup(test_other_frames, setup),
		cmocka_unit_test_setup(test_filter, setup),
		cmocka_unit_test_setup(test_solicited_mac, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
