/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a responder does for each of its virtual addresses, and why (pure).
 * Spec: gateway-failover.md, "Stateful ping responder".
 *
 * Rules, the first that applies:
 *   1  shut down                               -> shutdown
 *   2  no interface to answer on, or too many
 *      addresses or interfaces                 -> incomplete
 *   3  an interface of the VRF has the address -> conflict: the kernel answers
 *   4  another responder has the address       -> conflict
 *   5  the VRF or all interfaces are missing   -> waiting; zebra isn't missed:
 *      what it told of them is known while it is away
 *   6  no interface can be listened on         -> failed; tried again
 *   7  the condition doesn't hold              -> held: ARP and ND only
 *   8  it holds for less than hold-down        -> held
 *   9  otherwise                               -> answering
 * In 7 and 8 the hardware address is told all the same: the address may be the
 * next hop of routes that don't depend on the ping.
 */
#ifndef CLUSTER_RESPONDER_DECIDE_H
#define CLUSTER_RESPONDER_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h" /* FRR's int64_t */

#define RESPONDER_WHY_LEN	 160
#define RESPONDER_INTERFACES_MAX 32
#define RESPONDER_ADDRESSES_MAX	 8

enum responder_state {
	RESPONDER_SHUTDOWN,
	RESPONDER_INCOMPLETE,
	RESPONDER_IN_CONFLICT,
	RESPONDER_WAITING,
	RESPONDER_FAILED,
	RESPONDER_HELD,
	RESPONDER_ANSWERING,
	RESPONDER_STATES,
};

/* What is true for all addresses of a responder. */
struct responder_facts {
	bool shutdown;
	bool zebra; /* connected */
	bool vrf_known;
	size_t n_addresses, n_interfaces, n_interfaces_up;
	const char *deaf; /* why none of them can be listened on, or NULL */
	bool condition;	  /* it holds */
	const char *condition_why;  /* for people, when it doesn't */
	int64_t condition_since_us; /* since when it does or doesn't */
	uint32_t hold_down_ms;
	int64_t now_us;
};

/* What is true for one. */
struct responder_address_facts {
	const char *interface; /* that has it as its own; NULL: none */
	const char *responder; /* another one that has it; NULL: none */
};

struct responder_plan {
	enum responder_state state;
	char why[RESPONDER_WHY_LEN];
	int64_t look_again_us; /* 0: no need; monotonic */
};

extern void responder_decide(const struct responder_facts *facts,
			     const struct responder_address_facts *address,
			     struct responder_plan *plan);

/* The hardware address is told, as far as we hear; echo is answered. */
extern bool responder_tells(enum responder_state state);
extern bool responder_answers(enum responder_state state);
/* A blackhole keeps the kernel quiet about the address. */
extern bool responder_hides(enum responder_state state);
/* "answering", "held", ... */
extern const char *responder_state_name(enum responder_state state);

/*
 * Tokens for echo replies (pure): `rate` a second, and as many at once as a
 * tenth of a second brings, ten at least.
 */
struct responder_bucket {
	int64_t tokens_us; /* each of 1,000,000 / rate; at most the burst */
	int64_t filled_us;
};
extern bool responder_bucket_take(struct responder_bucket *bucket,
				  uint32_t rate, int64_t now_us);

#endif /* CLUSTER_RESPONDER_DECIDE_H */
