// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "hook.h"

#include "cluster_oper.h"
#include "core/watchdog.h"

static struct yang_data *leaf_data(const char *xpath,
				   const struct cluster_oper_leaf *leaf)
{
	char number[24];

	if (leaf->text)
		return leaf->text[0] ? yang_data_new(xpath, leaf->text) : NULL;
	snprintf(number, sizeof(number), "%" PRIu64, leaf->number);
	return yang_data_new(xpath, number);
}

void cluster_oper_asked(void)
{
	watchdog_lenient();
}

struct yang_data *cluster_oper_data(const char *xpath,
				    const struct cluster_oper_leaf *leaves,
				    size_t n)
{
	const char *slash = strrchr(xpath, '/');

	cluster_oper_asked();
	for (size_t i = 0; slash && i < n; i++)
		if (strmatch(slash + 1, leaves[i].name))
			return leaf_data(xpath, &leaves[i]);
	return NULL;
}

const char *cluster_oper_wall(time_t at, char buf[CLUSTER_OPER_TIME_LEN])
{
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(buf, CLUSTER_OPER_TIME_LEN, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buf;
}

const char *cluster_oper_time(int64_t ago_us, char buf[CLUSTER_OPER_TIME_LEN])
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return cluster_oper_wall((now.tv_sec * INT64_C(1000000) + now.tv_usec -
				  ago_us) /
					 1000000,
				 buf);
}

bool cluster_oper_heard(void)
{
	return _hook_nb_notification_send.entries != NULL;
}

void cluster_oper_notify(const char *xpath,
			 const struct cluster_oper_leaf *leaves, size_t n)
{
	struct list *arguments;
	struct yang_data *data;
	char path[XPATH_MAXLEN];

	if (!cluster_oper_heard())
		return;
	arguments = yang_data_list_new();
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", xpath, leaves[i].name);
		data = leaf_data(path, &leaves[i]);
		if (data)
			listnode_add(arguments, data);
	}
	nb_notification_send(xpath, arguments);
}
