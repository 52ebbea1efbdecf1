# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody who types at one daemon, and stays there."""

import subprocess


class Typist:
    """
    Somebody at a daemon's vty, as vtysh has it, who stays there: in `configure
    terminal` and in the section that was entered.
    """

    SCRIPT = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("/var/run/frr/{}.vty")
for line in sys.stdin:
    s.sendall(line.rstrip("\\n").encode() + b"\\0")
    got = b""
    while len(got) < 4 or got[-4:-1] != b"\\0\\0\\0":
        more = s.recv(65536)
        if not more:
            sys.exit("the daemon is gone")
        got += more
    print(got[-1], got[:-4].decode().replace("\\n", " "), flush=True)
"""

    def __init__(self, router, *lines, daemon="bgpd"):
        self.process = router.net.popen(
            ["/usr/bin/python3", "-c", self.SCRIPT.format(daemon)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for line in ("enable",) + lines:
            self.types(line)

    def type(self, line):
        "One line; (status, text)."
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        status, _, text = said.partition(" ")
        assert status.strip().isdigit(), "the session ended: {!r}".format(said)
        return int(status), text.strip()

    def types(self, line):
        "One line that is taken; the text."
        status, text = self.type(line)
        assert status == 0, "{}: {}".format(line, text)
        return text

    def end(self):
        "Leave."
        self.process.stdin.close()
        self.process.wait()
