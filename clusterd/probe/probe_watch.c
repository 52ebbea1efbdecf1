// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interface, route: what zebra has told core/cluster_zebra.c.
 *
 * Every message from zebra leads to a decision event, and that to a look at
 * all that is watched: where the state isn't what the last check saw, the
 * engine asks at once.
 *
 * zebra answers what is asked of a route; until then the first check of it is in
 * flight, so that another route in a probe's configuration isn't down meanwhile.
 */
#include "cluster_compat.h"

#include "typesafe.h"

#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_WATCH, "Watching check");

PREDECL_DLIST(watches);

struct watch {
	struct watches_item item;
	struct probe_check *check;
	char vrf[PROBE_VRF_LEN];
	char ifname[PROBE_IFNAME_LEN]; /* "": a route */
	struct prefix prefix;
	bool up;   /* as the last check saw it */
	bool told; /* there was an answer, or time enough */
	struct event *t_told;
};

DECLARE_DLIST(watches, struct watch, item);

static struct watches_head watches = INIT_DLIST(watches);

static bool watch_up(const struct watch *watch)
{
	if (!cluster_zebra_connected())
		return false;
	if (watch->ifname[0])
		return cluster_zebra_interface_up(watch->vrf, watch->ifname);
	return cluster_zebra_prefix_present(watch->vrf, &watch->prefix);
}

/* zebra hasn't said yet whether there is the route. */
static bool watch_waits(const struct watch *watch)
{
	return !watch->told && !watch->ifname[0] &&
	       cluster_zebra_vrf_ready(watch->vrf) &&
	       !cluster_zebra_prefix_answered(watch->vrf, &watch->prefix);
}

static void watch_answer(struct watch *watch);

/* It never says that there is no default route. */
static void watch_told(struct event *event)
{
	struct watch *watch = EVENT_ARG(event);

	watch->told = true;
	if (watch->check->state)
		watch_answer(watch);
}

static struct watch *watch_new(struct probe_check *check,
			       const struct probe_config *config,
			       const char *vrf)
{
	struct watch *watch = XCALLOC(MTYPE_PROBE_WATCH, sizeof(*watch));

	watch->check = check;
	strlcpy(watch->vrf, vrf, sizeof(watch->vrf));
	if (probe_config_type(config) == PROBE_TYPE_INTERFACE) {
		strlcpy(watch->ifname, config->ifname, sizeof(watch->ifname));
	} else {
		watch->prefix = config->prefix;
		cluster_zebra_prefix_get(vrf, &watch->prefix);
	}
	watches_add_tail(&watches, watch);
	if (probe_config_news_ms(config))
		event_add_timer_msec(cluster_master, watch_told, watch,
				     probe_config_news_ms(config),
				     &watch->t_told);
	return watch;
}

static void watch_release(struct probe_check *check)
{
	struct watch *watch = check->keep;

	if (!watch)
		return;
	check->keep = NULL;
	cluster_event_off(watch->t_told);
	if (!watch->ifname[0])
		cluster_zebra_prefix_put(watch->vrf, &watch->prefix);
	watches_del(&watches, watch);
	XFREE(MTYPE_PROBE_WATCH, watch);
}

/* Why it isn't up. */
static enum probe_result watch_result(const struct watch *watch, char *detail,
				      size_t len)
{
	const char *vrf = watch->vrf;

	if (!cluster_zebra_connected()) {
		snprintf(detail, len, "zebra is not reachable");
		return PROBE_LOCAL;
	}
	if (!cluster_zebra_vrf_ready(vrf)) {
		snprintf(detail, len, "no such VRF: %s", vrf);
		return PROBE_LOCAL;
	}
	if (!watch->ifname[0])
		snprintfrr(detail, len, "no usable route to %pFX",
			   &watch->prefix);
	else if (cluster_zebra_interface_known(vrf, watch->ifname))
		snprintf(detail, len, "%s is down", watch->ifname);
	else
		snprintf(detail, len, "there is no interface %s", watch->ifname);
	return PROBE_NOT_UP;
}

static void watch_answer(struct watch *watch)
{
	enum probe_result result = PROBE_PASS;
	char detail[PROBE_DETAIL_LEN] = "";

	watch->told = true;
	watch->up = watch_up(watch);
	if (!watch->up)
		result = watch_result(watch, detail, sizeof(detail));
	watch->check->state = NULL;
	probe_check_done(watch->check, result, 0, detail);
}

static void watch_start(struct probe_check *check,
			const struct probe_config *config, const char *vrf,
			const struct ipaddr *target)
{
	struct watch *watch = check->keep;

	if (!watch)
		watch = check->keep = watch_new(check, config, vrf);
	if (watch_waits(watch))
		check->state = watch; /* in flight */
	else
		watch_answer(watch);
}

static void watch_cancel(struct probe_check *check)
{
	check->state = NULL;
}

static void watch_decide(void)
{
	struct watch *watch;

	frr_each (watches, &watches, watch)
		if (watch->check->state && !watch_waits(watch))
			watch_answer(watch);
		else if (!watch->check->state && watch_up(watch) != watch->up)
			probe_check_event(watch->check);
}

const struct probe_type probe_type_interface = {
	.start = watch_start,
	.cancel = watch_cancel,
	.release = watch_release,
	.decide = watch_decide, /* for both */
};

const struct probe_type probe_type_route = {
	.start = watch_start,
	.cancel = watch_cancel,
	.release = watch_release,
};
