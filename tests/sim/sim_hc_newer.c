// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "sim_hc_newer.h"

/* Behind the cluster's ID, in most. */
#define FLAGS_AT CTL_ID_LEN
/* Of assign: cluster, token, sequence. */
#define WHY_AT (CTL_ID_LEN + 4 + 4)

/* A flag of attach that is known says that the edge has another hub. */
#define UNKNOWN_FLAGS 0xf8

size_t sim_hc_newer(uint16_t type, const uint8_t *data, size_t len,
		    uint8_t buf[SIM_HC_NEWER_MAX])
{
	memcpy(buf, data, len);
	memset(buf + len, UNKNOWN_FLAGS, SIM_HC_NEWER_MAX - len);
	switch (type) {
	case HC_ITEM_NODE:
		buf[0] |= UNKNOWN_FLAGS;
		break;
	case HC_ITEM_REPORT:
	case HC_ITEM_EDGE:
	case HC_ITEM_PLACE:
		buf[FLAGS_AT] |= UNKNOWN_FLAGS;
		break;
	case HC_ITEM_ASSIGN:
		buf[WHY_AT] |= 0x40;
		break;
	default:
		break;
	}
	return len + SIM_HC_NEWER_MAX - CTL_PAYLOAD_MAX;
}
