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

/* The same of an object of which there is one: a presence container. */
extern int cluster_vty_enter_one(struct vty *vty, enum cluster_node node,
				 const char *xpath);

/*
 * While a file is read, a section whose name was refused is gone through: each
 * of its lines is refused, with a text.
 */
extern bool cluster_vty_section_ok(struct vty *vty);

/* Somebody types; else: a file is being read, line after line. */
extern bool cluster_vty_typed(const struct vty *vty);

/* "% ..." and the result of a command that is refused. */
extern int cluster_vty_refuse(struct vty *vty, const char *fmt, ...)
	PRINTFRR(2, 3);

/*
 * Sets a leaf of the section, or one of type empty; without a value the leaf
 * goes.
 */
extern int cluster_vty_leaf(struct vty *vty, const char *xpath,
			    const char *value);
extern int cluster_vty_flag(struct vty *vty, const char *xpath, bool value);

/*
 * Adds `value` to a leaf-list of the section ("./address"), or takes it away.
 * Refused if the value isn't one for cluster_vty_key_ok().
 */
extern int cluster_vty_leaflist(struct vty *vty, const char *xpath, bool remove,
				const char *value);

/*
 * Whether what was typed can be a value: libfrr says "Failed to edit
 * configuration" of one that libyang doesn't take, and answers the line as if
 * all were well.  Every word of a command that isn't checked more strictly.
 */
extern bool cluster_vty_text_ok(struct vty *vty, const char *text);

/*
 * Whether what libfrr's parser took for an address is one: it takes 192.0.2.00
 * as well, libyang doesn't.
 */
extern bool cluster_vty_address_ok(struct vty *vty, const char *text,
				   struct ipaddr *addr);

/*
 * Whether a word that was typed can be a key in an XPath; else it says why not.
 * libfrr 8 ends the daemon for a path that libyang can't parse, also for that
 * of an entry which is to be removed: no word goes into one without this check
 * or a stricter one.
 */
extern bool cluster_vty_key_ok(struct vty *vty, const char *word);

/* What an object of kind `what` can be called; else it says why not. */
extern bool cluster_vty_name_ok(struct vty *vty, const char *what,
				const char *name);
extern bool cluster_vty_vrf_ok(struct vty *vty, const char *name);
extern bool cluster_vty_ifname_ok(struct vty *vty, const char *name);

/* Whether the list has an entry `name` in the session's configuration. */
extern bool cluster_vty_candidate_has(const struct vty *vty,
				      const char *list_xpath, const char *name);

/*
 * cli_show of a leaf whose command is its name and value; of one of type empty;
 * of a boolean, whose command is its name or `no` and that.
 */
extern void cluster_vty_leaf_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);
extern void cluster_vty_flag_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);
extern void cluster_vty_bool_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);

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

/* Configuration hooks. */
extern void cluster_vty_init(void);

/* `show cluster summary`: cluster_summary.c */
extern void cluster_summary_init(void);

#endif /* CLUSTER_VTY_H */
