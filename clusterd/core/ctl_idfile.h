/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This node's logical ID: made once, kept in a file across restarts. */
#ifndef CTL_IDFILE_H
#define CTL_IDFILE_H

#include <stdbool.h>

#include "core/ctl_id.h"

#define CTL_ID_DIR  "/var/lib/frr-clusterd"
#define CTL_ID_FILE "node-id"

/*
 * Reads the ID from `dir`, or makes one and writes it there.  False if it
 * could not be read or kept: `id` is a new one then, good until the next
 * start, and a log message has the reason.  A file that holds something else
 * is left as it is.
 */
extern bool ctl_idfile_load(const char *dir, struct ctl_id *id);

/*
 * As root, before privileges are dropped: makes `dir` and gives it to the
 * user.  Does nothing where it has no right to.
 */
extern void ctl_idfile_prepare(const char *dir, const char *user);

#endif /* CTL_IDFILE_H */
