/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of VIPs and the reasons for them, as data and as text (pure).
 */
#ifndef CLUSTER_VIP_REASON_H
#define CLUSTER_VIP_REASON_H

#include <stdbool.h>
#include <stdint.h>

#include "ipaddr.h"

/* More is accepted from a configuration file, and shown as invalid. */
#define VIP_MAX		  16384
#define VIP_MEMBERS_MAX	  256 /* of a VIP */
#define VIP_ADDRESSES_MAX 256 /* of a VIP */
#define VIP_NAME_LEN	  64  /* with the NUL */

/* The state that people see: the decision, and what zebra made of it. */
enum vip_state {
	VIP_WAITING, /* something that the route needs isn't there yet */
	VIP_INVALID,
	VIP_SHUTDOWN,
	VIP_DRAINED,
	VIP_DOWN,
	VIP_HELD,     /* healthy, but held back */
	VIP_PENDING,  /* sent, not confirmed */
	VIP_HIDDEN,   /* another route is preferred */
	VIP_REJECTED, /* by the kernel */
	VIP_PARTIAL,  /* VIPs only: some of the addresses are announced */
	VIP_DRAINING, /* announced, to be withdrawn */
	VIP_ANNOUNCED,
	VIP_STATE_MAX,
};

/* "announced", ... */
extern const char *vip_state_name(enum vip_state state);

/* Why something is as it is; the parameters are in struct vip_reason. */
enum vip_why {
	VIP_WHY_OK,
	VIP_WHY_UNDECIDED, /* the first decision has yet to come */
	/* a VIP; its addresses */
	VIP_WHY_SHUTDOWN,
	VIP_WHY_DRAINED,       /* total: enum vip_drain_cause */
	VIP_WHY_VIPS_MAX,      /* num: number of VIPs */
	VIP_WHY_MEMBERS_MAX,   /* num: number of members */
	VIP_WHY_ADDRESSES_MAX, /* num: number of addresses */
	VIP_WHY_NO_ADDRESS,
	/* an address */
	VIP_WHY_VRF,	       /* name: VRF */
	VIP_WHY_NO_MEMBER,     /* family */
	VIP_WHY_MIN_UP_NEVER,  /* family, total, min_up */
	VIP_WHY_TOO_FEW,       /* family, num: up, total, min_up */
	VIP_WHY_UPLINK_ROUTES, /* name: VRF */
	VIP_WHY_UPLINK_PROBE,
	VIP_WHY_FLAPPING,     /* until_us, num: seconds left, total: penalty */
	VIP_WHY_FLIP,	      /* until_us, num */
	VIP_WHY_HOLD_DOWN,    /* until_us, num */
	VIP_WHY_DRAINING,     /* until_us, num, total: enum vip_drain_cause */
	VIP_WHY_FAIL_OPEN,    /* family, total; total 0: served here */
	VIP_WHY_SLOW_START,   /* num: tenths of the weight */
	VIP_WHY_SHARED,	      /* name: the VIP that gives the attributes */
	VIP_WHY_NEXTHOPS_MAX, /* total: next hops without the limit */
	VIP_WHY_OWNED,	      /* name: interface; hides the route */
	VIP_WHY_LOCAL,	      /* name: interface; takes the packets */
	/* an address of a VIP that is served on this node */
	VIP_WHY_SERVED_MEMBERS, /* num: members, which it can't have */
	VIP_WHY_SERVED_VRF,	/* name: VRF, no network namespace */
	VIP_WHY_SERVED_WAITING,
	VIP_WHY_SERVED_FAILED, /* num: errno */
	VIP_WHY_SERVED_OWNED,  /* name: interface; keeps it when it is down */
	/* an address that is wanted: zebra's part */
	VIP_WHY_ZEBRA, /* not connected */
	VIP_WHY_UNSENT,
	VIP_WHY_PENDING,
	VIP_WHY_UNCONFIRMED,
	VIP_WHY_BETTER_WON,
	VIP_WHY_FAILED,
	VIP_WHY_REMOVED,
	/* a member */
	VIP_WHY_IS_VIP,
	VIP_WHY_LINK_LOCAL,
	VIP_WHY_MEMBER_DRAIN,
	VIP_WHY_PROBE_UNKNOWN,
	VIP_WHY_PROBE_DOWN,
	VIP_WHY_UNRESOLVED,
	VIP_WHY_INTERFACE,
	VIP_WHY_MAX,
};

struct vip_reason {
	enum vip_why why;
	enum ipaddr_type_t family;
	uint32_t num, total, min_up;
	int64_t until_us; /* monotonic; 0: no end is known */
	char name[VIP_NAME_LEN];
};

/*
 * Sets the seconds that are left in `num` of a reason that has an end: to be
 * done before it becomes a text, since a reason is kept for longer.
 */
extern void vip_reason_left(struct vip_reason *reason, int64_t now_us);

/*
 * A VIP's or address's reason as a text without a full stop, "" for
 * VIP_WHY_OK.  `addr`: the address, NULL for a VIP.  Returns `buf`.
 */
extern const char *vip_reason_text(const struct vip_reason *reason,
				   const struct ipaddr *addr, char *buf,
				   size_t len);

/* What there is to say about a member. */
struct vip_member_facts {
	enum vip_why why;
	const char *vrf;
	const char *ifname;    /* "": none */
	const char *probe;     /* its probe's name, or "" */
	const char *probe_why; /* the probe's own reason, or "" */
};

extern const char *vip_member_text(const struct vip_member_facts *facts,
				   char *buf, size_t len);

/*
 * What is wrong with an address in itself, as a VIP's or as a member's.
 * Returns NULL if nothing is, else a text that goes on after the address,
 * such as "is a multicast address".
 */
extern const char *vip_address_flaw(const struct ipaddr *addr);
extern const char *vip_member_flaw(const struct ipaddr *addr);

/* IPv6 link-local: means nothing without an interface. */
extern bool vip_is_link_local(const struct ipaddr *addr);

#endif /* CLUSTER_VIP_REASON_H */
