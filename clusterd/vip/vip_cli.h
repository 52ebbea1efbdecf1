/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with the VIPs' commands share. */
#ifndef CLUSTER_VIP_CLI_H
#define CLUSTER_VIP_CLI_H

#define VIP_STR	       "Virtual IP addresses\n"
#define VIP_NAME_STR   "Name of the VIP\n"
#define VIP_LIST_XPATH VIP_XPATH "/vip"

#endif /* CLUSTER_VIP_CLI_H */
