/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node of sim_soak.c: a clusterd made of its pure parts, the zebra and the
 * kernel that it talks to, and the services that it probes.  What cluster_zebra.c,
 * local_netlink.c, vip.c, track.c and responder.c do with FRR's loop is done here
 * with the virtual clock, as little as it takes.
 */
#ifndef TESTS_SIM_SOAK_NODE_H
#define TESTS_SIM_SOAK_NODE_H

#include "config.h"

#include "core/local_table.h"
#include "core/route_table.h"
#include "probe/probe_engine.h"
#include "responder/responder_decide.h"
#include "sim_clock.h"
#include "tests/unit/unit.h"
#include "track/track_decide.h"
#include "vip/vip_decide.h"

#define TARGETS	   8
#define VIPS	   10
#define ADDRESSES  8
#define TRACKS	   4
#define RESPONDERS 3
#define ROUTES_MAX 64

/* -- the configuration: plain data -- */

struct conf {
	struct conf_vip {
		bool present, local, probed_itself, shutdown, drain;
		uint16_t members, drained; /* bits: targets */
		uint8_t addresses;	   /* bits */
		uint8_t min_up, tag;
		int8_t uplink; /* a target, or -1 */
	} vips[VIPS];
	struct conf_track {
		bool shutdown, last_resort;
		uint16_t hops;
	} tracks[TRACKS];
	struct conf_responder {
		bool shutdown;
		uint8_t target, track;
	} responders[RESPONDERS];
};

enum mode {
	ALIVE,
	HANGING,
	REFUSING,
	MODES,
};

/* A route in zebra, and so at the neighbours. */
struct zroute {
	struct cluster_route_key key;
	char text[512];
};

struct sim_soak {
	struct sim_clock *clock;
	struct sim_random random;
	struct conf conf;
	enum mode modes[TARGETS];
	bool unreachable[TARGETS];

	/* zebra */
	bool zebra_up;
	unsigned int epoch; /* of its connection with us */
	int64_t zebra_us;   /* when the last message arrives */
	struct zroute routes[ROUTES_MAX];
	size_t n_routes;
	uint64_t updates;

	/* the kernel's local routes */
	struct cluster_route_key locals[ROUTES_MAX];
	size_t n_locals;

	/* clusterd */
	bool running;
	unsigned int life; /* counts its starts */
	struct probe_engine *engine;
	struct sim_event *engine_timer, *decide_event, *decide_at, *run_event;
	struct route_table *table;
	struct local_table *local;
	struct vip_plan *plan;
	struct vip_life lives[VIPS];
	struct vip_damping dampings[VIPS][ADDRESSES]; /* of local VIPs */
	struct probe_ref *member_refs[VIPS][TARGETS];
	struct probe_ref *hop_refs[TRACKS][TARGETS];
	struct probe_ref *responder_refs[RESPONDERS];
	bool condition[RESPONDERS];
	int64_t condition_us[RESPONDERS];
	enum track_state track_states[TRACKS];
	enum responder_state responder_states[RESPONDERS];
	bool pumping;

	/* What a storm was worth. */
	uint64_t faults, decisions, checked;
};

extern struct sim_soak sim;

/* Time and chance. */
extern int64_t now(void);
extern uint64_t below(uint64_t n);
extern void later(int64_t us, void (*fn)(void *arg), void *arg);

/* Addresses and keys by index. */
extern struct ipaddr target_addr(size_t i);
extern struct ipaddr vip_addr(size_t i);
extern struct cluster_route_key key_of(struct ipaddr ip, uint8_t plen);
/* The last track wants the same prefix as VIPs do. */
extern struct cluster_route_key track_key(size_t i);
extern struct cluster_route_key responder_key(size_t i);

/* What a target is worth as a track's next hop. */
extern uint16_t hop_preference(size_t target);

/* -- sim_soak_around.c -- */

/* What the tables tell zebra and the kernel. */
extern const struct route_table_ops sim_route_ops;
extern const struct local_table_ops sim_local_ops;
/* clusterd's turns with the kernel: ends of holds, reading, leftovers. */
extern void local_run(void *arg);
extern void local_read(void *arg);
extern void local_sweep(void *arg);
/* Where a key is in sim.locals; sim.n_locals: it isn't. */
extern size_t local_find(const struct cluster_route_key *key);
/* The connection is gone, and with it all of our routes. */
extern void zebra_cut(void);

/* zebra ends and comes back; somebody else removes one of its routes. */
extern void zebra_restart(void);
extern void zebra_removed(size_t i);

/* -- sim_soak_node.c -- */

/* sim.conf was changed. */
extern void configured(void);
extern void decide_soon(void);
/* The same configuration, all of it taken out and put back. */
extern void reload(void);
extern void clusterd_start(void *arg);
/* By -9: nothing is tidied up but by those who notice. */
extern void clusterd_kill(void);

#endif /* TESTS_SIM_SOAK_NODE_H */
