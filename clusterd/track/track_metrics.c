// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of tracks, their next hops and routes, for the file of metrics. */
#include "cluster_compat.h"

#include "core/metrics.h"
#include "track/track_private.h"

enum {
	ROUTE_STATE,
	HOP_UP,
	HOP_USED,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[ROUTE_STATE] = { "clusterd_track_route_state",
			  "1 for the state that the tracked route is in.",
			  false },
	[HOP_UP] = { "clusterd_track_next_hop_up",
		     "1 if the next hop of the track is up.", false },
	[HOP_USED] = { "clusterd_track_next_hop_used",
		       "1 if a route of the track goes by it.", false },
};

static char last[CLUSTER_NAME_LEN]; /* the last track; "": none yet */

static void begin(void)
{
	last[0] = '\0';
}

/* The first one behind `last`, which may be gone. */
static struct track *next_track(void)
{
	struct track ref, *track;

	strlcpy(ref.name, last, sizeof(ref.name));
	track = tracks_find_gteq(&tracks, &ref);
	return track && strcmp(track->name, last) == 0
		       ? tracks_next(&tracks, track)
		       : track;
}

static void add_route(struct metrics_text *texts,
		      const struct track_route *route)
{
	char prefix[PREFIX_STRLEN];
	const struct metrics_label labels[] = {
		{ "track", route->track->name },
		{ "prefix", prefix2str(&route->prefix, prefix, sizeof(prefix)) },
		{ "state", track_state_name(route->state) },
	};

	if (route->since_us)
		metrics_text_sample(&texts[ROUTE_STATE], &families[ROUTE_STATE],
				    labels, array_size(labels), 1);
}

static void add_hop(struct metrics_text *texts, const struct track_hop *hop)
{
	char gate[INET6_ADDRSTRLEN];
	const struct metrics_label labels[] = {
		{ "track", hop->track->name },
		{ "next_hop", ipaddr2str(&hop->gate, gate, sizeof(gate)) },
		{ "interface", hop->ifname },
	};

	metrics_text_sample(&texts[HOP_UP], &families[HOP_UP], labels,
			    array_size(labels), hop->up);
	metrics_text_sample(&texts[HOP_USED], &families[HOP_USED], labels,
			    array_size(labels), hop->used);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	struct track_route *route;
	struct track_hop *hop;
	struct track *track;
	size_t n = 0;

	for (track = next_track(); track && n < max;
	     track = tracks_next(&tracks, track)) {
		frr_each (track_routes, &track->routes, route)
			add_route(texts, route);
		frr_each (track_hops, &track->hops, hop)
			add_hop(texts, hop);
		n += track_routes_count(&track->routes) +
		     track_hops_count(&track->hops) + 1;
		strlcpy(last, track->name, sizeof(last));
	}
	return track != NULL;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.begin = begin,
	.collect = collect,
};

void track_metrics_init(void)
{
	metrics_register(&source);
}
