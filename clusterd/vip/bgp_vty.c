// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/config_reading.h"
#include "vip/bgp_session.h"
#include "vip/bgp_vty.h"

static struct bgp_keeper *keeper;
static struct bgp_keeper_ops ops;
static struct event *t_timer;

static void answer(struct bgp_session *session, const char *text, uint8_t status)
{
	bgp_keeper_hold(keeper, config_reading_now());
	bgp_keeper_answer(keeper, text, status, cluster_now_us());
}

static void lost(struct bgp_session *session)
{
	bgp_keeper_closed(keeper, cluster_now_us());
}

static struct bgp_session session = { .answer = answer, .lost = lost, .fd = -1 };

static bool op_connect(int64_t *since_us)
{
	return bgp_session_open(&session, since_us);
}

static void op_send(const char *line)
{
	bgp_session_send(&session, line);
}

static void op_close(void)
{
	bgp_session_close(&session);
}

static void timer_due(struct event *event)
{
	bgp_keeper_hold(keeper, config_reading_now());
	bgp_keeper_timer(keeper, cluster_now_us());
}

static void op_timer(int64_t at_us)
{
	int64_t wait_us = at_us - cluster_now_us();

	cluster_event_off(t_timer);
	event_add_timer_msec(cluster_master, timer_due, NULL,
			     wait_us > 0 ? (wait_us + 999) / 1000 : 0, &t_timer);
}

struct bgp_keeper *bgp_vty_start(void (*changed)(void))
{
	ops.connect = op_connect;
	ops.send = op_send;
	ops.close = op_close;
	ops.timer = op_timer;
	ops.changed = changed;
	keeper = bgp_keeper_new(&ops);
	return keeper;
}

void bgp_vty_stop(void)
{
	cluster_event_off(t_timer);
	bgp_session_close(&session);
	bgp_keeper_free(&keeper);
}
