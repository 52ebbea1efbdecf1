// SPDX-License-Identifier: GPL-2.0-or-later
/* Configured parts: their life, and lists that are kept in order. */
#include "config.h"

#include <string.h>

#include "unit.h"

#include "memory.h"

#include "hubcluster/hc_config.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static unsigned int changes;

void hcd_changed(void)
{
	changes++;
}

static struct ctl_id id_of(uint8_t last)
{
	struct ctl_id id = {};

	id.bytes[CTL_ID_LEN - 1] = last;
	return id;
}

static struct hc_prefix prefix_of(const char *addr, unsigned int len)
{
	struct hc_prefix prefix;
	struct ipaddr ip = {};

	assert_int_equal(str2ipaddr(addr, &ip), 0);
	assert_true(hc_prefix_make(&ip, len, &prefix));
	return prefix;
}

static void test_life(void **state)
{
	struct hcd_cluster *a, *b;

	changes = 0;
	b = hcd_cluster_add("b");
	a = hcd_cluster_add("a");
	assert_int_equal(changes, 2);
	assert_ptr_equal(hcd_cluster_find("a"), a);
	assert_ptr_equal(hcd_cluster_find("b"), b);
	assert_null(hcd_cluster_find("c"));
	assert_ptr_equal(hcd_clusters_first(&hcd_clusters), a);
	assert_int_equal(a->config.rules.limit, HC_LIMIT_DEFAULT);
	assert_true(ctl_id_is_null(&a->config.id));
	hcd_cluster_del(a);
	assert_null(hcd_cluster_find("a"));

	assert_null(hcd_hub());
	assert_non_null(hcd_hub_add());
	assert_string_equal(hcd_hub()->vrf, "default");
	assert_int_equal(hcd_hub()->source, HCD_SESSIONS);
	assert_int_equal(hcd_hub()->config.report_ms, 30000);
	hcd_hub_del();
	assert_null(hcd_hub());

	assert_null(hcd_edge());
	assert_non_null(hcd_edge_add());
	assert_int_equal(hcd_edge()->config.retry_ms, 5000);
	assert_string_equal(hcd_edge()->vrf, "default");
	hcd_edge_del();
	assert_null(hcd_edge());
	assert_int_equal(changes, 7);

	hcd_hub_add();
	hcd_edge_add();
	hcd_config_fini();
	assert_null(hcd_hub());
	assert_null(hcd_edge());
}

static void test_judge_cluster(void **state)
{
	struct hcd_cluster *a = hcd_cluster_add("a");
	struct hcd_cluster *b = hcd_cluster_add("b");

	assert_string_equal(a->why, "not decided yet");
	a->shutdown = true;
	hcd_cluster_judge(a, true);
	assert_string_equal(a->why, "shut down");
	a->shutdown = false;
	hcd_cluster_judge(a, true);
	assert_string_equal(a->why, "no `id` is configured");
	hcd_cluster_judge(b, true);
	assert_string_equal(b->why, "no `id` is configured");
	a->config.id = b->config.id = id_of(1);
	hcd_cluster_judge(a, false);
	assert_non_null(strstr(a->why, "control protocol is off"));
	hcd_cluster_judge(a, true);
	assert_string_equal(a->why, "");
	hcd_cluster_judge(b, true);
	assert_string_equal(b->why, "the same `id` has hub-cluster a");
	assert_true(hcd_cluster_runs(&b->config.id));
	a->shutdown = true;
	hcd_cluster_judge(a, true);
	assert_false(hcd_cluster_runs(&b->config.id));
	hcd_cluster_judge(b, true);
	assert_string_equal(b->why, "");
	b->config.id = id_of(2);
	assert_true(hcd_cluster_runs(&b->config.id));
	assert_false(hcd_cluster_runs(&a->config.id));
	hcd_config_fini();
}

/* The last one by name has no place; it gets that of one that doesn't run. */
static void test_judge_too_many_clusters(void **state)
{
	struct hcd_cluster *all[HC_CLUSTERS_MAX + 1];
	char name[8];

	for (uint8_t i = 0; i < array_size(all); i++) {
		snprintf(name, sizeof(name), "c%02u", i);
		all[i] = hcd_cluster_add(name);
		all[i]->config.id = id_of(1 + i);
		hcd_cluster_judge(all[i], true);
		if (i < HC_CLUSTERS_MAX)
			assert_string_equal(all[i]->why, "");
	}
	assert_non_null(
		strstr(all[HC_CLUSTERS_MAX]->why, "at most 64 clusters"));
	all[7]->shutdown = true;
	hcd_cluster_judge(all[7], true);
	hcd_cluster_judge(all[HC_CLUSTERS_MAX], true);
	assert_string_equal(all[HC_CLUSTERS_MAX]->why, "");
	hcd_config_fini();
}

static void test_judge_hub_and_edge(void **state)
{
	struct hcd_hub *hub = hcd_hub_add();
	struct hcd_edge *edge = hcd_edge_add();
	struct ipaddr addr = {};

	assert_int_equal(str2ipaddr("192.0.2.1", &addr), 0);
	assert_string_equal(hub->why, "not decided yet");
	assert_string_equal(edge->why, "not decided yet");
	hcd_hub_judge(hub, true);
	assert_string_equal(hub->why, "no `hub-cluster` is configured");
	hub->config.cluster = id_of(1);
	hcd_hub_judge(hub, true);
	assert_non_null(strstr(hub->why, "no `address`"));
	hcd_addresses_add(&hub->config.addresses, &addr);
	hcd_hub_judge(hub, true);
	assert_non_null(strstr(hub->why, "no `tunnel-address`"));
	hcd_addresses_add(&hub->config.tunnel, &addr);
	hcd_hub_judge(hub, false);
	assert_non_null(strstr(hub->why, "control protocol is off"));
	hcd_hub_judge(hub, true);
	assert_string_equal(hub->why, "");
	hub->shutdown = true;
	hcd_hub_judge(hub, true);
	assert_string_equal(hub->why, "shut down");

	hcd_edge_judge(edge, true, true);
	assert_string_equal(edge->why, "no `hub-cluster` is configured");
	edge->config.cluster = id_of(1);
	hcd_edge_judge(edge, true, true);
	assert_non_null(strstr(edge->why, "no `tunnel-address`"));
	hcd_addresses_add(&edge->config.tunnel, &addr);
	hcd_edge_judge(edge, false, false);
	assert_non_null(strstr(edge->why, "control protocol is off"));
	hcd_edge_judge(edge, true, false);
	assert_non_null(strstr(edge->why, "`tunnel vrf`"));
	hcd_edge_judge(edge, true, true);
	assert_string_equal(edge->why, "");
	edge->shutdown = true;
	hcd_edge_judge(edge, true, true);
	assert_string_equal(edge->why, "shut down");
	hcd_config_fini();
}

static void test_addresses(void **state)
{
	static const char *const texts[] = { "192.0.2.3", "2001:db8::1",
					     "192.0.2.1", "192.0.2.2",
					     "192.0.2.9" };
	struct hc_addresses list = {};
	struct ipaddr addr = {};

	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(str2ipaddr(texts[i], &addr), 0);
		hcd_addresses_add(&list, &addr);
		hcd_addresses_add(&list, &addr);
	}
	/* Full: the fifth found no room. */
	assert_int_equal(list.n, HC_ADDRESSES_MAX);
	for (size_t i = 1; i < list.n; i++)
		assert_true(ipaddr_cmp(&list.list[i - 1], &list.list[i]) < 0);
	hcd_addresses_del(&list, &addr);
	assert_int_equal(list.n, 4);
	assert_int_equal(str2ipaddr("192.0.2.2", &addr), 0);
	hcd_addresses_del(&list, &addr);
	hcd_addresses_del(&list, &addr);
	assert_int_equal(list.n, 3);
	assert_int_equal(ntohl(list.list[0].ipaddr_v4.s_addr) & 0xff, 1);
	assert_int_equal(ntohl(list.list[1].ipaddr_v4.s_addr) & 0xff, 3);
}

static void test_members(void **state)
{
	struct hc_cluster_config config = {};
	struct ctl_id id;

	for (uint8_t i = 0; i < HC_HUBS_MAX + 1; i++) {
		id = id_of((uint8_t)(200 - i));
		hcd_members_add(&config, &id);
	}
	assert_int_equal(config.n_members, HC_HUBS_MAX);
	id = id_of(199);
	hcd_members_del(&config, &id);
	assert_int_equal(config.n_members, HC_HUBS_MAX - 1);
	id = id_of(200);
	assert_int_equal(ctl_id_cmp(&config.members[HC_HUBS_MAX - 2], &id), 0);
}

static void test_prefixes(void **state)
{
	struct hc_prefix a = prefix_of("198.51.100.0", 24);
	struct hc_prefix b = prefix_of("198.51.100.0", 25);
	struct hcd_edge *edge = hcd_edge_add();

	hcd_sites_add(&edge->config, &b);
	hcd_sites_add(&edge->config, &a);
	hcd_sites_add(&edge->config, &a);
	assert_int_equal(edge->config.n_prefixes, 2);
	hcd_sites_del(&edge->config, &b);
	assert_int_equal(edge->config.n_prefixes, 1);
	assert_int_equal(hc_prefix_cmp(&edge->config.prefixes[0], &a), 0);

	hcd_routes_add(edge, &b);
	hcd_routes_add(edge, &a);
	assert_int_equal(edge->n_routes, 2);
	hcd_routes_del(edge, &a);
	assert_int_equal(edge->n_routes, 1);
	assert_int_equal(hc_prefix_cmp(&edge->routes[0], &b), 0);
	hcd_edge_del();
}

static void test_preferences(void **state)
{
	struct hc_edge_config config = {};
	struct ctl_id one = id_of(1), two = id_of(2);

	hcd_preference_set(&config, &two, 20);
	hcd_preference_set(&config, &one, 10);
	hcd_preference_set(&config, &two, 5);
	assert_int_equal(config.n_gateways, 2);
	assert_int_equal(ctl_id_cmp(&config.gateways[0].id, &one), 0);
	assert_int_equal(config.gateways[0].preference, 10);
	assert_int_equal(config.gateways[1].preference, 5);
	hcd_preference_del(&config, &one);
	hcd_preference_del(&config, &one);
	assert_int_equal(config.n_gateways, 1);
	assert_int_equal(config.gateways[0].preference, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_judge_cluster),
		cmocka_unit_test(test_judge_too_many_clusters),
		cmocka_unit_test(test_judge_hub_and_edge),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_preferences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
