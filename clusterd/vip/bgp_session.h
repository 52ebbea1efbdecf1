/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session at bgpd's vty: a Unix socket in FRR's vty folder, as vtysh uses it.
 * A command ends with a NUL; bgp_reply.h tells of the answer.  One command is on
 * its way at a time, so that nothing has to be queued.
 */
#ifndef CLUSTER_BGP_SESSION_H
#define CLUSTER_BGP_SESSION_H

#include "vip/bgp_map.h"
#include "vip/bgp_reply.h"

struct event;

/* Static or part of its user's; all zero but the two callbacks, and fd -1. */
struct bgp_session {
	/*
	 * An answer, `text` is valid during the call: send the next command, or
	 * close.  Called from the event loop only, as is `lost`.
	 */
	void (*answer)(struct bgp_session *session, const char *text,
		       uint8_t status);
	/* bgpd has gone, or talks nonsense; the session is closed already. */
	void (*lost)(struct bgp_session *session);

	int fd; /* -1: closed */
	struct event *t_read, *t_write, *t_closed;
	struct bgp_reply reply;
	char command[BGP_MAP_COMMAND_LEN];
	size_t command_len, command_sent;
};

/*
 * False: nobody listens.  `since_us` (may be NULL) gets when the socket
 * appeared, on the monotonic clock.
 */
extern bool bgp_session_open(struct bgp_session *session, int64_t *since_us);
/* Not before the answer to the last command has come. */
extern void bgp_session_send(struct bgp_session *session, const char *command);
extern void bgp_session_close(struct bgp_session *session);

#endif /* CLUSTER_BGP_SESSION_H */
