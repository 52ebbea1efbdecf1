/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with the VIPs' commands share. */
#ifndef CLUSTER_VIP_CLI_H
#define CLUSTER_VIP_CLI_H

#include <stdbool.h>

#define VIP_STR	       "Virtual IP addresses\n"
#define VIP_NAME_STR   "Name of the VIP\n"
#define VIP_LIST_XPATH VIP_XPATH "/vip"

struct vty;

/* Somebody types; else: a file is being read, line after line. */
extern bool vip_cli_interactive(const struct vty *vty);

/* Whether the list has an entry `name` in the session's configuration. */
extern bool vip_cli_candidate_has(const struct vty *vty, const char *list_xpath,
				  const char *name);

/* A name that a probe can have; a note if there is none of that name yet. */
extern bool vip_cli_probe_ok(struct vty *vty, const char *name);

/*
 * While a file is read, a section whose name was refused is gone through: each
 * of its lines is refused, with a text.
 */
extern bool vip_cli_section_ok(struct vty *vty);

/* Sets a leaf; without a value, or for the default (NULL), the leaf goes. */
extern int vip_cli_leaf_change(struct vty *vty, const char *xpath,
			       const char *value);

#endif /* CLUSTER_VIP_CLI_H */
