/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who reads a configuration file now, for how long nothing has come of it, and
 * whether a part of it has been committed (pure; config_reading.h is what the
 * daemon asks).  A reader is a connection's descriptor, and the socket behind
 * it: the number is given again when it was closed.
 *
 * Time is counted in ticks, for which the loop must run: while libfrr commits for
 * minutes there are none, and what it has not read yet is no silence.
 */
#ifndef CLUSTER_CONFIG_READERS_H
#define CLUSTER_CONFIG_READERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "typesafe.h"

#define CONFIG_READERS_TICK_MS 100

/*
 * A vtysh that was stopped, or that waits for a daemon which hangs, must not
 * hold what the operator types meanwhile: all sessions share one candidate, so
 * that his commands commit the half of the file as well.
 */
#define CONFIG_READERS_SILENT_S 30
/*
 * Nothing depends on the end of the grace of sweeps and of the watchdog, and
 * vtysh sends the lines of other daemons as well: the connection should tell.
 */
#define CONFIG_READERS_MAX_S 600

PREDECL_DLIST(config_reader_list);

/* .list = INIT_DLIST() to begin with, else zeroes. */
struct config_readers {
	struct config_reader_list_head list;
	unsigned int silent_ticks; /* since the last sign of life */
	uint32_t version; /* of the configuration that isn't half a one */
	bool has_all;	  /* a file was read to its end */
};

enum config_readers_news {
	CONFIG_READERS_NONE,
	CONFIG_READERS_SILENT, /* decide by the part that was committed */
	CONFIG_READERS_LOST,   /* nobody is left */
};

/*
 * `version`, here and below: the number of the running configuration now.  Who
 * begins twice is one reader.
 */
extern void config_readers_begin(struct config_readers *readers, int fd,
				 ino_t socket, uint32_t version);

/* Returns whether he was one. */
extern bool config_readers_end(struct config_readers *readers, int fd,
			       ino_t socket);
extern void config_readers_end_all(struct config_readers *readers);

/*
 * Those whose descriptor is another socket by now have gone; returns whether
 * there was one.
 */
extern bool config_readers_look(struct config_readers *readers,
				ino_t (*socket_of)(int fd));

/* To be called every CONFIG_READERS_TICK_MS while anybody reads. */
extern enum config_readers_news
config_readers_tick(struct config_readers *readers, uint32_t version);

/* A sign of life of anybody's file. */
extern void config_readers_alive(struct config_readers *readers,
				 uint32_t version);

/* Somebody reads; and a part has been committed that is to wait for the rest. */
extern bool config_readers_any(const struct config_readers *readers);
extern bool config_readers_half(const struct config_readers *readers,
				uint32_t version);

#endif /* CLUSTER_CONFIG_READERS_H */
