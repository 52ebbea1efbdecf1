// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Northbound of the probes: frr-clusterd-probe.yang.
 *
 * Callbacks copy leaves into the engine's edited configuration; the change
 * takes effect in the next decision (probe.c).  One callback serves all
 * leaves: what a leaf means is in the tables below, by its name.  The state is
 * in probe_nb_state.c.
 */
#include "cluster_compat.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "probe/probe_daemon.h"
#include "probe/probe_nb.h"

/* ------------------------------------------------------------------------ */
/* Configuration                                                            */

/* `dnode` NULL: the leaf is not set. */
struct leaf {
	const char *name;
	void (*set)(struct probe_config *config, const struct lyd_node *dnode);
};

static void set_type(struct probe_config *config, const struct lyd_node *dnode)
{
	const char *value;

	config->type = PROBE_TYPE_UNSET;
	if (!dnode)
		return;
	value = yang_dnode_get_string(dnode, NULL);
	for (int i = PROBE_TYPE_ICMP; i < PROBE_TYPE_MAX; i++)
		if (strmatch(value, probe_type_str(i)))
			config->type = i;
}

static void set_ip(struct ipaddr *ip, const struct lyd_node *dnode)
{
	memset(ip, 0, sizeof(*ip));
	if (dnode)
		yang_dnode_get_ip(ip, dnode, NULL);
}

static void set_array(char *buf, size_t len, const struct lyd_node *dnode)
{
	strlcpy(buf, dnode ? yang_dnode_get_string(dnode, NULL) : "", len);
}

static void set_text(const char **text, const struct lyd_node *dnode)
{
	probe_config_text_set(text, dnode ? yang_dnode_get_string(dnode, NULL)
					  : NULL);
}

static uint32_t get_uint32(const struct lyd_node *dnode)
{
	return dnode ? yang_dnode_get_uint32(dnode, NULL) : 0;
}

static uint8_t get_uint8(const struct lyd_node *dnode)
{
	return dnode ? yang_dnode_get_uint8(dnode, NULL) : 0;
}

static void set_target(struct probe_config *config, const struct lyd_node *dnode)
{
	set_ip(&config->target, dnode);
}

static void set_port(struct probe_config *config, const struct lyd_node *dnode)
{
	config->port = dnode ? yang_dnode_get_uint16(dnode, NULL) : 0;
}

static void set_path(struct probe_config *config, const struct lyd_node *dnode)
{
	set_text(&config->path, dnode);
}

static void set_host(struct probe_config *config, const struct lyd_node *dnode)
{
	set_text(&config->host, dnode);
}

static void set_command(struct probe_config *config,
			const struct lyd_node *dnode)
{
	set_text(&config->command, dnode);
}

static void set_user(struct probe_config *config, const struct lyd_node *dnode)
{
	set_text(&config->user, dnode);
}

static void set_prefix(struct probe_config *config, const struct lyd_node *dnode)
{
	memset(&config->prefix, 0, sizeof(config->prefix));
	if (!dnode)
		return;
	yang_dnode_get_prefix(&config->prefix, dnode, NULL);
	apply_mask(&config->prefix);
}

static void set_profile(struct probe_config *config,
			const struct lyd_node *dnode)
{
	set_text(&config->profile, dnode);
}

static void set_hops(struct probe_config *config, const struct lyd_node *dnode)
{
	config->hops = get_uint8(dnode);
}

static void set_dns_name(struct probe_config *config,
			 const struct lyd_node *dnode)
{
	set_text(&config->dns_name, dnode);
}

static void set_dns_type(struct probe_config *config,
			 const struct lyd_node *dnode)
{
	config->dns_type = PROBE_DNS_UNSET;
	for (int i = PROBE_DNS_A; dnode && i < PROBE_DNS_MAX; i++)
		if (strmatch(yang_dnode_get_string(dnode, NULL),
			     probe_dns_type_str(i)))
			config->dns_type = i;
}

static void set_dns_answer(struct probe_config *config,
			   const struct lyd_node *dnode)
{
	set_text(&config->dns_answer, dnode);
}

static void set_key_chain(struct probe_config *config,
			  const struct lyd_node *dnode)
{
	set_text(&config->key_chain, dnode);
}

static void set_socket(struct probe_config *config, const struct lyd_node *dnode)
{
	set_text(&config->socket_path, dnode);
}

static void set_interval(struct probe_config *config,
			 const struct lyd_node *dnode)
{
	config->interval_ms = get_uint32(dnode);
}

static void set_timeout(struct probe_config *config,
			const struct lyd_node *dnode)
{
	config->timeout_ms = get_uint32(dnode);
}

static void set_threshold(struct probe_config *config,
			  const struct lyd_node *dnode)
{
	config->threshold = get_uint8(dnode);
}

static void set_rise(struct probe_config *config, const struct lyd_node *dnode)
{
	config->rise = get_uint8(dnode);
}

static void set_fall(struct probe_config *config, const struct lyd_node *dnode)
{
	config->fall = get_uint8(dnode);
}

static void set_fast_interval(struct probe_config *config,
			      const struct lyd_node *dnode)
{
	config->fast_interval_ms = get_uint32(dnode);
}

static void set_source(struct probe_config *config, const struct lyd_node *dnode)
{
	set_ip(&config->source, dnode);
}

static void set_interface(struct probe_config *config,
			  const struct lyd_node *dnode)
{
	set_array(config->ifname, sizeof(config->ifname), dnode);
}

static void set_vrf(struct probe_config *config, const struct lyd_node *dnode)
{
	set_array(config->vrf, sizeof(config->vrf), dnode);
}

static void set_start(struct probe_config *config, const struct lyd_node *dnode)
{
	if (!dnode)
		config->start = PROBE_START_UNSET;
	else if (strmatch(yang_dnode_get_string(dnode, NULL), "up"))
		config->start = PROBE_START_UP;
	else
		config->start = PROBE_START_DOWN;
}

static void set_jitter(struct probe_config *config, const struct lyd_node *dnode)
{
	config->jitter = dnode ? yang_dnode_get_uint8(dnode, NULL)
			       : PROBE_JITTER_UNSET;
}

static void set_hold(struct probe_config *config, const struct lyd_node *dnode)
{
	config->hold = dnode && yang_dnode_get_bool(dnode, NULL);
}

static void set_method(struct probe_config *config, const struct lyd_node *dnode)
{
	const char *value = dnode ? yang_dnode_get_string(dnode, NULL) : "get";

	for (int i = 0; i < PROBE_METHODS; i++)
		if (strmatch(value, probe_method_str(i)))
			config->method = i;
}

static void set_expect_status(struct probe_config *config,
			      const struct lyd_node *dnode)
{
	set_text(&config->expect_status, dnode);
}

static void set_expect_regex(struct probe_config *config,
			     const struct lyd_node *dnode)
{
	set_text(&config->expect_regex, dnode);
}

static void set_send(struct probe_config *config, const struct lyd_node *dnode)
{
	set_text(&config->send, dnode);
}

static void set_follow(struct probe_config *config, const struct lyd_node *dnode)
{
	config->follow = get_uint8(dnode);
}

static void set_http2(struct probe_config *config, const struct lyd_node *dnode)
{
	config->http2 = dnode && yang_dnode_get_bool(dnode, NULL);
}

static void set_tls_verify(struct probe_config *config,
			   const struct lyd_node *dnode)
{
	config->tls_verify = dnode && yang_dnode_get_bool(dnode, NULL);
}

static void set_tls_ca_file(struct probe_config *config,
			    const struct lyd_node *dnode)
{
	set_text(&config->tls_ca_file, dnode);
}

static const struct leaf leaves[] = {
	{ "type", set_type },
	{ "target", set_target },
	{ "port", set_port },
	{ "path", set_path },
	{ "host", set_host },
	{ "interval", set_interval },
	{ "timeout", set_timeout },
	{ "threshold", set_threshold },
	{ "rise", set_rise },
	{ "fall", set_fall },
	{ "fast-interval", set_fast_interval },
	{ "source", set_source },
	{ "interface", set_interface },
	{ "vrf", set_vrf },
	{ "start", set_start },
	{ "jitter", set_jitter },
	{ "hold", set_hold },
	{ "command", set_command },
	{ "user", set_user },
	{ "method", set_method },
	{ "send", set_send },
	{ "follow", set_follow },
	{ "http2", set_http2 },
	{ "tls-verify", set_tls_verify },
	{ "tls-ca-file", set_tls_ca_file },
	{ "expect-status", set_expect_status },
	{ "expect-regex", set_expect_regex },
	{ "prefix", set_prefix },
	{ "profile", set_profile },
	{ "hops", set_hops },
	{ "dns-name", set_dns_name },
	{ "dns-type", set_dns_type },
	{ "dns-answer", set_dns_answer },
	{ "key-chain", set_key_chain },
	{ "socket", set_socket },
};

static void leaf_set(struct probe_config *config, const char *name,
		     const struct lyd_node *dnode)
{
	for (size_t i = 0; i < array_size(leaves); i++)
		if (strmatch(leaves[i].name, name))
			leaves[i].set(config, dnode);
}

void probe_nb_config(struct probe_config *config, const struct lyd_node *dnode)
{
	const struct lyd_node *child;

	probe_config_init(config);
	LY_LIST_FOR (lyd_child(dnode), child)
		leaf_set(config, child->schema->name, child);
}

/* The edited configuration that `dnode`, a leaf of it, belongs to. */
static struct probe_config *leaf_config(const struct lyd_node *dnode)
{
	return probe_engine_edit(probe_engine,
				 yang_dnode_get_string(dnode, "../name"));
}

static int probe_create(struct nb_cb_create_args *args)
{
	const char *name;

	if (args->event != NB_EV_APPLY)
		return NB_OK;
	name = yang_dnode_get_string(args->dnode, "./name");
	/* Created anew: nothing is left of one that was removed just before. */
	probe_config_fini(probe_engine_edit(probe_engine, name));
	cluster_sched_decide();
	return NB_OK;
}

static int probe_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	probe_engine_remove(probe_engine,
			    yang_dnode_get_string(args->dnode, "./name"));
	cluster_sched_decide();
	return NB_OK;
}

static int leaf_modify(struct nb_cb_modify_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	leaf_set(leaf_config(args->dnode), args->dnode->schema->name,
		 args->dnode);
	cluster_sched_decide();
	return NB_OK;
}

/* The same for leaves that are addresses. */
static int address_modify(struct nb_cb_modify_args *args)
{
	struct ipaddr addr;

	if (args->event == NB_EV_VALIDATE) {
		yang_dnode_get_ip(&addr, args->dnode, NULL);
		if (probe_address_refused(&addr, args->errmsg, args->errmsg_len))
			return NB_ERR_VALIDATION;
	}
	return leaf_modify(args);
}

/* The same for leaves that have rules of their own. */
static int checked_modify(struct nb_cb_modify_args *args)
{
	if (args->event == NB_EV_VALIDATE &&
	    probe_leaf_refused(args->dnode->schema->name,
			       yang_dnode_get_string(args->dnode, NULL),
			       args->errmsg, args->errmsg_len))
		return NB_ERR_VALIDATION;
	return leaf_modify(args);
}

static int leaf_destroy(struct nb_cb_destroy_args *args)
{
	if (args->event != NB_EV_APPLY)
		return NB_OK;
	leaf_set(leaf_config(args->dnode), args->dnode->schema->name, NULL);
	cluster_sched_decide();
	return NB_OK;
}

/* ------------------------------------------------------------------------ */
/* The module                                                               */

/* A leaf with a default in the module is never destroyed. */
#define LEAF_WITH_DEFAULT(leaf)                                                \
	{                                                                      \
		.xpath = PROBE_LIST_XPATH "/" leaf,                            \
		.cbs = {                                                       \
			.modify = leaf_modify,                                 \
			.cli_show = cluster_vty_leaf_write,                    \
		},                                                             \
	}

/* One that is false by default. */
#define FLAG(leaf)                                                             \
	{                                                                      \
		.xpath = PROBE_LIST_XPATH "/" leaf,                            \
		.cbs = {                                                       \
			.modify = leaf_modify,                                 \
			.cli_show = cluster_vty_bool_write,                    \
		},                                                             \
	}

#define LEAF(leaf, modify_cb)                                                  \
	{                                                                      \
		.xpath = PROBE_LIST_XPATH "/" leaf,                            \
		.cbs = {                                                       \
			.modify = modify_cb,                                   \
			.destroy = leaf_destroy,                               \
			.cli_show = cluster_vty_leaf_write,                    \
		},                                                             \
	}

#define WORDS(leaf, modify_cb)                                                 \
	{                                                                      \
		.xpath = PROBE_LIST_XPATH "/" leaf,                            \
		.cbs = {                                                       \
			.modify = modify_cb,                                   \
			.destroy = leaf_destroy,                               \
			.cli_show = probe_cli_show_words,                      \
		},                                                             \
	}

#define STATE(leaf)                                                            \
	{                                                                      \
		.xpath = PROBE_LIST_XPATH "/state/instance/" leaf,             \
		.cbs = { .get_elem = probe_nb_instance_get },                  \
	}

/* clang-format off */
const struct frr_yang_module_info frr_clusterd_probe_info = {
	.name = "frr-clusterd-probe",
	.nodes = {
		{
			.xpath = PROBE_LIST_XPATH,
			.cbs = {
				.create = probe_create,
				.destroy = probe_destroy,
				.get_next = probe_nb_get_next,
				.get_keys = probe_nb_get_keys,
				.lookup_entry = probe_nb_lookup_entry,
				.cli_show = probe_cli_show,
				.cli_show_end = probe_cli_show_end,
				.cli_cmp = cluster_vty_name_cmp,
			},
		},
		LEAF_WITH_DEFAULT("type"),
		LEAF("target", address_modify),
		LEAF("port", leaf_modify),
		LEAF_WITH_DEFAULT("path"),
		LEAF("host", leaf_modify),
		LEAF("command", leaf_modify),
		LEAF("user", leaf_modify),
		LEAF("prefix", leaf_modify),
		LEAF("profile", leaf_modify),
		LEAF("hops", leaf_modify),
		LEAF("dns-name", leaf_modify),
		LEAF("dns-type", leaf_modify),
		LEAF("dns-answer", leaf_modify),
		LEAF("key-chain", leaf_modify),
		LEAF("socket", leaf_modify),
		LEAF_WITH_DEFAULT("interval"),
		LEAF("timeout", leaf_modify),
		LEAF("threshold", leaf_modify),
		LEAF("rise", leaf_modify),
		LEAF("fall", leaf_modify),
		LEAF("fast-interval", leaf_modify),
		LEAF("source", address_modify),
		LEAF("interface", leaf_modify),
		LEAF("vrf", leaf_modify),
		LEAF_WITH_DEFAULT("start"),
		LEAF_WITH_DEFAULT("jitter"),
		FLAG("hold"),
		WORDS("expect-status", checked_modify),
		WORDS("expect-regex", checked_modify),
		LEAF("send", checked_modify),
		LEAF_WITH_DEFAULT("method"),
		LEAF("follow", leaf_modify),
		FLAG("http2"),
		{
			.xpath = PROBE_LIST_XPATH "/tls-verify",
			.cbs = {
				.modify = leaf_modify,
				.cli_show = probe_cli_show_words,
			},
		},
		WORDS("tls-ca-file", leaf_modify),
		{
			.xpath = PROBE_LIST_XPATH "/state/configured",
			.cbs = { .get_elem = probe_nb_configured_get },
		},
		{
			.xpath = PROBE_LIST_XPATH "/state/instance",
			.cbs = {
				.get_next = probe_nb_instance_get_next,
				.get_keys = probe_nb_instance_get_keys,
				.lookup_entry = probe_nb_instance_lookup_entry,
			},
		},
		STATE("vrf"),
		STATE("target"),
		STATE("verdict"),
		STATE("why"),
		STATE("last-change"),
		STATE("references"),
		STATE("last-result"),
		STATE("last-detail"),
		STATE("last-result-time"),
		STATE("last-run"),
		STATE("rtt"),
		STATE("consecutive"),
		STATE("transitions"),
		STATE("runs"),
		STATE("prompted"),
		STATE("passes"),
		STATE("fails"),
		STATE("timeouts"),
		STATE("refused"),
		STATE("unreachable"),
		STATE("response"),
		STATE("not-up"),
		STATE("local"),
		STATE("cancelled"),
		STATE("late"),
		STATE("late-max"),
		STATE("hold-state"),
		STATE("hold-since"),
		STATE("hold-connections"),
		STATE("hold-lost"),
		STATE("hold-failed"),
		STATE("hold-back-off"),
		STATE("hold-last-end"),
		STATE("heartbeat-state"),
		STATE("heartbeat-last"),
		STATE("heartbeats-received"),
		STATE("heartbeats-malformed"),
		STATE("heartbeats-version"),
		STATE("heartbeats-unknown"),
		STATE("heartbeats-no-key"),
		STATE("heartbeats-bad-mac"),
		STATE("heartbeats-clock"),
		STATE("heartbeats-replay"),
		{
			.xpath = NULL,
		},
	},
};
