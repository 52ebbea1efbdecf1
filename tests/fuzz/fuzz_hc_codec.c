// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as an item of hub clustering: no crash, and what is accepted is
 * encoded again as exactly what it was, less what a newer version put behind.
 * The first octet chooses the type.
 */
#include <zebra.h>

#include "hubcluster/hc_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct hc_msg msg;
	uint8_t buf[CTL_PAYLOAD_MAX];
	size_t size;

	if (!len || len > CTL_PAYLOAD_MAX)
		return 0;
	if (!hc_decode((uint16_t)(HC_ITEM_FIRST + data[0] % 16), data + 1,
		       len - 1, &msg))
		return 0;
	size = hc_encode(&msg, buf);
	if (size > len - 1 || memcmp(buf, data + 1, size))
		abort();
	return 0;
}
