// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "hubcluster/hc_reason.h"

static const struct {
	const char *name, *text;
} reasons[] = {
	[HC_OK] = { "ok", "" },
	[HC_WHY_KEPT] = { "kept",
			  "the edge's hub, whose score is below the limit" },
	[HC_WHY_KEPT_UNKNOWN] = { "keptUnknown",
				  "the edge's hub, which hasn't reported yet" },
	[HC_WHY_ASSIGNED] = { "assigned", "the edge had no hub" },
	[HC_WHY_UNREACHABLE] = { "unreachable", "the edge can't reach others" },
	[HC_WHY_ONLY_ONE] = { "onlyOne",
			      "the edge can't reach any, so it tries again" },
	[HC_WHY_REPLACED_LOADED] = { "replacedLoaded",
				     "the score of the edge's hub isn't below the limit" },
	[HC_WHY_REPLACED_GONE] = { "replacedGone",
				   "the edge's hub isn't an eligible one" },
	[HC_WHY_LAST] = { "last",
			  "no gateway knows of a hub: its last one again" },
	[HC_WHY_STANDBY] = { "standby",
			     "the edge lost its hub: the one named for that" },
	[HC_WHY_HUB_DEAD] = { "hubDead", "the hub before is dead" },
	[HC_WHY_HUB_STOPPED] = { "hubStopped", "the hub before was stopped" },
	[HC_WHY_DRAINED] = { "drained", "the hub before is being drained" },
	[HC_WHY_FAIR] = { "fairRedistribution", "fair redistribution" },
	[HC_WHY_AUTO] = { "autoRebalance", "auto-rebalance" },
	[HC_WHY_ROUTE_LOSS] = { "routeLoss", "the hub before lost its routes" },
	[HC_WHY_OPERATOR] = { "operator", "moved by the operator" },
	[HC_WHY_NO_CLUSTER] = { "noCluster",
				"the gateway doesn't know the cluster" },
	[HC_WHY_NO_HUB] = { "noHub", "no hub of the cluster is alive" },
	[HC_WHY_NO_ELIGIBLE] = { "noEligibleHub",
				 "all hubs that are alive are being drained" },
	[HC_WHY_DRAINING] = { "draining", "is being drained" },
	[HC_WHY_ROUTES_LOST] = { "routesLost",
				 "lost the routes that other hubs have" },
	[HC_WHY_NO_REPORT] = { "noReport", "hasn't reported yet" },
	[HC_WHY_NO_CAPACITY] = { "noCapacity", "has no tunnel capacity" },
	[HC_WHY_TUNNELS_UNKNOWN] = { "tunnelsUnknown",
				     "doesn't know its number of tunnels" },
	[HC_WHY_TUNNELS_HIGH] = { "tunnelsHigh",
				  "its tunnels aren't below the limit" },
	[HC_WHY_SCORE_HIGH] = { "scoreHigh", "its score isn't below the limit" },
	[HC_WHY_ROUTES_FEWER] = { "routesFewer",
				  "has fewer routes than in its report before" },
	[HC_WHY_ROUTES_PARTIAL] = { "routesPartial",
				    "has less than 95 % of the best hub's routes" },
	[HC_WHY_ROUTES_UNKNOWN] = { "routesUnknown",
				    "doesn't know its number of routes" },
	[HC_WHY_ROUTES_STALE] = { "routesStale",
				  "hasn't reported since the loss" },
	[HC_WHY_UNKNOWN_HUB] = { "unknownHub", "is no live hub of the cluster" },
	[HC_WHY_MOVED_FROM] = { "movedFrom",
				"the edge was moved away from it a while ago" },
	[HC_WHY_LOAD_UNKNOWN] = { "loadUnknown",
				  "doesn't know its processor or memory load" },
	[HC_WHY_UNKNOWN_EDGE] = { "unknownEdge",
				  "no such edge of the cluster is connected" },
	[HC_WHY_NOT_PREFERRED] = { "notPreferred",
				   "the edge follows another gateway: move it there" },
};

const char *hc_why_text(enum hc_why why)
{
	if ((size_t)why >= sizeof(reasons) / sizeof(reasons[0]) ||
	    !reasons[why].text)
		return "for a reason that only a newer version knows";
	return reasons[why].text;
}

const char *hc_why_name(enum hc_why why)
{
	if ((size_t)why >= sizeof(reasons) / sizeof(reasons[0]) ||
	    !reasons[why].name)
		return "unknown";
	return reasons[why].name;
}
