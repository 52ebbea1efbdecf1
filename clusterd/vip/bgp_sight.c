// SPDX-License-Identifier: GPL-2.0-or-later
#include <zebra.h>

#include <string.h>

#include "vip/bgp_sight.h"

static bool fresh(const struct bgp_sight *sight, int64_t since_us,
		  int64_t lost_us)
{
	return sight->looked_us > since_us && sight->looked_us > lost_us;
}

enum bgp_seen bgp_sight_seen(const struct bgp_sight *sight, int64_t since_us,
			     int64_t lost_us)
{
	if (!fresh(sight, since_us, lost_us))
		return BGP_SEEN_UNKNOWN;
	if (!sight->missing)
		return BGP_SEEN_YES;
	return sight->missing < BGP_SIGHT_MISSING ? BGP_SEEN_UNKNOWN
						  : BGP_SEEN_NOT;
}

void bgp_sight_take(struct bgp_sight *sight, bool has, int64_t since_us,
		    int64_t lost_us, int64_t now_us)
{
	if (has || !fresh(sight, since_us, lost_us))
		sight->missing = 0;
	if (!has && sight->missing < BGP_SIGHT_MISSING)
		sight->missing++;
	sight->looked_us = now_us;
}

void bgp_round_begin(struct bgp_round *round)
{
	round->n = round->at = round->at_checked = 0;
}

static bool is_behind(const struct bgp_round_question *after, const char *vip,
		      const struct ipaddr *addr)
{
	int order = strcmp(vip, after->vip);

	return order ? order > 0 : ipaddr_cmp(addr, &after->addr) > 0;
}

bool bgp_round_offer(struct bgp_round *round, bool behind, const char *vip,
		     const struct ipaddr *addr)
{
	struct bgp_round_question *question;

	if (round->n == BGP_ROUND_MAX)
		return false;
	if (is_behind(&round->after, vip, addr) != behind)
		return true;
	question = &round->questions[round->n++];
	strlcpy(question->vip, vip, sizeof(question->vip));
	question->addr = *addr;
	return true;
}

bool bgp_round_ready(struct bgp_round *round)
{
	if (!round->n)
		return false;
	round->after = round->questions[round->n - 1];
	return true;
}

const struct bgp_round_question *bgp_round_question(const struct bgp_round *round)
{
	return round->at < round->n ? &round->questions[round->at] : NULL;
}

void bgp_round_answered(struct bgp_round *round)
{
	round->at++;
}

bool bgp_round_moves(struct bgp_round *round)
{
	bool moves = round->at != round->at_checked;

	round->at_checked = round->at;
	return moves;
}
