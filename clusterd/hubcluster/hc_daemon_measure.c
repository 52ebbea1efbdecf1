// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the hub measures of itself: processor and memory, tunnels from their
 * source, routes that BGP has brought.
 *
 * Once in each report interval the source is looked at; one that is a command
 * runs meanwhile, and its result is in the next report.
 * cases: 29.
 */
#include "cluster_compat.h"

#include <fcntl.h>

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "hubcluster/hc_daemon_private.h"
#include "hubcluster/hc_routes.h"
#include "probe/command_run.h"

/* Of the lines that are asked for, all are at the beginning. */
#define PROC_TEXT_LEN 4096

/* While there is no configuration of it. */
#define AGAIN_MS 1000

static struct {
	bool on; /* the hub runs; hcd_hub() may be gone before it is told */
	struct event *t_tick;
	/* load */
	struct hc_sample sample;
	uint16_t memory;
	/* tunnels */
	enum hcd_source_type type; /* as `source` belongs to */
	char what[HCD_COMMAND_LEN];
	struct hc_source source;
	char source_why[HCD_WHY_LEN];
	struct command_run command;
	/* routes: IPv4, IPv6 */
	char vrf[CLUSTER_VRF_LEN];
	struct hc_routes *routes[2];
	bool told, told_known;
	uint32_t told_routes;
} self;

/* -- load -- */

static bool proc_read(const char *path, char text[PROC_TEXT_LEN])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, PROC_TEXT_LEN - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

static void load_sample(const struct hcd_hub *hub, int64_t now_us)
{
	int64_t interval_us = hub->config.report_ms * INT64_C(1000);
	char text[PROC_TEXT_LEN];

	self.memory = proc_read("/proc/meminfo", text) ? hc_memory_used(text)
						       : HC_LOAD_UNKNOWN;
	if (hc_sample_due(&self.sample, interval_us, now_us))
		hc_sample_take(&self.sample,
			       proc_read("/proc/stat", text) ? text : NULL,
			       now_us);
}

/* -- tunnels -- */

static void source_bad(const char *why)
{
	bool known = self.source.known;

	hc_source_bad(&self.source);
	if (strcmp(self.source_why, why))
		zlog_warn("hub: number of tunnels: %s", why);
	strlcpy(self.source_why, why, sizeof(self.source_why));
	if (known != self.source.known) {
		zlog_warn("hub: number of tunnels is unknown after %d failures",
			  HC_SOURCE_INTERVALS);
		hc_hub_load_changed(hcd_hub_running(), cluster_now_us());
		hcd_run_soon();
	}
}

static void source_good(uint32_t value)
{
	bool known = self.source.known;

	hc_source_good(&self.source, value);
	self.source_why[0] = '\0';
	if (known)
		return;
	hc_hub_load_changed(hcd_hub_running(), cluster_now_us());
	hcd_run_soon();
}

static void command_done(struct command_run *run, bool ok, const char *text)
{
	char why[HCD_WHY_LEN];
	uint32_t value;

	if (ok && hc_count_parse(text, &value)) {
		HUB_DEBUG("hub: %u tunnels", value);
		source_good(value);
		return;
	}
	snprintf(why, sizeof(why), "%s%s",
		 ok ? "no number: " : "command: ", text);
	source_bad(why);
}

static void command_tick(const struct hcd_hub *hub)
{
	if (!hub->command[0])
		source_bad("no command is configured");
	else if (command_run_busy(&self.command))
		source_bad("the command takes longer than a report interval");
	else
		command_run_start(&self.command, HCD_DEFAULT_VRF, hub->command,
				  hub->command_ms, command_done);
}

/* What costs nothing is looked at when it is asked for. */
static void source_look(const struct hcd_hub *hub)
{
	switch (hub->source) {
	case HCD_SESSIONS:
		hc_source_good(&self.source,
			       (uint32_t)hc_hub_tunnels(hcd_hub_running()));
		break;
	case HCD_FIXED:
		hc_source_good(&self.source, hub->fixed);
		break;
	case HCD_INTERFACES:
		if (hub->pattern[0] && cluster_zebra_vrf_ready(hub->vrf))
			hc_source_good(&self.source,
				       cluster_zebra_interfaces_up(hub->vrf,
								   hub->pattern));
		break;
	case HCD_COMMAND:
		break;
	}
}

static void tick(struct event *event)
{
	const struct hcd_hub *hub = hcd_hub();

	/* A reload takes it away and brings it back before that is decided. */
	event_add_timer_msec(cluster_master, tick, NULL,
			     hub ? hub->config.report_ms : AGAIN_MS,
			     &self.t_tick);
	if (!hub || !hcd_hub_running())
		return;
	if (hub->source == HCD_COMMAND)
		command_tick(hub);
	else if (hub->source == HCD_INTERFACES && !hub->pattern[0])
		source_bad("no pattern is configured");
	else if (hub->source == HCD_INTERFACES &&
		 !cluster_zebra_vrf_ready(hub->vrf))
		source_bad("zebra or the VRF is not there");
	else
		self.source_why[0] = '\0';
}

/* Another source: what the one before said is void. */
static void source_follow(const struct hcd_hub *hub)
{
	const char *what = hub->source == HCD_COMMAND	   ? hub->command
			   : hub->source == HCD_INTERFACES ? hub->pattern
							   : "";

	if (self.type == hub->source && !strcmp(self.what, what))
		return;
	self.type = hub->source;
	strlcpy(self.what, what, sizeof(self.what));
	command_run_stop(&self.command);
	memset(&self.source, 0, sizeof(self.source));
	self.source_why[0] = '\0';
	/* Looked at soon. */
	cluster_event_off(self.t_tick);
	event_add_event(cluster_master, tick, NULL, 0, &self.t_tick);
}

/* -- routes -- */

static void learned_begin(void)
{
	for (int i = 0; i < 2; i++)
		hc_routes_begin(self.routes[i], cluster_now_us());
	hcd_run_soon();
}

static void learned_end(void)
{
	for (int i = 0; i < 2; i++)
		hc_routes_end(self.routes[i]);
	hcd_run_soon();
}

static void learned_route(const struct ipaddr *addr, uint8_t length,
			  uint32_t tag, bool present)
{
	struct hc_routes *routes = self.routes[!IS_IPADDR_V4(addr)];
	struct hc_prefix prefix = { .addr = *addr, .len = length };

	if (present)
		hc_routes_add(routes, &prefix, tag, cluster_now_us());
	else
		hc_routes_del(routes, &prefix, cluster_now_us());
	hcd_run_soon();
}

static const struct cluster_zebra_learned_ops learned_ops = {
	.begin = learned_begin,
	.end = learned_end,
	.route = learned_route,
};

static void routes_follow(const struct hcd_hub *hub)
{
	for (int i = 0; i < 2; i++)
		hc_routes_exclude(self.routes[i], hub->exclude_tag);
	if (!strcmp(self.vrf, hub->vrf))
		return;
	for (int i = 0; i < 2; i++)
		hc_routes_end(self.routes[i]);
	strlcpy(self.vrf, hub->vrf, sizeof(self.vrf));
	cluster_zebra_learned_listen(hub->vrf, &learned_ops);
}

static bool routes_count(int64_t now_us, uint32_t counts[2])
{
	bool known = true;

	for (int i = 0; i < 2; i++)
		known &= hc_routes_count(self.routes[i], now_us, &counts[i]);
	return known;
}

int64_t hcd_measure_routes(int64_t now_us)
{
	uint32_t counts[2] = {};
	int64_t due_us, at_us;
	bool known;

	if (!self.on || !hcd_hub_running())
		return INT64_MAX;
	known = routes_count(now_us, counts);
	if (!self.told || known != self.told_known ||
	    (known && counts[0] + counts[1] != self.told_routes)) {
		self.told = true;
		self.told_known = known;
		self.told_routes = known ? counts[0] + counts[1] : 0;
		hc_hub_routes(hcd_hub_running(), known, self.told_routes,
			      now_us);
	}
	at_us = hc_routes_due(self.routes[0], now_us);
	due_us = hc_routes_due(self.routes[1], now_us);
	return at_us < due_us ? at_us : due_us;
}

/* -- the whole -- */

void hcd_measure_load(struct hc_load *load, int64_t now_us)
{
	const struct hcd_hub *hub = hcd_hub();

	if (!self.on || !hub || !hcd_hub_running())
		return;
	load_sample(hub, now_us);
	source_look(hub);
	load->cpu = self.sample.cpu;
	load->memory = self.memory;
	load->tunnels = self.source.value;
	load->tunnels_known = self.source.known;
}

void hcd_measured(struct hcd_measured *measured)
{
	memset(measured, 0, sizeof(*measured));
	measured->cpu = measured->memory = HC_LOAD_UNKNOWN;
	if (!self.on)
		return;
	if (self.sample.taken) {
		measured->cpu = self.sample.cpu;
		measured->memory = self.memory;
	}
	measured->tunnels = self.source;
	strlcpy(measured->source_why, self.source_why,
		sizeof(measured->source_why));
	measured->routes_known = routes_count(cluster_now_us(),
					      measured->routes);
}

static void stop(void)
{
	cluster_zebra_learned_listen(NULL, NULL);
	command_run_stop(&self.command);
	cluster_event_off(self.t_tick);
	for (int i = 0; i < 2; i++)
		hc_routes_free(&self.routes[i]);
	memset(&self, 0, sizeof(self));
}

void hcd_measure_follow(const struct hcd_hub *hub)
{
	bool fresh = !self.on;

	if (!hub) {
		if (!fresh)
			stop();
		return;
	}
	self.on = true;
	if (fresh) {
		self.routes[0] = hc_routes_new(HC_ROUTES_MAX);
		self.routes[1] = hc_routes_new(HC_ROUTES_MAX);
		event_add_event(cluster_master, tick, NULL, 0, &self.t_tick);
	}
	source_follow(hub);
	routes_follow(hub);
}
