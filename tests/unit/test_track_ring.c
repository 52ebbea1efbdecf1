// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of probes and tracked routes: which routes close one, and what it holds. */
#include "config.h"

#include <string.h>

#include "memory.h"

#include "track/track_ring.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

static struct prefix prefix(const char *text)
{
	struct prefix p = {};

	if (text)
		assert_int_equal(str2prefix(text, &p), 1);
	return p;
}

static bool candidate(const char *to, bool watched, const char *route)
{
	struct track_ring_facts facts = { .to = prefix(to), .watched = watched };
	struct prefix p = prefix(route);

	return track_ring_candidate(&facts, &p);
}

static void test_candidates(void **state)
{
	/* A host: what covers it. */
	assert_true(candidate("10.9.0.1/32", false, "10.0.0.0/8"));
	assert_true(candidate("10.9.0.1/32", false, "0.0.0.0/0"));
	assert_true(candidate("10.9.0.1/32", false, "10.9.0.1/32"));
	assert_false(candidate("10.9.0.1/32", false, "10.8.0.0/16"));
	assert_false(candidate("10.9.0.1/32", false, "::/0"));
	assert_true(candidate("2001:db8::1/128", false, "::/0"));
	assert_false(candidate("2001:db8::1/128", false, "2001:db8:1::/48"));
	/* A route that is watched: itself. */
	assert_true(candidate("10.0.0.0/8", true, "10.0.0.0/8"));
	assert_false(candidate("10.0.0.0/8", true, "0.0.0.0/0"));
	assert_false(candidate("10.0.0.0/8", true, "10.0.0.0/9"));
	/* Nothing. */
	assert_false(candidate(NULL, false, "0.0.0.0/0"));
	assert_false(candidate(NULL, true, "0.0.0.0/0"));
}

static bool closed(bool watched, int matched, const char *longest)
{
	struct track_ring_facts facts = {
		.to = prefix("10.9.0.1/32"),
		.watched = watched,
		.matched = matched,
	};
	struct prefix p = prefix(longest);

	return track_ring_closed(&facts, &p);
}

static void test_closed(void **state)
{
	/* A longer route wins, whatever the track does. */
	assert_false(closed(false, 32, "10.0.0.0/8"));
	assert_false(closed(false, 9, "10.0.0.0/8"));
	/* Ours, or one in whose place it would be. */
	assert_true(closed(false, 8, "10.0.0.0/8"));
	assert_true(closed(false, 0, "10.0.0.0/8"));
	assert_true(closed(false, NEXTHOP_UNRESOLVED, "10.0.0.0/8"));
	assert_true(closed(false, NEXTHOP_UNRESOLVED, "0.0.0.0/0"));
	assert_true(closed(true, 0, "10.0.0.0/8"));
	/* None of ours. */
	assert_false(closed(false, NEXTHOP_UNRESOLVED, NULL));
	assert_false(closed(true, 0, NULL));
}

/* Up as long as it lasts; then not before the ring is open, but then at once. */
static void test_held(void **state)
{
	struct track_ring_state ring = {};

	assert_true(track_ring_update(&ring, true, false, false));
	assert_true(track_ring_update(&ring, true, true, false));
	assert_true(track_ring_update(&ring, true, true, true));
	assert_true(ring.closed && !ring.held);
	assert_false(track_ring_update(&ring, true, false, true));
	assert_true(ring.held);
	for (int i = 0; i < 10; i++)
		assert_false(track_ring_update(&ring, true, i % 2, false));
	assert_true(track_ring_update(&ring, false, true, false));
	assert_false(ring.closed || ring.held);
	/* Without a ring a failure is just that. */
	assert_true(track_ring_update(&ring, false, false, true));
	assert_true(track_ring_update(&ring, true, true, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
