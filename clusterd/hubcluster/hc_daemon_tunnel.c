// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The edge's tunnels and sessions to hubs.
 *
 *	down --(wanted)--> rising --> up --(unwanted)--> falling --> down
 *
 * Without a tunnel command, rising and falling take no time.  With one, it is
 * run for one hub after the other; a session is called for when the tunnel is
 * up.  Level-triggered: what is wanted may change at any time, and what follows
 * is looked for again when a command has ended.
 *
 * A hub that has other addresses now gets its tunnel `up` once more, with these;
 * the session goes on over what it has until the new ones had time to join it.
 */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/ctl_daemon.h"
#include "hubcluster/hc_daemon_private.h"
#include "probe/command_run.h"

#define TUNNELS_MAX HC_HUBS_MAX
/*
 * A tunnel that was left still carries what is under way to it, and the session
 * our farewell: longer than the hub keeps its routes.
 */
#define LINGER_US (HC_STAYING_US + HC_LEAVING_US + INT64_C(500000))
/* An address that a hub has no more is called for so long, for those it has. */
#define RETIRE_US INT64_C(3000000)

enum tunnel_state {
	TUNNEL_DOWN,
	TUNNEL_RISING,
	TUNNEL_UP,
	TUNNEL_FALLING,
};

struct tunnel {
	struct ctl_id hub; /* null: the slot is free */
	bool wanted;
	bool given_up;	       /* its slot is needed: isn't kept up for later */
	struct hc_where next;  /* where it is to go */
	struct hc_where where; /* where it goes, if it isn't down */
	enum tunnel_state state;
	int64_t retry_us; /* not brought up before that */
	int64_t fall_us;  /* not taken down before that */
	struct control_dial *dials[HC_ADDRESSES_MAX]; /* of `dialled` */
	struct hc_where dialled;
	char dialled_vrf[CLUSTER_VRF_LEN];
	struct control_dial *retired[HC_ADDRESSES_MAX];
	int64_t retire_us; /* when these go; 0: there are none */
};

static struct tunnel tunnels[TUNNELS_MAX];
static struct command_run command;
static struct tunnel *commanded;	   /* for which the command runs */
static char command_text[HCD_COMMAND_LEN]; /* "": none */
static bool preestablish;
static char vrf[CLUSTER_VRF_LEN] = HCD_DEFAULT_VRF;
static uint32_t retry_ms;
static char why[HCD_WHY_LEN];

const char *hcd_tunnel_why(void)
{
	return why;
}

static struct tunnel *tunnel_find(const struct ctl_id *hub)
{
	for (size_t i = 0; i < TUNNELS_MAX; i++)
		if (!ctl_id_cmp(&tunnels[i].hub, hub))
			return &tunnels[i];
	return NULL;
}

/* A free one, or one that doesn't matter; NULL: none. */
static struct tunnel *tunnel_spare(void)
{
	static const struct ctl_id none;
	struct tunnel *tunnel = tunnel_find(&none);

	for (size_t i = 0; !tunnel && i < TUNNELS_MAX; i++)
		if (tunnels[i].state == TUNNEL_DOWN && !tunnels[i].wanted)
			tunnel = &tunnels[i];
	return tunnel;
}

/*
 * With `preestablish` tunnels stay, also those to hubs that are no more: that
 * which was left first goes, so that there is room for the next hub.
 */
static void tunnel_give_up(void)
{
	struct tunnel *oldest = NULL;

	for (size_t i = 0; i < TUNNELS_MAX; i++)
		if (tunnels[i].state == TUNNEL_UP && !tunnels[i].wanted &&
		    (!oldest || tunnels[i].fall_us < oldest->fall_us))
			oldest = &tunnels[i];
	if (oldest)
		oldest->given_up = true;
}

static struct tunnel *tunnel_new(const struct ctl_id *hub)
{
	struct tunnel *tunnel = tunnel_spare();

	if (tunnel)
		*tunnel = (struct tunnel){ .hub = *hub };
	if (!tunnel_spare())
		tunnel_give_up();
	return tunnel;
}

static bool same_place(const struct hc_where *a, const struct hc_where *b)
{
	return a->port == b->port &&
	       hc_addresses_same(&a->addresses, &b->addresses);
}

static void retired_free(struct tunnel *tunnel)
{
	for (int i = 0; i < HC_ADDRESSES_MAX; i++)
		control_dial_free(&tunnel->retired[i]);
	tunnel->retire_us = 0;
}

static void dials_free(struct tunnel *tunnel)
{
	retired_free(tunnel);
	for (int i = 0; i < HC_ADDRESSES_MAX; i++)
		control_dial_free(&tunnel->dials[i]);
	memset(&tunnel->dialled, 0, sizeof(tunnel->dialled));
}

/* The dial of an address, out of the list that it is in; NULL: none. */
static struct control_dial *dial_take(struct tunnel *tunnel,
				      const struct ipaddr *addr)
{
	struct control_dial *dial = NULL;

	for (int i = 0; i < tunnel->dialled.addresses.n; i++)
		if (!ipaddr_cmp(&tunnel->dialled.addresses.list[i], addr)) {
			dial = tunnel->dials[i];
			tunnel->dials[i] = NULL;
		}
	return dial;
}

/* All addresses are called; those that were there before, as they were. */
static void dials_make(struct tunnel *tunnel)
{
	struct control_dial *made[HC_ADDRESSES_MAX] = {};
	bool same_vrf = strmatch(tunnel->dialled_vrf, vrf);
	bool same_port = tunnel->dialled.port == tunnel->where.port;

	if (same_vrf && same_place(&tunnel->dialled, &tunnel->where))
		return;
	for (int i = 0; i < tunnel->where.addresses.n; i++) {
		const struct ipaddr *addr = &tunnel->where.addresses.list[i];

		if (same_vrf && same_port)
			made[i] = dial_take(tunnel, addr);
		if (!made[i])
			made[i] = control_dial_new(vrf, addr, tunnel->where.port,
						   &tunnel->hub);
	}
	retired_free(tunnel);
	for (int i = 0; i < HC_ADDRESSES_MAX; i++) {
		if (tunnel->dials[i])
			tunnel->retire_us = cluster_now_us() + RETIRE_US;
		tunnel->retired[i] = tunnel->dials[i];
		tunnel->dials[i] = made[i];
	}
	tunnel->dialled = tunnel->where;
	strlcpy(tunnel->dialled_vrf, vrf, sizeof(tunnel->dialled_vrf));
	hcd_run_soon();
}

/* For now, or for later. */
static bool is_kept(const struct tunnel *tunnel)
{
	return tunnel->wanted || (preestablish && !tunnel->given_up);
}

/* -- the command -- */

static void command_line(const struct tunnel *tunnel, const char *action,
			 char *line, size_t len)
{
	char id[CTL_ID_TEXT_LEN];

	snprintf(line, len, "%s %s %s %u", command_text, action,
		 ctl_id_format(&tunnel->hub, id), tunnel->where.port);
	for (int i = 0; i < tunnel->where.addresses.n; i++)
		csnprintfrr(line, len, " %pIA",
			    &tunnel->where.addresses.list[i]);
}

static void risen(struct tunnel *tunnel)
{
	tunnel->state = TUNNEL_UP;
	dials_make(tunnel);
	/* The session may be there already. */
	if (tunnel->wanted)
		hc_node_want(hcd_node(), &tunnel->hub);
	hcd_run_soon();
}

static void fallen(struct tunnel *tunnel)
{
	tunnel->state = TUNNEL_DOWN;
	dials_free(tunnel);
	if (!is_kept(tunnel))
		memset(tunnel, 0, sizeof(*tunnel));
	hcd_run_soon();
}

static void command_done(struct command_run *run, bool ok, const char *text)
{
	struct tunnel *tunnel = commanded;
	char hub[HCD_NODE_TEXT_LEN];
	bool rising = tunnel->state == TUNNEL_RISING;

	commanded = NULL;
	why[0] = '\0';
	if (!ok) {
		snprintf(why, sizeof(why), "tunnel command (%s): %s",
			 rising ? "up" : "down", text);
		zlog_warn("edge: hub %s: %s", hcd_node_text(&tunnel->hub, hub),
			  why);
	}
	if (rising && ok) {
		risen(tunnel);
		return;
	}
	/* What couldn't be taken down isn't there as far as we know. */
	tunnel->retry_us = ok ? 0 : cluster_now_us() + retry_ms * INT64_C(1000);
	fallen(tunnel);
}

static void command_begin(struct tunnel *tunnel, const char *action)
{
	char line[PROBE_COMMAND_LEN];

	command_line(tunnel, action, line, sizeof(line));
	HUB_DEBUG("edge: %s", line);
	commanded = tunnel;
	command_run_start(&command, vrf, line, HCD_COMMAND_MS, command_done);
}

/* -- what follows -- */

static void rise(struct tunnel *tunnel)
{
	tunnel->state = TUNNEL_RISING;
	tunnel->where = tunnel->next;
	if (command_text[0])
		command_begin(tunnel, "up");
	else
		risen(tunnel);
}

static void fall(struct tunnel *tunnel)
{
	tunnel->state = TUNNEL_FALLING;
	if (command_text[0])
		command_begin(tunnel, "down");
	else
		fallen(tunnel);
}

/* Addresses that were left have had their time. */
static int64_t retired_run(struct tunnel *tunnel, int64_t now_us)
{
	if (!tunnel->retire_us)
		return INT64_MAX;
	if (tunnel->retire_us > now_us)
		return tunnel->retire_us;
	retired_free(tunnel);
	return INT64_MAX;
}

static int64_t follow(struct tunnel *tunnel, int64_t now_us)
{
	bool busy = command_text[0] && command_run_busy(&command);

	if (tunnel->state == TUNNEL_DOWN) {
		if (!is_kept(tunnel) || busy)
			return INT64_MAX;
		if (tunnel->retry_us > now_us)
			return tunnel->retry_us;
		rise(tunnel);
		return INT64_MAX;
	}
	if (tunnel->state != TUNNEL_UP)
		return INT64_MAX;
	if (is_kept(tunnel)) {
		if (!busy && !same_place(&tunnel->where, &tunnel->next))
			rise(tunnel);
		return retired_run(tunnel, now_us);
	}
	if (tunnel->fall_us > now_us)
		return tunnel->fall_us;
	dials_free(tunnel);
	if (!busy)
		fall(tunnel);
	return INT64_MAX;
}

int64_t hcd_tunnel_run(int64_t now_us)
{
	int64_t next_us = INT64_MAX, at_us;

	/* Up before down. */
	for (int down = 0; down < 2; down++)
		for (size_t i = 0; i < TUNNELS_MAX; i++) {
			if (ctl_id_is_null(&tunnels[i].hub) ||
			    (tunnels[i].state == TUNNEL_UP) != down)
				continue;
			at_us = follow(&tunnels[i], now_us);
			if (at_us < next_us)
				next_us = at_us;
		}
	return next_us;
}

void hcd_tunnel_connect(const struct hc_where *hub)
{
	struct tunnel *tunnel = tunnel_find(&hub->hub);

	if (!tunnel)
		tunnel = tunnel_new(&hub->hub);
	/* More hubs than a cluster has: it fails, and is tried again. */
	if (!tunnel)
		return;
	tunnel->wanted = true;
	tunnel->given_up = false;
	tunnel->retry_us = 0;
	tunnel->next = *hub;
	if (tunnel->state == TUNNEL_UP)
		hc_node_want(hcd_node(), &tunnel->hub);
	hcd_run_soon();
}

void hcd_tunnel_place(const struct hc_where *hub)
{
	struct tunnel *tunnel = tunnel_find(&hub->hub);
	bool gone = !hub->addresses.n;

	if (!tunnel && preestablish && !gone)
		tunnel = tunnel_new(&hub->hub);
	if (!tunnel)
		return;
	tunnel->given_up = gone;
	if (!gone)
		tunnel->next = *hub;
	hcd_run_soon();
}

void hcd_tunnel_disconnect(const struct ctl_id *hub)
{
	struct tunnel *tunnel = tunnel_find(hub);

	if (!tunnel)
		return;
	tunnel->wanted = false;
	tunnel->fall_us = cluster_now_us() + LINGER_US;
	hcd_run_soon();
}

void hcd_tunnel_stop(void)
{
	command_run_stop(&command);
	commanded = NULL;
	for (size_t i = 0; i < TUNNELS_MAX; i++)
		dials_free(&tunnels[i]);
	memset(tunnels, 0, sizeof(tunnels));
	why[0] = '\0';
}

/*
 * What the old command has brought up, the new one knows not, nor does the old
 * one in another VRF: it is to bring up all that are wanted.  Sessions stay
 * meanwhile.
 */
static void command_change(const struct hcd_edge *edge)
{
	command_run_stop(&command);
	commanded = NULL;
	strlcpy(command_text, edge->command, sizeof(command_text));
	strlcpy(vrf, edge->tunnel_vrf, sizeof(vrf));
	for (size_t i = 0; i < TUNNELS_MAX; i++) {
		struct tunnel *tunnel = &tunnels[i];

		tunnel->state = TUNNEL_DOWN;
		tunnel->retry_us = 0;
		if (is_kept(tunnel))
			continue;
		dials_free(tunnel);
		memset(tunnel, 0, sizeof(*tunnel));
	}
}

void hcd_tunnel_follow(const struct hcd_edge *edge)
{
	preestablish = edge && edge->config.preestablish;
	if (edge)
		retry_ms = edge->config.retry_ms;
	if (edge && (strcmp(command_text, edge->command) ||
		     strcmp(vrf, edge->tunnel_vrf)))
		command_change(edge);
	hcd_run_soon();
}
