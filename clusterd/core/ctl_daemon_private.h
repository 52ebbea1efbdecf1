/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon's files of the control protocol share. */
#ifndef CTL_DAEMON_PRIVATE_H
#define CTL_DAEMON_PRIVATE_H

#include "memory.h"
#include "typesafe.h"

#include "core/accept_list.h"
#include "core/ctl_daemon.h"
#include "core/ctl_io.h"
#include "core/ctl_keychain.h"

#define CONTROL_XPATH	     "/frr-clusterd-control:cluster-control"
#define CONTROL_KEYCHAIN_LEN 64
#define CONTROL_DEFAULT_VRF  "default"

DECLARE_MTYPE(CTL_CONFIG);

struct vty;
struct lyd_node;

PREDECL_RBTREE_UNIQ(control_peers);
PREDECL_RBTREE_UNIQ(control_listens);

struct control_listen {
	struct control_listens_item item;
	struct ctl_listen listen;
};

struct control_peer {
	struct control_peers_item item;
	char vrf[CLUSTER_VRF_LEN];
	struct ipaddr addr;
	uint16_t port;
	struct ipaddr source;  /* IPADDR_NONE: the kernel chooses */
	struct ctl_dial *dial; /* NULL: not dialled, no socket fits */
};

extern int control_listen_cmp(const struct control_listen *a,
			      const struct control_listen *b);
extern int control_peer_cmp(const struct control_peer *a,
			    const struct control_peer *b);
DECLARE_RBTREE_UNIQ(control_listens, struct control_listen, item,
		    control_listen_cmp);
DECLARE_RBTREE_UNIQ(control_peers, struct control_peer, item, control_peer_cmp);

/* Configuration, and what runs because of it. */
struct control {
	char keychain[CONTROL_KEYCHAIN_LEN]; /* "": the protocol is off */
	struct ctl_timers timers;
	char accept[ACCEPT_LIST_NAME_LEN]; /* "": whoever has the key */
	struct control_listens_head listens;
	struct control_peers_head peers;
	struct ctl *ctl; /* NULL: off */
	struct ctl_io *io;
	struct ctl_keychain *keys;
};
extern struct control control;

/* Configuration has changed: what runs follows soon. */
extern void control_changed(void);
/* The same, and who may be a peer is looked at again. */
extern void control_accept_changed(void);
extern struct control_listen *control_listen_find(const struct ctl_listen *key);
extern struct control_peer *
control_peer_find(const char *vrf, const struct ipaddr *addr, uint16_t port);
extern void control_peer_free(struct control_peer *peer);
/* Why the accept list accepts nobody; NULL: all is well, or there is none. */
extern const char *control_accept_problem(void);

/* ctl_daemon_dial.c: calls whom it should, and nobody else. */
extern void control_dials_follow(int64_t now_us);
/* All dials have been freed with the node. */
extern void control_dials_forget(void);

extern void control_cli_init(void);
extern void control_show_init(void);
extern void control_metrics_init(void);
extern void control_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults);
extern void control_cli_write_end(struct vty *vty, const struct lyd_node *dnode);
extern void control_keychain_cli_write(struct vty *vty,
				       const struct lyd_node *dnode,
				       bool show_defaults);
extern void control_timers_cli_write(struct vty *vty,
				     const struct lyd_node *dnode,
				     bool show_defaults);
extern void control_dead_cli_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);
extern void control_accept_cli_write(struct vty *vty,
				     const struct lyd_node *dnode,
				     bool show_defaults);
extern void control_listen_cli_write(struct vty *vty,
				     const struct lyd_node *dnode,
				     bool show_defaults);
extern void control_peer_cli_write(struct vty *vty, const struct lyd_node *dnode,
				   bool show_defaults);

/* Of ctl_nb_state.c, for the table in ctl_nb.c. */
extern const void *control_peer_get_next(struct nb_cb_get_next_args *args);
extern const void *control_socket_get_next(struct nb_cb_get_next_args *args);
extern const void *control_duplicate_get_next(struct nb_cb_get_next_args *args);
extern const void *control_session_get_next(struct nb_cb_get_next_args *args);
extern const void *control_link_get_next(struct nb_cb_get_next_args *args);
extern const void *control_counter_get_next(struct nb_cb_get_next_args *args);
extern int control_peer_get_keys(struct nb_cb_get_keys_args *args);
extern const void *
control_peer_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern int control_socket_get_keys(struct nb_cb_get_keys_args *args);
extern const void *
control_socket_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern int control_session_get_keys(struct nb_cb_get_keys_args *args);
extern const void *
control_session_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern int control_counter_get_keys(struct nb_cb_get_keys_args *args);
extern const void *
control_counter_lookup_entry(struct nb_cb_lookup_entry_args *args);
extern struct yang_data *control_peer_state_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *control_state_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *control_socket_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *control_duplicate_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *control_session_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *control_link_get(struct nb_cb_get_elem_args *args);
extern struct yang_data *control_counter_get(struct nb_cb_get_elem_args *args);
/* A session came up (`reason` "") or ended. */
extern void control_notify(const struct ctl_peer *peer, const char *reason);

#endif /* CTL_DAEMON_PRIVATE_H */
