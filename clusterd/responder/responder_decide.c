// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "responder/responder_decide.h"

#define SECOND_US 1000000
#define BURST_MIN 10

static const char *const state_names[RESPONDER_STATES] = {
	[RESPONDER_SHUTDOWN] = "shutdown",
	[RESPONDER_INCOMPLETE] = "incomplete",
	[RESPONDER_IN_CONFLICT] = "conflict",
	[RESPONDER_WAITING] = "waiting",
	[RESPONDER_FAILED] = "failed",
	[RESPONDER_HELD] = "held",
	[RESPONDER_ANSWERING] = "answering",
};

const char *responder_state_name(enum responder_state state)
{
	return state_names[state];
}

bool responder_tells(enum responder_state state)
{
	return state >= RESPONDER_FAILED;
}

bool responder_answers(enum responder_state state)
{
	return state == RESPONDER_ANSWERING;
}

bool responder_hides(enum responder_state state)
{
	return state >= RESPONDER_WAITING;
}

static void verdict(struct responder_plan *plan, enum responder_state state,
		    const char *format, ...)
{
	va_list args;

	plan->state = state;
	va_start(args, format);
	vsnprintf(plan->why, sizeof(plan->why), format, args);
	va_end(args);
}

/* Rules 7 to 9. */
static void decide_condition(const struct responder_facts *facts,
			     struct responder_plan *plan)
{
	int64_t ready_us = facts->condition_since_us +
			   (int64_t)facts->hold_down_ms * 1000;

	if (!facts->condition) {
		verdict(plan, RESPONDER_HELD, "%s", facts->condition_why);
		return;
	}
	if (facts->now_us < ready_us) {
		plan->look_again_us = ready_us;
		verdict(plan, RESPONDER_HELD, "hold-down: %" PRId64 " ms more",
			(ready_us - facts->now_us + 999) / 1000);
		return;
	}
	verdict(plan, RESPONDER_ANSWERING, "%s", "");
}

void responder_decide(const struct responder_facts *facts,
		      const struct responder_address_facts *address,
		      struct responder_plan *plan)
{
	const char *unknown = facts->zebra ? "" : " (not connected to zebra)";

	plan->look_again_us = 0;
	if (facts->shutdown)
		verdict(plan, RESPONDER_SHUTDOWN, "shut down");
	else if (facts->n_interfaces == 0)
		verdict(plan, RESPONDER_INCOMPLETE, "no interface configured");
	else if (facts->n_interfaces > RESPONDER_INTERFACES_MAX)
		verdict(plan, RESPONDER_INCOMPLETE,
			"%zu interfaces configured, at most %d are possible",
			facts->n_interfaces, RESPONDER_INTERFACES_MAX);
	else if (facts->n_addresses > RESPONDER_ADDRESSES_MAX)
		verdict(plan, RESPONDER_INCOMPLETE,
			"%zu addresses configured, at most %d are possible",
			facts->n_addresses, RESPONDER_ADDRESSES_MAX);
	else if (address->interface)
		verdict(plan, RESPONDER_IN_CONFLICT,
			"interface %s has this address", address->interface);
	else if (address->responder)
		verdict(plan, RESPONDER_IN_CONFLICT,
			"responder %s has this address", address->responder);
	else if (!facts->vrf_known)
		verdict(plan, RESPONDER_WAITING, "VRF is not there%s", unknown);
	else if (facts->n_interfaces_up == 0)
		verdict(plan, RESPONDER_WAITING, "no interface is up%s",
			unknown);
	else if (facts->deaf)
		verdict(plan, RESPONDER_FAILED, "%s", facts->deaf);
	else
		decide_condition(facts, plan);
}

bool responder_bucket_take(struct responder_bucket *bucket, uint32_t rate,
			   int64_t now_us)
{
	int64_t cost_us = SECOND_US / rate;
	int64_t burst_us = SECOND_US / 10;

	if (burst_us < BURST_MIN * cost_us)
		burst_us = BURST_MIN * cost_us;
	if (bucket->filled_us == 0)
		bucket->tokens_us = burst_us;
	else
		bucket->tokens_us += now_us - bucket->filled_us;
	if (bucket->tokens_us > burst_us)
		bucket->tokens_us = burst_us;
	bucket->filled_us = now_us;
	if (bucket->tokens_us < cost_us)
		return false;
	bucket->tokens_us -= cost_us;
	return true;
}
