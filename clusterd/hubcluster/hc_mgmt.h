/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of hub clustering's management share: CLI, northbound, show. */
#ifndef HC_MGMT_H
#define HC_MGMT_H

#include "cluster_vty.h"
#include "hubcluster/hc_daemon_private.h"

#define HCD_XPATH	  "/frr-clusterd-hub:hub-clustering"
#define HCD_CLUSTER_XPATH HCD_XPATH "/cluster"
#define HCD_HUB_XPATH	  HCD_XPATH "/hub"
#define HCD_EDGE_XPATH	  HCD_XPATH "/edge"

/* -- commands: hc_cli.c, and one file for each kind of section -- */

extern void hcd_cli_init(void);
extern void hcd_cluster_cli_init(void);
extern void hcd_hub_cli_init(void);
extern void hcd_edge_cli_init(void);
extern void hcd_show_init(void);
extern void hcd_notify_init(void);

/* The ID as the configuration has it; false: it said what is wrong. */
extern bool hcd_cli_id(struct vty *vty, const char *what, const char *text,
		       char canonical[CTL_ID_TEXT_LEN]);
/* A leaf with an ID; NULL: it goes. */
extern int hcd_cli_id_leaf(struct vty *vty, const char *xpath, const char *what,
			   const char *text);
/* A number; its default isn't kept.  NULL: it goes. */
extern int hcd_cli_number(struct vty *vty, const char *xpath, const char *value,
			  uint32_t preset);
/* One of several leaves of a line, to be applied with them; NULL: it goes. */
extern void hcd_cli_enqueue(struct vty *vty, const char *leaf,
			    const char *value);
/* An entry more or less of a leaf-list that has room for `max`. */
extern int hcd_cli_entry(struct vty *vty, bool no, const char *list,
			 const char *value, size_t max);
/* False: `entry` would be one too many of the list, and it said so. */
extern bool hcd_cli_room(struct vty *vty, const char *list, const char *entry,
			 size_t max);
/* The same with an address of a host, or a prefix, which it looks at. */
extern int hcd_cli_address(struct vty *vty, bool no, const char *list,
			   const char *text, size_t max);
extern int hcd_cli_prefix(struct vty *vty, bool no, const char *list,
			  const char *text, size_t max);
extern int hcd_cli_vrf(struct vty *vty, const char *xpath, const char *name);
/* Printable and without spaces, of less than `len` characters. */
extern bool hcd_cli_word_ok(struct vty *vty, const char *what, const char *text,
			    size_t len);
extern bool hcd_cli_path_ok(struct vty *vty, const char *path);

#define HCD_CLI_WRITE(name)                                                    \
	extern void hcd_##name##_cli_write(struct vty *vty,                    \
					   const struct lyd_node *dnode,       \
					   bool show_defaults)
HCD_CLI_WRITE(cluster);
HCD_CLI_WRITE(hub);
HCD_CLI_WRITE(edge);
/* " PARENT LEAF VALUE" */
HCD_CLI_WRITE(nested);
HCD_CLI_WRITE(auto_rebalance);
HCD_CLI_WRITE(reaction);
HCD_CLI_WRITE(source);
HCD_CLI_WRITE(exclude);
HCD_CLI_WRITE(site_list);
HCD_CLI_WRITE(route_attribute);
HCD_CLI_WRITE(gateway);
HCD_CLI_WRITE(sticky);
HCD_CLI_WRITE(action);
HCD_CLI_WRITE(preestablish);
HCD_CLI_WRITE(tunnel_vrf);
extern void hcd_cli_write_end(struct vty *vty, const struct lyd_node *dnode);

/* -- values -- */

/* NULL: such an address, or prefix, can be configured; else what is wrong. */
extern const char *hcd_address_flaw(const char *text);
extern const char *hcd_prefix_flaw(const char *text);

/* AA:NN, or a number; 0: neither. */
extern uint32_t hcd_community(const char *text);

/* -- state, for show and the northbound: hc_view.c -- */

/* "running", "waiting", "shutdown" */
extern const char *hcd_status_name(bool shutdown, const char *why);
extern const char *hcd_route_status_name(enum cluster_route_status status);
/* "ID" or "", for a null one. */
extern const char *hcd_id_text(const struct ctl_id *id,
			       char text[CTL_ID_TEXT_LEN]);
/* "12.34" of units of 0.01; "": unknown. */
extern const char *hcd_percent_text(uint16_t load, char *buf, size_t len);
/* HC_OK: of the last report.  Or why there is none; then `score` is 0. */
extern enum hc_why hcd_self_score(const struct hc_hub_self_view *view,
				  uint8_t *score);
/* False: this node isn't its gateway now. */
extern bool hcd_cluster_view(const struct hcd_cluster *cluster,
			     struct hc_cluster_view *view);
/* Returns `buf`. */
extern const char *hcd_prefix_text(const struct hc_prefix *prefix, char *buf,
				   size_t len);

/* -- show: hc_show.c, hc_self_show.c -- */

struct json_object;

extern void hcd_self_show_init(void);
/* Milliseconds until then; 0: it is past. */
extern int64_t hcd_ms_left(int64_t at_us, int64_t now_us);
/* hcd_node_text(); "-" for none. */
extern const char *hcd_show_node(const struct ctl_id *id,
				 char text[HCD_NODE_TEXT_LEN]);
/* What is null, or isn't known, is left out. */
extern void hcd_json_id(struct json_object *json, const char *key,
			const struct ctl_id *id);
extern void hcd_json_name(struct json_object *json, const char *key,
			  const struct ctl_id *id);
extern struct json_object *hcd_json_addresses(const struct hc_addresses *list);
extern void hcd_json_percent(struct json_object *json, const char *key,
			     uint16_t load);
extern void hcd_json_why(struct json_object *json, const char *reason,
			 const char *text, enum hc_why why);

#endif /* HC_MGMT_H */
