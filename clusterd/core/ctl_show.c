// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster control`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/ctl_daemon_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/core/ctl_show_clippy.c"
#endif

static json_object *path_json(const struct ctl_path *path)
{
	json_object *json = json_object_new_object();
	char text[INET6_ADDRSTRLEN];

	if (!IS_IPADDR_NONE(&path->local))
		json_object_string_add(json, "local",
				       ipaddr2str(&path->local, text,
						  sizeof(text)));
	json_object_string_add(json, "remote",
			       ipaddr2str(&path->remote, text, sizeof(text)));
	json_object_int_add(json, "port", path->port);
	return json;
}

static int64_t ms_ago(int64_t us, int64_t now_us)
{
	return (now_us - us) / 1000;
}

/* -- the node -- */

static json_object *sockets_json(void)
{
	json_object *list = json_object_new_array();
	struct ctl_io_view view;
	char text[INET6_ADDRSTRLEN];

	for (size_t i = 0; control.io && ctl_io_view(control.io, i, &view);
	     i++) {
		json_object *json = json_object_new_object();

		json_object_string_add(json, "vrf", view.listen.vrf);
		json_object_string_add(json, "address",
				       ipaddr2str(&view.listen.addr, text,
						  sizeof(text)));
		json_object_int_add(json, "port", view.listen.port);
		json_object_boolean_add(json, "open", !view.why[0]);
		if (view.why[0])
			json_object_string_add(json, "why", view.why);
		json_object_int_add(json, "rx", view.rx);
		json_object_int_add(json, "tx", view.tx);
		json_object_int_add(json, "txErrors", view.tx_errors);
		json_object_array_add(list, json);
	}
	return list;
}

static json_object *dials_json(void)
{
	json_object *list = json_object_new_array();
	struct control_peer *peer;

	frr_each (control_peers, &control.peers, peer) {
		char text[CTL_ID_TEXT_LEN], addr[INET6_ADDRSTRLEN];
		json_object *json = json_object_new_object();
		struct ctl_dial_view view;

		json_object_string_add(json, "address",
				       ipaddr2str(&peer->addr, addr,
						  sizeof(addr)));
		json_object_int_add(json, "port", peer->port);
		json_object_string_add(json, "vrf", peer->vrf);
		json_object_array_add(list, json);
		if (!peer->dial) {
			json_object_string_add(json, "state", "noSocket");
			continue;
		}
		ctl_dial_view(peer->dial, &view);
		json_object_string_add(json, "state", view.state);
		if (view.refused)
			json_object_string_add(json, "refused",
					       ctl_reason_str(view.refused));
		if (!ctl_id_is_null(&view.answered))
			json_object_string_add(json, "node",
					       ctl_id_format(&view.answered,
							     text));
	}
	return list;
}

static json_object *duplicates_json(int64_t now_us)
{
	struct ctl_duplicate list[CTL_DUPLICATES_MAX];
	json_object *array = json_object_new_array();
	char text[CTL_ID_TEXT_LEN];
	size_t n = control.ctl ? ctl_duplicates(control.ctl, now_us, list) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *json = path_json(&list[i].path);

		json_object_string_add(json, "id",
				       ctl_id_format(&list[i].id, text));
		json_object_int_add(json, "count", list[i].count);
		json_object_int_add(json, "lastMsecAgo",
				    ms_ago(list[i].last_us, now_us));
		json_object_array_add(array, json);
	}
	return array;
}

static json_object *node_json(int64_t now_us)
{
	json_object *json = json_object_new_object();
	const char *problem = control_problem();
	char text[CTL_ID_TEXT_LEN];

	json_object_string_add(json, "id", ctl_id_format(control_id(), text));
	json_object_boolean_add(json, "idKept", control_id_kept());
	json_object_boolean_add(json, "running", control.ctl != NULL);
	json_object_string_add(json, "keyChain", control.keychain);
	if (problem)
		json_object_string_add(json, "problem", problem);
	if (control.accept[0])
		json_object_string_add(json, "acceptPrefixList", control.accept);
	if (control_accept_problem())
		json_object_string_add(json, "acceptProblem",
				       control_accept_problem());
	json_object_int_add(json, "keepaliveMsec", control.timers.keepalive_ms);
	json_object_int_add(json, "deadMsec", control.timers.dead_ms);
	json_object_object_add(json, "sockets", sockets_json());
	json_object_object_add(json, "peers", dials_json());
	json_object_object_add(json, "duplicates", duplicates_json(now_us));
	return json;
}

static void node_show(struct vty *vty, int64_t now_us)
{
	struct ctl_duplicate duplicates[CTL_DUPLICATES_MAX];
	size_t n = control.ctl ? ctl_duplicates(control.ctl, now_us, duplicates)
			       : 0;
	char text[CTL_ID_TEXT_LEN], addr[INET6_ADDRSTRLEN];
	const char *problem = control_problem();
	struct control_peer *peer;
	struct ctl_io_view view;

	vty_out(vty, "Node %s\n", ctl_id_format(control_id(), text));
	if (!control_id_kept())
		vty_out(vty,
			"  NOT KEPT: another one after the next start; the log says what is wrong with the file\n");
	vty_out(vty, "Key chain: %s%s%s\n",
		control.keychain[0] ? control.keychain : "none",
		problem ? ": " : "", problem ? problem : "");
	if (control.accept[0])
		vty_out(vty, "Accepts: prefix-list %s%s%s\n", control.accept,
			control_accept_problem() ? ": " : "",
			control_accept_problem() ? control_accept_problem()
						 : "");
	vty_out(vty, "Keepalive %u ms, dead %u ms\n",
		control.timers.keepalive_ms, control.timers.dead_ms);
	for (size_t i = 0; control.io && ctl_io_view(control.io, i, &view); i++)
		vty_out(vty, "Listens on %s port %u, VRF %s%s%s\n",
			ipaddr2str(&view.listen.addr, addr, sizeof(addr)),
			view.listen.port, view.listen.vrf,
			view.why[0] ? ": NOT: " : "", view.why);
	frr_each (control_peers, &control.peers, peer) {
		struct ctl_dial_view dial = { .state = "no socket fits" };

		if (peer->dial)
			ctl_dial_view(peer->dial, &dial);
		vty_out(vty, "Peer %s port %u: %s%s%s%s\n",
			ipaddr2str(&peer->addr, addr, sizeof(addr)), peer->port,
			dial.state, dial.refused ? ", refused: " : "",
			dial.refused ? ctl_reason_str(dial.refused) : "",
			dial.wrong_id ? ", another node answers" : "");
	}
	for (size_t i = 0; i < n; i++)
		vty_out(vty, "DUPLICATE of %s at %s\n",
			ctl_id_format(&duplicates[i].id, text),
			ipaddr2str(&duplicates[i].path.remote, addr,
				   sizeof(addr)));
}

/* -- sessions -- */

static json_object *session_json(const struct ctl_peer_view *view,
				 int64_t now_us)
{
	json_object *json = json_object_new_object();
	json_object *links = json_object_new_array();

	json_object_string_add(json, "state", view->state);
	json_object_boolean_add(json, "up", view->up);
	json_object_int_add(json, "sinceMsec", ms_ago(view->since_us, now_us));
	json_object_string_add(json, "lastReason",
			       ctl_reason_str(view->last_reason));
	json_object_int_add(json, "ups", view->ups);
	json_object_int_add(json, "deadMsec", view->timers.dead_ms);
	json_object_int_add(json, "keepaliveMsec", view->timers.keepalive_ms);
	json_object_int_add(json, "theirKeepaliveMsec",
			    view->theirs.keepalive_ms);
	json_object_int_add(json, "itemsRx", view->items_rx);
	json_object_int_add(json, "itemsTx", view->items_tx);
	json_object_int_add(json, "itemsResent", view->items_resent);
	json_object_int_add(json, "itemsQueued", view->queued);
	for (unsigned int i = 0; i < view->n_links; i++) {
		const struct ctl_link_view *link = &view->links[i];
		json_object *entry = path_json(&link->path);

		json_object_boolean_add(entry, "up", link->up);
		json_object_boolean_add(entry, "dialled", link->dialled);
		json_object_boolean_add(entry, "hearsUs", link->hears_us);
		json_object_int_add(entry, "sinceMsec",
				    ms_ago(link->since_us, now_us));
		json_object_int_add(entry, "heardMsecAgo",
				    ms_ago(link->heard_us, now_us));
		json_object_int_add(entry, "rx", link->rx);
		json_object_int_add(entry, "tx", link->tx);
		json_object_array_add(links, entry);
	}
	json_object_object_add(json, "links", links);
	return json;
}

static void session_show(struct vty *vty, const struct ctl_peer_view *view,
			 int64_t now_us)
{
	char text[CTL_ID_TEXT_LEN], addr[INET6_ADDRSTRLEN], since[32];

	vty_out(vty, "%s  %-9s  %9s  %s\n", ctl_id_format(&view->id, text),
		view->state,
		cluster_uptime(view->since_us, now_us, since, sizeof(since)),
		view->up ? "" : ctl_reason_str(view->last_reason));
	for (unsigned int i = 0; i < view->n_links; i++) {
		const struct ctl_link_view *link = &view->links[i];

		vty_out(vty, "  link %s port %u: %s%s\n",
			ipaddr2str(&link->path.remote, addr, sizeof(addr)),
			link->path.port, link->up ? "up" : "down",
			link->up && !link->hears_us ? ", doesn't hear us" : "");
	}
}

static void sessions_show(struct vty *vty, bool as_json, int64_t now_us)
{
	json_object *json = as_json ? json_object_new_object() : NULL;
	struct ctl_peer_view view;
	char text[CTL_ID_TEXT_LEN];
	bool more = control.ctl && ctl_peer_next(control.ctl, NULL, &view);

	if (!as_json && !more)
		vty_out(vty, "No sessions.\n");
	for (; more; more = ctl_peer_next(control.ctl, &view.id, &view)) {
		if (as_json)
			json_object_object_add(json,
					       ctl_id_format(&view.id, text),
					       session_json(&view, now_us));
		else
			session_show(vty, &view, now_us);
	}
	if (as_json)
		vty_json(vty, json);
}

static void counters_show(struct vty *vty, bool as_json)
{
	json_object *json = as_json ? json_object_new_object() : NULL;

	for (int i = 0; control.ctl && i < CTL_COUNTERS; i++) {
		uint64_t value = ctl_counter(control.ctl, i);

		if (as_json)
			json_object_int_add(json, ctl_counter_str(i),
					    (int64_t)value);
		else if (value)
			vty_out(vty, "%-18s %llu\n", ctl_counter_str(i),
				(unsigned long long)value);
	}
	if (as_json)
		vty_json(vty, json);
}

DEFPY (show_cluster_control,
       show_cluster_control_cmd,
       "show cluster control [<sessions$sessions|counters$counters>] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "Control protocol: this node, its sockets and keys\n"
       "Sessions with other nodes and their links\n"
       "Datagrams, and why they were refused\n"
       JSON_STR)
{
	int64_t now_us = cluster_now_us();

	if (sessions)
		sessions_show(vty, json, now_us);
	else if (counters)
		counters_show(vty, json);
	else if (json)
		vty_json(vty, node_json(now_us));
	else
		node_show(vty, now_us);
	return CMD_SUCCESS;
}

void control_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_control_cmd);
}
