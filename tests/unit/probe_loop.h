/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FRR's loop, and what probe_io.c wants of the daemon. */
#ifndef TESTS_UNIT_PROBE_LOOP_H
#define TESTS_UNIT_PROBE_LOOP_H

#include "cluster_compat.h"

#include "monotime.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "probe/probe_io.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

struct event_loop *cluster_master;
struct zebra_privs_t cluster_privs;

int64_t cluster_now_us(void)
{
	struct timeval tv;

	monotime(&tv);
	return tv.tv_sec * INT64_C(1000000) + tv.tv_usec;
}

static bool loop_stopped;
static unsigned int loop_events; /* so far */

static inline void loop_stop(struct event *event)
{
	loop_stopped = true;
}

/* Runs the loop until `*done`, at most `seconds`; whether it was done. */
static inline bool loop_until(const bool *done, int seconds)
{
	struct event *t_stop = NULL;
	struct event event;

	loop_stopped = false;
	event_add_timer(cluster_master, loop_stop, NULL, seconds, &t_stop);
	while (!*done && !loop_stopped && event_fetch(cluster_master, &event)) {
		loop_events++;
		event_call(&event);
	}
	cluster_event_off(t_stop);
	return *done;
}


static inline int loop_setup(void **state)
{
	cluster_master = event_master_create("test");
	vrf_init(NULL, NULL, NULL, NULL);
	return probe_io_init(cluster_master);
}

static inline int loop_teardown(void **state)
{
	probe_io_fini();
	vrf_terminate();
	event_master_free(cluster_master);
	return 0;
}

#endif /* TESTS_UNIT_PROBE_LOOP_H */
