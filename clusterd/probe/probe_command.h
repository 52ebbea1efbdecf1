/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command checks: what is handed to the program that runs one, and what is
 * made of its end (pure, probe_command_args.c); the numbers for show commands
 * (probe_command.c).
 */
#ifndef CLUSTER_PROBE_COMMAND_H
#define CLUSTER_PROBE_COMMAND_H

#include <stddef.h>

#include "probe/probe_engine.h"

/* Commands of all probes that run at the same time; the others wait. */
#define PROBE_COMMANDS_MAX 64

#define PROBE_COMMAND_ARGS_MAX (PROBE_COMMAND_LEN / 2 + 4)
#define PROBE_COMMAND_ENV_MAX  13

/* Everything is in `text`. */
struct probe_command_args {
	/* The launcher's, see command_launcher.h; the command's from the 4th. */
	char *argv[PROBE_COMMAND_ARGS_MAX];
	char *envp[PROBE_COMMAND_ENV_MAX];
	char text[PROBE_COMMAND_LEN + 1024];
};

/*
 * What command check `config` of `target` in VRF `vrf` is started with; its
 * probe is `name`, our process `parent`. No check: no name and no target. The
 * environment is documented in doc/user/clusterd.rst. `config` is valid, so
 * everything fits.
 */
extern void probe_command_args(struct probe_command_args *args, const char *name,
			       const struct probe_config *config,
			       const char *vrf, const struct ipaddr *target,
			       int parent);

/*
 * The first line of the `n` bytes that a command has written, in printable
 * ASCII (others become '?'), without spaces at its end; cut to `len`.
 */
extern void probe_command_line(char *line, size_t len, const char *output,
			       size_t n);

/*
 * What exit status `status`, or (if not 0) `signal`, and the first `n` bytes of
 * output come to; `detail` gets a text for people.
 */
extern enum probe_result probe_command_result(int status, int signal,
					      const char *output, size_t n,
					      char *detail, size_t len);

struct probe_command_counts {
	size_t running;	  /* with those that were killed and aren't gone yet */
	size_t waiting;	  /* for another one's end */
	uint64_t starved; /* timed out while they waited */
};
extern void probe_command_counts(struct probe_command_counts *counts);

/*
 * The launcher's path, if it isn't beside our own program; static storage.
 * Before the first check.
 */
extern void probe_command_launcher(const char *path);

#endif /* CLUSTER_PROBE_COMMAND_H */
