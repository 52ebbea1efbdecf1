// SPDX-License-Identifier: GPL-2.0-or-later
/* The gateway's clusters: what runs, and what is said of their events. */
#include "cluster_compat.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/second_limit.h"
#include "hubcluster/hc_daemon_private.h"

static struct hc_gateway *gateway;
static void (*on_event)(const struct hc_event *event);

struct hc_gateway *hcd_gateway(void)
{
	return gateway;
}

void hcd_on_gateway_event(void (*fn)(const struct hc_event *event))
{
	on_event = fn;
}

struct hcd_cluster *hcd_cluster_by_id(const struct ctl_id *id)
{
	struct hcd_cluster *cluster;

	frr_each (hcd_clusters, &hcd_clusters, cluster)
		if (!cluster->why[0] && !ctl_id_cmp(&cluster->config.id, id))
			return cluster;
	return NULL;
}

/* -- events -- */

static const struct {
	const char *before, *after;
} hub_changes[] = {
	[HC_EVENT_JOINED] = { "absent", "alive" },
	[HC_EVENT_LEFT] = { "alive", "absent" },
	[HC_EVENT_REFUSED] = { "absent", "refused" },
	[HC_EVENT_DIFFERS] = { "like others", "unlike others" },
	[HC_EVENT_SAME_ASN] = { "own AS number", "another hub's AS number" },
	[HC_EVENT_LOST] = { "routes", "routes lost" },
	[HC_EVENT_BACK] = { "routes lost", "routes" },
	[HC_EVENT_MOVED] = { "at a hub", "moved" },
	[HC_EVENT_BULK] = { "spread", "moved" },
	[HC_EVENT_NOTHING] = { "unfair", "nothing to move" },
};

/* Of what; "" where it is the cluster. */
static const char *event_node(const struct hc_event *event,
			      char text[HCD_NODE_TEXT_LEN])
{
	switch (event->type) {
	case HC_EVENT_MOVED:
		return hcd_node_text(&event->edge, text);
	case HC_EVENT_BULK:
	case HC_EVENT_NOTHING:
		return "";
	case HC_EVENT_JOINED:
	case HC_EVENT_LEFT:
	case HC_EVENT_REFUSED:
	case HC_EVENT_DIFFERS:
	case HC_EVENT_SAME_ASN:
	case HC_EVENT_LOST:
	case HC_EVENT_BACK:
		break;
	}
	return hcd_node_text(&event->hub, text);
}

static const char *left_text(enum hc_why why)
{
	if (why == HC_WHY_HUB_STOPPED)
		return "it said goodbye";
	return why == HC_WHY_HUB_DEAD ? "nothing was heard of it"
				      : hc_why_text(why);
}

static void event_why(const struct hc_event *event, char *buf, size_t len)
{
	char hub[HCD_NODE_TEXT_LEN], from[HCD_NODE_TEXT_LEN];

	buf[0] = '\0';
	switch (event->type) {
	case HC_EVENT_LEFT:
		strlcpy(buf, left_text(event->why), len);
		break;
	case HC_EVENT_REFUSED:
		strlcpy(buf,
			hcd_cluster_by_id(&event->cluster)
				? "it is no member, or there are too many"
				: "this node is no gateway of its cluster",
			len);
		break;
	case HC_EVENT_DIFFERS:
		strlcpy(buf, "another tunnel capacity or model", len);
		break;
	case HC_EVENT_SAME_ASN:
		snprintf(buf, len, "so has %s",
			 hcd_node_text(&event->from, from));
		break;
	case HC_EVENT_MOVED:
		snprintf(buf, len, "from %s to %s: %s",
			 hcd_node_text(&event->from, from),
			 hcd_node_text(&event->hub, hub),
			 hc_why_text(event->why));
		break;
	case HC_EVENT_BULK:
		snprintf(buf, len, "%zu edges: %s", event->count,
			 hc_why_text(event->why));
		break;
	case HC_EVENT_LOST:
		strlcpy(buf, "other hubs have them", len);
		break;
	case HC_EVENT_NOTHING:
		strlcpy(buf, "all edges are where they belong", len);
		break;
	case HC_EVENT_JOINED:
	case HC_EVENT_BACK:
		break;
	}
}

/* Refusals and a hub's death come in thousands: all are counted, not all told. */
#define EVENTS_PER_SECOND 100

static bool too_many(void)
{
	static struct second_limit limit;
	unsigned int missed;
	bool over = second_limit_over(&limit, EVENTS_PER_SECOND,
				      cluster_now_us(), &missed);

	if (missed)
		zlog_info("hub-cluster: %u more events of a second were not logged",
			  missed);
	return over;
}

static void event_log(const char *cluster, const struct hc_event *event,
		      const char *node, const char *why)
{
	const char *after = hub_changes[event->type].after;

	switch (event->type) {
	case HC_EVENT_DIFFERS:
	case HC_EVENT_SAME_ASN:
		flog_warn(EC_CLUSTER_HUBS_DIFFER,
			  "hub-cluster %s: hub %s: %s: %s", cluster, node,
			  after, why);
		break;
	case HC_EVENT_REFUSED:
		zlog_info("hub-cluster %s: hub %s refused: %s", cluster, node,
			  why);
		break;
	case HC_EVENT_MOVED:
		zlog_info("hub-cluster %s: edge %s moved %s", cluster, node,
			  why);
		break;
	case HC_EVENT_BULK:
	case HC_EVENT_NOTHING:
		zlog_notice("hub-cluster %s: %s: %s", cluster, after, why);
		break;
	case HC_EVENT_JOINED:
	case HC_EVENT_LEFT:
	case HC_EVENT_LOST:
	case HC_EVENT_BACK:
		zlog_notice("hub-cluster %s: hub %s: %s%s%s", cluster, node,
			    after, why[0] ? ": " : "", why);
		break;
	}
}

static void op_event(void *arg, const struct hc_event *event)
{
	const struct hcd_cluster *cluster = hcd_cluster_by_id(&event->cluster);
	enum event_kind kind = event->type == HC_EVENT_MOVED ? EVENT_EDGE
							     : EVENT_HUB;
	char id[CTL_ID_TEXT_LEN], text[HCD_NODE_TEXT_LEN];
	char name[EVENT_NAME_LEN + HCD_NODE_TEXT_LEN], why[HCD_EVENT_LEN];
	const char *node = event_node(event, text);

	if (too_many()) {
		cluster_event_count(kind);
		return;
	}
	ctl_id_format(&event->cluster, id);
	event_why(event, why, sizeof(why));
	event_log(cluster ? cluster->name : id, event, node, why);
	snprintf(name, sizeof(name), "%s%s%s", cluster ? cluster->name : id,
		 node[0] ? " " : "", node);
	cluster_event(&(struct event_change){
		.kind = kind,
		.name = name,
		.before = hub_changes[event->type].before,
		.after = hub_changes[event->type].after,
		.why = why,
	});
	if (on_event)
		on_event(event);
}

static const struct hc_gateway_ops gateway_ops = {
	.send = hcd_send,
	.event = op_event,
};

/* -- what runs -- */

static bool runs(const struct ctl_id *id)
{
	return hcd_cluster_by_id(id) != NULL;
}

static bool same_members(const struct hc_cluster_config *a,
			 const struct hc_cluster_config *b)
{
	return a->n_members == b->n_members &&
	       !memcmp(a->members, b->members,
		       a->n_members * sizeof(a->members[0]));
}

/* True if somebody may be taken who wasn't before. */
static bool clusters_set(int64_t now_us)
{
	struct hc_cluster_view view;
	struct hcd_cluster *cluster;
	bool came = false;

	frr_each (hcd_clusters, &hcd_clusters, cluster) {
		if (cluster->why[0])
			continue;
		strlcpy(cluster->config.name, cluster->name,
			sizeof(cluster->config.name));
		came |= !hc_gateway_cluster_get(gateway, &cluster->config.id,
						&view) ||
			!same_members(&view.config, &cluster->config);
		hc_gateway_cluster_set(gateway, &cluster->config, now_us);
	}
	return came;
}

static void clusters_del(void)
{
	struct hc_cluster_view view;
	bool more = hc_gateway_cluster_next(gateway, NULL, &view);

	while (more) {
		struct ctl_id id = view.config.id;

		if (!runs(&id))
			hc_gateway_cluster_del(gateway, &id);
		more = hc_gateway_cluster_next(gateway, &id, &view);
	}
}

static bool clusters_judge(bool control)
{
	struct hcd_cluster *cluster;
	bool any = false;

	frr_each (hcd_clusters, &hcd_clusters, cluster) {
		char before[HCD_WHY_LEN];

		strlcpy(before, cluster->why, sizeof(before));
		hcd_cluster_judge(cluster, control);
		hcd_log_part("hub-cluster", cluster->name, before, cluster->why);
		any |= !cluster->why[0];
	}
	return any;
}

void hcd_gateway_follow(bool control, int64_t now_us)
{
	bool fresh;

	if (!clusters_judge(control)) {
		hcd_gateway_stop();
		return;
	}
	fresh = !gateway;
	if (fresh)
		gateway = hc_gateway_new(&gateway_ops, NULL);
	clusters_del();
	/* Whoever is there already has to speak to us. */
	if (clusters_set(now_us) && !fresh)
		hc_node_announce(hcd_node());
	if (fresh)
		hcd_roles_tell();
}

void hcd_gateway_stop(void)
{
	struct hc_gateway *old = gateway;

	if (!old)
		return;
	gateway = NULL;
	hcd_roles_tell();
	hc_gateway_free(&old);
}

enum hc_why hcd_move(const struct hcd_cluster *cluster,
		     const struct ctl_id *edge, const struct ctl_id *hub)
{
	enum hc_why why;

	if (!gateway || cluster->why[0])
		return HC_WHY_NO_CLUSTER;
	why = hc_gateway_move(gateway, &cluster->config.id, edge, hub,
			      cluster_now_us());
	hcd_run_soon();
	return why;
}
