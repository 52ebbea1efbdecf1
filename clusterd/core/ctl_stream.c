// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "core/ctl_stream.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, CTL_ITEM, "Control item");

struct ctl_queued {
	struct ctl_items_item item;
	uint64_t number;
	uint16_t type;
	uint16_t len;
	uint8_t data[];
};
DECLARE_LIST(ctl_items, struct ctl_queued, item);

static size_t record_size(const struct ctl_queued *queued)
{
	return sizeof(*queued) + queued->len;
}

void ctl_stream_init(struct ctl_stream *stream)
{
	memset(stream, 0, sizeof(*stream));
	ctl_items_init(&stream->items);
	stream->base = stream->next = stream->fresh = stream->expected = 1;
	stream->rto_us = CTL_STREAM_RTO_FIRST_US;
}

void ctl_stream_reset(struct ctl_stream *stream)
{
	uint64_t resent = stream->resent;
	struct ctl_queued *queued;

	while ((queued = ctl_items_pop(&stream->items)))
		XFREE(MTYPE_CTL_ITEM, queued);
	ctl_items_fini(&stream->items);
	ctl_stream_init(stream);
	stream->resent = resent;
}

bool ctl_stream_put(struct ctl_stream *stream, uint16_t type, const void *data,
		    size_t len)
{
	size_t n = ctl_items_count(&stream->items);
	struct ctl_queued *queued;

	if (len > CTL_PAYLOAD_MAX || n == CTL_STREAM_ITEMS ||
	    stream->octets + sizeof(*queued) + len > CTL_STREAM_OCTETS)
		return false;
	queued = XCALLOC(MTYPE_CTL_ITEM, sizeof(*queued) + len);
	queued->number = stream->base + n;
	queued->type = type;
	queued->len = (uint16_t)len;
	if (len)
		memcpy(queued->data, data, len);
	ctl_items_add_tail(&stream->items, queued);
	stream->octets += record_size(queued);
	if (!stream->cursor)
		stream->cursor = queued;
	return true;
}

bool ctl_stream_roomy(const struct ctl_stream *stream)
{
	return ctl_items_count(&stream->items) < CTL_STREAM_ITEMS / 2 &&
	       stream->octets < CTL_STREAM_OCTETS / 2;
}

size_t ctl_stream_queued(const struct ctl_stream *stream)
{
	return ctl_items_count(&stream->items);
}

static bool window_open(const struct ctl_stream *stream)
{
	return stream->cursor &&
	       stream->next - stream->base < CTL_STREAM_WINDOW &&
	       stream->flying + stream->cursor->len <= CTL_STREAM_WINDOW_OCTETS;
}

size_t ctl_stream_take(struct ctl_stream *stream, struct ctl_msg *msg,
		       size_t room, int64_t now_us)
{
	msg->n_items = 0;
	while (msg->n_items < CTL_ITEMS_MAX && window_open(stream)) {
		struct ctl_queued *queued = stream->cursor;

		if (ctl_item_size(queued->len) > room)
			break;
		room -= ctl_item_size(queued->len);
		msg->items[msg->n_items++] = (struct ctl_item){
			.number = queued->number,
			.type = queued->type,
			.len = queued->len,
			.data = queued->data,
		};
		if (stream->next < stream->fresh) {
			stream->resent++;
			/* Karn: its answer could be the first one's. */
			if (stream->timed == stream->next)
				stream->timed = 0;
		} else {
			stream->fresh = stream->next + 1;
			if (!stream->timed) {
				stream->timed = stream->next;
				stream->timed_us = now_us;
			}
		}
		stream->next++;
		stream->flying += queued->len;
		stream->cursor = ctl_items_next(&stream->items, queued);
	}
	if (msg->n_items && !stream->resend_us)
		stream->resend_us = now_us + stream->rto_us;
	return msg->n_items;
}

/* RFC 6298's estimator. */
static void measured(struct ctl_stream *stream, int64_t rtt_us)
{
	if (!stream->srtt_us) {
		stream->srtt_us = rtt_us;
		stream->rttvar_us = rtt_us / 2;
	} else {
		int64_t error = rtt_us - stream->srtt_us;

		stream->rttvar_us +=
			((error < 0 ? -error : error) - stream->rttvar_us) / 4;
		stream->srtt_us += error / 8;
	}
}

static int64_t rto(const struct ctl_stream *stream)
{
	int64_t us = stream->srtt_us + 4 * stream->rttvar_us;

	if (!stream->srtt_us)
		return CTL_STREAM_RTO_FIRST_US;
	if (us < CTL_STREAM_RTO_MIN_US)
		return CTL_STREAM_RTO_MIN_US;
	return us < CTL_STREAM_RTO_MAX_US ? us : CTL_STREAM_RTO_MAX_US;
}

static void go_back(struct ctl_stream *stream)
{
	stream->next = stream->base;
	stream->flying = 0;
	stream->cursor = ctl_items_first(&stream->items);
	stream->resend_us = 0;
}

static void acked_to(struct ctl_stream *stream, uint64_t ack, int64_t now_us)
{
	if (stream->timed && stream->timed < ack) {
		measured(stream, now_us - stream->timed_us);
		stream->timed = 0;
	}
	while (stream->base < ack) {
		struct ctl_queued *queued = ctl_items_pop(&stream->items);

		stream->octets -= record_size(queued);
		if (queued->number < stream->next)
			stream->flying -= queued->len;
		if (queued == stream->cursor)
			stream->cursor = ctl_items_first(&stream->items);
		stream->base++;
		XFREE(MTYPE_CTL_ITEM, queued);
	}
	/* It had gone back, and then the answer to the first time came. */
	if (stream->next < stream->base)
		stream->next = stream->base;
	stream->rto_us = rto(stream);
	stream->resend_us = stream->next > stream->base
				    ? now_us + stream->rto_us
				    : 0;
}

bool ctl_stream_acked(struct ctl_stream *stream, uint64_t ack, bool gap,
		      int64_t now_us)
{
	if (ack > stream->fresh)
		return false;
	if (ack > stream->base)
		acked_to(stream, ack, now_us);
	/* Each item behind the gap says so: once a round trip is enough. */
	if (gap && ack == stream->base && stream->next > stream->base &&
	    now_us - stream->went_back_us >= stream->rto_us / 2) {
		stream->went_back_us = now_us;
		go_back(stream);
	}
	return true;
}

int64_t ctl_stream_due(const struct ctl_stream *stream)
{
	if (window_open(stream))
		return 0;
	return stream->resend_us ? stream->resend_us : INT64_MAX;
}

void ctl_stream_run(struct ctl_stream *stream, int64_t now_us)
{
	if (!stream->resend_us || stream->resend_us > now_us)
		return;
	go_back(stream);
	stream->rto_us *= 2;
	if (stream->rto_us > CTL_STREAM_RTO_MAX_US)
		stream->rto_us = CTL_STREAM_RTO_MAX_US;
}

bool ctl_stream_got(struct ctl_stream *stream, uint64_t number)
{
	if (number != stream->expected) {
		stream->gap |= number > stream->expected;
		return false;
	}
	stream->expected++;
	stream->gap = false;
	return true;
}
