/* SPDX-License-Identifier: GPL-2.0-or-later */
/* So many a second, and not more: for what would flood a log (pure). */
#ifndef SECOND_LIMIT_H
#define SECOND_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct second_limit {
	int64_t second;
	unsigned int n; /* in that one */
};

/*
 * One more: is it over `most` of this second?  `missed`: how many were over it
 * in the second before, told once, with the first of another second.
 */
extern bool second_limit_over(struct second_limit *limit, unsigned int most,
			      int64_t now_us, unsigned int *missed);

#endif /* SECOND_LIMIT_H */
