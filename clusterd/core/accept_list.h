/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From which addresses others are accepted: FRR's prefix lists, by name.
 *
 * A name stands for the IPv4 and the IPv6 list of that name.  An entry accepts
 * the addresses inside its prefix (ge and le mean nothing for an address).
 * What no entry permits, or has no list of its family, is not accepted.
 */
#ifndef ACCEPT_LIST_H
#define ACCEPT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "ipaddr.h"

/* As long as a prefix list's name may be in FRR's model. */
#define ACCEPT_LIST_NAME_LEN 129

struct prefix;

extern void accept_list_init(void);
/* `changed` is called whenever any prefix list has changed. */
extern void accept_list_watch(void (*changed)(void));
extern void accept_list_fini(void);

extern bool accept_list_permits(const char *name, const struct ipaddr *ip);
/*
 * Does the list of the prefix's own family permit it, ge and le counted?  No
 * list permits nothing.
 */
extern bool accept_list_permits_prefix(const char *name,
				       const struct ipaddr *ip, uint8_t length);
/* Why it accepts nobody; NULL: there is such a list. */
extern const char *accept_list_problem(const char *name);

#endif /* ACCEPT_LIST_H */
