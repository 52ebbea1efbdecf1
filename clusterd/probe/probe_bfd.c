// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bfd: a session of FRR's bfdd with the target is up.
 *
 * The session lives from the first start to release; its changes have the
 * engine ask at once.  Several probes of one peer share a session.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_bfd.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_BFD, "BFD check");

struct watch {
	struct probe_check *check;
	struct cluster_bfd_user *user;
};

static void bfd_changed(void *arg)
{
	struct watch *watch = arg;

	probe_check_event(watch->check);
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
	return watch;
}

static void probe_bfd_start(struct probe_check *check,
			    const struct probe_config *config, const char *vrf,
			    const struct ipaddr *target)
{
	static const struct {
		enum probe_result result;
		const char *detail;
	} ends[] = {
		[CLUSTER_BFD_NO_DAEMON] = { PROBE_LOCAL, "bfdd is not running" },
		[CLUSTER_BFD_NO_VRF] = { PROBE_LOCAL, "no such VRF" },
		[CLUSTER_BFD_WAITING] = { PROBE_NOT_UP,
					  "no word from bfdd yet" },
		[CLUSTER_BFD_DOWN] = { PROBE_NOT_UP, "BFD session is down" },
		[CLUSTER_BFD_ADMIN_DOWN] = { PROBE_NOT_UP,
					     "BFD session is shut down" },
		[CLUSTER_BFD_UP] = { PROBE_PASS, "" },
	};
	struct watch *watch = check->keep;
	enum cluster_bfd_state state;

	if (!watch)
		watch = check->keep = watch_new(check, config, vrf, target);
	state = cluster_bfd_state(watch->user);
	probe_check_done(check, ends[state].result, 0, ends[state].detail);
}

/* Nothing is ever in flight. */
static void probe_bfd_cancel(struct probe_check *check)
{
}

static void probe_bfd_release(struct probe_check *check)
{
	struct watch *watch = check->keep;

	if (!watch)
		return;
	check->keep = NULL;
	cluster_bfd_put(&watch->user);
	XFREE(MTYPE_PROBE_BFD, watch);
}

const struct probe_type probe_type_bfd = {
	.start = probe_bfd_start,
	.cancel = probe_bfd_cancel,
	.release = probe_bfd_release,
};
