// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "probe/probe_hold.h"

static void enter(struct probe_hold *hold, enum probe_hold_state state,
		  int64_t now_us, int64_t at_us)
{
	hold->state = state;
	hold->since_us = now_us;
	hold->at_us = at_us;
}

/* The connection didn't last, or didn't come about. */
static void back_off(struct probe_hold *hold)
{
	if (hold->backoff_us)
		hold->backoff_us *= 2;
	else
		hold->backoff_us = PROBE_HOLD_BACKOFF_MIN_US;
	if (hold->backoff_us > PROBE_HOLD_BACKOFF_MAX_US)
		hold->backoff_us = PROBE_HOLD_BACKOFF_MAX_US;
}

static unsigned int connect_again(struct probe_hold *hold, int64_t now_us,
				  int64_t timeout_us)
{
	enter(hold, PROBE_HOLD_CONNECTING, now_us, now_us + timeout_us);
	return PROBE_HOLD_DO_CONNECT;
}

static unsigned int suspect(struct probe_hold *hold, int64_t now_us)
{
	hold->alive = false;
	enter(hold, PROBE_HOLD_SUSPECT, now_us, now_us + PROBE_HOLD_GRACE_US);
	return PROBE_HOLD_DO_CLOSE;
}

static void idle(struct probe_hold *hold, int64_t now_us)
{
	enter(hold, PROBE_HOLD_IDLE, now_us,
	      hold->backoff_us ? now_us + hold->backoff_us : 0);
}

static unsigned int in_idle(struct probe_hold *hold, enum probe_hold_event event,
			    int64_t now_us, int64_t timeout_us)
{
	bool waits = hold->at_us > now_us;

	switch (event) {
	case PROBE_HOLD_PASSED:
		hold->alive = true;
		return waits ? 0 : connect_again(hold, now_us, timeout_us);
	case PROBE_HOLD_DOWN:
		idle(hold, now_us);
		return 0;
	case PROBE_HOLD_TIMER:
		if (waits)
			return 0;
		hold->at_us = 0;
		return hold->alive ? connect_again(hold, now_us, timeout_us) : 0;
	default:
		return 0;
	}
}

static unsigned int in_connecting(struct probe_hold *hold,
				  enum probe_hold_event event, int64_t now_us)
{
	switch (event) {
	case PROBE_HOLD_CONNECTED:
		hold->connections++;
		enter(hold, PROBE_HOLD_HELD, now_us, 0);
		return 0;
	case PROBE_HOLD_TIMER:
		if (hold->at_us > now_us)
			return 0;
		/* fall through */
	case PROBE_HOLD_LOST:
		hold->failed++;
		back_off(hold);
		return suspect(hold, now_us);
	case PROBE_HOLD_LOCAL:
		/* That says nothing about the service. */
		hold->failed++;
		back_off(hold);
		idle(hold, now_us);
		return PROBE_HOLD_DO_CLOSE;
	case PROBE_HOLD_DOWN:
		idle(hold, now_us);
		return PROBE_HOLD_DO_CLOSE;
	default:
		return 0;
	}
}

static unsigned int in_held(struct probe_hold *hold,
			    enum probe_hold_event event, int64_t now_us)
{
	switch (event) {
	case PROBE_HOLD_LOST:
		hold->lost++;
		if (now_us - hold->since_us >= PROBE_HOLD_STEADY_US)
			hold->backoff_us = 0;
		else
			back_off(hold);
		return suspect(hold, now_us);
	case PROBE_HOLD_DOWN:
		idle(hold, now_us);
		return PROBE_HOLD_DO_CLOSE;
	default:
		return 0;
	}
}

static unsigned int in_suspect(struct probe_hold *hold,
			       enum probe_hold_event event, int64_t now_us)
{
	/* What passes now began before the end. */
	if (event != PROBE_HOLD_TIMER || hold->at_us > now_us)
		return 0;
	idle(hold, now_us);
	return PROBE_HOLD_DO_CHECK;
}

static unsigned int stop(struct probe_hold *hold, int64_t now_us)
{
	bool open = hold->state == PROBE_HOLD_CONNECTING ||
		    hold->state == PROBE_HOLD_HELD;

	hold->alive = false;
	hold->backoff_us = 0;
	enter(hold, PROBE_HOLD_IDLE, now_us, 0);
	return open ? PROBE_HOLD_DO_CLOSE : 0;
}

unsigned int probe_hold_event(struct probe_hold *hold,
			      enum probe_hold_event event, int64_t now_us,
			      int64_t timeout_us)
{
	if (event == PROBE_HOLD_STOP)
		return stop(hold, now_us);
	if (event == PROBE_HOLD_DOWN) {
		/* The end was a death, and not a mood. */
		hold->alive = false;
		hold->backoff_us = 0;
	}
	switch (hold->state) {
	case PROBE_HOLD_IDLE:
		return in_idle(hold, event, now_us, timeout_us);
	case PROBE_HOLD_CONNECTING:
		return in_connecting(hold, event, now_us);
	case PROBE_HOLD_HELD:
		return in_held(hold, event, now_us);
	case PROBE_HOLD_SUSPECT:
		return in_suspect(hold, event, now_us);
	case PROBE_HOLD_STATES:
		break;
	}
	return 0;
}

int64_t probe_hold_backoff_us(const struct probe_hold *hold, int64_t now_us)
{
	if (hold->state != PROBE_HOLD_IDLE || hold->at_us <= now_us)
		return 0;
	return hold->at_us - now_us;
}

const char *probe_hold_state_str(enum probe_hold_state state)
{
	switch (state) {
	case PROBE_HOLD_IDLE:
	case PROBE_HOLD_SUSPECT:
		return "idle";
	case PROBE_HOLD_CONNECTING:
		return "connecting";
	case PROBE_HOLD_HELD:
		return "held";
	case PROBE_HOLD_STATES:
		break;
	}
	return "?";
}
