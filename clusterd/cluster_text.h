/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that can be values of the configuration (pure): what the YANG models
 * take, and what FRR's command line reads back when it was written.
 */
#ifndef CLUSTER_TEXT_H
#define CLUSTER_TEXT_H

#include <stdbool.h>

/*
 * UTF-8 without control characters.  libyang refuses others, or takes them and
 * can't show them: it depends on its version.
 */
extern bool cluster_text_valid(const char *text);

/* FRR would take what follows a | at the end of a word for a filter. */
extern bool cluster_text_filters(const char *text);

#endif /* CLUSTER_TEXT_H */
