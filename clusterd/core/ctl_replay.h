/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each sequence number once: a window below the highest that was seen, so that
 * reordering on the way and between links does no harm (pure).
 */
#ifndef CTL_REPLAY_H
#define CTL_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#define CTL_REPLAY_WINDOW 256 /* numbers below the highest */

struct ctl_replay { /* all zeroes: nothing seen */
	uint64_t top;
	uint64_t bits[CTL_REPLAY_WINDOW / 64]; /* by number % window */
};

/*
 * True the first time.  False for 0, for what was seen and for what is too old
 * to tell.  Only for authenticated numbers: it moves the window.
 */
extern bool ctl_replay_accept(struct ctl_replay *replay, uint64_t seq);

#endif /* CTL_REPLAY_H */
