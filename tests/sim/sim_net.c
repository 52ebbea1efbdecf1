// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "typesafe.h"

#include "sim_net.h"

PREDECL_RBTREE_UNIQ(own_paths);
PREDECL_DLIST(datagrams);

struct own_path {
	struct own_paths_item item;
	uint32_t from, to;
	struct sim_path path;
};

struct datagram {
	struct datagrams_item item;
	struct sim_net *net;
	struct sim_event *arrival;
	uint32_t from, to;
	size_t len;
	uint8_t data[];
};

static int own_path_cmp(const struct own_path *a, const struct own_path *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}
DECLARE_RBTREE_UNIQ(own_paths, struct own_path, item, own_path_cmp);
DECLARE_DLIST(datagrams, struct datagram, item);

struct node {
	void (*recv)(void *arg, uint32_t from, const void *data, size_t len);
	void *arg;
};

struct sim_net {
	struct sim_clock *clock;
	struct sim_random *random;
	struct sim_path path;
	struct own_paths_head own_paths;
	struct datagrams_head flying;
	struct sim_net_counters counters;
	uint32_t n_nodes;
	struct node nodes[];
};

struct sim_net *sim_net_new(struct sim_clock *clock, struct sim_random *random,
			    uint32_t nodes)
{
	struct sim_net *net =
		calloc(1, sizeof(*net) + nodes * sizeof(net->nodes[0]));

	assert(net);
	net->clock = clock;
	net->random = random;
	net->n_nodes = nodes;
	own_paths_init(&net->own_paths);
	datagrams_init(&net->flying);
	return net;
}

static void datagram_free(struct datagram *datagram)
{
	struct sim_net *net = datagram->net;

	sim_clock_cancel(net->clock, &datagram->arrival);
	datagrams_del(&net->flying, datagram);
	free(datagram);
}

void sim_net_free(struct sim_net **netp)
{
	struct sim_net *net = *netp;
	struct datagram *datagram;
	struct own_path *own;

	if (!net)
		return;
	while ((datagram = datagrams_first(&net->flying)))
		datagram_free(datagram);
	datagrams_fini(&net->flying);
	while ((own = own_paths_pop(&net->own_paths)))
		free(own);
	own_paths_fini(&net->own_paths);
	free(net);
	*netp = NULL;
}

void sim_net_listen(struct sim_net *net, uint32_t node,
		    void (*recv)(void *arg, uint32_t from, const void *data,
				 size_t len),
		    void *arg)
{
	assert(node < net->n_nodes);
	net->nodes[node].recv = recv;
	net->nodes[node].arg = arg;
}

struct sim_path *sim_net_default(struct sim_net *net)
{
	return &net->path;
}

static struct own_path *own_path_find(struct sim_net *net, uint32_t from,
				      uint32_t to)
{
	struct own_path ref = { .from = from, .to = to };

	assert(from < net->n_nodes && to < net->n_nodes);
	return own_paths_find(&net->own_paths, &ref);
}

struct sim_path *sim_net_path(struct sim_net *net, uint32_t from, uint32_t to)
{
	struct own_path *own = own_path_find(net, from, to);

	if (own)
		return &own->path;
	own = calloc(1, sizeof(*own));
	assert(own);
	own->from = from;
	own->to = to;
	own->path = net->path;
	own_paths_add(&net->own_paths, own);
	return &own->path;
}

static void datagram_arrives(void *arg)
{
	struct datagram *datagram = arg;
	struct sim_net *net = datagram->net;
	struct node *node = &net->nodes[datagram->to];

	if (node->recv) {
		net->counters.delivered++;
		node->recv(node->arg, datagram->from, datagram->data,
			   datagram->len);
	} else {
		net->counters.lost++;
	}
	datagram_free(datagram);
}

static void send_copy(struct sim_net *net, const struct sim_path *path,
		      uint32_t from, uint32_t to, const void *data, size_t len)
{
	struct datagram *datagram;
	uint64_t bit;

	if (path->cut || sim_random_chance(net->random, path->loss_ppm)) {
		net->counters.lost++;
		return;
	}
	datagram = calloc(1, sizeof(*datagram) + len);
	assert(datagram);
	datagram->net = net;
	datagram->from = from;
	datagram->to = to;
	datagram->len = len;
	if (len)
		memcpy(datagram->data, data, len);
	if (len && sim_random_chance(net->random, path->corrupt_ppm)) {
		bit = sim_random_below(net->random, len * 8);
		datagram->data[bit / 8] ^= 1 << bit % 8;
		net->counters.corrupted++;
	}
	datagrams_add_tail(&net->flying, datagram);
	sim_clock_at(net->clock,
		     sim_clock_now(net->clock) + path->delay_us +
			     (int64_t)sim_random_below(net->random,
						       path->jitter_us + 1),
		     datagram_arrives, datagram, &datagram->arrival);
}

void sim_net_send(struct sim_net *net, uint32_t from, uint32_t to,
		  const void *data, size_t len)
{
	struct own_path *own = own_path_find(net, from, to);
	const struct sim_path *path = own ? &own->path : &net->path;

	assert(len <= SIM_NET_MTU);
	net->counters.sent++;
	send_copy(net, path, from, to, data, len);
	if (sim_random_chance(net->random, path->double_ppm)) {
		net->counters.doubled++;
		send_copy(net, path, from, to, data, len);
	}
}

const struct sim_net_counters *sim_net_counters(const struct sim_net *net)
{
	return &net->counters;
}
