// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "typesafe.h"

#include "core/learned_table.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, LEARNED_TABLE, "Learned routes");
DEFINE_MTYPE_STATIC(CLUSTERD, LEARNED_VRF, "Learned routes' VRF");
DEFINE_MTYPE_STATIC(CLUSTERD, LEARNED_ROUTE, "Learned route");

PREDECL_RBTREE_UNIQ(learned_routes);
PREDECL_RBTREE_UNIQ(learned_vrfs);

struct learned_route {
	struct learned_routes_item item;
	struct learned_key key;
};

struct learned_vrf {
	struct learned_vrfs_item item;
	char name[CLUSTER_VRF_LEN];
	size_t users;
	bool overflowed; /* there are routes that aren't kept */
	struct learned_routes_head routes;
};

static int learned_route_cmp(const struct learned_route *a,
			     const struct learned_route *b)
{
	int ret = ipaddr_cmp(&a->key.addr, &b->key.addr);

	return ret ? ret : a->key.length - b->key.length;
}
DECLARE_RBTREE_UNIQ(learned_routes, struct learned_route, item,
		    learned_route_cmp);

static int learned_vrf_cmp(const struct learned_vrf *a,
			   const struct learned_vrf *b)
{
	return strcmp(a->name, b->name);
}
DECLARE_RBTREE_UNIQ(learned_vrfs, struct learned_vrf, item, learned_vrf_cmp);

struct learned_table {
	const struct learned_table_ops *ops;
	struct learned_vrfs_head vrfs;
};

static struct learned_vrf *vrf_find(const struct learned_table *table,
				    const char *name)
{
	struct learned_vrf ref;

	strlcpy(ref.name, name, sizeof(ref.name));
	/* Callers that got a mutable table may change the entry. */
	return (struct learned_vrf *)learned_vrfs_const_find(&table->vrfs, &ref);
}

static void vrf_clear(struct learned_vrf *vrf)
{
	struct learned_route *route;

	while ((route = learned_routes_pop(&vrf->routes)))
		XFREE(MTYPE_LEARNED_ROUTE, route);
	vrf->overflowed = false;
}

static void vrf_free(struct learned_vrf *vrf)
{
	vrf_clear(vrf);
	learned_routes_fini(&vrf->routes);
	XFREE(MTYPE_LEARNED_VRF, vrf);
}

struct learned_table *learned_table_new(const struct learned_table_ops *ops)
{
	struct learned_table *table = XCALLOC(MTYPE_LEARNED_TABLE,
					      sizeof(*table));

	table->ops = ops;
	learned_vrfs_init(&table->vrfs);
	return table;
}

void learned_table_free(struct learned_table **table)
{
	struct learned_vrf *vrf;

	if (!*table)
		return;
	while ((vrf = learned_vrfs_pop(&(*table)->vrfs)))
		vrf_free(vrf);
	learned_vrfs_fini(&(*table)->vrfs);
	XFREE(MTYPE_LEARNED_TABLE, *table);
}

void learned_table_get(struct learned_table *table, const char *name)
{
	struct learned_vrf *vrf = vrf_find(table, name);

	if (!vrf) {
		vrf = XCALLOC(MTYPE_LEARNED_VRF, sizeof(*vrf));
		strlcpy(vrf->name, name, sizeof(vrf->name));
		learned_routes_init(&vrf->routes);
		learned_vrfs_add(&table->vrfs, vrf);
		table->ops->subscribe(name);
	}
	vrf->users++;
}

void learned_table_put(struct learned_table *table, const char *name)
{
	struct learned_vrf *vrf = vrf_find(table, name);

	if (!vrf || --vrf->users)
		return;
	table->ops->unsubscribe(name);
	learned_vrfs_del(&table->vrfs, vrf);
	vrf_free(vrf);
}

bool learned_table_watched(const struct learned_table *table, const char *name)
{
	return vrf_find(table, name) != NULL;
}

void learned_table_ready(struct learned_table *table, const char *name)
{
	if (vrf_find(table, name))
		table->ops->subscribe(name);
}

void learned_table_disconnected(struct learned_table *table)
{
	struct learned_vrf *vrf;

	frr_each (learned_vrfs, &table->vrfs, vrf)
		vrf_clear(vrf);
}

void learned_table_vrf_gone(struct learned_table *table, const char *name)
{
	struct learned_vrf *vrf = vrf_find(table, name);

	if (vrf)
		vrf_clear(vrf);
}

static void route_gone(struct learned_table *table, struct learned_vrf *vrf,
		       struct learned_route *route)
{
	learned_routes_del(&vrf->routes, route);
	XFREE(MTYPE_LEARNED_ROUTE, route);
	if (!vrf->overflowed ||
	    learned_routes_count(&vrf->routes) >= LEARNED_ENOUGH)
		return;
	/* What is kept is right; this brings what isn't. */
	vrf->overflowed = false;
	table->ops->unsubscribe(vrf->name);
	table->ops->subscribe(vrf->name);
}

bool learned_table_note(struct learned_table *table, const char *name,
			const struct learned_key *key, bool present)
{
	struct learned_route ref = { .key = *key }, *route;
	struct learned_vrf *vrf = vrf_find(table, name);

	if (!vrf)
		return false;
	route = learned_routes_find(&vrf->routes, &ref);
	if (!present == !route)
		return false;
	if (!present) {
		route_gone(table, vrf, route);
		return learned_routes_count(&vrf->routes) < LEARNED_ENOUGH;
	}
	if (learned_routes_count(&vrf->routes) >= LEARNED_MAX) {
		vrf->overflowed = true;
		return false;
	}
	route = XCALLOC(MTYPE_LEARNED_ROUTE, sizeof(*route));
	route->key = *key;
	learned_routes_add(&vrf->routes, route);
	return learned_routes_count(&vrf->routes) <= LEARNED_ENOUGH;
}

size_t learned_table_count(const struct learned_table *table, const char *name)
{
	const struct learned_vrf *vrf = vrf_find(table, name);

	return vrf ? learned_routes_count(&vrf->routes) : 0;
}
