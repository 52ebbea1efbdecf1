// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The route table against a model of zebra: whatever happens in whatever
 * order, zebra ends up with exactly the wanted set, and is sent nothing when
 * nothing changed.
 */
#include <zebra.h>

#include "memory.h"
#include "prefix.h"

#include "core/route_table.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define PREFIXES 40

/* The model: what zebra holds, by the last byte of the address. */
static struct {
	bool present;
	uint32_t tag;
	uint16_t n_nexthops;
} zebra[PREFIXES];
static bool connected, full;
static const char *missing; /* the interface that isn't there */
static unsigned int adds, deletes;

static unsigned int index_of(const struct cluster_route_key *key)
{
	return ntohl(key->addr.ipaddr_v4.s_addr) & 0xff;
}

static enum route_table_sent model_add(const struct cluster_route *route)
{
	unsigned int i = index_of(&route->key);

	if (!connected || (missing && route->n_nexthops &&
			   !strcmp(route->nexthops[0].ifname, missing)))
		return ROUTE_NOT_SENT;
	if (full)
		return ROUTE_LATER;
	adds++;
	zebra[i].present = true;
	zebra[i].tag = route->tag;
	zebra[i].n_nexthops = route->n_nexthops;
	return ROUTE_SENT;
}

static enum route_table_sent model_del(const struct cluster_route_key *key)
{
	if (!connected)
		return ROUTE_NOT_SENT;
	if (full)
		return ROUTE_LATER;
	deletes++;
	zebra[index_of(key)].present = false;
	return ROUTE_SENT;
}

static const struct route_table_ops ops = {
	.add = model_add,
	.del = model_del,
};

static int setup(void **state)
{
	memset(zebra, 0, sizeof(zebra));
	connected = true;
	full = false;
	missing = NULL;
	adds = deletes = 0;
	*state = route_table_new(&ops);
	return 0;
}

static int teardown(void **state)
{
	struct route_table *table = *state;

	route_table_free(&table);
	assert_null(table);
	route_table_free(&table);
	return 0;
}

static struct cluster_nexthop gate1, gates2[2];

static struct cluster_route route(unsigned int i)
{
	struct cluster_route r = {
		.key = { .vrf = "default" },
		.tag = 84,
		.distance = 115,
		.n_nexthops = 1,
		.nexthops = &gate1,
	};

	SET_IPADDR_V4(&r.key.addr);
	r.key.addr.ipaddr_v4.s_addr = htonl(0xc0000200 + i);
	gate1 = (struct cluster_nexthop){ .gate = addr("10.0.0.1"),
					  .weight = 1 };
	return r;
}

static void test_only_differences_are_sent(void **state)
{
	struct route_table *table = *state;
	struct cluster_route routes[2] = { route(1), route(2) };

	route_table_set(table, CLUSTER_OWNER_VIP, routes, 2, 10);
	assert_int_equal(adds, 2);
	/* Case 21: the same set again is no message. */
	for (int i = 0; i < 10; i++)
		route_table_set(table, CLUSTER_OWNER_VIP, routes, 2, 20);
	assert_int_equal(adds, 2);
	assert_int_equal(deletes, 0);

	/* Case 11: only the one that changed. */
	routes[1].tag = 85;
	route_table_set(table, CLUSTER_OWNER_VIP, routes, 2, 30);
	assert_int_equal(adds, 3);
	assert_int_equal(zebra[2].tag, 85);

	route_table_set(table, CLUSTER_OWNER_VIP, routes, 1, 40);
	assert_int_equal(adds, 3);
	assert_int_equal(deletes, 1);
	assert_false(zebra[2].present);
	assert_true(zebra[1].present);
}

static void test_first_action_is_no_withdrawal(void **state)
{
	struct route_table *table = *state;

	route_table_set(table, CLUSTER_OWNER_VIP, NULL, 0, 10);
	assert_int_equal(adds + deletes, 0);
}

static void test_nexthops_are_copied_and_compared(void **state)
{
	struct route_table *table = *state;
	struct cluster_route r = route(1);

	gates2[0] = (struct cluster_nexthop){ .gate = addr("10.0.0.1"),
					      .weight = 1 };
	gates2[1] = (struct cluster_nexthop){ .gate = addr("10.0.0.2"),
					      .weight = 1 };
	r.n_nexthops = 2;
	r.nexthops = gates2;
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 10);
	gates2[1].weight = 2;
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 20);
	assert_int_equal(adds, 2);
	gates2[1].weight = 2;
	snprintf(gates2[1].ifname, sizeof(gates2[1].ifname), "eth0");
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 30);
	assert_int_equal(adds, 3);
	/* Case 14: a next hop less is a change like any other. */
	r.n_nexthops = 1;
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 40);
	assert_int_equal(adds, 4);
	assert_int_equal(zebra[1].n_nexthops, 1);
}

static void test_status_follows_zebra(void **state)
{
	struct route_table *table = *state;
	struct cluster_route r = route(1);
	struct route_table_counts counts;
	int64_t since;

	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    &since),
			 CLUSTER_ROUTE_UNWANTED);
	assert_false(route_table_wants(table, &r.key));
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 10);
	assert_true(route_table_wants(table, &r.key));
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    &since),
			 CLUSTER_ROUTE_PENDING);
	assert_int_equal(since, 10);
	assert_true(route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 20));
	assert_false(
		route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 25));
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    &since),
			 CLUSTER_ROUTE_INSTALLED);
	assert_int_equal(since, 20);

	/* A change of an installed route: it goes on forwarding. */
	r.tag = 9;
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 30);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    NULL),
			 CLUSTER_ROUTE_INSTALLED);

	assert_true(
		route_table_notify(table, &r.key, ROUTE_NOTE_BETTER_WON, 40));
	/* Leaving the kernel is part of having lost. */
	assert_false(route_table_notify(table, &r.key, ROUTE_NOTE_REMOVED, 41));
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    NULL),
			 CLUSTER_ROUTE_BETTER_WON);
	assert_true(route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 50));
	assert_true(route_table_notify(table, &r.key, ROUTE_NOTE_REMOVED, 60));
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    NULL),
			 CLUSTER_ROUTE_REMOVED);
	assert_true(route_table_notify(table, &r.key, ROUTE_NOTE_FAILED, 70));
	route_table_count(table, &counts);
	assert_int_equal(counts.wanted, 1);
	assert_int_equal(counts.by_status[CLUSTER_ROUTE_FAILED], 1);
	assert_int_equal(counts.adds, adds);
	assert_int_equal(counts.deletes, deletes);

	r = route(2);
	assert_false(
		route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 80));
}

static void test_disconnected_then_everything_again(void **state)
{
	struct route_table *table = *state;
	struct cluster_route routes[3] = { route(1), route(2), route(3) };

	route_table_set(table, CLUSTER_OWNER_VIP, routes, 3, 10);
	connected = false;
	memset(zebra, 0, sizeof(zebra));
	route_table_disconnected(table, NULL, 20);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP,
					    &routes[0].key, NULL),
			 CLUSTER_ROUTE_UNSENT);
	/* An echo of the old connection says nothing about this one. */
	assert_false(route_table_notify(table, &routes[0].key,
					ROUTE_NOTE_INSTALLED, 21));
	/* Case 19: what went meanwhile stays away. */
	route_table_set(table, CLUSTER_OWNER_VIP, routes, 2, 30);
	assert_int_equal(deletes, 0);
	assert_int_equal(route_table_resend(table,
					    &(struct route_table_filter){}, 35),
			 0);
	connected = true;
	assert_int_equal(route_table_resend(table,
					    &(struct route_table_filter){}, 40),
			 2);
	assert_true(zebra[1].present && zebra[2].present);
	assert_false(zebra[3].present);
}

/* A VRF that goes takes its routes along, and zebra says nothing of them. */
static void test_vrf_gone(void **state)
{
	struct route_table *table = *state;
	struct cluster_route routes[2] = { route(1), route(2) };
	struct route_table_filter red = { .vrf = "red" };

	snprintf(routes[1].key.vrf, sizeof(routes[1].key.vrf), "red");
	route_table_set(table, CLUSTER_OWNER_HUB, routes, 2, 10);
	for (int i = 0; i < 2; i++)
		assert_true(route_table_notify(table, &routes[i].key,
					       ROUTE_NOTE_INSTALLED, 20));
	route_table_disconnected(table, "red", 30);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_HUB,
					    &routes[0].key, NULL),
			 CLUSTER_ROUTE_INSTALLED);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_HUB,
					    &routes[1].key, NULL),
			 CLUSTER_ROUTE_UNSENT);
	/* Back: installed only when zebra says so again. */
	assert_int_equal(route_table_resend(table, &red, 40), 1);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_HUB,
					    &routes[1].key, NULL),
			 CLUSTER_ROUTE_PENDING);
}

/* What zebra has is never what isn't wanted any more. */
static void test_change_that_cannot_be_sent(void **state)
{
	struct route_table *table = *state;
	struct cluster_route r = route(1);
	struct cluster_nexthop next = { .ifname = "eth1", .weight = 1 };
	struct route_table_filter filter = { .ifname = "eth2" };

	r.nexthops = &next;
	missing = "eth2";
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 10);
	assert_true(zebra[1].present);
	snprintf(next.ifname, sizeof(next.ifname), "eth2");
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 20);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    NULL),
			 CLUSTER_ROUTE_UNSENT);
	assert_false(zebra[1].present);
	assert_int_equal(deletes, 1);
	/* Once is enough. */
	assert_int_equal(route_table_resend(table, &filter, 30), 0);
	assert_int_equal(deletes, 1);
	missing = NULL;
	assert_int_equal(route_table_resend(table, &filter, 40), 1);
	assert_true(zebra[1].present);

	/* The interface went, and it is asked again: the same. */
	missing = "eth2";
	assert_int_equal(route_table_resend(table, &filter, 50), 0);
	assert_false(zebra[1].present);
	route_table_set(table, CLUSTER_OWNER_VIP, NULL, 0, 60);
	assert_int_equal(deletes, 2);
}

static void test_resend_filters(void **state)
{
	struct route_table *table = *state;
	struct cluster_route routes[3] = { route(1), route(2), route(3) };
	struct cluster_nexthop on_eth0 = { .gate = addr("10.0.0.9"),
					   .ifname = "eth0",
					   .weight = 1 };
	struct ipaddr gate = addr("10.0.0.9"), other = addr("10.0.0.8");
	struct route_table_filter filter = { .ifname = "eth0" };

	snprintf(routes[2].key.vrf, sizeof(routes[2].key.vrf), "red");
	routes[1].nexthops = &on_eth0;
	route_table_set(table, CLUSTER_OWNER_VIP, routes, 3, 10);
	assert_int_equal(route_table_resend(table, &filter, 20), 1);
	filter = (struct route_table_filter){ .vrf = "red" };
	assert_int_equal(route_table_resend(table, &filter, 20), 1);
	filter = (struct route_table_filter){ .gate = &gate };
	assert_int_equal(route_table_resend(table, &filter, 20), 1);
	filter = (struct route_table_filter){ .gate = &other };
	assert_int_equal(route_table_resend(table, &filter, 20), 0);
	route_table_notify(table, &routes[0].key, ROUTE_NOTE_INSTALLED, 30);
	filter = (struct route_table_filter){ .not_installed = true };
	assert_int_equal(route_table_resend(table, &filter, 40), 2);
	filter = (struct route_table_filter){ .removed = true };
	assert_int_equal(route_table_resend(table, &filter, 50), 0);
	route_table_notify(table, &routes[1].key, ROUTE_NOTE_REMOVED, 60);
	assert_int_equal(route_table_resend(table, &filter, 70), 1);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP,
					    &routes[1].key, NULL),
			 CLUSTER_ROUTE_PENDING);
}

/* Thousands of changes while zebra takes nothing are one for each prefix. */
static void test_no_room(void **state)
{
	struct route_table *table = *state;
	struct cluster_route routes[4] = { route(1), route(2), route(3),
					   route(4) };
	struct route_table_counts counts;

	route_table_set(table, CLUSTER_OWNER_VIP, routes, 3, 10);
	for (int i = 0; i < 3; i++)
		route_table_notify(table, &routes[i].key, ROUTE_NOTE_INSTALLED,
				   11);
	adds = 0;
	full = true;
	for (int i = 0; i < 1000; i++) {
		for (int r = 0; r < 4; r++)
			routes[r].tag = 100 + i;
		route_table_set(table, CLUSTER_OWNER_VIP, routes, i % 4 + 1,
				20 + i);
		route_table_count(table, &counts);
		assert_between(counts.owed, 1, 4);
	}
	assert_int_equal(adds + deletes, 0);
	/* Two at last: the third goes, the fourth never came. */
	routes[0].tag = routes[1].tag = 7;
	route_table_set(table, CLUSTER_OWNER_VIP, routes, 2, 2000);
	route_table_count(table, &counts);
	assert_int_equal(counts.owed, 3);
	assert_true(route_table_owes(table, &routes[2].key));
	for (int i = 0; i < 4; i++)
		assert_true(i == 2 || !route_table_owes(table, &routes[i].key));
	/* Installed it is, in an earlier form. */
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP,
					    &routes[0].key, NULL),
			 CLUSTER_ROUTE_INSTALLED);
	route_table_flush(table, 2001);
	assert_int_equal(adds + deletes, 0);
	full = false;
	route_table_flush(table, 2002);
	assert_int_equal(adds, 2);
	assert_int_equal(deletes, 1);
	assert_int_equal(zebra[1].tag, 7);
	assert_false(zebra[3].present || zebra[4].present);
	route_table_count(table, &counts);
	assert_int_equal(counts.owed, 0);
	assert_false(route_table_owes(table, &routes[2].key));
	route_table_flush(table, 2003);
	assert_int_equal(adds + deletes, 3);
}

/* What was never sent is not installed by an echo. */
static void test_no_room_for_a_new_one(void **state)
{
	struct route_table *table = *state;
	struct cluster_route r = route(1);

	full = true;
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 10);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    NULL),
			 CLUSTER_ROUTE_PENDING);
	assert_false(
		route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 20));
	full = false;
	route_table_flush(table, 30);
	assert_true(zebra[1].present);
	assert_true(route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 40));
}

/* That a change can't be sent has to wait for room as well. */
static void test_no_room_to_take_back(void **state)
{
	struct route_table *table = *state;
	struct cluster_route r = route(1);
	struct cluster_nexthop next = { .ifname = "eth1", .weight = 1 };

	r.nexthops = &next;
	missing = "eth2";
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 10);
	snprintf(next.ifname, sizeof(next.ifname), "eth2");
	full = true;
	route_table_set(table, CLUSTER_OWNER_VIP, &r, 1, 20);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &r.key,
					    NULL),
			 CLUSTER_ROUTE_UNSENT);
	assert_true(zebra[1].present);
	assert_false(
		route_table_notify(table, &r.key, ROUTE_NOTE_INSTALLED, 25));
	full = false;
	route_table_flush(table, 30);
	assert_false(zebra[1].present);
	assert_int_equal(deletes, 1);
}

/* A lost connection takes along what was owed to it. */
static void test_no_room_then_disconnected(void **state)
{
	struct route_table *table = *state;
	struct cluster_route routes[2] = { route(1), route(2) };
	struct route_table_counts counts;

	route_table_set(table, CLUSTER_OWNER_VIP, routes, 2, 10);
	full = true;
	routes[0].tag = 9;
	route_table_set(table, CLUSTER_OWNER_VIP, routes, 1, 20);
	route_table_disconnected(table, "red", 30);
	route_table_count(table, &counts);
	assert_int_equal(counts.owed, 2);
	route_table_disconnected(table, NULL, 30);
	route_table_count(table, &counts);
	assert_int_equal(counts.owed, 0);
	/* With some owed at the end. */
	route_table_resend(table, &(struct route_table_filter){}, 40);
	full = false;
	route_table_flush(table, 50);
	full = true;
	route_table_set(table, CLUSTER_OWNER_VIP, NULL, 0, 60);
}

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Property: after any history, a connected zebra holds the wanted set. */
static void test_any_history_converges(void **state)
{
	struct route_table *table = *state;
	struct cluster_route want[PREFIXES];
	size_t n_want = 0;

	for (int step = 0; step < 20000; step++) {
		struct cluster_route_key key = route(rnd(PREFIXES)).key;

		switch (rnd(8)) {
		case 6:
			full = true;
			break;
		case 7:
			full = false;
			route_table_flush(table, step);
			break;
		case 0:
			connected = full = false;
			memset(zebra, 0, sizeof(zebra));
			route_table_disconnected(table, NULL, step);
			break;
		case 1:
			connected = true;
			route_table_resend(table,
					   &(struct route_table_filter){}, step);
			break;
		case 2:
			route_table_notify(table, &key, rnd(4), step);
			break;
		default:
			n_want = 0;
			for (unsigned int i = 0; i < PREFIXES; i++) {
				if (rnd(2))
					continue;
				want[n_want] = route(i);
				want[n_want++].tag = rnd(3);
			}
			route_table_set(table, CLUSTER_OWNER_VIP, want, n_want,
					step);
		}
		if (!connected || full)
			continue;
		for (unsigned int i = 0, w = 0; i < PREFIXES; i++) {
			bool wanted = w < n_want && index_of(&want[w].key) == i;

			assert_int_equal(zebra[i].present, wanted);
			if (wanted)
				assert_int_equal(zebra[i].tag, want[w++].tag);
		}
	}
}

static void test_owners(void **state)
{
	struct route_table *table = *state;
	struct cluster_route vip = route(1), track[2] = { route(1), route(2) };

	track[0].tag = track[1].tag = 90;
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, track, 2, 10));
	route_table_notify(table, &vip.key, ROUTE_NOTE_INSTALLED, 11);
	assert_int_equal(route_table_owner(table, &vip.key),
			 CLUSTER_OWNER_TRACK);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &vip.key,
					    NULL),
			 CLUSTER_ROUTE_UNWANTED);

	/* Taken over in place: no gap. */
	assert_false(route_table_set(table, CLUSTER_OWNER_VIP, &vip, 1, 20));
	assert_int_equal(deletes, 0);
	assert_int_equal(zebra[1].tag, 84);
	assert_int_equal(route_table_owner(table, &vip.key), CLUSTER_OWNER_VIP);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_VIP, &vip.key,
					    NULL),
			 CLUSTER_ROUTE_INSTALLED);
	assert_int_equal(route_table_status(table, CLUSTER_OWNER_TRACK,
					    &vip.key, NULL),
			 CLUSTER_ROUTE_UNWANTED);

	/* The other owner's calls change nothing of it. */
	adds = 0;
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, track, 2, 30));
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, track, 1, 31));
	assert_int_equal(adds, 0);
	assert_int_equal(deletes, 1);
	assert_true(zebra[1].present);

	/* Given up: the other one is told to call again, and has it. */
	assert_true(route_table_set(table, CLUSTER_OWNER_VIP, NULL, 0, 40));
	assert_false(zebra[1].present);
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, track, 1, 41));
	assert_int_equal(zebra[1].tag, 90);
	/* An uncontested one is nobody else's business. */
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, NULL, 0, 50));
	assert_false(zebra[1].present);
}

/* One at a time is as good as all at once, and as polite to other owners. */
static void test_one_at_a_time(void **state)
{
	struct route_table *table = *state;
	struct cluster_route vip = route(1), hub[2] = { route(1), route(2) };

	hub[0].tag = hub[1].tag = 90;
	route_table_want(table, CLUSTER_OWNER_HUB, &hub[0], 10);
	route_table_want(table, CLUSTER_OWNER_HUB, &hub[1], 10);
	assert_int_equal(adds, 2);
	route_table_want(table, CLUSTER_OWNER_HUB, &hub[1], 11);
	assert_int_equal(adds, 2);
	hub[1].tag = 91;
	route_table_want(table, CLUSTER_OWNER_HUB, &hub[1], 12);
	assert_int_equal(adds, 3);
	assert_int_equal(zebra[2].tag, 91);
	/* The VIP takes it over, and gives it back. */
	assert_false(route_table_set(table, CLUSTER_OWNER_VIP, &vip, 1, 20));
	route_table_want(table, CLUSTER_OWNER_HUB, &hub[0], 21);
	assert_int_equal(zebra[1].tag, 84);
	assert_false(route_table_unwant(table, CLUSTER_OWNER_HUB, &vip.key));
	assert_true(zebra[1].present);
	assert_true(route_table_set(table, CLUSTER_OWNER_VIP, NULL, 0, 30));
	route_table_want(table, CLUSTER_OWNER_HUB, &hub[0], 31);
	assert_int_equal(zebra[1].tag, 90);
	/* Given up to who wanted it in vain; what isn't there is nothing. */
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, &vip, 1, 40));
	assert_true(route_table_unwant(table, CLUSTER_OWNER_HUB, &vip.key));
	assert_false(zebra[1].present);
	assert_false(route_table_unwant(table, CLUSTER_OWNER_HUB, &vip.key));
	assert_false(route_table_unwant(table, CLUSTER_OWNER_HUB, &hub[1].key));
	assert_false(zebra[2].present);
}

static void test_nothing_wanted_any_more(void **state)
{
	struct route_table *table = *state;
	struct cluster_route vip = route(1), track = route(2);

	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, NULL, 0, 10));
	assert_false(route_table_set(table, CLUSTER_OWNER_VIP, &vip, 1, 10));
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, NULL, 0, 20));
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, &track, 1, 20));
	assert_false(route_table_set(table, CLUSTER_OWNER_VIP, NULL, 0, 30));
	assert_false(zebra[1].present);
	assert_true(zebra[2].present);
	assert_false(route_table_set(table, CLUSTER_OWNER_TRACK, NULL, 0, 40));
	assert_false(zebra[2].present);
}

/* Property: every prefix is the first owner's that wants it. */
static void test_owners_converge(void **state)
{
	enum { OWNERS = CLUSTER_OWNER_TRACK + 1 };
	static struct cluster_route want[OWNERS][PREFIXES];
	struct route_table *table = *state;
	size_t n_want[OWNERS] = {};

	for (int step = 0; step < 5000; step++) {
		unsigned int who = rnd(OWNERS);
		bool again = true;

		n_want[who] = 0;
		for (unsigned int i = 0; i < PREFIXES; i++) {
			if (rnd(3))
				continue;
			want[who][n_want[who]] = route(i);
			want[who][n_want[who]++].tag = who + 1;
		}
		for (int rounds = 0; again; rounds++) {
			assert_between(rounds, 0, 2);
			again = false;
			for (int o = 0; o < OWNERS; o++)
				again |= route_table_set(table, o, want[o],
							 n_want[o], step);
		}
		for (unsigned int i = 0; i < PREFIXES; i++) {
			uint32_t tag = 0;

			for (int o = OWNERS - 1; o >= 0; o--)
				for (size_t w = 0; w < n_want[o]; w++)
					if (index_of(&want[o][w].key) == i)
						tag = o + 1;
			assert_int_equal(zebra[i].present, tag != 0);
			if (tag)
				assert_int_equal(zebra[i].tag, tag);
		}
	}
}

static void test_prefixes(void **state)
{
	struct ipaddr v4 = addr("192.0.2.255"), v6 = addr("2001:db8:ffff::1");
	struct cluster_route_key key, host;
	struct ipaddr expected;

	cluster_route_prefix(&key, "red", &v4, 32);
	assert_int_equal(key.wildcard, 0);
	assert_int_equal(ipaddr_cmp(&key.addr, &v4), 0);
	assert_string_equal(key.vrf, "red");
	host = key;
	cluster_route_prefix(&key, "red", &v4, 26);
	expected = addr("192.0.2.192");
	assert_int_equal(key.wildcard, 6);
	assert_int_equal(ipaddr_cmp(&key.addr, &expected), 0);
	assert_true(cluster_route_key_cmp(&key, &host) < 0);
	cluster_route_prefix(&key, "red", &v4, 0);
	expected = addr("0.0.0.0");
	assert_int_equal(key.wildcard, 32);
	assert_int_equal(ipaddr_cmp(&key.addr, &expected), 0);

	cluster_route_prefix(&key, "red", &v6, 36);
	expected = addr("2001:db8:f000::");
	assert_int_equal(key.wildcard, 92);
	assert_int_equal(ipaddr_cmp(&key.addr, &expected), 0);
	cluster_route_prefix(&host, "red", &expected, 128);
	assert_true(cluster_route_key_cmp(&host, &key) < 0);
	assert_int_equal(cluster_route_plen_max(&v4), 32);
	assert_int_equal(cluster_route_plen_max(&v6), 128);
}

static void test_blackholes_are_compared(void **state)
{
	struct route_table *table = *state;
	struct cluster_route r = route(1);

	route_table_set(table, CLUSTER_OWNER_RESPONDER, &r, 1, 10);
	r.blackhole = true;
	r.n_nexthops = 0;
	route_table_set(table, CLUSTER_OWNER_RESPONDER, &r, 1, 20);
	route_table_set(table, CLUSTER_OWNER_RESPONDER, &r, 1, 30);
	assert_int_equal(adds, 2);
	assert_int_equal(zebra[1].n_nexthops, 0);
}

static void test_orders(void **state)
{
	struct cluster_route_key a = { .vrf = "default",
				       .addr = addr("192.0.2.1") },
				 b = a;
	struct cluster_nexthop x = { .gate = addr("10.0.0.1"), .weight = 1 },
			       y = x;

	assert_int_equal(cluster_route_key_cmp(&a, &b), 0);
	b.addr = addr("2001:db8::1");
	assert_true(cluster_route_key_cmp(&a, &b) < 0);
	assert_true(cluster_route_key_cmp(&b, &a) > 0);
	a.addr = addr("2001:db8::2");
	assert_true(cluster_route_key_cmp(&a, &b) > 0);
	snprintf(a.vrf, sizeof(a.vrf), "blue");
	assert_true(cluster_route_key_cmp(&a, &b) < 0);

	assert_int_equal(cluster_nexthop_cmp(&x, &y), 0);
	y.weight = 2;
	assert_true(cluster_nexthop_cmp(&x, &y) < 0);
	assert_true(cluster_nexthop_cmp(&y, &x) > 0);
	snprintf(x.ifname, sizeof(x.ifname), "eth0");
	assert_true(cluster_nexthop_cmp(&x, &y) > 0);
	memset(&y.gate, 0, sizeof(y.gate));
	assert_true(cluster_nexthop_cmp(&y, &x) < 0);
}

static void test_prefix(void **state)
{
	struct ipaddr v4 = addr("192.0.2.128"), v6 = addr("2001:db8::1");
	struct ipaddr back;
	struct prefix p;

	cluster_prefix(&p, &v4, 25);
	assert_int_equal(p.family, AF_INET);
	assert_int_equal(p.prefixlen, 25);
	assert_int_equal(p.u.prefix4.s_addr, htonl(0xc0000280));
	cluster_prefix_addr(&p, &back);
	assert_int_equal(ipaddr_cmp(&back, &v4), 0);
	cluster_prefix(&p, &v6, 128);
	assert_int_equal(p.family, AF_INET6);
	assert_int_equal(p.prefixlen, 128);
	assert_memory_equal(&p.u.prefix6, &v6.ipaddr_v6, sizeof(v6.ipaddr_v6));
	cluster_prefix_addr(&p, &back);
	assert_int_equal(ipaddr_cmp(&back, &v6), 0);
	p.family = AF_ETHERNET;
	cluster_prefix_addr(&p, &back);
	assert_true(IS_IPADDR_NONE(&back));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefix),
		TEST(test_only_differences_are_sent),
		TEST(test_first_action_is_no_withdrawal),
		TEST(test_nexthops_are_copied_and_compared),
		TEST(test_status_follows_zebra),
		TEST(test_disconnected_then_everything_again),
		TEST(test_vrf_gone),
		TEST(test_change_that_cannot_be_sent),
		TEST(test_resend_filters),
		TEST(test_no_room),
		TEST(test_no_room_for_a_new_one),
		TEST(test_no_room_to_take_back),
		TEST(test_no_room_then_disconnected),
		TEST(test_any_history_converges),
		TEST(test_owners),
		TEST(test_nothing_wanted_any_more),
		TEST(test_one_at_a_time),
		TEST(test_owners_converge),
		TEST(test_prefixes),
		TEST(test_blackholes_are_compared),
		TEST(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
