/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is configured of a probe, and what that comes to (pure).
 * spec: vip.md, "Probes" (defaults).
 */
#ifndef CLUSTER_PROBE_CONFIG_H
#define CLUSTER_PROBE_CONFIG_H

#include "prefix.h"

#include "probe/probe.h"

#define PROBE_PROFILE_LEN    64	 /* BFD_PROFILE_NAME_LEN */
#define PROBE_KEYCHAIN_LEN   64	 /* with the NUL */
#define PROBE_IFNAME_LEN     16	 /* IFNAMSIZ */
#define PROBE_PATH_LEN	     256 /* with the NUL */
#define PROBE_HOST_LEN	     254 /* longest DNS name and the NUL */
#define PROBE_DNS_ANSWER_LEN 256 /* with the NUL */
#define PROBE_COMMAND_LEN    512 /* with the NUL */
#define PROBE_USER_LEN	     33	 /* longest name of a user and the NUL */

#define PROBE_STATUS_LEN  64 /* with the NUL, like all that follow */
#define PROBE_REGEX_LEN	  256
#define PROBE_SEND_LEN	  256
#define PROBE_CA_FILE_LEN 256
#define PROBE_SOCKET_LEN  108 /* of a sockaddr_un */

enum probe_type_id {
	PROBE_TYPE_UNSET, /* reads as icmp */
	PROBE_TYPE_ICMP,
	PROBE_TYPE_TCP,
	PROBE_TYPE_HTTP,
	PROBE_TYPE_HTTPS,
	PROBE_TYPE_COMMAND,
	PROBE_TYPE_INTERFACE,
	PROBE_TYPE_ROUTE,
	PROBE_TYPE_BFD,
	PROBE_TYPE_DNS,
	PROBE_TYPE_HEARTBEAT,
	PROBE_TYPE_MAX,
};

/* What a dns probe asks for. */
enum probe_dns_type {
	PROBE_DNS_UNSET, /* reads as a */
	PROBE_DNS_A,
	PROBE_DNS_AAAA,
	PROBE_DNS_NS,
	PROBE_DNS_SOA,
	PROBE_DNS_TXT,
	PROBE_DNS_MAX,
};

enum probe_start {
	PROBE_START_UNSET, /* reads as down */
	PROBE_START_DOWN,
	PROBE_START_UP,
};

enum probe_method {
	PROBE_METHOD_GET,
	PROBE_METHOD_HEAD,
	PROBE_METHOD_OPTIONS,
	PROBE_METHODS,
};

#define PROBE_JITTER_UNSET (-1)

/*
 * What is configured, leaf by leaf.  A leaf that is not set has the value in
 * the comment; whoever needs the effective value asks the accessors below.
 * The texts are never NULL; there are many probes, and few have any, so they are
 * no arrays: probe_config_text_set() and what follows it look after them.
 */
struct probe_config {
	enum probe_type_id type;       /* PROBE_TYPE_UNSET */
	struct ipaddr target;	       /* IPADDR_NONE: a template */
	uint16_t port;		       /* 0 */
	const char *path;	       /* "" */
	const char *host;	       /* "" */
	const char *command;	       /* ""; words, one space between */
	const char *user;	       /* "": that of clusterd */
	struct prefix prefix;	       /* AF_UNSPEC; host bits 0 */
	const char *profile;	       /* "" */
	uint8_t hops;		       /* 0; else 1..254 */
	const char *dns_name;	       /* "" */
	enum probe_dns_type dns_type;  /* PROBE_DNS_UNSET */
	const char *dns_answer;	       /* "": any */
	const char *key_chain;	       /* "" */
	const char *socket_path;       /* "": the port */
	uint32_t interval_ms;	       /* 0; else 10..3600000 */
	uint32_t timeout_ms;	       /* 0; else 1..3600000 */
	uint32_t fast_interval_ms;     /* 0; else 10..3600000 */
	uint8_t threshold;	       /* 0; rise and fall, where these are 0 */
	uint8_t rise;		       /* 0 */
	uint8_t fall;		       /* 0 */
	struct ipaddr source;	       /* IPADDR_NONE */
	char ifname[PROBE_IFNAME_LEN]; /* "" */
	char vrf[PROBE_VRF_LEN];       /* "": that of whoever uses it */
	enum probe_start start;	       /* PROBE_START_UNSET */
	int16_t jitter;		       /* PROBE_JITTER_UNSET; else 0..100 */
	bool hold;		       /* false; of tcp, http, https */

	/* Of tcp, http and https; "": whatever it says. */
	const char *expect_regex;
	/* Of tcp; "": nothing is sent.  As typed, see probe_text_bytes(). */
	const char *send;
	/* Of http and https. */
	const char *expect_status; /* "" */
	enum probe_method method;  /* GET */
	uint8_t follow;		   /* 0; redirects, at most 10 */
	bool http2;		   /* false: HTTP/1.1 */
	bool tls_verify;	   /* false */
	const char *tls_ca_file;   /* "": the system's */
};

/* Nothing set. */
extern void probe_config_init(struct probe_config *config);
/*
 * Sets one of a configuration's texts to a copy of `value`; NULL is "".  Such a
 * configuration needs probe_config_fini(), one whose texts all are constants
 * doesn't.
 */
extern void probe_config_text_set(const char **text, const char *value);
/* `to` is made, with its own copy of the texts. */
extern void probe_config_copy(struct probe_config *to,
			      const struct probe_config *from);
/* Frees the texts; there is nothing set afterwards. */
extern void probe_config_fini(struct probe_config *config);

extern enum probe_type_id probe_config_type(const struct probe_config *config);
/* 0 for icmp, and for tcp without a port (which is invalid). */
extern uint16_t probe_config_port(const struct probe_config *config);
/*
 * What is checked has no address: one instance in a VRF, whoever uses it; see
 * probe_config_target().
 */
extern bool probe_config_targetless(const struct probe_config *config);
/* The definition's own target, or 0.0.0.0 if targetless; NONE: a template. */
extern const struct ipaddr *
probe_config_target(const struct probe_config *config);
/* It sends nothing, but knows: see "Types that watch" in probe-types.rst. */
extern bool probe_config_watches(const struct probe_config *config);
extern const char *probe_config_path(const struct probe_config *config);
extern const char *probe_config_expect_status(const struct probe_config *config);
extern uint32_t probe_config_interval_ms(const struct probe_config *config);
extern uint32_t probe_config_timeout_ms(const struct probe_config *config);
extern uint32_t probe_config_fast_interval_ms(const struct probe_config *config);
extern uint8_t probe_config_hops(const struct probe_config *config);
extern uint8_t probe_config_rise(const struct probe_config *config);
extern uint8_t probe_config_fall(const struct probe_config *config);
/*
 * Results in a row that make the verdict up, and down: rise and fall; but a
 * heartbeat probe counts heartbeats itself, and a result of it is final.
 */
extern uint8_t probe_config_runs_up(const struct probe_config *config);
extern uint8_t probe_config_runs_down(const struct probe_config *config);
/*
 * Of what watches: for how long a check that is new may have nothing to say,
 * milliseconds; 0: it knows at once.
 */
extern uint32_t probe_config_news_ms(const struct probe_config *config);
/* When a run is given up: the time-out; of what watches later than it itself does. */
extern int64_t probe_config_deadline_us(const struct probe_config *config);
/* Of heartbeat: silence of more than this is down. */
extern int64_t probe_config_window_us(const struct probe_config *config);
/* Every check has a socket of its own. */
extern bool probe_config_opens(const struct probe_config *config);
extern bool probe_config_start_up(const struct probe_config *config);
/* 0 for what watches. */
extern uint8_t probe_config_jitter(const struct probe_config *config);

/*
 * Why a check of `target` with this configuration can't run, as a text of
 * static storage ("tcp needs a port"); NULL if it can.
 */
extern const char *probe_config_invalid(const struct probe_config *config,
					const struct ipaddr *target);

/* Both check the same thing in the same way, at whatever times. */
extern bool probe_config_same_check(const struct probe_config *a,
				    const struct probe_config *b);
/* Interval, fast interval and time-out (of heartbeat: rise, fall) are the same. */
extern bool probe_config_same_times(const struct probe_config *a,
				    const struct probe_config *b);

extern const char *probe_method_str(enum probe_method method); /* "get" */
extern enum probe_dns_type
probe_config_dns_type(const struct probe_config *config);
extern const char *probe_dns_type_str(enum probe_dns_type type); /* "a" */
extern const char *probe_type_str(enum probe_type_id type);	 /* "icmp" */
extern const char *probe_result_str(enum probe_result r);	 /* "timeout" */
extern const char *probe_verdict_str(enum probe_verdict v);	 /* "up" */

#endif /* CLUSTER_PROBE_CONFIG_H */
