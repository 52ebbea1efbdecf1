/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of local routes: addresses that this node delivers to itself by
 * AnyIP (`local VIP dev lo table local`), what is wanted and what the kernel
 * has (pure; requests are fetched by whoever talks to the kernel).
 *
 * An address that isn't wanted any more stays until zebra has taken the
 * announcement away and its hold has passed: packets that neighbours sent
 * before they heard of it are still answered (doc: cases 1, "withdraw, hold,
 * then remove").  zebra doesn't always say so; its word is awaited for
 * LOCAL_WITHDRAWAL_US, and while it can't have come to it (it hangs, or isn't
 * there, and bgpd goes on announcing) for LOCAL_WITHDRAWAL_MAX_US.
 *
 * A network namespace (one for each VRF) is read before anything is written:
 * what another clusterd left there is taken over if it is wanted, else deleted
 * as soon as local_table_sweep() allows it.  One request for an address is
 * under way at a time, and none while the namespace is being read.
 */
#ifndef CLUSTER_LOCAL_TABLE_H
#define CLUSTER_LOCAL_TABLE_H

#include "core/cluster_route.h"

struct local_table;

/* Of an address. */
enum local_status {
	LOCAL_NONE,    /* not wanted, nothing of ours is there */
	LOCAL_WAITING, /* wanted; not confirmed by the kernel yet */
	LOCAL_SET,
	LOCAL_FAILED, /* wanted, refused by the kernel; tried again */
	LOCAL_HELD,   /* not wanted, there until the hold has passed */
	LOCAL_GOING,  /* being deleted */
};

/* "none", "waiting", ... */
extern const char *local_status_name(enum local_status status);

struct local_want {
	struct cluster_route_key key;
	uint32_t hold_ms; /* how long it stays behind the withdrawal */
};

/* zebra confirms a withdrawal within milliseconds, if it does at all. */
#define LOCAL_WITHDRAWAL_US (3 * 1000000LL)
/* Longer than watchfrr takes to end a zebra that hangs, and bgpd with it. */
#define LOCAL_WITHDRAWAL_MAX_US (120 * 1000000LL)
/* How often is looked whether it can have come to it. */
#define LOCAL_WITHDRAWAL_LOOK_US (250 * 1000LL)
/* Leftovers of one namespace that are remembered; the next reading has more. */
#define LOCAL_LEFTOVERS_MAX 65536

struct local_table_ops {
	/* The route is installed in zebra: its withdrawal will be confirmed. */
	bool (*announced)(const struct cluster_route_key *key);
	/* zebra can't have come to the withdrawal yet. */
	bool (*withdrawal_waits)(const struct cluster_route_key *key);
	/* There are requests for this VRF. */
	void (*requests)(const char *vrf);
	/* The status of one that is wanted has changed: decide soon. */
	void (*changed)(void);
};

extern struct local_table *local_table_new(const struct local_table_ops *ops);
extern void local_table_free(struct local_table **table);

/*
 * The whole set that is wanted: in cluster_route_key_cmp() order, without
 * duplicates; copied.  Before zebra is told: ops->announced() is asked for
 * what goes.
 */
extern void local_table_set(struct local_table *table,
			    const struct local_want *wants, size_t n_wants,
			    int64_t now_us);
/* zebra has taken the route away. */
extern void local_table_withdrawn(struct local_table *table,
				  const struct cluster_route_key *key,
				  int64_t now_us);
/* ...all routes, or nobody will say. */
extern void local_table_all_withdrawn(struct local_table *table, int64_t now_us);
/*
 * zebra isn't there any more, and bgpd may go on announcing what it had.  To be
 * called while ops->announced() still knows.
 */
extern void local_table_zebra_lost(struct local_table *table);

/* Ends holds; returns when to be called again (monotonic, us), 0: needn't. */
extern int64_t local_table_run(struct local_table *table, int64_t now_us);

/* From now on leftovers that nobody wants are deleted. */
extern void local_table_sweep(struct local_table *table);

/* What the kernel is to be told. */
enum local_op {
	LOCAL_OP_NONE,
	LOCAL_OP_ADD,
	LOCAL_OP_DEL,
};
struct local_request {
	enum local_op op;
	struct cluster_route_key key;
};

/*
 * The next request for a VRF: true, and local_table_done() must follow with
 * what the kernel said (0 or an errno; it is told again after the next reading
 * of the namespace if it failed).  done() returns whether that is a refusal that
 * isn't the last one again.
 */
extern bool local_table_next(struct local_table *table, const char *vrf,
			     struct local_request *request);
extern bool local_table_done(struct local_table *table,
			     const struct cluster_route_key *key, int error);

/*
 * Reading a namespace: begin, what is there, end.  begin() returns false while
 * requests are under way: later.  A route that was there and is not any more
 * is set again.
 */
extern bool local_table_read_begin(struct local_table *table, const char *vrf);
extern void local_table_read(struct local_table *table,
			     const struct cluster_route_key *key);
extern void local_table_read_end(struct local_table *table, const char *vrf);
/*
 * The connection to a namespace is lost: what is there has to be read again,
 * and is believed to be there until then.  `gone`: so is the namespace.
 */
extern void local_table_lost(struct local_table *table, const char *vrf,
			     bool gone);

/* `error` (may be NULL): the errno of LOCAL_FAILED. */
extern enum local_status local_table_status(const struct local_table *table,
					    const struct cluster_route_key *key,
					    int *error);

struct local_table_counts {
	size_t wanted, set, held, failed;
	uint64_t adds, deletes; /* done so far */
	uint64_t lost;		/* removed by somebody else, set again */
	uint64_t leftovers;	/* of an earlier clusterd, deleted */
};
extern void local_table_count(const struct local_table *table,
			      struct local_table_counts *counts);

/*
 * How long what is there may stay at the most if nothing is wanted any more
 * and zebra answers, us; 0: nothing is there.
 */
extern int64_t local_table_left(const struct local_table *table, int64_t now_us);

#endif /* CLUSTER_LOCAL_TABLE_H */
