/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a work queue is bgpd's queue of changed routes as bgpd made it.  A
 * header of its own, for the test.
 */
#ifndef BGP_MODULE_QUEUE_GUARD_H
#define BGP_MODULE_QUEUE_GUARD_H

#include "workqueue.h"

/* What bgp_process_queue_init() sets, in all versions from 8.4 to 10.7. */
#define HOLD_STOCK  50		  /* ms */
#define YIELD_STOCK (50 * 1000UL) /* us */
#define QUEUE_NAME  "process_queue "

enum queue_state {
	QUEUE_STOCK,   /* as bgpd made it, to be adjusted */
	QUEUE_OURS,    /* adjusted: holds for the wanted time */
	QUEUE_UNKNOWN, /* neither, or no queue: not to be touched */
};

/* hold: the wanted time in ms, 1 to HOLD_STOCK - 1. */
static inline enum queue_state queue_guard(const struct work_queue *queue,
					   unsigned int hold)
{
	if (!queue || !queue->name ||
	    strncmp(queue->name, QUEUE_NAME, strlen(QUEUE_NAME)) != 0 ||
	    !queue->spec.workfunc || queue->spec.yield != YIELD_STOCK)
		return QUEUE_UNKNOWN;
	if (queue->spec.hold == hold)
		return QUEUE_OURS;
	return queue->spec.hold == HOLD_STOCK ? QUEUE_STOCK : QUEUE_UNKNOWN;
}

#endif /* BGP_MODULE_QUEUE_GUARD_H */
