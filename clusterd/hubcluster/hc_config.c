// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"

#include "hubcluster/hc_config.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HCD_CLUSTER, "Configured hub cluster");
DEFINE_MTYPE_STATIC(CLUSTERD, HCD_HUB, "Configured hub");
DEFINE_MTYPE_STATIC(CLUSTERD, HCD_EDGE, "Configured edge");

#define UNDECIDED "not decided yet"

struct hcd_clusters_head hcd_clusters = INIT_RBTREE_UNIQ(hcd_clusters);
static struct hcd_hub *own_hub;
static struct hcd_edge *own_edge;

int hcd_cluster_cmp(const struct hcd_cluster *a, const struct hcd_cluster *b)
{
	return strcmp(a->name, b->name);
}

void hcd_cluster_default(struct hcd_cluster *cluster)
{
	memset(cluster, 0, sizeof(*cluster));
	strlcpy(cluster->why, UNDECIDED, sizeof(cluster->why));
	hc_cluster_config_default(&cluster->config);
}

void hcd_hub_default(struct hcd_hub *hub)
{
	memset(hub, 0, sizeof(*hub));
	strlcpy(hub->why, UNDECIDED, sizeof(hub->why));
	hc_hub_config_default(&hub->config);
	strlcpy(hub->vrf, HCD_DEFAULT_VRF, sizeof(hub->vrf));
	hub->command_ms = HCD_COMMAND_MS;
	hub->sites = (struct hcd_route){ .tag = HCD_DEFAULT_TAG,
					 .distance = HCD_DEFAULT_DISTANCE };
}

void hcd_edge_default(struct hcd_edge *edge)
{
	memset(edge, 0, sizeof(*edge));
	strlcpy(edge->why, UNDECIDED, sizeof(edge->why));
	hc_edge_config_default(&edge->config);
	strlcpy(edge->vrf, HCD_DEFAULT_VRF, sizeof(edge->vrf));
	strlcpy(edge->tunnel_vrf, HCD_DEFAULT_VRF, sizeof(edge->tunnel_vrf));
	edge->route = (struct hcd_route){ .tag = HCD_DEFAULT_TAG,
					  .distance = HCD_DEFAULT_DISTANCE };
}

struct hcd_cluster *hcd_cluster_find(const char *name)
{
	struct hcd_cluster ref;

	strlcpy(ref.name, name, sizeof(ref.name));
	return hcd_clusters_find(&hcd_clusters, &ref);
}

struct hcd_cluster *hcd_cluster_add(const char *name)
{
	struct hcd_cluster *cluster = XCALLOC(MTYPE_HCD_CLUSTER,
					      sizeof(*cluster));

	hcd_cluster_default(cluster);
	strlcpy(cluster->name, name, sizeof(cluster->name));
	hcd_clusters_add(&hcd_clusters, cluster);
	hcd_changed();
	return cluster;
}

void hcd_cluster_del(struct hcd_cluster *cluster)
{
	hcd_clusters_del(&hcd_clusters, cluster);
	XFREE(MTYPE_HCD_CLUSTER, cluster);
	hcd_changed();
}

struct hcd_hub *hcd_hub(void)
{
	return own_hub;
}

struct hcd_hub *hcd_hub_add(void)
{
	own_hub = XCALLOC(MTYPE_HCD_HUB, sizeof(*own_hub));
	hcd_hub_default(own_hub);
	hcd_changed();
	return own_hub;
}

void hcd_hub_del(void)
{
	XFREE(MTYPE_HCD_HUB, own_hub);
	hcd_changed();
}

struct hcd_edge *hcd_edge(void)
{
	return own_edge;
}

struct hcd_edge *hcd_edge_add(void)
{
	own_edge = XCALLOC(MTYPE_HCD_EDGE, sizeof(*own_edge));
	hcd_edge_default(own_edge);
	hcd_changed();
	return own_edge;
}

void hcd_edge_del(void)
{
	XFREE(MTYPE_HCD_EDGE, own_edge);
	hcd_changed();
}

void hcd_config_fini(void)
{
	struct hcd_cluster *cluster;

	while ((cluster = hcd_clusters_pop(&hcd_clusters)))
		XFREE(MTYPE_HCD_CLUSTER, cluster);
	hcd_clusters_fini(&hcd_clusters);
	XFREE(MTYPE_HCD_HUB, own_hub);
	XFREE(MTYPE_HCD_EDGE, own_edge);
}

/* -- whether they can run -- */

#define NO_CONTROL                                                             \
	"the control protocol is off: configure `key-chain` in `cluster control`"

#define TOO_MANY                                                               \
	"a gateway has at most 64 clusters, and so many run that are before it by name"
_Static_assert(HC_CLUSTERS_MAX == 64, "as TOO_MANY and the manual say");

static const struct hcd_cluster *twin(const struct hcd_cluster *cluster)
{
	const struct hcd_cluster *other;

	frr_each (hcd_clusters_const, &hcd_clusters, other) {
		if (other == cluster)
			break;
		if (!other->shutdown &&
		    !ctl_id_cmp(&other->config.id, &cluster->config.id))
			return other;
	}
	return NULL;
}

/* Those before it by name have been judged. */
static bool has_room(const struct hcd_cluster *cluster)
{
	const struct hcd_cluster *other;
	size_t n = 0;

	frr_each (hcd_clusters_const, &hcd_clusters, other) {
		if (other == cluster)
			break;
		n += !other->why[0];
	}
	return n < HC_CLUSTERS_MAX;
}

void hcd_cluster_judge(struct hcd_cluster *cluster, bool control)
{
	const struct hcd_cluster *other = twin(cluster);
	const char *why = "", *name = "";

	if (cluster->shutdown)
		why = "shut down";
	else if (ctl_id_is_null(&cluster->config.id))
		why = "no `id` is configured";
	else if (other) {
		why = "the same `id` has hub-cluster ";
		name = other->name;
	} else if (!control)
		why = NO_CONTROL;
	else if (!has_room(cluster))
		why = TOO_MANY;
	snprintf(cluster->why, sizeof(cluster->why), "%s%s", why, name);
}

bool hcd_cluster_runs(const struct ctl_id *id)
{
	const struct hcd_cluster *cluster;

	frr_each (hcd_clusters_const, &hcd_clusters, cluster)
		if (!cluster->why[0] && !ctl_id_cmp(&cluster->config.id, id))
			return true;
	return false;
}

void hcd_hub_judge(struct hcd_hub *hub, bool control)
{
	const char *why = "";

	if (hub->shutdown)
		why = "shut down";
	else if (ctl_id_is_null(&hub->config.cluster))
		why = "no `hub-cluster` is configured";
	else if (!hub->config.addresses.n)
		why = "no `address` is configured: edges could not call it";
	else if (!hub->config.tunnel.n)
		why = "no `tunnel-address` is configured: edges' routes would have no next hop";
	else if (!control)
		why = NO_CONTROL;
	strlcpy(hub->why, why, sizeof(hub->why));
}

void hcd_edge_judge(struct hcd_edge *edge, bool control, bool listens)
{
	const char *why = "";

	if (edge->shutdown)
		why = "shut down";
	else if (ctl_id_is_null(&edge->config.cluster))
		why = "no `hub-cluster` is configured";
	else if (!edge->config.tunnel.n)
		why = "no `tunnel-address` is configured: the hub's routes would have no next hop";
	else if (!control)
		why = NO_CONTROL;
	else if (!listens)
		why = "`cluster control` doesn't listen in the edge's `tunnel vrf`: no hub can be called";
	strlcpy(edge->why, why, sizeof(edge->why));
}

/* -- lists in order -- */

struct list {
	void *entries;
	size_t n, max, size;
	int (*cmp)(const void *a, const void *b);
};

static int addr_cmp(const void *a, const void *b)
{
	return ipaddr_cmp(a, b);
}

static int id_cmp(const void *a, const void *b)
{
	return ctl_id_cmp(a, b);
}

static int prefix_cmp_void(const void *a, const void *b)
{
	return hc_prefix_cmp(a, b);
}

static void *entry(const struct list *list, size_t i)
{
	return (char *)list->entries + i * list->size;
}

/* Where it is or would be. */
static size_t place(const struct list *list, const void *what, bool *found)
{
	size_t i = 0;

	while (i < list->n && list->cmp(entry(list, i), what) < 0)
		i++;
	*found = i < list->n && !list->cmp(entry(list, i), what);
	return i;
}

/* The new number of them. */
static size_t list_add(const struct list *list, const void *what)
{
	bool found;
	size_t i = place(list, what, &found);

	if (found || list->n == list->max)
		return list->n;
	memmove(entry(list, i + 1), entry(list, i), (list->n - i) * list->size);
	memcpy(entry(list, i), what, list->size);
	return list->n + 1;
}

static size_t list_del(const struct list *list, const void *what)
{
	bool found;
	size_t i = place(list, what, &found);

	if (!found)
		return list->n;
	memmove(entry(list, i), entry(list, i + 1),
		(list->n - i - 1) * list->size);
	return list->n - 1;
}

static struct list addresses_list(struct hc_addresses *addresses)
{
	return (struct list){ addresses->list, addresses->n, HC_ADDRESSES_MAX,
			      sizeof(addresses->list[0]), addr_cmp };
}

void hcd_addresses_add(struct hc_addresses *addresses, const struct ipaddr *addr)
{
	struct list list = addresses_list(addresses);

	addresses->n = (uint8_t)list_add(&list, addr);
}

void hcd_addresses_del(struct hc_addresses *addresses, const struct ipaddr *addr)
{
	struct list list = addresses_list(addresses);

	addresses->n = (uint8_t)list_del(&list, addr);
}

static struct list members_list(struct hc_cluster_config *config)
{
	return (struct list){ config->members, config->n_members, HC_HUBS_MAX,
			      sizeof(config->members[0]), id_cmp };
}

void hcd_members_add(struct hc_cluster_config *config, const struct ctl_id *hub)
{
	struct list list = members_list(config);

	config->n_members = (uint8_t)list_add(&list, hub);
}

void hcd_members_del(struct hc_cluster_config *config, const struct ctl_id *hub)
{
	struct list list = members_list(config);

	config->n_members = (uint8_t)list_del(&list, hub);
}

static struct list sites_list(struct hc_edge_config *config)
{
	return (struct list){ config->prefixes, config->n_prefixes,
			      HC_PREFIXES_MAX, sizeof(config->prefixes[0]),
			      prefix_cmp_void };
}

void hcd_sites_add(struct hc_edge_config *config, const struct hc_prefix *prefix)
{
	struct list list = sites_list(config);

	config->n_prefixes = (uint8_t)list_add(&list, prefix);
}

void hcd_sites_del(struct hc_edge_config *config, const struct hc_prefix *prefix)
{
	struct list list = sites_list(config);

	config->n_prefixes = (uint8_t)list_del(&list, prefix);
}

static struct list routes_list(struct hcd_edge *edge)
{
	return (struct list){ edge->routes, edge->n_routes, HCD_EDGE_ROUTES_MAX,
			      sizeof(edge->routes[0]), prefix_cmp_void };
}

void hcd_routes_add(struct hcd_edge *edge, const struct hc_prefix *prefix)
{
	struct list list = routes_list(edge);

	edge->n_routes = list_add(&list, prefix);
}

void hcd_routes_del(struct hcd_edge *edge, const struct hc_prefix *prefix)
{
	struct list list = routes_list(edge);

	edge->n_routes = list_del(&list, prefix);
}

/* An entry of `gateways` begins with its ID. */
static struct list preferences_list(struct hc_edge_config *config)
{
	return (struct list){ config->gateways, config->n_gateways,
			      HC_EDGE_GATEWAYS_MAX, sizeof(config->gateways[0]),
			      id_cmp };
}

void hcd_preference_del(struct hc_edge_config *config,
			const struct ctl_id *gateway)
{
	struct list list = preferences_list(config);

	config->n_gateways = (uint8_t)list_del(&list, gateway);
}

void hcd_preference_set(struct hc_edge_config *config,
			const struct ctl_id *gateway, uint8_t preference)
{
	__typeof__(config->gateways[0]) it = { .id = *gateway,
					       .preference = preference };
	struct list list;

	hcd_preference_del(config, gateway);
	list = preferences_list(config);
	config->n_gateways = (uint8_t)list_add(&list, &it);
}
