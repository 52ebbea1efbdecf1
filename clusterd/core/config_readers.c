// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "memory.h"

#include "core/config_readers.h"

#define TICKS(s) ((s)*1000U / CONFIG_READERS_TICK_MS)

DECLARE_MGROUP(CLUSTERD);
DEFINE_MTYPE_STATIC(CLUSTERD, READER, "Reader of a configuration file");

struct config_reader {
	struct config_reader_list_item item;
	int fd;
	ino_t socket;
};

DECLARE_DLIST(config_reader_list, struct config_reader, item);

static void reader_free(struct config_readers *readers,
			struct config_reader *reader)
{
	config_reader_list_del(&readers->list, reader);
	XFREE(MTYPE_READER, reader);
}

static struct config_reader *reader_find(struct config_readers *readers, int fd,
					 ino_t socket)
{
	struct config_reader *reader;

	frr_each (config_reader_list, &readers->list, reader)
		if (reader->fd == fd && reader->socket == socket)
			return reader;
	return NULL;
}

static bool silent(const struct config_readers *readers)
{
	return readers->silent_ticks >= TICKS(CONFIG_READERS_SILENT_S);
}

void config_readers_begin(struct config_readers *readers, int fd, ino_t socket,
			  uint32_t version)
{
	struct config_reader *reader;

	if (!config_readers_any(readers))
		readers->version = version;
	if (!reader_find(readers, fd, socket)) {
		reader = XCALLOC(MTYPE_READER, sizeof(*reader));
		reader->fd = fd;
		reader->socket = socket;
		config_reader_list_add_tail(&readers->list, reader);
	}
	config_readers_alive(readers, version);
}

bool config_readers_end(struct config_readers *readers, int fd, ino_t socket)
{
	struct config_reader *reader = reader_find(readers, fd, socket);

	if (!reader)
		return false;
	readers->has_all = true;
	reader_free(readers, reader);
	return true;
}

void config_readers_end_all(struct config_readers *readers)
{
	struct config_reader *reader;

	while ((reader = config_reader_list_first(&readers->list)))
		reader_free(readers, reader);
}

bool config_readers_look(struct config_readers *readers,
			 ino_t (*socket_of)(int fd))
{
	struct config_reader *reader;
	bool gone = false;

	frr_each_safe (config_reader_list, &readers->list, reader) {
		if (socket_of(reader->fd) == reader->socket)
			continue;
		reader_free(readers, reader);
		gone = true;
	}
	return gone;
}

enum config_readers_news config_readers_tick(struct config_readers *readers,
					     uint32_t version)
{
	bool half = config_readers_half(readers, version);

	if (!config_readers_any(readers))
		return CONFIG_READERS_NONE;
	readers->silent_ticks++;
	if (readers->silent_ticks >= TICKS(CONFIG_READERS_MAX_S)) {
		config_readers_end_all(readers);
		return CONFIG_READERS_LOST;
	}
	return half && silent(readers) ? CONFIG_READERS_SILENT
				       : CONFIG_READERS_NONE;
}

void config_readers_alive(struct config_readers *readers, uint32_t version)
{
	/* What was committed in the silence has been decided about. */
	if (silent(readers))
		readers->version = version;
	readers->silent_ticks = 0;
}

bool config_readers_any(const struct config_readers *readers)
{
	return config_reader_list_count(&readers->list) != 0;
}

bool config_readers_half(const struct config_readers *readers, uint32_t version)
{
	return config_readers_any(readers) && !silent(readers) &&
	       version != readers->version;
}
