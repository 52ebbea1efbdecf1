/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames for a virtual address that the kernel knows nothing of (pure): ARP
 * (RFC 826), neighbour discovery (RFC 4861), echo (RFC 792, 4443); what they
 * ask, the answer to them, and the kernel's filter that lets nothing else in.
 *
 * Frames are Ethernet, without a VLAN tag: the kernel takes it off and tells it
 * beside (packet(7), PACKET_AUXDATA).  An answer carries it in the frame.
 */
#ifndef CLUSTER_RESPONDER_PACKET_H
#define CLUSTER_RESPONDER_PACKET_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"

#include "responder/responder_decide.h"

#define RESPONDER_MAC_LEN   6
#define RESPONDER_VLAN_LEN  4
#define RESPONDER_FRAME_MAX 9216 /* of a request; longer ones are dropped */

/* Why a frame gets no answer, or what it is. */
enum responder_kind {
	/* Has an answer. */
	RESPONDER_ARP,	    /* asks for the hardware address */
	RESPONDER_NEIGHBOR, /* the same for IPv6 */
	RESPONDER_ECHO,
	/* Has none. */
	RESPONDER_OTHER,      /* not for the virtual address, nor a question */
	RESPONDER_MALFORMED,  /* a length, a checksum, a field that can't be */
	RESPONDER_FRAGMENT,   /* is never put together */
	RESPONDER_BAD_SOURCE, /* an answer would go to many, or to nobody */
	RESPONDER_REVERSE_FLOW, /* traffic for the virtual address */
	RESPONDER_CONFLICT,	/* somebody else claims the virtual address */
	RESPONDER_KINDS,
};

/* "echo", "malformed", ...: as in show's JSON. */
extern const char *responder_kind_name(enum responder_kind kind);

struct responder_request {
	enum responder_kind kind;
	struct ipaddr address; /* the virtual one that it is for */
	struct ipaddr source; /* IPADDR_NONE: none (a probe of RFC 5227, 4862) */
	uint8_t mac[RESPONDER_MAC_LEN]; /* who asks */
};

/* A tag as it stands in a frame; tci 0 may be a tag, too (priority). */
struct responder_vlan {
	bool present;
	uint16_t tpid;
	uint16_t tci;
};

/*
 * What a received frame is; `mac`: the interface's own.  Echo requests count
 * only if they were sent to that; `addresses`: the virtual ones.
 */
extern enum responder_kind responder_parse(const uint8_t *frame, size_t len,
					   const uint8_t mac[RESPONDER_MAC_LEN],
					   const struct ipaddr *addresses,
					   size_t n_addresses,
					   struct responder_request *request);

/*
 * Writes the answer to a frame.  Returns its length, or 0 if responder_parse()
 * found that it has none, or `size` is less than `len` + RESPONDER_VLAN_LEN +
 * 32.
 */
extern size_t responder_answer(const uint8_t *frame, size_t len,
			       const uint8_t mac[RESPONDER_MAC_LEN],
			       const struct responder_request *request,
			       const struct responder_vlan *vlan, uint8_t *out,
			       size_t size);

/*
 * The classic BPF program that lets in what has to do with these addresses.
 * Returns the number of instructions, at most RESPONDER_FILTER_MAX.
 */
#define RESPONDER_FILTER_MAX (16 + 24 * RESPONDER_ADDRESSES_MAX)
extern size_t responder_filter(const struct ipaddr *addresses,
			       size_t n_addresses,
			       struct sock_filter program[RESPONDER_FILTER_MAX]);

/* The multicast group of neighbour solicitations for an IPv6 address. */
extern void responder_solicited_mac(const struct in6_addr *addr,
				    uint8_t mac[RESPONDER_MAC_LEN]);

#endif /* CLUSTER_RESPONDER_PACKET_H */
