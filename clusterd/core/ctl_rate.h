/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often strangers are answered, or may show a wrong key: a bounded table
 * of sources and a limit over all of them (pure).
 *
 * A source is an IPv4 address or an IPv6 /64.  Who invents sources can push
 * others out of the table, and so renew their allowance; that is what the
 * limit over all is for.
 */
#ifndef CTL_RATE_H
#define CTL_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"

struct ctl_rate;

struct ctl_rate_limit {
	uint32_t per_second; /* 1..1000000 */
	uint32_t burst;	     /* 1..1000000 at once after a rest */
};

#define CTL_RATE_SOURCES 1024

/* `seed`: random, so that nobody can aim at a slot of the table. */
extern struct ctl_rate *ctl_rate_new(struct ctl_rate_limit source,
				     struct ctl_rate_limit total, uint32_t seed);
extern void ctl_rate_free(struct ctl_rate **rate);

/* Takes one from the source's allowance, if it has one, and from all's. */
extern bool ctl_rate_take(struct ctl_rate *rate, const struct ipaddr *source,
			  int64_t now_us);
/* Would ctl_rate_take() fail for the source's own limit? */
extern bool ctl_rate_spent(const struct ctl_rate *rate,
			   const struct ipaddr *source, int64_t now_us);

#endif /* CTL_RATE_H */
