// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cluster_text.h"

/* Octets of a character with that first octet; 0: none begins so. */
static size_t length_of(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	if (first >= 0xf0 && first < 0xf5)
		return 4;
	return 0;
}

/* A character that XML, and with it YANG, has, and that isn't a control. */
static bool usable(uint32_t character)
{
	if (character < 0x20 || (character >= 0x7f && character < 0xa0))
		return false;
	if (character >= 0xd800 && character < 0xe000)
		return false; /* a half of UTF-16 */
	if (character >= 0xfdd0 && character < 0xfdf0)
		return false;
	return (character & 0xfffe) != 0xfffe && character < 0x110000;
}

bool cluster_text_valid(const char *text)
{
	/* smallest character of so many octets */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	while (*text) {
		uint8_t octet = (uint8_t)*text++;
		size_t length = length_of(octet);
		uint32_t character = octet;

		if (!length)
			return false;
		if (length > 1)
			character &= 0x7fu >> length;
		for (size_t i = 1; i < length; i++) {
			octet = (uint8_t)*text;
			/* Neither has a NUL, so nothing is read behind it. */
			if ((octet & 0xc0) != 0x80)
				return false;
			text++;
			character = character << 6 | (octet & 0x3f);
		}
		if (character < least[length] || !usable(character))
			return false;
	}
	return true;
}

bool cluster_text_filters(const char *text)
{
	return strstr(text, "| ") != NULL;
}
