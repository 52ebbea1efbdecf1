#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""topotests/crashes.py: what is told of the logs of daemons that crashed."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


class Crashes(unittest.TestCase):
    def crashes(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for n, (name, lines) in enumerate(files.items()):
                path = pathlib.Path(folder, "module", "r1", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                os.utime(path, (n, n))
            return subprocess.run(
                [sys.executable, TOP / "topotests/crashes.py", folder],
                stdout=subprocess.PIPE,
                encoding="utf-8",
                check=True,
            ).stdout.splitlines()

    def test_sanitizer(self):
        "The summary is the last line of what is cut."
        report = ["==1==ERROR: AddressSanitizer: boom", *["#n"] * 90, "SUMMARY: boom"]
        lines = self.crashes(**{"clusterd.asan.7": report})
        self.assertEqual(lines[0], "crash: module/r1/clusterd.asan.7")
        self.assertEqual(lines[1], "    " + report[0])
        self.assertEqual((len(lines), lines[-1]), (41, "    SUMMARY: boom"))

    def test_several(self):
        "Oldest first, three of them; one that is started again may crash again."
        life = ["x starting: vty@1", "Received signal 11 at 1", "frame"]
        lines = self.crashes(bgpd=life, zebra=life * 3)
        self.assertEqual(
            [line for line in lines if line.startswith("crash")],
            [
                "crash: module/r1/bgpd",
                "crash: module/r1/zebra",
                "crash: module/r1/zebra",
                "crashes: 1 more",
            ],
        )
        self.assertEqual(lines.count("    frame"), 3)

    def test_when_it_is_ended(self):
        "Only clusterd's are looked at, until it is started again."
        ended = ["Terminating on signal", "Received signal 11 at 1"]
        self.assertEqual(self.crashes(zebra=ended), [])
        self.assertEqual(len(self.crashes(clusterd=ended)), 3)
        again = [*ended, "x starting: vty@1", "Received signal 6 at 2"]
        self.assertEqual(self.crashes(zebra=again)[-1], "    Received signal 6 at 2")


if __name__ == "__main__":
    unittest.main()
