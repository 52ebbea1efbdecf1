/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The error catalogue: every code with its cause and what to do about it. */
#ifndef CLUSTER_ERRORS_H
#define CLUSTER_ERRORS_H

#include "ferr.h"

/* A range that no daemon of FRR uses (lib/ferr.h). */
#define CLUSTER_FERR_START 0x13000001
#define CLUSTER_FERR_END   0x13FFFFFF

enum cluster_log_refs {
	EC_CLUSTER_ROUTE_TYPE_TAKEN = CLUSTER_FERR_START,
	EC_CLUSTER_ROUTE_REMOVED,
	EC_CLUSTER_ROUTE_REFUSED,
	EC_CLUSTER_CONFIG_SECTION,
	EC_CLUSTER_CONFIG_FILE,
	EC_CLUSTER_WATCHDOG,
	EC_CLUSTER_PROBE_LOCAL,
	EC_CLUSTER_SYSTEM,
	EC_CLUSTER_DUPLICATE_ID,
	EC_CLUSTER_BGPD_OLDER,
	EC_CLUSTER_COMMANDS,
	EC_CLUSTER_LOCAL_ROUTES,
	EC_CLUSTER_RESPONDER_CONFLICT,
	EC_CLUSTER_BGP_MAP,
};

extern void cluster_error_init(void);

#endif /* CLUSTER_ERRORS_H */
