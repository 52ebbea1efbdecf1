// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as an item about tracked routes: no crash, and what is accepted is
 * encoded again as exactly what it was, less what a newer version put behind
 * and levels that only a newer version knows.
 */
#include <zebra.h>

#include "track/track_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t buf[TRACK_ITEM_LEN_MAX];
	struct track_word word;
	size_t size;

	if (!track_decode(TRACK_ITEM_TRACK, data, len, &word))
		return 0;
	size = track_encode(&word, buf);
	if (size > len || memcmp(buf + 2, data + 2, size - 2))
		abort();
	for (int i = 0; i < 2; i++)
		if (buf[i] !=
		    (data[i] < TRACK_LEVELS ? data[i] : TRACK_LEVEL_UNREACHABLE))
			abort();
	return 0;
}
