// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that ask for draining are polled: an inotify watch needs a folder that
 * exists, and one file may be named by thousands of VIPs.  A look costs a
 * microsecond on a local file system; the manual asks for one.
 *
 * The end: a signal makes every VIP drain with the cause VIP_DRAIN_EXIT, those
 * without `drain on-exit` with no time.  The loop goes on, and with it the
 * watchdog's heartbeat and the vty, until nothing drains any more and the local
 * routes have been held and are gone.
 */
#include "cluster_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "memory.h"
#include "typesafe.h"

#include "cluster_errors.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/config_reading.h"
#include "core/daemon_start.h"
#include "core/local_netlink.h"
#include "vip/vip_private.h"

#define POLL_MS	     500
#define EXIT_POLL_MS 50
/* The kernel deletes thousands of local routes in less. */
#define EXIT_GRACE_US (3 * INT64_C(1000000))

DEFINE_MTYPE_STATIC(CLUSTERD, VIP_DRAIN_FILE, "VIP drain file");

PREDECL_RBTREE_UNIQ(drain_files);

struct vip_drain_file {
	struct drain_files_item item;
	size_t users;
	int error; /* errno of the last look, if it told nothing */
	bool exists;
	char path[];
};

static int drain_file_cmp(const struct vip_drain_file *a,
			  const struct vip_drain_file *b)
{
	return strcmp(a->path, b->path);
}
DECLARE_RBTREE_UNIQ(drain_files, struct vip_drain_file, item, drain_file_cmp);

static struct drain_files_head files = INIT_RBTREE_UNIQ(files);
static struct event *t_poll, *t_exit;
static void (*exit_done)(void);
static bool exit_holds;
static int64_t exit_until_us; /* at the latest, once it holds */

/* -- files -- */

/* Returns whether something is another way now. */
static bool drain_file_look(struct vip_drain_file *file)
{
	bool before = file->exists;
	int error = 0;

	if (faccessat(AT_FDCWD, file->path, F_OK, AT_EACCESS) == 0)
		file->exists = true;
	else if (errno == ENOENT || errno == ENOTDIR)
		file->exists = false;
	else
		error = errno;
	if (error && error != file->error)
		flog_warn(EC_CLUSTER_SYSTEM, "drain file %s: %s", file->path,
			  safe_strerror(error));
	file->error = error;
	return file->exists != before;
}

static void drain_files_poll(struct event *event)
{
	struct vip_drain_file *file;
	bool changed = false;

	event_add_timer_msec(cluster_master, drain_files_poll, NULL, POLL_MS,
			     &t_poll);
	frr_each (drain_files, &files, file) {
		if (!drain_file_look(file))
			continue;
		zlog_info("drain file %s %s", file->path,
			  file->exists ? "is there" : "is gone");
		changed = true;
	}
	if (changed)
		cluster_sched_decide();
}

static struct vip_drain_file *drain_file_new(const char *path)
{
	struct vip_drain_file *file = XCALLOC(MTYPE_VIP_DRAIN_FILE,
					      sizeof(*file) + strlen(path) + 1);

	memcpy(file->path, path, strlen(path) + 1);
	return file;
}

struct vip_drain_file *vip_drain_file_get(const char *path)
{
	struct vip_drain_file *file = drain_file_new(path), *old;

	old = drain_files_find(&files, file);
	if (old) {
		XFREE(MTYPE_VIP_DRAIN_FILE, file);
		file = old;
	} else {
		drain_files_add(&files, file);
		/* At the start, before the first announcement. */
		drain_file_look(file);
	}
	file->users++;
	if (!t_poll)
		event_add_timer_msec(cluster_master, drain_files_poll, NULL,
				     POLL_MS, &t_poll);
	return file;
}

void vip_drain_file_put(struct vip_drain_file **file)
{
	struct vip_drain_file *gone = *file;

	*file = NULL;
	if (!gone || --gone->users)
		return;
	drain_files_del(&files, gone);
	XFREE(MTYPE_VIP_DRAIN_FILE, gone);
	if (!drain_files_count(&files))
		cluster_event_off(t_poll);
}

bool vip_drain_file_exists(const struct vip_drain_file *file)
{
	return file && file->exists;
}

const char *vip_drain_file_path(const struct vip_drain_file *file)
{
	return file->path;
}

int vip_drain_file_error(const struct vip_drain_file *file)
{
	return file->error;
}

/* -- the end -- */

/* bgpd ends as well, or zebra has: neighbours know already. */
static bool exit_pointless(void)
{
	return !cluster_zebra_connected() ||
	       daemon_start(frr_runstatedir, "bgpd") == 0;
}

static void exit_hold_look(struct event *event)
{
	if (!local_routes_left() || cluster_now_us() >= exit_until_us)
		exit_done();
	else
		event_add_timer_msec(cluster_master, exit_hold_look, NULL,
				     EXIT_POLL_MS, &t_exit);
}

/*
 * What has been withdrawn may still be under way to us: local routes are held.
 * Whatever keeps them then (a kernel that refuses) isn't waited for.
 */
static void exit_hold(void)
{
	exit_holds = true;
	if (exit_pointless())
		local_routes_withdrawn();
	exit_until_us = cluster_now_us() + local_routes_left() + EXIT_GRACE_US;
	cluster_event_off(t_exit);
	event_add_timer_msec(cluster_master, exit_hold_look, NULL, EXIT_POLL_MS,
			     &t_exit);
	cluster_sched_decide();
}

static void exit_look(struct event *event)
{
	if (exit_pointless()) {
		zlog_notice("nobody to drain for: zebra or bgpd has ended");
		exit_hold();
		return;
	}
	event_add_timer_msec(cluster_master, exit_look, NULL, POLL_MS, &t_exit);
}

bool vip_exit(void (*done)(void))
{
	size_t n = exit_pointless() ? 0 : vip_exit_drains();

	/* Another signal: somebody is in a hurry. */
	if (exit_done || (!n && !local_routes_left()))
		return false;
	exit_done = done;
	if (n) {
		zlog_notice("%zu VIP%s drain%s before the end; another signal ends at once",
			    n, n == 1 ? "" : "s", n == 1 ? "s" : "");
		event_add_timer_msec(cluster_master, exit_look, NULL, POLL_MS,
				     &t_exit);
	} else {
		zlog_notice(
			"local routes are held before the end; another signal ends at once");
		exit_hold();
	}
	/* The rest of a file that is being read doesn't matter any more. */
	config_reading_stop();
	cluster_sched_decide();
	return true;
}

bool vip_exit_begun(void)
{
	return exit_done != NULL;
}

bool vip_exit_holds(void)
{
	return exit_holds;
}

void vip_exit_check(size_t n_draining)
{
	if (exit_done && !exit_holds && !n_draining)
		exit_hold();
}

void vip_leave_fini(void)
{
	cluster_event_off(t_exit);
	cluster_event_off(t_poll);
	drain_files_fini(&files);
	exit_done = NULL;
	exit_holds = false;
}
