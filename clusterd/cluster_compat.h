/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one place that knows FRR's versions: sources are written against the
 * names of FRR 10.x, this header maps 8.4.4 to them.
 *
 * Included first in every file that uses libfrr (it includes zebra.h).
 */
#ifndef CLUSTER_COMPAT_H
#define CLUSTER_COMPAT_H

#include <zebra.h>

#include <string.h>

#if __has_include("frrevent.h") /* FRR >= 9.0 */
#include "frrevent.h"
#define CLUSTER_FRR_EVENT 1
#else /* FRR 8.x */
#include "thread.h"
#define event			   thread
#define event_loop		   thread_master
#define EVENT_ARG		   THREAD_ARG
#define EVENT_FD		   THREAD_FD
#define event_add_read		   thread_add_read
#define event_add_write		   thread_add_write
#define event_add_timer		   thread_add_timer
#define event_add_timer_msec	   thread_add_timer_msec
#define event_add_timer_tv	   thread_add_timer_tv
#define event_add_event		   thread_add_event
#define event_cancel		   thread_cancel
#define event_is_scheduled	   thread_is_scheduled
#define event_timer_remain_msec	   thread_timer_remain_msec
#endif

/* event_cancel() of a NULL event is not allowed in every version. */
#define cluster_event_off(t)                                                   \
	do {                                                                   \
		if (t)                                                         \
			event_cancel(&(t));                                    \
	} while (0)

#include "libfrr.h"
#include "if.h"
#include "vrf.h"
#include "yang.h"
#include "northbound.h"
#include "northbound_cli.h"
#include "nexthop.h"
#include "zclient.h"

#if defined(FRR_MGMTD_BACKEND) || __has_include("mgmt_be_client.h")
#endif

#endif /* CLUSTER_COMPAT_H */
