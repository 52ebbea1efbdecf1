// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "memory.h"

#include "core/cluster_time.h"
#include "hubcluster/hc_edge_private.h"

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, HC_EDGE_SELF, "Edge");

static bool same(const struct ctl_id *a, const struct ctl_id *b)
{
	return !ctl_id_cmp(a, b);
}

static void emit(struct hc_edge *edge, struct hc_edge_event event)
{
	edge->ops->event(edge->arg, &event);
}

/* -- gateways -- */

static struct edge_gateway *gateway_find(struct hc_edge *edge,
					 const struct ctl_id *id)
{
	for (size_t i = 0; i < edge->n_gateways; i++)
		if (same(&edge->gateways[i].id, id))
			return &edge->gateways[i];
	return NULL;
}

static struct hc_gateway_in gateway_in(const struct hc_edge *edge,
				       const struct edge_gateway *gateway)
{
	return (struct hc_gateway_in){
		.id = gateway->id,
		.preference = hc_edge_preference(edge, &gateway->id),
		.up = true,
	};
}

static struct edge_gateway *preferred(struct hc_edge *edge)
{
	struct hc_gateway_in in[HC_EDGE_GATEWAYS_MAX];
	int best;

	for (size_t i = 0; i < edge->n_gateways; i++)
		in[i] = gateway_in(edge, &edge->gateways[i]);
	best = hc_preferred(in, edge->n_gateways);
	return best == HC_NONE ? NULL : &edge->gateways[best];
}

/* Is `gateway` preferred to who said where to go, or the same? */
static bool prefers(const struct hc_edge *edge,
		    const struct edge_gateway *gateway,
		    const struct ctl_id *other)
{
	struct hc_gateway_in a = gateway_in(edge, gateway);
	struct hc_gateway_in b = {
		.id = *other, .preference = hc_edge_preference(edge, other)
	};

	return ctl_id_is_null(other) || hc_gateway_cmp(&a, &b) <= 0;
}

static void send_edge(struct hc_edge *edge, struct edge_gateway *gateway)
{
	struct hc_msg msg = {
		.type = HC_ITEM_EDGE,
		.edge = { .cluster = edge->config.cluster,
			  .token = gateway->token,
			  .hub = edge->current.hub,
			  .n_unreachable = edge->unreachable.n },
	};

	memcpy(msg.edge.unreachable, edge->unreachable.hubs,
	       sizeof(msg.edge.unreachable));
	if (!gateway->answered)
		msg.edge.flags |= HC_EDGE_ASK;
	if (gateway->preferred)
		msg.edge.flags |= HC_EDGE_PREFERRED;
	if (edge->config.preestablish)
		msg.edge.flags |= HC_EDGE_PLACES;
	edge->ops->send(edge->arg, &gateway->id, &msg);
}

/* Where it is, and what it can't reach: nothing is asked. */
static void send_edges(struct hc_edge *edge)
{
	for (size_t i = 0; i < edge->n_gateways; i++)
		send_edge(edge, &edge->gateways[i]);
}

static void ask(struct hc_edge *edge, struct edge_gateway *gateway,
		int64_t now_us)
{
	gateway->token++;
	/* Sequences order what is said about one question. */
	gateway->sequence = 0;
	gateway->answered = false;
	gateway->asked_us = now_us;
	send_edge(edge, gateway);
}

static void ask_all(struct hc_edge *edge, int64_t now_us)
{
	for (size_t i = 0; i < edge->n_gateways; i++)
		ask(edge, &edge->gateways[i], now_us);
}

/* -- the hub -- */

bool hc_edge_send_attach(struct hc_edge *edge, const struct ctl_id *hub)
{
	struct hc_msg msg = {
		.type = HC_ITEM_ATTACH,
		.attach = { .cluster = edge->config.cluster,
			    .tunnel = edge->config.tunnel,
			    .n_prefixes = edge->config.n_prefixes },
	};

	if (same(hub, &edge->guard))
		msg.attach.flags = HC_ATTACH_GUARD;
	memcpy(msg.attach.prefixes, edge->config.prefixes,
	       sizeof(msg.attach.prefixes));
	return edge->ops->send(edge->arg, hub, &msg);
}

void hc_edge_send_detach(struct hc_edge *edge, const struct ctl_id *hub)
{
	struct hc_msg msg = {
		.type = HC_ITEM_DETACH,
		.detach = edge->config.cluster,
	};

	edge->ops->send(edge->arg, hub, &msg);
}

static void leave(struct hc_edge *edge, const struct ctl_id *hub)
{
	hc_edge_send_detach(edge, hub);
	edge->ops->disconnect(edge->arg, hub);
}

/* What an event is about. */
struct context {
	const struct hc_where *where;		/* assigned */
	const struct hc_msg_attached *attached; /* accepted */
	int64_t now_us;
};

static void do_connect(struct hc_edge *edge, const struct context *context)
{
	edge->target = *context->where;
	edge->target.since_us = context->now_us;
	edge->target_up = false;
	edge->target_held = same(&edge->guard, &edge->target.hub);
	hc_guard_forget(edge, &edge->target.hub);
	edge->ops->connect(edge->arg, &edge->target);
}

/* First it is no target any more: leaving may bring the end of its session. */
static void do_cancel(struct hc_edge *edge, const struct context *context)
{
	struct ctl_id hub = edge->target.hub;

	memset(&edge->target, 0, sizeof(edge->target));
	edge->target_up = false;
	leave(edge, &hub);
}

static void do_reconnect(struct hc_edge *edge, const struct context *context)
{
	do_cancel(edge, context);
	do_connect(edge, context);
}

/* All gateways were asked, or see it themselves; else it is one gateway's word. */
static bool all_know(enum hc_why why)
{
	return why < HC_WHY_REPLACED_LOADED || why == HC_WHY_LAST ||
	       why == HC_WHY_STANDBY || why == HC_WHY_HUB_DEAD ||
	       why == HC_WHY_HUB_STOPPED;
}

/* It has accepted us: the routes first, then the old one is left. */
static void do_attached(struct hc_edge *edge, const struct context *context)
{
	struct hc_where old = edge->current;
	bool moved = !all_know(edge->target.why);
	struct edge_gateway *best = preferred(edge);

	edge->current = edge->last = edge->target;
	edge->current.since_us = context->now_us;
	memset(&edge->target, 0, sizeof(edge->target));
	edge->target_up = false;
	edge->accepted = context->attached->accepted;
	edge->via = context->attached->tunnel;
	edge->no_hub = HC_OK;
	hc_unreachable_del(&edge->unreachable, &edge->current.hub);
	edge->ops->routes(edge->arg, &edge->via);
	hc_guard_leave(edge);
	if (!ctl_id_is_null(&old.hub)) {
		edge->moves++;
		leave(edge, &old.hub);
	}
	emit(edge, (struct hc_edge_event){ .type = HC_EDGE_MOVED,
					   .hub = edge->current.hub,
					   .from = old.hub,
					   .gateway = edge->current.gateway,
					   .why = edge->current.why });
	/* Others' words are of before the move: they are asked anew. */
	for (size_t i = 0; i < edge->n_gateways; i++) {
		struct edge_gateway *gateway = &edge->gateways[i];

		if (moved && gateway != best)
			ask(edge, gateway, context->now_us);
		else
			send_edge(edge, gateway);
	}
}

static void unreachable_set(struct hc_edge *edge, const struct ctl_id *hub,
			    int64_t now_us)
{
	hc_unreachable_add(&edge->unreachable, hub, now_us,
			   now_us + edge->config.unreachable_ms * MS_US);
}

static void fail(struct hc_edge *edge, const struct ctl_id *hub, int64_t now_us)
{
	edge->idle_us = now_us + edge->config.retry_ms * MS_US;
	unreachable_set(edge, hub, now_us);
	ask_all(edge, now_us);
}

static void do_failed(struct hc_edge *edge, const struct context *context)
{
	struct ctl_id hub = edge->target.hub;

	edge->failures++;
	do_cancel(edge, context);
	emit(edge, (struct hc_edge_event){ .type = HC_EDGE_FAILED, .hub = hub });
	fail(edge, &hub, context->now_us);
}

static struct ctl_id drop_current(struct hc_edge *edge)
{
	struct ctl_id hub = edge->current.hub;

	edge->losses++;
	memset(&edge->current, 0, sizeof(edge->current));
	memset(&edge->via, 0, sizeof(edge->via));
	edge->accepted = 0;
	edge->ops->routes(edge->arg, NULL);
	edge->ops->disconnect(edge->arg, &hub);
	emit(edge, (struct hc_edge_event){ .type = HC_EDGE_LOST, .hub = hub });
	return hub;
}

/* The gateways are asked, but their answer isn't waited for. */
static void do_lost(struct hc_edge *edge, const struct context *context)
{
	struct ctl_id hub = drop_current(edge);

	fail(edge, &hub, context->now_us);
	hc_edge_standby_go(edge, context->now_us);
}

/* On the way to another one anyway. */
static void do_lost_moving(struct hc_edge *edge, const struct context *context)
{
	struct ctl_id hub = drop_current(edge);

	unreachable_set(edge, &hub, context->now_us);
}

enum edge_event {
	EVENT_OTHER,   /* assigned to a hub that is neither of ours */
	EVENT_CURRENT, /* assigned to the one that we have */
	EVENT_TARGET,  /* assigned to the one that we are on the way to */
	EVENT_OK,      /* the target has accepted us */
	EVENT_FAILED,  /* the target refused us, is gone, or too slow */
	EVENT_LOST,    /* the one that we have is gone */
	EVENTS,
};

struct cell {
	enum hc_edge_state next;
	void (*action)(struct hc_edge *edge, const struct context *context);
};

#define STAY(state)                                                            \
	{                                                                      \
		HC_EDGE_##state, NULL                                          \
	}
#define GO(state, action)                                                      \
	{                                                                      \
		HC_EDGE_##state, do_##action                                   \
	}
static const struct cell table[HC_EDGE_STATES][EVENTS] = {
	[HC_EDGE_IDLE] = {
		[EVENT_OTHER] = GO(CONNECTING, connect),
		[EVENT_CURRENT] = STAY(IDLE),
		[EVENT_TARGET] = STAY(IDLE),
		[EVENT_OK] = STAY(IDLE),
		[EVENT_FAILED] = STAY(IDLE),
		[EVENT_LOST] = STAY(IDLE),
	},
	[HC_EDGE_CONNECTING] = {
		[EVENT_OTHER] = GO(CONNECTING, reconnect),
		[EVENT_CURRENT] = STAY(CONNECTING),
		[EVENT_TARGET] = STAY(CONNECTING),
		[EVENT_OK] = GO(ATTACHED, attached),
		[EVENT_FAILED] = GO(IDLE, failed),
		[EVENT_LOST] = STAY(CONNECTING),
	},
	[HC_EDGE_ATTACHED] = {
		[EVENT_OTHER] = GO(MOVING, connect),
		[EVENT_CURRENT] = STAY(ATTACHED),
		[EVENT_TARGET] = STAY(ATTACHED),
		[EVENT_OK] = STAY(ATTACHED),
		[EVENT_FAILED] = STAY(ATTACHED),
		[EVENT_LOST] = GO(IDLE, lost),
	},
	[HC_EDGE_MOVING] = {
		[EVENT_OTHER] = GO(MOVING, reconnect),
		[EVENT_CURRENT] = GO(ATTACHED, cancel),
		[EVENT_TARGET] = STAY(MOVING),
		[EVENT_OK] = GO(ATTACHED, attached),
		[EVENT_FAILED] = GO(ATTACHED, failed),
		[EVENT_LOST] = GO(CONNECTING, lost_moving),
	},
};
#undef STAY
#undef GO

/* The one writer of the state. */
static void happens(struct hc_edge *edge, enum edge_event event,
		    const struct context *context)
{
	const struct cell *cell = &table[edge->state][event];

	edge->state = cell->next;
	if (cell->action)
		cell->action(edge, context);
}

void hc_edge_go(struct hc_edge *edge, const struct hc_where *where,
		int64_t now_us)
{
	struct context context = { .where = where, .now_us = now_us };

	happens(edge, EVENT_OTHER, &context);
}

/* -- words of gateways -- */

/* May this gateway say where to go? */
static bool obeys(struct hc_edge *edge, const struct edge_gateway *gateway)
{
	if (gateway == preferred(edge))
		return true;
	if (!ctl_id_is_null(&edge->current.hub))
		return false;
	return edge->state == HC_EDGE_IDLE ||
	       prefers(edge, gateway, &edge->target.gateway);
}

static void obey(struct hc_edge *edge, const struct edge_gateway *gateway,
		 int64_t now_us)
{
	const struct hc_msg_assign *told = &gateway->told;
	struct hc_where where = {
		.hub = told->hub,
		.port = told->port,
		.addresses = told->addresses,
		.gateway = gateway->id,
		.why = (enum hc_why)told->why,
	};
	struct context context = { .where = &where, .now_us = now_us };

	if (same(&told->hub, &edge->current.hub)) {
		edge->current.addresses = told->addresses;
		edge->current.port = told->port;
		happens(edge, EVENT_CURRENT, &context);
	} else if (same(&told->hub, &edge->target.hub)) {
		edge->target.gateway = gateway->id;
		happens(edge, EVENT_TARGET, &context);
	} else {
		happens(edge, EVENT_OTHER, &context);
	}
}

/* An edge at a hub stays there, and asks anew when it loses that. */
static void no_hub(struct hc_edge *edge, const struct edge_gateway *gateway)
{
	enum hc_why why = (enum hc_why)gateway->told.why;

	if (!ctl_id_is_null(&edge->current.hub))
		return;
	if (edge->no_hub != why)
		emit(edge, (struct hc_edge_event){ .type = HC_EDGE_NO_HUB,
						   .gateway = gateway->id,
						   .why = why });
	edge->no_hub = why;
}

static void consider(struct hc_edge *edge, const struct edge_gateway *gateway,
		     int64_t now_us)
{
	const struct ctl_id *hub = &gateway->told.hub;
	const struct ctl_id *ours = ctl_id_is_null(&edge->target.hub)
					    ? &edge->current.hub
					    : &edge->target.hub;

	if (ctl_id_is_null(hub)) {
		no_hub(edge, gateway);
		return;
	}
	if (obeys(edge, gateway)) {
		obey(edge, gateway, now_us);
		return;
	}
	if (same(hub, ours))
		return;
	edge->ignored++;
	emit(edge,
	     (struct hc_edge_event){ .type = HC_EDGE_IGNORED,
				     .hub = *hub,
				     .gateway = gateway->id,
				     .why = (enum hc_why)gateway->told.why });
}

static void assigned(struct hc_edge *edge, const struct ctl_id *from,
		     const struct hc_msg_assign *msg, int64_t now_us)
{
	struct edge_gateway *gateway = gateway_find(edge, from);

	if (!gateway || !same(&msg->cluster, &edge->config.cluster))
		return;
	/* Decided on what is no longer so, or known already. */
	if (msg->token != gateway->token || msg->sequence < gateway->sequence) {
		edge->stale++;
		return;
	}
	gateway->unsaid = false;
	if (msg->sequence == gateway->sequence && gateway->answered)
		return;
	gateway->sequence = msg->sequence;
	gateway->answered = true;
	gateway->told = *msg;
	consider(edge, gateway, now_us);
}

static void moves_to(struct hc_where *where, const struct hc_msg_place *msg)
{
	if (!same(&msg->hub, &where->hub) || !msg->addresses.n)
		return;
	where->port = msg->port;
	where->addresses = msg->addresses;
}

/* Where hubs are is what the preferred gateway says. */
static void place(struct hc_edge *edge, const struct ctl_id *from,
		  const struct hc_msg_place *msg)
{
	struct edge_gateway *gateway = gateway_find(edge, from);
	struct hc_where where = {
		.hub = msg->hub,
		.port = msg->port,
		.addresses = msg->addresses,
		.gateway = *from,
		.why = HC_WHY_STANDBY,
	};

	if (!gateway || gateway != preferred(edge) ||
	    !same(&msg->cluster, &edge->config.cluster))
		return;
	if (msg->flags & HC_PLACE_STANDBY) {
		edge->standby = where;
		gateway->named = true;
	}
	if (ctl_id_is_null(&msg->hub))
		return;
	moves_to(&edge->standby, msg);
	moves_to(&edge->current, msg);
	moves_to(&edge->target, msg);
	edge->ops->place(edge->arg, &where);
}

/* It is told so. What it names while it isn't preferred isn't all that it names. */
static void prefer(struct hc_edge *edge, struct edge_gateway *gateway, bool is)
{
	gateway->preferred = is;
	gateway->names &= is;
	send_edge(edge, gateway);
}

/* Who is preferred may have changed: they are told, and it may mean a move. */
static void preference_follow(struct hc_edge *edge, const struct ctl_id *before,
			      int64_t now_us)
{
	struct edge_gateway *best = preferred(edge);

	for (size_t i = 0; i < edge->n_gateways; i++) {
		struct edge_gateway *gateway = &edge->gateways[i];

		if (gateway->preferred != (gateway == best))
			prefer(edge, gateway, gateway == best);
	}
	if (!best || same(&best->id, before) || ctl_id_is_null(before))
		return;
	if (edge->config.sticky || !best->answered)
		ask(edge, best, now_us);
	else
		consider(edge, best, now_us);
}

static struct ctl_id preferred_id(struct hc_edge *edge)
{
	struct edge_gateway *best = preferred(edge);

	return best ? best->id : (struct ctl_id){};
}

void hc_edge_gateway_up(struct hc_edge *edge, const struct ctl_id *id,
			int64_t now_us)
{
	struct edge_gateway *gateway = gateway_find(edge, id);

	if (!gateway) {
		if (edge->n_gateways == HC_EDGE_GATEWAYS_MAX)
			return;
		gateway = &edge->gateways[edge->n_gateways++];
		*gateway = (struct edge_gateway){ .id = *id };
	}
	gateway->preferred = gateway == preferred(edge);
	/* The one that was preferred isn't any more. */
	for (size_t i = 0; gateway->preferred && i < edge->n_gateways; i++) {
		struct edge_gateway *other = &edge->gateways[i];

		if (other != gateway && other->preferred)
			prefer(edge, other, false);
	}
	ask(edge, gateway, now_us);
}

static void gateway_down(struct hc_edge *edge, const struct ctl_id *id,
			 int64_t now_us)
{
	struct edge_gateway *gateway = gateway_find(edge, id);
	struct ctl_id before = preferred_id(edge);
	size_t last;

	if (!gateway)
		return;
	/* Whoever comes is asked anew: nothing of it is kept. */
	last = --edge->n_gateways;
	*gateway = edge->gateways[last];
	preference_follow(edge, &before, now_us);
}

/* -- what comes from outside -- */

struct hc_edge *hc_edge_new(const struct hc_edge_ops *ops, void *arg,
			    const struct hc_edge_config *config, int64_t now_us)
{
	struct hc_edge *edge = XCALLOC(MTYPE_HC_EDGE_SELF, sizeof(*edge));

	edge->ops = ops;
	edge->arg = arg;
	edge->config = *config;
	edge->idle_us = now_us + config->retry_ms * MS_US;
	return edge;
}

void hc_edge_free(struct hc_edge **edge)
{
	if (!*edge)
		return;
	(*edge)->ops->routes((*edge)->arg, NULL);
	hc_guard_leave(*edge);
	if (!ctl_id_is_null(&(*edge)->target.hub))
		leave(*edge, &(*edge)->target.hub);
	if (!ctl_id_is_null(&(*edge)->current.hub))
		leave(*edge, &(*edge)->current.hub);
	XFREE(MTYPE_HC_EDGE_SELF, *edge);
}

static bool prefixes_same(const struct hc_edge_config *a,
			  const struct hc_edge_config *b)
{
	if (a->n_prefixes != b->n_prefixes)
		return false;
	for (int i = 0; i < a->n_prefixes; i++)
		if (hc_prefix_cmp(&a->prefixes[i], &b->prefixes[i]))
			return false;
	return hc_addresses_same(&a->tunnel, &b->tunnel);
}

void hc_edge_config_set(struct hc_edge *edge,
			const struct hc_edge_config *config, int64_t now_us)
{
	struct ctl_id before = preferred_id(edge);
	bool attach = !prefixes_same(&edge->config, config);
	bool places = edge->config.preestablish != config->preestablish;

	edge->config = *config;
	if (places)
		send_edges(edge);
	if (attach && !ctl_id_is_null(&edge->current.hub))
		hc_edge_send_attach(edge, &edge->current.hub);
	if (attach && edge->target_up)
		hc_edge_send_attach(edge, &edge->target.hub);
	if (attach && !ctl_id_is_null(&edge->guard))
		hc_edge_send_attach(edge, &edge->guard);
	preference_follow(edge, &before, now_us);
}

void hc_edge_hub_up(struct hc_edge *edge, const struct ctl_id *hub,
		    int64_t now_us)
{
	if (same(hub, &edge->target.hub) && !edge->target_up) {
		edge->target_up = true;
		hc_edge_send_attach(edge, hub);
	} else if (hc_unreachable_has(&edge->unreachable, hub)) {
		/* A tunnel that is kept, and works again. */
		hc_unreachable_del(&edge->unreachable, hub);
		send_edges(edge);
	}
}

static void attached(struct hc_edge *edge, const struct ctl_id *from,
		     const struct hc_msg_attached *msg, int64_t now_us)
{
	struct context context = { .attached = msg, .now_us = now_us };
	bool ok = msg->verdict == HC_VERDICT_OK;

	if (!same(&msg->cluster, &edge->config.cluster))
		return;
	if (edge->target_up && same(from, &edge->target.hub)) {
		happens(edge, ok ? EVENT_OK : EVENT_FAILED, &context);
		return;
	}
	if (!ok)
		hc_guard_refused(edge, from);
	if (!same(from, &edge->current.hub))
		return;
	if (!ok) {
		happens(edge, EVENT_LOST, &context);
		return;
	}
	edge->accepted = msg->accepted;
	if (hc_addresses_same(&edge->via, &msg->tunnel))
		return;
	edge->via = msg->tunnel;
	edge->ops->routes(edge->arg, &edge->via);
}

void hc_edge_receive(struct hc_edge *edge, const struct ctl_id *from,
		     const struct hc_msg *msg, int64_t now_us)
{
	if (msg->type == HC_ITEM_ASSIGN)
		assigned(edge, from, &msg->assign, now_us);
	else if (msg->type == HC_ITEM_ATTACHED)
		attached(edge, from, &msg->attached, now_us);
	else if (msg->type == HC_ITEM_PLACE)
		place(edge, from, &msg->place);
}

void hc_edge_down(struct hc_edge *edge, const struct ctl_id *peer,
		  uint8_t roles, int64_t now_us)
{
	struct context context = { .now_us = now_us };

	/* First the gateway: a lost hub is asked for at those that are left. */
	if (roles & HC_ROLE_GATEWAY)
		gateway_down(edge, peer, now_us);
	if (!(roles & HC_ROLE_HUB))
		return;
	hc_guard_forget(edge, peer);
	if (same(peer, &edge->target.hub))
		edge->target_held = false;
	if (edge->target_up && same(peer, &edge->target.hub))
		happens(edge, EVENT_FAILED, &context);
	else if (same(peer, &edge->current.hub))
		happens(edge, EVENT_LOST, &context);
}

void hc_edge_full_state(struct hc_edge *edge, const struct ctl_id *peer)
{
	struct edge_gateway *gateway = gateway_find(edge, peer);

	if (gateway)
		send_edge(edge, gateway);
	if (same(peer, &edge->current.hub) || same(peer, &edge->guard) ||
	    ((edge->target_up || edge->target_held) &&
	     same(peer, &edge->target.hub)))
		hc_edge_send_attach(edge, peer);
}

void hc_edge_sync(struct hc_edge *edge, const struct ctl_id *peer, bool begin,
		  int64_t now_us)
{
	struct edge_gateway *gateway = gateway_find(edge, peer);
	bool follows = gateway && gateway == preferred(edge);

	if (!gateway)
		return;
	if (begin) {
		gateway->unsaid = gateway->answered;
		gateway->names = follows;
		gateway->named = false;
		if (follows)
			edge->ops->places(edge->arg, true);
		return;
	}
	if (follows && gateway->names && gateway->named)
		edge->ops->places(edge->arg, false);
	if (gateway->answered && gateway->unsaid)
		ask(edge, gateway, now_us);
}

/* Who said that there is no hub is asked again. */
static int64_t ask_again(struct hc_edge *edge, int64_t now_us)
{
	int64_t next_us = INT64_MAX;

	for (size_t i = 0; i < edge->n_gateways; i++) {
		struct edge_gateway *gateway = &edge->gateways[i];
		int64_t at_us = gateway->asked_us +
				edge->config.retry_ms * MS_US;

		if (!gateway->answered || !ctl_id_is_null(&gateway->told.hub))
			continue;
		if (at_us <= now_us) {
			ask(edge, gateway, now_us);
			continue;
		}
		next_us = cluster_sooner(next_us, at_us);
	}
	return next_us;
}

/* They would otherwise keep us away from a hub that may be back. */
static void forget_unreachable(struct hc_edge *edge, int64_t now_us)
{
	if (hc_unreachable_expire(&edge->unreachable, now_us))
		send_edges(edge);
}

static int64_t connect_due(const struct hc_edge *edge)
{
	if (ctl_id_is_null(&edge->target.hub))
		return INT64_MAX;
	return edge->target.since_us + edge->config.connect_ms * MS_US;
}

int64_t hc_edge_run(struct hc_edge *edge, int64_t now_us)
{
	struct context context = { .now_us = now_us };
	int64_t next_us;

	forget_unreachable(edge, now_us);
	if (connect_due(edge) <= now_us)
		happens(edge, EVENT_FAILED, &context);
	next_us = ask_again(edge, now_us);
	next_us = cluster_sooner(next_us, hc_edge_alone_run(edge, now_us));
	next_us = cluster_sooner(next_us, hc_guard_run(edge, now_us));
	next_us = cluster_sooner(next_us,
				 hc_unreachable_due(&edge->unreachable));
	return cluster_sooner(next_us, connect_due(edge));
}
