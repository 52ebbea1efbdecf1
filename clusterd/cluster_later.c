// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include <fcntl.h>

#include "buffer.h"
#include "command.h"
#include "typesafe.h"

#include "cluster_later.h"
#include "clusterd.h"

DEFINE_MTYPE_STATIC(CLUSTERD, LATER, "Answer to a command, later");

/* Who doesn't read for so long gets no more. */
#define SEND_MAX_S 10

PREDECL_DLIST(laters);

struct cluster_later {
	struct laters_item item;
	int fd;
	struct buffer *out; /* NULL: there is no answer yet */
	struct event *t_write, *t_end;
};

DECLARE_DLIST(laters, struct cluster_later, item);

static struct laters_head laters = INIT_DLIST(laters);

static void later_free(struct cluster_later *later)
{
	laters_del(&laters, later);
	cluster_event_off(later->t_write);
	cluster_event_off(later->t_end);
	if (later->out)
		buffer_free(later->out);
	close(later->fd);
	XFREE(MTYPE_LATER, later);
}

struct cluster_later *cluster_later_new(struct vty *vty, const char **why)
{
	struct cluster_later *later;
	int fd;

	if (vty->type != VTY_SHELL_SERV) {
		*why = "this command works in vtysh only";
		return NULL;
	}
	if (laters_count(&laters) >= CLUSTER_LATER_MAX) {
		*why = "others are waiting for answers already: try again";
		return NULL;
	}
	fd = fcntl(vty->wfd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		*why = safe_strerror(errno);
		return NULL;
	}
	later = XCALLOC(MTYPE_LATER, sizeof(*later));
	later->fd = fd;
	laters_add_tail(&laters, later);
	return later;
}

static void send_some(struct event *event)
{
	struct cluster_later *later = EVENT_ARG(event);

	if (buffer_flush_available(later->out, later->fd) == BUFFER_PENDING)
		event_add_write(cluster_master, send_some, later, later->fd,
				&later->t_write);
	else
		later_free(later); /* it's all sent, or nobody is there */
}

static void give_up(struct event *event)
{
	later_free(EVENT_ARG(event));
}

void cluster_later_answer(struct cluster_later **laterp, const char *text,
			  uint8_t result)
{
	const uint8_t end[4] = { 0, 0, 0, result };
	struct cluster_later *later = *laterp;

	*laterp = NULL;
	later->out = buffer_new(0);
	buffer_putstr(later->out, text);
	buffer_put(later->out, end, sizeof(end));
	event_add_event(cluster_master, send_some, later, 0, &later->t_write);
	event_add_timer(cluster_master, give_up, later, SEND_MAX_S,
			&later->t_end);
}

void cluster_later_fini(void)
{
	struct cluster_later *later;

	while ((later = laters_first(&laters)))
		later_free(later);
}
