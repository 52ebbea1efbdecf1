// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heartbeat: the service tells us that it lives, by authenticated datagrams
 * (probe_heartbeat_packet.h); silence, or a goodbye, is down.
 *
 *     socket --> parse --> whose? --> key chain, HMAC --> guard --> track
 *                                                            |        |
 *                                        rejects, by reason <--   the answer
 *
 * A check keeps a `watch` from its first start to release.  While nothing is
 * known it is in flight; afterwards every start is answered at once, and what
 * the track says has the engine ask when it changes.  One timer is for the
 * watch whose time is over first.
 *
 * Checks with the same VRF, interface, source and port, or path, share a socket,
 * which only receives.  An interface or VRF made anew is seen at the next look,
 * and so is it when somebody has removed the file of a Unix socket.
 */
#include "cluster_compat.h"

#include <sys/epoll.h>

#include "if.h"
#include "typesafe.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/ctl_keychain.h"
#include "probe/probe_heartbeat.h"
#include "probe/probe_heartbeat_unix.h"
#include "probe/probe_io.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_HEARTBEAT, "Heartbeat check");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_HEARTBEAT_SOCKET, "Heartbeat socket");

#define BATCH	     64 /* datagrams in one wake-up */
#define LOG_PERIOD_S 10 /* one line about rejects in that time */

PREDECL_DLIST(beat_sockets);
PREDECL_RBTREE_UNIQ(beat_watches);
PREDECL_HEAP(beat_timers);

struct beat_key {
	char path[PROBE_SOCKET_LEN]; /* "": UDP; else all the rest is 0 */
	vrf_id_t vrf_id;
	ifindex_t ifindex;     /* 0: any */
	struct ipaddr address; /* with the port: what it is bound to */
	uint16_t port;
};

struct beat_socket {
	struct beat_sockets_item item;
	struct probe_fd pfd;
	struct beat_key key;
	struct probe_heartbeat_unix file; /* with a path */
	struct beat_watches_head watches;
	uint64_t rejects[PROBE_HEARTBEAT_REJECT_MAX];
};

struct watch {
	struct beat_watches_item item; /* of its socket's */
	struct beat_timers_item timer;
	bool timed;
	int64_t due_us;

	struct probe_check *check;
	struct beat_socket *sock; /* NULL: there is none now */
	char name[PROBE_NAME_LEN];
	struct ipaddr target;
	struct ctl_keychain *keys;
	struct probe_heartbeat_guard guard;
	struct probe_heartbeat_track track;
	enum probe_heartbeat_look told;

	uint64_t received;
	uint64_t rejects[PROBE_HEARTBEAT_REJECT_MAX];
	enum probe_heartbeat_reject last_reject; /* since one was believed */
};

static int watch_cmp(const struct watch *a, const struct watch *b)
{
	int cmp = strcmp(a->name, b->name);

	return cmp ? cmp : ipaddr_cmp(&a->target, &b->target);
}

static int timer_cmp(const struct watch *a, const struct watch *b)
{
	return numcmp(a->due_us, b->due_us);
}

DECLARE_DLIST(beat_sockets, struct beat_socket, item);
DECLARE_RBTREE_UNIQ(beat_watches, struct watch, item, watch_cmp);
DECLARE_HEAP(beat_timers, struct watch, timer, timer_cmp);

static struct beat_sockets_head sockets = INIT_DLIST(sockets);
static struct beat_timers_head timers = INIT_HEAP(timers);
static struct probe_timer first_due;

static struct {
	int64_t logged_us;
	uint64_t suppressed;
} rejected;

static int64_t wall_us(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return tv.tv_sec * INT64_C(1000000) + tv.tv_usec;
}

/* ------------------------------------------------------------------------ */
/* Answers                                                                  */

static void watch_untime(struct watch *watch)
{
	if (watch->timed)
		beat_timers_del(&timers, watch);
	watch->timed = false;
}

static void watch_time(struct watch *watch)
{
	const struct watch *first;
	int64_t due_us = watch->sock ? probe_heartbeat_due_us(&watch->track)
				     : INT64_MAX;

	watch_untime(watch);
	if (due_us != INT64_MAX) {
		watch->due_us = due_us;
		watch->timed = true;
		beat_timers_add(&timers, watch);
	}
	first = beat_timers_first(&timers);
	probe_io_timer_set(&first_due, first ? first->due_us : INT64_MAX);
}

static void watch_answer(struct watch *watch, enum probe_heartbeat_look look)
{
	char detail[PROBE_DETAIL_LEN] = "";
	enum probe_result result = PROBE_NOT_UP;
	int64_t silent_us;

	switch (look) {
	case PROBE_HEARTBEAT_UP:
		result = PROBE_PASS;
		break;
	case PROBE_HEARTBEAT_RISING:
		snprintf(detail, sizeof(detail), "%u of %u heartbeats",
			 watch->track.beats, watch->track.rise);
		break;
	case PROBE_HEARTBEAT_GOODBYE:
		strlcpy(detail, "the service says goodbye", sizeof(detail));
		break;
	case PROBE_HEARTBEAT_WAITING:
	case PROBE_HEARTBEAT_MISSING:
	case PROBE_HEARTBEAT_LOOKS:
		result = PROBE_TIMEOUT;
		silent_us = cluster_now_us() -
			    (watch->track.heard_us ? watch->track.heard_us
						   : watch->track.began_us);
		snprintf(detail, sizeof(detail),
			 "no heartbeat for %" PRId64 " ms", silent_us / 1000);
		if (watch->last_reject)
			snprintfrr(detail + strlen(detail),
				   sizeof(detail) - strlen(detail),
				   "; last rejected: %s",
				   probe_heartbeat_reject_str(
					   watch->last_reject));
		break;
	}
	watch->told = look;
	watch->check->state = NULL;
	probe_check_done(watch->check, result, 0, detail);
}

/* Something was heard, or the time is over. */
static void watch_review(struct watch *watch)
{
	enum probe_heartbeat_look look = probe_heartbeat_look(&watch->track,
							      cluster_now_us());

	watch_time(watch);
	if (watch->check->state && look != PROBE_HEARTBEAT_WAITING)
		watch_answer(watch, look);
	else if (!watch->check->state && look != watch->told)
		probe_check_event(watch->check);
}

static void timer_due(struct probe_timer *timer)
{
	int64_t now_us = cluster_now_us();
	struct watch *watch;

	while ((watch = beat_timers_first(&timers)) && watch->due_us <= now_us)
		watch_review(watch);
}

/* ------------------------------------------------------------------------ */
/* Receiving                                                                */

static const char *where_text(const struct beat_socket *sock,
			      const union sockunion *from, char *buf, size_t len)
{
	if (sock->key.path[0])
		snprintf(buf, len, "at %s", sock->key.path);
	else
		snprintfrr(buf, len, "from %pSU at port %u", from,
			   sock->key.port);
	return buf;
}

/* Whoever can send to us could fill the log otherwise. */
static void reject_log(const struct beat_socket *sock,
		       enum probe_heartbeat_reject reject,
		       const struct probe_heartbeat *beat,
		       const union sockunion *from)
{
	int64_t now_us = cluster_now_us();
	const char *why = probe_heartbeat_reject_str(reject);
	char where[PROBE_SOCKET_LEN + 64];

	where_text(sock, from, where, sizeof(where));
	PROBE_DEBUG("heartbeat of %s %s rejected: %s",
		    beat->name[0] ? beat->name : "?", where, why);
	if (rejected.logged_us &&
	    now_us - rejected.logged_us < LOG_PERIOD_S * INT64_C(1000000)) {
		rejected.suppressed++;
		return;
	}
	flog_warn(EC_CLUSTER_PROBE_HEARTBEAT,
		  "heartbeat of %s %s rejected: %s (and %" PRIu64
		  " more before)",
		  beat->name[0] ? beat->name : "?", where, why,
		  rejected.suppressed);
	rejected.logged_us = now_us;
	rejected.suppressed = 0;
}

static enum probe_heartbeat_reject
watch_receive(struct watch *watch, const struct probe_heartbeat *beat,
	      const uint8_t *buf, size_t len)
{
	const struct ctl_key *key = ctl_keychain_accept(watch->keys,
							beat->key_id);

	if (!key)
		return PROBE_HEARTBEAT_NO_KEY;
	if (!ctl_auth_check(key, buf, len))
		return PROBE_HEARTBEAT_BAD_MAC;
	return probe_heartbeat_accept(&watch->guard, beat->time_us, wall_us());
}

static void sock_receive(struct beat_socket *sock, const uint8_t *buf,
			 size_t len, const union sockunion *from)
{
	enum probe_heartbeat_reject reject;
	struct probe_heartbeat beat;
	struct watch *watch = NULL;
	struct watch ref;

	reject = probe_heartbeat_parse(buf, len, &beat);
	if (!reject) {
		strlcpy(ref.name, beat.name, sizeof(ref.name));
		ref.target = beat.target;
		watch = beat_watches_find(&sock->watches, &ref);
		reject = watch ? watch_receive(watch, &beat, buf, len)
			       : PROBE_HEARTBEAT_UNKNOWN;
	}
	if (reject) {
		(watch ? watch->rejects : sock->rejects)[reject]++;
		if (watch)
			watch->last_reject = reject;
		reject_log(sock, reject, &beat, from);
		return;
	}
	watch->received++;
	watch->last_reject = PROBE_HEARTBEAT_GOOD;
	probe_heartbeat_heard(&watch->track, beat.up, cluster_now_us());
	watch_review(watch);
}

static void sock_ready(struct probe_fd *pfd, uint32_t events)
{
	struct beat_socket *sock = container_of(pfd, struct beat_socket, pfd);
	uint8_t buf[PROBE_HEARTBEAT_MAX + 1];
	union sockunion from;
	socklen_t from_len;
	ssize_t len;

	for (int i = 0; i < BATCH; i++) {
		memset(&from, 0, sizeof(from));
		from_len = sizeof(from);
		len = recvfrom(pfd->fd, buf, sizeof(buf), 0, &from.sa,
			       &from_len);
		if (len < 0)
			return;
		sock_receive(sock, buf, len, &from);
	}
	probe_io_more();
}

/* ------------------------------------------------------------------------ */
/* Sockets                                                                  */

static bool key_same(const struct beat_key *a, const struct beat_key *b)
{
	return !strcmp(a->path, b->path) && a->vrf_id == b->vrf_id &&
	       a->ifindex == b->ifindex && a->port == b->port &&
	       ipaddr_cmp(&a->address, &b->address) == 0;
}

/* Now; false: that can't be listened to, `why` gets a text. */
static bool key_make(struct beat_key *key, const struct probe_config *config,
		     const char *vrf, const struct ipaddr *target, char *why,
		     size_t why_len)
{
	memset(key, 0, sizeof(*key));
	if (config->socket_path[0]) {
		strlcpy(key->path, config->socket_path, sizeof(key->path));
		return true;
	}
	key->vrf_id = probe_io_vrf_id(vrf, why, why_len);
	if (key->vrf_id == VRF_UNKNOWN)
		return false;
	if (config->ifname[0]) {
		key->ifindex = ifname2ifindex(config->ifname, key->vrf_id);
		if (key->ifindex == IFINDEX_INTERNAL) {
			snprintf(why, why_len, "there is no interface %s",
				 config->ifname);
			return false;
		}
	}
	key->address = config->source;
	if (IS_IPADDR_NONE(&key->address))
		key->address.ipa_type = target->ipa_type;
	key->port = probe_config_port(config);
	return true;
}

static int udp_open(const struct beat_key *key, const char *vrf,
		    const char *ifname, char *why, size_t why_len)
{
	static const struct ipaddr none = { .ipa_type = IPADDR_NONE };
	union sockunion su;
	socklen_t len = probe_io_sockaddr(&su, &key->address, key->port);
	int on = 1;
	int fd = probe_io_socket(su.sa.sa_family, SOCK_DGRAM, 0, vrf, ifname,
				 &none, why, why_len);

	if (fd < 0)
		return -1;
	/* Both families at one port are two sockets. */
	if ((su.sa.sa_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0) ||
	    bind(fd, &su.sa, len) < 0) {
		snprintfrr(why, why_len, "%pIA port %u: %s", &key->address,
			   key->port, safe_strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

/* False: `why`; it has no descriptor then. */
static bool sock_open(struct beat_socket *sock, const char *vrf,
		      const char *ifname, char *why, size_t why_len)
{
	int fd;

	if (!sock->key.path[0])
		fd = udp_open(&sock->key, vrf, ifname, why, why_len);
	else if (probe_heartbeat_unix_open(&sock->file, sock->key.path, why,
					   why_len))
		fd = sock->file.fd;
	else
		fd = -1;
	if (fd < 0 || probe_io_add(&sock->pfd, fd, EPOLLIN, sock_ready) == 0)
		return fd >= 0;
	snprintf(why, why_len, "socket: %s", safe_strerror(errno));
	if (sock->key.path[0])
		probe_heartbeat_unix_close(&sock->file);
	else
		close(fd);
	return false;
}

static void sock_close(struct beat_socket *sock)
{
	if (!sock->pfd.watched)
		return;
	probe_io_del(&sock->pfd);
	if (sock->key.path[0])
		probe_heartbeat_unix_close(&sock->file);
	else
		close(sock->pfd.fd);
}

/* It can be sent to; a file that was removed is made again. */
static bool sock_good(struct beat_socket *sock, char *why, size_t why_len)
{
	if (!sock->key.path[0] ||
	    (sock->pfd.watched && probe_heartbeat_unix_there(&sock->file)))
		return true;
	sock_close(sock);
	return sock_open(sock, "", "", why, why_len);
}

static struct beat_socket *sock_get(const struct beat_key *key, const char *vrf,
				    const char *ifname, char *why,
				    size_t why_len)
{
	struct beat_socket *sock;

	frr_each (beat_sockets, &sockets, sock)
		if (key_same(&sock->key, key))
			return sock;
	sock = XCALLOC(MTYPE_PROBE_HEARTBEAT_SOCKET, sizeof(*sock));
	sock->key = *key;
	if (!sock_open(sock, vrf, ifname, why, why_len)) {
		XFREE(MTYPE_PROBE_HEARTBEAT_SOCKET, sock);
		return NULL;
	}
	beat_watches_init(&sock->watches);
	beat_sockets_add_tail(&sockets, sock);
	return sock;
}

static void watch_unlisten(struct watch *watch)
{
	struct beat_socket *sock = watch->sock;

	if (!sock)
		return;
	watch->sock = NULL;
	beat_watches_del(&sock->watches, watch);
	if (beat_watches_count(&sock->watches))
		return;
	beat_sockets_del(&sockets, sock);
	beat_watches_fini(&sock->watches);
	sock_close(sock);
	XFREE(MTYPE_PROBE_HEARTBEAT_SOCKET, sock);
}

/* Has the socket that the configuration asks for now; false: `why`. */
static bool watch_listen(struct watch *watch, const struct probe_config *config,
			 const char *vrf, char *why, size_t why_len)
{
	struct beat_key key;
	bool can = key_make(&key, config, vrf, &watch->target, why, why_len);

	if (can && watch->sock && key_same(&watch->sock->key, &key))
		return sock_good(watch->sock, why, why_len);
	watch_unlisten(watch);
	if (can)
		watch->sock = sock_get(&key, vrf, config->ifname, why, why_len);
	if (!watch->sock)
		return false;
	beat_watches_add(&watch->sock->watches, watch);
	probe_heartbeat_guard_init(&watch->guard, wall_us());
	probe_heartbeat_track_init(&watch->track, probe_config_rise(config), 0,
				   cluster_now_us());
	return true;
}

/* ------------------------------------------------------------------------ */
/* Checks                                                                   */

static struct watch *watch_new(struct probe_check *check,
			       const struct probe_config *config,
			       const struct ipaddr *target)
{
	struct watch *watch = XCALLOC(MTYPE_PROBE_HEARTBEAT, sizeof(*watch));

	watch->check = check;
	strlcpy(watch->name, check->name, sizeof(watch->name));
	watch->target = *target;
	watch->keys = ctl_keychain_new(config->key_chain);
	return watch;
}

static void heartbeat_start(struct probe_check *check,
			    const struct probe_config *config, const char *vrf,
			    const struct ipaddr *target)
{
	struct watch *watch = check->keep;
	char why[PROBE_DETAIL_LEN];
	enum probe_heartbeat_look look;

	if (!first_due.pfd.watched &&
	    probe_io_timer_add(&first_due, true, timer_due) < 0) {
		probe_check_done(check, PROBE_LOCAL, -1, safe_strerror(errno));
		return;
	}
	if (!watch)
		watch = check->keep = watch_new(check, config, target);
	if (!watch_listen(watch, config, vrf, why, sizeof(why))) {
		watch_time(watch);
		probe_check_done(check, PROBE_LOCAL, -1, why);
		return;
	}
	watch->track.rise = probe_config_rise(config);
	watch->track.window_us = probe_config_window_us(config);
	look = probe_heartbeat_look(&watch->track, cluster_now_us());
	watch_time(watch);
	if (look == PROBE_HEARTBEAT_WAITING)
		check->state = watch; /* in flight */
	else
		watch_answer(watch, look);
}

static void heartbeat_cancel(struct probe_check *check)
{
	check->state = NULL;
}

static void heartbeat_release(struct probe_check *check)
{
	struct watch *watch = check->keep;

	if (!watch)
		return;
	check->keep = NULL;
	watch_unlisten(watch);
	watch_time(watch);
	ctl_keychain_free(&watch->keys);
	XFREE(MTYPE_PROBE_HEARTBEAT, watch);
}

static void heartbeat_fini(void)
{
	probe_io_timer_del(&first_due);
}

bool probe_heartbeat_view(const struct probe_check *check,
			  struct probe_heartbeat_view *view)
{
	const struct watch *watch = check->keep;

	if (check->type != &probe_type_heartbeat || !watch)
		return false;
	view->look = check->state ? PROBE_HEARTBEAT_WAITING : watch->told;
	view->heard_us = watch->track.heard_us;
	view->received = watch->received;
	for (size_t i = 0; i < array_size(view->rejects); i++)
		view->rejects[i] = watch->rejects[i] +
				   (watch->sock ? watch->sock->rejects[i] : 0);
	return true;
}

const struct probe_type probe_type_heartbeat = {
	.start = heartbeat_start,
	.cancel = heartbeat_cancel,
	.release = heartbeat_release,
	.fini = heartbeat_fini,
};
