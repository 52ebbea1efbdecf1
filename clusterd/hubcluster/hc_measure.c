// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hubcluster/hc_measure.h"

#define WHOLE 10000 /* 0.01 % */

bool hc_cpu_parse(const char *text, struct hc_cpu *cpu)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal = 0;
	/* What guests used is in `user` and `nice` already. */
	int n = sscanf(text,
		       "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		       " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		       &user, &nice, &system, &idle, &iowait, &irq, &softirq,
		       &steal);

	if (n < 7)
		return false;
	cpu->idle = idle + iowait;
	cpu->total = user + nice + system + idle + iowait + irq + softirq +
		     steal;
	return true;
}

uint16_t hc_cpu_busy(const struct hc_cpu *before, const struct hc_cpu *now)
{
	uint64_t total, idle = 0;

	if (now->total <= before->total)
		return HC_LOAD_UNKNOWN;
	total = now->total - before->total;
	/* The kernel's iowait can go back a little. */
	if (now->idle > before->idle)
		idle = now->idle - before->idle;
	if (idle > total)
		idle = total;
	return (uint16_t)((total - idle) * WHOLE / total);
}

bool hc_sample_due(const struct hc_sample *sample, int64_t interval_us,
		   int64_t now_us)
{
	return !sample->taken || now_us - sample->us >= interval_us * 3 / 4;
}

void hc_sample_take(struct hc_sample *sample, const char *text, int64_t now_us)
{
	struct hc_cpu now;

	/* The interval goes on until it can be read again. */
	if (!text || !hc_cpu_parse(text, &now)) {
		sample->cpu = HC_LOAD_UNKNOWN;
		return;
	}
	sample->cpu = hc_cpu_busy(&sample->times, &now);
	sample->times = now;
	sample->us = now_us;
	sample->taken = true;
}

/* The value of a line "NAME:  1234 kB". */
static bool meminfo_value(const char *text, const char *name, uint64_t *value)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (!strncmp(line, name, len) && line[len] == ':')
			return sscanf(line + len + 1, "%" SCNu64, value) == 1;
	}
	return false;
}

uint16_t hc_memory_used(const char *text)
{
	uint64_t total, available;

	if (!meminfo_value(text, "MemTotal", &total) ||
	    !meminfo_value(text, "MemAvailable", &available) || !total ||
	    available > total)
		return HC_LOAD_UNKNOWN;
	return (uint16_t)((total - available) * WHOLE / total);
}

bool hc_count_parse(const char *text, uint32_t *count)
{
	uint64_t value = 0;
	const char *p = text + strspn(text, " \t"), *digits = p;

	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (uint64_t)(*p - '0');
		if (value > UINT32_MAX)
			return false;
	}
	if (p == digits || p[strspn(p, " \t")])
		return false;
	*count = (uint32_t)value;
	return true;
}

void hc_source_good(struct hc_source *source, uint32_t value)
{
	*source = (struct hc_source){ .value = value, .known = true };
}

void hc_source_bad(struct hc_source *source)
{
	if (source->failed < HC_SOURCE_INTERVALS)
		source->failed++;
	if (source->failed == HC_SOURCE_INTERVALS)
		source->known = false;
}
