// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of every target that is checked, for the file of metrics. */
#include "cluster_compat.h"

#include "core/metrics.h"
#include "probe/probe_daemon.h"

enum {
	UP,
	RESULTS,
	TRANSITIONS,
	RTT,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[UP] = { "clusterd_probe_up",
		 "1 if the target is up, 0 if it is down; none without a verdict.",
		 false },
	[RESULTS] = { "clusterd_probe_results_total",
		      "Checks of the target by what came of them.", true },
	[TRANSITIONS] = { "clusterd_probe_transitions_total",
			  "Changes of the verdict.", true },
	[RTT] = { "clusterd_probe_rtt_seconds",
		  "How long the last check that passed took.", false },
};

/* Behind which instance to go on; "": none yet. */
static struct {
	char name[PROBE_NAME_LEN];
	char vrf[PROBE_VRF_LEN];
	struct ipaddr target;
} last;

static void begin(void)
{
	memset(&last, 0, sizeof(last));
}

/* The first instance behind `last` of its definition; it may be gone. */
static struct probe_instance *next_instance(const struct probe_def *def)
{
	struct probe_instance *instance;
	int cmp;

	instance = probe_instance_find(def, last.vrf, &last.target);
	if (instance)
		return probe_instance_next(def, instance);
	while ((instance = probe_instance_next(def, instance))) {
		cmp = strcmp(probe_instance_vrf(instance), last.vrf);
		if (cmp > 0 ||
		    (cmp == 0 && ipaddr_cmp(probe_instance_target(instance),
					    &last.target) > 0))
			return instance;
	}
	return NULL;
}

static void add(struct metrics_text *texts, struct probe_instance *instance)
{
	struct probe_instance_view view;
	char target[INET6_ADDRSTRLEN];
	/* The last one is of results only. */
	struct metrics_label labels[] = { { "probe", view.name },
					  { "vrf", view.vrf },
					  { "target", target },
					  { "result", "" } };
	const size_t n = array_size(labels) - 1;

	/* Not probe_view(): a counter never falls, whatever is cleared. */
	probe_instance_view(instance, &view);
	ipaddr2str(&view.target, target, sizeof(target));
	if (view.verdict != PROBE_UNKNOWN)
		metrics_text_sample(&texts[UP], &families[UP], labels, n,
				    view.verdict == PROBE_UP);
	for (size_t i = 0; i < PROBE_RESULT_MAX; i++) {
		/* Most targets never have most of the failures. */
		if (i != PROBE_PASS && !view.counters.results[i])
			continue;
		labels[n].value = probe_result_token(i);
		metrics_text_sample(&texts[RESULTS], &families[RESULTS], labels,
				    n + 1, view.counters.results[i]);
	}
	metrics_text_sample(&texts[TRANSITIONS], &families[TRANSITIONS], labels,
			    n, view.counters.transitions);
	if (view.last_rtt_us >= 0)
		metrics_text_time(&texts[RTT], &families[RTT], labels, n,
				  view.last_rtt_us);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	const struct probe_def *def = probe_def_find(probe_engine, last.name);
	struct probe_instance *instance = def ? next_instance(def) : NULL;

	if (!def)
		def = probe_def_after(probe_engine, last.name);
	else if (!instance)
		def = probe_def_next(probe_engine, def);
	for (; def; def = probe_def_next(probe_engine, def)) {
		if (!instance)
			instance = probe_instance_next(def, NULL);
		for (; instance; instance = probe_instance_next(def, instance)) {
			if (!max--)
				return true;
			add(texts, instance);
			strlcpy(last.name, probe_def_name(def),
				sizeof(last.name));
			strlcpy(last.vrf, probe_instance_vrf(instance),
				sizeof(last.vrf));
			last.target = *probe_instance_target(instance);
		}
	}
	return false;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.begin = begin,
	.collect = collect,
};

void probe_metrics_init(void)
{
	metrics_register(&source);
}
