// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "clusterd.h"
#include "probe/command_run.h"

static struct command_run *run_of(struct probe_check *check)
{
	return container_of(check, struct command_run, check);
}

static void ended(struct probe_check *check, enum probe_result result,
		  const char *detail)
{
	struct command_run *run = run_of(check);

	cluster_event_off(run->t_timeout);
	run->done(run, result == PROBE_PASS, detail);
}

static void timed_out(struct event *event)
{
	struct command_run *run = EVENT_ARG(event);
	char text[64];

	probe_type_command.cancel(&run->check);
	snprintf(text, sizeof(text), "killed after %u ms", run->timeout_ms);
	run->done(run, false, text);
}

void command_run_start(struct command_run *run, const char *vrf,
		       const char *command, uint32_t timeout_ms,
		       void (*done)(struct command_run *run, bool ok,
				    const char *text))
{
	static const struct ipaddr nobody = { .ipa_type = IPADDR_NONE };
	struct probe_config config;

	if (command_run_busy(run))
		return;
	probe_config_init(&config);
	config.type = PROBE_TYPE_COMMAND;
	config.timeout_ms = timeout_ms;
	config.command = command;
	run->check.type = &probe_type_command;
	run->check.name = "";
	run->check.done = ended;
	run->timeout_ms = timeout_ms;
	run->done = done;
	event_add_timer_msec(cluster_master, timed_out, run, timeout_ms,
			     &run->t_timeout);
	probe_type_command.start(&run->check, &config, vrf, &nobody);
}

bool command_run_busy(const struct command_run *run)
{
	return run->check.state != NULL;
}

void command_run_stop(struct command_run *run)
{
	cluster_event_off(run->t_timeout);
	if (command_run_busy(run))
		probe_type_command.cancel(&run->check);
	probe_type_command.release(&run->check);
}
