// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <netinet/in.h>
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

const char *ctl_remote_flaw(const struct ipaddr *addr)
{
	const struct in6_addr *v6 = &addr->ipaddr_v6;

	if (IS_IPADDR_V4(addr)) {
		uint32_t v4 = ntohl(addr->ipaddr_v4.s_addr);

		return v4 >> 24 == 0 || v4 >> 24 >= 224
			       ? "is not the address of a node"
			       : NULL;
	}
	if (IN6_IS_ADDR_UNSPECIFIED(v6) || IN6_IS_ADDR_MULTICAST(v6) ||
	    IN6_IS_ADDR_V4MAPPED(v6))
		return "is not the address of a node";
	return IN6_IS_ADDR_LINKLOCAL(v6)
		       ? "is a link-local address, which needs an interface: use another address of the node"
		       : NULL;
}

const char *ctl_listen_flaw(const struct ipaddr *addr)
{
	return ipaddr_is_zero(addr) ? NULL : ctl_remote_flaw(addr);
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
