/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that clusterd runs for itself and not as a check: as command checks
 * are run (probe_command.c), among them, with a time-out after which it and its
 * children are killed.  It never overlaps itself.
 */
#ifndef CLUSTER_COMMAND_RUN_H
#define CLUSTER_COMMAND_RUN_H

#include "probe/probe_type.h"

struct event;

/* Part of its owner's structure; zero at first. */
struct command_run {
	struct probe_check check;
	struct event *t_timeout;
	uint32_t timeout_ms;
	/* `ok`: exit status 0; `text`: its first line, or why not. */
	void (*done)(struct command_run *run, bool ok, const char *text);
};

/*
 * Runs `command` (words, one space between), unless it is running. `done` is
 * called once, perhaps at once.  Environment: PATH, HOME, LC_ALL, CLUSTER_VRF
 * and CLUSTER_TIMEOUT (ms).
 */
extern void command_run_start(struct command_run *run, const char *vrf,
			      const char *command, uint32_t timeout_ms,
			      void (*done)(struct command_run *run, bool ok,
					   const char *text));
/* It is running; one that was killed isn't. */
extern bool command_run_busy(const struct command_run *run);
/* Kills it; `done` isn't called any more. */
extern void command_run_stop(struct command_run *run);

#endif /* CLUSTER_COMMAND_RUN_H */
