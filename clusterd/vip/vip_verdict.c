// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "vip/vip_served.h"
#include "vip/vip_verdict.h"

struct vip_reason vip_verdict(const struct vip_in *vip, size_t n_vips,
			      const char *last)
{
	struct vip_reason reason = { .why = VIP_WHY_OK };

	if (last && strcmp(vip->name, last) > 0) {
		reason.why = VIP_WHY_VIPS_MAX;
		reason.num = n_vips;
	} else if (vip->n_members > VIP_MEMBERS_MAX) {
		reason.why = VIP_WHY_MEMBERS_MAX;
		reason.num = vip->n_members;
	} else if (vip->n_addresses > VIP_ADDRESSES_MAX) {
		reason.why = VIP_WHY_ADDRESSES_MAX;
		reason.num = vip->n_addresses;
	} else if (!vip->n_addresses)
		reason.why = VIP_WHY_NO_ADDRESS;
	else if (vip->local && vip->n_members) {
		reason.why = VIP_WHY_SERVED_MEMBERS;
		reason.num = vip->n_members;
	}
	return reason;
}

static bool vip_has_address(const struct vip_in *vip, const struct ipaddr *addr)
{
	/* A VIP past a limit isn't served, and must not cost n x m either. */
	if (vip->n_members > VIP_MEMBERS_MAX ||
	    vip->n_addresses > VIP_ADDRESSES_MAX)
		return false;
	for (size_t i = 0; i < vip->n_addresses; i++)
		if (!ipaddr_cmp(&vip->addresses[i], addr))
			return true;
	return false;
}

/* Whether the member would count if it didn't drain: M1..M3, M5..M7. */
static enum vip_why member_fitness(const struct vip_in *vip,
				   const struct vip_member_in *member)
{
	if (vip_has_address(vip, &member->addr))
		return VIP_WHY_IS_VIP;
	if (vip_is_link_local(&member->addr) && !member->ifname[0])
		return VIP_WHY_LINK_LOCAL;
	if (!vip->vrf_ready)
		return VIP_WHY_VRF;
	if (member->probe == VIP_PROBE_UNKNOWN)
		return VIP_WHY_PROBE_UNKNOWN;
	if (member->probe == VIP_PROBE_DOWN)
		return VIP_WHY_PROBE_DOWN;
	if (!member->reachable)
		return member->ifname[0] ? VIP_WHY_INTERFACE
					 : VIP_WHY_UNRESOLVED;
	return VIP_WHY_OK;
}

enum vip_why vip_member_verdict(const struct vip_in *vip,
				const struct vip_member_in *member,
				struct vip_verdicts *verdicts)
{
	int family = vip_family_index(&member->addr);
	enum vip_why why = member_fitness(vip, member);

	verdicts->total[family]++;
	/* M1..M3: there is nothing that could be drained. */
	if (!member->drain || why == VIP_WHY_IS_VIP ||
	    why == VIP_WHY_LINK_LOCAL || why == VIP_WHY_VRF) {
		verdicts->up[family] += why == VIP_WHY_OK;
		verdicts->failed[family] += why == VIP_WHY_PROBE_DOWN &&
					    member->reachable;
		return why;
	}
	verdicts->drained[family]++;
	return VIP_WHY_MEMBER_DRAIN;
}

static bool uplink_verdict(const struct vip_in *vip, struct vip_reason *reason)
{
	switch (vip->uplink) {
	case VIP_UPLINK_ROUTES:
		reason->why = VIP_WHY_UPLINK_ROUTES;
		strlcpy(reason->name, vip->vrf, sizeof(reason->name));
		return false;
	case VIP_UPLINK_PROBE:
		reason->why = VIP_WHY_UPLINK_PROBE;
		strlcpy(reason->name, vip->uplink_probe, sizeof(reason->name));
		return false;
	case VIP_UPLINK_OK:
		break;
	}
	return true;
}

/* The health of an address of a local VIP: A5, L1..L4. */
static enum vip_health served_verdict(const struct vip_in *vip,
				      struct vip_verdicts *verdicts,
				      size_t address, struct vip_reason *reason)
{
	bool fail_open;

	if (!uplink_verdict(vip, reason))
		return VIP_HEALTH_DOWN;
	fail_open = vip_served_fails_open(vip, verdicts, address);
	vip_served_why(vip, address, fail_open, reason);
	switch (reason->why) {
	case VIP_WHY_OK:
		if (fail_open)
			reason->why = VIP_WHY_FAIL_OPEN;
		return VIP_HEALTH_UP;
	case VIP_WHY_PROBE_DOWN:
	case VIP_WHY_PROBE_UNKNOWN:
		return VIP_HEALTH_DOWN;
	default:
		/* For the kernel: it hasn't failed. */
		return VIP_HEALTH_WAITS;
	}
}

/* The health of a family's addresses: A3..A6, of VIPs with members. */
static enum vip_health family_verdict(const struct vip_in *vip,
				      struct vip_verdicts *verdicts, int family,
				      struct vip_reason *reason)
{
	reason->family = family ? IPADDR_V6 : IPADDR_V4;
	reason->num = verdicts->up[family];
	reason->total = verdicts->total[family];
	/* A route without next hops would not be one. */
	reason->min_up = vip->min_up ? vip->min_up : 1;

	if (!reason->total) {
		reason->why = VIP_WHY_NO_MEMBER;
		return VIP_HEALTH_OFF;
	}
	if (reason->min_up > reason->total) {
		reason->why = VIP_WHY_MIN_UP_NEVER;
		return VIP_HEALTH_OFF;
	}
	if (!uplink_verdict(vip, reason))
		return VIP_HEALTH_DOWN;
	if (reason->num >= reason->min_up)
		return VIP_HEALTH_UP;
	if (vip->fail_open && !reason->num && verdicts->failed[family] &&
	    vip->life->damping[family].allowed) {
		verdicts->fail_open[family] = true;
		reason->why = VIP_WHY_FAIL_OPEN;
		return VIP_HEALTH_UP;
	}
	reason->why = VIP_WHY_TOO_FEW;
	/* Nothing has failed: all that is missing is what was drained. */
	return reason->num + verdicts->drained[family] == reason->total
		       ? VIP_HEALTH_OFF
		       : VIP_HEALTH_DOWN;
}

/* The health of part number `i`: A1..A6. */
static enum vip_health part_health(const struct vip_in *vip,
				   const struct vip_out *out,
				   struct vip_verdicts *verdicts, size_t i,
				   const struct vip_damping *damping,
				   struct vip_reason *reason)
{
	enum vip_health health;

	if (out->reason.why != VIP_WHY_OK) {
		*reason = out->reason;
		return VIP_HEALTH_OFF;
	}
	if (!vip->vrf_ready) {
		reason->why = VIP_WHY_VRF;
		strlcpy(reason->name, vip->vrf, sizeof(reason->name));
		return vip->vrf_known ? VIP_HEALTH_AWAY : VIP_HEALTH_OFF;
	}
	if (vip->local)
		health = served_verdict(vip, verdicts, i, reason);
	else if (verdicts->has_address[i])
		health = family_verdict(vip, verdicts, i, reason);
	else
		return VIP_HEALTH_OFF;
	/* What fails while the VIP drains doesn't come back. */
	if (health == VIP_HEALTH_UP &&
	    out->life.drain.phase == VIP_DRAIN_DRAINING && !damping->allowed) {
		reason->why = VIP_WHY_DRAINED;
		reason->total = vip->drain;
		return VIP_HEALTH_OFF;
	}
	return health;
}

static void next_at(int64_t *next_us, int64_t at_us)
{
	if (at_us && (!*next_us || at_us < *next_us))
		*next_us = at_us;
}

/* A7: what holds a healthy part back, or with how much it starts. */
static void part_damping(const struct vip_in *vip, struct vip_damping *damping,
			 enum vip_health health, struct vip_address_out *part,
			 int64_t now_us, int64_t *next_us)
{
	static const enum vip_why whys[] = {
		[VIP_HELD_FLAPPING] = VIP_WHY_FLAPPING,
		[VIP_HELD_FLIP] = VIP_WHY_FLIP,
		[VIP_HELD_HOLD_DOWN] = VIP_WHY_HOLD_DOWN,
	};
	struct vip_reason *reason = &part->reason;
	enum vip_held held;
	int64_t at_us;

	part->wanted = vip_damping_step(damping, vip->damping, health, now_us);
	held = vip_damping_held(damping, vip->damping, now_us, &at_us);
	next_at(next_us, at_us);
	if (held != VIP_HELD_NOT) {
		reason->why = whys[held];
		reason->until_us = at_us;
		reason->total = vip_damping_penalty(damping, vip->damping,
						    now_us);
	}

	part->ramp = vip_damping_ramp(damping, vip->damping, now_us, &at_us);
	next_at(next_us, at_us);
	if (at_us && reason->why == VIP_WHY_OK) {
		reason->why = VIP_WHY_SLOW_START;
		reason->num = part->ramp;
	}
}

/* V3. */
static void vip_drained(const struct vip_in *vip, struct vip_out *out)
{
	if (out->life.drain.phase != VIP_DRAIN_DRAINED ||
	    (out->reason.why != VIP_WHY_OK &&
	     out->reason.why != VIP_WHY_NO_ADDRESS))
		return;
	out->reason.why = vip->drain == VIP_DRAIN_SHUTDOWN ? VIP_WHY_SHUTDOWN
							   : VIP_WHY_DRAINED;
	out->reason.total = vip->drain;
}

/* The end of the decision about a VIP that drains. */
static void parts_drain(const struct vip_in *vip, struct vip_out *out,
			struct vip_verdicts *verdicts,
			const struct vip_parts *parts, int64_t now_us,
			int64_t *next_us)
{
	struct vip_drain *drain = &out->life.drain;

	if (!out->life.announced) {
		vip_drain_step(drain, vip->drain, false, vip->drain_us, now_us);
		vip_drained(vip, out);
		for (size_t i = 0; i < parts->n; i++)
			parts->outs[i].reason = out->reason;
		return;
	}
	verdicts->draining = true;
	next_at(next_us, vip_drain_until(drain, vip->drain_us));
	for (size_t i = 0; i < parts->n; i++) {
		struct vip_reason *reason = &parts->outs[i].reason;

		if (!parts->outs[i].wanted)
			continue;
		reason->why = VIP_WHY_DRAINING;
		reason->total = vip->drain;
		reason->until_us = vip_drain_until(drain, vip->drain_us);
	}
}

/* Decides about the parts to which L2 applies, or about the others. */
static void parts_step(const struct vip_in *vip, struct vip_out *out,
		       struct vip_verdicts *verdicts,
		       const struct vip_parts *parts, bool failed,
		       int64_t now_us, int64_t *next_us)
{
	for (size_t i = 0; i < parts->n; i++) {
		struct vip_damping *damping = &parts->dampings[i];
		struct vip_address_out *part = &parts->outs[i];
		enum vip_health health;

		if (vip_served_failed(vip, i) != failed)
			continue;
		health = part_health(vip, out, verdicts, i, damping,
				     &part->reason);
		part_damping(vip, damping, health, part, now_us, next_us);
		out->life.announced |= damping->allowed;
		if (vip->local && part->wanted && !failed)
			vip_served_count(vip, verdicts, i);
	}
}

void vip_verdicts_live(const struct vip_in *vip, struct vip_out *out,
		       struct vip_verdicts *verdicts,
		       const struct vip_parts *parts, int64_t now_us,
		       int64_t *next_us)
{
	struct vip_drain *drain = &out->life.drain;

	vip_drain_step(drain, vip->drain, out->life.announced, vip->drain_us,
		       now_us);
	vip_drained(vip, out);
	out->life.announced = false;
	parts_step(vip, out, verdicts, parts, false, now_us, next_us);
	parts_step(vip, out, verdicts, parts, true, now_us, next_us);
	if (drain->phase == VIP_DRAIN_DRAINING)
		parts_drain(vip, out, verdicts, parts, now_us, next_us);
}
