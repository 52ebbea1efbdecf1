// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "core/ctl_path.h"

bool ctl_path_same_remote(const struct ctl_path *a, const struct ctl_path *b)
{
	return a->socket == b->socket && a->ifindex == b->ifindex &&
	       a->port == b->port && !ipaddr_cmp(&a->remote, &b->remote);
}

bool ctl_path_same(const struct ctl_path *a, const struct ctl_path *b)
{
	return ctl_path_same_remote(a, b) &&
	       (IS_IPADDR_NONE(&a->local) || IS_IPADDR_NONE(&b->local) ||
		!ipaddr_cmp(&a->local, &b->local));
}

static int num_cmp(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

int ctl_path_cmp(const struct ctl_path *a, const struct ctl_path *b)
{
	int ret = ipaddr_cmp(&a->remote, &b->remote);

	if (!ret)
		ret = num_cmp(a->port, b->port);
	if (!ret)
		ret = num_cmp(a->socket, b->socket);
	if (!ret)
		ret = num_cmp(a->ifindex, b->ifindex);
	return ret ? ret : ipaddr_cmp(&a->local, &b->local);
}

const uint8_t *ctl_path_bytes(const struct ctl_path *path,
			      uint8_t bytes[CTL_PATH_BYTES])
{
	memset(bytes, 0, CTL_PATH_BYTES);
	memcpy(bytes, &path->socket, 4);
	memcpy(bytes + 4, &path->ifindex, 4);
	memcpy(bytes + 8, &path->port, 2);
	bytes[10] = (uint8_t)path->remote.ipa_type;
	if (!IS_IPADDR_NONE(&path->remote))
		memcpy(bytes + 11, &path->remote.ip, IPADDRSZ(&path->remote));
	return bytes;
}
