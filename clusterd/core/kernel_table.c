// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "jhash.h"
#include "memory.h"
#include "typesafe.h"

#include "core/kernel_table.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, KERNEL_TABLE, "Interfaces in the kernel");
DEFINE_MTYPE_STATIC(CLUSTERD, KERNEL_LINK, "Interface in the kernel");
DEFINE_MTYPE_STATIC(CLUSTERD, KERNEL_ADDRESS, "Address in the kernel");

PREDECL_HASH(links);
PREDECL_HASH(addresses);

struct link {
	struct links_item item;
	char name[CLUSTER_IFNAME_LEN];
	uint32_t ifindex;
	unsigned int flags;
};

struct address {
	struct addresses_item item;
	char name[CLUSTER_IFNAME_LEN];
	struct ipaddr addr;
};

static int link_cmp(const struct link *a, const struct link *b)
{
	return strcmp(a->name, b->name);
}

static uint32_t link_hash(const struct link *link)
{
	return jhash(link->name, strlen(link->name), 0);
}

DECLARE_HASH(links, struct link, item, link_cmp, link_hash);

static int address_cmp(const struct address *a, const struct address *b)
{
	int ret = ipaddr_cmp(&a->addr, &b->addr);

	return ret ? ret : strcmp(a->name, b->name);
}

static uint32_t address_hash(const struct address *address)
{
	const struct ipaddr *addr = &address->addr;

	/* Many addresses of few interfaces. */
	return IS_IPADDR_V4(addr)
		       ? jhash_1word(addr->ipaddr_v4.s_addr, 0)
		       : jhash(&addr->ipaddr_v6, sizeof(addr->ipaddr_v6), 0);
}

DECLARE_HASH(addresses, struct address, item, address_cmp, address_hash);

struct kernel_table {
	struct links_head links;
	struct addresses_head addresses;
};

struct kernel_table *kernel_table_new(void)
{
	struct kernel_table *table = XCALLOC(MTYPE_KERNEL_TABLE, sizeof(*table));

	links_init(&table->links);
	addresses_init(&table->addresses);
	return table;
}

void kernel_table_free(struct kernel_table **table)
{
	struct address *address;
	struct link *link;

	if (!*table)
		return;
	while ((link = links_pop(&(*table)->links)))
		XFREE(MTYPE_KERNEL_LINK, link);
	while ((address = addresses_pop(&(*table)->addresses)))
		XFREE(MTYPE_KERNEL_ADDRESS, address);
	links_fini(&(*table)->links);
	addresses_fini(&(*table)->addresses);
	XFREE(MTYPE_KERNEL_TABLE, *table);
}

void kernel_table_add_link(struct kernel_table *table, const char *ifname,
			   uint32_t ifindex, unsigned int flags)
{
	struct link *link = XCALLOC(MTYPE_KERNEL_LINK, sizeof(*link));
	struct link *there;

	strlcpy(link->name, ifname, sizeof(link->name));
	link->ifindex = ifindex;
	link->flags = flags;
	there = links_add(&table->links, link);
	if (!there)
		return;
	if (!there->ifindex) {
		there->ifindex = ifindex;
		there->flags = flags;
	}
	XFREE(MTYPE_KERNEL_LINK, link);
}

/* No interface has a colon in its name. */
static void address_set(struct address *address, const char *label,
			const struct ipaddr *addr)
{
	strlcpy(address->name, label, sizeof(address->name));
	address->name[strcspn(address->name, ":")] = '\0';
	address->addr = *addr;
}

void kernel_table_add_address(struct kernel_table *table, const char *label,
			      const struct ipaddr *addr)
{
	struct address *address = XCALLOC(MTYPE_KERNEL_ADDRESS,
					  sizeof(*address));

	address_set(address, label, addr);
	/* With two lengths of prefixes it is there twice. */
	if (addresses_add(&table->addresses, address))
		XFREE(MTYPE_KERNEL_ADDRESS, address);
}

bool kernel_table_link(const struct kernel_table *table, const char *ifname,
		       uint32_t ifindex, unsigned int *flags)
{
	const struct link *link;
	struct link ref;

	strlcpy(ref.name, ifname, sizeof(ref.name));
	link = links_const_find(&table->links, &ref);
	if (!link || (link->ifindex && link->ifindex != ifindex))
		return false;
	*flags = link->flags;
	return true;
}

bool kernel_table_has_address(const struct kernel_table *table,
			      const char *ifname, const struct ipaddr *addr)
{
	struct address ref;

	address_set(&ref, ifname, addr);
	return addresses_const_find(&table->addresses, &ref) != NULL;
}
