// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CLI basis.
 *
 * Loading: vtysh sends a configuration file line by line; libfrr collects the
 * northbound changes of all lines into one transaction.  As libfrr does it,
 * the cost of a section grows with the number of sections before it: the stock
 * `exit` commits, and the text of all pending commands is kept and scanned
 * again for every line.  So our nodes have an `exit` of their own that drops
 * that text, and commits only now and then; the time is then linear
 * (`bench/config-load`).  A commit takes a time that grows with the square of
 * the sections that are there already: libyang 2 compares every entry of a
 * list with all before it.  So each commit is of as many sections as were
 * committed before, of SECTIONS_A_COMMIT at least.
 *
 * A transaction that is refused loses all its lines, so nothing of ours is
 * refused at commit that was not refused when typed; and an entry command
 * must not fail while a file is read: vtysh would leave the configuration at
 * the section's `exit` and lose everything behind it.
 */
#include "cluster_compat.h"

#include "command.h"
#include "vty.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "cluster_text.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_zebra.h"
#include "core/config_reading.h"
#include "core/watchdog.h"

#ifndef VTYSH_EXTRACT_PL
#include "cluster_vty_clippy.c"
#endif

#define SECTIONS_A_COMMIT 1000
/* Of a word in an XPath, which libfrr cuts off at XPATH_MAXLEN. */
#define KEY_LEN 256

/* Sections of the file that is being read: not yet committed, and committed. */
static unsigned int pending_sections;
static unsigned int committed_sections;

bool cluster_name_valid(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= CLUSTER_NAME_LEN || !isalnum((uint8_t)name[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((uint8_t)name[i]) && !strchr("._:-", name[i]))
			return false;
	return true;
}

/* Empties the text that nb_cli_schedule_command() scans for every line. */
static void pending_text_drop(struct vty *vty)
{
	if (!vty->pending_cmds_buf)
		return;
	vty->pending_cmds_buf[0] = '\0';
	vty->pending_cmds_bufpos = 0;
}

static void pending_commit(struct vty *vty)
{
	unsigned int sections = pending_sections;

	committed_sections += pending_sections;
	pending_sections = 0;
	watchdog_feed();
	if (nb_cli_pending_commit_check(vty) != CMD_SUCCESS)
		flog_err(EC_CLUSTER_CONFIG_FILE,
			 "up to %u `cluster` sections of the configuration were refused together",
			 sections);
	watchdog_feed();
}

/* Always succeeds: on a failure vtysh would stay in the node. */
static int section_exit(struct vty *vty)
{
	cmd_exit(vty);
	pending_text_drop(vty);
	if (vty->pending_commit &&
	    ++pending_sections >= MAX(SECTIONS_A_COMMIT, committed_sections))
		pending_commit(vty);
	return CMD_SUCCESS;
}

DEFPY_YANG_NOSH (cluster_exit,
		 cluster_exit_cmd,
		 "exit",
		 "Exit current mode and down to previous mode\n")
{
	return section_exit(vty);
}

DEFPY_YANG_NOSH (cluster_quit,
		 cluster_quit_cmd,
		 "quit",
		 "Exit current mode and down to previous mode\n")
{
	return section_exit(vty);
}

/* libfrr's `exit` and `quit` are static there: found by their names. */
static void default_exit_remove(enum node_type node)
{
	struct cmd_node *cnode = vector_lookup(cmdvec, node);
	const struct cmd_element *found[2] = {};
	unsigned int n_found = 0;

	for (unsigned int i = 0; i < vector_active(cnode->cmd_vector); i++) {
		const struct cmd_element *element =
			vector_slot(cnode->cmd_vector, i);

		if (element && n_found < array_size(found) &&
		    (strcmp(element->string, "exit") == 0 ||
		     strcmp(element->string, "quit") == 0))
			found[n_found++] = element;
	}
	while (n_found)
		uninstall_element(node, found[--n_found]);
}

void cluster_vty_node_install(struct cmd_node *node)
{
	install_node(node);
	install_default(node->node);
	default_exit_remove(node->node);
	_install_element(node->node, &cluster_exit_cmd);
	_install_element(node->node, &cluster_quit_cmd);
}

static void entry_xpath(const char *list_xpath, const char *name, char *xpath,
			size_t len)
{
	snprintf(xpath, len, "%s[name='%s']", list_xpath, name);
}

/* A sign of life of the file that is being read. */
static void reading(struct vty *vty)
{
	if (vty->pending_allowed)
		config_reading_alive();
	watchdog_feed();
}

int cluster_vty_enter_one(struct vty *vty, enum cluster_node node,
			  const char *xpath)
{
	int ret;

	reading(vty);
	/* A commit without changes takes long, too: somebody waits for it. */
	if (cluster_vty_typed(vty) &&
	    yang_dnode_exists(vty->candidate_config->dnode, xpath)) {
		VTY_PUSH_XPATH((enum node_type)node, xpath);
		return CMD_SUCCESS;
	}
	nb_cli_enqueue_change(vty, xpath, NB_OP_CREATE, NULL);
	ret = nb_cli_apply_changes(vty, NULL);
	if (ret == CMD_SUCCESS)
		VTY_PUSH_XPATH((enum node_type)node, xpath);
	return ret;
}

int cluster_vty_enter(struct vty *vty, enum cluster_node node,
		      const char *list_xpath, const char *name)
{
	char xpath[XPATH_MAXLEN];

	if (!cluster_name_valid(name)) {
		reading(vty);
		vty_out(vty,
			"%% %s: not a name: use letters, digits and . _ : - (at most %d, a letter or digit first)\n",
			name, CLUSTER_NAME_LEN - 1);
		if (!vty->pending_allowed)
			return CMD_WARNING_CONFIG_FAILED;
		flog_err(EC_CLUSTER_CONFIG_SECTION,
			 "configuration section `%s` refused: bad name",
			 vty->buf);
		/* Its lines have no object to change; its `exit` fits. */
		vty->node = (enum node_type)node;
		return CMD_SUCCESS;
	}
	entry_xpath(list_xpath, name, xpath, sizeof(xpath));
	return cluster_vty_enter_one(vty, node, xpath);
}

bool cluster_vty_section_ok(struct vty *vty)
{
	if (vty->xpath_index > 0)
		return true;
	vty_out(vty, "%% ignored: this section has no valid name\n");
	return false;
}

bool cluster_vty_typed(const struct vty *vty)
{
	return !vty->pending_allowed;
}

int cluster_vty_refuse(struct vty *vty, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintfrr(text, sizeof(text), fmt, ap);
	va_end(ap);
	vty_out(vty, "%% %s\n", text);
	return CMD_WARNING_CONFIG_FAILED;
}

int cluster_vty_leaf(struct vty *vty, const char *xpath, const char *value)
{
	if (!cluster_vty_section_ok(vty) ||
	    (value && !cluster_vty_text_ok(vty, value)))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath, value ? NB_OP_MODIFY : NB_OP_DESTROY,
			      value);
	return nb_cli_apply_changes(vty, NULL);
}

int cluster_vty_flag(struct vty *vty, const char *xpath, bool value)
{
	if (!cluster_vty_section_ok(vty))
		return CMD_WARNING_CONFIG_FAILED;
	nb_cli_enqueue_change(vty, xpath, value ? NB_OP_CREATE : NB_OP_DESTROY,
			      NULL);
	return nb_cli_apply_changes(vty, NULL);
}

int cluster_vty_leaflist(struct vty *vty, const char *xpath, bool remove,
			 const char *value)
{
	if (!cluster_vty_section_ok(vty) || !cluster_vty_key_ok(vty, value))
		return CMD_WARNING_CONFIG_FAILED;
	cluster_enqueue_leaflist(vty, xpath,
				 remove ? NB_OP_DESTROY : NB_OP_CREATE, value);
	return nb_cli_apply_changes(vty, NULL);
}

bool cluster_vty_text_ok(struct vty *vty, const char *text)
{
	if (cluster_text_valid(text))
		return true;
	cluster_vty_refuse(vty,
			   "there are control characters in it, or it isn't UTF-8: type it anew without them");
	return false;
}

bool cluster_vty_address_ok(struct vty *vty, const char *text,
			    struct ipaddr *addr)
{
	if (str2ipaddr(text, addr) == 0)
		return true;
	cluster_vty_refuse(vty,
			   "%s is not an address: write it like 192.0.2.1 or 2001:db8::1, with no needless zeros",
			   text);
	return false;
}

bool cluster_vty_key_ok(struct vty *vty, const char *word)
{
	if (!cluster_vty_text_ok(vty, word))
		return false;
	if (!strpbrk(word, "'\"") && strlen(word) < KEY_LEN)
		return true;
	cluster_vty_refuse(vty,
			   "%.*s can't be there: use at most %d characters and no quotes",
			   KEY_LEN, word, KEY_LEN - 1);
	return false;
}

bool cluster_vty_name_ok(struct vty *vty, const char *what, const char *name)
{
	if (cluster_name_valid(name))
		return true;
	cluster_vty_refuse(vty,
			   "%s is not the name of a %s: use letters, digits and . _ : - (at most %d, a letter or digit first)",
			   name, what, CLUSTER_NAME_LEN - 1);
	return false;
}

bool cluster_vty_candidate_has(const struct vty *vty, const char *list_xpath,
			       const char *name)
{
	char xpath[XPATH_MAXLEN];

	entry_xpath(list_xpath, name, xpath, sizeof(xpath));
	return yang_dnode_exists(vty->candidate_config->dnode, xpath);
}

bool cluster_vty_vrf_ok(struct vty *vty, const char *name)
{
	if (!cluster_vty_text_ok(vty, name))
		return false;
	if (strlen(name) < CLUSTER_VRF_LEN && !strpbrk(name, "'\""))
		return true;
	cluster_vty_refuse(vty,
			   "the name of a VRF has at most %d characters and no quotes",
			   CLUSTER_VRF_LEN - 1);
	return false;
}

/*
 * FRR applies the rest of a line of which libyang doesn't take a part: a name
 * that isn't UTF-8 would leave a member or next hop without its interface.
 */
bool cluster_vty_ifname_ok(struct vty *vty, const char *name)
{
	bool printable = true;

	for (const char *c = name; *c; c++)
		printable &= isascii(*c) && isgraph((uint8_t)*c);
	if (strlen(name) >= CLUSTER_IFNAME_LEN)
		cluster_vty_refuse(vty,
				   "an interface's name has at most %d characters",
				   CLUSTER_IFNAME_LEN - 1);
	else if (strpbrk(name, "/:'"))
		cluster_vty_refuse(vty,
				   "an interface's name has no '/', ':' or quote");
	else if (!printable)
		cluster_vty_refuse(vty,
				   "an interface's name has printable ASCII characters only");
	else
		return true;
	return false;
}

void cluster_vty_leaf_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, " %s %s\n", dnode->schema->name,
		yang_dnode_get_string(dnode, NULL));
}

void cluster_vty_flag_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, " %s\n", dnode->schema->name);
}

void cluster_vty_bool_write(struct vty *vty, const struct lyd_node *dnode,
			    bool show_defaults)
{
	vty_out(vty, " %s%s\n", yang_dnode_get_bool(dnode, NULL) ? "" : "no ",
		dnode->schema->name);
}

int cluster_vty_delete(struct vty *vty, const char *list_xpath, const char *name)
{
	char xpath[XPATH_MAXLEN];

	if (!cluster_name_valid(name)) {
		vty_out(vty, "%% there is no %s: names have other characters\n",
			name);
		return CMD_WARNING_CONFIG_FAILED;
	}
	entry_xpath(list_xpath, name, xpath, sizeof(xpath));
	nb_cli_enqueue_change(vty, xpath, NB_OP_DESTROY, NULL);
	/* Not _clear_pending: a commit a deletion takes minutes for 1,000. */
	return nb_cli_apply_changes(vty, NULL);
}

int cluster_vty_name_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	/* The key is the first child. */
	return strcmp(lyd_get_value(lyd_child(a)), lyd_get_value(lyd_child(b)));
}

int cluster_vty_value_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	return strcmp(lyd_get_value(a), lyd_get_value(b));
}

int cluster_vty_address_cmp(const struct lyd_node *a, const struct lyd_node *b)
{
	struct ipaddr addr_a, addr_b;

	if (str2ipaddr(lyd_get_value(a), &addr_a) ||
	    str2ipaddr(lyd_get_value(b), &addr_b))
		return cluster_vty_value_cmp(a, b);
	return ipaddr_cmp(&addr_a, &addr_b);
}

int cluster_vty_config_write(struct vty *vty, const char *xpath)
{
	const struct lyd_node *dnode = yang_dnode_get(running_config->dnode,
						      xpath);

	if (!dnode)
		return 0;
	nb_cli_show_dnode_cmds(vty, dnode, false);
	return 1;
}

const char *cluster_uptime(int64_t since_us, int64_t now_us, char *buf,
			   size_t len)
{
	int64_t s = (now_us - since_us) / 1000000;
	int64_t days = s / 86400, hours = s / 3600 % 24;

	if (s < 0)
		s = 0;
	if (days >= 7)
		snprintf(buf, len, "%lldw%lldd%02lldh", (long long)days / 7,
			 (long long)days % 7, (long long)hours);
	else if (days)
		snprintf(buf, len, "%lldd%02lldh%02lldm", (long long)days,
			 (long long)hours, (long long)s / 60 % 60);
	else
		snprintf(buf, len, "%02lld:%02lld:%02lld", (long long)hours,
			 (long long)s / 60 % 60, (long long)s % 60);
	return buf;
}

const char *cluster_zebra_state_name(enum cluster_zebra_state state)
{
	static const char *const names[] = {
		[CLUSTER_ZEBRA_DOWN] = "down",
		[CLUSTER_ZEBRA_REFUSED] = "refused",
		[CLUSTER_ZEBRA_CONNECTED] = "connected",
		[CLUSTER_ZEBRA_SILENT] = "silent",
	};

	return names[state];
}

static void config_start(CLUSTER_CONFIG_CALLBACK_ARGS)
{
	pending_sections = 0;
	committed_sections = 0;
	config_reading_begin(CLUSTER_CONFIG_CALLBACK_FD);
	watchdog_lenient();
}

static void config_end(CLUSTER_CONFIG_CALLBACK_ARGS)
{
	config_reading_end(CLUSTER_CONFIG_CALLBACK_FD);
}

/*
 * What our vtysh asks and says before it replaces frr.conf (vtysh-ext/), as libfrr
 * has commands of its own for vtysh.  By `do`, from every node that allows it.
 */
DEFUN_NOSH (may_write,
	    may_write_cmd,
	    "XCLUSTER_may_write",
	    "Has clusterd what frr.conf has of it?\n")
{
	return config_reading_may_write() ? CMD_SUCCESS : CMD_WARNING;
}

DEFUN_NOSH (nothing_to_read,
	    nothing_to_read_cmd,
	    "XCLUSTER_nothing_to_read",
	    "There are no lines of clusterd in frr.conf\n")
{
	config_reading_has_all();
	return CMD_SUCCESS;
}

void cluster_vty_init(void)
{
	cmd_init_config_callbacks(config_start, config_end);
	install_element(ENABLE_NODE, &may_write_cmd);
	install_element(ENABLE_NODE, &nothing_to_read_cmd);
}
