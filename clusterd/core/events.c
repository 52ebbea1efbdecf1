// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "core/events.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, EVENTS, "Changes of states");

struct ring {
	uint64_t total;
	size_t n;     /* records that are kept */
	size_t first; /* the oldest of them */
	struct event_record *records;
};

struct events {
	uint64_t last_number;
	struct ring rings[EVENT_KIND_MAX];
};

struct events *events_new(void)
{
	return XCALLOC(MTYPE_EVENTS, sizeof(struct events));
}

void events_free(struct events **events)
{
	if (!*events)
		return;
	for (size_t i = 0; i < EVENT_KIND_MAX; i++)
		XFREE(MTYPE_EVENTS, (*events)->rings[i].records);
	XFREE(MTYPE_EVENTS, *events);
}

/* The place of the newest record: a free one, or the oldest's. */
static struct event_record *ring_push(struct ring *ring)
{
	/* Most nodes have only some of the kinds. */
	if (!ring->records)
		ring->records = XCALLOC(MTYPE_EVENTS,
					EVENTS_MAX * sizeof(*ring->records));
	if (ring->n < EVENTS_MAX)
		return &ring->records[ring->n++];
	ring->first = (ring->first + 1) % EVENTS_MAX;
	return &ring->records[(ring->first + EVENTS_MAX - 1) % EVENTS_MAX];
}

static const struct event_record *ring_at(const struct ring *ring, size_t i)
{
	return &ring->records[(ring->first + i) % EVENTS_MAX];
}

const struct event_record *events_add(struct events *events,
				      const struct event_change *change,
				      int64_t now_us, int64_t wall)
{
	struct event_record *record = ring_push(&events->rings[change->kind]);

	events->rings[change->kind].total++;
	memset(record, 0, sizeof(*record));
	record->number = ++events->last_number;
	record->us = now_us;
	record->wall = wall;
	record->kind = change->kind;
	record->before = change->before;
	record->after = change->after;
	strlcpy(record->name, change->name, sizeof(record->name));
	if (change->vrf)
		strlcpy(record->vrf, change->vrf, sizeof(record->vrf));
	if (change->addr)
		record->addr = *change->addr;
	if (change->why)
		strlcpy(record->why, change->why, sizeof(record->why));
	return record;
}

void events_count(struct events *events, enum event_kind kind)
{
	events->rings[kind].total++;
}

uint64_t events_total(const struct events *events, enum event_kind kind)
{
	return events->rings[kind].total;
}

/* The oldest record of a ring behind `after`: numbers ascend in it. */
static const struct event_record *ring_next(const struct ring *ring,
					    uint64_t after)
{
	size_t low = 0, high = ring->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ring_at(ring, middle)->number > after)
			high = middle;
		else
			low = middle + 1;
	}
	return low < ring->n ? ring_at(ring, low) : NULL;
}

const struct event_record *events_next(const struct events *events,
				       uint64_t after)
{
	const struct event_record *next = NULL;

	for (size_t i = 0; i < EVENT_KIND_MAX; i++) {
		const struct event_record *record = ring_next(&events->rings[i],
							      after);

		if (record && (!next || record->number < next->number))
			next = record;
	}
	return next;
}

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[EVENT_KIND_MAX] = {
		[EVENT_VIP] = "vip",
		[EVENT_ADDRESS] = "address",
		[EVENT_MEMBER] = "member",
		[EVENT_PROBE] = "probe",
		[EVENT_RESPONDER] = "responder",
		[EVENT_TRACK] = "track",
		[EVENT_HUB] = "hub",
		[EVENT_EDGE] = "edge",
		[EVENT_CONTROL] = "control",
		[EVENT_BGP_MAP] = "bgp-map",
		[EVENT_ZEBRA] = "zebra",
	};

	return names[kind];
}
