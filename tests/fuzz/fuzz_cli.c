// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines as somebody types them, through FRR's own command parser into a
 * candidate configuration (nothing is committed).  No crash, and
 * - what the commands took passes validation: nothing is refused at commit
 *   that wasn't refused when it was typed;
 * - what isn't taken is refused by a text of ours: libfrr answers a value that
 *   libyang refuses as if all were well;
 * - what `write` makes of it is taken again, and gives the same text.
 */
#include "cluster_compat.h"

#include "buffer.h"
#include "command.h"
#include "command_match.h"
#include "debug.h"
#include "frr_pthread.h"
#include "keychain.h"
#include "lib/version.h"
#include "lib_vty.h"
#include "vty.h"

#include "cluster_debug.h"
#include "cluster_nodes.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/ctl_daemon.h"
#include "core/metrics.h"
#include "hubcluster/hc_daemon.h"
#include "probe/probe.h"
#include "responder/responder.h"
#include "track/track.h"
#include "vip/vip.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

DEFINE_MGROUP(CLUSTERD, "clusterd");

struct event_loop *cluster_master;
struct zebra_privs_t cluster_privs;

static const struct frr_yang_module_info *const modules[] = {
	&frr_interface_info,
	&frr_vrf_info,
	CLUSTER_KEYCHAIN_MODULES &frr_clusterd_bgp_info,
	&frr_clusterd_control_info,
	&frr_clusterd_hub_info,
	&frr_clusterd_info,
	&frr_clusterd_metrics_info,
	&frr_clusterd_probe_info,
	&frr_clusterd_responder_info,
	&frr_clusterd_track_info,
	&frr_clusterd_vip_info,
};

static const char *const containers[] = {
	"/frr-clusterd-bgp:cluster-bgp",
	"/frr-clusterd-control:cluster-control",
	"/frr-clusterd-hub:hub-clustering",
	"/frr-clusterd-metrics:cluster-metrics",
	"/frr-clusterd-probe:cluster-probes",
	"/frr-clusterd-responder:cluster-responders",
	"/frr-clusterd-track:cluster-tracks",
	"/frr-clusterd-vip:cluster-vips",
};

FRR_DAEMON_INFO(fuzz_cli, CLUSTER, .vty_port = 0, .proghelp = "",
		.privs = &cluster_privs, .yang_modules = modules,
		.n_yang_modules = array_size(modules),
);

/* A node with nothing but the commands that FRR has in every one. */
static struct cmd_node defaults = {
	.name = "defaults",
	.node = (enum node_type)(CLUSTER_EDGE_NODE + 1),
	.parent_node = CONFIG_NODE,
	.prompt = "",
};

/* --tcli: commands edit the candidate, `commit` would be another command. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char name[] = "fuzz_cli", tcli[] = "--tcli";
	static char *args[] = { name, tcli, NULL };

	frr_preinit(&fuzz_cli_di, 2, args);
	while (frr_getopt(2, args, NULL) != EOF)
		;
	cluster_master = event_master_create(NULL);
	zlog_aux_init("NONE: ", ZLOG_DISABLED);
	cmd_init(1);
	vty_init(cluster_master, false);
	lib_cmd_init();
#ifdef CLUSTER_FRR_EVENT
	debug_init();
	nb_init(cluster_master, modules, array_size(modules), false, false);
#else
	nb_init(cluster_master, modules, array_size(modules), false);
#endif
	cluster_debug_init();
	cluster_vty_init();
	keychain_init();
	control_init("/nonexistent");
	probe_init();
	vip_init();
	responder_init(NULL);
	track_init();
	hcd_init();
	metrics_init();
	/* What isn't found would be compared as an empty text. */
	for (size_t i = 0; i < array_size(containers); i++)
		assert(nb_node_find(containers[i]));
	install_node(&defaults);
	install_default(defaults.node);
	return 0;
}

/* One that begins anew; the object itself is never freed. */
static struct vty *session_begin(struct vty **session)
{
	struct vty *vty = *session ? *session : vty_new();

	*session = vty;
	vty->type = VTY_TERM;
	vty->node = CONFIG_NODE;
	vty->config = true;
	vty->xpath_index = 0;
	vty->candidate_config = nb_config_new(NULL);
	buffer_reset(vty->obuf);
	return vty;
}

static void session_end(struct vty *vty)
{
	nb_config_free(vty->candidate_config);
	vty->candidate_config = NULL;
}

/*
 * Whether libfrr would run a command that it has in every node.  Asked of its
 * own parser: which words that takes for one, abbreviated and with what
 * between and before them, is no matter of this file.
 */
static bool foreign(const struct vty *vty, vector words)
{
	const struct cmd_node *node = vector_lookup(cmdvec, vty->node);
	const struct cmd_element *found = NULL;
	struct list *argv = NULL;
	bool known = false;

	(void)command_match(node->cmdgraph, words, &argv, &found);
	if (argv)
		list_delete(&argv);
	for (unsigned int i = 0; i < vector_active(defaults.cmd_vector); i++)
		known |= vector_slot(defaults.cmd_vector, i) == found;
	return found && known;
}

static void fail(const char *what, const char *text)
{
	fprintf(stderr, "%s:\n%s\n", what, text);
	abort();
}

/* Ends here if the line that was run left a value behind that isn't taken. */
static void check_taken(struct vty *vty, const char *line)
{
	char *answer = buffer_getstr(vty->obuf);

	if (strstr(answer, "Failed to edit configuration"))
		fail(answer, line);
	XFREE(MTYPE_TMP, answer);
}

/*
 * Only sections of ours are entered, and within them only their own commands
 * run: those of FRR above them write files.  Returns false for a refused line.
 */
static bool type_line(struct vty *vty, const char *line)
{
	bool ours = vty->node > NODE_TYPE_MAX;
	int ret = CMD_ERR_NO_MATCH;
	vector words;

	if (!ours && strncmp(line, "cluster ", 8) &&
	    strncmp(line, "no cluster ", 11))
		return false;
	strlcpy(vty->buf, line, VTY_BUFSIZ);
	words = cmd_make_strvec(vty->buf);
	if (!words)
		return true;
	if (!foreign(vty, words))
		ret = cmd_execute_command_strict(words, vty, NULL);
	cmd_free_strvec(words);
	if (vty->node != CONFIG_NODE && vty->node <= NODE_TYPE_MAX) {
		vty->node = CONFIG_NODE;
		vty->xpath_index = 0;
	}
	check_taken(vty, line);
	buffer_reset(vty->obuf);
	return ret == CMD_SUCCESS;
}

/* The lines of a text; false if one was refused. */
static bool type_text(struct vty *vty, char *text)
{
	bool good = true;
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n")))
		good &= type_line(vty, line);
	return good;
}

/* What `write` would make of the candidate. */
static char *text_of(struct vty *vty)
{
	char *text;

	buffer_reset(vty->obuf);
	for (size_t i = 0; i < array_size(containers); i++) {
		const struct lyd_node *dnode =
			yang_dnode_get(vty->candidate_config->dnode,
				       containers[i]);

		if (dnode)
			nb_cli_show_dnode_cmds(vty, dnode, false);
	}
	text = buffer_getstr(vty->obuf);
	buffer_reset(vty->obuf);
	return text;
}

/* Lines of the text that are commands, with LF. */
static char *commands_of(const char *text)
{
	size_t len = strlen(text);
	char *out = XCALLOC(MTYPE_TMP, len + 1), *to = out;
	const char *from = text;

	while (*from) {
		size_t n = strcspn(from, "\r\n");

		if (n && *from != '!') {
			memcpy(to, from, n);
			to[n] = '\n';
			to += n + 1;
		}
		from += n;
		from += strspn(from, "\r\n");
	}
	if (to != out)
		to[-1] = '\0';
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nb_context context = { .client = NB_CLIENT_CLI };
	static struct vty *sessions[2];
	struct vty *vty = session_begin(&sessions[0]);
	struct vty *again = session_begin(&sessions[1]);
	char *input = XCALLOC(MTYPE_TMP, len + 1);
	char *text, *commands, *second;
	char err[BUFSIZ] = "";

	memcpy(input, data, len);
	type_text(vty, input);
	text = text_of(vty);
	if (nb_candidate_validate(&context, vty->candidate_config, err,
				  sizeof(err)) != NB_OK)
		fail(err, text);
	commands = commands_of(text);
	if (commands[0] && !type_text(again, commands))
		fail("refused when it is read again", text);
	second = text_of(again);
	if (strcmp(text, second) != 0)
		fail(second, text);

	XFREE(MTYPE_TMP, input);
	XFREE(MTYPE_TMP, commands);
	XFREE(MTYPE_TMP, text);
	XFREE(MTYPE_TMP, second);
	session_end(vty);
	session_end(again);
	return 0;
}
