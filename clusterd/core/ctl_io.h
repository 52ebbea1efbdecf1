/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDP sockets of the control protocol in FRR's event loop: datagrams in and
 * out in batches (recvmmsg, sendmmsg), several addresses, IPv4 and IPv6, VRFs.
 *
 * An address that can't be listened on (not there yet, VRF not there yet) is
 * tried again every CTL_IO_RETRY_S seconds, and says why meanwhile.
 */
#ifndef CTL_IO_H
#define CTL_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cluster_route.h"
#include "core/ctl_path.h"

#define CTL_IO_SOCKETS_MAX 16
#define CTL_IO_RETRY_S	   2

struct event_loop;
struct ctl_io;

struct ctl_listen {
	char vrf[CLUSTER_VRF_LEN];
	struct ipaddr addr; /* 0.0.0.0 or ::: all of that family */
	uint16_t port;
};

struct ctl_io_ops {
	void (*receive)(void *arg, const struct ctl_path *path,
			const uint8_t *buf, size_t len);
	/* After all that was there has been received. */
	void (*received)(void *arg);
};

extern struct ctl_io *ctl_io_new(struct event_loop *loop,
				 const struct ctl_io_ops *ops, void *arg);
extern void ctl_io_free(struct ctl_io **io);

/*
 * The whole set; sockets of what stays are kept.  Of more than
 * CTL_IO_SOCKETS_MAX the rest isn't opened; returns how many were taken.
 */
extern size_t ctl_io_listen(struct ctl_io *io, const struct ctl_listen *list,
			    size_t n);

/*
 * VRFs may have come or gone: a socket outlives its VRF, and one that comes back
 * under that name is another.  Cheap if nothing is to be done.
 */
extern void ctl_io_vrfs_changed(struct ctl_io *io);

/*
 * The number of the socket (struct ctl_path) from which `remote` is reached in
 * the VRF, with `local` as source (IPADDR_NONE: any).  False: there is none.
 */
extern bool ctl_io_socket(const struct ctl_io *io, const char *vrf,
			  const struct ipaddr *local,
			  const struct ipaddr *remote, uint32_t *number);

/* The VRF of a socket by its number; "" if there is no such socket. */
extern const char *ctl_io_vrf(const struct ctl_io *io, uint32_t number);

/* Sent at the end of the batch or, soon, by ctl_io_flush(). */
extern void ctl_io_send(struct ctl_io *io, const struct ctl_path *path,
			const uint8_t *buf, size_t len);
extern void ctl_io_flush(struct ctl_io *io);

struct ctl_io_view {
	struct ctl_listen listen;
	char why[64]; /* "": it is open */
	uint64_t rx, tx, tx_errors;
};
/* False past the last one. */
extern bool ctl_io_view(const struct ctl_io *io, size_t i,
			struct ctl_io_view *view);

#endif /* CTL_IO_H */
