// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hang to order, for topotests: `clusterd -M /PATH/OF/THIS` spins for ever in
 * its event loop upon SIGUSR2; upon SIGRTMIN it blocks all signals before, as
 * code that waits for a lock inside a signal handler wouldn't hear SIGABRT.
 */
#include "cluster_compat.h"

#include <signal.h>

#include "hook.h"
#include "libfrr.h"
#include "module.h"

#define LOOK_MS 20

static struct event_loop *loop;
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
	asked = number;
}

static void hang(void)
{
	sigset_t all;

	sigfillset(&all);
	if (asked == SIGRTMIN)
		sigprocmask(SIG_BLOCK, &all, NULL);
	for (;;)
		;
}

static void look(struct event *event)
{
	if (asked)
		hang();
	event_add_timer_msec(loop, look, NULL, LOOK_MS, NULL);
}

static int on_late_init(struct event_loop *master)
{
	loop = master;
	signal(SIGUSR2, on_signal);
	signal(SIGRTMIN, on_signal);
	event_add_timer_msec(loop, look, NULL, LOOK_MS, NULL);
	return 0;
}

static int module_init(void)
{
	hook_register(frr_late_init, on_late_init);
	return 0;
}

FRR_MODULE_SETUP(.name = "loop_hang", .version = "0",
		 .description = "hangs when it is told to", .init = module_init);
