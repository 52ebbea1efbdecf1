/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision about VIPs (pure): which host routes are wanted, and why the
 * others are not.
 *
 * Everything that counts is handed in, plain data comes out.  The result
 * depends on the set of VIPs, members and addresses only, not on the order in
 * which they are given; and on what a VIP remembers (struct vip_life) of how
 * it flapped and drains, which comes in and goes out with it.
 *
 * A VIP as a whole, the first rule that applies:
 *   V1  past the 16,384th VIP by name                           invalid
 *   V2  more than 256 members, or more than 256 addresses       invalid
 *   V3  drained (vip_drain.h)                       shutdown or drained
 *   V4  no address                                              down
 *   V5  local, and members as well                              invalid
 *
 * A member counts unless one of these applies, the first one is shown:
 *   M1  its address is one of the VIP's own
 *   M2  an IPv6 link-local address without an interface
 *   M3  the VRF isn't there
 *   M4  it drains
 *   M5  its probe isn't known
 *   M6  its probe is down
 *   M7  with an interface: that one is down; else: zebra can't resolve it
 *
 * An address, the first rule that applies (members: of its family only):
 *   A1  V1, V2, V3 or V5 hit the VIP                            as the VIP
 *   A2  the VRF isn't there                                     waiting
 *   A3  no member                                               down
 *   A4  min-up is larger than the number of members             down
 *   A5  the uplink's condition isn't met                        down
 *   A6  fewer members count than min-up                         down
 *       - but with fail-open, if none counts and the address was wanted: go
 *         on with those that only their probe (M6) keeps from counting
 *   A7  held back by damping (vip_damping.h)                    held
 *   A8  else: it is wanted, with the members that count as next hops
 * An address of a local VIP (no members, served on this node), instead of A3,
 * A4 and A6 (vip_served.h):
 *   L1  its probe isn't known                                   down
 *   L2  its probe is down                                       down
 *       - but with fail-open, if the address was wanted, and none of its family
 *         to which L2 doesn't apply is (held by A7, say): go on
 *   L3  the kernel hasn't confirmed the local route             waiting
 *   L4  else: it is wanted, by interface lo
 * Its local route is wanted unless L1 or L2 apply; or although they do, when
 * the probe checks the address itself: without the route nobody on this node
 * could, and another node's service would answer.  A2 leaves it alone while it
 * is only zebra that went away: bgpd may go on announcing the address.
 * For damping A5, A6, L1 and L2 are failures; the others are not, and neither
 * is A6 if only the members that drain are missing.  While it is only zebra that
 * went away (A2), or the kernel is waited for (L3), nothing is forgotten: what
 * failed open goes on afterwards, a weight grows on, and so does the time for
 * which something is healthy.  With members the addresses of a family come and
 * go together and are damped together; those of a local VIP each by itself.
 * An address that an interface owns is wanted all the same: its connected
 * route hides ours if it is a host route, and this node takes the packets
 * itself if it is not; either is shown with the interface's name.
 *
 * The routes:
 *   R1  one for each (VRF, address) that at least one VIP wants; sorted
 *       Those that drain don't count if there are others.
 *   R2  tag, metric and distance of the first VIP, by name, that wants it
 *   R3  next hops: of all the VIPs that want it.  Equal ones (gateway and
 *       interface) become one with the largest of the weights: the routes of
 *       two equal VIPs are the route of one.  Only the ratio of the weights
 *       within a route matters, so that they are not added up or scaled.
 *   R4  at most 256 next hops: the first ones by cluster_nexthop_cmp()
 * The local routes: one for each (VRF, address) for which a VIP wants it, held
 * for the longest of their times.
 */
#ifndef CLUSTER_VIP_DECIDE_H
#define CLUSTER_VIP_DECIDE_H

#include "core/cluster_route.h"
#include "core/local_table.h"
#include "vip/vip_damping.h"
#include "vip/vip_drain.h"
#include "vip/vip_policy.h"
#include "vip/vip_reason.h"

enum vip_probe_state {
	VIP_PROBE_NONE, /* the member has no probe: it needs none */
	VIP_PROBE_UNKNOWN,
	VIP_PROBE_DOWN,
	VIP_PROBE_UP,
};

/* A member's configuration, and what is known about it. */
struct vip_member_in {
	struct ipaddr addr;
	char ifname[CLUSTER_IFNAME_LEN]; /* "": zebra resolves the address */
	uint8_t weight;			 /* 1..255 */
	enum vip_probe_state probe;
	bool reachable; /* interface up, or without one: resolved by zebra */
	bool drain;	/* by configuration */
};

/* A condition for announcing that isn't about the members. */
enum vip_uplink {
	VIP_UPLINK_OK, /* or none is configured */
	VIP_UPLINK_ROUTES,
	VIP_UPLINK_PROBE,
};

/*
 * What a VIP remembers from decision to decision, all zero in the beginning.
 * vip_decide() takes it in `vip_in` and gives what it has become in `vip_out`;
 * asked again at the same time it changes nothing more.
 */
struct vip_life {
	struct vip_drain drain;
	struct vip_damping damping[2]; /* IPv4, IPv6; with members */
	bool announced;
};

/* What is known about an address of a local VIP. */
struct vip_local_in {
	enum vip_probe_state probe;
	bool probed_itself; /* the probe's target is the address */
	enum local_status status;
	int error;		    /* errno of LOCAL_FAILED */
	struct vip_damping damping; /* as of the last decision */
};

struct vip_in {
	const char *name; /* unique */
	const char *vrf;  /* "default" or a name, < CLUSTER_VRF_LEN */
	bool vrf_ready;
	bool vrf_known; /* or was, before zebra went away */
	uint32_t tag;
	uint32_t metric;
	uint8_t distance;
	const struct vip_attributes *attributes; /* NULL: none */
	uint16_t min_up;
	bool fail_open;
	enum vip_uplink uplink;
	const char *uplink_probe; /* its name */
	enum vip_drain_cause drain;
	int64_t drain_us; /* from the cause to the withdrawal */
	const struct vip_damping_config *damping;
	const struct vip_life *life;
	size_t n_members, n_addresses;
	const struct vip_member_in *members;
	const struct ipaddr *addresses;
	bool local;
	uint32_t local_hold_ms;
	const struct vip_local_in *locals; /* parallel to addresses, if local */
};

/* What was decided about an address. */
struct vip_address_out {
	bool wanted;
	bool draining;	     /* wanted for a while */
	bool local_wanted;   /* its local route is */
	uint8_t ramp;	     /* weight in tenths */
	uint16_t n_nexthops; /* of the route, 0 if it is not wanted */
	struct vip_reason reason;
};

/* ...about a VIP: parallel to struct vip_in, members and addresses as well. */
struct vip_out {
	struct vip_reason reason; /* V1..V5, or VIP_WHY_OK */
	struct vip_life life;	  /* what it remembers from now on */
	uint32_t n_up;		  /* members that count */
	const uint8_t *members;	  /* enum vip_why; VIP_WHY_OK: it counts */
	const struct vip_address_out *addresses;
	/* What the addresses of a local VIP remember; NULL: it has members. */
	const struct vip_damping *dampings;
};

/* Valid until the next vip_decide() with the same plan. */
struct vip_plan {
	const struct cluster_route *routes;
	size_t n_routes;
	const struct local_want *locals; /* sorted, without duplicates */
	size_t n_locals;
	const struct vip_out *vips;
	size_t n_vips;
	int64_t next_us; /* when time alone changes the plan; 0: never */
};

/* A plan owns the memory that a decision needs, and keeps it for the next. */
extern struct vip_plan *vip_plan_new(void);
extern void vip_plan_free(struct vip_plan **plan);

/*
 * `now_us`: monotonic, never going back.  O(n log n) in the number of members
 * and addresses.
 */
extern void vip_decide(struct vip_plan *plan, const struct vip_in *const *vips,
		       size_t n_vips, int64_t now_us);

/*
 * The `nth` (from 0) of the VIPs in the plan that have this address, wanted or
 * not; NULL: there is no more.  One that has it twice comes twice.  O(log n).
 */
extern const struct vip_in *
vip_plan_claimant(const struct vip_plan *plan,
		  const struct cluster_route_key *key, size_t nth);

/*
 * Of the routes of `before` those that are left when `now` is decided without
 * the VIPs whose configuration may be half a one: as they were where such a VIP
 * has the address; elsewhere as in `now`, or gone if nobody wants them there.
 * `routes` has room for all; how many are left.  The VIPs of `before` need not
 * be there any more.
 */
extern size_t vip_plan_left(const struct vip_plan *before,
			    const struct vip_plan *now,
			    struct cluster_route *routes);

/* The same of the local routes. */
extern size_t vip_plan_locals_left(const struct vip_plan *before,
				   const struct vip_plan *now,
				   struct local_want *locals);

/* What zebra says of an address. */
struct vip_address_facts {
	bool zebra_connected;
	enum cluster_route_status status;
	bool local;	   /* served on this node */
	const char *owner; /* the interface that owns the address, or NULL */
	bool overdue;	   /* PENDING for longer than an answer takes */
	enum vip_state before;
};

/*
 * An address's state.  `reason` gets the decision's reason, or zebra's part.
 *
 * zebra doesn't say that another route is preferred if ours never was: then
 * its answer is overdue.  While a route that is hidden or was rejected is sent
 * again it stays so, until zebra says something else.
 */
extern enum vip_state vip_address_state(const struct vip_address_out *out,
					const struct vip_address_facts *facts,
					struct vip_reason *reason);

/*
 * A VIP's state from those of its addresses: draining if any is, announced or
 * partial if any is announced, else the one that says most about what to do.
 * `culprit` gets the index of the address that explains the state, or -1 if
 * there is none.
 */
extern enum vip_state vip_state_of(const struct vip_reason *vip,
				   const enum vip_state *addresses,
				   size_t n_addresses, int *culprit);

#endif /* CLUSTER_VIP_DECIDE_H */
