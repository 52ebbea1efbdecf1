/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Worlds of VIPs for the tests of the decision: snapshots built by hand. */
#ifndef TESTS_UNIT_VIP_WORLD_H
#define TESTS_UNIT_VIP_WORLD_H

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "vip/vip_decide.h"

struct test_vip {
	struct vip_in in;
	char name[VIP_NAME_LEN];
	struct vip_damping_config damping;
	struct vip_life life;
	size_t members_max, addresses_max;
	struct vip_member_in *members;
	struct ipaddr *addresses;
	struct vip_local_in *locals; /* parallel */
};

#define WORLD_MAX (VIP_MAX + 16)

struct world {
	struct test_vip *vips[WORLD_MAX];
	const struct vip_in *snapshot[WORLD_MAX];
	size_t n_vips;
	int64_t now_us;
	struct vip_plan *plan;
};

static inline struct test_vip *add_vip(struct world *world, const char *name)
{
	struct test_vip *vip = calloc(1, sizeof(*vip));

	assert_true(world->n_vips < WORLD_MAX);
	strlcpy(vip->name, name, sizeof(vip->name));
	vip->in.name = vip->name;
	vip->in.vrf = "default";
	vip->in.vrf_ready = vip->in.vrf_known = true;
	vip->in.tag = 84;
	vip->in.distance = 115;
	vip->in.min_up = 1;
	vip->in.drain_us = VIP_DRAIN_DEFAULT_US;
	vip->damping = (struct vip_damping_config)VIP_DAMPING_DEFAULTS;
	vip->in.damping = &vip->damping;
	vip->in.life = &vip->life;
	world->vips[world->n_vips] = vip;
	world->snapshot[world->n_vips++] = &vip->in;
	return vip;
}

static inline void add_address(struct test_vip *vip, struct ipaddr addr)
{
	if (vip->in.n_addresses == vip->addresses_max) {
		vip->addresses_max = vip->addresses_max * 2 + 4;
		vip->addresses =
			realloc(vip->addresses,
				vip->addresses_max * sizeof(*vip->addresses));
		vip->in.addresses = vip->addresses;
		vip->locals = realloc(vip->locals,
				      vip->addresses_max * sizeof(*vip->locals));
		vip->in.locals = vip->locals;
	}
	vip->locals[vip->in.n_addresses] = (struct vip_local_in){
		.probe = VIP_PROBE_NONE,
		.status = LOCAL_SET,
	};
	vip->addresses[vip->in.n_addresses++] = addr;
}

/* A member that counts. */
static inline struct vip_member_in *add_member(struct test_vip *vip,
					       struct ipaddr addr)
{
	struct vip_member_in *member;

	if (vip->in.n_members == vip->members_max) {
		vip->members_max = vip->members_max * 2 + 4;
		vip->members = realloc(vip->members,
				       vip->members_max * sizeof(*vip->members));
		vip->in.members = vip->members;
	}
	member = &vip->members[vip->in.n_members++];
	memset(member, 0, sizeof(*member));
	member->addr = addr;
	member->weight = 1;
	member->reachable = true;
	return member;
}

static inline int world_setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	world->plan = vip_plan_new();
	*state = world;
	return 0;
}

static inline void world_clear(struct world *world)
{
	for (size_t i = 0; i < world->n_vips; i++) {
		free(world->vips[i]->members);
		free(world->vips[i]->addresses);
		free(world->vips[i]->locals);
		free(world->vips[i]);
	}
	world->n_vips = 0;
}

static inline int world_teardown(void **state)
{
	struct world *world = *state;

	world_clear(world);
	vip_plan_free(&world->plan);
	assert_null(world->plan);
	vip_plan_free(&world->plan);
	free(world);
	return 0;
}

/* As if nothing had been before. */
static inline void decide(struct world *world)
{
	vip_decide(world->plan, world->snapshot, world->n_vips, world->now_us);
	assert_int_equal(world->plan->n_vips, world->n_vips);
}

/* One decision after the other: what VIPs remember goes on. */
static inline void live(struct world *world)
{
	decide(world);
	for (size_t i = 0; i < world->n_vips; i++) {
		const struct vip_out *out = &world->plan->vips[i];
		struct test_vip *vip = world->vips[i];

		vip->life = out->life;
		for (size_t k = 0; out->dampings && k < vip->in.n_addresses; k++)
			vip->locals[k].damping = out->dampings[k];
	}
}

static inline const struct vip_out *out(struct world *world, size_t vip)
{
	return &world->plan->vips[vip];
}

static inline struct ipaddr v4(uint32_t addr)
{
	struct ipaddr ipaddr = { .ipa_type = IPADDR_V4 };

	ipaddr.ipaddr_v4.s_addr = htonl(addr);
	return ipaddr;
}

#define NET_MEMBERS   0xc6336400 /* 198.51.100.0 */
#define NET_ADDRESSES 0x0a000000

/* What the rules M1..M7 say, written down once more. */
static inline enum vip_why member_expected(bool is_vip, bool link_local,
					   bool ifname, bool vrf, bool drain,
					   enum vip_probe_state probe,
					   bool reachable)
{
	return is_vip			    ? VIP_WHY_IS_VIP
	       : link_local && !ifname	    ? VIP_WHY_LINK_LOCAL
	       : !vrf			    ? VIP_WHY_VRF
	       : drain			    ? VIP_WHY_MEMBER_DRAIN
	       : probe == VIP_PROBE_UNKNOWN ? VIP_WHY_PROBE_UNKNOWN
	       : probe == VIP_PROBE_DOWN    ? VIP_WHY_PROBE_DOWN
	       : reachable		    ? VIP_WHY_OK
	       : ifname			    ? VIP_WHY_INTERFACE
					    : VIP_WHY_UNRESOLVED;
}

#define WORLD_TEST(name)                                                       \
	cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

#endif /* TESTS_UNIT_VIP_WORLD_H */
