// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "core/silence.h"

#define SECOND_US INT64_C(1000000)

#define ASK_US (2 * SECOND_US)
/* Reading a full table takes zebra seconds. */
#define SILENT_US (10 * SECOND_US)
/* So long without a poll: it is we who had no time, its answer may lie there. */
#define ABSENT_US (2 * SECOND_US)

bool silence_poll(struct silence *silence, int64_t now_us)
{
	bool absent = now_us - silence->polled_us > ABSENT_US;
	bool silent = silence_us(silence, silence->polled_us) != 0;

	silence->polled_us = now_us;
	if (silence->asked_us) {
		if (absent && !silent)
			silence->asked_us = now_us;
		return false;
	}
	if (now_us < silence->next_us)
		return false;
	silence->next_us = now_us + ASK_US;
	silence->asked_us = now_us;
	return true;
}

bool silence_heard(struct silence *silence)
{
	bool asked = silence_asked(silence);

	silence->asked_us = 0;
	return asked;
}

void silence_lost(struct silence *silence)
{
	*silence = (struct silence){};
}

bool silence_asked(const struct silence *silence)
{
	return silence->asked_us != 0;
}

int64_t silence_us(const struct silence *silence, int64_t now_us)
{
	int64_t us = now_us - silence->asked_us;

	return silence->asked_us && us >= SILENT_US ? us : 0;
}
