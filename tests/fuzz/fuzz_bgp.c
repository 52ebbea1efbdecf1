// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anything as an answer of bgpd's vty: the framing is the same in whatever
 * pieces it comes, no parser reads past the end, and nothing that was read gets
 * into the commands that are written.
 *
 * First octet: the length of the pieces, and whether the rest is a text only,
 * to which the end of an answer is added.
 */
#include <zebra.h>

#include <assert.h>

#include "memory.h"

#include "vip/bgp_map.h"
#include "vip/bgp_paths.h"
#include "vip/bgp_reply.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

#define NAME "CLUSTERD-x"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static enum bgp_reply_result feed(struct bgp_reply *reply, const char *bytes,
				  size_t len, size_t piece)
{
	enum bgp_reply_result result = BGP_REPLY_MORE;

	memset(reply, 0, sizeof(*reply));
	for (size_t at = 0; at < len && result == BGP_REPLY_MORE; at += piece)
		result = bgp_reply_feed(reply, bytes + at,
					len - at < piece ? len - at : piece);
	return result;
}

/* One of the lines that the plan makes of numbers and of what is wanted. */
static bool line_ours(const char *line)
{
	unsigned int seq;
	int end = 0;

	if (strchr(line, '\n'))
		return false;
	if (!strcmp(line, "match tag 84") || !strcmp(line, "match tag 85") ||
	    !strcmp(line, "set community graceful-shutdown"))
		return true;
	sscanf(line, "route-map " NAME " deny %u%n", &seq, &end);
	if (!end)
		sscanf(line, "route-map " NAME " permit %u%n", &seq, &end);
	if (!end)
		sscanf(line, "no route-map " NAME " deny %u%n", &seq, &end);
	if (!end)
		sscanf(line, "no route-map " NAME " permit %u%n", &seq, &end);
	return end && !line[end] && seq >= 1 && seq <= BGP_MAP_SEQ_MAX;
}

static void map_check(const char *text)
{
	static const struct bgp_nexthops none;
	struct bgp_script script = {};
	struct bgp_texts wanted = {};
	struct bgp_map map;
	char entry[BGP_MAP_TEXT_LEN];

	if (!bgp_map_parse(&map, text, NAME)) {
		assert(!map.n && !map.entries);
		return;
	}
	assert(bgp_map_same(&map, &map));
	bgp_texts_add(&wanted, bgp_entry_text(84, NULL, false, 0, &none, entry));
	bgp_texts_add(&wanted, bgp_entry_text(85, NULL, true, 0, &none, entry));
	bgp_texts_finish(&wanted);
	if (bgp_map_plan(&script, NAME, &wanted, NULL, &map, 1000)) {
		for (size_t i = 0; i < script.n; i++)
			assert(line_ours(script.lines[i]));
		/* Nothing to do: it is in step. */
		assert(script.n || (bgp_map_has_all(&map, &wanted) &&
				    bgp_map_has_only(&map, &wanted, NULL)));
	}
	bgp_script_clear(&script);
	bgp_texts_clear(&wanted);
	bgp_map_clear(&map);
}

static void printable(const char *text)
{
	for (; *text; text++)
		assert(*text >= ' ' && *text <= '~');
}

static void peers_check(const char *text)
{
	struct bgp_paths paths;
	struct bgp_peers peers;

	if (bgp_paths_parse(&paths, text, BGP_PATHS_MAX)) {
		assert(paths.n <= BGP_PATHS_MAX);
		for (size_t i = 0; i < paths.n; i++) {
			printable(paths.paths[i].from);
			printable(paths.paths[i].host);
			printable(paths.paths[i].nexthop);
			printable(paths.paths[i].as_path);
			printable(paths.paths[i].originator);
		}
		bgp_paths_clear(&paths);
	}
	if (bgp_peers_parse(&peers, text, BGP_PEERS_MAX)) {
		assert(peers.n <= BGP_PEERS_MAX);
		for (size_t i = 0; i < peers.n; i++) {
			printable(peers.peers[i].neighbor);
			printable(peers.peers[i].host);
			printable(peers.peers[i].state);
		}
		bgp_peers_clear(&peers);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bgp_reply at_once, in_pieces;
	enum bgp_reply_result result;
	size_t piece, size;
	char *bytes;
	bool text_only;

	if (!len)
		return 0;
	piece = (data[0] & 0x7f) + 1;
	text_only = data[0] & 0x80;
	len--;
	/* An allocation of exactly that size shows every read behind it. */
	size = text_only ? len + 4 : len;
	bytes = malloc(size ? size : 1);
	memcpy(bytes, data + 1, len);
	if (text_only)
		memset(bytes + len, 0, 4);

	result = feed(&at_once, bytes, size, size ? size : 1);
	/* What follows an answer is bad at once, and in pieces only later. */
	if (feed(&in_pieces, bytes, size, piece) == BGP_REPLY_DONE &&
	    result == BGP_REPLY_DONE) {
		assert(!strcmp(at_once.data, in_pieces.data));
		assert(at_once.status == in_pieces.status);
	} else if (result == BGP_REPLY_DONE) {
		abort();
	}
	if (result == BGP_REPLY_DONE) {
		assert(strlen(at_once.data) + 4 == size);
		map_check(at_once.data);
		peers_check(at_once.data);
	}
	bgp_reply_clear(&at_once);
	bgp_reply_clear(&in_pieces);
	free(bytes);
	return 0;
}
