// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "hubcluster/hc_hub.h"
#include "hubcluster/hc_tunnel.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_TUNNELS, "Tunnels to hubs");

_Static_assert(HC_TUNNEL_LINGER_US > HC_STAYING_US + HC_LEAVING_US,
	       "a hub's routes to a site end before the tunnel");

enum tunnel_state {
	TUNNEL_DOWN,
	TUNNEL_RISING,
	TUNNEL_UP,
	TUNNEL_FALLING,
};

struct tunnel {
	struct ctl_id hub; /* null: the slot is free */
	bool wanted;
	bool given_up; /* isn't kept for later: it is gone, or its slot is needed */
	bool unnamed;	       /* since all are being named */
	struct hc_where next;  /* where it is to go */
	struct hc_where where; /* where it goes, if it isn't down */
	enum tunnel_state state;
	bool again;		       /* rises, and was up before */
	int64_t retry_us;	       /* not brought up before that */
	int64_t fall_us;	       /* not taken down before that */
	void *calls[HC_ADDRESSES_MAX]; /* to `called` */
	struct hc_where called;
	bool recall;
	void *retired[HC_ADDRESSES_MAX];
	int64_t retire_us; /* when these go; 0: there are none */
};

struct hc_tunnels {
	const struct hc_tunnels_ops *ops;
	void *arg;
	struct hc_tunnels_config config;
	struct tunnel *commanded; /* for which the command runs */
	struct tunnel list[HC_TUNNELS_MAX];
};

struct hc_tunnels *hc_tunnels_new(const struct hc_tunnels_ops *ops, void *arg)
{
	struct hc_tunnels *tunnels = XCALLOC(MTYPE_HC_TUNNELS, sizeof(*tunnels));

	tunnels->ops = ops;
	tunnels->arg = arg;
	return tunnels;
}

/* -- slots -- */

static struct tunnel *tunnel_find(struct hc_tunnels *tunnels,
				  const struct ctl_id *hub)
{
	for (size_t i = 0; i < HC_TUNNELS_MAX; i++)
		if (!ctl_id_cmp(&tunnels->list[i].hub, hub))
			return &tunnels->list[i];
	return NULL;
}

/* For now, or for later. */
static bool is_kept(const struct hc_tunnels *tunnels,
		    const struct tunnel *tunnel)
{
	return tunnel->wanted ||
	       (tunnels->config.preestablish && !tunnel->given_up);
}

static struct tunnel *tunnel_free(struct hc_tunnels *tunnels)
{
	static const struct ctl_id none;

	return tunnel_find(tunnels, &none);
}

/* For a hub that is wanted: also one that isn't up yet, for later. */
static struct tunnel *tunnel_spare(struct hc_tunnels *tunnels)
{
	struct tunnel *tunnel = tunnel_free(tunnels);

	for (size_t i = 0; !tunnel && i < HC_TUNNELS_MAX; i++)
		if (tunnels->list[i].state == TUNNEL_DOWN &&
		    !tunnels->list[i].wanted)
			tunnel = &tunnels->list[i];
	return tunnel;
}

/*
 * With `preestablish` tunnels stay, also those to hubs of which nobody said that
 * they are no more: that which was left first goes, so that there is room for
 * the next hub.
 */
static void give_up_oldest(struct hc_tunnels *tunnels)
{
	struct tunnel *oldest = NULL;

	for (size_t i = 0; i < HC_TUNNELS_MAX; i++) {
		struct tunnel *tunnel = &tunnels->list[i];

		if (tunnel->state == TUNNEL_UP && !tunnel->wanted &&
		    (!oldest || tunnel->fall_us < oldest->fall_us))
			oldest = tunnel;
	}
	if (oldest)
		oldest->given_up = true;
}

static void calls_free(struct hc_tunnels *tunnels, struct tunnel *tunnel);

static void tunnel_take(struct hc_tunnels *tunnels, struct tunnel *tunnel,
			const struct ctl_id *hub, bool wanted)
{
	if (!tunnel)
		return;
	calls_free(tunnels, tunnel);
	*tunnel = (struct tunnel){ .hub = *hub, .wanted = wanted };
}

/* -- calls -- */

static bool same_place(const struct hc_where *a, const struct hc_where *b)
{
	return a->port == b->port &&
	       hc_addresses_same(&a->addresses, &b->addresses);
}

static void uncall_all(struct hc_tunnels *tunnels, void *calls[HC_ADDRESSES_MAX])
{
	for (int i = 0; i < HC_ADDRESSES_MAX; i++) {
		void *call = calls[i];

		/* First: what a call's end sets off may come here again. */
		calls[i] = NULL;
		if (call)
			tunnels->ops->uncall(tunnels->arg, call);
	}
}

static void calls_free(struct hc_tunnels *tunnels, struct tunnel *tunnel)
{
	uncall_all(tunnels, tunnel->retired);
	tunnel->retire_us = 0;
	uncall_all(tunnels, tunnel->calls);
	memset(&tunnel->called, 0, sizeof(tunnel->called));
}

/* The call to an address, out of the list that it is in; NULL: none. */
static void *call_take(struct tunnel *tunnel, const struct ipaddr *addr)
{
	void *call = NULL;

	if (tunnel->recall || tunnel->called.port != tunnel->where.port)
		return NULL;
	for (int i = 0; i < tunnel->called.addresses.n; i++)
		if (!ipaddr_cmp(&tunnel->called.addresses.list[i], addr)) {
			call = tunnel->calls[i];
			tunnel->calls[i] = NULL;
			break;
		}
	return call;
}

/* All addresses are called; those that were there before, as they were. */
static void calls_make(struct hc_tunnels *tunnels, struct tunnel *tunnel,
		       int64_t now_us)
{
	const struct hc_addresses *addresses = &tunnel->where.addresses;
	void *made[HC_ADDRESSES_MAX] = {};

	if (!tunnel->recall && same_place(&tunnel->called, &tunnel->where))
		return;
	for (int i = 0; i < addresses->n; i++) {
		made[i] = call_take(tunnel, &addresses->list[i]);
		if (!made[i])
			made[i] = tunnels->ops->call(tunnels->arg, &tunnel->hub,
						     &addresses->list[i],
						     tunnel->where.port);
	}
	uncall_all(tunnels, tunnel->retired);
	tunnel->retire_us = 0;
	for (int i = 0; i < HC_ADDRESSES_MAX; i++) {
		if (tunnel->calls[i])
			tunnel->retire_us = now_us + HC_TUNNEL_RETIRE_US;
		tunnel->retired[i] = tunnel->calls[i];
		tunnel->calls[i] = made[i];
	}
	tunnel->called = tunnel->where;
	tunnel->recall = false;
}

/* Addresses that were left have had their time. */
static int64_t retired_run(struct hc_tunnels *tunnels, struct tunnel *tunnel,
			   int64_t now_us)
{
	if (!tunnel->retire_us)
		return INT64_MAX;
	if (tunnel->retire_us > now_us)
		return tunnel->retire_us;
	uncall_all(tunnels, tunnel->retired);
	tunnel->retire_us = 0;
	return INT64_MAX;
}

/* -- up and down -- */

static void risen(struct hc_tunnels *tunnels, struct tunnel *tunnel,
		  int64_t now_us)
{
	tunnel->state = TUNNEL_UP;
	calls_make(tunnels, tunnel, now_us);
	if (tunnel->wanted)
		tunnels->ops->up(tunnels->arg, &tunnel->hub);
}

static void fallen(struct hc_tunnels *tunnels, struct tunnel *tunnel)
{
	tunnel->state = TUNNEL_DOWN;
	calls_free(tunnels, tunnel);
	if (!is_kept(tunnels, tunnel))
		memset(tunnel, 0, sizeof(*tunnel));
}

static void rise(struct hc_tunnels *tunnels, struct tunnel *tunnel,
		 int64_t now_us)
{
	tunnel->again = tunnel->state == TUNNEL_UP;
	tunnel->state = TUNNEL_RISING;
	tunnel->where = tunnel->next;
	if (!tunnels->config.command) {
		risen(tunnels, tunnel, now_us);
		return;
	}
	tunnels->commanded = tunnel;
	tunnels->ops->command(tunnels->arg, &tunnel->where, true);
}

static void fall(struct hc_tunnels *tunnels, struct tunnel *tunnel)
{
	tunnel->state = TUNNEL_FALLING;
	if (!tunnels->config.command) {
		fallen(tunnels, tunnel);
		return;
	}
	tunnels->commanded = tunnel;
	tunnels->ops->command(tunnels->arg, &tunnel->where, false);
}

void hc_tunnels_done(struct hc_tunnels *tunnels, bool ok, int64_t now_us)
{
	struct tunnel *tunnel = tunnels->commanded;

	if (!tunnel)
		return;
	tunnels->commanded = NULL;
	if (tunnel->state == TUNNEL_RISING && ok) {
		risen(tunnels, tunnel, now_us);
		return;
	}
	tunnel->retry_us =
		ok ? 0 : now_us + tunnels->config.retry_ms * INT64_C(1000);
	/* It couldn't go elsewhere: what is called may still answer. */
	if (tunnel->state == TUNNEL_RISING && tunnel->again) {
		tunnel->state = TUNNEL_UP;
		tunnel->where = tunnel->called;
		return;
	}
	/* What couldn't be taken down isn't there as far as we know. */
	fallen(tunnels, tunnel);
}

/* It is kept, and isn't there, or not where it is to be. */
static int64_t follow_up(struct hc_tunnels *tunnels, struct tunnel *tunnel,
			 int64_t now_us)
{
	int64_t next_us = INT64_MAX, retired_us;

	if (!tunnels->commanded && tunnel->retry_us > now_us)
		next_us = tunnel->retry_us;
	else if (!tunnels->commanded)
		rise(tunnels, tunnel, now_us);
	retired_us = retired_run(tunnels, tunnel, now_us);
	return retired_us < next_us ? retired_us : next_us;
}

static int64_t follow(struct hc_tunnels *tunnels, struct tunnel *tunnel,
		      int64_t now_us)
{
	bool busy = tunnels->commanded != NULL;

	if (tunnel->state == TUNNEL_DOWN)
		return is_kept(tunnels, tunnel)
			       ? follow_up(tunnels, tunnel, now_us)
			       : INT64_MAX;
	if (tunnel->state != TUNNEL_UP)
		return INT64_MAX;
	if (is_kept(tunnels, tunnel))
		return same_place(&tunnel->where, &tunnel->next)
			       ? retired_run(tunnels, tunnel, now_us)
			       : follow_up(tunnels, tunnel, now_us);
	if (tunnel->fall_us > now_us)
		return tunnel->fall_us;
	calls_free(tunnels, tunnel);
	if (!busy)
		fall(tunnels, tunnel);
	return INT64_MAX;
}

int64_t hc_tunnels_run(struct hc_tunnels *tunnels, int64_t now_us)
{
	int64_t next_us = INT64_MAX, at_us;

	/* Up before down. */
	for (int down = 0; down < 2; down++)
		for (size_t i = 0; i < HC_TUNNELS_MAX; i++) {
			struct tunnel *tunnel = &tunnels->list[i];

			if (ctl_id_is_null(&tunnel->hub) ||
			    is_kept(tunnels, tunnel) == down)
				continue;
			at_us = follow(tunnels, tunnel, now_us);
			if (at_us < next_us)
				next_us = at_us;
		}
	return next_us;
}

/* -- what the edge says -- */

void hc_tunnels_connect(struct hc_tunnels *tunnels, const struct hc_where *hub)
{
	struct tunnel *tunnel = tunnel_find(tunnels, &hub->hub);

	if (!tunnel) {
		tunnel = tunnel_spare(tunnels);
		tunnel_take(tunnels, tunnel, &hub->hub, true);
		if (!tunnel_spare(tunnels))
			give_up_oldest(tunnels);
	}
	/* More hubs than a cluster has: it fails, and is tried again. */
	if (!tunnel)
		return;
	tunnel->wanted = true;
	tunnel->given_up = false;
	tunnel->retry_us = 0;
	tunnel->next = *hub;
	/* While it goes elsewhere, what was there before still is. */
	if (tunnel->state == TUNNEL_UP ||
	    (tunnel->state == TUNNEL_RISING && tunnel->again))
		tunnels->ops->up(tunnels->arg, &tunnel->hub);
}

void hc_tunnels_disconnect(struct hc_tunnels *tunnels, const struct ctl_id *hub,
			   int64_t now_us)
{
	struct tunnel *tunnel = tunnel_find(tunnels, hub);

	if (!tunnel)
		return;
	tunnel->wanted = false;
	tunnel->fall_us = now_us + HC_TUNNEL_LINGER_US;
}

void hc_tunnels_place(struct hc_tunnels *tunnels, const struct hc_where *hub)
{
	struct tunnel *tunnel = tunnel_find(tunnels, &hub->hub);
	bool gone = !hub->addresses.n;

	if (!tunnel && tunnels->config.preestablish && !gone) {
		tunnel = tunnel_free(tunnels);
		tunnel_take(tunnels, tunnel, &hub->hub, false);
	}
	if (!tunnel)
		return;
	tunnel->given_up = gone;
	tunnel->unnamed = false;
	if (!gone)
		tunnel->next = *hub;
}

void hc_tunnels_places(struct hc_tunnels *tunnels, bool begin)
{
	for (size_t i = 0; i < HC_TUNNELS_MAX; i++) {
		struct tunnel *tunnel = &tunnels->list[i];

		tunnel->given_up |= !begin && tunnel->unnamed;
		tunnel->unnamed = begin;
	}
}

/* -- the configuration -- */

void hc_tunnels_config_set(struct hc_tunnels *tunnels,
			   const struct hc_tunnels_config *config)
{
	tunnels->config = *config;
}

void hc_tunnels_renew(struct hc_tunnels *tunnels, bool recall)
{
	tunnels->commanded = NULL;
	for (size_t i = 0; i < HC_TUNNELS_MAX; i++) {
		struct tunnel *tunnel = &tunnels->list[i];

		tunnel->state = TUNNEL_DOWN;
		tunnel->retry_us = 0;
		tunnel->recall |= recall;
		if (!is_kept(tunnels, tunnel))
			fallen(tunnels, tunnel);
	}
}

void hc_tunnels_free(struct hc_tunnels **tunnels)
{
	if (!*tunnels)
		return;
	for (size_t i = 0; i < HC_TUNNELS_MAX; i++)
		calls_free(*tunnels, &(*tunnels)->list[i]);
	XFREE(MTYPE_HC_TUNNELS, *tunnels);
}
