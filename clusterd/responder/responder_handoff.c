// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "printfrr.h"

#include "responder/responder_handoff.h"

#define TABLE_PREFIX "clusterd"

static const char *const state_names[HANDOFF_STATES] = {
	[HANDOFF_OFF] = "off",		 [HANDOFF_INCOMPLETE] = "incomplete",
	[HANDOFF_CONFLICT] = "conflict", [HANDOFF_WAITING] = "waiting",
	[HANDOFF_FAILED] = "failed",	 [HANDOFF_ACTIVE] = "active",
};

static const char *const event_names[HANDOFF_STATES] = {
	[HANDOFF_OFF] = "hand-off off",
	[HANDOFF_INCOMPLETE] = "hand-off incomplete",
	[HANDOFF_CONFLICT] = "hand-off in conflict",
	[HANDOFF_WAITING] = "hand-off waiting",
	[HANDOFF_FAILED] = "hand-off failed",
	[HANDOFF_ACTIVE] = "hand-off active",
};

const char *handoff_state_name(enum handoff_state state)
{
	return state_names[state];
}

const char *handoff_event_name(enum handoff_state state)
{
	return event_names[state];
}

static void PRINTFRR(3, 4)
	verdict(struct handoff_plan *plan, enum handoff_state state,
		const char *format, ...)
{
	va_list args;

	plan->state = state;
	va_start(args, format);
	vsnprintfrr(plan->why, sizeof(plan->why), format, args);
	va_end(args);
}

/* What the kernel's answer means for who reads it. */
static const char *error_text(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "clusterd lacks the capability NET_ADMIN, or another program owns the table";
	case ENOENT:
	case EOPNOTSUPP:
	case EPROTONOSUPPORT:
	case EAFNOSUPPORT:
		return "this kernel lacks a part of nf_tables: nft_nat, nft_masq, nft_ct and nft_fib_inet are needed";
	default:
		return strerror(error);
	}
}

/* Rules 4 to 8. */
static void decide_rules(const struct handoff_facts *facts,
			 struct handoff_plan *plan)
{
	if (!facts->vrf_ready)
		verdict(plan, HANDOFF_WAITING, "VRF is not there");
	else if (facts->error)
		verdict(plan, HANDOFF_FAILED, "%s", error_text(facts->error));
	else if (!facts->installed)
		verdict(plan, HANDOFF_WAITING, "rules are on their way");
	else if (facts->missing)
		verdict(plan, HANDOFF_WAITING,
			"no interface has the source %pIA", facts->missing);
	else if (facts->bare)
		verdict(plan, HANDOFF_WAITING,
			"interface %s has no IPv4 address to translate to",
			facts->bare);
	else
		verdict(plan, HANDOFF_ACTIVE, "%s", "");
}

void handoff_decide(const struct handoff_facts *facts, struct handoff_plan *plan)
{
	plan->rules = false;
	if (!facts->configured) {
		verdict(plan, HANDOFF_OFF, "%s", "");
	} else if (facts->n_interfaces == 0) {
		verdict(plan, HANDOFF_INCOMPLETE, "no interface configured");
	} else if (facts->n_interfaces > RESPONDER_INTERFACES_MAX) {
		verdict(plan, HANDOFF_INCOMPLETE,
			"%zu interfaces configured, at most %d are possible",
			facts->n_interfaces, RESPONDER_INTERFACES_MAX);
	} else if (facts->other) {
		verdict(plan, HANDOFF_CONFLICT,
			"responder %s hands over by interface %s", facts->other,
			facts->shared);
	} else {
		plan->rules = true;
		decide_rules(facts, plan);
	}
}

/* "clusterd/", "clusterd-PATHSPACE/": a pathspace has no slash. */
static int prefix(const char *pathspace, char *buf, size_t len)
{
	return snprintf(buf, len, "%s%s%s/", TABLE_PREFIX, pathspace ? "-" : "",
			pathspace ? pathspace : "");
}

void handoff_table_name(const char *pathspace, const char *responder, char *buf,
			size_t len)
{
	char start[HANDOFF_TABLE_LEN];

	prefix(pathspace, start, sizeof(start));
	snprintf(buf, len, "%s%s", start, responder);
	/* nft(8) has no colons in names, and responders' have no slashes. */
	for (char *c = buf + strlen(start); *c; c++)
		if (*c == ':')
			*c = '/';
}

bool handoff_table_ours(const char *pathspace, const char *table)
{
	char start[HANDOFF_TABLE_LEN];

	prefix(pathspace, start, sizeof(start));
	return strncmp(table, start, strlen(start)) == 0;
}
