/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection that is held open to a checked service (pure): its end tells
 * of the service's death before the next check does.  spec: vip.md,
 * "Detection is where the time goes".
 *
 *          a check passed,             connected
 *          back-off is over
 *     idle -----------------> connecting ---------> held
 *      ^                          |  failed           |  FIN, RST, ICMP error
 *      |                          v                   v
 *      +---------------------- suspect <--------------+
 *        asks for a check
 *
 * The end of a connection is no failure: servers close idle connections.  It
 * only asks for a check, and a passed check opens the next connection.  So a
 * server that closes at once, or a flood of resets, makes no more checks than
 * one a connection; and connections that don't last are opened ever less
 * often: after PROBE_HOLD_BACKOFF_MIN_US, doubled each time up to
 * PROBE_HOLD_BACKOFF_MAX_US.  Meanwhile checks in turn do their work.
 *
 * A verdict of down ends the back-off: the service did die, and while it is down
 * checks are all there is.  It closes the connection, too, which may be half
 * open, for a host that has crashed answers only to what is sent.
 *
 * Times are monotonic microseconds.
 */
#ifndef CLUSTER_PROBE_HOLD_H
#define CLUSTER_PROBE_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* A connection that lasted that long ends the back-off. */
#define PROBE_HOLD_STEADY_US (2 * INT64_C(1000000))

#define PROBE_HOLD_BACKOFF_MIN_US (1 * INT64_C(1000000))
#define PROBE_HOLD_BACKOFF_MAX_US (60 * INT64_C(1000000))

/*
 * From the end of a connection to the check: the kernel closes a dead process's
 * descriptors one after the other, and the check must not meet the listening
 * socket while that is at work.
 */
#define PROBE_HOLD_GRACE_US (2 * INT64_C(1000))

enum probe_hold_state {
	PROBE_HOLD_IDLE,       /* no connection */
	PROBE_HOLD_CONNECTING, /* until at_us */
	PROBE_HOLD_HELD,
	PROBE_HOLD_SUSPECT, /* ended; at at_us a check is asked for */
	PROBE_HOLD_STATES,
};

enum probe_hold_event {
	PROBE_HOLD_PASSED,    /* a check */
	PROBE_HOLD_DOWN,      /* the verdict is down now */
	PROBE_HOLD_CONNECTED, /* the connection is established */
	PROBE_HOLD_LOST,      /* it has ended, or couldn't be established */
	PROBE_HOLD_LOCAL, /* it couldn't be tried, for a reason of our own */
	PROBE_HOLD_TIMER, /* at_us has come */
	PROBE_HOLD_STOP,  /* not wanted any more, or of another service */
	PROBE_HOLD_EVENTS,
};

/* What is to be done now; bits. */
#define PROBE_HOLD_DO_CONNECT 1U /* ends in CONNECTED, LOST or LOCAL */
#define PROBE_HOLD_DO_CLOSE   2U /* also when the attempt is still at work */
#define PROBE_HOLD_DO_CHECK   4U /* probe_instance_now() */

/* All zero: idle.  Written by probe_hold_event() only. */
struct probe_hold {
	enum probe_hold_state state;
	int64_t since_us;     /* of `state` */
	int64_t at_us;	      /* when TIMER is wanted; 0: never */
	int64_t backoff_us;   /* after the last connection; 0: it lasted */
	bool alive;	      /* a check has passed since the last end */
	uint64_t connections; /* established */
	uint64_t lost;	      /* of these, ended by the other side */
	uint64_t failed;      /* attempts */
};

/*
 * `timeout_us`: how long an attempt may take.  An event that means nothing in
 * a state (CONNECTED while idle, a TIMER before its time) changes nothing.
 */
extern unsigned int probe_hold_event(struct probe_hold *hold,
				     enum probe_hold_event event,
				     int64_t now_us, int64_t timeout_us);

/* Idle because of a back-off: how much of it is left; else 0. */
extern int64_t probe_hold_backoff_us(const struct probe_hold *hold,
				     int64_t now_us);

/* "idle", "connecting", "held"; suspect is idle to the outside. */
extern const char *probe_hold_state_str(enum probe_hold_state state);

#endif /* CLUSTER_PROBE_HOLD_H */
