// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts that the commands of `show` and the operational data share. */
#include "cluster_compat.h"

#include "hubcluster/hc_mgmt.h"

const char *hcd_status_name(bool shutdown, const char *why)
{
	if (shutdown)
		return "shutdown";
	return why[0] ? "waiting" : "running";
}

const char *hcd_route_status_name(enum cluster_route_status status)
{
	static const char *const names[] = {
		[CLUSTER_ROUTE_UNWANTED] = "unwanted",
		[CLUSTER_ROUTE_UNSENT] = "unsent",
		[CLUSTER_ROUTE_PENDING] = "pending",
		[CLUSTER_ROUTE_INSTALLED] = "installed",
		[CLUSTER_ROUTE_BETTER_WON] = "better-won",
		[CLUSTER_ROUTE_FAILED] = "failed",
		[CLUSTER_ROUTE_REMOVED] = "removed",
	};

	return names[status];
}

const char *hcd_id_text(const struct ctl_id *id, char text[CTL_ID_TEXT_LEN])
{
	if (ctl_id_is_null(id))
		return "";
	return ctl_id_format(id, text);
}

const char *hcd_percent_text(uint16_t load, char *buf, size_t len)
{
	if (load == HC_LOAD_UNKNOWN)
		return "";
	snprintf(buf, len, "%u.%02u", load / HC_PERCENT, load % HC_PERCENT);
	return buf;
}

enum hc_why hcd_self_score(const struct hc_hub_self_view *view, uint8_t *score)
{
	*score = view->reports ? hc_score(&view->load) : 0;
	if (*score)
		return HC_OK;
	return view->reports ? hc_load_flaw(&view->load) : HC_WHY_NO_REPORT;
}

bool hcd_cluster_view(const struct hcd_cluster *cluster,
		      struct hc_cluster_view *view)
{
	/* Another one may have the ID, and this one waits for it. */
	return hcd_gateway() && !cluster->shutdown && !cluster->why[0] &&
	       hc_gateway_cluster_get(hcd_gateway(), &cluster->config.id, view);
}

const char *hcd_prefix_text(const struct hc_prefix *prefix, char *buf,
			    size_t len)
{
	snprintfrr(buf, len, "%pIA/%u", &prefix->addr, prefix->len);
	return buf;
}
