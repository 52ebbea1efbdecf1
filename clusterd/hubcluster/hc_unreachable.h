/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hubs that an edge couldn't reach lately, as it names them to its gateways
 * (pure).  One more than there is room for takes the place of the oldest.
 */
#ifndef HC_UNREACHABLE_H
#define HC_UNREACHABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/ctl_id.h"
#include "hubcluster/hc_wire.h"

struct hc_unreachable {
	uint8_t n;
	struct ctl_id hubs[HC_UNREACHABLE_MAX];
	int64_t until_us[HC_UNREACHABLE_MAX];
};

/* Named until then; again: until then instead. */
extern void hc_unreachable_add(struct hc_unreachable *list,
			       const struct ctl_id *hub, int64_t now_us,
			       int64_t until_us);
extern void hc_unreachable_del(struct hc_unreachable *list,
			       const struct ctl_id *hub);
/* True: some aren't named any more. */
extern bool hc_unreachable_expire(struct hc_unreachable *list, int64_t now_us);
/* When the next one is over, INT64_MAX: there is none. */
extern int64_t hc_unreachable_due(const struct hc_unreachable *list);
extern bool hc_unreachable_has(const struct hc_unreachable *list,
			       const struct ctl_id *hub);

#endif /* HC_UNREACHABLE_H */
