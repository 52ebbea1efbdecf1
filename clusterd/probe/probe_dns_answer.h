/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a DNS server's answer comes to (pure). c-ares reads the message, by
 * functions that do nothing else.
 */
#ifndef CLUSTER_PROBE_DNS_ANSWER_H
#define CLUSTER_PROBE_DNS_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "probe/probe_engine.h"

/*
 * What `msg`, `len` bytes of an answer to a query for records of `type`, comes
 * to: PROBE_PASS if a record is `wanted`, in capitals or not ("": if there is a
 * record; it is shorter than PROBE_DNS_ANSWER_LEN), else PROBE_RESPONSE. `detail` gets a text for people in printable
 * ASCII (other bytes become '?'): the record that was found, or the first one
 * and what was wanted.
 *
 * Returns c-ares' status. Unless it is ARES_SUCCESS there is no such record in
 * `msg`, or it can't be read: then the rest is left alone.
 */
extern int probe_dns_answer(enum probe_dns_type type, const char *wanted,
			    const uint8_t *msg, size_t len,
			    enum probe_result *result,
			    char detail[PROBE_DETAIL_LEN]);

#endif /* CLUSTER_PROBE_DNS_ANSWER_H */
