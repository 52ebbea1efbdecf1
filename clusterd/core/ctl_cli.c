// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the control protocol's configuration. */
#include "cluster_compat.h"

#include "command.h"

#include "cluster_vty.h"
#include "clusterd.h"
#include "core/ctl_daemon_private.h"

#ifndef VTYSH_EXTRACT_PL
#include "clusterd/core/ctl_cli_clippy.c"
#endif

#define CONTROL_STR "Control protocol: sessions with other nodes\n"
#define PORT_STR    "UDP port\nPort\n"
#define VRF_CMD_STR "VRF of the address\nName of the VRF\n"

DEFPY_YANG_NOSH (cluster_control,
		 cluster_control_cmd,
		 "cluster control",
		 CLUSTER_STR
		 CONTROL_STR)
{
	VTY_PUSH_XPATH((enum node_type)CLUSTER_CONTROL_NODE, CONTROL_XPATH);
	return CMD_SUCCESS;
}

/* As many as one command may change; returns how many there are in all. */
static size_t enqueue_all_unset(struct vty *vty, const struct lyd_node *control)
{
	const struct lyd_node *child;
	char xpath[XPATH_MAXLEN];
	size_t n = 0;

	LY_LIST_FOR (lyd_child(control), child) {
		if (yang_dnode_is_default(child, NULL) ||
		    ++n > VTY_MAXCFGCHANGES)
			continue;
		yang_dnode_get_path(child, xpath, sizeof(xpath));
		/* A leaf with a default goes back to it. */
		nb_cli_enqueue_change(vty, xpath,
				      strcmp(child->schema->name, "keepalive") &&
						      strcmp(child->schema->name,
							     "dead")
					      ? NB_OP_DESTROY
					      : NB_OP_MODIFY,
				      NULL);
	}
	return n;
}

DEFPY_YANG (no_cluster_control,
	    no_cluster_control_cmd,
	    "no cluster control",
	    NO_STR
	    CLUSTER_STR
	    CONTROL_STR)
{
	const struct lyd_node *control;
	size_t before = SIZE_MAX, n;
	int ret = CMD_SUCCESS;

	/*
	 * Not the container: libfrr crashes when a top node goes.  And not more
	 * at once than libfrr has room for: peers and addresses may be many.
	 */
	while (ret == CMD_SUCCESS) {
		control = yang_dnode_get(vty->candidate_config->dnode,
					 CONTROL_XPATH);
		vty->num_cfg_changes = 0;
		n = control ? enqueue_all_unset(vty, control) : 0;
		if (!n || n >= before)
			break;
		before = n;
		ret = nb_cli_apply_changes(vty, NULL);
	}
	return ret;
}

void control_cli_write(struct vty *vty, const struct lyd_node *dnode,
		       bool show_defaults)
{
	vty_out(vty, "!\ncluster control\n");
}

void control_cli_write_end(struct vty *vty, const struct lyd_node *dnode)
{
	vty_out(vty, "exit\n");
}

DEFPY_YANG (control_keychain,
	    control_keychain_cmd,
	    "[no] key-chain ![WORD$name]",
	    NO_STR
	    "Keys that authenticate all messages; without them the protocol is off\n"
	    "Name of the key chain\n")
{
	if (!no && strlen(name) >= CONTROL_KEYCHAIN_LEN) {
		vty_out(vty,
			"%% a key chain's name has at most %d characters here\n",
			CONTROL_KEYCHAIN_LEN - 1);
		return CMD_WARNING_CONFIG_FAILED;
	}
	return cluster_vty_leaf(vty, "./key-chain", no ? NULL : name);
}

void control_keychain_cli_write(struct vty *vty, const struct lyd_node *dnode,
				bool show_defaults)
{
	vty_out(vty, " key-chain %s\n", yang_dnode_get_string(dnode, NULL));
}

DEFPY_YANG (control_timers,
	    control_timers_cmd,
	    "timers keepalive (50-600000)$keepalive dead (100-3600000)$dead",
	    "Timers of the sessions\n"
	    "Interval of keepalives; the smaller one of both sides counts\n"
	    "Milliseconds\n"
	    "Silence on all links after which a session is down\n"
	    "Milliseconds, two keepalives at least\n")
{
	struct ctl_timers timers = { (uint32_t)keepalive, (uint32_t)dead };

	if (!ctl_timers_valid(&timers)) {
		vty_out(vty, "%% dead must be two keepalives at least\n");
		return CMD_WARNING_CONFIG_FAILED;
	}
	nb_cli_enqueue_change(vty, "./keepalive", NB_OP_MODIFY, keepalive_str);
	nb_cli_enqueue_change(vty, "./dead", NB_OP_MODIFY, dead_str);
	return nb_cli_apply_changes(vty, NULL);
}

DEFPY_YANG (no_control_timers,
	    no_control_timers_cmd,
	    "no timers [keepalive (50-600000) dead (100-3600000)]",
	    NO_STR
	    "Timers of the sessions\n"
	    "Interval of keepalives; the smaller one of both sides counts\n"
	    "Milliseconds\n"
	    "Silence on all links after which a session is down\n"
	    "Milliseconds, two keepalives at least\n")
{
	nb_cli_enqueue_change(vty, "./keepalive", NB_OP_MODIFY, NULL);
	nb_cli_enqueue_change(vty, "./dead", NB_OP_MODIFY, NULL);
	return nb_cli_apply_changes(vty, NULL);
}

/* One command for two leaves: of the second when the first says nothing. */
void control_dead_cli_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	if (!show_defaults &&
	    yang_dnode_is_default(lyd_parent(dnode), "./keepalive"))
		control_timers_cli_write(vty, dnode, show_defaults);
}

void control_timers_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	const struct lyd_node *parent = lyd_parent(dnode);

	vty_out(vty, " timers keepalive %s dead %s\n",
		yang_dnode_get_string(parent, "./keepalive"),
		yang_dnode_get_string(parent, "./dead"));
}

DEFPY_YANG (control_accept,
	    control_accept_cmd,
	    "[no] accept prefix-list ![WORD$name]",
	    NO_STR
	    "Addresses that sessions are accepted from; without it, all\n"
	    "The IPv4 and IPv6 prefix lists of that name; configured peers are accepted anyway\n"
	    "Name of the prefix lists\n")
{
	if (!no && strlen(name) >= ACCEPT_LIST_NAME_LEN) {
		vty_out(vty,
			"%% a prefix list's name has at most %d characters\n",
			ACCEPT_LIST_NAME_LEN - 1);
		return CMD_WARNING_CONFIG_FAILED;
	}
	return cluster_vty_leaf(vty, "./accept-prefix-list", no ? NULL : name);
}

void control_accept_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	vty_out(vty, " accept prefix-list %s\n",
		yang_dnode_get_string(dnode, NULL));
}

/* The xpath of an entry of either list; false: it was refused. */
static bool entry_xpath(struct vty *vty, const char *list, const char *address,
			long port, const char *vrf, char *xpath, size_t len)
{
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr;

	if (!cluster_vty_address_ok(vty, address, &addr) ||
	    (vrf && !cluster_vty_vrf_ok(vty, vrf)))
		return false;
	snprintf(xpath, len, "./%s[vrf='%s'][address='%s'][port='%ld']", list,
		 vrf ? vrf : CONTROL_DEFAULT_VRF,
		 ipaddr2str(&addr, canonical, sizeof(canonical)),
		 port ? port : CTL_PORT);
	return true;
}

static void entry_write(struct vty *vty, const char *command,
			const struct lyd_node *dnode)
{
	uint16_t port = yang_dnode_get_uint16(dnode, "./port");
	const char *vrf = yang_dnode_get_string(dnode, "./vrf");

	vty_out(vty, " %s %s", command,
		yang_dnode_get_string(dnode, "./address"));
	if (port != CTL_PORT)
		vty_out(vty, " port %u", port);
	if (strcmp(vrf, CONTROL_DEFAULT_VRF))
		vty_out(vty, " vrf %s", vrf);
}

DEFPY_YANG (control_listen,
	    control_listen_cmd,
	    "[no] listen <A.B.C.D|X:X::X:X>$address [{port (1-65535)$port|vrf NAME$vrf}]",
	    NO_STR
	    "Address to listen on; without any: all of the default VRF\n"
	    "IPv4 address, 0.0.0.0 for all\n"
	    "IPv6 address, :: for all\n"
	    PORT_STR
	    VRF_CMD_STR)
{
	char xpath[XPATH_MAXLEN];
	struct ipaddr addr;
	const char *flaw;

	if (!entry_xpath(vty, "listen", address_str, port, vrf, xpath,
			 sizeof(xpath)))
		return CMD_WARNING_CONFIG_FAILED;
	(void)str2ipaddr(address_str, &addr);
	flaw = no ? NULL : ctl_listen_flaw(&addr);
	if (flaw)
		return cluster_vty_refuse(vty, "%pIA %s", &addr, flaw);
	if (!no && !vty->pending_allowed &&
	    control_listens_count(&control.listens) >= CTL_IO_SOCKETS_MAX)
		vty_out(vty, "Note: only %d of the addresses are used\n",
			CTL_IO_SOCKETS_MAX);
	nb_cli_enqueue_change(vty, xpath, no ? NB_OP_DESTROY : NB_OP_CREATE,
			      NULL);
	return nb_cli_apply_changes(vty, NULL);
}

void control_listen_cli_write(struct vty *vty, const struct lyd_node *dnode,
			      bool show_defaults)
{
	entry_write(vty, "listen", dnode);
	vty_out(vty, "\n");
}

DEFPY_YANG (control_peer,
	    control_peer_cmd,
	    "[no] peer <A.B.C.D|X:X::X:X>$address [{port (1-65535)$port|source <A.B.C.D|X:X::X:X>$source|vrf NAME$vrf}]",
	    NO_STR
	    "Node to keep a session with\n"
	    "IPv4 address\n"
	    "IPv6 address\n"
	    PORT_STR
	    "Address of this node to send from\n"
	    "IPv4 address\n"
	    "IPv6 address\n"
	    VRF_CMD_STR)
{
	char xpath[XPATH_MAXLEN], leaf[XPATH_MAXLEN + 16];
	char canonical[INET6_ADDRSTRLEN];
	struct ipaddr addr, remote;
	const char *flaw;

	if (!entry_xpath(vty, "peer", address_str, port, vrf, xpath,
			 sizeof(xpath)) ||
	    (source && !cluster_vty_address_ok(vty, source_str, &addr)))
		return CMD_WARNING_CONFIG_FAILED;
	if (no) {
		nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
		return nb_cli_apply_changes(vty, NULL);
	}
	(void)str2ipaddr(address_str, &remote);
	flaw = ctl_remote_flaw(&remote);
	if (flaw)
		return cluster_vty_refuse(vty, "%pIA %s", &remote, flaw);
	if (source && addr.ipa_type != remote.ipa_type)
		return cluster_vty_refuse(vty,
					  "source %pIA is of another family than the peer",
					  &addr);
	nb_cli_enqueue_change(vty, xpath, NB_OP_CREATE, NULL);
	snprintf(leaf, sizeof(leaf), "%s/source", xpath);
	if (source) {
		nb_cli_enqueue_change(vty, leaf, NB_OP_MODIFY,
				      ipaddr2str(&addr, canonical,
						 sizeof(canonical)));
	} else {
		nb_cli_enqueue_change(vty, leaf, NB_OP_DESTROY, NULL);
	}
	return nb_cli_apply_changes(vty, NULL);
}

void control_peer_cli_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	entry_write(vty, "peer", dnode);
	if (yang_dnode_exists(dnode, "./source"))
		vty_out(vty, " source %s",
			yang_dnode_get_string(dnode, "./source"));
	vty_out(vty, "\n");
}

#ifndef VTYSH_EXTRACT_PL
static int control_config_write(struct vty *vty)
{
	return cluster_vty_config_write(vty, CONTROL_XPATH);
}

static struct cmd_node control_node = {
	.name = "cluster control",
	.node = (enum node_type)CLUSTER_CONTROL_NODE,
	.parent_node = CONFIG_NODE,
	.prompt = "%s(config-cluster-control)# ",
	.config_write = control_config_write,
};
#endif

void control_cli_init(void)
{
#ifndef VTYSH_EXTRACT_PL
	cluster_vty_node_install(&control_node);
#endif
	install_element(CONFIG_NODE, &cluster_control_cmd);
	install_element(CONFIG_NODE, &no_cluster_control_cmd);
	install_element(CLUSTER_CONTROL_NODE, &control_keychain_cmd);
	install_element(CLUSTER_CONTROL_NODE, &control_timers_cmd);
	install_element(CLUSTER_CONTROL_NODE, &no_control_timers_cmd);
	install_element(CLUSTER_CONTROL_NODE, &control_accept_cmd);
	install_element(CLUSTER_CONTROL_NODE, &control_listen_cmd);
	install_element(CLUSTER_CONTROL_NODE, &control_peer_cmd);
}
