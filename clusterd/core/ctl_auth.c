// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include <nettle/memops.h>
#include <nettle/version.h>

#include "core/ctl_auth.h"

_Static_assert(SHA256_DIGEST_SIZE == CTL_MAC_LEN, "the trailer's MAC");
#define COOKIE_MAC_LEN (CTL_COOKIE_LEN - 8)

static void digest(struct hmac_sha256_ctx *ctx, uint8_t mac[CTL_MAC_LEN])
{
#if NETTLE_VERSION_MAJOR >= 4
	hmac_sha256_digest(ctx, mac);
#else
	hmac_sha256_digest(ctx, CTL_MAC_LEN, mac);
#endif
}

void ctl_key_init(struct ctl_key *key, uint32_t id, const void *secret,
		  size_t len)
{
	key->id = id;
	hmac_sha256_set_key(&key->ready, len, secret);
}

void ctl_key_wipe(struct ctl_key *key)
{
	explicit_bzero(key, sizeof(*key));
}

void ctl_auth_sign(const struct ctl_key *key, uint8_t *buf, size_t len)
{
	struct hmac_sha256_ctx ctx = key->ready;

	hmac_sha256_update(&ctx, len - CTL_MAC_LEN, buf);
	digest(&ctx, buf + len - CTL_MAC_LEN);
}

bool ctl_auth_check(const struct ctl_key *key, const uint8_t *buf, size_t len)
{
	struct hmac_sha256_ctx ctx = key->ready;
	uint8_t mac[CTL_MAC_LEN];

	hmac_sha256_update(&ctx, len - CTL_MAC_LEN, buf);
	digest(&ctx, mac);
	return memeql_sec(mac, buf + len - CTL_MAC_LEN, CTL_MAC_LEN);
}

static void cookie_mac(const struct ctl_key *secret,
		       const struct ctl_path *path, const struct ctl_id *id,
		       uint64_t epoch, int64_t made_us, uint8_t mac[CTL_MAC_LEN])
{
	struct hmac_sha256_ctx ctx = secret->ready;
	uint8_t bytes[CTL_PATH_BYTES];

	hmac_sha256_update(&ctx, CTL_PATH_BYTES, ctl_path_bytes(path, bytes));
	hmac_sha256_update(&ctx, CTL_ID_LEN, id->bytes);
	hmac_sha256_update(&ctx, sizeof(epoch), (const uint8_t *)&epoch);
	hmac_sha256_update(&ctx, sizeof(made_us), (const uint8_t *)&made_us);
	digest(&ctx, mac);
}

void ctl_cookie_make(const struct ctl_key *secret, const struct ctl_path *path,
		     const struct ctl_id *id, uint64_t epoch, int64_t now_us,
		     uint8_t cookie[CTL_COOKIE_LEN])
{
	uint8_t mac[CTL_MAC_LEN];

	cookie_mac(secret, path, id, epoch, now_us, mac);
	/* Only we read it again: in our own byte order. */
	memcpy(cookie, &now_us, 8);
	memcpy(cookie + 8, mac, COOKIE_MAC_LEN);
}

bool ctl_cookie_check(const struct ctl_key *secret, const struct ctl_path *path,
		      const struct ctl_id *id, uint64_t epoch, int64_t now_us,
		      const uint8_t cookie[CTL_COOKIE_LEN])
{
	uint8_t mac[CTL_MAC_LEN];
	int64_t made_us;

	memcpy(&made_us, cookie, 8);
	if (made_us > now_us || made_us < now_us - CTL_COOKIE_LIFE_US)
		return false;
	cookie_mac(secret, path, id, epoch, made_us, mac);
	return memeql_sec(mac, cookie + 8, COOKIE_MAC_LEN);
}
