// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "track/track_codec.h"

static bool alnum(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* As cluster_name_valid() wants it: it is compared with such, and shown. */
static bool name_valid(const uint8_t *name, size_t len)
{
	if (!len || len >= TRACK_NAME_LEN || !alnum(name[0]))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!alnum(name[i]) && name[i] != '.' && name[i] != '_' &&
		    name[i] != ':' && name[i] != '-')
			return false;
	return true;
}

static enum track_level level_of(uint8_t octet)
{
	return octet < TRACK_LEVELS ? (enum track_level)octet
				    : TRACK_LEVEL_UNREACHABLE;
}

size_t track_encode(const struct track_word *word,
		    uint8_t buf[TRACK_ITEM_LEN_MAX])
{
	size_t len = strnlen(word->name, TRACK_NAME_LEN - 1);

	buf[0] = (uint8_t)word->levels[0];
	buf[1] = (uint8_t)word->levels[1];
	buf[2] = (uint8_t)len;
	memcpy(buf + 3, word->name, len);
	return 3 + len;
}

bool track_decode(uint16_t type, const uint8_t *data, size_t len,
		  struct track_word *word)
{
	if (type != TRACK_ITEM_TRACK || len < 3 || len < 3u + data[2] ||
	    !name_valid(data + 3, data[2]))
		return false;
	word->levels[0] = level_of(data[0]);
	word->levels[1] = level_of(data[1]);
	memset(word->name, 0, sizeof(word->name));
	memcpy(word->name, data + 3, data[2]);
	return true;
}

const char *track_level_name(enum track_level level)
{
	static const char *const names[TRACK_LEVELS] = {
		[TRACK_LEVEL_NONE] = "none",
		[TRACK_LEVEL_UNREACHABLE] = "unreachable",
		[TRACK_LEVEL_WORSE] = "worse",
		[TRACK_LEVEL_REACHABLE] = "reachable",
	};

	return names[level];
}
