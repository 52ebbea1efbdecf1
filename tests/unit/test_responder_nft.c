// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hand-off's messages, taken apart again and written as text; and answers
 * as the kernel would send them.
 */
#include "config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/expr.h>
#include <libnftnl/object.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include "memory.h"
#include "printfrr.h"

#include "responder/responder_nft.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "test");

static uint8_t buf[NFT_BATCH_MAX] __attribute__((aligned(8)));
static char text[65536];

static void say(const char *format, ...) PRINTFRR(1, 2);
static void say(const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintfrr(text + len, sizeof(text) - len, format, args);
	va_end(args);
}

/* ---- messages as text ---- */

static uint32_t value(const struct nftnl_expr *expr, uint16_t attr)
{
	return nftnl_expr_get_u32(expr, attr);
}

static void say_data(const struct nftnl_expr *expr, uint16_t attr)
{
	uint32_t len;
	const uint8_t *data = nftnl_expr_get(expr, attr, &len);

	if (len == IF_NAMESIZE && data[0] >= 'a')
		say(" %s", (const char *)data);
	else
		for (uint32_t i = 0; i < len; i++)
			say("%s%02x", i ? "" : " ", data[i]);
}

static void say_verdict(const struct nftnl_expr *expr)
{
	int verdict = (int)value(expr, NFTNL_EXPR_IMM_VERDICT);

	say("%s", verdict == NF_ACCEPT	  ? " accept"
		  : verdict == NF_DROP	  ? " drop"
		  : verdict == NFT_RETURN ? " return"
		  : verdict == NFT_GOTO	  ? " goto "
					  : " ?");
	if (verdict == NFT_GOTO)
		say("%s", nftnl_expr_get_str(expr, NFTNL_EXPR_IMM_CHAIN));
}

static const char *meta_name(uint32_t key)
{
	switch (key) {
	case NFT_META_NFPROTO:
		return "nfproto";
	case NFT_META_L4PROTO:
		return "l4proto";
	case NFT_META_IIFNAME:
		return "iifname";
	case NFT_META_OIFNAME:
		return "oifname";
	case NFT_META_SDIFNAME:
		return "sdifname";
	default:
		return "?";
	}
}

static int say_expr(struct nftnl_expr *expr, void *arg)
{
	const char *name = nftnl_expr_get_str(expr, NFTNL_EXPR_NAME);

	if (!strcmp(name, "meta"))
		say("; %s", meta_name(value(expr, NFTNL_EXPR_META_KEY)));
	else if (!strcmp(name, "cmp"))
		say_data(expr, NFTNL_EXPR_CMP_DATA);
	else if (!strcmp(name, "payload"))
		say("; payload %u+%u:%u", value(expr, NFTNL_EXPR_PAYLOAD_BASE),
		    value(expr, NFTNL_EXPR_PAYLOAD_OFFSET),
		    value(expr, NFTNL_EXPR_PAYLOAD_LEN));
	else if (!strcmp(name, "ct"))
		say("; ct %u", value(expr, NFTNL_EXPR_CT_KEY));
	else if (!strcmp(name, "fib"))
		say("; fib %u %u", value(expr, NFTNL_EXPR_FIB_RESULT),
		    value(expr, NFTNL_EXPR_FIB_FLAGS));
	else if (!strcmp(name, "objref"))
		say("; count %s",
		    nftnl_expr_get_str(expr, NFTNL_EXPR_OBJREF_IMM_NAME));
	else if (!strcmp(name, "immediate") &&
		 value(expr, NFTNL_EXPR_IMM_DREG) == NFT_REG_VERDICT) {
		say(";");
		say_verdict(expr);
	} else if (!strcmp(name, "immediate")) {
		say("; load");
		say_data(expr, NFTNL_EXPR_IMM_DATA);
	} else if (!strcmp(name, "nat"))
		say("; nat %u %u", value(expr, NFTNL_EXPR_NAT_TYPE),
		    value(expr, NFTNL_EXPR_NAT_FAMILY));
	else
		say("; %s", name);
	return 0;
}

static void say_table(const struct nlmsghdr *nlh)
{
	struct nftnl_table *table = nftnl_table_alloc();

	assert_int_equal(nftnl_table_nlmsg_parse(nlh, table), 0);
	say("table %s\n", nftnl_table_get_str(table, NFTNL_TABLE_NAME));
	nftnl_table_free(table);
}

static void say_counter(const struct nlmsghdr *nlh)
{
	struct nftnl_obj *obj = nftnl_obj_alloc();

	assert_int_equal(nftnl_obj_nlmsg_parse(nlh, obj), 0);
	say("counter %s %u/%u\n", nftnl_obj_get_str(obj, NFTNL_OBJ_NAME),
	    (unsigned int)nftnl_obj_get_u64(obj, NFTNL_OBJ_CTR_PKTS),
	    (unsigned int)nftnl_obj_get_u64(obj, NFTNL_OBJ_CTR_BYTES));
	nftnl_obj_free(obj);
}

static void say_chain(const struct nlmsghdr *nlh)
{
	struct nftnl_chain *chain = nftnl_chain_alloc();

	assert_int_equal(nftnl_chain_nlmsg_parse(nlh, chain), 0);
	say("chain %s", nftnl_chain_get_str(chain, NFTNL_CHAIN_NAME));
	if (nftnl_chain_is_set(chain, NFTNL_CHAIN_HOOKNUM))
		say(" %s %u %d %u", nftnl_chain_get_str(chain, NFTNL_CHAIN_TYPE),
		    nftnl_chain_get_u32(chain, NFTNL_CHAIN_HOOKNUM),
		    nftnl_chain_get_s32(chain, NFTNL_CHAIN_PRIO),
		    nftnl_chain_get_u32(chain, NFTNL_CHAIN_POLICY));
	say("\n");
	nftnl_chain_free(chain);
}

static void say_rule(const struct nlmsghdr *nlh)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();

	assert_int_equal(nftnl_rule_nlmsg_parse(nlh, rule), 0);
	say("%s", nftnl_rule_get_str(rule, NFTNL_RULE_CHAIN));
	nftnl_expr_foreach(rule, say_expr, NULL);
	say("\n");
	nftnl_rule_free(rule);
}

/* The whole batch into `text`; the numbers and flags of its messages are right. */
static void say_batch(size_t len, uint32_t seq, uint32_t last_seq)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;
	int left = (int)len;

	text[0] = '\0';
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		uint8_t type = nlh->nlmsg_type & 0xff;

		assert_int_equal(nlh->nlmsg_seq, seq);
		assert_int_equal(!!(nlh->nlmsg_flags & NLM_F_ACK),
				 seq == last_seq);
		seq++;
		if (nlh->nlmsg_type == NFNL_MSG_BATCH_BEGIN)
			say("begin\n");
		else if (nlh->nlmsg_type == NFNL_MSG_BATCH_END)
			say("end\n");
		else if (type == NFT_MSG_NEWTABLE)
			say_table(nlh);
		else if (type == NFT_MSG_DELTABLE)
			say("delete ");
		else if (type == NFT_MSG_NEWOBJ)
			say_counter(nlh);
		else if (type == NFT_MSG_NEWCHAIN)
			say_chain(nlh);
		else if (type == NFT_MSG_NEWRULE)
			say_rule(nlh);
		if (type == NFT_MSG_DELTABLE)
			say_table(nlh);
	}
	assert_int_equal(left, 0);
	/* The message that is acknowledged, and the end. */
	assert_int_equal(seq, last_seq + 2);
}

static struct nft_handoff example(void)
{
	struct nft_handoff handoff = {
		.table = "clusterd/PE",
		.n_interfaces = 1,
		.interfaces = { "eth0" },
	};

	return handoff;
}

static void test_install(void **state)
{
	struct nft_handoff handoff = example();
	struct nft_seen start = { .packets = { 1, 2, 3 }, .bytes = { 4, 5, 6 } };
	uint32_t last_seq;
	size_t len = nft_install_build(&handoff, &start, 7, buf, &last_seq);

	say_batch(len, 7, last_seq);
	assert_string_equal(text,
			    "begin\n"
			    "table clusterd/PE\n"
			    "delete table clusterd/PE\n"
			    "table clusterd/PE\n"
			    "counter refused 1/4\n"
			    "counter pings 2/5\n"
			    "counter flows 3/6\n"
			    "chain input filter 1 0 1\n"
			    "chain forward filter 2 0 1\n"
			    "chain postrouting nat 4 100 1\n"
			    "chain ping\n"
			    "chain refuse\n"
			    "chain translate\n"
			    "ping; nfproto 02; l4proto 01; payload 2+0:1 08; count pings; drop\n"
			    "ping; nfproto 0a; l4proto 3a; payload 2+0:1 80; count pings; drop\n"
			    "refuse; ct 1 01; accept\n"
			    "refuse; count refused; drop\n"
			    "translate; fib 3 1 02000000; return\n"
			    "translate; fib 3 17 02000000; return\n"
			    "translate; count flows\n"
			    "translate; masq\n"
			    "input; iifname eth0; goto ping\n"
			    "forward; iifname eth0; goto refuse\n"
			    "postrouting; oifname eth0; goto translate\n"
			    "end\n");
}

/* What is special: sources, a VRF's slave, several interfaces, no counters. */
static void test_variants(void **state)
{
	struct nft_handoff handoff = example();
	uint32_t last_seq;
	size_t len;

	handoff.source_v4 = addr("192.0.2.1");
	handoff.source_v6 = addr("2001:db8::1");
	handoff.sdif = true;
	handoff.n_interfaces = 2;
	strlcpy(handoff.interfaces[1], "eth1", IF_NAMESIZE);
	len = nft_install_build(&handoff, NULL, 1, buf, &last_seq);
	say_batch(len, 1, last_seq);
	assert_non_null(strstr(text, "counter refused 0/0\n"));
	assert_non_null(
		strstr(text,
		       "translate; count flows\n"
		       "translate; nfproto 02; load c0000201; nat 0 2\n"
		       "translate; nfproto 0a; load 20010db8000000000000000000000001; nat 0 10\n"
		       "translate; masq\n"
		       "input; sdifname eth0; goto ping\n"
		       "forward; sdifname eth0; goto refuse\n"
		       "postrouting; oifname eth0; goto translate\n"
		       "input; sdifname eth1; goto ping\n"
		       "forward; sdifname eth1; goto refuse\n"
		       "postrouting; oifname eth1; goto translate\n"
		       "end\n"));
}

/* The longest names everywhere still fit. */
static void test_largest(void **state)
{
	struct nft_handoff handoff = example();
	uint32_t last_seq;
	size_t len;

	memset(handoff.table, 'x', sizeof(handoff.table) - 1);
	handoff.source_v4 = addr("192.0.2.1");
	handoff.source_v6 = addr("2001:db8::1");
	handoff.n_interfaces = RESPONDER_INTERFACES_MAX;
	for (size_t i = 0; i < RESPONDER_INTERFACES_MAX; i++)
		snprintf(handoff.interfaces[i], IF_NAMESIZE, "eth%012zu", i);
	len = nft_install_build(&handoff, NULL, 1, buf, &last_seq);
	assert_true(len < NFT_BATCH_MAX - 4096);
	say_batch(len, 1, last_seq);
	assert_non_null(strstr(text, "input; iifname eth000000000031; "));
	len = nft_remove_build(handoff.table, 1, buf, &last_seq);
	assert_true(len < NFT_QUESTION_MAX);
	assert_true(nft_rules_ask(handoff.table, 1, buf) < NFT_QUESTION_MAX);
	assert_true(nft_counters_ask(handoff.table, 1, buf) < NFT_QUESTION_MAX);
}

static void test_remove(void **state)
{
	uint32_t last_seq;
	size_t len = nft_remove_build("clusterd/PE", 3, buf, &last_seq);

	say_batch(len, 3, last_seq);
	assert_string_equal(text, "begin\ndelete table clusterd/PE\nend\n");
}

/* ---- answers ---- */

static const struct nlmsghdr *question(size_t len, uint16_t type)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;

	assert_int_equal(nlh->nlmsg_len, len);
	assert_int_equal(nlh->nlmsg_type, NFNL_SUBSYS_NFTABLES << 8 | type);
	assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(nlh->nlmsg_seq, 9);
	return nlh;
}

static void test_questions(void **state)
{
	const struct nlmsghdr *nlh;
	const struct nlattr *attr;

	question(nft_tables_ask(9, buf), NFT_MSG_GETTABLE);
	nlh = question(nft_counters_ask("T", 9, buf), NFT_MSG_GETOBJ);
	attr = mnl_nlmsg_get_payload_offset(nlh, sizeof(struct nfgenmsg));
	assert_int_equal(mnl_attr_get_type(attr), NFTA_OBJ_TABLE);
	assert_string_equal(mnl_attr_get_str(attr), "T");
	attr = mnl_attr_next(attr);
	assert_int_equal(mnl_attr_get_type(attr), NFTA_OBJ_TYPE);
	assert_int_equal(ntohl(mnl_attr_get_u32(attr)), NFT_OBJECT_COUNTER);
	nlh = question(nft_rules_ask("T", 9, buf), NFT_MSG_GETRULE);
	attr = mnl_nlmsg_get_payload_offset(nlh, sizeof(struct nfgenmsg));
	assert_int_equal(mnl_attr_get_type(attr), NFTA_RULE_TABLE);
	assert_string_equal(mnl_attr_get_str(attr), "T");
}

/* The kernel's lists have the messages that a transaction has. */
static void take_batch(size_t len, const char *table, struct nft_seen *seen)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;
	int left = (int)len;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		nft_seen_take(nlh, table, seen);
}

static void test_whole(void **state)
{
	struct nft_handoff handoff = example();
	struct nft_seen start = { .packets = { 1, 2, 3 }, .bytes = { 4, 5, 6 } };
	struct nft_seen seen = {};
	uint32_t last_seq;
	size_t len;

	for (int sources = 0; sources < 4; sources++) {
		memset(&handoff.source_v4, 0, sizeof(handoff.source_v4));
		memset(&handoff.source_v6, 0, sizeof(handoff.source_v6));
		if (sources & 1)
			handoff.source_v4 = addr("192.0.2.1");
		if (sources & 2)
			handoff.source_v6 = addr("2001:db8::1");
		memset(&seen, 0, sizeof(seen));
		len = nft_install_build(&handoff, &start, 1, buf, &last_seq);
		take_batch(len, "clusterd/PE", &seen);
		assert_true(nft_seen_whole(&seen, &handoff));
	}
	for (int i = 0; i < NFT_COUNTERS; i++) {
		assert_int_equal(seen.packets[i], i + 1);
		assert_int_equal(seen.bytes[i], i + 4);
	}
	/* One rule less, one more; one counter less. */
	seen.rules--;
	assert_false(nft_seen_whole(&seen, &handoff));
	seen.rules += 2;
	assert_false(nft_seen_whole(&seen, &handoff));
	seen.rules--;
	for (int i = 0; i < NFT_COUNTERS; i++) {
		seen.counters[i] = false;
		assert_false(nft_seen_whole(&seen, &handoff));
		seen.counters[i] = true;
	}
	/* Those of another table are none of ours. */
	memset(&seen, 0, sizeof(seen));
	take_batch(len, "clusterd/P", &seen);
	assert_int_equal(seen.rules, 0);
	assert_false(seen.counters[0]);
	assert_false(nft_seen_whole(&seen, &handoff));
}

static void test_table_names(void **state)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)buf;
	char name[HANDOFF_TABLE_LEN];
	uint32_t last_seq;

	nft_remove_build("clusterd/PE", 1, buf, &last_seq);
	nlh = (struct nlmsghdr *)(buf + NLMSG_ALIGN(nlh->nlmsg_len));
	assert_false(nft_table_take(nlh, name, sizeof(name)));
	nlh->nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE;
	assert_true(nft_table_take(nlh, name, sizeof(name)));
	assert_string_equal(name, "clusterd/PE");
	assert_true(nft_table_take(nlh, name, sizeof("clusterd/PE")));
	assert_false(nft_table_take(nlh, name, sizeof("clusterd/PE") - 1));
}

/* Messages that are cut off or filled with anything do no harm. */
static void test_nonsense(void **state)
{
	struct nft_handoff handoff = example();
	struct nft_seen seen = {};
	char name[HANDOFF_TABLE_LEN];
	uint32_t last_seq;
	size_t len = nft_install_build(&handoff, NULL, 1, buf, &last_seq);
	static uint8_t message[2048] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;
	struct nlmsghdr *bad = (struct nlmsghdr *)message;
	int left = (int)len;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		for (uint32_t n = sizeof(*nlh); n < nlh->nlmsg_len; n++) {
			memcpy(message, nlh, nlh->nlmsg_len);
			bad->nlmsg_len = n;
			nft_seen_take(bad, "clusterd/PE", &seen);
			nft_table_take(bad, name, sizeof(name));
			bad->nlmsg_len = nlh->nlmsg_len;
			message[n] ^= 0xff;
			nft_seen_take(bad, "clusterd/PE", &seen);
			nft_table_take(bad, name, sizeof(name));
		}
	}
}

static void test_same(void **state)
{
	struct nft_handoff a = example(), b = example();

	assert_true(nft_handoff_same(&a, &b));
	strlcpy(b.interfaces[0], "eth1", IF_NAMESIZE);
	assert_false(nft_handoff_same(&a, &b));
	b = example();
	b.n_interfaces = 2;
	assert_false(nft_handoff_same(&a, &b));
	b = example();
	b.sdif = true;
	assert_false(nft_handoff_same(&a, &b));
	b = example();
	b.source_v4 = addr("192.0.2.1");
	assert_false(nft_handoff_same(&a, &b));
	a.source_v4 = addr("192.0.2.2");
	assert_false(nft_handoff_same(&a, &b));
	a = b;
	assert_true(nft_handoff_same(&a, &b));
	b.source_v6 = addr("2001:db8::1");
	assert_false(nft_handoff_same(&a, &b));
	b = a;
	strlcpy(b.table, "clusterd/QE", sizeof(b.table));
	assert_false(nft_handoff_same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_install),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_table_names),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
