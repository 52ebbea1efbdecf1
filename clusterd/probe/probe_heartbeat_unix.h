/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Unix datagram socket of heartbeat probes: a file that anybody may write
 * to, since the key tells who is believed; its folder says who gets there.
 *
 * What is left of a clusterd that was killed is replaced; the socket of
 * somebody who listens, and what is no socket, is not touched.
 */
#ifndef CLUSTER_PROBE_HEARTBEAT_UNIX_H
#define CLUSTER_PROBE_HEARTBEAT_UNIX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct probe_heartbeat_unix {
	const char *path;
	int fd;	   /* -1: closed */
	dev_t dev; /* the file that is ours */
	ino_t ino;
};

/* `path` stays the caller's; false: `why` gets a text. */
extern bool probe_heartbeat_unix_open(struct probe_heartbeat_unix *sock,
				      const char *path, char *why,
				      size_t why_len);
/* Its file is still there, and is ours. */
extern bool probe_heartbeat_unix_there(const struct probe_heartbeat_unix *sock);
/* Closes it, and removes the file if it is ours. */
extern void probe_heartbeat_unix_close(struct probe_heartbeat_unix *sock);

#endif /* CLUSTER_PROBE_HEARTBEAT_UNIX_H */
