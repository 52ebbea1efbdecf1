// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operational data of hub clustering: what `show cluster hub-cluster`, `hub`
 * and `edge` know.
 *
 * Lists of views are walked by one cursor each: the northbound goes through
 * one entry after the other, with what is inside of it, and gives back what it
 * got.  An entry is always the cursor's address, or of what lies in it.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "hubcluster/hc_mgmt.h"
#include "hubcluster/hc_nb_state.h"

static struct {
	struct {
		const struct hcd_cluster *cluster;
		size_t i;
		struct hc_hub_view view;
	} hub;
	struct {
		const struct hcd_cluster *cluster;
		struct hc_edge_view view;
	} edge;
	struct hc_refused refused[HC_REFUSED_MAX];
	size_t n_refused;
	struct hc_hub_edge_view carried;
	struct hc_edge_self_view self;
} cursor;

static const char *ago_time(int64_t us, char buf[CLUSTER_OPER_TIME_LEN])
{
	return us ? cluster_oper_time(cluster_now_us() - us, buf) : "";
}

/* "": none. */
static const char *reason_name(enum hc_why why)
{
	return why == HC_OK ? "" : hc_why_name(why);
}

static void id_key(struct yang_list_keys *keys, const struct ctl_id *id)
{
	char text[CTL_ID_TEXT_LEN];

	keys->num = 1;
	strlcpy(keys->key[0], ctl_id_format(id, text), sizeof(keys->key[0]));
}

/* Milliseconds until then. */
static uint64_t left_ms(int64_t at_us)
{
	int64_t left = (at_us - cluster_now_us()) / 1000;

	return left > 0 ? (uint64_t)left : 0;
}

/* The next one of a list of addresses; `entry` NULL: the first. */
static const void *address_next(const struct hc_addresses *list,
				const struct ipaddr *entry)
{
	entry = entry ? entry + 1 : list->list;
	return entry < list->list + list->n ? entry : NULL;
}

struct yang_data *hcd_address_get(struct nb_cb_get_elem_args *args)
{
	char text[INET6_ADDRSTRLEN];

	if (!args->list_entry)
		return NULL;
	ipaddr2str(args->list_entry, text, sizeof(text));
	return yang_data_new(args->xpath, text);
}

struct yang_data *hcd_id_get(struct nb_cb_get_elem_args *args)
{
	char text[CTL_ID_TEXT_LEN];

	if (!args->list_entry)
		return NULL;
	return yang_data_new(args->xpath, ctl_id_format(args->list_entry, text));
}

/* ---- a gateway's clusters ---- */

/* XPath: .../cluster */
const void *hcd_cluster_get_next(struct nb_cb_get_next_args *args)
{
	/* The entries are ours, the northbound calls them const. */
	struct hcd_cluster *cluster = (struct hcd_cluster *)args->list_entry;

	return cluster ? hcd_clusters_next(&hcd_clusters, cluster)
		       : hcd_clusters_first(&hcd_clusters);
}

int hcd_cluster_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct hcd_cluster *cluster = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], cluster->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *hcd_cluster_lookup(struct nb_cb_lookup_entry_args *args)
{
	return hcd_cluster_find(args->keys->key[0]);
}

/* XPath: .../cluster/state/... */
struct yang_data *hcd_cluster_get(struct nb_cb_get_elem_args *args)
{
	const struct hcd_cluster *cluster = args->list_entry;
	struct hc_cluster_view view;
	struct yang_data *data;

	if (!cluster)
		return NULL;
	const struct cluster_oper_leaf always[] = {
		OPER_TEXT("status",
			  hcd_status_name(cluster->shutdown, cluster->why)),
		OPER_TEXT("why", cluster->why),
	};

	data = cluster_oper_data(args->xpath, always, array_size(always));
	if (data || !hcd_cluster_view(cluster, &view))
		return data;
	const struct cluster_oper_leaf leaves[] = {
		OPER_BOOL("settled", view.settled),
		OPER_NUMBER("settle-left",
			    view.settled ? 0 : left_ms(view.settle_us)),
		OPER_NUMBER("bulk-hold-left", left_ms(view.bulk_us)),
		OPER_BOOL("auto-rebalancing", view.auto_active),
		OPER_NUMBER("hubs", view.hubs),
		OPER_NUMBER("edges", view.edges),
		OPER_NUMBER("edges-without-hub", view.edges_no_hub),
		OPER_NUMBER("moves", view.moves),
		OPER_NUMBER("bulk-moves", view.bulks),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../cluster/state/hub */
static const void *hub_at(const struct hcd_cluster *cluster, size_t i)
{
	struct hc_cluster_view view;

	cursor.hub.cluster = cluster;
	cursor.hub.i = i;
	if (!cluster || (i == 0 && !hcd_cluster_view(cluster, &view)) ||
	    !hc_gateway_hub_view(hcd_gateway(), &cluster->config.id, i,
				 &cursor.hub.view))
		return NULL;
	return &cursor.hub;
}

const void *hcd_cluster_hub_get_next(struct nb_cb_get_next_args *args)
{
	return hub_at(args->parent_list_entry,
		      args->list_entry ? cursor.hub.i + 1 : 0);
}

int hcd_cluster_hub_get_keys(struct nb_cb_get_keys_args *args)
{
	id_key(args->keys, &cursor.hub.view.in.id);
	return NB_OK;
}

const void *hcd_cluster_hub_lookup(struct nb_cb_lookup_entry_args *args)
{
	struct ctl_id id;

	if (!ctl_id_parse(args->keys->key[0], &id))
		return NULL;
	for (size_t i = 0; hub_at(args->parent_list_entry, i); i++)
		if (!ctl_id_cmp(&cursor.hub.view.in.id, &id))
			return &cursor.hub;
	return NULL;
}

struct yang_data *hcd_cluster_hub_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_hub_view *view = &cursor.hub.view;
	const struct hc_hub_in *in = &view->in;
	char cpu[16], memory[16], id[CTL_ID_TEXT_LEN];
	char joined[CLUSTER_OPER_TIME_LEN], report[CLUSTER_OPER_TIME_LEN];
	struct yang_data *data;

	if (!args->list_entry)
		return NULL;
	const struct cluster_oper_leaf always[] = {
		OPER_TEXT("id", ctl_id_format(&in->id, id)),
		OPER_TEXT("name", hc_node_peer_name(hcd_node(), &in->id)),
		OPER_TEXT("model", view->hub.model),
		OPER_NUMBER("port", view->hub.port),
		OPER_NUMBER("capacity", view->hub.capacity),
		OPER_NUMBER("edges", view->edges),
		OPER_BOOL("draining", in->draining),
		OPER_BOOL("routes-lost", in->lost),
		OPER_BOOL("differs", view->differs),
		OPER_BOOL("eligible", view->eligible == HC_OK),
		OPER_TEXT("eligible-reason", reason_name(view->eligible)),
		OPER_TEXT("eligible-why", hc_why_text(view->eligible)),
		OPER_BOOL("target", view->target == HC_OK),
		OPER_TEXT("target-reason", reason_name(view->target)),
		OPER_TEXT("target-why", hc_why_text(view->target)),
		OPER_TEXT("joined", ago_time(view->joined_us, joined)),
		OPER_TEXT("last-report",
			  in->reported ? ago_time(view->report_us, report) : ""),
		OPER_TEXT("cpu", in->reported
					 ? hcd_percent_text(in->load.cpu, cpu,
							    sizeof(cpu))
					 : ""),
		OPER_TEXT("memory",
			  in->reported ? hcd_percent_text(in->load.memory,
							  memory, sizeof(memory))
				       : ""),
	};

	data = cluster_oper_data(args->xpath, always, array_size(always));
	if (data)
		return data;

	/* Not known of every hub. */
	const struct {
		bool known;
		struct cluster_oper_leaf leaf;
	} some[] = {
		{ view->hub.asn != 0, OPER_NUMBER("as-number", view->hub.asn) },
		{ in->score != 0, OPER_NUMBER("score", in->score) },
		{ in->load.tunnels_known,
		  OPER_NUMBER("tunnels", in->load.tunnels) },
		{ in->routes_known, OPER_NUMBER("routes", in->routes) },
		{ in->routes_known,
		  OPER_NUMBER("routes-before", in->routes_before) },
	};

	for (size_t i = 0; i < array_size(some); i++)
		if (some[i].known && !data)
			data = cluster_oper_data(args->xpath, &some[i].leaf, 1);
	return data;
}

/* XPath: .../cluster/state/hub/address */
const void *hcd_cluster_hub_address_get_next(struct nb_cb_get_next_args *args)
{
	if (!args->parent_list_entry)
		return NULL;
	return address_next(&cursor.hub.view.hub.addresses, args->list_entry);
}

/* XPath: .../cluster/state/edge */
static const void *edge_after(const struct hcd_cluster *cluster,
			      const struct ctl_id *after)
{
	struct hc_cluster_view view;

	cursor.edge.cluster = cluster;
	if (!cluster || (!after && !hcd_cluster_view(cluster, &view)) ||
	    !hc_gateway_edge_next(hcd_gateway(), &cluster->config.id, after,
				  &cursor.edge.view))
		return NULL;
	return &cursor.edge;
}

const void *hcd_cluster_edge_get_next(struct nb_cb_get_next_args *args)
{
	return edge_after(args->parent_list_entry,
			  args->list_entry ? &cursor.edge.view.id : NULL);
}

int hcd_cluster_edge_get_keys(struct nb_cb_get_keys_args *args)
{
	id_key(args->keys, &cursor.edge.view.id);
	return NB_OK;
}

const void *hcd_cluster_edge_lookup(struct nb_cb_lookup_entry_args *args)
{
	const void *entry = edge_after(args->parent_list_entry, NULL);
	struct ctl_id id;

	if (!ctl_id_parse(args->keys->key[0], &id))
		return NULL;
	for (; entry;
	     entry = edge_after(args->parent_list_entry, &cursor.edge.view.id))
		if (!ctl_id_cmp(&cursor.edge.view.id, &id))
			return entry;
	return NULL;
}

struct yang_data *hcd_cluster_edge_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_edge_view *view = &cursor.edge.view;
	char id[CTL_ID_TEXT_LEN], hub[CTL_ID_TEXT_LEN], told[CTL_ID_TEXT_LEN];
	char at[CLUSTER_OPER_TIME_LEN];

	if (!args->list_entry)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(&view->id, id)),
		OPER_TEXT("name", hc_node_peer_name(hcd_node(), &view->id)),
		OPER_BOOL("connected", view->connected),
		OPER_BOOL("asking", view->asking),
		OPER_BOOL("preferred", view->preferred),
		OPER_TEXT("hub", hcd_id_text(&view->hub, hub)),
		OPER_TEXT("told", hcd_id_text(&view->told, told)),
		OPER_TEXT("reason", view->told_us ? reason_name(view->why) : ""),
		OPER_TEXT("why", view->told_us ? hc_why_text(view->why) : ""),
		OPER_TEXT("told-time", ago_time(view->told_us, at)),
		OPER_NUMBER("moves", view->moves),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../refused */
const void *hcd_refused_get_next(struct nb_cb_get_next_args *args)
{
	const struct hc_refused *entry = args->list_entry;

	if (!entry)
		cursor.n_refused = hcd_gateway()
					   ? hc_gateway_refused(hcd_gateway(),
								cursor.refused)
					   : 0;
	entry = entry ? entry + 1 : cursor.refused;
	return entry < cursor.refused + cursor.n_refused ? entry : NULL;
}

int hcd_refused_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct hc_refused *entry = args->list_entry;

	id_key(args->keys, &entry->hub);
	return NB_OK;
}

const void *hcd_refused_lookup(struct nb_cb_lookup_entry_args *args)
{
	struct nb_cb_get_next_args next = {};
	const struct hc_refused *entry;
	struct ctl_id id;

	if (!ctl_id_parse(args->keys->key[0], &id))
		return NULL;
	while ((entry = hcd_refused_get_next(&next))) {
		if (!ctl_id_cmp(&entry->hub, &id))
			return entry;
		next.list_entry = entry;
	}
	return NULL;
}

struct yang_data *hcd_refused_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_refused *entry = args->list_entry;
	char hub[CTL_ID_TEXT_LEN], cluster[CTL_ID_TEXT_LEN];
	char last[CLUSTER_OPER_TIME_LEN];

	if (!entry)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("hub", ctl_id_format(&entry->hub, hub)),
		OPER_TEXT("name", hc_node_peer_name(hcd_node(), &entry->hub)),
		OPER_TEXT("cluster", hcd_id_text(&entry->cluster, cluster)),
		OPER_NUMBER("count", entry->count),
		OPER_TEXT("last", ago_time(entry->last_us, last)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* ---- this node as a hub ---- */

/* XPath: .../hub/state/... */
struct yang_data *hcd_hub_get(struct nb_cb_get_elem_args *args)
{
	const struct hcd_hub *hub = hcd_hub();
	struct hc_hub_self_view view;
	struct hcd_measured measured;
	char cpu[16], memory[16];
	struct yang_data *data;
	enum hc_why scoreless;
	uint8_t score;

	if (!hub)
		return NULL;
	const struct cluster_oper_leaf always[] = {
		OPER_TEXT("status", hcd_status_name(hub->shutdown, hub->why)),
		OPER_TEXT("why", hub->why),
		OPER_TEXT("advice", hcd_hub_advice()),
	};

	data = cluster_oper_data(args->xpath, always, array_size(always));
	if (data || !hcd_hub_running())
		return data;
	hc_hub_self_view(hcd_hub_running(), &view);
	hcd_measured(&measured);
	scoreless = hcd_self_score(&view, &score);
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("score-reason", reason_name(scoreless)),
		OPER_TEXT("score-why", hc_why_text(scoreless)),
		OPER_TEXT("cpu",
			  hcd_percent_text(measured.cpu, cpu, sizeof(cpu))),
		OPER_TEXT("memory", hcd_percent_text(measured.memory, memory,
						     sizeof(memory))),
		OPER_TEXT("source-why", measured.source_why),
		OPER_NUMBER("gateways", view.gateways),
		OPER_NUMBER("edges", hc_hub_edges(hcd_hub_running())),
		OPER_NUMBER("reports", view.reports),
		OPER_NUMBER("reports-triggered", view.triggered),
		OPER_NUMBER("edges-refused", view.refused),
	};
	const struct cluster_oper_leaf routes[] = {
		OPER_NUMBER("routes-ipv4", measured.routes[0]),
		OPER_NUMBER("routes-ipv6", measured.routes[1]),
	};
	const struct cluster_oper_leaf
		tunnels = OPER_NUMBER("tunnels", measured.tunnels.value),
		scores = OPER_NUMBER("score", score);

	data = cluster_oper_data(args->xpath, leaves, array_size(leaves));
	if (!data && measured.routes_known)
		data = cluster_oper_data(args->xpath, routes,
					 array_size(routes));
	if (!data && measured.tunnels.known)
		data = cluster_oper_data(args->xpath, &tunnels, 1);
	if (!data && score)
		data = cluster_oper_data(args->xpath, &scores, 1);
	return data;
}

/* XPath: .../hub/state/edge */
static const void *carried_after(const struct ctl_id *after)
{
	if (!hcd_hub_running() ||
	    !hc_hub_edge_next(hcd_hub_running(), after, &cursor.carried))
		return NULL;
	return &cursor.carried;
}

const void *hcd_hub_edge_get_next(struct nb_cb_get_next_args *args)
{
	return carried_after(args->list_entry ? &cursor.carried.id : NULL);
}

int hcd_hub_edge_get_keys(struct nb_cb_get_keys_args *args)
{
	id_key(args->keys, &cursor.carried.id);
	return NB_OK;
}

const void *hcd_hub_edge_lookup(struct nb_cb_lookup_entry_args *args)
{
	const void *entry = carried_after(NULL);
	struct ctl_id id;

	if (!ctl_id_parse(args->keys->key[0], &id))
		return NULL;
	for (; entry; entry = carried_after(&cursor.carried.id))
		if (!ctl_id_cmp(&cursor.carried.id, &id))
			return entry;
	return NULL;
}

struct yang_data *hcd_hub_edge_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_hub_edge_view *view = &cursor.carried;
	char id[CTL_ID_TEXT_LEN], since[CLUSTER_OPER_TIME_LEN];

	if (!args->list_entry)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(&view->id, id)),
		OPER_TEXT("name", hc_node_peer_name(hcd_node(), &view->id)),
		OPER_TEXT("since", ago_time(view->since_us, since)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../hub/state/edge/tunnel-address */
const void *hcd_hub_edge_address_get_next(struct nb_cb_get_next_args *args)
{
	if (!args->parent_list_entry)
		return NULL;
	return address_next(&cursor.carried.tunnel, args->list_entry);
}

/* XPath: .../hub/state/edge/prefix */
const void *hcd_hub_prefix_get_next(struct nb_cb_get_next_args *args)
{
	const struct hc_hub_edge_view *view = &cursor.carried;
	const struct hc_prefix *prefix = args->list_entry;

	if (!args->parent_list_entry)
		return NULL;
	prefix = prefix ? prefix + 1 : view->prefixes;
	return prefix < view->prefixes + view->n_prefixes ? prefix : NULL;
}

int hcd_hub_prefix_get_keys(struct nb_cb_get_keys_args *args)
{
	args->keys->num = 1;
	hcd_prefix_text(args->list_entry, args->keys->key[0],
			sizeof(args->keys->key[0]));
	return NB_OK;
}

/* Of `n`, the one that a key is the text of. */
static const void *prefix_lookup(const struct hc_prefix *list, size_t n,
				 const char *key)
{
	char text[PREFIX_STRLEN];

	for (size_t i = 0; i < n; i++)
		if (strmatch(hcd_prefix_text(&list[i], text, sizeof(text)), key))
			return &list[i];
	return NULL;
}

const void *hcd_hub_prefix_lookup(struct nb_cb_lookup_entry_args *args)
{
	if (!args->parent_list_entry)
		return NULL;
	return prefix_lookup(cursor.carried.prefixes, cursor.carried.n_prefixes,
			     args->keys->key[0]);
}

struct yang_data *hcd_hub_prefix_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_prefix *prefix = args->list_entry;
	char text[PREFIX_STRLEN];
	enum hc_site site;
	int64_t since_us;

	if (!prefix)
		return NULL;
	site = cursor.carried.sites[prefix - cursor.carried.prefixes];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("prefix", hcd_prefix_text(prefix, text, sizeof(text))),
		OPER_BOOL("accepted", site == HC_SITE_ACCEPTED),
		OPER_TEXT("why", hc_site_text(site)),
		OPER_TEXT("route",
			  site == HC_SITE_ACCEPTED
				  ? hcd_route_status_name(
					    hcd_site_status(prefix, &since_us))
				  : ""),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* ---- this node as an edge ---- */

/* XPath: .../edge/state/... */
struct yang_data *hcd_edge_get(struct nb_cb_get_elem_args *args)
{
	char hub[CTL_ID_TEXT_LEN], target[CTL_ID_TEXT_LEN];
	char standby[CTL_ID_TEXT_LEN];
	char gateway[CTL_ID_TEXT_LEN], since[CLUSTER_OPER_TIME_LEN];
	const struct hcd_edge *edge = hcd_edge();
	struct hc_edge_self_view *view = &cursor.self;
	const struct hc_where *at = &view->current;
	enum hc_why why, target_why;
	struct yang_data *data;

	if (!edge)
		return NULL;
	const struct cluster_oper_leaf always[] = {
		OPER_TEXT("status", hcd_status_name(edge->shutdown, edge->why)),
		OPER_TEXT("why", edge->why),
	};

	data = cluster_oper_data(args->xpath, always, array_size(always));
	if (data || !hcd_edge_running())
		return data;
	hc_edge_self_view(hcd_edge_running(), view);
	why = ctl_id_is_null(&at->hub) ? view->no_hub : at->why;
	target_why = ctl_id_is_null(&view->target.hub) ? HC_OK
						       : view->target.why;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("phase", hc_edge_state_str(view->state)),
		OPER_TEXT("hub", hcd_id_text(&at->hub, hub)),
		OPER_TEXT("hub-name", hc_node_peer_name(hcd_node(), &at->hub)),
		OPER_TEXT("hub-gateway", hcd_id_text(&at->gateway, gateway)),
		OPER_TEXT("hub-reason", reason_name(why)),
		OPER_TEXT("hub-why", hc_why_text(why)),
		OPER_TEXT("hub-since", ctl_id_is_null(&at->hub)
					       ? ""
					       : ago_time(at->since_us, since)),
		OPER_TEXT("target", hcd_id_text(&view->target.hub, target)),
		OPER_TEXT("target-name",
			  hc_node_peer_name(hcd_node(), &view->target.hub)),
		OPER_TEXT("target-reason", reason_name(target_why)),
		OPER_TEXT("target-why", hc_why_text(target_why)),
		OPER_TEXT("standby", hcd_id_text(&view->standby.hub, standby)),
		OPER_TEXT("standby-name",
			  hc_node_peer_name(hcd_node(), &view->standby.hub)),
		OPER_TEXT("standby-connected",
			  ctl_id_is_null(&view->standby.hub)	  ? ""
			  : hcd_hub_connected(&view->standby.hub) ? "true"
								  : "false"),
		OPER_TEXT("standby-attached", ctl_id_is_null(&view->standby.hub)
						      ? ""
					      : view->guarded ? "true"
							      : "false"),
		OPER_NUMBER("accepted", view->accepted),
		OPER_TEXT("tunnel-why", hcd_tunnel_why()),
		OPER_NUMBER("moves", view->moves),
		OPER_NUMBER("losses", view->losses),
		OPER_NUMBER("failures", view->failures),
		OPER_NUMBER("ignored", view->ignored),
		OPER_NUMBER("stale", view->stale),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* A list of the edge begins: its view is taken. */
static bool self_begin(const void *list_entry)
{
	if (!hcd_edge_running())
		return false;
	if (!list_entry)
		hc_edge_self_view(hcd_edge_running(), &cursor.self);
	return true;
}

/* XPath: .../edge/state/via */
const void *hcd_edge_via_get_next(struct nb_cb_get_next_args *args)
{
	if (!self_begin(args->list_entry))
		return NULL;
	return address_next(&cursor.self.via, args->list_entry);
}

/* XPath: .../edge/state/unreachable */
const void *hcd_edge_unreachable_get_next(struct nb_cb_get_next_args *args)
{
	const struct ctl_id *id = args->list_entry;

	if (!self_begin(id))
		return NULL;
	id = id ? id + 1 : cursor.self.unreachable;
	return id < cursor.self.unreachable + cursor.self.n_unreachable ? id
									: NULL;
}

/* XPath: .../edge/state/gateway */
const void *hcd_edge_gateway_get_next(struct nb_cb_get_next_args *args)
{
	const struct hc_edge_gateway_view *gateway = args->list_entry;

	if (!self_begin(gateway))
		return NULL;
	gateway = gateway ? gateway + 1 : cursor.self.gateways;
	return gateway < cursor.self.gateways + cursor.self.n_gateways ? gateway
								       : NULL;
}

int hcd_edge_gateway_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct hc_edge_gateway_view *gateway = args->list_entry;

	id_key(args->keys, &gateway->id);
	return NB_OK;
}

const void *hcd_edge_gateway_lookup(struct nb_cb_lookup_entry_args *args)
{
	struct ctl_id id;

	if (!self_begin(NULL) || !ctl_id_parse(args->keys->key[0], &id))
		return NULL;
	for (size_t i = 0; i < cursor.self.n_gateways; i++)
		if (!ctl_id_cmp(&cursor.self.gateways[i].id, &id))
			return &cursor.self.gateways[i];
	return NULL;
}

struct yang_data *hcd_edge_gateway_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_edge_gateway_view *gateway = args->list_entry;
	char id[CTL_ID_TEXT_LEN], hub[CTL_ID_TEXT_LEN];
	enum hc_why why;

	if (!gateway)
		return NULL;
	why = gateway->answered ? gateway->why : HC_OK;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(&gateway->id, id)),
		OPER_TEXT("name", hc_node_peer_name(hcd_node(), &gateway->id)),
		OPER_NUMBER("preference", gateway->preference),
		OPER_BOOL("preferred", gateway->preferred),
		OPER_BOOL("answered", gateway->answered),
		OPER_TEXT("hub", hcd_id_text(&gateway->told, hub)),
		OPER_TEXT("reason", reason_name(why)),
		OPER_TEXT("why", hc_why_text(why)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../edge/state/route */
const void *hcd_edge_route_get_next(struct nb_cb_get_next_args *args)
{
	const struct hcd_edge *edge = hcd_edge();
	const struct hc_prefix *prefix = args->list_entry;

	if (!edge)
		return NULL;
	prefix = prefix ? prefix + 1 : edge->routes;
	return prefix < edge->routes + edge->n_routes ? prefix : NULL;
}

int hcd_edge_route_get_keys(struct nb_cb_get_keys_args *args)
{
	return hcd_hub_prefix_get_keys(args);
}

const void *hcd_edge_route_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct hcd_edge *edge = hcd_edge();

	if (!edge)
		return NULL;
	return prefix_lookup(edge->routes, edge->n_routes, args->keys->key[0]);
}

struct yang_data *hcd_edge_route_get(struct nb_cb_get_elem_args *args)
{
	const struct hc_prefix *prefix = args->list_entry;
	enum cluster_route_status status;
	char text[PREFIX_STRLEN], since[CLUSTER_OPER_TIME_LEN];
	int64_t since_us = 0;

	if (!prefix)
		return NULL;
	status = hcd_edge_route_status(prefix, &since_us);
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("prefix", hcd_prefix_text(prefix, text, sizeof(text))),
		OPER_TEXT("status", hcd_route_status_name(status)),
		OPER_TEXT("since", ago_time(since_us, since)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}
