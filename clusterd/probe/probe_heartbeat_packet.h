/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heartbeats on the wire, and which of them are believed (pure).
 *
 * One datagram, by UDP or a Unix socket, integers in network byte order:
 *
 *     octet  length
 *         0       4  magic: "FCHB"
 *         4       1  version: 1
 *         5       1  state: 1 the service is up, 0 it says goodbye
 *         6       1  n, the length of the probe's name: 1 to 63
 *         7       1  0
 *         8       4  key ID: the number of a key in the probe's key chain
 *        12       8  time of the sender, µs since 1970 (UTC), see below
 *        20      16  address that it speaks for: the target of the check;
 *                    IPv4 as ::ffff:a.b.c.d
 *        36       n  name of the probe, in ASCII, without a NUL
 *      36+n      32  HMAC-SHA-256 over all before it
 *
 * Nothing is ever answered: there is nothing to amplify.  Where a datagram
 * comes from doesn't matter (NAT, several addresses): what it speaks for is
 * under the HMAC.  The magic keeps a key that other protocols use, too, from
 * being talked out of their messages.
 *
 * A sender's times strictly increase, unless its clock is set back by more than
 * twice PROBE_HEARTBEAT_SKEW_US: then they follow it.  The receiver believes no
 * time twice, none older than the last, none from before it began to listen
 * (else a restart would let old ones pass), and none that is further from its
 * own clock than PROBE_HEARTBEAT_SKEW_US: a sender whose clock was wrong and is
 * set back is shut out for twice that at most.
 *
 * History: version 1 is the first.
 */
#ifndef CLUSTER_PROBE_HEARTBEAT_PACKET_H
#define CLUSTER_PROBE_HEARTBEAT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"

#include "probe/probe.h"

#define PROBE_HEARTBEAT_VERSION 1
#define PROBE_HEARTBEAT_HEAD	36
#define PROBE_HEARTBEAT_MAC	32
#define PROBE_HEARTBEAT_MIN	(PROBE_HEARTBEAT_HEAD + 1 + PROBE_HEARTBEAT_MAC)
#define PROBE_HEARTBEAT_MAX                                                    \
	(PROBE_HEARTBEAT_HEAD + PROBE_NAME_LEN - 1 + PROBE_HEARTBEAT_MAC)

#define PROBE_HEARTBEAT_SKEW_US INT64_C(30000000)

struct probe_heartbeat {
	bool up;
	uint32_t key_id;
	uint64_t time_us;
	struct ipaddr target;
	char name[PROBE_NAME_LEN];
};

/* Why one isn't believed, in the order in which it is looked at. */
enum probe_heartbeat_reject {
	PROBE_HEARTBEAT_GOOD,
	PROBE_HEARTBEAT_MALFORMED,
	PROBE_HEARTBEAT_OTHER_VERSION,
	PROBE_HEARTBEAT_UNKNOWN, /* no such probe, or not of that target */
	PROBE_HEARTBEAT_NO_KEY,
	PROBE_HEARTBEAT_BAD_MAC,
	PROBE_HEARTBEAT_CLOCK,	/* too far from our clock */
	PROBE_HEARTBEAT_REPLAY, /* not newer than the last, or than our start */
	PROBE_HEARTBEAT_REJECT_MAX,
};

/* For people ("wrong key"), and for programs ("bad-mac"). */
extern const char *probe_heartbeat_reject_str(enum probe_heartbeat_reject reject);
extern const char *
probe_heartbeat_reject_token(enum probe_heartbeat_reject reject);

/* The length, with room for the HMAC at the end; the name is a valid one. */
extern size_t probe_heartbeat_build(const struct probe_heartbeat *beat,
				    uint8_t buf[PROBE_HEARTBEAT_MAX]);
/* GOOD, MALFORMED or OTHER_VERSION; the HMAC is the caller's business. */
extern enum probe_heartbeat_reject
probe_heartbeat_parse(const uint8_t *buf, size_t len,
		      struct probe_heartbeat *beat);

/* The newest time that was believed, of one check. */
struct probe_heartbeat_guard {
	int64_t newest_us;
};

/* `wall_us`: since 1970, now that we begin to listen. */
extern void probe_heartbeat_guard_init(struct probe_heartbeat_guard *guard,
				       int64_t wall_us);
/*
 * GOOD (and remembered), CLOCK or REPLAY; only after the HMAC was right.  When
 * our clock was set back it begins anew: as after init, at that moment.
 */
extern enum probe_heartbeat_reject
probe_heartbeat_accept(struct probe_heartbeat_guard *guard, uint64_t time_us,
		       int64_t wall_us);

#endif /* CLUSTER_PROBE_HEARTBEAT_PACKET_H */
