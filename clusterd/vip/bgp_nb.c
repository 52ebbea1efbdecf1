// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of `cluster bgp`: callbacks copy the value and say that something
 * has changed; operational callbacks read the state.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "vip/bgp_nb.h"
#include "vip/bgp_policy.h"

static struct bgp_vrf *dnode_vrf(const struct lyd_node *dnode)
{
	struct bgp_vrf *vrf =
		bgp_vrf_find(lyd_get_value(lyd_child(lyd_parent(dnode))));

	assert(vrf);
	return vrf;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf */
static int vrf_create(struct nb_cb_create_args *args)
{
	if (args->event == NB_EV_APPLY)
		bgp_vrf_add(lyd_get_value(lyd_child(args->dnode)));
	return NB_OK;
}

static int vrf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		bgp_vrf_del(bgp_vrf_find(lyd_get_value(lyd_child(args->dnode))));
	return NB_OK;
}

/* An entry is the VRF's name: those that only have VIPs are no objects here. */
static const void *vrf_get_next(struct nb_cb_get_next_args *args)
{
	return bgp_policy_vrf_next(args->list_entry ? args->list_entry : "");
}

static int vrf_get_keys(struct nb_cb_get_keys_args *args)
{
	args->keys->num = 1;
	strlcpy(args->keys->key[0], args->list_entry,
		sizeof(args->keys->key[0]));
	return NB_OK;
}

static const void *vrf_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	const char *name = "";

	while ((name = bgp_policy_vrf_next(name)))
		if (strmatch(name, args->keys->key[0]))
			return name;
	return NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/route-map */
static int route_map_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct bgp_vrf *vrf = dnode_vrf(args->dnode);

		strlcpy(vrf->route_map, yang_dnode_get_string(args->dnode, NULL),
			sizeof(vrf->route_map));
		bgp_policy_changed();
	}
	return NB_OK;
}

static int route_map_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		dnode_vrf(args->dnode)->route_map[0] = '\0';
		bgp_policy_changed();
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/next-hop-ipv4, next-hop-ipv6 */
static int next_hop_family(const struct lyd_node *dnode)
{
	return strcmp(dnode->schema->name, "next-hop-ipv6") == 0;
}

static int next_hop_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct bgp_vrf *vrf = dnode_vrf(args->dnode);

		/* The model's type has checked the syntax. */
		(void)str2ipaddr(yang_dnode_get_string(args->dnode, NULL),
				 &vrf->nexthop[next_hop_family(args->dnode)]);
		bgp_policy_changed();
	}
	return NB_OK;
}

static int next_hop_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		struct bgp_vrf *vrf = dnode_vrf(args->dnode);

		vrf->nexthop[next_hop_family(args->dnode)].ipa_type =
			IPADDR_NONE;
		bgp_policy_changed();
	}
	return NB_OK;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/next-hop-unchanged */
static int unchanged_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY) {
		dnode_vrf(args->dnode)->unchanged =
			yang_dnode_get_bool(args->dnode, NULL);
		bgp_policy_changed();
	}
	return NB_OK;
}

static int unchanged_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY) {
		dnode_vrf(args->dnode)->unchanged = false;
		bgp_policy_changed();
	}
	return NB_OK;
}

/*
 * FRR 8.4 finds no list entry for a path that goes on below one and calls with
 * NULL.
 */
static const struct bgp_vrf *entry_vrf(struct nb_cb_get_elem_args *args)
{
	return args->list_entry ? bgp_vrf_find(args->list_entry) : NULL;
}

/* With a map that is kept. */
static const struct bgp_vrf *elem_vrf(struct nb_cb_get_elem_args *args)
{
	const struct bgp_vrf *vrf = entry_vrf(args);

	return vrf && vrf->route_map[0] ? vrf : NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/status */
static struct yang_data *state_status(struct nb_cb_get_elem_args *args)
{
	const struct bgp_vrf *vrf = elem_vrf(args);

	return vrf ? yang_data_new_string(args->xpath, bgp_vrf_status(vrf))
		   : NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/why */
static struct yang_data *state_why(struct nb_cb_get_elem_args *args)
{
	const struct bgp_vrf *vrf = entry_vrf(args);
	char why[BGP_WHY_LEN];

	if (!vrf)
		return NULL;
	bgp_vrf_why(vrf, why, sizeof(why));
	/* Without a map that is kept there is mostly nothing to say. */
	return vrf->route_map[0] || why[0]
		       ? yang_data_new_string(args->xpath, why)
		       : NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/last-change */
static struct yang_data *state_last_change(struct nb_cb_get_elem_args *args)
{
	const struct bgp_vrf *vrf = elem_vrf(args);
	char text[CLUSTER_OPER_TIME_LEN];

	if (!vrf)
		return NULL;
	return yang_data_new_string(args->xpath,
				    cluster_oper_wall(vrf->since_wall, text));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/entries-wanted, ... */
static struct yang_data *state_map(struct nb_cb_get_elem_args *args)
{
	const struct bgp_vrf *vrf = elem_vrf(args);
	struct bgp_map_view view;

	if (!vrf || !bgp_policy_map(vrf, &view))
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("entries-wanted", view.wanted),
		OPER_NUMBER("entries", view.have),
		OPER_NUMBER("repairs", view.repairs),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/session, ... */
static struct yang_data *state_session(struct nb_cb_get_elem_args *args)
{
	char failed[CLUSTER_OPER_TIME_LEN] = "", retry[24] = "";
	int64_t now_us = cluster_now_us();
	struct bgp_keeper_view view;

	if (!elem_vrf(args))
		return NULL;
	bgp_policy_keeper(&view);
	if (view.last_error[0])
		cluster_oper_time(now_us - view.last_error_us, failed);
	if (view.state == BGP_KEEPER_AWAY || view.state == BGP_KEEPER_BACKOFF)
		snprintf(retry, sizeof(retry), "%" PRId64,
			 MAX(view.retry_us - now_us, 0) / 1000);

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("session", bgp_keeper_state_name(view.state)),
		OPER_NUMBER("readings", view.reads),
		OPER_NUMBER("writings", view.writes),
		OPER_NUMBER("errors", view.errors),
		OPER_TEXT("retry", retry),
		OPER_TEXT("last-error-time", failed),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/last-error */
static struct yang_data *state_last_error(struct nb_cb_get_elem_args *args)
{
	struct bgp_keeper_view view;

	if (!elem_vrf(args))
		return NULL;
	bgp_policy_keeper(&view);
	return yang_data_new_string(args->xpath, view.last_error);
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/vips, vips-waiting */
static struct yang_data *state_vips(struct nb_cb_get_elem_args *args)
{
	size_t n_vips, n_waiting;

	if (!args->list_entry)
		return NULL;
	n_vips = bgp_policy_vips(args->list_entry, &n_waiting);

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("vips", n_vips),
		OPER_NUMBER("vips-waiting", n_waiting),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/next-hop-ipv4, -ipv6 */
static struct yang_data *state_next_hop(struct nb_cb_get_elem_args *args)
{
	char v4[INET_ADDRSTRLEN] = "", v6[INET6_ADDRSTRLEN] = "";
	struct bgp_nexthops nexthops;

	if (!args->list_entry)
		return NULL;
	bgp_policy_nexthops(args->list_entry, &nexthops);
	if (nexthops.v4.s_addr != INADDR_ANY)
		inet_ntop(AF_INET, &nexthops.v4, v4, sizeof(v4));
	if (!IN6_IS_ADDR_UNSPECIFIED(&nexthops.v6))
		inet_ntop(AF_INET6, &nexthops.v6, v6, sizeof(v6));

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("next-hop-ipv4", v4),
		OPER_TEXT("next-hop-ipv6", v6),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/*
 * The entries of the VRF whose list is walked, or was last looked into: the
 * northbound goes through one entry after the other, each with its lines.
 * libyang takes so long for each that all of 10,000 VIPs' would have the
 * watchdog end us.
 */
#define WANTED_MAX 1000
static struct bgp_texts wanted;

static void wanted_take(const char *vrf)
{
	bgp_texts_clear(&wanted);
	bgp_policy_wanted(vrf, &wanted);
}

static uint32_t wanted_tag(const char *text)
{
	return (uint32_t)strtoul(text + strlen("match tag "), NULL, 10);
}

void bgp_nb_fini(void)
{
	bgp_texts_clear(&wanted);
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/wanted */
static const void *wanted_get_next(struct nb_cb_get_next_args *args)
{
	char *const *entry = args->list_entry;

	if (!args->parent_list_entry)
		return NULL;
	if (!entry)
		wanted_take(args->parent_list_entry);
	entry = entry ? entry + 1 : wanted.texts;
	if (entry < wanted.texts + MIN(wanted.n, WANTED_MAX))
		return entry;
	bgp_texts_clear(&wanted);
	return NULL;
}

static int wanted_get_keys(struct nb_cb_get_keys_args *args)
{
	char *const *entry = args->list_entry;

	args->keys->num = 1;
	snprintf(args->keys->key[0], sizeof(args->keys->key[0]), "%u",
		 wanted_tag(*entry));
	return NB_OK;
}

static const void *wanted_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	uint32_t tag = (uint32_t)strtoul(args->keys->key[0], NULL, 10);

	if (!args->parent_list_entry)
		return NULL;
	wanted_take(args->parent_list_entry);
	for (size_t i = 0; i < wanted.n; i++)
		if (wanted_tag(wanted.texts[i]) == tag)
			return &wanted.texts[i];
	return NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/wanted/tag */
static struct yang_data *wanted_tag_get(struct nb_cb_get_elem_args *args)
{
	char *const *entry = args->list_entry;

	return entry ? yang_data_new_uint32(args->xpath, wanted_tag(*entry))
		     : NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/wanted/line */
static const void *wanted_line_get_next(struct nb_cb_get_next_args *args)
{
	char *const *entry = args->parent_list_entry;
	const char *line = args->list_entry;

	if (!entry)
		return NULL;
	line = line ? strchr(line, '\n') + 1 : *entry;
	return *line ? line : NULL;
}

static struct yang_data *wanted_line_get(struct nb_cb_get_elem_args *args)
{
	const char *line = args->list_entry;
	char text[BGP_MAP_TEXT_LEN];

	if (!line)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
	return yang_data_new_string(args->xpath, text);
}

/* XPath: /frr-clusterd-bgp:bgp-map-status-change */
void bgp_notify(const struct bgp_vrf *vrf)
{
	char why[BGP_WHY_LEN], since[CLUSTER_OPER_TIME_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("vrf", vrf->name),
		OPER_TEXT("route-map", vrf->route_map),
		OPER_TEXT("status", bgp_vrf_status(vrf)),
		OPER_TEXT("why", bgp_vrf_why(vrf, why, sizeof(why))),
		OPER_TEXT("last-change",
			  cluster_oper_wall(vrf->since_wall, since)),
	};

	cluster_oper_notify("/frr-clusterd-bgp:bgp-map-status-change", leaves,
			    array_size(leaves));
}

#define NODE(path, ...)                                                        \
	{                                                                      \
		.xpath = BGP_XPATH path, .cbs = { __VA_ARGS__ },               \
	}

#define PEERS(path, ...)                                                       \
	{                                                                      \
		.xpath = "/frr-clusterd-bgp:cluster-bgp-peers/" path,          \
		.cbs = { __VA_ARGS__ },                                        \
	}

/* clang-format off */
const struct frr_yang_module_info frr_clusterd_bgp_info = {
	.name = "frr-clusterd-bgp",
	.nodes = {
		NODE("/vrf",
		     .create = vrf_create,
		     .destroy = vrf_destroy,
		     .get_next = vrf_get_next,
		     .get_keys = vrf_get_keys,
		     .lookup_entry = vrf_lookup_entry,
		     .cli_cmp = cluster_vty_name_cmp),
		NODE("/vrf/route-map",
		     .modify = route_map_modify,
		     .destroy = route_map_destroy,
		     .cli_show = bgp_route_map_cli_write),
		NODE("/vrf/next-hop-ipv4",
		     .modify = next_hop_modify,
		     .destroy = next_hop_destroy,
		     .cli_show = bgp_next_hop_cli_write),
		NODE("/vrf/next-hop-ipv6",
		     .modify = next_hop_modify,
		     .destroy = next_hop_destroy,
		     .cli_show = bgp_next_hop_cli_write),
		NODE("/vrf/next-hop-unchanged",
		     .modify = unchanged_modify,
		     .destroy = unchanged_destroy,
		     .cli_show = bgp_unchanged_cli_write),
		NODE("/vrf/state/status",
		     .get_elem = state_status),
		NODE("/vrf/state/why",
		     .get_elem = state_why),
		NODE("/vrf/state/last-change",
		     .get_elem = state_last_change),
		NODE("/vrf/state/entries-wanted",
		     .get_elem = state_map),
		NODE("/vrf/state/entries",
		     .get_elem = state_map),
		NODE("/vrf/state/repairs",
		     .get_elem = state_map),
		NODE("/vrf/state/session",
		     .get_elem = state_session),
		NODE("/vrf/state/readings",
		     .get_elem = state_session),
		NODE("/vrf/state/writings",
		     .get_elem = state_session),
		NODE("/vrf/state/errors",
		     .get_elem = state_session),
		NODE("/vrf/state/retry",
		     .get_elem = state_session),
		NODE("/vrf/state/last-error-time",
		     .get_elem = state_session),
		NODE("/vrf/state/last-error",
		     .get_elem = state_last_error),
		NODE("/vrf/state/vips",
		     .get_elem = state_vips),
		NODE("/vrf/state/vips-waiting",
		     .get_elem = state_vips),
		NODE("/vrf/state/next-hop-ipv4",
		     .get_elem = state_next_hop),
		NODE("/vrf/state/next-hop-ipv6",
		     .get_elem = state_next_hop),
		NODE("/vrf/state/wanted",
		     .get_next = wanted_get_next,
		     .get_keys = wanted_get_keys,
		     .lookup_entry = wanted_lookup_entry),
		NODE("/vrf/state/wanted/tag",
		     .get_elem = wanted_tag_get),
		NODE("/vrf/state/wanted/line",
		     .get_next = wanted_line_get_next,
		     .get_elem = wanted_line_get),
		PEERS("status", .get_elem = bgp_peers_status_get),
		PEERS("why", .get_elem = bgp_peers_why_get),
		PEERS("last-answer", .get_elem = bgp_peers_status_get),
		PEERS("vip",
		      .get_next = bgp_peers_vip_next,
		      .get_keys = bgp_peers_vip_keys,
		      .lookup_entry = bgp_peers_vip_lookup),
		PEERS("vip/name", .get_elem = bgp_peers_vip_get),
		PEERS("vip/vrf", .get_elem = bgp_peers_vip_get),
		PEERS("vip/address",
		      .get_next = bgp_peers_address_next,
		      .get_keys = bgp_peers_address_keys,
		      .lookup_entry = bgp_peers_address_lookup),
		PEERS("vip/address/address", .get_elem = bgp_peers_address_get),
		PEERS("vip/address/state", .get_elem = bgp_peers_address_get),
		PEERS("vip/address/in-bgp", .get_elem = bgp_peers_address_get),
		PEERS("vip/address/others-count", .get_elem = bgp_peers_address_get),
		PEERS("vip/address/other",
		      .get_next = bgp_peers_other_next,
		      .get_keys = bgp_peers_other_keys,
		      .lookup_entry = bgp_peers_other_lookup),
		PEERS("vip/address/other/number", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/from", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/hostname", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/next-hop", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/as-path", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/originator", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/draining", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/best", .get_elem = bgp_peers_other_get),
		PEERS("vip/address/other/since", .get_elem = bgp_peers_other_get),
		PEERS("vrf",
		      .get_next = bgp_peers_vrf_next,
		      .get_keys = bgp_peers_vrf_keys,
		      .lookup_entry = bgp_peers_vrf_lookup),
		PEERS("vrf/name", .get_elem = bgp_peers_vrf_get),
		PEERS("vrf/sessions-count", .get_elem = bgp_peers_vrf_get),
		PEERS("vrf/session",
		      .get_next = bgp_peers_session_next,
		      .get_keys = bgp_peers_session_keys,
		      .lookup_entry = bgp_peers_session_lookup),
		PEERS("vrf/session/neighbor", .get_elem = bgp_peers_session_get),
		PEERS("vrf/session/hostname", .get_elem = bgp_peers_session_get),
		PEERS("vrf/session/as", .get_elem = bgp_peers_session_get),
		PEERS("vrf/session/state", .get_elem = bgp_peers_session_get),
		PEERS("vrf/session/last-change", .get_elem = bgp_peers_session_get),
		PEERS("vrf/session/ipv4-prefixes", .get_elem = bgp_peers_session_get),
		PEERS("vrf/session/ipv6-prefixes", .get_elem = bgp_peers_session_get),
		{ .xpath = NULL },
	},
};
