// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers are read byte by byte: what arrives is neither aligned nor long
 * enough unless a check says so.
 */
#include "config.h"

#include <string.h>

#include "printfrr.h"

#include "probe/probe_icmp_packet.h"

/* RFC 792 */
#define ICMP4_ECHO_REPLY	0
#define ICMP4_UNREACHABLE	3
#define ICMP4_ECHO_REQUEST	8
#define ICMP4_TIME_EXCEEDED	11
#define ICMP4_PARAMETER_PROBLEM 12
#define ICMP4_CODE_TOO_BIG	4 /* of "unreachable" */

/* RFC 4443 */
#define ICMP6_UNREACHABLE	1
#define ICMP6_TIME_EXCEEDED	3
#define ICMP6_PARAMETER_PROBLEM 4
#define ICMP6_ECHO_REQUEST	128
#define ICMP6_ECHO_REPLY	129

#define PROTO_ICMP4	   1
#define PROTO_ICMP6	   58
#define IPV4_HEADER_MIN	   20
#define IPV6_HEADER	   40
#define IPV4_FRAGMENT_MASK 0x3fff /* offset and "more fragments" */
#define IPV4_OFFSET_MASK   0x1fff

#define ICMP_HEADER 8 /* also what every error quotes at least */

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | p[i];
	return value;
}

static void put16(uint8_t *p, uint16_t value)
{
	p[0] = value >> 8;
	p[1] = value & 0xff;
}

static void put64(uint8_t *p, uint64_t value)
{
	for (int i = 7; i >= 0; i--, value >>= 8)
		p[i] = value & 0xff;
}

/* RFC 1071; over a message with its own checksum: 0 if that is right. */
static uint16_t checksum(const uint8_t *buf, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += get16(buf + i);
	if (i < len)
		sum += (uint32_t)buf[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static void addr4(struct ipaddr *addr, const uint8_t *p)
{
	SET_IPADDR_V4(addr);
	memcpy(&addr->ipaddr_v4, p, sizeof(addr->ipaddr_v4));
}

static void addr6(struct ipaddr *addr, const void *p)
{
	SET_IPADDR_V6(addr);
	memcpy(&addr->ipaddr_v6, p, sizeof(addr->ipaddr_v6));
}

/* Identifier to cookie of an echo message that has ICMP_HEADER bytes. */
static void parse_echo(const uint8_t *icmp, size_t len,
		       struct probe_icmp_message *msg)
{
	msg->echo.ident = get16(icmp + 4);
	msg->echo.seq = get16(icmp + 6);
	msg->have_cookie = len >= PROBE_ICMP_LEN;
	if (msg->have_cookie)
		msg->echo.cookie = get64(icmp + ICMP_HEADER);
}

/* What follows an error's own header: the packet that it is about. */
static void parse_quote4(const uint8_t *ip, size_t len,
			 struct probe_icmp_message *msg)
{
	size_t header;

	if (len < IPV4_HEADER_MIN || ip[0] >> 4 != 4)
		return;
	header = (size_t)(ip[0] & 0xf) * 4;
	if (header < IPV4_HEADER_MIN || len < header + ICMP_HEADER)
		return;
	if (ip[9] != PROTO_ICMP4 || get16(ip + 6) & IPV4_OFFSET_MASK)
		return;
	if (ip[header] != ICMP4_ECHO_REQUEST || ip[header + 1] != 0)
		return;
	addr4(&msg->to, ip + 16);
	parse_echo(ip + header, len - header, msg);
	msg->kind = PROBE_ICMP_ERROR;
}

static void parse_quote6(const uint8_t *ip, size_t len,
			 struct probe_icmp_message *msg)
{
	/* Our requests have no extension headers. */
	if (len < IPV6_HEADER + ICMP_HEADER || ip[0] >> 4 != 6 ||
	    ip[6] != PROTO_ICMP6)
		return;
	if (ip[IPV6_HEADER] != ICMP6_ECHO_REQUEST || ip[IPV6_HEADER + 1] != 0)
		return;
	addr6(&msg->to, ip + 24);
	parse_echo(ip + IPV6_HEADER, len - IPV6_HEADER, msg);
	msg->kind = PROBE_ICMP_ERROR;
}

/* The message is one that says that the quoted packet hasn't arrived. */
static bool is_error4(uint8_t type, uint8_t code)
{
	switch (type) {
	case ICMP4_UNREACHABLE:
		/* Of packets as small as ours that can't be true. */
		return code != ICMP4_CODE_TOO_BIG;
	case ICMP4_TIME_EXCEEDED:
	case ICMP4_PARAMETER_PROBLEM:
		return true;
	default:
		return false;
	}
}

static bool is_error6(uint8_t type)
{
	return type == ICMP6_UNREACHABLE || type == ICMP6_TIME_EXCEEDED ||
	       type == ICMP6_PARAMETER_PROBLEM;
}

static void parse_reply(const uint8_t *icmp, size_t len,
			struct probe_icmp_message *msg)
{
	if (icmp[1] != 0 || len < PROBE_ICMP_LEN)
		return;
	msg->to = msg->from;
	parse_echo(icmp, len, msg);
	msg->kind = PROBE_ICMP_REPLY;
}

size_t probe_icmp_build(bool ipv6, const struct probe_icmp_echo *echo,
			uint8_t *buf, size_t size)
{
	if (size < PROBE_ICMP_LEN)
		return 0;
	buf[0] = ipv6 ? ICMP6_ECHO_REQUEST : ICMP4_ECHO_REQUEST;
	buf[1] = 0;
	put16(buf + 2, 0);
	put16(buf + 4, echo->ident);
	put16(buf + 6, echo->seq);
	put64(buf + ICMP_HEADER, echo->cookie);
	if (!ipv6)
		put16(buf + 2, checksum(buf, PROBE_ICMP_LEN));
	return PROBE_ICMP_LEN;
}

enum probe_icmp_kind probe_icmp_parse4(const uint8_t *buf, size_t len,
				       struct probe_icmp_message *msg)
{
	size_t header, total;
	const uint8_t *icmp;

	memset(msg, 0, sizeof(*msg));
	if (len < IPV4_HEADER_MIN || buf[0] >> 4 != 4)
		return PROBE_ICMP_OTHER;
	header = (size_t)(buf[0] & 0xf) * 4;
	total = get16(buf + 2);
	/* Behind the packet's end there may be padding, but not less. */
	if (header < IPV4_HEADER_MIN || total < header + ICMP_HEADER ||
	    total > len)
		return PROBE_ICMP_OTHER;
	if (buf[9] != PROTO_ICMP4 || get16(buf + 6) & IPV4_FRAGMENT_MASK)
		return PROBE_ICMP_OTHER;

	icmp = buf + header;
	len = total - header;
	if (checksum(icmp, len) != 0)
		return PROBE_ICMP_OTHER;

	addr4(&msg->from, buf + 12);
	msg->type = icmp[0];
	msg->code = icmp[1];
	if (msg->type == ICMP4_ECHO_REPLY)
		parse_reply(icmp, len, msg);
	else if (is_error4(msg->type, msg->code))
		parse_quote4(icmp + ICMP_HEADER, len - ICMP_HEADER, msg);
	return msg->kind;
}

enum probe_icmp_kind probe_icmp_parse6(const uint8_t *buf, size_t len,
				       const struct in6_addr *from,
				       struct probe_icmp_message *msg)
{
	memset(msg, 0, sizeof(*msg));
	if (len < ICMP_HEADER)
		return PROBE_ICMP_OTHER;
	addr6(&msg->from, from);
	msg->type = buf[0];
	msg->code = buf[1];
	if (msg->type == ICMP6_ECHO_REPLY)
		parse_reply(buf, len, msg);
	else if (is_error6(msg->type))
		parse_quote6(buf + ICMP_HEADER, len - ICMP_HEADER, msg);
	return msg->kind;
}

bool probe_icmp_match(const struct probe_icmp_message *msg,
		      const struct ipaddr *target,
		      const struct probe_icmp_echo *echo)
{
	if (msg->kind == PROBE_ICMP_OTHER)
		return false;
	if (ipaddr_cmp(&msg->to, target) != 0)
		return false;
	if (msg->echo.ident != echo->ident || msg->echo.seq != echo->seq)
		return false;
	/* A reply without cookie is none: parse_reply() sees to that. */
	return !msg->have_cookie || msg->echo.cookie == echo->cookie;
}

static const char *const unreachable4[] = {
	"network unreachable",	    "host unreachable",
	"protocol unreachable",	    "port unreachable",
	"fragmentation needed",	    "source route failed",
	"network unknown",	    "host unknown",
	"source host isolated",	    "network prohibited",
	"host prohibited",	    "network unreachable for TOS",
	"host unreachable for TOS", "administratively prohibited",
};

static const char *const unreachable6[] = {
	"no route",
	"administratively prohibited",
	"beyond scope of source address",
	"address unreachable",
	"port unreachable",
	"source address failed policy",
	"route rejected",
};

static const char *error_str(const struct probe_icmp_message *msg)
{
	bool ipv6 = IS_IPADDR_V6(&msg->from);

	if (msg->type == (ipv6 ? ICMP6_TIME_EXCEEDED : ICMP4_TIME_EXCEEDED))
		return "time exceeded";
	if (msg->type ==
	    (ipv6 ? ICMP6_PARAMETER_PROBLEM : ICMP4_PARAMETER_PROBLEM))
		return "parameter problem";
	if (ipv6)
		return msg->code < array_size(unreachable6)
			       ? unreachable6[msg->code]
			       : "unreachable";
	return msg->code < array_size(unreachable4) ? unreachable4[msg->code]
						    : "unreachable";
}

void probe_icmp_describe(const struct probe_icmp_message *msg, char *buf,
			 size_t len)
{
	if (msg->kind == PROBE_ICMP_ERROR)
		snprintfrr(buf, len, "%s from %pIA", error_str(msg), &msg->from);
	else if (len)
		buf[0] = '\0';
}
