// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster track`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "track/track_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/track/track_show_clippy.c"
#endif

static json_object *hop_json(const struct track_hop *hop, int64_t now_us)
{
	json_object *json = json_object_new_object();
	char text[INET6_ADDRSTRLEN], id[CTL_ID_TEXT_LEN];

	json_object_string_add(json, "address",
			       ipaddr2str(&hop->gate, text, sizeof(text)));
	if (hop->ifname[0])
		json_object_string_add(json, "interface", hop->ifname);
	json_object_int_add(json, "preference", hop->preference);
	if (track_hop_probe(hop)[0])
		json_object_string_add(json, "probe", track_hop_probe(hop));
	if (!ctl_id_is_null(&hop->gateway)) {
		json_object_string_add(json, "gateway",
				       ctl_id_format(&hop->gateway, id));
		json_object_string_add(json, "gatewayTrack",
				       track_hop_gateway_track(hop));
	}
	json_object_string_add(json, "state", hop->up ? "up" : "down");
	json_object_string_add(json, "why", hop->why);
	json_object_boolean_add(json, "used", hop->used);
	json_object_int_add(json, "sinceMsec", (now_us - hop->since_us) / 1000);
	return json;
}

static json_object *route_json(const struct track_route *route, int64_t now_us)
{
	json_object *json = json_object_new_object();
	char text[PREFIX_STRLEN];

	json_object_string_add(json, "prefix",
			       prefix2str(&route->prefix, text, sizeof(text)));
	json_object_string_add(json, "state", track_state_name(route->state));
	json_object_string_add(json, "why", route->why);
	json_object_boolean_add(json, "installed",
				route->status == CLUSTER_ROUTE_INSTALLED);
	json_object_int_add(json, "metric", route->metric);
	json_object_int_add(json, "distance", route->distance);
	json_object_int_add(json, "sinceMsec",
			    (now_us - route->since_us) / 1000);
	return json;
}

/* Of both families; an object that has all levels `none` is of no announcement. */
static json_object *levels_json(const enum track_level levels[2])
{
	json_object *json = json_object_new_object();

	json_object_string_add(json, "ipv4", track_level_name(levels[0]));
	json_object_string_add(json, "ipv6", track_level_name(levels[1]));
	return json;
}

static json_object *track_json(const struct track *track, int64_t now_us)
{
	json_object *json = json_object_new_object();
	json_object *hops = json_object_new_array();
	json_object *routes = json_object_new_array();
	const struct track_route *route;
	const struct track_hop *hop;
	enum track_level levels[2];

	json_object_string_add(json, "vrf", track->vrf);
	json_object_int_add(json, "tag", track->tag);
	if (track->announce) {
		track_told_find(track_ctl_told(), track->name, levels);
		json_object_object_add(json, "announced", levels_json(levels));
	}
	frr_each (track_hops_const, &track->hops, hop)
		json_object_array_add(hops, hop_json(hop, now_us));
	json_object_object_add(json, "nextHops", hops);
	frr_each (track_routes_const, &track->routes, route)
		json_object_array_add(routes, route_json(route, now_us));
	json_object_object_add(json, "routes", routes);
	return json;
}

static void announced_show(struct vty *vty, const struct track *track)
{
	enum track_level levels[2];

	track_told_find(track_ctl_told(), track->name, levels);
	/* Each family that has routes has a level, once there was a decision. */
	if (!levels[0] && !levels[1] && track_routes_count(&track->routes) &&
	    track_told_count(track_ctl_told()) == TRACK_TOLD_MAX)
		vty_out(vty,
			"  not announced: %d tracks are at the most, the first by name\n",
			TRACK_TOLD_MAX);
	else
		vty_out(vty, "  announced to %zu nodes: IPv4 %s, IPv6 %s\n",
			track_heard_n_nodes(track_ctl_heard()),
			track_level_name(levels[0]),
			track_level_name(levels[1]));
}

/* What a track asked for by name has besides. */
static void hop_detail(struct vty *vty, const struct track_hop *hop)
{
	char id[CTL_ID_TEXT_LEN];

	vty_out(vty, "           preference %u", hop->preference);
	if (track_hop_probe(hop)[0])
		vty_out(vty, ", probe %s", track_hop_probe(hop));
	if (!ctl_id_is_null(&hop->gateway))
		vty_out(vty, ", as track %s of gateway %s",
			track_hop_gateway_track(hop),
			ctl_id_format(&hop->gateway, id));
	vty_out(vty, "\n");
}

static void track_show(struct vty *vty, const struct track *track, bool detail,
		       int64_t now_us)
{
	char name[PREFIX_STRLEN + CLUSTER_IFNAME_LEN + 4], text[PREFIX_STRLEN];
	const struct track_route *route;
	const struct track_hop *hop;
	char since[32];

	vty_out(vty, "%s", track->name);
	if (strcmp(track->vrf, TRACK_DEFAULT_VRF))
		vty_out(vty, " (VRF %s)", track->vrf);
	vty_out(vty, "\n");
	frr_each (track_hops_const, &track->hops, hop) {
		ipaddr2str(&hop->gate, text, sizeof(text));
		snprintf(name, sizeof(name), "%s%s%s", text,
			 hop->ifname[0] ? " on " : "", hop->ifname);
		vty_out(vty, "  next hop %-26s  %-11s  %-8s  %9s  %s\n", name,
			hop->up ? "up" : "down", hop->used ? "used" : "-",
			cluster_uptime(hop->since_us, now_us, since,
				       sizeof(since)),
			hop->why[0] ? hop->why : "-");
		if (detail)
			hop_detail(vty, hop);
	}
	frr_each (track_routes_const, &track->routes, route) {
		vty_out(vty, "  route    %-26s  %-11s  %-8s  %9s  %s\n",
			prefix2str(&route->prefix, text, sizeof(text)),
			track_state_name(route->state),
			route->status == CLUSTER_ROUTE_INSTALLED ? "in use"
								 : "-",
			cluster_uptime(route->since_us, now_us, since,
				       sizeof(since)),
			route->why[0] ? route->why : "-");
		if (detail)
			vty_out(vty,
				"           tag %u, metric %u, distance %u\n",
				track->tag, route->metric, route->distance);
	}
	if (track->announce)
		announced_show(vty, track);
	if (!track_hops_count(&track->hops))
		vty_out(vty, "  no next hop configured\n");
	if (!track_routes_count(&track->routes))
		vty_out(vty, "  no route configured\n");
}

DEFPY (show_cluster_track,
       show_cluster_track_cmd,
       "show cluster track [NAME$name] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "Routes whose next hops follow probes\n"
       "Name of one track\n"
       JSON_STR)
{
	int64_t now_us = cluster_now_us();
	json_object *all = json ? json_object_new_object() : NULL;
	const struct track *track;

	frr_each (tracks_const, &tracks, track) {
		if (name && strcmp(name, track->name))
			continue;
		if (all)
			json_object_object_add(all, track->name,
					       track_json(track, now_us));
		else
			track_show(vty, track, name != NULL, now_us);
	}
	if (all)
		return vty_json(vty, all);
	if (name && !track_find(name)) {
		vty_out(vty, "%% no track %s\n", name);
		return CMD_WARNING;
	}
	return CMD_SUCCESS;
}

static void announcements_json(struct vty *vty, int64_t now_us)
{
	json_object *all = json_object_new_object(), *node = NULL, *track;
	const struct track_heard *heard = track_ctl_heard();
	const struct track_entry *entry = NULL;
	const struct ctl_id *last = NULL;
	char id[CTL_ID_TEXT_LEN];

	while ((entry = track_heard_next(heard, entry))) {
		if (!last || ctl_id_cmp(last, entry->node)) {
			node = json_object_new_object();
			json_object_object_add(all,
					       ctl_id_format(entry->node, id),
					       node);
		}
		last = entry->node;
		track = levels_json(entry->word.levels);
		json_object_int_add(track, "sinceMsec",
				    (now_us - entry->since_us) / 1000);
		json_object_object_add(node, entry->word.name, track);
	}
	vty_json(vty, all);
}

DEFPY (show_cluster_track_announcements,
       show_cluster_track_announcements_cmd,
       "show cluster track-announcements [json$json]",
       SHOW_STR
       CLUSTER_STR
       "What other nodes say about their tracks\n"
       JSON_STR)
{
	const struct track_heard *heard = track_ctl_heard();
	const struct track_entry *entry = NULL;
	int64_t now_us = cluster_now_us();
	char id[CTL_ID_TEXT_LEN], since[32];

	if (json) {
		announcements_json(vty, now_us);
		return CMD_SUCCESS;
	}
	while ((entry = track_heard_next(heard, entry)))
		vty_out(vty, "%s  %-20s  IPv4 %-11s  IPv6 %-11s  %9s\n",
			ctl_id_format(entry->node, id), entry->word.name,
			track_level_name(entry->word.levels[0]),
			track_level_name(entry->word.levels[1]),
			cluster_uptime(entry->since_us, now_us, since,
				       sizeof(since)));
	if (track_heard_refused(heard))
		vty_out(vty, "%" PRIu64 " not taken: malformed, or too many\n",
			track_heard_refused(heard));
	return CMD_SUCCESS;
}

void track_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_track_announcements_cmd);
	install_element(VIEW_NODE, &show_cluster_track_cmd);
}
