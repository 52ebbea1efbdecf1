// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_ctl_node.h"

#define LOG_TYPE   300
#define TABLE_TYPE 400
#define PORT	   4200

static void broken(struct sim_ctl_node *node, const char *what, uint32_t other)
{
	/* The first says what happened; the rest follows from it. */
	if (node->world->broken++ < 5)
		fprintf(stderr, "%.3f s: node %u about %u: %s\n",
			sim_ctl_now(node->world) / 1e6, node->index, other,
			what);
}

static struct ctl_id id_of(uint32_t index)
{
	struct ctl_id id = { { 0xaa } };

	id.bytes[CTL_ID_LEN - 1] = (uint8_t)(index + 1);
	return id;
}

static uint32_t index_of(struct ctl_peer *peer)
{
	return ctl_peer_id(peer)->bytes[CTL_ID_LEN - 1] - 1u;
}

struct ctl_path sim_ctl_path(uint32_t from, uint32_t to, unsigned int link)
{
	struct ctl_path path = { .port = PORT };

	SET_IPADDR_V4(&path.local);
	SET_IPADDR_V4(&path.remote);
	path.local.ipaddr_v4.s_addr = htonl(0x0a000000 + (link << 8) + from);
	path.remote.ipaddr_v4.s_addr = htonl(0x0a000000 + (link << 8) + to);
	return path;
}

/* -- ops -- */

static void op_random(void *arg, void *buf, size_t len)
{
	struct sim_ctl_node *node = arg;
	uint8_t *p = buf;

	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)sim_random_u64(&node->world->random);
}

static void op_send(void *arg, const struct ctl_path *path, const uint8_t *buf,
		    size_t len)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_world *world = node->world;
	uint32_t remote = ntohl(path->remote.ipaddr_v4.s_addr);
	uint32_t link = remote >> 8 & 0xff, to = remote & 0xff;

	if (world->tap)
		world->tap(world, node->index, to, buf, len);
	sim_net_send(world->net, node->index * SIM_CTL_LINKS + link,
		     to * SIM_CTL_LINKS + link, buf, len);
}

static bool valid(const struct sim_ctl_world *world, int64_t from, int64_t to)
{
	int64_t wall = (sim_ctl_now(world) + world->wall_us) / SIM_S;

	return (!from || from <= wall) && (!to || wall <= to);
}

static const struct ctl_key *op_key_send(void *arg)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_world *world = node->world;

	if (node->deaf_to_keys)
		return NULL;
	for (int i = 0; i < SIM_CTL_KEYS; i++)
		if (world->keys[i].key.id &&
		    valid(world, world->keys[i].send_from,
			  world->keys[i].send_to))
			return &world->keys[i].key;
	return NULL;
}

static const struct ctl_key *op_key_accept(void *arg, uint32_t id)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_world *world = node->world;

	if (node->deaf_to_keys)
		return NULL;
	for (int i = 0; i < SIM_CTL_KEYS; i++)
		if (id && world->keys[i].key.id == id &&
		    valid(world, world->keys[i].accept_from,
			  world->keys[i].accept_to))
			return &world->keys[i].key;
	return NULL;
}

static void run(void *arg)
{
	struct sim_ctl_node *node = arg;

	node->woken++;
	ctl_run(node->ctl, sim_ctl_now(node->world));
}

static void op_wake(void *arg, int64_t at_us)
{
	struct sim_ctl_node *node = arg;

	sim_clock_cancel(node->world->clock, &node->wake);
	if (at_us != INT64_MAX)
		sim_clock_at(node->world->clock, at_us, run, node, &node->wake);
}

static bool op_permit(void *arg, const struct ctl_id *id,
		      const struct ctl_path *path)
{
	struct sim_ctl_node *node = arg;

	uint32_t link = ntohl(path->remote.ipaddr_v4.s_addr) >> 8 & 0xff;

	return !node->forbids && node->forbidden_link != link + 1;
}

static void op_trace(void *arg, const struct ctl_id *id,
		     const struct ctl_path *path, const char *what,
		     const char *detail)
{
	struct sim_ctl_node *node = arg;

	if (strcmp(what, "session") && strcmp(what, "dial") &&
	    strcmp(what, "link"))
		node->refusals++;
	else
		assert(detail);
}

static void op_duplicate(void *arg, const struct ctl_id *id,
			 const struct ctl_path *path)
{
	struct sim_ctl_node *node = arg;

	node->duplicates++;
}

static const struct ctl_ops ops = {
	.random = op_random,
	.send = op_send,
	.key_send = op_key_send,
	.key_accept = op_key_accept,
	.wake = op_wake,
	.permit = op_permit,
	.duplicate = op_duplicate,
	.trace = op_trace,
};

/* -- capabilities -- */

static void log_up(void *arg, struct ctl_peer *peer)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_other *other = &node->others[index_of(peer)];

	if (other->up)
		broken(node, "up twice", index_of(peer));
	other->up = true;
	other->ups++;
	other->log_sent = other->log_got = 0;
}

static void log_down(void *arg, struct ctl_peer *peer, enum ctl_reason why)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_other *other = &node->others[index_of(peer)];

	if (!other->up)
		broken(node, "down twice", index_of(peer));
	other->up = false;
	other->downs++;
	other->why = why;
}

static void log_item(void *arg, struct ctl_peer *peer, uint16_t type,
		     const uint8_t *data, size_t len)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_other *other = &node->others[index_of(peer)];
	uint32_t number;

	memcpy(&number, data, sizeof(number));
	if (!other->up)
		broken(node, "an item without session", index_of(peer));
	if (number != other->log_got + 1 || len != sizeof(number))
		broken(node, "not the next of the log", index_of(peer));
	other->log_got = number;
}

static void table_item(void *arg, struct ctl_peer *peer, uint16_t type,
		       const uint8_t *data, size_t len)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_other *other = &node->others[index_of(peer)];
	unsigned int row = type - TABLE_TYPE;

	memcpy(&other->rows[row], data, sizeof(other->rows[row]));
	other->seen[row] = true;
}

static void table_sync(void *arg, struct ctl_peer *peer, bool begin)
{
	struct sim_ctl_node *node = arg;
	struct sim_ctl_other *other = &node->others[index_of(peer)];

	if (begin) {
		memset(other->seen, 0, sizeof(other->seen));
		other->syncing = true;
		return;
	}
	if (!other->syncing)
		broken(node, "full state ends without begin", index_of(peer));
	for (int row = 0; row < SIM_CTL_ROWS; row++)
		if (!other->seen[row])
			broken(node, "full state lacks a row", index_of(peer));
	other->syncing = false;
	other->syncs++;
}

static size_t table_full_state(void *arg, struct ctl_peer *peer, size_t from)
{
	struct sim_ctl_node *node = arg;

	for (; from < SIM_CTL_ROWS; from++)
		if (!ctl_send(peer, (uint16_t)(TABLE_TYPE + from),
			      &node->rows[from], sizeof(node->rows[from]),
			      sim_ctl_now(node->world)))
			return from;
	return CTL_SYNC_DONE;
}

bool sim_ctl_log(struct sim_ctl_node *node, uint32_t to)
{
	struct sim_ctl_other *other = &node->others[to];
	struct ctl_peer *peer = sim_ctl_peer(node, to);
	uint32_t number = other->log_sent + 1;

	if (!peer || !ctl_send(peer, LOG_TYPE, &number, sizeof(number),
			       sim_ctl_now(node->world)))
		return false;
	other->log_sent = number;
	return true;
}

void sim_ctl_change(struct sim_ctl_node *node, unsigned int row)
{
	node->rows[row]++;
	for (uint32_t i = 0; i < SIM_CTL_NODES; i++) {
		struct ctl_peer *peer = sim_ctl_peer(node, i);

		if (peer)
			ctl_send(peer, (uint16_t)(TABLE_TYPE + row),
				 &node->rows[row], sizeof(node->rows[row]),
				 sim_ctl_now(node->world));
	}
}

/* -- the world -- */

struct sim_ctl_world *sim_ctl_world_new(uint64_t seed)
{
	struct sim_ctl_world *world = calloc(1, sizeof(*world));

	assert(world);
	world->random.state = seed;
	world->clock = sim_clock_new(SIM_S);
	world->net = sim_net_new(world->clock, &world->random,
				 SIM_CTL_NODES * SIM_CTL_LINKS);
	ctl_config_default(&world->config);
	ctl_key_init(&world->keys[0].key, 1, "first secret", 12);
	return world;
}

void sim_ctl_world_free(struct sim_ctl_world **worldp)
{
	struct sim_ctl_world *world = *worldp;

	for (int i = 0; i < SIM_CTL_NODES; i++)
		if (world->nodes[i].ctl)
			sim_ctl_kill(&world->nodes[i]);
	sim_net_free(&world->net);
	sim_clock_free(&world->clock);
	free(world);
	*worldp = NULL;
}

int64_t sim_ctl_now(const struct sim_ctl_world *world)
{
	return sim_clock_now(world->clock);
}

void sim_ctl_run(struct sim_ctl_world *world, int64_t for_us)
{
	sim_clock_run(world->clock, sim_ctl_now(world) + for_us);
}

void sim_ctl_inject(struct sim_ctl_world *world, uint32_t from, uint32_t to,
		    unsigned int link, const void *buf, size_t len)
{
	struct sim_ctl_node *node = &world->nodes[to];
	struct ctl_path path = sim_ctl_path(to, from, link);

	if (node->ctl)
		ctl_receive(node->ctl, &path, buf, len, sim_ctl_now(world));
}

static void receive(void *arg, uint32_t from, const void *data, size_t len)
{
	struct sim_ctl_node *node = arg;

	sim_ctl_inject(node->world, from / SIM_CTL_LINKS, node->index,
		       from % SIM_CTL_LINKS, data, len);
}

struct sim_ctl_node *sim_ctl_start(struct sim_ctl_world *world, uint32_t index)
{
	struct sim_ctl_node *node = &world->nodes[index];
	struct ctl_config config = world->config;

	assert(!node->ctl && index < SIM_CTL_NODES);
	node->refusals = 0;
	node->world = world;
	node->index = index;
	if (ctl_id_is_null(&node->id))
		node->id = id_of(index);
	config.id = node->id;
	node->ctl = ctl_new(&config, &ops, node, sim_ctl_now(world));
	node->log = (struct ctl_capability){
		.name = "log",
		.type_first = LOG_TYPE,
		.type_last = LOG_TYPE,
		.arg = node,
		.up = log_up,
		.down = log_down,
		.item = log_item,
	};
	node->table = (struct ctl_capability){
		.name = "table",
		.type_first = TABLE_TYPE,
		.type_last = TABLE_TYPE + SIM_CTL_ROWS - 1,
		.arg = node,
		.item = table_item,
		.sync = table_sync,
		.full_state = table_full_state,
	};
	assert(ctl_register(node->ctl, &node->log));
	assert(ctl_register(node->ctl, &node->table));
	if (world->started)
		world->started(node);
	for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
		sim_net_listen(world->net, index * SIM_CTL_LINKS + link,
			       receive, node);
	return node;
}

/* What is counted as refused was told, all of it and once. */
static void check_refusals(struct sim_ctl_node *node)
{
	uint64_t refused = ctl_counter(node->ctl, CTL_REPLY_LIMITED);

	for (int i = CTL_RX_LENGTH; i <= CTL_RX_DUPLICATE_ID; i++)
		refused += ctl_counter(node->ctl, i);
	if (refused != node->refusals)
		broken(node, "refusals that nobody was told of", node->index);
}

void sim_ctl_kill(struct sim_ctl_node *node)
{
	check_refusals(node);
	for (unsigned int link = 0; link < SIM_CTL_LINKS; link++)
		sim_net_listen(node->world->net,
			       node->index * SIM_CTL_LINKS + link, NULL, NULL);
	sim_clock_cancel(node->world->clock, &node->wake);
	ctl_free(&node->ctl);
	memset(node->dials, 0, sizeof(node->dials));
	memset(node->others, 0, sizeof(node->others));
}

void sim_ctl_stop(struct sim_ctl_node *node)
{
	ctl_stop(node->ctl, sim_ctl_now(node->world));
	sim_ctl_kill(node);
}

void sim_ctl_dial(struct sim_ctl_node *node, uint32_t other, unsigned int link)
{
	struct ctl_dial_config config = {
		.path = sim_ctl_path(node->index, other, link),
	};

	node->dials[other][link] = ctl_dial_new(node->ctl, &config,
						sim_ctl_now(node->world));
}

struct ctl_peer *sim_ctl_peer(struct sim_ctl_node *node, uint32_t other)
{
	struct ctl_id id = node->world->nodes[other].id;

	return ctl_peer_find(node->ctl, &id);
}

static bool got_all(const struct sim_ctl_world *world, uint32_t from,
		    uint32_t to)
{
	const struct sim_ctl_node *sender = &world->nodes[from];
	const struct sim_ctl_other *copy = &world->nodes[to].others[from];

	return sender->others[to].up && copy->up && copy->syncs &&
	       sender->others[to].log_sent == copy->log_got &&
	       !memcmp(sender->rows, copy->rows, sizeof(copy->rows));
}

bool sim_ctl_settled(const struct sim_ctl_world *world, uint32_t a, uint32_t b)
{
	return got_all(world, a, b) && got_all(world, b, a);
}

void sim_ctl_cut(struct sim_ctl_world *world, uint32_t a, uint32_t b,
		 unsigned int link, bool cut)
{
	uint32_t x = a * SIM_CTL_LINKS + link, y = b * SIM_CTL_LINKS + link;

	sim_net_path(world->net, x, y)->cut = cut;
	sim_net_path(world->net, y, x)->cut = cut;
}
