/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments and durations: microseconds of the monotonic clock (pure). */
#ifndef CLUSTER_TIME_H
#define CLUSTER_TIME_H

#include <stdint.h>

#define MS_US INT64_C(1000)
#define S_US  INT64_C(1000000)

/* The earlier one of two; INT64_MAX is never. */
static inline int64_t cluster_sooner(int64_t a_us, int64_t b_us)
{
	return a_us < b_us ? a_us : b_us;
}

#endif /* CLUSTER_TIME_H */
