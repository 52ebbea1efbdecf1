// SPDX-License-Identifier: GPL-2.0-or-later
/* Orders and comparison of routes (pure). */
#include "config.h"

#include <stdbool.h> /* 10.x: prefix.h leaves it to others */
#include <stdio.h>
#include <string.h>

#include "prefix.h"

#include "core/cluster_route.h"

static int num_cmp(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

int cluster_route_key_cmp(const struct cluster_route_key *a,
			  const struct cluster_route_key *b)
{
	int ret = strcmp(a->vrf, b->vrf);

	if (!ret)
		ret = ipaddr_cmp(&a->addr, &b->addr);
	return ret ? ret : num_cmp(a->wildcard, b->wildcard);
}

uint8_t cluster_route_plen_max(const struct ipaddr *addr)
{
	return IS_IPADDR_V4(addr) ? 32 : 128;
}

static void clear_behind(uint8_t *bytes, size_t n_bytes, uint8_t plen)
{
	for (size_t i = 0; i < n_bytes; i++) {
		if (plen >= 8) {
			plen -= 8;
			continue;
		}
		bytes[i] &= (uint8_t)(0xff00 >> plen);
		plen = 0;
	}
}

void cluster_route_prefix(struct cluster_route_key *key, const char *vrf,
			  const struct ipaddr *addr, uint8_t plen)
{
	memset(key, 0, sizeof(*key));
	snprintf(key->vrf, sizeof(key->vrf), "%s", vrf);
	key->addr = *addr;
	key->wildcard = cluster_route_plen_max(addr) - plen;
	if (IS_IPADDR_V4(addr))
		clear_behind((uint8_t *)&key->addr.ipaddr_v4,
			     sizeof(key->addr.ipaddr_v4), plen);
	else
		clear_behind((uint8_t *)&key->addr.ipaddr_v6,
			     sizeof(key->addr.ipaddr_v6), plen);
}

void cluster_prefix(struct prefix *prefix, const struct ipaddr *addr,
		    uint8_t plen)
{
	memset(prefix, 0, sizeof(*prefix));
	prefix->prefixlen = plen;
	if (IS_IPADDR_V4(addr)) {
		prefix->family = AF_INET;
		prefix->u.prefix4 = addr->ipaddr_v4;
	} else {
		prefix->family = AF_INET6;
		prefix->u.prefix6 = addr->ipaddr_v6;
	}
}

void cluster_prefix_addr(const struct prefix *prefix, struct ipaddr *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (prefix->family == AF_INET) {
		SET_IPADDR_V4(addr);
		addr->ipaddr_v4 = prefix->u.prefix4;
	} else if (prefix->family == AF_INET6) {
		SET_IPADDR_V6(addr);
		addr->ipaddr_v6 = prefix->u.prefix6;
	}
}

int cluster_nexthop_cmp(const struct cluster_nexthop *a,
			const struct cluster_nexthop *b)
{
	int ret = ipaddr_cmp(&a->gate, &b->gate);

	if (!ret)
		ret = strcmp(a->ifname, b->ifname);
	return ret ? ret : num_cmp(a->weight, b->weight);
}

bool cluster_route_same(const struct cluster_route *a,
			const struct cluster_route *b)
{
	if (cluster_route_key_cmp(&a->key, &b->key) || a->tag != b->tag ||
	    a->metric != b->metric || a->distance != b->distance ||
	    a->blackhole != b->blackhole || a->n_nexthops != b->n_nexthops)
		return false;
	for (uint16_t i = 0; i < a->n_nexthops; i++)
		if (cluster_nexthop_cmp(&a->nexthops[i], &b->nexthops[i]))
			return false;
	return true;
}
