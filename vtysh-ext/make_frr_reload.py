#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Makes our frr-reload.py from that of the FRR source.

    make_frr_reload.py FRR_SRC/tools/frr-reload.py OUT

FRR's script has to know every kind of section, or it takes the lines inside
for commands of the top level.  Besides, a changed line in one of our sections
becomes one change instead of a deletion and an addition (see
frr_reload_cluster.py).  As in patch_vtysh.py, every place to edit has to be
found exactly once.
"""

import pathlib
import re
import sys

# The start of the first line of each kind of section.
SECTIONS = (
    "cluster control",
    "cluster edge",
    "cluster hub",
    "cluster hub-cluster ",
    "cluster probe ",
    "cluster responder ",
    "cluster track ",
    "cluster vip ",
)

EDITS = (
    # (purpose, anchor, replacement)
    ("the interpreter", r"\A#!/usr/bin/env python3\n", "#!/usr/bin/python3\n"),
    (
        "our sections",
        r"(?m)^( *)ctx_keywords = \{\n",
        lambda m: m[0] + "".join('%s    "%s": {},\n' % (m[1], s) for s in SECTIONS),
    ),
    (
        "the comparison",
        r"(?m)^def compare_context_objects\(newconf, running\):$",
        "def frr_compare_context_objects(newconf, running):",
    ),
    (
        "the commands to write",
        r"(?m)^( *for line in )lines_to_configure(:\n *fh\.write)",
        r"\1cluster_join_sections(lines_to_configure)\2",
    ),
    (
        "the daemons",
        r"(?m)^( *if args\.daemon and args\.daemon not in \[\n)( *)",
        r'\1\2"clusterd",\n\2',
    ),
)
MAIN = r'(?m)^if __name__ == "__main__":$'


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, out = map(pathlib.Path, sys.argv[1:])
    ours = pathlib.Path(__file__).with_name("frr_reload_cluster.py")
    insertion = "CLUSTER_SECTIONS = %r\n\n\n%s" % (
        SECTIONS,
        ours.read_text(encoding="utf-8").lstrip(),
    )

    text = source.read_text(encoding="utf-8")
    failures = []
    for purpose, anchor, replacement in EDITS + (
        ("our functions", MAIN, lambda m: insertion + m[0]),
    ):
        text, count = re.subn(anchor, replacement, text)
        if count != 1:
            failures.append("the place for %s was found %d times" % (purpose, count))
    if failures:
        sys.exit(
            "make_frr_reload.py: %s is not a script that it knows:\n  %s"
            % (source, "\n  ".join(failures))
        )
    compile(text, str(out), "exec")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    out.chmod(0o755)


if __name__ == "__main__":
    main()
