// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of local routes against a model of the kernel: what is wanted is
 * there in the end, nothing goes before its hold has passed, and the answers
 * may come late, be refusals, or not come at all.
 */
#include <zebra.h>

#include "memory.h"

#include "core/local_table.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define MS	  1000LL
#define ADDRESSES 12
#define VRFS	  2

static const char *const vrfs[VRFS] = { "blue", "default" };

static struct {
	bool there[VRFS][ADDRESSES];
	int error; /* of every request; 0: done */
	unsigned int adds, deletes, asked[VRFS], changes;
	bool announced, waits;
} kernel;

static struct cluster_route_key key(int vrf, int i)
{
	struct cluster_route_key k = { .addr = { .ipa_type = IPADDR_V4 } };

	strlcpy(k.vrf, vrfs[vrf], sizeof(k.vrf));
	k.addr.ipaddr_v4.s_addr = htonl(0xc0000200 + i);
	return k;
}

static bool op_announced(const struct cluster_route_key *k)
{
	return kernel.announced;
}

static bool op_withdrawal_waits(const struct cluster_route_key *k)
{
	return kernel.waits;
}

static void op_requests(const char *vrf)
{
	kernel.asked[strcmp(vrf, vrfs[0]) ? 1 : 0]++;
}

static void op_changed(void)
{
	kernel.changes++;
}

static const struct local_table_ops ops = {
	.announced = op_announced,
	.withdrawal_waits = op_withdrawal_waits,
	.requests = op_requests,
	.changed = op_changed,
};

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	*state = local_table_new(&ops);
	return 0;
}

static int teardown(void **state)
{
	struct local_table *table = *state;

	local_table_free(&table);
	assert_null(table);
	local_table_free(&table);
	return 0;
}

static int address_of(const struct cluster_route_key *k)
{
	return ntohl(k->addr.ipaddr_v4.s_addr) & 0xff;
}

/* Does what is asked in one VRF, or refuses it; returns how many. */
static unsigned int work(struct local_table *table, int vrf)
{
	struct local_request request;
	unsigned int n = 0;

	while (local_table_next(table, vrfs[vrf], &request)) {
		bool *there = &kernel.there[vrf][address_of(&request.key)];
		bool add = request.op == LOCAL_OP_ADD;
		int error = kernel.error;

		assert_string_equal(request.key.vrf, vrfs[vrf]);
		if (!error && *there == add)
			error = add ? EEXIST : ESRCH;
		if (!error) {
			*there = add;
			if (add)
				kernel.adds++;
			else
				kernel.deletes++;
		}
		local_table_done(table, &request.key, error);
		n++;
	}
	return n;
}

static void read_all(struct local_table *table, int vrf)
{
	assert_true(local_table_read_begin(table, vrfs[vrf]));
	for (int i = 0; i < ADDRESSES; i++) {
		struct cluster_route_key k = key(vrf, i);

		if (kernel.there[vrf][i])
			local_table_read(table, &k);
	}
	local_table_read_end(table, vrfs[vrf]);
}

/* The addresses of the default VRF whose bits are set. */
static void want(struct local_table *table, unsigned int bits, uint32_t hold_ms,
		 int64_t now_us)
{
	struct local_want wants[ADDRESSES];
	size_t n = 0;

	for (int i = 0; i < ADDRESSES; i++)
		if (bits & (1U << i))
			wants[n++] = (struct local_want){ key(1, i), hold_ms };
	local_table_set(table, wants, n, now_us);
}

static void assert_status(const struct local_table *table, int i,
			  enum local_status status)
{
	struct cluster_route_key k = key(1, i);
	enum local_status got = local_table_status(table, &k, NULL);

	if (got != status)
		print_error("address %d is %s, not %s\n", i,
			    local_status_name(got), local_status_name(status));
	assert_int_equal(got, status);
}

static void test_set(void **state)
{
	struct local_table *table = *state;
	struct local_table_counts counts;

	want(table, 1, 0, 0);
	assert_status(table, 0, LOCAL_WAITING);
	/* Nothing is written before the namespace has been read. */
	assert_int_equal(work(table, 1), 0);
	read_all(table, 1);
	assert_true(kernel.asked[1] > 0);
	assert_int_equal(kernel.asked[0], 0);
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_SET);
	assert_int_equal(kernel.changes, 1);
	assert_int_equal(work(table, 1), 0);
	/* The same again, and a reading: nothing to do. */
	want(table, 1, 0, 0);
	read_all(table, 1);
	assert_int_equal(work(table, 1), 0);
	local_table_count(table, &counts);
	assert_int_equal(counts.wanted, 1);
	assert_int_equal(counts.set, 1);
	assert_int_equal(counts.adds, 1);
}

/* Withdrawn by zebra's word, then held, then gone (case 1). */
static void test_hold(void **state)
{
	struct local_table *table = *state;
	struct cluster_route_key k = key(1, 0);
	struct local_table_counts counts;

	want(table, 1, 700, 0);
	read_all(table, 1);
	work(table, 1);
	/* How long until it could be gone, at each stage. */
	assert_true(local_table_left(table, 0) ==
		    LOCAL_WITHDRAWAL_US + 700 * MS);
	kernel.announced = true;
	want(table, 0, 700, 0);
	assert_status(table, 0, LOCAL_HELD);
	assert_true(local_table_left(table, 100 * MS) ==
		    LOCAL_WITHDRAWAL_US + 600 * MS);
	local_table_count(table, &counts);
	assert_int_equal(counts.held, 1);
	assert_int_equal(counts.wanted, 0);
	/* The hold starts when zebra has said so, at 200 ms. */
	assert_true(local_table_run(table, 200 * MS) == LOCAL_WITHDRAWAL_US);
	local_table_withdrawn(table, &k, 200 * MS);
	assert_true(local_table_left(table, 200 * MS) == 700 * MS);
	assert_true(local_table_run(table, 899 * MS) == 900 * MS);
	assert_int_equal(work(table, 1), 0);
	assert_true(local_table_run(table, 900 * MS) == 0);
	assert_status(table, 0, LOCAL_GOING);
	assert_true(local_table_left(table, 950 * MS) == 1);
	kernel.changes = 0;
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_NONE);
	/* No decision depends on it. */
	assert_int_equal(kernel.changes, 0);
	assert_true(local_table_left(table, 950 * MS) == 0);
	assert_false(kernel.there[1][0]);
	/* Said again, of nothing. */
	local_table_withdrawn(table, &k, 900 * MS);
}

/* zebra says nothing: another route took the place. */
static void test_no_word(void **state)
{
	struct local_table *table = *state;
	int64_t end_us = LOCAL_WITHDRAWAL_US + 100 * MS;

	want(table, 1, 100, 0);
	read_all(table, 1);
	work(table, 1);
	kernel.announced = true;
	want(table, 0, 100, 0);
	assert_true(local_table_run(table, LOCAL_WITHDRAWAL_US) == end_us);
	assert_int_equal(work(table, 1), 0);
	local_table_run(table, end_us);
	assert_int_equal(work(table, 1), 1);
}

/* It hangs, or the withdrawal waits for room: no hold until it goes on. */
static void test_zebra_hangs(void **state)
{
	struct local_table *table = *state;
	int64_t on_us = 3 * LOCAL_WITHDRAWAL_US;

	want(table, 1, 100, 0);
	read_all(table, 1);
	work(table, 1);
	kernel.announced = kernel.waits = true;
	want(table, 0, 100, 0);
	assert_true(local_table_run(table, LOCAL_WITHDRAWAL_US) ==
		    LOCAL_WITHDRAWAL_US + LOCAL_WITHDRAWAL_LOOK_US);
	local_table_run(table, on_us);
	assert_int_equal(work(table, 1), 0);
	assert_status(table, 0, LOCAL_HELD);
	/* It goes on, and needn't say a word. */
	kernel.waits = false;
	on_us += LOCAL_WITHDRAWAL_LOOK_US;
	assert_true(local_table_run(table, on_us) == on_us + 100 * MS);
	assert_int_equal(work(table, 1), 0);
	local_table_run(table, on_us + 100 * MS);
	assert_int_equal(work(table, 1), 1);
}

/* ...but not for ever. */
static void test_zebra_hangs_on(void **state)
{
	struct local_table *table = *state;
	int64_t end_us = LOCAL_WITHDRAWAL_MAX_US;

	want(table, 1, 100, 0);
	read_all(table, 1);
	work(table, 1);
	kernel.announced = kernel.waits = true;
	want(table, 0, 100, 0);
	local_table_run(table, end_us - LOCAL_WITHDRAWAL_LOOK_US);
	assert_status(table, 0, LOCAL_HELD);
	assert_true(local_table_run(table, end_us) == end_us + 100 * MS);
	local_table_run(table, end_us + 100 * MS);
	assert_int_equal(work(table, 1), 1);
}

/* The connection to zebra is lost: bgpd goes on announcing what it had. */
static void test_zebra_lost(void **state)
{
	struct local_table *table = *state;
	struct cluster_route_key k = key(1, 1);
	int64_t back_us = 60000 * MS;

	want(table, 15, 100, 0);
	read_all(table, 1);
	work(table, 1);
	kernel.announced = true;
	want(table, 7, 100, 0);
	local_table_zebra_lost(table);
	/* Now nobody knows any more. */
	kernel.announced = false;
	kernel.waits = true;
	want(table, 5, 100, 50 * MS);
	/* Comes back, and fails again. */
	want(table, 7, 100, 60 * MS);
	want(table, 5, 100, 70 * MS);
	/* This one is new: nobody ever announced it. */
	want(table, 21, 100, 80 * MS);
	work(table, 1);
	want(table, 5, 100, 90 * MS);
	local_table_run(table, back_us);
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_SET);
	assert_status(table, 1, LOCAL_HELD);
	assert_status(table, 3, LOCAL_HELD);
	assert_status(table, 4, LOCAL_NONE);
	/* zebra is back, and was told what it is to have. */
	kernel.waits = false;
	back_us += LOCAL_WITHDRAWAL_LOOK_US;
	assert_true(local_table_run(table, back_us) == back_us + 100 * MS);
	local_table_run(table, back_us + 100 * MS);
	assert_int_equal(work(table, 1), 2);
	assert_status(table, 0, LOCAL_SET);
	/* Once it has said what became of it all is as before. */
	k = key(1, 2);
	local_table_withdrawn(table, &k, back_us);
	want(table, 1, 100, back_us);
	assert_true(local_table_run(table, back_us) == back_us + 100 * MS);
}

/* Nobody will say. */
static void test_all_withdrawn(void **state)
{
	struct local_table *table = *state;

	want(table, 7, 100, 0);
	read_all(table, 1);
	work(table, 1);
	kernel.announced = true;
	local_table_zebra_lost(table);
	want(table, 3, 100, 0);
	kernel.announced = false;
	kernel.waits = true;
	local_table_all_withdrawn(table, 50 * MS);
	want(table, 1, 100, 50 * MS);
	assert_true(local_table_run(table, 60 * MS) == 150 * MS);
	local_table_run(table, 150 * MS);
	assert_int_equal(work(table, 1), 2);
	assert_status(table, 0, LOCAL_SET);
	assert_status(table, 1, LOCAL_NONE);
}

/* Never announced: only held, not waited for. */
static void test_not_announced(void **state)
{
	struct local_table *table = *state;

	want(table, 1, 100, 0);
	read_all(table, 1);
	work(table, 1);
	want(table, 0, 100, 0);
	assert_true(local_table_run(table, 0) == 100 * MS);
	/* Wanted again meanwhile: nothing happens to it. */
	kernel.changes = 0;
	want(table, 1, 100, 50 * MS);
	assert_int_equal(kernel.changes, 1);
	assert_status(table, 0, LOCAL_SET);
	assert_true(local_table_run(table, 200 * MS) == 0);
	assert_int_equal(work(table, 1), 0);
	assert_int_equal(kernel.deletes, 0);
}

static void test_leftovers(void **state)
{
	struct local_table *table = *state;
	struct local_table_counts counts;

	kernel.there[0][3] = kernel.there[1][0] = kernel.there[1][1] = true;
	read_all(table, 0);
	read_all(table, 1);
	/* Not yet: a configuration may come. */
	assert_int_equal(work(table, 0) + work(table, 1), 0);
	assert_status(table, 0, LOCAL_GOING);
	kernel.changes = 0;
	want(table, 1, 0, 0);
	/* Taken over without a request; whoever waits for it must hear. */
	assert_status(table, 0, LOCAL_SET);
	assert_int_equal(kernel.changes, 1);
	local_table_sweep(table);
	local_table_sweep(table);
	assert_int_equal(work(table, 0), 1);
	assert_int_equal(work(table, 1), 1);
	assert_int_equal(kernel.adds, 0);
	assert_true(kernel.there[1][0]);
	assert_false(kernel.there[1][1] || kernel.there[0][3]);
	local_table_count(table, &counts);
	assert_int_equal(counts.leftovers, 2);
	/* One that was wanted goes at once later on, without a sweep's grace. */
	want(table, 0, 0, 0);
	local_table_run(table, 0);
	assert_int_equal(work(table, 1), 1);
}

static void test_refused(void **state)
{
	struct local_table *table = *state;
	struct cluster_route_key k = key(1, 0);
	struct local_table_counts counts;
	int error = 0;

	kernel.error = ENETDOWN;
	want(table, 1, 100, 0);
	read_all(table, 1);
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_FAILED);
	local_table_status(table, &k, &error);
	assert_int_equal(error, ENETDOWN);
	local_table_count(table, &counts);
	assert_int_equal(counts.failed, 1);
	/* Not again before the next reading. */
	assert_int_equal(work(table, 1), 0);
	want(table, 1, 100, 0);
	assert_int_equal(work(table, 1), 0);
	kernel.error = 0;
	read_all(table, 1);
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_SET);
	/* A refused deletion is tried again as well. */
	want(table, 0, 0, 0);
	local_table_run(table, 100 * MS);
	kernel.error = EPERM;
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_GOING);
	assert_int_equal(work(table, 1), 0);
	kernel.error = 0;
	read_all(table, 1);
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 0, LOCAL_NONE);
}

/* What the kernel says of the next request; whether that is to be logged. */
static bool answered(struct local_table *table, int error)
{
	struct local_request request;

	assert_true(local_table_next(table, vrfs[1], &request));
	return local_table_done(table, &request.key, error);
}

/* It is told again after each reading, and refused: once is enough for a log. */
static void test_a_refusal_is_news_once(void **state)
{
	struct local_table *table = *state;

	read_all(table, 1);
	want(table, 1, 0, 0);
	assert_true(answered(table, EPERM));
	read_all(table, 1);
	assert_false(answered(table, EPERM));
	read_all(table, 1);
	assert_true(answered(table, ENOMEM));
	read_all(table, 1);
	assert_false(answered(table, 0));
	kernel.there[1][0] = true;
	assert_status(table, 0, LOCAL_SET);

	/* It is to go, and doesn't; is wanted again, and there already. */
	want(table, 0, 0, 0);
	local_table_run(table, 0);
	assert_true(answered(table, EPERM));
	read_all(table, 1);
	assert_false(answered(table, EPERM));
	want(table, 1, 0, 0);
	want(table, 0, 0, 0);
	local_table_run(table, 0);
	assert_false(answered(table, ESRCH));
}

/* Somebody deletes it: set again, and meanwhile no state changes. */
static void test_removed(void **state)
{
	struct local_table *table = *state;
	struct local_table_counts counts;

	want(table, 1, 100, 0);
	read_all(table, 1);
	work(table, 1);
	kernel.changes = 0;
	kernel.there[1][0] = false;
	read_all(table, 1);
	assert_status(table, 0, LOCAL_SET);
	assert_int_equal(work(table, 1), 1);
	assert_true(kernel.there[1][0]);
	assert_int_equal(kernel.changes, 0);
	local_table_count(table, &counts);
	assert_int_equal(counts.lost, 1);
	/* ...and the kernel refuses to take it again. */
	kernel.there[1][0] = false;
	kernel.error = EPERM;
	read_all(table, 1);
	work(table, 1);
	assert_status(table, 0, LOCAL_FAILED);
	assert_int_equal(kernel.changes, 1);
}

/* Decided otherwise while a request is under way. */
static void test_in_flight(void **state)
{
	struct local_table *table = *state;
	struct local_request request;

	read_all(table, 1);
	want(table, 1, 100, 0);
	assert_true(local_table_next(table, vrfs[1], &request));
	/* One at a time, and no reading meanwhile. */
	assert_int_equal(work(table, 1), 0);
	assert_false(local_table_read_begin(table, vrfs[1]));
	want(table, 0, 100, 0);
	assert_status(table, 0, LOCAL_NONE);
	kernel.there[1][0] = true;
	local_table_done(table, &request.key, 0);
	/* It never was announced: deleted without a hold. */
	assert_int_equal(work(table, 1), 1);
	assert_false(kernel.there[1][0]);

	want(table, 1, 0, 0);
	work(table, 1);
	want(table, 0, 0, 0);
	local_table_run(table, 0);
	assert_true(local_table_next(table, vrfs[1], &request));
	assert_int_equal(request.op, LOCAL_OP_DEL);
	want(table, 1, 0, 0);
	/* A refusal of what isn't wanted any more is no failure. */
	assert_false(local_table_done(table, &request.key, EPERM));
	assert_status(table, 0, LOCAL_SET);
	assert_int_equal(work(table, 1), 0);
	/* An answer that nobody waits for. */
	assert_false(local_table_done(table, &request.key, EPERM));
	/* Queued, and decided otherwise before its turn. */
	want(table, 3, 0, 0);
	want(table, 1, 0, 0);
	assert_int_equal(work(table, 1), 0);
}

/* Messages were lost: what was under way is found out by reading. */
static void test_connection_lost(void **state)
{
	struct local_table *table = *state;
	struct local_request request;

	want(table, 3, 100, 0);
	read_all(table, 1);
	assert_true(local_table_next(table, vrfs[1], &request));
	kernel.there[1][0] = true;
	assert_true(local_table_next(table, vrfs[1], &request));
	local_table_lost(table, vrfs[1], false);
	assert_int_equal(work(table, 1), 0);
	read_all(table, 1);
	assert_status(table, 0, LOCAL_SET);
	assert_int_equal(work(table, 1), 1);
	assert_status(table, 1, LOCAL_SET);
	kernel.changes = 0;
	local_table_lost(table, vrfs[1], false);
	assert_status(table, 0, LOCAL_SET);
	assert_int_equal(kernel.changes, 0);
	local_table_lost(table, "nosuch", true);
}

static void test_namespace_gone(void **state)
{
	struct local_table *table = *state;

	want(table, 7, 100, 0);
	read_all(table, 1);
	work(table, 1);
	want(table, 3, 100, 0);
	assert_status(table, 2, LOCAL_HELD);
	local_table_lost(table, vrfs[1], true);
	assert_status(table, 0, LOCAL_WAITING);
	assert_status(table, 2, LOCAL_NONE);
	memset(kernel.there, 0, sizeof(kernel.there));
	read_all(table, 1);
	assert_int_equal(work(table, 1), 2);
	assert_status(table, 1, LOCAL_SET);
}

static void test_leftovers_max(void **state)
{
	struct local_table *table = *state;
	struct cluster_route_key k = key(1, 0);
	struct local_table_counts counts;
	struct local_request request;

	assert_true(local_table_read_begin(table, vrfs[1]));
	for (uint32_t i = 0; i < LOCAL_LEFTOVERS_MAX + 10; i++) {
		k.addr.ipaddr_v4.s_addr = htonl(0x0a000000 + i);
		local_table_read(table, &k);
	}
	local_table_read_end(table, vrfs[1]);
	local_table_sweep(table);
	while (local_table_next(table, vrfs[1], &request))
		local_table_done(table, &request.key, 0);
	local_table_count(table, &counts);
	assert_int_equal(counts.leftovers, LOCAL_LEFTOVERS_MAX);
	/* The rest with the next reading. */
	assert_true(local_table_read_begin(table, vrfs[1]));
	local_table_read(table, &k);
	local_table_read_end(table, vrfs[1]);
	assert_true(local_table_next(table, vrfs[1], &request));
	local_table_done(table, &request.key, ESRCH);
}

/* Whatever happens in whatever order: in the end it is as wanted. */
static void test_random(void **state)
{
	struct local_table *table = *state;
	unsigned int wanted = 0;
	int64_t now_us = 0;

	srandom(1);
	local_table_sweep(table);
	read_all(table, 1);
	for (int step = 0; step < 20000; step++) {
		struct local_request request;
		struct cluster_route_key k = key(1, random() % ADDRESSES);

		now_us += random() % (200 * MS);
		kernel.announced = random() % 2;
		kernel.waits = random() % 2;
		kernel.error = random() % 5 ? 0 : EPERM;
		switch (random() % 9) {
		case 0:
			wanted = random();
			want(table, wanted, random() % 500, now_us);
			break;
		case 1:
			work(table, 1);
			break;
		case 2:
			read_all(table, 1);
			break;
		case 3: /* somebody meddles */
			kernel.there[1][address_of(&k)] = random() % 2;
			break;
		case 4:
			local_table_lost(table, vrfs[1], false);
			read_all(table, 1);
			break;
		case 5:
			local_table_withdrawn(table, &k, now_us);
			break;
		case 7:
			local_table_zebra_lost(table);
			break;
		case 6: /* an answer that is lost */
			if (!local_table_next(table, vrfs[1], &request))
				break;
			local_table_lost(table, vrfs[1], false);
			read_all(table, 1);
			break;
		default:
			local_table_run(table, now_us);
			break;
		}
		if (step % 100)
			continue;
		kernel.error = 0;
		kernel.waits = false;
		for (int i = 0; i < 3; i++) {
			now_us += LOCAL_WITHDRAWAL_US;
			local_table_run(table, now_us);
			read_all(table, 1);
			work(table, 1);
		}
		assert_true(local_table_run(table, now_us) == 0);
		for (int i = 0; i < ADDRESSES; i++) {
			bool is = wanted & (1U << i);

			assert_int_equal(kernel.there[1][i], is);
			assert_status(table, i, is ? LOCAL_SET : LOCAL_NONE);
		}
	}
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(test_set),
		TABLE_TEST(test_hold),
		TABLE_TEST(test_no_word),
		TABLE_TEST(test_zebra_hangs),
		TABLE_TEST(test_zebra_hangs_on),
		TABLE_TEST(test_zebra_lost),
		TABLE_TEST(test_all_withdrawn),
		TABLE_TEST(test_not_announced),
		TABLE_TEST(test_leftovers),
		TABLE_TEST(test_refused),
		TABLE_TEST(test_a_refusal_is_news_once),
		TABLE_TEST(test_removed),
		TABLE_TEST(test_in_flight),
		TABLE_TEST(test_connection_lost),
		TABLE_TEST(test_namespace_gone),
		TABLE_TEST(test_leftovers_max),
		TABLE_TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
