/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracked routes as a capability of the control protocol: what this node tells
 * all others, and what they have said.
 */
#ifndef TRACK_CTL_H
#define TRACK_CTL_H

#include "track/track_heard.h"
#include "track/track_told.h"

/* Ordered by name; everybody with a session is told what differs. */
extern void track_ctl_tell(const struct track_word *words, size_t n);

/*
 * How the gateway reaches its routes of that track and family (0: IPv4); `why`
 * gets a text unless that is TRACK_GATEWAY_UP.
 */
extern enum track_gateway track_ctl_gateway(const struct ctl_id *gateway,
					    const char *track,
					    unsigned int family, char *why,
					    size_t len);

/* For show: read only. */
extern const struct track_told *track_ctl_told(void);
extern const struct track_heard *track_ctl_heard(void);

/* Registers the capability; after control_init(). */
extern void track_ctl_init(void);
/* After control_fini(). */
extern void track_ctl_fini(void);

#endif /* TRACK_CTL_H */
