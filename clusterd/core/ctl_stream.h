/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items in order and exactly once over datagrams that get lost, doubled and
 * overtaken: numbered from 1 in each session, acknowledged by the next number
 * that is expected, sent again from there (pure).
 *
 * Go-back-N: the receiver keeps nothing out of order; it says that there is a
 * gap, and the sender goes back at once.  State is small and changes seldom,
 * so simplicity and a bounded memory win over the last bit of throughput.
 */
#ifndef CTL_STREAM_H
#define CTL_STREAM_H

#include "typesafe.h"

#include "core/ctl_codec.h"

/* Not acknowledged: at most so many items and octets are under way. */
#define CTL_STREAM_WINDOW	 64
#define CTL_STREAM_WINDOW_OCTETS 32768
/* Waiting or under way; octets include each item's own record. */
#define CTL_STREAM_ITEMS  512
#define CTL_STREAM_OCTETS 65536

/* How long an acknowledgement is waited for. */
#define CTL_STREAM_RTO_FIRST_US INT64_C(300000)
#define CTL_STREAM_RTO_MIN_US	INT64_C(50000)
#define CTL_STREAM_RTO_MAX_US	INT64_C(2000000)

PREDECL_LIST(ctl_items);

struct ctl_stream {
	/* sending */
	struct ctl_items_head items; /* by number; the first is `base` */
	struct ctl_queued *cursor;   /* the item of number `next`, or NULL */
	size_t octets;
	uint64_t base;	/* the oldest that is not acknowledged */
	uint64_t next;	/* the next to be sent (again) */
	uint64_t fresh; /* the next that was never sent */
	size_t flying;	/* octets from base to next */
	int64_t srtt_us, rttvar_us;
	int64_t rto_us;
	int64_t resend_us;    /* 0: nothing under way */
	int64_t went_back_us; /* when a gap last made it go back */
	uint64_t timed;	      /* the item whose round trip is measured, or 0 */
	int64_t timed_us;
	uint64_t resent; /* items sent again, for show */
	/* receiving */
	uint64_t expected;
	bool gap; /* a later item came before the expected one */
};

extern void ctl_stream_init(struct ctl_stream *stream);
/* Forgets everything, as for a new session; frees what is queued. */
extern void ctl_stream_reset(struct ctl_stream *stream);

/* Copies the item; false: the queue is full, or `len` > CTL_PAYLOAD_MAX. */
extern bool ctl_stream_put(struct ctl_stream *stream, uint16_t type,
			   const void *data, size_t len);
/* Less than half of the queue is in use. */
extern bool ctl_stream_roomy(const struct ctl_stream *stream);
extern size_t ctl_stream_queued(const struct ctl_stream *stream);

/*
 * Puts what is to be sent now into `msg`, at most `room` octets; it counts as
 * sent.  Returns the number of items: 0 if there are none or the window is
 * full.  Their data is valid until the stream is next changed.
 */
extern size_t ctl_stream_take(struct ctl_stream *stream, struct ctl_msg *msg,
			      size_t room, int64_t now_us);
/*
 * The other side's acknowledgement; `gap`: it misses the item `ack`.  False
 * if it acknowledges what was never sent.
 */
extern bool ctl_stream_acked(struct ctl_stream *stream, uint64_t ack, bool gap,
			     int64_t now_us);
/* When ctl_stream_take() has something, 0 for at once, INT64_MAX for never. */
extern int64_t ctl_stream_due(const struct ctl_stream *stream);
/* Goes back if the acknowledgement is overdue. */
extern void ctl_stream_run(struct ctl_stream *stream, int64_t now_us);

/* An item has come; true if it is to be delivered now. */
extern bool ctl_stream_got(struct ctl_stream *stream, uint64_t number);

#endif /* CTL_STREAM_H */
