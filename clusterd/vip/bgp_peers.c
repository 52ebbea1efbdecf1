// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `show cluster bgp peers`: who else announces the VIPs.
 *
 * Only bgpd knows: it prefers this node's own route and gives zebra no other.
 * It is asked (bgp_ask.h) when somebody wants to know; the command is answered
 * when all answers are there (cluster_later.h).  Operational data has the same
 * of an earlier round: bgp_peers_state.h.
 *
 * Spec: vip.md, "show peers and who else announces a VIP".
 */
#include "cluster_compat.h"

#include "buffer.h"
#include "command.h"
#include "lib/json.h"
#include "typesafe.h"

#include "cluster_later.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "vip/bgp_ask.h"
#include "vip/bgp_policy.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/bgp_peers_clippy.c"
#endif

DEFINE_MTYPE_STATIC(CLUSTERD, BGP_ASKING, "Questions to bgpd");

#define TEXT_OF(x)     #x
#define NUMBER_TEXT(x) TEXT_OF(x)

PREDECL_DLIST(askings);

/* One command that waits. */
struct asking {
	struct askings_item item;
	struct cluster_later *later;
	bool json;
	struct bgp_ask ask;
};

DECLARE_DLIST(askings, struct asking, item);

static struct askings_head askings = INIT_DLIST(askings);

static void asking_free(struct asking *asking)
{
	askings_del(&askings, asking);
	bgp_ask_end(&asking->ask);
	XFREE(MTYPE_BGP_ASKING, asking);
}

/* "% ...", or an object with a warning, as bgpd's own commands have it. */
static const char *warning_text(const char *why, bool as_json, char *buf,
				size_t len)
{
	struct json_object *json;

	if (!as_json) {
		snprintf(buf, len, "%% %s\n", why);
		return buf;
	}
	json = json_object_new_object();
	json_object_string_add(json, "warning", why);
	snprintf(buf, len, "%s\n",
		 json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY));
	json_object_free(json);
	return buf;
}

/* -- as text -- */

static void PRINTFRR(2, 3) put(struct buffer *out, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintfrr(line, sizeof(line), fmt, args);
	va_end(args);
	buffer_putstr(out, line);
}

static void path_put(struct buffer *out, const struct bgp_path *path)
{
	int64_t now_us = cluster_now_us();
	char since[32] = "?";

	if (path->since)
		cluster_uptime(now_us - (time(NULL) - path->since) * 1000000LL,
			       now_us, since, sizeof(since));
	put(out, "    from %s%s%s%s, next hop %s, AS path %s", path->from,
	    path->host[0] ? " (" : "", path->host, path->host[0] ? ")" : "",
	    path->nexthop[0] ? path->nexthop : "-",
	    path->as_path[0] ? path->as_path : "-");
	if (path->originator[0])
		put(out, ", originator %s", path->originator);
	put(out, "%s%s, since %s\n", path->draining ? ", draining" : "",
	    path->best ? ", preferred to ours" : "", since);
}

static void address_put(struct buffer *out, const struct bgp_answer *answer)
{
	const struct bgp_paths *paths = &answer->paths;

	put(out, "  %pIA: %s here%s, %s\n", &answer->addr,
	    vip_state_name(answer->state),
	    paths->ours ? "" : ", not in this node's BGP",
	    paths->n + paths->n_more ? "and announced by others:"
				     : "nobody else announces it");
	for (size_t i = 0; i < paths->n; i++)
		path_put(out, &paths->paths[i]);
	if (paths->n_more)
		put(out, "    and %zu more\n", paths->n_more);
}

static void peer_put(struct buffer *out, const struct bgp_peer *peer)
{
	int64_t now_us = cluster_now_us();
	char since[32];

	put(out, "  %s%s%s%s: %s for %s, AS %u", peer->neighbor,
	    peer->host[0] ? " (" : "", peer->host, peer->host[0] ? ")" : "",
	    peer->state,
	    cluster_uptime(now_us - peer->uptime_ms * 1000, now_us, since,
			   sizeof(since)),
	    peer->as);
	if (peer->family[BGP_PEER_IPV4])
		put(out, ", %u IPv4 prefixes", peer->received[BGP_PEER_IPV4]);
	if (peer->family[BGP_PEER_IPV6])
		put(out, ", %u IPv6 prefixes", peer->received[BGP_PEER_IPV6]);
	put(out, "\n");
}

static void vrf_put(struct buffer *out, const struct bgp_answer *answer)
{
	const struct bgp_peers *peers = &answer->peers;

	put(out, "Sessions of bgpd, VRF %s\n", answer->vrf);
	if (!peers->n && !peers->n_more)
		put(out, "  none\n");
	for (size_t i = 0; i < peers->n; i++)
		peer_put(out, &peers->peers[i]);
	if (peers->n_more)
		put(out, "  and %zu more\n", peers->n_more);
}

static void answers_put(struct buffer *out, const struct bgp_answers *answers)
{
	const struct bgp_answer *vip = NULL, *address, *vrf = NULL;

	while ((vip = bgp_answers_vip_next(answers, vip))) {
		put(out, "VIP %s, VRF %s\n", vip->vip, vip->vrf);
		address = NULL;
		while ((address = bgp_answers_address_next(answers, vip,
							   address)))
			address_put(out, address);
	}
	while ((vrf = bgp_answers_vrf_next(answers, vrf)))
		vrf_put(out, vrf);
}

/* -- as JSON -- */

static void json_text_add(struct json_object *json, const char *key,
			  const char *value)
{
	if (value[0])
		json_object_string_add(json, key, value);
}

static struct json_object *path_json(const struct bgp_path *path)
{
	struct json_object *json = json_object_new_object();

	json_object_string_add(json, "from", path->from);
	json_text_add(json, "hostname", path->host);
	json_text_add(json, "nextHop", path->nexthop);
	json_object_string_add(json, "asPath", path->as_path);
	json_text_add(json, "originator", path->originator);
	json_object_boolean_add(json, "draining", path->draining);
	json_object_boolean_add(json, "best", path->best);
	if (path->since)
		json_object_int_add(json, "since", path->since);
	return json;
}

static struct json_object *address_json(const struct bgp_answer *answer)
{
	const struct bgp_paths *paths = &answer->paths;
	struct json_object *json = json_object_new_object();
	struct json_object *others = json_object_new_array();

	json_object_string_add(json, "state", vip_state_name(answer->state));
	json_object_boolean_add(json, "inBgp", paths->ours);
	for (size_t i = 0; i < paths->n; i++)
		json_object_array_add(others, path_json(&paths->paths[i]));
	json_object_object_add(json, "others", others);
	json_object_int_add(json, "othersCount", paths->n + paths->n_more);
	return json;
}

static struct json_object *vip_json(const struct bgp_answers *answers,
				    const struct bgp_answer *vip)
{
	struct json_object *json = json_object_new_object();
	struct json_object *addresses = json_object_new_object();
	const struct bgp_answer *address = NULL;
	char key[INET6_ADDRSTRLEN];

	json_object_string_add(json, "vrf", vip->vrf);
	while ((address = bgp_answers_address_next(answers, vip, address)))
		json_object_object_add(addresses,
				       ipaddr2str(&address->addr, key,
						  sizeof(key)),
				       address_json(address));
	json_object_object_add(json, "addresses", addresses);
	return json;
}

static struct json_object *peer_json(const struct bgp_peer *peer)
{
	struct json_object *json = json_object_new_object();

	json_text_add(json, "hostname", peer->host);
	json_object_int_add(json, "as", peer->as);
	json_object_string_add(json, "state", peer->state);
	json_object_int_add(json, "uptimeMsec", peer->uptime_ms);
	if (peer->family[BGP_PEER_IPV4])
		json_object_int_add(json, "ipv4Prefixes",
				    peer->received[BGP_PEER_IPV4]);
	if (peer->family[BGP_PEER_IPV6])
		json_object_int_add(json, "ipv6Prefixes",
				    peer->received[BGP_PEER_IPV6]);
	return json;
}

static struct json_object *vrf_json(const struct bgp_peers *peers)
{
	struct json_object *json = json_object_new_object();
	struct json_object *sessions = json_object_new_object();

	for (size_t i = 0; i < peers->n; i++)
		json_object_object_add(sessions, peers->peers[i].neighbor,
				       peer_json(&peers->peers[i]));
	json_object_object_add(json, "sessions", sessions);
	json_object_int_add(json, "sessionsCount", peers->n + peers->n_more);
	return json;
}

static void answers_json(struct buffer *out, const struct bgp_answers *answers)
{
	struct json_object *json = json_object_new_object();
	struct json_object *of_vips = json_object_new_object();
	struct json_object *of_vrfs = json_object_new_object();
	const struct bgp_answer *vip = NULL, *vrf = NULL;

	while ((vip = bgp_answers_vip_next(answers, vip)))
		json_object_object_add(of_vips, vip->vip,
				       vip_json(answers, vip));
	while ((vrf = bgp_answers_vrf_next(answers, vrf)))
		json_object_object_add(of_vrfs, vrf->vrf, vrf_json(&vrf->peers));
	json_object_object_add(json, "vips", of_vips);
	json_object_object_add(json, "vrfs", of_vrfs);
	buffer_putstr(out,
		      json_object_to_json_string_ext(
			      json, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	buffer_putstr(out, "\n");
	json_object_free(json);
}

/* -- the command -- */

static void done(struct bgp_ask *ask, const char *why)
{
	struct asking *asking = container_of(ask, struct asking, ask);
	struct buffer *out = buffer_new(0);
	char warning[256], *text;

	if (why)
		buffer_putstr(out, warning_text(why, asking->json, warning,
						sizeof(warning)));
	else if (asking->json)
		answers_json(out, &ask->answers);
	else
		answers_put(out, &ask->answers);
	text = buffer_getstr(out);
	buffer_free(out);
	cluster_later_answer(&asking->later, text,
			     why ? CMD_WARNING : CMD_SUCCESS);
	XFREE(MTYPE_TMP, text);
	asking_free(asking);
}

static int refuse(struct vty *vty, bool json, const char *why)
{
	char text[256];

	vty_out(vty, "%s", warning_text(why, json, text, sizeof(text)));
	return CMD_WARNING;
}

static int begin(struct vty *vty, const struct vip *one, bool json)
{
	struct asking *asking = XCALLOC(MTYPE_BGP_ASKING, sizeof(*asking));
	const char *why;

	asking->json = json;
	askings_add_tail(&askings, asking);
	bgp_ask_init(&asking->ask, one, done);
	if (asking->ask.answers.n_unasked)
		why = "more than " NUMBER_TEXT(
			BGP_ANSWERS_ADDRESSES) " addresses are too many to ask for: name one VIP";
	else
		why = bgp_ask_begin(&asking->ask);
	if (!why)
		asking->later = cluster_later_new(vty, &why);
	if (!asking->later) {
		asking_free(asking);
		return refuse(vty, json, why);
	}
	return CMD_SUSPEND;
}

DEFPY (show_cluster_bgp_peers,
       show_cluster_bgp_peers_cmd,
       "show cluster bgp peers [NAME$name] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "How the routes of VIPs get their attributes in bgpd\n"
       "Who else announces the VIPs, and the sessions of bgpd\n"
       "Name of a VIP\n"
       JSON_STR)
{
	struct vip *vip = name ? vip_find(name) : NULL;

	if (name && !vip) {
		if (json)
			return vty_json(vty, json_object_new_object());
		vty_out(vty, "%% VIP %s is not configured\n", name);
		return CMD_WARNING;
	}
	return begin(vty, vip, json);
}

void bgp_peers_init(void)
{
	install_element(VIEW_NODE, &show_cluster_bgp_peers_cmd);
}

void bgp_peers_fini(void)
{
	struct asking *asking;

	while ((asking = askings_first(&askings)))
		asking_free(asking);
}
