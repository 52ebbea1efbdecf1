// SPDX-License-Identifier: GPL-2.0-or-later
/* Items of hub clustering: round trips, the octets, and what is refused. */
#include "config.h"

#include <string.h>

#include "unit.h"

#include "hubcluster/hc_codec.h"

static struct ctl_id id(uint8_t fill)
{
	struct ctl_id made;

	memset(made.bytes, fill, sizeof(made.bytes));
	return made;
}

static struct hc_prefix prefix(const char *text, unsigned int len)
{
	struct ipaddr ip = addr(text);
	struct hc_prefix made;

	assert_true(hc_prefix_make(&ip, len, &made));
	return made;
}

static struct hc_addresses addresses(void)
{
	return (struct hc_addresses){
		.n = 4,
		.list = { addr("192.0.2.1"), addr("2001:db8::1"),
			  addr("255.255.255.255"), addr("::") },
	};
}

static size_t n_samples;
static struct hc_msg samples[18];

static struct hc_msg *sample(enum hc_item type)
{
	struct hc_msg *msg = &samples[n_samples++];

	memset(msg, 0, sizeof(*msg));
	msg->type = type;
	return msg;
}

/* One of each type, with the largest values that there are. */
static int setup(void **state)
{
	struct hc_msg *msg;

	n_samples = 0;
	msg = sample(HC_ITEM_NODE);
	msg->node.roles = 0xff;
	memset(msg->node.name, '~', HC_TEXT_LEN - 1);
	msg = sample(HC_ITEM_HUB);
	msg->hub = (struct hc_msg_hub){ id(1),	0x12345678,  0x9abcdef0,
					0xfedc, addresses(), "model 1" };
	msg = sample(HC_ITEM_REPORT);
	msg->report = (struct hc_msg_report){ id(2), 0xff,	 10000,
					      9999,  0xffffffff, 0x01020304 };
	msg = sample(HC_ITEM_EDGE);
	msg->edge = (struct hc_msg_edge){ id(3), 3, 0xa1a2a3a4,
					  id(4), 2, { id(5), id(6) } };
	msg = sample(HC_ITEM_ASSIGN);
	msg->assign = (struct hc_msg_assign){ id(6), 7,	   8,	       0xffff,
					      id(9), 4711, addresses() };
	msg = sample(HC_ITEM_ATTACH);
	msg->attach.cluster = id(10);
	msg->attach.tunnel = addresses();
	msg->attach.n_prefixes = HC_PREFIXES_MAX;
	for (int i = 0; i < HC_PREFIXES_MAX; i++)
		msg->attach.prefixes[i] =
			prefix("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
			       128u - (unsigned int)i);
	msg->attach.prefixes[0] = prefix("0.0.0.0", 0);
	msg->attach.prefixes[1] = prefix("10.1.2.3", 31);
	msg->attach.prefixes[2] = prefix("::", 0);
	msg->attach.prefixes[3] = prefix("255.255.255.255", 32);
	msg->attach.flags = 0xff;
	msg = sample(HC_ITEM_ATTACHED);
	msg->attached = (struct hc_msg_attached){ id(11), 4, 50, addresses() };
	msg = sample(HC_ITEM_DETACH);
	msg->detach = id(12);
	msg = sample(HC_ITEM_PLACE);
	msg->place = (struct hc_msg_place){ id(13), 0xff, id(14), 4712,
					    addresses() };
	/* And empty ones. */
	for (int type = HC_ITEM_NODE; type <= HC_ITEM_PLACE; type++)
		sample((enum hc_item)type);
	return 0;
}

/* Only the fields: the union's other members are padding. */
static void assert_same(const struct hc_msg *a, const struct hc_msg *b)
{
	uint8_t x[CTL_PAYLOAD_MAX], y[CTL_PAYLOAD_MAX];
	size_t len = hc_encode(a, x);

	assert_int_equal(a->type, b->type);
	assert_int_equal(hc_encode(b, y), len);
	assert_memory_equal(x, y, len);
}

/* Octets of fields that were added later. */
static size_t n_later(const struct hc_msg *msg)
{
	return msg->type == HC_ITEM_ATTACH && msg->attach.flags ? 1 : 0;
}

static void test_round_trip(void **state)
{
	uint8_t buf[CTL_PAYLOAD_MAX + 1];
	struct hc_msg msg;

	for (size_t i = 0; i < n_samples; i++) {
		size_t len = hc_encode(&samples[i], buf);
		size_t least = len - n_later(&samples[i]);

		assert_between(len, 1, CTL_PAYLOAD_MAX);
		assert_true(
			hc_decode((uint16_t)samples[i].type, buf, len, &msg));
		assert_same(&samples[i], &msg);
		/* A newer version's fields behind it. */
		if (samples[i].type == HC_ITEM_ATTACH && !n_later(&samples[i]))
			buf[len++] = 0;
		memset(buf + len, 0xee, sizeof(buf) - len);
		assert_true(hc_decode((uint16_t)samples[i].type, buf, len + 1,
				      &msg));
		assert_same(&samples[i], &msg);
		/* Cut short anywhere. */
		for (size_t cut = 0; cut < least; cut++)
			assert_false(hc_decode((uint16_t)samples[i].type, buf,
					       cut, &msg));
	}
}

/* An older version's items: what it doesn't know is missing, and 0. */
static void test_older(void **state)
{
	uint8_t buf[CTL_PAYLOAD_MAX];
	struct hc_msg msg;
	size_t len = hc_encode(&samples[5], buf), older;

	assert_true(hc_decode(HC_ITEM_ATTACH, buf, len, &msg));
	assert_int_equal(msg.attach.flags, 0xff);
	assert_true(hc_decode(HC_ITEM_ATTACH, buf, len - 1, &msg));
	assert_int_equal(msg.attach.flags, 0);
	assert_int_equal(msg.attach.n_prefixes, HC_PREFIXES_MAX);
	/* Without flags it is sent as an older version does. */
	older = hc_encode(&msg, buf);
	assert_int_equal(older, len - 1);
}

/* The fields themselves, not only their octets. */
static void test_fields(void **state)
{
	uint8_t buf[CTL_PAYLOAD_MAX];
	struct hc_msg msg;
	struct ctl_id expected;

	assert_true(
		hc_decode(HC_ITEM_HUB, buf, hc_encode(&samples[1], buf), &msg));
	expected = id(1);
	assert_memory_equal(&msg.hub.cluster, &expected, CTL_ID_LEN);
	assert_true(msg.hub.capacity == 0x12345678);
	assert_true(msg.hub.asn == 0x9abcdef0);
	assert_int_equal(msg.hub.port, 0xfedc);
	assert_true(hc_addresses_same(&msg.hub.addresses,
				      &samples[1].hub.addresses));
	assert_string_equal(msg.hub.model, "model 1");
	assert_true(hc_decode(HC_ITEM_REPORT, buf, hc_encode(&samples[2], buf),
			      &msg));
	assert_int_equal(msg.report.cpu, 10000);
	assert_int_equal(msg.report.memory, 9999);
	assert_true(msg.report.tunnels == 0xffffffff);
	assert_int_equal(msg.report.routes, 0x01020304);
	assert_true(hc_decode(HC_ITEM_EDGE, buf, hc_encode(&samples[3], buf),
			      &msg));
	assert_int_equal(msg.edge.flags, 3);
	assert_true(msg.edge.token == 0xa1a2a3a4);
	expected = id(5);
	assert_memory_equal(&msg.edge.unreachable[0], &expected, CTL_ID_LEN);
	assert_int_equal(msg.edge.n_unreachable, 2);
	assert_true(hc_decode(HC_ITEM_ASSIGN, buf, hc_encode(&samples[4], buf),
			      &msg));
	assert_int_equal(msg.assign.token, 7);
	assert_int_equal(msg.assign.sequence, 8);
	assert_int_equal(msg.assign.why, 0xffff);
	assert_int_equal(msg.assign.port, 4711);
	assert_true(hc_decode(HC_ITEM_ATTACH, buf, hc_encode(&samples[5], buf),
			      &msg));
	for (int i = 0; i < HC_PREFIXES_MAX; i++)
		assert_int_equal(hc_prefix_cmp(&msg.attach.prefixes[i],
					       &samples[5].attach.prefixes[i]),
				 0);
	assert_true(hc_decode(HC_ITEM_ATTACHED, buf,
			      hc_encode(&samples[6], buf), &msg));
	assert_int_equal(msg.attached.verdict, 4);
	assert_int_equal(msg.attached.accepted, 50);
	assert_true(hc_decode(HC_ITEM_PLACE, buf, hc_encode(&samples[8], buf),
			      &msg));
	assert_int_equal(msg.place.flags, 0xff);
	expected = id(14);
	assert_memory_equal(&msg.place.hub, &expected, CTL_ID_LEN);
	assert_int_equal(msg.place.port, 4712);
	assert_true(hc_addresses_same(&msg.place.addresses,
				      &samples[8].place.addresses));
}

/* What is on the wire, octet by octet: for ever. */
static void test_octets(void **state)
{
	static const uint8_t edge[] = {
		9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, /* cluster */
		1,						/* flags */
		0, 0, 1, 2,					/* token */
		7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, /* hub */
		1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	};
	static const uint8_t attach[] = {
		9, 9,  9,    9,	   9,	9,    9,    9, 9, 9, 9, 9,
		9, 9,  9,    9,	   1,	4,    192,  0, 2, 1, /* one address */
		2,					     /* two prefixes */
		4, 12, 10,   0xf0,			     /* 10.240.0.0/12 */
		6, 33, 0x20, 1,	   0xd, 0xb8, 0x80,
	};
	struct hc_msg msg = { .type = HC_ITEM_EDGE };
	uint8_t buf[CTL_PAYLOAD_MAX];

	msg.edge = (struct hc_msg_edge){ id(9), HC_EDGE_ASK, 0x102,
					 id(7), 1,	     { id(8) } };
	assert_int_equal(hc_encode(&msg, buf), sizeof(edge));
	assert_memory_equal(buf, edge, sizeof(edge));
	memset(&msg, 0, sizeof(msg));
	msg.type = HC_ITEM_ATTACH;
	msg.attach.cluster = id(9);
	msg.attach.tunnel.n = 1;
	msg.attach.tunnel.list[0] = addr("192.0.2.1");
	msg.attach.n_prefixes = 2;
	msg.attach.prefixes[0] = prefix("10.240.0.0", 12);
	msg.attach.prefixes[1] = prefix("2001:db8:8000::", 33);
	assert_int_equal(hc_encode(&msg, buf), sizeof(attach));
	assert_memory_equal(buf, attach, sizeof(attach));
	/* Since 2. */
	msg.attach.flags = HC_ATTACH_GUARD;
	assert_int_equal(hc_encode(&msg, buf), sizeof(attach) + 1);
	assert_memory_equal(buf, attach, sizeof(attach));
	assert_int_equal(buf[sizeof(attach)], 1);
}

/* Changes one octet of a sample and expects it to be refused. */
static void refused(size_t i, size_t at, uint8_t value)
{
	uint8_t buf[CTL_PAYLOAD_MAX];
	size_t len = hc_encode(&samples[i], buf);
	struct hc_msg msg;

	assert_true(at < len && buf[at] != value);
	buf[at] = value;
	assert_false(hc_decode((uint16_t)samples[i].type, buf, len, &msg));
}

static void test_refused(void **state)
{
	struct hc_msg msg;
	uint8_t buf[CTL_PAYLOAD_MAX] = {};

	/* Types that there aren't. */
	assert_false(hc_decode(0, buf, sizeof(buf), &msg));
	assert_false(hc_decode(HC_ITEM_FIRST - 1, buf, sizeof(buf), &msg));
	assert_false(hc_decode(HC_ITEM_PLACE + 1, buf, sizeof(buf), &msg));
	/* A name that is too long, or isn't text. */
	refused(0, 1, HC_TEXT_LEN);
	refused(0, 2, '\n');
	refused(0, 2, 0x7f);
	refused(0, 2, 0);
	/* Too many addresses; a family that there isn't. */
	refused(1, 26, HC_ADDRESSES_MAX + 1);
	refused(1, 27, 5);
	/* Too many hubs. */
	refused(3, 37, HC_UNREACHABLE_MAX + 1);
	/* Too many prefixes, too long ones, bits behind the length. */
	refused(5, 16 + 1 + 5 + 17 + 5 + 17, HC_PREFIXES_MAX + 1);
	refused(5, 16 + 1 + 5 + 17 + 5 + 17 + 1, 7);
	refused(5, 16 + 1 + 5 + 17 + 5 + 17 + 2, 33);
	refused(5, 16 + 1 + 5 + 17 + 5 + 17 + 3 + 1, 33);
	refused(5, 16 + 1 + 5 + 17 + 5 + 17 + 3 + 5, 3);
}

static void test_prefix(void **state)
{
	struct ipaddr v4 = addr("255.255.255.255");
	struct ipaddr v6 = addr("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
	struct ipaddr none = {};
	struct hc_prefix made;
	struct hc_addresses list = { .n = 1, .list = { v6 } }, other = list;

	assert_false(hc_prefix_make(&none, 0, &made));
	assert_false(hc_prefix_make(&v4, 33, &made));
	assert_false(hc_prefix_make(&v6, 129, &made));
	for (unsigned int len = 0; len <= 32; len++) {
		uint32_t mask = len ? UINT32_MAX << (32 - len) : 0;

		assert_true(hc_prefix_make(&v4, len, &made));
		assert_int_equal(made.len, len);
		assert_true(ntohl(made.addr.ipaddr_v4.s_addr) == mask);
	}
	for (unsigned int len = 0; len <= 128; len++) {
		unsigned int ones = 0;

		assert_true(hc_prefix_make(&v6, len, &made));
		for (int i = 0; i < 16; i++)
			ones += (unsigned int)__builtin_popcount(
				made.addr.ipaddr_v6.s6_addr[i]);
		assert_int_equal(ones, len);
	}
	assert_null(hc_address_like(&list, &v4));
	assert_ptr_equal(hc_address_like(&list, &v6), &list.list[0]);
	assert_true(hc_addresses_same(&list, &other));
	other.list[0] = v4;
	assert_false(hc_addresses_same(&list, &other));
	other.n = 0;
	assert_false(hc_addresses_same(&list, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_octets),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_prefix),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
