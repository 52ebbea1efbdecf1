#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Our vtysh has every command of the installed one, and no other but clusterd's
and those of our module of bgpd.

    compare_commands.py [--frr-src DIR] [--frr-build DIR] [--stock VTYSH]
                        [--clusterd CLUSTERD] [--bgp-module MODULE] [OURS]

Defaults: $FRR_SRC, $FRR_BUILD, the installed vtysh, and clusterd/clusterd,
bgp-module/bgpd_clusterd.so and vtysh-ext/vtysh in the current folder, as
`make check` runs it.

Our vtysh replaces the installed one, so a command that it lacks is lost for
the operator.  Compared are
- the command elements in both binaries (FRR's xref notes, read by FRR's own
  tool): text, help, attributes and which daemons they are sent to;
- the (node, command) pairs that both list when they run (`find .`), against
  a stand-in for zebra in a private folder: no FRR runs and none is disturbed;
- clusterd's commands with what ours has of them: all are there, and those that
  enter a section, which are written by hand, have the daemon's help;
- the module's commands: ours has them, and sends them to bgpd.

Exit status: 0 equal, 1 different, 2 the comparison failed.
"""

import argparse
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading

CLUSTERD = 0x20000000
BGPD = 0x20
REALLYALL = 0xFFFFFFFF


def dump(binary):
    """Runs inside clippy: prints the command elements of a binary as JSON."""
    import xrelfo  # pylint: disable=import-outside-toplevel,import-error

    elements = []

    class Element(xrelfo.CmdElement):
        """The command element with all of its fields."""

        def to_dict(self, _):
            elements.append(
                {
                    "string": self.string,
                    "doc": self.doc or "",
                    "attr": self.attr,
                    "daemon": self.daemon & REALLYALL,
                }
            )

    class Install(xrelfo.XrefInstallElement):
        """Not needed: the running programs show the nodes."""

        def to_dict(self, _):
            pass

    xrelfo.Xref.containers[xrelfo.XREFT_DEFUN] = Element
    xrelfo.Xref.containers[xrelfo.XREFT_INSTALL_ELEMENT] = Install
    xrelfo.Xrelfo().load_file(binary)
    json.dump(elements, sys.stdout)


def elements_of(args, binary):
    """The command elements of a binary."""
    path = os.path.join(os.path.abspath(args.frr_src), "python")
    result = subprocess.run(
        ["lib/clippy", os.path.abspath(__file__), "--dump", os.path.abspath(binary)],
        cwd=args.frr_build,
        env=dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # xrelfo says that it reads a section, not a note
        check=True,
        encoding="utf-8",
    )
    return json.loads(result.stdout)


@contextlib.contextmanager
def stand_in_zebra():
    """A folder with a vty socket whose owner agrees to everything."""
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(folder, "zebra.vty"))
        listener.listen()

        def serve(connection):
            with connection:
                while data := connection.recv(65536):
                    connection.sendall(b"\0\0\0\0" * data.count(b"\0"))

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(
                        target=serve, args=(connection,), daemon=True
                    ).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield folder
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()


def run(binary, *commands):
    """The output of a vtysh that runs commands."""
    with stand_in_zebra() as folder:
        result = subprocess.run(
            [binary, "--vty_socket", folder]
            + [word for command in commands for word in ("-c", command)],
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
            encoding="utf-8",
        )
    return result.stdout


def installed_in(binary):
    """The (node, command) pairs of a running vtysh."""
    return re.findall(r"(?m)^  \((.*?)\)  (.*)$", run(binary, "find ."))


def without_us(text):
    """Text of a command without clusterd in its list of daemons."""
    text = re.sub(r"(?<=[a-z0-9])\|clusterd(?=[|>])", "", text)
    return text.replace("For the clusterd daemon\n", "")


def is_ours(node):
    """Whether a node is clusterd's, by its name."""
    return node.startswith("cluster ")


def as_printed(text):
    """Text of a command as `find` prints it: no variables' names, no spaces."""
    text = re.sub(r"\$[^ ()<>\[\]{}|]*", "", text)
    text = re.sub(r"\s+", " ", text.strip())
    return re.sub(r" (?=[\])>}|])|(?<=[\[(<{|]) ", "", text)


def element_key(element):
    """What must be equal; the mask of all daemons has one bit more in ours."""
    daemon = element["daemon"]
    if daemon != REALLYALL:
        daemon &= ~CLUSTERD
    return (
        without_us(element["string"]),
        without_us(element["doc"]),
        element["attr"],
        daemon,
    )


def differences(stock, ours):
    """Yields a line for everything that only one of two collections has."""
    stock, ours = set(stock), set(ours)
    for item in sorted(stock - ours):
        yield "only in the installed vtysh: %s" % (item,)
    for item in sorted(ours - stock):
        yield "only in ours, and not clusterd's: %s" % (item,)


def daemon_differences(args, daemon_elements, own):
    """Yields a line for each of clusterd's commands that ours has otherwise."""
    own = {(i["string"], i["doc"]) for i in own}
    sections = 0
    for element in daemon_elements:
        text, doc = element["string"], element["doc"].splitlines()
        if as_printed(text) in ("exit", "quit") or "show debugging" in text:
            continue  # vtysh has its own
        if text.startswith("XCLUSTER_"):
            continue  # only vtysh itself says that
        if (text, element["doc"]) in own:
            continue
        entry = re.fullmatch(r"cluster (\S+)( NAME)?", as_printed(text))
        if not entry:
            yield "clusterd's, missing in ours: %s" % ((text, element["doc"]),)
            continue
        sections += 1
        words = entry[0].split()
        for i, word in enumerate(words):
            question = " ".join(words[:i] + ["?"])
            answer = run(args.ours, "configure", question)
            if not re.search(r"(?m)^  %s +%s$" % (word, re.escape(doc[i])), answer):
                yield "`%s` doesn't show the daemon's help: %s" % (question, doc[i])
    if not sections:
        yield "no command of clusterd enters a section"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--dump":
        dump(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser(description="Compares two vtysh.")
    parser.add_argument("--frr-src", default=os.environ.get("FRR_SRC"))
    parser.add_argument("--frr-build", default=os.environ.get("FRR_BUILD"))
    parser.add_argument("--stock", default="/usr/bin/vtysh")
    parser.add_argument("--clusterd", default="clusterd/clusterd")
    parser.add_argument("--bgp-module", default="bgp-module/bgpd_clusterd.so")
    parser.add_argument("ours", nargs="?", default="vtysh-ext/vtysh")
    args = parser.parse_args()
    if not args.frr_src or not args.frr_build:
        parser.error("--frr-src and --frr-build are needed")
    if os.path.exists(args.stock + ".distrib"):  # replaced by our package
        args.stock += ".distrib"

    try:
        stock_elements = elements_of(args, args.stock)
        our_elements = elements_of(args, args.ours)
        daemon_elements = elements_of(args, args.clusterd)
        module_elements = elements_of(args, args.bgp_module)
        stock_nodes = installed_in(args.stock)
        our_nodes = installed_in(args.ours)
    except (OSError, subprocess.SubprocessError) as error:
        print("compare_commands.py: %s" % error, file=sys.stderr)
        return 2
    if len(stock_elements) < 1000 or len(stock_nodes) < 1000:
        print("compare_commands.py: too few commands found", file=sys.stderr)
        return 2

    own = [i for i in our_elements if i["daemon"] == CLUSTERD]
    for element in module_elements:
        element["daemon"] = BGPD  # only vtysh's copy of an element has it
    found = list(
        differences(
            map(element_key, stock_elements + module_elements),
            [element_key(i) for i in our_elements if i["daemon"] != CLUSTERD],
        )
    )
    # our nodes, the commands that enter them, and clusterd's own commands
    stock_pairs = {(node, without_us(text)) for node, text in stock_nodes}
    own_texts = {as_printed(i["string"]) for i in own + module_elements}
    for node, _ in our_nodes:
        if is_ours(node):
            own_texts |= {node, "%s NAME" % node}
    found += differences(
        stock_pairs,
        [
            (node, without_us(text))
            for node, text in our_nodes
            if (node, text) in stock_pairs or not (is_ours(node) or text in own_texts)
        ],
    )
    found += daemon_differences(args, daemon_elements, own)
    for line in found:
        print(line)
    print(
        "%d commands in %d places: %s; clusterd adds %d"
        % (
            len(stock_elements),
            len(stock_nodes),
            "%d differences" % len(found) if found else "equal",
            len(own),
        )
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
