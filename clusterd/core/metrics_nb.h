/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the northbound of `cluster metrics` and its commands share. */
#ifndef CLUSTER_METRICS_NB_H
#define CLUSTER_METRICS_NB_H

#include "northbound.h"

struct vty;

#define METRICS_XPATH "/frr-clusterd-metrics:cluster-metrics"

extern void metrics_file_cli_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);
extern void metrics_cli_init(void);

#endif /* CLUSTER_METRICS_NB_H */
