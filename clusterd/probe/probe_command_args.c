// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "printfrr.h"

#include "probe/command_launcher.h"
#include "probe/probe_command.h"

/* Appends to args->text; what doesn't fit is cut, never overrun. */
struct appender {
	char *next;
	char *end;
};

static char *append(struct appender *to, const char *name, const char *value)
{
	char *text = to->next;
	size_t room = to->end - to->next;
	size_t n = snprintf(text, room, "%s%s", name, value);

	to->next += n < room ? n + 1 : room - 1;
	return text;
}

static void append_words(struct probe_command_args *args, struct appender *to,
			 const char *command)
{
	char *word = append(to, "", command);
	size_t n = LAUNCH_ARG_COMMAND;

	while (*word && n < PROBE_COMMAND_ARGS_MAX - 1) {
		args->argv[n++] = word;
		word += strcspn(word, " ");
		if (*word)
			*word++ = '\0';
	}
	args->argv[n] = NULL;
}

/* More than the check can use before it is killed: for what has got away. */
static unsigned int cpu_seconds(const struct probe_config *config)
{
	return probe_config_timeout_ms(config) / 1000 + 2;
}

static void append_number(struct appender *to, char **slot, const char *name,
			  unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	*slot = append(to, name, text);
}

static void append_address(struct appender *to, char **slot, const char *name,
			   const struct ipaddr *addr)
{
	char text[64];

	snprintfrr(text, sizeof(text), "%pIA", addr);
	*slot = append(to, name, text);
}

static void append_env(struct probe_command_args *args, struct appender *to,
		       const char *name, const struct probe_config *config,
		       const char *vrf, const struct ipaddr *target)
{
	char **slot = args->envp;

	*slot++ = append(to, "PATH=", "/usr/sbin:/usr/bin:/sbin:/bin");
	*slot++ = append(to, "HOME=", "/");
	*slot++ = append(to, "LC_ALL=", "C");
	if (name[0])
		*slot++ = append(to, "CLUSTER_PROBE=", name);
	*slot++ = append(to, "CLUSTER_VRF=", vrf);
	if (!IS_IPADDR_NONE(target))
		append_address(to, slot++, "CLUSTER_TARGET=", target);
	append_number(to, slot++,
		      "CLUSTER_TIMEOUT=", probe_config_timeout_ms(config));
	if (config->port)
		append_number(to, slot++, "CLUSTER_PORT=", config->port);
	if (!IS_IPADDR_NONE(&config->source))
		append_address(to, slot++, "CLUSTER_SOURCE=", &config->source);
	if (config->ifname[0])
		*slot++ = append(to, "CLUSTER_INTERFACE=", config->ifname);
	*slot = NULL;
}

void probe_command_args(struct probe_command_args *args, const char *name,
			const struct probe_config *config, const char *vrf,
			const struct ipaddr *target, int parent)
{
	struct appender to = {
		.next = args->text,
		.end = args->text + sizeof(args->text),
	};

	args->argv[LAUNCH_ARG_NAME] = append(&to, "", COMMAND_LAUNCHER);
	append_number(&to, &args->argv[LAUNCH_ARG_CPU], "", cpu_seconds(config));
	append_number(&to, &args->argv[LAUNCH_ARG_PARENT], "", parent);
	append_env(args, &to, name, config, vrf, target);
	append_words(args, &to, config->command);
}

void probe_command_line(char *line, size_t len, const char *output, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n && output[i] != '\n' && to < len - 1; i++)
		line[to++] = output[i] >= ' ' && output[i] <= '~' ? output[i]
								  : '?';
	/* Of a line's end in DOS's way, too. */
	if (to && to < n && output[to - 1] == '\r')
		to--;
	while (to && line[to - 1] == ' ')
		to--;
	line[to] = '\0';
}

enum probe_result probe_command_result(int status, int signal,
				       const char *output, size_t n,
				       char *detail, size_t len)
{
	char line[PROBE_DETAIL_LEN];

	if (!signal && status == LAUNCH_FAILED_STATUS && n &&
	    output[0] == LAUNCH_FAILED_MARK) {
		probe_command_line(detail, len, output + 1, n - 1);
		return PROBE_LOCAL;
	}
	probe_command_line(line, sizeof(line), output, n);
	if (!signal && status == 0) {
		strlcpy(detail, line, len);
		return PROBE_PASS;
	}
	snprintfrr(detail, len, "%s %d%s%s",
		   signal ? "killed by signal" : "exit status",
		   signal ? signal : status, line[0] ? ": " : "", line);
	return PROBE_RESPONSE;
}
