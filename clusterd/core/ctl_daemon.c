// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon's node of the control protocol.
 *
 * The northbound (ctl_nb.c) writes the configuration into `control` and calls
 * control_changed(); decide(), once for a transaction, makes sockets, keys,
 * timers and dials follow.  Without a key chain the protocol is off.
 */
#include "cluster_compat.h"

#include <sys/random.h>

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/ctl_daemon_private.h"
#include "core/ctl_idfile.h"
#include "core/second_limit.h"

DEFINE_MTYPE(CLUSTERD, CTL_CONFIG, "Control configuration");

/* Several nodes of one ID go on for long: a warning of each now and then. */
#define DUPLICATE_WARN_US INT64_C(60000000)

struct control control;

static const char *id_dir;
static struct ctl_id id;
static bool id_known, id_kept;
static struct event *t_wake;
static const struct ctl_capability *caps[CTL_CAPABILITIES_MAX];
static unsigned int n_caps;
static int64_t duplicate_warned_us;

int control_listen_cmp(const struct control_listen *a,
		       const struct control_listen *b)
{
	int ret = strcmp(a->listen.vrf, b->listen.vrf);

	if (!ret)
		ret = ipaddr_cmp(&a->listen.addr, &b->listen.addr);
	return ret ? ret : a->listen.port - b->listen.port;
}

int control_peer_cmp(const struct control_peer *a, const struct control_peer *b)
{
	int ret = strcmp(a->vrf, b->vrf);

	if (!ret)
		ret = ipaddr_cmp(&a->addr, &b->addr);
	return ret ? ret : a->port - b->port;
}

struct control_listen *control_listen_find(const struct ctl_listen *key)
{
	struct control_listen ref = { .listen = *key };

	return control_listens_find(&control.listens, &ref);
}

struct control_peer *control_peer_find(const char *vrf,
				       const struct ipaddr *addr, uint16_t port)
{
	struct control_peer ref = { .addr = *addr, .port = port };

	strlcpy(ref.vrf, vrf, sizeof(ref.vrf));
	return control_peers_find(&control.peers, &ref);
}

const struct ctl_id *control_id(void)
{
	if (!id_known)
		id_kept = ctl_idfile_load(id_dir, &id);
	id_known = true;
	return &id;
}

bool control_id_kept(void)
{
	control_id();
	return id_kept;
}

const char *control_problem(void)
{
	const char *problem = NULL;

	if (!control.keychain[0])
		return "off: no `key-chain` is configured";
	if (control.keys)
		problem = ctl_keychain_problem(control.keys);
	if (!problem &&
	    control_listens_count(&control.listens) > CTL_IO_SOCKETS_MAX)
		return "only 16 of the addresses to `listen` at are used";
	return problem;
}
_Static_assert(CTL_IO_SOCKETS_MAX == 16, "as control_problem() says");

const char *control_accept_problem(void)
{
	return control.accept[0] ? accept_list_problem(control.accept) : NULL;
}

/* -- ops -- */

static void op_random(void *arg, void *buf, size_t len)
{
	static uint8_t stock[1024];
	static size_t left;
	uint8_t *p = buf;

	/* Eight octets at a time is what is asked for most. */
	while (len--) {
		if (!left) {
			while (getrandom(stock, sizeof(stock), 0) !=
			       sizeof(stock))
				;
			left = sizeof(stock);
		}
		*p++ = stock[--left];
		stock[left] = 0;
	}
}

static void op_send(void *arg, const struct ctl_path *path, const uint8_t *buf,
		    size_t len)
{
	ctl_io_send(control.io, path, buf, len);
}

static const struct ctl_key *op_key_send(void *arg)
{
	return ctl_keychain_send(control.keys);
}

static const struct ctl_key *op_key_accept(void *arg, uint32_t key_id)
{
	return ctl_keychain_accept(control.keys, key_id);
}

static void woken(struct event *event)
{
	ctl_run(control.ctl, cluster_now_us());
	ctl_io_flush(control.io);
}

static void op_wake(void *arg, int64_t at_us)
{
	int64_t wait_us = at_us - cluster_now_us();
	struct timeval tv = {};

	cluster_event_off(t_wake);
	if (at_us == INT64_MAX)
		return;
	if (wait_us > 0) {
		tv.tv_sec = wait_us / 1000000;
		tv.tv_usec = wait_us % 1000000;
	}
	event_add_timer_tv(cluster_master, woken, NULL, &tv, &t_wake);
}

static void op_duplicate(void *arg, const struct ctl_id *other,
			 const struct ctl_path *path)
{
	char text[CTL_ID_TEXT_LEN], addr[INET6_ADDRSTRLEN];
	int64_t now_us = cluster_now_us();

	if (duplicate_warned_us &&
	    now_us - duplicate_warned_us < DUPLICATE_WARN_US)
		return;
	duplicate_warned_us = now_us;
	flog_warn(EC_CLUSTER_DUPLICATE_ID,
		  "another node at %s has the logical ID %s%s: it is refused",
		  ipaddr2str(&path->remote, addr, sizeof(addr)),
		  ctl_id_format(other, text),
		  ctl_id_cmp(other, &id) ? " of a peer" : " of this node");
}

/* Who is configured as a peer is wanted; of all others the list decides. */
static bool op_permit(void *arg, const struct ctl_id *other,
		      const struct ctl_path *path)
{
	struct control_peer ref = { .addr = path->remote };
	struct control_peer *peer;

	if (!control.accept[0])
		return true;
	strlcpy(ref.vrf, ctl_io_vrf(control.io, path->socket), sizeof(ref.vrf));
	/* On any port. */
	peer = control_peers_find_gteq(&control.peers, &ref);
	if (peer && !strcmp(peer->vrf, ref.vrf) &&
	    !ipaddr_cmp(&peer->addr, &ref.addr))
		return true;
	return accept_list_permits(control.accept, &path->remote);
}

/* A flood mustn't become one of log messages. */
#define TRACES_PER_SECOND 50

static void op_trace(void *arg, const struct ctl_id *other,
		     const struct ctl_path *path, const char *what,
		     const char *detail)
{
	static struct second_limit limit;
	char text[CTL_ID_TEXT_LEN], addr[INET6_ADDRSTRLEN];
	unsigned int missed;
	bool over;

	if (!DEBUG_MODE_CHECK(&cluster_dbg_control, DEBUG_MODE_ALL))
		return;
	over = second_limit_over(&limit, TRACES_PER_SECOND, cluster_now_us(),
				 &missed);
	if (missed)
		CONTROL_DEBUG("control: %u more were not logged", missed);
	if (over)
		return;
	CONTROL_DEBUG("control: %s port %u, node %s: %s%s%s",
		      path ? ipaddr2str(&path->remote, addr, sizeof(addr)) : "-",
		      path ? path->port : 0,
		      other ? ctl_id_format(other, text) : "-", what,
		      detail ? ": " : "", detail ? detail : "");
}

static const struct ctl_ops ops = {
	.random = op_random,
	.send = op_send,
	.key_send = op_key_send,
	.key_accept = op_key_accept,
	.wake = op_wake,
	.permit = op_permit,
	.duplicate = op_duplicate,
	.trace = op_trace,
};

static void io_receive(void *arg, const struct ctl_path *path,
		       const uint8_t *buf, size_t len)
{
	if (control.ctl)
		ctl_receive(control.ctl, path, buf, len, cluster_now_us());
}

static void io_received(void *arg)
{
	if (control.ctl)
		ctl_run(control.ctl, cluster_now_us());
}

static const struct ctl_io_ops io_ops = {
	.receive = io_receive,
	.received = io_received,
};

/* -- logging, as a capability that sends nothing -- */

static void log_up(void *arg, struct ctl_peer *peer)
{
	char text[CTL_ID_TEXT_LEN];

	ctl_id_format(ctl_peer_id(peer), text);
	zlog_info("control: session with %s is up", text);
	cluster_event(&(struct event_change){
		.kind = EVENT_CONTROL,
		.name = text,
		.before = "down",
		.after = "up",
	});
	control_notify(peer, "");
}

static void log_down(void *arg, struct ctl_peer *peer, enum ctl_reason why)
{
	char text[CTL_ID_TEXT_LEN];

	ctl_id_format(ctl_peer_id(peer), text);
	zlog_info("control: session with %s is down: %s", text,
		  ctl_reason_str(why));
	cluster_event(&(struct event_change){
		.kind = EVENT_CONTROL,
		.name = text,
		.before = "up",
		.after = "down",
		.why = ctl_reason_str(why),
	});
	control_notify(peer, ctl_reason_str(why));
}

static const struct ctl_capability log_capability = {
	.name = "log",
	.type_first = CTL_ITEM_USER,
	.type_last = CTL_ITEM_USER,
	.up = log_up,
	.down = log_down,
};

/* -- what runs follows the configuration -- */

static void start(int64_t now_us)
{
	struct ctl_config config = { .id = *control_id() };

	ctl_config_default(&config);
	config.timers = control.timers;
	control.keys = ctl_keychain_new(control.keychain);
	control.io = ctl_io_new(cluster_master, &io_ops, NULL);
	control.ctl = ctl_new(&config, &ops, NULL, now_us);
	ctl_register(control.ctl, &log_capability);
	for (unsigned int i = 0; i < n_caps; i++)
		ctl_register(control.ctl, caps[i]);
}

static void stop(int64_t now_us)
{
	if (!control.ctl)
		return;
	ctl_stop(control.ctl, now_us);
	ctl_io_flush(control.io);
	control_dials_forget();
	ctl_free(&control.ctl);
	ctl_io_free(&control.io);
	ctl_keychain_free(&control.keys);
	cluster_event_off(t_wake);
}

/* The configured ones, or all addresses if there are none. */
static void sockets_follow(void)
{
	struct ctl_listen list[CTL_IO_SOCKETS_MAX];
	struct control_listen *listen;
	size_t n = 0;

	frr_each (control_listens, &control.listens, listen)
		if (n < CTL_IO_SOCKETS_MAX)
			list[n++] = listen->listen;
	if (!n) {
		for (; n < 2; n++) {
			list[n] = (struct ctl_listen){
				.vrf = CONTROL_DEFAULT_VRF, .port = CTL_PORT
			};
			str2ipaddr(n ? "::" : "0.0.0.0", &list[n].addr);
		}
	}
	ctl_io_listen(control.io, list, n);
}

bool control_listens(const char *vrf)
{
	struct control_listen *listen;

	if (!control_listens_count(&control.listens))
		return strmatch(vrf, CONTROL_DEFAULT_VRF);
	frr_each (control_listens, &control.listens, listen)
		if (strmatch(listen->listen.vrf, vrf))
			return true;
	return false;
}

/* Other capabilities' changes call decide too: only ours are anything to do. */
static bool changed, accept_changed;

static void decide(int64_t now_us)
{
	struct ctl_timers timers;

	if (!control.keychain[0]) {
		stop(now_us);
		return;
	}
	if (!control.ctl)
		start(now_us);
	if (strcmp(ctl_keychain_name(control.keys), control.keychain)) {
		ctl_keychain_free(&control.keys);
		control.keys = ctl_keychain_new(control.keychain);
	}
	/* Two leaves that come one after the other: no line is refused. */
	timers = control.timers;
	if (timers.dead_ms < 2 * timers.keepalive_ms)
		timers.dead_ms = 2 * timers.keepalive_ms;
	ctl_timers_set(control.ctl, timers, now_us);
	sockets_follow();
	control_dials_follow(now_us);
	/* After the dials: what we dial is permitted. */
	if (accept_changed)
		ctl_permit_changed(control.ctl, now_us);
}

static void decide_if_changed(int64_t now_us)
{
	/* Every change of a VRF leads to a decision. */
	if (control.io)
		ctl_io_vrfs_changed(control.io);
	if (!changed)
		return;
	changed = false;
	decide(now_us);
	accept_changed = false;
}

void control_changed(void)
{
	changed = true;
	cluster_sched_decide();
}

void control_accept_changed(void)
{
	accept_changed = true;
	control_changed();
}

static void prefix_list_changed(void)
{
	if (control.accept[0])
		control_accept_changed();
}

void control_peer_free(struct control_peer *peer)
{
	if (control.ctl)
		ctl_dial_free(&peer->dial, cluster_now_us());
	control_peers_del(&control.peers, peer);
	XFREE(MTYPE_CTL_CONFIG, peer);
}

void control_register(const struct ctl_capability *cap)
{
	assert(n_caps < CTL_CAPABILITIES_MAX - 1);
	caps[n_caps++] = cap;
}

struct ctl *control_ctl(void)
{
	return control.ctl;
}

void control_counts(struct control_counts *counts)
{
	struct ctl_duplicate list[CTL_DUPLICATES_MAX];

	*counts = (struct control_counts){
		.problem = control_problem(),
		.configured = control_peers_count(&control.peers),
	};
	if (!control.ctl)
		return;
	counts->peers = ctl_peer_counts(control.ctl);
	counts->duplicates = ctl_duplicates(control.ctl, cluster_now_us(), list);
}

static const struct cluster_capability capability = {
	.name = "control",
	.decide = decide_if_changed,
};

void control_init(const char *dir)
{
	id_dir = dir;
	control.timers = (struct ctl_timers){ CTL_KEEPALIVE_DEFAULT_MS,
					      CTL_DEAD_DEFAULT_MS };
	control_listens_init(&control.listens);
	control_peers_init(&control.peers);
	cluster_sched_register(&capability);
	accept_list_init();
	accept_list_watch(prefix_list_changed);
	control_cli_init();
	control_show_init();
	control_metrics_init();
}

void control_fini(void)
{
	struct control_listen *listen;
	struct control_peer *peer;

	stop(cluster_now_us());
	while ((peer = control_peers_first(&control.peers)))
		control_peer_free(peer);
	while ((listen = control_listens_pop(&control.listens)))
		XFREE(MTYPE_CTL_CONFIG, listen);
	accept_list_fini();
	control_peers_fini(&control.peers);
	control_listens_fini(&control.listens);
}
