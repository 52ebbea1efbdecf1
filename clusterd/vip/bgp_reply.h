/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers of a daemon's vty (pure): text, then NUL NUL NUL and a status.  The
 * text itself has no NUL.
 */
#ifndef CLUSTER_BGP_REPLY_H
#define CLUSTER_BGP_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest route-map that there can be takes less. */
#define BGP_REPLY_MAX (64 * 1024 * 1024)

enum bgp_reply_result {
	BGP_REPLY_MORE, /* not complete yet */
	BGP_REPLY_DONE, /* `data` is the text, with a NUL behind it */
	BGP_REPLY_BAD,	/* no answer to one command, or too long */
};

/* {} is empty. */
struct bgp_reply {
	char *data;
	size_t len, size;
	uint8_t status; /* 0: success; once it is complete */
};

/* Takes what was received; not after DONE or BAD. */
extern enum bgp_reply_result bgp_reply_feed(struct bgp_reply *reply,
					    const char *bytes, size_t n);
/* Ready for the next answer; keeps no memory. */
extern void bgp_reply_clear(struct bgp_reply *reply);

#endif /* CLUSTER_BGP_REPLY_H */
