/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the zebra client share.
 *
 *	cluster_zebra.c		 the connection, routes
 *	cluster_zebra_alive.c	 whether zebra answers
 *	cluster_zebra_away.c	 interfaces while zebra is away
 *	cluster_zebra_batch.c	 many messages at a time
 *	cluster_zebra_if.c	 interfaces and addresses
 *	cluster_zebra_vrf.c	 VRFs, with their router IDs
 *	cluster_zebra_nexthop.c	 tracking of next hops and routes
 *	cluster_zebra_learned.c	 routes that BGP has brought
 *	cluster_zebra_stale.c	 leftovers of a clusterd that was killed
 */
#ifndef CLUSTER_ZEBRA_PRIVATE_H
#define CLUSTER_ZEBRA_PRIVATE_H

#include "prefix.h"
#include "vrf.h"
#include "zclient.h"

#include "core/cluster_zebra.h"

/* -- cluster_zebra.c -- */

/* NULL unless zebra is connected: nothing can be sent. */
extern struct zclient *zebra_client(void);
/*
 * Routes of `type`, of both families.  zclient_redistribute() would be bgpd's
 * and our own business at once.
 */
extern void zebra_redistribution_send(const struct vrf *vrf, int command,
				      int type);
/* Routes that were not installed for want of that next hop are sent again. */
extern void zebra_routes_resend(const char *vrf, const struct ipaddr *gate);

/* What zebra was told about that VRF is void. */
extern void zebra_routes_vrf_gone(const char *vrf);

/* Deletes a route of our type, unless somebody wants it; for the next batch. */
extern void zebra_route_sweep(const struct cluster_route_key *key);
extern bool zebra_route_wanted(const struct cluster_route_key *key);
/* ZEBRA_ROUTE_*, ours. */
extern uint8_t zebra_route_type(void);

extern void zebra_key_prefix(const struct cluster_route_key *key,
			     struct prefix *p);
/* False: not a route of a VRF that we know. */
extern bool zebra_prefix_key(const struct prefix *p, vrf_id_t vrf_id,
			     struct cluster_route_key *key);

/* -- cluster_zebra_alive.c -- */

/* To be called while connected, now and then; and when the connection ends. */
extern void zebra_alive_poll(int64_t now_us);
extern void zebra_alive_lost(void);
/* zebra's word about a next hop is its answer, and nobody else's business. */
extern bool zebra_alive_heard(const struct vrf *vrf, const struct prefix *match);
/* It has not answered yet; asked about every 2 s. */
extern bool zebra_alive_asked(void);
/* For how long zebra hasn't answered, if that is too long; 0: it does. */
extern int64_t zebra_silent_us(int64_t now_us);

/* -- cluster_zebra_away.c -- */

/*
 * What the kernel hasn't got any more is forgotten, and interfaces go up and
 * down.  Now and then while zebra is away.  Several system calls, some
 * microseconds an interface.
 */
extern void zebra_if_follow_kernel(void);

/* -- cluster_zebra_batch.c -- */

/*
 * Encodes a message for zebra_batch_send(), which has to follow before the loop
 * goes on; false if there is no connection.
 */
extern bool zebra_batch_add(struct zclient *zclient, uint8_t command,
			    struct zapi_route *route);
extern void zebra_batch_send(struct zclient *zclient);
/*
 * zebra has not taken what it was sent: more would only wait in memory, for as
 * long as it hangs.
 */
extern bool zebra_batch_full(const struct zclient *zclient);
/*
 * From inside a handler, at its end: messages that have come already and whose
 * commands have one of these handlers are handled now, up to some hundred.
 */
extern void zebra_batch_take(struct zclient *zclient,
			     zclient_handler *const *handlers,
			     size_t n_handlers);
extern void zebra_batch_init(void);
extern void zebra_batch_fini(void);

/* -- cluster_zebra_if.c -- */

/* Addresses, interfaces or VRFs have changed. */
extern void zebra_addresses_stale(void);
extern int zebra_address_changed(ZAPI_CALLBACK_ARGS);
extern void zebra_if_init(void);
extern void zebra_if_fini(void);

/* -- cluster_zebra_vrf.c -- */

/* NULL: there is none, or not now. */
extern struct vrf *zebra_vrf_ready(const char *name);
/*
 * The same, and zebra is connected and has told the VRF's ID: something can be
 * sent about it.
 */
extern struct vrf *zebra_vrf_told(const char *name);
/* What we follow in a VRF of which zebra has just told. */
extern void zebra_vrf_subscribe(struct vrf *vrf);
extern int zebra_vrf_added(ZAPI_CALLBACK_ARGS);
extern int zebra_router_id_updated(ZAPI_CALLBACK_ARGS);
/* The connection is gone: the next zebra may have other IDs. */
extern void zebra_vrf_lost(void);
extern void zebra_vrf_init(void);

/* -- cluster_zebra_nexthop.c -- */

/* zebra's word about what is watched; the prefix length that it matched. */
extern bool zebra_nexthop_note(const struct cluster_route_key *key, int matched);
/* Everything that zebra said is void, once the next one has settled. */
extern void zebra_nexthop_lost(void);
extern void zebra_nexthop_connected(int64_t now_us);
/* To be called while connected, now and then. */
extern void zebra_nexthop_poll(int64_t now_us);
extern void zebra_nexthop_resend(const char *vrf);
extern void zebra_nexthop_vrf_gone(const struct vrf *vrf);
extern void zebra_nexthop_init(void);
extern void zebra_nexthop_fini(void);
extern void zebra_nexthop_updated(struct vrf *vrf, struct prefix *match,
				  struct zapi_route *nhr);

/* -- cluster_zebra_learned.c -- */

/* A route of BGP has come, changed or gone, or another one is selected. */
extern void zebra_learned_note(const struct prefix *p, const struct vrf *vrf,
			       uint32_t tag, bool present);
/* zebra is there, or the VRF is. */
extern void zebra_learned_ready(const struct vrf *vrf);
extern void zebra_learned_vrf_gone(const struct vrf *vrf);
extern void zebra_learned_lost(void);
extern void zebra_learned_init(void);
extern void zebra_learned_fini(void);

/* -- cluster_zebra_stale.c -- */

/* A route of our type is in zebra, or has gone. */
extern void zebra_stale_note(const struct cluster_route_key *key, bool present);
/* zebra is there, or the VRF is. */
extern void zebra_stale_ready(const struct vrf *vrf);
/* To be called while connected, now and then. */
extern void zebra_stale_poll(int64_t now_us);
extern void zebra_stale_lost(void);
extern void zebra_stale_init(void);
extern void zebra_stale_fini(void);

#endif /* CLUSTER_ZEBRA_PRIVATE_H */
