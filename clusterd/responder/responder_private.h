/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of responder/ share. */
#ifndef CLUSTER_RESPONDER_PRIVATE_H
#define CLUSTER_RESPONDER_PRIVATE_H

#include <time.h>

#include "memory.h"
#include "prefix.h"
#include "typesafe.h"

#include "cluster_vty.h"
#include "core/accept_list.h"
#include "core/cluster_route.h"
#include "probe/probe.h"
#include "responder/responder.h"
#include "responder/responder_decide.h"
#include "responder/responder_handoff.h"
#include "responder/responder_nft.h"
#include "responder/responder_packet.h"

#define RESPONDER_XPATH	      "/frr-clusterd-responder:cluster-responders"
#define RESPONDER_LIST_XPATH  RESPONDER_XPATH "/responder"
#define RESPONDER_DEFAULT_VRF "default"
#define RESPONDER_RATE	      1000 /* echo replies a second */
/* Of the routes that keep the kernel quiet: never to be redistributed. */
#define RESPONDER_TAG 86

DECLARE_MTYPE(RESPONDER);

PREDECL_RBTREE_UNIQ(responders);
PREDECL_RBTREE_UNIQ(responder_addresses);
PREDECL_RBTREE_UNIQ(responder_interfaces);

struct responder;

struct responder_address {
	struct responder_addresses_item item;
	struct ipaddr addr;
	/* State */
	enum responder_state state;
	char why[RESPONDER_WHY_LEN];
	int64_t since_us;
	time_t since_wall;
};

/* An interface to answer on, and its socket. */
struct responder_interface {
	struct responder_interfaces_item item;
	char name[CLUSTER_IFNAME_LEN];
	struct responder *responder;
	/* State */
	bool up;
	bool refused;	   /* the kernel gave no socket */
	char why[64];	   /* it isn't listened on; "": it is */
	int fd;		   /* -1: none */
	ifindex_t ifindex; /* that the socket is of */
	uint8_t mac[RESPONDER_MAC_LEN];
	/* What the socket's filter lets in. */
	size_t n_let_in;
	struct ipaddr let_in[RESPONDER_ADDRESSES_MAX];
	struct event *t_read;
};

struct responder_counters {
	uint64_t received[RESPONDER_KINDS];
	uint64_t arp_sent, neighbor_sent, echo_sent;
	uint64_t held;	   /* echo requests while the condition didn't hold */
	uint64_t filtered; /* ... from a source that isn't accepted */
	uint64_t limited;  /* ... over the rate */
	uint64_t tx_errors;
};

/* Who has asked last. */
struct responder_requester {
	enum responder_kind kind;
	struct ipaddr source;
	struct ipaddr address;
	uint8_t mac[RESPONDER_MAC_LEN];
	struct responder_vlan vlan;
	char ifname[CLUSTER_IFNAME_LEN];
	time_t wall; /* 0: nobody yet */
};

/* The NAT hand-off. */
struct responder_nat {
	/* Configuration */
	bool on;
	/* IPADDR_NONE: what leaves by an interface gets that one's address. */
	struct ipaddr source_v4, source_v6;
	/* State */
	enum handoff_state state;
	char why[RESPONDER_WHY_LEN];
	int64_t since_us;
	time_t since_wall;
	bool rules; /* belong into the kernel, as `wanted` */
	struct nft_handoff wanted;
	bool placed; /* the namespace is known, and is ... */
	vrf_id_t place;
	bool installed; /* the kernel has `there` */
	struct nft_handoff there;
	vrf_id_t there_place;
	int error;	  /* errno of the last transaction */
	int logged_error; /* that the log has */
	struct nft_handoff refused;
	int64_t try_us; /* no other one before */
	struct nft_seen seen;
};

struct responder {
	struct responders_item item;
	char name[CLUSTER_NAME_LEN];
	/* Configuration */
	char vrf[CLUSTER_VRF_LEN];
	struct responder_addresses_head addresses;
	struct responder_interfaces_head interfaces;
	/* Conditions: of those that are configured, all must hold. */
	uint16_t min_tunnels;		/* 0: no condition */
	char tunnels[CLUSTER_NAME_LEN]; /* pattern of their names */
	char probe_name[CLUSTER_NAME_LEN];
	char vip_name[CLUSTER_NAME_LEN];
	uint32_t hold_down_ms;
	char accept[ACCEPT_LIST_NAME_LEN]; /* "": from everybody */
	uint32_t rate;
	bool shutdown;
	struct responder_nat nat;
	/* State */
	struct probe_ref *probe;
	bool kept_up; /* it is another one, without a result yet */
	bool condition_met;
	char condition_why[RESPONDER_WHY_LEN];
	int64_t condition_since_us; /* 0: not looked at yet */
	/* What sockets are asked to let in: those whose MAC is told. */
	size_t n_told;
	struct ipaddr told[RESPONDER_ADDRESSES_MAX];
	bool answers[RESPONDER_ADDRESSES_MAX];
	struct responder_bucket bucket;
	struct responder_counters counters;
	struct responder_requester last;
	int64_t conflict_logged_us;
};

extern int responder_cmp(const struct responder *a, const struct responder *b);
extern int responder_address_cmp(const struct responder_address *a,
				 const struct responder_address *b);
extern int responder_interface_cmp(const struct responder_interface *a,
				   const struct responder_interface *b);
DECLARE_RBTREE_UNIQ(responders, struct responder, item, responder_cmp);
DECLARE_RBTREE_UNIQ(responder_addresses, struct responder_address, item,
		    responder_address_cmp);
DECLARE_RBTREE_UNIQ(responder_interfaces, struct responder_interface, item,
		    responder_interface_cmp);

extern struct responders_head responders;

extern struct responder *responder_find(const char *name);
extern struct responder *responder_add(const char *name);
extern void responder_del(struct responder *responder);
extern void responder_address_add(struct responder *responder,
				  const struct ipaddr *addr);
extern void responder_address_del(struct responder *responder,
				  const struct ipaddr *addr);
extern void responder_interface_add(struct responder *responder,
				    const char *name);
extern void responder_interface_del(struct responder *responder,
				    const char *name);
/* Its configuration has changed: decide soon. */
extern void responder_changed(struct responder *responder);
/* The same; another probe or VRF: it is referred to anew. */
extern void responder_probe_changed(struct responder *responder);

/*
 * Opens, renews or closes the socket of an interface, by what its responder
 * tells (told, n_told) and what the interface is now.
 */
extern void responder_io_follow(struct responder_interface *interface);
extern void responder_io_close(struct responder_interface *interface);
/* At the end, when all are closed. */
extern void responder_io_fini(void);

/* The NAT hand-off: its state, and what there is to do about it. */
extern void responder_nat_update(struct responder *responder, int64_t now_us);
/* Takes its table out at once: the responder ends, or leaves its VRF. */
extern void responder_nat_end(struct responder *responder);
/* `pathspace` (NULL: none) lives as long as the daemon. */
extern void responder_nat_init(const char *pathspace);
extern void responder_nat_fini(void);

/* responder_nb_state.c: tells subscribers that the state has changed, and why. */
extern void responder_notify(const struct responder *responder,
			     const struct responder_address *address);
/* The same of the hand-off. */
extern void responder_notify_handoff(const struct responder *responder);

/* "00:00:5e:00:53:01"; returns `buf`. */
extern const char *responder_mac_text(const uint8_t mac[RESPONDER_MAC_LEN],
				      char buf[ETHER_ADDR_STRLEN]);

extern void responder_cli_init(void);
extern void responder_show_init(void);
extern void responder_metrics_init(void);

struct vty;
struct lyd_node;
#define RESPONDER_CLI_WRITE(name)                                              \
	extern void responder_##name##_cli_write(struct vty *vty,              \
						 const struct lyd_node *dnode, \
						 bool show_defaults)
RESPONDER_CLI_WRITE(entry);
RESPONDER_CLI_WRITE(tunnels);
RESPONDER_CLI_WRITE(condition);
RESPONDER_CLI_WRITE(accept);
RESPONDER_CLI_WRITE(handoff);
RESPONDER_CLI_WRITE(source);
extern void responder_entry_cli_write_end(struct vty *vty,
					  const struct lyd_node *dnode);

/* NULL: it can be a virtual address; else what is wrong with it. */
extern const char *responder_address_flaw(const struct ipaddr *addr);

#endif /* CLUSTER_RESPONDER_PRIVATE_H */
