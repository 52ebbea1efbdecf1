/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that speak the control protocol in virtual time over a bad network.
 *
 * Node n has SIM_CTL_LINKS addresses, 10.0.LINK.n; on the network that is the
 * address n * SIM_CTL_LINKS + LINK.  Every node has two capabilities:
 *	log	numbers 1, 2, 3 ... in each session: what arrives must be these
 *	table	SIM_CTL_ROWS values that change; each peer has a copy
 * What breaks a promise is counted in `broken` of the world, with a text.
 */
#ifndef TESTS_SIM_CTL_NODE_H
#define TESTS_SIM_CTL_NODE_H

#include "core/ctl_core.h"

#include "sim_net.h"

#define SIM_CTL_LINKS 2
#define SIM_CTL_NODES 16 /* the most */
#define SIM_CTL_ROWS  40
#define SIM_CTL_KEYS  3

struct sim_ctl_world;

/* What a node knows about one other. */
struct sim_ctl_other {
	bool up;
	uint64_t ups, downs;
	enum ctl_reason why; /* of the last down */
	uint32_t log_sent, log_got;
	uint32_t rows[SIM_CTL_ROWS];
	bool seen[SIM_CTL_ROWS]; /* since the full state began */
	bool syncing;
	uint64_t syncs; /* full states that came to their end */
};

struct sim_ctl_node {
	struct sim_ctl_world *world;
	uint32_t index;
	struct ctl_id id;
	struct ctl *ctl; /* NULL: it is down */
	struct sim_event *wake;
	struct ctl_dial *dials[SIM_CTL_NODES][SIM_CTL_LINKS];
	struct sim_ctl_other others[SIM_CTL_NODES];
	uint32_t rows[SIM_CTL_ROWS];
	bool deaf_to_keys; /* its key store is empty */
	uint64_t duplicates;
	bool forbids;		     /* permits nobody */
	unsigned int forbidden_link; /* + 1; permits nobody over it */
	uint64_t refusals;	     /* that were traced */
	uint64_t woken;		     /* how often, as it had asked for */
	struct ctl_capability log, table;
};

/* Wall-clock lifetimes, seconds; 0: without beginning or end. */
struct sim_ctl_key {
	struct ctl_key key;
	int64_t send_from, send_to, accept_from, accept_to;
};

struct sim_ctl_world {
	struct sim_clock *clock;
	struct sim_random random;
	struct sim_net *net;
	struct ctl_config config;
	int64_t wall_us; /* wall clock - monotonic clock */
	struct sim_ctl_key keys[SIM_CTL_KEYS];
	struct sim_ctl_node nodes[SIM_CTL_NODES];
	/* Sees every datagram as it is sent; may be NULL. */
	void (*tap)(struct sim_ctl_world *world, uint32_t from, uint32_t to,
		    const uint8_t *buf, size_t len);
	void *tap_arg;
	/* A node was made, to register more with it; may be NULL. */
	void (*started)(struct sim_ctl_node *node);
	unsigned int broken;
};

extern struct sim_ctl_world *sim_ctl_world_new(uint64_t seed);
extern void sim_ctl_world_free(struct sim_ctl_world **world);
/* Runs for that long; checks after each step that memory is bounded. */
extern void sim_ctl_run(struct sim_ctl_world *world, int64_t for_us);
extern int64_t sim_ctl_now(const struct sim_ctl_world *world);

/* The node's process starts, with its table as it was. */
extern struct sim_ctl_node *sim_ctl_start(struct sim_ctl_world *world,
					  uint32_t index);
extern void sim_ctl_kill(struct sim_ctl_node *node); /* without a word */
extern void sim_ctl_stop(struct sim_ctl_node *node); /* in good order */
/* Keeps a link to the other node. */
extern void sim_ctl_dial(struct sim_ctl_node *node, uint32_t other,
			 unsigned int link);
extern struct ctl_path sim_ctl_path(uint32_t from, uint32_t to,
				    unsigned int link);
extern struct ctl_peer *sim_ctl_peer(struct sim_ctl_node *node, uint32_t other);
/* A number to the other's log; a change of a row, to all. */
extern bool sim_ctl_log(struct sim_ctl_node *node, uint32_t other);
extern void sim_ctl_change(struct sim_ctl_node *node, unsigned int row);

/* Both have a session with each other, and got everything. */
extern bool sim_ctl_settled(const struct sim_ctl_world *world, uint32_t a,
			    uint32_t b);
/* Both ways of a link. */
extern void sim_ctl_cut(struct sim_ctl_world *world, uint32_t a, uint32_t b,
			unsigned int link, bool cut);
/* Puts a datagram into a node as if it came from that node over that link. */
extern void sim_ctl_inject(struct sim_ctl_world *world, uint32_t from,
			   uint32_t to, unsigned int link, const void *buf,
			   size_t len);

#endif /* TESTS_SIM_CTL_NODE_H */
