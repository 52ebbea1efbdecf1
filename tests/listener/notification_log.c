// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A listener for YANG notifications, for topotests: `clusterd -M /PATH/OF/THIS`
 * logs each one as JSON, or what is wrong with it by its YANG module.  Nobody
 * listens otherwise: Debian's FRR is without sysrepo and gRPC.
 */
#include "cluster_compat.h"

#include <libyang/libyang.h>

#include "hook.h"
#include "libfrr.h"
#include "linklist.h"
#include "log.h"
#include "module.h"
#include "northbound.h"
#include "yang.h"

static int log_notification(const char *xpath, struct list *arguments)
{
	struct lyd_node *tree = NULL;
	const struct yang_data *data;
	struct listnode *node;
	char *text = NULL;
	LY_ERR err;

	err = lyd_new_path(NULL, ly_native_ctx, xpath, NULL, 0, &tree);
	for (ALL_LIST_ELEMENTS_RO(arguments, node, data)) {
		if (err == LY_SUCCESS)
			err = lyd_new_path(tree, ly_native_ctx, data->xpath,
					   data->value, 0, NULL);
	}
	if (err == LY_SUCCESS)
		err = lyd_validate_op(tree, NULL, LYD_TYPE_NOTIF_YANG, NULL);
	if (err == LY_SUCCESS)
		err = lyd_print_mem(&text, tree, LYD_JSON, LYD_PRINT_SHRINK);
	if (err == LY_SUCCESS)
		zlog_info("notification: %s", text);
	else
		zlog_err("bad notification: %s: %s", xpath,
			 ly_errmsg(ly_native_ctx));
	free(text);
	lyd_free_all(tree);
	return 0;
}

static int listener_init(void)
{
	hook_register(nb_notification_send, log_notification);
	return 0;
}

FRR_MODULE_SETUP(.name = "notification_log", .version = "0",
		 .description = "notifications in the log",
		 .init = listener_init);
