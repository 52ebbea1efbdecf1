// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module of bgpd: `bgpd -M clusterd[:hold=MS]`.
 *
 * bgpd puts a changed prefix into a queue and looks at that queue 50 ms later,
 * before it computes the best path; the constant has no command.  That is half
 * of all the time that a withdrawal takes through two routers.  This module
 * sets it to MS (default 2).  Everything else of bgpd is as it was; without the
 * option bgpd doesn't even load this file.
 *
 * When: a BGP instance is adjusted when its configuration has been read, and
 * whenever a session of it changes its state, which is before a neighbour can
 * bring or get a route.  Not at every route: nothing of ours runs then.
 *
 * Guards: the queue belongs to another program, so it is written only if
 * libfrr's version is the one that this file was compiled for, and the queue's
 * name, hold and yield are exactly what bgpd sets.  Whatever doesn't fit is
 * left alone, is said in bgpd's log once, and shown.
 *
 * Why not 0: with some milliseconds, routes that come together still leave
 * together, in few UPDATE messages.
 */
#include "cluster_compat.h"

#include "command.h"
#include "hook.h"
#include "json.h"
#include "libfrr.h"
#include "log.h"
#include "module.h"
#include "vty.h"
#include "workqueue.h"
#include "lib/version.h"

#include "bgpd/bgpd.h"
#include "bgpd/bgp_fsm.h"

#include "queue_guard.h"

#define HOLD_DEFAULT 2 /* ms */

static unsigned int hold = HOLD_DEFAULT;
static bool warned;

static enum queue_state queue_state(const struct work_queue *queue)
{
	return queue_guard(queue, hold);
}

static int adjust(struct bgp *bgp)
{
	struct work_queue *queue = bgp->process_queue;

	switch (queue_state(queue)) {
	case QUEUE_STOCK:
		queue->spec.hold = hold;
		zlog_info("clusterd module: %s: changed routes are held %u ms instead of %u",
			  bgp->name_pretty, hold, HOLD_STOCK);
		break;
	case QUEUE_UNKNOWN:
		/* An instance that is being deleted has no queue. */
		if (queue && !warned) {
			warned = true;
			zlog_warn("clusterd module: %s: the queue of changed routes isn't as expected, it is left alone",
				  bgp->name_pretty);
		}
		break;
	case QUEUE_OURS:
		break;
	}
	return 0;
}

static int on_peer(struct peer *peer)
{
	return adjust(peer->bgp);
}

static void show_json(struct vty *vty)
{
	struct json_object *all = json_object_new_object();
	struct listnode *node;
	struct bgp *bgp;

	for (ALL_LIST_ELEMENTS_RO(bm->bgp, node, bgp)) {
		enum queue_state state = queue_state(bgp->process_queue);
		struct json_object *one = json_object_new_object();

		if (state != QUEUE_UNKNOWN)
			json_object_int_add(one, "holdMsec",
					    bgp->process_queue->spec.hold);
		json_object_boolean_add(one, "adjusted", state == QUEUE_OURS);
		json_object_object_add(all, bgp->name_pretty, one);
	}
	vty_json(vty, all);
}

static void show_text(struct vty *vty)
{
	struct listnode *node;
	struct bgp *bgp;

	vty_out(vty, "clusterd module: wanted hold %u ms, stock hold %u ms\n",
		hold, HOLD_STOCK);
	for (ALL_LIST_ELEMENTS_RO(bm->bgp, node, bgp)) {
		switch (queue_state(bgp->process_queue)) {
		case QUEUE_OURS:
			vty_out(vty, "  %s: %u ms\n", bgp->name_pretty, hold);
			break;
		case QUEUE_STOCK:
			vty_out(vty,
				"  %s: %u ms, until its first session comes up\n",
				bgp->name_pretty, HOLD_STOCK);
			break;
		case QUEUE_UNKNOWN:
			vty_out(vty,
				"  %s: left alone, this bgpd isn't the one that the module was made for\n",
				bgp->name_pretty);
			break;
		}
	}
}

DEFUN(show_bgp_process_queue,
      show_bgp_process_queue_cmd,
      "show bgp process-queue [json]",
      SHOW_STR
      BGP_STR
      "How long changed routes are held before the best path is computed\n"
      JSON_STR)
{
	if (use_json(argc, argv))
		show_json(vty);
	else
		show_text(vty);
	return CMD_SUCCESS;
}

/* Commands exist only once bgpd has its nodes. */
static int on_late_init(struct event_loop *loop)
{
	install_element(VIEW_NODE, &show_bgp_process_queue_cmd);
	return 0;
}

static bool libfrr_fits(void)
{
	for (const struct frrmod_runtime *module = frrmod_list; module;
	     module = module->next)
		if (module->info && strcmp(module->info->name, "libfrr") == 0)
			return strcmp(module->info->version, FRR_VERSION) == 0;
	return false;
}

static bool read_arguments(const char *arguments)
{
	unsigned long ms;
	char *end;

	if (!arguments)
		return true;
	if (strncmp(arguments, "hold=", 5) != 0)
		return false;
	errno = 0;
	ms = strtoul(arguments + 5, &end, 10);
	if (end == arguments + 5 || *end || errno || ms < 1 || ms >= HOLD_STOCK)
		return false;
	hold = ms;
	return true;
}

/* A module must not keep bgpd from starting: what doesn't fit does nothing. */
static int module_init(void)
{
	if (!libfrr_fits()) {
		fprintf(stderr,
			"bgpd: module clusterd was built for FRR %s, not for this one, and does nothing: install frr-clusterd-bgp of the same version\n",
			FRR_VERSION);
		return 0;
	}
	if (!read_arguments(THIS_MODULE->load_args)) {
		fprintf(stderr,
			"bgpd: module clusterd: \"%s\" is not hold=(1-%u), it does nothing\n",
			THIS_MODULE->load_args, HOLD_STOCK - 1);
		return 0;
	}
	hook_register(frr_late_init, on_late_init);
	hook_register(bgp_config_end, adjust);
	hook_register(peer_status_changed, on_peer);
	return 0;
}

FRR_MODULE_SETUP(.name = "clusterd", .version = FRR_VERSION,
		 .description = "shortens bgpd's hold of changed routes",
		 .init = module_init, );
