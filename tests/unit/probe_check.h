/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks by a type alone, without the engine. */
#ifndef TESTS_UNIT_PROBE_CHECK_H
#define TESTS_UNIT_PROBE_CHECK_H

#include "probe/probe_type.h"
#include "probe_loop.h"

#define WAIT_S 20

struct checked {
	struct probe_check check;
	bool done;
	bool event;
	int unsent; /* errno; 0 */
	enum probe_result result;
	int64_t rtt_us;
	char detail[PROBE_DETAIL_LEN];
};

void probe_check_done(struct probe_check *check, enum probe_result result,
		      int64_t rtt_us, const char *detail)
{
	struct checked *c = container_of(check, struct checked, check);

	assert_false(c->done);
	assert_null(check->state);
	c->done = true;
	c->result = result;
	c->rtt_us = rtt_us;
	strlcpy(c->detail, detail, sizeof(c->detail));
}

void probe_check_unsent(struct probe_check *check, int err, const char *detail)
{
	container_of(check, struct checked, check)->unsent = err;
	probe_check_done(check, PROBE_LOCAL, -1, detail);
}

void probe_check_event(struct probe_check *check)
{
	container_of(check, struct checked, check)->event = true;
}

static inline void check_start(struct checked *c, const struct probe_type *type,
			       const struct probe_config *config,
			       const char *target_text)
{
	struct ipaddr target = addr(target_text);

	c->done = c->event = false;
	c->unsent = 0;
	c->check.type = type;
	c->check.name = "test";
	type->start(&c->check, config, "default", &target);
}

static inline void check_run(struct checked *c, const struct probe_type *type,
			     const struct probe_config *config,
			     const char *target_text)
{
	check_start(c, type, config, target_text);
	assert_true(loop_until(&c->done, WAIT_S));
}

#endif /* TESTS_UNIT_PROBE_CHECK_H */
