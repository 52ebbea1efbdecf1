// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as a frame for the ping responder: no read past its end, an answer
 * only to what has one, and an answer that goes to one host, from our own
 * hardware and virtual address, no longer than allowed, and is none to us.
 *
 * First byte: 1: make the checksums right before; 2: with a VLAN tag.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "responder/responder_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define FLAG_MEND 1
#define FLAG_VLAN 2
#define ETH	  14

static const uint8_t ours[6] = { 2, 0, 0, 0, 0, 1 };

static uint16_t sum(uint32_t start, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		start += i & 1 ? p[i] : p[i] << 8;
	while (start >> 16)
		start = (start & 0xffff) + (start >> 16);
	return ~start & 0xffff;
}

static void put(uint8_t *p, uint16_t value)
{
	p[0] = value >> 8;
	p[1] = value & 0xff;
}

/* Lengths and checksums as they have to be. */
static void mend(uint8_t *frame, size_t len)
{
	uint8_t *p = frame + ETH;
	size_t header;

	if (len < ETH + 20)
		return;
	len -= ETH;
	if (frame[12] == 0x08 && frame[13] == 0) {
		header = (size_t)(p[0] & 0xf) * 4;
		put(p + 2, (uint16_t)len);
		if (header < 20 || header + 8 > len)
			return;
		put(p + 10, 0);
		put(p + 10, sum(0, p, header));
		put(p + header + 2, 0);
		put(p + header + 2, sum(0, p + header, len - header));
	} else if (frame[12] == 0x86 && frame[13] == 0xdd && len >= 48) {
		uint32_t pseudo = (uint32_t)len - 40 + 58;

		put(p + 4, (uint16_t)(len - 40));
		for (size_t i = 8; i < 40; i++)
			pseudo += i & 1 ? p[i] : p[i] << 8;
		put(p + 42, 0);
		put(p + 42, sum(pseudo, p + 40, len - 40));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct ipaddr addresses[2] = { { .ipa_type = IPADDR_V4 },
				       { .ipa_type = IPADDR_V6 } };
	static uint8_t out[RESPONDER_FRAME_MAX + 64];
	struct responder_vlan vlan = { false, 0x8100, 100 };
	struct responder_request request, again;
	enum responder_kind kind;
	uint8_t *frame;
	size_t n;

	if (len < 1)
		return 0;
	inet_pton(AF_INET, "192.0.2.1", &addresses[0].ipaddr_v4);
	inet_pton(AF_INET6, "2001:db8::1", &addresses[1].ipaddr_v6);
	vlan.present = data[0] & FLAG_VLAN;
	/* An allocation of exactly that size shows every read behind it. */
	frame = malloc(len > 1 ? len - 1 : 1);
	memcpy(frame, data + 1, len - 1);
	if (data[0] & FLAG_MEND)
		mend(frame, len - 1);
	len--;

	kind = responder_parse(frame, len, ours, addresses, 2, &request);
	assert(kind == request.kind && kind < RESPONDER_KINDS);
	n = responder_answer(frame, len, ours, &request, &vlan, out,
			     sizeof(out));
	assert((n > 0) == (kind <= RESPONDER_ECHO));
	if (n) {
		assert(n <= len + RESPONDER_VLAN_LEN + 32);
		assert(memcmp(out + 6, ours, 6) == 0);
		assert(!(out[0] & 1) || (kind == RESPONDER_NEIGHBOR &&
					 IS_IPADDR_NONE(&request.source)));
		assert(ipaddr_cmp(&request.address, &addresses[0]) == 0 ||
		       ipaddr_cmp(&request.address, &addresses[1]) == 0);
		/* Never an answer to an answer. */
		assert(responder_parse(out, n, ours, addresses, 2, &again) >
		       RESPONDER_ECHO);
	}
	free(frame);
	return 0;
}
