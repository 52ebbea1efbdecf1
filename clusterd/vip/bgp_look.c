// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether bgpd has the addresses that are announced: a slow look.  bgp_sight.h
 * decides.
 *
 * That zebra has a route doesn't mean that bgpd takes it: `redistribute` is
 * missing there, or a route-map denies it.  Where a route-map is kept, VIPs are
 * meant to be in BGP.  So bgpd is asked for some addresses every 10 s, one after
 * the other, over a session that is closed in between.  A round that takes
 * longer goes on; when no answer at all comes in that time it is given up, and
 * so is what was known.  Two answers in a row have to say that an address is
 * missing: bgpd may have started a moment ago, and looks at a changed map 5 s
 * later.
 *
 * It is a remark: no decision waits for it, and none follows from it.
 */
#include "cluster_compat.h"

#include "command.h"

#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "vip/bgp_paths.h"
#include "vip/bgp_policy.h"
#include "vip/bgp_session.h"
#include "vip/vip_private.h"

#define LOOK_MS 10000

static struct bgp_round asked;
static int64_t lost_us;	 /* what was said before isn't known any more */
static size_t n_missing; /* as logged last */
static struct event *t_look;

static bool announced(const struct vip_address *address)
{
	return address->state == VIP_ANNOUNCED || address->state == VIP_DRAINING;
}

enum bgp_seen bgp_look(const struct vip_address *address)
{
	return announced(address) && bgp_policy_kept(address->vip->vrf)
		       ? bgp_sight_seen(&address->sight, address->since.us,
					lost_us)
		       : BGP_SEEN_UNKNOWN;
}

void bgp_look_text(const struct vip_address *address, char *buf, size_t len)
{
	const struct bgp_vrf *vrf = bgp_vrf_find(address->vip->vrf);

	snprintf(buf, len,
		 "not in bgpd: VRF %s has no `redistribute %s route-map %s`, or a route-map denies it",
		 address->vip->vrf, cluster_zebra_route_type(),
		 vrf ? vrf->route_map : "");
}

size_t bgp_look_missing(void)
{
	struct vip_address *address;
	struct vip *vip;
	size_t count = 0;

	/* Mostly nothing is kept. */
	if (!bgp_vrfs_count(&bgp_vrfs))
		return 0;
	frr_each (vips, &vips, vip)
		frr_each (vip_addresses, &vip->addresses, address)
			count += bgp_look(address) == BGP_SEEN_NOT;
	return count;
}

static void log_missing(void)
{
	size_t count = bgp_look_missing();

	if (count > n_missing)
		zlog_warn("%zu addresses of VIPs are announced, but bgpd doesn't have them: see `show cluster vip`",
			  count);
	else if (n_missing && !count)
		zlog_notice("bgpd has all addresses that are announced");
	n_missing = count;
}

/* Sends the question that it is the turn of. */
static void ask(struct bgp_session *session,
		const struct bgp_round_question *question)
{
	const struct vip *vip = vip_find(question->vip);
	char command[BGP_QUESTION_LEN];

	/* Of one that has gone meanwhile nobody takes the answer. */
	bgp_session_send(session,
			 bgp_paths_command(vip ? vip->vrf : VIP_DEFAULT_VRF,
					   &question->addr, command));
}

static void answer_take(const struct bgp_round_question *question,
			const char *text)
{
	struct vip *vip = vip_find(question->vip);
	struct vip_address *address =
		vip ? vip_address_find(vip, &question->addr) : NULL;
	struct bgp_paths paths;

	if (!address || !bgp_paths_parse(&paths, text, 0))
		return;
	bgp_sight_take(&address->sight, paths.ours, address->since.us, lost_us,
		       cluster_now_us());
	bgp_paths_clear(&paths);
}

static void answered(struct bgp_session *session, const char *text,
		     uint8_t status)
{
	const struct bgp_round_question *question;

	/* A VRF that has no BGP (any more) is a warning, in JSON. */
	if (status == CMD_SUCCESS || status == CMD_WARNING)
		answer_take(bgp_round_question(&asked), text);
	bgp_round_answered(&asked);
	question = bgp_round_question(&asked);
	if (question) {
		ask(session, question);
		return;
	}
	bgp_session_close(session);
	log_missing();
}

static void lost(struct bgp_session *session)
{
	lost_us = cluster_now_us();
}

static struct bgp_session session = { .answer = answered,
				      .lost = lost,
				      .fd = -1 };

/* -- what is asked -- */

static void collect(bool behind, int64_t now_us)
{
	struct vip_address *address;
	struct vip *vip;

	frr_each (vips, &vips, vip) {
		if (!bgp_policy_kept(vip->vrf))
			continue;
		frr_each (vip_addresses, &vip->addresses, address)
			if (announced(address) &&
			    now_us - address->since.us >= BGP_SIGHT_GRACE_US &&
			    !bgp_round_offer(&asked, behind, vip->name,
					     &address->addr))
				return;
	}
}

static void look_later(void);

static void look(struct event *event)
{
	int64_t now_us = cluster_now_us();

	look_later();
	if (session.fd != -1) {
		if (bgp_round_moves(&asked))
			return;
		/* It hasn't answered in all that time. */
		bgp_session_close(&session);
		lost_us = now_us;
		return;
	}
	if (!bgp_vrfs_count(&bgp_vrfs))
		return;
	bgp_round_begin(&asked);
	collect(true, now_us);
	collect(false, now_us);
	if (!bgp_round_ready(&asked))
		return;
	if (bgp_session_open(&session, NULL))
		ask(&session, bgp_round_question(&asked));
	else
		lost_us = now_us;
}

static void look_later(void)
{
	event_add_timer_msec(cluster_master, look, NULL, LOOK_MS, &t_look);
}

void bgp_look_init(void)
{
	look_later();
}

void bgp_look_fini(void)
{
	cluster_event_off(t_look);
	bgp_session_close(&session);
}
