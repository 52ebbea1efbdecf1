// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "vip/bgp_reply.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_REPLY, "BGP vty reply");

/* NUL NUL NUL status */
#define TRAILER 4

enum bgp_reply_result bgp_reply_feed(struct bgp_reply *reply, const char *bytes,
				     size_t n)
{
	const char *nul;
	size_t end;

	if (n > BGP_REPLY_MAX - reply->len)
		return BGP_REPLY_BAD;
	if (reply->len + n > reply->size) {
		reply->size = 2 * (reply->len + n);
		reply->data = XREALLOC(MTYPE_BGP_REPLY, reply->data,
				       reply->size);
	}
	/* The trailer may come in pieces: what was there has no more than 3. */
	end = reply->len < TRAILER ? 0 : reply->len - TRAILER;
	if (n)
		memcpy(reply->data + reply->len, bytes, n);
	reply->len += n;

	nul = reply->len > end
		      ? memchr(reply->data + end, '\0', reply->len - end)
		      : NULL;
	if (!nul)
		return BGP_REPLY_MORE;
	end = (size_t)(nul - reply->data);
	if (reply->len < end + TRAILER)
		return BGP_REPLY_MORE;
	if (reply->len > end + TRAILER || nul[1] || nul[2])
		return BGP_REPLY_BAD;
	reply->status = (uint8_t)nul[TRAILER - 1];
	return BGP_REPLY_DONE;
}

void bgp_reply_clear(struct bgp_reply *reply)
{
	XFREE(MTYPE_BGP_REPLY, reply->data);
	memset(reply, 0, sizeof(*reply));
}
