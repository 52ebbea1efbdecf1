// SPDX-License-Identifier: GPL-2.0-or-later
#include <zebra.h>

#include <string.h>

#include "memory.h"

#include "vip/bgp_answers.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, BGP_ANSWERS, "Answers of bgpd");

void bgp_answers_clear(struct bgp_answers *answers)
{
	for (size_t i = 0; i < answers->n; i++) {
		bgp_paths_clear(&answers->answers[i].paths);
		bgp_peers_clear(&answers->answers[i].peers);
	}
	XFREE(MTYPE_BGP_ANSWERS, answers->answers);
	memset(answers, 0, sizeof(*answers));
}

static struct bgp_answer *answer_add(struct bgp_answers *answers,
				     const char *vip, const char *vrf)
{
	struct bgp_answer *answer;

	if (answers->n == answers->size) {
		answers->size = 2 * answers->size + 4;
		answers->answers =
			XREALLOC(MTYPE_BGP_ANSWERS, answers->answers,
				 answers->size * sizeof(*answers->answers));
	}
	answer = &answers->answers[answers->n++];
	memset(answer, 0, sizeof(*answer));
	strlcpy(answer->vip, vip, sizeof(answer->vip));
	strlcpy(answer->vrf, vrf, sizeof(answer->vrf));
	return answer;
}

void bgp_answers_address(struct bgp_answers *answers, const char *vip,
			 const char *vrf, const struct ipaddr *addr,
			 enum vip_state state)
{
	struct bgp_answer *answer;

	if (answers->n_addresses == BGP_ANSWERS_ADDRESSES) {
		answers->n_unasked++;
		return;
	}
	answer = answer_add(answers, vip, vrf);
	answer->addr = *addr;
	answer->state = state;
	answers->n_addresses++;
}

static bool vrf_known(const struct bgp_answers *answers, const char *vrf)
{
	for (size_t i = answers->n_addresses; i < answers->n; i++)
		if (!strcmp(answers->answers[i].vrf, vrf))
			return true;
	return false;
}

void bgp_answers_vrfs(struct bgp_answers *answers, const char *vrf)
{
	char name[CLUSTER_VRF_LEN];

	for (size_t i = 0; i < answers->n_addresses; i++) {
		/* A copy: the array moves when it grows. */
		strlcpy(name, answers->answers[i].vrf, sizeof(name));
		if (!vrf_known(answers, name))
			answer_add(answers, "", name);
	}
	if (!answers->n_addresses)
		answer_add(answers, "", vrf);
}

const char *bgp_answers_command(const struct bgp_answers *answers,
				char buf[BGP_QUESTION_LEN])
{
	const struct bgp_answer *answer;

	if (answers->at == answers->n)
		return NULL;
	answer = &answers->answers[answers->at];
	return answer->vip[0]
		       ? bgp_paths_command(answer->vrf, &answer->addr, buf)
		       : bgp_peers_command(answer->vrf, buf);
}

bool bgp_answers_take(struct bgp_answers *answers, const char *text)
{
	struct bgp_answer *answer = &answers->answers[answers->at];
	bool ok;

	if (answer->vip[0])
		ok = bgp_paths_parse(&answer->paths, text,
				     BGP_ANSWERS_PATHS - answers->n_paths);
	else
		ok = bgp_peers_parse(&answer->peers, text,
				     BGP_ANSWERS_PEERS - answers->n_peers);
	if (!ok)
		return false;
	answers->n_paths += answer->paths.n;
	answers->n_peers += answer->peers.n;
	answers->at++;
	return true;
}

/* -- reading -- */

const struct bgp_answer *bgp_answers_vip_next(const struct bgp_answers *answers,
					      const struct bgp_answer *last)
{
	size_t i = last ? (size_t)(last - answers->answers) + 1 : 0;

	while (last && i < answers->n_addresses &&
	       !strcmp(answers->answers[i].vip, last->vip))
		i++;
	return i < answers->n_addresses ? &answers->answers[i] : NULL;
}

const struct bgp_answer *
bgp_answers_address_next(const struct bgp_answers *answers,
			 const struct bgp_answer *vip,
			 const struct bgp_answer *last)
{
	size_t i;

	if (!last)
		return vip;
	i = (size_t)(last - answers->answers) + 1;
	return i < answers->n_addresses &&
			       !strcmp(answers->answers[i].vip, vip->vip)
		       ? &answers->answers[i]
		       : NULL;
}

const struct bgp_answer *bgp_answers_vrf_next(const struct bgp_answers *answers,
					      const struct bgp_answer *last)
{
	size_t i = last ? (size_t)(last - answers->answers) + 1
			: answers->n_addresses;

	return i < answers->n ? &answers->answers[i] : NULL;
}
