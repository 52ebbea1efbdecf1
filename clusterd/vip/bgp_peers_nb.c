// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operational data of who else announces the VIPs, and of bgpd's sessions: the
 * answers of the last round (bgp_peers_state.h).  Entries of lists are parts of
 * them; they stay where they are while the northbound goes through them.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "core/cluster_sched.h"
#include "vip/bgp_nb.h"
#include "vip/bgp_peers_state.h"

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/status, last-answer */
struct yang_data *bgp_peers_status_get(struct nb_cb_get_elem_args *args)
{
	static const char *const names[] = {
		[BGP_PEERS_ASKING] = "asking",
		[BGP_PEERS_ANSWERED] = "answered",
		[BGP_PEERS_FAILED] = "failed",
	};
	const struct bgp_peers_state *state = bgp_peers_read();
	char answered[CLUSTER_OPER_TIME_LEN] = "";

	if (state->status == BGP_PEERS_ANSWERED)
		cluster_oper_wall(state->answered_wall, answered);

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("status", names[state->status]),
		OPER_TEXT("last-answer", answered),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/why */
struct yang_data *bgp_peers_why_get(struct nb_cb_get_elem_args *args)
{
	return yang_data_new_string(args->xpath, bgp_peers_read()->why);
}

/* -- who else announces -- */

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vip; an entry is its first address */
const void *bgp_peers_vip_next(struct nb_cb_get_next_args *args)
{
	return bgp_answers_vip_next(&bgp_peers_read()->answers,
				    args->list_entry);
}

int bgp_peers_vip_keys(struct nb_cb_get_keys_args *args)
{
	const struct bgp_answer *vip = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], vip->vip, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *bgp_peers_vip_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct bgp_answers *answers = &bgp_peers_read()->answers;
	const struct bgp_answer *vip = NULL;

	while ((vip = bgp_answers_vip_next(answers, vip)))
		if (strmatch(vip->vip, args->keys->key[0]))
			return vip;
	return NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vip/name, vrf */
struct yang_data *bgp_peers_vip_get(struct nb_cb_get_elem_args *args)
{
	const struct bgp_answer *vip = args->list_entry;

	if (!vip)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("name", vip->vip),
		OPER_TEXT("vrf", vip->vrf),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vip/address */
const void *bgp_peers_address_next(struct nb_cb_get_next_args *args)
{
	if (!args->parent_list_entry)
		return NULL;
	return bgp_answers_address_next(&bgp_peers_read()->answers,
					args->parent_list_entry,
					args->list_entry);
}

int bgp_peers_address_keys(struct nb_cb_get_keys_args *args)
{
	const struct bgp_answer *answer = args->list_entry;

	args->keys->num = 1;
	ipaddr2str(&answer->addr, args->keys->key[0],
		   sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *bgp_peers_address_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct bgp_answers *answers = &bgp_peers_read()->answers;
	const struct bgp_answer *answer = NULL;
	struct ipaddr addr;

	if (!args->parent_list_entry ||
	    str2ipaddr(args->keys->key[0], &addr) != 0)
		return NULL;
	while ((answer = bgp_answers_address_next(answers,
						  args->parent_list_entry,
						  answer)))
		if (!ipaddr_cmp(&answer->addr, &addr))
			return answer;
	return NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vip/address/address, ... */
struct yang_data *bgp_peers_address_get(struct nb_cb_get_elem_args *args)
{
	const struct bgp_answer *answer = args->list_entry;
	char addr[INET6_ADDRSTRLEN];

	if (!answer)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("address",
			  ipaddr2str(&answer->addr, addr, sizeof(addr))),
		OPER_TEXT("state", vip_state_name(answer->state)),
		OPER_BOOL("in-bgp", answer->paths.ours),
		OPER_NUMBER("others-count",
			    answer->paths.n + answer->paths.n_more),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vip/address/other */
const void *bgp_peers_other_next(struct nb_cb_get_next_args *args)
{
	const struct bgp_answer *answer = args->parent_list_entry;
	const struct bgp_path *last = args->list_entry;

	if (!answer)
		return NULL;
	/* Numbers begin with 1. */
	if (last)
		return last->number < answer->paths.n ? last + 1 : NULL;
	return answer->paths.n ? answer->paths.paths : NULL;
}

int bgp_peers_other_keys(struct nb_cb_get_keys_args *args)
{
	const struct bgp_path *path = args->list_entry;

	args->keys->num = 1;
	snprintf(args->keys->key[0], sizeof(args->keys->key[0]), "%u",
		 path->number);
	return NB_OK;
}

const void *bgp_peers_other_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct bgp_answer *answer = args->parent_list_entry;
	unsigned long number = strtoul(args->keys->key[0], NULL, 10);

	return answer && number >= 1 && number <= answer->paths.n
		       ? &answer->paths.paths[number - 1]
		       : NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vip/address/other/number, ... */
struct yang_data *bgp_peers_other_get(struct nb_cb_get_elem_args *args)
{
	const struct bgp_path *path = args->list_entry;
	char since[CLUSTER_OPER_TIME_LEN] = "";

	if (!path)
		return NULL;
	if (path->since)
		cluster_oper_wall(path->since, since);

	const struct cluster_oper_leaf leaves[] = {
		OPER_NUMBER("number", path->number),
		OPER_TEXT("from", path->from),
		OPER_TEXT("hostname", path->host),
		OPER_TEXT("next-hop", path->nexthop),
		OPER_TEXT("as-path", path->as_path),
		OPER_TEXT("originator", path->originator),
		OPER_BOOL("draining", path->draining),
		OPER_BOOL("best", path->best),
		OPER_TEXT("since", since),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* -- sessions -- */

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vrf */
const void *bgp_peers_vrf_next(struct nb_cb_get_next_args *args)
{
	return bgp_answers_vrf_next(&bgp_peers_read()->answers,
				    args->list_entry);
}

int bgp_peers_vrf_keys(struct nb_cb_get_keys_args *args)
{
	const struct bgp_answer *vrf = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], vrf->vrf, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *bgp_peers_vrf_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct bgp_answers *answers = &bgp_peers_read()->answers;
	const struct bgp_answer *vrf = NULL;

	while ((vrf = bgp_answers_vrf_next(answers, vrf)))
		if (strmatch(vrf->vrf, args->keys->key[0]))
			return vrf;
	return NULL;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vrf/name, sessions-count */
struct yang_data *bgp_peers_vrf_get(struct nb_cb_get_elem_args *args)
{
	const struct bgp_answer *vrf = args->list_entry;

	if (!vrf)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("name", vrf->vrf),
		OPER_NUMBER("sessions-count", vrf->peers.n + vrf->peers.n_more),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vrf/session */
const void *bgp_peers_session_next(struct nb_cb_get_next_args *args)
{
	const struct bgp_answer *vrf = args->parent_list_entry;
	const struct bgp_peer *peer = args->list_entry;

	if (!vrf || !vrf->peers.n)
		return NULL;
	peer = peer ? peer + 1 : vrf->peers.peers;
	return peer < vrf->peers.peers + vrf->peers.n ? peer : NULL;
}

int bgp_peers_session_keys(struct nb_cb_get_keys_args *args)
{
	const struct bgp_peer *peer = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], peer->neighbor, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *bgp_peers_session_lookup(struct nb_cb_lookup_entry_args *args)
{
	const struct bgp_answer *vrf = args->parent_list_entry;

	for (size_t i = 0; vrf && i < vrf->peers.n; i++)
		if (strmatch(vrf->peers.peers[i].neighbor, args->keys->key[0]))
			return &vrf->peers.peers[i];
	return NULL;
}

/* A count of prefixes; "": the session hasn't the family. */
static const char *prefixes_text(const struct bgp_peer *peer, int family,
				 char *buf, size_t len)
{
	buf[0] = '\0';
	if (peer->family[family])
		snprintf(buf, len, "%u", peer->received[family]);
	return buf;
}

/* XPath: /frr-clusterd-bgp:cluster-bgp-peers/vrf/session/neighbor, ... */
struct yang_data *bgp_peers_session_get(struct nb_cb_get_elem_args *args)
{
	const struct bgp_peer *peer = args->list_entry;
	char changed[CLUSTER_OPER_TIME_LEN] = "", ipv4[16], ipv6[16];

	if (!peer)
		return NULL;
	/* 0: it has never been up. */
	if (peer->uptime_ms)
		cluster_oper_time(cluster_now_us() -
					  bgp_peers_read()->answered_us +
					  peer->uptime_ms * 1000,
				  changed);

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("neighbor", peer->neighbor),
		OPER_TEXT("hostname", peer->host),
		OPER_NUMBER("as", peer->as),
		OPER_TEXT("state", peer->state),
		OPER_TEXT("last-change", changed),
		OPER_TEXT("ipv4-prefixes", prefixes_text(peer, BGP_PEER_IPV4,
							 ipv4, sizeof(ipv4))),
		OPER_TEXT("ipv6-prefixes", prefixes_text(peer, BGP_PEER_IPV6,
							 ipv6, sizeof(ipv6))),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}
