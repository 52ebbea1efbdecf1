/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One round of questions to bgpd, and its answers (pure): who else announces the
 * VIPs, and the sessions of their VRFs.  `show cluster bgp peers` and the
 * operational data read the same answers.
 *
 * What others announce is bounded: so many paths and sessions are kept of all
 * answers together, the others are only counted.
 */
#ifndef CLUSTER_BGP_ANSWERS_H
#define CLUSTER_BGP_ANSWERS_H

#include "vip/bgp_paths.h"
#include "vip/vip_reason.h"

#define BGP_ANSWERS_ADDRESSES 1000 /* that are asked for */
#define BGP_ANSWERS_PATHS     8192
#define BGP_ANSWERS_PEERS     4096

struct bgp_answer {
	char vip[VIP_NAME_LEN]; /* "": the sessions of the VRF */
	char vrf[CLUSTER_VRF_LEN];

	/* of a VIP */
	struct ipaddr addr;
	enum vip_state state; /* here, when it was asked */
	struct bgp_paths paths;

	/* of a VRF */
	struct bgp_peers peers;
};

/* {} is empty. */
struct bgp_answers {
	/* Addresses of one VIP are neighbours; VRFs come behind all of them. */
	struct bgp_answer *answers;
	size_t n, size;
	size_t n_addresses;
	size_t n_unasked; /* addresses, for which there was no room */
	size_t at;	  /* the question that is to be answered now */

	size_t n_paths, n_peers; /* that are kept */
};

/* Frees all; it is empty then. */
extern void bgp_answers_clear(struct bgp_answers *answers);

/* Questions: addresses, VIP by VIP, then once the VRFs of these addresses. */
extern void bgp_answers_address(struct bgp_answers *answers, const char *vip,
				const char *vrf, const struct ipaddr *addr,
				enum vip_state state);
/* `vrf`: the one to be asked about when there is no address. */
extern void bgp_answers_vrfs(struct bgp_answers *answers, const char *vrf);

/* The next command for bgpd; NULL: there are all answers. */
extern const char *bgp_answers_command(const struct bgp_answers *answers,
				       char buf[BGP_QUESTION_LEN]);
/* bgpd's answer to it.  False: it is none; nothing is kept of it. */
extern bool bgp_answers_take(struct bgp_answers *answers, const char *text);

/*
 * What follows `last` (NULL: the first), NULL at the end: VIPs, each with its
 * first address; addresses of one VIP; VRFs.
 */
extern const struct bgp_answer *
bgp_answers_vip_next(const struct bgp_answers *answers,
		     const struct bgp_answer *last);
extern const struct bgp_answer *
bgp_answers_address_next(const struct bgp_answers *answers,
			 const struct bgp_answer *vip,
			 const struct bgp_answer *last);
extern const struct bgp_answer *
bgp_answers_vrf_next(const struct bgp_answers *answers,
		     const struct bgp_answer *last);

#endif /* CLUSTER_BGP_ANSWERS_H */
