// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of tcp, http and https probes only. */
#include "cluster_compat.h"

#include "command.h"
#include "vty.h"

#include "cluster_text.h"
#include "cluster_vty.h"
#include "probe/probe_daemon.h"
#include "probe/probe_match.h"

#ifndef VTYSH_EXTRACT_PL
#include "probe/probe_service_cli_clippy.c"
#endif

DEFPY_YANG (probe_hold,
	    probe_hold_cmd,
	    "[no] hold",
	    NO_STR
	    "Keep a connection open to the service, whose end starts a check (tcp, http, https)\n")
{
	return probe_cli_leaf(vty, "./hold", no ? NULL : "true", true);
}

/* ------------------------------------------------------------------------ */
/* What is refused, here and by validation                                  */

bool probe_leaf_refused(const char *leaf, const char *value, char *why,
			size_t why_len)
{
	uint8_t buf[PROBE_SEND_LEN];
	struct probe_regex *regex;

	/* of the leaves that are the rest of a line */
	bool line = strmatch(leaf, "expect-regex") || strmatch(leaf, "send");

	if (line && cluster_text_filters(value)) {
		snprintf(why, why_len,
			 "behind a | at the end of a word FRR expects a filter: write the space there as \\x20");
		return true;
	}
	if (line && !cluster_text_valid(value)) {
		snprintf(why, why_len,
			 "there are control characters in it, or it isn't UTF-8: write such an octet as \\xHH");
		return true;
	}
	if (strmatch(leaf, "expect-status"))
		return strlen(value) >= PROBE_STATUS_LEN ||
		       !probe_status_valid(value, why, why_len);
	if (strmatch(leaf, "expect-regex")) {
		regex = probe_regex_new(value, why, why_len);
		if (!regex)
			return true;
		probe_regex_free(&regex);
		return false;
	}
	if (strmatch(leaf, "send") && probe_text_bytes(value, buf) < 0) {
		snprintf(why, why_len,
			 "after a backslash comes r, n, t, x with two hexadecimal digits, or another");
		return true;
	}
	return false;
}

/* Sets leaf `name` to `value`, if that isn't refused; NULL: unsets it. */
static int checked(struct vty *vty, const char *name, const char *value,
		   size_t size)
{
	char why[128], xpath[32];

	if (value && strlen(value) >= size) {
		snprintf(why, sizeof(why), "at most %zu characters, please",
			 size - 1);
		return cluster_vty_refuse(vty, "%s", why);
	}
	if (value && probe_leaf_refused(name, value, why, sizeof(why)))
		return cluster_vty_refuse(vty, "%s", why);
	snprintf(xpath, sizeof(xpath), "./%s", name);
	return probe_cli_leaf(vty, xpath, value, false);
}

/* The same for the rest of a line, from word `first` on. */
static int checked_line(struct vty *vty, const char *name,
			struct cmd_token **argv, int argc, int first,
			size_t size)
{
	char *line = argv_concat(argv, argc, first);
	int ret = checked(vty, name, line, size);

	XFREE(MTYPE_TMP, line);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                 */

#define EXPECT_STR "What a good answer is\n"
#define REGEX_STR                                                              \
	"What must be in the body (http, https), or in what the service says (tcp)\n"
#define REGEX_TEXT_STR "Regular expression, as of Perl\n"

DEFPY_YANG (probe_expect_status,
	    probe_expect_status_cmd,
	    "[no] expect status ![RANGES$ranges]",
	    NO_STR
	    EXPECT_STR
	    "Statuses of http and https (default 200-399)\n"
	    "Statuses and ranges of them, with commas between\n")
{
	return checked(vty, "expect-status", no ? NULL : ranges,
		       PROBE_STATUS_LEN);
}

DEFPY_YANG (probe_expect_regex,
	    probe_expect_regex_cmd,
	    "expect regex LINE...",
	    EXPECT_STR
	    REGEX_STR
	    REGEX_TEXT_STR)
{
	return checked_line(vty, "expect-regex", argv, argc, 2, PROBE_REGEX_LEN);
}

DEFPY_YANG (no_probe_expect_regex,
	    no_probe_expect_regex_cmd,
	    "no expect regex",
	    NO_STR
	    EXPECT_STR
	    REGEX_STR)
{
	return checked(vty, "expect-regex", NULL, 0);
}

DEFPY_YANG (no_probe_expect_regex_line,
	    no_probe_expect_regex_line_cmd,
	    "no expect regex LINE...",
	    NO_STR
	    EXPECT_STR
	    REGEX_STR
	    REGEX_TEXT_STR)
{
	return checked(vty, "expect-regex", NULL, 0);
}

#define SEND_STR      "What to send over the connection (tcp)\n"
#define SEND_TEXT_STR "Text, with \\r, \\n, \\t, \\xHH, \\\\\n"

DEFPY_YANG (probe_send,
	    probe_send_cmd,
	    "send LINE...",
	    SEND_STR
	    SEND_TEXT_STR)
{
	return checked_line(vty, "send", argv, argc, 1, PROBE_SEND_LEN);
}

DEFPY_YANG (no_probe_send,
	    no_probe_send_cmd,
	    "no send",
	    NO_STR
	    SEND_STR)
{
	return checked(vty, "send", NULL, 0);
}

DEFPY_YANG (no_probe_send_line,
	    no_probe_send_line_cmd,
	    "no send LINE...",
	    NO_STR
	    SEND_STR
	    SEND_TEXT_STR)
{
	return checked(vty, "send", NULL, 0);
}

DEFPY_YANG (probe_method,
	    probe_method_cmd,
	    "[no] method ![<get|head|options>$method]",
	    NO_STR
	    "Method of the HTTP request (default get)\n"
	    "The whole answer\n"
	    "Only what is before the body\n"
	    "What the server can do\n")
{
	return probe_cli_leaf(vty, "./method", no ? NULL : method, true);
}

DEFPY_YANG (probe_follow,
	    probe_follow_cmd,
	    "[no] follow ![(1-10)$follow]",
	    NO_STR
	    "Follow redirects, all at the target's address (default: the redirect is the answer)\n"
	    "So many in a row\n")
{
	return probe_cli_leaf(vty, "./follow", no ? NULL : follow_str, false);
}

DEFPY_YANG (probe_http2,
	    probe_http2_cmd,
	    "[no] http2",
	    NO_STR
	    "The server must speak HTTP/2\n")
{
	return probe_cli_leaf(vty, "./http2", no ? NULL : "true", true);
}

#define TLS_STR "TLS of https\n"

DEFPY_YANG (probe_tls_verify,
	    probe_tls_verify_cmd,
	    "[no] tls verify",
	    NO_STR
	    TLS_STR
	    "The certificate must be valid for the host, and of a CA that this system trusts\n")
{
	return probe_cli_leaf(vty, "./tls-verify", no ? NULL : "true", true);
}

DEFPY_YANG (probe_tls_ca_file,
	    probe_tls_ca_file_cmd,
	    "[no] tls ca-file ![FILE$file]",
	    NO_STR
	    TLS_STR
	    "CA certificates to verify by, instead of the system's\n"
	    "A PEM file, with its whole path\n")
{
	if (!no && file[0] != '/')
		return cluster_vty_refuse(vty,
					  "a file is named by its whole path, from '/' on");
	return checked(vty, "tls-ca-file", no ? NULL : file, PROBE_CA_FILE_LEN);
}

/* ------------------------------------------------------------------------ */
/* Running configuration                                                    */

void probe_cli_show_words(struct vty *vty, const struct lyd_node *dnode,
			  bool show_defaults)
{
	const char *name = dnode->schema->name;
	int first = strcspn(name, "-");
	const char *second = name[first] ? name + first + 1 : "";

	if (strmatch(name, "tls-verify")) {
		if (yang_dnode_get_bool(dnode, NULL) || show_defaults)
			vty_out(vty, " %stls verify\n",
				yang_dnode_get_bool(dnode, NULL) ? "" : "no ");
		return;
	}
	vty_out(vty, " %.*s %s %s\n", first, name, second,
		yang_dnode_get_string(dnode, NULL));
}

void probe_service_cli_init(void)
{
	install_element(CLUSTER_PROBE_NODE, &probe_hold_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_expect_status_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_expect_regex_cmd);
	install_element(CLUSTER_PROBE_NODE, &no_probe_expect_regex_cmd);
	install_element(CLUSTER_PROBE_NODE, &no_probe_expect_regex_line_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_send_cmd);
	install_element(CLUSTER_PROBE_NODE, &no_probe_send_cmd);
	install_element(CLUSTER_PROBE_NODE, &no_probe_send_line_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_method_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_follow_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_http2_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_tls_verify_cmd);
	install_element(CLUSTER_PROBE_NODE, &probe_tls_ca_file_cmd);
}
