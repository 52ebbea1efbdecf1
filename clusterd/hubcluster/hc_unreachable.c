// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "hubcluster/hc_unreachable.h"

static void drop(struct hc_unreachable *list, uint8_t i)
{
	uint8_t last = --list->n;

	list->hubs[i] = list->hubs[last];
	list->until_us[i] = list->until_us[last];
}

void hc_unreachable_del(struct hc_unreachable *list, const struct ctl_id *hub)
{
	for (uint8_t i = 0; i < list->n; i++)
		if (!ctl_id_cmp(&list->hubs[i], hub)) {
			drop(list, i);
			return;
		}
}

bool hc_unreachable_expire(struct hc_unreachable *list, int64_t now_us)
{
	uint8_t before = list->n;

	for (uint8_t i = list->n; i-- > 0;)
		if (list->until_us[i] <= now_us)
			drop(list, i);
	return list->n != before;
}

int64_t hc_unreachable_due(const struct hc_unreachable *list)
{
	int64_t due_us = INT64_MAX;

	for (uint8_t i = 0; i < list->n; i++)
		if (list->until_us[i] < due_us)
			due_us = list->until_us[i];
	return due_us;
}

bool hc_unreachable_has(const struct hc_unreachable *list,
			const struct ctl_id *hub)
{
	for (uint8_t i = 0; i < list->n; i++)
		if (!ctl_id_cmp(&list->hubs[i], hub))
			return true;
	return false;
}

void hc_unreachable_add(struct hc_unreachable *list, const struct ctl_id *hub,
			int64_t now_us, int64_t until_us)
{
	uint8_t oldest = 0;

	hc_unreachable_expire(list, now_us);
	hc_unreachable_del(list, hub);
	if (list->n == HC_UNREACHABLE_MAX) {
		for (uint8_t i = 1; i < list->n; i++)
			if (list->until_us[i] < list->until_us[oldest])
				oldest = i;
		drop(list, oldest);
	}
	list->hubs[list->n] = *hub;
	list->until_us[list->n++] = until_us;
}
