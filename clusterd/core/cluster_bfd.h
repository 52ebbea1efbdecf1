/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BFD sessions of FRR's bfdd: counted, so that one user's end is not
 * another's (case 32; bfdd itself keeps one session a client and peer).
 */
#ifndef CLUSTER_BFD_H
#define CLUSTER_BFD_H

#include "core/cluster_route.h"

struct zclient;

enum cluster_bfd_state {
	CLUSTER_BFD_NO_DAEMON, /* bfdd isn't running, or zebra isn't */
	CLUSTER_BFD_NO_NEWS,   /* zebra tells our route type nothing of bfdd */
	CLUSTER_BFD_NO_VRF,    /* the VRF isn't there */
	CLUSTER_BFD_ALIKE,     /* another session is the same to bfdd */
	CLUSTER_BFD_WAITING,   /* bfdd hasn't said anything yet */
	CLUSTER_BFD_DOWN,
	CLUSTER_BFD_ADMIN_DOWN, /* shut down, here or by the peer */
	CLUSTER_BFD_UP,
};

/*
 * What makes a session another one.  To bfdd a local address or an interface
 * that isn't given fits any: of those that differ only so the first one runs.
 */
struct cluster_bfd_key {
	char vrf[CLUSTER_VRF_LEN];
	struct ipaddr peer;
	struct ipaddr local;		 /* IPADDR_NONE: bfdd chooses */
	char ifname[CLUSTER_IFNAME_LEN]; /* "": any */
	uint8_t hops;			 /* 1: single hop */
};

struct cluster_bfd_user;

/*
 * Uses session `key`; the first user begins it, by BFD profile `profile`
 * ("": none), which is not a second session's part: later users share it.
 * `changed` is called when the state has changed, never from within a call of
 * this header.
 */
extern struct cluster_bfd_user *
cluster_bfd_get(const struct cluster_bfd_key *key, const char *profile,
		void (*changed)(void *arg), void *arg);
/* The last one ends the session.  *user becomes NULL. */
extern void cluster_bfd_put(struct cluster_bfd_user **user);
extern enum cluster_bfd_state
cluster_bfd_state(const struct cluster_bfd_user *user);

/* For cluster_zebra.c only. */
extern void cluster_bfd_init(struct zclient *zclient);
extern void cluster_bfd_fini(void);
/* There are sessions, so somebody must look whether bfdd runs. */
extern bool cluster_bfd_wanted(void);
/* Whether it does. */
extern void cluster_bfd_poll(bool running);

#endif /* CLUSTER_BFD_H */
