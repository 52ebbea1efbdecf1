// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The codec of the control protocol: what is sent is what is read, and nothing
 * that is not exactly so is read at all.
 */
#include <zebra.h>

#include "core/ctl_codec.h"
#include "unit.h"

static uint8_t buf[CTL_DATAGRAM_MAX + 8];
static char err[128];

static uint8_t payload[CTL_PAYLOAD_MAX + 1];

static struct ctl_msg sample(enum ctl_type type)
{
	struct ctl_msg msg = {
		.type = type,
		.src = 0x0102030405060708,
		.dst = 0x1112131415161718,
		.seq = 0x2122232425262728,
		.key_id = 0x31323334,
	};

	for (unsigned int i = 0; i < CTL_ID_LEN; i++)
		msg.sender.bytes[i] = 0x40 + i;
	for (unsigned int i = 0; i < CTL_COOKIE_LEN; i++)
		msg.cookie[i] = 0x80 + i;
	if (type >= CTL_OPEN && type <= CTL_DATA) {
		msg.keepalive_ms = 1000;
		msg.dead_ms = 7000;
	}
	if (type == CTL_KEEPALIVE || type == CTL_DATA) {
		msg.ack = 0x5152535455565758;
		msg.link_flags = CTL_LINK_HEARD | CTL_LINK_GAP;
	}
	if (type == CTL_GOODBYE || type == CTL_REJECT) {
		msg.reason = CTL_REASON_DUPLICATE;
		msg.reason_seq = 0x6162636465666768;
	}
	if (type == CTL_DATA) {
		msg.n_items = 2;
		msg.items[0] = (struct ctl_item){ 7, 300, 3, payload };
		msg.items[1] = (struct ctl_item){ 8, 301, 0, NULL };
	}
	return msg;
}

static size_t encode(const struct ctl_msg *msg)
{
	err[0] = '\0';
	memset(buf, 0xee, sizeof(buf));
	return ctl_encode(msg, buf, CTL_DATAGRAM_MAX, err, sizeof(err));
}

static enum ctl_verdict decode(size_t len, struct ctl_msg *msg)
{
	enum ctl_verdict verdict;
	/* Of exactly this size: the sanitizer sees what reads past it. */
	uint8_t *copy = malloc(len ? len : 1);

	err[0] = '\0';
	memcpy(copy, buf, len);
	verdict = ctl_decode_header(copy, len, msg, err, sizeof(err));
	if (verdict == CTL_OK)
		verdict = ctl_decode_body(copy, len, msg, err, sizeof(err));
	free(copy);
	/* A text with every refusal, none without. */
	assert_int_equal(err[0] != '\0', verdict != CTL_OK);
	return verdict;
}

static void assert_same(const struct ctl_msg *a, const struct ctl_msg *b)
{
	assert_int_equal(a->type, b->type);
	assert_memory_equal(&a->sender, &b->sender, sizeof(a->sender));
	assert_true(a->src == b->src && a->dst == b->dst && a->seq == b->seq);
	assert_int_equal(a->key_id, b->key_id);
	if (a->type == CTL_CHALLENGE || a->type == CTL_OPEN)
		assert_memory_equal(a->cookie, b->cookie, CTL_COOKIE_LEN);
	assert_int_equal(a->keepalive_ms, b->keepalive_ms);
	assert_int_equal(a->dead_ms, b->dead_ms);
	assert_true(a->ack == b->ack);
	assert_int_equal(a->link_flags, b->link_flags);
	assert_int_equal(a->reason, b->reason);
	assert_true(a->reason_seq == b->reason_seq);
	assert_int_equal(a->n_items, b->n_items);
	for (size_t i = 0; i < a->n_items; i++) {
		assert_true(a->items[i].number == b->items[i].number);
		assert_int_equal(a->items[i].type, b->items[i].type);
		assert_int_equal(a->items[i].len, b->items[i].len);
	}
}

static void test_round_trip(void **state)
{
	static const size_t lengths[] = {
		[CTL_HELLO] = CTL_LEN_HELLO,
		[CTL_CHALLENGE] = CTL_LEN_CHALLENGE,
		[CTL_OPEN] = CTL_LEN_OPEN,
		[CTL_OPEN_ACK] = CTL_LEN_OPEN_ACK,
		[CTL_KEEPALIVE] = CTL_LEN_KEEPALIVE,
		[CTL_DATA] = CTL_LEN_DATA(3) + CTL_TLV_LEN + CTL_ITEM_LEN,
		[CTL_GOODBYE] = CTL_LEN_GOODBYE,
		[CTL_REJECT] = CTL_LEN_REJECT,
	};

	memcpy(payload, "abc", 3);
	for (unsigned int type = 1; type <= CTL_TYPE_MAX; type++) {
		struct ctl_msg in = sample(type), out = {};
		size_t len = encode(&in);

		assert_int_equal(len, lengths[type]);
		assert_int_equal(buf[len], 0xee);
		assert_int_equal(decode(len, &out), CTL_OK);
		assert_same(&in, &out);
		assert_int_equal(out.skipped, 0);
	}
}

/* The layout itself, octet by octet: both sides changing alike is a change. */
/* clang-format off */
static void test_layout(void **state)
{
	static const uint8_t goodbye[CTL_LEN_GOODBYE] = {
		0xfc, 0x1d, 1, 7, 0, 98, 0, 0,
		0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47,
		0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
		1, 2, 3, 4, 5, 6, 7, 8,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
		0, 6, 0, 10, 0, 4,
		0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
		0x31, 0x32, 0x33, 0x34,
	};
	static const uint8_t data[] = {
		0, 3, 0, 8, 0, 0, 3, 0xe8, 0, 0, 0x1b, 0x58,
		0, 4, 0, 8, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
		0, 5, 0, 4, 0, 0, 0, 3,
		0, 7, 0, 13, 0, 0, 0, 0, 0, 0, 0, 7, 1, 44, 'a', 'b', 'c',
		0, 7, 0, 10, 0, 0, 0, 0, 0, 0, 0, 8, 1, 45,
	};
	struct ctl_msg msg = sample(CTL_GOODBYE);

	assert_int_equal(encode(&msg), sizeof(goodbye));
	assert_memory_equal(buf, goodbye, sizeof(goodbye));
	memcpy(payload, "abc", 3);
	msg = sample(CTL_DATA);
	encode(&msg);
	assert_memory_equal(buf + CTL_HEADER_LEN, data, sizeof(data));
	msg = sample(CTL_OPEN);
	encode(&msg);
	assert_memory_equal(buf + CTL_HEADER_LEN, "\0\2\0\30\x80", 5);
	assert_memory_equal(buf + CTL_HEADER_LEN + 28,
			    "\0\3\0\10\0\0\3\xe8\0\0\x1b\x58", 12);
	msg = sample(CTL_HELLO);
	encode(&msg);
	assert_memory_equal(buf + CTL_HEADER_LEN, "\0\1\0\44\0\0\0", 7);
}
/* clang-format on */

static void test_encode_refuses(void **state)
{
	struct ctl_msg msg = sample(CTL_KEEPALIVE);

	assert_int_equal(ctl_encode(&msg, buf, CTL_LEN_KEEPALIVE - 1, err,
				    sizeof(err)),
			 0);
	assert_non_null(strstr(err, "room"));
	msg.type = 0;
	assert_int_equal(encode(&msg), 0);
	msg.type = CTL_TYPE_MAX + 1;
	assert_int_equal(encode(&msg), 0);
	assert_non_null(strstr(err, "type"));

	msg = sample(CTL_DATA);
	msg.n_items = 0;
	assert_int_equal(encode(&msg), 0);
	msg.n_items = CTL_ITEMS_MAX + 1;
	assert_int_equal(encode(&msg), 0);
	assert_non_null(strstr(err, "items"));
	msg.n_items = 1;
	msg.items[0].data = payload;
	msg.items[0].len = CTL_PAYLOAD_MAX + 1;
	assert_int_equal(encode(&msg), 0);
	msg.items[0].len = CTL_PAYLOAD_MAX;
	assert_int_equal(encode(&msg), CTL_LEN_DATA(CTL_PAYLOAD_MAX));
	/* Two that don't fit into one datagram, however large the buffer. */
	msg.n_items = 2;
	msg.items[1] = msg.items[0];
	assert_int_equal(encode(&msg), 0);
	assert_int_equal(ctl_encode(&msg, NULL, SIZE_MAX, err, sizeof(err)), 0);
}

static void test_most_items(void **state)
{
	struct ctl_msg msg = sample(CTL_DATA), out;
	size_t len;

	memset(&out, 0xee, sizeof(out));

	msg.n_items = CTL_ITEMS_MAX;
	for (unsigned int i = 0; i < CTL_ITEMS_MAX; i++)
		msg.items[i] = (struct ctl_item){ i, 256 + i, 0, NULL };
	len = encode(&msg);
	assert_int_equal(decode(len, &out), CTL_OK);
	assert_same(&msg, &out);

	/* One more, which a foreign sender may well try. */
	memmove(buf + len - CTL_TRAILER_LEN + ctl_item_size(0),
		buf + len - CTL_TRAILER_LEN, CTL_TRAILER_LEN);
	memcpy(buf + len - CTL_TRAILER_LEN, buf + CTL_HEADER_LEN + 32,
	       ctl_item_size(0));
	len += ctl_item_size(0);
	buf[4] = len >> 8;
	buf[5] = len & 0xff;
	assert_int_equal(decode(len, &out), CTL_BAD_TLV);
}

static void test_header_refused(void **state)
{
	struct ctl_msg msg = sample(CTL_KEEPALIVE), out;
	size_t len = encode(&msg);

	for (size_t i = 0; i < len; i++)
		assert_int_equal(decode(i, &out), CTL_BAD_LENGTH);
	assert_int_equal(decode(len + 1, &out), CTL_BAD_LENGTH);
	assert_int_equal(decode(CTL_DATAGRAM_MAX + 1, &out), CTL_BAD_LENGTH);
	buf[0] ^= 1;
	assert_int_equal(decode(len, &out), CTL_BAD_MAGIC);
	buf[0] ^= 1;
	for (unsigned int i = 0; i < 256; i++) {
		buf[2] = i;
		assert_int_equal(decode(len, &out),
				 i == CTL_VERSION ? CTL_OK : CTL_BAD_VERSION);
	}
	buf[2] = CTL_VERSION;
	buf[3] = 0;
	assert_int_equal(decode(len, &out), CTL_BAD_TYPE);
	for (unsigned int i = CTL_TYPE_MAX + 1; i < 256; i++) {
		buf[3] = i;
		assert_int_equal(decode(len, &out), CTL_BAD_TYPE);
	}
	/* An open of a keepalive's length. */
	buf[3] = CTL_OPEN;
	assert_int_equal(decode(len, &out), CTL_BAD_LENGTH);
	/* What is reserved is ignored: the future's. */
	encode(&msg);
	buf[6] = buf[7] = 0xff;
	assert_int_equal(decode(len, &out), CTL_OK);
}

/* Puts a TLV in front of the others. */
static size_t insert(size_t len, uint16_t type, uint16_t size)
{
	uint8_t *p = buf + CTL_HEADER_LEN;

	memmove(p + CTL_TLV_LEN + size, p, len - CTL_HEADER_LEN);
	memset(p, 0, CTL_TLV_LEN + size);
	p[0] = type >> 8;
	p[1] = type & 0xff;
	p[2] = size >> 8;
	p[3] = size & 0xff;
	len += CTL_TLV_LEN + size;
	buf[4] = len >> 8;
	buf[5] = len & 0xff;
	return len;
}

static void test_unknown_tlvs_are_skipped(void **state)
{
	for (unsigned int type = 1; type <= CTL_TYPE_MAX; type++) {
		struct ctl_msg in = sample(type), out = {};
		size_t len = encode(&in);

		len = insert(len, CTL_TLV_MAX + 1, 0);
		len = insert(len, 0xffff, 700);
		len = insert(len, 0, 1);
		assert_int_equal(decode(len, &out), CTL_OK);
		assert_same(&in, &out);
		assert_int_equal(out.skipped, 3);
	}
}

/* Known, but not of this type, whatever its length: the future's too. */
static void test_foreign_tlvs_are_skipped(void **state)
{
	struct ctl_msg in = sample(CTL_OPEN_ACK), out = {};
	size_t len = encode(&in);

	len = insert(len, CTL_TLV_ITEM, 2);
	len = insert(len, CTL_TLV_COOKIE, CTL_COOKIE_LEN);
	assert_int_equal(decode(len, &out), CTL_OK);
	assert_same(&in, &out);
	assert_int_equal(out.skipped, 2);
}

static void test_tlvs_refused(void **state)
{
	static const struct {
		enum ctl_type type;
		uint16_t tlv, min, max;
	} cases[] = {
		{ CTL_OPEN, CTL_TLV_COOKIE, CTL_COOKIE_LEN, CTL_COOKIE_LEN },
		{ CTL_OPEN, CTL_TLV_TIMERS, CTL_TIMERS_LEN, CTL_TIMERS_LEN },
		{ CTL_DATA, CTL_TLV_ACK, CTL_ACK_LEN, CTL_ACK_LEN },
		{ CTL_DATA, CTL_TLV_LINK, CTL_LINK_LEN, CTL_LINK_LEN },
		{ CTL_REJECT, CTL_TLV_REASON, CTL_REASON_LEN, CTL_REASON_LEN },
		{ CTL_DATA, CTL_TLV_ITEM, CTL_ITEM_LEN,
		  CTL_ITEM_LEN + CTL_PAYLOAD_MAX },
	};

	for (size_t i = 0; i < array_size(cases); i++) {
		struct ctl_msg in = sample(cases[i].type), out;
		size_t len = insert(encode(&in), cases[i].tlv, cases[i].min - 1);

		assert_int_equal(decode(len, &out), CTL_BAD_TLV);
		len = insert(encode(&in), cases[i].tlv, cases[i].max + 1);
		assert_int_equal(decode(len, &out), CTL_BAD_TLV);
		/* Right, but twice; items may be many. */
		len = insert(encode(&in), cases[i].tlv, cases[i].min);
		assert_int_equal(decode(len, &out), cases[i].tlv == CTL_TLV_ITEM
							    ? CTL_OK
							    : CTL_BAD_TLV);
	}
}

/* Turning a required TLV into an unknown one is leaving it out. */
static void test_missing_tlvs(void **state)
{
	for (unsigned int type = CTL_CHALLENGE; type <= CTL_TYPE_MAX; type++) {
		struct ctl_msg in = sample(type), out;
		size_t len = encode(&in), p = CTL_HEADER_LEN;

		while (p < len - CTL_TRAILER_LEN) {
			/* One item more, and padding, may be missing. */
			bool dispensable = buf[p + 1] == CTL_TLV_ITEM ||
					   buf[p + 1] == CTL_TLV_PAD;

			buf[p] = 0xff;
			assert_int_equal(decode(len, &out),
					 dispensable ? CTL_OK : CTL_BAD_TLV);
			buf[p] = 0;
			p += CTL_TLV_LEN + buf[p + 3];
		}
	}
}

static void test_tlv_bounds(void **state)
{
	struct ctl_msg in = sample(CTL_KEEPALIVE), out;
	size_t len = encode(&in);
	uint8_t *last = buf + len - CTL_TRAILER_LEN - CTL_TLV(CTL_LINK_LEN);

	last[3]++; /* one past the trailer's begin */
	assert_int_equal(decode(len, &out), CTL_BAD_TLV);
	last[2] = 0xff;
	assert_int_equal(decode(len, &out), CTL_BAD_TLV);

	for (unsigned int rest = 1; rest < CTL_TLV_LEN; rest++) {
		len = insert(encode(&in), 0xffff, 0);
		/* Less than a TLV's head is left. */
		memmove(buf + len - CTL_TRAILER_LEN + rest,
			buf + len - CTL_TRAILER_LEN, CTL_TRAILER_LEN);
		memset(buf + len - CTL_TRAILER_LEN, 0, rest);
		len += rest;
		buf[5] = len;
		assert_int_equal(decode(len, &out), CTL_BAD_TLV);
	}
}

static void test_names(void **state)
{
	for (unsigned int type = 1; type <= CTL_TYPE_MAX; type++)
		assert_string_not_equal(ctl_type_str(type), "unknown");
	assert_string_equal(ctl_type_str(0), "unknown");
	assert_string_equal(ctl_type_str(CTL_TYPE_MAX + 1), "unknown");
	assert_string_equal(ctl_type_str(CTL_KEEPALIVE), "keepalive");
	for (unsigned int i = 0; i <= CTL_REASON_CLOSED; i++)
		assert_string_not_equal(ctl_reason_str(i), "unknown");
	assert_string_equal(ctl_reason_str(CTL_REASON_CLOSED + 1), "unknown");
	assert_string_equal(ctl_reason_str(CTL_REASON_RESTARTED), "restarted");
	assert_string_equal(ctl_reason_str(CTL_REASON_CROWDED),
			    "too many links");
	assert_string_equal(ctl_reason_str(CTL_REASON_CROWDED + 1), "unknown");
}

static void test_logical_id(void **state)
{
	struct ctl_id a, b = {};
	char text[CTL_ID_TEXT_LEN];

	assert_true(ctl_id_is_null(&b));
	assert_true(ctl_id_parse("F47AC10B-58cc-4372-a567-0e02b2c3d479", &a));
	assert_false(ctl_id_is_null(&a));
	assert_int_equal(a.bytes[0], 0xf4);
	assert_int_equal(a.bytes[15], 0x79);
	assert_string_equal(ctl_id_format(&a, text),
			    "f47ac10b-58cc-4372-a567-0e02b2c3d479");
	b = a;
	assert_int_equal(ctl_id_cmp(&a, &b), 0);
	b.bytes[15]++;
	assert_true(ctl_id_cmp(&a, &b) < 0);
	assert_true(ctl_id_cmp(&b, &a) > 0);
	a = b;
	assert_false(ctl_id_parse("f47ac10b-58cc-4372-a567-0e02b2c3d47", &a));
	assert_false(ctl_id_parse("", &a));
	assert_int_equal(ctl_id_cmp(&a, &b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_encode_refuses),
		cmocka_unit_test(test_most_items),
		cmocka_unit_test(test_header_refused),
		cmocka_unit_test(test_unknown_tlvs_are_skipped),
		cmocka_unit_test(test_foreign_tlvs_are_skipped),
		cmocka_unit_test(test_tlvs_refused),
		cmocka_unit_test(test_missing_tlvs),
		cmocka_unit_test(test_tlv_bounds),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_logical_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
