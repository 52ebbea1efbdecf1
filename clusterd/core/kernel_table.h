/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of one network namespace and the addresses on them, as the kernel
 * has just told (pure): for many questions in a row.
 */
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cluster_route.h"

struct kernel_table;

extern struct kernel_table *kernel_table_new(void);
extern void kernel_table_free(struct kernel_table **table);

/* `ifindex` 0: not told. Of two by one name the one that has one stays. */
extern void kernel_table_add_link(struct kernel_table *table, const char *ifname,
				  uint32_t ifindex, unsigned int flags);
/* `label`: "eth0:1" is an address of eth0. */
extern void kernel_table_add_address(struct kernel_table *table,
				     const char *label,
				     const struct ipaddr *addr);

/* A link of that name and index is there: its flags. */
extern bool kernel_table_link(const struct kernel_table *table,
			      const char *ifname, uint32_t ifindex,
			      unsigned int *flags);
extern bool kernel_table_has_address(const struct kernel_table *table,
				     const char *ifname,
				     const struct ipaddr *addr);

#endif /* KERNEL_TABLE_H */
