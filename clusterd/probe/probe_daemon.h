/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of probe/ share that are not pure. */
#ifndef CLUSTER_PROBE_DAEMON_H
#define CLUSTER_PROBE_DAEMON_H

#include "probe/probe_engine.h"
#include "probe/probe_heartbeat.h"
#include "probe/probe_hold_io.h"

struct lyd_node;
struct vty;

#define PROBE_XPATH	 "/frr-clusterd-probe:cluster-probes"
#define PROBE_LIST_XPATH PROBE_XPATH "/probe"

extern struct probe_engine *probe_engine;

/* probe.c: probe_instance_view() with the counters since they were cleared. */
extern void probe_view(struct probe_instance *instance,
		       struct probe_instance_view *view);
extern void probe_hold_view(const struct probe_instance *instance,
			    struct probe_held_view *view);
/* false: it is of another type. */
extern bool probe_beat_view(const struct probe_instance *instance,
			    struct probe_heartbeat_view *view);
extern void probe_counters_clear(struct probe_instance *instance);
/* For programs, as in the YANG module: "pass", "timeout", "refused", ... */
extern const char *probe_result_token(enum probe_result result);
/* Runs that ended without a pass. */
extern uint64_t probe_counters_fails(const struct probe_counters *counters);

/* probe_nb.c: the configuration in list entry `dnode`. */
extern void probe_nb_config(struct probe_config *config,
			    const struct lyd_node *dnode);

/* probe_nb_state.c: tells subscribers that an instance's verdict has changed. */
extern void probe_nb_notify(const struct probe_instance *instance);

/*
 * probe_cli.c: `addr` can be nobody's target or source: `why` gets a text with
 * advice. Asked by the commands and by validation, which must not refuse
 * more: a refused line loses its whole transaction.
 */
extern bool probe_address_refused(const struct ipaddr *addr, char *why,
				  size_t why_len);

extern void probe_cli_show(struct vty *vty, const struct lyd_node *dnode,
			   bool show_defaults);
extern void probe_cli_show_end(struct vty *vty, const struct lyd_node *dnode);
/*
 * For commands: sets leaf `xpath` of the section, or with `value` NULL puts it
 * back to its default (has_default: the module has one); refuses the command.
 */
extern int probe_cli_leaf(struct vty *vty, const char *xpath, const char *value,
			  bool has_default);
extern void probe_cli_init(void);

/* probe_service_cli.c: what only tcp, http and https have. */
extern void probe_service_cli_init(void);
/*
 * `value` of leaf "expect-status", "expect-regex" or "send" makes no sense:
 * `why` gets a text.  Of other leaves none is refused here.
 */
extern bool probe_leaf_refused(const char *leaf, const char *value, char *why,
			       size_t why_len);
/* A leaf whose command is its name, in two words, and its value if any. */
extern void probe_cli_show_words(struct vty *vty, const struct lyd_node *dnode,
				 bool show_defaults);

/* probe_type_cli.c: the commands of single types. */
extern void probe_type_cli_init(void);

extern void probe_show_init(void);
extern void probe_metrics_init(void);

#endif /* CLUSTER_PROBE_DAEMON_H */
