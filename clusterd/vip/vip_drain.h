/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draining (pure): taking a VIP away in an order that its clients don't
 * notice.  spec: vip.md, "Drain".
 *
 *     phase     no cause   a cause, announced       a cause, not announced
 *     serving   serving    draining                 drained
 *     draining  serving    drained after the time   drained
 *     drained   serving    drained                  drained
 *
 * While it drains the route stays and only its tag is another one: neighbours
 * are told to prefer others, and what still arrives is still served.  A VIP
 * that isn't announced when the cause comes, or fails while it drains, isn't
 * announced again before the cause is gone.
 */
#ifndef CLUSTER_VIP_DRAIN_H
#define CLUSTER_VIP_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#define VIP_DRAIN_DEFAULT_US (30 * INT64_C(1000000))

/* Why a VIP drains; the first one counts if there are several. */
enum vip_drain_cause {
	VIP_DRAIN_NONE,
	VIP_DRAIN_SHUTDOWN, /* `shutdown` */
	VIP_DRAIN_COMMAND,  /* `drain` */
	VIP_DRAIN_FILE,	    /* the file of `drain file` exists */
	VIP_DRAIN_EXIT,	    /* clusterd is about to end */
};

enum vip_drain_phase {
	VIP_DRAIN_SERVING,
	VIP_DRAIN_DRAINING,
	VIP_DRAIN_DRAINED,
};

/* What is remembered; all zero in the beginning. */
struct vip_drain {
	enum vip_drain_phase phase;
	int64_t since_us; /* of the phase */
};

/*
 * `announced`: any of its addresses is, as of the last decision or this one:
 * may be called a second time with what was found out.  `drain_us`: from the
 * beginning to the withdrawal, 0: at once.
 */
extern void vip_drain_step(struct vip_drain *drain, enum vip_drain_cause cause,
			   bool announced, int64_t drain_us, int64_t now_us);

/* When a draining VIP will be drained; 0 in other phases. */
extern int64_t vip_drain_until(const struct vip_drain *drain, int64_t drain_us);

#endif /* CLUSTER_VIP_DRAIN_H */
