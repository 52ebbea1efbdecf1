#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The user manual against the daemon.

* every command of the sources is described (clicmd), and nothing else is;
* every example (code-block:: frr) is loaded by vtysh -b into real daemons,
  without a complaint, and comes out of show running-config as it went in.

CLUSTER_BUILD is the build folder of one FRR version (build/8.4).  The daemons
run in namespaces of their own, in which folders of FRR are empty.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CLUSTER_BUILD", TOP / "build" / "8.4")).resolve()
MANUAL = TOP / "doc" / "user"
VTYSH = BUILD / "stage/usr/lib/frr-clusterd/vtysh"
CLUSTERD = BUILD / "stage/usr/lib/frr/clusterd"
DEADLINE = 30

# Part of every FRR daemon, what only vtysh says, or forms that FRR's manuals never describe.
UNDOCUMENTED = re.compile(r"^(no |exit$|quit$|show debugging|XCLUSTER_)")


def source_commands():
    "The command strings of all DEFPYs and DEFUNs."
    found = set()
    macro = re.compile(r"^DEF(?:PY|UN)\w* ?\(\w+,\s*\w+,\s*\"(.*?)\",$", re.M | re.S)
    sources = [*(TOP / "clusterd").rglob("*.c"), *(TOP / "bgp-module").glob("*.c")]
    for path in sorted(sources):
        for text in macro.findall(path.read_text(encoding="utf-8")):
            text = re.sub(r"\"\s*\"", "", text)
            text = re.sub(r"\$\w+", "", text)  # names of variables
            text = re.sub(r"^\[no\] ?", "", text)
            text = re.sub(r"!\[(.*)\]", r"\1", text)  # optional after `no` only
            found.add(text)
    return {text for text in found if not UNDOCUMENTED.match(text)}


def manual_commands():
    found = set()
    for path in MANUAL.glob("*.rst"):
        text = path.read_text(encoding="utf-8")
        found.update(re.findall(r"^\.\. clicmd:: (.*)$", text, re.M))
    return found


def examples():
    "All code-block:: frr, as (file, list of lines)."
    for path in sorted(MANUAL.glob("*.rst")):
        text = path.read_text(encoding="utf-8")
        for block in re.findall(
            r"^\.\. code-block:: frr\n\n((?:   .*\n|\n)+)", text, re.M
        ):
            yield path.name, [line[3:] for line in block.splitlines() if line.strip()]


def hub_reasons():
    "Names of hc_reason.c, and what a hub says of a site's prefix."
    folder = TOP / "clusterd/hubcluster"
    source = (folder / "hc_reason.c").read_text(encoding="utf-8")
    names = re.findall(r"\[HC_WHY_\w+\] =\s*\{\s*\"(\w+)\"", source)
    source = (folder / "hc_hub.c").read_text(encoding="utf-8")
    sites = re.findall(r"\[HC_SITE_\w+\] =\s*\"([^\"]+)\"", source)
    return ["``%s``" % name for name in names] + sites


def hub_troubles():
    "Why a part of hub clustering waits, and advice: without what follows a colon."
    folder = TOP / "clusterd/hubcluster"
    source = (folder / "hc_config.c").read_text(encoding="utf-8")
    found = re.findall(r"(?:why = |NO_CONTROL\s+\\\n\s+)\"([^\"]{5,})\"", source)
    source = (folder / "hc_daemon_hub.c").read_text(encoding="utf-8")
    found += re.findall(r"return\s+\"([^\"]+)\";", source)
    return {text.split(":")[0].strip() for text in found} - {"shut down"}


def catalogue():
    "Titles of the error catalogue."
    source = (TOP / "clusterd/cluster_errors.c").read_text(encoding="utf-8")
    return re.findall(r"\.title = \"(.*?)\"", source)


def in_namespaces():
    "Runs this script again where nothing outside can be seen or harmed."
    if os.environ.get("CLUSTER_MANUAL_INSIDE"):
        return
    os.environ["CLUSTER_MANUAL_INSIDE"] = "1"
    os.environ["VTYSH_HISTFILE"] = "/run/frr/vtysh.history"
    os.execvp(
        "unshare",
        ["unshare", "--net", "--pid", "--mount", "--fork", "--kill-child"]
        + ["--mount-proc", "--propagation", "private", sys.executable]
        + [os.path.abspath(__file__), *sys.argv[1:]],
    )


class Daemons:
    "zebra, bgpd and clusterd with one configuration file."

    def __init__(self, lines):
        for folder in ("/run/frr", "/etc/frr", "/var/lib", "/var/tmp"):
            os.makedirs(folder, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
        pathlib.Path("/etc/frr/vtysh.conf").touch()
        pathlib.Path("/etc/frr/frr.conf").write_text(
            "\n".join(lines) + "\n", encoding="utf-8"
        )
        subprocess.run(
            ["chown", "-R", "frr:frr", "/run/frr", "/etc/frr", "/var/lib"], check=True
        )
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self.processes = []
        mgmtd = pathlib.Path("/usr/lib/frr/mgmtd")  # FRR 10
        for daemon in ("/usr/lib/frr/zebra", mgmtd, "/usr/lib/frr/bgpd", CLUSTERD):
            if daemon is mgmtd and not mgmtd.exists():
                continue
            self.processes.append(
                subprocess.Popen([str(daemon)], stderr=subprocess.DEVNULL)
            )
            self.wait(daemon)

    @staticmethod
    def wait(daemon):
        socket = pathlib.Path("/run/frr") / (pathlib.Path(daemon).name + ".vty")
        end = time.monotonic() + DEADLINE
        while not socket.exists():
            assert time.monotonic() < end, "{} doesn't start".format(daemon)
            os.sched_yield()

    @staticmethod
    def vtysh(*arguments):
        done = subprocess.run(
            ["timeout", str(DEADLINE), str(VTYSH), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
        for folder in ("/run/frr", "/etc/frr", "/var/lib", "/var/tmp"):
            # Lazily: a child of a killed daemon may be there for another moment.
            subprocess.run(["umount", "--lazy", folder], check=True)


def problems(lines):
    "Loads an example; returns what is wrong with it."
    daemons = Daemons(lines)
    try:
        status, out = daemons.vtysh("-b")
        if status or "%" in out or "line " in out:
            return "vtysh -b ended with {}: {}".format(status, out)
        _, running = daemons.vtysh("-c", "show running-config")
        there = {line.rstrip() for line in running.splitlines()}
        return "".join(
            "not in the running configuration: {}\n".format(line)
            for line in lines
            if line.strip() not in ("!", "exit", "exit-address-family")
            and line.rstrip() not in there
        )
    finally:
        daemons.close()


class Manual(unittest.TestCase):
    def test_every_command_is_described(self):
        self.assertEqual(source_commands() - manual_commands(), set())

    def test_every_described_command_exists(self):
        self.assertEqual(manual_commands() - source_commands(), set())

    def test_every_reason_of_hubs_is_explained(self):
        text = (MANUAL / "hub-clustering.rst").read_text(encoding="utf-8")
        found = hub_reasons()
        self.assertGreater(len(found), 30)
        rows = [re.match(r"(.+?)  +\S", line) for line in text.splitlines()]
        named = {row[1] for row in rows if row}
        self.assertEqual([r for r in found if r not in named], [], "not explained")
        troubles = hub_troubles()
        self.assertGreater(len(troubles), 7)
        self.assertEqual(
            [t for t in troubles if "* - " + t not in text], [], "not explained"
        )

    def test_every_case_has_its_tests(self):
        "The list of cases in testing.rst names tests that exist, for each case."
        text = (TOP / "doc/developer/testing.rst").read_text(encoding="utf-8")
        text = text.split("Cases from the field")[1].split("Rules\n-----")[0]
        numbered = re.split(r"^(?=\d+\. )", text.split("Of routes that")[0], flags=re.M)
        self.assertEqual(
            [int(item.split(".")[0]) for item in numbered[1:]], list(range(1, 24))
        )
        for item in numbered[1:]:
            self.assertRegex(item, r"``\w+::test_\w+``", "a case without a test")
        for name, function in re.findall(r"``(\w+)::(\w+)``", text):
            paths = [
                TOP / "topotests" / name / "test_{}.py".format(name),
                TOP / "tests/unit" / (name + ".c"),
                TOP / "tests/sim" / (name + ".c"),
            ]
            found = [path for path in paths if path.exists()]
            self.assertTrue(found, name)
            self.assertRegex(
                found[0].read_text(encoding="utf-8"),
                r"\n(def|static void) {}\(".format(function),
                "{} has no {}".format(name, function),
            )

    def test_every_error_is_in_the_catalogue(self):
        text = (MANUAL / "operations.rst").read_text(encoding="utf-8")
        self.assertEqual([t for t in catalogue() if "\n" + t + "\n" not in text], [])

    def test_examples(self):
        found = list(examples())
        self.assertTrue(found, "no example in the manual")
        for name, lines in found:
            with self.subTest(file=name, first=lines[0]):
                self.assertEqual(problems(lines), "")

    def test_a_wrong_example_is_noticed(self):
        lines = ["cluster vip www", " no-such-command", " address 192.0.2.1", "exit"]
        self.assertNotEqual(problems(lines), "")


if __name__ == "__main__":
    in_namespaces()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main()
