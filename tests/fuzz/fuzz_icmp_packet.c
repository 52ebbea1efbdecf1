// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as a received packet: no read past its end, what is taken for an
 * answer matches the request that it names and no other, and a request built
 * from it and answered comes back the same.
 *
 * First byte: 1: ICMPv6; 2: make lengths and checksum right before (or hardly
 * anything gets past them).
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "probe/probe_icmp_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define FLAG_IPV6 1
#define FLAG_MEND 2

static void put_checksum(uint8_t *p, size_t len)
{
	uint32_t sum = 0;

	p[2] = p[3] = 0;
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	p[2] = (uint8_t)(~sum >> 8);
	p[3] = (uint8_t)~sum;
}

static void mend4(uint8_t *buf, size_t len)
{
	size_t header;

	if (len < 20)
		return;
	header = (size_t)(buf[0] & 0xf) * 4;
	buf[2] = len >> 8;
	buf[3] = len & 0xff;
	if (header >= 20 && len >= header + 4)
		put_checksum(buf + header, len - header);
}

/* The answer of a host to that request. */
static void round_trip(const struct probe_icmp_message *msg, bool ipv6)
{
	uint8_t packet[20 + PROBE_ICMP_LEN] = { 0x45, 0, 0, sizeof(packet),
						0,    0, 0, 0,
						64,   1 };
	struct probe_icmp_message answer;
	uint8_t *icmp = packet + 20;
	size_t built;

	built = probe_icmp_build(ipv6, &msg->echo, icmp, PROBE_ICMP_LEN);
	assert(built == PROBE_ICMP_LEN);
	icmp[0] = ipv6 ? 129 : 0;
	if (ipv6) {
		probe_icmp_parse6(icmp, built, &msg->to.ipaddr_v6, &answer);
	} else {
		memcpy(packet + 12, &msg->to.ipaddr_v4, 4);
		put_checksum(icmp, built);
		probe_icmp_parse4(packet, sizeof(packet), &answer);
	}
	assert(answer.kind == PROBE_ICMP_REPLY);
	assert(probe_icmp_match(&answer, &msg->to, &msg->echo));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct probe_icmp_message msg;
	struct probe_icmp_echo other;
	struct in6_addr from = { { { 0x20, 0x01, 0x0d, 0xb8 } } };
	uint8_t buf[PROBE_ICMP_RECV_LEN];
	char text[64];
	bool ipv6;

	if (len < 1 || len - 1 > sizeof(buf))
		return 0;
	ipv6 = data[0] & FLAG_IPV6;
	len--;
	memcpy(buf, data + 1, len);
	if (data[0] & FLAG_MEND && !ipv6)
		mend4(buf, len);

	/* An allocation of exactly that size shows every read behind it. */
	uint8_t *exact = malloc(len ? len : 1);

	memcpy(exact, buf, len);
	if (ipv6)
		probe_icmp_parse6(exact, len, &from, &msg);
	else
		probe_icmp_parse4(exact, len, &msg);
	free(exact);

	probe_icmp_describe(&msg, text, sizeof(text));
	if (msg.kind == PROBE_ICMP_OTHER) {
		assert(!probe_icmp_match(&msg, &msg.to, &msg.echo));
		return 0;
	}
	assert(msg.to.ipa_type == (ipv6 ? IPADDR_V6 : IPADDR_V4));
	assert((msg.kind == PROBE_ICMP_ERROR) == (text[0] != '\0'));
	assert(msg.have_cookie || msg.kind == PROBE_ICMP_ERROR);
	assert(probe_icmp_match(&msg, &msg.to, &msg.echo));
	other = msg.echo;
	other.seq ^= 1;
	assert(!probe_icmp_match(&msg, &msg.to, &other));
	other = msg.echo;
	other.cookie ^= 1;
	assert(probe_icmp_match(&msg, &msg.to, &other) != msg.have_cookie);
	round_trip(&msg, ipv6);
	return 0;
}
