// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "filter.h"
#include "plist.h"

#include "core/accept_list.h"

static void (*list_changed)(void);

static void on_change(struct prefix_list *list)
{
	list_changed();
}

void accept_list_init(void (*changed)(void))
{
	list_changed = changed;
	access_list_init();
	prefix_list_init();
	prefix_list_add_hook(on_change);
	prefix_list_delete_hook(on_change);
}

void accept_list_fini(void)
{
	prefix_list_add_hook(NULL);
	prefix_list_delete_hook(NULL);
	access_list_reset();
	prefix_list_reset();
}

bool accept_list_permits(const char *name, const struct ipaddr *ip)
{
	struct prefix prefix = {};

	if (IS_IPADDR_V4(ip)) {
		prefix.family = AF_INET;
		prefix.prefixlen = IPV4_MAX_BITLEN;
		prefix.u.prefix4 = ip->ipaddr_v4;
	} else {
		prefix.family = AF_INET6;
		prefix.prefixlen = IPV6_MAX_BITLEN;
		prefix.u.prefix6 = ip->ipaddr_v6;
	}
	return prefix_list_apply_ext(prefix_list_lookup(family2afi(prefix.family),
							name),
				     NULL, &prefix, true) == PREFIX_PERMIT;
}

const char *accept_list_problem(const char *name)
{
	if (prefix_list_lookup(AFI_IP, name) ||
	    prefix_list_lookup(AFI_IP6, name))
		return NULL;
	return "no such prefix-list: only configured peers are accepted";
}
