/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `show` knows of checks of type heartbeat. */
#ifndef CLUSTER_PROBE_HEARTBEAT_H
#define CLUSTER_PROBE_HEARTBEAT_H

#include "probe/probe_heartbeat_packet.h"
#include "probe/probe_heartbeat_track.h"
#include "probe/probe_type.h"

struct probe_heartbeat_view {
	enum probe_heartbeat_look look;
	int64_t heard_us;  /* monotonic; 0: none yet */
	uint64_t received; /* and believed */
	/*
	 * By reason; those that name no check (malformed, other version,
	 * unknown) are of the socket, which several probes may share.
	 */
	uint64_t rejects[PROBE_HEARTBEAT_REJECT_MAX];
};

/* false: it isn't one of this type, or hasn't begun. */
extern bool probe_heartbeat_view(const struct probe_check *check,
				 struct probe_heartbeat_view *view);

#endif /* CLUSTER_PROBE_HEARTBEAT_H */
