// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items in order and exactly once, whatever the datagrams between do.
 */
#include <zebra.h>

#include "memory.h"

#include "core/ctl_stream.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define MS   INT64_C(1000)
#define ROOM (CTL_DATAGRAM_MAX - CTL_LEN_KEEPALIVE)

static struct ctl_stream tx, rx;

static int setup(void **state)
{
	ctl_stream_init(&tx);
	ctl_stream_init(&rx);
	return 0;
}

static int teardown(void **state)
{
	ctl_stream_reset(&tx);
	ctl_stream_reset(&rx);
	return 0;
}

static void put(unsigned int n, size_t len)
{
	static uint8_t data[CTL_PAYLOAD_MAX];

	while (n--)
		assert_true(ctl_stream_put(&tx, 300, data, len));
}

static void test_one_item(void **state)
{
	struct ctl_msg msg;

	assert_int_equal(ctl_stream_due(&tx), INT64_MAX);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 0), 0);
	assert_true(ctl_stream_put(&tx, 301, "abc", 3));
	assert_int_equal(ctl_stream_due(&tx), 0);
	assert_int_equal(ctl_stream_queued(&tx), 1);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 1000), 1);
	assert_int_equal(msg.items[0].number, 1);
	assert_int_equal(msg.items[0].type, 301);
	assert_int_equal(msg.items[0].len, 3);
	assert_memory_equal(msg.items[0].data, "abc", 3);
	/* Under way: nothing more until it is overdue. */
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 1001), 0);
	assert_int_equal(ctl_stream_due(&tx), 1000 + CTL_STREAM_RTO_FIRST_US);
	assert_true(ctl_stream_got(&rx, 1));
	assert_false(ctl_stream_got(&rx, 1));
	assert_int_equal(rx.expected, 2);
	assert_true(ctl_stream_acked(&tx, 2, false, 5000));
	assert_int_equal(ctl_stream_queued(&tx), 0);
	assert_int_equal(ctl_stream_due(&tx), INT64_MAX);
}

static void test_overdue_goes_back_and_backs_off(void **state)
{
	int64_t now = 0, rto = CTL_STREAM_RTO_FIRST_US;
	struct ctl_msg msg;

	put(3, 10);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, now), 3);
	for (int i = 0; i < 8; i++) {
		ctl_stream_run(&tx, now + rto - 1);
		assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, now), 0);
		now += rto;
		ctl_stream_run(&tx, now);
		assert_int_equal(ctl_stream_due(&tx), 0);
		assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, now), 3);
		assert_int_equal(msg.items[0].number, 1);
		rto = MIN(2 * rto, CTL_STREAM_RTO_MAX_US);
		assert_int_equal(ctl_stream_due(&tx), now + rto);
	}
	assert_int_equal(tx.resent, 24);
	/* What was sent again is no measure of the round trip. */
	assert_true(ctl_stream_acked(&tx, 4, false, now + 1));
	assert_int_equal(tx.srtt_us, 0);
	assert_int_equal(tx.rto_us, CTL_STREAM_RTO_FIRST_US);
}

static void test_round_trip_is_measured(void **state)
{
	struct ctl_msg msg;
	int64_t now = 0;

	for (uint64_t i = 1; i <= 100; i++) {
		put(1, 0);
		assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, now), 1);
		now += 200 * MS;
		ctl_stream_acked(&tx, i + 1, false, now);
	}
	assert_in_range(tx.srtt_us, 199 * MS, 201 * MS);
	assert_in_range(tx.rto_us, 200 * MS, 230 * MS);
	/* A fast network: not below the least. */
	for (uint64_t i = 101; i <= 200; i++) {
		put(1, 0);
		ctl_stream_take(&tx, &msg, ROOM, now);
		now += 100;
		ctl_stream_acked(&tx, i + 1, false, now);
	}
	assert_int_equal(tx.rto_us, CTL_STREAM_RTO_MIN_US);
	/* Satellites in series: not above the most. */
	for (uint64_t i = 201; i <= 220; i++) {
		put(1, 0);
		ctl_stream_take(&tx, &msg, ROOM, now);
		now += 10000 * MS;
		ctl_stream_acked(&tx, i + 1, false, now);
	}
	assert_int_equal(tx.rto_us, CTL_STREAM_RTO_MAX_US);
}

static void test_gap_goes_back_at_once(void **state)
{
	struct ctl_msg msg;

	put(5, 10);
	ctl_stream_take(&tx, &msg, ROOM, 1000 * MS);
	assert_true(ctl_stream_got(&rx, 1));
	assert_false(rx.gap);
	assert_false(ctl_stream_got(&rx, 3));
	assert_true(rx.gap);
	assert_false(ctl_stream_got(&rx, 4));
	assert_true(ctl_stream_acked(&tx, 2, true, 1010 * MS));
	assert_int_equal(ctl_stream_due(&tx), 0);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 1010 * MS), 4);
	assert_int_equal(msg.items[0].number, 2);
	/* The same news again, from the items behind the gap: no more. */
	assert_true(ctl_stream_acked(&tx, 2, true, 1011 * MS));
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 1011 * MS), 0);
	assert_true(ctl_stream_got(&rx, 2));
	assert_false(rx.gap);
	/* A gap in what was never sent is nobody's. */
	assert_true(ctl_stream_acked(&tx, 6, false, 2000 * MS));
	assert_true(ctl_stream_acked(&tx, 6, true, 3000 * MS));
	assert_int_equal(ctl_stream_due(&tx), INT64_MAX);
}

static void test_wrong_acks(void **state)
{
	struct ctl_msg msg;

	assert_true(ctl_stream_acked(&tx, 1, false, 0));
	assert_false(ctl_stream_acked(&tx, 2, false, 0));
	put(2, 10);
	assert_false(ctl_stream_acked(&tx, 2, false, 0)); /* not sent yet */
	ctl_stream_take(&tx, &msg, ctl_item_size(10), 0);
	assert_true(ctl_stream_acked(&tx, 2, false, 0));
	assert_false(ctl_stream_acked(&tx, 3, false, 0));
	assert_false(ctl_stream_acked(&tx, UINT64_MAX, true, 0));
	assert_true(ctl_stream_acked(&tx, 0, false, 0));
	assert_true(ctl_stream_acked(&tx, 1, true, 0));
	assert_int_equal(ctl_stream_queued(&tx), 1);
}

/* It went back, and then the answer to the first time came. */
static void test_late_ack_after_going_back(void **state)
{
	struct ctl_msg msg;

	put(4, 10);
	ctl_stream_take(&tx, &msg, ROOM, 0);
	ctl_stream_run(&tx, CTL_STREAM_RTO_FIRST_US);
	assert_int_equal(ctl_stream_take(&tx, &msg, ctl_item_size(10), 400 * MS),
			 1);
	assert_true(ctl_stream_acked(&tx, 4, false, 401 * MS));
	assert_int_equal(tx.flying, 0);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 402 * MS), 1);
	assert_int_equal(msg.items[0].number, 4);
	assert_int_equal(tx.flying, 10);
	/* All of it, right after going back. */
	ctl_stream_run(&tx, 10000 * MS);
	assert_true(ctl_stream_acked(&tx, 5, false, 10001 * MS));
	assert_int_equal(ctl_stream_due(&tx), INT64_MAX);
	put(1, 10);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 10002 * MS), 1);
	assert_int_equal(msg.items[0].number, 5);
}

static void test_window(void **state)
{
	struct ctl_msg msg;
	unsigned int n = 0;
	size_t taken;

	put(200, 0);
	while ((taken = ctl_stream_take(&tx, &msg, ROOM, 0)))
		n += taken;
	assert_int_equal(n, CTL_STREAM_WINDOW);
	ctl_stream_acked(&tx, 11, false, 1);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 1), 10);
	ctl_stream_reset(&tx);

	/* In octets. */
	put(60, CTL_PAYLOAD_MAX);
	for (n = 0; ctl_stream_take(&tx, &msg, ROOM, 0); n++)
		assert_int_equal(msg.n_items, 1);
	assert_int_equal(n, CTL_STREAM_WINDOW_OCTETS / CTL_PAYLOAD_MAX);
}

static void test_datagram_is_filled(void **state)
{
	struct ctl_msg msg;

	put(100, 0);
	assert_int_equal(ctl_stream_take(&tx, &msg, ctl_item_size(0) * 3 + 13,
					 0),
			 3);
	assert_int_equal(ctl_stream_take(&tx, &msg, ROOM, 0),
			 CTL_STREAM_WINDOW - 3);
}

static void test_queue_is_bounded(void **state)
{
	uint8_t data[CTL_PAYLOAD_MAX + 1] = {};
	unsigned int n;

	assert_false(ctl_stream_put(&tx, 300, data, CTL_PAYLOAD_MAX + 1));
	for (n = 0; ctl_stream_put(&tx, 300, data, 0); n++)
		assert_int_equal(ctl_stream_roomy(&tx),
				 n + 1 < CTL_STREAM_ITEMS / 2);
	assert_int_equal(n, CTL_STREAM_ITEMS);
	ctl_stream_reset(&tx);
	for (n = 0; ctl_stream_put(&tx, 300, data, CTL_PAYLOAD_MAX); n++)
		;
	assert_in_range(n, 55, CTL_STREAM_OCTETS / CTL_PAYLOAD_MAX);
	assert_in_range(tx.octets, CTL_STREAM_OCTETS - 1100, CTL_STREAM_OCTETS);
	assert_false(ctl_stream_roomy(&tx));
	ctl_stream_reset(&tx);
	assert_int_equal(tx.octets, 0);
	assert_true(ctl_stream_roomy(&tx));
}

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/*
 * Property: over a channel that loses, doubles and reorders a third of
 * everything, every item arrives once and in order.
 */
static void test_any_channel(void **state)
{
	struct {
		uint64_t numbers[CTL_ITEMS_MAX];
		size_t n;
	} channel[16] = {};
	uint64_t put_so_far = 0, delivered = 0;
	int64_t now = 0;

	for (int step = 0; step < 200000 || delivered < put_so_far; step++) {
		unsigned int slot = rnd(16);
		struct ctl_msg msg;

		now += 5 * MS;
		assert_in_range(step, 0, 400000);
		if (step < 200000 && !rnd(3) &&
		    ctl_stream_put(&tx, 300, &put_so_far, rnd(8)))
			put_so_far++;
		ctl_stream_run(&tx, now);
		if (ctl_stream_take(&tx, &msg, ROOM, now) && rnd(3)) {
			channel[slot].n = msg.n_items;
			for (size_t i = 0; i < msg.n_items; i++)
				channel[slot].numbers[i] = msg.items[i].number;
		}
		slot = rnd(16);
		for (size_t i = 0; i < channel[slot].n; i++)
			if (ctl_stream_got(&rx, channel[slot].numbers[i])) {
				delivered++;
				assert_int_equal(channel[slot].numbers[i],
						 delivered);
			}
		if (rnd(3)) /* else it comes again */
			channel[slot].n = 0;
		if (rnd(3))
			assert_true(ctl_stream_acked(&tx, rx.expected, rx.gap,
						     now));
	}
	assert_int_equal(delivered, put_so_far);
	assert_true(put_so_far > 10000);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_one_item),
		TEST(test_overdue_goes_back_and_backs_off),
		TEST(test_round_trip_is_measured),
		TEST(test_gap_goes_back_at_once),
		TEST(test_wrong_acks),
		TEST(test_late_ack_after_going_back),
		TEST(test_window),
		TEST(test_datagram_is_filled),
		TEST(test_queue_is_bounded),
		TEST(test_any_channel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
