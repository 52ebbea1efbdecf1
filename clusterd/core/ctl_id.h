/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A logical ID: 128 random bits (UUID version 4) that identify a node, for
 * ever and everywhere; names are for people (pure).
 */
#ifndef CTL_ID_H
#define CTL_ID_H

#include <stdbool.h>
#include <stdint.h>

#define CTL_ID_LEN	16
#define CTL_ID_TEXT_LEN 37 /* 8-4-4-4-12 and the end */

struct ctl_id {
	uint8_t bytes[CTL_ID_LEN]; /* in the order of the text */
};

/* A total order: the text's. */
extern int ctl_id_cmp(const struct ctl_id *a, const struct ctl_id *b);
/* All zeroes: no ID. */
extern bool ctl_id_is_null(const struct ctl_id *id);
/* Accepts upper case; false (and `id` untouched) if it is no UUID. */
extern bool ctl_id_parse(const char *text, struct ctl_id *id);
/* Returns `text`, lower case. */
extern const char *ctl_id_format(const struct ctl_id *id,
				 char text[CTL_ID_TEXT_LEN]);

#endif /* CTL_ID_H */
