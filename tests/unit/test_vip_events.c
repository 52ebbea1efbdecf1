// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * However a configuration came about, in whatever order the lines, verdicts
 * and next hops changed and decisions were made in between: the same routes,
 * states and holds as if it had been there from the start.  And whatever zebra
 * says of routes meanwhile: a report gives the states that a decision would.
 */
#include "vip_env.h"

#define VIPS	  4
#define MEMBERS	  5
#define ADDRESSES 5

static const char *const vip_names[VIPS] = { "a", "b", "c", "d" };
static const char *const vrf_names[] = { "default", "default", "red", "blue" };
static const char *const probe_names[] = { "", "", "p", "q" };
static const char *const if_names[] = { "", "", "eth0", "eth1" };
static const char *const member_ips[MEMBERS] = {
	"198.51.100.1", "198.51.100.2", "192.0.2.1", "2001:db8::10", "fe80::1",
};
static const char *const address_ips[ADDRESSES] = {
	"192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2",
};

/* A configuration and its surroundings, as indices into the lists above. */
struct model {
	struct model_vip {
		bool present, shutdown;
		uint8_t vrf, probe, tag, min_up;
		struct {
			bool present;
			uint8_t ifname, probe, weight;
		} members[MEMBERS];
		bool addresses[ADDRESSES];
	} vips[VIPS];
	uint8_t verdicts[MEMBERS][4]; /* of probe_names */
	bool unresolved[MEMBERS];
	bool eth1_down, blue_missing, zebra_down;
};

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	/* xorshift32 */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static void random_vip(struct model_vip *vip)
{
	memset(vip, 0, sizeof(*vip));
	vip->present = random_below(4) > 0;
	vip->shutdown = random_below(6) == 0;
	vip->vrf = random_below(4);
	vip->probe = random_below(4);
	vip->tag = 1 + random_below(3);
	vip->min_up = 1 + random_below(2);
	for (size_t i = 0; i < MEMBERS; i++) {
		vip->members[i].present = random_below(2);
		vip->members[i].ifname = random_below(4);
		vip->members[i].probe = random_below(4);
		vip->members[i].weight = 1 + random_below(2);
	}
	for (size_t i = 0; i < ADDRESSES; i++)
		vip->addresses[i] = random_below(3) == 0;
}

static void random_model(struct model *model)
{
	for (size_t i = 0; i < VIPS; i++)
		random_vip(&model->vips[i]);
	for (size_t i = 0; i < MEMBERS; i++) {
		for (size_t k = 0; k < array_size(probe_names); k++)
			model->verdicts[i][k] = random_below(3)
							? PROBE_UP
							: random_below(3);
		model->unresolved[i] = random_below(6) == 0;
	}
	model->eth1_down = random_below(2);
	model->blue_missing = random_below(2);
	model->zebra_down = random_below(12) == 0;
}

/* -- bringing the real objects to a model -- */

static void apply_member(struct vip *vip, const struct model_vip *model,
			 size_t i)
{
	struct ipaddr ip = addr(member_ips[i]);
	struct vip_member *member = vip_member_find(vip, &ip);

	if (!model->members[i].present) {
		if (member)
			vip_member_del(member);
		return;
	}
	if (!member)
		member = vip_member_add(vip, &ip);
	strlcpy(member->ifname, if_names[model->members[i].ifname],
		sizeof(member->ifname));
	strlcpy(member->probe, probe_names[model->members[i].probe],
		sizeof(member->probe));
	member->weight = model->members[i].weight;
	vip_changed(vip);
}

static void apply_address(struct vip *vip, const struct model_vip *model,
			  size_t i)
{
	struct ipaddr ip = addr(address_ips[i]);
	struct vip_address *address = vip_address_find(vip, &ip);

	if (model->addresses[i] && !address)
		vip_address_add(vip, &ip);
	if (!model->addresses[i] && address)
		vip_address_del(address);
}

static void apply_leaves(struct vip *vip, const struct model_vip *model)
{
	strlcpy(vip->vrf, vrf_names[model->vrf], sizeof(vip->vrf));
	strlcpy(vip->probe, probe_names[model->probe], sizeof(vip->probe));
	vip->tag = model->tag;
	vip->min_up = model->min_up;
	vip->shutdown = model->shutdown;
	/* Without these a history would matter. */
	vip->life_config.drain_us = 0;
	vip->life_config.damping.flip_us = 0;
	vip->life_config.damping.off = true;
	vip_changed(vip);
}

/* One step out of STEPS; all of them, in any order, make the model. */
#define VIP_STEPS (1 + MEMBERS + ADDRESSES)
#define STEPS	  (VIPS * VIP_STEPS + MEMBERS + 1)

static void apply_surroundings(const struct model *model)
{
	env.n_unresolved = 0;
	for (size_t i = 0; i < MEMBERS; i++)
		if (model->unresolved[i])
			env.unresolved[env.n_unresolved++] = addr(member_ips[i]);
	strlcpy(env.interface_down, model->eth1_down ? "eth1" : "",
		sizeof(env.interface_down));
	strlcpy(env.vrf_missing, model->blue_missing ? "blue" : "",
		sizeof(env.vrf_missing));
	env.zebra = model->zebra_down ? CLUSTER_ZEBRA_DOWN
				      : CLUSTER_ZEBRA_CONNECTED;
	if (model->zebra_down)
		route_table_disconnected(env.routes, NULL, env.now_us);
}

static void apply_step(const struct model *model, unsigned int step)
{
	const struct model_vip *model_vip;
	struct vip *vip;

	if (step == STEPS - 1) {
		apply_surroundings(model);
		return;
	}
	if (step >= VIPS * VIP_STEPS) {
		step -= VIPS * VIP_STEPS;
		for (size_t k = 2; k < array_size(probe_names); k++)
			env_verdict(probe_names[k], member_ips[step],
				    model->verdicts[step][k]);
		return;
	}
	model_vip = &model->vips[step / VIP_STEPS];
	vip = vip_find(vip_names[step / VIP_STEPS]);
	step %= VIP_STEPS;
	if (!model_vip->present) {
		if (vip)
			vip_del(vip);
		return;
	}
	if (!vip)
		vip = vip_add(vip_names[model_vip - model->vips]);
	if (step == 0)
		apply_leaves(vip, model_vip);
	else if (step <= MEMBERS)
		apply_member(vip, model_vip, step - 1);
	else
		apply_address(vip, model_vip, step - 1 - MEMBERS);
}

/* All steps in random order; decisions in between now and then. */
static void apply_model(const struct model *model, bool decisions)
{
	unsigned int order[STEPS];

	for (unsigned int i = 0; i < STEPS; i++)
		order[i] = i;
	for (unsigned int i = STEPS; decisions && i > 1; i--) {
		unsigned int k = random_below(i), swap = order[k];

		order[k] = order[i - 1];
		order[i - 1] = swap;
	}
	for (unsigned int i = 0; i < STEPS; i++) {
		apply_step(model, order[i]);
		if (decisions && random_below(5) == 0)
			env_decide();
	}
}

/* -- what came out -- */

static char *world_text(void)
{
	char why[VIP_WHY_LEN], line[VIP_WHY_LEN + 128], *text = NULL;
	struct vip_member *member;
	struct vip_address *address;
	struct vip *vip;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "%s", env.routes_text);
	frr_each (vips, &vips, vip) {
		fprintf(f, "%s: %s: %s; %u up, %u announced\n", vip->name,
			vip_state_name(vip->state),
			vip_why_text(vip, why, sizeof(why)), vip->n_up,
			vip->n_announced);
		frr_each (vip_members, &vip->members, member) {
			snprintfrr(line, sizeof(line), " %pIA: %d: %s\n",
				   &member->addr, member->why,
				   vip_member_why_text(member, why,
						       sizeof(why)));
			fprintf(f, "%s", line);
		}
		frr_each (vip_addresses, &vip->addresses, address) {
			snprintfrr(line, sizeof(line), " %pIA: %s: %s (%u)\n",
				   &address->addr,
				   vip_state_name(address->state),
				   vip_address_why_text(address, why,
							sizeof(why)),
				   address->n_nexthops);
			fprintf(f, "%s", line);
		}
	}
	fclose(f);
	return text;
}

static int text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *holds_text(void)
{
	char *lines[ENV_MAX], line[256], *text = NULL;
	size_t n = 0, len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < env.n_holds; i++) {
		const struct env_hold *hold = &env.holds[i];

		if (!hold->count)
			continue;
		snprintfrr(line, sizeof(line), "%s %s %pIA x %u", hold->probe,
			   hold->vrf, &hold->addr, hold->count);
		lines[n++] = strdup(line);
	}
	qsort(lines, n, sizeof(lines[0]), text_cmp);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s\n", lines[i]);
		free(lines[i]);
	}
	fclose(f);
	return text;
}

static void test_any_history(void **state)
{
	size_t n_routes = 0;

	for (uint32_t round = 1; round <= 400; round++) {
		struct model model, other;
		char *world, *holds, *got;

		/* Straight from nothing. */
		seed = round * 2654435761u;
		random_model(&model);
		assert_int_equal(env_setup(state), 0);
		apply_model(&model, false);
		env_decide();
		world = world_text();
		holds = holds_text();
		n_routes += env.routes_text[0] != '\0';
		assert_int_equal(env_teardown(state), 0);

		/* By way of two other configurations. */
		assert_int_equal(env_setup(state), 0);
		for (int i = 0; i < 2; i++) {
			random_model(&other);
			apply_model(&other, true);
		}
		apply_model(&model, true);
		env_decide();
		got = world_text();
		if (strcmp(world, got))
			print_error("round %u\n%s\nnot\n%s\n", round, got,
				    world);
		assert_string_equal(world, got);
		free(got);
		got = holds_text();
		if (strcmp(holds, got))
			print_error("round %u\n%s\nnot\n%s\n", round, got,
				    holds);
		assert_string_equal(holds, got);
		free(got);
		assert_int_equal(env_teardown(state), 0);
		free(world);
		free(holds);
	}
	/* The configurations were worth looking at. */
	assert_true(n_routes > 100);
}

/* zebra says something of some route. */
static void random_note(void)
{
	struct cluster_route_key key =
		env_key(address_ips[random_below(ADDRESSES)]);

	strlcpy(key.vrf, vrf_names[random_below(array_size(vrf_names))],
		sizeof(key.vrf));
	env_notify_key(&key, random_below(ROUTE_NOTE_REMOVED + 1));
}

/*
 * Configurations half applied, notes, decisions and reports in any order.  With
 * the same seed the same, but for the reports.  What becomes of it in the end.
 */
static char *notes_text(uint32_t round, bool reports, size_t *n_told)
{
	struct model model;
	char *text, *got;

	seed = round * 2654435761u;
	random_model(&model);
	apply_model(&model, false);
	env_decide();
	for (int i = 0; i < 40; i++) {
		switch (random_below(6)) {
		case 0:
			random_model(&model);
			apply_step(&model, random_below(STEPS - 1));
			break;
		case 1:
			env_decide();
			break;
		case 2:
			/* An objects' life ends while a report is due. */
			if (random_below(8) == 0 && vips_count(&vips))
				vip_del(vips_first(&vips));
			break;
		default:
			random_note();
			break;
		}
		if (reports && random_below(3) == 0)
			env_report();
		else if (!reports)
			random_below(3);
	}
	env_decide();
	for (int i = 0; i < 8; i++)
		random_note();
	*n_told += env.report_wishes;
	if (reports) {
		/* Nothing but notes since the decision. */
		env_report();
		text = world_text();
		env_decide();
		got = world_text();
		assert_string_equal(text, got);
		free(got);
	} else {
		env_decide();
		text = world_text();
	}
	return text;
}

static void test_reports(void **state)
{
	size_t n_told = 0;

	for (uint32_t round = 1; round <= 400; round++) {
		char *texts[2];

		for (int reports = 0; reports < 2; reports++) {
			assert_int_equal(env_setup(state), 0);
			texts[reports] = notes_text(round, reports, &n_told);
			assert_int_equal(env_teardown(state), 0);
		}
		if (strcmp(texts[0], texts[1]))
			print_error("round %u\n%s\nnot\n%s\n", round, texts[1],
				    texts[0]);
		assert_string_equal(texts[0], texts[1]);
		free(texts[0]);
		free(texts[1]);
	}
	/* Something was said. */
	assert_true(n_told > 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_any_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
