// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/ctl_codec.h"

/* ctl_wire.h */
enum {
	OFFSET_MAGIC = 0,
	OFFSET_VERSION = 2,
	OFFSET_TYPE = 3,
	OFFSET_LENGTH = 4,
	OFFSET_RESERVED = 6,
	OFFSET_SENDER = 8,
	OFFSET_SRC = 24,
	OFFSET_DST = 32,
	OFFSET_SEQ = 40,
};
_Static_assert(OFFSET_SENDER + CTL_ID_LEN == OFFSET_SRC, "header");
_Static_assert(OFFSET_SEQ + 8 == CTL_HEADER_LEN, "header");

#define BIT(tlv) (1u << (tlv))
#define SESSION_TLVS                                                           \
	(BIT(CTL_TLV_TIMERS) | BIT(CTL_TLV_ACK) | BIT(CTL_TLV_LINK))

/* What each type carries (all of it is required) and its least length. */
static const struct {
	const char *name;
	uint32_t tlvs;
	uint16_t len;
} types[CTL_TYPE_MAX + 1] = {
	[CTL_HELLO] = { "hello", BIT(CTL_TLV_PAD), CTL_LEN_HELLO },
	[CTL_CHALLENGE] = { "challenge", BIT(CTL_TLV_PAD) | BIT(CTL_TLV_COOKIE),
			    CTL_LEN_CHALLENGE },
	[CTL_OPEN] = { "open", BIT(CTL_TLV_COOKIE) | BIT(CTL_TLV_TIMERS),
		       CTL_LEN_OPEN },
	[CTL_OPEN_ACK] = { "open-ack", BIT(CTL_TLV_PAD) | BIT(CTL_TLV_TIMERS),
			   CTL_LEN_OPEN_ACK },
	[CTL_KEEPALIVE] = { "keepalive", SESSION_TLVS, CTL_LEN_KEEPALIVE },
	[CTL_DATA] = { "data", SESSION_TLVS | BIT(CTL_TLV_ITEM),
		       CTL_LEN_DATA(0) },
	[CTL_GOODBYE] = { "goodbye", BIT(CTL_TLV_REASON), CTL_LEN_GOODBYE },
	[CTL_REJECT] = { "reject", BIT(CTL_TLV_REASON), CTL_LEN_REJECT },
};

/* Least and greatest length of a value. */
static const struct {
	uint16_t min, max;
} tlvs[CTL_TLV_MAX + 1] = {
	[CTL_TLV_PAD] = { 0, CTL_DATAGRAM_MAX },
	[CTL_TLV_COOKIE] = { CTL_COOKIE_LEN, CTL_COOKIE_LEN },
	[CTL_TLV_TIMERS] = { CTL_TIMERS_LEN, CTL_TIMERS_LEN },
	[CTL_TLV_ACK] = { CTL_ACK_LEN, CTL_ACK_LEN },
	[CTL_TLV_LINK] = { CTL_LINK_LEN, CTL_LINK_LEN },
	[CTL_TLV_REASON] = { CTL_REASON_LEN, CTL_REASON_LEN },
	[CTL_TLV_ITEM] = { CTL_ITEM_LEN, CTL_ITEM_LEN + CTL_PAYLOAD_MAX },
};

const char *ctl_type_str(unsigned int type)
{
	return type && type <= CTL_TYPE_MAX ? types[type].name : "unknown";
}

const char *ctl_reason_str(unsigned int reason)
{
	static const char *const names[] = {
		[CTL_REASON_NONE] = "none",
		[CTL_REASON_STOPPED] = "stopped",
		[CTL_REASON_DEAD] = "dead",
		[CTL_REASON_UNKNOWN] = "unknown session",
		[CTL_REASON_DUPLICATE] = "duplicate logical ID",
		[CTL_REASON_FULL] = "too many peers",
		[CTL_REASON_NOT_PERMITTED] = "not permitted",
		[CTL_REASON_CLOSED] = "closed",
		[CTL_REASON_RESTARTED] = "restarted",
		[CTL_REASON_CROWDED] = "too many links",
	};

	if (reason >= sizeof(names) / sizeof(names[0]) || !names[reason])
		return "unknown";
	return names[reason];
}

static uint64_t get(const uint8_t *p, int octets)
{
	uint64_t value = 0;

	while (octets--)
		value = value << 8 | *p++;
	return value;
}

static uint8_t *put(uint8_t *p, uint64_t value, int octets)
{
	for (int i = octets; i--; value >>= 8)
		p[i] = (uint8_t)value;
	return p + octets;
}

static uint8_t *put_tlv(uint8_t *p, enum ctl_tlv type, size_t len)
{
	return put(put(p, type, 2), len, 2);
}

static size_t items_size(const struct ctl_msg *msg)
{
	size_t size = 0;

	for (size_t i = 0; i < msg->n_items; i++)
		size += ctl_item_size(msg->items[i].len);
	return size;
}

static uint8_t *put_items(uint8_t *p, const struct ctl_msg *msg)
{
	for (size_t i = 0; i < msg->n_items; i++) {
		const struct ctl_item *item = &msg->items[i];

		p = put_tlv(p, CTL_TLV_ITEM, CTL_ITEM_LEN + item->len);
		p = put(p, item->number, 8);
		p = put(p, item->type, 2);
		if (item->len)
			memcpy(p, item->data, item->len);
		p += item->len;
	}
	return p;
}

/* What brings the types that have padding to their length. */
static size_t padding(enum ctl_type type)
{
	size_t len = types[type].len - CTL_LEN(CTL_TLV_LEN);

	if (type == CTL_CHALLENGE)
		len -= CTL_TLV(CTL_COOKIE_LEN);
	if (type == CTL_OPEN_ACK)
		len -= CTL_TLV(CTL_TIMERS_LEN);
	return len;
}

static uint8_t *put_body(uint8_t *p, const struct ctl_msg *msg, uint32_t set,
			 size_t pad)
{
	if (set & BIT(CTL_TLV_PAD)) {
		p = put_tlv(p, CTL_TLV_PAD, pad);
		memset(p, 0, pad);
		p += pad;
	}
	if (set & BIT(CTL_TLV_COOKIE)) {
		p = put_tlv(p, CTL_TLV_COOKIE, CTL_COOKIE_LEN);
		memcpy(p, msg->cookie, CTL_COOKIE_LEN);
		p += CTL_COOKIE_LEN;
	}
	if (set & BIT(CTL_TLV_TIMERS)) {
		p = put_tlv(p, CTL_TLV_TIMERS, CTL_TIMERS_LEN);
		p = put(put(p, msg->keepalive_ms, 4), msg->dead_ms, 4);
	}
	if (set & BIT(CTL_TLV_ACK))
		p = put(put_tlv(p, CTL_TLV_ACK, CTL_ACK_LEN), msg->ack, 8);
	if (set & BIT(CTL_TLV_LINK))
		p = put(put_tlv(p, CTL_TLV_LINK, CTL_LINK_LEN), msg->link_flags,
			4);
	if (set & BIT(CTL_TLV_REASON)) {
		p = put_tlv(p, CTL_TLV_REASON, CTL_REASON_LEN);
		p = put(put(p, msg->reason, 2), msg->reason_seq, 8);
	}
	if (set & BIT(CTL_TLV_ITEM))
		p = put_items(p, msg);
	return p;
}

size_t ctl_encode(const struct ctl_msg *msg, uint8_t *buf, size_t size,
		  char *err, size_t err_size)
{
	size_t len;
	uint8_t *p;

	if (!msg->type || msg->type > CTL_TYPE_MAX) {
		snprintf(err, err_size, "type %u does not exist", msg->type);
		return 0;
	}
	len = types[msg->type].len;
	if (msg->type == CTL_DATA) {
		if (!msg->n_items || msg->n_items > CTL_ITEMS_MAX) {
			snprintf(err, err_size, "%zu items, not 1 to %u",
				 msg->n_items, CTL_ITEMS_MAX);
			return 0;
		}
		for (size_t i = 0; i < msg->n_items; i++) {
			if (msg->items[i].len <= CTL_PAYLOAD_MAX)
				continue;
			snprintf(err, err_size, "an item of %u octets",
				 msg->items[i].len);
			return 0;
		}
		len = CTL_LEN_KEEPALIVE + items_size(msg);
	}
	if (len > size || len > CTL_DATAGRAM_MAX) {
		snprintf(err, err_size, "%s of %zu octets, but room for %zu",
			 types[msg->type].name, len,
			 size < CTL_DATAGRAM_MAX ? size : CTL_DATAGRAM_MAX);
		return 0;
	}

	p = put(buf, CTL_MAGIC, 2);
	p = put(p, CTL_VERSION, 1);
	p = put(p, msg->type, 1);
	p = put(p, len, 2);
	p = put(p, 0, 2);
	memcpy(p, msg->sender.bytes, CTL_ID_LEN);
	p = put(p + CTL_ID_LEN, msg->src, 8);
	p = put(p, msg->dst, 8);
	p = put(p, msg->seq, 8);
	p = put_body(p, msg, types[msg->type].tlvs, padding(msg->type));
	p = put(p, msg->key_id, 4);
	memset(p, 0, CTL_MAC_LEN);
	return len;
}

enum ctl_verdict ctl_decode_header(const uint8_t *buf, size_t len,
				   struct ctl_msg *msg, char *err,
				   size_t err_size)
{
	uint64_t value;

	if (len < CTL_DATAGRAM_MIN || len > CTL_DATAGRAM_MAX) {
		snprintf(err, err_size, "%zu octets, not %u to %u", len,
			 CTL_DATAGRAM_MIN, CTL_DATAGRAM_MAX);
		return CTL_BAD_LENGTH;
	}
	value = get(buf + OFFSET_MAGIC, 2);
	if (value != CTL_MAGIC) {
		snprintf(err, err_size,
			 "not a control message: begins with %04x",
			 (unsigned int)value);
		return CTL_BAD_MAGIC;
	}
	if (buf[OFFSET_VERSION] != CTL_VERSION) {
		snprintf(err, err_size, "version %u, not %u",
			 buf[OFFSET_VERSION], CTL_VERSION);
		return CTL_BAD_VERSION;
	}
	if (!buf[OFFSET_TYPE] || buf[OFFSET_TYPE] > CTL_TYPE_MAX) {
		snprintf(err, err_size, "unknown type %u", buf[OFFSET_TYPE]);
		return CTL_BAD_TYPE;
	}
	value = get(buf + OFFSET_LENGTH, 2);
	if (value != len) {
		snprintf(err, err_size, "%zu octets, but it says %u", len,
			 (unsigned int)value);
		return CTL_BAD_LENGTH;
	}
	if (len < types[buf[OFFSET_TYPE]].len) {
		snprintf(err, err_size, "%s of %zu octets, not %u at least",
			 types[buf[OFFSET_TYPE]].name, len,
			 types[buf[OFFSET_TYPE]].len);
		return CTL_BAD_LENGTH;
	}
	/* All but the items: what a type hasn't is 0, not what was there. */
	memset(msg, 0, offsetof(struct ctl_msg, items));
	msg->type = buf[OFFSET_TYPE];
	memcpy(msg->sender.bytes, buf + OFFSET_SENDER, CTL_ID_LEN);
	msg->src = get(buf + OFFSET_SRC, 8);
	msg->dst = get(buf + OFFSET_DST, 8);
	msg->seq = get(buf + OFFSET_SEQ, 8);
	msg->key_id = (uint32_t)get(buf + len - CTL_TRAILER_LEN, 4);
	return CTL_OK;
}

/* A value of right length, of a TLV that the type uses. */
static bool get_tlv(const uint8_t *p, enum ctl_tlv type, size_t len,
		    struct ctl_msg *msg)
{
	struct ctl_item *item;

	switch (type) {
	case CTL_TLV_PAD:
		break;
	case CTL_TLV_COOKIE:
		memcpy(msg->cookie, p, CTL_COOKIE_LEN);
		break;
	case CTL_TLV_TIMERS:
		msg->keepalive_ms = (uint32_t)get(p, 4);
		msg->dead_ms = (uint32_t)get(p + 4, 4);
		break;
	case CTL_TLV_ACK:
		msg->ack = get(p, 8);
		break;
	case CTL_TLV_LINK:
		msg->link_flags = (uint32_t)get(p, 4);
		break;
	case CTL_TLV_REASON:
		msg->reason = (uint16_t)get(p, 2);
		msg->reason_seq = get(p + 2, 8);
		break;
	case CTL_TLV_ITEM:
		if (msg->n_items == CTL_ITEMS_MAX)
			return false;
		item = &msg->items[msg->n_items++];
		item->number = get(p, 8);
		item->type = (uint16_t)get(p + 8, 2);
		item->len = (uint16_t)(len - CTL_ITEM_LEN);
		item->data = p + CTL_ITEM_LEN;
		break;
	}
	return true;
}

enum ctl_verdict ctl_decode_body(const uint8_t *buf, size_t len,
				 struct ctl_msg *msg, char *err, size_t err_size)
{
	const uint8_t *p = buf + CTL_HEADER_LEN;
	const uint8_t *end = buf + len - CTL_TRAILER_LEN;
	uint32_t wanted = types[msg->type].tlvs, seen = 0;

	while (p < end) {
		unsigned int type, size;

		if (end - p < CTL_TLV_LEN) {
			snprintf(err, err_size, "%td octets after the last TLV",
				 end - p);
			return CTL_BAD_TLV;
		}
		type = (unsigned int)get(p, 2);
		size = (unsigned int)get(p + 2, 2);
		p += CTL_TLV_LEN;
		if (size > end - p) {
			snprintf(err, err_size,
				 "TLV %u of %u octets, but %td are left", type,
				 size, end - p);
			return CTL_BAD_TLV;
		}
		if (type > CTL_TLV_MAX || !(wanted & BIT(type))) {
			msg->skipped++;
			p += size;
			continue;
		}
		if (size < tlvs[type].min || size > tlvs[type].max) {
			snprintf(err, err_size,
				 "TLV %u of %u octets, not %u to %u", type,
				 size, tlvs[type].min, tlvs[type].max);
			return CTL_BAD_TLV;
		}
		if ((seen & BIT(type) && type != CTL_TLV_ITEM) ||
		    !get_tlv(p, type, size, msg)) {
			snprintf(err, err_size, "TLV %u too often", type);
			return CTL_BAD_TLV;
		}
		seen |= BIT(type);
		p += size;
	}
	/* Padding counts by its length, which the header's check has seen. */
	wanted &= ~BIT(CTL_TLV_PAD);
	if ((seen & wanted) != wanted) {
		snprintf(err, err_size, "%s without TLV %d",
			 types[msg->type].name, __builtin_ctz(wanted & ~seen));
		return CTL_BAD_TLV;
	}
	return CTL_OK;
}
