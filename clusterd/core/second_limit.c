// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "core/second_limit.h"

bool second_limit_over(struct second_limit *limit, unsigned int most,
		       int64_t now_us, unsigned int *missed)
{
	int64_t second = now_us / 1000000;

	*missed = 0;
	if (second != limit->second) {
		if (limit->n > most)
			*missed = limit->n - most;
		limit->second = second;
		limit->n = 0;
	}
	return limit->n++ >= most;
}
