// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bfd: a session of FRR's bfdd with the target is up.
 *
 * The session lives from the first start to release; its changes have the
 * engine ask at once.  Several probes of one peer share a session.
 *
 * A session that is new is down, and takes seconds to come up: the first check is
 * in flight for that long, so that another profile or source in a probe's
 * configuration isn't a failure.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_bfd.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_BFD, "BFD check");

struct watch {
	struct probe_check *check;
	struct cluster_bfd_user *user;
	bool told; /* there was an answer, or time enough */
	struct event *t_told;
};

static bool watch_waits(const struct watch *watch)
{
	enum cluster_bfd_state state = cluster_bfd_state(watch->user);

	return !watch->told &&
	       (state == CLUSTER_BFD_WAITING || state == CLUSTER_BFD_DOWN);
}

static void watch_answer(struct watch *watch)
{
	static const struct {
		enum probe_result result;
		const char *detail;
	} ends[] = {
		[CLUSTER_BFD_NO_DAEMON] = { PROBE_LOCAL, "bfdd is not running" },
		[CLUSTER_BFD_NO_NEWS] = { PROBE_LOCAL,
					  "zebra tells only route type openfabric of BFD" },
		[CLUSTER_BFD_NO_VRF] = { PROBE_LOCAL, "no such VRF" },
		[CLUSTER_BFD_ALIKE] = { PROBE_LOCAL,
					"bfdd takes another probe's session for it: set source or interface of both" },
		[CLUSTER_BFD_WAITING] = { PROBE_NOT_UP,
					  "no word from bfdd yet" },
		[CLUSTER_BFD_DOWN] = { PROBE_NOT_UP, "BFD session is down" },
		[CLUSTER_BFD_ADMIN_DOWN] = { PROBE_NOT_UP,
					     "BFD session is shut down" },
		[CLUSTER_BFD_UP] = { PROBE_PASS, "" },
	};
	enum cluster_bfd_state state = cluster_bfd_state(watch->user);

	watch->told = true;
	watch->check->state = NULL;
	probe_check_done(watch->check, ends[state].result, 0,
			 ends[state].detail);
}

static void bfd_changed(void *arg)
{
	struct watch *watch = arg;

	if (!watch->check->state)
		probe_check_event(watch->check);
	else if (!watch_waits(watch))
		watch_answer(watch);
}

static void watch_told(struct event *event)
{
	struct watch *watch = EVENT_ARG(event);

	watch->told = true;
	if (watch->check->state)
		watch_answer(watch);
}

static struct watch *watch_new(struct probe_check *check,
			       const struct probe_config *config,
			       const char *vrf, const struct ipaddr *target)
{
	struct watch *watch = XCALLOC(MTYPE_PROBE_BFD, sizeof(*watch));
	struct cluster_bfd_key key = {
		.peer = *target,
		.local = config->source,
		.hops = probe_config_hops(config),
	};

	strlcpy(key.vrf, vrf, sizeof(key.vrf));
	strlcpy(key.ifname, config->ifname, sizeof(key.ifname));
	watch->check = check;
	watch->user = cluster_bfd_get(&key, config->profile, bfd_changed, watch);
	event_add_timer_msec(cluster_master, watch_told, watch,
			     probe_config_news_ms(config), &watch->t_told);
	return watch;
}

static void probe_bfd_start(struct probe_check *check,
			    const struct probe_config *config, const char *vrf,
			    const struct ipaddr *target)
{
	struct watch *watch = check->keep;

	if (!watch)
		watch = check->keep = watch_new(check, config, vrf, target);
	if (watch_waits(watch))
		check->state = watch; /* in flight */
	else
		watch_answer(watch);
}

static void probe_bfd_cancel(struct probe_check *check)
{
	check->state = NULL;
}

static void probe_bfd_release(struct probe_check *check)
{
	struct watch *watch = check->keep;

	if (!watch)
		return;
	check->keep = NULL;
	cluster_event_off(watch->t_told);
	cluster_bfd_put(&watch->user);
	XFREE(MTYPE_PROBE_BFD, watch);
}

const struct probe_type probe_type_bfd = {
	.start = probe_bfd_start,
	.cancel = probe_bfd_cancel,
	.release = probe_bfd_release,
};
