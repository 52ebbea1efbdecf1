// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The states of members, addresses and VIPs: the one writer, and what it tells
 * of a change (log, events, YANG notification).
 *
 * They follow from a plan and from what zebra says of the routes: after a
 * decision those of all VIPs, in between those of the VIPs whose routes zebra
 * has spoken about.
 */
#include "cluster_compat.h"

#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_zebra.h"
#include "vip/vip_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, VIP_STATES, "VIP states");

/*
 * Lines that one report may log, and events, with what was removed since the
 * last one; the rest is counted.
 */
#define LOG_LINES_MAX 100

/* zebra answers within milliseconds, if it does. */
#define PENDING_MAX_US (5 * 1000000LL)

/* Of the report that is being made. */
static int64_t now_us;
static bool connected; /* with zebra */
static size_t log_lines, log_lines_lost;
static int64_t look_again_us; /* when time itself changes a state; 0: never */

static enum vip_state *address_states; /* scratch, of one VIP */
static size_t address_states_max;

void vip_since_now(struct vip_since *since, int64_t at_us)
{
	since->us = at_us;
	since->wall = time(NULL);
}

/* Whether this report may log one more line. */
static bool log_line(void)
{
	if (log_lines < LOG_LINES_MAX) {
		log_lines++;
		return true;
	}
	log_lines_lost++;
	return false;
}

/* The one writer of a member's state. */
static void member_state_set(struct vip_member *member, enum vip_why why)
{
	bool was_up = member->why == VIP_WHY_OK;
	bool up = why == VIP_WHY_OK;
	bool first = member->why == VIP_WHY_UNDECIDED;
	char text[VIP_WHY_LEN];

	if (member->why == why)
		return;
	member->why = why;
	/* Another reason of being down is no change of state. */
	if (up == was_up && !first)
		return;
	vip_since_now(&member->since, now_us);
	/* While zebra is away its absence is news, not what it means. */
	if (why == VIP_WHY_ZEBRA || !log_line()) {
		cluster_event_count(EVENT_MEMBER);
		return;
	}
	vip_member_why_text(member, text, sizeof(text));
	cluster_event(&(struct event_change){
		.kind = EVENT_MEMBER,
		.name = member->vip->name,
		.vrf = member->vip->vrf,
		.addr = &member->addr,
		.before = first	   ? "undecided"
			  : was_up ? "up"
				   : "down",
		.after = up ? "up" : "down",
		.why = text,
	});
	zlog_info("VIP %s: member %pIA %s%s%s", member->vip->name,
		  &member->addr, up ? "up" : "down", text[0] ? ": " : "", text);
}

/* The one writer of an address's state. */
static void address_state_set(struct vip_address *address, enum vip_state state,
			      const struct vip_reason *reason,
			      uint16_t n_nexthops)
{
	enum vip_state before = address->state;
	bool was_open = address->reason.why == VIP_WHY_FAIL_OPEN;
	bool open = reason->why == VIP_WHY_FAIL_OPEN;
	char text[VIP_WHY_LEN];

	address->reason = *reason;
	address->n_nexthops = n_nexthops;
	/* Announced before and after: no change of state, but worth to know. */
	if (open != was_open && log_line()) {
		vip_address_why_text(address, text, sizeof(text));
		zlog_notice("VIP %s: %pIA %s", address->vip->name,
			    &address->addr, open ? text : "no longer fail-open");
	}
	if (state == before)
		return;
	address->state = state;
	vip_since_now(&address->since, now_us);
	/* An only address is told about as the VIP. */
	if (vip_addresses_count(&address->vip->addresses) == 1 || !log_line()) {
		cluster_event_count(EVENT_ADDRESS);
		return;
	}
	vip_address_why_text(address, text, sizeof(text));
	cluster_event(&(struct event_change){
		.kind = EVENT_ADDRESS,
		.name = address->vip->name,
		.vrf = address->vip->vrf,
		.addr = &address->addr,
		.before = vip_state_name(before),
		.after = vip_state_name(state),
		.why = text,
	});
	zlog_info("VIP %s: %pIA %s, was %s%s%s", address->vip->name,
		  &address->addr, vip_state_name(state), vip_state_name(before),
		  text[0] ? ": " : "", text);
}

static bool serving(enum vip_state state)
{
	return state == VIP_ANNOUNCED || state == VIP_PARTIAL ||
	       state == VIP_DRAINING;
}

/* The one writer of a VIP's state; `culprit` may be NULL. */
static void vip_state_set(struct vip *vip, enum vip_state state,
			  const struct vip_reason *reason,
			  const struct vip_address *culprit)
{
	enum vip_state before = vip->state;
	char text[VIP_WHY_LEN];

	vip->reason = *reason;
	if (culprit)
		vip->culprit = culprit->addr;
	else
		memset(&vip->culprit, 0, sizeof(vip->culprit));
	if (state == before)
		return;
	vip->state = state;
	vip_since_now(&vip->since, now_us);
	vip_notify(vip);
	if (!log_line()) {
		cluster_event_count(EVENT_VIP);
		return;
	}
	vip_why_text(vip, text, sizeof(text));
	cluster_event(&(struct event_change){
		.kind = EVENT_VIP,
		.name = vip->name,
		.vrf = vip->vrf,
		.before = vip_state_name(before),
		.after = vip_state_name(state),
		.why = text,
	});
	if (serving(state) || serving(before))
		zlog_notice("VIP %s: %s, was %s%s%s", vip->name,
			    vip_state_name(state), vip_state_name(before),
			    text[0] ? ": " : "", text);
	else
		zlog_info("VIP %s: %s, was %s%s%s", vip->name,
			  vip_state_name(state), vip_state_name(before),
			  text[0] ? ": " : "", text);
}

void vip_report_address_removed(const struct vip_address *address)
{
	const struct vip *vip = address->vip;

	/* An only address is told about as the VIP. */
	if (!serving(address->state) ||
	    vip_addresses_count(&vip->addresses) == 1)
		return;
	if (!log_line()) {
		cluster_event_count(EVENT_ADDRESS);
		return;
	}
	cluster_event(&(struct event_change){
		.kind = EVENT_ADDRESS,
		.name = vip->name,
		.vrf = vip->vrf,
		.addr = &address->addr,
		.before = vip_state_name(address->state),
		.after = CLUSTER_EVENT_REMOVED,
		.why = CLUSTER_EVENT_REMOVED_WHY,
	});
	zlog_info("VIP %s: %pIA removed, was %s: " CLUSTER_EVENT_REMOVED_WHY,
		  vip->name, &address->addr, vip_state_name(address->state));
}

void vip_report_removed(const struct vip *vip)
{
	if (!serving(vip->state))
		return;
	if (!log_line()) {
		cluster_event_count(EVENT_VIP);
		return;
	}
	cluster_event(&(struct event_change){
		.kind = EVENT_VIP,
		.name = vip->name,
		.vrf = vip->vrf,
		.before = vip_state_name(vip->state),
		.after = CLUSTER_EVENT_REMOVED,
		.why = CLUSTER_EVENT_REMOVED_WHY,
	});
	zlog_notice("VIP %s: removed, was %s: " CLUSTER_EVENT_REMOVED_WHY,
		    vip->name, vip_state_name(vip->state));
}

static enum vip_why member_why(enum vip_why decided)
{
	bool by_zebra = decided == VIP_WHY_VRF ||
			decided == VIP_WHY_UNRESOLVED ||
			decided == VIP_WHY_INTERFACE;

	return by_zebra && !connected ? VIP_WHY_ZEBRA : decided;
}

static void look_again_at(int64_t at_us)
{
	if (!look_again_us || at_us < look_again_us)
		look_again_us = at_us;
}

/* Asks zebra's client about an address's route. */
static void address_facts(const struct vip_address *address, bool wanted,
			  struct vip_address_facts *facts)
{
	struct cluster_route_key key = { .addr = address->addr };
	int64_t since_us;

	facts->status = CLUSTER_ROUTE_UNWANTED;
	facts->before = address->state;
	facts->overdue = false;
	facts->local = address->vip->local;
	facts->owner = cluster_zebra_address_owner(address->vip->vrf,
						   &address->addr);
	if (!wanted)
		return;
	strlcpy(key.vrf, address->vip->vrf, sizeof(key.vrf));
	facts->status = cluster_zebra_route_status(CLUSTER_OWNER_VIP, &key,
						   &since_us);
	if (facts->status != CLUSTER_ROUTE_PENDING)
		return;
	facts->overdue = now_us - since_us >= PENDING_MAX_US;
	if (!facts->overdue)
		look_again_at(since_us + PENDING_MAX_US);
}

void vip_report_members(struct vip *vip, const struct vip_out *out)
{
	for (size_t i = 0; i < vip->in.n_members; i++)
		member_state_set(vip->member_of[i], member_why(out->members[i]));
	vip->n_up = out->n_up;
}

void vip_report_addresses(struct vip *vip, const struct vip_out *out)
{
	struct vip_address_facts facts = { .zebra_connected = connected };
	enum vip_state state;
	int culprit;

	if (address_states_max < vip->in.n_addresses) {
		address_states_max = vip->in.n_addresses * 2;
		address_states =
			XREALLOC(MTYPE_VIP_STATES, address_states,
				 address_states_max * sizeof(*address_states));
	}
	vip->n_announced = 0;
	for (size_t i = 0; i < vip->in.n_addresses; i++) {
		const struct vip_address_out *address_out = &out->addresses[i];
		struct vip_address *address = vip->address_of[i];
		struct vip_reason reason;

		address_facts(address, address_out->wanted, &facts);
		state = vip_address_state(address_out, &facts, &reason);
		address->ramp = address_out->ramp;
		address_state_set(address, state, &reason,
				  address_out->n_nexthops);
		if (serving(state))
			vip->n_announced++;
		address_states[i] = state;
	}

	state = vip_state_of(&out->reason, address_states, vip->in.n_addresses,
			     &culprit);
	vip_state_set(vip, state, &out->reason,
		      culprit < 0 ? NULL : vip->address_of[culprit]);
}

void vip_report_begin(int64_t at_us)
{
	now_us = at_us;
	connected = cluster_zebra_connected();
	look_again_us = 0;
}

int64_t vip_report_end(void)
{
	if (log_lines_lost)
		zlog_notice("%zu more changes of VIPs, members and addresses are not logged one by one: see `show cluster vip`",
			    log_lines_lost);
	log_lines = log_lines_lost = 0;
	return look_again_us;
}

void vip_report_fini(void)
{
	XFREE(MTYPE_VIP_STATES, address_states);
	address_states_max = 0;
}
