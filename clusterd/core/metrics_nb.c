// SPDX-License-Identifier: GPL-2.0-or-later
/* Northbound of `cluster metrics`: callbacks copy the values. */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/metrics.h"
#include "core/metrics_nb.h"

/* XPath: /frr-clusterd-metrics:cluster-metrics/file */
static int file_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		metrics_path_set(yang_dnode_get_string(args->dnode, NULL));
	return NB_OK;
}

static int file_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		metrics_path_set(NULL);
	return NB_OK;
}

/* XPath: /frr-clusterd-metrics:cluster-metrics/interval */
static int interval_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_APPLY)
		metrics_interval_set(yang_dnode_get_uint32(args->dnode, NULL));
	return NB_OK;
}

static int interval_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event == NB_EV_APPLY)
		metrics_interval_set(0);
	return NB_OK;
}

/* clang-format off */
const struct frr_yang_module_info frr_clusterd_metrics_info = {
	.name = "frr-clusterd-metrics",
	.nodes = {
		{
			.xpath = METRICS_XPATH "/file",
			.cbs = {
				.modify = file_modify,
				.destroy = file_destroy,
				.cli_show = metrics_file_cli_write,
			},
		},
		{
			.xpath = METRICS_XPATH "/interval",
			.cbs = {
				.modify = interval_modify,
				.destroy = interval_destroy,
			},
		},
		{ .xpath = NULL },
	},
};
/* clang-format on */
