#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Copies vtysh's sources from an FRR source tree and teaches the copy clusterd.

    patch_vtysh.py FRR_SRC OUT DAEMON...

OUT/vtysh/*.[ch] are the copies; OUT/{vtysh,lib}/vtysh_daemons.h is generated
for the given daemons (FRR's own list) and clusterd.

One script for all FRR versions instead of one patch for each: it edits at
anchors, and every anchor has to be there exactly as often as stated.  So a
version with another vtysh fails here, with the anchor's name, and never
builds a vtysh that lacks something.
"""

import pathlib
import re
import subprocess
import sys

SOURCES = (
    "vtysh.c",
    "vtysh.h",
    "vtysh_config.c",
    "vtysh_main.c",
    "vtysh_user.c",
    "vtysh_user.h",
)

# A bit that FRR uses in no version (daemons count up from bit 0, bit 31 is
# the sign).
FLAG = "0x20000000"

EDITS = (
    # (file, what it is for, anchor, replacement, occurrences)
    (
        "vtysh.h",
        "the daemon's flag",
        r"(?m)^(#define VTYSH_WAS_ACTIVE .*)$",
        r"#define VTYSH_CLUSTERD %s\n\n\1" % FLAG,
        (1,),
    ),
    (
        "vtysh.h",
        "commands for all daemons",
        r"(?m)^(#define VTYSH_ALL[ \t](?:.*\\\n)*.*VTYSH_PATHD.*)$",
        r"\1 | VTYSH_CLUSTERD",
        (1,),
    ),
    (
        "vtysh.h",
        "key chains",
        r"(?m)^(#define VTYSH_KEYS[ \t].*)$",
        r"\1 | VTYSH_CLUSTERD",
        (1,),
    ),
    # One mask in FRR 8; later one to configure and one to show.
    (
        "vtysh.h",
        "access lists and prefix lists",
        r"(?m)^(#define VTYSH_ACL(?:_CONFIG|_SHOW)?[ \t](?:.*\\\n)*.*)$",
        r"\1 | VTYSH_CLUSTERD",
        (1, 2),
    ),
    (
        "vtysh.h",
        "the number of daemons",
        r"(extern struct vtysh_client vtysh_client\[)(\d+)(\];)",
        lambda m: "%s%d%s" % (m[1], int(m[2]) + 1, m[3]),
        (0, 1),  # FRR 8 doesn't declare the array there
    ),
    (
        "vtysh.h",
        "our declarations",
        r"(?m)^(#endif /\* VTYSH_H \*/)$",
        r'#include "vtysh_cluster.h"\n\n\1',
        (1,),
    ),
    (
        "vtysh.c",
        "the table of daemons",
        r'(?m)^(\t\{\.name = "pathd", \.flag = VTYSH_PATHD\},)$',
        r'\1\n\t{.name = "clusterd", .flag = VTYSH_CLUSTERD},',
        (1,),
    ),
    (
        "vtysh.c",
        "our nodes",
        r"(?m)^(\tcmd_variable_handler_register\(vtysh_var_handler\);)$",
        r"\1\n\tvtysh_cluster_init_nodes();",
        (1,),
    ),
    (
        "vtysh.c",
        "our commands",
        r"(?m)^(\tinstall_element\(ENABLE_NODE, &vtysh_config_terminal_cmd\);)$",
        r"\1\n\tvtysh_cluster_init_commands(&vtysh_end_all_cmd);",
        (1,),
    ),
    # A section whose first line is refused is not entered, and the `exit` at its
    # end would leave the configuration: everything behind it would be lost, the
    # mark for the end of the configuration as well.
    (
        "vtysh.c",
        "an exit that belongs to no section",
        r'(?m)^(\t\tif \(strmatch\(vty_buf_trimmed, "end"\)\)\n\t\t\tcontinue;)$',
        r"\1\n"
        r"\t\tif (vty->node == CONFIG_NODE &&\n"
        r'\t\t    (strmatch(vty_buf_trimmed, "exit") ||\n'
        r'\t\t     strmatch(vty_buf_trimmed, "quit")))\n'
        r"\t\t\tcontinue;",
        (1,),
    ),
    # FRR empties frr.conf, asks the daemons that are connected for their
    # configuration, and writes what they answer.  So they are asked before it is
    # emptied, and clusterd also whether it has read all of its lines, before and
    # after: it may end meanwhile (its connection is closed then), and be back.
    (
        "vtysh.c",
        "what clusterd says of frr.conf",
        r"(?m)^(int vtysh_write_config_integrated\(void\)\n)",
        r"static bool cluster_write_loses(struct vty *to, bool reconnect)\n"
        r"{\n"
        r"\tstruct vtysh_client *client = vtysh_client;\n"
        r"\tFILE *of = to->of;\n"
        r"\tint answer = CMD_SUCCESS;\n\n"
        r"\twhile (client->flag != VTYSH_CLUSTERD)\n"
        r"\t\tclient++;\n"
        r"\tto->of = NULL;\n"
        r"\tif (client->fd >= 0 || reconnect)\n"
        r"\t\tanswer = vtysh_client_execute(\n"
        r"\t\t\tclient, vtysh_cluster_before_write(frr_config));\n"
        r"\tto->of = of;\n"
        r"\treturn vtysh_cluster_write_loses(to, frr_config, client->fd >= 0,\n"
        r"\t\t\t\t\t answer);\n"
        r"}\n\n"
        r"\1",
        (1,),
    ),
    (
        "vtysh.c",
        "not to write frr.conf without our sections",
        r'(?m)^(\tvty_out\((\w+), "Building Configuration\.\.\.\\n"\);\n)'
        r"(?=\n\tbackup_config_file\(frr_config\);$)",
        r"\tif (cluster_write_loses(\2, true))\n"
        r"\t\treturn CMD_WARNING_CONFIG_FAILED;\n"
        r"\1"
        r"\tfor (i = 0; i < array_size(vtysh_client); i++)\n"
        r"\t\tvtysh_client_config(&vtysh_client[i], line);\n"
        r"\tif (cluster_write_loses(\2, false)) {\n"
        r"\t\tvtysh_cluster_forget_config(\2);\n"
        r"\t\treturn CMD_WARNING_CONFIG_FAILED;\n"
        r"\t}\n",
        (1,),
    ),
    (
        "vtysh.c",
        "not to ask for it twice",
        r"(?m)^\tfor \(i = 0; i < array_size\(vtysh_client\); i\+\+\)\n"
        r"\t\tvtysh_client_config\(&vtysh_client\[i\], line\);\n\n"
        r"(\tvtysh_config_write\(\);\n)"
        r"(?=\t(?:\w+)->of_saved = )",
        r"\1",
        (1,),
    ),
    (
        "vtysh.c",
        "to keep frr.conf when a new one can't be opened",
        r'(?m)^(\tfp = fopen\(frr_config, "w"\);\n\tif \(fp == NULL\) \{\n)'
        r"(?=\t\tvty_out\((\w+),)",
        r"\1\t\tvtysh_cluster_not_opened(\2, frr_config);\n",
        (1,),
    ),
    # A disk that is full is no error of FRR's: it says [OK] of an empty file.
    (
        "vtysh.c",
        "to keep frr.conf when a new one can't be written",
        r"(?m)^(\tfclose\(fp\);\n)"
        r'(?=\n\tprintf\("Integrated configuration saved to )',
        r"\tif (vtysh_cluster_write_failed(fp, frr_config)) {\n"
        r"\t\tfclose(fp);\n"
        r"\t\treturn CMD_WARNING_CONFIG_FAILED;\n"
        r"\t}\n"
        r"\1",
        (1,),
    ),
    (
        "vtysh_config.c",
        "our sections in a running configuration",
        r'(?m)^\t\telse if (\(strncmp\(line, "bfd", strlen\("bfd"\)\) == 0\))$',
        r"\t\telse if (vtysh_cluster_section(line))\n"
        r"\t\t\tconfig = config_get(vtysh_cluster_section(line), line);\n"
        r"\t\telse if \1",
        (1,),
    ),
)


def patch(sources):
    """Applies EDITS to {file name: text}; returns the list of failures."""
    failures = []
    for name, purpose, anchor, replacement, occurrences in EDITS:
        text, count = re.subn(anchor, replacement, sources[name])
        if count in occurrences:
            sources[name] = text
        else:
            failures.append(
                "%s: the place for %s was found %d times instead of %s"
                % (name, purpose, count, " or ".join(map(str, occurrences)))
            )
    return failures


def daemons_header(frr_src, sources):
    """The path of FRR's vtysh_daemons.h, as vtysh.c includes it."""
    found = re.findall(r'#include "((?:lib|vtysh)/vtysh_daemons\.h)"', sources)
    if len(found) != 1:
        sys.exit("%s: vtysh.c doesn't include one vtysh_daemons.h" % frr_src)
    return found[0]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    frr_src, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    daemons = sys.argv[3:] + ["clusterd"]

    sources = {}
    for name in SOURCES:
        sources[name] = (frr_src / "vtysh" / name).read_text(encoding="utf-8")
    failures = patch(sources)
    if failures:
        sys.exit(
            "patch_vtysh.py: the vtysh in %s is not one that it knows:\n  %s"
            % (frr_src, "\n  ".join(failures))
        )
    header = daemons_header(frr_src, sources["vtysh.c"])
    sources["../" + header] = subprocess.run(
        ["perl", str(frr_src / "vtysh" / "daemons.pl"), *daemons],
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout

    (out / "vtysh").mkdir(parents=True, exist_ok=True)
    (out / "lib").mkdir(exist_ok=True)
    for name, text in sources.items():
        path = out / "vtysh" / name
        # an unchanged file keeps its time: nothing is rebuilt for it
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
