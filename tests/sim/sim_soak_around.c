// SPDX-License-Identifier: GPL-2.0-or-later
/* What is around the node's clusterd: zebra, and the kernel's local routes. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "printfrr.h"

#include "sim_soak_node.h"

/* -- zebra -- */

struct zmessage {
	unsigned int epoch;
	bool add;
	enum route_table_note note;
	struct zroute route;
};

static struct zroute *zebra_find(const struct cluster_route_key *key)
{
	for (size_t i = 0; i < sim.n_routes; i++)
		if (!cluster_route_key_cmp(&sim.routes[i].key, key))
			return &sim.routes[i];
	return NULL;
}

static void zebra_remove(struct zroute *route)
{
	*route = sim.routes[--sim.n_routes];
	sim.updates++;
}

/* Messages of a connection arrive in order. */
static void zebra_post(struct zmessage *message, void (*fn)(void *arg))
{
	int64_t at_us = now() + SIM_MS * (1 + below(20));

	if (at_us < sim.zebra_us)
		at_us = sim.zebra_us;
	sim.zebra_us = at_us;
	message->epoch = sim.epoch;
	sim_clock_at(sim.clock, at_us, fn, message, NULL);
}

static void removed_resend(void *arg)
{
	struct route_table_filter filter = { .removed = true };

	if (sim.running && sim.zebra_up)
		route_table_resend(sim.table, &filter, now());
}

static void zebra_note(void *arg)
{
	struct zmessage *message = arg;

	if (message->epoch == sim.epoch && sim.running) {
		/* As cluster_zebra.c does it. */
		if (message->note == ROUTE_NOTE_REMOVED) {
			local_table_withdrawn(sim.local, &message->route.key,
					      now());
			local_run(NULL);
		}
		if (route_table_notify(sim.table, &message->route.key,
				       message->note, now()) &&
		    message->note == ROUTE_NOTE_REMOVED)
			later(100 * SIM_MS, removed_resend, NULL);
	}
	free(message);
}

static void zebra_take(void *arg)
{
	struct zmessage *message = arg;
	struct zroute *route;

	if (message->epoch != sim.epoch) {
		free(message);
		return;
	}
	route = zebra_find(&message->route.key);
	if (message->add) {
		message->note = ROUTE_NOTE_INSTALLED;
		if (!route || strcmp(route->text, message->route.text) != 0)
			sim.updates++;
		if (!route) {
			assert_true(sim.n_routes < ROUTES_MAX);
			route = &sim.routes[sim.n_routes++];
		}
		*route = message->route;
	} else {
		message->note = ROUTE_NOTE_REMOVED;
		if (route)
			zebra_remove(route);
	}
	zebra_post(message, zebra_note);
}

static void route_text(const struct cluster_route *route, char *buf, size_t len)
{
	snprintfrr(buf, len, "%pIA/-%u tag %u metric %u%s", &route->key.addr,
		   route->key.wildcard, route->tag, route->metric,
		   route->blackhole ? " blackhole" : "");
	for (uint16_t i = 0; i < route->n_nexthops; i++) {
		const struct cluster_nexthop *nexthop = &route->nexthops[i];

		if (nexthop->ifname[0])
			csnprintfrr(buf, len, " %s", nexthop->ifname);
		else
			csnprintfrr(buf, len, " %pIA*%u", &nexthop->gate,
				    nexthop->weight);
	}
}

static enum route_table_sent op_add(const struct cluster_route *route)
{
	struct zmessage *message;

	if (!sim.zebra_up)
		return ROUTE_NOT_SENT;
	message = calloc(1, sizeof(*message));
	message->add = true;
	message->route.key = route->key;
	route_text(route, message->route.text, sizeof(message->route.text));
	zebra_post(message, zebra_take);
	return ROUTE_SENT;
}

static enum route_table_sent op_del(const struct cluster_route_key *key)
{
	struct zmessage *message;

	if (!sim.zebra_up)
		return ROUTE_NOT_SENT;
	message = calloc(1, sizeof(*message));
	message->route.key = *key;
	zebra_post(message, zebra_take);
	return ROUTE_SENT;
}

const struct route_table_ops sim_route_ops = { op_add, op_del };

void zebra_cut(void)
{
	sim.epoch++;
	while (sim.n_routes)
		zebra_remove(&sim.routes[0]);
}

static void zebra_back(void *arg)
{
	sim.zebra_up = true;
	if (!sim.running)
		return;
	route_table_resend(sim.table, &(struct route_table_filter){}, now());
	decide_soon();
}

void zebra_restart(void)
{
	if (!sim.zebra_up)
		return;
	zebra_cut();
	sim.zebra_up = false;
	if (sim.running) {
		local_table_zebra_lost(sim.local);
		route_table_disconnected(sim.table, NULL, now());
		local_run(NULL);
		decide_soon();
	}
	later(SIM_MS * (100 + below(2000)), zebra_back, NULL);
}

void zebra_removed(size_t i)
{
	struct zmessage *message = calloc(1, sizeof(*message));

	message->route = sim.routes[i];
	message->note = ROUTE_NOTE_REMOVED;
	zebra_remove(&sim.routes[i]);
	zebra_post(message, zebra_note);
}

/* -- the kernel's local routes -- */

struct answer {
	unsigned int life;
	int error;
	struct local_request request;
};

size_t local_find(const struct cluster_route_key *key)
{
	size_t i = 0;

	while (i < sim.n_locals && cluster_route_key_cmp(&sim.locals[i], key))
		i++;
	return i;
}

static void local_pump(void *arg);

static void local_answer(void *arg)
{
	struct answer *answer = arg;

	if (answer->life == sim.life && sim.running) {
		local_table_done(sim.local, &answer->request.key, answer->error);
		if (!sim.pumping) {
			sim.pumping = true;
			later(0, local_pump, NULL);
		}
	}
	free(answer);
}

static void local_apply(const struct local_request *request)
{
	struct answer *answer = calloc(1, sizeof(*answer));
	size_t i = local_find(&request->key);

	answer->life = sim.life;
	answer->request = *request;
	if (request->op == LOCAL_OP_ADD) {
		answer->error = i < sim.n_locals ? EEXIST : 0;
		if (!answer->error) {
			assert_true(sim.n_locals < ROUTES_MAX);
			sim.locals[sim.n_locals++] = request->key;
		}
	} else {
		answer->error = i < sim.n_locals ? 0 : ESRCH;
		if (!answer->error)
			sim.locals[i] = sim.locals[--sim.n_locals];
	}
	later(SIM_MS * (1 + below(5)), local_answer, answer);
}

static void local_pump(void *arg)
{
	struct local_request request;

	sim.pumping = false;
	for (int i = 0; sim.running && i < 4 &&
			local_table_next(sim.local, "default", &request);
	     i++)
		local_apply(&request);
}

void local_read(void *arg)
{
	if (!sim.running || (uintptr_t)arg != sim.life)
		return;
	if (!local_table_read_begin(sim.local, "default")) {
		later(SIM_MS, local_read, arg);
		return;
	}
	for (size_t i = 0; i < sim.n_locals; i++)
		local_table_read(sim.local, &sim.locals[i]);
	local_table_read_end(sim.local, "default");
	later(5 * SIM_S, local_read, arg);
}

void local_sweep(void *arg)
{
	if (sim.running && (uintptr_t)arg == sim.life)
		local_table_sweep(sim.local);
}

void local_run(void *arg)
{
	int64_t next_us;

	sim_clock_cancel(sim.clock, &sim.run_event);
	next_us = local_table_run(sim.local, now());
	if (next_us)
		sim_clock_at(sim.clock, next_us, local_run, NULL,
			     &sim.run_event);
}

static bool op_announced(const struct cluster_route_key *key)
{
	return route_table_status(sim.table, CLUSTER_OWNER_VIP, key, NULL) ==
	       CLUSTER_ROUTE_INSTALLED;
}

static bool op_withdrawal_waits(const struct cluster_route_key *key)
{
	return !sim.zebra_up || route_table_owes(sim.table, key);
}

static void op_requests(const char *vrf)
{
	if (sim.pumping)
		return;
	sim.pumping = true;
	later(0, local_pump, NULL);
}

const struct local_table_ops sim_local_ops = {
	.announced = op_announced,
	.withdrawal_waits = op_withdrawal_waits,
	.requests = op_requests,
	.changed = decide_soon,
};
