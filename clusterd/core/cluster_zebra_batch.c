// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many messages at a time, to zebra and from it.
 *
 * zclient makes a system call for each message that it sends, and for each that
 * it reads goes round the event loop: poll(), two read() and the loop's own
 * pipe.  That is most of what thousands of VIPs cost that go or come together,
 * and zebra waits for the same processors.  So route messages are collected
 * here and sent by few calls, and a handler that is called with a message takes
 * along what has come behind it.
 */
#include "cluster_compat.h"

#include <sys/socket.h>

#include "stream.h"

#include "core/cluster_zebra_private.h"

/* Some hundred routes; far less than a socket's buffer. */
#define BATCH_SIZE 32768

static struct stream *message, *batch;
static uint8_t arrived[BATCH_SIZE];

/* -- to zebra -- */

bool zebra_batch_add(struct zclient *zclient, uint8_t command,
		     struct zapi_route *route)
{
	if (zclient->sock < 0 || zapi_route_encode(command, message, route) < 0)
		return false;
	if (STREAM_WRITEABLE(batch) < stream_get_endp(message))
		zebra_batch_send(zclient);
	stream_put(batch, STREAM_DATA(message), stream_get_endp(message));
	return true;
}

void zebra_batch_send(struct zclient *zclient)
{
	struct stream *obuf = zclient->obuf;

	if (!stream_get_endp(batch))
		return;
	/* A failure ends the connection: who looks after that sends all again. */
	zclient->obuf = batch;
	zclient_send_message(zclient);
	zclient->obuf = obuf;
	stream_reset(batch);
}

bool zebra_batch_full(const struct zclient *zclient)
{
	return zclient->t_write != NULL;
}

/* -- from zebra -- */

/* A whole message at the start of `data`, whose command has a handler. */
static bool message_next(const struct zclient *zclient,
			 zclient_handler *const *handlers, size_t n_handlers,
			 const uint8_t *data, size_t len, struct zmsghdr *header)
{
	if (len < sizeof(*header))
		return false;
	memcpy(header, data, sizeof(*header));
	header->length = ntohs(header->length);
	header->vrf_id = ntohl(header->vrf_id);
	header->command = ntohs(header->command);
	/* What is wrong with a header zclient will find out, and say. */
	return header->marker == ZEBRA_HEADER_MARKER &&
	       header->version == ZSERV_VERSION &&
	       header->length >= sizeof(*header) && header->length <= len &&
	       header->length <= STREAM_SIZE(zclient->ibuf) &&
	       header->command < n_handlers && handlers[header->command];
}

void zebra_batch_take(struct zclient *zclient, zclient_handler *const *handlers,
		      size_t n_handlers)
{
	struct zmsghdr header;
	size_t len, end = 0;
	ssize_t got;

	if (zclient->sock < 0)
		return;
	got = recv(zclient->sock, arrived, sizeof(arrived),
		   MSG_PEEK | MSG_DONTWAIT);
	/* Its end or an error: zclient's next read meets it as well. */
	len = got > 0 ? (size_t)got : 0;
	while (message_next(zclient, handlers, n_handlers, &arrived[end],
			    len - end, &header))
		end += header.length;
	if (!end ||
	    recv(zclient->sock, arrived, end, MSG_DONTWAIT) != (ssize_t)end)
		return;

	/* A handler may end the connection. */
	for (size_t at = 0; at < end && zclient->sock >= 0;
	     at += header.length) {
		message_next(zclient, handlers, n_handlers, &arrived[at],
			     end - at, &header);
		/* What was in it has been dealt with; zclient clears it next. */
		stream_reset(zclient->ibuf);
		stream_put(zclient->ibuf, &arrived[at], header.length);
		stream_set_getp(zclient->ibuf, sizeof(header));
		handlers[header.command](header.command, zclient,
					 header.length - sizeof(header),
					 header.vrf_id);
	}
}

void zebra_batch_init(void)
{
	message = stream_new(ZEBRA_MAX_PACKET_SIZ);
	batch = stream_new(BATCH_SIZE);
}

void zebra_batch_fini(void)
{
	stream_free(message);
	stream_free(batch);
	message = batch = NULL;
}
