// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whom the daemon's node of the control protocol calls: the configured peers,
 * and addresses that capabilities want to be called.
 *
 * An address is called once: what is configured goes before what a capability
 * wants, which has its session by that.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/ctl_daemon_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, CTL_WANTED_DIAL, "Dial that a capability wants");

PREDECL_DLIST(control_dials);

struct control_dial {
	struct control_dials_item item;
	struct control_peer key; /* not in a tree */
	struct ctl_id id;
};
DECLARE_DLIST(control_dials, struct control_dial, item);

static struct control_dials_head dials = INIT_DLIST(dials);

static void follow(struct control_peer *peer, const struct ctl_id *id,
		   int64_t now_us)
{
	struct ctl_dial_config config = {
		.path = { .port = peer->port,
			  .local = peer->source,
			  .remote = peer->addr },
	};
	struct ctl_dial_view view;
	bool reachable = ctl_io_socket(control.io, peer->vrf, &peer->source,
				       &peer->addr, &config.path.socket);

	if (id)
		config.id = *id;
	if (peer->dial) {
		ctl_dial_view(peer->dial, &view);
		if (reachable && !ctl_path_cmp(&view.path, &config.path))
			return;
		ctl_dial_free(&peer->dial, now_us);
	}
	if (reachable)
		peer->dial = ctl_dial_new(control.ctl, &config, now_us);
}

static bool configured(const struct control_dial *dial)
{
	return control_peer_find(dial->key.vrf, &dial->key.addr,
				 dial->key.port) != NULL;
}

void control_dials_follow(int64_t now_us)
{
	struct control_dial *dial;
	struct control_peer *peer;

	frr_each_safe (control_dials, &dials, dial)
		if (configured(dial))
			ctl_dial_free(&dial->key.dial, now_us);
	frr_each (control_peers, &control.peers, peer)
		follow(peer, NULL, now_us);
	frr_each_safe (control_dials, &dials, dial)
		if (!configured(dial))
			follow(&dial->key, &dial->id, now_us);
}

void control_dials_forget(void)
{
	struct control_dial *dial;
	struct control_peer *peer;

	frr_each (control_peers, &control.peers, peer)
		peer->dial = NULL;
	frr_each (control_dials, &dials, dial)
		dial->key.dial = NULL;
}

struct control_dial *control_dial_new(const char *vrf, const struct ipaddr *addr,
				      uint16_t port, const struct ctl_id *id)
{
	struct control_dial *dial = XCALLOC(MTYPE_CTL_WANTED_DIAL,
					    sizeof(*dial));

	strlcpy(dial->key.vrf, vrf, sizeof(dial->key.vrf));
	dial->key.addr = *addr;
	dial->key.port = port;
	dial->id = *id;
	control_dials_add_tail(&dials, dial);
	/* Not by a decision, which may be held. */
	if (control.ctl && !configured(dial))
		follow(&dial->key, &dial->id, cluster_now_us());
	return dial;
}

void control_dial_free(struct control_dial **dialp)
{
	struct control_dial *dial = *dialp;

	if (!dial)
		return;
	*dialp = NULL;
	control_dials_del(&dials, dial);
	if (control.ctl)
		ctl_dial_free(&dial->key.dial, cluster_now_us());
	XFREE(MTYPE_CTL_WANTED_DIAL, dial);
	/* Somebody else may want the same address. */
	control_changed();
}
