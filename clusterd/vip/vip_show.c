// SPDX-License-Identifier: GPL-2.0-or-later
/* `show cluster vip`. */
#include "cluster_compat.h"

#include "command.h"
#include "lib/json.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_sched.h"
#include "vip/vip_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/vip/vip_show_clippy.c"
#endif

static void json_since(struct json_object *json, const struct vip_since *since,
		       int64_t now_us)
{
	json_object_int_add(json, "sinceMsec", (now_us - since->us) / 1000);
}

static void json_address(struct json_object *json, const char *key,
			 const struct ipaddr *addr)
{
	char text[INET6_ADDRSTRLEN];

	json_object_string_add(json, key, ipaddr2str(addr, text, sizeof(text)));
}

static struct json_object *member_json(const struct vip_member *member,
				       int64_t now_us)
{
	struct json_object *json = json_object_new_object();
	char why[VIP_WHY_LEN], probes[VIP_PROBES_LEN];

	json_address(json, "address", &member->addr);
	if (member->ifname[0])
		json_object_string_add(json, "interface", member->ifname);
	json_object_int_add(json, "weight", member->weight);
	if (vip_member_probes_text(member, probes, sizeof(probes))[0])
		json_object_string_add(json, "probe", probes);
	if (member->drain)
		json_object_boolean_true_add(json, "drain");
	json_object_string_add(json, "state",
			       member->why == VIP_WHY_OK ? "up" : "down");
	json_object_string_add(json, "why",
			       vip_member_why_text(member, why, sizeof(why)));
	json_since(json, &member->since, now_us);
	return json;
}

static struct json_object *address_json(const struct vip_address *address,
					int64_t now_us)
{
	struct json_object *json = json_object_new_object();
	struct vip_address_life life;
	char why[VIP_WHY_LEN];

	vip_address_life(address, &life);
	json_address(json, "address", &address->addr);
	json_object_string_add(json, "state", vip_state_name(address->state));
	json_object_string_add(json, "why",
			       vip_address_why_text(address, why, sizeof(why)));
	json_since(json, &address->since, now_us);
	json_object_int_add(json, "nexthops", address->n_nexthops);
	json_object_int_add(json, "penalty", life.penalty);
	json_object_int_add(json, "weightTenths", life.weight);
	if (bgp_look(address) != BGP_SEEN_UNKNOWN)
		json_object_boolean_add(json, "inBgp",
					bgp_look(address) == BGP_SEEN_YES);
	if (life.left_us)
		json_object_int_add(json, "leftMsec", life.left_us / 1000);
	if (address->vip->local)
		json_object_string_add(json, "localRoute",
				       local_status_name(
					       vip_local_status(address, NULL)));
	return json;
}

uint32_t vip_route_tag(const struct vip *vip, bool *made)
{
	const struct vip_attributes *attributes = vip->attributes;
	uint32_t tag = vip->tag;

	/* Changed attributes wait for bgpd. */
	if (vip->announced.valid) {
		attributes = vip->announced.attributes;
		tag = vip->announced.tag;
	}
	*made = !vip_attributes_empty(attributes);
	return vip_policy_tag(attributes, tag, &VIP_PHASE_NORMAL);
}

static void drain_file_json(struct json_object *json,
			    const struct vip_drain_file *file)
{
	if (!file)
		return;
	json_object_string_add(json, "drainFile", vip_drain_file_path(file));
	json_object_boolean_add(json, "drainFileExists",
				vip_drain_file_exists(file));
	if (vip_drain_file_error(file))
		json_object_string_add(json, "drainFileError",
				       safe_strerror(vip_drain_file_error(file)));
}

static struct json_object *vip_json(struct vip *vip, int64_t now_us)
{
	struct json_object *json = json_object_new_object();
	struct json_object *members = json_object_new_array();
	struct json_object *addresses = json_object_new_array();
	struct vip_member *member;
	struct vip_address *address;
	char why[VIP_WHY_LEN];
	bool open = false, made;

	json_object_string_add(json, "vrf", vip->vrf);
	json_object_string_add(json, "state", vip_state_name(vip->state));
	json_object_string_add(json, "why", vip_why_text(vip, why, sizeof(why)));
	json_object_int_add(json, "since", vip->since.wall);
	json_since(json, &vip->since, now_us);
	json_object_int_add(json, "tag", vip->tag);
	json_object_int_add(json, "routeTag", vip_route_tag(vip, &made));
	json_object_int_add(json, "metric", vip->metric);
	json_object_int_add(json, "distance", vip->distance);
	json_object_int_add(json, "minUp", vip->min_up);
	json_object_boolean_add(json, "local", vip->local);
	if (vip->local)
		json_object_int_add(json, "localHoldMsec", vip->local_hold_ms);
	drain_file_json(json, vip->drain_file);
	if (vip->probe[0])
		json_object_string_add(json, "probe", vip->probe);
	frr_each (vip_members, &vip->members, member)
		json_object_array_add(members, member_json(member, now_us));
	json_object_object_add(json, "members", members);
	frr_each (vip_addresses, &vip->addresses, address) {
		json_object_array_add(addresses, address_json(address, now_us));
		open |= address->reason.why == VIP_WHY_FAIL_OPEN;
	}
	json_object_boolean_add(json, "failOpen", open);
	json_object_object_add(json, "addresses", addresses);
	return json;
}

static void show_line(struct vty *vty, struct vip *vip, int name_width,
		      int64_t now_us)
{
	char since[32], up[24], announced[24], why[VIP_WHY_LEN];

	cluster_uptime(vip->since.us, now_us, since, sizeof(since));
	snprintf(up, sizeof(up), "%u/%zu", vip->n_up,
		 vip_members_count(&vip->members));
	snprintf(announced, sizeof(announced), "%u/%zu", vip->n_announced,
		 vip_addresses_count(&vip->addresses));
	vip_why_text(vip, why, sizeof(why));
	vty_out(vty, "%-*s  %-9s  %-9s  %7s  %9s  %s\n", name_width, vip->name,
		vip_state_name(vip->state), since, up, announced,
		why[0] ? why : "-");
}

static void show_table(struct vty *vty, int64_t now_us)
{
	int name_width = strlen("VIP");
	struct vip *vip;

	if (!vips_count(&vips)) {
		vty_out(vty, "No VIPs are configured.\n");
		return;
	}
	frr_each (vips, &vips, vip)
		if ((int)strlen(vip->name) > name_width)
			name_width = strlen(vip->name);
	vty_out(vty, "%-*s  %-9s  %-9s  %7s  %9s  %s\n", name_width, "VIP",
		"State", "Since", "Members", "Addresses", "Why");
	frr_each (vips, &vips, vip)
		show_line(vty, vip, name_width, now_us);
}

static void show_member(struct vty *vty, const struct vip_member *member,
			int64_t now_us)
{
	char since[32], why[VIP_WHY_LEN], probes[VIP_PROBES_LEN];

	cluster_uptime(member->since.us, now_us, since, sizeof(since));
	vip_member_why_text(member, why, sizeof(why));
	vty_out(vty, "  Member %pIA: %s for %s, weight %u", &member->addr,
		member->why == VIP_WHY_OK ? "up" : "down", since,
		member->weight);
	if (member->ifname[0])
		vty_out(vty, ", interface %s", member->ifname);
	if (vip_member_probes_text(member, probes, sizeof(probes))[0])
		vty_out(vty, ", probe %s", probes);
	vty_out(vty, "\n");
	if (why[0])
		vty_out(vty, "    %s\n", why);
}

static void show_address(struct vty *vty, const struct vip_address *address,
			 int64_t now_us)
{
	struct vip_address_life life;
	char since[32], why[VIP_WHY_LEN];

	cluster_uptime(address->since.us, now_us, since, sizeof(since));
	vip_address_why_text(address, why, sizeof(why));
	vip_address_life(address, &life);
	vty_out(vty, "  Address %pIA: %s for %s, ", &address->addr,
		vip_state_name(address->state), since);
	if (address->vip->local)
		vty_out(vty, "local route %s%s",
			local_status_name(vip_local_status(address, NULL)),
			vip_local_for_check(address) ? " for the check" : "");
	else
		vty_out(vty, "%u next hop%s", address->n_nexthops,
			address->n_nexthops == 1 ? "" : "s");
	if (life.penalty)
		vty_out(vty, ", penalty %u", life.penalty);
	if (life.weight < VIP_RAMP_FULL)
		vty_out(vty, ", weight %u/%u", life.weight, VIP_RAMP_FULL);
	vty_out(vty, "\n");
	if (why[0])
		vty_out(vty, "    %s\n", why);
}

static void show_drain_file(struct vty *vty, const struct vip_drain_file *file)
{
	int error;

	if (!file)
		return;
	error = vip_drain_file_error(file);
	vty_out(vty, "  Drains while %s exists: %s%s\n",
		vip_drain_file_path(file),
		vip_drain_file_exists(file) ? "it does" : "it doesn't",
		error ? ", as far as is known" : "");
	if (error)
		vty_out(vty, "    it can't be looked for: %s\n",
			safe_strerror(error));
}

static void show_detail(struct vty *vty, struct vip *vip, int64_t now_us)
{
	struct vip_member *member;
	struct vip_address *address;
	char since[32], why[VIP_WHY_LEN], probes[VIP_PROBES_LEN] = "";
	bool made;
	uint32_t tag = vip_route_tag(vip, &made);

	cluster_uptime(vip->since.us, now_us, since, sizeof(since));
	vip_why_text(vip, why, sizeof(why));
	vty_out(vty, "VIP %s: %s for %s\n", vip->name,
		vip_state_name(vip->state), since);
	if (why[0])
		vty_out(vty, "  %s\n", why);
	vty_out(vty, "  VRF %s, tag %u%s, metric %u, distance %u, ", vip->vrf,
		tag, made ? " (made of its attributes)" : "", vip->metric,
		vip->distance);
	address = vip_addresses_first(&vip->addresses);
	if (address && address->service)
		vip_member_probes_text(address->service, probes, sizeof(probes));
	if (vip->local)
		vty_out(vty, "local, held for %u ms%s%s", vip->local_hold_ms,
			probes[0] ? ", probe " : "", probes);
	else
		vty_out(vty, "min-up %u", vip->min_up);
	vty_out(vty, "%s\n", vip->life_config.fail_open ? ", fail-open" : "");
	show_drain_file(vty, vip->drain_file);
	frr_each (vip_addresses, &vip->addresses, address)
		show_address(vty, address, now_us);
	frr_each (vip_members, &vip->members, member)
		show_member(vty, member, now_us);
}

static int show_json(struct vty *vty, struct vip *one, int64_t now_us)
{
	struct json_object *json = json_object_new_object();
	struct vip *vip;

	frr_each (vips, &vips, vip)
		if (!one || one == vip)
			json_object_object_add(json, vip->name,
					       vip_json(vip, now_us));
	return vty_json(vty, json);
}

DEFPY (show_cluster_vip,
       show_cluster_vip_cmd,
       "show cluster vip [NAME$name] [json$json]",
       SHOW_STR
       CLUSTER_STR
       "Virtual IP addresses\n"
       "Name of the VIP\n"
       JSON_STR)
{
	struct vip *vip = name ? vip_find(name) : NULL;
	int64_t now_us = cluster_now_us();

	if (json && name && !vip)
		return vty_json(vty, json_object_new_object());
	if (json)
		return show_json(vty, vip, now_us);
	if (name && !vip) {
		vty_out(vty, "%% VIP %s is not configured\n", name);
		return CMD_WARNING;
	}
	if (vip)
		show_detail(vty, vip, now_us);
	else
		show_table(vty, now_us);
	return CMD_SUCCESS;
}

void vip_show_init(void)
{
	install_element(VIEW_NODE, &show_cluster_vip_cmd);
}
