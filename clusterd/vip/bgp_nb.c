// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of `cluster bgp`: callbacks copy the value and say that something
 * has changed; operational callbacks read the state.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "cluster_vty.h"
#include "clusterd.h"
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

static const void *vrf_get_next(struct nb_cb_get_next_args *args)
{
	struct bgp_vrf *vrf = (struct bgp_vrf *)args->list_entry;

	return vrf ? bgp_vrfs_next(&bgp_vrfs, vrf) : bgp_vrfs_first(&bgp_vrfs);
}

static int vrf_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct bgp_vrf *vrf = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], vrf->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

static const void *vrf_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	return bgp_vrf_find(args->keys->key[0]);
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
static const struct bgp_vrf *elem_vrf(struct nb_cb_get_elem_args *args)
{
	const struct bgp_vrf *vrf = args->list_entry;

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
	const struct bgp_vrf *vrf = elem_vrf(args);
	char why[BGP_WHY_LEN];

	return vrf ? yang_data_new_string(args->xpath,
					  bgp_vrf_why(vrf, why, sizeof(why)))
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

static bool elem_map(struct nb_cb_get_elem_args *args, struct bgp_map_view *view)
{
	const struct bgp_vrf *vrf = elem_vrf(args);

	return vrf && bgp_policy_map(vrf, view);
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/entries-wanted */
static struct yang_data *state_entries_wanted(struct nb_cb_get_elem_args *args)
{
	struct bgp_map_view view;

	return elem_map(args, &view)
		       ? yang_data_new_uint32(args->xpath, view.wanted)
		       : NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp/vrf/state/entries */
static struct yang_data *state_entries(struct nb_cb_get_elem_args *args)
{
	struct bgp_map_view view;

	return elem_map(args, &view)
		       ? yang_data_new_uint32(args->xpath, view.have)
		       : NULL;
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
		     .get_elem = state_entries_wanted),
		NODE("/vrf/state/entries",
		     .get_elem = state_entries),
		NODE("/vrf/state/last-error",
		     .get_elem = state_last_error),
		{ .xpath = NULL },
	},
};
