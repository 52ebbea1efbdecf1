// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers of configuration files: who is one until when, what half a file is,
 * and what silence ends.
 */
#include <zebra.h>

#include "memory.h"

#include "core/config_readers.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define TICKS_PER_S (1000 / CONFIG_READERS_TICK_MS)

enum { FD = 7, OTHER_FD = 8, SOCKET = 1000, OTHER_SOCKET = 1001 };

/* The version of the configuration: before all, and after each commit. */
enum { BEFORE = 5, PART, MORE };

/* What lies behind the descriptors. */
static ino_t sockets[16];

static ino_t socket_of(int fd)
{
	return fd >= 0 ? sockets[fd] : 0;
}

static int setup(void **state)
{
	static struct config_readers readers;

	readers = (struct config_readers){
		.list = INIT_DLIST(readers.list),
	};
	sockets[FD] = SOCKET;
	sockets[OTHER_FD] = OTHER_SOCKET;
	*state = &readers;
	return 0;
}

static int teardown(void **state)
{
	config_readers_end_all(*state);
	return 0;
}

/* So many ticks without a word that nobody tells of. */
static void run(struct config_readers *readers, unsigned int ticks,
		uint32_t version)
{
	while (ticks--)
		assert_int_equal(config_readers_tick(readers, version),
				 CONFIG_READERS_NONE);
}

static void test_whole(void **state)
{
	struct config_readers *readers = *state;

	assert_false(config_readers_any(readers));
	assert_false(config_readers_half(readers, BEFORE));
	config_readers_begin(readers, FD, SOCKET, BEFORE);
	assert_true(config_readers_any(readers));
	/* Without changes it holds nothing. */
	assert_false(config_readers_half(readers, BEFORE));
	assert_true(config_readers_half(readers, PART));
	assert_false(readers->has_all);
	assert_true(config_readers_end(readers, FD, SOCKET));
	assert_true(readers->has_all);
	assert_false(config_readers_any(readers));
	assert_false(config_readers_half(readers, PART));
	assert_false(config_readers_end(readers, FD, SOCKET));
	/* What was committed between two files belongs to none. */
	config_readers_begin(readers, FD, SOCKET, MORE);
	assert_false(config_readers_half(readers, MORE));
}

/* Without readers no tick tells anything, nor does a sign of life matter. */
static void test_nobody(void **state)
{
	struct config_readers *readers = *state;

	run(readers, CONFIG_READERS_MAX_S * TICKS_PER_S, PART);
	assert_false(config_readers_look(readers, socket_of));
	config_readers_alive(readers, PART);
	config_readers_begin(readers, FD, SOCKET, BEFORE);
	assert_true(config_readers_half(readers, PART));
}

/* The mark for the beginning comes twice: one end is enough. */
static void test_twice(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	config_readers_begin(readers, FD, SOCKET, PART);
	assert_true(config_readers_half(readers, PART));
	assert_true(config_readers_end(readers, FD, SOCKET));
	assert_false(config_readers_any(readers));
}

/* The commits of one are half of the other one's, until both have ended. */
static void test_two(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	config_readers_begin(readers, OTHER_FD, OTHER_SOCKET, PART);
	assert_true(config_readers_end(readers, FD, SOCKET));
	assert_true(config_readers_half(readers, PART));
	assert_true(config_readers_end(readers, OTHER_FD, OTHER_SOCKET));
	assert_false(config_readers_half(readers, PART));
}

/* An end that belongs to somebody else's connection is none. */
static void test_wrong_end(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	assert_false(config_readers_end(readers, OTHER_FD, SOCKET));
	assert_false(config_readers_end(readers, FD, OTHER_SOCKET));
	assert_true(config_readers_any(readers));
	assert_false(readers->has_all);
}

/* Closed, and closed with the number given to another connection. */
static void test_left(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	config_readers_begin(readers, OTHER_FD, OTHER_SOCKET, BEFORE);
	assert_false(config_readers_look(readers, socket_of));
	sockets[FD] = 0;
	assert_true(config_readers_look(readers, socket_of));
	assert_false(config_readers_look(readers, socket_of));
	assert_true(config_readers_half(readers, PART));
	sockets[OTHER_FD] = SOCKET;
	assert_true(config_readers_look(readers, socket_of));
	assert_false(config_readers_any(readers));
	/* Neither read his file to its end. */
	assert_false(readers->has_all);
}

/* A descriptor that isn't known is never missed. */
static void test_unknown(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, -1, socket_of(-1), BEFORE);
	assert_false(config_readers_look(readers, socket_of));
	assert_true(config_readers_end(readers, -1, socket_of(-1)));
}

/* 30 s: decided by the half, told once, and again if more is committed then. */
static void test_silent(void **state)
{
	const unsigned int silent = CONFIG_READERS_SILENT_S * TICKS_PER_S;
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	run(readers, silent - 1, PART);
	assert_true(config_readers_half(readers, PART));
	assert_int_equal(config_readers_tick(readers, PART),
			 CONFIG_READERS_SILENT);
	assert_false(config_readers_half(readers, PART));
	/* He reads on, for all that is known. */
	assert_true(config_readers_any(readers));
	run(readers, silent, MORE);
	assert_false(config_readers_half(readers, MORE));
	/* What was committed meanwhile is no half any more. */
	config_readers_alive(readers, MORE);
	assert_false(config_readers_half(readers, MORE));
	assert_true(config_readers_half(readers, MORE + 1));
	run(readers, silent - 1, MORE + 1);
	assert_int_equal(config_readers_tick(readers, MORE + 1),
			 CONFIG_READERS_SILENT);
}

/* Nothing was held: nothing to tell. */
static void test_silent_without_changes(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	run(readers, 2 * CONFIG_READERS_SILENT_S * TICKS_PER_S, BEFORE);
	/* The next file's beginning is a sign of life, too. */
	config_readers_begin(readers, OTHER_FD, OTHER_SOCKET, BEFORE);
	assert_true(config_readers_half(readers, PART));
}

/* Signs of life in time: held for as long as it takes. */
static void test_alive(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	for (int i = 0; i < 100; i++) {
		run(readers, CONFIG_READERS_SILENT_S * TICKS_PER_S - 1, PART);
		config_readers_alive(readers, PART);
		assert_true(config_readers_half(readers, PART));
	}
}

/* Ten minutes: nobody reads any more, whoever began. */
static void test_lost(void **state)
{
	struct config_readers *readers = *state;
	unsigned int ticks = CONFIG_READERS_MAX_S * TICKS_PER_S;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	config_readers_begin(readers, OTHER_FD, OTHER_SOCKET, BEFORE);
	run(readers, ticks - 1, BEFORE);
	config_readers_alive(readers, BEFORE);
	run(readers, ticks - 1, BEFORE);
	assert_true(config_readers_any(readers));
	assert_int_equal(config_readers_tick(readers, BEFORE),
			 CONFIG_READERS_LOST);
	assert_false(config_readers_any(readers));
	assert_false(readers->has_all);
	run(readers, ticks, BEFORE);
}

static void test_end_all(void **state)
{
	struct config_readers *readers = *state;

	config_readers_begin(readers, FD, SOCKET, BEFORE);
	config_readers_begin(readers, OTHER_FD, OTHER_SOCKET, BEFORE);
	config_readers_end_all(readers);
	assert_false(config_readers_any(readers));
	assert_false(config_readers_half(readers, PART));
}

#define readers_test(name)                                                     \
	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		readers_test(test_whole),
		readers_test(test_nobody),
		readers_test(test_twice),
		readers_test(test_two),
		readers_test(test_wrong_end),
		readers_test(test_left),
		readers_test(test_unknown),
		readers_test(test_silent),
		readers_test(test_silent_without_changes),
		readers_test(test_alive),
		readers_test(test_lost),
		readers_test(test_end_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
