/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cmocka wants to be included before it, and addresses from text. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ipaddr.h"

/* cmocka 2 deprecates assert_in_range(), cmocka 1 has nothing else. */
#define assert_between(value, least, most)                                     \
	assert_true((value) >= (least) && (value) <= (most))

static inline struct ipaddr addr(const char *text)
{
	struct ipaddr ip = {};

	assert_int_equal(str2ipaddr(text, &ip), 0);
	return ip;
}

#endif /* TESTS_UNIT_H */
