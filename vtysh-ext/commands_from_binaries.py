#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
vtysh's commands for FRR >= 9: from the notes in the binaries.

    cd FRR_BUILD && PYTHONPATH=FRR_SRC/python lib/clippy \
        commands_from_binaries.py FRR_SRC FRR_SBINDIR FRR_LIBDIR CLUSTERD \
        BGP_MODULE OUT...

Every FRR binary, the packaged and stripped ones too, carries its commands
("xref" notes).  FRR's own generator turns them into OUT (the first file: all
commands; the others: the nodes' command graphs, spread over them); here it is
given the *installed* FRR, our daemon and our module of bgpd, so no FRR daemon is
compiled.

An OUT that would not change is left alone.
"""

import io
import os
import pathlib
import re
import sys

import xref2vtysh
import xrelfo

# A library that is not built from lib/.
LIBRARY_FOLDER = {"libmgmt_be_nb.so": "mgmtd"}
# A daemon that is built from another one's folder: the generator goes by the
# folder's name.
FOLDER = {"fabricd": "isisd", "pim6d": "pimd"}
# Modules of zebra that don't start with its name.
MODULE_FOLDER = {"dplane": "zebra"}


def binaries(sbindir, libdir, clusterd, bgp_module):
    """Yields (path, the name it has in an FRR build folder)."""
    for path in sorted(libdir.glob("lib*.so.0")):
        name = path.name[: -len(".0")]
        yield path, "%s/%s" % (LIBRARY_FOLDER.get(name, "lib"), name)
    for path in sorted(sbindir.iterdir()):
        name = path.name
        if name == clusterd.name or not path.is_file():
            continue
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        yield path, "%s/%s" % (FOLDER.get(name, name), name)
    for path in sorted((libdir / "modules").glob("*.so")):
        if path.name == bgp_module.name:
            continue
        word = path.name.split("_")[0].split(".")[0]
        yield path, "%s/%s" % (MODULE_FOLDER.get(word, word), path.name)
    yield clusterd, "clusterd/clusterd"
    yield bgp_module, "bgpd/%s" % bgp_module.name


def normalize(xref, frr_src):
    """
    File names in the notes are relative to the build folder of whoever built
    the binary ("../lib/vty.c" in Debian); the generator wants lib/ files to
    be below its source tree, and no other file of ours to look so.
    """
    for origins in xref["cli"].values():
        for origin, spec in origins.items():
            name = re.sub(r"^(?:\.\.?/)+", "", spec["defun"]["file"])
            if origin.startswith("clusterd/"):
                name = "clusterd/" + os.path.basename(name)
            spec["defun"]["file"] = os.path.join(frr_src, name)


def add_prefix_lists():
    """The generator has a list of its own of who has prefix lists."""
    theirs = "VTYSH_BABELD|VTYSH_ISISD|VTYSH_FABRICD"
    original = xref2vtysh.CommandEntry._get_daemons  # pylint: disable=W0212

    def get_daemons(entry):
        return {
            d + "|VTYSH_CLUSTERD" if d.endswith(theirs) else d for d in original(entry)
        }

    xref2vtysh.CommandEntry._get_daemons = get_daemons  # pylint: disable=W0212


def main():
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    frr_src = os.path.abspath(sys.argv[1])
    sbindir, libdir, clusterd, bgp_module = map(pathlib.Path, sys.argv[2:6])
    outputs = sys.argv[6:]

    xref = xrelfo.Xrelfo()
    for path, name in binaries(sbindir, libdir, clusterd, bgp_module):
        try:
            xref.load_elf(str(path), name)
        except ValueError as error:
            # a tool without notes (it has no commands either)
            if name.startswith("clusterd/"):
                sys.exit("%s: %s" % (path, error))
    normalize(xref, frr_src)

    if not any("clusterd/clusterd" in i for i in xref["cli"].values()):
        sys.exit("%s: no commands found" % clusterd)

    # xref2vtysh finds the source tree by its own path
    xref2vtysh.frr_top_src = frr_src
    add_prefix_lists()
    texts = [io.StringIO() for _ in outputs]
    xref2vtysh.CommandEntry.run(xref, list(texts))
    for name, text in zip(outputs, texts):
        path = pathlib.Path(name)
        if not path.exists() or path.read_text(encoding="utf-8") != text.getvalue():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
