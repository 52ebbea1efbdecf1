// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "core/ctl_replay.h"

static uint64_t bit(uint64_t seq)
{
	return UINT64_C(1) << (seq % 64);
}

static uint64_t *word(struct ctl_replay *replay, uint64_t seq)
{
	return &replay->bits[seq % CTL_REPLAY_WINDOW / 64];
}

bool ctl_replay_accept(struct ctl_replay *replay, uint64_t seq)
{
	if (!seq)
		return false;
	if (seq <= replay->top) {
		if (replay->top - seq >= CTL_REPLAY_WINDOW ||
		    *word(replay, seq) & bit(seq))
			return false;
		*word(replay, seq) |= bit(seq);
		return true;
	}
	/* The slots between the old and the new top belong to new numbers. */
	if (seq - replay->top >= CTL_REPLAY_WINDOW)
		memset(replay->bits, 0, sizeof(replay->bits));
	else
		for (uint64_t i = replay->top + 1; i < seq; i++)
			*word(replay, i) &= ~bit(i);
	*word(replay, seq) |= bit(seq);
	replay->top = seq;
	return true;
}
