// SPDX-License-Identifier: GPL-2.0-or-later
/* Heartbeats: the codec, which are believed, and what they mean. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "probe/probe_heartbeat_packet.h"
#include "probe/probe_heartbeat_track.h"

#define S    INT64_C(1000000)
#define WALL (INT64_C(1700000000) * S)

static struct probe_heartbeat sample(void)
{
	struct probe_heartbeat beat = {
		.up = true,
		.key_id = 0x01020304,
		.time_us = UINT64_C(0x0506070809101112),
		.target = addr("192.0.2.1"),
		.name = "web",
	};

	return beat;
}

static void is_same(const struct probe_heartbeat *a,
		    const struct probe_heartbeat *b)
{
	assert_int_equal(a->up, b->up);
	assert_int_equal(a->key_id, b->key_id);
	assert_true(a->time_us == b->time_us);
	assert_int_equal(ipaddr_cmp(&a->target, &b->target), 0);
	assert_string_equal(a->name, b->name);
}

/* Octet by octet as the header says: the sender is another program. */
static void test_wire(void **state)
{
	static const uint8_t wire[] = {
		'F', 'C', 'H', 'B', 1,	 1,   3,   0, 1, 2, 3,	 4,   5,
		6,   7,	  8,   9,   16,	 17,  18,  0, 0, 0, 0,	 0,   0,
		0,   0,	  0,   0,   255, 255, 192, 0, 2, 1, 'w', 'e', 'b',
	};
	struct probe_heartbeat beat = sample();
	uint8_t buf[PROBE_HEARTBEAT_MAX];
	size_t len = probe_heartbeat_build(&beat, buf);

	assert_int_equal(len, sizeof(wire) + PROBE_HEARTBEAT_MAC);
	assert_memory_equal(buf, wire, sizeof(wire));
	beat.target = addr("2001:db8::1");
	beat.up = false;
	probe_heartbeat_build(&beat, buf);
	assert_int_equal(buf[5], 0);
	assert_memory_equal(buf + 20, &beat.target.ipaddr_v6, 16);
}

static void test_round_trip(void **state)
{
	static const char *const targets[] = { "192.0.2.1", "0.0.0.0",
					       "2001:db8::1", "::" };
	struct probe_heartbeat beat = sample(), seen;
	uint8_t buf[PROBE_HEARTBEAT_MAX];
	size_t len;

	for (size_t n = 1; n < PROBE_NAME_LEN; n++) {
		memset(beat.name, 'x', n);
		beat.target = addr(targets[n % 4]);
		beat.up = n % 3;
		len = probe_heartbeat_build(&beat, buf);
		assert_int_equal(probe_heartbeat_parse(buf, len, &seen),
				 PROBE_HEARTBEAT_GOOD);
		is_same(&seen, &beat);
	}
	assert_int_equal(len, PROBE_HEARTBEAT_MAX);
}

/* Every length but the right one, in an allocation of exactly that length. */
static void test_lengths(void **state)
{
	struct probe_heartbeat beat = sample(), seen;
	uint8_t buf[PROBE_HEARTBEAT_MAX + 8] = {}, *exact;
	size_t right = probe_heartbeat_build(&beat, buf);

	for (size_t len = 0; len <= sizeof(buf); len++) {
		exact = malloc(len ? len : 1);
		memcpy(exact, buf, len);
		assert_int_equal(probe_heartbeat_parse(exact, len, &seen),
				 len == right ? PROBE_HEARTBEAT_GOOD
					      : PROBE_HEARTBEAT_MALFORMED);
		free(exact);
	}
}

/* Every value of every octet that has rules. */
static void test_octets(void **state)
{
	struct probe_heartbeat beat = sample(), seen;
	enum probe_heartbeat_reject want, got;
	uint8_t good[PROBE_HEARTBEAT_MAX], buf[PROBE_HEARTBEAT_MAX];
	size_t len = probe_heartbeat_build(&beat, good);
	bool letter;

	for (size_t at = 0; at < len; at++) {
		for (int value = 0; value < 256; value++) {
			memcpy(buf, good, len);
			buf[at] = value;
			letter = (value >= '0' && value <= '9') ||
				 (value >= 'A' && value <= 'Z') ||
				 (value >= 'a' && value <= 'z');
			want = PROBE_HEARTBEAT_GOOD;
			if (at == 4 && value != 1)
				want = PROBE_HEARTBEAT_OTHER_VERSION;
			else if (at == 5 ? value > 1
					 : at < 8 && value != good[at])
				want = PROBE_HEARTBEAT_MALFORMED;
			else if (at >= 36 && at < 39 && !letter &&
				 (at == 36 || !value || !strchr("._:-", value)))
				want = PROBE_HEARTBEAT_MALFORMED;
			got = probe_heartbeat_parse(buf, len, &seen);
			assert_int_equal(got, want);
		}
	}
}

static void test_guard(void **state)
{
	struct probe_heartbeat_guard guard;

#define ACCEPT(time, result)                                                   \
	assert_int_equal(probe_heartbeat_accept(&guard, time, WALL),           \
			 PROBE_HEARTBEAT_##result)
	probe_heartbeat_guard_init(&guard, WALL - 5);
	ACCEPT(WALL - 6, REPLAY);
	ACCEPT(WALL - 5, REPLAY);
	ACCEPT(WALL - 4, GOOD);
	ACCEPT(WALL - 4, REPLAY);
	ACCEPT(WALL - 3, GOOD);
	ACCEPT(WALL - 4, REPLAY);
	ACCEPT(WALL + PROBE_HEARTBEAT_SKEW_US + 1, CLOCK);
	ACCEPT(WALL - 2, GOOD); /* what was rejected isn't remembered */
	ACCEPT(WALL + PROBE_HEARTBEAT_SKEW_US, GOOD);
	ACCEPT(WALL + PROBE_HEARTBEAT_SKEW_US, REPLAY);
	ACCEPT(WALL - PROBE_HEARTBEAT_SKEW_US - 1, CLOCK);
	ACCEPT(WALL - PROBE_HEARTBEAT_SKEW_US, REPLAY);
	ACCEPT(0, CLOCK);
	ACCEPT(UINT64_MAX, CLOCK);
	ACCEPT(INT64_MAX, CLOCK);
	ACCEPT((uint64_t)INT64_MAX + 1, CLOCK);
	ACCEPT(UINT64_MAX - PROBE_HEARTBEAT_SKEW_US + 1, CLOCK);
#undef ACCEPT
}

/* The node starts with a clock that is wrong, and that is mended then. */
static void test_guard_clock_set_back(void **state)
{
	const int64_t skew = PROBE_HEARTBEAT_SKEW_US, hour = 3600 * S;
	struct probe_heartbeat_guard guard;

#define ACCEPT(time, wall, result)                                             \
	assert_int_equal(probe_heartbeat_accept(&guard, time, wall),           \
			 PROBE_HEARTBEAT_##result)
	probe_heartbeat_guard_init(&guard, WALL + hour);
	ACCEPT(WALL, WALL + hour, CLOCK);
	/* What was sent before we look is not believed, as at a start. */
	ACCEPT(WALL + 1, WALL + 5, REPLAY);
	ACCEPT(WALL + 5, WALL + 5, REPLAY);
	ACCEPT(WALL + 6, WALL + 6, GOOD);
	ACCEPT(WALL + 6, WALL + 7, REPLAY);
	/* A sender that is ahead as far as it may doesn't begin it anew. */
	ACCEPT(WALL + 8 + skew, WALL + 8, GOOD);
	ACCEPT(WALL + 9, WALL + 9, REPLAY);
	ACCEPT(WALL + 9 + skew, WALL + 9, GOOD);
#undef ACCEPT
}

static struct probe_heartbeat_track track;

static void looks(int64_t now_us, enum probe_heartbeat_look look)
{
	assert_string_equal(probe_heartbeat_look_str(
				    probe_heartbeat_look(&track, now_us)),
			    probe_heartbeat_look_str(look));
}

static void heard(int64_t now_us)
{
	probe_heartbeat_heard(&track, true, now_us);
}

static void test_track_start(void **state)
{
	/* Silence from the beginning. */
	probe_heartbeat_track_init(&track, 2, 3 * S, 100 * S);
	assert_true(probe_heartbeat_due_us(&track) == 103 * S + 1);
	looks(103 * S, PROBE_HEARTBEAT_WAITING);
	looks(103 * S + 1, PROBE_HEARTBEAT_MISSING);
	assert_true(probe_heartbeat_due_us(&track) == INT64_MAX);
	/* Known now: it doesn't wait again. */
	heard(104 * S);
	looks(104 * S, PROBE_HEARTBEAT_RISING);
	assert_true(probe_heartbeat_due_us(&track) == 107 * S + 1);
	heard(105 * S);
	looks(105 * S, PROBE_HEARTBEAT_UP);

	/* Up before the window is over; too few in it. */
	probe_heartbeat_track_init(&track, 2, 3 * S, 100 * S);
	heard(100 * S);
	looks(100 * S, PROBE_HEARTBEAT_WAITING);
	heard(101 * S);
	looks(101 * S, PROBE_HEARTBEAT_UP);
	probe_heartbeat_track_init(&track, 9, 3 * S, 100 * S);
	heard(102 * S);
	looks(103 * S + 1, PROBE_HEARTBEAT_RISING);
	probe_heartbeat_track_init(&track, 2, 3 * S, 100 * S);
	probe_heartbeat_heard(&track, false, 100 * S);
	looks(100 * S, PROBE_HEARTBEAT_GOODBYE);
}

static void test_track_silence(void **state)
{
	probe_heartbeat_track_init(&track, 2, 3 * S, 100 * S);
	heard(100 * S);
	heard(101 * S);
	looks(101 * S, PROBE_HEARTBEAT_UP);
	assert_true(probe_heartbeat_due_us(&track) == 104 * S + 1);
	looks(104 * S, PROBE_HEARTBEAT_UP);
	looks(104 * S + 1, PROBE_HEARTBEAT_MISSING);
	looks(105 * S, PROBE_HEARTBEAT_MISSING);
	heard(106 * S);
	looks(106 * S, PROBE_HEARTBEAT_RISING);
	/* Not in a row. */
	heard(110 * S);
	looks(110 * S, PROBE_HEARTBEAT_RISING);
	heard(113 * S);
	looks(113 * S, PROBE_HEARTBEAT_UP);
	/* Nobody looked in the gap. */
	heard(117 * S);
	looks(117 * S, PROBE_HEARTBEAT_RISING);
	/* Many don't overflow anything. */
	for (int i = 0; i < 1000; i++)
		heard(117 * S + i);
	looks(118 * S, PROBE_HEARTBEAT_UP);
}

static void test_track_goodbye(void **state)
{
	probe_heartbeat_track_init(&track, 2, 3 * S, 100 * S);
	heard(100 * S);
	heard(101 * S);
	looks(101 * S, PROBE_HEARTBEAT_UP);
	probe_heartbeat_heard(&track, false, 101 * S);
	looks(101 * S, PROBE_HEARTBEAT_GOODBYE);
	assert_true(probe_heartbeat_due_us(&track) == INT64_MAX);
	looks(999 * S, PROBE_HEARTBEAT_GOODBYE);
	heard(999 * S);
	looks(999 * S, PROBE_HEARTBEAT_RISING);
	heard(1000 * S);
	looks(1000 * S, PROBE_HEARTBEAT_UP);
}

/* Other numbers while it runs: what is up stays up. */
static void test_track_changed(void **state)
{
	probe_heartbeat_track_init(&track, 2, 3 * S, 100 * S);
	heard(100 * S);
	heard(101 * S);
	looks(101 * S, PROBE_HEARTBEAT_UP);
	track.rise = 5;
	looks(102 * S, PROBE_HEARTBEAT_UP);
	heard(102 * S);
	looks(105 * S, PROBE_HEARTBEAT_UP);
	track.window_us = S;
	looks(105 * S, PROBE_HEARTBEAT_MISSING);
	heard(106 * S);
	looks(106 * S, PROBE_HEARTBEAT_RISING);
	track.rise = 1;
	looks(106 * S, PROBE_HEARTBEAT_UP);
}

static void test_words(void **state)
{
	for (int i = 0; i < PROBE_HEARTBEAT_REJECT_MAX; i++) {
		assert_true(!i == !probe_heartbeat_reject_str(i)[0]);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(probe_heartbeat_reject_token(i),
						probe_heartbeat_reject_token(j));
	}
	for (int i = 1; i < PROBE_HEARTBEAT_LOOKS; i++)
		assert_string_not_equal(probe_heartbeat_look_str(i),
					probe_heartbeat_look_str(i - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_octets),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_guard_clock_set_back),
		cmocka_unit_test(test_track_start),
		cmocka_unit_test(test_track_silence),
		cmocka_unit_test(test_track_goodbye),
		cmocka_unit_test(test_track_changed),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
