// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "hubcluster/hc_codec.h"

/* Big-endian numbers and octets, from the front. */
struct writer {
	uint8_t *at;
};

struct reader {
	const uint8_t *at, *end;
	bool bad; /* it ended too early, or what was read makes no sense */
};

static void put(struct writer *w, uint64_t value, int octets)
{
	while (octets--)
		*w->at++ = (uint8_t)(value >> (8 * octets));
}

static void put_bytes(struct writer *w, const void *data, size_t len)
{
	memcpy(w->at, data, len);
	w->at += len;
}

static void put_id(struct writer *w, const struct ctl_id *id)
{
	put_bytes(w, id->bytes, CTL_ID_LEN);
}

static void put_text(struct writer *w, const char *text)
{
	size_t len = strnlen(text, HC_TEXT_LEN - 1);

	put(w, len, 1);
	put_bytes(w, text, len);
}

static const void *address_bytes(const struct ipaddr *addr, size_t *len)
{
	*len = IS_IPADDR_V4(addr) ? 4 : 16;
	return IS_IPADDR_V4(addr) ? (const void *)&addr->ipaddr_v4
				  : (const void *)&addr->ipaddr_v6;
}

static void put_addresses(struct writer *w, const struct hc_addresses *list)
{
	size_t len;

	put(w, list->n, 1);
	for (int i = 0; i < list->n; i++) {
		const void *bytes = address_bytes(&list->list[i], &len);

		put(w, len == 4 ? 4 : 6, 1);
		put_bytes(w, bytes, len);
	}
}

static void put_prefix(struct writer *w, const struct hc_prefix *prefix)
{
	size_t len;
	const void *bytes = address_bytes(&prefix->addr, &len);

	put(w, len == 4 ? 4 : 6, 1);
	put(w, prefix->len, 1);
	put_bytes(w, bytes, (prefix->len + 7u) / 8);
}

static const uint8_t *take(struct reader *r, size_t len)
{
	const uint8_t *bytes = r->at;

	if (r->bad || (size_t)(r->end - r->at) < len) {
		r->bad = true;
		return NULL;
	}
	r->at += len;
	return bytes;
}

/* Is there more?  Fields that were added later may be missing. */
static bool more(const struct reader *r)
{
	return !r->bad && r->at < r->end;
}

static uint32_t get(struct reader *r, int octets)
{
	const uint8_t *bytes = take(r, (size_t)octets);
	uint32_t value = 0;

	for (int i = 0; bytes && i < octets; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void get_id(struct reader *r, struct ctl_id *id)
{
	const uint8_t *bytes = take(r, CTL_ID_LEN);

	if (bytes)
		memcpy(id->bytes, bytes, CTL_ID_LEN);
}

/* Printable ASCII only: it is going to be shown. */
static void get_text(struct reader *r, char text[HC_TEXT_LEN])
{
	size_t len = get(r, 1);
	const uint8_t *bytes = take(r, len);

	if (!bytes || len >= HC_TEXT_LEN) {
		r->bad = true;
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] < 0x20 || bytes[i] > 0x7e)
			r->bad = true;
		text[i] = (char)bytes[i];
	}
	text[len] = '\0';
}

static void get_family(struct reader *r, struct ipaddr *addr)
{
	uint32_t family = get(r, 1);

	if (family == 4)
		SET_IPADDR_V4(addr);
	else if (family == 6)
		SET_IPADDR_V6(addr);
	else
		r->bad = true;
}

/* `n` octets of an address whose other ones are zeroes. */
static void get_octets(struct reader *r, struct ipaddr *addr, size_t n)
{
	const uint8_t *bytes = take(r, n);

	if (bytes)
		memcpy(IS_IPADDR_V4(addr) ? (void *)&addr->ipaddr_v4
					  : (void *)&addr->ipaddr_v6,
		       bytes, n);
}

static void get_addresses(struct reader *r, struct hc_addresses *list)
{
	uint32_t n = get(r, 1);

	if (n > HC_ADDRESSES_MAX) {
		r->bad = true;
		return;
	}
	list->n = (uint8_t)n;
	for (uint32_t i = 0; i < n && !r->bad; i++) {
		get_family(r, &list->list[i]);
		if (!r->bad)
			get_octets(r, &list->list[i],
				   IS_IPADDR_V4(&list->list[i]) ? 4 : 16);
	}
}

static void get_prefix(struct reader *r, struct hc_prefix *prefix)
{
	struct hc_prefix made;

	get_family(r, &prefix->addr);
	prefix->len = (uint8_t)get(r, 1);
	if (r->bad || prefix->len > (IS_IPADDR_V4(&prefix->addr) ? 32 : 128)) {
		r->bad = true;
		return;
	}
	get_octets(r, &prefix->addr, (prefix->len + 7u) / 8);
	/* Bits behind the length would make two prefixes of one. */
	if (!hc_prefix_make(&prefix->addr, prefix->len, &made) ||
	    hc_prefix_cmp(&made, prefix))
		r->bad = true;
}

static void encode_hub(struct writer *w, const struct hc_msg_hub *hub)
{
	put_id(w, &hub->cluster);
	put(w, hub->capacity, 4);
	put(w, hub->asn, 4);
	put(w, hub->port, 2);
	put_addresses(w, &hub->addresses);
	put_text(w, hub->model);
}

static void encode_report(struct writer *w, const struct hc_msg_report *report)
{
	put_id(w, &report->cluster);
	put(w, report->flags, 1);
	put(w, report->cpu, 2);
	put(w, report->memory, 2);
	put(w, report->tunnels, 4);
	put(w, report->routes, 4);
}

static void encode_edge(struct writer *w, const struct hc_msg_edge *edge)
{
	put_id(w, &edge->cluster);
	put(w, edge->flags, 1);
	put(w, edge->token, 4);
	put_id(w, &edge->hub);
	put(w, edge->n_unreachable, 1);
	for (int i = 0; i < edge->n_unreachable; i++)
		put_id(w, &edge->unreachable[i]);
}

static void encode_assign(struct writer *w, const struct hc_msg_assign *assign)
{
	put_id(w, &assign->cluster);
	put(w, assign->token, 4);
	put(w, assign->sequence, 4);
	put(w, assign->why, 2);
	put_id(w, &assign->hub);
	put(w, assign->port, 2);
	put_addresses(w, &assign->addresses);
}

static void encode_attach(struct writer *w, const struct hc_msg_attach *attach)
{
	put_id(w, &attach->cluster);
	put_addresses(w, &attach->tunnel);
	put(w, attach->n_prefixes, 1);
	for (int i = 0; i < attach->n_prefixes; i++)
		put_prefix(w, &attach->prefixes[i]);
	if (attach->flags)
		put(w, attach->flags, 1);
}

static void encode_place(struct writer *w, const struct hc_msg_place *place)
{
	put_id(w, &place->cluster);
	put(w, place->flags, 1);
	put_id(w, &place->hub);
	put(w, place->port, 2);
	put_addresses(w, &place->addresses);
}

/* attach is the longest: everything fits, whatever there is. */
_Static_assert(16 + 1 + HC_ADDRESSES_MAX * 17 + 1 + HC_PREFIXES_MAX * 18 + 1 <=
		       CTL_PAYLOAD_MAX,
	       "an edge's prefixes fit into one item");
_Static_assert(16 + 10 + 1 + HC_ADDRESSES_MAX * 17 + HC_TEXT_LEN <=
		       CTL_PAYLOAD_MAX,
	       "a hub fits into one item");

size_t hc_encode(const struct hc_msg *msg, uint8_t buf[CTL_PAYLOAD_MAX])
{
	struct writer w = { buf };

	switch (msg->type) {
	case HC_ITEM_NODE:
		put(&w, msg->node.roles, 1);
		put_text(&w, msg->node.name);
		break;
	case HC_ITEM_HUB:
		encode_hub(&w, &msg->hub);
		break;
	case HC_ITEM_REPORT:
		encode_report(&w, &msg->report);
		break;
	case HC_ITEM_EDGE:
		encode_edge(&w, &msg->edge);
		break;
	case HC_ITEM_ASSIGN:
		encode_assign(&w, &msg->assign);
		break;
	case HC_ITEM_ATTACH:
		encode_attach(&w, &msg->attach);
		break;
	case HC_ITEM_ATTACHED:
		put_id(&w, &msg->attached.cluster);
		put(&w, msg->attached.verdict, 2);
		put(&w, msg->attached.accepted, 1);
		put_addresses(&w, &msg->attached.tunnel);
		break;
	case HC_ITEM_DETACH:
		put_id(&w, &msg->detach);
		break;
	case HC_ITEM_PLACE:
		encode_place(&w, &msg->place);
		break;
	}
	return (size_t)(w.at - buf);
}

static void decode_hub(struct reader *r, struct hc_msg_hub *hub)
{
	get_id(r, &hub->cluster);
	hub->capacity = get(r, 4);
	hub->asn = get(r, 4);
	hub->port = (uint16_t)get(r, 2);
	get_addresses(r, &hub->addresses);
	get_text(r, hub->model);
}

static void decode_report(struct reader *r, struct hc_msg_report *report)
{
	get_id(r, &report->cluster);
	report->flags = (uint8_t)get(r, 1);
	report->cpu = (uint16_t)get(r, 2);
	report->memory = (uint16_t)get(r, 2);
	report->tunnels = get(r, 4);
	report->routes = get(r, 4);
}

static void decode_edge(struct reader *r, struct hc_msg_edge *edge)
{
	get_id(r, &edge->cluster);
	edge->flags = (uint8_t)get(r, 1);
	edge->token = get(r, 4);
	get_id(r, &edge->hub);
	edge->n_unreachable = (uint8_t)get(r, 1);
	if (edge->n_unreachable > HC_UNREACHABLE_MAX) {
		r->bad = true;
		return;
	}
	for (int i = 0; i < edge->n_unreachable; i++)
		get_id(r, &edge->unreachable[i]);
}

static void decode_assign(struct reader *r, struct hc_msg_assign *assign)
{
	get_id(r, &assign->cluster);
	assign->token = get(r, 4);
	assign->sequence = get(r, 4);
	assign->why = (uint16_t)get(r, 2);
	get_id(r, &assign->hub);
	assign->port = (uint16_t)get(r, 2);
	get_addresses(r, &assign->addresses);
}

static void decode_attach(struct reader *r, struct hc_msg_attach *attach)
{
	get_id(r, &attach->cluster);
	get_addresses(r, &attach->tunnel);
	attach->n_prefixes = (uint8_t)get(r, 1);
	if (attach->n_prefixes > HC_PREFIXES_MAX) {
		r->bad = true;
		return;
	}
	for (int i = 0; i < attach->n_prefixes && !r->bad; i++)
		get_prefix(r, &attach->prefixes[i]);
	if (more(r))
		attach->flags = (uint8_t)get(r, 1);
}

static void decode_place(struct reader *r, struct hc_msg_place *place)
{
	get_id(r, &place->cluster);
	place->flags = (uint8_t)get(r, 1);
	get_id(r, &place->hub);
	place->port = (uint16_t)get(r, 2);
	get_addresses(r, &place->addresses);
}

bool hc_decode(uint16_t type, const uint8_t *data, size_t len,
	       struct hc_msg *msg)
{
	struct reader r = { data, data + len, false };

	memset(msg, 0, sizeof(*msg));
	msg->type = (enum hc_item)type;
	switch (type) {
	case HC_ITEM_NODE:
		msg->node.roles = (uint8_t)get(&r, 1);
		get_text(&r, msg->node.name);
		break;
	case HC_ITEM_HUB:
		decode_hub(&r, &msg->hub);
		break;
	case HC_ITEM_REPORT:
		decode_report(&r, &msg->report);
		break;
	case HC_ITEM_EDGE:
		decode_edge(&r, &msg->edge);
		break;
	case HC_ITEM_ASSIGN:
		decode_assign(&r, &msg->assign);
		break;
	case HC_ITEM_ATTACH:
		decode_attach(&r, &msg->attach);
		break;
	case HC_ITEM_ATTACHED:
		get_id(&r, &msg->attached.cluster);
		msg->attached.verdict = (uint16_t)get(&r, 2);
		msg->attached.accepted = (uint8_t)get(&r, 1);
		get_addresses(&r, &msg->attached.tunnel);
		break;
	case HC_ITEM_DETACH:
		get_id(&r, &msg->detach);
		break;
	case HC_ITEM_PLACE:
		decode_place(&r, &msg->place);
		break;
	default:
		return false;
	}
	return !r.bad;
}

int hc_prefix_cmp(const struct hc_prefix *a, const struct hc_prefix *b)
{
	int ret = ipaddr_cmp(&a->addr, &b->addr);

	return ret ? ret : a->len - b->len;
}

bool hc_prefix_make(const struct ipaddr *addr, unsigned int len,
		    struct hc_prefix *prefix)
{
	unsigned int octets = IS_IPADDR_V4(addr) ? 4 : 16;
	uint8_t *bytes;

	if (IS_IPADDR_NONE(addr) || len > 8 * octets)
		return false;
	memset(prefix, 0, sizeof(*prefix));
	prefix->addr = *addr;
	prefix->len = (uint8_t)len;
	bytes = octets == 4 ? (uint8_t *)&prefix->addr.ipaddr_v4
			    : (uint8_t *)&prefix->addr.ipaddr_v6;
	for (unsigned int i = 0; i < octets; i++) {
		unsigned int bits = len > 8 * i ? len - 8 * i : 0;

		if (bits < 8)
			bytes[i] &= (uint8_t)(0xff00 >> bits);
	}
	return true;
}

bool hc_addresses_same(const struct hc_addresses *a,
		       const struct hc_addresses *b)
{
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++)
		if (ipaddr_cmp(&a->list[i], &b->list[i]))
			return false;
	return true;
}

const struct ipaddr *hc_address_like(const struct hc_addresses *list,
				     const struct ipaddr *like)
{
	for (int i = 0; i < list->n; i++)
		if (list->list[i].ipa_type == like->ipa_type)
			return &list->list[i];
	return NULL;
}
