// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libfrr tells nobody that a vty was closed.  So each tick looks whether the
 * descriptor of a reader still is the socket that it was.
 *
 * Time without a sign of life is counted in ticks, too: while libfrr commits for
 * minutes there are none, and what it has not read yet is no silence.
 */
#include "cluster_compat.h"

#include <sys/stat.h>

#include "memory.h"
#include "typesafe.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/config_reading.h"

#define TICK_MS 100

/*
 * A vtysh that was stopped, or that waits for a daemon which hangs, must not
 * hold what the operator types meanwhile: all sessions share one candidate, so
 * that his commands commit the half of the file as well.
 */
#define SILENT_S 30
/*
 * Nothing depends on the end of the grace of sweeps and of the watchdog, and
 * vtysh sends the lines of other daemons as well: the connection should tell.
 */
#define READING_MAX_S 600

#define TICKS(s) ((s)*1000U / TICK_MS)

DEFINE_MTYPE_STATIC(CLUSTERD, READER, "Reader of a configuration file");

PREDECL_DLIST(readers);

struct reader {
	struct readers_item item;
	int fd;
	ino_t socket;
};

DECLARE_DLIST(readers, struct reader, item);

static struct readers_head readers = INIT_DLIST(readers);
static struct event *t_tick;
static unsigned int silent_ticks; /* since the last sign of life */
static uint32_t version; /* of the configuration that isn't half a one */
static bool has_all;	 /* that frr.conf has of ours */

static ino_t socket_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static void reader_free(struct reader *reader)
{
	readers_del(&readers, reader);
	XFREE(MTYPE_READER, reader);
}

static bool silent(void)
{
	return silent_ticks >= TICKS(SILENT_S);
}

/* One came to his end.  Others may have had half of theirs committed by it. */
static void reader_gone(void)
{
	if (!config_reading_now())
		cluster_event_off(t_tick);
	cluster_sched_decide();
}

static void tick_silent(void)
{
	bool half = config_reading_half();

	silent_ticks++;
	if (silent_ticks == TICKS(SILENT_S) && half) {
		flog_warn(EC_CLUSTER_CONFIG_FILE,
			  "nothing more of a configuration file was read for %u s; deciding by what arrived",
			  SILENT_S);
		cluster_sched_decide();
	} else if (silent_ticks >= TICKS(READING_MAX_S)) {
		flog_err(EC_CLUSTER_CONFIG_FILE,
			 "a configuration file was not read to its end within %u s of its last section; going on with what arrived",
			 READING_MAX_S);
		config_reading_stop();
	}
}

static void look(struct event *event)
{
	struct reader *reader;
	bool closed = false;

	event_add_timer_msec(cluster_master, look, NULL, TICK_MS, &t_tick);
	frr_each_safe (readers, &readers, reader) {
		if (socket_of(reader->fd) == reader->socket)
			continue;
		reader_free(reader);
		closed = true;
	}
	if (closed) {
		flog_warn(EC_CLUSTER_CONFIG_FILE,
			  "who loaded a configuration file left before its end; going on with what arrived");
		reader_gone();
	}
	if (config_reading_now())
		tick_silent();
}

void config_reading_alive(void)
{
	if (!config_reading_now())
		return;
	/* What was committed in the silence has been decided about. */
	if (silent())
		version = running_config->version;
	silent_ticks = 0;
}

static struct reader *reader_find(int fd)
{
	ino_t socket = socket_of(fd);
	struct reader *reader;

	frr_each (readers, &readers, reader)
		if (reader->fd == fd && reader->socket == socket)
			return reader;
	return NULL;
}

void config_reading_begin(int fd)
{
	struct reader *reader;

	if (!reader_find(fd)) {
		if (!config_reading_now()) {
			version = running_config->version;
			silent_ticks = 0;
		}
		reader = XCALLOC(MTYPE_READER, sizeof(*reader));
		reader->fd = fd;
		reader->socket = socket_of(fd);
		readers_add_tail(&readers, reader);
	}
	if (!t_tick)
		event_add_timer_msec(cluster_master, look, NULL, TICK_MS,
				     &t_tick);
	config_reading_alive();
}

void config_reading_end(int fd)
{
	struct reader *reader = reader_find(fd);

	if (!reader)
		return;
	has_all = true;
	reader_free(reader);
	reader_gone();
}

void config_reading_has_all(void)
{
	has_all = true;
}

bool config_reading_may_write(void)
{
	return has_all && !config_reading_now();
}

bool config_reading_now(void)
{
	return readers_count(&readers) != 0;
}

bool config_reading_half(void)
{
	return config_reading_now() && !silent() &&
	       running_config->version != version;
}

void config_reading_stop(void)
{
	struct reader *reader;

	if (!config_reading_now())
		return;
	while ((reader = readers_first(&readers)))
		reader_free(reader);
	reader_gone();
}
