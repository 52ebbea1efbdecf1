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

/* Before vrf.h, which defines an enum of it where it hasn't been read yet. */
#include <linux/if_link.h>
#include <string.h>

#if __has_include("frrevent.h") /* FRR >= 9.0 */
#include "frrevent.h"
#define CLUSTER_FRR_EVENT 1
#else /* FRR 8.x */
#include "thread.h"
#define event			thread
#define event_loop		thread_master
#define EVENT_ARG		THREAD_ARG
#define EVENT_FD		THREAD_FD
#define event_add_read		thread_add_read
#define event_add_write		thread_add_write
#define event_add_timer		thread_add_timer
#define event_add_timer_msec	thread_add_timer_msec
#define event_add_timer_tv	thread_add_timer_tv
#define event_add_event		thread_add_event
#define event_cancel		thread_cancel
#define event_is_scheduled	thread_is_scheduled
#define event_master_create	thread_master_create
#define event_master_free	thread_master_free
#define event_fetch		thread_fetch
#define event_call		thread_call
#define event_timer_remain_msec thread_timer_remain_msec
#define MTYPE_TMP_TTABLE	MTYPE_TMP /* of ttable_dump() */
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

/* -- the event loop -- */

/*
 * In the loop's own pthread, behind an event_add_*() that happens thousands of
 * times a second: the loop has written to its own pipe in order to wake up, and
 * would go round once more for nothing.  What was added, by other pthreads as
 * well, is in its lists already, which it reads before it sleeps.
 */
static inline void cluster_loop_stay_asleep(struct event_loop *loop)
{
#ifndef EPOLL_ENABLED /* 10.6, 0 or 1: the structure is private */
	char wake[64];
	ssize_t n;

	n = read(loop->io_pipe[0], wake, sizeof(wake)); /* never blocks */
	(void)n;
#endif
}

/* -- 8.x: interfaces, paths, debugging -- */

#ifdef CLUSTER_FRR_EVENT
#define CLUSTER_FOR_EACH_CONNECTED(ifp, c)                                     \
	frr_each (if_connected, (ifp)->connected, c)
/* Frees the addresses of an interface that are `gone`; true: there were some. */
static inline bool cluster_connected_prune(
	struct interface *ifp,
	bool (*gone)(const struct connected *connected, const void *arg),
	const void *arg)
{
	struct connected *connected;
	bool pruned = false;

	frr_each_safe (if_connected, ifp->connected, connected) {
		if (!gone(connected, arg))
			continue;
		if_connected_del(ifp->connected, connected);
		connected_free(&connected);
		pruned = true;
	}
	return pruned;
}
#define cluster_if_callbacks(create, up, down, destroy)                        \
	do {                                                                   \
		hook_register_prio(if_real, 0, create);                        \
		hook_register_prio(if_up, 0, up);                              \
		hook_register_prio(if_down, 0, down);                          \
		hook_register_prio(if_unreal, 0, destroy);                     \
	} while (0)
#else
#define CLUSTER_FOR_EACH_CONNECTED(ifp, c)                                     \
	for (struct listnode *_n = listhead((ifp)->connected);                 \
	     _n && ((c) = listgetdata(_n), true); _n = listnextnode(_n))
static inline bool cluster_connected_prune(
	struct interface *ifp,
	bool (*gone)(const struct connected *connected, const void *arg),
	const void *arg)
{
	struct listnode *node, *next;
	struct connected *connected;
	bool pruned = false;

	for (ALL_LIST_ELEMENTS(ifp->connected, node, next, connected)) {
		if (!gone(connected, arg))
			continue;
		list_delete_node(ifp->connected, node);
		connected_free(&connected);
		pruned = true;
	}
	return pruned;
}
#define cluster_if_callbacks if_zapi_callbacks
/* The folder of the vty sockets, with the pathspace. */
#define frr_runstatedir	     frr_vtydir
#endif

/*
 * What the callbacks of cmd_init_config_callbacks() get, and the descriptor of
 * the connection whose line called them.  Where they get nothing, it is that of
 * the event which runs: libfrr reads a vty's lines in one.
 */
#ifdef EPOLL_ENABLED /* 10.6, which has them as well */
#define CLUSTER_CONFIG_CALLBACK_ARGS struct vty *vty
#define CLUSTER_CONFIG_CALLBACK_FD   ((vty)->fd)
#else
#define CLUSTER_CONFIG_CALLBACK_ARGS void
#define CLUSTER_CONFIG_CALLBACK_FD   cluster_event_fd()
static inline int cluster_event_fd(void)
{
	const struct event *event = pthread_getspecific(thread_current);

	return event ? EVENT_FD(event) : -1;
}
#endif

/*
 * nb_cli_enqueue_change() of one value of leaf-list `leaf` (relative): 8.x puts
 * the value into the xpath itself.
 */
static inline void cluster_enqueue_leaflist(struct vty *vty, const char *leaf,
					    enum nb_operation op,
					    const char *value)
{
#ifdef CLUSTER_FRR_EVENT
	char xpath[XPATH_MAXLEN];

	snprintf(xpath, sizeof(xpath), "%s[.='%s']", leaf, value);
	nb_cli_enqueue_change(vty, xpath, op, NULL);
#else
	nb_cli_enqueue_change(vty, leaf, op, value);
#endif
}

/* -- zclient -- */

/* zapi_route_init(), zapi_nexthop_init() came with 10.5, as this flag did */
#ifndef ZAPI_SRV6_MANAGER_SID_FLAG_IS_LOCALONLY
static inline void zapi_route_init(struct zapi_route *route)
{
	/* Not the next hops: 88 kB, each has its own initialisation. */
	memset(route, 0, offsetof(struct zapi_route, nexthops));
	route->backup_nexthop_num = 0;
	memset((char *)route + offsetof(struct zapi_route, nhgid), 0,
	       sizeof(*route) - offsetof(struct zapi_route, nhgid));
}

static inline void zapi_nexthop_init(struct zapi_nexthop *nexthop)
{
	memset(nexthop, 0, sizeof(*nexthop));
}
#endif

/* Next-hop tracking: a handler of the array in 8.x, a member later. */
#ifdef CLUSTER_FRR_EVENT
#define CLUSTER_NHT_HANDLER(fn)
#define CLUSTER_NHT_HANDLER_ENTRY(fn)
#define cluster_zclient_nht(zclient, fn) ((zclient)->nexthop_update = (fn))
#else
#define CLUSTER_NHT_HANDLER(fn)                                                \
	static int fn##_handler(ZAPI_CALLBACK_ARGS)                            \
	{                                                                      \
		static struct zapi_route nhr; /* 89 kB */                      \
		struct prefix match;                                           \
                                                                               \
		if (!zapi_nexthop_update_decode(zclient->ibuf, &match, &nhr))  \
			return -1;                                             \
		fn(vrf_lookup_by_id(vrf_id), &match, &nhr);                    \
		return 0;                                                      \
	}
#define CLUSTER_NHT_HANDLER_ENTRY(fn) [ZEBRA_NEXTHOP_UPDATE] = fn##_handler,
#define cluster_zclient_nht(zclient, fn)
#endif

/* Being told what became of our routes: an option in 8.x, a request later. */
static inline struct zclient *
cluster_zclient_new(struct event_loop *loop, zclient_handler *const *handlers,
		    size_t n_handlers)
{
#ifdef CLUSTER_FRR_EVENT
	return zclient_new(loop, &zclient_options_default, handlers, n_handlers);
#else
	struct zclient_options options = { .receive_notify = true };

	return zclient_new(loop, &options, handlers, n_handlers);
#endif
}

/* From zebra_connected(). */
static inline void cluster_zclient_want_notify(struct zclient *zclient)
{
#ifdef CLUSTER_FRR_EVENT
	zebra_route_notify_send(ZEBRA_ROUTE_NOTIFY_REQUEST, zclient, true);
#endif
}

/* Key chains have a model since 10.0; before, they are commands only. */
#ifdef CLUSTER_FRR_EVENT
#define CLUSTER_KEYCHAIN_MODULES                                               \
	&ietf_key_chain_info, &ietf_key_chain_deviation_info,
#else
#define CLUSTER_KEYCHAIN_MODULES
/* 8.x frees nothing of them. */
static inline void keychain_terminate(void)
{
}
#endif

#endif /* CLUSTER_COMPAT_H */
