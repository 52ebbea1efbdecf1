// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bgpd's module touches only a queue that is exactly as bgpd makes it.
 */
#include "cluster_compat.h"

#include "bgp-module/queue_guard.h"

#include "unit.h"

#define WANTED 2

static wq_item_status work(struct work_queue *queue, void *data)
{
	return WQ_SUCCESS;
}

/* As bgp_process_queue_init() makes it. */
static struct work_queue stock(void)
{
	static char name[] = "process_queue VRF default";
	struct work_queue queue = { .name = name };

	queue.spec.workfunc = work;
	queue.spec.hold = 50;
	queue.spec.yield = 50 * 1000UL;
	return queue;
}

static void test_stock(void **state)
{
	struct work_queue queue = stock();

	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_STOCK);
}

static void test_ours(void **state)
{
	struct work_queue queue = stock();

	for (unsigned int hold = 1; hold < HOLD_STOCK; hold++) {
		queue.spec.hold = hold;
		assert_int_equal(queue_guard(&queue, hold), QUEUE_OURS);
		assert_int_equal(queue_guard(&queue, hold + 1), QUEUE_UNKNOWN);
	}
}

static void test_anything_else(void **state)
{
	static char other[] = "route_node processing";
	static char nearly[] = "process_queues of something";
	struct work_queue queue;

	assert_int_equal(queue_guard(NULL, WANTED), QUEUE_UNKNOWN);
	queue = stock();
	queue.name = NULL;
	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_UNKNOWN);
	queue.name = other;
	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_UNKNOWN);
	queue.name = nearly;
	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_UNKNOWN);
	queue = stock();
	queue.spec.workfunc = NULL;
	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_UNKNOWN);
	queue = stock();
	queue.spec.yield = 10 * 1000UL;
	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_UNKNOWN);
	queue = stock();
	queue.spec.hold = 10; /* zebra's */
	assert_int_equal(queue_guard(&queue, WANTED), QUEUE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stock),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_anything_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
