// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Half an hour of a node's life under virtual time, with everything that decides
 * about routes in it: probes, VIPs with members and local ones, tracked routes,
 * responders, the tables of zebra's and of local routes.
 *
 * Each minute begins with a storm: services die, hang and come back, next hops
 * vanish, zebra restarts, clusterd is killed, somebody else removes routes, the
 * configuration is edited and reloaded.  Then it is quiet, and zebra and the
 * kernel have to have exactly what configuration and health imply, by a second,
 * naive way to say so; and although probes, readings and decisions go on, and
 * the same configuration is loaded again, no route changes any more: each
 * change would be an UPDATE.  Back at the first configuration there are as many
 * objects as there were then.
 *
 * spec: issue 5, "Soak".
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "printfrr.h"

#include "sim_soak_node.h"

#define MINUTES 30

#define STORM_US  (15 * SIM_S)
#define SETTLE_US (33 * SIM_S) /* longer than damping and PROBE_LINGER_US */
#define QUIET_US  (12 * SIM_S)

/* -- storms -- */

static void random_vip(struct conf_vip *vip)
{
	vip->present = below(8) > 0;
	vip->local = below(4) == 0;
	vip->probed_itself = below(4) == 0;
	vip->shutdown = below(10) == 0;
	vip->drain = below(10) == 0;
	vip->members = below(1 << TARGETS);
	vip->drained = below(4) ? 0 : below(1 << TARGETS);
	vip->addresses = 1 << below(ADDRESSES) | 1 << below(ADDRESSES);
	vip->min_up = 1 + below(3);
	vip->tag = 80 + below(5);
	vip->uplink = below(4) ? -1 : (int)below(TARGETS);
}

static void random_track(struct conf_track *track)
{
	track->shutdown = below(8) == 0;
	track->last_resort = below(2);
	track->hops = below(1 << TARGETS);
}

static void edit(void)
{
	switch (below(3)) {
	case 0:
		random_track(&sim.conf.tracks[below(TRACKS)]);
		break;
	case 1:
		sim.conf.responders[below(RESPONDERS)].shutdown ^= true;
		break;
	default:
		random_vip(&sim.conf.vips[below(VIPS)]);
		break;
	}
	configured();
}

static void removed_by_others(void)
{
	if (below(2) && sim.n_locals) {
		sim.locals[below(sim.n_locals)] = sim.locals[sim.n_locals - 1];
		sim.n_locals--;
	} else if (sim.n_routes) {
		zebra_removed(below(sim.n_routes));
	}
}

static void fault(void)
{
	size_t target = below(TARGETS);

	sim.faults++;
	switch (below(16)) {
	case 0:
		zebra_restart();
		break;
	case 1:
		if (sim.running) {
			clusterd_kill();
			later(SIM_MS * (500 + below(4000)), clusterd_start,
			      NULL);
		}
		break;
	case 2:
		removed_by_others();
		break;
	case 3:
		sim.unreachable[target] ^= true;
		if (sim.running)
			decide_soon();
		break;
	case 4:
	case 5:
	case 6:
		edit();
		break;
	case 7:
		reload();
		break;
	default:
		/* A flapping service. */
		sim.modes[target] = sim.modes[target] != ALIVE
					    ? ALIVE
					    : 1 + below(MODES - 1);
		break;
	}
}

static void storm(void)
{
	int64_t end_us = now() + STORM_US;

	while (now() < end_us) {
		fault();
		sim_clock_run(sim.clock, now() + SIM_MS * (1 + below(1200)));
	}
	/* Else there would be little to compare. */
	for (size_t t = 0; t < TARGETS; t++)
		if (below(2))
			sim.modes[t] = ALIVE;
	/* Who was killed last is back before it counts as quiet. */
	sim_clock_run(sim.clock, end_us + 5 * SIM_S);
	assert_true(sim.running && sim.zebra_up);
}

/* -- what is implied -- */

static bool implied_member(const struct conf_vip *vip, size_t t)
{
	return (vip->members >> t & 1) && !(vip->drained >> t & 1) &&
	       sim.modes[t] == ALIVE && !sim.unreachable[t];
}

static bool implied_vip(const struct conf_vip *vip, size_t v)
{
	size_t up = 0;

	if (!vip->present || vip->shutdown || vip->drain ||
	    (vip->uplink >= 0 && sim.modes[vip->uplink] != ALIVE))
		return false;
	if (vip->local)
		return sim.modes[v % TARGETS] == ALIVE;
	for (size_t t = 0; t < TARGETS; t++)
		up += implied_member(vip, t);
	return up >= vip->min_up;
}

/* Lines of what zebra should have, sorted by qsort() later. */
struct lines {
	char text[ROUTES_MAX][512];
	size_t n;
};

static int line_cmp(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void implied_address(struct lines *lines, size_t i)
{
	char *line = lines->text[lines->n];
	bool wanted = false, lo = false;
	uint16_t members = 0;
	uint8_t tag = 0;
	struct ipaddr ip = vip_addr(i);

	for (size_t v = 0; v < VIPS; v++) {
		const struct conf_vip *vip = &sim.conf.vips[v];

		if (!(vip->addresses >> i & 1) || !implied_vip(vip, v))
			continue;
		if (!wanted)
			tag = vip->tag;
		wanted = true;
		lo |= vip->local;
		for (size_t t = 0; !vip->local && t < TARGETS; t++)
			members |= implied_member(vip, t) << t;
	}
	if (!wanted)
		return;
	lines->n++;
	snprintfrr(line, sizeof(lines->text[0]), "%pIA/-0 tag %u metric 0", &ip,
		   tag);
	if (lo)
		csnprintfrr(line, sizeof(lines->text[0]), " lo");
	for (size_t t = 0; t < TARGETS; t++) {
		struct ipaddr gate = target_addr(t);

		if (members >> t & 1)
			csnprintfrr(line, sizeof(lines->text[0]), " %pIA*%u",
				    &gate, (unsigned int)(1 + t % 3));
	}
}

/* The best preference of a track's next hops that are usable; -1: none. */
static int implied_best(const struct conf_track *track, bool alive)
{
	int best = -1;

	for (size_t t = 0; t < TARGETS; t++)
		if ((track->hops >> t & 1) && !sim.unreachable[t] &&
		    (!alive || sim.modes[t] == ALIVE))
			best = hop_preference(t) > best ? hop_preference(t)
							: best;
	return best;
}

static void implied_track(struct lines *lines, size_t k)
{
	const struct conf_track *track = &sim.conf.tracks[k];
	struct cluster_route_key key = track_key(k);
	bool alive = implied_best(track, true) >= 0;
	int best = implied_best(track, alive);
	char *line = lines->text[lines->n];

	if (track->shutdown || best < 0 || (!alive && !track->last_resort))
		return;
	/* A VIP's address is the VIP's. */
	for (size_t v = 0; k == TRACKS - 1 && v < VIPS; v++)
		if ((sim.conf.vips[v].addresses & 1) &&
		    implied_vip(&sim.conf.vips[v], v))
			return;
	lines->n++;
	snprintfrr(line, sizeof(lines->text[0]), "%pIA/-%u tag %u metric 0",
		   &key.addr, key.wildcard, (unsigned int)(200 + k));
	for (size_t t = 0; t < TARGETS; t++) {
		struct ipaddr gate = target_addr(t);

		if ((track->hops >> t & 1) && !sim.unreachable[t] &&
		    (!alive || sim.modes[t] == ALIVE) &&
		    hop_preference(t) == best)
			csnprintfrr(line, sizeof(lines->text[0]), " %pIA*1",
				    &gate);
	}
}

static bool implied_answers(size_t r)
{
	const struct conf_responder *responder = &sim.conf.responders[r];
	const struct conf_track *track = &sim.conf.tracks[responder->track];

	return !responder->shutdown && sim.modes[responder->target] == ALIVE &&
	       !track->shutdown && implied_best(track, true) >= 0;
}

static void implied_responder(struct lines *lines, size_t r)
{
	struct cluster_route_key key = responder_key(r);

	assert_int_equal(sim.responder_states[r],
			 sim.conf.responders[r].shutdown ? RESPONDER_SHUTDOWN
			 : implied_answers(r)		 ? RESPONDER_ANSWERING
							 : RESPONDER_HELD);
	if (sim.conf.responders[r].shutdown)
		return;
	snprintfrr(lines->text[lines->n++], sizeof(lines->text[0]),
		   "%pIA/-0 tag 300 metric 0 blackhole", &key.addr);
}

static void check_zebra(void)
{
	static struct lines wanted, found;

	wanted.n = found.n = 0;
	for (size_t i = 0; i < ADDRESSES; i++)
		implied_address(&wanted, i);
	for (size_t k = 0; k < TRACKS; k++)
		implied_track(&wanted, k);
	for (size_t r = 0; r < RESPONDERS; r++)
		implied_responder(&wanted, r);
	for (size_t i = 0; i < sim.n_routes; i++)
		strlcpy(found.text[found.n++], sim.routes[i].text,
			sizeof(found.text[0]));
	qsort(wanted.text, wanted.n, sizeof(wanted.text[0]), line_cmp);
	qsort(found.text, found.n, sizeof(found.text[0]), line_cmp);
	for (size_t i = 0; i < wanted.n && i < found.n; i++)
		assert_string_equal(found.text[i], wanted.text[i]);
	assert_int_equal(found.n, wanted.n);
	sim.checked += wanted.n;
}

static void check_locals(void)
{
	for (size_t i = 0; i < ADDRESSES; i++) {
		struct cluster_route_key key = key_of(vip_addr(i), 32);
		bool wanted = false;

		for (size_t v = 0; v < VIPS; v++) {
			const struct conf_vip *vip = &sim.conf.vips[v];

			wanted |= vip->present && vip->local &&
				  !vip->shutdown && !vip->drain &&
				  (vip->addresses >> i & 1) &&
				  (vip->probed_itself ||
				   sim.modes[v % TARGETS] == ALIVE);
		}
		assert_int_equal(local_find(&key) < sim.n_locals, wanted);
	}
}

/* Everything as it should be, and nothing that changes without a reason. */
static void check_quiet(void)
{
	struct route_table_counts before, after;
	uint64_t updates = sim.updates;
	struct local_table_counts locals, locals_after;

	check_zebra();
	check_locals();
	route_table_count(sim.table, &before);
	local_table_count(sim.local, &locals);
	assert_int_equal(before.by_status[CLUSTER_ROUTE_INSTALLED],
			 before.wanted);
	for (int64_t end_us = now() + QUIET_US; now() < end_us;) {
		if (below(3) == 0)
			reload();
		decide_soon();
		sim_clock_run(sim.clock, now() + SIM_MS * (1 + below(900)));
	}
	check_zebra();
	check_locals();
	route_table_count(sim.table, &after);
	local_table_count(sim.local, &locals_after);
	assert_int_equal(sim.updates, updates);
	assert_int_equal(after.adds, before.adds);
	assert_int_equal(after.deletes, before.deletes);
	assert_int_equal(locals_after.adds, locals.adds);
	assert_int_equal(locals_after.deletes, locals.deletes);
}

/* -- memory -- */

static int count_allocations(void *arg, struct memgroup *mg, struct memtype *mt)
{
	size_t *n = arg;

	if (mt)
		*n += mt->n_alloc;
	return 0;
}

static size_t allocations(void)
{
	size_t n = 0;

	qmem_walk(count_allocations, &n);
	return n;
}

/* -- half an hour -- */

static void all_well(const struct conf *conf)
{
	sim.conf = *conf;
	memset(sim.modes, 0, sizeof(sim.modes));
	memset(sim.unreachable, 0, sizeof(sim.unreachable));
	configured();
	sim_clock_run(sim.clock, now() + SETTLE_US);
	check_quiet();
}

static void half_an_hour(uint64_t seed)
{
	struct conf first;
	size_t n_allocated;
	int64_t end_us;

	memset(&sim, 0, sizeof(sim));
	sim.random.state = seed;
	sim.clock = sim_clock_new(1000 * SIM_S);
	sim.zebra_up = true;
	for (size_t v = 0; v < VIPS; v++)
		random_vip(&sim.conf.vips[v]);
	/* A plan has memory for these from the first one on. */
	sim.conf.vips[0].present = sim.conf.vips[0].local = true;
	for (size_t k = 0; k < TRACKS; k++)
		random_track(&sim.conf.tracks[k]);
	for (size_t r = 0; r < RESPONDERS; r++)
		sim.conf.responders[r] = (struct conf_responder){
			.target = below(TARGETS),
			.track = below(TRACKS),
		};
	first = sim.conf;
	clusterd_start(NULL);
	end_us = now() + MINUTES * 60 * SIM_S;
	all_well(&first);
	n_allocated = allocations();
	for (unsigned int round = 1; now() < end_us; round++) {
		storm();
		sim_clock_run(sim.clock, now() + SETTLE_US);
		check_quiet();
		if (round % 5 == 0) {
			all_well(&first);
			assert_int_equal(allocations(), n_allocated);
		}
	}
	clusterd_kill();
	sim_clock_run(sim.clock, now() + 10 * SIM_S);
	sim_clock_free(&sim.clock);
}

static void test_soak(void **state)
{
	uint64_t checked = 0;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		half_an_hour(seed * UINT64_C(0x9e3779b97f4a7c15));
		checked += sim.checked;
		print_message("seed %ju: %ju faults, %ju decisions, %ju changes of routes\n",
			      (uintmax_t)seed, (uintmax_t)sim.faults,
			      (uintmax_t)sim.decisions, (uintmax_t)sim.updates);
		assert_true(sim.faults > 200);
		assert_true(sim.updates > 200);
	}
	/* There was something to compare. */
	assert_true(checked > 8 * 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_soak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
