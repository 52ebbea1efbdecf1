// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as a heartbeat: no read past its end, and what is taken for one
 * comes out of its own parts the same, but for the HMAC.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_heartbeat_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t built[PROBE_HEARTBEAT_MAX];
	/* An allocation of exactly that size shows every read behind it. */
	uint8_t *exact = malloc(len ? len : 1);
	struct probe_heartbeat_guard guard;
	struct probe_heartbeat beat;
	int64_t wall_us;

	memcpy(exact, data, len);
	if (probe_heartbeat_parse(exact, len, &beat) == PROBE_HEARTBEAT_GOOD) {
		assert(probe_heartbeat_build(&beat, built) == len);
		assert(memcmp(built, exact, len - PROBE_HEARTBEAT_MAC) == 0);
		/* Whatever our clock says: once at most. */
		memcpy(&wall_us, exact + len - sizeof(wall_us), sizeof(wall_us));
		wall_us &= INT64_MAX >> 1;
		probe_heartbeat_guard_init(&guard, 0);
		(void)probe_heartbeat_accept(&guard, beat.time_us, wall_us);
		assert(probe_heartbeat_accept(&guard, beat.time_us, wall_us) !=
		       PROBE_HEARTBEAT_GOOD);
	}
	free(exact);
	return 0;
}
