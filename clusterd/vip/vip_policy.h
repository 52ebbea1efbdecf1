/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a VIP is announced with, and the tag that says so (pure).
 *
 * bgpd learns of a route's attributes by the route's tag: an entry of the
 * route-map at `redistribute` matches the tag and sets them.  State changes
 * (drain, slow start) have to travel with the route, since bgpd looks again at
 * a changed route-map only 5 s later: so each phase has a tag of its own, and
 * the entries of all the phases are in the map beforehand (vip/bgp_policy.h).
 *
 * The tags:
 *   - a VIP without attributes has its configured tag (84 by default), while
 *     it drains its drain-tag (85 by default);
 *   - one with attributes has a tag made of their content: bit 31 is set, 27
 *     bits are a hash, the last 4 are the phase (0: normal, 1..9: tenths of the
 *     weight, 15: draining).  So the same attributes have the same tag on each
 *     node and after each restart, and no VIP changes the tag of another.
 *
 * Two sets with the same hash (n sets: a chance of n * n in 2^28) are told
 * apart by vip_policy_resolve(): the second one in the order of
 * vip_attributes_cmp() takes its next hash.
 *
 * The MED is the route's metric: vip_policy_metric().
 */
#ifndef CLUSTER_VIP_POLICY_H
#define CLUSTER_VIP_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIP_DEFAULT_TAG	      84
#define VIP_DEFAULT_DRAIN_TAG 85

/* Derived tags are VIP_TAG_DERIVED..4294967295. */
#define VIP_TAG_DERIVED 0x80000000U

#define VIP_COMMUNITIES_MAX	32    /* of each kind */
#define VIP_LINK_BANDWIDTH_MAX	25600 /* Mbit/s, as bgpd's */
#define VIP_COMMUNITY_LEN	32
#define VIP_LARGE_COMMUNITY_LEN 33
#define VIP_COMMUNITY_GSHUT	0xFFFF0000U /* 65535:0, RFC 8326 */
#define VIP_METRIC_WORST	UINT32_MAX
#define VIP_RAMP_FULL		10

struct vip_large_community {
	uint32_t global, local1, local2; /* RFC 8092 */
};

/* Communities are sorted, without duplicates: see vip_community_add(). */
struct vip_attributes {
	uint32_t drain_tag; /* 0: the default; counts without attributes only */
	bool has_local_preference;
	uint32_t local_preference;
	uint16_t link_bandwidth; /* Mbit/s; 0: none */
	uint8_t variant;	 /* by vip_policy_resolve() */
	uint32_t base; /* likewise: the normal phase's tag; 0: not known */
	uint8_t n_communities, n_large_communities;
	uint32_t communities[VIP_COMMUNITIES_MAX];
	struct vip_large_community large_communities[VIP_COMMUNITIES_MAX];
};

/* {} is not a phase: VIP_PHASE_NORMAL is. */
struct vip_phase {
	bool draining;
	uint8_t ramp; /* slow start: tenths of full weight, 1..10; 10: full */
};

#define VIP_PHASE_NORMAL                                                       \
	((struct vip_phase){ .draining = false, .ramp = VIP_RAMP_FULL })

/* Nothing to be set: no attribute (the drain-tag is none).  NULL: none. */
extern bool vip_attributes_empty(const struct vip_attributes *attributes);

/* A total order of contents; drain-tag and variant don't count.  Not NULL. */
extern int vip_attributes_cmp(const struct vip_attributes *a,
			      const struct vip_attributes *b);

/*
 * The tag of a route.  `attributes` may be NULL; a ramp out of its range counts
 * as the next one in it.  Slow start is a phase of the tag only with a
 * link-bandwidth (else of the metric), and a draining VIP has no ramp.
 */
extern uint32_t vip_policy_tag(const struct vip_attributes *attributes,
			       uint32_t configured_tag,
			       const struct vip_phase *phase);

/*
 * The metric of a route, which becomes its MED: the worst one while it drains.
 * Slow start without a link-bandwidth: one worse than configured up to the end,
 * and not by steps: with two nodes in slow start all the traffic would change
 * sides at each step.
 */
extern uint32_t vip_policy_metric(const struct vip_attributes *attributes,
				  uint32_t configured_metric,
				  const struct vip_phase *phase);

/* The link-bandwidth of a phase, Mbit/s, at least 1; 0: none. */
extern uint16_t vip_policy_bandwidth(const struct vip_attributes *attributes,
				     const struct vip_phase *phase);

/*
 * The phases whose tags differ, for an entry of the route-map each: 2, or 11
 * with a link-bandwidth.  `phases` has room for VIP_PHASES_MAX.
 */
#define VIP_PHASES_MAX 11
extern size_t vip_policy_phases(const struct vip_attributes *attributes,
				struct vip_phase phases[VIP_PHASES_MAX]);

/*
 * Gives different sets different tags, equal ones the same: sets `variant` of
 * every one of `sets`, all that there are.  Reorders `sets`.  O(n log n).
 */
extern void vip_policy_resolve(struct vip_attributes **sets, size_t n);

/*
 * A standard community: AA:NN or a well-known name that bgpd knows in every
 * version.  False for anything else, and for 0:0, which bgpd calls "internet" in
 * one version only.
 */
extern bool vip_community_parse(const char *text, uint32_t *community);
/* A:B:C, each 0..4294967295. */
extern bool vip_large_community_parse(const char *text,
				      struct vip_large_community *community);
/* As bgpd writes them; they return `buf`, VIP_..._LEN is enough. */
extern const char *vip_community_text(uint32_t community, char *buf, size_t len);
extern const char *
vip_large_community_text(const struct vip_large_community *community, char *buf,
			 size_t len);

/*
 * Add and remove: sorted, nothing twice.  Adding fails when the set is full;
 * removing what isn't there does nothing.
 */
extern bool vip_community_add(struct vip_attributes *attributes,
			      uint32_t community);
extern void vip_community_del(struct vip_attributes *attributes,
			      uint32_t community);
extern bool vip_large_community_add(struct vip_attributes *attributes,
				    const struct vip_large_community *community);
extern void vip_large_community_del(struct vip_attributes *attributes,
				    const struct vip_large_community *community);

#endif /* CLUSTER_VIP_POLICY_H */
