// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as a datagram: no crash, and what is accepted survives a round trip
 * (encoded again and decoded again it is the same message).
 */
#include <zebra.h>

#include "core/ctl_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool same_items(const struct ctl_msg *a, const struct ctl_msg *b)
{
	if (a->n_items != b->n_items)
		return false;
	for (size_t i = 0; i < a->n_items; i++) {
		const struct ctl_item *x = &a->items[i], *y = &b->items[i];

		if (x->number != y->number || x->type != y->type ||
		    x->len != y->len || memcmp(x->data, y->data, x->len))
			return false;
	}
	return true;
}

static bool same(const struct ctl_msg *a, const struct ctl_msg *b)
{
	return a->type == b->type && !ctl_id_cmp(&a->sender, &b->sender) &&
	       a->src == b->src && a->dst == b->dst && a->seq == b->seq &&
	       a->key_id == b->key_id &&
	       !memcmp(a->cookie, b->cookie, CTL_COOKIE_LEN) &&
	       a->keepalive_ms == b->keepalive_ms && a->dead_ms == b->dead_ms &&
	       a->ack == b->ack && a->link_flags == b->link_flags &&
	       a->reason == b->reason && a->reason_seq == b->reason_seq &&
	       same_items(a, b);
}

static bool decode(const uint8_t *buf, size_t len, struct ctl_msg *msg)
{
	char err[128];

	memset(msg, 0, sizeof(*msg));
	return ctl_decode_header(buf, len, msg, err, sizeof(err)) == CTL_OK &&
	       ctl_decode_body(buf, len, msg, err, sizeof(err)) == CTL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct ctl_msg msg, again;
	uint8_t buf[CTL_DATAGRAM_MAX];
	char err[128];
	size_t size;

	if (!decode(data, len, &msg))
		return 0;
	size = ctl_encode(&msg, buf, sizeof(buf), err, sizeof(err));
	/* Never longer: what was skipped is left out. */
	if (!size || size > len || !decode(buf, size, &again) ||
	    again.skipped || !same(&msg, &again))
		abort();
	return 0;
}
