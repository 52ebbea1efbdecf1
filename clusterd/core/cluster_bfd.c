// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BFD sessions by libfrr.
 *
 * libfrr tells changes of a session's state, but not that bfdd has died: the
 * last state would stay for ever.  So cluster_zebra.c looks for bfdd several
 * times a second while there are sessions; when it is gone all sessions are
 * taken apart, and made anew when it is back, since libfrr doesn't tell a state
 * that is the same as before.
 *
 * bfdd and libfrr find a session by what both sides have: a local address or an
 * interface that one of two hasn't got fits that of the other, and libfrr takes
 * no notice of hops.  So two such sessions would be one, with the interface of
 * the first; bfdd would end it with either, and libfrr give both the state of
 * any.  Hence a session waits while another one runs that is the same to bfdd,
 * and follows at the poll after its end.  When bfdd comes back those that ran
 * begin first, so that it is they who run again.
 */
#include "cluster_compat.h"

#include "bfd.h"
#include "typesafe.h"

#include "cluster_debug.h"
#include "clusterd.h"
#include "core/cluster_bfd.h"
#include "core/cluster_zebra_private.h"

DEFINE_MTYPE_STATIC(CLUSTERD, BFD_SESSION, "BFD session");
DEFINE_MTYPE_STATIC(CLUSTERD, BFD_USER, "BFD session's user");

PREDECL_RBTREE_UNIQ(bfd_sessions);
PREDECL_DLIST(bfd_turns);
PREDECL_DLIST(bfd_users);

struct bfd_session {
	struct bfd_sessions_item item;
	struct bfd_turns_item turn;
	struct cluster_bfd_key key;
	char profile[BFD_PROFILE_NAME_LEN];
	struct bfd_session_params *params; /* NULL: not in bfdd */
	vrf_id_t vrf_id;
	struct bfd_users_head users;
};

struct cluster_bfd_user {
	struct bfd_users_item item;
	struct bfd_session *session;
	void (*changed)(void *arg);
	void *arg;
};

static int session_cmp(const struct bfd_session *a, const struct bfd_session *b)
{
	int cmp = strcmp(a->key.vrf, b->key.vrf);

	if (!cmp)
		cmp = ipaddr_cmp(&a->key.peer, &b->key.peer);
	if (!cmp)
		cmp = ipaddr_cmp(&a->key.local, &b->key.local);
	if (!cmp)
		cmp = strcmp(a->key.ifname, b->key.ifname);
	return cmp ? cmp : (int)a->key.hops - (int)b->key.hops;
}
DECLARE_RBTREE_UNIQ(bfd_sessions, struct bfd_session, item, session_cmp);
DECLARE_DLIST(bfd_turns, struct bfd_session, turn);
DECLARE_DLIST(bfd_users, struct cluster_bfd_user, item);

static struct bfd_sessions_head sessions = INIT_RBTREE_UNIQ(sessions);
/* Who begins before whom: those that ran last, then from the oldest on. */
static struct bfd_turns_head turns = INIT_DLIST(turns);
static bool bfdd_runs;

static void session_tell(struct bfd_session *session)
{
	struct cluster_bfd_user *user;

	frr_each (bfd_users, &session->users, user)
		user->changed(user->arg);
}

static void session_updated(struct bfd_session_params *params,
			    const struct bfd_session_status *status, void *arg)
{
	struct bfd_session *session = arg;

	ZEBRA_DEBUG("BFD session with %pIA in %s: %s", &session->key.peer,
		    session->key.vrf, bfd_get_status_str(status->state));
	session_tell(session);
}

static void session_stop(struct bfd_session *session)
{
	if (session->params)
		bfd_sess_free(&session->params);
}

static void session_addresses(const struct bfd_session *session)
{
	const struct cluster_bfd_key *key = &session->key;
	bool local = !IS_IPADDR_NONE(&key->local);

	if (IS_IPADDR_V4(&key->peer))
		bfd_sess_set_ipv4_addrs(session->params,
					local ? &key->local.ipaddr_v4 : NULL,
					&key->peer.ipaddr_v4);
	else
		bfd_sess_set_ipv6_addrs(session->params,
					local ? &key->local.ipaddr_v6 : NULL,
					&key->peer.ipaddr_v6);
}

/* Of one VRF and peer: bfdd or libfrr would take one for the other. */
static bool key_alike(const struct cluster_bfd_key *a,
		      const struct cluster_bfd_key *b)
{
	return (IS_IPADDR_NONE(&a->local) || IS_IPADDR_NONE(&b->local) ||
		!ipaddr_cmp(&a->local, &b->local)) &&
	       (!a->ifname[0] || !b->ifname[0] ||
		strmatch(a->ifname, b->ifname));
}

/* One runs that is the same to bfdd.  Of a session that doesn't run itself. */
static bool session_waits(const struct bfd_session *session)
{
	struct bfd_session ref = { .key.peer = session->key.peer };
	const struct bfd_session *other;

	/* Sorts before all that have this VRF and peer. */
	strlcpy(ref.key.vrf, session->key.vrf, sizeof(ref.key.vrf));
	for (other = bfd_sessions_find_gteq(&sessions, &ref);
	     other && strmatch(other->key.vrf, ref.key.vrf) &&
	     !ipaddr_cmp(&other->key.peer, &ref.key.peer);
	     other = bfd_sessions_const_next(&sessions, other))
		if (other->params && key_alike(&other->key, &session->key))
			return true;
	return false;
}

/* Of the types that can be configured, in all of FRR's versions. */
static bool zebra_tells(void)
{
	return zebra_route_type() == ZEBRA_ROUTE_OPENFABRIC;
}

/* Begins it, if that is possible now. */
static void session_start(struct bfd_session *session)
{
	const struct cluster_bfd_key *key = &session->key;
	struct vrf *vrf = vrf_lookup_by_name(key->vrf);

	if (!bfdd_runs || !zebra_tells() || !vrf ||
	    vrf->vrf_id == VRF_UNKNOWN || session_waits(session))
		return;
	session->vrf_id = vrf->vrf_id;
	session->params = bfd_sess_new(session_updated, session);
	bfd_sess_set_vrf(session->params, vrf->vrf_id);
	session_addresses(session);
	bfd_sess_set_interface(session->params,
			       key->ifname[0] ? key->ifname : NULL);
	bfd_sess_set_hop_count(session->params, key->hops);
	bfd_sess_set_profile(session->params,
			     session->profile[0] ? session->profile : NULL);
	bfd_sess_install(session->params);
	bfd_turns_del(&turns, session);
	bfd_turns_add_head(&turns, session);
}

/*
 * Its VRF has come, gone, or is another one of the same name; or nothing is in
 * its way any more.
 */
static bool session_misplaced(const struct bfd_session *session)
{
	struct vrf *vrf = vrf_lookup_by_name(session->key.vrf);
	vrf_id_t vrf_id = vrf ? vrf->vrf_id : VRF_UNKNOWN;

	return session->params ? session->vrf_id != vrf_id
			       : zebra_tells() && vrf_id != VRF_UNKNOWN &&
					 !session_waits(session);
}

void cluster_bfd_poll(bool running)
{
	bool changed = running != bfdd_runs;
	struct bfd_session *session;

	bfdd_runs = running;
	if (changed && bfd_sessions_count(&sessions))
		zlog_notice("BFD: bfdd %s", running ? "runs" : "is gone");
	/* One that begins changes its place. */
	frr_each_safe (bfd_turns, &turns, session) {
		if (!changed && !(running && session_misplaced(session)))
			continue;
		session_stop(session);
		session_start(session);
		session_tell(session);
	}
}

bool cluster_bfd_wanted(void)
{
	return bfd_sessions_count(&sessions) > 0;
}

struct cluster_bfd_user *cluster_bfd_get(const struct cluster_bfd_key *key,
					 const char *profile,
					 void (*changed)(void *arg), void *arg)
{
	struct cluster_bfd_user *user = XCALLOC(MTYPE_BFD_USER, sizeof(*user));
	struct bfd_session ref = { .key = *key };
	struct bfd_session *session = bfd_sessions_find(&sessions, &ref);

	/* Nobody has looked while there were no sessions. */
	if (!cluster_bfd_wanted())
		bfdd_runs = cluster_zebra_bfdd_running();
	if (!session) {
		session = XCALLOC(MTYPE_BFD_SESSION, sizeof(*session));
		session->key = *key;
		strlcpy(session->profile, profile, sizeof(session->profile));
		bfd_users_init(&session->users);
		bfd_sessions_add(&sessions, session);
		bfd_turns_add_tail(&turns, session);
		session_start(session);
	}
	user->session = session;
	user->changed = changed;
	user->arg = arg;
	bfd_users_add_tail(&session->users, user);
	return user;
}

void cluster_bfd_put(struct cluster_bfd_user **userp)
{
	struct cluster_bfd_user *user = *userp;
	struct bfd_session *session = user->session;

	*userp = NULL;
	bfd_users_del(&session->users, user);
	XFREE(MTYPE_BFD_USER, user);
	if (bfd_users_count(&session->users))
		return;
	session_stop(session);
	bfd_sessions_del(&sessions, session);
	bfd_turns_del(&turns, session);
	bfd_users_fini(&session->users);
	XFREE(MTYPE_BFD_SESSION, session);
}

enum cluster_bfd_state cluster_bfd_state(const struct cluster_bfd_user *user)
{
	const struct bfd_session *session = user->session;

	if (!bfdd_runs)
		return CLUSTER_BFD_NO_DAEMON;
	if (!zebra_tells())
		return CLUSTER_BFD_NO_NEWS;
	if (!session->params)
		return session_waits(session) ? CLUSTER_BFD_ALIKE
					      : CLUSTER_BFD_NO_VRF;
	switch (bfd_sess_status(session->params)) {
	case BSS_UP:
		return CLUSTER_BFD_UP;
	case BSS_ADMIN_DOWN:
		return CLUSTER_BFD_ADMIN_DOWN;
	case BSS_DOWN:
		return CLUSTER_BFD_DOWN;
	case BSS_UNKNOWN:
		break;
	}
	return CLUSTER_BFD_WAITING;
}

void cluster_bfd_init(struct zclient *zclient)
{
	bfd_protocol_integration_init(zclient, cluster_master);
}

void cluster_bfd_fini(void)
{
	/* Its users have ended. */
	assert(!bfd_sessions_count(&sessions));
	bfd_protocol_integration_set_shutdown(true);
}
