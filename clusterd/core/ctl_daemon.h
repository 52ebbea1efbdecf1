/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's node of the control protocol: configuration to sockets, keys
 * and dials; where capabilities register.
 */
#ifndef CTL_DAEMON_H
#define CTL_DAEMON_H

#include "core/ctl_core.h"

/* `id_dir`: of the file that keeps the logical ID; read when first needed. */
extern void control_init(const char *id_dir);
/* Says goodbye to all peers. */
extern void control_fini(void);

/* Static storage; from a capability's init function. */
extern void control_register(const struct ctl_capability *cap);
/* NULL while the protocol isn't configured: capabilities wait for up(). */
extern struct ctl *control_ctl(void);

#endif /* CTL_DAEMON_H */
