/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session at bgpd's vty socket, for the keeper of its route-maps. */
#ifndef CLUSTER_BGP_VTY_H
#define CLUSTER_BGP_VTY_H

#include "vip/bgp_keeper.h"

/*
 * Starts and returns the keeper; `changed` is its op of that name.  Nothing
 * connects before bgp_keeper_set() gives it something to keep.
 */
extern struct bgp_keeper *bgp_vty_start(void (*changed)(void));
/* Ends the session and frees the keeper. */
extern void bgp_vty_stop(void);

#endif /* CLUSTER_BGP_VTY_H */
