/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with the VIPs' commands share. */
#ifndef CLUSTER_VIP_CLI_H
#define CLUSTER_VIP_CLI_H

#include <stdbool.h>

#define VIP_STR	       "Virtual IP addresses\n"
#define VIP_NAME_STR   "Name of the VIP\n"
#define VIP_LIST_XPATH VIP_XPATH "/vip"

struct vty;

/* Whether the list has an entry `name` in the session's configuration. */
extern bool vip_cli_candidate_has(const struct vty *vty, const char *list_xpath,
				  const char *name);

/* A name that a probe can have; a note if there is none of that name yet. */
extern bool vip_cli_probe_ok(struct vty *vty, const char *name);

#endif /* CLUSTER_VIP_CLI_H */
