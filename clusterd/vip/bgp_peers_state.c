// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "vip/bgp_ask.h"
#include "vip/bgp_peers_state.h"

#define WHY_ASKING                                                             \
	"bgpd is asked since this is read: read it again, in a second or so"
#define WHY_MANY                                                               \
	"more addresses are configured than bgpd is asked for: `show cluster bgp peers NAME` asks for those of a VIP"

static struct bgp_peers_state state = { .why = WHY_ASKING };
static struct bgp_ask round_ask = { .session.fd = -1 };
static int64_t read_us; /* by the last reader */
static struct event *t_round;

static void forget(enum bgp_peers_status status, const char *why)
{
	bgp_answers_clear(&state.answers);
	state.status = status;
	state.why = why;
}

static void done(struct bgp_ask *ask, const char *why)
{
	/* What was true before may not be: nothing is said rather than that. */
	forget(BGP_PEERS_FAILED, why);
	if (!why) {
		state.status = BGP_PEERS_ANSWERED;
		state.why = ask->answers.n_unasked ? WHY_MANY : "";
		state.answers = ask->answers;
		state.answered_us = cluster_now_us();
		state.answered_wall = time(NULL);
		memset(&ask->answers, 0, sizeof(ask->answers));
	}
	bgp_ask_end(ask);
}

/* The one before has ended: BGP_ASK_MS are less. */
static void next_round(struct event *event)
{
	const char *why;

	if (cluster_now_us() - read_us > BGP_PEERS_READ_US) {
		forget(BGP_PEERS_ASKING, WHY_ASKING);
		return;
	}
	event_add_timer_msec(cluster_master, next_round, NULL,
			     BGP_PEERS_ROUND_MS, &t_round);
	bgp_ask_init(&round_ask, NULL, done);
	why = bgp_ask_begin(&round_ask);
	if (why)
		done(&round_ask, why);
}

const struct bgp_peers_state *bgp_peers_read(void)
{
	read_us = cluster_now_us();
	/* Not from within what the reader is doing. */
	if (!t_round)
		event_add_event(cluster_master, next_round, NULL, 0, &t_round);
	return &state;
}

void bgp_peers_state_fini(void)
{
	cluster_event_off(t_round);
	bgp_ask_end(&round_ask);
	forget(BGP_PEERS_ASKING, WHY_ASKING);
}
