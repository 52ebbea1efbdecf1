/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ICMP and ICMPv6 echo on the wire (pure): our requests, and which request an
 * answer or an error belongs to.  RFC 792, 4443; spec: gateway-failover.md
 * ("a reply matches on ident + sequence + source + a random cookie").
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +---------------+---------------+-------------------------------+
 *     | type          | code = 0      | checksum                      |
 *     +---------------+---------------+-------------------------------+
 *     | identifier                    | sequence number               |
 *     +-------------------------------+-------------------------------+
 *     | cookie, 64 random bits                                        |
 *     |                                                               |
 *     +---------------------------------------------------------------+
 *
 * The payload is the cookie and nothing else: no time (the sender remembers
 * when it sent), no padding.
 */
#ifndef CLUSTER_PROBE_ICMP_PACKET_H
#define CLUSTER_PROBE_ICMP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"

#define PROBE_ICMP_LEN 16 /* of our requests, and of replies to them */

/*
 * A receive buffer of this size holds whatever can be ours, IPv4 header and
 * all: no error is longer (RFC 1812: 576 bytes, RFC 4443: 1280).
 */
#define PROBE_ICMP_RECV_LEN 1280

/* What identifies a request. Host byte order. */
struct probe_icmp_echo {
	uint16_t ident;
	uint16_t seq;
	uint64_t cookie;
};

enum probe_icmp_kind {
	PROBE_ICMP_OTHER, /* valid or not: not an answer to an echo request */
	PROBE_ICMP_REPLY,
	PROBE_ICMP_ERROR, /* quotes an echo request that never arrived */
};

struct probe_icmp_message {
	enum probe_icmp_kind kind;
	struct ipaddr from; /* who sent it: for an error, any router */
	struct ipaddr to;   /* whom the request was for; a reply: = from */
	struct probe_icmp_echo echo;
	bool have_cookie; /* an error may quote 8 bytes only: without cookie */
	uint8_t type;	  /* of the message itself */
	uint8_t code;
};

/*
 * Writes an echo request to a target of the given family; ICMPv6's checksum is
 * left 0 for the kernel, which always fills it in.  Returns PROBE_ICMP_LEN, or
 * 0 if `size` is less.
 */
extern size_t probe_icmp_build(bool ipv6, const struct probe_icmp_echo *echo,
			       uint8_t *buf, size_t size);

/*
 * Parses what a raw IPv4 socket delivered: IP header included, checksum of the
 * ICMP part not yet verified.
 */
extern enum probe_icmp_kind probe_icmp_parse4(const uint8_t *buf, size_t len,
					      struct probe_icmp_message *msg);

/*
 * Parses what a raw ICMPv6 socket delivered: no IPv6 header, checksum verified
 * by the kernel; `from` is the sender by recvmsg().
 */
extern enum probe_icmp_kind probe_icmp_parse6(const uint8_t *buf, size_t len,
					      const struct in6_addr *from,
					      struct probe_icmp_message *msg);

/*
 * `msg` answers (PROBE_ICMP_REPLY) or is an error for (PROBE_ICMP_ERROR) the
 * request `echo` to `target`.
 */
extern bool probe_icmp_match(const struct probe_icmp_message *msg,
			     const struct ipaddr *target,
			     const struct probe_icmp_echo *echo);

/* A text for people: "host unreachable from 192.0.2.1"; "" for a reply. */
extern void probe_icmp_describe(const struct probe_icmp_message *msg, char *buf,
				size_t len);

#endif /* CLUSTER_PROBE_ICMP_PACKET_H */
