// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zebra client.
 *
 *   capabilities --(set of routes)--> route_table --add/del--> zebra
 *   zebra --notify, next hops, interfaces, VRFs--> tables --> cluster_sched
 *
 * Connecting is ours and not zclient's: libfrr 8.4 retries after 10 and then
 * 60 s, while zebra has no client whose death it could see.  Before every
 * connect, and every 10 s, we look whether the daemon that owns our route
 * type runs: zebra accepts two clients of one type silently, and the death of
 * one takes away the routes of both.
 *
 * On every connect all is sent again, and routes of our type that nobody
 * wants (left by a crash of zebra together with us) are deleted.  For that we
 * subscribe to the redistribution of our own type, for a while only: each of
 * our own changes would come back as a message more.
 *
 * Spec: vip.md ("level-triggered"); facts: doc/developer/architecture.rst.
 */
#include "cluster_compat.h"

#include <sys/un.h>

#include "bfd.h"
#include "network.h"
#include "prefix.h"
#include "stream.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_bfd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra_private.h"
#include "core/daemon_start.h"
#include "core/nexthop_table.h"
#include "core/route_table.h"

/* How often a lost connection is noticed and tried again. */
#define POLL_MS 250
/* How often the owner of our route type is looked for while connected. */
#define OWNER_CHECK_US (10 * 1000000LL)
/* Routes that zebra doesn't have installed are sent again that often. */
#define RESEND_US (10 * 1000000LL)
/* After an unexpected removal: late enough for the echo of our own delete. */
#define REMOVED_RESEND_MS 1000
static const struct {
	const char *name;
	uint8_t type;
	const char *daemon;
} route_types[] = {
	/* Those that bgpd redistributes for both families everywhere. */
	{ "openfabric", ZEBRA_ROUTE_OPENFABRIC, "fabricd" },
	{ "babel", ZEBRA_ROUTE_BABEL, "babeld" },
	{ "nhrp", ZEBRA_ROUTE_NHRP, "nhrpd" },
};
static size_t route_type;

static struct zclient *zclient;
static struct event *t_poll, *t_removed;
static enum cluster_zebra_state state = CLUSTER_ZEBRA_DOWN;
static struct route_table *routes;
static uint64_t contests_over; /* prefixes given up that others want */
static int64_t owner_checked_us, resent_us;
static void (*on_gone)(const struct cluster_route_key *key);
static void (*on_route[CLUSTER_OWNERS])(const struct cluster_route_key *key);

/* -- conversions -- */

void zebra_key_prefix(const struct cluster_route_key *key, struct prefix *p)
{
	cluster_prefix(p, &key->addr,
		       cluster_route_plen_max(&key->addr) - key->wildcard);
}

bool zebra_prefix_key(const struct prefix *p, vrf_id_t vrf_id,
		      struct cluster_route_key *key)
{
	struct vrf *vrf = vrf_lookup_by_id(vrf_id);
	struct ipaddr addr;

	cluster_prefix_addr(p, &addr);
	if (!vrf || IS_IPADDR_NONE(&addr))
		return false;
	cluster_route_prefix(key, vrf->name, &addr, p->prefixlen);
	return true;
}

/* -- messages to zebra -- */

bool cluster_zebra_connected(void)
{
	return state >= CLUSTER_ZEBRA_CONNECTED;
}

struct zclient *zebra_client(void)
{
	return cluster_zebra_connected() ? zclient : NULL;
}

static bool encode_nexthop(const struct cluster_nexthop *nexthop,
			   vrf_id_t vrf_id, struct zapi_nexthop *znh)
{
	zapi_nexthop_init(znh);
	znh->vrf_id = vrf_id;
	if (nexthop->ifname[0]) {
		struct interface *ifp = if_lookup_by_name(nexthop->ifname,
							  vrf_id);

		if (!ifp)
			return false;
		znh->ifindex = ifp->ifindex;
	}
	if (IS_IPADDR_V4(&nexthop->gate)) {
		znh->type = znh->ifindex ? NEXTHOP_TYPE_IPV4_IFINDEX
					 : NEXTHOP_TYPE_IPV4;
		znh->gate.ipv4 = nexthop->gate.ipaddr_v4;
	} else if (IS_IPADDR_V6(&nexthop->gate)) {
		znh->type = znh->ifindex ? NEXTHOP_TYPE_IPV6_IFINDEX
					 : NEXTHOP_TYPE_IPV6;
		znh->gate.ipv6 = nexthop->gate.ipaddr_v6;
	} else {
		znh->type = NEXTHOP_TYPE_IFINDEX;
	}
	return true;
}

static void encode_nexthops(const struct cluster_route *route, vrf_id_t vrf_id,
			    struct zapi_route *api)
{
	bool weighted = false;

	for (uint16_t i = 1; i < route->n_nexthops; i++)
		if (route->nexthops[i].weight != route->nexthops[0].weight)
			weighted = true;
	for (uint16_t i = 0; i < route->n_nexthops; i++) {
		struct zapi_nexthop *znh = &api->nexthops[api->nexthop_num];

		if (!encode_nexthop(&route->nexthops[i], vrf_id, znh))
			continue;
		if (weighted) {
			znh->weight = route->nexthops[i].weight;
			SET_FLAG(znh->flags, ZAPI_NEXTHOP_FLAG_WEIGHT);
		}
		api->nexthop_num++;
	}
}

static void encode_route(const struct cluster_route_key *key, vrf_id_t vrf_id,
			 struct zapi_route *api)
{
	zapi_route_init(api);
	api->vrf_id = vrf_id;
	api->type = route_types[route_type].type;
	api->safi = SAFI_UNICAST;
	zebra_key_prefix(key, &api->prefix);
}

/* 89 kB, so not on the stack. */
static struct zapi_route api_buffer;
_Static_assert(CLUSTER_NEXTHOPS_MAX <= MULTIPATH_NUM,
	       "FRR is built with --enable-multipath=256 at least");

static enum route_table_sent send_add(const struct cluster_route *route)
{
	struct zapi_route *api = &api_buffer;
	struct vrf *vrf = zebra_vrf_told(route->key.vrf);

	if (!cluster_zebra_connected() || !vrf)
		return ROUTE_NOT_SENT;
	encode_route(&route->key, vrf->vrf_id, api);
	SET_FLAG(api->flags, ZEBRA_FLAG_ALLOW_RECURSION);
	SET_FLAG(api->message, ZAPI_MESSAGE_NEXTHOP);
	if (route->blackhole) {
		zapi_nexthop_init(&api->nexthops[0]);
		api->nexthops[0].vrf_id = vrf->vrf_id;
		api->nexthops[0].type = NEXTHOP_TYPE_BLACKHOLE;
		api->nexthops[0].bh_type = BLACKHOLE_NULL;
		api->nexthop_num = 1;
	} else {
		encode_nexthops(route, vrf->vrf_id, api);
	}
	if (!api->nexthop_num)
		return ROUTE_NOT_SENT;
	if (zebra_batch_full(zclient))
		return ROUTE_LATER;
	if (route->tag) {
		SET_FLAG(api->message, ZAPI_MESSAGE_TAG);
		api->tag = route->tag;
	}
	SET_FLAG(api->message, ZAPI_MESSAGE_METRIC);
	api->metric = route->metric;
	SET_FLAG(api->message, ZAPI_MESSAGE_DISTANCE);
	api->distance = route->distance;
	ZEBRA_DEBUG("add %pFX in %s: %u next hops, tag %u", &api->prefix,
		    route->key.vrf, api->nexthop_num, route->tag);
	return zebra_batch_add(zclient, ZEBRA_ROUTE_ADD, api) ? ROUTE_SENT
							      : ROUTE_NOT_SENT;
}

static enum route_table_sent send_del(const struct cluster_route_key *key)
{
	struct vrf *vrf = zebra_vrf_told(key->vrf);

	if (!cluster_zebra_connected() || !vrf)
		return ROUTE_NOT_SENT;
	if (zebra_batch_full(zclient))
		return ROUTE_LATER;
	encode_route(key, vrf->vrf_id, &api_buffer);
	ZEBRA_DEBUG("delete %pFX in %s", &api_buffer.prefix, key->vrf);
	return zebra_batch_add(zclient, ZEBRA_ROUTE_DELETE, &api_buffer)
		       ? ROUTE_SENT
		       : ROUTE_NOT_SENT;
}

void zebra_route_sweep(const struct cluster_route_key *key)
{
	struct prefix p;

	if (route_table_wants(routes, key))
		return;
	zebra_key_prefix(key, &p);
	zlog_notice("deleting %pFX in VRF %s: a %s route that no configuration names",
		    &p, key->vrf, route_types[route_type].name);
	send_del(key);
}

bool zebra_route_wanted(const struct cluster_route_key *key)
{
	return route_table_wants(routes, key);
}

uint8_t zebra_route_type(void)
{
	return route_types[route_type].type;
}

static const struct route_table_ops route_ops = {
	.add = send_add,
	.del = send_del,
};

static void routes_resend(const struct route_table_filter *filter,
			  int64_t now_us)
{
	route_table_resend(routes, filter, now_us);
	zebra_batch_send(zclient);
}

/* zebra has taken all that it was sent. */
static void routes_flush(void)
{
	route_table_flush(routes, cluster_now_us());
	zebra_batch_send(zclient);
}

void zebra_redistribution_send(const struct vrf *vrf, int command, int type)
{
	for (afi_t afi = AFI_IP; afi <= AFI_IP6; afi++)
		zebra_redistribute_send(command, zclient, afi, type, 0,
					vrf->vrf_id);
}

/* -- messages from zebra -- */

static int redistributed(ZAPI_CALLBACK_ARGS)
{
	const bool present = cmd == ZEBRA_REDISTRIBUTE_ROUTE_ADD;
	struct cluster_route_key key;

	if (zapi_route_decode(zclient->ibuf, &api_buffer) < 0)
		return -1;
	if (!zebra_prefix_key(&api_buffer.prefix, vrf_id, &key))
		return 0;
	/* Another type that is selected now: zebra doesn't tell BGP's end. */
	if (present || api_buffer.type == ZEBRA_ROUTE_BGP)
		zebra_learned_note(&api_buffer.prefix, vrf_lookup_by_id(vrf_id),
				   api_buffer.tag,
				   present &&
					   api_buffer.type == ZEBRA_ROUTE_BGP);
	if (api_buffer.type == route_types[route_type].type)
		zebra_stale_note(&key, present);
	if (api_buffer.prefix.prefixlen == 0 &&
	    zebra_nexthop_note(&key, present && api_buffer.nexthop_num
					     ? 0
					     : NEXTHOP_UNRESOLVED))
		cluster_sched_decide();
	return 0;
}

void zebra_routes_resend(const char *vrf, const struct ipaddr *gate)
{
	struct route_table_filter filter = {
		.vrf = vrf,
		.gate = gate,
		.not_installed = true,
	};

	routes_resend(&filter, cluster_now_us());
}

void zebra_routes_vrf_gone(const char *vrf)
{
	if (routes)
		route_table_disconnected(routes, vrf, cluster_now_us());
}

static void removed_resend(struct event *event)
{
	/*
	 * No others: zebra answers each that is sent again, and thousands that it
	 * hasn't come to yet would never get to their first answer.
	 */
	struct route_table_filter filter = { .removed = true };
	struct route_table_counts counts;

	/* An echo of our own delete has been followed by INSTALLED by now. */
	route_table_count(routes, &counts);
	if (counts.by_status[CLUSTER_ROUTE_REMOVED])
		flog_warn(EC_CLUSTER_ROUTE_REMOVED,
			  "wanted routes that somebody else removed from zebra: %zu; sending them again",
			  counts.by_status[CLUSTER_ROUTE_REMOVED]);
	routes_resend(&filter, cluster_now_us());
}

static int route_notified(ZAPI_CALLBACK_ARGS)
{
	static const int note_of[] = {
		[ZAPI_ROUTE_FAIL_INSTALL] = ROUTE_NOTE_FAILED,
		[ZAPI_ROUTE_BETTER_ADMIN_WON] = ROUTE_NOTE_BETTER_WON,
		[ZAPI_ROUTE_INSTALLED] = ROUTE_NOTE_INSTALLED,
		[ZAPI_ROUTE_REMOVED] = ROUTE_NOTE_REMOVED,
	};
	enum zapi_route_notify_owner note;
	enum cluster_route_owner owner;
	struct cluster_route_key key;
	struct prefix p;
	uint32_t table_id;

	if (!zapi_route_notify_decode(zclient->ibuf, &p, &table_id, &note, NULL,
				      NULL))
		return -1;
	/* REMOVE_FAIL: zebra logs it, and the route isn't wanted any more. */
	if ((size_t)note >= array_size(note_of) ||
	    !zebra_prefix_key(&p, vrf_id, &key))
		return 0;
	if (note == ZAPI_ROUTE_REMOVED && on_gone)
		on_gone(&key);
	if (!route_table_notify(routes, &key, note_of[note], cluster_now_us()))
		return 0;
	ZEBRA_DEBUG("%pFX in %s: %s", &p, key.vrf,
		    note == ZAPI_ROUTE_INSTALLED ? "installed"
						 : "not installed");
	if (note == ZAPI_ROUTE_REMOVED) {
		event_add_timer_msec(cluster_master, removed_resend, NULL,
				     REMOVED_RESEND_MS, &t_removed);
		owner_checked_us = 0;
	}
	if (note == ZAPI_ROUTE_FAIL_INSTALL)
		flog_warn(EC_CLUSTER_ROUTE_REFUSED,
			  "the kernel refused the route to %pFX in VRF %s", &p,
			  key.vrf);
	owner = route_table_owner(routes, &key);
	if (on_route[owner])
		on_route[owner](&key);
	else
		cluster_sched_decide();
	return 0;
}

CLUSTER_NHT_HANDLER(zebra_nexthop_updated)

/* Messages that come by the thousand. */
static zclient_handler *const mass_handlers[] = {
	[ZEBRA_REDISTRIBUTE_ROUTE_ADD] = redistributed,
	[ZEBRA_REDISTRIBUTE_ROUTE_DEL] = redistributed,
	[ZEBRA_ROUTE_NOTIFY_OWNER] = route_notified,
};

static int mass_message(ZAPI_CALLBACK_ARGS)
{
	int ret = mass_handlers[cmd](cmd, zclient, length, vrf_id);

	zebra_batch_take(zclient, mass_handlers, array_size(mass_handlers));
	return ret;
}

static zclient_handler *const handlers[] = {
	[ZEBRA_INTERFACE_ADDRESS_ADD] = zebra_address_changed,
	[ZEBRA_INTERFACE_ADDRESS_DELETE] = zebra_address_changed,
	[ZEBRA_REDISTRIBUTE_ROUTE_ADD] = mass_message,
	[ZEBRA_REDISTRIBUTE_ROUTE_DEL] = mass_message,
	[ZEBRA_ROUTE_NOTIFY_OWNER] = mass_message,
	[ZEBRA_ROUTER_ID_UPDATE] = zebra_router_id_updated,
	[ZEBRA_VRF_ADD] = zebra_vrf_added,
	CLUSTER_NHT_HANDLER_ENTRY(zebra_nexthop_updated)
};

/* -- interfaces -- */

static int interface_up(struct interface *ifp)
{
	struct route_table_filter filter = {
		.vrf = ifp->vrf->name,
		.ifname = ifp->name,
	};

	routes_resend(&filter, cluster_now_us());
	cluster_sched_decide();
	return 0;
}

static int interface_changed(struct interface *ifp)
{
	zebra_addresses_stale();
	cluster_sched_decide();
	return 0;
}

/* -- connection -- */

/* A daemon of FRR listens on its vty socket. */
static bool daemon_running(const char *daemon)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	bool running;
	int fd;

	/* Longer than a socket's path: libfrr couldn't have bound it either. */
	if (snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s.vty",
		     frr_runstatedir, daemon) >= (int)sizeof(sun.sun_path))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	/* A full backlog (EAGAIN) is somebody as well. */
	running = connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0 ||
		  errno == EAGAIN;
	close(fd);
	return running;
}

bool cluster_zebra_bfdd_running(void)
{
	return cluster_zebra_connected() && daemon_running("bfdd");
}

/* The one whose route type we use. */
static bool owner_running(void)
{
	return daemon_running(route_types[route_type].daemon);
}

static void (*on_state)(void);

void cluster_zebra_on_state(void (*changed)(void))
{
	on_state = changed;
}

static void state_set(enum cluster_zebra_state new)
{
	enum cluster_zebra_state before = state;
	char why[256];

	if (state == new)
		return;
	state = new;
	cluster_zebra_state(why, sizeof(why));
	cluster_event(&(struct event_change){
		.kind = EVENT_ZEBRA,
		.name = "zebra",
		.before = cluster_zebra_state_name(before),
		.after = cluster_zebra_state_name(state),
		.why = why,
	});
	switch (state) {
	case CLUSTER_ZEBRA_DOWN:
		zlog_notice("zebra: disconnected");
		break;
	case CLUSTER_ZEBRA_REFUSED:
		flog_err(EC_CLUSTER_ROUTE_TYPE_TAKEN,
			 "%s runs: its routes and ours would have one type (%s); stop it, or start clusterd with another --route-type",
			 route_types[route_type].daemon,
			 route_types[route_type].name);
		break;
	case CLUSTER_ZEBRA_CONNECTED:
		zlog_notice("zebra%s", before == CLUSTER_ZEBRA_SILENT
					       ? " answers again"
					       : ": connected");
		break;
	case CLUSTER_ZEBRA_SILENT:
		flog_err(EC_CLUSTER_ZEBRA_SILENT,
			 "zebra doesn't answer: what is withdrawn may still be routed and announced");
		break;
	}
	if (on_state)
		on_state();
	cluster_sched_decide();
}

/*
 * libfrr forgets what a client has asked zebra to redistribute when the
 * connection is lost, and bgpd doesn't ask again (all versions).
 */
static bool bgpd_older_than_zebra(void)
{
	uint64_t zebra = daemon_start(frr_runstatedir, "zebra");
	uint64_t bgpd = daemon_start(frr_runstatedir, "bgpd");

	return bgpd && zebra && bgpd < zebra;
}

static void connected(struct zclient *zc)
{
	if (bgpd_older_than_zebra())
		flog_warn(EC_CLUSTER_BGPD_OLDER,
			  "zebra was started after bgpd: after a restart of zebra bgpd doesn't follow our routes until it is restarted, too");
	state_set(CLUSTER_ZEBRA_CONNECTED);
	resent_us = cluster_now_us();
	zebra_nexthop_connected(resent_us);
	zclient_send_reg_requests(zc, VRF_DEFAULT);
	bfd_client_sendmsg(zc, ZEBRA_BFD_CLIENT_REGISTER, VRF_DEFAULT);
	cluster_zclient_want_notify(zc);
	/* The others when zebra has told of them. */
	zebra_vrf_subscribe(vrf_lookup_by_id(VRF_DEFAULT));
	routes_resend(&(struct route_table_filter){}, resent_us);
}

static void lost(int64_t now_us)
{
	if (on_gone)
		on_gone(NULL);
	route_table_disconnected(routes, NULL, now_us);
	zebra_nexthop_lost();
	zebra_learned_lost();
	zebra_alive_lost();
	zebra_stale_lost();
	zebra_vrf_lost();
	cluster_bfd_poll(false);
	state_set(CLUSTER_ZEBRA_DOWN);
}

static void try_connect(void)
{
	/* zclient's own back-off is for others (file head). */
	cluster_event_off(zclient->t_connect);
	zclient->fail = 0;
	owner_checked_us = cluster_now_us();
	if (owner_running()) {
		state_set(CLUSTER_ZEBRA_REFUSED);
		return;
	}
	if (state == CLUSTER_ZEBRA_REFUSED)
		state_set(CLUSTER_ZEBRA_DOWN);
	if (zclient_start(zclient) < 0)
		cluster_event_off(zclient->t_connect);
}

/*
 * It started beside us although we have routes.  Withdrawing ours now would
 * make the outage that its death may make later: keep them, and say it.
 */
static void owner_check(int64_t now_us)
{
	if (now_us - owner_checked_us < OWNER_CHECK_US)
		return;
	owner_checked_us = now_us;
	if (owner_running())
		flog_err(EC_CLUSTER_ROUTE_TYPE_TAKEN,
			 "%s was started beside clusterd: when it stops, zebra removes our routes with its own; stop it now, clusterd sends its routes again",
			 route_types[route_type].daemon);
}

static void poll_connection(struct event *event)
{
	struct route_table_filter filter = { .not_installed = true };
	int64_t now_us = cluster_now_us();

	event_add_timer_msec(cluster_master, poll_connection, NULL, POLL_MS,
			     &t_poll);
	if (cluster_zebra_connected() && zclient->sock < 0)
		lost(now_us);
	if (!cluster_zebra_connected()) {
		/* Also right before the connection: from then on zebra tells. */
		zebra_if_follow_kernel();
		try_connect();
		return;
	}
	owner_check(now_us);
	zebra_nexthop_poll(now_us);
	zebra_alive_poll(now_us);
	state_set(zebra_silent_us(now_us) ? CLUSTER_ZEBRA_SILENT
					  : CLUSTER_ZEBRA_CONNECTED);
	zebra_stale_poll(now_us);
	if (cluster_bfd_wanted())
		cluster_bfd_poll(cluster_zebra_bfdd_running());
	if (now_us - resent_us >= RESEND_US) {
		resent_us = now_us;
		routes_resend(&filter, now_us);
	}
}

/* -- interface -- */

/* A prefix that others wanted in vain is free: they want it again. */
static void contest_over(void)
{
	contests_over++;
	cluster_sched_decide();
}

void cluster_zebra_routes_set(enum cluster_route_owner owner,
			      const struct cluster_route *set, size_t n_routes)
{
	if (route_table_set(routes, owner, set, n_routes, cluster_now_us()))
		contest_over();
	zebra_batch_send(zclient);
}

void cluster_zebra_route_want(enum cluster_route_owner owner,
			      const struct cluster_route *route)
{
	route_table_want(routes, owner, route, cluster_now_us());
}

void cluster_zebra_route_unwant(enum cluster_route_owner owner,
				const struct cluster_route_key *key)
{
	if (route_table_unwant(routes, owner, key))
		contest_over();
}

void cluster_zebra_routes_flush(void)
{
	zebra_batch_send(zclient);
}

uint64_t cluster_zebra_contests_over(void)
{
	return contests_over;
}

enum cluster_route_status
cluster_zebra_route_status(enum cluster_route_owner owner,
			   const struct cluster_route_key *key,
			   int64_t *since_us)
{
	return route_table_status(routes, owner, key, since_us);
}

void cluster_zebra_on_route(enum cluster_route_owner owner,
			    void (*changed)(const struct cluster_route_key *key))
{
	on_route[owner] = changed;
}

void cluster_zebra_on_gone(void (*gone)(const struct cluster_route_key *key))
{
	on_gone = gone;
}

bool cluster_zebra_withdrawal_waits(const struct cluster_route_key *key)
{
	/* It reads in order: its next answer comes behind the withdrawal. */
	return !cluster_zebra_connected() || zebra_alive_asked() ||
	       route_table_owes(routes, key);
}

void cluster_zebra_route_counts(struct route_table_counts *counts)
{
	route_table_count(routes, counts);
}

int64_t cluster_zebra_silent_us(void)
{
	return state == CLUSTER_ZEBRA_SILENT ? zebra_silent_us(cluster_now_us())
					     : 0;
}

enum cluster_zebra_state cluster_zebra_state(char *why, size_t why_len)
{
	switch (state) {
	case CLUSTER_ZEBRA_DOWN:
		snprintf(why, why_len, "zebra is not reachable: is it running?");
		break;
	case CLUSTER_ZEBRA_REFUSED:
		snprintf(why, why_len,
			 "%s runs and owns route type %s: stop it, or start clusterd with another --route-type",
			 route_types[route_type].daemon,
			 route_types[route_type].name);
		break;
	case CLUSTER_ZEBRA_CONNECTED:
		why[0] = '\0';
		break;
	case CLUSTER_ZEBRA_SILENT:
		snprintf(why, why_len,
			 "zebra has not answered for %u s: what is withdrawn may still be routed and announced. It is overloaded or hangs; end it in that case, FRR's watchfrr starts all daemons again",
			 (unsigned int)(cluster_zebra_silent_us() / 1000000));
		break;
	}
	return state;
}

bool cluster_zebra_advice(char *buf, size_t len)
{
	buf[0] = '\0';
	if (!cluster_zebra_connected() || !bgpd_older_than_zebra())
		return false;
	snprintf(buf, len,
		 "zebra was started after bgpd: if it was restarted, neighbours keep what they had and see no change of a VIP until bgpd is restarted, too");
	return true;
}

const char *cluster_zebra_route_type(void)
{
	return route_types[route_type].name;
}

bool cluster_zebra_route_type_set(const char *name)
{
	for (size_t i = 0; i < array_size(route_types); i++) {
		if (strcmp(name, route_types[i].name))
			continue;
		route_type = i;
		return true;
	}
	return false;
}

void cluster_zebra_init(void)
{
	routes = route_table_new(&route_ops);
	zebra_nexthop_init();
	zebra_learned_init();
	zebra_batch_init();
	zebra_stale_init();
	zebra_if_init();

	zebra_vrf_init();
	cluster_if_callbacks(interface_changed, interface_up, interface_changed,
			     interface_changed);
	zclient = cluster_zclient_new(cluster_master, handlers,
				      array_size(handlers));
	zclient_init(zclient, route_types[route_type].type, 0, &cluster_privs);
	cluster_event_off(zclient->t_connect);
	cluster_zclient_nht(zclient, zebra_nexthop_updated);
	zclient->zebra_connected = connected;
	zclient->zebra_buffer_write_ready = routes_flush;
	cluster_bfd_init(zclient);
	event_add_event(cluster_master, poll_connection, NULL, 0, &t_poll);
}

void cluster_zebra_fini(void)
{
	for (enum cluster_route_owner owner = CLUSTER_OWNER_VIP;
	     owner <= CLUSTER_OWNER_TRACK; owner++)
		route_table_set(routes, owner, NULL, 0, cluster_now_us());
	zebra_batch_send(zclient);
	cluster_event_off(t_poll);
	cluster_event_off(t_removed);
	cluster_bfd_fini();
	state = CLUSTER_ZEBRA_DOWN;
	vrf_terminate();
	zclient_stop(zclient);
	zclient_free(zclient);
	zebra_batch_fini();
	zebra_stale_fini();
	zebra_if_fini();
	zebra_nexthop_fini();
	zebra_learned_fini();
	route_table_free(&routes);
}
