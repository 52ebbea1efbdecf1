/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An edge's tunnels to hubs: which are up, and what is called (pure: sessions
 * and the tunnel command are the owner's, through ops).
 *
 *	down --(kept)--> rising --> up --(not kept)--> falling --> down
 *
 * A tunnel is kept while the edge wants the hub, and with `preestablish` while
 * the hub is there.  Without a command rising and falling take no time.  With
 * one, it is run for one hub after the other; a hub's addresses are called when
 * its tunnel is up.  Level-triggered: what is kept may change at any time, and
 * what follows is looked for again when a command has ended.
 *
 * A tunnel that was left stays a moment, for what is under way to it and for our
 * farewell.  A hub that has other addresses now gets its tunnel `up` once more,
 * with these; the session goes on over what it has until the new ones had time
 * to join it, and while the command fails.
 *
 * Owners call hc_tunnels_run() after everything else.
 */
#ifndef HC_TUNNEL_H
#define HC_TUNNEL_H

#include "hubcluster/hc_edge.h"

struct hc_tunnels;

#define HC_TUNNELS_MAX HC_HUBS_MAX
/* A left tunnel: longer than the hub keeps its routes (hc_hub.h). */
#define HC_TUNNEL_LINGER_US INT64_C(1800000)
/* An address that a hub has no more. */
#define HC_TUNNEL_RETIRE_US INT64_C(3000000)

struct hc_tunnels_ops {
	/* Calls an address of a hub until uncall(); never NULL. */
	void *(*call)(void *arg, const struct ctl_id *hub,
		      const struct ipaddr *addr, uint16_t port);
	void (*uncall)(void *arg, void *call);
	/* Runs the command; hc_tunnels_done() is to follow, not from in here. */
	void (*command)(void *arg, const struct hc_where *hub, bool up);
	/* The tunnel of a hub that is wanted is up: its session may be there. */
	void (*up)(void *arg, const struct ctl_id *hub);
};

struct hc_tunnels_config {
	bool command; /* there is one */
	bool preestablish;
	uint32_t retry_ms; /* after a command that failed */
};

extern struct hc_tunnels *hc_tunnels_new(const struct hc_tunnels_ops *ops,
					 void *arg);
/* Nothing is called any more; commands aren't run. */
extern void hc_tunnels_free(struct hc_tunnels **tunnels);
extern void hc_tunnels_config_set(struct hc_tunnels *tunnels,
				  const struct hc_tunnels_config *config);
/*
 * Another command, or one in another place, knows nothing of tunnels: those
 * that are kept are brought up again.  A command that was running is forgotten.
 * `recall`: what is called is called anew, too.
 */
extern void hc_tunnels_renew(struct hc_tunnels *tunnels, bool recall);

/* A hub is wanted, perhaps elsewhere than before. */
extern void hc_tunnels_connect(struct hc_tunnels *tunnels,
			       const struct hc_where *hub);
extern void hc_tunnels_disconnect(struct hc_tunnels *tunnels,
				  const struct ctl_id *hub, int64_t now_us);
/* Where a hub is that may be wanted later; no address: it is gone. */
extern void hc_tunnels_place(struct hc_tunnels *tunnels,
			     const struct hc_where *hub);
/* All hubs are named now; they were: those that weren't are gone. */
extern void hc_tunnels_places(struct hc_tunnels *tunnels, bool begin);
/* The command has ended. */
extern void hc_tunnels_done(struct hc_tunnels *tunnels, bool ok, int64_t now_us);
/* Does what is due; returns when to be called again. */
extern int64_t hc_tunnels_run(struct hc_tunnels *tunnels, int64_t now_us);

#endif /* HC_TUNNEL_H */
