// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operational data of the control protocol: what `show cluster control` knows.
 *
 * Lists of views are walked by one cursor each: the northbound goes through
 * one entry after the other, with what is inside of it, and gives back what it
 * got.  An entry is always the cursor's address, or of what lies in it.
 */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/ctl_daemon_private.h"

static struct {
	struct {
		size_t i;
		struct ctl_io_view view;
	} socket;
	struct ctl_peer_view session;
	struct ctl_duplicate duplicates[CTL_DUPLICATES_MAX];
	size_t n_duplicates;
	enum ctl_counter counter;
} cursor;

static const char *addr_text(const struct ipaddr *addr, char *buf, size_t len)
{
	if (IS_IPADDR_NONE(addr))
		return "";
	return ipaddr2str(addr, buf, len);
}

static const char *ago_time(int64_t us, char buf[CLUSTER_OPER_TIME_LEN])
{
	return cluster_oper_time(cluster_now_us() - us, buf);
}

/* Keys of lists by place: VRF, address, port. */
static void place_keys(struct yang_list_keys *keys, const char *vrf,
		       const struct ipaddr *addr, uint16_t port)
{
	keys->num = 3;
	strlcpy(keys->key[0], vrf, sizeof(keys->key[0]));
	ipaddr2str(addr, keys->key[1], sizeof(keys->key[1]));
	snprintf(keys->key[2], sizeof(keys->key[2]), "%u", port);
}

/* XPath: /frr-clusterd-control:cluster-control/peer */
const void *control_peer_get_next(struct nb_cb_get_next_args *args)
{
	struct control_peer *peer = (struct control_peer *)args->list_entry;

	return peer ? control_peers_next(&control.peers, peer)
		    : control_peers_first(&control.peers);
}

int control_peer_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct control_peer *peer = args->list_entry;

	place_keys(args->keys, peer->vrf, &peer->addr, peer->port);
	return NB_OK;
}

const void *control_peer_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	struct ipaddr addr;

	if (str2ipaddr(args->keys->key[1], &addr))
		return NULL;
	return control_peer_find(args->keys->key[0], &addr,
				 strtoul(args->keys->key[2], NULL, 10));
}

/* XPath: /frr-clusterd-control:cluster-control/peer/state/... */
struct yang_data *control_peer_state_get(struct nb_cb_get_elem_args *args)
{
	const struct control_peer *peer = args->list_entry;
	struct ctl_dial_view view = { .state = "no-socket" };
	char node[CTL_ID_TEXT_LEN] = "";

	if (!peer)
		return NULL;
	if (peer->dial)
		ctl_dial_view(peer->dial, &view);
	if (!ctl_id_is_null(&view.answered))
		ctl_id_format(&view.answered, node);

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("status", view.state),
		OPER_TEXT("refused",
			  view.refused ? ctl_reason_str(view.refused) : ""),
		OPER_TEXT("node", node),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:cluster-control/state/... */
struct yang_data *control_state_get(struct nb_cb_get_elem_args *args)
{
	const char *accept_problem = control_accept_problem();
	const char *problem = control_problem();
	char id[CTL_ID_TEXT_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(control_id(), id)),
		OPER_BOOL("id-kept", control_id_kept()),
		OPER_BOOL("running", control.ctl != NULL),
		OPER_TEXT("problem", problem ? problem : ""),
		OPER_TEXT("accept-problem",
			  accept_problem ? accept_problem : ""),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:cluster-control/state/socket */
static const void *socket_at(size_t i)
{
	cursor.socket.i = i;
	if (!control.io || !ctl_io_view(control.io, i, &cursor.socket.view))
		return NULL;
	return &cursor.socket;
}

const void *control_socket_get_next(struct nb_cb_get_next_args *args)
{
	return socket_at(args->list_entry ? cursor.socket.i + 1 : 0);
}

int control_socket_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct ctl_listen *listen = &cursor.socket.view.listen;

	place_keys(args->keys, listen->vrf, &listen->addr, listen->port);
	return NB_OK;
}

const void *control_socket_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	const struct ctl_listen *listen = &cursor.socket.view.listen;
	uint16_t port = strtoul(args->keys->key[2], NULL, 10);
	struct ipaddr addr;

	if (str2ipaddr(args->keys->key[1], &addr))
		return NULL;
	for (size_t i = 0; socket_at(i); i++)
		if (strmatch(listen->vrf, args->keys->key[0]) &&
		    ipaddr_cmp(&listen->addr, &addr) == 0 &&
		    listen->port == port)
			return &cursor.socket;
	return NULL;
}

struct yang_data *control_socket_get(struct nb_cb_get_elem_args *args)
{
	const struct ctl_io_view *view = &cursor.socket.view;
	char addr[INET6_ADDRSTRLEN];

	if (!args->list_entry)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("vrf", view->listen.vrf),
		OPER_TEXT("address",
			  addr_text(&view->listen.addr, addr, sizeof(addr))),
		OPER_NUMBER("port", view->listen.port),
		OPER_BOOL("open", !view->why[0]),
		OPER_TEXT("why", view->why),
		OPER_NUMBER("rx", view->rx),
		OPER_NUMBER("tx", view->tx),
		OPER_NUMBER("tx-errors", view->tx_errors),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:cluster-control/state/duplicate */
const void *control_duplicate_get_next(struct nb_cb_get_next_args *args)
{
	const struct ctl_duplicate *entry = args->list_entry;

	if (!entry)
		cursor.n_duplicates =
			control.ctl
				? ctl_duplicates(control.ctl, cluster_now_us(),
						 cursor.duplicates)
				: 0;
	entry = entry ? entry + 1 : cursor.duplicates;
	return entry < cursor.duplicates + cursor.n_duplicates ? entry : NULL;
}

struct yang_data *control_duplicate_get(struct nb_cb_get_elem_args *args)
{
	const struct ctl_duplicate *entry = args->list_entry;
	char local[INET6_ADDRSTRLEN], addr[INET6_ADDRSTRLEN];
	char id[CTL_ID_TEXT_LEN], last[CLUSTER_OPER_TIME_LEN];

	if (!entry)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(&entry->id, id)),
		OPER_TEXT("local",
			  addr_text(&entry->path.local, local, sizeof(local))),
		OPER_TEXT("address",
			  addr_text(&entry->path.remote, addr, sizeof(addr))),
		OPER_NUMBER("port", entry->path.port),
		OPER_NUMBER("count", entry->count),
		OPER_TEXT("last", ago_time(entry->last_us, last)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:cluster-control/state/session */
const void *control_session_get_next(struct nb_cb_get_next_args *args)
{
	const struct ctl_id *after = args->list_entry ? &cursor.session.id
						      : NULL;

	if (!control.ctl || !ctl_peer_next(control.ctl, after, &cursor.session))
		return NULL;
	return &cursor.session;
}

int control_session_get_keys(struct nb_cb_get_keys_args *args)
{
	char text[CTL_ID_TEXT_LEN];

	args->keys->num = 1;
	strlcpy(args->keys->key[0], ctl_id_format(&cursor.session.id, text),
		sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *control_session_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	char text[CTL_ID_TEXT_LEN];
	bool more = control.ctl &&
		    ctl_peer_next(control.ctl, NULL, &cursor.session);

	for (; more; more = ctl_peer_next(control.ctl, &cursor.session.id,
					  &cursor.session))
		if (strmatch(ctl_id_format(&cursor.session.id, text),
			     args->keys->key[0]))
			return &cursor.session;
	return NULL;
}

struct yang_data *control_session_get(struct nb_cb_get_elem_args *args)
{
	const struct ctl_peer_view *view = &cursor.session;
	char id[CTL_ID_TEXT_LEN], since[CLUSTER_OPER_TIME_LEN];

	if (!args->list_entry)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(&view->id, id)),
		OPER_TEXT("status", view->state),
		OPER_BOOL("up", view->up),
		OPER_TEXT("last-change", ago_time(view->since_us, since)),
		OPER_TEXT("last-reason", ctl_reason_str(view->last_reason)),
		OPER_NUMBER("ups", view->ups),
		OPER_NUMBER("dead", view->timers.dead_ms),
		OPER_NUMBER("keepalive", view->timers.keepalive_ms),
		OPER_NUMBER("their-keepalive", view->theirs.keepalive_ms),
		OPER_NUMBER("items-rx", view->items_rx),
		OPER_NUMBER("items-tx", view->items_tx),
		OPER_NUMBER("items-resent", view->items_resent),
		OPER_NUMBER("items-queued", view->queued),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:cluster-control/state/session/link */
const void *control_link_get_next(struct nb_cb_get_next_args *args)
{
	const struct ctl_link_view *link = args->list_entry;

	if (!args->parent_list_entry)
		return NULL;
	link = link ? link + 1 : cursor.session.links;
	return link < cursor.session.links + cursor.session.n_links ? link
								    : NULL;
}

struct yang_data *control_link_get(struct nb_cb_get_elem_args *args)
{
	const struct ctl_link_view *link = args->list_entry;
	char local[INET6_ADDRSTRLEN], remote[INET6_ADDRSTRLEN];
	char since[CLUSTER_OPER_TIME_LEN], heard[CLUSTER_OPER_TIME_LEN];

	if (!link)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("local",
			  addr_text(&link->path.local, local, sizeof(local))),
		OPER_TEXT("remote", addr_text(&link->path.remote, remote,
					      sizeof(remote))),
		OPER_NUMBER("port", link->path.port),
		OPER_BOOL("up", link->up),
		OPER_BOOL("dialled", link->dialled),
		OPER_BOOL("hears-us", link->hears_us),
		OPER_TEXT("last-change", ago_time(link->since_us, since)),
		OPER_TEXT("last-heard", ago_time(link->heard_us, heard)),
		OPER_NUMBER("rx", link->rx),
		OPER_NUMBER("tx", link->tx),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:cluster-control/state/counter */
const void *control_counter_get_next(struct nb_cb_get_next_args *args)
{
	cursor.counter = args->list_entry ? cursor.counter + 1 : 0;
	return control.ctl && cursor.counter < CTL_COUNTERS ? &cursor.counter
							    : NULL;
}

int control_counter_get_keys(struct nb_cb_get_keys_args *args)
{
	args->keys->num = 1;
	strlcpy(args->keys->key[0], ctl_counter_str(cursor.counter),
		sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *control_counter_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	for (int i = 0; control.ctl && i < CTL_COUNTERS; i++) {
		cursor.counter = i;
		if (strmatch(ctl_counter_str(i), args->keys->key[0]))
			return &cursor.counter;
	}
	return NULL;
}

struct yang_data *control_counter_get(struct nb_cb_get_elem_args *args)
{
	if (!args->list_entry || !control.ctl)
		return NULL;

	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("name", ctl_counter_str(cursor.counter)),
		OPER_NUMBER("value", ctl_counter(control.ctl, cursor.counter)),
	};

	return cluster_oper_data(args->xpath, leaves, array_size(leaves));
}

/* XPath: /frr-clusterd-control:session-change */
void control_notify(const struct ctl_peer *peer, const char *reason)
{
	char id[CTL_ID_TEXT_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("id", ctl_id_format(ctl_peer_id(peer), id)),
		OPER_BOOL("up", !reason[0]),
		OPER_TEXT("reason", reason),
	};

	cluster_oper_notify("/frr-clusterd-control:session-change", leaves,
			    array_size(leaves));
}
