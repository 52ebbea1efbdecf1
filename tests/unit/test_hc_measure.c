// SPDX-License-Identifier: GPL-2.0-or-later
/* What a hub knows of itself: load, and the number of learned routes. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_measure.h"
#include "hubcluster/hc_routes.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define S INT64_C(1000000)

static void test_count_parse(void **state)
{
	uint32_t count = 7;

	assert_true(hc_count_parse("0", &count));
	assert_int_equal(count, 0);
	assert_true(hc_count_parse(" \t4294967295 ", &count));
	assert_int_equal(count, UINT32_MAX);
	assert_false(hc_count_parse("4294967296", &count));
	assert_false(hc_count_parse("99999999999999999999999", &count));
	assert_false(hc_count_parse("", &count));
	assert_false(hc_count_parse("  ", &count));
	assert_false(hc_count_parse("-1", &count));
	assert_false(hc_count_parse("12 tunnels", &count));
	assert_false(hc_count_parse("0x10", &count));
	assert_int_equal(count, UINT32_MAX);
}

/* -- load -- */

static void test_cpu(void **state)
{
	struct hc_cpu a, b;

	assert_true(hc_cpu_parse("cpu  100 20 30 1000 50 6 7 8 99 99\n"
				 "cpu0 1 2 3 4 5 6 7\n",
				 &a));
	assert_int_equal(a.idle, 1050);
	assert_int_equal(a.total, 1221);
	/* Kernels before 2.6.11 have no steal. */
	assert_true(hc_cpu_parse("cpu 1 2 3 4 5 6 7", &b));
	assert_int_equal(b.total, 28);
	assert_false(hc_cpu_parse("cpu 1 2 3 4 5 6", &b));
	assert_false(hc_cpu_parse("", &b));
	assert_false(hc_cpu_parse("intr 1 2 3 4 5 6 7 8", &b));

	b = a;
	assert_int_equal(hc_cpu_busy(&a, &b), HC_LOAD_UNKNOWN);
	b.total += 1000;
	assert_int_equal(hc_cpu_busy(&a, &b), 10000);
	b.idle += 250;
	assert_int_equal(hc_cpu_busy(&a, &b), 7500);
	b.idle = a.idle + 1000;
	assert_int_equal(hc_cpu_busy(&a, &b), 0);
	/* Counters that go back, or don't fit. */
	b.idle = a.idle - 1;
	assert_int_equal(hc_cpu_busy(&a, &b), 10000);
	b.idle = a.idle + 2000;
	assert_int_equal(hc_cpu_busy(&a, &b), 0);
	assert_int_equal(hc_cpu_busy(&b, &a), HC_LOAD_UNKNOWN);
}

/* Intervals of 8 s; `busy` and `idle` since the start. */
static void test_sample(void **state)
{
	const int64_t s = 1000000, start = 500 * s;
	struct hc_sample sample = {};

	assert_true(hc_sample_due(&sample, 8 * s, 0));
	/* It can't be read: it is unknown, and due. */
	hc_sample_take(&sample, NULL, start);
	assert_int_equal(sample.cpu, HC_LOAD_UNKNOWN);
	assert_true(hc_sample_due(&sample, 8 * s, start));
	hc_sample_take(&sample, "cpu 300 0 0 700 0 0 0 0", start);
	assert_int_equal(sample.cpu, 3000);
	/* Out of turn: not before three quarters of the interval. */
	assert_false(hc_sample_due(&sample, 8 * s, start));
	assert_false(hc_sample_due(&sample, 8 * s, start + 6 * s - 1));
	assert_true(hc_sample_due(&sample, 8 * s, start + 6 * s));
	hc_sample_take(&sample, "cpu 380 0 0 720 0 0 0 0", start + 6 * s);
	assert_int_equal(sample.cpu, 8000);
	assert_false(hc_sample_due(&sample, 8 * s, start + 12 * s - 1));
	/* What isn't what it should be leaves the interval as it was. */
	hc_sample_take(&sample, "cpu 1", start + 14 * s);
	assert_int_equal(sample.cpu, HC_LOAD_UNKNOWN);
	assert_true(hc_sample_due(&sample, 8 * s, start + 14 * s));
	hc_sample_take(&sample, "cpu 390 0 0 810 0 0 0 0", start + 15 * s);
	assert_int_equal(sample.cpu, 1000);
}

static void test_memory(void **state)
{
	assert_int_equal(hc_memory_used("MemTotal:       1000 kB\n"
					"MemFree:         100 kB\n"
					"MemAvailable:    250 kB\n"),
			 7500);
	assert_int_equal(hc_memory_used("MemAvailable: 0 kB\nMemTotal: 3 kB\n"),
			 10000);
	assert_int_equal(hc_memory_used("MemTotal: 3\nMemAvailable: 3\n"), 0);
	assert_int_equal(hc_memory_used("MemTotal: 3\nMemAvailable: 4\n"),
			 HC_LOAD_UNKNOWN);
	assert_int_equal(hc_memory_used("MemTotal: 0\nMemAvailable: 0\n"),
			 HC_LOAD_UNKNOWN);
	assert_int_equal(hc_memory_used("MemTotal: 5\n"), HC_LOAD_UNKNOWN);
	assert_int_equal(hc_memory_used("MemTotal: x\nMemAvailable: 4\n"),
			 HC_LOAD_UNKNOWN);
	assert_int_equal(hc_memory_used("OtherMemTotal: 5\nMemAvailable: 1\n"),
			 HC_LOAD_UNKNOWN);
	assert_int_equal(hc_memory_used(""), HC_LOAD_UNKNOWN);
}

/* The real ones. */
static void test_proc(void **state)
{
	char text[4096] = {};
	struct hc_cpu cpu;
	FILE *f = fopen("/proc/stat", "r");

	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_true(hc_cpu_parse(text, &cpu));
	assert_true(cpu.total > cpu.idle);
	memset(text, 0, sizeof(text));
	f = fopen("/proc/meminfo", "r");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_between(hc_memory_used(text), 1, 9999);
}

static void test_source(void **state)
{
	struct hc_source source = {};

	assert_false(source.known);
	hc_source_bad(&source);
	assert_false(source.known);
	hc_source_good(&source, 5);
	for (int i = 0; i < HC_SOURCE_INTERVALS - 1; i++) {
		hc_source_bad(&source);
		assert_true(source.known);
		assert_int_equal(source.value, 5);
	}
	for (int i = 0; i < 300; i++) {
		hc_source_bad(&source);
		assert_false(source.known);
	}
	/* Failures count in a row. */
	for (int i = 0; i < 10; i++) {
		hc_source_good(&source, 7);
		hc_source_bad(&source);
		hc_source_bad(&source);
		assert_true(source.known);
	}
}

/* -- routes -- */

static struct hc_routes *routes;
/* More than any test but one has. */
#define ROUTES_MAX 2000

static int setup(void **state)
{
	routes = hc_routes_new(ROUTES_MAX);
	return 0;
}

static int teardown(void **state)
{
	hc_routes_free(&routes);
	hc_routes_free(&routes);
	return 0;
}

static struct hc_prefix prefix(const char *text, unsigned int len)
{
	struct ipaddr ip = addr(text);
	struct hc_prefix made;

	assert_true(hc_prefix_make(&ip, len, &made));
	return made;
}

static void add(const char *text, unsigned int len, uint32_t tag, int64_t now)
{
	struct hc_prefix p = prefix(text, len);

	hc_routes_add(routes, &p, tag, now);
}

static void del(const char *text, unsigned int len, int64_t now)
{
	struct hc_prefix p = prefix(text, len);

	hc_routes_del(routes, &p, now);
}

static uint32_t count(int64_t now)
{
	uint32_t n;

	assert_true(hc_routes_count(routes, now, &n));
	assert_true(hc_routes_count(routes, now, NULL));
	return n;
}

static void test_unknown(void **state)
{
	/* Before zebra begins. */
	assert_false(hc_routes_count(routes, 100 * S, NULL));
	assert_int_equal(hc_routes_due(routes, 100 * S), INT64_MAX);
	add("10.0.0.0", 8, 0, S);
	del("10.0.0.0", 8, S);
	/* Until it is quiet. */
	hc_routes_begin(routes, 10 * S);
	assert_int_equal(hc_routes_due(routes, 10 * S), 11 * S);
	add("10.0.0.0", 8, 0, 10 * S + S / 2);
	assert_false(hc_routes_count(routes, 11 * S + S / 2 - 1, NULL));
	assert_int_equal(count(11 * S + S / 2), 1);
	assert_int_equal(hc_routes_due(routes, 11 * S + S / 2), INT64_MAX);
	/* Later it stays known, however much comes. */
	hc_routes_begin(routes, 20 * S);
	for (int64_t now = 20 * S; now < 23 * S; now += S / 4) {
		add("10.0.0.0", 8, 0, now);
		assert_false(hc_routes_count(routes, now, NULL));
	}
	add("10.0.0.0", 8, 0, 23 * S);
	assert_int_equal(count(23 * S), 1);
	/* None after the beginning is a number, too. */
	hc_routes_begin(routes, 30 * S);
	assert_int_equal(count(31 * S), 0);
	hc_routes_end(routes);
	assert_false(hc_routes_count(routes, 90 * S, NULL));
}

/* More than are kept: those that are, may change and go. */
static void test_too_many_routes(void **state)
{
	char text[32];

	hc_routes_begin(routes, S);
	for (int i = 0; i < ROUTES_MAX + 50; i++) {
		snprintf(text, sizeof(text), "10.%d.%d.0", i / 256, i % 256);
		add(text, 24, 0, S);
	}
	assert_int_equal(count(5 * S), ROUTES_MAX);
	hc_routes_exclude(routes, 85);
	add("10.0.0.0", 24, 85, 5 * S);
	add("10.7.250.0", 24, 85, 5 * S);
	assert_int_equal(count(6 * S), ROUTES_MAX - 1);
	del("10.0.0.0", 24, 6 * S);
	assert_int_equal(count(7 * S), ROUTES_MAX - 1);
	add("10.200.0.0", 24, 0, 7 * S);
	assert_int_equal(count(8 * S), ROUTES_MAX);
}

static void test_exact(void **state)
{
	hc_routes_begin(routes, S);
	/* Updates and replays come as adds; so do other lengths. */
	for (int i = 0; i < 5; i++) {
		add("10.0.0.0", 8, 0, S);
		add("10.0.0.0", 16, 0, S);
		add("2001:db8::", 32, 0, S);
		add("2001:db8::", 33, 0, S);
	}
	assert_int_equal(count(5 * S), 4);
	del("10.0.0.0", 9, 5 * S);
	assert_int_equal(count(6 * S), 4);
	del("10.0.0.0", 8, 6 * S);
	del("10.0.0.0", 8, 6 * S);
	assert_int_equal(count(6 * S), 3);
	/* A new beginning forgets all. */
	hc_routes_begin(routes, 10 * S);
	add("10.0.0.0", 8, 0, 10 * S);
	assert_int_equal(count(12 * S), 1);
}

/* A sibling's sites don't hide a loss. */
static void test_excluded(void **state)
{
	hc_routes_begin(routes, S);
	hc_routes_exclude(routes, 77);
	add("10.1.0.0", 16, 77, S);
	add("10.2.0.0", 16, 78, S);
	add("10.3.0.0", 16, 0, S);
	assert_int_equal(count(5 * S), 2);
	/* The tag comes and goes with updates. */
	add("10.2.0.0", 16, 77, 5 * S);
	assert_int_equal(count(5 * S), 1);
	add("10.1.0.0", 16, 0, 5 * S);
	assert_int_equal(count(5 * S), 2);
	add("10.2.0.0", 16, 77, 5 * S);
	assert_int_equal(count(5 * S), 2);
	del("10.2.0.0", 16, 5 * S);
	assert_int_equal(count(5 * S), 2);
	/* Another tag is excluded; then none. */
	add("10.4.0.0", 16, 99, 5 * S);
	hc_routes_exclude(routes, 99);
	assert_int_equal(count(5 * S), 2);
	hc_routes_exclude(routes, 0);
	assert_int_equal(count(5 * S), 3);
	hc_routes_exclude(routes, 99);
	hc_routes_begin(routes, 6 * S);
	assert_int_equal(count(8 * S), 0);
}

/* Against a table of flags, at random. */
static void test_random(void **state)
{
	bool there[256] = {}, tagged[256] = {};
	uint32_t seed = 1, expected;

	hc_routes_begin(routes, S);
	hc_routes_exclude(routes, 5);
	for (int round = 0; round < 20000; round++) {
		struct hc_prefix p = prefix("10.0.0.0", 24);
		unsigned int i;
		bool tag;

		seed = seed * 1103515245 + 12345;
		i = seed >> 16 & 0xff;
		tag = seed >> 24 & 1;
		p.addr.ipaddr_v4.s_addr |= htonl(i << 8);
		if (seed >> 25 & 1) {
			hc_routes_add(routes, &p, tag ? 5 : 6, S);
			there[i] = true;
			tagged[i] = tag;
		} else {
			hc_routes_del(routes, &p, S);
			there[i] = false;
		}
		if (round % 50)
			continue;
		expected = 0;
		for (int k = 0; k < 256; k++)
			expected += there[k] && !tagged[k];
		assert_int_equal(count(9 * S), expected);
	}
}

#define ROUTES_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count_parse),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_proc),
		cmocka_unit_test(test_source),
		ROUTES_TEST(test_unknown),
		ROUTES_TEST(test_exact),
		ROUTES_TEST(test_too_many_routes),
		ROUTES_TEST(test_excluded),
		ROUTES_TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
