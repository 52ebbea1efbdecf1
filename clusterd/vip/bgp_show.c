// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster bgp policy`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "vip/bgp_policy.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/bgp_show_clippy.c"
#endif

/* What a map is called that somebody writes by hand. */
#define BY_HAND "VIPS"

/* One line of a text, without its end; returns the next one or NULL. */
static const char *text_line(const char *text, char *line, size_t len)
{
	const char *end = strchr(text, '\n');

	if (!end)
		return NULL;
	strlcpy(line, text, len);
	if ((size_t)(end - text) < len)
		line[end - text] = '\0';
	return end + 1;
}

static struct json_object *entry_json(const char *text)
{
	struct json_object *json = json_object_new_object();
	struct json_object *lines = json_object_new_array();
	char line[BGP_MAP_TEXT_LEN];
	const char *next = text;

	json_object_int_add(json, "tag",
			    strtoul(text + strlen("match tag "), NULL, 10));
	while ((next = text_line(next, line, sizeof(line))))
		json_object_array_add(lines, json_object_new_string(line));
	json_object_object_add(json, "lines", lines);
	return json;
}

static void nexthops_json(struct json_object *json,
			  const struct bgp_nexthops *nexthops)
{
	char addr[INET6_ADDRSTRLEN];

	if (nexthops->v4.s_addr != INADDR_ANY)
		json_object_string_add(json, "nextHopIpv4",
				       inet_ntop(AF_INET, &nexthops->v4, addr,
						 sizeof(addr)));
	if (!IN6_IS_ADDR_UNSPECIFIED(&nexthops->v6))
		json_object_string_add(json, "nextHopIpv6",
				       inet_ntop(AF_INET6, &nexthops->v6, addr,
						 sizeof(addr)));
}

static void map_json(struct json_object *json, const struct bgp_vrf *vrf,
		     int64_t now_us)
{
	struct bgp_keeper_view keeper;
	struct bgp_map_view map = {};
	char why[BGP_WHY_LEN];

	json_object_string_add(json, "routeMap", vrf->route_map);
	json_object_string_add(json, "status", bgp_vrf_status(vrf));
	json_object_string_add(json, "why", bgp_vrf_why(vrf, why, sizeof(why)));
	json_object_int_add(json, "sinceMsec", (now_us - vrf->since_us) / 1000);
	if (bgp_policy_map(vrf, &map)) {
		json_object_int_add(json, "entriesWanted", map.wanted);
		json_object_int_add(json, "entries", map.have);
		json_object_int_add(json, "repairs", map.repairs);
	}
	bgp_policy_keeper(&keeper);
	json_object_string_add(json, "session",
			       bgp_keeper_state_name(keeper.state));
	json_object_int_add(json, "readings", keeper.reads);
	json_object_int_add(json, "writings", keeper.writes);
	json_object_int_add(json, "errors", keeper.errors);
	if (keeper.state == BGP_KEEPER_AWAY ||
	    keeper.state == BGP_KEEPER_BACKOFF)
		json_object_int_add(json, "retryMsec",
				    MAX(keeper.retry_us - now_us, 0) / 1000);
	if (keeper.last_error[0]) {
		json_object_string_add(json, "lastError", keeper.last_error);
		json_object_int_add(json, "lastErrorMsec",
				    (now_us - keeper.last_error_us) / 1000);
	}
}

static struct json_object *vrf_json(const char *name, int64_t now_us)
{
	struct json_object *json = json_object_new_object();
	struct json_object *wanted = json_object_new_array();
	const struct bgp_vrf *vrf = bgp_vrf_find(name);
	struct bgp_nexthops nexthops;
	struct bgp_texts texts = {};
	size_t n_vips, n_waiting;
	char why[BGP_WHY_LEN];

	if (vrf && vrf->route_map[0])
		map_json(json, vrf, now_us);
	else if (vrf && bgp_vrf_why(vrf, why, sizeof(why))[0])
		json_object_string_add(json, "why", why);
	n_vips = bgp_policy_vips(name, &n_waiting);
	json_object_int_add(json, "vips", n_vips);
	json_object_int_add(json, "vipsWaiting", n_waiting);
	bgp_policy_nexthops(name, &nexthops);
	nexthops_json(json, &nexthops);
	bgp_policy_wanted(name, &texts);
	for (size_t i = 0; i < texts.n; i++)
		json_object_array_add(wanted, entry_json(texts.texts[i]));
	json_object_object_add(json, "wanted", wanted);
	bgp_texts_clear(&texts);
	return json;
}

static void show_map(struct vty *vty, const struct bgp_vrf *vrf, int64_t now_us)
{
	char since[32], why[BGP_WHY_LEN];
	struct bgp_keeper_view keeper;
	struct bgp_map_view map = {};

	cluster_uptime(vrf->since_us, now_us, since, sizeof(since));
	bgp_vrf_why(vrf, why, sizeof(why));
	vty_out(vty, "VRF %s: route-map %s is kept: %s for %s\n", vrf->name,
		vrf->route_map, bgp_vrf_status(vrf), since);
	if (why[0])
		vty_out(vty, "  %s\n", why);
	if (bgp_policy_map(vrf, &map))
		vty_out(vty,
			"  %zu entries wanted, %zu read from bgpd; %" PRIu64
			" edits of others repaired\n",
			map.wanted, map.have, map.repairs);
	bgp_policy_keeper(&keeper);
	vty_out(vty,
		"  Session with bgpd: %s, %" PRIu64 " readings, %" PRIu64
		" writings, %" PRIu64 " errors\n",
		bgp_keeper_state_name(keeper.state), keeper.reads,
		keeper.writes, keeper.errors);
	if (keeper.last_error[0])
		vty_out(vty, "  Last error, %s ago: %s\n",
			cluster_uptime(keeper.last_error_us, now_us, since,
				       sizeof(since)),
			keeper.last_error);
}

static void show_vrf(struct vty *vty, const char *name, int64_t now_us)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(name);
	bool is_kept = vrf && vrf->route_map[0];
	struct bgp_texts texts = {};
	char line[BGP_MAP_TEXT_LEN], why[BGP_WHY_LEN] = "";
	size_t n_waiting;

	if (is_kept)
		show_map(vty, vrf, now_us);
	else {
		vty_out(vty,
			"VRF %s: no route-map is kept (`cluster bgp route-map`). By hand:\n",
			name);
		if (vrf && bgp_vrf_why(vrf, why, sizeof(why))[0])
			vty_out(vty, "  %s\n", why);
	}
	if (bgp_policy_vips(name, &n_waiting) && n_waiting)
		vty_out(vty,
			"  %zu VIPs keep their former attributes until bgpd has the new ones\n",
			n_waiting);
	bgp_policy_wanted(name, &texts);
	for (size_t i = 0; i < texts.n; i++) {
		const char *next = texts.texts[i];

		vty_out(vty, "!\nroute-map %s permit %zu\n",
			is_kept ? vrf->route_map : BY_HAND, 10 * (i + 1));
		while ((next = text_line(next, line, sizeof(line))))
			vty_out(vty, " %s\n", line);
		vty_out(vty, "exit\n");
	}
	bgp_texts_clear(&texts);
	vty_out(vty,
		"!\n! in each address family of the BGP instance:\n! redistribute %s route-map %s\n",
		cluster_zebra_route_type(), is_kept ? vrf->route_map : BY_HAND);
}

/* Calls `show` for each VRF that has VIPs or is configured, by name. */
static void each_vrf(void (*show)(void *arg, const char *name), void *arg)
{
	const char *name = "";

	while ((name = bgp_policy_vrf_next(name)))
		show(arg, name);
}

static void add_json(void *arg, const char *name)
{
	json_object_object_add(arg, name, vrf_json(name, cluster_now_us()));
}

static void add_text(void *arg, const char *name)
{
	show_vrf(arg, name, cluster_now_us());
}

DEFPY (show_cluster_bgp_policy,
       show_cluster_bgp_policy_cmd,
       "show cluster bgp policy [json$json]",
       SHOW_STR
       CLUSTER_STR
       "How the routes of VIPs get their attributes in bgpd\n"
       "The route-maps, as they are kept or have to be written\n"
       JSON_STR)
{
	if (json) {
		struct json_object *object = json_object_new_object();

		each_vrf(add_json, object);
		return vty_json(vty, object);
	}
	if (!vips_count(&vips) && !bgp_vrfs_count(&bgp_vrfs))
		vty_out(vty, "No VIPs are configured.\n");
	each_vrf(add_text, vty);
	return CMD_SUCCESS;
}

void bgp_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_bgp_policy_cmd);
}
