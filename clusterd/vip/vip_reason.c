// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "printfrr.h"

#include "core/cluster_route.h"
#include "vip/vip_drain.h"
#include "vip/vip_reason.h"

const char *vip_state_name(enum vip_state state)
{
	static const char *const names[VIP_STATE_MAX] = {
		[VIP_WAITING] = "waiting",   [VIP_INVALID] = "invalid",
		[VIP_SHUTDOWN] = "shutdown", [VIP_DRAINED] = "drained",
		[VIP_DOWN] = "down",	     [VIP_HELD] = "held",
		[VIP_PENDING] = "pending",   [VIP_HIDDEN] = "hidden",
		[VIP_REJECTED] = "rejected", [VIP_PARTIAL] = "partial",
		[VIP_DRAINING] = "draining", [VIP_ANNOUNCED] = "announced",
	};

	return names[state];
}

void vip_reason_left(struct vip_reason *reason, int64_t now_us)
{
	int64_t left_us = reason->until_us - now_us;

	if (reason->until_us)
		reason->num = left_us > 0 ? (left_us + 999999) / 1000000 : 0;
}

static const char *drain_cause_text(const struct vip_reason *reason)
{
	static const char *const texts[] = {
		[VIP_DRAIN_NONE] = "drained",
		[VIP_DRAIN_SHUTDOWN] = "shut down by configuration",
		[VIP_DRAIN_COMMAND] = "drained by configuration",
		[VIP_DRAIN_FILE] = "drained, the file that asks for it exists",
		[VIP_DRAIN_EXIT] = "drained, clusterd is about to end",
	};

	return texts[reason->total];
}

static const char *family_name(const struct vip_reason *reason)
{
	return reason->family == IPADDR_V6 ? "IPv6" : "IPv4";
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

const char *vip_reason_text(const struct vip_reason *reason,
			    const struct ipaddr *addr, char *buf, size_t len)
{
	const char *family = family_name(reason);
	const char *ip = addr && IS_IPADDR_V6(addr) ? "ipv6" : "ip";

	switch (reason->why) {
	case VIP_WHY_UNDECIDED:
		snprintf(buf, len,
			 "nothing is decided yet: the configuration is still being read");
		break;
	case VIP_WHY_SHUTDOWN:
		snprintf(buf, len, "shut down by configuration");
		break;
	case VIP_WHY_DRAINED:
		snprintf(buf, len, "%s", drain_cause_text(reason));
		break;
	case VIP_WHY_VIPS_MAX:
		snprintf(buf, len,
			 "%u VIPs are configured, only the first %u in the order of their names are served: remove some",
			 reason->num, VIP_MAX);
		break;
	case VIP_WHY_MEMBERS_MAX:
		snprintf(buf, len,
			 "%u members are configured, at most %u are possible: remove some",
			 reason->num, VIP_MEMBERS_MAX);
		break;
	case VIP_WHY_ADDRESSES_MAX:
		snprintf(buf, len,
			 "%u addresses are configured, at most %u are possible: use another VIP for the rest",
			 reason->num, VIP_ADDRESSES_MAX);
		break;
	case VIP_WHY_NO_ADDRESS:
		snprintf(buf, len, "no address is configured");
		break;
	case VIP_WHY_VRF:
		snprintf(buf, len, "VRF %s is not there", reason->name);
		break;
	case VIP_WHY_NO_MEMBER:
		snprintf(buf, len, "no %s member is configured", family);
		break;
	case VIP_WHY_MIN_UP_NEVER:
		snprintf(buf, len,
			 "it can never come up: min-up is %u, but only %u %s member%s configured",
			 reason->min_up, reason->total, family,
			 reason->total == 1 ? " is" : "s are");
		break;
	case VIP_WHY_TOO_FEW:
		if (reason->min_up > 1)
			snprintf(buf, len,
				 "%u of %u %s member%s up, min-up is %u",
				 reason->num, reason->total, family,
				 plural(reason->total), reason->min_up);
		else
			snprintf(buf, len, "%u of %u %s member%s up",
				 reason->num, reason->total, family,
				 plural(reason->total));
		break;
	case VIP_WHY_UPLINK_ROUTES:
		snprintf(buf, len,
			 "uplink: too few routes learned by BGP in VRF %s",
			 reason->name);
		break;
	case VIP_WHY_UPLINK_PROBE:
		snprintf(buf, len, "uplink: probe %s is not up", reason->name);
		break;
	case VIP_WHY_FLAPPING:
		snprintf(buf, len,
			 "healthy, but flapped too often: held back for another %u s (penalty %u)",
			 reason->num, reason->total);
		break;
	case VIP_WHY_FLIP:
		snprintf(buf, len,
			 "healthy, but went down a moment ago: held back for another %u s",
			 reason->num);
		break;
	case VIP_WHY_HOLD_DOWN:
		snprintf(buf, len,
			 "healthy, but not for long enough: held back for another %u s",
			 reason->num);
		break;
	case VIP_WHY_DRAINING:
		snprintf(buf, len, "%s: withdrawn in %u s",
			 drain_cause_text(reason), reason->num);
		break;
	case VIP_WHY_FAIL_OPEN:
		if (!reason->total) {
			snprintf(buf, len,
				 "fail-open: the check of its service fails, announced all the same");
			break;
		}
		snprintf(buf, len,
			 "fail-open: none of %u %s member%s is up, announced all the same",
			 reason->total, family, plural(reason->total));
		break;
	case VIP_WHY_SLOW_START:
		snprintf(buf, len, "slow start: %u tenths of its weight",
			 reason->num);
		break;
	case VIP_WHY_SHARED:
		snprintf(buf, len,
			 "shared with VIP %s, whose tag, metric and distance are used",
			 reason->name);
		break;
	case VIP_WHY_NEXTHOPS_MAX:
		snprintf(buf, len,
			 "%u next hops in all, only the first %u are used",
			 reason->total, CLUSTER_NEXTHOPS_MAX);
		break;
	case VIP_WHY_OWNED:
		snprintfrr(buf, len,
			   "%pIA is an address of interface %s, whose connected route hides the VIP: remove it there",
			   addr, reason->name);
		break;
	case VIP_WHY_LOCAL:
		snprintfrr(buf, len,
			   "%pIA is an address of interface %s, so that this node takes the packets and not the members: remove it there",
			   addr, reason->name);
		break;
	case VIP_WHY_SERVED_MEMBERS:
		snprintf(buf, len,
			 "it is local and has %u member%s: remove one or the other",
			 reason->num, plural(reason->num));
		break;
	case VIP_WHY_SERVED_VRF:
		snprintf(buf, len,
			 "VRF %s is not a network namespace: a local VIP works only in those and in the default VRF",
			 reason->name);
		break;
	case VIP_WHY_SERVED_WAITING:
		snprintf(buf, len,
			 "the kernel has not confirmed the local route yet");
		break;
	case VIP_WHY_SERVED_FAILED:
		snprintf(buf, len,
			 "the local route can't be set: %s; tried again every 5 s",
			 strerror((int)reason->num));
		break;
	case VIP_WHY_SERVED_OWNED:
		snprintfrr(buf, len,
			   "%pIA is an address of interface %s, so that this node keeps it when the service is down: remove it there",
			   addr, reason->name);
		break;
	case VIP_WHY_ZEBRA:
		snprintf(buf, len, "not connected to zebra");
		break;
	case VIP_WHY_UNSENT:
		snprintf(buf, len,
			 "not sent to zebra yet: it doesn't know an interface of the next hops");
		break;
	case VIP_WHY_PENDING:
		snprintf(buf, len, "sent to zebra, which has not confirmed it");
		break;
	case VIP_WHY_UNCONFIRMED:
		snprintfrr(buf, len,
			   "zebra has not installed the route, probably another one is preferred: see `show %s route %pIA`",
			   ip, addr);
		break;
	case VIP_WHY_BETTER_WON:
		snprintfrr(buf, len,
			   "another route is preferred: see `show %s route %pIA`",
			   ip, addr);
		break;
	case VIP_WHY_FAILED:
		snprintf(buf, len,
			 "the kernel refused the route: see zebra's log");
		break;
	case VIP_WHY_REMOVED:
		snprintf(buf, len,
			 "another program removed the route, it is sent again");
		break;
	case VIP_WHY_OK:
	default:
		if (len)
			buf[0] = '\0';
		break;
	}
	return buf;
}

/* What the probe says by itself may begin with its name. */
static void probe_text(const struct vip_member_facts *facts,
		       const char *otherwise, char *buf, size_t len)
{
	const char *why = facts->probe_why[0] ? facts->probe_why : otherwise;

	if (strncmp(why, "probe ", strlen("probe ")) == 0)
		snprintf(buf, len, "%s", why);
	else
		snprintf(buf, len, "probe %s %s", facts->probe, why);
}

const char *vip_member_text(const struct vip_member_facts *facts, char *buf,
			    size_t len)
{
	switch (facts->why) {
	case VIP_WHY_UNDECIDED:
		snprintf(buf, len,
			 "nothing is decided yet: the configuration is still being read");
		break;
	case VIP_WHY_IS_VIP:
		snprintf(buf, len,
			 "it is an address of this VIP: a member needs one of its own");
		break;
	case VIP_WHY_LINK_LOCAL:
		snprintf(buf, len, "a link-local address needs an interface");
		break;
	case VIP_WHY_VRF:
		snprintf(buf, len, "VRF %s is not there", facts->vrf);
		break;
	case VIP_WHY_MEMBER_DRAIN:
		snprintf(buf, len, "drained by configuration");
		break;
	case VIP_WHY_PROBE_UNKNOWN:
		probe_text(facts, "is not configured", buf, len);
		break;
	case VIP_WHY_PROBE_DOWN:
		probe_text(facts, "down", buf, len);
		break;
	case VIP_WHY_UNRESOLVED:
		snprintf(buf, len, "zebra has no route to it");
		break;
	case VIP_WHY_INTERFACE:
		snprintf(buf, len, "interface %s is down or not there",
			 facts->ifname);
		break;
	case VIP_WHY_ZEBRA:
		snprintf(buf, len, "not connected to zebra");
		break;
	default:
		if (len)
			buf[0] = '\0';
		break;
	}
	return buf;
}

bool vip_is_link_local(const struct ipaddr *addr)
{
	return IS_IPADDR_V6(addr) && IN6_IS_ADDR_LINKLOCAL(&addr->ipaddr_v6);
}

/* What neither a VIP nor a next hop can be. */
static const char *unicast_flaw(const struct ipaddr *addr)
{
	uint32_t v4;

	switch (addr->ipa_type) {
	case IPADDR_V4:
		v4 = ntohl(addr->ipaddr_v4.s_addr);
		if ((v4 >> 24) == 0)
			return "is not the address of a host";
		if ((v4 >> 24) == 127)
			return "is a loopback address";
		if ((v4 >> 28) == 14)
			return "is a multicast address";
		if (v4 == UINT32_MAX)
			return "is the broadcast address";
		if ((v4 >> 28) == 15)
			return "is a reserved address";
		return NULL;
	case IPADDR_V6:
		if (IN6_IS_ADDR_UNSPECIFIED(&addr->ipaddr_v6))
			return "is not the address of a host";
		if (IN6_IS_ADDR_LOOPBACK(&addr->ipaddr_v6))
			return "is a loopback address";
		if (IN6_IS_ADDR_MULTICAST(&addr->ipaddr_v6))
			return "is a multicast address";
		if (IN6_IS_ADDR_V4MAPPED(&addr->ipaddr_v6))
			return "is an IPv4-mapped address";
		return NULL;
	default:
		return "is not an address";
	}
}

const char *vip_address_flaw(const struct ipaddr *addr)
{
	const char *flaw = unicast_flaw(addr);

	if (!flaw && (vip_is_link_local(addr) ||
		      (IS_IPADDR_V4(addr) &&
		       (ntohl(addr->ipaddr_v4.s_addr) >> 16) == 0xa9fe)))
		flaw = "is a link-local address";
	return flaw;
}

const char *vip_member_flaw(const struct ipaddr *addr)
{
	return unicast_flaw(addr);
}
