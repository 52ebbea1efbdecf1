/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operational data: the leaves of one node of a model as a table, from which a
 * get_elem callback takes the one that is asked for.
 */
#ifndef CLUSTER_OPER_H
#define CLUSTER_OPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "ipaddr.h"

struct yang_data;

struct cluster_oper_leaf {
	const char *name;
	const char *text; /* NULL: `number` */
	uint64_t number;
};

/* clang-format off */
#define OPER_NUMBER(leaf, value) { .name = (leaf), .number = (value) }
/* "" is a leaf that isn't there. */
#define OPER_TEXT(leaf, value)	 { .name = (leaf), .text = (value) }
#define OPER_BOOL(leaf, value)	 OPER_TEXT(leaf, (value) ? "true" : "false")
/* clang-format on */

/*
 * libfrr asks for operational data.  8.4 does it for all leaves of all objects,
 * and then checks and prints them, before the loop runs again: that isn't a hang
 * for which the watchdog should end the daemon.  From the get_next callback of
 * each list whose leaves don't come from cluster_oper_data(), which calls it.
 */
extern void cluster_oper_asked(void);

/* Of the leaf that `xpath` ends with; NULL: it has no value now. */
extern struct yang_data *
cluster_oper_data(const char *xpath, const struct cluster_oper_leaf *leaves,
		  size_t n);

#define CLUSTER_OPER_TIME_LEN 32
/* A moment as date-and-time; returns `buf`. */
extern const char *cluster_oper_wall(time_t at, char buf[CLUSTER_OPER_TIME_LEN]);
/* A moment `ago_us` before now as date-and-time; returns `buf`. */
extern const char *cluster_oper_time(int64_t ago_us,
				     char buf[CLUSTER_OPER_TIME_LEN]);

/* Whether somebody listens: thousands of objects may change at once. */
extern bool cluster_oper_heard(void);
/*
 * A notification with these leaves, if somebody listens; `xpath` is its own.
 */
extern void cluster_oper_notify(const char *xpath,
				const struct cluster_oper_leaf *leaves,
				size_t n);

#endif /* CLUSTER_OPER_H */
