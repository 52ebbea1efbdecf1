// SPDX-License-Identifier: GPL-2.0-or-later
/* Notifications of hub clustering; the log and the record are the runtime's. */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "hubcluster/hc_mgmt.h"

#define NOTIFY_XPATH "/frr-clusterd-hub:"

/* ---- a gateway's events ---- */

/* XPath: /frr-clusterd-hub:hub-change */
static void hub_change(const struct hc_event *event, const char *change)
{
	char cluster[CTL_ID_TEXT_LEN], hub[CTL_ID_TEXT_LEN];
	char other[CTL_ID_TEXT_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("cluster", hcd_id_text(&event->cluster, cluster)),
		OPER_TEXT("hub", hcd_id_text(&event->hub, hub)),
		OPER_TEXT("change", change),
		OPER_TEXT("other", hcd_id_text(&event->from, other)),
		OPER_TEXT("reason", event->why ? hc_why_name(event->why) : ""),
		OPER_TEXT("why", hc_why_text(event->why)),
	};

	cluster_oper_notify(NOTIFY_XPATH "hub-change", leaves,
			    array_size(leaves));
}

/* XPath: /frr-clusterd-hub:edge-move */
static void edge_move(const struct hc_event *event)
{
	char cluster[CTL_ID_TEXT_LEN], edge[CTL_ID_TEXT_LEN];
	char from[CTL_ID_TEXT_LEN], hub[CTL_ID_TEXT_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("cluster", hcd_id_text(&event->cluster, cluster)),
		OPER_TEXT("edge", hcd_id_text(&event->edge, edge)),
		OPER_TEXT("from", hcd_id_text(&event->from, from)),
		OPER_TEXT("hub", hcd_id_text(&event->hub, hub)),
		OPER_TEXT("reason", hc_why_name(event->why)),
		OPER_TEXT("why", hc_why_text(event->why)),
	};

	cluster_oper_notify(NOTIFY_XPATH "edge-move", leaves,
			    array_size(leaves));
}

/* XPath: /frr-clusterd-hub:bulk-move */
static void bulk_move(const struct hc_event *event, size_t edges,
		      enum hc_why why)
{
	char cluster[CTL_ID_TEXT_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("cluster", hcd_id_text(&event->cluster, cluster)),
		OPER_NUMBER("edges", edges),
		OPER_TEXT("reason", hc_why_name(why)),
		OPER_TEXT("why", hc_why_text(why)),
	};

	cluster_oper_notify(NOTIFY_XPATH "bulk-move", leaves,
			    array_size(leaves));
}

static void gateway_event(const struct hc_event *event)
{
	static const char *const changes[] = {
		[HC_EVENT_JOINED] = "joined",
		[HC_EVENT_LEFT] = "left",
		[HC_EVENT_REFUSED] = "refused",
		[HC_EVENT_DIFFERS] = "differs",
		[HC_EVENT_SAME_ASN] = "same-asn",
		[HC_EVENT_LOST] = "routes-lost",
		[HC_EVENT_BACK] = "routes-back",
	};

	switch (event->type) {
	case HC_EVENT_JOINED:
	case HC_EVENT_LEFT:
	case HC_EVENT_REFUSED:
	case HC_EVENT_DIFFERS:
	case HC_EVENT_SAME_ASN:
	case HC_EVENT_LOST:
	case HC_EVENT_BACK:
		hub_change(event, changes[event->type]);
		return;
	case HC_EVENT_MOVED:
		edge_move(event);
		return;
	case HC_EVENT_BULK:
		bulk_move(event, event->count, event->why);
		return;
	case HC_EVENT_NOTHING:
		/* Unfair, but all edges are where they belong. */
		bulk_move(event, 0, HC_WHY_FAIR);
		return;
	}
}

/* ---- this edge's events ---- */

/* XPath: /frr-clusterd-hub:own-hub-change */
static void edge_event(const struct hc_edge_event *event)
{
	static const char *const changes[] = {
		[HC_EDGE_MOVED] = "moved",     [HC_EDGE_LOST] = "lost",
		[HC_EDGE_FAILED] = "failed",   [HC_EDGE_NO_HUB] = "no-hub",
		[HC_EDGE_IGNORED] = "ignored",
	};
	char hub[CTL_ID_TEXT_LEN], from[CTL_ID_TEXT_LEN];
	char gateway[CTL_ID_TEXT_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("change", changes[event->type]),
		OPER_TEXT("hub", hcd_id_text(&event->hub, hub)),
		OPER_TEXT("from", hcd_id_text(&event->from, from)),
		OPER_TEXT("gateway", hcd_id_text(&event->gateway, gateway)),
		OPER_TEXT("reason", event->why ? hc_why_name(event->why) : ""),
		OPER_TEXT("why", hc_why_text(event->why)),
	};

	cluster_oper_notify(NOTIFY_XPATH "own-hub-change", leaves,
			    array_size(leaves));
}

void hcd_notify_init(void)
{
	hcd_on_gateway_event(gateway_event);
	hcd_on_edge_event(edge_event);
}
