/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items about tracked routes to and from structures (pure); track_wire.h
 * describes them.
 */
#ifndef TRACK_CODEC_H
#define TRACK_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "track/track_wire.h"

#define TRACK_ITEM_LEN_MAX (3 + TRACK_NAME_LEN - 1)

struct track_word {
	char name[TRACK_NAME_LEN];
	enum track_level levels[2]; /* IPv4, IPv6 */
};

/* The length.  The name must be valid. */
extern size_t track_encode(const struct track_word *word,
			   uint8_t buf[TRACK_ITEM_LEN_MAX]);
/* False if it is malformed or of an unknown type; then `word` is undefined. */
extern bool track_decode(uint16_t type, const uint8_t *data, size_t len,
			 struct track_word *word);
/* "none", "unreachable", "worse", "reachable" */
extern const char *track_level_name(enum track_level level);

#endif /* TRACK_CODEC_H */
