// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members that have the key and are mad: what was really sent, changed in any
 * way and signed again, between two nodes that go on working.  No crash, no
 * broken promise to a capability, no reply longer than what provoked it, and
 * at the end everything comes together again.
 */
#include <zebra.h>

#include "memory.h"

#include "../sim/sim_ctl_node.h"

DEFINE_MGROUP(CLUSTERD, "fuzz");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define KEPT	64
#define LONGEST 64 /* octets of input */
static struct {
	uint8_t buf[CTL_DATAGRAM_MAX];
	size_t len;
} kept[KEPT];
static size_t n_kept, longest;

static void keep(struct sim_ctl_world *world, uint32_t from, uint32_t to,
		 const uint8_t *buf, size_t len)
{
	size_t slot = n_kept++ % KEPT;

	memcpy(kept[slot].buf, buf, len);
	kept[slot].len = len;
	longest = MAX(longest, len);
}

/* Three octets of input a change: where, how, and to what. */
static void inject(struct sim_ctl_world *world, const uint8_t *in,
		   size_t changes, uint8_t which)
{
	uint8_t buf[CTL_DATAGRAM_MAX];
	size_t slot = which % MIN(n_kept, (size_t)KEPT);
	size_t len = kept[slot].len;
	uint32_t to = which >> 6 & 1;

	memcpy(buf, kept[slot].buf, len);
	for (; changes; changes--, in += 3) {
		size_t at = (in[0] | (in[1] & 0x3) << 8) % len;

		buf[at] = in[1] & 0x80 ? in[2] : buf[at] ^ in[2];
	}
	ctl_auth_sign(&world->keys[0].key, buf, len);
	longest = 0;
	sim_ctl_inject(world, !to, to, which >> 7, buf, len);
	if (longest > len)
		abort();
}

/* What the other's node says: it is heard, and hears us, since that time. */
static bool hears(struct sim_ctl_node *node, uint32_t other, int64_t since_us)
{
	struct ctl_peer_view view;

	if (!node->others[other].up)
		return false;
	ctl_peer_view(sim_ctl_peer(node, other), &view);
	for (unsigned int i = 0; i < view.n_links; i++)
		if (view.links[i].hears_us && view.links[i].heard_us > since_us)
			return true;
	return false;
}

/*
 * Most inputs do no lasting harm, and a few exchanges show it; virtual minutes
 * are for one input in 64 and for those that need them.
 */
static void come_together(struct sim_ctl_world *world, struct sim_ctl_node *a,
			  struct sim_ctl_node *b, bool thorough)
{
	int64_t since_us = sim_ctl_now(world);

	for (int s = 0; s < 120; s++) {
		if (!thorough && hears(a, 1, since_us) && hears(b, 0, since_us))
			return;
		sim_ctl_run(world, SIM_S);
	}
	if (!hears(a, 1, since_us) || !hears(b, 0, since_us))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sim_ctl_world *world;
	struct sim_ctl_node *a, *b;
	uint8_t sum = 0;

	/* More of it is only slower. */
	len = MIN(len, (size_t)LONGEST);
	for (size_t i = 0; i < len; i++)
		sum ^= data[i];
	world = sim_ctl_world_new(1);
	n_kept = 0;
	world->tap = keep;
	sim_net_default(world->net)->delay_us = SIM_MS;
	a = sim_ctl_start(world, 0);
	b = sim_ctl_start(world, 1);
	sim_ctl_dial(a, 1, 0);
	sim_ctl_run(world, 2 * SIM_MS);
	while (len >= 2) {
		size_t changes = data[1] & 0x7;

		sim_ctl_run(world, (data[1] >> 3) * (data[1] >> 3) * SIM_MS);
		sim_ctl_log(a, 1);
		sim_ctl_change(b, data[1] % SIM_CTL_ROWS);
		if (len < 2 + 3 * changes)
			break;
		inject(world, data + 2, changes, data[0]);
		data += 2 + 3 * changes;
		len -= 2 + 3 * changes;
	}
	/* Mad members may lie about their log; the rest must hold. */
	come_together(world, a, b, sum % 64 == 0);
	sim_ctl_world_free(&world);
	return 0;
}
