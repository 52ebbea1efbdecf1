// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include "cluster_errors.h"

/* clang-format off */
static struct log_ref errors[] = {
	{
		.code = EC_CLUSTER_ROUTE_TYPE_TAKEN,
		.title = "Another daemon uses our route type",
		.description = "zebra accepts two clients of one route type, but the end of one removes the routes of both",
		.suggestion = "Stop the daemon that the message names (in /etc/frr/daemons), or start clusterd with --route-type and a type whose daemon doesn't run",
	},
	{
		.code = EC_CLUSTER_CONFIG_SECTION,
		.title = "Configuration section refused",
		.description = "A `cluster` section of the configuration has a name that is not allowed; the lines below it are ignored",
		.suggestion = "Rename it: letters, digits, '.', '_', ':' and '-', at most 63, a letter or digit first",
	},
	{
		.code = EC_CLUSTER_CONFIG_FILE,
		.title = "Configuration not loaded completely",
		.description = "vtysh began to load a configuration file and did not come to its end, or lines of it were refused",
		.suggestion = "Run `vtysh -C` to find the line that is not understood, mend it, and load the file again with `vtysh -b`",
	},
	{
		.code = EC_CLUSTER_WATCHDOG,
		.title = "Watchdog not working",
		.description = "A guard process that ends clusterd when it hangs could not be started, or ended",
		.suggestion = "Look at the process limits (ulimit -u) and memory; whoever killed the guard should not",
	},
	{
		.code = EC_CLUSTER_SYSTEM,
		.title = "System call failed",
		.description = "The operating system refused something that clusterd needs",
		.suggestion = "The message names the call and the reason: look at descriptor, memory and process limits and at capabilities of the daemon",
	},
	{
		.code = END_FERR,
	},
};

static struct log_ref warnings[] = {
	{
		.code = EC_CLUSTER_ROUTE_REMOVED,
		.title = "Route removed by somebody else",
		.description = "zebra says that a route was removed that is wanted; it is sent again",
		.suggestion = "Look for a daemon of the same route type (`show zebra client summary`) or a script that flushes routes",
	},
	{
		.code = EC_CLUSTER_ROUTE_REFUSED,
		.title = "Route refused by the kernel",
		.description = "zebra could not install the route of a VIP in the kernel, so it is not announced",
		.suggestion = "zebra's log has the kernel's reason; often the next hop is not on a connected network",
	},
	{
		.code = EC_CLUSTER_BGPD_OLDER,
		.title = "zebra was restarted, bgpd was not",
		.description = "A bgpd that lives through a restart of zebra no longer follows zebra's routes: new VIPs are not announced, withdrawn ones stay at the neighbours",
		.suggestion = "Restart bgpd, too (watchfrr does when it is watchfrr that restarts zebra)",
	},
	{
		.code = EC_CLUSTER_ZEBRA_SILENT,
		.title = "zebra doesn't answer",
		.description = "zebra holds the connection, but has answered nothing for 10 s: routes that are withdrawn stay in the kernel and at BGP's neighbours, new ones don't appear",
		.suggestion = "`show cluster summary` says whether it still is so. A zebra that is overloaded comes back; one that hangs has to be ended, and bgpd be restarted with it (watchfrr does both)",
	},
	{
		.code = EC_CLUSTER_BGP_MAP,
		.title = "Route-map not in step",
		.description = "bgpd refused a line of a route-map that clusterd keeps, or didn't answer; VIPs go on with the attributes that bgpd has",
		.suggestion = "`show cluster bgp policy` has the line and bgpd's words; it is tried again, at most a minute later",
	},
	{
		.code = EC_CLUSTER_DUPLICATE_ID,
		.title = "Two nodes with one logical ID",
		.description = "Another node uses the logical ID of this node or of one of its peers; it gets no session",
		.suggestion = "A copied disk or container image has copied the file node-id: stop that node, remove the file there, and start it again",
	},
	{
		.code = EC_CLUSTER_LOCAL_ROUTES,
		.title = "Local routes can't be changed",
		.description = "The kernel refused to deliver a VIP on this node, or to tell what it delivers; such a VIP is not announced, and it is tried again every 5 s",
		.suggestion = "The message has the kernel's reason: clusterd needs the capability NET_ADMIN, and SYS_ADMIN for VRFs that are network namespaces; the interface lo must be up",
	},
	{
		.code = EC_CLUSTER_PROBE_LOCAL,
		.title = "Probe can't be sent",
		.description = "A probe failed on this machine before anything was sent: the target was not asked, the result counts as a failure",
		.suggestion = "Look at `source` and `interface` of the probe: the address must exist here, the interface be up",
	},
	{
		.code = EC_CLUSTER_PROBE_HEARTBEAT,
		.title = "Heartbeat rejected",
		.description = "A datagram at the port of a heartbeat probe is none that may be believed: it isn't well-formed, names no probe, has the wrong key, a time that is far from ours, or is a repetition",
		.suggestion = "`show cluster probe NAME` counts them by reason: compare the sender's probe name, address, key and key ID with the configuration, and the clocks of both; if the source is a stranger, keep it away from the port",
	},
	{
		.code = EC_CLUSTER_RESPONDER_CONFLICT,
		.title = "Another host claims a virtual address",
		.description = "A frame on the wire says that the virtual address of a ping responder belongs to another host",
		.suggestion = "The message has the other one's hardware address: find it by the switch's table; only one of both may have the address",
	},
	{
		.code = EC_CLUSTER_HANDOFF,
		.title = "NAT hand-off not in the kernel",
		.description = "The kernel refused the rules of a responder's NAT hand-off, which is tried again every 10 s, or somebody else has changed or removed them, and they were put in again",
		.suggestion = "Refused: the message has the kernel's reason; clusterd needs the capability NET_ADMIN, the kernel nf_tables with nat, masq, ct and fib. Removed: let whoever loads rules on this machine delete its own tables instead of flushing all",
	},
	{
		.code = EC_CLUSTER_HUBS_DIFFER,
		.title = "Hubs of a cluster differ",
		.description = "Two hubs of a hub cluster have different tunnel capacities or models, or the same AS number",
		.suggestion = "Use hubs of one model and capacity, and an AS number for each: compare `show cluster hub-cluster NAME`",
	},
	{
		.code = EC_CLUSTER_METRICS,
		.title = "Metrics file can't be written",
		.description = "The file of `cluster metrics file` could not be made or replaced; it is tried again at every interval",
		.suggestion = "Its folder must be there, have space, and be writable for the user that clusterd runs as (frr)",
	},
	{
		.code = EC_CLUSTER_COMMANDS,
		.title = "Too many command probes at a time",
		.description = "A command probe timed out while it waited for one of the places for running commands, which counts as a failure",
		.suggestion = "Use longer intervals, faster commands, or one command that looks at several things; commands that hang keep their place for their whole time-out",
	},
	{
		.code = END_FERR,
	},
};
/* clang-format on */

void cluster_error_init(void)
{
	log_ref_add(errors);
	log_ref_add(warnings);
}
