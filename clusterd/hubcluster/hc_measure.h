/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a hub measures of itself (pure: the texts of /proc are handed in).
 *
 * Spec: hub-cluster.md, "Tunnel count and capacity".
 */
#ifndef HC_MEASURE_H
#define HC_MEASURE_H

#include "hubcluster/hc_decide.h"

/* Processor time since the start of the system, of all processors. */
struct hc_cpu {
	uint64_t idle, total;
};
/* From /proc/stat; false if it isn't what it should be. */
extern bool hc_cpu_parse(const char *text, struct hc_cpu *cpu);
/* Of the time between two readings, 0.01 %; HC_LOAD_UNKNOWN if none passed. */
extern uint16_t hc_cpu_busy(const struct hc_cpu *before,
			    const struct hc_cpu *now);

/*
 * The processor's load over one interval after the other: what is asked for out
 * of turn, in the first three quarters of one, doesn't end it.  The first is
 * over all the time since the system's start.
 */
struct hc_sample {
	bool taken;
	int64_t us; /* when */
	struct hc_cpu times;
	uint16_t cpu; /* 0.01 %, or HC_LOAD_UNKNOWN */
};
extern bool hc_sample_due(const struct hc_sample *sample, int64_t interval_us,
			  int64_t now_us);
/* `text`: /proc/stat; NULL: it can't be read. */
extern void hc_sample_take(struct hc_sample *sample, const char *text,
			   int64_t now_us);

/* From /proc/meminfo: what isn't available, 0.01 %, or HC_LOAD_UNKNOWN. */
extern uint16_t hc_memory_used(const char *text);

/*
 * A number of tunnels, as a command writes it: digits, blanks around them. False
 * for anything else.
 */
extern bool hc_count_parse(const char *text, uint32_t *count);

/*
 * A number from a source that may fail: the last one counts for some intervals
 * more, then it is unknown; never 0.
 */
#define HC_SOURCE_INTERVALS 3

struct hc_source {
	uint32_t value;
	bool known;
	uint8_t failed; /* in a row */
};
extern void hc_source_good(struct hc_source *source, uint32_t value);
extern void hc_source_bad(struct hc_source *source);

#endif /* HC_MEASURE_H */
