/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a datagram goes or came from: one of our sockets, our address, the
 * other side's address and port (pure).
 */
#ifndef CTL_PATH_H
#define CTL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "ipaddr.h"

struct ctl_path {
	uint32_t socket;     /* the I/O's number of the socket: VRF and port */
	uint32_t ifindex;    /* of link-local addresses, else 0 */
	uint16_t port;	     /* the other side's, host order */
	struct ipaddr local; /* IPADDR_NONE: the kernel chooses */
	struct ipaddr remote;
};

/*
 * The same path: a local address that one side leaves to the kernel fits any.
 */
extern bool ctl_path_same(const struct ctl_path *a, const struct ctl_path *b);
/* From the same host and port, on whatever address of ours. */
extern bool ctl_path_same_remote(const struct ctl_path *a,
				 const struct ctl_path *b);

/* A total order; paths that differ only in the local address are neighbours. */
extern int ctl_path_cmp(const struct ctl_path *a, const struct ctl_path *b);

/* Why no node can be called at an address; NULL: one may be there. */
extern const char *ctl_remote_flaw(const struct ipaddr *addr);

/* The same of an address to listen on, which may be the one for all. */
extern const char *ctl_listen_flaw(const struct ipaddr *addr);

#define CTL_PATH_BYTES 27
/* The other side as octets, to be hashed; returns `bytes`. */
extern const uint8_t *ctl_path_bytes(const struct ctl_path *path,
				     uint8_t bytes[CTL_PATH_BYTES]);

#endif /* CTL_PATH_H */
