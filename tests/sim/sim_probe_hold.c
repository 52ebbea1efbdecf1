// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Held connections and the engine in virtual time: services that die and come
 * back, that close idle connections, and that close every connection at once.
 * spec: vip.md, "Detection is where the time goes".
 */
#include "config.h"

#include <string.h>

#include "memory.h"

#include "probe/probe_engine.h"
#include "probe/probe_hold.h"
#include "sim_clock.h"
#include "tests/unit/unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define SERVICES 50
#define ONE_WAY	 (SIM_MS / 2)
#define DYING	 1900 /* from the first descriptor closed to the last */
#define HOUR	 (3600 * SIM_S)

struct service {
	struct ipaddr addr;
	struct probe_ref *ref;
	struct probe_instance *inst;
	struct probe_hold hold;

	bool alive, listening;
	int64_t idle_us; /* connections are closed after that; 0: never */
	int64_t died_us; /* the verdict must follow; 0: it has */
	int64_t accepted_us;

	uint64_t run_id; /* in flight */
	struct sim_event *answer, *timer, *network;
	enum probe_hold_event arrives; /* what `network` brings */
	uint64_t checks, prompted, connects, seen_at_once;
	int64_t last_prompted_us, fast_us;
};

static struct {
	struct sim_clock *clock;
	struct sim_random random;
	struct probe_engine *engine;
	struct sim_event *timer;
	struct service services[SERVICES];
	size_t limit, in_flight; /* of checks; limit 0: none */
	uint64_t deaths, waited;
	bool ending;
} sim;

static int64_t now(void)
{
	return sim_clock_now(sim.clock);
}

static void hold_event(struct service *service, enum probe_hold_event event);

/* ------------------------------------------------------------------------ */
/* The network and the services                                             */

static void arrives(void *arg)
{
	struct service *service = arg;

	hold_event(service, service->arrives);
}

static void sends(struct service *service, enum probe_hold_event event,
		  int64_t after_us)
{
	sim_clock_cancel(sim.clock, &service->network);
	service->arrives = event;
	sim_clock_at(sim.clock, now() + after_us, arrives, service,
		     &service->network);
}

static void idle_out(void *arg)
{
	struct service *service = arg;

	sends(service, PROBE_HOLD_LOST, ONE_WAY);
}

static void connects(struct service *service)
{
	service->connects++;
	sends(service,
	      service->listening ? PROBE_HOLD_CONNECTED : PROBE_HOLD_LOST,
	      2 * ONE_WAY);
}

/* What has been accepted is closed first, then the listening socket. */
static void dead(void *arg)
{
	struct service *service = arg;

	if (!service->alive)
		service->listening = false;
}

static void die(struct service *service)
{
	service->alive = false;
	service->died_us = now();
	sim.deaths++;
	if (service->hold.state == PROBE_HOLD_HELD)
		sends(service, PROBE_HOLD_LOST, ONE_WAY);
	sim_clock_at(sim.clock, now() + DYING, dead, service, NULL);
}

static void revive(struct service *service)
{
	service->alive = service->listening = true;
	service->died_us = 0;
}

/* ------------------------------------------------------------------------ */
/* The hold                                                                 */

static void hold_due(void *arg)
{
	hold_event(arg, PROBE_HOLD_TIMER);
}

static void hold_event(struct service *service, enum probe_hold_event event)
{
	unsigned int todo = probe_hold_event(&service->hold, event, now(),
					     300 * SIM_MS);

	sim_clock_cancel(sim.clock, &service->timer);
	if (service->hold.at_us)
		sim_clock_at(sim.clock, service->hold.at_us, hold_due, service,
			     &service->timer);
	if (todo & PROBE_HOLD_DO_CLOSE)
		sim_clock_cancel(sim.clock, &service->network);
	if (todo & PROBE_HOLD_DO_CONNECT)
		connects(service);
	if (todo & PROBE_HOLD_DO_CHECK)
		probe_instance_now(service->inst);
	if (event == PROBE_HOLD_CONNECTED && service->idle_us)
		sim_clock_at(sim.clock, now() + service->idle_us, idle_out,
			     service, &service->network);
}

/* ------------------------------------------------------------------------ */
/* The engine                                                               */

static struct service *service_of(const struct probe_instance *inst)
{
	const struct ipaddr *addr = probe_instance_target(inst);

	return &sim.services[ntohl(addr->ipaddr_v4.s_addr) - 0x0a000000];
}

static int64_t op_now(void *arg)
{
	return now();
}

static uint32_t op_random(void *arg)
{
	return sim_random_u64(&sim.random) >> 32;
}

static void answered(void *arg)
{
	struct service *service = arg;
	bool passed = service->listening;

	sim.in_flight--;
	probe_instance_result(service->inst, service->run_id,
			      passed ? PROBE_PASS : PROBE_REFUSED, -1, NULL);
	if (passed)
		hold_event(service, PROBE_HOLD_PASSED);
}

static bool waits(void)
{
	struct probe_engine_load load;

	probe_engine_load(sim.engine, &load);
	return load.queued > 0;
}

static void op_start(void *arg, struct probe_instance *inst,
		     const struct probe_attempt *attempt)
{
	struct service *service = service_of(inst);
	struct probe_instance_view view;

	service->inst = inst;
	service->checks++;
	service->run_id = attempt->id;
	sim.in_flight++;
	sim.waited += waits();
	if (sim.limit)
		assert_true(sim.in_flight <= sim.limit);
	sim_clock_at(sim.clock, now() + 2 * ONE_WAY, answered, service,
		     &service->answer);
	/* At most one out of turn a fast interval. */
	probe_instance_view(inst, &view);
	if (view.counters.prompted == service->prompted)
		return;
	service->prompted = view.counters.prompted;
	if (service->last_prompted_us)
		assert_true(now() - service->last_prompted_us >=
			    service->fast_us);
	service->last_prompted_us = now();
}

static void op_cancel(void *arg, struct probe_instance *inst)
{
	assert_true(sim.ending);
}

static void op_gone(void *arg, struct probe_instance *inst)
{
}

static void timer_due(void *arg)
{
	probe_engine_run(sim.engine);
}

static void op_disarm(void *arg)
{
	sim_clock_cancel(sim.clock, &sim.timer);
}

static void op_arm(void *arg, int64_t at_us)
{
	op_disarm(arg);
	sim_clock_at(sim.clock, at_us, timer_due, NULL, &sim.timer);
}

static void op_changed(void *arg, const struct probe_instance *inst)
{
	struct service *service;

	if (!inst || sim.ending)
		return;
	service = service_of(inst);
	if (probe_instance_verdict(inst, NULL, 0) != PROBE_DOWN)
		return;
	assert_false(service->alive); /* nothing that lives is called dead */
	if (service->died_us && now() - service->died_us < 10 * SIM_MS)
		service->seen_at_once++;
	service->died_us = 0;
	hold_event(service, PROBE_HOLD_DOWN);
}

static const struct probe_engine_ops ops = {
	.now = op_now,
	.random = op_random,
	.start = op_start,
	.cancel = op_cancel,
	.gone = op_gone,
	.arm = op_arm,
	.disarm = op_disarm,
	.changed = op_changed,
};

/* ------------------------------------------------------------------------ */

static void begin_limited(size_t limit, uint32_t interval_ms, uint32_t fast_ms,
			  uint8_t fall)
{
	struct probe_config *config;

	memset(&sim, 0, sizeof(sim));
	sim.limit = limit;
	sim.random.state = 42;
	sim.clock = sim_clock_new(1000 * SIM_S);
	sim.engine = probe_engine_new(&ops, NULL);
	probe_engine_limit(sim.engine, limit);
	config = probe_engine_edit(sim.engine, "web");
	config->type = PROBE_TYPE_TCP;
	config->port = 80;
	config->interval_ms = interval_ms;
	config->fast_interval_ms = fast_ms;
	config->fall = fall;
	config->rise = 1;
	probe_engine_apply(sim.engine);
	for (uint32_t i = 0; i < SERVICES; i++) {
		struct service *service = &sim.services[i];

		SET_IPADDR_V4(&service->addr);
		service->addr.ipaddr_v4.s_addr = htonl(0x0a000000 + i);
		service->fast_us = (fast_ms ? fast_ms : interval_ms) * SIM_MS;
		revive(service);
		service->ref = probe_engine_ref_get(sim.engine, "web",
						    "default", &service->addr);
	}
	sim_clock_run(sim.clock, now() + 3 * SIM_S);
}

static void begin(uint32_t interval_ms, uint32_t fast_ms, uint8_t fall)
{
	begin_limited(0, interval_ms, fast_ms, fall);
}

static void end(void)
{
	sim.ending = true;
	probe_engine_free(&sim.engine);
	sim_clock_free(&sim.clock);
}

static void pass(int64_t us)
{
	sim_clock_run(sim.clock, now() + us);
}

/* With fall 1 a death is known within milliseconds, every single time. */
static void test_death(void **state)
{
	uint64_t seen = 0;

	begin(1000, 0, 1);
	for (int i = 0; i < 1000; i++) {
		struct service *service =
			&sim.services[sim_random_below(&sim.random, SERVICES)];

		assert_int_equal(service->hold.state, PROBE_HOLD_HELD);
		die(service);
		pass(sim_random_below(&sim.random, 5 * SIM_S));
		revive(service);
		pass(3 * SIM_S);
	}
	for (int i = 0; i < SERVICES; i++)
		seen += sim.services[i].seen_at_once;
	assert_int_equal(sim.deaths, 1000);
	/* A death, or a revival, so soon that nobody noticed is none. */
	assert_between(seen, 990, 1000);
	end();
}

/* Of a host with many services all at once; and afterwards turns are spread. */
static void test_death_of_all(void **state)
{
	begin(1000, 0, 1);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < SERVICES; i++)
			die(&sim.services[i]);
		pass(20 * SIM_MS);
		for (int i = 0; i < SERVICES; i++) {
			assert_int_equal(sim.services[i].seen_at_once,
					 round + 1);
			revive(&sim.services[i]);
		}
		pass(10 * SIM_S);
	}
	end();
}

/* fall 3: the failures repeat at the fast interval. */
static void test_fall(void **state)
{
	struct service *service = &sim.services[7];
	int64_t died;

	begin(10000, 200, 3);
	pass(20 * SIM_S);
	die(service);
	died = now();
	while (service->died_us)
		assert_true(sim_clock_step(sim.clock));
	assert_between(now() - died, 400 * SIM_MS, 410 * SIM_MS);
	end();
}

/* Idle connections are closed: no failure, and a check each. */
static void test_polite(void **state)
{
	begin(1000, 0, 1);
	for (int i = 0; i < SERVICES; i++)
		sim.services[i].idle_us = 5 * SIM_S;
	pass(HOUR);
	for (int i = 0; i < SERVICES; i++) {
		struct service *service = &sim.services[i];

		assert_int_equal(probe_ref_verdict(service->ref, NULL, 0),
				 PROBE_UP);
		/* The first was held before; then one each 5 s. */
		if (service->hold.lost == 0)
			continue;
		assert_between(service->hold.lost, 700, 720);
		assert_between(service->checks, 3600, 3600 + 730);
		assert_int_equal(service->hold.failed, 0);
	}
	end();
}

/* Closes every connection at once: hardly any check more than without. */
static void test_storm(void **state)
{
	uint64_t connects = 0;

	begin(1000, 10, 1);
	for (int i = 0; i < SERVICES; i++) {
		sim.services[i].idle_us = 1;
		sends(&sim.services[i], PROBE_HOLD_LOST, ONE_WAY);
	}
	pass(HOUR);
	for (int i = 0; i < SERVICES; i++) {
		struct service *service = &sim.services[i];

		assert_between(service->connects, 60, 72);
		assert_between(service->checks, 3600, 3600 + 80);
		assert_int_equal(probe_ref_verdict(service->ref, NULL, 0),
				 PROBE_UP);
		service->idle_us = 0;
		connects += service->connects;
	}
	/* It lasts again: the back-off ends with it. */
	pass(2 * PROBE_HOLD_BACKOFF_MAX_US);
	for (int i = 0; i < SERVICES; i++)
		assert_int_equal(sim.services[i].hold.state, PROBE_HOLD_HELD);
	assert_true(connects > 0);
	end();
}

/* Everything at random; in the end all is as it should be. */
static void random_life(size_t limit)
{
	begin_limited(limit, 1000, 100, 2);
	for (int i = 0; i < 20000; i++) {
		struct service *service =
			&sim.services[sim_random_below(&sim.random, SERVICES)];

		switch (sim_random_below(&sim.random, 5)) {
		case 0:
			if (service->alive)
				die(service);
			break;
		case 1:
			revive(service);
			break;
		case 2:
			if (service->hold.state == PROBE_HOLD_HELD)
				sends(service, PROBE_HOLD_LOST, ONE_WAY);
			break;
		case 3:
			service->idle_us = sim_random_below(&sim.random, SIM_S);
			break;
		case 4:
			/* Somebody wants to know, of all of them. */
			for (int j = 0; j < SERVICES; j++)
				probe_instance_now(sim.services[j].inst);
			break;
		}
		pass(sim_random_below(&sim.random, 300 * SIM_MS));
	}
	for (int i = 0; i < SERVICES; i++) {
		sim.services[i].idle_us = 0;
		revive(&sim.services[i]);
	}
	pass(3 * PROBE_HOLD_BACKOFF_MAX_US);
	for (int i = 0; i < SERVICES; i++) {
		assert_int_equal(probe_ref_verdict(sim.services[i].ref, NULL, 0),
				 PROBE_UP);
		assert_int_equal(sim.services[i].hold.state, PROBE_HOLD_HELD);
	}
	assert_true(sim.deaths > 1000);
	assert_int_equal(sim.waited > 1000, limit != 0);
	end();
}

static void test_random(void **state)
{
	random_life(0);
}

/* More checks than may run at a time: none of them is forgotten. */
static void test_random_limited(void **state)
{
	random_life(1);
	random_life(5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_death),
		cmocka_unit_test(test_death_of_all),
		cmocka_unit_test(test_fall),
		cmocka_unit_test(test_polite),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
