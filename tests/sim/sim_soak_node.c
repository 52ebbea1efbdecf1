// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "printfrr.h"

#include "sim_soak_node.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

struct sim_soak sim;


int64_t now(void)
{
	return sim_clock_now(sim.clock);
}

uint64_t below(uint64_t n)
{
	return sim_random_below(&sim.random, n);
}

void later(int64_t us, void (*fn)(void *arg), void *arg)
{
	sim_clock_at(sim.clock, now() + us, fn, arg, NULL);
}

static struct ipaddr ip4(uint32_t bits)
{
	struct ipaddr ip = {};

	SET_IPADDR_V4(&ip);
	ip.ipaddr_v4.s_addr = htonl(bits);
	return ip;
}

struct ipaddr target_addr(size_t i)
{
	return ip4(0x0a000001 + i);
}

struct ipaddr vip_addr(size_t i)
{
	return ip4(0xc0000201 + i);
}

struct cluster_route_key key_of(struct ipaddr ip, uint8_t plen)
{
	struct cluster_route_key key = {};

	cluster_route_prefix(&key, "default", &ip, plen);
	return key;
}

struct cluster_route_key track_key(size_t i)
{
	return i == TRACKS - 1 ? key_of(vip_addr(0), 32)
			       : key_of(ip4(0xcb007100 + (i << 4)), 28);
}

uint16_t hop_preference(size_t target)
{
	return target * 3 % TARGETS / 2;
}

struct cluster_route_key responder_key(size_t i)
{
	return key_of(ip4(0xc6336401 + i), 32);
}

/* -- probes -- */

struct result {
	unsigned int life;
	uint64_t run_id;
	size_t target;
	const struct probe_instance *inst;
	enum probe_result result;
};

/* Instances that have a run in flight. */
static struct probe_instance *in_flight[64];

static void flight_end(const struct probe_instance *inst)
{
	for (size_t i = 0; i < array_size(in_flight); i++)
		if (in_flight[i] == inst)
			in_flight[i] = NULL;
}

static void result_arrives(void *arg)
{
	struct result *result = arg;

	if (result->life == sim.life && sim.running)
		for (size_t i = 0; i < array_size(in_flight); i++)
			if (in_flight[i] && in_flight[i] == result->inst) {
				struct probe_instance *inst = in_flight[i];

				in_flight[i] = NULL;
				probe_instance_result(inst, result->run_id,
						      result->result, -1, NULL);
				break;
			}
	free(result);
}

static int64_t op_now(void *arg)
{
	return now();
}

static uint32_t op_random(void *arg)
{
	return sim_random_u64(&sim.random) >> 32;
}

static void op_start(void *arg, struct probe_instance *inst,
		     const struct probe_attempt *attempt)
{
	size_t target = ntohl(probe_instance_target(inst)->ipaddr_v4.s_addr) -
			0x0a000001;
	struct result *result;
	size_t slot = 0;

	assert_true(target < TARGETS);
	flight_end(inst);
	while (in_flight[slot])
		assert_true(++slot < array_size(in_flight));
	in_flight[slot] = inst;
	if (sim.modes[target] == HANGING)
		return;
	result = calloc(1, sizeof(*result));
	result->life = sim.life;
	result->run_id = attempt->id;
	result->inst = inst;
	result->result = sim.modes[target] == ALIVE ? PROBE_PASS : PROBE_REFUSED;
	later(SIM_MS * (1 + below(30)), result_arrives, result);
}

static void op_end(void *arg, struct probe_instance *inst)
{
	flight_end(inst);
}

static void op_nothing(void *arg, struct probe_instance *inst)
{
}

static void engine_due(void *arg)
{
	probe_engine_run(sim.engine);
}

static void op_disarm(void *arg)
{
	sim_clock_cancel(sim.clock, &sim.engine_timer);
}

static void op_arm(void *arg, int64_t at_us)
{
	op_disarm(arg);
	sim_clock_at(sim.clock, at_us, engine_due, NULL, &sim.engine_timer);
}

static void op_changed(void *arg, const struct probe_instance *inst)
{
	decide_soon();
}

static const struct probe_engine_ops engine_ops = {
	.now = op_now,
	.random = op_random,
	.start = op_start,
	.cancel = op_end,
	.release = op_nothing,
	.gone = op_end,
	.arm = op_arm,
	.disarm = op_disarm,
	.changed = op_changed,
};

static void probes_configure(void)
{
	struct probe_config *config = probe_engine_edit(sim.engine, "web");

	probe_config_init(config);
	config->type = PROBE_TYPE_TCP;
	config->port = 80;
	config->interval_ms = 500;
	config->rise = 2;
	config->fall = 2;
	config = probe_engine_edit(sim.engine, "way");
	probe_config_init(config);
	config->type = PROBE_TYPE_ICMP;
	config->interval_ms = 1000;
	config->fall = 3;
	probe_engine_apply(sim.engine);
}

/* A reference more or less; the new ones of a change come first. */
static void ref_take(struct probe_ref **ref, bool wanted, const char *probe,
		     size_t target)
{
	struct ipaddr ip = target_addr(target);

	if (wanted && !*ref)
		*ref = probe_engine_ref_get(sim.engine, probe, "default", &ip);
}

static void ref_drop(struct probe_ref **ref, bool wanted)
{
	if (*ref && !wanted)
		probe_ref_put(ref);
}

/* -- clusterd's decisions -- */

static bool vip_refers(const struct conf_vip *vip, size_t v, size_t target)
{
	if (!vip->present)
		return false;
	if (vip->uplink == (int)target)
		return true;
	return vip->local ? target == v % TARGETS : vip->members >> target & 1;
}

static void refs_update(void)
{
	for (int drop = 0; drop < 2; drop++) {
		for (size_t v = 0; v < VIPS; v++)
			for (size_t t = 0; t < TARGETS; t++) {
				bool wanted = vip_refers(&sim.conf.vips[v], v,
							 t);

				if (drop)
					ref_drop(&sim.member_refs[v][t], wanted);
				else
					ref_take(&sim.member_refs[v][t], wanted,
						 "web", t);
			}
		for (size_t k = 0; k < TRACKS; k++)
			for (size_t t = 0; t < TARGETS; t++) {
				bool wanted = sim.conf.tracks[k].hops >> t & 1;

				if (drop)
					ref_drop(&sim.hop_refs[k][t], wanted);
				else
					ref_take(&sim.hop_refs[k][t], wanted,
						 "way", t);
			}
	}
}

static bool ref_up(const struct probe_ref *ref)
{
	return probe_ref_verdict(ref, NULL, 0) == PROBE_UP;
}

static const struct vip_damping_config damping = {
	.flip_us = SIM_S,
	.penalty = 1000,
	.suppress = 3000,
	.reuse = 750,
	.half_life_us = 4 * SIM_S,
	.max_us = 10 * SIM_S,
};

static const char *const vip_names[VIPS] = { "a", "b", "c", "d", "e",
					     "f", "g", "h", "i", "j" };

struct snapshot {
	struct vip_in in[VIPS];
	struct vip_member_in members[VIPS][TARGETS];
	struct ipaddr addresses[VIPS][ADDRESSES];
	struct vip_local_in locals[VIPS][ADDRESSES];
	const struct vip_in *vips[VIPS];
	size_t of[VIPS];
	size_t address_of[VIPS][ADDRESSES];
	size_t n;
};

static void snapshot_vip(struct snapshot *snapshot, size_t v)
{
	const struct conf_vip *conf = &sim.conf.vips[v];
	size_t slot = snapshot->n++;
	struct vip_in *in = &snapshot->in[slot];

	*in = (struct vip_in){
		.name = vip_names[v],
		.vrf = "default",
		.vrf_ready = true,
		.vrf_known = true,
		.tag = conf->tag,
		.distance = 15,
		.min_up = conf->min_up,
		.uplink =
			conf->uplink >= 0 &&
					!ref_up(sim.member_refs[v][conf->uplink])
				? VIP_UPLINK_PROBE
				: VIP_UPLINK_OK,
		.uplink_probe = "web",
		.drain = conf->shutdown ? VIP_DRAIN_SHUTDOWN
			 : conf->drain	? VIP_DRAIN_COMMAND
					: VIP_DRAIN_NONE,
		.drain_us = 5 * SIM_S,
		.damping = &damping,
		.life = &sim.lives[v],
		.local = conf->local,
		.local_hold_ms = 1000,
		.members = snapshot->members[slot],
		.addresses = snapshot->addresses[slot],
		.locals = snapshot->locals[slot],
	};
	for (size_t t = 0; !conf->local && t < TARGETS; t++)
		if (conf->members >> t & 1)
			snapshot->members[slot][in->n_members++] =
				(struct vip_member_in){
					.addr = target_addr(t),
					.weight = 1 + t % 3,
					.probe = ref_up(sim.member_refs[v][t])
							 ? VIP_PROBE_UP
							 : VIP_PROBE_DOWN,
					.reachable = !sim.unreachable[t],
					.drain = conf->drained >> t & 1,
				};
	for (size_t i = 0; i < ADDRESSES; i++) {
		struct vip_local_in *local =
			&snapshot->locals[slot][in->n_addresses];
		struct cluster_route_key key = key_of(vip_addr(i), 32);

		if (!(conf->addresses >> i & 1))
			continue;
		snapshot->address_of[slot][in->n_addresses] = i;
		snapshot->addresses[slot][in->n_addresses++] = vip_addr(i);
		if (!conf->local)
			continue;
		*local = (struct vip_local_in){
			.probe = ref_up(sim.member_refs[v][v % TARGETS])
					 ? VIP_PROBE_UP
					 : VIP_PROBE_DOWN,
			.probed_itself = conf->probed_itself,
			.status = local_table_status(sim.local, &key, NULL),
			.damping = sim.dampings[v][i],
		};
	}
	snapshot->vips[slot] = in;
	snapshot->of[slot] = v;
}

/* What addresses remember; those that aren't there forget. */
static void dampings_take(const struct snapshot *snapshot)
{
	memset(sim.dampings, 0, sizeof(sim.dampings));
	for (size_t slot = 0; slot < snapshot->n; slot++) {
		const struct vip_out *out = &sim.plan->vips[slot];
		size_t v = snapshot->of[slot];

		for (size_t i = 0;
		     out->dampings && i < snapshot->in[slot].n_addresses; i++)
			sim.dampings[v][snapshot->address_of[slot][i]] =
				out->dampings[i];
	}
}

static void decide_at(int64_t at_us);

static void decide_vips(void)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	for (size_t v = 0; v < VIPS; v++)
		if (sim.conf.vips[v].present)
			snapshot_vip(snapshot, v);
		else
			memset(&sim.lives[v], 0, sizeof(sim.lives[v]));
	vip_decide(sim.plan, snapshot->vips, snapshot->n, now());
	local_table_set(sim.local, sim.plan->locals, sim.plan->n_locals, now());
	local_run(NULL);
	route_table_set(sim.table, CLUSTER_OWNER_VIP, sim.plan->routes,
			sim.plan->n_routes, now());
	for (size_t i = 0; i < snapshot->n; i++)
		sim.lives[snapshot->of[i]] = sim.plan->vips[i].life;
	dampings_take(snapshot);
	decide_at(sim.plan->next_us);
	free(snapshot);
}

static int route_cmp(const void *a, const void *b)
{
	return cluster_route_key_cmp(&((const struct cluster_route *)a)->key,
				     &((const struct cluster_route *)b)->key);
}

static int nexthop_cmp(const void *a, const void *b)
{
	return cluster_nexthop_cmp(a, b);
}

static void decide_tracks(void)
{
	struct cluster_nexthop nexthops[TRACKS][TARGETS] = {};
	struct cluster_route routes[TRACKS] = {};
	size_t n = 0;

	for (size_t k = 0; k < TRACKS; k++) {
		const struct conf_track *conf = &sim.conf.tracks[k];
		struct track_hop_facts hops[TARGETS];
		struct cluster_route *route = &routes[n];
		struct track_facts facts = {
			.shutdown = conf->shutdown,
			.zebra = true,
			.vrf_ready = true,
			.last_resort = conf->last_resort,
			.distance = 1,
			.hops = hops,
		};
		struct track_plan plan;
		size_t of[TARGETS];

		for (size_t t = 0; t < TARGETS; t++) {
			if (!(conf->hops >> t & 1))
				continue;
			of[facts.n_hops] = t;
			hops[facts.n_hops++] = (struct track_hop_facts){
				.family = IPADDR_V4,
				.reachable = !sim.unreachable[t],
				.probe = ref_up(sim.hop_refs[k][t])
						 ? TRACK_PROBE_UP
						 : TRACK_PROBE_DOWN,
				.preference = hop_preference(t),
			};
		}
		track_decide(&facts, IPADDR_V4, &plan);
		sim.track_states[k] = plan.state;
		if (!track_installs(plan.state))
			continue;
		route->key = track_key(k);
		route->tag = 200 + k;
		route->distance = plan.distance;
		route->nexthops = nexthops[n++];
		for (size_t i = 0; i < facts.n_hops; i++)
			if (plan.use[i])
				route->nexthops[route->n_nexthops++] =
					(struct cluster_nexthop){
						.gate = target_addr(of[i]),
						.weight = 1,
					};
		qsort(route->nexthops, route->n_nexthops,
		      sizeof(*route->nexthops), nexthop_cmp);
	}
	qsort(routes, n, sizeof(*routes), route_cmp);
	route_table_set(sim.table, CLUSTER_OWNER_TRACK, routes, n, now());
}

static void decide_responders(void)
{
	struct cluster_route routes[RESPONDERS] = {};
	size_t n = 0;

	for (size_t r = 0; r < RESPONDERS; r++) {
		const struct conf_responder *conf = &sim.conf.responders[r];
		bool holds = ref_up(sim.responder_refs[r]) &&
			     sim.track_states[conf->track] == TRACK_UP;
		struct responder_facts facts = {
			.shutdown = conf->shutdown,
			.zebra = true,
			.vrf_known = true,
			.n_addresses = 1,
			.n_interfaces = 1,
			.n_interfaces_up = 1,
			.condition = holds,
			.condition_why = "it doesn't hold",
			.hold_down_ms = 2000,
			.now_us = now(),
		};
		struct responder_plan plan;

		if (holds != sim.condition[r]) {
			sim.condition[r] = holds;
			sim.condition_us[r] = now();
		}
		facts.condition_since_us = sim.condition_us[r];
		responder_decide(&facts, &(struct responder_address_facts){},
				 &plan);
		sim.responder_states[r] = plan.state;
		decide_at(plan.look_again_us);
		if (!responder_hides(plan.state))
			continue;
		routes[n].key = responder_key(r);
		routes[n].tag = 300;
		routes[n].distance = 255;
		routes[n++].blackhole = true;
	}
	route_table_set(sim.table, CLUSTER_OWNER_RESPONDER, routes, n, now());
}

static void decide(void *arg)
{
	if (!sim.running)
		return;
	sim.decisions++;
	sim_clock_cancel(sim.clock, &sim.decide_at);
	decide_vips();
	decide_tracks();
	decide_responders();
}

void decide_soon(void)
{
	if (!sim.decide_event)
		sim_clock_at(sim.clock, now(), decide, NULL, &sim.decide_event);
}

static void decide_due(void *arg)
{
	decide_soon();
}

/* The earliest wish since the last decision. */
static void decide_at(int64_t at_us)
{
	static int64_t at;

	if (!at_us || (sim.decide_at && at <= at_us))
		return;
	at = at_us;
	sim_clock_cancel(sim.clock, &sim.decide_at);
	sim_clock_at(sim.clock, at_us, decide_due, NULL, &sim.decide_at);
}

/* -- clusterd's life -- */

void configured(void)
{
	if (!sim.running)
		return;
	refs_update();
	decide_soon();
}

void clusterd_start(void *arg)
{
	void *life = (void *)(uintptr_t)++sim.life;

	sim.running = true;
	sim.pumping = false;
	sim.table = route_table_new(&sim_route_ops);
	sim.local = local_table_new(&sim_local_ops);
	sim.plan = vip_plan_new();
	sim.engine = probe_engine_new(&engine_ops, NULL);
	probe_engine_set_main(sim.engine);
	memset(sim.lives, 0, sizeof(sim.lives));
	memset(sim.dampings, 0, sizeof(sim.dampings));
	memset(sim.condition, 0, sizeof(sim.condition));
	probes_configure();
	for (size_t r = 0; r < RESPONDERS; r++)
		ref_take(&sim.responder_refs[r], true, "way",
			 sim.conf.responders[r].target);
	configured();
	later(0, local_read, life);
	later(5 * SIM_S, local_sweep, life);
}

void clusterd_kill(void)
{
	sim.running = false;
	probe_engine_free(&sim.engine);
	memset(in_flight, 0, sizeof(in_flight));
	memset(sim.member_refs, 0, sizeof(sim.member_refs));
	memset(sim.hop_refs, 0, sizeof(sim.hop_refs));
	memset(sim.responder_refs, 0, sizeof(sim.responder_refs));
	route_table_free(&sim.table);
	local_table_free(&sim.local);
	vip_plan_free(&sim.plan);
	sim_clock_cancel(sim.clock, &sim.run_event);
	sim_clock_cancel(sim.clock, &sim.decide_event);
	sim_clock_cancel(sim.clock, &sim.decide_at);
	zebra_cut();
}

void reload(void)
{
	struct conf conf = sim.conf;

	if (!sim.running)
		return;
	for (size_t v = 0; v < VIPS; v++)
		sim.conf.vips[v].members ^= 1;
	refs_update();
	sim.conf = conf;
	refs_update();
	probes_configure();
	decide_soon();
}
