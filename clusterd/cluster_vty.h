/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CLI basis: our nodes, how a section is entered and left, and the loading of
 * many sections in linear time (see cluster_vty.c).
 */
#ifndef CLUSTER_VTY_H
#define CLUSTER_VTY_H

#include "command.h"
#include "northbound.h"
#include "cluster_nodes.h"
#include "core/cluster_zebra.h"

#define CLUSTER_STR "Health-driven announcement of routes\n"

/* An object's name: 1..63 of letters, digits and ._:- , no punctuation first. */
#define CLUSTER_NAME_LEN 64

extern bool cluster_name_valid(const char *name);

/* install_node() + install_default() + our `exit` and `quit`. */
extern void cluster_vty_node_install(struct cmd_node *node);

/*
 * Creates the list entry `list_xpath`[name='NAME'] and enters its node: the
 * body of every section's entry command.
 */
extern int cluster_vty_enter(struct vty *vty, enum cluster_node node,
			     const char *list_xpath, const char *name);

/* `no <section> NAME`. */
extern int cluster_vty_delete(struct vty *vty, const char *list_xpath,
			      const char *name);

/* cli_cmp of a list whose first key is a name: the order of the names. */
extern int cluster_vty_name_cmp(const struct lyd_node *a,
				const struct lyd_node *b);

/* cli_cmp of a leaf-list of names, and of one of addresses. */
extern int cluster_vty_value_cmp(const struct lyd_node *a,
				 const struct lyd_node *b);
extern int cluster_vty_address_cmp(const struct lyd_node *a,
				   const struct lyd_node *b);

/* Writes everything below `xpath` as commands: a node's config_write. */
extern int cluster_vty_config_write(struct vty *vty, const char *xpath);

/* "00:01:23", "2d03h", of a time in the past (monotonic, µs). */
extern const char *cluster_uptime(int64_t since_us, int64_t now_us, char *buf,
				  size_t len);

/* "down", "refused", "connected" */
extern const char *cluster_zebra_state_name(enum cluster_zebra_state state);

/* `show cluster summary`, nodes, configuration hooks. */
extern void cluster_vty_init(void);

#endif /* CLUSTER_VTY_H */
