// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks and conditions that what is announced gets while it is: they say
 * nothing yet, and withdraw nothing before they do.  Case 6's kind.
 */
#include "vip_env.h"

/* A new condition says nothing yet: what is announced isn't withdrawn for it. */
static void test_new_uplink(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_uplink_condition *uplink = vip_uplink_edit(&vip->uplink);

	uplink->routes = 2;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	assert_true(env.decide_at_us == env.now_us + 3000000);
	env.now_us += 2999999;
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env.n_learned = 2;
	env_decide();
	/* From now on it is known how many there are. */
	env.n_learned = 1;
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "uplink: too few routes learned by BGP in VRF default");
	assert_int_equal(env.deletes, 1);
	/* Who isn't announced waits for the answer. */
	vip->life_config.damping.flip_us = 0;
	env.zebra = CLUSTER_ZEBRA_DOWN;
	uplink->routes = 0;
	vip_changed(vip);
	env_decide();
	env.zebra = CLUSTER_ZEBRA_CONNECTED;
	uplink->routes = 2;
	vip_changed(vip);
	env_decide();
	assert_false(env_wants("192.0.2.1"));
}

/* zebra doesn't bring them: the condition counts. */
static void test_uplink_not_met(void **state)
{
	struct vip *vip = announced_vip();

	vip_uplink_edit(&vip->uplink)->routes = 2;
	vip_changed(vip);
	env_decide();
	env.now_us += 3000000;
	env_decide();
	assert_state(vip, VIP_DOWN,
		     "uplink: too few routes learned by BGP in VRF default");
}

static void test_new_uplink_probe(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_uplink_condition *uplink = vip_uplink_edit(&vip->uplink);
	const char *nobody = "0.0.0.0";

	vip->life_config.damping.flip_us = 0;
	env.unsettled = true;
	env_verdict("up", nobody, PROBE_DOWN);
	env.verdicts[env.n_verdicts - 1].addr = (struct ipaddr){};
	strlcpy(uplink->probe, "up", sizeof(uplink->probe));
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	/* Something else changes: it isn't new any more, and has no result. */
	vip->metric++;
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_ANNOUNCED, "");
	env.unsettled = false;
	env_decide();
	assert_state(vip, VIP_DOWN, "uplink: probe up is not up");
	/* Down by one probe it doesn't come up by another one without a result. */
	env.unsettled = true;
	env_verdict("up2", nobody, PROBE_DOWN);
	env.verdicts[env.n_verdicts - 1].addr = (struct ipaddr){};
	strlcpy(uplink->probe, "up2", sizeof(uplink->probe));
	vip_changed(vip);
	env_decide();
	assert_state(vip, VIP_DOWN, "uplink: probe up2 is not up");
}

/* The first probe of what is announced: up until it says otherwise. */
static void test_first_probe(void **state)
{
	struct vip *vip = announced_vip();
	struct vip_member *member = vip_members_first(&vip->members);

	vip->probe[0] = '\0';
	vip_changed(vip);
	env_decide();
	assert_true(vip->n_up == 2);
	env.unsettled = true;
	env_verdict("q", "198.51.100.1", PROBE_DOWN);
	env_verdict("q", "198.51.100.2", PROBE_DOWN);
	strlcpy(vip->probe, "q", sizeof(vip->probe));
	vip_changed(vip);
	env_decide();
	assert_true(vip->n_up == 2);
	assert_int_equal(env.deletes, 0);
	env.unsettled = false;
	env_decide();
	assert_true(vip->n_up == 0);
	assert_int_equal(member->why, VIP_WHY_PROBE_DOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENV_TEST(test_new_uplink),
		ENV_TEST(test_uplink_not_met),
		ENV_TEST(test_new_uplink_probe),
		ENV_TEST(test_first_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
