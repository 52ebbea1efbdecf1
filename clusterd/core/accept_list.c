// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "filter.h"
#include "plist.h"

#include "core/accept_list.h"
#include "core/cluster_route.h"

#define WATCHERS_MAX 4

static void (*watchers[WATCHERS_MAX])(void);
static size_t n_watchers;

static void on_change(struct prefix_list *list)
{
	for (size_t i = 0; i < n_watchers; i++)
		watchers[i]();
}

void accept_list_watch(void (*changed)(void))
{
	assert(n_watchers < WATCHERS_MAX);
	watchers[n_watchers++] = changed;
}

void accept_list_init(void)
{
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

static bool permits(const char *name, const struct prefix *prefix,
		    bool address_mode)
{
	struct prefix_list *list =
		prefix_list_lookup(family2afi(prefix->family), name);

	return prefix_list_apply_ext(list, NULL, prefix, address_mode) ==
	       PREFIX_PERMIT;
}

bool accept_list_permits(const char *name, const struct ipaddr *ip)
{
	struct prefix prefix;

	cluster_prefix(&prefix, ip,
		       IS_IPADDR_V4(ip) ? IPV4_MAX_BITLEN : IPV6_MAX_BITLEN);
	return permits(name, &prefix, true);
}

bool accept_list_permits_prefix(const char *name, const struct ipaddr *ip,
				uint8_t length)
{
	struct prefix prefix;

	cluster_prefix(&prefix, ip, length);
	return permits(name, &prefix, false);
}

const char *accept_list_problem(const char *name)
{
	if (prefix_list_lookup(AFI_IP, name) ||
	    prefix_list_lookup(AFI_IP6, name))
		return NULL;
	return "no such prefix-list: only configured peers are accepted";
}
