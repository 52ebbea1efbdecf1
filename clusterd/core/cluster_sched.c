// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "monotime.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/config_reading.h"

#define CAPABILITIES_MAX 8

/* Words that ask for a report are collected for so long. */
#define REPORT_MS 10

static const struct cluster_capability *capabilities[CAPABILITIES_MAX];
static size_t n_capabilities;
static struct event *t_decide;
static struct event *t_decide_at;
static struct event *t_report;
static int64_t decide_at_us;

int64_t cluster_now_us(void)
{
	struct timeval tv;

	monotime(&tv);
	return tv.tv_sec * 1000000LL + tv.tv_usec;
}

void cluster_sched_register(const struct cluster_capability *cap)
{
	assert(n_capabilities < CAPABILITIES_MAX);
	capabilities[n_capabilities++] = cap;
}

static void decide(struct event *event)
{
	int64_t now_us = cluster_now_us();
	bool held = cluster_sched_held();

	/* A decision that still waits for its time says so again. */
	cluster_event_off(t_decide_at);
	for (size_t i = 0; i < n_capabilities; i++) {
		if (!held)
			capabilities[i]->decide(now_us);
		else if (capabilities[i]->decide_half)
			capabilities[i]->decide_half(now_us);
	}
	SCHED_DEBUG("decided in %lld us",
		    (long long)(cluster_now_us() - now_us));
}

void cluster_sched_decide(void)
{
	event_add_event(cluster_master, decide, NULL, 0, &t_decide);
}

static void report(struct event *event)
{
	int64_t now_us = cluster_now_us();

	/* It would act by half a configuration; the end brings a decision. */
	if (cluster_sched_held())
		return;
	for (size_t i = 0; i < n_capabilities; i++)
		if (capabilities[i]->report)
			capabilities[i]->report(now_us);
}

void cluster_sched_report(void)
{
	event_add_timer_msec(cluster_master, report, NULL, REPORT_MS, &t_report);
}

static void decide_due(struct event *event)
{
	cluster_sched_decide();
}

void cluster_sched_decide_at(int64_t at_us)
{
	int64_t wait_us = at_us - cluster_now_us();

	if (t_decide_at) {
		if (decide_at_us <= at_us)
			return;
		cluster_event_off(t_decide_at);
	}
	decide_at_us = at_us;
	/* Rounded up: a decision a moment too early would only repeat itself. */
	event_add_timer_msec(cluster_master, decide_due, NULL,
			     wait_us > 0 ? (wait_us + 999) / 1000 : 0,
			     &t_decide_at);
}

bool cluster_sched_held(void)
{
	return config_reading_half();
}

void cluster_sched_fini(void)
{
	cluster_event_off(t_decide);
	cluster_event_off(t_decide_at);
	cluster_event_off(t_report);
	n_capabilities = 0;
}
