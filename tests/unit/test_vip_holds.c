// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vip.c: which probes, next hops and conditions a VIP holds, and what becomes of
 * it by them.
 */
#include "vip_env.h"

/* What nothing is configured for. */
static void test_defaults(void **state)
{
	const struct vip *vip = vip_add("web");
	const struct vip_life_config *life = &vip->life_config;
	const int64_t s = 1000000;

	assert_true(life->drain_us == 30 * s);
	assert_true(!life->fail_open && !life->drain && !life->drain_on_exit);
	assert_true(life->damping.hold_down_us == 0);
	assert_true(life->damping.flip_us == 5 * s);
	assert_true(life->damping.penalty == 1000);
	assert_true(life->damping.half_life_us == 60 * s);
	assert_true(life->damping.suppress == 3000);
	assert_true(life->damping.reuse == 750);
	assert_true(life->damping.max_us == 300 * s);
	assert_true(life->damping.slow_start_us == 0);
	assert_int_equal(vip->local_hold_ms, 1000);
	assert_int_equal(vip->min_up, 1);
	assert_int_equal(vip->tag, 84);
	assert_int_equal(vip->metric, 0);
	assert_int_equal(vip->distance, 15);
	assert_string_equal(vip->vrf, "default");
}

/* The uplink's condition, and what it holds. */
static void test_uplink(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_uplink_condition *uplink = vip_uplink_edit(&vip->uplink);

	vip->life_config.damping.flip_us = 0;
	uplink->routes = 2;
	vip_changed(vip);
	env.n_learned = 2;
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_int_equal(env_hold("learned", "default", &(struct ipaddr){})->count,
			 1);
	env.n_learned = 1;
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "uplink: too few routes learned by BGP in VRF default");
	assert_int_equal(env.deletes, 1);
	/* Another VRF: other routes. */
	strlcpy(vip->vrf, "red", sizeof(vip->vrf));
	vip_changed(vip);
	env_decide();
	assert_int_equal(env_hold("learned", "default", &(struct ipaddr){})->count,
			 0);
	assert_int_equal(env_hold("learned", "red", &(struct ipaddr){})->count,
			 1);

	strlcpy(uplink->probe, "up", sizeof(uplink->probe));
	uplink->routes = 0;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_DOWN, "uplink: probe up is not up");
	assert_int_equal(env_hold("learned", "red", &(struct ipaddr){})->count,
			 0);
	uplink->probe[0] = '\0';
	vip_changed(vip);
	env_decide();
	assert_true(vip->n_up == 2 && !vip->n_announced);
	assert_state(vip, VIP_PENDING,
		     "sent to zebra, which has not confirmed it");
}

/* Several probes: all, any, so many of them; their holds and reasons. */
static void test_several_probes(void **state)
{
	static const struct {
		uint8_t need;
		const char *verdicts; /* of a, b, c: Up, Down, - unknown */
		bool up;
		const char *why; /* of the first member */
	} rows[] = {
		{ 0, "UUU", true, "" },
		{ 0, "UDU", false, "probe b down: 3 x connection refused" },
		{ 0, "UUD", false, "probe c down: 3 x connection refused" },
		{ 0, "UU-", false, "probe p is not configured" },
		{ 0, "-UD", false, "probe c down: 3 x connection refused" },
		{ 1, "DDU", true, "" },
		{ 1, "U--", true, "" },
		{ 1, "DDD", false, "probe a down: 3 x connection refused" },
		{ 1, "D-D", false, "probe p is not configured" },
		{ 2, "UDU", true, "" },
		{ 2, "UDD", false, "probe b down: 3 x connection refused" },
		{ 2, "U-D", false, "probe p is not configured" },
		/* More than there are: all of them. */
		{ 9, "UUU", true, "" },
		{ 9, "UUD", false, "probe c down: 3 x connection refused" },
	};
	struct vip *vip = vip_add("web");
	struct vip_member *member = env_member(vip, "198.51.100.1");
	char why[VIP_WHY_LEN];

	env_address(vip, "192.0.2.1");
	vip->life_config.damping.off = true;
	vip->life_config.damping.flip_us = 0;
	strlcpy(vip->probe, "a", sizeof(vip->probe));
	vip_also_add(vip, "c");
	vip_also_add(vip, "b");
	assert_string_equal(vip_member_probes_text(member, why, sizeof(why)),
			    "a, b, c");
	env_decide();
	for (size_t i = 0; i < array_size(rows); i++) {
		for (size_t k = 0; k < 3; k++)
			env_verdict((const char *[]){ "a", "b", "c" }[k],
				    "198.51.100.1",
				    rows[i].verdicts[k] == 'U' ? PROBE_UP
				    : rows[i].verdicts[k] == 'D'
					    ? PROBE_DOWN
					    : PROBE_UNKNOWN);
		vip->probe_need = rows[i].need;
		env_decide();
		vip_member_why_text(member, why, sizeof(why));
		if ((vip->n_up == 1) != rows[i].up || strcmp(why, rows[i].why))
			print_error("row %zu: %s\n", i, why);
		assert_int_equal(vip->n_up, rows[i].up);
		assert_string_equal(why, rows[i].why);
	}

	/* A member's own probe is the only one. */
	strlcpy(member->probe, "own", sizeof(member->probe));
	env_verdict("own", "198.51.100.1", PROBE_UP);
	vip_changed(vip);
	env_decide();
	assert_int_equal(vip->n_up, 1);
	assert_int_equal(member->n_refs, 1);
	member->probe[0] = '\0';
	vip->probe[0] = '\0';
	vip_also_del(vip, "b");
	env_decide();
	assert_int_equal(member->n_refs, 1);
	assert_string_equal(vip_member_probe(member, 0), "c");
	vip_also_del(vip, "c");
	env_decide();
	assert_int_equal(member->n_refs, 0);
	assert_int_equal(vip->n_up, 1);
	assert_null(vip->also);
}

/* One more probe of a healthy member: up until that one says otherwise. */
static void test_one_more_probe(void **state)
{
	struct vip *vip = announced_vip();

	env.unsettled = true;
	env_verdict("q", "198.51.100.1", PROBE_DOWN);
	env_verdict("q", "198.51.100.2", PROBE_DOWN);
	vip_also_add(vip, "q");
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env.unsettled = false;
	env_decide();
	assert_int_equal(vip->n_up, 0);
}

/* Holds follow the configuration, and what stays is never let go. */
static void test_holds(void **state)
{
	struct vip *vip = announced_vip();
	struct ipaddr a1 = addr("198.51.100.1"), a2 = addr("198.51.100.2");
	struct ipaddr link_local = addr("fe80::1");
	struct env_hold *p1 = env_hold("p", "default", &a1);
	struct env_hold *n1 = env_hold("", "default", &a1);
	struct env_hold *q1 = env_hold("q", "default", &a1);
	struct vip_member *member = vip_member_find(vip, &a1);

	assert_int_equal(p1->count, 1);
	assert_int_equal(n1->count, 1);
	member->weight = 7;
	vip->min_up = 2;
	vip_changed(vip);
	env_decide();
	assert_int_equal(p1->count + n1->count, 2);
	assert_int_equal(p1->lost + n1->lost, 0);

	/* A probe of its own instead of the VIP's. */
	strlcpy(member->probe, "q", sizeof(member->probe));
	vip_changed(vip);
	env_decide();
	assert_int_equal(p1->count, 0);
	assert_int_equal(q1->count, 1);
	assert_int_equal(env_hold("p", "default", &a2)->count, 1);

	/* An interface: nothing for zebra to resolve. */
	strlcpy(member->ifname, "eth0", sizeof(member->ifname));
	vip_changed(vip);
	env_decide();
	assert_int_equal(n1->count, 0);
	member->ifname[0] = '\0';

	/* Another VRF: all of it moves. */
	strlcpy(vip->vrf, "red", sizeof(vip->vrf));
	vip_changed(vip);
	env_decide();
	assert_int_equal(env_hold("", "red", &a1)->count, 1);
	assert_int_equal(env_hold("", "red", &a2)->count, 1);
	assert_int_equal(env_hold("", "default", &a2)->count, 0);
	assert_int_equal(env_hold("q", "red", &a1)->count, 1);
	assert_int_equal(q1->count, 0);

	/* A link-local address is nothing to resolve either. */
	env_member(vip, "fe80::1");
	env_decide();
	assert_int_equal(env_hold("", "red", &link_local)->count, 0);
	assert_int_equal(env_hold("p", "red", &link_local)->count, 1);

	/* Two users of one; one leaves. */
	env_vip("other", "192.0.2.2", false);
	env_decide();
	vip_member_del(vip_member_find(vip, &a1));
	assert_int_equal(env_hold("", "red", &a1)->count, 0);
	assert_int_equal(env_hold("q", "red", &a1)->count, 0);
	assert_int_equal(n1->count, 1);
	vip_del(vip);
	vip_del(vip_find("other"));
	assert_true(env_no_holds());
}

/*
 * Another probe for a healthy member: up until that one says otherwise (case
 * 6); for a failed one: down until it has passed (case 5).
 */
static void test_other_probe(void **state)
{
	struct vip *vip = announced_vip();

	env_verdict("new", "198.51.100.1", PROBE_DOWN);
	env_verdict("new", "198.51.100.2", PROBE_DOWN);
	env_verdict("p", "198.51.100.2", PROBE_DOWN);
	env_decide();
	assert_int_equal(vip->n_up, 1);

	env.unsettled = true;
	strlcpy(vip->probe, "new", sizeof(vip->probe));
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_int_equal(vip->n_up, 1);
	/* Any other change of the VIP on the way there. */
	vip->tag = 7;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");

	/* It has decided: down. */
	env.unsettled = false;
	env_decide();
	assert_int_equal(vip->n_up, 0);

	/* A probe that isn't there keeps nobody up. */
	env_verdict("new", "198.51.100.1", PROBE_UP);
	env_decide();
	assert_int_equal(vip->n_up, 1);
	env.unsettled = true;
	strlcpy(vip->probe, "typo", sizeof(vip->probe));
	vip_changed(vip);
	env_decide();
	assert_int_equal(vip->n_up, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENV_TEST(test_defaults),       ENV_TEST(test_uplink),
		ENV_TEST(test_several_probes), ENV_TEST(test_one_more_probe),
		ENV_TEST(test_holds),	       ENV_TEST(test_other_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
