// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "vip/bgp_ask.h"
#include "vip/vip_private.h"

static void finish(struct bgp_ask *ask, const char *why)
{
	cluster_event_off(ask->t_give_up);
	bgp_session_close(&ask->session);
	ask->done(ask, why);
}

static void give_up(struct event *event)
{
	finish(EVENT_ARG(event), "bgpd doesn't answer: it is busy, or hangs");
}

static void ask_next(struct bgp_ask *ask)
{
	char buf[BGP_QUESTION_LEN];
	const char *command = bgp_answers_command(&ask->answers, buf);

	if (command)
		bgp_session_send(&ask->session, command);
	else
		finish(ask, NULL);
}

static void answered(struct bgp_session *session, const char *text,
		     uint8_t status)
{
	struct bgp_ask *ask = container_of(session, struct bgp_ask, session);

	/* A VRF that has no BGP is a warning, in JSON. */
	if ((status != CMD_SUCCESS && status != CMD_WARNING) ||
	    !bgp_answers_take(&ask->answers, text))
		finish(ask, "bgpd's answer is not understood");
	else
		ask_next(ask);
}

static void lost(struct bgp_session *session)
{
	finish(container_of(session, struct bgp_ask, session),
	       "bgpd has ended the session");
}

void bgp_ask_init(struct bgp_ask *ask, const struct vip *one,
		  void (*done)(struct bgp_ask *ask, const char *why))
{
	struct vip_address *address;
	struct vip *vip;

	ask->done = done;
	ask->session.answer = answered;
	ask->session.lost = lost;
	ask->session.fd = -1;
	frr_each (vips, &vips, vip)
		if (!one || one == vip)
			frr_each (vip_addresses, &vip->addresses, address)
				bgp_answers_address(&ask->answers, vip->name,
						    vip->vrf, &address->addr,
						    address->state);
	bgp_answers_vrfs(&ask->answers, one ? one->vrf : VIP_DEFAULT_VRF);
}

const char *bgp_ask_begin(struct bgp_ask *ask)
{
	if (!bgp_session_open(&ask->session, NULL))
		return "bgpd can't be reached: is it running?";
	event_add_timer_msec(cluster_master, give_up, ask, BGP_ASK_MS,
			     &ask->t_give_up);
	ask_next(ask);
	return NULL;
}

void bgp_ask_end(struct bgp_ask *ask)
{
	cluster_event_off(ask->t_give_up);
	bgp_session_close(&ask->session);
	bgp_answers_clear(&ask->answers);
}
