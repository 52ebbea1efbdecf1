// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers are read byte by byte, and only behind a check of the length.
 */
#include "config.h"

#include <string.h>

#include "responder/responder_packet.h"

/* Ethernet */
#define ETH_LEN	      14
#define ETH_TYPE      12
#define TYPE_IPV4     0x0800
#define TYPE_ARP      0x0806
#define TYPE_IPV6     0x86dd
#define MAC_GROUP_BIT 0x01

/* RFC 826, for IPv4 over Ethernet: offsets behind the Ethernet header. */
#define ARP_LEN	       28
#define ARP_OPERATION  6
#define ARP_SENDER_MAC 8
#define ARP_SENDER     14
#define ARP_TARGET_MAC 18
#define ARP_TARGET     24
#define ARP_REQUEST    1
#define ARP_REPLY      2

/* RFC 791, 792 */
#define IP4_LEN		 20
#define IP4_FRAGMENT	 0x3fff /* offset and "more fragments" */
#define IP4_SOURCE	 12
#define IP4_DESTINATION	 16
#define PROTO_ICMP4	 1
#define ICMP4_ECHO	 8
#define ICMP4_ECHO_REPLY 0
#define ICMP_LEN	 8 /* of echo, both families */

/* RFC 8200, 4443, 4861 */
#define IP6_LEN		  40
#define IP6_SOURCE	  8
#define IP6_DESTINATION	  24
#define PROTO_FRAGMENT	  44
#define PROTO_ICMP6	  58
#define ICMP6_ECHO	  128
#define ICMP6_ECHO_REPLY  129
#define ND_SOLICIT	  135
#define ND_ADVERTISE	  136
#define ND_LEN		  24 /* of both */
#define ND_TARGET	  8
#define ND_HOP_LIMIT	  255
#define ND_OPTION_TARGET  2
#define ND_FLAG_SOLICITED 0x40
#define ND_FLAG_OVERRIDE  0x20
#define TTL		  64

static const char *const kind_names[RESPONDER_KINDS] = {
	[RESPONDER_ARP] = "arp",
	[RESPONDER_NEIGHBOR] = "neighbor",
	[RESPONDER_ECHO] = "echo",
	[RESPONDER_OTHER] = "other",
	[RESPONDER_MALFORMED] = "malformed",
	[RESPONDER_FRAGMENT] = "fragment",
	[RESPONDER_BAD_SOURCE] = "badSource",
	[RESPONDER_REVERSE_FLOW] = "reverseFlow",
	[RESPONDER_CONFLICT] = "conflict",
};

const char *responder_kind_name(enum responder_kind kind)
{
	return kind_names[kind];
}

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, uint16_t value)
{
	p[0] = value >> 8;
	p[1] = value & 0xff;
}

static uint32_t sum_of(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += get16(p + i);
	if (i < len)
		sum += (uint32_t)p[i] << 8;
	return sum;
}

/* RFC 1071 */
static uint16_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* Of an ICMPv6 message, with the pseudo header of RFC 8200. */
static uint16_t checksum6(const uint8_t *ip6, const uint8_t *icmp, size_t len)
{
	return folded(sum_of(ip6 + IP6_SOURCE, 32) + (uint32_t)len +
		      PROTO_ICMP6 + sum_of(icmp, len));
}

static struct ipaddr addr4(const uint8_t *p)
{
	struct ipaddr addr = { .ipa_type = IPADDR_V4 };

	memcpy(&addr.ipaddr_v4, p, sizeof(addr.ipaddr_v4));
	return addr;
}

static struct ipaddr addr6(const uint8_t *p)
{
	struct ipaddr addr = { .ipa_type = IPADDR_V6 };

	memcpy(&addr.ipaddr_v6, p, sizeof(addr.ipaddr_v6));
	return addr;
}

static bool is_virtual(const struct ipaddr *addr,
		       const struct ipaddr *addresses, size_t n_addresses)
{
	for (size_t i = 0; i < n_addresses; i++)
		if (ipaddr_cmp(addr, &addresses[i]) == 0)
			return true;
	return false;
}

static bool is_zero(const uint8_t *p, size_t len)
{
	while (len && !*p)
		p++, len--;
	return len == 0;
}

/* 0/8, 127/8, 224/4 and above: nobody's own address. */
static bool source4_bad(const uint8_t *p)
{
	return p[0] == 0 || p[0] == 127 || p[0] >= 224;
}

static bool source6_bad(const uint8_t *p)
{
	struct in6_addr addr;

	memcpy(&addr, p, sizeof(addr));
	return p[0] == 0xff || IN6_IS_ADDR_UNSPECIFIED(&addr) ||
	       IN6_IS_ADDR_LOOPBACK(&addr);
}

/* What a frame for a virtual address is; the address is known to be one. */
struct input {
	const uint8_t *frame; /* of Ethernet */
	const uint8_t *p;     /* behind its header */
	size_t len;	      /* of p */
	const uint8_t *mac;
	const struct ipaddr *addresses;
	size_t n_addresses;
	struct responder_request *request;
};

static enum responder_kind parse_arp(const struct input *in)
{
	static const uint8_t ethernet_ipv4[] = { 0, 1, 8, 0, 6, 4 };
	const uint8_t *p = in->p;
	struct ipaddr target;

	if (in->len < ARP_LEN || memcmp(p, ethernet_ipv4, 6) != 0)
		return RESPONDER_OTHER;
	target = addr4(p + ARP_TARGET);
	in->request->source = addr4(p + ARP_SENDER);
	if (is_virtual(&in->request->source, in->addresses, in->n_addresses)) {
		in->request->address = in->request->source;
		/* Our own, which a switch has sent back. */
		return memcmp(p + ARP_SENDER_MAC, in->mac, RESPONDER_MAC_LEN)
			       ? RESPONDER_CONFLICT
			       : RESPONDER_OTHER;
	}
	if (get16(p + ARP_OPERATION) != ARP_REQUEST ||
	    !is_virtual(&target, in->addresses, in->n_addresses))
		return RESPONDER_OTHER;
	in->request->address = target;
	if (is_zero(p + ARP_SENDER, 4)) /* RFC 5227: a probe is answered */
		in->request->source = (struct ipaddr){};
	else if (source4_bad(p + ARP_SENDER))
		return RESPONDER_BAD_SOURCE;
	if (p[ARP_SENDER_MAC] & MAC_GROUP_BIT ||
	    is_zero(p + ARP_SENDER_MAC, RESPONDER_MAC_LEN))
		return RESPONDER_BAD_SOURCE;
	memcpy(in->request->mac, p + ARP_SENDER_MAC, RESPONDER_MAC_LEN);
	return RESPONDER_ARP;
}

static bool to_us(const struct input *in)
{
	return memcmp(in->frame, in->mac, RESPONDER_MAC_LEN) == 0;
}

static enum responder_kind parse_ip4(struct input *in)
{
	const uint8_t *p = in->p;
	size_t header, total;

	if (in->len < IP4_LEN)
		return RESPONDER_MALFORMED;
	in->request->address = addr4(p + IP4_DESTINATION);
	if (!to_us(in) ||
	    !is_virtual(&in->request->address, in->addresses, in->n_addresses))
		return RESPONDER_OTHER;
	in->request->source = addr4(p + IP4_SOURCE);
	header = (size_t)(p[0] & 0xf) * 4;
	total = get16(p + 2);
	if (p[0] >> 4 != 4 || header < IP4_LEN || total < header ||
	    total > in->len || folded(sum_of(p, header)) != 0)
		return RESPONDER_MALFORMED;
	if (source4_bad(p + IP4_SOURCE))
		return RESPONDER_BAD_SOURCE;
	if (get16(p + 6) & IP4_FRAGMENT)
		return RESPONDER_FRAGMENT;
	if (p[9] != PROTO_ICMP4)
		return RESPONDER_REVERSE_FLOW;
	p += header;
	total -= header;
	if (total < ICMP_LEN || folded(sum_of(p, total)) != 0)
		return RESPONDER_MALFORMED;
	return p[0] == ICMP4_ECHO && p[1] == 0 ? RESPONDER_ECHO
					       : RESPONDER_REVERSE_FLOW;
}

/* Options of RFC 4861, 4.6: of a length that isn't 0, up to the end. */
static bool options_good(const uint8_t *p, size_t len)
{
	while (len) {
		size_t option = len < 2 ? 0 : (size_t)p[1] * 8;

		if (option == 0 || option > len)
			return false;
		p += option;
		len -= option;
	}
	return true;
}

/* RFC 4861, 7.1.1 */
static enum responder_kind parse_solicit(const struct input *in,
					 const uint8_t *icmp, size_t len)
{
	const uint8_t *p = in->p;

	if (len < ND_LEN || p[7] != ND_HOP_LIMIT || icmp[1] != 0 ||
	    icmp[ND_TARGET] == 0xff ||
	    !options_good(icmp + ND_LEN, len - ND_LEN))
		return RESPONDER_MALFORMED;
	in->request->address = addr6(icmp + ND_TARGET);
	if (!is_virtual(&in->request->address, in->addresses, in->n_addresses))
		return RESPONDER_OTHER;
	if (is_zero(p + IP6_SOURCE, 16)) { /* RFC 4862: detects duplicates */
		in->request->source = (struct ipaddr){};
		return RESPONDER_NEIGHBOR;
	}
	in->request->source = addr6(p + IP6_SOURCE);
	return source6_bad(p + IP6_SOURCE) ? RESPONDER_BAD_SOURCE
					   : RESPONDER_NEIGHBOR;
}

/* Somebody answers for the virtual address. */
static enum responder_kind parse_advertise(const struct input *in,
					   const uint8_t *icmp, size_t len)
{
	if (len < ND_LEN || in->p[7] != ND_HOP_LIMIT)
		return RESPONDER_MALFORMED;
	in->request->address = addr6(icmp + ND_TARGET);
	if (!is_virtual(&in->request->address, in->addresses, in->n_addresses))
		return RESPONDER_OTHER;
	in->request->source = addr6(in->p + IP6_SOURCE);
	return RESPONDER_CONFLICT;
}

static enum responder_kind parse_ip6(struct input *in)
{
	const uint8_t *p = in->p;
	struct ipaddr destination;
	const uint8_t *icmp;
	bool for_us;
	size_t len;

	if (in->len < IP6_LEN || p[0] >> 4 != 6)
		return RESPONDER_MALFORMED;
	destination = addr6(p + IP6_DESTINATION);
	for_us = is_virtual(&destination, in->addresses, in->n_addresses);
	if (for_us)
		in->request->address = destination;
	in->request->source = addr6(p + IP6_SOURCE);
	len = get16(p + 4);
	if (len > in->len - IP6_LEN)
		return RESPONDER_MALFORMED;
	if (p[6] == PROTO_FRAGMENT)
		return for_us ? RESPONDER_FRAGMENT : RESPONDER_OTHER;
	icmp = p + IP6_LEN;
	if (p[6] != PROTO_ICMP6)
		return for_us ? RESPONDER_REVERSE_FLOW : RESPONDER_OTHER;
	if (len < ICMP_LEN || checksum6(p, icmp, len) != 0)
		return RESPONDER_MALFORMED;
	if (icmp[0] == ND_SOLICIT)
		return parse_solicit(in, icmp, len);
	if (icmp[0] == ND_ADVERTISE)
		return parse_advertise(in, icmp, len);
	if (!for_us || !to_us(in))
		return RESPONDER_OTHER;
	if (source6_bad(p + IP6_SOURCE))
		return RESPONDER_BAD_SOURCE;
	return icmp[0] == ICMP6_ECHO && icmp[1] == 0 ? RESPONDER_ECHO
						     : RESPONDER_REVERSE_FLOW;
}

enum responder_kind responder_parse(const uint8_t *frame, size_t len,
				    const uint8_t mac[RESPONDER_MAC_LEN],
				    const struct ipaddr *addresses,
				    size_t n_addresses,
				    struct responder_request *request)
{
	struct input in = {
		.frame = frame,
		.mac = mac,
		.addresses = addresses,
		.n_addresses = n_addresses,
		.request = request,
	};

	memset(request, 0, sizeof(*request));
	request->kind = RESPONDER_MALFORMED;
	if (len < ETH_LEN || len > RESPONDER_FRAME_MAX)
		return request->kind;
	in.p = frame + ETH_LEN;
	in.len = len - ETH_LEN;
	memcpy(request->mac, frame + RESPONDER_MAC_LEN, RESPONDER_MAC_LEN);
	switch (get16(frame + ETH_TYPE)) {
	case TYPE_ARP:
		request->kind = parse_arp(&in);
		break;
	case TYPE_IPV4:
		request->kind = parse_ip4(&in);
		break;
	case TYPE_IPV6:
		request->kind = parse_ip6(&in);
		break;
	default:
		request->kind = RESPONDER_OTHER;
	}
	/* Whatever it asks: nobody's answer goes to a group. */
	if (request->kind <= RESPONDER_ECHO && request->mac[0] & MAC_GROUP_BIT)
		request->kind = RESPONDER_BAD_SOURCE;
	return request->kind;
}

/* ---- answers ---- */

static size_t answer_arp(const uint8_t *in, const uint8_t *mac, uint8_t *out)
{
	memcpy(out, in, ARP_SENDER_MAC);
	put16(out + ARP_OPERATION, ARP_REPLY);
	memcpy(out + ARP_SENDER_MAC, mac, RESPONDER_MAC_LEN);
	memcpy(out + ARP_SENDER, in + ARP_TARGET, 4);
	memcpy(out + ARP_TARGET_MAC, in + ARP_SENDER_MAC, RESPONDER_MAC_LEN);
	memcpy(out + ARP_TARGET, in + ARP_SENDER, 4);
	return ARP_LEN;
}

/* Options of the request's header are not taken over. */
static size_t answer_echo4(const uint8_t *in, uint8_t *out)
{
	size_t header = (size_t)(in[0] & 0xf) * 4;
	size_t len = get16(in + 2) - header;
	uint8_t *icmp = out + IP4_LEN;

	memset(out, 0, IP4_LEN);
	out[0] = 0x45;
	out[1] = in[1]; /* RFC 1812: the type of service of the request */
	put16(out + 2, (uint16_t)(IP4_LEN + len));
	out[8] = TTL;
	out[9] = PROTO_ICMP4;
	memcpy(out + IP4_SOURCE, in + IP4_DESTINATION, 4);
	memcpy(out + IP4_DESTINATION, in + IP4_SOURCE, 4);
	put16(out + 10, folded(sum_of(out, IP4_LEN)));
	memcpy(icmp, in + header, len);
	icmp[0] = ICMP4_ECHO_REPLY;
	put16(icmp + 2, 0);
	put16(icmp + 2, folded(sum_of(icmp, len)));
	return IP4_LEN + len;
}

static void ip6_header(uint8_t *out, size_t len, uint8_t hop_limit,
		       const uint8_t *source, const uint8_t *destination)
{
	memset(out, 0, IP6_LEN);
	out[0] = 0x60;
	put16(out + 4, (uint16_t)len);
	out[6] = PROTO_ICMP6;
	out[7] = hop_limit;
	memcpy(out + IP6_SOURCE, source, 16);
	memcpy(out + IP6_DESTINATION, destination, 16);
}

static size_t answer_echo6(const uint8_t *in, uint8_t *out)
{
	size_t len = get16(in + 4);
	uint8_t *icmp = out + IP6_LEN;

	ip6_header(out, len, TTL, in + IP6_DESTINATION, in + IP6_SOURCE);
	memcpy(icmp, in + IP6_LEN, len);
	icmp[0] = ICMP6_ECHO_REPLY;
	put16(icmp + 2, 0);
	put16(icmp + 2, checksum6(out, icmp, len));
	return IP6_LEN + len;
}

/* RFC 4861, 7.2.4; to who detects duplicates: to all nodes. */
static size_t answer_solicit(const uint8_t *in, const uint8_t *mac,
			     const struct responder_request *request,
			     uint8_t *out)
{
	static const uint8_t all_nodes[16] = { 0xff, 0x02, [15] = 1 };
	bool to_all = IS_IPADDR_NONE(&request->source);
	const uint8_t *target = in + IP6_LEN + ND_TARGET;
	size_t len = ND_LEN + 8;
	uint8_t *icmp = out + IP6_LEN;

	ip6_header(out, len, ND_HOP_LIMIT, target,
		   to_all ? all_nodes : in + IP6_SOURCE);
	memset(icmp, 0, len);
	icmp[0] = ND_ADVERTISE;
	icmp[4] = to_all ? ND_FLAG_OVERRIDE
			 : ND_FLAG_SOLICITED | ND_FLAG_OVERRIDE;
	memcpy(icmp + ND_TARGET, target, 16);
	icmp[ND_LEN] = ND_OPTION_TARGET;
	icmp[ND_LEN + 1] = 1;
	memcpy(icmp + ND_LEN + 2, mac, RESPONDER_MAC_LEN);
	put16(icmp + 2, checksum6(out, icmp, len));
	return IP6_LEN + len;
}

size_t responder_answer(const uint8_t *frame, size_t len,
			const uint8_t mac[RESPONDER_MAC_LEN],
			const struct responder_request *request,
			const struct responder_vlan *vlan, uint8_t *out,
			size_t size)
{
	static const uint8_t all_nodes[] = { 0x33, 0x33, 0, 0, 0, 1 };
	const uint8_t *in = frame + ETH_LEN;
	bool to_all = request->kind == RESPONDER_NEIGHBOR &&
		      IS_IPADDR_NONE(&request->source);
	uint8_t *p = out;

	if (request->kind > RESPONDER_ECHO ||
	    size < len + RESPONDER_VLAN_LEN + 32)
		return 0;
	memcpy(p, to_all ? all_nodes : request->mac, RESPONDER_MAC_LEN);
	memcpy(p + RESPONDER_MAC_LEN, mac, RESPONDER_MAC_LEN);
	p += ETH_TYPE;
	if (vlan->present) {
		put16(p, vlan->tpid);
		put16(p + 2, vlan->tci);
		p += RESPONDER_VLAN_LEN;
	}
	memcpy(p, frame + ETH_TYPE, 2);
	p += 2;
	switch (request->kind) {
	case RESPONDER_ARP:
		p += answer_arp(in, mac, p);
		break;
	case RESPONDER_NEIGHBOR:
		p += answer_solicit(in, mac, request, p);
		break;
	case RESPONDER_ECHO:
		p += IS_IPADDR_V4(&request->address) ? answer_echo4(in, p)
						     : answer_echo6(in, p);
		break;
	default:
		return 0;
	}
	return (size_t)(p - out);
}

/* ---- the kernel's filter ---- */

struct assembler {
	struct sock_filter *program;
	size_t n;
};

static void emit(struct assembler *a, uint16_t code, uint8_t jt, uint8_t jf,
		 uint32_t k)
{
	a->program[a->n++] = (struct sock_filter){ code, jt, jf, k };
}

#define LOAD_16 (BPF_LD | BPF_H | BPF_ABS)
#define LOAD_32 (BPF_LD | BPF_W | BPF_ABS)
#define JUMP_IF (BPF_JMP | BPF_JEQ | BPF_K)
#define RETURN	(BPF_RET | BPF_K)
#define TAKE	0x40000

static void emit_ip4(struct assembler *a, const struct in_addr *addr,
		     uint32_t offset)
{
	emit(a, LOAD_32, 0, 0, offset);
	emit(a, JUMP_IF, 0, 1, ntohl(addr->s_addr));
	emit(a, RETURN, 0, 0, TAKE);
}

static uint32_t word(const struct in6_addr *addr, unsigned int i)
{
	return (uint32_t)get16(addr->s6_addr + 4 * i) << 16 |
	       get16(addr->s6_addr + 4 * i + 2);
}

/* Four words from `offset` on are the address: taken. */
static void emit_ip6(struct assembler *a, const struct in6_addr *addr,
		     uint32_t offset)
{
	for (unsigned int i = 0; i < 4; i++) {
		emit(a, LOAD_32, 0, 0, offset + 4 * i);
		emit(a, JUMP_IF, 0, (uint8_t)(7 - 2 * i), word(addr, i));
	}
	emit(a, RETURN, 0, 0, TAKE);
}

/*
 * Each family is a block that ends with "drop"; one jump leads past it, of at
 * most 255, so that the longest, IPv6, is the last.
 */
size_t responder_filter(const struct ipaddr *addresses, size_t n_addresses,
			struct sock_filter program[RESPONDER_FILTER_MAX])
{
	struct assembler a = { .program = program };
	size_t jump;

	emit(&a, LOAD_16, 0, 0, ETH_TYPE);
	emit(&a, JUMP_IF, 0, 0, TYPE_ARP);
	jump = a.n - 1;
	for (size_t i = 0; i < n_addresses; i++) {
		if (!IS_IPADDR_V4(&addresses[i]))
			continue;
		emit_ip4(&a, &addresses[i].ipaddr_v4, ETH_LEN + ARP_TARGET);
		emit_ip4(&a, &addresses[i].ipaddr_v4, ETH_LEN + ARP_SENDER);
	}
	emit(&a, RETURN, 0, 0, 0);
	program[jump].jf = (uint8_t)(a.n - jump - 1);

	emit(&a, JUMP_IF, 0, 0, TYPE_IPV4);
	jump = a.n - 1;
	for (size_t i = 0; i < n_addresses; i++)
		if (IS_IPADDR_V4(&addresses[i]))
			emit_ip4(&a, &addresses[i].ipaddr_v4,
				 ETH_LEN + IP4_DESTINATION);
	emit(&a, RETURN, 0, 0, 0);
	program[jump].jf = (uint8_t)(a.n - jump - 1);

	emit(&a, JUMP_IF, 1, 0, TYPE_IPV6);
	emit(&a, RETURN, 0, 0, 0);
	for (size_t i = 0; i < n_addresses; i++)
		if (IS_IPADDR_V6(&addresses[i]))
			emit_ip6(&a, &addresses[i].ipaddr_v6,
				 ETH_LEN + IP6_DESTINATION);
	/* Last: a load from behind the frame's end drops it. */
	for (size_t i = 0; i < n_addresses; i++)
		if (IS_IPADDR_V6(&addresses[i]))
			emit_ip6(&a, &addresses[i].ipaddr_v6,
				 ETH_LEN + IP6_LEN + ND_TARGET);
	emit(&a, RETURN, 0, 0, 0);
	return a.n;
}

void responder_solicited_mac(const struct in6_addr *addr,
			     uint8_t mac[RESPONDER_MAC_LEN])
{
	static const uint8_t start[] = { 0x33, 0x33, 0xff };

	memcpy(mac, start, sizeof(start));
	memcpy(mac + 3, addr->s6_addr + 13, 3);
}
