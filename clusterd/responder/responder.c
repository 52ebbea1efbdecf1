// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stateful ping responders.
 *
 * A responder answers for virtual addresses that no interface has, so that a
 * router's IP SLA follows the state of this node:
 *
 *	configuration, interfaces, probes, VIPs   state here (this file)
 *	responder_decide.c  (pure)		  what each address does, and why
 *	responder_io.c				  packet sockets that answer
 *	responder_packet.c  (pure)		  frames, and the kernel's filter
 *	responder_nat.c				  the NAT hand-off
 *
 * In user space, so that the addresses fall silent with this process, however
 * it ends.  Only a blackhole route is in the kernel (through zebra): with it the
 * kernel neither forwards to a virtual address nor sends errors about it.
 * Spec: gateway-failover.md.
 */
#include "cluster_compat.h"

#include "network.h"

#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "responder/responder_private.h"
#include "vip/vip.h"

DEFINE_MTYPE(CLUSTERD, RESPONDER, "Ping responder");
DEFINE_MTYPE_STATIC(CLUSTERD, RESPONDER_ADDRESS, "Ping responder address");
DEFINE_MTYPE_STATIC(CLUSTERD, RESPONDER_INTERFACE, "Ping responder interface");
DEFINE_MTYPE_STATIC(CLUSTERD, RESPONDER_ROUTES, "Ping responder routes");

struct responders_head responders;

int responder_cmp(const struct responder *a, const struct responder *b)
{
	return strcmp(a->name, b->name);
}

int responder_address_cmp(const struct responder_address *a,
			  const struct responder_address *b)
{
	return ipaddr_cmp(&a->addr, &b->addr);
}

int responder_interface_cmp(const struct responder_interface *a,
			    const struct responder_interface *b)
{
	return strcmp(a->name, b->name);
}

const char *responder_address_flaw(const struct ipaddr *addr)
{
	const struct in6_addr *v6 = &addr->ipaddr_v6;
	uint32_t v4 = ntohl(addr->ipaddr_v4.s_addr);

	if (IS_IPADDR_V6(addr)) {
		if (IN6_IS_ADDR_UNSPECIFIED(v6) || IN6_IS_ADDR_LOOPBACK(v6) ||
		    IN6_IS_ADDR_MULTICAST(v6) || IN6_IS_ADDR_V4MAPPED(v6))
			return "is not the address of a host";
		return NULL;
	}
	if (v4 >> 24 == 0 || v4 >> 24 == 127 || v4 >> 24 >= 224)
		return "is not the address of a host";
	return NULL;
}

/* ---- configuration ---- */

struct responder *responder_find(const char *name)
{
	struct responder ref = {};

	strlcpy(ref.name, name, sizeof(ref.name));
	return responders_find(&responders, &ref);
}

void responder_changed(struct responder *responder)
{
	cluster_sched_decide();
}

void responder_probe_changed(struct responder *responder)
{
	responder->kept_up = responder->condition_met &&
			     responder->condition_since_us;
	if (responder->probe)
		probe_ref_put(&responder->probe);
	responder_changed(responder);
}

struct responder *responder_add(const char *name)
{
	struct responder *responder = XCALLOC(MTYPE_RESPONDER,
					      sizeof(*responder));

	strlcpy(responder->name, name, sizeof(responder->name));
	strlcpy(responder->vrf, RESPONDER_DEFAULT_VRF, sizeof(responder->vrf));
	responder->rate = RESPONDER_RATE;
	responder_addresses_init(&responder->addresses);
	responder_interfaces_init(&responder->interfaces);
	responders_add(&responders, responder);
	responder_changed(responder);
	return responder;
}

static void address_told(const struct responder *responder,
			 const struct responder_address *address,
			 const char *before, const char *after, const char *why)
{
	cluster_event(&(struct event_change){
		.kind = EVENT_RESPONDER,
		.name = responder->name,
		.vrf = responder->vrf,
		.addr = &address->addr,
		.before = before,
		.after = after,
		.why = why,
	});
	zlog_notice("responder %s: %pIA %s%s%s", responder->name,
		    &address->addr, after, why[0] ? ": " : "", why);
}

static void address_removed(const struct responder *responder,
			    const struct responder_address *address)
{
	if (responder_answers(address->state))
		address_told(responder, address,
			     responder_state_name(address->state),
			     CLUSTER_EVENT_REMOVED, CLUSTER_EVENT_REMOVED_WHY);
}

static void address_free(struct responder *responder,
			 struct responder_address *address)
{
	responder_addresses_del(&responder->addresses, address);
	XFREE(MTYPE_RESPONDER_ADDRESS, address);
}

static void interface_free(struct responder *responder,
			   struct responder_interface *interface)
{
	responder_io_close(interface);
	responder_interfaces_del(&responder->interfaces, interface);
	XFREE(MTYPE_RESPONDER_INTERFACE, interface);
}

static void responder_free(struct responder *responder)
{
	struct responder_address *address;
	struct responder_interface *interface;

	responder_nat_end(responder);
	if (responder->probe)
		probe_ref_put(&responder->probe);
	while ((address = responder_addresses_first(&responder->addresses)))
		address_free(responder, address);
	while ((interface = responder_interfaces_first(&responder->interfaces)))
		interface_free(responder, interface);
	responder_addresses_fini(&responder->addresses);
	responder_interfaces_fini(&responder->interfaces);
	responders_del(&responders, responder);
	XFREE(MTYPE_RESPONDER, responder);
	cluster_sched_decide();
}

void responder_del(struct responder *responder)
{
	struct responder_address *address;

	frr_each (responder_addresses, &responder->addresses, address)
		address_removed(responder, address);
	responder_free(responder);
}

void responder_address_add(struct responder *responder,
			   const struct ipaddr *addr)
{
	struct responder_address *address = XCALLOC(MTYPE_RESPONDER_ADDRESS,
						    sizeof(*address));

	address->addr = *addr;
	address->state = RESPONDER_WAITING;
	responder_addresses_add(&responder->addresses, address);
	responder_changed(responder);
}

void responder_address_del(struct responder *responder,
			   const struct ipaddr *addr)
{
	struct responder_address ref = { .addr = *addr };
	struct responder_address *address =
		responder_addresses_find(&responder->addresses, &ref);

	address_removed(responder, address);
	address_free(responder, address);
	responder_changed(responder);
}

void responder_interface_add(struct responder *responder, const char *name)
{
	struct responder_interface *interface =
		XCALLOC(MTYPE_RESPONDER_INTERFACE, sizeof(*interface));

	strlcpy(interface->name, name, sizeof(interface->name));
	interface->responder = responder;
	interface->fd = -1;
	responder_interfaces_add(&responder->interfaces, interface);
	responder_changed(responder);
}

void responder_interface_del(struct responder *responder, const char *name)
{
	struct responder_interface ref = {};

	strlcpy(ref.name, name, sizeof(ref.name));
	interface_free(responder,
		       responder_interfaces_find(&responder->interfaces, &ref));
	responder_changed(responder);
}

/* ---- facts ---- */

static bool tunnels_hold(const struct responder *responder, char *why,
			 size_t len)
{
	unsigned int up;

	if (!responder->min_tunnels)
		return true;
	up = cluster_zebra_interfaces_up(responder->vrf, responder->tunnels);
	if (up >= responder->min_tunnels)
		return true;
	snprintf(why, len, "%u of %u tunnels (%s) up", up,
		 responder->min_tunnels, responder->tunnels);
	return false;
}

static bool probe_holds(struct responder *responder, char *why, size_t len)
{
	/* The probe's own target counts; the virtual addresses are ourselves. */
	const struct ipaddr nobody = { .ipa_type = IPADDR_NONE };
	char text[RESPONDER_WHY_LEN - CLUSTER_NAME_LEN - 8];
	enum probe_verdict verdict;

	if (!responder->probe_name[0])
		return true;
	if (!responder->probe)
		responder->probe = probe_ref_get(responder->probe_name,
						 responder->vrf, &nobody);
	verdict = probe_ref_verdict(responder->probe, text, sizeof(text));
	if (verdict == PROBE_UNKNOWN || probe_ref_settled(responder->probe))
		responder->kept_up = false;
	if (verdict == PROBE_UP || responder->kept_up)
		return true;
	probe_reason_text(responder->probe_name, text, why, len);
	return false;
}

static bool vip_holds(const struct responder *responder, char *why, size_t len)
{
	enum vip_state state;

	if (!responder->vip_name[0])
		return true;
	if (!vip_state_get(responder->vip_name, &state)) {
		snprintf(why, len, "VIP %s is not configured",
			 responder->vip_name);
		return false;
	}
	if (state == VIP_ANNOUNCED)
		return true;
	snprintf(why, len, "VIP %s is %s", responder->vip_name,
		 vip_state_name(state));
	return false;
}

static void condition_update(struct responder *responder, int64_t now_us)
{
	char *why = responder->condition_why;
	size_t len = sizeof(responder->condition_why);
	bool met;

	why[0] = '\0';
	met = tunnels_hold(responder, why, len) &&
	      probe_holds(responder, why, len) &&
	      vip_holds(responder, why, len);
	if (met == responder->condition_met && responder->condition_since_us)
		return;
	responder->condition_met = met;
	responder->condition_since_us = now_us;
}

static size_t interfaces_update(struct responder *responder)
{
	struct responder_interface *interface;
	size_t n_up = 0;

	frr_each (responder_interfaces, &responder->interfaces, interface) {
		interface->up =
			cluster_zebra_interface_operative(responder->vrf,
							  interface->name);
		n_up += interface->up;
	}
	return n_up;
}

/* Why no interface is listened on though one was tried; NULL: else. */
static const char *deaf(const struct responder *responder)
{
	const struct responder_interface *interface;
	const char *why = NULL;

	frr_each (responder_interfaces_const, &responder->interfaces,
		  interface) {
		if (interface->fd >= 0)
			return NULL;
		if (interface->refused)
			why = interface->why;
	}
	return why;
}

/* The first responder by name that has it and isn't shut down keeps it. */
static const char *taken_by(const struct responder *responder,
			    const struct ipaddr *addr)
{
	struct responder_address ref = { .addr = *addr };
	struct responder *other;

	frr_each (responders, &responders, other) {
		if (other == responder)
			return NULL;
		if (!other->shutdown && !strcmp(other->vrf, responder->vrf) &&
		    responder_addresses_find(&other->addresses, &ref))
			return other->name;
	}
	return NULL;
}

/* ---- decision ---- */

/* The one writer of an address's state. */
static void address_update(struct responder *responder,
			   struct responder_address *address,
			   const struct responder_plan *plan, int64_t now_us)
{
	enum responder_state old = address->state;

	strlcpy(address->why, plan->why, sizeof(address->why));
	if (address->since_us && old == plan->state)
		return;
	address_told(responder, address,
		     address->since_us ? responder_state_name(old) : "undecided",
		     responder_state_name(plan->state), address->why);
	address->state = plan->state;
	address->since_us = now_us;
	address->since_wall = time(NULL);
	responder_notify(responder, address);
}

static void responder_update(struct responder *responder, int64_t now_us)
{
	struct responder_facts facts = {
		.shutdown = responder->shutdown,
		.zebra = cluster_zebra_connected(),
		.vrf_known = cluster_zebra_vrf_known(responder->vrf),
		.n_addresses = responder_addresses_count(&responder->addresses),
		.n_interfaces =
			responder_interfaces_count(&responder->interfaces),
		.n_interfaces_up = interfaces_update(responder),
		.deaf = deaf(responder),
		.hold_down_ms = responder->hold_down_ms,
		.now_us = now_us,
	};
	struct responder_interface *interface;
	struct responder_address *address;
	struct responder_plan plan;

	responder_nat_update(responder, now_us);
	condition_update(responder, now_us);
	facts.condition = responder->condition_met;
	facts.condition_why = responder->condition_why;
	facts.condition_since_us = responder->condition_since_us;
	responder->n_told = 0;
	frr_each (responder_addresses, &responder->addresses, address) {
		struct responder_address_facts own = {
			.interface = cluster_zebra_address_owner(responder->vrf,
								 &address->addr),
			.responder = taken_by(responder, &address->addr),
		};

		responder_decide(&facts, &own, &plan);
		address_update(responder, address, &plan, now_us);
		if (plan.look_again_us)
			cluster_sched_decide_at(plan.look_again_us);
		if (!responder_tells(plan.state))
			continue;
		responder->told[responder->n_told] = address->addr;
		responder->answers[responder->n_told++] =
			responder_answers(plan.state);
	}
	frr_each (responder_interfaces, &responder->interfaces, interface)
		responder_io_follow(interface);
	/* What the decision was made on is no longer so. */
	if (!facts.deaf != !deaf(responder))
		cluster_sched_decide();
}

static int route_order(const void *a, const void *b)
{
	const struct cluster_route *x = a, *y = b;

	return cluster_route_key_cmp(&x->key, &y->key);
}

/* A blackhole for every address that is or may be answered for. */
static void routes_update(void)
{
	struct responder *responder;
	struct responder_address *address;
	struct cluster_route *routes;
	size_t n = 0, i = 0;

	frr_each (responders, &responders, responder)
		n += responder_addresses_count(&responder->addresses);
	routes = XCALLOC(MTYPE_RESPONDER_ROUTES, (n + 1) * sizeof(*routes));
	frr_each (responders, &responders, responder) {
		frr_each (responder_addresses, &responder->addresses, address) {
			if (!responder_hides(address->state))
				continue;
			cluster_route_prefix(&routes[i].key, responder->vrf,
					     &address->addr,
					     cluster_route_plen_max(
						     &address->addr));
			routes[i].tag = RESPONDER_TAG;
			routes[i].distance = 1;
			routes[i++].blackhole = true;
		}
	}
	/* None twice: of two responders, only one hides an address. */
	qsort(routes, i, sizeof(*routes), route_order);
	cluster_zebra_routes_set(CLUSTER_OWNER_RESPONDER, routes, i);
	XFREE(MTYPE_RESPONDER_ROUTES, routes);
}

static void decide(int64_t now_us)
{
	struct responder *responder;

	frr_each (responders, &responders, responder)
		responder_update(responder, now_us);
	routes_update();
}

/* The states of VIPs have changed, of which some may be a condition. */
static void report(int64_t now_us)
{
	struct responder *responder;
	bool any = false;

	frr_each (responders, &responders, responder) {
		if (!responder->vip_name[0])
			continue;
		responder_update(responder, now_us);
		any = true;
	}
	if (any)
		routes_update();
}

static const struct cluster_capability capability = {
	.name = "responder",
	.decide = decide,
	.report = report,
};

void responder_init(const char *pathspace)
{
	responders_init(&responders);
	responder_nat_init(pathspace);
	cluster_sched_register(&capability);
	responder_cli_init();
	responder_show_init();
	responder_metrics_init();
}

void responder_counts(struct responder_counts *counts)
{
	struct responder_address *address;
	struct responder *responder;

	memset(counts, 0, sizeof(*counts));
	frr_each (responders, &responders, responder) {
		counts->responders++;
		frr_each (responder_addresses, &responder->addresses, address) {
			counts->addresses++;
			counts->by_state[address->state]++;
		}
	}
}

void responder_fini(void)
{
	struct responder *responder;

	while ((responder = responders_first(&responders)))
		responder_free(responder);
	responder_nat_fini();
	responder_io_fini();
	responders_fini(&responders);
}
