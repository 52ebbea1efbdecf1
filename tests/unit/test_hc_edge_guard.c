// SPDX-License-Identifier: GPL-2.0-or-later
/* An edge whose hub is silent: its standby carries its sites in good time. */
#include "config.h"

#include "hc_edge_test.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

static bool guarded(void)
{
	struct hc_edge_self_view view;

	hc_edge_self_view(edge, &view);
	return view.guarded;
}

/* At hub 11, with the standby 12. */
static void begin(void)
{
	up(A);
	up(B);
	tell(A, 11, HC_WHY_ASSIGNED);
	tell(B, 11, HC_WHY_ASSIGNED);
	attach(11);
	place(A, 12, 1, HC_PLACE_STANDBY);
	quiet_us = now + S;
	did[0] = '\0';
}

static int64_t run(void)
{
	return hc_edge_run(edge, now);
}

/* Its hub's silence is long. */
static void silence(void)
{
	now = quiet_us;
	assert_int_equal(run(), now + HC_EDGE_GUARD_US);
}

static void heard(void)
{
	quiet_us = now + S;
}

static void test_heard_again(void **state)
{
	begin();
	assert_int_equal(run(), quiet_us);
	assert_did("");
	assert_false(guarded());
	silence();
	assert_did("guard 12");
	assert_true(guarded());
	/* It may be silent again before that. */
	heard();
	assert_int_equal(run(), quiet_us);
	silence();
	/* Once is enough. */
	run();
	attached(12, HC_VERDICT_OK);
	assert_did("");
	/* It stays attached for a while, and longer if there is silence again. */
	now += HC_EDGE_GUARD_US - 1;
	heard();
	assert_int_equal(run(), now + 1);
	silence();
	now += HC_EDGE_GUARD_US - 1;
	heard();
	run();
	assert_did("");
	now += 1;
	heard();
	assert_int_equal(run(), quiet_us);
	assert_did("detach 12");
	assert_false(guarded());
	assert_int_equal(state_now(), HC_EDGE_ATTACHED);
	/* And again. */
	silence();
	assert_did("guard 12");
}

/* A standby that doesn't take the edge isn't one, nor asked again and again. */
static void test_refused(void **state)
{
	begin();
	silence();
	assert_did("guard 12");
	attached(12, HC_VERDICT_FULL);
	assert_false(guarded());
	run();
	assert_did("");
	/* Later it may. */
	now += HC_EDGE_GUARD_US;
	heard();
	run();
	assert_did("");
	silence();
	assert_did("guard 12");
	assert_true(guarded());
}

/* The hub is dead: nothing is left to be done but the edge's own routes. */
static void test_dead(void **state)
{
	begin();
	silence();
	assert_did("guard 12");
	down(11);
	assert_did("routes 0, disconnect 11, connect 12");
	assert_false(guarded());
	run();
	attach(12);
	assert_did("attach 12, routes 12");
	/* New prefixes are told to it once, and to nobody else. */
	config.tunnel.n = 1;
	config.tunnel.list[0] = addr("10.0.0.1");
	hc_edge_config_set(edge, &config, now);
	assert_did("attach 12");
	/* It is its hub now, and isn't left. */
	now += HC_EDGE_GUARD_US;
	heard();
	run();
	assert_did("");
	hc_edge_free(&edge);
	assert_did("routes 0, detach 12, disconnect 12");
}

/* Another one than that it was attached to for this case. */
static void test_another_hub(void **state)
{
	begin();
	silence();
	place(A, 13, 1, HC_PLACE_STANDBY);
	run();
	assert_did("guard 12, place 13");
	down(11);
	assert_did("routes 0, disconnect 11, connect 13");
	/* Until then what comes back may come by it. */
	quiet_us = INT64_MAX;
	config.connect_ms = 2 * HC_EDGE_GUARD_US / 1000;
	hc_edge_config_set(edge, &config, now);
	now += HC_EDGE_GUARD_US;
	run();
	assert_did("");
	attach(13);
	assert_did("attach 13, routes 13, detach 12");
	/* A move ends it as well. */
	place(A, 12, 1, HC_PLACE_STANDBY);
	heard();
	silence();
	assert_did("place 12, guard 12");
	tell(A, 14, HC_WHY_AUTO);
	attach(14);
	assert_did(
		"connect 14, attach 14, routes 14, detach 12, detach 13, disconnect 13");
	/* On its way there anyway. */
	tell(A, 12, HC_WHY_AUTO);
	heard();
	silence();
	assert_did("connect 12");
	assert_false(guarded());
}

/* Who can't be used, or isn't there. */
static void test_no_standby(void **state)
{
	struct ctl_id peer = id(12);

	begin();
	/* None was named, or that which it has. */
	place(A, 0, 0, HC_PLACE_STANDBY);
	silence();
	place(A, 11, 1, HC_PLACE_STANDBY);
	run();
	assert_did("place 11");
	/* There is no session with it; with the next there is. */
	place(A, 12, 1, HC_PLACE_STANDBY);
	no_session = 12;
	run();
	assert_did("place 12");
	assert_false(guarded());
	no_session = 255;
	run();
	assert_did("guard 12");
	/* One that failed lately isn't tried. */
	down(12);
	tell(A, 12, HC_WHY_AUTO);
	attach(12);
	tell(A, 11, HC_WHY_AUTO);
	attach(11);
	tell(A, 12, HC_WHY_AUTO);
	down(12);
	run();
	hub_up(12);
	attached(12, HC_VERDICT_FULL);
	did[0] = '\0';
	run();
	assert_did("");
	assert_false(guarded());
	hub_up(12);
	run();
	assert_did("guard 12");
	/* It is told again what it asks for, and what changes. */
	hc_edge_full_state(edge, &peer);
	assert_did("guard 12");
	config.tunnel.n = 1;
	config.tunnel.list[0] = addr("10.0.0.1");
	hc_edge_config_set(edge, &config, now);
	assert_did("attach 11, guard 12");
	/* It goes: nothing is said to it. */
	hc_edge_gateway_up(edge, &peer, now);
	hc_edge_down(edge, &peer, HC_ROLE_GATEWAY, now);
	assert_true(guarded());
	down(12);
	assert_false(guarded());
	assert_did("");
	run();
	assert_did("guard 12");
	/* The end of the edge is the end of it. */
	hc_edge_free(&edge);
	assert_did("routes 0, detach 12, detach 11, disconnect 11");
}

/* It goes to who has its sites already, and says so before its tunnel is up. */
static void test_target_has_it(void **state)
{
	struct ctl_id peer = id(12);

	begin();
	silence();
	attached(12, HC_VERDICT_OK);
	down(11);
	did[0] = '\0';
	hc_edge_full_state(edge, &peer);
	assert_did("attach 12");
	/* Another session: it has nothing of us. */
	down(12);
	hc_edge_full_state(edge, &peer);
	assert_did("");
	attach(12);
	did[0] = '\0';
	/* One that has nothing, on the way to it. */
	tell(B, 13, HC_WHY_AUTO);
	tell(A, 13, HC_WHY_AUTO);
	did[0] = '\0';
	peer = id(13);
	hc_edge_full_state(edge, &peer);
	assert_did("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EDGE_TEST(test_heard_again), EDGE_TEST(test_refused),
		EDGE_TEST(test_dead),	     EDGE_TEST(test_another_hub),
		EDGE_TEST(test_no_standby),  EDGE_TEST(test_target_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
