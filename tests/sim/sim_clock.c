// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "typesafe.h"

#include "sim_clock.h"

PREDECL_HEAP(sim_events);

struct sim_event {
	struct sim_events_item item;
	int64_t at_us;
	uint64_t order;
	void (*fn)(void *arg);
	void *arg;
	struct sim_event **handle;
};

static int event_cmp(const struct sim_event *a, const struct sim_event *b)
{
	if (a->at_us != b->at_us)
		return a->at_us < b->at_us ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}
DECLARE_HEAP(sim_events, struct sim_event, item, event_cmp);

struct sim_clock {
	int64_t now_us;
	uint64_t order;
	uint64_t called;
	struct sim_events_head events;
};

struct sim_clock *sim_clock_new(int64_t start_us)
{
	struct sim_clock *clock = calloc(1, sizeof(*clock));

	assert(clock && start_us > 0);
	clock->now_us = start_us;
	sim_events_init(&clock->events);
	return clock;
}

/* Not in the queue any more. */
static void event_free(struct sim_event *event)
{
	if (event->handle)
		*event->handle = NULL;
	free(event);
}

void sim_clock_free(struct sim_clock **clockp)
{
	struct sim_clock *clock = *clockp;
	struct sim_event *event;

	if (!clock)
		return;
	while ((event = sim_events_pop(&clock->events)))
		event_free(event);
	sim_events_fini(&clock->events);
	free(clock);
	*clockp = NULL;
}

int64_t sim_clock_now(const struct sim_clock *clock)
{
	return clock->now_us;
}

void sim_clock_at(struct sim_clock *clock, int64_t at_us, void (*fn)(void *arg),
		  void *arg, struct sim_event **handle)
{
	struct sim_event *event = calloc(1, sizeof(*event));

	assert(event && (!handle || !*handle));
	event->at_us = at_us > clock->now_us ? at_us : clock->now_us;
	event->order = ++clock->order;
	event->fn = fn;
	event->arg = arg;
	event->handle = handle;
	if (handle)
		*handle = event;
	sim_events_add(&clock->events, event);
}

void sim_clock_cancel(struct sim_clock *clock, struct sim_event **event)
{
	struct sim_event *gone = *event;

	if (!gone)
		return;
	assert(gone->handle == event);
	sim_events_del(&clock->events, gone);
	event_free(gone);
}

bool sim_clock_step(struct sim_clock *clock)
{
	struct sim_event *event = sim_events_pop(&clock->events);
	void (*fn)(void *arg);
	void *arg;

	if (!event)
		return false;
	if (event->at_us > clock->now_us)
		clock->now_us = event->at_us;
	fn = event->fn;
	arg = event->arg;
	event_free(event);
	clock->called++;
	fn(arg);
	return true;
}

void sim_clock_run(struct sim_clock *clock, int64_t until_us)
{
	const struct sim_event *event;

	while ((event = sim_events_first(&clock->events)) &&
	       event->at_us <= until_us)
		sim_clock_step(clock);
	if (until_us > clock->now_us)
		clock->now_us = until_us;
}

void sim_clock_stall(struct sim_clock *clock, int64_t for_us)
{
	assert(for_us >= 0);
	clock->now_us += for_us;
}

uint64_t sim_clock_events(const struct sim_clock *clock)
{
	return clock->called;
}

/* splitmix64 (Vigna, public domain algorithm): every seed is a good one. */
uint64_t sim_random_u64(struct sim_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint64_t sim_random_below(struct sim_random *random, uint64_t limit)
{
	return limit ? sim_random_u64(random) % limit : 0;
}

bool sim_random_chance(struct sim_random *random, uint32_t ppm)
{
	return sim_random_below(random, 1000000) < ppm;
}
