#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
vtysh's commands for FRR 8: from the sources of FRR and of clusterd.

    commands_from_sources.py FRR_SRC FRR_BUILD OUT TOP OUR_FILE... -- FRR_ARG...

FRR's extract.pl does it.  It wants to run in FRR's build folder, takes the
name of a file's folder for the daemon's, and preprocesses each file; so ours
are shown to it in a folder `clusterd`, whatever folder they are in, bgpd's
module in a folder `bgpd`, and find their headers by $CPATH.  FRR_ARGs are FRR's
own list of files to scan and options.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    if len(sys.argv) < 7 or "--" not in sys.argv:
        sys.exit(__doc__)
    frr_src, frr_build, out, top = map(os.path.abspath, sys.argv[1:5])
    split = sys.argv.index("--")
    ours, theirs = sys.argv[5:split], sys.argv[split + 1 :]

    arguments = []
    for word in theirs:
        if word.startswith("--") or os.path.exists(os.path.join(frr_build, word)):
            arguments.append(word)
        elif os.path.exists(os.path.join(frr_src, word)):
            arguments.append(os.path.join(frr_src, word))
        else:
            sys.exit("commands_from_sources.py: FRR has no %s" % word)

    with tempfile.TemporaryDirectory() as work:
        folders = {"bgp-module": pathlib.Path(work, "bgpd")}
        default = pathlib.Path(work, "clusterd")
        for folder in (default, *folders.values()):
            folder.mkdir()
        headers = {top, os.path.join(top, "clusterd")}
        for name in ours:
            path = pathlib.Path(top, name)
            headers.add(str(path.parent))
            folder = folders.get(path.parent.name, default)
            (folder / path.name).symlink_to(path)
            arguments.append(str(folder / path.name))
        environment = dict(os.environ, CPATH=":".join(sorted(headers)))
        result = subprocess.run(
            [os.path.join(frr_build, "vtysh", "extract.pl"), *arguments],
            cwd=frr_build,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    # the preprocessor's failures are only warnings to extract.pl
    if ours and "VTYSH_CLUSTERD" not in result.stdout:
        sys.exit("commands_from_sources.py: no command of clusterd was found")
    # extract.pl has lists of its own of who has key chains and prefix lists
    commands = result.stdout
    for what, daemons in (
        ("key chains", r"VTYSH_RIPD\|VTYSH_EIGRPD\|VTYSH_OSPF6D"),
        ("prefix lists", r"VTYSH_BABELD\|VTYSH_ISISD\|VTYSH_FABRICD"),
    ):
        commands, count = re.subn(
            r"(%s)(?=,)" % daemons, r"\1|VTYSH_CLUSTERD", commands
        )
        if not count:
            sys.exit("commands_from_sources.py: no command of %s was found" % what)
    pathlib.Path(out).write_text(
        # it splits at commas, and puts in a space when it joins again
        re.sub(
            r"^DEFSH(?:_HIDDEN)? \(VTYSH_CLUSTERD,.*?\)\n\n",
            lambda m: m[0].replace(",  ", ", "),
            commands,
            flags=re.M | re.S,
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
