// SPDX-License-Identifier: GPL-2.0-or-later
#include <zebra.h>

#include <string.h>

#include <json-c/json.h>

#include "memory.h"

#include "vip/bgp_paths.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_PATH, "BGP path of a VIP");
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_PEER, "BGP session");

/* "", or "vrf NAME ". */
static const char *in_vrf(const char *vrf, char *buf, size_t len)
{
	bool other = strcmp(vrf, "default") != 0;

	snprintf(buf, len, "%s%s%s", other ? "vrf " : "", other ? vrf : "",
		 other ? " " : "");
	return buf;
}

const char *bgp_paths_command(const char *vrf, const struct ipaddr *addr,
			      char buf[BGP_QUESTION_LEN])
{
	bool v6 = IS_IPADDR_V6(addr);
	char in[CLUSTER_VRF_LEN + 8], text[INET6_ADDRSTRLEN];

	snprintf(buf, BGP_QUESTION_LEN, "show bgp %s%s unicast %s/%d json",
		 in_vrf(vrf, in, sizeof(in)), v6 ? "ipv6" : "ipv4",
		 ipaddr2str(addr, text, sizeof(text)), v6 ? 128 : 32);
	return buf;
}

const char *bgp_peers_command(const char *vrf, char buf[BGP_QUESTION_LEN])
{
	char in[CLUSTER_VRF_LEN + 8];

	snprintf(buf, BGP_QUESTION_LEN, "show bgp %ssummary json",
		 in_vrf(vrf, in, sizeof(in)));
	return buf;
}

/* A member that is an object; NULL: it isn't there, or something else. */
static struct json_object *object_of(struct json_object *json, const char *key)
{
	struct json_object *found = NULL;

	if (!json || !json_object_is_type(json, json_type_object) ||
	    !json_object_object_get_ex(json, key, &found) ||
	    !json_object_is_type(found, json_type_object))
		return NULL;
	return found;
}

static struct json_object *array_of(struct json_object *json, const char *key)
{
	struct json_object *found = NULL;

	if (!json || !json_object_object_get_ex(json, key, &found) ||
	    !json_object_is_type(found, json_type_array))
		return NULL;
	return found;
}

/* Text that another machine may have made. */
static void text_copy(char *buf, const char *text, size_t len)
{
	strlcpy(buf, text, len);
	for (char *c = buf; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void text_of(struct json_object *json, const char *key, char *buf,
		    size_t len)
{
	struct json_object *found = NULL;

	buf[0] = '\0';
	if (!json || !json_object_object_get_ex(json, key, &found) ||
	    !json_object_is_type(found, json_type_string))
		return;
	text_copy(buf, json_object_get_string(found), len);
}

static int64_t number_of(struct json_object *json, const char *key)
{
	struct json_object *found = NULL;

	if (!json || !json_object_object_get_ex(json, key, &found))
		return 0;
	return json_object_get_int64(found);
}

static bool flag_of(struct json_object *json, const char *key)
{
	struct json_object *found = NULL;

	return json && json_object_object_get_ex(json, key, &found) &&
	       json_object_get_boolean(found);
}

/* NULL: not an object of JSON; to be put. */
static struct json_object *parse(const char *text)
{
	struct json_object *json = json_tokener_parse(text);

	if (json && !json_object_is_type(json, json_type_object)) {
		json_object_put(json);
		return NULL;
	}
	return json;
}

/* The first one: a link-local one comes behind the global one. */
static void nexthop_read(struct bgp_path *path, struct json_object *json)
{
	struct json_object *nexthops = array_of(json, "nexthops");

	if (!nexthops || !json_object_array_length(nexthops))
		return;
	nexthops = json_object_array_get_idx(nexthops, 0);
	if (json_object_is_type(nexthops, json_type_object))
		text_of(nexthops, "ip", path->nexthop, sizeof(path->nexthop));
}

static void path_read(struct bgp_path *path, struct json_object *json)
{
	struct json_object *peer = object_of(json, "peer");
	char communities[1024];

	text_of(peer, "peerId", path->from, sizeof(path->from));
	text_of(peer, "hostname", path->host, sizeof(path->host));
	nexthop_read(path, json);
	text_of(object_of(json, "aspath"), "string", path->as_path,
		sizeof(path->as_path));
	if (!strcmp(path->as_path, "Local"))
		path->as_path[0] = '\0';
	text_of(json, "originatorId", path->originator,
		sizeof(path->originator));
	path->best = flag_of(object_of(json, "bestpath"), "overall");
	text_of(object_of(json, "community"), "string", communities,
		sizeof(communities));
	path->draining = strstr(communities, "graceful-shutdown");
	path->since = number_of(object_of(json, "lastUpdate"), "epoch");
}

static void path_add(struct bgp_paths *paths, struct json_object *json)
{
	struct bgp_path *path = &paths->paths[paths->n++];

	path->number = (uint32_t)paths->n;
	path_read(path, json);
}

bool bgp_paths_parse(struct bgp_paths *paths, const char *text, size_t max)
{
	struct json_object *json = parse(text);
	struct json_object *list = array_of(json, "paths");
	size_t n = list ? json_object_array_length(list) : 0;

	memset(paths, 0, sizeof(*paths));
	if (!json)
		return false;
	/* "View/Vrf is unknown", "BGP instance not found" */
	paths->no_instance = json_object_object_get_ex(json, "warning", NULL);
	max = MIN(max, BGP_PATHS_MAX);
	if (MIN(n, max))
		paths->paths = XCALLOC(MTYPE_BGP_PATH,
				       MIN(n, max) * sizeof(*paths->paths));
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!json_object_is_type(one, json_type_object))
			continue;
		if (flag_of(one, "sourced") || flag_of(one, "local"))
			paths->ours = true;
		else if (paths->n == max)
			paths->n_more++;
		else
			path_add(paths, one);
	}
	json_object_put(json);
	return true;
}

void bgp_paths_clear(struct bgp_paths *paths)
{
	XFREE(MTYPE_BGP_PATH, paths->paths);
	memset(paths, 0, sizeof(*paths));
}

/* The one of that neighbour, made if there is room; NULL: there is none. */
static struct bgp_peer *peer_get(struct bgp_peers *peers, const char *neighbor,
				 size_t n_before, size_t max)
{
	struct bgp_peer *peer;

	/* Only those of the family before: within one they differ. */
	for (size_t i = 0; i < n_before; i++)
		if (!strcmp(peers->peers[i].neighbor, neighbor))
			return &peers->peers[i];
	if (peers->n == max) {
		peers->n_more++;
		return NULL;
	}
	peer = &peers->peers[peers->n++];
	text_copy(peer->neighbor, neighbor, sizeof(peer->neighbor));
	/* It is a key of operational data, in the quotes of a path. */
	for (char *c = peer->neighbor; (c = strchr(c, '\''));)
		*c = '?';
	return peer;
}

static void peers_read(struct bgp_peers *peers, struct json_object *json,
		       int family, size_t max)
{
	size_t n_before = peers->n;

	if (!json)
		return;
	json_object_object_foreach(json, neighbor, one)
	{
		struct bgp_peer *peer = peer_get(peers, neighbor, n_before, max);

		if (!peer)
			continue;
		if (!json_object_is_type(one, json_type_object))
			one = NULL;
		text_of(one, "hostname", peer->host, sizeof(peer->host));
		text_of(one, "state", peer->state, sizeof(peer->state));
		peer->as = (uint32_t)number_of(one, "remoteAs");
		peer->uptime_ms = number_of(one, "peerUptimeMsec");
		peer->family[family] = true;
		peer->received[family] = (uint32_t)number_of(one, "pfxRcd");
	}
}

bool bgp_peers_parse(struct bgp_peers *peers, const char *text, size_t max)
{
	static const char *const families[BGP_PEER_FAMILIES] = {
		[BGP_PEER_IPV4] = "ipv4Unicast",
		[BGP_PEER_IPV6] = "ipv6Unicast",
	};
	struct json_object *of[BGP_PEER_FAMILIES], *json = parse(text);
	size_t n = 0;

	memset(peers, 0, sizeof(*peers));
	if (!json)
		return false;
	for (int i = 0; i < BGP_PEER_FAMILIES; i++) {
		of[i] = object_of(object_of(json, families[i]), "peers");
		n += of[i] ? (size_t)json_object_object_length(of[i]) : 0;
	}
	max = MIN(max, BGP_PEERS_MAX);
	if (MIN(n, max))
		peers->peers = XCALLOC(MTYPE_BGP_PEER,
				       MIN(n, max) * sizeof(*peers->peers));
	for (int i = 0; i < BGP_PEER_FAMILIES; i++)
		peers_read(peers, of[i], i, max);
	json_object_put(json);
	return true;
}

void bgp_peers_clear(struct bgp_peers *peers)
{
	XFREE(MTYPE_BGP_PEER, peers->peers);
	memset(peers, 0, sizeof(*peers));
}
