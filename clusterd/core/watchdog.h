/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: kills clusterd when its event loop no longer runs.
 *
 * zebra withdraws our routes when we die; a daemon that hangs or is stopped
 * would keep them announced with nobody looking after the services behind.
 */
#ifndef CLUSTER_WATCHDOG_H
#define CLUSTER_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_DEFAULT_MS 5000
#define WATCHDOG_MIN_MS	    500
#define WATCHDOG_MAX_MS	    600000

/* Processes that watch the daemon, each for itself. */
#define WATCHDOG_GUARDS 2

/*
 * Starts the guard processes and the loop's heartbeat; `timeout_ms` 0: no
 * watchdog (debuggers).  After frr_config_fork().
 */
extern void watchdog_start(uint32_t timeout_ms);

/* A sign of life from inside long work, e.g. a large transaction. */
extern void watchdog_feed(void);

/*
 * A configuration is about to be loaded: the loop may stand still for up to ten
 * minutes, until it has run again with nobody loading one (config_reading_now()).
 */
extern void watchdog_lenient(void);

/* A guard's process ID, 0 when there is none; `number` from 0. */
extern int watchdog_pid(unsigned int number);

/* There is a guard. */
extern bool watchdog_running(void);
extern uint32_t watchdog_timeout_ms(void);

extern void watchdog_stop(void);

#endif /* CLUSTER_WATCHDOG_H */
