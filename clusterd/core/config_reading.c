// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libfrr tells nobody that a vty was closed.  So each tick looks whether the
 * descriptor of a reader still is the socket that it was.
 */
#include "cluster_compat.h"

#include <sys/stat.h>

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/config_readers.h"
#include "core/config_reading.h"

static struct config_readers readers = { .list = INIT_DLIST(readers.list) };
static struct event *t_tick;

static ino_t socket_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* One came to his end.  Others may have had half of theirs committed by it. */
static void reader_gone(void)
{
	if (!config_reading_now())
		cluster_event_off(t_tick);
	cluster_sched_decide();
}

static void tick(struct event *event)
{
	event_add_timer_msec(cluster_master, tick, NULL, CONFIG_READERS_TICK_MS,
			     &t_tick);
	if (config_readers_look(&readers, socket_of)) {
		flog_warn(EC_CLUSTER_CONFIG_FILE,
			  "who loaded a configuration file left before its end; going on with what arrived");
		reader_gone();
	}
	switch (config_readers_tick(&readers, running_config->version)) {
	case CONFIG_READERS_NONE:
		break;
	case CONFIG_READERS_SILENT:
		flog_warn(EC_CLUSTER_CONFIG_FILE,
			  "nothing more of a configuration file was read for %u s; deciding by what arrived",
			  CONFIG_READERS_SILENT_S);
		cluster_sched_decide();
		break;
	case CONFIG_READERS_LOST:
		flog_err(EC_CLUSTER_CONFIG_FILE,
			 "a configuration file was not read to its end within %u s of its last section; going on with what arrived",
			 CONFIG_READERS_MAX_S);
		reader_gone();
		break;
	}
}

void config_reading_alive(void)
{
	config_readers_alive(&readers, running_config->version);
}

void config_reading_begin(int fd)
{
	config_readers_begin(&readers, fd, socket_of(fd),
			     running_config->version);
	if (!t_tick)
		event_add_timer_msec(cluster_master, tick, NULL,
				     CONFIG_READERS_TICK_MS, &t_tick);
}

void config_reading_end(int fd)
{
	if (config_readers_end(&readers, fd, socket_of(fd)))
		reader_gone();
}

void config_reading_has_all(void)
{
	readers.has_all = true;
}

bool config_reading_may_write(void)
{
	return readers.has_all && !config_reading_now();
}

bool config_reading_now(void)
{
	return config_readers_any(&readers);
}

bool config_reading_half(void)
{
	return config_readers_half(&readers, running_config->version);
}

void config_reading_stop(void)
{
	if (!config_reading_now())
		return;
	config_readers_end_all(&readers);
	reader_gone();
}
