/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NAT hand-off as messages of nf_tables (pure: bytes in, bytes out).
 *
 * By libnftnl, which only puts messages together and takes them apart.
 * libnftables, with nft(8)'s language, is none for a daemon: it ends the
 * process when the kernel has no nfnetlink, or memory or the kernel's answers
 * aren't as it expects, and brings nft's parser and evaluator along for a few
 * fixed rules.
 *
 * As nft(8) shows it, for an interface eth0:
 *
 *	table inet clusterd/PE {
 *	 counter refused { }
 *	 counter pings { }
 *	 counter flows { }
 *	 chain input {
 *	  type filter hook input priority filter; policy accept;
 *	  iifname "eth0" goto ping
 *	 }
 *	 chain ping {
 *	  icmp type echo-request counter name "pings" drop
 *	  icmpv6 type echo-request counter name "pings" drop
 *	 }
 *	 chain forward {
 *	  type filter hook forward priority filter; policy accept;
 *	  iifname "eth0" goto refuse
 *	 }
 *	 chain refuse {
 *	  ct direction reply accept
 *	  counter name "refused" drop
 *	 }
 *	 chain postrouting {
 *	  type nat hook postrouting priority srcnat; policy accept;
 *	  oifname "eth0" goto translate
 *	 }
 *	 chain translate {
 *	  fib saddr type local return
 *	  fib saddr . oif type local return
 *	  counter name "flows"
 *	  meta nfproto ipv4 snat ip to 192.0.2.1	(if a source is given)
 *	  masquerade
 *	 }
 *	}
 *
 * What comes from the PE's side is forwarded as the reply to a flow that a site
 * has begun, or not at all: neither a flow that is older than the rules nor a
 * packet that belongs to none (`invalid`, untracked) gets through.  What this
 * node itself sends is left alone: a session of its own may be bound to another
 * of its addresses.  Of a VRF that is no namespace the kernel names the VRF's
 * device as the way in, and the real one beside it (sdifname).
 */
#ifndef CLUSTER_RESPONDER_NFT_H
#define CLUSTER_RESPONDER_NFT_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipaddr.h"

#include "responder/responder_handoff.h"

struct nft_handoff {
	char table[HANDOFF_TABLE_LEN];
	bool sdif; /* the interfaces are slaves of a VRF's device */
	size_t n_interfaces;
	char interfaces[RESPONDER_INTERFACES_MAX][IF_NAMESIZE];
	/* To translate to; IPADDR_NONE: the interface's own address. */
	struct ipaddr source_v4, source_v6;
};

enum nft_counter {
	NFT_REFUSED, /* packets of flows that the PE's side has begun */
	NFT_PINGS,   /* echo requests for addresses of this node */
	NFT_FLOWS,   /* flows of sites that got a translation */
	NFT_COUNTERS,
};

/* What the kernel says of a table. */
struct nft_seen {
	uint64_t packets[NFT_COUNTERS];
	uint64_t bytes[NFT_COUNTERS];
	bool counters[NFT_COUNTERS]; /* this one is there */
	size_t rules;
};

/* Room for the largest transaction. */
#define NFT_BATCH_MAX 98304
/* ... for a question. */
#define NFT_QUESTION_MAX 2048

/*
 * A transaction that puts the table in, in the place of one of the same name if
 * there is one, with the counters of `start` (NULL: from zero).  Messages have
 * the numbers from `seq` on; the last one before the end, `*last_seq`, is
 * acknowledged.  Returns the length.
 */
extern size_t nft_install_build(const struct nft_handoff *handoff,
				const struct nft_seen *start, uint32_t seq,
				uint8_t buf[NFT_BATCH_MAX], uint32_t *last_seq);
/* One that takes it out; ENOENT is the kernel's answer when there is none. */
extern size_t nft_remove_build(const char *table, uint32_t seq,
			       uint8_t buf[NFT_QUESTION_MAX],
			       uint32_t *last_seq);

/* Questions, each for a list: all tables; the counters, the rules of one. */
extern size_t nft_tables_ask(uint32_t seq, uint8_t buf[NFT_QUESTION_MAX]);
extern size_t nft_counters_ask(const char *table, uint32_t seq,
			       uint8_t buf[NFT_QUESTION_MAX]);
extern size_t nft_rules_ask(const char *table, uint32_t seq,
			    uint8_t buf[NFT_QUESTION_MAX]);

struct nlmsghdr;
/*
 * An element of such a list.  The name of a table; false: it's none, or doesn't
 * fit.  Counters and rules are noted in `seen`, what else there is isn't.
 */
extern bool nft_table_take(const struct nlmsghdr *nlh, char *buf, size_t len);
extern void nft_seen_take(const struct nlmsghdr *nlh, const char *table,
			  struct nft_seen *seen);

/* The table is whole: nobody has taken anything out of it. */
extern bool nft_seen_whole(const struct nft_seen *seen,
			   const struct nft_handoff *handoff);
extern bool nft_handoff_same(const struct nft_handoff *a,
			     const struct nft_handoff *b);

#endif /* CLUSTER_RESPONDER_NFT_H */
