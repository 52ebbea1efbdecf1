// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that configure probes. */
#include "cluster_compat.h"

#include "command.h"
#include "vty.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "probe/probe_daemon.h"

#ifndef VTYSH_EXTRACT_PL
#include "probe/probe_cli_clippy.c"
#endif

#define PROBE_STR      "Health probe: checks a service again and again\n"
#define PROBE_NAME_STR "Name of the probe\n"

/* ------------------------------------------------------------------------ */
/* What is refused                                                          */

bool probe_address_refused(const struct ipaddr *addr, char *why, size_t why_len)
{
	const struct in6_addr *v6 = &addr->ipaddr_v6;
	struct in_addr v4;

	if (IS_IPADDR_V6(addr)) {
		if (IN6_IS_ADDR_UNSPECIFIED(v6)) {
			snprintf(why, why_len,
				 ":: is nobody's address, use the address of one host");
			return true;
		}
		if (IN6_IS_ADDR_MULTICAST(v6)) {
			snprintfrr(why, why_len,
				   "%pI6 is a multicast address, use the address of one host",
				   v6);
			return true;
		}
		if (IN6_IS_ADDR_V4MAPPED(v6)) {
			ipv4_mapped_ipv6_to_ipv4(v6, &v4);
			snprintfrr(why, why_len,
				   "%pI6 is an IPv4 address, use %pI4", v6, &v4);
			return true;
		}
		return false;
	}

	v4 = addr->ipaddr_v4;
	if (v4.s_addr == htonl(INADDR_ANY)) {
		snprintf(why, why_len,
			 "0.0.0.0 is nobody's address, use the address of one host");
		return true;
	}
	if (v4.s_addr == htonl(INADDR_BROADCAST)) {
		snprintf(why, why_len,
			 "255.255.255.255 is the broadcast address, use the address of one host");
		return true;
	}
	if (IN_MULTICAST(ntohl(v4.s_addr))) {
		snprintfrr(why, why_len,
			   "%pI4 is a multicast address, use the address of one host",
			   &v4);
		return true;
	}
	return false;
}

/* As the pattern in the YANG module. */
static const char *path_refused(const char *path)
{
	if (path[0] != '/')
		return "a path must start with '/'";
	if (strlen(path) >= PROBE_PATH_LEN)
		return "a path has at most 255 characters";
	for (const char *c = path; *c; c++) {
		if (*c < '!' || *c > '~')
			return "a path has printable ASCII characters only, use %XX for others";
		if (*c == '#')
			return "'#' and what follows isn't sent, leave it out or use %23";
	}
	return NULL;
}

/* As the pattern in the YANG module. */
static const char *host_refused(const char *host)
{
	size_t len = strlen(host);

	if (len >= PROBE_HOST_LEN)
		return "a host name has at most 253 characters";
	for (size_t i = 0; i < len; i++) {
		if (isalnum((uint8_t)host[i]) || host[i] == '_')
			continue;
		if ((host[i] == '.' || host[i] == '-') && i > 0 && i < len - 1)
			continue;
		return "a host name has letters, digits, '.', '-' and '_'; the port is set by `port`";
	}
	return NULL;
}

/* ------------------------------------------------------------------------ */
/* Helpers                                                                  */

/*
 * Whoever types is told at once what `show cluster probe` will say. It isn't
 * refused: the next line may mend it, and in a file it must not cost others.
 */
static void note_if_invalid(struct vty *vty)
{
	/* What was said before, so that not every line says it again. */
	static const char *noted;
	static char noted_xpath[XPATH_MAXLEN];
	const struct lyd_node *dnode;
	struct probe_config config;
	struct ipaddr target;
	const char *invalid;

	if (vty->pending_allowed || vty->xpath_index == 0)
		return;
	dnode = yang_dnode_get(running_config->dnode, VTY_CURR_XPATH);
	if (!dnode)
		return;
	probe_nb_config(&config, dnode);
	target = config.target;
	if (probe_config_targetless(&config))
		target = *probe_config_target(&config);
	/* A template's own troubles show with a target of the source's kind. */
	if (IS_IPADDR_NONE(&target)) {
		if (IS_IPADDR_V6(&config.source))
			(void)str2ipaddr("2001:db8::1", &target);
		else
			(void)str2ipaddr("192.0.2.1", &target);
	}
	invalid = probe_config_invalid(&config, &target);
	if (invalid &&
	    (invalid != noted || !strmatch(noted_xpath, VTY_CURR_XPATH)))
		vty_out(vty, "Note: this probe can't run yet: %s\n", invalid);
	noted = invalid;
	strlcpy(noted_xpath, VTY_CURR_XPATH, sizeof(noted_xpath));
	probe_config_fini(&config);
}

bool probe_cli_name_ok(struct vty *vty, const char *name)
{
	if (!cluster_vty_name_ok(vty, "probe", name))
		return false;
	if (cluster_vty_typed(vty) &&
	    !cluster_vty_candidate_has(vty, PROBE_LIST_XPATH, name))
		vty_out(vty,
			"Note: probe %s is not configured yet: until it is, what uses it counts as down\n",
			name);
	return true;
}

static bool probe_used(const char *name)
{
	const struct probe_def *def = probe_def_find(probe_engine, name);
	struct probe_instance *instance = NULL;
	struct probe_instance_view view;

	if (!def)
		return false;
	while ((instance = probe_instance_next(def, instance))) {
		probe_view(instance, &view);
		if (view.references)
			return true;
	}
	return false;
}

int probe_cli_leaf(struct vty *vty, const char *xpath, const char *value,
		   bool has_default)
{
	int ret;

	if (!cluster_vty_section_ok(vty) ||
	    (value && !cluster_vty_text_ok(vty, value)))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath,
			      value || has_default ? NB_OP_MODIFY
						   : NB_OP_DESTROY,
			      value);
	ret = nb_cli_apply_changes(vty, NULL);
	if (ret == CMD_SUCCESS)
		note_if_invalid(vty);
	return ret;
}

static int address_change(struct vty *vty, const char *xpath, const char *value)
{
	struct ipaddr addr;
	char why[128];

	if (value && !cluster_vty_address_ok(vty, value, &addr))
		return CMD_WARNING_CONFIG_FAILED;
	if (value && probe_address_refused(&addr, why, sizeof(why)))
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, xpath, value, false);
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                 */

DEFPY_YANG_NOSH (cluster_probe,
		 cluster_probe_cmd,
		 "cluster probe NAME$name",
		 CLUSTER_STR
		 PROBE_STR
		 PROBE_NAME_STR)
{
	return cluster_vty_enter(vty, CLUSTER_PROBE_NODE, PROBE_LIST_XPATH,
				 name);
}

DEFPY_YANG (no_cluster_probe,
	    no_cluster_probe_cmd,
	    "no cluster probe NAME$name",
	    NO_STR
	    CLUSTER_STR
	    PROBE_STR
	    PROBE_NAME_STR)
{
	bool used = cluster_vty_typed(vty) && probe_used(name);
	int ret = cluster_vty_delete(vty, PROBE_LIST_XPATH, name);

	if (used && ret == CMD_SUCCESS)
		vty_out(vty,
			"Note: probe %s is in use: what uses it counts as down until it is configured again\n",
			name);
	return ret;
}

DEFPY_YANG (probe_type,
	    probe_type_cmd,
	    "[no] type ![<icmp|tcp|http|https|command|interface|route|bfd|dns|heartbeat>$type]",
	    NO_STR
	    "How the target is checked (default icmp)\n"
	    "ICMP echo: any reply passes\n"
	    "TCP: an established connection passes, or what the service says\n"
	    "HTTP: a GET is answered with a status of 200-399, unless configured otherwise\n"
	    "The same over TLS; only `tls verify` verifies the certificate\n"
	    "A program is run: exit status 0 passes\n"
	    "An interface of this node is up\n"
	    "A route is in zebra\n"
	    "A BFD session of FRR's bfdd with the target is up\n"
	    "DNS: the target answers a query\n"
	    "The target tells us that it lives, by authenticated datagrams\n")
{
	return probe_cli_leaf(vty, "./type", no ? NULL : type, true);
}

DEFPY_YANG (probe_target,
	    probe_target_cmd,
	    "[no] target ![<A.B.C.D|X:X::X:X>$target]",
	    NO_STR
	    "Address to check; without it every user's own address is checked\n"
	    "IPv4 address\n"
	    "IPv6 address\n")
{
	return address_change(vty, "./target", no ? NULL : target_str);
}

DEFPY_YANG (probe_port,
	    probe_port_cmd,
	    "[no] port ![(1-65535)$port]",
	    NO_STR
	    "Port (default 80 for http, 443 for https, 53 for dns); tcp needs one, and heartbeat without socket\n"
	    "Port number\n")
{
	return probe_cli_leaf(vty, "./port", no ? NULL : port_str, false);
}

DEFPY_YANG (probe_path,
	    probe_path_cmd,
	    "[no] path ![PATH$path]",
	    NO_STR
	    "Path of the HTTP request (default /)\n"
	    "Starts with '/'; a query may follow; no spaces (type '?' as Ctrl-V ?)\n")
{
	const char *why = no ? NULL : path_refused(path);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./path", no ? NULL : path, true);
}

DEFPY_YANG (probe_host,
	    probe_host_cmd,
	    "[no] host ![HOST$host]",
	    NO_STR
	    "Name in the HTTP Host header and in TLS (SNI), never looked up (default: the target's address)\n"
	    "Host name\n")
{
	const char *why = no ? NULL : host_refused(host);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./host", no ? NULL : host, false);
}

DEFPY_YANG (probe_interval,
	    probe_interval_cmd,
	    "[no] interval ![(10-3600000)$interval]",
	    NO_STR
	    "Time from one check to the next (default 1000)\n"
	    "Milliseconds\n")
{
	return probe_cli_leaf(vty, "./interval", no ? NULL : interval_str, true);
}

DEFPY_YANG (probe_timeout,
	    probe_timeout_cmd,
	    "[no] timeout ![(1-3600000)$timeout]",
	    NO_STR
	    "Time until a check without an answer has failed (default: the interval, at most 1000)\n"
	    "Milliseconds\n")
{
	return probe_cli_leaf(vty, "./timeout", no ? NULL : timeout_str, false);
}

DEFPY_YANG (probe_threshold,
	    probe_threshold_cmd,
	    "[no] threshold ![(1-255)$threshold]",
	    NO_STR
	    "Results in a row that turn the probe up or down: rise and fall together\n"
	    "Number of checks\n")
{
	return probe_cli_leaf(vty, "./threshold", no ? NULL : threshold_str,
			      false);
}

DEFPY_YANG (probe_rise,
	    probe_rise_cmd,
	    "[no] rise ![(1-255)$rise]",
	    NO_STR
	    "Passes in a row that turn the probe up (default 2; 1 for interface, route, bfd)\n"
	    "Number of checks\n")
{
	return probe_cli_leaf(vty, "./rise", no ? NULL : rise_str, false);
}

DEFPY_YANG (probe_fall,
	    probe_fall_cmd,
	    "[no] fall ![(1-255)$fall]",
	    NO_STR
	    "Failures in a row that turn the probe down (default 3; 1 for interface, route, bfd)\n"
	    "Number of checks\n")
{
	return probe_cli_leaf(vty, "./fall", no ? NULL : fall_str, false);
}

DEFPY_YANG (probe_fast_interval,
	    probe_fast_interval_cmd,
	    "[no] fast-interval ![(10-3600000)$interval]",
	    NO_STR
	    "Time from one check to the next while the last result disagrees with the verdict (default: the interval)\n"
	    "Milliseconds\n")
{
	return probe_cli_leaf(vty, "./fast-interval", no ? NULL : interval_str,
			      false);
}

DEFPY_YANG (probe_source,
	    probe_source_cmd,
	    "[no] source ![<A.B.C.D|X:X::X:X>$source]",
	    NO_STR
	    "Source address of the checks' packets\n"
	    "IPv4 address of this node\n"
	    "IPv6 address of this node\n")
{
	return address_change(vty, "./source", no ? NULL : source_str);
}

DEFPY_YANG (probe_interface,
	    probe_interface_cmd,
	    "[no] interface ![IFNAME$ifname]",
	    NO_STR
	    "Interface that the checks' packets leave by\n"
	    "Name of the interface\n")
{
	if (!no && !cluster_vty_ifname_ok(vty, ifname))
		return CMD_WARNING_CONFIG_FAILED;
	return probe_cli_leaf(vty, "./interface", no ? NULL : ifname, false);
}

DEFPY_YANG (probe_vrf,
	    probe_vrf_cmd,
	    "[no] vrf ![NAME$name]",
	    NO_STR
	    "VRF of the checks, instead of that of whatever uses the probe\n"
	    "Name of the VRF\n")
{
	if (!no && !cluster_vty_vrf_ok(vty, name))
		return CMD_WARNING_CONFIG_FAILED;
	return probe_cli_leaf(vty, "./vrf", no ? NULL : name, false);
}

DEFPY_YANG (probe_start,
	    probe_start_cmd,
	    "[no] start ![<up|down>$start]",
	    NO_STR
	    "Verdict before the first results (default down)\n"
	    "Up until the first results say otherwise\n"
	    "Down until the first results say otherwise\n")
{
	return probe_cli_leaf(vty, "./start", no ? NULL : start, true);
}

DEFPY_YANG (probe_jitter,
	    probe_jitter_cmd,
	    "[no] jitter ![(0-100)$jitter]",
	    NO_STR
	    "Random delay of the first check, so that many probes don't fire together (default 10)\n"
	    "Percent of the interval\n")
{
	return probe_cli_leaf(vty, "./jitter", no ? NULL : jitter_str, true);
}

/* ------------------------------------------------------------------------ */
/* Running configuration                                                    */

void probe_cli_show(struct vty *vty, const struct lyd_node *dnode,
		    bool show_defaults)
{
	vty_out(vty, "!\ncluster probe %s\n",
		yang_dnode_get_string(dnode, "./name"));
}

void probe_cli_show_end(struct vty *vty, const struct lyd_node *dnode)
{
	vty_out(vty, "exit\n");
}

#ifndef VTYSH_EXTRACT_PL
static int probe_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, PROBE_XPATH);
}

static struct cmd_node probe_node = {
	.name = "cluster probe",
	.node = (enum node_type)CLUSTER_PROBE_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-probe)# ",
	.config_write = probe_config_write,
};
#endif

void probe_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&probe_node);
#endif
	install_element(CONFIG_NODE, &cluster_probe_cmd);
	install_element(CONFIG_NODE, &no_cluster_probe_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_type_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_target_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_port_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_path_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_host_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_interval_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_timeout_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_threshold_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_rise_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_fall_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_fast_interval_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_source_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_interface_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_vrf_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_start_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_jitter_cmd);
	probe_service_cli_init();
	probe_type_cli_init();
}
