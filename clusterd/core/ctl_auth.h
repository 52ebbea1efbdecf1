/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Authentication of datagrams, and the cookie that makes a stranger show that
 * it is where it says (pure; the primitive is nettle's, see
 * doc/developer/control-protocol.rst).
 */
#ifndef CTL_AUTH_H
#define CTL_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nettle/hmac.h>

#include "core/ctl_id.h"
#include "core/ctl_path.h"
#include "core/ctl_wire.h"

/*
 * A key made ready once: each datagram saves the two hash blocks of the key
 * itself.  Secret: ctl_key_wipe() before the memory goes.
 */
struct ctl_key {
	uint32_t id;
	struct hmac_sha256_ctx ready;
};

extern void ctl_key_init(struct ctl_key *key, uint32_t id, const void *secret,
			 size_t len);
extern void ctl_key_wipe(struct ctl_key *key);

/*
 * `len` is the datagram's, CTL_DATAGRAM_MIN at least; the key's ID is in it
 * already (struct ctl_msg).
 */
extern void ctl_auth_sign(const struct ctl_key *key, uint8_t *buf, size_t len);
/* In constant time.  The caller looked the key up by the datagram's key ID. */
extern bool ctl_auth_check(const struct ctl_key *key, const uint8_t *buf,
			   size_t len);

/*
 * The cookie: when it was made, and an HMAC with a secret of this run over
 * that, the path, the logical ID and `epoch` (whatever else must still be the
 * same when it comes back).  Its maker keeps nothing.
 */
#define CTL_COOKIE_LIFE_US INT64_C(15000000)

extern void ctl_cookie_make(const struct ctl_key *secret,
			    const struct ctl_path *path,
			    const struct ctl_id *id, uint64_t epoch,
			    int64_t now_us, uint8_t cookie[CTL_COOKIE_LEN]);
extern bool ctl_cookie_check(const struct ctl_key *secret,
			     const struct ctl_path *path,
			     const struct ctl_id *id, uint64_t epoch,
			     int64_t now_us,
			     const uint8_t cookie[CTL_COOKIE_LEN]);

#endif /* CTL_AUTH_H */
