// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#include "sim_hc_newer.h"
#include "sim_hc_world.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define DEAD_US	     (7 * SIM_S)
#define DEAD_LATE_US (200 * SIM_MS)

struct hcw_message {
	struct hcw_message *next;
	struct hcw_session *session;
	uint32_t generation, from, to;
	uint16_t type;
	size_t len;
	uint8_t data[];
};

static void broken(struct hcw *world, const char *what, uint32_t node)
{
	/* The first says what happened; the rest follows from it. */
	if (world->broken++ < 5)
		fprintf(stderr, "%.3f s: node %u: %s\n", hcw_now(world) / 1e6,
			node, what);
}

static uint32_t index_of(const struct ctl_id *id)
{
	return (uint32_t)id->bytes[1] << 16 | id->bytes[2] << 8 | id->bytes[3];
}

static struct ctl_id id_of(struct hcw *world, uint32_t index)
{
	struct ctl_id id;

	for (int i = 0; i < CTL_ID_LEN; i++)
		id.bytes[i] = (uint8_t)sim_random_u64(&world->random);
	/* The front tells who it is; the rest is what it is assigned by. */
	id.bytes[0] = 0xaa;
	id.bytes[1] = (uint8_t)(index >> 16);
	id.bytes[2] = (uint8_t)(index >> 8);
	id.bytes[3] = (uint8_t)index;
	return id;
}

static bool is_gateway(uint32_t index)
{
	return index < HCW_GATEWAYS;
}

static bool is_hub(uint32_t index)
{
	return index >= HCW_GATEWAYS && index < HCW_INFRA;
}

uint32_t hcw_hub(uint32_t number)
{
	return HCW_GATEWAYS + number;
}

uint32_t hcw_edge(const struct hcw *world, uint32_t number)
{
	return HCW_INFRA + number;
}

int64_t hcw_now(const struct hcw *world)
{
	return sim_clock_now(world->clock);
}

void hcw_run(struct hcw *world, int64_t for_us)
{
	sim_clock_run(world->clock, hcw_now(world) + for_us);
}

static int64_t rnd(struct hcw *world, int64_t limit)
{
	return (int64_t)sim_random_below(&world->random, (uint64_t)limit);
}

/* -- sessions -- */

static struct hcw_session *session_of(struct hcw *world, uint32_t x, uint32_t y)
{
	uint32_t a = x < y ? x : y, b = x < y ? y : x;
	struct hcw_session **slot;

	assert(a < HCW_INFRA && a != b);
	slot = &world->sessions[a][b];
	if (!*slot) {
		*slot = calloc(1, sizeof(**slot));
		assert(*slot);
		(*slot)->world = world;
		(*slot)->a = a;
		(*slot)->b = b;
	}
	return *slot;
}

static void wake(void *arg)
{
	struct hcw_node *node = arg;
	int64_t next_us;

	sim_clock_cancel(node->world->clock, &node->wake);
	next_us = hc_node_run(node->node, hcw_now(node->world));
	/* What it did may have woken it anew. */
	if (next_us != INT64_MAX && !node->wake)
		sim_clock_at(node->world->clock, next_us, wake, node,
			     &node->wake);
}

static void run_soon(struct hcw_node *node)
{
	sim_clock_cancel(node->world->clock, &node->wake);
	sim_clock_at(node->world->clock, hcw_now(node->world), wake, node,
		     &node->wake);
}

static void held_drop(struct hcw_session *session)
{
	for (int side = 0; side < 2; side++)
		while (session->held[side]) {
			struct hcw_message *message = session->held[side];

			session->held[side] = message->next;
			free(message);
		}
}

static void dial_soon(struct hcw_session *session, int64_t least_us,
		      int64_t most_us);

static void come_up(void *arg)
{
	struct hcw_session *session = arg;
	struct hcw *world = session->world;
	struct hcw_node *a = &world->nodes[session->a];
	struct hcw_node *b = &world->nodes[session->b];

	if (!session->wanted || session->up)
		return;
	if (session->cut || !a->node || !b->node) {
		/* As ctl_dial does: up to 5 s between attempts. */
		dial_soon(session, 250 * SIM_MS, 5 * SIM_S);
		return;
	}
	session->up = true;
	session->generation++;
	hc_node_up(a->node, &b->id);
	hc_node_up(b->node, &a->id);
	run_soon(a);
	run_soon(b);
}

static void dial_soon(struct hcw_session *session, int64_t least_us,
		      int64_t most_us)
{
	struct hcw *world = session->world;

	sim_clock_cancel(world->clock, &session->dial);
	if (session->wanted)
		sim_clock_at(world->clock,
			     hcw_now(world) + least_us +
				     rnd(world, most_us - least_us),
			     come_up, session, &session->dial);
}

/* One side or both notice the end. */
static void go_down(struct hcw_session *session, bool clean)
{
	struct hcw *world = session->world;
	struct hcw_node *a = &world->nodes[session->a];
	struct hcw_node *b = &world->nodes[session->b];

	sim_clock_cancel(world->clock, &session->dead);
	if (!session->up)
		return;
	session->up = false;
	session->generation++;
	held_drop(session);
	if (a->node) {
		hc_node_down(a->node, &b->id, clean, hcw_now(world));
		run_soon(a);
	}
	if (b->node) {
		hc_node_down(b->node, &a->id, clean, hcw_now(world));
		run_soon(b);
	}
	dial_soon(session, 50 * SIM_MS, 500 * SIM_MS);
}

static void dead(void *arg)
{
	go_down(arg, false);
}

static void silent(struct hcw_session *session)
{
	struct hcw *world = session->world;

	if (session->up && !session->dead)
		sim_clock_at(world->clock,
			     hcw_now(world) + DEAD_US + 1 +
				     rnd(world, DEAD_LATE_US),
			     dead, session, &session->dead);
}

static void deliver(void *arg)
{
	struct hcw_message *message = arg;
	struct hcw_session *session = message->session;
	struct hcw *world = session->world;
	struct hcw_node *to = &world->nodes[message->to];
	int side = message->to == session->b;
	struct hcw_message **tail = &session->held[side];

	if (session->generation != message->generation || !session->up ||
	    !to->node) {
		free(message);
		return;
	}
	if (session->cut || *tail) {
		while (*tail)
			tail = &(*tail)->next;
		*tail = message;
		return;
	}
	world->messages++;
	if (!hc_node_item(to->node, &world->nodes[message->from].id,
			  message->type, message->data, message->len,
			  hcw_now(world)) &&
	    message->type <= HC_ITEM_PLACE)
		broken(world, "an item that isn't understood", message->to);
	run_soon(to);
	free(message);
}

static bool message_send(void *arg, const struct ctl_id *to_id, uint16_t type,
			 const void *data, size_t len)
{
	struct hcw_node *from = arg;
	struct hcw *world = from->world;
	uint32_t to = index_of(to_id);
	struct hcw_session *session = session_of(world, from->index, to);
	struct hcw_message *message;
	int side = to == session->b;
	int64_t at_us = hcw_now(world) + world->delay_us +
			rnd(world, world->jitter_us + 1);

	if (!session->up || from->dying)
		return false;
	message = malloc(sizeof(*message) + len);
	assert(message);
	*message = (struct hcw_message){
		NULL, session, session->generation, from->index, to, type, len
	};
	if (len)
		memcpy(message->data, data, len);
	if (at_us < session->last_us[side])
		at_us = session->last_us[side];
	session->last_us[side] = at_us;
	sim_clock_at(world->clock, at_us, deliver, message, NULL);
	return true;
}

static bool op_send(void *arg, const struct ctl_id *to, uint16_t type,
		    const void *data, size_t len)
{
	struct hcw_node *from = arg;
	uint8_t more[SIM_HC_NEWER_MAX];

	if (!from->newer)
		return message_send(arg, to, type, data, len);
	message_send(arg, to, HC_ITEM_PLACE + 1, data, len);
	message_send(arg, to, HC_ITEM_LAST, NULL, 0);
	len = sim_hc_newer(type, data, len, more);
	return message_send(arg, to, type, more, len);
}

static const struct hc_node_ops node_ops = { .send = op_send };

static bool role_send(void *arg, const struct ctl_id *to,
		      const struct hc_msg *msg)
{
	struct hcw_node *node = arg;

	return hc_node_send(node->node, to, msg);
}

void hcw_cut(struct hcw *world, uint32_t x, uint32_t y, bool cut)
{
	struct hcw_session *session = session_of(world, x, y);

	if (session->cut == cut)
		return;
	session->cut = cut;
	if (cut) {
		silent(session);
		return;
	}
	/* What was under way comes again, if it isn't too late. */
	if (world->nodes[session->a].node && world->nodes[session->b].node)
		sim_clock_cancel(world->clock, &session->dead);
	for (int side = 0; side < 2; side++) {
		struct hcw_message *list = session->held[side];

		session->held[side] = NULL;
		while (list) {
			struct hcw_message *message = list;

			list = message->next;
			message->next = NULL;
			deliver(message);
		}
	}
}

/* -- gateways -- */

/* Not back within the hold, whoever moves it. */
static void auto_moved(struct hcw *world, const struct hc_event *event)
{
	struct hcw_node *edge = &world->nodes[index_of(&event->edge)];
	int64_t now_us = hcw_now(world);

	if (edge->auto_from_us && !ctl_id_cmp(&event->hub, &edge->auto_from) &&
	    now_us - edge->auto_from_us < world->cluster.auto_hold_ms * SIM_MS)
		broken(world, "auto-rebalance moved it back", edge->index);
	edge->auto_from = event->from;
	edge->auto_from_us = now_us;
}

static void gateway_event(void *arg, const struct hc_event *event)
{
	struct hcw_node *node = arg;
	struct hcw *world = node->world;
	int64_t now_us = hcw_now(world);

	switch (event->type) {
	case HC_EVENT_BULK:
		world->bulks++;
		if (world->bulk_us[node->index] &&
		    now_us - world->bulk_us[node->index] <
			    world->cluster.bulk_hold_ms * SIM_MS)
			broken(world, "bulk moves in the hold", node->index);
		world->bulk_us[node->index] = now_us;
		break;
	case HC_EVENT_MOVED:
		world->moved++;
		if (event->why != HC_WHY_AUTO)
			break;
		world->autos++;
		if (world->auto_us[node->index] &&
		    now_us - world->auto_us[node->index] <
			    world->cluster.auto_interval_ms * SIM_MS)
			broken(world, "auto-rebalance is too fast", node->index);
		if (world->bulk_us[node->index] &&
		    now_us - world->bulk_us[node->index] <
			    world->cluster.bulk_hold_ms * SIM_MS)
			broken(world, "auto-rebalance in a bulk hold",
			       node->index);
		world->auto_us[node->index] = now_us;
		auto_moved(world, event);
		break;
	case HC_EVENT_NOTHING:
		world->nothing++;
		break;
	case HC_EVENT_JOINED:
		world->joined++;
		break;
	case HC_EVENT_LEFT:
		world->left++;
		break;
	case HC_EVENT_REFUSED:
		world->refused++;
		break;
	case HC_EVENT_DIFFERS:
		world->differs++;
		break;
	case HC_EVENT_SAME_ASN:
		world->same_asn++;
		break;
	case HC_EVENT_LOST:
		world->lost++;
		break;
	case HC_EVENT_BACK:
		world->back++;
		break;
	}
}

static const struct hc_gateway_ops gateway_ops = {
	.send = role_send,
	.event = gateway_event,
};

/* -- hubs -- */

static bool hub_accept(void *arg, const struct hc_prefix *prefix)
{
	struct hcw_node *node = arg;

	return prefix->len >= 8 && !node->world->deny_all;
}

static void hub_site(void *arg, const struct hc_site_route *route)
{
	struct hcw_node *node = arg;

	node->sites += !route->leaving;
}

static void hub_sites(void *arg)
{
	struct hcw_node *node = arg;

	node->plans++;
	node->sites = 0;
	hc_hub_sites(node->hub, hub_site, node);
}

static void hub_load(void *arg, struct hc_load *load)
{
	struct hcw_node *node = arg;

	*load = node->load;
	if (node->load_follows)
		load->tunnels = (uint32_t)hc_hub_tunnels(node->hub);
}

static void hub_renew(void *arg, const struct ctl_id *gateway)
{
	struct hcw_node *node = arg;

	go_down(session_of(node->world, node->index, index_of(gateway)), true);
}

static const struct hc_hub_ops hub_ops = {
	.send = role_send,
	.accept = hub_accept,
	.sites = hub_sites,
	.load = hub_load,
	.renew = hub_renew,
};

/* -- edges -- */

static void edge_connect(void *arg, const struct hc_where *where)
{
	struct hcw_node *node = arg;
	uint32_t hub = index_of(&where->hub);
	struct hcw_session *session = session_of(node->world, node->index, hub);

	if (where->port != node->world->hub.port ||
	    where->addresses.n != node->world->hub.addresses.n)
		broken(node->world, "the hub's address is lost", node->index);
	session->wanted = true;
	if (session->up)
		hc_node_want(node->node, &where->hub);
	else
		dial_soon(session, 20 * SIM_MS, 100 * SIM_MS);
}

static void edge_disconnect(void *arg, const struct ctl_id *hub)
{
	struct hcw_node *node = arg;
	struct hcw_session *session = session_of(node->world, node->index,
						 index_of(hub));

	if (node->dying)
		return;
	session->wanted = false;
	sim_clock_cancel(node->world->clock, &session->dial);
	go_down(session, true);
}

/* Those that are told are as good as those that are assigned. */
static void edge_place(void *arg, const struct hc_where *where)
{
	struct hcw_node *node = arg;

	if (where->addresses.n &&
	    (where->port != node->world->hub.port ||
	     where->addresses.n != node->world->hub.addresses.n))
		broken(node->world, "a hub's place is wrong", node->index);
	node->places++;
}

static void edge_places(void *arg, bool begin)
{
}

static void routes_move(struct hcw_node *node, uint32_t to)
{
	struct hcw *world = node->world;

	if (node->hub_now)
		world->nodes[node->hub_now].carried--;
	if (to)
		world->nodes[to].carried++;
	if (!node->hub_now != !to)
		node->since_us = hcw_now(world);
	node->hub_now = to;
}

static void edge_routes(void *arg, const struct hc_addresses *via)
{
	struct hcw_node *node = arg;
	struct hcw *world = node->world;
	uint32_t to = 0;

	/* A hub's end of the tunnel tells which hub it is. */
	if (via && via->n)
		to = ntohl(via->list[0].ipaddr_v4.s_addr) & 0xff;
	if (to && !node->hub_now && node->since_us) {
		int64_t without_us = hcw_now(world) - node->since_us;

		if (without_us > node->worst_us)
			node->worst_us = without_us;
	}
	routes_move(node, to);
}

static void edge_event(void *arg, const struct hc_edge_event *event)
{
	struct hcw_node *node = arg;
	struct hcw *world = node->world;

	if (event->type == HC_EDGE_IGNORED)
		world->ignored++;
	if (event->type != HC_EDGE_MOVED)
		return;
	if (index_of(&event->hub) != node->hub_now)
		broken(world, "routes don't follow", node->index);
	if (ctl_id_is_null(&event->from))
		return;
	node->moves++;
	if (event->why < 64)
		node->moves_by[event->why]++;
}

/* Keepalives aren't played here; see sim_hc_ctl. */
static int64_t edge_quiet_at(void *arg, const struct ctl_id *hub)
{
	return INT64_MAX;
}

static const struct hc_edge_ops edge_ops = {
	.send = role_send,
	.connect = edge_connect,
	.disconnect = edge_disconnect,
	.place = edge_place,
	.places = edge_places,
	.quiet_at = edge_quiet_at,
	.routes = edge_routes,
	.event = edge_event,
};

/* -- nodes -- */

static struct ipaddr v4(uint32_t addr)
{
	struct ipaddr ip = {};

	SET_IPADDR_V4(&ip);
	ip.ipaddr_v4.s_addr = htonl(addr);
	return ip;
}

static void make_hub(struct hcw_node *node)
{
	struct hc_hub_config config = node->world->hub;

	config.capacity = node->load.capacity;
	config.asn = node->index;
	config.tunnel.n = 1;
	config.tunnel.list[0] = v4(0x0a010000 + node->index);
	node->hub = hc_hub_new(&hub_ops, node, &config, hcw_now(node->world));
}

static void make_edge(struct hcw_node *node)
{
	struct hc_edge_config config = node->world->edge;
	struct ipaddr site = v4(0x0b000000 + (node->index << 8));

	config.tunnel.n = 1;
	config.tunnel.list[0] = v4(0x0a020000 + node->index);
	config.n_prefixes = 1;
	hc_prefix_make(&site, 24, &config.prefixes[0]);
	for (uint32_t i = 0; i < HCW_GATEWAYS; i++) {
		config.gateways[i].id = node->world->nodes[i].id;
		config.gateways[i].preference = (uint8_t)(10 + i);
	}
	config.n_gateways = HCW_GATEWAYS;
	node->edge = hc_edge_new(&edge_ops, node, &config, hcw_now(node->world));
}

void hcw_configure(struct hcw *world, uint32_t gateway)
{
	hc_gateway_cluster_set(world->nodes[gateway].gateway, &world->cluster,
			       hcw_now(world));
	run_soon(&world->nodes[gateway]);
}

static void each_session(struct hcw *world, uint32_t index,
			 void (*fn)(struct hcw_session *session))
{
	for (uint32_t i = 0; i < HCW_INFRA; i++)
		if (i < index && world->sessions[i][index])
			fn(world->sessions[i][index]);
	for (uint32_t i = index + 1; index < HCW_INFRA && i < world->n_nodes;
	     i++)
		if (world->sessions[index][i])
			fn(world->sessions[index][i]);
}

/* It has forgotten its sessions. */
static void restarted(struct hcw_session *session)
{
	go_down(session, false);
}

void hcw_start(struct hcw *world, uint32_t index)
{
	struct hcw_node *node = &world->nodes[index];

	assert(!node->node);
	each_session(world, index, restarted);
	node->node = hc_node_new(&node_ops, node, "node");
	if (is_gateway(index)) {
		node->gateway = hc_gateway_new(&gateway_ops, node);
		world->bulk_us[index] = world->auto_us[index] = 0;
		hcw_configure(world, index);
	} else if (is_hub(index)) {
		make_hub(node);
	} else {
		make_edge(node);
		node->since_us = hcw_now(world);
	}
	hc_node_roles(node->node, node->gateway, node->hub, node->edge,
		      hcw_now(world));
	for (uint32_t i = 0; !is_gateway(index) && i < HCW_GATEWAYS; i++) {
		struct hcw_session *session = session_of(world, i, index);

		session->wanted = true;
		dial_soon(session, 10 * SIM_MS, SIM_S);
	}
	run_soon(node);
}

void hcw_start_all(struct hcw *world)
{
	for (uint32_t i = 0; i < world->n_nodes; i++)
		if (i < hcw_hub(world->n_hubs) || i >= HCW_INFRA)
			hcw_start(world, i);
}

static void goodbye(struct hcw_session *session)
{
	if (!session->cut)
		go_down(session, true);
}

/* The process is gone, and with it its roles: their last words go nowhere. */
static void node_free(struct hcw_node *node)
{
	routes_move(node, 0);
	node->dying = true;
	hc_edge_free(&node->edge);
	hc_hub_free(&node->hub);
	hc_gateway_free(&node->gateway);
	hc_node_free(&node->node);
	node->dying = false;
	sim_clock_cancel(node->world->clock, &node->wake);
	node->sites = 0;
	node->since_us = 0;
}

static void hub_unwanted(struct hcw_node *node)
{
	for (uint32_t i = HCW_GATEWAYS; i < HCW_INFRA && i < node->index; i++)
		if (node->world->sessions[i][node->index])
			node->world->sessions[i][node->index]->wanted = false;
}

void hcw_kill(struct hcw *world, uint32_t index)
{
	struct hcw_node *node = &world->nodes[index];

	if (!node->node)
		return;
	node_free(node);
	hub_unwanted(node);
	each_session(world, index, silent);
}

void hcw_stop(struct hcw *world, uint32_t index)
{
	struct hcw_node *node = &world->nodes[index];

	if (!node->node)
		return;
	node_free(node);
	hub_unwanted(node);
	each_session(world, index, goodbye);
}

void hcw_routes(struct hcw *world, uint32_t hub, uint32_t routes)
{
	struct hcw_node *node = &world->nodes[hub];

	hc_hub_routes(node->hub, true, routes, hcw_now(world));
	run_soon(node);
}

void hcw_drain(struct hcw *world, uint32_t hub, bool drain)
{
	struct hcw_node *node = &world->nodes[hub];
	struct hc_hub_self_view view;

	hc_hub_self_view(node->hub, &view);
	view.config.drain = drain;
	hc_hub_config_set(node->hub, &view.config, hcw_now(world));
	run_soon(node);
}

struct hcw *hcw_new(uint64_t seed, uint32_t n_hubs, uint32_t n_edges)
{
	struct hcw *world = calloc(1, sizeof(*world));

	assert(world && n_hubs <= HCW_HUBS);
	world->random.state = seed;
	world->clock = sim_clock_new(SIM_S);
	world->n_hubs = n_hubs;
	world->n_edges = n_edges;
	world->n_nodes = HCW_INFRA + n_edges;
	world->delay_us = 5 * SIM_MS;
	world->jitter_us = 20 * SIM_MS;
	world->nodes = calloc(world->n_nodes, sizeof(*world->nodes));
	assert(world->nodes);
	for (uint32_t i = 0; i < HCW_INFRA; i++) {
		world->sessions[i] = calloc(world->n_nodes,
					    sizeof(struct hcw_session *));
		assert(world->sessions[i]);
	}
	for (uint32_t i = 0; i < world->n_nodes; i++) {
		world->nodes[i].world = world;
		world->nodes[i].index = i;
		world->nodes[i].id = id_of(world, i);
		world->nodes[i].load = (struct hc_load){
			.cpu = 2000,
			.memory = 3000,
			.capacity = n_edges ? n_edges : 1,
			.tunnels_known = true,
		};
		world->nodes[i].load_follows = true;
	}
	hc_cluster_config_default(&world->cluster);
	world->cluster.id = id_of(world, 0xffffff);
	hc_hub_config_default(&world->hub);
	world->hub.cluster = world->cluster.id;
	world->hub.port = 4711;
	world->hub.addresses.n = 1;
	world->hub.addresses.list[0] = v4(0xc0000201);
	hc_edge_config_default(&world->edge);
	world->edge.cluster = world->cluster.id;
	return world;
}

void hcw_free(struct hcw **worldp)
{
	struct hcw *world = *worldp;

	for (uint32_t i = 0; i < world->n_nodes; i++)
		hcw_kill(world, i);
	/* What is under way is delivered to nobody, and freed. */
	for (uint32_t i = 0; i < HCW_INFRA; i++)
		for (uint32_t k = 0; k < world->n_nodes; k++)
			if (world->sessions[i][k])
				world->sessions[i][k]->wanted = false;
	hcw_run(world, 60 * SIM_S);
	for (uint32_t i = 0; i < HCW_INFRA; i++) {
		for (uint32_t k = 0; k < world->n_nodes; k++) {
			if (!world->sessions[i][k])
				continue;
			held_drop(world->sessions[i][k]);
			free(world->sessions[i][k]);
		}
		free(world->sessions[i]);
	}
	sim_clock_free(&world->clock);
	free(world->nodes);
	free(world);
	*worldp = NULL;
}

bool hcw_all_served(const struct hcw *world)
{
	for (uint32_t i = HCW_INFRA; i < world->n_nodes; i++) {
		const struct hcw_node *node = &world->nodes[i];

		if (node->node &&
		    (!node->hub_now || !world->nodes[node->hub_now].node))
			return false;
	}
	return true;
}

uint32_t hcw_moves(const struct hcw *world)
{
	uint32_t moves = 0;

	for (uint32_t i = HCW_INFRA; i < world->n_nodes; i++)
		moves += world->nodes[i].moves;
	return moves;
}

void hcw_count(const struct hcw *world, uint32_t counts[HCW_HUBS])
{
	for (uint32_t i = 0; i < HCW_HUBS; i++)
		counts[i] = world->nodes[hcw_hub(i)].carried;
}
