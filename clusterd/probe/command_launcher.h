/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between clusterd and the small program that becomes the command of a check.
 *
 *	clusterd-launch CPU-SECONDS PARENT-PID COMMAND [ARGUMENT...]
 *
 * clusterd's child executes nothing but this program, from its own folder: the
 * daemon waits for that one execve(), and must not wait for a command on a
 * file system that hangs.
 */
#ifndef CLUSTER_COMMAND_LAUNCHER_H
#define CLUSTER_COMMAND_LAUNCHER_H

#define COMMAND_LAUNCHER "clusterd-launch"

enum {
	LAUNCH_ARG_NAME,
	LAUNCH_ARG_CPU,
	LAUNCH_ARG_PARENT,
	LAUNCH_ARG_COMMAND,
};

/*
 * The command was not started: the launcher ends with this status, and its
 * output is this byte and the reason.
 */
#define LAUNCH_FAILED_STATUS 127
#define LAUNCH_FAILED_MARK   '\0'

/* What a command may use, on top of its CPU time. */
#define LAUNCH_FILES_MAX     256
#define LAUNCH_FILE_SIZE_MAX (16 * 1024 * 1024)

#endif /* CLUSTER_COMMAND_LAUNCHER_H */
