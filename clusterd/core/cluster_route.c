// SPDX-License-Identifier: GPL-2.0-or-later
/* Orders and comparison of routes (pure). */
#include "config.h"

#include <string.h>

#include "core/cluster_route.h"

static int num_cmp(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

int cluster_route_key_cmp(const struct cluster_route_key *a,
			  const struct cluster_route_key *b)
{
	int ret = strcmp(a->vrf, b->vrf);

	return ret ? ret : ipaddr_cmp(&a->addr, &b->addr);
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
	    a->n_nexthops != b->n_nexthops)
		return false;
	for (uint16_t i = 0; i < a->n_nexthops; i++)
		if (cluster_nexthop_cmp(&a->nexthops[i], &b->nexthops[i]))
			return false;
	return true;
}
