# SPDX-License-Identifier: GPL-2.0-or-later
"""Large files that an operator loads into bgpd while clusterd keeps its map."""

import subprocess

import lib_cluster as cl

OPERATOR_LINES = 5000


def operator_file(number):
    """
    A file of an operator, with values of its own, and what it should leave:
    community-lists, which bgpd takes line by line, and among them entries of a
    route-map, whose lines wait for a commit at the end.  There are few of the
    latter: the time that bgpd needs for them, and for each commit, grows with
    their number.
    """
    text, wanted = [], set()
    for n in range(OPERATOR_LINES // 250):
        for m in range(245):
            text.append(
                "bgp community-list standard OP{} seq {} permit 65002:{}".format(
                    n, m + 1, number * 1000 + m
                )
            )
            wanted.add(text[-1])
        body = [
            " match community OP{}".format(n),
            " set metric {}".format(number * 1000 + n + 1),
            " set local-preference {}".format(number * 1000 + n + 1),
        ]
        entry = "route-map OPLOADED permit {}".format(n + 1)
        text += [entry, *body, "exit"]
        wanted |= {entry + line for line in body}
    assert len(text) == OPERATOR_LINES
    return "\n".join(text) + "\n", wanted


def operator_lines(router):
    "What bgpd has of that."
    seen, inside = set(), None
    for line in cl.running_config(router, "bgpd").splitlines():
        if line.startswith("route-map OP"):
            inside = line
        elif line.startswith(" ") and inside:
            seen.add(inside + line)
        else:
            inside = None
            if line.startswith("bgp community-list standard OP"):
                seen.add(line)
    return seen


class Loader:
    """
    An operator who loads files, one after the other.  The first time all daemons
    are told, and clusterd waits with the map; then it is bgpd alone, and the map
    changes in the middle of the file.
    """

    PATH = "/tmp/operator.conf"

    def __init__(self, router):
        self.router = router
        self.process = None
        self.loads = 0
        self.wanted = set()

    def busy(self):
        "A file is being loaded.  When it has been, all its lines are there."
        if self.process and self.process.poll() is not None:
            assert self.process.returncode == 0, "vtysh -f: {}".format(
                self.process.returncode
            )
            self.process = None
            missing = self.wanted - operator_lines(self.router)
            assert not missing, "file {}: {} lines are lost: {}".format(
                self.loads, len(missing), sorted(missing)[:10]
            )
        return self.process is not None

    def load(self):
        "Begin with the next file."
        text, self.wanted = operator_file(self.loads)
        with open(self.PATH, "w", encoding="utf-8") as file:
            file.write(text)
        only = ["-d", "bgpd"] if self.loads else []
        self.loads += 1
        self.process = self.router.net.popen(
            ["timeout", "120", "vtysh", *only, "-f", self.PATH],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def end(self):
        "Not any more."
        if self.process:
            self.process.kill()
            self.process.wait()
