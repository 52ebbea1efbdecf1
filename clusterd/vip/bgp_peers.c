// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `show cluster bgp peers`: who else announces the VIPs.
 *
 * Only bgpd knows: it prefers this node's own route and gives zebra no other.
 * It is asked when somebody wants to know, address by address, over a session
 * of its own; nothing is kept, and nothing is asked otherwise.  The command is
 * answered when all answers are there (cluster_later.h).
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
#include "vip/bgp_paths.h"
#include "vip/bgp_policy.h"
#include "vip/bgp_session.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/bgp_peers_clippy.c"
#endif

DEFINE_MTYPE_STATIC(CLUSTERD, BGP_ASKING, "Questions to bgpd");

/* What one command asks at most, and how long bgpd has for all of it. */
#define QUESTIONS_MAX 1000
#define ANSWERS_MS    5000

#define TEXT_OF(x)     #x
#define NUMBER_TEXT(x) TEXT_OF(x)

struct question {
	char vip[VIP_NAME_LEN]; /* "": the sessions of the VRF */
	char vrf[CLUSTER_VRF_LEN];
	struct ipaddr addr;
	const char *state; /* of the address here */
};

PREDECL_DLIST(askings);

/* One command that waits. */
struct asking {
	struct askings_item item;
	struct cluster_later *later;
	struct bgp_session session;
	struct event *t_give_up;

	struct question *questions;
	size_t n, at; /* `at`: the one that is asked now */

	/* What is known so far: an object, or a text. */
	struct json_object *json;
	struct buffer *text;
};

DECLARE_DLIST(askings, struct asking, item);

static struct askings_head askings = INIT_DLIST(askings);

/* -- the end -- */

static void asking_free(struct asking *asking)
{
	askings_del(&askings, asking);
	cluster_event_off(asking->t_give_up);
	bgp_session_close(&asking->session);
	if (asking->json)
		json_object_free(asking->json);
	if (asking->text)
		buffer_free(asking->text);
	XFREE(MTYPE_BGP_ASKING, asking->questions);
	XFREE(MTYPE_BGP_ASKING, asking);
}

static void finish(struct asking *asking)
{
	struct buffer *out = buffer_new(0);
	char *text;

	if (asking->json) {
		buffer_putstr(out,
			      json_object_to_json_string_ext(
				      asking->json,
				      JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_NOSLASHESCAPE));
		buffer_putstr(out, "\n");
		text = buffer_getstr(out);
	} else {
		text = buffer_getstr(asking->text);
	}
	buffer_free(out);
	cluster_later_answer(&asking->later, text, CMD_SUCCESS);
	XFREE(MTYPE_TMP, text);
	asking_free(asking);
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

static void fail(struct asking *asking, const char *why)
{
	char text[256];

	warning_text(why, asking->json, text, sizeof(text));
	cluster_later_answer(&asking->later, text, CMD_WARNING);
	asking_free(asking);
}

static void give_up(struct event *event)
{
	fail(EVENT_ARG(event), "bgpd doesn't answer: it is busy, or hangs");
}

/* -- what is known -- */

static void PRINTFRR(2, 3) put(struct asking *asking, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintfrr(line, sizeof(line), fmt, args);
	va_end(args);
	buffer_putstr(asking->text, line);
}

static struct json_object *json_member(struct json_object *json, const char *key)
{
	struct json_object *found = NULL;

	if (!json_object_object_get_ex(json, key, &found)) {
		found = json_object_new_object();
		json_object_object_add(json, key, found);
	}
	return found;
}

static void string_add(struct json_object *json, const char *key,
		       const char *value)
{
	if (value[0])
		json_object_string_add(json, key, value);
}

static struct json_object *path_json(const struct bgp_path *path)
{
	struct json_object *json = json_object_new_object();

	json_object_string_add(json, "from", path->from);
	string_add(json, "hostname", path->host);
	string_add(json, "nextHop", path->nexthop);
	json_object_string_add(json, "asPath", path->as_path);
	string_add(json, "originator", path->originator);
	json_object_boolean_add(json, "draining", path->draining);
	json_object_boolean_add(json, "best", path->best);
	if (path->since)
		json_object_int_add(json, "since", path->since);
	return json;
}

static void paths_add_json(struct asking *asking,
			   const struct question *question,
			   const struct bgp_paths *paths)
{
	struct json_object *vip = json_member(json_member(asking->json, "vips"),
					      question->vip);
	struct json_object *addresses = json_member(vip, "addresses");
	struct json_object *json = json_object_new_object();
	struct json_object *others = json_object_new_array();
	char key[INET6_ADDRSTRLEN];

	json_object_string_add(vip, "vrf", question->vrf);
	json_object_string_add(json, "state", question->state);
	json_object_boolean_add(json, "inBgp", paths->ours);
	for (size_t i = 0; i < paths->n; i++)
		json_object_array_add(others, path_json(&paths->paths[i]));
	json_object_object_add(json, "others", others);
	json_object_int_add(json, "othersCount", paths->n + paths->n_more);
	json_object_object_add(addresses,
			       ipaddr2str(&question->addr, key, sizeof(key)),
			       json);
}

static void path_put(struct asking *asking, const struct bgp_path *path)
{
	int64_t now_us = cluster_now_us();
	char since[32] = "?";

	if (path->since)
		cluster_uptime(now_us - (time(NULL) - path->since) * 1000000LL,
			       now_us, since, sizeof(since));
	put(asking, "    from %s%s%s%s, next hop %s, AS path %s", path->from,
	    path->host[0] ? " (" : "", path->host, path->host[0] ? ")" : "",
	    path->nexthop[0] ? path->nexthop : "-",
	    path->as_path[0] ? path->as_path : "-");
	if (path->originator[0])
		put(asking, ", originator %s", path->originator);
	put(asking, "%s%s, since %s\n", path->draining ? ", draining" : "",
	    path->best ? ", preferred to ours" : "", since);
}

static void paths_put(struct asking *asking, const struct question *question,
		      const struct bgp_paths *paths)
{
	const struct question *before = asking->at ? question - 1 : NULL;

	if (!before || strcmp(before->vip, question->vip) != 0)
		put(asking, "VIP %s, VRF %s\n", question->vip, question->vrf);
	put(asking, "  %pIA: %s here%s, %s\n", &question->addr, question->state,
	    paths->ours ? "" : ", not in this node's BGP",
	    paths->n ? "and announced by others:" : "nobody else announces it");
	for (size_t i = 0; i < paths->n; i++)
		path_put(asking, &paths->paths[i]);
	if (paths->n_more)
		put(asking, "    and %zu more\n", paths->n_more);
}

static struct json_object *peer_json(const struct bgp_peer *peer)
{
	struct json_object *json = json_object_new_object();

	string_add(json, "hostname", peer->host);
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

static void peers_add_json(struct asking *asking,
			   const struct question *question,
			   const struct bgp_peers *peers)
{
	struct json_object *vrf = json_member(json_member(asking->json, "vrfs"),
					      question->vrf);
	struct json_object *sessions = json_member(vrf, "sessions");

	for (size_t i = 0; i < peers->n; i++)
		json_object_object_add(sessions, peers->peers[i].neighbor,
				       peer_json(&peers->peers[i]));
	json_object_int_add(vrf, "sessionsCount", peers->n + peers->n_more);
}

static void peers_put(struct asking *asking, const struct question *question,
		      const struct bgp_peers *peers)
{
	int64_t now_us = cluster_now_us();
	char since[32];

	put(asking, "Sessions of bgpd, VRF %s\n", question->vrf);
	if (!peers->n)
		put(asking, "  none\n");
	for (size_t i = 0; i < peers->n; i++) {
		const struct bgp_peer *peer = &peers->peers[i];

		put(asking, "  %s%s%s%s: %s for %s, AS %u", peer->neighbor,
		    peer->host[0] ? " (" : "", peer->host,
		    peer->host[0] ? ")" : "", peer->state,
		    cluster_uptime(now_us - peer->uptime_ms * 1000, now_us,
				   since, sizeof(since)),
		    peer->as);
		if (peer->family[BGP_PEER_IPV4])
			put(asking, ", %u IPv4 prefixes",
			    peer->received[BGP_PEER_IPV4]);
		if (peer->family[BGP_PEER_IPV6])
			put(asking, ", %u IPv6 prefixes",
			    peer->received[BGP_PEER_IPV6]);
		put(asking, "\n");
	}
	if (peers->n_more)
		put(asking, "  and %zu more\n", peers->n_more);
}

/* -- asking -- */

static void ask(struct asking *asking)
{
	const struct question *question = &asking->questions[asking->at];
	char command[BGP_QUESTION_LEN];

	bgp_session_send(&asking->session,
			 question->vip[0]
				 ? bgp_paths_command(question->vrf,
						     &question->addr, command)
				 : bgp_peers_command(question->vrf, command));
}

/* False: that is no answer. */
static bool answer_take(struct asking *asking, const char *text)
{
	const struct question *question = &asking->questions[asking->at];
	struct bgp_paths paths = {};
	struct bgp_peers peers = {};
	bool ok;

	if (question->vip[0]) {
		ok = bgp_paths_parse(&paths, text, BGP_PATHS_MAX);
		if (ok && asking->json)
			paths_add_json(asking, question, &paths);
		else if (ok)
			paths_put(asking, question, &paths);
		bgp_paths_clear(&paths);
	} else {
		ok = bgp_peers_parse(&peers, text, BGP_PEERS_MAX);
		if (ok && asking->json)
			peers_add_json(asking, question, &peers);
		else if (ok)
			peers_put(asking, question, &peers);
		bgp_peers_clear(&peers);
	}
	return ok;
}

static void answered(struct bgp_session *session, const char *text,
		     uint8_t status)
{
	struct asking *asking = container_of(session, struct asking, session);

	if (status != CMD_SUCCESS || !answer_take(asking, text))
		fail(asking, "bgpd's answer is not understood");
	else if (++asking->at == asking->n)
		finish(asking);
	else
		ask(asking);
}

static void lost(struct bgp_session *session)
{
	fail(container_of(session, struct asking, session),
	     "bgpd has ended the session");
}

/* -- the command -- */

static void question_add(struct asking *asking, const char *vip,
			 const char *vrf, const struct vip_address *address)
{
	struct question *question = &asking->questions[asking->n++];

	strlcpy(question->vip, vip, sizeof(question->vip));
	strlcpy(question->vrf, vrf, sizeof(question->vrf));
	if (address) {
		question->addr = address->addr;
		question->state = vip_state_name(address->state);
	}
}

static void sessions_add(struct asking *asking, const char *vrf, size_t n_vips)
{
	for (size_t i = n_vips; i < asking->n; i++)
		if (!strcmp(asking->questions[i].vrf, vrf))
			return;
	question_add(asking, "", vrf, NULL);
}

static struct asking *asking_new(struct vip *one, size_t n_addresses)
{
	struct asking *asking = XCALLOC(MTYPE_BGP_ASKING, sizeof(*asking));
	struct vip_address *address;
	size_t n_vips;
	struct vip *vip;

	/* No more VRFs than addresses, and one with no address at all. */
	asking->questions =
		XCALLOC(MTYPE_BGP_ASKING,
			(2 * n_addresses + 1) * sizeof(*asking->questions));
	frr_each (vips, &vips, vip)
		if (!one || one == vip)
			frr_each (vip_addresses, &vip->addresses, address)
				question_add(asking, vip->name, vip->vrf,
					     address);
	n_vips = asking->n;
	for (size_t i = 0; i < n_vips; i++)
		sessions_add(asking, asking->questions[i].vrf, n_vips);
	if (!n_vips)
		question_add(asking, "", one ? one->vrf : VIP_DEFAULT_VRF, NULL);
	asking->session.answer = answered;
	asking->session.lost = lost;
	asking->session.fd = -1;
	askings_add_tail(&askings, asking);
	return asking;
}

static int refuse(struct vty *vty, bool json, const char *why)
{
	char text[256];

	vty_out(vty, "%s", warning_text(why, json, text, sizeof(text)));
	return CMD_WARNING;
}

static int begin(struct vty *vty, struct vip *one, bool json)
{
	size_t n_addresses = 0;
	struct asking *asking;
	const char *why;
	struct vip *vip;

	frr_each (vips, &vips, vip)
		if (!one || one == vip)
			n_addresses += vip_addresses_count(&vip->addresses);
	if (n_addresses > QUESTIONS_MAX)
		return refuse(vty, json,
			      "more than " NUMBER_TEXT(
				      QUESTIONS_MAX) " addresses are too many to ask for: name one VIP");
	asking = asking_new(one, n_addresses);
	if (!bgp_session_open(&asking->session, NULL)) {
		asking_free(asking);
		return refuse(vty, json,
			      "bgpd can't be reached: is it running?");
	}
	asking->later = cluster_later_new(vty, &why);
	if (!asking->later) {
		asking_free(asking);
		return refuse(vty, json, why);
	}
	if (json)
		asking->json = json_object_new_object();
	else
		asking->text = buffer_new(0);
	event_add_timer_msec(cluster_master, give_up, asking, ANSWERS_MS,
			     &asking->t_give_up);
	ask(asking);
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
