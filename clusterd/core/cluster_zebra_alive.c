// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does zebra answer?
 *
 * One that hangs keeps the connection, and every route that it was told to
 * withdraw.  It answers messages in their order, so a question waits behind all
 * that it has to do before.
 *
 * The question is where the next hop 0.0.0.0 is, which nobody can have: zebra
 * answers each registration, whatever the node has.  (For a router ID it
 * says nothing while there is none, as on nodes without IPv4.)  It is taken back
 * with the answer, so that no change of a default route looks like one.
 */
#include "cluster_compat.h"

#include "prefix.h"

#include "core/cluster_zebra_private.h"
#include "core/silence.h"

static struct silence silence;

static void send_question(struct zclient *zclient, int command)
{
	struct prefix nobody = {
		.family = AF_INET,
		.prefixlen = IPV4_MAX_BITLEN,
	};

	zclient_send_rnh(zclient, command, &nobody, SAFI_UNICAST, false, false,
			 VRF_DEFAULT);
}

void zebra_alive_poll(int64_t now_us)
{
	struct zclient *zclient = zebra_client();

	if (zclient && silence_poll(&silence, now_us))
		send_question(zclient, ZEBRA_NEXTHOP_REGISTER);
}

bool zebra_alive_heard(const struct vrf *vrf, const struct prefix *match)
{
	if (vrf->vrf_id != VRF_DEFAULT || match->family != AF_INET ||
	    match->prefixlen != IPV4_MAX_BITLEN ||
	    match->u.prefix4.s_addr != INADDR_ANY)
		return false;
	if (silence_heard(&silence) && zebra_client())
		send_question(zebra_client(), ZEBRA_NEXTHOP_UNREGISTER);
	return true;
}

void zebra_alive_lost(void)
{
	silence_lost(&silence);
}

bool zebra_alive_asked(void)
{
	return silence_asked(&silence);
}

int64_t zebra_silent_us(int64_t now_us)
{
	return silence_us(&silence, now_us);
}
