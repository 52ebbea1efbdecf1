/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items of hub clustering to and from structures (pure); hc_wire.h describes
 * them.
 */
#ifndef HC_CODEC_H
#define HC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"

#include "core/ctl_id.h"
#include "core/ctl_wire.h"
#include "hubcluster/hc_wire.h"

struct hc_addresses {
	uint8_t n;
	struct ipaddr list[HC_ADDRESSES_MAX];
};

/* The bits behind the length are zeroes. */
struct hc_prefix {
	struct ipaddr addr;
	uint8_t len;
};

struct hc_msg_node {
	uint8_t roles;
	char name[HC_TEXT_LEN];
};

struct hc_msg_hub {
	struct ctl_id cluster;
	uint32_t capacity, asn;
	uint16_t port;
	struct hc_addresses addresses;
	char model[HC_TEXT_LEN];
};

struct hc_msg_report {
	struct ctl_id cluster;
	uint8_t flags;
	uint16_t cpu, memory;
	uint32_t tunnels, routes;
};

struct hc_msg_edge {
	struct ctl_id cluster;
	uint8_t flags;
	uint32_t token;
	struct ctl_id hub; /* null: none */
	uint8_t n_unreachable;
	struct ctl_id unreachable[HC_UNREACHABLE_MAX];
};

struct hc_msg_assign {
	struct ctl_id cluster;
	uint32_t token, sequence;
	uint16_t why;	   /* enum hc_why, or a newer one */
	struct ctl_id hub; /* null: none */
	uint16_t port;
	struct hc_addresses addresses;
};

struct hc_msg_attach {
	struct ctl_id cluster;
	struct hc_addresses tunnel;
	uint8_t n_prefixes;
	struct hc_prefix prefixes[HC_PREFIXES_MAX];
	uint8_t flags;
};

struct hc_msg_attached {
	struct ctl_id cluster;
	uint16_t verdict;
	uint8_t accepted; /* prefixes */
	struct hc_addresses tunnel;
};

struct hc_msg_place {
	struct ctl_id cluster;
	uint8_t flags;
	struct ctl_id hub; /* null: there is no standby any more */
	uint16_t port;
	struct hc_addresses addresses; /* none: it is gone */
};

struct hc_msg {
	enum hc_item type;
	union {
		struct hc_msg_node node;
		struct hc_msg_hub hub;
		struct hc_msg_report report;
		struct hc_msg_edge edge;
		struct hc_msg_assign assign;
		struct hc_msg_attach attach;
		struct hc_msg_attached attached;
		struct ctl_id detach; /* the cluster */
		struct hc_msg_place place;
	};
};

/* The length; everything that the structures can hold fits. */
extern size_t hc_encode(const struct hc_msg *msg, uint8_t buf[CTL_PAYLOAD_MAX]);
/* False if it is malformed or of an unknown type; then `msg` is undefined. */
extern bool hc_decode(uint16_t type, const uint8_t *data, size_t len,
		      struct hc_msg *msg);

/* Same address and length. */
extern int hc_prefix_cmp(const struct hc_prefix *a, const struct hc_prefix *b);
/* Clears the bits behind the length; false: not a prefix. */
extern bool hc_prefix_make(const struct ipaddr *addr, unsigned int len,
			   struct hc_prefix *prefix);
extern bool hc_addresses_same(const struct hc_addresses *a,
			      const struct hc_addresses *b);
/* The first address of the family of `like`, or NULL. */
extern const struct ipaddr *hc_address_like(const struct hc_addresses *list,
					    const struct ipaddr *like);

#endif /* HC_CODEC_H */
