// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/daemon_start.h"

/* Fields of /proc/PID/stat, counted as in proc(5). */
#define STAT_AFTER_NAME 3
#define STAT_STARTTIME	22

uint64_t daemon_start_parse(const char *stat, const char *name)
{
	const char *open = strchr(stat, '(');
	/* A name may hold anything, a parenthesis too. */
	const char *close = strrchr(stat, ')');
	size_t len = strlen(name);
	const char *field;
	uint64_t start;

	if (!open || !close || (size_t)(close - open) != len + 1 ||
	    strncmp(open + 1, name, len))
		return 0;
	field = close + 1;
	for (int n = STAT_AFTER_NAME; field && *field && n < STAT_STARTTIME; n++)
		field = strchr(field + 1, ' ');
	if (!field || sscanf(field, " %" SCNu64, &start) != 1)
		return 0;
	return start;
}

/* The first line of a file; false without one. */
static bool read_line(const char *path, char *line, size_t len)
{
	FILE *file = fopen(path, "re");
	bool ok;

	if (!file)
		return false;
	ok = fgets(line, (int)len, file) != NULL;
	fclose(file);
	return ok;
}

uint64_t daemon_start(const char *folder, const char *name)
{
	char path[PATH_MAX], line[1024];
	unsigned int pid;

	snprintf(path, sizeof(path), "%s/%s.pid", folder, name);
	if (!read_line(path, line, sizeof(line)) ||
	    sscanf(line, "%u", &pid) != 1)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (!read_line(path, line, sizeof(line)))
		return 0;
	return daemon_start_parse(line, name);
}
