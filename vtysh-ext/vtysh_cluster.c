/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How vtysh enters and leaves clusterd's configuration sections.  The commands
 * inside them, and all `show`, `debug` and `no` commands, are extracted from
 * the daemon when vtysh is built; commands that change the node never are.
 *
 * A new kind of section is one line in the table below, next to its entry in
 * cluster_nodes.h.
 */
#include <zebra.h>

#include <errno.h>
#include <string.h>

#include "command.h"
#include "memory.h"
#include "vty.h"

#include "vtysh/vtysh.h"
#include "cluster_vty.h"

struct cluster_section {
	const char *keyword; /* how its line in a configuration starts */
	struct cmd_node node;
	struct cmd_element enter;
};

static int cluster_enter(const struct cmd_element *self, struct vty *vty,
			 int argc, struct cmd_token *argv[]);

/* clang-format off */

/* The help must be the daemon's (tests/vtysh/compare_commands.py checks it). */
#define SECTION(id, word, help, name_help)                                     \
	{                                                                      \
		.keyword = "cluster " word " ",                                \
		.node = {                                                      \
			.name = "cluster " word,                               \
			.node = (enum node_type)(id),                          \
			.parent_node = CONFIG_NODE,                            \
			.prompt = "%s(config-cluster-" word ")# ",             \
		},                                                             \
		.enter = {                                                     \
			.string = "cluster " word " NAME",                     \
			.doc = CLUSTER_STR help name_help,                     \
			.name = "cluster_" word "_cmd",                        \
			.func = cluster_enter,                                 \
			.daemon = VTYSH_CLUSTERD,                              \
		},                                                             \
	}

/* A section of which there is one. */
#define SECTION_ONE(id, word, help)                                            \
	{                                                                      \
		.keyword = "cluster " word,                                    \
		.node = {                                                      \
			.name = "cluster " word,                               \
			.node = (enum node_type)(id),                          \
			.parent_node = CONFIG_NODE,                            \
			.prompt = "%s(config-cluster-" word ")# ",             \
		},                                                             \
		.enter = {                                                     \
			.string = "cluster " word,                             \
			.doc = CLUSTER_STR help,                               \
			.name = "cluster_" word "_cmd",                        \
			.func = cluster_enter,                                 \
			.daemon = VTYSH_CLUSTERD,                              \
		},                                                             \
	}

static struct cluster_section sections[] = {
	SECTION(CLUSTER_PROBE_NODE, "probe",
		"Health probe: checks a service again and again\n",
		"Name of the probe\n"),
	SECTION(CLUSTER_VIP_NODE, "vip",
		"Virtual IP addresses\n",
		"Name of the VIP\n"),
	SECTION(CLUSTER_RESPONDER_NODE, "responder",
		"Virtual addresses that answer a ping while this node can be used\n",
		"Name of the responder\n"),
	SECTION(CLUSTER_TRACK_NODE, "track",
		"Routes whose next hops follow probes\n",
		"Name of the track\n"),
	SECTION(CLUSTER_HUB_CLUSTER_NODE, "hub-cluster",
		"Clusters of hubs whose gateway this node is\n",
		"Name of the cluster\n"),
	SECTION_ONE(CLUSTER_HUB_NODE, "hub",
		    "This node as a hub of a cluster\n"),
	SECTION_ONE(CLUSTER_EDGE_NODE, "edge",
		    "This node as an edge of a cluster\n"),
	SECTION_ONE(CLUSTER_CONTROL_NODE, "control",
		    "Control protocol: sessions with other nodes\n"),
};
/* clang-format on */

static int cluster_enter(const struct cmd_element *self, struct vty *vty,
			 int argc, struct cmd_token *argv[])
{
	const struct cluster_section *section =
		container_of(self, struct cluster_section, enter);

	vty->node = section->node.node;
	return CMD_SUCCESS;
}

/*
 * Both are sent to clusterd as well.  On FRR 8 vtysh's own exit would then
 * send `end` and `configure` to every daemon: per section that is what makes
 * loading many sections slow, and it splits the daemon's transaction.
 */
DEFUNSH(VTYSH_CLUSTERD, cluster_exit, cluster_exit_cmd, "exit",
	"Exit current mode and down to previous mode\n")
{
	vty->node = node_parent(vty->node);
	return CMD_SUCCESS;
}

DEFUNSH(VTYSH_CLUSTERD, cluster_quit, cluster_quit_cmd, "quit",
	"Exit current mode and down to previous mode\n")
{
	vty->node = node_parent(vty->node);
	return CMD_SUCCESS;
}

void vtysh_cluster_init_nodes(void)
{
	for (size_t i = 0; i < array_size(sections); i++)
		install_node(&sections[i].node);
}

void vtysh_cluster_init_commands(const struct cmd_element *end)
{
	for (size_t i = 0; i < array_size(sections); i++) {
		enum node_type node = sections[i].node.node;

		_install_element(CONFIG_NODE, &sections[i].enter);
		_install_element(node, &cluster_exit_cmd);
		_install_element(node, &cluster_quit_cmd);
		_install_element(node, end);
	}
}

int vtysh_cluster_section(const char *line)
{
	for (size_t i = 0; i < array_size(sections); i++)
		if (strncmp(line, sections[i].keyword,
			    strlen(sections[i].keyword)) == 0)
			return sections[i].node.node;
	return 0;
}

static bool in_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	bool ours = false;

	/* One that this user can't read may have some. */
	if (!file)
		return errno != ENOENT;
	while (!ours && getline(&line, &size, file) >= 0)
		ours = strncmp(line + strspn(line, " \t"), "cluster ",
			       strlen("cluster ")) == 0;
	free(line);
	fclose(file);
	return ours;
}

const char *vtysh_cluster_before_write(const char *path)
{
	return in_file(path) ? "do XCLUSTER_may_write"
			     : "do XCLUSTER_nothing_to_read";
}

bool vtysh_cluster_write_loses(struct vty *vty, const char *path,
			       bool connected, int answer)
{
	/* An older one, which was not restarted yet, knows no such question. */
	if (connected && answer != CMD_WARNING)
		return false;
	if (!in_file(path))
		return false;
	if (connected)
		vty_out(vty,
			"%% %s is not written: clusterd has not read its lines in it (`cluster ...`) to their end, and they would be lost.\n"
			"Try again in a moment; if nobody loads them, do (`vtysh -b -d clusterd`), or delete them in the file.\n",
			path);
	else
		vty_out(vty,
			"%% %s is not written: this vtysh has no connection to clusterd, whose lines (`cluster ...`) would be lost.\n"
			"Start clusterd, then vtysh again; or, if clusterd isn't to come back, delete its lines in the file first.\n",
			path);
	return true;
}

/* FRR renames it before it opens a new one. */
static bool restored(const char *path)
{
	char backup[PATH_MAX];

	snprintf(backup, sizeof(backup), "%s%s", path, CONF_BACKUP_EXT);
	return rename(backup, path) == 0;
}

void vtysh_cluster_not_opened(struct vty *vty, const char *path)
{
	int err = errno;

	vtysh_cluster_forget_config(vty);
	(void)restored(path);
	errno = err;
}

bool vtysh_cluster_write_failed(FILE *file, const char *path)
{
	/* Each line was flushed: an error of one of them is remembered. */
	if (!ferror(file) && fflush(file) == 0 &&
	    (fsync(fileno(file)) == 0 || errno == EINVAL))
		return false;
	if (restored(path))
		printf("%% %s could not be written to its end, and is as it was: look whether the file system is full, then write again.\n",
		       path);
	else
		printf("%% %s could not be written to its end: look whether the file system is full, and write again before FRR is restarted.\n",
		       path);
	return true;
}

void vtysh_cluster_forget_config(struct vty *vty)
{
	FILE *of = vty->of, *of_saved = vty->of_saved;

	/* It forgets what it prints, to nobody here. */
	vty->of = NULL;
	vty->of_saved = NULL;
	vtysh_config_dump();
	vty->of = of;
	vty->of_saved = of_saved;
}
