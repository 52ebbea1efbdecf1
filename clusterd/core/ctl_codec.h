/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of the control protocol to and from structures (pure; neither
 * makes nor checks the authentication: ctl_auth.h).
 *
 * Reading is in two steps, so that nobody's TLVs are looked at before the
 * sender has shown the key: ctl_decode_header(), ctl_auth_check(),
 * ctl_decode_body().
 */
#ifndef CTL_CODEC_H
#define CTL_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ctl_id.h"
#include "core/ctl_wire.h"

/* In one datagram; the octets are the other limit. */
#define CTL_ITEMS_MAX 64

struct ctl_item {
	uint64_t number;
	uint16_t type;
	uint16_t len;	     /* 0..CTL_PAYLOAD_MAX */
	const uint8_t *data; /* into the datagram when decoded */
};

struct ctl_msg {
	enum ctl_type type;
	struct ctl_id sender;
	uint64_t src; /* the sender's session */
	uint64_t dst; /* the receiver's */
	uint64_t seq;
	uint32_t key_id;

	/* TLVs: which of them there are follows from the type. */
	uint8_t cookie[CTL_COOKIE_LEN];
	uint32_t keepalive_ms, dead_ms;
	uint64_t ack;
	uint32_t link_flags;
	uint16_t reason;
	uint64_t reason_seq;
	unsigned int skipped; /* TLVs; decoding only */
	size_t n_items;
	struct ctl_item items[CTL_ITEMS_MAX]; /* last: isn't cleared */
};

enum ctl_verdict {
	CTL_OK,
	CTL_BAD_LENGTH,	 /* too short, too long, or not what it says */
	CTL_BAD_MAGIC,	 /* not this protocol */
	CTL_BAD_VERSION, /* another version */
	CTL_BAD_TYPE,
	CTL_BAD_TLV, /* a TLV malformed, missing or doubled */
};

/*
 * The length of the datagram, whose MAC is still zeroes; 0 and a text in `err`
 * if the message can't be expressed.  `size` >= CTL_DATAGRAM_MAX always
 * suffices for its type unless there are too many items.
 */
extern size_t ctl_encode(const struct ctl_msg *msg, uint8_t *buf, size_t size,
			 char *err, size_t err_size);

/* How much an item adds to a datagram. */
static inline size_t ctl_item_size(size_t payload)
{
	return CTL_TLV_LEN + CTL_ITEM_LEN + payload;
}

/* Type to key_id; looks at nothing between header and trailer. */
extern enum ctl_verdict ctl_decode_header(const uint8_t *buf, size_t len,
					  struct ctl_msg *msg, char *err,
					  size_t err_size);
/* The TLVs, after ctl_decode_header() of the same datagram was CTL_OK. */
extern enum ctl_verdict ctl_decode_body(const uint8_t *buf, size_t len,
					struct ctl_msg *msg, char *err,
					size_t err_size);

/* For logs and show: "keepalive"; "unknown" for any other number. */
extern const char *ctl_type_str(unsigned int type);
extern const char *ctl_reason_str(unsigned int reason);

#endif /* CTL_CODEC_H */
