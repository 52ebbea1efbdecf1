/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of the control protocol from FRR's key chains.
 *
 * Send and accept lifetimes are of the wall clock, and are looked at for every
 * datagram: a roll-over needs no timer.  Among several keys that may be sent
 * the lowest number is, as in FRR's other protocols.  Keys of an algorithm
 * other than hmac-sha-256 are left out; a key that names none is taken.
 *
 * libfrr's key_lookup_for_accept() isn't used: it returns a key of *at least*
 * that number.
 */
#ifndef CTL_KEYCHAIN_H
#define CTL_KEYCHAIN_H

#include <stdint.h>
#include <time.h>

#include "core/ctl_auth.h"

struct keychain;
struct ctl_keychain;

/* The key chain needn't exist (yet). */
extern struct ctl_keychain *ctl_keychain_new(const char *name);
extern void ctl_keychain_free(struct ctl_keychain **keys);
extern const char *ctl_keychain_name(const struct ctl_keychain *keys);

/*
 * Valid now; NULL if there is none.  What is returned stays valid until the
 * next call.  The plain ones are for struct ctl_ops; the others do the work
 * on a given chain at a given time.
 */
extern const struct ctl_key *ctl_keychain_send(struct ctl_keychain *keys);
extern const struct ctl_key *ctl_keychain_accept(struct ctl_keychain *keys,
						 uint32_t id);
extern const struct ctl_key *ctl_keychain_send_of(struct ctl_keychain *keys,
						  const struct keychain *chain,
						  time_t now);
extern const struct ctl_key *ctl_keychain_accept_of(struct ctl_keychain *keys,
						    const struct keychain *chain,
						    uint32_t id, time_t now);

/* Why nothing can be sent, for show and logs; NULL: all is well. */
extern const char *ctl_keychain_problem(struct ctl_keychain *keys);
extern const char *ctl_keychain_problem_of(const struct keychain *chain,
					   time_t now);

#endif /* CTL_KEYCHAIN_H */
