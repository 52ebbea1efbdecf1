/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Health probes: what the rest of clusterd sees of them.
 *
 * A *definition* is what the operator configures (`cluster probe NAME`); an
 * *instance* is one running check of one target in one VRF.  A definition with
 * a target always has an instance in the default VRF, whoever refers to it
 * there shares it, and another VRF that is referred from has its own; one
 * without is a template and gets an instance for every (VRF, address) that
 * somebody refers to.
 */
#ifndef CLUSTER_PROBE_H
#define CLUSTER_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"
#include "prefix.h"

#define PROBE_NAME_LEN 64 /* with the NUL */
#define PROBE_VRF_LEN  36 /* VRF_NAMSIZ */

/* How one run of a check ended. */
enum probe_result {
	PROBE_PASS,
	PROBE_TIMEOUT,	   /* no answer in time */
	PROBE_REFUSED,	   /* RST, or ICMP port unreachable */
	PROBE_UNREACHABLE, /* ICMP error for our packet */
	PROBE_RESPONSE,	   /* an answer, but not a good one (HTTP status...) */
	PROBE_NOT_UP,	   /* what is watched isn't up or there */
	PROBE_LOCAL,	   /* could not be sent: bind, interface, no route */
	PROBE_RESULT_MAX,
};

enum probe_verdict {
	PROBE_UNKNOWN, /* no definition, or one that makes no sense */
	PROBE_DOWN,
	PROBE_UP,
};

/*
 * A user's hold on one instance.  It survives the definition: a reference to
 * a probe that is not configured (yet) is valid and reads PROBE_UNKNOWN.
 */
struct probe_ref;
struct vty;

/*
 * Refers to probe `name` for `addr` in VRF `vrf` ("default", or a name); the
 * definition's own target, if it has one, wins over `addr`.  Never fails;
 * counted: every call needs its probe_ref_put().
 */
extern struct probe_ref *probe_ref_get(const char *name, const char *vrf,
				       const struct ipaddr *addr);
extern void probe_ref_put(struct probe_ref **ref);

/*
 * The verdict now.  `why` (may be NULL) gets a text for people, such as
 * "down: 3 x connection refused", "starts down: no result yet",
 * "probe is not configured", "probe invalid: tcp needs a port".
 */
extern enum probe_verdict probe_ref_verdict(const struct probe_ref *ref,
					    char *why, size_t why_len);

/* Both are of one check: the same instance. */
extern bool probe_ref_same(const struct probe_ref *a, const struct probe_ref *b);
/* The check's target is `addr`. */
extern bool probe_ref_is_target(const struct probe_ref *ref,
				const struct ipaddr *addr);
/*
 * What the check depends on in the RIB of VRF `vrf`: the way to the host that it
 * sends to, or (`watched`) a route.  False: nothing, or it can't be known.
 */
extern bool probe_ref_way(const struct probe_ref *ref, const char **vrf,
			  struct prefix *to, bool *watched);
/* The verdict comes from results, and not from `start`. */
extern bool probe_ref_settled(const struct probe_ref *ref);

/*
 * For commands that name a probe: the name is one; who types gets a note if there
 * is no probe of that name yet.
 */
extern bool probe_cli_name_ok(struct vty *vty, const char *name);
/* "probe NAME: why", or `why` alone if it begins so itself. */
extern void probe_reason_text(const char *name, const char *why, char *buf,
			      size_t len);

/* Once, at start: `changed` is called after any verdict or validity change. */
extern void probe_on_change(void (*changed)(void));

/* Numbers for `show cluster summary`. */
struct probe_counts {
	size_t probes;	  /* configured definitions */
	size_t instances; /* by verdict: up, down, unknown */
	size_t up, down, unknown;
	/* Checks with a socket of their own, and those that wait for one. */
	size_t sockets, sockets_max, sockets_waiting;
};
extern void probe_counts(struct probe_counts *counts);

/* Start-up: registers CLI, northbound and the scheduler capability. */
extern void probe_init(void);
/* Stops every check and frees everything. */
extern void probe_fini(void);

#endif /* CLUSTER_PROBE_H */
