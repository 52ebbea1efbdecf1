// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "probe/probe_config.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static void test_defaults(void **state)
{
	struct probe_config config;

	(void)state;
	probe_config_init(&config);
	assert_true(IS_IPADDR_NONE(&config.target));
	assert_true(IS_IPADDR_NONE(&config.source));
	assert_int_equal(probe_config_type(&config), PROBE_TYPE_ICMP);
	assert_int_equal(probe_config_port(&config), 0);
	assert_string_equal(probe_config_path(&config), "/");
	assert_int_equal(probe_config_interval_ms(&config), 1000);
	assert_int_equal(probe_config_timeout_ms(&config), 1000);
	assert_int_equal(probe_config_fast_interval_ms(&config), 1000);
	assert_int_equal(probe_config_rise(&config), 2);
	assert_int_equal(probe_config_fall(&config), 3);
	assert_false(probe_config_start_up(&config));
	assert_int_equal(probe_config_jitter(&config), 10);
}

static void test_values(void **state)
{
	struct probe_config config;

	(void)state;
	probe_config_init(&config);
	config.type = PROBE_TYPE_TCP;
	config.port = 8080;
	config.interval_ms = 5000;
	config.timeout_ms = 7000;
	config.fast_interval_ms = 100;
	config.rise = 255;
	config.fall = 1;
	config.start = PROBE_START_UP;
	config.jitter = 0;
	config.path = "/health";
	assert_int_equal(probe_config_type(&config), PROBE_TYPE_TCP);
	assert_int_equal(probe_config_port(&config), 8080);
	assert_string_equal(probe_config_path(&config), "/health");
	assert_int_equal(probe_config_interval_ms(&config), 5000);
	assert_int_equal(probe_config_timeout_ms(&config), 7000);
	assert_int_equal(probe_config_fast_interval_ms(&config), 100);
	assert_int_equal(probe_config_rise(&config), 255);
	assert_int_equal(probe_config_fall(&config), 1);
	assert_true(probe_config_start_up(&config));
	assert_int_equal(probe_config_jitter(&config), 0);
	config.start = PROBE_START_DOWN;
	assert_false(probe_config_start_up(&config));
}

/* `threshold` is both, and gives way to what is set itself. */
static void test_threshold(void **state)
{
	struct probe_config config;

	(void)state;
	probe_config_init(&config);
	config.threshold = 5;
	assert_int_equal(probe_config_rise(&config), 5);
	assert_int_equal(probe_config_fall(&config), 5);
	config.fall = 1;
	assert_int_equal(probe_config_rise(&config), 5);
	assert_int_equal(probe_config_fall(&config), 1);
	config.rise = 7;
	config.fall = 0;
	config.type = PROBE_TYPE_INTERFACE;
	assert_int_equal(probe_config_rise(&config), 7);
	assert_int_equal(probe_config_fall(&config), 5);
}

/* min(1000, interval); fast-interval follows the interval. */
static void test_dependent_defaults(void **state)
{
	struct probe_config config;

	(void)state;
	probe_config_init(&config);
	config.interval_ms = 250;
	assert_int_equal(probe_config_timeout_ms(&config), 250);
	assert_int_equal(probe_config_fast_interval_ms(&config), 250);
	config.interval_ms = 60000;
	assert_int_equal(probe_config_timeout_ms(&config), 1000);
	assert_int_equal(probe_config_fast_interval_ms(&config), 60000);
}

static void test_ports(void **state)
{
	struct probe_config config;

	(void)state;
	probe_config_init(&config);
	config.type = PROBE_TYPE_HTTP;
	assert_int_equal(probe_config_port(&config), 80);
	config.type = PROBE_TYPE_HTTPS;
	assert_int_equal(probe_config_port(&config), 443);
	config.port = 8443;
	assert_int_equal(probe_config_port(&config), 8443);
	config.type = PROBE_TYPE_HTTP;
	assert_int_equal(probe_config_port(&config), 8443);
	config.type = PROBE_TYPE_ICMP;
	assert_int_equal(probe_config_port(&config), 0);
	config.type = PROBE_TYPE_MAX;
	assert_int_equal(probe_config_port(&config), 0);
	config.port = 0;
	config.type = PROBE_TYPE_DNS;
	assert_int_equal(probe_config_port(&config), 53);
	config.port = 5353;
	assert_int_equal(probe_config_port(&config), 5353);
	config.type = PROBE_TYPE_COMMAND;
	assert_int_equal(probe_config_port(&config), 5353);
}

static void test_same(void **state)
{
	struct probe_config a, b;

	(void)state;
	probe_config_init(&a);
	b = a;

	/* What isn't set is the same as its default. */
	b.type = PROBE_TYPE_ICMP;
	b.interval_ms = 1000;
	b.timeout_ms = 1000;
	b.fast_interval_ms = 1000;
	b.path = "/";
	assert_true(probe_config_same_check(&a, &b));
	assert_true(probe_config_same_times(&a, &b));

	/* Neither what is checked nor when. */
	b.rise = 9;
	b.fall = 9;
	b.start = PROBE_START_UP;
	b.jitter = 99;
	b.target = addr("192.0.2.1");
	b.hold = true;
	b.expect_status = "200-399";
	assert_true(probe_config_same_check(&a, &b));
	assert_true(probe_config_same_times(&a, &b));

#define DIFFERS(what, assignment)                                              \
	do {                                                                   \
		b = a;                                                         \
		assignment;                                                    \
		assert_int_equal(probe_config_same_check(&a, &b),              \
				 strcmp(what, "check") != 0);                  \
		assert_int_equal(probe_config_same_times(&a, &b),              \
				 strcmp(what, "times") != 0);                  \
	} while (0)
	a.type = PROBE_TYPE_HTTP;
	a.interval_ms = 100;
	a.timeout_ms = 100;
	a.fast_interval_ms = 100;
	DIFFERS("check", b.type = PROBE_TYPE_HTTPS);
	DIFFERS("check", b.command = "/");
	DIFFERS("check", b.user = "x");
	DIFFERS("check", str2prefix("192.0.2.0/24", &b.prefix));
	DIFFERS("check", b.profile = "x");
	DIFFERS("check", b.hops = 2);
	DIFFERS("check", b.dns_name = "x");
	DIFFERS("check", b.dns_type = PROBE_DNS_TXT);
	DIFFERS("check", b.dns_answer = "x");
	DIFFERS("check", b.key_chain = "x");
	DIFFERS("check", b.socket_path = "/");
	DIFFERS("check", b.port = 81);
	DIFFERS("check", b.path = "/x");
	DIFFERS("check", b.host = "x");
	DIFFERS("check", strlcpy(b.ifname, "eth0", sizeof(b.ifname)));
	DIFFERS("check", b.source = addr("192.0.2.1"));
	DIFFERS("check", b.expect_status = "200");
	DIFFERS("check", b.expect_regex = "x");
	DIFFERS("check", b.send = "x");
	DIFFERS("check", b.method = PROBE_METHOD_HEAD);
	DIFFERS("check", b.follow = 1);
	DIFFERS("check", b.http2 = true);
	DIFFERS("check", b.tls_verify = true);
	DIFFERS("check", b.tls_ca_file = "/x");
	DIFFERS("times", b.interval_ms = 200);
	DIFFERS("times", b.timeout_ms = 50);
	DIFFERS("times", b.fast_interval_ms = 50);
#undef DIFFERS
}

/* Heartbeats are counted by the type, the others' results by the engine. */
static void test_heartbeat(void **state)
{
	struct probe_config config, other;

	probe_config_init(&config);
	assert_int_equal(probe_config_runs_up(&config), 2);
	assert_int_equal(probe_config_runs_down(&config), 3);
	assert_true(probe_config_deadline_us(&config) == 1000000);
	config.type = PROBE_TYPE_HEARTBEAT;
	assert_int_equal(probe_config_rise(&config), 2);
	assert_int_equal(probe_config_fall(&config), 3);
	assert_int_equal(probe_config_runs_up(&config), 1);
	assert_int_equal(probe_config_runs_down(&config), 1);
	assert_int_equal(probe_config_jitter(&config), 0);
	assert_true(probe_config_window_us(&config) == 4000000);
	other = config;
	assert_true(probe_config_same_times(&config, &other));
	other.rise = 3;
	assert_false(probe_config_same_times(&config, &other));
	other = config;
	other.fall = 4;
	assert_false(probe_config_same_times(&config, &other));
	config.fall = 255;
	config.interval_ms = 3600000;
	config.timeout_ms = 3600000;
	assert_true(probe_config_window_us(&config) ==
		    INT64_C(256) * 3600000 * 1000);
	assert_true(probe_config_deadline_us(&config) ==
		    INT64_C(257) * 3600000 * 1000);
}

/* What has to ask first, or to be made, isn't given up before it is known. */
static void test_news(void **state)
{
	struct probe_config config;

	probe_config_init(&config);
	config.timeout_ms = 10;
	for (int type = PROBE_TYPE_ICMP; type < PROBE_TYPE_MAX; type++) {
		bool waits = type == PROBE_TYPE_BFD || type == PROBE_TYPE_ROUTE;

		config.type = type;
		assert_int_equal(probe_config_news_ms(&config) > 0, waits);
		if (waits)
			assert_true(probe_config_deadline_us(&config) >
				    INT64_C(1000) *
					    probe_config_news_ms(&config));
	}
}

static void test_invalid(void **state)
{
	struct probe_config config;
	struct ipaddr none = {};
	struct ipaddr v4 = addr("192.0.2.1"), v6 = addr("2001:db8::1");
	struct ipaddr bad;
	static const char *const not_hosts[] = {
		"0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1",
	};

	(void)state;
	probe_config_init(&config);
	assert_null(probe_config_invalid(&config, &v4));
	assert_null(probe_config_invalid(&config, &v6));
	assert_string_equal(probe_config_invalid(&config, &none), "no target");
	for (size_t i = 0; i < array_size(not_hosts); i++) {
		bad = addr(not_hosts[i]);
		assert_string_equal(probe_config_invalid(&config, &bad),
				    "the target is not a host's address");
	}

	config.type = PROBE_TYPE_COMMAND;
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "command needs a command");
	config.command = "/bin/true";
	assert_null(probe_config_invalid(&config, &v4));
	assert_int_equal(probe_config_rise(&config), 2);

	config.type = PROBE_TYPE_INTERFACE;
	assert_string_equal(probe_config_invalid(&config, &none),
			    "interface needs an interface");
	strlcpy(config.ifname, "eth0", sizeof(config.ifname));
	assert_null(probe_config_invalid(&config, &none));
	assert_int_equal(probe_config_rise(&config), 1);
	assert_int_equal(probe_config_fall(&config), 1);
	config.type = PROBE_TYPE_BFD;
	assert_null(probe_config_invalid(&config, &v4));
	assert_int_equal(probe_config_fall(&config), 1);
	config.hops = 2;
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "bfd over several hops has no interface");
	config.ifname[0] = '\0';
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "bfd over several hops needs a source");
	config.source = addr("192.0.2.2");
	assert_null(probe_config_invalid(&config, &v4));
	config.source = none;
	config.type = PROBE_TYPE_DNS;
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "dns needs a name");
	config.dns_name = "x";
	assert_null(probe_config_invalid(&config, &v4));
	assert_int_equal(probe_config_port(&config), 53);
	assert_string_equal(probe_dns_type_str(probe_config_dns_type(&config)),
			    "a");
	config.type = PROBE_TYPE_HEARTBEAT;
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "heartbeat needs a port or a socket");
	config.key_chain = "x";
	config.socket_path = "/x";
	assert_null(probe_config_invalid(&config, &v4));
	config.port = 7777;
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "heartbeat has a port or a socket, not both");
	config.socket_path = config.key_chain = "";
	assert_int_equal(probe_config_port(&config), 7777);
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "heartbeat needs a key-chain");
	config.key_chain = "x";
	assert_null(probe_config_invalid(&config, &v4));
	config.port = 0;
	config.type = PROBE_TYPE_ROUTE;
	assert_string_equal(probe_config_invalid(&config, &none),
			    "route needs a prefix");
	(void)str2prefix("192.0.2.0/24", &config.prefix);
	assert_null(probe_config_invalid(&config, &none));

	config.type = PROBE_TYPE_TCP;
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "tcp needs a port");
	config.type = PROBE_TYPE_HTTP;
	config.method = PROBE_METHOD_HEAD;
	assert_null(probe_config_invalid(&config, &v4));
	config.expect_regex = "x";
	assert_string_equal(probe_config_invalid(&config, &v4),
			    "an answer to head has no body for expect regex");
	config.expect_regex = "";
	config.method = PROBE_METHOD_GET;
	config.type = PROBE_TYPE_TCP;
	config.port = 1;
	assert_null(probe_config_invalid(&config, &v4));
	config.type = PROBE_TYPE_HTTPS;
	config.port = 0;
	assert_null(probe_config_invalid(&config, &v4));

	config.source = addr("192.0.2.2");
	assert_null(probe_config_invalid(&config, &v4));
	assert_string_equal(probe_config_invalid(&config, &v6),
			    "source and target are of different address families");
	config.source = none;

	bad = addr("fe80::1");
	assert_string_equal(probe_config_invalid(&config, &bad),
			    "a link-local target needs an interface");
	strlcpy(config.ifname, "eth0", sizeof(config.ifname));
	assert_null(probe_config_invalid(&config, &bad));
}

static void test_names(void **state)
{
	static const char *const types[] = {
		[PROBE_TYPE_UNSET] = "icmp",
		[PROBE_TYPE_ICMP] = "icmp",
		[PROBE_TYPE_TCP] = "tcp",
		[PROBE_TYPE_HTTP] = "http",
		[PROBE_TYPE_HTTPS] = "https",
		[PROBE_TYPE_COMMAND] = "command",
		[PROBE_TYPE_INTERFACE] = "interface",
		[PROBE_TYPE_ROUTE] = "route",
		[PROBE_TYPE_BFD] = "bfd",
		[PROBE_TYPE_DNS] = "dns",
		[PROBE_TYPE_HEARTBEAT] = "heartbeat",
		[PROBE_TYPE_MAX] = "?",
	};

	for (size_t i = 0; i < array_size(types); i++)
		assert_string_equal(probe_type_str((enum probe_type_id)i),
				    types[i]);
	(void)state;
	assert_string_equal(probe_type_str(PROBE_TYPE_UNSET), "icmp");
	assert_string_equal(probe_type_str(PROBE_TYPE_ICMP), "icmp");
	assert_string_equal(probe_type_str(PROBE_TYPE_TCP), "tcp");
	assert_string_equal(probe_type_str(PROBE_TYPE_HTTP), "http");
	assert_string_equal(probe_type_str(PROBE_TYPE_HTTPS), "https");
	assert_string_equal(probe_type_str(PROBE_TYPE_MAX), "?");

	assert_string_equal(probe_method_str(PROBE_METHOD_GET), "get");
	assert_string_equal(probe_method_str(PROBE_METHOD_HEAD), "head");
	assert_string_equal(probe_method_str(PROBE_METHOD_OPTIONS), "options");
	assert_string_equal(probe_method_str(PROBE_METHODS), "?");

	assert_string_equal(probe_result_str(PROBE_PASS), "pass");
	assert_string_equal(probe_result_str(PROBE_TIMEOUT), "timeout");
	assert_string_equal(probe_result_str(PROBE_REFUSED),
			    "connection refused");
	assert_string_equal(probe_result_str(PROBE_UNREACHABLE), "unreachable");
	assert_string_equal(probe_result_str(PROBE_RESPONSE),
			    "unexpected response");
	assert_string_equal(probe_result_str(PROBE_LOCAL), "local failure");
	assert_string_equal(probe_result_str(PROBE_RESULT_MAX), "?");

	assert_string_equal(probe_verdict_str(PROBE_UNKNOWN), "unknown");
	assert_string_equal(probe_verdict_str(PROBE_DOWN), "down");
	assert_string_equal(probe_verdict_str(PROBE_UP), "up");
	assert_string_equal(probe_verdict_str((enum probe_verdict)99), "?");
}

/* Every text is its owner's, and goes with it (the sanitizers look). */
static void test_texts(void **state)
{
	struct probe_config a, b;
	char buf[] = "/health";

	probe_config_init(&a);
	assert_string_equal(a.tls_ca_file, "");
	probe_config_text_set(&a.path, buf);
	probe_config_text_set(&a.tls_ca_file, "/ca");
	buf[1] = 'X';
	probe_config_copy(&b, &a);
	probe_config_text_set(&a.path, "/other");
	assert_string_equal(a.path, "/other");
	assert_string_equal(b.path, "/health");
	assert_string_equal(b.host, "");
	probe_config_text_set(&b.host, NULL);
	probe_config_text_set(&b.path, "");
	assert_string_equal(b.path, "");
	assert_string_equal(b.tls_ca_file, "/ca");
	probe_config_fini(&b);
	assert_string_equal(b.tls_ca_file, "");
	assert_string_equal(a.tls_ca_file, "/ca");
	probe_config_fini(&a);
	probe_config_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_dependent_defaults),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_heartbeat),
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
