// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of the responders, for the file of metrics. */
#include "cluster_compat.h"

#include "core/metrics.h"
#include "responder/responder_private.h"

enum {
	ADDRESS_STATE,
	CONDITION_MET,
	RECEIVED,
	SENT,
	NOT_ANSWERED,
	HANDOFF_STATE,
	HANDOFF_REFUSED,
	HANDOFF_FLOWS,
	N_FAMILIES,
};

static const struct metrics_family families[N_FAMILIES] = {
	[ADDRESS_STATE] = { "clusterd_responder_address_state",
			    "1 for the state that the address is in.", false },
	[CONDITION_MET] = { "clusterd_responder_condition_met",
			    "1 while the responder's condition holds.", false },
	[RECEIVED] = { "clusterd_responder_received_total",
		       "Frames that came in, by what they are.", true },
	[SENT] = { "clusterd_responder_sent_total", "Answers, by their kind.",
		   true },
	[NOT_ANSWERED] = { "clusterd_responder_not_answered_total",
			   "Echo requests without an answer, by the reason.",
			   true },
	[HANDOFF_STATE] = { "clusterd_responder_handoff_state",
			    "1 for the state that the NAT hand-off is in.",
			    false },
	[HANDOFF_REFUSED] = { "clusterd_responder_handoff_refused_total",
			      "Packets that the NAT hand-off has refused, by their kind.",
			      true },
	[HANDOFF_FLOWS] = { "clusterd_responder_handoff_flows_total",
			    "Flows of sites that the NAT hand-off has translated.",
			    true },
};

static char last[CLUSTER_NAME_LEN]; /* the last responder; "": none yet */

static void begin(void)
{
	last[0] = '\0';
}

/* The first one behind `last`, which may be gone. */
static struct responder *next_responder(void)
{
	struct responder ref, *responder;

	strlcpy(ref.name, last, sizeof(ref.name));
	responder = responders_find_gteq(&responders, &ref);
	return responder && strcmp(responder->name, last) == 0
		       ? responders_next(&responders, responder)
		       : responder;
}

static void add_address(struct metrics_text *texts,
			const struct responder *responder,
			const struct responder_address *address)
{
	char addr[INET6_ADDRSTRLEN];
	const struct metrics_label labels[] = {
		{ "responder", responder->name },
		{ "address", ipaddr2str(&address->addr, addr, sizeof(addr)) },
		{ "state", responder_state_name(address->state) },
	};

	metrics_text_sample(&texts[ADDRESS_STATE], &families[ADDRESS_STATE],
			    labels, array_size(labels), 1);
}

static void add_count(struct metrics_text *texts, size_t family,
		      const struct responder *responder, const char *label,
		      const char *label_value, uint64_t value)
{
	const struct metrics_label labels[] = {
		{ "responder", responder->name },
		{ label, label_value },
	};

	metrics_text_sample(&texts[family], &families[family], labels,
			    label ? 2 : 1, value);
}

static void add_handoff(struct metrics_text *texts,
			const struct responder *responder)
{
	const struct responder_nat *nat = &responder->nat;

	if (!nat->on)
		return;
	add_count(texts, HANDOFF_STATE, responder, "state",
		  handoff_state_name(nat->state), 1);
	add_count(texts, HANDOFF_REFUSED, responder, "kind", "flow",
		  nat->seen.packets[NFT_REFUSED]);
	add_count(texts, HANDOFF_REFUSED, responder, "kind", "ping",
		  nat->seen.packets[NFT_PINGS]);
	add_count(texts, HANDOFF_FLOWS, responder, NULL, NULL,
		  nat->seen.packets[NFT_FLOWS]);
}

static void add(struct metrics_text *texts, struct responder *responder)
{
	const struct responder_counters *counters = &responder->counters;
	struct responder_address *address;

	frr_each (responder_addresses, &responder->addresses, address)
		add_address(texts, responder, address);
	add_count(texts, CONDITION_MET, responder, NULL, NULL,
		  responder->condition_met);
	for (enum responder_kind i = 0; i < RESPONDER_KINDS; i++)
		add_count(texts, RECEIVED, responder, "kind",
			  responder_kind_name(i), counters->received[i]);
	add_count(texts, SENT, responder, "kind", "arp", counters->arp_sent);
	add_count(texts, SENT, responder, "kind", "neighbor",
		  counters->neighbor_sent);
	add_count(texts, SENT, responder, "kind", "echo", counters->echo_sent);
	add_count(texts, NOT_ANSWERED, responder, "reason", "condition",
		  counters->held);
	add_count(texts, NOT_ANSWERED, responder, "reason", "source",
		  counters->filtered);
	add_count(texts, NOT_ANSWERED, responder, "reason", "rate",
		  counters->limited);
	add_handoff(texts, responder);
}

static bool collect(struct metrics_text *texts, size_t max)
{
	struct responder *responder;
	size_t n = 0;

	for (responder = next_responder(); responder && n < max;
	     responder = responders_next(&responders, responder)) {
		add(texts, responder);
		n += responder_addresses_count(&responder->addresses) + 1;
		strlcpy(last, responder->name, sizeof(last));
	}
	return responder != NULL;
}

static const struct metrics_source source = {
	.families = families,
	.n_families = N_FAMILIES,
	.begin = begin,
	.collect = collect,
};

void responder_metrics_init(void)
{
	metrics_register(&source);
}
