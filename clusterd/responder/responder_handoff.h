/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NAT hand-off of a responder: whether its rules belong into the kernel, and
 * how they do there (pure).  Spec: gateway-failover.md.
 *
 * Rules, the first that applies:
 *   1  not configured				   -> off
 *   2  no interface to hand over by, or too many  -> incomplete
 *   3  another responder hands over by one of them -> conflict
 *   4  the VRF isn't there			   -> waiting
 *   5  the kernel has refused them		   -> failed
 *   6  they are not in the kernel yet		   -> waiting
 *   7  the address that they translate to isn't
 *	one of this node			   -> waiting
 *   8  otherwise				   -> active
 * In 1 to 3 the kernel shall have no rules.  In 7 it has them: a flow without its
 * translation would be worse than none.  Neither the condition nor `shutdown`
 * matters: they decide about answers to pings, not about what sites send.
 */
#ifndef CLUSTER_RESPONDER_HANDOFF_H
#define CLUSTER_RESPONDER_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>

#include "ipaddr.h"

#include "responder/responder_decide.h"

/* clusterd-PATHSPACE/NAME: at most a path's component, and a name. */
#define HANDOFF_TABLE_LEN 256

enum handoff_state {
	HANDOFF_OFF,
	HANDOFF_INCOMPLETE,
	HANDOFF_CONFLICT,
	HANDOFF_WAITING,
	HANDOFF_FAILED,
	HANDOFF_ACTIVE,
	HANDOFF_STATES,
};

struct handoff_facts {
	bool configured;
	size_t n_interfaces;
	const char *other;  /* responder that hands over, too; NULL: none */
	const char *shared; /* ... by this interface */
	bool vrf_ready;
	int error;	/* errno of the last attempt; 0: it was good */
	bool installed; /* the kernel has the rules as they are wanted */
	/* An address to translate to that no interface has; NULL: none. */
	const struct ipaddr *missing;
	/* An interface without an IPv4 address, of which that is needed. */
	const char *bare;
};

struct handoff_plan {
	enum handoff_state state;
	char why[RESPONDER_WHY_LEN];
	bool rules; /* belong into the kernel */
};

extern void handoff_decide(const struct handoff_facts *facts,
			   struct handoff_plan *plan);

/* "active", "waiting", ... */
extern const char *handoff_state_name(enum handoff_state state);
/* The same for the list of events, where it stands beside addresses' states. */
extern const char *handoff_event_name(enum handoff_state state);

/*
 * The name of a responder's table, which nobody else's has: that of another
 * responder, of a clusterd of another pathspace (NULL: none), of another program.
 * Made of what nft(8) takes without quotes.
 */
extern void handoff_table_name(const char *pathspace, const char *responder,
			       char *buf, size_t len);
/* A table of that name is of a responder of this pathspace. */
extern bool handoff_table_ours(const char *pathspace, const char *table);

#endif /* CLUSTER_RESPONDER_HANDOFF_H */
