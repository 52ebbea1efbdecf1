// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "probe/probe_heartbeat_track.h"

void probe_heartbeat_track_init(struct probe_heartbeat_track *track,
				uint8_t rise, int64_t window_us, int64_t now_us)
{
	memset(track, 0, sizeof(*track));
	track->rise = rise;
	track->window_us = window_us;
	track->began_us = now_us;
}

/* They come, and none is overdue. */
static bool alive(const struct probe_heartbeat_track *track, int64_t now_us)
{
	return track->beats > 0 && now_us - track->heard_us <= track->window_us;
}

void probe_heartbeat_heard(struct probe_heartbeat_track *track, bool up,
			   int64_t now_us)
{
	if (!alive(track, now_us)) {
		track->beats = 0;
		track->up = false;
	}
	track->heard_us = now_us;
	track->goodbye = !up;
	if (!up)
		track->beats = 0;
	else if (track->beats < track->rise)
		track->beats++;
}

enum probe_heartbeat_look
probe_heartbeat_look(struct probe_heartbeat_track *track, int64_t now_us)
{
	bool early = !track->decided &&
		     now_us - track->began_us <= track->window_us;
	enum probe_heartbeat_look look;

	if (track->goodbye)
		look = PROBE_HEARTBEAT_GOODBYE;
	else if (alive(track, now_us) &&
		 (track->up || track->beats >= track->rise))
		look = PROBE_HEARTBEAT_UP;
	else if (early)
		return PROBE_HEARTBEAT_WAITING;
	else if (alive(track, now_us))
		look = PROBE_HEARTBEAT_RISING;
	else
		look = PROBE_HEARTBEAT_MISSING;
	track->decided = true;
	track->up = look == PROBE_HEARTBEAT_UP;
	if (look == PROBE_HEARTBEAT_MISSING)
		track->beats = 0;
	return look;
}

int64_t probe_heartbeat_due_us(const struct probe_heartbeat_track *track)
{
	if (track->goodbye)
		return INT64_MAX;
	if (!track->decided)
		return track->began_us + track->window_us + 1;
	if (track->beats == 0)
		return INT64_MAX;
	return track->heard_us + track->window_us + 1;
}

const char *probe_heartbeat_look_str(enum probe_heartbeat_look look)
{
	static const char *const words[PROBE_HEARTBEAT_LOOKS] = {
		[PROBE_HEARTBEAT_WAITING] = "waiting",
		[PROBE_HEARTBEAT_UP] = "up",
		[PROBE_HEARTBEAT_RISING] = "rising",
		[PROBE_HEARTBEAT_MISSING] = "missing",
		[PROBE_HEARTBEAT_GOODBYE] = "goodbye",
	};

	return words[look];
}
