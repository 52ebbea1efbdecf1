// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/expr.h>
#include <libnftnl/object.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include "responder/responder_nft.h"

/* Priorities of chains, by nft's names for them. */
#define PRIORITY_FILTER 0
#define PRIORITY_SRCNAT 100

#define CT_DIRECTION_REPLY 1 /* of enum ip_conntrack_dir */
#define FIB_LOCAL	   2 /* RTN_LOCAL; linux/rtnetlink.h is FRR's old one */

/* Base chains, and what each goes to for one of the interfaces. */
#define CHAIN_INPUT	  "input"
#define CHAIN_PING	  "ping"
#define CHAIN_FORWARD	  "forward"
#define CHAIN_REFUSE	  "refuse"
#define CHAIN_POSTROUTING "postrouting"
#define CHAIN_TRANSLATE	  "translate"

static const char *const counter_names[NFT_COUNTERS] = {
	[NFT_REFUSED] = "refused",
	[NFT_PINGS] = "pings",
	[NFT_FLOWS] = "flows",
};

/* ---- a transaction under construction ---- */

struct batch {
	struct mnl_nlmsg_batch *messages;
	const char *table;
	uint32_t seq;
};

/* No message of ours is longer: two names, and a few expressions. */
#define MESSAGE_MAX 1024

static void batch_begin(struct batch *batch, const char *table, uint32_t seq,
			void *buf, size_t len)
{
	/* libmnl looks when a message has been written already. */
	batch->messages = mnl_nlmsg_batch_start(buf, len - MESSAGE_MAX);
	assert(batch->messages);
	batch->table = table;
	batch->seq = seq;
	nftnl_batch_begin(mnl_nlmsg_batch_current(batch->messages),
			  batch->seq++);
	mnl_nlmsg_batch_next(batch->messages);
}

static struct nlmsghdr *batch_message(struct batch *batch, uint16_t type,
				      uint16_t flags)
{
	return nftnl_nlmsg_build_hdr(mnl_nlmsg_batch_current(batch->messages),
				     type, NFPROTO_INET, flags, batch->seq++);
}

static void batch_next(struct batch *batch)
{
	bool fits = mnl_nlmsg_batch_next(batch->messages);

	/* NFT_BATCH_MAX is enough for all interfaces: a test looks. */
	assert(fits);
	(void)fits;
}

static size_t batch_end(struct batch *batch, uint32_t *last_seq)
{
	size_t len;

	*last_seq = batch->seq - 1;
	nftnl_batch_end(mnl_nlmsg_batch_current(batch->messages), batch->seq);
	batch_next(batch);
	len = mnl_nlmsg_batch_size(batch->messages);
	mnl_nlmsg_batch_stop(batch->messages);
	return len;
}

static void put_table(struct batch *batch, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh = batch_message(batch, type, flags);
	struct nftnl_table *table = nftnl_table_alloc();

	assert(table);
	nftnl_table_set_str(table, NFTNL_TABLE_NAME, batch->table);
	nftnl_table_nlmsg_build_payload(nlh, table);
	nftnl_table_free(table);
	batch_next(batch);
}

static void put_counter(struct batch *batch, enum nft_counter counter,
			const struct nft_seen *start)
{
	struct nlmsghdr *nlh = batch_message(batch, NFT_MSG_NEWOBJ,
					     NLM_F_CREATE);
	struct nftnl_obj *obj = nftnl_obj_alloc();

	assert(obj);
	nftnl_obj_set_str(obj, NFTNL_OBJ_TABLE, batch->table);
	nftnl_obj_set_str(obj, NFTNL_OBJ_NAME, counter_names[counter]);
	nftnl_obj_set_u32(obj, NFTNL_OBJ_TYPE, NFT_OBJECT_COUNTER);
	nftnl_obj_set_u64(obj, NFTNL_OBJ_CTR_PKTS,
			  start ? start->packets[counter] : 0);
	nftnl_obj_set_u64(obj, NFTNL_OBJ_CTR_BYTES,
			  start ? start->bytes[counter] : 0);
	nftnl_obj_nlmsg_build_payload(nlh, obj);
	nftnl_obj_free(obj);
	batch_next(batch);
}

static struct nftnl_chain *chain_new(const struct batch *batch, const char *name)
{
	struct nftnl_chain *chain = nftnl_chain_alloc();

	assert(chain);
	nftnl_chain_set_str(chain, NFTNL_CHAIN_TABLE, batch->table);
	nftnl_chain_set_str(chain, NFTNL_CHAIN_NAME, name);
	return chain;
}

static void put_chain(struct batch *batch, struct nftnl_chain *chain)
{
	struct nlmsghdr *nlh = batch_message(batch, NFT_MSG_NEWCHAIN,
					     NLM_F_CREATE);

	nftnl_chain_nlmsg_build_payload(nlh, chain);
	nftnl_chain_free(chain);
	batch_next(batch);
}

static void put_base_chain(struct batch *batch, const char *name,
			   const char *type, uint32_t hook, int32_t priority)
{
	struct nftnl_chain *chain = chain_new(batch, name);

	nftnl_chain_set_str(chain, NFTNL_CHAIN_TYPE, type);
	nftnl_chain_set_u32(chain, NFTNL_CHAIN_HOOKNUM, hook);
	nftnl_chain_set_s32(chain, NFTNL_CHAIN_PRIO, priority);
	nftnl_chain_set_u32(chain, NFTNL_CHAIN_POLICY, NF_ACCEPT);
	put_chain(batch, chain);
}

/* ---- a rule under construction: expressions one after the other ---- */

static struct nftnl_rule *rule_new(const struct batch *batch, const char *chain)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();

	assert(rule);
	nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, batch->table);
	nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, chain);
	return rule;
}

static void rule_put(struct batch *batch, struct nftnl_rule *rule, bool last)
{
	struct nlmsghdr *nlh = batch_message(batch, NFT_MSG_NEWRULE,
					     NLM_F_CREATE | NLM_F_APPEND |
						     (last ? NLM_F_ACK : 0));

	nftnl_rule_nlmsg_build_payload(nlh, rule);
	nftnl_rule_free(rule);
	batch_next(batch);
}

static struct nftnl_expr *rule_expr(struct nftnl_rule *rule, const char *name)
{
	struct nftnl_expr *expr = nftnl_expr_alloc(name);

	assert(expr);
	nftnl_rule_add_expr(rule, expr);
	return expr;
}

static void match(struct nftnl_rule *rule, const void *data, uint32_t len)
{
	struct nftnl_expr *expr = rule_expr(rule, "cmp");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(expr, NFTNL_EXPR_CMP_DATA, data, len);
}

static void match_meta(struct nftnl_rule *rule, uint32_t key, const void *data,
		       uint32_t len)
{
	struct nftnl_expr *expr = rule_expr(rule, "meta");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_KEY, key);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_DREG, NFT_REG_1);
	match(rule, data, len);
}

static void match_byte(struct nftnl_rule *rule, uint32_t key, uint8_t value)
{
	match_meta(rule, key, &value, sizeof(value));
}

/* The name with its zeroes: not just its beginning. */
static void match_name(struct nftnl_rule *rule, uint32_t key,
		       const char name[IF_NAMESIZE])
{
	match_meta(rule, key, name, IF_NAMESIZE);
}

static void match_icmp_type(struct nftnl_rule *rule, uint8_t type)
{
	struct nftnl_expr *expr = rule_expr(rule, "payload");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_BASE,
			   NFT_PAYLOAD_TRANSPORT_HEADER);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_OFFSET, 0);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_LEN, sizeof(type));
	match(rule, &type, sizeof(type));
}

static void match_direction(struct nftnl_rule *rule, uint8_t direction)
{
	struct nftnl_expr *expr = rule_expr(rule, "ct");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_CT_KEY, NFT_CT_DIRECTION);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CT_DREG, NFT_REG_1);
	match(rule, &direction, sizeof(direction));
}

/* Sent from an address of this node; flags: NFTA_FIB_F_OIF: of that interface. */
static void match_own_source(struct nftnl_rule *rule, uint32_t flags)
{
	struct nftnl_expr *expr = rule_expr(rule, "fib");
	uint32_t type = FIB_LOCAL;

	nftnl_expr_set_u32(expr, NFTNL_EXPR_FIB_DREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_FIB_FLAGS, NFTA_FIB_F_SADDR | flags);
	match(rule, &type, sizeof(type));
}

static void count(struct nftnl_rule *rule, enum nft_counter counter)
{
	struct nftnl_expr *expr = rule_expr(rule, "objref");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_OBJREF_IMM_TYPE, NFT_OBJECT_COUNTER);
	nftnl_expr_set_str(expr, NFTNL_EXPR_OBJREF_IMM_NAME,
			   counter_names[counter]);
}

static void verdict(struct nftnl_rule *rule, int code)
{
	struct nftnl_expr *expr = rule_expr(rule, "immediate");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_VERDICT, (uint32_t)code);
}

static void go_to(struct nftnl_rule *rule, const char *chain)
{
	struct nftnl_expr *expr = rule_expr(rule, "immediate");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_VERDICT, (uint32_t)NFT_GOTO);
	nftnl_expr_set_str(expr, NFTNL_EXPR_IMM_CHAIN, chain);
}

static void translate_to(struct nftnl_rule *rule, const struct ipaddr *addr)
{
	struct nftnl_expr *expr = rule_expr(rule, "immediate");
	bool v6 = IS_IPADDR_V6(addr);

	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_DREG, NFT_REG_1);
	if (v6)
		nftnl_expr_set(expr, NFTNL_EXPR_IMM_DATA, &addr->ipaddr_v6,
			       sizeof(addr->ipaddr_v6));
	else
		nftnl_expr_set(expr, NFTNL_EXPR_IMM_DATA, &addr->ipaddr_v4,
			       sizeof(addr->ipaddr_v4));
	expr = rule_expr(rule, "nat");
	nftnl_expr_set_u32(expr, NFTNL_EXPR_NAT_TYPE, NFT_NAT_SNAT);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_NAT_FAMILY,
			   v6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_NAT_REG_ADDR_MIN, NFT_REG_1);
}

/* ---- the rules ---- */

static void put_pings(struct batch *batch, bool v6)
{
	struct nftnl_rule *rule = rule_new(batch, CHAIN_PING);

	match_byte(rule, NFT_META_NFPROTO, v6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
	match_byte(rule, NFT_META_L4PROTO, v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
	match_icmp_type(rule, v6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO);
	count(rule, NFT_PINGS);
	verdict(rule, NF_DROP);
	rule_put(batch, rule, false);
}

static void put_refusal(struct batch *batch)
{
	struct nftnl_rule *rule = rule_new(batch, CHAIN_REFUSE);

	match_direction(rule, CT_DIRECTION_REPLY);
	verdict(rule, NF_ACCEPT);
	rule_put(batch, rule, false);
	rule = rule_new(batch, CHAIN_REFUSE);
	count(rule, NFT_REFUSED);
	verdict(rule, NF_DROP);
	rule_put(batch, rule, false);
}

static void put_own_return(struct batch *batch, uint32_t flags)
{
	struct nftnl_rule *rule = rule_new(batch, CHAIN_TRANSLATE);

	match_own_source(rule, flags);
	verdict(rule, NFT_RETURN);
	rule_put(batch, rule, false);
}

static void put_source(struct batch *batch, const struct ipaddr *source)
{
	struct nftnl_rule *rule;

	if (IS_IPADDR_NONE(source))
		return;
	rule = rule_new(batch, CHAIN_TRANSLATE);
	match_byte(rule, NFT_META_NFPROTO,
		   IS_IPADDR_V6(source) ? NFPROTO_IPV6 : NFPROTO_IPV4);
	translate_to(rule, source);
	rule_put(batch, rule, false);
}

static void put_translation(struct batch *batch,
			    const struct nft_handoff *handoff)
{
	struct nftnl_rule *rule;

	put_own_return(batch, 0);
	put_own_return(batch, NFTA_FIB_F_OIF);
	rule = rule_new(batch, CHAIN_TRANSLATE);
	count(rule, NFT_FLOWS);
	rule_put(batch, rule, false);
	put_source(batch, &handoff->source_v4);
	put_source(batch, &handoff->source_v6);
	rule = rule_new(batch, CHAIN_TRANSLATE);
	rule_expr(rule, "masq");
	rule_put(batch, rule, false);
}

static void put_interface(struct batch *batch, const char *chain, uint32_t key,
			  const char *name, const char *to, bool last)
{
	struct nftnl_rule *rule = rule_new(batch, chain);

	match_name(rule, key, name);
	go_to(rule, to);
	rule_put(batch, rule, last);
}

static void put_interfaces(struct batch *batch,
			   const struct nft_handoff *handoff)
{
	uint32_t in = handoff->sdif ? NFT_META_SDIFNAME : NFT_META_IIFNAME;

	for (size_t i = 0; i < handoff->n_interfaces; i++) {
		const char *name = handoff->interfaces[i];

		put_interface(batch, CHAIN_INPUT, in, name, CHAIN_PING, false);
		put_interface(batch, CHAIN_FORWARD, in, name, CHAIN_REFUSE,
			      false);
		put_interface(batch, CHAIN_POSTROUTING, NFT_META_OIFNAME, name,
			      CHAIN_TRANSLATE, i + 1 == handoff->n_interfaces);
	}
}

static size_t rules_wanted(const struct nft_handoff *handoff)
{
	return 8 + !IS_IPADDR_NONE(&handoff->source_v4) +
	       !IS_IPADDR_NONE(&handoff->source_v6) + 3 * handoff->n_interfaces;
}

static void put_chains(struct batch *batch)
{
	put_base_chain(batch, CHAIN_INPUT, "filter", NF_INET_LOCAL_IN,
		       PRIORITY_FILTER);
	put_base_chain(batch, CHAIN_FORWARD, "filter", NF_INET_FORWARD,
		       PRIORITY_FILTER);
	put_base_chain(batch, CHAIN_POSTROUTING, "nat", NF_INET_POST_ROUTING,
		       PRIORITY_SRCNAT);
	put_chain(batch, chain_new(batch, CHAIN_PING));
	put_chain(batch, chain_new(batch, CHAIN_REFUSE));
	put_chain(batch, chain_new(batch, CHAIN_TRANSLATE));
}

size_t nft_install_build(const struct nft_handoff *handoff,
			 const struct nft_seen *start, uint32_t seq,
			 uint8_t buf[NFT_BATCH_MAX], uint32_t *last_seq)
{
	struct batch batch;

	batch_begin(&batch, handoff->table, seq, buf, NFT_BATCH_MAX);
	/* Whether there is one or not: it is made, so that it can be deleted. */
	put_table(&batch, NFT_MSG_NEWTABLE, NLM_F_CREATE);
	put_table(&batch, NFT_MSG_DELTABLE, 0);
	put_table(&batch, NFT_MSG_NEWTABLE, NLM_F_CREATE);
	for (enum nft_counter i = 0; i < NFT_COUNTERS; i++)
		put_counter(&batch, i, start);
	put_chains(&batch);
	put_pings(&batch, false);
	put_pings(&batch, true);
	put_refusal(&batch);
	put_translation(&batch, handoff);
	put_interfaces(&batch, handoff);
	return batch_end(&batch, last_seq);
}

size_t nft_remove_build(const char *table, uint32_t seq,
			uint8_t buf[NFT_QUESTION_MAX], uint32_t *last_seq)
{
	struct batch batch;

	batch_begin(&batch, table, seq, buf, NFT_QUESTION_MAX);
	put_table(&batch, NFT_MSG_DELTABLE, NLM_F_ACK);
	return batch_end(&batch, last_seq);
}

/* ---- questions and answers ---- */

static struct nlmsghdr *question(uint8_t *buf, uint16_t type, uint32_t seq)
{
	return nftnl_nlmsg_build_hdr((char *)buf, type, NFPROTO_INET,
				     NLM_F_DUMP, seq);
}

size_t nft_tables_ask(uint32_t seq, uint8_t buf[NFT_QUESTION_MAX])
{
	return question(buf, NFT_MSG_GETTABLE, seq)->nlmsg_len;
}

size_t nft_counters_ask(const char *table, uint32_t seq,
			uint8_t buf[NFT_QUESTION_MAX])
{
	struct nlmsghdr *nlh = question(buf, NFT_MSG_GETOBJ, seq);

	mnl_attr_put_strz(nlh, NFTA_OBJ_TABLE, table);
	mnl_attr_put_u32(nlh, NFTA_OBJ_TYPE, htonl(NFT_OBJECT_COUNTER));
	return nlh->nlmsg_len;
}

size_t nft_rules_ask(const char *table, uint32_t seq,
		     uint8_t buf[NFT_QUESTION_MAX])
{
	struct nlmsghdr *nlh = question(buf, NFT_MSG_GETRULE, seq);

	mnl_attr_put_strz(nlh, NFTA_RULE_TABLE, table);
	return nlh->nlmsg_len;
}

static bool is_message(const struct nlmsghdr *nlh, uint16_t type)
{
	return nlh->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nfgenmsg)) &&
	       nlh->nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | type);
}

bool nft_table_take(const struct nlmsghdr *nlh, char *buf, size_t len)
{
	struct nftnl_table *table = nftnl_table_alloc();
	const char *name = NULL;
	bool fits;

	assert(table);
	if (is_message(nlh, NFT_MSG_NEWTABLE) &&
	    nftnl_table_nlmsg_parse(nlh, table) == 0)
		name = nftnl_table_get_str(table, NFTNL_TABLE_NAME);
	fits = name && strlen(name) < len;
	if (fits)
		memcpy(buf, name, strlen(name) + 1);
	nftnl_table_free(table);
	return fits;
}

static void counter_take(const struct nlmsghdr *nlh, const char *table,
			 struct nft_seen *seen)
{
	struct nftnl_obj *obj = nftnl_obj_alloc();
	const char *name, *of;

	assert(obj);
	if (nftnl_obj_nlmsg_parse(nlh, obj) == 0 &&
	    nftnl_obj_is_set(obj, NFTNL_OBJ_CTR_PKTS)) {
		name = nftnl_obj_get_str(obj, NFTNL_OBJ_NAME);
		of = nftnl_obj_get_str(obj, NFTNL_OBJ_TABLE);
		for (enum nft_counter i = 0; i < NFT_COUNTERS; i++) {
			if (!name || strcmp(name, counter_names[i]) || !of ||
			    strcmp(of, table))
				continue;
			seen->counters[i] = true;
			seen->packets[i] =
				nftnl_obj_get_u64(obj, NFTNL_OBJ_CTR_PKTS);
			seen->bytes[i] = nftnl_obj_get_u64(obj,
							   NFTNL_OBJ_CTR_BYTES);
		}
	}
	nftnl_obj_free(obj);
}

static int rule_table(const struct nlattr *attr, void *data)
{
	const char **table = data;

	if (mnl_attr_get_type(attr) == NFTA_RULE_TABLE &&
	    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		*table = mnl_attr_get_str(attr);
	return MNL_CB_OK;
}

/* Not by libnftnl, which would take all its expressions apart. */
static void rule_take(const struct nlmsghdr *nlh, const char *table,
		      struct nft_seen *seen)
{
	const char *of = NULL;

	mnl_attr_parse(nlh, sizeof(struct nfgenmsg), rule_table, &of);
	if (of && !strcmp(of, table))
		seen->rules++;
}

void nft_seen_take(const struct nlmsghdr *nlh, const char *table,
		   struct nft_seen *seen)
{
	if (is_message(nlh, NFT_MSG_NEWOBJ))
		counter_take(nlh, table, seen);
	else if (is_message(nlh, NFT_MSG_NEWRULE))
		rule_take(nlh, table, seen);
}

bool nft_seen_whole(const struct nft_seen *seen,
		    const struct nft_handoff *handoff)
{
	for (enum nft_counter i = 0; i < NFT_COUNTERS; i++)
		if (!seen->counters[i])
			return false;
	return seen->rules == rules_wanted(handoff);
}

bool nft_handoff_same(const struct nft_handoff *a, const struct nft_handoff *b)
{
	if (strcmp(a->table, b->table) || a->sdif != b->sdif ||
	    a->n_interfaces != b->n_interfaces ||
	    ipaddr_cmp(&a->source_v4, &b->source_v4) ||
	    ipaddr_cmp(&a->source_v6, &b->source_v6))
		return false;
	for (size_t i = 0; i < a->n_interfaces; i++)
		if (strncmp(a->interfaces[i], b->interfaces[i], IF_NAMESIZE))
			return false;
	return true;
}
