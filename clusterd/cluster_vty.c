// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CLI basis.
 *
 * Loading: vtysh sends a configuration file line by line; libfrr collects the
 * northbound changes of all lines into one transaction.  As libfrr does it,
 * the cost of a section grows with the number of sections before it: the stock
 * `exit` commits, and the text of all pending commands is kept and scanned
 * again for every line.  So our nodes have an `exit` of their own that drops
 * that text, and commits only now and then; the time is then linear
 * (`bench/config-load`).  A commit takes a time that grows with the square of
 * the sections that are there already: libyang 2 compares every entry of a
 * list with all before it.  So each commit is of as many sections as were
 * committed before, of SECTIONS_A_COMMIT at least.
 *
 * A transaction that is refused loses all its lines, so nothing of ours is
 * refused at commit that was not refused when typed; and an entry command
 * must not fail while a file is read: vtysh would leave the configuration at
 * the section's `exit` and lose everything behind it.
 */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"
#include "lib/version.h"
#include "vty.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/ctl_daemon.h"
#include "core/metrics.h"
#include "core/route_table.h"
#include "core/watchdog.h"
#include "probe/probe.h"
#include "hubcluster/hc_daemon.h"
#include "probe/probe_command.h"
#include "track/track.h"
#include "vip/vip.h"

#ifndef VTYSH_EXTRACT_PL
#include "cluster_vty_clippy.c"
#endif

#define SECTIONS_A_COMMIT 1000

/* Sections of the file that is being read: not yet committed, and committed. */
static unsigned int pending_sections;
static unsigned int committed_sections;

bool cluster_name_valid(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= CLUSTER_NAME_LEN || !isalnum((uint8_t)name[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((uint8_t)name[i]) && !strchr("._:-", name[i]))
			return false;
	return true;
}

/* Empties the text that nb_cli_schedule_command() scans for every line. */
static void pending_text_drop(struct vty *vty)
{
	if (!vty->pending_cmds_buf)
		return;
	vty->pending_cmds_buf[0] = '\0';
	vty->pending_cmds_bufpos = 0;
}

static void pending_commit(struct vty *vty)
{
	unsigned int sections = pending_sections;

	committed_sections += pending_sections;
	pending_sections = 0;
	watchdog_feed();
	if (nb_cli_pending_commit_check(vty) != CMD_SUCCESS)
		flog_err(EC_CLUSTER_CONFIG_FILE,
			 "up to %u `cluster` sections of the configuration were refused together",
			 sections);
	watchdog_feed();
}

/* Always succeeds: on a failure vtysh would stay in the node. */
static int section_exit(struct vty *vty)
{
	cmd_exit(vty);
	pending_text_drop(vty);
	if (vty->pending_commit &&
	    ++pending_sections >= MAX(SECTIONS_A_COMMIT, committed_sections))
		pending_commit(vty);
	return CMD_SUCCESS;
}

DEFPY_YANG_NOSH (cluster_exit,
		 cluster_exit_cmd,
		 "exit",
		 "Exit current mode and down to previous mode\n")
{
	return section_exit(vty);
}

DEFPY_YANG_NOSH (cluster_quit,
		 cluster_quit_cmd,
		 "quit",
		 "Exit current mode and down to previous mode\n")
{
	return section_exit(vty);
}

/* libfrr's `exit` and `quit` are static there: found by their names. */
static void default_exit_remove(enum node_type node)
{
	struct cmd_node *cnode = vector_lookup(cmdvec, node);
	const struct cmd_element *found[2] = {};
	unsigned int n_found = 0;

	for (unsigned int i = 0; i < vector_active(cnode->cmd_vector); i++) {
		const struct cmd_element *element =
			vector_slot(cnode->cmd_vector, i);

		if (element && n_found < array_size(found) &&
		    (strcmp(element->string, "exit") == 0 ||
		     strcmp(element->string, "quit") == 0))
			found[n_found++] = element;
	}
	while (n_found)
		uninstall_element(node, found[--n_found]);
}

void cluster_vty_node_install(struct cmd_node *node)
{
	install_node(node);
	install_default(node->node);
	default_exit_remove(node->node);
	_install_element(node->node, &cluster_exit_cmd);
	_install_element(node->node, &cluster_quit_cmd);
}

static void entry_xpath(const char *list_xpath, const char *name, char *xpath,
			size_t len)
{
	snprintf(xpath, len, "%s[name='%s']", list_xpath, name);
}

int cluster_vty_enter(struct vty *vty, enum cluster_node node,
		      const char *list_xpath, const char *name)
{
	char xpath[XPATH_MAXLEN];
	int ret;

	/* A sign of life of the file that is being read. */
	if (vty->pending_allowed && cluster_sched_held())
		cluster_sched_hold();
	watchdog_feed();
	if (!cluster_name_valid(name)) {
		vty_out(vty,
			"%% %s: not a name: use letters, digits and . _ : - (at most %d, a letter or digit first)\n",
			name, CLUSTER_NAME_LEN - 1);
		if (!vty->pending_allowed)
			return CMD_WARNING_CONFIG_FAILED;
		flog_err(EC_CLUSTER_CONFIG_SECTION,
			 "configuration section `%s` refused: bad name",
			 vty->buf);
		/* Its lines have no object to change; its `exit` fits. */
		vty->node = (enum node_type)node;
		return CMD_SUCCESS;
	}
	entry_xpath(list_xpath, name, xpath, sizeof(xpath));
	/* A commit without changes takes long, too: somebody waits for it. */
	if (!vty->pending_allowed &&
	    yang_dnode_exists(vty->candidate_config->dnode, xpath)) {
		VTY_PUSH_XPATH((enum node_type)node, xpath);
		return CMD_SUCCESS;
	}
	nb_cli_enqueue_change(vty, xpath, NB_OP_CREATE, NULL);
	ret = nb_cli_apply_changes(vty, NULL);
	if (ret == CMD_SUCCESS)
		VTY_PUSH_XPATH((enum node_type)node, xpath);
	return ret;
}

bool cluster_vty_section_ok(struct vty *vty)
{
	if (vty->xpath_index > 0)
		return true;
	vty_out(vty, "%% ignored: this section has no valid name\n");
	return false;
}

bool cluster_vty_typed(const struct vty *vty)
{
	return !vty->pending_allowed;
}

int cluster_vty_refuse(struct vty *vty, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintfrr(text, sizeof(text), fmt, ap);
	va_end(ap);
	vty_out(vty, "%% %s\n", text);
	return CMD_WARNING_CONFIG_FAILED;
}

int cluster_vty_leaf(struct vty *vty, const char *xpath, const char *value)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath, value ? NB_OP_MODIFY : NB_OP_DESTROY,
			      value);
	return nb_cli_apply_changes(vty, NULL);
}

int cluster_vty_flag(struct vty *vty, const char *xpath, bool value)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath, value ? NB_OP_CREATE : NB_OP_DESTROY,
			      NULL);
	return nb_cli_apply_changes(vty, NULL);
}

bool cluster_vty_name_ok(struct vty *vty, const char *what, const char *name)
{
	if (cluster_name_valid(name))
		return true;
	cluster_vty_refuse(vty,
			   "%s is not the name of a %s: use letters, digits and . _ : - (at most %d, a letter or digit first)",
			   name, what, CLUSTER_NAME_LEN - 1);
	return false;
}

bool cluster_vty_vrf_ok(struct vty *vty, const char *name)
{
	if (strlen(name) < CLUSTER_VRF_LEN)
		return true;
	cluster_vty_refuse(vty, "the name of a VRF has at most %d characters",
			   CLUSTER_VRF_LEN - 1);
	return false;
}

void cluster_vty_leaf_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, " %s %s\n", dnode->schema->name,
		yang_dnode_get_string(dnode, NULL));
}

void cluster_vty_flag_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, " %s\n", dnode->schema->name);
}

int cluster_vty_delete(struct vty *vty, const char *list_xpath, const char *name)
{
	char xpath[XPATH_MAXLEN];

	if (!cluster_name_valid(name)) {
		vty_out(vty, "%% there is no %s: names have other characters\n",
			name);
		return CMD_WARNING_CONFIG_FAILED;
	}
	entry_xpath(list_xpath, name, xpath, sizeof(xpath));
	nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
	/* Not _clear_pending: a commit a deletion takes minutes for 1,000. */
	return nb_cli_apply_changes(vty, NULL);
}

int cluster_vty_name_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	/* The key is the first child. */
	return strcmp(lyd_get_value(lyd_child(a)), lyd_get_value(lyd_child(b)));
}

int cluster_vty_value_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	return strcmp(lyd_get_value(a), lyd_get_value(b));
}

int cluster_vty_address_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	struct ipaddr addr_a, addr_b;

	if (str2ipaddr(lyd_get_value(a), &addr_a) ||
	    str2ipaddr(lyd_get_value(b), &addr_b))
		return cluster_vty_value_cmp(a, b);
	return ipaddr_cmp(&addr_a, &addr_b);
}

int cluster_vty_config_write(struct vty *vty, const char *xpath)
{
	const struct lyd_node *dnode = yang_dnode_get(running_config->dnode,
						      xpath);

	if (!dnode)
		return 0;
	nb_cli_show_dnode_cmds(vty, dnode, false);
	return 1;
}

const char *cluster_uptime(int64_t since_us, int64_t now_us, char *buf,
			   size_t len)
{
	int64_t s = (now_us - since_us) / 1000000;
	int64_t days = s / 86400, hours = s / 3600 % 24;

	if (s < 0)
		s = 0;
	if (days >= 7)
		snprintf(buf, len, "%lldw%lldd%02lldh", (long long)days / 7,
			 (long long)days % 7, (long long)hours);
	else if (days)
		snprintf(buf, len, "%lldd%02lldh%02lldm", (long long)days,
			 (long long)hours, (long long)s / 60 % 60);
	else
		snprintf(buf, len, "%02lld:%02lld:%02lld", (long long)hours,
			 (long long)s / 60 % 60, (long long)s % 60);
	return buf;
}

const char *cluster_zebra_state_name(enum cluster_zebra_state state)
{
	static const char *const names[] = {
		[CLUSTER_ZEBRA_DOWN] = "down",
		[CLUSTER_ZEBRA_REFUSED] = "refused",
		[CLUSTER_ZEBRA_CONNECTED] = "connected",
	};

	return names[state];
}

static json_object *vips_json(void)
{
	json_object *json = json_object_new_object();
	struct vip_counts counts;

	vip_counts(&counts);
	json_object_int_add(json, "total", counts.total);
	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++)
		json_object_int_add(json, vip_state_name(i), counts.by_state[i]);
	json_object_int_add(json, "members", counts.members);
	json_object_int_add(json, "membersUp", counts.members_up);
	json_object_int_add(json, "addresses", counts.addresses);
	json_object_int_add(json, "addressesAnnounced",
			    counts.addresses_announced);
	return json;
}

static json_object *probes_json(void)
{
	json_object *json = json_object_new_object();
	struct probe_command_counts commands;
	struct probe_counts counts;

	probe_counts(&counts);
	json_object_int_add(json, "total", counts.probes);
	json_object_int_add(json, "instances", counts.instances);
	json_object_int_add(json, "up", counts.up);
	json_object_int_add(json, "down", counts.down);
	json_object_int_add(json, "unknown", counts.unknown);
	probe_command_counts(&commands);
	json_object_int_add(json, "commandsRunning", commands.running);
	json_object_int_add(json, "commandsWaiting", commands.waiting);
	json_object_int_add(json, "commandsStarved", commands.starved);
	return json;
}

static json_object *tracks_json(void)
{
	json_object *json = json_object_new_object();
	struct track_counts counts;

	track_counts(&counts);
	json_object_int_add(json, "total", counts.tracks);
	json_object_int_add(json, "routes", counts.routes);
	for (enum track_state i = 0; i < TRACK_STATES; i++)
		json_object_int_add(json,
				    i == TRACK_LAST_RESORT ? "lastResort"
							   : track_state_name(i),
				    counts.by_state[i]);
	return json;
}

static void tracks_show(struct vty *vty)
{
	struct track_counts counts;

	track_counts(&counts);
	if (!counts.tracks)
		return;
	vty_out(vty, "Tracks: %zu; routes: %zu", counts.tracks, counts.routes);
	for (enum track_state i = 0; i < TRACK_STATES; i++)
		if (counts.by_state[i])
			vty_out(vty, ", %zu %s", counts.by_state[i],
				track_state_name(i));
	vty_out(vty, "\n");
}

static json_object *hub_clustering_json(void)
{
	json_object *json = json_object_new_object();
	struct hcd_counts counts;

	hcd_counts(&counts);
	json_object_int_add(json, "clusters", counts.clusters);
	json_object_int_add(json, "clustersRunning", counts.clusters_running);
	json_object_int_add(json, "hubs", counts.hubs);
	json_object_int_add(json, "edges", counts.edges);
	json_object_int_add(json, "moves", counts.moves);
	json_object_int_add(json, "bulkMoves", counts.bulks);
	json_object_boolean_add(json, "hubRunning", counts.hub_running);
	json_object_int_add(json, "attachedEdges", counts.attached);
	json_object_boolean_add(json, "edgeRunning", counts.edge_running);
	if (counts.edge_running)
		json_object_string_add(json, "edgeState",
				       hc_edge_state_str(counts.edge_state));
	return json;
}

static void hub_clustering_show(struct vty *vty)
{
	struct hcd_counts counts;

	hcd_counts(&counts);
	if (counts.clusters)
		vty_out(vty,
			"Hub clusters: %zu, %zu run; hubs alive: %zu; edges: %zu; moves: %" PRIu64
			"\n",
			counts.clusters, counts.clusters_running, counts.hubs,
			counts.edges, counts.moves);
	if (counts.hub && counts.hub_running)
		vty_out(vty, "Hub: runs; edges: %zu\n", counts.attached);
	else if (counts.hub)
		vty_out(vty, "Hub: doesn't run: %s\n", hcd_hub()->why);
	if (counts.edge && counts.edge_running)
		vty_out(vty, "Edge: %s\n", hc_edge_state_str(counts.edge_state));
	else if (counts.edge)
		vty_out(vty, "Edge: doesn't run: %s\n", hcd_edge()->why);
}

static json_object *control_json(void)
{
	json_object *json = json_object_new_object();
	struct control_counts counts;

	control_counts(&counts);
	json_object_boolean_add(json, "running", control_ctl() != NULL);
	if (counts.problem)
		json_object_string_add(json, "problem", counts.problem);
	json_object_int_add(json, "configuredPeers", counts.configured);
	json_object_int_add(json, "nodes", counts.peers.known);
	json_object_int_add(json, "sessionsUp", counts.peers.up);
	json_object_int_add(json, "duplicateIds", counts.duplicates);
	return json;
}

static void control_show(struct vty *vty)
{
	struct control_counts counts;

	control_counts(&counts);
	vty_out(vty, "Control: %zu of %zu sessions up, %zu configured peers",
		counts.peers.up, counts.peers.known, counts.configured);
	if (counts.duplicates)
		vty_out(vty, ", %zu DUPLICATES of IDs", counts.duplicates);
	vty_out(vty, "%s%s\n", counts.problem ? "; " : "",
		counts.problem ? counts.problem : "");
}

static void vips_show(struct vty *vty)
{
	struct vip_counts counts;

	vip_counts(&counts);
	vty_out(vty, "VIPs: %zu", counts.total);
	for (enum vip_state i = 0; i < VIP_STATE_MAX; i++)
		if (counts.by_state[i])
			vty_out(vty, ", %zu %s", counts.by_state[i],
				vip_state_name(i));
	vty_out(vty,
		"\n  %zu of %zu members up, %zu of %zu addresses announced\n",
		counts.members_up, counts.members, counts.addresses_announced,
		counts.addresses);
}

static void probes_show(struct vty *vty)
{
	struct probe_command_counts commands;
	struct probe_counts counts;

	probe_counts(&counts);
	vty_out(vty, "Probes: %zu, %zu running: %zu up, %zu down",
		counts.probes, counts.instances, counts.up, counts.down);
	if (counts.unknown)
		vty_out(vty, ", %zu unknown", counts.unknown);
	vty_out(vty, "\n");
	probe_command_counts(&commands);
	if (commands.running || commands.waiting || commands.starved)
		vty_out(vty,
			"  Commands: %zu of at most %d running, %zu waiting, %" PRIu64
			" timed out waiting\n",
			commands.running, PROBE_COMMANDS_MAX, commands.waiting,
			commands.starved);
}

static json_object *metrics_json(void)
{
	json_object *json = json_object_new_object();
	struct metrics_state state;

	metrics_state_get(&state);
	if (!state.path[0])
		return json;
	json_object_string_add(json, "file", state.path);
	if (state.problem[0])
		json_object_string_add(json, "problem", state.problem);
	if (state.written_us) {
		json_object_int_add(json, "writtenMsec",
				    (cluster_now_us() - state.written_us) /
					    1000);
		json_object_int_add(json, "octets", state.octets);
	}
	return json;
}

static void metrics_show(struct vty *vty)
{
	struct metrics_state state;
	char since[32];

	metrics_state_get(&state);
	if (!state.path[0])
		return;
	vty_out(vty, "Metrics: %s, ", state.path);
	if (state.written_us)
		vty_out(vty, "written %s ago",
			cluster_uptime(state.written_us, cluster_now_us(),
				       since, sizeof(since)));
	else
		vty_out(vty, "not written yet");
	vty_out(vty, "%s%s\n", state.problem[0] ? "; " : "", state.problem);
}

static void summary_json(struct vty *vty, enum cluster_zebra_state state,
			 const char *why, const char *advice,
			 const struct route_table_counts *routes)
{
	json_object *json = json_object_new_object();
	json_object *zebra = json_object_new_object();
	json_object *route = json_object_new_object();
	json_object *watchdog = json_object_new_object();

	json_object_string_add(json, "version", CLUSTERD_VERSION);
	json_object_string_add(json, "frrVersion", FRR_VERSION);
	json_object_string_add(json, "routeType", cluster_zebra_route_type());
	json_object_boolean_add(json, "configurationLoading",
				cluster_sched_held());
	json_object_string_add(zebra, "state", cluster_zebra_state_name(state));
	if (why[0])
		json_object_string_add(zebra, "why", why);
	if (advice[0])
		json_object_string_add(zebra, "advice", advice);
	json_object_object_add(json, "zebra", zebra);
	json_object_int_add(route, "wanted", routes->wanted);
	json_object_int_add(route, "installed",
			    routes->by_status[CLUSTER_ROUTE_INSTALLED]);
	json_object_int_add(route, "addsSent", routes->adds);
	json_object_int_add(route, "deletesSent", routes->deletes);
	json_object_object_add(json, "routes", route);
	json_object_int_add(watchdog, "timeoutMsec", watchdog_timeout_ms());
	json_object_boolean_add(watchdog, "running", watchdog_pid() != 0);
	json_object_object_add(json, "watchdog", watchdog);
	json_object_object_add(json, "vips", vips_json());
	json_object_object_add(json, "probes", probes_json());
	json_object_object_add(json, "tracks", tracks_json());
	json_object_object_add(json, "hubClustering", hub_clustering_json());
	json_object_object_add(json, "control", control_json());
	json_object_object_add(json, "metrics", metrics_json());
	vty_json(vty, json);
}

DEFPY (show_cluster_summary,
       show_cluster_summary_cmd,
       "show cluster summary [json$json]",
       SHOW_STR
       CLUSTER_STR
       "State of the daemon, of its connection to zebra and of all objects\n"
       JSON_STR)
{
	struct route_table_counts routes;
	enum cluster_zebra_state state;
	char why[256], advice[256];

	state = cluster_zebra_state(why, sizeof(why));
	cluster_zebra_advice(advice, sizeof(advice));
	cluster_zebra_route_counts(&routes);
	if (json) {
		summary_json(vty, state, why, advice, &routes);
		return CMD_SUCCESS;
	}
	vty_out(vty, "clusterd %s on FRR %s\n", CLUSTERD_VERSION, FRR_VERSION);
	vty_out(vty, "zebra: %s%s%s\n", cluster_zebra_state_name(state),
		why[0] ? ": " : "", why);
	if (advice[0])
		vty_out(vty, "  %s\n", advice);
	vty_out(vty, "Routes: type %s, %zu wanted, %zu installed\n",
		cluster_zebra_route_type(), routes.wanted,
		routes.by_status[CLUSTER_ROUTE_INSTALLED]);
	if (watchdog_timeout_ms())
		vty_out(vty, "Watchdog: %u ms, guard process %d\n",
			watchdog_timeout_ms(), watchdog_pid());
	else
		vty_out(vty, "Watchdog: off\n");
	if (cluster_sched_held())
		vty_out(vty,
			"Configuration is being loaded: decisions are held\n");
	vips_show(vty);
	probes_show(vty);
	tracks_show(vty);
	hub_clustering_show(vty);
	control_show(vty);
	metrics_show(vty);
	return CMD_SUCCESS;
}

static void config_start(CLUSTER_CONFIG_CALLBACK_ARGS)
{
	pending_sections = 0;
	committed_sections = 0;
	cluster_sched_hold();
	watchdog_lenient();
}

static void config_end(CLUSTER_CONFIG_CALLBACK_ARGS)
{
	cluster_sched_release();
}

void cluster_vty_init(void)
{
	cmd_init_config_callbacks(config_start, config_end);
	install_element(VIEW_NODE, &show_cluster_summary_cmd);
}
