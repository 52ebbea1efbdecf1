// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members: the probes and the next hop that they hold, and what these say.
 *
 * A member is checked by its own probe, or else by all the probes of its VIP,
 * of which `probe-need` have to pass.  So is the service of a local VIP.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "vip/vip_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, VIP_PROBES, "VIP probes");

/* -- the VIP's further probes -- */

static void also_free(struct vip *vip, size_t i)
{
	XFREE(MTYPE_VIP_PROBES, vip->also[i]);
	vip->n_also--;
	memmove(&vip->also[i], &vip->also[i + 1],
		(vip->n_also - i) * sizeof(*vip->also));
	if (!vip->n_also)
		XFREE(MTYPE_VIP_PROBES, vip->also);
}

void vip_also_add(struct vip *vip, const char *probe)
{
	size_t i = 0;

	/* In the order of names, however they came. */
	while (i < vip->n_also && strcmp(vip->also[i], probe) < 0)
		i++;
	vip->also = XREALLOC(MTYPE_VIP_PROBES, vip->also,
			     (vip->n_also + 1) * sizeof(*vip->also));
	memmove(&vip->also[i + 1], &vip->also[i],
		(vip->n_also - i) * sizeof(*vip->also));
	vip->also[i] = XSTRDUP(MTYPE_VIP_PROBES, probe);
	vip->n_also++;
	vip_changed(vip);
}

void vip_also_del(struct vip *vip, const char *probe)
{
	for (size_t i = 0; i < vip->n_also; i++)
		if (strcmp(vip->also[i], probe) == 0) {
			also_free(vip, i);
			break;
		}
	vip_changed(vip);
}

void vip_also_clear(struct vip *vip)
{
	while (vip->n_also)
		also_free(vip, vip->n_also - 1);
}

/* -- what a member is checked by -- */

const char *vip_member_probe(const struct vip_member *member, size_t i)
{
	const struct vip *vip = member->vip;

	if (member->probe[0])
		return i == 0 ? member->probe : NULL;
	if (vip->probe[0])
		return i == 0		  ? vip->probe
		       : i <= vip->n_also ? vip->also[i - 1]
					  : NULL;
	return i < vip->n_also ? vip->also[i] : NULL;
}

const char *vip_member_probes_text(const struct vip_member *member, char *buf,
				   size_t len)
{
	const char *probe;

	buf[0] = '\0';
	for (size_t i = 0; (probe = vip_member_probe(member, i)); i++) {
		if (i)
			strlcat(buf, ", ", len);
		strlcat(buf, probe, len);
	}
	return buf;
}

static struct probe_ref **ref_at(struct vip_member *member, size_t i)
{
	return i ? &member->more[i - 1] : &member->ref;
}

static struct probe_ref *ref_get(const struct vip_member *member, size_t i)
{
	return i ? member->more[i - 1] : member->ref;
}

/* A probe's word: a kept-up member is up until it has one. */
static enum vip_probe_state ref_state(const struct vip_member *member, size_t i)
{
	const struct probe_ref *ref = ref_get(member, i);

	switch (probe_ref_verdict(ref, NULL, 0)) {
	case PROBE_UP:
		return VIP_PROBE_UP;
	case PROBE_DOWN:
		return member->kept_up && !probe_ref_settled(ref)
			       ? VIP_PROBE_UP
			       : VIP_PROBE_DOWN;
	case PROBE_UNKNOWN:
		break;
	}
	return VIP_PROBE_UNKNOWN;
}

enum vip_probe_state vip_member_probe_state(const struct vip_member *member)
{
	size_t need = member->n_refs, n_up = 0, n_down = 0;

	if (!member->n_refs)
		return VIP_PROBE_NONE;
	/* More than there are can't be asked for: all of them. */
	if (!member->probe[0] && member->vip->probe_need &&
	    member->vip->probe_need < need)
		need = member->vip->probe_need;
	for (size_t i = 0; i < member->n_refs; i++) {
		enum vip_probe_state state = ref_state(member, i);

		n_up += state == VIP_PROBE_UP;
		n_down += state == VIP_PROBE_DOWN;
	}
	if (n_up >= need)
		return VIP_PROBE_UP;
	/* Whether those that aren't known could make a difference. */
	return member->n_refs - n_down >= need ? VIP_PROBE_UNKNOWN
					       : VIP_PROBE_DOWN;
}

void vip_member_review(struct vip_member *member)
{
	bool waits = false;

	if (!member->kept_up)
		return;
	for (size_t i = 0; i < member->n_refs; i++) {
		const struct probe_ref *ref = ref_get(member, i);

		switch (probe_ref_verdict(ref, NULL, 0)) {
		case PROBE_UNKNOWN:
			member->kept_up = false;
			return;
		case PROBE_DOWN:
			waits |= !probe_ref_settled(ref);
			break;
		case PROBE_UP:
			break;
		}
	}
	member->kept_up = waits;
}

bool vip_member_probed_itself(const struct vip_member *member)
{
	for (size_t i = 0; i < member->n_refs; i++)
		if (probe_ref_is_target(ref_get(member, i), &member->addr))
			return true;
	return false;
}

void vip_member_probe_facts(const struct vip_member *member,
			    struct vip_member_facts *facts, char *why,
			    size_t len)
{
	enum vip_probe_state wanted = facts->why == VIP_WHY_PROBE_UNKNOWN
					      ? VIP_PROBE_UNKNOWN
					      : VIP_PROBE_DOWN;
	const char *probe = vip_member_probe(member, 0);

	facts->probe = probe ? probe : "";
	for (size_t i = 0; i < member->n_refs; i++) {
		probe = vip_member_probe(member, i);
		if (!probe || ref_state(member, i) != wanted)
			continue;
		facts->probe = probe;
		probe_ref_verdict(ref_get(member, i), why, len);
		return;
	}
}

/* -- holds -- */

static void refs_put(struct vip_member *old)
{
	for (size_t i = 0; i < old->n_refs; i++)
		probe_ref_put(ref_at(old, i));
	XFREE(MTYPE_VIP_PROBES, old->more);
	old->n_refs = 0;
}

static void refs_get(struct vip_member *member)
{
	const char *probe;
	size_t n = 0;

	while (vip_member_probe(member, n))
		n++;
	member->n_refs = n;
	member->more = n > 1 ? XCALLOC(MTYPE_VIP_PROBES,
				       (n - 1) * sizeof(*member->more))
			     : NULL;
	for (size_t i = 0; i < n; i++) {
		probe = vip_member_probe(member, i);
		*ref_at(member, i) = probe_ref_get(probe, member->vip->vrf,
						   &member->addr);
	}
}

static bool refs_has(const struct vip_member *member,
		     const struct probe_ref *ref)
{
	for (size_t i = 0; i < member->n_refs; i++)
		if (probe_ref_same(ref_get(member, i), ref))
			return true;
	return false;
}

/* Whether a probe is new. */
static bool refs_new(const struct vip_member *member,
		     const struct vip_member *old)
{
	for (size_t i = 0; i < member->n_refs; i++)
		if (!refs_has(old, ref_get(member, i)))
			return true;
	return false;
}

void vip_member_hold(struct vip_member *member, bool serves)
{
	struct vip_member old = *member;
	struct vip_nexthop *nexthop = NULL;
	bool was_up = serves;

	/* By the probes that it has, in whatever number, not by the names. */
	if (member->n_refs)
		was_up = vip_member_probe_state(member) == VIP_PROBE_UP;
	refs_get(member);
	/*
	 * Another check of a healthy member: it stays up until that one says
	 * otherwise, and not down until it has passed.
	 */
	if (refs_new(member, &old))
		member->kept_up = was_up;
	refs_put(&old);

	if (!member->ifname[0] && !vip_is_link_local(&member->addr))
		nexthop = vip_nexthop_get(member->vip->vrf, &member->addr);
	vip_nexthop_put(&member->nexthop);
	member->nexthop = nexthop;
}

void vip_member_release(struct vip_member *member)
{
	refs_put(member);
	vip_nexthop_put(&member->nexthop);
}

bool vip_member_reachable(const struct vip_member *member)
{
	if (member->ifname[0])
		return cluster_zebra_interface_up(member->vip->vrf,
						  member->ifname);
	return vip_nexthop_resolved(member->nexthop);
}
