// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NAT hand-off's table in the kernel: one for each responder that has it.
 *
 *	configuration, interfaces, VRF --> responder_handoff.c (pure): what to do
 *	responder_nft.c (pure)		   the messages
 *	here				   sockets, and when
 *
 * nf_tables does what it is asked within send(): its answers lie in the socket
 * when that returns, so none is waited for.  A transaction takes about a
 * millisecond, but behind another program's large one it would have to wait for
 * its end.  So they have an event of their own, apart from the decisions: one
 * transaction at a time, none within TURN_MS of the one before, and after one
 * that was refused none of that responder for RETRY_US.  Reading takes no lock
 * of the kernel that anybody holds for long.
 *
 * A table is read every READ_MS: for its counters, and because somebody may have
 * taken it out (`nft flush ruleset`): then it is put in again, with its counters.
 * The table of a clusterd that was killed stays: what it says still holds.  It
 * is replaced, in one transaction and with its counters, or swept when
 * the configuration doesn't want it any more.
 */
#include "cluster_compat.h"

#include <libmnl/libmnl.h>
#include <linux/netfilter/nfnetlink.h>

#include "memory.h"
#include "network.h"
#include "privs.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_vrf.h"
#include "core/cluster_zebra.h"
#include "core/config_reading.h"
#include "responder/responder_private.h"

#define TURN_MS	 50
#define RETRY_US INT64_C(10000000)
#define READ_MS	 5000
/* Leftovers stay that long for a configuration that names them. */
#define SWEEP_GRACE_MS 5000
#define SWEEP_AGAIN_MS 10000

#define ANSWER_SIZE 32768
/* Tables to sweep at a time; more are swept later. */
#define SWEEP_MAX 16

DEFINE_MTYPE_STATIC(CLUSTERD, RESPONDER_NFT, "NAT hand-off transaction");

static const char *pathspace;
static struct event *t_work, *t_read, *t_sweep;

/* ---- the kernel ---- */

/* A socket for one exchange, so that no old answer can be in it; -errno. */
static int nft_socket(vrf_id_t vrf_id)
{
	int fd = -1, err = 0, on = 1;

	frr_with_privs (&cluster_privs) {
		fd = cluster_vrf_socket(vrf_id, AF_NETLINK,
					SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					NETLINK_NETFILTER);
		err = errno;
	}
	if (fd < 0)
		return -err;
	/* Answers without the question. */
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return fd;
}

static int nft_send(int fd, const void *data, size_t len)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent = -1;
	int err = 0;

	/* The kernel asks for the rights of who sends, too. */
	frr_with_privs (&cluster_privs) {
		sent = sendto(fd, data, len, 0, (struct sockaddr *)&kernel,
			      sizeof(kernel));
		err = errno;
	}
	return sent == (ssize_t)len ? 0 : sent < 0 ? err : EMSGSIZE;
}

/* What an exchange is waiting for. */
struct exchange {
	uint32_t last_seq; /* its acknowledgement is the end */
	void (*take)(const struct nlmsghdr *nlh, void *arg); /* of a list */
	void *arg;
	bool done;
	int error;
};

static void message_take(struct exchange *exchange, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type == NLMSG_ERROR &&
	    nlh->nlmsg_len >= NLMSG_LENGTH(sizeof(*err))) {
		/* The first one is the cause. */
		if (err->error && !exchange->error)
			exchange->error = -err->error;
		exchange->done |= err->error ||
				  nlh->nlmsg_seq == exchange->last_seq;
	} else if (nlh->nlmsg_type == NLMSG_DONE) {
		exchange->done = true;
	} else if (exchange->take) {
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			exchange->error = EINTR;
		exchange->take(nlh, exchange->arg);
	}
}

/* Sends, and takes all answers in; 0 or an errno. */
static int nft_exchange(int fd, const void *data, size_t len,
			struct exchange *exchange)
{
	static uint8_t buffer[ANSWER_SIZE] __attribute__((aligned(8)));
	int error = nft_send(fd, data, len);

	while (!error && !exchange->done) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)buffer;
		struct sockaddr_nl from = {};
		socklen_t from_len = sizeof(from);
		ssize_t got = recvfrom(fd, buffer, sizeof(buffer), 0,
				       (struct sockaddr *)&from, &from_len);
		int left = (int)got;

		/* Silence would be none of the answers that there can be. */
		if (got < 0)
			error = errno == EAGAIN ? EPROTO : errno;
		/* Other processes may send to us, too. */
		while (got >= 0 && from.nl_pid == 0 && mnl_nlmsg_ok(nlh, left)) {
			message_take(exchange, nlh);
			nlh = mnl_nlmsg_next(nlh, &left);
		}
	}
	return exchange->error ? exchange->error : error;
}

struct reading {
	const char *table;
	struct nft_seen seen;
};

static void reading_take(const struct nlmsghdr *nlh, void *arg)
{
	struct reading *reading = arg;

	nft_seen_take(nlh, reading->table, &reading->seen);
}

/* What there is of a table; nothing of one that isn't there. */
static int table_read(int fd, const char *table, struct nft_seen *seen)
{
	uint8_t buf[NFT_QUESTION_MAX] = {};
	struct reading reading = { .table = table };
	struct exchange counters = { .take = reading_take, .arg = &reading };
	struct exchange rules = counters;
	int error = nft_exchange(fd, buf, nft_counters_ask(table, 1, buf),
				 &counters);

	memset(buf, 0, sizeof(buf));
	if (!error)
		error = nft_exchange(fd, buf, nft_rules_ask(table, 2, buf),
				     &rules);
	*seen = reading.seen;
	return error;
}

/* Goes on with the counters of one that is there already. */
static int table_install(vrf_id_t vrf_id, const struct nft_handoff *handoff,
			 const struct nft_seen *before)
{
	struct exchange exchange = {};
	struct nft_seen there = {};
	int fd = nft_socket(vrf_id), error;
	uint8_t *buf;
	size_t len;

	if (fd < 0)
		return -fd;
	/* What can't be read will fail to be written, with the better reason. */
	if (table_read(fd, handoff->table, &there) || !there.counters[0])
		there = *before;
	buf = XCALLOC(MTYPE_RESPONDER_NFT, NFT_BATCH_MAX);
	len = nft_install_build(handoff, &there, 1, buf, &exchange.last_seq);
	error = nft_exchange(fd, buf, len, &exchange);
	XFREE(MTYPE_RESPONDER_NFT, buf);
	close(fd);
	return error;
}

static int table_remove(vrf_id_t place, const char *table)
{
	uint8_t buf[NFT_QUESTION_MAX] = {};
	struct exchange exchange = {};
	size_t len = nft_remove_build(table, 1, buf, &exchange.last_seq);
	int fd = nft_socket(place), error;

	if (fd < 0)
		return -fd;
	error = nft_exchange(fd, buf, len, &exchange);
	close(fd);
	return error == ENOENT ? 0 : error;
}

/* ---- leftovers of a clusterd that was killed ---- */

static void sweep(struct event *event);

static void sweep_in(long ms)
{
	event_add_timer_msec(cluster_master, sweep, NULL, ms, &t_sweep);
}

/* Where a VRF's tables are. */
static vrf_id_t table_place(const struct vrf *vrf)
{
	return vrf_is_backend_netns() ? vrf->vrf_id : VRF_DEFAULT;
}

static bool table_wanted(vrf_id_t place, const char *table)
{
	struct responder *responder;

	frr_each (responders, &responders, responder)
		if (responder->nat.on && responder->nat.place == place &&
		    !strcmp(responder->nat.wanted.table, table))
			return true;
	return false;
}

struct sweeping {
	vrf_id_t place;
	size_t n;
	char tables[SWEEP_MAX][HANDOFF_TABLE_LEN];
};

static void sweeping_take(const struct nlmsghdr *nlh, void *arg)
{
	struct sweeping *sweeping = arg;
	char *table = sweeping->tables[sweeping->n];

	if (sweeping->n < SWEEP_MAX - 1 &&
	    nft_table_take(nlh, table, HANDOFF_TABLE_LEN) &&
	    handoff_table_ours(pathspace, table) &&
	    !table_wanted(sweeping->place, table))
		sweeping->n++;
}

/* False: something is left that may be swept later. */
static bool sweep_place(vrf_id_t place)
{
	uint8_t buf[NFT_QUESTION_MAX] = {};
	struct sweeping sweeping = { .place = place };
	struct exchange exchange = { .take = sweeping_take, .arg = &sweeping };
	int fd = nft_socket(place), error;
	bool clean = true;

	/* No nf_tables, no leftovers. */
	if (fd < 0)
		return true;
	error = nft_exchange(fd, buf, nft_tables_ask(1, buf), &exchange);
	close(fd);
	clean = error != EINTR && sweeping.n < SWEEP_MAX - 1;
	for (size_t i = 0; i < sweeping.n; i++) {
		error = table_remove(place, sweeping.tables[i]);
		clean = clean && !error;
		if (!error)
			zlog_notice("table %s of a former NAT hand-off removed",
				    sweeping.tables[i]);
	}
	return clean;
}

static void sweep(struct event *event)
{
	bool clean = true;
	struct vrf *vrf;

	/* While half of the configuration is known, nothing is a leftover. */
	if (config_reading_now()) {
		sweep_in(SWEEP_GRACE_MS);
		return;
	}
	RB_FOREACH (vrf, vrf_name_head, &vrfs_by_name) {
		if (vrf->vrf_id == VRF_UNKNOWN || !vrf_is_enabled(vrf) ||
		    (vrf->vrf_id != VRF_DEFAULT && !vrf_is_backend_netns()))
			continue;
		clean &= sweep_place(vrf->vrf_id);
	}
	if (!clean)
		sweep_in(SWEEP_AGAIN_MS);
}

/* ---- what there is to do ---- */

/* The kernel has what is wanted where it is wanted. */
static bool in_place(const struct responder_nat *nat)
{
	return nat->installed && nat->there_place == nat->place &&
	       nft_handoff_same(&nat->wanted, &nat->there);
}

static bool behind(const struct responder_nat *nat)
{
	return nat->rules ? nat->placed && !in_place(nat) : nat->installed;
}

/* Said once, not with every attempt. */
static void failed(struct responder *responder, const char *what)
{
	struct responder_nat *nat = &responder->nat;

	if (nat->error != nat->logged_error)
		flog_warn(EC_CLUSTER_HANDOFF,
			  "responder %s: the rules of its NAT hand-off can't be %s: %s",
			  responder->name, what, safe_strerror(nat->error));
	nat->logged_error = nat->error;
}

static int take_out(struct responder_nat *nat)
{
	/* A namespace has taken its tables along. */
	if (!vrf_lookup_by_id(nat->there_place))
		return 0;
	return table_remove(nat->there_place, nat->there.table);
}

static void read_all(struct event *event);

static void put_in(struct responder *responder)
{
	struct responder_nat *nat = &responder->nat;

	nat->error = table_install(nat->place, &nat->wanted, &nat->seen);
	if (nat->error) {
		failed(responder, "put in");
		nat->refused = nat->wanted;
		return;
	}
	nat->installed = true;
	nat->there = nat->wanted;
	nat->there_place = nat->place;
	if (!t_read)
		event_add_timer_msec(cluster_master, read_all, NULL, 0, &t_read);
}

static void catch_up(struct responder *responder, int64_t now_us)
{
	struct responder_nat *nat = &responder->nat;

	nat->error = 0;
	/* Another namespace, or name: the old one's table has to go first. */
	if (nat->installed && (!nat->rules || nat->there_place != nat->place ||
			       strcmp(nat->there.table, nat->wanted.table))) {
		nat->error = take_out(nat);
		if (nat->error)
			failed(responder, "taken out");
		nat->installed = nat->error != 0;
		memset(&nat->seen, 0, sizeof(nat->seen));
	}
	if (!nat->error && nat->rules && nat->placed)
		put_in(responder);
	if (!nat->error)
		nat->logged_error = 0;
	nat->try_us = nat->error ? now_us + RETRY_US : 0;
	cluster_sched_decide();
}

static void work(struct event *event);

static int64_t work_us, turn_us; /* when it's next; the last one */

/* At `at_us`, or before if that was wished. */
static void work_at(int64_t at_us, int64_t now_us)
{
	if (at_us < turn_us + TURN_MS * 1000)
		at_us = turn_us + TURN_MS * 1000;
	if (t_work && work_us <= at_us)
		return;
	cluster_event_off(t_work);
	work_us = at_us;
	event_add_timer_msec(cluster_master, work, NULL,
			     at_us > now_us ? (at_us - now_us + 999) / 1000 : 0,
			     &t_work);
}

/* One responder a turn. */
static void work(struct event *event)
{
	int64_t now_us = cluster_now_us();
	struct responder *responder;
	bool done = false;

	frr_each (responders, &responders, responder) {
		struct responder_nat *nat = &responder->nat;

		if (!done && behind(nat) && nat->try_us <= now_us) {
			turn_us = now_us;
			catch_up(responder, now_us);
			done = true;
		}
		if (behind(nat))
			work_at(nat->try_us, now_us);
	}
}

static void read_one(struct responder *responder)
{
	struct responder_nat *nat = &responder->nat;
	int fd = nft_socket(nat->there_place);
	struct nft_seen seen = {};
	int error;

	if (fd < 0)
		return;
	error = table_read(fd, nat->there.table, &seen);
	close(fd);
	/* Changed while it was read, or no memory: the next time. */
	if (error && error != ENOENT)
		return;
	if (nft_seen_whole(&seen, &nat->there)) {
		nat->seen = seen;
		return;
	}
	flog_warn(EC_CLUSTER_HANDOFF,
		  "responder %s: somebody has changed or removed table %s: it is put in again",
		  responder->name, nat->there.table);
	nat->installed = false;
	cluster_sched_decide();
}

static void read_all(struct event *event)
{
	struct responder *responder;
	bool any = false;

	frr_each (responders, &responders, responder) {
		if (!responder->nat.installed)
			continue;
		read_one(responder);
		any = true;
	}
	if (any)
		event_add_timer_msec(cluster_master, read_all, NULL, READ_MS,
				     &t_read);
}

/* ---- the state ---- */

/* The first by name that hands over by one of its interfaces. */
static void find_other(const struct responder *responder,
		       struct handoff_facts *facts)
{
	struct responder_interface *interface;
	struct responder *other;

	frr_each (responders, &responders, other) {
		if (other == responder)
			return;
		if (!other->nat.on || strcmp(other->vrf, responder->vrf))
			continue;
		frr_each (responder_interfaces, &other->interfaces, interface) {
			if (!responder_interfaces_const_find(&responder->interfaces,
							     interface))
				continue;
			facts->other = other->name;
			facts->shared = interface->name;
			return;
		}
	}
}

static const struct ipaddr *missing(const struct responder *responder)
{
	const struct ipaddr *sources[] = { &responder->nat.source_v4,
					   &responder->nat.source_v6 };

	for (size_t i = 0; i < array_size(sources); i++)
		if (!IS_IPADDR_NONE(sources[i]) &&
		    !cluster_zebra_address_owner(responder->vrf, sources[i]))
			return sources[i];
	return NULL;
}

/* The kernel drops what it finds no address for: it's said. */
static const char *bare(const struct responder *responder)
{
	const struct responder_interface *interface;
	struct vrf *vrf = vrf_lookup_by_name(responder->vrf);
	struct connected *connected;
	struct interface *ifp;

	if (!vrf || !IS_IPADDR_NONE(&responder->nat.source_v4))
		return NULL;
	frr_each (responder_interfaces_const, &responder->interfaces,
		  interface) {
		bool v4 = false;

		ifp = if_lookup_by_name(interface->name, vrf->vrf_id);
		if (!ifp || !if_is_operative(ifp))
			continue;
		CLUSTER_FOR_EACH_CONNECTED (ifp, connected)
			v4 |= connected->address->family == AF_INET;
		if (!v4)
			return interface->name;
	}
	return NULL;
}

static void wanted_update(struct responder *responder)
{
	struct responder_nat *nat = &responder->nat;
	struct nft_handoff *wanted = &nat->wanted;
	struct vrf *vrf = vrf_lookup_by_name(responder->vrf);
	const struct responder_interface *interface;

	nat->placed = cluster_zebra_vrf_known(responder->vrf);
	if (nat->placed)
		nat->place = table_place(vrf);
	/* With its tables; one of that name is another, even with its VRF ID. */
	else if (nat->there_place != VRF_DEFAULT)
		nat->installed = false;
	memset(wanted, 0, sizeof(*wanted));
	handoff_table_name(pathspace, responder->name, wanted->table,
			   sizeof(wanted->table));
	wanted->sdif = vrf && vrf->vrf_id != VRF_DEFAULT &&
		       !vrf_is_backend_netns();
	wanted->source_v4 = nat->source_v4;
	wanted->source_v6 = nat->source_v6;
	frr_each (responder_interfaces_const, &responder->interfaces,
		  interface) {
		if (wanted->n_interfaces == RESPONDER_INTERFACES_MAX)
			break;
		strlcpy(wanted->interfaces[wanted->n_interfaces++],
			interface->name, sizeof(wanted->interfaces[0]));
	}
}

/* The one writer of the hand-off's state. */
static void state_update(struct responder *responder,
			 const struct handoff_plan *plan, int64_t now_us)
{
	struct responder_nat *nat = &responder->nat;
	enum handoff_state old = nat->state;

	strlcpy(nat->why, plan->why, sizeof(nat->why));
	if (old == plan->state)
		return;
	nat->state = plan->state;
	nat->since_us = now_us;
	nat->since_wall = time(NULL);
	responder_notify_handoff(responder);
	cluster_event(&(struct event_change){
		.kind = EVENT_RESPONDER,
		.name = responder->name,
		.vrf = responder->vrf,
		.before = handoff_event_name(old),
		.after = handoff_event_name(nat->state),
		.why = nat->why,
	});
	zlog_notice("responder %s: %s%s%s", responder->name,
		    handoff_event_name(nat->state), nat->why[0] ? ": " : "",
		    nat->why);
}

void responder_nat_update(struct responder *responder, int64_t now_us)
{
	struct responder_nat *nat = &responder->nat;
	struct handoff_facts facts = {
		.configured = nat->on,
		.n_interfaces =
			responder_interfaces_count(&responder->interfaces),
	};
	struct handoff_plan plan;

	if (nat->on) {
		wanted_update(responder);
		/* Other rules have not been refused yet. */
		if (nat->error &&
		    !nft_handoff_same(&nat->wanted, &nat->refused)) {
			nat->error = 0;
			nat->try_us = 0;
		}
		find_other(responder, &facts);
		facts.missing = missing(responder);
		facts.bare = bare(responder);
	}
	facts.error = nat->error;
	facts.vrf_ready = nat->placed;
	facts.installed = in_place(nat);
	handoff_decide(&facts, &plan);
	nat->rules = plan.rules;
	state_update(responder, &plan, now_us);
	if (behind(nat))
		work_at(nat->try_us, now_us);
}

void responder_nat_end(struct responder *responder)
{
	struct responder_nat *nat = &responder->nat;

	if (!nat->installed)
		return;
	nat->error = take_out(nat);
	if (nat->error) {
		failed(responder, "taken out");
		sweep_in(SWEEP_AGAIN_MS);
	}
	nat->installed = false;
	memset(&nat->seen, 0, sizeof(nat->seen));
}

void responder_nat_init(const char *of_pathspace)
{
	pathspace = of_pathspace;
	sweep_in(SWEEP_GRACE_MS);
}

void responder_nat_fini(void)
{
	cluster_event_off(t_work);
	cluster_event_off(t_read);
	cluster_event_off(t_sweep);
}
