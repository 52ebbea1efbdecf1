// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include <uuid/uuid.h>

#include "core/ctl_id.h"

_Static_assert(sizeof(uuid_t) == CTL_ID_LEN, "libuuid's type is the bytes");

int ctl_id_cmp(const struct ctl_id *a, const struct ctl_id *b)
{
	return memcmp(a->bytes, b->bytes, CTL_ID_LEN);
}

bool ctl_id_is_null(const struct ctl_id *id)
{
	return uuid_is_null(id->bytes) == 1;
}

bool ctl_id_parse(const char *text, struct ctl_id *id)
{
	uuid_t bytes;

	if (uuid_parse(text, bytes))
		return false;
	memcpy(id->bytes, bytes, CTL_ID_LEN);
	return true;
}

const char *ctl_id_format(const struct ctl_id *id, char text[CTL_ID_TEXT_LEN])
{
	uuid_unparse_lower(id->bytes, text);
	return text;
}
