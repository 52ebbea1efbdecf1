// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "memory.h"

#include "probe/probe_config.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_TEXT, "Probe text");

#define DEFAULT_INTERVAL_MS 1000
#define DEFAULT_TIMEOUT_MS  1000 /* or the interval, if that is shorter */
#define DEFAULT_RISE	    2
#define DEFAULT_FALL	    3
#define DEFAULT_JITTER	    10

/*
 * A BFD session comes up by three packets, and both sides send one a second
 * before that. zebra answers within milliseconds, unless it is busy.
 */
#define BFD_NEWS_MS   4000
#define ROUTE_NEWS_MS 2000

#define DEFAULT_EXPECT_STATUS "200-399"

static const size_t texts[] = {
	offsetof(struct probe_config, path),
	offsetof(struct probe_config, host),
	offsetof(struct probe_config, command),
	offsetof(struct probe_config, user),
	offsetof(struct probe_config, profile),
	offsetof(struct probe_config, dns_name),
	offsetof(struct probe_config, dns_answer),
	offsetof(struct probe_config, key_chain),
	offsetof(struct probe_config, socket_path),
	offsetof(struct probe_config, expect_regex),
	offsetof(struct probe_config, send),
	offsetof(struct probe_config, expect_status),
	offsetof(struct probe_config, tls_ca_file),
};

static const char **text_at(struct probe_config *config, size_t i)
{
	return (const char **)((uint8_t *)config + texts[i]);
}

void probe_config_init(struct probe_config *config)
{
	memset(config, 0, sizeof(*config));
	for (size_t i = 0; i < array_size(texts); i++)
		*text_at(config, i) = "";
	config->jitter = PROBE_JITTER_UNSET;
}

void probe_config_text_set(const char **text, const char *value)
{
	char *old = (char *)*text;

	/* None is empty that was allocated. */
	*text = value && value[0] ? XSTRDUP(MTYPE_PROBE_TEXT, value) : "";
	if (old[0])
		XFREE(MTYPE_PROBE_TEXT, old);
}

void probe_config_copy(struct probe_config *to, const struct probe_config *from)
{
	*to = *from;
	for (size_t i = 0; i < array_size(texts); i++) {
		const char *text = *text_at(to, i);

		*text_at(to, i) = "";
		probe_config_text_set(text_at(to, i), text);
	}
}

void probe_config_fini(struct probe_config *config)
{
	for (size_t i = 0; i < array_size(texts); i++)
		probe_config_text_set(text_at(config, i), "");
	probe_config_init(config);
}

enum probe_type_id probe_config_type(const struct probe_config *config)
{
	return config->type == PROBE_TYPE_UNSET ? PROBE_TYPE_ICMP : config->type;
}

uint16_t probe_config_port(const struct probe_config *config)
{
	switch (probe_config_type(config)) {
	case PROBE_TYPE_TCP:
	case PROBE_TYPE_HEARTBEAT:
		return config->port;
	case PROBE_TYPE_HTTP:
		return config->port ? config->port : 80;
	case PROBE_TYPE_HTTPS:
		return config->port ? config->port : 443;
	case PROBE_TYPE_COMMAND:
		return config->port;
	case PROBE_TYPE_DNS:
		return config->port ? config->port : 53;
	case PROBE_TYPE_UNSET:
	case PROBE_TYPE_ICMP:
	case PROBE_TYPE_INTERFACE:
	case PROBE_TYPE_ROUTE:
	case PROBE_TYPE_BFD:
	case PROBE_TYPE_MAX:
		break;
	}
	return 0;
}

bool probe_config_targetless(const struct probe_config *config)
{
	return config->type == PROBE_TYPE_INTERFACE ||
	       config->type == PROBE_TYPE_ROUTE;
}

const struct ipaddr *probe_config_target(const struct probe_config *config)
{
	static const struct ipaddr any = { .ipa_type = IPADDR_V4 };

	return probe_config_targetless(config) ? &any : &config->target;
}

bool probe_config_watches(const struct probe_config *config)
{
	return probe_config_targetless(config) ||
	       config->type == PROBE_TYPE_BFD ||
	       config->type == PROBE_TYPE_HEARTBEAT;
}

const char *probe_config_path(const struct probe_config *config)
{
	return config->path[0] ? config->path : "/";
}

const char *probe_config_expect_status(const struct probe_config *config)
{
	return config->expect_status[0] ? config->expect_status
					: DEFAULT_EXPECT_STATUS;
}

uint32_t probe_config_interval_ms(const struct probe_config *config)
{
	return config->interval_ms ? config->interval_ms : DEFAULT_INTERVAL_MS;
}

uint32_t probe_config_timeout_ms(const struct probe_config *config)
{
	uint32_t interval = probe_config_interval_ms(config);

	if (config->timeout_ms)
		return config->timeout_ms;
	return interval < DEFAULT_TIMEOUT_MS ? interval : DEFAULT_TIMEOUT_MS;
}

uint32_t probe_config_fast_interval_ms(const struct probe_config *config)
{
	return config->fast_interval_ms ? config->fast_interval_ms
					: probe_config_interval_ms(config);
}

/* One look says it all. */
static bool looks_once(const struct probe_config *config)
{
	return probe_config_watches(config) &&
	       config->type != PROBE_TYPE_HEARTBEAT;
}

uint8_t probe_config_rise(const struct probe_config *config)
{
	if (config->rise)
		return config->rise;
	if (config->threshold)
		return config->threshold;
	return looks_once(config) ? 1 : DEFAULT_RISE;
}

uint8_t probe_config_fall(const struct probe_config *config)
{
	if (config->fall)
		return config->fall;
	if (config->threshold)
		return config->threshold;
	return looks_once(config) ? 1 : DEFAULT_FALL;
}

uint8_t probe_config_runs_up(const struct probe_config *config)
{
	return config->type == PROBE_TYPE_HEARTBEAT ? 1
						    : probe_config_rise(config);
}

uint8_t probe_config_runs_down(const struct probe_config *config)
{
	return config->type == PROBE_TYPE_HEARTBEAT ? 1
						    : probe_config_fall(config);
}

int64_t probe_config_window_us(const struct probe_config *config)
{
	return INT64_C(1000) * (INT64_C(1) * probe_config_interval_ms(config) *
					probe_config_fall(config) +
				probe_config_timeout_ms(config));
}

uint32_t probe_config_news_ms(const struct probe_config *config)
{
	switch (probe_config_type(config)) {
	case PROBE_TYPE_BFD:
		return BFD_NEWS_MS;
	case PROBE_TYPE_ROUTE:
		return ROUTE_NEWS_MS;
	default:
		return 0;
	}
}

int64_t probe_config_deadline_us(const struct probe_config *config)
{
	int64_t interval_us = INT64_C(1000) * probe_config_interval_ms(config);

	/* These answer by themselves, before that. */
	if (config->type == PROBE_TYPE_HEARTBEAT)
		return probe_config_window_us(config) + interval_us;
	if (probe_config_news_ms(config))
		return INT64_C(1000) * (probe_config_news_ms(config) + 1000);
	return INT64_C(1000) * probe_config_timeout_ms(config);
}

uint8_t probe_config_hops(const struct probe_config *config)
{
	return config->hops ? config->hops : 1;
}

bool probe_config_opens(const struct probe_config *config)
{
	switch (probe_config_type(config)) {
	case PROBE_TYPE_TCP:
	case PROBE_TYPE_HTTP:
	case PROBE_TYPE_HTTPS:
	case PROBE_TYPE_DNS:
		return true;
	default:
		/* One for many, none, or bounded elsewhere (commands). */
		return false;
	}
}

bool probe_config_start_up(const struct probe_config *config)
{
	return config->start == PROBE_START_UP;
}

uint8_t probe_config_jitter(const struct probe_config *config)
{
	/* What sends nothing may be looked at at once. */
	if (probe_config_watches(config))
		return 0;
	return config->jitter == PROBE_JITTER_UNSET ? DEFAULT_JITTER
						    : config->jitter;
}

static bool same_answer(const struct probe_config *a,
			const struct probe_config *b)
{
	return strcmp(probe_config_expect_status(a),
		      probe_config_expect_status(b)) == 0 &&
	       strcmp(a->expect_regex, b->expect_regex) == 0 &&
	       strcmp(a->send, b->send) == 0 && a->method == b->method &&
	       a->follow == b->follow && a->http2 == b->http2 &&
	       a->tls_verify == b->tls_verify &&
	       strcmp(a->tls_ca_file, b->tls_ca_file) == 0;
}

static bool prefix_equal(const struct prefix *a, const struct prefix *b)
{
	return a->family == b->family &&
	       (a->family == AF_UNSPEC || prefix_same(a, b));
}

bool probe_config_same_check(const struct probe_config *a,
			     const struct probe_config *b)
{
	return probe_config_type(a) == probe_config_type(b) &&
	       probe_config_port(a) == probe_config_port(b) &&
	       strcmp(probe_config_path(a), probe_config_path(b)) == 0 &&
	       strcmp(a->host, b->host) == 0 &&
	       strcmp(a->command, b->command) == 0 &&
	       strcmp(a->user, b->user) == 0 &&
	       prefix_equal(&a->prefix, &b->prefix) &&
	       strcmp(a->profile, b->profile) == 0 &&
	       probe_config_hops(a) == probe_config_hops(b) &&
	       strcmp(a->dns_name, b->dns_name) == 0 &&
	       probe_config_dns_type(a) == probe_config_dns_type(b) &&
	       strcmp(a->dns_answer, b->dns_answer) == 0 &&
	       strcmp(a->key_chain, b->key_chain) == 0 &&
	       strcmp(a->socket_path, b->socket_path) == 0 &&
	       strcmp(a->ifname, b->ifname) == 0 &&
	       ipaddr_cmp(&a->source, &b->source) == 0 && same_answer(a, b);
}

bool probe_config_same_times(const struct probe_config *a,
			     const struct probe_config *b)
{
	/* A heartbeat probe counts for itself: it has to hear of these. */
	if (b->type == PROBE_TYPE_HEARTBEAT &&
	    (probe_config_rise(a) != probe_config_rise(b) ||
	     probe_config_fall(a) != probe_config_fall(b)))
		return false;
	return probe_config_interval_ms(a) == probe_config_interval_ms(b) &&
	       probe_config_timeout_ms(a) == probe_config_timeout_ms(b) &&
	       probe_config_fast_interval_ms(a) ==
		       probe_config_fast_interval_ms(b);
}

static bool target_is_unicast(const struct ipaddr *target)
{
	if (ipaddr_is_zero(target))
		return false;
	if (IS_IPADDR_V4(target)) {
		in_addr_t addr = ntohl(target->ipaddr_v4.s_addr);

		return !IN_MULTICAST(addr) && addr != INADDR_BROADCAST;
	}
	return !IN6_IS_ADDR_MULTICAST(&target->ipaddr_v6);
}

static bool is_http(const struct probe_config *config)
{
	return probe_config_type(config) == PROBE_TYPE_HTTP ||
	       probe_config_type(config) == PROBE_TYPE_HTTPS;
}

/* Of those whose target is nobody's business. */
static const char *invalid_targetless(const struct probe_config *config)
{
	if (config->type == PROBE_TYPE_INTERFACE && !config->ifname[0])
		return "interface needs an interface";
	if (config->type == PROBE_TYPE_ROUTE &&
	    config->prefix.family == AF_UNSPEC)
		return "route needs a prefix";
	return NULL;
}

static const char *invalid_heartbeat(const struct probe_config *config)
{
	if (!config->port && !config->socket_path[0])
		return "heartbeat needs a port or a socket";
	if (config->port && config->socket_path[0])
		return "heartbeat has a port or a socket, not both";
	if (!config->key_chain[0])
		return "heartbeat needs a key-chain";
	return NULL;
}

/* libfrr would say nothing to bfdd, and nobody why. */
static const char *invalid_bfd(const struct probe_config *config)
{
	if (probe_config_hops(config) == 1)
		return NULL;
	if (config->ifname[0])
		return "bfd over several hops has no interface";
	if (IS_IPADDR_NONE(&config->source))
		return "bfd over several hops needs a source";
	return NULL;
}

const char *probe_config_invalid(const struct probe_config *config,
				 const struct ipaddr *target)
{
	const char *why = NULL;

	if (probe_config_targetless(config))
		return invalid_targetless(config);
	if (IS_IPADDR_NONE(target))
		return "no target";
	if (!target_is_unicast(target))
		return "the target is not a host's address";
	if (probe_config_type(config) == PROBE_TYPE_TCP && !config->port)
		return "tcp needs a port";
	if (probe_config_type(config) == PROBE_TYPE_COMMAND &&
	    !config->command[0])
		return "command needs a command";
	if (probe_config_type(config) == PROBE_TYPE_DNS && !config->dns_name[0])
		return "dns needs a name";
	if (config->type == PROBE_TYPE_HEARTBEAT)
		why = invalid_heartbeat(config);
	if (config->type == PROBE_TYPE_BFD)
		why = invalid_bfd(config);
	if (why)
		return why;
	if (is_http(config) && config->expect_regex[0] &&
	    config->method == PROBE_METHOD_HEAD)
		return "an answer to head has no body for expect regex";
	if (!IS_IPADDR_NONE(&config->source) &&
	    config->source.ipa_type != target->ipa_type)
		return "source and target are of different address families";
	if (IS_IPADDR_V6(target) && IN6_IS_ADDR_LINKLOCAL(&target->ipaddr_v6) &&
	    !config->ifname[0])
		return "a link-local target needs an interface";
	return NULL;
}

const char *probe_method_str(enum probe_method method)
{
	switch (method) {
	case PROBE_METHOD_GET:
		return "get";
	case PROBE_METHOD_HEAD:
		return "head";
	case PROBE_METHOD_OPTIONS:
		return "options";
	case PROBE_METHODS:
		break;
	}
	return "?";
}

enum probe_dns_type probe_config_dns_type(const struct probe_config *config)
{
	return config->dns_type ? config->dns_type : PROBE_DNS_A;
}

const char *probe_dns_type_str(enum probe_dns_type type)
{
	static const char *const names[PROBE_DNS_MAX] = {
		[PROBE_DNS_UNSET] = "a",   [PROBE_DNS_A] = "a",
		[PROBE_DNS_AAAA] = "aaaa", [PROBE_DNS_NS] = "ns",
		[PROBE_DNS_SOA] = "soa",   [PROBE_DNS_TXT] = "txt",
	};

	return names[type];
}

const char *probe_type_str(enum probe_type_id type)
{
	switch (type) {
	case PROBE_TYPE_UNSET:
	case PROBE_TYPE_ICMP:
		return "icmp";
	case PROBE_TYPE_TCP:
		return "tcp";
	case PROBE_TYPE_HTTP:
		return "http";
	case PROBE_TYPE_HTTPS:
		return "https";
	case PROBE_TYPE_COMMAND:
		return "command";
	case PROBE_TYPE_INTERFACE:
		return "interface";
	case PROBE_TYPE_ROUTE:
		return "route";
	case PROBE_TYPE_BFD:
		return "bfd";
	case PROBE_TYPE_DNS:
		return "dns";
	case PROBE_TYPE_HEARTBEAT:
		return "heartbeat";
	case PROBE_TYPE_MAX:
		break;
	}
	return "?";
}

const char *probe_result_str(enum probe_result result)
{
	switch (result) {
	case PROBE_PASS:
		return "pass";
	case PROBE_TIMEOUT:
		return "timeout";
	case PROBE_REFUSED:
		return "connection refused";
	case PROBE_UNREACHABLE:
		return "unreachable";
	case PROBE_RESPONSE:
		return "unexpected response";
	case PROBE_NOT_UP:
		return "not up";
	case PROBE_LOCAL:
		return "local failure";
	case PROBE_RESULT_MAX:
		break;
	}
	return "?";
}

const char *probe_verdict_str(enum probe_verdict verdict)
{
	switch (verdict) {
	case PROBE_UNKNOWN:
		return "unknown";
	case PROBE_DOWN:
		return "down";
	case PROBE_UP:
		return "up";
	}
	return "?";
}
