/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network of nodes that loses, doubles, delays and reorders datagrams, in
 * virtual time.  Nodes are numbers; every ordered pair of them has a path with
 * the network's qualities, or its own.
 */
#ifndef TESTS_SIM_NET_H
#define TESTS_SIM_NET_H

#include <stddef.h>

#include "sim_clock.h"

struct sim_net;

#define SIM_NET_MTU 1500

/* Qualities of a path, one way. */
struct sim_path {
	bool cut;	      /* nothing passes */
	uint32_t loss_ppm;    /* per copy */
	uint32_t double_ppm;  /* a second copy is sent */
	uint32_t corrupt_ppm; /* per copy: one bit is flipped */
	int64_t delay_us;
	int64_t jitter_us; /* more delay, 0 .. jitter_us: this reorders */
};

struct sim_net_counters {
	uint64_t sent, lost, doubled, corrupted, delivered;
};

/* The clock and the random numbers stay the caller's. */
extern struct sim_net *sim_net_new(struct sim_clock *clock,
				   struct sim_random *random, uint32_t nodes);
/* What is under way is lost. */
extern void sim_net_free(struct sim_net **net);

/*
 * What `node` does with a datagram; `data` is valid until it returns. A node
 * that doesn't listen loses what it is sent; so does one that stops listening
 * (recv NULL) what is under way.
 */
extern void sim_net_listen(struct sim_net *net, uint32_t node,
			   void (*recv)(void *arg, uint32_t from,
					const void *data, size_t len),
			   void *arg);

/* Of all paths that have no own qualities; at first perfect, without delay. */
extern struct sim_path *sim_net_default(struct sim_net *net);
/*
 * The own qualities of a path, made as a copy of the default's by the first
 * call. The pointer stays valid.
 */
extern struct sim_path *sim_net_path(struct sim_net *net, uint32_t from,
				     uint32_t to);

/* Sends a copy of `data`; at most SIM_NET_MTU bytes. */
extern void sim_net_send(struct sim_net *net, uint32_t from, uint32_t to,
			 const void *data, size_t len);

extern const struct sim_net_counters *sim_net_counters(const struct sim_net *net);

#endif /* TESTS_SIM_NET_H */
