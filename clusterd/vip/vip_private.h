/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The VIPs' objects: shared by the files of this folder only.
 *
 * vip_nb.c and vip_extra_nb.c write the configuration and call vip_changed();
 * everything else in the objects has its one writer in vip.c or, of states,
 * vip_report.c; vip_show.c and the operational callbacks read.
 */
#ifndef CLUSTER_VIP_PRIVATE_H
#define CLUSTER_VIP_PRIVATE_H

#include <time.h>

#include "typesafe.h"

#include "probe/probe.h"
#include "vip/bgp_sight.h"
#include "vip/bgp_wanted.h"
#include "vip/vip.h"
#include "vip/vip_leave.h"
#include "vip/vip_life.h"
#include "vip/vip_nexthop.h"
#include "vip/vip_policy.h"
#include "vip/vip_uplink.h"

#define VIP_XPATH "/frr-clusterd-vip:cluster-vips"

/* As the descriptions of yang/frr-clusterd-vip.yang. */
#define VIP_DEFAULT_VRF	     "default"
#define VIP_DEFAULT_METRIC   0
#define VIP_DEFAULT_DISTANCE 15
#define VIP_DEFAULT_MIN_UP   1
#define VIP_DEFAULT_WEIGHT   1
#define VIP_DEFAULT_HOLD_MS  1000

/* Long enough for every reason. */
#define VIP_WHY_LEN 640

PREDECL_RBTREE_UNIQ(vip_members);
PREDECL_RBTREE_UNIQ(vip_addresses);
PREDECL_RBTREE_UNIQ(vips);
PREDECL_DLIST(vip_dirty);
PREDECL_DLIST(vip_unreported);

/* When a state was entered. */
struct vip_since {
	int64_t us;  /* monotonic */
	time_t wall; /* for people and other machines */
};

struct vip_member {
	struct vip_members_item item;
	struct vip *vip;

	/* configuration */
	struct ipaddr addr;
	char ifname[CLUSTER_IFNAME_LEN];
	char probe[VIP_NAME_LEN]; /* "": the VIP's */
	uint8_t weight;
	bool drain;

	/* holds; NULL: none needed */
	struct probe_ref *ref;	 /* the first one */
	struct probe_ref **more; /* mostly there are none */
	size_t n_refs;
	struct vip_nexthop *nexthop;
	/* up by the probes before, until the new one has a verdict of its own */
	bool kept_up;

	/* state */
	enum vip_why why;
	struct vip_since since; /* of being up or down */
};

struct vip_address {
	struct vip_addresses_item item;
	struct vip *vip;
	struct ipaddr addr;

	/* state */
	enum vip_state state;
	struct vip_reason reason;
	uint16_t n_nexthops;
	uint8_t ramp; /* weight in tenths; 0: not decided yet */
	struct vip_since since;

	struct bgp_sight sight; /* bgp_look.c: what bgpd says of it */

	/* of a local VIP: the service here, checked as a member is; or NULL */
	struct vip_member *service;
	struct vip_damping damping; /* what it remembers for the decisions */
};

struct vip {
	struct vips_item item;
	struct vip_dirty_item dirty_item;
	struct vip_unreported_item unreported_item;
	bool dirty;	 /* its configuration has changed since the decision */
	bool unreported; /* zebra has said something of its routes since then */
	size_t index;	 /* in the plan of the last decision */

	/* configuration */
	char name[VIP_NAME_LEN];
	char vrf[CLUSTER_VRF_LEN];
	char probe[VIP_NAME_LEN]; /* "": none */
	char **also;		  /* further probes, in the order of names */
	size_t n_also;
	uint8_t probe_need; /* so many have to pass; 0: all */
	uint32_t tag;
	uint32_t metric;
	uint8_t distance;
	uint16_t min_up;
	bool shutdown;
	struct vip_attributes *attributes; /* NULL: none */
	struct vip_life_config life_config;
	struct vip_drain_file *drain_file;   /* NULL: none */
	struct vip_uplink_condition *uplink; /* NULL: none */
	bool local;
	uint32_t local_hold_ms;
	struct vip_members_head members;
	struct vip_addresses_head addresses;

	/* how it is announced: as configured, or so far; see bgp_policy.c */
	struct bgp_announced announced;

	/* what the decision sees; the arrays follow the configuration */
	struct vip_in in;
	struct vip_member_in *in_members;
	struct ipaddr *in_addresses;
	struct vip_member **member_of; /* parallel to in_members */
	struct vip_address **address_of;
	struct vip_local_in *in_locals; /* parallel to in_addresses, if local */

	/* state */
	enum vip_state state;
	struct vip_reason reason; /* of the VIP as a whole */
	struct ipaddr culprit;	  /* or the address that explains the state */
	uint32_t n_up, n_announced;
	struct vip_since since;
	struct vip_life life; /* what it remembers for the decisions */
};

extern int vip_member_cmp(const struct vip_member *a,
			  const struct vip_member *b);
extern int vip_address_cmp(const struct vip_address *a,
			   const struct vip_address *b);
extern int vip_cmp(const struct vip *a, const struct vip *b);

DECLARE_RBTREE_UNIQ(vip_members, struct vip_member, item, vip_member_cmp);
DECLARE_RBTREE_UNIQ(vip_addresses, struct vip_address, item, vip_address_cmp);
DECLARE_RBTREE_UNIQ(vips, struct vip, item, vip_cmp);

/* By name. */
extern struct vips_head vips;

/* NULL if there is none. */
extern struct vip *vip_find(const char *name);
extern struct vip_member *vip_member_find(struct vip *vip,
					  const struct ipaddr *addr);
extern struct vip_address *vip_address_find(struct vip *vip,
					    const struct ipaddr *addr);

/* Gives the leaves that have a default theirs. */
extern void vip_config_default(struct vip *vip);
/* With the defaults.  The name or address must not exist. */
extern struct vip *vip_add(const char *name);
extern struct vip_member *vip_member_add(struct vip *vip,
					 const struct ipaddr *addr);
extern void vip_address_add(struct vip *vip, const struct ipaddr *addr);
extern void vip_del(struct vip *vip);
extern void vip_member_del(struct vip_member *member);
extern void vip_address_del(struct vip_address *address);

/* The configuration of `vip` has changed: decide soon. */
extern void vip_changed(struct vip *vip);

/* A VIP's attributes, to be changed; most VIPs have none, and no memory for it. */
extern struct vip_attributes *vip_attributes_edit(struct vip *vip);
/* How many announced VIPs are to drain when clusterd ends. */
extern size_t vip_exit_drains(void);

/* Forgets how it flapped: what is healthy comes up. */
extern void vip_damping_forget(struct vip *vip);

/* Reasons as texts, "" if there is nothing to say; they return `buf`. */
extern const char *vip_why_text(struct vip *vip, char *buf, size_t len);
extern const char *vip_address_why_text(const struct vip_address *address,
					char *buf, size_t len);
extern const char *vip_member_why_text(const struct vip_member *member,
				       char *buf, size_t len);

/* Numbers about how an address comes and goes, now. */
struct vip_address_life {
	uint32_t penalty; /* for flapping */
	uint8_t weight;	  /* slow start: tenths, VIP_RAMP_FULL in the end */
	int64_t left_us; /* until it is let through or withdrawn; 0: nothing waits */
};
extern void vip_address_life(const struct vip_address *address,
			     struct vip_address_life *life);

/* -- vip_report.c -- */

/*
 * One report: begin, VIPs, each with what its plan says, end.  That returns when
 * time itself changes a state that was reported (0: never): decide then.
 */
extern void vip_report_begin(int64_t now_us);
extern void vip_report_members(struct vip *vip, const struct vip_out *out);
extern void vip_report_addresses(struct vip *vip, const struct vip_out *out);
extern int64_t vip_report_end(void);
extern void vip_report_fini(void);
/*
 * Of what is about to be deleted, if it is announced: a VIP with all it has, or
 * one address of a VIP that stays.
 */
extern void vip_report_removed(const struct vip *vip);
extern void vip_report_address_removed(const struct vip_address *address);
extern void vip_since_now(struct vip_since *since, int64_t at_us);

/* -- vip_member.c -- */

/* A VIP's further probes; the name must not be there, or must be. */
extern void vip_also_add(struct vip *vip, const char *probe);
extern void vip_also_del(struct vip *vip, const char *probe);
extern void vip_also_clear(struct vip *vip);

/* The name of a member's `i`th probe; NULL: it has no more. */
extern const char *vip_member_probe(const struct vip_member *member, size_t i);
/* All of them, "" for none; returns `buf`. */
#define VIP_PROBES_LEN 512
extern const char *vip_member_probes_text(const struct vip_member *member,
					  char *buf, size_t len);
/*
 * Being up by the probes before ends with the first word of the new ones, or
 * when one of them is not known any more.  Before each vip_member_probe_state().
 */
extern void vip_member_review(struct vip_member *member);
/* What they say together. */
extern enum vip_probe_state
vip_member_probe_state(const struct vip_member *member);
/* Whether any of its probes checks its own address. */
extern bool vip_member_probed_itself(const struct vip_member *member);
/* The probe that explains member->why, and its own reason (`why`). */
extern void vip_member_probe_facts(const struct vip_member *member,
				   struct vip_member_facts *facts, char *why,
				   size_t len);

/*
 * Takes the holds that the configuration asks for.  The new ones before the
 * old ones go: what stays the same is never without a user.  `serves`: of one
 * that has no probe so far, whether it is up.
 */
extern void vip_member_hold(struct vip_member *member, bool serves);
extern void vip_member_release(struct vip_member *member);

/* Interface up, or without one: resolved by zebra. */
extern bool vip_member_reachable(const struct vip_member *member);

/*
 * vip_show.c: the routes' tag, by which route-maps know them, but for drain and
 * slow start; `made`: of the VIP's attributes.
 */
extern uint32_t vip_route_tag(const struct vip *vip, bool *made);

/* bgp_look.c: whether bgpd has an announced address, where a map is kept. */
extern enum bgp_seen bgp_look(const struct vip_address *address);
/* What to do if it hasn't. */
extern void bgp_look_text(const struct vip_address *address, char *buf,
			  size_t len);
/* How many it hasn't. */
extern size_t bgp_look_missing(void);

/* vip_nb_state.c: sends the YANG notification vip-status-change. */
extern void vip_notify(struct vip *vip);

/* vip_local.c: holds, snapshot and state of the addresses of local VIPs. */
extern void vip_local_take(struct vip_address *address);
extern void vip_local_drop(struct vip_address *address);
extern void vip_local_refresh(struct vip *vip);
/* What the addresses remember, by the plan of the last decision. */
extern void vip_local_remember(struct vip *vip, const struct vip_out *out);
/* The local route's status; `error`: as local_route_status(). */
extern enum local_status vip_local_status(const struct vip_address *address,
					  int *error);
/* It is there only so that the service, which isn't up, can be checked. */
extern bool vip_local_for_check(const struct vip_address *address);

extern void vip_cli_init(void);
extern void vip_attr_cli_init(void);
extern void vip_life_cli_init(void);
extern void vip_show_init(void);
extern void vip_metrics_init(void);

#endif /* CLUSTER_VIP_PRIVATE_H */
