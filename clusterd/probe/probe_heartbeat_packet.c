// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "probe/probe_heartbeat_packet.h"

static const uint8_t magic[4] = { 'F', 'C', 'H', 'B' };
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

#define AT_VERSION 4
#define AT_STATE   5
#define AT_NAMELEN 6
#define AT_ZERO	   7
#define AT_KEY_ID  8
#define AT_TIME	   12
#define AT_TARGET  20

static void put(uint8_t *p, uint64_t value, size_t len)
{
	for (size_t i = len; i-- > 0; value >>= 8)
		p[i] = value & 0xff;
}

static uint64_t get(const uint8_t *p, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | p[i];
	return value;
}

const char *probe_heartbeat_reject_str(enum probe_heartbeat_reject reject)
{
	static const char *const texts[PROBE_HEARTBEAT_REJECT_MAX] = {
		[PROBE_HEARTBEAT_GOOD] = "",
		[PROBE_HEARTBEAT_MALFORMED] = "malformed",
		[PROBE_HEARTBEAT_OTHER_VERSION] = "another version",
		[PROBE_HEARTBEAT_UNKNOWN] = "no such probe and target",
		[PROBE_HEARTBEAT_NO_KEY] = "no such key",
		[PROBE_HEARTBEAT_BAD_MAC] = "wrong key",
		[PROBE_HEARTBEAT_CLOCK] = "the clocks differ",
		[PROBE_HEARTBEAT_REPLAY] = "old or repeated",
	};

	return texts[reject];
}

const char *probe_heartbeat_reject_token(enum probe_heartbeat_reject reject)
{
	static const char *const tokens[PROBE_HEARTBEAT_REJECT_MAX] = {
		[PROBE_HEARTBEAT_GOOD] = "good",
		[PROBE_HEARTBEAT_MALFORMED] = "malformed",
		[PROBE_HEARTBEAT_OTHER_VERSION] = "version",
		[PROBE_HEARTBEAT_UNKNOWN] = "unknown",
		[PROBE_HEARTBEAT_NO_KEY] = "no-key",
		[PROBE_HEARTBEAT_BAD_MAC] = "bad-mac",
		[PROBE_HEARTBEAT_CLOCK] = "clock",
		[PROBE_HEARTBEAT_REPLAY] = "replay",
	};

	return tokens[reject];
}

size_t probe_heartbeat_build(const struct probe_heartbeat *beat,
			     uint8_t buf[PROBE_HEARTBEAT_MAX])
{
	size_t namelen = strlen(beat->name);
	size_t len = PROBE_HEARTBEAT_HEAD + namelen + PROBE_HEARTBEAT_MAC;
	uint8_t *target = buf + AT_TARGET;

	memset(buf, 0, len);
	memcpy(buf, magic, sizeof(magic));
	buf[AT_VERSION] = PROBE_HEARTBEAT_VERSION;
	buf[AT_STATE] = beat->up;
	buf[AT_NAMELEN] = namelen;
	put(buf + AT_KEY_ID, beat->key_id, 4);
	put(buf + AT_TIME, beat->time_us, 8);
	if (IS_IPADDR_V4(&beat->target)) {
		memcpy(target, mapped, sizeof(mapped));
		memcpy(target + sizeof(mapped), &beat->target.ipaddr_v4, 4);
	} else {
		memcpy(target, &beat->target.ipaddr_v6, 16);
	}
	memcpy(buf + PROBE_HEARTBEAT_HEAD, beat->name, namelen);
	return len;
}

/* As the names of probes are. */
static bool name_is_valid(const char *name, size_t len)
{
	if (!isalnum((uint8_t)name[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((uint8_t)name[i]) &&
		    (!name[i] || !strchr("._:-", name[i])))
			return false;
	return true;
}

enum probe_heartbeat_reject probe_heartbeat_parse(const uint8_t *buf, size_t len,
						  struct probe_heartbeat *beat)
{
	const uint8_t *target = buf + AT_TARGET;
	size_t namelen;

	memset(beat, 0, sizeof(*beat));
	if (len < sizeof(magic) + 1 || memcmp(buf, magic, sizeof(magic)) != 0)
		return PROBE_HEARTBEAT_MALFORMED;
	if (buf[AT_VERSION] != PROBE_HEARTBEAT_VERSION)
		return PROBE_HEARTBEAT_OTHER_VERSION;
	if (len < PROBE_HEARTBEAT_MIN || len > PROBE_HEARTBEAT_MAX)
		return PROBE_HEARTBEAT_MALFORMED;
	namelen = buf[AT_NAMELEN];
	if (namelen != len - PROBE_HEARTBEAT_HEAD - PROBE_HEARTBEAT_MAC ||
	    buf[AT_STATE] > 1 || buf[AT_ZERO] != 0 ||
	    !name_is_valid((const char *)buf + PROBE_HEARTBEAT_HEAD, namelen))
		return PROBE_HEARTBEAT_MALFORMED;

	beat->up = buf[AT_STATE];
	beat->key_id = get(buf + AT_KEY_ID, 4);
	beat->time_us = get(buf + AT_TIME, 8);
	if (memcmp(target, mapped, sizeof(mapped)) == 0) {
		beat->target.ipa_type = IPADDR_V4;
		memcpy(&beat->target.ipaddr_v4, target + sizeof(mapped), 4);
	} else {
		beat->target.ipa_type = IPADDR_V6;
		memcpy(&beat->target.ipaddr_v6, target, 16);
	}
	memcpy(beat->name, buf + PROBE_HEARTBEAT_HEAD, namelen);
	return PROBE_HEARTBEAT_GOOD;
}

void probe_heartbeat_guard_init(struct probe_heartbeat_guard *guard,
				int64_t wall_us)
{
	guard->newest_us = wall_us;
}

enum probe_heartbeat_reject
probe_heartbeat_accept(struct probe_heartbeat_guard *guard, uint64_t time_us,
		       int64_t wall_us)
{
	if (time_us > (uint64_t)wall_us + PROBE_HEARTBEAT_SKEW_US ||
	    time_us + PROBE_HEARTBEAT_SKEW_US < (uint64_t)wall_us)
		return PROBE_HEARTBEAT_CLOCK;
	/* Our clock was set back: what was believed can't be waited for. */
	if (guard->newest_us > wall_us + PROBE_HEARTBEAT_SKEW_US)
		guard->newest_us = wall_us;
	if ((int64_t)time_us <= guard->newest_us)
		return PROBE_HEARTBEAT_REPLAY;
	guard->newest_us = (int64_t)time_us;
	return PROBE_HEARTBEAT_GOOD;
}
