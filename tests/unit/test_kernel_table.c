// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel has, by interface. */
#include <zebra.h>

#include "memory.h"

#include "core/kernel_table.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

#define MANY 10000

static int setup(void **state)
{
	*state = kernel_table_new();
	return 0;
}

static int teardown(void **state)
{
	struct kernel_table *table = *state;

	kernel_table_free(&table);
	assert_null(table);
	kernel_table_free(&table);
	return 0;
}

static void test_links(void **state)
{
	struct kernel_table *table = *state;
	unsigned int flags = 0;

	assert_false(kernel_table_link(table, "eth0", 2, &flags));
	kernel_table_add_link(table, "eth0", 2, 0x41);
	kernel_table_add_link(table, "eth1", 3, 0x1);
	assert_true(kernel_table_link(table, "eth0", 2, &flags));
	assert_int_equal(flags, 0x41);
	assert_true(kernel_table_link(table, "eth1", 3, &flags));
	assert_int_equal(flags, 0x1);
	/* Another one by that name. */
	assert_false(kernel_table_link(table, "eth1", 4, &flags));
	assert_false(kernel_table_link(table, "eth", 2, &flags));
}

/* A tunnel without a hardware address has no index here. */
static void test_link_without_index(void **state)
{
	struct kernel_table *table = *state;
	unsigned int flags = 0;

	kernel_table_add_link(table, "tun0", 0, 0x1);
	assert_true(kernel_table_link(table, "tun0", 7, &flags));
	assert_int_equal(flags, 0x1);
	/* What says more stays, whichever comes first. */
	kernel_table_add_link(table, "tun0", 8, 0x41);
	assert_false(kernel_table_link(table, "tun0", 7, &flags));
	assert_true(kernel_table_link(table, "tun0", 8, &flags));
	assert_int_equal(flags, 0x41);
	kernel_table_add_link(table, "tun0", 0, 0);
	assert_true(kernel_table_link(table, "tun0", 8, &flags));
	assert_int_equal(flags, 0x41);
}

static void test_addresses(void **state)
{
	struct kernel_table *table = *state;
	struct ipaddr v4 = addr("192.0.2.1"), v6 = addr("2001:db8::1");
	struct ipaddr labelled = addr("192.0.2.2");

	assert_false(kernel_table_has_address(table, "eth0", &v4));
	kernel_table_add_address(table, "eth0", &v4);
	kernel_table_add_address(table, "eth0", &v6);
	kernel_table_add_address(table, "eth0:1", &labelled);
	/* 192.0.2.1/24 and 192.0.2.1/32 */
	kernel_table_add_address(table, "eth0", &v4);
	assert_true(kernel_table_has_address(table, "eth0", &v4));
	assert_true(kernel_table_has_address(table, "eth0", &v6));
	assert_true(kernel_table_has_address(table, "eth0", &labelled));
	assert_false(kernel_table_has_address(table, "eth1", &v4));
	assert_false(kernel_table_has_address(table, "eth", &v4));
	v4 = addr("192.0.2.3");
	assert_false(kernel_table_has_address(table, "eth0", &v4));
}

/* The same address on several interfaces: each by itself. */
static void test_shared(void **state)
{
	struct kernel_table *table = *state;
	struct ipaddr local = addr("fe80::1");

	kernel_table_add_address(table, "eth0", &local);
	kernel_table_add_address(table, "eth1", &local);
	assert_true(kernel_table_has_address(table, "eth0", &local));
	assert_true(kernel_table_has_address(table, "eth1", &local));
	assert_false(kernel_table_has_address(table, "eth2", &local));
}

static struct ipaddr number(unsigned int i, bool v6)
{
	struct ipaddr ip = addr(v6 ? "2001:db8::" : "10.0.0.0");

	if (v6)
		ip.ipaddr_v6.s6_addr32[3] = htonl(i);
	else
		ip.ipaddr_v4.s_addr = htonl(0x0a000000 + i);
	return ip;
}

/* Every other one of so many that each question has to be a quick one. */
static void test_many(void **state)
{
	struct kernel_table *table = *state;

	for (unsigned int i = 0; i < MANY; i += 2) {
		struct ipaddr v4 = number(i, false), v6 = number(i, true);

		kernel_table_add_address(table, "eth0", &v4);
		kernel_table_add_address(table, "eth0", &v6);
	}
	for (unsigned int i = 0; i < MANY; i++) {
		struct ipaddr v4 = number(i, false), v6 = number(i, true);

		assert_int_equal(kernel_table_has_address(table, "eth0", &v4),
				 i % 2 == 0);
		assert_int_equal(kernel_table_has_address(table, "eth0", &v6),
				 i % 2 == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link_without_index, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shared, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
