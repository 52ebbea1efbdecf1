// SPDX-License-Identifier: GPL-2.0-or-later
/* The edge's tunnels in the daemon: dials, and the tunnel command. */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/ctl_daemon.h"
#include "hubcluster/hc_daemon_private.h"
#include "hubcluster/hc_tunnel.h"
#include "probe/command_run.h"

static struct hc_tunnels *tunnels;
static struct command_run command;
static char command_text[HCD_COMMAND_LEN]; /* "": none */
static char vrf[CLUSTER_VRF_LEN] = HCD_DEFAULT_VRF;
static char why[HCD_WHY_LEN];
/* What the command does now. */
static struct ctl_id commanded;
static bool rising;

const char *hcd_tunnel_why(void)
{
	return why;
}

/* -- ops -- */

static void *op_call(void *arg, const struct ctl_id *hub,
		     const struct ipaddr *addr, uint16_t port)
{
	return control_dial_new(vrf, addr, port, hub);
}

static void op_uncall(void *arg, void *call)
{
	struct control_dial *dial = call;

	control_dial_free(&dial);
}

static void command_done(struct command_run *run, bool ok, const char *text)
{
	char hub[HCD_NODE_TEXT_LEN];

	why[0] = '\0';
	if (!ok) {
		snprintf(why, sizeof(why), "tunnel command (%s): %s",
			 rising ? "up" : "down", text);
		zlog_warn("edge: hub %s: %s", hcd_node_text(&commanded, hub),
			  why);
	}
	hc_tunnels_done(tunnels, ok, cluster_now_us());
	hcd_run_soon();
}

static void op_command(void *arg, const struct hc_where *hub, bool up)
{
	char line[PROBE_COMMAND_LEN], id[CTL_ID_TEXT_LEN];

	snprintf(line, sizeof(line), "%s %s %s %u", command_text,
		 up ? "up" : "down", ctl_id_format(&hub->hub, id), hub->port);
	for (int i = 0; i < hub->addresses.n; i++)
		csnprintfrr(line, sizeof(line), " %pIA",
			    &hub->addresses.list[i]);
	HUB_DEBUG("edge: %s", line);
	commanded = hub->hub;
	rising = up;
	command_run_start(&command, vrf, line, HCD_COMMAND_MS, command_done);
}

static void op_up(void *arg, const struct ctl_id *hub)
{
	hc_node_want(hcd_node(), hub);
	hcd_run_soon();
}

static const struct hc_tunnels_ops ops = {
	.call = op_call,
	.uncall = op_uncall,
	.command = op_command,
	.up = op_up,
};

/* -- what comes from the edge -- */

int64_t hcd_tunnel_run(int64_t now_us)
{
	return tunnels ? hc_tunnels_run(tunnels, now_us) : INT64_MAX;
}

void hcd_tunnel_connect(const struct hc_where *hub)
{
	hc_tunnels_connect(tunnels, hub);
	hcd_run_soon();
}

void hcd_tunnel_disconnect(const struct ctl_id *hub)
{
	hc_tunnels_disconnect(tunnels, hub, cluster_now_us());
	hcd_run_soon();
}

void hcd_tunnel_place(const struct hc_where *hub)
{
	hc_tunnels_place(tunnels, hub);
	hcd_run_soon();
}

void hcd_tunnel_places(bool begin)
{
	hc_tunnels_places(tunnels, begin);
	hcd_run_soon();
}

/* -- what runs -- */

void hcd_tunnel_stop(void)
{
	command_run_stop(&command);
	hc_tunnels_free(&tunnels);
	why[0] = '\0';
}

void hcd_tunnel_follow(const struct hcd_edge *edge)
{
	struct hc_tunnels_config config = {};
	bool elsewhere, other;

	if (!tunnels)
		tunnels = hc_tunnels_new(&ops, NULL);
	if (edge) {
		config.preestablish = edge->config.preestablish;
		config.retry_ms = edge->config.retry_ms;
	}
	elsewhere = edge && strcmp(vrf, edge->tunnel_vrf) != 0;
	other = edge && strcmp(command_text, edge->command) != 0;
	if (elsewhere || other) {
		command_run_stop(&command);
		strlcpy(command_text, edge->command, sizeof(command_text));
		strlcpy(vrf, edge->tunnel_vrf, sizeof(vrf));
	}
	config.command = command_text[0] != '\0';
	hc_tunnels_config_set(tunnels, &config);
	/* Sessions stay until what they go over is there anew, or can't be. */
	if (elsewhere || other)
		hc_tunnels_renew(tunnels, elsewhere);
	hcd_run_soon();
}
