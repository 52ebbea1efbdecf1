// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may be a hub of a cluster, and what of it is odd. */
#include "config.h"

#include <string.h>

#include "hubcluster/hc_gateway_private.h"

bool gw_member(const struct hc_cluster_config *config, const struct ctl_id *hub)
{
	for (int i = 0; i < config->n_members; i++)
		if (!ctl_id_cmp(&config->members[i], hub))
			return true;
	return !config->n_members;
}

bool gw_differs(const struct gw_cluster *cluster, const struct gw_hub *hub)
{
	const struct gw_hub *first = cluster->hubs[0];

	return hub->msg.capacity != first->msg.capacity ||
	       strcmp(hub->msg.model, first->msg.model) != 0;
}

/* Or, if it is the first one, the second one's: whoever came last is told of. */
static bool differs_from_others(const struct gw_cluster *cluster,
				const struct gw_hub *hub)
{
	if (hub != cluster->hubs[0])
		return gw_differs(cluster, hub);
	return cluster->n_hubs > 1 && gw_differs(cluster, cluster->hubs[1]);
}

void gw_oddities(struct gw_cluster *cluster, const struct gw_hub *hub)
{
	if (differs_from_others(cluster, hub))
		gw_event(cluster, (struct hc_event){ .type = HC_EVENT_DIFFERS,
						     .hub = hub->id });
	for (size_t i = 0; hub->msg.asn && i < cluster->n_hubs; i++)
		if (cluster->hubs[i] != hub &&
		    cluster->hubs[i]->msg.asn == hub->msg.asn)
			gw_event(cluster, (struct hc_event){
						  .type = HC_EVENT_SAME_ASN,
						  .hub = hub->id,
						  .from = cluster->hubs[i]->id,
					  });
}

void gw_refuse(struct hc_gateway *gw, const struct ctl_id *cluster,
	       const struct ctl_id *hub, int64_t now_us)
{
	struct hc_event event = { .type = HC_EVENT_REFUSED,
				  .cluster = *cluster,
				  .hub = *hub };
	struct hc_refused *slot = &gw->refused[0];

	for (int i = 0; i < HC_REFUSED_MAX; i++) {
		if (gw->refused[i].count &&
		    !ctl_id_cmp(&gw->refused[i].hub, hub)) {
			slot = &gw->refused[i];
			break;
		}
		if (gw->refused[i].last_us < slot->last_us)
			slot = &gw->refused[i];
	}
	if (ctl_id_cmp(&slot->hub, hub))
		*slot = (struct hc_refused){ .hub = *hub };
	slot->cluster = *cluster;
	slot->last_us = now_us;
	slot->count++;
	gw->ops->event(gw->arg, &event);
}
