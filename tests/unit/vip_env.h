/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What vip.c lives in, for tests: a clock, probes and a zebra that do what
 * they are told (the route table is the real one), and a log that is kept.
 * Included by one file of a program.
 */
#ifndef TESTS_UNIT_VIP_ENV_H
#define TESTS_UNIT_VIP_ENV_H

#include "cluster_compat.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/local_netlink.h"
#include "core/route_table.h"
#include "vip/bgp_policy.h"
#include "vip/vip_private.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

struct debug cluster_dbg_vip = { 0, "VIPs" };

#define ENV_MAX 64

/* A probe's instance or a next hop that somebody holds. */
struct env_hold {
	char probe[VIP_NAME_LEN]; /* "": a next hop */
	char vrf[CLUSTER_VRF_LEN];
	struct ipaddr addr;
	unsigned int count;
	unsigned int lost; /* how often the last hold went */
};

struct probe_ref {
	struct env_hold *hold;
};

static struct {
	int64_t now_us;
	int64_t clock_step_us; /* passes at every look at the clock */
	const struct cluster_capability *capability;
	void (*probe_changed)(void);
	unsigned int decide_wishes, report_wishes;
	void (*route_changed)(const struct cluster_route_key *key);
	int64_t decide_at_us; /* 0: nobody asked */

	struct env_hold holds[ENV_MAX];
	size_t n_holds;
	/* By (probe, address): unknown unless it is in the list. */
	struct {
		char probe[VIP_NAME_LEN];
		struct ipaddr addr;
		enum probe_verdict verdict;
	} verdicts[ENV_MAX];
	size_t n_verdicts;
	bool unsettled; /* no verdict comes from results */

	enum cluster_zebra_state zebra;
	struct ipaddr unresolved[ENV_MAX];
	size_t n_unresolved;
	char interface_down[CLUSTER_IFNAME_LEN];
	char vrf_missing[CLUSTER_VRF_LEN];
	struct ipaddr owned; /* by lo */
	struct ipaddr not_in_bgp;
	struct route_table *routes;
	/* What the kernel says of every local route. */
	enum local_status local_status;
	int local_error;
	char locals_text[1024]; /* of the last set */
	unsigned int routes_sets, adds, deletes;
	char routes_text[16384]; /* of the last set */

	bool drain_file_there, exiting, exit_holds;
	size_t n_learned; /* routes of BGP */
	size_t n_draining;

	unsigned int notices, infos, notifications;
	unsigned int events[EVENT_KIND_MAX]; /* recorded or only counted */
	char log[16384];		     /* the last lines */
} env;

/* -- clock and scheduler -- */

int64_t cluster_now_us(void)
{
	env.now_us += env.clock_step_us;
	return env.now_us;
}

void cluster_sched_register(const struct cluster_capability *capability)
{
	env.capability = capability;
}

void cluster_sched_decide(void)
{
	env.decide_wishes++;
}

void cluster_sched_decide_at(int64_t at_us)
{
	if (!env.decide_at_us || at_us < env.decide_at_us)
		env.decide_at_us = at_us;
}

void cluster_sched_report(void)
{
	env.report_wishes++;
}

static inline void env_report(void)
{
	env.report_wishes = 0;
	env.capability->report(env.now_us);
}

static inline void env_decide(void)
{
	env.decide_wishes = 0;
	env.decide_at_us = 0;
	env.capability->decide(env.now_us);
}

/* While a part of a file has been applied. */
static inline void env_decide_half(void)
{
	env.decide_wishes = 0;
	env.decide_at_us = 0;
	env.capability->decide_half(env.now_us);
}

/* -- the record of changes -- */

void cluster_event(const struct event_change *change)
{
	env.events[change->kind]++;
}

void cluster_event_count(enum event_kind kind)
{
	env.events[kind]++;
}

/* The metrics aren't written here. */
void vip_metrics_init(void)
{
}

/* -- probes and holds -- */

static struct env_hold *env_hold(const char *probe, const char *vrf,
				 const struct ipaddr *ip)
{
	struct env_hold *hold;

	for (size_t i = 0; i < env.n_holds; i++) {
		hold = &env.holds[i];
		if (strcmp(hold->probe, probe) == 0 &&
		    strcmp(hold->vrf, vrf) == 0 && !ipaddr_cmp(&hold->addr, ip))
			return hold;
	}
	assert_true(env.n_holds < ENV_MAX);
	hold = &env.holds[env.n_holds++];
	strlcpy(hold->probe, probe, sizeof(hold->probe));
	strlcpy(hold->vrf, vrf, sizeof(hold->vrf));
	hold->addr = *ip;
	return hold;
}

static void env_hold_put(struct env_hold *hold)
{
	assert_true(hold->count > 0);
	if (--hold->count == 0)
		hold->lost++;
}

/* Whether nobody holds anything. */
static inline bool env_no_holds(void)
{
	for (size_t i = 0; i < env.n_holds; i++)
		if (env.holds[i].count)
			return false;
	return true;
}

struct probe_ref *probe_ref_get(const char *name, const char *vrf,
				const struct ipaddr *ip)
{
	struct probe_ref *ref = malloc(sizeof(*ref));

	ref->hold = env_hold(name, vrf, ip);
	ref->hold->count++;
	return ref;
}

void probe_ref_put(struct probe_ref **ref)
{
	env_hold_put((*ref)->hold);
	free(*ref);
	*ref = NULL;
}

enum probe_verdict probe_ref_verdict(const struct probe_ref *ref, char *why,
				     size_t why_len)
{
	static const char *const whys[] = {
		[PROBE_UNKNOWN] = "probe p is not configured",
		[PROBE_DOWN] = "down: 3 x connection refused",
		[PROBE_UP] = "up",
	};
	enum probe_verdict verdict = PROBE_UNKNOWN;

	for (size_t i = 0; i < env.n_verdicts; i++)
		if (strcmp(env.verdicts[i].probe, ref->hold->probe) == 0 &&
		    !ipaddr_cmp(&env.verdicts[i].addr, &ref->hold->addr))
			verdict = env.verdicts[i].verdict;
	if (why)
		strlcpy(why, whys[verdict], why_len);
	return verdict;
}

bool probe_ref_same(const struct probe_ref *a, const struct probe_ref *b)
{
	return a->hold == b->hold;
}

bool probe_ref_is_target(const struct probe_ref *ref, const struct ipaddr *ip)
{
	/* Probe "p" is a template, others have targets of their own. */
	return strcmp(ref->hold->probe, "p") == 0 &&
	       !ipaddr_cmp(&ref->hold->addr, ip);
}

bool probe_ref_settled(const struct probe_ref *ref)
{
	return !env.unsettled;
}

static inline void env_verdict(const char *probe, const char *ip,
			       enum probe_verdict verdict)
{
	struct ipaddr a = addr(ip);
	size_t i;

	for (i = 0; i < env.n_verdicts; i++)
		if (strcmp(env.verdicts[i].probe, probe) == 0 &&
		    !ipaddr_cmp(&env.verdicts[i].addr, &a))
			break;
	assert_true(i < ENV_MAX);
	if (i == env.n_verdicts)
		env.n_verdicts++;
	strlcpy(env.verdicts[i].probe, probe, sizeof(env.verdicts[i].probe));
	env.verdicts[i].addr = a;
	env.verdicts[i].verdict = verdict;
}

void probe_on_change(void (*changed)(void))
{
	env.probe_changed = changed;
}

/* -- zebra -- */

void cluster_zebra_learned_get(const char *vrf)
{
	env_hold("learned", vrf, &(struct ipaddr){})->count++;
}

void cluster_zebra_learned_put(const char *vrf)
{
	env_hold_put(env_hold("learned", vrf, &(struct ipaddr){}));
}

size_t cluster_zebra_learned_count(const char *vrf)
{
	/* Only what is held is watched. */
	assert_true(env_hold("learned", vrf, &(struct ipaddr){})->count > 0);
	return env.n_learned;
}

void cluster_zebra_nexthop_get(const char *vrf, const struct ipaddr *ip)
{
	env_hold("", vrf, ip)->count++;
}

void cluster_zebra_nexthop_put(const char *vrf, const struct ipaddr *ip)
{
	env_hold_put(env_hold("", vrf, ip));
}

bool cluster_zebra_nexthop_resolved(const char *vrf, const struct ipaddr *ip)
{
	/* Only what is held is watched. */
	assert_true(env_hold("", vrf, ip)->count > 0);
	for (size_t i = 0; i < env.n_unresolved; i++)
		if (!ipaddr_cmp(&env.unresolved[i], ip))
			return false;
	return cluster_zebra_connected();
}

bool cluster_zebra_interface_up(const char *vrf, const char *ifname)
{
	return cluster_zebra_connected() &&
	       strcmp(ifname, env.interface_down) != 0;
}

const char *cluster_zebra_address_owner(const char *vrf, const struct ipaddr *ip)
{
	return ipaddr_cmp(&env.owned, ip) ? NULL : "lo";
}

bool cluster_zebra_vrf_ready(const char *vrf)
{
	return cluster_zebra_connected() && strcmp(vrf, env.vrf_missing) != 0;
}

bool cluster_zebra_vrf_known(const char *vrf)
{
	return strcmp(vrf, env.vrf_missing) != 0;
}

bool cluster_zebra_connected(void)
{
	return env.zebra >= CLUSTER_ZEBRA_CONNECTED;
}

enum cluster_zebra_state cluster_zebra_state(char *why, size_t why_len)
{
	if (!cluster_zebra_connected())
		strlcpy(why, "zebra is not there: start it", why_len);
	return env.zebra;
}

static void env_print_route(const struct cluster_route *route)
{
	csnprintfrr(env.routes_text, sizeof(env.routes_text),
		    "%s %pIA tag %u metric %u distance %u", route->key.vrf,
		    &route->key.addr, route->tag, route->metric,
		    route->distance);
	for (uint16_t i = 0; i < route->n_nexthops; i++) {
		const struct cluster_nexthop *nexthop = &route->nexthops[i];

		csnprintfrr(env.routes_text, sizeof(env.routes_text), " ");
		/* What %pIA makes of no address depends on FRR's version. */
		if (!IS_IPADDR_NONE(&nexthop->gate))
			csnprintfrr(env.routes_text, sizeof(env.routes_text),
				    "%pIA", &nexthop->gate);
		csnprintfrr(env.routes_text, sizeof(env.routes_text), "%%%s*%u",
			    nexthop->ifname, nexthop->weight);
	}
	csnprintfrr(env.routes_text, sizeof(env.routes_text), "\n");
}

void cluster_zebra_routes_set(enum cluster_route_owner owner,
			      const struct cluster_route *routes, size_t n)
{
	env.routes_sets++;
	env.routes_text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		env_print_route(&routes[i]);
	route_table_set(env.routes, owner, routes, n, env.now_us);
}

void local_routes_set(const struct local_want *wants, size_t n)
{
	env.locals_text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		csnprintfrr(env.locals_text, sizeof(env.locals_text),
			    "%s %pIA %u\n", wants[i].key.vrf,
			    &wants[i].key.addr, wants[i].hold_ms);
}

enum local_status local_route_status(const struct cluster_route_key *key,
				     int *error)
{
	if (error)
		*error = env.local_error;
	return env.local_status;
}

enum cluster_route_status
cluster_zebra_route_status(enum cluster_route_owner owner,
			   const struct cluster_route_key *key,
			   int64_t *since_us)
{
	return route_table_status(env.routes, owner, key, since_us);
}

void cluster_zebra_on_route(enum cluster_route_owner owner,
			    void (*changed)(const struct cluster_route_key *key))
{
	assert_int_equal(owner, CLUSTER_OWNER_VIP);
	env.route_changed = changed;
}

static enum route_table_sent env_add(const struct cluster_route *route)
{
	if (!cluster_zebra_connected())
		return ROUTE_NOT_SENT;
	env.adds++;
	return ROUTE_SENT;
}

static enum route_table_sent env_del(const struct cluster_route_key *key)
{
	if (!cluster_zebra_connected())
		return ROUTE_NOT_SENT;
	env.deletes++;
	return ROUTE_SENT;
}

static inline struct cluster_route_key env_key(const char *ip)
{
	return (struct cluster_route_key){ .vrf = "default", .addr = addr(ip) };
}

static inline void env_notify_key(const struct cluster_route_key *key,
				  enum route_table_note note)
{
	if (route_table_notify(env.routes, key, note, env.now_us))
		env.route_changed(key);
}

static inline void env_notify(const char *ip, enum route_table_note note)
{
	struct cluster_route_key key = env_key(ip);

	env_notify_key(&key, note);
}

static inline bool env_wants(const char *ip)
{
	struct cluster_route_key key = env_key(ip);

	return route_table_wants(env.routes, &key);
}

/* -- the log -- */

/* Takes libfrr's place. */
void vzlogx(const struct xref_logmsg *xref, int prio, const char *fmt,
	    va_list ap)
{
	char line[1024];

	vsnprintfrr(line, sizeof(line), fmt, ap);
	if (prio == LOG_NOTICE)
		env.notices++;
	else if (prio == LOG_INFO)
		env.infos++;
	else
		fail_msg("logged with priority %d: %s", prio, line);
	if (strlen(env.log) + strlen(line) + 2 > sizeof(env.log))
		env.log[0] = '\0';
	strlcat(env.log, line, sizeof(env.log));
	strlcat(env.log, "\n", sizeof(env.log));
}

static inline void env_log_clear(void)
{
	env.notices = env.infos = 0;
	env.log[0] = '\0';
}

static inline void assert_logged(const char *part)
{
	if (!strstr(env.log, part))
		print_error("not logged: %s\nbut:\n%s", part, env.log);
	assert_non_null(strstr(env.log, part));
}

/* -- the other files of vip/ -- */

struct vip_drain_file {
	unsigned int users;
};

static inline struct vip_drain_file *env_drain_file(void)
{
	static struct vip_drain_file file;

	file.users++;
	return &file;
}

void vip_drain_file_put(struct vip_drain_file **file)
{
	if (*file)
		(*file)->users--;
	*file = NULL;
}

bool vip_drain_file_exists(const struct vip_drain_file *file)
{
	return file && env.drain_file_there;
}

bool vip_exit_begun(void)
{
	return env.exiting;
}

bool vip_exit_holds(void)
{
	return env.exit_holds;
}

void vip_exit_check(size_t n_draining)
{
	env.n_draining = n_draining;
}

void vip_leave_fini(void)
{
}

/* Without bgpd everything is announced as it is configured, at once. */
void bgp_policy_stale(void)
{
}

void bgp_policy_update(int64_t now_us)
{
	struct vip *vip;

	frr_each (vips, &vips, vip) {
		vip->announced.tag = vip->tag;
		vip->announced.attributes = vip->attributes;
	}
}

enum bgp_seen bgp_look(const struct vip_address *address)
{
	return ipaddr_cmp(&address->addr, &env.not_in_bgp) ? BGP_SEEN_UNKNOWN
							   : BGP_SEEN_NOT;
}

void bgp_look_text(const struct vip_address *address, char *buf, size_t len)
{
	strlcpy(buf, "not in bgpd", len);
}

size_t bgp_look_missing(void)
{
	return env.not_in_bgp.ipa_type != IPADDR_NONE;
}

void bgp_policy_forget(struct vip *vip)
{
}

void bgp_policy_init(void)
{
}

void bgp_policy_fini(void)
{
}

void vip_notify(struct vip *vip)
{
	env.notifications++;
}

void vip_cli_init(void)
{
}

void vip_life_cli_init(void)
{
}

void vip_show_init(void)
{
}

/* -- set-up -- */

static inline int env_setup(void **state)
{
	static const struct route_table_ops ops = {
		.add = env_add,
		.del = env_del,
	};

	memset(&env, 0, sizeof(env));
	env.now_us = 1000 * 1000000LL;
	env.zebra = CLUSTER_ZEBRA_CONNECTED;
	env.routes = route_table_new(&ops);
	vip_init();
	assert_non_null(env.capability);
	return 0;
}

static inline int env_teardown(void **state)
{
	vip_fini();
	route_table_free(&env.routes);
	return env_no_holds() ? 0 : -1;
}

#define ENV_TEST(name)                                                         \
	cmocka_unit_test_setup_teardown(name, env_setup, env_teardown)

/* -- configuring -- */

static inline struct vip_member *env_member(struct vip *vip, const char *ip)
{
	struct ipaddr a = addr(ip);

	return vip_member_add(vip, &a);
}

static inline void env_address(struct vip *vip, const char *ip)
{
	struct ipaddr a = addr(ip);

	vip_address_add(vip, &a);
}

/* A VIP with one address and two members, with probe "p" if `probe`. */
static inline struct vip *env_vip(const char *name, const char *ip, bool probe)
{
	struct vip *vip = vip_add(name);

	if (probe)
		strlcpy(vip->probe, "p", sizeof(vip->probe));
	env_member(vip, "198.51.100.1");
	env_member(vip, "198.51.100.2");
	env_address(vip, ip);
	return vip;
}

static inline void assert_state(struct vip *vip, enum vip_state state,
				const char *why)
{
	char text[VIP_WHY_LEN];

	vip_why_text(vip, text, sizeof(text));
	if (vip->state != state || strcmp(text, why) != 0)
		print_error("VIP %s is %s: %s\n", vip->name,
			    vip_state_name(vip->state), text);
	assert_int_equal(vip->state, state);
	assert_string_equal(text, why);
}

/* -- to begin with -- */

static inline void both_up(void)
{
	env_verdict("p", "198.51.100.1", PROBE_UP);
	env_verdict("p", "198.51.100.2", PROBE_UP);
}

/* A VIP on 192.0.2.1 that is announced. */
static inline struct vip *announced_vip(void)
{
	struct vip *vip = env_vip("web", "192.0.2.1", true);

	both_up();
	env_decide();
	env_notify("192.0.2.1", ROUTE_NOTE_INSTALLED);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env_log_clear();
	env.notifications = 0;
	memset(env.events, 0, sizeof(env.events));
	return vip;
}

#endif /* TESTS_UNIT_VIP_ENV_H */
