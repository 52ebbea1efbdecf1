/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parties of a hub cluster say to each other, as items of the control
 * protocol (pure; constants only).  All numbers are big-endian.
 *
 *	node	 everybody to everybody: which parts I play
 *		  1 roles, 1 length of the name, name
 *	hub	 hub to gateway: I belong to this cluster
 *		  16 cluster, 4 tunnel capacity, 4 AS number (0: unknown),
 *		  2 port, addresses, 1 length of the model, model
 *	report	 hub to gateway
 *		  16 cluster, 1 flags, 2 processor, 2 memory (0.01 %), 4 tunnels,
 *		  4 routes
 *	edge	 edge to gateway: where I am, and perhaps a question
 *		  16 cluster, 1 flags, 4 token, 16 hub, 1 number, hubs that it
 *		  can't reach: 16 each
 *	assign	 gateway to edge: an answer or a move
 *		  16 cluster, 4 token, 4 sequence, 2 why, 16 hub, 2 port,
 *		  addresses
 *	attach	 edge to hub: carry my traffic, these are my prefixes
 *		  16 cluster, addresses (of the tunnel), 1 number, prefixes;
 *		  since 2: 1 flags
 *	attached hub to edge: whether it does
 *		  16 cluster, 2 verdict, 1 accepted, addresses (of the tunnel)
 *	detach	 edge to hub: no more
 *		  16 cluster
 *	place	 gateway to edge that follows it: where a hub is
 *		  16 cluster, 1 flags, 16 hub, 2 port, addresses (none: it is
 *		  gone)
 *
 *	addresses	1 number, each: 1 family (4 or 6), 4 or 16 octets
 *	prefix		1 family, 1 length, as many octets as the length needs
 *
 * An item says what is, not what changed, so it may come twice.  Zeroes are no
 * hub.
 *
 * How versions may differ: octets behind an item's fields are a newer version's,
 * and skipped; so are items of an unknown type.  Unknown flags and roles are
 * ignored, unknown reasons have no text.  Fields that are added stand behind the
 * others and may be missing: then they are 0, as an older version means it.
 *
 * An edge counts its questions to a gateway: the token.  The gateway repeats
 * the last that it has seen in whatever it assigns, so the edge knows what it
 * was decided on.  The sequence rises with each assignment to that edge that
 * is about the same question.
 *
 * History
 *	1	the first version
 *	2	attach: flags
 */
#ifndef HC_WIRE_H
#define HC_WIRE_H

enum hc_item {
	HC_ITEM_NODE = 512,
	HC_ITEM_HUB = 513,
	HC_ITEM_REPORT = 514,
	HC_ITEM_EDGE = 515,
	HC_ITEM_ASSIGN = 516,
	HC_ITEM_ATTACH = 517,
	HC_ITEM_ATTACHED = 518,
	HC_ITEM_DETACH = 519,
	HC_ITEM_PLACE = 520,
};
#define HC_ITEM_FIRST HC_ITEM_NODE
#define HC_ITEM_LAST  575 /* the rest of the range is for what comes */

/* node: roles */
#define HC_ROLE_GATEWAY 0x1
#define HC_ROLE_HUB	0x2
#define HC_ROLE_EDGE	0x4
#define HC_ROLES	0xff /* all, also those that are to come */

/* report: flags */
#define HC_REPORT_TUNNELS  0x1 /* the number of tunnels is known */
#define HC_REPORT_ROUTES   0x2 /* the number of routes is known */
#define HC_REPORT_DRAINING 0x4

/* edge: flags */
#define HC_EDGE_ASK	  0x1 /* which hub? */
#define HC_EDGE_PREFERRED 0x2 /* yours are the moves that count */
#define HC_EDGE_PLACES	  0x4 /* tell me of all hubs */

/* attach: flags */
#define HC_ATTACH_GUARD 0x1 /* just in case: it has another hub */

/* place: flags */
#define HC_PLACE_STANDBY 0x1 /* to be yours when you lose your own */

#define HC_ADDRESSES_MAX   4 /* of a hub, or of an end of a tunnel */
#define HC_UNREACHABLE_MAX 8
#define HC_PREFIXES_MAX	   50 /* of an edge: fits into an item */
#define HC_TEXT_LEN	   64 /* names and models, with the NUL */

/* attached: the verdict */
enum hc_verdict {
	HC_VERDICT_OK = 0,
	HC_VERDICT_CLUSTER = 1,	 /* not my cluster */
	HC_VERDICT_FULL = 2,	 /* too many edges */
	HC_VERDICT_ADDRESS = 3,	 /* the tunnel's address is another edge's */
	HC_VERDICT_STOPPING = 4, /* I don't take edges now */
};

#endif /* HC_WIRE_H */
