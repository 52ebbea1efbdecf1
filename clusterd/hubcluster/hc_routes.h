/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routes that a hub has learned by BGP, of one VRF and family, less those
 * of sibling hubs' sites (pure).
 *
 * zebra tells of routes as they come and go, again for each change of one, and
 * not when it has told all that there are.  So the prefixes are kept, and not
 * a number; and after the beginning the number is unknown until nothing came
 * for a second, or three seconds have passed.  An unknown number is never
 * taken for a loss.
 *
 * Sites of siblings come from the LAN as well.  They carry the uplink
 * community, which a route-map turns into a tag, since zebra tells no
 * communities; a change of the tag is a change of the route.
 */
#ifndef HC_ROUTES_H
#define HC_ROUTES_H

#include "hubcluster/hc_codec.h"

struct hc_routes;

/* What a hub keeps of each family. */
#define HC_ROUTES_MAX 4000000

#define HC_ROUTES_QUIET_US  INT64_C(1000000)
#define HC_ROUTES_SETTLE_US INT64_C(3000000)

/*
 * Unknown until hc_routes_begin().  More than `max` aren't kept; the number is
 * then that, at least.
 */
extern struct hc_routes *hc_routes_new(size_t max);
extern void hc_routes_free(struct hc_routes **routes);

/* zebra begins to tell: of all from now on. */
extern void hc_routes_begin(struct hc_routes *routes, int64_t now_us);
/* zebra is away, or the VRF is: nothing is known. */
extern void hc_routes_end(struct hc_routes *routes);
/* Routes with this tag don't count; 0: all do. */
extern void hc_routes_exclude(struct hc_routes *routes, uint32_t tag);

extern void hc_routes_add(struct hc_routes *routes,
			  const struct hc_prefix *prefix, uint32_t tag,
			  int64_t now_us);
extern void hc_routes_del(struct hc_routes *routes,
			  const struct hc_prefix *prefix, int64_t now_us);

/* False: it isn't known.  `count` may be NULL. */
extern bool hc_routes_count(const struct hc_routes *routes, int64_t now_us,
			    uint32_t *count);
/* When it will be known, INT64_MAX if it is or can't be. */
extern int64_t hc_routes_due(const struct hc_routes *routes, int64_t now_us);

#endif /* HC_ROUTES_H */
