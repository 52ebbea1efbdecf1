/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks bgpd who else announces the VIPs: one question after the other, over a
 * session of its own, until there are all answers or the time is over.
 */
#ifndef CLUSTER_BGP_ASK_H
#define CLUSTER_BGP_ASK_H

#include "vip/bgp_answers.h"
#include "vip/bgp_session.h"

struct vip;

/* So long bgpd may take for all answers together. */
#define BGP_ASK_MS 5000

/* Part of its user's; zero but for `done` before bgp_ask_init(). */
struct bgp_ask {
	/*
	 * All answers are there; or not, and `why` is a text of static storage.
	 * Called from the event loop only; bgp_ask_end() may follow.
	 */
	void (*done)(struct bgp_ask *ask, const char *why);

	struct bgp_answers answers;
	struct bgp_session session;
	struct event *t_give_up;
};

/* The questions, about this VIP, or all; nothing is sent yet. */
extern void bgp_ask_init(struct bgp_ask *ask, const struct vip *one,
			 void (*done)(struct bgp_ask *ask, const char *why));
/* NULL: `done` will be called; otherwise why it won't. */
extern const char *bgp_ask_begin(struct bgp_ask *ask);
/* At any time: frees the answers, `done` isn't called any more. */
extern void bgp_ask_end(struct bgp_ask *ask);

#endif /* CLUSTER_BGP_ASK_H */
