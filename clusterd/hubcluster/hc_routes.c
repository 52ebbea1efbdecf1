// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdint.h>

#include "jhash.h"
#include "memory.h"
#include "typesafe.h"

#include "hubcluster/hc_routes.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_ROUTES, "Learned routes");
DEFINE_MTYPE_STATIC(CLUSTERD, HC_ROUTE, "Learned route");

PREDECL_HASH(learned);

struct learned_route {
	struct learned_item item;
	struct hc_prefix prefix;
	uint32_t tag;
};

static int learned_cmp(const struct learned_route *a,
		       const struct learned_route *b)
{
	return hc_prefix_cmp(&a->prefix, &b->prefix);
}

static uint32_t learned_hash(const struct learned_route *route)
{
	const struct ipaddr *addr = &route->prefix.addr;

	if (IS_IPADDR_V4(addr))
		return jhash_2words(addr->ipaddr_v4.s_addr, route->prefix.len,
				    0);
	return jhash(&addr->ipaddr_v6, sizeof(addr->ipaddr_v6),
		     route->prefix.len);
}
DECLARE_HASH(learned, struct learned_route, item, learned_cmp, learned_hash);

struct hc_routes {
	struct learned_head routes;
	size_t max;
	uint32_t exclude;
	size_t excluded;
	bool begun;
	int64_t begin_us, last_us;
};

struct hc_routes *hc_routes_new(size_t max)
{
	struct hc_routes *routes = XCALLOC(MTYPE_HC_ROUTES, sizeof(*routes));

	routes->max = max;
	learned_init(&routes->routes);
	return routes;
}

static void clear(struct hc_routes *routes)
{
	struct learned_route *route;

	while ((route = learned_pop(&routes->routes)))
		XFREE(MTYPE_HC_ROUTE, route);
	routes->excluded = 0;
}

void hc_routes_free(struct hc_routes **routes)
{
	if (!*routes)
		return;
	clear(*routes);
	learned_fini(&(*routes)->routes);
	XFREE(MTYPE_HC_ROUTES, *routes);
}

void hc_routes_begin(struct hc_routes *routes, int64_t now_us)
{
	clear(routes);
	routes->begun = true;
	routes->begin_us = routes->last_us = now_us;
}

void hc_routes_end(struct hc_routes *routes)
{
	clear(routes);
	routes->begun = false;
}

static bool is_excluded(const struct hc_routes *routes, uint32_t tag)
{
	return routes->exclude && tag == routes->exclude;
}

void hc_routes_exclude(struct hc_routes *routes, uint32_t tag)
{
	struct learned_route *route;

	routes->exclude = tag;
	routes->excluded = 0;
	frr_each (learned, &routes->routes, route)
		routes->excluded += is_excluded(routes, route->tag);
}

void hc_routes_add(struct hc_routes *routes, const struct hc_prefix *prefix,
		   uint32_t tag, int64_t now_us)
{
	struct learned_route ref = { .prefix = *prefix }, *route;

	if (!routes->begun)
		return;
	routes->last_us = now_us;
	route = learned_find(&routes->routes, &ref);
	if (!route) {
		if (learned_count(&routes->routes) == routes->max)
			return;
		route = XCALLOC(MTYPE_HC_ROUTE, sizeof(*route));
		route->prefix = *prefix;
		learned_add(&routes->routes, route);
	} else {
		routes->excluded -= is_excluded(routes, route->tag);
	}
	route->tag = tag;
	routes->excluded += is_excluded(routes, tag);
}

void hc_routes_del(struct hc_routes *routes, const struct hc_prefix *prefix,
		   int64_t now_us)
{
	struct learned_route ref = { .prefix = *prefix }, *route;

	if (!routes->begun)
		return;
	routes->last_us = now_us;
	route = learned_find(&routes->routes, &ref);
	if (!route)
		return;
	routes->excluded -= is_excluded(routes, route->tag);
	learned_del(&routes->routes, route);
	XFREE(MTYPE_HC_ROUTE, route);
}

/* Quiet, or time is up, the beginning is over. */
static int64_t settled_us(const struct hc_routes *routes)
{
	int64_t quiet_us = routes->last_us + HC_ROUTES_QUIET_US;
	int64_t settle_us = routes->begin_us + HC_ROUTES_SETTLE_US;

	return quiet_us < settle_us ? quiet_us : settle_us;
}

bool hc_routes_count(const struct hc_routes *routes, int64_t now_us,
		     uint32_t *count)
{
	if (!routes->begun || now_us < settled_us(routes))
		return false;
	if (count)
		*count = (uint32_t)(learned_count(&routes->routes) -
				    routes->excluded);
	return true;
}

int64_t hc_routes_due(const struct hc_routes *routes, int64_t now_us)
{
	if (!routes->begun || now_us >= settled_us(routes))
		return INT64_MAX;
	return settled_us(routes);
}
