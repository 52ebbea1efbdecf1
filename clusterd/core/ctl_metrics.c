// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of the sessions with other nodes, for the file of metrics. */
#include "cluster_compat.h"

#include "core/ctl_daemon_private.h"
#include "core/metrics.h"

enum {
	UP,
	LINKS,
	SESSIONS,
	MESSAGES,
	RESENT,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[UP] = { "clusterd_control_session_up",
		 "1 while the session with the node is up.", false },
	[LINKS] = { "clusterd_control_links",
		    "Links over which the node is reached.", false },
	[SESSIONS] = { "clusterd_control_sessions_total",
		       "Sessions with the node that have come up.", true },
	[MESSAGES] = { "clusterd_control_messages_total",
		       "Messages of capabilities, by their direction.", true },
	[RESENT] = { "clusterd_control_messages_resent_total",
		     "Messages that were sent again.", true },
};

static struct ctl_id last; /* the last node */
static bool any;	   /* there has been one */

static void begin(void)
{
	any = false;
}

static void add(struct metrics_text *texts, const struct ctl_peer_view *view)
{
	char id[CTL_ID_TEXT_LEN];
	struct metrics_label labels[] = { { "node", id }, { "direction", "" } };

	ctl_id_format(&view->id, id);
	metrics_text_sample(&texts[UP], &families[UP], labels, 1, view->up);
	metrics_text_sample(&texts[LINKS], &families[LINKS], labels, 1,
			    view->n_links);
	metrics_text_sample(&texts[SESSIONS], &families[SESSIONS], labels, 1,
			    view->ups);
	labels[1].value = "received";
	metrics_text_sample(&texts[MESSAGES], &families[MESSAGES], labels, 2,
			    view->items_rx);
	labels[1].value = "sent";
	metrics_text_sample(&texts[MESSAGES], &families[MESSAGES], labels, 2,
			    view->items_tx);
	metrics_text_sample(&texts[RESENT], &families[RESENT], labels, 1,
			    view->items_resent);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	struct ctl_peer_view view;

	for (; control.ctl && max; max--) {
		if (!ctl_peer_next(control.ctl, any ? &last : NULL, &view))
			return false;
		add(texts, &view);
		last = view.id;
		any = true;
	}
	return control.ctl != NULL;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.begin = begin,
	.collect = collect,
};

void control_metrics_init(void)
{
	metrics_register(&source);
}
