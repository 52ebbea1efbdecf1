/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control protocol on the wire (pure; constants only).
 *
 * UDP, port 8484 unless configured (not registered with IANA).  All numbers
 * are big-endian.  doc/developer/control-protocol.rst holds
 * the same tables, and a test compares them with this file.
 *
 *	datagram = header (48 octets), TLVs, trailer (36 octets)
 *
 *	header
 *	  0  2  magic 0xfc1d
 *	  2  1  version
 *	  3  1  type
 *	  4  2  length of the whole datagram
 *	  6  2  reserved: sent as 0, ignored
 *	  8 16  the sender's logical ID
 *	 24  8  session of the sender (0: none; it speaks for no session)
 *	 32  8  session of the receiver (0: not known yet)
 *	 40  8  sequence: rises with every datagram of a session
 *
 *	TLV
 *	  0  2  type
 *	  2  2  length of the value
 *	  4  n  value
 *
 *	trailer
 *	  0  4  key ID
 *	  4 32  HMAC-SHA-256 over everything before it
 *
 * A session is the pair of two random 64-bit numbers, one from each side.
 * Whoever sends back my number has heard me after I made it: this is what
 * makes old datagrams worthless.
 *
 * How versions may differ: a receiver skips TLVs that it doesn't know or that
 * the type doesn't use, and refuses a version or a type that it doesn't know.
 * What an older version must not misunderstand needs a new version.
 *
 * History
 *	1	the first version
 */
#ifndef CTL_WIRE_H
#define CTL_WIRE_H

#include <stdint.h>

#define CTL_PORT    8484
#define CTL_MAGIC   0xfc1d
#define CTL_VERSION 1

/* IPv6 carries 1280 octets everywhere; less its header and UDP's. */
#define CTL_DATAGRAM_MAX 1232
#define CTL_HEADER_LEN	 48
#define CTL_TLV_LEN	 4
#define CTL_MAC_LEN	 32
#define CTL_TRAILER_LEN	 (4 + CTL_MAC_LEN)
#define CTL_DATAGRAM_MIN (CTL_HEADER_LEN + CTL_TRAILER_LEN)

enum ctl_type {
	CTL_HELLO = 1,	   /* who are you? */
	CTL_CHALLENGE = 2, /* show that you are there: the cookie */
	CTL_OPEN = 3,	   /* the cookie back: let us have a session */
	CTL_OPEN_ACK = 4,  /* agreed */
	CTL_KEEPALIVE = 5, /* I am here; I have these of your items */
	CTL_DATA = 6,	   /* a keepalive that carries items */
	CTL_GOODBYE = 7,   /* this session ends */
	CTL_REJECT = 8,	   /* I know no such session, or refuse one */
};
#define CTL_TYPE_MAX CTL_REJECT

enum ctl_tlv {
	CTL_TLV_PAD = 1,    /* makes a request as long as its reply */
	CTL_TLV_COOKIE = 2, /* opaque to all but its maker */
	CTL_TLV_TIMERS = 3, /* 4 keepalive, 4 dead interval; milliseconds */
	CTL_TLV_ACK = 4,    /* 8 the next item that is expected */
	CTL_TLV_LINK = 5,   /* 4 flags */
	CTL_TLV_REASON = 6, /* 2 reason, 8 sequence that it answers or 0 */
	CTL_TLV_ITEM = 7,   /* 8 number, 2 type, payload */
};
#define CTL_TLV_MAX CTL_TLV_ITEM

#define CTL_COOKIE_LEN	24
#define CTL_TIMERS_LEN	8
#define CTL_ACK_LEN	8
#define CTL_LINK_LEN	4
#define CTL_REASON_LEN	10
#define CTL_ITEM_LEN	10 /* without the payload */
#define CTL_PAYLOAD_MAX 1024

/* CTL_TLV_LINK */
#define CTL_LINK_HEARD 0x1 /* I hear you on this link */
#define CTL_LINK_GAP   0x2 /* an item is missing: send again from the ack on */
#define CTL_LINK_ASK   0x4 /* not heard for a while: answer at once */

/* Why a session ended or was refused; below 64 they go over the wire. */
enum ctl_reason {
	CTL_REASON_NONE = 0,
	CTL_REASON_STOPPED = 1,	      /* the node goes down in good order */
	CTL_REASON_DEAD = 2,	      /* not heard for the dead interval */
	CTL_REASON_UNKNOWN = 3,	      /* no such session (any more) */
	CTL_REASON_DUPLICATE = 4,     /* that logical ID is another node's */
	CTL_REASON_FULL = 5,	      /* too many peers */
	CTL_REASON_NOT_PERMITTED = 6, /* the configuration doesn't want you */
	CTL_REASON_CLOSED = 7,	      /* closed by the operator */
	/* never sent */
	CTL_REASON_RESTARTED = 64, /* the other side began a new session */
	CTL_REASON_CROWDED = 65,   /* the session has all links it can have */
};

/* The items' types that belong to the protocol itself; see ctl_core.h. */
#define CTL_ITEM_SYNC_BEGIN 1	/* 2 first type: full state follows */
#define CTL_ITEM_SYNC_END   2	/* 2 first type: that was the full state */
#define CTL_ITEM_USER	    256 /* the first type of a capability */

/*
 * The lengths of what goes out: each type is sent in one form only.  Padding
 * makes a request as long as its reply.
 */
#define CTL_LEN(tlvs)	  (CTL_DATAGRAM_MIN + (tlvs))
#define CTL_TLV(value)	  (CTL_TLV_LEN + (value))
#define CTL_LEN_HELLO	  CTL_LEN_OPEN
#define CTL_LEN_CHALLENGE CTL_LEN_OPEN
#define CTL_LEN_OPEN	  CTL_LEN(CTL_TLV(CTL_COOKIE_LEN) + CTL_TLV(CTL_TIMERS_LEN))
#define CTL_LEN_OPEN_ACK  CTL_LEN_KEEPALIVE
#define CTL_LEN_KEEPALIVE                                                      \
	CTL_LEN(CTL_TLV(CTL_TIMERS_LEN) + CTL_TLV(CTL_ACK_LEN) +               \
		CTL_TLV(CTL_LINK_LEN))
#define CTL_LEN_DATA(payload)                                                  \
	(CTL_LEN_KEEPALIVE + CTL_TLV(CTL_ITEM_LEN + (payload)))
#define CTL_LEN_GOODBYE CTL_LEN(CTL_TLV(CTL_REASON_LEN))
#define CTL_LEN_REJECT	CTL_LEN(CTL_TLV(CTL_REASON_LEN))

/* A reply is never longer than what provoked it: no amplifier. */
_Static_assert(CTL_LEN_CHALLENGE <= CTL_LEN_HELLO, "hello -> challenge");
_Static_assert(CTL_LEN_CHALLENGE <= CTL_LEN_OPEN, "stale open -> challenge");
_Static_assert(CTL_LEN_OPEN <= CTL_LEN_CHALLENGE, "challenge -> open");
_Static_assert(CTL_LEN_OPEN_ACK <= CTL_LEN_OPEN, "open -> open-ack");
_Static_assert(CTL_LEN_KEEPALIVE <= CTL_LEN_OPEN_ACK, "open-ack -> keepalive");
_Static_assert(CTL_LEN_KEEPALIVE <= CTL_LEN_DATA(0), "data -> keepalive");
_Static_assert(CTL_LEN_REJECT <= CTL_LEN_OPEN, "open -> reject");
_Static_assert(CTL_LEN_REJECT <= CTL_LEN_KEEPALIVE, "keepalive -> reject");
_Static_assert(CTL_LEN_REJECT <= CTL_LEN_DATA(0), "data -> reject");
_Static_assert(CTL_LEN_DATA(CTL_PAYLOAD_MAX) <= CTL_DATAGRAM_MAX,
	       "the largest item fits");
/* The document's table. */
_Static_assert(CTL_LEN_HELLO == 124, "wire");
_Static_assert(CTL_LEN_CHALLENGE == 124, "wire");
_Static_assert(CTL_LEN_OPEN == 124, "wire");
_Static_assert(CTL_LEN_OPEN_ACK == 116, "wire");
_Static_assert(CTL_LEN_KEEPALIVE == 116, "wire");
_Static_assert(CTL_LEN_DATA(0) == 130, "wire");
_Static_assert(CTL_LEN_GOODBYE == 98, "wire");
_Static_assert(CTL_LEN_REJECT == 98, "wire");

#endif /* CTL_WIRE_H */
