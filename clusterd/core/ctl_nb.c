// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the control protocol: callbacks copy the value and say that
 * something has changed.  State: ctl_nb_state.c.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/ctl_daemon_private.h"

/* The keys of both lists. */
static void keys_of(const struct lyd_node *dnode, struct ctl_listen *keys)
{
	memset(keys, 0, sizeof(*keys));
	strlcpy(keys->vrf, yang_dnode_get_string(dnode, "./vrf"),
		sizeof(keys->vrf));
	(void)str2ipaddr(yang_dnode_get_string(dnode, "./address"), &keys->addr);
	keys->port = yang_dnode_get_uint16(dnode, "./port");
}

/* The running configuration shows both in the order of their keys. */
static int list_cli_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	struct control_listen x = {}, y = {};

	keys_of(a, &x.listen);
	keys_of(b, &y.listen);
	return control_listen_cmp(&x, &y);
}

/* XPath: /frr-clusterd-control:cluster-control/key-chain */
static int keychain_modify(struct nb_cb_modify_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	strlcpy(control.keychain, yang_dnode_get_string(args->dnode, NULL),
		sizeof(control.keychain));
	control_changed();
	return NB_OK;
}

static int keychain_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	control.keychain[0] = '\0';
	control_changed();
	return NB_OK;
}

/* XPath: /frr-clusterd-control:cluster-control/keepalive */
static int keepalive_modify(struct nb_cb_modify_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	control.timers.keepalive_ms = yang_dnode_get_uint32(args->dnode, NULL);
	control_changed();
	return NB_OK;
}

/* XPath: /frr-clusterd-control:cluster-control/dead */
static int dead_modify(struct nb_cb_modify_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	control.timers.dead_ms = yang_dnode_get_uint32(args->dnode, NULL);
	control_changed();
	return NB_OK;
}

/* XPath: /frr-clusterd-control:cluster-control/accept-prefix-list */
static int accept_modify(struct nb_cb_modify_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	strlcpy(control.accept, yang_dnode_get_string(args->dnode, NULL),
		sizeof(control.accept));
	control_accept_changed();
	return NB_OK;
}

static int accept_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	control.accept[0] = '\0';
	control_accept_changed();
	return NB_OK;
}

static int address_validate(struct nb_cb_create_args *args,
			    const struct ipaddr *addr, const char *flaw)
{
	if (!flaw)
		return NB_OK;
	snprintfrr(args->errmsg, args->errmsg_len, "%pIA %s", addr, flaw);
	return NB_ERR_VALIDATION;
}

/* XPath: /frr-clusterd-control:cluster-control/listen */
static int listen_create(struct nb_cb_create_args *args)
{
	struct control_listen *listen;
	struct ctl_listen keys;

	keys_of(args->dnode, &keys);
	if (args->event == NB_EV_VALIDATE)
		return address_validate(args, &keys.addr,
					ctl_listen_flaw(&keys.addr));
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	listen = XCALLOC(MTYPE_CTL_CONFIG, sizeof(*listen));
	listen->listen = keys;
	control_listens_add(&control.listens, listen);
	control_changed();
	return NB_OK;
}

static int listen_destroy(struct nb_cb_destroy_args *args)
{
	struct control_listen *listen;
	struct ctl_listen keys;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	keys_of(args->dnode, &keys);
	listen = control_listen_find(&keys);
	control_listens_del(&control.listens, listen);
	XFREE(MTYPE_CTL_CONFIG, listen);
	control_changed();
	return NB_OK;
}

static struct control_peer *peer_of(const struct lyd_node *dnode)
{
	struct ctl_listen keys;

	keys_of(dnode, &keys);
	return control_peer_find(keys.vrf, &keys.addr, keys.port);
}

/* XPath: /frr-clusterd-control:cluster-control/peer */
static int peer_create(struct nb_cb_create_args *args)
{
	struct control_peer *peer;
	struct ctl_listen keys;

	keys_of(args->dnode, &keys);
	if (args->event == NB_EV_VALIDATE)
		return address_validate(args, &keys.addr,
					ctl_remote_flaw(&keys.addr));
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	peer = XCALLOC(MTYPE_CTL_CONFIG, sizeof(*peer));
	strlcpy(peer->vrf, keys.vrf, sizeof(peer->vrf));
	peer->addr = keys.addr;
	peer->port = keys.port;
	control_peers_add(&control.peers, peer);
	control_changed();
	return NB_OK;
}

static int peer_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	control_peer_free(peer_of(args->dnode));
	/* What it dials must be in the accept list from now on. */
	control_accept_changed();
	return NB_OK;
}

/* XPath: /frr-clusterd-control:cluster-control/peer/source */
static int peer_source_modify(struct nb_cb_modify_args *args)
{
	struct ctl_listen keys;
	struct ipaddr source;

	(void)str2ipaddr(yang_dnode_get_string(args->dnode, NULL), &source);
	keys_of(lyd_parent(args->dnode), &keys);
	if (args->event == NB_EV_VALIDATE &&
	    source.ipa_type != keys.addr.ipa_type) {
		snprintfrr(args->errmsg, args->errmsg_len,
			   "source %pIA is of another family than the peer",
			   &source);
		return NB_ERR_VALIDATION;
	}
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	peer_of(lyd_parent(args->dnode))->source = source;
	control_changed();
	return NB_OK;
}

static int peer_source_destroy(struct nb_cb_destroy_args *args)
{
	struct control_peer *peer;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	peer = peer_of(lyd_parent(args->dnode));
	memset(&peer->source, 0, sizeof(peer->source));
	control_changed();
	return NB_OK;
}

/* clang-format off */
#define NODE(path, ...) { .xpath = CONTROL_XPATH path, .cbs = { __VA_ARGS__ } }
#define STATE(path, get) NODE(path, .get_elem = (get))
/* clang-format on */

const struct frr_yang_module_info frr_clusterd_control_info = {
	.name = "frr-clusterd-control",
	.nodes = {
		NODE("",
		     .cli_show = control_cli_write,
		     .cli_show_end = control_cli_write_end),
		NODE("/key-chain",
		     .modify = keychain_modify,
		     .destroy = keychain_destroy,
		     .cli_show = control_keychain_cli_write),
		NODE("/keepalive",
		     .modify = keepalive_modify,
		     .cli_show = control_timers_cli_write),
		NODE("/dead",
		     .modify = dead_modify,
		     .cli_show = control_dead_cli_write),
		NODE("/accept-prefix-list",
		     .modify = accept_modify,
		     .destroy = accept_destroy,
		     .cli_show = control_accept_cli_write),
		NODE("/listen",
		     .create = listen_create,
		     .destroy = listen_destroy,
		     .cli_show = control_listen_cli_write,
		     .cli_cmp = list_cli_cmp),
		NODE("/peer",
		     .create = peer_create,
		     .destroy = peer_destroy,
		     .get_next = control_peer_get_next,
		     .get_keys = control_peer_get_keys,
		     .lookup_entry = control_peer_lookup_entry,
		     .cli_show = control_peer_cli_write,
		     .cli_cmp = list_cli_cmp),
		NODE("/peer/source",
		     .modify = peer_source_modify,
		     .destroy = peer_source_destroy),
		STATE("/peer/state/status", control_peer_state_get),
		STATE("/peer/state/refused", control_peer_state_get),
		STATE("/peer/state/node", control_peer_state_get),
		STATE("/state/id", control_state_get),
		STATE("/state/id-kept", control_state_get),
		STATE("/state/running", control_state_get),
		STATE("/state/problem", control_state_get),
		STATE("/state/accept-problem", control_state_get),
		NODE("/state/socket",
		     .get_next = control_socket_get_next,
		     .get_keys = control_socket_get_keys,
		     .lookup_entry = control_socket_lookup_entry),
		STATE("/state/socket/vrf", control_socket_get),
		STATE("/state/socket/address", control_socket_get),
		STATE("/state/socket/port", control_socket_get),
		STATE("/state/socket/open", control_socket_get),
		STATE("/state/socket/why", control_socket_get),
		STATE("/state/socket/rx", control_socket_get),
		STATE("/state/socket/tx", control_socket_get),
		STATE("/state/socket/tx-errors", control_socket_get),
		NODE("/state/duplicate",
		     .get_next = control_duplicate_get_next),
		STATE("/state/duplicate/id", control_duplicate_get),
		STATE("/state/duplicate/local", control_duplicate_get),
		STATE("/state/duplicate/address", control_duplicate_get),
		STATE("/state/duplicate/port", control_duplicate_get),
		STATE("/state/duplicate/count", control_duplicate_get),
		STATE("/state/duplicate/last", control_duplicate_get),
		NODE("/state/session",
		     .get_next = control_session_get_next,
		     .get_keys = control_session_get_keys,
		     .lookup_entry = control_session_lookup_entry),
		STATE("/state/session/id", control_session_get),
		STATE("/state/session/status", control_session_get),
		STATE("/state/session/up", control_session_get),
		STATE("/state/session/last-change", control_session_get),
		STATE("/state/session/last-reason", control_session_get),
		STATE("/state/session/ups", control_session_get),
		STATE("/state/session/dead", control_session_get),
		STATE("/state/session/keepalive", control_session_get),
		STATE("/state/session/their-keepalive", control_session_get),
		STATE("/state/session/items-rx", control_session_get),
		STATE("/state/session/items-tx", control_session_get),
		STATE("/state/session/items-resent", control_session_get),
		STATE("/state/session/items-queued", control_session_get),
		NODE("/state/session/link",
		     .get_next = control_link_get_next),
		STATE("/state/session/link/local", control_link_get),
		STATE("/state/session/link/remote", control_link_get),
		STATE("/state/session/link/port", control_link_get),
		STATE("/state/session/link/up", control_link_get),
		STATE("/state/session/link/dialled", control_link_get),
		STATE("/state/session/link/hears-us", control_link_get),
		STATE("/state/session/link/last-change", control_link_get),
		STATE("/state/session/link/last-heard", control_link_get),
		STATE("/state/session/link/rx", control_link_get),
		STATE("/state/session/link/tx", control_link_get),
		NODE("/state/counter",
		     .get_next = control_counter_get_next,
		     .get_keys = control_counter_get_keys,
		     .lookup_entry = control_counter_lookup_entry),
		STATE("/state/counter/name", control_counter_get),
		STATE("/state/counter/value", control_counter_get),
		{ .xpath = NULL },
	},
};
