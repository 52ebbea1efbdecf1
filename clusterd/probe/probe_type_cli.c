// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that configure what only some types of probes have. */
#include "cluster_compat.h"

#include "command.h"
#include "vty.h"

#include "cluster_text.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "probe/probe_daemon.h"

#ifndef VTYSH_EXTRACT_PL
#include "probe/probe_type_cli_clippy.c"
#endif

/* ------------------------------------------------------------------------ */
/* command                                                                  */

/* As the pattern in the YANG module; the words are separated by one space. */
static const char *command_refused(const char *command)
{
	if (command[0] != '/')
		return "a command is run without a shell: begin with its absolute path";
	if (strlen(command) >= PROBE_COMMAND_LEN)
		return "a command has at most 511 characters; put it into a script";
	for (const char *c = command; *c; c++)
		if (*c < ' ' || *c > '~')
			return "a command has printable ASCII characters only; put it into a script";
	if (cluster_text_filters(command))
		return "behind a | at the end of a word FRR expects a filter; put the command into a script";
	return NULL;
}

/* As the pattern in the YANG module. */
static const char *user_refused(const char *user)
{
	if (strmatch(user, "root"))
		return "commands never run as root; name another user";
	if (strlen(user) >= PROBE_USER_LEN)
		return "the name of a user has at most 32 characters";
	for (const char *c = user; *c; c++)
		if (!isalnum((uint8_t)*c) && *c != '_' &&
		    (c == user || (*c != '.' && *c != '-')))
			return "the name of a user has letters, digits, '_', '.' and '-'";
	return NULL;
}

DEFPY_YANG (probe_command,
	    probe_command_cmd,
	    "command COMMAND...",
	    "Program that a probe of type command runs, without a shell\n"
	    "Absolute path and arguments, which can't have spaces in them\n")
{
	char *line = argv_concat(argv, argc, 1);
	const char *why = command_refused(line);
	int ret;

	if (why)
		ret = cluster_vty_refuse(vty, "%s", why);
	else
		ret = probe_cli_leaf(vty, "./command", line, false);
	XFREE(MTYPE_TMP, line);
	return ret;
}

DEFPY_YANG (no_probe_command,
	    no_probe_command_cmd,
	    "no command",
	    NO_STR
	    "Program that a probe of type command runs, without a shell\n")
{
	return probe_cli_leaf(vty, "./command", NULL, false);
}

/* FRR 10 has no optional rest of a line. */
ALIAS_YANG(no_probe_command, no_probe_command_line_cmd, "no command COMMAND...",
	   NO_STR "Program that a probe of type command runs, without a shell\n"
		  "Absolute path and arguments\n")

DEFPY_YANG (probe_user,
	    probe_user_cmd,
	    "[no] user ![USER$user]",
	    NO_STR
	    "User that the command runs as (default: the one of clusterd)\n"
	    "Name of a user in /etc/passwd, not root\n")
{
	const char *why = no ? NULL : user_refused(user);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./user", no ? NULL : user, false);
}

/* ------------------------------------------------------------------------ */
/* route                                                                    */

DEFPY_YANG (probe_prefix,
	    probe_prefix_cmd,
	    "[no] prefix ![<A.B.C.D/M|X:X::X:X/M>$prefix]",
	    NO_STR
	    "Route that a probe of type route looks for: exactly this one\n"
	    "IPv4 prefix\n"
	    "IPv6 prefix\n")
{
	char text[PREFIX_STRLEN];
	struct prefix masked;

	if (no)
		return probe_cli_leaf(vty, "./prefix", NULL, false);
	masked = *prefix;
	apply_mask(&masked);
	prefix2str(&masked, text, sizeof(text));
	return probe_cli_leaf(vty, "./prefix", text, false);
}

/* ------------------------------------------------------------------------ */
/* bfd                                                                      */

/* As the pattern in the YANG module. */
static const char *profile_refused(const char *profile)
{
	if (strlen(profile) >= PROBE_PROFILE_LEN)
		return "the name of a BFD profile has at most 63 characters";
	for (const char *c = profile; *c; c++)
		if (!isgraph((uint8_t)*c))
			return "the name of a BFD profile has printable ASCII characters only";
	return NULL;
}

DEFPY_YANG (probe_profile,
	    probe_profile_cmd,
	    "[no] profile ![PROFILE$profile]",
	    NO_STR
	    "BFD profile of bfdd that the session uses (default: bfdd's defaults)\n"
	    "Name of the profile\n")
{
	const char *why = no ? NULL : profile_refused(profile);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./profile", no ? NULL : profile, false);
}

DEFPY_YANG (probe_hops,
	    probe_hops_cmd,
	    "[no] hops ![(1-254)$hops]",
	    NO_STR
	    "Hops that a BFD session may go: more than 1 is a multihop session (default 1)\n"
	    "Number of hops\n")
{
	return probe_cli_leaf(vty, "./hops", no ? NULL : hops_str, false);
}

/* ------------------------------------------------------------------------ */
/* dns                                                                      */

/* As the pattern in the YANG module. */
static const char *dns_name_refused(const char *name)
{
	if (strlen(name) >= PROBE_HOST_LEN)
		return "a name has at most 253 characters";
	for (const char *c = name; *c; c++)
		if (!isalnum((uint8_t)*c) && !strchr("._-", *c))
			return "a name has letters, digits, '.', '-' and '_'";
	return NULL;
}

/* As the pattern in the YANG module. */
static const char *dns_answer_refused(const char *answer)
{
	if (strlen(answer) >= PROBE_DNS_ANSWER_LEN)
		return "an answer has at most 255 characters";
	for (const char *c = answer; *c; c++)
		if (!isgraph((uint8_t)*c))
			return "an answer has printable ASCII characters only";
	return NULL;
}

DEFPY_YANG (probe_dns_name,
	    probe_dns_name_cmd,
	    "[no] dns-name ![NAME$name]",
	    NO_STR
	    "Name that a probe of type dns asks for\n"
	    "Complete name, e.g. www.example.com\n")
{
	const char *why = no ? NULL : dns_name_refused(name);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./dns-name", no ? NULL : name, false);
}

DEFPY_YANG (probe_dns_type,
	    probe_dns_type_cmd,
	    "[no] dns-type ![<a|aaaa|ns|soa|txt>$type]",
	    NO_STR
	    "Kind of record that a probe of type dns asks for (default a)\n"
	    "IPv4 address\n"
	    "IPv6 address\n"
	    "Name servers of a zone\n"
	    "Start of a zone: its answer is the primary name server\n"
	    "Text\n")
{
	return probe_cli_leaf(vty, "./dns-type", no ? NULL : type, false);
}

DEFPY_YANG (probe_dns_answer,
	    probe_dns_answer_cmd,
	    "[no] dns-answer ![ANSWER$answer]",
	    NO_STR
	    "Record that must be among those of the answer (default: any will do)\n"
	    "Address, name or text\n")
{
	const char *why = no ? NULL : dns_answer_refused(answer);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./dns-answer", no ? NULL : answer, false);
}

/* ------------------------------------------------------------------------ */
/* heartbeat                                                                */

DEFPY_YANG (probe_key_chain,
	    probe_key_chain_cmd,
	    "[no] key-chain ![WORD$name]",
	    NO_STR
	    "Keys that authenticate what a probe of type heartbeat hears\n"
	    "Name of the key chain\n")
{
	if (!no && strlen(name) >= PROBE_KEYCHAIN_LEN)
		return cluster_vty_refuse(
			vty,
			"the name of a key chain has at most 63 characters here");
	return probe_cli_leaf(vty, "./key-chain", no ? NULL : name, false);
}

/* As the pattern in the YANG module. */
static const char *socket_refused(const char *path)
{
	if (path[0] != '/')
		return "give the whole path, from /";
	if (!path[1])
		return "/ is a folder: give the path of a socket in a folder";
	if (strlen(path) >= PROBE_SOCKET_LEN)
		return "the path of a socket has at most 107 characters";
	for (const char *c = path; *c; c++)
		if (!isgraph((uint8_t)*c))
			return "a path has printable ASCII characters only";
	return NULL;
}

DEFPY_YANG (probe_socket,
	    probe_socket_cmd,
	    "[no] socket ![PATH$path]",
	    NO_STR
	    "Unix socket at which a probe of type heartbeat listens (instead of a port)\n"
	    "Its path, in a folder that user frr may write\n")
{
	const char *why = no ? NULL : socket_refused(path);

	if (why)
		return cluster_vty_refuse(vty, "%s", why);
	return probe_cli_leaf(vty, "./socket", no ? NULL : path, false);
}

void probe_type_cli_init(void)
{
	install_element(CLUSTER_PROBE_NODE, &probe_socket_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_key_chain_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_dns_name_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_dns_type_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_dns_answer_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_prefix_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_profile_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_hops_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_command_cmd);
	install_element(CLUSTER_PROBE_NODE, &no_probe_command_cmd);
	install_element(CLUSTER_PROBE_NODE, &no_probe_command_line_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_user_cmd);
}
