// SPDX-License-Identifier: GPL-2.0-or-later
#include <zebra.h>

#include "keychain.h"
#include "linklist.h"
#include "memory.h"

#include "core/ctl_keychain.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, CTL_KEYCHAIN, "Control key chain");
DEFINE_MTYPE_STATIC(CLUSTERD, CTL_SECRET, "Control key string");

/* As many as are in use at one time around a roll-over, and some. */
#define READY 8

struct ready {
	char *secret; /* what it was made of; NULL: free */
	struct ctl_key key;
};

struct ctl_keychain {
	char *name;
	struct ready ready[READY];
	unsigned int next; /* the slot that is taken when all are in use */
};

static void ready_clear(struct ready *ready)
{
	if (ready->secret)
		explicit_bzero(ready->secret, strlen(ready->secret));
	XFREE(MTYPE_CTL_SECRET, ready->secret);
	ctl_key_wipe(&ready->key);
}

struct ctl_keychain *ctl_keychain_new(const char *name)
{
	struct ctl_keychain *keys = XCALLOC(MTYPE_CTL_KEYCHAIN, sizeof(*keys));

	keys->name = XSTRDUP(MTYPE_CTL_KEYCHAIN, name);
	return keys;
}

void ctl_keychain_free(struct ctl_keychain **keys)
{
	if (!*keys)
		return;
	for (unsigned int i = 0; i < READY; i++)
		ready_clear(&(*keys)->ready[i]);
	XFREE(MTYPE_CTL_KEYCHAIN, (*keys)->name);
	XFREE(MTYPE_CTL_KEYCHAIN, *keys);
}

const char *ctl_keychain_name(const struct ctl_keychain *keys)
{
	return keys->name;
}

/* A key chain is edited in place: the string says whether it is still it. */
static const struct ctl_key *make_ready(struct ctl_keychain *keys,
					const struct key *key)
{
	struct ready *ready = NULL;

	for (unsigned int i = 0; i < READY; i++) {
		struct ready *slot = &keys->ready[i];

		if (!slot->secret || slot->key.id != key->index)
			continue;
		if (!strcmp(slot->secret, key->string))
			return &slot->key;
		ready = slot;
	}
	if (!ready)
		ready = &keys->ready[keys->next++ % READY];
	ready_clear(ready);
	ready->secret = XSTRDUP(MTYPE_CTL_SECRET, key->string);
	ctl_key_init(&ready->key, key->index, key->string, strlen(key->string));
	return &ready->key;
}

static bool usable(const struct key *key)
{
	return key->string && key->string[0] &&
	       (key->hash_algo == KEYCHAIN_ALGO_NULL ||
		key->hash_algo == KEYCHAIN_ALGO_HMAC_SHA256);
}

static bool within(const struct key_range *range, time_t now)
{
	return !range->start ||
	       (range->start <= now && (range->end == -1 || range->end >= now));
}

const struct ctl_key *ctl_keychain_send_of(struct ctl_keychain *keys,
					   const struct keychain *chain,
					   time_t now)
{
	struct listnode *node;
	struct key *key;

	for (ALL_LIST_ELEMENTS_RO(chain->key, node, key))
		if (usable(key) && within(&key->send, now))
			return make_ready(keys, key);
	return NULL;
}

const struct ctl_key *ctl_keychain_accept_of(struct ctl_keychain *keys,
					     const struct keychain *chain,
					     uint32_t id, time_t now)
{
	struct listnode *node;
	struct key *key;

	for (ALL_LIST_ELEMENTS_RO(chain->key, node, key))
		if (key->index == id && usable(key) && within(&key->accept, now))
			return make_ready(keys, key);
	return NULL;
}

const char *ctl_keychain_problem_of(const struct keychain *chain, time_t now)
{
	struct listnode *node;
	struct key *key;
	bool any = false;

	for (ALL_LIST_ELEMENTS_RO(chain->key, node, key)) {
		if (!usable(key))
			continue;
		if (within(&key->send, now))
			return NULL;
		any = true;
	}
	return any ? "no key of the key chain may be sent now"
		   : "no key of the key chain has a key-string for hmac-sha-256";
}

const struct ctl_key *ctl_keychain_send(struct ctl_keychain *keys)
{
	const struct keychain *chain = keychain_lookup(keys->name);

	return chain ? ctl_keychain_send_of(keys, chain, time(NULL)) : NULL;
}

const struct ctl_key *ctl_keychain_accept(struct ctl_keychain *keys, uint32_t id)
{
	const struct keychain *chain = keychain_lookup(keys->name);

	return chain ? ctl_keychain_accept_of(keys, chain, id, time(NULL))
		     : NULL;
}

const char *ctl_keychain_problem(struct ctl_keychain *keys)
{
	const struct keychain *chain = keychain_lookup(keys->name);

	return chain ? ctl_keychain_problem_of(chain, time(NULL))
		     : "no such key chain";
}
