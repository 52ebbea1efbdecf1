// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "probe/probe_window.h"

/* A result, and whether the streak that it ends is long enough. */
enum window_event {
	EV_PASS,   /* fewer than `rise` passes */
	EV_RISEN,  /* `rise` or more */
	EV_FAIL,   /* fewer than `fall` failures */
	EV_FALLEN, /* `fall` or more */
	EV_MAX,
};

enum window_do {
	DO_NOTHING,
	DO_SETTLE, /* the verdict is borne out by results */
	DO_UP,
	DO_DOWN,
};

struct window_step {
	enum probe_window_state next;
	enum window_do what;
};

/* clang-format off */
static const struct window_step steps[PROBE_WINDOW_STATES][EV_MAX] = {
	[PROBE_WINDOW_DOWN] = {
		[EV_PASS]   = { PROBE_WINDOW_RISING,  DO_NOTHING },
		[EV_RISEN]  = { PROBE_WINDOW_UP,      DO_UP },
		[EV_FAIL]   = { PROBE_WINDOW_DOWN,    DO_NOTHING },
		[EV_FALLEN] = { PROBE_WINDOW_DOWN,    DO_SETTLE },
	},
	[PROBE_WINDOW_RISING] = {
		[EV_PASS]   = { PROBE_WINDOW_RISING,  DO_NOTHING },
		[EV_RISEN]  = { PROBE_WINDOW_UP,      DO_UP },
		[EV_FAIL]   = { PROBE_WINDOW_DOWN,    DO_NOTHING },
		[EV_FALLEN] = { PROBE_WINDOW_DOWN,    DO_SETTLE },
	},
	[PROBE_WINDOW_UP] = {
		[EV_PASS]   = { PROBE_WINDOW_UP,      DO_NOTHING },
		[EV_RISEN]  = { PROBE_WINDOW_UP,      DO_SETTLE },
		[EV_FAIL]   = { PROBE_WINDOW_FALLING, DO_NOTHING },
		[EV_FALLEN] = { PROBE_WINDOW_DOWN,    DO_DOWN },
	},
	[PROBE_WINDOW_FALLING] = {
		[EV_PASS]   = { PROBE_WINDOW_UP,      DO_NOTHING },
		[EV_RISEN]  = { PROBE_WINDOW_UP,      DO_SETTLE },
		[EV_FAIL]   = { PROBE_WINDOW_FALLING, DO_NOTHING },
		[EV_FALLEN] = { PROBE_WINDOW_DOWN,    DO_DOWN },
	},
};
/* clang-format on */

/* The one writer of the state. */
static void window_state(struct probe_window *window,
			 enum probe_window_state state)
{
	window->state = state;
}

void probe_window_start(struct probe_window *window, bool up)
{
	memset(window, 0, sizeof(*window));
	window_state(window, up ? PROBE_WINDOW_UP : PROBE_WINDOW_DOWN);
}

void probe_window_restart(struct probe_window *window)
{
	window->streak = 0;
	window_state(window, probe_window_up(window) ? PROBE_WINDOW_UP
						     : PROBE_WINDOW_DOWN);
}

enum probe_window_action probe_window_result(struct probe_window *window,
					     bool passed, uint8_t rise,
					     uint8_t fall)
{
	const struct window_step *step;
	enum window_event event;

	if (window->last_passed != passed)
		window->streak = 0;
	window->last_passed = passed;
	if (window->streak < UINT32_MAX)
		window->streak++;

	if (passed)
		event = window->streak >= rise ? EV_RISEN : EV_PASS;
	else
		event = window->streak >= fall ? EV_FALLEN : EV_FAIL;

	step = &steps[window->state][event];
	window_state(window, step->next);

	switch (step->what) {
	case DO_UP:
		window->settled = true;
		return PROBE_WINDOW_WENT_UP;
	case DO_DOWN:
		window->settled = true;
		return PROBE_WINDOW_WENT_DOWN;
	case DO_SETTLE:
		if (window->settled)
			break;
		window->settled = true;
		return PROBE_WINDOW_CONFIRMED;
	case DO_NOTHING:
		break;
	}
	return PROBE_WINDOW_NONE;
}

bool probe_window_up(const struct probe_window *window)
{
	return window->state == PROBE_WINDOW_UP ||
	       window->state == PROBE_WINDOW_FALLING;
}

bool probe_window_fast(const struct probe_window *window)
{
	return window->state == PROBE_WINDOW_RISING ||
	       window->state == PROBE_WINDOW_FALLING;
}

const char *probe_window_state_str(enum probe_window_state state)
{
	switch (state) {
	case PROBE_WINDOW_DOWN:
		return "down";
	case PROBE_WINDOW_RISING:
		return "rising";
	case PROBE_WINDOW_UP:
		return "up";
	case PROBE_WINDOW_FALLING:
		return "falling";
	case PROBE_WINDOW_STATES:
		break;
	}
	return "?";
}
