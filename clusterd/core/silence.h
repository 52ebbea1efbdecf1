/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When to ask somebody for a sign of life, and for how long none has come (pure; the
 * clock is the caller's).
 */
#ifndef SILENCE_H
#define SILENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroes to begin with. */
struct silence {
	int64_t next_us;   /* to be asked then */
	int64_t asked_us;  /* 0: answered */
	int64_t polled_us; /* when there was somebody to hear an answer */
};

/* To be called at least every second; true: ask now. */
extern bool silence_poll(struct silence *silence, int64_t now_us);
/* The answer has come; true: one was awaited. */
extern bool silence_heard(struct silence *silence);
/* There is nobody to be asked any more. */
extern void silence_lost(struct silence *silence);
extern bool silence_asked(const struct silence *silence);
/* For how long it hasn't answered, if that is too long; 0: it does. */
extern int64_t silence_us(const struct silence *silence, int64_t now_us);

#endif /* SILENCE_H */
