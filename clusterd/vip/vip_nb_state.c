// SPDX-License-Identifier: GPL-2.0-or-later
/* Northbound of the VIPs: operational data, and the notification. */
#include "cluster_compat.h"

#include "cluster_oper.h"
#include "clusterd.h"
#include "vip/vip_nb.h"
#include "vip/vip_private.h"

/* XPath: /frr-clusterd-vip:cluster-vips/vip */
const void *vip_get_next(struct nb_cb_get_next_args *args)
{
	/* The entries are ours, the northbound calls them const. */
	struct vip *vip = (struct vip *)args->list_entry;

	cluster_oper_asked();
	return vip ? vips_next(&vips, vip) : vips_first(&vips);
}

int vip_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct vip *vip = args->list_entry;

	args->keys->num = 1;
	strlcpy(args->keys->key[0], vip->name, sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *vip_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	return vip_find(args->keys->key[0]);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member */
const void *vip_member_get_next(struct nb_cb_get_next_args *args)
{
	struct vip *vip = (struct vip *)args->parent_list_entry;
	struct vip_member *member = (struct vip_member *)args->list_entry;

	if (!vip)
		return NULL;
	return member ? vip_members_next(&vip->members, member)
		      : vip_members_first(&vip->members);
}

int vip_member_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct vip_member *member = args->list_entry;

	args->keys->num = 1;
	ipaddr2str(&member->addr, args->keys->key[0],
		   sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *vip_member_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	struct ipaddr addr;

	if (str2ipaddr(args->keys->key[0], &addr))
		return NULL;
	return vip_member_find((struct vip *)args->parent_list_entry, &addr);
}

static struct yang_data *data_time(const char *xpath,
				   const struct vip_since *since)
{
	char text[CLUSTER_OPER_TIME_LEN];

	return yang_data_new_string(xpath, cluster_oper_wall(since->wall, text));
}

/*
 * FRR 8.4 finds no list entry for a path that goes on below one, as in
 * `show yang operational-data .../vip[name='x']/state`, and calls with NULL.
 */

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/state/status */
struct yang_data *vip_member_state_status(struct nb_cb_get_elem_args *args)
{
	const struct vip_member *member = args->list_entry;

	if (!member)
		return NULL;
	return yang_data_new_string(args->xpath,
				    member->why == VIP_WHY_OK ? "up" : "down");
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/state/why */
struct yang_data *vip_member_state_why(struct nb_cb_get_elem_args *args)
{
	char why[VIP_WHY_LEN];

	if (!args->list_entry)
		return NULL;
	return yang_data_new_string(args->xpath,
				    vip_member_why_text(args->list_entry, why,
							sizeof(why)));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/state/last-change */
struct yang_data *vip_member_state_last_change(struct nb_cb_get_elem_args *args)
{
	const struct vip_member *member = args->list_entry;

	if (!member)
		return NULL;
	return data_time(args->xpath, &member->since);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/member/state/probes */
struct yang_data *vip_member_state_probes(struct nb_cb_get_elem_args *args)
{
	char probes[VIP_PROBES_LEN];

	if (!args->list_entry ||
	    !vip_member_probes_text(args->list_entry, probes, sizeof(probes))[0])
		return NULL;
	return yang_data_new_string(args->xpath, probes);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/status */
struct yang_data *vip_state_status(struct nb_cb_get_elem_args *args)
{
	const struct vip *vip = args->list_entry;

	if (!vip)
		return NULL;
	return yang_data_new_string(args->xpath, vip_state_name(vip->state));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/why */
struct yang_data *vip_state_why(struct nb_cb_get_elem_args *args)
{
	struct vip *vip = (struct vip *)args->list_entry;
	char why[VIP_WHY_LEN];

	if (!vip)
		return NULL;
	return yang_data_new_string(args->xpath,
				    vip_why_text(vip, why, sizeof(why)));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/last-change */
struct yang_data *vip_state_last_change(struct nb_cb_get_elem_args *args)
{
	const struct vip *vip = args->list_entry;

	if (!vip)
		return NULL;
	return data_time(args->xpath, &vip->since);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/fail-open */
struct yang_data *vip_state_fail_open(struct nb_cb_get_elem_args *args)
{
	struct vip *vip = (struct vip *)args->list_entry;
	struct vip_address *address;
	bool open = false;

	if (!vip)
		return NULL;
	frr_each (vip_addresses, &vip->addresses, address)
		open |= address->reason.why == VIP_WHY_FAIL_OPEN;
	return yang_data_new_bool(args->xpath, open);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/route-tag */
struct yang_data *vip_state_route_tag(struct nb_cb_get_elem_args *args)
{
	bool made;

	if (!args->list_entry)
		return NULL;
	return yang_data_new_uint32(args->xpath,
				    vip_route_tag(args->list_entry, &made));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/drain-file-exists */
struct yang_data *vip_state_drain_file_exists(struct nb_cb_get_elem_args *args)
{
	const struct vip *vip = args->list_entry;

	if (!vip || !vip->drain_file)
		return NULL;
	return yang_data_new_bool(args->xpath,
				  vip_drain_file_exists(vip->drain_file));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/drain-file-error */
struct yang_data *vip_state_drain_file_error(struct nb_cb_get_elem_args *args)
{
	const struct vip *vip = args->list_entry;

	if (!vip || !vip->drain_file || !vip_drain_file_error(vip->drain_file))
		return NULL;
	return yang_data_new_string(args->xpath,
				    safe_strerror(vip_drain_file_error(
					    vip->drain_file)));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address */
const void *vip_address_get_next(struct nb_cb_get_next_args *args)
{
	struct vip *vip = (struct vip *)args->parent_list_entry;
	struct vip_address *address = (struct vip_address *)args->list_entry;

	if (!vip)
		return NULL;
	return address ? vip_addresses_next(&vip->addresses, address)
		       : vip_addresses_first(&vip->addresses);
}

int vip_address_get_keys(struct nb_cb_get_keys_args *args)
{
	const struct vip_address *address = args->list_entry;

	args->keys->num = 1;
	ipaddr2str(&address->addr, args->keys->key[0],
		   sizeof(args->keys->key[0]));
	return NB_OK;
}

const void *vip_address_lookup_entry(struct nb_cb_lookup_entry_args *args)
{
	struct ipaddr addr;

	if (str2ipaddr(args->keys->key[0], &addr))
		return NULL;
	return vip_address_find((struct vip *)args->parent_list_entry, &addr);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/address */
struct yang_data *vip_address_state_address(struct nb_cb_get_elem_args *args)
{
	const struct vip_address *address = args->list_entry;
	char text[INET6_ADDRSTRLEN];

	if (!address)
		return NULL;
	return yang_data_new_string(args->xpath, ipaddr2str(&address->addr,
							    text, sizeof(text)));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/status */
struct yang_data *vip_address_state_status(struct nb_cb_get_elem_args *args)
{
	const struct vip_address *address = args->list_entry;

	if (!address)
		return NULL;
	return yang_data_new_string(args->xpath, vip_state_name(address->state));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/why */
struct yang_data *vip_address_state_why(struct nb_cb_get_elem_args *args)
{
	char why[VIP_WHY_LEN];

	if (!args->list_entry)
		return NULL;
	return yang_data_new_string(args->xpath,
				    vip_address_why_text(args->list_entry, why,
							 sizeof(why)));
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/last-change */
struct yang_data *vip_address_state_last_change(struct nb_cb_get_elem_args *args)
{
	const struct vip_address *address = args->list_entry;

	if (!address)
		return NULL;
	return data_time(args->xpath, &address->since);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/nexthops */
struct yang_data *vip_address_state_nexthops(struct nb_cb_get_elem_args *args)
{
	const struct vip_address *address = args->list_entry;

	if (!address)
		return NULL;
	return yang_data_new_uint16(args->xpath, address->n_nexthops);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/penalty */
struct yang_data *vip_address_state_penalty(struct nb_cb_get_elem_args *args)
{
	struct vip_address_life life;

	if (!args->list_entry)
		return NULL;
	vip_address_life(args->list_entry, &life);
	return yang_data_new_uint32(args->xpath, life.penalty);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/in-bgp */
struct yang_data *vip_address_state_in_bgp(struct nb_cb_get_elem_args *args)
{
	enum bgp_seen seen = args->list_entry ? bgp_look(args->list_entry)
					      : BGP_SEEN_UNKNOWN;

	if (seen == BGP_SEEN_UNKNOWN)
		return NULL;
	return yang_data_new_bool(args->xpath, seen == BGP_SEEN_YES);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/weight-tenths */
struct yang_data *vip_address_state_weight(struct nb_cb_get_elem_args *args)
{
	struct vip_address_life life;

	if (!args->list_entry)
		return NULL;
	vip_address_life(args->list_entry, &life);
	return yang_data_new_uint8(args->xpath, life.weight);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/left */
struct yang_data *vip_address_state_left(struct nb_cb_get_elem_args *args)
{
	struct vip_address_life life;

	if (!args->list_entry)
		return NULL;
	vip_address_life(args->list_entry, &life);
	return yang_data_new_uint32(args->xpath, life.left_us / 1000);
}

/* XPath: /frr-clusterd-vip:cluster-vips/vip/state/address/local-route */
struct yang_data *vip_address_state_local_route(struct nb_cb_get_elem_args *args)
{
	const struct vip_address *address = args->list_entry;

	if (!address || !address->vip->local)
		return NULL;
	return yang_data_new_string(args->xpath,
				    local_status_name(
					    vip_local_status(address, NULL)));
}

/* XPath: /frr-clusterd-vip:vip-status-change */
static void notification_send(struct vip *vip)
{
	char why[VIP_WHY_LEN], since[CLUSTER_OPER_TIME_LEN];
	const struct cluster_oper_leaf leaves[] = {
		OPER_TEXT("name", vip->name),
		OPER_TEXT("status", vip_state_name(vip->state)),
		OPER_TEXT("why", vip_why_text(vip, why, sizeof(why))),
		OPER_TEXT("last-change",
			  cluster_oper_wall(vip->since.wall, since)),
	};

	cluster_oper_notify("/frr-clusterd-vip:vip-status-change", leaves,
			    array_size(leaves));
}

void vip_notify(struct vip *vip)
{
	if (cluster_oper_heard())
		notification_send(vip);
}
