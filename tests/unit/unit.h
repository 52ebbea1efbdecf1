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

static inline struct ipaddr addr(const char *text)
{
	struct ipaddr ip = {};

	assert_int_equal(str2ipaddr(text, &ip), 0);
	return ip;
}

#endif /* TESTS_UNIT_H */
