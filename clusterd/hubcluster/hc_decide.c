// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "hubcluster/hc_assign.h"
#include "hubcluster/hc_decide.h"

#define WHOLE (100 * HC_PERCENT)

/* -- score -- */

enum hc_why hc_load_flaw(const struct hc_load *load)
{
	if (!load->capacity)
		return HC_WHY_NO_CAPACITY;
	if (!load->tunnels_known)
		return HC_WHY_TUNNELS_UNKNOWN;
	if (load->cpu > WHOLE || load->memory > WHOLE)
		return HC_WHY_LOAD_UNKNOWN;
	return HC_OK;
}

uint8_t hc_score(const struct hc_load *load)
{
	uint64_t tunnels, score;

	if (hc_load_flaw(load) != HC_OK)
		return 0;
	tunnels = (uint64_t)load->tunnels * WHOLE / load->capacity;
	if (tunnels > WHOLE)
		tunnels = WHOLE;
	score = (load->cpu + load->memory + tunnels) / 3 / HC_PERCENT;
	return score ? (uint8_t)score : 1;
}

/* Tunnels in comparison to the limit: < 0 below, 0 exactly, > 0 above. */
static int tunnels_cmp(const struct hc_rules *rules, const struct hc_load *load)
{
	uint64_t tunnels = (uint64_t)load->tunnels * 100;
	uint64_t limit = (uint64_t)load->capacity * rules->limit;

	return tunnels < limit ? -1 : tunnels > limit;
}

static bool tunnels_known(const struct hc_hub_in *hub)
{
	return hub->reported && hub->load.capacity && hub->load.tunnels_known;
}

/* -- eligibility -- */

/* E2: a loss that all share tells nothing about one of them. */
static bool all_lost(const struct hc_hub_in *hubs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!hubs[i].lost && !hubs[i].draining)
			return false;
	return true;
}

enum hc_why hc_eligible(const struct hc_hub_in *hubs, size_t n, size_t i)
{
	if (hubs[i].draining)
		return HC_WHY_DRAINING;
	if (hubs[i].lost && !all_lost(hubs, n))
		return HC_WHY_ROUTES_LOST;
	return HC_OK;
}

enum hc_why hc_target(const struct hc_rules *rules,
		      const struct hc_hub_in *hubs, size_t n, size_t i)
{
	enum hc_why why = hc_eligible(hubs, n, i);

	if (why != HC_OK)
		return why;
	if (!hubs[i].reported)
		return HC_WHY_NO_REPORT;
	why = hc_load_flaw(&hubs[i].load);
	if (why != HC_OK)
		return why;
	if (tunnels_cmp(rules, &hubs[i].load) >= 0)
		return HC_WHY_TUNNELS_HIGH;
	if (hubs[i].score >= rules->limit)
		return HC_WHY_SCORE_HIGH;
	return HC_OK;
}

static uint32_t best_routes(const struct hc_hub_in *hubs, size_t n)
{
	uint32_t best = 0;

	for (size_t i = 0; i < n; i++)
		if (hubs[i].routes_known && hubs[i].routes > best)
			best = hubs[i].routes;
	return best;
}

/* `routes` are at least that percentage of `best`. */
static bool routes_reach(uint32_t routes, uint32_t best, uint32_t percent)
{
	return (uint64_t)routes * 100 >= (uint64_t)best * percent;
}

enum hc_why hc_route_target(const struct hc_hub_in *hubs, size_t n, size_t i)
{
	enum hc_why why = hc_eligible(hubs, n, i);

	if (why != HC_OK)
		return why;
	if (!hubs[i].routes_known)
		return HC_WHY_ROUTES_UNKNOWN;
	if (hubs[i].stale)
		return HC_WHY_ROUTES_STALE;
	if (hubs[i].routes < hubs[i].routes_before)
		return HC_WHY_ROUTES_FEWER;
	if (!routes_reach(hubs[i].routes, best_routes(hubs, n),
			  HC_COMPLETE_PERCENT))
		return HC_WHY_ROUTES_PARTIAL;
	return HC_OK;
}

bool hc_routes_lost(const struct hc_rules *rules, const struct hc_hub_in *hubs,
		    size_t n, size_t i)
{
	uint32_t best = best_routes(hubs, n);

	if (!hubs[i].routes_known || !best)
		return false;
	return !hubs[i].routes ||
	       !routes_reach(hubs[i].routes, best, rules->loss_percent);
}

/* -- assignment -- */

void hc_list_eligible(struct hc_list *list, const struct hc_hub_in *hubs,
		      size_t n, uint64_t except)
{
	list->n = 0;
	for (size_t i = 0; i < n; i++)
		if (!(except >> i & 1) && hc_eligible(hubs, n, i) == HC_OK)
			list->index[list->n++] = (uint8_t)i;
}

void hc_list_route_targets(struct hc_list *list, const struct hc_hub_in *hubs,
			   size_t n)
{
	list->n = 0;
	for (size_t i = 0; i < n; i++)
		if (hc_route_target(hubs, n, i) == HC_OK)
			list->index[list->n++] = (uint8_t)i;
}

static int rendezvous(const struct hc_hub_in *hubs, const struct hc_list *list,
		      const struct ctl_id *edge)
{
	struct hc_bid best = {};
	int winner = HC_NONE;
	bool weighted = false;

	for (size_t i = 0; i < list->n; i++)
		weighted |= hubs[list->index[i]].load.capacity != 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct hc_hub_in *hub = &hubs[list->index[i]];
		uint32_t weight = weighted ? hub->load.capacity : 1;
		struct hc_bid bid;

		if (!weight)
			continue;
		bid = hc_bid(edge, &hub->id, weight);
		if (winner == HC_NONE || hc_bid_cmp(&bid, &best) < 0) {
			winner = list->index[i];
			best = bid;
		}
	}
	return winner;
}

int hc_assign(const struct hc_rules *rules, const struct hc_hub_in *hubs,
	      const struct hc_list *list, const struct ctl_id *edge)
{
	if (!list->n)
		return HC_NONE;
	if (rules->assignment == HC_RENDEZVOUS)
		return rendezvous(hubs, list, edge);
	return list->index[hc_modulo(edge, (uint32_t)list->n)];
}

static int hub_find(const struct hc_hub_in *hubs, size_t n,
		    const struct ctl_id *id)
{
	if (ctl_id_is_null(id))
		return HC_NONE;
	for (size_t i = 0; i < n; i++)
		if (!ctl_id_cmp(&hubs[i].id, id))
			return (int)i;
	return HC_NONE;
}

/* The hubs that it can't reach, a bit each. */
static uint64_t unreachable(const struct hc_hub_in *hubs, size_t n,
			    const struct hc_ask *ask)
{
	uint64_t except = 0;

	for (size_t i = 0; i < ask->n_unreachable; i++) {
		int hub = hub_find(hubs, n, &ask->unreachable[i]);

		if (hub != HC_NONE)
			except |= UINT64_C(1) << (unsigned int)hub;
	}
	return except;
}

int hc_standby(const struct hc_rules *rules, const struct hc_hub_in *hubs,
	       size_t n, const struct hc_ask *ask)
{
	int current = hub_find(hubs, n, &ask->current);
	uint64_t except = unreachable(hubs, n, ask);
	struct hc_list list;

	if (current != HC_NONE)
		except |= UINT64_C(1) << (unsigned int)current;
	hc_list_eligible(&list, hubs, n, except);
	return hc_assign(rules, hubs, &list, &ask->edge);
}

struct hc_answer hc_answer(const struct hc_rules *rules,
			   const struct hc_hub_in *hubs, size_t n,
			   const struct hc_ask *ask)
{
	int current = hub_find(hubs, n, &ask->current);
	uint64_t except;
	enum hc_why why = HC_WHY_ASSIGNED;
	struct hc_list list;

	/* Q1 */
	if (!n)
		return (struct hc_answer){ HC_NONE, HC_WHY_NO_HUB };
	hc_list_eligible(&list, hubs, n, 0);
	if (!list.n)
		return (struct hc_answer){ HC_NONE, HC_WHY_NO_ELIGIBLE };
	/* Q2 */
	if (current != HC_NONE &&
	    hc_eligible(hubs, n, (size_t)current) == HC_OK) {
		if (!hubs[current].reported || !hubs[current].score)
			return (struct hc_answer){ current,
						   HC_WHY_KEPT_UNKNOWN };
		if (hubs[current].score < rules->limit)
			return (struct hc_answer){ current, HC_WHY_KEPT };
		why = HC_WHY_REPLACED_LOADED;
	} else if (!ctl_id_is_null(&ask->current)) {
		why = HC_WHY_REPLACED_GONE;
	}
	/* Q3 */
	except = unreachable(hubs, n, ask);
	if (except) {
		struct hc_list others;

		hc_list_eligible(&others, hubs, n, except);
		why = others.n ? HC_WHY_UNREACHABLE : HC_WHY_ONLY_ONE;
		if (others.n)
			list = others;
	}
	/* Q4 */
	return (struct hc_answer){ hc_assign(rules, hubs, &list, &ask->edge),
				   why };
}

/* -- rebalancing -- */

bool hc_unfair(const struct hc_rules *rules, const struct hc_hub_in *hubs,
	       size_t n, int *over, int *under)
{
	*over = *under = HC_NONE;
	for (size_t i = 0; i < n; i++) {
		int cmp;

		/* What isn't eligible is left for that, and not by all. */
		if (!tunnels_known(&hubs[i]) || hc_eligible(hubs, n, i) != HC_OK)
			continue;
		cmp = tunnels_cmp(rules, &hubs[i].load);
		if (cmp > 0 && *over == HC_NONE)
			*over = (int)i;
		if (cmp < 0 && *under == HC_NONE)
			*under = (int)i;
	}
	return *over != HC_NONE && *under != HC_NONE;
}

bool hc_auto_active(const struct hc_rules *rules, const struct hc_hub_in *hubs,
		    size_t n, bool before)
{
	bool below = true;

	for (size_t i = 0; i < n; i++) {
		if (hubs[i].score > rules->limit)
			return true;
		if (hubs[i].score >= rules->limit)
			below = false;
	}
	return before && !below;
}

/* The next hub of a walk by score, descending, then ID; HC_NONE at the end. */
static int next_source(const struct hc_rules *rules,
		       const struct hc_hub_in *hubs, size_t n, int before)
{
	int best = HC_NONE;

	for (size_t i = 0; i < n; i++) {
		if (hubs[i].score < rules->limit)
			continue;
		if (before != HC_NONE &&
		    (hubs[i].score > hubs[before].score ||
		     (hubs[i].score == hubs[before].score && (int)i <= before)))
			continue;
		if (best == HC_NONE || hubs[i].score > hubs[best].score)
			best = (int)i;
	}
	return best;
}

/* The same for targets, by score ascending. */
static int next_target(const struct hc_rules *rules,
		       const struct hc_hub_in *hubs, size_t n, int before)
{
	int best = HC_NONE;

	for (size_t i = 0; i < n; i++) {
		if (hc_target(rules, hubs, n, i) != HC_OK)
			continue;
		if (before != HC_NONE &&
		    (hubs[i].score < hubs[before].score ||
		     (hubs[i].score == hubs[before].score && (int)i <= before)))
			continue;
		if (best == HC_NONE || hubs[i].score < hubs[best].score)
			best = (int)i;
	}
	return best;
}

/* B4 for one pair of hubs. */
static bool pick_edge(const struct hc_rules *rules,
		      const struct hc_hub_in *hubs, const struct hc_list *list,
		      const struct hc_edge_in *edges, size_t n_edges, int from,
		      int to, size_t *picked)
{
	bool found = false;

	for (size_t i = 0; i < n_edges; i++) {
		if (edges[i].hub != from ||
		    edges[i].avoid & UINT64_C(1) << (unsigned int)to)
			continue;
		if (hc_assign(rules, hubs, list, &edges[i].id) != from) {
			*picked = i;
			return true;
		}
		if (!found)
			*picked = i;
		found = true;
	}
	return found;
}

bool hc_auto_pick(const struct hc_rules *rules, const struct hc_hub_in *hubs,
		  size_t n, const struct hc_edge_in *edges, size_t n_edges,
		  struct hc_move *move)
{
	struct hc_list list;
	int from = HC_NONE, to;

	hc_list_eligible(&list, hubs, n, 0);
	while ((from = next_source(rules, hubs, n, from)) != HC_NONE) {
		to = HC_NONE;
		while ((to = next_target(rules, hubs, n, to)) != HC_NONE) {
			if (!pick_edge(rules, hubs, &list, edges, n_edges, from,
				       to, &move->edge))
				continue;
			move->to = to;
			return true;
		}
	}
	return false;
}

/* -- gateways -- */

int hc_gateway_cmp(const struct hc_gateway_in *a, const struct hc_gateway_in *b)
{
	if (a->preference != b->preference)
		return a->preference < b->preference ? -1 : 1;
	return ctl_id_cmp(&a->id, &b->id);
}

int hc_preferred(const struct hc_gateway_in *gateways, size_t n)
{
	int best = HC_NONE;

	for (size_t i = 0; i < n; i++)
		if (gateways[i].up &&
		    (best == HC_NONE ||
		     hc_gateway_cmp(&gateways[i], &gateways[best]) < 0))
			best = (int)i;
	return best;
}
