// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of tracked routes: callbacks copy the value and say that something
 * has changed; operational callbacks read the state.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "track/track_private.h"

static const struct lyd_node *dnode_list(const struct lyd_node *dnode,
					 const char *name)
{
	while (dnode->schema->nodetype != LYS_LIST ||
	       strcmp(dnode->schema->name, name))
		dnode = lyd_parent(dnode);
	return dnode;
}

static struct track *dnode_track(const struct lyd_node *dnode)
{
	struct track *track;

	dnode = dnode_list(dnode, "track");
	track = track_find(lyd_get_value(lyd_child(dnode)));
	assert(track);
	return track;
}

static struct track_hop *dnode_hop(const struct lyd_node *dnode)
{
	const struct lyd_node *key = lyd_child(dnode_list(dnode, "next-hop"));
	struct ipaddr gate = {};
	struct track_hop *hop;

	/* Validation has checked it. */
	(void)str2ipaddr(lyd_get_value(key), &gate);
	hop = track_hop_find(dnode_track(dnode), &gate,
			     lyd_get_value(key->next));
	assert(hop);
	return hop;
}

/* XPath: /frr-clusterd-track:cluster-tracks/track */
static int track_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		track_add(lyd_get_value(lyd_child(args->dnode)));
	return NB_OK;
}

static int track_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		track_del(dnode_track(args->dnode));
	return NB_OK;
}

/* XPath: .../track/{vrf,probe,tag,metric,distance,down/metric,down/distance} */
static void vrf_set(struct track *track, const char *vrf)
{
	/* Before: they hold something of the old one. */
	track_hops_release(track);
	strlcpy(track->vrf, vrf ? vrf : TRACK_DEFAULT_VRF, sizeof(track->vrf));
}

static void probe_set(struct track *track, const char *probe)
{
	struct track_hop *hop;

	strlcpy(track->probe, probe ? probe : "", sizeof(track->probe));
	frr_each (track_hops, &track->hops, hop)
		if (!hop->probe[0])
			track_hop_unprobe(hop);
}

static uint32_t number(const char *value, uint32_t absent)
{
	return value ? (uint32_t)strtoul(value, NULL, 10) : absent;
}

/* `value` NULL: the leaf is gone. */
static void leaf_set(const struct lyd_node *dnode, const char *value)
{
	struct track *track = dnode_track(dnode);
	const char *leaf = dnode->schema->name;
	bool down = !strcmp(dnode->schema->parent->name, "down");

	if (!strcmp(leaf, "vrf"))
		vrf_set(track, value);
	else if (!strcmp(leaf, "probe"))
		probe_set(track, value);
	else if (!strcmp(leaf, "tag"))
		track->tag = number(value, TRACK_DEFAULT_TAG);
	else if (!strcmp(leaf, "metric") && down)
		track->down_metric = number(value, 0);
	else if (!strcmp(leaf, "distance") && down)
		track->down_distance = number(value, 0);
	else if (!strcmp(leaf, "metric"))
		track->metric = number(value, 0);
	else
		track->distance = number(value, TRACK_DEFAULT_DISTANCE);
	cluster_sched_decide();
}

static int leaf_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		leaf_set(args->dnode, yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

static int leaf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		leaf_set(args->dnode, NULL);
	return NB_OK;
}

/* XPath: .../track/{last-resort-keep,announce-edges,shutdown} (type empty) */
static void flag_set(const struct lyd_node *dnode, bool value)
{
	struct track *track = dnode_track(dnode);

	if (!strcmp(dnode->schema->name, "shutdown")) {
		track->shutdown = value;
		track_hops_release(track);
	} else if (!strcmp(dnode->schema->name, "announce-edges")) {
		track->announce = value;
	} else {
		track->last_resort = value;
	}
	cluster_sched_decide();
}

static int flag_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		flag_set(args->dnode, true);
	return NB_OK;
}

static int flag_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		flag_set(args->dnode, false);
	return NB_OK;
}

/* XPath: .../track/next-hop */
static int hop_create(struct nb_cb_create_args *args)
{
	const struct lyd_node *key = lyd_child(args->dnode);
	struct ipaddr gate = {};
	const char *flaw = "is not an address";

	if (!str2ipaddr(lyd_get_value(key), &gate))
		flaw = track_gate_flaw(&gate);
	if (args->event == NB_EV_VALIDATE && flaw) {
		snprintf(args->errmsg, args->errmsg_len, "%s %s",
			 lyd_get_value(key), flaw);
		return NB_ERR_VALIDATION;
	}
	if (args->event == NB_EV_APPLY)
		track_hop_add(dnode_track(args->dnode), &gate,
			      lyd_get_value(key->next));
	return NB_OK;
}

static int hop_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		track_hop_del(dnode_hop(args->dnode));
	return NB_OK;
}

/* XPath: .../track/next-hop/preference */
static int preference_modify(struct nb_cb_modify_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	dnode_hop(args->dnode)->preference = yang_dnode_get_uint16(args->dnode,
								   NULL);
	cluster_sched_decide();
	return NB_OK;
}

static int preference_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	dnode_hop(args->dnode)->preference = TRACK_PREFERENCE;
	cluster_sched_decide();
	return NB_OK;
}

/* XPath: .../track/next-hop/probe */
static int hop_probe_modify(struct nb_cb_modify_args *args)
{
	struct track_hop *hop;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	hop = dnode_hop(args->dnode);
	strlcpy(hop->probe, yang_dnode_get_string(args->dnode, NULL),
		sizeof(hop->probe));
	track_hop_unprobe(hop);
	return NB_OK;
}

static int hop_probe_destroy(struct nb_cb_destroy_args *args)
{
	struct track_hop *hop;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	hop = dnode_hop(args->dnode);
	hop->probe[0] = '\0';
	track_hop_unprobe(hop);
	return NB_OK;
}

/* XPath: .../track/next-hop/gateway */
static int gateway_modify(struct nb_cb_modify_args *args)
{
	/* The model has checked that it is one. */
	if (args->event == NB_EV_APPLY)
		ctl_id_parse(yang_dnode_get_string(args->dnode, NULL),
			     &dnode_hop(args->dnode)->gateway);
	cluster_sched_decide();
	return NB_OK;
}

static int gateway_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		memset(&dnode_hop(args->dnode)->gateway, 0,
		       sizeof(struct ctl_id));
	cluster_sched_decide();
	return NB_OK;
}

/* XPath: .../track/next-hop/gateway-track */
static int gateway_track_modify(struct nb_cb_modify_args *args)
{
	struct track_hop *hop;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	hop = dnode_hop(args->dnode);
	strlcpy(hop->gateway_track, yang_dnode_get_string(args->dnode, NULL),
		sizeof(hop->gateway_track));
	cluster_sched_decide();
	return NB_OK;
}

static int gateway_track_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	dnode_hop(args->dnode)->gateway_track[0] = '\0';
	cluster_sched_decide();
	return NB_OK;
}

/* XPath: .../track/route (leaf-list) */
static bool dnode_prefix(const struct lyd_node *dnode, struct prefix *p)
{
	if (!str2prefix(yang_dnode_get_string(dnode, NULL), p))
		return false;
	apply_mask(p);
	return true;
}

static int route_create(struct nb_cb_create_args *args)
{
	const char *flaw = "is not a prefix";
	struct prefix p = {};

	if (dnode_prefix(args->dnode, &p))
		flaw = track_prefix_flaw(&p);
	if (args->event == NB_EV_VALIDATE && flaw) {
		snprintf(args->errmsg, args->errmsg_len, "%s %s",
			 yang_dnode_get_string(args->dnode, NULL), flaw);
		return NB_ERR_VALIDATION;
	}
	/* One prefix in two notations is one route. */
	if (args->event == NB_EV_APPLY &&
	    !track_route_find(dnode_track(args->dnode), &p))
		track_route_add(dnode_track(args->dnode), &p);
	return NB_OK;
}

static int route_destroy(struct nb_cb_destroy_args *args)
{
	struct track_route *route;
	struct prefix p = {};

	if (args->event != NB_EV_APPLY || !dnode_prefix(args->dnode, &p))
		return NB_OK;
	route = track_route_find(dnode_track(args->dnode), &p);
	if (route)
		track_route_del(route);
	return NB_OK;
}

/* The running configuration shows both in the order of `show cluster track`. */
static int hop_cli_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	const struct lyd_node *key_a = lyd_child(a), *key_b = lyd_child(b);
	int ret = cluster_vty_address_cmp(key_a, key_b);

	return ret ? ret : cluster_vty_value_cmp(key_a->next, key_b->next);
}

static int route_cli_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	struct prefix p = {}, q = {};

	if (!dnode_prefix(a, &p) || !dnode_prefix(b, &q))
		return cluster_vty_value_cmp(a, b);
	return prefix_cmp(&p, &q);
}

/* ---- operational state ---- */

static const void *track_get_next(struct nb_cb_get_next_args *args)
{
	/* The entries are ours, the northbound calls them const. */
	struct track *track = (struct track *)args->list_entry;

	return track ? tracks_next(&tracks, track) : tracks_first(&tracks);
}

static int track_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct track *track = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], track->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

static const void *track_lookup(struct nb_cb_lookup_entry_args *args)
{
	return track_find(args->keys->key[0]);
}

/* XPath: .../track/next-hop */
static const void *hop_get_next(struct nb_cb_get_next_args *args)
{
	struct track *track = (struct track *)args->parent_list_entry;
	struct track_hop *hop = (struct track_hop *)args->list_entry;

	/* 8.4 asks with a path below the entry without one. */
	if (!track)
		return NULL;
	return hop ? track_hops_next(&track->hops, hop)
		   : track_hops_first(&track->hops);
}

static int hop_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct track_hop *hop = args->list_entry;

	assert(hop);
	args->keys->num = 2;
	ipaddr2str(&hop->gate, args->keys->key[0], sizeof(args->keys->key[0]));
	strlcpy(args->keys->key[1], hop->ifname, sizeof(args->keys->key[1]));
	return NB_OK;
}

static const void *hop_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct track *track = args->parent_list_entry;
	struct ipaddr gate = {};

	if (!track || str2ipaddr(args->keys->key[0], &gate))
		return NULL;
	return track_hop_find(track, &gate, args->keys->key[1]);
}

static struct yang_data *hop_state_get(struct nb_cb_get_elem_args *args)
{
	const struct track_hop *hop = args->list_entry;
	char since[CLUSTER_OPER_TIME_LEN];

	if (!hop)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("status", hop->up ? "up" : "down"),
		OPER_TEXT("why", hop->why),
		OPER_BOOL("used", hop->used),
		OPER_TEXT("since",
			  cluster_oper_time(cluster_now_us() - hop->since_us,
					    since)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: .../track/state/route */
static const void *route_get_next(struct nb_cb_get_next_args *args)
{
	struct track *track = (struct track *)args->parent_list_entry;
	struct track_route *route = (struct track_route *)args->list_entry;

	if (!track)
		return NULL;
	return route ? track_routes_next(&track->routes, route)
		     : track_routes_first(&track->routes);
}

static int route_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct track_route *route = args->list_entry;

	args->keys->num = 1;
	prefix2str(&route->prefix, args->keys->key[0],
		   sizeof(args->keys->key[0]));
	return NB_OK;
}

static const void *route_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct track *track = args->parent_list_entry;
	struct prefix p = {};

	if (!track || !str2prefix(args->keys->key[0], &p))
		return NULL;
	return track_route_find(track, &p);
}

static struct yang_data *route_state_get(struct nb_cb_get_elem_args *args)
{
	const struct track_route *route = args->list_entry;
	char since[CLUSTER_OPER_TIME_LEN], prefix[PREFIX_STRLEN];

	if (!route)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("prefix",
			  prefix2str(&route->prefix, prefix, sizeof(prefix))),
		OPER_TEXT("status", track_state_name(route->state)),
		OPER_TEXT("why", route->why),
		OPER_BOOL("installed", route->status == CLUSTER_ROUTE_INSTALLED),
		OPER_NUMBER("metric", route->metric),
		OPER_NUMBER("distance", route->distance),
		OPER_TEXT("since",
			  cluster_oper_time(cluster_now_us() - route->since_us,
					    since)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

void track_notify(const struct track_route *route, const char *why)
{
	char prefix[PREFIX_STRLEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("track", route->track->name),
		OPER_TEXT("prefix",
			  prefix2str(&route->prefix, prefix, sizeof(prefix))),
		OPER_TEXT("status", track_state_name(route->state)),
		OPER_TEXT("why", why),
	};

	cluster_oper_notify("/frr-clusterd-track:track-route-change", leaves,
			    array_size(leaves));
}

void track_notify_hop(const struct track_hop *hop)
{
	char address[INET6_ADDRSTRLEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("track", hop->track->name),
		OPER_TEXT("address",
			  ipaddr2str(&hop->gate, address, sizeof(address))),
		OPER_TEXT("interface", hop->ifname),
		OPER_TEXT("status", hop->up ? "up" : "down"),
		OPER_TEXT("why", hop->why),
	};

	cluster_oper_notify("/frr-clusterd-track:track-next-hop-change", leaves,
			    array_size(leaves));
}

/* XPath: .../track/state/announced */
static struct yang_data *announced_get(struct nb_cb_get_elem_args *args)
{
	const struct track *track = args->list_entry;
	enum track_level levels[2];

	if (!track)
		return NULL;
	track_told_find(track_ctl_told(), track->name, levels);
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("ipv4", track_level_name(levels[0])),
		OPER_TEXT("ipv6", track_level_name(levels[1])),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-track:cluster-tracks/state */
static struct yang_data *state_get(struct nb_cb_get_elem_args *args)
{
	const struct track_heard *heard = track_ctl_heard();
	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("sessions", track_heard_n_nodes(heard)),
		OPER_NUMBER("refused", track_heard_refused(heard)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

static const void *heard_get_next(struct nb_cb_get_next_args *args)
{
	return track_heard_next(track_ctl_heard(), args->list_entry);
}

static int heard_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct track_entry *entry = args->list_entry;
	char id[CTL_ID_TEXT_LEN];

	args->keys->num = 2;
	strlcpy(args->keys->key[0], ctl_id_format(entry->node, id),
		sizeof(args->keys->key[0]));
	strlcpy(args->keys->key[1], entry->word.name,
		sizeof(args->keys->key[1]));
	return NB_OK;
}

static const void *heard_lookup(struct nb_cb_lookup_entry_args *args)
{
	struct ctl_id id;

	if (!ctl_id_parse(args->keys->key[0], &id))
		return NULL;
	return track_heard_entry(track_ctl_heard(), &id, args->keys->key[1]);
}

static struct yang_data *heard_get(struct nb_cb_get_elem_args *args)
{
	const struct track_entry *entry = args->list_entry;
	char since[CLUSTER_OPER_TIME_LEN], id[CTL_ID_TEXT_LEN];

	if (!entry)
		return NULL;
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("node", ctl_id_format(entry->node, id)),
		OPER_TEXT("track", entry->word.name),
		OPER_TEXT("ipv4", track_level_name(entry->word.levels[0])),
		OPER_TEXT("ipv6", track_level_name(entry->word.levels[1])),
		OPER_TEXT("since",
			  cluster_oper_time(cluster_now_us() - entry->since_us,
					    since)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* clang-format off */
#define NODE(path, ...)                                                        \
	{ .xpath = TRACK_LIST_XPATH path, .cbs = { __VA_ARGS__ } }
#define STATE(path, ...)                                                       \
	{ .xpath = TRACK_XPATH "/state" path, .cbs = { __VA_ARGS__ } }
#define LEAF(path, write)                                                      \
	NODE(path, .modify = leaf_modify, .destroy = leaf_destroy,             \
	     .cli_show = (write))

const struct frr_yang_module_info frr_clusterd_track_info = {
	.name = "frr-clusterd-track",
	.nodes = {
		NODE("",
		     .create = track_create,
		     .destroy = track_destroy,
		     .get_next = track_get_next,
		     .get_keys = track_get_keys,
		     .lookup_entry = track_lookup,
		     .cli_cmp = cluster_vty_name_cmp,
		     .cli_show = track_entry_cli_write,
		     .cli_show_end = track_entry_cli_write_end),
		LEAF("/vrf", cluster_vty_leaf_write),
		LEAF("/probe", cluster_vty_leaf_write),
		LEAF("/tag", cluster_vty_leaf_write),
		LEAF("/metric", cluster_vty_leaf_write),
		LEAF("/distance", cluster_vty_leaf_write),
		LEAF("/down/metric", track_down_cli_write),
		LEAF("/down/distance", track_down_cli_write),
		NODE("/last-resort-keep",
		     .create = flag_create,
		     .destroy = flag_destroy,
		     .cli_show = track_last_resort_cli_write),
		NODE("/announce-edges",
		     .create = flag_create,
		     .destroy = flag_destroy,
		     .cli_show = track_announce_cli_write),
		NODE("/shutdown",
		     .create = flag_create,
		     .destroy = flag_destroy,
		     .cli_show = cluster_vty_flag_write),
		NODE("/next-hop",
		     .create = hop_create,
		     .destroy = hop_destroy,
		     .get_next = hop_get_next,
		     .get_keys = hop_get_keys,
		     .lookup_entry = hop_lookup,
		     .cli_show = track_hop_cli_write,
		     .cli_cmp = hop_cli_cmp),
		NODE("/next-hop/preference",
		     .modify = preference_modify,
		     .destroy = preference_destroy),
		NODE("/next-hop/probe",
		     .modify = hop_probe_modify,
		     .destroy = hop_probe_destroy),
		NODE("/next-hop/gateway",
		     .modify = gateway_modify,
		     .destroy = gateway_destroy),
		NODE("/next-hop/gateway-track",
		     .modify = gateway_track_modify,
		     .destroy = gateway_track_destroy),
		NODE("/next-hop/state/status", .get_elem = hop_state_get),
		NODE("/next-hop/state/why", .get_elem = hop_state_get),
		NODE("/next-hop/state/used", .get_elem = hop_state_get),
		NODE("/next-hop/state/since", .get_elem = hop_state_get),
		NODE("/route",
		     .create = route_create,
		     .destroy = route_destroy,
		     .cli_show = track_route_cli_write,
		     .cli_cmp = route_cli_cmp),
		NODE("/state/route",
		     .get_next = route_get_next,
		     .get_keys = route_get_keys,
		     .lookup_entry = route_lookup),
		NODE("/state/route/prefix", .get_elem = route_state_get),
		NODE("/state/route/status", .get_elem = route_state_get),
		NODE("/state/route/why", .get_elem = route_state_get),
		NODE("/state/route/installed", .get_elem = route_state_get),
		NODE("/state/route/metric", .get_elem = route_state_get),
		NODE("/state/route/distance", .get_elem = route_state_get),
		NODE("/state/route/since", .get_elem = route_state_get),
		NODE("/state/announced/ipv4", .get_elem = announced_get),
		NODE("/state/announced/ipv6", .get_elem = announced_get),
		STATE("/sessions", .get_elem = state_get),
		STATE("/refused", .get_elem = state_get),
		STATE("/announcement",
		      .get_next = heard_get_next,
		      .get_keys = heard_get_keys,
		      .lookup_entry = heard_lookup),
		STATE("/announcement/node", .get_elem = heard_get),
		STATE("/announcement/track", .get_elem = heard_get),
		STATE("/announcement/ipv4", .get_elem = heard_get),
		STATE("/announcement/ipv6", .get_elem = heard_get),
		STATE("/announcement/since", .get_elem = heard_get),
		{ .xpath = NULL },
	},
};
/* clang-format on */
